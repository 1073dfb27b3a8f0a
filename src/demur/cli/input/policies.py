"""What a command reads for a policy: the file itself, and the columns of numbers that its rule takes."""

from collections.abc import Sequence

from demur.cli.input.roles import model_columns
from demur.cli.output import remark
from demur.engines.columns import require_columns
from demur.exceptions import InputError
from demur.policy.policy import Policy

__all__ = ["input_columns", "read_policy"]


def read_policy(path: str, *, quiet: bool) -> Policy:
    """Load a policy; say so if nobody can tell whether the file was edited."""
    policy = Policy.load(path)
    if policy.unsigned:
        remark(f"{path} carries no digest: whether it was edited cannot be told.", quiet=quiet)
    return policy


def input_columns(policy: Policy, columns: Sequence[str], source: str, model: str | None) -> tuple[str, ...]:
    """Return the columns that the rule reads: the user's, the policy's, or the only possible ones."""
    if hasattr(policy.rule, "reads"):
        if model is not None:
            raise InputError(
                f"`--model` must be left out: the policy has a rule per group and reads the columns "
                f"{', '.join(policy.columns)}, got {model!r}."
            )
        require_columns(source, policy.columns, columns)
        return policy.columns
    if policy.rule.inputs == 1:
        if model is not None:
            return (model,)
        named = policy.model is not None or policy.columns != ("score",)
        name = policy.columns[0] if named else columns[0] if len(columns) == 1 else None
        if name is None or name not in columns:
            why = f"there is no column {name!r}, the policy's model" if named else "the policy names no model"
            hint = f"pass --model COLUMN; the columns are {', '.join(columns)}."
            raise InputError(f"`{source}`: {why}. Hint: {hint}")
        return (name,)
    if model is None and all(name in columns for name in policy.columns):
        return policy.columns
    # the columns of probabilities may have any names
    names = list(map(str, getattr(policy.rule, "classes", policy.columns)))
    if model is None and policy.model is not None and not set(columns).issuperset(names):
        missing = next(name for name in policy.columns if name not in columns)
        raise InputError(
            f"`{source}` has no column {missing!r}, one of the policy's columns. Hint: pass --model "
            f"NAME=COLUMN,... for {', '.join(names)}; the columns are {', '.join(columns)}."
        )
    given = () if model is None else (model,)
    return next(iter(model_columns(columns, names, given, source).values()))
