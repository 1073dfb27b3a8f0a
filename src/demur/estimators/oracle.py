"""Models around a ready oracle, which is never fitted again; the plainest is the oracle at a threshold."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from demur._checks import check_type, input_error
from demur.costs.model import CostModel
from demur.typing import FloatArray
from demur.unlabelled.invented import oracle_classes, oracle_proba
from demur.unlabelled.thresholds import direct_threshold

__all__ = ["DirectThresholdClassifier", "OracleModel"]


class OracleModel(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What models around a ready oracle share: two classes, costs, clones that keep the oracle."""

    oracle: Any
    costs: CostModel | None
    pos_label: Any
    classes_: np.ndarray

    def __sklearn_clone__(self) -> Self:
        # The oracle is knowledge, not something to fit again: clones share it.
        options = {name: value for name, value in self.get_params(deep=False).items() if name != "oracle"}
        return type(self)(self.oracle, **{name: clone(value, safe=False) for name, value in options.items()})

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _cost_model(self) -> CostModel:
        if self.costs is None:
            return CostModel()
        check_type(self.costs, "costs", CostModel)
        return self.costs

    def _set_classes(self, y: Any) -> None:
        """Take the two classes from the oracle, else from y, else 0 and 1."""
        known = oracle_classes(self.oracle)
        if known is None:
            known = np.array([0, 1]) if y is None else np.unique(y)
            if len(known) != 2:
                raise input_error(
                    "y", "must hold two classes where the oracle names none", f"{len(known)} class"
                )
        self.classes_ = known
        if self.pos_label is not None and self.pos_label not in known.tolist():
            raise input_error("pos_label", f"must be one of {known.tolist()}", repr(self.pos_label))

    @property
    def _positive_index(self) -> int:
        return 1 if self.pos_label is None else self.classes_.tolist().index(self.pos_label)

    def _labels(self, positive: Any) -> np.ndarray:
        """Class labels of decisions 1 and 0."""
        index = self._positive_index
        return np.asarray(self.classes_[np.where(positive, index, 1 - index)])

    def _columns(self, positive: FloatArray) -> FloatArray:
        """Two columns of probabilities in the order of `classes_`."""
        columns = np.column_stack([1 - positive, positive])
        return columns if self._positive_index else columns[:, ::-1]


class DirectThresholdClassifier(OracleModel):
    """The oracle itself at the direct threshold: the plain rival of every mimetic model.

    No tree, no invented data: P(positive) of the oracle is compared with mu / (1 + mu). The
    paper leaves this baseline out; see `direct_threshold` for what makes it the cheapest.

    Parameters
    ----------
    oracle : fitted classifier or function
        Answers P(positive); never fitted again, clones share it.
    costs : CostModel, optional
        What each outcome costs; equal costs by default.
    pos_label : label, optional
        The positive class; the oracle's second class if left out.

    Attributes
    ----------
    classes_ : array of two labels
    decision_ : UnlabelledThreshold
        Threshold and assumption.

    Examples
    --------
    >>> from demur import CostModel
    >>> from demur.estimators import DirectThresholdClassifier
    >>> model = DirectThresholdClassifier(lambda X: X[:, 0], costs=CostModel(cost_fp=3)).fit()
    >>> import numpy as np
    >>> model.predict(np.array([[0.7], [0.8]])).tolist()
    [0, 1]
    """

    def __init__(self, oracle: Any, *, costs: CostModel | None = None, pos_label: Any = None) -> None:
        self.oracle = oracle
        self.costs = costs
        self.pos_label = pos_label

    def fit(self, X: Any = None, y: Any = None) -> Self:
        """Compute the threshold; `y` is used only to name the classes of a plain function."""
        self._set_classes(y)
        self.decision_ = direct_threshold(self._cost_model())
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the oracle's probabilities, one column per class."""
        check_is_fitted(self)
        return self._columns(oracle_proba(self.oracle, X, pos_label=self.pos_label))

    def predict(self, X: Any) -> np.ndarray:
        """Return the positive class where P(positive) reaches the threshold."""
        proba = self.predict_proba(X)[:, self._positive_index]
        return self._labels(self.decision_.decide(proba))
