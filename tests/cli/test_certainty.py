"""What `demur compare` says about sampling error, against the functions it calls."""

import json

import numpy as np
import pytest

import demur
from demur.cli.main import main

Y, A = demur.Binormal(separation=1.6).sample(300, rng=3)
B = A + np.random.default_rng(4).normal(size=len(A))


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "p.csv"
    rows = "\n".join(
        f"{int(y)},{a!r},{b!r}" for y, a, b in zip(Y.tolist(), A.tolist(), B.tolist(), strict=True)
    )
    path.write_text(f"y_true,good,noisy\n{rows}\n")
    return path


def run(capsys, *args):
    with pytest.raises(SystemExit) as stop:
        main([str(arg) for arg in args])
    return stop.value.code, capsys.readouterr()


def test_json_holds_the_numbers_of_the_library(capsys, file):
    flags = ["--cost-fn", 10, "--cost-fp", 5, "--cost-abstain", 1, "--confidence", 0.9, "--seed", 7]
    code, out = run(capsys, "compare", file, "--json", "-q", *flags)
    assert code == 0
    sure = json.loads(out.out)["how_sure"]
    first = next(model for model in sure["models"] if model["name"] == "good")
    costs = demur.CostModel(cost_fn=10, cost_fp=5, cost_abstain=1)
    assert first["auc_interval"] == pytest.approx(list(demur.auc_interval(Y, A, confidence_level=0.9)))
    honest = demur.cross_fitted_surface(Y, A, rng=7)
    assert first["honest"]["cost"] == pytest.approx(10 * honest.cost(0.5, 0.1))
    ends = honest.interval(0.5, 0.1, confidence_level=0.9)
    assert first["honest"]["interval"] == pytest.approx([10 * end for end in ends])
    certified = demur.surface_certificate(Y, A, confidence_level=0.9).window(costs=costs)
    assert first["honest"]["certified"] == pytest.approx(certified.certified_expected_cost)
    volume = demur.volume_interval(Y, A, confidence_level=0.9, rng=7)
    assert first["volume_interval"] == pytest.approx([volume.low, volume.high])
    tests = demur.auc.auc_pairwise_tests(Y, np.column_stack([A, B]), method="delong")
    assert sure["auc_tests"]["adjusted_pvalue"] == pytest.approx(tests.adjusted_pvalue.tolist())


def test_same_seed_same_answer_and_lines_fit(capsys, file):
    answers = [run(capsys, "compare", file, "--seed", 5)[1].out for _ in range(2)]
    assert answers[0] == answers[1]
    assert "How sure over all costs (95 %)" in answers[0]
    assert "Differences, pair by pair" in answers[0]
    assert max(map(len, answers[0].splitlines())) <= 80


def test_data_that_allow_no_interval_say_why(capsys, tmp_path):
    path = tmp_path / "tiny.csv"
    path.write_text("y_true,a,b\n0,0.1,0.3\n1,0.9,0.2\n0,0.4,0.5\n")
    code, out = run(capsys, "compare", path, "-q")
    assert code == 0
    assert "Intervals and tests are left out: " in out.out
    assert "positive" in out.out


def test_one_model_has_intervals_but_no_pairs(capsys, file):
    code, out = run(capsys, "compare", file, "--model", "good", "-q")
    assert code == 0
    assert "How sure over all costs" in out.out
    assert "Differences" not in out.out


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--confidence", "1"], "`--confidence` must lie strictly between 0 and 1"),
        (["--confidence", "x"], "not a valid float"),
        (["--seed", "-1"], "--seed"),
    ],
)
def test_wrong_flags(capsys, file, flags, message):
    code, out = run(capsys, "compare", file, *flags)
    assert code == 2
    assert message in out.err
    assert out.out == ""
