"""Which threshold of a ROC curve, and how much choosing it on the same cases flatters its rates."""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from demur._checks import check_number, check_rate, input_error
from demur.counts.scores import ScoreCounts
from demur.typing import FloatArray

__all__ = ["Choice", "HasCostRatio", "chosen", "hits_and_alarms", "optimism"]

_ROUNDING = 1e-12
CRITERIA = ("youden", "closest")


class HasCostRatio(Protocol):
    """Costs of errors, such as a `CostModel`."""

    @property
    def mu(self) -> float:
        """Cost of a false alarm relative to that of a miss."""


class Choice(NamedTuple):
    """A rule that picks one threshold of a curve.

    words
        The rule in words.
    pick
        Position among the thresholds, given the true and false positive rates.
    both_classes
        Whether the choice looks at both classes; then its rates are flattered.
    """

    words: str
    pick: Callable[[FloatArray, FloatArray], int]
    both_classes: bool


def chosen(
    counts: ScoreCounts,
    threshold: float | str | None,
    sensitivity: float | None,
    specificity: float | None,
    costs: HasCostRatio | None,
    prevalence: float,
) -> Choice:
    """Return the rule asked for; exactly one of the first four must be given."""
    given = {
        "threshold": threshold,
        "sensitivity": sensitivity,
        "specificity": specificity,
        "costs": costs,
    }
    named = [name for name, value in given.items() if value is not None]
    if len(named) != 1:
        raise input_error(
            "threshold, sensitivity, specificity and costs",
            "must be given one at a time",
            " and ".join(named) or "none",
            "threshold=0.5 for a threshold fixed in advance, threshold='youden' to choose one.",
        )
    if threshold is not None:
        return _by_threshold(counts, threshold)
    if sensitivity is not None:
        rate = check_rate(sensitivity, "sensitivity")
        return Choice(
            f"the highest threshold with a sensitivity of at least {rate:g}",
            lambda tpr, fpr: int(np.argmax(tpr >= rate - _ROUNDING)),
            both_classes=False,
        )
    if specificity is not None:
        rate = check_rate(specificity, "specificity")
        return Choice(
            f"the lowest threshold with a specificity of at least {rate:g}",
            lambda tpr, fpr: int(np.flatnonzero(1 - fpr >= rate - _ROUNDING)[-1]),
            both_classes=False,
        )
    mu = _cost_ratio(costs)
    return Choice(
        f"the smallest expected cost, a false alarm costing {mu:g} misses",
        lambda tpr, fpr: int(np.argmin(prevalence * (1 - tpr) + (1 - prevalence) * mu * fpr)),
        both_classes=True,
    )


def _by_threshold(counts: ScoreCounts, threshold: Any) -> Choice:
    if isinstance(threshold, str):
        if threshold not in CRITERIA:
            wanted = "must be a number or one of " + ", ".join(map(repr, CRITERIA))
            raise input_error("threshold", wanted, repr(threshold))
        if threshold == "youden":
            return Choice(
                "the largest sensitivity + specificity - 1",
                lambda tpr, fpr: int(np.argmax(np.round(tpr - fpr, 12))),
                both_classes=True,
            )
        return Choice(
            "the point closest to the corner (0, 1)",
            lambda tpr, fpr: int(np.argmin(np.round((1 - tpr) ** 2 + fpr**2, 12))),
            both_classes=True,
        )
    # infinities are thresholds too: nobody, or everybody, is called positive
    value = float(threshold) if np.isinf(threshold) else check_number(threshold, "threshold")
    position = len(counts.scores) - int(np.searchsorted(counts.scores, value, side="left"))
    return Choice(f"the threshold {value:g}, fixed in advance", lambda tpr, fpr: position, both_classes=False)


def _cost_ratio(costs: Any) -> float:
    mu = getattr(costs, "mu", None)
    if mu is None:
        raise input_error(
            "costs", "must be a CostModel", type(costs).__name__, "CostModel(cost_fn=5, cost_fp=1)."
        )
    return float(mu)


def hits_and_alarms(positives: Any, negatives: Any) -> tuple[FloatArray, FloatArray]:
    """Rates of both classes called positive at every threshold, from none to all."""
    tpr, fpr = (np.concatenate([[0.0], np.cumsum(part[::-1])]) for part in (positives, negatives))
    return tpr / tpr[-1], fpr / fpr[-1]


def optimism(
    counts: ScoreCounts,
    choice: Choice,
    sizes: tuple[float, float],
    *,
    n_resamples: int,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """How much too high the true positive rate and the specificity of a chosen threshold look.

    Mean over resamples of what the threshold chosen there shows there minus what it shows on the
    sample (Efron and Gong 1983). `sizes`: numbers of positives and negatives to draw.
    """
    shares = counts.positives / counts.n_positive, counts.negatives / counts.n_negative
    tpr, fpr = hits_and_alarms(*shares)
    total = np.zeros(2)
    for _ in range(n_resamples):
        drawn = [rng.multinomial(int(n), part) for n, part in zip(sizes, shares, strict=True)]
        tpr_drawn, fpr_drawn = hits_and_alarms(*drawn)
        at = choice.pick(tpr_drawn, fpr_drawn)
        total += tpr_drawn[at] - tpr[at], fpr[at] - fpr_drawn[at]
    return float(total[0] / n_resamples), float(total[1] / n_resamples)
