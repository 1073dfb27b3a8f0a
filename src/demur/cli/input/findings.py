"""What `demur check` looks for: everything that is wrong or odd about a file of predictions."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from shlex import join
from typing import Any, Literal

import numpy as np

from demur._files.database import connect, load_duckdb, sql_text
from demur._files.parquet import parquet_fact
from demur._files.whole import temporary_folder
from demur._tables.numbers import times
from demur._tables.table import Column as TableColumn
from demur._tables.table import Table, wrapped
from demur.calibration import calibration_slope
from demur.cli.input.cases import (
    BOUND_OR_DROP,
    DROP_ROWS,
    class_without_weight,
    missing_values,
    positive_cases,
    read_saved_counts,
)
from demur.cli.input.dependence import Dependence
from demur.cli.input.roles import (
    Roles,
    amounts,
    choose_roles,
    for_counting,
    frame_of,
    label_column,
    likely_labels,
    model_columns,
    named_label,
    open_with,
    unreadable_scores,
)
from demur.cli.options import Design, Source, refuse
from demur.cli.output import shown_command
from demur.comparison.missing import score_difference
from demur.counts.scores import SCHEMA, ScoreCounts
from demur.engines.columns import Column, class_name
from demur.engines.counting import read_counts
from demur.engines.frames import Summary, summaries
from demur.exceptions import InputError, UndefinedError
from demur.honest.splits import FEWEST_CASES
from demur.roc.curve import auc_score
from demur.typing import BoolArray

__all__ = ["Finding", "Findings", "find_problems"]

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
    costs: str = "--cost-fn, --cost-fp, --cost-abstain"

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as built-in types."""
        roles = self.roles
        columns = {name: roles.others.get(name) for name in ("weight", "group")} | dict(roles.others)
        return {
            "source": self.source,
            "rows": self.n_rows,
            "columns": {
                "label": roles.label or None,
                "models": list(roles.models),
                **columns,
                "left_out": list(roles.left_out),
                "suspects": list(roles.suspects),
                "dependence": asdict(roles.dependence),
            },
            "can_be_analysed": all(finding.level != "error" for finding in self.findings),
            "findings": [asdict(finding) for finding in self.findings],
            "next": join(self.next_command) or None,
        }

    def table(self) -> Table:
        """Return a row for each finding; the names of the columns also where there is none."""
        columns = [
            TableColumn(field.name, [getattr(one, field.name) for one in self.findings], field.name)
            for field in fields(Finding)
        ]
        return Table(name="Findings", columns=tuple(columns))

    def text(self) -> str:
        """Return one paragraph per finding, errors first, a verdict, and the next command."""
        lines = [
            wrapped(f"{finding.level:5}  {finding.message} Hint: {finding.hint}", indent=" " * 7)
            for finding in self.findings
        ]
        errors = sum(finding.level == "error" for finding in self.findings)
        notes = len(self.findings) - errors
        if errors:
            counted = f"{times(errors, 'error')}, {times(notes, 'note')}"
            verdict = f"{counted}: the file cannot be analysed as it is."
        elif notes:
            verdict = f"No errors, {times(notes, 'note')}: the file can be analysed."
        else:
            verdict = "No problems found."
        if self.next_command:
            verdict += f" Next, with your costs ({self.costs}):"
        return "\n".join(filter(None, [*lines, wrapped(verdict), shown_command(self.next_command)]))


def find_problems(source: Source, design: Design) -> Findings:
    """Read the file and list its problems; raise `InputError` only where there is no table to look at."""
    if parquet_fact(Path(source.file), "schema") == SCHEMA:
        # no columns, no rows
        refuse(design, because="is for tables of cases, not for counts. Hint: leave it out.")
        model, counts, sentence = read_saved_counts(source)
        few = [*_too_few(model, int(counts.n_negative), int(counts.n_positive))]
        return Findings(
            source=source.file,
            n_rows=int(counts.n),
            roles=Roles(label="", models={model: (model,)}),
            sentence=sentence,
            findings=tuple(few or _ranking_notes({model: counts}, 1, "1", "0")),
            next_command=() if few else ("demur", "compare", source.file),
        )
    path = Path(source.file)
    if path.suffix.lower() not in _RECORDS or not path.is_file():
        return _table_problems(source, design, None)
    if source.engine != "memory":
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
    with open_with(source.file, source.engine, source.master) as table:
        table.name = table.name if shown is None else shown
        problems = []
        for name in table.kinds:
            if name not in (source.label, *source.models, *source.exclude):
                error = unreadable_scores(table, name)
                if error is not None:
                    problems.append(_of_error(error, name, "not numbers", 1))
                    source = replace(source, exclude=(*source.exclude, name))
        many = _many_classes(table, source)
        if many is not None:
            return many if shown is None else replace(many, next_command=())
        label, doubts = _label(table, source)
        problems += doubts
        # without a label any column that is no score stands in for it
        stand_in = label or next((name for name in table.kinds if table.kinds[name] != "number"), None)
        if stand_in is None:
            raise InputError(f"{doubts[0].message} Hint: {doubts[0].hint}")
        roles = choose_roles(table, replace(source, label=stand_in), design=design, required=False)
        if not roles.models:
            why = f"left out: {', '.join(roles.left_out)}" if roles.left_out else "there is no other column"
            message = f"No column looks like scores ({why})."
            problems.append(Finding("error", None, "no scores", 1, message, "pass --model COLUMN."))
        rows = None
        if source.engine == "memory":
            rows = table.read((*roles.columns, *roles.dependence.dates))
            if label is not None:
                roles = replace(roles, dependence=_dependence(rows, roles, design))
        positive = source.positive or "unknown"
        if label is not None:
            found, positive = _look(table, roles, rows, source.positive)
            problems += found
        problems += _others(table, roles, source)
        repeated = table.n_duplicated()
        likely = amounts(table, roles.suspects)
    for sign in roles.dependence.signs():
        said = sign.sentence(), f"{sign.todo}."
        problems.append(Finding("note", sign.column or None, sign.kind, sign.number, *said))
    if repeated and not roles.dependence.copies:
        message = (
            f"{times(repeated, 'row')} repeat{'s' if repeated == 1 else ''} an earlier row in every column."
        )
        hint = "cases counted twice look surer than they are; without a key column it may be chance."
        problems.append(Finding("note", None, "duplicated rows", repeated, message, hint))
    amount = f"--cost-fn {likely[0]}" if likely else "--cost-fn"
    return Findings(
        source=table.name,
        n_rows=table.n_rows,
        roles=roles if label is not None else replace(roles, label=""),
        sentence=roles.words(table.name, table.n_rows, positive) if label is not None else "",
        findings=tuple(sorted(problems, key=lambda finding: finding.level != "error")),
        next_command=() if shown is not None else _next_command(source, design, roles, problems, positive),
        costs=f"{amount}, --cost-fp, --cost-abstain",
    )


def _many_classes(table: Any, source: Source) -> Findings | None:
    """Return the findings where each of more than two classes has a column of probabilities, else None."""
    taken = (*source.models, *source.exclude)
    free = [name for name, kind in table.kinds.items() if kind == "text" and name not in taken]
    for label in [name for name in (source.label or named_label(table, taken),) if name] or free:
        table.require([label])
        names = {class_name(value) for value in table.distinct(label)} - {""}
        # in the order of the columns, which people chose
        classes = sorted(names, key=lambda name: [not column.endswith(name) for column in table.kinds])
        with suppress(InputError):
            models = model_columns(list(table.kinds), classes, source.models, table.name)
            if len(classes) > 2:
                return _class_findings(
                    table, source, Roles(label=label, models=models, classes=tuple(classes))
                )
    return None


def _class_findings(table: Any, source: Source, roles: Roles) -> Findings:
    """Return what is missing, and the command that compares models of many classes."""
    looks = summaries(frame_of(table), {name: table.kinds[name] for name in roles.columns})
    hint = DROP_ROWS.format(" (--drop-missing)")
    found = tuple(
        Finding(
            "error",
            name,
            "missing values",
            look.missing,
            f"{name} has {times(look.missing, 'missing value')}.",
            hint,
        )
        for name, look in looks.items()
        if look.missing
    )
    needed = ["--label", roles.label, "--classes", ",".join(roles.classes)]
    dropped = ["--drop-missing"] if found else []
    return Findings(
        source=table.name,
        n_rows=table.n_rows,
        roles=roles,
        sentence=roles.words(table.name, table.n_rows, ""),
        findings=found,
        next_command=("demur", "compare", source.file, *needed, *dropped),
        costs="--cost-matrix FILE, --cost-abstain",
    )


def _of_error(error: InputError, column: str | None, problem: str, count: int) -> Finding:
    """Return an error as a finding."""
    message, _, hint = str(error).partition(" Hint: ")
    return Finding("error", column, problem, count, message, hint)


_LIKELY = re.compile(
    r"(is|has|was)_.*|.*(fraud|default|churn|outcome|target|label|truth|true|actual|sick|ill|disease|diagnosis"
    r"|event|died|death|respon|convert|malignant|positive|relevant|spam).*"
)


def _label(table: Any, source: Source) -> tuple[str | None, list[Finding]]:
    """Return the label column: as given, by its name, or the likely one of those with two values."""
    if source.label is not None:
        table.require([source.label])
        return source.label, []
    taken = (*source.models, *source.exclude)
    name = named_label(table, taken)
    if name is not None:
        return name, []
    likely = [one for one in likely_labels(table) if one not in taken]
    named = [one for one in likely if _LIKELY.fullmatch(one.lower())]
    if len(likely) == 1 or len(named) == 1:
        name = named[0] if len(named) == 1 else likely[0]
        guessed = Finding(
            "note",
            name,
            "guessed label",
            1,
            f"{name} holds two values and is taken as the label.",
            "pass --label if it is another one.",
        )
        return name, [guessed]
    which = (
        f"several columns could hold the label ({', '.join(likely)})"
        if likely
        else "no column has two values"
    )
    hint = f"pass --label COLUMN; the columns are {', '.join(table.kinds)}."
    return None, [Finding("error", None, "no label", 1, f"`{table.name}`: {which}.", hint)]


def _dependence(rows: Mapping[str, Column], roles: Roles, design: Design) -> Dependence:
    """Look for copies and for scores that move with the dates, in rows with a class and all scores."""
    complete = ~np.logical_or.reduce([rows[name].missing for name in (roles.label, *roles.scores)])
    known = {name: column.take(complete) for name, column in rows.items()}
    scores = {name: known[name].values.astype(np.float64) for name in roles.scores}
    _, codes = np.unique(list(map(class_name, known[roles.label].values)), return_inverse=True)
    return roles.dependence.in_rows(codes, scores, known, design) if scores else roles.dependence


def _next_command(
    source: Source, design: Design, roles: Roles, problems: Sequence[Finding], positive: str
) -> tuple[str, ...]:
    """Return the command that analyses the file with the flags it needs; empty where none can."""
    found = {one.problem for one in problems if one.level == "error"}
    if not found <= {"missing values", "missing labels", "no positive class", "not numbers"}:
        return ()
    signs = roles.dependence
    guessed = any(one.problem == "guessed label" for one in problems)
    needed = {
        "--label": roles.label if guessed else None,
        "--positive": positive if "no positive class" in found else None,
        "--cluster": next(iter(signs.repeated), design.cluster),
        "--time": next(iter(signs.dates), design.time),
    }
    if "missing labels" in found:  # bounds take neither clusters nor times
        needed["--missing-labels"] = "drop" if needed["--cluster"] or needed["--time"] else "bounds"
    flags = [part for name, value in needed.items() if value is not None for part in (name, value)]
    lacking = any(one.problem == "amounts" and "missing" in one.message for one in problems)
    flags += ["--drop-missing"] if "missing values" in found or lacking else []
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
        classes = Counter(map(class_name, labels.values[~labels.missing].tolist()))
        problem, count = ("one class", looks[roles.label].present) if len(classes) == 1 else ("classes", 1)
        if len(classes) == 2:
            problem, rarer = "no positive class", min(classes, key=lambda name: classes[name])
            truth, positive, negative = positive_cases(labels, rarer)
        problems.append(_of_error(error, roles.label, problem, count))
    weight = roles.others.get("weight")
    bad = 0 if weight is None else looks[weight].no_weight
    if bad:
        message = f"{weight} has {times(bad, 'negative or infinite weight')}."
        hint = "a weight says how many cases a row stands for."
        problems.append(Finding("error", weight, "bad weights", bad, message, hint))
    sound = all(finding.level != "error" for finding in problems)
    shares = any(looks[name].outside == 0 and len(table.distinct(name)) > 2 for name in roles.models)
    for name in roles.models:
        beside = shares and looks[name].outside > 0
        whole = beside and all(value % 1 == 0 for value in table.distinct(name))
        problems += _score_notes(name, looks[name], whole=whole)
    if truth is None or (rows is None and not sound):
        return problems, positive
    if rows is None:
        counts, sizes, without = _counted(table, roles, positive)
    else:
        labelled = {name: column.take(~rows[roles.label].missing) for name, column in rows.items()}
        counts, sizes, without = _counted_rows(labelled, roles, truth, weighted=not bad)
    if without is not None:
        problems.append(
            Finding(
                "error",
                weight,
                "bad weights",
                sizes[without],
                f"{weight} is 0 for every {'positive' if without else 'negative'} case.",
                "both classes are needed; leave --weight out?",
            )
        )
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
    if "weight" in roles.others and weighted:
        weight = rows[roles.others["weight"]]
        values = np.where(weight.missing, 0.0, weight.values).astype(np.float64)
        without = class_without_weight(truth, values)
    return counts, (int((~truth).sum()), int(truth.sum())), without


def _counted(table: Any, roles: Roles, positive: str) -> _Counted:
    """Let the engine count complete rows."""
    columns: dict[str, Any] = {"y_true": roles.label, "scores": list(roles.models), "positive": positive}
    counts = read_counts(for_counting(table), **columns)
    some, without = next(iter(counts.values())), None
    if "weight" in roles.others:
        weights = roles.others["weight"]
        weighted = next(iter(read_counts(for_counting(table), **columns, weights=weights).values()))
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


def _others(table: Any, roles: Roles, source: Source) -> Iterator[Finding]:
    """Columns that look like amounts or features, what each would do in its role, and what it lacks."""
    hints = dict.fromkeys(roles.models, "is it a model? If not, pass --exclude {name}.")
    hints |= dict.fromkeys(roles.suspects, "it is no model; --cost-fn {name} takes it as the cost of a miss.")
    if "weight" in roles.others:
        weighs = "a weight says how many cases a row stands for or how much it matters."
        hints[roles.others["weight"]] = weighs
    numeric = [name for name in hints if table.kinds[name] == "number" and name not in source.exclude]
    found = amounts(table, numeric)
    looks = summaries(frame_of(table), {name: table.kinds[name] for name in found}) if found else {}
    for name in found:
        hint, lacks = hints[name].format(name=name), ""
        if looks[name].missing and name in roles.suspects:
            lacks = f", and has {times(looks[name].missing, 'missing value')}"
            hint += " Rows without it are left out by --drop-missing."
        message = f"{name} looks like an amount, not like scores{lacks}."
        yield Finding("note", name, "amounts", 1, message, hint)
    for name in roles.suspects:
        reason = next(text for text in roles.left_out if text.startswith(f"{name} ("))
        if name not in found:
            message = f"{name} looks like {reason.removeprefix(f'{name} (')[:-1]}, not like scores."
            hint = f"it is left out; pass --model {name} if it is one, --exclude {name} to confirm."
            yield Finding("note", name, "no scores", 1, message, hint)


def _too_few(name: str, negative: int, positive: int) -> Iterator[Finding]:
    """A rule needs cases that choose it and others that judge it."""
    fewest = min(positive, negative)
    if fewest < FEWEST_CASES:
        message = (
            f"{name} has {positive} positive and {negative} negative: two of each class are needed, to "
            "choose on some and score on others."
        )
        yield Finding("error", name, "too few cases", fewest, message, "collect more cases.")


def _score_notes(name: str, look: Summary, *, whole: bool) -> Iterator[Finding]:
    """Yield what is odd about scores without looking at the classes; `whole` beside probabilities."""
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
        (
            "whole numbers",
            int(whole),
            "holds whole numbers beside probabilities.",
            f"is it a model? If not, pass --exclude {name}.",
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
