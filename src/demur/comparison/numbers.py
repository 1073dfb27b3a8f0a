"""Numbers as people read them: few digits, the same in Python and on the page."""

import math
from decimal import ROUND_HALF_UP, Decimal

__all__ = ["money", "money_step", "shares_of_1000", "short_threshold"]

_CASES = 1000
_PLAIN_FROM, _PLAIN_TO = -4, 6


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


def shares_of_1000(shares: list[float]) -> list[int]:
    """Round shares that sum to 1 to whole cases of 1000 that sum to 1000 (largest remainders)."""
    exact = [_CASES * share for share in shares]
    whole = [math.floor(value + 1e-9) for value in exact]
    missing = _CASES - sum(whole)
    order = sorted(range(len(shares)), key=lambda k: (whole[k] - exact[k], k))
    for place in order[: max(missing, 0)]:
        whole[place] += 1
    return whole


def short_threshold(value: float, low: float, high: float, *, low_included: bool) -> str:
    """Return the shortest decimal near `value` that separates the scores `low` and `high` alike.

    The lower threshold of a window may equal the score below it, the upper one the score above it.
    """
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    for digits in range(1, 18):
        text = _rounded(value, digits)
        number = float(text)
        above = number >= low if low_included else number > low
        below = number < high if low_included else number <= high
        if above and below:
            return text
    return repr(value)


def _rounded(value: float, digits: int) -> str:
    """Round to significant digits, half away from zero, and write without needless zeros."""
    if value == 0:
        return "0"
    exact = Decimal(abs(value))
    exponent = exact.adjusted()
    unit = Decimal(1).scaleb(exponent - digits + 1)
    rounded = exact.quantize(unit, rounding=ROUND_HALF_UP) if digits < 30 else exact
    exponent = rounded.adjusted()
    sign = "-" if value < 0 else ""
    figures = "".join(map(str, rounded.as_tuple().digits)).rstrip("0") or "0"
    if _PLAIN_FROM <= exponent < _PLAIN_TO:
        return sign + _plain(figures, exponent)
    mantissa = figures[0] + (f".{figures[1:]}" if len(figures) > 1 else "")
    return f"{sign}{mantissa}e{exponent}"


def _plain(figures: str, exponent: int) -> str:
    if exponent < 0:
        return "0." + "0" * (-exponent - 1) + figures
    whole = figures[: exponent + 1].ljust(exponent + 1, "0")
    rest = figures[exponent + 1 :]
    return f"{whole}.{rest}" if rest else whole
