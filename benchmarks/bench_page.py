"""Pages in a browser: three models on a million cases, five on 768, and costs that differ by case.

The peer of a time on the page is the frame of a screen, 16.7 ms; the first paint has half a second. A size is
compared with the largest one that was asked for.
"""

import statistics
import sys
import tempfile
from pathlib import Path

from timing import ratio_row

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

FRAME = 1 / 60
CASES = 10**6
TRIES = 5
SLOWER = 6
COLOURS = ("abstention", "winner", "difference", "cost")
MODELS = ("forest", "logistic", "rule", "trees", "neighbours")
# kilobytes
SMALL, LARGE = 350, 450


def paint(browser, file):
    """Best time to the first content; other work on the machine delays a page."""
    return min(opened(browser, file, first_paint) for _ in range(TRIES))


def first_paint(page):
    return page.page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime") / 1e3


def drag(page):
    """Median and 95th percentile of the steps of a drag."""
    page.drag((0.9, 0.3), (0.1, 0.05), (0.6, 0.02), (0.3, 0.4), steps=25)
    steps = page.measures("demur-drag")
    return statistics.median(steps) / 1e3, statistics.quantiles(steps, n=20)[-1] / 1e3


def slow_drag(page):
    """The same as a processor feels it that is six times slower."""
    page.page.context.new_cdp_session(page.page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    return drag(page)


def recolour(page):
    for _ in range(3):
        for colour in COLOURS:
            page.choose(f"map-colour-{colour}")
    # the first map is drawn while the page starts
    return statistics.median(page.measures("demur-map")[1:]) / 1e3


def slide(control):
    def measure(page):
        page.reveal(control)
        for value in range(40, 240, 10):
            page.role(control).fill(str(value))
            page.draw()
        return statistics.median(page.measures("demur-draw") or page.measures("demur-drag")) / 1e3

    return measure


def longest_task(page):
    """The longest task of a drag and of the rest after it, when intervals are found."""
    page.drag((0.9, 0.3), (0.1, 0.05), (0.3, 0.4), steps=25)
    page.page.wait_for_timeout(500)
    return max(page.page.evaluate("window.tasks.map(task => task.duration)"), default=0.0) / 1e3


WATCH = """window.tasks = [];
new PerformanceObserver(list => window.tasks.push(...list.getEntries())).observe({type: 'longtask'});"""


def five(n=768, *, by_case=False):
    """Five models on as many cases as the best known of small data sets, perhaps with costs of each."""
    import numpy as np

    import page_reports
    from demur import Binormal, CaseCosts

    rng = np.random.default_rng(3)
    y, s = Binormal(separation=1.6).sample(n, rng=1)
    scores = {name: s + 0.25 * k * rng.normal(size=n) for k, name in enumerate(MODELS)}
    if not by_case:
        return page_reports.report(y, scores)
    amount = np.round(rng.lognormal(4, 1, n), 2)
    costs = CaseCosts(cost_fn=amount, cost_fp=12, cost_abstain=4, columns={"cost_fn": "amount"})
    return page_reports.report(y, scores, costs=costs)


def size_row(what, size, file, most):
    """One line of the table for kilobytes."""
    found = file.stat().st_size / 1e3
    return (what, size, f"{found:.0f} kB", f"{most} kB", f"{found / most:.2f} x", "<= 1")


def opened(browser, file, measure):
    """Open the file in a page of its own, measure, close it."""
    from browser import Opened, new_tab

    page = Opened.of(new_tab(browser, script=WATCH), file)
    value = measure(page)
    page.page.context.close()
    if page.problems:
        raise RuntimeError("; ".join(page.problems))
    return value


def rows():
    import page_reports
    from browser import launch, playwright

    with tempfile.TemporaryDirectory() as folder, playwright() as running:
        file = Path(folder) / "large.html"
        page_reports.named("large").to_html(file)
        # the whole browser, as people have it
        browser = launch(running, ["chromium"])
        size = f"{CASES:.0e}"
        yield size_row("size of the page", size, file, LARGE)
        small, amounts = Path(folder) / "small.html", Path(folder) / "amounts.html"
        five().to_html(small)
        five(by_case=True).to_html(amounts)
        yield size_row("size of the page, 5 models", "768", small, SMALL)
        for name, page, limit in (("", small, 8), (", amounts", amounts, 50)):
            late, task = opened(browser, page, drag)[1], opened(browser, page, longest_task)
            yield ratio_row(f"step of a drag{name}, 95th percentile", "768", late, limit / 1e3, "<= 1")
            yield ratio_row(f"longest task after load{name} / 300 ms", "768", task, 0.3, "<= 1")
        yield ratio_row("first paint / half a second", size, paint(browser, file), 0.5, "<= 1")
        # one step of a drag must leave time for the browser's own work in a frame
        median, late = opened(browser, file, drag)
        yield ratio_row("step of a drag, median / frame", size, median, FRAME, "<= 0.24 (4 ms)")
        yield ratio_row("step of a drag, 95th percentile / frame", size, late, FRAME, "<= 0.48 (8 ms)")
        late = opened(browser, file, slow_drag)[1]
        yield ratio_row(f"the same, processor {SLOWER} x slower / frame", size, late, FRAME, "<= 3.6 (60 ms)")
        yield ratio_row("map in new colours / frame", size, opened(browser, file, recolour), FRAME, "<= 2")
        # a new prevalence changes every surface and every map
        for name in ("prevalence", "cost-abstain"):
            value = opened(browser, file, slide(f"{name}-slider"))
            yield ratio_row(f"step of the {name} slider / frame", size, value, FRAME, "<= 5")
        browser.close()
