"""What a report holds: the results of each model and of each pair, and how they are written down."""

from __future__ import annotations

import string
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._kernels.thresholds import shortest_cuts
from demur._results import Interval, Result, json_safe
from demur.auc.difference import AucDifferenceTest
from demur.comparison.remarks import classes_in_words
from demur.honest.bands import VolumeInterval
from demur.honest.cross_fitting import CrossFittedSurface
from demur.honest.curve_bands import CostCurveBand
from demur.honest.multiplier import slot_offsets
from demur.honest.pairs import JudgedPair, PairedCases
from demur.honest.volume_difference import VolumeDifferenceTest
from demur.report.digits import few_digits
from demur.report.evidence import ModelEvidence
from demur.surface.surface import AbstentionSurface
from demur.typing import FloatArray, IntArray
from demur.windows.policy_evidence import PolicyEvidence

__all__ = [
    "DataSource",
    "ModelReport",
    "PairReport",
    "RocPoints",
    "ScoreBins",
    "unrounded",
    "whole_counts",
]

# one character for a number
_DIGITS = string.digits + string.ascii_uppercase + string.ascii_lowercase


def whole_counts(column: FloatArray) -> list[Any]:
    """List counts, without a decimal point where all of them are whole."""
    is_whole = np.all(column == np.floor(column)) and np.all(np.abs(column) < 2.0**53)
    return list((column.astype(np.int64) if is_whole else column).tolist())


def _difference(test: Any, level: float, adjusted: float) -> dict[str, float]:
    low, high = test.interval(level)
    found = {"difference": test.difference, "low": low, "high": high, "pvalue": test.pvalue}
    return {**found, "adjusted_pvalue": adjusted}


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class DataSource(Result):
    """Where the cases came from.

    Attributes
    ----------
    name : str
        File or table.
    group, part : str or None
        Column by which the cases were divided, and its value for these.
    label, weight : str or None
        Columns of the true class and of the case weights.
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


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class ScoreBins(Result):
    """Cases of each class by score; element b of the counts lies between edges b and b + 1.

    Bins have equal width on the scores or, where `log_odds`, on their log-odds.
    """

    edges: FloatArray
    positives: FloatArray
    negatives: FloatArray
    log_odds: bool = False


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RocPoints(Result):
    """Some points of a ROC curve, enough to draw it."""

    fpr: FloatArray
    tpr: FloatArray
    thresholds: FloatArray


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
    cost_band : CostCurveBand or None
    bins : ScoreBins
    roc : RocPoints
    evidence : ModelEvidence
        Calibration, net benefit, risk against coverage, promised precision.
    policy : PolicyEvidence
        What a policy of this model holds of the data: blocks and a fingerprint.
    """

    name: str
    surface: AbstentionSurface
    honest: CrossFittedSurface | None
    auc: float | None
    auc_interval: Interval | None
    volume: VolumeInterval | None
    wins: float
    cost_band: CostCurveBand | None
    bins: ScoreBins
    roc: RocPoints
    evidence: ModelEvidence
    policy: PolicyEvidence

    def to_dict(self, *, folds: bool = True) -> dict[str, Any]:
        """Return the model as the schema has it, with or without the tables of the folds."""
        blocks = self.policy.blocks
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
                "edges": json_safe(self.bins.edges),
                "positives": whole_counts(self.bins.positives),
                "negatives": whole_counts(self.bins.negatives),
                "log_odds": self.bins.log_odds,
            },
            "roc": {name: few_digits(getattr(self.roc, name)) for name in ("fpr", "tpr", "thresholds")},
            "folds": self._folds() if folds else [],
            "auc": self._auc(),
            "volume": self._volume(),
            "wins": self.wins,
            "cost_band": self._cost_band(),
            "evidence": self.evidence.to_dict(),
        }

    def _folds(self) -> list[dict[str, Any]]:
        """Tables of all splits, one after the other; held-out cases are whole in every split."""
        if self.honest is None:
            return []
        repeats = self.honest.repeats
        return [
            {
                "positives": whole_counts(table.rule.blocks.positives),
                "negatives": whole_counts(table.rule.blocks.negatives),
                "held_positives": whole_counts(unrounded(table.positives * repeats)),
                "held_negatives": whole_counts(unrounded(table.negatives * repeats)),
            }
            for table in self.honest.judged.tables
        ]

    def _auc(self) -> dict[str, Any] | None:
        if self.auc is None or self.auc_interval is None:
            return None
        low, high = self.auc_interval
        return {"value": self.auc, "low": low, "high": high}

    def _volume(self) -> dict[str, Any]:
        if self.volume is None:
            return {"hindsight": self.surface.volume(), "honest": None, "low": None, "high": None}
        names = ("hindsight", "honest", "low", "high")
        return {name: getattr(self.volume, name) for name in names}

    def _cost_band(self) -> dict[str, Any] | None:
        if self.cost_band is None:
            return None
        band = self.cost_band
        return {"x": few_digits(band.pc), "low": few_digits(band.low), "high": few_digits(band.high)}


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class PairReport(Result):
    """Two models on the same cases; differences are first minus second, negative: the first is cheaper.

    Attributes
    ----------
    first, second : int
        Places of the models in the report.
    paired : PairedCases
        The cases as the tests take them: models that rank alike count as one.
    joint : JudgedPair
        Joint table of the held-out cases as each model was judged: the paired difference at any costs.
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
    joint: JudgedPair
    volume: VolumeDifferenceTest
    auc: AucDifferenceTest
    confidence_level: float
    volume_pvalue: float
    auc_pvalue: float
    comparisons: int

    @property
    def groups(self) -> int:
        """Number of groups of cases in the joint tables."""
        return len(self.joint.sizes) + len(self.paired.hindsight.sizes)

    def to_dict(self, *, joint: bool = True) -> dict[str, Any]:
        """Return the pair as the schema has it, with or without the joint tables."""
        level, paired = self.confidence_level, self.paired
        return {
            "a": self.first,
            "b": self.second,
            "joint": _joint(self.joint, paired.repeats) if joint else None,
            "joint_hindsight": _joint(paired.hindsight, 1) if joint else None,
            "volume": _difference(self.volume, level, self.volume_pvalue),
            "auc": _difference(self.auc, level, self.auc_pvalue),
            "comparisons": self.comparisons,
        }


def _joint(pair: JudgedPair, repeats: int) -> dict[str, Any]:
    """Groups of cases by slot of either model: slots count positions, class by class, table by table.

    Small numbers make a small page: slots of the first model as steps from group to group, those of
    the second as positions in its table.
    """
    starts = [np.concatenate(slot_offsets(one)) for one in (pair.first, pair.second)]
    segment = np.searchsorted(starts[0], pair.first_slot, side="right") - 1
    return {
        "first": _digits(np.diff(pair.first_slot, prepend=0)),
        "second": _digits(pair.second_slot - starts[1][segment]),
        "cases": _digits(unrounded(pair.sizes * repeats)),
    }


def _digits(column: FloatArray | IntArray) -> str | list[Any]:
    """Write whole numbers below 62 as one digit each; a list where one of them is larger or broken."""
    codes = column.astype(np.int64)
    if np.any(codes != column) or np.any((codes < 0) | (codes >= len(_DIGITS))):
        return whole_counts(column.astype(np.float64))
    return np.frombuffer(_DIGITS.encode(), dtype=np.uint8)[codes].tobytes().decode()


def unrounded(column: FloatArray) -> FloatArray:
    """Return whole numbers where only rounding separates a column from them."""
    nearest = np.rint(column)
    return nearest if np.allclose(column, nearest, rtol=0, atol=1e-9) else column
