"""The site can be searched from a folder, without a server and without a network."""

import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
WORDS = ["quickstart", "pip", "cite", "bug", "SQL", "LLM", "fairness", "MLflow", "drift"]
PAPERS = ["cost curve", "VACC", "cautious", "REC", "mimetic"]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The written pages, with the settings of the site but for what is made from code."""
    folder = tmp_path_factory.mktemp("site")
    settings = (DOCS.parent / "mkdocs.yml").read_text()
    before, _, rest = settings.partition("  - autorefs\n")
    settings = before + rest[rest.index("\nmarkdown_extensions:") :]
    settings = settings[: settings.index("\nvalidation:")]
    settings = settings.replace("docs_dir: docs", f"docs_dir: {DOCS}").replace("[docs]", f"[{DOCS}]")
    settings = settings.replace("build/site", "site").replace("check_paths: true", "check_paths: false")
    (folder / "mkdocs.yml").write_text(settings)
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder / "site"


def test_search_from_a_folder_finds_what_people_look_for(site, chromium):
    page = chromium.new_page(viewport={"width": 1280, "height": 900})
    asked, problems = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto((site / "index.html").as_uri())
    field = page.locator("input.md-search__input")
    field.click()
    for word in [*WORDS, *PAPERS]:
        field.fill("")
        field.press_sequentially(word)
        page.wait_for_function(
            "word => [...document.querySelectorAll('.md-search-result__item mark')]"
            ".some(mark => mark.textContent.toLowerCase().startsWith(word.toLowerCase()))",
            arg=word.split()[-1],
        )
    page.close()
    assert problems == []
    assert [address for address in asked if not address.startswith("file:")] == []
