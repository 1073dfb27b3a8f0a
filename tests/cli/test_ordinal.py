"""`demur ordinal` against the functions it calls, its figure and its refusals."""

import csv

import numpy as np
import pytest

import demur
from command_line import table_file
from demur._kernels.thresholds import shortest_in

ORDER = ["low", "mid", "top"]
RNG = np.random.default_rng(5)
CODES = np.arange(90) % 3
GOOD = CODES + RNG.normal(size=90)
POOR = 0.3 * CODES + RNG.normal(size=90)


@pytest.fixture
def markers(tmp_path):
    return table_file(tmp_path, stage=[ORDER[k] for k in CODES], good=GOOD.tolist(), poor=POOR.tolist())


FLAGS = ("--label", "stage", "--order", "low,mid,top")


def test_against_the_library(run, markers):
    answer = run("ordinal", markers, *FLAGS, "--json", "--step-cost", 2)
    assert answer.code == 0
    found = answer.json
    truth = [ORDER[k] for k in CODES]
    roc = demur.ordinal_roc(truth, GOOD, order=ORDER)
    good = found["models"]["good"]
    assert good["vus"] == pytest.approx(roc.vus())
    assert good["interval"] == pytest.approx(list(roc.interval(0.95)))
    assert good["cons"] == pytest.approx(roc.cons)
    cuts = demur.ordinal.ordinal_thresholds(truth, GOOD, order=ORDER, step_cost=2)
    honest = demur.ordinal.honest_ordinal_cost(truth, GOOD, order=ORDER, step_cost=2)
    assert good["expected"]["cost"] == honest.cost
    assert good["expected"]["interval"] == list(honest.interval)
    short = [shortest_in(cut, np.asarray(GOOD, dtype=float)) for cut in cuts.thresholds]
    assert good["thresholds"]["thresholds"] == short
    assert np.digitize(GOOD, short).tolist() == np.digitize(GOOD, cuts.thresholds).tolist()
    assert good["thresholds"]["cost"] == pytest.approx(cuts.cost)
    (test,) = found["tests"]
    expected = demur.ordinal.vus_difference_test(truth, GOOD, POOR, order=ORDER)
    assert (test["difference"], test["pvalue"]) == pytest.approx((expected.difference, expected.pvalue))
    assert found["best"] == "good"


def test_words_figure_and_cost_matrix(run, markers, tmp_path):
    (tmp_path / "costs.csv").write_text("true,low,mid,top\nlow,0,1,4\nmid,3,0,2\ntop,8,6,0\n")
    figure = tmp_path / "curves.png"
    answer = run("ordinal", markers, *FLAGS, "--cost-matrix", tmp_path / "costs.csv", "-o", figure)
    assert answer.code == 0
    assert answer.out.startswith("Use good: call low up to")
    assert max(map(len, answer.out.splitlines())) <= 80
    assert "with hindsight" in " ".join(answer.out.split())
    assert figure.read_bytes().startswith(b"\x89PNG")


def test_a_name_without_an_ending_holds_the_words_and_a_dash_is_the_screen(run, markers, tmp_path):
    plain = run("ordinal", markers, *FLAGS)
    assert run("ordinal", markers, *FLAGS, "-o", "-").out == plain.out
    assert run("ordinal", markers, *FLAGS, "-o", tmp_path / "curves").out == ""
    assert (tmp_path / "curves").read_text() == plain.out


def test_gaps_and_their_policy(run, markers, tmp_path):
    flags = (*FLAGS, "--cost-abstain", 0.3)
    found = run("ordinal", markers, *flags, "--json", "--confidence", 0.9).json["models"]["good"]
    truth = [ORDER[k] for k in CODES]
    cuts = demur.ordinal.ordinal_thresholds(truth, GOOD, order=ORDER, cost_abstain=0.3)
    honest = demur.ordinal.honest_ordinal_cost(
        truth, GOOD, order=ORDER, cost_abstain=0.3, confidence_level=0.9
    )
    assert found["expected"]["cost"] == honest.cost > found["thresholds"]["cost"] == cuts.cost
    assert found["expected"]["interval"] == list(honest.interval)
    assert found["thresholds"]["rule"] == cuts.written().rule.to_dict()
    answer = run("ordinal", markers, *flags, "--policy", tmp_path / "policy.json", "-o", tmp_path / "x.png")
    assert answer.code == 0
    words = " ".join(answer.out.split())
    assert f"Use good: {cuts.written().rule.words(ORDER)}. Expected cost" in words
    assert "are abstained on." in words
    assert "Policy written to" in answer.err
    assert max(map(len, answer.out.splitlines())) <= 80
    policy = demur.Policy.load(tmp_path / "policy.json")
    assert policy.decide(GOOD).tolist() == cuts.decide(GOOD).tolist()
    assert policy.abstention_rate == cuts.abstention_rate
    applied = run("apply", tmp_path / "policy.json", markers, "--only", "-q")
    labels = [*ORDER, "abstain"]
    assert applied.out.split()[1:] == [labels[code] for code in cuts.decide(GOOD)]
    audited = run("audit", tmp_path / "policy.json", markers, "--label", "stage")
    assert f"the policy costs {cuts.cost:.4g} per case" in " ".join(audited.out.split())


def test_too_few_cases_to_leave_any_out(run, tmp_path):
    answer = run("ordinal", table_file(tmp_path, label=[1, 2, 3], s=[0.1, 0.2, 0.3]))
    assert answer.code == 0
    assert "too few to tell more" in " ".join(answer.out.split())


def test_tables_hold_the_numbers_of_the_document(run, markers, tmp_path):
    found = run("ordinal", markers, *FLAGS, "--json", "-q").json["models"]
    assert run("ordinal", markers, *FLAGS, "-o", "t.csv", "-q").code == 0
    with open(tmp_path / "t.csv", newline="") as handle:
        rows = {row["model"]: row for row in csv.DictReader(handle)}
    for name, one in found.items():
        assert float(rows[name]["vus"]) == one["vus"]
        assert [float(rows[name][f"vus_{end}"]) for end in ("low", "high")] == one["interval"]


def test_numbers_have_an_order_and_one_model_no_test(run, tmp_path):
    file = table_file(tmp_path, label=CODES.tolist(), s=GOOD.tolist())
    answer = run("ordinal", file, "--json")
    assert answer.json["levels"] == ["0", "1", "2"]
    assert answer.json["tests"] == []
    assert run("ordinal", file).code == 0


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--label", "stage"), "`--order` is needed"),
        (("--label", "stage", "--order", "low,mid"), "which --order does not list"),
        (("--label", "stage", "--order", "low,mid,top,peak"), "which no row of"),
        (("--label", "stage", "--order", "low,low"), "at least two different classes"),
        ((*FLAGS, "-o", "x.sql"), "must end in .txt, .json,"),
        ((*FLAGS, "--step-cost", 1, "--cost-matrix", "c.csv"), "two kinds of costs"),
        ((*FLAGS, "--cost-abstain", -1), "`--cost-abstain` must not be negative"),
        ((*FLAGS, "--policy", "p.txt"), "`--policy p.txt` must end in .json"),
    ],
)
def test_refusals(run, markers, flags, message):
    answer = run("ordinal", markers, *flags)
    assert answer.code == 2
    assert message in " ".join(answer.err.split())
