"""How a verb answers: text of at most 80 columns, JSON, tables and figures by the ending of -o."""

import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from shlex import quote
from textwrap import fill
from typing import TYPE_CHECKING, Any, Protocol

import click

from demur._files.escaping import visible
from demur._files.whole import draft_of, whole_file
from demur._tables.table import WIDTH, Table, wrapped
from demur.exceptions import InputError

if TYPE_CHECKING:
    from demur.cli.options import Output
    from demur.policy.policy import Policy

__all__ = [
    "Answered",
    "answer_text",
    "deliver",
    "document",
    "group_file",
    "heading",
    "keep_inputs",
    "remark",
    "save_figure",
    "save_policy",
    "shown_command",
    "shown_table",
    "write",
    "write_file",
    "write_tables_to",
]


class Answered(Protocol):
    """What a verb found out: words before and after its tables, the tables, everything as a document."""

    def opening(self) -> Sequence[str]:
        """Return the paragraphs that come first."""

    def tables(self) -> Sequence[Table]:
        """Return the tables."""

    def closing(self) -> Sequence[str]:
        """Return the paragraphs below the tables."""

    def to_dict(self) -> dict[str, Any]:
        """Return the content of the document."""


def deliver(
    answer: Answered, output: "Output", *, kind: str, version: int = 1, data: dict[str, Any] | None = None
) -> None:
    """Write an answer where and how -o and --json say: a document, tables, or text."""
    if output.as_json:
        content = answer.to_dict() if data is None else {"data": data, **answer.to_dict()}
        write(document(kind, content, version=version), output.path)
    elif output.as_table:
        write_tables_to(output, answer.tables(), [*answer.opening(), *answer.closing()])
    else:
        write(answer_text(answer, output.path), output.path)


def write_tables_to(output: "Output", tables: Sequence[Table], words: Sequence[str]) -> None:
    """Write tables to -o, and say what a format with room for one leaves out."""
    from demur._tables.files import left_out_of, write_tables

    write_tables(str(output.path), tables, words=words)
    first, *others = (table.name.lower() for table in tables if table.plain())
    if left_out_of(str(output.path), tables):
        *most, last = others
        listed = f"{', '.join(most)} and {last}" if most else last
        said = f"The table holds the {first}; .xlsx and .json also hold the {listed}."
        remark(said, quiet=output.quiet)


def answer_text(answer: Answered, path: str | None) -> str:
    """Return an answer as text; headings are bold on a terminal."""
    tables = [shown_table(table, path) for table in answer.tables()]
    return "\n\n".join([*map(wrapped, answer.opening()), *tables, *map(wrapped, answer.closing())])


def shown_table(table: Table, path: str | None = None) -> str:
    """Return a table as text under its heading."""
    section = table.section()
    head = [heading(wrapped(table.title), output=path)] if table.title else []
    return "\n".join([*head, section.text(), *([wrapped(section.note)] if section.note else [])])


def heading(text: str, *, output: str | None) -> str:
    """Return a heading, bold on a terminal unless NO_COLOR is set (https://no-color.org)."""
    plain = (
        output not in (None, "-")
        or os.environ.get("NO_COLOR")
        or os.environ.get("TERM") == "dumb"
        or not sys.stdout.isatty()
    )
    # a long heading comes in lines
    shown = "\n".join(map(visible, text.split("\n")))
    return shown if plain else click.style(shown, bold=True)


def shown_command(words: Iterable[str]) -> str:
    """Return a command to copy, in lines of at most 80 columns."""
    # a name with blanks stays in one line, and so does a flag with its value
    text, before = "", ""
    for word in words:
        tied = before.startswith("--") and not word.startswith("--")
        text += ("\0" if tied else " ") + visible(quote(word)).replace(" ", "\0")
        before = word
    lines = fill(
        text.strip(), WIDTH - 2, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
    return lines.replace("\n", " \\\n").replace("\0", " ")


def document(kind: str, content: dict[str, Any], *, version: int = 1) -> str:
    """Return the one JSON document of a verb; its version grows when a key changes meaning."""
    from demur._results import json_safe
    from demur._version import __version__

    head = {"schema": f"demur.{kind}", "version": version, "software": f"demur {__version__}"}
    return json.dumps(json_safe({**head, **content}), indent=2, allow_nan=False, ensure_ascii=False)


def remark(text: str, *, quiet: bool) -> None:
    """Say something about the work on standard error; nothing for an empty text."""
    if text and not quiet:
        click.echo(wrapped(text), err=True)


def write(text: str, output: str | None) -> None:
    """Print, or write to a file: under a temporary name first, so that no half file is ever seen."""
    if output not in (None, "-"):
        write_file(Path(str(output)), text + "\n")
        return
    try:
        click.echo(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"Standard output cannot be written: {error.strerror}.") from None


def write_file(path: Path, content: str) -> None:
    """Write a text file in one step."""
    with whole_file(path) as handle:
        handle.write(content)


def save_figure(figure: Any, output: "Output", **settings: Any) -> None:
    """Write a figure to -o in one step, close it, and say so."""
    from demur.displays.base import pyplot, show_names_as_text

    path = Path(str(output.path))
    show_names_as_text(figure)
    try:
        with draft_of(path) as draft:
            figure.savefig(draft, format=path.suffix.lower().lstrip(".") or "png", dpi=150, **settings)
    finally:
        pyplot().close(figure)
    remark(f"Figure written to {output.path}.", quiet=output.quiet)


def save_policy(policy: "Policy", path: str, output: "Output") -> None:
    """Write a policy beside an answer, never over a file that is read, and say so."""
    context = click.get_current_context(silent=True)
    if context is not None:
        keep_inputs(path, context, "--policy")
    if Path(path).suffix.lower() != ".json":
        raise InputError(f"`--policy {path}` must end in .json: a policy is a JSON file.")
    policy.save(path)
    remark(f"Policy written to {path}.", quiet=output.quiet)


_FORBIDDEN = re.compile(r'[<>:"/\\|?*%\x00-\x1f]')


def group_file(output: str, group: str) -> str:
    """Return where the answer for a group goes: {group} in the name stands for it.

    Letters that some system forbids in names, as in "<5", are written as in addresses: "%3C5".
    """
    place = "{group}"
    if place not in output:
        suffix = Path(output).suffix
        raise InputError(
            f"`-o` must hold {place} beside --group, got {output!r}. Hint: -o 'NAME-{place}{suffix}'."
        )
    if "\0" in group or group in ("", ".", ".."):
        raise InputError(f"The group {group!r} cannot be part of a file name. Hint: rename it.")
    file = output.replace(place, _FORBIDDEN.sub(lambda found: f"%{ord(found.group()):02X}", group))
    context = click.get_current_context(silent=True)
    if context is not None:
        keep_inputs(file, context)
    return file


# ---------------------------------------------------------------- inputs stay

_INPUT_OPTIONS = ("cost_matrix", "problem")


def keep_inputs(output: str, context: click.Context, flag: str = "--output") -> None:
    """Refuse to write over a file that the command reads."""
    if not os.path.isfile(output):
        return
    # `demur apply` may add its column to the file itself: all of its rows are in the new one
    in_place = context.command.name == "apply" and not context.params.get("only")
    for parameter in context.command.params:
        if in_place and parameter.name == "file":
            continue
        if not isinstance(parameter, click.Argument) and parameter.name not in _INPUT_OPTIONS:
            continue
        value = context.params.get(str(parameter.name))
        for source in [value] if isinstance(value, str) else value or ():
            if _reads(source, output):
                raise InputError(
                    f"`{flag} {output}` must not be a file that is read, got {source!r} as input. "
                    "Hint: choose another name."
                )


def _reads(source: str, output: str) -> bool:
    if source == "-":
        # `demur report - -o x.csv < x.csv`
        try:
            return os.path.samestat(os.fstat(0), os.stat(output))
        except OSError:
            return False
    if os.path.isdir(source):
        from demur.engines.paths import TABLE_SUFFIXES

        within = Path(os.path.realpath(output)).is_relative_to(os.path.realpath(source))
        return within and output.lower().endswith(TABLE_SUFFIXES)
    if os.path.exists(source):
        return os.path.samefile(source, output)
    from glob import glob

    return any(os.path.samefile(match, output) for match in glob(source, recursive=True))
