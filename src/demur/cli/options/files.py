"""What is read, by which engine, and where the answer goes."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import ClassVar

import click

from demur.cli.options.flags import Flags, flag
from demur.exceptions import InputError

__all__ = ["FIGURES", "Design", "Output", "Problem", "Source"]

# what each does with the rows of a file
_ENGINES = {
    "memory": "keeps them all",
    "duckdb": "counts them on this machine and keeps none",
    "spark": "counts them on a cluster",
}

# endings that promise a format, besides those of tables; other names promise nothing
_FORMATS = (
    ".txt", ".json", ".jsonl", ".ndjson", ".htm", ".feather", ".arrow", ".xls", ".ods", ".pdf", ".doc",
    ".pptx", ".odt", ".rtf", ".xml", ".yaml", ".yml", ".toml", ".png", ".svg", ".jpg", ".jpeg", ".gz",
    ".bz2", ".xz", ".zst", ".zip", ".sqlite", ".db", ".duckdb", ".pkl", ".npy", ".npz", ".sql", ".py",
    ".onnx", ".ipynb",
)  # fmt: skip


FIGURES = (".png", ".svg", ".pdf")
"""Endings of figures."""


@dataclass(frozen=True, kw_only=True)
class Source(Flags):
    """A file of predictions and the roles the user gave its columns."""

    TITLE: ClassVar[str] = "Data"
    COMMON: ClassVar[tuple[str, ...] | None] = (
        "label", "positive", "models", "exclude", "group",
    )  # fmt: skip

    file: str = flag()
    label: str | None = flag("--label", metavar="COLUMN", help="Column with the true class.")
    positive: str | None = flag("--positive", metavar="VALUE", help="Label of the positive class.")
    models: tuple[str, ...] = flag(
        "--model",
        default=(),
        metavar="COLUMN",
        multiple=True,
        help="Column with the scores of a model, higher = more positive; repeatable. Default: every "
        "other numeric column but keys (row, id, fold, index), dates, predicted labels and amounts.",
    )
    exclude: tuple[str, ...] = flag(
        "--exclude",
        default=(),
        metavar="COLUMN",
        multiple=True,
        help="Column that is no model, such as --exclude age; or an id or a date whose rows are independent "
        "cases all the same. Repeatable.",
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
        help="Leave out rows with a missing label, score or weight, and say which column cost how many.",
    )
    missing_labels: str | None = flag(
        "--missing-labels",
        type=click.Choice(["refuse", "drop", "bounds"]),
        help="Rows without a label whose scores differ from those of the others: refuse the file (default); "
        "drop them, and prove nothing; or keep them for bounds: costs whatever these labels are. Rows whose "
        "scores do not differ are left out.",
    )
    unknown_label: str | None = flag(
        "--unknown-label",
        metavar="VALUE",
        help="Label of cases whose class cannot be known: abstaining on them is right, deciding them is not.",
    )
    engine: str = flag(
        "--engine",
        default="memory",
        metavar="NAME",
        help=f"Who reads the rows: {'; '.join(f'{name} {what}' for name, what in _ENGINES.items())}. "
        "Default: memory.",
    )
    master: str | None = flag(
        "--master", metavar="URL", help="Spark master, such as spark://host:7077 or local[2]."
    )

    NEEDS = (("--weights", "--weight", "`--weight` is needed with {}. Hint: add --weight COLUMN."),)
    EXCLUDES = tuple(
        (name, "--engine", f"`{name}` needs the rows in memory. Hint: leave --engine out.")
        for name in ("--drop-missing", "--missing-labels", "--unknown-label")
    )

    def __post_init__(self) -> None:
        """Refuse flags that contradict each other."""
        if self.engine not in _ENGINES:
            raise InputError(f"`--engine` must be one of {', '.join(_ENGINES)}, got {self.engine!r}.")
        if self.engine == "spark" and self.master is None:
            raise InputError("`--master` is needed with --engine spark. Hint: --master spark://host:7077.")
        if self.engine != "spark" and self.master is not None:
            raise InputError("`--master` is for Spark. Hint: add --engine spark, or leave it out.")
        if self.missing_labels == "bounds" and self.group is not None:
            raise InputError(
                "`--missing-labels bounds` is for all cases together, got --group. "
                "Hint: leave one of them out."
            )
        super().__post_init__()


@dataclass(frozen=True, kw_only=True)
class Design(Flags):
    """How the cases hang together, and what an answer must show."""

    TITLE: ClassVar[str] = "Design"
    COMMON: ClassVar[tuple[str, ...] | None] = ("cluster", "time", "by")

    cluster: str | None = flag(
        "--cluster",
        metavar="COLUMN",
        help="Cases with one value here are not independent, such as those of one patient: they stay in one "
        "fold, and intervals count clusters.",
    )
    time: str | None = flag(
        "--time",
        metavar="COLUMN",
        help="When a case happened: rules are chosen on the past and judged on what follows.",
    )
    by: str | None = flag(
        "--by",
        metavar="COLUMN",
        help="Also show the cost, the errors and the reviews of the answer's rule for every value of this "
        "column.",
    )
    require_proof: bool = flag(
        "--require-proof",
        default=False,
        is_flag=True,
        help="Exit code 3 unless the answer is proven cheaper than every rule without a model; a policy is "
        "written only then.",
    )

    @property
    def columns(self) -> dict[str, str]:
        """Flag -> the column it names."""
        named = {"--cluster": self.cluster, "--time": self.time, "--by": self.by}
        return {name: column for name, column in named.items() if column is not None}


@dataclass(frozen=True, kw_only=True)
class Output(Flags):
    """A file or standard output, words or JSON, with or without remarks."""

    TITLE: ClassVar[str] = "Output"

    path: str | None = flag(
        "-o", "--output", metavar="PATH", help="Write to this file instead of standard output."
    )
    as_json: bool = flag(
        "--json", default=False, is_flag=True, help="One JSON document with unrounded numbers."
    )
    quiet: bool = flag("-q", "--quiet", default=False, is_flag=True, help="No remarks on standard error.")

    @property
    def to_file(self) -> bool:
        """Whether a file is named; - is standard output."""
        return self.path not in (None, "-")

    @property
    def ending(self) -> str:
        """What the name of the file ends in, where that promises a format; else empty."""
        from demur._tables.files import TABLE_FORMATS

        suffix = PurePath(self.path or "").suffix.lower()
        return suffix if suffix in (*_FORMATS, *TABLE_FORMATS) else ""

    def format(self, offered: Collection[str], hint: str | None = None) -> str:
        """Return the ending of the name; refuse one that promises what is not offered."""
        if not self.ending or self.ending in offered:
            return self.ending
        *most, last = offered
        listed = f"{', '.join(most)} or {last}" if most else last
        raise InputError(
            f"`--output {self.path}` must end in {listed}, got {self.ending}."
            + (f" Hint: {hint}" if hint else "")
        )

    def answering(self, *, figures: bool = False) -> "Output":
        """Return the same for an answer in words, tables, JSON or, with `figures`, a drawing.

        A name that ends in .json asks for JSON.
        """
        if not self.ending:
            return self
        from demur._tables.files import TABLE_FORMATS

        offered = (".txt", ".json", *TABLE_FORMATS, *(FIGURES if figures else ()))
        drawn = figures and self.ending in FIGURES
        suffix = self.format((".json",) if self.as_json and not drawn else offered)
        return replace(self, as_json=True) if suffix == ".json" else self

    @property
    def as_table(self) -> bool:
        """Whether the name of the file asks for tables; for verbs that offer them."""
        from demur._tables.files import TABLE_FORMATS

        return not self.as_json and self.ending in TABLE_FORMATS


@dataclass(frozen=True, kw_only=True)
class Problem(Flags):
    """The file that holds the problem."""

    TITLE: ClassVar[str] = "Output"

    problem: str | None = flag(
        "--problem",
        metavar="FILE",
        help="Take flags from this TOML file, such as the one that demur decide writes beside a policy; "
        "flags of the command line come before those of the file.",
    )
