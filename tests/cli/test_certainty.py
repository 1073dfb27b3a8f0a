"""What `demur compare` says about sampling error, against the functions it calls."""

import numpy as np
import pytest

import demur
from command_line import table_file
from loss_oracles import SlowRule, slow_estimate
from oracles import folds_of

Y, A = demur.Binormal(separation=1.6).sample(300, rng=3)
B = A + np.random.default_rng(4).normal(size=len(A))
PRICES = ("--cost-fn", 10, "--cost-fp", 5, "--cost-abstain", 1)
COSTS = demur.CostModel(cost_fn=10, cost_fp=5, cost_abstain=1)


@pytest.fixture
def file(tmp_path):
    return table_file(tmp_path, y_true=Y.astype(int), good=A.tolist(), noisy=B.tolist())


def interval_case_by_case(scores, *, seed, level):
    """Interval of the losses of all cases, each decided by the window of the other folds."""

    def window(cases):
        return demur.abstention_surface(Y[cases], scores[cases]).window(costs=COSTS)

    honest = []
    for fold in folds_of(Y, 10, 10, seed):
        codes = np.empty(len(Y), dtype=int)
        for v in range(10):
            codes[fold == v] = demur.decide(scores[fold == v], window(fold != v))
        honest.append(codes.tolist())
    written = demur.decide(scores, window(slice(None))).tolist()
    losses = [[10, 0, 1] if positive else [0, 5, 1] for positive in Y]
    rule = SlowRule(honest, written, scores.tolist())
    return slow_estimate(rule, losses, classes=Y.astype(int).tolist(), level=level).interval


def test_json_holds_the_numbers_of_the_library(run, file):
    answer = run("compare", file, "--json", "-q", *PRICES, "--confidence", 0.9, "--seed", 7)
    assert answer.code == 0
    first = answer.json["comparison"]["models"]["good"]
    assert first["auc_interval"] == list(demur.auc_interval(Y, A, confidence_level=0.9))
    honest = demur.cross_fitted_surface(Y, A, rng=7)
    assert first["cost"] == pytest.approx(10 * honest.cost(0.5, 0.1), abs=1e-12)
    assert first["interval"] == pytest.approx(interval_case_by_case(A, seed=7, level=0.9), abs=1e-12)
    bounded = demur.surface_certificate(Y, A, confidence_level=0.9).window(costs=COSTS)
    assert first["guaranteed_cost"] == pytest.approx(bounded.certified_expected_cost, abs=1e-12)
    volume = demur.volume_interval(Y, A, confidence_level=0.9, rng=7)
    assert first["vacc_interval"] == pytest.approx([volume.low, volume.high], abs=1e-12)
    assert first["vacc"] == pytest.approx(volume.honest, abs=1e-12)


def test_pairs_are_the_tests_of_the_library(run, file):
    (pair,) = run("compare", file, "--json", "-q", *PRICES, "--seed", 7).json["pairs"]
    assert (pair["first"], pair["second"]) == ("good", "noisy")
    by_delong = demur.auc_difference_test(Y, A, B, method="delong")
    assert pair["auc"]["pvalue"] == pair["auc_adjusted_pvalue"] == pytest.approx(by_delong.pvalue, abs=1e-12)
    assert pair["auc"]["difference"] == pytest.approx(by_delong.difference, abs=1e-12)
    by_volume = demur.volume_difference_test(Y, A, B, rng=7)
    assert pair["volume"]["difference"] == pytest.approx(by_volume.difference, abs=1e-12)
    assert pair["volume"]["pvalue"] == pytest.approx(by_volume.pvalue, abs=1e-12)


def test_pvalues_of_many_pairs_are_adjusted(run, tmp_path):
    scores = {"a": A, "b": B, "c": A - B}
    path = table_file(tmp_path, y=Y.astype(int), **{name: column.tolist() for name, column in scores.items()})
    pairs = run("compare", path, "--json", "-q").json["pairs"]
    tests = demur.auc.auc_pairwise_tests(Y, np.column_stack([A, B, A - B]), method="delong")
    assert sorted(pair["auc_adjusted_pvalue"] for pair in pairs) == pytest.approx(
        sorted(tests.adjusted_pvalue.tolist()), abs=1e-12
    )


def test_same_seed_same_answer_and_lines_fit(run, file):
    answers = [run("compare", file, *PRICES, "--seed", 5, "--all").out for _ in range(2)]
    assert answers[0] == answers[1]
    assert "95 % interval" in answers[0]
    assert "Differences, pair by pair" in answers[0]
    assert max(map(len, answers[0].splitlines())) <= 80


def test_the_level_is_said(run, file):
    text = run("compare", file, *PRICES, "--confidence", 0.9, "--all").out
    assert "90 % interval" in text
    assert "(90 % " in " ".join(text.split())
    assert "\n90 % intervals; VACC" in text


def test_data_that_allow_no_interval_say_why(run, tmp_path):
    path = table_file(tmp_path, y_true=[0, 1, 0], a=[0.1, 0.9, 0.4], b=[0.3, 0.2, 0.5])
    for verb in ("compare", "decide"):
        answer = run(verb, path, "-q", *PRICES)
        assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)
        assert "at least two cases of each class" in answer.err
        assert "got 1 positive and 2 negative" in answer.err


def test_one_model_has_intervals_but_no_pairs(run, file):
    answer = run("compare", file, "--model", "good", "-q")
    assert answer.code == 0
    assert "95 % intervals; VACC" in answer.out
    assert "Differences" not in answer.out


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--confidence", "1"], "`--confidence` must lie strictly between 0 and 1"),
        (["--confidence", "x"], "not a valid float"),
        (["--seed", "-1"], "--seed"),
    ],
)
def test_wrong_flags(run, file, flags, message):
    answer = run("compare", file, *flags)
    assert (answer.code, answer.out) == (2, "")
    assert message in answer.err
