"""Windows a user asks for: cheapest under limits, for ranges of costs, with a promised precision.

`search` finds the cheapest window under limits and `range_search` the one of smallest regret or
worst cost over several cost points, both exactly, on running masses; `cheapest`, `ranges` and
`promised` put names and checks around them. `certified` promises precision for the population
with confidence. `reliable` follows Vanderlooy, Sprinkhuizen-Kuyper, Smirnov (2006): points of the
ROC hull, reached by chance where no threshold does. `policy` keeps a window with its costs and
evidence in a JSON file.

Imports: surface, roc, costs, counts.
"""

from typing import TYPE_CHECKING

from demur._rooms import on_demand

if TYPE_CHECKING:
    from demur.windows.cheapest import cheapest_window
    from demur.windows.class_policy import ClassEvidence, ClassPolicy
    from demur.windows.class_rule import ClassRule
    from demur.windows.combined import CombinedRule, combined_rule
    from demur.windows.constrained import ConstrainedWindow
    from demur.windows.guarded import GuardedWindow, guarded_window
    from demur.windows.hull_points import HullPoint
    from demur.windows.policy import Policy
    from demur.windows.policy_evidence import PolicyEvidence
    from demur.windows.promised import deterministic_window, widest_coverage_window
    from demur.windows.ranges import RangeWindow, range_window
    from demur.windows.reliable import reliable_window
    from demur.windows.reliable_rule import ExpectedCounts, ReliableWindow

__all__ = [
    "ClassEvidence",
    "ClassPolicy",
    "ClassRule",
    "CombinedRule",
    "ConstrainedWindow",
    "ExpectedCounts",
    "GuardedWindow",
    "HullPoint",
    "Policy",
    "PolicyEvidence",
    "RangeWindow",
    "ReliableWindow",
    "cheapest_window",
    "combined_rule",
    "deterministic_window",
    "guarded_window",
    "range_window",
    "reliable_window",
    "widest_coverage_window",
]

__getattr__, __dir__ = on_demand(__name__, __file__)
