"""Write the reference: a page for each subpackage, with links from every name to where it is used."""

import ast
import importlib
import inspect
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from docs_hook import entry, homes, public_object, subpackage_names, subpackages, top_names

BLOCK = re.compile(r"^```(?:python|text)?\n(.*?)^```$", re.M | re.S)


def write_reference(folder: Path, docs: Path, examples: Path) -> None:
    """Write a page per subpackage, one for other names and a front page; refuse names without an example."""
    folder.mkdir()
    uses, makers = where_used(docs, examples), returned_by()
    bare = without_example(uses, makers)
    if bare:
        raise SystemExit(
            f"no example shows {', '.join(sorted(bare))}: add one to the docstring or to a page."
        )
    for subpackage in subpackages():
        names = sorted(subpackage_names(subpackage))
        text = (importlib.import_module(f"demur.{subpackage}").__doc__ or "").strip()
        blocks = [block(name, uses[name], makers[name]) for name in names]
        (folder / f"{subpackage}.md").write_text(
            "\n".join([f"# demur.{subpackage} {{#demur.{subpackage}}}", "", text, "", *blocks])
        )
    # names that no subpackage lists, such as errors
    others = sorted(name for name, full in homes().items() if full.split(".")[1] not in subpackages())
    blocks = [block(name, uses[name], makers[name]) for name in others]
    (folder / "errors.md").write_text("\n".join(["# demur: errors and intervals", "", *blocks]))
    (folder / "index.md").write_text(front_page())


def without_example(uses: Mapping[str, list[tuple[str, str]]], makers: Mapping[str, list[str]]) -> list[str]:
    """Return the public names that no page and no session shows, neither themselves nor what gives one."""
    return [name for name in homes() if not (uses[name] or exemplary(name, makers))]


def front_page() -> str:
    """Return the front page: subpackages with a line each, and the names that demur itself offers."""
    lines = ["# Reference", "", "Every public name with its documentation, by subpackage.", ""]
    for subpackage in subpackages():
        module = importlib.import_module(f"demur.{subpackage}")
        line = (module.__doc__ or "").strip().splitlines()[0]
        lines.append(f"- [demur.{subpackage}]({subpackage}.md): {line}")
    lines += ["- [demur](errors.md): errors and intervals.", "", "## In demur itself", ""]
    lines += ["The names people start with, importable from `demur`:", ""]
    names = sorted(top_names(), key=str.lower)
    lines.append(", ".join(f"[`{name}`][{homes()[name]}]" for name in names))
    return "\n".join([*lines, ""])


def block(name: str, uses: list[tuple[str, str]], makers: list[str]) -> str:
    """Return the entry of a name, and after it where it comes from and where pages use it."""
    lines = [f"::: {homes()[name]}", ""]
    shown = [
        ("Given by", [f"[`{maker}`][{entry(maker)}]" for maker in makers[:6]]),
        ("In use", [f"[{title}](../../{page})" for page, title in uses[:6]]),
    ]
    said = [f"{what}: {', '.join(links)}." for what, links in shown if links]
    return "\n".join([*lines, *([f"*{' '.join(said)}*", ""] if said else [])])


def where_used(docs: Path, examples: Path) -> dict[str, list[tuple[str, str]]]:
    """Return, for every public name, the pages whose code uses it, as (path from docs, title)."""
    uses: dict[str, list[tuple[str, str]]] = {name: [] for name in homes()}
    for page, title, code in coded_pages(docs, examples):
        for word in sorted(set(re.findall(r"\w+", code)) & uses.keys()):
            uses[word].append((page, title))
    return uses


def coded_pages(docs: Path, examples: Path) -> Iterator[tuple[str, str, str]]:
    """Yield (path from docs, title, code) of the written pages and of the examples."""
    for page in sorted(docs.rglob("*.md")):
        path = page.relative_to(docs).as_posix()
        if not path.startswith(("generated/", "papers/")):
            text = page.read_text()
            yield path, text.partition("\n")[0].removeprefix("# "), "\n".join(BLOCK.findall(text))
    for script in sorted(examples.glob("*.py")):
        title = (ast.get_docstring(ast.parse(script.read_text())) or "").partition("\n")[0]
        yield f"generated/examples/{script.stem}.md", title.rstrip("."), script.read_text()


def returned_by() -> dict[str, list[str]]:
    """Return, for every public class, the public functions, methods and attributes that give one."""
    found: dict[str, list[str]] = {name: [] for name in homes()}
    for name, full in homes().items():
        for giver, annotation in annotations(name, public_object(full)):
            for word in set(re.findall(r"\w+", str(annotation))) & found.keys():
                if word != name:
                    found[word].append(giver)
    return found


def annotations(name: str, value: object) -> Iterator[tuple[str, object]]:
    """Yield (name of the giver, annotation of what it gives) of a function or of the members of a class."""
    if inspect.isfunction(value):
        yield name, inspect.signature(value).return_annotation
    if not inspect.isclass(value):
        return
    for key in dir(value):
        member = inspect.getattr_static(value, key)
        if isinstance(member, cached_property):
            member = member.func
        else:
            member = member.fget if isinstance(member, property) else getattr(value, key, None)
        if not key.startswith("_") and ours(member) and inspect.isroutine(member):
            yield f"{name}.{key}", inspect.signature(member).return_annotation
    for key, annotation in getattr(value, "__annotations__", {}).items():
        if not key.startswith("_"):
            yield f"{name}.{key}", annotation


def has_example(name: str) -> bool:
    """Tell whether a docstring of the name itself, or of one of its methods, shows a session."""
    value = public_object(homes()[name])
    texts = [inspect.getdoc(value) or ""]
    if inspect.isclass(value):
        texts += [inspect.getdoc(member) or "" for key, member in vars(value).items() if key[0] != "_"]
    return any(">>>" in text for text in texts)


def exemplary(name: str, makers: Mapping[str, list[str]], seen: frozenset[str] = frozenset()) -> bool:
    """Tell whether a session shows the name, or what gives one."""
    owners = {maker.partition(".")[0] for maker in makers[name]} - seen
    return has_example(name) or any(exemplary(owner, makers, seen | {name}) for owner in owners)


def ours(member: object) -> bool:
    """Tell whether a method was written here, not inherited from another package."""
    return (getattr(member, "__module__", None) or "").startswith("demur")
