"""All states a `CautionWindowRule` runs through as its window widens from 0 to 1, exactly.

Between two critical windows no decision changes, so a response curve is a finite list of
states. Two classes need only the counts per score: the abstained cases are those between two
scores, and every measure is a difference of running sums. More classes are a list of events
(this case is abstained on; this case changes class), sorted by window.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from demur._checks import (
    check_class_codes,
    check_proba,
    check_probability,
    check_same_length,
    check_simplex,
    check_weights,
    input_error,
)
from demur._kernels.caution import abstention_windows, class_changes
from demur._kernels.hand_till import shrinking_hand_till
from demur._kernels.sweep import ascending_order, merge_close
from demur._kernels.window_search import CutMasses
from demur.cautious.confusion import CautiousConfusion
from demur.cautious.rules import equal_bias
from demur.counts.scores import ScoreCounts, as_counts
from demur.exceptions import InputError
from demur.typing import ArrayLike, FloatArray, IntArray, Labels

__all__ = ["EventStates", "States", "TwoClassStates", "response_states"]

_SAME_WINDOW = 1e-12
"""Critical windows this close are the same one, up to rounding."""


@dataclass(frozen=True, kw_only=True, eq=False)
class States(ABC):
    """States of one classifier, from which all its response curves are made.

    Attributes
    ----------
    breaks : array
        Ascending critical windows; state t + 1 begins just after ``breaks[t]``, state 0 is w = 0.
    class_totals : array
        Weight of the cases of each class.
    """

    n_classes: int
    bias: FloatArray
    breaks: FloatArray
    class_totals: FloatArray

    @property
    def answered(self) -> FloatArray:
        """Weight of the answered cases per state."""
        return self.right + self.wrong

    @cached_property
    def right(self) -> FloatArray:
        """Weight of the cases answered correctly per state."""
        return self._answers(right=True)

    @cached_property
    def wrong(self) -> FloatArray:
        """Weight of the cases answered wrongly per state."""
        return self._answers(right=False)

    @abstractmethod
    def _answers(self, *, right: bool) -> FloatArray:
        """Weight of the right or of the wrong answers per state."""

    @property
    def n(self) -> float:
        """Total weight, all of it answered in state 0."""
        return float(self.answered[0])

    @cached_property
    def abstention(self) -> FloatArray:
        """Share abstained on per state, from exactly 0."""
        return np.asarray(1 - self.answered / self.n)

    @abstractmethod
    def total_cost(self, costs: FloatArray) -> FloatArray:
        """Cost of all cases per state; `costs` in the layout of a confusion matrix."""

    @abstractmethod
    def auc(self) -> FloatArray:
        """AUC of the answered cases per state; NaN where it does not exist."""

    @abstractmethod
    def confusion(self, state: int) -> CautiousConfusion:
        """Return the confusion matrix of one state."""


# ---------------------------------------------------------------- two classes


@dataclass(frozen=True, kw_only=True, eq=False)
class TwoClassStates(States):
    """States of two classes: groups [start[t], stop[t]) of the scores are abstained on."""

    counts: ScoreCounts
    sums: CutMasses
    start: IntArray
    stop: IntArray

    def _answers(self, *, right: bool) -> FloatArray:
        """Take one class below the abstained groups and the other above them."""
        m = self.sums
        below, above = (m.negative_below, m.positive_above) if right else (m.positive_below, m.negative_above)
        return np.asarray(below[self.start] + above[self.stop])

    def total_cost(self, costs: FloatArray) -> FloatArray:
        """Cost of the four cells and of the abstained cases."""
        m, gain = self.sums, costs[:2] - costs[2]
        below = gain[0, 0] * m.negative_below[self.start] + gain[0, 1] * m.positive_below[self.start]
        above = gain[1, 0] * m.negative_above[self.stop] + gain[1, 1] * m.positive_above[self.stop]
        # relative to abstaining on everything, which costs the same in every state
        return np.asarray(below + above + costs[2] @ self.class_totals)

    def auc(self) -> FloatArray:
        """Split the pairs into those below, those above and those across the abstained groups."""
        positives, negatives, m = self.counts.positives, self.counts.negatives, self.sums
        # W(S) = sum over pairs of a positive and a negative in S of 1[>] + 1/2 1[=]: the pairs won
        won_below = positives * (m.negative_below[:-1] + negatives / 2)
        won_above = negatives * (m.positive_above[1:] + positives / 2)
        inside_below = np.concatenate([[0.0], np.cumsum(won_below)])
        inside_above = np.concatenate([np.cumsum(won_above[::-1])[::-1], [0.0]])
        low, high = m.negative_below[self.start], m.positive_above[self.stop]
        pairs = (m.positive_below[self.start] + high) * (low + m.negative_above[self.stop])
        won = inside_below[self.start] + inside_above[self.stop] + high * low
        return np.asarray(np.divide(won, pairs, out=np.full(len(pairs), np.nan), where=pairs > 0))

    def answered_counts(self, state: int) -> ScoreCounts:
        """Counts of the cases answered in one state, scores unchanged."""
        keep = np.ones(len(self.counts.scores), dtype=bool)
        keep[self.start[state] : self.stop[state]] = False
        counts = self.counts
        return ScoreCounts.from_counts(counts.scores[keep], counts.positives[keep], counts.negatives[keep])

    def confusion(self, state: int) -> CautiousConfusion:
        """Return the confusion matrix of one state; class 1 is the positive one."""
        m, start, stop = self.sums, self.start[state], self.stop[state]
        rows = [
            [m.negative_below[start], m.positive_below[start]],
            [m.negative_above[stop], m.positive_above[stop]],
            [self.counts.negatives[start:stop].sum(), self.counts.positives[start:stop].sum()],
        ]
        return CautiousConfusion(np.array(rows), (0, 1))


def _two_class_states(counts: ScoreCounts, bias: FloatArray) -> TwoClassStates:
    scores = counts.scores
    if scores[0] < 0 or scores[-1] > 1:
        bad = float(scores[0] if scores[0] < 0 else scores[-1])
        raise input_error("proba", "must lie in [0, 1]", bad, "calibrate the scores first.")
    up, down = _room(scores, float(bias[1])), _room(1 - scores, float(bias[0]))
    # a tie is called class 0, the lowest index; down falls and up rises with the score
    cut = int(np.count_nonzero(down >= up))
    falling, rising = np.maximum(down[:cut][::-1], 0.0), up[cut:]
    falling = falling[: np.searchsorted(falling, 1 - _SAME_WINDOW)]
    rising = rising[: np.searchsorted(rising, 1 - _SAME_WINDOW)]
    breaks, below, above = merge_close(falling, rising, _SAME_WINDOW)
    return TwoClassStates(
        n_classes=2,
        bias=bias,
        # a first critical window that is 0 up to rounding is at 0
        breaks=np.where(breaks <= _SAME_WINDOW, 0.0, breaks),
        class_totals=np.array([counts.n_negative, counts.n_positive]),
        counts=counts,
        sums=CutMasses.of(counts.positives, counts.negatives),
        start=cut - np.concatenate([[0], below]),
        stop=cut + np.concatenate([[0], above]),
    )


def _room(p: FloatArray, bias: float) -> FloatArray:
    """(p - k)/(1 - k): the window up to which the class is called."""
    if bias == 1:
        return np.where(p == 1, np.inf, -np.inf)
    return (p - bias) / (1 - bias)


# ---------------------------------------------------------------- any number of classes


@dataclass(frozen=True, kw_only=True, eq=False)
class EventStates(States):
    """States of several classes as events in the order of their windows.

    Event e moves case ``case[e]`` from class ``before[e]`` to ``after[e]`` (the number of classes
    stands for abstaining); state t is reached after the first ``n_events[t]`` events.
    """

    proba: FloatArray
    codes: IntArray
    weights: FloatArray
    last: IntArray
    case: IntArray
    before: IntArray
    after: IntArray
    n_events: IntArray

    @cached_property
    def _always(self) -> Any:
        """Cases that no window abstains on."""
        always = np.ones(len(self.codes), dtype=bool)
        always[self.case[self.after == self.n_classes]] = False
        return always

    def _per_state(self, lost: FloatArray, final: float) -> FloatArray:
        """Sum a quantity per state from the loss at each event and the rest after all of them.

        Summed from the last state backwards, so that nothing left is exactly nothing.
        """
        remaining = np.concatenate([np.cumsum(lost[::-1])[::-1], [0.0]])
        return np.asarray(final + remaining[self.n_events])

    def _answers(self, *, right: bool) -> FloatArray:
        truth, weight = self.codes[self.case], self.weights[self.case]
        was = (self.before == truth) == right
        # an abstained case is neither right nor wrong
        now = ((self.after == truth) == right) & (self.after < self.n_classes)
        final = self._always & ((self.last == self.codes) == right)
        lost = weight * (was.astype(np.float64) - now)
        # a case may change class and change back: rounding may leave a trace below 0
        return np.maximum(self._per_state(lost, float(self.weights[final].sum())), 0.0)

    def total_cost(self, costs: FloatArray) -> FloatArray:
        """Cost of all cases, summed over the events."""
        truth = self.codes[self.case]
        # flat indices: several times faster than pairs of them
        price = costs.ravel()
        moved = price[self.before * self.n_classes + truth] - price[self.after * self.n_classes + truth]
        end = np.where(self._always, self.last, self.n_classes)
        final = float(np.sum(self.weights * price[end * self.n_classes + self.codes]))
        return self._per_state(self.weights[self.case] * moved, final)

    def auc(self) -> FloatArray:
        """Hand and Till's AUC of the answered cases."""
        n_states = len(self.n_events)
        leaves = np.full(len(self.codes), n_states)
        gone = np.flatnonzero(self.after == self.n_classes)
        leaves[self.case[gone]] = np.searchsorted(self.n_events, gone, side="right")
        return shrinking_hand_till(self.proba, self.codes, self.weights, leaves, n_states)

    def confusion(self, state: int) -> CautiousConfusion:
        """Return the confusion matrix of one state."""
        called = np.where(self._always, self.last, self.n_classes)
        # undo what comes later, the latest first: of a repeated case the last assignment stays
        later = np.arange(len(self.case) - 1, self.n_events[state] - 1, -1)
        called[self.case[later]] = self.before[later]
        cells = called * self.n_classes + self.codes
        size = (self.n_classes + 1) * self.n_classes
        matrix = np.bincount(cells, weights=self.weights, minlength=size)
        return CautiousConfusion(matrix.reshape(-1, self.n_classes).astype(np.float64))


def _event_states(proba: FloatArray, codes: IntArray, weights: FloatArray, bias: FloatArray) -> EventStates:
    if not weights.all():
        keep = weights > 0
        proba, codes, weights = proba[keep], codes[keep], weights[keep]
    n_classes = proba.shape[1]
    limit, last = abstention_windows(proba, bias)
    leaving = np.flatnonzero(limit < 1 - _SAME_WINDOW)
    case, window, before = leaving, np.maximum(limit[leaving], 0.0), last[leaving]
    after = np.full(len(leaving), n_classes)
    if not np.all(bias == bias[0]):
        _, last, *changes = class_changes(proba, bias, np.minimum(limit, 1 - _SAME_WINDOW))
        leaves = case, window, last[leaving], after
        case, window, before, after = (np.concatenate(pair) for pair in zip(changes, leaves, strict=True))
    # stable: of one case with several events at one window, the changes must stay in order
    order = ascending_order(window)
    breaks, n_events, _ = merge_close(window[order], np.empty(0), _SAME_WINDOW)
    states = EventStates(
        n_classes=n_classes,
        bias=bias,
        breaks=np.where(breaks <= _SAME_WINDOW, 0.0, breaks),
        class_totals=np.bincount(codes, weights, minlength=n_classes).astype(np.float64),
        proba=proba,
        codes=codes,
        weights=weights,
        last=last,
        case=case[order],
        before=before[order],
        after=after[order],
        n_events=np.concatenate([[0], n_events]),
    )
    return _without_empty_steps(states)


def _without_empty_steps(states: EventStates) -> EventStates:
    """Join states with equal matrices: cases that change class may cancel out."""
    size, leaves = states.n_classes, states.after == states.n_classes
    if leaves.all():
        return states
    step = np.searchsorted(states.n_events[1:], np.arange(len(states.case)), side="right")
    keep = np.zeros(len(states.breaks), dtype=bool)
    keep[step[leaves]] = True
    undecided = ~keep[step]
    step, case = step[undecided], states.case[undecided]
    truth, weight = states.codes[case], states.weights[case]
    cells = [(step * size + called[undecided]) * size + truth for called in (states.before, states.after)]
    changed, which = np.unique(np.concatenate(cells), return_inverse=True)
    net = np.bincount(which, weights=np.concatenate([-weight, weight]))
    keep[changed[net != 0] // size**2] = True
    n_events = np.concatenate([[0], states.n_events[1:][keep]])
    return replace(states, breaks=states.breaks[keep], n_events=n_events)


# ---------------------------------------------------------------- from arrays


def response_states(
    y_true: Labels | ScoreCounts,
    proba: ArrayLike | None,
    *,
    labels: Any,
    sample_weight: ArrayLike | None,
    bias: ArrayLike | None,
) -> States:
    """Lower the call forms of `response_curve` to states."""
    if isinstance(y_true, ScoreCounts):
        if labels is not None:
            raise input_error("labels", "must be left out when the first argument is a ScoreCounts", labels)
        return _two_class_states(as_counts(y_true, proba, sample_weight=sample_weight), _bias(bias, 2))
    if proba is None:
        raise InputError("`proba` is missing. Hint: pass y_true and proba, or one ScoreCounts.")
    if np.ndim(proba) == 1:
        score, n_classes = check_probability(proba, "proba"), 2
    else:
        rows = check_proba(proba)
        n_classes = rows.shape[1]
        if n_classes < 2:
            raise input_error("proba", "must have a column for each of at least two classes", n_classes)
        score = rows[:, 1]
    codes = check_class_codes(y_true, n_classes, labels)
    weights, share = check_weights(sample_weight), _bias(bias, n_classes)
    check_same_length(y_true=codes, proba=score, sample_weight=weights)
    if n_classes == 2:
        counts = ScoreCounts.from_arrays(codes, score, pos_label=1, sample_weight=weights)
        return _two_class_states(counts, share)
    # copies: the AUC and the matrices are computed later, whatever becomes of the user's arrays
    weights = np.ones(len(codes)) if weights is None else weights.copy()
    return _event_states(rows.copy(), codes.copy(), weights, share)


def _bias(bias: ArrayLike | None, n_classes: int) -> FloatArray:
    # a copy: results make their arrays read-only, which must not reach the user's
    return equal_bias(n_classes) if bias is None else check_simplex(bias, "bias", size=n_classes).copy()
