"""Every loop that may run compiled: interpreted and compiled on random input, bit for bit."""

import ast
import re
import subprocess
import sys
from copy import deepcopy
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import demur
from demur._kernels import jit
from demur._kernels.exact_three import _scan_by_line
from demur._kernels.sweep import merge_and_pool_whole
from demur._kernels.weight_objective import _search_line_by_columns
from demur.honest.deviation_law import _add_products_by_block

PACKAGE = Path(demur.__file__).parent
MODULES = [
    f"demur.{'.'.join(path.relative_to(PACKAGE).with_suffix('').parts)}"
    for path in sorted(PACKAGE.rglob("*.py"))
    if "@kernel\n" in path.read_text()
]
for _module in MODULES:
    import_module(_module)
SEEDS = range(20)


def ascending(rng, size, levels=30):
    return np.sort(rng.integers(-levels, levels, size) / 4)


def weights(rng, size):
    """Weights of some cases, or none at all: all 1."""
    return rng.integers(1, 9, size) / rng.choice([1, 3]) if rng.random() < 0.5 else np.empty(0)


def permuted(rng, size):
    return rng.permutation(size)


def merge_and_pool(rng):
    n, m = rng.integers(0, 40), rng.integers(1, 40)
    pos, neg = ascending(rng, n), ascending(rng, m)
    size = n + m
    blocks = [np.zeros(size) for _ in range(4)] + [np.zeros(size, np.int64)]
    emit = bool(rng.random() < 0.5)
    groups = [np.zeros(size if emit else 0) for _ in range(3)]
    return pos, weights(rng, n), neg, weights(rng, m), *blocks, *groups, emit


def take_run(rng):
    n = int(rng.integers(1, 40))
    scores, at = ascending(rng, n), int(rng.integers(0, n))
    emit = bool(rng.random() < 0.5)
    groups = [np.zeros(2 * n if emit else 0) for _ in range(3)]
    rival = float(scores[at] + rng.integers(1, 30) / 4)
    return scores, weights(rng, n), at, rival, bool(rng.random() < 0.3), *groups, n // 2, emit


def take_equal(rng):
    n = int(rng.integers(1, 40))
    scores, at = ascending(rng, n, 3), int(rng.integers(0, n))
    return scores, weights(rng, n), at, float(scores[at])


def pool(rng):
    n = int(rng.integers(1, 20))
    # masses of ascending share below the top, some of them equal in ratio to the new block
    pos, neg = np.arange(1.0, n + 1) / 3, np.full(n, 7 / 3)
    bounds = np.arange(n) * 1.0, np.arange(n) + 0.5
    top = int(rng.integers(-1, n - 1))
    new = float(rng.integers(0, n + 1)) / 3, float(rng.choice([7 / 3, 14 / 3, 0.1]))
    return pos, neg, *bounds, np.ones(n, np.int64), top, *new, 5.25, 6.5, 3


def rounding_error(rng):
    a, b = float(rng.normal()), float(rng.random())
    return a, b, a * b


def merge_close(rng):
    n, m = rng.integers(0, 30, 2)
    size = n + m
    outputs = np.zeros(size), np.zeros(size, np.int64), np.zeros(size, np.int64)
    return ascending(rng, n), ascending(rng, m), float(rng.choice([0, 0.3, 1])), *outputs


def locate(rng):
    n = int(rng.integers(1, 40))
    values, own = rng.permutation(ascending(rng, n, 5)), ascending(rng, n, 4)
    scale = 3.0
    starts = np.append(0, np.cumsum(np.bincount(((own - own[0]) * scale).astype(int))))
    return values, own, scale, starts, np.zeros(n, np.int64), np.zeros(n, np.bool_)


def bits_of_floats(rng, kind):
    values = rng.choice([-np.inf, -1.5, -0.0, 0.0, 5e-45, 1.0, np.pi, np.inf], 30).astype(f"f{kind[1]}")
    return values.view(kind), int(np.iinfo(kind).min)


def radix_keys(rng):
    kind = rng.choice(["i4", "i8"])
    bits, lowest = bits_of_floats(rng, kind)
    return bits, lowest, np.zeros_like(bits), np.zeros((bits.itemsize, 256), np.int64)


def radix_values(rng):
    keys, lowest = bits_of_floats(rng, rng.choice(["i4", "i8"]))
    return keys, lowest, np.zeros_like(keys)


def deal(rng):
    keys, _ = bits_of_floats(rng, "i8")
    shift = 8 * int(rng.integers(0, 8))
    piles = np.bincount((keys >> shift) & 255, minlength=256)
    return keys, shift, np.cumsum(piles) - piles, np.zeros_like(keys)


def deal_cases(rng):
    keys, shift, places, out = deal(rng)
    cases = permuted(rng, len(keys)).astype(np.int32)
    return keys, cases, shift, places, out, np.zeros_like(cases)


def look_up(rng):
    n, m = rng.integers(0, 40, 2)
    return ascending(rng, n), ascending(rng, m), np.zeros(m, np.int64), np.zeros(m, np.int64)


def partition(rng):
    n = int(rng.integers(1, 40))
    return rng.normal(size=n), rng.random(n) < 0.5, np.zeros(n)


def ordered(rng, size):
    below = np.concatenate([[0.0], np.cumsum(rng.random(size))])
    return ascending(rng, size, 6), permuted(rng, size), below


def merge_placements(rng):
    n, m = (int(size) for size in rng.integers(1, 30, 2))
    return *ordered(rng, n), *ordered(rng, m), np.zeros(n), np.zeros(m)


def joint_sweep(rng):
    n, m = (int(size) for size in rng.integers(1, 30, 2))
    low = rng.integers(0, n + 1, m)
    high = np.minimum(low + rng.integers(0, 3, m), n)
    negative = ascending(rng, n, 6), permuted(rng, n), weights(rng, n)
    return *negative, ascending(rng, m, 6), low, high, weights(rng, m), np.zeros(n + 1)


def running_quantile(rng):
    n = int(rng.integers(1, 60))
    ranks = rng.integers(0, n, n)
    last = np.sort(rng.integers(0, n, 5))
    share = float(rng.choice([0, 0.3, 1]))
    return ranks, rng.random(n), last, share, np.zeros(int(ranks.max()) + 2), np.zeros(5, np.int64)


def nearest_starts(rng):
    n = int(rng.integers(1, 60))
    margins = rng.integers(-9, 9, (4, n)) / 4
    orders = np.argsort(margins[0]), np.argsort(-margins[1])
    return *margins, *orders, 1e-12, np.full(128, -np.inf), np.zeros(n, np.int64)


def levels_of_rows(rng):
    n = int(rng.integers(1, 60))
    place, level = (np.unique(rng.integers(0, 20, n), return_inverse=True)[1] for _ in range(2))
    costs = rng.integers(0, 9, (3, n)) / 4
    tree, levels = np.zeros((6, 64)), int(level.max()) + 1
    return np.argsort(level, kind="stable"), place, level, *costs, rng.random(levels), *tree, np.zeros(levels)


def widest_windows(rng):
    n = int(rng.integers(1, 60))
    nearest = np.array([int(rng.integers(-1, j + 1)) for j in range(n)])
    return np.cumsum(rng.integers(1, 5, n)) * 1.0, *rng.normal(size=(2, n)), nearest, 1e-12


def hand_till(rng):
    n, classes = int(rng.integers(1, 50)), 3
    codes, places = rng.integers(0, classes, n), rng.integers(0, 10, n)
    sizes = np.sort(rng.integers(0, n + 1, 4))[::-1].copy()
    # 10 places: blocks of 4, and a tree of 10 leaves below 3 nodes
    tree = np.array([0, 10, 13]), np.zeros(9, np.int64)
    sums = [np.zeros(10), np.zeros(3), np.zeros(13 * classes), np.zeros(10 * classes)]
    state = [np.zeros(classes) for _ in range(3)]
    return codes, rng.random(n), places, rng.random(n) < 0.3, 1, sizes, 2, *tree, np.zeros(4), *sums, *state


def three_classes(rng):
    n = int(rng.integers(1, 20))
    al = rng.integers(-4, 5, n) / 4
    kinds = []
    for _ in range(2):
        kinds += [rng.permutation(al), ascending(rng, n, 6), rng.normal(size=n)]
    return al, rng.random((n, 2)), *kinds, np.unique(al), 1e-12, 1e-12, np.zeros((4, n + 1))


def pair_gains(rng):
    n = int(rng.integers(1, 15))
    v = rng.random((n, 3))
    return np.log(rng.dirichlet(np.ones(3), n)), v, v.argmin(axis=1), 1e-12, np.zeros((n, n))


def scores_and_costs(rng, n, m=4):
    return np.round(np.log(rng.dirichlet(np.ones(m), n)), 2), rng.random((n, m))


def search_line(rng):
    n, m = int(rng.integers(1, 120)), 4
    g, v = scores_and_costs(rng, n, m)
    moves = np.eye(m, dtype=np.int64)
    if rng.random() < 0.6:
        # some move against some others, the rest is absent or takes part
        moves = np.hstack([[[0, 1]] * 5, rng.integers(-1, 2, (5, m - 2))])
    buckets = max(n // 4, 1)
    work = np.zeros((4, n)), np.zeros((4, n), np.int64), np.zeros(buckets + 1, np.int64)
    sums = np.zeros(buckets), np.zeros(buckets), np.zeros(buckets + 1)
    side = moves[rng.integers(len(moves))]
    return g, v, rng.normal(size=m), side, True, np.inf, 1e-12, 1e-12, *work, *sums


def lone_class(rng):
    return (rng.integers(-1, 2, int(rng.integers(1, 5))),)


def best_two(rng):
    n = int(rng.integers(1, 30))
    return scores_and_costs(rng, n)[0], rng.normal(size=4), np.zeros((4, n)), np.zeros((4, n), np.int64)


def break_beside_one(rng):
    n = int(rng.integers(1, 30))
    leaders = rng.integers(0, 4, (4, n))
    return *scores_and_costs(rng, n), rng.normal(size=4), 2, rng.normal(size=(4, n)), leaders


def break_beside_many(rng):
    n = int(rng.integers(1, 30))
    side = np.append([0, 1], rng.integers(-1, 2, 2))
    return *scores_and_costs(rng, n), rng.normal(size=4), side, np.zeros((4, n))


def fill_buckets(rng):
    n, buckets = int(rng.integers(1, 60)), 7
    breaks = rng.integers(-20, 20, n) / 4
    whole = [np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(buckets + 1, np.int64)]
    floats = [np.zeros(buckets), np.zeros(buckets), np.zeros(buckets + 1)]
    return breaks, rng.normal(size=n), float(np.abs(breaks).sum()), *whole, *floats


def cheapest_interval(rng):
    n, buckets = int(rng.integers(1, 90)), 2
    breaks = np.sort(rng.normal(size=n))
    change, ends = rng.normal(size=n), np.array([0, n // 2, n])
    order = np.concatenate([rng.permutation(n // 2), n // 2 + rng.permutation(n - n // 2)])
    parts = [change[ends[b] : ends[b + 1]] for b in range(buckets)]
    sums = np.array([part.sum() for part in parts])
    falls = np.array([np.minimum(part, 0).sum() for part in parts])
    lows = np.array([breaks[0], breaks[n // 2], np.inf])
    return breaks, change, order, ends, sums, falls, lows, 1.5, float(rng.normal()), 1e-12, 1e-12


def sort_bucket(rng):
    n = int(rng.integers(1, 90))
    start, stop = sorted(int(end) for end in rng.integers(0, n + 1, 2))
    return rng.integers(-9, 9, n) / 4, permuted(rng, n), start, stop


def add_products(rng):
    points, x, y = 4, 6, 5
    joint = np.cumsum(np.cumsum(rng.integers(0, 3, (x, y)), axis=0), axis=1) * 1.0
    first = rng.integers(0, x, (points, 3)), rng.normal(size=(points, 3)), joint[:, -1].copy()
    second = rng.integers(0, y, (points, 3)), rng.normal(size=(points, 3)), joint[-1].copy()
    return *first, *second, joint, np.ascontiguousarray(joint.T), np.zeros((points, points))


def count_pairs(rng):
    n = int(rng.integers(1, 40))
    width = np.full(6, 3)
    positions = rng.integers(0, 3, n), rng.integers(0, 3, n)
    return (
        rng.random(n) < 0.5, rng.integers(0, 3, n), *positions, rng.random(n),
        np.arange(6) * 9, width, np.zeros(54),
    )  # fmt: skip


def list_pairs(rng):
    rows, width = rng.integers(0, 4, 6), rng.integers(1, 4, 6)
    offsets = np.append(0, np.cumsum(rows * width))
    table = rng.random(offsets[-1]) * rng.integers(0, 2, offsets[-1])
    starts = (np.append(0, np.cumsum(one)) for one in (rows, width))
    slots = np.zeros((2, np.count_nonzero(table)), np.int64)
    return table, offsets, width, *starts, *slots, np.zeros(slots.shape[1])


def cumulate(rng):
    n = int(rng.integers(0, 30))
    return rng.integers(2, 7, n), rng.integers(3, 6, n), rng.random(n), 2, 3, np.zeros((6, 4))


def deal_clusters(rng):
    clusters, classes, folds = (int(rng.integers(1, most)) for most in (30, 4, 6))
    shares = rng.random((clusters, classes))
    return shares, rng.permutation(clusters), np.zeros((folds, classes)), np.zeros(clusters, np.int64)


def other_folds(rng):
    n = int(rng.integers(1, 40))
    return rng.normal(size=n), rng.integers(0, 3, n).astype(np.int16), 1, np.zeros(n)


def decide_by_fold(rng):
    n, folds = int(rng.integers(1, 40)), 3
    lower, upper = np.sort(rng.choice([-np.inf, 1.0, 2.0, 3.0, np.inf], (2, folds)), axis=0)
    scores = rng.choice([-np.inf, 0.0, 1.0, 2.0, 2.5, 3.0, np.inf], n)
    return scores, rng.integers(0, folds, n), lower, upper, np.zeros(n, np.int8)


def tally(rng):
    n, width, m = int(rng.integers(1, 40)), int(rng.integers(1, 3)), int(rng.integers(2, 5))
    decisions = [rng.integers(-1, m, n).astype(np.int8) for _ in range(2)]
    codes = rng.random(n) < 0.5 if m == 2 else rng.integers(0, m, n)
    total = np.zeros(m * (m + 1) ** width)
    return codes, permuted(rng, n), rng.random(n), *decisions, width, m + 1, total


def place_rows(rng):
    n, sizes = int(rng.integers(1, 40)), rng.integers(0, 4, 3)
    cuts = [ascending(rng, size) for size in sizes]
    lower, ends = np.concatenate(cuts), np.cumsum(sizes)
    fold = rng.integers(0, 3, n).astype(np.int16)
    outputs = np.zeros(n, np.int32), np.zeros(2 * ends[-1] + 3)
    # a threshold that no float could be put between is the score below it and the score above
    upper = lower + rng.choice([0.0, 0.25], len(lower))
    starts = ends - sizes
    limits = starts, ends, starts.copy(), starts.copy()
    return ascending(rng, n), fold, permuted(rng, n), weights(rng, n), lower, upper, *limits, *outputs


def case_costs(rng):
    return [rng.integers(0, 9, 30) / rng.choice([1.0, 10.0, 1e-9]) for _ in range(3)]


def cheapest_cuts(rng):
    return rng.integers(1, 4, 30).astype(float), *case_costs(rng), 1e-14, bool(rng.random() < 0.8)


def plus(rng):
    total, cost = rng.normal(size=2) * 10.0 ** rng.integers(-12, 12, 2)
    return total, 1e-17 * total, cost


def least_cost(rng):
    return *case_costs(rng), rng.random(30) < 0.5


def two_columns(rng):
    n = int(rng.integers(0, 40))
    return (
        rng.random(n),
        rng.integers(0, 9, n) / 3,
        np.zeros(n + 1),
        np.zeros(n + 1),
        bool(rng.random() < 0.5),
    )


def answers(rng):
    n = int(rng.integers(1, 40))
    scores = np.unique(rng.choice([0, 1e-17, 1e-16, 0.25, 0.4, 0.5, 0.6, 0.75, 1], n))
    n = len(scores)
    columns = rng.integers(0, 3, (2, n)) + 0.5
    return scores, *columns, int(np.searchsorted(scores, 0.5)), np.zeros(n), np.zeros(n)


EXAMPLES = {
    "_kernels.window_search._cheapest_loop": cheapest_cuts,
    "_kernels.window_search._least_loop": least_cost,
    "_kernels.window_search._plus": plus,
    "_kernels.placements._sweep": joint_sweep,
    "_kernels.exact_three._scan": three_classes,
    "_kernels.hand_till._column_loop": hand_till,
    "_kernels.running._running_loop": two_columns,
    "_kernels.weight_objective._best_two_answers": best_two,
    "_kernels.weight_objective._break_beside_many": break_beside_many,
    "_kernels.weight_objective._break_beside_one": break_beside_one,
    "_kernels.weight_objective._cheapest_interval": cheapest_interval,
    "_kernels.weight_objective._fill_buckets": fill_buckets,
    "_kernels.weight_objective._lone_class": lone_class,
    "_kernels.weight_objective._sort_bucket": sort_bucket,
    "_kernels.weight_objective._search_line": search_line,
    "_kernels.placements._merge_placements": merge_placements,
    "_kernels.radix._deal_cases_loop": deal_cases,
    "_kernels.radix._deal_loop": deal,
    "_kernels.radix._keys_loop": radix_keys,
    "_kernels.radix._values_loop": radix_values,
    "_kernels.running._fill": running_quantile,
    "_kernels.places._lookup_loop": look_up,
    "_kernels.sweep.merge_and_pool": merge_and_pool,
    "_kernels.sweep._merge_close_loop": merge_close,
    "_kernels.sweep._partition_loop": partition,
    "_kernels.places._locate_loop": locate,
    "_kernels.sweep._pool": pool,
    "_kernels.sweep._rounding_error": rounding_error,
    "_kernels.sweep._take_equal": take_equal,
    "_kernels.sweep._take_run": take_run,
    "_kernels.weight_objective._pair_gains": pair_gains,
    "_kernels.window_search._levels_loop": levels_of_rows,
    "_kernels.window_search._nearest_loop": nearest_starts,
    "_kernels.window_search._widest_loop": widest_windows,
    "honest.class_rows._other_folds_loop": other_folds,
    "honest.evaluate._decide_loop": decide_by_fold,
    "honest.decisions._tally_loop": tally,
    "honest.deviation_law._add_products": add_products,
    "cautious.selective_risk._answers_loop": answers,
    "honest.held_out._place_loop": place_rows,
    "honest.pairs._count_pairs": count_pairs,
    "honest.pairs._list_pairs": list_pairs,
    "honest.pairs._cumulate": cumulate,
    "honest.splits._deal_loop": deal_clusters,
}


def bits(value):
    """What must agree: every bit of every number."""
    if isinstance(value, tuple):
        return tuple(map(bits, value))
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.tobytes()
    return None if value is None else np.float64(value).tobytes()


def test_every_kernel_has_an_example():
    assert sorted(jit.KERNELS) == sorted(EXAMPLES)


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_interpreted_and_compiled_agree_to_the_bit(name):
    loop = jit.KERNELS[name]
    changed = False
    for seed in SEEDS:
        inputs = EXAMPLES[name](np.random.default_rng(seed))
        plain, fast = deepcopy(inputs), deepcopy(inputs)
        with np.errstate(all="ignore"):
            answers = loop(*plain), jit.compiled(loop)(*fast)
        assert bits(answers[0]) == bits(answers[1])
        assert bits(plain) == bits(fast)
        changed = changed or answers[0] is not None or bits(plain) != bits(inputs)
    assert changed, "the example does not exercise the loop"


@pytest.mark.parametrize("module", MODULES)
def test_what_runs_compiled_is_registered(module):
    tree = ast.parse((PACKAGE.parent / f"{module.replace('.', '/')}.py").read_text())
    used = {
        node.args[0].id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "compiled"
    }
    loops = {loop.__name__ for loop in jit.KERNELS.values()}
    assert used - {"loop"} <= loops


def test_numba_is_used_in_one_place_only():
    users = [path.name for path in PACKAGE.rglob("*.py") if re.search(r"\bimport numba\b", path.read_text())]
    assert users == ["jit.py"]


# ---------------------------------------------------------------- which way a loop runs


def test_path_depends_on_the_size_alone():
    sizes = [1, 255, 256, 5000, jit.COMPILE_FROM - 1, jit.COMPILE_FROM]
    before = [jit.worth_compiling(size) for size in sizes]
    assert before == [False] * 5 + [True]
    demur.auc_score(np.arange(70_000) % 2, np.arange(70_000))
    assert [jit.worth_compiling(size) for size in sizes] == before


def test_whole_job_counts_all_calls_and_ends_with_the_block():
    with jit.whole_job(jit.COMPILE_JOB_FROM):
        assert jit.worth_compiling(64)
        assert not jit.worth_compiling(63)
        with jit.whole_job(10):
            assert jit.worth_compiling(64), "part of a large job"
    assert not jit.worth_compiling(256)
    with jit.whole_job(jit.COMPILE_JOB_FROM - 1):
        assert not jit.worth_compiling(256)


SMALL_JOBS = """
import sys, numpy as np, demur
rng = np.random.default_rng(0)
y, s = rng.integers(0, 2, 2000), rng.normal(size=2000)
demur.abstention_surface(y, s).window(1, 0.2)
demur.cross_fitted_surface(y, s, rng=0).cost(1, 0.2)
demur.auc_difference_test(y, s, s + rng.normal(size=2000))
print("numba" in sys.modules)
"""


def test_small_jobs_do_not_load_the_compiler():
    ran = subprocess.run([sys.executable, "-c", SMALL_JOBS], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"


# ---------------------------------------------------------------- array operations in place of a slow loop


@pytest.mark.parametrize(
    ("by_arrays", "name", "examples"),
    [
        (_search_line_by_columns, "_kernels.weight_objective._search_line", 200),
        (_scan_by_line, "_kernels.exact_three._scan", 60),
        (_add_products_by_block, "honest.deviation_law._add_products", 20),
    ],
)
def test_array_operations_against_the_loop_to_the_bit(by_arrays, name, examples):
    for seed in range(examples):
        inputs = EXAMPLES[name](np.random.default_rng(seed))
        plain, arrays = deepcopy(inputs), deepcopy(inputs)
        answers = jit.KERNELS[name](*plain), by_arrays(*arrays)
        assert bits(answers[0]) == bits(answers[1])
        if answers[0] is None:
            # of a symmetric matrix only the lower half is read
            assert bits(np.tril(plain[-1])) == bits(np.tril(arrays[-1]))


@pytest.mark.parametrize("kind", ["continuous", "tied", "separated", "inverted", "one class", "repeated"])
def test_whole_counts_pooled_by_arrays_against_the_loop_to_the_bit(kind):
    loop = jit.KERNELS["_kernels.sweep.merge_and_pool"]
    for seed in range(30):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 400))
        positive = rng.random(n) < (0 if kind == "one class" else rng.random())
        shift = {"separated": 3, "inverted": -1}.get(kind, 0.8)
        scores = np.round(rng.normal(shift * positive), 1 if kind in ("tied", "repeated") else 6)
        samples = [np.sort(scores[members]) for members in (positive, ~positive)]
        times = [rng.integers(1, 5, len(one)) * 1.0 if kind == "repeated" else np.empty(0) for one in samples]
        inputs = samples[0], times[0], samples[1], times[1]
        outputs = [np.zeros(n) for _ in range(4)] + [np.zeros(n, np.int64)] + [np.zeros(n) for _ in range(3)]
        n_blocks, n_groups, won, tied = loop(*inputs, *outputs, True)
        wanted = [*(out[:n_blocks] for out in outputs[:5]), *(out[:n_groups] for out in outputs[5:])]
        blocks, groups, *pairs = merge_and_pool_whole(*inputs)
        assert bits((*blocks, *groups, *pairs)) == bits((*wanted, won, tied))
