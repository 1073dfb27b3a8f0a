"""From files to what the verbs work from: policies here, tables and counts in the modules."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demur.policy.policy import Policy

__all__ = ["read_policy"]


def read_policy(path: str, *, quiet: bool) -> "Policy":
    """Load a policy; say so if nobody can tell whether the file was edited."""
    from demur.cli.output import remark
    from demur.policy.policy import Policy

    policy = Policy.load(path)
    if policy.unsigned:
        remark(f"{path} carries no digest: whether it was edited cannot be told.", quiet=quiet)
    return policy
