"""`demur check` on saved counts and on JSON records."""

import json

import pytest

from command_line import GOOD, Y
from demur import ScoreCounts


def save(folder, y, scores, name="risk.parquet", **options):
    ScoreCounts.from_arrays(y, scores).save(folder / name, **options)


def test_counts_without_a_problem(run, tmp_path):
    save(tmp_path, Y * 10, GOOD * 10)
    answer = run("check", "risk.parquet", "--json")
    assert answer.code == 0
    assert "Read the counts of 120 cases of risk.parquet: 5 distinct scores or bins." in " ".join(
        answer.err.split()
    )
    assert (answer.json["rows"], answer.json["findings"]) == (120, [])
    assert answer.json["columns"]["models"] == ["risk"]


def test_counts_with_problems(run, tmp_path):
    save(tmp_path, [0, 0, 1], [1, 2, 3])
    answer = run("check", "risk.parquet")
    assert answer.code == 2
    assert "risk has 1 positive and 2 negative" in " ".join(answer.out.split())
    save(tmp_path, Y * 10, [-score for score in GOOD] * 10, model="backwards")
    answer = run("check", "risk.parquet")
    assert answer.code == 0
    assert "backwards ranks worse than chance" in " ".join(answer.out.split())


def records():
    return [{"id": k, "y_true": y, "good": s} for k, (y, s) in enumerate(zip(Y * 10, GOOD * 10, strict=True))]


@pytest.mark.parametrize("name", ["p.json", "p.jsonl", "it's.ndjson"])
def test_records_against_a_table(run, tmp_path, name):
    rows = records()
    rows[3]["good"] = None
    lines = [json.dumps(row) for row in rows]
    (tmp_path / name).write_text(f"[{','.join(lines)}]" if name == "p.json" else "\n".join(lines))
    table = [
        "id,y_true,good",
        *(f"{r['id']},{r['y_true']},{'' if r['good'] is None else r['good']}" for r in rows),
    ]
    (tmp_path / "p.csv").write_text("\n".join(table) + "\n")
    found, expected = (run("check", file, "--json") for file in (name, "p.csv"))
    assert (found.code, found.json["findings"]) == (expected.code, expected.json["findings"])
    assert found.code == 2
    assert found.json["source"] == name
    assert "records.parquet" not in found.err


@pytest.mark.parametrize(
    ("file", "flags", "sentence"),
    [
        ("broken.json", (), "`broken.json` must hold JSON records, a list or one per line"),
        ("p.json", ("--engine", "duckdb"), "`--engine duckdb` reads no JSON"),
        ("risk.parquet", ("--cluster", "y"), "`--cluster` is for tables of cases, not for counts."),
        ("risk.parquet", ("--label", "y"), "`--label` is for tables of cases, but risk.parquet holds counts"),
    ],
)
def test_refusals(run, tmp_path, file, flags, sentence):
    save(tmp_path, Y, GOOD)
    (tmp_path / "p.json").write_text(json.dumps(records()))
    (tmp_path / "broken.json").write_text('[{"a": 1')
    answer = run("check", file, *flags)
    assert (answer.code, answer.out) == (2, "")
    assert sentence in " ".join(answer.err.split())


STAGES = {"healthy": (0.7, 0.2, 0.1), "early": (0.2, 0.5, 0.3), "late": (0.1, 0.3, 0.6)}


@pytest.mark.parametrize("label", [(), ("--label", "stage")])
def test_many_classes_are_found_by_their_columns(run, tmp_path, label):
    rows = [f"{stage},{','.join(map(str, proba * 2))}" for stage, proba in STAGES.items()]
    names = ",".join(f"{model}_{stage}" for model in ("nn", "lr") for stage in STAGES)
    (tmp_path / "s.csv").write_text("\n".join([f"stage,{names}", *rows * 4, ""]))
    answer = run("check", "s.csv", *label, "--json")
    assert (answer.code, answer.json["findings"]) == (0, [])
    assert answer.json["columns"]["models"] == ["nn", "lr"]
    assert answer.json["next"] == "demur compare s.csv --label stage --classes healthy,early,late"


def test_missing_values_of_many_classes(run, tmp_path):
    rows = [f"{stage},{','.join(map(str, proba))}" for stage, proba in STAGES.items()]
    (tmp_path / "s.csv").write_text("\n".join(["stage,healthy,early,late", *rows * 4, "late,,0.5,0.5", ""]))
    answer = run("check", "s.csv")
    assert answer.code == 2
    assert "healthy has 1 missing value." in answer.out
    assert answer.out.endswith("--classes healthy,early,late --drop-missing\n")
