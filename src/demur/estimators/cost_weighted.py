"""`CostWeightedClassifier`: a classifier of several classes whose answers follow a cost matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from demur._checks import input_error
from demur.costs.matrix import as_cost_matrix, by_class
from demur.estimators.out_of_fold import TRAINING, OutOfFoldClassifier, TrainingCases
from demur.multiclass.weights import optimize_weights
from demur.typing import FloatArray, IntArray

__all__ = ["CostWeightedClassifier"]

# log-joint first: naive Bayes then keeps what the normalised form rounds away
_SCORERS = ("predict_joint_log_proba", "predict_log_proba", "predict_proba")


class CostWeightedClassifier(OutOfFoldClassifier):
    """Multiply the class probabilities of any classifier by weights that make its answers cheap.

    The weights come from `optimize_weights`, which explains the parameters, on scores of
    cross-validation, so that they do not trust the training fit.

    Parameters
    ----------
    estimator : classifier
        With ``predict_proba``, ``predict_log_proba`` or ``predict_joint_log_proba``.
    costs : mapping {true: {predicted: cost}}, CostMatrix or array, optional
        An array has rows true, columns predicted, classes sorted. Default: every mistake costs 1.
    method, family, priors, n_restarts
        As in `optimize_weights`.
    abstain_cost : number, or one per class, optional
        Allows the answer `abstain_label` at this price.
    abstain_label : label, optional
        What ``predict`` says when it abstains, as in `AbstainingClassifier`; must not be a class.
    cv : int, splitter or None
        Folds for the scores behind the weights; None uses the training scores (as the paper
        does; they flatter flexible models). At most as many folds as the rarest class has cases, or
        clusters.
    random_state : int or RandomState, optional
        For the random searches.

    Attributes
    ----------
    rule_ : ClassWeights
        Weights, objective, margin and bound on the scores used.
    classes_, estimator_, n_features_in_, feature_names_in_, abstain_label_
        As in `AbstainingClassifier`.
    out_of_fold_rows_, out_of_fold_decisions_ : array
        Cases that the weights were chosen on, and the decision on each, an index of `classes_`.

    Examples
    --------
    Calling a virginica a setosa is 20 times as bad as any other mistake:

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from demur import CostWeightedClassifier
    >>> data = load_iris()
    >>> y = data.target_names[data.target]
    >>> costs = {a: {b: 1 for b in data.target_names} | {a: 0} for a in data.target_names}
    >>> costs["virginica"]["setosa"] = 20
    >>> model = CostWeightedClassifier(GaussianNB(), costs).fit(data.data, y)
    >>> round(model.rule_.objective, 3), model.rule_.optimal
    (0.04, True)
    """

    refit = True
    _every_class = False

    def __init__(
        self,
        estimator: Any,
        costs: Any = None,
        *,
        method: str = "auto",
        family: str = "weights",
        priors: Any = None,
        abstain_cost: Any = None,
        abstain_label: Any = None,
        cv: Any = 5,
        n_restarts: int = 100,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.costs = costs
        self.method = method
        self.family = family
        self.priors = priors
        self.abstain_cost = abstain_cost
        self.abstain_label = abstain_label
        self.cv = cv
        self.n_restarts = n_restarts
        self.random_state = random_state

    def _folds(self, cases: TrainingCases) -> Any:
        whole = cases.cluster is None and cases.time is None
        folds = min(self.cv, cases.rarest) if isinstance(self.cv, int) and whole else self.cv
        return TRAINING if folds is None or (isinstance(folds, int) and folds < 2) else folds

    def _respond(self, estimator: Any, X: Any) -> FloatArray:
        """Return log scores; a class that a fold has not seen has the score 0."""
        name = next((name for name in _SCORERS if hasattr(estimator, name)), None)
        if name is None:
            hint = "wrap it in CalibratedClassifierCV."
            raise input_error("estimator", "must have predict_proba", type(estimator).__name__, hint)
        values = np.asarray(getattr(estimator, name)(X), dtype=np.float64)
        if name == "predict_proba":
            with np.errstate(divide="ignore"):
                values = np.log(values)
        scores = np.full((len(values), len(self.classes_)), -np.inf)
        scores[:, np.searchsorted(self.classes_, estimator.classes_)] = values
        return scores

    def _choose(self, X: Any, cases: TrainingCases, held_out: TrainingCases, response: Any) -> None:
        names = self.classes_.tolist()
        priors, abstain_cost = (
            None if getattr(self, name) is None else by_class(getattr(self, name), name, names)
            for name in ("priors", "abstain_cost")
        )
        costs = 1.0 - np.eye(len(names)) if self.costs is None else self.costs
        seed = self.random_state
        if seed is not None and not isinstance(seed, (int, np.integer)):
            seed = check_random_state(seed).randint(2**31 - 1)
        order = np.argsort(held_out.rows)
        ordered = held_out.at(order)
        self.rule_ = optimize_weights(
            response[order],
            ordered.codes,
            # class positions as names, after checking the user's names
            as_cost_matrix(costs, names).values,
            classes=range(len(names)),
            priors=priors,
            sample_weight=ordered.weights,
            method=self.method,
            family=self.family,  # type: ignore[arg-type]
            abstain_cost=abstain_cost,
            log=True,
            n_restarts=self.n_restarts,
            rng=None if seed is None else int(seed),
        )

    def _decide(self, response: Any) -> IntArray:
        return self.rule_.decide(response, log=True)

    def predict(self, X: Any) -> Any:
        """Return the cheapest answer for every case, `abstain_label_` where it abstains."""
        decided = self.decide(X)
        return (self.classes_ if self.abstain_cost is None else self._outcomes)[decided]
