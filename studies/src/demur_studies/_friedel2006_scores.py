"""The data sets and learners of Friedel, Rueckert and Kramer (2006), and their held-out scores."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._progress import Progress
from demur.roc.curve import auc_score
from demur.surface.surface import AbstentionSurface, SurfaceDifference, abstention_surface
from demur.surface.volume import vacc_score
from demur_studies._data import MissingDataError, PaperData
from demur_studies._learners import HeldOut, held_out_scores
from demur_studies._shipped_counts import shipped_scores
from demur_studies._weka import weka_is_here

__all__ = [
    "LEARNERS",
    "MEASURES",
    "NOMINAL",
    "PARAMETERS",
    "POSITIVE",
    "SEEDS",
    "Scored",
    "all_scores",
    "score_of",
]

LEARNERS = {"J48": "J48", "NB": "NB", "PART": "PART", "RF": "RF10", "SVM": "SMO-M"}
POSITIVE = {
    "breast-w": "malignant",
    "bupa": "2",
    "credit-a": "+",
    "diabetes": "tested_positive",
    "haberman": "1",
    "vote": "republican",
}

SEEDS = tuple(range(1, 11))
NOMINAL = {"haberman": ("Patients_year_of_operation",)}  # in WEKA's copy
# statement -> learner of the paper, and WEKA's learners along the parameter
PARAMETERS = {
    "Section 4, pruning": {"0.05": "J48-C0.05", "0.1": "J48-C0.1", "0.25": "J48", "0.4": "J48-C0.4"},
    "Section 4, penalty": {
        "0.1": "SMO-C0.1",
        "0.3": "SMO-C0.3",
        "1": "SMO-M",
        "3": "SMO-C3",
        "10": "SMO-C10",
    },
}


@dataclass(frozen=True)
class Scored:
    """All held-out scores of one data set: learner -> one `HeldOut` per seed."""

    name: str
    scores: dict[str, list[HeldOut]]

    def values(self, learner: str, measure: str) -> list[float]:
        """One value per seed of "accuracy", "AUC" or "VACC"."""
        return [float(MEASURES[measure](one)) for one in self.scores[learner]]

    def mean(self, learner: str, measure: str) -> float:
        """Mean over the seeds."""
        return float(np.mean(self.values(learner, measure)))

    def surface(self, learner: str, run: int = 0) -> AbstentionSurface:
        """Surface of one seed."""
        return abstention_surface(self.scores[learner][run].counts)

    def difference(self, first: str, second: str, run: int = 0) -> SurfaceDifference:
        """Surface of the first minus that of the second learner, one seed."""
        return self.surface(first, run).minus(self.surface(second, run), nu=(0.0, 0.5))


MEASURES: dict[str, Any] = {
    "accuracy": lambda one: one.accuracy,
    "AUC": lambda one: auc_score(one.counts),
    "VACC": lambda one: vacc_score(one.counts),
}


def all_scores(data: PaperData, *, quick: bool) -> dict[str, Scored]:
    """Held-out scores of every data set with every fold seed; in haste WEKA is not run again."""
    datasets = {}
    with Progress(len(POSITIVE) * len(LEARNERS), "friedel2006") as progress:
        for name in POSITIVE:
            scores: dict[str, list[HeldOut]] = {}
            for learner in LEARNERS:
                scores[learner] = [score_of(data, name, learner, seed, again=not quick) for seed in SEEDS]
                progress.advance()
            datasets[name] = Scored(name, scores)
    return datasets


def score_of(data: PaperData, name: str, learner: str, seed: int, *, again: bool) -> HeldOut:
    """Held-out scores of a learner of the paper, or of WEKA by its name.

    Saved scores come first, then WEKA, if it is to run `again` and can, then the counts that are
    shipped with the studies.
    """
    weka_name = LEARNERS.get(learner, learner)
    saved = weka_name in LEARNERS.values() and data.has_weka_scores(name, seed)
    if saved or (again and weka_is_here()):
        try:
            return held_out_scores(
                data, name, weka_name, positive=POSITIVE[name], seed=seed, nominal=NOMINAL.get(name, ())
            )
        except MissingDataError:
            pass  # the table itself is not there
    run = shipped_scores(name, weka_name, seed)
    label, score = run.cases()
    return HeldOut(label=label, score=score, accuracy=run.accuracy, source="shipped")
