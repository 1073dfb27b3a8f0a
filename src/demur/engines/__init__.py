"""Where counts come from: arrays, data frames, files, warehouses, Spark.

An engine only builds counts; no formula of demur has a second version here.

Imports: paired, surface, costs, counts.
"""

from typing import TYPE_CHECKING

from demur._rooms import on_demand

if TYPE_CHECKING:
    from demur.engines.cost_files import read_cost_matrix
    from demur.engines.cost_sums import read_score_costs
    from demur.engines.counting import read_counts
    from demur.engines.joint import read_joint_counts
    from demur.engines.paired import read_paired_counts

__all__ = [
    "read_cost_matrix",
    "read_counts",
    "read_joint_counts",
    "read_paired_counts",
    "read_score_costs",
]

__getattr__, __dir__ = on_demand(__name__, __file__)
