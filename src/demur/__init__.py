"""demur: when should a classifier act, when should it abstain, and what does either cost?

Every public name is importable from here. Modules load on first use, so that
``import demur`` and ``demur --help`` stay quick.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0.dev0"

# module -> the public names that live there; `__init__.pyi` repeats this for type checkers
_HOMES: dict[str, tuple[str, ...]] = {
    "_results": ("Interval",),
    "abstention": (
        "ABSTAIN",
        "AbstentionSurface",
        "AbstentionWindow",
        "MeanRates",
        "SurfaceGrid",
        "abstention_surface",
        "decide",
        "plugin_vacc_score",
        "vacc_score",
    ),
    "area_bounds": (
        "AucBounds",
        "RocPointIndex",
        "auc_bounds",
        "iso_discriminability",
        "roc_point_index",
    ),
    "class_maps": (
        "ClassCostMap",
        "class_cost_maps",
    ),
    "confidence": (
        "ConfidentSegment",
        "TangoInterval",
        "confident_segment",
        "tango_interval",
    ),
    "cost_curves": (
        "AverageCostCurve",
        "BestRange",
        "CostCurve",
        "average_cost_curves",
        "best_ranges",
        "cost_curve",
    ),
    "cost_lines": (
        "CostLine",
        "CostLineDifference",
        "cost_line",
        "cost_line_difference",
        "roc_line_to_cost_point",
    ),
    "cost_matrices": ("CostMatrix",),
    "costs": (
        "CostModel",
        "probability_cost",
    ),
    "counts": (
        "Blocks",
        "ScoreCounts",
    ),
    "displays.auc_bounds": (
        "AucBoundsDisplay",
        "BoundGapDisplay",
        "IsoDiscriminabilityDisplay",
    ),
    "displays.confidence": (
        "ConfidentSegmentDisplay",
        "SegmentComparisonDisplay",
        "TangoIntervalDisplay",
    ),
    "displays.cost_curves": (
        "CostCurveDisplay",
        "CostDifferenceDisplay",
        "RocCostDualDisplay",
    ),
    "displays.multiclass": (
        "MetaClassTreeDisplay",
        "SimplexDisplay",
        "WeightMapDisplay",
    ),
    "displays.net_benefit": ("NetBenefitDisplay",),
    "displays.roc": (
        "PrecisionRecallDisplay",
        "RocCurveDisplay",
    ),
    "displays.surfaces": (
        "AbstentionSurfaceDisplay",
        "SurfaceDifferenceDisplay",
        "SurfaceRowDisplay",
    ),
    "displays.windows": ("WindowDisplay",),
    "engines.cost_files": ("read_cost_matrix",),
    "estimators.cost_weighted": ("CostWeightedClassifier",),
    "exceptions": (
        "DegenerateDataWarning",
        "DemurError",
        "InputError",
        "UndefinedError",
    ),
    "metaclass": (
        "MetaClassNode",
        "MetaClassTree",
    ),
    "multiclass": ("optimize_weights",),
    "net_benefit": (
        "NetBenefitCurve",
        "net_benefit_curve",
    ),
    "regions": (
        "SurfaceCells",
        "SurfaceDifference",
    ),
    "roc": (
        "PrecisionRecallCurve",
        "RocCurve",
        "RocHull",
        "auc_score",
        "precision_recall_curve",
        "roc_curve",
    ),
    "weight_cells": (
        "CellMargin",
        "QuotaWeights",
        "cell_margin",
        "weights_for_counts",
    ),
    "weight_rules": ("ClassWeights",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = sorted([*_HOME, "__version__"])  # noqa: PLE0605 - built from the table above


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'demur' has no attribute {name!r}")
    value = getattr(import_module(f"demur.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
