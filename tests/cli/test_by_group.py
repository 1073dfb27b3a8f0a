"""`demur decide --group`: one policy with a rule per group, which apply, export, audit and watch take."""

import csv

import duckdb
import numpy as np
import pandas as pd
import pytest

from command_line import table_file
from demur import CostModel, Policy, compare_models
from demur.windows import Constant

COSTS = ("--cost-fn", "100", "--cost-fp", "40", "--cost-abstain", "12")
PRICES = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)
N = 400


def cases(seed=0):
    """Return rows of two models, each good in one place only; a third place has negatives only."""
    rng = np.random.default_rng(seed)
    y, place = rng.integers(0, 2, N), np.where(np.arange(N) % 3 == 0, 1, 2)
    place[np.flatnonzero(y == 0)[:6]] = 3
    good, noise = (y + rng.normal(scale=0.5, size=N)).round(3), rng.normal(size=N).round(3)
    scores = {"new": np.where(place == 1, good, noise), "old": np.where(place == 1, noise, good)}
    return {"y": y, **scores, "place": place}


@pytest.fixture
def file(tmp_path):
    return table_file(tmp_path, **cases())


@pytest.fixture
def policy(run, file):
    """The policy of the file, as it was written."""
    assert run("decide", file, "--group", "place", *COSTS, "-o", "policy.json", "-q").code == 0
    return Policy.load("policy.json")


def answer(own=None):
    """Compare the models on some of the cases."""
    data = cases()
    own = np.ones(N, dtype=bool) if own is None else own
    scores = {name: data[name][own] for name in ("new", "old")}
    return compare_models(data["y"][own], scores, costs=PRICES).answer


def decisions(path):
    """Return the last column of a file of decisions."""
    if str(path).endswith(".parquet"):
        return [row[-1] for row in duckdb.sql(f"select * from read_parquet('{path}')").fetchall()]
    with open(path, newline="") as handle:
        return [None if row[-1] == "" else int(row[-1]) for row in list(csv.reader(handle))[1:]]


# ---------------------------------------------------------------- decide


def test_one_policy_holds_the_answers_of_all_groups(run, file, policy):
    data = cases()
    answers = {name: answer(data["place"] == int(name)) for name in ("1", "2")}
    fallback = answer()
    expected = Policy.from_answers({**answers, "3": fallback}, column="place", fallback=fallback)
    assert policy.to_dict() == expected.to_dict()
    assert [answers[name].model for name in "12"] == ["new", "old"]
    assert policy.columns == ("new", "old", "place")
    document = run("decide", file, "--group", "place", *COSTS, "--json", "-q").json
    assert document["policy"] == policy.to_dict()
    assert document["fallback"]["decision"] == fallback.words
    assert {name: part.get("decision") for name, part in document["groups"].items()} == {
        "1": answers["1"].words,
        "2": answers["2"].words,
        "3": None,
    }
    assert not any("policy" in part for part in document["groups"].values())


def test_words_fit_80_columns_and_name_groups_without_a_rule(run, file):
    said = run("decide", file, "--group", "place", *COSTS, "-o", "policy.json")
    text = " ".join(said.out.split())
    assert "place = 3: 6 cases All cases are negative" in text
    assert "Every other place: the rule for all 400 cases" in text
    assert (
        "Without a rule of their own, so decided by the rule for all: 3. Expected cost per 1000 cases: "
        in text
    )
    assert text.endswith(
        "Written to policy.json, the problem to policy.toml. Next: demur apply policy.json FILE"
    )
    assert max(map(len, said.out.splitlines())) <= 80
    piped = run("decide", file, "--group", "place", *COSTS)
    assert piped.out.strip() == (file.parent / "policy.json").read_text().strip()
    assert "Every other place" in piped.err
    assert run("decide", file, "--group", "place", *COSTS, "-q").err == ""


def test_rules_without_a_model_are_constants_and_alone_no_policy(run, file):
    # a review is nearly free: nobody needs a model
    free = ("--cost-fn", "100", "--cost-fp", "40", "--cost-abstain", "0.001")
    refused = run("decide", file, "--group", "place", *free, "-o", "none.json")
    assert refused.code == 3
    assert "No policy is written: a rule without a model needs none" in " ".join(refused.out.split())
    assert run("decide", file, "--group", "place", *free, "-o", "any.json", "--anyway").code == 0
    assert all(one.columns for one in Policy.load("any.json").rule.members)
    # one group has a model that tells nothing
    only = run("decide", file, "--group", "place", *COSTS, "--model", "new", "-o", "new.json", "-q")
    assert only.code == 0
    made = Policy.load("new.json")
    assert made.rule.rules["1"].columns == ("new",)
    assert made.rule.rules["2"].rule == Constant(-1)
    assert made.model == "new"


def test_engines_write_the_policy_of_their_counts(run, file):
    flags = ("decide", file, "--group", "place", *COSTS, "-q", "--engine", "duckdb")
    assert run(*flags, "-o", "counted.json").code == 0
    counted = Policy.load("counted.json")
    whole = run("decide", file, "--exclude", "place", *COSTS, "-q", "--engine", "duckdb", "--model", "new")
    assert whole.code in (0, 3)
    assert counted.columns == ("new", "old", "place")
    assert counted.evidence.n == N
    data = cases()
    assert counted.evidence.class_sizes.tolist() == np.bincount(data["y"]).tolist()


def test_groups_of_sums_join_as_all_rows_do(run, tmp_path):
    data = cases()
    rng = np.random.default_rng(1)
    data["place"] = np.where(np.arange(N) % 2 == 0, "a", "b")
    data["amount"] = rng.lognormal(size=N).round(2)
    file = table_file(tmp_path, **data)
    flags = ("--model", "old", "--cost-fn", "amount", "--cost-fp", "0.5", "--cost-abstain", "0.2", "--json")
    flags = ("-q", "--engine", "duckdb", *flags)
    together = run("decide", file, *flags, "--group", "place").json["fallback"]["comparison"]
    alone = run("decide", file, *flags, "--exclude", "place").json["comparison"]
    for name in ("n", "class_sizes", "baselines"):
        assert together[name] == pytest.approx(alone[name], rel=1e-12), name
    cost = alone["models"]["old"]["hindsight_cost"]
    assert together["models"]["old"]["hindsight_cost"] == pytest.approx(cost, rel=1e-12)
    assert together["models"]["old"]["window"] == pytest.approx(alone["models"]["old"]["window"], nan_ok=True)


# ---------------------------------------------------------------- apply


def new_rows():
    """Return rows of known, left out, unknown and missing groups, with missing scores."""
    rows = [("new", "old", "place")]
    rows += [(new, old, place) for place in (1, 2, 3, 4, 5, None) for new in (-2, 0.5, 3) for old in (-2, 3)]
    rows += [(None, 3, place) for place in (1, 2, 3)] + [(3, None, place) for place in (1, 2, 3)]
    return rows


@pytest.mark.parametrize("spelled", ["whole", "decimals", "text"])
def test_csv_parquet_and_python_decide_alike(run, policy, tmp_path, spelled):
    header, *rows = new_rows()
    frame = pd.DataFrame(rows, columns=header)
    kind = {"whole": "Int64", "decimals": "float64", "text": "object"}[spelled]
    frame["place"] = frame["place"].astype("float64").astype("Int64").astype(kind)
    if spelled == "text":
        frame["place"] = [None if value is pd.NA else str(value) for value in frame["place"]]
    frame.to_parquet(tmp_path / "n.parquet")
    frame.to_csv(tmp_path / "n.csv", index=False)
    found = {}
    for source in ("n.csv", "n.parquet"):
        for target in ("o.csv", "o.parquet"):
            answer = run("apply", "policy.json", source, "-o", target, "--json")
            assert answer.code == 0, answer.err
            assert "12 rows of 2 unknown groups and 6 rows without a group: decided by the rule" in " ".join(
                answer.err.split()
            )
            assert answer.json["unknown_groups"] == {"groups": 2, "rows": 12, "missing": 6}
            found[source, target] = decisions(tmp_path / target)
    # a row of the first place needs the new model only, one of the second the old one
    needs = {1: "new", 2: "old"}
    other = policy.rule.fallback.columns[0]
    column = [needs.get(place, other) for *_, place in rows]
    bad = [row[0 if name == "new" else 1] is None for row, name in zip(rows, column, strict=True)]
    assert sum(bad) == 3
    expected = np.full(len(rows), None)
    expected[~np.array(bad)] = policy.apply(frame[~np.array(bad)])
    for found_there in found.values():
        assert found_there == expected.tolist()
    assert run("apply", "policy.json", "n.csv", "--strict").code == 2


def test_summary_and_bad_rows_in_words(run, policy, tmp_path):
    header, *rows = new_rows()
    table_file(tmp_path, "n.csv", **dict(zip(header, zip(*rows, strict=True), strict=True)))
    answer = run("apply", "policy.json", "n.csv", "--only")
    assert answer.out.splitlines()[0] == "decision"
    assert "line 38: new: the score is missing; no decision." in answer.err
    assert "Numbers from columns new, old, groups by place." in " ".join(answer.err.split())
    known = table_file(tmp_path, "k.csv", new=[1.0, 1.0], old=[1.0, 1.0], place=[1, 3])
    assert "unknown" not in run("apply", "policy.json", known, "--only").err


def test_audited_rows_are_decided_alike(run, policy, file, tmp_path):
    assert run("apply", "policy.json", file, "-o", "plain.csv", "-q").code == 0
    assert run("apply", "policy.json", file, "-o", "drawn.csv", "-q", "--audit", "0.5").code == 0
    plain, drawn = pd.read_csv("plain.csv"), pd.read_csv("drawn.csv")
    assert drawn["decision"].tolist() == plain["decision"].tolist()
    assert 0 < drawn["audit"].sum() < N


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (("--model", "new"), "`--model` must be left out: the policy has a rule per group and reads the"),
        ((), "`n.csv` has no column 'old'; its columns are new, place."),
    ],
)
def test_columns_are_those_of_the_policy(run, policy, tmp_path, flags, sentence):
    table_file(tmp_path, "n.csv", new=[1.0], place=[1])
    answer = run("apply", "policy.json", "n.csv", *flags)
    assert (answer.code, answer.out) == (2, "")
    assert sentence in " ".join(answer.err.split())


# ---------------------------------------------------------------- the other verbs


def test_exports_decide_as_apply_does(run, policy, file, tmp_path):
    frame = pd.read_csv(file)
    expected = policy.apply(frame).tolist()
    query = run("export", "policy.json", "--to", "sql", "--table", "frame", "-q").out
    assert [row[-1] for row in duckdb.sql(query).fetchall()] == expected
    assert run("export", "policy.json", "-o", "decide.py", "-q").code == 0
    scope = {}
    exec((tmp_path / "decide.py").read_text(), scope)
    rows = frame[list(policy.columns)].itertuples(index=False)
    assert [scope["decide"](row) for row in rows] == expected
    renamed = run("export", "policy.json", "--to", "sql", "--score", "a, b, c", "-q").out
    assert "CAST(\"c\" AS VARCHAR) IN ('1', '1.0')" in renamed
    refused = run("export", "policy.json", "-o", "policy.onnx")
    assert refused.code == 2
    assert "A rule per group has no ONNX model" in refused.err


def test_audit_and_watch_take_it(run, policy, file, tmp_path):
    audited = run("audit", "policy.json", file, "--label", "y", "--group", "place", "--json")
    assert audited.code == 0, audited.err
    codes, y = policy.decide(pd.read_csv(file)), cases()["y"]
    paid = np.array([[0, 40, 12], [100, 0, 12]])[y, codes]
    assert audited.json["overall"]["cost"] == pytest.approx(paid.mean())
    assert [part["name"] for part in audited.json["groups"]] == ["1", "2", "3"]
    watched = run("watch", "policy.json", file, "--state", "s.json", "--label", "y")
    assert watched.code == 0, watched.err
    assert "Scores are not watched" in " ".join(watched.out.split())
    # scores of models that a group does not read may be missing
    data = cases()
    data["old"] = np.where(data["place"] == 1, "", data["old"].astype(str))
    sparse = table_file(tmp_path, "sparse.csv", **data)
    again = run("audit", "policy.json", sparse, "--label", "y", "--json")
    assert again.json["overall"]["cost"] == audited.json["overall"]["cost"]


# ---------------------------------------------------------------- many classes


@pytest.mark.parametrize("names", ["a,b,c", "a,b"])
def test_classes_by_group(run, tmp_path, names):
    classes = names.split(",")
    m, rng = len(classes), np.random.default_rng(3)
    codes, site = rng.integers(0, m, 300), np.where(np.arange(300) % 2 == 0, "x", "y")
    good = rng.dirichlet([1] * m, 300) + np.eye(m)[codes]
    noise = rng.dirichlet([1] * m, 300)
    proba = {
        "new": np.where((site == "x")[:, None], good, noise),
        "old": np.where((site == "x")[:, None], noise, good),
    }
    columns = {
        f"{model}_{name}": (values[:, k] / values.sum(axis=1)).round(6)
        for model, values in proba.items()
        for k, name in enumerate(classes)
    }
    if m == 2:
        columns |= {f"{model}_a": 1 - columns[f"{model}_b"] for model in proba}
    file = table_file(tmp_path, label=np.array(classes)[codes], site=site, **columns)
    table_file(
        tmp_path, "costs.csv", true=classes, **{c: [0 if r == c else 10 for r in classes] for c in classes}
    )
    flags = ("--classes", names, "--cost-matrix", "costs.csv", "--cost-abstain", "3", "--group", "site")
    answer = run("decide", file, *flags, "-o", "policy.json")
    assert answer.code == 0, answer.err
    assert max(map(len, answer.out.splitlines())) <= 80
    made = Policy.load("policy.json")
    last = ("new_b", "old_b") if m == 2 else tuple(f"{model}_{c}" for model in proba for c in classes)
    assert set(made.columns) == {*last, "site"}
    applied = run("apply", "policy.json", file, "-o", "d.csv")
    assert applied.code == 0, applied.err
    frame = pd.read_csv("d.csv")
    assert frame["decision"].tolist() == made.apply(frame).tolist()
    assert (frame["decision"] == frame["label"]).mean() > 0.5
    query = run("export", "policy.json", "--to", "sql", "--table", "frame", "-q").out
    assert [row[-1] for row in duckdb.sql(query).fetchall()] == frame["decision"].tolist()
