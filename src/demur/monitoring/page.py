"""A policy in use as one HTML page: the sentence first, then what to do, then time lines.

The page stands alone: no script, no network, no font. Names from files are text, never markup.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from typing import Any

from demur._tables.numbers import number
from demur.exceptions import UndefinedError
from demur.monitoring.alarms import (
    NO_SCORE,
    action_words,
    advice,
    cases_per_day,
    frequent_actions,
    outcome_sentence,
    promise_words,
    quiet_sentence,
)
from demur.surface.window import ABSTAIN

__all__ = ["Chart", "Guide", "Line", "log_ticks", "monitor_page", "round_ticks"]

# forbids everything but the style sheet in the page
_RULES = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_RAISED = str.maketrans("-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")
# lines that one can tell apart
_MOST_LINES = 6
# units of a drawing across and down
_SIDE = 1000
_MOST_DOTS = 60
_MOST_TICKS = 6


def monitor_page(monitor: Any, *, proposed: str | None = None) -> str:
    """Return the page of a `PolicyMonitor`; `proposed` names the file of the policy for a new prevalence."""
    alarms = monitor.alarms
    name = monitor.policy.model or "a policy"
    title = f"{'Alarm' if alarms else 'Quiet'}: {name} in use"
    style = files("demur.monitoring").joinpath("page.css").read_text(encoding="utf-8")
    quiet = quiet_sentence(monitor, number) if monitor.n else "No batch has been counted yet."
    verdict = "".join(f"<p>{escape(sentence)}</p>" for sentence in alarms or [quiet])
    facts = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(text)}</dd></div>" for name, text in _facts(monitor)
    )
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<section class="verdict {"alarm" if alarms else "quiet"}" aria-label="Verdict">{verdict}</section>',
        "<h2>What to do</h2>",
        f"<ul>{''.join(f'<li>{escape(text)}</li>' for text in advice(monitor, proposed=proposed))}</ul>",
        "<h2>In numbers</h2>",
        f"<dl>{facts}</dl>",
    ]
    if monitor.history:
        parts += ["<h2>Over time</h2>", '<div class="charts">', *_charts(monitor), "</div>", _table(monitor)]
    what, rest = "decisions", ""
    if monitor.watches_scores:
        what, rest = "scores", " Limits of the share of positives are for this look alone."
    parts.append(
        "<footer><p>You may look as often as you like: evidence, and limits of shares and costs, hold at all "
        f"times together. The chance of a false alarm, ever, is at most {_percent(monitor.alpha)} for the "
        f"{what} and {_percent(monitor.alpha)} for the promise.{rest}</p></footer>"
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_RULES}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(parts)
        + "\n</main>\n</body>\n</html>\n"
    )


# ---------------------------------------------------------------- numbers


def _facts(monitor: Any) -> Iterator[tuple[str, str]]:
    policy = monitor.policy
    yield "Cases", f"{monitor.n:,} in {_counted(monitor.batches, 'batch', 'batches')}"
    if monitor.watches_scores:
        yield (
            "Window",
            f"{policy.neg_label} up to {number(policy.lower)}, {policy.pos_label} from "
            f"{number(policy.upper)} on, {policy.abstain_label} between",
        )
    else:
        yield "Rule", f"{policy.rule.kind} for {', '.join(map(str, policy.classes))}. {NO_SCORE}"
    if monitor.n:
        yield from _score_facts(monitor)
    if monitor.n_labelled and monitor.cost is not None:
        low, high = monitor.cost_interval
        yield (
            f"Cost per case by {monitor.n_labelled:,} labels",
            f"{number(monitor.cost)} ({number(low)} to {number(high)}){promise_words(monitor, number)}",
        )
    for note in monitor.notes:
        yield "Note", note
    for side, (share, limits) in monitor.precision.items():
        yield f"Right when called {side}", f"{_percent(share)} {_limits(limits)}"
    if monitor.agreement is not None:
        share, limits, kappa = monitor.agreement
        yield "Two people agree", f"{_percent(share)} {_limits(limits)}, kappa {kappa:.2f}"


def _score_facts(monitor: Any) -> Iterator[tuple[str, str]]:
    expected = monitor.reference.expected[ABSTAIN]
    recent = monitor.recent()
    yield (
        "Abstained on",
        f"{_percent(monitor.outcomes[ABSTAIN] / monitor.n)} {_limits(monitor.abstention_interval)}"
        + ("" if expected is None else f", expected {_percent(expected)}"),
    )
    yield (
        f"In the last {_counted(recent.last - recent.first + 1, 'batch', 'batches')}",
        f"{_percent(recent.abstained)} {_limits(recent.abstained_interval)} abstained on; the decisions "
        f"{'differ' if recent.differs else 'do not differ clearly'} from those expected",
    )
    if monitor.scores_moved or not monitor.watches_scores:
        return
    share = f"{_percent(monitor.prevalence)} {_limits(monitor.prevalence_interval)}"
    yield "Share of positives by the scores", f"{share}, assumed {_percent(monitor.policy.prevalence)}"
    # a window under constraints cannot be derived again
    with suppress(UndefinedError):
        keeping, (least, most) = monitor.cost_of_keeping, monitor.cost_of_keeping_interval
        daily = cases_per_day(monitor)
        each_day = "" if daily is None else f"; {number(keeping * daily)} per day"
        yield (
            "Keeping the window costs",
            f"{number(1000 * keeping)} per 1,000 cases ({number(1000 * least)} to {number(1000 * most)})"
            f"{each_day}, if only the share of positives has changed",
        )


# ---------------------------------------------------------------- time lines


def _charts(monitor: Any) -> list[str]:
    rows = monitor.history
    first, last = rows[0], rows[-1]
    across: dict[str, Any] = {
        "batches": (first.last, last.last),
        "ends": tuple((f"batch {row.last}", row.at or "") for row in (first, last)),
    }
    charts = [_decisions(monitor, across), _evidence(monitor, across)]
    if monitor.watches_scores and not monitor.scores_moved:
        charts.append(_prevalence(monitor, across))
    if any(row.cost is not None for row in rows):
        charts.append(_costs(monitor, across))
    return [chart.html() for chart in charts]


def _shares(values: list[float]) -> dict[str, Any]:
    """Return the axis of shares that begins at 0."""
    high = min(1.0, 1.15 * max([*values, 0.02]))
    ticks = round_ticks(0.0, high)
    return {"low": 0.0, "high": high, "ticks": [(tick, f"{100 * tick:g} %") for tick in ticks]}


def _decisions(monitor: Any, across: dict[str, Any]) -> Chart:
    drawn = frequent_actions(monitor.outcomes, _MOST_LINES)
    names, expected = action_words(monitor), monitor.reference.expected
    styles = {code: f"action{place}" for place, code in enumerate(drawn)} | {drawn[-1]: "abstained"}
    if monitor.watches_scores:
        styles = dict(enumerate(monitor.actions))
    lines = [
        Line(
            name=names[code],
            style=styles[code],
            points=[(row.last, row.counts[code] / row.n) for row in monitor.history],
        )
        for code in drawn
    ]
    guides = [
        Guide(name="", style=styles[code], value=expected[code])
        for code in drawn
        if expected[code] is not None
    ]
    highest = [value for line in lines for _, value in line.points]
    return Chart(
        title="Decisions",
        text=f"{outcome_sentence(monitor)} Thin lines are what the policy expects.",
        lines=lines,
        guides=guides,
        **_shares([*highest, *(guide.value for guide in guides)]),
        **across,
    )


def _evidence(monitor: Any, across: dict[str, Any]) -> Chart:
    points = [(row.last, row.evidence) for row in monitor.history]
    values = [value for _, value in points]
    low, high = min(0.1, *values), max(10 / monitor.alpha, 2 * max(values))
    now, most = _odds(values[-1]), _odds(monitor.e_value)
    highest = "" if now == most else f", {most} to 1 at its highest"
    since = (
        "It has stayed below the alarm."
        if monitor.changed_since is None
        else f"The change began with batch {monitor.changed_since} or so."
    )
    return Chart(
        title="Evidence of a change",
        text=f"Now {now} to 1{highest}, on a logarithmic axis. {since}",
        lines=[Line(name="", style="plain", points=points)],
        guides=[Guide(name=f"alarm from {1 / monitor.alpha:g} on", style="limit", value=1 / monitor.alpha)],
        low=low,
        high=high,
        ticks=[(tick, _power(tick)) for tick in log_ticks(low, high)],
        logarithmic=True,
        **across,
    )


def _prevalence(monitor: Any, across: dict[str, Any]) -> Chart:
    rows = [row for row in monitor.history if row.prevalence is not None]
    begin = max(monitor.changed_since or 1, across["batches"][0])
    low, high = monitor.prevalence_interval
    band = [(at, low, high) for at in (begin, across["batches"][1])]
    level = [(at, monitor.prevalence) for at in (begin, across["batches"][1])]
    assumed = monitor.policy.prevalence
    since = "of all batches" if monitor.changed_since is None else f"since batch {monitor.changed_since}"
    return Chart(
        title="Share of positives, by the scores alone",
        text=f"{_percent(monitor.prevalence)} {_limits((low, high))} {since}; the policy assumes "
        f"{_percent(assumed)}. Right if the scores of each class are as before.",
        lines=[
            Line(name="each batch", style="positive", points=[(row.last, row.prevalence) for row in rows]),
            Line(name=since, style="plain", points=level, limits=band),
        ],
        guides=[Guide(name="assumed", style="expected", value=assumed)],
        **_shares([*(row.prevalence for row in rows), high, assumed]),
        **across,
    )


def _costs(monitor: Any, across: dict[str, Any]) -> Chart:
    rows = [row for row in monitor.history if row.cost is not None]
    points = [(row.last, row.cost) for row in rows]
    limits = [(row.last, row.cost_low, row.cost_high) for row in rows]
    guides = []
    if monitor.promise is not None:
        guides = [
            Guide(name="promised at most", style="limit", value=monitor.promise.limit),
            Guide(name="promised", style="expected", value=monitor.promise.cost),
        ]
    # early limits reach to the largest cost there is: the later ones tell
    drawn = [*(value for _, value in points), *limits[-1][1:], *(guide.value for guide in guides), 0.0]
    most, least = max(drawn), min(drawn)
    high = least + 1.25 * (most - least) if most > least else least + 1.0
    last = rows[-1]
    return Chart(
        title="Cost per case, by the labels",
        text=f"{number(last.cost)} ({number(last.cost_low)} to {number(last.cost_high)}) so far; limits "
        f"hold at all times{promise_words(monitor, number)}.",
        lines=[Line(name="", style="plain", points=points, limits=limits)],
        guides=guides,
        low=least,
        high=high,
        ticks=[(tick, f"{tick:g}") for tick in round_ticks(least, high)],
        **across,
    )


# ---------------------------------------------------------------- table and notes


def _table(monitor: Any) -> str:
    rated = ["positives"] if monitor.watches_scores else []
    head = ("batch", "when", "cases", *action_words(monitor), "no score", "evidence", *rated, "cost")
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in _cells(monitor, row)) + "</tr>"
        for row in monitor.history
    )
    names = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    return (
        "<details><summary>All batches as a table</summary>"
        '<div class="wide" role="region" aria-label="All batches" tabindex="0">'
        f"<table><thead><tr>{names}</tr></thead><tbody>{rows}</tbody></table></div></details>"
    )


def _cells(monitor: Any, row: Any) -> list[str]:
    batch = f"{row.first}" if row.first == row.last else f"{row.first} to {row.last}"
    shares = [_percent(count / row.n) for count in row.counts]
    cost = "" if row.cost is None else number(row.cost)
    known = not monitor.scores_moved and row.prevalence is not None
    rated = [_percent(row.prevalence) if known else ""] if monitor.watches_scores else []
    evidence = _odds(row.evidence)
    return [batch, row.at or "", f"{row.n:,.0f}", *shares, f"{row.missing:,}", evidence, *rated, cost]


def _counted(n: int, one: str, more: str) -> str:
    return f"{n:,} {one if n == 1 else more}"


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %" if 0 < share < 0.1 else f"{100 * share:.1f} %"


def _limits(limits: tuple[float, float]) -> str:
    return f"({_percent(limits[0])} to {_percent(limits[1])})"


def _odds(value: float) -> str:
    return "more than a million" if value > 1e6 else number(value, 2 if value < 100 else 3)


def _power(value: float) -> str:
    """Show a power of ten; the large ones with their exponent."""
    power = round(math.log10(value))
    return f"{value:,g}" if abs(power) <= 3 else f"10{str(power).translate(_RAISED)}"


# ---------------------------------------------------------------- drawing
# SVG inside HTML: lines stretch with the page, words keep their size


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
