"""More than two classes: weights per class that make the cheapest decisions, and how good they can be.

After Deng, Bourke, Scott, Sunderman, Zheng (2006): weights, exact search, meta-classes; maps of
costs; the area of Hand and Till (2001).

Imports: ordinal, surface, costs, counts.
"""

from typing import TYPE_CHECKING

from demur._rooms import on_demand

if TYPE_CHECKING:
    from demur.multiclass.auc import HandTillAuc, hand_till_auc
    from demur.multiclass.cells import CellMargin, QuotaWeights, cell_margin, weights_for_counts
    from demur.multiclass.maps import ClassCostMap, class_cost_maps
    from demur.multiclass.rules import ClassWeights
    from demur.multiclass.tree import MetaClassNode, MetaClassTree
    from demur.multiclass.weights import optimize_weights

__all__ = [
    "CellMargin",
    "ClassCostMap",
    "ClassWeights",
    "HandTillAuc",
    "MetaClassNode",
    "MetaClassTree",
    "QuotaWeights",
    "cell_margin",
    "class_cost_maps",
    "hand_till_auc",
    "optimize_weights",
    "weights_for_counts",
]

__getattr__, __dir__ = on_demand(__name__, __file__)
