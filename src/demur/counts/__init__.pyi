from .bins import BinnedCounts as BinnedCounts
from .bins import bins_to_refine as bins_to_refine
from .case_window import CaseWindow as CaseWindow
from .costs import ScoreCosts as ScoreCosts
from .joined import joined_counts as joined_counts
from .scores import Blocks as Blocks
from .scores import ScoreCounts as ScoreCounts
