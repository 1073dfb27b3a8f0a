"""The last batches alone: for weeks that differ among themselves, such as seasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from demur._checks import check_positive_int
from demur._kernels.proportions import binomial_interval
from demur._results import Interval, Result
from demur.exceptions import UndefinedError
from demur.monitoring.actions import ActionRanges
from demur.monitoring.reference import ReferenceCells
from demur.monitoring.state import BatchRow

__all__ = ["RecentBatches", "recent_batches"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class RecentBatches(Result):
    """The decisions of the last batches against what the policy expects; made by `PolicyMonitor.recent`.

    Attributes
    ----------
    first, last : int
        Numbers of the batches.
    n : int
        Cases in them.
    shares : tuple of float
        Shares of the decisions: the classes in order, abstained on last.
    intervals : tuple of Interval
        Their limits; these hold for all windows together.
    negative, positive : float or None
        The same for two classes, with `negative_interval` and `positive_interval`; None for more.
    abstained : float
        The last of the shares, with `abstained_interval`.
    expected : tuple of float or None
        The same shares by the evidence of the policy, in the same order; None where it states none.
    e_value : float
        Evidence that the shares have changed, from these cases and the reference alone.
    limit : float
        They certainly have if `e_value` reaches this.
    differs : bool
        Whether it does.
    """

    first: int
    last: int
    n: int
    shares: tuple[float, ...]
    intervals: tuple[Interval, ...]
    expected: tuple[float | None, ...]
    e_value: float
    limit: float
    differs: bool
    _reported = (
        "negative",
        "negative_interval",
        "positive",
        "positive_interval",
        "abstained",
        "abstained_interval",
    )

    @property
    def negative(self) -> float | None:
        """Share called negative; None for more than two classes."""
        return self.shares[0] if len(self.shares) == 3 else None

    @property
    def negative_interval(self) -> Interval | None:
        """Limits of `negative`."""
        return self.intervals[0] if len(self.shares) == 3 else None

    @property
    def positive(self) -> float | None:
        """Share called positive; None for more than two classes."""
        return self.shares[1] if len(self.shares) == 3 else None

    @property
    def positive_interval(self) -> Interval | None:
        """Limits of `positive`."""
        return self.intervals[1] if len(self.shares) == 3 else None

    @property
    def abstained(self) -> float:
        """Share abstained on."""
        return self.shares[-1]

    @property
    def abstained_interval(self) -> Interval:
        """Limits of `abstained`."""
        return self.intervals[-1]


def recent_batches(
    rows: Sequence[BatchRow], reference: ReferenceCells | ActionRanges, *, batches: int, alpha: float
) -> RecentBatches:
    """Compare the last batches with the reference, spending alpha over the windows.

    Window t, that of the look after batch t, gets alpha_t = alpha / (t (t + 1)); these add up to
    alpha, so the limits (Clopper and Pearson, shared by the decisions) and the alarm E >= 1 /
    alpha_t hold for all windows together, whatever the batches before were like. E is E_j of
    ``demur.monitoring.drift`` for the decisions, with nothing known but the reference.
    """
    batches = check_positive_int(batches, "batches")
    if not rows:
        raise UndefinedError("The last batches need a batch. Hint: call update first.")
    last = rows[-1].last
    # older batches are kept in pairs: the window begins where one does
    chosen = [row for row in rows if row.last > last - batches]
    counts = np.array([row.counts for row in chosen]).sum(axis=0)
    n = counts.sum()
    spent = alpha / (last * (last + 1))
    low, high = binomial_interval(counts, float(n), 1 - spent / len(counts))
    e_value = float(np.exp(min(reference.outcome_log_ratio(counts), 700.0)))
    return RecentBatches(
        first=chosen[0].first,
        last=last,
        n=int(n),
        shares=tuple((counts / n).tolist()),
        intervals=tuple(Interval(float(a), float(b)) for a, b in zip(low, high, strict=True)),
        expected=reference.expected,
        e_value=e_value,
        limit=1 / spent,
        differs=e_value >= 1 / spent,
    )
