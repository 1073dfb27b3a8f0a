"""What a page may tell about single cases."""

from dataclasses import dataclass
from typing import ClassVar

import click

from demur.cli.options.flags import Flags, flag

__all__ = ["Privacy"]


@dataclass(frozen=True, kw_only=True)
class Privacy(Flags):
    """The smallest number of cases that anything shown stands for."""

    TITLE: ClassVar[str] = "Privacy"

    smallest: int | None = flag(
        "--private",
        type=click.IntRange(min=2),
        metavar="N",
        help="Join neighbouring scores until every cell of the page, a range of scores and a class, holds "
        "at least N cases or none, and round the ends. Scores and classes of single cases and tests of "
        "differences are left out.",
    )
