"""A document for those who sign."""

from dataclasses import dataclass
from pathlib import PurePath
from typing import ClassVar

from demur.cli.options.flags import Flags, flag
from demur.exceptions import InputError

__all__ = ["Signing"]


@dataclass(frozen=True, kw_only=True)
class Signing(Flags):
    """Where the dossier goes; nowhere unless a file is named."""

    TITLE: ClassVar[str] = "Dossier"

    dossier: str | None = flag(
        "--dossier",
        metavar="PATH",
        help="Also write a dossier, .md or .docx: purpose, data, costs and their source, rule, evidence, "
        "the costs at which it stays best, groups, limits, how to watch it, lines to sign.",
    )

    def __post_init__(self) -> None:
        """Refuse other formats before anything is read."""
        if self.dossier is not None and PurePath(self.dossier).suffix.lower() not in (".md", ".docx"):
            raise InputError(f"`--dossier {self.dossier}` must end in .md or .docx.")
