"""Every number of the README comes from a script here: the demo, the benchmarks, the documentation."""

import re
import shlex
from pathlib import Path

import pytest

from demur import ABSTAIN, Policy
from demur.cli.main import main

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
PERFORMANCE = (ROOT / "docs" / "performance.md").read_text()
PAPERS = [
    [cell.strip().strip("`") for cell in line.strip("|").split(" | ")]
    for line in README.splitlines()
    if line.startswith("| [")
]
"""Paper, question, the line that answers, the line that draws."""


def test_demo_prints_what_the_readme_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as stop:
        main(["demo"])
    assert stop.value.code == 0
    _, shown = re.findall(r"```text\n(.*?)```", README, re.S)
    assert shown in capsys.readouterr().out
    lines = [line for row in PAPERS for line in row[2:] if line.startswith("demur ")]
    assert len(lines) == 2
    for line in lines:  # they read what the demo wrote
        with pytest.raises(SystemExit) as stop:
            main(shlex.split(line)[1:])
        assert stop.value.code == 0, capsys.readouterr().err
    assert (tmp_path / "regions.png").read_bytes().startswith(b"\x89PNG")
    assert "VACC gap" in capsys.readouterr().out


def test_every_paper_has_a_line_that_answers_and_one_that_draws():
    import matplotlib.pyplot as plt

    pages = {re.search(r"\((.*?)\)", paper).group(1) for paper, *_ in PAPERS}
    others = {"index", "data"}
    assert pages == {
        f"docs/papers/{page.name}"
        for page in (ROOT / "docs" / "papers").glob("*.md")
        if page.stem not in others
    }
    assert len(PAPERS) == 11
    names = {}
    page = (ROOT / "docs" / "papers" / "index.md").read_text()
    (setup,) = re.findall(r"```python\n(.*?)```", page, re.S)
    exec(setup, names)
    for _, question, answer, drawing in PAPERS:
        assert question.endswith("?")
        if answer.startswith("demur "):
            continue
        assert eval(answer, names)
        display = eval(drawing, names)
        assert len(next(iter(display.frame().values())))
        plt.close(display.figure_)


def test_python_of_the_readme_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", README, re.S)
    names = {}
    exec(compile(code, "README.md", "exec"), names)
    answer = names["answer"]
    words, verdict, decisions = capsys.readouterr().out.splitlines()
    assert words == answer.words
    assert verdict == f"proven {answer.cost} {answer.interval}"
    assert answer.interval.low <= answer.cost <= answer.interval.high
    assert decisions.split("]")[0] == re.search(r"# (\[.*?)\]", code).group(1) == "[ 0 -1  1"
    assert answer.decide([0.01, 0.3, 0.99]).tolist() == [0, ABSTAIN, 1]
    assert Policy.load("policy.json").expected_cost == answer.cost


def test_commands_of_the_readme_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lines = [line for line in README.splitlines() if line.startswith("demur ")]
    assert len(lines) == 5
    for line in lines:
        with pytest.raises(SystemExit) as stop:
            main(shlex.split(line, comments=True)[1:])
        assert stop.value.code == 0, capsys.readouterr().err
    made = {"policy.json", "policy.toml", "decisions.csv", "report.html", "demur-demo"}
    assert {file.name for file in tmp_path.iterdir()} == made


def test_readme_names_what_a_new_machine_runs():
    """Two commands for a copy of the repository, and one for everybody else, on every first page."""
    assert "`make demo`" in README
    assert "`make test`" in README
    for page in ("README.md", "docs/index.md", "docs/install.md", "docs/quickstart.md"):
        first = re.search(r"```\w+\n(.*?)\n```", (ROOT / page).read_text(), re.S)
        assert first.group(1) == 'pip install "demur[all]"'


def test_speed_is_that_of_the_performance_page():
    text = " ".join(README.split())
    assert "less than a fifteenth of the time of scikit-learn's AUC alone" in text
    assert "half of one `np.sort` of the scores where NumPy sorts without vectors, two and a half" in text
    rows = re.findall(r"^\| *(.*?) \| 1e\+07 \|.*\| ([\d.]+) x \|", PERFORMANCE, re.M)
    against_sort = [
        float(ratio) for what, ratio in rows if what.startswith("surface +") and what.endswith("np.sort")
    ]
    against_sklearn = [float(ratio) for what, ratio in rows if what.startswith("sklearn roc_auc_score")]
    assert against_sort
    assert against_sklearn
    assert against_sort[0] < (2.5 if "np.sort vectorised" in PERFORMANCE else 0.5)
    assert against_sklearn[0] > 15
