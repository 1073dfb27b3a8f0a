"""The page for every reader: screen readers, keyboards, paper, phones, dark rooms."""

from pathlib import Path

import numpy as np
import pytest

import page_reports
from browser import CHARTS, MORE, PANELS, colours

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_no_violation(open_page, theme):
    if not AXE.exists():
        pytest.skip("axe-core is not installed: npm ci in web")
    page = open_page(color_scheme=theme)
    for role, value in [("fp-from", 20), ("fp-to", 60), ("abstain-from", 5), ("abstain-to", 25)]:
        page.reveal(f"box-{role}").fill(str(value))
    page.fill("cost-fp", "-1")
    page.fill("yearly", 50000)
    page.page.evaluate(AXE.read_text(encoding="utf-8"))
    # everything that can be unfolded or shown is looked at too
    for tab in [None, *page.page.get_by_role("tab", include_hidden=True).all()]:
        page.page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
        if tab is not None:
            tab.click()
            page.settle()
        found = page.page.evaluate(
            f"axe.run({'document' if tab is None else 'document.getElementById(`evidence`)'}).then("
            "({violations, passes}) => [passes.length, violations.map("
            "({id, nodes}) => `${id}: ${nodes.map(node => node.target).join(' ')}`)])"
        )
        assert found[1] == []
        assert found[0] > (25 if tab is None else 10), "the rules did run"


def test_every_control_has_a_name(open_page):
    page = open_page()
    page.page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
    page.open_tab("compare")
    for role, name in [
        ("slider", "Cost point: left and right for a false alarm, up and down for a review"),
        ("spinbutton", "a miss"),
        ("spinbutton", "a false alarm"),
        ("spinbutton", "a review"),
        ("slider", "a false alarm, slider"),
        ("slider", "a review, slider"),
        ("spinbutton", "positive in use"),
        ("spinbutton", "reviews per day"),
        ("spinbutton", "cases per day"),
        ("textbox", "positive is called"),
        ("combobox", "A"),
        ("group", "Colour by"),
        ("combobox", "Model"),
        ("spinbutton", "Cases per year"),
        ("textbox", "costs are in"),
        ("button", "SVG file of Map of costs"),
        ("tab", "ROC and PR"),
        ("radio", "dark"),
    ]:
        assert page.page.get_by_role(role, name=name, exact=True).count() == 1, (role, name)
    point = page.role("cost-point")
    assert point.get_attribute("aria-valuetext") == "a false alarm 0.4, a review 0.12, as shares of a miss"
    assert point.get_attribute("aria-valuenow") == "0.4"
    for name in CHARTS:
        page.open_tab(name)
        chart = page.page.locator(f"#chart-{name}")
        assert chart.get_attribute("role") in ("img", "group")
        assert len(chart.get_attribute("aria-label")) > 5


def tabbed(page, most):
    """Press Tab through the page; names of what has the focus, and of what does not show it."""
    seen, unseen = [], []
    for _ in range(most):
        page.page.keyboard.press("Tab")
        name, outlined = page.page.evaluate("""() => {
          const focus = document.activeElement;
          if (focus === document.body) return [null, false];
          // switches draw the outline around the word beside the button, the cost point draws a ring
          const around = [focus, focus.nextElementSibling].filter(node => node !== null);
          const outlined = around.some(node => {
            const look = getComputedStyle(node);
            return look.outlineStyle !== 'none' && parseFloat(look.outlineWidth) >= 1;
          });
          const ring = focus.querySelector('.ring');
          const ringed = ring !== null && getComputedStyle(ring).strokeWidth === '2.5px';
          return [focus.id || focus.dataset.role || focus.textContent, outlined || ringed];
        }""")
        if name is None:
            break
        seen.append(name)
        if not outlined:
            unseen.append(name)
    return seen, unseen


def test_a_keyboard_reaches_everything_and_the_focus_is_seen(open_page):
    page = open_page()
    seen, unseen = tabbed(page, 60)
    assert unseen == []
    # past the header with one key, and nothing between the answer and the map that is not a price
    assert seen[:3] == ["skip"] * 3
    assert seen.index("cost-point") < 25
    assert {"menu", "cost-fn", "cost-fp-slider", "today-upper", "evidence"} <= set(seen)
    assert seen.index("cost-point") < seen.index("save"), "no file before the chart it is a file of"
    assert not {"copy-python", "chart-roc"} & set(seen), "what is folded waits"
    # menus open and close by keys
    page.role("menu").focus()
    page.press("Enter")
    page.press("Tab")
    assert page.page.evaluate("document.activeElement.dataset.role") == "copy-python"
    page.press("Escape")
    assert page.page.evaluate("document.activeElement.dataset.role") == "menu"
    assert page.role("copy-python").is_hidden()
    page.role("skip").nth(2).focus()
    page.press("Enter")
    page.press("Enter")
    page.role("tab-models").focus()
    page.press("ArrowRight")
    assert page.role("tab-scores").get_attribute("aria-selected") == "true"
    page.press("ArrowRight")
    seen, unseen = tabbed(page, 8)
    assert unseen == []
    assert "chart-roc" in seen
    page.page.locator("#chart-roc").focus()
    page.press("ArrowRight")
    page.press("ArrowRight")
    assert page.text("roc-said").startswith("At threshold ")
    page.role("skip").nth(1).focus()
    page.press("Enter")
    assert page.page.evaluate("document.activeElement.id") == "cost-point"


@pytest.mark.parametrize(
    "name", ["ordinary", "twelve_models", "timed", "amounts", "clustered", "three_classes"]
)
def test_the_closed_page_is_short(open_page, name):
    page = open_page(name, "#yearly=50000")
    assert page.page.evaluate("document.documentElement.scrollHeight") <= 1600
    assert page.overflow <= 0


def test_the_first_screen_decides(open_page):
    page = open_page()
    page.fill("today-upper", 1)
    for role in ("decision", "cost-sentence", "cost-bars", "spread", "cost-abstain", "cost-point"):
        box = page.role(role).bounding_box()
        assert box["y"] + box["height"] <= 900, role
    changing = page.role("today-words").locator("li").first.bounding_box()
    assert changing["y"] + changing["height"] <= 900, "what changing saves is on the first screen"
    order = [
        "decision",
        "cost-sentence",
        "yearly",
        "cost-bars",
        "spread",
        "cost-fn",
        "cost-point",
        "today-upper",
    ]
    assert page.page.evaluate(
        "roles => roles.map(role => document.querySelector(`[data-role='${role}']`)).every((node, k, all) => "
        "k === 0 || all[k - 1].compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING)",
        order,
    )


def test_what_nobody_looks_at_is_not_drawn(open_page):
    page = open_page()
    assert page.page.locator("#chart-roc path.chosen").count() == 0
    page.fill("cost-fp", 60)
    page.open_tab("roc")
    assert page.page.locator("#chart-roc path.chosen").count() == 1
    before = page.page.locator("#chart-roc .here-text").all_text_contents()
    page.open_tab("scores")
    page.fill("cost-fp", 20)
    assert page.page.locator("#chart-roc .here-text").all_text_contents() == before
    page.open_tab("roc")
    assert page.page.locator("#chart-roc .here-text").all_text_contents() != before


@pytest.mark.parametrize("name", ["unproven", "three_classes"])
def test_marks_of_proof_stand_at_every_width(open_page, name):
    for width in (1280, 600, 390):
        page = open_page(name, viewport={"width": width, "height": 844})
        marks = page.role("cost-bars").locator(".open", has_text="not proven")
        assert marks.count() >= 1
        for mark in marks.all():
            assert mark.is_visible()
            box = mark.bounding_box()
            assert box["x"] + box["width"] <= width


def test_screen_readers_hear_the_new_headline_once_it_rests(open_page):
    page = open_page()
    spoken = page.role("spoken")
    assert spoken.get_attribute("aria-live") == "polite"
    assert spoken.text_content() == ""
    page.role("cost-point").focus()
    for _ in range(4):
        page.page.keyboard.press("ArrowRight")
        page.draw()
    assert spoken.text_content() == "", "not while the hand moves"
    page.until("document.getElementById('spoken').textContent !== ''")
    assert spoken.text_content() == page.headline


def test_every_chart_has_its_numbers_as_a_table(open_page):
    page = open_page()
    for name in PANELS:
        panel = page.open_tab(name)
        if name not in ("confusion", "models"):
            panel.locator(".numbers > summary").click()
        table = panel.locator("table").last
        table.wait_for()
        assert table.locator("thead th").count() >= 2
        assert table.locator("tbody tr").count() >= 3
    before = page.panel("map").locator(".numbers table").text_content()
    page.choose("map-colour-abstention")
    assert page.panel("map").locator(".numbers table").text_content() != before, "tables follow"


def test_numbers_of_the_map_are_honest_costs(open_page):
    page = open_page()
    page.panel("map").locator(".numbers > summary").click()
    # the numbers are written when the browser tells that the table is open
    page.panel("map").locator(".numbers tbody tr td").first.wait_for()
    cells = page.panel("map").locator(".numbers tbody tr td").all_text_contents()
    honest = page_reports.named("ordinary").models[0].honest
    table = page.panel("map").locator(".numbers table")
    prices = [
        [
            float(text.replace(",", "")) / 100
            for text in table.locator(heads).all_text_contents()
            if text[0].isdigit()
        ]
        for heads in ("thead th", "tbody th")
    ]
    found = np.array([float(cell.replace(",", "")) for cell in cells]).reshape(len(prices[1]), len(prices[0]))
    assert found.shape == (10, 10)
    for row, nu in enumerate(prices[1]):
        for column, mu in enumerate(prices[0]):
            # of window and threshold the cheaper one
            expected = 1e5 * min(float(honest.cost(mu, nu)), float(honest.cost(mu, np.inf)))
            assert found[row, column] == pytest.approx(expected, rel=0.006)


def ground(page):
    return page.page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_colours_follow_the_system_until_the_reader_chooses(open_page):
    page = open_page(color_scheme="dark")
    assert ground(page) == "rgb(19, 21, 25)"
    page.page.emulate_media(color_scheme="light")
    page.until("document.documentElement.dataset.theme === 'light'")
    assert ground(page) == "rgb(255, 255, 255)"
    page.choose("theme-dark")
    assert ground(page) == "rgb(19, 21, 25)"
    page.choose("theme-light")
    page.page.emulate_media(color_scheme="dark")
    assert ground(page) == "rgb(255, 255, 255)"
    page.choose("theme-system")
    assert ground(page) == "rgb(19, 21, 25)"


def test_nothing_moves_by_itself(open_page):
    page = open_page(reduced_motion="reduce")
    moving = (
        "[...document.querySelectorAll('*')].filter(node => { const look = getComputedStyle(node); "
        "return look.animationName !== 'none' || parseFloat(look.transitionDuration) > 0; }).length"
    )
    assert page.page.evaluate(moving) == 0
    page.drag((0.7, 0.2))
    assert page.page.evaluate("document.getAnimations().length") == 0
    page.page.emulate_media(reduced_motion="no-preference")
    assert page.page.evaluate("document.getAnimations().length") == 0


# boxes of everything on the sheet: its width, those that leave it, those that overlap, blank pictures
ON_PAPER = """() => {
  const sheet = document.documentElement.clientWidth;
  const seen = node => node.getBoundingClientRect().width > 0;
  const panels = [...document.querySelectorAll('[data-panel]')].filter(seen);
  const parts = [...document.querySelectorAll('.chart > svg, .chart text, table, .headline p')].filter(seen);
  const name = node => node.id || node.dataset.panel || node.textContent.slice(0, 30) || node.tagName;
  const outside = [...panels, ...parts].filter(node => {
    const {left, right} = node.getBoundingClientRect();
    return left < -1 || right > sheet + 1;
  });
  const overlapping = panels.flatMap((one, k) => panels.slice(k + 1).filter(two => {
    const [a, b] = [one, two].map(node => node.getBoundingClientRect());
    return Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
      && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  }).map(two => `${name(one)} ${name(two)}`));
  const spilling = panels.flatMap(panel => [...panel.querySelectorAll('svg')].filter(drawing => {
    const [a, b] = [panel, drawing].map(node => node.getBoundingClientRect());
    return b.right > a.right + 1 || b.bottom > a.bottom + 1;
  }).map(() => name(panel)));
  const canvases = [...document.querySelectorAll('.chart canvas')].filter(seen).map(name);
  const pictures = document.querySelectorAll('.chart svg > image').length;
  return [outside.map(name), overlapping, spilling, canvases, pictures];
}"""


@pytest.mark.parametrize(("width", "theme"), [(794, "light"), (1280, "dark"), (1920, "dark")])
def test_paper_is_light_whole_and_shows_no_tools(open_page, width, theme):
    page = open_page(color_scheme=theme, viewport={"width": width, "height": 900})
    page.page.emulate_media(media="print")
    page.until("document.documentElement.dataset.theme === 'light'")
    # a sheet of A4 between its margins; printers do not tell the page
    page.page.set_viewport_size({"width": 703, "height": 1000})
    page.settle()
    for hidden in ("menu", "save-svg-map", "evidence", "tab-roc"):
        assert page.role(hidden).is_hidden()
    assert page.role("decision").is_visible()
    assert page.role("paper-line").is_visible()
    assert page.panel("methods").get_by_text("How sure").is_visible()
    assert page.page.evaluate(ON_PAPER) == [[], [], [], [], 1], "the map"
    for name in (*CHARTS, *PANELS):
        assert page.panel(name).is_visible(), "the evidence is open on paper"
    picture = colours(page.page.locator("#chart-map").screenshot())
    assert len(np.unique(picture)) > 300, "no blank map"
    page.page.emulate_media(media="null")
    page.page.set_viewport_size({"width": width, "height": 900})
    page.until(f"document.documentElement.dataset.theme === '{theme}'")
    paper = page.page.pdf(format="A4")
    assert paper.count(b"/Subtype /Image") >= 1
    assert page.page.evaluate("document.querySelectorAll('.chart svg > image').length") == 0, "a page again"
    assert page.page.locator("#evidence").get_attribute("open") is None, "closed as before"


@pytest.mark.parametrize("width", [360, 390, 768, 2560])
@pytest.mark.parametrize("name", ["ordinary", "hostile_names", "twelve_models"])
def test_no_width_scrolls_sideways(open_page, name, width):
    page = open_page(name, viewport={"width": width, "height": 800})
    page.page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
    page.settle()
    assert page.overflow <= 0
    for panel in (*PANELS, *MORE, "compare", "methods"):
        box = page.open_tab(panel).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    page.drag((0.5, 0.2))
    assert page.costs[1:] == pytest.approx((50, 20), rel=0.025)


def test_a_finger_on_a_phone_moves_the_point(open_page):
    page = open_page(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    chart = page.page.locator("#chart-map").bounding_box()
    assert chart["y"] + chart["height"] <= 2 * 740, "the answer and the map are on the first two screens"
    page.page.locator("#chart-map").scroll_into_view_if_needed()
    # a swipe that begins on the map scrolls
    x, y = page.place(0.2, 0.4)
    before = page.page.evaluate("scrollY")
    finger = page.page.context.new_cdp_session(page.page)
    for kind, places in [("Start", [0]), ("Move", range(25, 201, 25)), ("End", [None])]:
        # a finger that rests before it leaves does not make the page fly on
        page.page.wait_for_timeout(150 if kind == "End" else 0)
        for up in places:
            points = [] if up is None else [{"x": x, "y": y - up}]
            finger.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})
    page.until(f"scrollY > {before + 100}")
    assert page.costs == (100, 40, 12)
    page.page.locator("#chart-map").scroll_into_view_if_needed()
    # far from the handle, which a browser takes for the aim of a finger beside it
    page.page.touchscreen.tap(*page.place(0.05, 0.02))
    page.settle()
    assert page.costs[1:] == pytest.approx((5, 2), rel=0.025)
    assert page.overflow <= 0


def test_the_map_stays_under_the_hand(open_page):
    page = open_page()
    top = page.page.locator("#chart-map").bounding_box()["y"]
    box = page.role("cost-point").locator("circle").last.bounding_box()
    page.page.mouse.move(box["x"] + 8, box["y"] + 8)
    page.page.mouse.down()
    for mu, nu in [(0.7, 0.55), (0.4, 0.002), (0.02, 0.3), (0.6, 0.2)]:
        page.page.mouse.move(*page.place(mu, nu), steps=2)
        page.settle()
        assert page.page.locator("#chart-map").bounding_box()["y"] == top, page.headline
    page.page.mouse.up()
