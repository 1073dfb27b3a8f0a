"""The theorems of Vanderlooy, Sprinkhuizen-Kuyper and Smirnov (2006), on random hulls.

Of each hull a random stretch is left out: what a classifier that abstains there leaves behind.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur.counts.scores import ScoreCounts
from demur.roc.curve import ReliableRoc, at_position, cut_out, roc_curve
from demur.roc.isometrics import FMeasure, GmEstimate, Precision, Target
from demur_studies._study import Cell

__all__ = ["random_counts", "theorem_cells"]


@dataclass(frozen=True)
class _Cut:
    """A random hull with the stretch from a to b left out."""

    curve: ReliableRoc
    a: tuple[float, float]
    b: tuple[float, float]
    skew: float

    @property
    def new_skew(self) -> float:
        return self.skew * (1 - self.curve.unr) / (1 - self.curve.upr)

    def gains(self, target: Target, after: Target | None = None) -> tuple[float, float]:
        """New minus old performance, positive and negative class."""
        new = after or target
        at = {"positive": self.a, "negative": self.b}
        differences = [
            float(new.at(*self.curve.point, side=side, skew=self.new_skew))
            - float(target.at(*at[side], side=side, skew=self.skew))
            for side in ("positive", "negative")
        ]
        return differences[0], differences[1]


def random_counts(rng: np.random.Generator) -> ScoreCounts:
    """Counts of 4 to 11 scores, with more positives among the higher ones."""
    size = int(rng.integers(4, 12))
    rise = np.linspace(0.1, 0.9, size)
    positives = rng.poisson(20 * rise) + (np.arange(size) == size - 1)
    negatives = rng.poisson(20 * rise[::-1]) + (np.arange(size) == 0)
    return ScoreCounts.from_counts(np.arange(size), positives, negatives)


def _random_cut(rng: np.random.Generator) -> _Cut:
    """Both classes abstain a little and keep both kinds of decisions, as the theorems ask."""
    while True:
        hull = roc_curve(random_counts(rng)).convex_hull()
        start, stop = sorted(rng.uniform(0, len(hull.fpr) - 1, 2))
        a, b = ((at_position(hull.fpr, at), at_position(hull.tpr, at)) for at in (start, stop))
        inside = a[0] > 0 and a[1] > 0 and b[0] < 1 and b[1] < 1
        if inside and b[0] - a[0] > 1e-6 and b[1] - a[1] > 1e-6:
            skew = float(rng.choice([0.3, 1.0, 2.0]))
            return _Cut(cut_out(hull.fpr, hull.tpr, start, stop), a, b, skew)


def theorem_cells(claims: Mapping[str, Any], rng: np.random.Generator, trials: int) -> Iterator[Cell]:
    """Judge theorems 2 to 8, corollary 1 and section 8.3, in the words of `claims`."""
    cuts = [_random_cut(rng) for _ in range(trials)]
    judges: dict[str, Callable[[_Cut], bool]] = {
        "Theorem 2": _one_point,
        "Theorem 3": _is_convex,
        "Theorem 4": _keeps_precision,
        "Theorem 5": _accuracy_between,
        "Theorem 6": lambda cut: min(cut.gains(FMeasure(0.5))) > 0,
        "Theorem 7": lambda cut: cut.curve.upr > cut.curve.unr or min(_m_gains(cut, 0)) > -1e-12,
        "Theorem 8": lambda cut: cut.curve.upr < cut.curve.unr or min(_m_gains(cut, 1)) > -1e-12,
    }
    for where, judge in judges.items():
        failures = sum(not judge(cut) for cut in cuts)
        yield Cell.claim(
            where,
            claim=claims[where],
            holds=failures == 0,
            computed=f"{failures} exceptions in {trials} random cuts",
            checked="fixed m and fixed share of a priori cases"
            if where in ("Theorem 7", "Theorem 8")
            else "",
        )
    yield from _equal_abstention(claims, cuts)


def _held(cut: _Cut, m: float) -> GmEstimate:
    """The m-estimate after the cut when the number m, not its share, stays."""
    kept = (1 - cut.curve.upr) + cut.skew * (1 - cut.curve.unr)
    return GmEstimate(0.5, m * (1 + cut.skew) / kept)


def _m_gains(cut: _Cut, side: int) -> tuple[float, float]:
    """Gain of one class for fixed m and for a fixed share."""
    return cut.gains(GmEstimate(0.5, 0.1), _held(cut, 0.1))[side], cut.gains(GmEstimate(0.5, 0.1))[side]


def _one_point(cut: _Cut) -> bool:
    upr, unr = cut.curve.upr, cut.curve.unr
    from_a = (cut.a[0] / (1 - unr), cut.a[1] / (1 - upr))
    from_b = (1 - (1 - cut.b[0]) / (1 - unr), 1 - (1 - cut.b[1]) / (1 - upr))
    ends = [cut.curve.fpr[0], cut.curve.tpr[0], 1 - cut.curve.fpr[-1], 1 - cut.curve.tpr[-1]]
    return bool(np.allclose(from_a, from_b, atol=1e-12) and np.allclose(ends, 0, atol=1e-12))


def _is_convex(cut: _Cut) -> bool:
    """Turn right, or go straight on, at every vertex."""
    x, y = np.diff(cut.curve.fpr), np.diff(cut.curve.tpr)
    return bool(np.all(x[1:] * y[:-1] - x[:-1] * y[1:] >= -1e-12))


def _keeps_precision(cut: _Cut) -> bool:
    return bool(np.allclose(cut.gains(Precision(0.5)), 0, atol=1e-12))


def _accuracy_between(cut: _Cut) -> bool:
    fpr, tpr = cut.curve.point
    c = cut.new_skew
    accuracy = (tpr + c * (1 - fpr)) / (1 + c)
    low, high = sorted(
        float(Precision(0.5).at(fpr, tpr, side=side, skew=c)) for side in ("positive", "negative")
    )
    return low - 1e-12 <= accuracy <= high + 1e-12


def _equal_abstention(claims: Mapping[str, Any], cuts: list[_Cut]) -> Iterator[Cell]:
    """One design with upr = unr, by hand: 10 cases per class, blocks (1, 5), (4, 4), (5, 1)."""
    counts = ScoreCounts.from_counts([1, 2, 3], [1, 4, 5], [5, 4, 1])
    hull = roc_curve(counts).convex_hull()
    cut = _Cut(cut_out(hull.fpr, hull.tpr, 1, 2), (0.1, 0.5), (0.5, 0.9), 1.0)
    fixed, share = cut.gains(GmEstimate(0.5, 0.2), _held(cut, 0.2)), cut.gains(GmEstimate(0.5, 0.2))
    yield Cell.claim(
        "Corollary 1",
        claim=claims["Corollary 1"],
        holds=min(*fixed, *share) > -1e-12,
        computed=f"smallest gain {min(fixed):.1e} with fixed m, {min(share):.4f} with a fixed share",
    )
    both = sum(min(each.gains(GmEstimate(0.5, 0.1))) > 1e-9 for each in cuts)
    yield Cell.claim(
        "Section 8.3",
        claim=claims["Section 8.3"],
        holds=max(np.abs(fixed)) > 1e-9,
        computed=f"upr = unr changes neither by more than {max(np.abs(fixed)):.0e}; with a fixed share both "
        f"gain in {both} of {len(cuts)} cuts, all with upr different from unr",
        known="erratum: with fixed m, upr = unr leaves both exactly as they were; with a fixed share both "
        "increase for many upr, unr (eq. 26 and its mirror image)",
    )
