"""The report as one self-contained HTML page: template, bundle and data, nothing from the network.

The page may run exactly one script and one style sheet, both named by their hash in its
Content-Security-Policy, and may load nothing. Names from the data are text, never markup.
"""

import base64
import hashlib
import re
from html import escape
from pathlib import Path

from demur.exceptions import DemurError

__all__ = ["framed_page", "page_part", "page_text"]

_FOLDER = Path(__file__).parent / "page"
# inside a script element only these could end it or, in old engines, a line of it
_UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
_FRAME_HEIGHT = 900


def page_text(json_text: str, *, title: str, headline: str, software: str) -> str:
    """Fill the template of the page, the same for two classes and for many."""
    script, style = page_part("bundle.js"), page_part("style.css")
    hashes = [
        f"sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}"
        for text in (script, style)
    ]
    parts = {
        # this script and this style sheet, pictures made by the page, and nothing else
        "policy": f"default-src 'none'; script-src '{hashes[0]}'; style-src '{hashes[1]}'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'",
        "software": escape(software),
        "title": escape(title),
        "headline": escape(headline),
        "style": style,
        "script": script,
        "data": re.sub("[<>&\u2028\u2029]", lambda found: _UNSAFE[found.group()], json_text),
    }
    # one pass, so that nothing in the data can pose as a placeholder
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found.group(1)], page_part("page.html"))


def framed_page(page: str) -> str:
    """Put a page into a sandboxed frame of a notebook: it may run its script and nothing else."""
    return (
        f'<iframe sandbox="allow-scripts" srcdoc="{escape(page)}" title="demur report" '
        f'width="100%" height="{_FRAME_HEIGHT}" frameborder="0"></iframe>'
    )


def page_part(name: str) -> str:
    """Return the text of a built file of the package."""
    try:
        return (_FOLDER / name).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise DemurError(
            f"The page of the report is incomplete: {name} is missing from the installation. "
            "Hint: reinstall demur, or run `make web` in a checkout."
        ) from None
