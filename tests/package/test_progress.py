"""The one progress line: on a terminal, and only for jobs that take a while."""

import io
import sys
import time

import pytest

from demur._progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("stream", "shown"), [(Terminal(), True), (io.StringIO(), False)])
def test_progress_is_shown_on_a_terminal_only(monkeypatch, stream, shown):
    monkeypatch.setattr(sys, "stderr", stream)
    clock = iter([0.0, 0.5, 2.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    with Progress(10, "bootstrap") as progress:
        progress.advance(2)
        assert stream.getvalue() == ""  # a short job stays silent
        progress.advance(3)
    assert ("bootstrap [" in stream.getvalue()) == shown
    assert ("5/10" in stream.getvalue()) == shown
    assert stream.getvalue().endswith("\r\x1b[K") == shown  # the line is wiped
