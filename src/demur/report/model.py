"""What a report holds: the results of each model and pair, how they are made and how they are written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from demur._kernels.multiple_tests import holm
from demur._kernels.thresholds import shortest_cuts
from demur._progress import Progress
from demur._results import Interval, Result, json_safe
from demur.auc.difference import AucDifferenceTest, PairedOptions, paired_test
from demur.calibration.reliability import brier_parts, reliability_curve
from demur.cautious.selective_risk import answers_by_confidence, areas_under
from demur.comparison.comparison import Comparison
from demur.comparison.models import tested_pairs
from demur.comparison.problem import DecisionProblem
from demur.comparison.remarks import classes_in_words
from demur.comparison.threads import workers
from demur.costs.net_benefit import net_benefit_curve
from demur.counts.scores import ScoreCounts
from demur.exceptions import InputError
from demur.honest.bands import VolumeInterval
from demur.honest.cross_fitting import CrossFittedSurface
from demur.honest.curve_bands import CostCurveBand, envelope_band_of
from demur.honest.pairs import PairedCases, judged_pair
from demur.honest.volume_difference import VolumeDifferenceTest, volume_difference_of
from demur.policy.evidence import PolicyEvidence
from demur.report.cases import page_design
from demur.roc.curve import auc_score, average_precision_of, roc_curve
from demur.surface.regions import cheapest_shares
from demur.surface.surface import AbstentionSurface, abstention_surface
from demur.typing import FloatArray, Range

if TYPE_CHECKING:
    from demur.monitoring.judgement import GroupJudgement

__all__ = [
    "DataSource",
    "ModelReport",
    "PairReport",
    "RuleByGroup",
    "compared_parts",
    "few_digits",
    "lone_models",
    "roc_points",
    "score_bins",
    "thinned",
    "unrounded",
    "whole_counts",
]


_MOST_BINS = 60
# probabilities this near to 0 or 1 share the ends of an axis of log-odds
_END = 1e-5
_MOST_POINTS = 200

_DRAWS = 1000
_UNIT: Range = (0.0, 1.0)
# pairs beyond these many models are left to the functions that compare two
_MOST_PAIRED = 12
_THRESHOLDS = np.linspace(0.02, 0.98, 49)
# what a chart of a few hundred pixels shows
_CHART_POINTS = 80
# beyond so many scores chance alone hardly moves the curve, and resampling takes long
_MOST_RESAMPLED = 2_000
_CALIBRATED_DRAWS = 99


def thinned(places: FloatArray, most: int) -> Any:
    """Choose at most so many places of an ascending column, evenly along it, both ends included."""
    if len(places) <= most:
        return np.arange(len(places))
    wanted = np.linspace(places[0], places[-1], most)
    return np.unique(np.minimum(np.searchsorted(places, wanted), len(places) - 1))


def few_digits(column: FloatArray, digits: int = 6) -> list[Any]:
    """Round every number to what a screen shows; infinite ones become text as everywhere in the JSON."""
    return [
        float(f"{value:.{digits}g}") if isinstance(value, float) else value for value in json_safe(column)
    ]


def whole_counts(column: FloatArray) -> list[Any]:
    """List counts, without a decimal point where all of them are whole."""
    is_whole = np.all(column == np.floor(column)) and np.all(np.abs(column) < 2.0**53)
    return list((column.astype(np.int64) if is_whole else column).tolist())


def _difference(test: Any, level: float, adjusted: float) -> dict[str, float]:
    low, high = test.interval(level)
    return {
        "difference": test.difference,
        "low": low,
        "high": high,
        "pvalue": test.pvalue,
        "adjusted_pvalue": adjusted,
    }


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class DataSource(Result):
    """Where the cases came from.

    Attributes
    ----------
    name : str
        File or table.
    group, part : str or None
        Column by which the cases were divided, and its value for these.
    label, weight, cluster, time : str or None
        Columns of the true class, of the case weights, of the clusters and of the times.
    positive, negative : str
        How the classes are called.
    rows : int or None
        Number of rows read; None where only counts were at hand.
    exact : bool
        Whether every distinct score was counted apart.
    certified : float or None
        Where scores were binned: how far any cost can be off.
    """

    name: str = "predictions"
    group: str | None = None
    part: str | None = None
    label: str | None = None
    positive: str = "positive"
    negative: str = "negative"
    weight: str | None = None
    cluster: str | None = None
    time: str | None = None
    rows: int | None = None
    exact: bool = True
    certified: float | None = None

    @property
    def class_names(self) -> tuple[str, str]:
        """How sentences call the negative and the positive class."""
        return classes_in_words(self.negative, self.positive)

    @property
    def title(self) -> str:
        """The file, and the group where the cases are part of it."""
        return self.name if self.group is None else f"{self.name}, {self.group} = {self.part}"


# ---------------------------------------------------------------- few numbers that draw many scores


def score_bins(counts: ScoreCounts) -> dict[str, Any]:
    """Count the cases of each class in at most 60 bins of equal width; infinite scores lie apart.

    Element b of `positives` and `negatives` lies between `edges` b and b + 1. Probabilities of which more
    than half would share the two outermost bins are binned by their log-odds; `log_odds` says so.
    """
    scores = counts.scores
    finite = scores[np.isfinite(scores)]
    bins = _binned(counts, _equal_bins(finite))
    held = bins["positives"] + bins["negatives"]
    piled = len(held) == _MOST_BINS - 2 and held[0] + held[-1] > 0.5 * float(np.sum(held))
    if not piled or scores[0] < 0 or scores[-1] > 1:
        return bins
    from scipy.special import expit, logit

    # edges of bins of equal width in log-odds; the outermost are the ends of the scores
    low, high = logit(np.clip(finite[[0, -1]], _END, 1 - _END))
    edges = expit(np.linspace(low, high, _MOST_BINS - 1))
    edges[[0, -1]] = finite[[0, -1]]
    return {**_binned(counts, edges), "log_odds": True}


def _binned(counts: ScoreCounts, inner: FloatArray) -> dict[str, Any]:
    """Count the cases between the edges, and infinite scores beyond them."""
    scores = counts.scores
    below, above = [-np.inf] * bool(np.isneginf(scores[0])), [np.inf] * bool(np.isposinf(scores[-1]))
    edges = np.concatenate([below, inner, above])
    # a score on an inner edge belongs to the bin above it, the largest to the last bin
    starts = np.searchsorted(scores, edges[1:-1], side="left")
    if above:
        starts[-1] = np.searchsorted(scores, np.inf)
    bounds = list(pairwise([0, *starts.tolist(), len(scores)]))
    positives, negatives = (
        np.array([column[begin:end].sum() for begin, end in bounds])
        for column in (counts.positives, counts.negatives)
    )
    return {"edges": edges, "positives": positives, "negatives": negatives, "log_odds": False}


def _equal_bins(finite: FloatArray) -> FloatArray:
    """Edges of bins of equal width around finite scores, ascending."""
    if not finite.size:
        return np.zeros(1)
    low, high = float(finite[0]), float(finite[-1])
    if low == high:
        reach = max(0.5, abs(low) / 4)
        return np.array([low - reach, low + reach])
    # quarters: the range of the largest floats is itself too large for a float
    edges = 4 * np.linspace(low / 4, high / 4, min(_MOST_BINS - 2, max(len(finite), 2)) + 1)
    edges[0], edges[-1] = low, high
    return np.unique(edges)


def roc_points(counts: ScoreCounts) -> dict[str, FloatArray]:
    """Choose at most 200 points of the ROC curve, evenly along its length; none with one class only."""
    if min(counts.n_positive, counts.n_negative) == 0:
        return dict.fromkeys(("fpr", "tpr", "thresholds"), np.empty(0))
    curve = roc_curve(counts)
    length = curve.fpr + curve.tpr
    at = thinned(length, _MOST_POINTS if len(length) <= _MOST_POINTS else _MOST_POINTS - 1)
    return {"fpr": curve.fpr[at], "tpr": curve.tpr[at], "thresholds": curve.thresholds[at]}


# ---------------------------------------------------------------- models, pairs and groups


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class ModelReport(Result):
    """All results of one model.

    Attributes
    ----------
    name : str
    surface : AbstentionSurface
        Costs and windows with hindsight.
    honest : CrossFittedSurface or None
        Costs of windows on cases not used to choose them.
    auc : float or None
    auc_interval : Interval or None
    volume : VolumeInterval or None
        Of the volume under the surface over the unit square of costs.
    wins : float
        Share of the unit square of costs at which this model is cheaper than every other one.
    bins : mapping
        Edges and cases of each class, by `score_bins`.
    evidence : mapping
        Calibration, net benefit, risk against coverage, promised precision, by `model_evidence`.
    policy : PolicyEvidence
        What a policy of this model holds of the data: blocks and a fingerprint.
    cost_band : CostCurveBand or None
        None where cases are not independent, or too few.
    """

    name: str
    surface: AbstentionSurface
    honest: CrossFittedSurface | None
    auc: float | None
    auc_interval: Interval | None
    volume: VolumeInterval | None
    wins: float
    bins: Mapping[str, Any]
    evidence: Mapping[str, Any]
    policy: PolicyEvidence
    cost_band: CostCurveBand | None = None

    def to_dict(self, *, cases: bool = False, folds: bool = True) -> dict[str, Any]:
        """Return the model as the schema has it.

        With `cases` the report lists every case: tables of folds and the ROC curve follow from them.
        """
        blocks, band, honest = self.policy.blocks, self.cost_band, self.honest
        assert blocks is not None
        lower_cuts, upper_cuts = shortest_cuts(blocks.lower, blocks.upper)
        return {
            "name": self.name,
            "digest": self.policy.digest,
            "blocks": {
                "positives": whole_counts(blocks.positives),
                "negatives": whole_counts(blocks.negatives),
                **json_safe({"lower": blocks.lower, "upper": blocks.upper, "groups": blocks.groups}),
            },
            "cuts": json_safe({"lower": lower_cuts, "upper": upper_cuts}),
            "bins": {
                "edges": json_safe(self.bins["edges"]),
                "positives": whole_counts(self.bins["positives"]),
                "negatives": whole_counts(self.bins["negatives"]),
                "log_odds": self.bins["log_odds"],
            },
            "roc": None
            if cases
            else {name: few_digits(column) for name, column in roc_points(self.surface.counts).items()},
            # of all splits, one after the other; held-out cases are whole in every split
            "folds": [
                {
                    "positives": whole_counts(table.rule.blocks.positives),
                    "negatives": whole_counts(table.rule.blocks.negatives),
                    "held_positives": whole_counts(unrounded(table.positives * honest.repeats)),
                    "held_negatives": whole_counts(unrounded(table.negatives * honest.repeats)),
                }
                for table in honest.judged.tables
            ]
            if folds and not cases and honest is not None
            else [],
            "auc": None
            if self.auc_interval is None
            else {"value": self.auc, "low": self.auc_interval[0], "high": self.auc_interval[1]},
            "volume": {"hindsight": self.surface.volume(), "honest": None, "low": None, "high": None}
            if self.volume is None
            else {name: getattr(self.volume, name) for name in ("hindsight", "honest", "low", "high")},
            "wins": self.wins,
            "cost_band": None
            if band is None
            else {"x": few_digits(band.pc), "low": few_digits(band.low), "high": few_digits(band.high)},
            "evidence": json_safe(self.evidence),
        }


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class PairReport(Result):
    """Two models on the same cases; differences are first minus second, negative: the first is cheaper.

    Attributes
    ----------
    first, second : int
        Places of the models in the report.
    paired : PairedCases
        The cases as the tests take them: models that rank alike count as one.
    volume : VolumeDifferenceTest
    auc : AucDifferenceTest
    confidence_level : float
    volume_pvalue, auc_pvalue : float
        Adjusted for `comparisons` pairs (Holm).
    comparisons : int
        Number of pairs whose p-values were adjusted together.
    """

    first: int
    second: int
    paired: PairedCases
    volume: VolumeDifferenceTest
    auc: AucDifferenceTest
    confidence_level: float
    volume_pvalue: float
    auc_pvalue: float
    comparisons: int

    def to_dict(self) -> dict[str, Any]:
        """Return the pair as the schema has it."""
        level = self.confidence_level
        return {
            "a": self.first,
            "b": self.second,
            "volume": _difference(self.volume, level, self.volume_pvalue),
            "auc": _difference(self.auc, level, self.auc_pvalue),
            "comparisons": self.comparisons,
        }


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RuleByGroup(Result):
    """One rule judged by `judge_policy` in every group of some cases.

    Attributes
    ----------
    model : str
        Of the rule.
    lower, upper : float
        Its thresholds.
    groups : tuple of GroupJudgement
        Intervals hold for all groups together.
    overall : GroupJudgement
        All cases.
    hindsight : bool
        Whether these are the cases that chose the rule; on later ones the judgement is honest.
    """

    model: str
    lower: float
    upper: float
    groups: tuple[GroupJudgement, ...]
    overall: GroupJudgement
    hindsight: bool


def unrounded(column: FloatArray) -> FloatArray:
    """Return whole numbers where only rounding separates a column from them."""
    nearest = np.rint(column)
    return nearest if np.allclose(column, nearest, rtol=0, atol=1e-9) else column


# ---------------------------------------------------------------- from a comparison


def compared_parts(comparison: Comparison) -> tuple[tuple[ModelReport, ...], tuple[PairReport, ...]]:
    """Make the parts of the models of a comparison, and of every two judged on the same splits.

    P-values are adjusted as the table of `demur compare` does, for the pairs it shows; others for all pairs.
    """
    problem, models, names = comparison.problem, comparison.models, list(comparison.models)
    assert comparison.choice is not None
    intervals, independent = page_design(comparison) is None, comparison.choice.first.independent
    counts = [comparison.judged[name].counts for name in names]
    paired = 2 <= len(names) <= _MOST_PAIRED and comparison.areas is not None
    with workers(comparison.n) as pool, Progress(None, "drawing the page"):
        # what takes longest goes first, so that no thread waits for it at the end
        evidence = [
            pool.submit(
                _evidence,
                one,
                problem,
                weights=comparison.cases[name].weights,
                intervals=intervals,
                independent=independent,
            )
            for name, one in zip(names, counts, strict=True)
        ]
        wins = pool.submit(_wins, [model.surface.surface for model in models.values()])
        policies = [pool.submit(PolicyEvidence.from_counts, one) for one in counts]
        bands = [
            pool.submit(
                envelope_band_of,
                model.surface,
                np.linspace(0, 1, 101),
                level=problem.confidence_level,
                draws=_DRAWS,
                # streams of their own, so that neither threads nor other models matter
                rng=np.random.default_rng([problem.seed, index]),
                workers=1,
            )
            for index, model in enumerate(models.values() if intervals else ())
        ]
        begun = combinations(range(len(names) if paired else 0), 2)
        pairs = [one.result() for one in [pool.submit(_pair, comparison, *pair) for pair in begun]]
        drawn = tuple(
            ModelReport(
                name=name,
                surface=models[name].surface.surface,
                honest=models[name].surface,
                auc=models[name].auc,
                auc_interval=models[name].auc_interval,
                volume=models[name].volume,
                wins=wins.result()[k],
                bins=score_bins(counts[k]),
                evidence=evidence[k].result(),
                policy=policies[k].result(),
                cost_band=bands[k].result() if intervals else None,
            )
            for k, name in enumerate(names)
        )
    shown = {frozenset(pair) for pair in tested_pairs(models)} if paired else set()
    tested = [one for one in pairs if {names[one.first], names[one.second]} in shown]
    return drawn, _adjusted(pairs, tested)


def _adjusted(*families: list[PairReport]) -> tuple[PairReport, ...]:
    """Adjust the p-values of every family together; of a pair in several the last family counts."""
    found = {}
    for family in families:
        volumes, areas = (
            holm(np.array([getattr(pair, test).pvalue for pair in family])) for test in ("volume", "auc")
        )
        for pair, volume, auc in zip(family, volumes, areas, strict=True):
            found[pair.first, pair.second] = replace(
                pair, volume_pvalue=float(volume), auc_pvalue=float(auc), comparisons=len(family)
            )
    return tuple(found.values())


def lone_models(counts: Mapping[str, ScoreCounts], problem: DecisionProblem) -> tuple[ModelReport, ...]:
    """Make the parts of models that cannot be judged honestly: one class, or too few cases."""
    surfaces = [abstention_surface(one, prevalence=problem.rate) for one in counts.values()]
    return tuple(
        ModelReport(
            name=name,
            surface=surface,
            honest=None,
            auc=auc_score(one) if min(one.n_positive, one.n_negative) > 0 else None,
            auc_interval=None,
            volume=None,
            wins=share,
            bins=score_bins(one),
            evidence=_evidence(one, problem, weights="importance", intervals=True, independent=False),
            policy=PolicyEvidence.from_counts(one),
        )
        for (name, one), surface, share in zip(counts.items(), surfaces, _wins(surfaces), strict=True)
    )


def _wins(surfaces: list[AbstentionSurface]) -> list[float]:
    if len(surfaces) == 1:
        return [1.0]
    shares: list[float] = cheapest_shares([surface.masses for surface in surfaces], _UNIT, _UNIT).tolist()
    return shares


# ---------------------------------------------------------------- what no price moves


def _evidence(
    counts: ScoreCounts, problem: DecisionProblem, *, weights: str | None, intervals: bool, independent: bool
) -> dict[str, Any]:
    """Compute what the page draws beyond costs and ROC, as docs/report_json.md describes.

    Of curves as long as the data it keeps what a screen shows: their memory serves the next model. None
    stands for what the data do not allow: the Brier score and its parts, net benefit and risk are those of
    probabilities. `weights` is None where every case counts once. Without `intervals` there are none: neither
    clusters nor times enter them.
    """
    probabilities = counts.score_range[0] >= 0 and counts.score_range[1] <= 1
    both, level = min(counts.n_positive, counts.n_negative) > 0, problem.confidence_level
    benefit = risk = None
    if probabilities and both:
        curve = net_benefit_curve(counts, prevalence=problem.rate, weights=weights or "repeats")
        benefit = _drawn(threshold=_THRESHOLDS, value=np.asarray(curve.net_benefit(_THRESHOLDS)))
        low, high = map(np.asarray, curve.interval(_THRESHOLDS, confidence_level=level))
        benefit |= _drawn(low=low, high=high) if intervals else {"low": None, "high": None}
    if probabilities:
        # answers by the more probable class, most confident first
        answered, wrong = answers_by_confidence(counts)
        at = thinned(answered, _CHART_POINTS)
        risk = {
            **_drawn(coverage=answered[at] / answered[-1], risk=wrong[at] / answered[at]),
            "aurc": areas_under(answered, wrong)[0],
        }
    return {
        "average_precision": _unless_undefined(average_precision_of, counts, problem.rate),
        "calibration": _calibration(counts, resampled=independent) if probabilities else None,
        "net_benefit": benefit,
        "risk_coverage": risk,
    }


def _calibration(counts: ScoreCounts, *, resampled: bool) -> dict[str, Any]:
    """Return the parts of the Brier score and, of few independent cases, the band of a calibrated model."""
    brier, band, drawn = brier_parts(counts), None, None
    if resampled and len(counts.scores) <= _MOST_RESAMPLED:
        curve = reliability_curve(counts)
        band = _unless_undefined(curve.consistency_band, n_resamples=_CALIBRATED_DRAWS, rng=0)
    if band is not None:
        at = thinned(band.forecast, _CHART_POINTS)
        columns = _drawn(forecast=band.forecast[at], low=band.low[at], high=band.high[at])
        drawn = {"level": band.confidence_level, **columns}
    return {
        "brier": brier.score,
        "miscalibration": brier.miscalibration,
        "pvalue": None if band is None else band.pvalue,
        "band": drawn,
    }


def _unless_undefined(compute: Callable[..., Any], *given: Any, **options: Any) -> Any:
    """Return what `compute` gives; None where the data do not allow it."""
    try:
        return compute(*given, **options)
    except InputError:
        return None


def _drawn(**columns: FloatArray) -> dict[str, Any]:
    return {name: few_digits(column, 5) for name, column in columns.items()}


# ---------------------------------------------------------------- pairs


def _pair(comparison: Comparison, first: int, second: int) -> PairReport:
    names, tables = list(comparison.models), comparison.areas
    assert tables is not None
    cases, one, two = comparison.cases[names[0]], *(comparison.judged[names[k]] for k in (first, second))
    paired = judged_pair(cases, one, two)
    volume = volume_difference_of(paired)
    auc = paired_test(tables, first, second, PairedOptions(method="delong"))
    return PairReport(
        first=first,
        second=second,
        paired=paired,
        volume=volume,
        auc=auc,
        confidence_level=comparison.problem.confidence_level,
        volume_pvalue=volume.pvalue,
        auc_pvalue=auc.pvalue,
        comparisons=1,
    )
