"""Escape names from the data in written text: one function per format."""

import re
from html import escape
from typing import Any

from demur._files.values import is_number

__all__ = ["markdown", "spreadsheet", "tex", "visible", "xml"]

# C0, DEL, C1, line separators, directional overrides and isolates, halves of pairs no encoding writes
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
# what a spreadsheet takes for the start of a formula (OWASP, CSV injection)
_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
_TEX = {sign: f"\\{sign}" for sign in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
}
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def visible(text: str) -> str:
    r"""Escape control characters and directional overrides for a terminal, such as ESC as \x1b."""
    points = set(map(ord, _CONTROL.findall(text)))
    return text.translate({k: f"\\x{k:02x}" if k < 0x100 else f"\\u{k:04x}" for k in points})


def markdown(text: str) -> str:
    """Escape every sign that Markdown or HTML would read, and keep the text on one line."""
    # an underscore within a word is text (CommonMark 0.31, rule 2 of emphasis)
    signs = r"([\\`*\[\]|#~$]|(?<![^\W_])_|_(?![^\W_]))"
    plain = re.sub(signs, r"\\\1", visible(re.sub(r"\s+", " ", text).strip()))
    return escape(plain, quote=False)


def tex(text: str) -> str:
    """Escape every sign that TeX would read, and keep the text on one line."""
    return "".join(_TEX.get(sign, sign) for sign in visible(re.sub(r"\s+", " ", text).strip()))


def spreadsheet(cell: Any) -> Any:
    """Put an apostrophe before text that a spreadsheet would run as a formula; numbers stay as they are."""
    formula = isinstance(cell, str) and cell.startswith(_FORMULA) and not is_number(cell)
    return f"'{cell}" if formula else cell


def xml(text: str) -> str:
    """Escape a text for XML; characters that XML forbids are left out."""
    return escape(_NO_XML.sub("", text))
