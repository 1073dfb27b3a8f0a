"""Table 1 of Friedel, Rueckert and Kramer (2006): three measures, and each divided by its maximum."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from demur_studies._friedel2006_scores import LEARNERS, MEASURES, Scored
from demur_studies._spread import pooled_spread
from demur_studies._study import Cell, Tolerance

__all__ = ["fold_spread", "table_cells"]

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
    for name in datasets:
        for learner, printed in zip(LEARNERS, published[table][name], strict=True):
            where = f"{table}, {name}, {learner}"
            yield Cell.number(
                where,
                published=printed,
                computed=float(np.mean(values[name][learner])),
                tolerance=_tolerance(
                    measure,
                    printed,
                    values[name][learner],
                    normalised=normalised,
                ),
                known=_OTHER_WEKA,
                place=(table, name, learner),
            )


def _values(scored: Scored, measure: str, *, normalised: bool) -> dict[str, list[float]]:
    """Learner -> one value per seed, normalised by the largest of the seed."""
    values = {learner: scored.values(learner, measure) for learner in scored.scores}
    if not normalised:
        return values
    best = np.max(list(values.values()), axis=0)
    return {learner: (np.array(each) / best).tolist() for learner, each in values.items()}


def _tolerance(measure: str, printed: float, values: Sequence[float], *, normalised: bool) -> Tolerance:
    # VACC is printed to three decimals below 0.1
    digits = 3 if measure == "VACC" and not normalised and printed < 0.1 else 2
    spread = pooled_spread([values], "the folds: the paper shows one seed")
    assert spread is not None
    return spread.tolerance(digits, ours=len(values), printed=1)


def fold_spread(scored: Scored, learner: str) -> float:
    """How far VACC moves with 95 % between two fold seeds, as a share of it."""
    spread = pooled_spread([scored.values(learner, "VACC")], "", relative=True)
    assert spread is not None
    return spread.tolerance(9, ours=1, printed=1).absolute
