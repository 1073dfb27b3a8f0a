"""Signs that rows are not independent cases: ids that repeat, dates, copies; and the flag that settles each.

A name alone is never enough, the values have to agree: an id holds text or whole numbers, a date is written
like one or can be read as one.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from demur._checks import check_times
from demur._tables.numbers import times
from demur.cli.options import Design
from demur.comparison.case_table import CaseTable
from demur.comparison.missing import copied_rows, moved_scores
from demur.comparison.problem import DecisionProblem
from demur.engines.columns import Column
from demur.exceptions import InputError
from demur.typing import BoolArray, FloatArray, IntArray

__all__ = [
    "INDEPENDENT",
    "Dependence",
    "Sign",
    "date_form",
    "is_id",
    "name_words",
]

_OWNERS = "account|case|client|customer|device|household|machine|member|participant|patient|person|student"
_OWNERS += "|subject|user"
_ID = re.compile(rf"(?!(fold|split|repeat|seed)_)(.*_)?(id|uuid|guid)|({_OWNERS})(_?(id|no|nr|number|code))?")
_TIME = re.compile(r"(.*_)?(date|day|week|month|year|time|timestamp|datetime)")
_BIRTH = re.compile(r"(.*_)?(birth|born|dob)(_.*)?|birthda.*")
_DATE = re.compile(r"(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})([ T].*)?")
_WEEKS = 53  # smaller numbers may be weeks, months or days that begin anew
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


class Sign(NamedTuple):
    """One sign: where ("" for all columns), what kind, how often, in words, and what to do about it."""

    column: str
    kind: str
    number: int
    words: str
    todo: str

    def sentence(self) -> str:
        """Return the words as a sentence."""
        return f"{self.words[0].upper()}{self.words[1:]}."


@dataclass(frozen=True, kw_only=True)
class Dependence:
    """Signs that no flag has settled yet; false if there are none.

    Attributes
    ----------
    repeated : tuple of str
        Ids whose values repeat: their rows may belong together.
    dates, other_dates : tuple of str
        Columns that may tell when a case happened: as --time reads them, or written otherwise.
    moved : str
        How scores of the later half differ from those of the earlier one; empty if they may not.
    copies : int
        Rows that repeat the class and all scores of an earlier row.
    """

    repeated: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    other_dates: tuple[str, ...] = ()
    moved: str = ""
    copies: int = 0

    def __bool__(self) -> bool:
        return bool(self.repeated or self.dates or self.other_dates or self.copies)

    def in_rows(
        self,
        codes: BoolArray | IntArray,
        scores: Mapping[str, FloatArray],
        columns: Mapping[str, Column],
        design: Design,
    ) -> "Dependence":
        """Add what rows show: scores that move with the dates, and copies, unless clusters are known."""
        every = [column for values in scores.values() for column in np.atleast_2d(values.T)]
        return replace(
            self,
            moved=moved_scores([(columns[name].values, columns[name].missing) for name in self.dates], scores)
            if self.dates
            else "",
            copies=copied_rows(codes, every) if design.cluster is None else 0,
        )

    @property
    def proof(self) -> bool:
        """Whether a proof stands: dates take the guarantee only, unless scores move with them."""
        return not (self.repeated or self.copies or self.moved)

    def signs(self) -> Iterator[Sign]:
        """Yield what was found."""
        if self.repeated:
            name, known = self.repeated[0], _excluded(self.repeated)
            todo = f"pass --cluster {name} if rows of one are not independent, {known} if they are"
            sign = f"values of {', '.join(self.repeated)} repeat"
            yield Sign(name, "repeated ids", len(self.repeated), sign, todo)
        dates = self.dates or self.other_dates
        if dates:
            name = dates[0] if len(dates) == 1 else "COLUMN (when a case was decided)"
            todo = f"pass --time {name} to choose on the past and judge on what follows"
            if not self.dates:
                todo = "write them like 2024-05-31 for --time"
            sign = f"cases have dates ({', '.join(dates)})" + (f", and {self.moved}" if self.moved else "")
            yield Sign(
                dates[0], "dates", len(dates), sign, f"{todo}, {_excluded(dates)} if conditions stay the same"
            )
        if self.copies:
            sign = f"{times(self.copies, 'row')} repeat the class and all scores of another one"
            known = "if they are different cases, pass --cluster COLUMN with a column that is different"
            yield Sign("", "copies", self.copies, sign, f"leave copies out; {known} for each of them")

    def words(self) -> str:
        """Say what was found, what to do, and what is withheld until then; empty if there is nothing."""
        if not self:
            return ""
        said = [f" {one.sentence()[:-1]}: {one.todo}." for one in self.signs()]
        return f"{''.join(said)} Until then nothing is {self._withheld}."

    def on(self, table: CaseTable, problem: DecisionProblem) -> CaseTable:
        """Return the cases with a note, and without what only independent cases can promise."""
        signs = "; ".join(one.words for one in self.signs())
        asked = {
            "--objective guaranteed": problem.objective == "guaranteed",
            "--precision-confidence": problem.limits.precision_confidence is not None,
        }
        for flag in (flag for flag, given in asked.items() if given):
            todo = next(self.signs()).todo
            raise InputError(f"`{flag}` needs independent cases, but {signs}. Hint: {todo}.")
        note = f"Nothing is {self._withheld}: {signs}."
        return replace(table.unproven(dated=self.proof), notes=(*table.notes, note))

    @property
    def _withheld(self) -> str:
        return "guaranteed" if self.proof else "proven or guaranteed"


INDEPENDENT = Dependence()
"""No sign of anything else."""


def _excluded(names: Sequence[str]) -> str:
    return " ".join(f"--exclude {name}" for name in names)


# ---------------------------------------------------------------- columns


def name_words(name: str) -> str:
    """Return a name in lower case, its words apart: unitPrice becomes unit_price."""
    return _HUMP.sub("_", name).lower()


def is_id(table: Any, name: str) -> bool:
    """Tell whether a column names what a row belongs to: a patient, a customer, a case."""
    if not _ID.fullmatch(name_words(name)):
        return False
    return table.kinds[name] != "number" or all(value % 1 == 0 for value in table.distinct(name))


def date_form(table: Any, name: str) -> str:
    """Tell whether a column may say when a case happened: "read" by --time, "other" dates, or "" for none."""
    words, kind = name_words(name), table.kinds[name]
    named = bool(_TIME.fullmatch(words))
    if kind in ("bool", "other") or _BIRTH.fullmatch(words) or (kind == "number" and not named):
        return ""
    try:
        values = table.distinct(name)
    except InputError:  # DuckDB shows times of a zone with the help of another package only
        return "read" if kind == "date" else ""
    if len(values) < 2:
        return ""
    if kind == "number":
        return "read" if values[-1] > _WEEKS and all(value % 1 == 0 for value in values) else ""
    written = kind == "text" and all(map(_DATE.fullmatch, values))
    if kind == "text" and not (named or written):
        return ""
    try:
        check_times(values, len(values))
    except InputError:
        return "other" if written else ""
    return "read"
