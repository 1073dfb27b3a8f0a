"""What leaves the page: pictures, tables, code, commands, policies, and its own address."""

import csv
import io
import json
import re
import shlex
from xml.etree import ElementTree

import numpy as np
import pytest

import page_reports
from browser import CHARTS, PANELS, colours
from demur import Policy


@pytest.fixture
def cases_file(tmp_path, monkeypatch):
    """The file the ordinary report says it was made from, in the current folder."""
    y, scores = page_reports.three(600)
    with open(tmp_path / "cases.csv", "w", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(["y_true", *scores])
        writer.writerows(
            zip(y.astype(int).tolist(), *(column.tolist() for column in scores.values()), strict=True)
        )
    monkeypatch.chdir(tmp_path)


def test_every_chart_is_saved_as_svg_and_png(open_page):
    page = open_page()
    for name in CHARTS:
        page.open_tab(name)
        text, file = page.save(name, "svg")
        assert file == f"demur-{name}.svg"
        root = ElementTree.fromstring(text)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert len(list(root.iter())) > 12
        said = " ".join(node.text or "" for node in root.iter("{http://www.w3.org/2000/svg}text"))
        assert "A miss costs 100, a false alarm 40, a review 12. " in said
        made = page_reports.named("ordinary").made[:10]
        assert f"Source: cases.csv, 600 cases; report of {made} by demur " in said
        assert "forest" in said, "whose picture it is"
        assert not list(root.iter("{http://www.w3.org/2000/svg}script"))
        data, file = page.save(name, "png")
        assert file == f"demur-{name}.png"
        picture = colours(data)
        assert picture.shape[1] == int(2 * float(root.get("width")))
        assert len(np.unique(picture)) > 20


def test_every_panel_saves_its_numbers_as_csv(open_page):
    page = open_page()
    for name in PANELS:
        page.open_tab(name)
        data, file = page.save(name, "csv")
        assert file == f"demur-{name}.csv"
        rows = list(csv.reader(io.StringIO(data.decode("utf-8"))))
        assert len(rows) > 2
        assert {len(row) for row in rows} == {len(rows[0])}
        # one number in a column, no units, no separators
        cells = [cell for row in rows[1:] for cell in row if re.search(r"\d", cell)]
        assert all(re.fullmatch(r"-?[\d.]+(e-?\d+)?|-?inf", cell) for cell in cells), name
    scores = page_reports.named("ordinary").models[0].bins
    data, _ = page.save("scores", "csv")
    rows = list(csv.reader(io.StringIO(data.decode("utf-8"))))[1:]
    assert [[int(cell) for cell in row[2:]] for row in rows] == np.column_stack(
        [scores["positives"], scores["negatives"]]
    ).astype(int).tolist()


def test_the_address_brings_everything_back(open_page):
    page = open_page()
    page.drag((0.55, 0.11))
    page.fill("prevalence", 20)
    page.select("model", 2)
    page.choose("map-colour-winner")
    page.select("compare-a", 2)
    page.fill("reviews-per-day", 10)
    page.fill("cases-per-day", 200)
    for role, value in [("fp-from", 30), ("fp-to", 60), ("abstain-from", 5), ("abstain-to", 25)]:
        page.reveal(f"box-{role}").fill(str(value))
    page.fill("name-positive", "fraud & more")
    page.choose("theme-dark")
    page.fill("name-unit", "EUR")
    page.fill("yearly", 50000)
    page.until("location.hash.includes('yearly')")
    fragment = page.fragment
    assert fragment["positive"] == "fraud & more"
    assert set(fragment) == {
        *(
            "fn",
            "fp",
            "abstain",
            "prevalence",
            "model",
            "colour",
            "compare",
            "ranges",
            "capacity",
            "positive",
            "theme",
            "unit",
            "yearly",
        )
    } - {"fn"}
    again = open_page(fragment="#" + page.page.url.partition("#")[2])
    assert everything(again) == everything(page)
    assert again.fragment == fragment, "opening it again changes nothing"
    assert again.text("year").startswith("Per year, with 50,000 cases: ")
    assert " EUR (" in again.text("year")
    assert again.page.evaluate("document.documentElement.dataset.theme") == "dark"


def everything(page):
    """All that the reader set, and what the page says."""
    for panel in ("models", "compare"):
        page.open_tab(panel)
    page.reveal("name-positive")
    page.reveal("prevalence")
    page.reveal("theme-dark")
    inputs = page.page.evaluate(
        "() => Object.fromEntries([...document.querySelectorAll('input, select')].map(input => "
        "[input.dataset.role, input.type === 'radio' ? input.checked : input.value]))"
    )
    return inputs, page.headline, page.window, page.handle, page.panel("models").text_content()


def test_a_saved_page_starts_with_its_costs(open_page, tmp_path, chromium):
    page = open_page(fragment="#fp=70&theme=dark", permissions=["clipboard-read", "clipboard-write"])
    page.click("copy-link")
    page.role("said").get_by_text("Copied the link").wait_for()
    assert page.page.evaluate("navigator.clipboard.readText()").endswith("#fp=70&theme=dark")
    data, file = page.downloaded(page.reveal("save-page").click)
    assert file == "demur-report.html"
    (tmp_path / file).write_bytes(data)
    headline = page.headline
    page.page.goto((tmp_path / file).as_uri())
    page.page.wait_for_selector("html[data-ready]")
    page.settle()
    assert page.costs == (100, 70, 12)
    assert page.headline == headline
    assert page.page.evaluate("document.documentElement.dataset.theme") == "dark"
    plain = chromium.new_context(java_script_enabled=False)
    without = plain.new_page()
    without.goto((tmp_path / file).as_uri())
    assert without.locator("#demur-headline").text_content() == headline
    plain.close()


def test_going_back_in_the_address_is_followed(open_page):
    page = open_page()
    before = page.headline
    page.page.evaluate("location.hash = '#fp=70&abstain=5'")
    page.settle()
    assert page.costs == (100, 70, 5)
    # asked by the page itself, so that the browser has seen the entry it is to leave
    page.page.evaluate("history.back()")
    page.until("document.querySelector('[data-role=cost-fp]').value === '40'")
    page.settle()
    assert page.headline == before


@pytest.mark.parametrize(
    "fragment", ["#fp=-1&model=99&colour=pink&compare=0~9&ranges=1~0~1~0", "#%3Cscript%3E&fn=nan"]
)
def test_a_wrong_address_starts_the_page_as_usual(open_page, fragment):
    page = open_page(fragment=fragment)
    assert page.headline == page_reports.named("ordinary").headline


def test_python_code_finds_the_same_answer(open_page, cases_file):
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    page.drag((0.55, 0.15))
    page.click("copy-python")
    page.role("said").get_by_text("Copied as Python.").wait_for()
    names = {}
    exec(page.page.evaluate("navigator.clipboard.readText()"), names)
    assert names["costs"].to_dict()["cost_fp"] == page.costs[1]
    assert page.headline == names["comparison"].answer.words


def test_the_command_and_the_saved_policy_agree(open_page, cases_file, tmp_path):
    from click.testing import CliRunner

    from demur.cli.main import cli

    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    page.drag((0.55, 0.15))
    page.fill("prevalence", 25)
    page.click("copy-command")
    page.role("said").get_by_text("Copied as a command.").wait_for()
    words = shlex.split(page.page.evaluate("navigator.clipboard.readText()"))
    assert words[:2] == ["demur", "decide"]
    ran = CliRunner().invoke(cli, words[1:])
    assert ran.exit_code == 0, ran.output
    data, file = page.downloaded(page.reveal("save-policy").click)
    assert file == "policy.json"
    (tmp_path / "from_page.json").write_bytes(data)
    saved, decided = Policy.load(tmp_path / "from_page.json"), Policy.load(tmp_path / "policy.json")
    assert (saved.lower, saved.upper) == (decided.lower, decided.upper)
    assert saved.evidence.digest == decided.evidence.digest
    assert saved.prevalence == decided.prevalence == 0.25
    theirs, ours = saved.to_dict(), decided.to_dict()
    assert theirs["promise"] == pytest.approx(ours["promise"], rel=1e-9)
    assert theirs["evidence"]["blocks"] == ours["evidence"]["blocks"]
    assert (saved.classes, saved.abstain_label) == (decided.classes, decided.abstain_label)
    assert (saved.unsigned, decided.unsigned) == (True, False)


def test_a_policy_with_a_limit_and_infinite_scores_loads(open_page, tmp_path):
    page = open_page("infinite_scores", fragment="#capacity=10~100&model=0")
    data, _ = page.downloaded(page.reveal("save-policy").click)
    (tmp_path / "policy.json").write_bytes(data)
    policy = Policy.load(tmp_path / "policy.json")
    assert (policy.chosen, policy.note) == (
        "constrained",
        "Limits: at most 10 % of the cases sent to a person.",
    )
    # what the policy says about new cases is what its thresholds say
    assert policy.decide([-np.inf, np.inf]).tolist() == [0, 1]


def test_a_rule_without_a_model_has_no_policy(open_page):
    page = open_page()
    page.fill("cost-abstain", 0.01)
    assert page.headline.startswith("Send every case to a person: no model beats this.")
    page.click("save-policy")
    assert page.text("said").startswith("The answer is a rule without a model, which needs no policy.")
    page.select("model", 1)
    data, _ = page.downloaded(page.reveal("save-policy").click)
    assert json.loads(data)["model"] == "forest", "a model the reader holds on to has one"


def test_where_copying_is_not_allowed_the_text_is_offered(open_page):
    page = open_page(script="Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.click("copy-command")
    page.role("copied-text").wait_for()
    assert page.role("copied-text").input_value().startswith("demur decide cases.csv --label y_true")
    assert page.text("said") == "Copying is not allowed here: take the text below."
