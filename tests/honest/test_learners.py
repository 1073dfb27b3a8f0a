"""Rules that no comparison asks for are judged by `evaluate`, too: promised windows and ordered levels."""

import numpy as np
import pytest

from demur.costs.losses import Losses
from demur.counts.scores import ScoreCounts
from demur.honest.cases import SplitCases
from demur.honest.evaluate import CountsLearner, CutsLearner, Inputs, RowLearner, evaluate
from demur.ordinal import ordinal_thresholds
from demur.roc.isometrics import FMeasure
from demur.windows import deterministic_window
from demur.windows.rule import Window

PROMISES = {"positive": FMeasure(0.7), "negative": FMeasure(0.7)}


def _promised(counts):
    window = deterministic_window(counts, **PROMISES)
    return Window(window.lower, window.upper)


def test_windows_of_two_promises_against_loops_over_folds():
    rng = np.random.default_rng(0)
    y = rng.random(300) < 0.4
    score = np.round(1.5 * y + rng.normal(size=300), 1)
    settings = {"prevalence": None, "folds": 5, "repeats": 2, "rng": 0, "quantity": "a test"}
    cases = SplitCases.of_rows(y, None, weights="importance", **settings)
    model = cases.judge(score)
    (judged,) = evaluate(cases, model, [CountsLearner(_promised)], [_promised(model.counts)])
    for rows, codes in zip(cases.splits.repeats, judged.honest, strict=True):
        for fold in range(5):
            held = rows.fold == fold
            others = rows.cell[~held]
            window = _promised(ScoreCounts.from_arrays(y[others], score[others]))
            assert np.array_equal(codes[held], window.decide(score[rows.cell[held]]))


def test_cuts_of_ordered_levels_against_loops_over_folds():
    rng = np.random.default_rng(1)
    level = rng.integers(0, 4, 240)
    score = np.round(level + rng.normal(size=240), 1)

    def chosen(rows, number=None):
        return ordinal_thresholds(level[rows], score[rows], order=[0, 1, 2, 3]).rule

    cases = SplitCases.of_classes(level, None, (0, 1, 2, 3), rng=0)
    learner = CutsLearner(
        Losses.of_matrix(np.abs(np.subtract.outer(range(4), range(4))), None), range(4), range(4)
    )
    whole = chosen(np.arange(240))
    assert learner.fit_all(cases, score).cuts == whole.cuts
    judged, slow = evaluate(cases, Inputs(score), [learner, RowLearner(chosen)], [whole, whole])
    steps = []
    for rows, codes, again in zip(cases.splits.repeats, judged.honest, slow.honest, strict=True):
        assert np.array_equal(codes, again)
        steps.append(np.abs(codes - level[rows.cell]).mean())
    # what the cuts cost on cases that did not choose them, and on those that did
    assert np.mean(steps) > np.abs(judged.hindsight - level).mean()
    assert np.abs(judged.hindsight - level).mean() == pytest.approx(
        ordinal_thresholds(level, score, order=[0, 1, 2, 3]).cost
    )
