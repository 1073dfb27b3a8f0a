"""Print the tests nearest to what changed: `make quick` runs them.

Changed is what differs from the last commit, staged or not, and new files; with nothing uncommitted, what
the last commit changed (`python tools/changed_tests.py COMMIT` compares with another commit). Tests are
taken by import distance, nearest first: a changed test, then tests that import the changed module, then tests
of its importers, until the budget is spent. What is left out is said on standard error; `make test` runs
everything. Tests that start a browser or a Spark cluster, or repeat a paper, run here only if they changed
themselves.
"""

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests"
ALWAYS = "tests/package/test_layers.py"
SLOW = re.compile(r"tests/(engines/test_spark|report/test_page_\w+)\.py|studies/tests/test_\w*studies\.py")
# what Python does not import: where its tests are
OUTSIDE = {
    "docs": "tests/package/test_docs.py",
    "README.md": "tests/package/test_readme.py",
    "CONTRIBUTING.md": "tests/package/test_docs.py",
    "CHANGELOG.md": "tests/package/test_release.py",
    "CITATION.cff": "tests/package/test_release.py",
    "pyproject.toml": "tests/package/test_release.py",
    ".github": "tests/package/test_release.py",
    "web": "tests/report/test_web_math.py",
}
BUDGET = 35.0
"""Seconds of every core; lint takes the rest of the minute."""
# written by tests/conftest.py at the end of a run: {file: seconds}
RECORDED = ROOT / ".pytest_cache" / "v" / "demur" / "seconds"
_SECONDS_PER_LINE = 0.014  # the whole suite: 640 core-seconds, 46,000 lines


def changed_files(commit: str | None = None) -> set[str]:
    """Return the files that differ from a commit, new ones included."""
    uncommitted = git("diff", "--name-only", "--no-renames", commit or "HEAD")
    new = git("ls-files", "--others", "--exclude-standard")
    if commit is None and not uncommitted | new:
        return git("diff", "--name-only", "--no-renames", "HEAD~1", "HEAD")
    return uncommitted | new


def git(*arguments: str) -> set[str]:
    """Return the lines that a command of Git prints."""
    answer = subprocess.run(["git", *arguments], cwd=ROOT, text=True, stdout=subprocess.PIPE, check=True)
    return set(answer.stdout.splitlines())


def files_by_module() -> dict[str, Path]:
    """Return the file of every module: of the package, of the studies, and of what tests share."""
    found = {path.stem: path for path in TESTS.glob("*.py")}
    for package in (ROOT / "src" / "demur", ROOT / "studies" / "src" / "demur_studies"):
        for path in package.rglob("*.py"):
            parts = path.relative_to(package.parent).with_suffix("").parts
            found[".".join(parts).removesuffix(".__init__")] = path
    return found


@cache
def importers() -> dict[str, set[str]]:
    """Return for every Python file of the package and of the tests the files that import it."""
    modules = files_by_module()
    homes = homes_in_stubs(modules)
    found: dict[str, set[str]] = {}
    for path in {*modules.values(), *TESTS.rglob("*.py"), *(ROOT / "studies" / "tests").rglob("*.py")}:
        imported = {file_of(name, modules, homes) for name in names_used(path.read_text())} - {None}
        conftest = path.with_name("conftest.py")
        imported |= {conftest} if conftest.exists() else set()
        if path == modules["demur.cli.main"]:
            # the command line imports its verbs by name when they are called
            imported |= {modules[module] for module in modules if module.startswith("demur.cli.verbs.")}
        for other in imported - {path}:
            found.setdefault(str(other.relative_to(ROOT)), set()).add(str(path.relative_to(ROOT)))
    return found


def names_used(source: str) -> set[str]:
    """Return the dotted names that a file imports, or reads from the package as an attribute."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    # "demur.auc.auc_power(" after "import demur"
    return names | (set(re.findall(r"\bdemur(?:\.\w+)+", source)) if "demur" in names else set())


def homes_in_stubs(modules: dict[str, Path]) -> dict[str, str]:
    """Return {public name: the name it has in its module} from the stubs of the subpackages."""
    homes = {}
    for package, path in modules.items():
        stub = path.with_suffix(".pyi")
        for module, name in re.findall(
            r"^from \.(\S+) import (\w+)", stub.read_text() if stub.exists() else "", re.M
        ):
            homes[f"{package}.{name}"] = f"{package}.{module}.{name}"
    return homes


def file_of(name: str, modules: dict[str, Path], homes: dict[str, str]) -> Path | None:
    """Return the file in which a dotted name lives; None if it is not of this repository."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        start = ".".join(parts[:length])
        if start in homes:
            return file_of(homes[start], modules, homes)
        if start in modules:
            return modules[start]
    return None


def distances(changed: Iterable[str]) -> dict[str, int]:
    """Return how many imports each file is away from the nearest changed file."""
    graph = importers()
    found = dict.fromkeys((start_of(file) for file in changed), 0)
    reached = list(found)
    for file in reached:
        for other in sorted(graph.get(file, ())):
            if other not in found:
                found[other] = found[file] + 1
                reached.append(other)
    return found


def start_of(file: str) -> str:
    """Return the Python file or test that stands for a changed file."""
    parts = Path(file).parts
    if parts[:2] == ("src", "demur") and not file.endswith(".py"):
        # a stub, or data of a subpackage
        return str(Path(*parts[: 3 if len(parts) > 3 else 2]) / "__init__.py")
    return OUTSIDE.get(parts[0], file)


def seconds_of(files: Iterable[str]) -> dict[str, float]:
    """Return what each file of tests takes: as last recorded, else by its length."""
    recorded = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    lines = {file: (ROOT / file).read_text().count("\n") for file in files}
    return {file: recorded.get(file, _SECONDS_PER_LINE * lines[file]) for file in lines}


def chosen_tests(
    changed: Iterable[str], *, budget: float, seconds: dict[str, float] | None = None
) -> tuple[list[str], list[str]]:
    """Return the tests to run and those left out, nearest first.

    Doctests of a changed module count as a test of it. A changed test runs whatever it takes.
    """
    away = distances(changed)
    files = [file for file in away if (ROOT / file).exists() and is_test(file, away[file])]
    seconds = seconds_of(files) if seconds is None else seconds
    chosen, left_out, spent = [ALWAYS], [], 0.0
    for file in sorted(set(files) - {ALWAYS}, key=lambda file: (away[file], seconds[file], file)):
        fits = spent + seconds[file] <= budget and not SLOW.fullmatch(file)
        if fits or away[file] == 0:
            spent += seconds[file]
            chosen.append(file)
        else:
            left_out.append(file)
    return chosen, left_out


def is_test(file: str, distance: int) -> bool:
    """Tell whether pytest should be given a file: a test, or a changed module with its doctests."""
    path = Path(file)
    if "tests" in path.parts:
        return path.name.startswith("test_") and path.suffix == ".py"
    return distance == 0 and "src" in path.parts and path.suffix == ".py"


def main() -> None:
    """Print the chosen tests, and on standard error what was left out."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    chosen, left_out = chosen_tests(changed_files(*sys.argv[1:2]), budget=BUDGET * cores)
    if left_out:
        more = f" and {len(left_out) - 5} more" if len(left_out) > 5 else ""
        print(f"left to `make test`: {', '.join(left_out[:5])}{more}", file=sys.stderr)
    print("\n".join(chosen))


if __name__ == "__main__":
    main()
