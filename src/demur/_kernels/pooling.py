"""The pass over two sorted samples: ties merged to groups, groups pooled to blocks, pairs counted.

`sweep` is its only caller and says what it is for.
"""

from typing import Any

import numpy as np

from demur._kernels.jit import kernel
from demur.typing import FloatArray

__all__ = ["merge_and_pool", "merge_and_pool_whole"]

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
