"""Results in a notebook: a table and, where there is something to draw, a small figure, as plain HTML.

No script, no style sheet, no picture file: what a notebook or a mail shows as it stands.
"""

from collections.abc import Iterable
from html import escape
from typing import Any

import numpy as np

__all__ = ["bars", "curve", "heat", "panel", "threshold_label", "threshold_text", "zones"]

_WIDTH, _HEIGHT, _PAD = 220, 120, 6
_POINTS = 200
_LONGEST_LABEL = 12
# cells of a map in each direction
_CELLS = 12
# the colours of the figures: distinguishable with every common colour vision deficiency
_LINE, _NEGATIVE, _ABSTAIN, _POSITIVE = "#0072B2", "#0072B2", "#999999", "#E69F00"


def panel(title: str, rows: Iterable[tuple[str, str]], *, words: str = "", figure: str = "") -> str:
    """Return a heading, a sentence, a table of names and values, and a figure beside it."""
    cells = "".join(
        f'<tr><th style="text-align:left;font-weight:normal">{escape(name)}</th>'
        f'<td style="text-align:left">{escape(value)}</td></tr>'
        for name, value in rows
    )
    said = f"<p>{escape(words)}</p>" if words else ""
    table = f"<table>{cells}</table>" if cells else ""
    drawn = f'<div style="flex:none">{figure}</div>' if figure else ""
    beside = f'<div style="display:flex;gap:1em;align-items:flex-start">{table}{drawn}</div>'
    return f"<div><strong>{escape(title)}</strong>{said}{beside}</div>"


def curve(x: Any, y: Any, names: tuple[str, str]) -> str:
    """Return a line through points as SVG, or nothing where fewer than two are finite."""
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    finite = np.isfinite(x) & np.isfinite(y)
    x, y = x[finite], y[finite]
    if len(x) < 2:
        return ""
    if len(x) > _POINTS:
        kept = np.unique(np.linspace(0, len(x) - 1, _POINTS).astype(np.int64))
        x, y = x[kept], y[kept]
    places = np.column_stack([_placed(x, _WIDTH), _HEIGHT - _placed(y, _HEIGHT)])
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
    frame = (
        f'<rect x="0.5" y="0.5" width="{_WIDTH - 1}" height="{_HEIGHT - 1}" fill="none" stroke="#BBBBBB"/>'
    )
    line = f'<polyline points="{points}" fill="none" stroke="{_LINE}" stroke-width="1.5"/>'
    across, up = (
        f"{name} from {values.min():.3g} to {values.max():.3g}"
        for name, values in zip(names, (x, y), strict=True)
    )
    return _svg(_HEIGHT, frame + line, f"{up}, against {across}")


def heat(values: Any, names: tuple[str, str, str]) -> str:
    """Return a map of a table as SVG, row 0 on the left, column 0 below; the darker the larger.

    Values of both signs get two colours: blue below 0, orange above. `names` are those of the value,
    of the rows and of the columns. Large tables are thinned; values that are not finite stay blank.
    """
    table = np.asarray(values, dtype=np.float64)
    kept = (np.linspace(0, size - 1, min(size, _CELLS)).astype(np.int64) for size in table.shape)
    table = table[np.ix_(*map(np.unique, kept))]
    if not np.isfinite(table).any():
        return ""
    low, high = float(np.nanmin(table)), float(np.nanmax(table))
    largest = max(abs(low), abs(high)) or 1.0
    wide, tall = (size / count for size, count in zip((_WIDTH, _HEIGHT), table.shape, strict=True))
    cells = []
    for (row, column), value in np.ndenumerate(table):
        if np.isfinite(value):
            color = _POSITIVE if value > 0 and low < 0 else _LINE
            strength = abs(value) / largest if low < 0 else (value - low) / ((high - low) or 1.0)
            place = f'x="{row * wide:.1f}" y="{_HEIGHT - (column + 1) * tall:.1f}"'
            size = f'width="{wide:.1f}" height="{tall:.1f}"'
            cells.append(f'<rect {place} {size} fill="{color}" fill-opacity="{strength:.2f}"/>')
    what, across, up = names
    return _svg(_HEIGHT, "".join(cells), f"{what} from {low:.3g} to {high:.3g}, over {across} and {up}")


def bars(values: Any, labels: Iterable[Any], name: str) -> str:
    """Return a bar with its label for each value as SVG; nothing for many or negative ones."""
    heights, words = np.asarray(values, dtype=np.float64), [str(label) for label in labels]
    if not 0 < len(heights) <= _CELLS or not np.isfinite(heights).all() or heights.min() < 0:
        return ""
    width, room = _WIDTH / len(heights), _HEIGHT - 18
    parts = []
    for k, (share, word) in enumerate(zip(heights / (heights.max() or 1.0), words, strict=True)):
        place = f'x="{(k + 0.1) * width:.1f}" y="{room * (1 - share):.1f}"'
        parts.append(f'<rect {place} width="{0.8 * width:.1f}" height="{room * share:.1f}" fill="{_LINE}"/>')
        parts.append(_text((k + 0.5) * width, _HEIGHT - 5, word, "currentColor"))
    said = ", ".join(f"{word} {value:.3g}" for word, value in zip(words, heights, strict=True))
    return _svg(_HEIGHT, "".join(parts), f"{name}: {said}")


def threshold_text(value: float) -> str:
    """Write a threshold with all its digits: the shortest text that reads back as the same number."""
    return repr(float(value)).removesuffix(".0")


def threshold_label(value: float) -> str:
    """Write a threshold where space is short: all its digits if they fit, else six of them."""
    text = threshold_text(value)
    return text if len(text) <= _LONGEST_LABEL else f"{value:.6g}"


def zones(lower: float, upper: float, shares: tuple[str, str, str]) -> str:
    """Return the three zones of a window side by side as SVG, each with its words."""
    parts, width = [], _WIDTH / 3
    for k, (words, color) in enumerate(zip(shares, (_NEGATIVE, _ABSTAIN, _POSITIVE), strict=True)):
        if k == 1 and lower >= upper:
            color = "none"
        parts.append(f'<rect x="{k * width:.1f}" y="0" width="{width:.1f}" height="22" fill="{color}"/>')
        ink = "#000000" if color in (_POSITIVE, "none") else "#FFFFFF"
        parts.append(_text((k + 0.5) * width, 15, words, ink))
    ends = [threshold_label(end) for end in (lower, upper)]
    parts += [_text(k * width, 38, end, "currentColor") for k, end in enumerate(ends, start=1)]
    said = f"negative up to {ends[0]}, positive from {ends[1]} on"
    return _svg(44, "".join(parts), said)


def _text(x: float, y: float, words: str, color: str) -> str:
    shown = escape(words if len(words) <= 12 else f"{words[:11]}…")
    return f'<text x="{x:.1f}" y="{y}" font-size="11" text-anchor="middle" fill="{color}">{shown}</text>'


def _svg(height: int, content: str, words: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" role="img" '
        f'aria-label="{escape(words)}"><title>{escape(words)}</title>{content}</svg>'
    )


def _placed(values: Any, size: int) -> Any:
    low, high = float(values.min()), float(values.max())
    # halves: the range of large floats would overflow
    span = high / 2 - low / 2
    share = (values / 2 - low / 2) / span if span > 0 else np.full(len(values), 0.5)
    return _PAD + share * (size - 2 * _PAD)
