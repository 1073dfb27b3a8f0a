"""More than two classes."""

from dataclasses import dataclass
from typing import ClassVar

from demur.cli.options.flags import Flags, flag
from demur.exceptions import InputError

__all__ = ["Classes"]


@dataclass(frozen=True, kw_only=True)
class Classes(Flags):
    """Names of the classes and the file with their costs; both None for two classes."""

    TITLE: ClassVar[str] = "More than two classes"

    names: str | None = flag(
        "--classes", metavar="A,B,C", help="FILE has one column of probabilities per class, of these names."
    )
    cost_matrix: str | None = flag(
        "--cost-matrix",
        metavar="FILE",
        help="Their costs: CSV or TOML with named rows (true) and columns (answer).",
    )

    def __post_init__(self) -> None:
        """Refuse costs of classes that have no names."""
        if self.cost_matrix is not None and self.names is None:
            raise InputError("`--classes` is needed beside --cost-matrix. Hint: --classes a,b,c.")
