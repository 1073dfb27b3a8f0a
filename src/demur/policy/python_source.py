"""A decision as the source of a Python function that imports nothing."""

from collections.abc import Mapping, Sequence

from demur.windows.expression import (
    All,
    BatchDecision,
    Bound,
    Case,
    Column,
    Condition,
    Decision,
    Equals,
    FirstBest,
    Indicator,
    Interpolated,
    Least,
    Number,
    Numeric,
    Sum,
)

__all__ = ["python_of"]

_ONE = '''"""Decision of a policy of demur.

{origin}
"""


def decide(score):
    """Return {words}.

    A missing score (None or NaN) gets no decision: None.
    """
    if score is None:
        return None
    # a float of 32 bits would round the thresholds to its own precision
    score = float(score)
    if score != score:
        return None
'''

_SEVERAL = '''"""Decision of a policy of demur.

{origin}
"""

COLUMNS = {columns}


def decide(values):
    """Return the label for one number per column, in the order of COLUMNS.

    A row gets no decision, None, where a number is missing (None, NaN) or out of range.
    """
    values = [None if value is None else float(value) for value in values]
    if len(values) != {inputs}:
        raise ValueError("decide needs {inputs} numbers, got " + str(len(values)))
    if any(value is None or value != value for value in values):
        return None
'''

_BY_GROUP = '''"""Decision of a policy of demur.

{origin}
"""

COLUMNS = {columns}


def decide(values):
    """Return the label for one value per column, in the order of COLUMNS; the last one is the group.

    A row gets no decision, None, where a number that its group needs is missing (None, NaN) or out of range.
    """
    values = list(values)
    if len(values) != {inputs}:
        raise ValueError("decide needs {inputs} values, got " + str(len(values)))
    group = _text(values[-1])
'''

_TEXT_AND_NUMBERS = '''

def _text(value):
    """Return a value as text, empty where it is missing; a whole number has no decimals."""
    if value is None or value != value:
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _numbers(values, places):
    """Return some of the values as floats; None where one of them is missing."""
    row = [values[place] for place in places]
    row = [None if value is None else float(value) for value in row]
    return None if any(value is None or value != value for value in row) else row
'''

_INTERPOLATED = '''

def _interpolated(value, points, values, slopes):
    """Return a function that is straight between points, and constant before the first of them."""
    if value < points[0]:
        return values[0]
    low, high = 0, len(points)
    while high - low > 1:
        middle = (low + high) // 2
        if value < points[middle]:
            high = middle
        else:
            low = middle
    return values[low] + slopes[low] * (value - points[low]) if slopes[low] else values[low]
'''


_BATCH = '''"""Decisions of a policy of demur on whole batches.

{origin}
"""

COLUMNS = {columns}


def decide_batch(rows):
    """Return the label of every row; a row holds one value per column, in the order of COLUMNS.

    All rows of a batch are needed: they share its places. A row gets no decision, None, and takes no place
    where a value is missing (None, NaN) or a number out of range.
    """
    labels, batches = [], {{}}
    for *values, batch, key in rows:
        labels.append(None)
        if any(value is None or value != value for value in (*values, batch, key)):
            continue
        values = [float(value) for value in values]
        found = None if any(value != value for value in values) else _act(values)
        if found is not None:
            labels[-1], saving = found
            waiting = batches.setdefault(_batch(batch), [])
            if saving > {least!r}:
                waiting.append(({first}, len(labels) - 1))
    left = 0
    for _, waiting in sorted(batches.items()):
        free = {free}
        for *_, place in sorted(waiting)[:free]:
            labels[place] = {label!r}
        left = max(free - len(waiting), 0)
    return labels


def _batch(value):
    """Return what the rows of a batch have in common, in the order of batches."""
{batch}

def _act(values):
    """Return the label of a row without a place, and what a place is worth; None for no decision."""
'''

_PERIODS = {"hour": "text[:13]", "day": "text[:10]", "month": "text[:7]"}
_WEEK = """    year, month, day = int(text[:4]), int(text[5:7]), int(text[8:10])
    # years that begin in March, so that the 29th of February is their last day
    year, month = (year - 1, month + 9) if month < 3 else (year, month - 3)
    days = 365 * year + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 + day
    return (days + 1) // 7
"""
_AS_THEY_STAND = """    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    text = value if isinstance(value, str) else ""
    return (1, 0.0, text) if number != number else (0, number, text)
"""


def python_of(decision: Decision | BatchDecision, origin: Sequence[str], columns: Sequence[str]) -> str:
    """Return the source of a module with one function, of a score, of one value per column, or of batches."""
    facts, helpers = "\n".join(map(_in_docstring, origin)), ""
    head = {"origin": facts, "columns": repr(tuple(columns)), "inputs": len(columns)}
    names = {column: f"values[{k}]" for k, column in enumerate(columns)}
    if isinstance(decision, BatchDecision):
        start, body = _batch_head(decision, facts), _indented(_lines(decision.others, names, decision.saving))
    elif not decision.columns:
        start, body = _BY_GROUP.format(**head), _indented(_by_group(decision, columns))
        helpers = _TEXT_AND_NUMBERS
    elif len(columns) == 1:
        names = {decision.columns[0]: "score"}
        start = _ONE.format(origin=facts, words=_in_docstring(_words(decision.value, names)))
        body = _indented(_lines(decision, names))
    else:
        start, body = _SEVERAL.format(**head), _indented(_lines(decision, names))
    return start + "\n".join([*body, ""]) + helpers + (_INTERPOLATED if "_interpolated(" in str(body) else "")


def _lines(decision: Decision, names: Mapping[str, str], saving: Numeric | None = None) -> list[str]:
    """Return the lines of a decision on complete rows; with `saving` also those of the worth of a place."""
    value = decision.value
    lines = [f"{name} = {_number(number, names)}" for name, number in decision.bindings]
    if decision.valid is not None:
        lines += [f"if not ({_condition(decision.valid, names)}):", "    return None"]
    more = ""
    if saving is not None:
        lines, more = [*lines, f"saving = {_number(saving, names)}"], ", saving"
    if isinstance(value, Case):
        for test, label in value.branches:
            lines += [f"if {_condition(test, names)}:", f"    return {label!r}{more}"]
        return [*lines, f"return {value.otherwise!r}{more}"]
    lines += ["numbers = [", *(f"    {_number(number, names)}," for number in value.values), "]"]
    lines += ["labels = [", *(f"    {label!r}," for label in value.labels), "]"]
    return [*lines, f"return labels[numbers.index({'max' if value.largest else 'min'}(numbers))]"]


def _batch_head(decision: BatchDecision, facts: str) -> str:
    places = decision.places
    key = "str(key)" if places.text_key else "key"
    batch = _AS_THEY_STAND
    if places.per is not None:
        batch = '    text = str(value).replace("T", " ")\n'
        batch += _WEEK if places.per == "week" else f"    return {_PERIODS[places.per]}\n"
    return _BATCH.format(
        origin=facts,
        columns=repr(decision.columns),
        least=decision.least,
        first=key if places.arrival else f"-saving, -values[0], {key}",
        free=f"{places.reviews}{' + left' if places.carry_over else ''}",
        label=decision.label,
        batch=batch,
    )


def _by_group(decision: Decision, columns: Sequence[str]) -> list[str]:
    """Return the decision of every group, with its own numbers."""

    def own(one: Decision) -> list[str]:
        names = {column: f"row[{k}]" for k, column in enumerate(one.columns)}
        if not names:
            return _lines(one, names)
        places = tuple(list(columns).index(column) for column in one.columns)
        lines = [f"row = _numbers(values, {places})", "if row is None:", "    return None"]
        return [*lines, *_lines(one, names)]

    assert isinstance(decision.value, Case)
    lines = []
    for test, one in decision.value.branches:
        assert isinstance(test, Equals)
        lines += [f"if group in {test.texts!r}:", *_indented(own(one))]
    return [*lines, *own(decision.value.otherwise)]


def _words(value: Case | FirstBest, names: Mapping[str, str]) -> str:
    """Return the decision of a score in words."""
    if not isinstance(value, Case):
        return "the label of a score"
    branches = [f"{label!r} if {_condition(test, names)}" for test, label in value.branches]
    return ", ".join([*branches, f"{'else' if branches else 'always'} {value.otherwise!r}"])


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _condition(test: Condition, names: Mapping[str, str]) -> str:
    if isinstance(test, All):
        return " and ".join(_condition(one, names) for one in test.conditions)
    assert not isinstance(test, Equals), "only groups are compared as text"
    return f"{_number(test.left, names)} {test.operator} {_number(test.right, names)}"


def _number(value: Numeric, names: Mapping[str, str]) -> str:
    match value:
        case Column():
            return names[value.name]
        case Number():
            return repr(value.value)
        case Sum():
            # Python adds from the left
            return f"({' + '.join(_number(term, names) for term in value.terms)})"
        case Bound():
            return value.name
        case Least():
            return f"min({', '.join(_number(one, names) for one in value.values)})"
        case Interpolated():
            parts = value.points, value.values, value.slopes
            return f"_interpolated({_number(value.value, names)}, {', '.join(map(repr, parts))})"
        case Indicator():
            return f"(1.0 if {_condition(value.condition, names)} else 0.0)"
    return f"({_number(value.left, names)} * {_number(value.right, names)})"


def _in_docstring(text: str) -> str:
    """Keep a text from ending a docstring or escaping in it."""
    return text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"').replace('"', '\\"')
