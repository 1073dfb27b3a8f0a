"""`demur rec` on small files: the table, the figure, the JSON document, the sentences for mistakes."""

import json

import numpy as np
import pytest

from demur import Policy, rec_curve
from demur.regression import aoc_difference_test, excess_losses, null_rec_curve, review_threshold

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


# ---------------------------------------------------------------- reviews


@pytest.fixture
def spreads(tmp_path):
    rng = np.random.default_rng(1)
    wide, y = rng.uniform(0.1, 2, 150), rng.normal(size=150)
    columns = {"y_true": y, "tree": y + wide * rng.normal(size=150), "line": y + rng.normal(size=150)}
    columns |= {"tree_sd": wide, "line_sd": rng.random(150), "penalty": np.abs(y - columns["tree"]) ** 2}
    path = tmp_path / "spreads.csv"
    np.savetxt(
        path,
        np.column_stack([*columns.values()]),
        delimiter=",",
        fmt="%.17g",
        header=",".join(columns),
        comments="",
    )
    return path, columns


REVIEW = ("--target", "y_true", "--model", "tree", "--model", "line", "--cost-review", 0.6)


def test_reviews_are_those_of_the_library(rec, spreads):
    path, data = spreads
    flags = (*REVIEW, "--spread", "tree_sd", "--spread", "line_sd", "--tolerance", 0.1)
    code, out, err = rec(path, *flags, "--json", "--confidence", 0.9)
    assert code == 0
    document = json.loads(out)
    losses = {name: excess_losses(data["y_true"], data[name], tolerance=0.1) for name in ("tree", "line")}
    wide = {"tree": data["tree_sd"], "line": data["line_sd"]}
    found = review_threshold(losses, wide, cost_review=0.6, confidence_level=0.9)
    assert document["reviews"] == found.to_dict()
    assert [one["name"] for one in document["models"]] == ["tree", "line"]
    assert "2 prediction columns (tree, line)" in " ".join(err.split())
    one_for_all = json.loads(rec(path, *REVIEW, "--spread", "tree_sd", "--json")[1])["reviews"]
    assert one_for_all["model"] == "tree"
    code, out, _ = rec(
        path, *REVIEW[:4], *REVIEW[6:], "--spread", "tree_sd", "--loss-column", "penalty", "--json"
    )
    assert json.loads(out)["reviews"]["cost"] == pytest.approx(
        review_threshold({"tree": data["penalty"]}, data["tree_sd"], cost_review=0.6).cost
    )


def test_words_figure_and_policy_of_reviews(rec, spreads, tmp_path):
    path, data = spreads
    figure, policy = tmp_path / "reviews.svg", tmp_path / "policy.json"
    code, out, _ = rec(path, *REVIEW, "--spread", "tree_sd", "-o", figure, "--policy", policy)
    assert code == 0
    words = " ".join(out.split())
    losses = {name: excess_losses(data["y_true"], data[name]) for name in ("tree", "line")}
    found = review_threshold(losses, data["tree_sd"], cost_review=0.6)
    assert words.startswith(f"Use tree up to a spread of {found.threshold:g} and review the")
    assert f"expected cost {found.cost:.4g} per case (95 % interval" in words
    assert "What reviews save" in out
    assert all(len(line) <= 80 for line in out.splitlines())
    assert "share of the cases reviewed" in figure.read_text()
    made = Policy.load(policy)
    assert made.columns == ("tree_sd",)
    assert made.decide(data["tree_sd"]).tolist() == found.rule.decide(data["tree_sd"]).tolist()


def test_no_policy_where_all_cases_are_treated_alike(rec, spreads, tmp_path):
    policy = tmp_path / "policy.json"
    flags = ("--target", "y_true", "--model", "tree", "--spread", "tree_sd", "--policy", policy)
    code, out, err = rec(spreads[0], *flags, "--cost-review", 50)
    assert (code, policy.exists()) == (3, False)
    assert out.startswith("Use tree and review no case")
    assert "No policy is needed to never review" in " ".join(err.split())
    code, out, _ = rec(spreads[0], *flags, "--cost-review", 0)
    assert (code, policy.exists()) == (3, False)
    assert out.startswith("Review every case")


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--spread", "tree_sd"), "`--spread` needs --cost-review"),
        (("--tolerance", 1), "`--tolerance` needs --cost-review"),
        (("--cost-review", 1), "`--spread` is needed with --cost-review"),
        (("--cost-review", -1, "--spread", "tree_sd"), "`--cost-review` must not be negative"),
        (("--cost-review", 1, "--spread", "sd"), "has no column 'sd'"),
        (
            ("--cost-review", 1, "--spread", "tree_sd", "--tolerance", -1),
            "`--tolerance` must not be negative",
        ),
        (("--cost-review", 1, *["--spread", "tree_sd"] * 3), "one for each of 2 models, got 3"),
        (("--cost-review", 1, "--spread", "tree_sd", "--loss-column", "penalty"), "is for one model, got 2"),
        (
            ("--cost-review", 1, "--spread", "tree_sd", "--loss-column", "penalty", "--tolerance", 1),
            "two kinds of losses",
        ),
        (("--cost-review", 1, "--spread", "tree_sd", "--policy", "p.txt"), "must end in .json"),
    ],
)
def test_mistakes_about_reviews(rec, spreads, flags, message):
    code, _, err = rec(spreads[0], *REVIEW[:6], *flags)
    assert code == 2
    assert message in " ".join(err.split())
