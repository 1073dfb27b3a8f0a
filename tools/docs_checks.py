"""Check the built site: links lead somewhere, words are spelled right, and a browser shows all of it."""

import os
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from spellchecker import SpellChecker

# text of these is code, or made by the theme
NOT_PROSE = {
    "code",
    "pre",
    "script",
    "style",
    "svg",
    "math",
    "nav",
    "header",
    "footer",
    "button",
    "form",
    "iframe",
}
VOID = {"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
WORD = re.compile(r"[^\W\d_]+(?:'[a-z]+)?")
# in one page after the other: code wider than its box, pictures that did not load
CUT_OFF = """() => [
  ...[...document.querySelectorAll('.md-content pre > code')]
    .filter(code => code.scrollWidth > code.clientWidth + 1)
    .map(code => 'cut off: ' + code.textContent.trim().slice(0, 60)),
  ...[...document.querySelectorAll('.md-content img')]
    .filter(image => image.complete && image.naturalWidth === 0)
    .map(image => 'no picture: ' + image.getAttribute('src')),
]"""
# at the width of a phone: tables, code and displayed formulas may scroll, everything else must fit
TOO_WIDE = """() => [...document.querySelectorAll('.md-content *')]
  .filter(part => !part.closest('pre, table, svg, .formula'))
  .filter(part => part.getBoundingClientRect().right > window.innerWidth + 1)
  .map(part => 'wider than the screen: ' + part.tagName + ' ' + part.textContent.trim().slice(0, 40))"""


class Page(HTMLParser):
    """Links, anchors and words of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.words: set[str] = set()
        self._open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.links += [value for key in ("href", "src") if (value := values.get(key))]
        self.anchors |= {value for key in ("id", "name") if (value := values.get(key))}
        if tag not in VOID:
            # names of functions and parameters are code, too
            code = "doc-object-name" in (values.get("class") or "") or "title" in values
            self._open.append("code" if code and tag == "span" else tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID and self._open:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if "article" in self._open and not NOT_PROSE & set(self._open):
            # file names, versions and formulas are not words
            text = re.sub(r"\S*[\d_/.@=\\]\S+", " ", data)
            self.words |= {word for word in WORD.findall(text) if len(word) > 3}


def check_site(site: Path, words: Path) -> None:
    """Stop with everything that is wrong."""
    pages = {
        path: Page(path.read_text())
        for path in sorted(site.rglob("*.html"))
        if path.name not in ("404.html", "report.html")
    }
    problems = [*broken_links(pages), *unknown_words(pages, words), *seen_in_browser(list(pages))]
    if problems:
        raise SystemExit("\n".join([*problems, f"{len(problems)} problems in {site.name}."]))
    print(f"checked {len(pages)} pages: links, spelling, code blocks and pictures")


def broken_links(pages: dict[Path, Page]) -> list[str]:
    """Return links to files and anchors that do not exist; addresses of the network are not asked."""
    broken = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or link.startswith("//"):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path.resolve()
            known = pages.get(target)
            anchor = unquote(parts.fragment)
            lost = (
                known is not None and anchor and not anchor.startswith("__") and anchor not in known.anchors
            )
            if lost or not target.exists():
                broken.append(f"{path.name}: {link} leads nowhere")
    return broken


def unknown_words(pages: dict[Path, Page], words: Path) -> list[str]:
    """Return words that neither the dictionary nor our list knows."""
    from spellchecker import SpellChecker

    dictionary = SpellChecker(language="en")
    ours = set(words.read_text().lower().split())
    unknown = []
    for path, page in pages.items():
        # capitals are names of people and products, or begin a sentence
        lower = {word for word in page.words if word.islower()}
        strange = sorted(word for word in lower if not ({*spellings(word)} & ours or known(word, dictionary)))
        unknown += [
            f"{path.name}: {word!r} is in no dictionary; correct it, or add it to tools/{words.name}"
            for word in strange
        ]
    return unknown


def known(word: str, dictionary: "SpellChecker") -> bool:
    """Tell whether the dictionary has a word, in British or in American spelling."""
    return any(spelling in dictionary for spelling in spellings(word))


def spellings(word: str) -> list[str]:
    """Return a word without 's, as it is and with -ize for -ise."""
    stem = re.sub(r"'s?$", "", word)
    return [stem, re.sub(r"is(e[ds]?|ing|ations?)$", r"iz\1", stem)]


def seen_in_browser(paths: list[Path]) -> list[str]:
    """Open every page in Chromium at two widths; return what is cut off or missing."""
    chromium = shutil.which("chromium")
    if chromium is None:
        if os.environ.get("DEMUR_NO_SKIPS"):
            return ["no Chromium to look at the pages with"]
        print("not looked at: there is no Chromium")
        return []
    # two browsers, since half of the time is spent waiting for one
    with ThreadPoolExecutor(2) as pool:
        halves = pool.map(looked_at, (paths[::2], paths[1::2]), (chromium, chromium))
        return [problem for half in halves for problem in half]


def looked_at(paths: list[Path], chromium: str) -> list[str]:
    """Open pages in a browser of their own; return what is cut off or missing."""
    from playwright.sync_api import sync_playwright

    problems = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_context(java_script_enabled=False).new_page()
        for path in paths:
            page.set_viewport_size({"width": 1280, "height": 900})
            page.goto(path.resolve().as_uri(), wait_until="load")
            for width, question in ((1280, CUT_OFF), (360, TOO_WIDE)):
                page.set_viewport_size({"width": width, "height": 900})
                problems += [f"{path.name} at {width} px: {said}" for said in page.evaluate(question)]
        browser.close()
    return problems
