"""The e-process: its urn against counting permutations, its level and power by simulation."""

import itertools
import math

import numpy as np
import pytest

import demur
from demur.monitoring.drift import Start, log_urn, pruned
from demur.monitoring.reference import ReferenceCells
from monitoring_cases import COSTS, cell_shares, shop_policy


def test_urn_is_the_law_of_ranks_against_counting_permutations():
    # four reference scores in cells of 1, 2 and 1, cut at the first and the third; three later cases
    law = {}
    for order in itertools.permutations(range(7)):
        reference, later = sorted(order[:4]), order[4:]
        cuts = reference[0], reference[2]
        cells = tuple(sum(score > cut for cut in cuts) for score in later)
        law[cells] = law.get(cells, 0) + 1 / math.factorial(7)
    assert len(law) == 27
    for cells, probability in law.items():
        counts = np.bincount(cells, minlength=3).astype(float)
        urn = math.exp(log_urn(counts, np.array([1.0, 2.0, 2.0])))
        assert urn == pytest.approx(probability, rel=1e-12)


def test_urn_by_hand():
    # draw black, white, black from 2 black and 1 white, each put back twice: 2/3 * 1/4 * 3/5
    assert math.exp(log_urn(np.array([2.0, 1.0]), np.array([2.0, 1.0]))) == pytest.approx(0.1)


def test_expected_evidence_under_the_urn_is_one(rng):
    """E[E(t)] = 1 after two batches of two cases, summed over all sequences."""
    cells = ReferenceCells.of(shop_policy(rng, 40))
    reference = cells.shares() * cells.size_at()
    # one law for outcomes and blocks alike: every cell is a group of its own
    object.__setattr__(cells, "block_starts", np.arange(cells.size))
    object.__setattr__(cells, "outcome_starts", np.arange(cells.size))
    total = 0.0
    for sequence in itertools.product(range(cells.size), repeat=4):
        first = np.bincount(sequence[:2], minlength=cells.size).astype(float)
        second = np.bincount(sequence[2:], minlength=cells.size).astype(float)
        starts = [Start(1, first + second), Start(2, second)]
        probability = math.exp(log_urn(first + second, reference + 0.5))
        total += probability * math.exp(cells.log_evidence(starts, 2)[0])
    assert total == pytest.approx(1.0, rel=1e-9)


def test_starts_are_few_and_reach_back_to_the_first():
    starts = []
    for batch in range(1, 1001):
        starts = pruned([*starts, Start(batch, np.zeros(1))], batch)
        ages = [batch + 1 - start.batch for start in starts]
        assert starts[0].batch == 1
        assert ages[-1] == 1
        assert len(starts) <= 2 * math.log2(batch + 1) + 2
        # a change of any age has a start at most three times as old
        for age in (1, 2, 5, 20, 90, 400):
            if age <= batch:
                assert min(other for other in ages if other >= age) <= 3 * age


TESTS = ("outcomes", "blocks", "prevalence", "together")


def largest_evidence(rng, cells, shares, looks, *, cases=500):
    """Return the largest log E(t) of each test and of their average over so many looks."""
    starts, largest = [], np.full(4, -math.inf)
    for look in range(1, looks + 1):
        counts = rng.multinomial(cases, shares).astype(float)
        starts = [Start(start.batch, start.counts + counts) for start in starts] + [Start(look, counts)]
        held = np.stack([start.counts for start in starts])
        weights = -np.log([start.batch * (start.batch + 1) for start in starts])
        terms = np.hstack(
            [weights + cells.log_ratios(held, held[0] - held), np.full((3, 1), -math.log(look + 1))]
        )
        each = np.logaddexp.reduce(terms, axis=1)
        together = np.logaddexp.reduce(each) - math.log(3)
        largest = np.maximum(largest, [*each, together])
        last, starts = starts, pruned(starts, look)
    # what the monitor reports
    assert together == pytest.approx(cells.log_evidence(last, looks)[0])
    return largest


def shop_evidence(rng, size, looks, **options):
    cells = ReferenceCells.of(shop_policy(rng, size))
    return largest_evidence(rng, cells, cell_shares(cells), looks, **options)


def days_to_alarm(rng, size, *, quiet, cases=500, most=30):
    cells = ReferenceCells.of(shop_policy(rng, size))
    starts = []
    usual, doubled = cell_shares(cells), cell_shares(cells, 0.2)
    for look in range(1, quiet + most + 1):
        counts = rng.multinomial(cases, usual if look <= quiet else doubled).astype(float)
        starts = [Start(start.batch, start.counts + counts) for start in starts] + [Start(look, counts)]
        if cells.log_evidence(starts, look)[0] >= math.log(20):
            return look - quiet
        starts = pruned(starts, look)
    return most


# chances of a positive at a score that is uniform between 0 and 1
ETAS = {
    "function of the score": lambda x: (x > 0.85).astype(float),
    "no information": lambda x: np.full_like(x, 0.2),
    "up and down": lambda x: np.where(np.floor(40 * x) % 2 == 0, 0.05, 0.6),
    "falling": lambda x: 0.5 * (1 - x),
}


def other_evidence(rng, eta, size, looks, *, values=None):
    """The same for uniform scores with other chances of a positive; `values` rounds them to so many."""

    def drawn(n):
        x = rng.random(n)
        return rng.random(n) < eta(x), x if values is None else np.floor(values * x) / values

    positive, score = drawn(size)
    policy = demur.Policy.from_surface(demur.abstention_surface(positive, score), costs=COSTS)
    cells = ReferenceCells.of(policy)
    if values is None:
        shares = np.diff(np.concatenate([[0.0], np.clip(cells.cuts, 0, 1), [1.0]]))
    else:
        shares = np.bincount(cells.cell_of(np.arange(values) / values), minlength=cells.size) / values
    return largest_evidence(rng, cells, shares, looks)


def most_allowed(runs):
    return runs * 0.05 + 2 * math.sqrt(runs * 0.05 * 0.95)


def test_quiet_times_stay_quiet(rng):
    alarms = sum(shop_evidence(rng, 300, 100) >= math.log(20) for _ in range(20))
    assert np.all(alarms <= 3), dict(zip(TESTS, alarms, strict=True))


def test_doubled_prevalence_is_found_within_three_days(rng):
    assert sum(days_to_alarm(rng, 2000, quiet=0) <= 3 for _ in range(20)) >= 16


@pytest.mark.long
@pytest.mark.parametrize("size", [300, 1000, 10000])
def test_false_alarms_over_a_thousand_looks(size):
    rng = np.random.default_rng(size)
    runs = 100
    alarms = sum(shop_evidence(rng, size, 1000) >= math.log(20) for _ in range(runs))
    assert np.all(alarms <= most_allowed(runs)), dict(zip(TESTS, alarms, strict=True))


@pytest.mark.long
@pytest.mark.parametrize("cases", [1, 20])
def test_false_alarms_with_small_batches(cases):
    rng = np.random.default_rng(cases)
    runs = 60
    alarms = sum(shop_evidence(rng, 300, 1000, cases=cases) >= math.log(20) for _ in range(runs))
    assert np.all(alarms <= most_allowed(runs)), dict(zip(TESTS, alarms, strict=True))


@pytest.mark.long
@pytest.mark.parametrize("values", [None, 10], ids=["continuous", "ten values"])
@pytest.mark.parametrize("eta", ETAS)
def test_false_alarms_of_cells_chosen_with_other_labels(eta, values):
    rng = np.random.default_rng(len(eta))
    runs = 60
    alarms = sum(other_evidence(rng, ETAS[eta], 200, 250, values=values) >= math.log(20) for _ in range(runs))
    assert np.all(alarms <= most_allowed(runs)), dict(zip(TESTS, alarms, strict=True))


@pytest.mark.long
@pytest.mark.parametrize(("size", "quiet"), [(300, 7), (300, 35), (1000, 7), (2000, 0), (10000, 0)])
def test_power_for_a_doubled_prevalence(size, quiet):
    """Not with 300 reference cases and a change on day 1: a bet that knew day and odds finds 6 of 10."""
    rng = np.random.default_rng(quiet + size)
    runs = 200
    assert sum(1 <= days_to_alarm(rng, size, quiet=quiet) <= 3 for _ in range(runs)) >= 0.9 * runs
