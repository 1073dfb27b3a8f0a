"""The controls of the page: what the reader sets, and what follows, against Python."""

import functools
import re

import numpy as np
import pytest

import page_reports
from browser import shown
from demur import CostModel, CostRange, Reviewer, compare_models
from demur.comparison import choice as choosing
from demur.comparison.estimates import cost_of, difference_interval
from demur.comparison.numbers import money, money_step
from demur.comparison.words import answer_words
from demur.costs.case_costs import CaseFactors


@functools.cache
def at_costs(fn, fp, abstain, **limits):
    """Compare the models of the ordinary report at other costs."""
    y, scores = page_reports.three(600)
    costs = CostModel(cost_fn=fn, cost_fp=fp, cost_abstain=abstain)
    return compare_models(y, scores, costs=costs, **limits)


def words_at(comparison):
    """What the page says of it."""
    answer = comparison.answer
    return " ".join(filter(None, [answer.words, answer.condition]))


def shown_rule(comparison):
    """The rule the charts show: that of the answer, or of the best model."""
    choice, answer = comparison.choice, comparison.answer
    own = choice.candidates.get(answer.model)
    if own is None:
        return choosing._cheapest([one for rules in choice.candidates.values() for one in rules], choice)
    return next(one for one in own if one.kind == answer.kind)


def assert_agrees(opened):
    """All that the page shows at its costs is what Python finds for them."""
    opened.open_tab("confusion")
    comparison = at_costs(*opened.costs)
    rule = shown_rule(comparison)
    assert opened.headline == words_at(comparison)
    if rule.window.abstention_rate < 1:
        assert opened.window == (shown(rule.window.lower), shown(rule.window.upper))
    cells = opened.page.locator("table.confusion tbody td .tally").all_text_contents()
    # said positive, abstained, said negative: of the positives, of the negatives, of all
    rows = [[*row, row.sum()] for row in rule.honest[::-1, [1, 2, 0]]]
    expected = np.array([*rows, np.sum(rows, axis=0)]).ravel()
    assert [float(cell.replace(",", "")) for cell in cells] == pytest.approx(expected, abs=0.051)


def test_reviewer_classes_and_right_answers_in_the_fields_against_python(open_page):
    page = open_page()
    y, scores = page_reports.three(600)
    page.choose("review-kind-reviewer")
    fields = {"cost-abstain": 4, "reviewer-sensitivity": 95, "reviewer-specificity": 90}
    for role, value in fields.items():
        page.fill(role, value)
    errs = Reviewer(fee=4, sensitivity=0.95, specificity=0.9)
    fn, fp, _ = page.costs
    costs = CostModel(cost_fn=fn, cost_fp=fp, reviewer=errs)
    assert page.headline == words_at(compare_models(y, scores, costs=costs))
    page.choose("review-kind-classes")
    # the same costs, by class
    assert page.headline == words_at(compare_models(y, scores, costs=costs))
    page.fill("cost-abstain-negative", 2)
    page.fill("cost-tp", -20)
    positive, _ = errs.class_costs(cost_fn=fn, cost_fp=fp)
    by_class = {"cost_abstain_positive": positive, "cost_abstain_negative": 2}
    costs = CostModel(cost_fn=fn, cost_fp=fp, cost_tp=-20, **by_class)
    assert page.headline == words_at(compare_models(y, scores, costs=costs))


def test_factors_on_amounts_in_the_fields_against_python(open_page):
    page = open_page("amounts")
    report = page_reports.named("amounts")
    assert page.headline == report.headline
    positive = np.asarray(page_reports.three(120)[0]) == 1
    mean = report.costs.cost_fn[positive].mean()
    said = f"a miss amount (mean {mean:.4g} over {positive.sum()} positive cases"
    assert said in page.text("amounts"), "only positives can be missed"
    assert "the scores, costs and classes of 120 cases, no names" in page.text("embedded")
    page.fill("cost-fp", 2)
    page.fill("cost-abstain", 0.5)
    y, scores = page_reports.three(120)
    costs = report.costs.at(CaseFactors(1.0, 2.0, 0.5))
    comparison = compare_models(y, {name: scores[name] for name in ("forest", "rule")}, costs=costs)
    assert page.headline == words_at(comparison)
    for colour in ("abstention", "winner", "difference"):
        page.choose(f"map-colour-{colour}")
    page.open_tab("cost-curve")
    assert "amounts have no normal form" in page.panel("cost-curve").text_content()


def test_drag_moves_window_headline_markers_and_prices_together_against_python(open_page):
    page = open_page()
    assert_agrees(page)
    seen = set()
    for mu, nu in [(0.5, 0.2), (0.9, 0.05), (0.123, 0.06), (0.7, 0.5)]:
        before = page.handle
        page.drag((mu, nu))
        assert page.handle != before
        fn, fp, abstain = page.costs
        assert fn == 100
        # the map is a few hundred pixels wide: the point stands where the hand let it go
        assert (fp / 100, abstain / 100) == pytest.approx((mu, nu), rel=0.015)
        assert_agrees(page)
        page.open_tab("scores")
        width, height = (
            float(page.page.locator("#chart-map .catch").first.get_attribute(name))
            for name in ("width", "height")
        )
        across, up = page.shares(fp / 100, abstain / 100)
        assert page.handle == pytest.approx((across * width, (1 - up) * height))
        lines = page.panel("scores").locator("line.here-line")
        seen.add((*page.window, *(lines.nth(k).get_attribute("x1") for k in range(2))))
    assert len(seen) == 4


def test_a_drag_passes_through_the_places_between_and_a_click_jumps(open_page):
    page = open_page()
    page.drag((0.8, 0.3), (0.2, 0.1), steps=15)
    assert len(page.measures("demur-drag")) >= 10
    assert_agrees(page)
    page.page.mouse.click(*page.place(0.25, 0.15))
    page.settle()
    assert page.costs[1:] == pytest.approx((25, 15), rel=0.015)
    assert_agrees(page)


def test_arrow_keys_move_the_point_and_shift_takes_large_steps(open_page):
    page = open_page()
    page.role("cost-point").focus()
    # hundredths and tenths of three powers of ten
    for keys, place, power in [
        ("ArrowRight", 1, 0.03),
        ("ArrowUp", 2, 0.03),
        ("Shift+ArrowUp", 2, 0.3),
        ("Shift+ArrowLeft", 1, -0.3),
        ("ArrowDown", 2, -0.03),
        ("ArrowLeft", 1, -0.03),
    ]:
        expected = list(page.costs)
        expected[place] = float(f"{expected[place] * 10**power:.3g}")
        page.press(keys)
        assert page.costs == tuple(expected)
        assert_agrees(page)
    before = page.costs
    page.reveal("name-positive").focus()
    page.press("ArrowRight")
    assert page.costs == before, "arrows in a field are for its text"


def test_sliders_and_number_fields_set_the_prices(open_page):
    page = open_page()
    page.role("cost-fp-slider").fill("120")
    page.settle()
    assert page.costs == (100, 30, 12)
    page.role("cost-abstain-slider").fill("200")
    page.settle()
    assert page.costs == (100, 30, 30)
    page.fill("cost-fn", 250)
    page.fill("cost-fp", 75)
    page.fill("cost-abstain", 20)
    assert page.costs == (250, 75, 20)
    assert_agrees(page)
    assert page.role("cost-fp-slider").input_value() == "120"


def test_an_empty_review_means_never_abstaining(open_page):
    page = open_page()
    page.fill("cost-abstain", "")
    assert page.costs == (100, 40, None)
    assert_agrees(page)
    assert page.headline.startswith("Proven. Use forest: call positive from ")
    assert "go to a person" not in page.headline


def test_a_wrong_number_is_marked_and_changes_nothing(open_page):
    page = open_page()
    before = page.headline
    share = "It must lie between 0 and 100 %."
    for role, wrong, sentence, back in [
        ("cost-fn", "0", "A miss must cost more than a positive found.", "100"),
        ("cost-fp", "-1", "It must not be below 0.", "40"),
        ("cost-fp", "", "A number is needed here.", "40"),
        ("prevalence", "0", share, "34.5 %"),
        ("prevalence", "150", share, "34.5 %"),
    ]:
        page.fill(role, wrong)
        assert page.role(role).get_attribute("aria-invalid") == "true"
        assert page.text(f"{role}-wrong") == sentence
        assert page.headline == before
        page.press("Tab")
        assert page.role(role).get_attribute("aria-invalid") == "false", "the last right number is back"
        assert page.text(f"{role}-wrong") == f"{sentence} {back} stays."
    page.fill("cost-fp", 55)
    page.press("Escape")
    assert page.costs == (100, 40, 12), "Escape takes back what was typed"
    assert page.headline == before


def test_prevalence_against_a_report_made_with_it(open_page):
    page = open_page("one_model")
    page.fill("prevalence", 12.5)
    assert page.text("more-controls") == "More: 12.5 % positive"
    y, scores = page_reports.three(300)
    made = page_reports.report(y, {"forest": scores["forest"]}, prevalence=0.125)
    assert page.headline == words_at(made.comparison)
    rule = shown_rule(made.comparison)
    assert page.window == (shown(rule.window.lower), shown(rule.window.upper))
    page.role("prevalence-slider").fill("200")
    page.settle()
    assert page.role("prevalence").input_value() == "50"
    page.click("prevalence-reset")
    page.settle()
    assert page.headline == page_reports.named("one_model").headline
    assert page.role("prevalence-hint").is_hidden()
    # the share of the data, given instead of estimated, changes intervals and guarantee: that is said
    page.fill("prevalence", page.role("prevalence").input_value())
    assert "the guarantee now rest on each class alone" in page.text("prevalence-hint")
    assert page.role("prevalence-hint").is_visible()


def test_capacity_is_kept_and_judged_as_in_python(open_page):
    page = open_page()
    report = page_reports.named("ordinary")
    page.fill("reviews-per-day", 50)
    assert page.text("capacity-hint") == "Both numbers together set a limit."
    page.fill("cases-per-day", 500)
    comparison = at_costs(100, 40, 12, max_abstention=0.1)
    assert page.headline == words_at(comparison)
    assert page.window == (shown(comparison.answer.lower), shown(comparison.answer.upper))
    assert "this narrows the window" in page.text("capacity-hint")
    assert page.role("spread").is_visible()
    assert page.role("cost-bars").is_visible()
    page.fill("reviews-per-day", 500)
    assert page.headline == report.headline
    assert page.text("capacity-hint") == "At most 100 % of the cases: more than needed here."
    page.fill("cases-per-day", "")
    assert page.headline == report.headline


def test_a_model_can_be_held_on_to(open_page):
    page = open_page()
    report = page_reports.named("ordinary")
    y, scores = page_reports.three(600)
    for k, model in enumerate(report.models):
        page.select("model", k + 1)
        page.open_tab("models")
        alone = compare_models(y, {model.name: scores[model.name]}, costs=page_reports.COSTS)
        if alone.answer.model is None:
            assert f"The best candidate is {model.name}: call " in page.headline
        else:
            assert page.headline == words_at(alone), "what the copied command says of this model"
        best = choosing._cheapest(alone.choice.candidates[model.name], alone.choice)
        assert page.window == (shown(best.window.lower), shown(best.window.upper))
        current = page.panel("models").locator("tr.current")
        assert current.locator("th").text_content().strip() == model.name
    page.select("model", 0)
    assert page.headline == report.headline


def amounts(text):
    """Numbers of a cell: a cost, then the ends of its interval."""
    return [
        float(part.replace(",", ""))
        for part in text.replace("(", " ").replace(")", " ").split()
        if part != "to"
    ]


def test_the_table_of_models_against_python(open_page):
    page = open_page()
    page.drag((0.6, 0.2))
    page.open_tab("models")
    comparison = at_costs(*page.costs)
    report = page_reports.named("ordinary")
    rows = page.panel("models").locator("tbody tr")
    assert rows.count() == 3
    for k, model in enumerate(comparison.models.values()):
        auc, vacc, window, cost, never, hindsight, abstains, wins = (
            rows.nth(k).locator("td").all_text_contents()
        )
        assert float(auc.split()[0]) == pytest.approx(model.auc, abs=0.005)
        assert float(vacc.split()[0]) == pytest.approx(model.vacc, abs=0.0005)
        assert [float(end) for end in window.split(" to ")] == [
            shown(model.window.lower),
            shown(model.window.upper),
        ]
        rule = choosing._cheapest(comparison.choice.candidates[model.name], comparison.choice)
        interval = cost_of(rule, comparison.problem).interval
        step = money_step(*interval, model.cost)
        expected = [1000 * value for value in (model.cost, *interval)]
        assert amounts(cost) == pytest.approx(expected, abs=0.51 * step)
        assert amounts(never) == pytest.approx([1000 * model.threshold_cost], rel=0.06)
        assert amounts(hindsight) == pytest.approx([1000 * model.hindsight_cost], abs=0.51 * step)
        assert float(abstains.rstrip(" %")) == pytest.approx(100 * model.abstention_rate, abs=0.051)
        assert float(wins.rstrip(" %")) == pytest.approx(100 * report.models[k].wins, abs=0.051)
    assert page.text("without-a-model").startswith(
        "Without a model, per 1000 cases: call every case positive "
    )


def test_bars_show_the_answer_against_its_rivals(open_page):
    page = open_page()
    answer = page_reports.named("ordinary").comparison.answer
    bars = page.role("cost-bars").locator("li:visible")
    assert bars.count() == 1 + len(answer.versus)
    costs = [amounts(bars.nth(k).locator(".value").text_content())[0] for k in range(bars.count())]
    step = money_step(*answer.interval, answer.cost)
    expected = [answer.cost, *(answer.cost - one.difference for one in answer.versus.values())]
    assert costs == pytest.approx([1000 * cost for cost in expected], abs=0.51 * step)
    words = page.role("spread-bar").get_attribute("aria-label")
    positive, negative, sent = re.findall(r"Of 1000 cases (\d+) .*?, (\d+) .*?, (\d+) go", page.headline)[0]
    missed, alarms = re.findall(r"about \d+ [a-z ]+", page.headline)[:2]
    assert words == (
        f"Of 1000 cases: {negative} called negative, {sent} to a person, {positive} called positive; "
        f"{missed}, {alarms}"
    ), "the counts of the sentence"
    widths = [bar.bounding_box()["width"] for bar in page.role("spread-bar").locator("> span").all()]
    shares = [int(count) / 1000 for count in (negative, sent, positive)]
    assert np.array(widths) / sum(widths) == pytest.approx(shares, abs=0.01)
    assert "up to -0.21" in page.role("spread").inner_text()
    cost, low, high = (money(value, step) for value in (answer.cost, *answer.interval))
    sticky = page.role("sticky")
    assert sticky.is_hidden(), "not beside the sentences"
    page.open_tab("models").scroll_into_view_if_needed()
    page.until("document.querySelector('.sticky.on') !== null")
    assert sticky.inner_text() == (
        "Proven. forest: positive from 1.88 up, negative up to -0.21, the rest to a person "
        f"{cost} ({low} to {high}) per 1000 cases"
    )
    page.fill("cost-fp", 41)
    answer = at_costs(100, 41, 12).answer
    cost, low, high = (money(value, step) for value in (answer.cost, *answer.interval))
    assert sticky.inner_text().startswith("Proven. forest: positive from ")
    assert sticky.inner_text().endswith(f" {cost} ({low} to {high}) per 1000 cases")


def test_rare_errors_are_never_none(open_page):
    page = open_page("large", "#fn=100&fp=100&abstain=0.5")
    marks = page.role("spread-bar").locator(".mistakes:visible")
    words = page.text("spread")
    assert marks.count() == words.count("missed") + words.count("false alarm")
    assert "fewer than one" in words
    for mark in marks.all():
        assert mark.bounding_box()["width"] >= 2


def ends(page, *sides):
    """The ends of ranges as their fields have them."""
    found = [page.role(f"box-{side}-{end}").input_value() for side in sides for end in ("from", "to")]
    return [float(value) if value else None for value in found]


def fill_range(page, side, *values):
    for end, value in zip(("from", "to"), values, strict=True):
        page.reveal(f"box-{side}-{end}").fill(str(value))
        page.role(f"box-{side}-{end}").blur()
    page.settle()


def test_ranges_decide_as_in_python_and_escape_cancels(open_page):
    page = open_page("one_model")
    before = page.headline
    fill_range(page, "fp", 60, 20)
    assert page.text("box-wrong") == "The range of a false alarm must not end before it begins."
    assert page.headline == before
    fill_range(page, "fp", 20, 60)
    fill_range(page, "abstain", 5, 25)
    assert page.text("box-wrong") == ""
    assert page.costs == (100, 40, 15), "prices stand in the middle of their ranges"
    y, scores = page_reports.three(300)
    ranges = CostRange(cost_fn=100, cost_fp=(20, 60), cost_abstain=(5, 25))
    comparison = compare_models(y, {"forest": scores["forest"]}, costs=ranges)
    assert page.headline == words_at(comparison)
    assert page.window == (shown(comparison.answer.lower), shown(comparison.answer.upper))
    assert page.text("more-controls") == "More: ranges"
    fill_range(page, "prevalence", 25, 45)
    comparison = compare_models(y, {"forest": scores["forest"]}, costs=ranges, prevalence=(0.25, 0.45))
    assert page.headline == words_at(comparison)
    fill_range(page, "prevalence", "", "")
    # the point takes its ranges along, and the hand gives them back
    page.click("explore")
    assert ends(page, "fp", "abstain") == [None] * 4
    assert page.role("explore").is_hidden()
    page.page.locator("#chart-map").scroll_into_view_if_needed()
    page.page.keyboard.down("Shift")
    page.page.mouse.move(*page.place(0.6, 0.05))
    page.page.mouse.down()
    page.page.mouse.move(*page.place(0.3, 0.2), steps=2)
    page.press("Escape")
    page.page.mouse.up()
    page.settle()
    assert ends(page, "fp", "abstain") == [None] * 4, "Escape takes the ranges back"
    page.page.mouse.move(*page.place(0.6, 0.05))
    page.page.mouse.down()
    page.page.mouse.move(*page.place(0.2, 0.25), steps=4)
    page.page.mouse.up()
    page.page.keyboard.up("Shift")
    page.settle()
    assert ends(page, "fp", "abstain") == pytest.approx([20, 60, 5, 25], abs=0.4)
    page.fill("cost-fp", 50)
    assert ends(page, "fp") == pytest.approx([30, 70], abs=0.4)


def test_comparison_of_any_pair_against_the_report(open_page):
    page = open_page()
    report = page_reports.named("ordinary")
    choice = report.comparison.choice
    for pair in report.pairs:
        page.select("compare-a", pair.first)
        page.select("compare-b", pair.second)
        names = [report.models[k].name for k in (pair.first, pair.second)]
        rules = [choosing._cheapest(choice.candidates[name], choice) for name in names]
        difference, interval = difference_interval(*rules, choice.problem)
        lead = page.text("compare-here")
        winner, other = names if difference <= 0 else names[::-1]
        assert lead.startswith(f"Here {winner} costs ")
        assert f"less per 1000 cases than {other} (95" in lead
        step = money_step(*interval, difference)
        assert float(lead.split()[3].replace(",", "")) == pytest.approx(
            1000 * abs(difference), abs=0.51 * step
        )
        proven = interval.low > 0 or interval.high < 0
        assert (", which contains 0)" in lead) == (not proven)
        # the costs beside it differ by what was said
        costs = re.findall(r"costs ([\d,]+).*?, \S+ ([\d,]+)", lead.split(". ", 1)[1])[0]
        apart = float(costs[1].replace(",", "")) - float(costs[0].replace(",", ""))
        assert apart == pytest.approx(1000 * abs(difference), abs=1.01 * step)
        words = page.role("compare-words").locator("li").all_text_contents()
        assert words[0].startswith("Mean cost over all prices (VACC), A minus B: ")
        assert words[1].startswith("AUC, A minus B: ")
        assert words[2] == "p adjusted for 3 pairs of models (Holm)."
        adjusted = [pair.volume_pvalue, pair.auc_pvalue]
        for sentence, pvalue in zip(words, adjusted, strict=False):
            told = re.search(r"p [<=] (\d+\.\d+)", sentence)[1]
            assert float(told) == pytest.approx(max(pvalue, 1e-4), rel=0.06)
    page.click("compare-swap")
    assert page.role("compare-a").input_value() == "2"
    assert page.text("compare-here") == lead
    about = page.open_tab("models").locator(".about").text_content()
    assert all(f"{word}: " in about for word in ("AUC", "VACC", "Window")), "words are explained on the spot"
    # rare positives leave it open which of two similar models is cheaper, and that is still said
    page.fill("prevalence", 2)
    page.open_tab("compare")
    lead = page.text("compare-here")
    found = re.search(r"% interval (\S+) to (-?[\d,.]*\d)", lead)
    ends = [float(end.replace(",", "")) for end in found.groups()]
    assert (", which contains 0)" in lead) == (ends[0] <= 0 <= ends[1])
    page.click("compare-map")
    assert "A minus B" in page.panel("map").locator(".map-legend").text_content()


def test_the_map_of_winners_counts_rules_without_a_model(open_page):
    page = open_page()
    page.choose("map-colour-winner")
    names = page.panel("map").locator(".key .name").all_text_contents()
    assert "no model" in names
    cells = page.panel("map")
    cells.locator(".numbers > summary").click()
    # the table is made when the fold says that it is open, a moment after the click
    cells.locator(".numbers table").wait_for()
    # prices in the reader's money: 1, 2, 5, 10, ... where a miss costs 100
    columns = cells.locator(".numbers thead th").all_text_contents()[1:]
    rows = cells.locator(".numbers tbody th").all_text_contents()
    assert (columns[:4], columns[-1], rows[:4]) == (
        ["1", "2", "5", "10"],
        "1,000",
        ["0.1", "0.2", "0.5", "1"],
    )
    found = cells.locator(".numbers tbody tr td").all_text_contents()
    for row, column in ((5, 5), (6, 4), (2, 6)):
        comparison = at_costs(1, float(columns[column]) / 100, float(rows[row]) / 100)
        model = comparison.choice.best(comparison.choice.all).model
        assert found[len(columns) * row + column] == (model or "no model")
    # shares of the legend are those of the map as it is: rare positives, few reviews
    shares = page.panel("map").locator(".key li").all_text_contents()
    page.fill("prevalence", 2)
    page.page.wait_for_timeout(300)
    rare = page.panel("map").locator(".key li").all_text_contents()
    assert rare != shares
    page.fill("reviews-per-day", 1)
    page.fill("cases-per-day", 100)
    page.page.wait_for_timeout(300)
    assert page.panel("map").locator(".key li").all_text_contents() != rare
    assert "with hindsight, within the limits" in page.panel("map").text_content()
    page.choose("map-colour-abstention")
    most = page.panel("map").locator(".numbers tbody td").all_text_contents()
    assert max(float(cell.split()[0].strip("<")) for cell in most) <= 1


def test_the_map_can_be_coloured_by_everything(open_page):
    page = open_page()
    pictures = {}
    for colour in ("cost", "abstention", "winner", "difference"):
        page.choose(f"map-colour-{colour}")
        page.page.wait_for_timeout(50)
        pictures[colour] = page.page.evaluate(
            "document.querySelector('[data-panel=map] canvas').toDataURL('image/png')"
        )
    assert len(set(pictures.values())) == 4
    assert min(len(picture) for picture in pictures.values()) > 1000


def test_classes_can_be_renamed(open_page):
    page = open_page()
    page.fill("name-positive", "fraud")
    page.fill("name-negative", "<i>legitimate</i>")
    assert page.open_tab("confusion").locator("thead th").all_text_contents()[1:4:2] == [
        "called fraud",
        "called <i>legitimate</i>",
    ]
    facts = page_reports.named("ordinary").comparison.answer.facts()
    names = {"positive": "fraud", "negative": "<i>legitimate</i>"}
    assert page.headline == answer_words({**facts, **names}), "the answer of the report, by other names"
    assert "fraud" in page.open_tab("scores").text_content()
    page.reveal("prevalence")
    assert page.panel("controls").locator("label[for=prevalence]").text_content() == "fraud in use"


def test_your_rule_today_a_score_and_undo(open_page):
    page = open_page()
    y, scores = page_reports.three(600)
    forest = scores["forest"]
    answer = page_reports.named("ordinary").comparison.answer
    page.fill("today-upper", 1)
    costs = np.where(y == 1, 100 * (forest < 1), 40 * (forest >= 1))
    change, first, right = page.role("today-words").locator("li").all_text_contents()
    assert first.startswith(f"Today costs {money(costs.mean(), 100)} (")
    assert (
        f": 0 go to a person, {1000 * np.mean((y == 1) & (forest < 1)):.0f} positive cases are missed"
        in first
    )
    saved = float(re.search(r"saves ([\d,]+) per 1000 cases \(", change)[1].replace(",", ""))
    assert saved == pytest.approx(1000 * (costs.mean() - answer.honest_cost), abs=60)
    low, high = (float(end.replace(",", "")) for end in re.search(r"(\S+) to (\S+)\)", change).groups())
    assert low < saved < high
    assert high - low < 6000, "paired on the same cases"
    assert re.match(
        r"It would be right if a false alarm cost [\d.]+( to [\d.]+)? and a review at least ", right
    )
    page.fill("today-lower", -0.5)
    kept = 1000 * np.mean((forest > -0.5) & (forest < 1))
    assert f": {kept:.0f} go to a person, " in page.text("today-words")
    page.open_tab("scores")
    assert page.page.locator("#chart-scores .today-line").count() == 2
    page.fill("today-lower", 2)
    assert page.text("today-wrong") == "The lower threshold must not lie above the upper one."
    page.fill("trial", 0.42)
    assert page.text("trial-words").startswith(
        "0.42 by forest: to a person. Of cases scored about like this "
    )
    page.fill("trial", 9)
    assert page.text("trial-words").endswith(" No case of the data scored so.")
    assert "called positive" in page.text("trial-words")
    page.fill("cost-fp", 80)
    now = page.headline
    page.page.wait_for_timeout(350)
    page.click("undo")
    assert page.costs == (100, 40, 12)
    page.click("redo")
    assert page.headline == now
    page.click("undo")
    page.panel("scores").click()
    page.press("Control+Shift+Z")
    assert page.headline == now
    page.press("Control+z")
    assert page.costs == (100, 40, 12)
