"""Where the answer goes, and in which form."""

from dataclasses import dataclass
from typing import ClassVar

from demur.cli.options.flags import Flags, flag

__all__ = ["Output"]


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
