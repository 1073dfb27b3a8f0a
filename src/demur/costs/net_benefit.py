"""Net benefit (decision curves): the cost curve in the unit of true positives."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import check_finite, check_prevalence, input_error
from demur._results import Result, as_scalar
from demur.costs.curves import CostCurve, cost_curve
from demur.counts.scores import ScoreCounts, as_counts
from demur.typing import ArrayLike, FloatArray, Labels, Scalar

__all__ = ["NetBenefitCurve", "net_benefit_curve"]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class NetBenefitCurve(Result):
    """Net benefit against the threshold probability; the higher the better.

    `net_benefit` uses the best threshold of the scores at each point, `plug_in` uses the scores
    as probabilities, as decision curves are usually drawn.
    """

    curve: CostCurve
    prevalence: float
    _evidence = ("curve",)

    def net_benefit(self, threshold_probability: ArrayLike) -> Scalar:
        """Return the largest net benefit any threshold of the scores reaches.

        At threshold probability t a false alarm weighs t / (1 - t) of a true positive.
        """
        t = _check_threshold_probability(threshold_probability)
        weight = t / (1 - t)
        worst = self.prevalence + (1 - self.prevalence) * weight
        cost = worst * np.asarray(self.curve.expected_cost(self._pc(t)))
        return as_scalar(np.asarray(self.prevalence - cost))

    def threshold(self, threshold_probability: ArrayLike) -> Scalar:
        """Return the score from which on acting reaches `net_benefit`."""
        return self.curve.threshold(self._pc(_check_threshold_probability(threshold_probability)))

    def plug_in(self, threshold_probability: ArrayLike) -> Scalar:
        """Return the net benefit of acting where the score itself is at least the threshold probability."""
        t = _check_threshold_probability(threshold_probability)
        counts = self.curve.counts
        if counts.scores[0] < 0 or counts.scores[-1] > 1:
            raise input_error(
                "y_score",
                "must hold probabilities in [0, 1] for plug_in",
                counts.score_range,
                "use net_benefit instead.",
            )
        below = np.searchsorted(counts.scores, t, side="left")
        found, alarmed = 1 - self.curve.fnr[below], self.curve.fpr[below]
        return as_scalar(np.asarray(self.prevalence * found - (1 - self.prevalence) * alarmed * t / (1 - t)))

    def treat_all(self, threshold_probability: ArrayLike) -> Scalar:
        """Return the net benefit of acting on every case; acting on none has net benefit 0."""
        t = _check_threshold_probability(threshold_probability)
        return as_scalar(np.asarray(self.prevalence - (1 - self.prevalence) * t / (1 - t)))

    def _pc(self, t: FloatArray) -> FloatArray:
        """Operating point of a threshold probability: cost_fp / cost_fn = t / (1 - t)."""
        missed, alarmed = self.prevalence * (1 - t), (1 - self.prevalence) * t
        total = missed + alarmed
        # without positives and with free false alarms any point costs nothing
        return np.divide(missed, total, out=np.zeros_like(total), where=total > 0)

    def to_dict(self) -> dict[str, Any]:
        """Return the curve at threshold probabilities 0, 0.01, ..., 0.99 as JSON-safe types."""
        t = np.arange(100) / 100
        return {
            "prevalence": self.prevalence,
            "threshold_probability": t.tolist(),
            "net_benefit": np.asarray(self.net_benefit(t)).tolist(),
            "treat_all": np.asarray(self.treat_all(t)).tolist(),
        }


def _check_threshold_probability(value: ArrayLike) -> FloatArray:
    t = check_finite(value, "threshold_probability")
    if np.any((t < 0) | (t >= 1)):
        bad = float(np.atleast_1d(t)[np.atleast_1d((t < 0) | (t >= 1))][0])
        raise input_error("threshold_probability", "must lie in [0, 1)", bad)
    return t


def net_benefit_curve(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    prevalence: float | None = None,
) -> NetBenefitCurve:
    """Net benefit of acting on the scores (decision curve analysis); the higher the better.

    True positives per case minus false alarms weighted by t / (1 - t), where t is the
    probability from which on a case is worth acting on. A rescaled cost curve: net benefit =
    prevalence - k(mu = t / (1 - t), never abstain). Assumes that t is a matter of costs alone.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight, prevalence
        As in `abstention_surface`.

    Returns
    -------
    NetBenefitCurve
        With `net_benefit`, `plug_in`, `treat_all`, `threshold`.

    References
    ----------
    Vickers and Elkin (2006), Medical Decision Making 26, doi:10.1177/0272989X06295361.

    Examples
    --------
    Acting is worth it from a risk of 20 % on; the scores are worth 0.469 found positives per
    case, treating everybody 0.375:

    >>> from demur import net_benefit_curve
    >>> y = [0, 0, 0, 1, 0, 1, 1, 1]
    >>> s = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 0.9]
    >>> curve = net_benefit_curve(y, s)
    >>> round(curve.net_benefit(0.2), 3), curve.treat_all(0.2)
    (0.469, 0.375)
    """
    counts = as_counts(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    return NetBenefitCurve(
        curve=cost_curve(counts),
        prevalence=check_prevalence(prevalence, positives=counts.n_positive, negatives=counts.n_negative),
    )
