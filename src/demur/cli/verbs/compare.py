"""`demur compare FILE`: which model, with which thresholds, at which costs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import click
from click.exceptions import Exit

from demur.cli.options import (
    Certainty,
    Classes,
    Design,
    Flags,
    Limits,
    Output,
    Prices,
    Problem,
    Several,
    Source,
    flag,
    takes,
    verb,
)
from demur.cli.options.files import FIGURES
from demur.exceptions import InputError

if TYPE_CHECKING:
    from demur._tables.table import Table
    from demur.cli.question import Question
    from demur.comparison.by_group import GroupCosts
    from demur.comparison.comparison import Comparison

__all__ = ["Compared", "command"]

_FIGURES = ("surface", "difference", "regions", "prevalence", "reviews", "scores", "blocks", "groups")


@dataclass(frozen=True, kw_only=True)
class View(Flags):
    """What is shown of a comparison."""

    TITLE: ClassVar[str] = "Output"

    every: bool = flag(
        "--all",
        default=False,
        is_flag=True,
        help="Beside costs also show what holds over all costs: areas, volumes, differences of models.",
    )
    figure: str | None = flag(
        "--figure",
        type=click.Choice(_FIGURES),
        help="What -o x.png, .svg or .pdf draws: cost over all costs, where which of two models is cheaper, "
        "which is cheapest where and at which prevalence, cost by price of a review (many classes without "
        "costs), scores with their window, blocks of time, groups of --by.",
    )


@verb(
    "compare",
    example="""Examples: over all costs, and where which model is cheaper
  demur compare predictions.csv -o regions.png
a miss costs 100, a false alarm 40, a review by a person 12
  demur compare predictions.csv --cost-fn 100 --cost-fp 40 --cost-abstain 12
a miss costs 400 to 600, people can review 50 of 1000 cases a day
  demur compare predictions.csv --cost-fn 400:600 --cost-fp 100 \\
    --cost-abstain 20 --reviews-per-day 50 --cases-per-day 1000
three classes, whatever their mistakes will cost
  demur compare stages.csv --classes healthy,early,late -o reviews.png
a cheap test and an expensive one, alone and combined
  demur compare tests.csv --combine --price blood=0.1 --price scan=0.5 \\
    --cost-fn 10 --cost-fp 4 --cost-abstain 2
""",
)
@takes(Source)
@takes(Prices)
@takes(Limits)
@takes(Several)
@takes(Classes)
@takes(Design)
@takes(Certainty)
@takes(View)
@takes(Problem)
@takes(Output)
def command(
    *,
    source: Source,
    prices: Prices,
    limits: Limits,
    several: Several,
    classes: Classes,
    design: Design,
    certainty: Certainty,
    view: View,
    problem: Problem,
    output: Output,
) -> None:
    """Tell which model is cheapest, with which thresholds, at which costs.

    FILE is a table with a header, one row per case: the true class and one score column per
    model (CSV, gzipped CSV, Parquet, a folder or a quoted glob of such files, or - for CSV on
    standard input), or a file of counts saved with ScoreCounts.save. Without costs the models
    are compared over all costs, of more than two --classes over costs drawn at random.

    -o table.csv, .tsv, .xlsx or .parquet writes unrounded numbers, a row for each rule, .md, .tex, .html
    or .docx what the screen shows, .png, .svg or .pdf a figure.
    """
    output = output.answering(figures=True)
    drawn = output.ending in FIGURES
    if view.figure is not None and not drawn:
        raise InputError("`--figure` is drawn to a file. Hint: -o figure.png, .svg or .pdf.")
    if drawn and source.group is not None:
        raise InputError("`-o` draws one comparison, got --group. Hint: leave --group out, or pass --by.")
    from demur._tables.table import wrapped
    from demur.cli.output import answer_text, heading, save_figure, write, write_tables_to
    from demur.cli.question import NOT_PROVEN, ask, parts_document, proven

    flags = source, prices, limits, classes, certainty, output
    asked = ask(*flags, unpriced_classes=True, design=design, several=several)
    wanted = _COSTS_WANTED if classes.names is None else _MATRIX_WANTED

    def made(name: str) -> Compared:
        comparison = asked.compare(name)
        by = None if design.by is None else asked.by(name, comparison)
        return Compared(comparison, by, every=view.every, wanted=wanted)

    parts = asked.each_part(made)
    refused = design.require_proof and not proven(parts)
    path = None if refused or drawn else output.path  # no file where a proof is missing
    if drawn and not refused:
        part = parts[""]
        assert isinstance(part, Compared), "one comparison"
        save_figure(part.drawn(view.figure), output)
    if output.as_json:
        write(parts_document("compare", asked, parts), path)
    elif output.as_table and not refused:
        write_tables_to(output, _tables(asked, parts, output), _words(asked, parts))
    else:
        blocks = []
        for name, part in parts.items():
            if asked.cases.group is not None:
                blocks.append(heading(asked.cases.title(name), output=path))
            blocks.append(wrapped(part) if isinstance(part, str) else answer_text(part, path))
        # rows in memory are in no bins
        bins = asked.cases.bins_in_words() if asked.cases.together is None else []
        write("\n\n".join([*blocks, *map(wrapped, bins)]), path)
    if refused:
        raise Exit(NOT_PROVEN)


_COSTS_WANTED = (
    "For a decision in words give your costs, for example --cost-fn 100 --cost-fp 40 --cost-abstain 12."
)
_MATRIX_WANTED = "For a decision in words give your costs: --cost-matrix FILE, --cost-abstain for reviews."
_NO_WINDOWS = (
    "This VACC is not that of two classes: rules read calibrated probabilities, not windows on one score, "
    "and a mistake costs 1 on average."
)
_NO_PAIRS = (
    "Tests of pairs are left out: they need both scores of every case, and only counts were read. "
    "Hint: name two to {} models and no groups, or leave --engine out where the cases fit into memory."
)


@dataclass(frozen=True, eq=False)
class Compared:
    """The comparison of one part, and its answer by group of cases.

    Without `every` what holds over all costs is shown only where no costs are given.
    """

    comparison: "Comparison"
    by: "tuple[str, GroupCosts] | None"
    every: bool = False
    wanted: str = ""

    def opening(self) -> list[str]:
        """Return the answer in words."""
        answer = self.comparison.answer
        if self.comparison.class_vacc is not None:
            return [self.comparison.class_vacc.words]
        return [] if answer is None else [text for text in (answer.words, answer.condition) if text]

    def tables(self, *, everything: bool = False) -> "list[Table]":
        """Return the tables; with `everything` also those over all costs."""
        over_all = everything or self.every or self.comparison.answer is None
        return list(self.comparison.tables(by=self.by, over_all_costs=over_all).values())

    def closing(self) -> list[str]:
        """Return what a reader of the numbers should know."""
        from demur.comparison.remarks import model_remarks
        from demur.comparison.tables import quality_words

        comparison = self.comparison
        if comparison.problem.many:
            unpriced = (_NO_WINDOWS, self.wanted) if comparison.answer is None else ()
            return [text for text in (quality_words(comparison), *comparison.notes, *unpriced) if text]
        without = comparison.answer is None
        remarks = model_remarks(list(comparison.models.values()))
        words = [*comparison.notes, *remarks, *([self.wanted] if without else [])]
        if len(comparison.models) > 1 and comparison.areas is None and (without or self.every):
            from demur.engines.joint import MOST_MODELS

            words.append(_NO_PAIRS.format(MOST_MODELS))
        return words

    def to_dict(self) -> dict[str, Any]:
        """Return the answer; JSON makes built-in types of it."""
        comparison, answer = self.comparison, self.comparison.answer
        content = comparison.to_dict()
        if self.by is not None:
            content["by"] = {"column": self.by[0], **self.by[1].to_dict()}
        said = {"decision": None if answer is None else answer.words, "comparison": content}
        if comparison.problem.many:
            return said
        from demur.costs.curves import best_ranges

        curves = comparison.curves()
        ranges = best_ranges({name: one["cost"] for name, one in curves.items()})
        return {
            **said,
            "best_ranges": [part._asdict() for part in ranges],
            "pairs": comparison.pairs(),
            "curves": {
                name: {
                    "cost_curve": one["cost"],
                    "cost_curve_area": one["cost"].area(),
                    "surface": one["surface"],
                }
                for name, one in curves.items()
            },
        }

    def drawn(self, kind: str | None) -> Any:
        """Return a figure of the comparison."""
        from demur.displays.comparison import comparison_figure

        several = len(self.comparison.models) > 1 and self.comparison.answer is None
        many = "blocks" if self.comparison.class_vacc is None else "reviews"
        wanted = kind or (many if self.comparison.problem.many else "regions" if several else "surface")
        groups = None if self.by is None else self.by[1]
        return comparison_figure(self.comparison, wanted, by=groups).figure_


def _tables(asked: "Question", parts: Mapping[str, Compared | str], output: Output) -> "list[Table]":
    """Return the tables of all parts: below each other for programs, one after the other for people."""
    from demur._tables.documents import DOCUMENTS
    from demur._tables.files import joined_groups
    from demur._tables.table import Table

    people = output.ending in DOCUMENTS
    made = {
        name: [Table.of_rows("Rules", [{"rule": None, "left_out": part}])]
        if isinstance(part, str)
        else part.tables(everything=not people)
        for name, part in parts.items()
    }
    for tables in made.values():  # a file with one table holds the groups of --by
        tables.sort(key=lambda table: people or table.name != "Groups")
    if asked.cases.group is None:
        return made[""]
    groups = {name: {table.name: table for table in tables} for name, tables in made.items()}
    return joined_groups(asked.cases.group, groups, stacked=not people)


def _words(asked: "Question", parts: Mapping[str, Compared | str]) -> list[str]:
    """Return the words of all parts, each under the name of its group."""
    words = []
    for name, part in parts.items():
        said = [] if isinstance(part, str) else [*part.opening(), *part.closing()]
        if said and asked.cases.group is not None:
            said[0] = f"{asked.cases.title(name)}. {said[0]}"
        words += said
    return words
