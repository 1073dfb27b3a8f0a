"""The mathematics of the page, in TypeScript, gives the numbers of Python to 1e-12, answers to 1e-9.

One Node process answers all questions (web/tests/answers.ts); each test checks one kind of answer.
"""

import functools
import json
import math
import shlex
from dataclasses import replace

import duckdb
import numpy as np
import pytest

from demur import (
    CostModel,
    Policy,
    Report,
    Reviewer,
    ScoreCounts,
    abstention_surface,
    cheapest_window,
    compare_models,
    cost_curve,
    roc_curve,
)
from demur._html import threshold_text
from demur._kernels.thresholds import shortest_cut
from demur._tables.numbers import percent
from demur.cli.main import main
from demur.comparison.candidates import baseline_candidates, model_candidates
from demur.comparison.estimates import cost_at
from demur.comparison.numbers import money, money_step, shares_of_1000
from demur.comparison.problem import Scenario
from demur.comparison.words import answer_words
from demur.costs import probability_cost
from demur.exceptions import UndefinedError
from demur.report import DataSource
from page_script import INF, ask, needs_node, page_costs, plain

LIMITS = [0.0, 0.03, 0.1, 0.35, 0.8, 1.0]
PCS = np.linspace(0, 1, 23)
COSTS = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)
SIDE = 20

pytestmark = needs_node


# ---------------------------------------------------------------- questions


def _model_data(counts, prevalence=None):
    """Describe what the surface of a model needs as the schema of the report has it."""
    cuts = abstention_surface(counts, prevalence=prevalence).masses.blocks
    return plain(
        {"blocks": counts.blocks()._asdict(), "cuts": {"lower": cuts.lower_cut, "upper": cuts.upper_cut}}
    )


def _samples(rng):
    """Labels, scores and weights of many kinds: (name, counts)."""
    n = 300
    y = rng.random(n) < 0.35
    smooth = rng.normal(size=n) + 1.3 * y
    yield "smooth", ScoreCounts.from_arrays(y, smooth)
    yield "tied", ScoreCounts.from_arrays(y, np.round(2 * smooth))
    yield "repeated", ScoreCounts.from_arrays(y, np.round(smooth), sample_weight=rng.integers(0, 4, n))
    yield "weighted", ScoreCounts.from_arrays(y, np.round(smooth, 1), sample_weight=rng.random(n))
    yield "one score", ScoreCounts.from_arrays(y, np.zeros(n))
    yield "ranked in reverse", ScoreCounts.from_arrays(y, -10.0 * y + rng.random(n))
    yield "perfect", ScoreCounts.from_arrays(y, 10.0 * y + rng.random(n))
    far = np.where(rng.random(n) < 0.1, -INF, np.where(rng.random(n) < 0.1, INF, np.round(smooth)))
    yield "infinite scores", ScoreCounts.from_arrays(y, far)
    close = 1 + np.finfo(float).eps * np.round(2 * smooth)
    yield "neighbouring floats", ScoreCounts.from_arrays(y, close)
    big = rng.random(30_000) < 0.1
    yield "many blocks", ScoreCounts.from_arrays(big, rng.normal(size=30_000) + big)
    yield "four cases", ScoreCounts.from_arrays([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4])
    yield "only negatives", ScoreCounts.from_counts([0.0, 1.0], [0, 0], [3, 2])


def _points(rng, surface):
    """Costs everywhere, and exactly where two decisions tie."""
    mu = np.concatenate([[0.0, 0.0, 1.0, 1.0, 2.5], rng.choice([0.05, 0.4, 1.0, 3.0], 6) * rng.random(6)])
    nu = np.concatenate([[0.0, 0.3, 0.0, INF, 3.0], rng.random(6) * mu[5:]])
    r = rng.choice(surface.shares, 4)
    mixed = r[(r > 0) & (r < 1)]
    ties = [
        *((1.0, x) for x in mixed),
        *((0.7, 0.7 * (1 - x)) for x in mixed),
        *((x / (1 - x), 9.0) for x in mixed),
    ]
    return [*zip(mu.tolist(), nu.tolist(), strict=True), *ties]


def _model_questions():
    rng = np.random.default_rng(0)
    for name, counts in _samples(rng):
        both = counts.n_positive and counts.n_negative
        for prevalence in (None, 0.2, 0.9, 1e-3, 0.0, 1.0) if both else (None, 0.0):
            surface = abstention_surface(counts, prevalence=prevalence)
            about = {"name": name, "counts": counts, "prevalence": prevalence}
            about["points"] = _points(rng, surface)
            yield (
                about,
                {
                    "kind": "model",
                    "model": _model_data(counts, prevalence),
                    "n_positive": counts.n_positive,
                    "n_negative": counts.n_negative,
                    "prevalence": prevalence,
                    "points": plain(about["points"]),
                    "limits": LIMITS,
                    "pcs": PCS.tolist(),
                },
            )


def _map_questions():
    rng = np.random.default_rng(1)
    for prevalence in (None, 0.15):
        y = rng.random(500) < 0.4
        # the second is better at the top, the first elsewhere, the third nowhere
        spread = (np.ones(500), np.where(y, 2.5, 1.0), np.ones(500))
        shifts = zip((1.2, 1.0, 0.2), spread, strict=True)
        scores = {
            str(at): np.round(wide * rng.normal(size=500) + shift * y, 1)
            for at, (shift, wide) in enumerate(shifts)
        }
        report = Report.from_predictions(y, scores, costs=COSTS, prevalence=prevalence)
        about = {"report": report, "prevalence": prevalence}
        question = {"kind": "map", "prevalence": prevalence, "size": SIDE + 1}
        yield about, {**question, "report": report.to_json()}


# names a shell, SQL, Python and a URL each read in their own way
NAMES = ["a b", "it's", 'say "hi"', "$(x) & \\n", "naïve %41 ~", "-1", "<script>alert(1)</script>"]
LABEL = "the 'true' \"class\""
if int(duckdb.__version__.split(".")[0]) < 2:
    # older ones do not find names with a quotation mark; read_counts says so
    NAMES.remove('say "hi"')
    LABEL = "the 'true' class"
ERRS = Reviewer(fee=0.04, sensitivity=0.95, specificity=0.9)
BY_CLASS = {"cost_abstain_positive": 3e-4, "cost_abstain_negative": 1e-4, "cost_tp": -1e-4}
PAGES = [
    # labels, label column, weights, costs, prevalence, largest abstention
    (("1", "0"), "y_true", False, CostModel(cost_fn=100, cost_fp=40, cost_abstain=12), None, 1.0),
    (("1", "0"), LABEL, True, CostModel(cost_fp=0.5, reviewer=ERRS), 0.25, 1.0),
    (("yes", "it's no"), "y", False, CostModel(cost_fn=3, cost_fp=1), 0.1, 1.0),
    (("-1", "1"), "y", False, CostModel(cost_fn=10, cost_fp=12.5, cost_abstain=2), None, 0.05),
    (("abstain", "go"), "y", False, CostModel(cost_fn=1e-3, cost_fp=2e-3, **BY_CLASS), 0.6, 0.4),
    (("1", "0"), "y", False, CostModel(cost_abstain=0.9), None, 1.0),
]
STATES = [
    {},
    {
        # the middle of the ranges
        "costs": {"fn": 7.25, "fp": 3.9, "abstain": 4.875e-07, "tp": -2.5, "tn": 0, "rates": [0.875, 1]},
        "prevalence": 1 / 3,
        "model": 2,
        "colour": "difference",
        "compare": [1, 0],
        "ranges": {"fn": None, "fp": [1, 6.8], "abstain": [0, 9.75e-07], "prevalence": None},
        "capacity": {"reviews": 50, "cases": 1234.5},
        "positive": "fraud & co = #1",
        "negative": "ехть ~",
        "unit": "€ & co",
        "today": {"model": 1, "lower": -0.5, "upper": 1.25},
        "yearly": 50000,
        "theme": "dark",
    },
    {"costs": {"fn": 7.25, "fp": 0.1, "abstain": INF, "tp": -2.5, "tn": 0, "rates": [0.875, 1]}},
]


def _made_pages():
    rng = np.random.default_rng(2)
    for at, (labels, column, weighted, costs, prevalence, most) in enumerate(PAGES):
        y = rng.random(150) < 0.4
        names = [NAMES[(at + k) % len(NAMES)] for k in range(3)]
        scores = {name: np.round(rng.normal(size=150) + 0.8 * d * y, 2) for d, name in enumerate(names)}
        weights = rng.integers(1, 4, 150) if weighted else None
        source = DataSource(
            name=f"my file's {at}.csv",
            label=column,
            positive=labels[0],
            negative=labels[1],
            weight="the weight" if weighted else None,
            rows=150,
        )
        report = Report.from_predictions(y, scores, sample_weight=weights, costs=COSTS, source=source)
        about = {"scores": scores, "y": y, "weights": weights, "report": report, "source": source}
        about |= {"costs": costs, "prevalence": prevalence, "most": most}
        start = {
            "costs": {"fn": 100, "fp": 40, "abstain": 12, "tp": 0, "tn": 0},
            "prevalence": None,
            "model": None,
            "colour": "cost",
            "compare": [0, 1],
            "ranges": None,
            "capacity": None,
            "positive": "",
            "negative": "",
            "unit": "",
            "today": None,
            "yearly": None,
            "theme": "system",
        }
        about["state"] = {**start, **STATES[at % 3]}
        yield (
            about,
            {
                "kind": "page",
                "report": report.to_json(),
                "costs": page_costs(costs),
                "prevalence": prevalence,
                "capacity": None if most == 1 else {"reviews": 100 * most, "cases": 100},
                "state": about["state"],
            },
        )


@functools.cache
def _page_problems():
    """Make the reports once: every (what it is about, question)."""
    return list(_made_pages())


def _number_question():
    rng = np.random.default_rng(3)
    values = np.concatenate(
        [
            rng.normal(size=200) * 10.0 ** rng.integers(-9, 9, 200),
            [0.0, 0.5, 1.5, 2.5, 1.0, 1 - 1e-9, 1e5, 1e6],
        ]
    )
    ends = 10.0 ** rng.uniform(-12, 12, (400, 1)) * rng.normal(size=(400, 2))
    # apart, close together, neighbouring floats, rounded
    ends[100:200, 1] = ends[100:200, 0] * (1 + 10.0 ** rng.uniform(-15, -1, 100))
    ends[200:230, 1] = np.nextafter(np.nextafter(ends[200:230, 0], np.inf), np.inf)
    ends[250:] = np.round(ends[250:], 3)
    ends = np.sort(ends, axis=1)
    thresholds = [((low + high) / 2, low, high) for low, high in ends[ends[:, 0] < ends[:, 1]].tolist()]
    # halves of the last digit, the outermost floats, no float between
    thresholds += [(2.5, 1.9, 3.1), (-2.5, -3.1, -1.9), (1.5e-323, 0.0, 3e-323), (1e308, 1e307, 1.7e308)]
    return {
        "values": values.tolist(),
        "thresholds": [*thresholds, (0.5, 0.5, 1.0), (1.0, 0.5, 1.0), (0.0, -1.0, 1.0)],
        "shares": [
            *rng.dirichlet([1, 1, 1], 50).tolist(),
            [1.0, 0.0, 0.0],
            [1 / 3] * 3,
            [0.0005] * 2 + [0.999],
        ],
    }


@pytest.fixture(scope="module")
def answers():
    """Ask everything at once; give the questions with their answers by kind."""
    asked = [*_model_questions(), *_map_questions(), *_page_problems()]
    counted = _number_question()
    questions = [*(question for _, question in asked), {"kind": "numbers", **counted}]
    found = ask(questions)
    by_kind = {"model": [], "map": [], "page": []}
    for (about, question), answer in zip(asked, found, strict=False):
        by_kind[question["kind"]].append((about, answer))
    return {**by_kind, "numbers": (counted, found[-1])}


def _close(found, expected):
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


def _priced(answers):
    """Yield (about, surface, mu, nu, answer) of every cost point."""
    for about, answer in answers["model"]:
        surface = abstention_surface(about["counts"], prevalence=about["prevalence"])
        for (mu, nu), found in zip(about["points"], answer["points"], strict=True):
            yield about, surface, mu, nu, found


# ---------------------------------------------------------------- one model


def _same_window(found, expected):
    assert (found["lower"], found["upper"]) == (expected.lower, expected.upper)
    _close(found["cost"], expected.cost)
    _close([found["fn"], found["fp"], found["abstain"]], [expected.fn, expected.fp, expected.abstention_rate])
    kept = [expected.abstained_positive, expected.abstained_negative]
    _close([found["abstainPositive"], found["abstainNegative"]], kept)
    _close(found["tp"] + found["fn"] + found["abstainPositive"], expected.prevalence)
    _close(found["tn"] + found["fp"] + found["abstainNegative"], 1 - expected.prevalence)


def test_windows_and_costs_against_python(answers):
    seen = 0
    for _, surface, mu, nu, found in _priced(answers):
        _same_window(found["window"], surface.window(mu, nu))
        _close(found["cost"], surface.cost(mu, nu))
        _same_window(found["never"], surface.window(mu, INF))
        seen += found["window"]["i"] < found["window"]["j"]
    assert seen > 200  # windows that abstain


def test_rules_without_a_model_against_python(answers):
    for _, surface, mu, nu, found in _priced(answers):
        pi = surface.prevalence
        three = [found["trivial"][f"always {name}"] for name in ("positive", "negative", "abstain")]
        _close(three, [mu * (1 - pi), pi, nu])
        _close(min(three), surface.trivial().window(mu, nu).cost)


def test_cost_curves_against_python(answers):
    for about, answer in answers["model"]:
        if about["name"] == "only negatives":
            assert answer["envelope"] is None
            continue
        curve = cost_curve(about["counts"])
        _close(answer["envelope"]["costs"], curve.expected_cost(PCS).tolist())
        _close(np.ravel(answer["envelope"]["vertices"]).tolist(), curve.vertices.ravel().tolist())


def test_operating_points_against_python(answers):
    for about, surface, mu, nu, found in _priced(answers):
        pi = surface.prevalence
        if pi + mu * (1 - pi) == 0:
            assert found["pc"] is None
            continue
        _close(found["pc"], probability_cost(pi, cost_fn=1, cost_fp=mu))
        if nu >= mu / (1 + mu) and 0 < pi < 1 and about["counts"].n_positive:
            # without abstention the surface is the envelope at this prevalence
            _close(found["normalized"], cost_curve(about["counts"]).expected_cost(found["pc"]))


def test_hulls_against_python(answers):
    for about, answer in answers["model"]:
        if about["name"] == "only negatives":
            assert answer["hull"] is None
            continue
        expected = roc_curve(about["counts"]).convex_hull()
        _close(answer["hull"]["fpr"][::-1], expected.fpr.tolist())
        _close(answer["hull"]["tpr"][::-1], expected.tpr.tolist())


def test_windows_under_a_limit_against_python(answers):
    seen = 0
    for about, _, mu, nu, found in list(_priced(answers))[::6]:
        blocks = about["counts"].blocks()
        # a score per block: all the page knows
        pooled = ScoreCounts.from_counts(np.arange(len(blocks.positives)), blocks.positives, blocks.negatives)
        for limit, window in zip(LIMITS, found["limited"], strict=True):
            expected = cheapest_window(
                pooled, mu=mu, nu=nu, max_abstention=limit, prevalence=about["prevalence"]
            )
            assert window["abstain"] <= limit + 1e-12
            _close(window["cost"], expected.cost)
            if about["prevalence"] not in (0.0, 1.0):
                # with a class of prior 0 several cuts are one window
                assert (window["i"], window["j"]) == (expected.lower_index, expected.upper_index)
                seen += expected.cost > expected.unconstrained_cost + 1e-9
    assert seen > 50


def _honest_costs(comparison, costs):
    """Honest cost of the best rule of every model, and of the best rule without a model; a miss costs 1."""
    question = replace(comparison.problem, costs=costs)
    point = Scenario(costs, question.shares)
    models = [
        min(cost_at(one, point) for one in model_candidates(comparison.cases[name], name, model, question, 0))
        for name, model in comparison.judged.items()
    ]
    first = next(iter(comparison.cases.values()))
    return models, min(cost_at(one, point) for one in baseline_candidates(first, question))


def test_maps_against_python(answers):
    winners = set()
    for about, answer in answers["map"]:
        maps = answer["maps"]
        first = about["report"].models[0].surface.grid(SIDE)
        _close(answer["surface"], first.cost.T.ravel().tolist())
        _close(maps["abstention"], first.abstention_rate.T.ravel().tolist())
        for row in range(0, SIDE + 1, 3):
            for column in range(0, SIDE + 1, 2):
                costs = CostModel(cost_fn=1, cost_fp=column / SIDE, cost_abstain=row / SIDE)
                models, trivial = _honest_costs(about["report"].comparison, costs)
                at = row * (SIDE + 1) + column
                assert maps["cost"][at] == pytest.approx(models[0], abs=1e-9)
                assert maps["difference"][at] == pytest.approx(models[0] - models[1], abs=1e-9)
                winner = maps["winner"][at]
                winners.add(winner)
                assert (trivial if winner < 0 else models[winner]) == pytest.approx(min(trivial, *models))
                assert winner < 0 or models[winner] < trivial
    assert {-1, 0, 1} <= winners


# ---------------------------------------------------------------- words and files


@functools.cache
def _compared(at):
    """Comparison of Python for a page, asked with the labels of the file."""
    about, _ = _page_problems()[at]
    labels = np.where(about["y"], about["source"].positive, about["source"].negative)
    settings = {"costs": about["costs"], "prevalence": about["prevalence"], "sample_weight": about["weights"]}
    most = {} if about["most"] == 1 else {"max_abstention": about["most"]}
    positive = about["source"].positive
    return compare_models(labels, about["scores"], pos_label=positive, **settings, **most)


def _pages(answers):
    """Yield every page with the comparison of Python at its costs."""
    for at, (about, answer) in enumerate(answers["page"]):
        yield about, answer, _compared(at)


def _write_csv(folder, about):
    import csv

    source = about["source"]
    columns = {source.label: np.where(about["y"], source.positive, source.negative).tolist()}
    columns |= {name: column.tolist() for name, column in about["scores"].items()}
    if about["weights"] is not None:
        columns[source.weight] = about["weights"].tolist()
    with open(folder / source.name, "w", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def test_copied_python_gives_the_same_answer(answers, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for about, answer in answers["page"]:
        _write_csv(tmp_path, about)
        names = {}
        exec(answer["python"], names)
        made, facts = names["comparison"].answer, answer["facts"]
        assert made.words in capsys.readouterr().out
        expected = made.facts()
        for name in ("kind", "model", "lower", "upper"):
            assert facts[name] == expected[name]
        assert facts["cost"] == pytest.approx(expected["cost"], rel=1e-9)
        assert made.window is None or made.window.abstention_rate <= about["most"] + 1e-12


def _decided(about, answer, folder):
    """Exit status of the copied command for the file in the current folder."""
    _write_csv(folder, about)
    words = shlex.split(answer["command"])
    assert words[:2] == ["demur", "decide"]
    if about["source"].positive == "abstain":
        words += ["--abstain-label", "undecided"]
    with pytest.raises(SystemExit) as ended:
        main(words[1:])
    return ended.value.code


def _dropped_price(about, answer):
    """Whether the answer never abstains although a review has a price."""
    return answer["facts"]["kind"] == "threshold" and about["costs"].may_abstain


def test_copied_command_writes_the_same_window(answers, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written = 0
    for about, answer, _ in _pages(answers):
        if _dropped_price(about, answer):
            continue
        refused = answer["facts"]["model"] is None
        code = _decided(about, answer, tmp_path)
        assert code == (3 if refused else 0)
        if refused:
            continue
        policy = Policy.load("policy.json")
        assert policy.model == answer["model"]
        assert (policy.lower, policy.upper) == (answer["window"]["lower"], answer["window"]["upper"])
        _close(policy.prevalence, about["prevalence"] or policy.evidence.prevalence)
        written += 1
    assert written >= 2


def test_copied_command_writes_a_threshold_beside_the_price_of_a_review(answers, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pages = [page for page in answers["page"] if _dropped_price(*page)]
    assert pages
    assert [_decided(*page, tmp_path) for page in pages] == [0] * len(pages)


def test_downloaded_policy_is_that_of_the_answer(answers, tmp_path):
    path = tmp_path / "policy.json"
    compared = 0
    for about, answer, comparison in _pages(answers):
        made = comparison.answer
        if made.model is None:
            assert answer["why"].startswith("The answer is a rule without a model")
            continue
        assert answer["why"] is None
        path.write_text(answer["policy"], encoding="utf-8")
        policy = Policy.load(path)
        assert (policy.model, policy.lower, policy.upper) == (made.model, made.lower, made.upper)
        cost = made.cost if "verdict" in answer["facts"] else made.honest_cost
        honest = [cost, list(made.shares.values())[-1], made.missed, made.alarms]
        _close([policy.expected_cost, policy.abstention_rate, policy.fn, policy.fp], honest)
        if _dropped_price(about, answer):
            assert policy.at(prevalence=0.5).abstention_rate == 0
            continue
        saved, expected = policy.to_dict(), Policy.from_answer(made).to_dict()
        # the page measures its cost
        for one in (saved, expected):
            del one["promise"]["limit"], one["promise"]["cost"]
        _close(list(saved.pop("promise").values()), list(expected.pop("promise").values()))
        _close(saved.pop("shares"), expected.pop("shares"))
        _close(saved["evidence"].pop("class_sizes"), expected["evidence"].pop("class_sizes"))
        for one in (saved, expected):
            one["evidence"].pop("software")
            # labels of a file that are whole numbers are numbers again
            one["classes"] = [str(label) for label in one["classes"]]
            del one["abstain_label"]
        assert saved == expected
        compared += 1
    assert compared >= 1


def test_a_policy_under_a_limit_says_so(answers, tmp_path):
    path = tmp_path / "policy.json"
    limited = 0
    for about, answer in answers["page"]:
        if about["most"] == 1 or answer["why"] is not None:
            continue
        path.write_text(answer["policy"], encoding="utf-8")
        policy = Policy.load(path)
        limited += 1
        assert policy.chosen == "constrained"
        assert policy.note == f"Limits: at most {100 * about['most']:g} % of the cases sent to a person."
        assert answer["headline"].endswith(policy.note)
        with pytest.raises(UndefinedError):
            policy.at(prevalence=0.5)
    assert limited >= 1


def test_policy_labels_are_those_of_the_command(answers):
    found = [tuple(json.loads(answer["policy"])["labels"].values()) for _, answer in answers["page"]]
    assert found == [
        (1, 0, -1),
        (1, 0, -1),
        ("yes", "it's no", "abstain"),
        (-1, 1, 0),
        ("abstain", "go", "undecided"),
        (1, 0, -1),
    ]


def test_url_restores_the_state(answers):
    for about, answer in answers["page"]:
        assert answer["restored"] == about["state"]
        assert all(ord(letter) < 128 and letter not in ' #<>"' for letter in answer["fragment"])
    assert answers["page"][0][1]["fragment"] == ""


def test_headline_is_that_of_python(answers):
    for about, answer, comparison in _pages(answers):
        negative, positive = about["source"].class_names
        words = answer_words({**comparison.answer.facts(), "positive": positive, "negative": negative})
        assert answer["headline"] == " ".join(filter(None, [words, comparison.answer.condition]))


def test_odd_states_have_sentences(answers):
    for about, answer in answers["page"]:
        worse = [model.name for model in about["report"].models if model.auc < 0.5]
        assert sum("ranks worse than chance" in remark for remark in answer["remarks"]) == len(worse)
    said = [
        "Abstaining is never worth it at these prices." in answer["remarks"] for _, answer in answers["page"]
    ]
    # where abstaining has no price it is no option, and nothing needs to be said
    assert said == [False, False, False, False, False, True]


def test_numbers_read_like_python(answers):
    asked, found = answers["numbers"]
    values = asked["values"]
    assert found["general"] == [f"{value:g}" for value in values]
    assert found["percent"] == [percent(math.fmod(abs(value), 1)) for value in values]
    assert found["threshold"] == [threshold_text(value) for value in values]
    assert found["roundEven"] == [round(value) for value in values]
    steps = [money_step(0, abs(value) / 7, value) for value in values]
    assert found["money"] == [money(value, step) for value, step in zip(values, steps, strict=True)]
    assert found["short"] == [shortest_cut(*one) for one in asked["thresholds"]]
    assert found["shares"] == [shares_of_1000(shares) for shares in asked["shares"]]
