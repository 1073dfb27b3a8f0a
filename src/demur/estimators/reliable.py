"""`ReliableClassifier`: a promised performance per class around any classifier."""

from __future__ import annotations

from typing import Any

from demur._checks import check_type
from demur.estimators.abstaining import TwoClassAbstainer, warn_of_note
from demur.estimators.out_of_fold import TrainingCases
from demur.exceptions import InputError
from demur.roc.isometrics import check_target
from demur.typing import IntArray
from demur.windows.promised import deterministic_window
from demur.windows.reliable import reliable_window
from demur.windows.reliable_rule import ReliableWindow

__all__ = ["ReliableClassifier"]


class ReliableClassifier(TwoClassAbstainer):
    """Classifier of two classes whose positive and negative decisions keep a promise each.

    The promise is a precision, an F-measure or a generalised m-estimate; it abstains as little
    as that allows. The promise is kept exactly on the out-of-fold scores; on new cases only up to
    sampling error.

    Parameters
    ----------
    estimator : classifier
        With `predict_proba` or `decision_function`. Cloned, unless ``cv="prefit"``.
    positive, negative : Precision, FMeasure or GmEstimate
        Promise for the positive and for the negative decisions.
    skew : float > 0, optional
        c = (cost_fp / cost_fn) (1 - prevalence) / prevalence in use; the sample's by default.
    randomized : bool, default False
        Meet the promises in expectation at points of the ROC hull, as the paper does, by a random draw
        where a cut splits a block. Abstains a little less; the same case may get another decision in
        another batch.
    random_state : int, optional
        Seed of those draws; every call of `predict` starts from it.
    pos_label, cv, abstain_label, response_method, refit
        As in `AbstainingClassifier`.

    Attributes
    ----------
    window_ : AbstentionWindow, or ReliableWindow if `randomized`
        Thresholds, abstention and the performances reached on the out-of-fold scores.
    classes_, estimator_, n_features_in_, feature_names_in_, out_of_fold_rows_, out_of_fold_decisions_
        As in `AbstainingClassifier`.

    References
    ----------
    Vanderlooy, Sprinkhuizen-Kuyper, Smirnov (2006), "An Analysis of Reliable Classifiers through
    ROC Isometrics", ROCML.

    Examples
    --------
    99 of 100 decisions right on both sides; a quarter of the cases is left to people:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from demur import Precision, ReliableClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = ReliableClassifier(GaussianNB(), positive=Precision(0.99), negative=Precision(0.99))
    >>> window = model.fit(X, y).window_
    >>> round(window.abstention_rate, 2), round(window.positive_performance, 3)
    (0.24, 0.99)
    """

    def __init__(
        self,
        estimator: Any,
        *,
        positive: Any = None,
        negative: Any = None,
        skew: float | None = None,
        randomized: bool = False,
        random_state: int | None = None,
        pos_label: Any = None,
        cv: Any = None,
        abstain_label: Any = None,
        response_method: str = "auto",
        refit: bool = True,
    ) -> None:
        self.estimator = estimator
        self.positive = positive
        self.negative = negative
        self.skew = skew
        self.randomized = randomized
        self.random_state = random_state
        self.pos_label = pos_label
        self.cv = cv
        self.abstain_label = abstain_label
        self.response_method = response_method
        self.refit = refit

    def _check(self, cases: TrainingCases) -> None:
        check_type(self.randomized, "randomized", bool)
        for name in ("positive", "negative"):
            target = getattr(self, name)
            if target is None:
                raise InputError(
                    f"`{name}` is missing. Hint: promise something, such as {name}=Precision(0.9)."
                )
            check_target(target, name)

    def _choose(self, X: Any, cases: TrainingCases, held_out: TrainingCases, response: Any) -> None:
        counts = self._counts(held_out, response)
        # the decided cases keep the promises, whether by chance on the hull or by thresholds
        design = reliable_window if self.randomized else deterministic_window
        self.window_ = design(
            counts, positive=self.positive, negative=self.negative, skew=self.skew, search="direct"
        )
        warn_of_note(self.window_)

    def _decide(self, response: Any) -> IntArray:
        if isinstance(self.window_, ReliableWindow):
            return self.window_.decide(response, rng=self.random_state)
        return super()._decide(response)
