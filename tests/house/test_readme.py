"""Every number of the README comes from a script here: the demo, the benchmarks, the documentation."""

import re
from pathlib import Path

import pytest

from demur.cli.main import main

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
PERFORMANCE = (ROOT / "docs" / "performance.md").read_text()


def test_demo_prints_what_the_readme_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as stop:
        main(["demo"])
    assert stop.value.code == 0
    shown = re.search(r"```text\n(.*?)```", README, re.S).group(1)
    assert shown in capsys.readouterr().out


def test_speed_is_that_of_the_performance_page():
    claim = "about twice one `np.sort` of the scores, a twentieth of scikit-learn's"
    assert claim in README
    rows = re.findall(r"^\| *(.*?) \| 1e\+07 \|.*\| ([\d.]+) x \|", PERFORMANCE, re.M)
    against_sort = [
        float(ratio) for what, ratio in rows if what.startswith("surface +") and what.endswith("np.sort")
    ]
    against_sklearn = [float(ratio) for what, ratio in rows if what.startswith("sklearn roc_auc_score")]
    assert against_sort
    assert against_sklearn
    assert against_sort[0] <= 2.5
    assert against_sklearn[0] >= 18
