"""What `demur check` looks for."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from demur.cli.output import wrapped
from demur.cli.predictions import (
    Roles,
    choose_roles,
    class_without_weight,
    described,
    missing_values,
    positive_cases,
)
from demur.counts import ScoreCounts
from demur.engines.files import Column, open_table
from demur.exceptions import InputError
from demur.roc import auc_score
from demur.typing import BoolArray

__all__ = ["Finding", "Findings", "find_problems", "findings_text"]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One problem: where, what, how often, what to do."""

    level: Literal["error", "note"]
    column: str | None
    problem: str
    count: int
    message: str
    hint: str


@dataclass(frozen=True, kw_only=True)
class Findings:
    """All problems of a file."""

    source: str
    n_rows: int
    roles: Roles
    sentence: str
    findings: tuple[Finding, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as built-in types."""
        return {
            "source": self.source,
            "rows": self.n_rows,
            "columns": asdict(self.roles),
            "can_be_analysed": all(finding.level != "error" for finding in self.findings),
            "findings": [asdict(finding) for finding in self.findings],
        }


def find_problems(
    file: str, *, label: str | None, positive: str | None, models: Sequence[str], weight: str | None
) -> Findings:
    """Read the file and list its problems; raise `InputError` only where there is no table to look at."""
    with open_table(file) as table:
        roles = choose_roles(table, label=label, models=models, weight=weight)
        columns = table.read(roles.columns)
        repeated = table.n_duplicated()
    found = [finding for column in columns.values() for finding in _missing(column)]
    shown = positive or "unknown"
    truth: BoolArray | None = None
    try:
        truth, shown, other = positive_cases(columns[roles.label], positive)
    except InputError as error:
        found.append(_label_problem(columns[roles.label], str(error)))
    if roles.weight is not None:
        found.extend(_weights(columns[roles.weight], truth))
    for name in roles.models:
        found.extend(_scores(columns[name]))
    if truth is not None:
        usable = ~columns[roles.label].missing
        found.extend(_direction([columns[name] for name in roles.models], truth, usable, shown, other))
    found.extend(_duplicates(repeated))
    return Findings(
        source=table.name,
        n_rows=table.n_rows,
        roles=roles,
        sentence=described(table.name, table.n_rows, roles, shown),
        findings=tuple(sorted(found, key=lambda finding: finding.level != "error")),
    )


def _label_problem(column: Column, sentence: str) -> Finding:
    message, _, hint = sentence.partition(" Hint: ")
    present = column.values[~column.missing]
    alone = bool(len(present)) and bool(np.all(present == present[0]))
    return Finding(
        level="error",
        column=column.name,
        problem="one class" if alone else "classes",
        count=len(present) if alone else 1,
        message=message,
        hint=hint,
    )


def _missing(column: Column) -> Iterator[Finding]:
    if column.n_missing:
        yield Finding(
            level="error",
            column=column.name,
            problem="missing values",
            count=column.n_missing,
            message=f"{column.name} has {missing_values(column)}.",
            hint="drop those rows, or fill them in where the model has an answer.",
        )


def _weights(column: Column, truth: BoolArray | None) -> Iterator[Finding]:
    values = np.where(column.missing, 0.0, column.values).astype(np.float64)
    bad = int(np.count_nonzero((values < 0) | np.isinf(values)))
    if bad:
        message = f"{column.name} has {_times(bad, 'negative or infinite weight')}."
        hint = "a weight says how many cases a row stands for."
    elif truth is not None and (without := class_without_weight(truth, values)) is not None:
        bad = int(np.count_nonzero(truth == without))
        message = f"{column.name} is 0 for every {'positive' if without else 'negative'} case."
        hint = "both classes are needed; leave --weight out?"
    else:
        return
    yield Finding(
        level="error", column=column.name, problem="bad weights", count=bad, message=message, hint=hint
    )


def _scores(column: Column) -> Iterator[Finding]:
    values = column.values[~column.missing].astype(np.float64)
    if not values.size:
        return
    name = column.name
    if values.min() == values.max():
        message = f"{name} is constant ({values[0]:g} in {_times(len(values), 'row')})."
        yield _note(name, "constant scores", len(values), message, "it cannot rank anything; is it a model?")
    infinite = int(np.count_nonzero(np.isinf(values)))
    if infinite:
        message = f"{name} has {_times(infinite, 'infinite score')}."
        yield _note(
            name, "infinite scores", infinite, message, "that is fine if meant; they rank first or last."
        )
    outside = int(np.count_nonzero((values < 0) | (values > 1)))
    if outside:
        message = f"{name} has {_times(outside, 'score')} outside [0, 1]."
        yield _note(
            name, "not probabilities", outside, message, "that is fine; only the order of the scores counts."
        )


def _direction(
    columns: Sequence[Column], truth: BoolArray, usable: BoolArray, positive: str, negative: str
) -> Iterator[Finding]:
    """Models that rank worse than chance; if all do, the positive class is the suspect."""
    below: dict[str, float] = {}
    for column in columns:
        rows = usable & ~column.missing
        if len(set(truth[rows].tolist())) == 2:
            auc = auc_score(ScoreCounts.from_arrays(truth[rows], column.values[rows]))
            if auc < 0.5:
                below[column.name] = auc
    for name, auc in below.items():
        message = f"{name} ranks worse than chance (AUC {auc:.3f})."
        yield _note(name, "worse than chance", 1, message, "flip its scores?")
    if len(below) == len(columns):
        who = "Every model ranks" if len(columns) > 1 else "The only model ranks"
        message = f"{who} worse than chance for positive = {positive}."
        yield _note(None, "suspicious positive class", len(below), message, f"is it --positive {negative}?")


def _duplicates(repeated: int) -> Iterator[Finding]:
    if repeated:
        message = (
            f"{_times(repeated, 'row')} repeat{'s' if repeated == 1 else ''} an earlier row in every column."
        )
        hint = "cases counted twice look surer than they are; without a key column it may be chance."
        yield _note(None, "duplicated rows", repeated, message, hint)


def _note(column: str | None, problem: str, count: int, message: str, hint: str) -> Finding:
    return Finding(level="note", column=column, problem=problem, count=count, message=message, hint=hint)


def _times(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def findings_text(report: Findings) -> str:
    """Return one paragraph per finding, errors first, and a verdict."""
    lines = [
        wrapped(f"{finding.level:5}  {finding.message} Hint: {finding.hint}", indent=" " * 7)
        for finding in report.findings
    ]
    errors = sum(finding.level == "error" for finding in report.findings)
    notes = len(report.findings) - errors
    if errors:
        verdict = f"{_times(errors, 'error')}, {_times(notes, 'note')}: the file cannot be analysed as it is."
    elif notes:
        verdict = f"No errors, {_times(notes, 'note')}: the file can be analysed."
    else:
        verdict = "No problems found."
    return "\n".join([*lines, verdict])
