"""`--classes` of compare, decide, apply, export and judge against the functions they call."""

import csv
import json

import duckdb
import numpy as np
import pytest

import demur
from demur._tables.numbers import percent
from demur.cli.main import main

CLASSES = ["a", "b", "c"]
MATRIX = "true,a,b,c\na,0,1,4\nb,3,0,2\nc,8,6,0\n"
RNG = np.random.default_rng(2)
TRUTH = RNG.integers(0, 3, 60)
PROBA = np.exp(RNG.normal(size=(60, 3)) + 1.5 * np.eye(3)[TRUTH])
PROBA /= PROBA.sum(axis=1, keepdims=True)
OTHER = np.full((60, 3), 1 / 3) + 0.1 * np.eye(3)[RNG.integers(0, 3, 60)]


@pytest.fixture(autouse=True)
def one_split(monkeypatch):
    """One split into folds instead of ten: the same road, quicker."""
    monkeypatch.setattr("demur.honest.splits._MOST_REPEATS", 1)


@pytest.fixture
def files(tmp_path):
    rows = [f"{CLASSES[t]},{','.join(map(repr, p))}" for t, p in zip(TRUTH, PROBA.tolist(), strict=True)]
    (tmp_path / "p.csv").write_text("class,c,a,b\n" + "\n".join(_moved(row) for row in rows) + "\n")
    (tmp_path / "costs.csv").write_text(MATRIX)
    return str(tmp_path / "p.csv"), str(tmp_path / "costs.csv")


@pytest.fixture
def several(tmp_path):
    head = ["class", "site", *(f"new_{name}" for name in CLASSES), *(f"old_{name}" for name in CLASSES)]
    lines = [
        [CLASSES[t], "east" if k % 2 else "west", *map(repr, p), *map(repr, q)]
        for k, (t, p, q) in enumerate(zip(TRUTH, PROBA.tolist(), OTHER.tolist(), strict=True))
    ]
    path = tmp_path / "several.csv"
    path.write_text("\n".join(",".join(map(str, line)) for line in [head, *lines]) + "\n")
    return str(path)


def _moved(row):
    label, a, b, c = row.split(",")
    return f"{label},{c},{a},{b}"


def run(capsys, *args):
    with pytest.raises(SystemExit) as stop:
        main(list(args))
    return stop.value.code, capsys.readouterr()


def names():
    return [CLASSES[t] for t in TRUTH]


def costs():
    return demur.CostMatrix(values=np.array([[0, 1, 4], [3, 0, 2], [8, 6, 0]]), classes=CLASSES)


def flags(files, *more):
    return [files[0], "--classes", "a,b,c", "--cost-matrix", files[1], *more]


def test_compare_and_decide_hold_the_comparison_of_the_library(capsys, files):
    expected = demur.compare_models(
        names(), {"model": PROBA}, classes=CLASSES, costs=costs(), abstain_cost=0.8
    )
    for verb in ("compare", "decide"):
        code, out = run(capsys, verb, *flags(files, "--cost-abstain", "0.8", "--json", "-q"))
        assert code == 0
        document = json.loads(out.out)
        assert (document["schema"], document["version"]) == (f"demur.{verb}", 3)
        assert document["comparison"] == json.loads(json.dumps(expected.to_dict()))
        assert document["decision"] == expected.answer.words
    assert document["policy"]["evidence"]["digest"] == expected.answer.digest


def test_the_dearest_confusion_is_a_share_of_the_measured_cost(capsys, files):
    _, out = run(capsys, "compare", *flags(files, "--cost-abstain", "2", "--json", "-q"))
    answer = json.loads(out.out)["comparison"]["answer"]
    assert answer["cost"] > answer["honest_cost"]
    paid = np.array(answer["confusion"])[:, :-1] * np.asarray(costs().values)
    true, called = np.unravel_index(np.argmax(paid), paid.shape)
    dearest = answer["facts"]["dearest"]
    assert (dearest["true"], dearest["answer"]) == (CLASSES[true], CLASSES[called])
    assert dearest["share"] == pytest.approx(paid.max() / answer["honest_cost"])


def test_decide_apply_export_and_back(capsys, files, tmp_path):
    policy, decisions = str(tmp_path / "policy.json"), str(tmp_path / "d.csv")
    code, out = run(capsys, "decide", *flags(files, "--cost-abstain", "0.8", "-o", policy))
    assert code == 0
    # 60 cases do not show it to be cheaper, and a policy is written all the same: nobody asked for a proof
    text = " ".join(out.out.split())
    assert text.startswith("Unproven. Send every case to a person for now: 60 cases do not show that a model")
    assert " The best candidate is model: " in text
    assert "Next: demur apply" in text
    # a long name of a file is not torn apart
    assert max(len(line) for line in out.out.splitlines() if str(tmp_path) not in line) <= 80
    made = demur.Policy.load(policy)
    answer = demur.compare_models(
        names(), {"model": PROBA}, classes=CLASSES, costs=costs(), abstain_cost=0.8
    ).answer
    assert made.to_dict()["evidence"]["digest"] == answer.digest
    assert np.array_equal(made.decide(PROBA), answer.decide(PROBA))
    code, out = run(capsys, "apply", policy, files[0], "-o", decisions, "--json")
    assert code == 0
    table = duckdb.sql(f"select * from read_csv('{decisions}')").fetchall()
    assert [row[-1] for row in table] == made.apply(PROBA).tolist()
    told = json.loads(out.out)
    assert told["rows"] == 60
    assert told["abstained"] == int(np.sum(made.decide(PROBA) == -1))
    assert sum(told["called"].values()) + told["abstained"] == 60
    code, out = run(capsys, "export", policy, "--to", "sql", "--table", "scores")
    assert code == 0
    assert out.out.rstrip("\n") == made.to_sql(table="scores")
    code, out = run(capsys, "export", policy, "-o", str(tmp_path / "decide.py"))
    assert code == 0
    assert (tmp_path / "decide.py").read_text().rstrip("\n") == made.to_python().rstrip("\n")


def test_apply_to_parquet_and_to_broken_rows(capsys, files, tmp_path):
    policy = str(tmp_path / "policy.json")
    run(capsys, "decide", *flags(files, "--cost-abstain", "0.8", "-o", policy))
    made = demur.Policy.load(policy)
    source, target = str(tmp_path / "p.parquet"), str(tmp_path / "d.parquet")
    duckdb.sql(
        f"copy (select * from read_csv('{files[0]}') union all select 'a', null, 0.5, 0.2 "
        f"union all select 'b', -1, 0.5, 0.2) to '{source}' (format parquet)"
    )
    code, out = run(capsys, "apply", policy, source, "-o", target)
    assert code == 0
    assert "2 of 62 rows" in out.err
    found = [row[0] for row in duckdb.sql(f"select decision from '{target}'").fetchall()]
    assert found == [*made.apply(PROBA).tolist(), None, None]
    code, out = run(capsys, "apply", policy, source, "-o", target, "--strict")
    assert code == 2
    assert "row 61" in out.err
    # other names of the columns, and rows that are no numbers
    (tmp_path / "new.csv").write_text("id,x,y,z\n1,0.9,0.05,0.05\n2,oops,0.1,0.1\n3,0,0,0\n")
    code, out = run(capsys, "apply", policy, str(tmp_path / "new.csv"), "--model", "x=x,y,z", "--only")
    assert code == 0
    assert out.out.splitlines() == ["decision", made.apply([[0.9, 0.05, 0.05]])[0], '""', '""']
    assert "line 3" in out.err


def test_several_models_by_prefix_by_name_and_by_group(capsys, several, files):
    matrix = ["--classes", "a,b,c", "--cost-matrix", files[1]]
    code, out = run(capsys, "compare", several, *matrix, "--json", "-q")
    assert code == 0
    models = json.loads(out.out)["comparison"]["models"]
    assert list(models) == ["new", "old"]
    code, out = run(capsys, "compare", several, *matrix, "--json", "-q", "--model", "mine=new_a,new_b,new_c")
    mine = json.loads(out.out)["comparison"]["models"]
    assert {**mine["mine"], "name": "new"} == models["new"]
    code, out = run(capsys, "decide", several, *matrix, "--group", "site", "--model", "new", "--anyway")
    assert code == 0
    assert "site = east: 30 cases" in out.err
    assert json.loads(out.out)["columns"] == ["new_a", "new_b", "new_c", "site"]


def test_words_and_tables_fit_80_columns(capsys, files):
    code, out = run(capsys, "compare", *flags(files, "--cost-abstain", "0.3"))
    assert code == 0
    assert max(map(len, out.out.splitlines())) <= 80
    text = " ".join(out.out.split())
    assert "Cost per 1000 cases" in text
    assert "always abstain" in text
    assert "Mean pairwise AUC" in text


def test_a_rule_without_a_model_writes_nothing_and_exits_with_3(capsys, files, tmp_path):
    target = tmp_path / "policy.json"
    cheap = flags(files, "--cost-abstain", "0.001", "-o", str(target))
    code, out = run(capsys, "decide", *cheap)
    assert code == 3
    assert "No policy is written" in " ".join(out.out.split())
    assert not target.exists()
    assert run(capsys, "decide", *cheap, "--anyway")[0] == 0
    assert target.exists()


def test_prices_of_abstaining(capsys, files, tmp_path):
    by_class = tmp_path / "by_class.csv"
    by_class.write_text("true,a,b,c,abstain\na,0,1:2,4,0.5\nb,3,0,2,0.6\nc,8,6,0,0.7\n")
    base = ["compare", files[0], "--classes", "a,b,c", "--json", "-q"]
    _, out = run(capsys, *base, "--cost-matrix", str(by_class), "--objective", "worst")
    comparison = json.loads(out.out)["comparison"]
    assert comparison["costs"]["abstain"] == [0.5, 0.6, 0.7]
    assert comparison["costs"]["values"][0] == [0, 1.5, 4]
    assert comparison["costs"]["high"][0][1] == 2
    answer = comparison["answer"]
    assert answer["worst_cost"] >= answer["honest_cost"]
    # what the choice adds is added at both ends of the range
    rise = answer["cost"] - answer["honest_cost"]
    assert answer["cost_range"][1] == pytest.approx(answer["worst_cost"] + rise, abs=1e-12)
    assert answer["cost_range"][0] <= answer["cost"] <= answer["cost_range"][1] <= answer["interval"][1]
    fee = ["--cost-matrix", files[1], "--review-fee", "0.5", "--reviewer-sensitivity", "0.9"]
    _, out = run(capsys, *base, *fee, "--max-abstention", "0.2")
    comparison = json.loads(out.out)["comparison"]
    assert comparison["costs"]["abstain"] == pytest.approx([0.75, 0.75, 1.2])
    assert comparison["limits"] == {"max_abstention": 0.2}
    _, out = run(capsys, *base, "--ordered", "--step-cost", "2")
    assert json.loads(out.out)["comparison"]["costs"]["values"] == [[0, 2, 4], [2, 0, 2], [4, 2, 0]]


@pytest.mark.parametrize("verb", ["compare", "decide"])
@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--cost-matrix", "COSTS"], "`--classes` is needed"),
        (["--classes", "a,a", "--cost-matrix", "COSTS"], "at least two different classes"),
        (
            ["--classes", "a,b", "--cost-matrix", "COSTS"],
            "names the classes a, b, c, --classes names a, b",
        ),
        (["--classes", "a,b,c,d", "--ordered"], "has no column 'd'"),
        (["--classes", "a,b", "--ordered"], "holds the class 'c', which --classes does not list"),
        (["--classes", "a,b,c", "--cost-matrix", "nowhere.csv"], "must be readable"),
        (
            ["--classes", "a,b,c", "--cost-matrix", "COSTS", "--cost-fn", "1"],
            "`--cost-fn` is for two classes",
        ),
        (["--classes", "a,b,c", "--cost-matrix", "COSTS", "--ordered"], "two kinds of costs"),
        (["--classes", "a,b,c", "--step-cost", "1"], "`--step-cost` is for classes in order"),
        (["--classes", "a,b,c", "--cost-matrix", "COSTS", "--model", "x"], "has no columns x_a, x_b"),
        (["--classes", "a,b,c", "--cost-matrix", "COSTS", "--model", "x=a,b"], "must name 3 different"),
        (
            ["--classes", "a,b,c", "--ordered", "--cost-abstain", "1", "--review-fee", "1"],
            "Abstaining has two prices",
        ),
    ],
)
def test_wrong_flags(capsys, files, verb, flags, message):
    code, out = run(capsys, verb, files[0], *[files[1] if flag == "COSTS" else flag for flag in flags])
    assert code == 2
    assert message in " ".join(out.err.split())
    assert out.out == ""


@pytest.mark.parametrize("verb", ["decide", "report"])
def test_costs_are_needed_to_decide(capsys, files, verb):
    code, out = run(capsys, verb, files[0], "--classes", "a,b,c")
    assert code == 2
    assert "`--cost-matrix FILE` is needed" in " ".join(out.err.split())


def test_matrix_of_other_classes_lists_both(capsys, files, tmp_path):
    (tmp_path / "other.csv").write_text("true,a,b,x\na,0,1,1\nb,1,0,1\nx,1,1,0\n")
    flags = ["--classes", "a,b,c", "--cost-matrix", str(tmp_path / "other.csv")]
    code, out = run(capsys, "compare", files[0], *flags)
    assert code == 2
    assert "names the classes a, b, x, --classes names a, b, c" in " ".join(out.err.split())


@pytest.fixture
def policy(capsys, files, tmp_path):
    path = str(tmp_path / "policy.json")
    run(capsys, "decide", *flags(files, "--cost-abstain", "0.3", "-o", path))
    assert 0 < np.mean(demur.Policy.load(path).decide(PROBA) == -1) < 1
    return path


def test_audit_against_the_library(capsys, files, policy, tmp_path):
    made = demur.Policy.load(policy)
    judged = demur.monitoring.judge_policy(made, PROBA, names())
    table = np.column_stack([costs().values, np.full(3, 0.3)])
    codes = made.decide(PROBA)
    assert judged.overall.cost == pytest.approx(table[TRUTH, np.where(codes == -1, 3, codes)].mean())
    assert not judged.broken
    code, out = run(capsys, "audit", policy, files[0], "--label", "class", "--json")
    assert code == 0
    said = json.loads(out.out)
    assert {name: said[name] for name in judged.to_dict()} == judged.to_dict()
    code, out = run(capsys, "audit", policy, files[0], "--label", "class")
    assert out.out.startswith("It is not yet certain whether the promise is kept: the policy costs")
    text = " ".join(out.out.split())
    assert f"abstained on, expected {percent(made.promise.abstention_rate)}." in text
    assert f"{percent(judged.overall.error_rate)} wrong." in text
    assert ["true", "class", "a", "b", "c", "abstain"] in [line.split() for line in out.out.splitlines()]
    # by group: intervals wide enough to hold for both together
    lines = (tmp_path / "p.csv").read_text().splitlines()
    half = [f"{line},{'site' if k == 0 else 'ab'[k % 2]}" for k, line in enumerate(lines)]
    (tmp_path / "grouped.csv").write_text("\n".join(half))
    asked = ["audit", policy, str(tmp_path / "grouped.csv"), "--label", "class", "--group", "site"]
    code, out = run(capsys, *asked, "--json")
    said = json.loads(out.out)
    assert said["overall"]["cost"] == judged.overall.cost
    own = demur.monitoring.judge_policy(made, PROBA[::2], names()[::2], confidence_level=0.975).overall
    assert [part["name"] for part in said["groups"]] == ["a", "b"]
    assert said["groups"][1]["cost"] == own.cost
    assert said["groups"][1]["cost_interval"] == list(own.cost_interval)
    code, out = run(capsys, *asked)
    head = ["group", "cases", "decided", "wrong", "cost", "limits"]
    assert head in [line.split() for line in out.out.splitlines()]
    assert "Limits hold for all groups together." in out.out
    # the same probabilities for other classes: the promise cannot hold
    _, *rows = (tmp_path / "p.csv").read_text().splitlines()
    (tmp_path / "moved.csv").write_text("\n".join(["class,a,b,c", *rows * 10]))
    code, out = run(capsys, "audit", policy, str(tmp_path / "moved.csv"), "--label", "class")
    assert code == 3
    assert "The promise is not kept" in out.out


def test_watch_against_the_library(capsys, files, policy, tmp_path):
    state, page = str(tmp_path / "state.json"), tmp_path / "page.html"
    code, out = run(capsys, "watch", policy, files[0], "--state", state, "--html", str(page))
    text = " ".join(out.out.split())
    assert code == 0
    assert text.startswith("Quiet. The decisions look as the policy promised")
    assert "Scores are not watched, as the rule has no single score;" in text
    assert "Scores are not watched" in page.read_text()
    # labels of the same rows, later: the decisions do not count again
    code, out = run(capsys, "watch", policy, files[0], "--state", state, "--label", "class", "--json")
    monitor = demur.PolicyMonitor(demur.Policy.load(policy))
    monitor.update(PROBA, names())
    assert json.loads(out.out)["monitor"] == monitor.to_dict()
    text = " ".join(run(capsys, "watch", policy, files[0], "--state", state)[1].out.split())
    assert "Cost per case by 60 labels" in text
    assert "Right when called" not in text
    assert "Right when a:" in text


def test_watch_counts_rows_without_a_decision_as_missing_and_days_apart(capsys, policy, tmp_path):
    rows = [[0.7, 0.2, 0.1], [0.1, 0.1, 0.8], [0.0, 0.0, 0.0], [0.3, 0.3, 0.4], ["", 0.5, 0.5]]
    lines = [f"2026-03-0{1 + k % 2},{','.join(map(str, row))}" for k, row in enumerate(rows)]
    (tmp_path / "days.csv").write_text("\n".join(["day,a,b,c", *lines]))
    state = str(tmp_path / "state.json")
    run(capsys, "watch", policy, str(tmp_path / "days.csv"), "--state", state, "--date-column", "day")
    monitor = demur.PolicyMonitor.load(state)
    codes = demur.Policy.load(policy).decide([rows[0], rows[1], rows[3]])
    assert [row.n for row in monitor.history] == [1, 2]
    assert [row.missing for row in monitor.history] == [2, 0]
    assert monitor.history[0].counts[codes[0]] == 1
    assert [monitor.outcomes[code] for code in range(-1, 3)] == [np.sum(codes == k) for k in range(-1, 3)]


def test_audit_of_many_classes_comes_back_to_judge_and_watch(capsys, files, policy, tmp_path):
    """`apply --audit`, labels for the rows asked for and for reviews, then both read the probabilities."""
    decided, labelled = tmp_path / "decided.csv", tmp_path / "labelled.csv"
    plain = "\n".join(line.partition(",")[2] for line in (tmp_path / "p.csv").read_text().splitlines())
    (tmp_path / "new.csv").write_text(plain)
    code, _ = run(capsys, "apply", policy, str(tmp_path / "new.csv"), "--audit", "0.5", "-o", str(decided))
    assert code == 0
    with open(decided, newline="") as handle:
        rows = list(csv.DictReader(handle))
    known = [row["audit"] == "1" or row["audit_probability"] == "1" for row in rows]
    assert 0 < sum(known) < 60
    labels = [name if told else None for name, told in zip(names(), known, strict=True)]
    with open(labelled, "w", newline="") as handle:
        table = csv.DictWriter(handle, [*rows[0], "truth"])
        table.writeheader()
        table.writerows({**row, "truth": label or ""} for row, label in zip(rows, labels, strict=True))
    made = demur.Policy.load(policy)
    weights = np.where(made.decide(PROBA) == -1, 1.0, 2.0)
    code, out = run(capsys, "audit", policy, str(labelled), "--label", "truth", "--json")
    expected = demur.monitoring.judge_policy(made, PROBA, labels, weights=weights)
    assert json.loads(out.out)["overall"] == expected.overall.to_dict()
    state = str(tmp_path / "state.json")
    code, out = run(capsys, "watch", policy, str(labelled), "--state", state, "--label", "truth", "--json")
    monitor = demur.PolicyMonitor(made)
    monitor.update(PROBA, labels, weights=weights)
    assert json.loads(out.out)["monitor"] == monitor.to_dict()


def test_judge_and_watch_refuse_in_one_sentence(capsys, files, policy, tmp_path):
    (tmp_path / "short.csv").write_text("class,a,b\na,0.5,0.5\n")
    (tmp_path / "empty.csv").write_text("class,a,b,c\na,,0.5,0.5\nb,0.5,,0.5\n")
    (tmp_path / "other.csv").write_text("class,a,b,c\nd,0.1,0.5,0.4\n")
    for file, words in [
        ("short.csv", "has no column 'c'"),
        ("empty.csv", "at least one row with numbers in all of the columns a, b, c"),
        ("other.csv", "holds 'd'; the policy knows a, b and c"),
    ]:
        for verb in (["audit"], ["watch", "--state", str(tmp_path / "s.json")]):
            code, out = run(capsys, verb[0], policy, str(tmp_path / file), *verb[1:], "--label", "class")
            assert code == 2
            assert words in " ".join(out.err.split())
    code, out = run(capsys, "watch", policy, str(tmp_path / "empty.csv"), "--state", str(tmp_path / "s.json"))
    assert code == 2


def test_rules_and_confusion_as_tables(capsys, files, tmp_path):
    file, costs = files
    ask = ("compare", file, "--classes", "a,b,c", "--cost-matrix", costs, "--cost-abstain", "1")
    for name in ("t.parquet", "t.md"):
        assert run(capsys, *ask, "-q", "-o", str(tmp_path / name))[0] == 0
    found = json.loads(run(capsys, *ask, "-q", "--json")[1].out)["comparison"]
    rows = duckdb.sql(f"select rule, model, cost, chosen from '{tmp_path / 't.parquet'}'").fetchall()
    (model,) = found["models"].values()
    expected = [(kind, model["name"], one["cost"]) for kind, one in model["rules"].items()]
    expected += [(rule, None, cost) for rule, cost in found["trivial"].items()]
    assert [row[:3] for row in rows] == expected
    assert [row[0] for row in rows if row[3]] == [found["answer"]["kind"]]
    text = (tmp_path / "t.md").read_text()
    assert text.startswith(found["answer"]["words"])
    assert "## Answers of 1000 cases" in text
    assert f"| a | {1000 * found['answer']['confusion'][0][0]:.3g} |" in text


# ---------------------------------------------------------------- without costs


def test_compare_without_costs_holds_the_volumes_of_the_library(capsys, several):
    base = ["compare", several, "--label", "class", "--classes", "a,b,c", "--exclude", "site", "-q"]
    expected = demur.compare_models(names(), {"new": PROBA, "old": OTHER}, classes=CLASSES)
    code, out = run(capsys, *base, "--json")
    document = json.loads(out.out)
    assert code == 0
    assert document["decision"] is None
    assert document["comparison"] == json.loads(json.dumps(expected.to_dict()))
    code, out = run(capsys, *base)
    assert code == 0
    text = " ".join(out.out.split())
    assert text.startswith(expected.class_vacc.words)
    assert "For a decision in words give your costs: --cost-matrix FILE" in text
    assert "This VACC is not that of two classes" in text
    assert max(map(len, out.out.splitlines())) <= 80


def test_compare_without_costs_as_table_and_figure(capsys, several, tmp_path):
    base = ["compare", several, "--label", "class", "--classes", "a,b,c", "--exclude", "site", "-q", "-o"]
    table, figure = tmp_path / "t.csv", tmp_path / "f.svg"
    assert run(capsys, *base, str(table))[0] == 0
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [row["model"] for row in rows][-1] == "without a model"
    assert float(rows[0]["vacc"]) <= float(rows[1]["vacc"])
    assert run(capsys, *base, str(figure))[0] == 0
    assert "price of a review" in figure.read_text()
    code, out = run(capsys, *base, str(figure), "--figure", "regions")
    assert code == 2
    assert "without costs many classes have `--figure reviews`" in " ".join(out.err.split())


@pytest.mark.parametrize(
    "flags",
    [("--cost-abstain", "1"), ("--max-abstention", "0.1"), ("--objective", "worst"), ("--by", "site")],
)
def test_what_needs_costs_beside_classes(capsys, several, flags):
    code, out = run(capsys, "compare", several, "--label", "class", "--classes", "a,b,c", *flags)
    assert code == 2
    assert f"`{flags[0]}` needs costs. Hint: add --cost-matrix FILE." in " ".join(out.err.split())


def test_two_listed_classes_without_costs_are_compared_over_all_costs(capsys, tmp_path):
    share = PROBA[:, 0] / (PROBA[:, 0] + PROBA[:, 1])
    (tmp_path / "two.csv").write_text(
        "class,a,b\n"
        + "".join(
            f"{CLASSES[t]},{p!r},{1 - p!r}\n" for t, p in zip(TRUTH, share.tolist(), strict=True) if t < 2
        )
    )
    code, out = run(capsys, "compare", str(tmp_path / "two.csv"), "--classes", "a,b", "-q")
    assert code == 0
    assert "Over all costs (higher AUC is better" in out.out
    assert "give your costs: --cost-matrix FILE" in " ".join(out.out.split())
