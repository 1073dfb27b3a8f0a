"""`demur rec FILE`: how often each regression errs by no more than a tolerance."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import click

from demur._files.whole import draft_of
from demur.cli.options import Flags, Output, argument, flag, takes, verb
from demur.exceptions import InputError, UndefinedError

if TYPE_CHECKING:
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
@takes(Output, path={"metavar": "FIGURE", "help": "Draw the curves to this file (png, svg or pdf)."})
def command(*, regressions: Regressions, output: Output) -> None:
    """Tell which regression errs least, at which tolerance, and how sure that is.

    FILE is a table with a header, one row per case: the true value and one column of
    predictions per model (CSV, gzipped CSV, Parquet, a quoted glob of such files, or - for CSV
    on standard input). The null model predicts the mean of the true values in the file.
    """
    from demur.cli.output import document, remark, write

    read = _read(regressions)
    remark(read.sentence(), quiet=output.quiet)
    comparison = _compare(read, loss=regressions.loss, max_tolerance=regressions.max_tolerance)
    if output.path is not None:
        _draw(comparison, Path(output.path))
        remark(f"Figure written to {output.path}.", quiet=output.quiet)
    content = {"data": read.to_dict(), **comparison.to_dict()}
    write(document("rec", content) if output.as_json else _text(comparison), None)


# ---------------------------------------------------------------- reading


@dataclass(frozen=True, kw_only=True, eq=False)
class _Read:
    source: str
    target: str
    left_out: tuple[str, ...]
    truth: "FloatArray"
    predictions: "dict[str, FloatArray]"

    def sentence(self) -> str:
        names = ", ".join(self.predictions)
        count = len(self.predictions)
        text = f"Read {len(self.truth)} rows of {self.source}: target column {self.target}, "
        text += f"{count} prediction column{'s' if count > 1 else ''} ({names})"
        return text + (f"; left out: {', '.join(self.left_out)}." if self.left_out else ".")

    def to_dict(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "rows": len(self.truth),
            "target": self.target,
            "left_out": list(self.left_out),
        }


@contextmanager
def _words_of_regression() -> Iterator[None]:
    """Columns are chosen as for every verb; only two words differ here."""
    try:
        yield
    except InputError as error:
        text = str(error).replace("--label", "--target").replace("score column", "prediction column")
        raise InputError(text.replace("the label", "the target")) from None


def _read(regressions: Regressions) -> _Read:
    import numpy as np

    from demur.cli.options import Source
    from demur.cli.reading.predictions import missing_values
    from demur.cli.reading.roles import choose_roles
    from demur.engines.files import open_table

    columns_named = Source(
        file=regressions.file,
        label=regressions.target,
        models=regressions.models,
        exclude=regressions.exclude,
    )
    with open_table(regressions.file) as table, _words_of_regression():
        roles = choose_roles(table, columns_named, scores=False)
        if table.kinds[roles.label] != "number":
            raise InputError(
                f"Target column {roles.label!r} must hold numbers. Hint: pass another --target; "
                "for classes use demur compare."
            )
        columns = table.read(roles.columns)
    for column in columns.values():
        if column.n_missing:
            raise InputError(
                f"Column {column.name!r} has {missing_values(column)}. Hint: drop those rows for all models."
            )
    values = {name: np.asarray(column.values, dtype=np.float64) for name, column in columns.items()}
    return _Read(
        source=table.name,
        target=roles.label,
        left_out=roles.left_out,
        truth=values.pop(roles.label),
        predictions=values,
    )


# ---------------------------------------------------------------- comparing


@dataclass(frozen=True, kw_only=True, eq=False)
class _Comparison:
    loss: str
    curves: "dict[str, RecCurve]"
    null: "RecCurve"
    best: str
    pvalues: dict[str, float | None]
    skill: dict[str, float | None]

    def pairs(self) -> Iterator[tuple[str, str]]:
        names = list(self.curves)
        return ((a, b) for k, a in enumerate(names) for b in names[k + 1 :])

    def dominant(self, a: str, b: str) -> str | None:
        for higher, lower in ((a, b), (b, a)):
            if self.curves[higher].dominates(self.curves[lower]):
                return higher
        return None

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
            for a, b in self.pairs()
        ]
        null = {"constant": "mean", "aoc": self.null.aoc}
        return {"loss": self.loss, "best": self.best, "null": null, "models": models, "pairs": pairs}


def _compare(read: _Read, *, loss: str, max_tolerance: float | None) -> _Comparison:
    import numpy as np

    from demur.regression.rec import null_rec_curve, rec_curve, regression_errors

    curves, errors = {}, {}
    for name, predicted in read.predictions.items():
        with _named_columns(read.target, name):
            curves[name] = rec_curve(read.truth, predicted, loss=loss, max_tolerance=max_tolerance)
            errors[name] = np.minimum(
                regression_errors(read.truth, predicted, loss=loss), curves[name].max_tolerance
            )
    null = null_rec_curve(read.truth, loss=loss, max_tolerance=max_tolerance)
    best = min(curves, key=lambda name: curves[name].aoc)
    return _Comparison(
        loss=loss,
        curves=curves,
        null=null,
        best=best,
        pvalues={name: _pvalue(errors[best], errors[name]) if name != best else None for name in curves},
        skill={name: _relative(curve, null) for name, curve in curves.items()},
    )


@contextmanager
def _named_columns(target: str, model: str) -> Iterator[None]:
    try:
        yield
    except InputError as error:
        text = str(error).replace("`y_true`", repr(target)).replace("`y_pred`", repr(model))
        raise InputError(text) from None


def _relative(curve: "RecCurve", null: "RecCurve") -> float | None:
    try:
        return curve.relative_aoc(null)
    except UndefinedError:
        return None


def _pvalue(first: "FloatArray", second: "FloatArray") -> float | None:
    """P-value of equal areas; None where no test exists (a constant difference)."""
    import numpy as np

    from demur.regression.diebold_mariano import diebold_mariano_test
    from demur.regression.difference import aoc_difference_test

    zeros = np.zeros(len(first))
    if len(first) <= _EXCHANGED_UP_TO:
        return aoc_difference_test(zeros, first, second, rng=0).pvalue
    try:
        return diebold_mariano_test(zeros, first, second, loss="absolute").pvalue
    except UndefinedError:
        return None


# ---------------------------------------------------------------- showing


def _text(comparison: _Comparison) -> str:
    from demur.cli.output import number, table, wrapped

    header = ["model", "AOC", "of null", *(f"{100 * q:.0f} % within" for q in _SHARES), "p (best)"]
    rows = []
    for name, curve in [*comparison.curves.items(), ("null model", comparison.null)]:
        share = 1.0 if curve is comparison.null else comparison.skill[name]
        p = comparison.pvalues.get(name)
        rows.append(
            [
                name,
                number(curve.aoc),
                "-" if share is None else f"{100 * share:.1f} %",
                *(number(float(curve.tolerance_at(q))) for q in _SHARES),
                "-" if p is None else f"{p:.2g}",
            ]
        )
    note = (
        f"AOC: area over the REC curve, the mean {comparison.loss} error"
        f"{'' if _whole(comparison) else ' cut at the largest tolerance'}; smaller is better. "
        "p: of an area equal to the best model's, rows independent."
    )
    parts = [wrapped(_decision(comparison)), table(header, rows) + "\n" + wrapped(note)]
    if len(comparison.curves) > 1:
        parts.append(_pairs_text(comparison))
    return "\n\n".join(parts)


def _whole(comparison: _Comparison) -> bool:
    return all(curve.max_tolerance >= curve.tolerance[-1] for curve in comparison.curves.values())


def _decision(comparison: _Comparison) -> str:
    from demur.cli.output import number

    curve, share = comparison.curves[comparison.best], comparison.skill[comparison.best]
    half, most = (number(float(curve.tolerance_at(q))) for q in _SHARES)
    if share is not None and share >= 1:
        return f"No model errs less than predicting the mean: {comparison.best} comes closest."
    text = f"Use {comparison.best}: half of its {comparison.loss} errors are at most {half}, "
    text += f"nine of ten at most {most}."
    doubtful = [name for name, p in comparison.pvalues.items() if p is not None and p > 0.05]
    return text + (f" Not clearly better than {', '.join(doubtful)} (p > 0.05)." if doubtful else "")


def _pairs_text(comparison: _Comparison) -> str:
    from demur.cli.output import number, wrapped

    pairs = list(comparison.pairs())
    lines = ["Which curve is above, pair by pair"]
    if len(pairs) > _MOST_PAIRS:
        pairs = [pair for pair in pairs if comparison.best in pair]
        lines = [f"Which curve is above, {comparison.best} against each other model"]
    for a, b in pairs:
        winner = comparison.dominant(a, b)
        at = comparison.curves[a].crossings(comparison.curves[b])
        if winner is not None:
            words = f"{winner} at every tolerance"
        elif len(at) == 0:
            words = "the same curve"
        else:
            shown = ", ".join(number(float(t)) for t in at[:_MOST_CROSSINGS])
            rest = len(at) - _MOST_CROSSINGS
            words = f"they cross at {shown}" + (f" and {rest} more" if rest > 0 else "")
        lines.append(wrapped(f"  {a} / {b}: {words}", indent="    "))
    return "\n".join(lines)


def _draw(comparison: _Comparison, path: Path) -> None:
    """Draw under a temporary name first, so that no half file is ever seen."""
    kind = path.suffix.lower().lstrip(".")
    if kind not in ("png", "svg", "pdf"):
        raise InputError(f"`--output` must end in .png, .svg or .pdf, got {path.name!r}.")
    from demur.displays.base import pyplot
    from demur.displays.regression import RecCurveDisplay

    plt = pyplot()
    display = RecCurveDisplay(result=comparison.curves, null=comparison.null).plot()
    try:
        with draft_of(path) as draft:
            display.figure_.savefig(draft, format=kind, dpi=150)
    finally:
        plt.close(display.figure_)
