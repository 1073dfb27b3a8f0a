"""What all figures share: colours, axes, the Display classes, the way from an estimator to a figure."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Any, ClassVar, Self

import numpy as np

from demur._checks import input_error
from demur._html import threshold_label
from demur.counts.scores import ScoreCounts
from demur.estimators.out_of_fold import class_probabilities, positive_scores
from demur.exceptions import DemurError
from demur.scoring.scorers import abstain_label_of
from demur.typing import ArrayLike, FloatArray, IntArray, Labels, Range

__all__ = [
    "ABSTAIN_COLOR",
    "ACCENT",
    "DASHES",
    "DIFFERENCE_CMAP",
    "GUIDE",
    "MU_WORDS",
    "NEGATIVE_COLOR",
    "POSITIVE_COLOR",
    "SEQUENTIAL_CMAP",
    "SERIES",
    "UNIT_SQUARE",
    "Display",
    "FromEstimator",
    "PrevalenceDisplay",
    "ScoreDisplay",
    "axes_table",
    "axis_words",
    "by_model",
    "framed",
    "legend_below",
    "new_axes",
    "per_model",
    "pyplot",
    "score_range",
    "series_style",
    "show_names_as_text",
    "thinned",
    "threshold_words",
    "two_names",
    "with_name",
]

_Made = tuple[tuple[Any, ...], dict[str, Any]]


class FromEstimator:
    """Gives a Display `from_estimator` with the options of its `from_predictions`.

    `_asks` says what the figure needs of the estimator:

    ================= =================================================================
    "scores"          of the positive class of two (default)
    "unlabelled"      P(positive) of cases without labels
    "probabilities"   of all classes
    "weighted"        the same, before the labels, for rules of class weights
    "losses"          1 where the most probable class is wrong, and its probability
    "answers"         labels, abstentions among them
    "forecasts"       numbers of a regressor
    ================= =================================================================
    """

    _asks: ClassVar[str] = "scores"
    from_predictions: ClassVar[Callable[..., Any]]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "from_predictions" in cls.__dict__ or "_asks" in cls.__dict__:
            cls.from_estimator = classmethod(_with_options(cls))  # type: ignore[assignment,method-assign]

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any = None, *, name: str | None = None, **options: Any
    ) -> Self:
        """Draw a fitted estimator on cases it was not fitted to; options as in `from_predictions`.

        Where the figure needs scores of two classes, `response_method` and `pos_label` choose them as
        in scikit-learn's displays.
        """
        wanted, settings = _response(cls._asks, estimator, X, y, options)
        shown = type(estimator).__name__ if name is None else name
        display: Self = cls.from_predictions(*wanted, name=shown, **{**options, **settings})
        return display


def _with_options(kind: type[FromEstimator]) -> Any:
    """Return `from_estimator` with the options written out, for `help` and for editors."""

    def from_estimator(cls: Any, estimator: Any, X: Any, y: Any = None, **options: Any) -> Any:
        return FromEstimator.from_estimator.__func__(cls, estimator, X, y, **options)  # type: ignore[attr-defined]

    from_estimator.__doc__ = FromEstimator.from_estimator.__doc__
    from_estimator.__qualname__ = f"{kind.__qualname__}.from_estimator"
    own = inspect.signature(FromEstimator.from_estimator.__func__).parameters  # type: ignore[attr-defined]
    given = inspect.signature(kind.from_predictions).parameters.values()
    # the estimator gives the data, and names its classes itself
    data = 1 if kind._asks == "unlabelled" else 2
    offered = [
        one.replace(kind=one.KEYWORD_ONLY)
        for one in list(given)[data:]
        if not (kind._asks == "probabilities" and one.name == "labels")
    ]
    if kind._asks == "scores":
        offered.append(inspect.Parameter("response_method", inspect.Parameter.KEYWORD_ONLY, default="auto"))
    shown = [own["cls"], own["estimator"], own["X"]]
    if kind._asks != "unlabelled":
        shown.append(own["y"].replace(default=inspect.Parameter.empty))
    from_estimator.__signature__ = inspect.Signature([*shown, *offered])  # type: ignore[attr-defined]
    return from_estimator


# ---------------------------------------------------------------- what an estimator answers


def _two_classes(estimator: Any, pos_label: Any) -> Any:
    """Return the positive class of a fitted classifier of two."""
    classes = np.asarray(getattr(estimator, "classes_", [])).tolist()
    if len(classes) != 2:
        shown = f"{type(estimator).__name__} with {len(classes)} classes"
        raise input_error("estimator", "must be a fitted classifier of two classes", shown)
    positive = classes[1] if pos_label is None else pos_label
    if positive not in classes:
        raise input_error("pos_label", f"must be one of the classes {classes}", repr(pos_label))
    return positive


def _response(asks: str, estimator: Any, X: Any, y: Any, options: dict[str, Any]) -> _Made:
    """Return the arguments that the estimator gives to `from_predictions`, and the options it settles."""
    match asks:
        case "scores":
            positive = _two_classes(estimator, options.get("pos_label"))
            scores = positive_scores(estimator, X, positive, options.pop("response_method", "auto"))
            return (y, scores), {"pos_label": positive}
        case "unlabelled":
            if y is not None:
                raise input_error("y", "must be left out: this figure needs no labels", type(y).__name__)
            return (positive_scores(estimator, X, _two_classes(estimator, None), "predict_proba"),), {}
        case "probabilities":
            return (y, class_probabilities(estimator, X)), {"labels": estimator.classes_.tolist()}
        case "weighted":
            return (class_probabilities(estimator, X), y), {}
        case "losses":
            proba = class_probabilities(estimator, X)
            called = np.asarray(estimator.classes_)[proba.argmax(axis=1)]
            return ((called != np.asarray(y)).astype(np.float64), proba.max(axis=1)), {}
        case "answers":
            declared = abstain_label_of(estimator)
            return (y, estimator.predict(X)), {} if declared is None else {"abstain": declared}
    return (y, estimator.predict(X)), {}


# Okabe and Ito (2008): distinguishable with every common colour vision deficiency
SERIES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 2)),
    (0, (1, 1.5)),
    (0, (5, 1.5, 1, 1.5)),
    (0, (8, 2)),
    (0, (3, 1)),
    "-",
)
POSITIVE_COLOR = "#E69F00"
NEGATIVE_COLOR = "#0072B2"
ABSTAIN_COLOR = "#999999"
ACCENT = "#D55E00"
GUIDE = "#BBBBBB"
# perceptually uniform with light = cheap; the diverging one is centred at 0 by its user
SEQUENTIAL_CMAP = "viridis_r"
DIFFERENCE_CMAP = "PuOr_r"
# same scale on both axes, with room for lines that run along the border
UNIT_SQUARE: dict[str, Any] = {"xlim": (-0.015, 1.015), "ylim": (-0.015, 1.015), "aspect": "equal"}
MU_WORDS = r"relative cost of a false alarm, $\mu$ (a miss costs 1)"


def pyplot() -> Any:
    """Return matplotlib.pyplot, or say how to install it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise DemurError(
            "Figures need matplotlib, which is not installed. Hint: pip install 'demur[plot]'."
        ) from None
    return plt


def new_axes(
    ax: Any, *, projection: str | None = None, size: tuple[float, float] = (5.6, 4.4)
) -> tuple[Any, Any]:
    """Return (figure, axes): the given axes, or new ones of a sensible size."""
    if ax is not None:
        return ax.figure, ax
    figure = pyplot().figure(figsize=size, layout="constrained")
    return figure, figure.add_subplot(projection=projection)


def axes_table(
    ax: Any, shape: tuple[int, int], size: tuple[float, float], *, rule: str = "must hold {} x {} axes"
) -> tuple[Any, Any]:
    """Return (figure, array of axes): the given ones, or new ones."""
    if ax is None:
        figure = pyplot().figure(figsize=size, layout="constrained")
        return figure, figure.subplots(*shape, squeeze=False)
    table = np.atleast_2d(np.asarray(ax, dtype=object))
    if table.shape != shape:
        raise input_error("ax", rule.format(*shape), f"shape {table.shape}")
    return table[0, 0].figure, table


def series_style(index: int) -> dict[str, Any]:
    """Colour and dash pattern of the index-th model; both differ, for print and for all eyes."""
    return {"color": SERIES[index % len(SERIES)], "linestyle": DASHES[index % len(DASHES)]}


def axis_words(ax: Any, x: str, y: str) -> None:
    """Name both axes and drop the frame lines that carry no scale."""
    ax.set(xlabel=x, ylabel=y)
    ax.spines[["top", "right"]].set_visible(False)


def legend_below(ax: Any, *, columns: int = 1, extra: Sequence[Any] = ()) -> Any:
    """Put the legend under the axis label, where no data can be hidden; `extra` handles come last."""
    # the pad counts in font sizes from the axes, so it clears the label whatever the size
    return ax.legend(
        handles=[*ax.get_legend_handles_labels()[0], *extra],
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        borderaxespad=4.2,
        ncols=columns,
        frameon=False,
        fontsize="small",
        handlelength=2.6,
    )


def framed(ax: Any, x: str, y: str, *, columns: int = 1, extra: Sequence[Any] = ()) -> None:
    """Name the axes and put the legend, if there is anything to explain, below."""
    axis_words(ax, x, y)
    if extra or ax.get_legend_handles_labels()[0]:
        legend_below(ax, columns=columns, extra=extra)


def with_name(name: str, text: str) -> str:
    """Return the legend text of one model; a single unnamed one needs no name."""
    return f"{name}: {text}" if name and text else name or text


def score_range(scores: FloatArray) -> Range:
    """Range of the finite scores for an axis or a scale; a single score gets room around it."""
    finite = scores[np.isfinite(scores)]
    if not len(finite):
        return -1.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    if high / 4 - low / 4 > np.finfo(np.float64).max / 8:
        raise input_error(
            "y_score",
            "must span a range that an axis can show",
            (low, high),
            "rank or rescale the scores; only their order matters.",
        )
    return (low, high) if low < high else (low - 0.5, high + 0.5)


def threshold_words(value: float) -> str:
    """Write a threshold; the largest floats only part infinite scores from the rest."""
    if abs(value) == np.finfo(np.float64).max:
        return "below inf" if value > 0 else "above -inf"
    return threshold_label(value)


def two_names(names: Any) -> tuple[str, str]:
    """Return what the two compared things are called."""
    if isinstance(names, str) or len(names) != 2:
        raise input_error("names", "must be two names", repr(names))
    return str(names[0]), str(names[1])


def thinned(x: FloatArray, y: FloatArray, *, columns: int = 1000) -> IntArray:
    """Return the positions of the points to draw of a line that runs one way in x, within [0, 1].

    All of them up to four per column; beyond, of every column of width 1 / `columns`, finer than the
    pixels of a figure on screen, only the first, last, lowest and highest point. Every kept point is
    a point of the line, and what is left out lies inside the strokes drawn (M4, Jugel et al. 2014,
    doi:10.14778/2732951.2732953).
    """
    if len(x) <= 4 * columns:
        return np.arange(len(x))
    column = np.floor(x * columns).astype(np.int64)
    starts = np.flatnonzero(np.diff(column, prepend=column[0] - 1))
    kept = [starts, np.append(starts[1:], len(x)) - 1]
    lengths = np.diff(np.append(starts, len(x)))
    for extreme in (np.minimum, np.maximum):
        hits = np.flatnonzero(y == np.repeat(extreme.reduceat(y, starts), lengths))
        _, first = np.unique(column[hits], return_index=True)
        kept.append(hits[first])
    return np.unique(np.concatenate(kept))


def by_model(models: Any, name: str | None, default: str) -> dict[str, Any]:
    """Return predictions by model; a name is for one model, as a mapping brings its own."""
    if not isinstance(models, Mapping):
        return {name or default: models}
    if name is not None:
        raise input_error("name", "is for one model", repr(name), "name models by the keys of the mapping.")
    return {str(model): values for model, values in models.items()}


def per_model(compute: Callable[[Any], Any], models: Any) -> Any:
    """Compute the result of every model of a mapping, or of the one model given."""
    if isinstance(models, Mapping):
        return {str(name): compute(values) for name, values in models.items()}
    return compute(models)


def show_names_as_text(figure: Any) -> None:
    r"""Switch mathematics off in texts that are no mathematics, such as a model called $\model$."""
    from matplotlib.mathtext import MathTextParser
    from matplotlib.text import Text

    for text in figure.findobj(lambda artist: isinstance(artist, Text) and "$" in artist.get_text()):
        try:
            for line in text.get_text().split("\n"):  # as matplotlib draws it
                MathTextParser("path").parse(line)
        except ValueError:
            text.set_parse_math(False)


def _drawn_anew(plot: Callable[..., Any]) -> Callable[..., Any]:
    """Let a drawing take the place of the earlier one, and of the figure that `from_predictions` made."""

    @wraps(plot)
    def draw(self: Any, *args: Any, **options: Any) -> Any:
        if self._first_figure is not None:
            pyplot().close(self._first_figure)
        self._first_figure, self._drawn = None, {}
        drawn = plot(self, *args, **options)
        show_names_as_text(self.figure_)
        return drawn

    return draw


class Display:
    """Base of the Displays: keeps the result and what was drawn.

    An ordinary curve: ``_begin`` gets the axes, ``_curves`` yields the results with their styles,
    ``_line`` draws one and records what it drew, ``_finish`` names the axes. Others draw their artists
    themselves and record whole columns with ``_record``, or rows of several lines with ``_append``.
    `_kinds` names the result classes a Display takes, `_several` says whether {name: result} is one
    of them.
    """

    lines_: Any
    _kinds: ClassVar[tuple[type, ...]] = ()
    _several: ClassVar[bool] = False

    def __init__(self, *, result: Any) -> None:
        self._drawn: dict[str, Any] = {}
        self._first_figure: Any = None
        self.result = result
        kinds = " or ".join(kind.__name__ for kind in self._kinds)
        kinds = f"{'an' if kinds[:1] in 'AEIOU' else 'a'} {kinds}"
        if self._several and isinstance(result, Mapping):
            if not result:
                raise input_error(
                    "result", f"must be {kinds}, or a mapping with at least one", "an empty mapping"
                )
            for name, member in result.items():
                if not isinstance(member, self._kinds):
                    raise input_error(f"result[{name!r}]", f"must be {kinds}", type(member).__name__)
            self.result = {str(name): member for name, member in result.items()}
        elif self._kinds and not isinstance(result, self._kinds):
            or_many = ", or a mapping {name: one}" if self._several else ""
            raise input_error("result", f"must be {kinds}{or_many}", type(result).__name__)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "plot" in cls.__dict__:
            cls.plot = _drawn_anew(cls.__dict__["plot"])  # type: ignore[attr-defined]

    def _shown(self, ax: Any, name: str | None) -> Self:
        """Draw what was made from predictions, under a name in the legend or, alone, as the title."""
        if name is not None and self._several:
            self.result, name = by_model(self.result, name, ""), None
        self.plot(ax)  # type: ignore[attr-defined]
        if name is not None:
            np.ravel(np.asarray(self.ax_, dtype=object))[0].set_title(str(name))
            show_names_as_text(self.figure_)
        self._first_figure = self.figure_ if ax is None else None
        return self

    @property
    def _members(self) -> dict[str, Any]:
        """Results by name; a single one has the empty name."""
        return dict(self.result) if isinstance(self.result, Mapping) else {"": self.result}

    def _begin(self, ax: Any, **size: Any) -> Any:
        """Get axes and return them."""
        self.lines_ = []
        self.figure_, self.ax_ = new_axes(ax, **size)
        self._first_series = getattr(self.ax_, "_demur_series", 0) if self.ax_.has_data() else 0
        self.ax_._demur_series = self._first_series
        return self.ax_

    def _series(self, index: int) -> dict[str, Any]:
        """Return the style of the index-th curve, after those of the curves that are on these axes."""
        place = self._first_series + index
        self.ax_._demur_series = max(self.ax_._demur_series, place + 1)
        return series_style(place)

    def _curves(self) -> Iterator[tuple[str, Any, dict[str, Any]]]:
        """Yield name, result and style of every curve."""
        for index, (name, member) in enumerate(self._members.items()):
            yield name, member, self._series(index)

    def _line(self, x: str, y: str, rows: dict[str, Any], **style: Any) -> list[Any]:
        """Draw column y against column x of some rows, and add the rows to the drawn data."""
        self._append(**rows)
        return list(self.ax_.plot(rows[x], rows[y], **style))

    def _begin_3d(
        self, ax: Any, *, size: tuple[float, float], rule: str = "must be three-dimensional"
    ) -> Any:
        """Get three-dimensional axes; artists hide each other in the order of their zorder."""
        if ax is not None and not hasattr(ax, "get_zlim"):
            raise input_error("ax", rule, type(ax).__name__, "projection='3d'.")
        self._begin(ax, projection="3d", size=size)
        # guessing the order by depth would hide some
        self.ax_.computed_zorder = False
        return self.ax_

    def _finish_3d(
        self, words: Sequence[str], *, zpad: float, elev: float, azim: float, zoom: float, **limits: Any
    ) -> Self:
        """Set the limits and the point of view, and name the three axes."""
        self.ax_.set(**limits)
        for axis, word, pad in zip("xyz", words, (6, 6, zpad), strict=True):
            getattr(self.ax_, f"set_{axis}label")(word, labelpad=pad)
        self.ax_.tick_params(labelsize=8)
        self.ax_.view_init(elev=elev, azim=azim)
        # the layout makes room for the box, not for its labels: a smaller box keeps them whole
        self.ax_.set_box_aspect((1, 1, 0.8), zoom=zoom)
        return self

    def _finish(
        self,
        x: str,
        y: str,
        *,
        box: bool = False,
        columns: int = 1,
        extra: Sequence[Any] = (),
        **settings: Any,
    ) -> Self:
        """Scale and name the axes, explain below what was drawn; `box` keeps all four frame lines."""
        self.ax_.set(**settings)
        framed(self.ax_, x, y, columns=columns, extra=extra)
        self.ax_.spines[["top", "right"]].set_visible(box)
        return self

    @classmethod
    def from_result(cls, result: Any) -> Self:
        """Make the Display of a result object."""
        return cls(result=result)

    def _record(self, **columns: Any) -> None:
        self._drawn |= {name: np.asarray(values) for name, values in columns.items()}

    def _append(self, **columns: Any) -> None:
        """Add rows to the drawn data; single values repeat, all calls name the same columns."""
        rows = np.broadcast_arrays(*(np.atleast_1d(values) for values in columns.values()))
        for name, values in zip(columns, rows, strict=True):
            earlier = self._drawn.get(name)
            self._drawn[name] = values.copy() if earlier is None else np.concatenate([earlier, values])

    def frame(self) -> dict[str, Any]:
        """Return the drawn data: column name -> array, all of one length (``pandas.DataFrame`` takes it)."""
        if not self._drawn:
            raise DemurError("Nothing is drawn yet. Hint: call plot() first.")
        return dict(self._drawn)


class ScoreDisplay(FromEstimator, Display):
    """A Display whose results, one or several, `_compute` makes from labels and scores."""

    _compute: ClassVar[Callable[..., Any]]
    _several = True

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels | ScoreCounts,
        y_score: ArrayLike | None = None,
        *,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        ax: Any = None,
        name: str | None = None,
    ) -> Self:
        """Make the Display of labels and scores, or of one ScoreCounts; parameters as in `roc_curve`."""
        return cls(
            result=cls._compute(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
        )._shown(ax, name)


class PrevalenceDisplay(FromEstimator, Display):
    """The same for a result that depends on the prevalence."""

    _compute: ClassVar[Callable[..., Any]]

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels | ScoreCounts,
        y_score: ArrayLike | None = None,
        *,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        prevalence: float | None = None,
        ax: Any = None,
        name: str | None = None,
    ) -> Self:
        """Make the Display of scores at a prevalence; parameters as in `abstention_surface`."""
        return cls(
            result=cls._compute(
                y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, prevalence=prevalence
            )
        )._shown(ax, name)
