"""A number of places a day from the command line: compare, decide, report, and apply on whole files."""

from types import MappingProxyType

import duckdb
import numpy as np
import pandas as pd
import pytest

from command_line import table_file
from demur import ABSTAIN, Budget, CostModel, Policy, compare_models

N = 500
PRICES = ("--cost-fn", 100, "--cost-fp", 40, "--cost-abstain", 5)
PLACES = ("--reviews-per-day", 4, "--day", "date", "--key", "case_id")
COSTS = CostModel(cost_fn=100, cost_fp=40, cost_abstain=5)


def _sample():
    rng = np.random.default_rng(5)
    y = (rng.random(N) < 0.3).astype(int)
    minutes = rng.integers(0, 60 * 24 * 25, N).astype("m8[m]")
    return {
        "case_id": rng.permutation(N),
        "date": (np.datetime64("2026-03-01T00:00:00") + minutes).astype("datetime64[s]"),
        "y": y,
        "risk": np.round(rng.normal(1.3 * y), 1),
    }


SAMPLE = MappingProxyType(_sample())
FRAME = pd.DataFrame(dict(SAMPLE))


@pytest.fixture
def file(tmp_path):
    return table_file(tmp_path, "cases.csv", **SAMPLE).name


@pytest.fixture
def policy(run, file):
    run("decide", file, *PRICES, *PLACES, "-o", "policy.json")
    return Policy.load("policy.json")


def asked(**how):
    budget = Budget(reviews=4, column="date", key="case_id", **how)
    columns = {name: SAMPLE[name] for name in ("risk", "date", "case_id")}
    return compare_models(SAMPLE["y"], columns, costs=COSTS, budget=budget)


# ---------------------------------------------------------------- answers


@pytest.mark.parametrize("flags", [(), ("--arrival",), ("--carry-over",), ("--arrival", "--carry-over")])
def test_compare_says_what_python_says(run, file, flags):
    expected = asked(**{flag[2:].replace("-", "_"): True for flag in flags})
    text = run("compare", file, *PRICES, *PLACES, *flags)
    assert text.code == 0
    assert " ".join(text.out.split()).startswith(expected.answer.words)
    assert "Limits: at most 4 a day sent to a person." in text.out
    assert "places by date, keys case_id" in " ".join(text.err.split())
    assert max(map(len, (text.out + text.err).splitlines())) <= 80
    told = run("compare", file, *PRICES, *PLACES, *flags, "--json").json["comparison"]
    assert told["answer"]["rule"] == expected.answer.rule.to_dict()
    assert told["answer"]["cost"] == expected.answer.cost
    assert told["budget"] == expected.to_dict()["budget"]
    assert told["answer"]["rule"]["use"]["batches"] == 25


def test_days_may_also_be_times(run, file):
    text = run("compare", file, *PRICES, *PLACES, "--time", "date")
    assert text.code == 0
    assert "Cost per 1000 cases by block of time" in text.out


def test_decide_writes_a_policy_that_keeps_the_places(run, policy):
    assert policy.columns == ("risk", "date", "case_id")
    assert policy.note == "Limits: at most 4 a day sent to a person."
    assert policy.rule.to_dict() == asked().answer.rule.to_dict()


def test_report_writes_the_answer(run, file):
    text = run("report", file, *PRICES, *PLACES)
    assert text.code == 0
    assert " ".join(text.out.split()).startswith(asked().answer.words)
    assert "do not know the number of places" in " ".join(text.err.split())
    assert run("report", file, *PRICES, *PLACES, "--json").json["headline"] == asked().answer.words
    assert run("report", file, *PRICES, *PLACES, "--dossier", "d.md").code == 0


def test_a_share_is_called_one(run, file):
    text = run("compare", file, *PRICES, "--reviews-per-day", 4, "--cases-per-day", 20, "--exclude", "date")
    assert "--reviews-per-day is a share here, 20.0 % of the cases" in " ".join(text.err.split())


# ---------------------------------------------------------------- flags


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (("--reviews-per-day", 4), "`--reviews-per-day` needs one of --day and --cases-per-day"),
        ((*PLACES, "--cases-per-day", 90), "`--reviews-per-day` needs one of --day and --cases-per-day"),
        (PLACES[:4], "`--key` is needed with --day"),
        (PLACES[2:], "`--reviews-per-day` is needed with --day"),
        (("--key", "case_id"), "`--key` is for places"),
        (("--arrival",), "`--arrival` is for places"),
        (("--carry-over",), "`--carry-over` is for places"),
        (("--reviews-per-day", 2.5, *PLACES[2:]), "must be a whole number from 1 on beside --day, got 2.5"),
        (("--reviews-per-day", 0, *PLACES[2:]), "must be a whole number from 1 on beside --day, got 0"),
        ((*PLACES, "--max-abstention", 0.1), "`--max-abstention` is a limit on reviews as well as"),
        ((*PLACES, "--max-fn-rate", 0.1), "`budget` must not stand beside other limits"),
        ((*PLACES, "--prevalence", "0.1:0.2"), "`budget` must not stand beside a range of prevalences"),
        ((*PLACES, "--engine", "duckdb"), "`--day` needs the rows"),
        ((*PLACES, "--group", "y2"), "`--group` would give every group the places of all"),
        ((*PLACES[:3], "risk", *PLACES[4:], "--model", "risk"), "`--day` names 'risk', which is in use"),
        ((*PLACES[:3], "nobody", *PLACES[4:]), "has no column 'nobody'"),
        ((*PLACES[:5], "date"), "which is in use already"),
        ((*PLACES[:5], "y2"), "`y2` must differ within a batch of `date`"),
    ],
)
def test_wrong_flags_are_one_sentence(run, tmp_path, flags, sentence):
    file = table_file(tmp_path, "cases.csv", **SAMPLE, y2=SAMPLE["y"] + 1)
    for verb in ("compare", "decide", "report"):
        text = run(verb, file, "--label", "y", *PRICES, *flags)
        assert text.code == 2
        assert sentence in " ".join(text.err.split())


def test_places_need_a_price_of_a_review(run, file):
    text = run("compare", file, "--cost-fn", 5, "--cost-fp", 1, *PLACES)
    assert "`budget` needs costs with a price of a review" in " ".join(text.err.split())


# ---------------------------------------------------------------- apply


def test_apply_decides_whole_files_that_days_are_spread_over(run, policy, file):
    expected = policy.apply(FRAME).tolist()
    FRAME.to_parquet("cases.parquet")
    with duckdb.connect() as connection:
        connection.execute("copy (from 'cases.parquet') to 'dated.csv' (header, delimiter ';')")
    for name in (file, "cases.parquet", "dated.csv"):
        text = run("apply", "policy.json", name, "--only")
        assert text.code == 0
        assert list(map(int, text.out.split()[1:])) == expected
    assert "Places by date, from columns risk, date, case_id." in " ".join(text.err.split())
    sent = pd.Series(np.array(expected) == ABSTAIN).groupby(FRAME["date"].dt.date).sum()
    assert sent.max() == 4


@pytest.mark.parametrize("target", ["decided.csv", "decided.parquet"])
@pytest.mark.parametrize("source", ["csv", "parquet"])
def test_apply_keeps_the_rows_in_order(run, policy, file, source, target):
    if source == "parquet":
        FRAME.to_parquet("cases.parquet")
        file = "cases.parquet"
    assert run("apply", "policy.json", file, "-o", target, "-q").code == 0
    found = pd.read_csv(target) if target.endswith("csv") else pd.read_parquet(target)
    assert found["case_id"].astype(int).tolist() == FRAME["case_id"].tolist()
    assert found["decision"].tolist() == policy.apply(FRAME).tolist()


def test_rows_without_score_day_or_key_get_no_decision_and_no_place(run, policy, tmp_path):
    codes = policy.decide(FRAME)
    best = FRAME[codes == ABSTAIN].index[:3]
    broken = FRAME.astype(object).copy()
    for row, column in zip(best, ("risk", "date", "case_id"), strict=True):
        broken.loc[row, column] = ""
    broken.to_csv(tmp_path / "broken.csv", index=False)
    text = run("apply", "policy.json", tmp_path / "broken.csv", "-o", "decided.csv", "--json")
    assert text.json["bad"] == 3
    said = " ".join(text.err.split())
    assert "the score is missing" in said
    assert f"row {best[1] + 1}: the batch or the key is missing" in said
    found = pd.read_csv("decided.csv")["decision"]
    assert found[best].isna().all()
    assert found.drop(best).tolist() == policy.apply(FRAME.drop(best)).tolist()


def test_apply_names_columns_that_are_missing_in_one_sentence(run, policy, tmp_path):
    for name in ("date", "case_id"):
        file = table_file(tmp_path, "less.csv", **{key: SAMPLE[key] for key in SAMPLE if key != name})
        text = run("apply", "policy.json", file)
        assert text.code == 2
        assert f"has no column {name!r}, one of the policy's columns" in " ".join(text.err.split())


def test_apply_refuses_a_key_that_stands_twice_and_other_dates(run, policy, tmp_path):
    twice = table_file(tmp_path, "twice.csv", **{**SAMPLE, "case_id": np.zeros(N, dtype=int)})
    assert "`case_id` must differ within a batch" in " ".join(run("apply", "policy.json", twice).err.split())
    other = table_file(tmp_path, "other.csv", **{**SAMPLE, "date": np.full(N, "1.3.2026")})
    said = " ".join(run("apply", "policy.json", other).err.split())
    assert "`date` must hold dates such as 2026-03-01, got '1.3.2026'" in said


def test_an_empty_file_is_decided(run, policy, tmp_path):
    (tmp_path / "none.csv").write_text("risk,date,case_id\n")
    text = run("apply", "policy.json", tmp_path / "none.csv")
    assert (text.code, text.out) == (0, "risk,date,case_id,decision\n")


def test_audits_are_drawn_and_watching_is_refused_in_one_sentence(run, policy, file):
    text = run("apply", "policy.json", file, "--audit", 0.5, "-o", "audited.csv")
    assert text.code == 0
    found = pd.read_csv("audited.csv")
    assert found["decision"].tolist() == policy.apply(FRAME).tolist()
    assert 0 < found["audit"].sum() < N
    for verb in (("watch", "policy.json", file, "--state", "s.json"), ("audit", "policy.json", file)):
        text = run(*verb, *(("--label", "y") if verb[0] == "audit" else ()))
        assert text.code == 2
        assert "gives places to whole batches" in " ".join(text.err.split())


def test_exports_of_the_command_line(run, policy):
    assert "`table` is needed" in run("export", "policy.json", "--to", "sql").err
    assert "ROW_NUMBER() OVER" in run("export", "policy.json", "--to", "sql", "--table", "cases").out
    assert "def decide_batch(rows):" in run("export", "policy.json", "--to", "python").out
    assert "ONNX decides row by row" in " ".join(run("export", "policy.json", "-o", "p.onnx").err.split())


def test_places_are_for_two_classes(run, file):
    text = run("compare", file, "--label", "y", "--classes", "0,1", "--cost-abstain", 1, *PLACES)
    assert text.code == 2
    assert "`--day` is for two classes" in text.err
