"""Conformal p-values: how unusual a new case is among cases of the same kind, without a model of them."""

from __future__ import annotations

import numpy as np

from demur._checks import check_scores
from demur.typing import ArrayLike, FloatArray

__all__ = ["conformal_p_values"]


def conformal_p_values(calibration: ArrayLike, values: ArrayLike) -> FloatArray:
    """Share of the calibration cases at least as unusual as each new case, the case itself counted.

    Small: unlike the calibration cases. If the new case comes from where they come from, its p-value is
    at most alpha with probability at most alpha, for every sample size and law. Assumes that the doubt
    (a distance, minus a log density) was fitted to other cases, and that cases are exchangeable.

    Parameters
    ----------
    calibration : array of n numbers
        Doubt of the calibration cases; higher is less familiar.
    values : array of numbers
        Doubt of the new cases.

    Returns
    -------
    array
        Element i is (1 + number of calibration values >= values[i]) / (n + 1), never 0.

    Raises
    ------
    InputError
        For empty arrays or missing values.

    Notes
    -----
    To refuse cases with a p-value of at most alpha, abstain where the doubt exceeds the calibration
    value of rank ceil((1 - alpha)(n + 1)); with fewer than 1 / alpha - 1 calibration cases nothing can
    be refused.

    References
    ----------
    Vovk, Gammerman, Shafer (2005), Algorithmic Learning in a Random World, Springer,
    doi:10.1007/b106715.

    Examples
    --------
    Refuse at most one familiar case in five: only the last case is too far away.

    >>> from demur.cautious import conformal_p_values
    >>> conformal_p_values([1, 2, 2, 3], [0.5, 2, 3.5]).tolist()
    [1.0, 0.8, 0.2]
    """
    known = check_scores(calibration, "calibration")
    new = check_scores(values, "values")
    order = np.sort(known)
    at_least = len(order) - np.searchsorted(order, new, side="left")
    return np.asarray((1 + at_least) / (len(order) + 1))
