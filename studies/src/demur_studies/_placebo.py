"""Test the agreement of a table: permuted rows and methods (placebo), and paired statistics.

A table agrees for little if the printed values agree as often with our values of *another* data
set or method. The placebo shuffles our rows (data sets) or columns (methods) and counts again.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any, NamedTuple

import numpy as np

from demur._results import Result
from demur.typing import BoolArray, FloatArray, IntArray

__all__ = ["Entry", "Placebo", "TableEvidence", "table_evidence"]

_EXACT_UP_TO = 5040  # permutations: 7!
_DRAWN = 1999
_SEED = 2006
_LEVEL = 0.05
_FEWEST = 12  # cells: fewer agree by chance, or pass with a p-value that says nothing


class Entry(NamedTuple):
    """A cell of a table: where it stands, both values (numbers or both words) and the tolerance."""

    row: str
    column: str
    published: float | str
    computed: float | str
    tolerance: float


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Placebo(Result):
    """How often a table agrees with our values in the wrong places.

    Attributes
    ----------
    shuffled : {"rows", "methods"}
    agreement : float
        Share of cells that agree when our rows or columns are shuffled, mean over permutations.
    pvalue : float
        Share of permutations that agree at least as often as the table itself.
    n_permutations : int
    exact : bool
        Whether these are all permutations; otherwise a seeded sample that includes the true order.
    passed : bool
        Whether the table agrees more often than its placebo, at the 5 % level or as clearly as
        its few permutations can tell.
    """

    shuffled: str
    agreement: float
    pvalue: float
    n_permutations: int
    exact: bool
    passed: bool


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class TableEvidence(Result):
    """What the agreement of one table is worth.

    Attributes
    ----------
    table : str
    n_cells : int
        Cells with a printed and a computed value.
    agreement : float
        Share of them within the tolerance.
    placebos : tuple of Placebo
        Rows shuffled, then methods, where there are two or more.
    row_correlation : float or None
        Rank correlation of print and run over the rows, mean over methods.
    method_correlation : float or None
        Rank correlation over the methods, mean over rows.
    pairs_alike, n_pairs : int
        Pairs of methods in one row that print and run put in the same order, of those without ties.
    rows_alike, n_rows : int
        Rows with more pairs in the same order than in opposite ones, of those without a draw.
    sign_pvalue : float or None
        Two-sided sign test of these rows.
    """

    table: str
    n_cells: int
    agreement: float
    placebos: tuple[Placebo, ...]
    row_correlation: float | None
    method_correlation: float | None
    pairs_alike: int
    n_pairs: int
    rows_alike: int
    n_rows: int
    sign_pvalue: float | None

    @property
    def passed(self) -> bool:
        """Whether the table agrees more often than each of its placebos."""
        return all(placebo.passed for placebo in self.placebos)

    @property
    def sentence(self) -> str:
        """The evidence in words, with what the placebo says against it."""
        text = f"{self.table} ({self.n_cells} cells): {self.agreement:.0%} agree"
        for placebo in self.placebos:
            p = _p_words(placebo.pvalue)
            text += f"; with our {placebo.shuffled} shuffled {placebo.agreement:.0%} ({p})"
        text += "."
        correlations = {"rows": self.row_correlation, "methods": self.method_correlation}
        shown = [f"{value:.2f} over {name}" for name, value in correlations.items() if value is not None]
        if shown:
            text += f" Rank correlation of print and run {', '.join(shown)}."
        if self.n_pairs and self.sign_pvalue is not None:
            text += (
                f" Print and run order {self.pairs_alike} of {self.n_pairs} pairs of methods alike, and most "
                f"pairs in {self.rows_alike} of {self.n_rows} rows (sign test, {_p_words(self.sign_pvalue)})."
            )
        failed = [placebo.shuffled for placebo in self.placebos if not placebo.passed]
        if failed:
            text += (
                f" Does not pass its placebo: wrong {' and wrong '.join(failed)} agree about as often, so "
                f"agreement here does not show that the {' and the '.join(failed)} were reproduced."
            )
        return text

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, the sentence and whether the placebo was passed."""
        # no super(): slots make a new class of this one
        return {**Result.to_dict(self), "passed": self.passed, "sentence": self.sentence}


def _p_words(pvalue: float) -> str:
    return "p < 0.001" if pvalue < 0.001 else f"p = {pvalue:.3f}"


def table_evidence(table: str, entries: Sequence[Entry], *, fewest: int = _FEWEST) -> TableEvidence | None:
    """Return the placebo and the paired statistics of a table; None below `fewest` cells."""
    rows = list(dict.fromkeys(entry.row for entry in entries))
    columns = list(dict.fromkeys(entry.column for entry in entries))
    if len(entries) < fewest or max(len(rows), len(columns)) < 2:
        return None
    published, computed, tolerance = _arrays(entries, rows, columns)
    placebos = []
    for shuffled, arrays in (
        ("rows", (published, computed, tolerance)),
        ("methods", (published.T, computed.T, tolerance.T)),
    ):
        if len(arrays[0]) > 1:
            placebos.append(_placebo(shuffled, *arrays))
    in_words = isinstance(entries[0].published, str)
    alike = _ordered_alike(published, computed) if not in_words else np.zeros((0, 2), dtype=np.int64)
    votes = np.sign(alike[:, 0] - alike[:, 1])
    decided = int(np.sum(votes != 0))
    return TableEvidence(
        table=table,
        n_cells=len(entries),
        agreement=float(np.mean([_agrees(entry) for entry in entries])),
        placebos=tuple(placebos),
        row_correlation=None if in_words else _mean_rank_correlation(published.T, computed.T),
        method_correlation=None if in_words else _mean_rank_correlation(published, computed),
        pairs_alike=int(alike[:, 0].sum()),
        n_pairs=int(alike.sum()),
        rows_alike=int(np.sum(votes > 0)),
        n_rows=decided,
        sign_pvalue=_sign_test(int(np.sum(votes > 0)), decided),
    )


def _agrees(entry: Entry) -> bool:
    if isinstance(entry.published, str) or isinstance(entry.computed, str):
        return entry.published == entry.computed
    return abs(entry.published - entry.computed) <= entry.tolerance * (1 + 1e-12)


def _arrays(
    entries: Sequence[Entry], rows: list[str], columns: list[str]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Tables with NaN for gaps; words become whole numbers that agree only with themselves."""
    codes: dict[str, float] = {}

    def number(value: float | str) -> float:
        return codes.setdefault(value, float(len(codes))) if isinstance(value, str) else float(value)

    shape = (len(rows), len(columns))
    published, computed, tolerance = (np.full(shape, np.nan) for _ in range(3))
    for entry in entries:
        at = rows.index(entry.row), columns.index(entry.column)
        published[at], computed[at] = number(entry.published), number(entry.computed)
        tolerance[at] = entry.tolerance
    return published, computed, tolerance


# ---------------------------------------------------------------- placebo


def _placebo(shuffled: str, published: FloatArray, computed: FloatArray, tolerance: FloatArray) -> Placebo:
    """Shuffle the rows of `computed`; the printed values keep their tolerances."""
    there = ~np.isnan(published[:, None]) & ~np.isnan(computed[None])
    near: BoolArray = np.abs(published[:, None] - computed[None]) <= tolerance[:, None] * (1 + 1e-12)
    # element [i, k]: how many cells of printed row i agree with, and are comparable to, our row k
    hits, comparable = (near & there).sum(axis=2), there.sum(axis=2)
    places = np.arange(len(published))
    true = hits.trace() / max(comparable.trace(), 1)
    exact = math.factorial(len(places)) <= _EXACT_UP_TO
    shares = np.array(
        [
            hits[places, order].sum() / max(comparable[places, order].sum(), 1)
            for order in _orders(len(places))
        ]
    )
    pvalue = float(np.mean(shares >= true - 1e-12))
    expected = float(shares.mean()) if exact else float(hits.sum() / max(comparable.sum(), 1))
    passed = bool(true > expected + 1e-12 and pvalue <= max(_LEVEL, 1 / len(shares)))
    return Placebo(
        shuffled=shuffled,
        agreement=expected,
        pvalue=pvalue,
        n_permutations=len(shares),
        exact=exact,
        passed=passed,
    )


def _orders(n: int) -> Iterator[IntArray]:
    """All permutations, or the true order and a seeded sample."""
    if math.factorial(n) <= _EXACT_UP_TO:
        yield from map(np.array, permutations(range(n)))
        return
    rng = np.random.default_rng(_SEED)
    yield np.arange(n)
    for _ in range(_DRAWN):
        yield rng.permutation(n)


# ---------------------------------------------------------------- paired statistics


def _mean_rank_correlation(published: FloatArray, computed: FloatArray) -> float | None:
    """Spearman's correlation in each row, averaged over rows with three values or more, not all tied."""
    from scipy.stats import rankdata

    found = []
    for first, second in zip(published, computed, strict=True):
        both = ~np.isnan(first) & ~np.isnan(second)
        ranks = [rankdata(values[both]) for values in (first, second)]
        if both.sum() >= 3 and all(np.ptp(each) > 0 for each in ranks):
            found.append(float(np.corrcoef(*ranks)[0, 1]))
    return float(np.mean(found)) if found else None


def _ordered_alike(published: FloatArray, computed: FloatArray) -> IntArray:
    """Element [i]: pairs of columns of row i in the same and in opposite order; ties count in neither."""
    counts = np.zeros((len(published), 2), dtype=np.int64)
    for first, second in combinations(range(published.shape[1]), 2):
        gaps = [values[:, first] - values[:, second] for values in (published, computed)]
        product = np.nan_to_num(np.sign(gaps[0]) * np.sign(gaps[1]))
        counts[:, 0] += product > 0
        counts[:, 1] += product < 0
    return counts


def _sign_test(wins: int, n: int) -> float | None:
    """Two-sided p-value of `wins` of `n` fair coins; None without a coin."""
    if n == 0:
        return None
    fewer = min(wins, n - wins)
    tail: float = sum(math.comb(n, k) for k in range(fewer + 1)) / 2.0**n
    return min(1.0, 2 * tail)
