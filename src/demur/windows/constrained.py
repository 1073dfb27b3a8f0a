"""Description of windows under limits or promises."""

from __future__ import annotations

import math

import numpy as np

from demur._checks import check_prevalence
from demur._kernels.thresholds import thresholds_at
from demur._kernels.window_search import CutMasses
from demur.counts.scores import ScoreCounts
from demur.counts.window import AbstentionWindow
from demur.roc.isometrics import Precision, Target, check_skew, check_target_value

__all__ = [
    "class_factors",
    "cost_ratio_of",
    "own_prevalence",
    "precision_promises",
    "vacuous_note",
    "window_of_cuts",
]

# judges decisions nothing was promised for; its value is not used
_ANY_PRECISION = Precision(1.0)


def own_prevalence(counts: ScoreCounts, prevalence: float) -> bool:
    """Whether a prevalence is that of the cases, up to rounding."""
    return math.isclose(prevalence, counts.prevalence, rel_tol=1e-12)


def class_factors(counts: ScoreCounts, prevalence: float | None) -> tuple[float, float]:
    """Return the class weights that turn the sample into one of the prevalence in use.

    1 and 1 for the sample's own prevalence, so that whole-number counts stay exact.
    """
    rate = check_prevalence(prevalence, positives=counts.n_positive, negatives=counts.n_negative)
    if prevalence is None or own_prevalence(counts, prevalence):
        return 1.0, 1.0
    sizes = (rate, counts.n_positive), (1 - rate, counts.n_negative)
    first, second = (share * counts.n / size if size else 0.0 for share, size in sizes)
    return first, second


def window_of_cuts(
    counts: ScoreCounts,
    masses: CutMasses,
    i: int,
    j: int,
    *,
    positive: Target | None = None,
    negative: Target | None = None,
    cost_ratio: float = 1.0,
    prevalence: float | None = None,
) -> AbstentionWindow:
    """Describe the window with i distinct scores called negative and all from j on positive.

    `masses` are those of the counts, times the `class_factors` of the prevalence.
    """
    n = counts.n
    fn, tn = float(masses.positive_below[i]), float(masses.negative_below[i])
    tp, fp = float(masses.positive_above[j]), float(masses.negative_above[j])
    kept = float(masses.positive_below[j]) - fn, float(masses.negative_below[j]) - tn
    decided = tp + fn, cost_ratio * (fp + tn)
    reached = (
        (positive or _ANY_PRECISION).performance(tp, cost_ratio * fp, *decided),
        (negative or _ANY_PRECISION).performance(cost_ratio * tn, fn, *decided[::-1]),
    )
    lower, upper = thresholds_at(counts.scores, counts.upper_scores, i, j)
    return AbstentionWindow(
        about="limits",
        lower=lower,
        upper=upper,
        cost=math.nan,
        expected_cost=math.nan,
        fn=fn / n,
        fp=fp / n,
        abstention_rate=min((kept[0] + kept[1]) / n, 1.0),
        abstained_positive=kept[0] / n,
        abstained_negative=kept[1] / n,
        lower_index=i,
        upper_index=j,
        mu=math.nan,
        nu_positive=math.nan,
        nu_negative=math.nan,
        prevalence=counts.prevalence if prevalence is None else float(prevalence),
        positive_performance=None if np.isnan(reached[0]) else float(reached[0]),
        negative_performance=None if np.isnan(reached[1]) else float(reached[1]),
    )


def vacuous_note(
    window: AbstentionWindow,
    masses: CutMasses,
    targets: tuple[Target | None, Target | None],
    cost_ratio: float = 1.0,
) -> str:
    """Say which promise is vacuous and how far decisions of that kind alone could go."""
    kinds = (
        ("positive", window.positive_performance, (masses.positive_above, masses.negative_above)),
        ("negative", window.negative_performance, (masses.negative_below, masses.positive_below)),
    )
    lines = []
    for target, (word, reached, decided) in zip(targets, kinds, strict=True):
        if target is None or reached is not None:
            continue
        if window.confidence_level is not None:
            lines.append(
                f"No {word} decision is made: no threshold has {target.metric} {target.value:g} with "
                f"confidence {window.confidence_level:g} on these cases."
            )
        else:
            weights = (1.0, cost_ratio) if word == "positive" else (cost_ratio, 1.0)
            hits, alarms = (weight * column for weight, column in zip(weights, decided, strict=True))
            best = float(np.nanmax(target.performance(hits, alarms, hits, alarms)))
            lines.append(
                f"No {word} decision is made; alone, {word} decisions reach at most "
                f"{target.metric} {best:.4g} here, {target.value:g} was asked for."
            )
    return " ".join(lines)


def precision_promises(
    positive: float | None, negative: float | None
) -> tuple[Precision | None, Precision | None]:
    """Return the targets of the arguments min_precision_positive and min_precision_negative."""
    given = (positive, "min_precision_positive"), (negative, "min_precision_negative")
    first, second = (
        None if value is None else Precision(check_target_value(value, name)) for value, name in given
    )
    return first, second


def cost_ratio_of(counts: ScoreCounts, skew: float | None) -> float:
    """Return the weight of a negative, relative to a positive, that gives the sample this skew."""
    return 1.0 if skew is None else check_skew(skew) * counts.n_positive / counts.n_negative
