"""Slow, obvious implementations written from the definitions, and data to try them on."""

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st


@st.composite
def scored_data(draw, max_size=14, both_classes=False):
    """Tied, weighted data: (labels, scores, weights)."""
    n = draw(st.integers(2 if both_classes else 1, max_size))
    labels = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    if both_classes:
        labels[0], labels[1] = 0, 1
    levels = draw(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=6))
    scores = draw(st.lists(st.sampled_from(levels), min_size=n, max_size=n))
    weights = draw(st.lists(st.sampled_from([1.0, 1.0, 2.0, 0.5, 3.0]), min_size=n, max_size=n))
    return labels, scores, weights


def all_windows(scores):
    """Index pairs (i, j) over the distinct scores: first i negative, up to j abstained on."""
    k = len(set(scores))
    return [(i, j) for i in range(k + 1) for j in range(i, k + 1)]


def window_cost(y, s, w, window, mu, nu_positive, nu_negative):
    """Cost per case and abstained mass of one window, by looking at every case."""
    rank = {score: index for index, score in enumerate(sorted(set(s)))}
    cost = abstained = 0.0
    for label, score, weight in zip(y, s, w, strict=True):
        group = rank[score]
        if group < window[0]:
            cost += weight * (1.0 if label else 0.0)
        elif group < window[1]:
            cost += weight * (nu_positive if label else nu_negative)
            abstained += weight
        else:
            cost += weight * (0.0 if label else mu)
    return cost / sum(w), abstained / sum(w)


def pairs_auc(y, s, w):
    """AUC over all pairs, ties one half."""
    won = total = 0.0
    for yi, si, wi in zip(y, s, w, strict=True):
        for yj, sj, wj in zip(y, s, w, strict=True):
            if yi == 1 and yj == 0:
                total += wi * wj
                won += wi * wj * (1.0 if si > sj else 0.5 if si == sj else 0.0)
    return won / total


def pooled_blocks(positives, negatives):
    """Blocks by pooling the first violating neighbours until none is left, in exact fractions."""
    blocks = [(Fraction(p), Fraction(n)) for p, n in zip(positives, negatives, strict=True)]
    while True:
        for k in range(len(blocks) - 1):
            (p1, n1), (p2, n2) = blocks[k], blocks[k + 1]
            if p1 * n2 >= p2 * n1:
                blocks[k : k + 2] = [(p1 + p2, n1 + n2)]
                break
        else:
            return blocks


def threshold_rates(y, s, w):
    """(fpr, fnr) of calling positive every score >= t, for every t and for infinity."""
    positives = sum(wi for yi, wi in zip(y, w, strict=True) if yi)
    negatives = sum(w) - positives
    rates = []
    for t in [*sorted(set(s)), float("inf")]:
        fp = sum(wi for yi, si, wi in zip(y, s, w, strict=True) if not yi and si >= t)
        fn = sum(wi for yi, si, wi in zip(y, s, w, strict=True) if yi and si < t)
        rates.append((fp / negatives, fn / positives))
    return rates


def folds_of(y, folds, repeats, seed):
    """Fold of every case in every split: each class dealt out evenly, then shuffled.

    Stream r depends on (seed, r) alone; the positives are dealt first. Nothing but the labels in
    row order and the seed decides.
    """
    y = np.asarray(y)
    splits = []
    for repeat in range(repeats):
        rng = np.random.default_rng([seed, repeat])
        fold = np.empty(len(y), dtype=int)
        for label in (1, 0):
            (where,) = np.nonzero(y == label)
            dealt = np.arange(len(where)) % folds
            rng.shuffle(dealt)
            fold[where] = dealt
        splits.append(fold)
    return splits


def price(label, code, mu, nu):
    """Cost of one decision in normal form; a miss costs 1."""
    if code == -1:
        return nu
    return 0.0 if code == label else (1.0 if label else mu)
