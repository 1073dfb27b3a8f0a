"""The controls of the page: what the reader sets, and what follows, against Python."""

import math
from dataclasses import replace

import numpy as np
import pytest

import page_reports
from browser import MU_MOST, NU_MOST, shown
from demur import CostModel
from demur.report.headline import headline


def at_costs(name, fn, fp, abstain):
    """Return the report as if it had been made with these costs, and the window of its best model."""
    report = page_reports.named(name)
    costs = CostModel(cost_fn=fn, cost_fp=fp, cost_abstain=abstain)
    return replace(report, costs=costs, costs_given=True), report.models[0].surface.window(costs=costs)


def assert_agrees(opened, name="ordinary"):
    """All that the page shows at its costs is what Python finds for them."""
    report, window = at_costs(name, *opened.costs)
    assert opened.headline == report.headline
    assert opened.window == (shown(window.lower), shown(window.upper))
    cells = opened.page.locator("table.confusion tbody td .tally").all_text_contents()
    counts = report.models[0].surface.counts
    rows = [
        [counts.n_positive, window.abstained_positive * counts.n, window.fn * counts.n],
        [window.fp * counts.n, window.abstained_negative * counts.n, counts.n_negative],
    ]
    rows[0][0] -= rows[0][1] + rows[0][2]
    rows[1][2] -= rows[1][0] + rows[1][1]
    rows = [[*row, sum(row)] for row in rows]
    expected = np.array([*rows, np.sum(rows, axis=0)]).round().astype(int).ravel().tolist()
    assert [int(cell.replace(",", "")) for cell in cells] == expected


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
        assert (fp / 100, abstain / 100) == pytest.approx((mu, nu), abs=0.003)
        assert_agrees(page)
        width, height = (
            float(page.page.locator("#chart-map .catch").first.get_attribute(name))
            for name in ("width", "height")
        )
        assert page.handle == pytest.approx(
            (fp / 100 / MU_MOST * width, (1 - abstain / 100 / NU_MOST) * height)
        )
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
    assert page.costs[1:] == pytest.approx((25, 15), abs=0.3)
    assert_agrees(page)


def test_arrow_keys_move_the_point_and_shift_takes_large_steps(open_page):
    page = open_page()
    page.role("cost-point").focus()
    for keys, costs in [
        ("ArrowRight", (100, 41, 12)),
        ("ArrowUp", (100, 41, 12.6)),
        ("Shift+ArrowUp", (100, 41, 18.6)),
        ("Shift+ArrowLeft", (100, 31, 18.6)),
        ("ArrowDown", (100, 31, 18)),
        ("ArrowLeft", (100, 30, 18)),
    ]:
        page.press(keys)
        assert page.costs == costs
        assert_agrees(page)
    for _ in range(5):
        page.press("Shift+ArrowLeft")
    assert page.costs == (100, 0, 18), "prices stop at 0"
    page.role("name-positive").focus()
    page.press("ArrowRight")
    assert page.costs == (100, 0, 18), "arrows in a field are for its text"


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
    assert page.headline.startswith("With these costs, use forest for all cases.")


def test_a_wrong_number_is_marked_and_changes_nothing(open_page):
    page = open_page()
    before = page.headline
    for role, wrong in [("cost-fn", "0"), ("cost-fp", "-1"), ("cost-fp", ""), ("prevalence", "101")]:
        page.fill(role, wrong)
        assert page.role(role).get_attribute("aria-invalid") == "true"
        assert page.headline == before
        page.press("Tab")
        assert page.role(role).get_attribute("aria-invalid") == "false", "the last right number is back"


def test_ratios_are_shares_of_a_miss(open_page):
    page = open_page()
    before = page.headline
    page.choose("cost-entry-ratio")
    assert page.costs == (1, 0.4, 0.12)
    assert page.role("cost-fn").is_disabled()
    assert page.headline == before
    page.fill("cost-fp", 0.5)
    page.choose("cost-entry-money")
    assert page.costs == (100, 50, 12)
    assert_agrees(page)


def test_prevalence_against_a_report_made_with_it(open_page):
    page = open_page("one_model")
    page.fill("prevalence", 12.5)
    y, scores = page_reports.three(300)
    made = page_reports.report(y, {"forest": scores["forest"]}, prevalence=0.125)
    assert page.headline == made.headline
    window = made.models[0].surface.window(costs=made.costs)
    assert page.window == (shown(window.lower), shown(window.upper))
    page.role("prevalence-slider").fill("200")
    page.settle()
    assert page.role("prevalence").input_value() == "50"
    page.role("prevalence-reset").click()
    page.settle()
    assert page.headline == page_reports.named("one_model").headline


def limited_window(surface, limit):
    """Search all windows between blocks that abstain on at most `limit` of the cases, at 0.4 and 0.12."""
    blocks = surface.counts.blocks()
    positives, negatives = (np.concatenate([[0], np.cumsum(column)]) for column in blocks[:2])
    n, best = surface.counts.n, None
    for i in range(len(positives)):
        for j in range(i, len(positives)):
            abstained = positives[j] - positives[i] + negatives[j] - negatives[i]
            cost = positives[i] + 0.4 * (negatives[-1] - negatives[j]) + 0.12 * abstained
            if abstained <= limit * n and (best is None or cost < best[0]):
                best = cost, shown(surface._blocks.lower_cut[i]), shown(surface._blocks.upper_cut[j])
    return best


def test_capacity_narrows_the_window_against_brute_force(open_page):
    page = open_page()
    report = page_reports.named("ordinary")
    page.fill("reviews-per-day", 50)
    assert page.text("capacity-hint") == "Both numbers together set a limit."
    page.fill("cases-per-day", 500)
    best = min(limited_window(model.surface, 0.1) for model in report.models)
    assert page.window == best[1:]
    assert "this narrows the window" in page.text("capacity-hint")
    assert "at most 50 reviews for 500 cases" in page.headline
    page.fill("reviews-per-day", 500)
    assert page.headline == report.headline
    assert "more than needed" in page.text("capacity-hint")
    page.fill("cases-per-day", "")
    assert page.headline == report.headline


def test_a_model_can_be_held_on_to(open_page):
    page = open_page()
    report = page_reports.named("ordinary")
    for k, model in enumerate(report.models):
        page.choose(f"model-{k}")
        assert page.headline == headline([model], report.costs, 0.95, costs_given=True)
        window = model.surface.window(costs=report.costs)
        assert page.window == (shown(window.lower), shown(window.upper))
        current = page.panel("models").locator("tr.current")
        assert current.locator("th").text_content().strip() == model.name
    page.choose("model-cheapest")
    assert page.headline == report.headline


def test_the_table_of_models_against_to_frame(open_page):
    page = open_page()
    page.drag((0.6, 0.2))
    report, _ = at_costs("ordinary", *page.costs)
    frame = report.to_frame()
    rows = page.panel("models").locator("tbody tr")
    assert rows.count() == 3
    for k in range(3):
        auc, vacc, window, cost, abstains, wins = rows.nth(k).locator("td").all_text_contents()
        assert float(auc.split()[0]) == pytest.approx(frame["auc"][k], abs=0.005)
        assert float(vacc.split()[0]) == pytest.approx(frame["vacc"][k], abs=0.0005)
        assert [float(end) for end in window.split(" to ")] == [
            shown(frame["lower"][k]),
            shown(frame["upper"][k]),
        ]
        assert float(cost.split()[0].replace(",", "")) == pytest.approx(1000 * frame["cost"][k], rel=0.02)
        assert float(abstains.rstrip(" %")) == pytest.approx(100 * frame["abstention_rate"][k], abs=0.051)
        assert float(wins.rstrip(" %")) == pytest.approx(100 * frame["wins"][k], abs=0.051)


@pytest.mark.parametrize("way", ["numbers", "hand"])
def test_a_box_of_costs_against_its_definition(open_page, way):
    page = open_page()
    if way == "numbers":
        for side, end, value in [("mu", "from", 20), ("mu", "to", 60), ("nu", "from", 5), ("nu", "to", 25)]:
            page.role(f"box-{side}-{end}").fill(str(value))
            page.role(f"box-{side}-{end}").blur()
        page.settle()
    else:
        page.role("box-draw").click()
        page.page.mouse.move(*page.place(0.6, 0.05))
        page.page.mouse.down()
        page.page.mouse.move(*page.place(0.2, 0.25), steps=4)
        page.page.mouse.up()
        page.settle()
        assert page.text("box-draw") == "Draw a box", "one box, then the hand moves the point again"
    names = ("box-mu-from", "box-mu-to", "box-nu-from", "box-nu-to")
    mu0, mu1, nu0, nu1 = (float(page.role(name).input_value()) / 100 for name in names)
    assert (mu0, mu1, nu0, nu1) == pytest.approx((0.2, 0.6, 0.05, 0.25), abs=0.004)
    assert page.costs == (100, 40, 12), "a box does not move the point"
    surfaces = [model.surface for model in page_reports.named("ordinary").models]
    for k, surface in enumerate(surfaces):
        window = surface.window(mu=0.4, nu=0.12)

        def cost(mu, nu, window=window):
            return window.fn + mu * window.fp + nu * window.abstention_rate

        # the cost of a window is linear and the cheapest cost concave: regret is largest at a corner
        corners = [(mu, nu) for mu in (mu0, mu1) for nu in (nu0, nu1)]
        regret = max(cost(*at) - min(float(s.cost(*at)) for s in surfaces) for at in corners)
        expected = [cost(mu1, nu1), cost((mu0 + mu1) / 2, (nu0 + nu1) / 2), regret]
        cells = page.role("box-results").locator("tbody tr").nth(k).locator("td").all_text_contents()[1:]
        step = 10 ** (math.floor(math.log10(100_000 * expected[1])) - 2)
        found = [float(cell.replace(",", "")) for cell in cells]
        assert found == pytest.approx([1e5 * value for value in expected], abs=0.51 * step)
    page.role("box-clear").click()
    page.settle()
    assert page.role("box-results").is_hidden()


def test_comparison_of_any_pair_against_the_report(open_page):
    page = open_page()
    report = page_reports.named("ordinary")
    costs = [model.surface.window(costs=report.costs).cost for model in report.models]
    for pair in report.pairs:
        page.role("compare-a").select_option(str(pair.first))
        page.role("compare-b").select_option(str(pair.second))
        page.settle()
        first, second = (report.models[k].name for k in (pair.first, pair.second))
        lead = page.text("compare-here")
        assert lead.startswith(f"Here {first} costs ")
        assert f"less per 1000 cases than {second}" in lead
        less = float(lead.split()[3].replace(",", ""))
        assert less == pytest.approx(1e5 * (costs[pair.second] - costs[pair.first]), abs=500)
        # the point (0.4, 0.12) is nearest to column 13 and row 4 of the map of decisions
        decided = pair.band.decision[13, 4] != 0
        assert ("and the data decide it" in lead) == decided
        words = page.role("compare-words").locator("li").all_text_contents()
        assert words[: len(pair.words)] == list(pair.words)
        assert hatched_share(page) == pytest.approx(pair.band.undecided_share, abs=0.06)
    page.role("compare-swap").click()
    page.settle()
    assert page.role("compare-a").input_value() == "2"
    assert page.text("compare-here") == lead


def hatched_share(page):
    """Share of the difference map drawn in the colours of "undecided"."""
    return page.page.evaluate("""() => {
      const canvas = document.querySelector('[data-panel="compare"] canvas');
      const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let grey = 0;
      for (let k = 0; k < data.length; k += 4) {
        const [r, g, b] = [data[k], data[k + 1], data[k + 2]];
        // between #d4d7db and #9aa0a8: darker than the white of "no difference"
        if (r < 225 && Math.abs(r - g) < 8 && Math.abs(g - b) < 12 && b >= r) grey++;
      }
      return grey / (data.length / 4);
    }""")


def test_the_map_can_be_coloured_by_everything(open_page):
    page = open_page()
    pictures = {}
    for colour in ("cost", "abstention", "lower", "upper", "winner", "difference"):
        page.choose(f"map-colour-{colour}")
        page.page.wait_for_timeout(50)
        pictures[colour] = page.page.evaluate(
            "document.querySelector('[data-panel=map] canvas').toDataURL('image/png')"
        )
    assert len(set(pictures.values())) == 6
    assert min(len(picture) for picture in pictures.values()) > 1000


def test_zoom_keeps_the_point_and_the_decision(open_page):
    page = open_page()
    page.fill("cost-fp", 10)
    before = page.headline
    page.role("map-zoom").click()
    page.settle()
    assert page.role("cost-point").get_attribute("aria-valuemax") == "0.2"
    assert page.headline == before
    page.role("map-zoom").click()
    page.settle()
    assert page.role("cost-point").get_attribute("aria-valuemax") == "1"


def test_hover_marks_the_same_threshold_in_scores_roc_and_cost_curve(open_page):
    page = open_page()
    marks = [page.panel(name).locator(".hover, .hover-dot").first for name in ("scores", "roc", "cost-curve")]
    assert [mark.get_attribute("visibility") for mark in marks] == ["hidden"] * 3
    page.panel("scores").locator("svg").first.hover()
    assert [mark.get_attribute("visibility") for mark in marks] == ["visible"] * 3
    page.page.mouse.move(0, 0)
    assert [mark.get_attribute("visibility") for mark in marks] == ["hidden"] * 3


def test_classes_can_be_renamed(open_page):
    page = open_page()
    page.fill("name-positive", "fraud")
    page.fill("name-negative", "<i>legitimate</i>")
    assert page.panel("confusion").locator("thead th").all_text_contents()[1::2] == [
        "said fraud",
        "said <i>legitimate</i>",
    ]
    assert "fraud" in page.panel("scores").text_content()
    assert page.panel("controls").locator("label[for=prevalence]").text_content() == "fraud in use"
