"""Friedel, Rueckert, Kramer (2006): Table 1, figures 1, 3 and 4.

The paper leaves open which class is positive, the fold seed and the domain of the volume; the
printed numbers fit the positive classes below and the unit square. One fold seed is one draw:
trees, rules and forests move by a fifth between seeds, so their tolerance is wide.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from demur._progress import Progress
from demur.reproduce._data import MissingDataError, PaperData
from demur.reproduce._learners import COUNTERPARTS, HeldOut, held_out_scores
from demur.reproduce._study import Cell, Figure, Reproduction, Tolerance
from demur.roc.curve import auc_score
from demur.surface.regions import SurfaceDifference
from demur.surface.surface import AbstentionSurface, abstention_surface
from demur.surface.volume import vacc_score

__all__ = ["PUBLISHED", "REFERENCE", "TITLE", "run"]

TITLE = "Cost curves for abstaining classifiers"
REFERENCE = (
    "Friedel, Rueckert, Kramer (2006), Cost Curves for Abstaining Classifiers, "
    "Proceedings of the ICML Workshop on ROC Analysis in Machine Learning (ROCML), pp. 33-40."
)

LEARNERS = {"J48": "J48", "NB": "NB", "PART": "PART", "RF": "RF10", "SVM": "SMO-M"}
POSITIVE = {
    "breast-w": "malignant",
    "bupa": "2",
    "credit-a": "+",
    "diabetes": "tested_positive",
    "haberman": "1",
    "vote": "republican",
}
# rows of Table 1: one value per learner in the order of LEARNERS
PUBLISHED: Mapping[str, Any] = {
    "Table 1, accuracy": {
        "breast-w": (0.95, 0.96, 0.95, 0.95, 0.97),
        "bupa": (0.65, 0.55, 0.62, 0.67, 0.64),
        "credit-a": (0.87, 0.78, 0.85, 0.85, 0.85),
        "diabetes": (0.73, 0.76, 0.74, 0.75, 0.76),
        "haberman": (0.69, 0.75, 0.71, 0.68, 0.74),
        "vote": (0.97, 0.90, 0.97, 0.96, 0.96),
    },
    "Table 1, AUC": {
        "breast-w": (0.96, 0.98, 0.97, 0.99, 0.99),
        "bupa": (0.67, 0.64, 0.67, 0.74, 0.70),
        "credit-a": (0.89, 0.90, 0.89, 0.91, 0.86),
        "diabetes": (0.75, 0.82, 0.79, 0.78, 0.83),
        "haberman": (0.61, 0.65, 0.59, 0.65, 0.70),
        "vote": (0.97, 0.97, 0.95, 0.98, 0.99),
    },
    "Table 1, VACC": {
        "breast-w": (0.032, 0.018, 0.030, 0.016, 0.014),
        "bupa": (0.16, 0.18, 0.17, 0.15, 0.17),
        "credit-a": (0.082, 0.093, 0.089, 0.088, 0.081),
        "diabetes": (0.15, 0.14, 0.14, 0.15, 0.13),
        "haberman": (0.12, 0.11, 0.11, 0.12, 0.11),
        "vote": (0.021, 0.046, 0.022, 0.021, 0.022),
    },
    "Section 4, breast-w": "by VACC SVM is best, followed by RF and NB; PART and J48 lag behind",
    "Section 4, bupa": "NB is worst and RF is best by all measures",
    "Section 4, credit-a": "J48 and NB differ markedly in accuracy and VACC, not in AUC",
    "Section 4, vote": "NB is dramatically worse than all others, most visibly by VACC",
    "Figure 3": "on breast-w PART should abstain on 10 % to 15 % at abstention costs of about 0.1",
    "Figure 3, nu = 0.5": "above nu = 0.5 the window is degenerate, l = u",
    "Figure 4 (d)": "NB and PART on haberman: close in VACC, yet each is preferred in some region",
    "Figure 4 (e)": "near two corners the trivial classifier performs better than the SVM on bupa",
    "Figure 4 (f), (g)": "upper left: everything is called positive; lower right: no prediction is made",
}

_STEADY = ("NB", "SVM")
_SMALL = ("bupa", "haberman", "vote")  # what --quick runs when scores have to be made
_STAND_IN = "learners of scikit-learn in the place of WEKA's"
_YEAR = ("Patients_year_of_operation",)  # nominal in WEKA's copy of haberman


@dataclass(frozen=True)
class _Scored:
    """All held-out scores of one data set: learner -> one `HeldOut` per seed."""

    name: str
    scores: dict[str, list[HeldOut]]
    missing: dict[str, str]

    def mean(self, learner: str, measure: str) -> float:
        values = [_MEASURES[measure](one) for one in self.scores[learner]]
        return float(np.mean(values))

    def surface(self, learner: str, run: int = 0) -> AbstentionSurface:
        return abstention_surface(self.scores[learner][run].counts)

    def difference(self, first: str, second: str, run: int = 0) -> SurfaceDifference:
        return self.surface(first, run).minus(self.surface(second, run), nu=(0.0, 0.5))


_MEASURES: dict[str, Any] = {
    "accuracy": lambda one: one.accuracy,
    "AUC": lambda one: auc_score(one.counts),
    "VACC": lambda one: vacc_score(one.counts),
}


def run(*, quick: bool, data: PaperData, rng: np.random.Generator) -> Reproduction:
    """Cross-validate five learners on six data sets and compare with Table 1 and the text."""
    datasets = _all_scores(data, quick=quick)
    cells = [
        *_table_cells(datasets),
        *_saved_cells(datasets, data),
        *_text_cells(datasets),
        *_map_cells(datasets),
    ]
    return Reproduction(
        cells=tuple(cells), figures=tuple(_figures(datasets)), remarks=tuple(_remarks(datasets))
    )


# ---------------------------------------------------------------- scores


def _all_scores(data: PaperData, *, quick: bool) -> dict[str, _Scored]:
    datasets = {}
    with Progress(len(POSITIVE) * len(LEARNERS), "friedel2006") as progress:
        for name in POSITIVE:
            scores: dict[str, list[HeldOut]] = {}
            missing: dict[str, str] = {}
            for learner in LEARNERS:
                try:
                    scores[learner] = _one_learner(data, name, learner, quick=quick)
                except MissingDataError as error:
                    missing[learner] = error.needs
                progress.advance()
            datasets[name] = _Scored(name, scores, missing)
    return datasets


def _one_learner(data: PaperData, name: str, learner: str, *, quick: bool) -> list[HeldOut]:
    """Ten seeds; in haste those that are saved, or one on a small data set."""
    if not quick:
        return [_score(data, name, learner, seed) for seed in range(1, 11)]
    if data.has_weka_scores(name, 1):
        return [_score(data, name, learner, seed) for seed in (1, 2, 3) if data.has_weka_scores(name, seed)]
    if name not in _SMALL:
        data.table(name)  # what is missing altogether is named first
        raise MissingDataError("a run without --quick, or saved scores in --data-dir")
    return [_score(data, name, learner, 1)]


def _score(data: PaperData, name: str, learner: str, seed: int) -> HeldOut:
    nominal = _YEAR if name == "haberman" else ()
    weka_name = LEARNERS[learner]
    return held_out_scores(data, name, weka_name, positive=POSITIVE[name], seed=seed, nominal=nominal)


def _remarks(datasets: Mapping[str, _Scored]) -> Iterator[str]:
    runs = [one for scored in datasets.values() for runs in scored.scores.values() for one in runs]
    sources = {one.source for one in runs}
    yield "Ten-fold cross-validation, pooled scores, observed class distribution, mean over fold seeds."
    if sources & {"weka", "saved"}:
        how = {"weka": "run here", "saved": "saved scores"}
        words = " and ".join(how[source] for source in ("saved", "weka") if source in sources)
        yield (
            f"Learners of WEKA 3.6 ({words}): J48, NaiveBayes, PART, RandomForest -I 10, SMO -M. "
            "The paper names no version; its WEKA must be older."
        )
    if "scikit-learn" in sources:
        words = ", ".join(
            f"{paper}: {COUNTERPARTS[weka]}" for paper, weka in LEARNERS.items() if weka != "PART"
        )
        yield f"WEKA is not installed. Counterparts of scikit-learn stand in, other programs: {words}."


# ---------------------------------------------------------------- Table 1


def _tolerance(learner: str, measure: str, published: float, runs: list[HeldOut]) -> tuple[Tolerance, str]:
    """Return how far from print a cell may lie, and the reason if it lies farther."""
    if runs[0].source == "scikit-learn":
        because = "another program of the same family: only the size is comparable"
        room = Tolerance(because, relative=0.35) if measure == "VACC" else Tolerance(because, absolute=0.08)
        known = f"{COUNTERPARTS[LEARNERS[learner]]} of scikit-learn in the place of WEKA's learner"
        return room, known
    steady = learner in _STEADY
    kind = "NB and SVM" if steady else "trees, rules and forest"
    if measure == "VACC":
        # ten seeds average the folds; one seed of PART on vote lies 47 % above print
        few = {1: 0.3}.get(len(runs), 0.05 if len(runs) < 10 else 0.0)
        share = 0.06 if steady else 0.2 + few
        because = f"VACC: rounding, and {share:.0%} as the paper shows one unknown fold seed ({kind})"
        return Tolerance(because, absolute=0.0005 if published < 0.1 else 0.005, relative=share), ""
    distance = {"accuracy": (0.03, 0.045), "AUC": (0.02, 0.06)}[measure][0 if steady else 1]
    because = f"{measure}: rounding, and {distance:g} as the paper shows one unknown fold seed ({kind})"
    return Tolerance(because, absolute=distance + 0.005), ""


def _table_cells(datasets: Mapping[str, _Scored]) -> Iterator[Cell]:
    for measure in ("accuracy", "AUC", "VACC"):
        table = f"Table 1, {measure}"
        for name, scored in datasets.items():
            for learner, published in zip(LEARNERS, PUBLISHED[table][name], strict=True):
                where = f"{table}, {name}, {learner}"
                if learner in scored.missing:
                    yield Cell.not_run(where, published=published, needs=scored.missing[learner])
                    continue
                room, known = _tolerance(learner, measure, published, scored.scores[learner])
                computed = scored.mean(learner, measure)
                yield Cell.number(where, published=published, computed=computed, tolerance=room, known=known)


def _saved_cells(datasets: Mapping[str, _Scored], data: PaperData) -> Iterator[Cell]:
    """Saved scores must give the saved results to the last digits."""
    try:
        reference = data.weka_reference()
    except MissingDataError:
        return
    columns = {"accuracy": "accuracy_argmax", "AUC": "auc", "VACC": "vacc"}
    for name in datasets:
        gaps = []
        for learner, weka_name in LEARNERS.items():
            for seed in (1, 2, 3):
                if (name, weka_name, seed) not in reference:
                    continue
                one = _score(data, name, learner, seed)
                saved = reference[name, weka_name, seed]
                gaps += [abs(_MEASURES[m](one) - saved[column]) for m, column in columns.items()]
        yield Cell.claim(
            f"saved scores, {name}",
            claim="accuracy, AUC and VACC as in weka_scores/REFERENCE.csv",
            holds=bool(gaps) and max(gaps) <= 1e-9,
            computed=f"largest difference {max(gaps, default=np.nan):.1e} over {len(gaps)} values",
            checked="must be below 1e-9",
        )


# ---------------------------------------------------------------- statements


def _claim(
    datasets: Mapping[str, _Scored],
    where: str,
    name: str,
    learners: tuple[str, ...],
    judge: Any,
    known: str = "",
) -> Cell:
    """Judge a statement on `learners`; `judge` returns (holds, what came out)."""
    scored = datasets[name]
    lacking = [scored.missing[learner] for learner in learners if learner in scored.missing]
    if lacking:
        return Cell.not_run(where, published=PUBLISHED[where], needs=lacking[0])
    holds, computed = judge(scored)
    stand_in = scored.scores[learners[0]][0].source == "scikit-learn"
    if stand_in:
        known = _STAND_IN
    return Cell.claim(where, claim=PUBLISHED[where], holds=holds, computed=computed, known=known)


def _volumes(scored: _Scored, learners: tuple[str, ...] = tuple(LEARNERS)) -> dict[str, float]:
    return {learner: scored.mean(learner, "VACC") for learner in learners}


def _in_words(volumes: Mapping[str, float]) -> str:
    ordered = sorted(volumes.items(), key=lambda item: item[1])
    return "VACC " + ", ".join(f"{learner} {value:.4f}" for learner, value in ordered)


def _text_cells(datasets: Mapping[str, _Scored]) -> Iterator[Cell]:
    everyone = tuple(LEARNERS)

    def order(scored: _Scored) -> tuple[bool, str]:
        v = _volumes(scored)
        return v["SVM"] == min(v.values()) and max(v["RF"], v["NB"]) < min(v["PART"], v["J48"]), _in_words(v)

    def extremes(scored: _Scored) -> tuple[bool, str]:
        losses = {measure: [scored.mean(learner, measure) for learner in LEARNERS] for measure in _MEASURES}
        losses = {m: values if m == "VACC" else [1 - v for v in values] for m, values in losses.items()}
        nb, rf = everyone.index("NB"), everyone.index("RF")
        # the paper prints two digits: one hundredth is a tie
        holds = [v[nb] >= max(v) - 0.01 and v[rf] <= min(v) + 0.01 for v in losses.values()]
        accuracies = ", ".join(f"{learner} {scored.mean(learner, 'accuracy'):.3f}" for learner in LEARNERS)
        return all(holds), f"{_in_words(_volumes(scored))}; accuracy {accuracies}"

    def tree_wins(scored: _Scored) -> tuple[bool, str]:
        v = _volumes(scored, ("J48", "NB"))
        gap, area = (scored.mean("J48", m) - scored.mean("NB", m) for m in ("accuracy", "AUC"))
        holds = gap > 0.05 and v["J48"] < 0.95 * v["NB"] and abs(area) < 0.02
        return holds, f"accuracy {gap:+.3f}, AUC {area:+.3f}, {_in_words(v)}"

    def bayes_loses(scored: _Scored) -> tuple[bool, str]:
        v = _volumes(scored)
        rest = max(value for learner, value in v.items() if learner != "NB")
        return v["NB"] > 1.25 * rest, _in_words(v)

    yield _claim(datasets, "Section 4, breast-w", "breast-w", everyone, order)
    yield _claim(datasets, "Section 4, bupa", "bupa", everyone, extremes)
    yield _claim(datasets, "Section 4, credit-a", "credit-a", ("J48", "NB"), tree_wins)
    yield _claim(datasets, "Section 4, vote", "vote", everyone, bayes_loses)


def _map_cells(datasets: Mapping[str, _Scored]) -> Iterator[Cell]:
    def abstains(scored: _Scored) -> tuple[bool, str]:
        surfaces = [abstention_surface(one.counts) for one in scored.scores["PART"]]
        mu = np.linspace(0.2, 1, 81)
        rates = [float(np.max(surface.abstention_rate(mu, 0.1))) for surface in surfaces]
        computed = f"up to {min(rates):.1%} to {max(rates):.1%} over the seeds, for mu in [0.2, 1]"
        return max(rates) >= 0.10 and min(rates) <= 0.15, computed

    def degenerate(scored: _Scored) -> tuple[bool, str]:
        mu = np.linspace(0, 1, 101)
        rates = [np.max(scored.surface(learner).abstention_rate(mu, 0.5)) for learner in scored.scores]
        return max(rates) == 0, f"largest abstention rate at nu = 0.5: {max(rates):g}"

    def both_preferred(scored: _Scored) -> tuple[bool, str]:
        gaps = [scored.difference("NB", "PART", run) for run in range(len(scored.scores["NB"]))]
        both = [gap for gap in gaps if min(gap.better_area, gap.worse_area) > 0.005]
        shown = both[0] if both else gaps[0]
        shares = 2 * shown.better_area, 2 * shown.worse_area  # of a rectangle of area 1/2
        computed = (
            f"with {len(both)} of {len(gaps)} fold seeds; NB on {shares[0]:.0%}, PART on {shares[1]:.0%}"
        )
        return bool(both), f"{computed} of the costs shown"

    yield _claim(datasets, "Figure 3", "breast-w", ("PART",), abstains)
    shown = _shown(datasets)
    if shown is not None:
        where = "Figure 3, nu = 0.5"
        holds, computed = degenerate(shown)
        yield Cell.claim(where, claim=PUBLISHED[where], holds=holds, computed=f"{shown.name}: {computed}")
    known = "depends on the fold seed: with seed 1 NB is cheaper everywhere, with seed 3 each somewhere"
    yield _claim(datasets, "Figure 4 (d)", "haberman", ("NB", "PART"), both_preferred, known)
    yield from _trivial_cells(datasets["bupa"])


def _trivial_cells(scored: _Scored) -> Iterator[Cell]:
    better, corners = "Figure 4 (e)", "Figure 4 (f), (g)"
    if "SVM" in scored.missing:
        for where in (better, corners):
            yield Cell.not_run(where, published=PUBLISHED[where], needs=scored.missing["SVM"])
        return
    surface = scored.surface("SVM")
    gap = surface.minus(surface.trivial())
    computed = f"trivial cheaper on {gap.worse_area:g}, equal on {gap.equal_area:.1%} of the unit square"
    known = (
        "erratum: the windows include the trivial rules, so these can only be equal; they are not even "
        "that where the lowest and the highest scores are free of errors"
    )
    yield Cell.claim(
        better, claim=PUBLISHED[better], holds=gap.worse_area > 0, computed=computed, known=known
    )
    upper_left, lower_right = surface.window(0.05, 0.45), surface.window(1.0, 0.02)
    called = float(np.mean(scored.scores["SVM"][0].score >= upper_left.upper))
    rate = lower_right.abstention_rate
    computed = f"{called:.1%} called positive at (0.05, 0.45), {rate:.1%} abstained on at (1, 0.02)"
    yield Cell.claim(
        corners,
        claim=PUBLISHED[corners],
        holds=min(called, rate) > 0.95,
        computed=computed,
        checked="at least 95 %: the few cases at an end without errors are always decided",
        known=_STAND_IN if scored.scores["SVM"][0].source == "scikit-learn" else "",
    )


# ---------------------------------------------------------------- figures


def _shown(datasets: Mapping[str, _Scored]) -> _Scored | None:
    """The data set of figures 1 and 3: breast-w, or the first there is."""
    return next((scored for scored in datasets.values() if scored.scores), None)


def _figures(datasets: Mapping[str, _Scored]) -> Iterator[Figure]:
    shown = _shown(datasets)
    if shown is not None:
        learner = "PART" if "PART" in shown.scores else next(iter(shown.scores))
        other = "" if shown.name == "breast-w" else " (the paper: breast-w)"
        words = f"{learner} on {shown.name}{other}"
        yield Figure(
            "fig-1a", f"Plane of one window above the surface; {words}.", partial(_plane, shown, learner)
        )
        yield Figure("fig-1b", f"Surface of smallest costs; {words}.", partial(_surface, shown, learner))
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


def _plane(scored: _Scored, learner: str) -> Any:
    from demur.displays.surfaces import AbstentionSurfaceDisplay

    display = AbstentionSurfaceDisplay.from_result(scored.surface(learner))
    return display.plot(kind="plane").figure_


def _surface(scored: _Scored, learner: str) -> Any:
    from demur.displays.surfaces import AbstentionSurfaceDisplay

    display = AbstentionSurfaceDisplay.from_result(scored.surface(learner))
    return display.plot(kind="surface", nu=(0.0, 1.0)).figure_


def _rows(scored: _Scored) -> Any:
    from demur.displays.surface_rows import SurfaceRowDisplay

    surfaces = {learner: scored.surface(learner) for learner in scored.scores}
    return SurfaceRowDisplay.from_result(surfaces).plot(scale="central").figure_


def _difference(scored: _Scored, first: str, second: str) -> Any:
    """Of several fold seeds the first with which each is cheaper somewhere."""
    from demur.displays.surface_differences import SurfaceDifferenceDisplay

    gaps = [scored.difference(first, second, run) for run in range(len(scored.scores[first]))]
    shown = next((gap for gap in gaps if min(gap.better_area, gap.worse_area) > 0.005), gaps[0])
    return SurfaceDifferenceDisplay.from_result(shown).plot(names=(first, second)).figure_


def _above_trivial(scored: _Scored) -> Any:
    from demur.displays.surface_differences import SurfaceDifferenceDisplay

    surface = scored.surface("SVM")
    gap = surface.minus(surface.trivial(), nu=(0.0, 0.5))
    return SurfaceDifferenceDisplay.from_result(gap).plot(names=("SVM", "trivial")).figure_


def _threshold_map(scored: _Scored, what: str) -> Any:
    from demur.displays.surfaces import AbstentionSurfaceDisplay

    display = AbstentionSurfaceDisplay.from_result(scored.surface("SVM"))
    return display.plot(what=what, nu=(0.0, 0.5)).figure_
