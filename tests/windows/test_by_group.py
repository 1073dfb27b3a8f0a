"""`ByGroup` and `Constant`: decisions by hand, one spelling of every group, files, refusals."""

import datetime

import numpy as np
import pandas as pd
import pytest

from demur import ABSTAIN, InputError
from demur.windows import ByGroup, ClassRule, Constant, Window
from demur.windows.by_group import group_text

WEIGHTS = ClassRule(classes=("a", "b", "c"), weights=[1, 1, 2], abstain_weight=0.6)
RULES = {
    "north": (["new"], Window(0.3, 0.6)),
    "7": (["old"], Window(0.5, 0.5)),
    "closed": ([], Constant(ABSTAIN)),
}


def rule(**changes):
    """Return a rule of three groups that read two models."""
    parts = {"column": "site", "rules": RULES, "fallback": (["old"], Window(0.2, 0.8))}
    return ByGroup(**{**parts, **changes})


def test_decisions_by_hand():
    rows = [
        [0.6, None, "north"],  # at the upper threshold
        [0.3, "no number", "north"],
        [0.5, None, "north"],
        [None, 0.5, 7],
        [None, 0.4, 7.0],
        [None, 0.5, "7"],
        ["no number", None, "closed"],
        [None, 0.8, "west"],
        [0.9, 0.2, None],
        [0.9, 0.5, float("nan")],
        [0.9, 0.5, ""],
    ]
    expected = [1, 0, ABSTAIN, 1, 0, 1, ABSTAIN, 1, 0, ABSTAIN, ABSTAIN]
    assert rule().decide(rows).tolist() == expected
    assert rule().codes(np.array(rows, dtype=object)).tolist() == expected
    assert rule().decide(np.empty((0, 3))).tolist() == []


def test_columns_inputs_and_who_abstains_by_hand():
    made = rule()
    assert made.names == ("new", "old", "site")
    assert made.inputs == 3
    assert made.abstains
    assert made.classes == ()
    assert made.places(["west", "7", "north", None]).tolist() == [3, 1, 0, 3]
    assert made.reads(["north", "closed", "west"]).tolist() == [[True, False], [False, False], [False, True]]
    decided = {"a": (["s"], Window(0.5, 0.5)), "b": ([], Constant(1))}
    assert not rule(rules=decided, fallback=([], Constant(0))).abstains
    assert made.words(("negative", "positive")) == "a rule for each of 3 groups of site"
    assert repr(made) == "ByGroup(site: 3 groups, columns new, old)"


def test_weights_of_classes_by_hand():
    made = rule(rules={"x": (["p", "q", "r"], WEIGHTS)}, fallback=([], Constant(2)))
    assert made.classes == ("a", "b", "c")
    rows = [[0.7, 0.2, 0.1, "x"], [0.4, 0.2, 0.4, "x"], [0.5, 0.4, 0.1, "x"], [None, None, None, "y"]]
    assert made.decide(rows).tolist() == [0, 2, ABSTAIN, 2]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (7, "7"),
        (7.0, "7"),
        (np.float32(7), "7"),
        (np.int64(-7), "-7"),
        ("7.0", "7"),
        ("007", "007"),
        ("7.00", "7.00"),
        (7.5, "7.5"),
        (True, "true"),
        (np.bool_(False), "false"),
        ("True", "true"),
        ("north ", "north "),
        (datetime.date(2024, 5, 31), "2024-05-31"),
        (np.datetime64("2024-05-31T00:00:00.000000"), "2024-05-31"),
        (pd.Timestamp("2024-05-31"), "2024-05-31"),
        (None, ""),
        (float("nan"), ""),
        (pd.NA, ""),
        (np.datetime64("NaT"), ""),
    ],
    ids=str,
)
def test_spelling_of_a_group_by_hand(value, text):
    assert group_text(value) == text


def test_a_file_says_it_all():
    made = rule()
    data = made.to_dict()
    assert data["rules"]["closed"] == {"columns": [], "rule": {"kind": "constant", "code": -1}}
    assert ByGroup.from_dict(data).to_dict() == data
    rows = [[0.6, 0.1, "north"], [0.1, 0.5, "7"], [0.1, 0.9, "?"]]
    assert ByGroup.from_dict(data).decide(rows).tolist() == made.decide(rows).tolist()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"rules": {}}, "`rules` must name at least one group, and none of them empty, got []"),
        ({"rules": {"": RULES["north"]}}, "none of them empty"),
        ({"rules": {7: RULES["7"], "7.0": RULES["7"]}}, "must spell every group in one way, got 7, 7.0"),
        ({"rules": {"a": ([], Window(0, 1))}}, "must name 1 different columns beside 'site' for a Window"),
        ({"rules": {"a": (["site"], Window(0, 1))}}, "must name 1 different columns beside 'site'"),
        ({"rules": {"a": (["p", "p", "q"], WEIGHTS)}}, "must name 3 different columns"),
        (
            {"rules": {"a": (["s"], "window")}},
            "must be of the kinds constant, window, cl",
        ),
        ({"rules": {"a": ([], Constant(0))}, "fallback": ([], Constant(1))}, "got constants only"),
        ({"column": 3}, "`column` must be a str"),
    ],
)
def test_what_is_no_rule_is_refused(changes, sentence):
    with pytest.raises(InputError) as caught:
        rule(**changes)
    assert sentence in str(caught.value)


def test_rules_of_other_classes_and_rules_of_groups_in_groups_are_refused():
    other = ClassRule(classes=("a", "b", "d"), weights=[1, 1, 1])
    columns = ["p", "q", "r"]
    with pytest.raises(InputError, match="must have the same classes in all groups"):
        rule(rules={"x": (columns, WEIGHTS), "y": (columns, other)})
    with pytest.raises(InputError, match="must be of the kinds"):
        rule(rules={"x": (["new", "old", "site"], rule())})
    for code in (-2, 0.5, True):
        with pytest.raises(InputError, match="`code` must be that of a class, or -1"):
            Constant(code)


def test_what_is_no_number_is_refused_with_its_group():
    with pytest.raises(InputError, match=r"^Rows of site = north: .* must not contain NaN"):
        rule().decide([[0.1, 0.2, "7"], [None, 0.2, "north"]])
    with pytest.raises(InputError, match="`table` must have the 3 columns new, old, site, got an array of"):
        rule().decide([[0.1, 0.2]])
