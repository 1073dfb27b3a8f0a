"""Inner estimators of the estimator tests: scores known in advance, so the truth is known too."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

HAND_Y = np.array([0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1])
HAND_X = np.array([-0.9, -0.9, -0.5, -0.5, 0, 0, 0, 0.4, 0.4, 0.4, 0.8, 0.8])[:, None]


class FirstColumn(ClassifierMixin, BaseEstimator):
    """The score is the first feature; nothing is learned but the classes and the sum of the weights."""

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        self.weight_ = None if sample_weight is None else float(np.sum(sample_weight))
        return self

    def decision_function(self, X):
        return np.asarray(X, dtype=float)[:, 0]

    def predict(self, X):
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


class Columns(ClassifierMixin, BaseEstimator):
    """The features are the class probabilities."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.asarray(X, dtype=float)
