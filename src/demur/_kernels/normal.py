"""Quantiles of the normal law."""

__all__ = ["normal_quantile"]


def normal_quantile(level: float, *, sides: int = 2) -> float:
    """Return z with P(|Z| <= z) = level (two sides) or P(Z <= z) = level (one)."""
    from scipy.special import ndtri

    # the lower tail keeps its digits where (1 + level) / 2 would round to 1
    return -float(ndtri((1 - level) / sides))
