"""Write the reference: a page for every public name and for every verb, with links to where it is used."""

import ast
import importlib
import inspect
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

import click
from docs_hook import entry, homes, page_of, public_object, reference_groups, top_names

from demur.cli.main import VERBS, cli

BLOCK = re.compile(r"^```(?:python|text)?\n(.*?)^```$", re.M | re.S)
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.M | re.S)


def write_reference(folder: Path, docs: Path, examples: Path) -> None:
    """Write a page per name, a list per subpackage and a front page; refuse names without an example."""
    uses, makers = where_used(docs, examples), returned_by()
    figures = drawn_by(docs, makers)
    bare = without_example(uses, makers)
    if bare:
        raise SystemExit(
            f"no example shows {', '.join(sorted(bare))}: add one to the docstring or to a page."
        )
    for group, names in reference_groups().items():
        (folder / group).mkdir(parents=True)
        (folder / group / "index.md").write_text(group_page(group, names))
        for name in names:
            page = name_page(name, uses[name], makers[name], figures[name])
            (folder / page_of(name)).write_text(page)
    (folder / "index.md").write_text(front_page())


def without_example(uses: Mapping[str, list[tuple[str, str]]], makers: Mapping[str, list[str]]) -> list[str]:
    """Return the public names that no page and no session shows, neither themselves nor what gives one."""
    return [name for name in homes() if not (uses[name] or exemplary(name, makers))]


def front_page() -> str:
    """Return the front page: subpackages with a line each, and the names that demur itself offers."""
    lines = ["# Reference", "", "A page for every public name, by subpackage.", ""]
    for group in reference_groups():
        lines.append(f"- [{group_title(group)}]({group}/index.md): {first_line(group_text(group))}")
    lines += ["", "## In demur itself", "", "The names people start with, importable from `demur`:", ""]
    names = sorted(top_names(), key=str.lower)
    lines.append(", ".join(f"[`{name}`][{homes()[name]}]" for name in names))
    return "\n".join([*lines, ""])


def group_title(group: str) -> str:
    """Return what the pages call a group of names."""
    return "demur" if group == "errors" else f"demur.{group}"


def group_text(group: str) -> str:
    """Return what a subpackage says of itself."""
    if group == "errors":
        return "Errors and intervals."
    return (importlib.import_module(f"demur.{group}").__doc__ or "").strip()


def first_line(text: str) -> str:
    """Return the first line of a docstring."""
    return text.strip().partition("\n")[0]


def group_page(group: str, names: list[str]) -> str:
    """Return the list of a subpackage: what it is for, and its names with a line each."""
    lines = [f"# {group_title(group)} {{#{group_title(group)}}}", "", group_text(group), ""]
    lines += ["| name | what it is |", "|---|---|"]
    for name in names:
        line = in_cell(first_line(inspect.getdoc(public_object(homes()[name])) or ""))
        lines.append(f"| [`{name}`][{homes()[name]}] | {line} |")
    return "\n".join([*lines, ""])


def name_page(
    name: str, uses: list[tuple[str, str]], makers: list[str], figures: list[tuple[str, str]]
) -> str:
    """Return the page of a name: its documentation, its figures, where it comes from and where it is used."""
    full = homes()[name]
    lines = [f"::: {full}", ""]
    for display, title in figures[:2]:
        lines += ["## Figure" if len(figures) == 1 else f"## Figure: {title}", ""]
        lines += [f"![{title}](../../gallery/{display}.png)", ""]
        drawn = "" if display == name else f"Drawn by [`{display}`][{homes()[display]}]; "
        lines += [f"{drawn}{'code' if drawn else 'Code'} in the [gallery](../../../gallery.md).", ""]
    home = "demur" if name in top_names() else full.rpartition(".")[0]
    lines += ["## Where it is used", "", f"Import it with `from {home} import {name}`.", ""]
    shown = [
        ("Given by", [f"[`{maker}`][{entry(maker)}]" for maker in makers[:6]]),
        ("In use", [f"[{title}](../../../{page})" for page, title in uses[:6]]),
    ]
    lines += [f"- {what}: {', '.join(links)}." for what, links in shown if links]
    return "\n".join([*lines, ""])


def drawn_by(docs: Path, makers: Mapping[str, list[str]]) -> dict[str, list[tuple[str, str]]]:
    """Return the figures of the gallery by name, as (display, title): of displays, results and functions."""
    figures: dict[str, list[tuple[str, str]]] = {name: [] for name in homes()}
    pictures = re.findall(r"!\[(.+)\]\(generated/gallery/(\w+)\.png\)", (docs / "gallery.md").read_text())
    for title, display in pictures:
        told = re.search(r"^result : (.*)", inspect.getdoc(public_object(homes()[display])) or "", re.M)
        results = set(re.findall(r"\w+", told.group(1) if told else "")) & homes().keys()
        functions = {maker for result in results for maker in makers[result] if "." not in maker}
        for name in {display, *results, *functions}:
            figures[name].append((display, title))
    return figures


def write_command_line(folder: Path, docs: Path) -> None:
    """Write a page per verb with every flag, and the list of the verbs."""
    folder.mkdir()
    context = click.Context(cli)
    rows = [f"| [`demur {verb}`]({verb}.md) | {what} |" for verb, what in VERBS.items()]
    lines = [
        "# Command line",
        "",
        "Every verb has `--json` where it prints numbers, and exit code 2 for a mistake.",
        "",
        "| verb | what it does |",
        "|---|---|",
        *rows,
        "",
    ]
    (folder / "index.md").write_text("\n".join(lines))
    for verb in VERBS:
        command = cli.get_command(context, verb)
        if command is None:
            raise SystemExit(f"demur {verb} is listed, but there is no such command.")
        (folder / f"{verb}.md").write_text(verb_page(verb, command, docs))


def verb_page(verb: str, command: click.Command, docs: Path) -> str:
    """Return the page of a verb: what it does, its examples, every flag, and where pages use it."""
    context = click.Context(command, info_name=f"demur {verb}")
    help_text = inspect.cleandoc(command.help or "").replace("\b\n", "")
    lines = [f"# demur {verb}", "", flags_as_code(help_text), ""]
    lines += ["```text", command.get_usage(context), "```", ""]
    if command.epilog:
        lines += ["## Examples", "", "```sh", *example_lines(command.epilog), "```", ""]
    tables: dict[str, list[str]] = {}
    for option in command.get_params(context):
        record = option.get_help_record(context) if isinstance(option, click.Option) else None
        if record:
            flag, what = record
            row = f"| `{flag}` | {in_cell(flags_as_code(what))} |"
            tables.setdefault(getattr(option, "title", "Options"), []).append(row)
    for title, rows in tables.items():
        lines += [f"## {title}", "", "| flag | meaning |", "|---|---|", *rows, ""]
    used = []
    for page in sorted(docs.rglob("*.md")):
        text = page.read_text()
        if docs / "generated" not in page.parents and any(
            f"demur {verb} " in code for code in SHELL.findall(text)
        ):
            title = text.partition("\n")[0].removeprefix("# ")
            used.append(f"[{title}](../../{page.relative_to(docs).as_posix()})")
    if used:
        lines += ["## Where it is used", "", f"{', '.join(used)}.", ""]
    return "\n".join(lines)


def in_cell(text: str) -> str:
    """Return a text as it stands in a cell of a table."""
    return text.replace("|", "\\|")


def flags_as_code(text: str) -> str:
    """Mark the flags in a text as code, outside of what is marked already."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"(?<![\w-])--[a-z][a-z-]*", r"`\g<0>`", part) for part in parts[::2]]
    return "`".join(parts)


def example_lines(epilog: str) -> Iterator[str]:
    """Yield the examples of a verb as shell: what each is about becomes a comment."""
    for line in epilog.replace("\b\n", "").strip().splitlines():
        told = re.sub(r"^Examples?: ?", "", line)
        if line.startswith("  "):
            yield line[2:]
        elif told:
            yield f"# {told}"


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
