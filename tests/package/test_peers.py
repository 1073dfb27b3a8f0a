"""The pages "coming from ...": the numbers of Python peers and ours on the same cases."""

import numpy as np
import pytest

from demur import Binormal, CostModel, cheapest_window, net_benefit_curve
from demur.roc import operating_point


def test_net_benefit_against_dcurves():
    dcurves = pytest.importorskip("dcurves")
    pd = pytest.importorskip("pandas")
    y, s = Binormal(separation=1.5, prevalence=0.3).sample(200, rng=0)
    p = np.round(1 / (1 + np.exp(1 - s)), 2)
    thresholds = [0.1, 0.25, 0.4]
    table = dcurves.dca(
        data=pd.DataFrame({"y": y, "p": p}), outcome="y", modelnames=["p"], thresholds=thresholds
    )
    peer = table.set_index(["model", "threshold"])
    curve = net_benefit_curve(y, p)
    for t in thresholds:
        assert curve.net_benefit(t) == pytest.approx(peer.loc[("p", t), "net_benefit"])
        assert curve.treat_all(t) == pytest.approx(peer.loc[("all", t), "net_benefit"])
        avoided = peer.loc[("p", t), "net_intervention_avoided"]
        assert curve.net_interventions_avoided(t) == pytest.approx(avoided)


def test_promised_precision_against_mapie():
    control = pytest.importorskip("mapie.risk_control")
    y, s = Binormal(separation=2, prevalence=0.3).sample(3000, rng=3)
    p = 1 / (1 + np.exp(2 - s))
    controller = control.BinaryClassificationController(
        lambda X: np.column_stack([1 - X[:, 0], X[:, 0]]),
        risk="precision",
        target_level=0.9,
        confidence_level=0.95,
        list_predict_params=np.linspace(0.3, 0.9, 61),
    ).calibrate(p[:, None], y)
    threshold = float(controller.best_predict_param)
    assert operating_point(y, p, threshold=threshold).ppv == pytest.approx(y[p >= threshold].mean())
    costs = CostModel(cost_fn=10, cost_fp=5, cost_abstain=2)
    window = cheapest_window(y, p, costs=costs, min_precision_positive=0.9, confidence_level=0.95)
    # different tests of the same promise: they end within two steps of the list
    assert window.upper == pytest.approx(threshold, abs=0.02)
    # just keeping the promise here is not enough for either
    assert min(y[p >= threshold].mean(), window.positive_performance) > 0.93
