"""Cases in clusters: folds that keep them together, units that intervals count, and what is not offered."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.stats import t

from comparison_oracles import flat_numbers
from demur import CaseCosts, CostModel, InputError, Prevalence, auc_difference_test, compare_models
from demur._kernels.integrals import rectangle_scores
from demur.auc import auc_cluster_interval
from demur.honest import cost_after_choice, mean_loss_interval
from demur.honest.cases import SplitCases
from demur.honest.estimates import row_sample
from demur.honest.mean_loss import intraclass_correlation, mean_loss
from demur.honest.pairs import judged_pair
from demur.honest.splits import split_clusters
from demur.honest.volume_difference import volume_difference_of

COSTS = CostModel(cost_fn=10, cost_fp=10, cost_abstain=2.5)


def _clustered(clusters=40, size=8, seed=0):
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(clusters), size)
    y = (rng.random(len(group)) < np.where(rng.random(clusters) < 0.4, 0.8, 0.1)[group]).astype(int)
    score = 1.5 * y + 0.7 * rng.normal(size=clusters)[group] + 0.7 * rng.normal(size=len(group))
    return y, score, group


# ---------------------------------------------------------------- folds


def test_no_cluster_is_torn_apart_and_classes_are_even():
    y, _, group = _clustered(60, 5)
    for fold in split_clusters(y, group, folds=10, repeats=3, rng=0):
        for one in range(60):
            assert len(set(fold[group == one])) == 1
        shares = [np.bincount(fold[y == k], minlength=10) / np.sum(y == k) for k in (0, 1)]
        assert np.abs(np.array(shares) - 0.1).max() < 0.04


def test_the_largest_cluster_is_dealt_first_by_hand():
    # sizes 3, 2, 1 into two folds: 3 against 2 + 1
    group = np.array([0, 0, 0, 1, 1, 2])
    (fold,) = split_clusters(np.zeros(6, dtype=np.int64), group, folds=2, repeats=1, rng=0)
    assert fold[0] != fold[3] == fold[5]


def test_honest_costs_against_windows_chosen_without_the_clusters_of_a_fold():
    from demur.surface import abstention_surface

    y, score, group = _clustered(24, 6, seed=3)
    compared = compare_models(y, {"a": score}, costs=COSTS, groups=group)
    cases = compared.cases["a"]
    losses = []
    for rows in cases.splits.repeats:
        fold = np.empty(len(y), dtype=int)
        fold[rows.cell] = rows.fold
        for one in range(cases.folds):
            held = fold == one
            assert not set(group[held]) & set(group[~held])
            window = abstention_surface(y[~held], score[~held]).window(costs=COSTS)
            decided = np.where(score >= window.upper, 1, np.where(score <= window.lower, 0, -1))[held]
            losses.append(np.where(decided == -1, 2.5, np.where(decided == y[held], 0, 10)).sum())
    assert compared.models["a"].cost == pytest.approx(sum(losses) / cases.repeats / len(y), abs=1e-12)


# ---------------------------------------------------------------- units


def test_intraclass_correlation_by_hand():
    # equal within clusters; and a cluster whose values are as spread as all of them
    assert intraclass_correlation(np.array([1.0, 1, 2, 2]), np.array([0, 0, 1, 1])) == 1
    assert intraclass_correlation(np.array([1.0, 2, 1, 2]), np.array([0, 0, 1, 1])) == 0
    # mean squares between 4 and within 0.5, two cases each: (4 - 0.5) / (4 + 0.5)
    values = np.array([0.0, 1, 3, 2])
    assert intraclass_correlation(values, np.array([0, 0, 1, 1])) == pytest.approx(7 / 9)
    # a value of two cases is that value twice
    once, number = np.array([0, 1, 3]), np.array([1.0, 1, 2])
    assert intraclass_correlation(once, np.array([0, 0, 1]), number) == pytest.approx(
        intraclass_correlation(np.array([0.0, 1, 3, 3]), np.array([0, 0, 1, 1]))
    )


def test_interval_of_a_rule_against_its_losses():
    y, score, group = _clustered()
    compared = compare_models(y, {"a": score}, costs=COSTS, groups=group)
    candidate = next(one for one in compared.choice.candidates["a"] if one.kind == "window")
    cell = candidate.cases.splits.repeats[0].cell
    table = np.array([[0, 10, 2.5], [10, 0, 2.5]])
    loss = np.mean([table[y[cell], codes] for codes in candidate.judged.honest], axis=0)
    alike = max(intraclass_correlation(column.astype(float), group[cell]) for column in (loss, y[cell] == 1))
    size = len(y) / 40
    worst = loss.mean() + np.sqrt(1 / size + (1 - 1 / size) * alike) * (10 - loss.mean())
    expected = mean_loss_interval(loss, worst=worst, groups=group[cell])
    found = compared.models["a"]
    assert compared.units == expected.units == 40
    assert found.interval.high == pytest.approx(expected.interval.high, abs=1e-12)
    assert found.interval.low == pytest.approx(expected.interval.low, abs=1e-12)


def test_cost_after_choice_draws_clusters():
    y, score, group = _clustered(30, 6, seed=5)
    rng = np.random.default_rng(0)
    scores = {name: score + 0.5 * rng.normal(size=len(y)) for name in "abc"}
    compared = compare_models(y, scores, costs=COSTS, groups=group)
    ordered = compared.choice.all
    cell = ordered[0].cases.splits.repeats[0].cell
    table = np.array([[0, 10, 2.5], [10, 0, 2.5]])
    losses = np.array(
        [np.mean([table[y[cell], codes] for codes in one.judged.honest], axis=0) for one in ordered]
    ).T
    models = [one.model is not None for one in ordered]
    again = cost_after_choice(losses, models=models, groups=group[cell], n_resamples=4000, rng=3)
    error = 4 * again.monte_carlo_error * np.sqrt(10)
    assert compared.answer.advice_cost == pytest.approx(again.all_draws, abs=error)


def test_area_and_volume_count_clusters():
    y, score, group = _clustered()
    alone, together = (
        compare_models(y, {"a": score}, costs=COSTS, groups=groups).models["a"] for groups in (None, group)
    )
    assert together.auc == alone.auc
    assert together.auc_interval == auc_cluster_interval(y, score, groups=group)
    width = [one.vacc_interval.high - one.vacc_interval.low for one in (alone, together)]
    assert width[1] > 1.3 * width[0]


@pytest.mark.parametrize("prevalence", [None, 0.1])
@pytest.mark.parametrize("names", [("groups",), ("time",), ("groups", "time")])
def test_a_row_of_three_cases_against_three_rows(names, prevalence):
    y, score, group = _clustered(seed=2)
    rng = np.random.default_rng(0)
    # few scores, so that many rows of a cluster are alike
    scores = {"a": score.round(), "b": (score + rng.normal(size=len(y))).round(1)}
    given = {"groups": group, "time": rng.integers(0, 60, len(y))}
    weight = rng.integers(1, 4, len(y))
    asked = {"costs": COSTS, "prevalence": prevalence}
    placed = {name: given[name] for name in names}
    short = compare_models(y, scores, sample_weight=weight, weights="repeats", **placed, **asked)
    rows = np.repeat(np.arange(len(y)), weight)
    long = compare_models(
        y[rows],
        {name: column[rows] for name, column in scores.items()},
        **{name: column[rows] for name, column in placed.items()},
        **asked,
    )
    assert short.notes == long.notes
    assert short.answer.words == long.answer.words
    found, expected = (flat_numbers({**one.to_dict(), "weights": None}) for one in (short, long))
    assert found == pytest.approx(expected, rel=1e-11, abs=1e-11)


# ---------------------------------------------------------------- pairs


def _three_models(seed=0, **sizes):
    y, score, group = _clustered(seed=seed, **sizes)
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(2, len(y)))
    return y, {"a": score, "b": score + noise[0], "c": score + 2 * noise[1]}, group


def test_areas_of_pairs_against_single_tests():
    y, scores, group = _three_models()
    pairs = compare_models(y, scores, groups=group).pairs()
    tests = [
        auc_difference_test(y, scores[one.first], scores[one.second], method="delong", groups=group)
        for one in pairs
    ]
    assert [one.auc.to_dict() for one in pairs] == [test.to_dict() for test in tests]
    # Holm: the smallest of three p-values times 3, the next times 2
    order = np.argsort([test.pvalue for test in tests])
    times = np.array([tests[k].pvalue for k in order]) * [3, 2, 1]
    expected = np.minimum(np.maximum.accumulate(times), 1)
    assert [pairs[k].auc_adjusted_pvalue for k in order] == pytest.approx(expected)
    assert [one.volume.df for one in pairs] == [39, 39, 39]


@pytest.mark.parametrize("prevalence", [None, 0.1])
def test_volumes_of_single_cases_as_clusters_against_those_of_cases(prevalence):
    y, scores, _ = _three_models(clusters=20)
    asked = {"weights": "importance", "prevalence": prevalence, "folds": 5, "repeats": 1, "rng": 0}
    cases = SplitCases.of_rows(y == 1, None, quantity="a volume", cluster=np.arange(len(y)), **asked)
    pair = judged_pair(cases, cases.judge(scores["a"]), cases.judge(scores["b"]))
    found = volume_difference_of(pair)
    expected = volume_difference_of(replace(pair, clustered=None))
    assert found.difference == expected.difference
    ratio = found.standard_error / expected.standard_error
    if prevalence is None:
        assert ratio == pytest.approx(1, abs=1e-12)
    else:  # two samples of cases have a factor n / (n - 1) each, clusters of both classes have one
        n, sizes = len(y), np.bincount(y)
        factors = np.sqrt(n / (n - 1) * (sizes - 1) / sizes)
        assert factors.min() < ratio < factors.max()
    assert found.pvalue == pytest.approx(2 * t.sf(abs(found.statistic), len(y) - 1), rel=1e-9)
    low, high = found.interval()
    assert (high - low) / 2 == pytest.approx(t.ppf(0.975, len(y) - 1) * found.standard_error)


def test_volumes_of_copies_against_those_of_their_originals():
    y, scores, _ = _three_models(clusters=20)
    rows = np.repeat(np.arange(len(y)), 3)
    asked = {"weights": "importance", "prevalence": None, "folds": 5, "repeats": 1, "rng": 0}
    forecasts, found = partial(rectangle_scores, mu=(0, 1), nu=(0, 1)), []
    for kept, cluster in ((np.arange(len(y)), None), (rows, rows)):
        cases = SplitCases.of_rows(y[kept] == 1, None, quantity="a volume", cluster=cluster, **asked)
        models = [cases.judge(scores[name][kept]) for name in "ab"]
        first, second = (model.row_scores(cases, forecasts, hindsight=True) for model in models)
        found.append(mean_loss(first - second, row_sample(cases, None), 0.0, added=0))
        expected = judged_pair(cases, *models).hindsight.score_difference_and_error(forecasts)
        assert found[-1].cost == pytest.approx(expected[0], abs=1e-12)
        if cluster is None:
            assert found[0].standard_error == pytest.approx(expected[1], rel=1e-12)
    # three copies of a case are worth one
    assert found[1].standard_error == pytest.approx(found[0].standard_error, rel=1e-12)


def test_pairs_of_equal_models_have_p_of_1():
    y, score, group = _clustered()
    (pair,) = compare_models(y, {"a": score, "b": 2 * score}, groups=group).pairs()
    assert (pair.auc.pvalue, pair.volume.pvalue, pair.auc_adjusted_pvalue) == (1, 1, 1)
    assert (pair.auc.difference, pair.volume.difference) == (0, 0)


def test_pairs_need_two_models_of_two_classes():
    y, score, group = _clustered()
    assert compare_models(y, {"a": score}, groups=group).pairs() == ()
    costs = {k: {one: float(one != k) for one in range(3)} for k in range(3)}
    proba = np.random.default_rng(0).dirichlet([1, 1, 1], len(y))
    three = compare_models(np.arange(len(y)) % 3, {"a": proba, "b": proba}, costs=costs, classes=range(3))
    assert three.pairs() == ()


@pytest.mark.parametrize("kind", ["two", "amounts", "three"])
def test_clusters_of_one_case_change_nothing(kind):
    y, score, _ = _clustered(20, 6)
    asked = {"costs": COSTS}
    if kind == "amounts":
        asked = {"costs": CaseCosts(cost_fn=np.arange(120.0) + 1, cost_fp=10, cost_abstain=3)}
    if kind == "three":
        y = np.arange(120) % 3
        score = np.random.default_rng(0).dirichlet([1, 1, 1], 120) + 0.5 * np.eye(3)[y]
        costs = {0: {1: 2, 2: 5}, 1: {0: 3, 2: 1}, 2: {0: 9, 1: 4}}
        asked = {"costs": costs, "classes": [0, 1, 2], "abstain_cost": 0.8}
    found = [
        compare_models(y, {"a": score}, groups=groups, **asked).to_dict() for groups in (None, np.arange(120))
    ]
    assert found[0] == found[1]


# ---------------------------------------------------------------- what is not offered


def test_no_guarantee_beside_clusters():
    y, score, group = _clustered(100, 20)
    compared = compare_models(y, {"a": score}, costs=COSTS, groups=group)
    assert compared.answer.guaranteed_cost is None
    assert "uarantee" not in compared.answer.words
    assert compared.notes[0] == (
        "2,000 cases in 100 clusters: intervals count clusters; a guarantee needs independent cases."
    )
    for asked in ({"objective": "guaranteed"}, {"min_precision_positive": 0.8, "precision_confidence": 0.9}):
        with pytest.raises(InputError, match="a guarantee needs independent cases"):
            compare_models(y, {"a": score}, costs=COSTS, groups=group, **asked)


def test_few_clusters_are_remarked_on():
    y, score, group = _clustered(12, 10)
    notes = compare_models(y, {"a": score}, costs=COSTS, groups=group).notes
    assert "With fewer than 20 clusters intervals are wide and rest on few of them." in notes


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        ([1, 2], "`groups`"),
        ([[1]] * 4, "`groups` must be one-dimensional"),
        ([1, 1, 2, 2], "at least two clusters of each class"),
    ],
)
def test_refusals(groups, said):
    with pytest.raises(InputError, match=said):
        compare_models([0, 0, 1, 1], [0.1, 0.2, 0.3, 0.4], costs=COSTS, groups=groups)


# ---------------------------------------------------------------- prevalence as an estimate


def test_an_estimated_prevalence_adds_its_error():
    y, score, _ = _clustered()
    known = compare_models(y, {"a": score}, costs=COSTS, prevalence=0.05)
    unsure = compare_models(y, {"a": score}, costs=COSTS, prevalence=Prevalence(positives=5, cases=100))
    assert unsure.answer.cost == known.answer.cost
    candidate = known.choice.candidates["a"][-1]
    table = np.array([[0, 10, 2.5], [10, 0, 2.5]])
    means = (candidate.honest * table).sum(axis=1) / candidate.honest.sum(axis=1)
    from demur.comparison.estimates import cost_of

    errors = [cost_of(candidate, one.problem).mean.standard_error for one in (known, unsure)]
    added = (means[1] - means[0]) ** 2 * 0.05 * 0.95 / 100
    assert errors[1] ** 2 == pytest.approx(errors[0] ** 2 + added, rel=1e-12)


@pytest.mark.parametrize(("positives", "cases"), [(0, 10), (10, 10), (11, 10), (-1, 10)])
def test_an_estimate_lies_between_none_and_all(positives, cases):
    with pytest.raises(InputError, match="`positives` must lie between 0 and cases"):
        Prevalence(positives=positives, cases=cases)
