"""Figures: what `frame()` says was drawn, against the result objects, hand computation and brute force."""

import itertools
import math
import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import demur
from demur import (
    CostModel,
    DemurError,
    InputError,
    ScoreCounts,
    UndefinedError,
    abstention_surface,
    cost_curve,
    cost_line,
    net_benefit_curve,
    precision_recall_curve,
    roc_curve,
)
from demur.costs import CostLine, average_cost_curves, cost_line_difference, probability_cost
from demur.displays import (
    AbstentionSurfaceDisplay,
    CostCurveDisplay,
    CostDifferenceDisplay,
    NetBenefitDisplay,
    PrecisionRecallDisplay,
    RocCostDualDisplay,
    RocCurveDisplay,
    SurfaceDifferenceDisplay,
    SurfaceRowDisplay,
    WindowDisplay,
)
from demur.displays.base import thinned
from examples import examples

# a worked example whose windows are computed by hand: 5 distinct scores, 6 positives, 6 negatives
WORKED = ScoreCounts.from_counts([-0.9, -0.5, 0.0, 0.4, 0.8], [0, 1, 1, 2, 2], [2, 1, 2, 1, 0])
TIED = ScoreCounts.from_counts([3.0], [4], [6])
INFINITE = ScoreCounts.from_counts([-math.inf, -1.0, 0.5, 2.0, math.inf], [1, 1, 3, 2, 4], [5, 3, 2, 1, 1])
PERFECT = ScoreCounts.from_counts([0.0, 1.0], [0, 3], [2, 0])
DATA = {"worked": WORKED, "tied": TIED, "infinite": INFINITE, "perfect": PERFECT}


def many_blocks(size=90):
    """Shares of positives 1/(size + 1), ..., size/(size + 1): too many cells to draw one by one."""
    k = np.arange(1, size + 1)
    return ScoreCounts.from_counts(k / (size + 1), k, size + 1 - k)


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    plt.close("all")


def rows(display, **where):
    """Columns of the drawn rows with the given values."""
    drawn = display.frame()
    keep = np.ones(len(next(iter(drawn.values()))), dtype=bool)
    for name, value in where.items():
        keep &= drawn[name] == value
    assert keep.any(), f"nothing drawn with {where}"
    return {name: column[keep] for name, column in drawn.items()}


def points(display, x, y, **where):
    found = rows(display, **where)
    return list(zip(found[x].tolist(), found[y].tolist(), strict=True))


def legend_words(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


# ---------------------------------------------------------------- every figure on every kind of data

SURFACE_KINDS = {
    **{
        f"map of {what}": lambda s, what=what: AbstentionSurfaceDisplay(result=s).plot(
            what=what, resolution=20, borders=True, window=s.window(0.8, 0.2)
        )
        for what in ("cost", "abstention_rate", "lower", "upper")
    },
    **{
        kind: lambda s, kind=kind: AbstentionSurfaceDisplay(result=s).plot(
            kind=kind, borders=True, window=s.window(0.8, 0.2)
        )
        for kind in ("surface", "plane", "thresholds")
    },
    "row": lambda s: SurfaceRowDisplay(result={"A": s, "B": s.trivial()}).plot(resolution=20),
    "difference": lambda s: SurfaceDifferenceDisplay(result=s.minus(s.trivial())).plot(resolution=20),
    "window": lambda s: WindowDisplay(result=s, window=s.window(1, 0.2)).plot(),
    "window in bins": lambda s: WindowDisplay(result=s, window=s.window(1, 0.2)).plot(bins=1),
}
CURVE_KINDS = {
    "roc": lambda c: RocCurveDisplay.from_predictions(c).plot(window=abstention_surface(c).window(1, 0.2)),
    "precision": lambda c: PrecisionRecallDisplay.from_predictions(c).plot(),
    "cost": lambda c: CostCurveDisplay.from_predictions(c).plot(lines=True, annotate=True, prevalence=0.3),
    "costs": lambda c: CostCurveDisplay(result={"A": cost_curve(c), "B": cost_line(0.2, 0.2)}).plot(),
    "folds": lambda c: CostCurveDisplay(result=average_cost_curves([cost_curve(c), cost_curve(WORKED)])).plot(
        folds=[cost_curve(c), cost_curve(WORKED)]
    ),
    "line": lambda c: CostCurveDisplay(result=cost_line(0.1, 0.3, n_positive=9, n_negative=11)).plot(
        band=0.9
    ),
    "dual": lambda c: RocCostDualDisplay.from_predictions(c).plot(pc=0.4),
    "net benefit": lambda c: NetBenefitDisplay(result=net_benefit_curve(c)).plot(model=False, optimal=True),
    "cost difference": lambda c: CostDifferenceDisplay.from_predictions(
        [1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 0], [1, 0, 0, 1, 1, 0]
    ).plot(),
}


def draw(kind, counts):
    if kind in SURFACE_KINDS:
        return SURFACE_KINDS[kind](abstention_surface(counts))
    return CURVE_KINDS[kind](counts)


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("kind", [*SURFACE_KINDS, *CURVE_KINDS])
def test_every_frame_is_a_table_without_nan(kind, data):
    drawn = draw(kind, DATA[data]).frame()
    assert len({len(column) for column in drawn.values()}) == 1
    # a bar under the axis has a place, but no cost
    without_height = drawn["part"] == "operating range" if "part" in drawn else False
    for column in drawn.values():
        assert column.dtype.kind != "f" or not np.isnan(np.where(without_height, 0, column)).any()


@pytest.mark.parametrize("kind", [*SURFACE_KINDS, *CURVE_KINDS])
def test_every_figure_is_whole_and_no_legend_hides_data(kind):
    display = draw(kind, INFINITE)
    figure = display.figure_
    figure.canvas.draw()
    # nothing sticks out of the figure: labels, colour bars, legends, 3-D axes
    box = figure.get_tightbbox(figure.canvas.get_renderer())
    width, height = figure.get_size_inches()
    assert min(box.x0, box.y0) >= -0.02
    assert max(box.x1 - width, box.y1 - height) <= 0.02
    for ax in np.ravel(display.ax_):
        legend = ax.get_legend()
        if legend is not None and not hasattr(ax, "get_zlim"):
            assert not legend.get_window_extent().overlaps(ax.get_window_extent())


@pytest.mark.parametrize("kind", SURFACE_KINDS)
def test_one_class_is_drawn_where_the_result_exists(kind):
    display = SURFACE_KINDS[kind](abstention_surface([1, 1, 1], [0.1, 0.4, 0.4]))
    drawn = display.frame()
    assert all(np.isfinite(column).all() for column in drawn.values() if column.dtype.kind == "f")


def test_importing_displays_leaves_matplotlib_alone():
    names = demur.displays.__all__
    code = (
        "import sys, demur.displays\n"
        f"for name in {names!r}: getattr(demur.displays, name)\n"
        "assert 'matplotlib' not in sys.modules"
    )
    assert len(names) >= 10
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_given_axes_are_used_and_a_second_drawing_replaces_the_first():
    figure, ax = plt.subplots()
    display = RocCurveDisplay.from_predictions(WORKED).plot(ax)
    assert display.ax_ is ax
    assert display.figure_ is figure
    size = len(display.frame()["fpr"])
    assert len(display.plot(hull=False).frame()["fpr"]) < size


# ---------------------------------------------------------------- ROC and precision-recall


def test_roc_of_the_worked_example_by_hand():
    window = abstention_surface(WORKED).window(1, 0.25)
    display = RocCurveDisplay(result=roc_curve(WORKED)).plot(window=window)
    sixth = 1 / 6
    curve = [(0, 0), (0, 1 / 3), (sixth, 2 / 3), (0.5, 5 / 6), (2 / 3, 1), (1, 1)]
    hull = [(0, 0), (0, 1 / 3), (sixth, 2 / 3), (2 / 3, 1), (1, 1)]
    assert np.allclose(points(display, "fpr", "tpr", part="curve"), curve)
    assert np.allclose(points(display, "fpr", "tpr", part="hull"), hull)
    # scores >= 0.6 are called positive: 2 of 6 positives; only the two at -0.9 are called negative
    assert np.allclose(points(display, "fpr", "tpr", part="window"), [(0, 1 / 3), (2 / 3, 1)])
    assert rows(display, part="window")["threshold"] == pytest.approx([0.6, -0.7])
    assert np.allclose(display.lines_[0].get_xydata(), curve)


def test_roc_marks_of_a_window_against_decide():
    curve = roc_curve(INFINITE)
    for pair in itertools.combinations([-math.inf, -2.0, 0.5, 1.0, math.inf], 2):
        codes = demur.decide(INFINITE.scores, pair)
        display = RocCurveDisplay(result=curve).plot(window=pair)
        expected = [
            (INFINITE.negatives[chosen].sum() / 12, INFINITE.positives[chosen].sum() / 11)
            for chosen in (codes == 1, codes != 0)
        ]
        assert np.allclose(points(display, "fpr", "tpr", part="window"), expected)
        plt.close(display.figure_)


def test_thresholds_beside_infinite_scores_are_told_in_words():
    # no finite score is beyond these thresholds, so their value (the largest float) says nothing
    window = abstention_surface(INFINITE).window(1, 0.2)
    assert window.upper == np.finfo(float).max
    words = legend_words(RocCurveDisplay.from_predictions(INFINITE).plot(window=window).ax_)
    assert "upper threshold: positive from here up (below inf)" in words
    assert "lower threshold: negative from here down (above -inf)" in words


def test_several_roc_curves_keep_their_names():
    other = ScoreCounts.from_counts([0, 1, 2], [1, 2, 3], [3, 1, 2])
    curves = {"A": roc_curve(WORKED), "B": roc_curve(other)}
    display = RocCurveDisplay(result=curves).plot(hull=False)
    for name, curve in curves.items():
        assert rows(display, model=name)["tpr"].tolist() == curve.tpr.tolist()
    assert legend_words(display.ax_) == [f"{name}: AUC {curve.auc:.3f}" for name, curve in curves.items()]


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.sampled_from(["up", "any"]))
@settings(max_examples=examples(60), deadline=None)
def test_thinned_lines_stay_inside_the_strokes(seed, columns, course):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 600))
    x = np.sort(np.round(rng.random(size), int(rng.integers(1, 6))))
    y = np.sort(rng.random(size)) if course == "up" else np.round(rng.random(size), 2)
    kept = thinned(x, y, columns=columns)
    assert np.all(np.diff(kept) > 0)
    assert {0, size - 1} <= set(kept.tolist())
    assert len(kept) <= max(4 * columns + 4, min(size, 4 * columns))
    column = np.floor(x * columns)
    for number in np.unique(column):
        members, drawn = np.flatnonzero(column == number), kept[column[kept] == number]
        assert (members[0], members[-1]) == (drawn[0], drawn[-1])
        assert (y[members].min(), y[members].max()) == (y[drawn].min(), y[drawn].max())


def test_long_roc_curves_are_thinned_and_their_hull_is_not():
    rng = np.random.default_rng(5)
    y = rng.random(60_000) < 0.4
    curve = roc_curve(y, rng.normal(size=y.size) + y)
    display = RocCurveDisplay(result=curve).plot()
    drawn, hull = rows(display, part="curve"), curve.convex_hull()
    assert len(curve.fpr) == 60_001
    assert len(drawn["fpr"]) <= 4004
    assert rows(display, part="hull")["tpr"].tolist() == hull.tpr.tolist()
    # at every false positive rate the drawn line is within a thousandth of the curve
    at = np.searchsorted(drawn["fpr"], curve.fpr, side="right") - 1
    assert np.all(curve.fpr - drawn["fpr"][at] <= 1e-3)
    area = float(np.sum(np.diff(drawn["fpr"]) * (drawn["tpr"][1:] + drawn["tpr"][:-1])) / 2)
    assert area == pytest.approx(curve.auc, abs=1e-4)


def test_area_under_the_drawn_precision_steps_is_the_average_precision():
    for counts in (WORKED, INFINITE, TIED):
        curve = precision_recall_curve(counts)
        display = PrecisionRecallDisplay(result={"M": curve}).plot()
        x, y = display.lines_[0].get_xydata().T
        assert float(np.sum(np.diff(x) * y[1:])) == pytest.approx(curve.average_precision)
        assert display.frame()["precision"].tolist() == curve.precision.tolist()
        assert any(f"{curve.prevalence:.3g}" in words for words in legend_words(display.ax_))


# ---------------------------------------------------------------- cost curves


def test_cost_curve_of_the_worked_example_by_hand():
    display = CostCurveDisplay(result=cost_curve(WORKED)).plot(lines=True, annotate=True)
    corners = [(0, 0), (1 / 3, 2 / 9), (3 / 5, 4 / 15), (1, 0)]
    assert np.allclose(points(display, "pc", "cost", part="curve"), corners)
    assert np.allclose(display.lines_[0].get_xydata(), corners)
    fpr, fnr = [1, 2 / 3, 1 / 2, 1 / 6, 0, 0], [0, 0, 1 / 6, 1 / 3, 2 / 3, 1]
    assert rows(display, part="line at pc 0")["cost"] == pytest.approx(fpr)
    assert rows(display, part="line at pc 1")["cost"] == pytest.approx(fnr)
    assert rows(display, part="operating range")["pc"].tolist() == [0, 1]
    # area 7/45
    assert "area 0.156; beats trivial for PC(+) 0 to 1 (bar)" in legend_words(display.ax_)


def test_crossing_and_operating_ranges_of_lines_by_hand():
    lines = {"A": cost_line(0.1, 0.2), "B": cost_line(0.3, 0.1), "C": cost_line(0.5, 0.6)}
    display = CostCurveDisplay(result=lines).plot(annotate=True)
    # A = B at 0.1 + 0.1 x = 0.3 - 0.2 x
    assert display.crossings_ == [pytest.approx((2 / 3, 1 / 6))]
    assert points(display, "pc", "cost", part="crossing") == [pytest.approx((2 / 3, 1 / 6))]
    assert rows(display, part="operating range", model="A")["pc"] == pytest.approx([1 / 9, 9 / 11])
    assert "C: area 0.550; beats trivial nowhere" in legend_words(display.ax_)
    labels = [text.get_text() for text in display.ax_.texts]
    assert labels == ["0.667"]


def test_numbers_of_close_crossings_are_left_out():
    lines = {"A": cost_line(0.10, 0.5), "B": cost_line(0.14, 0.41), "C": cost_line(0.19, 0.32)}
    display = CostCurveDisplay(result=lines).plot()
    (first, _), (second, _) = display.crossings_
    assert (first, second) == pytest.approx((4 / 13, 5 / 14))
    assert [text.get_text() for text in display.ax_.texts] == ["0.308"]


def test_band_of_a_line_against_enumeration():
    line = CostLine.from_predictions([1] * 5 + [0] * 4, [1, 1, 0, 1, 0, 0, 1, 0, 0])
    display = CostCurveDisplay(result=line).plot(band=0.8)
    low, high = rows(display, part="band low"), rows(display, part="band high")
    for at in (0, 23, 50, 100):
        x = float(low["pc"][at])
        atoms = sorted(
            (
                x * i / 5 + (1 - x) * j / 4,
                math.comb(5, i) * 0.4**i * 0.6 ** (5 - i) * math.comb(4, j) * 0.25**j * 0.75 ** (4 - j),
            )
            for i in range(6)
            for j in range(5)
        )
        reached = np.cumsum([weight for _, weight in atoms])
        expected = [atoms[int(np.argmax(reached >= q - 1e-12))][0] for q in (0.1, 0.9)]
        assert (low["cost"][at], high["cost"][at]) == pytest.approx(expected, abs=1e-9)


def test_average_is_drawn_at_the_mean_of_its_folds():
    folds = [cost_curve(WORKED), cost_curve(INFINITE), cost_curve(TIED)]
    display = CostCurveDisplay(result=average_cost_curves(folds)).plot(folds=folds)
    drawn = rows(display, part="curve")
    mean = sum(np.asarray(fold.expected_cost(drawn["pc"])) for fold in folds) / 3
    assert drawn["cost"] == pytest.approx(mean)
    for number, fold in enumerate(folds):
        assert np.allclose(points(display, "pc", "cost", part="fold", model=str(number)), fold.vertices)


def test_mu_axis_against_probability_cost():
    display = CostCurveDisplay(result=cost_curve(WORKED)).plot(prevalence=0.2)
    labels = {text.get_text(): x for text, x in _ticks(display.mu_axis_)}
    assert labels["0"] == 1
    assert labels[r"$\infty$"] == 0
    for mu in ("1", "0.5", "0.2"):
        assert labels[mu] == pytest.approx(probability_cost(0.2, 1, float(mu)))
    assert min(np.diff(sorted(labels.values()))) >= 0.065
    assert CostCurveDisplay(result=cost_curve(WORKED)).plot().mu_axis_ is None


def _ticks(axis):
    return zip(axis.get_xticklabels(), axis.get_xticks(), strict=True)


def test_difference_of_two_classifiers_against_the_result():
    y = [1] * 20 + [0] * 20
    a = [1] * 18 + [0] * 2 + [0] * 15 + [1] * 5
    b = [1] * 10 + [0] * 10 + [0] * 16 + [1] * 4
    gap = cost_line_difference(y, a, b)
    display = CostDifferenceDisplay(result=gap).plot(confidence_level=0.9, names=("tree", "rule"))
    drawn = display.frame()
    assert drawn["difference"] == pytest.approx(np.asarray(gap.expected_cost(drawn["pc"])))
    for at in (0, 30, 77):
        ends = gap.interval(float(drawn["pc"][at]), confidence_level=0.9)
        assert (drawn["low"][at], drawn["high"][at]) == tuple(ends)
    assert drawn["significant"].tolist() == gap.significant(drawn["pc"], confidence_level=0.9).tolist()
    ((low, high),) = display.significant_
    assert high == 1
    # the border of the shaded range, to the width it promises
    assert not gap.significant(low - 1e-4, confidence_level=0.9)
    assert gap.significant(low + 1e-4, confidence_level=0.9)
    assert {text.get_text() for text in display.ax_.texts} == {"tree cheaper", "rule cheaper"}
    assert "cost of tree minus cost of rule" in legend_words(display.ax_)


def test_identical_classifiers_are_nowhere_significantly_different():
    y = [1, 1, 0, 0, 0]
    display = CostDifferenceDisplay.from_predictions(y, [1, 0, 0, 1, 0], [1, 0, 0, 1, 0]).plot()
    assert display.significant_ == []
    assert not display.frame()["difference"].any()


@pytest.mark.parametrize("pc", [0.0, 0.2, 0.5, 0.9, 1.0])
def test_dual_plots_touch_in_the_same_classifier(pc):
    display = RocCostDualDisplay(result=roc_curve(WORKED)).plot(pc=pc)
    ((fpr, tpr),) = points(display, "x", "y", part="touching point")
    ((_, cost),) = points(display, "x", "y", part="cost at pc")
    assert pc * (1 - tpr) + (1 - pc) * fpr == pytest.approx(cost)
    assert cost == pytest.approx(cost_curve(WORKED).expected_cost(pc))
    hull = points(display, "x", "y", part="hull")
    # point (fpr, tpr) here is the line from (0, fpr) to (1, 1 - tpr) there
    ends = zip(rows(display, part="line at pc 0")["y"], rows(display, part="line at pc 1")["y"], strict=True)
    assert np.allclose([(fpr, 1 - fnr) for fpr, fnr in ends], hull)
    corners = [(0, 0), (1 / 3, 2 / 9), (3 / 5, 4 / 15), (1, 0)]
    assert np.allclose(points(display, "x", "y", part="envelope"), corners)


# ---------------------------------------------------------------- surfaces


@pytest.mark.parametrize("data", ["worked", "infinite", "tied"])
@pytest.mark.parametrize("what", ["cost", "abstention_rate", "lower", "upper"])
def test_maps_against_the_window_of_every_point(what, data):
    surface = abstention_surface(DATA[data])
    display = AbstentionSurfaceDisplay(result=surface).plot(what=what, mu=(0, 1.5), resolution=7)
    drawn = display.frame()
    finite = surface.counts.scores[np.isfinite(surface.counts.scores)]
    low, high = finite.min(), finite.max()
    if low == high:
        low, high = low - 0.5, high + 0.5
    for mu, nu, value in zip(drawn["mu"], drawn["nu"], drawn["value"], strict=True):
        window = surface.window(float(mu), float(nu))
        expected = getattr(window, what)
        if what in ("lower", "upper"):
            expected = min(max(expected, low), high)
        assert value == pytest.approx(expected, abs=1e-12)
    # by default nu ends at mu / (1 + mu), above which nobody abstains
    assert drawn["nu"].max() == pytest.approx(1.5 / 2.5)
    assert display.colorbar_.ax.get_ylabel()


def test_lemma_border_is_drawn_and_labelled():
    ax = AbstentionSurfaceDisplay.from_predictions(WORKED).plot(resolution=5).ax_
    (line,) = [line for line in ax.lines if "abstaining never pays" in line.get_label()]
    x, y = line.get_xydata().T
    assert y == pytest.approx(x / (1 + x))


def pieces_of(display, **where):
    found = rows(display, **where)
    for piece in np.unique(found["piece"]):
        at = found["piece"] == piece
        yield np.column_stack([found["mu"][at], found["nu"][at]]), found["value"][at]


def integral_of(display, **where):
    """Area and volume of the drawn pieces, triangle by triangle."""
    area = volume = 0.0
    for polygon, height in pieces_of(display, **where):
        for k in range(1, len(polygon) - 1):
            (x1, y1), (x2, y2) = polygon[k] - polygon[0], polygon[k + 1] - polygon[0]
            size = abs(x1 * y2 - x2 * y1) / 2
            area += size
            volume += size * (height[0] + height[k] + height[k + 1]) / 3
    return area, volume


@pytest.mark.parametrize("data", DATA)
def test_drawn_surface_has_the_exact_volume(data):
    surface = abstention_surface(DATA[data])
    display = AbstentionSurfaceDisplay(result=surface).plot(kind="surface", mu=(0, 2), nu=(0, 0.5))
    area, volume = integral_of(display, part="surface")
    assert area == pytest.approx(1)
    assert volume == pytest.approx(surface.volume(mu=(0, 2), nu=(0, 0.5)), abs=1e-12)
    if data == "worked":
        assert volume == pytest.approx(1157 / 8640)


def test_plane_of_one_window_by_hand():
    surface = abstention_surface(WORKED)
    # window (1, 4): no errors, abstains on 8 of 12, so its plane is 2/3 nu
    window = surface.window(1, 0.25)
    display = AbstentionSurfaceDisplay(result=surface).plot(kind="plane", nu=(0, 1), window=window)
    ((corners, heights),) = pieces_of(display, part="plane")
    assert heights == pytest.approx(corners[:, 1] * 2 / 3)
    area, _ = integral_of(display, part="optimal")
    assert area == pytest.approx(1 / 6)
    _, volume = integral_of(display, part="surface")
    assert volume == pytest.approx(7 / 54)


def test_plane_of_a_pair_of_thresholds_against_the_window():
    surface = abstention_surface(WORKED)
    window = surface.window(1, 0.25)
    drawn = [
        AbstentionSurfaceDisplay(result=surface).plot(kind="plane", nu=(0, 1), window=given).frame()
        for given in (window, (window.lower, window.upper))
    ]
    assert drawn[0]["part"].tolist() == drawn[1]["part"].tolist()
    assert drawn[1]["value"] == pytest.approx(drawn[0]["value"])
    # (0.2, 0.6) misses 1 + 1 of 12, calls 2 positives right and abstains on the 3 cases at 0.4
    display = AbstentionSurfaceDisplay(result=surface).plot(kind="plane", window=(0.2, 0.6))
    ((corners, heights),) = pieces_of(display, part="plane")
    assert heights == pytest.approx(2 / 12 + corners[:, 1] * 3 / 12)
    with pytest.raises(InputError, match="`window` must be an AbstentionWindow for this kind"):
        AbstentionSurfaceDisplay(result=surface).plot(window=(0.2, 0.6))
    with pytest.raises(InputError, match="`window` must be an AbstentionWindow or a pair"):
        AbstentionSurfaceDisplay(result=surface).plot(kind="plane", window=(0.6, 0.2))


@pytest.mark.parametrize("counts", [WORKED, INFINITE, many_blocks()], ids=["worked", "infinite", "lattice"])
def test_slices_of_thresholds_against_windows(counts):
    surface = abstention_surface(counts)
    display = AbstentionSurfaceDisplay(result=surface).plot(kind="thresholds")
    drawn = display.frame()
    finite = counts.scores[np.isfinite(counts.scores)]
    for mu in np.unique(drawn["mu"]):
        for part in ("lower", "upper", "no abstention"):
            kept = (drawn["mu"] == mu) & (drawn["part"] == part)
            nu, height = drawn["nu"][kept], drawn["value"][kept]
            assert np.all(np.diff(nu) >= 0)
            # every step in its middle, and nothing is left out behind the last one
            for k in range(0, len(nu), 2):
                window = surface.window(mu, math.inf if part == "no abstention" else (nu[k] + nu[k + 1]) / 2)
                cut = window.upper if part == "upper" else window.lower
                assert height[k] == height[k + 1] == np.clip(cut, finite.min(), finite.max())
                assert window.is_empty == (part == "no abstention")
            if part == "lower" and len(nu) and nu[-1] < 0.5:
                assert surface.window(mu, nu[-1] + 1e-6).is_empty or counts.scores.size > 80


def test_too_many_cells_are_drawn_as_a_lattice():
    surface = abstention_surface(many_blocks())
    assert surface.n_cells == 91 * 92 // 2
    display = AbstentionSurfaceDisplay(result=surface).plot(kind="surface")
    drawn = display.frame()
    assert drawn["value"] == pytest.approx(np.asarray(surface.cost(drawn["mu"], drawn["nu"])))
    assert drawn["piece"].max() + 1 == 48 * 48
    plane = AbstentionSurfaceDisplay(result=surface).plot(kind="plane").frame()
    assert set(plane["part"].tolist()) == {"surface", "plane"}


def test_rows_share_their_scales():
    other = abstention_surface(ScoreCounts.from_counts([-2, 0, 1], [1, 2, 3], [4, 1, 1]))
    models = {"A": abstention_surface(INFINITE), "B": other}
    display = SurfaceRowDisplay(result=models).plot(resolution=12)
    assert display.ax_.shape == (2, 4)
    assert display.limits_["lower"] == display.limits_["upper"] == (-2, 2)
    for column, what in enumerate(("cost", "abstention_rate", "lower", "upper")):
        scales = {ax.collections[0].get_clim() for ax in display.ax_[:, column]}
        assert scales == {display.limits_[what]}
    for name, surface in models.items():
        drawn, grid = rows(display, model=name), surface.grid(12, nu=(0, 0.5))
        assert drawn["cost"].tolist() == grid.cost.ravel().tolist()
        assert drawn["abstention_rate"].tolist() == grid.abstention_rate.ravel().tolist()
        assert drawn["upper"].tolist() == np.clip(grid.upper, -2, 2).ravel().tolist()
    assert drawn["nu"].max() == 0.5
    assert display.ax_[1, 0].get_ylabel().startswith("B\n")
    # the middle of what is drawn: the same numbers in other colours
    central = SurfaceRowDisplay(result=models).plot(resolution=12, scale="central")
    both = np.concatenate([display.frame()[what] for what in ("lower", "upper")])
    assert np.ptp(np.quantile(both, [0.02, 0.98])) > 0
    assert central.limits_["lower"] == pytest.approx(np.quantile(both, [0.02, 0.98]))
    assert central.limits_["cost"] == display.limits_["cost"]
    assert central.frame()["upper"].tolist() == display.frame()["upper"].tolist()


def test_difference_map_against_the_two_surfaces():
    y, a, b = [0, 1, 0, 1, 1, 0, 1], [1, 2, 3, 4, 5, 6, 7], [3, 2, 1, 4, 5, 2, 1]
    display = SurfaceDifferenceDisplay.from_predictions(y, a, b).plot(names=("A", "B"), resolution=30)
    drawn = display.frame()
    first, second = abstention_surface(y, a), abstention_surface(y, b)
    expected = np.asarray(first.cost(drawn["mu"], drawn["nu"]))
    expected = expected - np.asarray(second.cost(drawn["mu"], drawn["nu"]))
    assert drawn["difference"] == pytest.approx(expected, abs=1e-12)
    low, high = display.mesh_.get_clim()
    assert -low == high == np.abs(drawn["difference"]).max()
    gap = display.result
    words = legend_words(display.ax_)
    assert f"A cheaper on {100 * gap.better_area / 0.5:.1f} % of the area" in words
    assert f"B cheaper on {100 * gap.worse_area / 0.5:.1f} % of the area" in words


def test_difference_to_the_trivial_rule_is_never_positive():
    # Erratum: figure 4e of Friedel et al. (2006) speaks of areas where the trivial classifier
    # "performs better"; it can only be equal there.
    display = SurfaceDifferenceDisplay.from_predictions([0, 1, 0, 0, 1], [1, 2, 2, 3, 4]).plot()
    assert display.frame()["difference"].max() <= 0
    assert display.frame()["equal"].any()
    tied = SurfaceDifferenceDisplay.from_predictions([0, 1, 0], [5, 5, 5]).plot()
    assert tied.frame()["equal"].all()
    assert "equal on 100.0 % of the area" in legend_words(tied.ax_)


# ---------------------------------------------------------------- windows


@pytest.mark.parametrize("bins", [1, 3, 40])
@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("prevalence", [None, 0.1])
def test_bars_add_up_to_the_window(data, bins, prevalence):
    surface = abstention_surface(DATA[data], prevalence=prevalence)
    for mu, nu in [(1, 0.25), (0.5, 0.1), (1, 0.5), (3, 0.02)]:
        window = surface.window(mu, nu)
        display = WindowDisplay.from_result(surface, window).plot(bins=bins)
        drawn = display.frame()
        total = {
            (zone, name): float(drawn[name][drawn["decision"] == zone].sum())
            for zone in ("negative", "abstain", "positive")
            for name in ("positive", "negative")
        }
        assert total["negative", "positive"] == pytest.approx(window.fn)
        assert total["positive", "negative"] == pytest.approx(window.fp)
        assert total["abstain", "positive"] == pytest.approx(window.abstained_positive)
        assert total["abstain", "negative"] == pytest.approx(window.abstained_negative)
        assert sum(total.values()) == pytest.approx(1)
        assert f"abstain: {100 * window.abstention_rate:.1f} % of the cases" in legend_words(display.ax_)
        plt.close(display.figure_)


def test_no_bar_crosses_a_threshold():
    rng = np.random.default_rng(7)
    y = rng.random(500) < 0.4
    score = rng.normal(size=500) + y
    costs = CostModel(cost_fn=10, cost_fp=4, cost_abstain=1)
    display = WindowDisplay.from_predictions(y, score, costs=costs).plot(bins=25)
    drawn, window = display.frame(), display.window
    assert np.all(drawn["high"][drawn["decision"] == "negative"] <= window.lower)
    assert np.all(drawn["low"][drawn["decision"] == "positive"] >= window.upper)
    bars = np.array([bar.get_height() * bar.get_width() for bar in display.bars_[0]])
    assert bars.sum() == pytest.approx(y.mean())


def test_infinite_scores_are_told_in_the_legend():
    surface = abstention_surface(INFINITE)
    display = WindowDisplay(result=surface, window=(-1.0, 2.0)).plot()
    words = legend_words(display.ax_)
    assert f"positives (up, {100 * 5 / 23:.1f} % of the cases at infinity)" in words
    assert f"negatives (down, {100 * 6 / 23:.1f} % of the cases at infinity)" in words


# ---------------------------------------------------------------- net benefit


def test_optimal_net_benefit_against_the_best_threshold_by_brute_force():
    counts, scores = WORKED, WORKED.scores
    curve = net_benefit_curve(counts)
    display = NetBenefitDisplay(result={"M": curve}).plot(
        threshold_probability=(0, 0.9), model=False, optimal=True
    )
    drawn = rows(display, part="best threshold in hindsight")
    cuts = [*scores, math.inf]
    for at in range(0, len(drawn["net_benefit"]), 50):
        t = drawn["threshold_probability"][at]
        best = max(
            (counts.positives[scores >= cut].sum() - t / (1 - t) * counts.negatives[scores >= cut].sum()) / 12
            for cut in cuts
        )
        assert drawn["net_benefit"][at] == pytest.approx(best)
    # the curve bends at the shares of positives of the blocks, 2/5 and 2/3: drawn exactly
    for share in (2 / 5, 2 / 3):
        assert np.abs(drawn["threshold_probability"] - share).min() < 1e-12
    trivial = rows(display, part="act on all")
    assert trivial["net_benefit"] == pytest.approx(
        np.asarray(curve.treat_all(trivial["threshold_probability"]))
    )


def test_net_benefit_against_the_result():
    y, s = [0, 0, 0, 1, 0, 1, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 0.9]
    display = NetBenefitDisplay.from_predictions(y, s, prevalence=0.2).plot(
        optimal=True, confidence_level=0.9
    )
    drawn, low, high = (rows(display, part=part) for part in ("model", "lower limit", "upper limit"))
    curve = net_benefit_curve(y, s, prevalence=0.2)
    t = drawn["threshold_probability"]
    assert drawn["net_benefit"] == pytest.approx(np.asarray(curve.net_benefit(t)))
    assert np.all(drawn["net_benefit"] <= np.asarray(curve.optimal_net_benefit(t)) + 1e-12)
    limits = curve.interval(t, confidence_level=0.9)
    assert low["net_benefit"] == pytest.approx(np.asarray(limits.low))
    assert high["net_benefit"] == pytest.approx(np.asarray(limits.high))
    assert len(display.bands_) == 1
    # both sides of every jump are drawn: acted on at 0.4, not any more just above
    assert {0.4, float(np.nextafter(0.4, 1))} <= set(t.tolist())


def test_models_of_two_prevalences_have_two_trivial_lines():
    curves = {rate: net_benefit_curve(WORKED, prevalence=rate) for rate in (0.2, 0.5)}
    display = NetBenefitDisplay(result=curves).plot(model=False, optimal=True)
    assert {"act on all, prevalence 0.2", "act on all, prevalence 0.5"} <= set(legend_words(display.ax_))


# ---------------------------------------------------------------- wrong arguments

HUGE = abstention_surface(ScoreCounts.from_counts([-1.7e308, 0, 1.7e308], [0, 1, 2], [2, 1, 0]))

SURFACE = abstention_surface(WORKED)
MAP = AbstentionSurfaceDisplay(result=SURFACE)
GAP = SurfaceDifferenceDisplay(result=SURFACE.minus(SURFACE.trivial()))
COSTS = CostCurveDisplay(result=cost_curve(WORKED))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: RocCurveDisplay(result=3), "`result` must be a RocCurve, or a mapping"),
        (lambda: RocCurveDisplay(result={}), "or a mapping with at least one, got an empty mapping"),
        (lambda: SurfaceRowDisplay(result=3), "`result` must be an AbstentionSurface, or a mapping"),
        (lambda: RocCurveDisplay(result={"A": 3}), r"`result\['A'\]` must be a RocCurve, got int"),
        (
            lambda: CostCurveDisplay(result=SURFACE),
            "must be a CostCurve or ReviewedCostCurve or AverageCostCurve or CostLine",
        ),
        (
            lambda: SurfaceDifferenceDisplay(result=SURFACE),
            "must be a SurfaceDifference, got AbstentionSurface",
        ),
        (lambda: RocCurveDisplay.from_predictions(WORKED).plot(window=(2, 1)), "lower <= upper"),
        (lambda: COSTS.plot(band=0.95), "`band` needs a CostLine"),
        (lambda: CostCurveDisplay(result=cost_line(0.1, 0.2)).plot(band=2), r"`band` must lie in \[0, 1\]"),
        (lambda: CostCurveDisplay(result=cost_line(0.1, 0.2)).plot(lines=True), "`lines` needs a CostCurve"),
        (lambda: COSTS.plot(prevalence=1.0), "`prevalence` must lie strictly between 0 and 1"),
        (lambda: COSTS.plot(prevalence=2), r"`prevalence` must lie in \[0, 1\]"),
        (lambda: COSTS.plot(folds=[3]), r"`folds\[0\]` must be a cost curve or a cost line, got int"),
        (lambda: RocCostDualDisplay.from_predictions(WORKED).plot(pc=2), r"`pc` must lie in \[0, 1\]"),
        (lambda: RocCostDualDisplay.from_predictions(WORKED).plot(3), "`ax` must hold two axes"),
        (lambda: MAP.plot(kind="globe"), "`kind` must be one of 'map', 'surface', 'plane', 'thresholds'"),
        (lambda: MAP.plot(what="risk"), "`what` must be one of 'cost', 'abstention_rate'"),
        (lambda: MAP.plot(kind="surface", what="lower"), "`what` must be left out for kind 'surface'"),
        (lambda: MAP.plot(resolution=0), "`resolution` must be a whole number"),
        (lambda: MAP.plot(mu=(1, 1)), "`mu` must be a pair with low < high"),
        (lambda: MAP.plot(nu=(-1, 1)), "`nu` must start at 0"),
        (lambda: MAP.plot(window=(1, 2)), "`window` must be an AbstentionWindow"),
        (lambda: MAP.plot(plt.figure().add_subplot(), kind="surface"), "`ax` must be three-dimensional"),
        (
            lambda: MAP.plot(window=SURFACE.window(5, 0.2)),
            "`window` must be for costs the figure shows, got mu 5",
        ),
        (lambda: MAP.plot(kind="surface", window=SURFACE.window(1, math.inf)), "got mu 1, nu inf"),
        (lambda: MAP.plot(kind="plane", window=SURFACE.window(1, 0.1, 0.2)), "one cost of abstaining"),
        (
            lambda: AbstentionSurfaceDisplay(result=abstention_surface(many_blocks())).plot(
                kind="surface", borders=True
            ),
            "`borders` needs a surface of at most 3000 cells here, got 4186",
        ),
        (lambda: SurfaceRowDisplay(result=SURFACE).plot(plt.figure().add_subplot()), "must hold 1 x 4 axes"),
        (
            lambda: WindowDisplay(result=HUGE, window=(0, 1)).plot(),
            "`y_score` must span a range that an axis can",
        ),
        (lambda: AbstentionSurfaceDisplay(result=HUGE).plot(what="lower"), "rank or rescale the scores"),
        (lambda: GAP.plot(names="AB"), "`names` must be two names"),
        (lambda: GAP.plot(names=("A",)), "`names` must be two names"),
        (
            lambda: WindowDisplay(result=SURFACE, window=3),
            "`window` must be an AbstentionWindow or a pair",
        ),
        (lambda: WindowDisplay(result=SURFACE, window=(0, 1)).plot(bins=0), "`bins` must be a whole number"),
        (
            lambda: NetBenefitDisplay(result=net_benefit_curve(WORKED)).plot(threshold_probability=(0, 1)),
            "low < high < 1",
        ),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_undefined_figures():
    with pytest.raises(UndefinedError, match="needs the number of cases"):
        CostCurveDisplay(result=cost_line(0.1, 0.2)).plot(band=0.9)
    with pytest.raises(UndefinedError, match="needs both classes, got prevalence 0"):
        NetBenefitDisplay.from_predictions(WORKED, prevalence=0.0).plot()


def test_nothing_drawn_yet():
    with pytest.raises(DemurError, match=r"call plot\(\) first"):
        RocCurveDisplay.from_result(roc_curve(WORKED)).frame()


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(DemurError, match=r"demur\[plot\]"):
        RocCurveDisplay.from_predictions(WORKED).plot()
