"""The page of coverage: every interval has a row, every surprise a mark, and the tool makes such cells."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import coverage_page  # noqa: E402
import coverage_rare  # noqa: E402

PAGE = (ROOT / "docs" / "coverage.md").read_text()
ROWS = {
    line.split("|")[1].strip(): [cell.strip() for cell in line.split("|")[2:-1]]
    for line in PAGE.splitlines()
    if line.startswith("| `")
}


def test_page_has_every_interval_and_design():
    assert list(ROWS) == list(coverage_page.ROWS)
    heads = next(line for line in PAGE.splitlines() if line.startswith("| interval"))
    for design in coverage_page.DESIGNS:
        assert design.name in heads


@pytest.mark.parametrize("name", ROWS)
def test_surprises_are_marked(name):
    samples, *cells = ROWS[name]
    assert int(samples) >= 100
    assert len(cells) == len(coverage_page.DESIGNS)
    for cell in cells:
        share = float(re.search(r"[01]\.\d+", cell).group())
        assert ("(low)" in cell) == (share < 0.93)
        assert ("(high)" in cell) == (share > 0.99)


def test_cells_by_hand():
    def both(design, y, a, b, rng):
        return {"sure": (0.0, 1.0, 0.5), "coin": (0.0, 1.0, 0.5 if rng.random() < 0.5 else 2.0)}

    def none(design, y, a, b, rng):
        return {"": (0.0, 0.5, 0.75)}

    rows = {
        "sure": coverage_page.Row(both, "sure"),
        "none": coverage_page.Row(none),
        "coin": coverage_page.Row(both, "coin"),
    }

    def made(name, **options):
        return coverage_page.cells_of(name, 0, rows=rows, **{"seconds": 60, **options})

    place = coverage_page.DESIGNS[0].name
    found = made("coin", runs=400)
    assert list(found) == [f"sure: {place}", f"coin: {place}"], "rows of one call share its samples"
    (sure,), (coin,) = found.values()
    assert (sure.share, sure.width, sure.runs) == (1, 1, 400)
    assert sure.words == "**1.000 (high)**"
    assert coin.share == pytest.approx(0.5, abs=0.1)
    assert coin.words.endswith("(low)**")
    assert made("sure", runs=400) == found
    assert made("none", runs=400, seconds=0) == {f"none: {place}": [(0, 0.5, 100)]}


def test_designs_have_the_auc_they_are_named_after():
    from demur import auc_score

    design = coverage_page.Design(0.9, 4000, 4000)
    y, a, b = design.sample(np.random.default_rng(0))
    assert auc_score(y, a) == pytest.approx(0.9, abs=0.01)
    assert auc_score(y, b) == pytest.approx(coverage_page.second_auc(design), abs=0.015)


# ---------------------------------------------------------------- in pieces


def test_finished_cells_are_kept_and_the_rest_waits(tmp_path):
    path = tmp_path / "cells.json"
    made = []

    def make(*, runs, seconds):
        made.append(runs)
        return {name: [coverage_page.Cell(0.95, 1.0, runs)] for name in names}

    names = ["a: 0.75; 10+90"]
    first = coverage_page.Cells(path, runs=200, seconds=60, stop_after=60)
    assert first.get("a: 0.75; 10+90", make) == [(0.95, 1.0, 200)]
    later = coverage_page.Cells(path, runs=200, seconds=60, stop_after=0)
    assert later.get("a: 0.75; 10+90", make) == [(0.95, 1.0, 200)]
    assert later.get("b: 0.75; 10+90", make) is None
    assert (later.missing, made) == (1, [200])
    # more samples are asked for: the cell is made again; forgotten ones are, too
    longer = coverage_page.Cells(path, runs=400, seconds=60, stop_after=60)
    assert longer.get("a: 0.75; 10+90", make)[0].runs == 400
    longer.only = ["b:"]
    longer.runs = 800
    assert longer.get("a: 0.75; 10+90", make)[0].runs == 400, "other rows stay as they are"
    longer.only, longer.runs = [], 400
    longer.forget("a:")
    longer.get("a: 0.75; 10+90", make)
    assert made == [200, 400, 400]


def test_cells_of_the_page_can_be_kept():
    cells = coverage_page.Cells(None, runs=2000, seconds=60, stop_after=0)
    cells.take_page(PAGE)
    name = "`auc_interval`"
    samples, *shown = ROWS[name]
    kept = [cells.get(f"{name}: {design.name}", None)[0] for design in coverage_page.DESIGNS]
    assert [one.words for one in kept] == shown
    assert {one.runs for one in kept} == {int(samples)}


# ---------------------------------------------------------------- rare errors


def test_every_population_of_rare_errors_is_on_the_page_and_covered():
    table = PAGE.split("| AUC; prevalence; cases |")[1].split("\n\n")[0].splitlines()[2:]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table]
    assert [row[0] for row in rows] == [place.name for place in coverage_rare.POPULATIONS]
    assert len(rows) == 4 * 3 * 3
    for _, samples, *cells in rows:
        assert int(samples) >= 100
        assert len(cells) == len(coverage_rare.COLUMNS)
        for cell in cells:
            share, width = map(float, re.findall(r"\d+(?:\.\d+)?(?:e-\d+)?", cell))
            assert share >= 0.93
            assert ("(high)" in cell) == (share > 0.99)
            assert width > 0


def test_intervals_of_one_sample_where_errors_are_rare():
    at = next(k for k, place in enumerate(coverage_rare.POPULATIONS) if place.name == "0.9993; 0.1; 100")
    ((name, cells),) = coverage_page.rare_cells(at, runs=3, seconds=60).items()
    assert name == "rare: 0.9993; 0.1; 100"
    assert [one.runs for one in cells] == [3] * len(coverage_rare.COLUMNS)
    # the same interval against two truths
    assert cells[0].width == cells[1].width
    assert coverage_page.rare_cells(at, runs=3, seconds=60)[name] == cells


# ---------------------------------------------------------------- one AUC, four laws


@pytest.mark.parametrize("law", coverage_page.LAWS, ids=lambda law: law.name)
def test_laws_have_the_auc_asked_for(law):
    from demur import auc_score

    y, s = law.sample(0.9, 4000, 4000, np.random.default_rng(0))
    assert auc_score(y, s) == pytest.approx(0.9, abs=0.015)


def test_grid_shows_every_law_auc_and_size_with_its_surprises_marked():
    for law in coverage_page.LAWS:
        table = PAGE.split(f"| {law.name}: AUC |")[1].split("\n\n")[0].splitlines()[2:]
        assert [float(line.split("|")[1]) for line in table] == list(coverage_page.GRID_AUCS)
        for line in table:
            samples, *cells = (cell.strip() for cell in line.split("|")[2:-1])
            assert int(samples) >= 100
            assert len(cells) == len(coverage_page.GRID_SIZES)
            for cell in cells:
                share = float(re.search(r"[01]\.\d+", cell).group())
                assert ("(low)" in cell, "(high)" in cell) == (share < 0.93, share > 0.99)


def test_grid_cell_has_all_methods_on_the_same_samples():
    ((name, cells),) = coverage_page.grid_cell(0, 0, 0, runs=30, seconds=60).items()
    assert name == "grid: normal, equal spreads: 0.6; 10+10"
    assert len(cells) == len(coverage_page.METHODS)
    assert all(0 <= one.share <= 1 and one.runs == 30 for one in cells)
    score, _, logit, wald = cells
    assert score.width >= logit.width
    assert wald.share <= score.share
