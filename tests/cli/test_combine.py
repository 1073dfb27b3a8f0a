"""`--combine`, `--price` and `--doubt` of compare, decide and report against the library, and refusals."""

import csv
import json

import numpy as np
import pytest

from command_line import table_file
from demur import CaseCosts, CostModel, Policy, Report, ScoreCounts, compare_models

RNG = np.random.default_rng(4)
Y = np.arange(240) % 2
BLOOD, SCAN = (np.round(1 / (1 + np.exp(-(2 * Y - 1) - RNG.normal(0, 1.1, 240))), 4) for _ in range(2))
FAR = np.arange(240) % 8 < 1
STRANGE = np.where(FAR, 0.99 - 0.98 * Y, SCAN)  # certain and wrong where nothing is known
DISTANCE = np.round(1 + 0.5 * RNG.random(240) + 4 * FAR, 3)
SITE = np.where(np.arange(240) % 3 < 2, "north", "south")
PRICES = ("--cost-fn", 10, "--cost-fp", 4, "--cost-abstain", 2)
COSTS = CostModel(cost_fn=10, cost_fp=4, cost_abstain=2)
BOTH = ("combinations", "cascades")


@pytest.fixture
def tests_file(tmp_path):
    return table_file(tmp_path, y=Y, blood=BLOOD, scan=SCAN)


@pytest.fixture
def strange(tmp_path):
    return table_file(tmp_path, y=Y, scan=STRANGE, blood=BLOOD, distance=DISTANCE, site=SITE)


def words(text):
    return " ".join(text.split())


# ---------------------------------------------------------------- compare


def test_compare_in_words_against_the_library(run, tests_file):
    fees = ("--price", "scan=0.05", "--price", "blood=0.1")
    answer = run("compare", tests_file, *PRICES, "--combine", *fees)
    assert answer.code == 0
    assert max(map(len, answer.out.splitlines())) <= 80
    wanted = compare_models(
        Y, {"blood": BLOOD, "scan": SCAN}, costs=COSTS, include=BOTH, prices={"scan": 0.05, "blood": 0.1}
    )
    assert words(answer.out).startswith(wanted.answer.words)
    assert f", including {1000 * wanted.answer.fees:.0f} for asking models, " in words(answer.out)
    assert "asking scan 0.05, blood 0.1;" in words(answer.out)
    for way in ("average", "vote", "disagreement"):
        cost = wanted.combinations[f"{way} of blood and scan"].cost
        # names of models leave no room for numbers
        (line,) = [line for line in answer.out.splitlines() if line.startswith(f"{way} of all ")]
        assert line.split()[3] in (f"{1000 * cost:,.0f}", f"{1000 * cost:.4g}")


def test_compare_as_json_and_as_tables_against_the_library(run, strange, tmp_path):
    flags = ("--model", "scan", "--model", "blood", "--combine", "--doubt", "distance", "--exclude", "site")
    found = run("compare", strange, *PRICES, *flags, "--json").json
    scores = {"scan": STRANGE, "blood": BLOOD}
    include, doubt = (*BOTH, "guards"), {"distance": DISTANCE}
    wanted = compare_models(Y, scores, costs=COSTS, include=include, doubt=doubt)
    comparison = found["comparison"]
    assert comparison["combinations"] == json.loads(json.dumps(wanted.to_dict()["combinations"]))
    assert comparison["answer"]["rule"] == wanted.answer.rule.to_dict()
    assert comparison["include"] == list(include)
    assert comparison["doubt"] == found["data"]["doubt"] == "distance"
    assert (
        comparison["combinations"]["scan guarded by distance"]["cost"] < comparison["models"]["scan"]["cost"]
    )
    assert found["decision"] == wanted.answer.words
    run("compare", strange, *PRICES, *flags, "-o", "table.csv")
    with open(tmp_path / "table.csv", newline="") as handle:
        rows = {row["rule"]: row for row in csv.DictReader(handle)}
    for name, one in wanted.combinations.items():
        assert float(rows[name]["cost"]) == one.cost
        assert (float(rows[name]["cost_low"]), float(rows[name]["cost_high"])) == tuple(one.interval)
        assert float(rows[name]["abstention_rate"]) == one.abstention_rate
        assert (rows[name]["chosen"] == "True") == (name == wanted.answer.model)


def test_without_the_flag_nothing_changes(run, tests_file):
    found = run("compare", tests_file, *PRICES, "--json").json
    assert found["comparison"]["combinations"] == {}
    assert found["decision"] == compare_models(Y, {"blood": BLOOD, "scan": SCAN}, costs=COSTS).answer.words
    assert "average" not in run("compare", tests_file, *PRICES).out


def test_amounts_ranges_weights_and_designs_go_through(run, tmp_path):
    amount, weight = np.round(RNG.uniform(5, 15, 240), 2), RNG.integers(1, 4, 240)
    file = table_file(
        tmp_path, y=Y, blood=BLOOD, scan=SCAN, amount=amount, weight=weight, who=np.arange(240) // 3
    )
    scores = {"blood": BLOOD, "scan": SCAN}
    two = ("--model", "blood", "--model", "scan", "--combine", "--json")
    asked = {"include": BOTH}
    by_case = CaseCosts(cost_fn=amount, cost_fp=4, cost_abstain=2, columns={"cost_fn": "amount"})
    for flags, options in (
        (("--cost-fn", "amount", "--cost-fp", 4, "--cost-abstain", 2), {"costs": by_case}),
        ((*PRICES, "--prevalence", 0.2), {"costs": COSTS, "prevalence": 0.2}),
        ((*PRICES, "--weight", "weight"), {"costs": COSTS, "sample_weight": weight}),
        ((*PRICES, "--cluster", "who"), {"costs": COSTS, "groups": np.arange(240) // 3}),
        ((*PRICES, "--time", "who"), {"costs": COSTS, "time": np.arange(240) // 3}),
    ):
        exclude = () if "who" in flags else ("--exclude", "who")
        found = run("compare", file, *flags, *two, *exclude).json["comparison"]["combinations"]
        wanted = compare_models(Y, scores, **asked, **options).combinations
        assert {name: one["cost"] for name, one in found.items()} == {
            name: one.cost for name, one in wanted.items()
        }


def test_rows_without_a_score_are_left_out_and_prices_stay(run, tmp_path):
    holed = [score if k % 20 != 3 else "" for k, score in enumerate(BLOOD)]
    file = table_file(tmp_path, y=Y, blood=holed, scan=SCAN, distance=DISTANCE)
    flags = ("--combine", "--doubt", "distance", "--price", "scan=0.5", "--drop-missing", "--json")
    found = run("compare", file, *PRICES, *flags).json["comparison"]
    alone = compare_models(Y, {"scan": SCAN}, costs=COSTS, prices={"scan": 0.5}).models["scan"]
    assert found["models"]["scan"]["cost"] == alone.cost
    kept = np.arange(240) % 20 != 3
    wanted = compare_models(
        Y[kept],
        {"blood": BLOOD[kept], "scan": SCAN[kept]},
        costs=COSTS,
        include=(*BOTH, "guards"),
        doubt={"distance": DISTANCE[kept]},
        prices={"scan": 0.5},
    )
    assert {name: one["cost"] for name, one in found["combinations"].items()} == {
        name: one.cost for name, one in wanted.combinations.items()
    }


# ---------------------------------------------------------------- decide, apply, audit, export, report


def test_a_policy_of_a_combination_is_written_applied_and_audited(run, tests_file, tmp_path):
    made = run("decide", tests_file, *PRICES, "--combine", "--price", "scan=0.1", "-o", "policy.json")
    assert made.code == 0
    assert max(map(len, made.out.splitlines())) <= 80
    assert "Chosen among blood; scan; average of blood and scan;" in words(made.out)
    policy = Policy.load(tmp_path / "policy.json")
    assert policy.columns == ("blood", "scan")
    wanted = policy.apply(np.column_stack([BLOOD, SCAN])).tolist()
    applied = run("apply", "policy.json", tests_file, "--only")
    assert applied.out.split()[1:] == list(map(str, wanted))
    assert "Numbers from columns blood, scan." in words(applied.err)
    audited = run("audit", "policy.json", tests_file, "--label", "y", "--json").json
    answer = compare_models(
        Y, {"blood": BLOOD, "scan": SCAN}, costs=COSTS, include=BOTH, prices={"scan": 0.1}
    ).answer
    # neither side counts what asking costs
    assert audited["overall"]["cost"] == pytest.approx(answer.hindsight_cost - 0.1)
    assert audited["promised_cost"] == pytest.approx(answer.cost - 0.1)
    scope = {}
    exec(run("export", "policy.json", "--to", "python").out, scope)
    assert [scope["decide"](row) for row in zip(BLOOD.tolist(), SCAN.tolist(), strict=True)] == wanted


def test_columns_that_a_policy_misses_are_named(run, tests_file, tmp_path):
    run("decide", tests_file, *PRICES, "--combine", "-o", "policy.json")
    other = table_file(tmp_path, "other.csv", y=Y, blood=BLOOD, mri=SCAN)
    for verb in (("apply",), ("audit", "--label", "y")):
        answer = run(verb[0], "policy.json", other, *verb[1:])
        assert answer.code == 2
        assert "has no column 'scan', one of the policy's columns." in words(answer.err)
        assert "for blood, scan;" in words(answer.err)
    renamed = run("apply", "policy.json", other, "--only", "--model", "m=blood,mri")
    assert renamed.out == run("apply", "policy.json", tests_file, "--only").out


def test_rows_without_numbers_have_no_decision(run, tests_file, tmp_path):
    run("decide", tests_file, *PRICES, "--combine", "-o", "policy.json")
    table_file(tmp_path, "new.csv", blood=[0.1, "", 0.9, "inf"], scan=[0.1, 0.5, 0.9, 0.2])
    answer = run("apply", "policy.json", "new.csv", "--only")
    assert answer.out.split()[1:] == ["0", '""', "1", '""']
    assert "row 4: a number is infinite; no decision." in words(answer.err)


def test_groups_have_their_own_combinations(run, strange, tmp_path):
    flags = ("--model", "scan", "--model", "blood", "--combine", "--doubt", "distance", "--group", "site")
    answer = run("decide", strange, *PRICES, *flags, "-o", "policy.json")
    assert answer.code == 0, answer.err
    rules = Policy.load(tmp_path / "policy.json").rule.rules
    for name in ("north", "south"):
        own = name == SITE
        wanted = compare_models(
            Y[own],
            {"scan": STRANGE[own], "blood": BLOOD[own]},
            costs=COSTS,
            include=(*BOTH, "guards"),
            doubt={"distance": DISTANCE[own]},
        ).answer
        assert rules[name].rule == wanted.rule


def test_report_against_the_library(run, strange, tmp_path):
    flags = ("--model", "scan", "--model", "blood", "--combine", "--doubt", "distance", "--exclude", "site")
    made = run("report", strange, *PRICES, *flags, "--price", "scan=0.1", "-o", "r.html", "--dossier", "d.md")
    assert made.code == 0, made.err
    report = Report.from_predictions(
        Y,
        {"scan": STRANGE, "blood": BLOOD},
        costs=COSTS,
        include=(*BOTH, "guards"),
        doubt={"distance": DISTANCE},
        prices={"scan": 0.1},
    )
    assert words(report.headline) in words(made.out).replace("0 and 1", "negative and positive")
    page = (tmp_path / "r.html").read_text()
    assert "scan guarded by distance" in page
    dossier = (tmp_path / "d.md").read_text()
    assert "| asking scan about a case | 0.1 |" in dossier
    assert "| scan guarded by distance |" in dossier
    one_page = run("report", strange, *PRICES, *flags[:-2], "--group", "site", "--one-page", "-o", "g.html")
    assert one_page.code == 0
    assert "Groups left out: the page judges rules of one model" in words(one_page.err)


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--combine",), "`--combine` needs costs"),
        (("--price", "scan=1"), "`--price` needs costs"),
        ((*PRICES, "--combine", "--model", "scan"), "`--combine` needs at least two score columns, got scan"),
        ((*PRICES, "--price", "scan"), "`--price` must read MODEL=NUMBER, got 'scan'"),
        ((*PRICES, "--price", "x=1"), "`--price` names 'x', which is no model. Hint: they are blood, scan."),
        ((*PRICES, "--price", "scan=-1"), "`--price` must not be negative"),
        ((*PRICES, "--doubt", "scan"), "`--doubt` is for guards. Hint: add --combine."),
        ((*PRICES, "--combine", "--doubt", "scan", "--model", "scan"), "which is in use already"),
        ((*PRICES, "--combine", "--doubt", "far"), "far"),
        (
            (*PRICES[:4], "--combine", "--doubt", "scan"),
            "`include` names guards, which abstain. Hint: give a cost of abstaining.",
        ),
        (
            (*PRICES, "--combine", "--engine", "duckdb"),
            "`--combine` needs the rows in memory, got --engine duckdb. Hint: leave --engine out.",
        ),
        ((*PRICES, "--price", "scan=1", "--engine", "duckdb"), "`--price` needs the rows in memory"),
        (
            ("--combine", "--classes", "0,1", "--cost-matrix", "costs.csv"),
            "`--combine` is for two classes. Hint: leave it out beside --classes.",
        ),
        (
            (*PRICES, "--combine", "--missing-labels", "bounds"),
            "`--combine` needs the label of every case. Hint: --missing-labels drop.",
        ),
    ],
)
def test_refusals(run, tests_file, flags, message):
    answer = run("compare", tests_file, *flags)
    assert (answer.code, answer.out) == (2, "")
    assert message in words(answer.err)


def test_refusals_of_counts_private_pages_and_rules_without_labels(run, tests_file, tmp_path):
    ScoreCounts.from_arrays(Y, SCAN).save(tmp_path / "scan.counts")
    answer = run("compare", "scan.counts", *PRICES, "--combine")
    assert "`--combine` needs the cases of scan.counts themselves, but it holds counts." in words(answer.err)
    for flags, name in ((("--combine",), "combine"), (("--price", "scan=1"), "price")):
        answer = run("report", tests_file, *PRICES, *flags, "--private", 5)
        assert answer.code == 2
        assert f"`--private` keeps counts alone, and --{name} needs the cases." in words(answer.err)
    answer = run("decide", tests_file, *PRICES, "--no-labels", "--combine", "--model", "scan")
    assert "`--combine` needs labelled cases." in words(answer.err)


@pytest.mark.parametrize("verb", ["combine", "guard"])
def test_verbs_that_there_were_say_where_they_went(run, tests_file, verb):
    answer = run(verb, tests_file, *PRICES)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(
        f"demur: `demur {verb}` is part of compare now. Hint: demur compare FILE --comb"
    )
