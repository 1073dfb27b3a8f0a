"""`Comparison.by`: by hand, against a loop over the cases, sums over groups, and what is refused."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from scipy.stats import norm

from demur import Binormal, CaseCosts, CostModel, CostRange, InputError, ScoreCounts, compare_models
from demur.comparison.case_table import CaseTable
from demur.comparison.choice import chosen
from demur.comparison.comparison import compared
from demur.comparison.problem import DecisionProblem, Limits
from demur.honest import mean_loss_interval

COSTS = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)
RATES = ("cost", "error_rate", "miss_rate", "alarm_rate", "abstention_rate")
N = 400


def data(seed=0):
    """Return classes, a score that is worse in one of three groups, and the groups."""
    rng = np.random.default_rng(seed + 1)
    y, s = Binormal(separation=2.0, prevalence=0.4).sample(N, rng=seed)
    group = rng.choice(["a", "b", "c"], N, p=[0.6, 0.3, 0.1])
    return y, np.round(np.where(group == "b", rng.normal(size=N), s), 2), group


def classes_data(seed=0):
    """Return three classes, their probabilities, and the groups."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, N)
    proba = rng.dirichlet([1, 1, 1], N) + 0.5 * np.eye(3)[y]
    return y, proba / proba.sum(axis=1, keepdims=True), rng.choice(["a", "b"], N)


def settings():
    """Return comparisons of every sort of problem, each with the groups of its cases."""
    y, s, group = data()
    rng = np.random.default_rng(5)
    weight, cluster = rng.integers(0, 4, N) / 2, rng.integers(0, 80, N)
    amounts = CaseCosts(cost_fn=rng.lognormal(3, 1, N), cost_fp=10.0, cost_abstain=4.0)
    wide = CostRange(cost_fn=(80, 160), cost_fp=(30, 50), cost_abstain=12)
    y3, p3, group3 = classes_data()
    matrix = {k: {j: 2.0 + k for j in range(3) if j != k} for k in range(3)}
    many = {"classes": [0, 1, 2], "costs": matrix}
    return {
        "plain": (compare_models(y, {"m": s, "w": -s}, costs=COSTS), group),
        "weights": (compare_models(y, s, costs=COSTS, sample_weight=weight), group),
        "repeats": (compare_models(y, s, costs=COSTS, sample_weight=2 * weight, weights="repeats"), group),
        "clusters": (compare_models(y, s, costs=COSTS, groups=cluster), group),
        "prevalence": (compare_models(y, s, costs=COSTS, prevalence=0.1), group),
        "amounts": (compare_models(y, s, costs=amounts), group),
        "ranges": (compare_models(y, s, costs=wide), group),
        "limits": (compare_models(y, s, costs=COSTS, max_abstention=0.1), group),
        "time": (compare_models(y, s, costs=COSTS, time=np.arange(N)), group),
        "no model": (compare_models(y, group == "b", costs=CostModel(cost_abstain=0.01)), group),
        "classes": (compare_models(y3, p3, **many, abstain_cost=0.8), group3),
        "classes, weights": (compare_models(y3, p3, **many, abstain_cost=0.8, sample_weight=weight), group3),
        "classes, repeats": (
            compare_models(y3, p3, **many, sample_weight=2 * weight, weights="repeats"),
            group3,
        ),
    }


SETTINGS = settings()


@pytest.fixture(params=SETTINGS)
def setting(request):
    return SETTINGS[request.param]


class Row(NamedTuple):
    """One judged row: the mean of its losses and errors over the splits, and what the written rule does."""

    group: str
    true: int
    weight: float
    number: float
    loss: float
    wrong: float
    sent: bool
    cluster: int | None


def rows_of(comparison, group):
    """Go through the cases one by one."""
    candidate = chosen(comparison.choice)
    cases, problem = candidate.cases, comparison.problem
    rows, judged, shares = cases.splits.repeats[0], cases.splits.judged(), problem.centre.shares
    sizes = np.zeros(cases.n_classes)
    for row, cell in enumerate(rows.cell):
        sizes[int(cases.codes[cell])] += judged[row]
    found = []
    for row, cell in enumerate(rows.cell):
        if not judged[row]:
            continue
        true = int(cases.codes[cell])
        weight = judged[row] if shares is None else judged[row] * shares[true] / sizes[true]
        table = problem.centre.losses.table[true] if cases.losses is None else cases.losses[cell]
        if cases.losses is not None:
            table = table * np.array(problem.centre.costs)
        codes = [int(split[row]) for split in candidate.judged.honest]
        loss = sum(table[code] for code in codes) / len(codes)
        wrong = sum(code not in (true, -1) for code in codes) / len(codes)
        source = int(cell) if cases.rows is None else int(cases.rows[cell])
        cluster = None if cases.cluster is None else int(cases.cluster[cell])
        sent = bool(candidate.judged.hindsight[row] == -1)
        found.append(Row(str(group[source]), true, weight, judged[row], loss, wrong, sent, cluster))
    return found


def weighted(rows, name):
    """Return the mean of a field over some rows."""
    return sum(row.weight * getattr(row, name) for row in rows) / sum(row.weight for row in rows)


def test_numbers_against_a_loop_over_the_cases(setting):
    comparison, group = setting
    found, rows = comparison.by(group), rows_of(comparison, group)
    assert [one.name for one in found.groups] == sorted(set(group))
    everything = sum(row.weight for row in rows)
    for one in found.groups:
        own = [row for row in rows if row.group == one.name]
        assert one.n == pytest.approx(sum(row.number for row in own), rel=1e-12)
        assert one.share == pytest.approx(sum(row.weight for row in own) / everything, rel=1e-12)
        assert one.cost == pytest.approx(weighted(own, "loss"), rel=1e-12)
        assert one.error_rate == pytest.approx(weighted(own, "wrong"), abs=1e-12)
        assert one.abstention_rate == pytest.approx(weighted(own, "sent"), abs=1e-12)
        if comparison.problem.many:
            assert one.miss_rate is one.alarm_rate is None
            continue
        for rate, true in ((one.miss_rate, 1), (one.alarm_rate, 0)):
            of_class = [row for row in own if row.true == true]
            assert rate == pytest.approx(weighted(of_class, "wrong"), abs=1e-12)


def test_groups_add_up_to_the_answer(setting):
    comparison, group = setting
    found, answer = comparison.by(group), comparison.answer
    shares = [one.share for one in found.groups]
    assert math.fsum(shares) == pytest.approx(1, rel=1e-12)

    def mean(name):
        return np.average([getattr(one, name) for one in found.groups], weights=shares)

    assert mean("cost") == pytest.approx(answer.honest_cost, rel=1e-12)
    assert found.whole.cost == pytest.approx(answer.honest_cost, rel=1e-12)
    assert mean("error_rate") == pytest.approx(answer.error_rate, abs=1e-12)
    assert mean("abstention_rate") == pytest.approx(list(answer.shares.values())[-1], abs=1e-12)
    assert found.whole.abstention_rate == pytest.approx(mean("abstention_rate"), abs=1e-12)
    sizes = math.fsum(one.n for one in found.groups)
    assert found.whole.n == pytest.approx(sizes, rel=1e-12)


def test_intervals_hold_the_estimates_and_know_what_is_possible(setting):
    comparison, group = setting
    found = comparison.by(group)
    for one in (*found.groups, found.whole):
        for name in RATES:
            value, ends = getattr(one, name), getattr(one, f"{name}_interval")
            if value is not None:
                assert ends.low - 1e-12 <= value <= ends.high + 1e-12
                assert name == "cost" or 0 <= ends.low <= ends.high <= 1


def interval_of(rows, name, worst):
    """Return the interval of the mean of a field by the public function."""
    clusters = [row.cluster for row in rows]
    return mean_loss_interval(
        [getattr(row, name) for row in rows],
        worst=worst,
        sample_weight=[row.weight for row in rows],
        groups=None if None in clusters else clusters,
    ).interval


@pytest.mark.parametrize("name", ["plain", "weights", "clusters"])
def test_intervals_against_mean_loss_interval(name):
    comparison, group = SETTINGS[name]
    rows = rows_of(comparison, group)
    for one in comparison.by(group).groups:
        own = [row for row in rows if row.group == one.name]
        for true, ends in ((1, one.miss_rate_interval), (0, one.alarm_rate_interval)):
            low, high = interval_of([row for row in own if row.true == true], "wrong", 1.0)
            assert tuple(ends) == pytest.approx((max(low, 0), min(high, 1)), abs=1e-12)
        if name == "plain":  # the worst loss of a case that weighs as much as others is a miss
            assert tuple(one.cost_interval) == pytest.approx(interval_of(own, "loss", 100.0), rel=1e-12)


def test_review_share_against_wilson():
    comparison, group = SETTINGS["plain"]
    z = norm.ppf(0.975)
    for one in comparison.by(group).groups:
        p, n = one.abstention_rate, one.n
        centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
        half = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        assert tuple(one.abstention_rate_interval) == pytest.approx((centre - half, centre + half), rel=1e-9)


@pytest.mark.parametrize("name", SETTINGS)
def test_printed_groups_add_up(name):
    """Cases add up exactly; printed costs within the last digit, weighted by what the note says."""
    comparison, group = SETTINGS[name]
    found = comparison.by(group)
    cases = [round(one.n) for one in found.groups]
    assert sum(cases) == round(found.whole.n)
    by_cases = "weighted by cases" in found.note
    weights = [one.n / found.whole.n if by_cases else one.share for one in found.groups]
    assert "no cost of their own" not in found.note
    for digits in (0, 1, 2):
        printed = sum(
            w * round(1000 * one.cost, digits) for w, one in zip(weights, found.groups, strict=True)
        )
        assert abs(printed - round(1000 * found.whole.cost, digits)) <= 1.001 * 10.0**-digits


def test_the_note_says_what_does_not_add_up():
    comparison, group = SETTINGS["plain"]
    assert comparison.by(group).note == "costs of the groups, weighted by cases, add up to that of all"
    alone = comparison.by(np.where(np.arange(N) == 0, "one", "rest"))
    assert alone.note.endswith("; groups of fewer than two cases (1) have no cost of their own")
    assert alone.to_dict()["note"] == alone.note
    comparison, group = SETTINGS["prevalence"]
    assert "their shares in use" in comparison.by(group).note


def test_one_group_is_the_whole():
    comparison, _ = SETTINGS["plain"]
    found = comparison.by(["same"] * N)
    (only,) = found.groups
    model = comparison.models[comparison.answer.model]
    assert only.cost_interval.high == pytest.approx(model.interval.high, rel=1e-12)
    assert tuple(found.whole.cost_interval) == tuple(model.interval)
    assert (only.n, only.share, found.whole.name) == (N, pytest.approx(1), "all")


def test_two_groups_by_hand():
    # perfect in the first group; in the second the score says the opposite, so every case is wrong
    y = np.array([0, 1] * 100 + [0, 1] * 20)
    s = np.array([0.0, 1.0] * 100 + [1.0, 0.0] * 20)
    group = np.array([2] * 200 + [10.0] * 40)
    found = compare_models(y, s, costs=CostModel(cost_fn=3, cost_fp=1)).by(group)
    first, second = found.groups
    assert (first.name, second.name) == ("2", "10")  # by size, not by letters
    assert (first.cost, first.error_rate, first.miss_rate, first.alarm_rate) == (0, 0, 0, 0)
    second_rates = (second.cost, second.error_rate, second.miss_rate, second.alarm_rate)
    assert second_rates == pytest.approx((2, 1, 1, 1))
    assert (first.share, second.share) == pytest.approx((200 / 240, 40 / 240))
    assert first.abstention_rate == second.abstention_rate == 0
    assert tuple(second.error_rate_interval) == pytest.approx((1, 1))
    # nothing went wrong, and yet something may: one miss more
    assert first.cost_interval.low == 0
    assert first.miss_rate_interval.high > 1 / 101


def test_groups_of_one_case_and_of_one_cluster():
    y, s, _ = data()
    group = np.full(N, "most", dtype=object)
    group[0], group[1:4], group[4:6] = "one", None, "two"
    found = compare_models(y, s, costs=COSTS).by(group)
    missing, most, one, two = found.groups
    assert (missing.name, most.n, one.n, two.n) == ("", N - 6, 1, 2)
    assert one.cost is one.cost_interval is one.abstention_rate is None
    assert two.cost is not None
    assert two.cost_interval is not None
    cluster = np.where(group == "two", 1000, np.arange(N) // 2)
    clustered = compare_models(y, s, costs=COSTS, groups=cluster).by(group)
    again = clustered.groups[-1]
    assert again.cost is not None
    assert again.cost_interval is again.error_rate_interval is None


def test_rows_of_weight_0_count_nowhere():
    comparison, group = SETTINGS["weights"]
    gone = np.setdiff1d(np.arange(N), comparison.choice.first.rows)
    assert len(gone) > 0
    other = np.array(group, dtype=object)
    other[gone] = "nowhere"
    assert comparison.by(other).to_dict() == comparison.by(group).to_dict()


def test_the_best_model_where_none_answers():
    comparison, group = SETTINGS["no model"]
    assert comparison.answer.model is None
    assert comparison.by(group).whole.cost == pytest.approx(comparison.answer.honest_cost, rel=1e-12)
    best = comparison.best_model()
    assert comparison.by(group, models_only=True).whole.cost == pytest.approx(best.honest_cost, rel=1e-12)


def test_results_are_json_safe():
    comparison, group = SETTINGS["plain"]
    told = comparison.by(group).to_dict()
    assert told["confidence_level"] == 0.95
    assert told["two_classes"] is True
    assert [one["name"] for one in told["groups"]] == ["a", "b", "c"]
    assert told["groups"][0]["cost_interval"] == list(comparison.by(group).groups[0].cost_interval)


@pytest.mark.parametrize("values", [["a"] * (N - 1), [["a"]] * N, "a"])
def test_other_numbers_of_values_are_refused(values):
    comparison, _ = SETTINGS["plain"]
    with pytest.raises(InputError, match=f"`values` must hold one value for each of {N} cases, got an array"):
        comparison.by(values)


def test_without_costs_rows_or_labels_there_are_no_groups():
    y, s, group = data()
    with pytest.raises(InputError, match="`costs` are needed for groups"):
        compare_models(y, s).by(group)
    asked = {"prevalence": None, "objective": None, "limits": Limits(), "confidence_level": 0.95, "seed": 0}
    problem = DecisionProblem.checked(costs=COSTS, **asked)
    counted = compared(CaseTable.of_counts({"m": ScoreCounts.from_arrays(y, s)}, problem), problem)
    with pytest.raises(InputError, match="`values` need the cases themselves, but only counts are at hand"):
        counted.by(group)
    labels = np.where(np.arange(N) % 50 == 0, np.nan, y)
    bounded = compare_models(labels, s, costs=COSTS, missing_labels="bounds")
    with pytest.raises(InputError, match="`values` need cases with a label"):
        bounded.by(group)


@pytest.mark.long
def test_intervals_cover_the_cost_of_a_group():
    """On 400 samples the interval of a group of 60 cases holds what its rules cost on fresh cases."""
    held = 0
    rounds = 400
    fresh_y, fresh_s = Binormal(separation=1.5, prevalence=0.3).sample(100_000, rng=10_000)
    for seed in range(rounds):
        y, s = Binormal(separation=1.5, prevalence=0.3).sample(300, rng=seed)
        group = np.where(np.arange(300) % 5 == 0, "small", "large")
        comparison = compare_models(y, s, costs=COSTS)
        codes = comparison.answer.decide(fresh_s)
        truth = np.array([[0, 40, 12], [100, 0, 12]])[fresh_y.astype(int), codes].mean()
        small = comparison.by(group).groups[1]
        held += small.cost_interval.low <= truth <= small.cost_interval.high
    assert held / rounds >= 0.93
