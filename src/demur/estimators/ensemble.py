"""`CautiousEnsemble`: several classifiers made into one that abstains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import indexable
from sklearn.utils.validation import check_is_fitted

from demur._checks import check_choice, check_class_codes, check_type, check_weights, input_error
from demur.costs.model import CostModel
from demur.estimators.composition import NamedClassifiers
from demur.estimators.out_of_fold import (
    TrainingCases,
    check_outcomes,
    class_probabilities,
    fixed_splits,
    out_of_fold,
    training_cases,
    two_labels,
)
from demur.exceptions import UndefinedError
from demur.honest.cases import SplitCases
from demur.honest.combinations import CombinationCosts, judged_combinations
from demur.typing import FloatArray, IntArray
from demur.windows.combined import WAYS, check_fees, combined_rule_of
from demur.windows.row_costs import RowCosts

__all__ = ["CautiousEnsemble"]


class CautiousEnsemble(NamedClassifiers):
    """Several classifiers of two classes made into one that abstains, at the lowest cost.

    Votes, averages, limits and windows are chosen on out-of-fold probabilities, all members on the same
    folds. Which way of combining is best differs by data: `honest_costs` judges all four and every
    member alone on the same folds.

    Parameters
    ----------
    estimators : list of (name, classifier)
        At least two, with `predict_proba`; in a chain in the order in which they are asked.
    combine : {"average", "vote", "variance", "chain"}, default "average"
        How; see `windows.combined_rule`. "vote": each member may abstain. "variance": abstain where
        the members disagree. "chain": what one abstains on goes to the next.
    costs : CostModel
        Of errors and of abstaining.
    stage_costs : list of one number >= 0 per member, optional
        What asking a member costs per case; a chain asks only as far as a case gets.
    pos_label, cv, abstain_label
        As in `AbstainingClassifier`; every case may be scored at most once.

    Attributes
    ----------
    rule_ : CombinedRule
        Windows, limits and cost on the out-of-fold probabilities.
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
    Ferri, Hernandez-Orallo (2004), "Cautious Classifiers", ROCAI, section 6: the question is theirs.

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
    >>> {name: round(row.cost, 2) for name, row in found.rows.items()}
    {'bayes': 0.13, 'linear': 0.09, 'average': 0.06, 'vote': 0.1, 'variance': 0.06, 'chain': 0.11}
    """

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
        clash = [name for name, _ in members if name in WAYS]
        if clash:
            raise input_error("estimators", "must not be named after a way to combine", repr(clash[0]))
        check_choice(self.combine, "combine", WAYS)
        check_type(self.costs, "costs", CostModel)
        self._fees = check_fees(self.stage_costs, [name for name, _ in members])
        return members

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose the rule from out-of-fold probabilities and fit all members to all cases.

        Parameters
        ----------
        X : array or data frame with one row per case
        y : array of n labels
        sample_weight : array of n numbers >= 0, optional
            Weigh the cases for the rule, and for the members that take weights.
        """
        members = self._check()
        X, _ = indexable(X, y)
        cases = training_cases(self, y, sample_weight)
        labels = two_labels(self, cases.classes, self.pos_label)
        self._outcomes = check_outcomes(labels, self.abstain_label)
        weights = self._fit_weights(members, cases.weights)
        cv = fixed_splits(self.cv, X, cases)
        self.members_, columns = [], []
        for name, member in members:
            held_out = out_of_fold(
                member if isinstance(cv, str) else clone(member),
                X,
                cases,
                cv=cv,
                refit=True,
                respond=self._probability,
                fit_params={} if weights[name] is None else {"sample_weight": weights[name]},
                split_params={},
            )
            self.members_.append(held_out.estimator)
            columns.append(held_out.response)
        self.classes_ = cases.classes
        self._take_features_of(self.members_[0])
        self._choose(cases, held_out.rows, np.column_stack(columns))
        return self

    def _probability(self, estimator: Any, X: Any) -> FloatArray:
        column = list(estimator.classes_).index(self._outcomes[1])
        return class_probabilities(estimator, X)[:, column]

    def _choose(self, cases: TrainingCases, rows: IntArray, table: FloatArray) -> None:
        self.out_of_fold_rows_, self.out_of_fold_scores_ = rows, table
        self._positive = np.asarray(cases.labels[rows] == self._outcomes[1])
        self._weights = cases.weights_of(rows)
        assert self.costs is not None
        amounts = RowCosts.of(self._positive, self.costs, self._weights)
        names = tuple(name for name, _ in self.estimators)
        self.rule_ = combined_rule_of(self.combine, names, table, amounts, self._fees)

    # ---------------------------------------------------------------- use

    def member_scores(self, X: Any) -> FloatArray:
        """Return the probability of the positive class, one column per member."""
        check_is_fitted(self, "members_")
        return np.column_stack([self._probability(member, X) for member in self.members_])

    def decide(self, X: Any) -> IntArray:
        """Return 1 (positive), 0 (negative) or `ABSTAIN` for every case."""
        table = self.member_scores(X)
        return self.rule_.decide(table)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return minus the cost per case in the unit of the costs; the higher the better."""
        table = self.member_scores(X)
        actual = check_class_codes(np.asarray(y), 2, self._outcomes[:2], name="y")
        assert self.costs is not None
        losses = self.costs.losses.table[actual, self.rule_.decide(table)] + self.rule_.fees(table)
        return -float(np.average(losses, weights=check_weights(sample_weight)))

    def honest_costs(
        self,
        *,
        confidence_level: float = 0.95,
        folds: int | None = None,
        repeats: int | None = None,
        rng: int | np.random.Generator | None = 0,
    ) -> CombinationCosts:
        """Judge every member alone and all four ways to combine them on the same folds.

        As `honest.combination_costs` of the out-of-fold probabilities. Weights are importance weights.
        """
        check_is_fitted(self, "members_")
        kept = np.ones(len(self._positive), dtype=np.bool_) if self._weights is None else self._weights > 0
        if min(np.count_nonzero(self._positive[kept]), np.count_nonzero(~self._positive[kept])) < 2:
            raise UndefinedError("An honest cost needs two cases of each class. Hint: collect more cases.")
        assert self.costs is not None
        weights = None if self._weights is None else self._weights[kept]
        split = SplitCases.of_rows(
            self._positive[kept],
            weights,
            weights="importance",
            prevalence=None,
            folds=folds,
            repeats=repeats,
            rng=rng,
            quantity="an honest cost",
        )
        table = self.out_of_fold_scores_[kept]
        return judged_combinations(
            split, weights, self.rule_.names, table, self.costs, self._fees, WAYS, confidence_level
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
