"""Examples 1 and 2 of Ferri and Hernandez-Orallo (2004): two matrices, the tree of 100 cases, figures."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from demur.cautious.capacity import capacity_graph
from demur.cautious.confusion import CautiousConfusion, cautious_confusion
from demur.cautious.response import ResponseCurve, response_curve, roc_response_surface
from demur.cautious.rules import CautionWindowRule, ConfidenceRule
from demur.roc.curve import roc_curve
from demur.typing import FloatArray, IntArray
from demur_studies._study import Figure

__all__ = ["P", "R", "example_figures", "metric_words", "tree_cases", "tree_confusion", "tree_responses"]

# example 1: rows predicted a, b, c (and unknown), columns actual; example 2: leaves of a tree
P = ((20, 2, 3), (0, 30, 3), (0, 2, 40), (0, 0, 0))
R = ((19, 1, 2), (0, 30, 0), (0, 1, 38), (1, 2, 6))
LEAVES = (
    (1.0, 23, 1),
    (0.75, 10, 0),
    (0.7, 4, 2),
    (0.6, 0, 9),
    (0.35, 2, 3),
    (0.2, 1, 15),
    (0.1, 0, 30),
)


def tree_cases() -> tuple[IntArray, FloatArray]:
    """Actual class (0 = a, 1 = b) and probabilities of the 100 cases of the tree."""
    label = np.repeat(np.tile([0, 1], len(LEAVES)), [count for _, *counts in LEAVES for count in counts])
    p_a = np.repeat([p for p, *_ in LEAVES], [a + b for _, a, b in LEAVES])
    return label, np.column_stack([p_a, 1 - p_a])


def tree_confusion(rule: ConfidenceRule | CautionWindowRule) -> CautiousConfusion:
    """Confusion of the tree under a rule that may abstain."""
    label, proba = tree_cases()
    return cautious_confusion(label, rule.decide(proba), labels=[0, 1])


def tree_responses(metric: str) -> dict[str, ResponseCurve]:
    """Response curves of the tree, by bias."""
    label, proba = tree_cases()
    biases = {"(.5, .5)": [0.5, 0.5], "(.55, .45)": [0.55, 0.45], "(.45, .55)": [0.45, 0.55]}
    return {name: response_curve(label, proba, bias=bias, metric=metric) for name, bias in biases.items()}


def metric_words(metric: str) -> str:
    """Name a metric at the start of a sentence."""
    return metric.upper() if metric == "auc" else metric.capitalize()


def example_figures() -> Iterator[Figure]:
    """Figures 1, 2 and 6 to 10."""
    yield Figure("fig-1", "Accuracy against abstention of R (example 1), and its efficacy.", _draw_efficacy)
    yield Figure("fig-2", "Capacity graph of R and P (example 1).", _draw_capacity)
    for number, metric in ((6, "accuracy"), (7, "error"), (10, "auc")):
        caption = f"{metric_words(metric)} response of example 2, by bias."
        yield Figure(f"fig-{number}", caption, partial(_draw_tree_responses, metric))
    caption = "ROC curve of example 2, without 20 % of the cases, and the secant that cuts them out."
    yield Figure("fig-8", caption, _draw_tree_roc)
    yield Figure("fig-9", "ROC response surface of example 2.", _draw_tree_surface)


def _draw_efficacy() -> Any:
    from demur.displays.cautious import EfficacyDisplay

    return EfficacyDisplay.from_result(CautiousConfusion(np.array(R, dtype=float))).plot().figure_


def _draw_capacity() -> Any:
    from demur.displays.cautious import CapacityGraphDisplay

    models = {
        "R": CautiousConfusion(np.array(R, dtype=float)),
        "P": CautiousConfusion(np.array(P, dtype=float)),
    }
    return CapacityGraphDisplay.from_result(capacity_graph(models)).plot().figure_


def _draw_tree_responses(metric: str) -> Any:
    from demur.displays.cautious import ResponseCurveDisplay

    curves = {f"K = {name}": curve for name, curve in tree_responses(metric).items()}
    return ResponseCurveDisplay.from_result(curves).plot().figure_


def _draw_tree_roc() -> Any:
    from demur.displays.cautious import RocSecantDisplay

    label, proba = tree_cases()
    # leaves 3, 4 and 5 lie between: 20 of 100 cases
    curve = roc_curve(label == 0, proba[:, 0])
    return RocSecantDisplay.from_result(curve, window=(0.3, 0.72)).plot().figure_


def _draw_tree_surface() -> Any:
    from demur.displays.cautious import RocResponseSurfaceDisplay

    label, proba = tree_cases()
    return RocResponseSurfaceDisplay.from_result(roc_response_surface(label, proba)).plot().figure_
