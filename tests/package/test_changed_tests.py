"""`make quick` runs the tests nearest to what changed, within a budget."""

import re
import sys
from pathlib import Path

import pytest

from scheduling import TOGETHER

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import changed_tests  # noqa: E402

EVERY = {str(path.relative_to(ROOT)): 1.0 for path in ROOT.rglob("*.py") if ".venv" not in str(path)}


def chosen(*changed, budget=1e9, seconds=EVERY):
    return changed_tests.chosen_tests(changed, budget=budget, seconds=seconds)


@pytest.mark.parametrize(
    ("file", "tests"),
    [
        ("src/demur/roc/segment.py", {"src/demur/roc/segment.py", "tests/roc/test_segment.py"}),
        ("src/demur/_results.py", {"src/demur/_results.py", "tests/package/test_results.py"}),
        ("src/demur/cli/verbs/compare.py", {"tests/cli/test_verbs.py", "src/demur/cli/verbs/compare.py"}),
        ("tests/auc/test_one.py", {"tests/auc/test_one.py"}),
        ("tests/comparison_oracles.py", {"tests/comparison/test_answer_against_definition.py"}),
        ("tests/cli/conftest.py", {"tests/cli/test_verbs.py"}),
        ("studies/tests/test_studies.py", {"studies/tests/test_studies.py"}),
        ("studies/src/demur_studies/_spread.py", {"studies/src/demur_studies/_spread.py"}),
        ("docs/how_to/regression.md", {"tests/package/test_docs.py"}),
        ("web/src/main.ts", {"tests/report/test_web_math.py"}),
        ("studies/pyproject.toml", set()),
        ("LICENSE", set()),
    ],
)
def test_tests_of_a_changed_file_by_hand(file, tests):
    run, left_out = chosen(file)
    assert set(run) >= tests | {changed_tests.ALWAYS}
    assert all(changed_tests.SLOW.fullmatch(test) for test in left_out)
    assert bool(tests) or run == [changed_tests.ALWAYS]


def test_nearer_tests_come_first_by_hand():
    away = changed_tests.distances(["src/demur/surface/masses.py"])
    assert away["src/demur/surface/masses.py"] == 0
    assert away["tests/windows/test_search.py"] == 1
    assert away["tests/cli/test_formats.py"] > 2
    run, left_out = chosen("src/demur/surface/masses.py", budget=3.0)
    assert [away[file] for file in run[1:]] == sorted(away[file] for file in run[1:])
    assert len(run) == 4
    assert max(away[file] for file in run[1:]) <= min(away[file] for file in left_out)


def test_a_changed_test_runs_whatever_it_takes_and_a_removed_one_does_not():
    test = "tests/auc/test_one.py"
    assert chosen(test, budget=1.0, seconds={**EVERY, test: 1e3})[0] == [changed_tests.ALWAYS, test]
    assert chosen("tests/roc/test_of_long_ago.py")[0] == [changed_tests.ALWAYS]


def test_slow_tests_run_only_if_they_changed():
    spark = "tests/engines/test_spark.py"
    run, left_out = chosen("src/demur/engines/spark.py")
    assert "tests/engines/test_engines.py" in run
    assert spark in left_out
    assert spark in chosen(spark)[0]


def test_slow_files_exist_and_share_a_process():
    folders = (ROOT / "tests", ROOT / "studies" / "tests")
    files = {str(path.relative_to(ROOT)) for folder in folders for path in folder.rglob("test_*.py")}
    slow = {file for file in files if changed_tests.SLOW.fullmatch(file)}
    together = {file for file in files if TOGETHER.fullmatch(file)}
    assert slow <= together
    for part in re.findall(r"\w+/test_[a-z]*", f"{TOGETHER.pattern} {changed_tests.SLOW.pattern}"):
        assert any(part in file for file in together), part


def test_every_module_is_reached_by_a_test():
    """A module that no test imports, however far away, is found by nobody."""
    without = [
        file
        for file in EVERY
        if file.startswith("src/demur/")
        and not file.endswith("__init__.py")
        and not any(other.startswith("tests/") for other in changed_tests.distances([file]))
    ]
    assert set(without) <= {"src/demur/__main__.py"}
