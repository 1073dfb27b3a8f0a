"""`demur audit` as a user meets it: the promise is kept, not kept, not yet certain; input at fault."""

import re

import numpy as np
import pytest

from command_line import table_file
from demur._tables.numbers import percent
from demur.monitoring import judge_policy
from monitoring_cases import promised_policy, shop, shop_policy


@pytest.fixture
def cases(tmp_path):
    rng = np.random.default_rng(4)
    policy = promised_policy(rng, 3000)
    policy.save(tmp_path / "policy.json")
    y, s = shop(rng, 1500)
    return policy, y, s, np.array(["north", "south"])[rng.integers(0, 2, 1500)]


def test_it_is_not_yet_certain_whether_the_promise_is_kept(run, cases, tmp_path):
    policy, y, s, branch = cases
    file = table_file(tmp_path, score=s.tolist(), y=y.astype(int).tolist(), branch=branch.tolist())
    answer = run("audit", "policy.json", file, "--label", "y", "--group", "branch")
    assert answer.code == 0
    assert answer.out.startswith("It is not yet certain whether the promise is kept: the policy costs")
    assert "north" in answer.out
    assert ["true class", "0", "1", "abstain"] in [re.split("  +", line) for line in answer.out.splitlines()]
    assert max(map(len, answer.out.splitlines())) <= 80
    document = run("audit", "policy.json", file, "--label", "y", "--group", "branch", "--json").json
    expected = judge_policy(policy, s, y.astype(int), groups=branch).to_dict()
    assert {name: document[name] for name in expected} == expected
    assert (document["schema"], document["verdict"]) == ("demur.audit", "not yet certain")


def test_promise_is_kept(run, cases, tmp_path):
    policy, _, s, _ = cases
    # nobody is missed and nobody alarmed: only reviews cost
    file = table_file(tmp_path, score=s.tolist(), y=(policy.decide(s) == 1).astype(int).tolist())
    answer = run("audit", "policy.json", file, "--label", "y")
    assert (answer.code, answer.out.split(":")[0]) == (0, "The promise is kept")


def test_promise_is_broken(run, cases, tmp_path):
    policy, y, s, _ = cases
    worse = y | ((policy.decide(s) == 0) & (np.arange(1500) % 8 == 0))
    file = table_file(tmp_path, score=s.tolist(), y=worse.astype(int).tolist())
    answer = run("audit", "policy.json", file, "--label", "y")
    assert answer.code == 3
    assert answer.out.startswith("The promise is not kept")


def test_a_policy_with_hindsight_promises_nothing(run, cases, tmp_path):
    _, y, s, _ = cases
    shop_policy(np.random.default_rng(4), 500, model="score").save(tmp_path / "hindsight.json")
    file = table_file(tmp_path, score=s.tolist(), y=(~y).astype(int).tolist())
    answer = run("audit", "hindsight.json", file, "--label", "y")
    assert answer.code == 0
    text = " ".join(answer.out.split())
    assert text.startswith("The policy costs ")
    assert "The policy promises no cost" in text
    assert max(map(len, answer.out.splitlines())) <= 80


def test_judge_names_audit(run, cases):
    answer = run("judge", "policy.json", "p.csv", "--label", "y")
    assert (answer.code, answer.out) == (2, "")
    assert (
        answer.err
        == "demur: `demur judge` is called audit now. Hint: demur audit takes the same arguments.\n"
    )


def test_review_rate_is_that_of_the_written_rule(run, cases, tmp_path):
    policy, y, s, _ = cases
    file = table_file(tmp_path, score=s.tolist(), y=y.astype(int).tolist())
    text = " ".join(run("audit", "policy.json", file, "--label", "y").out.split())
    assert f"{percent(np.mean(policy.decide(s) == -1))} (" in text
    assert f"abstained on, expected {percent(policy.promise.abstention_rate)}." in text


def test_audit_weights(run, cases, tmp_path):
    _, y, s, _ = cases
    labels = [int(y[k]) if k % 5 == 0 else "" for k in range(1500)]
    file = table_file(tmp_path, score=s.tolist(), y=labels, w=[5] * 1500)
    assert run("audit", "policy.json", file, "--label", "y").code == 2
    document = run("audit", "policy.json", file, "--label", "y", "--weight", "w", "--json").json
    assert document["overall"]["n_labelled"] == 300
    assert sum(map(sum, document["confusion"])) == 1500


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["p.csv"], "--label COLUMN"),
        (["p.csv", "--label", "z"], "z"),
        (["p.csv", "--label", "score"], "the policy knows 1 and 0"),
        (["p.csv", "--label", "y", "--confidence", "1"], "confidence_level"),
        (["none.csv", "--label", "y"], "none.csv"),
    ],
)
def test_errors_are_one_sentence_and_code_2(run, cases, tmp_path, args, words):
    _, y, s, _ = cases
    table_file(tmp_path, score=s.tolist(), y=y.astype(int).tolist())
    answer = run("audit", "policy.json", *args)
    assert answer.code == 2
    assert words in answer.err
    assert answer.err.count("\n") == 1
