"""Volumes under abstention cost surfaces as scores: one number per model, the lower the better."""

from __future__ import annotations

from typing import Any

from demur._checks import input_error
from demur._kernels.integrals import proper_volume_scores
from demur.counts.scores import ScoreCounts, as_counts
from demur.surface.surface import surface_of
from demur.typing import ArrayLike, Labels

__all__ = ["plugin_vacc_score", "vacc_score"]


def vacc_score(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    prevalence: float | None = None,
) -> float:
    """Volume under the abstention cost surface over the unit square; the lower the better.

    The mean cost when the relative costs mu and nu are uniform on [0, 1]. Unlike the AUC it
    depends on the prevalence. Parameters as in `abstention_surface`.

    Examples
    --------
    >>> from demur import vacc_score
    >>> vacc_score([0, 1, 0, 1], [0.1, 0.9, 0.2, 0.8])
    0.0
    """
    counts = as_counts(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    return surface_of(counts, prevalence).volume()


def plugin_vacc_score(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    prevalence: float | None = None,
) -> float:
    """Volume when the scores are used as probabilities, without a search; the lower the better.

    The scores must lie in [0, 1] and are compared with the thresholds nu, 1 - nu/mu and
    mu/(1 + mu) as they are. Never below `vacc_score`; the gap is the price of bad calibration.

    Notes
    -----
    The mean of the proper score S(1, p) = g(p) + (1 - p) g'(p), S(0, p) = g(p) - p g'(p), where
    g is the volume of one block with share p.

    Examples
    --------
    >>> from demur.surface import plugin_vacc_score
    >>> from demur import vacc_score
    >>> y, s = [0, 0, 1, 1], [0.1, 0.6, 0.7, 0.9]
    >>> vacc_score(y, s) < plugin_vacc_score(y, s)
    True
    """
    counts = as_counts(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    p = counts.scores
    if p[0] < 0 or p[-1] > 1:
        bad = float(p[0] if p[0] < 0 else p[-1])
        raise input_error("y_score", "must hold probabilities in [0, 1]", bad, "calibrate the scores first.")
    to_positive, to_negative = counts.class_weights(prevalence)
    if_positive, if_negative = proper_volume_scores(p)
    return float(counts.positives @ if_positive * to_positive + counts.negatives @ if_negative * to_negative)
