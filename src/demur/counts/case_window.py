"""`CaseWindow`: two thresholds on the scores of cases that each have their own costs."""

from __future__ import annotations

from dataclasses import dataclass

from demur._results import Result

__all__ = ["NEVER_PAYS", "CaseWindow"]

NEVER_PAYS = "Abstaining never pays on these cases: no window with reviews costs less than one threshold."


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class CaseWindow(Result):
    """A window and what it costs per case; smaller is better.

    Predict positive if ``score >= upper``, negative if ``score <= lower``, else send the case to a
    person (`decide` applies the rule). `ScoreCosts.window` gives the cheapest window of the data:
    of several the one with the fewest reviews, then the one that calls more cases positive. As it
    was chosen on these data, its cost there is a little lower than its cost in use.

    Attributes
    ----------
    lower, upper : float
        Thresholds; -inf and inf where a side is never used.
    cost : float
        Mean cost per case, in the unit of the amounts: `miss` plus `alarm` plus `review`.
    miss, alarm, review : float
        Its parts: paid on cases called negative, called positive, and sent to a person.
    abstention_rate : float
        Share of the cases sent to a person.
    lower_index, upper_index : int
        Number of distinct scores (or bins) below the window, and below or inside it.
    standard_error : float
        Standard error of `cost` for this window as it stands; NaN for a single case. It does not
        know that the window was chosen on the same data.
    certified : float
        Largest amount by which `cost` can exceed that of the cheapest window on the exact scores: 0
        unless the window was searched on bins. NaN for a window that was not searched.
    n : float
        Number of cases.
    note : str
        A sentence if the search could have abstained and never does; else empty.

    Examples
    --------
    Two frauds of 900 and 40, four good payments. A blocked good payment costs 25, a call 4. Is the
    fraud with the low score worth a call?

    >>> from demur import ScoreCosts
    >>> costs = ScoreCosts.from_arrays(
    ...     [0.1, 0.2, 0.3, 0.4, 0.6, 0.9],
    ...     miss=[0, 0, 40, 0, 0, 900],
    ...     alarm=[25, 25, 0, 25, 25, 0],
    ...     review=4,
    ... )
    >>> window = costs.window()
    >>> window.lower_index, window.upper_index, window.cost, window.note
    (2, 5, 2.0, '')
    """

    lower: float
    upper: float
    cost: float
    miss: float
    alarm: float
    review: float
    abstention_rate: float
    lower_index: int
    upper_index: int
    standard_error: float
    certified: float
    n: float
    note: str = ""
    _reported = ("coverage",)

    @property
    def coverage(self) -> float:
        """Share of the cases that get a decision."""
        return 1.0 - self.abstention_rate

    @property
    def is_empty(self) -> bool:
        """Whether the window never abstains."""
        return self.lower_index == self.upper_index
