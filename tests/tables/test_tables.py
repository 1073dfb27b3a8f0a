"""Tables and documents: what people read and what programs read, in every format."""

import csv
from html.parser import HTMLParser

import pytest

from demur import InputError
from demur._results import Interval
from demur._tables.documents import document_text, write_document
from demur._tables.files import joined_groups, left_out_of, write_tables
from demur._tables.table import Column, Section, Table

TABLE = Table(
    name="Rules",
    title="Costs",
    note="a note",
    columns=(
        Column("rule", ["new", "a longer name"], "rule"),
        Column("cost", [1234.5678, None], "cost", "{:,.0f}".format),
        Column(
            "cost",
            [Interval(1.0, 2.0), None],
            "interval",
            lambda ends: f"{ends[0]:g}\nto {ends[1]:g}",
            ends=True,
        ),
        Column("seed", [1, 2]),
        Column("", ["x", "y"], "word"),
    ),
)


def test_text_by_hand():
    assert TABLE.section().text().splitlines() == [
        "rule            cost  interval  word",
        "new            1,235         1  x",
        "                          to 2",
        "a longer name                   y",
    ]


def test_plain_columns_by_hand():
    assert TABLE.plain() == {
        "rule": ["new", "a longer name"],
        "cost": [1234.5678, None],
        "cost_low": [1.0, None],
        "cost_high": [2.0, None],
        "seed": [1, 2],
    }


def test_rows_become_columns_in_the_order_of_their_names():
    table = Table.of_rows("T", [{"a": 1}, {"b": 2.5, "a": None}])
    assert table.plain() == {"a": [1, None], "b": [None, 2.5]}


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_frames_hold_the_plain_columns(backend):
    frame = TABLE.to_frame(backend)
    assert type(frame).__module__.split(".")[0] == backend
    assert list(frame.columns) == list(TABLE.plain())
    assert list(frame["seed"]) == [1, 2]


def test_a_library_that_is_not_there():
    with pytest.raises(
        InputError, match="`backend` must be a library of data frames that is installed, got 'no'"
    ):
        TABLE.to_frame("no")


def test_groups_below_each_other_and_one_after_the_other():
    groups = {"north": {"Rules": TABLE}, "south": {"Rules": TABLE}}
    (stacked,) = joined_groups("site", groups, stacked=True)
    assert stacked.plain()["site"] == ["north", "north", "south", "south"]
    assert [one.title for one in joined_groups("site", groups, stacked=False)] == [
        "site = north. Costs",
        "site = south. Costs",
    ]


def test_what_one_table_leaves_out():
    other = Table.of_rows("Pairs", [{"a": 1}])
    assert left_out_of("t.csv", [TABLE, other]) == ["Pairs"]
    assert left_out_of("t.xlsx", [TABLE, other]) == []


# ---------------------------------------------------------------- documents

ODD = "50 % of a_b & <c> {d} #1 $x$ ~ ^ \\ |"
DOCUMENT = [Section("T " + ODD, (ODD,), (ODD,), ("name", "n"), ((ODD, "1.5"), ("b", "-2")), "note")]


def test_tex_escapes_by_hand():
    text = document_text(".tex", "", DOCUMENT)
    escaped = (
        r"50 \% of a\_b \& \textless{}c\textgreater{} \{d\} \#1 \$x\$ \textasciitilde{} \textasciicircum{}"
    )
    assert rf"\subsection*{{T {escaped} \textbackslash{{}} \textbar{{}}}}" in text
    assert r"\begin{tabular}{lr}" in text
    assert r"b & -2 \\" in text


def test_html_holds_the_names_as_text():
    class Cells(HTMLParser):
        def __init__(self):
            super().__init__()
            self.found, self.inside = [], None

        def handle_starttag(self, tag, attrs):
            self.inside = tag

        def handle_data(self, data):
            if self.inside in ("td", "th", "p", "li", "h2"):
                self.found.append(data)

        def handle_endtag(self, tag):
            self.inside = None

    parser = Cells()
    parser.feed(document_text(".html", "", DOCUMENT))
    assert parser.found == [f"T {ODD}", ODD, ODD, "name", "n", ODD, "1.5", "b", "-2", "note"]


@pytest.mark.parametrize("ending", [".md", ".txt", ".html", ".tex", ".docx"])
def test_the_same_document_makes_the_same_bytes(tmp_path, ending):
    for name in "ab":
        write_document(tmp_path / f"{name}{ending}", "Title", DOCUMENT)
    assert (tmp_path / f"a{ending}").read_bytes() == (tmp_path / f"b{ending}").read_bytes()


def test_documents_show_words_and_every_table(tmp_path):
    write_tables(tmp_path / "t.md", [TABLE, Table.of_rows("Pairs", [{"a": 1}])], words=["Use new."])
    lines = (tmp_path / "t.md").read_text().splitlines()
    assert lines[0] == "Use new."
    assert [line for line in lines if line.startswith("## ")] == ["## Costs", "## Pairs"]
    assert "| new | 1,235 | 1 to 2 | x |" in lines


def test_programs_read_unrounded_numbers(tmp_path):
    write_tables(tmp_path / "t.csv", [TABLE])
    with open(tmp_path / "t.csv", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert rows[0] == {"rule": "new", "cost": "1234.5678", "cost_low": "1.0", "cost_high": "2.0", "seed": "1"}
