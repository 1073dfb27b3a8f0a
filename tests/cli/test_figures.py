"""Figures and answers of `demur compare` without costs."""

import pytest

import demur
from command_line import COSTS, GOOD, Y, table_file
from demur.cli.verbs.compare import _FIGURES
from demur.displays.comparison import FIGURES

SIGNS = {".png": b"\x89PNG", ".pdf": b"%PDF", ".svg": b"<?xml"}


@pytest.fixture
def file(tmp_path):
    bad = [-one + k % 5 for k, one in enumerate(GOOD * 8)]
    days = [f"2026-01-{1 + k // 4:02d}" for k in range(96)]
    site = ["north", "south"] * 48
    return table_file(tmp_path, y=Y * 8, good=GOOD * 8, bad=bad, day=days, site=site)


def test_the_command_line_offers_the_figures_of_the_library():
    assert tuple(FIGURES) == _FIGURES


@pytest.mark.parametrize("ending", SIGNS)
@pytest.mark.parametrize("kind", [None, "surface", "difference", "regions", "prevalence", "scores"])
def test_figures_without_costs(run, file, tmp_path, ending, kind):
    flags = ("--exclude", "day") if kind is None else ("--exclude", "day", "--figure", kind)
    answer = run("compare", file, *flags, "-o", f"f{ending}")
    assert answer.code == 0, answer.err
    assert "Figure written to" in answer.err
    assert answer.out == run("compare", file, "--exclude", "day").out
    assert (tmp_path / f"f{ending}").read_bytes().startswith(SIGNS[ending])


@pytest.mark.parametrize(("kind", "flags"), [("groups", ("--by", "site")), ("blocks", ("--time", "day"))])
def test_figures_of_groups_and_blocks(run, file, tmp_path, kind, flags):
    answer = run("compare", file, *COSTS, *flags, "--figure", kind, "-o", "f.png")
    assert answer.code == 0, answer.err
    assert (tmp_path / "f.png").read_bytes().startswith(SIGNS[".png"])


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (("--figure", "surface"), "`--figure` is drawn to a file. Hint: -o figure.png"),
        (("--figure", "surface", "-o", "f.csv"), "`--figure` is drawn to a file."),
        (("--figure", "groups", "-o", "f.png"), "Hint: name their column: `--by COLUMN`."),
        (("--figure", "blocks", "-o", "f.png"), "`--time COLUMN`"),
        (("--model", "good", "--figure", "difference", "-o", "f.png"), "needs two models, got one"),
        (("--group", "site", "-o", "f.png"), "`-o` draws one comparison, got --group."),
    ],
)
def test_figures_that_cannot_be(run, file, tmp_path, flags, sentence):
    answer = run("compare", file, *flags)
    assert answer.code == 2
    assert sentence in " ".join(answer.err.split())
    assert not (tmp_path / "f.png").exists()


def test_pairs_of_the_document_are_those_of_the_surfaces(run, file):
    found = run("compare", file, "--exclude", "day", "--json", "-q").json["comparison"]["pairs"]
    scores = {"good": GOOD * 8, "bad": [-one + k % 5 for k, one in enumerate(GOOD * 8)]}
    comparison = demur.compare_models(Y * 8, scores)
    for pair, gap in zip(found, comparison.differences().values(), strict=True):
        assert pair["better_area"] == gap.better_area
        assert pair["largest_gain"] == gap.largest_gain
    assert "pairs" not in run("compare", file, *COSTS, "--exclude", "day", "--json", "-q").json["comparison"]


def test_over_all_costs_only_where_asked(run, file):
    without, priced, every = (
        run("compare", file, "--exclude", "day", *flags).out for flags in ((), COSTS, (*COSTS, "--all"))
    )
    for title in ("Over all costs", "Which of two is cheaper", "Differences, pair by pair"):
        assert (title in without, title in priced, title in every) == (True, False, True)
