"""Quantiles and tails of the normal law and of Student's."""

import math

__all__ = ["normal_quantile", "t_quantile", "tail_pvalue"]


def normal_quantile(level: float, *, sides: int = 2) -> float:
    """Return z with P(|Z| <= z) = level (two sides) or P(Z <= z) = level (one)."""
    from scipy.special import ndtri

    # the lower tail keeps its digits where (1 + level) / 2 would round to 1
    return -float(ndtri((1 - level) / sides))


def t_quantile(level: float, df: float) -> float:
    """Return t with P(|T| <= t) = level; without end of the degrees of freedom that of the normal law."""
    from scipy.special import stdtrit

    return normal_quantile(level) if math.isinf(df) else -float(stdtrit(df, (1 - level) / 2))


def tail_pvalue(statistic: float, alternative: str, df: float = math.inf) -> float:
    """Return the p-value of a statistic: "two-sided", "less" or "greater"; normal law for infinite `df`."""
    from scipy.special import ndtr, stdtr

    tail = {"two-sided": -abs(statistic), "less": statistic, "greater": -statistic}[alternative]
    pvalue = float(ndtr(tail) if math.isinf(df) else stdtr(df, tail))
    return 2 * pvalue if alternative == "two-sided" else pvalue
