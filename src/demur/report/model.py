"""What a report holds: the results of each model and of each pair, and how they are written down."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._results import Interval, Result, json_safe
from demur.auc.difference import AucDifferenceTest
from demur.auc.one import AucInterval
from demur.honest.bands import VolumeInterval
from demur.honest.certificates import SurfaceCertificate
from demur.honest.cross_fitting import CrossFittedSurface
from demur.honest.curve_bands import CostCurveBand
from demur.honest.difference import SurfaceDifferenceBand, VolumeDifferenceTest
from demur.surface.surface import AbstentionSurface
from demur.typing import FloatArray
from demur.windows.policy import PolicyEvidence

__all__ = ["DataSource", "ModelReport", "PairReport", "RocPoints", "ScoreBins"]

_LETTERS = np.array(["a", "u", "b"])


def _whole(column: FloatArray) -> list[Any]:
    """List counts, without a decimal point where all of them are whole."""
    is_whole = np.all(column == np.floor(column)) and np.all(np.abs(column) < 2.0**53)
    return list((column.astype(np.int64) if is_whole else column).tolist())


def _difference(value: float, interval: Interval, pvalue: float) -> dict[str, float]:
    return {"difference": value, "low": interval.low, "high": interval.high, "pvalue": pvalue}


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class DataSource(Result):
    """Where the cases came from.

    Attributes
    ----------
    name : str
        File or table.
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
    label: str | None = None
    positive: str = "positive"
    negative: str = "negative"
    weight: str | None = None
    rows: int | None = None
    exact: bool = True
    certified: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class ScoreBins(Result):
    """Cases of each class by score; element b of the counts lies between edges b and b + 1."""

    edges: FloatArray
    positives: FloatArray
    negatives: FloatArray


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
        Costs of windows judged on cases that did not choose them.
    certificate : SurfaceCertificate or None
        Bounds that hold for every sample size.
    auc : float or None
    auc_interval : AucInterval or None
    volume : VolumeInterval or None
        Of the volume under the surface over the unit square of costs.
    wins : float
        Share of the unit square of costs at which this model is cheaper than every other one.
    cost_band : CostCurveBand or None
    bins : ScoreBins
    roc : RocPoints
    """

    name: str
    surface: AbstentionSurface
    honest: CrossFittedSurface | None
    certificate: SurfaceCertificate | None
    auc: float | None
    auc_interval: AucInterval | None
    volume: VolumeInterval | None
    wins: float
    cost_band: CostCurveBand | None
    bins: ScoreBins
    roc: RocPoints

    def to_dict(self) -> dict[str, Any]:
        """Return the model as the schema has it."""
        cuts, evidence = self.surface.masses.blocks, PolicyEvidence.from_counts(self.surface.counts)
        blocks = evidence.blocks
        return {
            "name": self.name,
            "digest": evidence.digest,
            "blocks": {
                "positives": _whole(blocks.positives),
                "negatives": _whole(blocks.negatives),
                **json_safe({"lower": blocks.lower, "upper": blocks.upper, "groups": blocks.groups}),
            },
            "cuts": json_safe({"lower": cuts.lower_cut, "upper": cuts.upper_cut}),
            "bins": {
                "edges": json_safe(self.bins.edges),
                "positives": _whole(self.bins.positives),
                "negatives": _whole(self.bins.negatives),
            },
            "roc": self.roc.to_dict(),
            "folds": self._folds(),
            "auc": self._auc(),
            "volume": self._volume(),
            "wins": self.wins,
            "cost_band": self._cost_band(),
        }

    def _folds(self) -> list[dict[str, Any]]:
        if self.honest is None:
            return []
        found = []
        for table in self.honest._honest.tables:
            blocks = table.rule.surface.counts.blocks()
            found.append(
                {
                    "positives": _whole(blocks.positives),
                    "negatives": _whole(blocks.negatives),
                    "held_positives": _whole(table.positives),
                    "held_negatives": _whole(table.negatives),
                }
            )
        return found

    def _auc(self) -> dict[str, Any] | None:
        if self.auc is None or self.auc_interval is None:
            return None
        low, high = self.auc_interval
        method = self.auc_interval.method
        shown = method if method == "newcombe" else f"{method}, delong"
        return {"value": self.auc, "low": low, "high": high, "method": shown}

    def _volume(self) -> dict[str, Any]:
        if self.volume is None:
            return {"hindsight": self.surface.volume(), "honest": None, "low": None, "high": None}
        found = self.volume
        return {"hindsight": found.hindsight, "honest": found.honest, "low": found.low, "high": found.high}

    def _cost_band(self) -> dict[str, Any] | None:
        if self.cost_band is None:
            return None
        band = self.cost_band
        return {"x": band.pc.tolist(), "low": band.low.tolist(), "high": band.high.tolist()}


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class PairReport(Result):
    """Two models on the same cases; differences are first minus second, negative: the first is cheaper.

    Attributes
    ----------
    first, second : int
        Places of the models in the report.
    band : SurfaceDifferenceBand
        Where one is cheaper beyond doubt.
    volume : VolumeDifferenceTest
    auc : AucDifferenceTest
    words : tuple of str
        Ranges of costs in words.
    confidence_level : float
    """

    first: int
    second: int
    band: SurfaceDifferenceBand
    volume: VolumeDifferenceTest
    auc: AucDifferenceTest
    words: tuple[str, ...]
    confidence_level: float

    def to_dict(self) -> dict[str, Any]:
        """Return the pair as the schema has it: a letter per grid point, rows by nu, columns by mu."""
        level, band = self.confidence_level, self.band
        return {
            "a": self.first,
            "b": self.second,
            "grid": len(band.mu) - 1,
            "mask": "".join(_LETTERS[band.decision.T + 1].ravel().tolist()),
            "shares": {
                "a": band.a_better_share,
                "b": band.b_better_share,
                "undecided": band.undecided_share,
            },
            "words": list(self.words),
            "volume": _difference(self.volume.difference, self.volume.interval(level), self.volume.pvalue),
            "auc": _difference(self.auc.difference, self.auc.interval(level), self.auc.pvalue),
        }
