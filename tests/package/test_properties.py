"""Laws that hold for every function of scores: functions x laws on tied, weighted data."""

import inspect
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import demur
from demur import InputError, ScoreCounts, UndefinedError
from examples import examples
from oracles import scored_data
from public_surface import FUNCTIONS

X = np.linspace(0, 1, 11)


def _surface_values(counts):
    surface = demur.abstention_surface(counts)
    return [*np.ravel(surface.cost(X[:, None] * 2, X)), surface.volume(), *surface.mean_rates()]


def _window_rates(window):
    return [window.fn, window.fp, window.abstention_rate]


def _numbers(result):
    return [value for value in result.to_dict().values() if isinstance(value, float)]


PROMISE = {"positive": demur.roc.Precision(value=0.6), "negative": demur.roc.Precision(value=0.6)}
RANGE = demur.CostRange(cost_fn=(1, 3), cost_fp=1, cost_abstain=0.2)

# every entry maps counts to a list of numbers that must not depend on how the data are written
LAWS = {
    "demur.roc_curve": lambda c: [demur.roc_curve(c).auc, demur.roc_curve(c).partial_auc(0.1, 0.6)],
    "the hull": lambda c: [demur.roc_curve(c).convex_hull().auc],
    "demur.precision_recall_curve": lambda c: [demur.precision_recall_curve(c).average_precision],
    "demur.auc_score": lambda c: [demur.auc_score(c)],
    "demur.auc.auc_variance": lambda c: [demur.auc.auc_variance(c, weights="repeats")],
    "demur.auc_interval": lambda c: list(demur.auc_interval(c, weights="repeats")),
    "demur.roc.roc_interval": lambda c: [
        *demur.roc.roc_interval(c, specificity=X, weights="repeats").low,
        *demur.roc.roc_interval(c, sensitivity=X, weights="repeats").high,
    ],
    "demur.roc.operating_point": lambda c: [
        limit
        for interval in demur.roc.operating_point(c, sensitivity=0.6, weights="repeats").intervals.values()
        for limit in np.arctan(interval)  # a limit may be infinite
    ],
    "demur.cost_curve": lambda c: [*demur.cost_curve(c).expected_cost(X), demur.cost_curve(c).area()],
    "the H measure": lambda c: [demur.cost_curve(c).h_measure()],
    "demur.net_benefit_curve": lambda c: list(demur.net_benefit_curve(c).optimal_net_benefit(X[:-1])),
    "demur.abstention_surface": _surface_values,
    "demur.surface.count_bounds": lambda c: list(demur.surface.count_bounds(c).surface(1, 0.2)),
    "demur.vacc_score": lambda c: [demur.vacc_score(c), demur.vacc_score(c, prevalence=0.3)],
    "demur.cheapest_window": lambda c: _window_rates(
        demur.cheapest_window(c, mu=1, nu=0.2, max_abstention=0.5)
    ),
    "demur.windows.range_window": lambda c: _window_rates(demur.windows.range_window(c, costs=RANGE)),
    "demur.windows.widest_coverage_window": lambda c: _window_rates(
        demur.windows.widest_coverage_window(c, min_precision_positive=0.6)
    ),
    "demur.windows.deterministic_window": lambda c: _window_rates(
        demur.windows.deterministic_window(c, **PROMISE)
    ),
    "demur.reliable_window": lambda c: _numbers(demur.reliable_window(c, **PROMISE).expected),
    "demur.roc.reliable_roc": lambda c: [demur.roc.reliable_roc(c, point_a=(0, 0), point_b=(0, 0)).auc],
    "demur.surface.vacc_noise_response": lambda c: demur.surface.vacc_noise_response(c, noise=[0, 0.2]).vacc,
    "demur.roc_band": lambda c: [*demur.roc_band(c).low, *demur.roc_band(c).high],
    "demur.confident_segment": lambda c: [*demur.confident_segment(c).low, *demur.confident_segment(c).high],
    "demur.surface_certificate": lambda c: [demur.surface_certificate(c).window(1, 0.2).expected_cost],
}

_RANDOM = "splits the cases at random: the same seed gives the same folds in any row order (tests/honest)"
_PROBABILITIES = "scores are probabilities, so rescaling changes their meaning"
_ORDINAL = "three or more ordered classes: laws of their own (tests/ordinal)"
EXEMPT = {
    "demur.auc.auc_cluster_variance": "clusters of cases, not counts (tests/auc/test_one.py)",
    "demur.auc.auc_cluster_interval": "clusters of cases, not counts (tests/auc/test_clustered.py)",
    "demur.calibration.calibration_slope": _PROBABILITIES,
    "demur.calibration.reliability_curve": _PROBABILITIES,
    "demur.roc.prepared_scores": "makes labels and scores, no numbers (tests/roc/test_preparing.py)",
    "demur.roc.smooth_roc": "fits to a tolerance, or blurs the scores (tests/roc/test_smooth.py)",
    "demur.auc.partial_auc_interval": "resamples (tests/auc/test_curves.py)",
    "demur.cost_curve_band": _RANDOM,
    "demur.cross_fitted_surface": _RANDOM,
    "demur.surface_band": _RANDOM,
    "demur.volume_interval": _RANDOM,
    "demur.window_interval": _RANDOM,
    "demur.ordinal.jonckheere_test": _ORDINAL,
    "demur.ordinal.honest_ordinal_cost": _ORDINAL,
    "demur.ordinal.ordinal_thresholds": _ORDINAL,
    "demur.ordinal_roc": _ORDINAL,
    "demur.surface.plugin_vacc_score": _PROBABILITIES,
}
each_function = pytest.mark.parametrize("name", LAWS)


def outcome(name, counts):
    """Numbers, or the kind of refusal: data that are refused must be refused however they are written."""
    try:
        return np.array(LAWS[name](counts), dtype=float)
    except InputError as error:
        return np.array([float(isinstance(error, UndefinedError)), np.nan])


@each_function
def test_laws_are_about_numbers(name):
    counts = counts_of([0, 1, 0, 1, 1, 0] * 2, [1, 2, 2, 3, 4, 1] * 2, [1, 2, 1, 1, 3, 1] * 2)
    assert np.isfinite(outcome(name, counts)).any()
    assert not np.isnan(outcome(name, counts)).any()


def test_every_function_of_labels_and_scores_has_laws_or_a_reason():
    taking = {
        name
        for name, function in FUNCTIONS.items()
        if list(inspect.signature(function).parameters)[:2] == ["y_true", "y_score"]
    }
    assert len(taking) > 20
    assert taking - set(LAWS) - set(EXEMPT) == set(), "add each to LAWS, or to EXEMPT with a reason"
    assert set(LAWS) & set(EXEMPT) == set()
    named = {name for name in {*LAWS, *EXEMPT} if name.startswith("demur.")}
    assert named <= taking, "no such public function"


def counts_of(y, s, w):
    return ScoreCounts.from_arrays(y, s, sample_weight=w)


@each_function
@given(data=scored_data(both_classes=True), seed=st.integers(0, 99))
@settings(max_examples=examples(25), deadline=None)
def test_row_order_does_not_matter(name, data, seed):
    order = np.random.default_rng(seed).permutation(len(data[0]))
    shuffled = [np.array(column)[order] for column in data]
    np.testing.assert_allclose(
        outcome(name, counts_of(*shuffled)), outcome(name, counts_of(*data)), atol=1e-12
    )


@each_function
@given(data=scored_data(both_classes=True))
@settings(max_examples=examples(25), deadline=None)
def test_weight_two_is_a_repeated_row(name, data):
    y, s, w = data
    doubled = counts_of(y, s, [2 * weight for weight in w])
    repeated = counts_of(y + y, s + s, w + w)
    np.testing.assert_allclose(outcome(name, doubled), outcome(name, repeated), atol=1e-12)


@each_function
@given(data=scored_data(both_classes=True))
@settings(max_examples=examples(25), deadline=None)
def test_increasing_rescaling_changes_nothing(name, data):
    y, s, w = data
    rank = {score: math.tanh(index - 2.5) for index, score in enumerate(sorted(set(s)))}
    moved = counts_of(y, [rank[score] for score in s], w)
    np.testing.assert_allclose(outcome(name, moved), outcome(name, counts_of(y, s, w)), atol=1e-12)


@each_function
@given(data=scored_data(both_classes=True))
@settings(max_examples=examples(25), deadline=None)
def test_merged_counts_are_the_counts_of_the_union(name, data):
    y, s, w = data
    cut = len(y) // 2
    whole = counts_of(y, s, w)
    merged = (
        counts_of(y[:cut], s[:cut], w[:cut]).merge(counts_of(y[cut:], s[cut:], w[cut:])) if cut else whole
    )
    assert merged == whole
    np.testing.assert_allclose(outcome(name, merged), outcome(name, whole), atol=1e-12)


@given(scored_data(both_classes=True), st.floats(0.05, 5), st.floats(0, 2))
@settings(max_examples=examples(60), deadline=None)
def test_swapping_the_labels_mirrors_everything(data, mu, nu):
    y, s, w = data
    plain = counts_of(y, s, w)
    mirror = counts_of([1 - label for label in y], [-score for score in s], w)
    assert demur.auc_score(mirror) == pytest.approx(demur.auc_score(plain), abs=1e-12)
    np.testing.assert_allclose(
        demur.cost_curve(mirror).expected_cost(1 - X), demur.cost_curve(plain).expected_cost(X), atol=1e-12
    )
    mirrored = mu * demur.abstention_surface(mirror).cost(1 / mu, nu / mu)
    assert demur.abstention_surface(plain).cost(mu, nu) == pytest.approx(mirrored, abs=1e-12)


@given(scored_data(both_classes=True), st.floats(0, 3), st.floats(0, 1.5))
@settings(max_examples=examples(60), deadline=None)
def test_envelope_is_below_every_member(data, mu, nu):
    counts = counts_of(*data)
    curve, surface = demur.cost_curve(counts), demur.abstention_surface(counts)
    lines = curve.fnr * X[:, None] + curve.fpr * (1 - X[:, None])
    assert np.all(curve.expected_cost(X) <= lines.min(axis=1) + 1e-12)
    assert surface.cost(mu, nu) <= surface.trivial().cost(mu, nu) + 1e-12
    assert surface.trivial().cost(mu, nu) == pytest.approx(
        min(counts.prevalence, mu * (1 - counts.prevalence), nu), abs=1e-12
    )


@given(scored_data(both_classes=True), st.floats(0.05, 3))
@settings(max_examples=examples(60), deadline=None)
def test_surface_at_large_nu_is_the_cost_curve(data, mu):
    counts = counts_of(*data)
    scale = counts.prevalence + mu * (1 - counts.prevalence)
    pc = counts.prevalence / scale
    expected = scale * demur.cost_curve(counts).expected_cost(pc)
    assert demur.abstention_surface(counts).cost(mu, np.inf) == pytest.approx(expected, abs=1e-12)
    assert demur.abstention_surface(counts).cost(mu, mu / (1 + mu)) == pytest.approx(expected, abs=1e-12)


@given(scored_data(both_classes=True), st.floats(0, 3), st.floats(0, 1), st.floats(0, 1))
@settings(max_examples=examples(60), deadline=None)
def test_surface_is_monotone_concave_and_windows_are_nested(data, mu, one, other):
    surface = demur.abstention_surface(counts_of(*data))
    low, high = sorted((one, other))
    assert surface.cost(mu, low) <= surface.cost(mu, high) + 1e-12
    middle = surface.cost(mu, (low + high) / 2)
    assert middle >= (surface.cost(mu, low) + surface.cost(mu, high)) / 2 - 1e-12
    wide, narrow = surface.window(mu, low), surface.window(mu, high)
    assert wide.lower_index <= narrow.lower_index
    assert wide.upper_index >= narrow.upper_index
    assert 0 <= narrow.coverage <= 1
    assert wide.abstention_rate >= narrow.abstention_rate - 1e-12


@given(scored_data(both_classes=True), st.floats(0.01, 2.9), st.floats(0.01, 0.9))
@settings(max_examples=examples(60), deadline=None)
def test_slopes_of_the_surface_are_its_rates(data, mu, nu):
    surface = demur.abstention_surface(counts_of(*data))
    window = surface.window(mu, nu)
    # a plane of the envelope lies above it everywhere and touches it here
    for other_mu, other_nu in [(0.3, 0.2), (1.0, 0.4), (2.0, 0.1)]:
        plane = window.fn + other_mu * window.fp + other_nu * window.abstention_rate
        assert plane >= surface.cost(other_mu, other_nu) - 1e-12
    touch = window.fn + mu * window.fp + nu * window.abstention_rate
    assert touch == pytest.approx(surface.cost(mu, nu), abs=1e-12)


@given(scored_data(both_classes=True), st.floats(0.05, 0.95))
@settings(max_examples=examples(60), deadline=None)
def test_prevalence_is_a_reweighting(data, prevalence):
    y, s, w = data
    counts = counts_of(y, s, w)
    factors = {1: prevalence / counts.n_positive, 0: (1 - prevalence) / counts.n_negative}
    moved = counts_of(y, s, [weight * factors[label] for label, weight in zip(y, w, strict=True)])
    expected = demur.abstention_surface(moved).cost(X[:, None], X)
    got = demur.abstention_surface(counts, prevalence=prevalence).cost(X[:, None], X)
    np.testing.assert_allclose(got, expected, atol=1e-12)


@given(scored_data(both_classes=True))
@settings(max_examples=examples(60), deadline=None)
def test_plug_in_of_calibrated_scores_is_the_volume(data):
    counts = counts_of(*data)
    surface = demur.abstention_surface(counts)
    calibrated = np.repeat(surface.shares, counts.blocks().groups)
    forecast = ScoreCounts.from_counts(calibrated, counts.positives, counts.negatives)
    assert demur.surface.plugin_vacc_score(forecast) == pytest.approx(surface.volume(), abs=1e-12)
