"""Rules of several models: which to choose among, what asking a model costs, and how unfamiliar a case is."""

from dataclasses import dataclass
from typing import Any, ClassVar

from demur.cli.options.flags import Flags, flag
from demur.exceptions import InputError

__all__ = ["Several"]


@dataclass(frozen=True, kw_only=True)
class Several(Flags):
    """Whether models are combined, their prices, and the column of the doubt."""

    TITLE: ClassVar[str] = "Several models"
    COMMON: ClassVar[tuple[str, ...] | None] = ("combine",)

    combine: bool = flag(
        "--combine",
        default=False,
        is_flag=True,
        help="Choose also among rules of several models: averages, votes, disagreement, and cascades that "
        "pass cases on to a more expensive model; with --doubt also among guards.",
    )
    fees: tuple[str, ...] = flag(
        "--price",
        default=(),
        metavar="MODEL=X",
        multiple=True,
        help="Cost of asking a model for one case, such as --price scan=0.5; repeatable. Costs include it.",
    )
    doubt: str | None = flag(
        "--doubt",
        metavar="COLUMN",
        help="Beside --combine: column that says how unlike the training data a case is, higher = less "
        "familiar; a guard abstains where it is too large.",
    )

    NEEDS = (("--doubt", "--combine", "`--doubt` is for guards. Hint: add --combine."),)

    def asked(self) -> dict[str, Any]:
        """Return the arguments of `compare_models` and its like, the doubt by its name."""
        from demur._checks import check_nonnegative
        from demur._files.values import is_number

        prices = {}
        for text in self.fees:
            # a column may have = in its name, a number has none
            name, sign, amount = text.rpartition("=")
            if not sign or not is_number(amount):
                raise InputError(f"`--price` must read MODEL=NUMBER, got {text!r}. Hint: --price scan=0.5.")
            prices[name] = float(check_nonnegative(float(amount), "--price"))
        guards = ("guards",) if self.doubt is not None else ()
        include = ("combinations", "cascades", *guards) if self.combine else ()
        return {"include": include, "prices": prices, "doubt": self.doubt}
