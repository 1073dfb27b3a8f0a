"""Roots of functions of one number against SciPy's search and against roots known by hand."""

import math

import pytest
from scipy.optimize import brentq

from demur._kernels.roots import root_between

FUNCTIONS = [
    (lambda x: x**3 - 2, 0.0, 2.0),
    (lambda x: math.cos(x) - x, 0.0, 1.0),
    (lambda x: math.exp(-50 * x) - 1e-9, 0.0, 5.0),
    (lambda x: math.inf if x > 3 else x - 0.1, -1.0, 10.0),
    (lambda x: (0.9 - x) ** 2 - 1e-12 * (1 - x), 0.0, 0.9),
    (lambda x: 1e-300 - x, -1.0, 1.0),
]


@pytest.mark.parametrize(("function", "low", "high"), FUNCTIONS)
def test_root_against_scipy(function, low, high):
    expected = brentq(function, low, high, xtol=1e-15)
    assert root_between(function, low, high) == pytest.approx(expected, rel=4e-15, abs=1e-14)
    assert root_between(lambda x: -function(x), high, low) == pytest.approx(expected, rel=4e-15, abs=1e-14)


def test_roots_by_hand():
    assert root_between(lambda x: x - 0.375, 0.0, 1.0) == 0.375
    assert root_between(lambda x: x, 0.0, 1.0) == 0.0  # an end is a root
    assert root_between(lambda x: x - 1, 0.0, 1.0) == 1.0
    assert root_between(lambda x: x * x - 2, 0.0, 2.0, tolerance=0.01) == pytest.approx(2**0.5, abs=0.01)


def test_few_steps_find_a_smooth_root():
    looked_at = []
    root_between(lambda x: looked_at.append(x) or math.exp(x) - 3, 0.0, 4.0)
    assert len(looked_at) < 20


@pytest.mark.parametrize("function", [lambda x: x * x + 1, lambda x: math.nan])
def test_no_change_of_sign_is_an_error(function):
    with pytest.raises(ValueError, match="no change of sign"):
        root_between(function, -1.0, 1.0)
