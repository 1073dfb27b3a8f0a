"""Numbers as people read them in a table: few digits, no exponent where it fits."""

from collections.abc import Callable, Iterable

__all__ = ["level_words", "number", "percent", "pvalue", "span", "times"]

_ROUNDING = 1e-12


def number(value: float, digits: int = 4) -> str:
    """Show a number with about `digits` significant digits, without an exponent where it fits."""
    if value != 0 and not 1e-4 <= abs(value) < 1e7:
        return f"{value:.{digits - 1}g}"
    rounded = f"{value:.{digits}g}"
    return f"{value:,.0f}" if abs(float(rounded)) >= 10 ** (digits - 1) else rounded


def percent(share: float) -> str:
    """Show a share as a percentage; never 0 % or 100 % for what is not quite that."""
    if min(share, 1 - share) < _ROUNDING:
        return f"{round(share) * 100} %"
    if share < 0.0005:
        return "<0.1 %"
    return ">99.9 %" if share > 0.9995 else f"{100 * share:.1f} %"


def times(count: int, what: str) -> str:
    """Count something: "1 row", "2 rows"."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def level_words(confidence_level: float) -> str:
    """Show a level of confidence: "95 %"."""
    return percent(confidence_level).replace(".0 %", " %")


def span(interval: Iterable[float], show: Callable[[float], str] = number) -> str:
    """Show an interval: "0.812 to 0.934"."""
    return " to ".join(map(show, interval))


def pvalue(value: float) -> str:
    """Show a p-value with three digits."""
    return "<0.001" if value < 0.001 else f"{value:.3f}"
