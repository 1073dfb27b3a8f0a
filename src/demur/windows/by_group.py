"""`ByGroup`: a rule for every group of cases, and one for groups that it does not know."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from demur._checks import check_choice, check_type, input_error
from demur._checks.arrays import is_missing
from demur._files.values import listed, part, shown, text
from demur._results import Result
from demur.exceptions import InputError
from demur.surface.window import ABSTAIN
from demur.typing import ArrayLike, IntArray
from demur.windows.budgeted import Budgeted
from demur.windows.class_rule import ClassRule
from demur.windows.expression import Case, Decision, Equals
from demur.windows.rule import RULES, Rule, register_rule

__all__ = ["ByGroup", "Constant", "GroupRule", "group_text"]

# 7.0, and midnight as databases, numpy and pandas write it
_LONGER = re.compile(r"(-?\d+)\.0|(\d{4}-\d\d-\d\d)[ T]00:00:00(?:\.0+)?")
_TRUTH = {"True": "true", "False": "false"}


def group_text(value: Any) -> str:
    """Spell the name of a group in one way: 7.0 is 7, True is true; empty where it is missing."""
    if is_missing(value):
        return ""
    name = str(value)
    longer = _LONGER.fullmatch(name)
    return longer[1] or longer[2] if longer else _TRUTH.get(name, name)


@dataclass(frozen=True, slots=True)
class Constant:
    """One action for every case, whatever its numbers: the `code` of a class, or `ABSTAIN`."""

    code: int
    kind: ClassVar[str] = "constant"
    inputs: ClassVar[int] = 0

    def __post_init__(self) -> None:
        whole = isinstance(self.code, int) and not isinstance(self.code, bool)
        if not whole or self.code < ABSTAIN:
            raise input_error("code", "must be that of a class, or -1", shown(self.code))

    @property
    def abstains(self) -> bool:
        """Whether it is abstaining."""
        return self.code == ABSTAIN

    def decide(self, table: ArrayLike) -> IntArray:
        """Return the code for every row."""
        return np.full(len(np.asarray(table)), self.code, dtype=np.int64)

    codes = decide

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as JSON-safe built-in types."""
        return {"kind": self.kind, "code": self.code}

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Return the rule that `to_dict` described."""
        return cls(part(data, "code"))

    def to_expression(self, columns: Sequence[str], labels: Sequence[Any]) -> Decision:
        """Return the decision, which reads nothing."""
        return Decision(columns=(), valid=None, value=Case((), labels[self.code]))


class GroupRule(NamedTuple):
    """The rule of one group, and the names of the columns it reads."""

    columns: tuple[str, ...]
    rule: Rule | Constant


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class ByGroup(Result):
    """A rule for every group of cases, and one for all other cases.

    Groups are compared as text: a whole number has no decimals, so that 7, 7.0 and "7" are one group. Each
    rule reads columns of its own, and only these must be numbers in the rows of its group.

    Parameters
    ----------
    column : str
        Name of the column with the groups.
    rules : mapping {group: (columns, rule)}
        The rule of each group, with the names of the columns it reads. `Constant` reads none.
    fallback : (columns, rule)
        The rule for groups that are not listed, and where the group is missing.

    Raises
    ------
    InputError
        For a rule whose number of columns differs from its inputs, one group in two spellings, rules of
        different classes, and rules that read no column at all.

    Examples
    --------
    The north trusts a new model; the south knows an old one, and so does everybody else:

    >>> from demur.windows import ByGroup, Window
    >>> rules = {"north": (["new"], Window(0.3, 0.6)), "south": (["old"], Window(0.5, 0.5))}
    >>> rule = ByGroup(column="site", rules=rules, fallback=(["old"], Window(0.2, 0.8)))
    >>> rule.names
    ('new', 'old', 'site')
    >>> rule.decide([[0.5, None, "north"], [None, 0.5, "south"], [None, 0.5, "west"]]).tolist()
    [-1, 1, -1]
    """

    column: str
    rules: Mapping[str, GroupRule]
    fallback: GroupRule
    kind: ClassVar[str] = "by group"
    texts: ClassVar[int] = 1
    two_sided: ClassVar[bool] = True
    inputs_words: ClassVar[str] = "Numbers from columns {numbers}, groups by {texts[0]}"

    def __post_init__(self) -> None:
        check_type(self.column, "column", str)
        check_type(self.rules, "rules", Mapping)
        rules = {group_text(name): _checked(one, self.column) for name, one in self.rules.items()}
        if not rules or "" in rules:
            raise input_error("rules", "must name at least one group, and none of them empty", list(rules))
        if len(rules) < len(self.rules):
            raise input_error("rules", "must spell every group in one way", ", ".join(map(str, self.rules)))
        object.__setattr__(self, "rules", rules)
        object.__setattr__(self, "fallback", _checked(self.fallback, self.column))
        if self.inputs == 1:
            raise input_error("rules", "must read a column of numbers in some group", "constants only")
        classes = {one.rule.classes for one in self.members if isinstance(one.rule, ClassRule)}
        if len(classes) > 1:
            raise input_error("rules", "must have the same classes in all groups", sorted(map(str, classes)))
        Result.__post_init__(self)

    @property
    def members(self) -> tuple[GroupRule, ...]:
        """The rules of the groups in order; the fallback is the last one."""
        return (*self.rules.values(), self.fallback)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of numbers that some rule reads, and that of the groups last."""
        return (*dict.fromkeys(name for one in self.members for name in one.columns), self.column)

    @property
    def inputs(self) -> int:
        """Number of columns it reads."""
        return len(self.names)

    @property
    def abstains(self) -> bool:
        """Whether abstaining is among the actions of some rule."""
        return any(one.rule.abstains for one in self.members)

    @property
    def classes(self) -> tuple[Any, ...]:
        """Classes of rules of many classes; empty for windows."""
        return next((one.rule.classes for one in self.members if isinstance(one.rule, ClassRule)), ())

    def words(self, class_names: Sequence[str]) -> str:
        """Say the rules of the groups."""
        return f"a rule for each of {len(self.rules)} groups of {self.column}"

    def places(self, groups: Sequence[Any]) -> IntArray:
        """Return the place among `members` of the rule for every group; that of the fallback is the last."""
        known = {name: place for place, name in enumerate(self.rules)}
        found = {value: known.get(group_text(value), len(known)) for value in set(groups)}
        return np.fromiter((found[value] for value in groups), np.int64, len(groups))

    def reads(self, groups: Sequence[Any]) -> Any:
        """Return which columns of numbers the rule of each row reads: a row per group given."""
        names = self.names[:-1]
        read = [[name in one.columns for name in names] for one in self.members]
        return np.array(read)[self.places(groups)]

    def decide(self, table: ArrayLike) -> IntArray:
        """Return the code of every row of an (n, inputs) table whose last column holds the groups."""
        cells, members, names = np.asarray(table, dtype=object), self.members, self.names
        if cells.ndim != 2 or cells.shape[1] != len(names):
            wanted = f"must have the {len(names)} columns {', '.join(names)}"
            raise input_error("table", wanted, f"an array of shape {cells.shape}")
        places, codes = self.places(cells[:, -1].tolist()), np.empty(len(cells), dtype=np.int64)
        order = np.argsort(places, kind="stable")
        for rows in np.split(order, np.flatnonzero(np.diff(places[order])) + 1) if len(cells) else ():
            columns, rule = members[places[rows[0]]]
            inputs = cells[rows][:, [names.index(name) for name in columns]]
            try:
                codes[rows] = rule.decide(inputs[:, 0] if rule.inputs == 1 else inputs)
            except InputError as error:
                raise InputError(f"Rows of {self.column} = {cells[rows[0], -1]}: {error}") from None
        return codes

    codes = decide

    def to_dict(self) -> dict[str, Any]:
        """Return the rules as JSON-safe built-in types."""
        return {
            "kind": self.kind,
            "column": self.column,
            "rules": {name: _written(one) for name, one in self.rules.items()},
            "fallback": _written(self.fallback),
        }

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Return the rule that `to_dict` described; refuse anything else in one sentence."""
        rules = part(data, "rules")
        if not isinstance(rules, dict):
            raise input_error("rules", "must be an object", shown(rules))
        found = {name: _read(one) for name, one in rules.items()}
        return cls(column=text(data, "column"), rules=found, fallback=_read(part(data, "fallback")))

    def to_expression(self, columns: Sequence[str], labels: Sequence[Any]) -> Decision:
        """Return the decision: the group tells which one applies."""
        named = dict(zip(self.names, columns, strict=True))
        own = [one.rule.to_expression([named[name] for name in one.columns], labels) for one in self.members]
        tests = []
        for name in self.rules:
            # the texts that other systems write for the group
            others = (f"{name}.0", f"{name} 00:00:00", f"{name}T00:00:00", name.title())
            texts = [other for other in others if other != name and group_text(other) == name]
            tests.append(Equals(named[self.column], (name, *texts)))
        return Decision(columns=(), valid=None, value=Case(tuple(zip(tests, own, strict=False)), own[-1]))

    def __repr__(self) -> str:
        return f"ByGroup({self.column}: {len(self.rules)} groups, columns {', '.join(self.names[:-1])})"


def _checked(one: Any, column: str) -> GroupRule:
    """Return the rule of a group with its columns."""
    columns, rule = one
    columns = tuple(columns)
    if type(rule) not in _kinds().values():
        raise input_error("rules", f"must be of the kinds {', '.join(_kinds())}", type(rule).__name__)
    if len(set(columns)) != rule.inputs or len(columns) != rule.inputs or column in columns:
        wanted = f"must name {rule.inputs} different columns beside {column!r} for a {type(rule).__name__}"
        raise input_error("rules", wanted, repr(columns))
    return GroupRule(columns, rule)


def _kinds() -> dict[str, Any]:
    """Return the classes of rules that may decide in a group, by kind."""
    # places are shared by all rows of a batch, whatever their groups
    refused = ByGroup, Budgeted
    return {Constant.kind: Constant, **{kind: rule for kind, rule in RULES.items() if rule not in refused}}


def _written(one: GroupRule) -> dict[str, Any]:
    return {"columns": list(one.columns), "rule": one.rule.to_dict()}


def _read(data: Any) -> GroupRule:
    columns, kinds = listed(data, "columns", str), _kinds()
    kind = check_choice(text(data, "rule.kind"), "rule.kind", tuple(kinds))
    return GroupRule(tuple(columns), kinds[kind].from_dict(data["rule"]))


register_rule(ByGroup)
