"""Load the JSON cases of tests/reference as pytest parameters."""

import json
import math
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "reference"
_SPECIAL = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def numbers(value):
    """Replace the strings "inf", "-inf" and "nan" by floats, at any depth."""
    if isinstance(value, list):
        return [numbers(item) for item in value]
    if isinstance(value, dict):
        return {key: numbers(item) for key, item in value.items()}
    return _SPECIAL.get(value, value) if isinstance(value, str) else value


def cases(file, kind):
    """Parameters for every case of one kind; refuses an empty set, so no test can vanish."""
    with open(FOLDER / file) as handle:
        found = [case for case in json.load(handle)["cases"] if case["kind"] == kind]
    if not found:
        raise LookupError(f"{file} holds no case of kind {kind}")
    return [pytest.param(numbers(case), id=case["id"]) for case in found]


def close(got, expected, tol):
    """The rule of the reference files: |got - expected| <= tol max(1, |expected|)."""
    if isinstance(expected, list):
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            close(one, other, tol)
    elif math.isinf(expected):
        assert got == expected
    else:
        assert abs(got - expected) <= tol * max(1.0, abs(expected)), f"got {got}, expected {expected}"
