"""Law of the largest deviation of a cost estimate over a grid, by a grouped multiplier bootstrap.

The estimate at every grid point is a mean of per-case losses. Giving each case a standard
normal multiplier and summing multiplier times centred loss imitates its sampling error at
all points jointly (Chernozhukov, Chetverikov, Kato 2013), without refitting anything. Cases of
one group (fold, position, class) share their losses, so one normal variable of variance
"number of cases" serves the group, and the work grows with the groups, not with the cases.
Every draw has its own seed: results are the same bytes whatever the number of workers.

The sums are a normal vector with one entry per grid point. Where there are more groups of cases than
grid points it is quicker to factor its covariance, exactly, and to draw from that. On a grid of few points
the losses of all groups are at hand, and their QR factor is one of the covariance. For many cases a matrix
is computed: a loss is a sum of steps in the position of a case, so sums of products of losses are look-ups
in cumulative tables of positions.
"""

import math
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from demur._kernels.jit import COMPILE_FROM, compiled, kernel, worth_compiling
from demur._progress import Progress
from demur.honest.held_out import JudgedRules
from demur.honest.pairs import JudgedPair
from demur.honest.rules import PricePoints
from demur.typing import FloatArray, IntArray

__all__ = [
    "deviations",
    "effects_pay",
    "factored_deviations",
    "group_sizes",
    "inverse_error",
    "largest_deviations",
    "loss_part",
    "matrix_pays",
    "max_deviations",
    "pair_covariance",
    "pivoted_factor",
    "rules_covariance",
    "rules_effects",
    "upper_quantile",
]

LossPart: TypeAlias = Callable[[FloatArray], FloatArray]
"""Linear map from multipliers to centred, scaled sums on the grid, for one model."""

_NO_ERROR = 1e-12  # standard errors below this are rounding: nothing varies there
_NUMBERS_PER_CHUNK = 2**19
_MANY_GROUPS = 2**13
_GROUPS_PER_POINT = 8
# beyond, factoring takes longer than a multiplier for every group
_FEW_POINTS = 2**8
_POINTS_AT_ONCE = 2**7


def effects_pay(rules: JudgedRules, points: int) -> bool:
    """Tell whether the loss of every group at every point is cheaper than its multipliers."""
    cases = rules.weighting.n_positive + rules.weighting.n_negative
    return points <= _FEW_POINTS and cases < COMPILE_FROM


def matrix_pays(rules: JudgedRules, groups: int, points: int) -> bool:
    """Tell whether the matrix over `points` is cheaper than a multiplier for each of the `groups`.

    Few groups pay for a small matrix as well, but not for loading the compiler: only where there
    are so many cases that it is loaded already. What is loaded must not decide, as the draws differ.
    """
    few = rules.weighting.n_positive + rules.weighting.n_negative < COMPILE_FROM
    return groups > (_MANY_GROUPS if few else min(_MANY_GROUPS, _GROUPS_PER_POINT * points))


def inverse_error(error: FloatArray) -> FloatArray:
    """1 / error, and 0 where nothing varies, so that such points never set the band."""
    return np.divide(1.0, error, out=np.zeros_like(error), where=error > _NO_ERROR)


def largest_deviations(
    judged: JudgedRules | JudgedPair,
    prices: PricePoints,
    error: FloatArray,
    *,
    n_resamples: int,
    rng: np.random.Generator,
    workers: int,
) -> FloatArray:
    """Draw the largest and the largest negative deviation, in standard errors: (n_resamples x 2).

    Of the cost of the rules at every point of a grid, or of the difference of two models.
    """
    scale = inverse_error(error)
    if isinstance(judged, JudgedPair):
        if matrix_pays(judged.first, len(judged.sizes), scale.size):
            return deviations(pair_covariance(judged, prices, scale), n_resamples, rng)
        sizes = judged.sizes
        models = (judged.first, judged.first_slot), (judged.second, judged.second_slot)
        parts = [loss_part(rules, prices, scale, slot) for rules, slot in models]
    else:
        sizes = group_sizes(judged)
        if effects_pay(judged, scale.size):
            return factored_deviations(rules_effects(judged, prices, scale), n_resamples, rng)
        if matrix_pays(judged, len(sizes), scale.size):
            return deviations(rules_covariance(judged, prices, scale), n_resamples, rng)
        parts = [loss_part(judged, prices, scale)]
    return max_deviations(sizes, parts, n_resamples=n_resamples, rng=rng, workers=workers)


def loss_steps(
    rules: JudgedRules, prices: PricePoints, scale: FloatArray
) -> list[tuple[IntArray, FloatArray]]:
    """Per class and fold: the centred loss times `scale` as a sum of three steps 1[x < cut] in the position.

    Cuts and weights are (grid points x 3). A positive costs miss 1[x < first] + abstain 1[first <= x < last]
    at position x, a negative abstain 1[first <= x < last] + alarm 1[x >= last]. The third cut lies above all
    positions.
    """
    miss, alarm, w, share_cuts = prices.miss, prices.alarm, rules.weighting, prices.share_cuts()
    review_positive, review_negative = prices.by_class
    positive, negative = (one.total for one in rules.interval_sums(prices))
    # cases scatter around the mean of their class where the prevalence is given
    centres = positive / w.n_positive, negative / w.n_negative
    if w.given is None:
        centres = 2 * ((positive + negative) * w.positive,)
    cuts = []
    for table in rules.tables:
        above = np.full(scale.shape, table.rule.n_positions)
        cuts.append(np.stack([*table.rule.limits(share_cuts), above], axis=1).astype(np.int64))
    by_class = (
        [w.positive * scale * c for c in (miss - review_positive, review_positive, -centres[0])],
        [w.negative * scale * c for c in (-review_negative, review_negative - alarm, alarm - centres[1])],
    )
    weights = [np.ascontiguousarray(np.stack(own, axis=1)) for own in by_class]
    return [(ends, own) for own in weights for ends in cuts]


def group_sizes(rules: JudgedRules) -> FloatArray:
    """Number of cases in every slot of one model."""
    _, positives, negatives = zip(*rules.tables, strict=True)
    return np.concatenate([*positives, *negatives])


def _extremes(drawn: FloatArray) -> FloatArray:
    """Return the largest and the largest negative entry of every column."""
    return np.column_stack([drawn.max(axis=0), -drawn.min(axis=0)])


# ---------------------------------------------------------------- a multiplier for every group


def loss_part(
    rules: JudgedRules, prices: PricePoints, scale: FloatArray, bins: IntArray | None = None
) -> LossPart:
    """Return the map of one model: sum of multiplier times weight times (loss - mean) times `scale`.

    It takes multipliers (draws x groups) to the grid (points x draws). `bins` is the slot of every multiplier
    group; None where each slot is a group of its own.
    """
    from scipy.sparse import csr_array

    cuts, weights = zip(*loss_steps(rules, prices, scale), strict=True)
    # ends of the (class, fold) segments among the slots; the running sums of each segment start with a 0
    bounds = np.concatenate(rules.slot_offsets())
    starts = bounds + np.arange(len(bounds))
    columns = np.concatenate([start + ends for start, ends in zip(starts[:-1], cuts, strict=True)])
    points = np.tile(np.repeat(np.arange(scale.size), 3), len(cuts))
    entries = np.concatenate(weights).ravel(), (points, columns.ravel())
    matrix = csr_array(entries, shape=(scale.size, starts[-1]))

    def on_grid(multipliers: FloatArray) -> FloatArray:
        slots = multipliers
        if bins is not None:
            order = np.argsort(bins, kind="stable")
            filled, first = np.unique(bins[order], return_index=True)
            slots = np.zeros((len(multipliers), bounds[-1]))
            slots[:, filled] = np.add.reduceat(multipliers[:, order], first, axis=1)
        running = np.zeros((len(multipliers), starts[-1]))
        for index, (start, end) in enumerate(pairwise(bounds)):
            np.cumsum(slots[:, start:end], axis=1, out=running[:, start + index + 1 : end + index + 1])
        return np.asarray(matrix @ np.ascontiguousarray(running.T))

    return on_grid


def max_deviations(
    sizes: FloatArray,
    parts: list[LossPart],
    *,
    n_resamples: int,
    rng: np.random.Generator,
    workers: int = 1,
) -> FloatArray:
    """Draw the largest and the largest negative deviation over the grid: (n_resamples x 2).

    `sizes` are the numbers of cases of the multiplier groups. The second part, if there is
    one, is subtracted from the first: the deviation of a paired difference.
    """
    scale = np.sqrt(sizes)
    # one fresh root seed, so that a generator passed twice gives two answers
    seeds = np.random.SeedSequence(rng.integers(2**63, size=2).tolist()).spawn(n_resamples)
    step = min(max(_NUMBERS_PER_CHUNK // max(len(sizes), 1), 1), 64)
    chunks = [seeds[at : at + step] for at in range(0, n_resamples, step)]

    def run(chunk: list[np.random.SeedSequence]) -> FloatArray:
        multipliers = np.empty((len(chunk), len(sizes)))
        for row, seed in zip(multipliers, chunk, strict=True):
            np.random.default_rng(seed).standard_normal(out=row)
        multipliers *= scale
        grid = parts[0](multipliers)
        for other in parts[1:]:
            grid -= other(multipliers)
        return _extremes(grid)

    chunks_done = []
    with ThreadPoolExecutor(workers) as pool, Progress(n_resamples) as progress:
        for result in pool.map(run, chunks) if workers > 1 else map(run, chunks):
            chunks_done.append(result)
            progress.advance(len(result))
    return np.concatenate(chunks_done)


def upper_quantile(values: FloatArray, level: float) -> float:
    """Return the smallest draw that at least a share `level` of (draws + 1) lies at or below."""
    rank = min(math.ceil(level * (len(values) + 1)), len(values))
    return float(np.partition(values, rank - 1)[rank - 1])


# ---------------------------------------------------------------- from the covariance


def rules_effects(rules: JudgedRules, prices: PricePoints, scale: FloatArray) -> FloatArray:
    """Centred, scaled loss of every group of cases at every grid point, for multipliers of variance 1.

    (groups x points), groups in the order of `group_sizes`.
    """
    effects = [
        ((np.arange(cuts[0, -1])[:, None, None] < cuts) * weights).sum(axis=-1)
        for cuts, weights in loss_steps(rules, prices, scale)
    ]
    return np.asarray(np.sqrt(group_sizes(rules))[:, None] * np.concatenate(effects))


def factored_deviations(effects: FloatArray, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    """Draw the largest and the largest negative entry of the normal vector: (n_resamples x 2)."""
    factor = np.linalg.qr(effects, mode="r")
    # the sign of a row is the library's choice: one choice, the same draws everywhere
    factor[np.diagonal(factor) < 0] *= -1
    drawn = rng.standard_normal((n_resamples, len(factor))) @ factor
    return _extremes(drawn.T)


def rules_covariance(rules: JudgedRules, prices: PricePoints, scale: FloatArray) -> FloatArray:
    """Covariance of the deviations of one model's mean cost times `scale`, over the grid."""
    nothing = np.zeros((scale.size, 3), dtype=np.int64), np.zeros((scale.size, 3)), np.zeros(1)
    columns = [table.positives for table in rules.tables] + [table.negatives for table in rules.tables]
    segments = []
    for steps, column in zip(loss_steps(rules, prices, scale), columns, strict=True):
        below = np.concatenate([[0.0], np.cumsum(column)])
        joint = np.zeros((len(below), 1))
        segments.append((*steps, below, *nothing, joint, joint.T))
    return _covariance(segments, scale.size)


def pair_covariance(pair: JudgedPair, prices: PricePoints, scale: FloatArray) -> FloatArray:
    """Covariance of the deviations of the mean difference of two models times `scale`, over the grid."""
    first, second = (loss_steps(rules, prices, scale) for rules in (pair.first, pair.second))
    # both ways round, as walking down a column of a large table is slow
    segments = (
        (*one, joint[:, -1].copy(), *two, joint[-1], joint, np.ascontiguousarray(joint.T))
        for one, two, joint in zip(first, second, pair.cumulative_tables(), strict=True)
    )
    return _covariance(segments, scale.size)


def _covariance(segments: Iterable[tuple[Any, ...]], points: int) -> FloatArray:
    """Add up the products of losses over the (class, fold) segments; see `_add_products`."""
    out = np.zeros((points, points))
    # pairs of points are what takes time
    add: Any = compiled(_add_products) if worth_compiling(points**2) else _add_products_by_block
    for segment in segments:
        add(*segment, out)
    return np.asarray(np.tril(out) + np.tril(out, -1).T)


def deviations(covariance: FloatArray, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    """Draw the largest and the largest negative entry of the normal vector: (n_resamples x 2)."""
    factor = pivoted_factor(covariance)
    return _extremes(factor @ rng.standard_normal((factor.shape[1], n_resamples)))


def pivoted_factor(covariance: FloatArray) -> FloatArray:
    """Return F of as many columns as the rank, with F F' the covariance: Cholesky, the largest pivot first.

    Pivoting, since points with the same windows make the matrix singular. LAPACK has it (dpstrf), but
    loading `scipy.linalg` takes as long as the report of a model, and this factor a millisecond.
    """
    size = len(covariance)
    left = np.diagonal(covariance).copy()
    rounding = size * np.finfo(np.float64).eps * left.max()
    factor = np.zeros((size, size))
    for rank in range(size):
        pivot = int(np.argmax(left))
        if left[pivot] <= rounding:
            return factor[:, :rank]
        column = covariance[:, pivot] - factor[:, :rank] @ factor[pivot, :rank]
        factor[:, rank] = column / math.sqrt(left[pivot])
        left -= factor[:, rank] ** 2
        left[pivot] = 0.0
    return factor


def _add_products_by_block(
    cuts_a: IntArray,
    weights_a: FloatArray,
    below_a: FloatArray,
    cuts_b: IntArray,
    weights_b: FloatArray,
    below_b: FloatArray,
    joint: FloatArray,
    turned: FloatArray,
    out: FloatArray,
) -> None:
    """Add products as `_add_products` does, to the bit, with array operations for many points p at once.

    Entries q > p, which nobody reads, may be filled as well.
    """
    points, steps = cuts_a.shape
    places_a, places_b = np.arange(len(below_a)), np.arange(len(below_b))
    paired = bool(weights_b.any())
    for start in range(0, points, _POINTS_AT_ONCE):
        stop = min(start + _POINTS_AT_ONCE, points)
        sums_a, sums_b = np.zeros((stop - start, len(below_a))), np.zeros((stop - start, len(below_b)))
        total = np.zeros((stop - start, stop))
        for k in range(steps):
            at_a, at_b = cuts_a[start:stop, k], cuts_b[start:stop, k]
            by_a, by_b = weights_a[start:stop, k, None], weights_b[start:stop, k, None]
            sums_a += by_a * below_a[np.minimum(at_a[:, None], places_a)]
            if paired:
                sums_a -= by_b * turned[at_b]
                sums_b += by_a * joint[at_a]
                sums_b -= by_b * below_b[np.minimum(at_b[:, None], places_b)]
        for k in range(steps):
            total += weights_a[:stop, k] * sums_a.take(cuts_a[:stop, k], axis=1)
            if paired:
                total -= weights_b[:stop, k] * sums_b.take(cuts_b[:stop, k], axis=1)
        out[start:stop, :stop] += total


@kernel
def _add_products(
    cuts_a: Any,
    weights_a: Any,
    below_a: Any,
    cuts_b: Any,
    weights_b: Any,
    below_b: Any,
    joint: Any,
    turned: Any,
    out: Any,
) -> None:
    """Add, for grid points q <= p, the sum over the cases of (loss a - loss b) at p times that at q.

    Element [x, y] of `joint` counts the cases among the first x positions of a and y of b;
    `turned` is its transpose.
    """
    points, steps = cuts_a.shape
    sums_a = np.zeros(len(below_a))
    sums_b = np.zeros(len(below_b))
    for p in range(points):
        # sums of the loss at p over the cases below every position of a, and of b
        sums_a[:] = 0.0
        sums_b[:] = 0.0
        for k in range(steps):
            for x in range(len(below_a)):
                sums_a[x] += weights_a[p, k] * below_a[min(cuts_a[p, k], x)]
                sums_a[x] -= weights_b[p, k] * turned[cuts_b[p, k], x]
            for y in range(len(below_b)):
                sums_b[y] += weights_a[p, k] * joint[cuts_a[p, k], y]
                sums_b[y] -= weights_b[p, k] * below_b[min(cuts_b[p, k], y)]
        for q in range(p + 1):
            total = 0.0
            for k in range(steps):
                total += weights_a[q, k] * sums_a[cuts_a[q, k]]
                total -= weights_b[q, k] * sums_b[cuts_b[q, k]]
            out[p, q] += total
