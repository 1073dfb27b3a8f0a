"""Lower-triangular square roots of covariances: making, joining and downdating them."""

import numpy as np

from demur.exceptions import UndefinedError
from demur.typing import FloatArray

__all__ = ["downdate", "gain", "lower_factor", "triangle"]

# Eigenvalues this far below zero, relative to the largest, are rounding and not a mistake.
_ROUNDING = 1e-10


def triangle(wide: FloatArray) -> FloatArray:
    """Return lower-triangular T with T T' = M M' and a non-negative diagonal, without forming M M'."""
    rows = wide.shape[0]
    if rows == 1:
        return np.array([[np.linalg.norm(wide)]])
    upper: FloatArray = np.asarray(np.linalg.qr(wide.T, mode="r"))
    if upper.shape[0] < rows:  # fewer columns than rows: the missing ones are zero
        upper = np.vstack([upper, np.zeros((rows - upper.shape[0], rows))])
    sign = np.where(np.diagonal(upper) < 0, -1.0, 1.0)
    return np.ascontiguousarray((upper * sign[:, None]).T)


def lower_factor(matrix: FloatArray) -> FloatArray:
    """Return the lower Cholesky factor, also of a singular covariance.

    A singular matrix (lags without noise, a known state) has no Cholesky pivot to divide by;
    its eigenvectors give a factor that is turned triangular, which leaves nothing to add to
    the diagonal.
    """
    try:
        return np.asarray(np.linalg.cholesky(matrix))
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(matrix)
    if not values[0] >= -_ROUNDING * values[-1]:
        raise UndefinedError(
            f"A covariance has lost its positive definiteness: an eigenvalue of {values[0]:.3g}. "
            "Hint: use a square-root filter, more noise, or a larger alpha."
        )
    return triangle(vectors * np.sqrt(np.maximum(values, 0.0)))


def downdate(factor: FloatArray, vector: FloatArray) -> FloatArray:
    """Return the lower factor of S S' - v v' (LINPACK dchdd; van der Merwe and Wan 2001).

    Where rounding makes a pivot vanish, the difference is formed and factored instead.
    """
    lower, v = factor.copy(), vector.copy()
    for k in range(len(v)):
        square = lower[k, k] ** 2 - v[k] ** 2
        if not square > 0:
            return lower_factor(factor @ factor.T - np.outer(vector, vector))
        r = np.sqrt(square)
        c, s = r / lower[k, k], v[k] / lower[k, k]
        lower[k, k] = r
        lower[k + 1 :, k] = (lower[k + 1 :, k] - s * v[k + 1 :]) / c
        v[k + 1 :] = c * v[k + 1 :] - s * lower[k + 1 :, k]
    return lower


def gain(cross: FloatArray, factor: FloatArray) -> FloatArray:
    """Return K = Pxz S^-1 from the lower factor of S.

    Directions in which the innovation has no variance carry no information and get gain 0
    (the pseudo-inverse), so that a known state with noise-free observations stays put.
    """
    if len(factor) == 1:
        variance = float(factor[0, 0]) ** 2
        return cross / variance if variance > 0 else np.zeros_like(cross)
    diagonal = np.diagonal(factor)
    if diagonal.min() > 1e-12 * diagonal.max():
        # two solves with the factor: the condition of S itself is the square of its condition
        return np.asarray(np.linalg.solve(factor.T, np.linalg.solve(factor, cross.T)).T)
    return np.asarray(cross @ np.linalg.pinv(factor @ factor.T, rcond=1e-12, hermitian=True))
