"""How sure the answer has to be, and the seed of its folds."""

from dataclasses import dataclass
from typing import ClassVar

import click

from demur.cli.options import rules
from demur.cli.options.flags import Flags, flag

__all__ = ["Certainty"]


@dataclass(frozen=True, kw_only=True)
class Certainty(Flags):
    """Level of the intervals and seed of the folds."""

    TITLE: ClassVar[str] = "Certainty"

    confidence: float = flag(
        "--confidence",
        default=0.95,
        type=float,
        metavar="X",
        callback=rules.confidence,
        show_default=True,
        help="Level of all intervals.",
    )
    seed: int = flag(
        "--seed",
        default=0,
        type=click.IntRange(min=0),
        metavar="N",
        show_default=True,
        help="For the folds of the honest costs: the same seed gives the same numbers.",
    )
