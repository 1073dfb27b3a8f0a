"""Build the documentation: run examples and studies, list the reference, call MkDocs.

python tools/build_docs.py [--data-dir DIR] [--full]

What is made goes to docs/generated/, which is not kept; the site goes to build/site. Warnings are errors.
"""

import argparse
import ast
import importlib
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demur.reproduce._study import Reproduction, Study

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
MADE = DOCS / "generated"


def run_script(script: Path, folder: Path, *arguments: str) -> str:
    """Run a script in a folder, where it leaves its figures; return what it printed."""
    folder.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "MPLBACKEND": "agg", "PYTHONWARNINGS": "error::DeprecationWarning:__main__"}
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
    return (
        f"# {title.rstrip('.')}\n{text}\n\n```text\n{printed}```\n\n![{title}]({figure})\n\n"
        f"## How it is done\n\n```python\n{body}\n```\n"
    )


def write_examples() -> None:
    """Write a page for every example."""
    for script in sorted((ROOT / "examples").glob("*.py")):
        page = example_page(script)
        (MADE / "examples" / f"{script.stem}.md").write_text(page)


def write_reference() -> None:
    """Write the API reference: a page for each room, and the names of the door with links to their rooms."""
    import demur

    folder = MADE / "reference"
    folder.mkdir()
    rooms = sorted(name for name, home in demur._HOME.items() if home == "demur")
    for room in rooms:
        (folder / f"{room}.md").write_text(room_page(f"demur.{room}"))
    # names that no room lists, such as errors, are documented on a page of the door
    homes = {"demur", *(f"demur.{room}" for room in rooms)}
    blocks = [f"::: {home}.{name}\n" for name, home in sorted(demur._HOME.items()) if home not in homes]
    (folder / "door.md").write_text("\n".join(["# demur: errors and intervals", "", *blocks]))
    (folder / "index.md").write_text(reference_index(demur._HOME, rooms))


def room_page(module: str) -> str:
    """Return the page of a room: what lives there, then every public name."""
    room = importlib.import_module(module)
    blocks = [f"::: {module}.{name}\n" for name in sorted(room.__all__)]
    return "\n".join([f"# {module}", "", (room.__doc__ or "").strip(), "", *blocks])


def reference_index(home_of: Mapping[str, str], rooms: list[str]) -> str:
    """Return the front page: rooms with a line each, and the names of the door."""
    lines = ["# Reference", "", "Every public name with its documentation, by room.", ""]
    for room in rooms:
        module = importlib.import_module(f"demur.{room}")
        line = (module.__doc__ or "").strip().splitlines()[0]
        lines.append(f"- [demur.{room}]({room}.md): {line}")
    lines += ["- [demur](door.md): errors and intervals.", "", "## At the door", ""]
    lines += ["The names people start with, importable from `demur`:", ""]
    names = sorted((name for name, home in home_of.items() if home != "demur"), key=str.lower)
    lines.append(", ".join(f"[`{name}`][{home_of[name]}.{name}]" for name in names))
    return "\n".join([*lines, ""])


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
    write_reference()
    write_command_line()
    write_project()
    write_studies(given.data_dir, quick=not given.full)
    # the theme announces its successor on every run
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
    subprocess.run(command, cwd=ROOT, check=True, env=quiet)
    print("wrote build/site/index.html")


if __name__ == "__main__":
    main()
