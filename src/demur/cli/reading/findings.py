"""What `demur check` looks for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from demur._files.parquet import parquet_fact
from demur.calibration import calibration_slope
from demur.cli.options import Source
from demur.cli.output import wrapped
from demur.cli.reading.other_files import holds_counts, holds_records, records_as_table
from demur.cli.reading.predictions import class_without_weight, missing_values, positive_cases
from demur.cli.reading.roles import Roles, choose_roles, described
from demur.cli.reading.suspects import amounts
from demur.cli.reading.tables import for_counting, frame_of, label_column, open_with
from demur.cli.table_files import Table
from demur.counts.scores import ScoreCounts
from demur.engines.columns import Column
from demur.engines.counting import read_counts
from demur.engines.summaries import Summary, summaries
from demur.exceptions import InputError, UndefinedError
from demur.honest.splits import FEWEST_CASES
from demur.roc.curve import auc_score
from demur.typing import BoolArray

__all__ = ["Finding", "Findings", "find_problems", "findings_text"]

# a note on calibration needs a clear error of a size that matters: of the slope, of the log-odds
_SURE, _TILT, _SHIFT = 0.01, 1.25, 0.2
_MOST_FORECASTS = 10**6  # a fit takes a second or two up to here


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

    def table(self) -> Table:
        """Return a row for each finding; the names of the columns also where there is none."""
        return {field.name: [getattr(one, field.name) for one in self.findings] for field in fields(Finding)}


def find_problems(source: Source) -> Findings:
    """Read the file and list its problems; raise `InputError` only where there is no table to look at."""
    if holds_counts(source.file):
        return _saved_counts(source)
    if holds_records(source.file):
        if source.reader != "memory":
            raise InputError(f"`--engine {source.engine}` reads no JSON. Hint: leave it out.")
        with records_as_table(source.file) as file:
            return _table_problems(replace(source, file=file), source.file)
    return _table_problems(source, None)


def _saved_counts(source: Source) -> Findings:
    """The same from saved counts: no columns, no rows."""
    path = Path(source.file)
    for name in source.given():
        raise InputError(f"`{name}` is for tables of cases, but {path} holds counts. Hint: leave it out.")
    counts = ScoreCounts.load(path)
    model = parquet_fact(path, "model") or path.stem
    n_scores = len(counts.scores)
    few = [*_too_few(model, int(counts.n_positive), int(counts.n_negative))]
    problems = few or [*_ranking_notes({model: counts}, 1, "1", "0")]
    return Findings(
        source=source.file,
        n_rows=int(counts.n),
        roles=Roles(label="", models=(model,), weight=None),
        sentence=f"Read the counts of {counts.n:g} cases of {path}: {n_scores} distinct scores or bins.",
        findings=tuple(problems),
    )


def _table_problems(source: Source, shown: str | None) -> Findings:
    """List the problems of a table; `shown` is what the user calls it, if that is not its file."""
    with open_with(source.file, source.reader, source.master) as table:
        table.name = table.name if shown is None else shown
        roles = choose_roles(table, source)
        look = _look_at_rows if source.reader == "memory" else _look_at_counts
        problems, positive = look(table, roles, source.positive)
        problems += [*_amounts(table, roles, source), *_duplicates(table.n_duplicated())]
    return Findings(
        source=table.name,
        n_rows=table.n_rows,
        roles=roles,
        sentence=described(table.name, table.n_rows, roles, positive),
        findings=tuple(sorted(problems, key=lambda finding: finding.level != "error")),
    )


def _look_at_rows(table: Any, roles: Roles, wanted: str | None) -> tuple[list[Finding], str]:
    """Return the problems of the rows in memory, and the positive class."""
    columns = table.read(roles.columns)
    problems = [finding for column in columns.values() for finding in _missing(column)]
    positive = wanted or "unknown"
    truth: BoolArray | None = None
    try:
        truth, positive, negative = positive_cases(columns[roles.label], wanted)
    except InputError as error:
        problems.append(_label_problem(columns[roles.label], str(error)))
    if roles.weight is not None:
        problems.extend(_weights(columns[roles.weight], truth))
    models = [columns[name] for name in roles.models]
    for column in models:
        problems.extend(_scores(column))
    if truth is not None:
        usable = ~columns[roles.label].missing
        if not any(finding.level == "error" for finding in problems):
            problems.extend(_too_few(roles.label, int(truth.sum()), int((~truth).sum())))
        problems.extend(_direction(models, truth, usable, positive, negative))
    return problems, positive


def _look_at_counts(table: Any, roles: Roles, wanted: str | None) -> tuple[list[Finding], str]:
    """The same from summaries and counts; what needs complete rows waits until they are complete."""
    looks = summaries(frame_of(table), {name: table.kinds[name] for name in roles.columns})
    problems = [
        _missing_values(name, look.missing, _times(look.missing, "missing value"))
        for name, look in looks.items()
        if look.missing
    ]
    positive, negative = wanted or "unknown", ""
    labels = label_column(table, roles.label)
    try:
        _, positive, negative = positive_cases(labels, wanted)
    except InputError as error:
        alone = len(labels.values) == 1
        rows = looks[roles.label].present if alone else 1
        problems.append(_class_problem(labels.name, str(error), alone=alone, rows=rows))
    if roles.weight is not None and (bad := looks[roles.weight].no_weight):
        problems.append(_bad_weights(roles.weight, bad))
    for name in roles.models:
        problems.extend(_score_notes(name, looks[name]))
    if not any(finding.level == "error" for finding in problems):
        problems.extend(_look_at_complete(table, roles, positive, negative))
    return problems, positive


def _look_at_complete(table: Any, roles: Roles, positive: str, negative: str) -> Iterator[Finding]:
    """Yield what the counts of complete rows show: classes without weight, models that rank backwards."""
    columns: dict[str, Any] = {"y_true": roles.label, "scores": list(roles.models), "positive": positive}
    counts = read_counts(for_counting(table), **columns)
    some = counts[roles.models[0]]
    weightless: list[Finding] = []
    if roles.weight is not None:
        weighted = read_counts(for_counting(table), **columns, weights=roles.weight)
        weightless += _classes_without_weight(roles.weight, some, weighted[roles.models[0]])
    yield from weightless or _too_few(roles.label, int(some.n_positive), int(some.n_negative))
    yield from _ranking_notes(counts, len(roles.models), positive, negative)


def _amounts(table: Any, roles: Roles, source: Source) -> Iterator[Finding]:
    """Columns that look like amounts, and what each would do in its role."""
    hints = dict.fromkeys(roles.models, "is it a model? If not, pass --exclude {name}.")
    hints |= dict.fromkeys(roles.suspects, "it is no model; --cost-fn {name} takes it as the cost of a miss.")
    if roles.weight is not None:
        hints[roles.weight] = "a weight says how many cases a row stands for or how much it matters."
    numeric = [name for name in hints if table.kinds[name] == "number" and name not in source.exclude]
    for name in amounts(table, numeric):
        message = f"{name} looks like an amount, not like scores."
        yield _note(name, "amounts", 1, message, hints[name].format(name=name))


def _label_problem(column: Column, sentence: str) -> Finding:
    present = column.values[~column.missing]
    alone = len(set(map(str, present.tolist()))) == 1
    return _class_problem(column.name, sentence, alone=alone, rows=len(present) if alone else 1)


def _class_problem(name: str, sentence: str, *, alone: bool, rows: int) -> Finding:
    message, _, hint = sentence.partition(" Hint: ")
    return Finding(
        level="error",
        column=name,
        problem="one class" if alone else "classes",
        count=rows,
        message=message,
        hint=hint,
    )


def _too_few(name: str, positive: int, negative: int) -> Iterator[Finding]:
    """A rule needs cases that choose it and others that judge it."""
    if min(positive, negative) < FEWEST_CASES:
        yield Finding(
            level="error",
            column=name,
            problem="too few cases",
            count=min(positive, negative),
            message=f"{name} has {positive} positive and {negative} negative: two of each class are needed, "
            "to choose on some and score on others.",
            hint="collect more cases.",
        )


def _missing(column: Column) -> Iterator[Finding]:
    if column.n_missing:
        yield _missing_values(column.name, column.n_missing, missing_values(column))


def _missing_values(name: str, count: int, words: str) -> Finding:
    return Finding(
        level="error",
        column=name,
        problem="missing values",
        count=count,
        message=f"{name} has {words}.",
        hint="drop those rows, or fill them in where the model has an answer.",
    )


def _weights(column: Column, truth: BoolArray | None) -> Iterator[Finding]:
    values = np.where(column.missing, 0.0, column.values).astype(np.float64)
    bad = int(np.count_nonzero((values < 0) | np.isinf(values)))
    if bad:
        yield _bad_weights(column.name, bad)
    elif truth is not None and (without := class_without_weight(truth, values)) is not None:
        yield _class_without_weight(column.name, int(np.count_nonzero(truth == without)), positive=without)


def _classes_without_weight(name: str, counts: ScoreCounts, weighted: ScoreCounts) -> Iterator[Finding]:
    if weighted.n_positive == 0 or weighted.n_negative == 0:
        positive = weighted.n_positive == 0
        rows = counts.n_positive if positive else counts.n_negative
        yield _class_without_weight(name, int(rows), positive=positive)


def _class_without_weight(name: str, rows: int, *, positive: bool) -> Finding:
    return Finding(
        level="error",
        column=name,
        problem="bad weights",
        count=rows,
        message=f"{name} is 0 for every {'positive' if positive else 'negative'} case.",
        hint="both classes are needed; leave --weight out?",
    )


def _bad_weights(name: str, bad: int) -> Finding:
    return Finding(
        level="error",
        column=name,
        problem="bad weights",
        count=bad,
        message=f"{name} has {_times(bad, 'negative or infinite weight')}.",
        hint="a weight says how many cases a row stands for.",
    )


def _scores(column: Column) -> Iterator[Finding]:
    values = column.values[~column.missing].astype(np.float64)
    if values.size:
        look = Summary(
            present=len(values),
            missing=column.n_missing,
            low=float(values.min()),
            high=float(values.max()),
            infinite=int(np.count_nonzero(np.isinf(values))),
            outside=int(np.count_nonzero((values < 0) | (values > 1))),
        )
        yield from _score_notes(column.name, look)


def _score_notes(name: str, look: Summary) -> Iterator[Finding]:
    if look.present and look.low == look.high:
        message = f"{name} is constant ({look.low:g} in {_times(look.present, 'row')})."
        hint = "it cannot rank anything; is it a model?"
        yield _note(name, "constant scores", look.present, message, hint)
    if look.infinite:
        message = f"{name} has {_times(look.infinite, 'infinite score')}."
        hint = "that is fine if meant; they rank first or last."
        yield _note(name, "infinite scores", look.infinite, message, hint)
    if look.outside:
        message = f"{name} has {_times(look.outside, 'score')} outside [0, 1]."
        hint = "that is fine; only the order of the scores counts."
        yield _note(name, "not probabilities", look.outside, message, hint)


def _direction(
    columns: Sequence[Column], truth: BoolArray, usable: BoolArray, positive: str, negative: str
) -> Iterator[Finding]:
    counts: dict[str, ScoreCounts] = {}
    for column in columns:
        rows = usable & ~column.missing
        if len(set(truth[rows].tolist())) == 2:
            counts[column.name] = ScoreCounts.from_arrays(truth[rows], column.values[rows])
    yield from _ranking_notes(counts, len(columns), positive, negative)


def _ranking_notes(
    counts: Mapping[str, ScoreCounts], models: int, positive: str, negative: str
) -> Iterator[Finding]:
    """Models that rank worse than chance; if all do, the positive class is the suspect. Else calibration."""
    aucs = {name: auc_score(model) for name, model in counts.items()}
    below = {name: auc for name, auc in aucs.items() if auc < 0.5}
    for name, model in counts.items():
        if name not in below:
            yield from _calibration(name, model)
    for name, auc in below.items():
        message = f"{name} ranks worse than chance (AUC {auc:.3f})."
        yield _note(name, "worse than chance", 1, message, "flip its scores?")
    if len(below) == models:
        who = "Every model ranks" if models > 1 else "The only model ranks"
        message = f"{who} worse than chance for positive = {positive}."
        yield _note(None, "suspicious positive class", len(below), message, f"is it --positive {negative}?")


def _calibration(name: str, counts: ScoreCounts) -> Iterator[Finding]:
    """Probabilities that clearly say something else than what happens."""
    low, high = counts.score_range
    if not (counts.exact and 0 < low < high < 1) or len(counts.scores) > _MOST_FORECASTS:
        return
    try:
        found = calibration_slope(counts)
    except UndefinedError:  # classes that one threshold separates have no slope
        return
    off = not 1 / _TILT <= found.slope <= _TILT or abs(found.in_the_large) > _SHIFT
    if found.pvalue < _SURE and off:
        limits = f"{found.slope_interval.low:.2f} to {found.slope_interval.high:.2f}"
        message = (
            f"{name} is not calibrated: slope {found.slope:.2f} ({limits}; 1 is right), "
            f"shift {found.in_the_large:+.2f} (0 is right)."
        )
        hint = "windows use the order of the scores alone; recalibrate before acting on the probabilities."
        yield _note(name, "not calibrated", 1, message, hint)


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
