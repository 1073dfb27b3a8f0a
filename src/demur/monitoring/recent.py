"""The last batches alone: for weeks that differ among themselves, such as seasons."""

from __future__ import annotations

from dataclasses import dataclass

from demur._results import Interval, Result

__all__ = ["RecentBatches"]


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
