"""The page of coverage: every interval has a row, every surprise a mark, and the tool makes such cells."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import coverage_page  # noqa: E402

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
    def always(design, y, a, b, rng):
        return 0.0, 1.0, 0.5

    def half(design, y, a, b, rng):
        return (0.0, 1.0, 0.5) if rng.random() < 0.5 else (0.0, 1.0, 2.0)

    sure = coverage_page.cell(always, 0, 0, runs=20, seconds=60)
    assert (sure.share, sure.width, sure.runs) == (1, 1, 20)
    assert sure.words == "**1.000 (high)**"
    coin = coverage_page.cell(half, 0, 0, runs=400, seconds=60)
    assert coin.share == pytest.approx(0.5, abs=0.1)
    assert coin.words.endswith("(low)**")
    assert coverage_page.cell(half, 0, 0, runs=400, seconds=0).runs == 100


def test_designs_have_the_auc_they_are_named_after():
    from demur import auc_score

    design = coverage_page.Design(0.9, 4000, 4000)
    y, a, b = design.sample(np.random.default_rng(0))
    assert auc_score(y, a) == pytest.approx(0.9, abs=0.01)
    assert auc_score(y, b) == pytest.approx(coverage_page.second_auc(design), abs=0.015)
