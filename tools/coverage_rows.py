"""What the page of coverage tries: designs with known truth, and every interval and band demur offers."""

import math
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import quad
from scipy.special import expit, ndtr, ndtri

import demur
from demur import Binormal, auc, calibration, honest, ordinal, regression, roc

__all__ = ["DESIGNS", "LAWS", "METHODS", "NOMINAL", "RESAMPLES", "ROWS", "Design", "Law", "Row", "second_auc"]

NOMINAL = 0.95
RESAMPLES = 200
MODEL_GAP, CORRELATION = 0.4, 0.5  # the second model: how much less it separates, and how alike it is
MU, NU = 0.5, 0.2

Held = tuple[float, float, float]


class Row(NamedTuple):
    """One part of what a call gives; rows of one call share its samples."""

    call: Callable[..., dict[str, Held]]
    part: str = ""


def alone(held: Callable[..., Held]) -> Row:
    """A call that gives one interval."""
    return Row(lambda *sample: {"": held(*sample)})


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


@cache
def sensitivity_at(design: Design, specificity: float, shift: float = 0.0) -> float:
    """Height of the true curve."""
    return float(ndtr(design.separation - shift - ndtri(specificity)))


@cache
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


def clustered(design: Design, y: Any, a: Any, b: Any, rng: Any) -> dict[str, Held]:
    """AUCs of cases in clusters of 5 within a class that share half of their variance."""
    group = np.arange(len(y)) // 5
    shared = rng.normal(size=group[-1] + 1)[group]
    noise = math.sqrt(0.5) * (shared + rng.normal(size=(2, len(y))))
    first, second = noise[0] + design.separation * y, noise[1] + (design.separation - MODEL_GAP) * y
    test = demur.auc_difference_test(y, first, second, method="delong", groups=group)
    return {
        "one": (*auc.auc_cluster_interval(y, first, groups=group), design.auc),
        "wald": (*test.interval(NOMINAL), design.auc - second_auc(design)),
        "score": (*test.interval(NOMINAL, method="score"), design.auc - second_auc(design)),
    }


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


def curve_point(design: Design, y: Any, a: Any, b: Any, rng: Any) -> dict[str, Held]:
    """Sensitivity of the true curve at specificity 0.9, by both methods."""
    truth, found = sensitivity_at(design, 0.9), {}
    for method in ("mover", "exact"):
        limits = roc.roc_interval(y, a, specificity=0.9, method=method)
        found[method] = float(limits.low), float(limits.high), truth
    return found


def at_threshold(threshold: Any = None) -> Callable[..., dict[str, Held]]:
    """Measures of a threshold: halfway between the means, or chosen on the sample."""

    def held(design: Design, y: Any, a: Any, b: Any, rng: Any) -> dict[str, Held]:
        cut = design.separation / 2 if threshold is None else threshold
        point = roc.operating_point(y, a, threshold=cut, n_resamples=40, rng=rng, prevalence=0.1)
        se, sp = float(ndtr(design.separation - point.threshold)), float(ndtr(point.threshold))
        called = 0.1 * se + 0.9 * (1 - sp)
        truth = {"sensitivity": se, "specificity": sp}
        if threshold is None:
            truth |= {
                "ppv": 0.1 * se / called,
                "npv": 0.9 * sp / (1 - called),
                "accuracy": 0.1 * se + 0.9 * sp,
                "youden": se + sp - 1,
                "lr_positive": se / (1 - sp),
                "odds_ratio": se * sp / ((1 - se) * (1 - sp)),
                "f1": 0.2 * se / (called + 0.1),
                "phi": (se + sp - 1) * math.sqrt(0.09 / (called * (1 - called))),
            }
        return {measure: (*point.interval(measure), value) for measure, value in truth.items()}

    return held


HALFWAY, CHOSEN = at_threshold(), at_threshold("youden")


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


ROWS: dict[str, Row] = {
    "`auc_interval`": alone(aucs("score")),
    "`auc_interval(method='newcombe')`": alone(aucs("newcombe")),
    "`auc_interval(method='logit')`": alone(aucs("logit")),
    "`auc_interval(method='wald')`": alone(aucs("wald")),
    "`auc_difference_test().interval`": alone(auc_differences("permutation")),
    "`auc_difference_test(method='delong').interval`": alone(auc_differences("delong")),
    "`auc_unpaired_test().interval`": alone(unpaired),
    "`auc_cluster_interval`": Row(clustered, "one"),
    "`auc_difference_test(groups=).interval`": Row(clustered, "wald"),
    "`auc_difference_test(groups=).interval(method='score')`": Row(clustered, "score"),
    "`partial_auc_interval`": alone(partial),
    "`partial_auc_difference_test().interval`": alone(partial_difference),
    "`roc_point_test().interval`": alone(point_difference),
    "`roc_interval(specificity=0.9)`": Row(curve_point, "mover"),
    "`roc_interval(specificity=0.9, method='exact')`": Row(curve_point, "exact"),
    "`operating_point`: sensitivity": Row(HALFWAY, "sensitivity"),
    "`operating_point`: specificity": Row(HALFWAY, "specificity"),
    "`operating_point`: ppv": Row(HALFWAY, "ppv"),
    "`operating_point`: npv": Row(HALFWAY, "npv"),
    "`operating_point`: accuracy": Row(HALFWAY, "accuracy"),
    "`operating_point`: youden": Row(HALFWAY, "youden"),
    "`operating_point`: lr_positive": Row(HALFWAY, "lr_positive"),
    "`operating_point`: odds_ratio": Row(HALFWAY, "odds_ratio"),
    "`operating_point`: f1": Row(HALFWAY, "f1"),
    "`operating_point`: phi": Row(HALFWAY, "phi"),
    "`operating_point(threshold='youden')`: sensitivity": Row(CHOSEN, "sensitivity"),
    "`operating_point(threshold='youden')`: specificity": Row(CHOSEN, "specificity"),
    "`calibration_slope`": alone(slope),
    "`net_benefit_curve().interval`": alone(net_benefit),
    "`tango_interval`": alone(tango),
    "`cross_fitted_surface().interval`": alone(honest_cost),
    "`volume_interval`": alone(volume),
    "`aoc_interval`": alone(mean_error("bootstrap-t")),
}

# ---------------------------------------------------------------- bands: all points at once

INSIDE, OUTSIDE = (0.0, 1.0, 0.5), (0.0, 1.0, 2.0)


def holds(low: Any, high: Any, truth: Any) -> Held:
    """Whether a whole curve lies within a band."""
    within = np.all((np.asarray(low) - 1e-12 <= truth) & (truth <= np.asarray(high) + 1e-12))
    return INSIDE if within else OUTSIDE


def curve_band(method: str) -> Callable[..., Held]:
    """The true ROC curve, at 400 false positive rates."""

    def held(design: Design, y: Any, a: Any, b: Any, rng: Any) -> Held:
        fpr = np.linspace(0.0, 1.0, 402)[1:-1]
        band = honest.roc_band(y, a, method=method, n_resamples=RESAMPLES, rng=rng)
        return holds(*band.at(fpr), ndtr(design.separation + ndtri(fpr)))

    return held


def best_cost(design: Design, pc: Any) -> Any:
    """Cost of the best threshold of the population at operating points strictly between 0 and 1."""
    cut = design.separation / 2 + np.log((1 - pc) / pc) / design.separation
    return pc * ndtr(cut - design.separation) + (1 - pc) * ndtr(-cut)


@cache
def best_area(design: Design) -> float:
    """The area under that curve."""
    return float(quad(lambda x: best_cost(design, x), 0, 1)[0])


def cost_band(design: Design, y: Any, a: Any, b: Any, rng: Any) -> dict[str, Held]:
    """The cost curve of the population, at 39 operating points, and its area."""
    pc = np.linspace(0.0, 1.0, 41)[1:-1]
    band = honest.cost_curve_band(y, a, pc=pc, n_resamples=RESAMPLES, rng=rng)
    return {
        "curve": holds(band.low, band.high, best_cost(design, pc)),
        "area": (*band.area_interval, best_area(design)),
    }


def whole_surface(design: Design, y: Any, a: Any, b: Any, rng: Any) -> Held:
    """The surface of the population, at 11 x 11 costs."""
    band = honest.surface_band(y, a, resolution=10, n_resamples=RESAMPLES, rng=rng)
    return holds(band.low, band.high, np.asarray(design.truth.cost(band.mu[:, None], band.nu[None, :])))


def smooth_area(method: str) -> Callable[..., Held]:
    """AUC of a smooth curve."""

    def held(design: Design, y: Any, a: Any, b: Any, rng: Any) -> Held:
        try:
            found = roc.smooth_roc(y, a, method=method)
        except demur.UndefinedError:  # separated classes have no fit
            return INSIDE
        return (*found.auc_interval, design.auc)

    return held


def ordered_levels(design: Design, y: Any, a: Any, b: Any, rng: Any) -> Held:
    """Difference of two VUS of three levels: the positives highest, the negatives in two halves."""
    level = np.where(y, 2, np.arange(len(y)) % 2)
    means = [np.array([0.0, gap / 2, gap]) for gap in (design.separation, design.separation - MODEL_GAP)]
    truth = [ordinal.normal_population(mean).vus for mean in means]
    scores = [
        s - s_mean + mean[level] for s, s_mean, mean in zip((a, b), _shifts(design, y), means, strict=True)
    ]
    test = ordinal.vus_difference_test(level, *scores)
    return (*test.interval(NOMINAL), truth[0] - truth[1])


def _shifts(design: Design, y: Any) -> tuple[Any, Any]:
    return design.separation * y, (design.separation - MODEL_GAP) * y


def error_curve(method: str) -> Callable[..., Held]:
    """REC curve of log-normal errors: all tolerances at once, or the tolerance 1."""

    def held(design: Design, y: Any, a: Any, b: Any, rng: Any) -> Held:
        errors = np.exp(rng.normal(size=len(y)))
        band = regression.rec_band(regression.rec_curve(np.zeros(len(y)), errors), method=method)
        if method == "clopper-pearson":
            at = int(np.searchsorted(band.tolerance, 1.0, side="right")) - 1
            return float(band.low[at]), float(band.high[at]), 0.5
        # the band is constant between errors, so its ends meet the curve at both ends of a step
        truth = ndtr(np.log(np.maximum(band.tolerance, 1e-300)))
        after = np.append(truth[1:], 1.0)
        return holds(np.maximum(band.low, 0.0), 1.0, truth) if np.all(after <= band.high + 1e-12) else OUTSIDE

    return held


def unpaired_scores(design: Design, y: Any, a: Any, b: Any, rng: Any) -> Held:
    """Difference of two AUCs on different cases, from two score intervals."""
    other = design.sample(rng)
    test = auc.auc_unpaired_test(y, a, other[0], other[2])
    return (*test.interval(NOMINAL, method="score"), design.auc - second_auc(design))


# a row keeps its place, which is part of its seed: new rows come last
ROWS |= {
    "`auc_unpaired_test().interval(method='score')`": alone(unpaired_scores),
    "`roc_band`": alone(curve_band("order statistics")),
    "`roc_band(method='fixed width')`": alone(curve_band("fixed width")),
    "`cost_curve_band`": Row(cost_band, "curve"),
    "`cost_curve_band().area_interval`": Row(cost_band, "area"),
    "`surface_band`": alone(whole_surface),
    "`smooth_roc`": alone(smooth_area("binormal")),
    "`smooth_roc(method='kernel')`": alone(smooth_area("kernel")),
    "`vus_difference_test().interval`": alone(ordered_levels),
    "`rec_band`": alone(error_curve("dkw")),
    "`rec_band(method='clopper-pearson')` at one tolerance": alone(error_curve("clopper-pearson")),
}


# ---------------------------------------------------------------- one AUC under four laws

METHODS = ("score", "newcombe", "logit", "wald")


class Law(NamedTuple):
    """A law of the scores with a known AUC."""

    name: str
    spread: float
    """Of the positives, that of the negatives being 1; 0 stands for exponential scores."""

    def sample(self, auc_value: float, n_positive: int, n_negative: int, rng: np.random.Generator) -> Any:
        """Labels and scores."""
        y = np.arange(n_positive + n_negative) < n_positive
        if self.spread == 0:  # P(positive > negative) = scale / (scale + 1)
            return y, rng.exponential(size=len(y)) * np.where(y, auc_value / (1 - auc_value), 1.0)
        shift = math.sqrt(1 + self.spread**2) * float(ndtri(auc_value))
        return y, np.where(y, shift + self.spread * rng.normal(size=len(y)), rng.normal(size=len(y)))


LAWS = (
    Law("normal, equal spreads", 1.0),
    Law("normal, positives twice as wide", 2.0),
    Law("normal, positives half as wide", 0.5),
    Law("exponential", 0.0),
)
