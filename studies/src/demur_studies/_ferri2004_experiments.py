"""The experiments of Ferri and Hernandez-Orallo (2004) on spam and tic-tac-toe, and their figures."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from demur._progress import Progress
from demur.cautious.response import AverageResponseCurve, average_response_curves, response_curve
from demur.counts.scores import ScoreCounts
from demur.roc.curve import auc_score, roc_curve
from demur_studies._data import MissingDataError, PaperData
from demur_studies._ferri2004_examples import metric_words
from demur_studies._learners import HeldOut, held_out_scores
from demur_studies._spread import Spread, resampled_spread
from demur_studies._study import Figure

__all__ = ["MODELS", "Experiments", "LearnerRuns", "experiment_figures", "experiments_at_hand"]

# rows predicted neg, pos, unknown; columns actual neg, pos (class 1 is the positive one here)
COSTS = ((0.0, 20.0), (100.0, 0.0), (3.0, 2.0))
MODELS = {"J4.8": "J48-U-A", "J4.8 pruned": "J48-A", "NB": "NB", "Logistic": "Logistic"}
CORNER = ("bottom-right-square",)


@dataclass(frozen=True)
class LearnerRuns:
    """Repeated cross-validation of one learner: one `HeldOut` per repetition."""

    runs: list[HeldOut]

    @property
    def accuracy(self) -> float:
        """Mean accuracy over the repetitions."""
        return float(np.mean([run.accuracy for run in self.runs]))

    @property
    def auc(self) -> float:
        """Mean AUC over the repetitions."""
        return float(np.mean([auc_score(run.counts) for run in self.runs]))

    def values(self, measure: str) -> list[float]:
        """Return one value per repetition of "accuracy", "auc" or "auc at SHARE"."""
        if measure == "accuracy":
            return [run.accuracy for run in self.runs]
        return [_ranking(run.counts, measure) for run in self.runs]

    def resampled(self, measure: str) -> Spread:
        """Error of one repetition because its cases are a sample."""
        because = "the cases: one or two repetitions tell nothing of the folds"
        if measure == "accuracy":
            share, n = self.accuracy, len(self.runs[0].label)
            return Spread(math.sqrt(share * (1 - share) / n), math.inf, because)
        return resampled_spread(self.runs[0].counts, lambda counts: _ranking(counts, measure), because)

    @property
    def pooled(self) -> ScoreCounts:
        """Counts of all repetitions together."""
        first, *others = (run.counts for run in self.runs)
        return first.merge(*others) if others else first

    def response(self, metric: str) -> AverageResponseCurve:
        """Return the mean response curve over the repetitions."""
        costs = COSTS if metric == "cost" else None
        curves = [
            response_curve(run.label.astype(int), run.score, metric=metric, costs=costs) for run in self.runs
        ]
        return average_response_curves(curves)


def _ranking(counts: ScoreCounts, measure: str) -> float:
    """AUC, or that of the cases left at "auc at SHARE"."""
    if measure == "auc":
        return auc_score(counts)
    share = float(measure.rpartition(" ")[2])
    sizes = np.column_stack([counts.negatives, counts.positives]).astype(int).ravel()
    label = np.repeat(np.tile([0, 1], len(counts.scores)), sizes)
    score = np.repeat(np.repeat(counts.scores, 2), sizes)
    return float(response_curve(label, score, metric="auc").at(share))


@dataclass(frozen=True)
class Experiments:
    """What was run: spam, or what it needs, and the learners on tic-tac-toe."""

    spam: LearnerRuns | None
    spam_needs: str
    boards: dict[str, LearnerRuns]
    shortened: bool

    @property
    def source(self) -> str:
        """Whose learners ran."""
        return self.boards["J4.8"].runs[0].source


def experiments_at_hand(data: PaperData, *, quick: bool) -> Experiments:
    """Cross-validate the learners on what data there are."""
    repetitions = 2 if quick else 20
    with Progress(repetitions * (len(MODELS) + 1), "ferri2004") as progress:

        def scored(name: str, learner: str, positive: str, times: int, **options: Any) -> LearnerRuns:
            runs = []
            for seed in range(1, times + 1):
                runs.append(
                    held_out_scores(data, name, learner, positive=positive, seed=seed, folds=5, **options)
                )
                progress.advance()
            return LearnerRuns(runs)

        boards = {}
        for model, learner in MODELS.items():
            # in haste the learners of figures 19 to 22 run once
            times = 1 if quick and model != "J4.8" else repetitions
            boards[model] = scored("tic-tac-toe", learner, "positive", times, drop=CORNER)
        times, every = (1, 3) if quick else (repetitions, 1)
        try:
            spam = scored("spambase", MODELS["J4.8"], "1", times, every=every)
        except MissingDataError as error:
            return Experiments(None, error.needs, boards, shortened=quick)
    return Experiments(spam, "", boards, shortened=quick)


def experiment_figures(experiments: Experiments) -> Iterator[Figure]:
    """Figures 11 to 22."""
    tree = experiments.boards["J4.8"]
    shown = {"spam": (11, experiments.spam), "tic-tac-toe": (15, tree)}
    for name, (first, model) in shown.items():
        if model is None:
            continue
        yield Figure(f"fig-{first}", f"ROC curve of J4.8 on {name}.", partial(_draw_roc, {"J4.8": model}))
        for offset, metric in enumerate(("accuracy", "auc", "cost"), start=1):
            caption = f"{metric_words(metric)} response of J4.8 on {name}, mean over repetitions."
            yield Figure(f"fig-{first + offset}", caption, partial(_draw_responses, {"J4.8": model}, metric))
    three = {name: experiments.boards[name] for name in ("J4.8", "NB", "Logistic")}
    caption = "Accuracy response of three learners on tic-tac-toe."
    yield Figure("fig-19", caption, partial(_draw_responses, three, "accuracy"))
    for number, name in ((20, "NB"), (21, "Logistic")):
        alone = {name: experiments.boards[name]}
        yield Figure(f"fig-{number}", f"ROC curve of {name} on tic-tac-toe.", partial(_draw_roc, alone))
    trees = {"unpruned": tree, "pruned": experiments.boards["J4.8 pruned"]}
    caption = "Accuracy response of J4.8 without and with pruning on tic-tac-toe."
    yield Figure("fig-22", caption, partial(_draw_responses, trees, "accuracy"))


def _draw_roc(models: Mapping[str, LearnerRuns]) -> Any:
    from demur.displays.roc import RocCurveDisplay

    curves = {name: roc_curve(model.pooled) for name, model in models.items()}
    return RocCurveDisplay.from_result(curves).plot(hull=False).figure_


def _draw_responses(models: Mapping[str, LearnerRuns], metric: str) -> Any:
    from demur.displays.cautious import ResponseCurveDisplay

    curves = {name: model.response(metric) for name, model in models.items()}
    return ResponseCurveDisplay.from_result(curves).plot().figure_
