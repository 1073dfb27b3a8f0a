"""Every number of the README comes from a script here: the demo, the benchmarks, the documentation."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from demur import ABSTAIN, Binormal, Policy
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
    shown = re.search(r"```text\n(.*?)```", README, re.S).group(1)
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
    exec(re.findall(r"```python\n(.*?)```", README, re.S)[1], names)
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
    code = re.search(r"```python\n(.*?)```", README, re.S).group(1)
    y, scores = Binormal(separation=3).sample(600, rng=0)
    noise = np.random.default_rng(0).normal(size=len(scores))
    names = {"y_true": y, "old_scores": scores + noise, "new_scores": scores, "new_cases": [-3.0, 1.5, 6.0]}
    exec(compile(code, "README.md", "exec"), names)
    answer = names["answer"]
    assert capsys.readouterr().out == answer.words + "\n"
    assert answer.model == "new"
    assert answer.interval.low <= answer.cost <= answer.interval.high
    assert answer.decide(names["new_cases"]).tolist() == [0, ABSTAIN, 1]
    assert Policy.load("policy.json").expected_cost == answer.cost


def test_commands_of_the_readme_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    y, scores = Binormal(separation=2).sample(300, rng=0)
    others = scores + np.random.default_rng(0).normal(size=300)
    rows = np.column_stack([y, *(1 / (1 + np.exp(-column)) for column in (scores, others))])
    np.savetxt("predictions.csv", rows, "%d,%.17g,%.17g", header="y_true,old,new", comments="")
    amount, days = np.random.default_rng(1).lognormal(4, 1, 300), 1 + np.arange(300) % 3
    paid = [
        "id,y_true,new,amount,date",
        *(f"{k},{y[k]:d},{scores[k]:.4f},{amount[k]:.2f},2026-03-0{days[k]}" for k in range(300)),
    ]
    (tmp_path / "payments.csv").write_text("\n".join(paid) + "\n")
    lines = [line for line in README.splitlines() if line.startswith("demur ")]
    assert len(lines) == 9
    for line in lines:
        with pytest.raises(SystemExit) as stop:
            main(shlex.split(line, comments=True)[1:])
        assert stop.value.code == 0, capsys.readouterr().err
    assert {file.name for file in tmp_path.iterdir()} >= {"policy.json", "days.json"}
    assert list(tmp_path.glob("*.html"))


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
