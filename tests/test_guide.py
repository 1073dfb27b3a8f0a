"""The guide runs: every Python block and every command, page by page, in one folder."""

import re
import shlex
from pathlib import Path

import pytest

from demur.cli.main import main

GUIDE = Path(__file__).parents[1] / "docs" / "guide"
PAGES = sorted(GUIDE.glob("*.md"))
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


def test_there_are_pages():
    assert PAGES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_blocks_run_in_order(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {}
    for language, code in BLOCK.findall(page.read_text()):
        if language == "python":
            exec(compile(code, page.name, "exec"), names)
        elif language == "sh":
            for line in code.splitlines():
                program, *args = shlex.split(line)
                assert program == "demur"
                with pytest.raises(SystemExit) as stop:
                    main(args)
                assert stop.value.code == 0, capsys.readouterr().err
        else:
            assert language == "text", f"a block of {page.name} is neither python nor sh nor text"
    assert capsys.readouterr().out
