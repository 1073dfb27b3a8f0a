"""`--classes` of compare and decide against the functions they call."""

import json

import numpy as np
import pytest

import demur
from demur.cli.main import main

CLASSES = ["a", "b", "c"]
MATRIX = "true,a,b,c\na,0,1,4\nb,3,0,2\nc,8,6,0\n"
RNG = np.random.default_rng(2)
TRUTH = RNG.integers(0, 3, 90)
PROBA = np.exp(RNG.normal(size=(90, 3)) + 1.5 * np.eye(3)[TRUTH])
PROBA /= PROBA.sum(axis=1, keepdims=True)


@pytest.fixture
def files(tmp_path):
    rows = [f"{CLASSES[t]},{','.join(map(repr, p))}" for t, p in zip(TRUTH, PROBA.tolist(), strict=True)]
    (tmp_path / "p.csv").write_text("class,c,a,b\n" + "\n".join(_moved(row) for row in rows) + "\n")
    (tmp_path / "costs.csv").write_text(MATRIX)
    return str(tmp_path / "p.csv"), str(tmp_path / "costs.csv")


def _moved(row):
    label, a, b, c = row.split(",")
    return f"{label},{c},{a},{b}"


def run(capsys, *args):
    with pytest.raises(SystemExit) as stop:
        main(list(args))
    return stop.value.code, capsys.readouterr()


def names():
    return [CLASSES[t] for t in TRUTH]


def costs():
    return demur.CostMatrix(values=np.array([[0, 1, 4], [3, 0, 2], [8, 6, 0]]), classes=CLASSES)


def test_compare_against_the_library(capsys, files):
    code, out = run(capsys, "compare", files[0], "--classes", "a,b,c", "--cost-matrix", files[1], "--json")
    assert code == 0
    document = json.loads(out.out)
    assert (document["schema"], document["version"]) == ("demur.compare.classes", 1)
    for name, keywords in {
        "plain": {"method": "none"},
        "bayes": {"method": "none", "family": "columns"},
        "weights": {},
    }.items():
        expected = demur.optimize_weights(PROBA, names(), costs(), classes=CLASSES, rng=0, **keywords)
        assert document["rules"][name]["objective"] == pytest.approx(expected.objective)
    auc = demur.hand_till_auc(names(), PROBA, labels=CLASSES)
    assert document["hand_till_auc"] == pytest.approx(float(auc))
    assert document["interval"] == pytest.approx(list(auc.interval()))


def test_decide_against_the_library(capsys, files, tmp_path):
    target = tmp_path / "weights.json"
    flags = ["--classes", "b,a,c", "--cost-matrix", files[1], "--json", "-q", "-o", str(target)]
    code, _ = run(capsys, "decide", files[0], *flags)
    assert code == 0
    rule = json.loads(target.read_text())["rule"]
    best = demur.optimize_weights(PROBA, names(), costs(), classes=CLASSES, rng=0)
    assert rule["weights"] == pytest.approx(best.weights.tolist())
    assert rule["objective"] == pytest.approx(best.objective)


def test_words_fit_80_columns_and_may_abstain(capsys, files):
    shared = ["--classes", "a,b,c", "--cost-matrix", files[1], "--cost-abstain", "0.3"]
    for verb in ("compare", "decide"):
        code, out = run(capsys, verb, files[0], *shared)
        assert code == 0
        assert max(map(len, out.out.splitlines())) <= 80
        assert "per 1000 cases" in " ".join(out.out.split())


@pytest.mark.parametrize("verb", ["compare", "decide"])
@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--classes", "a,b,c"], "`--cost-matrix FILE` is needed"),
        (["--cost-matrix", "COSTS"], "`--classes` is needed"),
        (["--classes", "a,a", "--cost-matrix", "COSTS"], "at least two different classes"),
        (
            ["--classes", "a,b", "--cost-matrix", "COSTS"],
            "holds the class 'c', which --classes does not list",
        ),
        (["--classes", "a,b,c,d", "--cost-matrix", "COSTS"], "has no column 'd'"),
        (["--classes", "a,b,c", "--cost-matrix", "nowhere.csv"], "must be readable"),
        (
            ["--classes", "a,b,c", "--cost-matrix", "COSTS", "--cost-fn", "1"],
            "`--cost-fn` is for two classes",
        ),
        (["--classes", "a,b,c", "--cost-matrix", "COSTS", "--model", "a"], "`--model` is for two classes"),
    ],
)
def test_wrong_flags(capsys, files, verb, flags, message):
    code, out = run(capsys, verb, files[0], *[files[1] if flag == "COSTS" else flag for flag in flags])
    assert code == 2
    assert message in out.err
    assert out.out == ""


def test_matrix_of_other_classes_lists_both(capsys, files, tmp_path):
    (tmp_path / "other.csv").write_text("true,a,b,x\na,0,1,1\nb,1,0,1\nx,1,1,0\n")
    flags = ["--classes", "a,b,c", "--cost-matrix", str(tmp_path / "other.csv")]
    code, out = run(capsys, "compare", files[0], *flags)
    assert code == 2
    assert "names the classes a, b, x, --classes names a, b, c" in " ".join(out.err.split())
