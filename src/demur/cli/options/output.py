"""Where the answer goes, and in which form."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import ClassVar

from demur.cli.options.flags import Flags, flag
from demur.cli.table_files import TABLE_FORMATS
from demur.exceptions import InputError

__all__ = ["Output"]

# endings that promise a format; other names promise nothing
_FORMATS = (
    ".csv", ".tsv", ".txt", ".md", ".json", ".jsonl", ".ndjson", ".html", ".htm", ".parquet", ".pq",
    ".feather", ".arrow", ".xlsx", ".xls", ".ods", ".pdf", ".docx", ".doc", ".pptx", ".odt", ".rtf",
    ".tex", ".xml", ".yaml", ".yml", ".toml", ".png", ".svg", ".jpg", ".jpeg", ".gz", ".bz2", ".xz",
    ".zst", ".zip", ".sqlite", ".db", ".duckdb", ".pkl", ".npy", ".npz", ".sql", ".py", ".onnx",
    ".ipynb",
)  # fmt: skip


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

    def format(self, offered: Collection[str], hint: str | None = None) -> str:
        """Return what the name of the file ends in; refuse an ending that promises what is not offered.

        A name without such an ending gets what the verb writes by itself: "".
        """
        if not self.to_file:
            return ""
        suffix = PurePath(str(self.path)).suffix.lower()
        if suffix not in _FORMATS:
            return ""
        if suffix in offered:
            return suffix
        raise InputError(
            f"`--output {self.path}` must end in {_listed(offered)}, got {suffix}."
            + (f" Hint: {hint}" if hint else "")
        )

    def told(self, *, tables: bool = False) -> "Output":
        """Return the same for an answer in words or JSON: a name that ends in .json asks for JSON.

        With `tables` the names of tables are offered, too; see `as_table`.
        """
        words = (".txt", ".json", *TABLE_FORMATS) if tables else (".txt", ".md", ".json")
        suffix = self.format((".json",) if self.as_json else words)
        return replace(self, as_json=True) if suffix == ".json" else self

    @property
    def as_table(self) -> bool:
        """Whether the name of the file asks for tables; for verbs that offer them."""
        return self.to_file and not self.as_json and PurePath(str(self.path)).suffix.lower() in TABLE_FORMATS


def _listed(offered: Collection[str]) -> str:
    *most, last = offered
    return f"{', '.join(most)} or {last}" if most else last
