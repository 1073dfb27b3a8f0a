"""`read_score_costs`: every engine gives the sums of the arrays, exact or in certified bins."""

import numpy as np
import pytest

from demur import CaseCosts, InputError, Reviewer, ScoreCosts
from demur.engines import read_score_costs

COLUMNS = {"y_true": "fraud", "scores": "risk"}
PRICES = [
    {"cost_fn": "amount", "cost_fp": 25, "cost_abstain": 4},
    {"cost_fn": "amount", "cost_fp": "margin", "cost_abstain": "call", "cost_tn": 1.5, "cost_tp": "call"},
    {"cost_fn": "amount", "cost_fp": "margin", "reviewer": Reviewer(fee=3, sensitivity=0.9, specificity=0.8)},
    {"cost_fn": 9, "cost_fp": 2, "cost_abstain_positive": "call", "cost_abstain_negative": 1},
    {"cost_fn": "amount", "cost_fp": 25},
]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    n = 400
    return {
        "fraud": (rng.random(n) < 0.3).astype(int),
        "risk": np.round(rng.normal(size=n), 1),
        "amount": np.round(rng.lognormal(4, 1, n), 2),
        "margin": np.round(rng.lognormal(2, 1, n), 2),
        "call": np.round(rng.uniform(1, 5, n), 2),
    }


def from_arrays(table, prices):
    costs = {name: table[value] if isinstance(value, str) else value for name, value in prices.items()}
    return CaseCosts(**costs).score_costs(table["fraud"], table["risk"])


def assert_same(one, other):
    assert one.scores.tolist() == other.scores.tolist()
    assert one.cases.tolist() == other.cases.tolist()
    for name in ("miss", "alarm", "review", "miss_squares", "alarm_squares", "review_squares"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-12, err_msg=name)


def sources(table, tmp_path):
    import duckdb
    import pandas as pd
    import polars as pl

    frame = pd.DataFrame(table)
    frame.to_csv(tmp_path / "cases.csv", index=False)
    pl.DataFrame(table).write_parquet(tmp_path / "cases.parquet")
    connection = duckdb.connect()
    connection.register("cases", frame)
    return {
        "mapping": (table, {}),
        "pandas": (frame, {}),
        "polars lazily": (pl.LazyFrame(table), {}),
        "narwhals": (pl.DataFrame(table), {"engine": "narwhals"}),
        "relation": (connection.table("cases"), {}),
        "csv": (str(tmp_path / "cases.csv"), {}),
        "parquet": (str(tmp_path / "cases.parquet"), {}),
        "memory": (str(tmp_path / "cases.csv"), {"engine": "memory"}),
    }


@pytest.mark.parametrize("prices", PRICES, ids=range(len(PRICES)))
def test_every_engine_sums_what_arrays_sum(table, tmp_path, prices):
    expected = from_arrays(table, prices)
    for name, (source, options) in sources(table, tmp_path).items():
        made = read_score_costs(source, **COLUMNS, **prices, **options)["risk"]
        assert isinstance(made, ScoreCosts), name
        assert_same(made, expected)
        window, wanted = made.window(), expected.window()
        assert (window.lower, window.upper) == (wanted.lower, wanted.upper), name


def test_bins_certify_what_they_cost(table, tmp_path):
    prices = PRICES[0]
    exact = from_arrays(table, prices)
    for name, (source, options) in sources(table, tmp_path).items():
        made = read_score_costs(source, **COLUMNS, **prices, **options, bins=16)["risk"]
        assert not made.exact, name
        assert made.cases.sum() == 400
        np.testing.assert_allclose(made.miss.sum(), exact.miss.sum(), rtol=1e-12)
        gap = made.window().cost - exact.window().cost
        assert -1e-9 <= gap <= made.certified + 1e-9, name


def test_too_many_scores_are_binned(table, tmp_path):
    import polars as pl

    made = read_score_costs(pl.LazyFrame(table), **COLUMNS, **PRICES[0], max_distinct=5)["risk"]
    assert made.cases.sum() == 400
    np.testing.assert_allclose(made.miss.sum(), from_arrays(table, PRICES[0]).miss.sum(), rtol=1e-12)


def test_several_models_and_text_labels():
    import polars as pl

    frame = pl.LazyFrame(
        {
            "fraud": ["yes", "no", "yes", "no"],
            "a": [0.9, 0.2, 0.4, 0.6],
            "b": [1, 2, 3, 4],
            "amount": [5, 6, 7, 8],
        }
    )
    made = read_score_costs(
        frame, y_true="fraud", scores=["a", "b"], cost_fn="amount", cost_fp=1, positive="yes"
    )
    assert list(made) == ["a", "b"]
    assert made["a"].miss.tolist() == [0.0, 7.0, 0.0, 5.0]
    assert made["b"].alarm.tolist() == [0.0, 1.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("changes", "prices", "sentence"),
    [
        ({"amount": [1.0, -2.0]}, {}, "`amount` must hold finite amounts from 0, got 1 negative or infinite"),
        ({"amount": [1.0, None]}, {}, "Column 'amount' has 1 missing value"),
        ({"amount": ["a", "b"]}, {}, "`a cost` must name columns of numbers"),
        ({}, {"cost_fn": "price"}, "price"),
        ({}, {"cost_abstain_positive": 1}, "`cost_abstain_negative` is needed with"),
        ({"risk": [0.1, None]}, {}, "Column 'risk' has 1 missing value"),
    ],
)
def test_errors_are_one_sentence(changes, prices, sentence):
    import polars as pl

    frame = pl.LazyFrame({"fraud": [0, 1], "risk": [0.1, 0.2], "amount": [1.0, 2.0], **changes})
    with pytest.raises(InputError) as error:
        read_score_costs(frame, **COLUMNS, **{"cost_fn": "amount", "cost_fp": 1, **prices})
    assert sentence in str(error.value)


def test_arrays_are_sent_to_case_costs():
    with pytest.raises(InputError, match="Hint: arrays go to CaseCosts"):
        read_score_costs(None, y_true="fraud", scores="risk", cost_fn=1, cost_fp=1)
