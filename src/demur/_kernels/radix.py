"""Radix sort of numbers: digits of 8 bits, the least significant first; `sweep` is its only caller.

The bits of a float, read as an unsigned integer, ascend with positive numbers and descend with
negative ones. With the sign flipped, and all bits of negative numbers, they ascend with all of them: such
keys are dealt to 256 piles by every digit in turn. Digits that all keys share are skipped, so positive
float32 kept as float64 takes 5 passes and whole numbers up to 1000 take 3. Infinities are keys like
others, and -0.0 has the key of 0.0.

Which sort runs never changes a result, only the time. Milliseconds of one core for 10^5, 10^6 and 10^7
normal float64 (AMD EPYC with AVX2, which NumPy can be told not to use):

- Values: `np.sort` takes 1, 12 and 150 with vectors and 8, 97 and 1140 without, this sort 3, 28 and 300. So
  it runs where NumPy sorts without vectors (`sorts_with_vectors`). On a later AMD EPYC NumPy finds AVX-512
  and `np.sort` is slow all the same: 730 for 10^7, this sort 230. So the rule is measured.
- Order of the cases and their sorted values: a stable `np.argsort` takes 12, 160 and 2800, an unstable one
  4, 54 and 1800 with vectors, this sort 4, 41 and 380. So it runs on every processor.
"""

from functools import cache
from time import perf_counter
from typing import Any

import numpy as np

from demur._kernels.jit import compiled, kernel, worth_compiling
from demur.typing import FloatArray, IntArray

__all__ = ["radix_order", "radix_pays", "radix_sort", "sorts_with_vectors"]

_VECTORS = frozenset({"AVX2", "AVX512_SKX", "X86_V3", "X86_V4", "ASIMD"})
"""What NumPy calls the instructions that `np.sort` of float64 has vectors for, from version 2.0 on."""

_VECTORS_FROM = 4
"""So many times the time of `np.sort` a stable sort takes at least where vectors are in use."""

_RADIX_FROM = 2**11  # fewer cases are sorted before the piles are counted
_PILES = 256


@cache
def sorts_with_vectors() -> bool:
    """Tell whether `np.sort` of floats uses vectors on this processor: what NumPy found, then a measurement.

    A stable sort of floats never uses them. It takes about ten times as long as a sort that does, and
    about twice as long as one that does not. The measurement takes 3 ms, once.
    """
    extensions: Any = np.show_config(mode="dicts")
    known = extensions["SIMD Extensions"]
    if _VECTORS.isdisjoint([*known.get("baseline", ()), *known.get("found", ())]):
        return False
    return _seconds("stable") > _VECTORS_FROM * _seconds("quicksort")


def _seconds(kind: Any) -> float:
    """Shortest time of some sorts of the same numbers: other processes only make them longer."""
    values = np.random.default_rng(0).random(2**13)
    best = np.inf
    for _ in range(5):
        mixed = values.copy()
        start = perf_counter()
        mixed.sort(kind=kind)
        best = min(best, perf_counter() - start)
    return best


def radix_pays(size: int) -> bool:
    """Tell whether so many cases are worth the piles and the compiled loops."""
    return size >= _RADIX_FROM and worth_compiling(size)


def radix_sort(values: FloatArray) -> None:
    """Sort float64 or float32 in place; -0.0 becomes 0.0."""
    keys, counts, ascending = _keys(values)
    if not ascending:
        spare = np.empty_like(keys)
        for shift, places in _passes(keys, counts):
            compiled(_deal_loop)(keys, shift, places, spare)
            keys, spare = spare, keys
    _values(keys, values)


def radix_order(values: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the stable order of float64 or float32, and the values in it; -0.0 becomes 0.0."""
    size = len(values)
    keys, counts, ascending = _keys(values)
    # half the memory to move while the passes last
    cases = np.arange(size, dtype=np.int32 if size < 2**31 else np.int64)
    if not ascending:
        spare, spare_cases = np.empty_like(keys), np.empty_like(cases)
        for shift, places in _passes(keys, counts):
            compiled(_deal_cases_loop)(keys, cases, shift, places, spare, spare_cases)
            keys, spare, cases, spare_cases = spare, keys, spare_cases, cases
    ordered = np.empty_like(values)
    _values(keys, ordered)
    return cases.astype(np.intp), ordered


def _keys(values: FloatArray) -> tuple[IntArray, IntArray, bool]:
    """Keys, how many of them lie on every pile of every digit, and whether they ascend as they are."""
    whole = np.dtype(f"i{values.dtype.itemsize}")
    keys = np.empty(len(values), whole)
    counts = np.zeros((whole.itemsize, _PILES), np.int64)
    ascending = compiled(_keys_loop)(values.view(whole), int(np.iinfo(whole).min), keys, counts)
    return keys, counts, bool(ascending)


def _values(keys: IntArray, out: FloatArray) -> None:
    compiled(_values_loop)(keys, int(np.iinfo(keys.dtype).min), out.view(keys.dtype))


def _passes(keys: IntArray, counts: IntArray) -> list[tuple[int, IntArray]]:
    """Shift of every digit that is not the same in all keys, and where each of its piles begins."""
    return [
        (8 * digit, np.cumsum(piles) - piles) for digit, piles in enumerate(counts) if piles.max() < len(keys)
    ]


@kernel
def _keys_loop(bits: Any, lowest: Any, keys: Any, counts: Any) -> bool:
    # `lowest` is the sign bit alone: the bits of -0.0
    ascending = True
    before = lowest
    for index in range(len(bits)):
        pattern = bits[index]
        if pattern == lowest:
            pattern = 0
        # as signed numbers these ascend with the values; keys are the same with the sign flipped
        signed = pattern if pattern >= 0 else pattern ^ (-1 - lowest)
        if signed < before:
            ascending = False
        before = signed
        key = signed ^ lowest
        keys[index] = key
        for digit in range(len(counts)):
            counts[digit, (key >> (8 * digit)) & 255] += 1
    return ascending


@kernel
def _values_loop(keys: Any, lowest: Any, bits: Any) -> None:
    for index in range(len(keys)):
        signed = keys[index] ^ lowest
        bits[index] = signed if signed >= 0 else signed ^ (-1 - lowest)


@kernel
def _deal_loop(keys: Any, shift: Any, places: Any, out: Any) -> None:
    for index in range(len(keys)):
        key = keys[index]
        pile = (key >> shift) & 255
        out[places[pile]] = key
        places[pile] += 1


@kernel
def _deal_cases_loop(keys: Any, cases: Any, shift: Any, places: Any, out: Any, out_cases: Any) -> None:
    for index in range(len(keys)):
        key = keys[index]
        pile = (key >> shift) & 255
        place = places[pile]
        out[place] = key
        out_cases[place] = cases[index]
        places[pile] = place + 1
