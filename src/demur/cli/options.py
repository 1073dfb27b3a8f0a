"""Flags that mean the same on every verb, and what they make of the user's words."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from demur.exceptions import InputError

if TYPE_CHECKING:
    from demur.costs.model import CostModel

__all__ = [
    "certainty_options",
    "chosen_engine",
    "class_options",
    "cost_model",
    "cost_options",
    "engine_options",
    "limit_options",
    "output_options",
    "prediction_options",
    "refuse_binary_flags",
]

_Command = TypeVar("_Command", bound=Callable[..., Any])

# what each does with the rows of a file
_ENGINES = {
    "memory": "keeps them all",
    "duckdb": "counts them on this machine and keeps none",
    "spark": "counts them on a cluster",
}


def _all_of(*decorators: Callable[[Any], Any]) -> Callable[[_Command], _Command]:
    def decorate(function: Any) -> Any:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def _not_negative(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    from demur._checks import check_nonnegative

    return None if value is None else float(check_nonnegative(value, param.opts[0]))


def _a_rate(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    from demur._checks import check_rate

    return None if value is None else check_rate(value, param.opts[0])


def _a_promise(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    from demur.roc.isometrics import check_target_value

    return None if value is None else check_target_value(value, param.opts[0])


prediction_options = _all_of(
    click.argument("file"),
    click.option("--label", metavar="COLUMN", help="Column with the true class."),
    click.option("--positive", metavar="VALUE", help="Label of the positive class."),
    click.option(
        "--model",
        "models",
        metavar="COLUMN",
        multiple=True,
        help="Column with the scores of a model, higher = more positive; repeatable. "
        "Default: every other numeric column but keys such as row, id, fold, index.",
    ),
    click.option("--weight", metavar="COLUMN", help="Column with case weights."),
)


def engine_options(*, group: bool = True) -> Callable[[_Command], _Command]:
    """Return the decorator that adds --engine, --master and, where it makes sense, --group."""
    which = "; ".join(f"{name} {what}" for name, what in _ENGINES.items())
    by_group = click.option("--group", metavar="COLUMN", help="Answer for every value of this column apart.")
    return _all_of(
        click.option("--engine", metavar="NAME", help=f"Who reads the rows: {which}. Default: memory."),
        click.option("--master", metavar="URL", help="Spark master, such as spark://host:7077 or local[2]."),
        *([by_group] if group else []),
    )


def chosen_engine(engine: str | None, master: str | None) -> str:
    """Return the engine the flags ask for."""
    name = "memory" if engine is None else engine
    if name not in _ENGINES:
        raise InputError(f"`--engine` must be one of {', '.join(_ENGINES)}, got {name!r}.")
    if name == "spark" and master is None:
        raise InputError("`--master` is needed beside --engine spark. Hint: --master spark://host:7077.")
    if name != "spark" and master is not None:
        raise InputError("`--master` is for Spark. Hint: add --engine spark, or leave it out.")
    return name


cost_options = _all_of(
    *(
        click.option(flag, type=float, metavar="X", callback=_not_negative, help=text)
        for flag, text in (
            ("--cost-fn", "Cost of a miss (a positive called negative), in any unit."),
            ("--cost-fp", "Cost of a false alarm (a negative called positive)."),
            ("--cost-abstain", "Cost of abstaining; leave out if that is no option."),
            ("--mu", "Instead: cost of a false alarm relative to a miss."),
            ("--nu", "Instead: cost of abstaining relative to a miss."),
        )
    ),
    click.option(
        "--prevalence",
        type=float,
        metavar="X",
        callback=_a_rate,
        help="Share of positives in use, where it differs from the file's.",
    ),
)


def _a_level(ctx: click.Context, param: click.Parameter, value: float) -> float:
    from demur._checks import check_confidence_level

    return check_confidence_level(value, param.opts[0])


certainty_options = _all_of(
    click.option(
        "--confidence",
        type=float,
        default=0.95,
        metavar="X",
        callback=_a_level,
        show_default=True,
        help="Level of all intervals.",
    ),
    click.option(
        "--seed",
        type=click.IntRange(min=0),
        default=0,
        metavar="N",
        show_default=True,
        help="For the folds of the honest costs: the same seed gives the same numbers.",
    ),
)

limit_options = _all_of(
    *(
        click.option(flag, type=float, metavar="X", callback=check, help=text)
        for flag, check, text in (
            ("--max-abstention", _a_rate, "Largest share of cases to abstain on."),
            (
                "--min-precision-positive",
                _a_promise,
                "Smallest share of right ones among positive decisions.",
            ),
            ("--min-precision-negative", _a_promise, "The same for negative decisions."),
        )
    )
)


class_options = _all_of(
    click.option(
        "--classes",
        metavar="A,B,C",
        help="More than two classes: FILE has one column of probabilities per class, of these names.",
    ),
    click.option(
        "--cost-matrix",
        metavar="FILE",
        help="Their costs: CSV or TOML with named rows (true) and columns (answer).",
    ),
)


def refuse_binary_flags(**given: object) -> None:
    """Raise `InputError` for a flag that means nothing beside --classes."""
    for name, value in given.items():
        if value not in (None, ()):
            flag = "--model" if name == "models" else f"--{name.replace('_', '-')}"
            raise InputError(f"`{flag}` is for two classes. Hint: leave it out beside --classes.")


def output_options(
    *, what: str = "Write to this file instead of standard output.", metavar: str = "PATH"
) -> Callable[[_Command], _Command]:
    """Return the decorator that adds -o/--output, --json and --quiet."""
    return _all_of(
        click.option("-o", "--output", metavar=metavar, help=what),
        click.option("--json", "as_json", is_flag=True, help="One JSON document with unrounded numbers."),
        click.option("-q", "--quiet", is_flag=True, help="No remarks on standard error."),
    )


def cost_model(
    *,
    cost_fn: float | None,
    cost_fp: float | None,
    cost_abstain: float | None,
    mu: float | None,
    nu: float | None,
) -> "CostModel | None":
    """Return the costs the flags describe; None if no cost flag is given."""
    named = {"--cost-fn": cost_fn, "--cost-fp": cost_fp, "--cost-abstain": cost_abstain}
    ratios = {"--mu": mu, "--nu": nu}
    given = [flag for flag, value in {**named, **ratios}.items() if value is not None]
    if not given:
        return None
    if set(given) & set(named) and set(given) & set(ratios):
        raise InputError(
            f"Costs are given twice, as {' and '.join(given)}. "
            "Hint: use --cost-fn, --cost-fp, --cost-abstain or --mu, --nu, not both."
        )
    needed = ("--mu",) if set(given) & set(ratios) else ("--cost-fn", "--cost-fp")
    for flag in needed:
        if flag not in given:
            raise InputError(
                f"`{flag}` is needed beside {' and '.join(given)}. Hint: costs are never assumed."
            )
    if cost_fn == 0:
        raise InputError(
            "`--cost-fn` must be positive, got 0. Hint: a miss must hurt; swap the classes if not."
        )
    from demur.costs.model import CostModel

    if mu is not None:
        return CostModel(cost_fn=1.0, cost_fp=mu, cost_abstain=nu)
    assert cost_fn is not None
    assert cost_fp is not None
    return CostModel(cost_fn=cost_fn, cost_fp=cost_fp, cost_abstain=cost_abstain)
