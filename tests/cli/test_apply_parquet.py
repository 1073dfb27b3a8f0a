"""`demur apply -o x.parquet`: the same decisions as on CSV, and columns that keep their types."""

import csv

import duckdb
import numpy as np
import pytest

from command_line import table_file
from demur import Policy
from export_cases import WINDOWS, hard_scores, policy

WORDS = {"pos_label": "ill", "neg_label": "well", "abstain_label": "ask"}


@pytest.fixture
def saved(tmp_path):
    def save(window=(0.3, 0.6), **labels):
        policy(window, **labels).save(tmp_path / "policy.json")
        return Policy.load(tmp_path / "policy.json")

    return save


def parquet(path, query):
    name = str(path).replace("'", "''")
    duckdb.sql(f"copy ({query}) to '{name}' (format parquet)")


def read(path):
    """Return names, types and rows of a Parquet file."""
    relation = duckdb.sql(f"select * from read_parquet('{path}')")
    return relation.columns, [str(kind) for kind in relation.types], relation.fetchall()


def scores_file(path, scores):
    texts = ", ".join(f"({k}, {'null' if s is None else repr(str(s))}::double)" for k, s in enumerate(scores))
    parquet(path, f"select * from (values {texts}) t(id, score)")


APPLY = ("apply", "policy.json")
SCORE = ("--model", "score")


# ---------------------------------------------------------------- the same decisions


@pytest.mark.parametrize("labels", [{}, WORDS, {"abstain_label": 0.5}], ids=["whole", "text", "number"])
def test_decisions_on_hard_scores_against_decide(run, saved, tmp_path, labels):
    scores = hard_scores()
    scores_file(tmp_path / "s.parquet", scores.tolist())
    for window in WINDOWS:
        made = saved(window, **labels)
        assert run(*APPLY, "s.parquet", *SCORE, "-o", "o.parquet", "-q").code == 0
        _, kinds, rows = read(tmp_path / "o.parquet")
        assert [row[2] for row in rows] == made.apply(scores).tolist()
        assert [row[0] for row in rows] == list(range(len(scores))), "rows keep their order"
    kind = {"text": "VARCHAR", "whole": "BIGINT", "number": "DOUBLE"}
    assert kinds[2] == kind["text" if labels == WORDS else "number" if labels else "whole"]


def test_columns_keep_their_types(run, saved, tmp_path):
    made = saved(**WORDS)
    columns = (
        "'00' || i as id, i::tinyint as small, date '2024-01-01' + i::int as day, "
        "(i / 7)::decimal(9, 3) as money, i % 2 = 0 as flag, [i, i + 1] as list, {'a': i} as struct, "
        "timestamp '2024-01-01 00:00:01' as at, case when i % 3 = 0 then null else i end as gap, "
        "(i / 100)::float as score"
    )
    parquet(tmp_path / "s.parquet", f"select {columns} from range(100) t(i)")
    before = read(tmp_path / "s.parquet")
    assert run(*APPLY, "s.parquet", *SCORE, "-o", "o.parquet").code == 0
    names, kinds, rows = read(tmp_path / "o.parquet")
    assert (names[:-1], kinds[:-1], [row[:-1] for row in rows]) == before
    assert (names[-1], kinds[-1]) == ("decision", "VARCHAR")
    # scores of 32 bits
    scores = np.array([row[-1] for row in before[2]], dtype=np.float32)
    assert [row[-1] for row in rows] == made.apply(scores).tolist()


def test_missing_scores_and_the_summary_are_those_of_csv(run, saved, tmp_path):
    saved()
    scores_file(tmp_path / "s.parquet", [0.1, None, 0.9, "nan", 0.5, None])
    as_csv = run(*APPLY, "s.parquet", *SCORE, "-o", "o.csv", "--json")
    as_parquet = run(*APPLY, "s.parquet", *SCORE, "-o", "o.parquet", "--json")
    assert as_parquet.err == as_csv.err
    assert "row 2, column score: the score is missing; no decision." in " ".join(as_csv.err.split())
    summaries = [answer.json for answer in (as_csv, as_parquet)]
    for summary in summaries:
        del summary["output"]
    assert summaries[0] == summaries[1]
    assert [row[2] for row in read(tmp_path / "o.parquet")[2]] == [0, None, 1, None, -1, None]


@pytest.mark.parametrize("scores", [[10.0, 50.0, 90.0] * 50, [0.5] * 400])
def test_scores_of_another_scale_are_told_as_for_csv(run, saved, tmp_path, scores):
    saved()
    scores_file(tmp_path / "s.parquet", scores)
    as_csv = run(*APPLY, "s.parquet", *SCORE, "-o", "o.csv", "-q")
    as_parquet = run(*APPLY, "s.parquet", *SCORE, "-o", "o.parquet", "-q")
    assert as_parquet.err == as_csv.err
    if scores[0] > 1:
        assert "WARNING" in as_csv.err
        assert run(*APPLY, "s.parquet", *SCORE, "-o", "p.parquet", "--strict").code == 2
        assert not (tmp_path / "p.parquet").exists()


def test_an_empty_file(run, saved, tmp_path):
    saved()
    parquet(tmp_path / "s.parquet", "select 1 as id, 0.5 as score limit 0")
    assert "0 rows" in run(*APPLY, "s.parquet", *SCORE, "-o", "o.parquet").err
    assert read(tmp_path / "o.parquet")[::2] == (["id", "score", "decision"], [])


# ---------------------------------------------------------------- other ways in and out


def test_text_from_csv_stays_text(run, saved, tmp_path):
    made = saved(**WORDS)
    ids, notes, scores = ["007", "", "9"], ['a "b"', "x,\ny", ""], ["0.10", "bad", "9e-1"]
    table_file(tmp_path, "s.csv", id=ids, note=notes, score=scores)
    assert run(*APPLY, "s.csv", *SCORE, "-o", "o.parquet", "-q").code == 0
    names, kinds, rows = read(tmp_path / "o.parquet")
    assert (names, set(kinds)) == (["id", "note", "score", "decision"], {"VARCHAR"})
    # an empty cell of a CSV file is missing in Parquet
    assert rows == [
        ("007", 'a "b"', "0.10", made.neg_label),
        (None, "x,\ny", "bad", None),
        ("9", None, "9e-1", made.pos_label),
    ]


@pytest.mark.parametrize("source", ["s.csv", "s.parquet"])
def test_an_audit_draws_the_rows_it_draws_for_csv(run, saved, tmp_path, source):
    saved(**WORDS)
    rng = np.random.default_rng(0)
    table_file(tmp_path, "s.csv", id=range(300), score=rng.random(300).round(3))
    parquet(tmp_path / "s.parquet", f"select * from read_csv('{tmp_path / 's.csv'}')")
    flags = (source, *SCORE, "--audit", "0.3", "--audit-seed", "x", "--audit-key", "id", "-q")
    assert run(*APPLY, *flags, "-o", "o.csv").code == run(*APPLY, *flags, "-o", "o.parquet").code == 0
    names, kinds, rows = read(tmp_path / "o.parquet")
    assert names[2:] == ["decision", "audit", "audit_probability"]
    assert kinds[2:] == ["VARCHAR", "INTEGER", "DOUBLE"]
    assert kinds[:2] == (["VARCHAR"] * 2 if source == "s.csv" else ["BIGINT", "DOUBLE"])
    with open(tmp_path / "o.csv", newline="") as handle:
        expected = [(row["decision"], int(row["audit"])) for row in csv.DictReader(handle)]
    assert [row[2:4] for row in rows] == expected
    assert 0 < sum(row[3] for row in rows) < 200


def test_decisions_alone_folders_and_the_file_itself(run, saved, tmp_path):
    made = saved()
    (tmp_path / "in" / "day=1").mkdir(parents=True)
    scores_file(tmp_path / "in" / "day=1" / "it's [a].parquet", [0.1, 0.9])
    assert run(*APPLY, "in", *SCORE, "-o", "o.parquet", "--only").code == 0
    assert read(tmp_path / "o.parquet") == (["decision"], ["BIGINT"], [(0,), (1,)])
    assert run(*APPLY, "in", *SCORE, "-o", "o.pq").code == 0
    assert read(tmp_path / "o.pq")[0] == ["id", "score", "day", "decision"]
    scores_file(tmp_path / "s.parquet", [0.1, 0.9])
    assert run(*APPLY, "s.parquet", *SCORE, "-o", "s.parquet").code == 0
    assert [row[2] for row in read(tmp_path / "s.parquet")[2]] == made.apply([0.1, 0.9]).tolist()


def test_tabs_for_tsv(run, saved, tmp_path):
    saved()
    table_file(tmp_path, "s.csv", id=[1], score=[0.9])
    assert run(*APPLY, "s.csv", *SCORE, "-o", "o.tsv").code == 0
    assert (tmp_path / "o.tsv").read_text() == "id\tscore\tdecision\n1\t0.9\t1\n"


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (("-o", "o.xlsx"), "`--output o.xlsx` must end in .csv, .tsv, .txt, .parquet or .pq, got .xlsx."),
        (("-o", "o.csv.gz"), "must end in .csv, .tsv, .txt, .parquet or .pq, got .gz."),
        (("-o", "o.parquet", "--column", "ID"), "the columns 'id' and 'ID' would be one in Parquet"),
        (("-o", "o.parquet", "--column", "id"), "already has a column 'id'"),
        (("-o", "o.parquet", "--model", "name"), "must have numbers in column 'name'"),
        (("-o", "o.parquet", "--model", "nobody"), "'nobody'"),
        (("-o", "o.parquet", "--strict"), "row 2, column score: the score is missing"),
    ],
)
def test_refusals_write_nothing(run, saved, tmp_path, flags, sentence):
    saved()
    parquet(tmp_path / "s.parquet", "select * from (values (1, 0.5, 'a'), (2, null, 'b')) t(id, score, name)")
    answer = run(*APPLY, "s.parquet", *SCORE, *flags)
    assert (answer.code, answer.out) == (2, "")
    assert sentence in " ".join(answer.err.split())
    assert {path.name for path in tmp_path.iterdir()} == {"s.parquet", "policy.json"}
