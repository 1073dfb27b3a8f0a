"""Radix sort: exact order against a stable sort of NumPy, and the same results on every kind of processor."""

import os
import subprocess
import sys

import numpy as np
import pytest

from demur import ScoreCounts, auc_score
from demur._kernels import radix, sweep
from demur._kernels.jit import COMPILE_FROM

SPECIAL = [-0.0, 0.0, np.inf, -np.inf, 5e-324, -5e-324, 1.7e308, -1.7e308, 2.0**-126, -(2.0**-150)]


def samples(dtype):
    """Random, tied, special, whole, constant, ascending, descending: one array each."""
    rng = np.random.default_rng(0)
    size = 3000
    special = np.concatenate([rng.choice(SPECIAL, size // 2), rng.normal(size=size // 2)])
    with np.errstate(over="ignore"):
        return {
            "random": rng.normal(size=size).astype(dtype),
            "tied": rng.normal(size=size).round(1).astype(dtype),
            "special": rng.permutation(special).astype(dtype),
            "whole": rng.integers(0, 1000, size).astype(dtype),
            "constant": np.full(size, -2.5, dtype),
            "ascending": np.arange(size, dtype=dtype),
            "descending": -np.arange(size, dtype=dtype),
            "one": np.array([1.5], dtype),
        }


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", list(samples(np.float64)))
def test_order_and_values_against_numpy(dtype, name):
    values = samples(dtype)[name]
    before = values.copy()
    order, ascending = radix.radix_order(values)
    expected = np.argsort(values, kind="stable")
    assert order.tolist() == expected.tolist()
    # -0.0 counts as 0.0, so that which of them stands first is no question
    assert ascending.tobytes() == (values[expected] + values.dtype.type(0)).tobytes()
    assert values.tobytes() == before.tobytes(), "the input stays as it was"
    radix.radix_sort(values)
    assert values.tobytes() == ascending.tobytes()


def test_digits_that_all_values_share_are_skipped():
    def digits(values):
        keys, counts, _ = radix._keys(np.asarray(values, dtype=np.float64))
        return [shift // 8 for shift, _ in radix._passes(keys, counts)]

    rng = np.random.default_rng(1)
    assert digits(rng.normal(size=3000)) == list(range(8))
    single = np.abs(rng.normal(size=3000)).astype(np.float32)
    assert digits(single) == [3, 4, 5, 6, 7], "29 bits of float32 are 0"
    assert digits(rng.integers(1, 1000, 3000)) == [5, 6, 7]
    assert digits([4.0] * 3000) == []


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("size", [50, 5000, COMPILE_FROM])
def test_every_size_has_the_stable_order(size, tied):
    rng = np.random.default_rng(size)
    scores = rng.normal(size=size)
    if tied:
        scores = scores.round(1)
        scores[:4] = 0.0, -0.0, 0.0, -0.0
    expected = np.argsort(scores, kind="stable")
    order, ascending = sweep.order_and_scores(scores)
    assert order.tolist() == expected.tolist()
    assert ascending.tobytes() == (scores[expected] + 0.0).tobytes()
    assert sweep.ascending_order(-scores).tolist() == np.argsort(-scores, kind="stable").tolist()
    assert sweep.sorted_values(scores).tobytes() == ascending.tobytes()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_counts_are_the_same_with_and_without_vectors(monkeypatch, dtype):
    rng = np.random.default_rng(2)
    y = np.arange(4 * COMPILE_FROM) % 2
    scores = rng.normal(size=len(y)).astype(dtype)
    scores[:6] = -0.0, 0.0, np.inf, -np.inf, -0.0, 0.0
    made, sorted_by_radix = [], []
    monkeypatch.setattr(
        sweep, "radix_sort", lambda values: (sorted_by_radix.append(1), radix.radix_sort(values))
    )
    for vectors in (True, False):
        monkeypatch.setattr(sweep, "sorts_with_vectors", lambda vectors=vectors: vectors)
        counts = ScoreCounts.from_arrays(y, scores)
        assert len(sorted_by_radix) == (0 if vectors else 2), "one sort per class"
        made.append([column.tobytes() for column in (counts.scores, counts.positives, counts.negatives)])
    assert made[0] == made[1]
    assert not np.signbit(counts.scores[counts.scores == 0]).any()


def test_single_precision_gives_the_counts_of_its_exact_doubles():
    rng = np.random.default_rng(3)
    for size in (200, COMPILE_FROM):
        y, scores = np.arange(size) % 2, rng.normal(size=size).astype(np.float32)
        for weights in (None, rng.integers(0, 3, size) / 7):
            single = ScoreCounts.from_arrays(y, scores, sample_weight=weights)
            double = ScoreCounts.from_arrays(y, scores.astype(np.float64), sample_weight=weights)
            assert single.scores.dtype == np.float64
            for name in ("scores", "positives", "negatives"):
                assert getattr(single, name).tobytes() == getattr(double, name).tobytes()
            assert auc_score(single) == auc_score(double)


def test_counts_do_not_change_with_the_arrays_they_were_made_from():
    scores, positives, negatives = (np.arange(1.0, 4.0) for _ in range(3))
    counts = ScoreCounts.from_counts(scores, positives, negatives)
    for column in (scores, positives, negatives):
        column[:] = 9
    assert counts.scores.tolist() == counts.positives.tolist() == [1, 2, 3]


TOLD = "from demur._kernels.radix import sorts_with_vectors; print(sorts_with_vectors())"


def test_the_rule_is_measured_where_numpy_finds_vectors(monkeypatch):
    """A processor may have vectors that `np.sort` does not use: an EPYC with AVX-512, NumPy 2.4."""
    for found, slower, expected in (
        (["SSE42"], 10.0, False),
        (["SSE42", "AVX2"], 10.0, True),
        (["X86_V3"], 10.0, True),
        (["X86_V3", "X86_V4", "AVX512_ICL"], 1.7, False),
    ):
        monkeypatch.setattr(
            np, "show_config", lambda mode, found=found: {"SIMD Extensions": {"baseline": [], "found": found}}
        )
        monkeypatch.setattr(radix, "_seconds", lambda kind, slower=slower: {"stable": slower}.get(kind, 1.0))
        assert radix.sorts_with_vectors.__wrapped__() is expected


def test_vectors_that_are_switched_off_are_not_counted_on():
    known = np.show_config(mode="dicts")["SIMD Extensions"]
    dispatched = [name for name in known.get("found", []) if name in radix._VECTORS]
    if not dispatched or not radix._VECTORS.isdisjoint(known["baseline"]):
        return  # no vectors to switch off, or none that can be
    without = {"NPY_DISABLE_CPU_FEATURES": " ".join(known["found"])}
    told = subprocess.run(
        [sys.executable, "-c", TOLD], env={**os.environ, **without}, capture_output=True, text=True
    )
    assert told.stdout.strip() == "False", told.stderr
