"""Build the documentation: run examples and studies, list the reference, call MkDocs.

python tools/build_docs.py [--data-dir DIR] [--full]

What is made goes to docs/generated/, which is not kept; the site goes to build/site. Warnings are errors.
"""

import argparse
import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from docs_checks import check_site
from docs_gallery import draw_gallery
from docs_reference import write_reference

if TYPE_CHECKING:
    from demur.reproduce._study import Reproduction, Study

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
MADE = DOCS / "generated"


def run_script(script: Path, folder: Path, *arguments: str) -> str:
    """Run a script in a folder, where it leaves its figures; return what it printed."""
    folder.mkdir(parents=True, exist_ok=True)
    warnings = "error::DeprecationWarning:__main__"
    # threads of small models wait for each other more than they compute
    environment = {**os.environ, "MPLBACKEND": "agg", "PYTHONWARNINGS": warnings, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, str(script), *arguments],
        cwd=folder,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
    )
    if done.returncode:
        raise SystemExit(f"{script.name} failed; the documentation is not built.")
    return done.stdout


def example_page(script: Path) -> str:
    """Return the page of an example: its question, its figure, its answer and its code."""
    figure = f"{script.stem}.png"
    printed = run_script(script, MADE / "examples", figure)
    source = script.read_text()
    title, _, text = (ast.get_docstring(ast.parse(source)) or "").partition("\n")
    if not (MADE / "examples" / figure).exists():
        raise SystemExit(f"{script.name} left no figure {figure}.")
    body = source.split('"""', 2)[2].strip()
    shutil.copy(script, MADE / "examples")
    (MADE / "examples" / f"{script.stem}.ipynb").write_text(notebook(title, text, body))
    return (
        f"# {title.rstrip('.')}\n{text}\n\n```text\n{printed}```\n\n![{title}]({figure})\n\n"
        f"## How it is done\n\nAs a [script]({script.name}) or as a [notebook]({script.stem}.ipynb).\n\n"
        f"```python\n{body}\n```\n"
    )


def notebook(title: str, text: str, body: str) -> str:
    """Return an example as a notebook: its question, its functions, and the call that draws the figure."""
    functions, _, call = body.partition('if __name__ == "__main__":')
    if not call:
        raise SystemExit(f"{title!r} has no part for the command line.")
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": f"# {title.rstrip('.')}\n{text}"},
        *(
            {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}
            for source in (functions.strip(), "main()")
        ),
    ]
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    made = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(made, indent=1) + "\n"


def write_examples() -> None:
    """Write a page for every example."""
    for script in sorted((ROOT / "examples").glob("*.py")):
        page = example_page(script)
        (MADE / "examples" / f"{script.stem}.md").write_text(page)


def write_start_page() -> None:
    """Write the report that the start page shows."""
    import demur
    from demur.datasets.breast_cancer import breast_cancer_scores

    data = breast_cancer_scores()
    costs = demur.CostModel(cost_fn=1000, cost_fp=100, cost_abstain=20)
    source = demur.report.DataSource(name="biopsies.csv", positive="malignant", negative="benign", rows=569)
    report = demur.Report.from_predictions(
        data.diagnosis, data.scores, pos_label="malignant", costs=costs, source=source
    )
    (MADE / "start").mkdir()
    report.to_html(MADE / "start" / "report.html")


def write_command_line() -> None:
    """Write what every verb says of itself."""
    import click

    from demur.cli.main import cli

    lines = [
        "# Command line",
        "",
        "Every verb has `--json` where it prints numbers, and exit code 2 for a mistake.",
        "",
    ]
    for verb in cli.list_commands(click.Context(cli)):
        text = run_demur(verb, "--help")
        lines += [f"## demur {verb}", "", "```text", text.rstrip(), "```", ""]
    (MADE / "command_line.md").write_text("\n".join(lines))


def run_demur(*arguments: str) -> str:
    """Run a command as a user would; return its standard output."""
    command = [sys.executable, "-m", "demur", *arguments]
    environment = {**os.environ, "MPLBACKEND": "agg", "COLUMNS": "80"}
    done = subprocess.run(command, env=environment, text=True, stdout=subprocess.PIPE)
    if done.returncode:
        raise SystemExit(f"demur {' '.join(arguments)} failed; the documentation is not built.")
    return done.stdout


def study_text(name: str, study: "Study", done: "Reproduction") -> str:
    """Return the verdicts and figures of one study as Markdown."""
    rows = [
        f"| {cell.where} | {shown(cell.published)} | {shown(cell.computed)} | {cell.sentence} |"
        for cell in done.cells
    ]
    figures = [
        f"![{figure.caption}](../generated/papers/{name}/{name}-{figure.name}.png)\n\n*{figure.caption}*"
        for figure in done.figures
    ]
    return "\n\n".join(
        [
            study.REFERENCE,
            "\n".join(["| where | printed | here | verdict |", "|---|---|---|---|", *rows]),
            *done.remarks,
            *figures,
            "",
        ]
    )


def shown(value: float | str | None) -> str:
    """Write a value into a table cell."""
    text = "" if value is None else f"{value:.4g}" if isinstance(value, float) else value
    return text.replace("|", "\\|")


def write_studies(data_dir: str | None, *, quick: bool) -> None:
    """Run the study of every paper and write its verdicts and figures."""
    import numpy as np

    from demur.reproduce import STUDIES, load_study
    from demur.reproduce._data import PaperData
    from demur.reproduce._study import save_figures

    folder = MADE / "papers"
    index = ["| study | agrees | differs, with its reason | not run |", "|---|---|---|---|"]
    for name in STUDIES:
        study = load_study(name)
        done = study.run(quick=quick, data=PaperData(data_dir), rng=np.random.default_rng(0))
        save_figures(done.figures, folder / name, prefix=name)
        (folder / f"{name}.md").write_text(study_text(name, study, done))
        counts = " | ".join(str(done.count(verdict)) for verdict in ("agrees", "differs", "not run"))
        index.append(f"| [{name}]({name}.md) | {counts} |")
    (folder / "index.md").write_text("\n".join([*index, ""]))


def write_project() -> None:
    """Bring the files of the repository's front page to the site; their links start at docs/ there."""
    folder = MADE / "project"
    folder.mkdir()
    for name in ("CHANGELOG", "CONTRIBUTING"):
        text = (ROOT / f"{name}.md").read_text().replace("](docs/", "](../../")
        (folder / f"{name.lower()}.md").write_text(text)


def main() -> None:
    """Make everything anew."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", help="folder with the data of the papers that cannot be shipped")
    parser.add_argument("--full", action="store_true", help="reproduce the papers in full (slow)")
    given = parser.parse_args()
    shutil.rmtree(MADE, ignore_errors=True)
    MADE.mkdir()
    write_examples()
    run_script(ROOT / "tools" / "concept_figures.py", MADE / "concepts")
    run_script(ROOT / "tools" / "how_to_figures.py", MADE / "how_to")
    draw_gallery(DOCS / "gallery.md", MADE / "gallery")
    write_start_page()
    write_reference(MADE / "reference", DOCS, ROOT / "examples")
    write_command_line()
    write_project()
    write_studies(given.data_dir, quick=not given.full)
    # the theme announces its successor on every run
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
    subprocess.run(command, cwd=ROOT, check=True, env=quiet)
    check_site(ROOT / "build" / "site", words=ROOT / "tools" / "words.txt")
    print("wrote build/site/index.html")


if __name__ == "__main__":
    main()
