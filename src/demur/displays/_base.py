"""What all Displays share: colours, dash patterns, axes, the error without matplotlib."""

from typing import Any, Self

import numpy as np

from demur.exceptions import DemurError

__all__ = [
    "ABSTAIN_COLOR",
    "ACCENT",
    "DASHES",
    "DIFFERENCE_CMAP",
    "GUIDE",
    "NEGATIVE_COLOR",
    "POSITIVE_COLOR",
    "SEQUENTIAL_CMAP",
    "SERIES",
    "Display",
    "new_axes",
    "pyplot",
    "series_style",
]

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


def series_style(index: int) -> dict[str, Any]:
    """Colour and dash pattern of the index-th model; both differ, for print and for all eyes."""
    return {"color": SERIES[index % len(SERIES)], "linestyle": DASHES[index % len(DASHES)]}


class Display:
    """Base of the Displays: keeps the result and what was drawn.

    Subclasses set ``ax_``, ``figure_`` and their artists in ``plot`` and record every drawn
    column with ``_record``.
    """

    figure_: Any
    ax_: Any

    def __init__(self, *, result: Any) -> None:
        self.result = result
        self._drawn: dict[str, Any] = {}

    @classmethod
    def from_result(cls, result: Any) -> Self:
        """Make the Display of a result object."""
        return cls(result=result)

    def _record(self, **columns: Any) -> None:
        for name, values in columns.items():
            self._drawn[name] = np.asarray(values)

    def frame(self) -> dict[str, Any]:
        """Return the drawn data as columns: name -> array."""
        if not self._drawn:
            raise DemurError("Nothing is drawn yet. Hint: call plot() first.")
        return dict(self._drawn)
