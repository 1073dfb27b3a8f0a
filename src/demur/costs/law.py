"""`CostLaw`: how likely costs of many classes are while nobody knows them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from demur._checks import check_number, check_range, input_error
from demur._results import Result
from demur.typing import FloatArray, Range

__all__ = ["CostLaw"]

_LARGEST = 1e9


@dataclass(frozen=True, kw_only=True, slots=True)
class CostLaw(Result):
    """Law of unknown costs: every mistake log-uniform within a factor, a review uniform.

    A draw is divided by its mean cost of a mistake, which is 1 then: the scale of costs says nothing
    about models. Right answers cost nothing. Assumes no mistake to be worse than another before one
    looks; whoever knows better passes costs, or a function in place of this law.

    Parameters
    ----------
    factor : float, default 10
        How many times as much one mistake may cost as another.
    review : (low, high), default (0, 1)
        Cost of a review, in mean mistakes.

    Raises
    ------
    InputError
        For a factor below 1 or above 1e9, or a range that is not one.

    Examples
    --------
    >>> import numpy as np
    >>> from demur.costs import CostLaw
    >>> tables = CostLaw()(np.random.default_rng(0), n_classes=3, n_draws=2)
    >>> tables.shape, tables[:, :, :-1].sum(axis=(1, 2)).round(12).tolist()
    ((2, 3, 4), [6.0, 6.0])
    """

    factor: float = 10.0
    review: Range = (0.0, 1.0)

    def __post_init__(self) -> None:
        factor = check_number(self.factor, "factor")
        if not 1 <= factor <= _LARGEST:
            raise input_error("factor", f"must lie within [1, {_LARGEST:g}]", factor, "10 is the default.")
        object.__setattr__(self, "factor", factor)
        object.__setattr__(self, "review", check_range(self.review, "review"))
        Result.__post_init__(self)

    def __call__(self, rng: np.random.Generator, n_classes: int, n_draws: int) -> FloatArray:
        """Draw cost tables: element d has a row per true class, a column per answer, reviews last."""
        costs = self.factor ** rng.random((n_draws, n_classes, n_classes))
        costs[:, np.arange(n_classes), np.arange(n_classes)] = 0.0
        costs *= n_classes * (n_classes - 1) / costs.sum(axis=(1, 2), keepdims=True)
        review = rng.uniform(*self.review, (n_draws, 1, 1))
        return np.concatenate([costs, np.broadcast_to(review, (n_draws, n_classes, 1))], axis=2)

    @property
    def words(self) -> str:
        """Say the law in a sentence without its point."""
        low, high = self.review
        return (
            f"every mistake costs up to {self.factor:g} times as much as another, 1 on average, and a review "
            f"{low:g} to {high:g}"
        )
