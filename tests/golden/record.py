"""Record the golden numbers and texts anew, and print what changed: `python tests/golden/record.py`.

With words on the command line only entries whose names contain one of them are recorded anew, the others stay
as they are: `python tests/golden/record.py limits/ "two classes" text/decide`; `text/` stands for all texts.
"""

import difflib
import sys
import tempfile
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from golden.commands import SESSIONS, TEXTS, transcripts
from golden.entries import FOLDER, differences, headline_of, numbers_of, read, write
from golden.problems import Problem, problems
from golden.ties import ties

NUMBERS, HEADLINES = FOLDER / "numbers.json", FOLDER / "headlines.json"


def recorded(problem: Problem) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the entries of one problem: numbers with what ties, and the headline."""
    comparison = problem.comparison()
    numbers = numbers_of(comparison)
    for name, kinds in ties(problem, comparison).items():
        entry = numbers["models"][name]
        for kind, reason in kinds.pop("rules", {}).items():
            entry["rules"][kind]["tied"] = {"window": reason}
        if kinds:
            entry["tied"] = kinds
    if problem.given_as_classes is not None:
        numbers["given_as_classes"] = True
    return numbers, headline_of(comparison)


def _record_numbers(wanted: list[str]) -> None:
    before = [read(path) if path.exists() else {} for path in (NUMBERS, HEADLINES)]
    after: list[dict[str, Any]] = [{}, {}]
    changed = 0
    for name, problem in problems().items():
        kept = wanted and not any(word in name for word in wanted) and all(name in one for one in before)
        entries = [one[name] for one in before] if kept else recorded(problem)
        for old, new, entry in zip(before, after, entries, strict=True):
            new[name] = entry
            for line in differences(old.get(name, {}), entry, problem.scale()):
                changed += 1
                print(f"{name}: {line}")
    for name in before[0].keys() - after[0].keys():
        changed += 1
        print(f"{name}: gone")
    for path, entries in zip((NUMBERS, HEADLINES), after, strict=True):
        write(path, entries)
    print(f"{len(after[0])} problems, {changed} changes beyond the tolerance")


def _record_texts(wanted: list[str]) -> None:
    known = {path: path.read_text() for path in TEXTS.glob("*.txt")}
    expected = {TEXTS / f"{session}-{title}.txt" for session, lines in SESSIONS.items() for title in lines}
    for path in known.keys() - expected:
        path.unlink()
        print(f"{path.name}: gone")
    for session in SESSIONS:
        if wanted and not any(word in f"text/{session}" for word in wanted):
            continue
        with tempfile.TemporaryDirectory() as folder:
            for path, text in transcripts(session, Path(folder)):
                path.write_text(text)
                before = known.get(path, "").splitlines()
                for line in difflib.unified_diff(before, text.splitlines(), lineterm="", n=0):
                    if line[:2] not in ("--", "++", "@@"):
                        print(f"{path.name}: {line}")
    print(f"{len(expected)} texts")


if __name__ == "__main__":
    _record_numbers(sys.argv[1:])
    _record_texts(sys.argv[1:])
