"""The answer of `demur ordinal`: measures with intervals, thresholds, tests of pairs, a figure."""

from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from demur._checks import check_scores
from demur._files.whole import draft_of
from demur._html import threshold_text
from demur._kernels.thresholds import shortest_in
from demur._results import Interval
from demur.cli.options import Source
from demur.cli.options.ranking import Ranking
from demur.cli.output import number, percent, table, wrapped
from demur.cli.reading.predictions import missing_values
from demur.cli.reading.roles import choose_roles
from demur.engines.cost_files import read_cost_matrix
from demur.engines.files import open_table
from demur.engines.labels import class_name, is_number
from demur.exceptions import InputError, UndefinedError
from demur.ordinal.difference import VusDifferenceTest, vus_difference_test
from demur.ordinal.roc import OrdinalRoc, ordinal_roc
from demur.ordinal.thresholds import OrdinalThresholds, ordinal_thresholds
from demur.typing import FloatArray

__all__ = ["Rankings", "compare_rankings", "draw_rankings", "read_ranking"]

_CASES = 1000
_MOST_PAIRS = 10
_MOST_SHOWN = 4


@dataclass(frozen=True, kw_only=True, eq=False)
class RankedRows:
    """True classes by name, the classes in order, and scores by model."""

    source: str
    label: str
    levels: list[str]
    truth: list[str]
    scores: dict[str, FloatArray]

    def sentence(self) -> str:
        """Tell what was read, and as what."""
        count = len(self.scores)
        return (
            f"Read {len(self.truth)} rows of {self.source}: label column {self.label}, "
            f"{' < '.join(self.levels)}; {count} score column{'s' if count > 1 else ''} "
            f"({', '.join(self.scores)})."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what was read, without the rows."""
        return {
            "source": self.source,
            "rows": len(self.truth),
            "label": self.label,
            "levels": self.levels,
            "models": list(self.scores),
        }


def read_ranking(ranking: Ranking) -> RankedRows:
    """Read labels and scores; refuse what is missing or has no order."""
    named = Source(file=ranking.file, label=ranking.label, models=ranking.models, exclude=ranking.exclude)
    with open_table(ranking.file) as source:
        roles = choose_roles(source, named, scores=False)
        columns = source.read(roles.columns)
    for column in columns.values():
        if column.n_missing:
            raise InputError(f"Column {column.name!r} has {missing_values(column)}. Hint: drop those rows.")
    truth = [class_name(value) for value in columns[roles.label].values.tolist()]
    return RankedRows(
        source=source.name,
        label=roles.label,
        levels=_levels(truth, ranking.order, roles.label),
        truth=truth,
        scores={name: check_scores(columns[name].values, name) for name in roles.models},
    )


def _levels(truth: list[str], order: str | None, label: str) -> list[str]:
    present = list(dict.fromkeys(truth))
    if order is None:
        if not all(map(is_number, present)):
            shown = ", ".join(sorted(present)[:5])
            raise InputError(
                f"`--order` is needed: the classes of {label!r} ({shown}) have no order of their own. "
                f"Hint: --order {','.join(sorted(present)[:5])}, from lowest to highest."
            )
        return sorted(present, key=float)
    levels = [name.strip() for name in order.split(",")]
    if len(set(levels)) < len(levels) or len(levels) < 2:
        raise InputError(f"`--order` must list at least two different classes, got {order!r}.")
    for name in present:
        if name not in levels:
            raise InputError(
                f"Label column {label!r} holds the class {name!r}, which --order does not list. "
                "Hint: list every class, in the spelling of the file."
            )
    empty = next((name for name in levels if name not in present), None)
    if empty is not None:
        raise InputError(f"`--order` lists {empty!r}, which no row of {label!r} holds. Hint: leave it out.")
    return levels


@dataclass(frozen=True, kw_only=True, eq=False)
class Rankings:
    """Measures, thresholds and tests of all models."""

    levels: list[str]
    rocs: dict[str, OrdinalRoc]
    intervals: dict[str, Interval | None]
    thresholds: dict[str, OrdinalThresholds]
    tests: dict[tuple[str, str], VusDifferenceTest | None]
    confidence: float

    @property
    def best(self) -> str:
        """Model with the largest volume, the first of ties."""
        return max(self.rocs, key=lambda name: self.rocs[name].vus())

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as built-in types."""
        models = {}
        for name, roc in self.rocs.items():
            interval = self.intervals[name]
            models[name] = {
                "vus": roc.vus(),
                "interval": None if interval is None else list(interval),
                "cons": roc.cons,
                "auc_of_neighbours": _neighbour_aucs(roc),
                "thresholds": self.thresholds[name].to_dict(),
            }
        tests = [
            {"first": a, "second": b, **({} if test is None else self._test(test))}
            for (a, b), test in self.tests.items()
        ]
        return {
            "levels": self.levels,
            "best": self.best,
            "models": models,
            "tests": tests,
            "confidence_level": self.confidence,
        }

    def _test(self, test: VusDifferenceTest) -> dict[str, Any]:
        low, high = test.interval(self.confidence)
        return {"difference": test.difference, "interval": [low, high], "pvalue": test.pvalue}

    def text(self) -> str:
        """Return the answer in words and tables."""
        parts = [wrapped(self._decision()), self._measures(), self._cuts()]
        if self.tests:
            parts.append(self._pairs())
        return "\n\n".join(parts)

    def _decision(self) -> str:
        best = self.best
        found = self.thresholds[best]
        calls = [f"{self.levels[0]} up to {threshold_text(found.thresholds[0])}"]
        calls += [
            f"{level} up to {threshold_text(cut)}"
            for level, cut in zip(self.levels[1:-1], found.thresholds[1:], strict=True)
        ]
        text = (
            f"Use {best}: call {', '.join(calls)}, {self.levels[-1]} above. Cost "
            f"{number(_CASES * found.cost)} per 1000 cases with hindsight (these cases chose the thresholds)."
        )
        doubtful = [
            b if a == best else a
            for (a, b), test in self.tests.items()
            if best in (a, b) and (test is None or test.pvalue > 1 - self.confidence)
        ]
        if doubtful:
            text += f" Not clearly better than {', '.join(doubtful)} in the order of the classes."
        return text

    def _measures(self) -> str:
        level = percent(self.confidence).replace(".0 %", " %")
        names = [f"{a}|{b}" for a, b in zip(self.levels[:-1], self.levels[1:], strict=True)]
        rows = []
        for name, roc in self.rocs.items():
            interval = self.intervals[name]
            within = "-" if interval is None else f"{interval.low:.3f} to {interval.high:.3f}"
            aucs = [f"{auc:.3f}" for auc in _neighbour_aucs(roc)[:_MOST_SHOWN]]
            rows.append([name, f"{roc.vus():.3f}", within, f"{roc.cons:.3f}", *aucs])
        chance = 1 / float(np.prod(np.arange(1, len(self.levels) + 1)))
        note = (
            f"VUS: share of tuples, one case of each class, in order; by chance {chance:.3g}. Cons: mean AUC "
            "of the cuts between neighbours. Then the AUC of each pair of neighbours."
        )
        shown = [name if len(name) <= 12 else f"{name[:9]}..." for name in names[:_MOST_SHOWN]]
        return table(["model", "VUS", level, "Cons", *shown], rows) + "\n" + wrapped(note)

    def _cuts(self) -> str:
        rows = []
        for name, found in self.thresholds.items():
            cuts = [threshold_text(cut) for cut in found.thresholds[:_MOST_SHOWN]]
            rows.append([name, *cuts, number(_CASES * found.cost)])
        heads = [f"{level} up to" for level in self.levels[:-1]][:_MOST_SHOWN]
        return table(["thresholds", *heads, "cost per 1000"], rows)

    def _pairs(self) -> str:
        rows = []
        for (a, b), test in list(self.tests.items())[:_MOST_PAIRS]:
            if test is None:
                rows.append([f"{a} - {b}", "-", "-", "-"])
                continue
            low, high = test.interval(self.confidence)
            rows.append(
                [f"{a} - {b}", f"{test.difference:+.3f}", f"{low:+.3f} to {high:+.3f}", f"{test.pvalue:.2g}"]
            )
        level = percent(self.confidence).replace(".0 %", " %")
        return table(["difference of VUS", "", level, "p"], rows)


def _neighbour_aucs(roc: OrdinalRoc) -> list[float]:
    matrix = roc.auc_matrix()
    return [float(matrix[k, k + 1]) for k in range(len(roc.levels) - 1)]


def compare_rankings(read: RankedRows, ranking: Ranking) -> Rankings:
    """Measure every model, cut its scores, and test pairs of models."""
    costs = None
    if ranking.cost_matrix is not None:
        matrix = read_cost_matrix(ranking.cost_matrix)
        if set(matrix.classes) != set(read.levels):
            raise InputError(
                f"`{ranking.cost_matrix}` names the classes {', '.join(map(str, matrix.classes))}, the file "
                f"holds {', '.join(read.levels)}. Hint: both must be the same."
            )
        costs = matrix.arranged(read.levels).values
    step = 1.0 if ranking.step_cost is None else ranking.step_cost
    truth = np.array(read.truth, dtype=object)
    rocs = {name: ordinal_roc(truth, score, order=read.levels) for name, score in read.scores.items()}
    return Rankings(
        levels=read.levels,
        rocs=rocs,
        intervals={name: _interval(roc, ranking.confidence) for name, roc in rocs.items()},
        thresholds={
            name: _written(
                ordinal_thresholds(truth, score, order=read.levels, costs=costs, step_cost=step), score
            )
            for name, score in read.scores.items()
        },
        tests={
            (a, b): _tested(truth, read.scores[a], read.scores[b], read.levels)
            for a, b in combinations(read.scores, 2)
        },
        confidence=ranking.confidence,
    )


def _written(found: OrdinalThresholds, score: FloatArray) -> OrdinalThresholds:
    """Round the thresholds; the same decisions on these cases."""
    return replace(found, thresholds=np.array([shortest_in(cut, score) for cut in found.thresholds]))


def _interval(roc: OrdinalRoc, level: float) -> Interval | None:
    try:
        return roc.interval(level)
    except UndefinedError:
        return None


def _tested(truth: Any, a: FloatArray, b: FloatArray, levels: list[str]) -> VusDifferenceTest | None:
    try:
        return vus_difference_test(truth, a, b, order=levels)
    except UndefinedError:
        return None


def draw_rankings(compared: Rankings, path: Path) -> None:
    """Draw one panel of ROC curves per cut between neighbours."""
    from demur.displays.base import pyplot, show_names_as_text
    from demur.displays.roc import RocCurveDisplay

    plt = pyplot()
    cuts = len(compared.levels) - 1
    figure, axes = plt.subplots(1, cuts, figsize=(4.8 * cuts, 5.0), squeeze=False, layout="constrained")
    try:
        for place, ax in enumerate(axes[0]):
            curves = {name: roc.split_curves()[place] for name, roc in compared.rocs.items()}
            RocCurveDisplay(result=curves).plot(ax=ax, hull=False)
            low, high = compared.levels[: place + 1], compared.levels[place + 1 :]
            ax.set_title(f"{_joined(high)} against {_joined(low)}", fontsize=10)
        show_names_as_text(figure)
        with draft_of(path) as draft:
            figure.savefig(draft, format=path.suffix.lower().lstrip("."), dpi=150, bbox_inches="tight")
    finally:
        plt.close(figure)


def _joined(levels: list[str]) -> str:
    return levels[0] if len(levels) == 1 else f"{levels[0]} to {levels[-1]}"
