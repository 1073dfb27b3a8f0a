"""A real browser for the tests of the page: Debian's Chromium, steered by Playwright."""

import io
import math
import re
import shutil
import time
from collections import deque
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

ARGUMENTS = [
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    # without a graphics card the processor paints faster than an imitated card does
    "--disable-gpu-rasterization",
    "--disable-gpu-compositing",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# the same engine without windows, menus and profiles opens a page in two thirds of the time
PROGRAMS = ("chromium-headless-shell", "chromium")
VIEWPORT = {"width": 1280, "height": 900}
CHARTS = ("map", "scores", "cost-curve", "roc")
PANELS = (*CHARTS, "confusion", "models")
# beside those charts
MORE = ("net-benefit", "precision-recall", "calibration", "risk-coverage")
# open whatever an element is folded in, and choose its tab
REVEAL = """selector => {
  for (let at = document.querySelector(selector); at !== null; at = at.parentElement) {
    if (at.hidden && at.getAttribute('role') === 'tabpanel')
      document.getElementById(at.getAttribute('aria-labelledby')).click();
    if (at instanceof HTMLDetailsElement) at.open = true;
  }
}"""
# when the last files were saved
_SAVED = deque(maxlen=9)
_NUMBER = r"(−?∞|[-+]?[\d.]+(?:e[-+]\d+)?)"


@contextmanager
def playwright():
    """Start Playwright; tests that need it skip where it or the browser is absent."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        pytest.skip("Playwright is not installed")
    if not any(map(shutil.which, PROGRAMS)):
        pytest.skip("Chromium is not installed")
    with sync_playwright() as running:
        yield running


def launch(running, programs=PROGRAMS):
    """Start the first of these programs that is there, with new, empty user data."""
    program = next(filter(None, map(shutil.which, programs)))
    return running.chromium.launch(executable_path=program, args=ARGUMENTS)


def new_tab(browser, *, script=None, **options):
    """Return an empty page of its own, perhaps with a script that runs before those of every page in it."""
    context = browser.new_context(**{"viewport": VIEWPORT, **options})
    context.set_default_timeout(15_000)
    context.add_init_script(
        "addEventListener('securitypolicyviolation', event => "
        "console.error(`policy violated: ${event.violatedDirective}`))"
    )
    if script is not None:
        context.add_init_script(script)
    return context.new_page()


def can_be_set(options):
    """Whether a tab that is open already can be what these options of a new one ask for."""
    return options.keys() <= {"viewport", "color_scheme", "reduced_motion"}


def set_options(page, *, viewport=None, color_scheme="light", reduced_motion="no-preference"):
    """Give a tab the options that can be set, and the usual ones where none are given."""
    page.set_viewport_size(viewport or VIEWPORT)
    page.emulate_media(media="null", color_scheme=color_scheme, reduced_motion=reduced_motion)


@dataclass
class Opened:
    """A report in the browser, what went wrong in it, and short ways to read it."""

    page: object
    path: Path
    problems: list = field(default_factory=list)
    _listeners: dict = field(default_factory=dict)

    @classmethod
    def of(cls, page, path, fragment=""):
        """Open the file in a tab of :func:`new_tab` and wait until every chart is drawn."""
        opened = cls(page, path)
        opened._listeners = opened._listen()
        opened.page.goto(path.as_uri() + fragment)
        opened.page.wait_for_selector("html[data-ready]")
        opened.settle()
        return opened

    def leave(self):
        """Make the tab as good as new: an empty page, and a mouse that rests in the corner."""
        self.page.mouse.up()
        self.page.mouse.move(0, 0)
        self.page.goto("about:blank")
        for event, hear in self._listeners.items():
            self.page.remove_listener(event, hear)

    def _listen(self):
        def heard(message):
            # that copying pixels takes time is no fault of the page: the processor plays the graphics card
            if message.type in ("error", "warning") and "GL Driver Message" not in message.text:
                self.problems.append(f"console {message.type}: {message.text}")

        def asked(request):
            if not request.url.startswith(("file:", "data:", "blob:")):
                self.problems.append(f"request: {request.url}")

        listeners = {
            "console": heard,
            "pageerror": lambda error: self.problems.append(f"page error: {error}"),
            "request": asked,
            "dialog": lambda dialog: self.problems.append(f"dialog: {dialog.message}"),
        }
        for event, hear in listeners.items():
            self.page.on(event, hear)
        return listeners

    # ------------------------------------------------------------ acting

    def role(self, name):
        """Return the element with this part in the page."""
        return self.page.locator(f'[data-role="{name}"]')

    def panel(self, name):
        """Return a panel by its name."""
        return self.page.locator(f'[data-panel="{name}"]')

    def draw(self):
        """Wait until all changes are drawn: they are at the next frame."""
        self.page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")

    def settle(self):
        """Wait until all changes are drawn, with all that waits until the hand rests."""
        self.draw()
        self.until("document.documentElement.dataset.rests !== 'false'")

    def until(self, expression):
        """Wait until a condition holds; Playwright's own way needs eval, which the page forbids."""
        for _ in range(200):
            if self.page.evaluate(expression):
                return
            self.page.wait_for_timeout(25)
        pytest.fail(f"never became true: {expression}")

    def reveal(self, role):
        """Return the element with this part once it can be seen, whatever it is folded in."""
        self.page.evaluate(REVEAL, f'[data-role="{role}"]')
        self.settle()
        return self.role(role)

    def fill(self, role, value):
        """Type into a field."""
        self.reveal(role).fill(str(value))
        self.settle()

    def choose(self, role):
        """Check a radio button that looks like a word."""
        self.reveal(role).check(force=True)
        self.settle()

    def select(self, role, value):
        """Choose one of a list."""
        self.reveal(role).select_option(str(value))
        self.settle()

    def click(self, role):
        """Press a button, perhaps one of a menu."""
        self.reveal(role).click()
        self.settle()

    def save(self, panel, kind):
        """Return the bytes and the name of a file that a panel saves."""
        return self.downloaded(self.reveal(f"save-{kind}-{panel}").click)

    def open_tab(self, panel):
        """Bring a panel into sight: open the evidence and choose its tab."""
        self.page.evaluate(REVEAL, f'[data-panel="{panel}"]')
        self.settle()
        return self.panel(panel)

    def press(self, keys):
        """Press one key, perhaps with modifiers."""
        self.page.keyboard.press(keys)
        self.settle()

    def place(self, mu, nu):
        """Return where costs stand on the logarithmic map, in pixels of the window."""
        box = self.page.locator("#chart-map .catch").first.bounding_box()
        across, up = self.shares(mu, nu)
        return box["x"] + box["width"] * across, box["y"] + box["height"] * (1 - up)

    def shares(self, mu, nu):
        """Return how far along the two axes of the map costs stand."""
        axes = [self.page.locator("#chart-map").get_attribute(f"data-{name}") for name in ("mu", "nu")]
        ends = [[float(end) for end in axis.split()] for axis in axes]
        return [
            math.log(price / low) / math.log(high / low)
            for price, (low, high) in zip((mu, nu), ends, strict=True)
        ]

    def drag(self, *costs, steps=8):
        """Drag the cost point from where it is through these (mu, nu)."""
        self.page.locator("#chart-map").scroll_into_view_if_needed()
        box = self.role("cost-point").locator("circle").last.bounding_box()
        mouse = self.page.mouse
        mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        mouse.down()
        for mu, nu in costs:
            mouse.move(*self.place(mu, nu), steps=steps)
        mouse.up()
        self.settle()

    def downloaded(self, act):
        """Return the bytes and the name of the file that an action saves."""
        # Chromium drops what a page saves beyond ten files in one second
        if len(_SAVED) == _SAVED.maxlen:
            time.sleep(max(0.0, _SAVED[0] + 1.1 - time.monotonic()))
        _SAVED.append(time.monotonic())
        with self.page.expect_download() as waiting:
            act()
        return Path(waiting.value.path()).read_bytes(), waiting.value.suggested_filename

    # ------------------------------------------------------------ reading

    def text(self, role):
        """Return what an element says."""
        return self.role(role).text_content()

    @property
    def headline(self):
        """Decision and cost, joined as Python joins them."""
        return " ".join(part for part in (self.text("decision"), self.text("cost-sentence")) if part)

    @property
    def costs(self):
        """The three prices in the fields; None for an empty one."""
        found = [self.role(name).input_value() for name in ("cost-fn", "cost-fp", "cost-abstain")]
        return tuple(float(value) if value else None for value in found)

    @property
    def window(self):
        """Thresholds as the map names them, equal where one cut is enough."""
        words = self.text("map-reading")
        found = re.search(rf"Here: (?:window {_NUMBER} to|threshold) {_NUMBER},", words)
        assert found, words
        upper = threshold(found[2])
        return (upper if found[1] is None else threshold(found[1])), upper

    @property
    def handle(self):
        """Centre of the cost point, in pixels of the map."""
        moved = self.role("cost-point").get_attribute("transform")
        return tuple(float(part) for part in re.findall(r"[\d.]+", moved))

    @property
    def fragment(self):
        """State in the address, once it has settled."""
        self.page.wait_for_timeout(350)
        return {key: value[0] for key, value in parse_qs(urlsplit(self.page.url).fragment).items()}

    def measures(self, name):
        """Durations that the page measured, in milliseconds."""
        entries = "name => performance.getEntriesByName(name).map(entry => entry.duration)"
        return self.page.evaluate(entries, name)

    @property
    def overflow(self):
        """By how many pixels the page is wider than the window."""
        return self.page.evaluate("document.documentElement.scrollWidth - innerWidth")


def threshold(words):
    """Read a threshold as the page writes it."""
    special = {"∞": float("inf"), "−∞": float("-inf")}
    return special[words] if words in special else float(words)


def shown(value):
    """Round a threshold as the page does."""
    return float(f"{value:.4g}")


def colours(png):
    """Return the colour of every pixel of a PNG as one number."""
    import matplotlib.image

    picture = matplotlib.image.imread(io.BytesIO(png), format="png")
    red, green, blue = np.moveaxis(np.rint(255 * picture[..., :3]).astype(int), 2, 0)
    return 65536 * red + 256 * green + blue
