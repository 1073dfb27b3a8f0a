"""Searches for cheap class weights: exact line searches, restarts, and the paper's own methods.

Every function takes a `Table` (distinct log scores and costs) and returns log weights. They
reach a local optimum of eq. (1) of Deng et al. (2006); none proves that it is the global one.
"""

from collections.abc import Callable
from itertools import combinations
from typing import Literal

import numpy as np

from demur._kernels.exact_three import cheapest_labels
from demur._kernels.weight_objective import (
    DEEPEST,
    Table,
    descend,
    predicted,
    single_moves,
    soft_cost,
    subset_moves,
    table_of,
    total_cost,
)
from demur.multiclass.cells import widest_weights
from demur.typing import FloatArray, IntArray

__all__ = [
    "coordinate_search",
    "differential_evolution",
    "genetic_search",
    "lachiche_flach",
    "restarts",
    "search_by_name",
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
    best, value = _best_of(table, [np.zeros(m), lachiche_flach(table)], n_restarts + 2)
    spread = float(np.median(np.abs(table.g - np.median(table.g, axis=1, keepdims=True))))
    moves = single_moves(m)
    for turn in range(n_restarts):
        if turn % 2 == 0:
            u = best + rng.normal(size=m) * (_NOISE[turn // 2 % len(_NOISE)] * spread)
        else:
            u = 1e-6 * rng.normal(size=m) - table.g[rng.integers(n)]
        reached = descend(table, u, rng.permutation(moves), current=table_cost(table, u), work=n_restarts + 2)
        if reached < value - table.cost_tolerance:
            best, value = u, reached
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


def _best_of(table: Table, starts: list[FloatArray], work: int) -> tuple[FloatArray, float]:
    """Coordinate search from each start; the first of the cheapest."""
    reached = [coordinate_search(table, start, work=work) for start in starts]
    values = [table_cost(table, u) for u in reached]
    first = int(np.argmin(values))
    return reached[first], values[first]


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
    if m == 1:
        return np.zeros(1)

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
    cost = _weight_cost(table, objective)
    m = table.g.shape[1]
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
    u = _log_weights(w)
    return np.asarray(u - u[0])


def _weight_cost(table: Table, objective: str) -> Callable[[FloatArray], FloatArray]:
    if objective == "hard":
        return lambda population: _population_cost(table, _log_weights(population))
    f = np.exp(table.g)
    priced = f * table.v
    # eq. (15) is a sum of ratios linear in w: two matrix products for a whole population
    return lambda population: np.asarray(
        ((priced @ population.T + 1e-300) / (f @ population.T + 1e-300)).sum(axis=0)
    )


def _log_weights(w: FloatArray) -> FloatArray:
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


def search_by_name(
    name: str, table: Table, rng: np.random.Generator, n_restarts: int, order: IntArray | None
) -> FloatArray:
    """Run one of the searches of this module."""
    searches: dict[str, Callable[[], FloatArray]] = {
        "none": lambda: np.zeros(table.g.shape[1]),
        "coordinate": lambda: coordinate_search(table),
        "subsets": lambda: coordinate_search(table, subsets=True),
        "restarts": lambda: restarts(table, rng, n_restarts),
        "lachiche-flach": lambda: lachiche_flach(table, order),
        "solff": lambda: soft_search(table, rng),
        "ga": lambda: genetic_search(table, rng, "hard"),
        "ga-solff": lambda: genetic_search(table, rng, "soft"),
        "de": lambda: differential_evolution(table, rng),
    }
    return searches[name]()
