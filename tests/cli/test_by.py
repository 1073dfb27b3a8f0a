"""`--by COLUMN`: the answer's rule by group in words, JSON, tables; what is refused."""

import csv

import numpy as np
import pandas as pd
import pytest

from command_line import table_file
from demur import CaseCosts, CostModel, CostRange, ScoreCounts, compare_models

COSTS = ("--cost-fn", "100", "--cost-fp", "40", "--cost-abstain", "12")
PRICES = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)
N = 300


def cases():
    rng = np.random.default_rng(0)
    y, site = rng.integers(0, 2, N), rng.choice([1, 2, 10], N, p=[0.5, 0.4, 0.1])
    return {
        "y": y,
        "risk": (y + rng.normal(size=N)).round(2),
        "other": rng.normal(size=N).round(2),
        "site": site,
        "amount": rng.lognormal(3, 1, N).round(2),
        "weight": rng.integers(0, 3, N),
        "patient": np.arange(N) // 2,
    }


@pytest.fixture
def file(tmp_path):
    return table_file(tmp_path, **cases())


def scores():
    data = cases()
    return data, {name: data[name] for name in ("risk", "other")}


MODELS = ("--model", "risk", "--model", "other", "--exclude", "patient")


@pytest.mark.parametrize(
    ("flags", "settings"),
    [
        ((*COSTS,), {"costs": PRICES}),
        ((*COSTS, "--weight", "weight"), {"costs": PRICES, "sample_weight": "weight"}),
        (
            (*COSTS, "--weight", "weight", "--weights", "repeats"),
            {"costs": PRICES, "sample_weight": "weight", "weights": "repeats"},
        ),
        (
            ("--cost-fn", "80:120", "--cost-fp", "40", "--cost-abstain", "12"),
            {"costs": CostRange(cost_fn=(80, 120), cost_fp=40, cost_abstain=12)},
        ),
        (("--cost-fn", "amount", "--cost-fp", "10", "--cost-abstain", "4"), {"costs": "amounts"}),
        ((*COSTS, "--prevalence", "0.1"), {"costs": PRICES, "prevalence": 0.1}),
    ],
    ids=["costs", "weights", "repeats", "ranges", "amounts", "prevalence"],
)
def test_document_is_the_result_of_python(run, file, flags, settings):
    data, models = scores()
    settings = {**settings, **({"sample_weight": data["weight"]} if "sample_weight" in settings else {})}
    if settings["costs"] == "amounts":
        settings["costs"] = CaseCosts(cost_fn=data["amount"], cost_fp=10.0, cost_abstain=4.0)
    expected = compare_models(data["y"], models, **settings).by(data["site"]).to_dict()
    for verb in ("compare", "decide"):
        answer = run(verb, file, *MODELS, *flags, "--by", "site", "--json", "-q")
        assert answer.code in (0, 3), answer.err
        by = answer.json["comparison"]["by"]
        assert by.pop("column") == "site"
        assert by == expected
    assert [one["name"] for one in expected["groups"]] == ["1", "2", "10"]


def test_clusters_are_respected(run, file):
    data, models = scores()
    flags = ("--model", "risk", "--model", "other", *COSTS, "--cluster", "patient", "--by", "site")
    by = run("compare", file, *flags, "--json", "-q").json["comparison"]["by"]
    expected = compare_models(data["y"], models, costs=PRICES, groups=data["patient"]).by(data["site"])
    assert by == {"column": "site", **expected.to_dict()}


def test_words_fit_80_columns(run, file):
    answer = run("compare", file, *MODELS, *COSTS, "--by", "site")
    assert "results by site" in " ".join(answer.err.split())
    section = answer.out.split("The answer by site\n")[1].split("\n\n")[0].splitlines()
    assert section[0].split() == ["site", "cases", "cost", "missed", "%", "alarmed", "%", "abstains", "%"]
    assert [line.split()[0] for line in section[1:9:2]] == ["1", "2", "10", "all"]
    assert max(map(len, answer.out.splitlines())) <= 80
    decided = run("decide", file, *MODELS, *COSTS, "--by", "site", "-o", "policy.json", "--anyway")
    assert decided.code == 0
    assert "The answer by site\n" + "\n".join(section) in decided.out
    assert max(map(len, decided.out.splitlines())) <= 80
    dear = ("--cost-fn", "123456", "--cost-fp", "54321", "--cost-abstain", "9999")
    long = run("compare", file, *MODELS, *dear, "--by", "site")
    assert max(map(len, long.out.splitlines())) <= 80


def test_many_groups_are_cut_in_words_only(run, tmp_path):
    data = cases()
    data["place"] = [f"a rather long name of place number {k % 90}" for k in range(N)]
    file = table_file(tmp_path, **data)
    answer = run("compare", file, *MODELS, *COSTS, "--by", "place")
    assert "The 40 largest of 90 groups are shown" in " ".join(answer.out.split())
    assert max(map(len, answer.out.splitlines())) <= 80
    found = run("compare", file, *MODELS, *COSTS, "--by", "place", "--json", "-q").json
    assert len(found["comparison"]["by"]["groups"]) == 90


@pytest.mark.parametrize("ending", ["csv", "xlsx", "md", "parquet"])
def test_tables(run, file, tmp_path, ending):
    answer = run("compare", file, *MODELS, *COSTS, "--by", "site", "-o", f"t.{ending}")
    assert answer.code == 0, answer.err
    data, models = scores()
    found = compare_models(data["y"], models, costs=PRICES).by(data["site"])
    costs = [one.cost for one in (*found.groups, found.whole)]
    path = tmp_path / f"t.{ending}"
    if ending == "md":
        text = path.read_text()
        assert text.index("## Cost per 1000 cases") < text.index("## The answer by site")
        assert f"{1000 * costs[0]:,.0f} " in text
        return
    if ending == "xlsx":
        from zipfile import ZipFile

        with ZipFile(path) as archive:
            assert 'name="Groups" sheetId="1"' in archive.read("xl/workbook.xml").decode()
            assert repr(costs[0]) in archive.read("xl/worksheets/sheet1.xml").decode()
        return
    assert "The table holds the groups; .xlsx and .json also hold the rules," in " ".join(answer.err.split())
    frame = pd.read_csv(path) if ending == "csv" else pd.read_parquet(path)
    assert frame["cost"].tolist() == pytest.approx(costs, rel=1e-12)
    assert frame["share"].tolist()[:3] == pytest.approx([one.share for one in found.groups], rel=1e-12)
    ends = found.groups[0].miss_rate_interval
    assert (frame["miss_rate_low"][0], frame["miss_rate_high"][0]) == pytest.approx(tuple(ends), rel=1e-12)


def test_groups_within_groups(run, file):
    data, models = scores()
    half = np.where(np.arange(N) % 2 == 0, "even", "odd")
    path = table_file(file.parent, "half.csv", **data, half=half)
    parts = run("compare", path, *MODELS, *COSTS, "--group", "half", "--by", "site", "--json", "-q").json
    for name, part in parts["groups"].items():
        own = half == name
        inside = {model: column[own] for model, column in models.items()}
        expected = compare_models(data["y"][own], inside, costs=PRICES).by(data["site"][own])
        assert part["comparison"]["by"] == {"column": "site", **expected.to_dict()}
    said = run("decide", path, *MODELS, *COSTS, "--group", "half", "--by", "site", "-o", "p.json", "--anyway")
    assert said.out.count("The answer by site") == 3


def test_many_classes(run, tmp_path):
    rng = np.random.default_rng(4)
    codes, site = rng.integers(0, 3, N), rng.choice(["x", "y"], N)
    proba = rng.dirichlet([1, 1, 1], N) + np.eye(3)[codes]
    proba = (proba / proba.sum(axis=1, keepdims=True)).round(6)
    columns = {name: proba[:, k] for k, name in enumerate("abc")}
    file = table_file(tmp_path, label=np.array(list("abc"))[codes], site=site, **columns)
    matrix = {true: {name: 10.0 for name in "abc" if name != true} for true in "abc"}
    with open(tmp_path / "costs.csv", "w", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(["true", *"abc"])
        writer.writerows([[true, *(matrix[true].get(name, 0) for name in "abc")] for true in "abc"])
    flags = ("--classes", "a,b,c", "--cost-matrix", "costs.csv", "--cost-abstain", "3", "--by", "site")
    by = run("compare", file, *flags, "--json", "-q").json["comparison"]["by"]
    labels = np.array(list("abc"))[codes]
    settings = {"classes": list("abc"), "costs": matrix, "abstain_cost": 3.0}
    expected = compare_models(labels, {"model": proba}, **settings).by(site)
    assert by == {"column": "site", **expected.to_dict()}
    text = run("compare", file, *flags)
    assert "wrong %" in text.out
    assert "missed" not in text.out.split("The answer by site")[1].split("\n\n")[0]
    assert max(map(len, text.out.splitlines())) <= 80


def test_looking_at_a_column_settles_nothing(run, file):
    flags = ("--model", "risk", *COSTS)
    plain = run("compare", file, *flags, "--json", "-q").json["comparison"]
    by = run("compare", file, *flags, "--by", "patient", "--json", "-q").json["comparison"]
    assert any("patient" in note for note in plain["notes"]) == any("patient" in n for n in by["notes"])
    assert by["answer"] == plain["answer"]


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (("--by", "place", *COSTS), "has no column 'place'"),
        (("--by", "y", *COSTS), "`--by` names 'y', which is in use already."),
        (("--by", "risk", *COSTS), "`--by` names 'risk', which is in use already."),
        (("--by", "site", "--cluster", "site", *COSTS), "which is in use already."),
        (("--by", "site"), "`--by` needs costs. Hint: add --cost-fn and --cost-fp."),
        (("--by", "site", *COSTS, "--engine", "duckdb"), "`--by` needs the rows, but --engine duckdb keeps"),
        (("--by", "site", *COSTS, "--missing-labels", "bounds"), "`--by` needs labels, got --missing-labels"),
    ],
)
def test_what_is_refused(run, file, flags, sentence):
    answer = run("compare", file, "--label", "y", "--model", "risk", *flags)
    assert (answer.code, answer.out) == (2, "")
    assert sentence in " ".join(answer.err.split())


def test_saved_counts_and_reports_have_no_groups(run, file, tmp_path):
    data = cases()
    ScoreCounts.from_arrays(data["y"], data["risk"]).save(tmp_path / "counts.parquet")
    answer = run("compare", "counts.parquet", *COSTS, "--by", "site")
    assert answer.code == 2
    assert "`--by` needs the cases of counts.parquet themselves, but it holds counts." in answer.err
    assert "No such option" in run("report", file, *COSTS, "--by", "site").err
    assert run("decide", file, *COSTS, "--no-labels", "--by", "site", "--model", "risk").code == 2


def test_missing_values_are_refused_or_dropped(run, tmp_path):
    data = cases()
    data["site"] = ["" if k == 5 else site for k, site in enumerate(data["site"])]
    file = table_file(tmp_path, **data)
    assert "Column 'site' has 1 missing value" in run("compare", file, *MODELS, *COSTS, "--by", "site").err
    kept = run("compare", file, *MODELS, *COSTS, "--by", "site", "--drop-missing", "--json", "-q").json
    assert kept["comparison"]["by"]["whole"]["n"] == N - 1
