"""Scores to counts: the one place where scores are sorted, ties merged and blocks pooled.

Positives and negatives are sorted apart (values only, no argsort, in two threads) and
merged in one pass. The pass merges equal scores into groups, optionally writes the groups
out, counts ordered pairs (Mann-Whitney), and pools the groups to blocks by the
pool-adjacent-violators rule (Friedel et al. 2006; Barlow et al. 1972).

Large samples are sorted by `np.sort` where NumPy does it with vectors and by a radix sort elsewhere; the
order of many cases always by the radix sort (`radix` says why, with times). Order is stable: equal scores
stay as they came. A score of -0.0 is the score 0.0. So results are the same on every processor.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from demur._kernels.jit import compiled, kernel, run, worth_compiling
from demur._kernels.radix import radix_order, radix_pays, radix_sort, sorts_with_vectors
from demur.typing import BoolArray, FloatArray, IntArray

__all__ = [
    "LevelSweep",
    "Sample",
    "ScoreGroups",
    "Sweep",
    "ascending_order",
    "distribution",
    "level_sweep",
    "merge_and_pool",
    "merge_and_pool_whole",
    "merge_close",
    "order_and_scores",
    "ordered_sums",
    "score_groups",
    "sorted_columns",
    "sorted_levels",
    "sorted_samples",
    "sorted_values",
    "sweep",
]

_THREADS_FROM = 2**17
_ARRAYS_FROM = 2**10  # where array operations overtake the interpreted pass
_NOTHING: FloatArray = np.empty(0)
_WHOLE = 2.0**53  # whole numbers up to it add up exactly in any order
_SCALE_LIMIT = 480  # products of counts beyond 2**480 or below 2**-480 would overflow


class Sample(NamedTuple):
    """Scores of one class, ascending, with weights (None: all 1)."""

    scores: FloatArray
    weights: FloatArray | None

    def total(self) -> float:
        """Sum of the weights."""
        return float(len(self.scores)) if self.weights is None else float(self.weights.sum())

    def below(self, score: float, *, through: bool) -> float:
        """Sum of the weights of the scores below one; `through` counts that score, too."""
        at = int(np.searchsorted(self.scores, score, side="right" if through else "left"))
        return float(at) if self.weights is None else float(self.weights[:at].sum())

    def neighbours(self, score: float, *, through: bool) -> tuple[float, float]:
        """Largest score below one (`through`: or equal), and the smallest of the others."""
        at = int(np.searchsorted(self.scores, score, side="right" if through else "left"))
        below = self.scores[at - 1] if at > 0 else -np.inf
        return float(below), float(self.scores[at] if at < len(self.scores) else np.inf)

    def mean(self, values: FloatArray) -> float:
        """Weighted mean of one value per case."""
        # no dot product: waking the threads of BLAS costs more than the sum
        return float(values.mean() if self.weights is None else (values * self.weights).sum() / self.total())


class Sweep(NamedTuple):
    """Everything one pass over two sorted samples yields."""

    block_positives: FloatArray
    block_negatives: FloatArray
    block_lower: FloatArray
    block_upper: FloatArray
    block_groups: IntArray
    scores: FloatArray | None
    positives: FloatArray | None
    negatives: FloatArray | None
    pairs_won: float
    pairs_tied: float
    pairs_exponent: int
    """Pairs are in units of 2**pairs_exponent, so that extreme weights cannot overflow."""


def sorted_samples(
    positive: BoolArray, scores: FloatArray, weights: FloatArray | None
) -> tuple[Sample, Sample]:
    """Split by class and sort each part; cases of weight zero are dropped."""
    if weights is None:
        n_positive = int(np.count_nonzero(positive))
        # the positives first, -0.0 as 0.0; the order inside a class does not matter
        if worth_compiling(len(scores)):
            parts = np.empty_like(scores)
            compiled(_partition_loop)(scores, positive, parts)
        else:
            parts = np.concatenate([scores[positive], scores[~positive]]) + scores.dtype.type(0)
        positives, negatives = parts[:n_positive], parts[n_positive:]
        if min(len(positives), len(negatives)) < _THREADS_FROM:
            _sort(positives)
            _sort(negatives)
        else:
            # both ways to sort release the interpreter lock
            with ThreadPoolExecutor(2) as pool:
                list(pool.map(_sort, (positives, negatives)))
        return _widened(positives, None), _widened(negatives, None)
    keep = weights > 0
    if not keep.all():
        positive, scores, weights = positive[keep], scores[keep], weights[keep]
    return _weighted(scores[positive], weights[positive]), _weighted(scores[~positive], weights[~positive])


def sorted_columns(scores: FloatArray, positives: FloatArray, negatives: FloatArray) -> tuple[Sample, Sample]:
    """Sort scores that both classes share, once, with a weight of each class; weights of zero are dropped."""
    if np.all(scores[1:] >= scores[:-1]):
        # copies: the counts must not change with the user's arrays
        scores, positives, negatives = scores + 0.0, positives.copy(), negatives.copy()
    else:
        order, scores = order_and_scores(scores)
        positives, negatives = positives[order], negatives[order]
    return _without_zeros(scores, positives), _without_zeros(scores, negatives)


def _without_zeros(scores: FloatArray, weights: FloatArray) -> Sample:
    keep = weights > 0
    return Sample(scores, weights) if keep.all() else Sample(scores[keep], weights[keep])


def sorted_values(values: FloatArray) -> FloatArray:
    """Return a sorted copy of values that have no class."""
    ascending = values + 0.0  # no -0.0
    _sort(ascending)
    return ascending


def merged(first: FloatArray, second: FloatArray) -> FloatArray:
    """Merge two ascending arrays: a stable sort finds the two runs and compares each value once."""
    return np.sort(np.concatenate([first, second]), kind="stable")


def ascending_order(scores: FloatArray) -> IntArray:
    """Positions of the scores in ascending order, tied ones in the order of the cases.

    Only for statistics that need to know whose score is where: of several models on the same cases,
    or of amounts per case. One model alone goes through `sorted_samples`, which sorts values only.
    """
    return order_and_scores(scores)[0]


def order_and_scores(scores: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return `ascending_order` and the scores in it, which cost nothing more."""
    if radix_pays(len(scores)):
        return radix_order(np.ascontiguousarray(scores))
    order = np.argsort(scores)
    ascending = scores[order]
    new = ascending[1:] != ascending[:-1]
    if not new.all():
        # vectors leave ties in any order: sort the positions within every group of them
        before = np.append(0, np.cumsum(new)) * len(scores)
        order = np.sort(before + order) - before
        ascending = scores[order]
    return order, ascending + 0.0


def _weighted(scores: FloatArray, weights: FloatArray) -> Sample:
    order, ascending = order_and_scores(scores)
    return _widened(ascending, weights[order])


def _widened(ascending: FloatArray, weights: FloatArray | None) -> Sample:
    """Make a sample of float32 as float64, exactly: it is sorted in half the time before."""
    return Sample(ascending.astype(np.float64, copy=False), weights)


@kernel
def _partition_loop(scores: Any, positive: Any, out: Any) -> None:
    # Writes every score at both ends and advances one of them: no branch to mispredict.
    front = 0
    back = len(scores) - 1
    for index in range(len(scores)):
        score = scores[index] + 0.0
        out[front] = score
        out[back] = score
        step = int(positive[index])
        front += step
        back -= 1 - step


def _sort(values: FloatArray) -> None:
    if radix_pays(len(values)) and not sorts_with_vectors():
        radix_sort(values)
    else:
        values.sort()


def sweep(positives: Sample, negatives: Sample, *, groups: bool) -> Sweep:
    """Merge two sorted samples to blocks, pair counts and, if asked, groups.

    O(n) time; the stack of the pooling is the only working memory.
    """
    size = len(positives.scores) + len(negatives.scores)
    exponent = 0
    if positives.weights is not None or negatives.weights is not None:
        # power of two to divide extreme weights by (exact), 0 for ordinary ones
        power = int(np.frexp(positives.total() + negatives.total())[1])
        exponent = power if abs(power) > _SCALE_LIMIT else 0
    weights = [
        _NOTHING if w is None else np.ldexp(w, -exponent) if exponent else w
        for w in (positives.weights, negatives.weights)
    ]
    inputs: list[Any] = [positives.scores, weights[0], negatives.scores, weights[1]]
    if worth_compiling(size):
        stack = _stack_size(size, weighted=len(weights[0]) > 0 or len(weights[1]) > 0)
        outputs: list[Any] = [np.empty(stack) for _ in range(4)] + [np.empty(stack, np.int64)]
        outputs += [np.empty(size) if groups else _NOTHING for _ in range(3)]
        loop: Any = compiled(merge_and_pool)
    elif size >= _ARRAYS_FROM and _counts_pairs_exactly(positives, negatives):
        whole_blocks, columns, won, tied = merge_and_pool_whole(*inputs)
        return Sweep(*whole_blocks, *(columns if groups else [None] * 3), won, tied, 0)  # type: ignore[call-arg]
    else:
        inputs = [values.tolist() for values in inputs]
        outputs = [[0.0] * size for _ in range(4)] + [[0] * size]
        outputs += [[0.0] * (size if groups else 0) for _ in range(3)]
        loop = merge_and_pool
    n_blocks, n_groups, won, tied = loop(*inputs, *outputs, groups)
    blocks = [_cut_off(out, n_blocks) for out in outputs[:5]]
    emitted = [_cut_off(out, n_groups) for out in outputs[5:]] if groups else [None, None, None]
    blocks[4] = blocks[4].astype(np.int64, copy=False)
    if exponent:
        for counted in (*blocks[:2], *(emitted[1:] if groups else ())):
            np.ldexp(counted, exponent, out=counted)
    return Sweep(*blocks, *emitted, float(won), float(tied), 2 * exponent)  # type: ignore[call-arg]


def _counts_pairs_exactly(positives: Sample, negatives: Sample) -> bool:
    """Tell whether all weights are whole numbers with so few pairs that floats count them exactly."""
    weights = [sample.weights for sample in (positives, negatives) if sample.weights is not None]
    whole = all(np.array_equal(given, np.floor(given)) for given in weights)
    return whole and positives.total() * negatives.total() < _WHOLE


def _cut_off(out: Any, length: int) -> Any:
    """Return the first elements as an array, and give back the rest of the worst-case buffer."""
    if isinstance(out, list):
        return np.array(out[:length])
    out.resize(length, refcheck=False)  # in place: millions of groups are not copied
    return out


def _stack_size(size: int, *, weighted: bool) -> int:
    """Largest possible number of blocks.

    The shares of the blocks are distinct fractions. With unit weights a block of share a/d in
    lowest terms holds at least d cases, and there are phi(d) such fractions, so B blocks need
    at least about (2 / pi**2) d**3 cases where B = (3 / pi**2) d**2: B is about 0.88 n**(2/3).
    """
    return size if weighted else min(size, int(2 * size ** (2 / 3)) + 64)


def merge_close(first: FloatArray, second: FloatArray, width: float) -> tuple[FloatArray, IntArray, IntArray]:
    """Merge two ascending arrays; values at most `width` above the first of a group join it.

    Returns the smallest value of each group and, per array, how many of its elements lie in
    this group or below.
    """
    size = len(first) + len(second)
    outputs: list[Any] = [np.empty(size), np.empty(size, np.int64), np.empty(size, np.int64)]
    n_groups = run(_merge_close_loop, size, [first, second, width], outputs)
    values, below, beside = (out[:n_groups].copy() for out in outputs)
    return values, below, beside


@kernel
def _merge_close_loop(first: Any, second: Any, width: Any, values: Any, below: Any, beside: Any) -> int:
    at, other, n_groups = 0, 0, 0
    while at < len(first) or other < len(second):
        if other >= len(second) or (at < len(first) and first[at] <= second[other]):
            start = first[at]
        else:
            start = second[other]
        while at < len(first) and first[at] - start <= width:
            at += 1
        while other < len(second) and second[other] - start <= width:
            other += 1
        values[n_groups] = start
        below[n_groups] = at
        beside[n_groups] = other
        n_groups += 1
    return n_groups


class LevelSweep(NamedTuple):
    """Cases of any number of classes in ascending order of score; equal scores form a group."""

    order: IntArray
    """Element i is the input position of the case at place i."""
    codes: IntArray
    """Class of the case at place i."""
    groups: IntArray
    """Group of the case at place i, from 0."""
    scores: FloatArray
    """Score of every group, strictly ascending."""
    weights: FloatArray | None
    """Weight of the case at place i (None: all 1)."""

    def column(self, code: int) -> FloatArray:
        """Weight of one class in every group."""
        members = np.flatnonzero(self.codes == code)
        weights = None if self.weights is None else self.weights[members]
        counts = np.bincount(self.groups[members], weights=weights, minlength=len(self.scores))
        return counts.astype(np.float64, copy=False)


def level_sweep(codes: IntArray, scores: FloatArray, weights: FloatArray | None) -> LevelSweep:
    """Sort cases of any number of classes and merge ties.

    Positions are kept, because variances and paired comparisons ask whose score is where.
    """
    order, ascending = order_and_scores(scores)
    new = _starts_group(ascending)
    return LevelSweep(
        order=order,
        codes=codes[order],
        groups=np.cumsum(new) - 1,
        scores=ascending[new],
        weights=None if weights is None else weights[order],
    )


def _starts_group(ascending: FloatArray) -> BoolArray:
    """Tell which of at least one ascending score differs from the one before."""
    new = np.empty(len(ascending), dtype=np.bool_)
    new[0] = True
    # compared, not subtracted: inf - inf is not 0
    np.not_equal(ascending[1:], ascending[:-1], out=new[1:])
    return new


class ScoreGroups(NamedTuple):
    """Cases in ascending order of score; equal scores form a group. For sums of anything per score."""

    order: IntArray
    """Element i is the input position of the case at place i."""
    starts: IntArray
    """Place of the first case of every group."""
    scores: FloatArray
    """Score of every group, strictly ascending."""

    def ascending(self, column: FloatArray) -> FloatArray:
        """Return one number per case in the order of the scores."""
        return column.take(self.order)

    def sums(self, ascending: FloatArray) -> FloatArray:
        """Sum numbers in the order of the scores over every group; the input itself without ties."""
        if len(self.starts) == len(self.order):
            return ascending
        return np.add.reduceat(ascending, self.starts)

    def places(self) -> IntArray:
        """Group of the case at every input position."""
        at = np.empty(len(self.order), dtype=np.int64)
        at[self.order] = np.repeat(np.arange(len(self.starts)), np.diff(self.starts, append=len(self.order)))
        return at

    def sizes(self) -> FloatArray:
        """Number of cases in every group."""
        return np.diff(self.starts, append=len(self.order)).astype(np.float64)


def ordered_sums(at: IntArray, column: FloatArray, size: int) -> FloatArray:
    """Sum the numbers at each of `size` places, smallest first: the same bits in any order of the rows."""
    if len(column) > size and not (column.sum() < _WHOLE and np.all(column == np.floor(column))):
        order = np.lexsort((column, at))
        at, column = at[order], column[order]
    return np.bincount(at, column, size).astype(np.float64, copy=False)


def score_groups(scores: FloatArray) -> ScoreGroups:
    """Sort at least one score and merge ties, for sums of columns that stay with their cases."""
    order, ascending = order_and_scores(scores)
    starts = np.flatnonzero(_starts_group(ascending))
    return ScoreGroups(order, starts, ascending if len(starts) == len(order) else ascending[starts])


def sorted_levels(
    codes: IntArray, scores: FloatArray, weights: FloatArray | None, n_levels: int
) -> list[Sample]:
    """Split by class and sort each part, for any number of classes."""
    if weights is not None:
        parts = [np.flatnonzero(codes == code) for code in range(n_levels)]
        return [_weighted(scores[members], weights[members]) for members in parts]
    return [_widened(sorted_values(scores[codes == code]), None) for code in range(n_levels)]


_SPLITTER = 134217729.0  # 2**27 + 1, Dekker (1971)
_SHRINKS = 0.9  # a round over all blocks pays if it leaves at most this part of them


@kernel
def merge_and_pool(
    pos_scores: Any,
    pos_weights: Any,
    neg_scores: Any,
    neg_weights: Any,
    block_pos: Any,
    block_neg: Any,
    block_lower: Any,
    block_upper: Any,
    block_groups: Any,
    group_scores: Any,
    group_pos: Any,
    group_neg: Any,
    emit: Any,
) -> Any:
    """Fill blocks and, if `emit`, groups; return how many of each, the pairs won and the pairs tied."""
    n_pos = len(pos_scores)
    n_neg = len(neg_scores)
    at_pos = at_neg = n_groups = 0
    top = -1
    negatives_below = won = tied = 0.0
    while at_pos < n_pos or at_neg < n_neg:
        # the next step: a run of scores of one class only, or one score of both. Runs belong to
        # one block whatever follows (share 0 or 1), so they are pooled unseen
        pos = neg = 0.0
        members = -n_groups
        if at_neg >= n_neg or (at_pos < n_pos and pos_scores[at_pos] < neg_scores[at_neg]):
            lower = pos_scores[at_pos]
            rival = neg_scores[at_neg] if at_neg < n_neg else np.inf
            at_pos, pos, score, n_groups = _take_run(
                pos_scores,
                pos_weights,
                at_pos,
                rival,
                at_neg >= n_neg,
                group_scores,
                group_pos,
                group_neg,
                n_groups,
                emit,
            )
        elif at_pos >= n_pos or neg_scores[at_neg] < pos_scores[at_pos]:
            lower = neg_scores[at_neg]
            rival = pos_scores[at_pos] if at_pos < n_pos else np.inf
            at_neg, neg, score, n_groups = _take_run(
                neg_scores,
                neg_weights,
                at_neg,
                rival,
                at_pos >= n_pos,
                group_scores,
                group_neg,
                group_pos,
                n_groups,
                emit,
            )
        else:
            lower = score = pos_scores[at_pos]
            at_pos, pos = _take_equal(pos_scores, pos_weights, at_pos, score)
            at_neg, neg = _take_equal(neg_scores, neg_weights, at_neg, score)
            if emit:
                group_scores[n_groups] = score
                group_pos[n_groups] = pos
                group_neg[n_groups] = neg
            n_groups += 1
            tied += pos * neg
        members += n_groups
        won += pos * negatives_below
        negatives_below += neg
        top = _pool(
            block_pos, block_neg, block_lower, block_upper, block_groups, top, pos, neg, lower, score, members
        )
    return top + 1, n_groups, won, tied


@kernel
def _take_equal(scores: Any, weights: Any, at: Any, score: Any) -> Any:
    # from `at` on, the cases of one class with this score
    weighted = len(weights) > 0
    size = len(scores)
    total = 0.0
    while at < size and scores[at] == score:
        total += weights[at] if weighted else 1.0
        at += 1
    return at, total


@kernel
def _take_run(
    scores: Any,
    weights: Any,
    at: Any,
    rival: Any,
    last: Any,
    group_scores: Any,
    group_own: Any,
    group_other: Any,
    n_groups: Any,
    emit: Any,
) -> Any:
    # from `at` on, the scores of one class below the next score of the other (`last`: all the rest);
    # that score is an argument, as looking it up in here costs half as much time again
    weighted = len(weights) > 0
    size = len(scores)
    score = scores[at]
    total = 0.0
    while at < size and (last or scores[at] < rival):
        weight = weights[at] if weighted else 1.0
        if total == 0.0 or scores[at] != score:
            score = scores[at]
            if emit:
                group_scores[n_groups] = score
                group_own[n_groups] = 0.0
                group_other[n_groups] = 0.0
            n_groups += 1
        if emit:
            group_own[n_groups - 1] += weight
        total += weight
        at += 1
    return at, total, score, n_groups


@kernel
def _pool(
    block_pos: Any,
    block_neg: Any,
    block_lower: Any,
    block_upper: Any,
    block_groups: Any,
    top: Any,
    pos: Any,
    neg: Any,
    lower: Any,
    upper: Any,
    members: Any,
) -> Any:
    # pool while the block below has at least this block's ratio of positives, then put it on top
    while top >= 0:
        left = block_pos[top] * neg
        right = pos * block_neg[top]
        gap = left - right
        if abs(gap) <= 4e-16 * left:
            # the two products may round to either order: their exact rounding errors decide, so
            # that equal ratios of huge counts still pool
            gap += _rounding_error(block_pos[top], neg, left) - _rounding_error(pos, block_neg[top], right)
        if gap < 0.0:
            break
        pos += block_pos[top]
        neg += block_neg[top]
        lower = block_lower[top]
        members += block_groups[top]
        top -= 1
    top += 1
    block_pos[top] = pos
    block_neg[top] = neg
    block_lower[top] = lower
    block_upper[top] = upper
    block_groups[top] = members
    return top


@kernel
def _rounding_error(a: Any, b: Any, product: Any) -> Any:
    # a b - product, exactly (Dekker 1971)
    total = a * _SPLITTER
    ah = total - (total - a)
    al = a - ah
    total = b * _SPLITTER
    bh = total - (total - b)
    bl = b - bh
    return ((ah * bh - product) + ah * bl + al * bh) + al * bl


def merge_and_pool_whole(
    pos_scores: FloatArray, pos_weights: FloatArray, neg_scores: FloatArray, neg_weights: FloatArray
) -> tuple[list[Any], list[FloatArray], float, float]:
    """Return the five block columns, the three group columns, the pairs won and the pairs tied.

    What `merge_and_pool` finds, to the bit, with array operations: for weights that are whole numbers and
    have fewer than 2**53 pairs. All sums and products are exact then, and the blocks are the same in
    whatever order neighbours are pooled.
    """
    scores = np.concatenate([pos_scores, neg_scores])
    # a stable sort finds the two runs and merges them
    order = np.argsort(scores, kind="stable")
    scores = scores[order]
    starts = np.flatnonzero(np.append(True, scores[1:] != scores[:-1]))
    samples = (pos_scores, pos_weights), (neg_scores, neg_weights)
    weights = np.concatenate([given if len(given) else np.ones(len(one)) for one, given in samples])[order]
    positive = order < len(pos_scores)
    pos = np.add.reduceat(np.where(positive, weights, 0.0), starts)
    neg = np.add.reduceat(np.where(positive, 0.0, weights), starts)
    scores = scores[starts]
    won = float((pos * (np.cumsum(neg) - neg)).sum())
    tied = float((pos * neg).sum())
    return _pooled_blocks(scores, pos, neg), [scores, pos, neg], won, tied


def _pooled_blocks(scores: FloatArray, pos: FloatArray, neg: FloatArray) -> list[Any]:
    """Pool the groups in rounds, every run of blocks whose shares do not rise at once; then one by one."""
    first = np.arange(len(scores))
    while True:
        rises = np.append(True, pos[:-1] * neg[1:] < pos[1:] * neg[:-1])
        starts = np.flatnonzero(rises)
        shrinks = len(starts) <= _SHRINKS * len(first)
        if len(starts) < len(first):
            pos, neg, first = np.add.reduceat(pos, starts), np.add.reduceat(neg, starts), first[starts]
        if not shrinks:
            break
    last = np.append(first[1:], len(scores)) - 1
    members = last - first + 1
    columns: Any = (column.tolist() for column in (pos, neg, scores[first], scores[last], members))
    blocks: Any = (*([0.0] * len(first) for _ in range(4)), [0] * len(first))
    pool: Any = _pool
    top = -1
    for block in zip(*columns, strict=True):
        top = pool(*blocks, top, *block)
    return [np.array(column[: top + 1]) for column in blocks]


def distribution(values: FloatArray, weights: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    """Return the distinct values, ascending, and the running weight up to each of them."""
    if weights is None:
        ordered = sorted_values(values)
    else:
        ordered, weights = sorted_samples(np.ones(len(values), dtype=np.bool_), values, weights)[0]
    last = ordered[1:] != ordered[:-1]
    if weights is None and last.all():  # nothing to pick out: saves a third of the time at 10^7 errors
        return ordered, np.arange(1.0, len(ordered) + 1)
    end = np.append(np.flatnonzero(last), len(ordered) - 1)
    return ordered[end], end + 1.0 if weights is None else np.asarray(np.cumsum(weights)[end])
