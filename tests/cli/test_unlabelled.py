"""`demur decide --no-labels` against the function it calls, and its refusals."""

import json

import numpy as np
import pytest

import demur
from demur.cli.main import main

COSTS = ["--cost-fn", "100", "--cost-fp", "200"]
PROBA = [0.9, 0.8, 0.6, 0.55, 0.4, 0.2, 0.1]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("id,p\n" + "\n".join(f"{k},{p!r}" for k, p in enumerate(PROBA)) + "\n")
    return str(path)


def run(capsys, *args):
    with pytest.raises(SystemExit) as stop:
        main(list(args))
    return stop.value.code, capsys.readouterr()


def test_thresholds_against_the_library(capsys, file):
    code, out = run(capsys, "decide", file, "--no-labels", "--json", *COSTS)
    assert code == 0
    document = json.loads(out.out)
    expected = demur.unlabelled.unlabelled_decision(PROBA, demur.CostModel(cost_fn=100, cost_fp=200))
    assert (document["schema"], document["version"]) == ("demur.decide.unlabelled", 1)
    assert document["direct"]["threshold"] == pytest.approx(expected.direct.threshold)
    assert document["ranking"]["threshold"] == pytest.approx(expected.ranking.threshold)
    assert document["expected_costs"] == pytest.approx(expected.expected_costs)


def test_words_and_table(capsys, file, tmp_path):
    code, out = run(capsys, "decide", file, "--no-labels", *COSTS)
    assert code == 0
    assert out.out.startswith("Call a case positive from P(positive) 0.6666666666666666 on: 2 of 7 cases")
    assert "column p as P(positive), no labels" in " ".join(out.err.split())
    assert max(map(len, out.out.splitlines())) <= 80
    target = tmp_path / "answer.txt"
    run(capsys, "decide", file, "--no-labels", "-q", "-o", str(target), *COSTS)
    assert target.read_text() == out.out


@pytest.mark.parametrize(
    ("extra", "content", "message"),
    [
        (["--positive", "1"], None, "`--positive` needs labelled cases"),
        (["--max-abstention", "0.1"], None, "`--max-abstention` needs labelled cases"),
        ([], "a,b\n0.1,0.2\n", "has 2 score columns (a, b). Hint: choose one with --model"),
        ([], "p\n0.1\n1.4\n", "`proba` must lie in [0, 1], got 1.4"),
        ([], "p,q\n0.1,x\n,y\n", "missing"),
        (["--model", "z"], None, "has no column 'z'"),
    ],
)
def test_wrong_input(capsys, file, tmp_path, extra, content, message):
    if content is not None:
        (tmp_path / "p.csv").write_text(content)
    code, out = run(capsys, "decide", file, "--no-labels", *COSTS, *extra)
    assert code == 2
    assert message in out.err
    assert out.out == ""


def test_decide_shows_the_honest_cost_and_the_guarantee(capsys, tmp_path):
    y, s = demur.Binormal(separation=2.0).sample(400, rng=1)
    path = tmp_path / "l.csv"
    np.savetxt(path, np.column_stack([y, s]), delimiter=",", header="y_true,m", comments="")
    code, out = run(
        capsys,
        "decide",
        str(path),
        "-o",
        str(tmp_path / "x.json"),
        "--seed",
        "3",
        "--cost-abstain",
        "20",
        *COSTS,
    )
    assert code == 0
    costs = demur.CostModel(cost_fn=100, cost_fp=200, cost_abstain=20)
    answer = demur.compare_models(y, {"m": s}, costs=costs, seed=3).answer
    honest = demur.cross_fitted_surface(y, s, rng=3).cost(2.0, 0.2)
    assert answer.honest_cost == pytest.approx(100 * honest, abs=1e-12)
    assert answer.cost >= answer.honest_cost
    text = " ".join(out.out.split())
    assert text.startswith(answer.words)
    assert "Guaranteed at most " in text or "No guarantee yet" in text
    code, out = run(
        capsys, "decide", str(path), "--max-abstention", "0.05", "-o", str(tmp_path / "x.json"), *COSTS
    )
    assert code == 0
    assert " ".join(out.out.split()).startswith("Proven. Use m: ")
    assert demur.Policy.load(tmp_path / "x.json").expected_cost > 0


def test_policy_from_costs_alone(capsys, file, tmp_path):
    target = str(tmp_path / "policy.json")
    code, out = run(capsys, "decide", file, "--no-labels", "-o", target, *COSTS)
    assert code == 0
    assert out.out.startswith("Call a case positive from P(positive) 0.6666666666666666 on")
    policy = demur.Policy.load(target)
    assert policy.note.startswith("From costs alone, no evidence")
    assert (policy.lower, policy.upper) == pytest.approx((2 / 3, 2 / 3))
    assert policy.apply(PROBA).tolist() == [1, 1, 0, 0, 0, 0, 0]
    review = [*COSTS, "--cost-abstain", "20"]
    code, out = run(capsys, "decide", file, "--no-labels", "-o", target, "--abstain-label", "ask", *review)
    decision = demur.unlabelled.unlabelled_decision(
        PROBA, demur.CostModel(cost_fn=100, cost_fp=200, cost_abstain=20)
    )
    policy = demur.Policy.load(target)
    assert (policy.lower, policy.upper) == (decision.window.lower, decision.window.upper)
    assert set(policy.apply(PROBA)) == {"ask", "negative"} | ({"positive"} & set(policy.apply(PROBA)))


def test_policy_of_many_classes_from_costs_alone(capsys, tmp_path):
    (tmp_path / "p.csv").write_text("a,b,c\n0.7,0.2,0.1\n0.2,0.3,0.5\n0.98,0.01,0.01\n")
    (tmp_path / "costs.csv").write_text("true,a,b,c\na,0,1,4\nb,3,0,2\nc,8,6,0\n")
    shared = ["--classes", "a,b,c", "--cost-matrix", str(tmp_path / "costs.csv"), "--no-labels"]
    target = tmp_path / "policy.json"
    flags = [*shared, "--cost-abstain", "1.1", "-o", str(target)]
    code, out = run(capsys, "decide", str(tmp_path / "p.csv"), *flags)
    assert code == 0
    policy = demur.Policy.load(target)
    # expected costs (1.4, 1.3, 3.2), (4.9, 3.2, 1.4) and (.11, 1.04, 3.94) against a review of 1.1
    assert policy.apply([[0.7, 0.2, 0.1], [0.2, 0.3, 0.5], [0.98, 0.01, 0.01]]).tolist() == [
        "abstain", "abstain", "a",
    ]  # fmt: skip
    assert policy.evidence is None
    assert "From costs alone, no evidence" in " ".join(out.out.split())
    assert "770 per 1000 cases" in " ".join(out.out.split())
    code, out = run(capsys, "apply", str(target), str(tmp_path / "p.csv"), "--only", "-q")
    assert out.out.split() == ["decision", "abstain", "abstain", "a"]
    code, out = run(capsys, "decide", str(tmp_path / "p.csv"), *shared, "--json", "-q")
    assert json.loads(out.out)["policy"]["rule"]["abstain_weight"] is None


def test_a_file_without_labels_names_the_flag(capsys, file):
    code, out = run(capsys, "decide", file, *COSTS)
    assert code == 2
    assert "or --no-labels to decide from the costs alone" in " ".join(out.err.split())
    code, out = run(capsys, "compare", file, *COSTS)
    assert "--no-labels" not in out.err


def test_more_than_two_labels_name_classes(capsys, tmp_path):
    (tmp_path / "three.csv").write_text("label,p\na,0.1\nb,0.2\nc,0.3\n")
    for verb in ("check", "compare"):
        _, out = run(capsys, verb, str(tmp_path / "three.csv"))
        assert "--classes a,b,c" in " ".join((out.out + out.err).split())
