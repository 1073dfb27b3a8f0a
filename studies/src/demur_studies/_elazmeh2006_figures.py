"""The figures of Elazmeh, Japkowicz and Matwin (2006)."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from demur.counts.scores import ScoreCounts
from demur.roc.curve import roc_curve
from demur.roc.segment import ConfidentSegment, confident_segment
from demur_studies._elazmeh2006_learners import LEARNERS
from demur_studies._study import Figure

__all__ = ["figures_of_sample", "figures_of_studies"]


def figures_of_studies(
    segments: Mapping[tuple[str, str], ConfidentSegment],
    bands: Mapping[str, ScoreCounts],
    widths: Mapping[str, tuple[float, float]],
) -> tuple[Figure, ...]:
    """Figures 1 and 4 to 8 of what could be run: (data set, learner) -> segment, learner -> band."""
    names = list(dict.fromkeys(name for name, _ in segments))
    shown = names[0]
    figures = [
        Figure(
            "figure-1",
            f"(b - c)/n and Tango's 95 % intervals of (B) on {shown}: all points, and the confident ones.",
            lambda: _draw_intervals(segments, [(shown, "B"), (shown, "B")], confident=[False, True]),
        ),
        Figure(
            "figure-4", "Fixed-width 95 % bands of the ROC curves on dis.", lambda: _draw_bands(bands, widths)
        ),
        Figure("figure-5", "ROC curves; bold: confident points.", lambda: _draw_curves(segments, names)),
        Figure(
            "figure-6", "Area of the confident segment against AveD.", lambda: _draw_areas(segments, names)
        ),
    ]
    for number, name, letters in ((7, "dis", "TFB"), (8, "SPECTF", "STFB")):
        if name in names:
            keys = [(name, letter) for letter in letters]
            figures.append(
                Figure(
                    f"figure-{number}",
                    f"Tango's 95 % intervals of the confident points on {name}.",
                    partial(_draw_intervals, segments, keys, confident=[True] * len(keys)),
                )
            )
    return tuple(figures)


def figures_of_sample(sample: ScoreCounts) -> tuple[Figure, ...]:
    """Figure 1 where no data set is at hand: of normal scores."""
    part = {("normal scores", "B"): confident_segment(sample)}
    keys = [("normal scores", "B")] * 2
    return (
        Figure(
            "figure-1",
            "(b - c)/n and Tango's 95 % intervals of normal scores, 13 positives and 959 negatives: all "
            "points, and the confident ones.",
            lambda: _draw_intervals(part, keys, confident=[False, True]),
        ),
    )


def _draw_intervals(
    segments: Mapping[tuple[str, str], ConfidentSegment],
    keys: list[tuple[str, str]],
    *,
    confident: list[bool],
) -> Any:
    from demur.displays.base import axes_table
    from demur.displays.confidence import TangoIntervalDisplay

    columns = min(2, len(keys)) if len(keys) != 3 else 3
    rows = -(-len(keys) // columns)
    figure, table = axes_table(None, (rows, columns), (4.6 * columns, 4.4 * rows))
    for ax, key, only in zip(table.flat, keys, confident, strict=True):
        title = f"{key[0]} ({key[1]})" + (", confident points" if only else "")
        TangoIntervalDisplay(result=segments[key]).plot(ax, confident_only=only, title=title)
    return figure


def _draw_bands(bands: Mapping[str, ScoreCounts], widths: Mapping[str, tuple[float, float]]) -> Any:
    from demur.displays.base import axes_table, axis_words, series_style

    figure, table = axes_table(None, (2, 2), (8.2, 8.2))
    for ax, (name, counts) in zip(table.flat, bands.items(), strict=False):
        half, share = widths[name]
        aside, above = half / np.sqrt(counts.negatives.sum()), half / np.sqrt(counts.positives.sum())
        curve = roc_curve(counts)
        style = series_style(0)
        for sign in (-1, 1):
            ax.plot(curve.fpr - sign * aside, curve.tpr + sign * above, color=style["color"], lw=0.9, ls="--")
        ax.plot(curve.fpr, curve.tpr, lw=1.6, **style)
        ax.plot([0, 1], [0, 1], color="#BBBBBB", lw=0.8, zorder=0)
        ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", title=f"({name}): band covers {share:.0%}")
        axis_words(ax, "false positive rate", "true positive rate")
    return figure


def _draw_curves(segments: Mapping[tuple[str, str], ConfidentSegment], names: list[str]) -> Any:
    from demur.displays.base import axes_table, axis_words, series_style

    rows = -(-len(names) // 3)
    figure, table = axes_table(None, (rows, 3), (11.4, 4.0 * rows + 0.5))
    for ax, name in zip(table.flat, names, strict=False):
        for index, letter in enumerate(LEARNERS):
            part, style = segments[name, letter], series_style(index)
            ax.plot(part.fpr, part.tpr, lw=1, label=f"({letter})", **style)
            if part.first is not None:
                ax.plot(*part.segment.T, lw=3.4, marker="o", ms=3.5, color=style["color"])
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal", title=name)
        axis_words(ax, "false positive rate", "true positive rate")
    _shared_legend(figure, table, len(names))
    return figure


def _draw_areas(segments: Mapping[tuple[str, str], ConfidentSegment], names: list[str]) -> Any:
    from demur.displays.base import SERIES, axes_table, axis_words

    rows = -(-len(names) // 3)
    figure, table = axes_table(None, (rows, 3), (11.4, 3.7 * rows + 0.5))
    for ax, name in zip(table.flat, names, strict=False):
        ax.axvline(0, color="#BBBBBB", lw=0.8, zorder=0)
        for index, letter in enumerate(LEARNERS):
            part = segments[name, letter]
            x = np.nan if part.ave_d is None else part.ave_d
            y = np.nan if part.cauc is None else part.cauc
            ax.plot(x, y, "os^D"[index], ms=8, color=SERIES[index], label=f"({letter})")
        ax.set(ylim=(-0.03, 1.03), title=name)
        ax.margins(x=0.2)
        ax.locator_params(axis="x", nbins=4)
        axis_words(ax, "AveD", "CAUC")
    _shared_legend(figure, table, len(names))
    return figure


def _shared_legend(figure: Any, table: Any, panels: int) -> None:
    for ax in list(table.flat)[panels:]:
        ax.set_axis_off()
    handles, _ = table.flat[0].get_legend_handles_labels()
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False)
