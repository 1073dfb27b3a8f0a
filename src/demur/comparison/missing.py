"""Cases that are not all alike: missing labels and scores, scores that move with time, copies of rows.

Of missing ones: whether cases with and without them differ, and what follows. Copies are rows with the same
class and the same scores of all models, where neither rounding nor a model with few levels explains that:

- rounded scores are as often one step apart as twice the same, so that steps tell how many ties to expect;
- cases of different classes share a level of a model, copies never differ in their class.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from demur._checks import check_choice, check_same_length, check_times, check_weights, input_error
from demur.auc.one import auc_interval
from demur.comparison.case_table import CaseTable, class_columns
from demur.comparison.problem import DecisionProblem
from demur.costs.case_costs import CaseCosts
from demur.counts.scores import ScoreCounts
from demur.exceptions import InputError, UndefinedError
from demur.paired.counts import JointCounts
from demur.typing import BoolArray, FloatArray, IntArray
from demur.windows.class_rule import second_class_scores

__all__ = [
    "MISSING_LABELS",
    "Unlabelled",
    "Unscored",
    "copied_rows",
    "known_cases",
    "labels_missing",
    "moved_scores",
    "rows_of",
    "score_difference",
    "set_aside",
    "unscored",
]


MISSING_LABELS = ("refuse", "drop", "bounds")
_LEVEL = 0.99
"""Scores differ where the interval of this level for the AUC of being labelled leaves out 1/2."""

_MOST_COPIES = 6  # rows per distinct case, on average: more of them are the levels of a model
_ONE_CLASS = 20  # vectors of one class for each one of several
_FEWEST = 5
_ONE_STEP = 1.5


class Unlabelled(NamedTuple):
    """Cases without a label: inputs by model, weights and amounts if given, and the sentence that says so.

    `kept` tells which cases have a label, `differ` how scores of the others differ from theirs, if they do.
    """

    kept: BoolArray
    scores: Mapping[str, FloatArray]
    weight: FloatArray | None
    costs: CaseCosts | None
    differ: str | None
    bounds: bool
    note: str

    def beside(self, table: CaseTable, problem: DecisionProblem) -> CaseTable:
        """Return the table of the labelled cases with what is known of the others."""
        notes = (*table.notes, self.note)
        if not self.bounds:
            return replace(table.unproven() if self.differ else table, notes=notes)
        first = next(iter(table.cases.values()))
        if problem.budget is not None:
            raise InputError(
                "`missing_labels` must not be 'bounds' beside a budget: which cases get a place is open. "
                "Hint: drop the cases without a label."
            )
        if problem.cost_unknown is not None:
            raise InputError(
                "`missing_labels` must not be 'bounds' beside cost_unknown: a missing label may be any "
                "or none. Hint: drop the cases without a label."
            )
        several = problem.include or problem.prices
        if problem.shares is not None or first.cluster is not None or first.shuffled or several:
            raise InputError(
                "`missing_labels` must not be 'bounds' beside a prevalence in use, groups, time, prices of "
                "models or rules of several. Hint: leave these out, or drop the cases without a label."
            )
        if problem.doubt is not None:
            hint = "Hint: leave doubt out, or drop the cases without a label."
            raise InputError(f"`missing_labels` must not be 'bounds' beside a doubt. {hint}")
        number = int((~self.kept).sum())
        weight, losses = np.ones(number) if self.weight is None else self.weight, None
        known = {}
        if self.costs is not None:
            known = self.costs.known_columns() if self.costs.known_at_decision else {}
            losses = np.stack([self.costs.losses(np.full(number, kind)).table for kind in (False, True)])
        inputs = {str(name): np.asarray(values, dtype=np.float64) for name, values in self.scores.items()}
        if any(values.ndim != 1 for values in inputs.values()):
            inputs = class_columns(inputs, first.n_classes)
            if not problem.many:
                inputs = {name: second_class_scores(values) for name, values in inputs.items()}
        judging = {name: partial(_with, judge, inputs[name]) for name, judge in table.judging.items()}
        # models keep sharing their cases: pairs are told by identity
        bounded = replace(first, unlabelled=weight, unlabelled_losses=losses, unlabelled_known=known)
        cases = dict.fromkeys(table.cases, bounded)
        return replace(table, cases=cases, judging=judging, notes=notes)


def rows_of(values: Any, kept: BoolArray) -> Any:
    """Return what belongs to some of the cases, of one column or of one per model."""
    if isinstance(values, Mapping):
        return {name: np.asarray(column)[kept] for name, column in values.items()}
    return None if values is None else np.asarray(values)[kept]


def _with(judge: Any, scores: FloatArray) -> Any:
    return judge()._replace(unlabelled=scores)


def labels_missing(y_true: Any) -> BoolArray:
    """Return which labels are missing: NaN, None or another value that is not itself."""
    values = np.asarray(y_true)
    if values.ndim != 1:
        raise input_error("y_true", "must be one-dimensional", f"shape {values.shape}")
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values))
    if values.dtype.kind != "O":
        return np.zeros(len(values), dtype=np.bool_)
    # pandas.NA says that it does not know whether it equals itself
    return np.array([one is None or str(one) in ("<NA>", "NaT", "nan") for one in values], dtype=np.bool_)


def known_cases(y_true: Any, unknown_label: Any, cost_unknown: Any) -> BoolArray:
    """Return which cases have a class that can be known.

    Raises `InputError` unless the label of the others and what deciding them costs are given together.
    """
    if (unknown_label is None) != (cost_unknown is None):
        missing, given = ("cost_unknown", "unknown_label")[:: 1 if cost_unknown is None else -1]
        raise InputError(f"`{missing}` is needed with {given}. Hint: costs are never assumed.")
    if isinstance(y_true, (JointCounts, ScoreCounts)):
        raise InputError(
            "`unknown_label` needs the cases themselves, got counts. Hint: pass labels and scores."
        )
    values = np.asarray(y_true, dtype=object)
    known = np.fromiter((one != unknown_label for one in values.ravel()), np.bool_, values.size)
    if not known.any():
        raise input_error("y_true", "must hold cases whose class can be known", f"only {unknown_label!r}")
    return known


def set_aside(
    y_true: Any, scores: Any, sample_weight: Any, missing_labels: Any, costs: Any = None
) -> Unlabelled | None:
    """Look at cases without a label; None if all have one.

    Raises `InputError` if their scores differ from those of the others, unless told what to do.
    """
    how = check_choice(missing_labels, "missing_labels", MISSING_LABELS)
    missing = labels_missing(y_true)
    if not missing.any():
        return None
    if missing.all():
        hint = "Hint: thresholds without labels are in demur.unlabelled."
        raise InputError(f"`y_true` has no label at all. {hint}")
    models = scores if isinstance(scores, Mapping) else {"model": scores}
    columns = {str(name): np.asarray(values, dtype=np.float64) for name, values in models.items()}
    for name, values in columns.items():
        check_same_length(**{"y_true": missing, f"scores of {name}": values})
    told = next(
        filter(None, (score_difference(name, values, missing) for name, values in columns.items())), None
    )
    number = f"{int(missing.sum()):,} of {len(missing):,} cases have no label"
    if told is not None and how == "refuse":
        raise InputError(
            f"`y_true`: {number}, and {told}: labels may exist only where something was done. Hint: "
            "missing_labels='bounds' for costs whatever these labels are, 'drop' if you know why they miss."
        )
    said = {
        "bounds": "costs are those at the labels that are worst for each rule; the range shows the best",
        "drop": f"they were left out although {told}, so nothing is guaranteed",
    }
    left_out = "they were left out; their scores do not differ from those of the others"
    note = said[how] if how == "bounds" or told is not None else left_out
    weight = None if sample_weight is None else check_weights(sample_weight)
    apart = {name: values[missing] for name, values in columns.items()}
    own = None if weight is None else weight[missing] * len(weight) / weight.sum()
    amounts = costs.take(missing) if isinstance(costs, CaseCosts) else None
    return Unlabelled(~missing, apart, own, amounts, told, how == "bounds", f"{number}: {note}.")


def score_difference(
    name: str, values: FloatArray, other: BoolArray, kinds: tuple[str, str] = ("with a label", "without")
) -> str | None:
    """Say how the scores of a model differ between cases of two kinds; None if they may not.

    `other` tells which cases are of the second kind.
    """
    column = _differing(values, other)
    if column is None:
        return None
    first, second = column[~other], column[other]
    how = f"a median of {np.median(first):.3g} {kinds[0]}, {np.median(second):.3g} {kinds[1]}"
    if second.max() < first.min():
        how = f"none below {first.min():.3g} {kinds[0]}"
    return f"scores of {name} differ ({how})"


def _differing(values: FloatArray, other: BoolArray) -> FloatArray | None:
    """Return the first column in which cases of two kinds differ; None without."""
    if other.all() or not other.any():
        return None
    for column in values.reshape(len(values), -1).T:
        try:
            low, high = auc_interval(~other, column, confidence_level=_LEVEL)
        except UndefinedError:
            continue
        if not low <= 0.5 <= high:
            return column
    return None


class Unscored(NamedTuple):
    """Cases that some model gave no score: those of each model, those of all, and what is to be said.

    `differ` tells whether cases without a score differ from the others in class or in another score.
    """

    scored: Mapping[str, BoolArray]
    common: BoolArray
    differ: bool
    notes: tuple[str, ...]


def unscored(y_true: Any, scores: Any) -> Unscored | None:
    """Look for cases without a score of some model; None if there are none."""
    models = scores if isinstance(scores, Mapping) else {"model": scores}
    columns = {str(name): np.asarray(values, dtype=np.float64) for name, values in models.items()}
    scored = {name: _complete(values) for name, values in columns.items()}
    if all(own.all() for own in scored.values()):
        return None
    check_same_length(y_true=np.asarray(y_true), **{f"scores of {name}": own for name, own in scored.items()})
    common = np.logical_and.reduce(list(scored.values()))
    labelled = ~labels_missing(y_true)
    if not (common & labelled).any():
        raise InputError("`scores` of all models exist for no case. Hint: compare fewer models.")
    classes = np.unique(np.asarray(y_true).astype(str), return_inverse=True)[1]
    looked_at = {"classes": np.eye(classes.max() + 1)[classes], **columns}
    notes, differ = [], False
    for name, own in scored.items():
        if own.all():
            continue
        known = {what: values[_complete(values)] for what, values in looked_at.items() if what != name}
        lacking = {what: ~own[_complete(values)] for what, values in looked_at.items()}
        unlike = [what for what, values in known.items() if _differing(values, lacking[what]) is not None]
        note = f"{int((~own & labelled).sum()):,} of {int(labelled.sum()):,} cases have no score of {name}."
        notes.append(
            f"{note} They differ from the others in {' and '.join(unlike)}: nothing is proven."
            if unlike
            else note
        )
        differ = differ or bool(unlike)
    if len(columns) > 1:
        both = int((common & labelled).sum())
        notes.append(f"Models are compared on the {both:,} cases that all of them scored.")
    return Unscored(scored, common, differ, tuple(notes))


def _complete(values: FloatArray) -> BoolArray:
    """Return which cases have all values of a model."""
    return ~np.asarray(np.isnan(values.reshape(len(values), -1)).any(axis=1))


# ---------------------------------------------------------------- time


def moved_scores(dates: Iterable[tuple[Any, BoolArray]], scores: Mapping[str, FloatArray]) -> str:
    """Say how scores of the later half differ from those of the earlier one; empty if they may not.

    Of every column of dates its values, and where they are missing.
    """
    for values, missing in dates:
        known = ~missing
        try:
            when = check_times(values[known], int(known.sum()))
        except InputError:  # not all of them are dates
            continue
        late = when > np.sort(when)[(len(when) - 1) // 2]
        for name, column in scores.items():
            words = score_difference(name, column[known], late, ("early", "late"))
            if words is not None:
                return words
    return ""


# ---------------------------------------------------------------- copies


def copied_rows(codes: BoolArray | IntArray, columns: Sequence[FloatArray]) -> int:
    """Count rows that repeat the class and all scores of an earlier one, if ties do not explain them."""
    rows, cell = np.arange(len(codes)), np.zeros(len(codes), dtype=np.int64)
    for column in columns:
        # only rows that are tied so far are looked at: of continuous scores few or none
        values, place = np.unique(column[rows], return_inverse=True)
        _, cell, size = np.unique(cell * len(values) + place, return_inverse=True, return_counts=True)
        rows, cell = rows[size[cell] > 1], cell[size[cell] > 1]
    _, first, cell, size = np.unique(cell, return_index=True, return_inverse=True, return_counts=True)
    several = np.zeros(len(size), dtype=np.bool_)
    several[cell[codes[rows] != codes[rows[first]][cell]]] = True
    one_class = np.count_nonzero(~several)
    distinct = len(codes) - len(rows) + len(size)
    if one_class <= _ONE_CLASS * np.count_nonzero(several) or _MOST_COPIES * distinct < len(codes):
        return 0
    return int((size - 1)[~several].sum()) if one_class >= _FEWEST + _ties_of_rounding(columns) else 0


def _ties_of_rounding(columns: Sequence[FloatArray]) -> int:
    """Bound the ties to expect of the column with most values: its values that are one step apart.

    A step is the smallest difference of all values, or of those of one power of 2, where digits are
    significant ones.
    """
    values = max((np.unique(column[np.isfinite(column)]) for column in columns), key=len)
    gaps, ties = np.diff(values), 0
    for part in (np.zeros(len(gaps), dtype=np.int64), np.frexp(values[:-1])[1]):
        names, code = np.unique(part, return_inverse=True)
        step = np.full(len(names), np.inf)
        np.minimum.at(step, code, gaps)
        # the smallest difference itself is no sign of steps
        ties = max(ties, int(np.count_nonzero(gaps <= _ONE_STEP * step[code])) - len(names))
    return ties
