"""The page says the answer of Python at the costs of the report, at others it measures the cheapest rule."""

import functools
import re
from dataclasses import replace

import numpy as np
import pytest

from demur import Binormal, CostModel, Report, Reviewer, ScoreCounts
from demur._kernels.jit import COMPILE_JOB_FROM, whole_job
from demur.comparison import choice as choosing
from demur.comparison.candidates import baseline_candidates, model_candidates
from demur.comparison.case_table import CaseTable, check_columns
from demur.comparison.comparison import compared
from demur.comparison.estimates import rates_of
from demur.comparison.problem import DecisionProblem, Limits
from demur.comparison.words import answer_words, condition_words
from examples import examples
from measured import cheapest_measured, measured_cost, measured_difference, measured_facts, measured_words
from page_script import INF, ask, needs_node, numbers, page_costs, plain

pytestmark = needs_node

START = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)
# ten that are odd, and others of all sizes
POINTS = 10 + examples(30)


# ---------------------------------------------------------------- files


def _three(n, rng, *, digits=None):
    y, s = Binormal(separation=1.6).sample(n, rng=1)
    noisy = {"forest": s, "logistic": s + 0.6 * rng.normal(size=n), "rule": s + 1.2 * rng.normal(size=n)}
    if digits is not None:
        noisy = {name: np.round(column, digits) for name, column in noisy.items()}
    return y, noisy


def _files():
    """Yield (name, labels, scores, weights, prevalence of the report, prevalence on the page, limits)."""
    yield from ((*file, Limits()) for file in _free_files())
    rng = np.random.default_rng(8)
    y, scores = _three(250, rng)
    yield "a limit on reviews", y, scores, None, None, None, Limits(max_abstention=0.15)
    kept = Limits(max_abstention=0.3, min_precision_negative=0.9, max_fn_rate=0.2)
    yield "three limits", y, scores, None, None, 0.2, kept
    y, scores = _three(150, rng, digits=0)
    weights = rng.uniform(0.2, 3, len(y))
    yield "ties, weights and a limit", y, scores, weights, None, None, Limits(max_abstention=0.1)
    y, scores = _three(90, rng)
    yield "precise positives", y, {"rule": scores["rule"]}, None, 0.4, 0.4, Limits(min_precision_positive=0.7)


def _free_files():
    """Yield files without limits."""
    rng = np.random.default_rng(7)
    y, scores = _three(300, rng)
    yield "three models", y, scores, None, None, None
    yield "another prevalence on the page", y, scores, None, None, 0.1
    y, scores = _three(200, rng, digits=0)
    yield "ties, given prevalence", y, scores, None, 0.3, 0.3
    y, scores = _three(90, rng)
    yield "one model", y, {"forest": scores["forest"]}, None, None, None
    y, scores = _three(160, rng, digits=1)
    yield "importance weights", y, scores, rng.uniform(0.2, 3, len(y)), None, None
    y, scores = _three(120, rng)
    alike = {"score": scores["rule"], "odds": np.exp(scores["rule"])}
    yield "two models that rank alike", y, alike, None, None, 0.6


def _points(rng, prices=POINTS):
    """Costs of all sizes; some forbid abstaining, some make a rule without a model best."""
    errs = Reviewer(fee=5, sensitivity=0.95, specificity=0.9)
    gains = {"cost_tp": -30, "cost_tn": 2}
    costs = [
        START,
        CostModel(cost_fn=100, cost_fp=40, reviewer=errs),
        CostModel(cost_fn=100, cost_fp=40, cost_abstain_positive=6, cost_abstain_negative=14),
        CostModel(cost_fn=100, cost_fp=40, cost_abstain=12, **gains),
        CostModel(cost_fn=100, cost_fp=90, reviewer=errs, **gains),
        CostModel(cost_fn=10, cost_fp=9, cost_abstain_positive=4, cost_abstain_negative=0.5, cost_tp=1),
    ]
    costs += [CostModel(cost_fn=1, cost_fp=1, cost_abstain=0.2), CostModel(cost_fn=2, cost_fp=1)]
    costs += [
        CostModel(cost_fn=1, cost_fp=0, cost_abstain=0.5),
        CostModel(cost_fn=1, cost_fp=1, cost_abstain=0),
    ]
    while len(costs) < prices:
        fn = float(10.0 ** rng.uniform(-3, 4))
        mu = float(10.0 ** rng.uniform(-2.5, 0.6))
        nu = float(rng.uniform(0, 1.2) * mu / (1 + mu))
        costs.append(CostModel(cost_fn=fn, cost_fp=fn * mu, cost_abstain=fn * nu))
    return costs


def _unit(costs):
    """Return what the page counts in: a miss beyond a right answer."""
    return costs.cost_fn - costs.cost_tp


def _in_unit(costs, choice, page):
    """Return costs of the page in the unit of the costs."""
    cases = next(iter(choice.judged.values())).counts
    rate = cases.prevalence if choice.problem.rate is None else choice.problem.rate
    return np.asarray(costs.expected_cost(page, rate)).tolist()


def _question(costs, prevalence, limits):
    return DecisionProblem.checked(
        costs=costs, prevalence=prevalence, objective=None, limits=limits, confidence_level=0.95, seed=0
    )


def _choice_at(base, costs):
    """Return all candidates of a comparison at other costs, without judging the models again."""
    question = _question(costs, base.problem.rate, base.problem.limits)
    models = {
        name: model_candidates(base.cases[name], name, model, question, place)
        for place, (name, model) in enumerate(base.judged.items())
    }
    trivial = baseline_candidates(next(iter(base.cases.values())), question)
    return replace(base.choice, problem=question, baselines=trivial, candidates=models)


@functools.cache
def _asked():
    """Ask the page at all points of all files; give Python's choices with the answers."""
    rng = np.random.default_rng(11)
    questions, about = [], []
    for name, y, scores, weights, given, prevalence, limits in _files():
        report = Report.from_predictions(
            y, scores, sample_weight=weights, costs=START, prevalence=given, limits=limits
        )
        base = report.comparison
        if prevalence != given:
            question = _question(START, prevalence, limits)
            given = check_columns(y, scores, pos_label=None, sample_weight=weights)
            table = CaseTable.of_columns(given, question, weights="importance")
            base = compared(table, question)
        about.append((name, report, base))
        questions.append({"kind": "answer", "report": report.to_json(), "prevalence": prevalence})
    y, scores = _three(150, rng)
    counts = {name: ScoreCounts.from_arrays(y, column) for name, column in scores.items()}
    one = {"rule": counts["rule"]}
    for name, counted, limits in (("counts", counts, Limits()), ("limit", one, Limits(max_abstention=0.2))):
        report = Report.from_counts(counted, costs=START, limits=limits)
        question = _question(START, None, limits)
        base = compared(
            CaseTable.of_counts(counted, question), question, class_names=("negative", "positive")
        )
        about.append((f"{name} only", report, base))
        questions.append({"kind": "answer", "report": report.to_json(), "prevalence": None})
    # a search per fold in Python: some points are enough
    points = [_points(rng, 6 if base.problem.limits.given() else POINTS) for _, _, base in about]
    for question, costs in zip(questions, points, strict=True):
        question["points"] = [page_costs(one) for one in costs]
    return list(zip(about, points, ask(questions), strict=True))


@functools.cache
def _situations():
    """Every (file, costs, Python's choice, facts measured by Python, what the page says) but at the start."""
    situations = []
    # so many small searches are worth the compiler
    with whole_job(COMPILE_JOB_FROM):
        for (name, report, base), points, found in _asked():
            for costs, page in zip(points, found, strict=True):
                if costs is START and base.problem.rate == report.prevalence:
                    continue
                choice = _choice_at(base, costs)
                situations.append((name, report, costs, choice, measured_facts(choice), page))
    return situations


def _close(found, expected, unit=1.0):
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9 * unit)


def _same_facts(found, expected, unit):
    """Facts that are numbers to 1e-9, all others exactly."""
    for key, value in expected.items():
        if key == "versus":
            assert set(found[key]) == set(value)
            for rival, one in value.items():
                assert found[key][rival]["name"] == one["name"]
                _close(found[key][rival]["difference"], one["difference"], unit)
                _close(found[key][rival]["interval"], list(one["interval"]), unit)
        elif key == "best_trivial":
            assert found[key]["name"] == value["name"]
            _close(found[key]["cost"], value["cost"], unit)
        elif isinstance(value, (float, tuple)):
            _close(found[key], list(value) if isinstance(value, tuple) else value, unit)
        else:
            assert found[key] == value, key


# ---------------------------------------------------------------- the answer


def test_choice_costs_intervals_versus_and_guarantee_against_oracle():
    kinds = set()
    for _, _, costs, _, facts, page in _situations():
        _same_facts(page["facts"], facts, costs.cost_fn)
        kinds.add(facts["kind"])
    assert {"window", "threshold", "always positive", "always abstain"} <= kinds


def test_words_of_every_answer_against_oracle():
    guaranteed = unproven = 0
    for _, _, _, choice, facts, page in _situations():
        low, high = facts["interval"]
        if high - low < 1e-12 * facts["cost"]:
            # always abstaining costs its price for sure: only rounding separates these ends
            facts = {**facts, "interval": (facts["cost"], facts["cost"])}
        words = measured_words(facts)
        condition = condition_words(choice.problem.limits.given(), choice.problem.objective)
        assert page["words"] == " ".join(filter(None, [words, condition]))
        assert "Measured cost" in words
        assert not re.search("proven\\.|likely|the best of many|this way costs", words, re.IGNORECASE)
        guaranteed += "Guaranteed at most" in words
        unproven += "contain" in words
    assert guaranteed > 5
    assert unproven > 20


def test_the_answer_is_the_cheapest_rule_shown():
    for _, _, costs, choice, _, page in _situations():
        shown = [model[name]["cost"] for model in page["models"] for name in ("honest", "never")]
        trivial = page["facts"]["best_trivial"]["cost"]
        least = min(trivial, _in_unit(costs, choice, min(shown)))
        assert page["facts"]["cost"] <= least + 1e-9 * costs.cost_fn
        assert choice.problem.point is costs


def test_every_model_against_oracle():
    for _, _, costs, choice, _, page in _situations():
        for several, model in zip(choice.candidates.values(), page["models"], strict=True):
            threshold, rule = several[0], several[-1]
            for one, key in ((rule, "honest"), (threshold, "never")):
                expected = measured_cost(one, choice.problem)
                estimate = model[key]
                unit = costs.cost_fn
                _close(_in_unit(costs, choice, estimate["cost"]), expected.cost, unit)
                _close(_in_unit(costs, choice, estimate["interval"]), list(expected.interval), unit)
                _close(_in_unit(costs, choice, estimate["hindsight"]), expected.hindsight, unit)
            _close(model["abstained"], float(rates_of(rule.honest, choice.problem.rate)[:, 2].sum()))


def test_a_model_held_on_to_against_oracle():
    for name, report, costs, choice, _, page in _situations()[::4]:
        for model, facts in zip(choice.candidates, page["held"], strict=True):
            # as if this model had the only rules to choose from, beside all to compare with
            best = choosing._cheapest(choice.candidates[model], choice)
            assert facts["model"] == model, (name, report)
            _same_facts(facts, measured_facts(choice, best), costs.cost_fn)


def test_paired_difference_of_any_two_models_against_oracle():
    decided = seen = 0
    for _, report, costs, choice, _, page in _situations():
        names = list(choice.candidates)
        for pair, found in zip(report.pairs, page["pairs"], strict=True):
            first, second = (
                choosing._cheapest(choice.candidates[names[k]], choice) for k in (pair.first, pair.second)
            )
            difference, interval = measured_difference(first, second, choice.problem)
            _close(_unit(costs) * found["difference"], difference, costs.cost_fn)
            _close([_unit(costs) * end for end in found["interval"]], list(interval), costs.cost_fn)
            seen += 1
            decided += interval.low > 0 or interval.high < 0
    assert seen > 300
    assert 0 < decided < seen


def test_starting_costs_say_the_answer_of_the_report():
    verdicts = set()
    for (_, report, base), _, found in _asked():
        if base.problem.rate != report.prevalence:
            continue
        answer = report.comparison.answer
        assert found[0]["words"] == " ".join(filter(None, [answer.words, answer.condition]))
        facts = {name: plain(value) for name, value in answer.facts().items()}
        assert found[0]["facts"] == numbers(facts)
        verdicts.add(answer.verdict)
    assert len(verdicts) > 1


def test_an_answer_that_is_hardly_dearer_but_simpler_is_shown_as_python_says():
    rng = np.random.default_rng(1)
    y, s = Binormal(separation=1.6).sample(120, rng=1)
    scores = {name: s + noise * rng.normal(size=120) for name, noise in (("first", 1.0), ("second", 1.1))}
    costs = CostModel(cost_fn=100, cost_fp=40, cost_abstain=26)
    report = Report.from_predictions(y, scores, costs=costs)
    answer, cheapest = report.comparison.answer, cheapest_measured(report.comparison.choice)
    assert (answer.kind, cheapest.kind) == ("threshold", "window")
    question = {"kind": "answer", "report": report.to_json(), "prevalence": None}
    [[page]] = ask([{**question, "points": [page_costs(costs)]}])
    assert page["words"] == answer.words
    assert page["facts"]["upper"] == page["facts"]["lower"] == answer.upper


def test_joint_tables_too_large_for_a_page_leave_unpaired_intervals_away_from_the_start(monkeypatch):
    monkeypatch.setattr("demur.report.document._MOST_GROUPS", 10)
    y, scores = _three(150, np.random.default_rng(5))
    report = Report.from_predictions(y, scores, costs=START)
    assert all(pair["joint"] is None for pair in report.to_dict()["pairs"])
    elsewhere = CostModel(cost_fn=100, cost_fp=50, cost_abstain=12)
    points = [page_costs(costs) for costs in (START, elsewhere)]
    question = {"kind": "answer", "report": report.to_json(), "prevalence": None, "points": points}
    start, other = ask([question])[0]
    assert start["words"] == report.headline
    expected = measured_facts(_choice_at(report.comparison, elsewhere))
    rival = other["facts"]["versus"].pop("runner_up")
    paired = expected["versus"].pop("runner_up")
    _same_facts(other["facts"], expected, 100)
    _close(rival["difference"], paired["difference"], 100)
    assert rival["interval"][0] <= paired["interval"][0]
    assert paired["interval"][1] <= rival["interval"][1]


# ---------------------------------------------------------------- words


def _invented_facts(rng):
    """Return facts as no data give them, every branch of the words included."""
    kind = str(
        rng.choice(["window", "window", "threshold", "always positive", "always negative", "always abstain"])
    )
    trivial = kind.startswith("always")
    scale = float(10.0 ** rng.uniform(-4, 5))
    cost = float(rng.choice([0.0, scale * rng.random()]))
    low = cost - float(rng.choice([0.0, scale * rng.random()]))
    ends = np.round(10.0 ** rng.uniform(-8, 18) * rng.normal(size=2), int(rng.integers(0, 9)))
    lower, upper = np.sort(ends).tolist()
    if kind == "window" and lower == upper:  # one threshold is no window
        upper = float(np.nextafter(upper, INF))

    def versus(name):
        difference = scale * float(rng.normal())
        half = scale * float(rng.random())
        return {
            "name": name,
            "difference": difference,
            "interval": (difference - half, difference + 2 * half),
        }

    rules = ["always positive", "always negative", "always abstain"]
    rivals = {
        "trivial": versus(str(rng.choice(rules))),
        "never_abstaining": versus("m"),
        "runner_up": versus("another model whose name is far too long for any sentence"),
    }
    shares = rng.dirichlet([1.0, 1.0, 1.0]) if rng.random() < 0.8 else np.array([1.0, 0.0, 0.0])
    side = rng.random()
    return {
        "kind": kind,
        "model": None if trivial else str(rng.choice(["logistic", "ü" * 45, "$& {negative}"])),
        "positive": str(rng.choice(["positive", "malignant", "$1 {negative}"])),
        "negative": str(rng.choice(["negative", "benign"])),
        "lower": -INF if side < 0.1 else lower,
        "upper": INF if side > 0.9 else upper,
        "calls_positive": bool(side <= 0.9),
        "calls_negative": bool(side >= 0.1),
        "called_positive": float(shares[0]),
        "called_negative": float(shares[1]),
        "abstained": float(shares[2]),
        "missed": float(rng.choice([0.0, 1e-5, 0.001, 0.0014, rng.random()])),
        "alarms": float(rng.choice([0.0, 1e-5, 0.001, 0.0014, rng.random()])),
        "cost": cost,
        "interval": (low, cost + scale * float(rng.random())),
        "versus": {key: one for key, one in rivals.items() if rng.random() < 0.7},
        "worst_cost": scale if rng.random() < 0.3 else None,
        "regret": scale / 3 if rng.random() < 0.7 else None,
        "regret_bound": scale / 2,
        "advice_cost": scale * float(rng.random()) if rng.random() < 0.5 else None,
        "best_trivial": {"name": str(rng.choice(rules)), "cost": scale / 2} if rng.random() < 0.9 else None,
        "guaranteed_cost": scale * float(rng.random()) if rng.random() < 0.7 else None,
        "guarantee_defined": bool(rng.random() < 0.8),
        "n": float(rng.choice([5.0, 569.0, 222.5, 1234567.0, 1e6 * rng.random()])),
        "confidence_level": float(rng.choice([0.9, 0.95, 0.999])),
    }


def _made(facts, rng):
    """Add what only Python knows of a rule."""
    cost, (low, high) = facts["cost"], facts["interval"]
    return {
        **facts,
        "verdict": str(rng.choice(["proven", "likely", "unproven"])),
        "honest_cost": cost - float(rng.choice([0.0, 0.04, 0.2])) * (high - low),
        "cost_range": (low, cost) if rng.random() < 0.3 else None,
        "n_rules": int(rng.integers(2, 3000)),
        "n_unlabelled": 0,
        "one_added": bool(rng.integers(2)),
    }


def test_words_of_invented_facts_against_python():
    rng = np.random.default_rng(2)
    facts = [_made(_invented_facts(rng), rng) for _ in range(400)]
    found = ask([{"kind": "words", "facts": facts}])[0]
    expected = [answer_words(one) for one in facts]
    assert found == expected
    assert len(set(expected)) > 350


def test_words_of_invented_facts_of_the_page_against_oracle():
    rng = np.random.default_rng(3)
    facts = [{**_invented_facts(rng), "advice_cost": None} for _ in range(300)]
    expected = [measured_words(one) for one in facts]
    assert ask([{"kind": "words", "facts": facts}])[0] == expected
    assert len(set(expected)) > 250
