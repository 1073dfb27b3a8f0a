"""What a policy takes from a fitted classifier that abstains by a window."""

from typing import Any

from demur._checks import input_error
from demur.windows.policy_labels import free_label

__all__ = ["parts_of_estimator"]


def parts_of_estimator(
    estimator: Any, abstain_label: Any, model: str | None
) -> tuple[dict[str, Any], float | None]:
    """Return the arguments of `Policy.from_window`, and the honest cost per case if there is one."""
    kind = type(estimator).__name__
    if not all(hasattr(estimator, name) for name in ("window_", "costs_", "classes_", "estimator_")):
        rule = "must be a fitted AbstainingClassifier"
        raise input_error("estimator", rule, kind, "call fit first; for scores alone use Policy.from_answer.")
    if not hasattr(estimator, "surface_"):
        raise input_error("estimator", "must keep its evidence", kind, "fit it with store_surface=True.")
    negative, positive = _classes(estimator)
    if abstain_label is None:
        own = estimator.abstain_label_
        fits = isinstance(own, str) == isinstance(positive, str) and own not in (negative, positive)
        abstain_label = own if fits else free_label(negative, positive)
    inner = estimator.estimator_
    response = estimator.response_method
    if response == "auto":
        response = next(name for name in ("predict_proba", "decision_function") if hasattr(inner, name))
    expected = estimator.expected_cost_
    parts = {
        "window": estimator.window_,
        "counts": estimator.surface_.counts,
        "costs": estimator.costs_,
        "pos_label": positive,
        "neg_label": negative,
        "abstain_label": abstain_label,
        "model": model,
        "note": f"Scores are {response} of {type(inner).__name__} for {positive!r}.",
    }
    return parts, None if expected is None else float(expected.cost)


def _classes(estimator: Any) -> tuple[Any, Any]:
    """Return the negative and the positive class as built-in types."""
    first, second = (label.item() if hasattr(label, "item") else label for label in estimator.classes_)
    # booleans are no labels of a policy
    first, second = (int(label) if isinstance(label, bool) else label for label in (first, second))
    return (
        (second, first)
        if estimator.pos_label is not None and estimator.pos_label == first
        else (first, second)
    )
