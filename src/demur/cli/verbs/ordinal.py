"""`demur ordinal FILE`: how well scores put ordered classes in order, and where to cut them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from math import factorial
from typing import TYPE_CHECKING, Any, ClassVar

from demur.cli.options import Flags, Output, Source, flag, takes, verb
from demur.cli.options.files import FIGURES
from demur.cli.options.flags import confidence, not_negative
from demur.exceptions import InputError, UndefinedError

if TYPE_CHECKING:
    from demur._results import Interval
    from demur._tables.table import Table
    from demur.honest.expected_cost import ExpectedCost
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

    file: str = flag()
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
    cost_abstain: float | None = flag(
        "--cost-abstain",
        metavar="X",
        type=float,
        callback=not_negative,
        help="Price of abstaining: neighbouring classes may have a gap between them.",
    )
    policy: str | None = flag(
        "--policy",
        metavar="FILE",
        help="Write the thresholds of the best model as a policy, for demur apply and demur export.",
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

    EXCLUDES = (
        (
            "--step-cost",
            "--cost-matrix",
            "`--step-cost` and --cost-matrix are two kinds of costs. Hint: give one.",
        ),
    )


@verb(
    "ordinal",
    example="""Example: three stages of a disease, two markers, a figure beside the table
  demur ordinal markers.csv --label stage --order healthy,mild,severe \\
    -o curves.png
""",
)
@takes(Ranking)
@takes(Output, path={"help": "Draw the curves to this file (.png, .svg, .pdf), or write the answer to it."})
def command(*, ranking: Ranking, output: Output) -> None:
    """Tell how well scores put ordered classes in order, and where to cut them.

    FILE is a table with a header, one row per case: the true class and one score column per model
    (CSV, gzipped CSV, Parquet, a quoted glob of such files, or - for CSV on standard input). VUS is
    the share of tuples, one case of each class, that the scores put in order; Cons the mean AUC of
    the cuts between neighbours. Costs are those of cases that did not choose the thresholds. With
    --cost-abstain figures show the cuts and gaps on the score in place of the curves.
    """
    output = output.answering(figures=True)
    from demur._tables.numbers import times
    from demur.cli.output import deliver, remark, save_figure, save_policy

    data, truth, scores = _read(ranking)
    levels = data["levels"]
    said = (
        f"Read {len(truth)} rows of {data['source']}: label column {data['label']}, {' < '.join(levels)}; "
        f"{times(len(scores), 'score column')} ({', '.join(scores)})."
    )
    remark(said, quiet=output.quiet)
    rankings = _compare(levels, truth, scores, ranking)
    if output.ending in FIGURES:
        save_figure(rankings.drawn(), output, bbox_inches="tight")
        output = replace(output, path=None)
    deliver(rankings, output, kind="ordinal", data=data)
    if ranking.policy is not None:
        best = rankings.best
        policy = rankings.thresholds[best].policy(best, rankings.expected[best])
        save_policy(policy, ranking.policy, output)


def _read(ranking: Ranking) -> tuple[dict[str, Any], list[str], dict[str, FloatArray]]:
    """Return what was read, the true classes by name and the scores; refuse what has no order."""
    from demur._checks import check_scores
    from demur.cli.input.cases import read_columns, require_complete
    from demur.engines.columns import class_name

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
    from demur._files.values import is_number
    from demur.cli.input.cases import require_listed

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
    expected: dict[str, ExpectedCost | None] = field(default_factory=dict)

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
                "expected": self.expected[name],
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

    def opening(self) -> list[str]:
        """Return the decision."""
        from demur._tables.numbers import level_words, number, percent, span

        best, found = self.best, self.thresholds[self.best]
        decision, cost, expected = (
            f"Use {best}: {found.rule.words(self.levels)}.",
            f"{number(_CASES * found.cost)} per 1000 cases with hindsight",
            self.expected[best],
        )
        if expected is None:
            decision += f" Cost {cost} (these cases chose the thresholds; they are too few to tell more)."
        else:
            within = span(expected.interval, lambda end: number(_CASES * end))
            decision += (
                f" Expected cost {number(_CASES * expected.cost)} per 1000 cases "
                f"({level_words(self.confidence)} interval {within}), {cost}."
            )
            if found.rule.abstains:
                decision += f" {percent(expected.abstention_rate)} are abstained on."
        doubtful = [
            b if a == best else a
            for (a, b), test in self.tests.items()
            if best in (a, b) and (test is None or test.pvalue > 1 - self.confidence)
        ]
        if doubtful:
            decision += f" Not clearly better than {', '.join(doubtful)} in the order of the classes."
        return [decision]

    def tables(self) -> list[Table]:
        """Return measures, thresholds and tests."""
        return [self._measures(), self._cuts(), *([self._pairs()] if self.tests else [])]

    def closing(self) -> list[str]:
        """Return nothing."""
        return []

    def _measures(self) -> Table:
        from demur._tables.numbers import level_words, span
        from demur._tables.table import Column, Table

        three, names = "{:.3f}".format, list(self.rocs)
        aucs = [roc.auc_matrix().diagonal(1).tolist() for roc in self.rocs.values()]
        note = (
            "VUS: share of tuples, one case of each class, in order; by chance "
            f"{1 / factorial(len(self.levels)):.3g}. Cons: mean AUC of the cuts between neighbours. Then the "
            "AUC of each pair of neighbours."
        )
        heads = ["|".join(pair) for pair in pairwise(self.levels)]
        within = [self.intervals[name] for name in names]
        columns = [
            Column("model", names, "model"),
            Column("vus", [roc.vus() for roc in self.rocs.values()], "VUS", three),
            Column("vus", within, ends=True),
            Column(
                "",
                ["-" if one is None else span(one, three) for one in within],
                level_words(self.confidence),
            ),
            Column("cons", [roc.cons for roc in self.rocs.values()], "Cons", three),
        ]
        for place, name in enumerate(heads):
            shown = (name if len(name) <= 12 else f"{name[:9]}...") if place < _MOST_SHOWN else None
            columns.append(Column(f"auc_{name}", [one[place] for one in aucs], shown, three))
        return Table(name="Models", columns=tuple(columns), note=note)

    def _cuts(self) -> Table:
        from demur._html import threshold_text
        from demur._tables.numbers import level_words, number, percent, span
        from demur._tables.table import Column, Table

        def money(cost: float) -> str:
            return number(_CASES * cost)

        found, expected = list(self.thresholds.values()), list(self.expected.values())
        gaps = any(one.rule.abstains for one in found)
        cuts = []
        for place, level in enumerate(self.levels[:-1]):
            shown = f"{level} up to" if place < _MOST_SHOWN and not gaps else None
            ends = [float(one.thresholds[place]) for one in found]
            cuts.append(Column(f"{level}_up_to", ends, shown, threshold_text))
            above = [float(one.gap_ends[place]) for one in found]
            cuts += [Column(f"{self.levels[place + 1]}_above", above)] if gaps else []
        within = [None if one is None else one.interval for one in expected]
        rates = [None if one is None else one.abstention_rate for one in expected]
        costs = (
            Column("cost", [None if one is None else one.cost for one in expected], "cost per 1000", money),
            Column("cost", within, ends=True),
            Column(
                "", ["-" if one is None else span(one, money) for one in within], level_words(self.confidence)
            ),
            Column("hindsight", [one.cost for one in found], None if gaps else "hindsight", money),
            Column("abstention_rate", rates, "abstained" if gaps else None, percent),
        )
        rules = [one.rule.words(self.levels).removesuffix(", send the rest to a person") for one in found]
        said = (Column("", rules, "rule"),) if gaps else ()
        models = Column("model", list(self.thresholds), "thresholds")
        return Table(name="Thresholds", columns=(models, *cuts, *costs, *said))

    def _pairs(self) -> Table:
        from demur._tables.numbers import level_words, span
        from demur._tables.table import Column, Table

        signed, pairs, tests = "{:+.3f}".format, list(self.tests), list(self.tests.values())
        shown = tests[:_MOST_PAIRS]
        within = [None if test is None else test.interval(self.confidence) for test in tests]
        gaps = [None if test is None else test.difference for test in tests]
        pvalues = [None if test is None else test.pvalue for test in tests]

        def people(values: list[Any], heading: str, show: Any) -> Column:
            cells = ["-" if value is None else show(value) for value in values[: len(shown)]]
            return Column("", cells, heading)

        columns = (
            Column("", [f"{a} - {b}" for a, b in pairs[:_MOST_PAIRS]], "difference of VUS"),
            people(gaps, "", signed),
            people(within, level_words(self.confidence), lambda ends: span(ends, signed)),
            people(pvalues, "p", "{:.2g}".format),
            Column("first", [a for a, _ in pairs]),
            Column("second", [b for _, b in pairs]),
            Column("difference", gaps),
            Column("difference", within, ends=True),
            Column("pvalue", pvalues),
        )
        return Table(name="Differences", columns=columns)

    def drawn(self) -> Any:
        """Draw one panel of ROC curves per cut between neighbours; with gaps the score axis of each model."""
        from demur.displays.base import pyplot
        from demur.displays.ordinal import OrdinalThresholdsDisplay
        from demur.displays.roc import RocCurveDisplay

        found = self.thresholds
        if found[self.best].priced:
            figure, axes = pyplot().subplots(
                len(found), 1, figsize=(6.4, 4.2 * len(found)), squeeze=False, layout="constrained"
            )
            for (name, one), (ax,) in zip(found.items(), axes, strict=True):
                OrdinalThresholdsDisplay(result=one).plot(ax=ax).ax_.set_xlabel(f"score of {name}")
            return figure

        cuts = len(self.levels) - 1
        figure, axes = pyplot().subplots(
            1, cuts, figsize=(4.8 * cuts, 5.0), squeeze=False, layout="constrained"
        )
        for place, ax in enumerate(axes[0]):
            curves = {name: roc.split_curves()[place] for name, roc in self.rocs.items()}
            RocCurveDisplay(result=curves).plot(ax=ax, hull=False)
            sides = self.levels[place + 1 :], self.levels[: place + 1]
            high, low = (side[0] if len(side) == 1 else f"{side[0]} to {side[-1]}" for side in sides)
            ax.set_title(f"{high} against {low}", fontsize=10)
        return figure


def _compare(
    levels: list[str], classes: list[str], scores: dict[str, FloatArray], ranking: Ranking
) -> _Rankings:
    """Measure every model, cut its scores, and test pairs of models."""
    import numpy as np

    from demur.engines.cost_files import read_cost_matrix
    from demur.ordinal.difference import vus_difference_test
    from demur.ordinal.roc import ordinal_roc
    from demur.ordinal.thresholds import honest_ordinal_cost, ordinal_thresholds

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
        asked: Any = {
            "order": levels,
            "costs": costs,
            "step_cost": step,
            "cost_abstain": ranking.cost_abstain,
        }
        rankings.thresholds[name] = ordinal_thresholds(truth, score, **asked).written()
        rankings.expected[name] = None
        with suppress(InputError):  # a single case of most classes cannot be left out
            rankings.expected[name] = honest_ordinal_cost(
                truth, score, **asked, confidence_level=ranking.confidence
            )
        rankings.intervals[name] = None
        with suppress(UndefinedError):
            rankings.intervals[name] = roc.interval(ranking.confidence)
    for a, b in rankings.tests:
        with suppress(UndefinedError):
            rankings.tests[a, b] = vus_difference_test(truth, scores[a], scores[b], order=levels)
    return rankings
