"""Figures 1 to 4 of Friedel, Rueckert and Kramer (2006)."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from demur_studies._friedel2006_scores import Scored
from demur_studies._study import Figure

__all__ = ["figures"]


def _shown_of(datasets: Mapping[str, Scored]) -> Scored | None:
    """The data set of figures 1 to 3: breast-w, or the first there is."""
    return next((scored for scored in datasets.values() if scored.scores), None)


def figures(datasets: Mapping[str, Scored]) -> Iterator[Figure]:
    """Figures 1 to 4."""
    shown = _shown_of(datasets)
    if shown is not None:
        learner = "PART" if "PART" in shown.scores else next(iter(shown.scores))
        other = "" if shown.name == "breast-w" else " (the paper: breast-w)"
        words = f"{learner} on {shown.name}{other}"
        yield Figure(
            "fig-1a", f"Plane of one window above the surface; {words}.", partial(_plane, shown, learner)
        )
        yield Figure("fig-1b", f"Surface of smallest costs; {words}.", partial(_surface, shown, learner))
        caption = f"Thresholds of the best window at five values of mu; {words}. The paper draws a sketch."
        yield Figure("fig-2", caption, partial(_thresholds, shown, learner))
        caption = f"Cost, abstention rate and thresholds of {', '.join(shown.scores)} on {shown.name}{other}."
        yield Figure("fig-3", caption, partial(_rows, shown))
    pairs = {
        "a": ("breast-w", "J48", "PART"),
        "b": ("vote", "J48", "PART"),
        "c": ("credit-a", "RF", "PART"),
        "d": ("haberman", "NB", "PART"),
    }
    for letter, (name, first, second) in pairs.items():
        if {first, second} <= set(datasets[name].scores):
            caption = f"{first} minus {second} on {name}, violet where {first} is cheaper."
            if letter in "abc":
                caption += " The paper does not name the data set of this panel."
            draw = partial(_difference, datasets[name], first, second)
            yield Figure(f"fig-4{letter}", caption, draw)
    bupa = datasets["bupa"]
    if "SVM" in bupa.scores:
        yield Figure("fig-4e", "SVM minus the best trivial rule on bupa.", partial(_above_trivial, bupa))
        for letter, what in (("f", "lower"), ("g", "upper")):
            caption = f"The {what} threshold of the SVM on bupa, clipped to the range of scores."
            yield Figure(f"fig-4{letter}", caption, partial(_threshold_map, bupa, what))


def _plane(scored: Scored, learner: str) -> Any:
    from demur.displays.surfaces import AbstentionSurfaceDisplay

    display = AbstentionSurfaceDisplay.from_result(scored.surface(learner))
    return display.plot(kind="plane").figure_


def _surface(scored: Scored, learner: str) -> Any:
    from demur.displays.surfaces import AbstentionSurfaceDisplay

    display = AbstentionSurfaceDisplay.from_result(scored.surface(learner))
    return display.plot(kind="surface", nu=(0.0, 1.0)).figure_


def _thresholds(scored: Scored, learner: str) -> Any:
    from demur.displays.surfaces import AbstentionSurfaceDisplay

    return AbstentionSurfaceDisplay.from_result(scored.surface(learner)).plot(kind="thresholds").figure_


def _rows(scored: Scored) -> Any:
    from demur.displays.surfaces import SurfaceRowDisplay

    surfaces = {learner: scored.surface(learner) for learner in scored.scores}
    return SurfaceRowDisplay.from_result(surfaces).plot(scale="central").figure_


def _difference(scored: Scored, first: str, second: str) -> Any:
    """Of several fold seeds the first with which each is cheaper somewhere."""
    from demur.displays.surfaces import SurfaceDifferenceDisplay

    gaps = [scored.difference(first, second, run) for run in range(len(scored.scores[first]))]
    shown = next((gap for gap in gaps if min(gap.better_area, gap.worse_area) > 0.005), gaps[0])
    return SurfaceDifferenceDisplay.from_result(shown).plot(names=(first, second)).figure_


def _above_trivial(scored: Scored) -> Any:
    from demur.displays.surfaces import SurfaceDifferenceDisplay

    surface = scored.surface("SVM")
    gap = surface.minus(surface.trivial(), nu=(0.0, 0.5))
    return SurfaceDifferenceDisplay.from_result(gap).plot(names=("SVM", "trivial")).figure_


def _threshold_map(scored: Scored, what: str) -> Any:
    from demur.displays.surfaces import AbstentionSurfaceDisplay

    display = AbstentionSurfaceDisplay.from_result(scored.surface("SVM"))
    return display.plot(what=what, nu=(0.0, 0.5)).figure_
