"""The abstention cost surface: the smallest cost of any window, for all costs at once.

After Friedel, Rueckert, Kramer (2006). `window` holds the two thresholds and how to apply them,
`masses` the running sums every other room may use, `surface` the surface itself, `regions` the
cells and exact differences, `optimal_costs` where one window stays the cheapest, `bounds` what
binned counts can say.

Imports: roc, costs, counts.
"""

from typing import TYPE_CHECKING

from demur._rooms import on_demand

if TYPE_CHECKING:
    from demur.surface.bounds import BoundedWindow, CountBounds, count_bounds
    from demur.surface.noise import NoiseResponse, vacc_noise_response
    from demur.surface.optimal_costs import OptimalCosts
    from demur.surface.regions import SurfaceCells, SurfaceDifference
    from demur.surface.surface import (
        AbstentionSurface,
        MeanRates,
        SurfaceGrid,
        abstention_surface,
    )
    from demur.surface.volume import plugin_vacc_score, vacc_score
    from demur.surface.window import ABSTAIN, AbstentionWindow, decide

__all__ = [
    "ABSTAIN",
    "AbstentionSurface",
    "AbstentionWindow",
    "BoundedWindow",
    "CountBounds",
    "MeanRates",
    "NoiseResponse",
    "OptimalCosts",
    "SurfaceCells",
    "SurfaceDifference",
    "SurfaceGrid",
    "abstention_surface",
    "count_bounds",
    "decide",
    "plugin_vacc_score",
    "vacc_noise_response",
    "vacc_score",
]

__getattr__, __dir__ = on_demand(__name__, __file__)
