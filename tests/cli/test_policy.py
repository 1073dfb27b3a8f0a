"""`demur decide` and `demur apply` as a user meets them: answers, streams, refusals, nothing half-written."""

import csv
import gzip
import io
import json
import os
import re
import subprocess
import sys

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from command_line import COSTS, GOOD, Y, python, table_file
from demur import (
    CostModel,
    Policy,
    ScoreCounts,
    _progress,
    abstention_surface,
    cheapest_window,
    compare_models,
)
from demur.engines import row_stream
from demur.engines.row_stream import open_rows
from demur.monitoring.application import Application
from demur.surface.window import written_window
from examples import examples

MANY = {"good": GOOD * 40, "bad": [-score for score in GOOD] * 40}
MODEL = CostModel(cost_fn=100, cost_fp=100, cost_abstain=25)


def policy_file(folder, name="policy.json", **labels):
    labels = {"model": "good", **labels}
    policy = Policy.from_surface(abstention_surface(Y, GOOD), costs=MODEL, **labels)
    policy.save(folder / name)
    return policy


def decided(policy, score, stream, handle, **how):
    applied = Application(policy, stream, (score,), **how)
    applied.write_csv(handle)
    return applied.to_dict()


def cells(text, separator=","):
    return list(csv.reader(io.StringIO(text), delimiter=separator))


# ---------------------------------------------------------------- decide


def test_decision_of_the_worked_example_by_hand(run, many, tmp_path):
    answer = run("decide", many, *COSTS, "-o", "policy.json")
    text = " ".join(answer.out.split())
    assert answer.code == 0
    assert text.startswith(
        "Proven. Use good: call positive from 0.6 up, negative up to -0.7, send the rest to a person. "
        "Of 1000 cases 167 are called positive, 167 negative, 666 go to a person; no positive cases missed, "
        "no false alarms. Cost 16,800 per 1000 cases (95 % interval 16,700 to 17,900), "
    )
    assert "Chosen among bad, good. " in text
    assert "Labels: positive = 1, negative = 0, abstain = -1; 50.0 % positive assumed." in text
    assert text.endswith("the problem to policy.toml. Next: demur apply policy.json FILE")
    assert max(map(len, answer.out.splitlines())) <= 80
    policy = Policy.load(tmp_path / "policy.json")
    expected = Policy.from_answer(compare_models(Y * 40, MANY, costs=MODEL).answer)
    assert policy.to_dict() == expected.to_dict()
    assert (policy.lower, policy.upper) == (-0.7, 0.6)
    # 320 of 480 cases are reviewed at 25, and no miss or false alarm at 100 was seen: one is counted
    assert policy.expected_cost == pytest.approx((320 * 25 + 100) / 481)
    assert sorted(os.listdir(tmp_path)) == ["p.csv", "policy.json", "policy.toml"]


def test_words_are_those_of_compare(run, worked):
    decided = run("decide", worked, *COSTS, "--json", "-q").json["decision"]
    assert decided == run("compare", worked, *COSTS, "--json", "-q").json["decision"]


def test_without_output_the_policy_is_on_stdout_and_the_words_on_stderr(run, many, tmp_path):
    answer = run("decide", many, *COSTS)
    (tmp_path / "policy.json").write_text(answer.out)
    assert Policy.load(tmp_path / "policy.json").model == "good"
    assert "Use good: call positive from 0.6 up" in answer.err
    assert max(map(len, answer.err.splitlines())) <= 80
    quiet = run("decide", many, *COSTS, "--quiet", "-o", "-")
    assert (quiet.out, quiet.err) == (answer.out, "")


def test_json_is_one_document(run, many, tmp_path):
    answer = run("decide", many, *COSTS, "--json", "-q", "-o", "policy.json")
    document = answer.json
    assert (document["schema"], document["version"], answer.err) == ("demur.decide", 3, "")
    assert document["policy"].items() <= json.loads((tmp_path / "policy.json").read_text()).items()
    assert list(document["comparison"]["models"]) == ["good", "bad"]
    assert document["comparison"]["models"]["good"]["window"]["lower"] == document["policy"]["rule"]["lower"]
    assert (document["model"], document["limits"]) == ("good", {})


def test_one_model_is_not_said_to_be_chosen(run, many, tmp_path):
    answer = run("decide", many, *COSTS, "--model", "good", "-o", "policy.json")
    assert "Chosen" not in answer.out
    assert Policy.load(tmp_path / "policy.json").model == "good"


# ---------------------------------------------------------------- decide: a rule without a model


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--mu", 0), "Call every case positive: no model beats this. Cost 0 per 1000 cases."),
        (("--mu", 0.2, "--nu", 0), "Send every case to a person: no model beats this."),
        (("--mu", 9, "--model", "bad"), "Call every case negative: no model beats this."),
    ],
)
def test_where_no_model_pays_nothing_is_written(run, many, tmp_path, flags, words):
    answer = run("decide", many, *flags, "-o", "policy.json")
    text = " ".join(answer.out.split())
    assert answer.code == 3
    assert text.startswith(words)
    assert "No policy is written: a rule without a model needs none. Hint: --anyway" in text
    assert os.listdir(tmp_path) == ["p.csv"]
    bare = run("decide", many, *flags)
    assert (bare.code, bare.out) == (3, "")
    assert "No policy is written" in bare.err
    document = run("decide", many, *flags, "--json", "-q", "-o", "policy.json")
    assert (document.code, document.json["policy"], document.json["model"]) == (3, None, None)
    assert os.listdir(tmp_path) == ["p.csv"]


def test_anyway_writes_the_best_model(run, many, tmp_path):
    flags = ("--mu", 9, "--model", "bad", "-o", "policy.json")
    assert run("decide", many, *flags).code == 3
    answer = run("decide", many, *flags, "--anyway")
    text = " ".join(answer.out.split())
    assert answer.code == 0
    assert text.startswith("Written although something else is cheaper: Call every case negative")
    comparison = compare_models(Y * 40, {"bad": MANY["bad"]}, costs=CostModel(cost_fn=1, cost_fp=9))
    expected = Policy.from_answer(comparison.best_model())
    assert Policy.load(tmp_path / "policy.json").to_dict() == expected.to_dict()
    document = run("decide", many, *flags, "--anyway", "--json", "-q").json
    assert document["policy"].items() <= json.loads((tmp_path / "policy.json").read_text()).items()
    # the comparison keeps the answer, whatever is written
    assert document["comparison"]["answer"]["model"] is None
    assert document["model"] == expected.model


def test_anyway_changes_nothing_where_a_model_pays(run, many):
    assert run("decide", many, *COSTS, "--anyway").out == run("decide", many, *COSTS).out


# ---------------------------------------------------------------- decide: limits


def test_limits_against_the_function(run, many, tmp_path):
    flags = ("--max-abstention", 0.25, "--min-precision-negative", 0.7)
    answer = run("decide", many, *COSTS, *flags, "-o", "policy.json")
    counts = ScoreCounts.from_arrays(Y, GOOD)
    limits = {"max_abstention": 0.25, "min_precision_negative": 0.7}
    window = written_window(cheapest_window(counts, costs=MODEL, **limits), counts)
    policy = Policy.load(tmp_path / "policy.json")
    assert (policy.lower, policy.upper) == (window.lower, window.upper)
    text = " ".join(answer.out.split())
    assert "Use good: " in text
    assert policy.chosen == "constrained"
    assert policy.note in text
    assert policy.note == (
        "Limits: at most 25 % of the cases sent to a person, at least 70 % of the negative decisions right."
    )
    honest = compare_models(Y * 40, MANY, costs=MODEL, max_abstention=0.25, min_precision_negative=0.7)
    assert policy.expected_cost == pytest.approx(honest.answer.cost, abs=1e-12)


def test_a_policy_for_ranges_says_what_it_was_chosen_for(run, many, tmp_path):
    flags = ("--cost-fn", "80:120", "--cost-fp", 100, "--cost-abstain", 25, "-o", "policy.json")
    assert run("decide", many, *flags, "--objective", "worst").code == 0
    policy = Policy.load(tmp_path / "policy.json")
    assert (policy.chosen, policy.note) == (
        "constrained",
        "Chosen for the smallest cost at worst over the ranges.",
    )
    run("decide", many, *flags, "--objective", "expected")
    assert Policy.load(tmp_path / "policy.json").chosen == "cheapest"


def test_a_model_that_cannot_keep_the_limits_is_left_out(run, many):
    # the backward model has its best precision, 6 of 12, when everything is called one class
    flags = ("--max-abstention", 0.5, "--min-precision-positive", 0.7, "--min-precision-negative", 0.7)
    answer = run("decide", many, *COSTS, *flags)
    assert answer.json["model"] == "good"
    assert "Left out: bad. No window keeps the precisions" in " ".join(answer.err.split())
    compared = " ".join(run("compare", many, *COSTS, *flags).out.split())
    assert "Left out: bad. No window keeps the precisions" in compared
    alone = run("decide", many, *COSTS, *flags, "--model", "bad", "-q")
    assert (alone.code, alone.out, alone.err.count("\n")) == (2, "", 1)
    assert (
        "No rule keeps the limits; bad: No window keeps the precisions with max_abstention = 0.5" in alone.err
    )


def test_no_model_that_can_keep_the_limits(run, tmp_path):
    table_file(tmp_path, y=[0, 1, 0, 1], one=[1, 1, 2, 2], two=[1, 2, 2, 1])
    flags = ("--max-abstention", 0, "--min-precision-positive", 0.9, "--min-precision-negative", 0.9)
    for verb in ("compare", "decide", "report"):
        answer = run(verb, "p.csv", *COSTS, *flags, "-q")
        assert (answer.code, answer.out) == (2, "")
        assert "No rule keeps the limits; one: No window keeps" in answer.err
    assert os.listdir(tmp_path) == ["p.csv"]


def test_limits_that_leave_one_decision_for_all(run, tmp_path):
    # nobody may abstain, and no positive decision is right often enough: call everything negative
    table_file(tmp_path, y=[0, 0, 1, 0, 1, 1] * 9, some=[1, 1, 1, 2, 2, 2] * 9)
    flags = ("--max-abstention", 0, "--min-precision-positive", 0.9, "-o", "o")
    answer = run("decide", "p.csv", *COSTS, *flags)
    assert answer.code == 3
    assert answer.out.startswith("Call every case negative: no model beats this. Cost 50,000")
    assert os.listdir(tmp_path) == ["p.csv"]


def test_prevalence_reaches_the_policy(run, many, tmp_path):
    run("decide", many, *COSTS, "--model", "good", "--prevalence", 0.4, "-o", "policy.json")
    policy = Policy.load(tmp_path / "policy.json")
    surface = abstention_surface(Y, GOOD, prevalence=0.4)
    window = written_window(surface.window(costs=MODEL), surface.counts)
    assert (policy.prevalence, policy.lower, policy.upper) == (0.4, window.lower, window.upper)
    # 8 of 12 cases of either class are reviewed; the mistake that is counted is the dearer one, a false
    # alarm: negatives stand for 60 % of the cases instead of 50 %
    assert window.expected_cost == pytest.approx(25 * 8 / 12)
    assert policy.expected_cost == pytest.approx((480 * window.expected_cost + 100 * 0.6 / 0.5) / 481)
    run("decide", many, *COSTS, "--model", "good", "-o", "sample.json")
    assert Policy.load(tmp_path / "sample.json").at(prevalence=0.4).lower == policy.lower


@pytest.mark.parametrize(
    ("classes", "flags", "labels"),
    [
        ((0, 1), (), (1, 0, -1)),
        ((-1, 1), (), (1, -1, 0)),
        ((1, 2), ("--positive", "2"), (2, 1, -1)),
        (("no", "yes"), ("--positive", "yes"), ("yes", "no", "abstain")),
        (("no", "yes"), ("--positive", "no", "--abstain-label", "ask"), ("no", "yes", "ask")),
        ((0, 1), ("--abstain-label", "ask"), ("1", "0", "ask")),
        ((0, 1), ("--abstain-label", "9"), (1, 0, 9)),
    ],
)
def test_labels_of_the_policy(run, tmp_path, classes, flags, labels):
    sign = -1 if "no" in flags else 1
    table_file(tmp_path, y=[classes[y] for y in Y * 40], good=[sign * score for score in GOOD] * 40)
    assert run("decide", "p.csv", *COSTS, *flags, "-o", "o.json").code == 0
    policy = Policy.load(tmp_path / "o.json")
    assert (policy.pos_label, policy.neg_label, policy.abstain_label) == labels


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        ((), "A decision needs costs. Hint: pass --cost-fn"),
        (("--cost-fn", "3"), "`--cost-fp` is needed with --cost-fn"),
        ((*COSTS, "--max-abstention", "2"), "`--max-abstention` must lie in [0, 1], got 2.0"),
        ((*COSTS, "--min-precision-positive", "0"), "`--min-precision-positive` must"),
        ((*COSTS, "--min-precision-negative", "1.5"), "`--min-precision-negative` must"),
        ((*COSTS, "--abstain-label", "1"), "`--abstain-label` must not be one of the classes 1 and 0, got 1"),
        ((*COSTS, "--model", "goo"), "has no column 'goo'"),
        ((*COSTS, "--modle", "good"), "--modle"),
        ((*COSTS, "-o", "no/such/folder.json"), "cannot be written: No such file or directory"),
        ((*COSTS, "-o", "."), "cannot be written: Is a directory"),
    ],
)
def test_decide_error_sentences(run, many, tmp_path, flags, sentence):
    answer = run("decide", many, *flags, "-q")
    assert (answer.code, answer.out) == (2, "")
    assert sentence in answer.err
    assert answer.err.startswith("demur: ")
    assert answer.err.count("\n") == 1
    assert os.listdir(tmp_path) == ["p.csv"]


# ---------------------------------------------------------------- apply: what comes out


def test_apply_by_hand(run, tmp_path):
    policy_file(tmp_path, pos_label="ill", neg_label="well", abstain_label="ask")
    (tmp_path / "new.csv").write_text('id,good,name\n007,0.70,"a, b"\n008,-0.8,\n009,1e-3,NA\n')
    answer = run("apply", "policy.json", "new.csv")
    # cells come back as they stand: leading zeros, trailing zeros, quotes where needed
    assert answer.out == ('id,good,name,decision\n007,0.70,"a, b",ill\n008,-0.8,,well\n009,1e-3,NA,ask\n')
    assert answer.err == ("3 rows: 1 positive, 1 negative, 1 abstained on. Scores from column good.\n")
    assert run("apply", "policy.json", "new.csv", "--only", "-q").out == "decision\nill\nwell\nask\n"
    assert run("apply", "policy.json", "new.csv", "--only", "-q", "--column", "d").out.startswith("d\nill")


def test_decide_then_apply_is_the_window_on_the_same_file(run, worked):
    table_file(worked.parent, "many.csv", y=Y * 40, good=GOOD * 40)
    run("decide", "many.csv", *COSTS, "-o", "policy.json")
    rows = cells(run("apply", "policy.json", worked, "-q").out)
    codes = abstention_surface(Y, GOOD).window(costs=MODEL)
    expected = [1 if s >= codes.upper else 0 if s <= codes.lower else -1 for s in GOOD]
    assert rows[0] == ["row", "y_true", "good", "bad", "decision"]
    assert [int(row[-1]) for row in rows[1:]] == expected


def test_spaces_around_names_and_numbers(run, tmp_path):
    (tmp_path / "p.csv").write_text("y, good\n" + "0, 0.1\n1, 0.9\n" * 9)
    run("decide", "p.csv", "--mu", 1, "-o", "policy.json")
    assert run("apply", "policy.json", "p.csv", "-q").out == "y,good,decision\n" + "0, 0.1,0\n1, 0.9,1\n" * 9


def test_bad_rows_are_told_with_their_line_and_counted(run, tmp_path):
    policy_file(tmp_path)
    text = 'id,good\n1,0.9\n2,\n"three\nlines\nlong",x\n\n4,NaN\n5,1_000\n6,-inf\n'
    (tmp_path / "new.csv").write_text(text)
    answer = run("apply", "policy.json", "new.csv")
    assert answer.code == 0
    assert [row[-1] for row in cells(answer.out)] == ["decision", "1", "", "", "", "", "0"]
    assert answer.err.splitlines() == [
        "line 3, column good: the score is missing; no decision.",
        "line 6, column good: 'x' is not a number; no decision.",
        "line 8, column good: the score is missing; no decision.",
        "line 9, column good: '1_000' is not a number; no decision.",
        "4 of 6 rows of new.csv have no decision.",
        "6 rows: 1 positive, 1 negative, 0 abstained on, 4 without a decision. Scores",
        "from column good.",
    ]
    # quiet or not, undecided rows do not go unnoticed
    assert run("apply", "policy.json", "new.csv", "-q").err == "4 of 6 rows of new.csv have no decision.\n"
    only = cells(run("apply", "policy.json", "new.csv", "-q", "--only").out)
    assert only == [["decision"], ["1"], [""], [""], [""], [""], ["0"]]


def test_at_most_ten_bad_rows_are_told_one_by_one(run, tmp_path):
    policy_file(tmp_path)
    (tmp_path / "new.csv").write_text("good\n" + "x\n" * 500)
    lines = run("apply", "policy.json", "new.csv").err.splitlines()
    assert sum("is not a number" in line for line in lines) == 10
    assert "500 of 500 rows of new.csv have no decision." in lines


@pytest.mark.parametrize("flags", [(), ("-o", "out.csv")])
def test_strict_writes_nothing(run, tmp_path, flags, monkeypatch):
    monkeypatch.setattr(row_stream, "_MOST_ROWS", 2)
    policy_file(tmp_path)
    (tmp_path / "new.csv").write_text("good\n" + "0.9\n" * 7 + "oops\n")
    answer = run("apply", "policy.json", "new.csv", "--strict", *flags)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == "demur: `new.csv` line 9, column good: 'oops' is not a number.\n"
    assert sorted(os.listdir(tmp_path)) == ["new.csv", "policy.json"]


def test_strict_on_good_rows_is_the_same(run, worked, tmp_path):
    policy_file(tmp_path)
    assert run("apply", "policy.json", worked, "--strict").out == run("apply", "policy.json", worked).out


def test_a_broken_line_far_down_leaves_the_old_file(run, tmp_path, monkeypatch):
    monkeypatch.setattr(row_stream, "_MOST_ROWS", 2)
    policy_file(tmp_path)
    (tmp_path / "out.csv").write_text("old")
    (tmp_path / "new.csv").write_text("id,good\n" + "1,0.9\n" * 7 + "1,2,3\n")
    answer = run("apply", "policy.json", "new.csv", "-o", "out.csv")
    assert answer.code == 2
    assert "`new.csv` must have 2 fields in every line, as in the header, got 3 in line 9" in answer.err
    assert (tmp_path / "out.csv").read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["new.csv", "out.csv", "policy.json"]


def test_output_may_replace_the_input(run, worked, tmp_path):
    policy_file(tmp_path)
    expected = run("apply", "policy.json", worked, "-q").out
    answer = run("apply", "policy.json", worked, "-o", worked)
    assert (answer.code, answer.out) == (0, "")
    assert worked.read_text() == expected


def test_summary_as_json(run, tmp_path):
    policy_file(tmp_path)
    (tmp_path / "new.csv").write_text("good\n0.9\nx\n0\n")
    answer = run("apply", "policy.json", "new.csv", "--json", "-q", "-o", "out.csv")
    document = answer.json
    assert (document["schema"], document["version"]) == ("demur.apply", 1)
    counted = {key: document[key] for key in ("rows", "positive", "negative", "abstained", "bad")}
    assert counted == {"rows": 3, "positive": 1, "negative": 0, "abstained": 1, "bad": 1}
    assert document["first_bad"] == [{"where": "line 3", "problem": "'x' is not a number"}]
    assert (tmp_path / "out.csv").read_text() == "good,decision\n0.9,1\nx,\n0,-1\n"


# ---------------------------------------------------------------- apply: kinds of files


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_separators_come_back(run, tmp_path, separator, end):
    policy_file(tmp_path)
    lines = [["id", "good"], ["a,b;c", "0.9"], ["d", "-1"]]
    with open(tmp_path / "new.csv", "w", newline="") as handle:
        csv.writer(handle, delimiter=separator, lineterminator=end).writerows(lines)
    rows = cells(run("apply", "policy.json", "new.csv", "-q").out, separator)
    assert rows == [["id", "good", "decision"], ["a,b;c", "0.9", "1"], ["d", "-1", "0"]]


def test_gzip_byte_order_mark_and_no_last_newline(run, tmp_path):
    policy_file(tmp_path)
    (tmp_path / "new.csv.gz").write_bytes(gzip.compress(b"\xef\xbb\xbfgood\n0.9\n-1"))
    assert run("apply", "policy.json", "new.csv.gz", "-q").out == "good,decision\n0.9,1\n-1,0\n"
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress(b"good\n" + b"0.9\n" * 9999)[:40])
    answer = run("apply", "policy.json", "cut.csv.gz", "-o", "out.csv")
    assert (answer.code, answer.err.count("\n")) == (2, 1)
    assert "must be readable" in answer.err
    assert not (tmp_path / "out.csv").exists()


def test_several_files_in_order(run, tmp_path):
    policy_file(tmp_path)
    for name, value in (("a1.csv", "0.9"), ("a2.csv", "x")):
        (tmp_path / name).write_text(f"id,good\n{name},{value}\n")
    answer = run("apply", "policy.json", "a*.csv")
    assert cells(answer.out)[1:] == [["a1.csv", "0.9", "1"], ["a2.csv", "x", ""]]
    assert "a2.csv line 2, column good: 'x' is not a number" in answer.err
    (tmp_path / "a3.csv").write_text("good,id\n1,1\n")
    answer = run("apply", "policy.json", "a*.csv", "-q")
    assert (answer.code, answer.out) == (2, "")
    assert "`a*.csv` must match files with one header, but a3.csv has another." in answer.err


def parquet(path, query):
    duckdb.sql(f"copy ({query}) to '{path}' (format parquet)")
    return path


def test_parquet_by_hand(run, tmp_path):
    policy_file(tmp_path)
    parquet(
        tmp_path / "new.parquet",
        """select * from (values (1, 0.9::double, date '2024-01-02', 'a,b'), (2, null, null, null),
        (3, 'nan'::double, date '2024-01-03', ''), (4, -1.0, null, 'x')) t(id, good, day, name)""",
    )
    answer = run("apply", "policy.json", "new.parquet")
    assert answer.out == (
        'id,good,day,name,decision\n1,0.9,2024-01-02,"a,b",1\n2,,,,\n3,nan,2024-01-03,,\n4,-1.0,,x,0\n'
    )
    assert answer.err.splitlines()[:3] == [
        "row 2, column good: the score is missing; no decision.",
        "row 3, column good: the score is missing; no decision.",
        "2 of 4 rows of new.parquet have no decision.",
    ]
    assert run("apply", "policy.json", "new.parquet", "-q", "--only").out == 'decision\n1\n""\n""\n0\n'
    answer = run("apply", "policy.json", "new.parquet", "--model", "name")
    assert (answer.code, answer.out) == (2, "")
    assert "`new.parquet` must have numbers in column 'name', got VARCHAR." in answer.err


@pytest.mark.parametrize("kind", ["float", "decimal(9, 3)", "integer", "boolean", "ubigint"])
def test_parquet_numbers_of_every_type(run, tmp_path, kind):
    policy_file(tmp_path)
    parquet(tmp_path / "new.parquet", f"select * from (values (1::{kind}), (0::{kind})) t(good)")
    assert [row[-1] for row in cells(run("apply", "policy.json", "new.parquet", "-q").out)[1:]] == ["1", "-1"]


def test_files_without_rows_give_a_header(run, tmp_path):
    policy_file(tmp_path)
    (tmp_path / "new.csv").write_text("id,good\n")
    parquet(tmp_path / "new.parquet", "select 1 as id, 0.5 as good where false")
    for name in ("new.csv", "new.parquet"):
        answer = run("apply", "policy.json", name)
        assert (answer.code, answer.out) == (0, "id,good,decision\n")
        assert "0 rows" in answer.err


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_streaming_against_memory(run, tmp_path, suffix):
    policy = policy_file(tmp_path)
    file = tmp_path / f"new.{suffix}"
    query = "select i as id, (hash(i) % 4000) / 1000.0 - 2 as good from range(200000) t(i)"
    duckdb.sql(f"copy ({query}) to '{file}' (format {suffix})")
    rows = cells(run("apply", "policy.json", file, "-q").out)[1:]
    assert [int(row[0]) for row in rows] == list(range(200_000))
    scores = np.array([float(row[1]) for row in rows])
    assert [int(row[2]) for row in rows] == policy.apply(scores).tolist()
    assert len({row[2] for row in rows}) == 3


@given(
    st.lists(
        st.one_of(
            st.floats().map(repr), st.sampled_from(["", "NA", "x", " 1 ", "1e400", "-Inf", "0x1", "1_0"])
        ),
        max_size=12,
    ),
    st.integers(1, 5),
)
@settings(max_examples=examples(60), deadline=None)
def test_batches_do_not_show(values, size):
    policy = Policy.from_surface(abstention_surface(Y, GOOD), costs=MODEL)
    text = "a,score\n" + "".join(f"{k},{value}\n" for k, value in enumerate(values))

    def answer():
        out = io.StringIO()
        with open_rows("-", stdin=io.BytesIO(text.encode())) as stream:
            tally = decided(policy, "score", stream, out, column="d")
        return cells(out.getvalue()), tally

    whole, tally = answer()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_stream, "_MOST_ROWS", size)
        assert answer() == (whole, tally)
    assert [row[:2] for row in whole[1:]] == [[str(k), value] for k, value in enumerate(values)]
    for value, row in zip(values, whole[1:], strict=True):
        good = re.fullmatch(r"\s*[+-]?(\d+\.?\d*(e[+-]?\d+)?|inf)\s*", value, re.I)
        assert row[2] == (str(policy.apply([float(value)])[0]) if good else "")
    kinds = ("positive", "negative", "abstained", "bad")
    assert tally["rows"] == len(values) == sum(tally[kind] for kind in kinds)


def test_tally_counts_every_kind():
    policy = Policy.from_surface(abstention_surface(Y, GOOD), costs=MODEL)
    with open_rows("-", stdin=io.BytesIO(b"score\n0.9\n0\nx\n-1\n-1\n")) as stream:
        counted = decided(policy, "score", stream, io.StringIO())
    assert [counted[key] for key in ("rows", "positive", "negative", "abstained", "bad")] == [5, 1, 2, 1, 1]


# ---------------------------------------------------------------- apply: which column, refusals


def test_which_column_holds_the_scores(run, tmp_path):
    policy_file(tmp_path)
    policy_file(tmp_path, "nameless.json", model=None)
    (tmp_path / "new.csv").write_text("good,other\n0.9,-1\n")
    (tmp_path / "one.csv").write_text("anything\n0.9\n")
    assert run("apply", "policy.json", "new.csv", "--only", "-q").out == "decision\n1\n"
    assert run("apply", "policy.json", "new.csv", "--only", "-q", "--model", "other").out == "decision\n0\n"
    assert run("apply", "nameless.json", "one.csv", "--only", "-q").out == "decision\n1\n"


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (
            ("nameless.json", "new.csv"),
            "`new.csv`: the policy names no model. Hint: pass --model COLUMN; the",
        ),
        (
            ("policy.json", "other.csv"),
            "`other.csv`: there is no column 'good', the policy's model. Hint: pass",
        ),
        (("policy.json", "new.csv", "--model", "goood"), "has no column 'goood'; .* Hint: did you mean good"),
        (("policy.json", "new.csv", "--column", "good"), "`new.csv` already has a column 'good'. Hint: pass"),
        (("policy.json", "new.csv", "--json"), "`--json` needs -o PATH"),
        (("policy.json", "new.csv", "-o", "out.xlsx"), "`--output out.xlsx` must end in .csv, .tsv"),
        (("policy.json", "new.csv", "-o", "no/such/out.csv"), "cannot be written: No such file or directory"),
        (("policy.json", "new.csv", "--strickt"), "--strickt"),
        (("policy.json",), "Missing argument 'FILE'"),
        (("policy.json", "none.csv"), "`none.csv` must be an existing file"),
        (("policy.json", "empty.csv"), "got an empty file"),
        (("policy.json", "twice.csv"), "must not repeat a column name, got good and Good"),
        (("policy.json", "latin.csv"), "must be UTF-8 text"),
        (("none.json", "new.csv"), "`none.json` must be a policy file, got No such file or directory"),
        (("new.csv", "new.csv"), r"`new.csv` must be a policy file, got no JSON \(line 1\). Hint"),
        (
            ("newer.json", "new.csv"),
            "`newer.json` is not a policy to trust: `version` must be 1, 2 or 3, got 4. Hint",
        ),
    ],
)
def test_apply_error_sentences(run, tmp_path, args, sentence):
    policy = policy_file(tmp_path)
    policy_file(tmp_path, "nameless.json", model=None)
    (tmp_path / "newer.json").write_text(json.dumps({**policy.to_dict(), "version": 4}))
    (tmp_path / "new.csv").write_text("id,good\n1,0.9\n")
    (tmp_path / "other.csv").write_text("id,well\n1,0.9\n")
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "twice.csv").write_text("good,Good\n1,2\n")
    (tmp_path / "latin.csv").write_bytes("good,name\n1,caf\xe9\n".encode("latin-1"))
    before = sorted(os.listdir(tmp_path))
    answer = run("apply", *args, "-q")
    assert answer.code == 2
    assert re.search(sentence, answer.err)
    assert answer.err.startswith("demur: ")
    assert answer.err.count("\n") == 1
    # bytes that are no UTF-8 are met on the way, after the header
    assert answer.out in ("", "good,name,decision\n")
    assert sorted(os.listdir(tmp_path)) == before


def test_a_field_beyond_the_limit_of_the_reader(run, tmp_path):
    policy_file(tmp_path)
    (tmp_path / "new.csv").write_text("id,good\n1,0.9\n" + "x" * 200_000 + ",1\n")
    answer = run("apply", "policy.json", "new.csv", "-q", "-o", "out.csv")
    assert (answer.code, answer.err.count("\n")) == (2, 1)
    assert "must be a readable table, got this in line 3: field larger than field limit" in answer.err
    assert not (tmp_path / "out.csv").exists()


# ---------------------------------------------------------------- streams


def test_standard_input_gives_the_same_as_the_file(many, tmp_path):
    policy_file(tmp_path)
    policy = str(tmp_path / "policy.json")
    with open(many) as handle:
        piped = python("-m", "demur", "apply", policy, "-", "-q", stdin=handle)
    direct = python("-m", "demur", "apply", policy, str(many), "-q")
    assert (piped.returncode, piped.stdout) == (0, direct.stdout)
    with open(many) as handle:
        piped = python("-m", "demur", "decide", "-", "-q", *COSTS, stdin=handle)
    direct = python("-m", "demur", "decide", str(many), "-q", *COSTS)
    assert (piped.returncode, piped.stdout) == (0, direct.stdout)


@pytest.mark.parametrize(
    "args",
    [
        ("decide", "p.csv", *COSTS),
        ("apply", "policy.json", "long.csv"),
        ("apply", "policy.json", "p.csv", "--strict"),
    ],
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_pipe_closed_early_is_no_error(many, tmp_path, args, unbuffered):
    policy_file(tmp_path)
    (tmp_path / "long.csv").write_text("good\n" + "0.9\n" * 300_000)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": unbuffered}
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "demur", *args, "-q"]
    process = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, env=env, cwd=tmp_path)
    os.close(writer)
    assert (process.returncode, process.stderr) == (0, b"")


def test_progress_is_told_after_every_batch(tmp_path, monkeypatch):
    policy = policy_file(tmp_path)
    (tmp_path / "new.csv").write_text("good\n" + "0.9\n" * 6)
    monkeypatch.setattr(row_stream, "_MOST_ROWS", 2)
    steps = []
    with open_rows(str(tmp_path / "new.csv")) as rows:
        decided(policy, "good", rows, io.StringIO(), only=True, show=steps.append)
    assert steps == [2, 2, 2]


def test_a_quiet_command_shows_no_progress(run, tmp_path, monkeypatch):
    policy_file(tmp_path)
    (tmp_path / "new.csv").write_text("good\n0.9\n")
    monkeypatch.setattr(_progress.Progress, "advance", None)
    assert run("apply", "policy.json", "new.csv", "--only", "-q").out == "decision\n1\n"


@pytest.mark.parametrize("verb", ["decide", "apply"])
def test_help_has_an_example_and_fits(run, verb):
    answer = run(verb, "--help")
    assert answer.code == 0
    assert f"  demur {verb}" in answer.out.partition("Example")[2]
    assert max(map(len, answer.out.splitlines())) <= 80
    code = (
        f"import sys\nfrom demur.cli.main import main\ntry: main([{verb!r}, '--help'])\n"
        "except SystemExit: print('numpy' in sys.modules)"
    )
    assert python("-c", code).stdout.splitlines()[-1] == "False"
