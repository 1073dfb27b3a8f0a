"""Holte, Drummond: cost curves of 1R and C4.5 on the Japanese credit data, and the talk's statements.

The talk names neither the split nor the rates of its two classifiers. Ten-fold cross-validation
of WEKA's OneR and J48 stands in.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from demur.costs.curves import average_cost_curves, cost_curve
from demur.costs.lines import CostLine, cost_line, cost_line_difference, roc_line_to_cost_point
from demur.costs.model import probability_cost
from demur.typing import BoolArray, FloatArray
from demur_studies._data import MissingDataError, PaperData
from demur_studies._learners import COUNTERPARTS, HeldOut, held_out_scores
from demur_studies._spread import pooled_spread
from demur_studies._study import Cell, Figure, Reproduction

__all__ = ["PUBLISHED", "REFERENCE", "TITLE", "run"]

TITLE = "Cost-sensitive Classifier Evaluation using Cost Curves"
REFERENCE = (
    "Robert C. Holte, Chris Drummond: Cost-sensitive Classifier Evaluation using Cost Curves, PAKDD "
    "2008 (invited talk); Chris Drummond, Robert C. Holte (2006), Cost curves, Machine Learning "
    "65(1), pp. 95-130, doi:10.1007/s10994-006-8199-5."
)

PUBLISHED: Mapping[str, Any] = {
    "Figure 1, crossing of 1R and C4.5 at PC(+)": 0.445,
    "Figure 1": "1R is better for larger PC(+), C4.5 for smaller",
    "Equation 1": "PC(+) is p(+) C(-|+) over the worst possible expected cost, in [0, 1]",
    "Equation 2": "FN PC(+) + FP (1 - PC(+)) is the expected cost over the worst possible one",
    "Duality": "points of ROC space are lines of cost space, lines are points",
    "Advantage 1": "vertical distances of cost curves are differences of performance",
    "Advantage 2": "the average of cost curves is the cost curve of the average performance",
    "Advantage 3": "confidence intervals and the significance of differences can be drawn",
}

_CREDIT = ("credit-a", "+")
_STAND_IN = ("credit-g", "bad")  # for the figures, where the Japanese data are missing


def run(*, quick: bool, data: PaperData, rng: np.random.Generator) -> Reproduction:
    """Compare 1R and C4.5 on credit-a, and check what the talk says of cost curves."""
    seeds = tuple(range(1, 4 if quick else 11))  # two or more: the tolerance is their spread
    remarks = ["The rates of the talk's classifiers are unknown: ten-fold cross-validation stands in."]
    cells: list[Cell] = []
    try:
        scores = _scores(data, *_CREDIT, seeds)
        name = _CREDIT[0]
        cells += _crossing_cells(scores)
    except MissingDataError as error:
        for where in list(PUBLISHED)[:2]:
            cells.append(Cell.not_run(where, published=PUBLISHED[where], needs=error.needs))
        scores, name = _stand_in(data)
    cells += [*_definition_cells(rng, 200 if quick else 5000), *_significance_cells(rng)]
    if scores:
        source = scores["1R"][0].source
        if source == "scikit-learn":
            words = f"1R: {COUNTERPARTS['OneR']}, C4.5: {COUNTERPARTS['J48']}"
            remarks.append(f"WEKA is not installed. Counterparts of scikit-learn stand in: {words}.")
        else:
            times = len(scores["1R"])
            remarks.append(f"Learners of WEKA 3.6 (OneR, J48, NaiveBayes), {times} x 10 folds, on {name}.")
    return Reproduction(cells=tuple(cells), figures=tuple(_figures(scores, name)), remarks=tuple(remarks))


def _stand_in(data: PaperData) -> tuple[dict[str, list[HeldOut]], str]:
    """Scores of another credit data set for the figures, or none."""
    try:
        return _scores(data, *_STAND_IN, (1,)), _STAND_IN[0]
    except MissingDataError:
        return {}, ""


def _scores(data: PaperData, name: str, positive: str, seeds: tuple[int, ...]) -> dict[str, list[HeldOut]]:
    learners = {"1R": "OneR", "C4.5": "J48", "naive Bayes": "NB"}
    return {
        words: [held_out_scores(data, name, learner, positive=positive, seed=seed) for seed in seeds]
        for words, learner in learners.items()
    }


def _line(one: HeldOut) -> CostLine:
    """The rule of the more probable class, a tie going to the positive one."""
    called = one.score >= 0.5
    n_positive = int(one.label.sum())
    return cost_line(
        float(np.mean(called[~one.label])),
        float(np.mean(~called[one.label])),
        n_positive=n_positive,
        n_negative=len(one.label) - n_positive,
    )


# ---------------------------------------------------------------- figure 1


def _crossing_cells(scores: Mapping[str, list[HeldOut]]) -> Iterator[Cell]:
    pairs = [(_line(a), _line(b)) for a, b in zip(scores["1R"], scores["C4.5"], strict=True)]
    crossings = [stump.crossing(tree) for stump, tree in pairs]
    inside = [value for value in crossings if value is not None]
    where, direction = list(PUBLISHED)[:2]
    stand_in = scores["1R"][0].source == "scikit-learn"
    known = "a tree of one split of scikit-learn in the place of 1R" if stand_in else ""
    spread = pooled_spread([inside], "the folds: the talk shows one draw")
    if spread is None:
        needs = "two or more fold seeds with which the lines cross"
        yield Cell.not_run(where, published=PUBLISHED[where], needs=needs)
    else:
        yield Cell.number(
            where,
            published=PUBLISHED[where],
            computed=float(np.mean(inside)),
            tolerance=spread.tolerance(3, ours=len(inside), printed=1),
            known=known or "the talk states neither the split nor the rates of its classifiers",
        )
    holds = [
        value is not None and stump.fpr > tree.fpr and stump.fnr < tree.fnr
        for (stump, tree), value in zip(pairs, crossings, strict=True)
    ]
    stump, tree = pairs[0]
    yield Cell.claim(
        direction,
        claim=PUBLISHED[direction],
        holds=all(holds),
        computed=f"1R FP {stump.fpr:.3f}, FN {stump.fnr:.3f}; C4.5 FP {tree.fpr:.3f}, FN {tree.fnr:.3f}; "
        f"in {sum(holds)} of {len(holds)} fold seeds",
        known=known,
    )


# ---------------------------------------------------------------- definitions and advantages


def _definition_cells(rng: np.random.Generator, trials: int) -> Iterator[Cell]:
    """Compare on random rates, priors and costs with the quotient of expected costs itself."""
    gaps: dict[str, float] = dict.fromkeys(("Equation 1", "Equation 2", "Duality", "Advantage 1"), 0.0)
    for _ in range(trials):
        prior, cost_fn, cost_fp = rng.uniform(0.01, 0.99), *rng.uniform(0.1, 10, 2)
        first, second = (cost_line(*rng.uniform(0, 1, 2)) for _ in range(2))
        worst = prior * cost_fn + (1 - prior) * cost_fp
        pc = probability_cost(prior, cost_fn=cost_fn, cost_fp=cost_fp)
        costs = [prior * cost_fn * line.fnr + (1 - prior) * cost_fp * line.fpr for line in (first, second)]
        y = [float(line.expected_cost(pc)) for line in (first, second)]
        slope = rng.uniform(0.1, 10)
        x_dual, y_dual = roc_line_to_cost_point(slope, 1 - first.fnr - slope * first.fpr)
        departures = {
            "Equation 1": abs(float(pc) - prior * cost_fn / worst),
            "Equation 2": abs(y[0] - costs[0] / worst),
            # a ROC line through the classifier's point is a cost point on the classifier's line
            "Duality": abs(float(first.expected_cost(x_dual)) - y_dual),
            "Advantage 1": abs((y[0] - y[1]) - (costs[0] - costs[1]) / worst),
        }
        gaps = {name: max(gaps[name], value) for name, value in departures.items()}
    gaps["Advantage 2"] = _averaging_gap(rng)
    for where, gap in gaps.items():
        yield Cell.claim(
            where,
            claim=PUBLISHED[where],
            holds=gap < 1e-12,
            computed=f"largest departure {gap:.1e}",
            checked="curves of ten random samples" if where == "Advantage 2" else f"{trials} random cases",
        )


def _random_scores(rng: np.random.Generator, n: int = 60) -> tuple[BoolArray, FloatArray]:
    label = np.arange(n) < n // 3
    return label, np.round(rng.normal(size=n) + label, 1)


def _averaging_gap(rng: np.random.Generator) -> float:
    """Distance of the average curve from the mean of the performances, at 101 operating points."""
    pc = np.linspace(0, 1, 101)
    curves = [cost_curve(*_random_scores(rng)) for _ in range(10)]
    mean = np.mean([np.asarray(curve.expected_cost(pc)) for curve in curves], axis=0)
    return float(np.max(np.abs(np.asarray(average_cost_curves(curves).expected_cost(pc)) - mean)))


def _significance_cells(rng: np.random.Generator) -> Iterator[Cell]:
    """A classifier and a worse copy of it on 400 cases: the exact interval of the difference."""
    label, score = _random_scores(rng, 400)
    called = score > 0.5
    worse = np.where(rng.random(400) < 0.25, ~called, called)
    gap = cost_line_difference(label, called, worse)
    low, high = gap.interval(0.5)
    same = cost_line_difference(label, called, called).interval(0.5)
    yield Cell.claim(
        "Advantage 3",
        claim=PUBLISHED["Advantage 3"],
        holds=high < 0 and same.low == same.high == 0,
        computed=f"against a copy with a quarter of its answers turned [{low:.3f}, {high:.3f}] at PC(+) = "
        f"1/2, against itself [{same.low:g}, {same.high:g}]",
        checked="exact law of the stratified bootstrap, 400 cases",
    )


# ---------------------------------------------------------------- figures


def _figures(scores: Mapping[str, list[HeldOut]], name: str) -> Iterator[Figure]:
    if not scores:
        return
    remark = "" if name == _CREDIT[0] else " (the talk: the Japanese credit data, credit-a)"
    yield Figure("fig-1", f"Cost curves of 1R and C4.5 on {name}{remark}.", partial(_draw_lines, scores))
    yield Figure(
        "envelopes",
        f"Lower envelopes of C4.5 and naive Bayes on {name}{remark}, with operating ranges.",
        partial(_draw_envelopes, scores),
    )
    yield Figure(
        "bands", f"The lines of figure 1 with 95 % bands, {name}{remark}.", partial(_draw_bands, scores)
    )


def _draw_lines(scores: Mapping[str, list[HeldOut]]) -> Any:
    from demur.displays.cost_curves import CostCurveDisplay

    lines = {words: _line(scores[words][0]) for words in ("1R", "C4.5")}
    return CostCurveDisplay.from_result(lines).plot().figure_


def _draw_envelopes(scores: Mapping[str, list[HeldOut]]) -> Any:
    from demur.displays.cost_curves import CostCurveDisplay

    curves = {words: cost_curve(scores[words][0].counts) for words in ("C4.5", "naive Bayes")}
    return CostCurveDisplay.from_result(curves).plot(annotate=True).figure_


def _draw_bands(scores: Mapping[str, list[HeldOut]]) -> Any:
    from demur.displays.cost_curves import CostCurveDisplay

    lines = {words: _line(scores[words][0]) for words in ("1R", "C4.5")}
    return CostCurveDisplay.from_result(lines).plot(band=0.95).figure_
