"""A binormal curve through the points of an empirical ROC curve, by least squares."""

import numpy as np

from demur.counts.scores import ScoreCounts
from demur.exceptions import UndefinedError

__all__ = ["binormal_line"]


def binormal_line(counts: ScoreCounts) -> tuple[float, float]:
    """Intercept and negated slope of normal quantiles of specificity on those of sensitivity.

    Least squares over the thresholds at which both rates lie strictly between 0 and 1: the fit of
    pROC, which takes the two numbers as the binormal parameters A and B.
    """
    from scipy.special import ndtri

    # totals from the same running sums, so that a rate of 1 is exactly 1
    missed, specificity = (
        upto[:-1] / upto[-1] for upto in map(np.cumsum, (counts.positives, counts.negatives))
    )
    inner = (missed > 0) & (missed < 1) & (specificity > 0) & (specificity < 1)
    x, y = -ndtri(missed[inner]), ndtri(specificity[inner])
    if len(x) < 2 or x.min() == x.max():
        raise UndefinedError(
            "The variance by method 'obuchowski' needs at least 2 sensitivities strictly between 0 and 1, "
            f"got {len(set(x.tolist()))}. Hint: 'delong', 'hanley-mcneil' and 'bootstrap' need none."
        )
    centred = x - x.mean()
    slope = float((centred * (y - y.mean())).sum() / (centred**2).sum())
    return float(y.mean() - slope * x.mean()), -slope
