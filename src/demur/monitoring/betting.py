r"""Confidence sequences, intervals that hold after every batch at once: of a share, and of a mean cost.

The mean cost per case comes from labels that arrive in any number, by betting.

Theorem (Waudby-Smith and Ramdas 2024, theorem 3, JRSS B 86, doi:10.1093/jrsssb/qkad009). Let
y_1, y_2, ... lie in [A, B] and have mean m given the past. For stakes that depend on the past only,
0 <= u_i <= 1 / (2 (m - A)) and 0 <= d_i <= 1 / (2 (B - m)), both

    K+(m) = prod_i (1 + u_i (y_i - m))      and      K-(m) = prod_i (1 - d_i (y_i - m))

are nonnegative martingales that start at 1. So {m : K+(m) < 2 / alpha and K-(m) < 2 / alpha} holds
the mean at all times with probability at least 1 - alpha, and K+(m0) >= 1 / alpha refutes "the mean
is at most m0" with error at most alpha, however often you look.

Labels of a random part. If a case is labelled with a known probability 1 / w, then y = w cost for
labelled cases and y = 0 for the others has the mean cost as its mean (Horvitz and Thompson 1952).

Clusters. If M cases at a time belong together, capitals grow by the M-th root of each factor. For a cluster
whose cases come together, prod_i (1 + u_i (y_i - m))^(1/M) is at most the mean of 1 + u_i (y_i - m) over its
cases (and of 1, where they are fewer than M), which has mean 1: the theorem holds again, however alike its
cases are. M is the size of the cluster of a case, on average, so that this is exact where sizes are equal.

Stakes here are equal within a chunk of cases, and chunks double, so that any number of cases takes
few steps: u = min(sqrt(2 log(2 / alpha) / (v t log(1 + t))), limit), v the variance of earlier
chunks. K+ falls and K- rises with m, also with the limits (u m rises and u falls with m), so the
set is an interval. It is kept on a grid and its ends are rounded outward.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from demur._results import Interval
from demur.typing import FloatArray

__all__ = ["CostSequence", "log_beta_mixture", "loss_range", "share_sequence"]

_FIRST_CHUNK = 8
_AT_ONCE = 4096
_GRID = np.concatenate([[0.0], np.geomspace(1e-5, 0.1, 120), np.linspace(0.1, 1.0, 91)[1:]])
# digits of the logarithms in a state file; they are rounded down
_DIGITS = 4
_STEPS = 200


def loss_range(losses: FloatArray) -> tuple[float, float]:
    """Return the range of losses; of equal losses a range of width 1."""
    low, high = float(losses.min()), float(losses.max())
    return low, high if high > low else low + 1.0


@dataclass(frozen=True, kw_only=True, eq=False)
class CostSequence:
    """Capitals against every mean cost on a grid, after n cases.

    Attributes
    ----------
    low, high : float
        Smallest and largest cost of a case, the ends of the grid; for amounts as far as known at the start.
    largest : float
        Largest cost so far that a case could have had, where amounts differ by case.
    alpha : float
        Error level.
    cluster_size : float
        Number of cases that belong together and count as one.
    promise : float or None
        The mean that must not be exceeded.
    n, mean, spread : float
        Cases, their mean, and the sum of squared distances from it.
    rising, falling : array
        log K+ and log K- on the grid.
    broken : float
        log K+ at the promise.
    most_broken : float
        Its largest value so far.
    """

    low: float
    high: float
    alpha: float
    cluster_size: float = 1.0
    promise: float | None = None
    largest: float = -math.inf
    n: int = 0
    mean: float = 0.0
    spread: float = 0.0
    rising: FloatArray = field(default_factory=lambda: np.zeros(len(_GRID)))
    falling: FloatArray = field(default_factory=lambda: np.zeros(len(_GRID)))
    broken: float = 0.0
    most_broken: float = 0.0

    @property
    def grid(self) -> FloatArray:
        """Mean costs on the grid."""
        return self.low + (self.high - self.low) * _GRID

    def updated(self, values: FloatArray, *, largest_weight: float = 1.0, largest: float = -math.inf) -> Self:
        """Bet on further cases; `values` in a random order, labelled with probability >= 1 / weight.

        `largest` is the largest cost that one of them could have had, where that differs by batch.
        """
        bottom = min(self.low, self.low * largest_weight, 0.0 if largest_weight > 1 else self.low)
        highest = max(self.high, largest)
        top = max(highest, highest * largest_weight, 0.0 if largest_weight > 1 else highest)
        after, start = replace(self, largest=max(self.largest, largest)), 0
        while start < len(values):
            stop = min(len(values), start + max(_FIRST_CHUNK, after.n))
            after = after._with_chunk(values[start:stop], bottom, top)
            start = stop
        return after

    def _with_chunk(self, values: FloatArray, bottom: float, top: float) -> Self:
        n = self.n + len(values)
        variance = (((top - bottom) / 2) ** 2 + self.spread) / (self.n + 1)
        units = n / self.cluster_size
        stake = math.sqrt(2 * math.log(2 / self.alpha) / (variance * units * math.log1p(units)))
        means = self.grid if self.promise is None else np.append(self.grid, self.promise)
        with np.errstate(divide="ignore"):
            up = np.minimum(stake, 0.5 / np.maximum(means - bottom, 0.0))
            down = np.minimum(stake, 0.5 / np.maximum(top - means, 0.0))
        # a case costs one of few amounts
        amounts, repeats = np.unique(values, return_counts=True)
        rising, falling = np.zeros(len(means)), np.zeros(len(means))
        for first in range(0, len(amounts), _AT_ONCE):
            part = slice(first, first + _AT_ONCE)
            gap = amounts[part, None] - means
            rising += repeats[part] @ np.log1p(up * gap) / self.cluster_size
            falling += repeats[part] @ np.log1p(-down * gap) / self.cluster_size
        chunk_mean = float(values.mean())
        step = chunk_mean - self.mean
        spread = float(((values - chunk_mean) ** 2).sum()) + step**2 * self.n * len(values) / n
        size = len(self.rising)
        broken = self.broken + (float(rising[-1]) if self.promise is not None else 0.0)
        return replace(
            self,
            n=n,
            mean=self.mean + step * len(values) / n,
            spread=self.spread + spread,
            rising=self.rising + rising[:size],
            falling=self.falling + falling[:size],
            broken=broken,
            most_broken=max(self.most_broken, broken),
        )

    @property
    def interval(self) -> Interval:
        """Limits of the mean cost that hold at all times."""
        refused = math.log(2 / self.alpha)
        grid = self.grid
        too_low = np.flatnonzero(self.rising >= refused)
        too_high = np.flatnonzero(self.falling >= refused)
        low = grid[too_low[-1]] if len(too_low) else self.low
        high = grid[too_high[0]] if len(too_high) else max(self.high, self.largest)
        return Interval(float(low), float(high))

    @property
    def log_evidence(self) -> float:
        """Log of half the largest capital against the promise; 0 without one.

        The promise is the upper end of an interval of 95 %, so the mean exceeds it by chance in 2.5 % of all
        policies. Half of alpha = 0.05 is left for the bets.
        """
        return 0.0 if self.promise is None else self.most_broken - math.log(2)

    def to_state(self) -> dict[str, Any]:
        """Return what a state file keeps."""
        scale = 10**_DIGITS
        return {
            "high": self.high,
            "largest": None if math.isinf(self.largest) else self.largest,
            "n": self.n,
            "mean": self.mean,
            "spread": self.spread,
            "rising": (np.floor(self.rising * scale) / scale).tolist(),
            "falling": (np.floor(self.falling * scale) / scale).tolist(),
            "broken": self.broken,
            "most_broken": self.most_broken,
        }

    def with_state(self, state: dict[str, Any]) -> Self:
        """Return the sequence as a state file kept it."""
        rising, falling = (np.array(state[name], dtype=np.float64) for name in ("rising", "falling"))
        if any(array.shape != _GRID.shape or np.isnan(array).any() for array in (rising, falling)):
            raise ValueError("capitals of another grid")
        largest = state.get("largest")
        return replace(
            self,
            largest=-math.inf if largest is None else float(largest),
            n=int(state["n"]),
            mean=float(state["mean"]),
            spread=float(state["spread"]),
            rising=rising,
            falling=falling,
            broken=float(state["broken"]),
            most_broken=float(state["most_broken"]),
        )


# ---------------------------------------------------------------- shares


def log_beta_mixture(count: Any, n: Any, *, expected: Any) -> Any:
    """Return log B(a + k, b + n - k) / B(a, b) with a : b = `expected`, each at least 0.05."""
    from scipy.special import betaln

    a, b = np.maximum(expected, 0.05), np.maximum(1 - expected, 0.05)
    return betaln(a + count, b + n - count) - betaln(a, b)


def share_sequence(count: float, n: float, *, alpha: float, expected: float = 0.5) -> Interval:
    """Limits of a probability after `count` of n cases that hold at all times, with 1 - alpha.

    With a Beta(a, b) mixture over probabilities, a : b = `expected`, the ratio of its likelihood
    to that of p,

        B(a + k, b + n - k) / B(a, b) / (p^k (1 - p)^(n - k)),

    is a nonnegative martingale under p that starts at 1, so by Ville's inequality it reaches
    1 / alpha at any time with probability at most alpha. The limits hold the p for which it has
    not (Robbins 1970, Annals of Mathematical Statistics 41, doi:10.1214/aoms/1177696786).
    """
    if n == 0:
        return Interval(0.0, 1.0)
    allowed = float(log_beta_mixture(count, n, expected=expected)) + math.log(alpha)

    def refused(p: float) -> bool:
        hits = count * math.log(p) if p > 0 else (0.0 if count == 0 else -math.inf)
        misses = (n - count) * math.log1p(-p) if p < 1 else (0.0 if count == n else -math.inf)
        return hits + misses < allowed

    share = float(count / n)
    return Interval(_edge(share, 0.0, refused), _edge(share, 1.0, refused))


def _edge(inside: float, end: float, refused: Callable[[float], bool]) -> float:
    """Return where `refused` begins between a point that is not refused and an end; rounded outward."""
    if not refused(end):
        return end
    outside = end
    for _ in range(_STEPS):
        middle = (inside + outside) / 2
        if middle in (inside, outside):
            break
        inside, outside = (inside, middle) if refused(middle) else (middle, outside)
    return outside
