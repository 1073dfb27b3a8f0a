"""The page of many classes: the answer of Python at the costs of the report, at others what rules measure."""

import json
import re
import shlex

import numpy as np
import pytest

from demur import CostMatrix, CostModel, Policy, Report
from demur.cli.main import main
from demur.comparison import choice as choosing
from demur.comparison.estimates import cost_of, difference_interval
from demur.costs.class_costs import ClassCosts
from demur.exceptions import InputError
from demur.honest.estimates import class_shares
from demur.report import DataSource
from demur.report.class_page import class_choice_at, holds_rows
from examples import examples
from measured import cheapest_measured, measured_facts, measured_words
from page_reports import STAGE_COSTS, four_cases, many_classes, small_classes, three_classes
from page_script import WEB, ask, needs_node

pytestmark = needs_node
AXE = WEB / "node_modules" / "axe-core" / "axe.min.js"


def _points(report, rng, number=19):
    """Prices near and far from those the rules were chosen for, some without reviews."""
    point = report.comparison.problem.costs.mean
    m = len(point.answers)
    yield point.answers, point.abstain
    for k in range(number):
        costs = point.answers * 10 ** rng.uniform(-1, 1) * rng.uniform(0.3, 3, (m, m))
        if k % 3 == 0:
            costs = costs + rng.uniform(0, 0.3, m)[:, None] * np.eye(m)
        prices = None
        if point.abstain is not None and k % 4:
            prices = point.abstain * 10 ** rng.uniform(-1.5, 1.5) * rng.uniform(0.9, 1.1, m)
        yield costs, prices


@pytest.fixture(scope="module")
def answered():
    """Every file at its prices: (report, prices, what the page says)."""
    rng = np.random.default_rng(5)
    files = {name: (make(), None) for name, make in many_classes().items()}
    asked = {name: (report, list(_points(report, rng))) for name, (report, _) in files.items()}
    said = ask(
        [
            {
                "kind": "classes",
                "report": report.to_json(),
                "points": [{"costs": costs, "abstain": abstain} for costs, abstain in points],
            }
            for report, points in asked.values()
        ]
    )
    return {
        name: (report, points, answers)
        for (name, (report, points)), answers in zip(asked.items(), said, strict=True)
    }


def choice_at(report, costs, abstain):
    """Rules of the page at other prices."""
    asked = ClassCosts.of(costs, abstain, report.comparison.classes)
    return class_choice_at(report.levels, asked.mean, by_case=holds_rows(report.comparison.choice))


@pytest.mark.parametrize("name", many_classes())
def test_rules_costs_intervals_and_words_against_oracle(answered, name):
    report, points, said = answered[name]
    classes = report.comparison.classes
    kinds = set()
    for (costs, abstain), page in zip(points, said, strict=True):
        choice = choice_at(report, CostMatrix(values=costs, classes=classes), abstain)
        best = choice.best(choice.all)
        kinds.add(best.kind)
        assert page["kind"] == best.kind
        confusion = class_shares(best.honest, choice.problem.shares)
        estimate = cost_of(best, choice.problem)
        close = {
            "cost": estimate.cost,
            "hindsight": estimate.hindsight,
            "confusion": confusion,
            "confusionCost": confusion * choice.problem.centre.losses.table,
            "abstained": confusion[:, -1].sum(),
            "wrong": confusion[:, :-1].sum() - np.trace(confusion),
        }
        # weights of single cases are not in the sums of a page
        weighted = choice.first.weights == "importance"
        if weighted:
            assert page["interval"] == [None, None]
        else:
            close["interval"] = estimate.interval
        for part, value in close.items():
            np.testing.assert_allclose(page[part], value, rtol=1e-9, atol=1e-12, err_msg=part)
        versus = page["versus"].get("trivial")
        if best.model is not None and versus is not None:
            other = choosing._cheapest(choice.baselines, choice)
            difference, interval = difference_interval(best, other, choice.problem)
            assert versus["name"] == other.kind
            np.testing.assert_allclose(versus["difference"], difference, rtol=1e-9, atol=1e-12)
            if not weighted:
                np.testing.assert_allclose(versus["interval"], interval, rtol=1e-9, atol=1e-12)
            policy = Policy.from_dict(json.loads(page["policy"]))
            assert policy.chosen == best.kind
            np.testing.assert_allclose(policy.rule.weights, best.rule.weights, rtol=1e-12)
            assert policy.expected_cost == pytest.approx(estimate.cost, rel=1e-9)
            assert policy.classes == tuple(classes)
        said, expected = " ".join(page["words"]), measured_words(measured_facts(choice))
        if weighted:
            said, expected = (text.partition("Measured cost")[0] for text in (said, expected))
        assert said == expected
    assert len(kinds) > 1


def test_a_policy_of_the_page_is_that_of_the_answer_at_the_same_costs(answered):
    compared = 0
    for report, points, said in answered.values():
        for (costs, abstain), page in zip(points, said, strict=True):
            matrix = CostMatrix(values=costs, classes=report.comparison.classes)
            answer = report.answer_at(matrix, abstain_cost=abstain)
            # Python prefers a simpler rule that is hardly dearer
            if answer.model is None or page["kind"] != answer.kind:
                continue
            policy, made = Policy.from_dict(json.loads(page["policy"])), Policy.from_answer(answer)
            assert policy.expected_cost == pytest.approx(answer.honest_cost, rel=1e-9)
            assert policy.abstention_rate == pytest.approx(made.abstention_rate, rel=1e-9)
            assert policy.evidence.to_dict() == made.evidence.to_dict()
            assert (policy.chosen, policy.abstain_label) == (made.chosen, made.abstain_label)
            compared += 1
    assert compared > 10


def test_at_its_own_costs_the_page_measures_the_honest_cost_of_the_answer(answered):
    for name, (report, points, said) in answered.items():
        if report.comparison.problem.ranged:
            continue
        (costs, abstain), answer = points[0], report.comparison.answer
        matrix = CostMatrix(values=costs, classes=report.comparison.classes)
        assert report.answer_at(matrix, abstain_cost=abstain).kind == answer.kind, name
        if said[0]["kind"] == answer.kind:
            assert said[0]["cost"] == pytest.approx(answer.honest_cost, rel=1e-12)


@pytest.mark.parametrize("name", many_classes())
def test_copied_commands_and_code_say_what_python_says(name, answered, tmp_path, monkeypatch, capsys):
    """At the costs of the report the words of the page; elsewhere those of weights chosen for the costs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("demur.honest.splits._MOST_REPEATS", 2)
    report, points, said = answered[name]
    choice, classes = report.comparison.choice, report.comparison.classes
    y = np.array(classes)[choice.first.codes]
    arrays = [model.scores for model in choice.judged.values()]
    weights = None
    if choice.first.weights == "importance":
        y, proba, weights, _ = four_cases()
        arrays = [proba]
    columns = {"label": y.astype(str)}
    for model, scores in zip(choice.judged, arrays, strict=True):
        columns |= {f"{model}_{kind}": scores[:, k].astype(str) for k, kind in enumerate(classes)}
    lines = [",".join(columns), *(",".join(row) for row in zip(*columns.values(), strict=True))]
    (tmp_path / "cases.csv").write_text("\n".join(lines), encoding="utf-8")
    commands = 0
    for at, page in enumerate(said[: examples(20) if examples(40) >= 40 else 3]):
        names = {"y_true": y, "arrays": arrays, "sample_weight": weights}
        exec(page["python"].replace("print", "str"), names)
        answer = names["answer"]
        if at == 0:
            assert answer.words == report.headline
        else:
            costs, abstain = points[at]
            asked = ClassCosts.of(CostMatrix(values=costs, classes=classes), abstain, classes).mean
            np.testing.assert_allclose(answer.costs.values, asked.answers)
        if page["command"].startswith("#"):
            assert report.comparison.problem.shares is not None
            continue
        rows = [page["sheet"]["columns"], *page["sheet"]["rows"]]
        sheet = "\n".join(",".join(map(str, row)) for row in rows)
        (tmp_path / "costs.csv").write_text(sheet, encoding="utf-8")
        words = shlex.split(page["command"])
        file = words.index("FILE" if "FILE" in words else "stages.csv")
        words[file] = "cases.csv"
        for k, word in enumerate(words):
            if word == "--model":
                model = words[k + 1].partition("=")[0]
                words[k + 1] = f"{model}={','.join(f'{model}_{kind}' for kind in classes)}"
        words = [word.replace("stage", "label") if word == "stage" else word for word in words]
        if "--label" not in words:
            words += ["--label", "label"]
        with pytest.raises(SystemExit) as stop:
            main([*words[1:], "-o", f"page{at}.html"])
        shown = capsys.readouterr()
        assert stop.value.code in (0, 3), shown.err
        assert answer.words in " ".join(shown.out.split())
        commands += 1
    assert commands > 0 or report.comparison.problem.shares is not None


def test_a_level_is_the_comparison_at_its_price(monkeypatch):
    """The rules of a level are those `compare_models` chooses for that price of a review."""
    from demur import compare_models

    monkeypatch.setattr("demur.honest.splits._MOST_REPEATS", 2)
    report = small_classes()
    level = report.levels[3]
    assert level.factor == 2
    answer = report.answer_at(report.comparison.answer.costs, abstain_cost=level.prices.abstain)
    choice = report.comparison.choice
    direct = compare_models(
        np.array(choice.classes, dtype=object)[choice.first.codes],
        {name: model.scores for name, model in choice.judged.items()},
        classes=choice.classes,
        costs=report.comparison.answer.costs,
        abstain_cost=level.prices.abstain,
    ).answer
    assert (answer.kind, answer.model) == (direct.kind, direct.model)
    assert answer.honest_cost == direct.honest_cost


def test_what_has_no_meaning_is_refused():
    report = many_classes()["no reviews, a range"]()
    costs = report.comparison.answer.costs
    with pytest.raises(InputError, match="answer every case"):
        report.answer_at(costs, abstain_cost=1)
    ranged = {0: {1: (1, 2), 2: 1}, 1: {0: 1, 2: 1}, 2: {0: 1, 1: 1}}
    with pytest.raises(InputError, match="must be numbers"):
        report.answer_at(ranged)
    with pytest.raises(InputError, match="`pos_label` is for scores of two classes"):
        Report.from_predictions([0, 1], np.eye(2), classes=[0, 1], costs=np.eye(2), pos_label=1)
    with pytest.raises(InputError, match="is for classes"):
        Report.from_predictions([0, 1], {"a": [0.1, 0.9]}, abstain_cost=1)


def test_two_classes_have_the_page_of_two_classes():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 40)
    p = np.round(1 / (1 + np.exp(-rng.normal(2 * y - 1, 1))), 3)
    costs = {"well": {"ill": 4}, "ill": {"well": 10}}
    labels = np.array(["well", "ill"])[y]
    report = Report.from_predictions(
        labels, {"risk": np.column_stack([1 - p, p])}, classes=["well", "ill"], costs=costs, abstain_cost=1
    )
    same = Report.from_predictions(
        labels,
        {"risk": p},
        costs=CostModel(cost_fn=10, cost_fp=4, cost_abstain=1),
        pos_label="ill",
        source=DataSource(rows=40, positive="ill", negative="well"),
    )
    one, other = report.to_dict(), same.to_dict()
    assert {**one, "made": ""} == {**other, "made": ""}


# ---------------------------------------------------------------- in a browser


@pytest.fixture(scope="module")
def at_edited():
    """What the rules measure where a late stage called healthy costs 60 and a review 1."""
    costs = {**STAGE_COSTS, "late": {"healthy": 60, "early": 5}}
    return choice_at(three_classes(), costs, 1)


def test_a_reader_edits_the_costs(open_page, at_edited, tmp_path):
    report, page = three_classes(), open_page("three_classes")
    assert page.headline == report.headline
    page.fill("cost-2-0", "60")
    page.fill("cost-abstain", "1")
    assert page.headline == measured_words(measured_facts(at_edited))
    assert "it is the one for your costs" in page.text("remarks")
    assert page.fragment == {"costs": "0,1,2,4,0,1,60,5,0", "review": "1,1,1"}
    # the confusion in counts and money
    row = page.open_tab("confusion").locator("tbody tr").nth(2).locator("td").first
    best = cheapest_measured(at_edited)
    assert row.locator(".tally").text_content() == f"{best.honest[2, 0]:.1f}".removesuffix(".0")
    # a wrong value gets a sentence and changes nothing, Escape takes it back
    page.role("cost-0-1").fill("-3")
    assert "not negative" in page.text("problem")
    page.press("Escape")
    assert page.role("cost-0-1").input_value() == "1"
    assert page.text("problem") == ""
    # the policy of the rule on show decides like the answer
    data, name = page.downloaded(lambda: page.click("save-policy"))
    (tmp_path / name).write_bytes(data)
    proba = report.comparison.judged[best.model].scores
    np.testing.assert_array_equal(Policy.load(tmp_path / name).decide(proba), best.rule.decide(proba))
    # costs as a file that the command line reads
    data, name = page.downloaded(lambda: page.click("save-costs"))
    assert name == "costs.csv"
    assert data.decode().splitlines()[3] == "late,60,5,0,1"
    # another rule, by keyboard
    page.open_tab("rules")
    page.role("rule-0:argmax").focus()
    page.press("Space")
    assert "highest probability" in page.text("decision")
    assert page.fragment["rule"] == "0:argmax"
    page.click("let-go")
    page.role("reviews").uncheck()
    page.settle()
    costs = {**STAGE_COSTS, "late": {"healthy": 60, "early": 5}}
    without = choice_at(report, costs, None)
    assert measured_words(measured_facts(without)).startswith(page.text("decision"))
    decided = page.text("decision")
    page.page.wait_for_timeout(350)
    page.click("start-again")
    assert page.headline == report.headline
    # one page for both kinds: undo, the year, the unit
    page.page.wait_for_timeout(350)
    page.press("Control+z")
    assert page.text("decision") == decided
    page.press("Control+Shift+Z")
    assert page.headline == report.headline
    page.fill("yearly", 20000)
    page.fill("name-unit", "EUR")
    assert re.match(r"Per year, with 20,000 cases: [\d,]+ EUR \([\d,]+ to [\d,]+\)\.", page.text("year"))
    assert {"yearly", "unit"} <= set(page.fragment)
    assert page.role("spread").is_visible()


def test_it_is_accessible_fits_and_is_small(open_page, page_file):
    page = open_page("three_classes", "#costs=0,1,2,4,0,1,40,5,0&review=2,2,2")
    assert page.role("cost-2-0").input_value() == "40"
    assert "the probabilities and classes of 89 cases, no names" in page.text("embedded")
    page.page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
    page.page.evaluate(AXE.read_text(encoding="utf-8"))
    tabs = page.page.get_by_role("tab").all()
    assert len(tabs) == 6
    for k, theme in enumerate(["light", *["dark"] * len(tabs)]):
        page.choose(f"theme-{theme}")
        if k:
            tabs[k - 1].click()
            page.settle()
        rules = (
            "{}"
            if k == 0
            else "{runOnly: ['color-contrast', 'empty-table-header', 'scrollable-region-focusable']}"
        )
        found = page.page.evaluate(
            f"axe.run({rules}).then(({{violations, passes}}) => [passes.length, violations.map("
            "({id, nodes}) => `${id}: ${nodes.map(node => node.target).join(' ')}`)])"
        )
        assert found[1] == []
        assert found[0] > (20 if theme == "light" else 0)
    for width in (360, 1280):
        page.page.set_viewport_size({"width": width, "height": 900})
        page.settle()
        assert page.overflow == 0
    assert page_file("three_classes").stat().st_size < 285_000
