"""Panels behind tabs show what Python computes: calibration, precision, benefit, risk, groups."""

import csv
import io

import numpy as np
import pytest

import demur
import page_reports
from browser import MORE


@pytest.fixture
def cases():
    y, scores = page_reports.three(300)
    return y, 1 / (1 + np.exp(-1.5 * (scores["forest"] - 1)))


def test_every_panel_behind_a_tab_against_python(open_page, cases):
    y, p = cases
    page = open_page("probabilities", fragment="#model=0")

    def numbers(panel):
        """The file of a panel as columns of numbers; text stays out."""
        page.open_tab(panel)
        data, _ = page.save(panel, "csv")
        rows = list(csv.reader(io.StringIO(data.decode())))[1:]
        # words in the first column only
        rows = [[cell if cell and cell[-1] in "0123456789f" else "nan" for cell in row] for row in rows]
        return np.array(rows).astype(float)

    curve = demur.calibration.reliability_curve(y, p)
    found = numbers("calibration")
    for low, high, share, weight in found:
        inside = (curve.forecast >= low) & (curve.forecast <= high)
        assert curve.observed[inside] == pytest.approx(share)
        assert weight == inside.sum()
    assert f"Brier score {curve.brier:.4f}" in page.text("calibration-said")

    benefit = demur.net_benefit_curve(y, p, weights="repeats")
    found = numbers("net-benefit")
    assert found[:, 1] == pytest.approx(benefit.net_benefit(found[:, 0]), rel=1e-4, abs=1e-9)
    assert found[:, 4] == pytest.approx(benefit.treat_all(found[:, 0]))

    assert numbers("risk-coverage")[-1] == pytest.approx([1, np.mean((p >= 0.5) != y)], rel=1e-4)

    # precision follows the prevalence in use
    page.fill("prevalence", 10)
    precise = demur.precision_recall_curve(y, p, prevalence=0.1)
    for recall, precision in numbers("precision-recall")[::15]:
        assert np.any(np.isclose(precise.precision[np.isclose(precise.recall, recall)], precision))

    found = numbers("groups")
    judged = page_reports.named("probabilities").by_group
    for row, group in zip(found, (*judged.groups, judged.overall), strict=True):
        assert row[1] == group.n
        assert row[2:5] == pytest.approx([group.decided, *group.decided_interval])
        assert row[-3:] == pytest.approx([group.cost, *group.cost_interval])
    assert page.panel("groups").locator("tbody th").first.text_content() == "<b>south</b>"
    assert "These cases also chose the rule" in page.text("groups-said")

    for name in MORE:
        text, _ = page.save(name, "svg")
        assert b"A miss costs 100, a false alarm 40, a review 12." in text


def test_scores_that_are_no_probabilities_have_a_sentence(open_page):
    page = open_page()
    for name in ("net-benefit", "calibration", "risk-coverage"):
        assert "probabilities" in page.open_tab(name).locator(".sentence").text_content()
        assert page.page.locator(f"#chart-{name}").is_hidden()
