"""Every source and engine gives the counts memory gives, and refuses bad rows in the same words."""

import math
import sys

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from demur import InputError, ScoreCounts, abstention_surface, auc_score, read_counts
from demur.counts import BinnedCounts
from demur.engines.score_bins import ScoreBins, fitting_bins
from examples import examples

SOURCES = (
    "arrays",
    "pandas",
    "pandas through Narwhals",
    "pandas in DuckDB",
    "Polars",
    "lazy Polars",
    "PyArrow",
    "PyArrow through Narwhals",
    "DuckDB relation",
    "CSV",
    "CSV in memory",
    "gzipped CSV",
    "Parquet",
    "glob",
    "directory",
    "partitioned set",
    "Dask",
    # Ibis and pandas disagree on what the other's newest version deprecates
    *(
        pytest.param(kind, marks=pytest.mark.filterwarnings("ignore::DeprecationWarning"))
        for kind in ("Ibis", "SQLite by address")
    ),
)
NAMES = {"y_true": "outcome", "scores": ["a", "b"], "positive": "yes"}


@pytest.fixture
def opened():
    """Connections to be closed."""
    connections = []
    yield connections
    for connection in connections:
        connection.close()


@pytest.fixture
def source_of(tmp_path, opened):
    """Return a function that brings columns into the form of a source: (source, engine)."""

    def made(kind, table):
        return MAKERS[kind](table, tmp_path, opened)

    return made


def pandas_frame(table):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(table)


def relation(table, opened):
    connection = duckdb.connect()
    opened.append(connection)
    connection.register("given", pandas_frame(table))
    # null, not NaN, stands for a missing text
    return connection.sql("select * from given")


def written(table, path, opened, options):
    relation(table, opened).query("given", f"copy (select * from given) to '{path}' ({options})")
    return path


def parts(table, folder, opened, options, suffix):
    """Files of most rows, of one row, and of none."""
    rows = relation(table, opened)
    for name, rule in {"most": "part > 0", "one": "part = 0", "none": "part < 0"}.items():
        numbered = "select *, row_number() over () - 1 as part from given"
        query = f"select * exclude (part) from ({numbered}) where {rule}"
        rows.query("given", f"copy ({query}) to '{folder / name}{suffix}' ({options})")


def globbed(table, tmp_path, opened):
    parts(table, tmp_path, opened, "format parquet", ".parquet")
    return str(tmp_path / "*.parquet"), None


def directory(table, tmp_path, opened):
    (tmp_path / "set").mkdir()
    parts(table, tmp_path / "set", opened, "header, delimiter ';'", ".csv")
    return tmp_path / "set", None


def partitioned(table, tmp_path, opened):
    folder = tmp_path / "set"
    rows = relation(table, opened)
    query = "select *, row_number() over () % 3 as day from given"
    rows.query("given", f"copy ({query}) to '{folder}' (format parquet, partition_by (day))")
    return folder, "duckdb"


def dask_frame(table, tmp_path, opened):
    frames = pytest.importorskip("dask.dataframe")
    # as many partitions as rows: most of them hold one
    frame = pandas_frame(table)
    whole = frames.from_pandas(frame, npartitions=min(4, len(frame)))
    nothing = frames.from_pandas(frame.iloc[:0], npartitions=1)
    return frames.concat([whole, nothing]), "dask"


def warehouse(table, tmp_path, opened):
    ibis = pytest.importorskip("ibis", reason="Ibis is not installed")
    pytest.importorskip("pyarrow_hotfix", reason="ibis-framework[duckdb] is not complete")
    path = tmp_path / "scores.duckdb"
    with duckdb.connect(path) as connection:
        connection.register("given", pandas_frame(table))
        connection.sql("create table scores as from given")
    return ibis.connect(f"duckdb://{path}").table("scores"), None


def by_address(table, tmp_path, opened):
    import sqlite3

    pytest.importorskip("ibis", reason="Ibis is not installed")
    pytest.importorskip("pyarrow_hotfix", reason="ibis-framework[sqlite] is not complete")
    connection = sqlite3.connect(tmp_path / "scores.db")
    pandas_frame(table).to_sql("scores", connection, index=False)
    connection.close()
    return f"sqlite://{tmp_path / 'scores.db'}#scores", None


def polars_frame(table):
    return pytest.importorskip("polars").DataFrame(table, strict=False, nan_to_null=False)


def arrow_table(table):
    return pytest.importorskip("pyarrow").table(table)


CSV = "header"
MAKERS = {
    "arrays": lambda table, *_: (table, None),
    "pandas": lambda table, *_: (pandas_frame(table), None),
    "pandas through Narwhals": lambda table, *_: (pandas_frame(table), "narwhals"),
    "pandas in DuckDB": lambda table, *_: (pandas_frame(table), "duckdb"),
    "Polars": lambda table, *_: (polars_frame(table), None),
    "lazy Polars": lambda table, *_: (polars_frame(table).lazy(), "polars"),
    "PyArrow": lambda table, *_: (arrow_table(table), None),
    "PyArrow through Narwhals": lambda table, *_: (arrow_table(table), "narwhals"),
    "DuckDB relation": lambda table, _, opened: (relation(table, opened), None),
    "CSV": lambda table, path, opened: (written(table, path / "t.csv", opened, CSV), None),
    "CSV in memory": lambda table, path, opened: (written(table, path / "t.csv", opened, CSV), "memory"),
    "gzipped CSV": lambda t, p, o: (written(t, p / "t.csv.gz", o, f"{CSV}, compression gzip"), None),
    "Parquet": lambda table, path, opened: (written(table, path / "t.pq", opened, "format parquet"), None),
    "glob": globbed,
    "directory": directory,
    "partitioned set": partitioned,
    "Dask": dask_frame,
    "Ibis": warehouse,
    "SQLite by address": by_address,
}


def random_table(seed=0, n=400):
    """Tied scores with infinities and both zeros, continuous scores, weights that add up exactly."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    tied = np.round(rng.normal(truth, 1), 1)
    tied[:6] = [math.inf, -math.inf, 0.0, -0.0, math.inf, 5e-324]
    return {
        "outcome": np.where(truth == 1, "yes", "no").astype(object),
        "a": tied,
        "b": rng.random(n),
        "w": rng.integers(0, 5, n) / 4,
        "g": rng.choice(np.array(["x", "y", "z"], dtype=object), n),
    }


def expected(table, name, rows=slice(None), weights=None):
    return ScoreCounts.from_arrays(
        table["outcome"][rows],
        table[name][rows],
        pos_label="yes",
        sample_weight=None if weights is None else table[weights][rows],
    )


@pytest.mark.parametrize("kind", SOURCES)
def test_every_source_equals_memory(source_of, kind):
    table = random_table()
    source, engine = source_of(kind, table)
    options = {**NAMES, "engine": engine}
    assert read_counts(source, **options) == {name: expected(table, name) for name in "ab"}
    weighted = read_counts(source, weights="w", **options)
    assert weighted == {name: expected(table, name, weights="w") for name in "ab"}
    grouped = read_counts(source, weights="w", groups="g", **options)
    assert list(grouped) == ["x", "y", "z"]
    for group, counts in grouped.items():
        own = table["g"] == group
        assert counts == {name: expected(table, name, own, "w") for name in "ab"}


@pytest.mark.parametrize("kind", SOURCES)
def test_bins_of_every_source_bracket_and_refine_to_memory(source_of, kind):
    table = random_table()
    source, engine = source_of(kind, table)
    options = {**NAMES, "engine": engine, "weights": "w", "bins": 16}
    rough = read_counts(source, tolerance=1, **options)
    fine = read_counts(source, tolerance=1e-9, **options)
    for name in "ab":
        exact = expected(table, name, weights="w")
        reference = read_counts(table, tolerance=1, **{**options, "engine": None})[name]
        assert isinstance(rough[name], BinnedCounts)
        assert rough[name] == reference
        assert np.array_equal(rough[name].upper_scores, reference.upper_scores)
        truth = abstention_surface(exact)
        for mu, nu in ((1, 0.2), (0.5, 0.1), (2, 1)):
            low = truth.cost(mu, nu)
            assert low <= abstention_surface(rough[name]).cost(mu, nu) + 1e-12
            assert abstention_surface(rough[name]).cost(mu, nu) <= low + rough[name].certified + 1e-12
            assert abstention_surface(fine[name]).cost(mu, nu) == pytest.approx(low, abs=1e-9)


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("column", ["a", "outcome", "w", "g"])
def test_missing_values_are_refused_in_the_same_words(source_of, kind, column):
    table = random_table(n=40)
    table[column] = table[column].copy()
    table[column][[3, 7]] = math.nan if table[column].dtype.kind == "f" else None
    source, engine = source_of(kind, table)
    with pytest.raises(InputError) as caught:
        read_counts(source, weights="w", groups="g", engine=engine, **NAMES)
    assert str(caught.value) == (
        f"Column '{column}' has 2 missing values. "
        "Hint: drop those rows, or fill them in where the model has an answer."
    )


@pytest.mark.parametrize("kind", SOURCES)
def test_one_row_and_bad_rows(source_of, kind, tmp_path):
    table = {"outcome": np.array(["yes"], dtype=object), "a": np.array([0.5]), "b": np.array([2.0])}
    table["w"] = np.array([-1.0])
    source, engine = source_of(kind, table)
    assert read_counts(source, engine=engine, **NAMES)["b"] == expected(table, "b")
    with pytest.raises(InputError, match=r"finite numbers from 0, got 1 negative or infinite in 'w'"):
        read_counts(source, engine=engine, weights="w", **NAMES)
    with pytest.raises(InputError, match=r"has no column 'bb'; its columns are"):
        read_counts(source, engine=engine, y_true="outcome", scores="bb", positive="yes")
    with pytest.raises(InputError, match=r"`scores` must name columns of numbers, got .* in 'outcome'"):
        read_counts(source, engine=engine, y_true="a", scores="outcome")


# ---------------------------------------------------------------- exact or binned


def test_beyond_the_limit_two_scans_certify_the_tolerance(tmp_path):
    path = tmp_path / "t.parquet"
    duckdb.sql(
        f"""copy (select (hash(i) % 3 = 0)::int as y, (hash(i + 7) % 99991) / 99991 + y as s, s / 2 as half
        from range(20000) t(i)) to '{path}' (format parquet)"""
    )
    exact = read_counts(path, y_true="y", scores=["s", "half"])
    assert type(exact["s"]) is ScoreCounts
    binned = read_counts(path, y_true="y", scores=["s", "half"], max_distinct=1000, tolerance=1e-4)
    for name, counts in binned.items():
        assert counts.certified <= 1e-4
        assert auc_score(counts) == pytest.approx(auc_score(exact[name]), abs=1e-4)
        assert counts.n == exact[name].n


def test_first_rows_that_mislead_cost_a_scan_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    duckdb.sql(f"copy (select i % 2 as y, greatest(0, i - 900) as s from range(1000) t(i)) to '{path}'")
    monkeypatch.setattr("demur.engines.counting.FIRST_ROWS", 100)
    counts = read_counts(path, y_true="y", scores="s", max_distinct=50)["s"]
    y, s = np.arange(1000) % 2, np.maximum(0, np.arange(1000) - 900)
    assert counts.certified <= 1e-6
    assert abstention_surface(counts).volume() == pytest.approx(abstention_surface(y, s).volume(), abs=1e-6)


def test_columns_cut_off_together_lose_no_case(monkeypatch, opened):
    i = np.arange(3000)
    table = {"y": i % 2, "many": np.where(i < 100, 0, i), "more": np.where(i < 100, 1, -i), "few": i % 5}
    monkeypatch.setattr("demur.engines.counting.FIRST_ROWS", 100)
    found = read_counts(relation(table, opened), y_true="y", scores=["many", "more", "few"], max_distinct=40)
    for name, counts in found.items():
        exact = ScoreCounts.from_arrays(table["y"], table[name])
        assert (counts.n_positive, counts.n_negative) == (1500, 1500)
        assert counts.certified <= 1e-6
        assert auc_score(counts) == pytest.approx(auc_score(exact), abs=0.01)


def test_few_distinct_scores_stay_exact_beyond_the_look(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    duckdb.sql(f"copy (select i % 2 as y, hash(i) % 6000 as s from range(50000) t(i)) to '{path}'")
    monkeypatch.setattr("demur.engines.counting.FIRST_ROWS", 20_000)
    counts = read_counts(path, y_true="y", scores="s", max_distinct=6000)["s"]
    assert type(counts) is ScoreCounts
    assert isinstance(read_counts(path, y_true="y", scores="s", max_distinct=5000)["s"], BinnedCounts)


# ---------------------------------------------------------------- bins


FLOATS = st.floats(allow_nan=False)


@given(st.lists(FLOATS, min_size=2, max_size=30), FLOATS, FLOATS, st.sampled_from([1, 3, 2**10, 2**24]))
@example([1.7976931348623157e308, math.inf, -math.inf, -1.7976931348623157e308, 0.0], 0.0, 1.0, 8)
@example([1.0, math.nextafter(1.0, 0.0), math.nextafter(1.0, 2.0)], 0.0, 1.0, 2**20)
@settings(max_examples=examples(300), deadline=None)
def test_bins_never_change_an_order(values, start, stop, bins):
    scores = np.sort(np.array(values))
    for given_bins in (ScoreBins(bins), fitting_bins(np.array([start, stop, *values[:3]]), bins)):
        numbers = given_bins.of_array(scores)
        assert np.all(np.diff(numbers) >= 0)
        assert np.all(np.abs(numbers) <= 2**31 - 1)
        assert np.all(numbers == np.floor(numbers))
        infinite = np.isinf(scores)
        assert not set(numbers[infinite]) & set(numbers[~infinite])


def test_bins_of_probabilities_by_hand():
    numbers = ScoreBins(4).of_array(
        np.array([-math.inf, -1e300, -0.5, -0.0, 0.24, 0.25, 0.99, 1.0, 1e300, math.inf])
    )
    assert numbers.tolist() == [-4, -2, -1, 0, 0, 1, 3, 4, 6, 8]


@given(st.floats(0.0, 1.0), st.sampled_from([1, 8, 2**20, 2**24]))
@example(1.0, 2**20)
@example(math.nextafter(1.0, 0.0), 2**20)
@settings(max_examples=examples(200), deadline=None)
def test_ends_of_bins_are_the_smallest_and_largest_floats_in_them(score, bins):
    chosen = ScoreBins(bins)
    number = chosen.of_array(np.array([score]))
    (low,), (high,) = chosen.ends(number)
    assert low <= score <= high
    around = np.array([low, high, math.nextafter(low, -1.0), math.nextafter(high, 2.0)])
    assert (chosen.of_array(around) == number).tolist() == [True, True, False, False]


def test_bins_beyond_plain_ones_have_no_known_ends():
    assert ScoreBins(4).ends(np.array([0.0, 5.0])) is None
    assert ScoreBins(3).ends(np.array([0.0])) is None
    assert ScoreBins(4, 0.0, 2.0).ends(np.array([0.0])) is None


@pytest.mark.parametrize("beyond", [False, True])
def test_bins_without_ranges_count_as_those_with(tmp_path, beyond):
    rng = np.random.default_rng(5)
    y, s = rng.integers(0, 2, 70_000), rng.random(70_000)
    s[-2:] = (1.0, -0.5) if beyond else (1.0, 0.0)
    path = tmp_path / "many.parquet"
    with duckdb.connect() as connection:
        connection.register("source", pd.DataFrame({"y": y, "s": s}))
        connection.execute(f"copy source to '{path}' (format parquet)")
    found = read_counts(path, y_true="y", scores="s", max_distinct=1000, tolerance=1)["s"]
    numbers, at = np.unique(ScoreBins().of_array(s), return_inverse=True)
    np.testing.assert_array_equal(found.positives, np.bincount(at, y, len(numbers)))
    low = np.full(len(numbers), np.inf)
    np.minimum.at(low, at, s)
    # scores below 0, seen late, make the scan ask for the ranges after all
    np.testing.assert_array_equal(found.scores, low if beyond else numbers / 2**20)
    assert found.scores[-1] == found.upper_scores[-1] == 1.0


@pytest.mark.parametrize("scale", [1e-12, 3.0, 1e9])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_fitted_bins_tell_most_scores_apart(scale, offset):
    rng = np.random.default_rng(3)
    scores = offset + scale * rng.standard_cauchy(20_000)
    numbers = fitting_bins(scores, 2**20).of_array(scores)
    # a start far from 0 leaves few digits for the scores themselves
    assert len(np.unique(numbers)) >= 0.5 * len(np.unique(scores))


# ---------------------------------------------------------------- arguments


def test_arrays_without_a_source():
    y, s = [0, 1, 1, 0], [0.1, 0.4, 0.3, 0.4]
    assert read_counts(None, y_true=y, scores=s) == {"score": ScoreCounts.from_arrays(y, s)}
    found = read_counts(None, y_true=y, scores={"m": s}, weights=[1, 2, 0, 1], groups=[3, 3, 4, 4])
    assert found == {
        3: {"m": ScoreCounts.from_arrays([0, 1], [0.1, 0.4], sample_weight=[1, 2])},
        4: {"m": ScoreCounts.from_arrays([0], [0.4])},
    }


def test_structured_arrays_and_whole_numbers():
    rows = np.array([(True, 3), (False, 1), (True, 3)], dtype=[("y", "?"), ("s", "i8")])
    assert read_counts(rows, y_true="y", scores="s")["s"] == ScoreCounts.from_arrays(rows["y"], rows["s"])


@pytest.mark.parametrize(
    ("labels", "positive", "wanted"),
    [
        ([0, 1], None, 1),
        ([-1, 1], None, 1),
        ([0.0, 1.0], "1", 1),
        ([False, True], None, True),
        (["False", "True"], None, "True"),
        (["no", "yes"], "No", "no"),
        ([2, 3], 2, 2),
    ],
)
def test_the_positive_class_by_hand(labels, positive, wanted):
    counts = read_counts({"y": labels * 2, "s": [1, 2, 3, 4]}, y_true="y", scores="s", positive=positive)["s"]
    assert counts.scores[counts.positives > 0].tolist() == [
        1.0 + 2 * k + labels.index(wanted) for k in (0, 1)
    ]


def test_one_class_is_counted():
    found = read_counts({"y": [0, 0], "s": [1, 2]}, y_true="y", scores="s")["s"]
    assert (found.n_positive, found.n_negative) == (0, 2)
    found = read_counts({"y": ["a", "a"], "s": [1, 2]}, y_true="y", scores="s", positive="b")["s"]
    assert found.n_positive == 0


TABLE = {"y": [0, 1, 1], "s": [0.1, 0.2, 0.3], "t": ["u", "v", "w"], "w": [0, 0, 0], "big": [2**60, 1, 2]}


@pytest.mark.parametrize(
    ("source", "options", "sentence"),
    [
        (TABLE, {"y_true": "t"}, "`y_true` must name a column of two classes, got 3 in 't' (u, v, w)"),
        ({**TABLE, "y": ["a", "b", "b"]}, {}, "`positive` is required unless the labels are"),
        (TABLE, {"positive": 7}, "`positive` must be one of the labels 0, 1 of 'y', got 7"),
        (TABLE, {"weights": "w"}, "`weights` must have a positive, finite sum, got 0.0"),
        (TABLE, {"scores": "big"}, "`scores` as integers must stay within 2**53"),
        (
            TABLE,
            {"scores": "t"},
            "`scores` must name columns of numbers, got 3 of 3 rows that are no numbers",
        ),
        (TABLE, {"scores": ["s", "s"]}, "`scores` must name one or more columns, each once"),
        (TABLE, {"scores": []}, "`scores` must hold at least one member, got none"),
        (TABLE, {"scores": [[1, 2, 3]]}, "`scores` must name a column, got list. Hint: with arrays"),
        (
            TABLE,
            {"scores": "ss"},
            "`source` has no column 'ss'; its columns are y, s, t, w, big. Hint: did you",
        ),
        (TABLE, {"engine": "sparrow"}, "`engine` must be one of 'memory', 'duckdb'"),
        (TABLE, {"engine": "dask"}, "`engine` must be one that can count arrays, got 'dask'"),
        (TABLE, {"master": "local[1]"}, "`master` is for engine='spark', got 'local[1]'"),
        (TABLE, {"bins": 0}, "`bins` must be a whole number of at least 1, got 0"),
        (TABLE, {"bins": 2**25}, "`bins` must not exceed 2**24"),
        (TABLE, {"tolerance": -1}, "`tolerance` must not be negative, got -1.0"),
        (TABLE, {"max_distinct": 0}, "`max_distinct` must be a whole number of at least 1"),
        ({**TABLE, "s": [1, 2]}, {}, "`source` must have columns of the same length"),
        ({"y": [], "s": []}, {}, "`source` must hold at least one row, got none"),
        (7, {}, "`source` must hold columns, got int. Hint: pass a path"),
        ("nowhere.csv", {}, "`nowhere.csv` must be an existing file"),
        ("nowhere.csv", {"engine": "dask"}, "`engine` must be one that can count files, got 'dask'"),
        ("sqlite://x.db#t", {"engine": "duckdb"}, "`engine` must be one that can count a warehouse"),
        (
            None,
            {"scores": {"weights": [1]}},
            "`scores` must not call a model y_true, weights, groups or time",
        ),
    ],
)
def test_error_sentences(source, options, sentence):
    with pytest.raises(InputError) as caught:
        read_counts(source, **{"y_true": "y", "scores": "s", **options})
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("bom.csv", b"\xef\xbb\xbfy;s\n0;0.5\n1;oops\n", "got 1 of 2 rows that are no numbers in 's'"),
        ("decimal.csv", b'"y";"s"\n"a";"0,5"\n', "got 0 of 1 rows that are no numbers in 's'"),
        ("cut.parquet", b"PAR1 and so on", "must be a readable table, got this from DuckDB"),
        ("gap.csv", b"y,s\n0,0.5\n1,\n", "Column 's' has 1 missing value."),
    ],
)
def test_bad_files_are_one_sentence(tmp_path, name, content, sentence):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_counts(path, y_true="y", scores="s")
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_parquet_file_cut_in_its_middle_is_one_sentence(tmp_path):
    path = tmp_path / "t.parquet"
    duckdb.sql(f"copy (select i % 2 as y, random() as s from range(20000) t(i)) to '{path}'")
    content = path.read_bytes()
    # the footer still describes rows whose bytes are gone
    path.write_bytes(content[:100] + content[5000:])
    with pytest.raises(InputError, match="must be a readable table, got this from DuckDB") as caught:
        read_counts(path, y_true="y", scores="s")
    assert "\n" not in str(caught.value)


def test_a_memory_limit_that_is_none_is_one_sentence(tmp_path):
    (tmp_path / "t.csv").write_text("y,s\n0,1\n")
    with pytest.raises(InputError, match="`memory_limit` must be a size such as '1GB', got 'much'"):
        read_counts(tmp_path / "t.csv", y_true="y", scores="s", memory_limit="much")


def test_a_warehouse_needs_ibis_and_a_table(monkeypatch):
    pytest.importorskip("ibis", reason="Ibis is not installed")
    with pytest.raises(InputError, match=r"must name the table after the address, .* write URL#table"):
        read_counts("duckdb://scores.db", y_true="y", scores="s")
    monkeypatch.setitem(sys.modules, "ibis", None)
    with pytest.raises(
        InputError, match=r"read through Ibis, which is missing\. Hint: pip install 'demur\[ibis\]'"
    ):
        read_counts("duckdb://scores.db#t", y_true="y", scores="s")


def test_a_quotation_mark_that_old_duckdb_does_not_find_is_one_sentence(monkeypatch, tmp_path):
    file = tmp_path / "odd.csv"
    file.write_text('y,"say ""hi"""\n0,0.2\n1,0.8\n')
    monkeypatch.setattr("duckdb.__version__", "1.4.0")
    with pytest.raises(InputError, match=r"DuckDB before version 2 .* Hint: rename the column"):
        read_counts(file, y_true="y", scores='say "hi"')
