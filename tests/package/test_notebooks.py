"""What a notebook shows of a result: well-formed HTML, small, without a script, nothing left unescaped."""

import xml.etree.ElementTree as ET

import numpy as np

import demur
from demur import _html
from demur.multiclass import MetaClassTree
from export_cases import policy


def parsed(html):
    return ET.fromstring(html)


def test_a_curve_is_drawn_through_its_points():
    curve = demur.roc_curve([0, 1, 0, 1, 1], [0.1, 0.4, 0.3, 0.2, 0.9])
    line = parsed(curve._repr_html_()).find(".//{http://www.w3.org/2000/svg}polyline")
    points = np.array([point.split(",") for point in line.get("points").split()], dtype=float)
    # from the box of 220 x 120 with a margin of 6, y downward, back to the rates
    rates = np.column_stack([(points[:, 0] - 6) / 208, (114 - points[:, 1]) / 108])
    assert np.allclose(rates, np.column_stack([curve.fpr, curve.tpr]), atol=1e-3)
    assert "tpr from 0 to 1, against fpr from 0 to 1" in curve._repr_html_()


def test_long_curves_stay_small_and_strange_ones_do_not_break():
    x = np.linspace(0, 1, 10**6)
    assert len(_html.curve(x, x**2, ("x", "y"))) < 5000
    assert _html.curve([np.nan, 1], [1, 1], ("x", "y")) == ""
    largest = np.finfo(float).max
    assert "nan" not in _html.curve([-largest, largest], [1, 1], ("x", "y"))


def test_a_map_is_darkest_where_the_value_is_largest():
    rects = parsed(_html.heat([[0, 1], [2, 4]], ("cost", "mu", "nu"))).findall("{*}rect")
    drawn = {(r.get("x"), r.get("y")): float(r.get("fill-opacity")) for r in rects}
    # rows to the right, columns upward
    assert drawn == {("0.0", "60.0"): 0, ("0.0", "0.0"): 0.25, ("110.0", "60.0"): 0.5, ("110.0", "0.0"): 1}
    both = parsed(_html.heat([[-1, 2]], ("gap", "mu", "nu"))).findall("{*}rect")
    assert [(r.get("fill"), r.get("fill-opacity")) for r in both] == [
        ("#0072B2", "0.50"),
        ("#E69F00", "1.00"),
    ]
    assert len(_html.heat(np.ones((500, 500)), ("a", "b", "c"))) < 15_000
    assert len(parsed(_html.heat([[np.nan, 1.0]], ("a", "b", "c"))).findall("{*}rect")) == 1
    assert _html.heat([[np.nan]], ("a", "b", "c")) == ""


def test_bars_have_heights_in_proportion():
    tree = parsed(_html.bars([1, 2], ["<a>", "b"], "weights"))
    assert [float(r.get("height")) for r in tree.findall("{*}rect")] == [51, 102]
    assert "weights: <a> 1, b 2" in tree.find("{*}title").text
    assert _html.bars([1, -1], "ab", "x") == _html.bars(range(99), range(99), "x") == ""


def test_a_policy_shows_its_window_and_its_labels():
    html = policy(pos_label="<b>ill", neg_label="well & fine", abstain_label="ask")._repr_html_()
    tree = parsed(html)
    words = [text.text for text in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert words[0] == "well & fine"
    assert words[2:] == ["<b>ill", "0.3", "0.6"]
    assert "negative up to 0.3, positive from 0.6 on" in html
    assert "<b>" not in html


def test_an_answer_begins_with_its_words():
    rng = np.random.default_rng(0)
    y = (rng.random(300) < 0.4).astype(int)
    costs = demur.CostModel(cost_fn=10, cost_fp=4, cost_abstain=1)
    answer = demur.compare_models(y, {"risk": rng.normal(2 * y)}, costs=costs).answer
    paragraph = parsed(answer._repr_html_()).find("p")
    assert paragraph.text == answer.words


def test_short_texts_tell_what_people_ask_for():
    window = demur.abstention_surface([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6]).window(1, 0.2)
    assert repr(window).startswith("AbstentionWindow(lower=2.5, upper=4.5, abstention_rate=0.333333, fn=0")
    assert "index" not in repr(window)
    assert "evidence" not in repr(policy())
    assert len(repr(policy())) < 250
    tree = MetaClassTree()
    assert repr(tree) == "MetaClassTree(cost='mean')"
    assert repr(tree.fit([[0.7, 0.3], [0.2, 0.8]], ["a", "b"])) == (
        "MetaClassTree(cost='mean', 2 classes, objective=0)"
    )
