"""More than two classes."""

from dataclasses import dataclass
from typing import ClassVar

from demur.cli.options import rules
from demur.cli.options.flags import Flags, flag
from demur.exceptions import InputError

__all__ = ["Classes"]


@dataclass(frozen=True, kw_only=True)
class Classes(Flags):
    """Names of the classes and what their confusions cost; all empty for two classes."""

    TITLE: ClassVar[str] = "More than two classes"

    names: str | None = flag(
        "--classes",
        metavar="A,B,C",
        help="FILE has one column of probabilities per class: of these names, or for several models of "
        "names like new_A, new_B, new_C. --model new takes the columns with that prefix, "
        "--model new=col1,col2,col3 any columns.",
    )
    cost_matrix: str | None = flag(
        "--cost-matrix",
        metavar="FILE",
        help="Their costs: CSV or TOML with named rows (true) and columns (answer); a cost may be a range "
        "4:8, and a column abstain gives the price of abstaining by class.",
    )
    ordered: bool = flag(
        "--ordered",
        default=False,
        is_flag=True,
        help="Instead of a cost matrix: the classes are listed in order, a mistake costs --step-cost for "
        "every step between the true class and the answer.",
    )
    step_cost: float | None = flag(
        "--step-cost", metavar="X", type=float, callback=rules.not_negative, help="Beside --ordered."
    )

    def __post_init__(self) -> None:
        """Refuse costs of classes that have no names, and two kinds of costs."""
        for name in self.given():
            if name != "--classes" and self.names is None:
                raise InputError(f"`--classes` is needed with {name}. Hint: --classes a,b,c.")
        if self.ordered and self.cost_matrix is not None:
            raise InputError("`--ordered` and --cost-matrix are two kinds of costs. Hint: give one of them.")
        if self.step_cost is not None and not self.ordered:
            raise InputError("`--step-cost` is for classes in order. Hint: add --ordered.")

    def listed(self) -> list[str]:
        """Return the names of the classes."""
        names = [name.strip() for name in str(self.names).split(",")]
        if len(names) < 2 or len(set(names)) < len(names) or not all(names):
            raise InputError(
                f"`--classes` must list at least two different classes, got {self.names!r}. "
                "Hint: --classes a,b,c."
            )
        return names
