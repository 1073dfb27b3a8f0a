"""`Prevalence`: P(positive) in use as an estimate from a sample, not as a known number."""

from __future__ import annotations

from dataclasses import dataclass

from demur._checks import check_number, input_error
from demur._results import Result

__all__ = ["Prevalence"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Prevalence(Result):
    """P(positive) in use, counted among some cases: intervals of costs hold how uncertain it is.

    For example 26 of 2,000 screened people were ill. Assumes that those cases were drawn at random from the
    cases to come, and are not the ones that models are compared on.

    Parameters
    ----------
    positives : float
        Number of positive cases.
    cases : float
        Number of cases counted.

    Raises
    ------
    InputError
        Unless 0 < positives < cases.

    Notes
    -----
    With mean losses m1 and m0 of the positives and negatives, the squared standard error of a cost grows by
    (m1 - m0)^2 q (1 - q) / cases, q = positives / cases.

    Examples
    --------
    >>> from demur import Prevalence
    >>> screened = Prevalence(positives=26, cases=2000)
    >>> screened.rate, round(screened.variance**0.5, 4)
    (0.013, 0.0025)
    """

    positives: float
    cases: float
    _reported = ("rate",)

    def __post_init__(self) -> None:
        for name in ("positives", "cases"):
            object.__setattr__(self, name, check_number(getattr(self, name), name))
        if not 0 < self.positives < self.cases:
            raise input_error(
                "positives",
                f"must lie between 0 and cases ({self.cases:g})",
                f"{self.positives:g}",
                "give a share you know for sure as a plain number.",
            )
        Result.__post_init__(self)

    @property
    def rate(self) -> float:
        """Share of positives."""
        return self.positives / self.cases

    @property
    def variance(self) -> float:
        """Variance of the share."""
        return self.rate * (1 - self.rate) / self.cases

    def __str__(self) -> str:
        return f"{self.positives:.15g}/{self.cases:.15g}"
