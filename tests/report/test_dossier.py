"""The dossier: what it holds, in Markdown and Word alike, and where the rule stays best."""

import re
import zipfile
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

import demur
from demur import Binormal, CaseCosts, CostModel, Report, Reviewer
from demur.comparison.numbers import money, money_step
from demur.exceptions import InputError
from demur.report import DataSource, Dossier
from demur.report.dossier import CostLine, class_lines, stays_best, two_class_lines
from page_reports import SCRIPT, four_rows, many_classes, one_model, probabilities, ranged

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
TITLES = [
    "Purpose", "Data", "Costs and their source", "Rule", "Evidence", "Models compared",
    "Costs at which it stays best", "Groups", "Limits", "How to watch it", "Signed",
]  # fmt: skip


@pytest.fixture(scope="module")
def report():
    return one_model()


def test_it_holds_what_the_report_says(report, tmp_path):
    document = report.to_dict()
    dossier = Dossier.of(document)
    assert [section.title for section in dossier.sections] == TITLES
    text = dossier.markdown.replace("\\", "")
    assert report.headline.split(" Cost ")[0] in text
    assert document["models"][0]["digest"] in text
    for price in ("| 100 |", "| 40 |", "| 12 |"):
        assert price in text
    answer = document["comparison"]["answer"]
    step = money_step(*answer["interval"], answer["cost"])
    assert f"Verdict: {answer['verdict']}, against sending every case to a person" in text
    assert f"Expected cost per 1000 cases: {money(answer['cost'], step)} (95 % interval " in text
    measured = money(answer["honest_cost"], step)
    assert f"Measured cost, as if the rule had been the only one: {measured}" in text
    # a bound above the cost of reviewing everything is none
    assert "Guaranteed" not in text
    dossier.save(tmp_path / "d.md")
    assert (tmp_path / "d.md").read_text(encoding="utf-8") == dossier.markdown


def test_word_reads_the_same_words(report, tmp_path):
    dossier = Dossier.of(report)
    for name in ("a.docx", "b.docx"):
        dossier.save(tmp_path / name)
    assert (tmp_path / "a.docx").read_bytes() == (tmp_path / "b.docx").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.docx") as archive:
        assert archive.testzip() is None
        parts = {name: ElementTree.fromstring(archive.read(name)) for name in archive.namelist()}
    body = parts["word/document.xml"]
    headings = [
        "".join(part.itertext())
        for part in body.iter(f"{W}p")
        if part.find(f"{W}pPr/{W}pStyle").get(f"{W}val") == "Heading1"
    ]
    assert headings == TITLES
    styles = {style.get(f"{W}styleId") for style in parts["word/styles.xml"]}
    assert {style.get(f"{W}val") for style in body.iter(f"{W}pStyle")} <= styles
    told = re.findall(r"\w+", dossier.markdown.replace("\\", ""))
    assert re.findall(r"\w+", " ".join("".join(t.itertext()) for t in body.iter(f"{W}t"))) == told


def test_amounts_are_what_is_signed_never_their_factors_by_hand():
    fraud = np.tile([0, 1, 0, 0, 0], 20)
    score = np.tile([0.1, 0.9, 0.3, 0.4, 0.6], 20) + np.linspace(0, 0.4, 100)
    # twenty frauds of 295 each: a good payment cannot be missed, whatever its amount
    amount = np.where(fraud == 1, 295.0, 12.5)
    costs = CaseCosts(cost_fn=amount, cost_fp=25, cost_abstain=4, columns={"cost_fn": "amount"})
    source = DataSource(positive="fraud", negative="good")
    made = Report.from_predictions(fraud, {"risk": score}, costs=costs, source=source)
    section = next(one for one in Dossier.of(made).sections if one.title == "Costs and their source")
    assert [row[1] for row in section.rows] == [
        "amount (mean 295 over 20 fraud cases), 5,900 in all",
        "25",
        "4",
    ]
    priced = next(one for one in Dossier.of(made).sections if one.title == "Costs at which it stays best")
    assert [row[0].split()[0] for row in priced.rows] == ["factor"] * 3
    doubled = Report.from_predictions(
        fraud, {"risk": score}, costs=replace(costs, miss_factor=2), source=source
    )
    section = next(one for one in Dossier.of(doubled).sections if one.title == "Costs and their source")
    assert section.rows[-1][:2] == ("all costs of misses, times", "2")


def test_names_are_text(tmp_path):
    y, s = demur.Binormal(separation=1.6).sample(60, rng=1)
    source = DataSource(name=f"{SCRIPT}|x.csv", label="a\x00b", group="*site*", part="# 1", rows=60)
    costs = CostModel(cost_fn=10, cost_fp=5, cost_abstain=1)
    report = Report.from_predictions(y, {"[m](http://x)": s}, costs=costs, source=source)
    dossier = Dossier.of(report, groups={"# 1": report, "few": four_rows()})
    assert "<script" not in dossier.markdown.replace("\\<", "")
    assert "\\[m\\](http" in dossier.markdown
    dossier.save(tmp_path / "d.docx")
    with zipfile.ZipFile(tmp_path / "d.docx") as archive:
        text = "".join(ElementTree.fromstring(archive.read("word/document.xml")).itertext())
    assert SCRIPT in text
    assert "few" in text


def test_where_a_rule_stays_best_by_hand():
    """At a price of 2 one rule costs 5 and 1 more per unit, others 5.5 and 0, 8 and 2."""
    prices = {"a review": 2.0}
    lines = [
        CostLine(name, cost, {"a review": slope}, prices)
        for name, cost, slope in [("own", 5.0, 1.0), ("flat", 5.5, 0.0), ("steep", 8.0, 2.0)]
    ]
    # up by .5 the flat one is as cheap; down by 3 the steep one would be, below a price of 0
    assert stays_best(lines, "a review") == (0.0, 2.5)
    assert stays_best([lines[0], lines[2]], "a review") == (0.0, np.inf)


@pytest.mark.parametrize("kind", ["two classes", "three classes"])
def test_at_the_ends_another_rule_is_as_cheap(report, kind):
    if kind == "two classes":
        lines = two_class_lines(report.to_dict())
    else:
        lines = class_lines(many_classes()["no reviews, a range"]().to_dict())
    assert min(line.cost for line in lines) == pytest.approx(lines[0].cost, rel=1e-9)
    for price, now in lines[0].prices.items():
        low, high = stays_best(lines, price)
        assert low * (1 - 1e-9) <= now <= high * (1 + 1e-9)
        for end in {low, high} - {0.0, np.inf}:
            at = [line.cost + line.slopes[price] * (end - now) for line in lines]
            assert min(at[1:]) == pytest.approx(at[0], rel=1e-9)


def test_over_ranges_the_expected_cost_is_a_range():
    report = ranged()
    answer = report.comparison.answer
    step = money_step(*answer.interval, answer.cost)
    least, most, middle = (money(cost, step) for cost in (*answer.cost_range, answer.cost))
    over = f"{least} to {most} over the ranges; {middle} in their middle (95 % interval "
    expected = f"Expected cost per 1000 cases: {over}"
    assert expected in Dossier.of(report).markdown.replace("\\", "")


def test_a_group_has_its_verdict_and_rule(report):
    answer = report.comparison.answer
    section = next(
        one for one in Dossier.of(report, groups={"north": report}).sections if one.title == "Groups"
    )
    name, _, rule, _, sent = section.rows[0]
    assert (name, f"{rule}.") == ("north", answer.to_dict()["decision"])
    assert sent == f"{100 * answer.shares[-1]:.1f} %"


def test_one_rule_in_every_group_adds_up_to_all_cases_by_hand():
    made = probabilities()
    groups, overall = made.by_group.groups, made.by_group.overall
    assert sum(one.n * one.cost for one in groups) == pytest.approx(overall.n * overall.cost)
    section = next(one for one in Dossier.of(made).sections if one.title == "Groups")
    assert section.paragraphs[0].endswith("so errors and costs are with hindsight.")
    *rows, last = section.rows
    assert [row[0] for row in rows] == [one.name for one in groups]
    assert sum(int(row[1]) for row in rows) == int(last[1]) == 300
    for row, one in zip(section.rows, (*groups, overall), strict=True):
        shares = 1 - one.decided, one.miss_rate, one.alarm_rate
        assert list(row[2:5]) == [f"{100 * share:.1f} %" for share in shares]
        assert row[5] == money(one.cost, money_step(*one.cost_interval, one.cost))


def test_what_it_cannot_be_made_of(report):
    with pytest.raises(InputError, match="must hold an answer"):
        Dossier.of(four_rows())
    with pytest.raises(InputError, match="must be a report"):
        Dossier.of({"schema": "demur.policy"})
    with pytest.raises(InputError, match=r"\.md, \.tex, \.html, \.docx"):
        Dossier.of(report).save("d.pdf")


def test_a_reviewer_is_described():
    y, score = Binormal(separation=2.0).sample(200, rng=0)
    reviewer = Reviewer(fee=5, sensitivity=0.95, specificity=0.9)
    report = Report.from_predictions(
        y, {"a": score}, costs=CostModel(cost_fn=100, cost_fp=40, reviewer=reviewer)
    )
    section = next(one for one in Dossier.of(report).sections if one.title == "Costs and their source")
    assert section.rows[-1][:2] == (
        "a review by a person, who errs",
        "fee 5, recognises 95 % of the positives and 90 % of the negatives",
    )
