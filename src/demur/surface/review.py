"""`ReviewPrices`: what abstaining costs by class along nu, where classes differ or the reviewer errs.

With a miss costing 1 and a false alarm mu, abstaining costs alpha nu + e on a positive and beta nu + f mu
on a negative: (alpha, beta) is a ray of prices, e and f the shares of positives and of negatives that the
reviewer gets wrong. All of it is linear in (mu, nu), so every window still has a plane, and cells stay
polygons.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from demur._checks import check_finite, check_probability, input_error
from demur._kernels.polygons import areas, clip, plane_integrals
from demur.typing import ArrayLike, FloatArray, Range

__all__ = ["PLAIN", "ReviewPrices", "review_scores"]


class ReviewPrices(NamedTuple):
    """Price of abstaining by class in units of nu, and how often the reviewer is right."""

    positive: float = 1.0
    negative: float = 1.0
    sensitivity: float = 1.0
    specificity: float = 1.0

    @classmethod
    def checked(cls, ray: Any, reviewer: Any) -> ReviewPrices:
        """Check a ray of prices and the sensitivity and specificity of a reviewer."""
        prices, skill = check_finite(ray, "ray"), check_probability(reviewer, "reviewer")
        if prices.shape != (2,) or np.any(prices <= 0):
            raise input_error("ray", "must be two positive numbers (alpha, beta)", repr(ray))
        if skill.shape != (2,) or skill.sum() <= 1:
            raise input_error(
                "reviewer",
                "must be a pair (sensitivity, specificity) with a sum above 1",
                repr(reviewer),
                "abstaining never pays with a reviewer who is no better than chance.",
            )
        return cls(*prices.tolist(), *skill.tolist())

    @property
    def ray(self) -> tuple[float, float]:
        """Price of abstaining on a positive and on a negative, in units of nu."""
        return self.positive, self.negative

    @property
    def reviewer(self) -> tuple[float, float]:
        """Sensitivity and specificity of the reviewer."""
        return self.sensitivity, self.specificity

    @property
    def coefficients(self) -> tuple[float, float, float, float]:
        """Return alpha, beta, e and f."""
        return self.positive, self.negative, 1 - self.sensitivity, 1 - self.specificity

    def by_class(self, mu: ArrayLike, nu: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return what abstaining costs on a positive and on a negative at (mu, nu)."""
        x, y = np.asarray(mu, dtype=np.float64), np.asarray(nu, dtype=np.float64)
        alpha, beta, missed, alarmed = self.coefficients
        return alpha * y + missed, beta * y + alarmed * x

    def largest_nu(self, mu: ArrayLike) -> FloatArray:
        """Return the nu from which on abstaining never pays: plain, mu / (1 + mu) (lemma 1 of the paper)."""
        x = np.asarray(mu, dtype=np.float64)
        alpha, beta, missed, alarmed = self.coefficients
        return np.asarray(x * (1 - missed - alarmed) / (alpha * x + beta))


PLAIN = ReviewPrices()
"""One price for both classes, and a reviewer who is always right."""


def review_scores(p: FloatArray, mu: Range, nu: Range, prices: ReviewPrices) -> tuple[FloatArray, FloatArray]:
    """Return S(1, p) and S(0, p): losses of a positive and of a negative, integrated over costs.

    A case with forecast p is treated as a block of share p; see `rectangle_scores`, the closed form for plain
    prices. Here the rectangle is cut along the costs at which two actions cost such a block the same.
    """
    q, one, none = 1 - p, np.ones(p.shape), np.zeros(p.shape)
    alpha, beta, missed, alarmed = prices.coefficients
    corners = np.array([(mu[0], nu[0]), (mu[1], nu[0]), (mu[1], nu[1]), (mu[0], nu[1])])
    whole = np.tile(corners, (len(p), 1, 1))
    # each is (by mu, by nu, constant), negative where the first of two actions is the cheaper one
    miss_alarm = -q, none, p
    miss_review = -alarmed * q, -(alpha * p + beta * q), (1 - missed) * p
    alarm_review = (1 - alarmed) * q, -(alpha * p + beta * q), -missed * p

    def swapped(plane: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
        a, b, c = plane
        return -a, -b, -c

    called_negative = clip(clip(whole, *miss_alarm), *miss_review)
    called_positive = clip(clip(whole, *swapped(miss_alarm)), *alarm_review)
    reviewed = clip(clip(whole, *swapped(miss_review)), *swapped(alarm_review))
    if_positive = areas(called_negative) + plane_integrals(reviewed, none, alpha * one, missed * one)
    if_negative = plane_integrals(called_positive, one, none, none)
    if_negative += plane_integrals(reviewed, alarmed * one, beta * one, none)
    return if_positive, if_negative
