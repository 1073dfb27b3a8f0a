"""Time lines as SVG inside HTML: lines stretch with the page, words keep their size."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

__all__ = ["Chart", "Guide", "Line", "log_ticks", "round_ticks"]

_SIDE = 1000
_MOST_DOTS = 60
_MOST_TICKS = 6


@dataclass(frozen=True, kw_only=True)
class Line:
    """A quantity over the batches, perhaps with limits.

    Attributes
    ----------
    name : str
        For the legend; "" leaves it out.
    style : str
        Class of the style sheet: colour and dashes.
    points : sequence of (batch, value)
        In the order of the batches.
    limits : sequence of (batch, low, high)
        A band.
    """

    name: str
    style: str
    points: Sequence[tuple[float, float]]
    limits: Sequence[tuple[float, float, float]] = ()


@dataclass(frozen=True, kw_only=True)
class Guide:
    """A level that is expected, or must not be passed; "" as its name leaves the legend out."""

    name: str
    style: str
    value: float


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A time line.

    Attributes
    ----------
    title, text : str
        Heading, and what is to be seen: also read aloud instead of the picture.
    lines, guides : sequence
        What is drawn.
    low, high : float
        Ends of the vertical axis.
    ticks : sequence of (value, words)
        Its marks.
    batches : (int, int)
        First and last batch.
    ends : two sequences of str
        Lines of words below them.
    logarithmic : bool
        Whether the vertical axis is.
    """

    title: str
    text: str
    lines: Sequence[Line]
    low: float
    high: float
    ticks: Sequence[tuple[float, str]]
    batches: tuple[int, int]
    ends: tuple[Sequence[str], Sequence[str]]
    guides: Sequence[Guide] = field(default=())
    logarithmic: bool = False

    def _across(self, batch: float) -> float:
        first, last = self.batches
        return _SIDE / 2 if first == last else _SIDE * (batch - first) / (last - first)

    def _down(self, value: float) -> float:
        low, high, at = self.low, self.high, min(max(value, self.low), self.high)
        if self.logarithmic:
            low, high, at = math.log(low), math.log(high), math.log(at)
        return _SIDE * (high - at) / (high - low)

    def html(self) -> str:
        """Return the figure."""
        marks = "".join(
            f'<span style="top:{self._down(value) / 10:.2f}%">{escape(words)}</span>'
            for value, words in self.ticks
        )
        named = [(line.name, line.style) for line in self.lines]
        named += [(guide.name, f"guide {guide.style}") for guide in self.guides]
        legend = "".join(
            '<li><svg aria-hidden="true" width="28" height="10" viewBox="0 0 28 10">'
            f'<polyline class="{style}" points="0,5 28,5"/></svg>{escape(name)}</li>'
            for name, style in named
            if name
        )
        ends = "".join(
            f"<span>{'<br>'.join(escape(words) for words in end if words)}</span>" for end in self.ends
        )
        return (
            f"<figure><figcaption><h3>{escape(self.title)}</h3><p>{escape(self.text)}</p></figcaption>"
            + (f'<ul class="legend">{legend}</ul>' if legend else "")
            + f'<div class="plot"><div class="marks" aria-hidden="true">{marks}</div>'
            f'<div class="field"><svg role="img" aria-label="{escape(self.title)}. {escape(self.text)}" '
            f'viewBox="0 0 {_SIDE} {_SIDE}" preserveAspectRatio="none">{self._drawn()}</svg>'
            f'</div><div class="ends" aria-hidden="true">{ends}</div></div></figure>'
        )

    def _drawn(self) -> str:
        parts = [_level(self._down(value), "grid") for value, _ in self.ticks]
        for line in self.lines:
            if line.limits:
                there = [(self._across(at), self._down(high)) for at, _, high in line.limits]
                back = [(self._across(at), self._down(low)) for at, low, _ in reversed(line.limits)]
                parts.append(f'<polygon class="{line.style}" points="{_places([*there, *back])}"/>')
        parts += [_level(self._down(guide.value), f"guide {guide.style}") for guide in self.guides]
        for line in self.lines:
            places = [(self._across(at), self._down(value)) for at, value in line.points]
            if len(places) > 1:
                parts.append(f'<polyline class="{line.style}" points="{_places(places)}"/>')
            if len(places) <= _MOST_DOTS:
                # a line without length and with round ends stays a dot however the picture is stretched
                dots = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in places)
                parts.append(f'<path class="dots {line.style}" d="{dots}"/>')
        return "".join(parts)


def _level(place: float, style: str) -> str:
    return f'<path class="{style}" d="M0 {place:.1f}H{_SIDE}"/>'


def _places(places: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


def round_ticks(low: float, high: float) -> list[float]:
    """Return a few round numbers from low to high."""
    step = 10.0 ** math.floor(math.log10((high - low) / _MOST_TICKS))
    while (high - low) / step > _MOST_TICKS:
        step *= 2 if f"{step:e}"[0] != "2" else 2.5
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Return some powers of ten from low to high."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    every = max(1, math.ceil((last - first) / _MOST_TICKS))
    return [10.0**power for power in range(first, last + 1) if power % every == 0]
