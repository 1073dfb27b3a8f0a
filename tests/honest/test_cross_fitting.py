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
    net_benefit_curve,
    volume_interval,
)
from demur._kernels.integrals import proper_volume_scores, rectangle_scores
from demur.datasets.binormal import paired_binormal_sample
from demur.honest.held_out import Weighting, reweighted
from demur.honest.splits import check_folds, check_repeats, split_cases
from examples import examples
from oracles import folds_of, price

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


def splits_of(scores, positives, negatives, folds, repeats, seed):
    """The cases behind counts with the fold each is in, split by split: [[(label, score, fold)]].

    Cases of one score and class are exchangeable: positives ascending, then negatives.
    """
    labels = [1] * sum(positives) + [0] * sum(negatives)
    values = [*np.repeat(scores, positives), *np.repeat(scores, negatives)]
    return [
        list(zip(labels, values, fold.tolist(), strict=True))
        for fold in folds_of(labels, folds, repeats, seed)
    ]


def held_out_losses(cases, mu, nu, folds, prevalence=None):
    """Loss of every case under the window of the other folds, by `decide`."""
    losses = []
    for fold in range(folds):
        others = [(y, s) for y, s, v in cases if v != fold]
        window = abstention_surface(*zip(*others, strict=True), prevalence=prevalence).window(mu, nu)
        for y, s, v in cases:
            if v == fold:
                losses.append((y, price(y, int(decide([s], window)[0]), mu, nu)))
    return losses


def mean_and_error(losses, repeats, prevalence):
    """Mean over the splits, and the standard error of a mean with sums of squares averaged as well.

    `losses` lists (label, loss) of every case in every split.
    """
    mean = variance = 0.0
    groups = [(1.0, [0, 1])] if prevalence is None else [(prevalence, [1]), (1 - prevalence, [0])]
    for share, labels in groups:
        values = np.array([loss for y, loss in losses if y in labels])
        n = len(values) / repeats
        total, square = values.sum() / repeats, (values**2).sum() / repeats
        mean += share * total / n
        variance += share**2 * (square - total**2 / n) / (n * (n - 1))
    return mean, math.sqrt(max(variance, 0.0))


# ---------------------------------------------------------------- by hand


def test_two_folds_of_four_cases_by_hand():
    # Negatives at 1 and 2, positives at 3 and 4. If the folds are {3, 1} and {4, 2}, the rule
    # learned from (1, 3) cuts at 2 and calls the negative at exactly 2 positive: one false
    # alarm in four cases. With the other folds everything is right.
    counts = ScoreCounts.from_counts([1, 2, 3, 4], [0, 0, 1, 1], [1, 1, 0, 0])
    seen = set()
    for seed in range(20):
        surface = cross_fitted_surface(counts, folds=2, repeats=1, rng=seed)
        assert surface.hindsight(1, 0.25) == 0
        cost, error = surface.cost(1, 0.25), surface.standard_error(1, 0.25)
        rates = surface.rates(1, 0.25)
        assert (rates.fn, rates.abstention_rate) == (0, 0)
        assert rates.fp == cost
        seen.add((cost, error))
    # losses (1, 0, 0, 0): mean 1/4, standard deviation 1/2, standard error 1/4
    assert seen == {(0.0, 0.0), (0.25, 0.25)}


def test_splits_are_averaged_by_hand():
    # as above: a share q of the splits has one false alarm in four cases, the others have none. Sums
    # and sums of squares are both q, so the mean is q / 4 and the squared error (q - q^2 / 4) / 12.
    counts = ScoreCounts.from_counts([1, 2, 3, 4], [0, 0, 1, 1], [1, 1, 0, 0])
    each = [cross_fitted_surface(counts, folds=2, repeats=1, rng=seed).cost(1, 0.25) for seed in range(20)]
    assert 0 < np.mean(each) < 0.25
    surface = cross_fitted_surface(counts, folds=2, repeats=8, rng=3)
    share = 4 * surface.cost(1, 0.25)
    assert share * 8 == round(share * 8)
    assert 0 < share < 1
    assert surface.standard_error(1, 0.25) == pytest.approx(math.sqrt((share - share**2 / 4) / 12))
    assert (surface.folds, surface.repeats, surface.source) == (2, 8, "counts")
    assert len(surface.judged.tables) == 16
    assert sum(table.positives.sum() for table in surface.judged.tables) == pytest.approx(2)


def test_numbers_of_folds_and_splits_by_hand():
    assert [check_repeats(None, n) for n in (4, 2000, 2001, 5000, 19_999, 20_000, 10**6)] == [
        10, 10, 10, 4, 2, 1, 1
    ]  # fmt: skip
    assert check_repeats(3, 10**6) == 3
    assert [check_folds(None, p, n) for p, n in ((2, 50), (50, 7), (10, 10), (99, 99))] == [2, 7, 10, 10]


def test_standard_errors_by_hand():
    # losses 1, 0 of two positives and 1, 0, 0 of three negatives
    sums, squares = (np.array(1.0), np.array(1.0)), (np.array(1.0), np.array(1.0))
    one = Weighting.of(2, 3, None)
    assert one.mean_and_error(sums, squares) == pytest.approx((2 / 5, math.sqrt(0.3 / 5)))
    two = Weighting.of(2, 3, 0.1)
    error = math.sqrt(0.01 * 0.5 / 2 + 0.81 / 3 / 3)
    assert two.mean_and_error(sums, squares) == pytest.approx((0.1 / 2 + 0.9 / 3, error))


# ---------------------------------------------------------------- against loops over the cases


@given(
    paired_counts(),
    st.integers(0, 3),
    st.sampled_from([2, 3]),
    st.sampled_from([1, 2, 3]),
    st.sampled_from([None, 0.3]),
)
@settings(max_examples=examples(60), deadline=None)
def test_honest_cost_against_deciding_case_by_case(data, seed, folds, repeats, prevalence):
    folds = min(folds, sum(data[1]), sum(data[2]))
    counts = ScoreCounts.from_counts(*data)
    surface = cross_fitted_surface(counts, folds=folds, repeats=repeats, rng=seed, prevalence=prevalence)
    splits = splits_of(*data, folds, repeats, seed)
    assert all(len(cases) == counts.n for cases in splits)
    for mu, nu in POINTS:
        losses = [one for cases in splits for one in held_out_losses(cases, mu, nu, folds, prevalence)]
        mean, error = mean_and_error(losses, repeats, prevalence)
        assert surface.cost(mu, nu) == pytest.approx(mean, abs=1e-12)
        assert surface.standard_error(mu, nu) == pytest.approx(error, abs=1e-7)
        assert surface.hindsight(mu, nu) == pytest.approx(
            abstention_surface(counts, prevalence=prevalence).cost(mu, nu), abs=1e-12
        )


@given(st.integers(0, 10**6), st.sampled_from([1, 3]), st.booleans())
@settings(max_examples=examples(30), deadline=None)
def test_honest_cost_of_rows_against_deciding_case_by_case(seed, repeats, weighted):
    # with importance weights every row is one case whose loss counts in proportion to its weight
    rng = np.random.default_rng(seed)
    y = np.concatenate([[0, 0, 1, 1], rng.integers(0, 2, 16)])
    s = np.round(y + rng.normal(size=20), 1)
    w = rng.uniform(0.1, 3, 20) if weighted else np.ones(20)
    surface = cross_fitted_surface(
        y, s, sample_weight=w if weighted else None, folds=2, repeats=repeats, rng=seed
    )
    for mu, nu in POINTS:
        total = square = 0.0
        for fold in folds_of(y, 2, repeats, seed):
            for v in (0, 1):
                others = fold != v
                window = abstention_surface(y[others], s[others], sample_weight=w[others]).window(mu, nu)
                for row in np.flatnonzero(~others):
                    loss = price(y[row], int(decide([s[row]], window)[0]), mu, nu)
                    total += w[row] * loss / repeats
                    square += w[row] * loss**2 / repeats
        mean, n = total / w.sum(), w.sum() ** 2 / (w**2).sum()
        spread = n * (square / w.sum() - mean**2)
        assert surface.cost(mu, nu) == pytest.approx(mean, abs=1e-12)
        assert surface.standard_error(mu, nu) == pytest.approx(
            math.sqrt(max(spread, 0) / (n * (n - 1))), abs=1e-7
        )
    assert surface.n == pytest.approx(n)


@given(st.lists(st.booleans(), min_size=4, max_size=60), st.integers(0, 5), st.sampled_from([2, 3]))
@settings(max_examples=examples(40), deadline=None)
def test_folds_depend_on_the_labels_and_the_seed_alone(labels, seed, repeats):
    positive = np.array([True, True, False, False, *labels])
    splits = split_cases(np.ones(len(positive)), positive, folds=2, repeats=repeats, rng=seed)
    for rows, fold in zip(splits.repeats, folds_of(positive, 2, repeats, seed), strict=True):
        assert rows.fold.tolist() == fold[rows.cell].tolist()
        assert sorted(rows.cell.tolist()) == list(range(len(positive)))
    # the first splits of more repeats are the splits of fewer
    more = split_cases(np.ones(len(positive)), positive, folds=2, repeats=repeats + 1, rng=seed)
    for one, other in zip(splits.repeats, more.repeats, strict=False):
        assert np.array_equal(one.fold, other.fold)


@given(paired_counts(), st.integers(0, 5))
@settings(max_examples=examples(40), deadline=None)
def test_folds_are_even_and_complete(data, seed):
    scores, positives, negatives = data
    k = len(scores)
    sizes = np.concatenate([positives, negatives]).astype(float)
    splits = split_cases(sizes, np.arange(2 * k) < k, folds=2, repeats=2, rng=seed)
    for rows in splits.repeats:
        for members in (rows.cell < k, rows.cell >= k):
            in_fold = np.bincount(rows.fold[members], rows.cases[members], 2)
            assert abs(in_fold[0] - in_fold[1]) <= 1
        assert np.bincount(rows.cell, rows.cases, 2 * k).tolist() == sizes.tolist()


def test_fold_law_is_hypergeometric_against_theory():
    # 3 equal cases among 10 split over two folds of 5: 0..3 in the first fold
    counts = np.zeros(4)
    rng = np.random.default_rng(5)
    for _ in range(4000):
        (rows,) = split_cases(
            np.array([3.0, 7.0, 2.0]), np.array([True, True, False]), folds=2, repeats=1, rng=rng
        ).repeats
        counts[np.count_nonzero((rows.cell == 0) & (rows.fold == 0))] += 1
    expected = np.array([math.comb(3, k) * math.comb(7, 5 - k) / math.comb(10, 5) for k in range(4)])
    assert counts / 4000 == pytest.approx(expected, abs=4 * math.sqrt(0.25 / 4000))


def test_many_cases_choose_their_folds_independently(monkeypatch):
    monkeypatch.setattr("demur.honest.splits._SHUFFLE_UP_TO", 100)
    sizes = np.array([50_000.0, 3.0, 80_000.0])
    (rows,) = split_cases(sizes, np.array([True, True, False]), folds=4, repeats=1, rng=0).repeats
    assert len(rows.cell) <= 12
    assert np.bincount(rows.cell, rows.cases).tolist() == sizes.tolist()
    big = rows.cases[rows.cell == 0]
    assert big == pytest.approx(12_500, abs=5 * math.sqrt(50_000 * 3 / 16))


def test_order_repeats_and_rescaling_of_the_rows():
    y, s = Binormal().sample(200, rng=3)
    s = np.round(s, 1)
    direct = cross_fitted_surface(y, s, rng=7)
    order = np.random.default_rng(0).permutation(200)
    shuffled = cross_fitted_surface(y[order], s[order], rng=7)
    counted = cross_fitted_surface(ScoreCounts.from_arrays(y, s), rng=7)
    counted_again = cross_fitted_surface(ScoreCounts.from_arrays(y[order], s[order]), rng=7)
    doubled = cross_fitted_surface(np.repeat(y, 2), np.repeat(s, 2), rng=7)
    weighted = cross_fitted_surface(y, s, sample_weight=np.full(200, 2), weights="repeats", rng=7)
    important = cross_fitted_surface(y, s, sample_weight=np.full(200, 2), rng=7)
    moved = cross_fitted_surface(y, 4 * s + 1, rng=7)
    for mu, nu in POINTS:
        # another order is another split, as good as any
        assert direct.cost(mu, nu) == pytest.approx(shuffled.cost(mu, nu), abs=0.02)
        assert direct.cost(mu, nu) == pytest.approx(counted.cost(mu, nu), abs=0.02)
        assert moved.cost(mu, nu) == pytest.approx(direct.cost(mu, nu), abs=0.03)
        # one case of weight 2 knows as much as one case of weight 1
        assert important.cost(mu, nu) == direct.cost(mu, nu)
        assert important.standard_error(mu, nu) == pytest.approx(direct.standard_error(mu, nu), abs=1e-15)
    assert counted.to_dict() == counted_again.to_dict()
    assert doubled.to_dict() == weighted.to_dict()
    assert [one.source for one in (direct, weighted, counted)] == ["rows", "rows", "counts"]
    json.dumps(direct.to_dict(), allow_nan=False)


def test_another_prevalence_for_the_same_folds():
    y, s = Binormal().sample(150, rng=3)
    found = reweighted(cross_fitted_surface(y, s).judged, 0.1)
    wanted = cross_fitted_surface(y, s, prevalence=0.1)
    prices = demur.honest.rules.PricePoints.of_surface(np.array([1.0, 0.3]), np.array([0.2, 0.05]))
    assert found.mean_and_error(prices)[0].tolist() == wanted.cost([1.0, 0.3], [0.2, 0.05]).tolist()


def test_an_answer_does_not_hang_on_the_seed():
    y, s = Binormal().sample(300, rng=8)
    spread = {
        repeats: np.std([cross_fitted_surface(y, s, rng=k, repeats=repeats).cost(1, 0.25) for k in range(12)])
        for repeats in (1, 10)
    }
    assert spread[10] < 0.6 * spread[1]


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
    # two splits: what is integrated is a sum over them
    surface = cross_fitted_surface(y, s, rng=4, prevalence=prevalence, repeats=2)
    middle = (np.arange(600) + 0.5) / 600
    for mu, nu in (((0, 1), (0, 1)), ((0.5, 2), (0.1, 0.3))):
        x, z = (low + middle * (high - low) for low, high in (mu, nu))
        area = (mu[1] - mu[0]) * (nu[1] - nu[0])
        honest = np.mean(surface.cost(x[:, None], z[None, :])) * area
        assert surface.volume(mu, nu) == pytest.approx(honest, abs=3e-4 * area)
        found = volume_interval(y, s, rng=4, prevalence=prevalence, mu=mu, nu=nu, repeats=2)
        assert found.honest == surface.volume(mu, nu)
        assert found.hindsight == pytest.approx(surface.surface.volume(mu, nu), abs=1e-13)


def test_volume_interval_is_built_from_its_parts():
    y, s = Binormal().sample(120, rng=0)
    bracket = volume_interval(y, s, rng=1, confidence_level=0.9)
    average = volume_interval(y, s, rng=1, confidence_level=0.9, method="average")
    z = 1.6448536269514722
    assert bracket.low == pytest.approx(bracket.hindsight - z * bracket.hindsight_error)
    # above, w = z^2 / 4 sure errors of each class are counted in: scores S(1, 0) and S(0, 1)
    surface, w = cross_fitted_surface(y, s, rng=1), z**2 / 4
    worst = [float(column[k]) for k, column in enumerate(proper_volume_scores(np.array([0.0, 1.0])))]

    def with_errors(rules):
        values = rules.slot_scores(lambda p: proper_volume_scores(p))
        cases = [np.concatenate([table[1 + k] for table in rules.tables]) for k in (0, 1)]
        total = sum(c @ v for c, v in zip(cases, values, strict=True)) + w * sum(worst)
        square = sum(c @ v**2 for c, v in zip(cases, values, strict=True)) + w * sum(x**2 for x in worst)
        n = 120 + 2 * w
        return total / n, math.sqrt((square - total**2 / n) / (n * (n - 1)))

    honest, hindsight = (with_errors(one) for one in (surface.judged, surface.judged_with_hindsight))
    assert bracket.high == pytest.approx(honest[0] + z * honest[1])
    centre = (average.honest + average.hindsight) / 2
    reach = z * max(average.honest_error, average.hindsight_error)
    assert average.low == pytest.approx(centre - reach)
    above = (honest[0] + hindsight[0]) / 2 + z * max(honest[1], hindsight[1])
    assert average.high == pytest.approx(above)
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
    windows = cross_fitted_surface(y, s, rng=0, folds=5, repeats=2).windows(1, 0.25)
    whole = abstention_surface(y, s).window(1, 0.25)
    assert len(windows) == 10
    for index, fold in enumerate(folds_of(y, 5, 2, 0)):
        for v in range(5):
            wanted = abstention_surface(y[fold != v], s[fold != v]).window(1, 0.25)
            got = windows[5 * index + v]
            assert (got.lower, got.upper, got.cost) == (
                wanted.lower,
                wanted.upper,
                pytest.approx(wanted.cost),
            )
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
        (
            lambda: cross_fitted_surface(Y, S, sample_weight=[0.5] * 20, weights="repeats"),
            "`sample_weight` must hold whole num",
        ),
        (lambda: cross_fitted_surface(Y, S, weights="frequency"), "`weights` must be one of 'importance'"),
        (lambda: cross_fitted_surface(Y, S, repeats=0), "`repeats` must be a whole number of at least 1"),
        (lambda: cross_fitted_surface([1] * 20, S), "needs cases of both classes, got no negative"),
        (lambda: cross_fitted_surface(Y, S, prevalence=2), r"`prevalence` must lie in \[0, 1\]"),
        (lambda: cross_fitted_surface(Y, S, rng=0).cost(-1, 0.2), "`mu` must not be negative, got -1"),
        (lambda: cross_fitted_surface(Y, S, rng=0).cost(1, -0.2), "`nu` must not be negative, got -0.2"),
        (lambda: cross_fitted_surface(Y, S, rng=0).cost(1, math.nan), "`nu` must be a number.*, got nan"),
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


# ---------------------------------------------------------------- net benefit


def test_net_benefit_by_hand_where_every_fold_chooses_the_same_score():
    # 30 negatives at 0, 20 positives at 1, and one of each on the wrong side: every nine folds cut between
    y = np.array([0] * 30 + [1] * 20 + [1, 0])
    s = np.array([0.0] * 30 + [1.0] * 20 + [0.0, 1.0])
    honest, known = cross_fitted_surface(y, s), cross_fitted_surface(y, s, prevalence=0.3)
    for t in (0.2, 0.5):
        price = t / (1 - t)
        assert honest.net_benefit(t) == pytest.approx(20 / 52 - 1 / 52 * price)
        assert known.net_benefit(t) == pytest.approx(0.3 * 20 / 21 - 0.7 * 1 / 31 * price)
        low, high = known.net_benefit_interval(t)
        assert (low, high) == pytest.approx([0.3 - end for end in known.interval(price, math.inf)[::-1]])
        assert low < known.net_benefit(t) < high
    assert honest.net_benefit([0.2, 0.5]).shape == (2,)
    with pytest.raises(InputError, match="`prevalence` must be given"):
        honest.net_benefit_interval(0.2)


def test_net_benefit_of_scores_without_information_is_below_that_with_hindsight():
    rng = np.random.default_rng(3)
    y, s, t = rng.random(200) < 0.4, rng.normal(size=200), 0.4
    honest, hindsight = (
        cross_fitted_surface(y, s).net_benefit(t),
        net_benefit_curve(y, s).optimal_net_benefit(t),
    )
    assert hindsight > max(0, np.mean(y) - np.mean(~y) * t / (1 - t))
    assert honest < hindsight
    with pytest.raises(InputError, match="threshold_probability"):
        cross_fitted_surface(y, s).net_benefit(1.0)
