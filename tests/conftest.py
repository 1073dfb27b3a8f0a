"""Skips become failures where everything is installed (CI sets DEMUR_NO_SKIPS)."""

import os

import pytest
from hypothesis import settings

os.environ.setdefault("MPLBACKEND", "Agg")
# a busy machine is no wrong answer: speed is measured in benchmarks, so examples have no deadline;
# CI looks at the same examples every time, at home each run looks at new ones
settings.register_profile("home", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("DEMUR_NO_SKIPS") else "home")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.skipped and os.environ.get("DEMUR_NO_SKIPS"):
        report.outcome = "failed"
        report.longrepr = f"skipped, but DEMUR_NO_SKIPS is set: {report.longrepr}"


@pytest.fixture
def shared_folder():
    """Folder with data sets that are not shipped; tests that need it skip without it."""
    from pathlib import Path

    folder = Path(os.environ.get("DEMUR_SHARED", Path(__file__).parents[2] / "shared"))
    if not folder.is_dir():
        pytest.skip(f"no data folder at {folder}")
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


# ---------------------------------------------------------------- the page in a browser


@pytest.fixture(scope="session")
def playwright_running():
    """Playwright, once per session and worker."""
    from browser import playwright

    with playwright() as running:
        yield running


@pytest.fixture(scope="session")
def chromium(playwright_running):
    """One browser for the whole session; every test has pages of its own."""
    from browser import launch

    browser = launch(playwright_running)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def page_file(tmp_path_factory):
    """Return the file of a report of tests/page_reports.py, written once, as `Report.to_html` writes it."""
    import page_reports

    folder, files = tmp_path_factory.mktemp("pages"), {}

    def write(name):
        if name not in files:
            files[name] = folder / f"{name}.html"
            page_reports.named(name).to_html(files[name])
        return files[name]

    return write


@pytest.fixture
def open_page(chromium, page_file):
    """Open the page of a report by name; at the end nothing may have gone wrong in any of them."""
    from browser import Opened

    contexts, pages = [], []

    def open_one(name="ordinary", fragment="", *, browser=chromium, script=None, **options):
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        context.set_default_timeout(15_000)
        contexts.append(context)
        if script is not None:
            context.add_init_script(script)
        pages.append(Opened.of(context, page_file(name), fragment))
        return pages[-1]

    yield open_one
    for context in contexts:
        context.close()
    assert [problem for page in pages for problem in page.problems] == []
