"""Volumes under abstention cost surfaces as scores: one number per model, the lower the better."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import check_finite, input_error
from demur._kernels.integrals import proper_volume_scores
from demur._results import Result
from demur.counts.scores import ScoreCounts, as_counts
from demur.surface.surface import surface_of
from demur.typing import ArrayLike, FloatArray, Labels

__all__ = ["NoiseResponse", "plugin_vacc_score", "vacc_noise_response", "vacc_score"]


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


_LEVELS = np.linspace(0, 0.5, 11)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class NoiseResponse(Result):
    """Volume under the surface against the noise level; made by `vacc_noise_response`.

    Attributes
    ----------
    noise : array
        Probability with which a label is flipped.
    vacc : array
        Volume under the surface at each level; the lower the better.
    trivial : array
        Volume of the best rules without a score at each level: what is left of them when all is noise.
    """

    noise: FloatArray
    vacc: FloatArray
    trivial: FloatArray

    @property
    def normalized(self) -> FloatArray:
        """`vacc` divided by `trivial`: 1 means that the score is of no use any more."""
        return self.vacc / self.trivial


def vacc_noise_response(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    noise: ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> NoiseResponse:
    """VACC of one model against the share of labels that are flipped at random.

    Says how much of a difference in VACC between two data sets their noise can explain. The smaller the
    better. Noise also moves the prevalence towards one half, and with it the volume of the rules without
    a score; compare `normalized`, which does not depend on that. Assumes that every label is flipped
    independently with the same probability, after the model was fitted.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight
        As in `abstention_surface`; both classes are needed.
    noise : array of numbers in [0, 0.5], optional
        Probabilities of a flip; 0, 0.05, ..., 0.5 by default.

    Returns
    -------
    NoiseResponse
        With `noise`, `vacc`, `trivial` and `normalized`.

    Raises
    ------
    InputError
        For noise outside [0, 0.5].

    Notes
    -----
    No labels are drawn. A score with p positives and q negatives has (1 - e) p + e q positives in
    expectation, and the volume of the expected counts is exact. It is the volume the model has in a
    noisy population; a drawn noisy sample has a little less on average, because it chooses its windows
    with hindsight.

    References
    ----------
    Friedel, Rueckert, Kramer (2006), "Cost Curves for Abstaining Classifiers", ROCML, section 5: "VACC
    depends, to some extent, on the noise level".

    Examples
    --------
    One label in ten flipped, and a perfect model is left with two thirds of its use:

    >>> from demur.surface import vacc_noise_response
    >>> response = vacc_noise_response([0, 1, 0, 1], [0.1, 0.9, 0.2, 0.8], noise=[0, 0.1, 0.5])
    >>> response.vacc.round(4).tolist(), response.normalized.round(2).tolist()
    ([0.0, 0.0691, 0.2083], [0.0, 0.33, 1.0])
    """
    counts = as_counts(
        y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, both_classes="VACC under noise"
    )
    levels = _LEVELS if noise is None else np.atleast_1d(check_finite(noise, "noise"))
    if levels.ndim != 1 or levels.min() < 0 or levels.max() > 0.5:
        raise input_error("noise", "must hold numbers from 0 to 0.5", str(levels))
    volumes = []
    for level in levels.tolist():
        positive = (1 - level) * counts.positives + level * counts.negatives
        negative = (1 - level) * counts.negatives + level * counts.positives
        surface = surface_of(ScoreCounts.from_counts(counts.scores, positive, negative), None)
        volumes.append((surface.volume(), surface.trivial().volume()))
    vacc, trivial = np.array(volumes).T
    return NoiseResponse(noise=levels.copy(), vacc=vacc, trivial=trivial)
