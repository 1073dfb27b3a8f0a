"""`--unknown-label` and `--cost-unknown`: cases whose class cannot be known."""

import json

import numpy as np
import pytest

from command_line import table_file
from demur import CostModel, Policy, compare_models

COSTS = ("--cost-fn", "10", "--cost-fp", "4", "--cost-abstain", "2")
UNKNOWN = ("--unknown-label", "unclear", "--cost-unknown", "5")


@pytest.fixture
def cases():
    """Labels of two classes and of none, and a score."""
    rng = np.random.default_rng(0)
    labels = rng.choice(["good", "bad", "unclear"], 240, p=[0.5, 0.3, 0.2])
    place = {"good": -1.0, "bad": 1.0, "unclear": 0.1}
    scores = np.array([place[one] for one in labels]) + rng.normal(size=240)
    return labels, np.round(scores, 3)


@pytest.fixture
def file(tmp_path, cases):
    labels, scores = cases
    site = np.where(np.arange(240) % 3 == 0, "north", "south")
    return table_file(tmp_path, label=labels, m=scores, site=site)


def test_compare_answers_like_python(run, file, cases):
    labels, scores = cases
    answer = run("compare", file, "--positive", "bad", *COSTS, *UNKNOWN, "--exclude", "site", "--json")
    plain = compare_models(
        labels,
        {"m": scores},
        costs=CostModel(cost_fn=10, cost_fp=4, cost_abstain=2),
        pos_label="bad",
        unknown_label="unclear",
        cost_unknown=5,
        class_names=("good", "bad"),
    )
    assert answer.json["comparison"] == json.loads(json.dumps(plain.to_dict()))
    assert answer.json["comparison"]["cost_unknown"] == 5
    said = run("compare", file, "--positive", "bad", *COSTS, *UNKNOWN, "-q").out
    assert "unknowable cases decided" in " ".join(said.split())
    assert "deciding what cannot be known 5" in " ".join(said.split())


def test_decide_writes_an_ordinary_policy_and_its_problem(run, file, cases, tmp_path):
    target = tmp_path / "policy.json"
    flags = ("--positive", "bad", *COSTS, *UNKNOWN, "--exclude", "site")
    assert run("decide", file, *flags, "-o", target).code == 0
    assert 'unknown-label = "unclear"' in (tmp_path / "policy.toml").read_text()
    again = tmp_path / "again.json"
    assert run("decide", file, "--problem", tmp_path / "policy.toml", "-o", again).code == 0
    assert again.read_bytes() == target.read_bytes()
    applied = run("apply", target, file, "--only")
    assert set(applied.out.split()) == {"decision", "good", "bad", "abstain"}
    assert Policy.load(target).apply(cases[1]).tolist() == applied.out.split()[1:]


def test_by_group_and_group_by_group(run, file):
    flags = ("--positive", "bad", *COSTS, *UNKNOWN)
    by = run("compare", file, *flags, "--by", "site", "--json").json["comparison"]["by"]
    assert [group["name"] for group in by["groups"]] == ["north", "south"]
    groups = run("compare", file, *flags, "--group", "site", "--json").json["groups"]
    assert all(group["comparison"]["cost_unknown"] == 5 for group in groups.values())


def test_many_classes(run, tmp_path):
    rng = np.random.default_rng(1)
    proba = rng.dirichlet(np.ones(3), 200)
    labels = np.array([rng.choice(["a", "b", "c"], p=row) for row in proba])
    labels = np.where(np.arange(200) % 9 == 0, "unclear", labels)
    file = table_file(tmp_path, label=labels, **dict(zip("abc", proba.T, strict=True)))
    flags = ("--classes", "a,b,c", "--ordered", "--cost-abstain", "0.4", *UNKNOWN)
    answer = run("compare", file, *flags)
    assert answer.code == 0
    assert "(cannot be known)" in answer.out
    assert run("decide", file, *flags, "--anyway", "-o", tmp_path / "p.json").code == 0


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ((*COSTS, *UNKNOWN[:2]), "`--cost-unknown` is needed with --unknown-label"),
        ((*COSTS, *UNKNOWN[2:]), "`--unknown-label` is needed with --cost-unknown"),
        (UNKNOWN, "`--unknown-label` needs costs"),
        ((*COSTS, *UNKNOWN, "--engine", "duckdb"), "`--unknown-label` needs the rows in memory"),
        ((*COSTS, *UNKNOWN, "--max-abstention", "0.2"), "must not stand beside limits"),
        ((*COSTS, "--unknown-label", "nothing", "--cost-unknown", "5"), "must hold two classes, got 3"),
    ],
)
def test_refusals(run, file, flags, said):
    answer = run("compare", file, "--positive", "bad", "--exclude", "site", *flags)
    assert answer.code == 2
    assert said in " ".join(answer.err.split())
