"""`demur rec FILE`: how often each regression errs by no more than a tolerance."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import click
from click.exceptions import Exit

from demur.cli.options import Flags, Output, Source, flag, takes, verb
from demur.cli.options.files import FIGURES
from demur.cli.options.flags import confidence, not_negative
from demur.exceptions import InputError

if TYPE_CHECKING:
    from demur.cli.input.roles import Roles
    from demur.regression.difference import RecComparison
    from demur.regression.review import ReviewThreshold
    from demur.typing import FloatArray

__all__ = ["command"]

# exit code where all cases are treated alike, so that no policy is written
_NO_POLICY = 3


@dataclass(frozen=True, kw_only=True)
class Regressions(Flags):
    """A file of predicted values, and how their errors are measured."""

    TITLE: ClassVar[str] = "Data"

    file: str = flag()
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


@dataclass(frozen=True, kw_only=True)
class Reviews(Flags):
    """What a person costs who looks at uncertain predictions."""

    TITLE: ClassVar[str] = "Reviews"

    cost_review: float | None = flag(
        "--cost-review",
        metavar="X",
        type=float,
        callback=not_negative,
        help="Price of a review: choose from which --spread on to send cases to a person.",
    )
    spread: tuple[str, ...] = flag(
        "--spread",
        default=(),
        metavar="COLUMN",
        multiple=True,
        help="Column with the predicted spread, wider = less certain; one for all models, or one for every "
        "--model, in their order.",
    )
    tolerance: float | None = flag(
        "--tolerance",
        metavar="X",
        type=float,
        callback=not_negative,
        help="Errors up to here cost nothing; beyond, what they exceed it by [default: 0].",
    )
    loss_column: str | None = flag(
        "--loss-column",
        metavar="COLUMN",
        help="Instead of the error: column with what using the prediction costs; for one model.",
    )
    confidence: float = flag(
        "--confidence",
        default=0.95,
        type=float,
        metavar="X",
        callback=confidence,
        show_default=True,
        help="Level of the intervals of costs.",
    )
    policy: str | None = flag(
        "--policy",
        metavar="FILE",
        help="Write the threshold as a policy, for demur apply and demur export.",
    )

    NEEDS = (
        (
            "--spread --tolerance --loss-column --confidence --policy",
            "--cost-review",
            "`{}` needs --cost-review. Hint: --cost-review 1 if a review costs 1.",
        ),
        (
            "--cost-review",
            "--spread",
            "`--spread` is needed with {}. Hint: --spread COLUMN, a predicted spread.",
        ),
    )
    EXCLUDES = (
        (
            "--tolerance",
            "--loss-column",
            "`--tolerance` and --loss-column are two kinds of losses. Hint: give one.",
        ),
    )

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns to read besides target and predictions."""
        return (*dict.fromkeys(self.spread), *([] if self.loss_column is None else [self.loss_column]))


@verb(
    "rec",
    example="""Examples: two models, a figure beside the table
  demur rec forecasts.csv --target y_true --model tree --model line -o rec.png
from which predicted spread on should a person look, if that costs 2?
  demur rec forecasts.csv --target y_true --model tree \\
    --spread tree_sd --cost-review 2 --policy policy.json
""",
)
@takes(Regressions)
@takes(Reviews)
@takes(Output, path={"help": "Draw the curves to this file (.png, .svg, .pdf), or write the answer to it."})
def command(*, regressions: Regressions, reviews: Reviews, output: Output) -> None:
    """Tell which regression errs least, at which tolerance, and how sure that is.

    FILE is a table with a header, one row per case: the true value and one column of
    predictions per model (CSV, gzipped CSV, Parquet, a quoted glob of such files, or - for CSV
    on standard input). The null model predicts the mean of the true values in the file. With
    --cost-review a rule is chosen: never review, always, or above a spread; its cost is that of cases
    that did not choose the threshold, and figures show the loss against the share reviewed. The exit
    code is 3 where --policy is asked for and none is needed.
    """
    output = output.answering(figures=True)
    from demur._tables.numbers import times
    from demur.cli.output import deliver, remark, save_figure, save_policy
    from demur.regression.difference import compare_regressions

    source, roles, values = _read(regressions, reviews)
    truth = values.pop(roles.label)
    more = {name: values.pop(name) for name in reviews.columns}
    columns = f"{times(len(values), 'prediction column')} ({', '.join(values)})"
    left_out = f"; left out: {', '.join(roles.left_out)}" if roles.left_out else ""
    said = f"Read {len(truth)} rows of {source}: target column {roles.label}, {columns}{left_out}."
    remark(said, quiet=output.quiet)
    options: dict[str, Any] = {"loss": regressions.loss, "max_tolerance": regressions.max_tolerance}
    comparison = compare_regressions(truth, values, **options, target=roles.label)
    if reviews.cost_review is not None:
        comparison = replace(comparison, reviews=_reviews(truth, values, more, regressions.loss, reviews))
    data = {"source": source, "rows": len(truth), "target": roles.label, "left_out": list(roles.left_out)}
    if output.ending in FIGURES:
        save_figure(_drawn(comparison), output)
        output = replace(output, path=None)
    deliver(comparison, output, kind="rec", data=data)
    if comparison.reviews is not None and reviews.policy is not None:
        try:
            model = comparison.reviews.model
            place = 0 if len(reviews.spread) == 1 or model is None else list(values).index(model)
            policy = comparison.reviews.policy(reviews.spread[place])
        except InputError as error:
            remark(str(error), quiet=output.quiet)
            raise Exit(_NO_POLICY) from None
        save_policy(policy, reviews.policy, output)


# ---------------------------------------------------------------- reading


def _read(regressions: Regressions, reviews: Reviews) -> "tuple[str, Roles, dict[str, FloatArray]]":
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
        source, roles, columns = read_columns(named, reviews.columns)
    except InputError as error:
        # columns are chosen as for every verb; only two words differ here
        text = str(error).replace("--label", "--target").replace("score column", "prediction column")
        raise InputError(text.replace("the label", "the target")) from None
    if columns[roles.label].kind != "number":
        raise InputError(
            f"Target column {roles.label!r} must hold numbers. Hint: pass another --target; "
            "for classes use demur compare."
        )
    for name in reviews.columns:
        if columns[name].kind != "number":
            raise InputError(f"Column {name!r} must hold numbers. Hint: check --spread and --loss-column.")
    require_complete(columns.values(), "drop those rows for all models.")
    values = {name: np.asarray(column.values, dtype=np.float64) for name, column in columns.items()}
    return source, roles, values


# ---------------------------------------------------------------- reviewing


def _reviews(
    truth: "FloatArray",
    predictions: "dict[str, FloatArray]",
    more: "dict[str, FloatArray]",
    loss: str,
    asked: Reviews,
) -> "ReviewThreshold":
    """Choose from which spread on to review."""
    from demur.regression.review import excess_losses, review_threshold

    models = len(predictions)
    if len(asked.spread) not in (1, models):
        raise InputError(
            f"`--spread` must name one column, or one for each of {models} models, got {len(asked.spread)}."
        )
    if asked.loss_column is not None:
        if models > 1:
            raise InputError(f"`--loss-column` is for one model, got {models}. Hint: name it with --model.")
        losses = dict.fromkeys(predictions, more[asked.loss_column])
    else:
        options: Any = {"tolerance": asked.tolerance or 0.0, "loss": loss}
        losses = {name: excess_losses(truth, values, **options) for name, values in predictions.items()}
    columns = asked.spread * models if len(asked.spread) == 1 else asked.spread
    assert asked.cost_review is not None
    return review_threshold(
        losses,
        {name: more[column] for name, column in zip(predictions, columns, strict=True)},
        cost_review=asked.cost_review,
        confidence_level=asked.confidence,
    )


def _drawn(found: "RecComparison") -> Any:
    """Draw the REC curves, or with reviews the loss against the share reviewed."""
    from demur.displays.regression import RecCurveDisplay, ReviewCurveDisplay

    if found.reviews is not None:
        display = ReviewCurveDisplay(result=found.reviews.curves())
        return display.plot(cost_review=found.reviews.cost_review).figure_
    return RecCurveDisplay(result=found.curves, null=found.null).plot().figure_
