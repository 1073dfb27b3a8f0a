"""A file is what its name says, or the list of what is offered."""

import json

import pytest

from command_line import COSTS
from demur import ScoreCounts

COMPARE = ("compare", "p.csv", "--model", "good", *COSTS)


def test_json_by_its_name(run, many, tmp_path):
    assert run(*COMPARE, "-o", "c.json", "-q").code == 0
    expected = json.loads(run(*COMPARE, "--json", "-q").out)
    assert json.loads((tmp_path / "c.json").read_text()) == expected
    assert run("check", "p.csv", "--model", "good", "-o", "check.JSON").code == 0
    assert json.loads((tmp_path / "check.JSON").read_text())["schema"] == "demur.check"


@pytest.mark.parametrize("name", ["c.txt", "c.md", "c", "c.v2"])
def test_words_by_other_names(run, many, tmp_path, name):
    assert run(*COMPARE, "-o", name, "-q").code == 0
    assert "good" in (tmp_path / name).read_text()


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ((*COMPARE, "-o", "c.xlsx"), "`--output c.xlsx` must end in .txt, .md or .json, got .xlsx."),
        ((*COMPARE, "-o", "c.csv"), "must end in .txt, .md or .json, got .csv."),
        ((*COMPARE, "-o", "c.md", "--json"), "must end in .json, got .md."),
        (("check", "p.csv", "-o", "c.pdf"), "must end in .txt, .md or .json, got .pdf."),
        (
            ("report", "p.csv", *COSTS, "-o", "rep.pdf"),
            "must end in .html or .htm, got .pdf. Hint: print",
        ),
        (("report", "p.csv", *COSTS, "--json", "-o", "rep.html"), "must end in .json, got .html."),
        (
            ("decide", "p.csv", *COSTS, "-o", "p.yaml"),
            "must end in .json, got .yaml. Hint: a policy",
        ),
        (("merge", "a.parquet", "-o", "m.csv"), "must end in .parquet or .pq, got .csv."),
        (("export", "policy.json", "--to", "sql", "-o", "x.py"), "must end in .sql or .txt, got .py."),
    ],
)
def test_other_formats_are_refused_before_any_work(run, many, tmp_path, args, sentence):
    ScoreCounts.from_arrays([0, 1], [1, 2]).save(tmp_path / "a.parquet")
    before = sorted(path.name for path in tmp_path.iterdir())
    answer = run(*args)
    assert (answer.code, answer.out) == (2, "")
    assert sentence in " ".join(answer.err.split())
    assert sorted(path.name for path in tmp_path.iterdir()) == before
