"""Ordered classes: which columns are scores, and what a mistake costs."""

from dataclasses import dataclass
from typing import ClassVar

from demur.cli.options import rules
from demur.cli.options.flags import Flags, argument, flag
from demur.exceptions import InputError

__all__ = ["Ranking"]


@dataclass(frozen=True, kw_only=True)
class Ranking(Flags):
    """A file of scores for ordered classes, and what a mistake costs."""

    TITLE: ClassVar[str] = "Data"

    file: str = argument()
    label: str | None = flag("--label", metavar="COLUMN", help="Column with the true class.")
    order: str | None = flag(
        "--order",
        metavar="A,B,C",
        help="The classes from lowest to highest [default: numbers by value].",
    )
    models: tuple[str, ...] = flag(
        "--model",
        default=(),
        metavar="COLUMN",
        multiple=True,
        help="Column with the scores of a model, higher = a higher class; repeatable. Default: every other "
        "numeric column but keys such as row, id, fold, index.",
    )
    exclude: tuple[str, ...] = flag(
        "--exclude", default=(), metavar="COLUMN", multiple=True, help="Column that is no model; repeatable."
    )
    step_cost: float | None = flag(
        "--step-cost",
        metavar="X",
        type=float,
        callback=rules.not_negative,
        help="Cost of a mistake per step between the true class and the answer [default: 1].",
    )
    cost_matrix: str | None = flag(
        "--cost-matrix",
        metavar="FILE",
        help="Instead: a cost for every confusion, CSV or TOML with named rows (true) and columns (answer).",
    )
    confidence: float = flag(
        "--confidence",
        default=0.95,
        type=float,
        metavar="X",
        callback=rules.confidence,
        show_default=True,
        help="Level of all intervals.",
    )

    def __post_init__(self) -> None:
        """Refuse two kinds of costs."""
        if self.step_cost is not None and self.cost_matrix is not None:
            raise InputError("`--step-cost` and --cost-matrix are two kinds of costs. Hint: give one.")
