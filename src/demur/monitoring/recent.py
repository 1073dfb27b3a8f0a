"""The last batches alone: for weeks that differ among themselves, such as seasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from demur._checks import input_error
from demur._kernels.binomial import binomial_interval
from demur._results import Interval, Result
from demur.exceptions import UndefinedError
from demur.monitoring.drift import log_ratio
from demur.monitoring.reference import ReferenceCells
from demur.monitoring.state import BatchRow
from demur.surface.window import ABSTAIN

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
    negative, positive, abstained : float
        Shares of the decisions, with their intervals; these hold for all windows together.
    expected : tuple of float
        The same shares by the evidence of the policy, in the same order.
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
    negative: float
    negative_interval: Interval
    positive: float
    positive_interval: Interval
    abstained: float
    abstained_interval: Interval
    expected: tuple[float, float, float]
    e_value: float
    limit: float
    differs: bool


def recent_batches(
    rows: Sequence[BatchRow], cells: ReferenceCells, *, batches: int, alpha: float
) -> RecentBatches:
    """Compare the last batches with the reference, spending alpha over the windows.

    Window t, that of the look after batch t, gets alpha_t = alpha / (t (t + 1)); these add up to
    alpha, so the limits (Clopper and Pearson, shared by three decisions) and the alarm E >= 1 /
    alpha_t hold for all windows together, whatever the batches before were like. E is E_j of
    ``demur.monitoring.drift`` for the decisions, with nothing known but the reference.
    """
    if isinstance(batches, bool) or not isinstance(batches, int) or batches < 1:
        raise input_error("batches", "must be a whole number of at least 1", batches)
    if not rows:
        raise UndefinedError("The last batches need a batch. Hint: call update first.")
    last = rows[-1].last
    # older batches are kept in pairs: the window begins where one does
    chosen = [row for row in rows if row.last > last - batches]
    counts = np.array([[row.negative, row.positive, row.abstained] for row in chosen]).sum(axis=0)
    n = counts.sum()
    spent = alpha / (last * (last + 1))
    low, high = binomial_interval(counts, float(n), 1 - spent / 3)
    limits = [Interval(float(a), float(b)) for a, b in zip(low, high, strict=True)]
    expected = cells.outcomes(cells.shares())
    everywhere = cells.outcomes(np.ones(cells.size))
    # in the order of the scores, as in the test of all batches
    possible = [code for code in (0, ABSTAIN, 1) if everywhere[code] > 0]
    known = np.array(expected) * cells.size_at() + 0.5
    e_value = float(np.exp(min(float(log_ratio(counts[possible], known[possible])), 700.0)))
    return RecentBatches(
        first=chosen[0].first,
        last=last,
        n=int(n),
        negative=float(counts[0] / n),
        negative_interval=limits[0],
        positive=float(counts[1] / n),
        positive_interval=limits[1],
        abstained=float(counts[ABSTAIN] / n),
        abstained_interval=limits[ABSTAIN],
        expected=expected,
        e_value=e_value,
        limit=1 / spent,
        differs=e_value >= 1 / spent,
    )
