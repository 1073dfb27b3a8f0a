"""Counts of held-out WEKA scores that ship with the studies, for those who have neither WEKA nor the data.

Per data set, learner and fold seed of Friedel, Rueckert and Kramer (2006): how many cases of each class have
each distinct score. They are our own results (``tools/keep_counts.py``), and hold no row of a data set.
"""

import json
import lzma
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from demur_studies._weka import WekaScores, in_strict_order

__all__ = ["packed", "shipped_scores", "unpacked"]

FILE = "_shipped_counts.json.xz"
_MILLION = 1_000_000  # WEKA writes six decimals


def packed(run: WekaScores) -> list[Any]:
    """Right answers, steps between scores in millionths, cases of each class: JSON-safe and small."""
    n = run.positives.sum() + run.negatives.sum()
    steps = np.diff(np.rint(_MILLION * run.score).astype(int), prepend=0)
    classes = [each.astype(int).tolist() for each in (run.positives, run.negatives)]
    return [round(run.accuracy * n), steps.tolist(), *classes]


def unpacked(parts: list[Any]) -> WekaScores:
    """Return what `packed` made small."""
    right, steps, positives, negatives = parts
    return WekaScores(
        positives=np.array(positives, dtype=np.float64),
        negatives=np.array(negatives, dtype=np.float64),
        score=in_strict_order(np.cumsum(steps) / _MILLION),
        accuracy=right / (sum(positives) + sum(negatives)),
    )


@cache
def _runs() -> Mapping[str, list[Any]]:
    packed_runs = files("demur_studies").joinpath(FILE).read_bytes()
    return dict(json.loads(lzma.decompress(packed_runs)))


def shipped_scores(name: str, learner: str, seed: int) -> WekaScores:
    """Return the scores of a data set of the paper by a learner of WEKA; `KeyError` for any other."""
    return unpacked(_runs()[f"{name} {learner} {seed}"])
