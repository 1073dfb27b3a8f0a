"""The rows of docs/coming_from/rocr.md against stored output of ROCR 1.0-11 (tests/reference/rocr.R)."""

import json
from pathlib import Path

import numpy as np
import pytest

from demur import CostModel, abstention_surface, auc_score, cost_curve, roc_curve

ROCR = json.loads((Path(__file__).parents[1] / "reference" / "rocr.json").read_text())
Y, S = ROCR["data"]["y"], ROCR["data"]["s"]


def test_roc_curve_and_auc_against_r():
    curve = roc_curve(Y, S)
    np.testing.assert_allclose(curve.fpr, ROCR["roc"]["x"], atol=1e-12)
    np.testing.assert_allclose(curve.tpr, ROCR["roc"]["y"], atol=1e-12)
    assert auc_score(Y, S) == pytest.approx(ROCR["auc"])


def test_hull_against_r():
    hull = roc_curve(Y, S).convex_hull()
    np.testing.assert_allclose(hull.fpr, ROCR["hull"]["x"], atol=1e-12)
    np.testing.assert_allclose(hull.tpr, ROCR["hull"]["y"], atol=1e-12)


def test_envelope_against_r():
    # ROCR also lists crossings that lie on a straight piece
    x, y = np.array(ROCR["ecost"]["x"]), np.array(ROCR["ecost"]["y"])
    curve = cost_curve(Y, S)
    np.testing.assert_allclose(curve.expected_cost(x), y, atol=1e-12)
    corners = curve.vertices
    np.testing.assert_allclose(np.interp(corners[:, 0], x, y), corners[:, 1], atol=1e-12)


def test_corners_on_the_page_against_r():
    corners = cost_curve([0, 0, 1, 0, 1, 1], [0.1, 0.3, 0.35, 0.6, 0.7, 0.9]).vertices
    np.testing.assert_allclose(corners.T, [ROCR["page"]["x"], ROCR["page"]["y"]], atol=1e-12)


def test_smallest_cost_against_r():
    window = abstention_surface(Y, S).window(costs=CostModel(cost_fn=4, cost_fp=1))
    assert window.expected_cost == pytest.approx(min(ROCR["cost"]["cost"]))
