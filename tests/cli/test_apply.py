"""`demur apply` on scores of another scale, and with an audit that `audit` and `watch` understand."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pytest

from command_line import table_file
from demur import CostMatrix, CostModel, Policy, PolicyMonitor, abstention_surface
from demur.monitoring import judge_policy
from demur.monitoring.labels import Audit
from demur.windows import ClassRule
from monitoring_cases import shop, shop_policy

REFERENCE = Path(__file__).parents[1] / "reference" / "policies"


@pytest.fixture
def rng():
    return np.random.default_rng(20260303)


@pytest.fixture
def policy(rng, tmp_path):
    made = shop_policy(rng, 3000, model="score")
    made.save(tmp_path / "policy.json")
    return made


def rows_of(path):
    with open(path, newline="") as handle:
        return list(csv.DictReader(handle))


# ---------------------------------------------------------------- scale


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda s: 100 * s, "divide by 100?"),
        (lambda s: s - 7, "lie outside"),
        (lambda s: np.full_like(s, 0.04), "scores are equal"),
    ],
)
def test_other_scale_is_told_even_when_quiet(run, rng, policy, tmp_path, change, words):
    file = table_file(tmp_path, score=change(shop(rng, 300)[1]).tolist())
    answer = run("apply", "policy.json", file, "-q", "-o", "out.csv")
    assert answer.code == 0
    assert answer.err.startswith("WARNING: ")
    assert words in " ".join(answer.err.split())
    document = run("apply", "policy.json", file, "-q", "-o", "out.csv", "--json").json
    assert words in document["warnings"][0]


def test_strict_refuses_another_scale_and_writes_nothing(run, rng, policy, tmp_path):
    file = table_file(tmp_path, score=(100 * shop(rng, 300)[1]).tolist())
    answer = run("apply", "policy.json", file, "--strict", "-o", "out.csv")
    assert answer.code == 2
    assert "divide by 100?" in answer.err
    assert not (tmp_path / "out.csv").exists()
    assert run("apply", "policy.json", file, "--strict").out == ""


def test_usual_scores_get_no_warning(run, rng, policy, tmp_path):
    file = table_file(tmp_path, score=shop(rng, 2000)[1].tolist())
    assert run("apply", "policy.json", file, "-q", "-o", "out.csv").err == ""


def test_warning_is_that_of_the_monitor_over_several_batches(run, rng, policy, tmp_path, monkeypatch):
    monkeypatch.setattr("demur.engines.row_stream._MOST_ROWS", 64)
    scores = np.concatenate([shop(rng, 400)[1], 5 + shop(rng, 100)[1]])
    file = table_file(tmp_path, score=scores.tolist())
    document = run("apply", "policy.json", file, "-q", "-o", "out.csv", "--json").json
    monitor = PolicyMonitor(policy)
    monitor.update(scores)
    assert [f"Batch 1: {words}" for words in document["warnings"]] == monitor.scale_alarms
    assert len(monitor.scale_alarms) == 1


# ---------------------------------------------------------------- audit


def test_draw_is_that_of_the_share_and_independent_of_the_seed():
    keys = [str(k) for k in range(20_000)]
    one, two = Audit(share=0.1, seed="a").drawn(keys), Audit(share=0.1, seed="b").drawn(keys)
    for drawn in (one, two):
        assert abs(drawn.mean() - 0.1) < 5 * np.sqrt(0.09 / 20_000)
    assert abs((one & two).mean() - 0.01) < 5 * np.sqrt(0.0099 / 20_000)
    # a larger share asks for more, and for nobody else
    assert not np.any(one & ~Audit(share=0.2, seed="a").drawn(keys))
    assert Audit(share=1).drawn(keys).all()


def test_audit_asks_for_a_part_of_the_decided_rows(run, rng, policy, tmp_path):
    scores = shop(rng, 3000)[1]
    file = table_file(tmp_path, case=range(3000), score=scores.tolist())
    answer = run("apply", "policy.json", file, "--audit", "0.1", "--audit-seed", "march", "-o", "out.csv")
    assert answer.code == 0
    rows = rows_of(tmp_path / "out.csv")
    codes = policy.decide(scores)
    asked = np.array([row["audit"] == "1" for row in rows])
    assert not asked[codes == -1].any()
    assert 0.07 < asked[codes != -1].mean() < 0.13
    assert {row["audit_probability"] for row, code in zip(rows, codes, strict=True) if code == -1} == {"1"}
    assert {row["audit_probability"] for row, code in zip(rows, codes, strict=True) if code != -1} == {"0.1"}
    assert f"A label is asked for in {asked.sum()} decided rows" in " ".join(answer.err.split())


def test_same_seed_asks_for_the_same_rows_another_for_others(run, rng, policy, tmp_path):
    file = table_file(tmp_path, case=range(500), score=shop(rng, 500)[1].tolist())
    texts = [
        run("apply", "policy.json", file, "-q", "--audit", "0.2", "--audit-seed", seed).out
        for seed in ("1", "1", "2")
    ]
    assert texts[0] == texts[1] != texts[2]


def test_a_named_case_is_drawn_in_every_file_or_in_none(run, rng, policy, tmp_path):
    scores = shop(rng, 400)[1]
    turned = np.arange(400)[::-1]
    flags = ("-q", "--audit", "0.3", "--audit-key", "case")
    drawn = []
    for name, order in (("a.csv", np.arange(400)), ("b.csv", turned)):
        table_file(tmp_path, name, day=[name] * 400, case=order.tolist(), score=scores[order].tolist())
        run("apply", "policy.json", name, *flags, "-o", f"out_{name}")
        drawn.append({row["case"] for row in rows_of(tmp_path / f"out_{name}") if row["audit"] == "1"})
    columns = {"c": list(range(400)), "s": scores.tolist()}
    rows = duckdb.sql('select unnest($c) as "case", unnest($s) as score', params=columns)
    rows.write_parquet(str(tmp_path / "c.parquet"))
    run("apply", "policy.json", "c.parquet", *flags, "-o", "out_c.csv")
    drawn.append({row["case"] for row in rows_of(tmp_path / "out_c.csv") if row["audit"] == "1"})
    assert drawn[0] == drawn[1] == drawn[2]
    assert drawn[0]


def test_equal_rows_are_drawn_one_by_one(run, policy, tmp_path):
    file = table_file(tmp_path, score=[0.001] * 2000)
    run("apply", "policy.json", file, "-q", "--audit", "0.5", "-o", "out.csv")
    asked = [row["audit"] for row in rows_of(tmp_path / "out.csv")]
    assert 850 < asked.count("1") < 1150


def test_rows_without_a_score_are_not_audited(run, policy, tmp_path):
    file = table_file(tmp_path, score=["", 0.001, "x"])
    run("apply", "policy.json", file, "-q", "--audit", "1", "-o", "out.csv")
    assert [(row["audit"], row["audit_probability"]) for row in rows_of(tmp_path / "out.csv")] == [
        ("", ""),
        ("1", "1.0"),
        ("", ""),
    ]


@pytest.fixture
def audited(run, rng, policy, tmp_path):
    """The file of an audit of one in ten, with the labels that came back."""
    y, s = shop(rng, 4000)
    run(
        "apply",
        "policy.json",
        table_file(tmp_path, score=s.tolist()),
        "-q",
        "--audit",
        "0.1",
        "-o",
        "out.csv",
    )
    rows = rows_of(tmp_path / "out.csv")
    known = np.array([row["audit"] == "1" or row["audit_probability"] == "1" for row in rows])
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    kind = [int(label) if told else "" for label, told in zip(y, known, strict=True)]
    file = table_file(tmp_path, "labelled.csv", **columns, kind=kind)
    return file, s, np.where(known, y.astype(float), np.nan), np.where(policy.decide(s) == -1, 1.0, 10.0)


def test_judge_uses_the_weights_of_the_audit(run, policy, audited):
    file, scores, labels, weights = audited
    document = run("audit", "policy.json", file, "--label", "kind", "--json").json
    expected = judge_policy(policy, scores, labels, weights=weights)
    assert document["overall"] == expected.overall.to_dict()
    assert document["precision_negative_interval"] is not None


def test_watch_uses_the_weights_of_the_audit(run, policy, audited):
    file, scores, labels, weights = audited
    answer = run("watch", "policy.json", file, "--state", "w.json", "--label", "kind", "--json").json
    monitor = PolicyMonitor(policy)
    monitor.update(scores, labels, weights=weights)
    assert answer["monitor"] == monitor.to_dict()
    assert answer["monitor"]["precision"]["negative"]["interval"] is not None


def test_labelled_rows_alone_are_refused(run, policy, audited, tmp_path):
    file = audited[0]
    rows = [row for row in rows_of(file) if row["kind"]]
    table_file(tmp_path, "part.csv", **{name: [row[name] for row in rows] for name in rows[0]})
    answer = run("audit", "policy.json", "part.csv", "--label", "kind")
    assert answer.code == 2
    assert "must come with the cases that got no label" in answer.err


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--audit", "0"], "must be above 0 and at most 1"),
        (["--audit", "nan"], "must be above 0 and at most 1"),
        (["--audit", "2"], "must be above 0 and at most 1"),
        (["--audit-seed", "x"], "`--audit-seed` is for audits"),
        (["--audit-key", "case"], "`--audit-key` is for audits"),
        (["--audit", "0.1", "--only"], "nobody can label a decision alone"),
        (["--audit", "0.1", "--audit-key", "xyz"], "xyz"),
        (["--audit", "0.1", "--column", "audit"], "must differ"),
    ],
)
def test_errors_are_one_sentence_and_code_2(run, rng, policy, tmp_path, args, words):
    file = table_file(tmp_path, case=range(5), score=shop(rng, 5)[1].tolist())
    answer = run("apply", "policy.json", file, *args)
    assert answer.code == 2
    assert words in answer.err
    assert answer.err.count("\n") == 1


def test_an_audited_file_is_not_audited_again(run, rng, policy, tmp_path):
    file = table_file(tmp_path, score=shop(rng, 50)[1].tolist(), audit=[0] * 50)
    answer = run("apply", "policy.json", file, "--audit", "0.1")
    assert answer.code == 2
    assert "already has a column 'audit'" in answer.err


def test_probabilities_that_are_none_are_refused(run, rng, policy, tmp_path):
    y, s = shop(rng, 50)
    for name, values, words in (("a.csv", [7] * 50, "got 7"), ("b.csv", ["x"] * 50, "got text")):
        table_file(tmp_path, name, score=s.tolist(), kind=y.astype(int).tolist(), audit_probability=values)
        answer = run("audit", "policy.json", name, "--label", "kind")
        assert answer.code == 2
        assert words in answer.err


def test_parquet_answers_are_audited_and_warned_about_alike(run, rng, policy, tmp_path):
    columns = {"c": list(range(400)), "s": (100 * shop(rng, 400)[1]).tolist()}
    rows = duckdb.sql('select unnest($c) as "case", unnest($s) as score', params=columns)
    rows.write_parquet(str(tmp_path / "new.parquet"))
    drawn = []
    for name in ("out.csv", "out.parquet"):
        flags = ("--audit", "0.3", "--audit-key", "case", "--json", "-q", "-o", name)
        answer = run("apply", "policy.json", "new.parquet", *flags)
        assert "divide by 100?" in " ".join(answer.err.split())
        assert "divide by 100?" in answer.json["warnings"][0]
        asked = duckdb.sql(f"select \"case\", audit_probability from '{tmp_path / name}' where audit = 1")
        drawn.append(sorted(asked.fetchall()))
        assert answer.json["audited"] == len(drawn[-1]) > 0
    assert drawn[0] == drawn[1]
    answer = run("apply", "policy.json", "new.parquet", "--strict", "-o", "strict.parquet")
    assert answer.code == 2
    assert not (tmp_path / "strict.parquet").exists()


def test_a_label_in_braces_stays_text(run, tmp_path):
    """Labels and names go into SQL: none of them may stand for something else there."""
    duckdb.sql('select 0.9 as "{rows}"').write_parquet(str(tmp_path / "s.parquet"))
    policy = Policy.from_surface(
        abstention_surface([0, 1], [0.2, 0.8]),
        costs=CostModel(cost_fn=1, cost_fp=1),
        pos_label="{rows}",
        neg_label="no",
    )
    policy.save(tmp_path / "policy.json")
    answer = run("apply", "policy.json", "s.parquet", "--model", "{rows}", "-o", "out.parquet", "-q")
    assert answer.code == 0, answer.err
    assert duckdb.sql(f"select * from '{tmp_path / 'out.parquet'}'").fetchall()[0][-1] == "{rows}"


# ---------------------------------------------------------------- every rule, and nothing decided


def test_many_classes_are_audited_as_two_are(run, tmp_path):
    rng = np.random.default_rng(5)
    rule = ClassRule(classes=("a", "b", "c"), weights=[1, 1, 1], abstain_weight=0.5)
    made = Policy(rule=rule, model="new")
    made.save(tmp_path / "classes.json")
    proba = rng.dirichlet([1, 1, 1], 600)
    file = table_file(tmp_path, case=range(600), **dict(zip("abc", proba.T.tolist(), strict=True)))
    answer = run("apply", "classes.json", file, "--audit", "0.3", "--audit-key", "case", "-o", "out.csv")
    assert answer.code == 0, answer.err
    rows = rows_of(tmp_path / "out.csv")
    codes = made.decide(np.array([[float(row[name]) for name in "abc"] for row in rows]))
    drawn = Audit(share=0.3).drawn(str(k) for k in range(600))
    assert [row["audit"] for row in rows] == np.where(drawn & (codes >= 0), "1", "0").tolist()
    assert [row["audit_probability"] for row in rows] == np.where(codes >= 0, "0.3", "1").tolist()
    asked = int((drawn & (codes >= 0)).sum())
    assert f"A label is asked for in {asked} decided rows." in " ".join(answer.err.split())
    document = run("apply", "classes.json", file, "--audit", "0.3", "-o", "out.parquet", "--json", "-q").json
    assert document["audited"] > 0
    # an audited case stands for those that were not drawn
    truth = np.array(["a", "b", "c"])[proba.argmax(axis=1)[::-1]]
    known = (drawn & (codes >= 0)) | (codes < 0)
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    labelled = table_file(tmp_path, "late.csv", **columns, kind=np.where(known, truth, "").tolist())
    priced = replace(made, costs=CostMatrix.uniform("abc"), abstain_costs=[0.2] * 3)
    priced.save(tmp_path / "classes.json")
    judged = run("audit", "classes.json", labelled, "--label", "kind", "--json").json
    weights = np.where(codes < 0, 1.0, 1 / 0.3)
    labels = np.where(known, truth, None)
    expected = judge_policy(priced, proba, labels, weights=weights).overall
    assert judged["overall"]["cost"] == pytest.approx(expected.cost, rel=1e-12)
    assert sum(document["called"].values()) + document["abstained"] == 600


@pytest.mark.parametrize("name", ["new.csv", "new.parquet"])
@pytest.mark.parametrize("target", ["out.csv", "out.parquet"])
def test_the_exit_code_is_3_where_no_row_gets_a_decision(run, policy, tmp_path, name, target):
    table_file(tmp_path, "new.csv", case=[1, 2], score=["", ""])
    duckdb.sql('select 1 as "case", null::double as score').write_parquet(str(tmp_path / "new.parquet"))
    answer = run("apply", "policy.json", name, "-o", target, "-q")
    assert answer.code == 3
    assert "have no decision." in answer.err
    assert (tmp_path / target).exists()
    assert "exit code is 3 if no row got a decision" in " ".join(run("apply", "--help").out.split())


@pytest.mark.parametrize("version", [1, 3])
def test_a_file_without_a_digest_is_remarked_on(run, policy, tmp_path, version):
    data = policy.to_dict()
    if version == 1:
        data = json.loads((REFERENCE / "window_infinite.json").read_text())
    (tmp_path / "page.json").write_text(json.dumps(data))
    file = table_file(tmp_path, score=[0.001])
    remark = "page.json carries no digest: whether it was edited cannot be told."
    for line in (
        ("apply", "page.json", file, "--model", "score"),
        ("export", "page.json", "--to", "sql"),
        ("watch", "page.json", file, "--model", "score", "--state", "w.json"),
    ):
        assert remark in " ".join(run(*line).err.split())
    assert remark not in run("apply", "page.json", file, "--model", "score", "-q", "-o", "o.csv").err
    assert "digest" not in run("apply", "policy.json", file).err
