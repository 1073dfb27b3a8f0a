"""What the verbs work from: counts per model, and the rows where they are in memory.

Rows come from `read_predictions`. With `--engine duckdb` or `spark` the rows stay where they are
and only their counts come back; a file of saved counts has none to begin with.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from demur._files.parquet import parquet_fact, parquet_schema
from demur.cli.options import Prices, Source
from demur.cli.reading.predictions import (
    Predictions,
    distinct,
    positive_cases,
    read_predictions,
    require_whole_weights,
)
from demur.cli.reading.roles import Roles, choose_roles, described, read_as
from demur.cli.reading.tables import for_counting, label_column, open_with
from demur.costs.case_costs import CaseCosts
from demur.counts.folded_costs import FoldedCosts
from demur.counts.scores import SCHEMA, ScoreCounts
from demur.engines.counting import read_counts
from demur.engines.folded_costs import read_folded_costs
from demur.engines.joint import MOST_MODELS, read_joint_counts
from demur.engines.labels import class_name
from demur.engines.tallies import Columns
from demur.exceptions import InputError
from demur.paired.joint import JointCounts

__all__ = ["Evidence", "Part", "read_evidence"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Part:
    """The cases of one group, or all of them.

    Attributes
    ----------
    counted : dict or None
        Model -> its counts, where an engine counted; None where the rows are all there is.
    rows : Predictions or None
        The cases themselves, or one weighted row per pair of scores, where they are in memory.
    summed : dict or None
        Model -> sums of the costs of the cases, where an engine added them up.
    joint : JointCounts or None
        Cases per combination of scores, or of bins of scores, where an engine counted them.
    """

    counted: dict[str, ScoreCounts] | None = None
    rows: Predictions | None = None
    summed: dict[str, FoldedCosts] | None = None
    joint: JointCounts | None = None

    @cached_property
    def counts(self) -> dict[str, ScoreCounts]:
        """Model -> its counts; made from the rows on demand, as not every verb needs them."""
        if self.counted is not None:
            return self.counted
        assert self.rows is not None
        return self.rows.counts()

    @property
    def n(self) -> float:
        """Weight of the cases."""
        return next(iter(self.counts.values())).n

    @property
    def certified(self) -> float:
        """The most a cost can be too high because scores share bins; 0 where rows were counted."""
        if self.joint is not None:
            return self.joint.certified()
        return max((counts.certified for counts in (self.counted or {}).values()), default=0.0)

    @property
    def exact(self) -> bool:
        """Whether every distinct score was counted apart."""
        if self.joint is not None:
            return self.joint.exact
        return all(counts.exact for counts in (self.counted or {}).values())


@dataclass(frozen=True, kw_only=True, eq=False)
class Evidence:
    """Everything read from one source.

    Attributes
    ----------
    sentence : str
        What was read, and as what.
    data : dict
        The same as built-in types.
    positive, negative : str
        The two labels.
    group : str or None
        Column of the groups.
    parts : dict
        Group -> its cases; without groups one entry, under the empty name.
    """

    sentence: str
    data: dict[str, Any]
    positive: str
    negative: str
    parts: dict[str, Part]
    group: str | None = None

    @property
    def whole(self) -> Part:
        """The only part, where there are no groups."""
        return self.parts[""]

    @property
    def certified(self) -> float:
        """The most a cost can be too high because scores share bins, in units of the more expensive error."""
        return max(part.certified for part in self.parts.values())

    @property
    def exact(self) -> bool:
        """Whether every distinct score was counted apart."""
        return all(part.exact for part in self.parts.values())

    def bins_in_words(self) -> list[str]:
        """Say to what the numbers are certified; nothing if they are exact."""
        # a comparison of joint counts says itself what its bins leave open at its costs
        if self.exact or any(part.joint is not None for part in self.parts.values()):
            return []
        return [
            "Scores were counted in bins: at any costs, the cost of a model per case is certified to be too "
            f"high by at most {self.certified:.1e} times the more expensive error."
        ]

    def title(self, name: str) -> str:
        """Return the heading of a group."""
        return f"{self.group} = {name}: {self.parts[name].n:g} cases"

    def answered(self, parts: dict[str, dict[str, Any]]) -> dict[str, Any]:
        """Return the content of a document: what was read, and the answer for every part."""
        head = {"data": self.data, "exact": self.exact, "certified": self.certified}
        if self.group is None:
            return {**head, **parts[""]}
        groups = {name: {"n": self.parts[name].n, **part} for name, part in parts.items()}
        return {**head, "group": self.group, "groups": groups}


def read_evidence(source: Source, prices: Prices | None = None, *, split: bool = True) -> Evidence:
    """Read a file of predictions or of counts with an engine; refuse what is ambiguous or missing.

    `prices` may name columns with the costs of the cases. Without `split` the cases of all groups stay
    one part, which needs the rows in memory.
    """
    path = Path(source.file)
    saved = path.is_file() and parquet_schema(path) == SCHEMA
    by_case = prices is not None and prices.by_case
    if prices is not None and by_case and saved:
        flag = next(iter(prices.columns or prices.ranges))
        raise InputError(
            f"`{flag}` needs the cases of {source.file} themselves, but it holds counts. "
            "Hint: pass the file they were counted from."
        )
    if saved:
        return _from_saved(path, source)
    if source.reader == "memory":
        return _from_rows(read_predictions(source, prices), split=split)
    if not split:
        raise InputError(
            f"`--one-page` needs the rows, but --engine {source.reader} keeps sums only. "
            "Hint: leave --engine out, or --one-page."
        )
    if source.weight is not None and source.weights != "repeats":
        raise InputError(
            "`--weight` as importance needs the weight of every case, but "
            f"--engine {source.reader} keeps sums only. "
            "Hint: leave --engine out; or add --weights repeats, if a weight of 2 means two cases."
        )
    with open_with(source.file, source.reader, source.master) as table:
        roles = choose_roles(table, source, prices=prices if by_case else None)
        return _counted(table, roles, source, prices)


# ---------------------------------------------------------------- saved counts


def _from_saved(path: Path, source: Source) -> Evidence:
    """Take one model, by its saved name or called like the file; counts tell nothing of columns."""
    for name in source.given():
        if name not in ("--engine", "--master"):
            raise InputError(f"`{name}` is for tables of cases, but {path} holds counts. Hint: leave it out.")
    counts = ScoreCounts.load(path)
    n_scores = len(counts.scores)
    return Evidence(
        sentence=f"Read the counts of {counts.n:g} cases of {path}: {n_scores} distinct scores or bins.",
        data={"source": str(path), "rows": counts.n, "engine": "counts", "distinct_scores": n_scores},
        positive="1",
        negative="0",
        parts={"": Part(counted={parquet_fact(path, "model") or path.stem: counts})},
    )


# ---------------------------------------------------------------- rows in memory


def _from_rows(read: Predictions, *, split: bool) -> Evidence:
    apart = split and read.groups is not None
    rows = _split(read) if apart else {"": read}
    return Evidence(
        sentence=read.sentence(),
        data={**read.to_dict(), "engine": "memory"},
        positive=read.positive,
        negative=read.negative,
        group=read.roles.group if apart else None,
        parts={name: Part(rows=part) for name, part in rows.items()},
    )


def _split(read: Predictions) -> dict[str, Predictions]:
    """Return the rows of every group, groups ascending."""
    groups = {}
    for value in distinct(read.groups):
        chosen = read.groups == value
        groups[class_name(value)] = replace(
            read,
            truth=read.truth[chosen],
            scores={model: scores[chosen] for model, scores in read.scores.items()},
            weights=None if read.weights is None else read.weights[chosen],
            groups=None,
            amounts={name: column[chosen] for name, column in read.amounts.items()},
        )
    return groups


# ---------------------------------------------------------------- counts from an engine


def _counted(table: Any, roles: Roles, source: Source, prices: Prices | None) -> Evidence:
    """Let the engine count; of few models also count the combinations of scores, in bins if need be."""
    _, positive, negative = positive_cases(label_column(table, roles.label), source.positive)
    columns: dict[str, Any] = {"y_true": roles.label, "scores": list(roles.models), "positive": positive}
    columns["weights"] = roles.weight
    countable = for_counting(table)
    counted = read_counts(countable, **columns, groups=roles.group)
    by_case = prices is not None and prices.by_case
    if roles.group is not None:
        parts = {class_name(group): Part(counted=counts) for group, counts in counted.items()}
    elif by_case or not 2 <= len(roles.models) <= MOST_MODELS:
        parts = {"": Part(counted=counted)}
    else:
        costs = None if prices is None else prices.costs_or_range()
        assert not isinstance(costs, CaseCosts)
        columns["pos_label"] = columns.pop("positive")
        joint = read_joint_counts(countable, **columns, counts=counted, costs=costs)
        rows = _joint_rows(joint, table.name, roles, positive, negative) if joint.exact else None
        parts = {"": Part(counted=counted, rows=rows, joint=joint)}
    if roles.weight is not None:
        for part in parts.values():
            for counts in part.counts.values():
                require_whole_weights(np.concatenate([counts.positives, counts.negatives]), roles.weight)
    if prices is not None and by_case:
        parts = _summed(countable, roles, positive, prices, parts)
    return Evidence(
        sentence=described(table.name, table.n_rows, roles, positive),
        data={**read_as(table.name, table.n_rows, roles, positive, negative), "engine": source.reader},
        positive=positive,
        negative=negative,
        group=roles.group,
        parts=parts,
    )


def _summed(
    countable: Any, roles: Roles, positive: str, prices: Prices, parts: dict[str, Part]
) -> dict[str, Part]:
    """Let the engine add up what the cases of every part cost."""
    columns = Columns(
        y_true=roles.label,
        scores=roles.models,
        weights=roles.weight,
        groups=roles.group,
        amounts=roles.amounts,
    )
    found = read_folded_costs(countable, columns=columns, terms=prices.cost_terms(), positive=positive)
    by_name = {"" if group is None else class_name(group): sums for group, sums in found.items()}
    return {name: replace(part, summed=by_name[name]) for name, part in parts.items()}


def _joint_rows(joint: JointCounts, source: str, roles: Roles, positive: str, negative: str) -> Predictions:
    """Return one weighted row per combination of scores and class: all that a comparison needs."""
    weights = np.concatenate([joint.positives, joint.negatives])
    cell = np.tile(np.arange(len(joint.positives)), 2)[weights > 0]
    truth = (np.arange(len(weights)) < len(joint.positives))[weights > 0]
    return Predictions(
        source=source,
        roles=roles,
        positive=positive,
        negative=negative,
        truth=truth,
        scores={name: joint.lower[name][cell] for name in roles.models},
        weights=weights[weights > 0],
    )
