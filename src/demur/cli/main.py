"""The `demur` command: a group whose verbs load when they are called.

`demur --help` imports click and nothing else of weight; the one-line helps are kept here so
that no verb has to be imported to list them.
"""

import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module

import click

from demur._version import __version__
from demur.cli.stopping import stoppable
from demur.exceptions import DemurError, InputError

__all__ = ["VERBS", "cli", "main"]

_MAP = {
    "Look": {
        "check": "Find what is wrong with a file, and the command to run next.",
        "compare": "Tell which model is cheapest, with which thresholds, at which costs.",
        "report": "Write a page that anybody can open, and say the decision.",
    },
    "Decide": {
        "decide": "Choose thresholds at these costs and write them as a policy.",
    },
    "Run": {
        "apply": "Decide on every row of a file with a policy.",
        "export": "Write a policy as SQL, as an ONNX model or as plain Python.",
        "watch": "Tell whether a policy in use still sees what it was made for.",
        "audit": "Tell what a policy costs on later labelled cases.",
    },
    "More": {
        "demo": "Fit four learners, compare them, end in a decision: a tour in ten seconds.",
        "ordinal": "Tell how well scores put ordered classes in order, and where to cut.",
        "rec": "Tell which regression errs least, at which tolerance.",
        "merge": "Add up saved counts of disjoint data.",
        "reproduce": "Run a source paper again and compare with what it prints.",
    },
}
"""Verbs by what they are for, in the order in which people need them."""

VERBS = {name: what for part in _MAP.values() for name, what in part.items()}

_FORMER = {
    "judge": "is called audit now. Hint: demur audit takes the same arguments.",
    "combine": "is part of compare now. Hint: demur compare FILE --combine --price MODEL=X.",
    "guard": "is part of compare now. Hint: demur compare FILE --combine --doubt COLUMN.",
}
"""Verbs that there were -> what to say."""
_SHOWN_CHARACTERS = 80
_STANDARD_ERROR = 2


class _LazyGroup(click.Group):
    """Group that imports a verb (module demur.cli.verbs.<verb>, object `command`) on first use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        command: click.Command
        if cmd_name == "reproduce":
            # the distribution demur-studies brings it
            from importlib.metadata import entry_points

            for found in entry_points(group="demur.verbs", name="reproduce"):
                command = found.load()
                return command
            raise InputError(
                "`demur reproduce` needs the distribution demur-studies, which is not installed. "
                "Hint: pip install demur-studies, or pip install ./studies in a copy of the repository."
            )
        command = import_module(f"demur.cli.verbs.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, verbs in _MAP.items():
            with formatter.section(title):
                formatter.write_dl(list(verbs.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] in _FORMER:
            raise InputError(f"`demur {args[0]}` {_FORMER[args[0]]}")
        if args[0] not in VERBS and not args[0].startswith("-"):
            raise InputError(f"There is no command {args[0]!r}. Hint: the commands are {', '.join(VERBS)}.")
        return super().resolve_command(ctx, args)


@click.group(
    cls=_LazyGroup,
    invoke_without_command=True,
    # a fixed width spares click the import that asks the terminal, a twentieth of `demur --help`
    context_settings={"help_option_names": ["-h", "--help"], "terminal_width": 78},
    epilog="Start with `demur demo`, or with `demur check FILE`; `demur COMMAND --help` shows examples.",
)
@click.version_option(__version__, message="demur %(version)s", help="Show the version.")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """When should a classifier act, when should it abstain, and what does either cost?"""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 2 the user's input is at fault, 1 a bug, 130 or 143 a signal."""
    if None in (sys.stdin, sys.stdout, sys.stderr):
        _open_streams()
    if "numpy" not in sys.modules:
        # threads of BLAS would spin while those of demur work; saying so now spares finding them later
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        with stoppable():
            code = _run(args)
    except Exception as error:  # noqa: BLE001
        code = _failed(error)
    sys.exit(code)


def _run(args: Sequence[str] | None) -> int:
    # not click's own main(): that one ends a closed pipe with exit code 1, which here means a bug
    if "_DEMUR_COMPLETE" in os.environ:
        # a shell asks for completions (`_DEMUR_COMPLETE=bash_source demur`)
        from click.shell_completion import shell_complete

        return shell_complete(cli, {}, "demur", "_DEMUR_COMPLETE", os.environ["_DEMUR_COMPLETE"])
    try:
        with cli.make_context("demur", list(sys.argv[1:] if args is None else args)) as context:
            cli.invoke(context)
        code = 0
    except click.exceptions.Exit as leave:
        code = leave.exit_code
    try:
        # what is still in the buffer
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        _abandon_output()
        return _complain(f"Standard output cannot be written: {error.strerror}.")
    return code


def _failed(error: Exception) -> int:
    """Say in one sentence what went wrong and return the exit code; an error of demur itself is raised."""
    if isinstance(error, DemurError):
        # functions speak of arguments, a user of files of columns
        return _complain(str(error).replace("`y_true`", "The label column"))
    if isinstance(error, click.UsageError):
        where = error.ctx.command_path if error.ctx else "demur"
        return _complain(f"{error.format_message()} Hint: see {where} --help.")
    if isinstance(error, BrokenPipeError):
        # `demur ... | head -1` is no error
        _abandon_output()
        return 0
    if isinstance(error, OSError) and not error.filename:
        # part of the answer may be in the buffer still; the next attempt would fail as well
        _abandon_output()
        return _complain(f"Reading or writing failed: {error.strerror or error}.")
    if isinstance(error, OSError):
        name = str(error.filename)
        shown = name if len(name) <= _SHOWN_CHARACTERS else f"{name[: _SHOWN_CHARACTERS - 3]}..."
        return _complain(f"`{shown}` must be usable, got this: {error.strerror or error}.")
    if isinstance(error, MemoryError):
        return _complain("There is not enough memory. Hint: --engine duckdb counts without loading the rows.")
    raise error


class _ClosedOutput(io.TextIOBase):
    """Standard output where there is none; an answer must not get lost without a word."""

    def write(self, text: str) -> int:
        raise InputError("Standard output is closed. Hint: -o PATH writes to a file, > /dev/null to nowhere.")


def _open_streams() -> None:
    """Give the process the streams it was started without, so that no file of its own takes their place."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= _STANDARD_ERROR:
        pass
    os.close(descriptor)
    sys.stdout = sys.stdout or _ClosedOutput()
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def _abandon_output() -> None:
    """Keep Python from flushing at exit what cannot be written."""
    try:
        number = sys.stdout.fileno()
    except io.UnsupportedOperation:
        return  # a stream in memory, as tests and notebooks have it
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, number)
    os.close(nowhere)


def _complain(sentence: str) -> int:
    from demur._files.escaping import visible

    click.echo(f"demur: {visible(' '.join(sentence.split()))}", err=True)
    return 2
