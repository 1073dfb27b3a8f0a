"""`ScoreCosts`: sums per score, merging, files, bins with a certificate, sentences for bad input."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur import InputError, ScoreCosts, ScoreCounts, UndefinedError
from examples import examples

CLOSE = 1e-12
COLUMNS = ("scores", "upper_scores", "cases", "miss", "alarm", "review")
RULE = "must be a number or one number per case"
SQUARES = ("miss_squares", "alarm_squares", "review_squares")


def random_costs(seed, n=300, levels=None):
    """Scores with ties, amounts of two classes, fees."""
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.3
    scores = rng.normal(size=n) + positive
    if levels:
        scores = np.round(scores * levels) / levels
    amounts = np.round(rng.lognormal(3, 1, n), 2)
    return scores, amounts * positive, np.round(rng.uniform(1, 8, n), 2) * ~positive, rng.uniform(0.5, 3, n)


def of(scores, miss, alarm, review):
    return ScoreCosts.from_arrays(scores, miss=miss, alarm=alarm, review=review)


def close(one, other):
    return all(np.allclose(getattr(one, name), getattr(other, name)) for name in (*COLUMNS, *SQUARES))


# ---------------------------------------------------------------- sums


def test_sums_by_hand():
    costs = of([0.5, 0.2, 0.5, -1.0], miss=[3, 0, 4, 0], alarm=[0, 7, 0, 2], review=2)
    assert costs.scores.tolist() == costs.upper_scores.tolist() == [-1.0, 0.2, 0.5]
    assert costs.cases.tolist() == [1, 1, 2]
    assert costs.miss.tolist() == [0, 0, 7]
    assert costs.alarm.tolist() == [2, 7, 0]
    assert costs.review.tolist() == [2, 2, 4]
    assert costs.miss_squares.tolist() == [0, 0, 25]
    assert costs.alarm_squares.tolist() == [4, 49, 0]
    assert costs.review_squares.tolist() == [4, 4, 8]
    assert costs.n == 4
    assert costs.exact
    assert costs.certified == 0
    assert costs.trivial == {"always negative": 7 / 4, "always positive": 9 / 4, "always abstain": 2.0}


def test_a_number_is_the_same_cost_for_every_case():
    scores, miss, *_ = random_costs(0, levels=3)
    n = len(scores)
    assert close(of(scores, miss, 5, 0.25), of(scores, miss, np.full(n, 5.0), np.full(n, 0.25)))


def test_order_of_the_cases_does_not_matter():
    columns = random_costs(1, levels=2)
    shuffled = np.random.default_rng(0).permutation(len(columns[0]))
    assert close(of(*columns), of(*(column[shuffled] for column in columns)))


def test_grouped_sums_come_back():
    costs = of(*random_costs(2, levels=2))
    rows = np.random.default_rng(0).permutation(len(costs.scores))
    sums = {name: getattr(costs, name)[rows] for name in ("miss", "alarm", "review")}
    squares = tuple(getattr(costs, name)[rows] for name in SQUARES)
    assert ScoreCosts.from_sums(costs.scores[rows], costs.cases[rows], **sums, squares=squares) == costs


def test_infinite_scores_and_signed_zeros_are_scores():
    costs = of([np.inf, -np.inf, 0.0, -0.0], miss=1, alarm=1, review=1)
    assert costs.cases.tolist() == [1, 2, 1]


def test_nobody_can_change_it_and_arrays_of_the_caller_stay_his_own():
    given_miss = np.array([1.0, 2.0])
    costs = of([1.0, 2.0], given_miss, 1, 1)
    given_miss[:] = 9
    assert costs.miss.tolist() == [1, 2]
    for name in (*COLUMNS, *SQUARES):
        assert not getattr(costs, name).flags.writeable


# ---------------------------------------------------------------- merging and files


@pytest.mark.parametrize("seed", range(5))
def test_merged_parts_are_the_sums_of_the_union(seed):
    columns = random_costs(seed, levels=2)
    part = np.random.default_rng(seed).integers(0, 3, len(columns[0]))
    parts = [of(*(column[part == k] for column in columns)) for k in range(3)]
    merged, whole = parts[0].merge(*parts[1:]), of(*columns)
    assert close(merged, whole)
    assert merged.window().cost == pytest.approx(whole.window().cost, abs=CLOSE)


def test_merging_bins_that_are_the_same_and_exact_scores_inside_them():
    bins = {"miss": [1, 2], "alarm": [3, 4], "review": [5, 6], "squares": ([1, 2], [9, 8], [13, 18])}
    day = ScoreCosts.from_sums([0.0, 0.5], [2, 2], **bins, upper=[0.4, 0.9])
    other = ScoreCosts.from_sums([0.1, 0.6], [2, 2], **bins, upper=[0.3, 0.9])
    merged = day.merge(other, of([0.2, 0.95], miss=1, alarm=0, review=0))
    assert merged.scores.tolist() == [0.0, 0.5, 0.95]
    assert merged.upper_scores.tolist() == [0.4, 0.9, 0.95]
    assert merged.cases.tolist() == [5, 4, 1]
    assert merged.miss.tolist() == [3, 4, 1]
    assert not merged.exact


@pytest.mark.parametrize("bins", [None, 20])
def test_saved_sums_come_back(tmp_path, bins):
    costs = of(*random_costs(3))
    costs = costs if bins is None else costs.binned(at_most=bins)
    path = tmp_path / "costs.parquet"
    costs.save(path)
    back = ScoreCosts.load(path)
    assert back == costs
    assert back.certified == costs.certified
    assert back.window().to_dict() == costs.window().to_dict()


def test_other_files_are_refused(tmp_path):
    ScoreCounts.from_arrays([0, 1], [1, 2]).save(tmp_path / "counts.parquet")
    with pytest.raises(InputError, match=r"must hold demur\.costs, got demur\.counts"):
        ScoreCosts.load(tmp_path / "counts.parquet")
    of([1, 2], 1, 1, 1).save(tmp_path / "costs.parquet")
    with pytest.raises(InputError, match=r"must hold demur\.counts, got demur\.costs"):
        ScoreCounts.load(tmp_path / "costs.parquet")
    with pytest.raises(InputError, match="no such file"):
        ScoreCosts.load(tmp_path / "missing.parquet")


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "costs.parquet"
    old = of([1, 2], 1, 1, 1)
    old.save(path)
    import duckdb

    def broken(*_, **__):
        raise duckdb.Error("disk full")

    with monkeypatch.context() as patch:
        patch.setattr("demur._files.parquet.connect", broken)
        with pytest.raises(InputError, match="cannot be written"):
            of([3, 4], 1, 1, 1).save(path)
    assert ScoreCosts.load(path) == old


# ---------------------------------------------------------------- bins


@pytest.mark.parametrize("at_most", [4, 5, 13, 60, 299])
@pytest.mark.parametrize("seed", range(4))
def test_bins_lose_nothing_at_their_own_costs_and_little_at_others(seed, at_most):
    exact = of(*random_costs(seed))
    bins = exact.binned(at_most=at_most)
    assert len(bins.scores) <= at_most
    assert bins.n == exact.n
    assert bins.window().cost == pytest.approx(exact.window().cost, abs=CLOSE)
    rng = np.random.default_rng(seed)
    for _ in range(20):
        factors = dict(zip(("miss", "alarm", "review"), 2.0 ** rng.uniform(-3, 3, 3), strict=True))
        there, best = bins.scaled(**factors), exact.scaled(**factors).window().cost
        assert there.certified >= 0
        assert best - CLOSE <= there.window().cost <= best + there.certified + CLOSE


def test_certificate_shrinks_with_the_bins():
    exact = of(*random_costs(7, n=3000))
    certified = [exact.binned(at_most=k).certified for k in (50, 200, 1000)]
    assert certified[0] > certified[1] > certified[2] > 0
    share = exact.review.sum() / exact.n
    assert all(loss <= 2 * 4 / (k - 3) * share for loss, k in zip(certified, (50, 200, 1000), strict=True))
    assert exact.binned(at_most=3000) is exact


def test_certificate_by_hand():
    """One bin of a miss of 5 and an alarm of 3: apart they could be free, together they cost 3."""
    columns = {"miss": [5], "alarm": [3], "review": [4], "squares": ([25], [9], [8])}
    bins = ScoreCosts.from_sums([0.0], [2], **columns, upper=[1.0])
    assert bins.window().cost == 1.5
    assert bins.certified == 1.5
    assert ScoreCosts.from_sums([0.0], [2], **columns).certified == 0


@settings(max_examples=examples(200), deadline=None)
@given(data=st.data())
def test_certificate_holds_for_every_order_inside_the_bins(data):
    """The bound knows the sums of a bin only: no order of its cases may break it."""
    n = data.draw(st.integers(2, 5))
    amount = st.sampled_from([0.0, 0.0, 1.0, 2.0, 5.0])
    columns = [np.array(data.draw(st.lists(amount, min_size=n, max_size=n))) for _ in range(3)]
    numbers = np.sort(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    starts = np.flatnonzero(np.diff(numbers, prepend=-1))
    ends = np.append(starts[1:], n) - 1
    sums = [np.add.reduceat(column, starts) for column in columns]
    squares = tuple(np.add.reduceat(column**2, starts) for column in columns)
    cases, (miss, alarm, review) = np.add.reduceat(np.ones(n), starts), sums
    place = np.arange(n, dtype=float)
    bins = ScoreCosts.from_sums(
        place[starts], cases, miss=miss, alarm=alarm, review=review, squares=squares, upper=place[ends]
    )
    for may_abstain in (True, False):
        window = bins.window(may_abstain=may_abstain)
        for order in itertools.permutations(range(n)):
            if np.array_equal(numbers[list(order)], numbers):
                truth = of(place, *(column[list(order)] for column in columns))
                best = truth.window(may_abstain=may_abstain).cost
                assert best - CLOSE <= window.cost <= best + window.certified + CLOSE


def test_a_heavy_score_stays_apart():
    """One score with most of the cost of reviews must not share a bin: the bound would be worthless."""
    n = 2000
    review = np.ones(n)
    review[1000] = 1e6
    exact = of(np.arange(n, dtype=float), miss=1e7, alarm=1e7, review=review)
    bins = exact.binned(at_most=100)
    row = int(np.searchsorted(bins.scores, 1000.0))
    assert bins.scores[row] == bins.upper_scores[row] == 1000


# ---------------------------------------------------------------- as values


def test_text_and_dictionary():
    costs = of([1, 2, 3], miss=[0, 4, 8], alarm=[3, 0, 0], review=1)
    assert repr(costs) == "ScoreCosts(n=3, mean miss=4, alarm=1, review=1, distinct scores=3)"
    assert json.loads(json.dumps(costs.to_dict(), allow_nan=False))["miss"] == [0, 4, 8]
    bins = of(*random_costs(0)).binned(at_most=10)
    assert "certified to" in repr(bins)
    assert json.loads(json.dumps(bins.to_dict(), allow_nan=False))["certified"] == bins.certified
    assert costs != bins
    assert costs != "costs"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: of([1, 2], [-5, 1], 1, 1),
            "`miss` must not be negative, got -5 at position 0. Hint: a gain",
        ),
        (lambda: of([1, 2], 1, -3, 1), "`alarm` must not be negative, got -3."),
        (lambda: of([1, 2], 1, 1, [1, np.nan]), "`review` must not be missing, got nan at position 1."),
        (lambda: of([1, 2], [1, None], 1, 1), "`miss` must not be missing, got nan at position 1."),
        (lambda: of([1, 2], [1, np.inf], 1, 1), "`miss` must not exceed 1e+140, got inf at position 1."),
        (lambda: of([1, 2], [1, 2, 3], 1, 1), "`y_score` and `miss` must have the same length, got 2 and 3."),
        (
            lambda: of([1, 2], [[1, 2]], 1, 1),
            f"`miss` {RULE}, got shape (1, 2)",
        ),
        (
            lambda: of([1, 2], ["a", "b"], 1, 1),
            f"`miss` {RULE}, got dtype <U1.",
        ),
        (lambda: of([1, 2], "amount", 1, 1), f"`miss` {RULE}, got 'amount'."),
        (lambda: of([1, 2], [], 1, 1), "`miss` must hold at least one case, got none."),
        (lambda: of([1, np.nan], 1, 1, 1), "`y_score` must not contain NaN, got NaN at position 1."),
        (lambda: of([1, 2], 1, 1, 1).merge(3), "`others` must be a ScoreCosts, got int."),
        (lambda: of([1, 2], 1, 1, 1).binned(at_most=3), "`at_most` must be at least 4, got 3."),
        (lambda: of([1, 2], 1, 1, 1).scaled(miss=-1), "`miss` must not be negative, got -1"),
        (lambda: of([1, 2], 1, 1, 1).of_window(2, 1), "`lower` must not exceed upper, got 2.0 and 1.0."),
        (
            lambda: ScoreCosts.from_sums([1], [0], miss=[0], alarm=[0], review=[0], squares=([0], [0], [0])),
            "`cases` must have a positive sum, got 0.",
        ),
        (
            lambda: ScoreCosts.from_sums(
                [1, 2], [1, 1], miss=[0, 0], alarm=[0], review=[0, 0], squares=([0, 0], [0, 0], [0, 0])
            ),
            "`scores` and `alarm` must have the same length, got 2 and 1.",
        ),
        (
            lambda: ScoreCosts.from_sums(
                [1, 2],
                [1, 1],
                miss=[0, 0],
                alarm=[0, 0],
                review=[0, 0],
                squares=([0, 0], [0, 0], [0, 0]),
                upper=[2, 3],
            ),
            "`lower and upper` must be ascending bins that do not touch",
        ),
    ],
)
def test_error_sentences(call, words):
    with pytest.raises(InputError) as error:
        call()
    assert words in str(error.value)


def test_a_threshold_inside_a_bin_has_no_cost():
    columns = {"miss": [5], "alarm": [3], "review": [4], "squares": ([25], [9], [8])}
    bins = ScoreCosts.from_sums([0.0], [2], **columns, upper=[1.0])
    for inside in ((0.5, 0.5), (0.5, 2.0), (-1.0, 0.5)):
        with pytest.raises(UndefinedError, match="inside a bin"):
            bins.of_window(*inside)
    assert bins.of_window(-1.0, 2.0).review == 2
    assert bins.of_window(2.0, 2.0).miss == 2.5
    assert bins.of_window(0.0, 0.0).alarm == 1.5
