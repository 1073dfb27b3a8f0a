"""Numbers as people read them: few digits, the same in Python and on the page."""

import math
from collections.abc import Sequence

__all__ = ["amount", "finer_step", "money", "money_parts", "money_step", "shares_of_1000"]

_CASES = 1000


def money_step(low: float, high: float, value: float) -> float:
    """Unit of the last digit worth showing per 1000 cases: two digits of the width of the interval.

    A cost that is known exactly has up to four digits, as 1000 times the price it is made of has.
    """
    width = high - low
    if width > 1e-12 * abs(value):
        return _unit(width, 2)
    units = [_unit(value, digits) for digits in (2, 3, 4)]  # what is left of the interval is rounding
    exact = [_CASES * abs(value) / unit for unit in units]
    return next(
        (unit for unit, one in zip(units, exact, strict=True) if abs(one - round(one)) < 1e-6), units[2]
    )


def _unit(value: float, digits: int) -> float:
    """Unit of the last of some digits of a cost per 1000 cases; 1 for 0."""
    size = _CASES * abs(value)
    return float(10.0 ** (math.floor(math.log10(size)) + 1 - digits)) if size > 0 else 1.0


def finer_step(parts: Sequence[float], step: float) -> float:
    """Unit that shows two digits of every part of a cost, in whole numbers if the cost is.

    21 reviews at 3 are 63, whatever the cost is rounded to.
    """
    own = min((_unit(part, 2) for part in parts if part), default=step)
    return min(step, max(own, step / 1000 if step < 1 else 1.0))


def money_parts(parts: Sequence[float], step: float) -> list[str]:
    """Show parts of a cost, and then their sum: rounded so that they add up (largest remainders)."""
    step = finer_step(parts, step)
    exact = [_CASES * part / step for part in parts]
    units = _whole_numbers(exact, math.floor(sum(exact) + 0.5))
    return [money(number * step / _CASES, step) for number in [*units, sum(units)]]


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
    return _whole_numbers([_CASES * share for share in shares], _CASES)


def _whole_numbers(exact: Sequence[float], total: int) -> list[int]:
    """Round numbers to whole ones of this sum; those with the largest remainders are rounded up."""
    whole = [math.floor(value + 1e-9) for value in exact]
    order = sorted(range(len(exact)), key=lambda k: (math.floor((whole[k] - exact[k]) * 1e9 + 0.5), k))
    for place in order[: max(total - sum(whole), 0)]:
        whole[place] += 1
    return whole
