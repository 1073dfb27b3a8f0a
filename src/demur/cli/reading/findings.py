"""What `demur check` looks for."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from shlex import join
from typing import Any, Literal

import numpy as np

from demur._files.database import connect, load_duckdb
from demur._files.whole import temporary_folder
from demur.calibration import calibration_slope
from demur.cli.options import Design, Source, refuse
from demur.cli.output import shown_command, times, wrapped
from demur.cli.reading.dependence import Dependence
from demur.cli.reading.evidence import (
    BOUND_OR_DROP,
    DROP_ROWS,
    class_without_weight,
    holds_counts,
    missing_values,
    positive_cases,
    read_saved_counts,
)
from demur.cli.reading.roles import (
    Roles,
    amounts,
    choose_roles,
    described,
    for_counting,
    frame_of,
    label_column,
    open_with,
)
from demur.cli.table_files import Table, sql_text
from demur.comparison.missing import score_difference
from demur.counts.scores import ScoreCounts
from demur.engines.columns import Column
from demur.engines.counting import read_counts
from demur.engines.frames import Summary, summaries
from demur.engines.labels import class_name
from demur.exceptions import InputError, UndefinedError
from demur.honest.splits import FEWEST_CASES
from demur.roc.curve import auc_score
from demur.typing import BoolArray

__all__ = ["Finding", "Findings", "find_problems", "findings_text"]

_RECORDS = (".json", ".jsonl", ".ndjson")
# a note on calibration needs a clear error of a size that matters: of the slope, of the log-odds
_SURE, _TILT, _SHIFT = 0.01, 1.25, 0.2
_MOST_FORECASTS = 10**6  # a fit takes a second or two up to here


@dataclass(frozen=True)
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
    next_command: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as built-in types."""
        return {
            "source": self.source,
            "rows": self.n_rows,
            "columns": asdict(self.roles),
            "can_be_analysed": all(finding.level != "error" for finding in self.findings),
            "findings": [asdict(finding) for finding in self.findings],
            "next": join(self.next_command) or None,
        }

    def table(self) -> Table:
        """Return a row for each finding; the names of the columns also where there is none."""
        return {field.name: [getattr(one, field.name) for one in self.findings] for field in fields(Finding)}


def find_problems(source: Source, design: Design) -> Findings:
    """Read the file and list its problems; raise `InputError` only where there is no table to look at."""
    if holds_counts(source.file):
        # no columns, no rows
        refuse(design, because="is for tables of cases, not for counts. Hint: leave it out.")
        model, counts, sentence = read_saved_counts(source)
        few = [*_too_few(model, int(counts.n_negative), int(counts.n_positive))]
        return Findings(
            source=source.file,
            n_rows=int(counts.n),
            roles=Roles(label="", models=(model,), weight=None),
            sentence=sentence,
            findings=tuple(few or _ranking_notes({model: counts}, 1, "1", "0")),
            next_command=() if few else ("demur", "compare", source.file),
        )
    path = Path(source.file)
    if path.suffix.lower() not in _RECORDS or not path.is_file():
        return _table_problems(source, design, None)
    if source.reader != "memory":
        raise InputError(f"`--engine {source.engine}` reads no JSON. Hint: leave it out.")
    with _records_as_table(source.file) as file:
        return _table_problems(replace(source, file=file), design, source.file)


@contextmanager
def _records_as_table(file: str) -> Iterator[str]:
    """Yield the name of a Parquet file with the records of a JSON file as rows."""
    duckdb = load_duckdb()
    with temporary_folder() as folder:
        table = folder / "records.parquet"
        # all records tell the types: a first number among 20 000 whole ones must not fail
        query = f"select * from read_json({sql_text(Path(file))}, sample_size = -1)"
        try:
            with connect() as connection:
                connection.execute(f"copy ({query}) to {sql_text(table)} (format parquet)")
        except duckdb.Error as error:
            said = str(error).split("\n", 1)[0].strip().rstrip(".")
            raise InputError(
                f"`{file}` must hold JSON records, a list or one per line, got this from DuckDB: {said}."
            ) from None
        yield str(table)


def _table_problems(source: Source, design: Design, shown: str | None) -> Findings:
    """List the problems of a table; `shown` is what the user calls it, if that is not its file."""
    with open_with(source.file, source.reader, source.master) as table:
        table.name = table.name if shown is None else shown
        roles = choose_roles(table, source, design=design)
        rows = None
        if source.reader == "memory":
            rows = table.read((*roles.columns, *roles.dependence.dates))
            roles = replace(roles, dependence=_dependence(rows, roles, design))
        problems, positive = _look(table, roles, rows, source.positive)
        problems += _amounts(table, roles, source)
        repeated = table.n_duplicated()
    for sign in roles.dependence.signs():
        said = sign.sentence(), f"{sign.todo}."
        problems.append(Finding("note", sign.column or None, sign.kind, sign.number, *said))
    if repeated and not roles.dependence.copies:
        message = (
            f"{times(repeated, 'row')} repeat{'s' if repeated == 1 else ''} an earlier row in every column."
        )
        hint = "cases counted twice look surer than they are; without a key column it may be chance."
        problems.append(Finding("note", None, "duplicated rows", repeated, message, hint))
    return Findings(
        source=table.name,
        n_rows=table.n_rows,
        roles=roles,
        sentence=described(table.name, table.n_rows, roles, positive),
        findings=tuple(sorted(problems, key=lambda finding: finding.level != "error")),
        next_command=() if shown is not None else _next_command(source, design, roles, problems),
    )


def _dependence(rows: Mapping[str, Column], roles: Roles, design: Design) -> Dependence:
    """Look for copies and for scores that move with the dates, in rows with a class and all scores."""
    used = roles.label, *roles.models
    complete = ~np.logical_or.reduce([rows[name].missing for name in used])
    known = {name: column.take(complete) for name, column in rows.items()}
    scores = {name: known[name].values.astype(np.float64) for name in roles.models}
    _, codes = np.unique(list(map(class_name, known[roles.label].values)), return_inverse=True)
    return roles.dependence.in_rows(codes, scores, known, design)


def _next_command(
    source: Source, design: Design, roles: Roles, problems: Collection[Finding]
) -> tuple[str, ...]:
    """Return the command that analyses the file with the flags it needs; empty where none can."""
    found = {one.problem for one in problems if one.level == "error"}
    if not found <= {"missing values", "missing labels", "no positive class"}:
        return ()
    signs = roles.dependence
    needed = {
        "--positive": "CLASS" if "no positive class" in found else None,
        "--cluster": next(iter(signs.repeated), design.cluster),
        "--time": next(iter(signs.dates), design.time),
    }
    if "missing labels" in found:  # bounds take neither clusters nor times
        needed["--missing-labels"] = "drop" if needed["--cluster"] or needed["--time"] else "bounds"
    flags = [part for name, value in needed.items() if value is not None for part in (name, value)]
    flags += ["--drop-missing"] if "missing values" in found else []
    given = []
    for name, value in source.given().items():
        rows_needed = found & {"missing values", "missing labels"}
        if name in flags or (rows_needed and name in ("--engine", "--master")):
            continue  # given in vain: another value is needed, or the rows
        for one in value if isinstance(value, tuple) else (value,):
            given += [name, str(one)]
    return "demur", "compare", source.file, *given, *flags


def _look(
    table: Any, roles: Roles, rows: Mapping[str, Column] | None, wanted: str | None
) -> tuple[list[Finding], str]:
    """Return the problems of the columns, and the positive class.

    Without rows in memory the engine summarises and counts; what needs complete rows waits until they are.
    """
    problems: list[Finding] = []
    if rows is None:
        looks = summaries(frame_of(table), {name: table.kinds[name] for name in roles.columns})
        labels = label_column(table, roles.label)
    else:
        problems += _missing_labels(rows, roles)
        looks = {name: _summary(rows[name]) for name in roles.columns}
        labels = rows[roles.label].take(~rows[roles.label].missing)
    for name, look in looks.items():
        if look.missing and (rows is None or name != roles.label):
            words = times(look.missing, "missing value") if rows is None else missing_values(rows[name])
            hint = DROP_ROWS.format(" (--drop-missing)")
            problems.append(
                Finding("error", name, "missing values", look.missing, f"{name} has {words}.", hint)
            )
    positive, negative, truth = wanted or "unknown", "", None
    try:
        truth, positive, negative = positive_cases(labels, wanted)
    except InputError as error:
        message, _, hint = str(error).partition(" Hint: ")
        classes = len(set(map(str, labels.values[~labels.missing].tolist())))
        problem, count = ("one class", looks[roles.label].present) if classes == 1 else ("classes", 1)
        problem = "no positive class" if classes == 2 else problem
        problems.append(Finding("error", roles.label, problem, count, message, hint))
    bad = 0 if roles.weight is None else looks[roles.weight].no_weight
    if bad:
        message = f"{roles.weight} has {times(bad, 'negative or infinite weight')}."
        hint = "a weight says how many cases a row stands for."
        problems.append(Finding("error", roles.weight, "bad weights", bad, message, hint))
    sound = all(finding.level != "error" for finding in problems)
    for name in roles.models:
        problems += _score_notes(name, looks[name])
    if truth is None or (rows is None and not sound):
        return problems, positive
    if rows is None:
        counts, sizes, without = _counted(table, roles, positive)
    else:
        labelled = {name: column.take(~rows[roles.label].missing) for name, column in rows.items()}
        counts, sizes, without = _counted_rows(labelled, roles, truth, weighted=not bad)
    if without is not None:
        message = f"{roles.weight} is 0 for every {'positive' if without else 'negative'} case."
        hint = "both classes are needed; leave --weight out?"
        problems.append(Finding("error", roles.weight, "bad weights", sizes[without], message, hint))
    elif sound:
        problems += _too_few(roles.label, *sizes)
    return [*problems, *_ranking_notes(counts, len(roles.models), positive, negative)], positive


def _missing_labels(rows: Mapping[str, Column], roles: Roles) -> Iterator[Finding]:
    """Rows without a label: an error where their scores differ from those of the others."""
    label = rows[roles.label]
    if not label.n_missing:
        return
    differ = None
    for name in roles.models:
        known = ~rows[name].missing
        scores = rows[name].values[known].astype(np.float64)
        differ = differ or score_difference(name, scores, label.missing[known])
    words = f"{label.name} has {missing_values(label)}"
    if differ is None:
        message, hint = f"{words}.", "such rows are left out; their scores do not differ from the others."
        yield Finding("note", label.name, "missing labels", label.n_missing, message, hint)
        return
    message = f"{words}, and {differ}: labels may exist only where something was done."
    yield Finding("error", label.name, "missing labels", label.n_missing, message, BOUND_OR_DROP)


_Counted = tuple[dict[str, ScoreCounts], tuple[int, int], bool | None]
"""Counts of each model, cases of the negative and the positive class, and the class without weight."""


def _counted_rows(rows: Mapping[str, Column], roles: Roles, truth: BoolArray, *, weighted: bool) -> _Counted:
    """Count the scores of each model in the rows that have them, where these are of both classes."""
    counts = {}
    for name in roles.models:
        usable = ~rows[name].missing
        if len(set(truth[usable].tolist())) == 2:
            counts[name] = ScoreCounts.from_arrays(truth[usable], rows[name].values[usable])
    without = None
    if roles.weight is not None and weighted:
        weight = rows[roles.weight]
        values = np.where(weight.missing, 0.0, weight.values).astype(np.float64)
        without = class_without_weight(truth, values)
    return counts, (int((~truth).sum()), int(truth.sum())), without


def _counted(table: Any, roles: Roles, positive: str) -> _Counted:
    """Let the engine count complete rows."""
    columns: dict[str, Any] = {"y_true": roles.label, "scores": list(roles.models), "positive": positive}
    counts = read_counts(for_counting(table), **columns)
    some, without = counts[roles.models[0]], None
    if roles.weight is not None:
        weighted = read_counts(for_counting(table), **columns, weights=roles.weight)[roles.models[0]]
        if 0 in (weighted.n_positive, weighted.n_negative):
            without = weighted.n_positive == 0
    return counts, (int(some.n_negative), int(some.n_positive)), without


def _summary(column: Column) -> Summary:
    """Summarise a column in memory."""
    present = column.values[~column.missing]
    if column.kind not in ("number", "bool") or not len(present):
        return Summary(present=len(present), missing=column.n_missing)
    values = present.astype(np.float64)
    return Summary(
        present=len(values),
        missing=column.n_missing,
        low=float(values.min()),
        high=float(values.max()),
        infinite=int(np.count_nonzero(np.isinf(values))),
        outside=int(np.count_nonzero((values < 0) | (values > 1))),
        no_weight=int(np.count_nonzero((values < 0) | np.isinf(values))),
    )


def _amounts(table: Any, roles: Roles, source: Source) -> Iterator[Finding]:
    """Columns that look like amounts, and what each would do in its role."""
    hints = dict.fromkeys(roles.models, "is it a model? If not, pass --exclude {name}.")
    hints |= dict.fromkeys(roles.suspects, "it is no model; --cost-fn {name} takes it as the cost of a miss.")
    if roles.weight is not None:
        hints[roles.weight] = "a weight says how many cases a row stands for or how much it matters."
    numeric = [name for name in hints if table.kinds[name] == "number" and name not in source.exclude]
    for name in amounts(table, numeric):
        message = f"{name} looks like an amount, not like scores."
        yield Finding("note", name, "amounts", 1, message, hints[name].format(name=name))


def _too_few(name: str, negative: int, positive: int) -> Iterator[Finding]:
    """A rule needs cases that choose it and others that judge it."""
    fewest = min(positive, negative)
    if fewest < FEWEST_CASES:
        message = (
            f"{name} has {positive} positive and {negative} negative: two of each class are needed, to "
            "choose on some and score on others."
        )
        yield Finding("error", name, "too few cases", fewest, message, "collect more cases.")


def _score_notes(name: str, look: Summary) -> Iterator[Finding]:
    """Yield what is odd about scores without looking at the classes."""
    constant = look.present if look.low == look.high else 0
    notes = [
        (
            "constant scores",
            constant,
            f"is constant ({look.low:g} in {times(constant, 'row')}).",
            "it cannot rank anything; is it a model?",
        ),
        (
            "infinite scores",
            look.infinite,
            f"has {times(look.infinite, 'infinite score')}.",
            "that is fine if meant; they rank first or last.",
        ),
        (
            "not probabilities",
            look.outside,
            f"has {times(look.outside, 'score')} outside [0, 1].",
            "that is fine; only the order of the scores counts.",
        ),
    ]
    for problem, count, message, hint in notes:
        if count:
            yield Finding("note", name, problem, count, f"{name} {message}", hint)


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
        yield Finding("note", name, "worse than chance", 1, message, "flip its scores?")
    if len(below) == models:
        who = "Every model ranks" if models > 1 else "The only model ranks"
        message = f"{who} worse than chance for positive = {positive}."
        yield Finding(
            "note", None, "suspicious positive class", len(below), message, f"is it --positive {negative}?"
        )


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
        yield Finding("note", name, "not calibrated", 1, message, hint)


def findings_text(report: Findings) -> str:
    """Return one paragraph per finding, errors first, and a verdict."""
    lines = [
        wrapped(f"{finding.level:5}  {finding.message} Hint: {finding.hint}", indent=" " * 7)
        for finding in report.findings
    ]
    errors = sum(finding.level == "error" for finding in report.findings)
    notes = len(report.findings) - errors
    if errors:
        verdict = f"{times(errors, 'error')}, {times(notes, 'note')}: the file cannot be analysed as it is."
    elif notes:
        verdict = f"No errors, {times(notes, 'note')}: the file can be analysed."
    else:
        verdict = "No problems found."
    if report.next_command:
        verdict += " Next, with your costs (--cost-fn, --cost-fp, --cost-abstain):"
    return "\n".join(filter(None, [*lines, wrapped(verdict), shown_command(report.next_command)]))
