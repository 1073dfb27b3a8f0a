"""Write docs/coverage.md: how often each interval demur offers holds the truth, on designs with known truth.

`python tools/coverage_page.py --runs 2000` (make coverage). Every cell has a seed of its own, so a longer run
starts with the samples of a shorter one. `--seconds` bounds the time of one cell; the page says how many
runs each row has. One core.
"""

import argparse
import math
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import quad
from scipy.special import expit, ndtr, ndtri

import demur
from demur import Binormal, auc, calibration, regression, roc

PAGE = Path(__file__).parents[1] / "docs" / "coverage.md"
NOMINAL, LOWEST, HIGHEST = 0.95, 0.93, 0.99
RESAMPLES = 200
MODEL_GAP, CORRELATION = 0.4, 0.5  # the second model: how much less it separates, and how alike it is
MU, NU = 0.5, 0.2

Held = tuple[float, float, float]


class Design(NamedTuple):
    """Normal scores with spread 1 in both classes, and fixed numbers of cases."""

    auc: float
    n_positive: int
    n_negative: int

    @property
    def separation(self) -> float:
        """Distance of the two means."""
        return math.sqrt(2) * float(ndtri(self.auc))

    @property
    def name(self) -> str:
        """Head of a column."""
        return f"{self.auc:g}; {self.n_positive}+{self.n_negative}"

    @property
    def truth(self) -> Binormal:
        """The population with the prevalence of the design."""
        return Binormal(
            separation=self.separation, prevalence=self.n_positive / (self.n_positive + self.n_negative)
        )

    def labels(self) -> Any:
        """Positives first."""
        return np.arange(self.n_positive + self.n_negative) < self.n_positive

    def sample(self, rng: np.random.Generator) -> tuple[Any, Any, Any]:
        """Labels and the scores of two models."""
        y = self.labels()
        first, own = rng.normal(size=(2, len(y)))
        second = CORRELATION * first + math.sqrt(1 - CORRELATION**2) * own
        return y, first + self.separation * y, second + (self.separation - MODEL_GAP) * y


DESIGNS = [
    Design(auc_value, *sizes) for auc_value in (0.75, 0.9, 0.98) for sizes in ((10, 90), (50, 50), (50, 450))
]


def second_auc(design: Design) -> float:
    """True AUC of the second model."""
    return float(ndtr((design.separation - MODEL_GAP) / math.sqrt(2)))


def sensitivity_at(design: Design, specificity: float, shift: float = 0.0) -> float:
    """Height of the true curve."""
    return float(ndtr(design.separation - shift - ndtri(specificity)))


def partial_area(design: Design, max_fpr: float, shift: float = 0.0) -> float:
    """True area up to a false positive rate."""
    return float(quad(lambda x: sensitivity_at(design, 1 - x, shift), 0, max_fpr)[0])


# ---------------------------------------------------------------- what is offered


def aucs(method: str) -> Callable[..., Held]:
    """One AUC by one method."""

    def held(design: Design, y: Any, a: Any, b: Any, rng: Any) -> Held:
        return (*demur.auc_interval(y, a, method=method), design.auc)

    return held


def auc_differences(method: str) -> Callable[..., Held]:
    """Difference of two AUCs on the same cases."""

    def held(design: Design, y: Any, a: Any, b: Any, rng: Any) -> Held:
        test = demur.auc_difference_test(y, a, b, method=method)
        return (*test.interval(NOMINAL), design.auc - second_auc(design))

    return held


def unpaired(design: Design, y: Any, a: Any, b: Any, rng: Any) -> Held:
    """Difference of two AUCs on different cases."""
    other = design.sample(rng)
    test = auc.auc_unpaired_test(y, a, other[0], other[2])
    return (*test.interval(NOMINAL), design.auc - second_auc(design))


def clustered(design: Design, y: Any, a: Any, b: Any, rng: Any) -> Held:
    """AUC of cases in clusters of 5 within a class that share half of their variance."""
    group = np.arange(len(y)) // 5
    shared = rng.normal(size=group[-1] + 1)[group]
    noise = math.sqrt(0.5) * (shared + rng.normal(size=len(y)))
    return (*auc.auc_cluster_interval(y, noise + design.separation * y, groups=group), design.auc)


def partial(design: Design, y: Any, a: Any, b: Any, rng: Any) -> Held:
    """Partial AUC up to a false positive rate of 0.2."""
    found = auc.partial_auc_interval(y, a, max_fpr=0.2, n_resamples=RESAMPLES, rng=rng)
    return (*found, partial_area(design, 0.2))


def partial_difference(design: Design, y: Any, a: Any, b: Any, rng: Any) -> Held:
    """Difference of two partial AUCs."""
    test = auc.partial_auc_difference_test(y, a, b, max_fpr=0.2, n_resamples=RESAMPLES, rng=rng)
    return (*test.interval(NOMINAL), partial_area(design, 0.2) - partial_area(design, 0.2, MODEL_GAP))


def point_difference(design: Design, y: Any, a: Any, b: Any, rng: Any) -> Held:
    """Difference of two sensitivities at specificity 0.9."""
    test = auc.roc_point_test(y, a, b, specificity=0.9, n_resamples=RESAMPLES, rng=rng)
    gap = sensitivity_at(design, 0.9) - sensitivity_at(design, 0.9, MODEL_GAP)
    return (*test.interval(NOMINAL), gap)


def curve_point(design: Design, y: Any, a: Any, b: Any, rng: Any) -> Held:
    """Sensitivity of the true curve at specificity 0.9."""
    found = roc.roc_interval(y, a, specificity=0.9)
    return float(found.low), float(found.high), sensitivity_at(design, 0.9)


def at_threshold(measure: str, threshold: Any = None) -> Callable[..., Held]:
    """A measure of a threshold: halfway between the means, or chosen on the sample."""

    def held(design: Design, y: Any, a: Any, b: Any, rng: Any) -> Held:
        cut = design.separation / 2 if threshold is None else threshold
        point = roc.operating_point(y, a, threshold=cut, n_resamples=40, rng=rng, prevalence=0.1)
        se, sp = float(ndtr(design.separation - point.threshold)), float(ndtr(point.threshold))
        called = 0.1 * se + 0.9 * (1 - sp)
        truth = {
            "sensitivity": se,
            "specificity": sp,
            "ppv": 0.1 * se / called,
            "npv": 0.9 * sp / (1 - called),
            "accuracy": 0.1 * se + 0.9 * sp,
            "youden": se + sp - 1,
            "lr_positive": se / (1 - sp),
            "odds_ratio": se * sp / ((1 - se) * (1 - sp)),
            "f1": 0.2 * se / (called + 0.1),
            "phi": (se + sp - 1) * math.sqrt(0.09 / (called * (1 - called))),
        }
        return (*point.interval(measure), truth[measure])

    return held


def slope(design: Design, y: Any, a: Any, b: Any, rng: Any) -> Held:
    """Calibration slope of log-odds that are twice too large."""
    size = len(y)
    log_odds = math.log(design.n_positive / design.n_negative) + rng.normal(size=size) * design.separation
    outcome = rng.random(size) < expit(log_odds)
    if outcome.all() or not outcome.any():
        return 0.0, 1.0, 0.5
    try:
        found = calibration.calibration_slope(outcome, np.clip(expit(2 * log_odds), 1e-12, 1 - 1e-12))
    except demur.UndefinedError:  # separated classes: the slope may be anything
        return 0.0, math.inf, 0.5
    return (*found.slope_interval, 0.5)


def net_benefit(design: Design, y: Any, a: Any, b: Any, rng: Any) -> Held:
    """Net benefit at threshold probability 0.2 of the true probabilities."""
    rate = design.truth.prevalence
    log_odds = math.log(rate / (1 - rate)) + design.separation * (a - design.separation / 2)
    cut = float(design.truth.threshold(0.2))
    hit, alarm = float(ndtr(design.separation - cut)), float(ndtr(-cut))
    found = demur.net_benefit_curve(y, expit(log_odds), prevalence=rate).interval(0.2)
    return (*found, rate * hit - (1 - rate) * alarm * 0.25)


def honest_cost(design: Design, y: Any, a: Any, b: Any, rng: Any) -> Held:
    """Honest cost of the window of one cost point, against that of the window in use."""
    surface = demur.cross_fitted_surface(y, a, rng=rng)
    window = surface.surface.window(MU, NU)
    return (*surface.interval(MU, NU), float(design.truth.window_cost(window.lower, window.upper, MU, NU)))


def volume(design: Design, y: Any, a: Any, b: Any, rng: Any) -> Held:
    """Volume under the surface of the population."""
    found = demur.volume_interval(y, a, rng=rng)
    return found.low, found.high, design.truth.volume()


def mean_error(method: str) -> Callable[..., Held]:
    """Area over the REC curve of log-normal errors; as many cases as the design has."""

    def held(design: Design, y: Any, a: Any, b: Any, rng: Any) -> Held:
        errors = np.exp(rng.normal(size=len(y)))
        found = regression.aoc_interval(
            np.zeros(len(y)), errors, method=method, n_resamples=RESAMPLES, rng=rng
        )
        return (*found, math.exp(0.5))

    return held


def tango(design: Design, y: Any, a: Any, b: Any, rng: Any) -> Held:
    """Difference of two error rates on the same cases."""
    size = len(y)
    only_first, only_second, _ = rng.multinomial(
        size, [1 - design.auc, (1 - design.auc) / 3, 1 - 4 / 3 * (1 - design.auc)]
    )
    found = roc.tango_interval(only_first, only_second, size)
    return float(found.low), float(found.high), (1 - design.auc) * 2 / 3


ROWS: dict[str, Callable[..., Held]] = {
    "`auc_interval`": aucs("score"),
    "`auc_interval(method='newcombe')`": aucs("newcombe"),
    "`auc_interval(method='logit')`": aucs("logit"),
    "`auc_interval(method='wald')`": aucs("wald"),
    "`auc_difference_test().interval`": auc_differences("permutation"),
    "`auc_difference_test(method='delong').interval`": auc_differences("delong"),
    "`auc_unpaired_test().interval`": unpaired,
    "`auc_cluster_interval`": clustered,
    "`partial_auc_interval`": partial,
    "`partial_auc_difference_test().interval`": partial_difference,
    "`roc_point_test().interval`": point_difference,
    "`roc_interval(specificity=0.9)`": curve_point,
    "`operating_point`: sensitivity": at_threshold("sensitivity"),
    "`operating_point`: specificity": at_threshold("specificity"),
    "`operating_point`: ppv": at_threshold("ppv"),
    "`operating_point`: npv": at_threshold("npv"),
    "`operating_point`: accuracy": at_threshold("accuracy"),
    "`operating_point`: youden": at_threshold("youden"),
    "`operating_point`: lr_positive": at_threshold("lr_positive"),
    "`operating_point`: odds_ratio": at_threshold("odds_ratio"),
    "`operating_point`: f1": at_threshold("f1"),
    "`operating_point`: phi": at_threshold("phi"),
    "`operating_point(threshold='youden')`: sensitivity": at_threshold("sensitivity", "youden"),
    "`operating_point(threshold='youden')`: specificity": at_threshold("specificity", "youden"),
    "`calibration_slope`": slope,
    "`net_benefit_curve().interval`": net_benefit,
    "`tango_interval`": tango,
    "`cross_fitted_surface().interval`": honest_cost,
    "`volume_interval`": volume,
    "`aoc_interval`": mean_error("bootstrap-t"),
}


# ---------------------------------------------------------------- words

WIDTH = 115
INTRODUCTION = (
    "How often each interval holds the truth, nominal 0.95. Scores are normal with equal spreads; a "
    "column is a true AUC and the numbers of positives and negatives. Cells below 0.93 or above 0.99 "
    "are marked: a low one is too short there, a high one cautious. `make coverage` writes this page "
    "with fixed seeds. A row says how many samples each of its cells has at least: a share of 0.95 is "
    f"known to 0.005 with 2000 samples, to 0.022 with 100. Bootstrap intervals use {RESAMPLES} resamples "
    "here."
)
NOTES = (
    "`auc_interval(method='logit')` and `'wald'` are kept for comparison with other software; the "
    "default replaced them because of these numbers. Where one class is spread twice as wide as the "
    "other, Newcombe's interval falls to 0.85, the default to 0.93.",
    "Exact intervals (`roc_interval`, sensitivity and specificity) hold at least their level by "
    "construction, so they are often marked as cautious: a small count takes few values.",
    "`auc_cluster_interval`: clusters of 5 cases of one class, so that 10 positives are 2 clusters.",
    "`calibration_slope` takes as many cases as the design has, log-odds with the spread of its "
    "separation; samples that separate the classes have no slope and count as covered.",
    "`aoc_interval` takes as many log-normal errors as the design has cases; the AUC plays no part.",
    "`cross_fitted_surface`: the cost of the window in use at mu = 0.5, nu = 0.2; `operating_point`: a "
    "threshold halfway between the means and a prevalence of 0.1 in use.",
)


# ---------------------------------------------------------------- running and writing


class Cell(NamedTuple):
    """One interval on one design."""

    share: float
    width: float
    runs: int

    @property
    def words(self) -> str:
        """Text of the cell, marked if it surprises."""
        share = round(self.share, 3)  # what is shown decides
        mark = " (low)" if share < LOWEST else " (high)" if share > HIGHEST else ""
        return f"{'**' if mark else ''}{share:.3f}{mark}{'**' if mark else ''}"


def cell(held: Callable[..., Held], row: int, column: int, *, runs: int, seconds: float) -> Cell:
    """Repeat samples of one design until there are enough, or time is up (100 at least)."""
    design, rng = DESIGNS[column], np.random.default_rng([20, row, column])
    inside, widths, begin = 0, [], time.monotonic()
    done = 0
    while done < runs and (done < 100 or time.monotonic() - begin < seconds):
        low, high, truth = held(design, *design.sample(rng), rng)
        inside += low - 1e-12 <= truth <= high + 1e-12
        widths.append(high - low)
        done += 1
    return Cell(inside / done, float(np.median(widths)), done)


def page(runs: int, seconds: float) -> Iterator[str]:
    """Lines of the page."""
    yield "# What intervals cover"
    yield ""
    yield from textwrap.wrap(INTRODUCTION, WIDTH)
    yield ""
    yield f"| interval | samples | {' | '.join(design.name for design in DESIGNS)} |"
    yield "|---" * (len(DESIGNS) + 2) + "|"
    marked: list[str] = []
    for row, (name, held) in enumerate(ROWS.items()):
        cells = [cell(held, row, k, runs=runs, seconds=seconds) for k in range(len(DESIGNS))]
        print(name, " ".join(f"{c.share:.3f}" for c in cells), min(c.runs for c in cells), flush=True)
        yield f"| {name} | {min(c.runs for c in cells)} | {' | '.join(c.words for c in cells)} |"
        low = sum("(low)" in c.words for c in cells)
        if low:
            marked.append(f"{name} ({low} of {len(cells)})")
    yield ""
    for note in NOTES:
        yield from textwrap.wrap(f"- {note}", WIDTH, subsequent_indent="  ")
    yield ""
    yield from textwrap.wrap(f"Rows with a cell below 0.93: {', '.join(marked) or 'none'}.", WIDTH)


def main() -> None:
    """Write the page."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=2000, help="samples per cell")
    options.add_argument("--seconds", type=float, default=60.0, help="most time for one cell")
    options.add_argument("--output", type=Path, default=PAGE)
    given = options.parse_args()
    given.output.write_text("\n".join(page(given.runs, given.seconds)) + "\n")


if __name__ == "__main__":
    main()
