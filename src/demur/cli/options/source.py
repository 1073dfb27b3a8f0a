"""What to read: the file, which column is what, and who reads the rows."""

from dataclasses import dataclass
from typing import ClassVar

import click

from demur.cli.options.flags import Flags, argument, flag
from demur.exceptions import InputError

__all__ = ["Source"]

# what each does with the rows of a file
_ENGINES = {
    "memory": "keeps them all",
    "duckdb": "counts them on this machine and keeps none",
    "spark": "counts them on a cluster",
}


@dataclass(frozen=True, kw_only=True)
class Source(Flags):
    """A file of predictions and the roles the user gave its columns."""

    TITLE: ClassVar[str] = "Data"

    file: str = argument()
    label: str | None = flag("--label", metavar="COLUMN", help="Column with the true class.")
    positive: str | None = flag("--positive", metavar="VALUE", help="Label of the positive class.")
    models: tuple[str, ...] = flag(
        "--model",
        default=(),
        metavar="COLUMN",
        multiple=True,
        help="Column with the scores of a model, higher = more positive; repeatable. Default: every "
        "other numeric column but keys (row, id, fold, index), predicted labels and amounts.",
    )
    exclude: tuple[str, ...] = flag(
        "--exclude",
        default=(),
        metavar="COLUMN",
        multiple=True,
        help="Column that is no model, such as --exclude age; repeatable.",
    )
    weight: str | None = flag("--weight", metavar="COLUMN", help="Column with case weights.")
    weights: str | None = flag(
        "--weights",
        type=click.Choice(["importance", "repeats"]),
        help="What --weight means: how much a case matters, or how many cases a row stands for.",
    )
    group: str | None = flag(
        "--group", metavar="COLUMN", help="Give a separate answer for every value of this column."
    )
    drop_missing: bool = flag(
        "--drop-missing",
        default=False,
        is_flag=True,
        help="Leave out rows with a missing label, score or weight, and say how many of which class.",
    )
    engine: str | None = flag(
        "--engine",
        metavar="NAME",
        help=f"Who reads the rows: {'; '.join(f'{name} {what}' for name, what in _ENGINES.items())}. "
        "Default: memory.",
    )
    master: str | None = flag(
        "--master", metavar="URL", help="Spark master, such as spark://host:7077 or local[2]."
    )

    def __post_init__(self) -> None:
        """Refuse flags that contradict each other."""
        if self.weights is not None and self.weight is None:
            raise InputError("`--weight` is needed with --weights. Hint: add --weight COLUMN.")
        if self.engine is not None and self.engine not in _ENGINES:
            raise InputError(f"`--engine` must be one of {', '.join(_ENGINES)}, got {self.engine!r}.")
        if self.engine == "spark" and self.master is None:
            raise InputError("`--master` is needed with --engine spark. Hint: --master spark://host:7077.")
        if self.drop_missing and self.reader != "memory":
            raise InputError(
                f"`--drop-missing` needs the rows in memory, got --engine {self.engine}. "
                "Hint: leave --engine out."
            )
        if self.engine != "spark" and self.master is not None:
            raise InputError("`--master` is for Spark. Hint: add --engine spark, or leave it out.")

    @property
    def reader(self) -> str:
        """The engine that reads the rows."""
        return self.engine or "memory"
