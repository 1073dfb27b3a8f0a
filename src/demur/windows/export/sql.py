"""A policy as SQL: one CASE expression, or a query over a table."""

import math
from collections.abc import Sequence
from typing import Any

from demur._checks import check_choice, input_error
from demur.windows.export.rule import DecisionRule
from demur.windows.export.sql_dialects import DIALECTS, Dialect

__all__ = ["checked_name", "commented", "dialect_of", "label_sql", "sql_of"]

_OTHER_NAMES = {"postgresql": "postgres", "pg": "postgres", "sparksql": "spark", "mssql": "tsql"}
_INDENT = "\n  "


def sql_of(rule: DecisionRule, *, dialect: str, score: str, table: str | None, decision: str) -> str:
    """Return the CASE expression of a rule, or with `table` the query that adds it as a column."""
    target = dialect_of(dialect)
    expression = _case(rule, target, target.column(checked_name(score, "score")))
    return commented(expression, rule.origin_lines(), target, table=table, decision=decision)


def dialect_of(name: Any) -> Dialect:
    """Return the database of a name, also of another spelling."""
    if isinstance(name, str):
        plain = name.lower().replace("-", "").replace(" ", "")
        name = _OTHER_NAMES.get(plain, plain)
    return DIALECTS[check_choice(name, "dialect", tuple(DIALECTS))]


def commented(
    expression: str, origin: Sequence[str], target: Dialect, *, table: str | None, decision: str
) -> str:
    """Put where the rule comes from before an expression, or before the query that adds it as a column."""
    comment = _comment(origin, target)
    if table is None:
        return f"{comment}\n{expression}"
    added = target.column(checked_name(decision, "decision"))
    return f"{comment}\nSELECT *,\n{expression} AS {added}\nFROM {target.table(checked_name(table, 'table'))}"


def _case(rule: DecisionRule, target: Dialect, raw: str) -> str:
    score = f"CAST({raw} AS {target.real})"
    positive, negative, abstain = (label_sql(label, rule.kind, target) for label in rule.labels)
    branches = [f"WHEN {target.missing.format(raw=raw, score=score)} THEN NULL"]
    otherwise = abstain
    # infinite thresholds hold for all scores or for none, so no database has to write infinity
    if rule.upper == -math.inf:
        otherwise = positive
    elif rule.uses_positive:
        branches.append(f"WHEN {score} >= {target.literal(rule.upper)} THEN {positive}")
    if rule.uses_negative:
        if rule.lower == math.inf:
            otherwise = negative
        else:
            branches.append(f"WHEN {score} <= {target.literal(rule.lower)} THEN {negative}")
    return f"CASE{_INDENT}{_INDENT.join(branches)}{_INDENT}ELSE {otherwise}\nEND"


def label_sql(label: str | float, kind: str, target: Dialect) -> str:
    """Write a label of one kind."""
    if kind == "text":
        return target.text(str(label))
    return str(label) if kind == "whole" else target.literal(float(label))


def _comment(origin: Sequence[str], target: Dialect) -> str:
    """Say where the rule comes from; nothing in it can end the comment or begin another."""
    lines = [
        f"Decision of a policy of demur, for {target.name}; a missing score or NaN gets no decision (NULL).",
        *origin,
    ]
    safe = [line.replace("*/", "* /").replace("/*", "/ *") for line in lines]
    return "/* " + "\n   ".join(safe) + " */"


def checked_name(name: object, argument: str) -> str:
    """Return the name of a column or a table."""
    if not isinstance(name, str) or not name or "\0" in name:
        raise input_error(argument, "must be a name", repr(name))
    return name
