"""Rows without a label: --missing-labels, and what --drop-missing makes of them."""

import json

import numpy as np
import pytest

from command_line import table_file
from demur import CaseCosts, CostMatrix, CostModel, compare_models

N = 900
PRICES = ("--cost-fn", 10, "--cost-fp", 6, "--cost-abstain", 2)
COSTS = CostModel(cost_fn=10, cost_fp=6, cost_abstain=2)
EVIDENCE = "scores of m differ (none below 0.5 with a label)"


def _sample(where):
    rng = np.random.default_rng(0)
    y = (rng.random(N) < 0.4).astype(float)
    score = (2 * y + rng.normal(size=N)).round(3)
    score[score == score[score >= 0.5].min()] = 0.5  # the lowest score with a label
    blank = score < 0.5 if where == "low scores" else rng.random(N) < 0.3
    return np.where(blank, np.nan, y), score


@pytest.fixture
def file(tmp_path, request):
    y, score = _sample(getattr(request, "param", "low scores"))
    return table_file(tmp_path, label=["" if np.isnan(one) else int(one) for one in y], m=score)


def words(text):
    return " ".join(text.split())


@pytest.mark.parametrize("verb", ["compare", "decide", "report"])
@pytest.mark.parametrize(
    "flags", [(), ("--missing-labels", "refuse"), ("--missing-labels", "refuse", "--drop-missing")]
)
def test_labels_missing_below_a_score_are_refused_with_evidence(run, file, verb, flags):
    answer = run(verb, file, *PRICES, *flags)
    y, _ = _sample("low scores")
    assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert (
        f"Column 'label' is empty in {np.isnan(y).sum()} of 900 rows, and {EVIDENCE}: labels may exist"
        in answer.err
    )
    assert (
        "Hint: --missing-labels bounds gives costs whatever these labels are; --missing-labels drop"
        in answer.err
    )


@pytest.mark.parametrize("file", ["by chance"], indirect=True)
def test_labels_missing_by_chance_are_left_out(run, file):
    answer = run("compare", file, *PRICES)
    y, score = _sample("by chance")
    missing = int(np.isnan(y).sum())
    assert words(answer.err).endswith(f"1 score column (m). Left out {missing} rows without label.")
    assert answer.out.startswith("Proven. ")
    assert f"{missing} of 900 cases have no label: they were left out; their scores do not differ" in words(
        answer.out
    )
    # the same as if somebody had asked for it
    for flags in (("--missing-labels", "drop"), ("--drop-missing",)):
        assert run("compare", file, *PRICES, *flags).out == answer.out
    expected = compare_models(y, {"m": score}, costs=COSTS)
    found = run("compare", file, *PRICES, "--json", "-q").json
    assert found["comparison"] == json.loads(json.dumps(expected.to_dict()))
    assert found["data"]["dropped_without"] == {"label": missing}


@pytest.mark.parametrize("verb", ["compare", "decide"])
@pytest.mark.parametrize("how", ["drop", "bounds"])
def test_the_numbers_are_those_of_python(run, file, verb, how):
    y, score = _sample("low scores")
    expected = compare_models(y, {"m": score}, costs=COSTS, missing_labels=how)
    answer = run(verb, file, *PRICES, "--missing-labels", how, "--json", "-q")
    assert answer.json["comparison"] == json.loads(json.dumps(expected.to_dict()))


@pytest.mark.parametrize("flags", [("--missing-labels", "drop"), ("--drop-missing",)])
@pytest.mark.parametrize("verb", ["compare", "decide", "report"])
def test_dropped_where_scores_differ_nothing_is_proven(run, file, tmp_path, verb, flags):
    output = (
        ("-o", tmp_path / ("page.html" if verb == "report" else "policy.json")) if verb != "compare" else ()
    )
    answer = run(verb, file, *PRICES, *flags, *output)
    assert f"Labels are missing where {EVIDENCE}: nothing is proven or guaranteed." in words(answer.err)
    assert answer.out.startswith("Likely. ")
    assert "uaranteed at most" not in answer.out
    assert run("compare", file, *PRICES, *flags, "--require-proof", "-q").code == 3


def test_bounds_hold_for_any_labels(run, file):
    answer = run("compare", file, *PRICES, "--missing-labels", "bounds")
    y, _ = _sample("low scores")
    missing = int(np.isnan(y).sum())
    assert words(answer.err).endswith(f"Costs hold for any labels of {missing} more rows without one.")
    assert f"whatever the {missing} missing labels are" in words(answer.out)
    assert run("compare", file, *PRICES, "--missing-labels", "bounds", "--drop-missing").out == answer.out


def test_many_classes_against_python(run, tmp_path):
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 3, N)
    odds = rng.gamma(1.0, size=(N, 3)) + 2.5 * (codes[:, None] == np.arange(3))
    proba = (odds / odds.sum(axis=1, keepdims=True)).round(5)
    truth = np.array(list("abc"), dtype=object)[codes]
    truth[proba[:, 0] < 0.2] = None
    matrix = ((0, 1, 4), (3, 0, 2), (8, 6, 0))
    columns = dict(zip("abc", proba.T, strict=True))
    file = table_file(tmp_path, truth=["" if one is None else one for one in truth], **columns)
    (tmp_path / "matrix.csv").write_text("true,a,b,c\na,0,1,4\nb,3,0,2\nc,8,6,0\n")
    flags = ("--label", "truth", "--classes", "a,b,c", "--cost-matrix", "matrix.csv", "--cost-abstain", 0.8)
    refused = run("compare", file, *flags)
    assert (refused.code, refused.out) == (2, "")
    assert "and scores of model differ (none below 0.2" in refused.err
    for how in ("drop", "bounds"):
        expected = compare_models(
            truth,
            {"model": proba},
            classes=list("abc"),
            costs=CostMatrix(classes=list("abc"), values=matrix),
            abstain_cost=0.8,
            missing_labels=how,
        )
        found = run("compare", file, *flags, "--missing-labels", how, "--json", "-q").json["comparison"]
        assert found == json.loads(json.dumps(expected.to_dict()))


@pytest.mark.parametrize("how", ["drop", "bounds"])
def test_amounts_against_python(run, tmp_path, how):
    y, score = _sample("low scores")
    amount = np.random.default_rng(1).lognormal(3, 0.5, N).round(2)
    label = ["" if np.isnan(one) else int(one) for one in y]
    file = table_file(tmp_path, label=label, m=score, amount=amount)
    flags = ("--cost-fn", "amount", "--cost-fp", 6, "--cost-abstain", 2, "--missing-labels", how)
    found = run("compare", file, *flags, "--json", "-q").json["comparison"]
    costs = CaseCosts(cost_fn=amount, cost_fp=6, cost_abstain=2)
    expected = compare_models(y, {"m": score}, costs=costs, missing_labels=how)
    expected = json.loads(json.dumps(expected.to_dict()))
    for name in ("models", "trivial", "notes"):
        assert found[name] == expected[name]
    for name in ("cost", "interval", "verdict", "cost_range"):
        assert found["answer"][name] == expected["answer"][name]


def test_amounts_and_weights_of_rows_without_a_label_are_left_out(run, tmp_path):
    y, score = _sample("by chance")
    rng = np.random.default_rng(1)
    label = ["" if np.isnan(one) else int(one) for one in y]
    amount, weight = rng.lognormal(3, 0.5, N).round(2), rng.integers(1, 4, N)
    file = table_file(tmp_path, label=label, m=score, amount=amount, w=weight)
    kept = ~np.isnan(y)
    (tmp_path / "known").mkdir()
    known = table_file(
        tmp_path / "known", label=y[kept].astype(int), m=score[kept], amount=amount[kept], w=weight[kept]
    )
    flags = (
        "--cost-fn",
        "amount",
        "--cost-fp",
        6,
        "--cost-abstain",
        2,
        "--weight",
        "w",
        "--weights",
        "repeats",
    )
    found, expected = (
        run("compare", one, *flags, "--json", "-q").json["comparison"] for one in (file, known)
    )
    assert "have no label" in found.pop("notes")[-1]
    expected.pop("notes")
    assert found == expected


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (
            ("--missing-labels", "bounds", "--group", "m"),
            "`--missing-labels bounds` is for all cases together",
        ),
        (("--missing-labels", "drop", "--engine", "duckdb"), "`--missing-labels` needs the rows in memory"),
        (("--missing-labels", "bounds", "--prevalence", 0.1), "must not be 'bounds' beside a prevalence"),
        (("--missing-labels", "guess"), "'guess' is not one of 'refuse', 'drop', 'bounds'"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(run, file, flags, sentence):
    answer = run("compare", file, *PRICES, *flags, "-q")
    assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert sentence in answer.err


def test_the_page_shows_no_bounds(run, file):
    answer = run("report", file, *PRICES, "--missing-labels", "bounds")
    assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert "`--missing-labels bounds` is for demur compare and decide" in answer.err


def test_check_tells_both_kinds_apart(run, tmp_path):
    for where, code, level in (("low scores", 2, "error"), ("by chance", 0, "note")):
        y, score = _sample(where)
        file = table_file(tmp_path, label=["" if np.isnan(one) else int(one) for one in y], m=score)
        answer = run("check", file, "--json", "-q")
        assert answer.code == code
        (found,) = (one for one in answer.json["findings"] if one["problem"] == "missing labels")
        assert (found["level"], found["count"]) == (level, np.isnan(y).sum())
        assert (EVIDENCE in found["message"]) == (level == "error")
        assert ("--missing-labels bounds" in answer.json["next"]) == (level == "error")


def test_a_missing_score_costs_its_model_only(run, tmp_path):
    rng = np.random.default_rng(1)
    y = (rng.random(400) < 0.4).astype(int)
    scores = {"old": 1.5 * y + rng.normal(size=400), "new": 1.9 * y + rng.normal(size=400)}
    scores["new"][rng.random(400) < 0.2] = np.nan
    rows = zip(y, *scores.values(), strict=True)
    text = [",".join("" if value != value else repr(float(value)) for value in row) for row in rows]
    file = tmp_path / "scores.csv"
    file.write_text("\n".join(["label,old,new", *text]))
    found = json.loads(run("compare", file, *PRICES, "--drop-missing", "--json", "-q").out)["comparison"]
    wanted = compare_models(y, scores, costs=COSTS, missing_labels="drop")
    assert found["answer"]["cost"] == wanted.answer.cost
    assert {name: one["cost"] for name, one in found["models"].items()} == {
        name: one.cost for name, one in wanted.models.items()
    }
    assert found["notes"] == list(wanted.notes)
