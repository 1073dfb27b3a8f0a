"""The promise that is watched: by hand, and false alarms of it over 500 looks where nothing has changed."""

import math
from dataclasses import replace

import numpy as np
import pytest

from demur import CostModel, Policy, PolicyMonitor, compare_models
from demur.monitoring.betting import CostSequence, share_sequence
from monitoring_cases import promised_policy, shop, shop_policy

COSTS = CostModel(cost_fn=100, cost_fp=40, cost_abstain=15)


def population(rng, n, *, models=1, ties=False, cluster=1, copies=False):
    """Return classes, scores of some equally good models, and clusters of some size; or copies of a case."""
    of = np.arange(n) // cluster
    units = of[-1] + 1
    positive = (rng.random(units) < 0.3)[of]
    shared, own = rng.standard_normal((units, models))[of], rng.standard_normal((n, models))
    noise = own if cluster == 1 else shared if copies else 0.7 * shared + math.sqrt(0.51) * own
    scores = 2 * positive[:, None] + noise
    if ties:
        scores = np.clip(np.round(1.5 * scores + 3), 0, 9)
    return positive.astype(int), scores, None if cluster == 1 else of


def alarmed(rng, n, *, looks=500, labels=20, late=0, **design):
    """Tell whether the promise is called broken at one of so many looks, each with some labels.

    `late` batches of scores come before the labels of the first. None where no policy is made.
    """
    positive, scores, clusters = population(rng, n, **design)
    if clusters is not None and len(set(clusters[positive == 1])) < 2:
        return None
    table = {f"m{k}": column for k, column in enumerate(scores.T)}
    answer = compare_models(positive, table, costs=COSTS, groups=clusters).answer
    if answer.model is None:
        return None
    monitor = PolicyMonitor(Policy.from_answer(answer))
    truth, later, _ = population(rng, looks * labels, **design)
    column = later[:, int(answer.model[1:])]
    batches = [slice(labels * k, labels * (k + 1)) for k in range(looks)]
    for look in range(looks):
        if late:
            monitor.update(column[batches[look]])
        if look >= late:
            known = batches[look - late]
            monitor.update_labels(column[known], truth[known])
        if monitor.promise_e_value >= 1 / monitor.alpha:
            return True
    return False


def rate(runs, *, seed=5, **design):
    rng = np.random.default_rng(seed)
    found = [one for _ in range(runs) if (one := alarmed(rng, **design)) is not None]
    return np.mean(found), len(found)


def test_promise_is_the_cost_after_the_choice_and_its_upper_end(rng):
    positive, scores, _ = population(rng, 200, models=3)
    table = {f"m{k}": column for k, column in enumerate(scores.T)}
    answer = compare_models(positive, table, costs=COSTS).answer
    policy = Policy.from_answer(answer)
    promise = PolicyMonitor(policy).promise
    assert (promise.cost, promise.limit) == (answer.cost, answer.interval.high)
    # the rule as written, on the cases at hand
    assert promise.abstention_rate == pytest.approx(np.mean(answer.decide(table[answer.model]) == -1))
    assert promise.error_rate == pytest.approx(answer.error_rate)


def test_evidence_against_the_promise_by_hand():
    """One stake for eight cases: log K+ is the sum of log(1 + u (y - limit)), of which a half counts."""
    values = np.array([0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0])
    # variance 1/4 before the first case, and 8 cases
    stake = math.sqrt(2 * math.log(2 / 0.05) / (0.25 * 8 * math.log(9)))
    stake = min(stake, 0.5 / 0.2)
    capital = 3 * math.log(1 + stake * 0.8) + 5 * math.log(1 - stake * 0.2)
    sequence = CostSequence(low=0.0, high=1.0, alpha=0.05, promise=0.2).updated(values)
    assert sequence.log_evidence == pytest.approx(max(capital, 0.0) - math.log(2))


def test_cases_that_belong_together_count_as_one_by_hand():
    """Four copies of every case bet like the cases alone."""
    values = np.array([0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    alone = CostSequence(low=0.0, high=1.0, alpha=0.05, promise=0.2).updated(values)
    copies = CostSequence(low=0.0, high=1.0, alpha=0.05, promise=0.2, cluster_size=4.0)
    # eight cases are the first stake of both; the copies come as one chunk, too
    copies = copies._with_chunk(np.repeat(values, 4), 0.0, 1.0)
    assert copies.log_evidence == pytest.approx(alone.log_evidence)
    assert copies.interval == alone.interval


def test_a_policy_decided_with_clusters_says_how_large_they_are(rng, tmp_path):
    positive, scores, clusters = population(rng, 300, cluster=5)
    score = scores[:, 0]
    answer = compare_models(positive, {"m": score}, costs=COSTS, groups=clusters).answer
    Policy.from_answer(answer).save(tmp_path / "p.json")
    monitor = PolicyMonitor(Policy.load(tmp_path / "p.json"))
    assert monitor.policy.evidence.cluster_size == 5
    assert monitor.notes == ["Cases come in clusters: 5 of them count as one."]
    assert monitor.cells.n_positive == pytest.approx(positive.sum() / 5)
    monitor.update(score, positive)
    sent = np.sum(monitor.policy.decide(score) == -1)
    # 300 cases count as 60
    limits = share_sequence(sent / 5, 60, alpha=0.05, expected=monitor.reference.expected[-1])
    assert monitor.abstention_interval == limits


def test_scores_of_clusters_raise_no_alarm_unless_taken_for_independent_cases(rng):
    positive, scores, clusters = population(rng, 400, cluster=5, copies=True)
    policy = Policy.from_answer(
        compare_models(positive, {"m": scores[:, 0]}, costs=COSTS, groups=clusters).answer
    )
    taken = replace(policy, evidence=replace(policy.evidence, cluster_size=1.0))
    aware, unaware = PolicyMonitor(policy), PolicyMonitor(taken)
    for _ in range(100):
        later = population(rng, 50, cluster=5, copies=True)[1][:, 0]
        aware.update(later)
        unaware.update(later)
    assert aware.e_value < 20 < unaware.e_value


def test_size_of_the_cluster_of_a_case_by_hand(rng):
    positive, scores, _ = population(rng, 300)
    clusters = np.repeat(range(150), np.tile([1, 1, 4], 50))
    answer = compare_models(positive, {"m": scores[:, 0]}, costs=COSTS, groups=clusters).answer
    # two of six cases are alone, four share a cluster of four
    assert answer.cluster_size == pytest.approx((1 + 1 + 4 * 4) / 6)


def test_hindsight_promises_nothing(rng):
    monitor = PolicyMonitor(shop_policy(rng, 500))
    y, s = shop(rng, 2000)
    monitor.update(s, ~y)
    assert (monitor.promise, monitor.promise_e_value) == (None, 1.0)
    assert not any("promised" in sentence for sentence in monitor.alarms)
    # the cost is counted nevertheless
    assert monitor.cost > 0
    assert [note.split(":")[0] for note in monitor.notes] == ["The policy promises no cost"]
    assert PolicyMonitor(promised_policy(rng, 500)).notes == []


def test_a_few_looks_where_nothing_has_changed_stay_quiet():
    assert rate(12, n=120, looks=60)[0] == 0


DESIGNS = {
    "independent": {},
    "delayed": {"late": 10},
    "ten values": {"ties": True},
    "clusters of four": {"cluster": 4},
    "five copies": {"cluster": 5, "copies": True},
    "many labels": {"labels": 200},
}


@pytest.mark.long
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize(("n", "models"), [(120, 8), (1000, 1)])
def test_false_alarms_of_the_promise_over_500_looks(n, models, design):
    """At most 5 %, and two standard errors of 60 runs."""
    found, runs = rate(60, n=n, models=models, **DESIGNS[design])
    assert found <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / runs)
