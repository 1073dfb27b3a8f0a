"""Non-inferiority and equivalence of two AUCs on the same cases."""

from __future__ import annotations

import math
from typing import Any

from demur.auc.difference import auc_difference_test
from demur.roc.margins import MarginTest, margin_result
from demur.typing import ArrayLike, Labels

__all__ = ["auc_margin_test"]


def auc_margin_test(
    y_true: Labels,
    score_a: ArrayLike | None = None,
    score_b: ArrayLike | None = None,
    *,
    margin: float,
    question: str = "non-inferiority",
    significance_level: float = 0.05,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    weights: str = "importance",
) -> MarginTest:
    """Test whether one model ranks no worse than another on the same cases, up to a margin.

    A positive difference favours model a. Assumes independent cases. Not finding a difference with
    `auc_difference_test` does not show that there is none: this test does.

    Parameters
    ----------
    y_true, score_a, score_b, pos_label, sample_weight, weights
        As in `auc_difference_test`.
    margin : float
        How much lower an AUC would still be acceptable, such as 0.05.
    question : {"non-inferiority", "equivalence"}
        "equivalence" asks in both directions (two one-sided tests).
    significance_level : float, default 0.05
        Of each one-sided test.

    Returns
    -------
    MarginTest

    Raises
    ------
    UndefinedError
        If a class is missing or has a single case.

    Notes
    -----
    Non-inferiority: p = Phi(-(difference + margin) / sqrt(V)) with DeLong's variance V; equivalence: the
    larger of the two one-sided p-values.

    References
    ----------
    Liu, Ma, Wu and Tai (2006), Statistics in Medicine 25, doi:10.1002/sim.2358.

    Examples
    --------
    A model without the expensive laboratory value: is it worse by less than 0.05?

    >>> import numpy as np
    >>> from demur.auc import auc_margin_test
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 300)
    >>> full = rng.normal(size=600) + 2 * y
    >>> reduced = full + 0.3 * rng.normal(size=600)
    >>> auc_margin_test(y, reduced, full, margin=0.05).established
    True
    """
    test = auc_difference_test(
        y_true,
        score_a,
        score_b,
        method="delong",
        pos_label=pos_label,
        sample_weight=sample_weight,
        weights=weights,
    )
    error = math.sqrt(max(test.variance, 0.0))
    return margin_result(
        "difference of AUCs",
        test.difference,
        lambda z: (test.difference - z * error, test.difference + z * error),
        margin,
        question,
        significance_level,
        higher_is_better=True,
    )
