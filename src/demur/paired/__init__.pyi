from .counts import PairedCounts as PairedCounts
from .joint import JointCounts as JointCounts
