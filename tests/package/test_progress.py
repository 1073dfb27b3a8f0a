"""One line of progress on a terminal, only for jobs that take a while, and records of the log."""

import io
import logging
import os
import pty
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest

import demur
from demur import _progress
from demur._progress import Progress


class Terminal(io.StringIO):
    """What a program writes to a terminal, and an event whenever it does."""

    def __init__(self):
        super().__init__()
        self.written = threading.Event()

    def isatty(self):
        return True

    def write(self, text):
        super().write(text)
        self.written.set()


@pytest.fixture
def terminal(monkeypatch):
    stream = Terminal()
    # pytest gives every phase of a test a standard error of its own
    monkeypatch.setattr(_progress, "sys", SimpleNamespace(stderr=stream))
    monkeypatch.setattr(_progress, "_SILENT_SECONDS", -1.0)
    monkeypatch.setattr(_progress, "_SECONDS_BETWEEN", 0.001)
    return stream


def wait_for(text, stream):
    """Wait until the line says something."""
    while text not in stream.getvalue():
        assert stream.written.wait(30)
        stream.written.clear()


def test_line_says_what_is_done_and_is_wiped(terminal):
    with Progress(10_000, "groups") as progress:
        progress.advance(1200)
        wait_for("groups 1,200 of 10,000", terminal)
    assert on_screen(terminal.getvalue()) == ""
    with Progress(500, "comparing", "models") as progress, Progress(None, "drawing the page"):
        progress.advance(37)
        wait_for("comparing 37 of 500 models, drawing the page", terminal)
    assert on_screen(terminal.getvalue()) == ""


def on_screen(text):
    """What is left on a line by a terminal that knows carriage returns only."""
    cells = {}
    for part in text.split("\r"):
        cells |= dict(enumerate(part))
    return "".join(cells[place] for place in sorted(cells)).rstrip()


def test_line_keeps_to_the_width_of_the_terminal(terminal):
    with Progress(3, "comparing many things at a time " * 9):
        wait_for("comparing", terminal)
    assert max(map(len, terminal.getvalue().split("\r"))) == 79


def test_short_jobs_and_streams_that_are_no_terminal_show_nothing(terminal, monkeypatch):
    monkeypatch.setattr(_progress, "_SILENT_SECONDS", 1e9)
    with Progress(10) as progress:
        for _ in range(10):
            progress.advance()
            threading.Event().wait(0.003)
    assert terminal.getvalue() == ""
    monkeypatch.setattr(_progress, "_SILENT_SECONDS", -1.0)
    for stream in (io.StringIO(), None):
        monkeypatch.setattr(_progress, "sys", SimpleNamespace(stderr=stream))
        before = threading.active_count()
        with Progress(10):
            assert threading.active_count() == before
        assert stream is None or stream.getvalue() == ""


def test_steps_of_many_threads_are_all_counted(terminal):
    with Progress(8000) as progress, ThreadPoolExecutor(8) as pool:
        for _ in range(8000):
            pool.submit(progress.advance)
    assert str(progress) == "resampling 8,000 of 8,000"
    assert on_screen(terminal.getvalue()) == ""


def test_jobs_of_several_threads_share_one_line(terminal):
    def job(_):
        with Progress(1, "job") as progress:
            progress.advance()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(job, range(200)))
    assert _progress._RUNNING == []
    assert _progress._line is None
    assert on_screen(terminal.getvalue()) == ""


def test_errors_wipe_the_line_and_terminals_may_go_away(terminal, monkeypatch):
    def fail():
        with Progress(2):
            wait_for("resampling", terminal)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert on_screen(terminal.getvalue()) == ""
    gone = Terminal()
    gone.close()
    monkeypatch.setattr(gone, "isatty", lambda: True)
    monkeypatch.setattr(_progress, "sys", SimpleNamespace(stderr=gone))
    with Progress(2) as progress:
        progress.advance()


# ---------------------------------------------------------------- the log


def compare():
    rng = np.random.default_rng(0)
    y = rng.random(200) < 0.4
    scores = {name: rng.normal(size=200) + y for name in "ab"}
    return demur.compare_models(y, scores, costs=demur.CostModel(cost_fn=5, cost_abstain=0.5))


def test_long_work_is_logged_under_demur(caplog):
    with caplog.at_level(logging.DEBUG, logger="demur"):
        compare()
        X = np.arange(60.0)[:, None]
        from sklearn.linear_model import LogisticRegression

        model = demur.AbstainingClassifier(LogisticRegression(), mu=1, nu=0.2, cv=3)
        model.fit(X, np.arange(60) % 7 > 3)
        demur.read_counts({"y": [0, 1, 1, 0], "s": [0.1, 0.2, 0.3, 0.4]}, y_true="y", scores="s", pos_label=1)
    assert {record.name for record in caplog.records} == {"demur"}
    said = [(record.levelname, record.getMessage().split(":")[0]) for record in caplog.records]
    assert ("INFO", "comparing 2 of 2 models") in said
    assert ("INFO", "fitting AbstainingClassifier") in said
    assert ("DEBUG", "cross-fitting 4 of 4 models") in said
    assert ("INFO", "counting cases") in said
    assert any(text.startswith("comparing on 200 cases") for level, text in said if level == "DEBUG")


def test_nothing_reaches_the_screen_unless_a_program_asks():
    code = (
        "import sys, demur; assert 'logging' not in sys.modules\n"
        "import logging; from demur._progress import Progress, log\n"
        "with Progress(3): pass\n"
        "assert [type(one) for one in log.handlers] == [logging.NullHandler] and log.level == 0\n"
        "assert not logging.getLogger().handlers\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == done.stderr == ""


def test_on_a_terminal_of_the_system():
    code = (
        "from demur import _progress; _progress._SILENT_SECONDS = 0.0\n"
        "import time\n"
        "with _progress.Progress(5, 'comparing', 'models ' * 40) as progress:\n"
        "    progress.advance(); time.sleep(1)\n"
    )
    reader, writer = pty.openpty()
    with os.fdopen(reader, "rb", buffering=0) as screen:
        subprocess.run([sys.executable, "-c", code], stderr=writer, check=True, timeout=60)
        os.close(writer)
        text = screen.read(10_000).decode()
    assert "comparing 1 of 5 models models" in text
    assert max(map(len, text.split("\r"))) == 79
    assert on_screen(text) == ""
