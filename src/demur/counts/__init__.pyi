from .bins import BinnedCounts as BinnedCounts
from .bins import bins_to_refine as bins_to_refine
from .bins import joined_counts as joined_counts
from .costs import ScoreCosts as ScoreCosts
from .scores import Blocks as Blocks
from .scores import ScoreCounts as ScoreCounts
from .window import AbstentionWindow as AbstentionWindow
