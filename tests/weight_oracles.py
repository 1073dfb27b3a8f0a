"""Slow, obvious implementations for class weights, and a worked example."""

import itertools
import math

import numpy as np

from demur import optimize_weights
from demur.multiclass import cell_margin

# a worked example of eight cases and three classes
F = [
    [0.7, 0.2, 0.1],
    [0.5, 0.3, 0.2],
    [0.4, 0.35, 0.25],
    [0.3, 0.5, 0.2],
    [0.45, 0.4, 0.15],
    [0.2, 0.3, 0.5],
    [0.5, 0.1, 0.4],
    [0.34, 0.33, 0.33],
]
Y = [0, 1, 1, 1, 0, 2, 2, 0]
C = [[0, 1, 4], [3, 0, 2], [8, 6, 0]]
NAMED = {"a": {"b": 1, "c": 4}, "b": {"a": 3, "c": 2}, "c": {"a": 8, "b": 6}}
LETTERS = ["abc"[k] for k in Y]


def worked(**options):
    return optimize_weights(F, Y, C, rng=0, **options)


def answer(row, w):
    """First largest w_k f_k."""
    values = [wk * fk for wk, fk in zip(w, row, strict=True)]
    return values.index(max(values))


def mean_cost(f, y, costs, w, priors=None):
    """Eq. (1), class by class."""
    total = 0.0
    for j in range(len(costs)):
        rows = [row for row, label in zip(f, y, strict=True) if label == j]
        if rows:
            share = len(rows) / len(y) if priors is None else priors[j]
            total += share * sum(costs[j][answer(row, w)] for row in rows) / len(rows)
    return total


def best_by_realisable_labels(g, v):
    """Cheapest of all m^n answers that weights can give, each certified by `cell_margin`."""
    n, m = g.shape
    lowest = math.inf
    for labels in itertools.product(range(m), repeat=n):
        value = sum(v[i][k] for i, k in enumerate(labels))
        if value < lowest - 1e-12 and cell_margin(g, labels).margin > 1e-12:
            lowest = value
    return lowest


def margin_by_linear_program(g, labels):
    """max d with u_a - u_b - d >= g_ib - g_ia for every example labelled a."""
    from scipy.optimize import linprog

    n, m = g.shape
    rows, right = [], []
    for i in range(n):
        for b in range(m):
            if b != labels[i]:
                row = np.zeros(m + 1)
                row[labels[i]], row[b], row[m] = -1, 1, 1
                rows.append(row)
                right.append(g[i, labels[i]] - g[i, b])
    bounds = [(0, 0)] + [(None, None)] * (m - 1) + [(None, 1e6)]
    return -linprog([0] * m + [-1], A_ub=rows, b_ub=right, bounds=bounds).fun


def random_case(rng, n, m, *, tied=False):
    g = rng.integers(-2, 3, (n, m)) * 0.5 if tied else rng.normal(size=(n, m))
    y = rng.integers(0, m, n)
    costs = rng.integers(1, 11, (m, m)) * (1 - np.eye(m, dtype=int))
    return g, y, costs
