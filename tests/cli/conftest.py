"""Fixtures of the tests of the command line."""

import pytest

from command_line import GOOD, Answer, Y, table_file
from demur.cli.main import main


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def call(*args):
        with pytest.raises(SystemExit) as stop:
            main([str(arg) for arg in args])
        streams = capsys.readouterr()
        return Answer(stop.value.code, streams.out, streams.err)

    return call


@pytest.fixture
def worked(tmp_path):
    return table_file(tmp_path, row=range(12), y_true=Y, good=GOOD, bad=[-score for score in GOOD])


@pytest.fixture
def many(tmp_path):
    """The worked example, forty times: enough cases to choose well."""
    columns = {"row": range(480), "y_true": Y * 40, "good": GOOD * 40, "bad": [-score for score in GOOD] * 40}
    return table_file(tmp_path, **columns)
