"""`CaseTable`: cases with a score per model, and their splits, from arrays, counts, joint counts or sums."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from demur._checks import (
    check_groups,
    check_labels,
    check_same_length,
    check_scores,
    check_times,
    check_weight_meaning,
    check_weights,
    input_error,
)
from demur._results import frozen
from demur.auc.tables import ModelTables
from demur.comparison.class_learner import MOST_SEARCHED
from demur.comparison.problem import DecisionProblem
from demur.comparison.remarks import classes_in_words
from demur.comparison.threads import workers
from demur.costs.case_costs import CaseCosts
from demur.costs.class_costs import ClassCosts, two_class_costs
from demur.costs.law import CostLaw
from demur.costs.matrix import class_indices, class_priors
from demur.costs.matrix import class_names as names_of_columns
from demur.costs.model import CostModel
from demur.costs.ranges import CostRange
from demur.counts.bins import BinnedCounts
from demur.counts.costs import FoldedCosts
from demur.counts.scores import ScoreCounts
from demur.exceptions import InputError
from demur.honest.cases import JudgedModel, SplitCases, clusters_of, judged_model
from demur.honest.evaluate import Inputs
from demur.honest.splits import Rows, Splits
from demur.paired.counts import JointCounts
from demur.paired.scores import JointScores
from demur.typing import BoolArray, FloatArray, IntArray
from demur.windows.class_rule import check_class_probabilities, second_class_scores

__all__ = [
    "CaseTable",
    "Columns",
    "check_columns",
    "class_columns",
    "doubt_column",
    "require_cases",
    "table_of_classes",
    "two_class_columns",
]

# below this a fold drawn by chance may leave the others without a case of the class
_FEWEST_SUMMED = 50
_MOST_REPEATED = 10**8
# of a class with fewer a note says so
_FEW_CASES = 10
_FEW_CLUSTERS = 20
# what errors about splits speak of
_COMPARED = "a comparison"


class Columns(NamedTuple):
    """Checked rows: classes, scores by model, labels (negative, positive), weights, clusters, times.

    `known` holds what else is known of every row when it is decided, by name.
    """

    positive: BoolArray
    scores: Mapping[str, FloatArray]
    weight: FloatArray | None
    labels: tuple[Any, Any]
    cluster: IntArray | None = None
    time: Any = None
    known: Mapping[str, FloatArray] = MappingProxyType({})


def check_columns(
    y_true: Any,
    scores: Any,
    *,
    pos_label: Any,
    sample_weight: Any,
    groups: Any = None,
    time: Any = None,
    known: Any = None,
) -> Columns:
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
    clusters, times = check_groups(groups, len(positive)), check_times(time, len(positive))
    beside = {name: check_scores(column, name) for name, column in (known or {}).items()}
    check_same_length(y_true=positive, **beside)
    # labels as the user wrote them; booleans and a class without cases as 0 and 1
    values, labels = np.asarray(y_true), []
    for kind, members in enumerate((~positive, positive)):
        at = int(np.argmax(members))
        labels.append(_builtin(values[at]) if members[at] else kind)
    return Columns(positive, columns, weight, (labels[0], labels[1]), clusters, times, beside)


def doubt_column(doubt: Any) -> dict[str, Any]:
    """Return a doubt by its name: that in a mapping, or "doubt"."""
    return dict(doubt) if isinstance(doubt, Mapping) else {"doubt": doubt}


def class_columns(scores: Any, n_classes: int) -> dict[str, FloatArray]:
    """Return models by name, each with one column per class."""
    models = scores if isinstance(scores, Mapping) else {"model": scores}
    if not models:
        raise InputError("`scores` must hold at least one model, got none.")
    checked = {}
    for name, values in models.items():
        try:
            checked[str(name)] = check_class_probabilities(values, n_classes)
        except InputError as error:
            raise InputError(str(error).replace("`proba`", f"`scores of {name}`", 1)) from None
    return checked


def two_class_columns(
    y_true: Any,
    scores: Any,
    classes: tuple[Any, ...],
    sample_weight: Any,
    groups: Any = None,
    time: Any = None,
) -> Columns:
    """Return rows with a column for each of two classes as rows with a score, that of the second class."""
    positive, weight = class_indices(y_true, classes) == 1, check_weights(sample_weight)
    columns = {name: second_class_scores(proba) for name, proba in class_columns(scores, 2).items()}
    for name, column in columns.items():
        check_same_length(**{"y_true": positive, f"scores of {name}": column, "sample_weight": weight})
    labels = tuple(_builtin(name) for name in classes)
    clusters, times = check_groups(groups, len(positive)), check_times(time, len(positive))
    return Columns(positive, columns, weight, (labels[0], labels[1]), clusters, times)


@dataclass(frozen=True, kw_only=True, eq=False)
class CaseTable:
    """Cases of a comparison, split and ready to be judged model by model.

    Attributes
    ----------
    cases : mapping
        Model -> its cases and their splits: the same for all models, or each its own where what belongs
        together is not known.
    judging : mapping
        Model -> function that gives its inputs: of two classes judged at all costs.
    labels : tuple
        Classes as the user wrote them; of two the negative one first.
    tables : ModelTables or None
        Ranks of the cases of all models, for areas compared in pairs.
    notes : tuple of str
        What a reader should know about the cases.
    known : CaseTable or None
        Those whose class can be known, where that of others cannot: what holds over all costs is theirs.
    """

    cases: Mapping[str, SplitCases]
    judging: Mapping[str, Callable[[], JudgedModel | Inputs]]
    labels: tuple[Any, ...] = (0, 1)
    tables: ModelTables | None = None
    notes: tuple[str, ...] = ()
    known: "CaseTable | None" = None

    @classmethod
    def of_columns(cls, given: Columns, problem: DecisionProblem, *, weights: str) -> "CaseTable":
        """Split checked rows; those of weight 0 are dropped."""
        if problem.budget is not None:
            given = _in_batches(given, problem, weights)
        positive, scores, sample_weight, labels, cluster, time, known = given
        if isinstance(problem.costs, CaseCosts) and problem.costs.known_at_decision:
            known = {**known, **problem.costs.known_columns()}
        kept = slice(None) if sample_weight is None else sample_weight > 0
        cluster = clusters_of(cluster, kept, sample_weight if weights == "repeats" else None)
        losses = problem.costs.losses(positive).table if isinstance(problem.costs, CaseCosts) else None
        rows = None
        if sample_weight is not None and not sample_weight.all():
            positive, sample_weight = positive[kept], sample_weight[kept]
            scores = {name: column[kept] for name, column in scores.items()}
            losses = None if losses is None else losses[kept]
            rows = np.flatnonzero(np.asarray(kept))
        # results refer to these rows: the caller may change what is passed, but not what was compared
        positive, columns = frozen(positive), [frozen(column) for column in scores.values()]
        joint = JointScores(positive, columns, None, cluster=cluster) if sample_weight is None else None
        with workers(len(positive)) as pool:
            if joint is not None:  # single cases are put in order while they are dealt to the folds
                pool.map(joint.orders, range(len(columns)))
            weight = frozen(sample_weight)
            cases = SplitCases.of_rows(
                positive,
                weight,
                weights=weights,
                cluster=cluster,
                prevalence=problem.rate,
                rng=problem.seed,
                quantity=_COMPARED,
            )
        beside = {name: frozen(one[kept]) for name, one in known.items()}
        cases = replace(cases, losses=losses, known=beside, rows=rows)
        if time is not None:
            cases = cases.by_time(time[kept])
        if problem.objective == "guaranteed" and cases.weights == "importance":
            raise InputError(
                "`objective` must not be 'guaranteed' with importance weights, which no bound holds for. "
                "Hint: weights='repeats' if a weight of 2 is a case seen twice."
            )
        judging = {
            name: partial(cases.judge, column, orders=None if joint is None else joint.orders(place))
            for place, (name, column) in enumerate(zip(scores, columns, strict=True))
        }
        ranks = joint or JointScores(positive, columns, cases.sizes, cluster=cluster)
        return cls(
            cases=dict.fromkeys(judging, cases),
            judging=judging,
            labels=labels,
            tables=ModelTables(ranks, cases.weights or "importance"),
            notes=() if cluster is None else _cluster_notes(cases, problem),
        )

    def unproven(self, *, dated: bool = False) -> "CaseTable":
        """Return the same cases where they may not be independent: nothing is proven or guaranteed.

        Of cases that are only `dated` a proof stands.
        """
        # models of the same cases keep sharing them
        marked = {
            id(one): replace(one, selected=one.selected or not dated, dated=dated)
            for one in self.cases.values()
        }
        return replace(self, cases={name: marked[id(one)] for name, one in self.cases.items()})

    @classmethod
    def of_classes(
        cls,
        y_true: Any,
        scores: Any,
        problem: DecisionProblem,
        *,
        classes: tuple[Any, ...] | None = None,
        sample_weight: Any,
        weights: str,
        groups: Any = None,
        time: Any = None,
    ) -> "CaseTable":
        """Check and split rows with one column per class; repeated rows are written out.

        `classes` names the columns where no costs do.
        """
        if classes is None:
            assert isinstance(problem.costs, ClassCosts)
            classes = problem.costs.classes
        codes, models = class_indices(y_true, classes), class_columns(scores, len(classes))
        placed = {"sample_weight": sample_weight, "weights": weights, "groups": groups, "time": time}
        return cls._of_codes(codes, models, tuple(map(_builtin, classes)), problem, **placed)

    def with_unknown(
        self,
        known: BoolArray,
        scores: Any,
        problem: DecisionProblem,
        *,
        sample_weight: Any,
        weights: str,
        groups: Any = None,
        time: Any = None,
    ) -> "CaseTable":
        """Return these cases together with those whose class cannot be known, which are of a class more.

        `known` tells which rows are these cases; all else is given for every row.
        """
        first, labels = next(iter(self.cases.values())), self.labels
        own = np.zeros(int(known.sum()), dtype=np.int64)
        own[np.arange(len(own)) if first.rows is None else first.rows] = first.codes
        codes = np.full(len(known), len(labels))
        codes[known] = own
        models = {}
        for name, values in (scores if isinstance(scores, Mapping) else {"model": scores}).items():
            if np.ndim(values) == 1:
                models[str(name)] = check_scores(values, f"scores of {name}")
            else:
                models |= class_columns({name: values}, len(labels))
                if not problem.many:
                    models[str(name)] = second_class_scores(models[str(name)])
        placed = {"sample_weight": sample_weight, "weights": weights, "groups": groups, "time": time}
        table = self._of_codes(codes, models, labels, problem, unknown=True, **placed)
        together = next(iter(table.cases.values())).class_sizes
        note = (
            f"{together[-1]:,.0f} of {together.sum():,.0f} cases cannot be known: AUC and what "
            "holds over all costs are those of the others."
        )
        return replace(table, known=self, notes=(*table.notes, note))

    @classmethod
    def _of_codes(
        cls,
        codes: IntArray,
        models: Mapping[str, FloatArray],
        labels: tuple[Any, ...],
        problem: DecisionProblem,
        *,
        sample_weight: Any,
        weights: str,
        groups: Any,
        time: Any,
        unknown: bool = False,
    ) -> "CaseTable":
        """Split rows by their classes; with `unknown` there is one more than there are labels."""
        check_weight_meaning(weights)
        weight = check_weights(sample_weight)
        for name, columns in models.items():
            check_same_length(**{"y_true": codes, f"scores of {name}": columns, "sample_weight": weight})
        cluster, time = check_groups(groups, len(codes)), check_times(time, len(codes))
        rows = None
        if weight is not None:
            rows = np.flatnonzero(weight > 0)
            if weights == "repeats":
                rows, weight = np.repeat(rows, _whole(weight)[rows]), None
            else:
                weight = weight[rows]
            codes, models = codes[rows], {name: columns[rows] for name, columns in models.items()}
            cluster = None if cluster is None else cluster[rows]
            time = None if time is None else time[rows]
        cluster = clusters_of(cluster, slice(None))
        classes = (*labels, "cannot be known") if unknown else labels
        settings: dict[str, Any] = {"rng": problem.seed, "cluster": cluster, "unknown": unknown}
        cases = SplitCases.of_classes(codes, weight, classes, **settings)
        cases = replace(cases, rows=rows)
        if weight is None and sample_weight is not None:
            cases = replace(cases, weights="repeats")
        if time is not None:
            cases = cases.by_time(time)
        judging = {name: partial(Inputs, frozen(columns)) for name, columns in models.items()}
        clustered = () if cluster is None else _cluster_notes(cases, problem)
        return cls(
            cases=dict.fromkeys(judging, cases),
            judging=judging,
            labels=labels,
            notes=(*clustered, *_class_notes(cases, classes, searched=problem.many)),
        )

    @classmethod
    def of_joint(
        cls, joint: JointCounts, problem: DecisionProblem, *, labels: tuple[Any, Any] = (0, 1)
    ) -> "CaseTable":
        """Deal out the cases of every cell to the folds: positives first, as splits of rows have them."""
        require_cases(problem)
        if problem.by_case:
            raise InputError(
                "`costs` by case need the cases themselves, got counts. Hint: pass labels and scores."
            )
        cell = np.concatenate([np.flatnonzero(joint.positives > 0), np.flatnonzero(joint.negatives > 0)])
        positive = np.arange(len(cell)) < np.count_nonzero(joint.positives > 0)
        sizes = np.where(positive, joint.positives[cell], joint.negatives[cell])
        cluster = None if joint.cluster is None else clusters_of(joint.cluster[cell], slice(None), sizes)
        splitting: dict[str, Any] = {"prevalence": problem.rate, "rng": problem.seed, "quantity": _COMPARED}
        cases = SplitCases.of_rows(positive, sizes, weights="repeats", cluster=cluster, **splitting)
        cases = replace(cases, source="counts")
        if joint.start is not None:
            cases = cases.by_time(joint.start[cell], joint.end[cell])
        scores = {name: joint.lower[name][cell] for name in joint.models}
        judging = {name: partial(cases.judge, column, joint.binned(name)) for name, column in scores.items()}
        ranks = JointScores(positive, list(scores.values()), sizes, cluster=cluster)
        notes = _cluster_notes(cases, problem)
        if not joint.exact:
            assert not isinstance(problem.costs, (CaseCosts, ClassCosts))
            bins = {name: len(np.unique(joint.lower[name])) for name in joint.models}
            listed = ", ".join(f"{number} of {name}" for name, number in bins.items())
            bound = joint.certified(problem.costs, prevalence=problem.rate)
            words = "at any costs" if problem.costs is None else "at these costs"
            notes = (
                *notes,
                f"Scores were counted in bins ({listed}). Costs of the rules shown are exact; {words} a "
                f"window with thresholds inside a bin costs at most {bound:.1e} times the more expensive "
                "error less per case.",
            )
        return cls(
            cases=dict.fromkeys(judging, cases),
            judging=judging,
            labels=labels,
            tables=ModelTables(ranks, "repeats"),
            notes=notes,
        )

    @classmethod
    def of_counts(
        cls, counts: Mapping[str, ScoreCounts], problem: DecisionProblem, *, labels: tuple[Any, Any] = (0, 1)
    ) -> "CaseTable":
        """Split the counts of each model apart: nothing is paired."""
        require_cases(problem)
        if problem.by_case:
            raise InputError(
                "`costs` by case need the cases themselves, got counts. Hint: pass labels and scores; "
                "ScoreCosts.window gives the cheapest window of sums, with hindsight."
            )
        settings: dict[str, Any] = {"pos_label": None, "sample_weight": None, "weights": "repeats"}
        settings |= {"prevalence": problem.rate, "rng": problem.seed, "quantity": _COMPARED}
        split = {name: judged_model(one, None, **settings) for name, one in counts.items()}
        return cls._apart(split, labels)

    @classmethod
    def of_sums(
        cls, sums: Mapping[str, FoldedCosts], problem: DecisionProblem, *, labels: tuple[Any, Any] = (0, 1)
    ) -> "CaseTable":
        """Take sums of costs per score, class and fold of each model: nothing is paired."""
        require_cases(problem)
        return cls._apart({name: _split_sums(one, problem) for name, one in sums.items()}, labels)

    @classmethod
    def _apart(
        cls, split: Mapping[str, tuple[SplitCases, JudgedModel]], labels: tuple[Any, Any]
    ) -> "CaseTable":
        cases = {name: one for name, (one, _) in split.items()}
        judging = {name: partial(lambda model: model, one) for name, (_, one) in split.items()}
        return cls(cases=cases, judging=judging, labels=labels)


def require_cases(problem: DecisionProblem) -> None:
    """Refuse counts where places are given to single cases."""
    if problem.budget is not None:
        raise InputError(
            "`budget` needs the cases themselves, got counts. Hint: pass labels, scores, dates and keys."
        )


def _in_batches(given: Columns, problem: DecisionProblem, weights: str) -> Columns:
    """Return rows whose batches stay whole: in one fold, one block of time, one cluster."""
    places, weight, time = problem.budget, given.weight, given.time
    assert places is not None
    costs = problem.costs.known_columns() if isinstance(problem.costs, CaseCosts) else ()
    taken = {places.column, places.key} & {*given.scores, *costs}
    if taken or places.column == places.key:
        raise input_error(
            "budget", "must have names of its own for batch and key", repr(min(taken, default=places.key))
        )
    if weight is not None and (np.ptp(weight) > 0 or (weights == "repeats" and weight[0] != 1)):
        raise InputError(
            "`sample_weight` must be the same for all cases beside a budget: a place is a place."
        )
    batch = given.known[places.column].astype(np.int64)
    cluster = batch if given.cluster is None else given.cluster
    if cluster is not batch and len(np.unique(batch * len(batch) + cluster)) > len(np.unique(batch)):
        raise InputError(
            f"`groups` must hold every batch of {places.column} as a whole, got one in two of them. "
            "Hint: leave groups out: intervals count batches then."
        )
    if time is not None:
        times, rank = np.unique(time, return_inverse=True)
        first = np.full(batch.max() + 1, len(times))
        np.minimum.at(first, batch, rank)
        time = times[first[batch]]
    return given._replace(weight=None, cluster=cluster, time=time)


def _whole(weight: FloatArray) -> IntArray:
    broken = weight != np.floor(weight)
    if broken.any():
        raise input_error(
            "sample_weight",
            "must hold whole numbers where weights are repeated cases",
            f"{weight[broken][0]:g}",
            "weights='importance' takes any weights of single cases.",
        )
    if weight.sum() > _MOST_REPEATED:
        raise input_error("sample_weight", f"must sum to at most {_MOST_REPEATED:g} cases", weight.sum())
    return weight.astype(np.int64)


def _cluster_notes(cases: SplitCases, problem: DecisionProblem) -> tuple[str, ...]:
    """Say what clusters mean for the numbers; refuse what holds for independent cases only."""
    if cases.cluster is None:
        return ()
    if problem.objective == "guaranteed" or problem.limits.precision_confidence is not None:
        what = "precision_confidence" if problem.objective != "guaranteed" else "objective"
        raise InputError(
            f"`{what}` must not ask for a guarantee beside groups: a guarantee needs independent cases. "
            "Hint: the interval of the answer takes clusters into account."
        )
    n = float(len(cases.codes)) if cases.weights == "importance" else cases.n
    units = int(cases.cluster.max()) + 1
    counted = f"{n:,.0f} cases in {units:,} clusters: intervals count clusters"
    notes = [f"{counted}; a guarantee needs independent cases."]
    if units < _FEW_CLUSTERS:
        notes.append(f"With fewer than {_FEW_CLUSTERS} clusters intervals are wide and rest on few of them.")
    return tuple(notes)


def _class_notes(cases: SplitCases, labels: tuple[Any, ...], *, searched: bool) -> tuple[str, ...]:
    """Say what classes with few cases rest on, and a search of weights on very many."""
    notes = []
    if searched and len(cases.codes) > MOST_SEARCHED:
        notes.append(
            f"Weights were chosen on {MOST_SEARCHED:,} cases drawn at random, and judged on all of them; the "
            "AUC is that of as many cases."
        )
    sizes = np.bincount(cases.codes, minlength=cases.n_classes)
    rare = [f"{name} {size}" for name, size in zip(labels, sizes.tolist(), strict=True) if size < _FEW_CASES]
    if rare:
        listed = ", ".join(rare[:6]) + (", ..." if len(rare) > 6 else "")
        notes.append(f"Some classes have few cases ({listed}): results about them are uncertain.")
    return tuple(notes)


def _builtin(label: Any) -> Any:
    """Return a label as a built-in type; booleans as numbers, so that there can be one answer more."""
    label = label.item() if isinstance(label, np.generic) else label
    return int(label) if isinstance(label, bool) else label


# ---------------------------------------------------------------- sums


def _split_sums(sums: FoldedCosts, problem: DecisionProblem) -> tuple[SplitCases, JudgedModel]:
    by_class = [float(sums.cases[sums.positive == kind].sum()) for kind in (True, False)]
    if min(by_class) < _FEWEST_SUMMED:
        raise InputError(
            f"Honest costs from sums need at least {_FEWEST_SUMMED} cases of each class, got {by_class[0]:g} "
            f"positive and {by_class[1]:g} negative. Hint: leave --engine out; so few fit into memory."
        )
    like = sums.moment_rows()
    # positives first, as splits of rows have them
    order = np.argsort(~sums.positive[like.cell], kind="stable")
    cell, losses = like.cell[order], like.losses[order]
    positive, sizes = sums.positive[cell], like.sizes[order]
    rows = Rows(np.arange(len(cell)), sums.fold[cell], sizes)
    splits = Splits((rows,), sums.folds)
    cases = SplitCases(positive, sizes, splits, problem.rate, "counts", None, losses=losses)
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


def table_of_classes(
    y_true: Any,
    scores: Any,
    *,
    classes: Sequence[Any] | None,
    costs: Any,
    abstain_cost: Any,
    prevalence: Any,
    sample_weight: Any,
    weights: str,
    groups: Any = None,
    time: Any = None,
    **asked: Any,
) -> tuple[CaseTable, DecisionProblem, tuple[str, ...]]:
    """Return the cases of models with one column per class, the problem, and the names for the words.

    Two classes are the problem of two classes: the score is the probability of the second one.
    """
    models = scores if isinstance(scores, Mapping) else {"model": scores}
    first = np.asarray(next(iter(models.values()), np.empty((0, 0))))
    columns = first.shape[1] if first.ndim == 2 else len(classes or ())
    if isinstance(costs, CostLaw) and columns <= 2:
        hint = "leave it out: of two classes all relative costs count alike; class_vacc takes a law."
        raise input_error("costs", "must not be a law for two classes", "a CostLaw", hint)
    names = names_of_columns(y_true, columns, costs, classes)
    if len(names) == 2:
        if costs is None:
            _require_costs(abstain_cost)
        elif not isinstance(costs, (CostModel, CostRange, CaseCosts)):
            costs = two_class_costs(costs, abstain_cost, names)
        elif abstain_cost is not None:
            hint = "Hint: CostModel(cost_abstain=...)."
            raise InputError(f"`abstain_cost` belongs to a matrix of costs. {hint}")
        given = two_class_columns(y_true, models, names, sample_weight, groups, time)
        if isinstance(prevalence, (Mapping, np.ndarray)):
            sizes = np.bincount(given.positive, given.weight, 2).astype(np.float64)
            prevalence = float(_shares(prevalence, names, sizes)[1])
        problem = DecisionProblem.checked(costs=costs, prevalence=prevalence, **asked)
        table = CaseTable.of_columns(given, problem, weights=weights)
        return table, problem, classes_in_words(*map(str, names))
    shares = None
    if prevalence is not None:
        codes, weight = class_indices(y_true, names), check_weights(sample_weight)
        check_same_length(y_true=codes, sample_weight=weight)
        shares = _shares(prevalence, names, np.bincount(codes, weight, len(names)))
    if costs is None or isinstance(costs, CostLaw):
        _require_costs(abstain_cost)
        prices: Any = costs or CostLaw()
    else:
        prices = ClassCosts.of(costs, abstain_cost, names)
    problem = DecisionProblem.checked(costs=prices, prevalence=shares, **asked)
    rows = {"sample_weight": sample_weight, "weights": weights, "groups": groups, "time": time}
    table = CaseTable.of_classes(y_true, models, problem, classes=names, **rows)
    return table, problem, tuple(map(str, names))


def _require_costs(abstain_cost: Any) -> None:
    if abstain_cost is not None:
        raise InputError(
            "`abstain_cost` needs costs. Hint: pass costs={true: {answer: cost}}; CostLaw(review=...) says "
            "what reviews may cost where mistakes are unknown."
        )


def _shares(prevalence: Any, names: tuple[Any, ...], sizes: Any) -> FloatArray:
    """Return P(class) in use from a mapping or an array."""
    try:
        return class_priors(prevalence, names, sizes)
    except InputError as error:
        raise InputError(str(error).replace("priors", "prevalence")) from None
