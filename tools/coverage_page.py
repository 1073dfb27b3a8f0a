"""Write docs/coverage.md: how often each interval demur offers holds the truth, on designs with known truth.

`python tools/coverage_page.py --runs 2000` (make coverage). Every cell has a seed of its own, so a longer run
starts with the samples of a shorter one. `--seconds` bounds the time of one cell; the page says how many
runs each row has. One core.

In pieces: `--cache cells.json --stop-after 600` works for ten minutes, keeps the finished cells in the file
and goes on with the next ones when it is called again; the page is written as soon as every cell is there.
`--keep-page` takes cells that are not in the cache from the page as it stands. `--again WORD` makes the rows
whose name holds that word anew, and `--only WORD` leaves the cells of all others as they are.
"""

import argparse
import json
import re
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import coverage_answers
import coverage_rare
import numpy as np
from coverage_rows import DESIGNS, LAWS, METHODS, NOMINAL, RESAMPLES, ROWS, Design, Law, Row, second_auc

import demur
from demur._files.whole import whole_file
from demur._kernels.jit import whole_job

__all__ = ["DESIGNS", "ROWS", "Design", "cells_of", "second_auc"]

PAGE = Path(__file__).parents[1] / "docs" / "coverage.md"
LOWEST, HIGHEST = 0.93, 0.99
FEWEST = 100
GRID_AUCS = (0.6, 0.75, 0.9, 0.97, 0.99, 0.999)
GRID_SIZES = ((10, 10), (10, 100), (100, 10), (100, 100), (10, 1000), (100, 1000))


# ---------------------------------------------------------------- words

WIDTH = 115
INTRODUCTION = (
    "How often each interval holds the truth, nominal 0.95. Scores are normal with equal spreads; a "
    "column is a true AUC and the numbers of positives and negatives. Cells below 0.93 or above 0.99 "
    "are marked: a low one is too short there, a high one cautious. `make coverage` writes this page "
    "with fixed seeds. A row says how many samples each of its cells has at least: a share of 0.95 is "
    f"known to 0.005 with 2000 samples, to 0.022 with 100. "
    f"Bootstrap intervals use {RESAMPLES} resamples here."
)
NOTES = (
    "`auc_interval(method='logit')` and `'wald'` are kept for comparison with other software; the "
    "default replaced them because of these numbers.",
    "`auc_difference_test(method='delong').interval` and `auc_unpaired_test().interval` are those of "
    "other software and agree with their tests; `method='score'` holds where they are low.",
    "Exact intervals (`roc_interval(method='exact')`, sensitivity and specificity) hold at least their level "
    "by construction, so they are often marked as cautious: a small count takes few values.",
    "`auc_cluster_interval` and `auc_difference_test(groups=)`: clusters of 5 cases of one class, so that 10 "
    "positives are 2 clusters.",
    "`roc_band(method='fixed width')` is Campbell's band of a published figure, by bootstrap: too narrow "
    "with 10 positives or a steep curve. The default holds for every sample size.",
    "`partial_auc_interval` and its test take percentiles of resamples, and at an AUC of 0.75 these reach a "
    "little too little.",
    "`calibration_slope` takes as many cases as the design has, log-odds with the spread of its "
    "separation; samples that separate the classes have no slope and count as covered.",
    "`aoc_interval` and `rec_band` take as many log-normal errors as the design has cases; the AUC plays "
    "no part.",
    "`cross_fitted_surface`: the cost of the window in use at mu = 0.5, nu = 0.2; `operating_point`: a "
    "threshold halfway between the means and a prevalence of 0.1 in use.",
    "Bands hold if they contain the whole true curve or surface, checked at 400 false positive rates, 39 "
    "operating points or 11 x 11 costs. `cost_curve_band` and `surface_band` are for the best rule of the "
    "population.",
    "`smooth_roc` assumes normal scores, which these are; separated samples have no binormal fit and count "
    "as covered. Kernels blur the scores, so their area is too small; their interval is that of the AUC "
    "without blur.",
    "`vus_difference_test`: three levels, the negatives in two halves.",
)
GRID_WORDS = (
    "How `auc_interval` holds for AUC 0.6 to 0.999, 10 to 1000 cases of a class and four laws of the scores. "
    "A column is the numbers of positives and negatives, a cell the share of samples whose interval holds "
    "the true AUC, for the default; the last table has the smallest share of every method. This run came "
    "after the default was chosen."
)


# ---------------------------------------------------------------- running


class Cell(NamedTuple):
    """One interval on one design."""

    share: float
    width: float
    runs: int

    @property
    def words(self) -> str:
        """Text of the cell, marked if it surprises."""
        share = round(self.share, 3)  # what is shown decides
        mark = " (low)" if share < LOWEST else " (high)" if share > HIGHEST else ""
        return f"{'**' if mark else ''}{share:.3f}{mark}{'**' if mark else ''}"


def cells_of(
    name: str, column: int, *, runs: int, seconds: float, rows: Mapping[str, Row] = ROWS
) -> dict[str, list[Cell]]:
    """Repeat samples of one design until there are enough, or time is up (100 at least).

    Makes the cells of every row that the same call fills.
    """
    together = {place: other for place, other in enumerate(rows) if rows[other].call is rows[name].call}
    design, rng = DESIGNS[column], np.random.default_rng([20, min(together), column])
    begin, inside, widths = time.monotonic(), np.zeros(len(together)), []
    with whole_job(runs * (design.n_positive + design.n_negative)):
        while len(widths) < runs and (len(widths) < FEWEST or time.monotonic() - begin < seconds):
            found = rows[name].call(design, *design.sample(rng), rng)
            held = [found[rows[other].part] for other in together.values()]
            inside += [low - 1e-12 <= truth <= high + 1e-12 for low, high, truth in held]
            widths.append([high - low for low, high, _ in held])
    middle, done = np.median(widths, axis=0), len(widths)
    return {
        f"{other}: {design.name}": [Cell(float(k) / done, float(width), done)]
        for other, k, width in zip(together.values(), inside, middle, strict=True)
    }


def grid_cell(law: int, row: int, column: int, *, runs: int, seconds: float) -> dict[str, list[Cell]]:
    """All methods of `auc_interval` on the same samples of one law."""
    rng, begin = np.random.default_rng([21, law, row, column]), time.monotonic()
    truth, sizes = GRID_AUCS[row], GRID_SIZES[column]
    inside, widths = np.zeros(len(METHODS)), []
    while len(widths) < runs and (len(widths) < FEWEST or time.monotonic() - begin < seconds):
        counts = demur.ScoreCounts.from_arrays(*LAWS[law].sample(truth, *sizes, rng))
        found = [demur.auc_interval(counts, method=method, confidence_level=NOMINAL) for method in METHODS]
        inside += [low - 1e-12 <= truth <= high + 1e-12 for low, high in found]
        widths.append([high - low for low, high in found])
    middle = np.median(widths, axis=0)
    cells = [Cell(float(k) / len(widths), float(w), len(widths)) for k, w in zip(inside, middle, strict=True)]
    return {grid_name(LAWS[law], truth, sizes): cells}


def grid_name(law: Law, auc_value: float, sizes: tuple[int, int]) -> str:
    """Name of a cell of the grid in the cache."""
    return f"grid: {law.name}: {auc_value:g}; {sizes[0]}+{sizes[1]}"


def rare_cells(at: int, *, runs: int, seconds: float) -> dict[str, list[Cell]]:
    """All honest intervals on the same samples of one population."""
    shares, widths, done = coverage_rare.samples_of(at, runs=runs, seconds=seconds, fewest=FEWEST)
    cells = [Cell(float(share), float(width), done) for share, width in zip(shares, widths, strict=True)]
    return {f"rare: {coverage_rare.POPULATIONS[at].name}": cells}


class Cells:
    """Cells by name: those of the file, and new ones while there is time."""

    def __init__(self, path: Path | None, *, runs: int, seconds: float, stop_after: float) -> None:
        self.path, self.runs, self.seconds = path, runs, seconds
        self.known: dict[str, dict[str, Any]] = {}
        if path is not None and path.exists():
            self.known = json.loads(path.read_text())
        self.until = time.monotonic() + stop_after
        self.only: list[str] = []
        self.missing = 0

    def get(self, name: str, make: Callable[..., dict[str, list[Cell]]]) -> list[Cell] | None:
        """Return a cell, from the file or made now; None if the time is up."""
        kept = self.known.get(name)
        settled = bool(self.only) and not any(word in name for word in self.only)
        if kept is not None and (settled or self._will_do(kept)):
            return [Cell(*one) for one in kept["cells"]]
        if time.monotonic() >= self.until:
            self.missing += 1
            return None
        made = make(runs=self.runs, seconds=self.seconds)
        for one, cells in made.items():
            self.known[one] = {"cells": cells, "runs": self.runs, "seconds": self.seconds}
        cells = made[name]
        if self.path is not None:
            with whole_file(self.path) as handle:
                json.dump(self.known, handle, indent=0)
        print(name, " ".join(f"{one.share:.3f}" for one in cells), cells[0].runs, flush=True)
        return cells

    def _will_do(self, kept: dict[str, Any]) -> bool:
        """Whether asking again would not give more samples."""
        enough = min(one[2] for one in kept["cells"]) >= self.runs
        return bool(enough or (kept["seconds"] >= self.seconds and kept["runs"] >= self.runs))

    def forget(self, word: str) -> None:
        """Leave the cells of some rows out."""
        self.known = {name: kept for name, kept in self.known.items() if word not in name}

    def take_page(self, text: str) -> None:
        """Take what the page says for cells the file does not have; the widths are not on it."""
        lines = [
            [part.strip() for part in line.split("|")[1:-1]] for line in text.splitlines() if "|" in line
        ]
        done = {"runs": self.runs, "seconds": self.seconds}
        for name, samples, *shares in (line for line in lines if line and line[0] in ROWS):
            for design, share in zip(DESIGNS, shares, strict=True):
                known = [[float(_NUMBER.findall(share)[0]), float("nan"), int(samples)]]
                self.known.setdefault(f"{name}: {design.name}", {"cells": known, **done})


_NUMBER = re.compile(r"[01]\.\d+")


# ---------------------------------------------------------------- the page


def page(cells: Cells) -> Iterator[str]:
    """Lines of the page; those of cells that are missing are left out."""
    yield "# What intervals cover"
    yield ""
    yield from textwrap.wrap(INTRODUCTION, WIDTH)
    yield ""
    yield f"| interval | samples | {' | '.join(design.name for design in DESIGNS)} |"
    yield "|---" * (len(DESIGNS) + 2) + "|"
    marked: list[str] = []
    for name in ROWS:
        made = [
            cells.get(f"{name}: {design.name}", lambda _n=name, _k=k, **o: cells_of(_n, _k, **o))
            for k, design in enumerate(DESIGNS)
        ]
        found = [one[0] for one in made if one is not None]
        if len(found) < len(DESIGNS):
            continue
        yield f"| {name} | {min(c.runs for c in found)} | {' | '.join(c.words for c in found)} |"
        low = sum("(low)" in c.words for c in found)
        if low:
            marked.append(f"{name} ({low} of {len(found)})")
    yield ""
    for note in NOTES:
        yield from textwrap.wrap(f"- {note}", WIDTH, subsequent_indent="  ")
    yield ""
    yield from textwrap.wrap(f"Rows with a cell below 0.93: {', '.join(marked) or 'none'}.", WIDTH)
    yield from rare(cells)
    yield from grid(cells)
    yield from coverage_answers.kept()


def rare(cells: Cells) -> Iterator[str]:
    """The section on rare errors."""
    yield ""
    yield "## Where errors are rare"
    yield ""
    yield from textwrap.wrap(coverage_rare.WORDS, WIDTH)
    yield ""
    yield f"| AUC; prevalence; cases | samples | {' | '.join(coverage_rare.COLUMNS)} |"
    yield "|---" * (len(coverage_rare.COLUMNS) + 2) + "|"
    for at, place in enumerate(coverage_rare.POPULATIONS):
        made = cells.get(f"rare: {place.name}", lambda _a=at, **o: rare_cells(_a, **o))
        if made is not None:
            words = " | ".join(f"{one.words} / {one.width:.2g}" for one in made)
            yield f"| {place.name} | {made[0].runs} | {words} |"


def grid(cells: Cells) -> Iterator[str]:
    """The section on one AUC under four laws: a table for each, then the smallest share of every method."""
    yield ""
    yield "## One AUC, four laws of the scores"
    yield ""
    yield from textwrap.wrap(GRID_WORDS, WIDTH)
    smallest: list[str] = []
    for k, law in enumerate(LAWS):
        yield ""
        yield f"| {law.name}: AUC | samples | {' | '.join(f'{p}+{n}' for p, n in GRID_SIZES)} |"
        yield "|---" * (len(GRID_SIZES) + 2) + "|"
        all_cells: list[list[Cell]] = []
        for row, auc_value in enumerate(GRID_AUCS):
            made = [
                cells.get(
                    grid_name(law, auc_value, sizes),
                    lambda _l=k, _r=row, _c=column, **o: grid_cell(_l, _r, _c, **o),
                )
                for column, sizes in enumerate(GRID_SIZES)
            ]
            found = [one for one in made if one is not None]
            if len(found) == len(GRID_SIZES):
                all_cells += found
                samples = min(one[0].runs for one in found)
                yield f"| {auc_value:g} | {samples} | {' | '.join(one[0].words for one in found)} |"
        if all_cells:
            least = [min(one[m].share for one in all_cells) for m in range(len(METHODS))]
            smallest.append(f"| {law.name} | {' | '.join(f'{share:.3f}' for share in least)} |")
    yield ""
    yield f"| smallest share | {' | '.join(f'`{method}`' for method in METHODS)} |"
    yield "|---" * (len(METHODS) + 1) + "|"
    yield from smallest


def main() -> None:
    """Write the page, or say how much of it is there."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=2000, help="samples per cell")
    options.add_argument("--seconds", type=float, default=60.0, help="most time for one cell")
    options.add_argument("--cache", type=Path, help="file that keeps finished cells")
    options.add_argument("--stop-after", type=float, default=float("inf"), help="begin no cell after seconds")
    options.add_argument("--keep-page", action="store_true", help="take known cells from the page")
    options.add_argument("--again", action="append", default=[], help="make rows with this word anew")
    options.add_argument("--only", action="append", default=[], help="leave rows without this word alone")
    options.add_argument("--output", type=Path, default=PAGE)
    given = options.parse_args()
    cells = Cells(given.cache, runs=given.runs, seconds=given.seconds, stop_after=given.stop_after)
    cells.only = given.only
    if given.keep_page:
        cells.take_page(given.output.read_text())
    for word in given.again:
        cells.forget(word)
    lines = list(page(cells))
    if cells.missing:
        sys.exit(f"{cells.missing} cells are still to be made; call again with the same --cache.")
    with whole_file(given.output) as handle:
        handle.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
