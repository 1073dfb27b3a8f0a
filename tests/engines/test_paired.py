"""Joint counts from every kind of source equal those of the arrays; bins keep what they promise."""

import numpy as np
import pytest

import demur.engines.joint
from demur import InputError, auc_difference_test, auc_score
from demur.engines import read_paired_counts
from demur.paired import PairedCounts

COLUMNS = ("score_a", "score_b", "upper_a", "upper_b", "positives", "negatives")


def sample(n=500, digits=1, seed=0):
    """Tied scores of two models, weights of 0 to 3, labels as words."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    a = (y + rng.normal(size=n)).round(digits)
    b = (0.7 * y + rng.normal(size=n)).round(digits)
    a[0], b[1] = np.inf, -np.inf
    return {"sick": np.where(y, "yes", "no"), "a": a, "b": b, "w": rng.integers(0, 4, n).astype(float)}


def sources(table, folder):
    import dask.dataframe
    import duckdb
    import pandas
    import polars

    frame = pandas.DataFrame(table)
    frame.to_csv(folder / "rows.csv", index=False)
    polars.from_dict(table).write_parquet(folder / "rows.parquet")
    yield "arrays", table, {}
    yield "csv", folder / "rows.csv", {}
    yield "parquet", folder / "rows.parquet", {}
    yield "loaded", folder / "rows.parquet", {"engine": "memory"}
    yield "pandas", frame, {}
    yield "polars", polars.from_dict(table).lazy(), {}
    yield "eager in duckdb", frame, {"engine": "duckdb"}
    yield "relation", duckdb.from_df(frame), {}
    yield "dask", dask.dataframe.from_pandas(frame, npartitions=3), {}


def check_same(found, expected, name):
    for column in COLUMNS:
        assert getattr(found, column).tolist() == getattr(expected, column).tolist(), (name, column)


@pytest.mark.parametrize("weights", [None, "w"])
@pytest.mark.parametrize("bins", [None, 8])
def test_every_engine_equals_the_arrays(tmp_path, weights, bins):
    table = sample()
    options = {"y_true": "sick", "scores": ["a", "b"], "positive": "yes", "weights": weights, "bins": bins}
    expected = read_paired_counts(table, **options)
    weight = None if weights is None else table["w"]
    exact = PairedCounts.from_arrays(
        table["sick"], table["a"], table["b"], pos_label="yes", sample_weight=weight
    )
    if bins is None:
        check_same(expected, exact, "arrays")
    else:
        assert not expected.exact
        assert expected.n == exact.n
        test = auc_difference_test(expected, method="delong")
        truth = auc_score(exact.counts_a) - auc_score(exact.counts_b)
        assert abs(test.difference - truth) <= test.evidence["certified_auc"] + 1e-12
    for name, source, more in sources(table, tmp_path):
        check_same(read_paired_counts(source, **options, **more), expected, name)


def test_too_many_pairs_are_binned_at_first_sight_or_after_a_scan(tmp_path, monkeypatch):
    import polars

    table = sample(2000, digits=9)
    polars.from_dict(table).write_parquet(tmp_path / "rows.parquet")
    options = {"y_true": "sick", "scores": ["a", "b"], "positive": "yes"}
    assert read_paired_counts(tmp_path / "rows.parquet", **options).exact
    monkeypatch.setattr(demur.engines.joint, "_MOST_CELLS", 900)
    after = read_paired_counts(tmp_path / "rows.parquet", **options)
    monkeypatch.setattr(demur.engines.joint, "FIRST_ROWS", 1000)
    at_once = read_paired_counts(tmp_path / "rows.parquet", **options)
    assert not after.exact
    check_same(after, at_once, "at first sight")
    assert read_paired_counts(table, **options).exact, "in memory nothing is gained by bins"


def test_parts_counted_apart_merge_to_the_whole():
    table = sample(600, digits=6)
    options = {"y_true": "sick", "scores": ["a", "b"], "positive": "yes", "bins": 16}
    whole = read_paired_counts(table, **options)
    parts = [
        read_paired_counts({name: column[rows] for name, column in table.items()}, **options)
        for rows in (slice(0, 300), slice(300, None))
    ]
    check_same(parts[0].merge(parts[1]), whole, "merged")


def test_columns_with_the_name_of_the_bins_do_no_harm():
    table = sample(50)
    table["bin of b"] = table["w"]
    options = {"y_true": "sick", "scores": ["a", "b"], "positive": "yes", "bins": 4}
    assert (
        read_paired_counts(table, **options).n == read_paired_counts(table, **options, weights=None).n == 50
    )
    weighted = read_paired_counts(table, **options, weights="bin of b")
    assert weighted.n == table["w"].sum()


MISSING = {"y": [0, 1, 1], "a": [0.1, np.nan, 0.3], "b": [0.1, 0.2, np.nan]}
ONE = {"y_true": "y", "scores": ["a"]}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: read_paired_counts(MISSING, y_true="y", scores=["a"]),
            "`scores` must name two models, got 1",
        ),
        (lambda: read_paired_counts(MISSING, y_true="y", scores=["a", "c"]), "no column 'c'"),
        (lambda: read_paired_counts(MISSING, y_true="y", scores=["a", "b"]), "has 1 missing value"),
        (lambda: read_paired_counts(MISSING, y_true="y", scores=["a", "b"], bins=4), "has 1 missing value"),
        (
            lambda: read_paired_counts(MISSING, y_true="y", scores=["a", "b"], bins=2**13),
            "`bins` must not exceed 2**12 = 4096 per model",
        ),
    ],
)
def test_error_sentences(call, words):
    with pytest.raises(InputError) as error:
        call()
    assert words in str(error.value)
