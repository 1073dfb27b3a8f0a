"""`demur rec` on small files: the table, the figure, the JSON document, the sentences for mistakes."""

import json

import numpy as np
import pytest

from demur import rec_curve
from demur.regression import aoc_difference_test, null_rec_curve

main = pytest.importorskip("demur.cli.main")


@pytest.fixture
def rec(monkeypatch, capsys):
    """Run the verb as a user would; return exit code, standard output and standard error."""
    monkeypatch.setitem(main.VERBS, "rec", "Tell which regression errs least.")

    def run(*args):
        with pytest.raises(SystemExit) as stop:
            main.main(["rec", *map(str, args)])
        captured = capsys.readouterr()
        return stop.value.code, captured.out, captured.err

    return run


@pytest.fixture
def file(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.normal(size=60)
    tree, line = y + 0.1 * rng.normal(size=60), y + 0.5 * rng.normal(size=60)
    path = tmp_path / "forecasts.csv"
    table = np.column_stack([np.arange(60), y, tree, line])
    np.savetxt(path, table, delimiter=",", fmt="%.17g", header="row,y_true,tree,line", comments="")
    return path, y, {"tree": tree, "line": line}


def test_json_holds_the_numbers_of_the_library(rec, file):
    path, y, models = file
    code, out, err = rec(path, "--json", "--loss", "squared")
    document = json.loads(out)
    assert code == 0
    assert (document["schema"], document["version"]) == ("demur.rec", 1)
    assert document["data"]["rows"] == 60
    assert document["data"]["left_out"] == ["row (a key)"]
    assert "target column y_true, 2 prediction columns (tree, line)" in " ".join(err.split())
    null = null_rec_curve(y, loss="squared")
    for entry in document["models"]:
        curve = rec_curve(y, models[entry["name"]], loss="squared")
        assert entry["aoc"] == curve.aoc
        assert entry["relative_aoc"] == curve.relative_aoc(null)
        assert entry["tolerance_90"] == curve.tolerance_at(0.9)
    assert document["best"] == "tree"
    expected = aoc_difference_test(y, models["tree"], models["line"], loss="squared", rng=0).pvalue
    assert [entry["pvalue_against_best"] for entry in document["models"]] == [None, expected]
    crossings = rec_curve(y, models["tree"], loss="squared").crossings(
        rec_curve(y, models["line"], loss="squared")
    )
    assert document["pairs"][0]["crossings"] == crossings.tolist()


def test_table_and_decision_in_words(rec, file):
    path, y, models = file
    code, out, _ = rec(path, "--target", "y_true", "--model", "line", "--model", "tree", "--quiet")
    assert code == 0
    half = rec_curve(y, models["tree"]).tolerance_at(0.5)
    assert out.startswith(f"Use tree: half of its absolute errors are at most {half:.4g}")
    assert "null model" in out
    assert "line / tree" in out
    assert all(len(line) <= 80 for line in out.splitlines())


def test_a_cut_area_is_that_of_the_library(rec, file):
    path, y, models = file
    _, out, _ = rec(path, "--json", "--max-tolerance", "0.2", "-q")
    entry = json.loads(out)["models"][1]
    assert entry["aoc"] == rec_curve(y, models["line"], max_tolerance=0.2).aoc


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_figure(rec, file, tmp_path, kind):
    target = tmp_path / f"rec.{kind}"
    code, out, err = rec(file[0], "-o", target)
    assert code == 0
    assert "Use tree" in out
    assert "Figure written to" in err
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[kind]
    assert target.read_bytes().startswith(start)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_no_model_better_than_the_mean_is_said(rec, tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text("target,model\n1,9\n2,-9\n3,9\n")
    code, out, _ = rec(path)
    assert code == 0
    assert out.startswith("No model errs less than predicting the mean")


@pytest.mark.parametrize(
    ("content", "args", "message"),
    [
        ("y_true,a\n1,2\n2,\n", (), "Column 'a' has 1 missing value, the first in row 2"),
        ("y_true,a\nx,2\ny,3\n", (), "Target column 'y_true' must hold numbers"),
        ("u,a\n1,2\n2,3\n", (), "Hint: pass --target COLUMN"),
        ("y_true,a\n1,2\n2,3\n", ("--model", "b"), "has no column 'b'"),
        ("y_true,a\n1,2\n2,inf\n", (), "'a' must be finite"),
        ("y_true,a\n1,2\n2,3\n", ("--max-tolerance", "0"), "`--max-tolerance` must be a number above 0"),
        ("y_true,a\n1,2\n2,3\n", ("-o", "figure.sql"), ".png, .svg or .pdf, got .sql"),
        ("y_true,a\n1,2\n2,3\n", ("-o", "no/such/place.png"), "cannot be written"),
        ("y_true,a\n1,2\n2,3\n", ("--loss", "huber"), "'huber' is not one of"),
        ("y_true\n1\n2\n", (), "has no prediction column"),
    ],
)
def test_mistakes_are_one_sentence_and_exit_code_2(rec, tmp_path, content, args, message):
    path = tmp_path / "file.csv"
    path.write_text(content)
    code, out, err = rec(path, *args, "-q")
    assert code == 2
    assert out == ""
    assert message in " ".join(err.split())
    assert err.startswith("demur: ")
    assert len(err.splitlines()) == 1
