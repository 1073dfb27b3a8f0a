"""Sums of the costs of cases per score, class and fold: all that honest costs of large data need."""

from typing import NamedTuple

import numpy as np

from demur.typing import BoolArray, FloatArray, IntArray

__all__ = ["FoldedCosts", "LikeCases"]

_PRODUCTS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


class LikeCases(NamedTuple):
    """Rows with the sums, squares and products of the cells they stand for.

    Row r stands for `sizes[r]` cases of cell `cell[r]`; columns of `losses` are called negative, called
    positive, reviewed.
    """

    cell: IntArray
    sizes: FloatArray
    losses: FloatArray


class FoldedCosts(NamedTuple):
    """Element c: the cases of one class and one fold with scores from ``lower[c]`` to ``upper[c]``.

    Columns of `sums` are costs if called negative, if called positive, if reviewed; those of `products`
    their products 11, 22, 33, 12, 13, 23. Sums of disjoint data add up.
    """

    lower: FloatArray
    upper: FloatArray
    positive: BoolArray
    fold: IntArray
    cases: FloatArray
    sums: FloatArray
    products: FloatArray
    folds: int

    def like_cases(self) -> LikeCases:
        """Return few rows per cell that have its mean costs and their covariances exactly.

        Costs of windows, their squares and those of their differences are sums over cells, so they come
        out as with all cases. With k costs that differ, 2 k rows of equal size lie at the mean plus and
        minus sqrt(k) times the k columns of a root of the covariance matrix.
        """
        mean = self.sums / self.cases[:, None]
        covariance = np.empty((len(self.cases), 3, 3))
        for column, (i, j) in enumerate(_PRODUCTS):
            gap = self.products[:, column] / self.cases - mean[:, i] * mean[:, j]
            # a difference that is rounding is none
            size = np.abs(mean[:, i] * mean[:, j])
            covariance[:, i, j] = covariance[:, j, i] = np.where(np.abs(gap) > 1e-12 * size, gap, 0.0)
        varying = np.flatnonzero(np.any(np.diagonal(covariance, axis1=1, axis2=2) > 0, axis=0))
        if not varying.size:
            return LikeCases(np.arange(len(mean)), self.cases, mean)
        kept = covariance[:, varying[:, None], varying]
        values, vectors = np.linalg.eigh(kept)
        root = vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]
        count = len(varying)
        steps = np.zeros((len(mean), 2 * count, 3))
        away = np.sqrt(count) * np.swapaxes(root, 1, 2)
        steps[:, :count, varying] = away
        steps[:, count:, varying] = -away
        losses = mean[:, None, :] + steps
        cell = np.repeat(np.arange(len(mean)), 2 * count)
        return LikeCases(cell, self.cases[cell] / (2 * count), losses.reshape(-1, 3))
