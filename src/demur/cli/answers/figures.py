"""Figures of the verbs that no display of the package draws."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from demur._files.whole import draft_of
from demur.cli.answers.tables import level_words
from demur.displays.base import ABSTAIN_COLOR, NEGATIVE_COLOR, POSITIVE_COLOR, pyplot, show_names_as_text
from demur.honest.expected_cost import ExpectedCost
from demur.typing import BoolArray, FloatArray
from demur.windows.guarded import GuardedWindow

__all__ = ["cost_dots", "guard_map", "save"]

_MOST_DOTS = 4000


@contextmanager
def save(path: Path, *, size: tuple[float, float]) -> Iterator[Any]:
    """Give new axes, and write what was drawn in one step."""
    plt = pyplot()
    figure, ax = plt.subplots(figsize=size, layout="constrained")
    try:
        yield ax
        show_names_as_text(figure)
        with draft_of(path) as draft:
            figure.savefig(draft, format=path.suffix.lower().lstrip(".") or "png", dpi=150)
    finally:
        plt.close(figure)


def cost_dots(ax: Any, rows: Mapping[str, ExpectedCost], *, alone: Collection[str], level: float) -> None:
    """One line per rule, the cheapest on top: honest cost with its interval."""
    names = sorted(rows, key=lambda name: -rows[name].cost)
    for place, name in enumerate(names):
        row = rows[name]
        colour = NEGATIVE_COLOR if name in alone else "black"
        ax.plot(list(row.interval), [place, place], color=colour, lw=1.6, solid_capstyle="butt")
        ax.plot([row.cost], [place], "o" if name in alone else "D", color=colour, ms=6)
    ax.set_yticks(range(len(names)), names)
    ax.set(xlabel=f"honest cost per case and its {level_words(level)} interval", xlim=(0, None))
    ax.set_title("Blue circles: one model alone. Black diamonds: combined.", fontsize=10, loc="left")
    ax.margins(y=0.08)
    ax.grid(axis="x", color="0.9")
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)


def guard_map(
    ax: Any,
    rule: GuardedWindow,
    *,
    score: FloatArray,
    doubt: FloatArray,
    positive: BoolArray,
    names: tuple[str, str],
    classes: tuple[str, str],
) -> None:
    """Draw the cases in the plane of score and doubt; grey is where the rule abstains."""
    # evenly through the file: a figure of a million dots shows no more
    shown = slice(None, None, max(1, len(score) // _MOST_DOTS))
    marks = (~positive, NEGATIVE_COLOR, "o", classes[1]), (positive, POSITIVE_COLOR, "^", classes[0])
    for which, colour, marker, label in marks:
        kept = which[shown]
        ax.plot(
            score[shown][kept], doubt[shown][kept], marker, color=colour, ms=4, alpha=0.6, mew=0, label=label
        )
    ax.margins(0.03)
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    lower, upper = (min(max(end, left), right) for end in (rule.lower, rule.upper))
    limit = min(rule.max_doubt, high)
    ax.fill_between([lower, upper], low, limit, color=ABSTAIN_COLOR, alpha=0.25, lw=0, label="abstains")
    ax.fill_between([left, right], limit, high, color=ABSTAIN_COLOR, alpha=0.25, lw=0)
    ax.set(xlim=(left, right), ylim=(low, high), xlabel=f"score: {names[0]}", ylabel=f"doubt: {names[1]}")
    ax.figure.legend(loc="outside lower center", ncols=3, frameon=False)
