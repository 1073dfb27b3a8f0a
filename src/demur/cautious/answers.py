"""Answers by the more probable class, the most confident first: straight from the counts of a model."""

from typing import Any

import numpy as np

from demur._kernels.jit import compiled, kernel, whole_job, worth_compiling
from demur.counts.scores import ScoreCounts
from demur.typing import FloatArray

__all__ = ["answers_by_confidence"]

# what the interpreter does for every score, in steps of an ordinary loop
_STEPS = 6


def answers_by_confidence(counts: ScoreCounts) -> tuple[FloatArray, FloatArray]:
    """Return the weight of the answers and of the errors among them, down to every confidence.

    Scores are probabilities p: from 1/2 on the answer is positive, with confidence p, else negative, with
    1 - p. Equal confidences are answered together. The curve of `risk_coverage_curve`, without sorting.

    Examples
    --------
    The two surest answers are right; of the other two one is wrong.

    >>> counts = ScoreCounts.from_arrays([0, 1, 1, 1], [0.125, 0.25, 0.75, 0.875])
    >>> answers_by_confidence(counts)
    (array([2., 4.]), array([0., 1.]))
    """
    columns = counts.scores, counts.positives, counts.negatives
    half, size = int(np.searchsorted(counts.scores, 0.5)), len(counts.scores)
    with whole_job(_STEPS * size):
        if worth_compiling(size):
            answered, wrong = np.empty(size), np.empty(size)
            groups = compiled(_answers_loop)(*columns, half, answered, wrong)
            return answered[:groups], wrong[:groups]
    scores, positives, negatives = (column.tolist() for column in columns)
    down_to, errors = [0.0] * size, [0.0] * size
    groups = _answers_loop(scores, positives, negatives, half, down_to, errors)
    return np.array(down_to[:groups]), np.array(errors[:groups])


@kernel
def _answers_loop(scores: Any, positives: Any, negatives: Any, half: Any, answered: Any, wrong: Any) -> Any:
    low, high, groups = 0, len(scores) - 1, 0
    total = errors = 0.0
    while low < half or high >= half:
        confidence = 1 - scores[low] if low < half else 0.0
        if high >= half and scores[high] > confidence:
            confidence = scores[high]
        right = missed = 0.0
        # small probabilities may share the float nearest to 1 - p
        while low < half and 1 - scores[low] == confidence:
            missed += positives[low]
            right += negatives[low]
            low += 1
        if high >= half and scores[high] == confidence:
            missed += negatives[high]
            right += positives[high]
            high -= 1
        errors += missed
        total += missed + right
        answered[groups] = total
        wrong[groups] = errors
        groups += 1
    return groups
