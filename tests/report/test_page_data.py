"""Pages of odd data: hostile names, few cases, ties, one class, many models, one model."""

from dataclasses import replace

import numpy as np
import pytest

import page_reports
from browser import CHARTS, PANELS
from demur import CostModel
from page_reports import LONG, SCRIPT

TOO_FEW = (
    "Judged on cases that did not choose it, the window costs more than the rule without a model: "
    "collect more cases before you rely on it."
)
ODD = {
    "one_model": "Only one model: nothing to compare.",
    "twelve_models": None,
    "five_rows": "Honest costs use 2 folds: the smaller class has only 2 cases.",
    "all_ties": None,
    "auc_zero": "upside down ranks worse than chance (AUC 0.000); flip its scores?",
    "one_class": "Honest costs are left out: they need at least two cases of each class, "
    "got 30 positive and 0 negative.",
    "infinite_scores": None,
    "no_costs": None,
    "hostile_names": None,
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
        assert page.panel(panel).is_visible()
    assert page.panel("models").locator("tbody tr").count() == len(report.models)
    assert "NaN" not in page.page.locator("main").inner_html(), "no mark stands nowhere"
    page.drag((0.3, 0.1))
    page.choose("map-colour-lower")
    assert page.costs[1:] == pytest.approx((30, 10), abs=0.4) or name == "no_costs"
    assert page.overflow <= 0


def test_too_few_cases_are_said_in_both_languages(open_page):
    page = open_page("five_rows")
    assert page_reports.named("five_rows").headline.endswith(TOO_FEW)
    assert page.headline.endswith(TOO_FEW)
    assert TOO_FEW not in page_reports.named("ordinary").headline
    report = page_reports.named("five_rows")
    for review in (30, 5, 1):
        page.fill("cost-abstain", review)
        dear = replace(report, costs=CostModel(cost_fn=100, cost_fp=40, cost_abstain=review))
        assert page.headline == dear.headline


def test_names_are_text_never_markup(open_page):
    page = open_page("hostile_names")
    assert page.page.locator("script").count() == 2
    assert page.page.locator("body img, body b, body i").count() == 0
    assert page.panel("models").locator("tbody th").first.text_content().strip() == SCRIPT
    assert page.page.title() == f"demur: {SCRIPT}.csv"
    # whole in the data, cut for the eye
    assert (
        page.page.evaluate("JSON.parse(document.getElementById('demur-data').textContent).models[1].name")
        == LONG
    )
    assert len(page.page.locator("body").inner_text()) < 15_000
    assert page.panel("confusion").locator("thead th").nth(1).text_content() == "said <b>fraud</b>"
    page.role("copy-python").click()
    for name in CHARTS:
        text, _ = page.downloaded(page.panel(name).locator('[data-role="save-svg"]').click)
        assert b"<script" not in text
        assert b"<img" not in text


def test_twelve_models_can_all_be_chosen_and_told_apart(open_page):
    page = open_page("twelve_models")
    page.choose("map-colour-winner")
    looks = page.page.evaluate(
        "[...document.querySelectorAll('#model-picker svg *')].map(line => "
        "[getComputedStyle(line).stroke, line.getAttribute('stroke-dasharray')].join())"
    )
    assert len(set(looks)) == 12
    page.choose("model-11")
    assert "use model 11" in page.headline
    page.role("compare-b").select_option("11")
    page.settle()
    assert "model 11" in page.text("compare-here")


def test_one_model_has_nothing_to_compare(open_page):
    page = open_page("one_model")
    assert page.panel("compare").get_by_text("Only one model: nothing to compare.").is_visible()
    assert page.role("map-colour-winner").is_disabled()
    assert page.role("map-colour-difference").is_disabled()


def test_fractional_weights_leave_no_certificate(open_page):
    page = open_page("weighted")
    report = page_reports.named("weighted")
    assert not any(model.certificate for model in report.models)
    assert "certified" not in page.headline
    assert page.headline == report.headline


def test_a_damaged_page_says_so(chromium, page_file, tmp_path):
    text = page_file("one_model").read_text()
    for k, (old, new, sentence) in enumerate(
        [
            (
                '"version":1',
                '"version":99',
                "The data must be of version 1, got 99. Hint: make the report again.",
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
    assert page.headline.startswith("If a miss costs 1, a false alarm 1 and a review 0.2, use")
    page.fill("cost-fp", 0.5)
    assert page.headline.startswith("With these costs, use")
    assert np.isclose(page.costs[1], 0.5)
