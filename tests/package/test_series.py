"""Every public function of arrays gives the same numbers for series of pandas and Polars."""

import dataclasses
import inspect

import numpy as np
import pandas
import polars
import pytest

import demur
from public_surface import FUNCTIONS

_RNG = np.random.default_rng(0)
N = 80
Y = np.arange(N) % 2
SCORE = np.round(1 / (1 + np.exp(-_RNG.normal(size=N) - Y)), 2)
OTHER = np.round(1 / (1 + np.exp(-_RNG.normal(size=N) - 2 * Y)), 2)
COSTS = demur.CostModel(cost_fn=5, cost_abstain=0.5)
PROBA = np.round(_RNG.dirichlet(np.ones(3), N), 3) + np.eye(3)[np.arange(N) % 3]
PROBA /= PROBA.sum(axis=1, keepdims=True)
RARE = ("sample_weight", "groups", "loss", "noise", "proba")
COLUMNS = {
    "y_score": SCORE,
    "scores": SCORE,
    "score_a": SCORE,
    "score_b": OTHER,
    "sample_weight": np.arange(N) % 3 + 1.0,
    "groups": np.arange(N) // 2,
    "y_pred": (SCORE > 0.5).astype(int),
    "y_pred_a": (SCORE > 0.5).astype(int),
    "y_pred_b": (OTHER > 0.5).astype(int),
    "decision_a": (SCORE > 0.5).astype(int),
    "decision_b": (OTHER > 0.5).astype(int),
    "pred_a": SCORE,
    "pred_b": OTHER,
    "confidence": OTHER,
    "loss": np.abs(Y - SCORE),
    "losses": np.abs(Y - SCORE),
    "calibration": SCORE,
    "values": OTHER,
    "first": SCORE,
    "second": OTHER,
    "noise": OTHER,
    "series": np.sin(np.arange(N) / 3),
    "proba": SCORE,
}
OPTIONS = {
    "costs": COSTS,
    "rng": 0,
    "n_resamples": 20,
    "margin": 0.1,
    "threshold_probability": 0.3,
    "positive": demur.Precision(0.6),
    "negative": demur.Precision(0.6),
    "window": (0.3, 0.6),
    "worst": 1.0,
    "prevalence": 0.3,
}
# several models, each a column
MODELS = ("compare_models", "volume_comparison")
# functions of one column per class, or per model
TABLES = {
    "hand_till_auc": {"proba": 3},
    "optimize_weights": {"scores": 3, "costs": 1.0 - np.eye(3)},
    "critical_windows": {"proba": 3},
    "response_curve": {"proba": 3, "costs": None},
    "response_band": {"proba": 3, "costs": None},
    "class_cost_maps": {"scores": 3, "costs": 1.0 - np.eye(3)},
    "auc_covariance": {"scores": 2},
    "auc_pairwise_tests": {"scores": 2},
    "vus_covariance": {"scores": 2},
}


def arguments(function, make, frame, optional):
    """Return arguments of a function, its columns made by `make`; None where they do not suit it."""
    given, table = {}, TABLES.get(function.__name__, {})
    classes = 3 if 3 in table.values() else 2
    for name, parameter in inspect.signature(function).parameters.items():
        needed = parameter.default is parameter.empty
        if isinstance(table.get(name), int):
            given[name] = frame(PROBA if classes == 3 else np.column_stack([SCORE, OTHER]))
        elif name in table:
            given[name] = table[name]
        elif name == "scores" and function.__name__ in MODELS:
            given[name] = {"a": make(SCORE), "b": make(OTHER)}
        elif name == "y_true":
            given[name] = make(np.arange(N) % classes)
        elif name in COLUMNS and (
            needed or name not in RARE or (optional and name in ("sample_weight", "groups"))
        ):
            given[name] = make(COLUMNS[name])
        elif name in OPTIONS and (needed or name in ("rng", "n_resamples", "costs")):
            given[name] = OPTIONS[name]
        elif needed:
            return None
    return given if set(given) & {*COLUMNS, *table} else None


def outcome(function, make, frame, *, optional):
    """Return the plain numbers of a result; None where the arguments do not suit the function."""
    given = arguments(function, make, frame, optional)
    try:
        return None if given is None else plain(function(**given))
    except demur.InputError:
        return None


def plain(value):
    """Return a result as built-in types and arrays of them."""
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if dataclasses.is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(one) for one in value]
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else repr(value)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("optional", [False, True], ids=["plain", "weighted"])
def test_series_against_arrays_by_enumeration(optional):
    counted = set()
    for name, function in FUNCTIONS.items():
        expected = outcome(function, np.asarray, np.asarray, optional=optional)
        if expected is not None:
            for frames in (pandas, polars):
                found = outcome(function, frames.Series, frames.DataFrame, optional=optional)
                assert found == expected, (name, frames)
            counted.add(function.__name__)
    assert optional or counted >= {"compare_models", *TABLES}
    assert len(counted) >= 60
