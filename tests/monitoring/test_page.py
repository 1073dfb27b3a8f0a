"""The page of `demur watch`: what it says, and how it looks in a browser to every reader."""

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from demur import CostModel, Policy, PolicyMonitor, UndefinedError, abstention_surface
from demur.monitoring.alarms import advice
from demur.monitoring.page import Chart, Guide, Line, log_ticks, monitor_page, round_ticks
from demur.policy import Promise
from demur.windows import Window
from monitoring_cases import promised_policy, shop, shop_policy

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
HOSTILE = "</style></title><script>alert(1)</script><img src=x onerror=alert(2)>\"'&"


def watched(*, change=0.3, labelled=True, **labels):
    """A monitor after ten quiet days and five with another share of positives."""
    rng = np.random.default_rng(12)
    monitor = PolicyMonitor(shop_policy(rng, 3000, **labels))
    for day in range(1, 16):
        y, s = shop(rng, 500, 0.1 if day <= 10 else change)
        monitor.update(s, y.astype(int) if labelled and not labels else None, at=f"2026-03-{day:02d}")
    return monitor


class Reader(HTMLParser):
    """Collects tags and the text outside of the style sheet."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.said, self._inside = [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._inside.append(tag)

    def handle_endtag(self, tag):
        while self._inside and self._inside.pop() != tag:
            pass

    def handle_data(self, data):
        if "style" not in self._inside:
            self.said.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.said).split())


# ---------------------------------------------------------------- words


def test_sentence_first_then_what_to_do():
    monitor = watched()
    page = Reader(monitor_page(monitor, proposed="new.json"))
    assert monitor.alarms
    places = [page.text.index(words) for words in (*monitor.alarms, "What to do", "In numbers", "Over time")]
    assert places == sorted(places)
    assert "It is in new.json." in page.text
    assert page.text.startswith("Alarm: a policy in use")


def test_quiet_page_asks_for_an_audit_while_there_are_no_labels():
    page = Reader(monitor_page(watched(change=0.1, labelled=False)))
    assert page.text.startswith("Quiet: a policy in use")
    assert "The scores look as they did when the policy was made" in page.text
    assert "demur apply --audit 0.01" in page.text
    assert "Cost per case" not in page.text
    quiet = watched(change=0.1)
    assert advice(quiet) == ["Nothing until the next batch."]


def test_page_before_the_first_batch():
    rng = np.random.default_rng(1)
    page = Reader(monitor_page(PolicyMonitor(shop_policy(rng, 300))))
    assert "No batch has been counted yet." in page.text
    assert "svg" not in {tag for tag, _ in page.tags}


def test_numbers_are_those_of_the_monitor():
    monitor = watched()
    page = Reader(monitor_page(monitor))
    assert f"{100 * monitor.prevalence:.1f} %" in page.text
    assert f"{monitor.n:,} in 15 batches" in page.text
    assert "per day" in page.text
    low, high = monitor.recent().abstained_interval
    assert f"({100 * low:.1f} % to {100 * high:.1f} %) abstained on" in page.text
    rows = [tag for tag, _ in page.tags if tag == "tr"]
    assert len(rows) == 1 + len(monitor.history)


def test_advice_by_kind_of_alarm():
    rng = np.random.default_rng(3)
    policy = promised_policy(rng, 3000)
    scaled, moved, costly = (PolicyMonitor(policy) for _ in range(3))
    scaled.update(100 * shop(rng, 500)[1])
    assert "Stop using these decisions" in advice(scaled)[0]
    for _ in range(4):
        s = shop(rng, 1000)[1]
        moved.update(np.maximum(s, np.quantile(s, 0.5)))
    assert "labelled and make a new policy" in advice(moved)[0]
    y, s = shop(rng, 4000)
    costly.update(s, (y | ((policy.decide(s) == 0) & (rng.random(4000) < 0.08))).astype(int))
    assert "demur audit with --group" in advice(costly)[0]
    assert all(steps[-1].startswith("An alarm stays") for steps in map(advice, (scaled, moved, costly)))


def test_window_without_costs_to_derive_from_has_a_page_too():
    rng = np.random.default_rng(5)
    y, s = shop(rng, 2000)
    base = Policy.from_surface(
        abstention_surface(y, s), costs=CostModel(cost_fn=5, cost_fp=2, cost_abstain=1)
    )
    policy = Policy(
        rule=Window(0.1, 0.5),
        chosen="constrained",
        shares=base.shares,
        promise=Promise(abstention_rate=0.2, fn=0.1, fp=0.1),
        evidence=base.evidence,
    )
    monitor = PolicyMonitor(policy)
    for _ in range(4):
        y, s = shop(rng, 1000, 0.35)
        monitor.update(s, y.astype(int))
    with pytest.raises(UndefinedError):
        monitor.proposed_policy()
    text = Reader(monitor_page(monitor)).text
    assert "the same constraints" in text
    assert "Right when called negative" in text


def test_hostile_names_are_text():
    monitor = watched(model=HOSTILE, pos_label=f"p{HOSTILE}", neg_label=f"n{HOSTILE}", abstain_label="a")
    monitor.update(shop(np.random.default_rng(0), 50)[1], at=HOSTILE)
    page = Reader(monitor_page(monitor, proposed=HOSTILE))
    assert not {"script", "img"} & {tag for tag, _ in page.tags}
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    assert page.text.count("alert(1)") >= 4
    assert not re.search(r"(https?:)?//[\w.]+", monitor_page(watched()))


def test_file_is_written_whole(tmp_path):
    monitor = watched()
    monitor.write_page(tmp_path / "watch.html")
    page = (tmp_path / "watch.html").read_text(encoding="utf-8")
    assert page == monitor_page(monitor)
    assert len(page) < 60_000
    assert [path.name for path in tmp_path.iterdir()] == ["watch.html"]


# ---------------------------------------------------------------- drawing


def test_places_by_hand():
    chart = Chart(
        title="t",
        text="x",
        lines=[Line(name="l", style="plain", points=[(1, 0.0), (3, 0.5), (5, 1.0)])],
        guides=[Guide(name="g", style="limit", value=0.25)],
        low=0.0,
        high=1.0,
        ticks=[(0.5, "half")],
        batches=(1, 5),
        ends=(("1",), ("5",)),
    ).html()
    assert 'points="0.0,1000.0 500.0,500.0 1000.0,0.0"' in chart
    assert 'd="M0 750.0H1000"' in chart
    assert '<span style="top:50.00%">half</span>' in chart


def test_ticks_by_hand():
    assert round_ticks(0, 1) == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1])
    assert round_ticks(0, 0.23) == pytest.approx([0, 0.05, 0.1, 0.15, 0.2])
    assert round_ticks(-3, 11) == pytest.approx([0, 5, 10])
    assert log_ticks(0.1, 200) == [0.1, 1, 10, 100]
    assert len(log_ticks(1e-3, 1e12)) <= 7


# ---------------------------------------------------------------- in a browser


@pytest.fixture(scope="module")
def watch_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "watch.html"
    monitor = watched(model=HOSTILE)
    # labels of the shop are numbers, names of the model are not
    y, s = shop(np.random.default_rng(8), 500)
    monitor.update(s, y.astype(int), second_labels=y.astype(int), at=HOSTILE)
    monitor.write_page(path)
    return path


@pytest.fixture
def open_watch(chromium, watch_file):
    contexts = []

    def opened(**options):
        context = chromium.new_context(**options)
        contexts.append(context)
        page, problems = context.new_page(), []
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("dialog", lambda dialog: problems.append(dialog.message))
        page.on("request", lambda request: request.url.startswith("file:") or problems.append(request.url))
        page.goto(watch_file.as_uri())
        return page, problems

    yield opened
    for context in contexts:
        context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_no_violation(open_watch, theme):
    if not AXE.exists():
        pytest.skip("axe-core is not installed: npm ci in web")
    page, problems = open_watch(color_scheme=theme, bypass_csp=True)
    page.evaluate("document.querySelector('details').open = true")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    passed, violated = page.evaluate(
        "axe.run().then(({violations, passes}) => [passes.length, violations.map("
        "({id, nodes}) => `${id}: ${nodes.map(node => node.target).join(' ')}`)])"
    )
    assert violated == []
    assert passed > 10, "the rules did run"
    assert problems == []


@pytest.mark.parametrize("width", [360, 768, 1280, 1920])
def test_nothing_runs_out_of_the_page(open_watch, width):
    page, problems = open_watch(viewport={"width": width, "height": 900})
    page.evaluate("document.querySelector('details').open = true")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    beyond = page.evaluate(
        "[...document.querySelectorAll('main *:not(.wide *)')].filter(part => "
        "{ const box = part.getBoundingClientRect(); return box.right > innerWidth + 1 || box.left < -1; })"
        ".map(part => part.outerHTML.slice(0, 80))"
    )
    assert beyond == []
    assert problems == []
    assert page.locator("figure svg[role=img]").count() == 4


def test_works_without_script_and_prints(open_watch):
    page, problems = open_watch(java_script_enabled=False, color_scheme="dark")
    assert page.locator("h1").inner_text().startswith("Alarm")
    page.emulate_media(media="print")
    assert len(page.pdf(format="A4")) > 10_000
    assert problems == []


def test_paper_is_white_also_in_the_dark(open_watch):
    page, _ = open_watch(color_scheme="dark")
    shade = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(shade) == "rgb(22, 22, 22)"
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate(shade) == "rgb(255, 255, 255)"
