"""Costs measured on cases not used to choose the rule, with intervals, bands, tests and certificates.

A surface is a minimum over windows, so on the cases that chose the windows it is too small. This
room splits the cases into folds, chooses on nine and scores on the tenth (`cross_fitting`), turns
the fold tables into bands and paired tests, and bounds the true cost without asymptotics
(`certificates`).

Imports: paired, windows, surface, roc, costs, counts.
"""

from typing import TYPE_CHECKING

from demur._rooms import on_demand

if TYPE_CHECKING:
    from demur.honest.bands import SurfaceBand, VolumeInterval, surface_band, volume_interval
    from demur.honest.certificates import CertifiedWindow, SurfaceCertificate, surface_certificate
    from demur.honest.combinations import CombinationCosts, GuardedCost, combination_costs, guarded_cost
    from demur.honest.cross_fitting import CrossFittedSurface, cross_fitted_surface
    from demur.honest.curve_bands import CostCurveBand, cost_curve_band
    from demur.honest.difference import SurfaceDifferenceBand, surface_difference_band
    from demur.honest.distributions import distribution_bounds
    from demur.honest.expected_cost import ExpectedCost
    from demur.honest.held_out import HonestRates
    from demur.honest.roc_bands import RocBand, roc_band
    from demur.honest.volume_difference import (
        VolumeComparison,
        VolumeDifferenceTest,
        volume_comparison,
        volume_difference_test,
    )
    from demur.honest.window_sets import WindowSet, window_interval

__all__ = [
    "CertifiedWindow",
    "CombinationCosts",
    "CostCurveBand",
    "CrossFittedSurface",
    "ExpectedCost",
    "GuardedCost",
    "HonestRates",
    "RocBand",
    "SurfaceBand",
    "SurfaceCertificate",
    "SurfaceDifferenceBand",
    "VolumeComparison",
    "VolumeDifferenceTest",
    "VolumeInterval",
    "WindowSet",
    "combination_costs",
    "cost_curve_band",
    "cross_fitted_surface",
    "distribution_bounds",
    "guarded_cost",
    "roc_band",
    "surface_band",
    "surface_certificate",
    "surface_difference_band",
    "volume_comparison",
    "volume_difference_test",
    "volume_interval",
    "window_interval",
]

__getattr__, __dir__ = on_demand(__name__, __file__)
