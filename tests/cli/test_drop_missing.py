"""`--drop-missing`: the answer of the complete rows, and a word about which class lost how many."""

import pytest

from command_line import COSTS, GOOD, Y, table_file

FLAGS = ("--drop-missing", *COSTS)


@pytest.fixture
def gaps(tmp_path):
    """The worked example forty times, beside rows with gaps: in a score, in both, in the label."""
    y = [*Y * 40, 1, 1, 0, "", ""]
    good = [*GOOD * 40, "", "", "", 0.5, ""]
    other = [*[-score for score in GOOD] * 40, 0.1, "", 0.2, 0.3, 0.4]
    return table_file(tmp_path, "gaps.csv", y_true=y, good=good, bad=other)


@pytest.fixture
def complete(tmp_path):
    return table_file(tmp_path, "full.csv", y_true=Y * 40, good=GOOD * 40, bad=[-s for s in GOOD] * 40)


def test_the_answer_is_that_of_the_complete_rows(run, gaps, complete):
    found, expected = (run("compare", name, *FLAGS, "--json").json for name in ("gaps.csv", "full.csv"))
    unlabelled, *without, compared = found["comparison"].pop("notes")
    assert unlabelled.startswith(
        "1 of 481 cases have no label: they were left out; their scores do not differ"
    )
    assert without == [f"{n} of 483 cases have no score of {name}." for n, name in ((3, "good"), (1, "bad"))]
    assert compared == "Models are compared on the 480 cases that all of them scored."
    assert expected["comparison"].pop("notes") == []
    # the other model scored more rows
    models = [one["comparison"].pop("models") for one in (found, expected)]
    assert models[0]["good"] == models[1]["good"]
    assert found["comparison"] == expected["comparison"]
    assert found["data"].pop("dropped") == {"0": 1, "1": 2, "": 2}
    assert found["data"].pop("dropped_without") == {"good": 4, "y_true": 1}
    assert "dropped" not in expected["data"]
    assert found["data"].pop("source") == "gaps.csv"
    words = " ".join(run("compare", "gaps.csv", *FLAGS).err.split())
    lost = "4 without good (1 of class 0, 2 of class 1, 1 without a label), 1 without y_true."
    assert f"Left out 5 rows: {lost}" in words
    assert "Left out" not in run("compare", "full.csv", *FLAGS).err


def test_every_verb_that_chooses_a_rule_can(run, gaps, tmp_path):
    assert run("decide", "gaps.csv", *FLAGS, "-o", "policy.json").code in (0, 3)
    assert "Left out 5 rows" in " ".join(run("report", "gaps.csv", *FLAGS, "-o", "r.html").err.split())


def test_a_page_says_the_answer_of_compare_where_scores_are_missing_for_a_reason(run, tmp_path):
    n, bad = 30, [-score for score in GOOD] * 40
    # only positives lack a score, and they score high for the other model
    table = {"y_true": [*Y * 40, *[1] * n], "good": [*GOOD * 40, *[""] * n], "bad": [*bad, *[9.0] * n]}
    table_file(tmp_path, "gaps.csv", **table)
    page, found = (run(verb, "gaps.csv", *FLAGS, "--json").json for verb in ("report", "compare"))
    answers = [one["comparison"]["answer"] for one in (page, found)]
    assert answers[0] == answers[1]
    assert answers[0]["verdict"] == "likely"
    assert set(found["comparison"]["notes"]) <= set(page["notes"])


def test_only_columns_in_use_count(run, gaps):
    answer = run("compare", "gaps.csv", "--model", "bad", *FLAGS)
    assert "Left out 3 rows: 1 without bad (1 of class 1), 2 without y_true." in " ".join(answer.err.split())


def test_without_the_flag_it_is_named(run, gaps):
    answer = run("compare", "gaps.csv", *COSTS)
    assert (answer.code, answer.out) == (2, "")
    assert "Hint: drop those rows (--drop-missing), or fill them in" in " ".join(answer.err.split())


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("compare", "gaps.csv", *FLAGS, "--engine", "duckdb"), "`--drop-missing` needs the rows in memory"),
        (("check", "gaps.csv", "--drop-missing"), "--drop-missing"),
    ],
)
def test_where_it_cannot_be(run, gaps, args, sentence):
    answer = run(*args)
    assert (answer.code, answer.out) == (2, "")
    assert sentence in answer.err
