"""What a release rests on: one version, addresses in one place, changes by version, hosted checks."""

import re
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import demur

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
CHANGES = (ROOT / "CHANGELOG.md").read_text()
PLACEHOLDER = "example.org/" + "demur"
KINDS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")


def steps():
    """Yield (file, job, its definition, step) for every step of every workflow."""
    for file in WORKFLOWS:
        for name, job in yaml.safe_load(file.read_text())["jobs"].items():
            for step in job.get("steps", []):
                yield file, name, job, step


def test_version_is_the_same_everywhere():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert cited["version"] == demur.__version__
    released = re.findall(r"^## \[(\d.*?)\] - (\S+)$", CHANGES, re.M)
    assert released[0] == (demur.__version__, cited["date-released"])
    assert [version for version, _ in released] == ["0.3.0", "0.2.0", "0.1.0"]


def test_changes_have_the_headings_of_keep_a_changelog():
    sections = [line for line in CHANGES.splitlines() if line.startswith("## ")]
    released = r"## \[(Unreleased\]|\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d)"
    assert [line for line in sections if not re.fullmatch(released, line)] == []
    kinds = [line.removeprefix("### ") for line in CHANGES.splitlines() if line.startswith("### ")]
    assert kinds
    assert set(kinds) <= set(KINDS)


def test_addresses_stand_in_one_place():
    """Contacts are found by their names in pyproject.toml; nothing else repeats an address."""
    assert all(PLACEHOLDER in address for address in PROJECT["urls"].values())
    for name, file in (("Security", "SECURITY.md"), ("Conduct", "CODE_OF_CONDUCT.md")):
        assert name in PROJECT["urls"]
        assert f"*{name}* in `[project.urls]`" in (ROOT / file).read_text()
    files = [path for path in ROOT.glob("*.*") if path.is_file()]
    for folder in ("src", "docs", "tools", "tests", "examples", "studies/src", ".github", ".ci"):
        files += [
            path for path in (ROOT / folder).rglob("*") if path.suffix in {".py", ".md", ".yml", ".toml"}
        ]
    found = {str(path.relative_to(ROOT)) for path in files if PLACEHOLDER in path.read_text()}
    # the site has a copy of CONTRIBUTING.md
    assert found - {"docs/generated/project/contributing.md"} == {"pyproject.toml", "CONTRIBUTING.md"}


def test_links_of_the_readme_have_addresses_on_the_package_index():
    from index_readme import with_addresses

    assert with_addresses("![a](b/c.png) [d](e.md#f) [g](https://h) [i](#j)", "https://s") == (
        "![a](https://s/raw/HEAD/b/c.png) [d](https://s/blob/HEAD/e.md#f) [g](https://h) [i](#j)"
    )
    text = with_addresses((ROOT / "README.md").read_text(), PROJECT["urls"]["Source"])
    links = re.findall(r"\]\((\S+?)\)", text)
    assert len(links) > 15
    assert [link for link in links if not link.startswith("https://")] == []


def test_workflows_call_targets_of_the_makefile():
    targets = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.M))
    variables = set(re.findall(r"^([A-Z]+) \?=|\$\(if \$\(([A-Z]+)\)", (ROOT / "Makefile").read_text(), re.M))
    known = {name for pair in variables for name in pair}
    called = set()
    for file, job, _, step in steps():
        assert ("run" in step) != ("uses" in step), f"{file.name}: {job}"
        if "run" not in step or step["run"].startswith("apt-get "):
            continue
        program, *arguments = step["run"].split()
        if program == ".ci/run":
            assert (ROOT / ".ci" / "run").stat().st_mode & 0o100
            continue
        assert program == "make"
        assert arguments[0] in targets
        assert {argument.partition("=")[0] for argument in arguments[1:] if "=" in argument} <= known
        called.add(arguments[0])
    assert called == {"test-core", "release-check", "docs"}
    text = (ROOT / "CONTRIBUTING.md").read_text()
    assert [file.name for file in WORKFLOWS if f"`{file.name}`" not in text] == []


def test_hosted_tests_take_every_python_and_the_oldest_dependencies():
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text())["jobs"]
    matrix = jobs["core"]["strategy"]["matrix"]
    stated = [line.rpartition(" :: ")[2] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d", line)]
    assert matrix["python"] == stated
    assert f">={stated[0]}" == PROJECT["requires-python"]
    tried = {*matrix["constraints"], *(row["constraints"] for row in matrix["include"])}
    assert tried == {path.stem for path in (ROOT / "constraints").glob("*.txt")}


def test_only_a_checked_tag_is_published_and_without_a_password():
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())
    assert workflow[True] == {"push": {"tags": ["v*"]}}  # YAML 1.1 reads the key "on" as true
    assert workflow["jobs"]["build"]["needs"] == "test"
    publish = workflow["jobs"]["publish"]
    assert publish["needs"] == "build"
    assert publish["permissions"] == {"id-token": "write"}
    for file in WORKFLOWS:
        assert "secrets." not in file.read_text()
        assert yaml.safe_load(file.read_text())["permissions"] == {"contents": "read"}


@pytest.mark.parametrize(
    "file", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")), ids=lambda file: file.name
)
def test_issue_forms_ask_something(file):
    form = yaml.safe_load(file.read_text())
    if file.name == "config.yml":
        assert form == {"blank_issues_enabled": True}
        return
    assert {"name", "description", "body"} <= set(form)
    labels = [part["attributes"]["label"] for part in form["body"]]
    assert len(labels) == len(set(labels))
    assert len({part["id"] for part in form["body"]}) == len(labels)
