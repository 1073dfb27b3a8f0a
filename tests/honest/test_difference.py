"""Paired comparisons over all costs: against loops over the cases, by hand, identical models."""

import json
import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import trapezoid

from demur import (
    Binormal,
    InputError,
    ScoreCounts,
    abstention_surface,
    decide,
    surface_difference_band,
    vacc_score,
    volume_difference_test,
)
from demur._kernels.integrals import rectangle_scores
from demur.datasets.binormal import paired_binormal_sample
from demur.honest import volume_comparison
from demur.honest.deviation_law import loss_part
from demur.honest.pairs import paired_cases
from demur.honest.rules import PricePoints
from demur.paired.counts import PairedCounts
from examples import examples
from oracles import folds_of, price

GRID = [(1.0, 0.25), (0.4, 0.1), (2.0, 0.3), (0.5, 0.9)]


@st.composite
def paired_data(draw):
    """Tied scores of two models: (labels, a, b), three or more cases of each class."""
    n = draw(st.integers(6, 16))
    y = [0, 0, 0, 1, 1, 1, *draw(st.lists(st.integers(0, 1), min_size=n - 6, max_size=n - 6))]
    columns = [draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n)) for _ in range(2)]
    return np.array(y), np.array(columns[0], dtype=float), np.array(columns[1], dtype=float)


def pair_of(y, a, b, *, folds, seed, repeats=1, prevalence=None, weights=None):
    return paired_cases(
        y,
        a,
        b,
        pos_label=None,
        sample_weight=weights,
        weights="repeats",
        prevalence=prevalence,
        folds=folds,
        repeats=repeats,
        rng=seed,
        quantity="a test",
    )


def splits_of(y, a, b, folds, repeats, seed):
    """(label, a, b, fold) of every case, split by split."""
    return [list(zip(y, a, b, fold, strict=True)) for fold in folds_of(y, folds, repeats, seed)]


def loss_differences(rows, mu, nu, folds):
    """Held-out loss of a minus loss of b of every case, by `decide`; None as folds: with hindsight."""
    gaps = []
    for fold in range(folds or 1):
        held = [row for row in rows if folds is None or row[3] == fold]
        others = [row for row in rows if folds is None or row[3] != fold]
        y = [row[0] for row in others]
        windows = [abstention_surface(y, [row[k] for row in others]).window(mu, nu) for k in (1, 2)]
        for row in held:
            codes = [int(decide([row[k]], window)[0]) for k, window in zip((1, 2), windows, strict=True)]
            gaps.append(price(row[0], codes[0], mu, nu) - price(row[0], codes[1], mu, nu))
    return np.array(gaps)


def averaged(gaps, repeats):
    """Mean and standard error of differences of all splits, with averaged sums of squares."""
    n = len(gaps) / repeats
    total, square = gaps.sum() / repeats, (gaps**2).sum() / repeats
    return total / n, math.sqrt(max(square - total**2 / n, 0.0) / (n * (n - 1)))


@given(paired_data(), st.integers(0, 3), st.sampled_from([1, 2]))
@settings(max_examples=examples(50), deadline=None)
def test_difference_and_error_against_deciding_case_by_case(data, seed, repeats):
    y, a, b = data
    if np.array_equal(np.unique(a, return_inverse=True)[1], np.unique(b, return_inverse=True)[1]):
        b = -a  # scores in one order are one model by design
    cases = pair_of(y, a, b, folds=3, seed=seed, repeats=repeats)
    splits = splits_of(y, a, b, 3, repeats, seed)
    mu, nu = (np.array(column) for column in zip(*GRID, strict=True))
    prices = PricePoints.of_surface(mu, nu)
    for pair, folds in ((cases.honest, 3), (cases.hindsight, None)):
        mean, error = pair.difference_and_error(prices)
        for k, point in enumerate(GRID):
            gaps = np.concatenate([loss_differences(rows, *point, folds) for rows in splits])
            expected = averaged(gaps, repeats)
            assert mean[k] == pytest.approx(expected[0], abs=1e-12)
            assert error[k] == pytest.approx(expected[1], abs=1e-7)


def test_multiplier_sums_against_the_sum_over_groups():
    y, a, b = paired_binormal_sample(Binormal(), Binormal(separation=2.0), n=80, correlation=0.6, rng=1)
    pair = pair_of(y, a, b, folds=4, seed=0).honest
    mu, nu = (np.array(column) for column in zip(*GRID, strict=True))
    prices, scale = PricePoints.of_surface(mu, nu), np.array([1.0, 2.0, 3.0, 4.0])
    influence = np.zeros((len(GRID), len(pair.sizes)))
    for sign, rules, slots in ((1, pair.first, pair.first_slot), (-1, pair.second, pair.second_slot)):
        part = loss_part(rules, prices, scale, slots)
        # unit multipliers read off what one case of each group contributes
        influence += sign * part(np.eye(len(pair.sizes)))
    mean, error = pair.difference_and_error(prices)
    spread = (influence**2 @ pair.sizes) / scale**2
    assert influence @ pair.sizes == pytest.approx(0, abs=1e-12)
    # sum over cases of ((d - mean) / n)^2 is the squared standard error times (n - 1) / n
    assert spread == pytest.approx(error**2 * 79 / 80)
    # one group by the definition: loss of a minus loss of b minus the mean difference, over n
    offsets = np.cumsum([0] + [table.rule.n_positions for table in pair.first.tables])
    slot = int(pair.first_slot[0])
    fold = int(np.searchsorted(offsets, slot, side="right")) - 1
    tables = pair.first.tables[fold], pair.second.tables[fold]
    start = sum(table.rule.n_positions for table in pair.second.tables[:fold])
    at = slot - offsets[fold], int(pair.second_slot[0]) - start
    for k, (m, v) in enumerate(GRID):
        losses = []
        for table, position in zip(tables, at, strict=True):
            window = table.rule.window(m, v, v)
            score = table.rule.blocks.lower[position // 2]
            assert position % 2 == 0
            losses.append(price(1, int(decide([score], window)[0]), m, v))
        expected = (losses[0] - losses[1] - mean[k]) / 80 * scale[k]
        assert influence[k, 0] == pytest.approx(expected, abs=1e-14)


def test_band_is_built_from_its_parts():
    y, a, b = paired_binormal_sample(Binormal(), Binormal(separation=2.0), n=400, correlation=0.6, rng=1)
    band = surface_difference_band(y, a, b, resolution=6, rng=3, n_resamples=200)
    z = 1.959963984540054
    assert band.difference == pytest.approx((band.honest + band.hindsight) / 2)
    assert band.low == pytest.approx(band.difference - band.factor * band.standard_error)
    assert band.pointwise_high == pytest.approx(band.difference + z * band.standard_error)
    assert band.factor > z
    decided = np.where(band.high < 0, -1, np.where(band.low > 0, 1, 0))
    assert np.array_equal(band.decision, decided)
    assert band.b_better_share > 0.5  # b separates the classes better: a - b is positive
    assert band.a_better_share + band.b_better_share + band.undecided_share == pytest.approx(1)
    exact = abstention_surface(y, a).cost(band.mu[:, None], band.nu) - abstention_surface(y, b).cost(
        band.mu[:, None], band.nu
    )
    assert band.hindsight == pytest.approx(exact, abs=1e-12)
    careful = surface_difference_band(y, a, b, resolution=6, rng=3, n_resamples=200, method="conservative")
    assert np.all(careful.low <= band.low + 1e-12)
    assert np.all(careful.high >= band.high - 1e-12)
    swapped = surface_difference_band(y, b, a, resolution=6, rng=3, n_resamples=200)
    assert swapped.hindsight == pytest.approx(-band.hindsight)
    json.dumps(band.to_dict(), allow_nan=False)
    assert "is cheaper on" in band.summary("one", "two")


def test_same_bytes_for_any_number_of_workers(monkeypatch):
    y, a, b = paired_binormal_sample(Binormal(), Binormal(separation=1.5), n=300, correlation=0.6, rng=1)
    options = {"resolution": 5, "rng": 11, "n_resamples": 150}
    plain = surface_difference_band(y, a, b, **options)
    other = surface_difference_band(y, a, b, workers=3, **options)
    assert other.low.tobytes() == plain.low.tobytes()
    assert other.factor == plain.factor
    # another order of the rows is another split of the same cases
    order = np.random.default_rng(0).permutation(300)
    shuffled = surface_difference_band(y[order], a[order], b[order], **options)
    assert shuffled.hindsight == pytest.approx(plain.hindsight, abs=1e-12)
    assert shuffled.honest == pytest.approx(plain.honest, abs=0.02)
    monkeypatch.setattr("demur.honest.deviation_law._NUMBERS_PER_CHUNK", 1)
    assert surface_difference_band(y, a, b, **options).high.tobytes() == plain.high.tobytes()
    assert surface_difference_band(y, a, b, **{**options, "rng": 12}).factor != plain.factor


def test_order_of_the_rows_does_not_matter_to_joint_counts():
    y, a, b = paired_binormal_sample(Binormal(), Binormal(separation=1.5), n=200, correlation=0.6, rng=1)
    a, b = np.round(a, 1), np.round(b, 1)
    order = np.random.default_rng(0).permutation(200)
    options = {"resolution": 3, "rng": 11, "n_resamples": 50}
    bands = [
        surface_difference_band(PairedCounts.from_arrays(y[at], a[at], b[at]), **options)
        for at in (np.arange(200), order)
    ]
    assert bands[0].low.tobytes() == bands[1].low.tobytes()


def powers_of_ranks(s):
    """The same order with other midpoints: halfway between 1 and 4 lies above 2."""
    return 2.0 ** np.argsort(np.argsort(s))


@pytest.mark.parametrize("second", [lambda s: s, np.exp, powers_of_ranks])
def test_identical_models_have_p_one_and_nothing_significant(second):
    y, s = Binormal().sample(300, rng=0)
    band = surface_difference_band(y, s, second(s), resolution=8, rng=0, n_resamples=100)
    assert band.pvalue == 1
    assert not band.decision.any()
    assert band.undecided_share == pytest.approx(1)
    assert not band.difference.any()
    assert np.abs(band.high).max() < 1e-11
    test = volume_difference_test(y, s, second(s), rng=0)
    assert (test.difference, test.pvalue, test.statistic) == (0, 1, 0)
    assert test.interval() == (0, 0)


def test_volume_difference_against_the_spread_of_the_scores():
    y, a, b = paired_binormal_sample(Binormal(), Binormal(separation=2.0), n=200, correlation=0.6, rng=5)
    cases = pair_of(y, a, b, folds=5, seed=2)
    (rows,) = splits_of(y, a, b, 5, 1, 2)
    scores = partial(rectangle_scores, mu=(0, 1), nu=(0, 1))
    for pair, folds in ((cases.honest, 5), (cases.hindsight, None)):
        gaps = []
        for fold in range(folds or 1):
            others = [row for row in rows if folds is None or row[3] != fold]
            held = [row for row in rows if folds is None or row[3] == fold]
            values = []
            for k in (1, 2):
                surface = abstention_surface([row[0] for row in others], [row[k] for row in others])
                blocks = surface.counts.blocks()
                cuts = (blocks.upper[:-1] + blocks.lower[1:]) / 2
                share = surface.shares[np.searchsorted(cuts, [row[k] for row in held], side="right")]
                if_positive, if_negative = scores(share)
                values.append(np.where([row[0] for row in held], if_positive, if_negative))
            gaps.append(values[0] - values[1])
        gaps = np.concatenate(gaps)
        mean, error = pair.score_difference_and_error(scores)
        assert mean == pytest.approx(gaps.mean(), abs=1e-12)
        assert error == pytest.approx(gaps.std(ddof=1) / math.sqrt(200), abs=1e-12)
    test = volume_difference_test(y, a, b, folds=5, rng=2, repeats=1)
    assert test.hindsight == pytest.approx(vacc_score(y, a) - vacc_score(y, b), abs=1e-12)
    assert test.honest == pytest.approx(test.volume_a - test.volume_b, abs=1e-12)
    assert test.difference == pytest.approx((test.honest + test.hindsight) / 2)
    errors = [pair.score_difference_and_error(scores)[1] for pair in (cases.honest, cases.hindsight)]
    assert test.standard_error == max(errors)
    low, high = test.interval(0.9)
    assert (high - low) / 2 == pytest.approx(1.6448536269514722 * test.standard_error)


def test_alternatives_and_known_prevalence():
    y, a, b = paired_binormal_sample(Binormal(separation=1.6), Binormal(), n=300, correlation=0.6, rng=5)
    two = volume_difference_test(y, a, b, rng=0)
    less = volume_difference_test(y, a, b, rng=0, alternative="less")
    greater = volume_difference_test(y, a, b, rng=0, alternative="greater")
    assert two.difference < 0
    assert less.pvalue == pytest.approx(two.pvalue / 2)
    assert less.pvalue + greater.pvalue == pytest.approx(1)
    known = volume_difference_test(y, a, b, rng=0, prevalence=0.1)
    exact = vacc_score(y, a, prevalence=0.1) - vacc_score(y, b, prevalence=0.1)
    assert known.hindsight == pytest.approx(exact, abs=1e-12)
    assert known.prevalence == 0.1


def test_a_weight_of_two_is_a_repeated_row():
    y, a, b = paired_binormal_sample(Binormal(separation=1.6), Binormal(), n=60, correlation=0.6, rng=5)
    weights = np.random.default_rng(0).integers(0, 3, size=60)
    twice = volume_difference_test(
        np.repeat(y, weights), np.repeat(a, weights), np.repeat(b, weights), folds=4, rng=1
    )
    weighted = volume_difference_test(y, a, b, sample_weight=weights, weights="repeats", folds=4, rng=1)
    assert weighted.to_dict() == twice.to_dict()


def test_importance_weights_do_not_make_cases():
    y, a, b = paired_binormal_sample(Binormal(separation=1.6), Binormal(), n=100, correlation=0.6, rng=5)
    plain = volume_difference_test(y, a, b, rng=1)
    for scale in (1.0, 1000.0):
        scaled = volume_difference_test(y, a, b, sample_weight=np.full(100, scale), rng=1)
        assert (scaled.difference, scaled.standard_error) == pytest.approx(
            (plain.difference, plain.standard_error), abs=1e-12
        )
        assert scaled.n == pytest.approx(100)


def test_holm_adjustment_by_hand():
    y, a, b = paired_binormal_sample(Binormal(separation=1.6), Binormal(), n=200, correlation=0.6, rng=5)
    noise = np.random.default_rng(1).normal(size=200)
    found = volume_comparison(y, {"a": a, "b": b, "noise": noise}, rng=4)
    raw = np.array([test.pvalue for test in found.tests])
    order = np.argsort(raw)
    steps = raw[order] * [3, 2, 1]
    expected = [min(1.0, max(steps[: k + 1])) for k in range(3)]
    assert found.pvalues[order] == pytest.approx(expected)
    assert found.pairs == (("a", "b"), ("a", "noise"), ("b", "noise"))
    assert set(found.volumes) == {"a", "b", "noise"}
    # a pair is what it is alone, whatever stands beside it
    alone = volume_difference_test(y, b, noise, rng=4)
    assert found.tests[2].to_dict() == alone.to_dict()
    assert found.volumes["b"] == alone.volume_a
    drawn = volume_comparison(y, {"a": a, "b": b, "noise": noise}, rng=np.random.default_rng(4))
    assert drawn.tests[0].volume_a == drawn.tests[1].volume_a  # one split for all pairs
    few = volume_comparison(y, {"a": a, "b": b}, rng=4, repeats=1, sample_weight=[2] * 200, weights="repeats")
    options = {"rng": 4, "repeats": 1, "sample_weight": [2] * 200, "weights": "repeats"}
    assert few.tests[0].to_dict() == volume_difference_test(y, a, b, **options).to_dict()
    json.dumps(found.to_dict(), allow_nan=False)


Y, A, B = [0, 1] * 10, list(range(20)), list(range(20, 0, -1))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: surface_difference_band(Y, A, B[:-1]), "must have the same length, got 20 and 20 and 19"),
        (lambda: surface_difference_band(Y, A, [math.nan] * 20), "`score_b` must not contain NaN"),
        (
            lambda: surface_difference_band(ScoreCounts.from_arrays(Y, A), A, B),
            "`y_true` must hold one label per case, as a paired comparison needs the joint cases",
        ),
        (lambda: surface_difference_band(Y, A, B, folds=11), "`folds` must not exceed"),
        (lambda: surface_difference_band(Y, A, B, rng=1.5), "`rng` must be a seed"),
        (lambda: surface_difference_band(Y, A, B, method="naive"), "`method` must be one of 'average'"),
        (lambda: surface_difference_band(Y, A, B, confidence_level=0), "strictly between 0 and 1"),
        (lambda: surface_difference_band(Y, A, B, nu=(-1, 1)), "`nu` must start at 0"),
        (lambda: surface_difference_band(Y, A, B, n_resamples=0), "`n_resamples` must be a whole number"),
        (lambda: surface_difference_band(Y, A, B, workers=0), "`workers` must be a whole number"),
        (lambda: surface_difference_band(Y, A, B, resolution=0), "`resolution` must be a whole number"),
        (lambda: surface_difference_band([1] * 20, A, B), "needs cases of both classes"),
        (
            lambda: surface_difference_band(Y, A, B, sample_weight=[1.5] * 20, weights="repeats"),
            "whole numbers",
        ),
        (lambda: volume_difference_test(Y, A, B, alternative="smaller"), "`alternative` must be one of"),
        (lambda: volume_difference_test(["x", "y"] * 10, A, B), "`pos_label` is required"),
        (lambda: volume_comparison(Y, {"a": A}), "at least two models"),
        (lambda: volume_comparison(Y, [A, B]), "must be a mapping"),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call()


# ---------------------------------------------------------------- prices by class, reviewers who err

REVIEWS = [{"ray": (0.5, 2.0)}, {"reviewer": (0.9, 0.7)}, {"ray": (2.0, 0.7), "reviewer": (0.95, 0.6)}]


@pytest.mark.parametrize("law", REVIEWS)
def test_differences_at_prices_by_class_against_deciding_case_by_case(law):
    y, a, b = paired_binormal_sample(Binormal(), Binormal(separation=2.0), n=40, correlation=0.6, rng=1)
    band = surface_difference_band(
        y, a, b, resolution=3, mu=(0.2, 1.4), nu=(0.05, 0.35), folds=3, repeats=1, n_resamples=50, **law
    )
    alpha, beta = law.get("ray", (1.0, 1.0))
    sensitivity, specificity = law.get("reviewer", (1.0, 1.0))
    fold = folds_of(y, 3, 1, 0)[0]
    for i, mu in enumerate(band.mu.tolist()):
        for j, nu in enumerate(band.nu.tolist()):
            abstain = alpha * nu + 1 - sensitivity, beta * nu + (1 - specificity) * mu
            for part, honest in ((band.honest, True), (band.hindsight, False)):
                gaps = []
                for case in range(len(y)):
                    others = fold != fold[case] if honest else np.ones(len(y), bool)
                    losses = []
                    for scores in (a, b):
                        window = abstention_surface(y[others], scores[others]).window(mu, *abstain)
                        code = int(decide(scores[[case]], window)[0])
                        wrong = 0.0 if code == y[case] else 1.0 if y[case] else mu
                        losses.append(abstain[1 - y[case]] if code < 0 else wrong)
                    gaps.append(losses[0] - losses[1])
                assert part[i, j] == pytest.approx(np.mean(gaps), abs=1e-12)


@pytest.mark.parametrize("law", REVIEWS)
def test_volumes_at_prices_by_class_against_surfaces_and_many_points(law):
    y, a, b = paired_binormal_sample(Binormal(), Binormal(separation=2.0), n=150, correlation=0.6, rng=2)
    rectangle = {"mu": (0.1, 1.3), "nu": (0.0, 0.6)}
    test = volume_difference_test(y, a, b, **rectangle, **law, rng=0)
    gap = abstention_surface(y, a).minus(abstention_surface(y, b), **rectangle, **law)
    assert test.hindsight == pytest.approx(gap.net, abs=1e-12)
    assert (test.ray, test.reviewer) == (gap.ray, gap.reviewer)
    band = surface_difference_band(y, a, b, resolution=120, n_resamples=1, rng=0, **rectangle, **law)
    # trapezoids of a surface that jumps where a held-out case changes sides
    volume = trapezoid(trapezoid(band.honest, band.nu, axis=1), band.mu)
    assert test.honest == pytest.approx(volume, abs=2e-3 * 1.2 * 0.6)
    assert (band.ray, band.reviewer) == (gap.ray, gap.reviewer)
