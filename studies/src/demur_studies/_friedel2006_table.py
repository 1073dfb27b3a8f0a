"""Table 1 of Friedel, Rueckert and Kramer (2006): three measures, and each divided by its maximum."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from demur.roc.curve import auc_score
from demur.surface.volume import vacc_score
from demur_studies._friedel2006_scores import LEARNERS, MEASURES, Scored
from demur_studies._learners import COUNTERPARTS
from demur_studies._spread import Spread, pooled_spread, resampled_spread
from demur_studies._study import Cell, Tolerance

__all__ = ["fold_spread", "table_cells"]

_FOLDS = "the folds: the paper shows one seed"
_ENOUGH = 5  # seeds whose spread stands for itself; fewer are pooled over the data sets
_RESAMPLED = {"AUC": auc_score, "VACC": vacc_score}
_OTHER_WEKA = (
    "beyond rounding and folds: WEKA 3.6.14 is not the paper's WEKA, and its positive class is a guess"
)


def table_cells(datasets: Mapping[str, Scored], published: Mapping[str, Any]) -> Iterator[Cell]:
    """One cell per printed value of the six columns."""
    for measure in MEASURES:
        yield from _columns(datasets, published, f"Table 1, {measure}", measure, normalised=False)
    for measure in MEASURES:
        yield from _columns(datasets, published, f"Table 1, normalised {measure}", measure, normalised=True)


def _columns(
    datasets: Mapping[str, Scored],
    published: Mapping[str, Any],
    table: str,
    measure: str,
    *,
    normalised: bool,
) -> Iterator[Cell]:
    values = {name: _values(scored, measure, normalised=normalised) for name, scored in datasets.items()}
    for name, scored in datasets.items():
        for learner, printed in zip(LEARNERS, published[table][name], strict=True):
            where = f"{table}, {name}, {learner}"
            if learner in scored.missing:
                yield Cell.not_run(where, published=printed, needs=scored.missing[learner])
            elif learner not in values[name]:
                yield Cell.not_run(where, published=printed, needs="all five learners, and two fold seeds")
            else:
                others = [each[learner] for each in values.values() if learner in each]
                yield Cell.number(
                    where,
                    published=printed,
                    computed=float(np.mean(values[name][learner])),
                    tolerance=_tolerance(
                        scored,
                        learner,
                        measure,
                        printed,
                        values[name][learner],
                        others,
                        normalised=normalised,
                    ),
                    known=_reason(scored, learner),
                    place=(table, name, learner),
                )


def _values(scored: Scored, measure: str, *, normalised: bool) -> dict[str, list[float]]:
    """Learner -> one value per seed; normalised ones need every learner with the same seeds."""
    values = {learner: scored.values(learner, measure) for learner in scored.scores}
    if not normalised:
        return values
    lengths = {len(each) for each in values.values()}
    if scored.missing or lengths == {1} or len(lengths) != 1:
        return {}
    best = np.max(list(values.values()), axis=0)
    return {learner: (np.array(each) / best).tolist() for learner, each in values.items()}


def _tolerance(
    scored: Scored,
    learner: str,
    measure: str,
    printed: float,
    values: Sequence[float],
    others: Sequence[Sequence[float]],
    *,
    normalised: bool,
) -> Tolerance:
    relative = measure == "VACC" and not normalised
    # VACC is printed to three decimals below 0.1
    digits = 3 if relative and printed < 0.1 else 2
    ours = len(values)
    if ours >= _ENOUGH:
        own = pooled_spread([values], _FOLDS)
        assert own is not None
        return own.tolerance(digits, ours=ours, printed=1)
    pooled = pooled_spread(others, f"{_FOLDS} (spread pooled over the data sets)", relative=relative)
    if pooled is not None:
        scale = float(np.mean(values)) if relative else 1.0
        return pooled.tolerance(digits, ours=ours, printed=1, scale=scale)
    return _case_spread(scored, learner, measure).tolerance(digits, ours=1, printed=math.inf)


def _case_spread(scored: Scored, learner: str, measure: str) -> Spread:
    """Error of a single run because its cases are a sample."""
    one = scored.scores[learner][0]
    because = "the cases: one fold seed tells nothing of the folds"
    if measure == "accuracy":
        return Spread(math.sqrt(one.accuracy * (1 - one.accuracy) / len(one.label)), math.inf, because)
    return resampled_spread(one.counts, _RESAMPLED[measure], because)


def _reason(scored: Scored, learner: str) -> str:
    if scored.scores[learner][0].source == "scikit-learn":
        return f"{COUNTERPARTS[LEARNERS[learner]]} of scikit-learn in the place of WEKA's learner"
    return _OTHER_WEKA


def fold_spread(scored: Scored, learner: str) -> float | None:
    """How far VACC moves with 95 % between two fold seeds, as a share of it; None with one seed."""
    values = scored.values(learner, "VACC")
    spread = pooled_spread([values], "", relative=True)
    return (
        None
        if spread is None
        else Tolerance.repeated(
            9, spread=spread.deviation, ours=1, printed=1, because="", freedom=spread.freedom
        ).absolute
    )
