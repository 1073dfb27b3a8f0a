"""`DelegatingClassifier`: a cascade in which what one classifier abstains on goes to the next."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn import get_config
from sklearn.base import clone
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.validation import check_is_fitted

from demur._checks import check_type, input_error
from demur.costs.model import CostModel
from demur.estimators.abstaining import AbstainingClassifier
from demur.estimators.composition import NamedClassifiers
from demur.estimators.out_of_fold import (
    OutOfFoldClassifier,
    TrainingCases,
    answers_of,
    check_outcomes,
    training_cases,
)
from demur.exceptions import DegenerateDataWarning
from demur.surface.window import ABSTAIN
from demur.typing import IntArray

__all__ = ["DelegatingClassifier"]


class DelegatingClassifier(NamedClassifiers):
    """Cascade of classifiers: what the first abstains on goes to the next, to any depth.

    Every stage is fitted to the cases the stage before abstained on out of fold, so that it
    becomes a specialist of the doubtful ones. What the last stage abstains on gets
    `abstain_label`; a plain classifier at the end answers everything.

    Parameters
    ----------
    estimators : list of (name, classifier)
        The stages in order. A stage is an `AbstainingClassifier`, `CautiousClassifier` or
        `ReliableClassifier`, used as it is; or any other classifier, which needs `costs` unless it
        is the last.
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

    def _costs_of_stages(self, count: int) -> list[CostModel | None]:
        given: Any = self.costs
        several: list[Any] = list(given) if isinstance(given, (list, tuple)) else [given] * count
        if len(several) != count:
            raise input_error("costs", f"must be one CostModel or {count}, one per stage", len(several))
        for stage in several:
            if stage is not None:
                check_type(stage, "costs", CostModel)
        return several

    def _members(self) -> list[tuple[str, Any]]:
        """Unfitted stages; those that cannot abstain by themselves get a window for their costs."""
        named = self._named()
        stages = []
        costs_of = self._costs_of_stages(len(named))
        for k, (name, stage) in enumerate(named):
            costs = costs_of[k]
            if isinstance(stage, OutOfFoldClassifier) or (costs is None and k == len(named) - 1):
                stages.append((name, stage))
                continue
            if costs is None:
                raise input_error(
                    "costs",
                    f"must say what delegating costs at stage {name!r}",
                    None,
                    "pass costs=CostModel(cost_abstain=...), or make the stage an AbstainingClassifier.",
                )
            abstaining = AbstainingClassifier(
                stage, costs=costs, pos_label=self.pos_label, cv=self.cv, abstain_label=self.abstain_label
            )
            if get_config()["enable_metadata_routing"]:
                abstaining.set_fit_request(sample_weight=True)
            stages.append((name, abstaining))
        return stages

    # ---------------------------------------------------------------- fit

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit stage after stage, each to the cases the one before abstained on out of fold.

        Parameters
        ----------
        X : array or data frame with one row per case
        y : array of n labels
        sample_weight : array of n numbers >= 0, optional
            Passed to the stages that take weights.
        """
        stages = self._members()
        X, _ = indexable(X, y)
        cases = training_cases(self, y, sample_weight)
        self._outcomes = check_outcomes(cases.classes, self.abstain_label)
        weights = self._fit_weights(stages, cases.weights)
        self.classes_ = cases.classes
        self.stages_: list[Any] = []
        sizes, rows = [], np.arange(len(cases.codes))
        for name, stage in stages:
            if self.stages_ and _too_few(cases, rows, name):
                break
            extra = {} if weights[name] is None else {"sample_weight": weights[name][rows]}
            fitted = clone(stage).fit(_safe_indexing(X, rows), cases.labels[rows], **extra)
            self.stages_.append(fitted)
            sizes.append(len(rows))
            rows = _delegated(fitted, rows)
        self.stage_sizes_ = np.array(sizes)
        self._take_features_of(self.stages_[0])
        return self

    # ---------------------------------------------------------------- use

    def decide(self, X: Any) -> IntArray:
        """Return the index of the class for every case, `ABSTAIN` where no stage answers."""
        return self._walk(X)[0]

    def deciding_stage(self, X: Any) -> IntArray:
        """Return the index of the stage that answers every case, `ABSTAIN` where none does."""
        return self._walk(X)[1]

    def _walk(self, X: Any) -> tuple[IntArray, IntArray]:
        """Decision and deciding stage of every case."""
        check_is_fitted(self, "stages_")
        X = indexable(X)[0]
        labels, open_ = answers_of(self.stages_[0], X)
        codes = np.full(len(open_), ABSTAIN, dtype=np.int64)
        stage_of = np.full(len(open_), ABSTAIN, dtype=np.int64)
        rows = np.arange(len(open_))
        for k, stage in enumerate(self.stages_):
            if k:
                labels, open_ = answers_of(stage, _safe_indexing(X, rows))
            answered = rows[~open_]
            codes[answered] = np.searchsorted(self.classes_, labels[~open_])
            stage_of[answered] = k
            rows = rows[open_]
            if not len(rows):
                break
        return codes, stage_of

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.costs is not None:  # windows are for two classes
            tags.classifier_tags.multi_class = False
        return tags


def _delegated(stage: Any, rows: IntArray) -> IntArray:
    """Cases the stage abstained on when it had not seen them."""
    if not isinstance(stage, OutOfFoldClassifier):
        return rows[:0]
    return np.sort(rows[stage.out_of_fold_rows_[stage.out_of_fold_decisions_ == ABSTAIN]])


def _too_few(cases: TrainingCases, rows: IntArray, name: str) -> bool:
    """Tell, with a warning, whether too few cases are left to fit a stage."""
    sizes = np.bincount(cases.codes[rows])
    sizes = sizes[sizes > 0]
    if len(sizes) >= 2 and sizes.min() >= 2:
        return False
    warnings.warn(
        f"Stage {name!r} would be fitted to {len(rows)} delegated cases of {len(sizes)} classes; a stage "
        "needs two cases of each of at least two classes. It and all later ones are left out, and what "
        "reaches them is abstained on. Hint: lower the cost of delegating at the stage before.",
        DegenerateDataWarning,
        stacklevel=3,
    )
    return True
