"""Figures of REC curves and of regressions that abstain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from demur._checks import check_confidence_level, check_nonnegative, check_rate, check_type, input_error
from demur.displays.base import (
    ABSTAIN_COLOR,
    DIFFERENCE_CMAP,
    GUIDE,
    CurveDisplay,
    PredictionDisplay,
    by_model,
    thinned,
    with_name,
)
from demur.regression.intervals import rec_band
from demur.regression.rec import (
    RecCoverage,
    RecCurve,
    null_rec_curve,
    rec_coverage_curve,
    rec_curve,
    regression_errors,
    tolerance_limit,
)
from demur.regression.review import (
    ReviewCurve,
    ReviewSurface,
    excess_losses,
    review_curve,
    review_surface,
)
from demur.typing import ArrayLike

__all__ = ["RecCoverageDisplay", "RecCurveDisplay", "ReviewCurveDisplay", "ReviewSurfaceDisplay"]


class RecCurveDisplay(
    CurveDisplay,
    asks="forecasts",
    of=RecCurve,
    axes={
        "ylabel": "accuracy (share of cases within the tolerance)",
        "ylim": (-0.015, 1.015),
    },
):
    """REC curves with their areas in the legend and the null model in grey; see `rec_curve`.

    Up and left is better. The tolerance axis ends where the null model has reached every
    case, as in Bi and Bennett. A curve of more than 4000 points is thinned for drawing.

    Parameters
    ----------
    result : RecCurve, or mapping {name: RecCurve}
        What to draw; all of one loss.
    null : RecCurve, optional
        The null model, from `null_rec_curve`.

    Attributes
    ----------
    lines_ : list
        One line per curve, the null model last.
    bands_ : list
        The confidence bands, if asked for.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import RecCurveDisplay
    >>> y = [1.0, 2.0, 3.0, 4.0]
    >>> models = {"tree": [1.5, 2.5, 2.5, 3.5], "line": [1.0, 2.0, 3.0, 6.0]}
    >>> display = RecCurveDisplay.from_predictions(y, models).plot()
    >>> [line.get_label() for line in display.lines_]
    ['tree (0.5)', 'line (0.5)', 'null model (1)']
    >>> plt.close(display.figure_)
    """

    def __init__(self, *, result: Any, null: RecCurve | None = None) -> None:
        super().__init__(result=result)
        if null is not None:
            check_type(null, "null", RecCurve)
        self.null = null
        losses = {curve.loss for curve in (*self._members.values(), null) if curve is not None}
        if len(losses) > 1:
            raise input_error("result", "must hold curves of one loss", " and ".join(sorted(losses)))

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike | Mapping[str, ArrayLike],
        *,
        loss: str = "absolute",
        null: str | float = "mean",
        y_train: ArrayLike | None = None,
        max_tolerance: float | None = None,
        interpolation: str = "step",
        sample_weight: ArrayLike | None = None,
        ax: Any = None,
        name: str | None = None,
    ) -> Self:
        """Make the Display of one prediction, or of several by name.

        `null` is the `constant` of `null_rec_curve`; the other arguments as in `rec_curve`.
        """
        options: Any = {
            "loss": loss,
            "max_tolerance": max_tolerance,
            "interpolation": interpolation,
            "sample_weight": sample_weight,
        }
        models = by_model(y_pred, name, "model")
        curves = {model: rec_curve(y_true, values, **options) for model, values in models.items()}
        constant = null_rec_curve(y_true, constant=null, y_train=y_train, **options)
        return cls(result=curves, null=constant)._shown(ax, None)

    def plot(
        self,
        ax: Any = None,
        *,
        max_tolerance: float | None = None,
        null_accuracy: float = 1.0,
        confidence_level: float | None = None,
    ) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        max_tolerance : float, optional
            End of the tolerance axis. By default where the null model has reached
            `null_accuracy`, or the largest error of all without a null model.
        null_accuracy : float
            Share of the cases; below 1 cuts the tail of a few large errors off the figure.
        confidence_level : float, optional
            Shade simultaneous bands of this level (`rec_band`).
        """
        share = check_rate(null_accuracy, "null_accuracy")
        if max_tolerance is not None:
            limit = tolerance_limit(max_tolerance, np.inf)
        elif self.null is not None:
            limit = min(float(self.null.tolerance_at(share)), self.null.max_tolerance)
        else:
            limit = max(curve.max_tolerance for curve in self._members.values())
        # without any error there is still an axis to draw
        limit = limit if limit > 0 else 1.0
        for name, curve, style in self._curves(ax):
            if confidence_level is not None:
                band = rec_band(curve, confidence_level=check_confidence_level(confidence_level))
                x = np.concatenate([[0.0], band.tolerance, [max(limit, float(band.tolerance[-1]))]])
                # left of the smallest error acc = 0, and the half-width is what the band leaves below acc = 1
                low = np.concatenate([[0.0], band.low, band.low[-1:]])
                high = np.concatenate([[1 - band.low[-1]], band.high, band.high[-1:]])
                self._band(x, (low, high), style["color"], 0.13, step="post", zorder=1)
            self._steps(name, curve, limit, lw=1.7, zorder=3, **style)
        if self.null is not None:
            self._steps("null model", self.null, limit, lw=1.4, zorder=2, color=ABSTAIN_COLOR)
        self.ax_.locator_params(axis="x", nbins=6)
        loss = next(iter(self._members.values())).loss
        self._finish(xlabel=f"tolerance ({loss} error)", xlim=(-0.01 * limit, 1.01 * limit))
        title = "model (area over the curve, smaller is better)"
        self.ax_.get_legend().set_title(title, prop={"size": "small"})
        return self

    def _steps(self, name: str, curve: RecCurve, limit: float, **style: Any) -> None:
        """Draw the corners up to the end of the axis, no more than can be told apart."""
        x, y = curve.vertices()
        if x[-1] < limit:
            x, y = np.append(x, limit), np.append(y, 1.0)
        # one corner beyond the end, so that the line runs into the border
        shown = slice(int(np.searchsorted(x, limit, side="right")) + 1)
        x, y = x[shown], y[shown]
        at = thinned(x / x[-1], y)
        label = f"{name} ({curve.aoc:.4g})" if name else f"AOC {curve.aoc:.4g}"
        rows = {"model": name, "tolerance": x[at], "accuracy": y[at]}
        self.lines_ += self._line(rows, label=label, **style)


class RecCoverageDisplay(
    CurveDisplay,
    of=RecCoverage,
    compute=rec_coverage_curve,
    asks="forecasts",
    axes={
        "xlabel": "coverage (share of the cases answered)",
        "xlim": (-0.01, 1.015),
        "ylim": (0, None),
    },
):
    """Tolerance or area against coverage of regressions that abstain; see `rec_coverage_curve`.

    Down is better: a confidence worth its name makes the curve rise from left to right.

    Parameters
    ----------
    result : RecCoverage, or mapping {name: RecCoverage}
        What to draw.

    Attributes
    ----------
    lines_ : list
        One line per model and, for a single model, one of the best possible confidence.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import RecCoverageDisplay
    >>> y, p, confidence = [1, 2, 3, 4, 5], [1.1, 2.1, 3.1, 5, 6.2], [9, 8, 7, 2, 1]
    >>> display = RecCoverageDisplay.from_predictions(y, p, confidence).plot(accuracy=0.9)
    >>> display.frame()["tolerance"][:5].round(2).tolist()
    [0.1, 0.1, 0.1, 1.0, 1.2]
    >>> plt.close(display.figure_)
    """

    def plot(self, ax: Any = None, *, accuracy: float | None = 0.9, ideal: bool = True) -> Self:
        """Draw the tolerance that a share `accuracy` of the answers keeps; None: the area instead.

        `ideal` adds, for a single model, what a confidence that ranks by the error would reach.
        """
        share = None if accuracy is None else check_rate(accuracy, "accuracy")
        for name, curve, style in self._curves(ax):
            self._coverage(name or "model", curve, share, lw=1.7, zorder=3, **style)
        first = next(iter(self._members.values()))
        if ideal and len(self._members) == 1:
            look = {"lw": 1.4, "zorder": 2, "color": ABSTAIN_COLOR}
            self._coverage("best possible confidence", first.ideal(), share, **look)
        words = f"mean {first.loss} error of the answers (AOC)"
        if share is not None:
            words = f"{first.loss} error that {100 * share:g} % of the answers keep"
        self.ax_.axvline(1.0, color=GUIDE, lw=0.8, zorder=0)
        return self._finish(ylabel=words)

    def _coverage(self, name: str, curve: RecCoverage, share: float | None, **style: Any) -> None:
        value, y = ("aoc", curve.aoc) if share is None else ("tolerance", curve.tolerance_at(share))
        at = thinned(curve.coverage, y)
        rows = {"model": name, "coverage": curve.coverage[at], value: y[at]}
        self.lines_ += self._line(rows, label=name, **style)


def _review_curve(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    spread: ArrayLike,
    *,
    tolerance: float = 0.0,
    loss: str = "absolute",
    sample_weight: ArrayLike | None = None,
) -> ReviewCurve:
    losses = excess_losses(y_true, y_pred, tolerance=tolerance, loss=loss)
    return review_curve(losses, spread, sample_weight=sample_weight)


class ReviewCurveDisplay(
    CurveDisplay,
    of=ReviewCurve,
    compute=_review_curve,
    asks="forecasts",
    axes={
        "xlabel": "share of the cases reviewed, widest spreads first",
        "ylabel": "loss of the predictions used, per case (hindsight)",
        "xlim": (-0.015, 1.015),
    },
):
    """Loss against reviews of regressions that abstain, the best at every price; see `review_curve`.

    Down and left is better. From no review on the left to nothing but reviews on the right: the steeper a
    curve falls, the more its first reviews save.

    Parameters
    ----------
    result : ReviewCurve, or mapping {name: ReviewCurve}
        What to draw.

    Attributes
    ----------
    lines_ : list
        One line per model.
    cheapest_ : dict
        Model -> (reviews, loss) of the least cost, where a price was given.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import ReviewCurveDisplay
    >>> display = ReviewCurveDisplay.from_predictions([1, 2, 3, 4], [1, 2, 5, 7], [1, 1, 2, 3])
    >>> display.plot(cost_review=1).cheapest_
    {'': (0.5, 0.0)}
    >>> plt.close(display.figure_)
    """

    def plot(self, ax: Any = None, *, cost_review: float | None = None) -> Self:
        """Draw the curves; at the price `cost_review` also where each of them costs least.

        Points on a dotted line cost the same at this price: the lowest one that a curve touches is drawn.
        """
        self.cheapest_: dict[str, tuple[float, float]] = {}
        price = None if cost_review is None else float(check_nonnegative(cost_review, "cost_review"))
        for name, curve, style in self._curves(ax):
            rows = {"model": name, "reviews": curve.reviews[::-1], "loss": curve.loss[::-1]}
            at = thinned(rows["reviews"], rows["loss"])
            rows = {column: values if column == "model" else values[at] for column, values in rows.items()}
            words = "" if price is None else f"least cost {float(curve.cost(price)):.3g}"
            self.lines_ += self._line(rows, label=with_name(name, words), lw=1.7, **style)
            if price is not None:
                share = float(curve.reviews_at(price))
                cost = float(curve.cost(price))
                self.cheapest_[name] = share, cost - price * share
                self.ax_.plot([share], [cost - price * share], "o", ms=6, color=style["color"], zorder=4)
                ends = np.array([0.0, 1.0])
                self.ax_.plot(ends, cost - price * ends, ":", lw=1, color=style["color"], zorder=1)
        # lines of equal cost may run below 0, losses seldom do
        least = min(float(curve.loss.min()) for curve in self._members.values())
        return self._finish(ylim=(min(least, 0.0), None))


def _review_surface(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    spread: ArrayLike,
    *,
    tolerances: ArrayLike | None = None,
    prices: ArrayLike | None = None,
    loss: str = "absolute",
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    rng: int = 0,
) -> ReviewSurface:
    errors = regression_errors(y_true, y_pred, loss=loss)
    grid: Any = {"tolerances": tolerances, "prices": prices}
    return review_surface(errors, spread, **grid, sample_weight=sample_weight, groups=groups, rng=rng)


class ReviewSurfaceDisplay(
    PredictionDisplay,
    of=ReviewSurface,
    compute=_review_surface,
    asks="forecasts",
    axes={"xlabel": "tolerance (errors up to here cost nothing)", "ylabel": "price of a review"},
):
    """What reviewing wide spreads saves over tolerances and prices; see `review_surface`.

    Honest savings per case against the cheaper of never and always reviewing. Along the dashed line those
    two cost the same; below it every review pays, above it none, unless the spread knows which.

    Parameters
    ----------
    result : ReviewSurface
        What to draw; at least two tolerances and two prices.

    Attributes
    ----------
    mesh_ : artist
        The map.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from demur.displays import ReviewSurfaceDisplay
    >>> rng = np.random.default_rng(0)
    >>> spread = rng.uniform(0.1, 2, size=100)
    >>> truth = rng.normal(size=100)
    >>> guess = truth + spread * rng.normal(size=100)
    >>> display = ReviewSurfaceDisplay.from_predictions(truth, guess, spread)
    >>> sorted(display.frame())
    ['price', 'saving', 'tolerance']
    >>> plt.close(display.figure_)
    """

    def plot(self, ax: Any = None) -> Self:
        """Draw the map into the given axes or new ones."""
        surface: ReviewSurface = self.result
        if min(surface.saving.shape) < 2:
            raise input_error("result", "must have two tolerances and two prices", surface.saving.shape)
        ax = self._begin(ax, size=(6.2, 4.6))
        largest = float(np.abs(surface.saving).max()) or 1.0
        self.mesh_ = ax.pcolormesh(
            surface.tolerance,
            surface.price,
            surface.saving.T,
            cmap=DIFFERENCE_CMAP,
            vmin=-largest,
            vmax=largest,
            shading="nearest",
        )
        bar = self.figure_.colorbar(self.mesh_, ax=ax)
        bar.set_label("saved per case (below 0: a threshold costs more)", fontsize="small")
        limits = ax.get_ylim()
        ax.plot(surface.tolerance, surface.never, "--", lw=1.4, color="#333333", label="loss without reviews")
        self._append_map(surface.tolerance, surface.price, "tolerance price", saving=surface.saving)
        return self._finish(box=True, ylim=limits)
