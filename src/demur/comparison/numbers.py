"""Numbers as people read them: few digits, the same in Python and on the page."""

import math

__all__ = ["amount", "money", "money_step", "shares_of_1000"]

_CASES = 1000


def money_step(low: float, high: float, value: float) -> float:
    """Unit of the last digit worth showing: two digits of the width of the interval, per 1000 cases."""
    width = high - low
    if not width > 1e-12 * abs(value):
        width = abs(value)  # what is left of the interval is rounding
    if not width > 0:
        return 1.0
    return float(10.0 ** (math.floor(math.log10(_CASES * width)) - 1))


def money(cost: float, step: float) -> str:
    """Show a cost per case as one per 1000 cases, rounded to whole steps."""
    steps = math.floor(abs(_CASES * cost) / step + 0.5)
    digits = max(0, -round(math.log10(step)))
    sign = "-" if cost < 0 and steps else ""
    return f"{sign}{steps * step:,.{digits}f}"


def amount(value: float) -> str:
    """Show an amount with four digits, from 1000 on as a whole number."""
    rounded = f"{value:.4g}"
    return f"{value:,.0f}" if abs(float(rounded)) >= 1000 else rounded


def shares_of_1000(shares: list[float]) -> list[int]:
    """Round shares that sum to 1 to whole cases of 1000 that sum to 1000 (largest remainders).

    Of equal remainders, up to rounding errors of the shares, the first is rounded up.
    """
    exact = [_CASES * share for share in shares]
    whole = [math.floor(value + 1e-9) for value in exact]
    missing = _CASES - sum(whole)
    order = sorted(range(len(shares)), key=lambda k: (math.floor((whole[k] - exact[k]) * 1e9 + 0.5), k))
    for place in order[: max(missing, 0)]:
        whole[place] += 1
    return whole
