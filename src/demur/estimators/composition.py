"""Classifiers made of several named classifiers: ensembles, and cascades that pass cases on."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn import get_config
from sklearn.base import clone
from sklearn.utils import _safe_indexing, get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import _BaseComposition
from sklearn.utils.validation import _num_samples, check_is_fitted

from demur._checks import check_amounts, check_choice, check_type, input_error
from demur._progress import Progress
from demur.comparison.combination_learner import CombinationLearner, RowsLearner, row_window
from demur.comparison.training_losses import TrainingLosses
from demur.costs.model import CostModel
from demur.estimators.abstaining import AbstainingClassifier
from demur.estimators.honest_costs import honest_costs, plain_problem, weighted_losses
from demur.estimators.out_of_fold import (
    AbstainingPredictions,
    OutOfFoldClassifier,
    TwoClassMixin,
    class_probabilities,
    inner_params,
    out_of_fold,
    split_metadata,
    split_training,
    take_features,
)
from demur.exceptions import DegenerateDataWarning
from demur.honest.expected_cost import ExpectedCost
from demur.surface.window import ABSTAIN
from demur.typing import FloatArray, IntArray
from demur.windows.combined import WAYS
from demur.windows.rule import Window

__all__ = ["CautiousEnsemble", "Chain", "ChainLearner", "DelegatingClassifier", "NamedClassifiers"]

_WAYS = (*WAYS, "chain")


class NamedClassifiers(AbstainingPredictions, _BaseComposition):  # type: ignore[misc]
    """Classifier of a list of (name, classifier); subclasses fit them and say how they `decide`."""

    estimators: list[tuple[str, Any]]
    __metadata_request__fit = {"sample_weight": True, "groups": True, "time": True}  # noqa: RUF012

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002 - scikit-learn's signature
        """Return the parameters, with those of the classifiers as ``name__parameter``."""
        return dict(self._get_params("estimators", deep=deep))

    def set_params(self, **params: Any) -> Self:
        """Set parameters, also of the classifiers (``name__parameter``) and whole ones (``name``)."""
        self._set_params("estimators", **params)
        return self

    def _named(self) -> list[tuple[str, Any]]:
        """Return the list, checked."""
        given = self.estimators
        if not _are_named(given):
            raise input_error(
                "estimators",
                "must be a non-empty list of (name, classifier)",
                repr(given),
                'such as [("quick", LogisticRegression()), ("slow", RandomForestClassifier())].',
            )
        self._validate_names([name for name, _ in given])
        return list(given)

    def _members(self) -> list[tuple[str, Any]]:
        """Return the unfitted classifiers as they will be fitted."""
        return self._named()

    def get_metadata_routing(self) -> MetadataRouter:
        """Return the router: everything goes to `fit` of the classifiers that ask for it."""
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        for name, member in self._members():
            router.add(**{name: member}, method_mapping=MethodMapping().add(caller="fit", callee="fit"))
        return router

    def _fit_params(
        self, members: list[tuple[str, Any]], metadata: dict[str, Any]
    ) -> dict[str, dict[str, Any]]:
        """Return the arguments of `fit` by classifier: weights, clusters and times, where it takes them."""
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", **metadata)
            return {name: dict(routed[name].fit) for name, _ in members}
        return {name: inner_params(member, {}, metadata) for name, member in members}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # tags are asked for before `fit` checks the list
        inner = [get_tags(member) for _, member in self.estimators] if _are_named(self.estimators) else []
        tags.input_tags.sparse = all(member.input_tags.sparse for member in inner)
        tags.input_tags.allow_nan = all(member.input_tags.allow_nan for member in inner)
        tags.classifier_tags.multi_class = all(
            bool(member.classifier_tags and member.classifier_tags.multi_class) for member in inner
        )
        return tags


def _are_named(given: Any) -> bool:
    """Tell whether there are classifiers and each has a name."""
    pairs = given if isinstance(given, (list, tuple)) else ()
    return len(pairs) > 0 and all(isinstance(one, tuple) and len(one) == 2 for one in pairs)


class CautiousEnsemble(TwoClassMixin, NamedClassifiers):
    """Several classifiers of two classes made into one that abstains, at the lowest cost.

    Votes, averages, limits and windows are chosen on out-of-fold probabilities, all members on the same
    folds. Which way of combining is best differs by data: `honest_costs` judges all four and every
    member alone on the same folds.

    Parameters
    ----------
    estimators : list of (name, classifier)
        At least two, with `predict_proba`; in a chain in the order in which they are asked.
    combine : {"average", "vote", "variance", "chain"}, default "average"
        How; see `windows.Combined`. "vote": each member may abstain. "variance": abstain where the
        members disagree. "chain": what one abstains on goes to the next.
    costs : CostModel
        Of errors and of abstaining.
    stage_costs : list of one number >= 0 per member, optional
        What asking a member costs per case; a chain asks only as far as a case gets.
    pos_label, cv, abstain_label
        As in `AbstainingClassifier`; every case may be scored at most once.

    Attributes
    ----------
    rule_ : Combined, or a chain of windows
        Windows, limits and prices, chosen on the out-of-fold probabilities.
    members_ : list of fitted classifiers
        Fitted to all cases.
    out_of_fold_rows_, out_of_fold_scores_ : array
        Cases that were scored by models fitted without them, and the probability of the positive class
        by each member.
    classes_, n_features_in_, feature_names_in_
        As usual.

    Notes
    -----
    `score` is minus the cost per case, what was asked included, so that `GridSearchCV` looks for the
    cheapest ensemble. `DelegatingClassifier` fits every stage to what the stage before abstains on;
    the members of this chain are all fitted to all cases.

    References
    ----------
    Ferri, Hernandez-Orallo (2004), "Cautious Classifiers", ROCAI, section 6: the problem is theirs.

    Examples
    --------
    A missed tumour costs 10, a false alarm 2, a second look 0.3. Averaging two models costs less than
    either, honestly:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from demur import CostModel
    >>> from demur.estimators import CautiousEnsemble
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = CautiousEnsemble(
    ...     [("bayes", GaussianNB()), ("linear", make_pipeline(StandardScaler(), LogisticRegression()))],
    ...     combine="average", costs=CostModel(cost_fn=10, cost_fp=2, cost_abstain=0.3), pos_label=0,
    ... ).fit(X, y)
    >>> found = model.honest_costs(repeats=1)
    >>> {name: round(row.cost, 2) for name, row in found.items()}
    {'bayes': 0.13, 'linear': 0.09, 'average': 0.06, 'vote': 0.1, 'variance': 0.06, 'chain': 0.11}
    """

    costs: Any

    def __init__(
        self,
        estimators: list[tuple[str, Any]],
        *,
        combine: str = "average",
        costs: CostModel | None = None,
        stage_costs: Sequence[float] | None = None,
        pos_label: Any = None,
        cv: Any = None,
        abstain_label: Any = None,
    ) -> None:
        self.estimators = estimators
        self.combine = combine
        self.costs = costs
        self.stage_costs = stage_costs
        self.pos_label = pos_label
        self.cv = cv
        self.abstain_label = abstain_label

    def _check(self) -> list[tuple[str, Any]]:
        members = self._named()
        if len(members) < 2:
            raise input_error("estimators", "must hold at least two classifiers", len(members))
        clash = [name for name, _ in members if name in _WAYS]
        if clash:
            raise input_error("estimators", "must not be named after a way to combine", repr(clash[0]))
        check_choice(self.combine, "combine", _WAYS)
        check_type(self.costs, "costs", CostModel)
        fees = self.stage_costs
        if fees is not None and np.shape(check_amounts(fees, "stage_costs")) != (len(members),):
            rule = f"must hold one number per member ({len(members)})"
            raise input_error("stage_costs", rule, repr(fees))
        return members

    def _learner(self, how: str, level: float = 0.95) -> RowsLearner:
        """Return the learner of a way to combine, or of the window of one member."""
        names = tuple(name for name, _ in self.estimators)
        fees = [0.0] * len(names) if self.stage_costs is None else self.stage_costs
        problem = plain_problem(self.costs, level, prices=dict(zip(names, fees, strict=True)))
        if how in WAYS:
            return CombinationLearner(problem, how, names)
        return ChainLearner(problem, names if how == "chain" else (how,))

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, time: Any = None) -> Self:
        """Choose the rule from out-of-fold probabilities and fit all members to all cases.

        Parameters
        ----------
        X : array or data frame with one row per case
        y : array of n labels
        sample_weight : array of n numbers >= 0, optional
            Weigh the cases for the rule, and for the members that take weights.
        groups, time : array of n values, optional
            Cluster and time of every case, as in `AbstainingClassifier`; `honest_costs` counts clusters.
        """
        members = self._check()
        X, cases = self._checked_cases(X, y, sample_weight, groups, time)
        fit_params = self._fit_params(members, cases.metadata)
        # all members see the same splits
        cv = self.cv
        if not isinstance(cv, str):
            cv = split_training(cv, X, cases, split_metadata(cv, groups))
        self.members_, columns = [], []
        with Progress(len(members), "fitting", "members") as progress:
            for name, member in members:
                fitted, held_out, response = out_of_fold(
                    member if isinstance(cv, str) else clone(member),
                    X,
                    cases,
                    cv=cv,
                    refit=True,
                    respond=self._probability,
                    fit_params=fit_params[name],
                    split_params={},
                )
                self.members_.append(fitted)
                columns.append(response)
                progress.advance()
        take_features(self, self.members_[0])
        self.out_of_fold_rows_, self.out_of_fold_scores_ = held_out.rows, np.column_stack(columns)
        self._held_out, self._positive = held_out, held_out.labels == self._outcomes[1]
        rows = weighted_losses(self._positive, self.costs, held_out.weights)
        self.rule_ = self._learner(self.combine).choose(self.out_of_fold_scores_, rows)
        return self

    def _probability(self, estimator: Any, X: Any) -> FloatArray:
        column = list(estimator.classes_).index(self._outcomes[1])
        return class_probabilities(estimator, X)[:, column]

    # ---------------------------------------------------------------- use

    def member_scores(self, X: Any) -> FloatArray:
        """Return the probability of the positive class, one column per member."""
        check_is_fitted(self, "members_")
        return np.column_stack([self._probability(member, X) for member in self.members_])

    def decide(self, X: Any) -> IntArray:
        """Return 1 (positive), 0 (negative) or `ABSTAIN` for every case."""
        table = self.member_scores(X)
        return np.asarray(self.rule_.decide(table))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return minus the cost per case in the unit of the costs; the higher the better."""
        table = self.member_scores(X)
        rule = self.rule_
        return self._minus_cost(self.costs, y, rule.decide(table), sample_weight, rule.charge(table))

    def honest_costs(
        self,
        *,
        confidence_level: float = 0.95,
        folds: int | None = None,
        repeats: int | None = None,
        rng: int | np.random.Generator | None = 0,
    ) -> dict[str, ExpectedCost]:
        """Judge every member alone and all four ways to combine them on the same folds.

        Every window, vote, limit and chain is chosen on nine folds of the out-of-fold probabilities and
        scored on the tenth; fees are included, and weights are importance weights. `compare_models` with
        ``include=["combinations"]`` compares them with the models and says which to use.
        """
        check_is_fitted(self, "members_")
        table = self.out_of_fold_scores_
        alone = {name: table[:, [place]] for place, name in enumerate(self.rule_.names)}
        jobs = {
            how: (self._learner(how, confidence_level), columns)
            for how, columns in {**alone, **dict.fromkeys(_WAYS, table)}.items()
        }
        return honest_costs(jobs, self._positive, self._held_out, folds=folds, repeats=repeats, rng=rng)


class DelegatingClassifier(NamedClassifiers):
    """Cascade of classifiers: what the first abstains on goes to the next, to any depth.

    Every stage is fitted to the cases the stage before abstained on out of fold, so that it
    becomes a specialist of the doubtful ones. What the last stage abstains on gets
    `abstain_label`; a plain classifier at the end answers everything.

    Parameters
    ----------
    estimators : list of (name, classifier)
        The stages in order. A stage is a classifier of `demur.estimators` that abstains by itself, such
        as `CautiousClassifier`, used as it is; or any other classifier, which needs `costs` unless it is
        the last.
    costs : CostModel or list of CostModel or None, optional
        Costs of each stage (one for all, or one per stage) for the stages that are other classifiers;
        such a stage becomes an `AbstainingClassifier`. `cost_abstain` is what handing a case to the next
        stage costs all told. None in the list: the stage answers everything.
    pos_label, cv
        Of those stages, as in `AbstainingClassifier`.
    abstain_label : value, optional
        Prediction for cases no stage answers, as in `AbstainingClassifier`.

    Attributes
    ----------
    stages_ : list of fitted classifiers
        Shorter than `estimators` if a stage had too few cases to learn from.
    stage_sizes_ : array of int
        Element s: number of cases stage s was fitted to.
    classes_, n_features_in_, feature_names_in_
        As usual.

    Notes
    -----
    A stage that would get fewer than two cases of some class, or a single class, is left out with
    a `DegenerateDataWarning`; the cases delegated to it get `abstain_label`.

    References
    ----------
    Ferri, Flach, Hernandez-Orallo (2004), "Delegating classifiers", ICML, doi:10.1145/1015330.1015395.

    Examples
    --------
    A quick linear model answers the easy cases; a forest trained on the others answers the rest:

    >>> from sklearn.datasets import make_moons
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from sklearn.linear_model import LogisticRegression
    >>> from demur import CostModel, DelegatingClassifier
    >>> X, y = make_moons(1000, noise=0.2, random_state=0)
    >>> model = DelegatingClassifier(
    ...     [("line", LogisticRegression()), ("forest", RandomForestClassifier(random_state=0))],
    ...     costs=[CostModel(cost_abstain=0.1), None],
    ... ).fit(X, y)
    >>> model.stage_sizes_.tolist()
    [1000, 370]
    >>> X_new, y_new = make_moons(1000, noise=0.2, random_state=1)
    >>> bool(model.score(X_new, y_new) > LogisticRegression().fit(X, y).score(X_new, y_new) + 0.05)
    True
    """

    def __init__(
        self,
        estimators: list[tuple[str, Any]],
        *,
        costs: CostModel | Sequence[CostModel | None] | None = None,
        pos_label: Any = None,
        cv: Any = None,
        abstain_label: Any = None,
    ) -> None:
        self.estimators = estimators
        self.costs = costs
        self.pos_label = pos_label
        self.cv = cv
        self.abstain_label = abstain_label

    # ---------------------------------------------------------------- the stages

    def _members(self) -> list[tuple[str, Any]]:
        """Return the unfitted stages; those that cannot abstain get a window for their costs."""
        named = self._named()
        stages: list[tuple[str, Any]] = []
        given: Any = self.costs
        costs_of = list(given) if isinstance(given, (list, tuple)) else [given] * len(named)
        if len(costs_of) != len(named):
            rule = f"must be one CostModel or {len(named)}, one per stage"
            raise input_error("costs", rule, len(costs_of))
        for k, ((name, stage), costs) in enumerate(zip(named, costs_of, strict=True)):
            if costs is not None:
                check_type(costs, "costs", CostModel)
            # a CostWeightedClassifier without that cost answers everything
            abstains = (
                isinstance(stage, OutOfFoldClassifier) and getattr(stage, "abstain_cost", 0) is not None
            )
            if not abstains and (costs is not None or k < len(named) - 1):
                if costs is None:
                    raise input_error(
                        "costs",
                        f"must say what delegating costs at stage {name!r}",
                        None,
                        "pass costs=CostModel(cost_abstain=...), or make the stage an AbstainingClassifier.",
                    )
                stage = AbstainingClassifier(
                    stage, costs=costs, pos_label=self.pos_label, cv=self.cv, abstain_label=self.abstain_label
                )
                if get_config()["enable_metadata_routing"]:
                    stage.set_fit_request(sample_weight=True)
            stages.append((name, stage))
        return stages

    # ---------------------------------------------------------------- fit

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, time: Any = None) -> Self:
        """Fit stage after stage, each to the cases the one before abstained on out of fold.

        Parameters
        ----------
        X : array or data frame with one row per case
        y : array of n labels
        sample_weight : array of n numbers >= 0, optional
            Passed to the stages that take weights.
        groups, time : array of n values, optional
            Cluster and time of every case, passed to the stages that take them: those that abstain.
        """
        stages = self._members()
        X, cases = self._checked_cases(X, y, sample_weight, groups, time)
        fit_params = self._fit_params(stages, cases.metadata)
        self.stages_: list[Any] = []
        sizes = []
        for name, stage in stages:
            classes_left = len(np.unique(cases.codes))
            if self.stages_ and (classes_left < 2 or cases.rarest < 2):
                warnings.warn(
                    f"Stage {name!r} would be fitted to {len(cases.rows)} delegated cases of "
                    f"{classes_left} classes; a stage needs two cases of each of at least two classes. "
                    "It and all later ones are left out, and what reaches them is abstained on. "
                    "Hint: lower the cost of delegating at the stage before.",
                    DegenerateDataWarning,
                    stacklevel=2,
                )
                break
            given = {key: value for key, value in cases.metadata.items() if key in fit_params[name]}
            fitted = clone(stage).fit(_safe_indexing(X, cases.rows), cases.labels, **given)
            self.stages_.append(fitted)
            sizes.append(len(cases.rows))
            # what the stage abstained on when it had not seen it goes on
            left = np.empty(0, dtype=np.int64)
            if isinstance(fitted, OutOfFoldClassifier):
                left = fitted.out_of_fold_rows_[fitted.out_of_fold_decisions_ == ABSTAIN]
            cases = cases.at(np.sort(left))
        self.stage_sizes_ = np.array(sizes)
        take_features(self, self.stages_[0])
        return self

    # ---------------------------------------------------------------- use

    def decide(self, X: Any) -> IntArray:
        """Return the index of the class for every case, `ABSTAIN` where no stage answers."""
        return self._walk(X)[0]

    def deciding_stage(self, X: Any) -> IntArray:
        """Return the index of the stage that answers every case, `ABSTAIN` where none does."""
        return self._walk(X)[1]

    def _walk(self, X: Any) -> tuple[IntArray, IntArray]:
        """Return the decision and the deciding stage of every case."""
        check_is_fitted(self, "stages_")
        X = indexable(X)[0]
        rows = np.arange(_num_samples(X))
        codes, stage_of = np.full((2, len(rows)), ABSTAIN)
        for k, stage in enumerate(self.stages_):
            labels = stage.predict(_safe_indexing(X, rows))
            abstains = isinstance(stage, OutOfFoldClassifier)
            answered = labels != stage.abstain_label_ if abstains else np.ones(len(rows), np.bool_)
            codes[rows[answered]] = np.searchsorted(self.classes_, labels[answered])
            stage_of[rows[answered]] = k
            rows = rows[~answered]
            if not len(rows):
                break
        return codes, stage_of

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.costs is not None:  # windows are for two classes
            tags.classifier_tags.multi_class = False
        return tags


# ---------------------------------------------------------------- the rule of a chain

_MOST_SWEEPS = 20  # every sweep that changes something is cheaper
_TIE = 1e-12


@dataclass(frozen=True, kw_only=True)
class Chain:
    """Windows asked one after the other until one of them decides.

    Attributes
    ----------
    names : tuple of str
        The members in order.
    windows : tuple of Window
        Of each member.
    prices : tuple of float
        What asking each of them costs.
    """

    names: tuple[str, ...]
    windows: tuple[Window, ...]
    prices: tuple[float, ...]

    def codes(self, table: FloatArray) -> IntArray:
        """Return 1, 0 or `ABSTAIN` for every row of scores, one column per member."""
        return _codes_and_stages(table, self.windows)[0]

    decide = codes

    def charge(self, table: FloatArray) -> FloatArray:
        """Return the fees of the members asked, for every row."""
        return np.cumsum(self.prices)[_codes_and_stages(table, self.windows)[1]]


def _codes_and_stages(table: FloatArray, windows: Sequence[Window]) -> tuple[IntArray, IntArray]:
    """Return the decision on every row and the last stage that was asked."""
    codes = np.full(len(table), ABSTAIN, dtype=np.int64)
    last, rows = np.zeros(len(table), dtype=np.int64), np.arange(len(table))
    for stage, window in enumerate(windows):
        last[rows] = stage
        codes[rows] = window.codes(table[rows, stage])
        rows = rows[codes[rows] == ABSTAIN]
    return codes, last


@dataclass(frozen=True, eq=False)
class ChainLearner(RowsLearner):
    """Chains whose windows are each the cheapest given the others: a local optimum.

    Windows are searched from the last stage to the first, and again until nothing changes; passing a case
    on costs what the rest of the chain will cost for it.
    """

    members: tuple[str, ...]

    def choose(self, table: FloatArray, rows: TrainingLosses) -> Chain:
        """Choose the windows on some rows."""
        prices = tuple(self.problem.prices.get(name, 0.0) for name in self.members)
        windows, least = [Window(-math.inf, math.inf)] * len(prices), math.inf
        scale = float(np.abs(rows.losses).max(axis=1).sum())
        for _ in range(_MOST_SWEEPS):
            best = list(windows)
            for stage in reversed(range(len(prices))):
                reached = np.flatnonzero(_codes_and_stages(table, best[:stage])[0] == ABSTAIN)
                # a stage that no case here reaches learns from all
                reached = reached if len(reached) else np.arange(len(table))
                here, scores = TrainingLosses(rows.losses[reached], rows.weight[reached]), table[reached]
                # later stages stay as they are: they are what passing a case on costs
                losses, may_abstain = here.losses, self.problem.may_abstain
                if stage < len(prices) - 1:
                    after = slice(stage + 1, None)
                    follows = self._paid(scores[:, after], here, best[after], prices[after])
                    losses, may_abstain = np.column_stack([losses[:, :2], follows]), True
                best[stage] = row_window(scores[:, stage], losses, may_abstain=may_abstain)
            cost = float(self._paid(table, rows, best, prices).sum())
            if cost >= least - _TIE * scale:
                break
            windows, least = best, cost
        return Chain(names=self.members, windows=tuple(windows), prices=prices)

    @staticmethod
    def _paid(
        table: FloatArray, rows: TrainingLosses, windows: Sequence[Window], prices: Sequence[float]
    ) -> FloatArray:
        """Return the loss of every row, fees included."""
        codes, last = _codes_and_stages(table, windows)
        return np.asarray(rows.losses[np.arange(len(codes)), codes] + rows.weight * np.cumsum(prices)[last])
