"""`Promise`: what a policy is expected to cost in use."""

from __future__ import annotations

from dataclasses import dataclass

from demur._files.values import number, rate
from demur._results import Result

__all__ = ["Promise"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class Promise(Result):
    """What a policy is expected to do in use; the lower the cost the better.

    Measured on cases that did not choose the rule: the cost after the choice among all rules, of errors and
    of abstaining. Prices of asking models are left out: nobody has to wait for labels to know them.

    Attributes
    ----------
    cost : float or None
        Expected cost per case in the unit of the costs.
    limit : float or None
        Upper end of the interval of the cost, which `demur watch` and `demur audit` hold the policy to. A
        cost without one, as in files of earlier versions, is not watched.
    abstention_rate : float or None
        Share of all cases that the rule as written abstains on.
    error_rate : float or None
        Share of all cases that are decided wrongly.
    fn, fp : float or None
        The errors of two classes: missed positives, false alarms.

    Examples
    --------
    >>> from demur.policy import Promise
    >>> Promise(cost=7.6, abstention_rate=0.57, fn=0.02, fp=0.01).error_rate
    0.03
    """

    cost: float | None = None
    limit: float | None = None
    abstention_rate: float | None = None
    error_rate: float | None = None
    fn: float | None = None
    fp: float | None = None

    def __post_init__(self) -> None:
        if self.error_rate is None and self.fn is not None and self.fp is not None:
            object.__setattr__(self, "error_rate", self.fn + self.fp)
        for name in ("cost", "limit", "abstention_rate", "fn", "fp", "error_rate"):
            if getattr(self, name) is not None:
                check = number if name in ("cost", "limit") else rate
                object.__setattr__(self, name, check(getattr(self, name), name))
        Result.__post_init__(self)
