"""A file is what its name says, or the list of what is offered."""

import csv
import json
from xml.etree import ElementTree
from zipfile import ZipFile

import duckdb
import pytest

from command_line import COSTS, GOOD, Y, table_file
from demur import ScoreCounts
from demur._tables import files
from demur._tables.files import write_tables
from demur._tables.table import Column, Table

COMPARE = ("compare", "p.csv", "--model", "good", *COSTS)


def test_json_by_its_name(run, many, tmp_path):
    assert run(*COMPARE, "-o", "c.json", "-q").code == 0
    expected = json.loads(run(*COMPARE, "--json", "-q").out)
    assert json.loads((tmp_path / "c.json").read_text()) == expected
    assert run("check", "p.csv", "--model", "good", "-o", "check.JSON").code == 0
    assert json.loads((tmp_path / "check.JSON").read_text())["schema"] == "demur.check"


def test_an_ending_is_a_format_as_soon_as_tables_have_it(run, many, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "TABLE_FORMATS", (*files.TABLE_FORMATS, ".v2"))
    monkeypatch.setitem(files._PROGRAMS, ".v2", files._PROGRAMS[".csv"])
    for name in ("c.v2", "c.csv"):
        assert run(*COMPARE, "-o", name, "-q").code == 0
    assert (tmp_path / "c.v2").read_text() == (tmp_path / "c.csv").read_text()


@pytest.mark.parametrize("name", ["c.txt", "c", "c.v2"])
def test_words_by_other_names(run, many, tmp_path, name):
    assert run(*COMPARE, "-o", name, "-q").code == 0
    assert "good" in (tmp_path / name).read_text()


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (
            (*COMPARE, "-o", "c.ods"),
            "`--output c.ods` must end in .txt, .json, .csv, .tsv, .xlsx, .parquet, .pq, .md, .tex, .html, "
            ".docx, .png, .svg or .pdf, got .ods.",
        ),
        ((*COMPARE, "-o", "c.md", "--json"), "must end in .json, got .md."),
        (("check", "p.csv", "-o", "c.pdf"), ".tex, .html or .docx, got .pdf."),
        (
            ("audit", "policy.json", "p.csv", "--label", "y_true", "-o", "j.png"),
            "must end in .txt, .json, .csv,",
        ),
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


# ---------------------------------------------------------------- tables

BOTH = ("compare", "p.csv", "--model", "good", "--model", "bad", *COSTS)


def tables_of(tables):
    return [
        Table(name=name, columns=tuple(Column(key, values, key) for key, values in columns.items()))
        for name, columns in tables.items()
    ]


ODD = tables_of(
    {
        "Rules": {"a|b": ['x, "y"', "<&>"], "n": [1, None], "z": [0.1, float("-inf")], "ok": [True, False]},
        "Pairs": {"c": [2.5]},
    }
)


def sheets_of(path):
    """Read a workbook from the definition of its parts: {sheet: rows of values}."""
    main = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    with ZipFile(path) as archive:
        names = [
            s.get("name")
            for s in ElementTree.fromstring(archive.read("xl/workbook.xml")).iter(f"{main}sheet")
        ]
        found = {}
        for k, name in enumerate(names, start=1):
            rows = ElementTree.fromstring(archive.read(f"xl/worksheets/sheet{k}.xml")).iter(f"{main}row")
            found[name] = [{cell.get("r"): _value(cell, main) for cell in row} for row in rows]
    return found


def _value(cell, main):
    if cell.get("t") == "inlineStr":
        return cell.find(f"{main}is/{main}t").text
    value = cell.find(f"{main}v").text
    return value == "1" if cell.get("t") == "b" else float(value)


def test_formats_of_one_table_by_hand(tmp_path):
    for name in ("t.csv", "t.tsv", "t.md", "t.xlsx", "t.parquet"):
        write_tables(str(tmp_path / name), ODD, words=["Use x."])
    with open(tmp_path / "t.csv", newline="") as handle:
        rows = list(csv.reader(handle))
    assert rows == [["a|b", "n", "z", "ok"], ['x, "y"', "1", "0.1", "True"], ["<&>", "", "-inf", "False"]]
    assert (tmp_path / "t.tsv").read_text().splitlines()[0] == "a|b\tn\tz\tok"
    assert (tmp_path / "t.md").read_text().splitlines() == [
        *("Use x.", "", "## Rules", ""),
        *("| a\\|b | n | z | ok |", "| --- | ---: | ---: | --- |"),
        *('| x, "y" | 1 | 0.1 | yes |', "| &lt;&amp;&gt; |  | -inf | no |"),
        *("", "## Pairs", "", "| c |", "| ---: |", "| 2.5 |"),
    ]
    assert sheets_of(tmp_path / "t.xlsx") == {
        "Rules": [
            {"A1": "a|b", "B1": "n", "C1": "z", "D1": "ok"},
            {"A2": 'x, "y"', "B2": 1, "C2": 0.1, "D2": True},
            {"A3": "<&>", "C3": "-inf", "D3": False},
        ],
        "Pairs": [{"A1": "c"}, {"A2": 2.5}],
    }
    read = duckdb.sql(f"from '{tmp_path / 't.parquet'}'")
    assert [str(kind) for kind in read.types] == ["VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN"]
    assert read.fetchall() == [('x, "y"', 1, 0.1, True), ("<&>", None, float("-inf"), False)]


def test_names_are_text_in_every_format_by_hand(tmp_path):
    formulas = ["=HYPERLINK(1)", "+a", "@b", "-c", "\t=d"]
    names = [*formulas, "-1", "<script>", "a|b", "_*x*_ `y`", "in_word", "\x1b[31m"]
    table = {"=1+1": names, "n": [-1.5, *range(10)]}
    for name in ("t.csv", "t.tsv", "t.md", "t.xlsx"):
        write_tables(str(tmp_path / name), tables_of({"Rules": table}), words=["Use <b>.", "Use *."])
    cells = ["'=1+1", *(f"'{name}" for name in formulas), *names[5:]]
    for name, separator in (("t.csv", ","), ("t.tsv", "\t")):
        with open(tmp_path / name, newline="") as handle:
            rows = list(csv.reader(handle, delimiter=separator))
        assert [row[0] for row in rows] == cells
        assert rows[1][1] == "-1.5"
    sheet = sheets_of(tmp_path / "t.xlsx")["Rules"]
    # a sheet of XML holds no control characters: they are shown
    assert [row[f"A{k}"] for k, row in enumerate(sheet, start=1)] == [
        *cells[:5], "\\x09=d", *names[5:-1], "\\x1b[31m"
    ]  # fmt: skip
    assert sheet[1]["B2"] == -1.5
    lines = (tmp_path / "t.md").read_text().splitlines()
    assert lines[:3] == ["Use &lt;b&gt;.", "", "Use \\*."]
    assert [line.split(" | ")[0].removeprefix("| ") for line in lines[8:]] == [
        *("=HYPERLINK(1)", "+a", "@b", "-c", "=d", "-1", "&lt;script&gt;", "a\\|b"),
        *("\\_\\*x\\*\\_ \\`y\\`", "in_word", "\\\\x1b\\[31m"),
    ]


def test_what_an_audit_says_in_files(run, many, tmp_path):
    table_file(tmp_path, "o.csv", y=Y * 4, **{"<script>": GOOD * 4, "````": [-x for x in GOOD] * 4})
    assert run("decide", "o.csv", "--model", "<script>", *COSTS, "-o", "o.json", "-q").code == 0
    audit = ("audit", "o.json", "o.csv", "--label", "y")
    found = run(*audit, "--json").json
    for name in ("o.md", "o.csv.tsv", "o.docx"):
        assert run(*audit, "-o", name).code == 0
    text = (tmp_path / "o.md").read_text()
    assert text.split("\n\n")[0] == " ".join(run(*audit).out.split("\n\n")[0].split())
    assert "| true class | 0 | 1 | abstain |" in text
    with open(tmp_path / "o.csv.tsv", newline="") as handle:
        rows = list(csv.DictReader(handle, delimiter="\t"))
    assert [[float(row[key]) for key in ("0", "1", "abstain")] for row in rows] == found["confusion"]


def test_wide_tables_have_columns_after_z(tmp_path):
    write_tables(str(tmp_path / "w.xlsx"), [Table.of_rows("t", [{f"c{k}": k for k in range(704)}])])
    cells = sheets_of(tmp_path / "w.xlsx")["t"][1]
    assert (cells["Z2"], cells["AA2"], cells["ZZ2"], cells["AAA2"], cells["AAB2"]) == (25, 26, 701, 702, 703)


def test_table_of_a_comparison_holds_the_numbers_of_its_document(run, many, tmp_path):
    document = run(*BOTH, "--json", "-q").json
    for name in ("c.csv", "c.md", "c.xlsx", "c.parquet"):
        answer = run(*BOTH, "-o", name)
        assert (answer.code, answer.out) == (0, "")
        assert ("holds the rules" in answer.err) == (name in ("c.csv", "c.parquet"))
    with open(tmp_path / "c.csv", newline="") as handle:
        rows = {row["rule"]: row for row in csv.DictReader(handle)}
    comparison = document["comparison"]
    for name, model in comparison["models"].items():
        assert [float(rows[name][key]) for key in ("cost", "auc", "vacc")] == [
            model[key] for key in ("cost", "auc", "vacc")
        ]
        assert [float(rows[name][f"cost_{end}"]) for end in ("low", "high")] == model["interval"]
    assert {name: float(rows[name]["cost"]) for name in comparison["trivial"]} == comparison["trivial"]
    assert [name for name, row in rows.items() if row["chosen"] == "True"] == [comparison["answer"]["model"]]
    read = duckdb.sql(f"select rule, cost from '{tmp_path / 'c.parquet'}'").fetchall()
    assert read == [(name, float(row["cost"])) for name, row in rows.items()]
    pair = sheets_of(tmp_path / "c.xlsx")["Pairs"][1]
    assert pair["C2"] == document["pairs"][0]["auc"]["difference"]
    text = (tmp_path / "c.md").read_text()
    assert text.startswith(comparison["answer"]["words"])
    assert "## Thresholds" in text


def test_markdown_says_the_limits_as_the_terminal_does(run, many, tmp_path):
    limited = (*BOTH, "--max-abstention", 0.25, "--max-fn-rate", 0.5, "-q")
    assert run(*limited, "-o", "c.md").code == 0
    sentence = "Limits: at most 25 % of the cases sent to a person, at most 50 % of the positives missed."
    assert sentence in " ".join(run(*limited).out.split())
    assert (tmp_path / "c.md").read_text().split("\n\n")[1] == sentence


def test_groups_stand_below_each_other(run, many, tmp_path):
    table_file(tmp_path, "g.csv", y_true=Y * 20 + [1], good=GOOD * 20 + [1.0], site=["a"] * 240 + ["b"])
    assert run("compare", "g.csv", "--group", "site", *COSTS, "-o", "g.csv.tsv", "-q").code == 0
    with open(tmp_path / "g.csv.tsv", newline="") as handle:
        rows = list(csv.DictReader(handle, delimiter="\t"))
    assert {row["site"] for row in rows} == {"a", "b"}
    assert [row["left_out"] != "" for row in rows if row["site"] == "b"] == [True]


def test_findings_as_a_table(run, many, tmp_path):
    check = ("check", "p.csv", "--model", "good", "--model", "bad", "-q")
    assert run(*check, "-o", "f.parquet").code == 0
    found = run(*check, "--json").json["findings"]
    read = duckdb.sql(f'select "column", problem, count from "{tmp_path / "f.parquet"}"').fetchall()
    assert read == [(one["column"], one["problem"], one["count"]) for one in found]
    assert found
