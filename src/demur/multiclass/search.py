"""Searches for cheap class weights: exact line searches, restarts, the paper's own methods, programs (HiGHS).

Every search takes a `Table` (distinct log scores and costs). The line searches and their restarts reach a
local optimum of eq. (1) of Deng et al. (2006) and prove nothing; the integer program and `pair_bound` give
lower bounds.
"""

from collections.abc import Callable
from itertools import combinations
from operator import itemgetter
from typing import Any, Literal

import numpy as np

from demur._kernels.exact_three import cheapest_labels
from demur._kernels.weight_objective import (
    DEEPEST,
    Table,
    descend,
    pair_gains,
    predicted,
    single_moves,
    soft_cost,
    subset_moves,
    table_of,
    total_cost,
)
from demur.exceptions import DemurError
from demur.multiclass.cells import widest_weights
from demur.typing import FloatArray, IntArray

__all__ = [
    "coordinate_search",
    "differential_evolution",
    "genetic_search",
    "lachiche_flach",
    "linear_relaxation",
    "log_weights",
    "mixed_integer",
    "pair_bound",
    "restarts",
    "soft_search",
    "table_cost",
]

_NOISE = (0.1, 0.3, 1.0)
_TEMPERATURES = (1.0, 0.5, 0.25, 0.1, 0.05)
_SOFT_STARTS = 4
_PAIR_BUDGET = 500_000
_BOX = 10.0  # log weights tried by differential evolution

# Matlab's defaults, which the paper used (section 5)
_POPULATION, _GENERATIONS, _STALL, _ELITE, _CROSSOVER = 20, 200, 100, 2, 0.8
_SMALLEST_MESH = 1e-6
_POLLS_PER_CLASS = 100

_LARGEST_PROGRAM = 200_000  # rows of the integer program; beyond it the gap never closes
_GAP = 1e-9
_BOUND_BUDGET = 10**7
_LARGEST_GROUP = 400


def table_cost(table: Table, u: FloatArray) -> float:
    """Objective of eq. (1) at log weights `u`."""
    return total_cost(table.v, predicted(table.g, u))


def coordinate_search(
    table: Table, start: FloatArray | None = None, *, subsets: bool = False, work: int = 1
) -> FloatArray:
    """Exact line searches, one class at a time (or all subsets), until none helps."""
    m = table.g.shape[1]
    u = np.zeros(m) if start is None else start.copy()
    moves = subset_moves(m) if subsets else single_moves(m)
    descend(table, u, moves, current=table_cost(table, u), work=work)
    return np.asarray(u - u[0])


def lachiche_flach(table: Table, order: IntArray | None = None) -> FloatArray:
    """Set one weight after another in the given order, the classes not yet set being absent.

    Lachiche and Flach (2003). Breakpoints are max_j w_j f(x, C_j) / f(x, C_p) over the classes
    set so far; the w_j is missing in the print of Deng et al. (section 2).
    """
    m = table.g.shape[1]
    order = np.arange(m) if order is None else order
    u = np.zeros(m)
    side = np.full((1, m), -1, dtype=np.int64)
    side[0, order[0]] = 0
    for p in order[1:]:
        side[0, p] = 1
        descend(table, u, side, current=np.inf, steps=1)
        side[0, p] = 0
    return np.asarray(u - u[order[0]])


def restarts(table: Table, rng: np.random.Generator, n_restarts: int, *, polish: bool = True) -> FloatArray:
    """Coordinate search from zero, from Lachiche-Flach, and from `n_restarts` more starts.

    Starts alternate between the best weights so far plus noise and the apex of a random
    example, where all classes tie. Small problems end with exact moves of two weights.
    """
    n, m = table.g.shape
    starts = np.zeros(m), lachiche_flach(table)
    reached = [coordinate_search(table, start, work=n_restarts + 2) for start in starts]
    value, best = min(((table_cost(table, u), u) for u in reached), key=itemgetter(0))
    spread = float(np.median(np.abs(table.g - np.median(table.g, axis=1, keepdims=True))))
    moves = single_moves(m)
    for turn in range(n_restarts):
        if turn % 2 == 0:
            u = best + rng.normal(size=m) * (_NOISE[turn // 2 % len(_NOISE)] * spread)
        else:
            u = 1e-6 * rng.normal(size=m) - table.g[rng.integers(n)]
        cost = descend(table, u, rng.permutation(moves), current=table_cost(table, u), work=n_restarts + 2)
        if cost < value - table.cost_tolerance:
            best, value = u, cost
    if polish:
        best = _pair_polished(table, best)
    return np.asarray(best - best[0])


def _pair_polished(table: Table, u: FloatArray) -> FloatArray:
    """Move two weights at once to their exact joint optimum, as long as that helps.

    With the other weights fixed, two classes against the best of the rest are a problem of three
    answers. O(n^2) a pair, so only where all pairs together cost about as much as the restarts;
    three classes are then solved exactly.
    """
    n, m = table.g.shape
    pairs = list(combinations(range(m), 2)) if m > 2 else []
    if n * n * len(pairs) > _PAIR_BUDGET:
        return u
    value, waiting = table_cost(table, u), list(pairs)
    while waiting:
        a, b = waiting.pop()
        moved = _best_pair(table, u, a, b)
        reached = table_cost(table, moved)
        if reached < value - table.cost_tolerance:
            u = coordinate_search(table, moved)
            value, waiting = table_cost(table, u), [pair for pair in pairs if pair != (a, b)]
    return u


def _best_pair(table: Table, u: FloatArray, a: int, b: int) -> FloatArray:
    z = table.g + u
    z[:, [a, b]] = -np.inf
    rest = np.argmax(z, axis=1)
    rows = np.arange(len(z))
    g = np.column_stack([table.g[:, a] + u[a], table.g[:, b] + u[b], z[rows, rest]])
    v = np.column_stack([table.v[:, a], table.v[:, b], table.v[rows, rest]])
    three = table_of(g, v)
    shift = widest_weights(three.g, cheapest_labels(three))[1]
    moved = u.copy()
    moved[[a, b]] += shift[:2] - shift[2]
    return moved


def soft_search(table: Table, rng: np.random.Generator) -> FloatArray:
    """Minimise the smooth objective of eq. (15) while it cools down to eq. (1), then polish.

    L-BFGS on u with phi = softmax((u + g) / T); the best weights for eq. (1) on the way are
    the start of a coordinate search.
    """
    from scipy.optimize import minimize

    m = table.g.shape[1]
    best, value = np.zeros(m), table_cost(table, np.zeros(m))
    for start in [np.zeros(m), *rng.normal(size=(_SOFT_STARTS - 1, m))]:
        u = start
        for temperature in _TEMPERATURES:
            u = minimize(
                lambda x, t=temperature: soft_cost(table.g, table.v, x, t), u, jac=True, method="L-BFGS-B"
            ).x
            reached = table_cost(table, u)
            if reached < value - table.cost_tolerance:
                best, value = u, reached
    return coordinate_search(table, best)


def differential_evolution(table: Table, rng: np.random.Generator) -> FloatArray:
    """SciPy's differential evolution on eq. (1), log weights within [-10, 10], the first one 0."""
    from scipy.optimize import differential_evolution as evolve

    m = table.g.shape[1]

    def cost(columns: FloatArray) -> FloatArray:
        return _population_cost(table, np.vstack([np.zeros(columns.shape[1]), columns]).T)

    evolved = evolve(
        cost, [(-_BOX, _BOX)] * (m - 1), rng=rng, polish=False, vectorized=True, updating="deferred"
    )
    return np.concatenate([[0.0], evolved.x])


def _population_cost(table: Table, population: FloatArray) -> FloatArray:
    """Objective of eq. (1) for each row of log weights."""
    rows = np.arange(len(table.g))
    return np.array([table.v[rows, np.argmax(table.g + u, axis=1)].sum() for u in population])


# ---------------------------------------------------------------- genetic algorithm


def genetic_search(table: Table, rng: np.random.Generator, objective: Literal["hard", "soft"]) -> FloatArray:
    """Genetic algorithm with Matlab's defaults on eq. (1) or (15), then a pattern search."""
    f, m = np.exp(table.g), table.g.shape[1]
    priced = f * table.v

    def cost(population: FloatArray) -> FloatArray:
        if objective == "hard":
            return _population_cost(table, log_weights(population))
        # eq. (15) is a sum of ratios linear in w: two matrix products for a whole population
        return np.asarray(((priced @ population.T + 1e-300) / (f @ population.T + 1e-300)).sum(axis=0))

    population = rng.random((_POPULATION, m))
    population[0] = 1.0
    values = cost(population)
    best, stalled = float(values.min()), 0
    for generation in range(_GENERATIONS):
        population = _next_generation(population, values, rng, 1 - generation / _GENERATIONS)
        values = cost(population)
        stalled = 0 if values.min() < best else stalled + 1
        best = min(best, float(values.min()))
        if stalled >= _STALL:
            break
    w = _pattern_search(cost, population[int(np.argmin(values))])
    u = log_weights(w)
    return np.asarray(u - u[0])


def log_weights(w: FloatArray) -> FloatArray:
    """Logarithms of weights; those of 0 lie below all scores."""
    return np.asarray(np.log(np.maximum(w, np.exp(-DEEPEST))))


def _next_generation(
    population: FloatArray, values: FloatArray, rng: np.random.Generator, heat: float
) -> FloatArray:
    """Elite, scattered crossover, Gaussian mutation that shrinks with `heat`; weights stay >= 0."""
    size, m = population.shape
    order = np.argsort(values, kind="stable")
    crossed = round(_CROSSOVER * (size - _ELITE))
    mutated = size - _ELITE - crossed
    # rank scaling 1 / sqrt(rank), stochastic uniform selection: one walk with equal steps
    chance = 1 / np.sqrt(np.arange(1, size + 1))
    chance /= chance.sum()
    wanted = 2 * crossed + mutated
    steps = (rng.random() + np.arange(wanted)) / wanted
    picks = np.minimum(np.searchsorted(np.cumsum(chance), steps, side="right"), size - 1)
    parents = population[order[rng.permutation(picks)]]
    mothers, fathers, loners = parents[:crossed], parents[crossed : 2 * crossed], parents[2 * crossed :]
    children = np.where(rng.random((crossed, m)) < 0.5, mothers, fathers)
    mutants = loners + heat * rng.normal(size=(mutated, m))
    return np.asarray(np.maximum(np.vstack([population[order[:_ELITE]], children, mutants]), 0.0))


def _pattern_search(cost: Callable[[FloatArray], FloatArray], w: FloatArray) -> FloatArray:
    """Poll +-h along every axis; double h after a success, halve it after a failure."""
    m = len(w)
    value, h = float(cost(w[None])[0]), 1.0
    for _ in range(_POLLS_PER_CLASS * m):
        if h < _SMALLEST_MESH:
            break
        polls = np.maximum(w + h * np.vstack([np.eye(m), -np.eye(m)]), 0.0)
        values = cost(polls)
        if values.min() < value:
            w, value, h = polls[int(np.argmin(values))], float(values.min()), 2 * h
        else:
            h /= 2
    return w


# ---------------------------------------------------------------- programs and bounds


def mixed_integer(table: Table, *, margin: float, time_limit: float) -> tuple[FloatArray | None, float, bool]:
    """Minimise eq. (1) of Deng et al. over all weights that decide every example by `margin` in log score.

    u_k - u_l + g_ik - g_il >= margin - M_ikl (1 - z_ik) for l != k. With margin 0 tied scores
    could be answered either way and the value would only be a bound. Returns log weights, or None where
    none were found in time, the dual bound, and whether the gap is closed.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import block_array, coo_array, eye_array, kron

    n, m = table.g.shape
    rows = n * m * (m - 1)
    if rows > _LARGEST_PROGRAM:
        raise DemurError(
            f"The integer program of {n} distinct rows and {m} answers has {rows} constraints, more than "
            f"{_LARGEST_PROGRAM}. Hint: use method='restarts', which also gives a lower bound."
        )
    widest = float((table.g.max(axis=1) - table.g.min(axis=1)).max()) + 1
    part, right = _parting_rows(table.g, widest, margin)
    single_answer = block_array([[coo_array((n, m)), kron(eye_array(n), np.ones((1, m)))]]).tocsr()
    solved = milp(
        np.concatenate([np.zeros(m), table.v.ravel()]),
        integrality=np.repeat([0, 1], [m, n * m]),
        bounds=Bounds(0, np.repeat([widest, 1.0], [m, n * m])),
        constraints=[LinearConstraint(part, right, np.inf), LinearConstraint(single_answer, 1, 1)],
        options={"mip_rel_gap": _GAP, "time_limit": time_limit},
    )
    bound = solved.mip_dual_bound
    u = None if solved.x is None else np.asarray(solved.x[:m] - solved.x[0])
    return u, -np.inf if bound is None else float(bound), solved.status == 0


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


def linear_relaxation(
    f: FloatArray,
    v: FloatArray,
    *,
    eta: float = 1e-6,
    normalize: Literal["first", "sum"] | None = "first",
) -> tuple[FloatArray, float]:
    """Solve eq. (14): the integer program (9)-(13) with answers in [0, 1], plus eta ||w - 1||_1.

    Returns the weights, and the value with that last term. As printed (`normalize=None`) the program is
    degenerate: w = 0 frees every answer and the value is eta m. Fixing the first weight, or the sum of all,
    repairs that; even then the relaxation mostly returns the scores unweighted. Kept to reproduce the paper.
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
    return np.asarray(solved.x[:m]), float(solved.fun)


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
    size = int(min(n, max(2, _BOUND_BUDGET // (n * m * m)), _LARGEST_GROUP))
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
