"""Waegeman, De Baets and Boullart (2006): measures for ordered classes, figures 1-7."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from demur.estimators.ordinal_rank import SupportVectorOrdinalClassifier
from demur.ordinal.experiments import (
    MEASURES,
    RankingExperiment,
    SeparabilityExperiment,
    normal_population,
    ranking_experiment,
    separability_experiment,
)
from demur.ordinal.roc import OrdinalRoc, ordinal_roc
from demur.typing import FloatArray, IntArray
from demur_studies._study import Cell, Figure, Reproduction

if TYPE_CHECKING:
    from demur_studies._data import PaperData

__all__ = ["PUBLISHED", "REFERENCE", "TITLE", "run"]

TITLE = "A Comparison of Different ROC Measures for Ordinal Regression"
REFERENCE = (
    "Waegeman, De Baets, Boullart: A Comparison of Different ROC Measures for Ordinal Regression, "
    "ROCML workshop at ICML 2006."
)

# The paper prints no numbers of its results: it describes the settings and what the figures show.
PUBLISHED = {
    "Theorem 2.1": "the share of ordered tuples is the volume under the ROC surface",
    "Eq. 15": "Pairs = 2/(r(r - 1)) times the sum of the priors' products times the pairwise AUC",
    "Figure 3": "the surface is approximated by two ROC curves (Cons is the mean of their areas)",
    "Figures 4 and 5, shape": "the relation between VUS and the other two measures is nonlinear",
    "Figures 4 and 5, levels": "the expected VUS depends heavily on the number of classes, "
    "the approximations do not",
    "Figures 4 and 5, half": "the expected value of the approximations is never lower than a half",
    "Figures 4 and 5, limit": "VUS converges rapidly to one when the distance increases",
    "Figure 6": "Cons and Ovo behave similarly, and become more dissimilar with the number of classes",
    "Section 3, Pairs": "with equal priors Ovo and Pairs always have the same value",
    "Figure 7, correlation": "Ovo and Pairs have a perfect correlation; the other pairs have not",
    "Figure 7, order": "for no pair of measures conditions (16) or (17) hold",
}

_SIZE = 100  # points per class of figure 1
_MEANS = np.array([[10.0, 10.0], [20.0, 10.0], [20.0, 20.0]])
_SDS = (5.0, 5.0, 7.0)
_C = 1.0
_LEVELS = (2, 3, 4, 5)
_EQUATION_15 = "misprint: divided by r^2 for equal priors (errata, Waegeman et al. 2006, eq. 15)"


def run(*, quick: bool, data: "PaperData", rng: np.random.Generator) -> Reproduction:
    """Draw the synthetic data and both simulations again; judge what the paper reads off the figures."""
    x, y, scores = _synthetic(rng)
    synthetic = ordinal_roc(y, scores)
    separated = separability_experiment(n_levels=_LEVELS, n_runs=5 if quick else 20, rng=rng)
    rankings = ranking_experiment(n_rankings=300 if quick else 1000, rng=rng)
    cells = [
        _volume_cell(synthetic),
        *_equation_cells(synthetic),
        _curves_cell(synthetic),
        *_separability_cells(separated),
        *_truth_cells(separated),
        *_ranking_cells(rankings),
    ]
    return Reproduction(
        cells=tuple(cells),
        figures=_figures(x, y, scores, separated, rankings),
        remarks=(
            'f of figures 1-3: support vector ordinal regression, as in the paper, "without looking at the '
            f'thresholds"; linear, C = {_C:g}. The paper states neither kernel nor C, and no value of f.',
            f"{separated.n_runs} runs per point of figures 4-6 (20 in the paper), "
            f"{len(rankings.vus)} rankings in figure 7 (1000 in the paper).",
            "The captions say r = 1, ..., 5; one class has no pairs, so r = 2, ..., 5 here.",
        ),
    )


def _synthetic(rng: np.random.Generator) -> tuple[FloatArray, IntArray, FloatArray]:
    """Points, labels and the score of support vector ordinal regression for the clusters of figure 1."""
    y = np.repeat([1, 2, 3], _SIZE)
    x = _MEANS[y - 1] + rng.normal(size=(len(y), 2)) * np.array(_SDS)[y - 1, None]
    return x, y, SupportVectorOrdinalClassifier(C=_C, kernel="linear").fit(x, y).rank_score(x)


def _volume_cell(roc: OrdinalRoc) -> Cell:
    volume, share = roc.surface().volume, roc.measures("strict").vus
    return Cell.claim(
        "Theorem 2.1",
        claim=PUBLISHED["Theorem 2.1"],
        holds=math.isclose(volume, share, abs_tol=1e-12),
        computed=f"volume of the staircase {volume:.6f}, share of ordered tuples {share:.6f}",
        checked="the surface of figure 2",
    )


def _equation_cells(roc: OrdinalRoc) -> list[Cell]:
    measured = roc.measures("strict")
    auc, r = np.asarray(measured.auc_matrix), 3
    printed = 2 / (r * (r - 1)) * np.nansum(np.triu(auc, 1)) / r**2
    return [
        Cell.formula(
            "Eq. 15, figure 1 data", published=float(printed), computed=measured.pairs, known=_EQUATION_15
        ),
        Cell.check(
            "Section 3, Pairs, figure 1 data",
            expected=measured.ovo,
            computed=measured.pairs,
            holds=math.isclose(measured.ovo, measured.pairs, abs_tol=1e-12),
            checked="Ovo and Pairs of demur, classes of equal size",
        ),
    ]


def _curves_cell(roc: OrdinalRoc) -> Cell:
    measured = roc.measures("strict")
    mean = float(np.mean(measured.cons_aucs))
    words = ", ".join(f"{area:.3f}" for area in measured.cons_aucs)
    return Cell.check(
        "Figure 3",
        expected=PUBLISHED["Figure 3"],
        holds=math.isclose(mean, measured.cons, abs_tol=1e-12),
        computed=f"areas {words}; their mean is Cons = {measured.cons:.3f}",
        checked="the data of figure 1",
    )


def _separability_cells(experiment: SeparabilityExperiment) -> list[Cell]:
    near = experiment.true_vus[:, 0], experiment.true_cons[:, 0]
    at_half = float(np.abs(np.column_stack([experiment.true_cons, experiment.true_ovo])[:, 0] - 0.5).max())
    chance = ", ".join(f"{vus:.3f}" for vus in near[0])
    # linear would mean one slope from chance to perfect
    bend = _bend(experiment.true_cons[1:], experiment.true_vus[1:])
    lowest = min(float(experiment.true_cons.min()), float(experiment.true_ovo.min()))
    middle = int(np.flatnonzero(np.isclose(experiment.distances, 1.0))[0])
    far = int(np.flatnonzero(np.isclose(experiment.distances, 3.0))[0])
    apart = (experiment.true_cons - experiment.true_ovo)[:, middle]
    rows = {
        "Figures 4 and 5, shape": (
            bend > 0.05,
            f"VUS is up to {bend:.3f} below the straight line from chance to perfection",
        ),
        "Figures 4 and 5, levels": (
            bool(np.all(np.diff(near[0]) < 0)) and at_half < 1e-9,
            f"at d = 0 VUS is {chance} for r = 2, 3, 4, 5 (1/r!), Cons and Ovo are 1/2",
        ),
        "Figures 4 and 5, half": (lowest > 0.5 - 1e-12, f"smallest expected Cons or Ovo {lowest:.3f}"),
        "Figures 4 and 5, limit": (
            bool(np.all(experiment.true_vus[:, far] > 0.9)),
            f"at d = 3 VUS is {', '.join(f'{v:.3f}' for v in experiment.true_vus[:, far])}",
        ),
        "Figure 6": (
            bool(np.all(np.diff(apart) > 0)),
            f"at d = 1 Cons exceeds Ovo by {', '.join(f'{v:.3f}' for v in apart)}",
        ),
    }
    return [
        Cell.claim(
            where,
            claim=PUBLISHED[where],
            holds=holds,
            computed=computed,
            checked="expected values without sampling, r = 2, ..., 5",
        )
        for where, (holds, computed) in rows.items()
    ]


def _bend(x: FloatArray, y: FloatArray) -> float:
    """Largest distance of the curves y(x) below their chords."""
    start, stop = slice(None, 1), slice(-1, None)
    chord = y[:, start] + (x - x[:, start]) * (y[:, stop] - y[:, start]) / (x[:, stop] - x[:, start])
    return float((chord - y).max())


def _truth_cells(experiment: SeparabilityExperiment) -> list[Cell]:
    """Means of the simulated runs beside the exact expectations of figures 4-6."""
    because = "4 standard errors of the mean of the runs, and 0.001"
    cells = []
    for figure, name in (("Figure 4", "vus"), ("Figure 4", "cons"), ("Figure 5", "ovo")):
        truth = getattr(experiment, f"true_{name}")
        for r, distance in ((3, 1.0), (5, 2.0)):
            row = list(experiment.n_levels).index(r)
            column = int(np.flatnonzero(np.isclose(experiment.distances, distance))[0])
            error = float(experiment.standard_errors[name][row, column])
            expected, computed = float(truth[row, column]), float(getattr(experiment, name)[row, column])
            cells.append(
                Cell.check(
                    f"{figure}, r = {r}, d = {distance:g}, {name.upper() if name == 'vus' else name.title()} "
                    "(expected value of the paper's model)",
                    expected=expected,
                    computed=computed,
                    holds=abs(computed - expected) <= 4 * error + 1e-3,
                    checked=f"simulated against exact; {because}",
                )
            )
    return cells


def _ranking_cells(experiment: RankingExperiment) -> list[Cell]:
    pairs = [(a, b) for i, a in enumerate(MEASURES) for b in MEASURES[i + 1 :]]
    correlation = {(a, b): experiment.correlations[MEASURES.index(a), MEASURES.index(b)] for a, b in pairs}
    others = [value for pair, value in correlation.items() if pair != ("ovo", "pairs")]
    same = correlation["ovo", "pairs"]
    opposite = {pair: experiment.agreement(*pair) for pair in pairs}
    kept = [f"{a} and {b}" for (a, b), order in opposite.items() if order.equivalent]
    broken = ", ".join(
        f"{a}/{b} {order.discordant:.1%}" for (a, b), order in opposite.items() if not order.equivalent
    )
    error = experiment.sds["vus"] / math.sqrt(len(experiment.vus))
    return [
        Cell.check(
            "Figure 7, mean of VUS (1/4!)",
            expected=1 / 24,
            computed=experiment.means["vus"],
            holds=abs(experiment.means["vus"] - 1 / 24) <= 4 * error,
            checked="theory; 4 standard errors of a mean over the rankings",
        ),
        Cell.claim(
            "Figure 7, correlation",
            claim=PUBLISHED["Figure 7, correlation"],
            holds=bool(same > 1 - 1e-9 and max(others) < 1 - 1e-6),
            computed=f"Ovo-Pairs {same:.6f}, the others {min(others):.3f} to {max(others):.3f}",
            checked=f"{len(experiment.vus)} random rankings",
        ),
        Cell.claim(
            "Figure 7, order",
            claim=PUBLISHED["Figure 7, order"],
            holds=not kept,
            computed=f"opposite orders: {broken}; both conditions hold for {' and '.join(kept) or 'no pair'}",
            checked="all pairs of rankings, equalities included",
            known="Ovo and Pairs are one measure for classes of equal size, as the paper says a sentence "
            "before; for all other pairs the statement holds",
        ),
    ]


# ---------------------------------------------------------------- figures


def _figures(
    x: FloatArray,
    y: IntArray,
    scores: FloatArray,
    separated: SeparabilityExperiment,
    rankings: RankingExperiment,
) -> tuple[Figure, ...]:
    def surface() -> Any:
        from demur.displays.ordinal import OrdinalSurfaceDisplay

        return OrdinalSurfaceDisplay.from_predictions(y, scores).plot().figure_

    def relations() -> Any:
        from demur.displays.ordinal import SeparabilityDisplay

        return SeparabilityDisplay(result=separated).plot().figure_

    def matrix() -> Any:
        from demur.displays.ordinal import OrdinalMeasuresDisplay

        return OrdinalMeasuresDisplay(result=rankings).plot().figure_

    truth = normal_population(_MEANS.sum(axis=1), sds=np.array(_SDS) * math.sqrt(2))
    return (
        Figure("figure-1", "The synthetic data set: three clusters in order.", lambda: _draw_points(x, y)),
        Figure(
            "figure-2",
            f"ROC surface of the synthetic data; the score x1 + x2 has the expected volume {truth.vus:.3f}.",
            surface,
        ),
        Figure("figure-3", "The two ROC curves whose areas Cons averages.", lambda: _draw_curves(y, scores)),
        Figure("figures-4-6", "VUS, Cons, Ovo and Pairs against each other, d = 0, ..., 5.", relations),
        Figure("figure-7", "Four measures of random rankings: histograms, scatter plots, agreement.", matrix),
    )


def _draw_points(x: FloatArray, y: IntArray) -> Any:
    from demur.displays.base import SERIES, axis_words, legend_below, new_axes

    figure, ax = new_axes(None, size=(5.2, 5.0))
    for level, marker in ((1, "o"), (2, "^"), (3, "s")):
        shown = x[y == level]
        color = SERIES[level - 1]
        ax.plot(*shown.T, ls="none", marker=marker, ms=4.5, alpha=0.75, color=color, label=f"class {level}")
    axis_words(ax, "first attribute", "second attribute")
    legend_below(ax)
    return figure


def _draw_curves(y: IntArray, scores: FloatArray) -> Any:
    from demur.displays.roc import RocCurveDisplay
    from demur.roc.curve import roc_curve

    curves = {
        "{1} against {2, 3}": roc_curve(y > 1, scores),
        "{1, 2} against {3}": roc_curve(y > 2, scores),
    }
    return RocCurveDisplay.from_result(curves).plot(hull=False).figure_
