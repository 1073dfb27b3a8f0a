"""Base of all figures: colours, axes, the Display classes, and figures of estimators."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np

from demur._checks import check_choice, input_error
from demur._html import threshold_label
from demur.estimators.out_of_fold import class_probabilities, positive_scores
from demur.exceptions import DemurError
from demur.scoring.scorers import abstain_label_of
from demur.typing import FloatArray, IntArray, Range

__all__ = [
    "ABSTAIN_COLOR",
    "ACCENT",
    "COST_WORDS",
    "DASHES",
    "DIAGONAL",
    "DIFFERENCE_CMAP",
    "GUIDE",
    "MU_WORDS",
    "NEGATIVE_COLOR",
    "PC_WORDS",
    "POSITIVE_COLOR",
    "ROC_SPACE",
    "SEQUENTIAL_CMAP",
    "SERIES",
    "TENT",
    "UNIT_SQUARE",
    "BandDisplay",
    "CurveDisplay",
    "Display",
    "PredictionDisplay",
    "axes_table",
    "axis_words",
    "by_model",
    "draw_guide",
    "legend_below",
    "new_axes",
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
_POSITIONAL = inspect.Parameter.POSITIONAL_OR_KEYWORD


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
    """Return the arguments of `from_predictions` for an estimator, and the options that follow from it."""
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
        case "classes":
            return (y, class_probabilities(estimator, X)), {"classes": estimator.classes_.tolist()}
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
)
POSITIVE_COLOR = "#E69F00"
NEGATIVE_COLOR = "#0072B2"
ABSTAIN_COLOR = "#999999"
# of no series: a mark beside many curves is told from each
ACCENT = "#EE3377"
GUIDE = "#BBBBBB"
# perceptually uniform with light = cheap; the diverging one is centred at 0 by its user
SEQUENTIAL_CMAP = "viridis_r"
DIFFERENCE_CMAP = "PuOr_r"
# same scale on both axes, with room for lines that run along the border
UNIT_SQUARE: dict[str, Any] = {"xlim": (-0.015, 1.015), "ylim": (-0.015, 1.015), "aspect": "equal"}
ROC_SPACE = {**UNIT_SQUARE, "xlabel": "false positive rate", "ylabel": "true positive rate"}
# what a model has to beat: guessing in ROC space, the better constant rule in cost space
DIAGONAL = (0, 1), (0, 1), ""
TENT = (0, 0.5, 1), (0, 0.5, 0), "trivial (one class always)"
_SQUARE = (5.2, 5.6)
PC_WORDS = "operating point PC(+): 0 only false alarms matter, 1 only misses"
COST_WORDS = "normalised expected cost"
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
    """Colour and dash pattern of the index-th model; both differ, for print and for all eyes.

    There are seven colours and six patterns, so that no two of 42 models look the same.
    """
    return {"color": SERIES[index % len(SERIES)], "linestyle": DASHES[index % len(DASHES)]}


def axis_words(ax: Any, x: str, y: str) -> None:
    """Name both axes and drop the frame lines that carry no scale."""
    ax.set(xlabel=x, ylabel=y)
    ax.spines[["top", "right"]].set_visible(False)


def draw_guide(ax: Any, guide: tuple[Any, Any, str], **style: Any) -> None:
    """Draw the line that a model has to beat, unless an earlier figure on these axes did."""
    x, y, words = guide
    if not any(line.get_gid() == repr(guide) for line in ax.lines):
        look = {"color": GUIDE, "lw": 1, "ls": (0, (4, 3)), "zorder": 0, **style}
        ax.plot(x, y, label=words, gid=repr(guide), **look)


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
    """Return the names of the two compared models."""
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
    """Wrap `plot` to replace the earlier drawing, and the figure that `from_predictions` made."""

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

    ``_begin`` gets the axes, ``_series`` the style of a curve, ``_line`` and ``_band`` draw and record,
    ``_finish`` sets and names the axes. Others draw their artists themselves and record whole columns with
    ``_record``, or rows of several lines with ``_append``. Of the class keywords `of` names the result
    classes a Display takes, `several` says whether {name: result} is one of them, `axes` holds names, limits
    and scales of the axes as ``Axes.set`` takes them, and `guide` the grey line that a model has to beat:
    its corners in x and in y, and its words.
    """

    lines_: Any
    bands_: list[Any]
    _kinds: ClassVar[tuple[type, ...]] = ()
    _several: ClassVar[bool] = False
    _axes: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    _guide: ClassVar[tuple[Any, Any, str] | None] = None

    def __init__(self, *, result: Any) -> None:
        self._drawn: dict[str, Any] = {}
        self._first_figure: Any = None
        self.result = result
        kinds = " or ".join(kind.__name__ for kind in self._kinds)
        kinds = f"{'an' if kinds.startswith(('A', 'E', 'I', 'O', 'U', 'Nroc')) else 'a'} {kinds}"
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

    def __init_subclass__(
        cls,
        *,
        of: type | tuple[type, ...] = (),
        several: bool | None = None,
        axes: Mapping[str, Any] | None = None,
        guide: tuple[Any, Any, str] | None = None,
    ) -> None:
        super().__init_subclass__()
        cls._kinds = (of if isinstance(of, tuple) else (of,)) or cls._kinds
        cls._several = cls._several if several is None else several
        cls._axes, cls._guide = axes or cls._axes, guide or cls._guide
        if "plot" in cls.__dict__:
            cls.plot = _drawn_anew(cls.__dict__["plot"])  # type: ignore[attr-defined]

    def _shown(self, ax: Any, name: str | None) -> Self:
        """Draw the result of predictions, with its name in the legend or, alone, as the title."""
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

    def _begin(self, ax: Any, **new: Any) -> Any:
        """Get axes, new ones in `new` size and projection, and return them."""
        self.lines_, self.bands_ = [], []
        self.figure_, self.ax_ = new_axes(ax, **({"size": _SQUARE} if "aspect" in self._axes else {}) | new)
        self._first_series = getattr(self.ax_, "_demur_series", 0) if self.ax_.has_data() else 0
        self.ax_._demur_series = self._first_series
        if self._guide:
            draw_guide(self.ax_, self._guide)
        return self.ax_

    def _series(self, index: int) -> dict[str, Any]:
        """Return the style of the index-th curve, after those of the curves that are on these axes."""
        place = self._first_series + index
        self.ax_._demur_series = max(self.ax_._demur_series, place + 1)
        return series_style(place)

    def _line(self, rows: Mapping[str, Any], **style: Any) -> list[Any]:
        """Draw and record some rows: the second column of numbers against the first."""
        self._append(**rows)
        x, y, *_ = (values for values in rows.values() if not isinstance(values, str))
        return list(self.ax_.plot(x, y, **style))

    def _band(self, x: Any, limits: Any, color: str, alpha: float, **style: Any) -> None:
        """Shade what lies between two limits in the colour of their curve."""
        self.bands_.append(self.ax_.fill_between(x, *limits, color=color, alpha=alpha, lw=0, **style))

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
        self, *, box: bool = False, columns: int = 1, extra: Sequence[Any] = (), **settings: Any
    ) -> Self:
        """Name, limit and scale the axes, explain below what was drawn; `box` keeps all four frame lines."""
        self.ax_.set(**{**self._axes, **settings})
        self.ax_.spines[["top", "right"]].set_visible(box)
        if extra or self.ax_.get_legend_handles_labels()[0]:
            legend_below(self.ax_, columns=columns, extra=extra)
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

    def _append_map(self, x: FloatArray, y: FloatArray, names: str, **values: Any) -> None:
        """Add one row per point of a grid, whose tables have a row per x and a column per y."""
        places = np.meshgrid(x, y, indexing="ij")
        columns = dict(zip(names.split(), places, strict=True)) | values
        self._append(**{name: np.ravel(table) for name, table in columns.items()})

    def frame(self, *, backend: str | None = None) -> Any:
        """Return the drawn data: column name -> array, all of one length.

        With ``backend="pandas"`` or ``"polars"`` as a DataFrame of that library; numbers of the whole
        figure stand in every row.
        """
        if not self._drawn:
            raise DemurError("Nothing is drawn yet. Hint: call plot() first.")
        if backend is None:
            return dict(self._drawn)
        library: Any = check_choice(backend, "backend", ("pandas", "polars"))
        import narwhals as nw

        rows = len(next(iter(self._drawn.values())))
        columns: dict[str, Any] = {}
        for name, values in self._drawn.items():
            alone = values.ndim == 0 or len(values) == rows
            parts = {name: values} if alone else {f"{name}_{axis}": values["xy".index(axis)] for axis in "xy"}
            columns |= {part: np.broadcast_to(value, rows) for part, value in parts.items()}
        try:
            return nw.from_dict(columns, backend=library).to_native()
        except ModuleNotFoundError:
            hint = f"pip install {backend}."
            raise input_error("backend", "must be installed", repr(backend), hint) from None


class PredictionDisplay(Display):
    """A Display made of predictions: its class keywords say how.

    `compute` is the function that makes the result; its parameters are those of `from_predictions`. Where a
    Display takes several results, predictions may be a mapping {name: predictions}, and `default_name` is
    what a single model is called where the result is a mapping in any case. `asks` says what the figure
    needs of an estimator:

    ================= =================================================================
    "scores"          of the positive class of two (default)
    "unlabelled"      P(positive) of cases without labels
    "probabilities"   of all classes
    "classes"         the same, for functions that call the names of the columns so
    "weighted"        the same, before the labels, for rules of class weights
    "losses"          1 where the most probable class is wrong, and its probability
    "answers"         labels, abstentions among them
    "forecasts"       numbers of a regressor
    ================= =================================================================
    """

    _compute: ClassVar[Callable[..., Any]]
    _asks: ClassVar[str] = "scores"
    _default_name: ClassVar[str] = ""

    def __init_subclass__(
        cls,
        *,
        compute: Callable[..., Any] | None = None,
        asks: str | None = None,
        default_name: str = "",
        **options: Any,
    ) -> None:
        super().__init_subclass__(**options)
        cls._asks, cls._default_name = asks or cls._asks, default_name
        if compute is not None:
            cls._compute = staticmethod(compute)
            several = "; several models as a mapping {name: predictions}" if cls._several else ""
            words = f"Draw predictions; parameters as in `{compute.__name__.strip('_')}`{several}."
            offered = [*inspect.signature(compute).parameters.values(), *map(_keyword, ("ax", "name"))]
            _write_out(cls, "from_predictions", words, offered)
        if "from_predictions" in cls.__dict__:
            # the estimator gives the data, and names its classes itself
            given, data_names = list(inspect.signature(cls.from_predictions).parameters.values()), ["X", "y"]
            if cls._asks == "unlabelled":
                data_names = ["X"]
            offered = [one.replace(kind=one.KEYWORD_ONLY) for one in given[len(data_names) :]]
            named = {"probabilities": "labels", "classes": "classes"}.get(cls._asks)
            offered = [one for one in offered if one.name != named]
            if cls._asks == "scores":
                offered.append(_keyword("response_method", "auto"))
            data = [inspect.Parameter(one, _POSITIONAL) for one in ("estimator", *data_names)]
            _write_out(cls, "from_estimator", PredictionDisplay.from_estimator.__doc__, [*data, *offered])

    @classmethod
    def from_predictions(cls, *data: Any, **options: Any) -> Self:
        """Compute the result of predictions and draw it, on `ax` if given, under `name`."""
        ax, name = options.pop("ax", None), options.pop("name", None)
        signature = inspect.signature(cls._compute)
        given, second = signature.bind(*data, **options).arguments, [*signature.parameters, ""][1]
        models = given.get(second)
        if cls._default_name:
            models, name = by_model(models, name, cls._default_name), None
        if not cls._several or not isinstance(models, Mapping):
            return cls(result=cls._compute(**given))._shown(ax, name)
        found = {str(model): cls._compute(**{**given, second: values}) for model, values in models.items()}
        return cls(result=found)._shown(ax, name)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any = None, **options: Any) -> Self:
        """Draw a fitted estimator on cases it was not fitted to; options as in `from_predictions`.

        Where the figure needs scores of two classes, `response_method` and `pos_label` choose them as
        in scikit-learn's displays. What a figure needs beside one model, such as the scores of a second
        one, is an option.
        """
        wanted, settings = _response(cls._asks, estimator, X, y, options)
        options["name"] = options.get("name") or type(estimator).__name__
        return cls.from_predictions(*wanted, **{**options, **settings})


def _keyword(name: str, default: Any = None) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)


def _write_out(kind: type[PredictionDisplay], name: str, words: str | None, offered: Any) -> None:
    """Define an inherited constructor with its own signature, for `help` and for editors."""
    inherited = getattr(PredictionDisplay, name).__func__

    def method(cls: Any, *data: Any, **options: Any) -> Any:
        return inherited(cls, *data, **options)

    method.__doc__ = words or inherited.__doc__
    method.__name__, method.__qualname__ = name, f"{kind.__qualname__}.{name}"
    first = inspect.Parameter("cls", _POSITIONAL)
    method.__signature__ = inspect.Signature([first, *offered])  # type: ignore[attr-defined]
    setattr(kind, name, classmethod(method))


class CurveDisplay(PredictionDisplay):
    """A Display of one line per result, drawn by the loop ``for name, curve, style in self._curves(ax)``."""

    _several = True

    def _curves(self, ax: Any, **new: Any) -> Iterator[tuple[str, Any, dict[str, Any]]]:
        """Get axes, and yield name, result and style of every curve."""
        self._begin(ax, **new)
        for index, (name, member) in enumerate(self._members.items()):
            yield name, member, self._series(index)


class BandDisplay(PredictionDisplay):
    """A Display of one result with a simultaneous and a pointwise band, in the colour of its curve."""

    def _bands(self, x: Any, color: str, name: str = "", rows: Any = ...) -> None:
        """Draw both bands of some rows of the result."""
        level = f"{100 * self.result.confidence_level:g} %"
        for prefix, alpha, words in (
            ("", 0.16, "band, all points"),
            ("pointwise_", 0.28, "interval, one point"),
        ):
            low, high = (getattr(self.result, f"{prefix}{end}")[rows] for end in ("low", "high"))
            self._band(x, (low, high), color, alpha, label=f"{name}{level} {words}")

    def _honest(self, x: Any, color: str, name: str = "", rows: Any = ...) -> None:
        """Draw both bands, the honest and the hindsight line."""
        self._bands(x, color, name, rows)
        # where nothing was chosen there is no hindsight
        fixed = getattr(self.result, "method", "") == "fixed classifier"
        self.lines_ += self.ax_.plot(
            x, self.result.honest[rows], color=color, label=f"{name}{'cost' if fixed else 'honest'}", lw=1.8
        )
        if not fixed:
            hindsight = {"label": f"{name}with hindsight", "lw": 1.2, "ls": (0, (4, 2))}
            self.lines_ += self.ax_.plot(x, self.result.hindsight[rows], color=color, **hindsight)
