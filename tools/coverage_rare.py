"""The section of the page of coverage on rare errors: honest intervals where a sample may show none."""

import itertools
import time
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from coverage_rows import INSIDE, RESAMPLES, Design, Held, best_area, holds
from scipy.special import ndtri

from demur import Binormal, honest
from demur._kernels.jit import whole_job

__all__ = ["COLUMNS", "POPULATIONS", "WORDS", "Population", "samples_of"]

MU, NU = 1.0, 0.25
COLUMNS = (
    "best cost",
    "cost in use",
    "`surface_band`",
    "`volume_interval`",
    "area",
)
WORDS = (
    "Near-perfect scores and rare positives, where a sample may show no error at all. A row is the true AUC, "
    "the prevalence and the number of cases, which are drawn with their classes: samples with fewer than two "
    "cases of a class are left out. A cell is the share of samples whose interval holds the truth and, "
    "behind the stroke, the median width. Best cost and cost in use: `cross_fitted_surface().interval` at "
    "mu = 1, nu = 0.25 against the cost of the population's best window and against that of the window in "
    "use. `surface_band`: the surface at 8 x 8 costs; its width is the mean over them. Area: that of "
    "`cost_curve_band`."
)


class Population(NamedTuple):
    """Normal scores of spread 1 in both classes, and a number of cases drawn from them."""

    auc: float
    prevalence: float
    n: int

    @property
    def name(self) -> str:
        """Head of a row."""
        return f"{self.auc:g}; {self.prevalence:g}; {self.n}"

    @property
    def truth(self) -> Binormal:
        """The population."""
        return Binormal(separation=np.sqrt(2) * float(ndtri(self.auc)), prevalence=self.prevalence)


POPULATIONS = [
    Population(*row)
    for row in itertools.product((0.9, 0.96, 0.993, 0.9993), (0.5, 0.1, 0.02), (100, 300, 1000))
]


@cache
def _volume(place: Population) -> float:
    return place.truth.volume()


def _intervals(place: Population, y: Any, s: Any, rng: np.random.Generator) -> list[Held]:
    """Every interval of one sample, in the order of the columns, with the truth."""
    truth = place.truth
    surface = honest.cross_fitted_surface(y, s, rng=rng)
    low, high = surface.interval(MU, NU)
    window = surface.surface.window(MU, NU)
    in_use = float(truth.window_cost(window.lower, window.upper, MU, NU))
    volume = honest.volume_interval(y, s, rng=rng)
    band = honest.surface_band(
        y, s, resolution=7, mu=(1 / 8, 1.0), nu=(1 / 16, 1 / 2), n_resamples=RESAMPLES, rng=rng
    )
    exact = np.asarray(truth.cost(band.mu[:, None], band.nu[None, :]))
    width = float(np.mean(band.high - band.low))
    # as an interval of that width which holds 0 or does not
    whole = (0.0, width, 0.0) if holds(band.low, band.high, exact) == INSIDE else (0.0, width, -1.0)
    # nothing is drawn for the area
    curve = honest.cost_curve_band(y, s, n_resamples=2, rng=rng)
    return [
        (low, high, float(truth.cost(MU, NU))),
        (low, high, in_use),
        whole,
        (volume.low, volume.high, _volume(place)),
        (*curve.area_interval, best_area(Design(place.auc, 1, 1))),
    ]


def samples_of(at: int, *, runs: int, seconds: float, fewest: int) -> tuple[Any, Any, int]:
    """Shares that hold, median widths, and how many samples there were; one of each per column."""
    place, rng, begin = POPULATIONS[at], np.random.default_rng([22, at]), time.monotonic()
    inside, widths = np.zeros(len(COLUMNS)), []
    with whole_job(runs * place.n):
        while len(widths) < runs and (len(widths) < fewest or time.monotonic() - begin < seconds):
            y, s = place.truth.sample(place.n, rng=rng)
            if min(y.sum(), place.n - y.sum()) < 2:
                continue
            found = _intervals(place, y, s, rng)
            inside += [low - 1e-12 <= truth <= high + 1e-12 for low, high, truth in found]
            widths.append([high - low for low, high, _ in found])
    return inside / len(widths), np.median(widths, axis=0), len(widths)
