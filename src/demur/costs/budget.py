"""`Budget`: how many reviews people can do in a period, and which cases share these places."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from demur._checks import check_choice, check_positive_int, check_type, input_error
from demur._checks.arrays import is_missing
from demur._files.values import is_number, part
from demur._results import Result
from demur.exceptions import InputError
from demur.typing import BoolArray, FloatArray, IntArray

__all__ = ["Allotment", "Budget", "Places"]

_PERIODS = {"hour": "an hour", "day": "a day", "week": "a week", "month": "a month"}
# what NumPy and databases read alike
_DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?")
_ZONED = re.compile(rf"{_DATE.pattern} ?(Z|[+-]\d\d(:?\d\d)?)")


class Allotment(NamedTuple):
    """Who gets a place, of rows that stand batch by batch, the first to be served first.

    Attributes
    ----------
    given, left_out : array of bool
        Rows with a place, and the first one of a batch without.
    full : int
        Number of batches whose places are all used.
    """

    given: BoolArray
    left_out: BoolArray
    full: int


class Places(NamedTuple):
    """The places of every batch, and how a table says which batch a row belongs to.

    Attributes
    ----------
    reviews : int
        Places of a batch.
    column, key : str
        Columns of the batch and of what orders its rows.
    per : str or None
        Period that dates are floored to; None where values are batches as they stand.
    text_key : bool
        Whether keys are ordered as text; else as numbers.
    arrival : bool
        Whether places go to the first rows by key, not to those where they save most.
    carry_over : bool
        Whether places that a batch does not use go to the batches that follow.
    """

    reviews: int
    column: str
    key: str
    per: str | None
    text_key: bool
    arrival: bool = False
    carry_over: bool = False

    @property
    def period(self) -> str:
        """The period in words: "a day"."""
        return "per batch" if self.per is None else _PERIODS[self.per]

    @property
    def words(self) -> str:
        """The limit in words: "at most 50 a day"."""
        return f"at most {self.reviews:,} {self.period if self.per else f'per {self.column}'}"

    def on(self, batch: Any, key: Any) -> Places:
        """Return the same places where batches and keys look like these."""
        dated = _dates(_plain(batch, self.column), self.column) is not None
        text = _plain(key, self.key).dtype.kind in "UM"
        return self._replace(per=self.per if dated else None, text_key=text)

    def coded(self, batch: Any, key: Any) -> tuple[FloatArray, FloatArray]:
        """Return the batch of every row and the place of its key in ascending order, both as numbers.

        Raises `InputError` for missing values, for other values than dates where batches are dates, and for
        a key that stands twice in a batch.
        """
        batches, keys = _plain(batch, self.column), _plain(key, self.key)
        if len(batches) != len(keys):
            rule = f"must be as long as `{self.column}` ({len(batches)})"
            raise input_error(self.key, rule, len(keys))
        if self.per is None:
            names, codes = np.unique(batches, return_inverse=True)
            if (
                names.dtype.kind == "U"
            ):  # text that holds numbers is in their order; NaN last, equal ones as text
                numbers = np.array([float(name) if is_number(name) else np.nan for name in names])
                codes = np.argsort(np.argsort(numbers, kind="stable"))[codes]
        else:
            dates = _dates(batches, self.column)
            if dates is None:
                rule = "must hold dates such as 2026-03-01"
                raise input_error(self.column, rule, repr(batches[:1].tolist()[0]))
            if self.per == "week":
                # 1970-01-01 was a Thursday
                begins = (dates.astype("datetime64[D]").astype(np.int64) + 3) // 7
            else:
                begins = dates.astype(f"datetime64[{ {'hour': 'h', 'day': 'D', 'month': 'M'}[self.per] }]")
            codes = np.unique(begins, return_inverse=True)[1]
        ordered = keys.astype(str) if self.text_key else _numbers(keys, self.key)
        ranks = np.unique(ordered, return_inverse=True)[1]
        pairs = codes * (len(ranks) + 1) + ranks
        _, first = np.unique(pairs, return_index=True)
        if len(first) < len(pairs):
            twice = keys[np.delete(np.arange(len(pairs)), first)[0]]
            rule = f"must differ within a batch of `{self.column}`"
            hint = "give every case a key of its own: without it the last place depends on the order of rows."
            raise input_error(self.key, rule, f"{twice.item()!r} twice", hint)
        return codes.astype(np.float64), ranks.astype(np.float64)

    def allotted(self, batch: IntArray, batches: int) -> Allotment:
        """Give places to rows that want one.

        `batch` is that of every row, ascending from 0 on; there are `batches`, some without such rows.
        """
        wanted = np.bincount(batch, minlength=batches)
        free = np.full(batches, self.reviews)
        if self.carry_over:
            spare = np.cumsum(self.reviews - wanted)
            # left over after a batch: never fewer than none (the waiting time of Lindley 1952)
            free[1:] += (spare - np.minimum(np.minimum.accumulate(spare), 0))[:-1]
        place = np.arange(len(batch)) - (np.cumsum(wanted) - wanted)[batch]
        return Allotment(place < free[batch], place == free[batch], int(np.sum(wanted >= free)))

    def to_dict(self) -> dict[str, Any]:
        """Return the places as JSON-safe built-in types."""
        return self._asdict()

    @classmethod
    def from_dict(cls, data: Any) -> Places:
        """Return the places that `to_dict` described; refuse anything else in one sentence."""
        found = {name: part(data, name) for name in cls._fields}
        check_positive_int(found["reviews"], "reviews")
        for name in ("column", "key"):
            check_type(found[name], name, str)
        for name in ("text_key", "arrival", "carry_over"):
            check_type(found[name], name, bool)
        if found["per"] is not None:
            check_choice(found["per"], "per", tuple(_PERIODS))
        return cls(**found)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Budget(Result):
    """How many cases people can review in a period: a number of places, not a share.

    A share of the cases overflows on busy days. With a budget, the places of a period go to the cases where a
    review is expected to save most; all others get the cheaper of the two decisions. Assumes that the cases
    of a period are known when its places are given, unless `arrival`.

    Parameters
    ----------
    reviews : int
        Number of places in every batch.
    column : str or array of n values
        When every case comes up: dates, floored to `per`; other values are batches as they stand. A name
        stands for an entry of `scores`, or a column of a file.
    key : str or array of n values
        What names a case within its batch, and settles ties at the last place; with `arrival` the order in
        which cases come.
    per : {"hour", "day", "week", "month"}
        Period that dates are floored to; weeks begin on Monday.
    arrival : bool, default False
        Whether a case is decided as it comes: if a review is expected to save enough and there is a place.
    carry_over : bool, default False
        Whether places that a batch does not use go to the batches that follow.

    Raises
    ------
    InputError
        For a number below 1 or another period; later for a key that stands twice in a batch.

    Examples
    --------
    Two places a day, for the cases whose review saves most:

    >>> import numpy as np
    >>> from demur import Budget, CostModel, compare_models
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(600) < 0.3
    >>> columns = {"risk": rng.normal(2.0 * y), "day": np.arange(600) // 20, "id": np.arange(600)}
    >>> costs = CostModel(cost_fn=100, cost_fp=40, cost_abstain=2)
    >>> budget = Budget(reviews=2, column="day", key="id")
    >>> answer = compare_models(y, columns, costs=costs, budget=budget).answer
    >>> answer.kind, answer.abstention_rate <= 0.1
    ('budgeted', True)
    """

    reviews: int
    column: Any
    key: Any = None
    per: str = "day"
    arrival: bool = False
    carry_over: bool = False

    def __post_init__(self) -> None:
        check_positive_int(self.reviews, "reviews")
        check_choice(self.per, "per", tuple(_PERIODS))
        for name in ("arrival", "carry_over"):
            check_type(getattr(self, name), name, bool)
        for name in ("column", "key"):
            value = getattr(self, name)
            if value is None:
                raise InputError(
                    f"`{name}` is needed: a name, or one value per case. Hint: a key names a case within its "
                    "day, so that the last place does not depend on the order of rows."
                )
            object.__setattr__(self, name, value if isinstance(value, str) else np.asarray(value))
        Result.__post_init__(self)

    @property
    def names(self) -> tuple[str, str]:
        """Columns of batch and key; "batch" and "key" where these are arrays."""
        given = zip((self.column, self.key), ("batch", "key"), strict=True)
        batch, key = (one if isinstance(one, str) else name for one, name in given)
        return batch, key

    def to_dict(self) -> dict[str, Any]:
        """Return the budget as JSON-safe built-in types, arrays by their names."""
        own = {name: getattr(self, name) for name in ("reviews", "per", "arrival", "carry_over")}
        return {**own, **dict(zip(("column", "key"), self.names, strict=True))}

    def placed(self, scores: Any) -> tuple[Any, Places, dict[str, FloatArray]]:
        """Return the scores without the entries it names, the places, and batch and key of every case."""
        found, names = [], self.names
        rest = dict(scores) if isinstance(scores, Mapping) else scores
        for argument in ("column", "key"):
            given = getattr(self, argument)
            if isinstance(given, str):
                if not isinstance(rest, dict) or given not in rest:
                    rule = "must name an entry of `scores`, or hold one value per case"
                    raise input_error(argument, rule, repr(given))
                given = rest.pop(given)
            found.append(given)
        places = Places(
            self.reviews, *names, self.per, text_key=False, arrival=self.arrival, carry_over=self.carry_over
        ).on(*found)
        return rest, places, dict(zip(names, places.coded(*found), strict=True))


def _plain(values: Any, name: str) -> Any:
    """Return one value per case, none missing, as numbers, dates or text."""
    array = np.asarray(values)
    if array.ndim != 1 or not len(array):
        raise input_error(name, "must hold one value per case", f"shape {array.shape}")
    if any(map(is_missing, array)) if array.dtype.kind == "O" else (array != array).any():
        raise input_error(name, "must not be missing", "a missing value", "drop such rows.")
    if array.dtype.kind == "O":
        array = np.array(array.tolist())
    return array.astype(str) if array.dtype.kind in "OS" else array


def _dates(array: Any, name: str) -> Any:
    """Return values as dates; None where they are none."""
    if array.dtype.kind == "M":
        return array
    if array.dtype.kind != "U":
        return None
    texts, place = np.unique(array, return_inverse=True)
    if not all(map(_DATE.fullmatch, texts)):
        zoned = next(filter(_ZONED.fullmatch, texts), None)
        if zoned is not None:
            raise input_error(name, "must hold dates without a time zone", repr(str(zoned)))
        return None
    try:
        return texts.astype("U19").astype("datetime64[s]")[place]
    except ValueError as error:
        raise input_error(name, "must hold dates", str(error)) from None


def _numbers(array: Any, name: str) -> Any:
    """Return keys as numbers; whole ones keep all digits."""
    if array.dtype.kind != "U":
        return array
    for kind in (np.int64, np.float64):
        try:
            return array.astype(kind)
        except (ValueError, OverflowError):
            continue
    broken = next(text for text in array if not is_number(text))
    raise input_error(name, "must hold numbers, as when the rule was made", repr(str(broken)))
