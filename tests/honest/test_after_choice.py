"""The cost after a choice: against all draws, by hand, by its definition, and in the normal limit."""

import itertools

import numpy as np
import pytest

from demur import InputError
from demur.honest import after_choice, cost_after_choice
from demur.honest.after_choice import LossUnits, first_smallest, judged_draws
from reference_cases import cases, close


def cheapest(costs):
    return np.array([first_smallest(row) for row in costs[:, 0]])


def all_draws(losses, weight, models):
    """Mean cost outside of every possible draw that leaves a unit out: model's choices, and all."""
    n = len(losses)
    times = np.array([np.bincount(draw, minlength=n) for draw in itertools.product(range(n), repeat=n)])
    part = 1.0, np.arange(n)
    inside, outside, some = judged_draws(losses[None], weight, [part], [times.astype(float)])
    chosen = cheapest(inside[some])
    costs = outside[some][np.arange(len(chosen)), 0, chosen]
    return costs[np.asarray(models)[chosen]].mean(), costs.mean()


@pytest.mark.parametrize("case", cases("honest.json", "honest.after_choice"))
def test_all_draws_against_reference(case):
    given, expected = case["input"], case["expected"]
    sizes = np.array(given["sizes"])
    losses = np.array(given["loss_sums"]) / sizes[:, None]
    of_models, everything = all_draws(losses, sizes, given["model"])
    close(of_models, expected["model_draws"], case["tol"])
    close(everything, expected["all_draws"], case["tol"])
    drawn = cost_after_choice(losses, models=given["model"], sample_weight=sizes, n_resamples=4000)
    assert abs(drawn.all_draws - everything) < 5 * drawn.monte_carlo_error


def test_two_units_by_hand():
    # draws (0, 0) and (1, 1) leave a unit out: each chooses the rule that is free on the unit it has
    found = cost_after_choice([[0.0, 1.0], [3.0, 0.0]], models=[False, True], n_resamples=1000)
    # drawn unit 0: rule 0, which costs 3 on unit 1; drawn unit 1: rule 1, which costs 1 on unit 0
    assert found.cost == pytest.approx(1.0)
    assert found.all_draws == pytest.approx(2.0, abs=5 * found.monte_carlo_error)
    # one rule alone: what it costs outside is what it costs
    alone = cost_after_choice([[1.0], [2.0], [6.0]], models=[True], n_resamples=2000)
    assert alone.cost == alone.all_draws == pytest.approx(3.0, abs=5 * alone.monte_carlo_error)
    # a baseline that is always chosen leaves no draw of a model
    assert cost_after_choice([[0.0, 1.0]] * 4, models=[False, True]).cost is None


def mix32(x):
    x ^= x >> 16
    x = x * 0x85EBCA6B % 2**32
    x ^= x >> 13
    x = x * 0xC2B2AE35 % 2**32
    return x ^ (x >> 16)


def definition(losses, weight, seed, resamples):
    """Every draw in loops over whole numbers."""
    n = len(losses)
    found = []
    for b in range(resamples):
        drawn = [mix32((seed * 0x9E3779B9 + b * n + k) % 2**32) * n // 2**32 for k in range(n)]
        left = [unit for unit in range(n) if unit not in drawn]
        if not left:
            continue
        means = [np.average(losses[drawn, j], weights=weight[drawn]) for j in range(losses.shape[1])]
        best = int(np.argmin(means))
        found.append((best, np.average(losses[left, best], weights=weight[left])))
    return found


@pytest.mark.parametrize("seed", [0, 7, 2**31])
def test_draws_against_their_definition(seed):
    rng = np.random.default_rng(1)
    losses, weight = rng.exponential(size=(9, 3)), rng.uniform(0.5, 2, 9)
    wanted = definition(losses, weight, seed, 60)
    models = np.array([False, True, True])
    got = cost_after_choice(losses, models=models, sample_weight=weight, n_resamples=60, rng=seed)
    assert got.all_draws == pytest.approx(np.mean([cost for _, cost in wanted]), rel=1e-12)
    assert got.cost == pytest.approx(np.mean([cost for best, cost in wanted if models[best]]), rel=1e-12)


def test_clusters_are_units_and_copies_are_rows():
    rng = np.random.default_rng(2)
    losses, group = rng.exponential(size=(30, 3)), rng.integers(0, 8, 30)
    together = cost_after_choice(losses, models=[True] * 3, groups=group)
    sizes = np.bincount(group).astype(float)
    means = np.array([losses[group == g].mean(axis=0) for g in range(8)])
    assert together.all_draws == pytest.approx(
        cost_after_choice(means, models=[True] * 3, sample_weight=sizes).all_draws, rel=1e-12
    )
    alone = cost_after_choice(losses, models=[True] * 3, groups=np.arange(30))
    assert alone.all_draws == cost_after_choice(losses, models=[True] * 3).all_draws
    copies = np.arange(1.0, 5.0)
    units = LossUnits(lambda rows: losses[None, :4][:, rows], np.ones(4), copies)
    written = np.repeat(losses[:4], copies.astype(int), axis=0)
    got = after_choice.after_choice([units], cheapest, np.ones(3, dtype=bool))
    assert got.all_draws == pytest.approx(cost_after_choice(written, models=[True] * 3).all_draws, rel=1e-12)


def test_known_shares_weight_the_means_of_the_classes():
    rng = np.random.default_rng(4)
    losses, stratum = rng.exponential(size=(40, 2)), np.repeat([0, 1], [30, 10])
    units = LossUnits(
        lambda rows: losses[None, rows], np.ones(40), stratum=stratum, shares=np.array([0.2, 0.8])
    )
    found = after_choice.after_choice([units], cheapest, np.array([True, False]), n_resamples=4000)
    wanted = 0.2 * losses[:30].mean(axis=0) + 0.8 * losses[30:].mean(axis=0)
    assert wanted.min() < found.all_draws < wanted.max() + 5 * found.monte_carlo_error


@pytest.mark.parametrize("shares", [None, np.array([0.3, 0.7])])
def test_normal_limit_against_resampling(shares, monkeypatch):
    rng = np.random.default_rng(5)
    losses = (rng.random((3000, 6)) < 0.1) * 1.0
    stratum = None if shares is None else rng.integers(0, 2, 3000)
    units = LossUnits(lambda rows: losses[None, rows], np.ones(3000), stratum=stratum, shares=shares)
    models = np.ones(6, dtype=bool)
    drawn = after_choice.after_choice([units], cheapest, models, n_resamples=4000)
    monkeypatch.setattr(after_choice, "MOST_RESAMPLED", 10)
    monkeypatch.setattr(after_choice, "_ROWS_AT_ONCE", 700)
    normal = after_choice.after_choice([units], cheapest, models, n_resamples=4000)
    spread = np.hypot(drawn.monte_carlo_error, normal.monte_carlo_error)
    # the same expectation in the limit: a tenth of a standard error of one cost is left for 3,000 units
    assert abs(drawn.cost - normal.cost) < 5 * spread + 0.1 * 0.3 / np.sqrt(3000)
    assert normal.cost > losses.mean(axis=0).min()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"losses": [[1.0]], "models": [True]}, "`losses` must hold at least two units, got 1"),
        (
            {"losses": [[1.0, 2.0]] * 3, "models": [True]},
            "`models` must hold one True or False per candidate",
        ),
        ({"losses": [[1.0], [np.nan]], "models": [True]}, "`losses`"),
        ({"losses": [[1.0]] * 3, "models": [True], "groups": [1, 2]}, "`groups`"),
        ({"losses": [[1.0]] * 3, "models": [True], "n_resamples": 0}, "`n_resamples`"),
    ],
)
def test_wrong_input_is_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        cost_after_choice(arguments.pop("losses"), **arguments)


def test_fractions_of_cases_are_not_drawn():
    rng = np.random.default_rng(6)
    losses = rng.exponential(size=(50, 2))
    halves = LossUnits(lambda rows: np.repeat(losses, 2, axis=0)[None, rows], np.ones(100), np.full(100, 0.5))
    found = after_choice.after_choice([halves], cheapest, np.ones(2, dtype=bool), n_resamples=4000)
    whole = cost_after_choice(losses, models=[True, True], n_resamples=4000)
    assert found.cost == pytest.approx(
        whole.cost, abs=5 * (found.monte_carlo_error + whole.monte_carlo_error)
    )


def test_blocks_are_drawn_apart_against_the_definition():
    """Two models of which only separate counts are at hand: the units of each are drawn by themselves."""
    rng = np.random.default_rng(4)
    tables = [rng.random((7, 2)), rng.random((5, 1))]
    blocks = [LossUnits(lambda rows, one=one: one[None, rows], np.ones(len(one))) for one in tables]
    found = after_choice.after_choice(blocks, cheapest, np.ones(3, dtype=bool), n_resamples=300, seed=2)
    costs = []
    for draw in range(300):
        inside, outside = [], []
        for place, table in enumerate(tables):
            times = after_choice._times_drawn(np.arange(len(table)), 300, 2 + place, len(table))[draw]
            if times.all():
                break
            inside += (times @ table / times.sum()).tolist()
            outside += table[times == 0].mean(axis=0).tolist()
        else:
            costs.append(outside[int(np.argmin(inside))])
    assert found.all_draws == pytest.approx(np.mean(costs), rel=1e-12)
