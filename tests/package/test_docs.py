"""The documentation runs: every Python block and every command, each page in an empty folder."""

import doctest
import re
import shlex
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest

import demur
import demur.displays
from demur.cli.main import VERBS, cli, main
from public_surface import SUBPACKAGES, TOP

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS.parent / "tools"))
import docs_hook  # noqa: E402
import docs_reference  # noqa: E402

PAGES = sorted(page for page in DOCS.rglob("*.md") if DOCS / "generated" not in page.parents)
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
NOT_RUN = {"text", "r", "json"}
# of the extra "docs": the pages that compare with them run them, too
PEERS = ("dcurves", "mapie")
FLAGS = doctest.NORMALIZE_WHITESPACE


def run_command(line):
    program, *args = shlex.split(line)
    assert program == "demur"
    with pytest.raises(SystemExit) as stop:
        main(args)
    assert stop.value.code == 0, line


def run_session(code, names, page):
    test = doctest.DocTestParser().get_doctest(code, names, page.name, str(page), 0)
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    said = []
    runner.run(test, out=said.append, clear_globs=False)
    names.update(test.globs)
    assert runner.failures == 0, "".join(said)


def blocks(page):
    return BLOCK.findall(page.read_text())


@pytest.mark.parametrize(
    # the build of the site runs the gallery
    "page",
    [page for page in PAGES if blocks(page) and page.name != "gallery.md"],
    ids=lambda page: str(page.relative_to(DOCS)),
)
def test_blocks_run_in_order(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for peer in PEERS:
        if f"from {peer}" in page.read_text():
            pytest.importorskip(peer)
    names = {}
    for language, code in blocks(page):
        if language == "python" and code.startswith(">>>"):
            run_session(code, names, page)
        elif language == "python":
            exec(compile(code, page.name, "exec"), names)
        elif language == "sh":
            for line in code.replace("\\\n", " ").splitlines():
                run_command(line)
        else:
            assert language in NOT_RUN or not language, f"a block of {page.name} is in {language!r}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_code_is_not_cut_off(page):
    """80 columns fit beside the navigation; drawings and SQL as it is written may be wider."""
    wide = [
        line
        for language, code in blocks(page)
        if language not in ("text", "")
        for line in code.splitlines()
        if len(line) > 80
    ]
    assert wide == []


def test_links_lead_somewhere():
    broken = []
    for page in [*PAGES, DOCS.parent / "README.md", DOCS.parent / "CONTRIBUTING.md"]:
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text()):
            where = (page.parent / target).resolve()
            made = DOCS / "generated" in where.parents
            if not target.startswith(("http:", "https:")) and not made and not where.exists():
                broken.append(f"{page.name}: {target}")
    assert not broken


@pytest.mark.parametrize("term", ["cost curve", "VACC", "cautious", "REC", "mimetic"])
def test_terms_of_the_papers_stand_in_headings_of_papers_and_guides(term):
    """The search ranks headings first: a reader of a paper finds its page, and how to use it."""
    found = {
        page.parent.name
        for page in PAGES
        for line in re.sub(BLOCK, "", page.read_text()).splitlines()
        if re.match(rf"#+ .*\b{term}", line, re.I if term != "REC" else 0)
    }
    assert found & {"how_to", "concepts"}
    assert term == "VACC" or "papers" in found


def test_every_made_page_has_a_maker():
    """Links into docs/generated/ name what the build makes: examples, concepts, papers and lists."""
    examples = {path.stem for path in (DOCS.parent / "examples").glob("*.py")}
    targets = {target for page in PAGES for target in re.findall(r"generated/([\w/.-]+)", page.read_text())}
    for target in targets:
        kind, _, rest = target.partition("/")
        made = {"command_line", "concepts", "gallery", "how_to", "papers", "project", "reference", "start"}
        assert kind in made or Path(rest).stem in examples, target


def listed_names():
    """Yield (home, name, bold) for every name in docs/api.md; a line begins with its home."""
    text = (DOCS / "api.md").read_text().partition("\n## ")[2]
    for home, names in re.findall(r"^- `(demur[\w.]*)`:(.*?)(?=^- |^## |\Z)", text, re.M | re.S):
        for bold, name in re.findall(r"(\*\*)?`([A-Za-z_]\w*)[`(]", names):
            yield home, name, bool(bold)


def test_names_are_listed_under_their_home_and_bold_at_the_top():
    listed = [entry for entry in listed_names() if entry[1] != "ValueError"]
    assert len(listed) > 250
    wrong = []
    for home, name, bold in listed:
        if not hasattr(import_module(home), name) or bold != (name in TOP):
            wrong.append(f"{home}.{name}, bold: {bold}")
    assert not wrong


def test_every_public_name_has_an_example_or_a_link_to_one():
    uses = docs_reference.where_used(DOCS, DOCS.parent / "examples")
    assert docs_reference.without_example(uses, docs_reference.returned_by()) == []


def test_every_display_is_in_the_gallery():
    page = (DOCS / "gallery.md").read_text()
    assert [name for name in demur.displays.__all__ if f"gallery/{name}.png" not in page] == []


def test_every_name_and_every_verb_has_a_page_of_its_own_in_the_navigation():
    names, verbs = (pages for part in docs_hook.reference_navigation() for pages in part.values())
    assert set(SUBPACKAGES) <= {title for part in names[1:] for title in part}
    pages = [entry for part in names[1:] for listed in part.values() for entry in listed[1:]]
    assert sorted(name for entry in pages for name in entry) == sorted(docs_hook.homes())
    assert [verb for entry in verbs[1:] for verb in entry] == list(VERBS)
    files = [path for entry in [*pages, *verbs[1:]] for path in entry.values()]
    assert len({path.lower() for path in files}) == len(files)


def test_a_verb_is_told_with_every_flag_and_its_examples():
    command = cli.get_command(click.Context(cli), "compare")
    page = docs_reference.verb_page("compare", command, DOCS)
    # --help leaves out flags that people seldom need
    assert "| `--objective" in page
    assert "```sh\n# over all costs" in page
    assert "[More than one score](../../how_to/several_scores.md)" in page


def test_a_figure_of_the_gallery_stands_by_what_it_shows_and_what_makes_that():
    figures = docs_reference.drawn_by(DOCS, docs_reference.returned_by())
    for name in ("ReliabilityDisplay", "ReliabilityCurve", "reliability_curve"):
        assert figures[name] == [("ReliabilityDisplay", "Are the probabilities calibrated?")]
    assert figures["CostModel"] == []


@pytest.mark.parametrize("page", sorted((DOCS / "how_to").glob("*.md")), ids=lambda page: page.name)
def test_every_how_to_has_headings_and_a_figure(page):
    text = page.read_text()
    assert "\n## " in text
    assert re.search(r"^!\[.+\]\(.+\)", text, re.M)


@pytest.mark.parametrize("page", sorted((DOCS / "concepts").glob("*.md")), ids=lambda page: page.name)
def test_tests_that_a_concept_names_exist(page):
    text = page.read_text()
    files = [DOCS.parent / path for path in re.findall(r"`(tests/[\w/]+\.py)`", text)]
    assert [path for path in files if not path.exists()] == []
    named = set(re.findall(r"`(test_\w+)`", text))
    written = "".join(path.read_text() for path in files)
    assert [name for name in named if f"def {name}(" not in written] == []
