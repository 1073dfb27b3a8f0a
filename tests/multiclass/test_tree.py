"""MetaClass trees against the reference cases, exhaustive thresholds and hand computation."""

import json
import math

import numpy as np
import pytest

from demur import DemurError, InputError
from demur.multiclass import MetaClassNode, MetaClassTree
from reference_cases import cases, close

FILE = "multiclass.json"


def same_tree(node, expect, tol):
    if "leaf" in expect:
        assert node == expect["leaf"]
        return
    assert list(node.left) == expect["C1"]
    assert list(node.right) == expect["C2"]
    close(node.threshold, expect["theta"], tol)
    same_tree(node.on_left, expect["left"], tol)
    same_tree(node.on_right, expect["right"], tol)


@pytest.mark.parametrize("case", cases(FILE, "metaclass"))
def test_tree_against_reference(case):
    data, expect = case["input"], case["expected"]
    tree = MetaClassTree().fit(data["F"], data["y"], data["C_true_pred"])
    same_tree(tree.root_, expect["tree"], case["tol"])
    assert tree.decide(data["F"]).tolist() == expect["labels"]
    close(tree.objective_, expect["objective"], case["tol"])
    # scores as logarithms give the same tree up to rounding
    logs = MetaClassTree().fit(np.log(data["F"]), data["y"], data["C_true_pred"], log=True)
    same_tree(logs.root_, expect["tree"], 1e-9)


def test_worked_example_by_hand():
    f = np.array([7, 2, 1, 5, 3, 2, 4, 3.5, 2.5, 3, 5, 2, 4.5, 4, 1.5, 2, 3, 5, 5, 1, 4, 3.4, 3.3, 3.3])
    f = f.reshape(8, 3) / 10
    tree = MetaClassTree().fit(f, [0, 1, 1, 1, 0, 2, 2, 0], [[0, 1, 4], [3, 0, 2], [8, 6, 0]])
    nodes = [(depth, node.left, node.right, node.n) for depth, node in tree.nodes()]
    assert nodes == [(0, (0,), (1, 2), 8), (1, (1,), (2,), 5)]
    assert [node.threshold for _, node in tree.nodes()] == pytest.approx([5 / 3, 1])
    # the last example sits exactly on the threshold 1: it goes left
    assert tree.decide(f).tolist() == [0, 1, 1, 1, 1, 2, 2, 1]
    assert tree.objective_ == pytest.approx(0.25)


def best_threshold_cost(ratios, go_left, go_right):
    return min(
        sum(left if r >= t else right for r, left, right in zip(ratios, go_left, go_right, strict=True))
        for t in [math.inf, *ratios, 0.0]
    )


@pytest.mark.parametrize("cost", ["mean", "exact", "error"])
def test_root_threshold_against_all_thresholds(cost):
    rng = np.random.default_rng(3)
    for _ in range(10):
        f, y = rng.dirichlet(np.ones(4), 30), rng.integers(0, 4, 30)
        costs = rng.integers(1, 11, (4, 4)) * (1 - np.eye(4))
        tree = MetaClassTree(cost=cost).fit(f, y, costs)
        root, v = tree.root_, costs[y] / 30
        left, right = list(root.left), list(root.right)
        ratios = f[:, left].sum(axis=1) / f[:, right].sum(axis=1)
        belongs = np.isin(y, left)
        if cost == "error":
            turns = (~belongs).astype(float), belongs.astype(float)
        elif cost == "mean":
            turns = (
                np.where(belongs, 0, v[:, left].mean(axis=1)),
                np.where(belongs, v[:, right].mean(axis=1), 0),
            )
        else:
            turns = tuple(
                v[np.arange(30), answers_below(child, f)] for child in (root.on_left, root.on_right)
            )
            # the exact mode prices what is answered in the end: its optimum is the tree's cost
            assert tree.objective_ == pytest.approx(best_threshold_cost(ratios, *turns))
        reached = np.where(ratios >= root.threshold, *turns).sum()
        assert reached == pytest.approx(best_threshold_cost(ratios, *turns))


def answers_below(node, f):
    """Walk down row by row."""
    out = []
    for row in f:
        at = node
        while isinstance(at, MetaClassNode):
            goes_left = row[list(at.left)].sum() / row[list(at.right)].sum() >= at.threshold
            at = at.on_left if goes_left else at.on_right
        out.append(at)
    return np.array(out)


def test_exact_mode_is_at_least_as_cheap_at_the_root():
    # only the root sees all examples, so the whole tree is not ordered in general
    rng = np.random.default_rng(4)
    cheaper = 0
    for _ in range(20):
        f, y = rng.dirichlet(np.ones(3) * 2, 60), rng.integers(0, 3, 60)
        costs = rng.integers(1, 11, (3, 3)) * (1 - np.eye(3))
        mean, exact = (MetaClassTree(cost=cost).fit(f, y, costs).objective_ for cost in ("mean", "exact"))
        cheaper += exact <= mean + 1e-12
    assert cheaper >= 15


def test_splits_are_as_even_as_possible():
    y = np.repeat([0, 1, 2, 3], [1, 7, 3, 3])
    f = np.full((14, 4), 0.25)
    tree = MetaClassTree().fit(f, y)
    assert (tree.root_.left, tree.root_.right) == ((0, 2, 3), (1,))
    many = np.repeat(np.arange(20), np.arange(1, 21))
    wide = MetaClassTree().fit(np.full((len(many), 20), 0.05), many)
    sizes = np.arange(1, 21)
    assert abs(sizes[list(wide.root_.left)].sum() - sizes[list(wide.root_.right)].sum()) <= 2
    assert 0 in wide.root_.left
    leaves = {
        leaf for _, node in wide.nodes() for leaf in (node.on_left, node.on_right) if isinstance(leaf, int)
    }
    assert leaves == set(range(20))


def test_hard_data():
    single = MetaClassTree().fit([[0.5], [0.4]], ["a", "a"])
    assert single.root_ == 0
    assert single.predict([[0.1]]).tolist() == ["a"]
    zeros = MetaClassTree().fit([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 1, 2])
    assert zeros.objective_ == 0
    huge = MetaClassTree().fit([[1e308, 1e308, 1.0], [1.0, 1e308, 1e308]], [0, 2], 1 - np.eye(3))
    assert huge.objective_ == 0
    absent = MetaClassTree().fit([[0.5, 0.2, 0.3], [0.1, 0.2, 0.7]], [0, 2], 1 - np.eye(3))
    assert absent.objective_ == 0
    wide = MetaClassTree().fit(np.eye(20)[:3] + 0.01, [0, 1, 2], 1 - np.eye(20))
    assert wide.objective_ == 0


def test_tree_is_json_safe():
    tree = MetaClassTree().fit([[0.5, 0.2, 0.3], [0.1, 0.2, 0.7]], ["x", "z"], classes=["x", "y", "z"])
    text = json.dumps(tree.to_dict(), allow_nan=False)
    assert json.loads(text)["classes"] == ["x", "y", "z"]
    assert set(tree.to_dict()["tree"]) == {"threshold", "left", "right", "n", "on_left", "on_right"}


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: MetaClassTree().decide([[1.0]]), DemurError, "not fitted yet. Hint: call fit"),
        (lambda: MetaClassTree(cost="sum").fit([[1.0, 2.0]], [0]), InputError, "`cost` must be one of"),
        (lambda: MetaClassTree().fit([[1.0, -2.0]], [0]), InputError, "must be finite and not negative"),
        (
            lambda: MetaClassTree().fit([[1.0, 2.0]], [0]).decide([[1.0]]),
            InputError,
            "`scores` must have 2 columns",
        ),
        (
            lambda: MetaClassTree().fit([[1.0, 2.0]], ["a"], classes=["a"]),
            InputError,
            "`classes` must name the 2 columns",
        ),
    ],
)
def test_error_sentences(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_split_by_classes_by_hand():
    # nine examples of "a", one of each other class: even examples put "a" alone, even classes pair it
    y = ["a"] * 9 + ["b", "c", "d"]
    scores = 0.1 + 0.6 * np.eye(4)[[0] * 9 + [1, 2, 3]]
    by_examples, by_classes = (
        MetaClassTree(split=split).fit(scores, y).root_ for split in ("examples", "classes")
    )
    assert (by_examples.left, by_examples.right) == ((0,), (1, 2, 3))
    assert (by_classes.left, by_classes.right) == ((0, 1), (2, 3))
    with pytest.raises(InputError, match="`split`"):
        MetaClassTree(split="costs").fit(scores, y)
