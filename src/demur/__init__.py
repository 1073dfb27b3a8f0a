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
    "auc_inference": (
        "AucInterval",
        "auc_cluster_variance",
        "auc_interval",
        "auc_variance",
    ),
    "auc_models": (
        "AucContrastTest",
        "AucPairwiseTests",
        "auc_contrast_test",
        "auc_covariance",
        "auc_pairwise_tests",
    ),
    "auc_planning": (
        "AucSampleSize",
        "auc_power",
        "auc_sample_size",
    ),
    "auc_tests": (
        "AucDifferenceTest",
        "AucUnpairedTest",
        "auc_difference_test",
        "auc_difference_variances",
        "auc_unpaired_test",
    ),
    "capacity": (
        "CapacityGraph",
        "Mixture",
        "capacity_graph",
    ),
    "cautious": (
        "CautiousConfusion",
        "RocPoint",
        "cautious_confusion",
        "decisions_at_abstention",
    ),
    "certificates": (
        "CertifiedWindow",
        "SurfaceCertificate",
        "surface_certificate",
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
    "constrained_windows": (
        "ConstrainedWindow",
        "cheapest_window",
        "deterministic_window",
        "widest_coverage_window",
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
    "cross_fitting": (
        "CrossFittedSurface",
        "cross_fitted_surface",
    ),
    "curve_bands": (
        "CostCurveBand",
        "RocBand",
        "cost_curve_band",
        "roc_band",
    ),
    "datasets.binormal": ("Binormal",),
    "datasets.mackey_glass": ("mackey_glass",),
    "datasets.series": ("example_series",),
    "decided_roc": (
        "ReliableRoc",
        "reliable_roc",
    ),
    "decision_rules": (
        "CautionWindowRule",
        "ClassThresholdRule",
        "ConfidenceRule",
        "CriticalWindows",
        "RatioRule",
        "critical_windows",
    ),
    "diebold_mariano": (
        "DieboldMariano",
        "diebold_mariano_test",
    ),
    "displays.auc_bounds": (
        "AucBoundsDisplay",
        "BoundGapDisplay",
        "IsoDiscriminabilityDisplay",
    ),
    "displays.bands": (
        "CostCurveBandDisplay",
        "RocBandDisplay",
        "SignificanceMapDisplay",
        "SurfaceBandDisplay",
    ),
    "displays.cautious": (
        "CapacityGraphDisplay",
        "ResponseCurveDisplay",
        "RocResponseSurfaceDisplay",
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
    "displays.isometrics": (
        "IsometricDisplay",
        "ReliableWindowDisplay",
    ),
    "displays.multiclass": (
        "MetaClassTreeDisplay",
        "SimplexDisplay",
        "WeightMapDisplay",
    ),
    "displays.net_benefit": ("NetBenefitDisplay",),
    "displays.ordinal": (
        "OrdinalMeasuresDisplay",
        "OrdinalSurfaceDisplay",
        "SeparabilityDisplay",
    ),
    "displays.regression": (
        "RecCoverageDisplay",
        "RecCurveDisplay",
    ),
    "displays.roc": (
        "PrecisionRecallDisplay",
        "RocCurveDisplay",
    ),
    "displays.selective_risk": ("RiskCoverageDisplay",),
    "displays.surfaces": (
        "AbstentionSurfaceDisplay",
        "SurfaceDifferenceDisplay",
        "SurfaceRowDisplay",
    ),
    "displays.thresholds": (
        "MimeticCostDisplay",
        "NrocCurveDisplay",
        "ThresholdsByCostDisplay",
    ),
    "displays.windows": ("WindowDisplay",),
    "engines.cost_files": ("read_cost_matrix",),
    "estimators.abstaining": ("AbstainingClassifier",),
    "estimators.c45_pruning": ("LaplaceTreeClassifier",),
    "estimators.cautious": ("CautiousClassifier",),
    "estimators.cost_weighted": ("CostWeightedClassifier",),
    "estimators.delegating": ("DelegatingClassifier",),
    "estimators.difference_rescaler": ("DifferenceRescaler",),
    "estimators.honest_cost": ("ExpectedCost",),
    "estimators.kalman_forecaster": (
        "KalmanForecaster",
        "SeriesForecast",
    ),
    "estimators.mimetic": (
        "DirectThresholdClassifier",
        "MimeticClassifier",
        "MimeticComparison",
        "mimetic_configurations",
        "mimetic_costs",
    ),
    "estimators.model_tree": ("ModelTreeRegressor",),
    "estimators.naive_bayes_regressor": ("NaiveBayesRegressor",),
    "estimators.optimal_costs": ("OptimalCosts",),
    "estimators.reliable": ("ReliableClassifier",),
    "estimators.stacking": (
        "StackedForecast",
        "stack_forecasters",
    ),
    "exceptions": (
        "DegenerateDataWarning",
        "DemurError",
        "InputError",
        "UndefinedError",
    ),
    "filters": (
        "CentralDifferenceKalmanFilter",
        "ExtendedKalmanFilter",
        "FilterRun",
        "FilterStep",
        "KalmanModel",
        "SquareRootCentralDifferenceKalmanFilter",
        "SquareRootUnscentedKalmanFilter",
        "UnscentedKalmanFilter",
    ),
    "held_out": ("HonestRates",),
    "invented_data": (
        "IntegerAttribute",
        "InventedCases",
        "NominalAttribute",
        "NumericAttribute",
        "SampledAttribute",
        "invented_cases",
    ),
    "isometrics": (
        "FMeasure",
        "GmEstimate",
        "Isometric",
        "IsometricGrid",
        "Precision",
        "isometric",
        "isometric_grid",
    ),
    "metaclass": (
        "MetaClassNode",
        "MetaClassTree",
    ),
    "multiclass": ("optimize_weights",),
    "multiclass_auc": (
        "HandTillAuc",
        "hand_till_auc",
    ),
    "net_benefit": (
        "NetBenefitCurve",
        "net_benefit_curve",
    ),
    "ordinal": (
        "OrdinalMeasures",
        "OrdinalRoc",
        "ordinal_roc",
    ),
    "ordinal_experiments": (
        "NormalPopulation",
        "OrderAgreement",
        "RankingExperiment",
        "SeparabilityExperiment",
        "normal_population",
        "order_agreement",
        "ranking_experiment",
        "separability_experiment",
    ),
    "ordinal_inference": (
        "JonckheereTest",
        "VusDifferenceTest",
        "jonckheere_test",
        "vus_covariance",
        "vus_difference_test",
        "vus_unpaired_test",
    ),
    "ordinal_surface": (
        "OrdinalSurface",
        "OrdinalVertices",
    ),
    "policy": (
        "Policy",
        "PolicyEvidence",
    ),
    "prevalence_shift": (
        "PrevalenceShift",
        "adjust_prevalence",
    ),
    "rec_coverage": (
        "RecCoverage",
        "rec_coverage_curve",
    ),
    "regions": (
        "SurfaceCells",
        "SurfaceDifference",
    ),
    "regression": (
        "RecCurve",
        "null_rec_curve",
        "rec_curve",
        "regression_errors",
    ),
    "regression_tests": (
        "AocDifference",
        "RecBand",
        "RecDifference",
        "aoc_difference_test",
        "aoc_interval",
        "rec_band",
        "rec_difference_test",
    ),
    "reliable": (
        "ExpectedCounts",
        "HullPoint",
        "ReliableWindow",
        "reliable_window",
    ),
    "report.document": ("Report",),
    "report.model": ("DataSource",),
    "response_curves": (
        "AverageResponseCurve",
        "ResponseCurve",
        "ResponseHull",
        "ResponsePoint",
        "RocResponseSurface",
        "average_response_curves",
        "response_curve",
        "response_hull",
        "roc_response_surface",
    ),
    "roc": (
        "PrecisionRecallCurve",
        "RocCurve",
        "RocHull",
        "auc_score",
        "precision_recall_curve",
        "roc_curve",
    ),
    "roc_tests": (
        "RocDifferenceTest",
        "VenkatramanTest",
        "partial_auc_difference_test",
        "partial_auc_interval",
        "roc_point_test",
        "venkatraman_test",
    ),
    "selective_risk": (
        "RiskCoverageCurve",
        "RiskCoverageDifference",
        "risk_coverage_curve",
    ),
    "surface_bands": (
        "SurfaceBand",
        "VolumeInterval",
        "surface_band",
        "volume_interval",
    ),
    "surface_tests": (
        "SurfaceDifferenceBand",
        "VolumeComparison",
        "VolumeDifferenceTest",
        "surface_difference_band",
        "volume_comparison",
        "volume_difference_test",
    ),
    "thresholds": (
        "NrocCurve",
        "UnlabelledThreshold",
        "direct_threshold",
        "nroc_curve",
        "nroc_threshold",
        "ranking_threshold",
        "shifted_threshold",
    ),
    "unlabelled": (
        "UnlabelledDecision",
        "unlabelled_decision",
    ),
    "weight_cells": (
        "CellMargin",
        "QuotaWeights",
        "cell_margin",
        "weights_for_counts",
    ),
    "weight_rules": ("ClassWeights",),
    "window_sets": (
        "WindowSet",
        "window_interval",
    ),
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
