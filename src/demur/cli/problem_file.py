"""A whole problem in a TOML file: flags by name, which `decide` writes and `--problem` reads."""

import json
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from demur.exceptions import InputError

__all__ = ["problem_text", "with_problem"]

_FLAG = "--problem"
# what one verb of a problem knows and another one need not
_OF_SOME = ("abstain-label", "anyway", "by")
_NEVER = ("output", "json", "quiet", "problem", "help", "help-all")


def problem_text(file: str, flags: Iterable[Any]) -> str:
    """Return the TOML of a problem: the file of cases, and every flag given, by heading."""
    lines = ["# A problem of demur: demur compare, decide or report --problem FILE", f"file = {_toml(file)}"]
    for one in flags:
        given = one.given()
        lines += ["", f"[{one.TITLE if one.TITLE.isalpha() else _toml(one.TITLE)}]"] if given else []
        lines += [f"{name.removeprefix('--')} = {_toml(value)}" for name, value in given.items()]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    """Write a value as TOML does; what is no number, truth value or list is text as typed."""
    if isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, tuple):  # the ends of a range
        return _toml(":".join(f"{end!r}" for end in value))
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(float(value))
    # JSON text is TOML text but for DEL
    return str(value) if isinstance(value, int) else json.dumps(str(value)).replace("\x7f", "\\u007f")


def with_problem(command: click.Command, ctx: click.Context, args: list[str]) -> list[str]:
    """Return the arguments with those of --problem before them, but for flags that are given anyway."""
    typed, _, _ = command.make_parser(ctx).parse_args(args=list(args))
    path = typed.get("problem")
    if path is None:
        return args
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"`{_FLAG} {path}` must be a TOML file, got this: {error}.") from None
    options = {
        option.removeprefix("--"): parameter
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for option in parameter.opts
        if option.startswith("--")
    }
    file = content.pop("file", None)
    tables = [content, *(value for value in content.values() if isinstance(value, dict))]
    flat = [item for table in tables for item in table.items() if not isinstance(item[1], dict)]
    before: list[str] = []
    for name, value in flat:
        if name in _OF_SOME and name not in options:
            continue
        if name not in options or name in _NEVER:
            raise InputError(
                f"`{_FLAG} {path}` holds {name!r}, which is no flag of a problem. "
                f"Hint: demur {command.name} --help-all lists them."
            )
        if options[name].name in typed:
            continue
        if options[name].is_flag:
            before += [f"--{name}"] if value else []
        else:
            before += [f"--{name}={one}" for one in (value if isinstance(value, list) else [value])]
    named = file is None or isinstance(typed.get("file"), str)
    return [*before, *args, *([] if named else [str(file)])]
