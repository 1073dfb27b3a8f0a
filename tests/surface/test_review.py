"""Abstaining that costs more on one class, reviewers who err: against enumeration and by two ways."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur import Binormal, CostModel, InputError, Reviewer, abstention_surface
from demur._kernels.integrals import rectangle_scores
from demur.datasets.binormal import paired_binormal_sample
from demur.surface.review import PLAIN, ReviewPrices, review_scores
from examples import examples
from oracles import all_windows, window_cost

LAWS = [
    {"ray": (1.0, 1.0), "reviewer": (0.9, 0.8)},
    {"ray": (0.5, 2.0)},
    {"ray": (3.0, 0.4)},
    {"ray": (2.0, 0.7), "reviewer": (0.95, 0.6)},
    {"reviewer": (1.0, 0.5)},
]


def pair(n=60, seed=0, ties=None):
    y, a, b = paired_binormal_sample(Binormal(), Binormal(separation=2.0), n=n, correlation=0.5, rng=seed)
    return (y, a, b) if ties is None else (y, np.round(a, ties), np.round(b, ties))


def smallest_cost(y, s, mu, nu, ray=(1.0, 1.0), reviewer=(1.0, 1.0)):
    """Cost of the cheapest window, by looking at every case."""
    prices = ray[0] * nu + 1 - reviewer[0], ray[1] * nu + (1 - reviewer[1]) * mu
    weights = np.ones(len(y))
    return min(window_cost(y, s, weights, window, mu, *prices)[0] for window in all_windows(s))


@pytest.mark.parametrize("law", LAWS)
def test_differences_of_cost_against_enumeration(law):
    y, a, b = pair(n=24, ties=1)
    gap = abstention_surface(y, a).minus(abstention_surface(y, b), mu=(0, 2), nu=(0, 1), **law)
    rng = np.random.default_rng(1)
    for mu, nu in zip(2 * rng.random(20), rng.random(20), strict=True):
        expected = smallest_cost(y, a, mu, nu, **law) - smallest_cost(y, b, mu, nu, **law)
        assert gap.cost(mu, nu) == pytest.approx(expected, abs=1e-12)


@given(
    st.integers(0, 10**6),
    st.tuples(st.floats(0.2, 4), st.floats(0.2, 4)),
    st.tuples(st.floats(0.55, 1), st.floats(0.55, 1)),
    st.tuples(st.floats(0, 0.8), st.floats(0.9, 3)),
    st.tuples(st.floats(0, 0.3), st.floats(0.35, 1.5)),
)
@settings(max_examples=examples(30), deadline=None)
def test_areas_and_volumes_by_two_ways(seed, ray, reviewer, mu, nu):
    """Cells of the overlay against losses of blocks, and against many points."""
    y, a, b = pair(seed=seed, ties=1)
    first, second = abstention_surface(y, a), abstention_surface(y, b)
    law = {"ray": ray, "reviewer": reviewer}
    gap = first.minus(second, mu=mu, nu=nu, **law)
    whole = (mu[1] - mu[0]) * (nu[1] - nu[0])
    assert gap.better_area + gap.worse_area + gap.equal_area == pytest.approx(whole, rel=1e-9)
    volumes = [surface.volume(mu, nu, **law) for surface in (first, second)]
    assert gap.net == pytest.approx(volumes[0] - volumes[1], abs=1e-11)
    x, z = np.meshgrid(np.linspace(*mu, 81), np.linspace(*nu, 81), indexing="ij")
    values = np.asarray(gap.cost(x, z))
    assert -values.min() <= gap.largest_gain + 1e-12
    assert values.max() <= gap.largest_loss + 1e-12
    for extreme, at in ((-gap.largest_gain, gap.largest_gain_at), (gap.largest_loss, gap.largest_loss_at)):
        if at is not None:
            assert gap.cost(*at) == pytest.approx(extreme, abs=1e-12)
    # the share of the points is within what cells along the border can hold
    assert np.mean(values < -1e-12) * whole == pytest.approx(gap.better_area, abs=0.06 * whole)


@pytest.mark.parametrize("ray", [(1.0, 1.0), (0.5, 2.0), (3.0, 0.4)])
def test_losses_of_blocks_against_the_closed_form(ray):
    """Along a ray the volume has a closed form, and plain prices a closed form of the losses."""
    y, a, _ = pair(n=200)
    surface = abstention_surface(y, a)
    mu, nu = (0.1, 1.7), (0.05, 0.9)
    one, two = review_scores(surface.shares, mu, nu, ReviewPrices.checked(ray, (1, 1)))
    volume = surface.positive_mass @ one + surface.negative_mass @ two
    assert volume == pytest.approx(surface.volume(mu, nu, ray=ray), abs=1e-13)
    if ray == (1.0, 1.0):
        p = np.linspace(0, 1, 201)
        for mine, closed in zip(review_scores(p, mu, nu, PLAIN), rectangle_scores(p, mu, nu), strict=True):
            assert mine == pytest.approx(closed, abs=1e-12)


@pytest.mark.parametrize("law", LAWS)
def test_smallest_rectangles_hold_all_points(law):
    y, a, b = pair()
    gap = abstention_surface(y, a).minus(abstention_surface(y, b), **law)
    x, z = np.meshgrid(*[np.linspace(0, 1, 101)] * 2, indexing="ij")
    values = np.asarray(gap.cost(x, z))
    for ends, where in zip(gap.within(), (values < -1e-9, values > 1e-9), strict=True):
        if ends is None:
            assert not where.any()
            continue
        for (low, high), axis in zip(ends, (x, z), strict=True):
            assert low - 1e-9 <= axis[where].min() <= axis[where].max() <= high + 1e-9


def test_costs_are_those_of_a_cost_model_with_a_reviewer():
    y, a, b = pair()
    law = {"reviewer": (0.9, 0.8)}
    gap = abstention_surface(y, a).minus(abstention_surface(y, b), **law)
    person = Reviewer(fee=20, sensitivity=0.9, specificity=0.8)
    costs = CostModel(cost_fn=100, cost_fp=50, reviewer=person)
    windows = [surface.window(costs=costs) for surface in (gap.first, gap.second)]
    assert 100 * gap.cost(0.5, 0.2) == pytest.approx(windows[0].expected_cost - windows[1].expected_cost)


def test_abstaining_pays_below_the_largest_nu_only():
    law = ReviewPrices.checked((2.0, 0.5), (0.9, 0.8))
    mu = np.linspace(0.05, 3, 40)
    for factor, empty in ((0.999, False), (1.001, True)):
        positive, negative = law.by_class(mu, factor * law.largest_nu(mu))
        assert np.all((mu * positive + negative >= mu) == empty)


@pytest.mark.parametrize(
    ("argument", "value", "words"),
    [
        ("ray", (0, 1), "two positive numbers"),
        ("ray", (1, 2, 3), "two positive numbers"),
        ("reviewer", (0.5, 0.5), "a sum above 1"),
        ("reviewer", (1.2, 0.5), "must lie in"),
    ],
)
def test_prices_that_are_none_are_refused(argument, value, words):
    surface = abstention_surface([0, 1, 0, 1], [1, 2, 3, 4])
    with pytest.raises(InputError, match=words):
        surface.minus(surface.trivial(), **{argument: value})
