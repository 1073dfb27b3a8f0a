"""Mueller and Zhang (2006): bounds of the ROC area from one point, proposition 5.1 and figures 2-4."""

from typing import TYPE_CHECKING, Any

import numpy as np

from demur.roc.bounds import auc_bounds, iso_discriminability, roc_point_index
from demur.typing import FloatArray
from demur_studies._study import Cell, Figure, Reproduction

if TYPE_CHECKING:
    from demur_studies._data import PaperData

__all__ = ["PUBLISHED", "REFERENCE", "TITLE", "run"]

TITLE = (
    "Upper and Lower Bounds of Area Under ROC Curves and Index of Discriminability of Classifier Performance"
)
REFERENCE = (
    "Mueller, Zhang: Upper and Lower Bounds of Area Under ROC Curves and Index of Discriminability of "
    "Classifier Performance, ROCML workshop at ICML 2006."
)

# The formulas as printed, in F (false alarm rate) and H (hit rate); the paper has no tables.
PUBLISHED = {
    "Section 5, A-": "(1 + H - F) / 2",
    "Proposition 5.1, F < 0.5 < H": "1 - 2H(1 - F)",
    "Proposition 5.1, F < H < 0.5": "1 - F / (2H)",
    "Proposition 5.1, 0.5 < F < H": "1 - (1 - H) / (2(1 - F))",
    "Section 5, A, F <= 0.5 <= H": "3/4 + (H - F)/4 - F(1 - H)",
    "Section 5, A, F < H < 0.5": "3/4 + (H - F)/4 - F / (4H)",
    "Section 5, A, 0.5 < F < H": "3/4 + (H - F)/4 - (1 - H) / (4(1 - F))",
    "Section 4, A'": "1/2 + (H - F)(1 + H - F) / (4H(1 - F))",
    "Section 5, Smith": "A'' is right outside the upper left quadrant and wrong inside it",
    "Figure 2": "the point bisects the sloping segment of the curve of largest area",
    "Figure 3, smallest": "smallest differences along the positive and negative diagonals, "
    "especially close to (0, 1) and (.5, .5)",
    "Figure 3, greatest": "greatest difference near the lines H = 0 and F = 1",
    "Figure 4": "contours of equal A in increments of 0.05",
}

_POINTS = {"F <= 0.5 <= H": (0.2, 0.6), "F < H < 0.5": (0.1, 0.4), "0.5 < F < H": (0.65, 0.8)}
_MISPRINT = "misprint: with 1 - 2F(1 - H) the paper's own A follows (errata, Mueller, Zhang 2006, prop. 5.1)"
_NEAR = 0.25


def run(*, quick: bool, data: "PaperData", rng: np.random.Generator) -> Reproduction:
    """Evaluate the printed formulas at points of all three regions and check what figures 2-4 show."""
    cells = [
        *_formula_cells(),
        _smith_cell(61 if quick else 201),
        _bisection_cell(),
        *_map_cells(100 if quick else 400),
        _contour_cell(),
    ]
    return Reproduction(
        cells=tuple(cells),
        figures=(
            Figure("figure-2", "Curves of largest and smallest area through (0.2, 0.6).", _draw_bounds),
            Figure(
                "figure-3",
                "Largest minus smallest area of a proper ROC curve through each point; light is small.",
                _draw_gaps,
            ),
            Figure("figure-4", "Points of equal A, in steps of 0.05.", _draw_contours),
        ),
        remarks=("No data and no randomness: the paper is about formulas.",),
    )


def _formula_cells() -> list[Cell]:
    cells = []
    for region, (f, h) in _POINTS.items():
        point = roc_point_index(f, h)
        at = f"({f:g}, {h:g})"
        strict = region.replace("<= 0.5 <=", "< 0.5 <")
        printed_upper, printed_index = _printed(region, f, h)
        grier = 0.5 + (h - f) * (1 + h - f) / (4 * h * (1 - f))
        rows: dict[str, tuple[str, float, Any, str]] = {
            "Section 5, A-": ("A-", (1 + h - f) / 2, point.lower, ""),
            f"Proposition 5.1, {strict}": ("A+", printed_upper, point.upper, _MISPRINT),
            f"Section 5, A, {region}": ("A", printed_index, point.index, ""),
            "Section 4, A'": ("A'", grier, point.grier, ""),
        }
        cells += [
            Cell.formula(
                f"{where}, at {at}",
                published=value,
                computed=float(computed),
                known=reason,
                place=("Formulas at three points", at, name),
            )
            for where, (name, value, computed, reason) in rows.items()
        ]
    return cells


def _printed(region: str, f: float, h: float) -> tuple[float, float]:
    """A+ and A as the paper prints them."""
    middle = 3 / 4 + (h - f) / 4
    if region == "F <= 0.5 <= H":
        return 1 - 2 * h * (1 - f), middle - f * (1 - h)
    if region == "F < H < 0.5":
        return 1 - f / (2 * h), middle - f / (4 * h)
    return 1 - (1 - h) / (2 * (1 - f)), middle - (1 - h) / (4 * (1 - f))


def _lattice(steps: int) -> tuple[FloatArray, FloatArray]:
    """Middles of the cells above the diagonal."""
    middle = (np.arange(steps) + 0.5) / steps
    f, h = (axis.ravel() for axis in np.meshgrid(middle, middle))
    return f[f < h], h[f < h]


def _smith_cell(steps: int) -> Cell:
    f, h = _lattice(steps)
    point = roc_point_index(f, h)
    short = np.asarray(point.index) - np.asarray(point.smith)
    inside = (f < 0.5) & (h > 0.5)
    holds = bool(np.all(short[inside] > 1e-12) and np.all(np.abs(short[~inside]) < 1e-12))
    return Cell.claim(
        "Section 5, Smith",
        claim=PUBLISHED["Section 5, Smith"],
        holds=holds,
        computed=f"A'' falls short of A by up to {short[inside].max():.4f} inside, "
        f"by {np.abs(short[~inside]).max():.1g} outside",
        checked=f"{len(f)} points of a lattice",
    )


def _bisection_cell() -> Cell:
    worst = 0.0
    points = [(f, h) for f in (0.05, 0.2, 0.35, 0.5) for h in (0.5, 0.6, 0.75, 0.95)]
    for f, h in points:
        left, right = _sloping_segment(auc_bounds(f, h).upper_curve)
        worst = max(worst, float(np.abs((left + right) / 2 - (f, h)).max()))
    return Cell.claim(
        "Figure 2",
        claim=PUBLISHED["Figure 2"],
        holds=worst < 1e-9,
        computed=f"middle of the segment at most {worst:.1g} from the point",
        checked=f"{len(points)} points with F <= 0.5 <= H",
    )


def _sloping_segment(curve: FloatArray) -> tuple[FloatArray, FloatArray]:
    steps = np.diff(curve, axis=0)
    k = int(np.flatnonzero(np.all(steps > 1e-12, axis=1))[0])
    return curve[k], curve[k + 1]


def _gap(f: Any, h: Any) -> FloatArray:
    point = roc_point_index(f, h)
    return np.asarray(np.asarray(point.upper) - np.asarray(point.lower))


def _map_cells(steps: int) -> list[Cell]:
    # on every line H = F + c the smallest difference should lie where it meets the negative diagonal
    lines = 0
    offsets = (np.arange(steps) + 0.5) / steps
    for c in offsets:
        f = np.linspace(0, 1 - c, 2 * steps + 1)
        gap = _gap(f, f + c)
        lines += bool(gap[steps] <= gap.min() + 1e-12)
    ends = _gap([1e-9, 0.5], [1 - 1e-9, 0.5 + 1e-9])
    smallest = Cell.claim(
        "Figure 3, smallest",
        claim=PUBLISHED["Figure 3, smallest"],
        holds=lines == steps and bool(np.all(ends < 1e-6)),
        computed=f"on {lines} of {steps} parallels to the diagonal the smallest difference is on the "
        f"negative diagonal; it is below 1e-6 at (0, 1) and (.5, .5)",
        checked=f"{2 * steps + 1} points on each parallel",
    )
    f, h = _lattice(steps)
    gap = _gap(f, h)
    top = gap >= np.quantile(gap, 0.99)
    near = np.minimum(h, 1 - f)[top] < _NEAR
    corner = np.hypot(f, h)[np.argmax(gap)], np.hypot(1 - f, 1 - h)[np.argmax(gap)]
    greatest = Cell.claim(
        "Figure 3, greatest",
        claim=PUBLISHED["Figure 3, greatest"],
        holds=bool(near.all()),
        computed=f"the largest 1 % ({gap[top].min():.3f} to {gap.max():.3f}) lie within {_NEAR:g} of these "
        f"lines, the very largest {min(corner):.3f} from (0, 0) or (1, 1)",
        checked=f"{len(f)} points of a lattice",
    )
    return [smallest, greatest]


def _contour_cell() -> Cell:
    levels = np.arange(0.55, 1.0, 0.05)
    worst = 0.0
    for level in levels:
        f = np.linspace(0.001, min(1.0, 4 * (1 - level)) - 0.001, 200)
        h = np.asarray(iso_discriminability(level, f))
        worst = max(worst, float(np.abs(np.asarray(roc_point_index(f, h).index) - level).max()))
    return Cell.claim(
        "Figure 4",
        claim=PUBLISHED["Figure 4"],
        holds=worst < 1e-12,
        computed=f"curves in closed form; A along them is off by {worst:.1g}",
        checked=f"200 points on each of {len(levels)} contours",
    )


def _draw_bounds() -> Any:
    from demur.displays.roc import AucBoundsDisplay

    return AucBoundsDisplay.from_points(0.2, 0.6).plot().figure_


def _draw_gaps() -> Any:
    from demur.displays.roc import BoundGapDisplay

    figure = BoundGapDisplay().plot().figure_
    figure.set_size_inches(7.0, 5.2)  # room for the scale beside a square map
    return figure


def _draw_contours() -> Any:
    from demur.displays.roc import IsoDiscriminabilityDisplay

    return IsoDiscriminabilityDisplay().plot().figure_
