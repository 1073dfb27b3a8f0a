"""Costs that differ by case and reviewers who err, from the command line: against `compare_models`."""

import json

import numpy as np
import pandas as pd
import pytest

from demur import Binormal, CaseCosts, CostModel, Policy, PolicyMonitor, Reviewer, compare_models
from demur.costs import ReviewCascade
from demur.monitoring import judge_policy

AMOUNTS = ("--cost-fn", "amount", "--cost-fp", "40", "--cost-abstain", "12")
CASCADE = ("--senior-fee", "15", "--passed-on-positive", "0.3", "--passed-on-negative", "0.2")
RATES = ("--reviewer-sensitivity", "0.9", "--reviewer-specificity", "0.95")


@pytest.fixture(scope="module")
def cases():
    y, s = Binormal(separation=2.0).sample(120, rng=9)
    rng = np.random.default_rng(2)
    amount = np.round(rng.lognormal(4.2, 1, len(y)), 2)
    return y.astype(int), np.round(s, 3), amount


@pytest.fixture
def file(cases, tmp_path):
    path = tmp_path / "loans.csv"
    rows = [
        f"{label},{score},{amount},{k % 2}"
        for k, (label, score, amount) in enumerate(zip(*cases, strict=True))
    ]
    path.write_text("\n".join(["label,risk,amount,region", *rows]) + "\n")
    return str(path)


def json_of(run, *args):
    return json.loads(run(*args, "--json", "-q").out)


@pytest.mark.parametrize(
    ("flags", "costs"),
    [
        (AMOUNTS, lambda a: CaseCosts(cost_fn=a, cost_fp=40, cost_abstain=12)),
        (
            (
                "--cost-fn",
                "0.6*amount",
                "--cost-fp",
                "40",
                "--review-fee",
                "9",
                "--reviewer-sensitivity",
                "0.95",
            ),
            lambda a: CaseCosts(cost_fn=0.6 * a, cost_fp=40, reviewer=Reviewer(fee=9, sensitivity=0.95)),
        ),
        (
            ("--cost-fn", "0.5:1.5*amount", "--cost-fp", "30:50", "--cost-abstain", "12"),
            lambda a: CaseCosts(
                cost_fn=a, cost_fp=40, cost_abstain=12, miss_factor=(0.5, 1.5), alarm_factor=(0.75, 1.25)
            ),
        ),
        (
            ("--cost-fn", "100", "--cost-fp", "40", "--review-fee", "9", "--reviewer-specificity", "0.9"),
            lambda _: CostModel(cost_fn=100, cost_fp=40, reviewer=Reviewer(fee=9, specificity=0.9)),
        ),
        (
            (
                "--cost-fn=100",
                "--cost-fp=40",
                "--cost-tp=-5",
                "--cost-tn=1",
                "--cost-abstain-positive=20",
                "--cost-abstain-negative=9",
            ),
            lambda _: CostModel(
                cost_fn=100,
                cost_fp=40,
                cost_tp=-5,
                cost_tn=1,
                cost_abstain_positive=20,
                cost_abstain_negative=9,
            ),
        ),
    ],
    ids=["amounts", "reviewer of amounts", "ranges", "reviewer", "by class"],
)
def test_compare_is_compare_models(run, file, cases, flags, costs):
    y, s, amount = cases
    shown = json_of(run, "compare", file, "--model", "risk", *flags)["comparison"]
    made = compare_models(y, {"risk": s}, costs=costs(amount)).to_dict()
    assert shown["models"]["risk"]["cost"] == pytest.approx(made["models"]["risk"]["cost"], rel=1e-12)
    assert shown["models"]["risk"]["interval"] == pytest.approx(made["models"]["risk"]["interval"], rel=1e-12)
    assert shown["answer"]["lower"] == made["answer"]["lower"]
    assert shown["trivial"] == pytest.approx(made["trivial"], rel=1e-12)


def test_decide_writes_what_apply_needs(run, file, tmp_path):
    policy = str(tmp_path / "policy.json")
    answer = run("decide", file, *AMOUNTS, "-o", policy)
    assert answer.code == 0
    assert " is at stake. On held-out cases, misses cost " in " ".join(answer.out.split())
    assert "costs of the cases amount" in " ".join(answer.err.split())
    assert Policy.load(policy).amounts["cost_fn"]["column"] == "amount"
    scores = tmp_path / "new.csv"
    scores.write_text("risk\n-9\n9\n")
    assert run("apply", policy, str(scores), "-q").out.split() == ["risk,decision", "-9,0", "9,1"]


def test_amounts_are_no_models_and_tables_name_them(run, file, cases):
    answer = run("compare", file, *AMOUNTS)
    words = " ".join(answer.out.split())
    y, _, amount = cases
    # only positives can be missed
    mean = amount[y == 1].mean()
    assert f"miss amount (mean {mean:.4g} over {np.sum(y == 1)} positive cases)" in words
    assert "2 score columns (risk, region)" in " ".join(answer.err.split())
    assert "amounts have no bound" in words
    assert max(map(len, answer.out.splitlines())) <= 80


def test_groups_take_their_own_amounts(run, file, cases):
    y, s, amount = cases
    parts = json_of(run, "compare", file, "--model", "risk", "--group", "region", *AMOUNTS)["groups"]
    one = np.arange(len(y)) % 2 == 1
    made = compare_models(
        y[one], {"risk": s[one]}, costs=CaseCosts(cost_fn=amount[one], cost_fp=40, cost_abstain=12)
    )
    assert parts["1"]["comparison"]["models"]["risk"]["cost"] == pytest.approx(
        made.models["risk"].cost, rel=1e-12
    )


def test_rows_without_weight_take_their_amounts_along(run, cases, tmp_path):
    y, s, amount = cases
    weight = (np.arange(len(y)) % 3 > 0).astype(float)
    path = tmp_path / "weighted.csv"
    rows = [f"{a},{b},{c},{w}" for a, b, c, w in zip(y, s, amount, weight, strict=True)]
    path.write_text("\n".join(["label,risk,amount,weight", *rows]) + "\n")
    shown = json_of(run, "compare", str(path), "--weight", "weight", *AMOUNTS)["comparison"]
    made = compare_models(
        y, {"risk": s}, costs=CaseCosts(cost_fn=amount, cost_fp=40, cost_abstain=12), sample_weight=weight
    )
    assert shown["models"]["risk"]["cost"] == pytest.approx(made.models["risk"].cost, rel=1e-12)


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (
            ("--cost-fn", "cheap", "--cost-fp", "1"),
            "`--cost-fn` must be a number, a range LOW:HIGH or a column of",
        ),
        (("--cost-fn", "amount"), "`--cost-fp` is needed with --cost-fn"),
        (("--cost-fn", "label", "--cost-fp", "1"), "'label' is given as a score or weight"),
        ((*AMOUNTS, "--model", "amount"), "Column 'amount' is given as a cost and in another role"),
        ((*AMOUNTS, "--review-fee", "3"), "`--cost-abstain` must be left out beside --review-fee"),
        ((*AMOUNTS[:4], "--reviewer-sensitivity", "0.9"), "`--review-fee` is needed with"),
        ((*AMOUNTS[:4], "--review-fee", "3", "--senior-fee", "9"), "`--passed-on-positive` is needed with"),
        ((*AMOUNTS[:4], "--cost-abstain-positive", "3"), "`--cost-abstain-negative` is needed with"),
        ((*AMOUNTS, "--objective", "guaranteed"), "`objective` must not be 'guaranteed' with costs by case"),
        (
            (*AMOUNTS[:4], "--review-fee", "3:5"),
            "`--review-fee` must be one number or one column, got a range",
        ),
        (("--cost-fn", "1:2*amount", "--cost-fp=1", "--cost-tn=1"), "`--cost-fn` must not be a range beside"),
        (("--cost-fn", "amount", "--mu", "1"), "Costs are given twice"),
    ],
)
def test_errors_are_one_sentence(run, file, args, sentence):
    answer = run("compare", file, *args)
    assert answer.code == 2
    assert sentence in " ".join(answer.err.split())


def test_a_column_named_like_a_number_is_asked_for(run, tmp_path):
    path = tmp_path / "numbers.csv"
    path.write_text("label,risk,40\n" + "".join(f"{k % 2},{k / 9},{k}\n" for k in range(20)))
    answer = run("compare", str(path), "--cost-fn", "100", "--cost-fp", "40")
    assert answer.code == 2
    assert "`--cost-fp 40` is a number and also a column of" in " ".join(answer.err.split())
    for spelling in ("40.0", "1*40"):
        assert (
            run("compare", str(path), "--cost-fn", "100", "--cost-fp", spelling, "--model", "risk").code == 0
        )


@pytest.mark.parametrize(
    ("value", "sentence"), [("-3", "must not be negative, got -3"), ("", "1 missing value")]
)
def test_negative_and_missing_amounts_are_refused(run, tmp_path, value, sentence):
    path = tmp_path / "bad.csv"
    rows = [f"{k % 2},{k / 9},{k + 1}" for k in range(20)] + [f"1,3.5,{value}"]
    path.write_text("\n".join(["label,risk,amount", *rows]) + "\n")
    answer = run("compare", str(path), *AMOUNTS)
    assert answer.code == 2
    assert sentence in " ".join(answer.err.split())


@pytest.mark.parametrize("miss", ["100", "amount"])
def test_a_second_reviewer_against_python(run, file, cases, miss):
    y, s, amount = cases
    flags = ("--cost-fn", miss, "--cost-fp", "40", "--review-fee", "3", *RATES, *CASCADE)
    shown = json_of(run, "compare", file, "--model", "risk", *flags)["comparison"]
    both = ReviewCascade(
        junior=Reviewer(fee=3, sensitivity=0.9, specificity=0.95),
        senior=Reviewer(fee=15),
        passed_on_positive=0.3,
        passed_on_negative=0.2,
    )
    named = {"cost_fp": 40, "reviewer": both}
    costs = CostModel(cost_fn=100, **named) if miss == "100" else CaseCosts(cost_fn=amount, **named)
    assert shown["answer"]["cost"] == pytest.approx(compare_models(y, {"risk": s}, costs=costs).answer.cost)


def test_a_reviewer_no_better_than_chance_is_named(run, file):
    rates = ("--reviewer-sensitivity", "0.4", "--reviewer-specificity", "0.5")
    answer = run("compare", file, "--model", "risk", *AMOUNTS[:4], "--review-fee", "1", *rates)
    assert answer.code == 0
    assert "Abstaining never pays: a reviewer who recognises 40.0 % of the positives" in " ".join(
        answer.err.split()
    )


def test_report_shows_a_reviewer_as_compare_does(run, file):
    rates = ("--reviewer-sensitivity", "0.9", "--reviewer-specificity", "0.8")
    costs = ("--cost-fn", "100", "--cost-fp", "40", "--review-fee", "3", *rates, "--cost-tp=-5")
    page, compared = (json_of(run, verb, file, "--model", "risk", *costs) for verb in ("report", "compare"))
    assert page["costs"]["reviewer"] == {"fee": 3, "sensitivity": 0.9, "specificity": 0.8}
    assert page["costs"]["cost_tp"] == -5
    assert page["comparison"]["answer"] == compared["comparison"]["answer"]


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    y, s = Binormal(separation=2.0).sample(1200, rng=4)
    rng = np.random.default_rng(5)
    amount, weight = np.round(rng.lognormal(4.2, 1, len(y)), 2), rng.integers(1, 4, len(y))
    path = tmp_path_factory.mktemp("large") / "loans.csv"
    columns = np.column_stack([y, np.round(s, 2), amount, weight, np.arange(len(y)) % 2])
    header = "label,risk,amount,weight,region"
    np.savetxt(path, columns, "%d,%.2f,%.2f,%d,%d", header=header, comments="")
    return str(path)


@pytest.mark.parametrize(
    "flags", [CASCADE, ("--weight", "weight", "--weights", "repeats"), ("--group", "region")], ids=str
)
def test_an_engine_adds_amounts_up_to_the_answer_of_the_cases(run, large, flags):
    costs = ("--cost-fn", "0.5*amount", "--cost-fp", "40", "--review-fee", "0.1*amount", *RATES)
    asked = ("compare", large, "--model", "risk", *costs, *flags)
    found, expected = (json_of(run, *asked, "--engine", engine) for engine in ("duckdb", "memory"))
    if "--group" in flags:
        found, expected = (document["groups"]["1"] for document in (found, expected))
    one, other = (document["comparison"]["answer"] for document in (found, expected))
    assert (one["kind"], one["lower"], one["upper"]) == (other["kind"], other["lower"], other["upper"])
    # other folds, the same cases
    assert one["hindsight_cost"] == pytest.approx(other["hindsight_cost"], rel=1e-9)
    for name in ("cost", "honest_cost", "interval"):
        assert one[name] == pytest.approx(other[name], rel=0.05), name
    versus, alike = (answer["facts"]["versus"]["trivial"]["interval"] for answer in (one, other))
    assert versus == pytest.approx(alike, rel=0.1)


def test_groups_too_small_for_sums_are_left_out_with_a_sentence(run, file):
    parts = json_of(run, "compare", file, *AMOUNTS, "--engine", "duckdb", "--group", "region")["groups"]
    assert "need at least 50 cases of each class" in parts["0"]["left_out"]


def test_pages_and_policies_of_an_engine_name_the_columns(run, large, tmp_path):
    page = json_of(run, "report", large, "--model", "risk", *AMOUNTS, "--engine", "duckdb")
    named = page["amounts"]["named"]["cost_fn"]
    assert (named["value"], named["column"], named["class"]) == (None, "amount", "positive")
    assert named["mean"] == pytest.approx(named["total"] / named["cases"])
    policy = str(tmp_path / "policy.json")
    run("decide", large, "--model", "risk", *AMOUNTS, "--engine", "duckdb", "-o", policy)
    assert Policy.load(policy).amounts["cost_fn"] == {"column": "amount"}


def test_report_of_amounts_has_the_answer_of_compare(run, file, tmp_path):
    flags = ("--model", "risk", "--cost-fn", "0.5:1.5*amount", *AMOUNTS[2:], "--objective", "expected")
    page, compared = (json_of(run, verb, file, *flags) for verb in ("report", "compare"))
    assert page["comparison"]["answer"] == compared["comparison"]["answer"]
    named = page["amounts"]["named"]["cost_fn"]
    assert (named["value"], named["column"], named["class"]) == (None, "amount", "positive")
    path = tmp_path / "page.html"
    answer = run("report", file, *flags, "-o", str(path))
    assert answer.code == 0
    assert "is at stake" in " ".join(answer.out.split())
    assert path.stat().st_size > 100_000


# ---------------------------------------------------------------- judged and watched


@pytest.mark.parametrize(
    "flags",
    [
        AMOUNTS,
        ("--cost-fn", "0.5:1.5*amount", "--cost-fp", "30:50", "--cost-abstain", "12"),
        ("--cost-fn", "0.6*amount", "--cost-fp", "40", "--review-fee", "9", *RATES),
        ("--cost-fn", "amount", "--cost-fp", "40", "--review-fee", "2", *RATES, *CASCADE),
    ],
)
def test_judge_and_watch_find_the_amounts(run, file, cases, tmp_path, flags):
    policy = str(tmp_path / "policy.json")
    run("decide", file, "--model", "risk", *flags, "-o", policy, "--anyway")
    made, (y, s, amount) = Policy.load(policy), cases
    prices = {
        "0.5:1.5*amount": CaseCosts(cost_fn=amount, cost_fp=40, cost_abstain=12),
        "0.6*amount": CaseCosts(
            cost_fn=0.6 * amount, cost_fp=40, reviewer=Reviewer(fee=9, sensitivity=0.9, specificity=0.95)
        ),
    }.get(flags[1], CaseCosts(cost_fn=amount, cost_fp=40, cost_abstain=12))
    if "--senior-fee" in flags:
        cascade = ReviewCascade(
            junior=Reviewer(fee=2, sensitivity=0.9, specificity=0.95),
            senior=Reviewer(fee=15),
            passed_on_positive=0.3,
            passed_on_negative=0.2,
        )
        prices = CaseCosts(cost_fn=amount, cost_fp=40, reviewer=cascade)
    judged = json_of(run, "audit", policy, file, "--label", "label")
    expected = judge_policy(made, s, y, costs=prices)
    assert judged["overall"]["cost"] == pytest.approx(expected.overall.cost)
    assert judged["overall"]["cost_interval"] == pytest.approx(expected.overall.cost_interval)
    assert judged["amounts"] == ["amount"]
    said = " ".join(run("audit", policy, file, "--label", "label").out.split())
    assert "Costs of the cases: column amount." in said
    state = str(tmp_path / "state.json")
    answer = run("watch", policy, file, "--state", state, "--label", "label")
    assert "costs of the cases by amount" in " ".join(answer.err.split())
    monitor = PolicyMonitor(made)
    monitor.update(s, y, costs=prices)
    assert PolicyMonitor.load(state).cost == pytest.approx(monitor.cost)
    assert "Cost per case by 120 labels" in " ".join(answer.out.split())


def test_a_file_without_the_amounts_is_told(run, file, cases, tmp_path):
    policy = str(tmp_path / "policy.json")
    run("decide", file, *AMOUNTS, "-o", policy)
    y, s, _ = cases
    plain = tmp_path / "plain.csv"
    plain.write_text("label,risk\n" + "\n".join(f"{a},{b}" for a, b in zip(y, s, strict=True)) + "\n")
    answer = run("audit", policy, str(plain), "--label", "label")
    assert answer.code == 0
    said = " ".join(answer.out.split())
    assert said.startswith("Costs differ by case: the amounts of these cases are needed")
    assert "120 labelled cases:" in said
    assert json_of(run, "audit", policy, str(plain), "--label", "label")["amounts"] == []
    answer = run("watch", policy, str(plain), "--state", str(tmp_path / "w.json"), "--label", "label")
    assert "not counted, for lack of the columns" in " ".join(answer.err.split())


# ---------------------------------------------------------------- amounts that are known when deciding

KNOWN = (*AMOUNTS, "--known-at-decision")


def test_known_amounts_against_compare_models(run, file, cases):
    y, s, amount = cases
    found = json_of(run, "compare", file, *KNOWN, "--exclude", "region")["comparison"]
    costs = CaseCosts(
        cost_fn=amount, cost_fp=40, cost_abstain=12, columns={"cost_fn": "amount"}, known_at_decision=True
    )
    wanted = compare_models(y, {"risk": s}, costs=costs)
    assert found["answer"]["cost"] == wanted.answer.cost
    assert found["models"]["risk"]["rules"].keys() == wanted.models["risk"].rules.keys()
    text = run("compare", file, *KNOWN, "--exclude", "region").out
    assert "with amount known" in text.replace("\n", " ")
    assert "risk, one window" in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_question_is_asked_where_a_cost_is_a_column(run, file):
    asked = "Is amount known when you decide?"
    assert asked in run("compare", file, *AMOUNTS).err
    assert asked not in run("compare", file, *KNOWN).err


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_policy_reads_score_and_amount(run, file, cases, ending):
    run("decide", file, *KNOWN, "--exclude", "region", "-o", "policy.json", "-q", "--anyway")
    policy = Policy.load("policy.json")
    assert policy.columns == ("risk", "amount")
    assert run("apply", "policy.json", file, "-o", f"out.{ending}").code == 0
    read = pd.read_csv if ending == "csv" else pd.read_parquet
    found = read(f"out.{ending}")["decision"].astype(int).to_numpy()
    assert np.array_equal(found, policy.apply(np.column_stack(cases[1:])))


def test_known_amounts_in_sentences(run, file, tmp_path):
    run("decide", file, *KNOWN, "--exclude", "region", "-o", "policy.json", "-q", "--anyway")
    scores = tmp_path / "scores.csv"
    scores.write_text("risk\n0.5\n")
    said = run("apply", "policy.json", str(scores)).err
    assert "has no column 'amount', one of the policy's columns" in " ".join(said.split())
    assert "for risk, amount; the columns are risk" in " ".join(said.split())
    broken = tmp_path / "broken.csv"
    broken.write_text("risk,amount\n0.5,10\n0.5,-3\n0.5,\n")
    done = run("apply", "policy.json", str(broken), "--only")
    assert done.out.splitlines()[2:] == ['""', '""']
    assert "an amount negative" in done.err
    plain = ("--cost-fn", "100", "--cost-fp", "40", "--known-at-decision")
    assert "needs a cost that is a column" in run("compare", file, *plain).err
    assert "needs the rows in memory" in run("compare", file, *KNOWN, "--engine", "duckdb").err


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_rules_of_groups_that_compute_numbers_keep_the_order_of_rows(run, tmp_path, ending):
    rng = np.random.default_rng(0)
    y = rng.random(3000) < 0.3
    risk, amount = np.round(1.5 * y + rng.normal(size=3000), 4), np.round(rng.lognormal(4, 1, 3000), 2)
    frame = pd.DataFrame({"label": y.astype(int), "risk": risk, "amount": amount})
    frame["region"] = np.where(rng.random(3000) < 0.5, "north", "south")
    frame.to_csv(tmp_path / "loans.csv", index=False)
    file = str(tmp_path / "loans.csv")
    assert run("decide", file, *KNOWN, "--group", "region", "-o", "policy.json", "-q").code == 0
    policy = Policy.load("policy.json")
    big = pd.concat([frame] * 40, ignore_index=True)
    big.to_parquet(tmp_path / "big.parquet")
    source = str(tmp_path / "big.parquet") if ending == "parquet" else file
    assert run("apply", "policy.json", source, "-o", f"out.{ending}", "-q").code == 0
    found = (pd.read_csv if ending == "csv" else pd.read_parquet)(f"out.{ending}")
    wanted = big if ending == "parquet" else frame
    assert np.array_equal(found["risk"], wanted["risk"])
    assert np.array_equal(found["decision"].astype(int), policy.apply(wanted))
