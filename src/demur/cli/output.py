"""What every verb prints: numbers to sensible digits, tables of at most 80 columns, JSON, files."""

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from os.path import commonprefix
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from demur._files.escaping import fenced, visible
from demur._files.whole import draft_of, whole_file
from demur.exceptions import InputError

if TYPE_CHECKING:
    from demur.cli.options import Output

__all__ = [
    "document",
    "group_file",
    "heading",
    "keep_inputs",
    "level_words",
    "number",
    "percent",
    "remark",
    "save_figure",
    "saved_figure",
    "shortened",
    "shown_command",
    "span",
    "table",
    "times",
    "told_apart",
    "wrapped",
    "write",
    "write_answer",
    "write_file",
]

_WIDTH = 80
_ROUNDING = 1e-12
# what a line breaks at
_BLANKS = dict.fromkeys(map(ord, "\t\n\r"), " ")


def number(value: float, digits: int = 4) -> str:
    """Show a number with about `digits` significant digits, without an exponent where it fits."""
    if value != 0 and not 1e-4 <= abs(value) < 1e7:
        return f"{value:.{digits - 1}g}"
    rounded = f"{value:.{digits}g}"
    return f"{value:,.0f}" if abs(float(rounded)) >= 10 ** (digits - 1) else rounded


def percent(share: float) -> str:
    """Show a share as a percentage; never 0 % or 100 % for what is not quite that."""
    if min(share, 1 - share) < _ROUNDING:
        return f"{round(share) * 100} %"
    if share < 0.0005:
        return "<0.1 %"
    return ">99.9 %" if share > 0.9995 else f"{100 * share:.1f} %"


def times(count: int, what: str) -> str:
    """Count something: "1 row", "2 rows"."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def level_words(confidence_level: float) -> str:
    """Show a level of confidence: "95 %"."""
    return percent(confidence_level).replace(".0 %", " %")


def span(interval: Iterable[float], show: Callable[[float], str] = number) -> str:
    """Show an interval: "0.812 to 0.934"."""
    return " to ".join(map(show, interval))


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay out rows below a header: first column left, the others right, at most 80 columns wide."""
    header, rows = [visible(cell) for cell in header], [[visible(cell) for cell in row] for row in rows]
    rest = [max(len(row[k]) for row in [header, *rows]) for k in range(1, len(header))]
    room = max(_WIDTH - sum(width + 2 for width in rest), 8)
    first = min(max(len(row[0]) for row in [header, *rows]), room)
    names = told_apart([row[0] for row in rows], first)
    lines = []
    for name, row in zip([header[0], *names], [header, *rows], strict=True):
        numbers = (cell.rjust(width) for cell, width in zip(row[1:], rest, strict=True))
        lines.append("  ".join([name.ljust(first), *numbers]).rstrip())
    return "\n".join(lines)


def shortened(name: str, width: int) -> str:
    """Cut a long name in its middle: both ends tell models apart."""
    if len(name) <= width:
        return name
    tail = (width - 3) // 2
    return f"{name[: width - 3 - tail]}...{name[len(name) - tail :]}"


def told_apart(names: Sequence[str], width: int) -> list[str]:
    """Cut names to a width; where that makes them equal, cut what they share instead."""
    short = [shortened(name, width) for name in names]
    for same in {text for text in short if short.count(text) > 1}:
        places = [k for k, text in enumerate(short) if text == same and len(names[k]) > width]
        alike = [names[k] for k in places]
        if len(set(alike)) < 2:
            continue
        ends = alike, [name[::-1] for name in alike]
        start, end = (len(commonprefix(some)) for some in ends)  # noqa: RUF071 - letters are meant
        for k in places:
            own = len(names[k]) - start - end
            begin = max(start - max(width - 6 - own, 0), 0)
            shown = names[k][begin : begin + width - 6]
            short[k] = f"...{shown}..."
    return short


def wrapped(text: str, *, indent: str = "") -> str:
    """Break a paragraph into lines of at most 80 columns."""
    from textwrap import fill

    text = visible(text.translate(_BLANKS))
    return fill(text, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def shown_command(words: Iterable[str]) -> str:
    """Return a command to copy, in lines of at most 80 columns."""
    from textwrap import fill

    # a name with blanks stays in one line
    text = " ".join(visible(quote(word)).replace(" ", "\0") for word in words)
    lines = fill(text, _WIDTH - 2, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    return lines.replace("\n", " \\\n").replace("\0", " ")


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
    if output in (None, "-"):
        try:
            click.echo(text)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise InputError(f"Standard output cannot be written: {error.strerror}.") from None
        return
    path = Path(str(output))
    write_file(path, (fenced(text) if path.suffix.lower() == ".md" else text) + "\n")


def write_file(path: Path, content: str) -> None:
    """Write a text file in one step."""
    with whole_file(path) as handle:
        handle.write(content)


def write_answer(kind: str, data: dict[str, Any], answer: Any, output: "Output") -> None:
    """Draw the figure of an answer to -o where a file is named, and print its words or the document."""
    if output.to_file:
        answer.draw(Path(str(output.path)))
        remark(f"Figure written to {output.path}.", quiet=output.quiet)
    write(document(kind, {"data": data, **answer.to_dict()}) if output.as_json else answer.text(), None)


@contextmanager
def saved_figure(path: Path, *, size: tuple[float, float], panels: int = 1, **settings: Any) -> Iterator[Any]:
    """Give new axes, a panel each, and write what was drawn in one step."""
    from demur.displays.base import pyplot, show_names_as_text

    figure, axes = pyplot().subplots(1, panels, figsize=size, squeeze=False, layout="constrained")
    yield axes[0]
    show_names_as_text(figure)
    save_figure(figure, path, **settings)


def save_figure(figure: Any, path: Path, **settings: Any) -> None:
    """Write a figure in one step, and close it."""
    from demur.displays.base import pyplot

    try:
        with draft_of(path) as draft:
            figure.savefig(draft, format=path.suffix.lower().lstrip(".") or "png", dpi=150, **settings)
    finally:
        pyplot().close(figure)


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


_INPUT_OPTIONS = ("cost_matrix",)


def keep_inputs(output: str | None, context: click.Context) -> None:
    """Refuse to write over a file that the command reads."""
    if output is None or not os.path.isfile(output):
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
                    f"`--output {output}` must not be a file that is read, got {source!r} as input. "
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
