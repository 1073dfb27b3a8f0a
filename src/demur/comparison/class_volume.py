"""`ClassVacc`: mean honest cost of models of many classes over a law of costs, and who is cheapest how often.

Probabilities are calibrated once per training set: isotonic for every class against the rest (Zadrozny and
Elkan 2002), a step at each threshold between pooled blocks, then scaled to sum to 1. At costs that are drawn,
the rule takes the action of the smallest expected cost. Its mean cost over the draws is the loss of a case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import Any, ClassVar, NamedTuple

import numpy as np

from demur import _html
from demur._checks import check_positive_int, input_error
from demur._kernels.thresholds import cut_points
from demur._results import Interval, Result, json_safe
from demur._tables.numbers import level_words, number, percent, span
from demur._tables.table import Column, Table, told_apart
from demur.comparison.case_table import table_of_classes
from demur.comparison.expected_cost_learner import rules_by_fold
from demur.comparison.problem import Limits
from demur.comparison.threads import workers
from demur.comparison.words import short_name
from demur.costs.law import CostLaw
from demur.counts.scores import ScoreCounts
from demur.honest.cases import SplitCases
from demur.honest.estimates import ADDED_TO_DIFFERENCES, row_sample, worst_unit
from demur.honest.evaluate import Inputs, TrainingSets
from demur.honest.mean_loss import LossSample, mean_loss
from demur.typing import ArrayLike, BoolArray, FloatArray, IntArray, Labels

__all__ = [
    "NO_MODEL",
    "ClassVacc",
    "ClassVaccDifference",
    "CostAlongReview",
    "class_vacc",
    "volume_of_classes",
]


NO_MODEL = "without a model"
"""Cheapest rule without a model: one class for all cases, or all to people, whichever is best for a draw."""

# losses of so many cases times draws are made at a time: they stay in the cache
_AT_ONCE = 2**17
_MOST_DRAWS = 2**15
_EQUAL = 1e-12
_MOST_BINS, _DRAWS_PER_BIN = 20, 10
_ALL_PAIRS_UP_TO = 5
_SHOWN_BINS, _SHOWN_MODELS = 5, 4
_LONGEST_NAME = 14


class CostAlongReview(NamedTuple):
    """Costs by the price of a review: every element stands for as many draws with neighbouring prices.

    Attributes
    ----------
    review : array
        Mean price of a review.
    cost, monte_carlo_error : array
        Mean honest cost of the draws, and its standard error over them.
    cheapest : array
        Share of the draws in which the model is cheaper than all others.
    """

    review: FloatArray
    cost: FloatArray
    monte_carlo_error: FloatArray
    cheapest: FloatArray


@dataclass(frozen=True, kw_only=True, slots=True)
class ClassVaccDifference(Result):
    """Mean cost of a model minus that of another at the same draws of costs; negative: the first is cheaper.

    Attributes
    ----------
    first, second : str
        The models.
    difference : float
        Difference of their volumes, honest.
    interval : Interval
        For new cases; two units of the worst loss are added to either end.
    monte_carlo_error : float
        Standard error of the difference over the draws.
    first_cheaper, second_cheaper : float
        Shares of the draws in which one of them is cheaper.
    """

    first: str
    second: str
    difference: float
    interval: Interval
    monte_carlo_error: float
    first_cheaper: float
    second_cheaper: float


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class ClassVacc(Result):
    """Volumes of models of many classes over a law of costs; made by `class_vacc`.

    Attributes
    ----------
    vacc : mapping
        Model -> mean honest cost per case over the draws; the lower the better.
    interval : mapping
        Model -> interval of that for new cases, by `mean_loss_interval`; the draws are taken as they are.
    monte_carlo_error : mapping
        Model -> standard error of the mean over the draws, which more of them make smaller.
    hindsight : mapping
        Model -> the same mean with probabilities calibrated on the very cases they are judged on: too low.
    cheapest : mapping
        Model -> share of the draws in which it is cheaper than all others.
    baseline : float
        Mean cost of the cheapest rule without a model.
    differences : tuple of ClassVaccDifference
        All pairs of up to five models, else those with the best one.
    law : CostLaw or callable
        What the costs are drawn from.
    n_draws : int
    classes : tuple
    n, units : float
        Number of cases, and of independent units: clusters, or cases.
    folds, repeats : int
        Parts of each split, and splits averaged.
    confidence_level : float
    """

    vacc: Mapping[str, float]
    interval: Mapping[str, Interval]
    monte_carlo_error: Mapping[str, float]
    hindsight: Mapping[str, float]
    cheapest: Mapping[str, float]
    baseline: float
    differences: tuple[ClassVaccDifference, ...]
    law: Any
    n_draws: int
    classes: tuple[Any, ...]
    n: float
    units: float
    folds: int
    repeats: int
    confidence_level: float
    _review: FloatArray = field(repr=False)
    _costs: Mapping[str, FloatArray] = field(repr=False)
    _evidence: ClassVar[tuple[str, ...]] = ("law",)

    def curves(self) -> dict[str, CostAlongReview]:
        """Return the cost by price of a review of every model, and last of the best rule without one."""
        bins = max(1, min(_MOST_BINS, self.n_draws // _DRAWS_PER_BIN))
        if not np.ptp(self._review):
            bins = 1
        parts = np.array_split(np.argsort(self._review, kind="stable"), bins)
        review = np.array([self._review[part].mean() for part in parts])
        won = _won(np.array([self._costs[name] for name in self.vacc]))
        found = {}
        for place, (name, costs) in enumerate(self._costs.items()):
            means, errors = zip(*(_mean_and_error(costs[part]) for part in parts), strict=True)
            wins = [float(won[place][part].mean()) if place < len(won) else 0.0 for part in parts]
            found[name] = CostAlongReview(review, *map(np.array, (means, errors, wins)))
        return found

    def tables(self) -> dict[str, Table]:
        """Return volumes, differences of pairs, and costs by price of a review as tables."""
        return {table.name: table for table in _tables(self)}

    @property
    def words(self) -> str:
        """Say which model is cheapest how often."""
        drawn = f"{self.n_draws:,} draws of costs"
        ranked = sorted(self.vacc, key=self.vacc.__getitem__)
        if len(ranked) == 1:
            return (
                f"Over {drawn}, {short_name(ranked[0])} costs {number(self.vacc[ranked[0]])} per case on "
                f"average, the best rule without a model {number(self.baseline)}."
            )
        best, *others = ranked
        shares = [f"{short_name(name)} in {percent(self.cheapest[name])}" for name in others[:3]]
        alike = 1 - sum(self.cheapest.values())
        shares += [f"several alike in {percent(alike)}"] if alike > _EQUAL else []
        gap = next(one for one in self.differences if {one.first, one.second} == {best, others[0]})
        low, high = gap.interval
        proven = "" if high < 0 else ", which contains 0" if low <= 0 <= high else ""
        return (
            f"Over {drawn}, {short_name(best)} is cheapest in {percent(self.cheapest[best])}, "
            f"{', '.join(shares)}. It costs {number(-gap.difference, 3)} per case less than "
            f"{short_name(others[0])} on average ({level_words(self.confidence_level)} interval "
            f"{span((-high, -low), partial(number, digits=3))}{proven})."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return volumes, pairs and curves as JSON-safe built-in types."""
        law = self.law.to_dict() if isinstance(self.law, CostLaw) else {"function": _called(self.law)}
        curves = {name: json_safe(one._asdict()) for name, one in self.curves().items()}
        return {**Result.to_dict(self), "law": law, "curves": curves}

    def _figure(self) -> str:
        """Return the cost of the best model by price of a review as SVG."""
        best = self.curves()[min(self.vacc, key=self.vacc.__getitem__)]
        return _html.curve(best.review, best.cost, ("review", "cost"))

    def __repr__(self) -> str:
        listed = ", ".join(f"{name} {value:.4g}" for name, value in list(self.vacc.items())[:4])
        return f"ClassVacc({listed}; {self.n_draws} draws, n={self.n:g})"


def _called(law: Any) -> str:
    return str(getattr(law, "__name__", type(law).__name__))


# ---------------------------------------------------------------- tables


def _tables(found: ClassVacc) -> Iterator[Table]:
    level, names = level_words(found.confidence_level), sorted(found.vacc, key=found.vacc.__getitem__)
    rows = [*names, NO_MODEL]
    four = "{:.4f}".format

    def column(
        name: str, values: Mapping[str, Any], heading: str, show: Any, *, ends: bool = False
    ) -> Column:
        return Column(name, [values.get(row) for row in rows], heading, show, ends=ends)

    law = found.law.words if isinstance(found.law, CostLaw) else f"costs drawn by {_called(found.law)}"
    yield Table(
        name="VACC",
        title="Mean cost over all costs, the lower the better",
        note=f"{found.n_draws:,} draws of costs: {law}; honest: probabilities calibrated and actions chosen "
        "without the case; +-: standard error of the draws; cheapest: share of the draws",
        columns=(
            Column("model", rows, "model"),
            column("vacc", {**found.vacc, NO_MODEL: found.baseline}, "VACC", four),
            column("vacc", found.interval, f"{level} interval", partial(span, show=four), ends=True),
            column("monte_carlo_error", found.monte_carlo_error, "+-", four),
            column("hindsight_vacc", found.hindsight, "hindsight", four),
            column("cheapest_share", found.cheapest, "cheapest", percent),
        ),
    )
    if found.differences:
        yield _pairs(found, level)
    yield _along_review(found, names)


def _pairs(found: ClassVacc, level: str) -> Table:
    gaps, signed = found.differences, "{:+.4f}".format
    distinct = list(found.vacc)
    short = dict(zip(distinct, told_apart(distinct, _LONGEST_NAME), strict=True))

    def column(name: str, heading: str | None = None, show: Any = str, *, ends: bool = False) -> Column:
        values = [getattr(one, "interval" if ends else name) for one in gaps]
        return Column(name, values, heading, show, ends=ends)

    return Table(
        name="Pairs",
        title="Which of two is cheaper, at the same draws",
        note="gap: first minus second; intervals hold for new cases, each for itself",
        columns=(
            Column("", [f"{short[one.first]} / {short[one.second]}" for one in gaps], "first / second"),
            column("first"),
            column("second"),
            column("difference", "gap", signed),
            column("difference", f"{level} interval", partial(span, show=signed), ends=True),
            column("monte_carlo_error"),
            column("first_cheaper", "first cheaper", percent),
            column("second_cheaper", "second cheaper", percent),
        ),
    )


def _along_review(found: ClassVacc, names: Sequence[str]) -> Table:
    curves = found.curves()
    review = curves[NO_MODEL].review
    shown = np.unique(np.linspace(0, len(review) - 1, _SHOWN_BINS).round().astype(np.int64)).tolist()
    people = [*names[:_SHOWN_MODELS], NO_MODEL]
    plain = [
        Column("model", [name for name in curves for _ in review]),
        *(
            Column(column, [value for one in curves.values() for value in getattr(one, column).tolist()])
            for column in CostAlongReview._fields
        ),
    ]
    heads = [*told_apart(people[:-1], _LONGEST_NAME), "no model"]
    return Table(
        name="Review prices",
        title="Cost by price of a review",
        note="means of the draws with such prices, in mean mistakes",
        columns=(
            Column("", review[shown].tolist(), "review", "{:.2f}".format),
            *(
                Column("", curves[name].cost[shown].tolist(), head, "{:.4f}".format)
                for name, head in zip(people, heads, strict=True)
            ),
            *plain,
        ),
    )


# ---------------------------------------------------------------- calibration


class _Calibration(NamedTuple):
    """Isotonic probabilities of every class but the first of two: shares of blocks and their thresholds."""

    shares: tuple[FloatArray, ...]
    cuts: tuple[FloatArray, ...]

    @classmethod
    def learn(cls, proba: FloatArray, codes: IntArray, weight: FloatArray) -> _Calibration:
        """Pool the cases of every class against the rest."""
        columns = _columns(proba)
        first = 1 if len(columns) == 1 else 0
        shares, cuts = [], []
        for k, column in enumerate(columns, start=first):
            own = codes == k
            if np.all(weight == weight[:1]):
                counts = ScoreCounts.from_arrays(own, column)
            else:
                counts = ScoreCounts.from_arrays(own, column, sample_weight=weight)
            blocks = counts.blocks()
            shares.append(blocks.positives / (blocks.positives + blocks.negatives))
            cuts.append(cut_points(blocks.lower, blocks.upper)[1][1:-1])
        return cls(tuple(shares), tuple(cuts))

    def probabilities(self, proba: FloatArray) -> FloatArray:
        """Return probabilities that sum to 1; those of the model where no class has any."""
        found = [
            share[np.searchsorted(cut, column, side="right")]
            for share, cut, column in zip(self.shares, self.cuts, _columns(proba), strict=True)
        ]
        if len(found) == 1:
            return np.column_stack([1 - found[0], found[0]])
        table = np.column_stack(found)
        total = table.sum(axis=1, keepdims=True)
        return np.where(total > 0, table / np.where(total > 0, total, 1.0), proba / _row_sums(proba))


def _columns(proba: FloatArray) -> list[FloatArray]:
    """Return the probability of every class, of two that of the second: one score."""
    return [proba] if proba.ndim == 1 else list(np.ascontiguousarray((proba / _row_sums(proba)).T))


def _row_sums(proba: FloatArray) -> FloatArray:
    return np.asarray(proba.sum(axis=1, keepdims=True))


def _factors(codes: IntArray, weight: FloatArray, shares: FloatArray | None) -> FloatArray:
    """Return the weights of some cases under the shares of classes in use."""
    if shares is None:
        return weight
    sizes = np.bincount(codes, weight, len(shares))
    return np.asarray(weight * np.divide(shares, sizes, out=np.zeros(len(shares)), where=sizes > 0)[codes])


def _out_of_fold(cases: SplitCases, proba: FloatArray, shares: FloatArray | None) -> Iterator[FloatArray]:
    """Yield the probabilities of every row of each split, calibrated without its fold."""

    def learned(_: Any, table: FloatArray, cell: IntArray, sizes: FloatArray, *more: Any) -> _Calibration:
        codes = cases.codes[cell].astype(np.int64)
        return _Calibration.learn(table[cell], codes, _factors(codes, sizes, shares))

    for split, rows in enumerate(cases.splits.repeats):
        sets = TrainingSets(cases, Inputs(proba), split, _no_groups)
        calibrations = rules_by_fold(sets, learned)
        found = np.empty((len(rows.cell), cases.n_classes))
        for fold, calibration in enumerate(calibrations):
            held = np.flatnonzero(rows.fold == fold)
            found[held] = calibration.probabilities(proba[rows.cell[held]])
        yield found


def _no_groups() -> Any:
    raise AssertionError("calibration reads rows")


# ---------------------------------------------------------------- costs at the draws


class _Losses(NamedTuple):
    """Mean loss of every row over the draws, and mean loss of every draw over the rows."""

    by_row: FloatArray
    by_draw: FloatArray


def _losses(proba: FloatArray, codes: IntArray, weight: FloatArray, tables: FloatArray) -> _Losses:
    """Take the action of the smallest expected cost on every row at every draw, of equal ones the first."""
    n_draws = len(tables)
    by_action = np.ascontiguousarray(tables.transpose(2, 1, 0))
    by_row, step = np.empty(len(proba)), max(1, _AT_ONCE // n_draws)
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=tables.shape[1]))

    def part(true: int, start: int, stop: int) -> FloatArray:
        rows = order[start:stop]
        own = proba[rows]
        least = own @ by_action[0]
        paid = np.repeat(by_action[0, true][None], len(rows), axis=0)
        for costs in by_action[1:]:
            expected = own @ costs
            np.copyto(paid, costs[true], where=expected < least)
            np.minimum(least, expected, out=least)
        by_row[rows] = paid.mean(axis=1)
        return np.asarray(weight[rows] @ paid)

    blocks = [
        (true, start, min(start + step, end))
        for true, end in enumerate(ends.tolist())
        for start in range(0 if true == 0 else int(ends[true - 1]), end, step)
    ]
    by_draw = np.zeros(n_draws)
    with workers(len(proba) * n_draws / 2**6) as pool:
        for sums in pool.map(lambda block: part(*block), blocks):
            by_draw += sums
    return _Losses(by_row, by_draw)


def _drawn(law: Any, n_draws: int, n_classes: int, seed: int) -> FloatArray:
    """Draw the cost tables and check them: anybody may write a law."""
    tables = np.asarray(law(np.random.default_rng([seed, 1]), n_classes, n_draws), dtype=np.float64)
    shape = (n_draws, n_classes, n_classes + 1)
    if tables.shape != shape:
        rule = f"must draw tables of shape {shape}: draw, true class, answer with reviews last"
        raise input_error("law", rule, f"shape {tables.shape}")
    if not np.isfinite(tables).all():
        raise input_error("law", "must draw finite costs", "infinite or missing ones")
    return tables


def volume_of_classes(
    cases: SplitCases,
    models: Mapping[str, FloatArray],
    classes: Sequence[Any],
    *,
    law: CostLaw | Callable[[np.random.Generator, int, int], FloatArray],
    n_draws: int,
    shares: FloatArray | None,
    confidence_level: float,
    seed: int,
) -> ClassVacc:
    """Compute the volumes of models on split cases; a model of two classes is one score."""
    draws = check_positive_int(n_draws, "n_draws", minimum=2)
    if draws > _MOST_DRAWS:
        raise input_error("n_draws", f"must not exceed {_MOST_DRAWS:,}", draws)
    m = cases.n_classes
    tables = _drawn(law, draws, m, seed)
    cell = cases.splits.repeats[0].cell
    sample, codes = row_sample(cases, shares), cases.codes[cell].astype(np.int64)
    sizes = cases.splits.repeats[0].cases
    by_row: dict[str, FloatArray] = {}
    costs: dict[str, FloatArray] = {}
    hindsight: dict[str, float] = {}
    for name, proba in models.items():
        found = [_losses(one, codes, sample.weight, tables) for one in _out_of_fold(cases, proba, shares)]
        by_row[name], costs[name] = (np.mean(part, axis=0) for part in zip(*found, strict=True))
        calibration = _Calibration.learn(proba[cell], codes, _factors(codes, sizes, shares))
        seen = _losses(calibration.probabilities(proba[cell]), codes, sample.weight, tables)
        hindsight[name] = float(seen.by_draw.mean())
    used: FloatArray = np.bincount(codes, sample.weight, m).astype(np.float64)
    costs[NO_MODEL] = np.einsum("k,dka->da", used, tables).min(axis=1)
    measured = np.array([costs[name] for name in models])
    worst = _worst(tables, used, cases, shares)
    volumes = {name: float(costs[name].mean()) for name in models}
    ranked = sorted(volumes, key=volumes.__getitem__)
    every = len(ranked) <= _ALL_PAIRS_UP_TO
    return ClassVacc(
        vacc=volumes,
        interval={
            name: _interval(by_row[name], sample, cases, worst, tables, confidence_level) for name in models
        },
        monte_carlo_error={name: _mean_and_error(costs[name])[1] for name in models},
        hindsight=hindsight,
        cheapest=dict(zip(models, _won(measured).mean(axis=1).tolist(), strict=True)),
        baseline=float(costs[NO_MODEL].mean()),
        differences=tuple(
            _difference(pair, by_row, costs, sample, cases, worst, confidence_level)
            for pair in (combinations(ranked, 2) if every else [(ranked[0], other) for other in ranked[1:]])
        ),
        law=law,
        n_draws=draws,
        classes=tuple(classes),
        n=cases.n,
        units=cases.units,
        folds=cases.folds,
        repeats=cases.repeats,
        confidence_level=confidence_level,
        _review=tables[:, :, -1].mean(axis=1),
        _costs=costs,
    )


# ---------------------------------------------------------------- means, intervals, wins


def _mean_and_error(values: FloatArray) -> tuple[float, float]:
    """Return a mean over draws and its standard error; NaN of a single draw."""
    error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return float(values.mean()), float(error)


def _won(costs: FloatArray) -> BoolArray:
    """Tell in which draws (columns) each model (row) is cheaper than all others."""
    if len(costs) == 1:
        return np.ones(costs.shape, dtype=np.bool_)
    first, second = np.partition(costs, 1, axis=0)[:2]
    return np.asarray((costs == first) & (second - first > _EQUAL))


def _worst(tables: FloatArray, used: FloatArray, cases: SplitCases, shares: FloatArray | None) -> float:
    """Return the largest mean loss of a case: surely the wrong class at all draws."""
    by_class = tables.mean(axis=0).max(axis=1)
    if shares is not None:
        sizes = cases.class_sizes
        by_class = by_class * shares * sizes.sum() / np.maximum(sizes, 1e-300)
    return float(by_class[used > 0].max())


def _interval(
    loss: FloatArray,
    sample: LossSample,
    cases: SplitCases,
    worst: float,
    tables: FloatArray,
    level: float,
) -> Interval:
    mean = mean_loss(loss, sample, worst_unit(worst, loss, sample, cases))
    low, high = mean.interval(level)
    certain = float(tables.min(axis=(1, 2)).mean())
    return Interval(min(max(low, certain), mean.cost), max(high, mean.cost))


def _difference(
    pair: tuple[str, str],
    by_row: Mapping[str, FloatArray],
    costs: Mapping[str, FloatArray],
    sample: LossSample,
    cases: SplitCases,
    worst: float,
    level: float,
) -> ClassVaccDifference:
    first, second = pair
    gap, drawn = by_row[first] - by_row[second], costs[first] - costs[second]
    mean, error = _mean_and_error(drawn)
    interval = Interval(0.0, 0.0)
    if np.abs(gap).max() > _EQUAL:
        # either may make errors that were not seen: the lower end is that of the difference turned round
        ends = [
            mean_loss(one, sample, worst_unit(worst, one, sample, cases), added=ADDED_TO_DIFFERENCES)
            for one in (gap, -gap)
        ]
        low, high = -ends[1].interval(level).high, ends[0].interval(level).high
        interval = Interval(min(low, mean), max(high, mean))
    return ClassVaccDifference(
        first=first,
        second=second,
        difference=mean,
        interval=interval,
        monte_carlo_error=error,
        first_cheaper=float(np.mean(drawn < -_EQUAL)),
        second_cheaper=float(np.mean(drawn > _EQUAL)),
    )


# ---------------------------------------------------------------- from arrays


def class_vacc(
    y_true: Labels,
    scores: Mapping[str, ArrayLike] | ArrayLike,
    *,
    classes: Sequence[Any] | None = None,
    law: CostLaw | Callable[[np.random.Generator, int, int], FloatArray] | None = None,
    n_draws: int = 1000,
    prevalence: Any = None,
    sample_weight: ArrayLike | None = None,
    weights: str = "importance",
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    seed: int = 0,
) -> ClassVacc:
    """Estimate the mean cost of models of many classes while nobody knows the costs; the lower the better.

    Costs are drawn from a law, the same for all models. At every draw a case gets the action of the
    smallest expected cost, by probabilities calibrated without it. Assumes independent cases that resemble
    the use, and that the law says how likely costs are: another law may prefer another model.

    Parameters
    ----------
    y_true : array of n labels
    scores : mapping {name: array of shape (n, m)}, or one array
        One column of probabilities per class.
    classes : m names, optional
        Names of the columns.
    law : CostLaw or function, optional
        `CostLaw()` by default. A function gets a generator, the number of classes m and of draws d, and
        returns costs of shape (d, m, m + 1): draw, true class, answer, with reviews last.
    n_draws : int, default 1000
        More make `monte_carlo_error` smaller, not the interval.
    prevalence : mapping {class: share}, optional
        P(class) in use, if not the sample's.
    sample_weight, weights, groups, confidence_level
        As in `compare_models`.
    seed : int, default 0
        For splits and draws.

    Returns
    -------
    ClassVacc
        With `vacc`, `interval`, `cheapest`, `differences`, `curves()`, `tables()`, `words`.

    Raises
    ------
    InputError
        For ill-formed input, or a law that does not draw finite tables of that shape.

    Notes
    -----
    For two classes, a miss of cost 1 and (mu, nu) uniform on the unit square it is `vacc_score` in
    hindsight, and, honest, the mean `plugin_vacc_score` of out-of-fold isotonic probabilities, which is also
    the volume of `cross_fitted_surface`. Under `CostLaw`, which scales costs by the mean mistake, not by the
    miss, it is another number. Isotonic steps, one class against the rest, are scaled to sum to 1.

    References
    ----------
    Friedel, Rueckert, Kramer (2006), "Cost Curves for Abstaining Classifiers", ROCML.
    Zadrozny, Elkan (2002), KDD, doi:10.1145/775047.775151 (calibration of many classes).

    Examples
    --------
    Which of two models of three classes, whatever mistakes will cost?

    >>> import numpy as np
    >>> from demur.comparison import class_vacc
    >>> rng = np.random.default_rng(0)
    >>> stage = rng.integers(0, 3, 400)
    >>> clear, vague = (rng.dirichlet([1, 1, 1], 400) + gain * np.eye(3)[stage] for gain in (1.0, 0.3))
    >>> found = class_vacc(stage, {"clear": clear, "vague": vague}, n_draws=200)
    >>> found.vacc["clear"] < found.vacc["vague"] < found.baseline, found.cheapest["clear"]
    (True, 1.0)
    """
    table, problem, _ = table_of_classes(
        y_true,
        scores,
        classes=classes,
        costs=None,
        abstain_cost=None,
        prevalence=prevalence,
        sample_weight=sample_weight,
        weights=weights,
        groups=groups,
        objective=None,
        limits=Limits(),
        confidence_level=confidence_level,
        seed=seed,
    )
    if law is not None and not callable(law):
        raise input_error("law", "must be a CostLaw or a function", repr(law))
    cases = next(iter(table.cases.values()))
    return volume_of_classes(
        cases,
        {name: judge().scores for name, judge in table.judging.items()},
        table.labels,
        law=CostLaw() if law is None else law,
        n_draws=n_draws,
        shares=problem.shares,
        confidence_level=problem.confidence_level,
        seed=problem.seed,
    )
