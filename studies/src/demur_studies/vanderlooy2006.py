"""Vanderlooy, Sprinkhuizen-Kuyper, Smirnov (2006): figures 1 to 7 and the theorems.

The paper gives no data behind its figures. Figures 6 and 7 print enough numbers to work out the
points a and b; the theorems are checked on random hulls with a random stretch left out.
"""

import math
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from demur.counts.scores import ScoreCounts
from demur.roc.curve import cut_out, roc_curve
from demur.roc.isometrics import FMeasure, GmEstimate, Precision, isometric, isometric_grid
from demur.typing import FloatArray
from demur.windows.reliable import reliable_window
from demur.windows.reliable_rule import ReliableWindow
from demur_studies._data import PaperData
from demur_studies._study import Cell, Figure, Reproduction, Tolerance
from demur_studies._vanderlooy2006_theorems import random_counts, theorem_cells

__all__ = ["PUBLISHED", "REFERENCE", "TITLE", "run"]

TITLE = "An Analysis of Reliable Classifiers through ROC Isometrics"
REFERENCE = (
    "Vanderlooy, Sprinkhuizen-Kuyper, Smirnov: An Analysis of Reliable Classifiers through ROC "
    "Isometrics, ROCML workshop at ICML 2006."
)

PUBLISHED: Mapping[str, Any] = {
    "Table 1": "the metric is constant on each isometric: precision, F, m-estimate, both classes",
    "Figure 4": "isometrics meet on, below or above the hull: cases 1, 2, 3; only case 3 abstains",
    "Section 6, case 2": "every hull point from b to a meets both performances",
    "Figure 5": {"prec_p": 0.93, "prec_n": 0.87, "skew": 1.0},
    "Figure 6": {
        "F_p at a": 0.72,
        "F_n at b": 0.75,
        "F_p": 0.7693,
        "F_n": 0.8597,
        "upr": 0.1541,
        "unr": 0.2116,
        "skew": 2.0,
        "new skew": 1.84,
    },
    "Figure 6, design": "F-measures on both sides lead to abstention (alpha = 1)",
    "Figure 7": {
        "prec_p": 0.97,
        "gm_n at b": 0.55,
        "gm_n": 0.5584,
        "m": 0.1,
        "new m": 0.18,
        "upr": 0.4549,
        "unr": 0.3763,
        "skew": 0.3,
        "new skew": 0.34,
    },
    "Theorem 2": "a and b become one point of the new curve, which starts at (0, 0) and ends at (1, 1)",
    "Theorem 3": "the new curve of a convex curve is convex",
    "Theorem 4": "with precision isometrics the new point has both precisions",
    "Theorem 5": "with equal precisions the accuracy equals them, otherwise it lies between them",
    "Theorem 6": "with F isometrics the new point has higher performance than both",
    "Theorem 7": "m-estimate, positive class: not lower if upr <= unr",
    "Theorem 8": "m-estimate, negative class: not lower if upr >= unr",
    "Corollary 1": "m-estimate: neither is lower if upr = unr",
    "Section 8.3": "fixed m: an increase in both classes is possible iff upr = unr",
}

_VALUES = np.arange(1, 10) / 10
_USED = "an input of the design, which must return it to 1e-9"


def run(*, quick: bool, data: PaperData, rng: np.random.Generator) -> Reproduction:
    """Check the printed numbers of figures 5 to 7, the isometrics, the cases and the theorems."""
    cells = [
        _table_1(),
        _figure_4(),
        _case_2(),
        *_figure_5(),
        *_figure_6(rng, 200 if quick else 2000),
        *_figure_7(),
        *theorem_cells(PUBLISHED, rng, 300 if quick else 5000),
    ]
    remarks = (
        "The paper shows no data: figures 4 and 5 use classes with normal scores, figures 6 and 7 the "
        "points that its printed numbers imply.",
    )
    return Reproduction(cells=tuple(cells), figures=tuple(_figures()), remarks=remarks)


# ---------------------------------------------------------------- isometrics and cases


def _table_1() -> Cell:
    """Walk along every isometric of figures 1 to 3 and evaluate the metric from its definition."""
    worst = 0.0
    for metric, options in _GRIDS.values():
        for side in ("positive", "negative"):
            for value in _VALUES:
                line = isometric(metric, side, float(value), skew=1.0, **options)
                fpr = np.linspace(0.05, 0.95, 19)
                tpr = line.slope * fpr + line.intercept
                inside = (tpr > 0) & (tpr < 1)
                value_on_line = _by_definition(metric, side, fpr[inside], tpr[inside], **options)
                worst = max(worst, float(np.max(np.abs(value_on_line - value), initial=0.0)))
    return Cell.claim(
        "Table 1, figures 1-3",
        claim=PUBLISHED["Table 1"],
        holds=worst < 1e-12,
        computed=f"largest departure {worst:.1e} on 54 lines",
        checked="metrics from their definition at 19 points of each line",
    )


def _by_definition(
    metric: str, side: str, fpr: FloatArray, tpr: FloatArray, *, alpha: float = 1.0, m: float = 0.0
) -> FloatArray:
    """The metrics of section 4 at skew 1, from counts of one positive and one negative."""
    hits, alarms = (tpr, fpr) if side == "positive" else (1 - fpr, 1 - tpr)
    if metric == "f_measure":
        precision, recall = hits / (hits + alarms), hits
        return np.asarray((1 + alpha**2) * precision * recall / (alpha**2 * precision + recall))
    return np.asarray((hits + m) / (hits + alarms + 2 * m))


def _binormal_counts(separation: float) -> ScoreCounts:
    """Counts of 2000 cases at evenly spread quantiles of two normal classes: a smooth convex hull."""
    from scipy.special import ndtri

    quantiles = ndtri((np.arange(1000) + 0.5) / 1000)
    scores = np.concatenate([quantiles, quantiles + separation])
    return ScoreCounts.from_arrays(np.repeat([False, True], 1000), scores)


def _three_cases() -> dict[int, ReliableWindow]:
    """Designs of cases 1, 2 and 3 on one hull; case 1 promises what one vertex reaches."""
    counts = _binormal_counts(1.5)
    hull = roc_curve(counts).convex_hull()
    k = int(np.argmin(np.abs(hull.fpr - 0.2)))
    at = float(hull.fpr[k]), float(hull.tpr[k])
    z_positive, z_negative = (
        float(Precision(0.5).at(*at, side=side, skew=1.0)) for side in ("positive", "negative")
    )
    promises = {1: (z_positive, z_negative), 2: (0.72, 0.72), 3: (0.9, 0.88)}
    return {
        case: reliable_window(counts, positive=Precision(p), negative=Precision(n))
        for case, (p, n) in promises.items()
    }


def _figure_4() -> Cell:
    designs = _three_cases()
    outcomes = {case: (window.case, window.abstention_rate) for case, window in designs.items()}
    words = ", ".join(f"case {case} abstains on {rate:.0%}" for case, rate in outcomes.values())
    return Cell.claim(
        "Figure 4",
        claim=PUBLISHED["Figure 4"],
        holds=all(case == got and (rate > 0) == (case == 3) for case, (got, rate) in outcomes.items()),
        computed=words,
    )


def _case_2() -> Cell:
    """One tied block: on the diagonal F_p >= .6 from t = 3/4 on, F_n >= .6 up to t = 1/4."""
    window = reliable_window([0, 1], [5, 5], positive=FMeasure(0.6), negative=FMeasure(0.6))
    where = "Section 6, case 2"
    return Cell.claim(
        where,
        claim=PUBLISHED[where],
        holds=window.case != 2 or not window.note,
        computed="tied scores, skew 1, F targets .6: a = (1, 1), b = (0, 0), no point between keeps both",
        known="erratum: true for precision; F and the m-estimate can fail again between b and a",
    )


def _figure_5_design() -> ReliableWindow:
    printed = PUBLISHED["Figure 5"]
    return reliable_window(
        _binormal_counts(1.5), positive=Precision(printed["prec_p"]), negative=Precision(printed["prec_n"])
    )


def _figure_5() -> Iterator[Cell]:
    window = _figure_5_design()
    for name, computed in (("prec_p", window.positive_reached), ("prec_n", window.negative_reached)):
        yield _returned(f"Figure 5, {name} of ROCCH 2", PUBLISHED["Figure 5"][name], computed)


def _returned(where: str, given: float, computed: float) -> Cell:
    """A printed target that the design was given: that it comes back says nothing of the paper."""
    holds = math.isclose(computed, given, abs_tol=1e-9)
    return Cell.check(where, expected=given, computed=computed, holds=holds, checked=_USED)


# ---------------------------------------------------------------- printed numbers of figures 6 and 7


def _figure_6_points() -> tuple[tuple[float, float], tuple[float, float], float]:
    """Return a, b and the new skew from the printed F', upr and unr, undoing theorem 2."""
    printed = PUBLISHED["Figure 6"]
    upr, unr = printed["upr"], printed["unr"]
    c = printed["skew"] * (1 - unr) / (1 - upr)
    planes = [
        FMeasure(printed["F_p"]).half_plane("positive", c),
        FMeasure(printed["F_n"]).half_plane("negative", c),
    ]
    rows = [[plane.by_fpr, plane.by_tpr] for plane in planes]
    fpr, tpr = np.linalg.solve(rows, [plane.level for plane in planes])
    a = float(fpr * (1 - unr)), float(tpr * (1 - upr))
    return a, (a[0] + unr, a[1] + upr), c


def _figure_6(rng: np.random.Generator, trials: int) -> Iterator[Cell]:
    printed = PUBLISHED["Figure 6"]
    a, b, c = _figure_6_points()
    yield Cell.number(
        "Figure 6, new skew",
        published=printed["new skew"],
        computed=c,
        tolerance=Tolerance.printed(2),
        known="erratum: c' = 2 (1 - .2116) / (1 - .1541) = 1.864",
    )
    known = "erratum: the printed F', upr and unr contradict the isometrics of the caption"
    for name, point, side in (("F_p at a", a, "positive"), ("F_n at b", b, "negative")):
        computed = float(FMeasure(0.5).at(*point, side=side, skew=printed["skew"]))
        where = f"Figure 6, {name}"
        yield Cell.number(
            where, published=printed[name], computed=computed, tolerance=Tolerance.printed(2), known=known
        )
    abstained = sum(_abstains_with_f(rng) for _ in range(trials))
    yield Cell.claim(
        "Figure 6, design",
        claim=PUBLISHED["Figure 6, design"],
        holds=abstained > 0,
        computed=f"abstention in {abstained} of {trials} random designs",
        checked="random hulls, targets and skews, alpha = 1",
        known="erratum: along every hull F_n peaks before F_p, so by the paper's own rule (highest tpr, "
        "lowest fpr) b never comes after a for alpha >= 1",
    )


def _abstains_with_f(rng: np.random.Generator) -> bool:
    """Design with two F targets that the hull can reach; tell whether it abstains."""
    counts = random_counts(rng)
    skew = float(rng.choice([0.3, 1.0, 2.0]))
    hull = roc_curve(counts).convex_hull()
    best = [
        float(np.max(FMeasure(0.5).at(hull.fpr, hull.tpr, side=side, skew=skew)))
        for side in ("positive", "negative")
    ]
    targets = [FMeasure(float(value * rng.uniform(0.5, 1.0))) for value in best]
    return reliable_window(counts, positive=targets[0], negative=targets[1], skew=skew).case == 3


def _figure_7_design() -> ReliableWindow:
    """10 000 positives and 3 000 negatives in three blocks that meet at the implied a and b."""
    printed = PUBLISHED["Figure 7"]
    upr, unr, c, m = (printed[key] for key in ("upr", "unr", "skew", "m"))
    # prec_p fixes the ratio of a's rates; gm_n' = .5584 with the new skew and new m fixes the point
    new_c = c * (1 - unr) / (1 - upr)
    new_m = m * (1 + c) / ((1 - upr) + c * (1 - unr))
    planes = [
        Precision(printed["prec_p"]).half_plane("positive", new_c),
        GmEstimate(printed["gm_n"], new_m).half_plane("negative", new_c),
    ]
    rows = [[plane.by_fpr, plane.by_tpr] for plane in planes]
    fpr, tpr = np.linalg.solve(rows, [plane.level for plane in planes])
    a = fpr * (1 - unr), tpr * (1 - upr)
    positives = np.array([1 - a[1] - upr, upr, a[1]]) * 10000
    negatives = np.array([1 - a[0] - unr, unr, a[0]]) * 3000
    counts = ScoreCounts.from_counts([1, 2, 3], positives, negatives)
    target = float(GmEstimate(0.5, m).at(a[0] + unr, a[1] + upr, side="negative", skew=c))
    return reliable_window(counts, positive=Precision(printed["prec_p"]), negative=GmEstimate(target, m))


def _figure_7() -> Iterator[Cell]:
    printed = PUBLISHED["Figure 7"]
    window = _figure_7_design()
    c = printed["skew"]
    new_m = printed["m"] * (1 + c) / ((1 - window.upr) + c * (1 - window.unr))
    returned = {
        "prec_p": window.positive_reached,
        "gm_n": window.reached("negative", hold="count"),
    }
    for name, computed in returned.items():
        yield _returned(f"Figure 7, {name}", printed[name], computed)
    for name, computed in {
        "gm_n at b": window.negative.value,
        "new skew": window.new_skew,
        "new m": new_m,
    }.items():
        yield Cell.number(
            f"Figure 7, {name}", published=printed[name], computed=computed, tolerance=Tolerance.printed(2)
        )


# ---------------------------------------------------------------- figures

_GRIDS: dict[str, tuple[str, dict[str, float]]] = {
    "fig-1": ("precision", {}),
    "fig-2": ("f_measure", {"alpha": 1.0}),
    "fig-3": ("gm_estimate", {"m": 0.1}),
}


def _figures() -> Iterator[Figure]:
    for name, (metric, _) in _GRIDS.items():
        words = metric.replace("_", "-")
        yield Figure(name, f"Isometrics of {words} at skew 1, values 0.1 to 0.9.", partial(_draw_grid, name))
    yield Figure("fig-4", "Isometrics that meet on, below and above the hull.", _draw_cases)
    yield Figure("fig-5", "The hull, and that of the decided cases: precisions .93 and .87.", _draw_figure_5)
    yield Figure(
        "fig-6",
        "F-measures: a and b as the printed numbers imply them, not as the caption says.",
        _draw_figure_6,
    )
    yield Figure("fig-7", "Precision and m-estimate with the negative class in the minority.", _draw_figure_7)


def _draw_grid(name: str) -> Any:
    from demur.displays.isometrics import IsometricDisplay

    metric, options = _GRIDS[name]
    return IsometricDisplay.from_result(isometric_grid(metric, skew=1.0, **options)).plot().figure_


def _draw_cases() -> Any:
    import matplotlib.pyplot as plt

    from demur.displays.isometrics import ReliableWindowDisplay

    figure, axes = plt.subplots(1, 3, figsize=(13, 4.8), layout="constrained")
    for ax, window in zip(axes, _three_cases().values(), strict=True):
        ReliableWindowDisplay.from_result(window).plot(ax, new_curve=False, legend=window.case == 1)
    return figure


def _draw_figure_5() -> Any:
    from demur.displays.isometrics import ReliableWindowDisplay

    return ReliableWindowDisplay.from_result(_figure_5_design()).plot().figure_


def _draw_figure_7() -> Any:
    from demur.displays.isometrics import ReliableWindowDisplay

    return ReliableWindowDisplay.from_result(_figure_7_design()).plot().figure_


def _draw_figure_6() -> Any:
    """By hand: no design of the paper's rule leads to these points."""
    import matplotlib.pyplot as plt

    from demur.displays.base import (
        ABSTAIN_COLOR,
        DIAGONAL,
        NEGATIVE_COLOR,
        POSITIVE_COLOR,
        ROC_SPACE,
        draw_guide,
    )

    a, b, _ = _figure_6_points()
    skew = PUBLISHED["Figure 6"]["skew"]
    fpr, tpr = np.array([0, a[0], b[0], 1]), np.array([0, a[1], b[1], 1])
    new = cut_out(fpr, tpr, 1.0, 2.0)
    figure, ax = plt.subplots(figsize=(5.4, 5.8), layout="constrained")
    ax.plot(fpr, tpr, color="black", lw=1.6, label="hull through a and b")
    ax.plot(*np.transpose([a, b]), color=ABSTAIN_COLOR, lw=5, zorder=1, label="abstained on")
    ax.plot(new.fpr, new.tpr, color="#009E73", lw=1.5, ls=(0, (6, 2)), label="hull of the decided cases")
    for (name, point, side), color in zip(
        (("a", a, "positive"), ("b", b, "negative")), (POSITIVE_COLOR, NEGATIVE_COLOR), strict=True
    ):
        value = float(FMeasure(0.5).at(*point, side=side, skew=skew))
        line = isometric("f_measure", side, value, skew=skew)
        ax.plot(*line.segment().T, color=color, lw=1.2, ls=(0, (4, 2)), label=f"F {value:.4f}, {side}")
        ax.plot(*point, marker="o", color=color, mec="black", ls="none")
        ax.annotate(name, point, xytext=(-6, 5), textcoords="offset points", ha="right", fontweight="bold")
    draw_guide(ax, DIAGONAL)
    ax.set(**ROC_SPACE)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(loc="lower right", fontsize=8.5)
    return figure
