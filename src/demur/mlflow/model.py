"""The policy as MLflow's pyfunc model: scores in, labels out."""

from typing import Any

import numpy as np

from demur._checks import input_error
from demur.policy.policy import Policy
from demur.windows.budgeted import Budgeted

__all__ = ["PolicyModel"]


class PolicyModel:
    """What `mlflow.pyfunc.load_model` wraps: decides like `Policy.apply`, abstains on missing scores.

    Parameters
    ----------
    policy : Policy
    """

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    def predict(self, model_input: Any, params: dict[str, Any] | None = None) -> Any:
        """Return the label of every case; the abstain label where the policy abstains or a score is missing.

        `model_input` is a frame with the columns of scores, or the scores alone. `params` is part of
        MLflow's interface; a policy has no parameters.
        """
        columns = list(self.policy.columns)
        names = getattr(model_input, "columns", None)
        if names is not None:
            lacking = [name for name in columns if name not in list(names)]
            if lacking:
                raise input_error(
                    "model_input", f"must have the column {lacking[0]!r}", f"the columns {list(names)}"
                )
            model_input = model_input[columns]
        if isinstance(self.policy.rule, Budgeted):  # dates and text are no numbers
            return self.policy.apply(model_input)
        values = np.asarray(model_input, dtype=np.float64)
        if len(columns) == 1 and values.ndim == 1:
            values = values[:, None]
        if values.ndim != 2 or values.shape[1] != len(columns):
            raise input_error("model_input", f"must have {len(columns)} columns", f"shape {values.shape}")
        missing = np.isnan(values).any(axis=1)
        kind = np.array([*self.policy.classes, self.policy.abstain_label]).dtype
        labels = np.full(len(values), self.policy.abstain_label, dtype=kind)
        known = values[~missing]
        if len(known):
            labels[~missing] = self.policy.apply(known[:, 0] if len(columns) == 1 else known)
        return labels


def _load_pyfunc(path: str) -> PolicyModel:
    """Read the policy; MLflow calls this by name."""
    return PolicyModel(Policy.load(path))
