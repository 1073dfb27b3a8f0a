"""The comparison of one part of the cases: all of them, or a group."""

from typing import Any

from demur.cli.answers.asking import Asked
from demur.cli.reading.evidence import Evidence, Part
from demur.comparison.case_table import CaseTable, Columns
from demur.comparison.comparison import Comparison, compared
from demur.comparison.remarks import classes_in_words, model_remarks, no_answer
from demur.exceptions import InputError
from demur.honest.splits import FEWEST_CASES

__all__ = ["compare_part", "file_labels", "is_whole", "part_remarks", "why_left_out"]


def compare_part(
    evidence: Evidence, part: Part, asked: Asked, labels: tuple[Any, Any] | None = None
) -> Comparison:
    """Compare the models on the cases of one part; from their counts where there are no rows."""
    names = classes_in_words(evidence.negative, evidence.positive)
    labels = file_labels(evidence) if labels is None else labels
    rows, question = part.rows, asked.question
    if part.summed is not None:
        table = CaseTable.of_sums(part.summed, question, labels=labels)
    elif part.joint is not None:
        table = CaseTable.of_joint(part.joint, question, labels=labels)
    elif rows is None:
        table = CaseTable.of_counts(part.counts, question, labels=labels)
    else:
        question = asked.on(rows)
        # rows that an engine counted stand for so many cases each
        meaning = asked.weights if part.counted is None else "repeats"
        columns = Columns(rows.truth, rows.scores, rows.weights, labels)
        table = CaseTable.of_columns(columns, question, weights=meaning)
    return compared(table, question, class_names=names)


def part_remarks(comparison: Comparison) -> list[str]:
    """Say what a reader of the numbers should know, in the words of the report."""
    models = list(comparison.models.values())
    return [*comparison.notes, *model_remarks(models)]


def why_left_out(part: Part, error: InputError) -> str:
    """Say why a group has no answer, in the words of the report."""
    counts = next(iter(part.counts.values()))
    if min(counts.n_positive, counts.n_negative) < FEWEST_CASES:
        return f"{no_answer(counts.n_positive, counts.n_negative)} Honest costs are left out: {error}"
    return f"Left out: {error}"


def file_labels(evidence: Evidence) -> tuple[Any, Any]:
    """Return the labels (negative, positive) as numbers if both are whole numbers, else as text."""
    pair = evidence.negative, evidence.positive
    if all(map(is_whole, pair)):
        return int(pair[0]), int(pair[1])
    return pair


def is_whole(text: str) -> bool:
    """Whether a text is a whole number as Python writes it, so that it comes back the same."""
    return text.removeprefix("-").isdecimal() and text == str(int(text))
