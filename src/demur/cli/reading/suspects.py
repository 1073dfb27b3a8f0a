"""Numeric columns that look like something other than the scores of a model.

The guess of the models leaves them out and says so; a column the user names with --model is taken
as it is. A name alone is never enough, the values have to agree:

- predicted labels: named like a prediction (y_pred, pred, prediction, lr_predicted, ...), with at
  most two distinct values;
- the other class: proba_0 or p0 beside proba_1 or p1, which says the same the other way round
  (proba_1 where the positive class is called 0);
- an amount: the last word of the name is amount, balance, price, cost or fee (credit_amount,
  unitPrice), no value is below 0 and the largest is above 1. Probabilities and log-odds are neither.
"""

import re
from collections.abc import Iterable

from demur.cli.reading.tables import Table, frame_of
from demur.engines.summaries import summaries

__all__ = ["amounts", "suspects"]

_PREDICTED = re.compile(r"(.*_)?pred(s|icted|ictions?)?(_(label|class)(es|s)?)?")
_OF_A_CLASS = re.compile(r"((?:.*_)?p(?:rob(?:a|ability|s)?)?_?)([01])")
_AMOUNT = re.compile(r"(.*[\W_])?(amount|amt|balance|price|cost|fee)s?")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def suspects(table: Table, names: Iterable[str], *, positive: str | None = None) -> dict[str, str]:
    """Return column -> what it looks like, for those of the numeric columns that look like no score."""
    numeric = list(names)
    reasons = dict.fromkeys(amounts(table, numeric), "an amount")
    for name in numeric:
        counterpart = _other_class(name, table.kinds, positive)
        if counterpart is not None:
            reasons[name] = f"the other class of {counterpart}"
        elif _PREDICTED.fullmatch(_words(name)) and len(table.distinct(name)) <= 2:
            reasons[name] = "predicted labels"
    return {name: reasons[name] for name in numeric if name in reasons}


def amounts(table: Table, names: Iterable[str]) -> list[str]:
    """Return which of the numeric columns look like amounts."""
    named = {name: table.kinds[name] for name in names if _AMOUNT.fullmatch(_words(name))}
    if not named:
        return []
    looks = summaries(frame_of(table), named)
    return [name for name, look in looks.items() if look.low >= 0 and look.high > 1]


def _other_class(name: str, columns: Iterable[str], positive: str | None) -> str | None:
    """Return the column with the probabilities of the positive class, if `name` has the other's."""
    parts = _OF_A_CLASS.fullmatch(name.lower())
    wanted = "0" if positive == "0" else "1"
    if parts is None or parts[2] == wanted:
        return None
    return next((column for column in columns if column.lower() == parts[1] + wanted), None)


def _words(name: str) -> str:
    """Return a name in lower case, its words apart: unitPrice becomes unit_price."""
    return _HUMP.sub("_", name).lower()
