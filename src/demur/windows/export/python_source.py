"""A policy as the source of a Python function that imports nothing."""

import math

from demur.windows.export.rule import DecisionRule

__all__ = ["in_docstring", "python_of"]

_HEAD = '''"""Decision of a policy of demur.

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


def python_of(rule: DecisionRule) -> str:
    """Return the source of a module with one function, `decide(score)`."""
    origin = "\n".join(map(in_docstring, rule.origin_lines()))
    head = _HEAD.format(origin=origin, words=in_docstring(rule.words))
    return head + "".join(f"    {line}\n" for line in _body(rule))


def _body(rule: DecisionRule) -> list[str]:
    """Return the comparisons; infinite thresholds hold for all scores or for none."""
    if rule.upper == -math.inf:
        return [f"return {rule.positive!r}"]
    lines = []
    if rule.uses_positive:
        lines += [f"if score >= {rule.upper!r}:", f"    return {rule.positive!r}"]
    if rule.lower == math.inf:
        return [*lines, f"return {rule.negative!r}"]
    if rule.uses_negative:
        lines += [f"if score <= {rule.lower!r}:", f"    return {rule.negative!r}"]
    return [*lines, f"return {rule.abstain!r}"]


def in_docstring(text: str) -> str:
    """Keep a text from ending a docstring or escaping in it."""
    return text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"').replace('"', '\\"')
