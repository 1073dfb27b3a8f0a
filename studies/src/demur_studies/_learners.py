"""Held-out scores of the papers' learners: saved ones, WEKA's own, or counterparts of scikit-learn."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur.counts.scores import ScoreCounts
from demur.typing import BoolArray, FloatArray
from demur_studies._data import MissingDataError, PaperData, Table
from demur_studies._weka import finished_weka_scores, weka_is_here

__all__ = ["COUNTERPARTS", "HeldOut", "held_out_scores"]

# what stands in where WEKA is missing, in words
COUNTERPARTS = {
    "J48": "entropy tree with C4.5-style pruning (binary splits)",
    "J48-A": "entropy tree with C4.5-style pruning and Laplace leaves",
    "J48-U-A": "unpruned entropy tree with Laplace leaves (binary splits)",
    "NB": "naive Bayes with normal densities",
    "RF10": "random forest of ten trees",
    "SMO-M": "linear support vectors with Platt's scaling",
    "Logistic": "logistic regression",
    "OneR": "tree of one split",
}


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class HeldOut:
    """Scores of cases a model had not seen.

    Attributes
    ----------
    label : array of bool
        Element i: whether case i is positive.
    score : array
        Element i: P(positive) of case i. The order of the cases means nothing.
    accuracy : float
        Share of cases whose most probable class is right.
    source : {"saved", "weka", "shipped", "scikit-learn"}
    """

    label: BoolArray
    score: FloatArray
    accuracy: float
    source: str

    @property
    def counts(self) -> ScoreCounts:
        """The counts of the scores."""
        return ScoreCounts.from_arrays(self.label, self.score)


def held_out_scores(
    data: PaperData,
    name: str,
    learner: str,
    *,
    positive: str,
    seed: int,
    folds: int = 10,
    drop: tuple[str, ...] = (),
    nominal: tuple[str, ...] = (),
    every: int = 1,
) -> HeldOut:
    """Score data set `name` in cross-validation with one of the learners of the papers.

    Saved scores of ten folds come first, then WEKA, then the counterpart of scikit-learn (there
    is none for PART). `drop` removes attributes, `every` keeps each k-th row only.
    `MissingDataError` says what is not there.
    """
    table = _part(data.table(name), drop, every)
    first = sorted(set(table.target.tolist()))[0] == positive
    if folds == 10 and not drop and every == 1 and data.has_weka_scores(name, seed):
        label, scores = data.weka_scores(name, seed)
        if learner in scores:
            return _held_out(label, scores[learner], "saved", first_is_positive=first)
    if weka_is_here():
        run = finished_weka_scores(
            data.finished, table, learner, positive=positive, seed=seed, folds=folds, nominal=nominal
        )
        label, score = run.cases()
        return HeldOut(label=label, score=score, accuracy=run.accuracy, source="weka")
    if learner not in COUNTERPARTS:
        raise MissingDataError("Java and Debian's package weka")
    label = table.labels(positive)
    score = _cross_validated(table.matrix(nominal=nominal), label, learner, seed=seed, folds=folds)
    return _held_out(label, score, "scikit-learn", first_is_positive=first)


def _part(table: Table, drop: tuple[str, ...], every: int) -> Table:
    kept = {name: values[::every] for name, values in table.attributes.items() if name not in drop}
    return Table(name=table.name, attributes=kept, target=table.target[::every], source=table.source)


def _held_out(label: BoolArray, score: FloatArray, source: str, *, first_is_positive: bool) -> HeldOut:
    # a tie goes to the class that comes first, as in WEKA
    called = score >= 0.5 if first_is_positive else score > 0.5
    return HeldOut(label=label, score=score, accuracy=float(np.mean(called == label)), source=source)


def _cross_validated(X: FloatArray, y: BoolArray, learner: str, *, seed: int, folds: int) -> FloatArray:
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    proba = cross_val_predict(_counterpart(learner, seed), X, y, cv=splitter, method="predict_proba")
    return np.asarray(proba[:, 1])


def _counterpart(learner: str, seed: int) -> Any:
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import LinearSVC

    from demur.estimators.trees import LaplaceTreeClassifier

    makers: dict[str, Callable[[], Any]] = {
        "J48": lambda: LaplaceTreeClassifier(random_state=seed),
        "J48-A": lambda: LaplaceTreeClassifier(random_state=seed),
        "J48-U-A": lambda: LaplaceTreeClassifier(prune="none", random_state=seed),
        "NB": GaussianNB,
        "RF10": lambda: RandomForestClassifier(10, random_state=seed),
        "SMO-M": lambda: make_pipeline(
            StandardScaler(), CalibratedClassifierCV(LinearSVC(random_state=seed), ensemble=False)
        ),
        "OneR": lambda: LaplaceTreeClassifier(prune="none", max_depth=1, random_state=seed),
        "Logistic": lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    }
    return makers[learner]()
