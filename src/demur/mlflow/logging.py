"""`log_answer`: what an answer says, written to a run of MLflow."""

from __future__ import annotations

import json
import math
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from demur._checks import check_type
from demur._version import __version__
from demur.comparison.answer import Answer
from demur.exceptions import InputError
from demur.policy.policy import Policy
from demur.report.document import Report
from demur.windows.class_rule import ClassRule

__all__ = ["log_answer"]

_LOADER = "demur.mlflow.model"
_NUMBERS = (
    "cost",
    "hindsight_cost",
    "guaranteed_cost",
    "advice_cost",
    "worst_cost",
    "regret",
    "best_share",
    "abstention_rate",
    "called_positive",
    "called_negative",
    "missed",
    "alarms",
    "error_rate",
    "n",
    "prevalence",
)


def log_answer(
    answer: Answer, *, report: Report | None = None, abstain_label: Any = None, prefix: str = ""
) -> str | None:
    """Log an answer to the active run of MLflow: numbers, policy, page, and a model that abstains.

    Costs are per case, so lower is better, and honest unless the name says otherwise. MLflow starts a
    run if none is active. Assumes that the model in use gets the scores the answer was made for.

    Parameters
    ----------
    answer : Answer
        Of `compare_models`, or `Comparison.best_model()`.
    report : Report, optional
        Its interactive page becomes ``report.html``. Without one that page holds the words, the
        numbers and the window of the answer.
    abstain_label : str or number, optional
        What the model answers where it abstains; as in `Policy.from_answer`.
    prefix : str
        Put before the names of numbers and files, for several answers in one run.

    Returns
    -------
    str or None
        Address of the model for ``mlflow.pyfunc.load_model``; None for a rule without a model, which
        needs no policy.

    Raises
    ------
    InputError
        Without MLflow, or for something that is no answer.

    Notes
    -----
    ========== ====================================================================================
    metrics    ``cost``, ``cost_low``, ``cost_high``, ``abstention_rate``, ``missed``, ``alarms``,
               ``versus_<rule>`` with its interval, ... ; what is infinite or undefined is left out
    parameters ``kind``, ``model``, ``lower``, ``upper`` (exact), the costs, ``condition``
    files      ``answer.json``, ``answer.txt`` (the words), ``report.html``, ``policy.json``
    model      ``policy``: reads the column named like the answer's model, or one per class, and
               returns labels; a missing score is abstained on
    ========== ====================================================================================

    A classifier that abstains on its own, `AbstainingClassifier`, is a scikit-learn model:
    ``mlflow.sklearn.log_model`` takes it as it is.

    Examples
    --------
    A miss costs 100, a false alarm 40, a review 12. The model in the store sends a score of 1 to a
    person:

    >>> from demur import Binormal, CostModel, compare_models
    >>> from demur.mlflow import log_answer
    >>> y, s = Binormal(separation=2.0).sample(400, rng=0)
    >>> costs = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)
    >>> answer = compare_models(y, {"risk": s}, costs=costs).answer
    >>> import mlflow  # doctest: +SKIP
    >>> address = log_answer(answer)  # doctest: +SKIP
    >>> mlflow.pyfunc.load_model(address).predict({"risk": [-3.0, 1.0, 4.0]})  # doctest: +SKIP
    array([ 0, -1,  1])
    >>> answer.decide([-3.0, 1.0, 4.0])
    array([ 0, -1,  1])
    """
    check_type(answer, "answer", Answer, "an")
    check_type(prefix, "prefix", str)
    if report is not None:
        check_type(report, "report", Report)
    policy = None if answer.is_trivial else Policy.from_answer(answer, abstain_label)
    try:
        import mlflow
    except ImportError:
        raise InputError("Logging needs MLflow. Hint: pip install 'demur[mlflow]'.") from None
    mlflow.log_params({f"{prefix}{name}": value for name, value in _parameters(answer).items()})
    mlflow.log_metrics({f"{prefix}{name}": value for name, value in _metrics(answer).items()})
    head = f'<meta charset="utf-8"><title>{escape(answer.model or answer.kind)}</title>'
    page = f'<!doctype html><html lang="en"><head>{head}</head><body>{answer._repr_html_()}</body></html>'
    files = {
        "answer.json": json.dumps(answer.to_dict(), allow_nan=False, ensure_ascii=False, indent=1),
        "answer.txt": answer.words,
        "report.html": page if report is None else report.to_html(),
    }
    for name, content in files.items():
        mlflow.log_text(content, f"{prefix}{name}")
    if policy is None:
        return None
    mlflow.log_text(policy.to_json() + "\n", f"{prefix}policy.json")
    return _log_model(policy, f"{prefix}policy")


def _metrics(answer: Answer) -> dict[str, float]:
    """Return the numbers of an answer that MLflow can plot: finite ones."""
    # what only two classes have, or only many, is None for the others
    numbers = {name: getattr(answer, name) for name in _NUMBERS}
    numbers["cost_low"], numbers["cost_high"] = answer.interval
    for rule, versus in answer.versus.items():
        numbers[f"versus_{rule}"] = versus.difference
        numbers[f"versus_{rule}_low"], numbers[f"versus_{rule}_high"] = versus.interval
    for name, money in (answer.stakes or {}).items():
        numbers[f"stakes_{name}"] = money
    return {name: float(x) for name, x in numbers.items() if x is not None and math.isfinite(x)}


def _parameters(answer: Answer) -> dict[str, Any]:
    """Return the rule of the answer, exact thresholds included, and its costs."""
    rule: dict[str, str] = {}
    # repr tells a float to the last bit
    if answer.two_classes:
        rule = {"lower": repr(answer.lower), "upper": repr(answer.upper)}
    elif isinstance(answer.rule, ClassRule):
        weights = dict(zip(map(str, answer.classes), answer.rule.weights.tolist(), strict=True))
        rule = {"weights": json.dumps(weights), "abstain_weight": repr(answer.rule.abstain_weight)}
    parameters = {
        "kind": answer.kind,
        "model": answer.model,
        **rule,
        "condition": answer.condition,
        "confidence_level": answer.confidence_level,
    }
    prices = answer.costs.to_dict().items()
    parameters |= {name: value for name, value in prices if not isinstance(value, dict | list)}
    return {name: value for name, value in parameters.items() if value not in (None, "")}


def _log_model(policy: Policy, name: str) -> str:
    """Log the policy file as a pyfunc model without pickled code; return its address."""
    from mlflow.models import ModelSignature
    from mlflow.types import ColSpec, Schema

    import mlflow

    kind = {str: "string", int: "long"}.get(type(policy.abstain_label), "double")
    signature = ModelSignature(
        inputs=Schema([ColSpec("double", column) for column in policy.columns]),
        outputs=Schema([ColSpec(kind)]),
    )
    with TemporaryDirectory() as folder:
        path = Path(folder) / "policy.json"
        policy.save(path)
        logged = mlflow.pyfunc.log_model(
            name=name,
            loader_module=_LOADER,
            data_path=str(path),
            signature=signature,
            # named here: MLflow would start a process to guess them
            pip_requirements=[f"demur[mlflow]=={__version__}"],
        )
    return str(logged.model_uri)
