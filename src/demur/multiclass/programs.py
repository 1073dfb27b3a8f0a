"""Class weights by mathematical programming (HiGHS): an exact program, the paper's relaxation, bounds."""

from typing import Any, Literal, NamedTuple

import numpy as np

from demur._kernels.weight_objective import Table, pair_gains
from demur.exceptions import DemurError
from demur.typing import FloatArray, IntArray

__all__ = ["LinearRelaxation", "MixedSolution", "linear_relaxation", "mixed_integer", "pair_bound"]

_LARGEST_PROGRAM = 200_000  # rows of the integer program; beyond it the gap never closes
_GAP = 1e-9
_PAIR_BUDGET = 10**7
_LARGEST_GROUP = 400


class MixedSolution(NamedTuple):
    """Log weights of the integer program, its dual bound, and whether the gap is closed."""

    u: FloatArray | None
    bound: float
    closed: bool


class LinearRelaxation(NamedTuple):
    """Weights and value of eq. (14), the value with its term eta ||w - 1||_1."""

    w: FloatArray
    value: float


def mixed_integer(table: Table, *, margin: float, time_limit: float) -> MixedSolution:
    """Minimise eq. (1) of Deng et al. over all weights that decide every example by `margin` in log score.

    u_k - u_l + g_ik - g_il >= margin - M_ikl (1 - z_ik) for l != k. With margin 0 tied scores
    could be answered either way and the value would only be a bound.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    n, m = table.g.shape
    rows = n * m * (m - 1)
    if rows > _LARGEST_PROGRAM:
        raise DemurError(
            f"The integer program of {n} distinct rows and {m} answers has {rows} constraints, more than "
            f"{_LARGEST_PROGRAM}. Hint: use method='restarts', which also gives a lower bound."
        )
    widest = float((table.g.max(axis=1) - table.g.min(axis=1)).max()) + 1
    part, right = _parting_rows(table.g, widest, margin)
    single_answer = _one_answer_each(n, m)
    solved = milp(
        np.concatenate([np.zeros(m), table.v.ravel()]),
        integrality=np.repeat([0, 1], [m, n * m]),
        bounds=Bounds(0, np.repeat([widest, 1.0], [m, n * m])),
        constraints=[LinearConstraint(part, right, np.inf), LinearConstraint(single_answer, 1, 1)],
        options={"mip_rel_gap": _GAP, "time_limit": time_limit},
    )
    bound = solved.mip_dual_bound
    u = None if solved.x is None else np.asarray(solved.x[:m] - solved.x[0])
    return MixedSolution(u, -np.inf if bound is None else float(bound), solved.status == 0)


def _parting_rows(g: FloatArray, widest: float, margin: float) -> tuple[Any, FloatArray]:
    """Left side (u, z) and right side of the constraints for all i, k and l != k."""
    from scipy.sparse import coo_array

    n, m = g.shape
    i, k, rival = (axis.ravel() for axis in np.meshgrid(*map(np.arange, (n, m, m)), indexing="ij"))
    keep = k != rival
    i, k, rival = i[keep], k[keep], rival[keep]
    lead = g[i, k] - g[i, rival]
    slack = np.maximum(0.0, widest - lead + margin)
    rows = np.arange(len(i))
    entries = np.concatenate([np.ones(len(i)), -np.ones(len(i)), -slack])
    columns = np.concatenate([k, rival, m + i * m + k])
    matrix = coo_array((entries, (np.tile(rows, 3), columns)), shape=(len(i), m + n * m)).tocsr()
    return matrix, margin - slack - lead


def _one_answer_each(n: int, m: int) -> Any:
    from scipy.sparse import block_array, coo_array, eye_array, kron

    answers = kron(eye_array(n), np.ones((1, m)))
    return block_array([[coo_array((n, m)), answers]]).tocsr()


def linear_relaxation(
    f: FloatArray,
    v: FloatArray,
    *,
    eta: float = 1e-6,
    normalize: Literal["first", "sum"] | None = "first",
) -> LinearRelaxation:
    """Solve eq. (14): the integer program (9)-(13) with answers in [0, 1], plus eta ||w - 1||_1.

    As printed (`normalize=None`) it is degenerate: w = 0 frees every answer and the value is
    eta m. Fixing the first weight, or the sum of all, repairs that; even then the relaxation
    mostly returns the scores unweighted. Kept to reproduce the paper.
    """
    from scipy.optimize import linprog
    from scipy.sparse import block_array, coo_array, eye_array, kron

    n, m = f.shape
    eye_m, eye_n = eye_array(m), eye_array(n)
    chosen = kron(eye_n, np.ones((m, 1)))  # gamma_i repeated for each class
    weighted = coo_array((f.ravel(), (np.arange(n * m), np.tile(np.arange(m), n))), shape=(n * m, m))
    blocks = [
        [-weighted, chosen, eye_array(n * m), None],  # (9) gamma - w f + I <= 1
        [weighted, -chosen, None, None],  # (10) gamma >= w f
        [eye_m, None, None, -eye_m],  # t >= w - 1
        [-eye_m, None, None, -eye_m],  # t >= 1 - w
    ]
    right = np.concatenate([np.ones(n * m), np.zeros(n * m), np.ones(m), -np.ones(m)])
    equal = [[coo_array((n, m)), coo_array((n, n)), kron(eye_n, np.ones((1, m))), coo_array((n, m))]]
    lowest, highest = np.zeros(m + n + n * m + m), np.full(m + n + n * m + m, np.inf)
    highest[m + n : m + n + n * m] = 1.0
    if normalize == "first":
        lowest[0] = highest[0] = 1.0
    sums = np.ones(n)
    if normalize == "sum":
        equal.append([np.ones((1, m)), None, None, None])
        sums = np.append(sums, m)
    price = np.concatenate([np.zeros(m + n), v.ravel(), np.full(m, eta)])
    solved = linprog(
        price,
        A_ub=block_array(blocks).tocsr(),
        b_ub=right,
        A_eq=block_array(equal).tocsr(),
        b_eq=sums,
        bounds=np.column_stack([lowest, highest]),
        method="highs",
    )
    if solved.x is None:
        raise DemurError(f"HiGHS could not solve the relaxation: {solved.message}")
    return LinearRelaxation(np.asarray(solved.x[:m]), float(solved.fun))


def pair_bound(table: Table) -> float:
    """Lower bound of eq. (1) for any weights: examples taken two by two.

    The sum of the optima of disjoint groups is a bound. For two rows i, j the answers (k, l)
    are possible together if and only if k = l or g_ik + g_jl > g_il + g_jk, so the optimum of a
    pair is a minimum over m^2 entries. Pairs with the largest gain over single rows are
    matched first, inside groups small enough for the time of a few line searches.
    """
    g, v = table.g, table.v
    n, m = g.shape
    single = v.min(axis=1)
    if n < 2 or m < 2:
        return float(single.sum())
    size = int(min(n, max(2, _PAIR_BUDGET // (n * m * m)), _LARGEST_GROUP))
    # rows with the same answer compete for the same weights: spread them evenly over the groups
    order = np.argsort(np.argmax(g, axis=1), kind="stable")
    n_groups = n // size
    gains = pair_gains(table, order, n_groups)
    return float(single.sum() + sum(_matched(*group) for group in gains))


def _matched(first: IntArray, second: IntArray, gain: FloatArray) -> float:
    """Sum of gains of a greedy matching, largest gain first."""
    ranked = np.argsort(-gain, kind="stable")
    used: set[int] = set()
    total = 0.0
    for i, j, pair_gain in zip(
        first[ranked].tolist(), second[ranked].tolist(), gain[ranked].tolist(), strict=True
    ):
        if i not in used and j not in used:
            used.update((i, j))
            total += pair_gain
    return total
