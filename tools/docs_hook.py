"""MkDocs calls this while it builds: names become links, formulas MathML, and sessions lose their prompts.

The names are found by looking: the subpackages' public lists, and the methods of public classes. From the
same lists comes the part of the navigation that has a page for every name and every verb.
"""

import doctest
import html
import inspect
import re
from functools import cache
from importlib import import_module

from latex2mathml.converter import convert

import demur
from demur.cli.main import VERBS

# what the pages call objects of these classes
USUAL_NAMES = {
    "answer": "Answer",
    "certificate": "SurfaceCertificate",
    "comparison": "Comparison",
    "costs": "CostModel",
    "monitor": "PolicyMonitor",
    "policy": "Policy",
    "report": "Report",
    "surface": "AbstentionSurface",
}
TAG = re.compile(r"<(/?)([a-zA-Z][\w-]*)[^>]*>")
INLINE = re.compile(r"<code>([^<]+)</code>")
BLOCK = re.compile(r'<div class="([\w -]*)highlight">(.*?)</div>', re.S)
FORMULA = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>([.,;:)]*)', re.S)
WORD = re.compile(r'(<span class="n[a-z]?">)(\w+)(</span>)')
BEFORE = re.compile(r'<span class="n[a-z]?">(\w+)</span><span class="o">\.</span>$')


@cache
def homes() -> dict[str, str]:
    """Return {name: full name} of every public name, as the reference documents it."""
    found = {
        name: f"demur.{subpackage}.{name}"
        for subpackage in subpackages()
        for name in subpackage_names(subpackage)
    }
    for name in top_names():
        if name not in found:  # such as errors, which no subpackage lists
            found[name] = f"{getattr(demur, name).__module__}.{name}"
    return found


@cache
def subpackages() -> list[str]:
    """Return the public subpackages."""
    return [name for name in demur.__all__ if inspect.ismodule(getattr(demur, name))]


@cache
def top_names() -> list[str]:
    """Return the names that demur itself offers."""
    return [name for name in demur.__all__ if name not in (*subpackages(), "__version__")]


@cache
def subpackage_names(subpackage: str) -> frozenset[str]:
    """Return the public names of a subpackage."""
    return frozenset(import_module(f"demur.{subpackage}").__all__)


@cache
def reference_groups() -> dict[str, list[str]]:
    """Return {folder of the reference: names}: a folder per subpackage, and one for names that none lists."""
    groups = {name: sorted(subpackage_names(name)) for name in subpackages()}
    others = {name for name, full in homes().items() if full.split(".")[1] not in groups}
    return {**groups, "errors": sorted(others)}


def page_of(name: str) -> str:
    """Return the page of a public name, below the folder of the reference.

    Some file systems take "Isometric" and "isometric" for one file.
    """
    group = next(group for group, names in reference_groups().items() if name in names)
    twin = name != name.lower() and name.lower() in reference_groups()[group]
    return f"{group}/{name}{'-class' if twin else ''}.md"


def reference_navigation() -> list[dict[str, object]]:
    """Return the navigation of the pages that are made: names by subpackage, and verbs."""
    names: list[object] = ["generated/reference/index.md"]
    for group, members in reference_groups().items():
        pages: list[object] = [f"generated/reference/{group}/index.md"]
        pages += [{name: f"generated/reference/{page_of(name)}"} for name in members]
        names.append({"errors and intervals" if group == "errors" else group: pages})
    verbs: list[object] = ["generated/command_line/index.md"]
    verbs += [{verb: f"generated/command_line/{verb}.md"} for verb in VERBS]
    return [{"By subpackage": names}, {"Command line": verbs}]


def public_object(full_name: str) -> object:
    """Return what a full name stands for."""
    home, _, name = full_name.rpartition(".")
    return getattr(import_module(home), name)


def entry(code: str) -> str | None:
    """Return the reference entry that a piece of inline code is about, or None."""
    path = re.match(r"[A-Za-z_][\w.]*", code)
    # "y_true, y_score", "nu >= mu / (1 + mu)" are about no single name
    if path is None or not re.fullmatch(r"\s*(\(.*|\[.*)?", code[path.end() :], re.S):
        return None
    words = path.group().removesuffix(".").split(".")
    if words[0] == "demur":
        words = words[1:]
        if len(words) > 1 and words[0] in subpackages() and words[1] in subpackage_names(words[0]):
            words = words[1:]
    elif len(words) > 1:
        words[0] = USUAL_NAMES.get(words[0], words[0])
    if not words or words[0] not in homes():
        return None
    full_name = homes()[words[0]]
    if len(words) == 1:
        return full_name
    member = getattr(public_object(full_name), words[1], None)
    documented = inspect.isroutine(member) or isinstance(member, property)
    return f"{full_name}.{words[1]}" if documented and inspect.getdoc(member) else full_name


def linked(identifier: str, inner: str) -> str:
    """Return a reference that the plugin autorefs resolves; an unknown one stops the build."""
    return f'<autoref identifier="{identifier}">{inner}</autoref>'


def link_block(code: str, foreign: set[str]) -> str:
    """Link the public names in a highlighted block; attributes of other objects are not ours."""

    def replace(match: re.Match[str]) -> str:
        name = match.group(2)
        owner = BEFORE.search(code, max(0, match.start() - 200), match.start())
        after_dot = code[: match.start()].endswith('<span class="o">.</span>')
        ours = owner is not None and (owner.group(1) == "demur" or owner.group(1) in demur.__all__)
        if name not in homes() or name in foreign or (after_dot and not ours):
            return match.group()
        return linked(homes()[name], match.group())

    return WORD.sub(replace, code)


def plain_code(session: str) -> str:
    """Return the lines of a session that a reader would type."""
    return "".join(example.source for example in doctest.DocTestParser().get_examples(session))


def finished_block(match: re.Match[str], foreign: set[str]) -> str:
    """Return a code block with links, and with what its copy button copies."""
    kind, code = match.groups()
    if "doc-signature" in kind:
        return match.group()
    text = html.unescape(re.sub(r"<[^>]+>", "", code))
    copied = f' data-copy="{html.escape(plain_code(text))}"' if text.lstrip().startswith(">>>") else ""
    return f'<div class="{kind}highlight"{copied}>{link_block(code, foreign)}</div>'


def link_inline(page: str, *, skip_first_cells: bool) -> str:
    """Link inline code outside links, headings and blocks; the first cells of a page may be a peer's."""
    out, depth, cell, done = [], 0, 0, 0
    for tag in TAG.finditer(page):
        closing, name = tag.group(1) == "/", tag.group(2).lower()
        if tag.start() < done:
            continue
        if name in ("a", "pre", "autoref", "h1", "h2", "h3", "h4", "h5", "h6"):
            depth += -1 if closing else 1
        elif name == "tr":
            cell = 0
        elif name == "td" and not closing:
            cell += 1
        elif name == "code" and not closing and depth == 0 and not (skip_first_cells and cell == 1):
            match = INLINE.match(page, tag.start())
            target = entry(html.unescape(match.group(1))) if match else None
            if match and target:
                out += [page[done : tag.start()], linked(target, match.group())]
                done = match.end()
    return "".join([*out, page[done:]])


def on_page_markdown(markdown: str, **_: object) -> str:
    """Colour what a session prints as output, not as Python."""
    return markdown.replace("```python\n>>>", "```pycon\n>>>")


def typeset_formula(match: re.Match[str]) -> str:
    """Return a formula as MathML, which browsers draw without a script; a displayed one may scroll."""
    block = match[2] == "["
    made = convert(html.unescape(match[3]), display="block" if block else "inline")
    # "don't know" and infinity are values, without the space around operators
    made = re.sub(r"<mo>(&#x022A5;|&#x0221E;)</mo>", r"<mi>\1</mi>", made)
    if block:
        return f'<div class="formula">{made}</div>{match[4]}'
    # a stop does not begin a line
    return f'<span class="unbroken">{made}{match[4]}</span>' if match[4] else made


def on_page_content(page_html: str, page, **_: object) -> str:
    """Finish a page that Markdown has made."""
    peer = page.file.src_uri.startswith("coming_from/") or page.file.src_uri == "peers.md"
    text = html.unescape(re.sub(r"<[^>]+>", "", page_html))
    imports = re.findall(r"^(?:>>> )?from (?!demur)[\w.]+ import (.*)$", text, re.M)
    foreign = {name for line in imports for name in re.findall(r"\w+", line)}
    typeset = FORMULA.sub(typeset_formula, page_html)
    blocks = BLOCK.sub(lambda match: finished_block(match, foreign), typeset)
    return link_inline(blocks, skip_first_cells=peer)


def on_config(config):
    """Show the version on every page, and put the pages of names and verbs after the list by question."""
    config.copyright = f"demur {demur.__version__}"
    (reference,) = (part["Reference"] for part in config.nav if "Reference" in part)
    reference[1:1] = reference_navigation()
    return config
