"""Skips and unshipped data as in the tests of demur."""

from unshipped import pytest_runtest_makereport, shared_folder  # noqa: F401
