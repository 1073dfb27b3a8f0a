"""How a frozen object gets its values from the command line, and what a value must keep."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields
from functools import partial, wraps
from typing import Any, ClassVar, TypeVar

import click

from demur.exceptions import InputError

__all__ = [
    "Flags",
    "confidence",
    "finite",
    "flag",
    "not_negative",
    "rate",
    "refuse",
    "takes",
    "verb",
]

_Function = TypeVar("_Function", bound=Callable[..., Any])

_OTHER = "Options"


@dataclass(frozen=True, kw_only=True)
class Flags:
    """Base of the objects the verbs take; every field is made with `flag`."""

    TITLE: ClassVar[str] = _OTHER
    """Heading of these flags in the help of a verb."""
    COMMON: ClassVar[tuple[str, ...] | None] = None
    """Fields whose flags --help shows, --help-all the others, too; None: all."""
    NEEDS: ClassVar[tuple[tuple[str, str, str], ...]] = ()
    """Flags, flags of which the first ones need one, and what to say about the first that is given."""
    EXCLUDES: ClassVar[tuple[tuple[str, str, str], ...]] = ()
    """Two flags that must not be given together, and what to say."""

    def __post_init__(self) -> None:
        """Refuse flags that need others, and flags that contradict each other."""
        given = self.given()
        for names, needed, sentence in self.NEEDS:
            name = next((name for name in names.split() if name in given), None)
            if name is not None and given.keys().isdisjoint(needed.split()):
                raise InputError(sentence.format(name))
        for first, second, sentence in self.EXCLUDES:
            if first in given and second in given:
                raise InputError(sentence)

    def given(self) -> dict[str, Any]:
        """Return flag -> value of the flags the user set, as the user writes them."""
        return {
            each.metadata["spellings"][-1]: getattr(self, each.name)
            for each in fields(self)
            if each.metadata["spellings"] and getattr(self, each.name) != each.default
        }


def flag(*spellings: str, default: Any = None, **settings: Any) -> Any:
    """Declare a field that a flag fills, or without `spellings` a positional argument.

    `settings` are those of `click.option`, and a `title` of its own, or those of `click.argument`.
    """
    return field(default=default, metadata={"spellings": spellings, "settings": settings})


def _checked(check: str, ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    """Check the number of a flag by a function of `demur._checks`, imported with the first number."""
    if value is not None:
        from demur import _checks

        getattr(_checks, check)(value, param.opts[0])
    return value


finite = partial(_checked, "check_number")
not_negative = partial(_checked, "check_nonnegative")
rate = partial(_checked, "check_rate")
confidence = partial(_checked, "check_confidence_level")


def refuse(*objects: Flags, because: str, but: Collection[str] = ()) -> None:
    """Raise `InputError` for the first flag that is given and not among `but`.

    `because` follows the name of the flag: "is for two classes. Hint: leave it out.".
    """
    for each in objects:
        for name in each.given():
            if name not in but:
                raise InputError(f"`{name}` {because}")


def takes(
    kind: type[Flags], *, without: Collection[str] = (), **changes: Mapping[str, Any]
) -> Callable[[_Function], _Function]:
    """Return the decorator that adds the flags of an object and passes it as one keyword.

    Parameters
    ----------
    kind : type
        The object; the keyword is its name in lower case.
    without : collection of str
        Fields that mean nothing to this verb: they get no flag and keep their defaults.
    **changes : mapping
        Field -> settings of its flag that differ here, such as the help text.
    """
    wanted = [each for each in fields(kind) if each.name not in without]

    def decorate(function: Any) -> Any:
        @wraps(function)
        def gathering(**values: Any) -> Any:
            chosen = {each.name: values.pop(each.name) for each in wanted}
            return function(**values, **{kind.__name__.lower(): kind(**chosen)})

        # click shows the parameter that was added last first
        for each in reversed(wanted):
            spellings = each.metadata["spellings"]
            settings = {**each.metadata["settings"], **changes.get(each.name, {})}
            if not spellings:
                click.argument(each.name, **settings)(gathering)
                continue
            if each.default not in (None, ()):
                settings["default"] = each.default
            settings.setdefault("title", kind.TITLE)
            settings["rare"] = kind.COMMON is not None and each.name not in kind.COMMON
            click.option(*spellings, each.name, cls=_TitledOption, **settings)(gathering)
        return gathering

    return decorate


def verb(name: str, *, example: str) -> Callable[[Callable[..., Any]], click.Command]:
    """Return the decorator that makes a command whose help ends in `example`, printed as it stands."""
    return click.command(name=name, cls=_Verb, epilog=f"\b\n{example}")


class _TitledOption(click.Option):
    """Option that knows under which heading it belongs, and whether people seldom need it."""

    def __init__(self, *args: Any, title: str, rare: bool = False, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.title, self.rare = title, rare


class _Verb(click.Command):
    """Command whose help lists the flags under the headings of their objects; inputs are never outputs."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        if any(getattr(parameter, "rare", False) for parameter in self.params):
            every = click.Option(
                ["--help-all"],
                is_flag=True,
                is_eager=True,
                expose_value=False,
                callback=_show_every_flag,
                help="Show every flag and exit.",
            )
            self.params.append(every)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # the arguments are read twice where a file may hold more of them
        if any(text == "--problem" or text.startswith("--problem=") for text in args):
            from demur.cli.problem_file import with_problem

            args = with_problem(self, ctx, args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        # before the work: a long one should not end in a refusal
        if ctx.params.get("path") is not None:
            from demur.cli.output import keep_inputs

            keep_inputs(ctx.params["path"], ctx)
        return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is None or (getattr(parameter, "rare", False) and not ctx.meta.get(_EVERY)):
                continue
            title = parameter.title if isinstance(parameter, _TitledOption) else _OTHER
            sections.setdefault(title, []).append(record)
        for title in sorted(sections, key=lambda title: title == _OTHER):
            with formatter.section(title):
                formatter.write_dl(sections[title])


_EVERY = "demur.every_flag"


def _show_every_flag(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    if value:
        ctx.meta[_EVERY] = True
        click.echo(ctx.get_help())
        ctx.exit()
