"""Build the documentation: run examples and studies, list the reference, then call MkDocs (warnings are errors).

python tools/build_docs.py [--data-dir DIR] [--full]

What is made goes to docs/generated/, which is not kept; the site goes to build/site.
"""

import argparse
import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
MADE = DOCS / "generated"
# examples are pages of their own; the figures of the concepts only illustrate
FIGURES_ONLY = ("concepts", "readme_figure")


def run_script(script: Path, folder: Path) -> str:
    """Run a script in a folder, where it leaves its figures; return what it printed."""
    folder.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "MPLBACKEND": "agg", "PYTHONWARNINGS": "error::DeprecationWarning:__main__"}
    done = subprocess.run(
        [sys.executable, str(script)], cwd=folder, env=environment, text=True, stdout=subprocess.PIPE
    )
    if done.returncode:
        raise SystemExit(f"{script.name} failed; the documentation is not built.")
    return done.stdout


def example_page(script: Path) -> str:
    """Return the page of an example: its question, its figure, its answer and its code."""
    printed = run_script(script, MADE / "examples")
    source = script.read_text()
    title, _, text = (ast.get_docstring(ast.parse(source)) or "").partition("\n")
    figure = f"{script.stem}.png"
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
        if script.stem == "readme_figure":
            continue
        if script.stem in FIGURES_ONLY:
            run_script(script, MADE / script.stem)
        else:
            page = example_page(script)
            (MADE / "examples" / f"{script.stem}.md").write_text(page)


def write_reference() -> None:
    """Write the API reference: every public name under the heading it has in docs/api.md."""
    import demur

    home = {name: module for module, names in demur._HOMES.items() for name in names}
    lines = ["# Reference", "", "Every public name, in the order of [the list of names](../api.md).", ""]
    left = set(home)
    for line in (DOCS / "api.md").read_text().splitlines():
        if line.startswith("## "):
            lines += [line, ""]
        for name in re.findall(r"`([A-Za-z_]\w*)", line):
            if name in left:
                left.remove(name)
                lines += [f"::: demur.{home[name]}.{name}", ""]
    if left:
        raise SystemExit(f"docs/api.md does not list {', '.join(sorted(left))}.")
    (MADE / "reference.md").write_text("\n".join(lines))


def write_command_line() -> None:
    """Write what every verb says of itself."""
    from demur.cli.main import VERBS

    lines = ["# Command line", "", "Every verb has `--json` where it prints numbers, and exit code 2 for a mistake.", ""]
    for verb in VERBS:
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


def write_studies(data_dir: str | None, *, quick: bool) -> None:
    """Run the study of every paper and write its verdicts and figures."""
    from demur.reproduce import STUDIES

    folder = MADE / "papers"
    index = ["| study | agrees | differs, with its reason | not run |", "|---|---|---|---|"]
    for name in STUDIES:
        options = ["--json", "--output", str(folder / name), *(["--quick"] if quick else [])]
        options += ["--data-dir", data_dir] if data_dir else []
        document = json.loads(run_demur("reproduce", name, *options))
        (folder / f"{name}.md").write_text(study_text(name, document))
        counted = Counter(cell["verdict"] for cell in document["cells"])
        index.append(
            f"| [{name}]({name}.md) | {counted['agrees']} | {counted['differs']} | {counted['not run']} |"
        )
    (folder / "index.md").write_text("\n".join([*index, ""]))


def main() -> None:
    """Make everything anew."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", help="folder with the data of the papers that cannot be shipped")
    parser.add_argument("--full", action="store_true", help="reproduce the papers in full (slow)")
    given = parser.parse_args()
    shutil.rmtree(MADE, ignore_errors=True)
    MADE.mkdir()
    write_examples()
    write_reference()
    write_command_line()
    write_studies(given.data_dir, quick=not given.full)
    subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"], cwd=ROOT, check=True)
    print("wrote build/site/index.html")


if __name__ == "__main__":
    main()
