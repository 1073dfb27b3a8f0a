"""Rules without a single score in use: ranges of the actions by hand, the e-process by enumeration."""

import itertools
import json
import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from demur import CaseCosts, InputError, PolicyMonitor, UndefinedError
from demur.monitoring.alarms import NO_SCORE, advice
from demur.monitoring.betting import CostSequence, share_sequence
from demur.monitoring.drift import Start
from demur.monitoring.labels import largest_amount
from demur.monitoring.page import monitor_page
from demur.monitoring.reference import ActionRanges
from demur.policy import Promise
from monitoring_cases import amounts_policy, class_cases, class_policy, shop


def test_ranges_by_hand(rng):
    promise = Promise(abstention_rate=0.1, error_rate=0.05)
    ranges = ActionRanges.of(class_policy(rng, 600, promise=promise, shares=[0.5, 0.3, 0.2]), alpha=0.05)
    # five limits share alpha / 2
    ends = [binomtest(k, 600).proportion_ci(1 - 0.025 / 5) for k in (300, 180, 120, 60, 30)]
    *classes, abstained, wrong = [(end.low, end.high) for end in ends]
    low = [max(least - wrong[1] - abstained[1], 0) for least, _ in classes]
    high = [most + wrong[1] for _, most in classes]
    assert ranges.low == pytest.approx([*low, abstained[0]])
    assert ranges.high == pytest.approx([*high, abstained[1]])
    assert ranges.expected == (None, None, None, 0.1)


def test_nothing_stated_leaves_every_share_open(rng):
    ranges = ActionRanges.of(class_policy(rng, promise=None), alpha=0.05)
    assert (ranges.low.tolist(), ranges.high.tolist()) == ([0.0] * 4, [1.0] * 4)


def test_evidence_is_needed(rng):
    with pytest.raises(InputError, match="must have its evidence"):
        PolicyMonitor(class_policy(rng, evidence=None))


@pytest.mark.parametrize("shares", [(0.2, 0.3, 0.5), (0.3, 0.3, 0.4), (0.1, 0.5, 0.4)])
def test_evidence_is_at_most_one_on_average_against_enumeration(shares):
    """All sequences of five cases in three batches, for shares within the ranges and at their ends."""
    ranges = ActionRanges(
        low=np.array([0.1, 0.3, 0.4]), high=np.array([0.3, 0.5, 0.5]), expected=(None, None, 0.4)
    )
    total = 0.0
    for sequence in itertools.product(range(3), repeat=5):
        counts = [np.bincount(sequence[first:], minlength=3).astype(float) for first in (0, 2, 3)]
        starts = [Start(k + 1, since) for k, since in enumerate(counts)]
        probability = math.prod(shares[code] for code in sequence)
        total += probability * math.exp(ranges.log_evidence(starts, 3)[0])
    # half of the evidence pays for the ranges
    assert total <= 0.5 + 1e-12


def test_evidence_reaches_the_alarm_where_the_confidence_sequence_ends():
    """60 of 100 cases: the range around 0.4 whose upper end is the lower limit of the share."""
    edge = share_sequence(60, 100, alpha=0.05, expected=0.4).low
    ranges = ActionRanges(low=np.array([0.8 - edge, 0.0]), high=np.array([edge, 1.0]), expected=(None, None))
    counts = np.array([[60.0, 40.0]])
    assert ranges.log_ratios(counts, 0 * counts)[0, 0] == pytest.approx(math.log(20))


# ---------------------------------------------------------------- monitor


def watched(rng, days, shares=(0.5, 0.3, 0.2), *, monitor=None, labelled=False):
    monitor = PolicyMonitor(class_policy(rng)) if monitor is None else monitor
    for _ in range(days):
        labels, proba = class_cases(rng, 300, shares)
        monitor.update(proba, labels if labelled else None, at=f"2026-03-{monitor.batches + 1:02d}")
    return monitor


def test_quiet_then_a_changed_mixture(rng):
    monitor = watched(rng, 6)
    assert monitor.alarms == []
    assert (monitor.n, sum(monitor.outcomes), len(monitor.outcomes)) == (1800, 1800, 4)
    low, high = monitor.abstention_interval
    assert low < monitor.policy.abstention_rate < high
    watched(rng, 4, (0.05, 0.05, 0.9), monitor=monitor)
    (alarm,) = monitor.alarms
    assert alarm.startswith("The decisions no longer look as the policy promised")
    assert "called c (expected" in alarm
    assert monitor.changed_since == 7
    assert monitor.recent(3).differs
    assert "describes the cases" in advice(monitor)[0]


def test_quiet_runs_rarely_alarm():
    rng = np.random.default_rng(8)
    assert sum(bool(watched(rng, 15).alarms) for _ in range(30)) == 0


def test_cost_of_labels_by_hand_and_a_broken_promise(rng):
    monitor = PolicyMonitor(class_policy(rng))
    proba = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.4, 0.3, 0.3], [0.1, 0.1, 0.8]]
    monitor.update(proba, ["a", "c", "b", "c"])
    assert monitor.cost == pytest.approx((0 + 1 + 0.3 + 0) / 4)
    assert monitor.precision["a"][0] == 1.0
    assert monitor.precision["b"][0] == 0.0
    assert monitor.n_labelled == 4
    kept = watched(rng, 8, labelled=True)
    assert kept.alarms == []
    labels, proba = class_cases(rng, 3000)
    kept.update(proba, rng.permutation(labels))
    assert "The policy costs more than promised" in kept.alarms[-1]
    assert kept.promise_e_value > 20


def test_two_people_and_frames(rng):
    monitor = PolicyMonitor(class_policy(rng))
    frame = pd.DataFrame({"b": [0.8, 0.1], "c": [0.1, 0.1], "a": [0.1, 0.8]})
    monitor.update(frame, ["b", "a"], second_labels=["b", "c"])
    assert monitor.outcomes == (1, 1, 0, 0)
    assert monitor.agreement[0] == 0.5


def test_what_only_a_score_tells_is_refused_or_left_out(rng):
    monitor = watched(rng, 2)
    assert not monitor.watches_scores
    for name in ("prevalence", "cost_of_keeping"):
        with pytest.raises(UndefinedError, match="needs one score"):
            getattr(monitor, name)
    with pytest.raises(InputError, match="must be a window"):
        _ = monitor.cells
    told = monitor.to_dict()
    assert (told["prevalence"], told["cost_of_keeping"]) == (None, None)
    assert list(told["outcomes"]) == ["a", "b", "c", "ask"]
    assert told["expected_ranges"]["ask"] == [monitor.reference.low[-1], monitor.reference.high[-1]]
    assert (monitor.recent().negative, monitor.recent().positive_interval) == (None, None)


def test_page_says_that_scores_are_not_watched(rng):
    monitor = watched(rng, 3, labelled=True)
    page = monitor_page(monitor)
    assert NO_SCORE in page
    assert "The decisions look as the policy promised" in page
    assert "Cost per case by 900 labels" in page
    assert "Right when called b" in page
    assert "positives" not in page
    assert page.count("<tr>") == 4
    assert '<th scope="col">called c</th>' in page


def test_figure_of_many_classes(rng):
    import matplotlib.pyplot as plt

    from demur.displays import MonitorDisplay

    monitor = watched(rng, 3, labelled=True)
    display = MonitorDisplay.from_result(monitor).plot()
    drawn = display.frame()
    shares = [drawn[name] for name in ("called a", "called b", "called c", "abstained")]
    assert np.sum(shares, axis=0) == pytest.approx(np.ones(3))
    plt.close(display.figure_)


def test_file_keeps_everything(rng, tmp_path):
    path = tmp_path / "watch.json"
    monitor = watched(rng, 5, labelled=True)
    monitor.save(path)
    again = PolicyMonitor.load(path)
    assert again.to_dict() == monitor.to_dict()
    labels, proba = class_cases(rng, 300)
    for one in (monitor, again):
        one.update(proba, labels)
    assert again.e_value == monitor.e_value
    assert again.cost == monitor.cost
    data = json.loads(path.read_text())
    data["labelled"] = [[1]]
    path.write_text(json.dumps(data))
    with pytest.raises(InputError, match="3 by 4"):
        PolicyMonitor.load(path)


# ---------------------------------------------------------------- amounts


def amounts(rng, n, mean=4.5):
    return CaseCosts(cost_fn=np.round(rng.lognormal(mean, 0.7, n), 2), cost_fp=20, cost_abstain=4)


def paid(policy, s, y, costs):
    codes = policy.decide(s)
    decided = np.where(codes == 1, np.where(y, 0, 20), np.where(y, costs.cost_fn, 0))
    return np.where(codes == -1, 4, decided)


def test_cost_of_amounts_by_hand_and_from_a_file(rng, tmp_path):
    policy = amounts_policy(rng)
    monitor, path = PolicyMonitor(policy), tmp_path / "watch.json"
    assert monitor.cost is None
    y, s = shop(rng, 300)
    monitor.update(s, y)
    assert (monitor.n_labelled, monitor.cost) == (300, None)
    total = []
    # the second batch has larger amounts than the first, which began the sequence
    for mean in (4.5, 6.0):
        y, s = shop(rng, 400)
        costs = amounts(rng, 400, mean)
        monitor.update(s, y, costs=costs)
        total.append(paid(policy, s, y, costs))
        monitor.save(path)
        monitor = PolicyMonitor.load(path)
    assert monitor.cost == pytest.approx(np.concatenate(total).mean())
    low, high = monitor.cost_interval
    assert low < monitor.cost < high
    assert (monitor.promise.cost, monitor.promise.limit) == (policy.promise.cost, policy.promise.limit)
    assert "Cost per case by 1,100 labels" in monitor_page(monitor)


def test_limits_of_amounts_reach_to_the_largest_so_far():
    begun = CostSequence(low=0.0, high=100.0, alpha=0.05)
    assert begun.updated(np.array([50.0]), largest=5000.0).interval == (0.0, 5000.0)
    assert begun.updated(np.array([50.0]), largest=80.0).interval == (0.0, 100.0)


def test_amounts_of_the_evidence_bound_the_first_batch(rng):
    """The largest amount times its factor, not the one case at hand."""
    policy = amounts_policy(rng, miss_factor=(0.5, 1.5), alarm_factor=2)
    largest = policy.amounts["cost_fn"]["largest"]
    assert largest_amount(policy) == largest
    monitor = PolicyMonitor(policy)
    monitor.update([0.0], [0], costs=CaseCosts(cost_fn=[1.0], cost_fp=20, cost_abstain=4))
    assert monitor.cost_interval.high > largest / 2


def test_broken_promise_of_amounts_is_an_alarm(rng):
    policy = amounts_policy(rng)
    monitor = PolicyMonitor(policy)
    y, s = shop(rng, 3000)
    monitor.update(s, y | ((policy.decide(s) == 0) & (rng.random(3000) < 0.3)), costs=amounts(rng, 3000))
    assert any("costs more than promised" in sentence for sentence in monitor.alarms)


def test_costs_are_for_labels(rng):
    with pytest.raises(InputError, match="are for labels"):
        PolicyMonitor(amounts_policy(rng)).update([0.1], costs=CaseCosts(cost_fn=1, cost_fp=1))
