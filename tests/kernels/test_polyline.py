"""Heights of polylines by hand: inside, at and beyond vertical pieces."""

import numpy as np
import pytest

from demur._kernels.polyline import height


@pytest.mark.parametrize(
    ("across", "at", "lower", "upper"),
    [
        ([0, 1, 2], 0.5, 0.25, 0.25),
        # a vertical piece at the end and at the start
        ([0, 1, 1], 0.5, 0.25, 0.25),
        ([0, 1, 1], 1, 0.5, 1),
        ([0, 1, 1], 2, 1, 1),
        ([0, 0, 1], 0, 0, 0.5),
        ([0, 0, 1], -1, 0, 0),
        ([0, 0, 1], 2, 1, 1),
        ([3, 3, 3], 2, 0, 0),
        ([3, 3, 3], 4, 1, 1),
    ],
)
def test_ends_of_vertical_pieces(across, at, lower, upper):
    line = np.array(across, dtype=float), np.array([0, 0.5, 1])
    assert float(height(*line, at, side="left")) == lower
    assert float(height(*line, at, side="right")) == upper


def test_a_vertical_piece_in_the_middle():
    line = np.array([0.0, 1, 1, 2]), np.array([0, 0.2, 0.6, 1])
    at = np.array([0.5, 1, 1.5])
    assert height(*line, at, side="left") == pytest.approx([0.1, 0.2, 0.8])
    assert height(*line, at, side="right") == pytest.approx([0.1, 0.6, 0.8])
