"""Data that are not shipped, and no other reason to skip a test."""

import os
from pathlib import Path

import pytest

# nothing installs data that may not be shipped, so its absence is the one skip that stays a skip
UNSHIPPED = "no folder with the data of the papers"


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.skipped and os.environ.get("DEMUR_NO_SKIPS") and UNSHIPPED not in str(report.longrepr):
        report.outcome = "failed"
        report.longrepr = f"skipped, but DEMUR_NO_SKIPS is set: {report.longrepr}"


@pytest.fixture
def shared_folder():
    """Folder with data sets that are not shipped; tests that need it skip without it."""
    folder = Path(os.environ.get("DEMUR_SHARED", Path(__file__).parents[2] / "shared"))
    if not folder.is_dir():
        pytest.skip(f"{UNSHIPPED} at {folder}")
    return folder


@pytest.fixture
def weka_scores(shared_folder):
    """Iterate over (reference row, labels, scores) of the WEKA runs."""
    import csv

    import numpy as np

    def rows():
        folder = shared_folder / "data" / "weka_scores"
        with open(folder / "REFERENCE.csv") as handle:
            reference = list(csv.DictReader(handle))
        tables = {}
        for row in reference:
            file = folder / f"{row['dataset']}_seed{row['seed']}.csv"
            if file not in tables:
                with open(file) as handle:
                    tables[file] = list(csv.DictReader(handle))
            table = tables[file]
            y = np.array([int(line["y_true"]) for line in table])
            yield row, y, np.array([float(line[row["learner"]]) for line in table])

    return rows
