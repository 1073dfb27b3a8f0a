"""Out-of-fold scores of four learners on the breast-cancer data that scikit-learn ships."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import check_positive_int
from demur._results import Result
from demur.typing import FloatArray, IntArray

__all__ = ["BreastCancerScores", "breast_cancer_scores"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class BreastCancerScores(Result):
    """Scores of several models for the same patients; made by `breast_cancer_scores`.

    Attributes
    ----------
    diagnosis : array of str
        Element i: "malignant" (the positive class) or "benign".
    fold : array of int
        Element i: the fold in which patient i was held out.
    scores : dict
        Model name -> array; element i is P(malignant) from a model that did not see patient i.
    """

    diagnosis: Any
    fold: IntArray
    scores: dict[str, FloatArray]


def breast_cancer_scores(*, seed: int = 0, folds: int = 5) -> BreastCancerScores:
    """Score 569 patients with four learners, each patient by models that did not see her.

    Logistic regression, naive Bayes, a random forest and nearest neighbours, none of them
    tuned, in stratified cross-validation. Higher scores mean malignant.

    Parameters
    ----------
    seed : int, default 0
        Decides the folds and the forest.
    folds : int, default 5
        Number of folds, at least 2.

    Returns
    -------
    BreastCancerScores
        212 malignant and 357 benign cases.

    Notes
    -----
    The scores of different folds come from different models and are pooled as if from one:
    usual, and slightly unfair to all four alike.

    References
    ----------
    Street, Wolberg, Mangasarian (1993), "Nuclear feature extraction for breast tumor
    diagnosis", doi:10.1117/12.148698.

    Examples
    --------
    >>> from demur import auc_score
    >>> from demur.datasets.breast_cancer import breast_cancer_scores
    >>> data = breast_cancer_scores(folds=2)
    >>> auc_score(data.diagnosis, data.scores["logistic"], pos_label="malignant") > 0.98
    True
    """
    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    splitter = StratifiedKFold(check_positive_int(folds, "folds", minimum=2), shuffle=True, random_state=seed)
    data = load_breast_cancer()
    diagnosis = np.asarray(data.target_names)[data.target]
    malignant = diagnosis == "malignant"
    fold = np.zeros(len(malignant), dtype=np.int64)
    learners: dict[str, Any] = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        "naive_bayes": GaussianNB(),
        "forest": RandomForestClassifier(n_estimators=100, random_state=seed),
        "neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier(n_neighbors=15)),
    }
    scores = {name: np.zeros(len(malignant)) for name in learners}
    for number, (train, test) in enumerate(splitter.split(data.data, malignant)):
        fold[test] = number
        for name, learner in learners.items():
            fitted = learner.fit(data.data[train], malignant[train])
            scores[name][test] = fitted.predict_proba(data.data[test])[:, 1]
    return BreastCancerScores(diagnosis=diagnosis, fold=fold, scores=scores)
