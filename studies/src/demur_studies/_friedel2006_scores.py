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

__all__ = ["LEARNERS", "MEASURES", "POSITIVE", "Scored", "all_scores", "score_of"]

LEARNERS = {"J48": "J48", "NB": "NB", "PART": "PART", "RF": "RF10", "SVM": "SMO-M"}
POSITIVE = {
    "breast-w": "malignant",
    "bupa": "2",
    "credit-a": "+",
    "diabetes": "tested_positive",
    "haberman": "1",
    "vote": "republican",
}

_SMALL = ("bupa", "haberman", "vote")  # what --quick runs when scores have to be made
_YEAR = ("Patients_year_of_operation",)  # nominal in WEKA's copy of haberman


@dataclass(frozen=True)
class Scored:
    """All held-out scores of one data set: learner -> one `HeldOut` per seed."""

    name: str
    scores: dict[str, list[HeldOut]]
    missing: dict[str, str]

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
    """Held-out scores of every data set, and what those that are not there need."""
    datasets = {}
    with Progress(len(POSITIVE) * len(LEARNERS), "friedel2006") as progress:
        for name in POSITIVE:
            scores: dict[str, list[HeldOut]] = {}
            missing: dict[str, str] = {}
            for learner in LEARNERS:
                try:
                    scores[learner] = _one_learner(data, name, learner, quick=quick)
                except MissingDataError as error:
                    missing[learner] = error.needs
                progress.advance()
            datasets[name] = Scored(name, scores, missing)
    return datasets


def _one_learner(data: PaperData, name: str, learner: str, *, quick: bool) -> list[HeldOut]:
    """Ten seeds; in haste those that are saved, or one on a small data set."""
    if not quick:
        return [score_of(data, name, learner, seed) for seed in range(1, 11)]
    if data.has_weka_scores(name, 1):
        return [score_of(data, name, learner, seed) for seed in (1, 2, 3) if data.has_weka_scores(name, seed)]
    if name not in _SMALL:
        data.table(name)  # what is missing altogether is named first
        raise MissingDataError("a run without --quick, or saved scores in --data-dir")
    return [score_of(data, name, learner, 1)]


def score_of(data: PaperData, name: str, learner: str, seed: int) -> HeldOut:
    """Held-out scores of a learner of the paper, or of WEKA by its name."""
    nominal = _YEAR if name == "haberman" else ()
    weka_name = LEARNERS.get(learner, learner)
    return held_out_scores(data, name, weka_name, positive=POSITIVE[name], seed=seed, nominal=nominal)
