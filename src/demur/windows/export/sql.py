"""A policy as SQL: one CASE expression, or a query over a table."""

import math

from demur._checks import check_choice, input_error
from demur.windows.export.rule import DecisionRule
from demur.windows.export.sql_dialects import DIALECTS, Dialect

__all__ = ["sql_of"]

_OTHER_NAMES = {"postgresql": "postgres", "pg": "postgres", "sparksql": "spark", "mssql": "tsql"}
_INDENT = "\n  "


def sql_of(rule: DecisionRule, *, dialect: str, score: str, table: str | None, decision: str) -> str:
    """Return the CASE expression of a rule, or with `table` the query that adds it as a column."""
    if isinstance(dialect, str):
        plain = dialect.lower().replace("-", "").replace(" ", "")
        dialect = _OTHER_NAMES.get(plain, plain)
    target = DIALECTS[check_choice(dialect, "dialect", tuple(DIALECTS))]
    expression = _case(rule, target, target.column(_name(score, "score")))
    origin = _comment(rule, target)
    if table is None:
        return f"{origin}\n{expression}"
    added = target.column(_name(decision, "decision"))
    return f"{origin}\nSELECT *,\n{expression} AS {added}\nFROM {target.table(_name(table, 'table'))}"


def _case(rule: DecisionRule, target: Dialect, raw: str) -> str:
    score = f"CAST({raw} AS {target.real})"
    positive, negative, abstain = (_label(rule, label, target) for label in rule.labels)
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


def _label(rule: DecisionRule, label: str | float, target: Dialect) -> str:
    kind = rule.kind
    if kind == "text":
        return target.text(str(label))
    return str(label) if kind == "whole" else target.literal(float(label))


def _comment(rule: DecisionRule, target: Dialect) -> str:
    """Say where the rule comes from; nothing in it can end the comment or begin another."""
    lines = [
        f"Decision of a policy of demur, for {target.name}; a missing score or NaN gets no decision (NULL).",
        *rule.origin_lines(),
    ]
    safe = [line.replace("*/", "* /").replace("/*", "/ *") for line in lines]
    return "/* " + "\n   ".join(safe) + " */"


def _name(name: object, argument: str) -> str:
    if not isinstance(name, str) or not name or "\0" in name:
        raise input_error(argument, "must be a name", repr(name))
    return name
