"""Build the documentation: run examples and studies, list the reference, call MkDocs.

python tools/build_docs.py [--data-dir DIR]

What is made goes to docs/generated/, which is not kept; the site goes to build/site. Warnings are errors.
"""

import argparse
import ast
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docs_checks import check_site
from docs_gallery import draw_gallery
from docs_reference import write_command_line, write_reference

if TYPE_CHECKING:
    from collections.abc import Sequence

    from demur_studies._study import Figure

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


def study_text(name: str, kept: Mapping[str, Any], figures: "Sequence[Figure]") -> str:
    """Return what the last full run of a study found, and the figures drawn now, as Markdown."""
    (study,) = kept["studies"]
    made = kept["made"]
    versions = ", ".join(f"{key} {made[key]}" for key in ("python", "numpy", "scipy", "scikit-learn"))
    weka = "with WEKA" if made["weka"] else "without WEKA"
    placebo = (
        [f"- {table['sentence']}" for table in study["evidence"]]
        if study["evidence"]
        else ["This paper prints no table of rows and methods that could be shuffled: there is no placebo."]
    )
    drawn = [
        f"![{figure.caption}](../generated/papers/{name}/{name}-{figure.name}.png)\n\n*{figure.caption}*"
        for figure in figures
    ]
    passed = sum(table["passed"] for table in study["evidence"])
    said = f"{passed} of {len(study['evidence'])} tables pass their placebo." if study["evidence"] else ""
    return "\n\n".join(
        [
            study["reference"],
            f"Last full run: {made['date']}, {kept['software']}, {weka} ({versions}). "
            f"**{study['summary']}** {said}",
            *study["remarks"],
            "### Could it have failed?",
            "\n".join(placebo),
            "### Every printed value",
            cells_text(study["cells"]),
            *(["### Figures", "Drawn in a quick run with the data at hand."] if drawn else []),
            *drawn,
            "",
        ]
    )


def cells_text(cells: "Sequence[Mapping[str, Any]]") -> str:
    """Return the table of cells, and under it how each tolerance was derived."""
    derived = list(dict.fromkeys(cell["tolerance_reason"] for cell in cells if cell["tolerance"] is not None))
    rows = []
    for cell in cells:
        room = ""
        if cell["tolerance"] is not None:
            room = f"{cell['tolerance']:.2g} ({derived.index(cell['tolerance_reason']) + 1})"
        marked = cell["weak"] and cell["verdict"] in ("number reproduced", "explained by")
        weak = " (weak)" if marked else ""
        verdict = f"{cell['verdict']}{weak}" + (f": {cell['reason']}" if cell["reason"] else "")
        values = f"{shown(cell['published'])} | {shown(cell['computed'])}"
        rows.append(f"| {shown(cell['where'])} | {values} | {room} | {shown(verdict)} |")
    table = "\n".join(["| where | printed | here | +/- | verdict |", "|---|---|---|---|---|", *rows])
    notes = "\n".join(f"{k}. {reason}" for k, reason in enumerate(derived, start=1))
    return f"{table}\n\nHow the tolerances (+/-) were derived:\n\n{notes}" if derived else table


def shown(value: float | str | None) -> str:
    """Write a value into a table cell."""
    text = "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
    return text.replace("|", "\\|").replace("\n", " ")


def write_studies(data_dir: str | None) -> None:
    """Write the kept results of every study, and the figures of a quick run with the data at hand."""
    import numpy as np

    from demur_studies import STUDIES, load_study
    from demur_studies._data import PaperData
    from demur_studies._study import VERDICTS, save_figures

    folder = MADE / "papers"
    index = [
        f"| study | {' | '.join(VERDICTS.values())} | tables that pass their placebo |",
        "|---" * (len(VERDICTS) + 2) + "|",
    ]
    for name in STUDIES:
        kept = json.loads((DOCS / "papers" / "results" / f"{name}.json").read_text())
        (study,) = kept["studies"]
        run = load_study(name).run(quick=True, data=PaperData(data_dir), rng=np.random.default_rng(2006))
        save_figures(run.figures, folder / name, prefix=name)
        (folder / f"{name}.md").write_text(study_text(name, kept, run.figures))
        # a run kept before there was a verdict has no cell of it
        counts = [str(study["counts"].get(verdict, 0)) for verdict in VERDICTS]
        if study["counts"]["weak"]:
            counts[0] += f" ({study['counts']['weak']} weakly)"
        tables = [table["passed"] for table in study["evidence"]]
        placebo = f"{sum(tables)} of {len(tables)}" if tables else "no table"
        index.append(f"| [{name}]({name}.md) | {' | '.join(counts)} | {placebo} |")
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
    parser.add_argument("--data-dir", help="folder with data of the papers, for more figures")
    given = parser.parse_args()
    shutil.rmtree(MADE, ignore_errors=True)
    MADE.mkdir()
    write_examples()
    run_script(ROOT / "tools" / "concept_figures.py", MADE / "concepts")
    run_script(ROOT / "tools" / "how_to_figures.py", MADE / "how_to")
    draw_gallery(DOCS / "gallery.md", MADE / "gallery")
    write_start_page()
    write_reference(MADE / "reference", DOCS, ROOT / "examples")
    write_command_line(MADE / "command_line", DOCS)
    write_project()
    write_studies(given.data_dir)
    # the theme announces its successor on every run
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
    subprocess.run(command, cwd=ROOT, check=True, env=quiet)
    check_site(ROOT / "build" / "site", words=ROOT / "tools" / "words.txt")
    print("wrote build/site/index.html")


if __name__ == "__main__":
    main()
