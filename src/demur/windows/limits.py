"""`Limits`: what a rule must keep besides being cheap. One field per limit says all there is to know of it.

Flags, words, checks and searches read the fields, so a new limit is one more of them. Nothing here loads
NumPy: the command line shows its help from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from demur.typing import FloatArray

__all__ = ["LIMITS", "Limit", "Limits"]


class Limit(NamedTuple):
    """One limit: how it is checked, said, and kept.

    A window is a pair of positions i <= j among the distinct scores: the first i are called negative, those
    from j on positive.

    Attributes
    ----------
    name : str
        Argument in Python; the flag has dashes for underscores.
    check : callable
        (value, name) -> the value as a float, or an error.
    words : str
        The condition as an answer states it; {} is the share.
    help : str
        Of the flag.
    end : str
        What it concerns: "start" (i), "stop" (j), "width" (the cases between), or "" for none of them.
    margin : callable or None
        (masses, value) -> an element per position, not negative where the limit is kept; of the width the
        weight that may lie inside. Masses are the `WindowMasses` of `search`.
    reached : callable or None
        masses -> the share that is limited, at every position.
    promise : bool
        Whether it promises a share of at least the value, which may be kept with confidence; others are
        at most the value.
    needs_positives : bool
        Whether it is a share of the positives.
    many_classes : bool
        Whether it has a meaning for more than two classes.
    """

    name: str
    check: Callable[[Any, str], float]
    words: str
    help: str
    end: str = ""
    margin: Callable[[Any, float], FloatArray] | None = None
    reached: Callable[[Any], FloatArray] | None = None
    promise: bool = False
    needs_positives: bool = False
    many_classes: bool = False

    @property
    def flag(self) -> str:
        """Spelling of the flag."""
        return f"--{self.name.replace('_', '-')}"


def _rate(value: Any, name: str) -> float:
    from demur._checks import check_rate

    return check_rate(value, name)


def _precision(value: Any, name: str) -> float:
    from demur.roc.isometrics import check_target_value

    return check_target_value(value, name)


def _confidence(value: Any, name: str) -> float:
    from demur._checks import check_confidence_level

    return check_confidence_level(value, name)


def _share(part: FloatArray, rest: FloatArray) -> FloatArray:
    """Return part / (part + rest); NaN where both are 0."""
    import numpy as np

    total = part + rest
    share: FloatArray = np.divide(part, total, out=np.full_like(total, np.nan), where=total > 0)
    return share


def _limit(**row: Any) -> Any:
    return field(default=None, metadata=row)


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits every rule must keep; None where there is none.

    With `precision_confidence` the promised precisions hold for the population with that confidence,
    otherwise among the cases at hand.
    """

    max_abstention: float | None = _limit(
        check=_rate,
        words="at most {} of the cases sent to a person",
        help="Largest share of cases to abstain on.",
        end="width",
        margin=lambda masses, value: value * masses.below[..., -1:],
        many_classes=True,
    )
    min_precision_positive: float | None = _limit(
        check=_precision,
        words="at least {} of the positive decisions right",
        help="Smallest share of positive decisions that are right.",
        end="stop",
        margin=lambda masses, value: (
            masses.positive_above - value * (masses.positive_above + masses.negative_above)
        ),
        reached=lambda masses: _share(masses.positive_above, masses.negative_above),
        promise=True,
    )
    min_precision_negative: float | None = _limit(
        check=_precision,
        words="at least {} of the negative decisions right",
        help="The same for negative decisions.",
        end="start",
        margin=lambda masses, value: (
            masses.negative_below - value * (masses.negative_below + masses.positive_below)
        ),
        reached=lambda masses: _share(masses.negative_below, masses.positive_below),
        promise=True,
    )
    max_fn_rate: float | None = _limit(
        check=_rate,
        words="at most {} of the positives missed",
        help="Largest share of the positives to miss, such as --max-fn-rate 0.05.",
        end="start",
        margin=lambda masses, value: value * masses.positive_below[..., -1:] - masses.positive_below,
        reached=lambda masses: _share(masses.positive_below, masses.positive_above),
        needs_positives=True,
    )
    precision_confidence: float | None = _limit(
        check=_confidence,
        words="precisions promised for future cases with {} confidence",
        help="Keep --min-precision-* for all future cases with this confidence, such as 0.95, not only "
        "for the cases of the file.",
    )

    def __post_init__(self) -> None:
        for row in LIMITS:
            value = getattr(self, row.name)
            if value is not None:
                object.__setattr__(self, row.name, row.check(value, row.name))
        promised = any(row.promise for row, _ in self.kept())
        if self.precision_confidence is not None and not promised:
            from demur._checks import input_error

            raise input_error(
                "precision_confidence",
                "belongs to a promised precision",
                self.precision_confidence,
                "give min_precision_positive or min_precision_negative as well.",
            )

    def given(self) -> dict[str, float]:
        """Return the limits that are set, by name."""
        return {name: value for name, value in vars(self).items() if value is not None}

    def kept(self) -> list[tuple[Limit, float]]:
        """List the limits on windows that are set, with their values."""
        return [(row, value) for row in LIMITS if row.end and (value := getattr(self, row.name)) is not None]

    def check_prevalence(self, prevalence: Any) -> None:
        """Refuse a limit on a share of the positives where there may be none."""
        least = min(prevalence) if isinstance(prevalence, tuple) else prevalence
        for row, _ in self.kept():
            if row.needs_positives and least == 0:
                from demur._checks import input_error

                raise input_error(
                    row.name,
                    "needs positive cases in use",
                    "a prevalence of 0",
                    f"nothing can be missed then; start a range of prevalences above 0, or leave {row.name} "
                    "out.",
                )


LIMITS = tuple(Limit(name=one.name, **one.metadata) for one in fields(Limits))
"""All limits, in the order in which they are shown."""
