"""AUC inference from the definitions: tables of pairs, enumerated samples, enumerated swaps."""

import itertools

import numpy as np
from hypothesis import strategies as st


def order_table(x, y):
    """psi: rows negatives x, columns positives y; 1, 1/2 or 0."""
    x, y = np.asarray(x, float)[:, None], np.asarray(y, float)[None, :]
    return (x < y) + (x == y) / 2


def delong(table):
    n, m = table.shape
    return table.mean(1).var(ddof=1) / n + table.mean(0).var(ddof=1) / m


def jackknife(table):
    """Variance of the delete-one pseudo-values over all cases."""
    n, m = table.shape
    size = n + m
    whole = table.mean()
    left_out = [np.delete(table, i, 0).mean() for i in range(n)]
    left_out += [np.delete(table, j, 1).mean() for j in range(m)]
    pseudo = size * whole - (size - 1) * np.array(left_out)
    return pseudo.var(ddof=1) / size


def unbiased(table):
    """Squared mean minus the mean product over pairs of pairs that share no case."""
    n, m = table.shape
    rows, columns = itertools.permutations(range(n), 2), list(itertools.permutations(range(m), 2))
    products = [table[i, j] * table[k, h] for i, k in rows for j, h in columns]
    return table.mean() ** 2 - np.mean(products)


def bootstrap(table, n_drawn=None, m_drawn=None):
    """Variance over every stratified sample with replacement."""
    n, m = table.shape
    rows = itertools.product(range(n), repeat=n_drawn or n)
    columns = list(itertools.product(range(m), repeat=m_drawn or m))
    by_row = [table[list(row)].mean(0) for row in rows]
    return np.var([means[list(column)].mean() for means in by_row for column in columns])


def pooled_bootstrap(table):
    """Variance over every sample of all cases together that holds both classes."""
    n, m = table.shape
    values = []
    for drawn in itertools.product(range(n + m), repeat=n + m):
        rows, columns = [k for k in drawn if k < n], [k - n for k in drawn if k >= n]
        if rows and columns:
            values.append(table[np.ix_(rows, columns)].mean())
    return np.var(values)


VARIANCES = {"delong": delong, "jackknife": jackknife, "unbiased": unbiased, "bootstrap": bootstrap}


def swapped_differences(x1, y1, x2, y2):
    """Difference of the AUCs for every way to keep or swap the two scores of each case."""
    x, y = np.array([x1, x2], float), np.array([y1, y2], float)
    n, m = x.shape[1], y.shape[1]
    values = []
    for swaps in itertools.product((0, 1), repeat=n + m):
        row, column = np.array(swaps[:n], int), np.array(swaps[n:], int)
        first = order_table(x[row, range(n)], y[column, range(m)]).mean()
        values.append(first - order_table(x[1 - row, range(n)], y[1 - column, range(m)]).mean())
    return np.array(values)


def split(y, *scores, weights=None):
    """Negatives and positives of each model, repeated by weight: x1, y1, x2, y2, ..."""
    y = np.repeat(y, 1 if weights is None else weights)
    parts = []
    for score in scores:
        score = np.repeat(np.asarray(score, float), 1 if weights is None else weights)
        parts += [score[y == 0], score[y == 1]]
    return parts


@st.composite
def paired_data(draw, max_class=4, min_class=1, models=2):
    """Tied scores of several models on the same few cases: labels and a list of columns."""
    n, m = (draw(st.integers(min_class, max_class)) for _ in range(2))
    levels = draw(
        st.sampled_from([[0.0, 1.0], [-1.0, 0.0, 0.5, 2.0], list(range(12)), [-np.inf, 0.0, np.inf]])
    )
    columns = [draw(st.lists(st.sampled_from(levels), min_size=n + m, max_size=n + m)) for _ in range(models)]
    order = draw(st.permutations(range(n + m)))
    labels = [0] * n + [1] * m
    return [labels[k] for k in order], [[column[k] for k in order] for column in columns]
