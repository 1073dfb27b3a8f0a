"""Print the tests of what changed: `make quick` runs them.

A changed file of a room calls for the tests of that room and for its own doctests, a changed test for
itself. Changed is what differs from the last commit, staged or not, and new files; with nothing
uncommitted, what the last commit changed. The house's own rules are always checked. Tests that start a
browser or a Spark cluster, or repeat a paper, run here only if they changed themselves; `make test` runs
them all. `python tools/changed_tests.py [COMMIT]` compares with another commit.
"""

import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
ALWAYS = "tests/house/test_rooms.py"
SLOW = re.compile(r"tests/(engines/test_spark|report/test_page_\w+)\.py|studies/tests/test_\w*studies\.py")
# what no room holds: where its tests are
OUTSIDE = {
    "docs": "tests/house/test_docs.py",
    "README.md": "tests/house/test_readme.py",
    "CONTRIBUTING.md": "tests/house/test_docs.py",
    "web": "tests/report/test_web_math.py",
}


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


def tests_of(file: str) -> set[str]:
    """Return the tests and doctests that a changed file calls for."""
    parts = Path(file).parts
    if parts[0] == "tests" or parts[:2] == ("studies", "tests"):
        return {file} if parts[-1].startswith("test_") and file.endswith(".py") else set()
    if parts[:2] == ("src", "demur"):
        doctests = {file} if file.endswith(".py") else set()
        return doctests | quick_tests(ROOT / "tests" / parts[2])
    if parts[:2] == ("studies", "src"):
        return {file}  # its tests repeat papers
    return {OUTSIDE[parts[0]]} if parts[0] in OUTSIDE else set()


def quick_tests(room: Path) -> set[str]:
    """Return the tests of a room that take seconds; a module beside the rooms has the house's."""
    if not room.is_dir():
        return {"tests/house/test_contracts.py"}
    files = {str(path.relative_to(ROOT)) for path in room.rglob("test_*.py")}
    return {file for file in files if not SLOW.fullmatch(file)}


def tests_for(files: Iterable[str]) -> list[str]:
    """Return all tests for some changed files, each once and only where they exist."""
    wanted = {ALWAYS}.union(*map(tests_of, files))
    return sorted(file for file in wanted if (ROOT / file).exists())


if __name__ == "__main__":
    print("\n".join(tests_for(changed_files(*sys.argv[1:2]))))
