"""`MetaClassTree`: a tree of binary decisions between groups of classes, one threshold each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, Self

import numpy as np

from demur._checks import check_choice
from demur._kernels.weight_objective import DEEPEST
from demur._results import Result
from demur.exceptions import DemurError
from demur.multiclass.weights import labelled_scores, log_of_scores, named_answers
from demur.typing import ArrayLike, FloatArray, IntArray, Labels

__all__ = ["MetaClassNode", "MetaClassTree"]

CostMode = Literal["error", "mean", "exact"]
_MOST_ENUMERATED = 16


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class MetaClassNode(Result):
    """A decision of a `MetaClassTree`: `left` classes iff their total score is `threshold` times the right's.

    Attributes
    ----------
    left, right : tuple of whole numbers
        Column indices of the two groups.
    threshold : float
        Go left iff sum of left scores / sum of right scores >= threshold; 0 always, inf never.
    on_left, on_right : MetaClassNode or int
        What decides next, or the column index that is the answer.
    n : int
        Number of examples of these classes used to choose the threshold.
    """

    left: tuple[int, ...]
    right: tuple[int, ...]
    threshold: float
    on_left: MetaClassNode | int
    on_right: MetaClassNode | int
    n: int


class MetaClassTree:
    """Multi-class answers by a balanced tree of binary thresholds; the lower the cost the better.

    Each node splits its classes into two groups with examples as evenly as possible and chooses one
    threshold for the ratio of the groups' total scores. Trains in O(n log n log m), answers in
    O(m), and is not a rule of class weights: it can be better or worse than `optimize_weights`.

    Parameters
    ----------
    cost : {"mean", "exact", "error"}
        What a threshold minimises. "mean": a wrong turn costs the average over the classes it
        leads to; "exact": nodes below are trained first and a turn costs what they will answer
        (lower or equal cost in most trials); "error": every wrong turn costs 1.
    split : {"examples", "classes"}
        What the two groups of a node share as evenly as possible: examples, as in the paper, or classes.

    Attributes
    ----------
    root_ : MetaClassNode or int
        The tree; a column index if there is one class only.
    classes_ : tuple
        Names of the columns.
    objective_ : float
        Cost per case on the training examples.

    Notes
    -----
    Algorithm 1 of Deng et al. (2006). Candidate thresholds of a node are infinity, the means of
    neighbouring distinct ratios of its own examples, and 0; the first of the cheapest counts.
    The first group holds the first class; among equally balanced splits the smaller, then the
    lexicographically first one is taken (beyond 16 classes: largest class first, greedily).

    References
    ----------
    Deng et al. (2006), New algorithms for optimizing multi-class classifiers via ROC surfaces, ROCML
    workshop at ICML, Algorithm 1.

    Examples
    --------
    Calling an "a" a "b" is cheap, so "a" must lead clearly to be answered:

    >>> from demur.multiclass import MetaClassTree
    >>> scores = [[.7, .2, .1], [.5, .3, .2], [.4, .35, .25], [.3, .5, .2],
    ...           [.45, .4, .15], [.2, .3, .5], [.5, .1, .4], [.34, .33, .33]]
    >>> y = ["a", "b", "b", "b", "a", "c", "c", "a"]
    >>> costs = {"a": {"b": 1, "c": 4}, "b": {"a": 3, "c": 2}, "c": {"a": 8, "b": 6}}
    >>> tree = MetaClassTree().fit(scores, y, costs)
    >>> tree.objective_, tree.predict([[.6, .3, .1], [.7, .2, .1]]).tolist()
    (0.25, ['b', 'a'])
    """

    def __init__(self, *, cost: CostMode = "mean", split: str = "examples") -> None:
        self.cost = cost
        self.split = split

    def __repr__(self) -> str:
        if not hasattr(self, "root_"):
            return f"MetaClassTree(cost={self.cost!r})"
        known = f"{len(self.classes_)} classes, objective={self.objective_:.6g}"
        return f"MetaClassTree(cost={self.cost!r}, {known})"

    def fit(
        self,
        scores: ArrayLike,
        y_true: Labels,
        costs: Any = None,
        *,
        classes: Sequence[Any] | None = None,
        priors: Any = None,
        sample_weight: ArrayLike | None = None,
        log: bool = False,
    ) -> Self:
        """Choose the thresholds; parameters as in `optimize_weights`, every mistake costs 1 by default."""
        check_choice(self.cost, "cost", ("mean", "exact", "error"))
        check_choice(self.split, "split", ("examples", "classes"))
        if costs is None:
            costs = 1.0 - np.eye(log_of_scores(scores, log=log).shape[1])
        data = labelled_scores(
            scores, y_true, costs, classes=classes, priors=priors, sample_weight=sample_weight, log=log
        )
        self.classes_ = data.costs.classes
        m = len(self.classes_)
        f, v = _shares(scores, log=log), data.answer_costs()
        sizes = np.bincount(data.y, minlength=m) if self.split == "examples" else np.ones(m, dtype=np.int64)
        self.root_ = _grown(tuple(range(m)), f, data.y, v, self.cost, sizes)
        self.objective_ = float(v[np.arange(len(data.y)), _answers(self.root_, f)].sum())
        return self

    def decide(self, scores: ArrayLike, *, log: bool = False) -> IntArray:
        """Index in `classes_` for every row of scores."""
        if not hasattr(self, "root_"):
            raise DemurError(
                "This MetaClassTree is not fitted yet. Hint: call fit(scores, y_true, costs) first."
            )
        log_of_scores(scores, log=log, columns=len(self.classes_))
        return _answers(self.root_, _shares(scores, log=log))

    def predict(self, scores: ArrayLike, *, log: bool = False) -> Any:
        """Class names for every row of scores."""
        return named_answers(self.decide(scores, log=log), self.classes_, None)

    def nodes(self) -> Iterator[tuple[int, MetaClassNode]]:
        """All decisions with their depth, from the root downwards, left before right."""
        waiting = [(0, self.root_)]
        while waiting:
            depth, node = waiting.pop()
            if isinstance(node, MetaClassNode):
                yield depth, node
                waiting += [(depth + 1, node.on_right), (depth + 1, node.on_left)]

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as JSON-safe built-in types, classes by name."""
        return {
            "classes": [str(name) for name in self.classes_],
            "cost": self.cost,
            "tree": self._node_dict(self.root_),
        }

    def _node_dict(self, node: MetaClassNode | int) -> dict[str, Any]:
        if not isinstance(node, MetaClassNode):
            return {"leaf": str(self.classes_[node])}
        return {
            "threshold": "inf" if np.isinf(node.threshold) else node.threshold,
            "left": [str(self.classes_[k]) for k in node.left],
            "right": [str(self.classes_[k]) for k in node.right],
            "n": node.n,
            "on_left": self._node_dict(node.on_left),
            "on_right": self._node_dict(node.on_right),
        }


def _shares(scores: ArrayLike, *, log: bool) -> FloatArray:
    """Scores in a safe range of floats, scaled by powers of two: ratios of sums keep their last bit."""
    values = np.asarray(scores, dtype=np.float64)
    if log:
        values = np.exp(log_of_scores(values, log=True))
    _, exponent = np.frexp(values.max(axis=1, keepdims=True))
    return np.asarray(np.maximum(np.ldexp(values, -exponent), np.exp(-DEEPEST)))


def _answers(node: MetaClassNode | int, f: FloatArray) -> IntArray:
    if not isinstance(node, MetaClassNode):
        return np.full(len(f), node)
    answers, goes_left = np.empty(len(f), dtype=np.int64), _ratio(f, node.left, node.right) >= node.threshold
    for child, rows in ((node.on_left, goes_left), (node.on_right, ~goes_left)):
        answers[rows] = _answers(child, f[rows])
    return answers


def _ratio(f: FloatArray, left: tuple[int, ...], right: tuple[int, ...]) -> FloatArray:
    return np.asarray(np.minimum(f[:, left].sum(axis=1) / f[:, right].sum(axis=1), np.finfo(np.float64).max))


def _grown(
    group: tuple[int, ...], f: FloatArray, y: IntArray, v: FloatArray, cost: str, sizes: IntArray
) -> MetaClassNode | int:
    """Grow the tree of a group of classes over scores `f`, true columns `y` and costs `v` of every answer."""
    if len(group) == 1:
        return group[0]
    # sums of sizes as even as possible, the first class on the left
    if len(group) > _MOST_ENUMERATED:
        left = _greedy_half(group, sizes)
    else:
        total = sizes[list(group)].sum()
        options = (
            (abs(2 * sizes[[group[0], *rest]].sum() - total), size + 1, rest)
            for size in range(len(group) - 1)
            for rest in combinations(group[1:], size)
        )
        left = (group[0], *min(options)[2])
    right = tuple(k for k in group if k not in left)
    on_left, on_right = (_grown(side, f, y, v, cost, sizes) for side in (left, right))
    rows = np.flatnonzero(np.isin(y, group))
    f_rows, v_rows, belongs_left = f[rows], v[rows], np.isin(y[rows], left)
    # what sending each example to either side costs
    if cost == "exact":
        at = np.arange(len(rows))
        go_left, go_right = (v_rows[at, _answers(node, f_rows)] for node in (on_left, on_right))
    elif cost == "error":
        go_left, go_right = (~belongs_left).astype(np.float64), belongs_left.astype(np.float64)
    else:
        go_left = np.where(belongs_left, 0.0, v_rows[:, left].mean(axis=1))
        go_right = np.where(belongs_left, v_rows[:, right].mean(axis=1), 0.0)
    threshold = _best_threshold(_ratio(f_rows, left, right), go_left, go_right)
    return MetaClassNode(
        left=left, right=right, threshold=threshold, on_left=on_left, on_right=on_right, n=len(rows)
    )


def _best_threshold(ratios: FloatArray, go_left: FloatArray, go_right: FloatArray) -> float:
    """First cheapest of infinity, the means of neighbouring ratios downwards, and 0."""
    if not len(ratios):
        return np.inf
    values, group = np.unique(-ratios, return_inverse=True)
    changes = np.bincount(group, go_left - go_right)
    totals = np.concatenate([[0.0], np.cumsum(changes)])
    values = -values
    # halves first: the sum of two huge ratios would overflow
    candidates = np.concatenate([[np.inf], values[:-1] / 2 + values[1:] / 2, [0.0]])
    # sums of equal costs differ by rounding; the first of equally cheap thresholds counts
    tiny = 1e-12 * float(np.abs(changes).sum())
    return float(candidates[np.flatnonzero(totals <= totals.min() + tiny)[0]])


def _greedy_half(group: tuple[int, ...], sizes: IntArray) -> tuple[int, ...]:
    """Largest class first, each to the side with fewer examples (longest processing time)."""
    sides: tuple[list[int], list[int]] = ([], [])
    loads = [0, 0]
    for k in sorted(group, key=lambda k: (-sizes[k], k)):
        # without examples, numbers of classes decide, so that both sides get some
        side = int((loads[1], len(sides[1])) < (loads[0], len(sides[0])))
        sides[side].append(k)
        loads[side] += int(sizes[k])
    first = sides[0] if group[0] in sides[0] else sides[1]
    return tuple(sorted(first))
