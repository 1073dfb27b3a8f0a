"""The flags of verbs that put a policy to use: on which rows, labelled or not, and what is written."""

import os
from dataclasses import dataclass
from typing import ClassVar

from demur.cli.options.flags import Flags, argument, flag
from demur.exceptions import InputError

__all__ = ["Auditing", "Decisions", "Watching"]


@dataclass(frozen=True, kw_only=True)
class Decisions(Flags):
    """Which policy decides on which rows, and how the decisions are written."""

    TITLE: ClassVar[str] = "Decisions"

    policy: str = argument(metavar="POLICY")
    file: str = argument()
    model: str | None = flag(
        "--model", metavar="COLUMN", help="Column with the scores [default: the policy's model]."
    )
    column: str = flag(
        "--column", default="decision", metavar="NAME", show_default=True, help="Name of the new column."
    )
    only: bool = flag(
        "--only", default=False, is_flag=True, help="Write the decisions alone, without the input's columns."
    )
    strict: bool = flag(
        "--strict",
        default=False,
        is_flag=True,
        help="Fail on the first row without a score, or on scores of another scale, and write nothing.",
    )
    audit: float | None = flag(
        "--audit",
        metavar="SHARE",
        type=float,
        help="Ask for the true class of this random share of the decided rows: 1 in a column audit, and "
        "the probability of a label in audit_probability.",
    )
    audit_seed: str | None = flag(
        "--audit-seed", metavar="TEXT", help="Another seed draws other rows; the same one the same rows."
    )
    audit_key: str | None = flag(
        "--audit-key",
        metavar="COLUMN",
        help="Column that names a case, which is then drawn or not in every file [default: the whole row "
        "and its place].",
    )

    def __post_init__(self) -> None:
        """Refuse flags that need others."""
        for name, value in (("--audit-seed", self.audit_seed), ("--audit-key", self.audit_key)):
            if self.audit is None and value is not None:
                raise InputError(f"`{name}` is for audits. Hint: add --audit SHARE.")
        if self.audit is not None and self.only:
            raise InputError(
                "`--audit` needs the columns of the rows: nobody can label a decision alone. "
                "Hint: leave --only out."
            )
        if self.audit is not None and self.column in ("audit", "audit_probability"):
            raise InputError(f"`--column {self.column}` must differ from the columns of --audit.")


@dataclass(frozen=True, kw_only=True)
class Auditing(Flags):
    """Which policy is audited on which cases."""

    TITLE: ClassVar[str] = "Cases"

    policy: str = argument(metavar="POLICY")
    file: str = argument()
    label: str | None = flag("--label", metavar="COLUMN", help="Column with the true class.")
    model: str | None = flag(
        "--model",
        metavar="COLUMN",
        help="Column with the scores, or prefix of one column per class [default: the policy's own].",
    )
    weight: str | None = flag(
        "--weight",
        metavar="COLUMN",
        help="Column with 1 / probability of being labelled, where labels are missing "
        "[default: one over audit_probability, if there is such a column].",
    )
    group: str | None = flag("--group", metavar="COLUMN", help="Also audit every group of cases.")
    confidence_level: float = flag(
        "--confidence",
        default=0.95,
        type=float,
        metavar="LEVEL",
        show_default=True,
        help="Level of the intervals and of the verdict.",
    )

    def __post_init__(self) -> None:
        """Refuse a call without labels."""
        if self.label is None:
            raise InputError("`--label COLUMN` is needed. Hint: name the column with the true class.")


@dataclass(frozen=True, kw_only=True)
class Watching(Flags):
    """Which policy is watched on which batches, and where it is remembered."""

    TITLE: ClassVar[str] = "Batches"

    policy: str = argument(metavar="POLICY")
    files: tuple[str, ...] = argument(metavar="FILES...", nargs=-1)
    state: str | None = flag("--state", metavar="PATH", help="What was seen so far; made at the first call.")
    model: str | None = flag(
        "--model",
        metavar="COLUMN",
        help="Column with the scores, or prefix of one column per class [default: the policy's own].",
    )
    label: str | None = flag(
        "--label", metavar="COLUMN", help="Column with the true class; may be empty for some rows."
    )
    weight: str | None = flag(
        "--weight",
        metavar="COLUMN",
        help="Column with 1 / probability of being labelled, where labels are missing "
        "[default: one over audit_probability, if there is such a column].",
    )
    late: bool = flag(
        "--late",
        default=False,
        is_flag=True,
        help="The files bring labels of cases that were watched before: count the labels only.",
    )
    second_label: str | None = flag(
        "--second-label", metavar="COLUMN", help="Column with what a second person said: do both agree?"
    )
    at: str | None = flag("--at", metavar="DATE", help="When the cases came, such as 2026-03-01.")
    date: str | None = flag(
        "--date-column", metavar="COLUMN", help="Column with dates: every day of a file is a batch."
    )
    alpha: float | None = flag(
        "--alpha", metavar="SHARE", type=float, help="Chance of a false alarm, ever [default: 0.05]."
    )
    propose: str | None = flag(
        "--propose",
        metavar="PATH",
        help="Where the policy for the new share of positives goes, on an alarm which that share explains "
        "[default: beside the state].",
    )
    html: str | None = flag("--html", metavar="PATH", help="Also write a page that anybody can open.")

    def __post_init__(self) -> None:
        """Refuse flags that need others."""
        if not self.files:
            raise InputError(
                "At least one file of scores is needed. Hint: demur watch policy.json today.csv."
            )
        if self.state is None:
            raise InputError("`--state PATH` is needed: what was seen so far. Hint: --state watch.json.")
        for name in ("--late", "--weight", "--second-label"):
            if name in self.given() and self.label is None:
                raise InputError(f"`{name}` is for labels. Hint: add --label COLUMN.")
        if self.at is not None and self.date is not None:
            raise InputError("`--at` and `--date-column` say the same. Hint: pass one of them.")
        # outputs must not overwrite each other or an input
        written = {"--state": self.state, "--propose": self.propose, "--html": self.html}
        places = {name: os.path.realpath(path) for name, path in written.items() if path is not None}
        read = {os.path.realpath(path) for path in (self.policy, *self.files)}
        for name, place in places.items():
            if (name != "--state" and place in read) or list(places.values()).count(place) > 1:
                raise InputError(f"`{name} {written[name]}` must be a file of its own. Hint: choose another.")
