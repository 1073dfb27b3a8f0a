"""The answer of `demur decide`, for all cases or group by group: policies, words, a document."""

from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any

from demur.cli.answers.asking import Asked
from demur.cli.answers.parts import compare_part, file_labels, is_whole, part_remarks, why_left_out
from demur.cli.options import Output
from demur.cli.output import document, group_file, heading, percent, remark, wrapped, write, write_file
from demur.cli.reading.class_columns import ClassRows
from demur.cli.reading.evidence import Evidence
from demur.comparison.answer import Answer
from demur.comparison.classes.answer import ClassAnswer
from demur.comparison.classes.comparison import ClassComparison
from demur.comparison.comparison import Comparison
from demur.comparison.words import short_name
from demur.exceptions import InputError
from demur.windows.class_policy import ClassPolicy
from demur.windows.policy import Policy

__all__ = ["NO_POLICY", "Decided", "decide_parts", "write_decided"]

Read = Evidence | ClassRows
"""What a decision was made from."""

NO_POLICY = 3
"""Exit code where the answer is a rule without a model, so that no policy is written."""

_REFUSED = (
    "No policy is written: a rule without a model needs none. Hint: --anyway writes the best model's rule."
)
_ONE_BY_ONE = (
    "Each policy is for its own group, and `demur apply` takes one policy for all rows: split the file by "
    "the column {}, and apply to each part the policy of its group."
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Decided:
    """The comparison, the answer a policy is made of, and the policy; None for a rule without a model."""

    comparison: Comparison | ClassComparison
    answer: Answer | ClassAnswer
    policy: Policy | ClassPolicy | None

    def words(self, output: str | None) -> list[str]:
        """Return, paragraph by paragraph, the decision, what it rests on and what to do next."""
        comparison = self.comparison
        lines = [self.answer.words, self.answer.condition]
        chosen = comparison.answer
        if chosen is not None and chosen is not self.answer:
            lines.insert(0, f"Written although something else is cheaper: {chosen.words}")
        if len(comparison.models) > 1:
            lines.append(f"Chosen among {', '.join(map(short_name, sorted(comparison.models)))}.")
        if isinstance(comparison, Comparison):
            lines += [
                f"Left out: {short_name(model.name)}. {model.left_out}"
                for model in comparison.models.values()
                if model.left_out
            ]
            lines += part_remarks(comparison)
        else:
            lines += comparison.notes
        if self.policy is None:
            lines.append(_REFUSED)
        else:
            lines.append(_labels_told(self.policy))
            if output not in (None, "-"):
                lines.append(f"Written to {output}. Next: demur apply {quote(str(output))} FILE")
        return [line for line in lines if line]

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as built-in types."""
        comparison = self.comparison.to_dict()
        return {
            "decision": self.answer.words,
            "model": self.answer.model,
            "limits": comparison["limits"],
            "comparison": comparison,
            "policy": None if self.policy is None else self.policy.to_dict(),
        }


def _labels_told(policy: Policy | ClassPolicy) -> str:
    if isinstance(policy, ClassPolicy):
        never = "" if policy.rule.abstains else "; this rule never abstains"
        return f"Labels: the classes, abstain = {policy.abstain_label}{never}."
    return (
        f"Labels: positive = {policy.pos_label}, negative = {policy.neg_label}, "
        f"abstain = {policy.abstain_label}; {percent(policy.prevalence)} positive assumed."
    )


def decide_parts(
    evidence: Evidence, asked: Asked, *, abstain_label: str | None, anyway: bool
) -> dict[str, Decided | str]:
    """Decide for every part; a group that has no answer gives the reason instead."""
    labels, label = _labels(evidence, abstain_label)

    def decided(name: str) -> Decided:
        comparison = compare_part(evidence, evidence.parts[name], asked, labels)
        answer = comparison.answer
        assert answer is not None
        if answer.is_trivial and anyway:
            answer = comparison.best_model()
        policy = None
        if not answer.is_trivial:
            policy = Policy.from_answer(answer, abstain_label=label)
        return Decided(comparison=comparison, answer=answer, policy=policy)

    if evidence.group is None:
        return {"": decided("")}
    parts: dict[str, Decided | str] = {}
    for name in evidence.parts:
        try:
            parts[name] = decided(name)
        except InputError as error:
            parts[name] = why_left_out(evidence.parts[name], error)
    return parts


def _labels(evidence: Evidence, given: str | None) -> tuple[tuple[Any, Any], Any]:
    """Return the labels (negative, positive) and that of an abstention, None to pick one.

    All are whole numbers, or all are text: a file has one kind in a column.
    """
    names = evidence.negative, evidence.positive
    if given is None:
        return file_labels(evidence), None
    if given in names:
        raise InputError(
            f"`--abstain-label` must not be one of the classes {names[1]} and {names[0]}, got {given}."
        )
    return (file_labels(evidence), int(given)) if all(map(is_whole, (*names, given))) else (names, given)


# ---------------------------------------------------------------- output


def _document(evidence: Read, parts: dict[str, Decided | str]) -> str:
    """Return the JSON document."""
    answers = {
        name: {"left_out": part} if isinstance(part, str) else part.to_dict() for name, part in parts.items()
    }
    return document("decide", evidence.answered(answers), version=2)


def write_decided(evidence: Read, parts: dict[str, Decided | str], output: Output) -> int:
    """Write the policies and say what they are, or print the whole document; return the exit code."""
    silent = output.as_json
    if evidence.group is not None:
        _write_groups(evidence, parts, output=output.path, silent=silent)
    else:
        (only,) = parts.values()
        assert isinstance(only, Decided)
        _write_one(evidence, only, output=output.path, quiet=output.quiet, silent=silent)
    if output.as_json:
        write(_document(evidence, parts), None)
    refused = any(isinstance(part, Decided) and part.policy is None for part in parts.values())
    return NO_POLICY if refused else 0


def _write_one(evidence: Read, only: Decided, *, output: str | None, quiet: bool, silent: bool) -> None:
    lines = [*only.words(output), *evidence.bins_in_words()]
    if output not in (None, "-"):
        if only.policy is not None:
            write_file(Path(str(output)), only.policy.to_json() + "\n")
        if not silent:
            write("\n".join(map(wrapped, lines)), None)
    elif not silent:
        for line in lines:
            remark(line, quiet=quiet)
        if only.policy is not None:
            write(only.policy.to_json(), None)


def _write_groups(
    evidence: Read, parts: dict[str, Decided | str], *, output: str | None, silent: bool
) -> None:
    """Write a policy per group; without -o only the words."""
    files = {name: None if output is None else group_file(output, name) for name in parts}
    blocks = []
    for name, part in parts.items():
        file = files[name]
        if isinstance(part, Decided) and file is not None and part.policy is not None:
            write_file(Path(file), part.policy.to_json() + "\n")
        lines = [part] if isinstance(part, str) else part.words(file)
        blocks.append("\n".join([heading(evidence.title(name), output=None), *map(wrapped, lines)]))
    blocks += map(wrapped, evidence.bins_in_words())
    if output is None:
        blocks.append(wrapped("For a policy per group add -o 'policy-{group}.json'."))
    elif any(isinstance(part, Decided) and part.policy is not None for part in parts.values()):
        blocks.append(wrapped(_ONE_BY_ONE.format(evidence.group)))
    if not silent:
        write("\n\n".join(blocks), None)
