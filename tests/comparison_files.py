"""Five files to compare models on: the demo, tied scores, a rare class, a flat score, weak models."""

import numpy as np

from demur.datasets.breast_cancer import breast_cancer_scores

__all__ = ["FILES", "demo", "random_costs"]


def demo():
    """The demo: four learners on 569 patients."""
    made = breast_cancer_scores()
    return (np.asarray(made.diagnosis) == "malignant").astype(int), made.scores


def tied():
    """Three models that give eleven marks each."""
    rng = np.random.default_rng(1)
    y = (rng.random(240) < 0.35).astype(int)
    return y, {
        name: np.clip(np.round(5 + gap * (y - 0.4) + rng.normal(0, 1.6, 240)), 0, 10)
        for name, gap in (("nurse", 1.0), ("doctor", 3.0), ("both", 4.0))
    }


def rare():
    """Nine positives among 400: fewer folds than ten."""
    rng = np.random.default_rng(2)
    y = np.zeros(400, dtype=int)
    y[rng.choice(400, 9, replace=False)] = 1
    return y, {"first": 2 * y + rng.normal(size=400), "second": 1.5 * y + rng.normal(size=400)}


def constant():
    """A model that says the same of everybody beside one that knows a little."""
    rng = np.random.default_rng(3)
    y = (rng.random(150) < 0.5).astype(int)
    return y, {"flat": np.full(150, 0.5), "little": 0.5 * y + rng.normal(size=150)}


def weak():
    """Five weak models on 300 loans of which 30 % fail, as in credit scoring."""
    rng = np.random.default_rng(4)
    y = (rng.random(300) < 0.3).astype(int)
    common = rng.normal(size=300)
    return y, {
        f"model {k}": (0.7 + 0.1 * k) * y + 0.6 * common + 0.8 * rng.normal(size=300) for k in range(5)
    }


FILES = {"demo": demo, "tied": tied, "rare": rare, "constant": constant, "weak": weak}


def random_costs(seed, number):
    """Cost points over several powers of ten: (miss, alarm, review)."""
    rng = np.random.default_rng(seed)
    for _ in range(number):
        miss, alarm = 10 ** rng.uniform(0, 4, 2)
        yield miss, alarm, min(miss, alarm) * 10 ** rng.uniform(-2.5, 0.5)
