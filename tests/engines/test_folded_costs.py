"""Sums per score, class and fold: rows that stand for them, and what DuckDB adds up."""

import numpy as np
import pytest

from demur.costs.reviewer import Reviewer
from demur.counts.costs import FoldedCosts
from demur.engines.cost_sums import CostTerms, read_folded_costs
from demur.engines.tallies import Columns

PRODUCTS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


def test_rows_like_two_cases_by_hand():
    # misses of 2 and 6 with reviews of 1: mean 4, variance 4
    sums = np.array([[8.0, 0.0, 2.0]])
    products = np.array([[40.0, 0.0, 2.0, 0.0, 8.0, 0.0]])
    cell = np.zeros(1)
    like = FoldedCosts(cell, cell, cell > 0, cell.astype(int), cell + 2, sums, products, 10).moment_rows()
    assert sorted(like.losses.tolist()) == [[2.0, 0.0, 1.0], [6.0, 0.0, 1.0]]
    assert like.sizes.tolist() == [1.0, 1.0]


def test_rows_like_cases_have_their_sums_squares_and_products():
    rng = np.random.default_rng(0)
    losses = rng.lognormal(0, 1, (200, 3)) @ np.array([[1, 0.5, 0], [0, 1, 0.2], [0, 0, 1]])
    cell = rng.integers(0, 8, 200)

    def added(column):
        return np.bincount(cell, column, 8)

    sums = np.stack([added(losses[:, d]) for d in range(3)], axis=1)
    products = np.stack([added(losses[:, i] * losses[:, j]) for i, j in PRODUCTS], axis=1)
    places = np.arange(8.0)
    made = FoldedCosts(places, places, places > 3, places.astype(int), added(None), sums, products, 8)
    like = made.moment_rows()
    for column, (i, j) in enumerate(PRODUCTS):
        product = like.sizes * like.losses[:, i] * like.losses[:, j]
        assert np.bincount(like.cell, product) == pytest.approx(products[:, column])
    assert np.bincount(like.cell, like.sizes * like.losses[:, 0]) == pytest.approx(sums[:, 0])
    assert np.bincount(like.cell, like.sizes) == pytest.approx(made.cases)


@pytest.mark.parametrize("digits", [1, 9], ids=["scores", "bins"])
def test_duckdb_adds_up_what_numpy_adds_up(tmp_path, monkeypatch, digits):
    monkeypatch.setattr("demur.engines.cost_sums._MOST_SCORES", 64)
    rng = np.random.default_rng(1)
    y, score, amount = rng.integers(0, 2, 500), rng.random(500).round(digits), rng.lognormal(3, 1, 500)
    path = tmp_path / "cases.csv"
    rows = np.column_stack([y, score, amount])
    np.savetxt(path, rows, "%d,%.9f,%.17g", header="label,risk,amount", comments="")
    columns = Columns(y_true="label", scores=("risk",), amounts=("amount",))
    reviewer = Reviewer(fee=0.0, sensitivity=0.9)
    terms = CostTerms({"cost_fn": ("amount", 0.5), "cost_fp": 7.0, "fee": ("amount", 0.1)}, reviewer)
    made = read_folded_costs(str(path), columns=columns, terms=terms, positive="1", engine="duckdb")
    sums = made[None]["risk"]
    fee = 0.1 * amount
    losses = np.where(y[:, None], np.stack([0.5 * amount, 0 * fee, fee + 0.05 * amount], 1), 0)
    losses = np.where(y[:, None], losses, np.stack([0 * fee, 0 * fee + 7, fee], 1))
    for kind in (True, False):
        own = y == kind
        assert sums.cases[sums.positive == kind].sum() == own.sum()
        assert sums.sums[sums.positive == kind].sum(axis=0) == pytest.approx(losses[own].sum(axis=0))
        expected = [np.sum(losses[own, i] * losses[own, j]) for i, j in PRODUCTS]
        assert sums.products[sums.positive == kind].sum(axis=0) == pytest.approx(expected)
    assert np.bincount(sums.fold, sums.cases).min() > 25
    assert (digits == 1) == bool(np.all(sums.lower == sums.upper))
    # bins do not overlap
    lower, first = np.unique(sums.lower, return_index=True)
    assert np.all(sums.upper[first][:-1] < lower[1:])
