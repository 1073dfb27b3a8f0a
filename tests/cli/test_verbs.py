"""The command line as a user meets it: answers, guesses, refusals, exit codes, streams."""

import importlib.util
import io
import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import demur
from command_line import COSTS, GOOD, Y, python, table_file
from demur._tables.numbers import number, percent
from demur._tables.table import Section, shortened, told_apart
from demur.cli.main import main
from demur.cli.verbs import demo
from demur.cli.verbs.compare import Compared
from demur.surface.window import written_window
from examples import examples
from oracles import all_windows, pairs_auc, scored_data, window_cost

# ---------------------------------------------------------------- help, start


def test_help_lists_the_verbs_and_imports_nothing_heavy():
    code = (
        "import sys\nfrom demur.cli.main import main\ntry: main(['--help'])\n"
        "except SystemExit: print([m for m in ('numpy', 'duckdb', 'scipy', 'sklearn', 'demur.cli.compare') "
        "if m in sys.modules])"
    )
    process = python("-c", code)
    assert process.stdout.splitlines()[-1] == "[]"
    assert all(
        re.search(rf"^  {verb} ", process.stdout, re.M)
        for verb in ("demo", "compare", "decide", "apply", "check")
    )


def test_help_of_a_verb_does_not_import_numpy():
    code = (
        "import sys\nfrom demur.cli.main import main\ntry: main(['compare', '--help'])\n"
        "except SystemExit: print('numpy' in sys.modules)"
    )
    assert python("-c", code).stdout.splitlines()[-1] == "False"


@pytest.mark.parametrize("verb", ["demo", "compare", "check"])
def test_every_verb_has_an_example_that_parses(run, verb):
    answer = run(verb, "--help")
    assert answer.code == 0
    assert f"  demur {verb}" in answer.out.partition("Example")[2]
    assert max(map(len, answer.out.splitlines())) <= 80


def test_no_verb_shows_the_help(run):
    assert run().out == run("-h").out
    assert run().code == 0


def test_module_and_version():
    assert python("-m", "demur", "--version").stdout == f"demur {demur.__version__}\n"


@pytest.mark.parametrize("args", [["--list"], ["--help"], ["all", "--quick"]])
def test_reproduce_without_the_studies_says_what_to_install(run, monkeypatch, args):
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **wanted: ())
    answer = run("reproduce", *args)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == (
        "demur: `demur reproduce` needs the distribution demur-studies, which is not installed. "
        "Hint: pip install demur-studies, or pip install ./studies in a copy of the repository.\n"
    )


def test_shell_completion(monkeypatch, run):
    monkeypatch.setenv("_DEMUR_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "demur comp")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert run().out == "plain,compare\n"


# ---------------------------------------------------------------- compare


def test_decision_of_the_worked_example(run, worked):
    # miss 100, false alarm 100, review 25: with hindsight the window (-0.7, 0.6) costs 1/6 of a miss, but
    # twelve cases choose badly: honestly no model beats sending every case to a person
    answer = run("compare", worked, *COSTS)
    text = " ".join(answer.out.split())
    assert answer.code == 0
    assert text.startswith(
        "Send every case to a person: no model beats this. Cost 25,000 per 1000 cases. The best model, bad, "
    )
    assert " ".join(answer.err.split()) == (
        f"Read 12 rows of {worked}: label column y_true, positive = 1, 2 score columns (good, bad); "
        "left out: row (a key)."
    )


def test_decision_of_the_worked_example_forty_times(run, many):
    # the choice is the same in every fold, so the honest cost c is 1/6 of a miss as with hindsight.
    # No mistake was seen, so one is counted: m = (480 c + 100) / 481 = 16.84. The reviews alone cost 16.667:
    # the lower end. Squares: 320 (25/3)^2 + 160 (50/3)^2 = 66,667, with the mistake (100 - m)^2 = 6,916 more:
    # the upper end is m + 1.965 sqrt(481/480 (66,667 + 6,916) / 481^2) = 17.95.
    # Against reviewing all: m - 25 = -8.16. With two mistakes at 75 more than a review
    # m2 = (480 (c - 25) + 150) / 482 = -7.988, squares 2 (75 - m2)^2 = 13,774 more:
    # m2 + 1.965 sqrt(482/481 (66,667 + 13,774) / 482^2) + m - c = -6.66 is the upper end. The other way round
    # two reviews of 25 instead of a right answer: m2 = (480 (25 - c) + 50) / 482 = 8.403, squares
    # 2 (25 - m2)^2 = 551 more: the lower end is -(m2 + 1.965 sqrt(482/481 (66,667 + 551) / 482^2)) = -9.46.
    text = " ".join(run("compare", many, *COSTS).out.split())
    assert text.startswith(
        "Proven. Use good: call positive from 0.6 up, negative up to -0.7, send the rest to a person. "
        "Of 1000 cases 167 are called positive, 167 negative, 666 go to a person; no positive cases missed, "
        "no false alarms. Cost 16,800 per 1000 cases (95 % interval 16,700 to 17,900), 8,200 less than "
        "sending every case to a person (6,700 to 9,500). "
        "It measured 16,700, but the costliest mistake never occurred; "
        "one is added. Guaranteed at most "
    )


def test_table_of_the_worked_example_by_hand(run, many):
    lines = run("compare", many, "--quiet", *COSTS).out.splitlines()
    at = next(k for k, line in enumerate(lines) if "abstains" in line)
    header = ["rule", "measured", "95", "%", "interval", "no", "reviews", "abstains", "hindsight"]
    assert lines[at].split() == header
    # the interval as above; without reviews a quarter of the cases is wrong
    good = "good 16,667 16,667 to 17,949 25,000 66.7 % 16,667"
    assert " ".join(lines[at + 1].split()) == good
    assert " ".join(lines[at + 2].split()) == "bad 25,000 25,000 to 25,000 50,000 100 % 25,000"
    text = "\n".join(lines)
    assert re.search(r"^good +-0.7 +0.6 +", text, re.M)
    assert re.search(r"^always positive +50,000$", text, re.M)


def test_json_is_one_document_with_the_unrounded_numbers(run, worked):
    answer = run("compare", worked, "--json", "--quiet", *COSTS)
    document = answer.json
    assert (document["schema"], document["version"], answer.err) == ("demur.compare", 3, "")
    surface = demur.abstention_surface(Y, GOOD)
    costs = demur.CostModel(cost_fn=100, cost_fp=100, cost_abstain=25)
    comparison, good = document["comparison"], document["comparison"]["models"]["good"]
    assert document["decision"] == comparison["answer"]["words"]
    assert good["window"] == written_window(surface.window(costs=costs), surface.counts).to_dict()
    assert good["hindsight_cost"] == pytest.approx(surface.window(costs=costs).expected_cost, abs=1e-12)
    assert good["auc"] == demur.auc_score(Y, GOOD)
    assert good["hindsight_vacc"] == surface.volume()
    honest = demur.cross_fitted_surface(Y, GOOD)
    assert good["cost"] == pytest.approx(100 * honest.cost(1.0, 0.25), abs=1e-12)
    assert document["curves"]["good"]["cost_curve_area"] == demur.cost_curve(Y, GOOD).area()
    assert document["curves"]["good"]["surface"] == surface.to_dict()
    (pair,) = document["pairs"]
    assert {pair["first"], pair["second"]} == {"good", "bad"}
    assert comparison["trivial"] == {"always positive": 50, "always negative": 50, "always abstain": 25}
    assert document["best_ranges"][0]["low"] == 0
    assert document["best_ranges"][-1]["high"] == 1
    assert document["data"] | {"source": ""} == {
        "source": "",
        "rows": 12,
        "label": "y_true",
        "positive": "1",
        "negative": "0",
        "weight": None,
        "group": None,
        "left_out": ["row (a key)"],
        "engine": "memory",
    }


@given(scored_data(both_classes=True), st.integers(0, 8), st.integers(0, 4))
@settings(max_examples=examples(25), deadline=None)
def test_costs_against_brute_force(data, cost_fp, cost_abstain):
    # twice, so that each class has cases to choose on and cases to judge by
    y, s, w = (np.concatenate([column, column]) for column in data)
    rows = "".join(
        f"{yi},{si!r},{wi!r}\n" for yi, si, wi in zip(y.tolist(), s.tolist(), w.tolist(), strict=True)
    )
    flags = ["--cost-fn", "4", "--cost-fp", str(cost_fp), "--cost-abstain", str(cost_abstain)]
    out = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(f"y,model,w\n{rows}".encode())))
        patch.setattr(sys, "stdout", out)
        with pytest.raises(SystemExit):
            main(["compare", "-", "--weight", "w", "--json", "--quiet", *flags])
    comparison = json.loads(out.getvalue())["comparison"]
    model = comparison["models"]["model"]
    mu, nu = cost_fp / 4, cost_abstain / 4
    best = min(window_cost(y, s, w, window, mu, nu, nu)[0] for window in all_windows(s))
    assert model["window"]["expected_cost"] == pytest.approx(4 * best, abs=1e-12)
    assert model["hindsight_cost"] == pytest.approx(4 * best, abs=1e-12)
    assert model["auc"] == pytest.approx(pairs_auc(y, s, w), abs=1e-12)
    assert comparison["weights"] == "importance"


def test_ratios_and_named_costs_agree(run, worked):
    by_name = run("compare", worked, "--json", *COSTS).json["comparison"]["models"]["good"]
    by_ratio = run("compare", worked, "--json", "--mu", 1, "--nu", 0.25).json["comparison"]["models"]["good"]
    assert by_name["window"]["lower"] == by_ratio["window"]["lower"]
    for name in ("cost", "hindsight_cost", "threshold_cost"):
        assert by_name[name] == pytest.approx(100 * by_ratio[name], abs=1e-12)


def test_prevalence_reaches_the_surface(run, worked):
    comparison = run("compare", worked, "--json", "--prevalence", 0.1).json["comparison"]
    assert comparison["prevalence"] == 0.1
    assert comparison["answer"] is None
    assert comparison["models"]["good"]["hindsight_vacc"] == pytest.approx(
        demur.vacc_score(Y, GOOD, prevalence=0.1), abs=1e-12
    )


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--mu", 1), "Use good: call positive from 0.2 up, negative below."),
        (("--mu", 0), "Call every case positive: no model beats this. Cost 0 per"),
        (("--mu", 0.2, "--nu", 0), "Send every case to a person: no model beats this. Cost 0 per"),
        # the top scores are all positive, so calling them so is safe at any price: 4 of 12 are missed
        (("--mu", 50), "Use good: call positive from 0.6 up, negative below."),
        # shares of the blocks 0, 2/5, 2/3, 1: only the third is worth 0.4
        (
            ("--mu", 50, "--nu", 0.4),
            "call positive from 0.6 up, negative up to 0.2, send the rest to a person.",
        ),
        (
            ("--mu", 1, "--nu", 0.25, "--model", "good"),
            "go to a person; no positive cases missed, no false alarms.",
        ),
    ],
)
def test_decisions_in_words(run, many, flags, words):
    assert words in " ".join(run("compare", many, *flags).out.split())


def test_equally_cheap_models_are_named(run, tmp_path):
    path = table_file(tmp_path, y=Y * 40, one=GOOD * 40, twin=[2 * score for score in GOOD] * 40)
    text = run("compare", path, *COSTS, "--all").out
    # the first of two equals is used, and nothing says that it is cheaper
    assert text.startswith("Proven. Use one: ")
    assert "Not proven cheaper than twin: the 95 % interval contains 0." in " ".join(text.split())
    assert re.search(r"one / twin +[+]0.000 +1.000 +[+]0.0000 +1.000\n", text)
    assert re.search(r"one / +0 %\n *twin +0 %\n +alike +100 %\n", text)
    assert "one = twin" in text


def test_one_model_is_told_where_it_pays(run, worked):
    text = run("compare", worked, "--model", "good").out
    assert "0.000 to 1.000  good" in text
    assert "pair by pair" not in text


def test_without_costs_there_is_a_hint_and_no_decision(run, worked):
    text = run("compare", worked).out
    assert "Cost per 1000 cases" not in text
    assert "--cost-fn 100 --cost-fp 40" in text


@pytest.fixture
def blurred(tmp_path):
    """Two blocks, 1 of 3 and 2 of 3 positive, beside a model that says nothing; forty times."""
    return table_file(tmp_path, y=[0, 0, 1, 0, 1, 1] * 40, some=[1, 1, 1, 2, 2, 2] * 40, none=[7] * 240)


def test_ranges_by_hand(run, blurred):
    # the cost lines of the two blocks turn at PC(+) = 1/3 and 2/3; outside a trivial rule is as good
    lines = run("compare", blurred).out.splitlines()
    at = next(k for k, line in enumerate(lines) if line.startswith("Cheapest without abstaining"))
    assert lines[at + 2 : at + 5] == [
        "0.000 to 0.333  no model: call everything negative",
        "0.333 to 0.667  some",
        "0.667 to 1.000  no model: call everything positive",
    ]


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--mu", 4), "Call every case negative: no model beats this. Cost 500 per 1000 cases."),
        (("--mu", 0.25), "Call every case positive: no model beats this. Cost 125 per 1000 cases."),
        # a block of 120 cases: 40 missed, 120 sent away for 0.4 each
        (("--mu", 4, "--nu", 0.4), "Use some: call negative up to 1.5, send the rest to a person. Of"),
        (("--mu", 0.4, "--nu", 0.2), "Use some: call positive from 1.5 up, send the rest to a person. Of"),
    ],
)
def test_one_sided_decisions_by_hand(run, blurred, flags, words):
    assert words in " ".join(run("compare", blurred, *flags).out.split())


def test_many_ranges_are_cut_to_the_widest(run, tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    noise = {f"m{k}": rng.normal(size=400) + y for k in range(20)}
    path = table_file(tmp_path, y=y, **noise)
    total = len(run("compare", path, "--json").json["best_ranges"])
    assert total > 8
    text = run("compare", path).out
    assert f"The 8 widest of {total} ranges" in " ".join(text.split())
    assert len(re.findall(r"^\d\.\d{3} to ", text, re.M)) == 8


@pytest.fixture
def dozen(tmp_path):
    rng = np.random.default_rng(5)
    y = (rng.random(40) < 0.4).astype(int)
    names = [f"a_rather_long_name_of_a_model_that_was_trained_in_week_{k}_of_the_year" for k in range(12)]
    columns = {name: 1000 * (rng.normal(size=40) + y) for name in names}
    columns |= {"place": np.where(np.arange(40) % 2, "here", "there")}
    return table_file(
        tmp_path, y=y, **columns, a_column_of_amounts_in_the_currency_of_the_country_amount=y + 1
    )


PRICES = ("--cost-fp", 54321, "--cost-abstain", 9999)


@pytest.mark.parametrize(
    "flags",
    [
        ("compare", "--cost-fn", 123456, *PRICES),
        ("compare",),
        (
            "compare",
            "--cost-fn",
            "100000:123456",
            *PRICES,
            "--prevalence",
            "0.1:0.6",
            "--max-abstention",
            0.9,
        ),
        ("compare", "--cost-fn", 123456, *PRICES, "--group", "place"),
        ("decide", "--cost-fn", "100000:123456", *PRICES, "-o", "policy.json"),
        ("decide", "--cost-fn", 123456, *PRICES, "--group", "place", "--max-fn-rate", 0.2),
        ("decide", "--cost-fn", 123456, *PRICES, "--min-precision-positive", 0.99, "--max-abstention", 0.5),
        ("report", "--cost-fn", "100000:123456", *PRICES),
        ("report",),
        ("check",),
    ],
    ids=lambda flags: " ".join(map(str, flags)),
)
def test_a_dozen_models_fit_80_columns(run, dozen, flags):
    verb, *rest = flags
    answer = run(verb, dozen.name, *rest)
    assert answer.code in (0, 3), answer.err
    text = answer.err if verb == "decide" and "-o" not in rest else answer.out
    assert [line for line in text.splitlines() + answer.err.splitlines() if len(line) > 80] == []
    assert len(text.splitlines()) > 1


def test_long_names_stay_apart_in_tables(run, dozen):
    lines = run("compare", dozen.name, "--cost-fn", 123456, *PRICES).out.splitlines()
    at = next(k for k, line in enumerate(lines) if line.startswith("rule "))
    assert len({line.split()[0] for line in lines[at + 1 : at + 13]}) == 12


# ---------------------------------------------------------------- guesses and refusals


@pytest.mark.parametrize(
    ("header", "rows", "flags", "words"),
    [
        ("y,a", "0,1 1,2", (), "label column y, positive = 1, 1 score column (a)."),
        ("Target,a", "-1,1 1,2", (), "label column Target, positive = 1"),
        ("class,a", "true,1 false,2", (), "positive = true"),
        ("class,a", "FALSE,1 TRUE,2", (), "positive = TRUE"),
        ("label,a", "yes,1 no,2", ("--positive", "no"), "positive = no"),
        ("label,a", "1,1 2,2", ("--positive", "2.0"), "positive = 2"),
        ("z,a", "0,1 1,2", ("--label", "z"), "label column z"),
        (
            "y,fold,patient_id,ID,Unnamed: 0,a",
            "0,1,1,1,1,5 1,2,2,2,2,6",
            (),
            "1 score column (a); left out: fold",
        ),
        ("y,risk_index,worst_case", "0,1,1 1,2,2", (), "2 score columns (risk_index, worst_case)."),
        ("y,a,weight", "0,1,1 1,2,2", (), "left out: weight (pass --weight weight to use it)"),
        ("y,a,weight", "0,1,1 1,2,2", ("--weight", "weight"), "1 score column (a), weights weight."),
        ("y,a,name", "0,1,bob 1,2,eve", (), "left out: name (text)"),
        ("y,label,a", "0,0,1 1,1,2", ("--label", "y"), "left out: label (a label)"),
        ("y,fold", "0,1 1,2", ("--model", "fold"), "1 score column (fold)."),
    ],
)
def test_what_is_guessed_is_said(run, tmp_path, header, rows, flags, words):
    # twice: two cases of each class can be judged
    (tmp_path / "p.csv").write_text("\n".join([header, *rows.split(" ") * 2]) + "\n")
    answer = run("compare", "p.csv", *flags)
    assert (answer.code, words in " ".join(answer.err.split())) == (0, True), answer.err
    assert run("compare", "p.csv", "--quiet", *flags).err == ""


@pytest.mark.parametrize(
    ("content", "flags", "sentence"),
    [
        ("a,b\n0,1\n", (), "no column is called y_true, label, target, class or y. Hint: pass --label"),
        (
            "y,label,a\n0,0,1\n1,1,2\n",
            (),
            "several columns could hold the label (y, label). Hint: pass --label",
        ),
        ("y,a\nno,1\nyes,2\n", (), "needs --positive: its classes are no and yes. Hint: pass --positive yes"),
        ("y,a\n1,1\n2,2\n", (), "needs --positive: its classes are 1 and 2"),
        ("y,a\nno,1\nyes,2\n", ("--positive", "maybe"), "has no class 'maybe': its classes are no and yes"),
        ("y,a\n0,1\n1,2\n2,3\n", (), "must hold two classes, got 3 (0, 1, 2)"),
        ("y,a\n0,1\n0,2\n", (), "must hold two classes, got 1 (0)"),
        ("y,a\n0,1\n,2\n1,\n", (), "Column 'a' has 1 missing value, the first in row 3"),
        ("y,a\n,1\n,2\n", (), "Column 'y' has no label at all. Hint: pass another --label."),
        ("y,a\n0,\n1,2\n1,NA\n", (), "Column 'a' has 2 missing values, the first in row 1"),
        ("y\n0\n1\n", (), "has no score column (there is no other column)"),
        ("y,row,name\n0,1,x\n1,2,z\n", (), "no score column (left out: row (a key), name (text))"),
        ("y,a,b\n0,1,2\n1,2,x\n1,2,3\n", (), "Column 'b' looks like scores, but row 2 holds 'x'"),
        ("y;a\n0;0,5\n1;0,7\n", (), "row 1 holds '0,5'. Hint: write decimals with a point"),
        (
            "y,a\n0,x\n1,2\n",
            ("--model", "a"),
            "`--model a` must name a column of numbers, but row 1 holds 'x'",
        ),
        ("y,a,b\n0,1,\n1,2,\n", ("--model", "b"), "it is empty"),
        ("y,a\n0,1\n1,2\n", ("--model", "A1"), "has no column 'A1'; its columns are y, a"),
        ("y,a\n0,1\n1,2\n", ("--model", "y"), "'y' is given as a score or weight, so the label is open"),
        ("y,a\n0,1\n1,2\n", ("--label", "y", "--model", "y"), "names 'y', which is the label column"),
        ("y,a,w\n0,1,1\n1,2,1\n", ("--weight", "w", "--model", "w"), "given as --model and as --weight"),
        ("y,a,w\n0,1,1\n1,2,-3\n", ("--weight", "w"), "`w` must not be negative, got -3"),
        (
            "y,a,w\n0,1,0\n1,2,3\n",
            ("--weight", "w"),
            "`--weight w` leaves no case of class 0: all its weights are",
        ),
        ("y,a\n0,1\n1,2\n", ("--cost-fn", "3"), "`--cost-fp` is needed with --cost-fn"),
        ("y,a\n0,1\n1,2\n", ("--nu", "3"), "`--mu` is needed with --nu"),
        ("y,a\n0,1\n1,2\n", ("--cost-abstain", "3"), "`--cost-fn` is needed with --cost-abstain"),
        ("y,a\n0,1\n1,2\n", ("--cost-fn", "3", "--mu", "1"), "given twice, as --cost-fn and --mu"),
        ("y,a\n0,1\n1,2\n", ("--cost-fn", "0", "--cost-fp", "1"), "`--cost-fn` must be positive"),
        ("y,a\n0,1\n1,2\n", ("--mu", "-1"), "`--mu` must not be negative, got -1.0"),
        ("y,a\n0,1\n1,2\n", ("--mu", "nan"), "`--mu` must be finite"),
        ("y,a\n0,1\n1,2\n", ("--mu", "cheap"), "'cheap' is not a valid float"),
        ("y,a\n0,1\n1,2\n", ("--prevalence", "1.5"), "`--prevalence` must lie in [0, 1], got 1.5"),
        ("y,a\n0,1\n1,2\n", ("--lable", "y"), "--lable"),
        (
            "y,a\n0,1\n1,2\n0,1\n1,2\n",
            ("-o", "no/such/folder.txt"),
            "cannot be written: No such file or directory",
        ),
    ],
)
def test_error_sentences(run, tmp_path, content, flags, sentence):
    (tmp_path / "p.csv").write_text(content)
    answer = run("compare", "p.csv", *flags, "--quiet")
    assert (answer.code, answer.out) == (2, "")
    assert sentence in answer.err
    assert answer.err.startswith("demur: ")
    assert answer.err.count("\n") == 1
    assert os.listdir(tmp_path) == ["p.csv"]


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("compere",), "There is no command 'compere'. Hint: the commands are check, compare, "),
        (("compare",), "Missing argument 'FILE'"),
        (("compare", "nowhere.csv"), "`nowhere.csv` must be an existing file"),
        (("check", "."), "must hold CSV or Parquet files, got empty ones only"),
        (("--what",), "--what"),
        (("demo", "-o", "p.csv"), "`--output p.csv` cannot be made a folder"),
    ],
)
def test_error_sentences_without_a_table(run, tmp_path, args, sentence):
    (tmp_path / "p.csv").write_text("")
    answer = run(*args)
    assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert sentence in answer.err


def test_a_bug_shows_its_traceback(monkeypatch, worked):
    from demur.cli import question

    def broken(*args, **kwargs):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(question, "read_cases", broken)
    with pytest.raises(ZeroDivisionError):
        main(["compare", str(worked)])


# ---------------------------------------------------------------- streams and files


def test_standard_input_gives_the_same_as_the_file(worked):
    with open(worked) as handle:
        piped = python("-m", "demur", "compare", "-", "-q", stdin=handle)
    direct = python("-m", "demur", "compare", str(worked), "-q")
    assert (piped.returncode, piped.stdout) == (0, direct.stdout)


@pytest.mark.parametrize(
    "args", [("--help",), ("compare", "p.csv", "-q"), ("compare", "p.csv", "-q", "--json")]
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_pipe_closed_early_is_no_error(worked, args, unbuffered):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": unbuffered}
    reader, writer = os.pipe()
    os.close(reader)
    process = subprocess.run(
        [sys.executable, "-m", "demur", *args],
        stdout=writer,
        stderr=subprocess.PIPE,
        env=env,
        cwd=worked.parent,
    )
    os.close(writer)
    assert (process.returncode, process.stderr) == (0, b"")


def test_output_file_is_written_whole_and_replaces(run, worked, tmp_path):
    (tmp_path / "answer.json").write_text("old")
    answer = run("compare", worked, "--json", "-q", "-o", "answer.json")
    assert (answer.code, answer.out) == (0, "")
    assert (tmp_path / "answer.json").read_text() == run("compare", worked, "--json", "-q").out
    assert sorted(os.listdir(tmp_path)) == ["answer.json", "p.csv"]
    assert run("compare", worked, "-q", "-o", "-").out == run("compare", worked, "-q").out


@pytest.mark.parametrize(
    ("variables", "bold"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)],
)
def test_bold_headings_only_on_a_terminal_that_wants_them(run, worked, monkeypatch, variables, bold):
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    assert "\x1b" not in run("compare", worked).out
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    from demur.cli.output import heading

    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert ("\x1b[1m" in heading("Title", output=None)) is bold
    assert heading("Title", output="file.txt") == "Title"


# ---------------------------------------------------------------- check


def test_a_clean_file_has_no_findings(run, tmp_path):
    path = table_file(tmp_path, y=[0, 0, 1, 1], a=[0.1, 0.4, 0.3, 0.9])
    answer = run("check", path)
    head, *command = answer.out.splitlines()
    assert answer.code == 0
    assert head == "No problems found. Next, with your costs (--cost-fn, --cost-fp, --cost-abstain):"
    assert " ".join(command).replace("\\   ", "") == f"demur compare {path}"


@pytest.mark.parametrize(
    ("columns", "flags", "code", "problem", "count", "words"),
    [
        ({"y": [0, 1, ""], "a": [0.1, 0.2, 0.3]}, (), 2, "missing labels", 1, "the first in row 3"),
        ({"y": [0, 1, 1], "a": [0.1, "", "NA"]}, (), 2, "missing values", 2, "the first in row 2"),
        ({"y": [0, 0], "a": [0.1, 0.2]}, (), 2, "one class", 2, "two classes, got 1 (0)"),
        ({"y": [0, 1, 2], "a": [0.1, 0.2, 0.3]}, (), 2, "classes", 1, "two classes, got 3 (0, 1, 2)"),
        ({"y": ["p", "q"], "a": [0.1, 0.2]}, (), 2, "no positive class", 1, "needs --positive"),
        ({"y": [0, 1], "a": [0.1, 0.2], "w": [1, -1]}, ("--weight", "w"), 2, "bad weights", 1, "negative"),
        (
            {"y": [0, 1], "a": [0.1, 0.2], "w": [0, 0]},
            ("--weight", "w"),
            2,
            "bad weights",
            1,
            "0 for every positive",
        ),
        (
            {"y": [0, 1, 0], "a": [1, 0, 0], "w": [0, 1, 0]},
            ("--weight", "w"),
            2,
            "bad weights",
            2,
            "every negative",
        ),
        (
            {"y": [0, 1, 1], "a": [0.1, 0.2, 0.3]},
            (),
            2,
            "too few cases",
            1,
            "y has 2 positive and 1 negative:",
        ),
        ({"y": [0, 1, 0, 1], "a": [0.5] * 4}, (), 0, "constant scores", 4, "0.5 in 4 rows"),
        ({"y": [0, 1, 0, 1], "a": [0.5, "inf", 0.1, 0.6]}, (), 0, "infinite scores", 1, "1 infinite score"),
        ({"y": [0, 1, 0, 1], "a": [-2, 0.5, 0, 3]}, (), 0, "not probabilities", 2, "2 scores outside [0, 1]"),
        ({"y": [0, 0, 1, 1], "a": [0.1, 0.1, 0.7, 0.8]}, (), 0, "duplicated rows", 1, "1 row repeats"),
        (
            {"y": [1, 0, 1, 0], "a": [0.1, 0.2, 0.15, 0.3]},
            (),
            0,
            "worse than chance",
            1,
            "AUC 0.000). Hint: flip its scores?",
        ),
        (
            {"y": [1, 0, 1, 0], "a": [0.1, 0.2, 0.15, 0.3]},
            (),
            0,
            "suspicious positive class",
            1,
            "is it --positive 0?",
        ),
        (
            {"y": ["p", "q"] * 2, "a": [0.1, 0.2, 0.15, 0.3], "b": [0.2, 0.3, 0.2, 0.4]},
            ("--positive", "p"),
            0,
            "suspicious positive class",
            2,
            "is it --positive q?",
        ),
    ],
)
def test_findings(run, tmp_path, columns, flags, code, problem, count, words):
    path = table_file(tmp_path, **columns)
    answer = run("check", path, *flags)
    assert answer.code == code
    assert words in " ".join(answer.out.split())
    assert ("cannot be analysed" in answer.err) == (code == 2)
    document = run("check", path, "--json", *flags).json
    assert document["schema"] == "demur.check"
    assert document["can_be_analysed"] is (code == 0)
    matches = [finding for finding in document["findings"] if finding["problem"] == problem]
    assert [finding["count"] for finding in matches] == [count]
    # what check lets pass compare can analyse, and the other way round
    assert run("compare", path, *flags).code == code


# ---------------------------------------------------------------- demo


@pytest.fixture
def drawn(monkeypatch):
    """Record what is drawn instead of drawing it."""
    calls = []

    def record(answered, folder):
        calls.append((answered, folder))
        (folder / "roc.png").touch()
        return [folder / "roc.png"]

    monkeypatch.setattr(demo, "draw_figures", record)
    return calls


def test_demo_is_compare_on_the_file_it_writes(run, drawn, tmp_path):
    answer = run("demo", "-o", "tour")
    assert answer.code == 0
    assert "a missed cancer 1000" in answer.out
    assert max(map(len, answer.out.splitlines())) <= 80
    command = answer.out.partition("Try your own costs:")[2].partition("Open ")[0].replace("\\", " ").split()
    assert command[:2] == ["demur", "compare"]
    again = run(*command[1:])
    assert again.out.strip() in answer.out
    assert again.out.startswith("Proven. Use logistic: call malignant from 0.59 up, benign up to 0.06, send")
    answered, folder = drawn[0]
    assert answered.comparison.answer.model == "logistic"
    assert str(folder) == "tour"
    assert sorted(os.listdir("tour")) == ["predictions.csv", "report.html", "roc.png"]
    assert answer.out.endswith("Open tour/report.html in a browser to set the costs by hand.\n")
    assert answered.comparison.answer.words in (tmp_path / "tour" / "report.html").read_text("utf-8")


def test_figures_are_drawn_and_closed(tmp_path):
    import matplotlib.pyplot as plt

    scores = {"twin": Y[::-1] * 9, "good": GOOD * 9}
    costs = demur.CostModel(cost_fn=100, cost_fp=100, cost_abstain=25)
    files = demo.draw_figures(Compared(demur.compare_models(Y * 9, scores, costs=costs), None), tmp_path)
    names = ["roc.png", "cost_curves.png", "surface.png", "window.png", "good_minus_twin.png"]
    assert [file.name for file in files] == names
    assert all(file.read_bytes().startswith(b"\x89PNG") for file in files)
    assert plt.get_fignums() == []


def test_demo_without_matplotlib_says_how_to_get_it(run, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "matplotlib" else find(name)
    )
    answer = run("demo", "-q", "--json")
    document = answer.json
    assert (answer.code, answer.err, document["schema"]) == (0, "", "demur.demo")
    assert document["files"]["figures"] == []
    assert document["files"]["predictions"] == os.path.join("demur-demo", "predictions.csv")
    assert "pip install 'demur[plot]'" in " ".join(run("demo", "-q").out.split())


# ---------------------------------------------------------------- numbers


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (0.12345678, "0.1235"),
        (12.0, "12"),
        (999.96, "1,000"),
        (1234.5, "1,234"),
        (-1234567.8, "-1,234,568"),
        (1e9, "1e+09"),
        (1.23456e-9, "1.23e-09"),
        (float("inf"), "inf"),
        (float("-inf"), "-inf"),
    ],
)
def test_numbers_by_hand(value, shown):
    assert number(value) == shown


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        (0, "0 %"),
        (1, "100 %"),
        (1 - 1e-15, "100 %"),
        (1e-4, "<0.1 %"),
        (0.9999, ">99.9 %"),
        (0.294, "29.4 %"),
    ],
)
def test_percentages_by_hand(share, shown):
    assert percent(share) == shown


def test_names_that_cut_alike_are_cut_where_they_agree():
    names = [f"{'a' * 20}_{k}_{'b' * 20}" for k in (1, 2)]
    assert told_apart(names, 12) == ["...aaaa_1...", "...aaaa_2..."]
    assert told_apart([*names, "short"], 60) == [*names, "short"]
    assert told_apart(["same" * 9] * 2, 11) == ["same...same"] * 2


def test_long_names_keep_both_ends():
    assert shortened("gradient_boosting_2024", 12) == "gradi...2024"
    rows = [["m" * 100, "1"], ["short", "22"]]
    assert (
        max(map(len, Section("", header=("model", "x"), rows=tuple(map(tuple, rows))).text().splitlines()))
        == 80
    )
