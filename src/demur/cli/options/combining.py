"""Rules that look at more than one number per case: several models, or a score and a doubt."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import click

from demur.cli.options import rules
from demur.cli.options.flags import Flags, flag
from demur.exceptions import InputError

__all__ = ["Combining", "Guarding"]


@dataclass(frozen=True, kw_only=True)
class Combining(Flags):
    """Which ways to combine, and what asking each model costs."""

    TITLE: ClassVar[str] = "Combinations"

    ways: tuple[str, ...] = flag(
        "--way",
        default=(),
        multiple=True,
        type=click.Choice(["average", "vote", "variance", "chain"]),
        help="Way to combine; repeatable. average: thresholds on the mean. vote: every model votes by its "
        "own thresholds and may abstain. variance: thresholds on the mean, abstain where the models "
        "disagree. chain: what a model abstains on goes to the next one. Default: all four.",
    )
    fees: tuple[str, ...] = flag(
        "--fee",
        default=(),
        metavar="MODEL=X",
        multiple=True,
        help="Cost of asking a model for one case, such as --fee scan=0.5; repeatable. A chain pays only "
        "for the models a case reaches, in the order of --model or of the columns. Default: 0.",
    )

    def stage_costs(self, names: Sequence[str]) -> list[float]:
        """Return the fee of every model, in order."""
        from demur._checks import check_nonnegative

        fees = dict.fromkeys(names, 0.0)
        for text in self.fees:
            # a column may have = in its name, a number has none
            name, sign, amount = text.rpartition("=")
            try:
                fee = float(amount)
            except ValueError:
                fee = None
            if not sign or fee is None:
                raise InputError(f"`--fee` must read MODEL=NUMBER, got {text!r}. Hint: --fee {names[0]}=0.5.")
            if name not in fees:
                raise InputError(
                    f"`--fee` names {name!r}, which is no model. Hint: they are {', '.join(names)}."
                )
            fees[name] = float(check_nonnegative(fee, "--fee"))
        return list(fees.values())


@dataclass(frozen=True, kw_only=True)
class Guarding(Flags):
    """Which column says how unfamiliar a case is, and the most that is tolerated."""

    TITLE: ClassVar[str] = "Guard"

    doubt: str | None = flag(
        "--doubt",
        metavar="COLUMN",
        help="Column that says how unlike the training data a case is, higher = less familiar: a distance to "
        "the training cases, minus a log density, the disagreement of several models.",
    )
    max_doubt: float | None = flag(
        "--max-doubt",
        metavar="X",
        type=float,
        callback=rules.finite,
        help="Abstain above this doubt. Default: the limit that costs least; if no case of FILE is unlike "
        "the training data, none does.",
    )

    def __post_init__(self) -> None:
        """Refuse a call without a doubt."""
        if self.doubt is None:
            raise InputError(
                "`--doubt COLUMN` is needed. Hint: a column that says how unlike the training data a case "
                "is, higher = less familiar."
            )
