"""The permutation law of a difference of AUCs: each case keeps or exchanges its two values.

The permuted difference is a sum of n independent terms +-a_k (Bandos, Rockette and Gur 2006, eq. 8,
for its variance), so its law is exact without simulation. What is exchanged are mid-ranks within
each model, which no rescaling of the scores can change, or the scores themselves on request.
"""

import warnings

import numpy as np

from demur._checks import input_error
from demur._kernels.jit import whole_job
from demur._kernels.permutation import too_large, upper_tail
from demur.auc.tables import ModelTables
from demur.counts.scores import ScoreCounts
from demur.exceptions import DegenerateDataWarning, UndefinedError
from demur.paired.scores import JointScores
from demur.typing import IntArray

__all__ = ["EXCHANGES", "exchange_pvalues", "exchange_terms", "exchange_variance"]

EXCHANGES = ("ranks", "scores")
_MOST_CASES = 2**24  # repeated cases, each a term of the sum; more would take minutes
_SAME_SCALE = 2.0  # largest ratio of interquartile ranges that counts as one scale


def exchange_variance(joint: JointScores, terms: IntArray) -> float:
    """Variance of the sum with random signs, in units of the difference (eq. 8)."""
    scale = 4 * joint.n_negative * joint.n_positive
    return float(np.square(terms, dtype=np.float64).sum()) / scale**2


def exchange_terms(tables: ModelTables, a: int, b: int, exchange: str) -> IntArray:
    """Terms of the sum, in units of 1 / (4 N M); warns if scores of different scales are exchanged."""
    joint = tables.joint
    if not tables.exchangeable:
        raise UndefinedError(
            "The permutation test exchanges whole cases, got weights that are not numbers of cases. "
            "Hint: 'delong' and 'bootstrap' take any weights; weights='repeats' makes whole numbers cases."
        )
    cases = joint.n_negative + joint.n_positive
    if joint.negative_weight is not None and cases > _MOST_CASES:
        raise input_error(
            "method",
            f"must not be 'permutation' for more than {_MOST_CASES:.3g} cases, each of which is a term",
            f"{cases:.3g} cases",
            "'delong' and 'bootstrap' need the joint counts only.",
        )
    rows = joint.negatives.shape[1] + joint.positives.shape[1]
    # part of a comparison that takes n log n steps anyway, so compiling pays earlier than for counts alone
    with whole_job(2 * rows * rows.bit_length()):
        if exchange == "ranks":
            return joint.in_ranks(a, b).permutation_terms(0, 1)
        _warn_about_scales([_all_cases(joint, model) for model in (a, b)])
        return joint.permutation_terms(a, b)


def _all_cases(joint: JointScores, model: int) -> ScoreCounts:
    weights = None
    if joint.negative_weight is not None and joint.positive_weight is not None:
        weights = np.concatenate([joint.negative_weight, joint.positive_weight])
    size = joint.negatives.shape[1]
    scores = np.concatenate([joint.negatives[model], joint.positives[model]])
    return ScoreCounts.from_arrays(np.arange(len(scores)) >= size, scores, sample_weight=weights)


def _warn_about_scales(counts: list[ScoreCounts]) -> None:
    """Warn if the middle halves of the scores do not overlap, or one is over twice as long."""
    (low_a, high_a), (low_b, high_b) = (_middle_half(per_score) for per_score in counts)
    short, long = sorted((high_a - low_a, high_b - low_b))
    if max(low_a, low_b) <= min(high_a, high_b) and not long > _SAME_SCALE * short:
        return
    warnings.warn(
        "the two models score on different scales (middle halves of their scores: "
        f"{low_a:.4g} to {high_a:.4g} and {low_b:.4g} to {high_b:.4g}), so exchanging the scores of a "
        "case is not meaningful and the test loses its power; leave exchange='ranks'",
        DegenerateDataWarning,
        stacklevel=5,
    )


def _middle_half(counts: ScoreCounts) -> tuple[float, float]:
    """First and third quartile of the scores of all cases."""
    upto = np.cumsum(counts.positives + counts.negatives)
    at = np.searchsorted(upto, upto[-1] * np.array([0.25, 0.75]))
    return float(counts.scores[at[0]]), float(counts.scores[at[1]])


def exchange_pvalues(terms: IntArray, alternative: str, computation: str | None) -> tuple[float, float, str]:
    """p-value, mid-p-value and how the law was computed."""
    if computation is not None and too_large(terms, computation):
        raise input_error(
            "computation",
            "must suit the number of cases",
            f"{computation!r} for {len(terms)} cases",
            "leave it out to choose by size, or use 'saddlepoint'.",
        )
    observed = int(terms.sum())
    # always the tail on the side of the alternative: small p-values keep their relative accuracy
    value = {"two-sided": abs(observed), "greater": observed, "less": -observed}[alternative]
    above, at, how = upper_tail(terms, value, computation)
    if alternative == "two-sided" and observed == 0:
        return 1.0, 1 - at / 2, how
    sides = 2 if alternative == "two-sided" else 1
    return min(sides * (above + at), 1.0), min(sides * (above + at / 2), 1.0), how
