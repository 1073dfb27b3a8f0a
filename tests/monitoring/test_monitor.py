"""`PolicyMonitor`: batches, keys, labels, files, scales, odd windows."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest

import demur
from demur import CostModel, InputError, Policy, PolicyMonitor, abstention_surface
from demur.monitoring.page import monitor_page
from demur.monitoring.reference import ReferenceCells
from demur.policy import Promise
from demur.windows import Window
from monitoring_cases import COSTS, promised_policy, shop, shop_policy

Y, S = [0, 0, 1, 0, 1, 1] * 50, [0.1, 0.2, 0.3, 0.3, 0.8, 0.9] * 50
PLAIN = CostModel(cost_fn=5, cost_fp=2, cost_abstain=0.6)


def plain_policy(**labels):
    return Policy.from_surface(abstention_surface(Y, S), costs=PLAIN, **labels)


# ---------------------------------------------------------------- cells


def windows():
    base = plain_policy()
    yield base
    for lower, upper in [
        (-math.inf, 0.5),
        (0.25, math.inf),
        (0.3, 0.3),
        (0.0, 0.05),
        (0.95, 1.0),
        (0.2, 0.8),
    ]:
        yield Policy(
            rule=Window(lower, upper),
            costs=PLAIN,
            shares=[0.5, 0.5],
            promise=Promise(cost=1.0, abstention_rate=0.1, fn=0.1, fp=0.1),
            evidence=base.evidence,
        )


@pytest.mark.parametrize("policy", list(windows()), ids=lambda p: f"{p.lower:g} to {p.upper:g}")
def test_outcomes_of_the_cells_are_the_decisions(policy, rng):
    cells = ReferenceCells.of(policy)
    scores = np.concatenate([S, rng.random(500), [0.0, 1.0, policy.lower, policy.upper]])
    scores = np.concatenate([scores, [-np.inf, np.inf]])
    codes = policy.decide(scores)
    counts = np.bincount(cells.cell_of(scores), minlength=cells.size)
    expected = [np.count_nonzero(codes == code) for code in (0, 1, -1)]
    assert list(cells.outcomes(counts)) == expected
    assert cells.shares().sum() == pytest.approx(1.0)


def test_expected_shares_are_those_of_the_evidence():
    policy = plain_policy()
    expected = ReferenceCells.of(policy).outcomes(ReferenceCells.of(policy).shares())
    codes = policy.decide(S)
    assert expected == pytest.approx([np.mean(codes == code) for code in (0, 1, -1)])
    assert expected[-1] == pytest.approx(policy.abstention_rate)


def test_other_prevalence_is_expected_and_counts_as_fewer_cases(rng):
    policy = shop_policy(rng, 2000).at(prevalence=0.3)
    cells = ReferenceCells.of(policy)
    assert not cells.sampled
    assert 100 < cells.size_at() < 2000
    monitor = PolicyMonitor(policy)
    for _ in range(20):
        monitor.update(shop(rng, 500, 0.3)[1])
    assert monitor.alarms == []


# ---------------------------------------------------------------- batches


def test_same_key_changes_nothing(rng):
    monitor = PolicyMonitor(shop_policy(rng, 500))
    y, s = shop(rng, 100)
    assert monitor.update(s, key="monday")
    before = monitor.to_dict()
    assert not monitor.update(s, key="monday")
    assert monitor.to_dict() == before
    # labels that come later count, once, and the scores do not count again
    assert monitor.update(s, y, key="monday")
    assert (monitor.n, monitor.n_labelled) == (100, 100)
    assert not monitor.update(s, y, key="monday")
    assert (monitor.n, monitor.n_labelled) == (100, 100)
    assert monitor.update(s)
    assert monitor.n == 200


def test_a_refused_batch_counts_nothing(rng):
    monitor = PolicyMonitor(shop_policy(rng, 500))
    s = shop(rng, 10)[1]
    for arguments, message in [
        ({"scores": [0.1, np.nan]}, "must not contain NaN"),
        ({"scores": s, "labels": [2] * 10}, "must be 1 or 0"),
        ({"scores": s, "labels": [1] * 9}, "length"),
        ({"scores": s, "labels": [1] * 9 + [None]}, "weights"),
        ({"scores": s, "labels": [1] * 10, "weights": [0.5] * 10}, "at least 1"),
        ({"scores": s, "weights": [1] * 10}, "are for labels"),
    ]:
        with pytest.raises(InputError, match=message):
            monitor.update(**arguments, key="x")
    assert (monitor.n, monitor.n_labelled, monitor.batches) == (0, 0, 0)
    assert monitor.update(s, key="x")


def test_labels_in_the_words_of_the_policy():
    monitor = PolicyMonitor(plain_policy(pos_label="ill", neg_label="well", abstain_label="ask"))
    monitor.update([0.1, 0.9, 0.3], ["well", "ill", None], weights=[1, 1, 1])
    assert monitor.n_labelled == 2
    with pytest.raises(InputError, match="'ill' or 'well'"):
        monitor.update([0.1], [1])


def test_cost_of_labels_by_hand():
    monitor = PolicyMonitor(plain_policy())
    window = monitor.policy
    codes = window.decide([0.1, 0.9, 0.3, 0.1])
    assert codes.tolist() == [0, 1, -1, 0]
    monitor.update([0.1, 0.9, 0.3, 0.1], [0, 0, 1, 1])
    assert monitor.cost == pytest.approx((0 + 2 + 0.6 + 5) / 4)
    assert monitor.precision["negative"][0] == 0.5
    assert monitor.precision["positive"][0] == 0.0


def test_audited_labels_are_weighted(rng):
    """An audit of one acted case in ten, all reviews labelled: cost and precision as with all labels."""
    policy = shop_policy(rng, 3000)
    monitor = PolicyMonitor(policy)
    everything = PolicyMonitor(policy)
    for _ in range(20):
        y, s = shop(rng, 1000)
        reviewed = policy.decide(s) == -1
        chosen = reviewed | (rng.random(1000) < 0.1)
        labels = np.where(chosen, y.astype(float), np.nan)
        monitor.update(s, labels, weights=np.where(reviewed, 1.0, 10.0))
        everything.update(s, y)
    assert monitor.cost == pytest.approx(everything.cost, rel=0.25)
    low, high = monitor.precision["negative"][1]
    assert low < everything.precision["negative"][0] < high
    assert monitor.cost_interval.low < everything.cost < monitor.cost_interval.high


def test_broken_promise_is_an_alarm(rng):
    policy = promised_policy(rng, 3000)
    monitor = PolicyMonitor(policy)
    y, s = shop(rng, 4000)
    monitor.update(s, y)
    assert monitor.alarms == []
    # scores look as before, but some negatives are positives now
    missed = y | ((policy.decide(s) == 0) & (rng.random(4000) < 0.06))
    monitor.update(s, missed)
    assert len(monitor.alarms) == 1
    assert "costs more than promised" in monitor.alarms[0]


def test_change_of_the_classes_is_told_from_a_change_of_their_mixture(rng):
    policy = shop_policy(rng, 5000)
    mixed, moved = PolicyMonitor(policy), PolicyMonitor(policy)
    for _ in range(4):
        mixed.update(shop(rng, 1000, 0.3)[1])
        s = shop(rng, 1000)[1]
        # the lowest scores vanish: no mixture of the old classes looks like that
        moved.update(np.maximum(s, np.quantile(s, 0.5)))
    assert "changed share of positives explains it" in mixed.alarms[0]
    assert "scores themselves have moved" in moved.alarms[0]
    assert (mixed.scores_moved, moved.scores_moved) == (False, True)
    # scores that moved tell no share of positives
    assert mixed.to_dict()["prevalence"] == mixed.prevalence
    assert [moved.to_dict()[name] for name in ("prevalence", "prevalence_interval", "cost_of_keeping")] == [
        None
    ] * 3
    assert "Share of positives" in monitor_page(mixed)
    assert "Share of positives" not in monitor_page(moved)


def test_window_under_constraints_is_watched_too(rng):
    y, s = shop(rng, 2000)
    counts = demur.ScoreCounts.from_arrays(y, s)
    window = demur.cheapest_window(counts, costs=COSTS, max_abstention=0.1)
    monitor = PolicyMonitor(Policy.from_window(window, counts, costs=COSTS))
    for _ in range(4):
        monitor.update(shop(rng, 1000, 0.35)[1])
    assert "cannot be derived" in monitor.alarms[0]
    assert monitor.to_dict()["cost_of_keeping"] is None


def test_price_per_day_where_dates_are_known(rng):
    monitor = PolicyMonitor(shop_policy(rng, 5000))
    for day in range(1, 5):
        monitor.update(shop(rng, 1000, 0.3)[1], at=f"2026-03-{day:02d}")
    assert f"{monitor.cost_of_keeping * 1000:.4g} per day" in monitor.alarms[0]


# ---------------------------------------------------------------- scale


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda s: 100 * s, "divide by 100"),
        (lambda s: s - 7, "outside"),
        (lambda s: np.full_like(s, 0.04), "equal"),
    ],
)
def test_other_scale_is_told_at_the_first_batch(rng, change, words):
    monitor = PolicyMonitor(shop_policy(rng, 1000))
    monitor.update(change(shop(rng, 300)[1]))
    assert any(words in sentence for sentence in monitor.alarms)


def test_percentages_expected_but_shares_given(rng):
    y, s = shop(rng, 1000)
    policy = Policy.from_surface(abstention_surface(y, 100 * s), costs=COSTS)
    monitor = PolicyMonitor(policy)
    monitor.update(shop(rng, 300)[1])
    assert any("multiply by 100" in sentence for sentence in monitor.alarms)


def test_scale_is_not_blamed_for_chance():
    rng = np.random.default_rng(5)
    warned = 0
    for _ in range(100):
        monitor = PolicyMonitor(shop_policy(rng, 150))
        for _ in range(10):
            monitor.update(shop(rng, 40)[1])
        warned += len(monitor.scale_alarms)
    assert warned == 0


# ---------------------------------------------------------------- last batches, two labels


def test_last_batches_by_hand(rng):
    monitor = PolicyMonitor(shop_policy(rng, 1000))
    batches = [shop(rng, 100)[1] for _ in range(5)]
    for scores in batches:
        monitor.update(scores)
    recent = monitor.recent(2)
    codes = monitor.policy.decide(np.concatenate(batches[3:]))
    assert (recent.first, recent.last, recent.n) == (4, 5, 200)
    assert [recent.negative, recent.positive, recent.abstained] == [np.mean(codes == c) for c in (0, 1, -1)]
    # the fifth window may err with 0.05 / (5 * 6), a third of it for each decision
    exact = binomtest(int(np.sum(codes == -1)), 200).proportion_ci(1 - 0.05 / 30 / 3)
    assert recent.abstained_interval == pytest.approx((exact.low, exact.high))
    assert recent.limit == pytest.approx(20 * 30)
    assert recent.expected == pytest.approx(monitor.cells.outcomes(monitor.cells.shares()))
    assert monitor.recent(99).n == 500


def test_last_batches_see_a_change_that_came_and_went(rng):
    """A season: only the window that holds it differs, whatever the weeks before were like."""
    monitor = PolicyMonitor(shop_policy(rng, 5000))
    differs = []
    for prevalence in [0.1] * 4 + [0.4] * 4 + [0.1] * 8:
        monitor.update(shop(rng, 500, prevalence)[1])
        differs.append(monitor.recent(3).differs)
    assert not any(differs[:4])
    assert all(differs[6:8])
    assert not any(differs[-4:])


@pytest.mark.parametrize("batches", [0, -1, 2.0, True])
def test_last_batches_are_a_whole_number(rng, batches):
    with pytest.raises(InputError, match="whole number"):
        PolicyMonitor(shop_policy(rng, 100)).recent(batches)


def test_last_batches_need_one(rng):
    with pytest.raises(demur.UndefinedError, match="need a batch"):
        PolicyMonitor(shop_policy(rng, 100)).recent()


def test_agreement_by_hand():
    monitor = PolicyMonitor(plain_policy())
    assert monitor.agreement is None
    first = [0, 0, 0, 0, 1, 1, 1, None]
    second = [0, 0, 0, 1, 1, 1, None, 0]
    monitor.update([0.1] * 8, first, weights=[1] * 8, second_labels=second)
    share, (low, high), kappa = monitor.agreement
    # table [[3, 1], [0, 2]]: agreement 5/6, by chance (4 * 3 + 2 * 3) / 36 = 1/2
    assert share == pytest.approx(5 / 6)
    assert kappa == pytest.approx((5 / 6 - 1 / 2) / (1 / 2))
    assert low < share < high
    with pytest.raises(InputError, match="second_labels"):
        monitor.update([0.1], [0], second_labels=[7])
    with pytest.raises(InputError, match="are for labels"):
        monitor.update([0.1], second_labels=[0])
    assert monitor.to_dict()["agreement"]["kappa"] == pytest.approx(2 / 3)


def test_cost_of_a_review_needs_no_label():
    """Abstaining costs 0.6 for both classes, so a review counts whether or not its label came."""
    # rounded, (0.6 + 1) / 5 * 5 - 1 is not 0.6: the price must not pass through the normal form
    costs = CostModel(cost_fn=5, cost_fp=2, cost_abstain=0.6, cost_tn=-1)
    monitor = PolicyMonitor(Policy.from_surface(abstention_surface(Y, S), costs=costs))
    assert monitor.policy.decide([0.3])[0] == -1
    monitor.update([0.3, 0.1, 0.3], [None, 0, None], weights=[1, 1, 1])
    assert monitor.cost == pytest.approx((0.6 - 1 + 0.6) / 3)
    assert monitor.n_labelled == 1


def test_audited_cases_alone_are_refused(rng):
    monitor = PolicyMonitor(shop_policy(rng, 500))
    y, s = shop(rng, 40)
    with pytest.raises(InputError, match="must come with the cases that got no label"):
        monitor.update(s, y.astype(int), weights=[100.0] * 40)
    assert monitor.n == 0


# ---------------------------------------------------------------- files


def test_file_keeps_everything(rng, tmp_path):
    policy = shop_policy(rng, 1000)
    monitor, path = PolicyMonitor(policy, alpha=0.1), tmp_path / "watch.json"
    for day in range(7):
        y, s = shop(rng, 200, 0.1 if day < 4 else 0.4)
        monitor.update(s, y, key=f"day {day}", at=f"2026-01-0{day + 1}")
    monitor.save(path)
    again = PolicyMonitor.load(path)
    assert again.to_dict() == monitor.to_dict()
    assert [row.at for row in again.history] == [row.at for row in monitor.history]
    y, s = shop(rng, 200)
    assert not again.update(s, y, key="day 3")
    again.update(s, y)
    monitor.update(s, y)
    assert again.to_dict()["e_value"] == monitor.to_dict()["e_value"]
    assert again.cost_interval == pytest.approx(monitor.cost_interval, rel=0.02)


def test_state_of_version_1_is_still_read(tmp_path):
    """Decisions (negative, abstained, positive) were rows there, and columns of the history."""
    monitor, path = PolicyMonitor(plain_policy()), tmp_path / "watch.json"
    monitor.update([0.1, 0.1, 0.1, 0.1, 0.2, 0.3, 0.8, 0.9, 0.9], [0, 0, 0, 0, 1, 1, 1, 1, 0], key="monday")
    monitor.update([0.2, 0.3, 0.3, 0.3, 0.8], key="tuesday")
    old = PolicyMonitor.load(Path(__file__).with_name("state_version_1.json"))
    assert old.to_dict() == monitor.to_dict()
    assert [row.counts for row in old.history] == [(5, 3, 1), (1, 1, 3)]
    old.save(path)
    assert json.loads(path.read_text())["version"] == 3
    assert PolicyMonitor.load(path).to_dict() == monitor.to_dict()


def test_state_of_version_2_is_still_read(rng, tmp_path):
    """It did not say how large costs may be: those of a policy by class are known."""
    monitor, path = PolicyMonitor(shop_policy(rng, 500)), tmp_path / "watch.json"
    for _ in range(3):
        y, s = shop(rng, 100)
        monitor.update(s, y)
    monitor.save(path)
    data = json.loads(path.read_text())
    assert data["version"] == 3
    for name in ("high", "largest"):
        del data["cost"][name]
    path.write_text(json.dumps({**data, "version": 2}))
    assert PolicyMonitor.load(path).to_dict() == monitor.to_dict()


def test_file_stays_small_over_two_thousand_batches(rng, tmp_path):
    policy = shop_policy(rng, 10000)
    monitor, path = PolicyMonitor(policy), tmp_path / "watch.json"
    for day in range(2000):
        y, s = shop(rng, 60)
        monitor.update(s, y if day % 10 == 0 else None, key=f"day {day}", at="2026-01-01T00:00:00")
    monitor.save(path)
    assert path.stat().st_size <= 50_000
    assert monitor.n == 120_000
    assert sum(row.n for row in monitor.history) == 120_000
    assert PolicyMonitor.load(path).to_dict() == monitor.to_dict()


def test_state_of_another_policy_is_refused(rng, tmp_path):
    path = tmp_path / "watch.json"
    PolicyMonitor(shop_policy(rng, 300)).save(path)
    with pytest.raises(InputError, match="belongs to another policy"):
        PolicyMonitor.load(path, policy=shop_policy(rng, 300))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d.update(schema="other"), "must be the state of a monitor"),
        (lambda d: d.update(version=9), "version 9"),
        (lambda d: d.pop("evidence"), "`evidence` is missing"),
        (lambda d: d["evidence"]["starts"][0].pop(), "do not fit"),
        (lambda d: d["evidence"].update(log_e="x"), "not a state to trust"),
        (lambda d: d.update(cost=None), "costs do not fit"),
        (lambda d: d.update(labelled=[[1]]), "2 by 3"),
        (lambda d: d.update(agreement=[[1]]), "2 by 2"),
        (lambda d: d["evidence"].update(starts=[]), "first start"),
    ],
)
def test_changed_files_are_refused_in_one_sentence(rng, tmp_path, change, words):
    monitor, path = PolicyMonitor(promised_policy(rng, 300)), tmp_path / "watch.json"
    monitor.update(shop(rng, 50)[1])
    monitor.save(path)
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))
    with pytest.raises(InputError, match=words):
        PolicyMonitor.load(path)


def test_no_json_and_no_file_are_refused(tmp_path):
    (tmp_path / "x.json").write_text("{")
    for name in ("x.json", "y.json"):
        with pytest.raises(InputError, match="must be the state of a monitor"):
            PolicyMonitor.load(tmp_path / name)


def test_figure_shows_what_was_counted(rng):
    import matplotlib.pyplot as plt

    from demur.displays import MonitorDisplay

    monitor = PolicyMonitor(shop_policy(rng, 1000))
    with pytest.raises(demur.UndefinedError, match="needs a batch"):
        MonitorDisplay.from_result(monitor).plot()
    for day in range(4):
        y, s = shop(rng, 200)
        monitor.update(s, y if day else None)
    display = MonitorDisplay.from_result(monitor).plot()
    drawn = display.frame()
    assert len(display.ax_) == 3
    assert drawn["negative"] + drawn["abstained"] + drawn["positive"] == pytest.approx(np.ones(4))
    assert np.isnan(drawn["cost"]).tolist() == [True, False, False, False]
    assert drawn["evidence"][-1] == pytest.approx(math.exp(monitor.history[-1].log_e))
    plt.close(display.figure_)
