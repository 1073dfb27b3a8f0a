"""The policy as MLflow's pyfunc model: a column of scores in, labels out."""

from typing import Any

import numpy as np

from demur._checks import check_scores, input_error
from demur.windows.policy import Policy

__all__ = ["PolicyModel", "score_column"]


def score_column(policy: Policy) -> str:
    """Return the name of the column the model reads."""
    return policy.model or "score"


class PolicyModel:
    """What `mlflow.pyfunc.load_model` wraps: decides like `Policy.apply`, abstains on missing scores.

    Parameters
    ----------
    policy : Policy
    """

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    def predict(self, model_input: Any, params: dict[str, Any] | None = None) -> Any:
        """Return the label of every score; the abstain label where the policy abstains or a score is missing.

        `model_input` is a frame with the column of scores, or the scores alone. `params` is part of
        MLflow's interface; a policy has no parameters.
        """
        values = np.asarray(self._scores(model_input), dtype=np.float64)
        if values.ndim == 2 and values.shape[1] == 1:
            values = values[:, 0]
        missing = np.isnan(values)
        # any score inside or outside of the window: its label is replaced
        labels = self.policy.apply(check_scores(np.where(missing, 0.0, values), "model_input"))
        if missing.any():
            labels[missing] = self.policy.abstain_label
        return labels

    def _scores(self, model_input: Any) -> Any:
        columns = getattr(model_input, "columns", None)
        if columns is None:
            return model_input
        name, names = score_column(self.policy), list(columns)
        if name in names:
            return model_input[name]
        raise input_error("model_input", f"must have the column {name!r}", f"the columns {names}")


def _load_pyfunc(path: str) -> PolicyModel:
    """Read the policy; MLflow calls this by name."""
    return PolicyModel(Policy.load(path))
