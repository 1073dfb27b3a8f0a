"""Cases and their splits into folds; models are judged on them one by one, and compared in pairs.

One set of splits serves every model: it depends on the labels in row order and the seed alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from demur._checks import (
    check_labels,
    check_same_length,
    check_scores,
    check_weight_meaning,
    check_weights,
    input_error,
)
from demur._kernels.placements import Ordered
from demur._kernels.sweep import Sample
from demur._results import frozen, read_only
from demur.counts.scores import ScoreCounts, as_counts
from demur.exceptions import InputError, UndefinedError
from demur.honest.class_rows import ClassRows, classes_of
from demur.honest.held_out import (
    ForecastScores,
    JudgedRules,
    judge_sorted,
    judge_with_hindsight,
    place_rows,
)
from demur.honest.splits import (
    FEWEST_CASES,
    MOST_FOLDS,
    Rows,
    Splits,
    check_folds,
    check_repeats,
    split_by_time,
    split_cases,
    split_classes,
    split_clusters,
)
from demur.typing import ArrayLike, BoolArray, FloatArray, IntArray, Labels

__all__ = ["JudgedModel", "SplitCases", "clusters_of", "effective_sizes", "judged_model"]

_LEAST_RATIO = 1e-100
_FEWEST_FOLDS = 5


class JudgedModel(NamedTuple):
    """One model judged on the split cases, honestly and with hindsight.

    `honest_position[r]` and `hindsight_position` give the position of every row of split r among the
    blocks of the rule it is judged by; `classes[r]` are the positives and the negatives of split r,
    each in ascending order of score. `unlabelled` are the scores of cases without a label.
    """

    counts: ScoreCounts
    scores: FloatArray
    honest: JudgedRules
    honest_position: tuple[IntArray, ...]
    hindsight: JudgedRules
    hindsight_position: IntArray
    classes: tuple[tuple[ClassRows, ...], ...]
    unlabelled: FloatArray | None = None

    def row_scores(self, cases: SplitCases, scores: ForecastScores, *, hindsight: bool = False) -> FloatArray:
        """Return a proper score of the forecast of every row, averaged over splits of the same rows."""
        rules = self.hindsight if hindsight else self.honest
        positions = [self.hindsight_position] if hindsight else self.honest_position
        by_class, offsets = rules.slot_scores(scores), rules.slot_offsets()[0]
        total: Any = 0.0
        for split, (rows, position) in enumerate(zip(cases.splits.repeats, positions, strict=False)):
            slot = position if hindsight else offsets[split * cases.folds + rows.fold] + position
            total = total + np.where(cases.positive[rows.cell], by_class[0][slot], by_class[1][slot])
        return np.asarray(total / len(positions))


@dataclass(frozen=True, slots=True, eq=False)
class SplitCases:
    """The cases and their splits.

    Attributes
    ----------
    codes, sizes : array
        Class and number of cases of every cell: a row, or a score of one class where only counts
        are at hand. Of two classes the codes are booleans, true for positives. Importance weights are
        scaled so that they sum to the effective sample size.
    splits : Splits
        Folds of every repeat.
    prevalence : float or None
        P(positive) in use; None for the sample's own.
    source : str
        "rows" (split by the labels in row order) or "counts" (split at random within equal cells).
    weights : str or None
        What the weights mean; None without weights.
    losses : array of (cells, actions), or None
        Costs of every cell, where they differ by case; columns negative, positive, abstain.
    n_classes : int
        Number of true classes.
    unknown : bool
        Whether the last of them is that of cases whose class cannot be known: no answer is right there.
    cluster : array or None
        Cluster of every cell, from 0 on, where cases of one are not independent.
    shuffled : SplitCases or None
        The same cases split at random, where `splits` are blocks of time; None where they are that already.
    unlabelled, unlabelled_losses : array or None
        Weights of further cases without a label, whose costs are bounded, and their costs by class and
        action where these differ by case.
    selected : bool
        Whether cases may not be independent of what is compared: cases without a label were left out although
        their scores differ, or rows of one customer may belong together.
    dated : bool
        Whether cases have dates that the splits ignore: no guarantee is offered for what comes.
    rows : array or None
        Row of the user's data that each cell comes from, where rows were dropped or repeated.
    known : mapping
        Name -> a column of what else is known of every cell when it is decided, such as its amount.
    unlabelled_known : mapping
        The same of the cases without a label.
    """

    codes: BoolArray | IntArray
    sizes: FloatArray
    splits: Splits
    prevalence: float | None
    source: str
    weights: str | None
    losses: FloatArray | None = None
    n_classes: int = 2
    cluster: IntArray | None = None
    shuffled: SplitCases | None = None
    unlabelled: FloatArray | None = None
    selected: bool = False
    unlabelled_losses: FloatArray | None = None
    dated: bool = False
    known: Mapping[str, FloatArray] = field(default_factory=dict)
    unlabelled_known: Mapping[str, FloatArray] = field(default_factory=dict)
    rows: IntArray | None = None
    unknown: bool = False

    @classmethod
    def of_rows(
        cls,
        positive: BoolArray,
        sample_weight: FloatArray | None,
        *,
        weights: str,
        prevalence: float | None,
        rng: Any,
        quantity: str,
        folds: int | None = None,
        repeats: int | None = None,
        cluster: IntArray | None = None,
    ) -> SplitCases:
        """Split checked rows; rows of weight 0 must be gone."""
        check_weight_meaning(weights)
        meaning = None if sample_weight is None else weights
        # the number of equal cases a row stands for: rows of other weights are split as they are
        number = np.ones(len(positive))
        if sample_weight is not None and weights == "repeats":
            number = sample_weight
            broken = number != np.floor(number)
            if broken.any():
                raise input_error(
                    "sample_weight",
                    f"must hold whole numbers for {quantity} where weights are repeated cases",
                    f"{number[broken][0]:g}",
                    "weights='importance' takes any weights of single cases.",
                )
        n_positive, n_negative = float(number[positive].sum()), float(number[~positive].sum())
        for size, word in ((n_positive, "positive"), (n_negative, "negative")):
            if not size:
                raise UndefinedError(
                    f"{quantity[0].upper()}{quantity[1:]} needs cases of both classes, got no {word} case. "
                    "Hint: check y_true and pos_label."
                )
        sizes = effective_sizes(sample_weight) if meaning == "importance" else number  # type: ignore[arg-type]
        many = check_repeats(repeats, n_positive + n_negative)
        if cluster is not None:
            inside = [float(len(np.unique(cluster[own]))) for own in (positive, ~positive)]
            parts = check_folds(folds, *inside, what="clusters")
            whole = sizes if meaning == "repeats" else None
            codes = positive.astype(np.int64)
            dealt = split_clusters(codes, cluster, folds=parts, repeats=many, rng=rng, number=whole)
            # positives first, as splits of single cases have them
            cell = np.concatenate([np.flatnonzero(positive), np.flatnonzero(~positive)])
            splits = Splits(tuple(Rows(cell, fold[cell], sizes[cell]) for fold in dealt), parts)
            return cls(positive, sizes, splits, prevalence, "rows", meaning, cluster=cluster)
        parts = check_folds(folds, n_positive, n_negative)
        splits = split_cases(number, positive, folds=parts, repeats=many, rng=rng)
        if meaning == "importance":
            weighted = tuple(rows._replace(cases=sizes[rows.cell]) for rows in splits.repeats)
            splits = splits._replace(repeats=weighted)
        return cls(positive, sizes, splits, prevalence, "rows", meaning)

    @classmethod
    def of_cells(cls, positive: BoolArray, sizes: FloatArray, **settings: Any) -> SplitCases:
        """Split cells of whole numbers of equal cases, where the rows are not at hand."""
        cells = cls.of_rows(positive, sizes, weights="repeats", **settings)
        return replace(cells, source="counts", weights=None)

    @classmethod
    def of_classes(
        cls,
        codes: IntArray,
        sample_weight: FloatArray | None,
        names: Sequence[Any],
        *,
        rng: Any,
        cluster: IntArray | None = None,
        unknown: bool = False,
    ) -> SplitCases:
        """Split rows of many classes, each evenly; importance weights only, and none of them 0.

        With `unknown` the last class has no answer of its own.
        """
        n_classes, rows = len(names), np.arange(len(codes))
        sizes = np.ones(len(codes)) if sample_weight is None else effective_sizes(sample_weight)
        present = codes if cluster is None else np.unique(codes + n_classes * cluster) % n_classes
        answers = n_classes - unknown
        number = np.bincount(present, minlength=n_classes)[:answers]
        if np.sum(number >= FEWEST_CASES) < min(answers, 2):
            raise input_error(
                "y_true",
                "must hold at least two cases of at least two classes to choose on some and score on others",
                ", ".join(f"{size} of {name}" for size, name in zip(number.tolist(), names, strict=False)),
                "collect more cases.",
            )
        # ten folds, fewer where a class is smaller, but at least five: a class with fewer cases than folds is
        # missing from some of them, and never from those that choose unless it has one case
        folds = min(MOST_FOLDS, max(_FEWEST_FOLDS, int(number[number > 0].min())), int(number.sum()))
        repeats = check_repeats(None, len(codes))
        # by name, so that the order of the columns does not matter
        order = sorted(range(n_classes), key=lambda code: str(names[code]), reverse=True)
        if cluster is None:
            dealt = split_classes(codes, order, folds=folds, repeats=repeats, rng=rng)
        else:
            dealt = split_clusters(codes, cluster, folds=folds, repeats=repeats, rng=rng)
        splits = Splits(tuple(Rows(rows, fold, sizes) for fold in dealt), folds)
        meaning = None if sample_weight is None else "importance"
        return cls(
            codes,
            sizes,
            splits,
            None,
            "rows",
            meaning,
            n_classes=n_classes,
            cluster=cluster,
            unknown=unknown,
        )

    def by_time(self, time: Any, end: Any = None) -> SplitCases:
        """Return the same cases split into blocks of time; cells may stand for the time until `end`."""
        codes, rows = np.asarray(self.codes, dtype=np.int64), self.splits.repeats[0]
        cell = rows.cell if len(rows.cell) == len(codes) else np.argsort(~codes.astype(bool), kind="stable")
        number = np.ones(len(codes)) if self.weights == "importance" else self.sizes
        splits = split_by_time(
            time, codes, self.n_classes, number=number, cases=self.sizes, cell=cell, end=end
        )
        return replace(self, splits=splits, shuffled=self)

    def trains(self, split: int, held: int) -> BoolArray:
        """Return which rows of a split rules for one of its parts are learned from.

        All others; where parts are blocks of time those before, without the clusters of the block itself.
        """
        rows = self.splits.repeats[split]
        if not self.splits.forward:
            return np.asarray(rows.fold != held)
        before = rows.fold < held
        if self.cluster is not None:
            cluster = self.cluster[rows.cell]
            before &= ~np.isin(cluster, cluster[rows.fold == held])
        return before

    @property
    def n_actions(self) -> int:
        """Number of actions: the classes that are answers, and abstaining."""
        return self.n_classes + 1 - self.unknown

    @property
    def positive(self) -> BoolArray:
        """Whether each cell of two classes is positive."""
        assert self.n_classes == 2, "codes tell many classes apart"
        return self.codes  # type: ignore[return-value]

    @property
    def class_sizes(self) -> FloatArray:
        """Number of cases of each class."""
        if self.n_classes == 2:
            # twice as fast as counting codes
            return np.array([float(self.sizes[own].sum()) for own in (~self.positive, self.positive)])
        return np.bincount(self.codes, self.sizes, self.n_classes).astype(np.float64)

    @property
    def shares(self) -> FloatArray | None:
        """P(negative) and P(positive) in use; None for the sample's own."""
        return None if self.prevalence is None else np.array([1 - self.prevalence, self.prevalence])

    @property
    def folds(self) -> int:
        """Number of folds of each split."""
        return self.splits.folds

    @property
    def repeats(self) -> int:
        """Number of splits."""
        return len(self.splits.repeats)

    @property
    def n(self) -> float:
        """Number of cases; with importance weights the effective one."""
        return float(self.sizes.sum())

    @property
    def independent(self) -> bool:
        """Whether cases are drawn independently, as a guarantee needs it."""
        apart = self.cluster is None and not self.splits.forward
        apart &= self.weights != "importance" and self.unlabelled is None
        return apart and not self.selected and not self.dated

    @property
    def units(self) -> float:
        """Number of independent units: clusters, or cases."""
        judged, rows = self.splits.judged(), self.splits.repeats[0]
        if self.cluster is not None:
            return float(len(np.unique(self.cluster[rows.cell[judged > 0]])))
        labelled = np.count_nonzero(judged) if self.weights == "importance" else judged.sum()
        return float(labelled + (0 if self.unlabelled is None else len(self.unlabelled)))

    def counts(self, scores: FloatArray) -> ScoreCounts:
        """Count the cases by the scores of one model."""
        if self.weights == "importance":
            return ScoreCounts.from_arrays(self.positive, scores, sample_weight=self.sizes)
        if self.weights is None and self.source == "rows":
            return ScoreCounts.from_arrays(self.positive, scores)
        # repeats are cases, not cases that matter more
        positives = np.where(self.positive, self.sizes, 0.0)
        return ScoreCounts.from_counts(scores, positives, self.sizes - positives)

    def judge(
        self,
        scores: FloatArray,
        counts: ScoreCounts | None = None,
        orders: tuple[Ordered, Ordered] | None = None,
    ) -> JudgedModel:
        """Learn the rules of one model and judge them.

        `orders` are the positives and the negatives ordered by these scores, if somebody has them
        already; only for rows without weights, where row k of a class is its case k.
        """
        if self.shuffled is not None:
            model = self.shuffled.judge(scores, counts, orders)
            return model._replace(classes=classes_of(scores, self.positive, self.splits))
        classes = classes_of(scores, self.positive, self.splits, orders)
        if counts is None and orders is None:
            counts = self.counts(scores)
        elif counts is None:
            positive, negative = (Sample(one.scores, None) for one in classes[0])
            counts = ScoreCounts(_positive=positive, _negative=negative)
        honest, positions = judge_sorted(classes, self.splits, prevalence=self.prevalence)
        hindsight = judge_with_hindsight(counts, self.prevalence)
        hindsight_position: Any = np.empty(len(self.splits.repeats[0].cell), dtype=np.int32)
        for one in classes[0]:
            together = one._replace(fold=np.zeros(len(one.rows), np.int16))
            place_rows(together, [hindsight.tables[0].rule], hindsight_position)
        return JudgedModel(
            counts,
            frozen(scores),
            honest,
            tuple(read_only(position) for position in positions),
            hindsight,
            read_only(hindsight_position),
            classes,
        )


def judged_model(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None,
    *,
    pos_label: Any,
    sample_weight: ArrayLike | None,
    weights: str,
    **settings: Any,
) -> tuple[SplitCases, JudgedModel]:
    """Lower the two call forms of every honest number of one model to a judged model.

    `settings` are those of `SplitCases.of_rows`.
    """
    if isinstance(y_true, ScoreCounts):
        counts = as_counts(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
        k = len(counts.scores)
        sizes = np.concatenate([counts.positives, counts.negatives])
        cases = SplitCases.of_cells(np.arange(2 * k) < k, sizes, **settings)
        return cases, cases.judge(np.tile(counts.scores, 2), counts)
    if y_score is None:
        raise InputError("`y_score` is missing. Hint: pass y_true and y_score, or one ScoreCounts.")
    positive, scores = check_labels(y_true, pos_label), check_scores(y_score)
    weight = check_weights(sample_weight)
    check_same_length(y_true=positive, y_score=scores, sample_weight=weight)
    if weight is not None:
        positive, scores, weight = positive[weight > 0], scores[weight > 0], weight[weight > 0]
    cases = SplitCases.of_rows(positive, weight, weights=weights, **settings)
    return cases, cases.judge(scores)


def clusters_of(cluster: IntArray | None, rows: Any, weight: FloatArray | None = None) -> IntArray | None:
    """Return the clusters of some rows, numbered anew; None where each is a single case."""
    if cluster is None:
        return None
    names, codes = np.unique(cluster[rows], return_inverse=True)
    repeated = weight is not None and bool(np.any(weight[rows] > 1))
    return None if len(names) == len(codes) and not repeated else codes


def effective_sizes(weights: FloatArray) -> FloatArray:
    """Scale importance weights so that their sum is the effective number of cases (Kish 1965)."""
    # a power of two changes no digit, and keeps the squares finite and above 0
    scaled = np.ldexp(weights, -int(np.frexp(weights.max())[1]))
    lost = (weights > 0) & (scaled < _LEAST_RATIO)
    if lost.any():
        raise input_error(
            "sample_weight",
            f"must be 0 or at least {_LEAST_RATIO:g} times the largest, {weights.max():g}",
            f"{weights[lost][0]:g}",
            "a case of so little weight can be left out.",
        )
    return np.asarray(scaled * (scaled.sum() / np.square(scaled).sum()))
