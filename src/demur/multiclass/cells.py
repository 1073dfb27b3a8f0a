"""Cells of class weights: which answers some weights give, by which margin, and for given counts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from demur._checks import check_columns, check_finite, check_label_columns, check_whole_counts, input_error
from demur._results import Result
from demur.typing import ArrayLike, FloatArray, IntArray

__all__ = ["CellMargin", "QuotaWeights", "cell_margin", "weights_for_counts"]

_LARGEST_LOG_SCORE = 1e100  # differences and their sums stay finite
WIDEST = 1.0
"""Margin reported where it has no limit (all examples get one class)."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class CellMargin(Result):
    """How safely weights can give certain answers; made by `cell_margin`.

    Attributes
    ----------
    margin : float
        Largest m such that, with suitable weights, every example prefers its label by m in
        log score; not positive if no weights give these labels. At most 1 where unlimited.
    log_weights : array
        Weights that reach the margin, the first one 0.
    """

    margin: float
    log_weights: FloatArray

    _reported = ("realisable",)

    @property
    def realisable(self) -> bool:
        """Whether some weights give exactly these labels, without ties."""
        return self.margin > 0


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class QuotaWeights(Result):
    """Weights that give every class its number of examples; made by `weights_for_counts`.

    Attributes
    ----------
    weights, log_weights : array
        Factors of the scores, the first one 1, and their logarithms.
    labels : array
        Column index of every example.
    total : float
        Sum of the log scores of the labels, the largest for these counts.
    margin : float
        As in `CellMargin`; 0 or less where tied scores leave no weights with these counts.
    """

    weights: FloatArray
    log_weights: FloatArray
    labels: IntArray
    total: float
    margin: float


def cell_margin(log_scores: ArrayLike, labels: ArrayLike) -> CellMargin:
    """Margin by which class weights can give the examples these labels; the larger the safer.

    Certifies the answer of any solver: some weights w with argmax_k w_k f(x_i, C_k) = label of i
    for all i exist if and only if the margin is positive.

    Parameters
    ----------
    log_scores : array of shape (n, m)
        Logarithms of the confidences, finite; a constant per row does not matter.
    labels : array of n whole numbers
        Column index wanted for each row.

    Returns
    -------
    CellMargin
        With `margin`, `log_weights` (in the middle of the cell) and `realisable`.

    Raises
    ------
    InputError
        If the scores are not finite or a label names no column.

    Notes
    -----
    Let A[a, b] be the largest g_ib - g_ia among the examples labelled a. Weights must satisfy
    u_a - u_b > A[a, b] for all pairs, which is possible if and only if A has no cycle of
    weight >= 0; the best margin is minus the largest mean weight of a cycle (Karp 1978, in
    O(m^3)), and the weights are longest paths. With one label only there is no cycle and no
    limit: 1 is reported.

    References
    ----------
    Karp (1978), Discrete Mathematics 23, 309-311, doi:10.1016/0012-365X(78)90011-0.

    Examples
    --------
    Can weights turn the first case to the last class without moving the second?

    >>> import numpy as np
    >>> from demur.multiclass import cell_margin
    >>> scores = np.log([[0.6, 0.3, 0.1], [0.7, 0.1, 0.2]])
    >>> cell_margin(scores, [2, 0]).realisable, cell_margin(scores, [1, 0]).realisable
    (False, True)
    """
    g = check_finite(check_columns(log_scores, "log_scores"), "log_scores")
    wanted = check_label_columns(labels, *g.shape)
    margin, u = widest_weights(g, wanted)
    return CellMargin(margin=margin, log_weights=u)


def cell_gaps(g: FloatArray, labels: IntArray) -> FloatArray:
    """A[a, b], the largest g_ib - g_ia among the rows labelled a: the cell is u_a - u_b > A[a, b]."""
    m = g.shape[1]
    gaps = np.full((m, m), -np.inf)
    for a in np.unique(labels):
        rows = g[labels == a]
        gaps[a] = (rows - rows[:, a : a + 1]).max(axis=0)
    np.fill_diagonal(gaps, -np.inf)
    return gaps


def widest_weights(g: FloatArray, labels: IntArray) -> tuple[float, FloatArray]:
    """Return the best margin of a cell and log weights that reach it (the first one 0)."""
    gaps = cell_gaps(g, labels)
    margin = -_largest_cycle_mean(gaps)
    if np.isinf(margin):
        margin = WIDEST
    # u_a - u_b >= bounds[a, b]: in the middle between the lowest and the highest such weights
    bounds = gaps + margin
    low, high = np.zeros(len(bounds)), np.zeros(len(bounds))
    for _ in bounds:
        low = np.maximum(low, (bounds + low).max(axis=1))
        high = np.minimum(high, (high[:, None] - bounds).min(axis=0))
    u = (low + high) / 2
    return margin, np.asarray(u - u[0])


def _largest_cycle_mean(gaps: FloatArray) -> float:
    """Karp's theorem; -inf if there is no cycle."""
    m = len(gaps)
    lengths = np.full((m + 1, m), -np.inf)
    lengths[0] = 0.0
    for k in range(m):
        lengths[k + 1] = (lengths[k][:, None] + gaps).max(axis=0)
    ends = np.isfinite(lengths[m])
    if not ends.any():
        return -np.inf
    means = (lengths[m, ends] - lengths[:m, ends]) / (m - np.arange(m))[:, None]
    return float(means.min(axis=0).max())


def weights_for_counts(log_scores: ArrayLike, counts: ArrayLike) -> QuotaWeights:
    """Weights under which exactly `counts[k]` examples get class k.

    For quotas: beds, places, inspectors. Among all ways to fill the quotas this one has the
    largest sum of log scores.

    Parameters
    ----------
    log_scores : array of shape (n, m)
        Logarithms of the confidences, finite.
    counts : m whole numbers
        How many examples each class gets; they add up to n.

    Returns
    -------
    QuotaWeights
        With `weights`, `labels`, `total` and `margin`.

    Raises
    ------
    InputError
        If the counts do not fit the scores.

    Notes
    -----
    In general position there is exactly one cell of weights for every vector of counts, and
    weights are minus the dual prices of the transportation problem max sum_i g_{i, k_i} with
    these counts. Examples with tied scores can only change class together; where that rules
    the counts out, `margin` is not positive, and which of several best ways to fill the quotas
    `labels` shows is not defined. Exact line searches of the dual problem bring the numbers close
    to the counts, longest paths between the classes (Ahuja et al. 1993) fill up the rest. O(n m) memory;
    200,000 examples of 3 classes take less than a second.

    References
    ----------
    Ahuja, Magnanti and Orlin (1993), Network flows, Prentice Hall, section 9.7.

    Examples
    --------
    One place in the first class, two in the second, one in the third:

    >>> import numpy as np
    >>> from demur.multiclass import weights_for_counts
    >>> scores = np.log([[0.6, 0.3, 0.1], [0.7, 0.1, 0.2], [0.5, 0.4, 0.1], [0.4, 0.3, 0.3]])
    >>> weights_for_counts(scores, [1, 2, 1]).labels.tolist()
    [1, 0, 1, 2]
    """
    g = check_finite(check_columns(log_scores, "log_scores"), "log_scores")
    n, m = g.shape
    quota = check_whole_counts(counts, "counts")
    if quota.shape != (m,):
        raise input_error("counts", f"must hold one number for each of {m} columns", f"shape {quota.shape}")
    if quota.sum() != n:
        raise input_error("counts", f"must add up to the number of rows, {n}", int(quota.sum()))
    labels = _best_assignment(g, quota)
    margin, u = widest_weights(g, labels)
    return QuotaWeights(
        weights=exponentials(u),
        log_weights=u,
        labels=labels,
        total=float(g[np.arange(n), labels].sum()),
        margin=margin,
    )


def _best_assignment(g: FloatArray, quota: IntArray) -> IntArray:
    """Columns of the rows with the largest sum of `g` among those that fill the quotas."""
    largest = float(np.abs(g).max())
    if largest > _LARGEST_LOG_SCORE:
        g = g / largest
    labels = np.argmax(g + _balancing_weights(g, quota), axis=1)
    while True:
        excess = np.bincount(labels, minlength=len(quota)) - quota
        if not excess.any():
            return np.asarray(labels)
        # labels of largest sum for their own counts stay so if rows move along a longest path
        gaps = cell_gaps(g, labels)
        path = _longest_path(gaps, excess)
        moves = []
        for a, b in pairwise(path):
            rows = np.flatnonzero(labels == a)
            moves.append(rows[g[rows, b] - g[rows, a] == gaps[a, b]])
        # tied rows move together: the path stays the longest one until they are used up
        size = min(excess[path[0]], -excess[path[-1]], *map(len, moves))
        for rows, b in zip(moves, path[1:], strict=True):
            labels[rows[:size]] = b


def _balancing_weights(g: FloatArray, quota: IntArray) -> FloatArray:
    """Log weights that nearly fill the quotas: each in turn fills its own, until the sum of errors stays."""
    n, m = g.shape
    u = np.where(quota > 0, 0.0, -np.inf)
    # most of the way is gone on few of the rows
    for part in (g[:: max(1, n // 2000)], g[:: max(1, n // 40_000)], g):
        wanted = quota * len(part) // n
        errors, before = np.inf, np.inf
        while errors:
            for k in np.flatnonzero((quota > 0) & (wanted < len(part))):
                others = part + u
                others[:, k] = -np.inf
                needed = others.max(axis=1) - part[:, k]
                last = max(wanted[k], 1) - 1
                u[k] = np.partition(needed, [last, last + 1])[last : last + 2].mean()
            errors = np.abs(np.bincount(np.argmax(part + u, axis=1), minlength=m) - wanted).sum()
            if errors >= before:
                break
            before = errors
    return u


def _longest_path(gaps: FloatArray, excess: IntArray) -> list[int]:
    """Classes on the longest path from one with too many rows to one with too few (Bellman and Ford)."""
    lengths, classes = np.where(excess > 0, 0.0, -np.inf), np.arange(len(gaps))
    steps = []
    for _ in classes[1:]:
        through = lengths[:, None] + gaps
        longest = through.max(axis=0)
        steps.append(np.where(longest > lengths, through.argmax(axis=0), classes))
        lengths = np.maximum(lengths, longest)
    path = [int(np.argmax(np.where(excess < 0, lengths, -np.inf)))]
    for came_from in reversed(steps):
        previous = int(came_from[path[-1]])
        if previous in path:
            # no step, or a cycle that is longer than 0 by rounding
            del path[path.index(previous) :]
        path.append(previous)
    return path[::-1]


def exponentials(u: FloatArray) -> FloatArray:
    """Weights from their logarithms; beyond the range of floats they are infinite."""
    with np.errstate(over="ignore"):
        return np.asarray(np.exp(u))
