"""A decision as the source of a Python function that imports nothing."""

from collections.abc import Mapping, Sequence

from demur.windows.expression import (
    All,
    Bound,
    Case,
    Column,
    Condition,
    Decision,
    Indicator,
    Interpolated,
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


def python_of(decision: Decision, origin: Sequence[str]) -> str:
    """Return the source of a module with one function, of a score or of one value per column."""
    told, value = "\n".join(map(_in_docstring, origin)), decision.value
    names = {column: f"values[{k}]" for k, column in enumerate(decision.columns)}
    words = "the label of a score"
    if len(decision.columns) == 1:
        names = {decision.columns[0]: "score"}
    lines = [f"{name} = {_number(number, names)}" for name, number in decision.bindings]
    if decision.valid is not None:
        lines += [f"if not ({_condition(decision.valid, names)}):", "    return None"]
    if isinstance(value, Case):
        tests = [(_condition(test, names), label) for test, label in value.branches]
        lines += [line for test, label in tests for line in (f"if {test}:", f"    return {label!r}")]
        lines.append(f"return {value.otherwise!r}")
        branches = [f"{label!r} if {test}" for test, label in tests]
        words = ", ".join([*branches, f"{'else' if branches else 'always'} {value.otherwise!r}"])
    else:
        lines += ["numbers = [", *(f"    {_number(number, names)}," for number in value.values), "]"]
        lines += ["labels = [", *(f"    {label!r}," for label in value.labels), "]"]
        lines.append(f"return labels[numbers.index({'max' if value.largest else 'min'}(numbers))]")
    head = _ONE.format(origin=told, words=_in_docstring(words))
    if len(decision.columns) > 1:
        head = _SEVERAL.format(origin=told, columns=repr(decision.columns), inputs=len(decision.columns))
    body = "".join(f"    {line}\n" for line in lines)
    return head + body + (_INTERPOLATED if "_interpolated(" in body else "")


def _condition(test: Condition, names: Mapping[str, str]) -> str:
    if isinstance(test, All):
        return " and ".join(_condition(one, names) for one in test.conditions)
    return f"{_number(test.left, names)} {test.operator} {_number(test.right, names)}"


def _number(value: Numeric, names: Mapping[str, str]) -> str:
    if isinstance(value, Column):
        return names[value.name]
    if isinstance(value, Number):
        return repr(value.value)
    if isinstance(value, Sum):
        # Python adds from the left
        return f"({' + '.join(_number(term, names) for term in value.terms)})"
    if isinstance(value, Bound):
        return value.name
    if isinstance(value, Interpolated):
        parts = value.points, value.values, value.slopes
        return f"_interpolated({_number(value.value, names)}, {', '.join(map(repr, parts))})"
    if isinstance(value, Indicator):
        return f"(1.0 if {_condition(value.condition, names)} else 0.0)"
    return f"({_number(value.left, names)} * {_number(value.right, names)})"


def _in_docstring(text: str) -> str:
    """Keep a text from ending a docstring or escaping in it."""
    return text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"').replace('"', '\\"')
