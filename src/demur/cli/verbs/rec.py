"""`demur rec FILE`: how often each regression errs by no more than a tolerance."""

from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import click

from demur.cli.options import Flags, Output, Source, argument, flag, takes, verb
from demur.exceptions import InputError, UndefinedError

if TYPE_CHECKING:
    from demur._tables.table import Table
    from demur.cli.input.roles import Roles
    from demur.regression.rec import RecCurve
    from demur.typing import FloatArray

__all__ = ["command"]

_MOST_PAIRS = 10
_MOST_CROSSINGS = 3
# beyond this many rows the sign-flip test and the t-test of the mean difference agree
_EXCHANGED_UP_TO = 20_000
_SHARES = (0.5, 0.9)


@dataclass(frozen=True, kw_only=True)
class Regressions(Flags):
    """A file of predicted values, and how their errors are measured."""

    TITLE: ClassVar[str] = "Data"

    file: str = argument()
    target: str | None = flag("--target", metavar="COLUMN", help="Column with the true value.")
    models: tuple[str, ...] = flag(
        "--model",
        default=(),
        metavar="COLUMN",
        multiple=True,
        help="Column with the predictions of a model; repeatable. "
        "Default: every other numeric column but keys such as row, id, fold, index.",
    )
    exclude: tuple[str, ...] = flag(
        "--exclude",
        default=(),
        metavar="COLUMN",
        multiple=True,
        help="Column that is no model, such as --exclude age; repeatable.",
    )
    loss: str = flag(
        "--loss",
        default="absolute",
        type=click.Choice(["absolute", "squared"]),
        show_default=True,
        help="Error of a case.",
    )
    max_tolerance: float | None = flag(
        "--max-tolerance", type=float, metavar="X", help="Where the area over the curve stops."
    )

    def __post_init__(self) -> None:
        """Refuse a tolerance without an area."""
        if self.max_tolerance is not None and not 0 < self.max_tolerance < float("inf"):
            raise InputError(f"`--max-tolerance` must be a number above 0, got {self.max_tolerance:g}.")


@verb(
    "rec",
    example="""Example: two models, a figure beside the table
  demur rec forecasts.csv --target y_true --model tree --model line -o rec.png
""",
)
@takes(Regressions)
@takes(Output, path={"help": "Draw the curves to this file (.png, .svg, .pdf), or write the answer to it."})
def command(*, regressions: Regressions, output: Output) -> None:
    """Tell which regression errs least, at which tolerance, and how sure that is.

    FILE is a table with a header, one row per case: the true value and one column of
    predictions per model (CSV, gzipped CSV, Parquet, a quoted glob of such files, or - for CSV
    on standard input). The null model predicts the mean of the true values in the file.
    """
    output = output.answering(figures=True)
    from demur._tables.numbers import times
    from demur.cli.output import deliver, remark, save_figure

    source, roles, values = _read(regressions)
    truth = values.pop(roles.label)
    columns = f"{times(len(values), 'prediction column')} ({', '.join(values)})"
    left_out = f"; left out: {', '.join(roles.left_out)}" if roles.left_out else ""
    said = f"Read {len(truth)} rows of {source}: target column {roles.label}, {columns}{left_out}."
    remark(said, quiet=output.quiet)
    comparison = _compare(roles.label, truth, values, regressions)
    data = {"source": source, "rows": len(truth), "target": roles.label, "left_out": list(roles.left_out)}
    if output.as_figure:
        save_figure(comparison.drawn(), output)
        output = output.words_too()
    deliver(comparison, output, kind="rec", data=data)


# ---------------------------------------------------------------- reading


def _read(regressions: Regressions) -> "tuple[str, Roles, dict[str, FloatArray]]":
    """Return the name of the table, which column is what, and the columns as numbers."""
    import numpy as np

    from demur.cli.input.cases import read_columns, require_complete

    named = Source(
        file=regressions.file,
        label=regressions.target,
        models=regressions.models,
        exclude=regressions.exclude,
    )
    try:
        source, roles, columns = read_columns(named)
    except InputError as error:
        # columns are chosen as for every verb; only two words differ here
        text = str(error).replace("--label", "--target").replace("score column", "prediction column")
        raise InputError(text.replace("the label", "the target")) from None
    if columns[roles.label].kind != "number":
        raise InputError(
            f"Target column {roles.label!r} must hold numbers. Hint: pass another --target; "
            "for classes use demur compare."
        )
    require_complete(columns.values(), "drop those rows for all models.")
    values = {name: np.asarray(column.values, dtype=np.float64) for name, column in columns.items()}
    return source, roles, values


# ---------------------------------------------------------------- comparing


@dataclass(frozen=True, kw_only=True, eq=False)
class _Comparison:
    loss: str
    curves: "dict[str, RecCurve]"
    null: "RecCurve"
    best: str
    pvalues: dict[str, float | None]
    skill: dict[str, float | None]

    def dominant(self, a: str, b: str) -> str | None:
        ways = ((a, b), (b, a))
        return next((one for one, other in ways if self.curves[one].dominates(self.curves[other])), None)

    def to_dict(self) -> dict[str, Any]:
        models = [
            {
                "name": name,
                "aoc": curve.aoc,
                "relative_aoc": self.skill[name],
                "mean_error": curve.mean_error,
                "max_tolerance": curve.max_tolerance,
                **{f"tolerance_{100 * q:.0f}": float(curve.tolerance_at(q)) for q in _SHARES},
                "pvalue_against_best": self.pvalues[name],
            }
            for name, curve in self.curves.items()
        ]
        pairs = [
            {
                "first": a,
                "second": b,
                "dominant": self.dominant(a, b),
                "crossings": self.curves[a].crossings(self.curves[b]),
            }
            for a, b in combinations(self.curves, 2)
        ]
        null = {"constant": "mean", "aoc": self.null.aoc}
        return {"loss": self.loss, "best": self.best, "null": null, "models": models, "pairs": pairs}

    def opening(self) -> list[str]:
        from demur._tables.numbers import number

        if (self.skill[self.best] or 0.0) >= 1:
            return [f"No model errs less than predicting the mean: {self.best} comes closest."]
        half, most = (number(float(self.curves[self.best].tolerance_at(q))) for q in _SHARES)
        decision = (
            f"Use {self.best}: half of its {self.loss} errors are at most {half}, nine of ten at most {most}."
        )
        doubtful = [name for name, p in self.pvalues.items() if p is not None and p > 0.05]
        if doubtful:
            decision += f" Not clearly better than {', '.join(doubtful)} (p > 0.05)."
        return [decision]

    def tables(self) -> "list[Table]":
        from demur._tables.numbers import number
        from demur._tables.table import Column, Table

        curves = {**self.curves, "null model": self.null}
        shares = [self.skill.get(name, 1.0) for name in curves]
        whole = all(curve.max_tolerance >= curve.tolerance[-1] for curve in self.curves.values())
        note = (
            f"AOC: area over the REC curve, the mean {self.loss} error"
            f"{'' if whole else ' cut at the largest tolerance'}; smaller is better. "
            "p: of an area equal to the best model's, rows independent."
        )
        columns = (
            Column("model", list(curves), "model"),
            Column("aoc", [curve.aoc for curve in curves.values()], "AOC", number),
            Column("relative_aoc", shares, "of null", lambda share: f"{100 * share:.1f} %"),
            *(
                Column(
                    f"tolerance_{100 * q:.0f}",
                    [float(curve.tolerance_at(q)) for curve in curves.values()],
                    f"{100 * q:.0f} % within",
                    number,
                )
                for q in _SHARES
            ),
            Column("pvalue", [self.pvalues.get(name) for name in curves], "p (best)", "{:.2g}".format),
        )
        models = Table(name="Models", columns=columns, note=note)
        return [models, self._pairs()] if len(self.curves) > 1 else [models]

    def closing(self) -> list[str]:
        return []

    def _pairs(self) -> "Table":
        from demur._tables.numbers import number
        from demur._tables.table import Column, Table

        pairs, title = list(combinations(self.curves, 2)), "Which curve is above, pair by pair"
        if len(pairs) > _MOST_PAIRS:
            pairs = [pair for pair in pairs if self.best in pair]
            title = f"Which curve is above, {self.best} against each other model"
        words = []
        for a, b in pairs:
            winner, at = self.dominant(a, b), self.curves[a].crossings(self.curves[b])
            if winner is not None:
                words.append(f"{winner} at every tolerance")
            elif len(at) == 0:
                words.append("the same curve")
            else:
                shown = ", ".join(number(float(t)) for t in at[:_MOST_CROSSINGS])
                rest = len(at) - _MOST_CROSSINGS
                words.append(f"they cross at {shown}" + (f" and {rest} more" if rest > 0 else ""))
        columns = (
            Column("first", [a for a, _ in pairs]),
            Column("second", [b for _, b in pairs]),
            Column("", [f"{a} / {b}" for a, b in pairs], "first / second"),
            Column("above", words, "above"),
        )
        return Table(name="Pairs", title=title, columns=columns)

    def drawn(self) -> Any:
        from demur.displays.regression import RecCurveDisplay

        return RecCurveDisplay(result=self.curves, null=self.null).plot().figure_


def _compare(
    target: str, truth: "FloatArray", predictions: "dict[str, FloatArray]", asked: Regressions
) -> _Comparison:
    import numpy as np

    from demur.regression.rec import null_rec_curve, rec_curve, regression_errors

    loss, most = asked.loss, asked.max_tolerance
    curves, errors = {}, {}
    for name, predicted in predictions.items():
        try:
            curves[name] = rec_curve(truth, predicted, loss=loss, max_tolerance=most)
            error = regression_errors(truth, predicted, loss=loss)
        except InputError as refused:
            text = str(refused).replace("`y_true`", repr(target)).replace("`y_pred`", repr(name))
            raise InputError(text) from None
        errors[name] = np.minimum(error, curves[name].max_tolerance)
    null = null_rec_curve(truth, loss=loss, max_tolerance=most)
    best = min(curves, key=lambda name: curves[name].aoc)
    skill: dict[str, float | None] = dict.fromkeys(curves)
    for name, curve in curves.items():
        with suppress(UndefinedError):
            skill[name] = curve.relative_aoc(null)
    return _Comparison(
        loss=loss,
        curves=curves,
        null=null,
        best=best,
        pvalues={name: _pvalue(errors[best], errors[name]) if name != best else None for name in curves},
        skill=skill,
    )


def _pvalue(first: "FloatArray", second: "FloatArray") -> float | None:
    """P-value of equal areas; None where no test exists (a constant difference)."""
    import numpy as np

    from demur.regression.difference import aoc_difference_test, diebold_mariano_test

    zeros = np.zeros(len(first))
    if len(first) <= _EXCHANGED_UP_TO:
        return aoc_difference_test(zeros, first, second, rng=0).pvalue
    try:
        return diebold_mariano_test(zeros, first, second, loss="absolute").pvalue
    except UndefinedError:
        return None
