"""`Cuts`: one action on every interval between ascending cuts of a score.

Ordered classes are called in their order along the score, without gaps or with intervals between them on
which the rule abstains; a regression answers up to one spread and abstains above.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np

from demur._checks import check_class_labels, check_scores, input_error
from demur._files.values import listed, threshold
from demur._html import threshold_text
from demur._kernels.segments import cheapest_segments, exactly_summable
from demur._kernels.thresholds import cut_points, no_threshold, shortest_in
from demur._results import Result
from demur.surface.window import ABSTAIN
from demur.typing import ArrayLike, FloatArray, IntArray
from demur.windows.expression import Case, Column, Comparison, Condition, Decision, Number

__all__ = ["Cuts", "cheapest_cuts", "level_actions"]


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Cuts(Result):
    """One action on every interval of a score: action i above cut i - 1 and up to cut i.

    A cut of -inf is never reached, not even by an infinite score; between equal cuts lies nothing.

    Parameters
    ----------
    classes : sequence
        Names of the answers.
    cuts : sequence of numbers
        Ascending.
    actions : sequence of int
        One more than there are cuts: places among `classes`, or `ABSTAIN`, -1.

    Raises
    ------
    InputError
        For NaN, cuts that descend, or actions that do not fit.

    Examples
    --------
    Three stages of a disease, with a gap between the last two:

    >>> from demur.windows import Cuts
    >>> rule = Cuts(classes=["healthy", "early", "late"], cuts=[1.5, 3, 4], actions=[0, 1, -1, 2])
    >>> rule.decide([1, 2, 3.5, 9]).tolist()
    [0, 1, -1, 2]
    """

    classes: tuple[Any, ...]
    cuts: tuple[float, ...]
    actions: tuple[int, ...]
    kind: ClassVar[str] = "cuts"
    inputs: ClassVar[int] = 1

    def __post_init__(self) -> None:
        classes = tuple(check_class_labels(self.classes, name="classes"))
        cuts = tuple(threshold(cut, "cuts") for cut in self.cuts)
        if any(low > high for low, high in pairwise(cuts)):
            raise input_error("cuts", "must ascend", list(cuts))
        if len(self.actions) != len(cuts) + 1:
            raise input_error("actions", f"must be {len(cuts) + 1}, one more than cuts", len(self.actions))
        for action in self.actions:
            whole = isinstance(action, (int, np.integer)) and not isinstance(action, bool)
            if not whole or not ABSTAIN <= action < len(classes):
                rule = f"must be places among {len(classes)} classes, or {ABSTAIN}"
                raise input_error("actions", rule, repr(action))
        object.__setattr__(self, "classes", classes)
        object.__setattr__(self, "cuts", cuts)
        object.__setattr__(self, "actions", tuple(map(int, self.actions)))

    @property
    def intervals(self) -> list[tuple[float, float, int]]:
        """Ends and action of every interval that scores can lie in, ascending."""
        found = zip(pairwise((-math.inf, *self.cuts, math.inf)), self.actions, strict=True)
        return [(low, high, action) for (low, high), action in found if low < high]

    @property
    def abstains(self) -> bool:
        """Whether some score is abstained on."""
        return any(action == ABSTAIN for *_, action in self.intervals)

    def decide(self, table: ArrayLike) -> IntArray:
        """Return the place among the classes, or `ABSTAIN`, for every score."""
        return np.asarray(self.codes(check_scores(table)), dtype=np.int64)

    def codes(self, scores: FloatArray) -> Any:
        """Decide checked scores."""
        cuts, actions = np.array(self.cuts), np.array(self.actions)
        never = int(np.count_nonzero(cuts == -math.inf))
        return actions[np.maximum(np.searchsorted(cuts, scores, side="left"), never)]

    def written(self, scores: FloatArray) -> Self:
        """Round the cuts between the scores they were chosen on: the same decisions there."""
        return replace(self, cuts=tuple(shortest_in(cut, scores) for cut in self.cuts))

    def words(self, class_names: Sequence[str]) -> str:
        """Say the rule."""
        calls, before = [], -math.inf
        for low, high, action in self.intervals:
            if action == ABSTAIN:
                continue
            ends = [f"above {threshold_text(low)}"] if low > before else []
            ends += [f"up to {threshold_text(high)}"] if high < math.inf else []
            # the last of neighbours begins where the one before ends
            ends = ends or (["above"] if low > -math.inf else [])
            calls.append(" ".join([str(class_names[action]), *ends]))
            before = high
        if not calls:
            return "send every case to a person"
        return f"call {', '.join(calls)}{', send the rest to a person' if self.abstains else ''}"

    # ---------------------------------------------------------------- files and other languages

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as JSON-safe built-in types (infinities as "inf" and "-inf")."""
        return {"kind": self.kind, **Result.to_dict(self)}

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Return the rule that `to_dict` described; refuse anything else in one sentence."""
        parts: dict[str, Any] = {name: listed(data, name) for name in ("classes", "cuts", "actions")}
        return cls(**parts)

    def to_expression(self, columns: Sequence[str], labels: Sequence[Any]) -> Decision:
        """Return the decision on one column."""
        (name,) = columns
        branches: list[tuple[Condition | None, Any]] = []
        for _, high, action in self.intervals:
            test = Comparison("<=", Column(name), Number(high)) if high < math.inf else None
            branches.append((test, labels[action]))
        return Decision(columns=(name,), valid=None, value=Case.of(branches))


def level_actions(levels: int, *, gaps: bool) -> tuple[int, ...]:
    """Return the classes in their order; with gaps, abstaining between neighbours."""
    if not gaps:
        return tuple(range(levels))
    return (*(action for level in range(levels - 1) for action in (level, ABSTAIN)), levels - 1)


def cheapest_cuts(
    scores: FloatArray,
    losses: FloatArray,
    *,
    mass: FloatArray,
    classes: Sequence[Any],
    actions: Sequence[int],
) -> Cuts:
    """Return the cheapest cuts for actions in a given order along the score; exact, also for negative losses.

    D_s(g) = min(D_{s-1}(g), D_s(g-1) + A_s(g)) is the least cost of the first g scores in the first s
    intervals, with A_s(g) what score g costs in interval s: O(G S) for G scores and S intervals. Of equally
    cheap cuts: the least mass abstained on, then the lowest.

    Parameters
    ----------
    scores : array of G numbers
        Distinct, ascending.
    losses : array of (G, classes + 1)
        What every score costs by action, abstaining last.
    mass : array of G numbers > 0
        Weight of the cases at every score.

    Raises
    ------
    UndefinedError
        Where no float separates an infinite score from its neighbour.
    """
    exact, sent = exactly_summable(losses), exactly_summable(mass) if ABSTAIN in actions else 0.0
    columns = [exact[:, action] + 1j * sent if action == ABSTAIN else exact[:, action] for action in actions]
    _, places = cheapest_segments(columns)
    cuts = cut_points(scores, scores)[0][places]
    if np.isnan(cuts).any():
        raise no_threshold()
    return Cuts(classes=tuple(classes), cuts=tuple(cuts.tolist()), actions=tuple(actions))
