"""`demur reproduce`: verdicts, data that are not there, the command, and the papers in quick mode."""

import csv
import gzip
import json
import math
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import demur
from demur import CostModel, DemurError, InputError, ScoreCounts, response_curve
from demur.cli.main import main
from demur_studies import (
    STUDIES,
    _data,
    _finished,
    _friedel2006_statements,
    _shipped_counts,
    _weka,
    load_study,
)
from demur_studies._data import MissingDataError, PaperData
from demur_studies._finished import FinishedParts
from demur_studies._friedel2006_scores import LEARNERS, POSITIVE
from demur_studies._placebo import Entry, table_evidence
from demur_studies._spread import pooled_spread, resampled_spread
from demur_studies._study import EXACT, VERDICTS, Cell, Figure, Reproduction, Tolerance, save_figures
from demur_studies._tic_tac_toe import tic_tac_toe

TENTH = Tolerance("made up", absolute=0.1)


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def call(*args):
        with pytest.raises(SystemExit) as stop:
            main([str(arg) for arg in args])
        streams = capsys.readouterr()
        return stop.value.code, streams.out, streams.err

    return call


# ---------------------------------------------------------------- verdicts


@pytest.mark.parametrize(
    ("published", "computed", "tolerance", "verdict"),
    [
        (0.5, 0.6, TENTH, "number reproduced"),  # the border belongs to the tolerance
        (0.5, 0.601, TENTH, "differs"),
        (0.5, math.nan, TENTH, "differs"),
        (-200.0, -200.1, TENTH, "number reproduced"),
        (0.02, 0.025, Tolerance.printed(2), "number reproduced"),
        (0.02, 0.0251, Tolerance.printed(2), "differs"),
        (1 / 3, 1 / 3 + 1e-12, EXACT, "number reproduced"),
        (1 / 3, 0.3333, EXACT, "differs"),
    ],
)
def test_verdict_of_a_number_by_hand(published, computed, tolerance, verdict):
    cell = Cell.number("Table 1", published=published, computed=computed, tolerance=tolerance)
    assert cell.verdict == verdict
    assert cell.is_documented == (verdict != "differs")
    assert cell.tolerance_reason == tolerance.because


def test_tolerance_is_derived_from_rounding_and_spread_by_hand():
    # a mean of 4 against a mean of 1: 1.96 sqrt(1/4 + 1) of the spread, and half a unit of the last digit
    known = Tolerance.repeated(2, spread=0.1, ours=4, printed=1, because="the folds")
    assert known.absolute == pytest.approx(0.00501 + 1.959964 * 0.1 * math.sqrt(1.25))
    assert known.because == "printed to 2 decimals, and 95 % of the chance in the folds"
    # three seeds leave two degrees of freedom: Student's 4.3027
    guessed = Tolerance.repeated(3, spread=0.1, ours=3, printed=math.inf, freedom=2, because="the folds")
    assert guessed.absolute == pytest.approx(0.000501 + 4.302653 * 0.1 / math.sqrt(3))


def test_spread_of_repetitions_by_hand():
    # squares 2 and 8 over 1 + 1 degrees of freedom
    found = pooled_spread([[1.0, 3.0], [10.0, 14.0]], "seeds")
    assert (found.deviation, found.freedom) == (pytest.approx(math.sqrt(5)), 2)
    share = pooled_spread([[9.0, 11.0]], "seeds", relative=True)
    assert share.deviation == pytest.approx(math.sqrt(0.02))
    assert pooled_spread([[1.0]], "seeds") is None
    counts = ScoreCounts.from_counts([1, 2], [50, 50], [50, 50])
    # the share of positives at the higher score of 100 of them
    spread = resampled_spread(counts, lambda drawn: float(drawn.positives[-1]) / 100, "the cases")
    assert spread.deviation == pytest.approx(0.05, rel=0.4)


def test_weak_is_a_tolerance_above_a_quarter_of_the_print():
    weak, strong = (
        Cell.number("a", published=printed, computed=printed, tolerance=TENTH) for printed in (0.39, 0.4)
    )
    assert (weak.weak, strong.weak) == (True, False)
    assert weak.sentence == "number reproduced (weak)"
    assert Reproduction(cells=(weak, strong)).summary.startswith(
        "2 cells: 2 printed numbers reproduced (1 of them weakly); 0 printed statements"
    )


def test_own_checks_are_not_counted_with_the_print():
    passing = Cell.check("a", expected=0.5, computed=0.5, holds=True, checked="twice")
    recount = Cell.check("b", expected="6/5", computed="12/4", holds=False, known="the totals are wrong")
    broken = Cell.check("c", expected=0.5, computed=0.6, holds=False)
    assert [each.verdict for each in (passing, recount, broken)] == ["own check", "own check", "differs"]
    assert recount.sentence == "own check: does not hold: the totals are wrong"
    assert [each.is_documented for each in (passing, recount, broken)] == [True, True, False]
    formula = Cell.formula("d", published=0.5, computed=0.5)
    assert formula.verdict == "statement reproduced"


@pytest.mark.parametrize(
    ("computed", "needed", "sentence"),
    [
        # the paper's text does not give 0.5 (needed), the variant gives 0.55
        (0.55, True, "explained by: costs transposed"),
        (0.55, False, "own check"),
        (0.7, True, "own check: does not hold: not explained by costs transposed"),
        (0.7, False, "own check: does not hold: not explained by costs transposed"),
    ],
)
def test_a_variant_explains_what_the_text_does_not_give(computed, needed, sentence):
    cell = Cell.variant(
        "a", published=0.5, computed=computed, tolerance=TENTH, by="costs transposed", needed=needed
    )
    assert cell.sentence == sentence
    assert cell.is_documented
    assert cell.tolerance == 0.1


def test_a_statement_may_hold_for_a_variant_only():
    said = {"claim": "6/17", "computed": "21/1", "explained": "costs transposed", "known": "unknown"}
    assert Cell.claim("a", holds=True, **said).sentence == "statement reproduced"
    assert Cell.claim("a", holds=False, **said).sentence == "explained by: costs transposed"
    assert Cell.claim("a", holds=False, **{**said, "explained": ""}).sentence == "differs: unknown"


# ---------------------------------------------------------------- placebo


def entries(published, computed, tolerance=0.01):
    return [
        Entry(f"row {i}", f"method {j}", value, computed[i][j], tolerance)
        for i, row in enumerate(published)
        for j, value in enumerate(row)
    ]


def test_placebo_of_a_table_by_hand():
    printed = [[0.1, 0.5], [0.2, 0.6], [0.3, 0.5]]
    ours = [[0.1, 0.5], [0.2, 0.6], [0.4, 0.5]]
    found = table_evidence("Table 1", entries(printed, ours), fewest=6)
    assert (found.n_cells, found.agreement) == (6, pytest.approx(5 / 6))
    rows, methods = found.placebos
    # of the 9 pairs of rows, pair (0, 0) agrees in 2 cells, (1, 1) in 2, (0, 2), (2, 0) and (2, 2) in 1
    assert (rows.agreement, rows.n_permutations, rows.exact) == (pytest.approx(7 / 18), 6, True)
    # only the true order and that with rows 0 and 2 exchanged agree in more than three cells: 5 and 4
    assert rows.pvalue == pytest.approx(1 / 6)
    # methods exchanged: nothing agrees
    assert (methods.agreement, methods.pvalue) == (pytest.approx(5 / 12), pytest.approx(1 / 2))
    assert found.passed
    # each row has one pair of methods, ordered alike
    assert (found.pairs_alike, found.n_pairs, found.rows_alike, found.n_rows) == (3, 3, 3, 3)
    assert found.sign_pvalue == pytest.approx(2 / 8)
    assert found.row_correlation == pytest.approx(1)
    assert found.method_correlation is None  # two methods rank trivially


def test_table_with_a_wide_tolerance_does_not_pass_its_placebo():
    table = entries([[0.1, 0.2], [0.3, 0.2]], [[0.2, 0.3], [0.1, 0.3]], 0.5)
    found = table_evidence("Table 1", table, fewest=4)
    assert [each.agreement for each in found.placebos] == [1, 1]
    assert not found.passed
    assert "Does not pass its placebo: wrong rows and wrong methods agree about as often" in found.sentence


def test_placebo_of_many_rows_is_drawn_and_of_words_by_equality():
    truth = ["W", "L"] * 6
    words = [Entry(f"row {k}", "L&F", side, side, 0.0) for k, side in enumerate(truth)]
    found = table_evidence("wins", words)
    (rows,) = found.placebos
    assert (rows.exact, rows.agreement) == (False, pytest.approx(1 / 2))
    # 924 ways to place six wins on twelve rows
    assert rows.pvalue < 0.01
    assert found.n_pairs == 0
    assert table_evidence("eleven cells", words[:11]) is None
    assert table_evidence("one row and column", [words[0]] * 12) is None


# ---------------------------------------------------------------- finished parts


def test_finished_parts_survive_a_kill(tmp_path):
    made = []

    def part():
        made.append(1)
        return {"score": [0.1, 1 / 3]}

    for _ in range(2):  # a run that was stopped, and the next one
        assert FinishedParts(tmp_path).part("vote, J48", part) == {"score": [0.1, 1 / 3]}
    assert made == [1]
    (file,) = tmp_path.iterdir()
    file.write_text("half a fi")  # not by us: a part appears whole
    assert FinishedParts(tmp_path).part("vote, J48", part)["score"][1] == 1 / 3
    assert FinishedParts().part("vote, J48", part)
    assert made == [1, 1, 1]


def test_finished_parts_belong_to_the_code_that_made_them(tmp_path, monkeypatch):
    assert FinishedParts(tmp_path).part("vote", lambda: 1) == 1
    assert FinishedParts(tmp_path).part("vote", lambda: 2) == 1
    monkeypatch.setattr(_finished, "_code", lambda: "changed")
    assert FinishedParts(tmp_path).part("vote", lambda: 2) == 2


def test_finished_parts_belong_to_the_code_of_both_packages(tmp_path, monkeypatch):
    both = _finished._code.__wrapped__()
    for package in (demur, _finished):
        with monkeypatch.context() as patch:
            patch.setattr(package, "__file__", str(tmp_path / "__init__.py"))
            assert _finished._code.__wrapped__() != both


def test_reason_stands_only_where_something_is_amiss():
    known = "erratum: the print drops a square"
    agreeing = Cell.number("Table 1", published=1, computed=1, tolerance=EXACT, known=known)
    differing = Cell.number("Table 1", published=1, computed=2, tolerance=EXACT, known=known)
    assert (agreeing.sentence, agreeing.reason) == ("number reproduced", "")
    assert differing.sentence == f"differs: {known}"
    assert differing.is_documented
    claim = Cell.claim("Section 2", claim="always", holds=False, computed="once not", known="counterexample")
    assert claim.sentence == "differs: counterexample"
    missing = Cell.not_run("Table 2", published=0.5, needs="a lab")
    assert (missing.sentence, missing.computed, missing.is_documented) == ("not run: needs a lab", None, True)


def test_reproduction_counts_verdicts_and_is_json_safe():
    cells = (
        Cell.number("a", published=1, computed=1, tolerance=EXACT),
        Cell.number("b", published=1, computed=math.nan, tolerance=EXACT),
        Cell.not_run("c", published="a statement", needs="data"),
    )
    drawn = []
    result = Reproduction(cells=cells, figures=(Figure("one", "A caption.", lambda: drawn.append(1)),))
    assert [result.count(verdict) for verdict in VERDICTS] == [1, 0, 0, 1, 0, 1]
    assert result.to_dict()["counts"] == {**{v: result.count(v) for v in VERDICTS}, "weak": 0, "cells": 3}
    assert not result.is_documented
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False))["cells"][1]["computed"] is None
    assert result.to_dict()["figures"] == [{"name": "one", "caption": "A caption."}]
    assert drawn == []  # nothing is drawn before it is saved


def test_no_figure_is_written_if_one_cannot_be_drawn(tmp_path):
    import matplotlib.pyplot as plt

    def broken():
        raise InputError("no")

    figures = (Figure("good", "", lambda: plt.figure()), Figure("bad", "", broken))
    with pytest.raises(InputError):
        save_figures(figures, tmp_path / "out", prefix="x")
    plt.close("all")
    assert not (tmp_path / "out").exists()
    saved = save_figures(figures[:1], tmp_path / "out", prefix="x")
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["x-good.png"] == [saved[0].name]


# ---------------------------------------------------------------- data


def test_tables_from_a_folder_with_gaps_and_nominal_values(tmp_path):
    (tmp_path / "uci").mkdir()
    (tmp_path / "uci" / "tiny.csv").write_text("a,b,class\n1,x,no\n,y,yes\n3,,no\n")
    table = PaperData(tmp_path).table("tiny")
    assert (len(table), table.source) == (3, "the folder given")
    assert [table.is_numeric(name) for name in "ab"] == [True, False]
    assert table.labels("yes").tolist() == [False, True, False]
    assert table.matrix().tolist() == [[1, 1, 0], [2, 0, 1], [3, 0, 0]]
    assert table.matrix(nominal=("a",)).shape == (3, 4)
    with pytest.raises(InputError, match="no row of class 'maybe'"):
        table.labels("maybe")


def test_debian_examples_are_read_like_the_folder(tmp_path, monkeypatch):
    text = "% remark\n@relation 'a b'\n@attribute 'first one' {'x y', z}\n@attribute two numeric\n"
    text += "@ATTRIBUTE class {good,bad}\n@data\n'x y', 1.5,good\nz,?,bad\n"
    with gzip.open(tmp_path / "labor.arff.gz", "wt") as handle:
        handle.write(text)
    monkeypatch.setattr(_data, "_WEKA_EXAMPLES", tmp_path)
    table = PaperData().table("labor")
    assert list(table.attributes) == ["first one", "two"]
    assert table.attributes["first one"].tolist() == ["x y", "z"]
    assert table.attributes["two"].tolist() == ["1.5", ""]
    assert table.target.tolist() == ["good", "bad"]
    with pytest.raises(MissingDataError, match=r"uci/vote.csv in --data-dir or Debian's package weka"):
        PaperData().table("vote")


def test_tic_tac_toe_needs_no_file():
    table = PaperData().table("tic-tac-toe")
    assert (len(table), table.source) == (958, "enumeration")
    assert table.labels("positive").sum() == 626


def test_tic_tac_toe_against_paper():
    # Ferri and Hernandez-Orallo (2004), section 7: unpruned tree with Laplace smoothing, 8 squares.
    # Printed: accuracy .796, AUC .873, AUC .956 at abstention .46, cheapest between .65 and .75.
    # Another tree learner and other folds: the shape is reproduced, not the third digit.
    from sklearn.model_selection import StratifiedKFold
    from sklearn.tree import DecisionTreeClassifier

    X, y = tic_tac_toe(squares=8)
    features = np.concatenate([mark == X for mark in "xob"], axis=1).astype(float)
    proba = np.empty((len(y), 2))
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(features, y):
        tree = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=0)
        tree.fit(features[train], y[train])
        leaf_of, leaf = tree.apply(features[train]), tree.apply(features[test])
        sizes = np.bincount(leaf_of, minlength=tree.tree_.node_count)
        wins = np.bincount(leaf_of, weights=y[train], minlength=tree.tree_.node_count)
        p = (wins[leaf] + 1) / (sizes[leaf] + 2)
        proba[test] = np.column_stack([1 - p, p])
    accuracy = response_curve(y, proba)
    auc = accuracy.with_metric("auc")
    costs = CostModel(cost_fp=100, cost_fn=20, cost_abstain_positive=2, cost_abstain_negative=3)
    cost = accuracy.with_metric("cost", costs=costs)
    assert accuracy.at(0) == pytest.approx(0.80, abs=0.06)
    assert auc.at(0) == pytest.approx(0.873, abs=0.05)
    assert auc.at(0.46) > auc.at(0.24) > auc.at(0)
    assert auc.at(0.46) == pytest.approx(0.956, abs=0.04)
    assert 0.4 < cost.best().abstention < 0.95


def test_tic_tac_toe_rows_against_uci(shared_folder):
    with open(shared_folder / "data" / "uci" / "tic-tac-toe.csv") as handle:
        rows = [(*line[:9], line[9] == "positive") for line in list(csv.reader(handle))[1:]]
    X, y = tic_tac_toe()
    assert sorted(rows) == sorted((*board, bool(won)) for board, won in zip(X.tolist(), y, strict=True))
    with pytest.raises(InputError, match="`squares` must be 8 or 9, got 7"):
        tic_tac_toe(squares=7)


def test_data_that_are_not_there_are_named(tmp_path):
    data = PaperData(tmp_path)
    for ask, needs in [
        (lambda: data.table("abalone"), "uci/abalone.csv in --data-dir"),
        (lambda: data.series("leuven"), "timeseries/leuven.csv in --data-dir"),
        (lambda: data.weka_scores("vote", 1), "weka_scores/vote_seed1.csv in --data-dir"),
    ]:
        with pytest.raises(MissingDataError) as caught:
            ask()
        assert caught.value.needs == needs


@pytest.mark.parametrize("content", ["", "a,b\n1,2\n", "a,class\n1\n", "a,class\n"])
def test_tables_of_another_layout_are_refused(tmp_path, content):
    (tmp_path / "uci").mkdir()
    (tmp_path / "uci" / "odd.csv").write_text(content)
    with pytest.raises(InputError, match="must be a CSV table whose last column is named class"):
        PaperData(tmp_path).table("odd")


def test_folder_gives_the_same_rows_as_debian(shared_folder):
    if not _data._WEKA_EXAMPLES.is_dir():
        pytest.skip("Debian's package weka is not installed")
    for name in _data._ARFF_FILES:
        given, examples = PaperData(shared_folder / "data").table(name), PaperData().table(name)
        # segment is in two files of another order
        order = sorted if name == "segment" else list
        assert order(given.target) == order(examples.target), name
        assert len(given.attributes) == len(examples.attributes)


# ---------------------------------------------------------------- the command


def test_version_is_that_of_demur():
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    assert project["version"] == demur.__version__
    assert f"demur[plot]=={demur.__version__}" in project["dependencies"]


def test_module_is_the_verb():
    command = [sys.executable, "-m", "demur_studies", "--list"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert [line.split()[0] for line in listed.splitlines() if line[0] != " "] == list(STUDIES)


def fake_study(monkeypatch, *cells, figures=()):
    """Put a study with these cells in the place of a real one."""
    import demur_studies

    result = Reproduction(cells=cells, figures=figures, remarks=("How it was run.",))
    study = SimpleNamespace(TITLE="T", REFERENCE="R", PUBLISHED={}, run=lambda **options: result)
    monkeypatch.setattr(demur_studies, "load_study", lambda name: study)


def test_list_names_every_study(run):
    code, out, err = run("reproduce", "--list")
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines() if line[0] != " "] == list(STUDIES)
    # a reader recognises the paper: its title and authors, as printed
    words = " ".join(out.split())
    assert (
        "Cost Curves for Abstaining Classifiers (Caroline C. Friedel, Ulrich Rückert, Stefan Kramer)" in words
    )
    code, out, _ = run("reproduce", "--list", "--json")
    assert [study["name"] for study in json.loads(out)["studies"]] == list(STUDIES)
    assert {tuple(study) for study in json.loads(out)["studies"]} == {("name", "title", "authors")}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["friedel2005"], "There is no study 'friedel2005'. Hint: the studies are friedel2006, "),
        ([], "A study is needed. Hint: demur reproduce --list"),
        (["vanderlooy2006", "--data-dir", "nowhere"], "`--data-dir` must be a folder, got 'nowhere'"),
        (["vanderlooy2006", "-o", "file"], "`--output` must be a folder, got 'file'"),
    ],
)
def test_wrong_input_is_one_sentence_and_writes_nothing(run, tmp_path, args, message):
    (tmp_path / "file").write_text("kept")
    code, out, err = run("reproduce", *args)
    assert (code, out) == (2, "")
    assert message in err
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "kept"


def test_long_names_are_folded_at_80_columns(run, monkeypatch):
    long = "Table 1, a data set with a very long name indeed, a learner with a longer one, and more"
    fake_study(
        monkeypatch,
        Cell.number(long, published=0.5, computed=0.7, tolerance=TENTH, known="a reason " * 20),
        Cell.number("short", published=0.5, computed=0.5, tolerance=TENTH),
        Cell.claim(long, claim="a statement " * 10, holds=True, computed="it holds", checked="on 3 cases"),
        Cell.not_run("other", published=12.0, needs="data"),
    )
    code, out, _ = run("reproduce", "vanderlooy2006")
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    assert "differs [1]" in out
    assert "[2] not run: needs data" in out
    assert "4 cells: 1 printed numbers reproduced; 1 printed statements reproduced; 0 explained" in " ".join(
        out.split()
    )


def test_difference_without_a_reason_ends_with_exit_code_1(run, monkeypatch):
    fake_study(monkeypatch, Cell.number("Table 1", published=0.5, computed=0.7, tolerance=TENTH))
    code, out, _ = run("reproduce", "vanderlooy2006", "--json")
    assert (code, json.loads(out)["documented"]) == (1, False)


def test_all_runs_every_study(run, monkeypatch):
    fake_study(monkeypatch, Cell.not_run("Table 1", published=0.5, needs="data"))
    code, out, _ = run("reproduce", "all", "--json")
    assert code == 0
    found = json.loads(out)
    assert found["schema"] == "demur.reproduce"
    assert [study["name"] for study in found["studies"]] == list(STUDIES)
    cell = found["studies"][0]["cells"][0]
    assert set(cell) == {
        "where", "published", "computed", "tolerance", "tolerance_reason", "verdict", "reason",
        "weak", "table", "row", "column",
    }  # fmt: skip
    assert set(found["made"]) == {"date", "python", "numpy", "scipy", "scikit-learn", "weka"}


def test_figures_go_to_the_folder_only(run, monkeypatch, tmp_path):
    import matplotlib.pyplot as plt

    cell = Cell.number("Table 1", published=0.5, computed=0.55, tolerance=TENTH)
    fake_study(monkeypatch, cell, figures=(Figure("fig-1", "A caption.", lambda: plt.figure()),))
    assert run("reproduce", "vanderlooy2006")[0] == 0
    assert list(tmp_path.iterdir()) == []
    code, out, _ = run("reproduce", "vanderlooy2006", "-o", "made/here", "--json")
    assert code == 0
    made = sorted(path.name for path in (tmp_path / "made" / "here").iterdir())
    assert made == ["cells.csv", "vanderlooy2006-fig-1.png"]
    header, first = (tmp_path / "made" / "here" / "cells.csv").read_text().splitlines()[:2]
    assert header == (
        "study,where,published,computed,tolerance,tolerance_reason,verdict,reason,weak,table,row,column"
    )
    assert first.startswith("vanderlooy2006,Table 1,0.5,0.55,")
    assert json.loads(out)["studies"][0]["figures"][0]["file"] == "made/here/vanderlooy2006-fig-1.png"


# ---------------------------------------------------------------- WEKA


def test_threshold_file_by_hand(tmp_path):
    # WEKA counts cases at or above each threshold; two scores share six decimals
    names = "'True Positives','False Negatives','False Positives','True Negatives',Threshold"
    rows = ["3,0,2,0,0", "3,0,2,0,0.1", "2,1,1,1,0.333333", "2,1,0,2,0.333333", "0,3,0,2,0.9"]
    (tmp_path / "curve.csv").write_text("\n".join([names, *rows]) + "\n")
    found = _weka._read_curve(tmp_path / "curve.csv", right=4)
    assert found.positives.tolist() == [1, 0, 2]
    assert found.negatives.tolist() == [1, 1, 0]
    assert found.score[0] == 0.1
    assert 0.333333 == found.score[1] < found.score[2] < 0.3333331
    assert found.accuracy == 0.8
    label, score = found.cases()
    assert label.tolist() == [False, False, True, True, True]
    assert score.tolist() == [*found.score[:2], found.score[0], *[found.score[2]] * 2]
    assert found.counts.n == 5


def test_arff_is_read_back_as_written(tmp_path):
    odd = {"a b": np.array(["x y", "", "it's"]), "n": np.array(["1", "2.5", ""])}
    table = _data.Table(name="t t", attributes=odd, target=np.array(["no", "yes", "no"]), source="here")
    _weka._write_arff(tmp_path / "t.arff", table, table, ())
    text = (tmp_path / "t.arff").read_text()
    assert "@attribute n numeric" in text
    assert r"@attribute 'a b' {'it\'s','x y'}" in text
    assert "'x y',1,no\n?,2.5,yes\n" in text
    _weka._write_arff(tmp_path / "t.arff", table, table, ("n",))
    assert "@attribute n {1,2.5}" in (tmp_path / "t.arff").read_text()


def test_learner_gives_the_saved_results_against_weka(shared_folder):
    from demur import auc_score, vacc_score

    if not _weka.weka_is_here():
        pytest.skip("Java or Debian's package weka is not installed")
    data = PaperData(shared_folder / "data")
    found = _weka.weka_scores(data.table("vote"), "J48", positive="republican", seed=2)
    saved = data.weka_reference()["vote", "J48", 2]
    assert found.accuracy == pytest.approx(saved["accuracy_argmax"], abs=1e-12)
    assert auc_score(found.counts) == pytest.approx(saved["auc"], abs=1e-12)
    assert vacc_score(found.counts) == pytest.approx(saved["vacc"], abs=1e-12)
    with pytest.raises(DemurError, match="WEKA's J48 failed on vote"):
        _weka.weka_scores(data.table("vote"), "J48", positive="republican", folds=1000)


def test_without_weka_it_is_named(monkeypatch):
    monkeypatch.setattr(_weka, "_JAR", Path("nowhere.jar"))
    with pytest.raises(MissingDataError, match="Java and Debian's package weka"):
        _weka.weka_scores(PaperData().table("tic-tac-toe"), "J48", positive="positive")


# ---------------------------------------------------------------- the papers, in haste

# cells whose printed value is known not to come out; all others must agree
ERRATA = {
    "friedel2006": {
        "Figure 4 (e)",
        "Footnote 3",
        "Section 4, penalty",
    },
    "drummond-holte": set(),
    "ferri2004": {
        "Example 1, Q_0.06",
        "Example 2, confidence above .625, f-score",
        "Example 2, confidence above .625, capacity",
        "Section 6, option 1, FPR",
        "Section 2.2, efficacy",
        "Section 7, capacity",
        # a third of the rows: a smaller tree
        "Section 7, spam, auc",
        "Section 7, spam, auc at 10 %",
    },
    "vanderlooy2006": {
        "Section 6, case 2",
        "Figure 6, new skew",
        "Figure 6, F_p at a",
        "Figure 6, design",
        "Section 8.3",
    },
}


def run_in_haste(name, folder=None):
    return load_study(name).run(quick=True, data=PaperData(folder), rng=np.random.default_rng(2006))


@pytest.mark.parametrize("name", ERRATA)
def test_paper_in_haste_against_paper(run, shared_folder, tmp_path, name):
    if not _weka.weka_is_here():
        pytest.skip("Java or Debian's package weka is not installed")
    args = ("--quick", "--json", "--data-dir", shared_folder / "data", "-o", "figures")
    code, out, err = run("reproduce", name, *args)
    assert (code, err) == (0, "")
    (study,) = json.loads(out)["studies"]
    verdicts = {cell["where"]: cell["verdict"] for cell in study["cells"]}
    assert len(verdicts) == len(study["cells"]), "two cells of one place"
    differing = {where for where, verdict in verdicts.items() if verdict == "differs"}
    # tolerances hold with 95 %: of 180 values of one table nine may differ by chance
    by_chance = {where for where in differing if where.startswith("Table 1, ")}
    assert len(by_chance) <= 9
    assert differing - by_chance == ERRATA[name]
    lacking = {where for where, verdict in verdicts.items() if verdict == "not run"}
    assert lacking == set()
    assert sum(study["counts"][verdict] for verdict in VERDICTS) == len(study["cells"])
    assert all(cell["reason"] for cell in study["cells"] if cell["verdict"] == "differs")
    assert all(cell["tolerance_reason"] for cell in study["cells"] if cell["tolerance"] is not None)
    sizes = [os.path.getsize(tmp_path / figure["file"]) for figure in study["figures"]]
    assert len(sizes) > 2
    assert min(sizes) > 5000


@pytest.mark.parametrize("name", STUDIES)
def test_titles_and_authors_are_those_of_the_list(name):
    study = load_study(name)
    _, title, authors = STUDIES[name]
    assert title == study.TITLE
    assert title in study.REFERENCE
    assert authors in study.REFERENCE


@pytest.mark.parametrize("name", ERRATA)
def test_papers_print_values_with_their_place(name):
    study = load_study(name)
    assert any(digit in study.REFERENCE for digit in ("2004", "2006"))
    places = (
        "Table",
        "Figure",
        "Example",
        "Section",
        "Theorem",
        "Corollary",
        "Equation",
        "Advantage",
        "Duality",
        "Footnote",
    )
    assert all(key.startswith(places) for key in study.PUBLISHED)


def test_without_weka_and_data_the_shipped_counts_stand_in(monkeypatch, tmp_path):
    monkeypatch.setattr(_weka, "_JAR", Path("nowhere.jar"))
    monkeypatch.setattr(_data, "_WEKA_EXAMPLES", tmp_path)
    result = run_in_haste("friedel2006")
    assert result.is_documented
    assert result.count("not run") == 0
    assert any("counts shipped with the studies" in remark for remark in result.remarks)
    assert all(table.passed for table in result.evidence)
    assert len(result.evidence) == 6


def test_runs_of_weka_are_packed_without_loss_by_hand():
    # two scores share six decimals; 9 of 10 answers are right
    run = _weka.WekaScores(
        positives=np.array([0.0, 1.0, 4.0]),
        negatives=np.array([3.0, 2.0, 0.0]),
        score=np.array([0.25, 0.5, np.nextafter(0.5, 1)]),
        accuracy=0.9,
    )
    small = _shipped_counts.packed(run)
    assert small == [9, [250000, 250000, 0], [0, 1, 4], [3, 2, 0]]
    back = _shipped_counts.unpacked(json.loads(json.dumps(small)))
    assert back.accuracy == 0.9
    for name in ("positives", "negatives", "score"):
        assert getattr(back, name).tolist() == getattr(run, name).tolist()


def test_shipped_counts_give_the_saved_results_against_weka(shared_folder):
    from demur import auc_score, vacc_score

    saved = PaperData(shared_folder / "data").weka_reference()
    compared = 0
    for name in POSITIVE:
        for learner in LEARNERS.values():
            if name == "credit-a" and learner in ("PART", "RF10", "SMO-M"):
                continue  # they depend on the order of the nominal values, which the saved runs had otherwise
            for seed in (1, 2, 3):
                shipped = _shipped_counts.shipped_scores(name, learner, seed)
                values = saved[name, learner, seed]
                assert shipped.accuracy == pytest.approx(values["accuracy_argmax"], abs=1e-12)
                assert auc_score(shipped.counts) == pytest.approx(values["auc"], abs=1e-12)
                assert vacc_score(shipped.counts) == pytest.approx(values["vacc"], abs=1e-12)
                compared += 1
    assert compared == 81


def test_boards_need_no_data(monkeypatch, tmp_path):
    monkeypatch.setattr(_weka, "_JAR", Path("nowhere.jar"))
    result = run_in_haste("ferri2004", tmp_path)
    assert result.is_documented
    lacking = {cell.where: cell.reason for cell in result.cells if cell.verdict == "not run"}
    assert set(lacking.values()) == {"needs uci/spambase.csv in --data-dir"}
    assert "Figure 14" in lacking


def test_talk_without_data_keeps_its_definitions(monkeypatch, tmp_path):
    monkeypatch.setattr(_weka, "_JAR", Path("nowhere.jar"))
    monkeypatch.setattr(_data, "_WEKA_EXAMPLES", tmp_path)
    result = run_in_haste("drummond-holte", tmp_path)
    assert [cell.verdict for cell in result.cells] == ["not run"] * 2 + ["statement reproduced"] * 6
    assert result.figures == ()


def made_up_scores(accuracy, area, volume):
    """Values of J48 and NB per fold seed; the other learners stand between them."""
    tables = {"accuracy": accuracy, "AUC": area, "VACC": volume}

    def values(learner, measure):
        first, second = tables[measure]
        return {"J48": first, "NB": second}.get(learner, np.minimum(first, second).tolist())

    return SimpleNamespace(values=values)


def test_a_gap_is_larger_only_beyond_the_chance_of_the_folds():
    judge = _friedel2006_statements._shown_by("J48", "NB", by=("VACC",), not_by=("AUC",))
    even = [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]
    # normalised gaps of VACC 0.2, 0.25, 0.3 against 0 in AUC: mean 0.25, t = 8.7 with 2 degrees
    clear = [0.8, 0.75, 0.7], [1.0, 1.0, 1.0]
    assert judge(made_up_scores(even, even, clear)) == (
        True,
        "gaps in the normalised columns: accuracy 0.000, AUC 0.000, VACC 0.250",
    )
    # the same mean, from -0.05 to 0.55: t = 1.4 below 2.92
    scattered = [1.0, 0.75, 0.45], [0.95, 1.0, 1.0]
    assert not judge(made_up_scores(even, even, scattered))[0]
    # as large in AUC
    assert not judge(made_up_scores(even, clear, clear))[0]


@pytest.mark.parametrize("name", STUDIES)
def test_kept_results_follow_the_rules(name):
    """The documentation shows them: five kinds counted apart, tolerances derived, weak ones marked."""
    folder = Path(__file__).parents[2] / "docs" / "papers" / "results"
    kept = json.loads((folder / f"{name}.json").read_text())
    assert (kept["quick"], kept["documented"]) == (False, True)
    (study,) = kept["studies"]
    cells = study["cells"]
    assert study["counts"] == {
        **{verdict: sum(cell["verdict"] == verdict for cell in cells) for verdict in VERDICTS},
        "weak": sum(cell["weak"] and cell["verdict"] == "number reproduced" for cell in cells),
        "cells": len(cells),
    }
    for cell in cells:
        assert cell["reason"] or cell["verdict"] not in ("explained by", "differs", "not run"), cell
        if cell["tolerance"] is not None:
            assert cell["tolerance_reason"].startswith(("printed to", "computed without", "read off"))
            wide = cell["tolerance"] > 0.25 * abs(cell["published"])
            # the file has six digits: on the border either is right
            close = cell["tolerance"] == pytest.approx(0.25 * abs(cell["published"]), rel=1e-5)
            assert cell["weak"] == wide or close, cell
    assert {table["table"] for table in study["evidence"]} <= {cell.get("table") for cell in cells}
    assert all(table["n_cells"] >= 12 for table in study["evidence"])
    assert all(table["passed"] or "Does not pass" in table["sentence"] for table in study["evidence"])


def test_kept_results_explain_the_contradiction_of_deng():
    folder = Path(__file__).parents[2] / "docs" / "papers" / "results"
    (study,) = json.loads((folder / "deng2006.json").read_text())["studies"]
    cells = {cell["where"]: cell for cell in study["cells"]}
    # printed: GA on (15) loses on most data sets; in our run it wins on most, given the costs transposed not
    contradiction = cells["Table 2, win/loss, GA15"]
    assert (contradiction["published"], contradiction["verdict"]) == ("6/17", "explained by")
    assert contradiction["reason"] == "the optimiser given the cost matrix transposed"
    runs = [tuple(map(int, run.split()[0].split("/"))) for run in contradiction["computed"].split("; ")]
    assert [np.sign(wins - losses) for wins, losses in runs] == [1, -1]
    # every row of the table says what explains it, or which columns nothing does
    rows = [cell for cell in study["cells"] if cell["where"].endswith(", the row")]
    assert len(rows) == 25
    assert {cell["verdict"] for cell in rows} <= {"statement reproduced", "explained by", "differs"}
    assert all(cell["reason"] for cell in rows if cell["verdict"] != "statement reproduced")
    tables = {table["table"]: table["passed"] for table in study["evidence"]}
    assert not tables["Table 2, cost"]


def test_every_name_has_its_module():
    for name in STUDIES:
        assert callable(load_study(name).run), name
