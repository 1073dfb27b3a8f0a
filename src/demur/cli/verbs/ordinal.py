"""`demur ordinal FILE`: how well scores put ordered classes in order, and where to cut them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from math import factorial
from typing import TYPE_CHECKING, Any, ClassVar

from demur.cli.options import Flags, Output, Source, argument, flag, takes, verb
from demur.cli.options.flags import confidence, not_negative
from demur.exceptions import InputError, UndefinedError

if TYPE_CHECKING:
    from pathlib import Path

    from demur._results import Interval
    from demur.ordinal.difference import VusDifferenceTest
    from demur.ordinal.roc import OrdinalRoc
    from demur.ordinal.thresholds import OrdinalThresholds
    from demur.typing import FloatArray

__all__ = ["command"]

_CASES = 1000
_MOST_PAIRS = 10
_MOST_SHOWN = 4


@dataclass(frozen=True, kw_only=True)
class Ranking(Flags):
    """A file of scores for ordered classes, and what a mistake costs."""

    TITLE: ClassVar[str] = "Data"

    file: str = argument()
    label: str | None = flag("--label", metavar="COLUMN", help="Column with the true class.")
    order: str | None = flag(
        "--order",
        metavar="A,B,C",
        help="The classes from lowest to highest [default: numbers by value].",
    )
    models: tuple[str, ...] = flag(
        "--model",
        default=(),
        metavar="COLUMN",
        multiple=True,
        help="Column with the scores of a model, higher = a higher class; repeatable. Default: every other "
        "numeric column but keys such as row, id, fold, index.",
    )
    exclude: tuple[str, ...] = flag(
        "--exclude", default=(), metavar="COLUMN", multiple=True, help="Column that is no model; repeatable."
    )
    step_cost: float | None = flag(
        "--step-cost",
        metavar="X",
        type=float,
        callback=not_negative,
        help="Cost of a mistake per step between the true class and the answer [default: 1].",
    )
    cost_matrix: str | None = flag(
        "--cost-matrix",
        metavar="FILE",
        help="Instead: a cost for every confusion, CSV or TOML with named rows (true) and columns (answer).",
    )
    confidence: float = flag(
        "--confidence",
        default=0.95,
        type=float,
        metavar="X",
        callback=confidence,
        show_default=True,
        help="Level of all intervals.",
    )

    def __post_init__(self) -> None:
        """Refuse two kinds of costs."""
        if self.step_cost is not None and self.cost_matrix is not None:
            raise InputError("`--step-cost` and --cost-matrix are two kinds of costs. Hint: give one.")


@verb(
    "ordinal",
    example="""Example: three stages of a disease, two markers, a figure beside the table
  demur ordinal markers.csv --label stage --order healthy,mild,severe \\
    -o curves.png
""",
)
@takes(Ranking)
@takes(Output, path={"metavar": "FIGURE", "help": "Draw the curves to this file (png, svg or pdf)."})
def command(*, ranking: Ranking, output: Output) -> None:
    """Tell how well scores put ordered classes in order, and where to cut them.

    FILE is a table with a header, one row per case: the true class and one score column per model
    (CSV, gzipped CSV, Parquet, a quoted glob of such files, or - for CSV on standard input). VUS is
    the share of tuples, one case of each class, that the scores put in order; Cons the mean AUC of
    the cuts between neighbours.
    """
    output.format((".png", ".svg", ".pdf"))
    from demur.cli.output import remark, times, write_answer

    data, truth, scores = _read(ranking)
    levels = data["levels"]
    said = (
        f"Read {len(truth)} rows of {data['source']}: label column {data['label']}, {' < '.join(levels)}; "
        f"{times(len(scores), 'score column')} ({', '.join(scores)})."
    )
    remark(said, quiet=output.quiet)
    write_answer("ordinal", data, _compare(levels, truth, scores, ranking), output)


def _read(ranking: Ranking) -> tuple[dict[str, Any], list[str], dict[str, FloatArray]]:
    """Return what was read, the true classes by name and the scores; refuse what has no order."""
    from demur._checks import check_scores
    from demur.cli.reading.evidence import read_columns, require_complete
    from demur.engines.labels import class_name

    named = Source(file=ranking.file, label=ranking.label, models=ranking.models, exclude=ranking.exclude)
    source, roles, columns = read_columns(named)
    require_complete(columns.values(), "drop those rows.")
    truth = [class_name(value) for value in columns[roles.label].values.tolist()]
    data = {
        "source": source,
        "rows": len(truth),
        "label": roles.label,
        "levels": _levels(truth, ranking.order, roles.label),
        "models": list(roles.models),
    }
    return data, truth, {name: check_scores(columns[name].values, name) for name in roles.models}


def _levels(truth: list[str], order: str | None, label: str) -> list[str]:
    from demur.cli.reading.class_columns import require_listed
    from demur.engines.labels import is_number

    present = list(dict.fromkeys(truth))
    if order is None:
        if not all(map(is_number, present)):
            some = sorted(present)[:5]
            raise InputError(
                f"`--order` is needed: the classes of {label!r} ({', '.join(some)}) have no order of their "
                f"own. Hint: --order {','.join(some)}, from lowest to highest."
            )
        return sorted(present, key=float)
    levels = [name.strip() for name in order.split(",")]
    if len(set(levels)) < len(levels) or len(levels) < 2:
        raise InputError(f"`--order` must list at least two different classes, got {order!r}.")
    require_listed(present, levels, label, "--order")
    for name in levels:
        if name not in present:
            raise InputError(
                f"`--order` lists {name!r}, which no row of {label!r} holds. Hint: leave it out."
            )
    return levels


@dataclass(frozen=True, kw_only=True, eq=False)
class _Rankings:
    """Measures, thresholds and tests of all models."""

    levels: list[str]
    confidence: float
    tests: dict[tuple[str, str], VusDifferenceTest | None]
    rocs: dict[str, OrdinalRoc] = field(default_factory=dict)
    intervals: dict[str, Interval | None] = field(default_factory=dict)
    thresholds: dict[str, OrdinalThresholds] = field(default_factory=dict)

    @property
    def best(self) -> str:
        """Model with the largest volume, the first of ties."""
        return max(self.rocs, key=lambda name: self.rocs[name].vus())

    def to_dict(self) -> dict[str, Any]:
        """Return the answer; JSON makes built-in types of it."""
        models = {
            name: {
                "vus": roc.vus(),
                "interval": self.intervals[name],
                "cons": roc.cons,
                "auc_of_neighbours": roc.auc_matrix().diagonal(1),
                "thresholds": self.thresholds[name],
            }
            for name, roc in self.rocs.items()
        }
        tests: list[dict[str, Any]] = []
        for (a, b), test in self.tests.items():
            tests.append({"first": a, "second": b})
            if test is not None:
                within = test.interval(self.confidence)
                tests[-1] |= {"difference": test.difference, "interval": within, "pvalue": test.pvalue}
        return {
            "levels": self.levels,
            "best": self.best,
            "models": models,
            "tests": tests,
            "confidence_level": self.confidence,
        }

    def text(self) -> str:
        """Return the answer in words and tables."""
        from demur._html import threshold_text
        from demur.cli.output import number, table, wrapped

        cuts = {name: list(map(threshold_text, one.thresholds)) for name, one in self.thresholds.items()}
        costs = {name: number(_CASES * one.cost) for name, one in self.thresholds.items()}
        best, rest = self.best, self.levels[:-1]
        calls = [f"{level} up to {cut}" for level, cut in zip(rest, cuts[best], strict=True)]
        decision = (
            f"Use {best}: call {', '.join(calls)}, {self.levels[-1]} above. Cost "
            f"{costs[best]} per 1000 cases with hindsight (these cases chose the thresholds)."
        )
        doubtful = [
            b if a == best else a
            for (a, b), test in self.tests.items()
            if best in (a, b) and (test is None or test.pvalue > 1 - self.confidence)
        ]
        if doubtful:
            decision += f" Not clearly better than {', '.join(doubtful)} in the order of the classes."
        heads = [f"{level} up to" for level in rest[:_MOST_SHOWN]]
        rows = [[name, *own[:_MOST_SHOWN], costs[name]] for name, own in cuts.items()]
        parts = [wrapped(decision), self._measures(), table(["thresholds", *heads, "cost per 1000"], rows)]
        return "\n\n".join([*parts, self._pairs()] if self.tests else parts)

    def _measures(self) -> str:
        from demur.cli.output import level_words, span, table, wrapped

        rows = [
            [
                name,
                f"{roc.vus():.3f}",
                "-" if (interval := self.intervals[name]) is None else span(interval, "{:.3f}".format),
                f"{roc.cons:.3f}",
                *(f"{auc:.3f}" for auc in roc.auc_matrix().diagonal(1)[:_MOST_SHOWN]),
            ]
            for name, roc in self.rocs.items()
        ]
        note = (
            "VUS: share of tuples, one case of each class, in order; by chance "
            f"{1 / factorial(len(self.levels)):.3g}. Cons: mean AUC of the cuts between neighbours. Then the "
            "AUC of each pair of neighbours."
        )
        names = ["|".join(pair) for pair in pairwise(self.levels)][:_MOST_SHOWN]
        shown = [name if len(name) <= 12 else f"{name[:9]}..." for name in names]
        body = table(["model", "VUS", level_words(self.confidence), "Cons", *shown], rows)
        return f"{body}\n{wrapped(note)}"

    def _pairs(self) -> str:
        from demur.cli.output import level_words, span, table

        rows = []
        for (a, b), test in list(self.tests.items())[:_MOST_PAIRS]:
            cells = ["-", "-", "-"]
            if test is not None:
                within = span(test.interval(self.confidence), "{:+.3f}".format)
                cells = [f"{test.difference:+.3f}", within, f"{test.pvalue:.2g}"]
            rows.append([f"{a} - {b}", *cells])
        return table(["difference of VUS", "", level_words(self.confidence), "p"], rows)

    def draw(self, path: Path) -> None:
        """Draw one panel of ROC curves per cut between neighbours."""
        from demur.cli.output import saved_figure
        from demur.displays.roc import RocCurveDisplay

        cuts = len(self.levels) - 1
        with saved_figure(path, size=(4.8 * cuts, 5.0), panels=cuts, bbox_inches="tight") as axes:
            for place, ax in enumerate(axes):
                curves = {name: roc.split_curves()[place] for name, roc in self.rocs.items()}
                RocCurveDisplay(result=curves).plot(ax=ax, hull=False)
                sides = self.levels[place + 1 :], self.levels[: place + 1]
                high, low = (side[0] if len(side) == 1 else f"{side[0]} to {side[-1]}" for side in sides)
                ax.set_title(f"{high} against {low}", fontsize=10)


def _compare(
    levels: list[str], classes: list[str], scores: dict[str, FloatArray], ranking: Ranking
) -> _Rankings:
    """Measure every model, cut its scores, and test pairs of models."""
    import numpy as np

    from demur._kernels.thresholds import shortest_in
    from demur.engines.cost_files import read_cost_matrix
    from demur.ordinal.difference import vus_difference_test
    from demur.ordinal.roc import ordinal_roc
    from demur.ordinal.thresholds import ordinal_thresholds

    costs = None
    if ranking.cost_matrix is not None:
        matrix = read_cost_matrix(ranking.cost_matrix)
        if set(matrix.classes) != set(levels):
            raise InputError(
                f"`{ranking.cost_matrix}` names the classes {', '.join(map(str, matrix.classes))}, the file "
                f"holds {', '.join(levels)}. Hint: both must be the same."
            )
        costs = matrix.arranged(levels).values
    step = 1.0 if ranking.step_cost is None else ranking.step_cost
    truth = np.array(classes, dtype=object)
    rankings = _Rankings(
        levels=levels, confidence=ranking.confidence, tests=dict.fromkeys(combinations(scores, 2))
    )
    for name, score in scores.items():
        roc = rankings.rocs[name] = ordinal_roc(truth, score, order=levels)
        found = ordinal_thresholds(truth, score, order=levels, costs=costs, step_cost=step)
        # rounded; the same decisions on these cases
        cuts = np.array([shortest_in(cut, score) for cut in found.thresholds])
        rankings.thresholds[name] = replace(found, thresholds=cuts)
        rankings.intervals[name] = None
        with suppress(UndefinedError):
            rankings.intervals[name] = roc.interval(ranking.confidence)
    for a, b in rankings.tests:
        with suppress(UndefinedError):
            rankings.tests[a, b] = vus_difference_test(truth, scores[a], scores[b], order=levels)
    return rankings
