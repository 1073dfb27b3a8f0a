"""`CaseTable`: cases with a score per model, and their splits, from arrays, counts, joint counts or sums."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from demur._checks import check_labels, check_same_length, check_scores, check_weights
from demur._results import frozen
from demur.auc.tables import ModelTables
from demur.comparison.question import Question
from demur.comparison.threads import workers
from demur.costs.case_costs import CaseCosts
from demur.counts.bins import BinnedCounts
from demur.counts.folded_costs import FoldedCosts
from demur.counts.scores import ScoreCounts
from demur.exceptions import InputError
from demur.honest.cases import JudgedModel, SplitCases, judged_model
from demur.honest.splits import Rows, Splits
from demur.paired.joint import JointCounts
from demur.paired.scores import JointScores
from demur.typing import BoolArray, FloatArray

__all__ = ["CaseTable", "Columns", "check_columns"]

# below this a fold drawn by chance may leave the others without a case of the class
_FEWEST_SUMMED = 50


class Columns(NamedTuple):
    """Checked rows: classes, scores by model, weights if given, and the labels (negative, positive)."""

    positive: BoolArray
    scores: Mapping[str, FloatArray]
    weight: FloatArray | None
    labels: tuple[Any, Any]


def check_columns(y_true: Any, scores: Any, *, pos_label: Any, sample_weight: Any) -> Columns:
    """Return labels, scores and weights as columns of one length."""
    if isinstance(y_true, ScoreCounts):
        hint = "Hint: of several models `demur.engines.read_joint_counts` keeps what belongs together."
        raise InputError(f"`y_true` must hold one label per case, got a ScoreCounts. {hint}")
    if scores is None:
        raise InputError("`scores` are missing. Hint: pass y_true and scores, or one JointCounts.")
    if not isinstance(scores, Mapping):
        scores = {"model": scores}
    if not scores:
        raise InputError("`scores` must hold at least one model, got none.")
    positive, weight = check_labels(y_true, pos_label), check_weights(sample_weight)
    columns = {str(name): check_scores(column, f"scores of {name}") for name, column in scores.items()}
    for name, column in columns.items():
        check_same_length(**{"y_true": positive, f"scores of {name}": column, "sample_weight": weight})
    return Columns(positive, columns, weight, _labels(y_true, positive))


@dataclass(frozen=True, kw_only=True, eq=False)
class CaseTable:
    """Cases of a comparison, split and ready to be judged model by model.

    Attributes
    ----------
    cases : mapping
        Model -> its cases and their splits: the same for all models, or each its own where what belongs
        together is not known.
    judging : mapping
        Model -> function that judges it.
    labels : (negative, positive)
        As the user wrote them.
    tables : ModelTables or None
        Ranks of the cases of all models, for areas compared in pairs.
    notes : tuple of str
        What a reader should know about the cases.
    """

    cases: Mapping[str, SplitCases]
    judging: Mapping[str, Callable[[], JudgedModel]]
    labels: tuple[Any, Any] = (0, 1)
    tables: ModelTables | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def of_arrays(
        cls, y_true: Any, scores: Any, question: Question, *, pos_label: Any, sample_weight: Any, weights: str
    ) -> "CaseTable":
        """Check labels, scores and weights, and split them."""
        columns = check_columns(y_true, scores, pos_label=pos_label, sample_weight=sample_weight)
        return cls.of_columns(columns, question, weights=weights)

    @classmethod
    def of_columns(cls, given: Columns, question: Question, *, weights: str) -> "CaseTable":
        """Split checked rows; those of weight 0 are dropped."""
        positive, scores, sample_weight, labels = given
        losses = question.costs.losses(positive).table if isinstance(question.costs, CaseCosts) else None
        if sample_weight is not None and not sample_weight.all():
            kept = sample_weight > 0
            positive, sample_weight = positive[kept], sample_weight[kept]
            scores = {name: column[kept] for name, column in scores.items()}
            losses = None if losses is None else losses[kept]
        # results refer to these rows: the caller may change what is passed, but not what was compared
        positive, columns = frozen(positive), [frozen(column) for column in scores.values()]
        joint = JointScores(positive, columns, None) if sample_weight is None else None
        with workers(len(positive)) as pool:
            if joint is not None:  # single cases are put in order while they are dealt to the folds
                pool.map(joint.orders, range(len(columns)))
            weight = frozen(sample_weight)
            cases = SplitCases.of_rows(positive, weight, weights=weights, **_splitting(question))
        cases = replace(cases, losses=losses)
        if question.objective == "guaranteed" and cases.weights == "importance":
            raise InputError(
                "`objective` must not be 'guaranteed' with importance weights, which no bound holds for. "
                "Hint: weights='repeats' if a weight of 2 is a case seen twice."
            )
        judging = {
            name: partial(_judged, cases, joint, place, column)
            for place, (name, column) in enumerate(zip(scores, columns, strict=True))
        }
        tables = ModelTables(
            joint or JointScores(positive, columns, cases.sizes), cases.weights or "importance"
        )
        return cls(cases=dict.fromkeys(judging, cases), judging=judging, labels=labels, tables=tables)

    @classmethod
    def of_joint(
        cls, joint: JointCounts, question: Question, *, labels: tuple[Any, Any] = (0, 1)
    ) -> "CaseTable":
        """Deal out the cases of every cell to the folds: positives first, as splits of rows have them."""
        if question.by_case:
            raise InputError(
                "`costs` by case need the cases themselves, got counts. Hint: pass labels and scores."
            )
        cell = np.concatenate([np.flatnonzero(joint.positives > 0), np.flatnonzero(joint.negatives > 0)])
        positive = np.arange(len(cell)) < np.count_nonzero(joint.positives > 0)
        sizes = np.where(positive, joint.positives[cell], joint.negatives[cell])
        cases = replace(
            SplitCases.of_rows(positive, sizes, weights="repeats", **_splitting(question)), source="counts"
        )
        scores = {name: joint.lower[name][cell] for name in joint.models}
        judging = {name: partial(cases.judge, column, joint.binned(name)) for name, column in scores.items()}
        tables = ModelTables(JointScores(positive, list(scores.values()), sizes), "repeats")
        return cls(
            cases=dict.fromkeys(judging, cases),
            judging=judging,
            labels=labels,
            tables=tables,
            notes=() if joint.exact else (_bins_note(joint, question),),
        )

    @classmethod
    def of_counts(
        cls, counts: Mapping[str, ScoreCounts], question: Question, *, labels: tuple[Any, Any] = (0, 1)
    ) -> "CaseTable":
        """Split the counts of each model apart: nothing is paired."""
        if question.by_case:
            raise InputError(
                "`costs` by case need the cases themselves, got counts. Hint: pass labels and scores; "
                "ScoreCosts.window gives the cheapest window of sums, with hindsight."
            )
        settings = {"pos_label": None, "sample_weight": None, "weights": "repeats", **_splitting(question)}
        split = {name: judged_model(one, None, **settings) for name, one in counts.items()}
        return cls._apart(split, labels)

    @classmethod
    def of_sums(
        cls, sums: Mapping[str, FoldedCosts], question: Question, *, labels: tuple[Any, Any] = (0, 1)
    ) -> "CaseTable":
        """Take sums of costs per score, class and fold of each model: nothing is paired."""
        return cls._apart({name: _split_sums(one, question) for name, one in sums.items()}, labels)

    @classmethod
    def _apart(
        cls, split: Mapping[str, tuple[SplitCases, JudgedModel]], labels: tuple[Any, Any]
    ) -> "CaseTable":
        cases = {name: one for name, (one, _) in split.items()}
        judging = {name: partial(_itself, one) for name, (_, one) in split.items()}
        return cls(cases=cases, judging=judging, labels=labels)


def _splitting(question: Question) -> dict[str, Any]:
    """Return how cases are split, whatever is known of them."""
    rate, seed = question.rate, question.seed
    return {"prevalence": rate, "folds": None, "repeats": None, "rng": seed, "quantity": "a comparison"}


def _judged(cases: SplitCases, joint: JointScores | None, place: int, scores: FloatArray) -> JudgedModel:
    """Judge a model; single cases are ordered once, for this and for the ranks among each other."""
    return cases.judge(scores, orders=None if joint is None else joint.orders(place))


def _itself(model: JudgedModel) -> JudgedModel:
    return model


def _labels(y_true: Any, positive: BoolArray) -> tuple[Any, Any]:
    """Labels (negative, positive) as the user wrote them; booleans and a class without cases as 0 and 1."""
    values = np.asarray(y_true)
    pair = []
    for default, members in ((0, ~positive), (1, positive)):
        at = int(np.argmax(members))
        label = values[at] if members[at] else default
        label = label.item() if isinstance(label, np.generic) else label
        # a policy answers with text or numbers, so that it can have a third answer
        pair.append(int(label) if isinstance(label, bool) else label)
    return pair[0], pair[1]


def _bins_note(joint: JointCounts, question: Question) -> str:
    """Say what bins of scores leave open."""
    assert not isinstance(question.costs, CaseCosts)
    bins = {name: len(np.unique(joint.lower[name])) for name in joint.models}
    listed = ", ".join(f"{number} of {name}" for name, number in bins.items())
    bound = joint.certified(question.costs, prevalence=question.rate)
    words = "at any costs" if question.costs is None else "at these costs"
    return (
        f"Scores were counted in bins ({listed}). Costs of the rules shown are exact; {words} a window with "
        f"thresholds inside a bin costs at most {bound:.1e} times the more expensive error less per case."
    )


# ---------------------------------------------------------------- sums


def _split_sums(sums: FoldedCosts, question: Question) -> tuple[SplitCases, JudgedModel]:
    by_class = [float(sums.cases[sums.positive == kind].sum()) for kind in (True, False)]
    if min(by_class) < _FEWEST_SUMMED:
        raise InputError(
            f"Honest costs from sums need at least {_FEWEST_SUMMED} cases of each class, got {by_class[0]:g} "
            f"positive and {by_class[1]:g} negative. Hint: leave --engine out; so few fit into memory."
        )
    like = sums.like_cases()
    # positives first, as splits of rows have them
    order = np.argsort(~sums.positive[like.cell], kind="stable")
    cell, losses = like.cell[order], like.losses[order]
    positive, sizes = sums.positive[cell], like.sizes[order]
    rows = Rows(np.arange(len(cell)), sums.fold[cell], sizes)
    splits = Splits((rows,), sums.folds)
    cases = SplitCases(positive, sizes, splits, question.rate, "counts", None, losses=losses)
    return cases, cases.judge(sums.lower[cell], _counts(sums))


def _counts(sums: FoldedCosts) -> ScoreCounts:
    """Add up the folds."""
    lower, place = np.unique(sums.lower, return_inverse=True)
    positives, negatives = (
        np.bincount(place, np.where(sums.positive == kind, sums.cases, 0.0), len(lower)).astype(np.float64)
        for kind in (True, False)
    )
    upper = lower.copy()
    np.maximum.at(upper, place, sums.upper)
    if np.array_equal(lower, upper):
        return ScoreCounts.from_counts(lower, positives, negatives)
    return BinnedCounts.from_bins(lower, upper, positives, negatives)
