"""`make quick` runs the tests of what changed: files, and the tests they call for, by hand."""

import re
import sys
from pathlib import Path

import pytest

from scheduling import TOGETHER

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import changed_tests  # noqa: E402


@pytest.mark.parametrize(
    ("file", "tests"),
    [
        ("src/demur/roc/segment.py", {"tests/roc/test_segment.py", "src/demur/roc/segment.py"}),
        ("tests/auc/test_one.py", {"tests/auc/test_one.py"}),
        ("tests/oracles.py", set()),
        ("src/demur/_results.py", {"tests/house/test_contracts.py", "src/demur/_results.py"}),
        ("src/demur/py.typed", {"tests/house/test_contracts.py"}),
        ("docs/how_to/regression.md", {"tests/house/test_docs.py"}),
        ("web/src/main.ts", {"tests/report/test_web_math.py"}),
        ("studies/tests/test_studies.py", {"studies/tests/test_studies.py"}),
        ("studies/src/demur_studies/_spread.py", {"studies/src/demur_studies/_spread.py"}),
        ("studies/pyproject.toml", set()),
        ("LICENSE", set()),
    ],
)
def test_tests_of_a_file_by_hand(file, tests):
    assert changed_tests.tests_of(file) >= tests
    assert bool(changed_tests.tests_of(file)) == bool(tests)


def test_the_house_is_always_checked_and_removed_tests_are_not_asked_for():
    assert changed_tests.tests_for(["tests/roc/test_of_long_ago.py"]) == ["tests/house/test_rooms.py"]


def test_slow_tests_run_only_if_they_changed():
    of_room = changed_tests.tests_of("src/demur/engines/spark.py")
    assert "tests/engines/test_engines.py" in of_room
    assert "tests/engines/test_spark.py" not in of_room
    assert changed_tests.tests_of("tests/engines/test_spark.py") == {"tests/engines/test_spark.py"}


def test_slow_files_exist_and_share_a_process():
    folders = (ROOT / "tests", ROOT / "studies" / "tests")
    files = {str(path.relative_to(ROOT)) for folder in folders for path in folder.rglob("test_*.py")}
    slow = {file for file in files if changed_tests.SLOW.fullmatch(file)}
    together = {file for file in files if TOGETHER.fullmatch(file)}
    assert slow <= together
    for part in re.findall(r"\w+/test_[a-z]*", f"{TOGETHER.pattern} {changed_tests.SLOW.pattern}"):
        assert any(part in file for file in together), part


def test_every_room_has_tests():
    rooms = {path.parent.name for path in (ROOT / "src" / "demur").glob("*/__init__.py")}
    without = {room for room in rooms if not (ROOT / "tests" / room).is_dir()}
    # the ground has the tests of the house; data sets are tested where they are read
    assert without <= {"_checks", "_files", "_kernels", "datasets"}
