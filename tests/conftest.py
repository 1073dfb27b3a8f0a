"""What all tests share: costly things made once, no waiting for threads, no silent skips."""

import atexit
import fcntl
import functools
import gc
import os
import pickle
from contextlib import contextmanager

import pytest
from hypothesis import settings

from examples import examples
from unshipped import pytest_runtest_makereport, shared_folder, weka_scores  # noqa: F401

# before NumPy is imported: each worker of a parallel run has a core, and threads of BLAS or OpenMP that
# wait for each other take six times the time of the sum they work on
for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_threads, "1")
os.environ.setdefault("MPLBACKEND", "Agg")
# a busy machine is no wrong answer: speed is measured in benchmarks, so examples have no deadline;
# CI looks at the same examples every time, at home each run looks at new ones
settings.register_profile("home", deadline=None, max_examples=examples(100))
settings.register_profile("ci", deadline=None, derandomize=True, max_examples=examples(100))
settings.register_profile("thorough", deadline=None)
# the oldest supported versions and other Pythons: a second look at the same laws
settings.register_profile("brief", deadline=None, derandomize=True, max_examples=10)
settings.load_profile(os.environ.get("DEMUR_PROFILE", "ci" if os.environ.get("DEMUR_NO_SKIPS") else "home"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Keep tests with a costly fixture in one process; xdist asks in a parallel run."""
    from scheduling import SharedCosts

    return SharedCosts(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """Say how many processes `-n auto` starts; the variable of xdist still decides where it is set."""
    from scheduling import processes

    return None if os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS") else processes()


def pytest_configure():
    """Nothing that is collected becomes garbage."""
    gc.disable()


def pytest_collection_finish():
    """Let the garbage collector leave alone what ten thousand tests and their modules hold to the end."""
    gc.enable()
    gc.freeze()
    # the end of the process clears everything; pytest's five collections before it need not
    atexit.register(gc.unfreeze)
    gc.set_threshold(50_000, 20, 50)


_seconds = {}


def pytest_runtest_logreport(report):
    """Add up what the tests of each file take."""
    file = report.nodeid.partition("::")[0]
    _seconds[file] = _seconds.get(file, 0.0) + report.duration


def pytest_sessionfinish(session):
    """Record the seconds per file for `make quick`; a run of parts of files does not count."""
    config = session.config
    in_part = config.option.keyword or any("::" in argument for argument in config.args)
    if not (in_part or hasattr(config, "workerinput")) and hasattr(config, "cache"):
        config.cache.set("demur/seconds", {**config.cache.get("demur/seconds", {}), **_seconds})


# ---------------------------------------------------------------- made once


@pytest.fixture(scope="session")
def made_once(tmp_path_factory):
    """Return a function that has a file made by the first process that asks; the others wait and read it.

    Call ``made_once(name, make)``; `make` gets the path to write to.
    """
    folder = tmp_path_factory.getbasetemp()
    # workers of xdist have folders of their own below that of the run
    folder = (folder.parent if os.environ.get("PYTEST_XDIST_WORKER") else folder) / "made-once"
    folder.mkdir(exist_ok=True)

    def file(name, make):
        path = folder / name
        with _locked(folder / f"{name}.lock"):
            if not path.exists():
                draft = path.with_name(f"draft-{name}")
                make(draft)
                draft.rename(path)
        return path

    return file


@contextmanager
def _locked(path):
    with open(path, "w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session", autouse=True)
def _demo_scores_once(made_once):
    """The demo's four learners, trained once per run instead of once per page and command."""
    from demur.datasets import breast_cancer

    train = breast_cancer.breast_cancer_scores

    @functools.cache
    @functools.wraps(train)
    def once(**options):
        if options:
            return train(**options)
        file = made_once("demo-scores.pickle", lambda path: path.write_bytes(pickle.dumps(train())))
        return pickle.loads(file.read_bytes())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(breast_cancer, "breast_cancer_scores", once)
        yield


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
def page_file(made_once):
    """Return the file of a report of tests/page_reports.py, written once, as `Report.to_html` writes it."""
    import page_reports

    return lambda name: made_once(f"{name}.html", lambda path: page_reports.named(name).to_html(path))


@pytest.fixture(scope="session")
def tab(chromium):
    """A tab in which one report is opened after the other: in a quarter less time than a new one takes."""
    from browser import new_tab

    page = new_tab(chromium)
    yield page
    page.context.close()


@pytest.fixture
def open_page(chromium, tab, page_file):
    """Open the page of a report by name; at the end nothing may have gone wrong in any of them.

    The first page of a test takes the tab that all tests share, unless it asks for what that tab cannot be.
    """
    from browser import Opened, can_be_set, new_tab, set_options

    pages = []

    def open_one(name="ordinary", fragment="", *, browser=chromium, script=None, **options):
        if pages or browser is not chromium or script is not None or not can_be_set(options):
            page = new_tab(browser, script=script, **options)
        else:
            set_options(page := tab, **options)
        pages.append(Opened.of(page, page_file(name), fragment))
        return pages[-1]

    yield open_one
    for page in pages:
        if page.page is tab:
            page.leave()
        else:
            page.page.context.close()
    assert [problem for page in pages for problem in page.problems] == []
