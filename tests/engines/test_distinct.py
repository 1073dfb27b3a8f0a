"""Counts are exact up to `max_distinct` distinct scores, whatever the first rows look like."""

import time

import duckdb
import numpy as np
import pytest

from demur import ScoreCounts, read_counts
from demur.counts import BinnedCounts
from demur.engines import read_paired_counts
from demur.engines.frames import FrameTable
from demur.engines.tallies import Tally, has_more_than

LIMIT = 2**20
SIZES = (2**16 - 1, 2**16, 2**16 + 1, 2**18, 2**20 - 1, 2**20, 2**20 + 1)
ORDERS = {"sorted": "i", "unsorted": "hash(i)"}
SCALE = 2.0**-21


def write(path, rows, *, score="i", order="sorted"):
    """Write labels and scores, `score` in terms of the number i of the row; steps are exact floats."""
    duckdb.sql(
        f"""copy (select (hash(i + 1) % 3 = 0)::integer as y, ({score}) * {SCALE!r} as s
        from range({rows}) t(i) order by {ORDERS[order]}) to '{path}' (format parquet)"""
    )
    return path


@pytest.fixture
def scans(monkeypatch):
    """Cuts of every scan of a frame."""
    calls = []
    tallies = FrameTable.tallies

    def counting(self, columns, cuts, most):
        calls.append(cuts)
        return tallies(self, columns, cuts, most)

    monkeypatch.setattr(FrameTable, "tallies", counting)
    return calls


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("distinct", SIZES)
def test_exact_up_to_the_promised_number_of_scores(tmp_path, scans, distinct, order):
    path = write(tmp_path / "t.parquet", distinct, order=order)
    counts = read_counts(path, y_true="y", scores="s")["s"]
    assert counts.n == distinct
    if distinct > LIMIT:
        assert isinstance(counts, BinnedCounts)
        assert counts.certified <= 1e-6
    else:
        assert type(counts) is ScoreCounts
        assert np.array_equal(counts.scores, np.arange(distinct) * SCALE)
    assert len(scans) <= (3 if distinct > LIMIT else 1)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("distinct", [2**16 + 1, 2**18, 2**20 - 1, 2**20, 2**20 + 1])
def test_exact_where_there_are_more_rows_than_that(tmp_path, scans, distinct, order):
    # every score twice, far apart: the first rows hold distinct scores only
    path = write(tmp_path / "t.parquet", 2 * distinct, score=f"i % {distinct}", order=order)
    counts = read_counts(path, y_true="y", scores="s")["s"]
    assert counts.n == 2 * distinct
    assert isinstance(counts, BinnedCounts) == (distinct > LIMIT)
    if distinct <= LIMIT:
        assert np.array_equal(counts.positives + counts.negatives, np.full(distinct, 2.0))
    assert len(scans) <= (3 if distinct > LIMIT else 2)


def test_where_neither_bins_nor_first_rows_prove_anything_one_scan_more_decides(tmp_path, scans, monkeypatch):
    monkeypatch.setattr("demur.engines.counting.FIRST_ROWS", 1000)
    monkeypatch.setattr("demur.engines.counting._PROVING_ROWS", 15_000)
    # 10,001 scores within one bin; 8,000 of them in the first 15,000 rows
    score = "case when i < 1000 then i else 1000 + (i - 1000) // 2 end * 0.0001"
    path = write(tmp_path / "t.parquet", 19_002, score=score)
    read_counts(path, y_true="y", scores="s", max_distinct=10_000)
    # bins, all scores in vain, and the bin that matters
    assert [cuts["s"].exact for cuts in scans] == [False, True, True]
    assert scans[2]["s"].only == {0}
    scans.clear()
    exact = read_counts(path, y_true="y", scores="s", max_distinct=10_001)["s"]
    assert type(exact) is ScoreCounts
    assert (len(exact.scores), len(scans)) == (10_001, 2)


@pytest.mark.parametrize("limit", [10**5, 10**6])
def test_a_limit_of_ones_own_is_kept(tmp_path, limit):
    path = write(tmp_path / "t.parquet", limit + 1)
    options = {"y_true": "y", "scores": "s"}
    assert isinstance(read_counts(path, **options, max_distinct=limit)["s"], BinnedCounts)
    assert type(read_counts(path, **options, max_distinct=limit + 1)["s"]) is ScoreCounts


def test_a_relation_whose_rows_nobody_has_counted_is_exact_too(tmp_path, scans):
    path = write(tmp_path / "t.parquet", 2**18)
    with duckdb.connect() as connection:
        counts = read_counts(connection.read_parquet(str(path)), y_true="y", scores="s")["s"]
    assert type(counts) is ScoreCounts
    assert len(scans) == 1


def test_each_of_several_models_is_judged_alone(tmp_path):
    # a CSV file is scanned once for both: the many scores of one must not bin those of the other
    path = tmp_path / "t.csv"
    duckdb.sql(
        f"""copy (select i % 2 as y, i // 2 as many, i % 70000 as few from range(140000) t(i)
        order by many) to '{path}' (header)"""
    )
    counts = read_counts(path, y_true="y", scores=["many", "few"], max_distinct=69_999)
    assert all(isinstance(own, BinnedCounts) for own in counts.values())
    duckdb.sql(
        f"""copy (select i % 2 as y, greatest(0, i - 70000) as many, i % 900 as few
        from range(300000) t(i)) to '{path}' (header)"""
    )
    counts = read_counts(path, y_true="y", scores=["many", "few"], max_distinct=1000)
    assert isinstance(counts["many"], BinnedCounts)
    assert type(counts["few"]) is ScoreCounts


def test_arrays_with_a_limit_count_scores_not_rows():
    i = np.arange(5000)
    table = {"y": i % 2, "s": i % 7}
    assert type(read_counts(table, y_true="y", scores="s", max_distinct=7)["s"]) is ScoreCounts
    assert isinstance(read_counts(table, y_true="y", scores="s", max_distinct=6)["s"], BinnedCounts)


def test_groups_count_pairs_of_group_and_score(tmp_path):
    path = tmp_path / "t.parquet"
    duckdb.sql(f"copy (select i % 2 as y, i % 4 as g, i // 4 as s from range(4000) t(i)) to '{path}'")
    options = {"y_true": "y", "scores": "s", "groups": "g"}
    exact = read_counts(path, **options, max_distinct=4000)
    assert {type(own["s"]) for own in exact.values()} == {ScoreCounts}
    binned = read_counts(path, **options, max_distinct=3999)
    assert {type(own["s"]) for own in binned.values()} == {BinnedCounts}


def test_ten_thousand_groups_in_one_scan(tmp_path, scans):
    path = tmp_path / "groups.parquet"
    duckdb.sql(
        f"""copy (select i % 10000 as g, (hash(i) % 3 = 0)::integer as y, hash(i + 1) % 100 / 100.0 as s
        from range(100000) t(i)) to '{path}' (format parquet)"""
    )
    start = time.process_time()
    found = read_counts(path, y_true="y", scores="s", groups="g")
    assert time.process_time() - start < 20
    assert len(scans) == 1
    assert list(found) == list(range(10_000))
    own = duckdb.sql(f"select y, s from '{path}' where g = 77").fetchnumpy()
    expected = ScoreCounts.from_arrays(own["y"], own["s"])
    np.testing.assert_array_equal(found[77]["s"].scores, expected.scores)
    np.testing.assert_array_equal(found[77]["s"].positives, expected.positives)


def test_many_groups_share_the_bins_that_can_be_kept(tmp_path, scans, monkeypatch):
    monkeypatch.setattr("demur.engines.counting._MOST_GROUPED_BINS", 2**10)
    path = tmp_path / "groups.parquet"
    duckdb.sql(
        f"""copy (select i % 8 as g, (hash(i) % 3 = 0)::integer as y, (hash(i + 1) % 1000003) / 1000003 as s
        from range(70000) t(i)) to '{path}' (format parquet)"""
    )
    found = read_counts(path, y_true="y", scores="s", groups="g", max_distinct=1000, tolerance=1)
    assert [len(counts["s"].scores) for counts in found.values()] == [128] * 8
    assert sum(counts["s"].n for counts in found.values()) == 70_000


def test_what_bins_prove_by_hand():
    # one class has the scores 1, 2 and 5, the other 2 and 9 or more between
    tally = Tally(
        label=np.array([0, 0, 1]),
        group=None,
        lower=np.array([1.0, 5.0, 2.0]),
        upper=np.array([2.0, 5.0, 9.0]),
        number=np.array([0.0, 1.0, 0.0]),
        rows=np.array([2, 1, 4]),
        weight=None,
    )
    assert [has_more_than(limit, tally) for limit in (2, 3, 4, 5)] == [True, True, False, False]


@pytest.mark.parametrize("rows", [2**16, 2**18])
def test_pairs_are_exact_up_to_the_promised_number(tmp_path, rows):
    path = tmp_path / "t.parquet"
    duckdb.sql(f"copy (select i % 2 as y, i as a, -i as b from range({rows}) t(i)) to '{path}'")
    assert read_paired_counts(path, y_true="y", scores=["a", "b"]).exact
