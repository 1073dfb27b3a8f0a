"""Critical windows of rule R4 (Ferri and Hernandez-Orallo 2004), in closed form.

With class bias k and window w the thresholds are tau_i = (1 - k_i) w + k_i, and a case is
called the class with the largest p_i / tau_i, provided p_i >= tau_i. The inverse ratios
tau_i / p_i are straight lines in w, so the class of a case follows their lower envelope and
the case is abstained on once the envelope exceeds 1.
"""

import numpy as np

from demur.typing import FloatArray, IntArray

__all__ = ["abstention_windows", "class_changes", "ratio_class"]


def ratio_class(proba: FloatArray, thresholds: FloatArray) -> IntArray:
    """Class with the largest p_i / tau_i; 0/0 counts as 0, ties go to the lowest index."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = proba / thresholds
    if not thresholds.all():
        ratio[np.isnan(ratio)] = 0.0
    return np.asarray(ratio.argmax(axis=1))


def abstention_windows(proba: FloatArray, bias: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the largest window at which each case is classified, and its class there.

    w = max_i (p_i - k_i) / (1 - k_i); infinite for a case certain of a class with k_i = 1.
    """
    if np.all(bias == bias[0]):
        best = proba.argmax(axis=1)
        top = proba[np.arange(len(proba)), best]
        return (top - bias[0]) / (1 - bias[0]), best
    with np.errstate(divide="ignore", invalid="ignore"):
        room = (proba - bias) / (1 - bias)
    whole = bias == 1
    if whole.any():
        room[:, whole] = np.where(proba[:, whole] == 1, np.inf, -np.inf)
    best = room.argmax(axis=1)
    return room[np.arange(len(proba)), best], best


def class_changes(
    proba: FloatArray, bias: FloatArray, limit: FloatArray
) -> tuple[IntArray, IntArray, IntArray, FloatArray, IntArray, IntArray]:
    """Return the class at w = 0, the class at `limit`, and all changes in between.

    A change is (case, window, from, to) at 0 <= window < limit. At most c - 1 per case, met
    on a walk along the lower envelope of the lines tau_i / p_i.
    """
    start = ratio_class(proba, bias)
    now, at = start.copy(), np.zeros(len(proba))
    active, none = np.arange(len(proba)), np.empty(0, dtype=np.int64)
    steps = [(none, np.empty(0), none, none)]
    # for two classes, or equal biases, the envelope changes class only where it reaches 1
    changes = 0 if proba.shape[1] == 2 or np.all(bias == bias[0]) else proba.shape[1] - 1
    for _ in range(changes):
        window, following = _next_on_envelope(proba[active], bias, now[active])
        moves = window < limit[active]
        if not moves.any():
            break
        active = active[moves]
        # rounding must not let a case step back
        at[active] = np.maximum(window[moves], at[active])
        steps.append((active, at[active], now[active], following[moves]))
        now[active] = following[moves]
    case, window, before, after = (np.concatenate(column) for column in zip(*steps, strict=True))
    return start, now, case, window, before, after


def _next_on_envelope(p: FloatArray, bias: FloatArray, now: IntArray) -> tuple[FloatArray, IntArray]:
    """First window at which another line undercuts line `now`, and the flattest such line."""
    rows = np.arange(len(p))
    own, own_bias = p[rows, now][:, None], bias[now][:, None]
    rise = own * bias - p * own_bias
    flatter = p * (1 - own_bias) - own * (1 - bias)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        window = np.where(flatter > 0, np.maximum(rise, 0.0) / flatter, np.inf)
        slope = np.where(p > 0, (1 - bias) / p, np.inf)
    first = window.min(axis=1)
    # several lines meet there: the flattest is lowest afterwards
    slope = np.where(window == first[:, None], slope, np.inf)
    return first, np.asarray(slope.argmin(axis=1))
