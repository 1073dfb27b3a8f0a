from .counts import JointCounts as JointCounts
from .counts import PairedCounts as PairedCounts
