"""The text of the command line, to the letter, as it was recorded.

Text that changes on purpose is recorded anew by `python tests/golden/record.py`, in the same commit.
"""

import difflib
import shlex

import pytest

from golden.commands import INPUTS, SESSIONS, TEXTS, transcripts

COMMANDS = {
    f"{session}-{title}.txt": line for session, lines in SESSIONS.items() for title, line in lines.items()
}


@pytest.mark.parametrize("session", SESSIONS)
def test_text_of_commands_against_the_record(session, tmp_path):
    changed = []
    for path, text in transcripts(session, tmp_path):
        recorded = path.read_text().splitlines()
        changed += difflib.unified_diff(recorded, text.splitlines(), path.name, "found", lineterm="", n=1)
    assert changed == []


def test_every_command_has_a_text_and_every_text_a_command():
    recorded = {path.name: path.read_text().splitlines()[0] for path in TEXTS.glob("*.txt")}
    assert recorded == {name: f"$ demur {line}" for name, line in COMMANDS.items()}


def test_seven_verbs_and_every_input_occur():
    assert 25 <= len(COMMANDS) <= 80
    verbs = {shlex.split(line)[0] for line in COMMANDS.values()}
    assert verbs == {"compare", "decide", "check", "apply", "watch", "rec", "ordinal"}
    words = {word for line in COMMANDS.values() for word in shlex.split(line)}
    inputs = {path.name for path in INPUTS.iterdir()}
    assert len(inputs) >= 10
    assert inputs <= words


def test_texts_hold_nothing_of_a_machine():
    for path in TEXTS.glob("*.txt"):
        text = path.read_text()
        assert "/tmp" not in text
        assert "Traceback" not in text
