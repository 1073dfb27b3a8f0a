"""The page of three models on a million cases, in a browser.

The peer of a time on the page is the frame of a screen, 16.7 ms; the first paint has half a second.
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
        for value in range(40, 240, 10):
            page.reveal(control).fill(str(value))
            page.settle()
        return statistics.median(page.measures("demur-draw") or page.measures("demur-drag")) / 1e3

    return measure


def opened(browser, file, measure):
    """Open the file in a page of its own, measure, close it."""
    from browser import Opened, new_tab

    page = Opened.of(new_tab(browser), file)
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
