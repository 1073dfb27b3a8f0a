"""The page as a widget: costs and rule go both ways, in a frame and in a real JupyterLab."""

import json
import os
import re
import subprocess
import sys

import pytest

from demur import CostMatrix, CostModel, Policy, Reviewer
from demur.exceptions import InputError
from page_reports import one_model, small_classes

pytest.importorskip("anywidget")

CLASS_COSTS = {0: {1: 30, 2: 50}, 1: {0: 55, 2: 25}, 2: {0: 90, 1: 35}}
OTHER = CostModel(cost_fn=300, cost_fp=20, cost_abstain=5)

# what a notebook does: an object with the traits, and the module that draws
HOST = """
<main></main><script type="module">
const traits = JSON.parse(document.getElementById("traits").textContent);
const heard = {};
window.model = {
  get: (name) => traits[name],
  set: (name, value) => { traits[name] = value; },
  save_changes: () => { window.told = JSON.parse(traits._told); },
  on: (name, listener) => { heard[name] = listener; },
  off: () => {},
};
window.ask = (text) => { traits._asked = text; heard["change:_asked"](); };
const code = new Blob([document.getElementById("code").textContent], { type: "text/javascript" });
const { default: widget } = await import(URL.createObjectURL(code));
widget.render({ model, el: document.querySelector("main") });
</script>
"""


def _host(widget):
    def held(name, kind, text):
        return f'<script type="{kind}" id="{name}">{text.replace("<", chr(92) + "u003c")}</script>'

    traits = json.dumps({"_page": widget._page, "_asked": "", "_told": ""})
    code = f'<script type="text/plain" id="code">{widget._esm}</script>'
    return f"<!doctype html><meta charset=utf-8>{held('traits', 'application/json', traits)}{code}{HOST}"


def _told(page, condition):
    """Wait for what the page tells, and return it as it reaches Python."""
    for _ in range(200):
        text = page.evaluate("window.told === undefined ? '' : JSON.stringify(window.told)")
        if text and condition(json.loads(text)):
            return text
        page.wait_for_timeout(25)
    pytest.fail("the page never said so")


def test_costs_and_rule_go_both_ways(chromium, tmp_path):
    for report, role in ((one_model(), "cost-fn"), (small_classes(), "cost-1-0")):
        widget = report.widget()
        assert widget.headline == report.headline
        file = tmp_path / "host.html"
        file.write_text(_host(widget), encoding="utf-8")
        page = chromium.new_page()
        page.goto(file.as_uri())
        # as it starts, the page says what Python said
        widget._told = _told(page, lambda _: True)
        before = widget.policy.to_dict()
        assert widget.headline == report.headline
        assert before["promise"]["cost"] == report.comparison.answer.cost
        assert before["rule"] == Policy.from_answer(report.comparison.answer).to_dict()["rule"]
        # from the page
        page.frame_locator("iframe").locator(f'[data-role="{role}"]').fill("77")
        widget._told = _told(page, lambda told: "77" in json.dumps(told["costs"]))
        shown = widget.costs.cost_fn if role == "cost-fn" else widget.costs.values[1, 0]
        assert shown == 77
        assert widget.policy.costs is not None
        # from Python
        if role == "cost-fn":
            widget.costs = OTHER
            wanted = OTHER.cost_fn
        else:
            widget.set_prices(CLASS_COSTS, [8, 8, 8])
            wanted = 55
        assert widget.policy is None
        page.evaluate("text => window.ask(text)", widget._asked)
        widget._told = _told(page, lambda told, wanted=wanted: f"{wanted:g}" in json.dumps(told["costs"]))
        if role == "cost-fn":
            assert widget.costs.to_dict() == OTHER.to_dict()
        else:
            answer = report.answer_at(CLASS_COSTS, abstain_cost=8)
            assert widget.policy.expected_cost == pytest.approx(answer.honest_cost, rel=1e-12)
            assert widget.abstain_costs == [8, 8, 8]
        # a rule from Python
        widget.policy = Policy.from_answer(report.comparison.answer)
        assert f"{report.comparison.answer.model}" in widget._models
        page.evaluate("text => window.ask(text)", widget._asked)
        # a rule the reader holds on to is measured
        first = report.comparison.answer.honest_cost

        def is_first(told, first=first):
            policy = told["policy"]
            return policy is not None and abs(json.loads(policy)["expected"]["cost"] - first) < 1e-9

        widget._told = _told(page, is_first)
        assert widget.policy.to_dict()["rule"] == before["rule"]
        page.close()


def test_what_a_widget_refuses_and_how_it_asks():
    widget = one_model().widget()
    with pytest.raises(InputError, match="must be a CostModel"):
        widget.costs = 3
    widget.costs = CostModel(cost_fn=9, cost_fp=4, reviewer=Reviewer(fee=1, sensitivity=0.9, specificity=0.8))
    assert widget._asked == "1 fn=9.0&fp=4.0&tp=0.0&tn=0.0&abstain=1.0&classes=&rates=0.9~0.8&model="
    widget.costs = CostModel(cost_fn=9, cost_fp=4, cost_abstain_positive=2, cost_abstain_negative=1)
    assert "abstain=1.0&classes=2.0~1.0" in widget._asked
    seen = []
    widget.observe(lambda change: seen.append(change["new"].cost_abstain), "costs")
    told = {"fn": 8, "fp": 4, "tp": 0, "tn": 0, "abstain": None, "byClass": None, "rates": None}
    widget._told = json.dumps({"costs": told, "policy": None, "headline": "Call every case positive."})
    assert seen == [None]
    assert widget.headline == "Call every case positive."
    assert widget._asked.startswith("2 ")
    other = Policy.from_answer(small_classes().comparison.answer)
    with pytest.raises(InputError, match="of a model of this report"):
        widget.policy = other
    many = small_classes().widget()
    many.costs = CostMatrix.uniform([2, 1, 0])
    assert many.costs.classes == (0, 1, 2)


@pytest.mark.long
def test_in_a_real_jupyterlab(chromium, tmp_path):
    """A cell shows the widget, the reader types a cost, the next cell prints it."""
    cells = [
        "import numpy as np\nfrom demur import Binormal, CostModel, Report\n"
        "y, s = Binormal(separation=2).sample(200, rng=0)\n"
        "costs = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)\n"
        "w = Report.from_predictions(y, {'risk': s}, costs=costs).widget()\nw",
        "print('costs', float(w.costs.cost_fn), type(w.policy).__name__)",
    ]
    blank = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = {
        "cells": [{**blank, "id": f"c{k}", "source": source} for k, source in enumerate(cells)],
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    (tmp_path / "n.ipynb").write_text(json.dumps(notebook))
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    environment = {**os.environ, **{name: str(tmp_path / name) for name in names}}
    flags = [
        "--no-browser",
        "--allow-root",
        "--port=0",
        "--ip=127.0.0.1",
        "--IdentityProvider.token=",
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]
    command = [sys.executable, "-m", "jupyterlab", *flags]
    server = subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        address = next(
            found[0] for line in server.stderr if (found := re.search(r"http://127\.0\.0\.1:\d+", line))
        )
        page = chromium.new_page()
        page.goto(f"{address}/lab/tree/n.ipynb", timeout=60_000)
        cell = page.locator(".jp-CodeCell")
        cell.first.locator(".cm-content").click(timeout=60_000)
        page.keyboard.press("Shift+Enter")
        field = page.frame_locator(".jp-OutputArea iframe").locator('[data-role="cost-fn"]')
        field.fill("321", timeout=90_000)
        page.wait_for_timeout(1500)
        cell.nth(1).locator(".cm-content").click()
        page.keyboard.press("Shift+Enter")
        said = cell.nth(1).locator(".jp-OutputArea-output")
        said.wait_for(timeout=30_000)
        assert said.text_content().split() == ["costs", "321.0", "Policy"]
        page.close()
    finally:
        server.terminate()
        server.wait(timeout=30)
        server.stderr.close()
