"""Cross-fitted surfaces and volumes against loops over the cases, hand computation and quadrature."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import demur
from demur import (
    Binormal,
    InputError,
    ScoreCounts,
    UndefinedError,
    abstention_surface,
    cross_fitted_surface,
    decide,
    volume_interval,
)
from demur._kernels.integrals import proper_volume_scores
from demur._kernels.rectangle_scores import rectangle_scores
from demur.datasets.binormal import paired_binormal_sample
from demur.honest.held_out import Weighting, fold_rows
from oracles import price

POINTS = [(1.0, 0.25), (0.4, 0.1), (2.0, 0.3), (0.7, math.inf), (0.0, 0.2), (1.0, 0.0)]


@st.composite
def paired_counts(draw):
    """Tied counts with 2 or more cases of each class: (scores, positives, negatives)."""
    k = draw(st.integers(1, 7))
    scores = sorted(draw(st.sets(st.integers(-6, 6), min_size=k, max_size=k)))
    columns = [draw(st.lists(st.integers(0, 4), min_size=k, max_size=k)) for _ in range(2)]
    for column in columns:
        column[draw(st.integers(0, k - 1))] += 2
    return [float(score) for score in scores], columns[0], columns[1]


def cases_of(scores, positives, negatives, folds, seed):
    """The cases behind counts with the fold each is in: [(label, score, fold)]."""
    k = len(scores)
    sizes = np.concatenate([positives, negatives]).astype(float)
    rows = fold_rows(sizes, np.arange(2 * k) < k, folds, np.random.default_rng(seed))
    found = []
    for cell, fold, number in zip(*rows, strict=True):
        found += [(int(cell < k), scores[cell % k], int(fold))] * int(number)
    return found


def held_out_losses(cases, mu, nu, folds, prevalence=None):
    """Loss of every case under the window of the other folds, by `decide`."""
    found = []
    for fold in range(folds):
        others = [(y, s) for y, s, v in cases if v != fold]
        window = abstention_surface(*zip(*others, strict=True), prevalence=prevalence).window(mu, nu)
        for y, s, v in cases:
            if v == fold:
                found.append((y, price(y, int(decide([s], window)[0]), mu, nu)))
    return found


# ---------------------------------------------------------------- by hand


def test_two_folds_of_four_cases_by_hand():
    # Negatives at 1 and 2, positives at 3 and 4. If the folds are {3, 1} and {4, 2}, the rule
    # learned from (1, 3) cuts at 2 and calls the negative at exactly 2 positive: one false
    # alarm in four cases. With the other folds everything is right.
    counts = ScoreCounts.from_counts([1, 2, 3, 4], [0, 0, 1, 1], [1, 1, 0, 0])
    seen = set()
    for seed in range(20):
        surface = cross_fitted_surface(counts, folds=2, rng=seed)
        assert surface.hindsight(1, 0.25) == 0
        cost, error = surface.cost(1, 0.25), surface.standard_error(1, 0.25)
        rates = surface.rates(1, 0.25)
        assert (rates.fn, rates.abstention_rate) == (0, 0)
        assert rates.fp == cost
        seen.add((cost, error))
    # losses (1, 0, 0, 0): mean 1/4, standard deviation 1/2, standard error 1/4
    assert seen == {(0.0, 0.0), (0.25, 0.25)}


def test_standard_errors_by_hand():
    # losses 1, 0 of two positives and 1, 0, 0 of three negatives
    sums, squares = (np.array(1.0), np.array(1.0)), (np.array(1.0), np.array(1.0))
    one = Weighting.of(2, 3, None)
    assert one.mean(*sums) == pytest.approx(2 / 5)
    assert one.standard_error(sums, squares) == pytest.approx(math.sqrt(0.3 / 5))
    two = Weighting.of(2, 3, 0.1)
    assert two.mean(*sums) == pytest.approx(0.1 / 2 + 0.9 / 3)
    assert two.standard_error(sums, squares) == pytest.approx(math.sqrt(0.01 * 0.5 / 2 + 0.81 / 3 / 3))


# ---------------------------------------------------------------- against loops over the cases


@given(paired_counts(), st.integers(0, 3), st.sampled_from([2, 3]), st.sampled_from([None, 0.3]))
@settings(max_examples=60, deadline=None)
def test_honest_cost_against_deciding_case_by_case(data, seed, folds, prevalence):
    scores, positives, negatives = data
    folds = min(folds, sum(positives), sum(negatives))
    counts = ScoreCounts.from_counts(*data)
    surface = cross_fitted_surface(counts, folds=folds, rng=seed, prevalence=prevalence)
    cases = cases_of(scores, positives, negatives, folds, seed)
    assert len(cases) == counts.n
    for mu, nu in POINTS:
        losses = held_out_losses(cases, mu, nu, folds, prevalence)
        by_class = [np.array([loss for y, loss in losses if y == label]) for label in (1, 0)]
        if prevalence is None:
            values = np.concatenate(by_class)
            mean, error = values.mean(), values.std(ddof=1) / math.sqrt(len(values))
        else:
            shares = (prevalence, 1 - prevalence)
            mean = sum(w * v.mean() for w, v in zip(shares, by_class, strict=True))
            error = math.sqrt(
                sum(w**2 * v.var(ddof=1) / len(v) for w, v in zip(shares, by_class, strict=True))
            )
        assert surface.cost(mu, nu) == pytest.approx(mean, abs=1e-12)
        assert surface.standard_error(mu, nu) == pytest.approx(error, abs=1e-9)
        assert surface.hindsight(mu, nu) == pytest.approx(
            abstention_surface(counts, prevalence=prevalence).cost(mu, nu), abs=1e-12
        )


@given(paired_counts(), st.integers(0, 5))
@settings(max_examples=40, deadline=None)
def test_folds_are_even_and_complete(data, seed):
    scores, positives, negatives = data
    cases = cases_of(scores, positives, negatives, 2, seed)
    for label, column in ((1, positives), (0, negatives)):
        sizes = [sum(y == label and v == fold for y, _, v in cases) for fold in (0, 1)]
        assert abs(sizes[0] - sizes[1]) <= 1
        for score, number in zip(scores, column, strict=True):
            assert sum(y == label and s == score for y, s, _ in cases) == number


def test_fold_law_is_hypergeometric_against_theory():
    # 3 equal cases among 10 split over two folds of 5: 0..3 in the first fold
    counts = np.zeros(4)
    rng = np.random.default_rng(5)
    for _ in range(4000):
        rows = fold_rows(np.array([3.0, 7.0, 2.0]), np.array([True, True, False]), 2, rng)
        counts[np.count_nonzero((rows.cell == 0) & (rows.fold == 0))] += 1
    expected = np.array([math.comb(3, k) * math.comb(7, 5 - k) / math.comb(10, 5) for k in range(4)])
    assert counts / 4000 == pytest.approx(expected, abs=4 * math.sqrt(0.25 / 4000))


def test_many_cases_choose_their_folds_independently(monkeypatch):
    monkeypatch.setattr("demur.honest.held_out._SHUFFLE_UP_TO", 100)
    sizes = np.array([50_000.0, 3.0, 80_000.0])
    rows = fold_rows(sizes, np.array([True, True, False]), 4, np.random.default_rng(0))
    assert len(rows.cell) <= 12
    assert np.bincount(rows.cell, rows.cases).tolist() == sizes.tolist()
    big = rows.cases[rows.cell == 0]
    assert big == pytest.approx(12_500, abs=5 * math.sqrt(50_000 * 3 / 16))


def test_order_repeats_and_rescaling_of_the_rows_do_not_matter():
    y, s = Binormal().sample(200, rng=3)
    s = np.round(s, 1)
    direct = cross_fitted_surface(y, s, rng=7)
    order = np.random.default_rng(0).permutation(200)
    shuffled = cross_fitted_surface(y[order], s[order], rng=7)
    counted = cross_fitted_surface(ScoreCounts.from_arrays(y, s), rng=7)
    doubled = cross_fitted_surface(np.tile(y, 2), np.tile(s, 2), rng=7)
    weighted = cross_fitted_surface(y, s, sample_weight=np.full(200, 2), rng=7)
    moved = cross_fitted_surface(y, 3 * s + 1, rng=7)
    for mu, nu in POINTS:
        assert direct.cost(mu, nu) == shuffled.cost(mu, nu) == counted.cost(mu, nu)
        assert doubled.cost(mu, nu) == weighted.cost(mu, nu)
        assert moved.cost(mu, nu) == pytest.approx(direct.cost(mu, nu), abs=0.03)
    assert direct.to_dict() == shuffled.to_dict()
    json.dumps(direct.to_dict(), allow_nan=False)


def test_tables_of_a_saved_file_are_enough_for_any_honest_number():
    y, s = Binormal().sample(300, rng=1)
    surface = cross_fitted_surface(y, s, rng=1)
    saved = json.loads(json.dumps(surface.to_dict()))
    mu, nu = 0.8, 0.2
    total = 0.0
    for table in saved["tables"]:
        i = sum(share <= nu for share in table["shares"])
        j = sum(share < 1 - nu / mu for share in table["shares"])
        for x, (p, n) in enumerate(zip(table["positives"], table["negatives"], strict=True)):
            called_positive, called_negative = (x + 1) // 2 >= j, x // 2 < i
            total += n * mu if called_positive else p if called_negative else nu * (p + n)
    assert total / 300 == pytest.approx(surface.cost(mu, nu), abs=1e-12)


# ---------------------------------------------------------------- volumes


@pytest.mark.parametrize(("mu", "nu"), [((0, 1), (0, 1)), ((0.2, 1.5), (0.05, 0.5)), ((0, 3), (0.1, 0.4))])
def test_rectangle_scores_against_quadrature(mu, nu):
    steps = 1500
    x = mu[0] + (np.arange(steps) + 0.5) / steps * (mu[1] - mu[0])
    y = nu[0] + (np.arange(steps) + 0.5) / steps * (nu[1] - nu[0])
    x, y = np.meshgrid(x, y, indexing="ij")
    area = (mu[1] - mu[0]) * (nu[1] - nu[0])
    for share in (0.0, 0.07, 0.3, 0.5, 0.72, 0.95, 1.0):
        choice = np.argmin([np.full(x.shape, share), x * (1 - share), y], axis=0)
        if_positive = np.choose(choice, [np.ones(x.shape), np.zeros(x.shape), y]).mean() * area
        if_negative = np.choose(choice, [np.zeros(x.shape), x, y]).mean() * area
        got = rectangle_scores(np.array([share]), mu, nu)
        assert (got[0][0], got[1][0]) == pytest.approx((if_positive, if_negative), abs=2e-3 * area)


def test_rectangle_scores_of_the_unit_square_against_the_closed_form():
    p = np.linspace(0, 1, 201)
    for got, expected in zip(rectangle_scores(p, (0, 1), (0, 1)), proper_volume_scores(p), strict=True):
        assert got == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("prevalence", [None, 0.6])
def test_volumes_against_quadrature_of_the_costs(prevalence):
    y, s = Binormal().sample(250, rng=4)
    surface = cross_fitted_surface(y, s, rng=4, prevalence=prevalence)
    middle = (np.arange(600) + 0.5) / 600
    for mu, nu in (((0, 1), (0, 1)), ((0.5, 2), (0.1, 0.3))):
        x, z = (low + middle * (high - low) for low, high in (mu, nu))
        area = (mu[1] - mu[0]) * (nu[1] - nu[0])
        honest = np.mean(surface.cost(x[:, None], z[None, :])) * area
        assert surface.volume(mu, nu) == pytest.approx(honest, abs=3e-4 * area)
        found = volume_interval(y, s, rng=4, prevalence=prevalence, mu=mu, nu=nu)
        assert found.honest == surface.volume(mu, nu)
        assert found.hindsight == pytest.approx(surface.surface.volume(mu, nu), abs=1e-13)


def test_volume_interval_is_built_from_its_parts():
    y, s = Binormal().sample(120, rng=0)
    bracket = volume_interval(y, s, rng=1, confidence_level=0.9)
    average = volume_interval(y, s, rng=1, confidence_level=0.9, method="average")
    z = 1.6448536269514722
    assert bracket.low == pytest.approx(bracket.hindsight - z * bracket.hindsight_error)
    assert bracket.high == pytest.approx(bracket.honest + z * bracket.honest_error)
    centre = (average.honest + average.hindsight) / 2
    reach = z * max(average.honest_error, average.hindsight_error)
    assert (average.low, average.high) == pytest.approx((centre - reach, centre + reach))
    json.dumps(bracket.to_dict(), allow_nan=False)


def test_standard_error_of_a_volume_against_the_spread_of_the_scores():
    y, s = Binormal().sample(150, rng=9)
    surface = abstention_surface(y, s)
    share = np.array([surface.shares[np.searchsorted(surface.counts.blocks().upper, one)] for one in s])
    if_positive, if_negative = proper_volume_scores(share)
    values = np.where(y, if_positive, if_negative)
    found = volume_interval(y, s, rng=0)
    assert found.hindsight == pytest.approx(values.mean(), abs=1e-12)
    assert found.hindsight_error == pytest.approx(values.std(ddof=1) / math.sqrt(150), abs=1e-12)


# ---------------------------------------------------------------- the known truth


def test_binormal_truth_against_a_large_sample():
    truth = Binormal(separation=1.5, prevalence=0.3)
    y, s = truth.sample(400_000, rng=0)
    surface = abstention_surface(y, s)
    assert truth.volume() == pytest.approx(surface.volume(), abs=1.5e-3)
    assert truth.auc == pytest.approx(demur.auc_score(y, s), abs=3e-3)
    for mu, nu in POINTS:
        assert truth.cost(mu, nu) == pytest.approx(surface.cost(mu, nu), abs=3e-3)
    window = truth.window(1.0, 0.25)
    codes = decide(s, window)
    paid = np.mean([price(label, code, 1.0, 0.25) for label, code in zip(y, codes, strict=True)])
    assert truth.window_cost(*window, 1.0, 0.25) == pytest.approx(paid, abs=3e-3)


def test_binormal_volume_against_quadrature_of_its_costs():
    truth = Binormal()
    middle = (np.arange(400) + 0.5) / 400
    assert truth.volume() == pytest.approx(np.mean(truth.cost(middle[:, None], middle)), abs=1e-6)


def test_binormal_window_is_the_cheapest_against_a_search():
    truth = Binormal()
    cuts = np.linspace(-4, 5, 300)
    lower, upper = np.meshgrid(cuts, cuts, indexing="ij")
    for mu, nu in [(1.0, 0.25), (0.5, 0.1), (1.0, 0.7)]:
        costs = np.where(lower <= upper, truth.window_cost(lower, upper, mu, nu), np.inf)
        assert truth.cost(mu, nu) == pytest.approx(costs.min(), abs=1e-4)
        assert truth.cost(mu, nu) <= costs.min()


def test_paired_sample_has_the_correlation_asked_for():
    y, a, b = paired_binormal_sample(Binormal(), Binormal(separation=2.0), n=50_000, correlation=0.6, rng=0)
    for members, means in ((y, (1.2, 2.0)), (~y, (0.0, 0.0))):
        assert np.corrcoef(a[members], b[members])[0, 1] == pytest.approx(0.6, abs=0.02)
        assert (a[members].mean(), b[members].mean()) == pytest.approx(means, abs=0.03)


# ---------------------------------------------------------------- edges and errors


def test_infinite_scores_are_held_out_too():
    y = np.tile([0, 1], 40)
    s = np.where(y == 1, np.inf, -np.inf)
    s[:4] = 0.0
    surface = cross_fitted_surface(y, s, rng=0)
    assert 0 <= surface.cost(1, 0.25) <= 0.1


def test_threshold_beside_infinity_is_refused():
    top = np.finfo(float).max
    with pytest.raises(UndefinedError, match="rescale"):
        cross_fitted_surface([0, 0, 1, 1] * 5, [top, top, np.inf, np.inf] * 5, folds=2)


def test_fold_windows_are_windows_of_the_other_folds():
    y, s = Binormal().sample(300, rng=2)
    windows = cross_fitted_surface(y, s, rng=0, folds=5).windows(1, 0.25)
    whole = abstention_surface(y, s).window(1, 0.25)
    assert len(windows) == 5
    assert abs(np.mean([window.lower for window in windows]) - whole.lower) < 0.5


Y, S = [0, 1] * 10, list(range(20))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cross_fitted_surface(Y, S, folds=11), r"`folds` must not exceed .* \(10 positive, 10 neg"),
        (lambda: cross_fitted_surface([0, 0, 0, 1], [1, 2, 3, 4], folds=2), "at least two cases of each"),
        (lambda: cross_fitted_surface(Y, S, folds=100), "Hint: use folds=10"),
        (lambda: cross_fitted_surface(Y, S, folds=1), "`folds` must be a whole number of at least 2"),
        (lambda: cross_fitted_surface(Y, S, folds=2.5), "`folds` must be a whole number"),
        (lambda: cross_fitted_surface(Y, S, rng="seed"), "`rng` must be a seed or a numpy.random.Generator"),
        (lambda: cross_fitted_surface(Y, S, rng=-1), "`rng` as a seed must not be negative"),
        (lambda: cross_fitted_surface(Y, S, sample_weight=[0.5] * 20), "`sample_weight` must hold whole num"),
        (lambda: cross_fitted_surface([1] * 20, S), "needs cases of both classes, got no negative"),
        (lambda: cross_fitted_surface(Y, S, prevalence=2), r"`prevalence` must lie in \[0, 1\]"),
        (lambda: cross_fitted_surface(Y, S, rng=0).cost(-1, 0.2), "`mu` must not be negative, got -1"),
        (lambda: cross_fitted_surface(Y, S, rng=0).cost(1, -0.2), "`nu` must not be negative, got -0.2"),
        (lambda: cross_fitted_surface(Y, S, rng=0).cost(1, math.nan), "`nu` must be a number, got NaN"),
        (lambda: cross_fitted_surface(Y, S, rng=0).cost([1, 2], [1, 2, 3]), "must broadcast"),
        (lambda: cross_fitted_surface(Y, S, rng=0).cost(1, "low"), "`nu` must be a number or an array"),
        (lambda: Binormal().cost(1, -1), "`nu` must not be negative"),
        (
            lambda: cross_fitted_surface(Y, S, rng=0).interval(1, 1, method="bootstrap"),
            "`method` must be one",
        ),
        (lambda: volume_interval(Y, S, rng=0, confidence_level=1), "strictly between 0 and 1"),
        (lambda: volume_interval(Y, S, rng=0, confidence_level=95), r"must lie in \[0, 1\], got 95"),
        (lambda: volume_interval(Y, S, rng=0, mu=(-1, 1)), "`mu` must start at 0"),
        (
            lambda: volume_interval(Y, S, rng=0, method="naive"),
            "`method` must be one of 'bracket', 'average'",
        ),
        (lambda: Binormal(separation=0), "`separation` must be one positive number"),
        (lambda: Binormal(prevalence=1), "`prevalence` must lie strictly between"),
        (lambda: Binormal().sample(0), "`n` must be a whole number"),
        (
            lambda: paired_binormal_sample(Binormal(), Binormal(), n=3, correlation=2),
            "`correlation` must be one number",
        ),
        (
            lambda: paired_binormal_sample(Binormal(), Binormal(prevalence=0.5), n=3, correlation=0),
            "must have the same prevalence",
        ),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call()
