"""`demur report`: what it prints, where it writes, what it refuses."""

import json
import re

import numpy as np
import pytest

import demur
from demur.cli.main import main
from demur.cli.output import group_file
from page_reports import belonging, days

Y, A = demur.Binormal(separation=1.6).sample(200, rng=3)
B = A + np.random.default_rng(4).normal(size=len(A))
COSTS = ["--cost-fn", 10, "--cost-fp", 5, "--cost-abstain", 1]


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    path = tmp_path / "data" / "scores.csv"
    rows = "\n".join(
        f"{int(y)},{a!r},{b!r},{k % 2 + 1}"
        for k, (y, a, b) in enumerate(zip(Y.tolist(), A.tolist(), B.tolist(), strict=True))
    )
    path.write_text(f"y_true,good,noisy,weight\n{rows}\n")
    return path


def run(capsys, *args):
    with pytest.raises(SystemExit) as stop:
        main(["report", *map(str, args)])
    return stop.value.code, capsys.readouterr()


def data_of(text):
    return json.loads(re.search(r'id="demur-data">(.*?)</script>', text, re.DOTALL).group(1))


def test_writes_the_page_and_prints_headline_and_path(capsys, file, tmp_path):
    code, out = run(capsys, file, *COSTS)
    assert code == 0
    *words, path = out.out.splitlines()
    assert path == "scores-report.html"
    document = data_of((tmp_path / path).read_text(encoding="utf-8"))
    assert " ".join(words) == document["headline"]
    assert words[0].startswith("Likely. Use good: call positive from ")
    costs = demur.CostModel(cost_fn=10, cost_fp=5, cost_abstain=1)
    assert " ".join(words) == demur.compare_models(Y, {"good": A, "noisy": B}, costs=costs).answer.words
    assert "Read 200 rows" in out.err
    assert document["source"]["name"] == "scores.csv"
    assert document["source"]["positive"] == "1"
    assert str(tmp_path) not in (tmp_path / path).read_text(encoding="utf-8")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["data", "scores-report.html"]


def test_numbers_are_those_of_the_library(capsys, file):
    code, out = run(capsys, file, "--json", "-q", *COSTS, "--seed", 5, "--confidence", 0.9)
    assert code == 0
    assert out.err == ""
    costs = demur.CostModel(cost_fn=10, cost_fp=5, cost_abstain=1)
    expected = demur.Report.from_predictions(
        Y, {"good": A, "noisy": B}, costs=costs, seed=5, confidence_level=0.9
    ).to_dict()
    document = json.loads(out.out)
    for key in ("models", "pairs", "headline", "costs", "n", "folds", "seed", "confidence_level"):
        assert document[key] == expected[key], key


def test_chosen_models_weights_ratios_and_prevalence(capsys, file):
    flags = ["--model", "noisy", "--weight", "weight", "--mu", 0.5, "--nu", 0.1, "--prevalence", 0.2]
    code, out = run(capsys, file, "--json", "-q", *flags)
    assert code == 0
    document = json.loads(out.out)
    assert [model["name"] for model in document["models"]] == ["noisy"]
    # weights of 1 and 2 on a hundred cases each: as good as 300^2 / 500 equal ones
    assert document["comparison"]["n"] == pytest.approx(180)
    assert document["comparison"]["weights"] == "importance"
    assert document["prevalence"] == 0.2
    assert document["costs"].items() >= {"cost_fn": 1, "cost_fp": 0.5, "cost_abstain": 0.1}.items()
    assert document["source"]["weight"] == "weight"
    assert document["notes"][0].startswith("Weights are taken as importance weights: ")
    assert document["notes"][1:] == ["Only one model: nothing to compare."]


def test_page_to_standard_output_and_to_a_named_file(capsys, file, tmp_path):
    code, out = run(capsys, file, "-q", "-o", "-")
    assert code == 0
    assert out.out.startswith("<!doctype html>")
    code, out = run(capsys, file, "-q", "-o", "page.html")
    assert out.out.splitlines()[-1] == "page.html"
    # an earlier page of that name is replaced
    assert run(capsys, file, "-q", "-o", "page.html", "--model", "good")[0] == 0
    assert len(data_of((tmp_path / "page.html").read_text(encoding="utf-8"))["models"]) == 1
    code, _ = run(capsys, file, "-q", "--json", "-o", "page.json")
    assert json.loads((tmp_path / "page.json").read_text(encoding="utf-8"))["schema"] == "demur.report"


def test_page_of_several_files_has_a_plain_name(capsys, file):
    code, out = run(capsys, file.with_name("s*.csv"), "-q")
    assert code == 0
    assert out.out.splitlines()[-1] == "report.html"


def test_notes_go_to_standard_error(capsys, file, tmp_path):
    tiny = tmp_path / "tiny.csv"
    tiny.write_text("y_true,a,b\n0,0.1,0.3\n1,0.9,0.2\n0,0.4,0.5\n")
    code, out = run(capsys, tiny)
    assert code == 0
    assert "Honest costs are left out" in " ".join(out.err.split())
    assert "Honest costs are left out" not in out.out


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--cost-fn", 10], "`--cost-fp` is needed with --cost-fn"),
        (["--mu", 1, "--cost-fn", 1], "Costs are given twice"),
        (["--model", "absent"], "absent"),
        (["--prevalence", 1.5], "--prevalence"),
        (["-o", "missing/page.html"], "cannot be written"),
    ],
)
def test_mistakes_are_one_sentence_and_leave_no_file(capsys, file, tmp_path, flags, sentence):
    code, out = run(capsys, file, "-q", *flags)
    assert code == 2
    assert sentence in out.err
    assert out.err.count("\n") == 1
    assert [entry.name for entry in tmp_path.iterdir()] == ["data"]


def test_engine_counts_give_the_same_evidence_as_rows(capsys, file, tmp_path):
    code, whole = run(capsys, file, "--json", "-q", *COSTS, "--model", "good")
    assert code == 0
    code, counted = run(capsys, file, "--json", "-q", *COSTS, "--model", "good", "--engine", "duckdb")
    assert code == 0
    first, second = json.loads(whole.out), json.loads(counted.out)
    for key in ("source", "n", "n_positive"):
        assert first[key] == second[key]
    one, other = (document["comparison"]["models"]["good"] for document in (first, second))
    for key in ("window", "auc", "auc_interval", "hindsight_cost", "guaranteed_cost", "hindsight_vacc"):
        assert one[key] == other[key], key
    # counts have no row order: they are split at random within equal scores, and say so
    assert (first["comparison"]["split"], second["comparison"]["split"]) == ("rows", "counts")
    half_width = (one["interval"][1] - one["interval"][0]) / 2
    assert abs(one["cost"] - other["cost"]) < half_width / 4


def test_every_group_has_a_page(capsys, file, tmp_path):
    code, out = run(capsys, file, *COSTS, "--model", "good", "--group", "weight", "-q")
    assert code == 0
    assert out.out.splitlines()[-1] == "scores-report-2.html"
    pages = [data_of((tmp_path / f"scores-report-{group}.html").read_text("utf-8")) for group in (1, 2)]
    assert [page["n"] for page in pages] == [100, 100]
    source = pages[0]["source"]
    assert (source["name"], source["group"], source["part"]) == ("scores.csv", "weight", "1")
    page = (tmp_path / "scores-report-1.html").read_text("utf-8")
    assert "<title>demur: scores.csv, weight = 1</title>" in page
    code, out = run(capsys, file, "--model", "good", "--group", "weight", "--json", "-q")
    assert code == 0
    document = json.loads(out.out)
    assert document["schema"] == "demur.report-groups"
    assert {name: part["n"] for name, part in document["groups"].items()} == {"1": 100, "2": 100}


def test_letters_that_some_system_forbids_in_names_are_written_as_in_addresses():
    found = [group_file("page-{group}.html", group) for group in ("<5", ">5", "a/b", "50%", "été")]
    assert found == [
        "page-%3C5.html",
        "page-%3E5.html",
        "page-a%2Fb.html",
        "page-50%25.html",
        "page-été.html",
    ]


def test_a_page_per_group_needs_a_place_for_the_group(capsys, file, tmp_path):
    code, out = run(capsys, file, "--model", "good", "--group", "weight", "-o", "page.html")
    assert code == 2
    assert "must hold {group} beside --group" in out.err
    assert not (tmp_path / "page.html").exists()


def test_many_classes_have_a_page_of_their_own(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 60)
    proba = rng.dirichlet([1, 1, 1], 60) + 0.8 * np.eye(3)[truth]
    lines = [
        ",".join(["abc"[k], "xy"[i % 2], *map(repr, row)])
        for i, (k, row) in enumerate(zip(truth, proba.tolist(), strict=True))
    ]
    (tmp_path / "p.csv").write_text("\n".join(["label,site,m_a,m_b,m_c", *lines]))
    flags = ["--classes", "a,b,c", "--ordered", "--label", "label"]
    code, out = run(capsys, "p.csv", *flags, "--dossier", "d.md")
    assert code == 0
    *words, path, dossier = out.out.splitlines()
    assert (path, dossier) == ("p-report.html", "d.md")
    assert "called a" in (tmp_path / "d.md").read_text(encoding="utf-8")
    document = data_of((tmp_path / path).read_text(encoding="utf-8"))
    assert document["schema"] == "demur.class_report"
    assert document["headline"] == " ".join(words)
    assert document["models"][0]["columns"] == ["m_a", "m_b", "m_c"]
    code, out = run(capsys, "p.csv", *flags, "--json", "--group", "site", "-q")
    groups = json.loads(out.out)["groups"]
    assert groups["x"]["source"] == {
        "name": "p.csv",
        "group": "site",
        "part": "x",
        "label": "label",
        "weight": None,
        "cluster": None,
        "time": None,
        "rows": 30,
    }
    with pytest.raises(SystemExit):
        main(["compare", "p.csv", *flags, "--json", "-q"])
    assert json.loads(capsys.readouterr().out)["comparison"] == document["comparison"]
    code, out = run(capsys, "p.csv", *flags, "--dossier", "d.pdf")
    assert (code, "must end in .md, .tex, .html or .docx" in out.err) == (2, True)
    code, out = run(capsys, "p.csv", *flags, "--private", 5)
    assert (code, "`--private` is for two classes" in out.err) == (2, True)


# ---------------------------------------------------------------- one rule by group


def test_one_page_judges_its_rule_in_every_group(capsys, file):
    flags = (file, *COSTS, "--model", "good", "--json", "-q")
    code, out = run(capsys, *flags, "--group", "weight", "--one-page")
    assert code == 0
    document = json.loads(out.out)
    costs = demur.CostModel(cost_fn=10, cost_fp=5, cost_abstain=1)
    expected = demur.Report.from_predictions(Y, {"good": A}, costs=costs)
    groups = [str(k % 2 + 1) for k in range(len(Y))]
    assert document["groups"] == expected.with_groups(Y, A, groups).to_dict()["groups"]
    assert [group["name"] for group in document["groups"]["groups"]] == ["1", "2"]
    # the answer is that of all cases, as without groups
    assert (
        document["comparison"] == json.loads(run(capsys, *flags, "--exclude", "weight")[1].out)["comparison"]
    )
    # where a person is cheapest there is no rule to judge
    cheap = (file, "--cost-fn", 10, "--cost-fp", 5, "--cost-abstain", 0, "--model", "good", "--json", "-q")
    document = json.loads(run(capsys, *cheap, "--group", "weight", "--one-page")[1].out)
    assert document["groups"] is None
    assert "Groups left out: a rule without a model treats all groups alike." in document["notes"]


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--one-page"], "`--group COLUMN` is needed beside --one-page."),
        (["--one-page", "--group", "noisy", "--weight", "weight"], "counts every case once"),
        (["--one-page", "--group", "weight", "--engine", "duckdb"], "needs the rows, but --engine duckdb"),
        (["--one-page", "--group", "weight", "--cost-abstain", "weight"], "the same for all cases"),
        (["--one-page", "--group", "weight", "--private", "5"], "exclude each other"),
    ],
)
def test_one_page_is_refused_with_a_sentence(capsys, file, tmp_path, flags, sentence):
    code, out = run(capsys, file, "--cost-fn", 10, "--cost-fp", 5, *flags)
    assert code == 2
    assert sentence in out.err
    assert not list(tmp_path.glob("*.html"))


# ---------------------------------------------------------------- clusters and times


@pytest.fixture
def visits(tmp_path, monkeypatch):
    """240 visits of 60 patients over 60 days."""
    monkeypatch.chdir(tmp_path)
    y, scores, person = belonging(240)
    rows = zip(person, days(240), y, scores["forest"], strict=True)
    lines = [f"{who},{day},{label},{score:.17g}" for who, day, label, score in rows]
    (tmp_path / "visits.csv").write_text("\n".join(["patient_id,day,label,forest", *lines]), encoding="utf-8")
    return "visits.csv", "--cost-fn", "100", "--cost-fp", "40", "--cost-abstain", "12"


def test_clusters_and_times_are_those_of_compare(capsys, visits):
    for flags in (
        ["--cluster", "patient_id"],
        ["--time", "day"],
        ["--cluster", "patient_id", "--time", "day"],
    ):
        with pytest.raises(SystemExit, match="0"):
            main(["compare", *visits, *flags, "--json", "-q"])
        expected = json.loads(capsys.readouterr().out)["comparison"]
        code, out = run(capsys, *visits, *flags, "--json", "-q")
        document = json.loads(out.out)
        assert code == 0
        assert document["comparison"]["answer"] == expected["answer"]
        assert document["source"]["cluster"] == ("patient_id" if "--cluster" in flags else None)
        assert document["source"]["time"] == ("day" if "--time" in flags else None)
        assert document["design"] is not None
        assert "person-" not in out.out, "no cluster is named"


def test_a_proof_that_is_missing_writes_no_page(capsys, visits, tmp_path):
    code, out = run(capsys, *visits, "--cluster", "patient_id", "--require-proof", "-o", "page.html")
    assert (code, (tmp_path / "page.html").exists()) == (3, False)
    assert out.out.startswith(("Likely.", "Unproven."))
    assert max(map(len, out.out.splitlines())) <= 80
    code, out = run(capsys, *visits, "--exclude", "patient_id", "--require-proof", "-o", "page.html")
    assert (code, (tmp_path / "page.html").exists()) == (0, True)


@pytest.mark.parametrize("flags", [("--cluster", "patient_id"), ("--time", "day")])
def test_a_private_page_refuses_what_tells_which_cases_belong_together(capsys, visits, flags):
    code, out = run(capsys, *visits, *flags, "--private", "10")
    assert code == 2
    assert f"`--private` keeps counts alone, and {flags[0]} needs the cases." in " ".join(out.err.split())


def test_one_page_for_all_groups_refuses_clusters(capsys, visits):
    code, out = run(capsys, *visits, "--cluster", "patient_id", "--one-page", "--group", "day")
    assert code == 2
    assert "`--one-page` takes cases as independent." in " ".join(out.err.split())


def test_keys_that_repeat_leave_costs_that_nobody_gave_as_they_are(capsys, visits):
    code, out = run(capsys, visits[0])
    assert code == 0
    assert out.out.startswith("If a miss costs 1, a false alarm 1 and a review 0.2: ")
    assert "pass --cluster patient_id if rows of one are not independent" in " ".join(out.err.split())
