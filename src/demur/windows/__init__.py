"""Windows a user asks for: cheapest under limits, with a promised precision, kept as a policy.

Promised precision after Vanderlooy, Sprinkhuizen-Kuyper, Smirnov (2006). A `Policy` is a window
with its costs and evidence, written to and read from a JSON file.

Imports: surface, roc, costs, counts.
"""

from demur.windows.cheapest import cheapest_window
from demur.windows.constrained import ConstrainedWindow
from demur.windows.hull_points import HullPoint
from demur.windows.policy import Policy
from demur.windows.policy_evidence import PolicyEvidence
from demur.windows.promised import deterministic_window, widest_coverage_window
from demur.windows.ranges import RangeWindow, range_window
from demur.windows.reliable import reliable_window
from demur.windows.reliable_rule import ExpectedCounts, ReliableWindow

__all__ = [
    "ConstrainedWindow",
    "ExpectedCounts",
    "HullPoint",
    "Policy",
    "PolicyEvidence",
    "RangeWindow",
    "ReliableWindow",
    "cheapest_window",
    "deterministic_window",
    "range_window",
    "reliable_window",
    "widest_coverage_window",
]
