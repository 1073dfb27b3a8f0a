"""Pages of odd data: hostile names, few cases, ties, one class, many models, one model."""

import numpy as np
import pytest

import page_reports
from browser import CHARTS, PANELS, shown
from demur import CostModel, CostRange, compare_models
from page_reports import LONG, SCRIPT

ROLES = ("decision", "cost-sentence")
ODD = {
    "one_model": "Only one model: nothing to compare.",
    "twelve_models": None,
    "five_rows": "Honest costs use 2 folds: the smaller class has no more cases.",
    "all_ties": None,
    "auc_zero": "upside down ranks worse than chance (AUC 0.000); flip its scores?",
    "one_class": "Honest costs are left out: A comparison needs cases of both classes, got no negative case. "
    "Hint: check y_true and pos_label.",
    "infinite_scores": None,
    "no_costs": None,
    "hostile_names": None,
    "clustered": "240 cases in 60 clusters: intervals count clusters; a guarantee needs independent cases.",
    "timed": None,
}


@pytest.mark.parametrize("name", ODD)
def test_odd_data_say_the_same_as_python(open_page, name):
    report = page_reports.named(name)
    page = open_page(name)
    assert page.headline == report.headline
    remarks = page.role("remarks").locator("li").all_text_contents()
    assert set(report.notes) <= set(remarks)
    assert ODD[name] is None or ODD[name] in remarks
    for panel in PANELS:
        assert page.open_tab(panel).is_visible()
    assert page.panel("models").locator("tbody tr").count() == len(report.models)
    assert "NaN" not in page.page.locator("main").inner_html(), "no mark stands nowhere"
    page.drag((0.3, 0.1))
    page.choose("map-colour-abstention")
    assert page.costs[1:] == pytest.approx((30, 10), rel=0.025) or name == "no_costs"
    assert page.overflow <= 0


def test_few_cases_follow_other_costs_as_in_python(open_page):
    page = open_page("five_rows")
    y, scores = page_reports.five()
    for review in (30, 5, 1):
        page.fill("cost-abstain", review)
        costs = CostModel(cost_fn=100, cost_fp=40, cost_abstain=review)
        assert page.headline == compare_models(y, scores, costs=costs).answer.words


def test_too_few_cases_to_judge_have_a_sentence(open_page):
    page = open_page("four_rows")
    assert page.headline == page_reports.named("four_rows").headline
    assert page.headline.startswith("1 positive and 3 negative cases are too few to judge any rule")
    assert page.open_tab("models").locator("tbody td").nth(3).text_content() == "–", "no honest cost"
    assert "with hindsight" in page.panel("map").text_content()


def test_names_are_text_never_markup(open_page):
    page = open_page("hostile_names")
    assert page.page.locator("script").count() == 2
    assert page.page.locator("body img, body b, body i").count() == 0
    assert page.open_tab("models").locator("tbody th").first.text_content().strip() == SCRIPT
    assert page.page.title() == f"demur: {SCRIPT}.csv"
    # whole in the data, cut for the eye
    assert (
        page.page.evaluate("JSON.parse(document.getElementById('demur-data').textContent).models[1].name")
        == LONG
    )
    assert len(page.page.locator("body").inner_text()) < 15_000
    assert page.panel("confusion").locator("thead th").nth(1).text_content() == "called <b>fraud</b>"
    page.click("copy-python")
    for name in CHARTS:
        page.open_tab(name)
        text, _ = page.save(name, "svg")
        assert b"<script" not in text
        assert b"<img" not in text


def test_what_flags_cannot_say_is_said_instead_of_copied(open_page):
    page = open_page("_four_classes")
    page.click("copy-command")
    said = "No flag says the shares of the classes in use: copy the Python code instead."
    assert page.text("said") == said


def test_twelve_models_can_all_be_chosen_and_told_apart(open_page):
    page = open_page("twelve_models")
    page.choose("map-colour-winner")
    page.open_tab("models")
    looks = page.page.evaluate(
        "[...document.querySelectorAll('[data-panel=models] .swatch line')].map(line => "
        "[getComputedStyle(line).stroke, line.getAttribute('stroke-dasharray')].join())"
    )
    assert len(set(looks)) == 12
    page.select("model", 12)
    assert "Use model 11: call" in page.headline or "The best candidate is model 11: call" in page.headline
    page.select("compare-b", 11)
    assert "model 11" in page.text("compare-here")


def test_one_model_has_nothing_to_compare(open_page):
    page = open_page("one_model")
    assert "Only one model: nothing to compare." in page.text("remarks")
    assert page.panel("compare").count() == 0
    assert page.role("map-colour-winner").is_disabled()
    assert page.role("map-colour-difference").is_disabled()


@pytest.mark.parametrize(("name", "counts"), [("one_model", True), ("large", False), ("clustered", False)])
def test_the_footer_names_the_way_to_a_page_of_counts(open_page, name, counts):
    footer = open_page(name).page.locator("footer")
    assert footer.locator("p").first.text_content().startswith("This page contains ")
    assert ("demur report --private 10" in footer.text_content()) == counts


def test_importance_weights_leave_no_guarantee(open_page):
    page = open_page("weighted")
    report = page_reports.named("weighted")
    assert report.to_dict()["bounds"] is None
    assert "uarantee" not in page.headline
    assert page.headline == report.headline


def test_a_report_made_under_a_limit_starts_with_it(open_page):
    page = open_page("limited")
    report = page_reports.named("limited")
    answer = report.comparison.answer
    assert page.headline == f"{report.headline} {answer.condition}"
    assert page.reveal("reviews-per-day").input_value() == "100"
    assert page.role("cases-per-day").input_value() == "1000"
    assert page.window == (shown(answer.lower), shown(answer.upper))
    page.fill("reviews-per-day", "")
    assert "Limits:" not in page.headline


def test_an_unproven_rule_is_a_candidate(open_page):
    page = open_page("unproven")
    answer = page_reports.named("unproven").comparison.answer
    assert answer.verdict == "unproven"
    assert page.text("decision") == answer.to_dict()["decision"]
    assert page.headline == answer.words
    assert page.role("cost-bars").locator("li .name").first.text_content() == "best candidate"
    assert page.text("sticky").startswith(
        "Unproven. Send every case to a person for now; best candidate forest "
    )
    page.fill("cost-fp", 41)
    y, scores = page_reports.unproven_cases()
    costs = CostModel(cost_fn=100, cost_fp=41, cost_abstain=12)
    assert page.headline == compare_models(y, scores, costs=costs).answer.words
    assert page.headline.startswith("Unproven. Send every case to a person for now")
    assert page.role("cost-bars").get_attribute("aria-label").startswith("Cost per 1000 cases")
    page.click("start-again")
    assert page.headline == answer.words


def test_ranges_of_the_report_are_those_the_page_starts_with(open_page):
    page = open_page("ranged")
    report = page_reports.named("ranged")
    answer = report.comparison.answer
    assert page.headline == f"{report.headline} {answer.condition}"
    assert page.window == (shown(answer.lower), shown(answer.upper))
    assert page.costs == (100, 40, 12)
    page.fill("cost-fp", 41)
    y, scores = page_reports.three(300)
    ranges = CostRange(cost_fn=(80, 120), cost_fp=41, cost_abstain=(10, 14))
    answer = compare_models(y, scores, costs=ranges).answer
    assert page.headline == f"{answer.words} {answer.condition}"
    page.click("explore")
    costs = CostModel(cost_fn=100, cost_fp=41, cost_abstain=12)
    assert page.headline == compare_models(y, scores, costs=costs).answer.words
    assert page.text("explore") == "Back to the ranges"
    page.click("explore")
    assert page.headline == f"{answer.words} {answer.condition}", "around the prices that stand now"
    page.click("start-again")
    assert page.headline == f"{report.headline} {report.comparison.answer.condition}"


def test_a_limit_from_elsewhere_is_named_beside_the_answer_that_keeps_it(chromium, page_file, tmp_path):
    text = page_file("limited").read_text(encoding="utf-8")
    made = tmp_path / "limit.html"
    made.write_text(text.replace('"limits":{', '"limits":{"max_invented":0.25,', 1), encoding="utf-8")
    page = chromium.new_page()
    page.goto(made.as_uri())
    remarks = " ".join(page.locator('[data-role="remarks"] li').all_text_contents())
    headline = " ".join(page.locator(f'[data-role="{name}"]').inner_text() for name in ROLES)
    page.close()
    assert (
        "This page cannot keep the limit max_invented (0.25): at other costs its rules are chosen without it."
        in remarks
    )
    report = page_reports.named("limited")
    assert headline == f"{report.headline} {report.comparison.answer.condition}"


def test_a_damaged_page_says_so(chromium, page_file, tmp_path):
    text = page_file("one_model").read_text()
    for k, (old, new, sentence) in enumerate(
        [
            (
                '"version":5',
                '"version":1',
                "The data must be of version 5, got 1. Hint: make the report again.",
            ),
            (
                '{"schema"',
                '{{"schema"',
                "The data of this page are damaged: they are no JSON. Hint: make the report again.",
            ),
        ]
    ):
        file = tmp_path / f"damaged{k}.html"
        file.write_text(text.replace(old, new, 1))
        page = chromium.new_page()
        page.goto(file.as_uri())
        assert page.locator("#demur-app").inner_text() == sentence
        page.close()


def test_costs_of_nobody_are_named_in_the_headline(open_page):
    page = open_page("no_costs")
    assert page.headline.startswith("If a miss costs 1, a false alarm 1 and a review 0.2: proven. Use")
    page.fill("cost-fp", 0.5)
    assert page.headline.startswith("Proven. Use ")
    assert np.isclose(page.costs[1], 0.5)
