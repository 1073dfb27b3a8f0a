"""Constrained windows against brute force over all windows, enumeration and hand computation."""

import json
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import demur
from demur import (
    ABSTAIN,
    CostModel,
    FMeasure,
    GmEstimate,
    InputError,
    Precision,
    ScoreCounts,
    UndefinedError,
    abstention_surface,
    cheapest_window,
    decide,
    reliable_window,
)
from demur.windows import deterministic_window, widest_coverage_window
from examples import examples
from oracles import all_windows, scored_data, window_cost
from reference_cases import cases, close

FILE = "reliable.json"
SCORES, POS, NEG = [-0.9, -0.5, 0.0, 0.4, 0.8], [0, 1, 1, 2, 2], [2, 1, 2, 1, 0]


def worked_example():
    return ScoreCounts.from_counts(SCORES, POS, NEG)


def outcomes(y, s, w, window):
    """(TP, FP, FN, TN, UP, UN) of one window (i, j) over the distinct scores, by looking at every case."""
    rank = {score: index for index, score in enumerate(sorted(set(s)))}
    tp = fp = fn = tn = up = un = 0.0
    for label, score, weight in zip(y, s, w, strict=True):
        group = rank[score]
        if group >= window[1]:
            tp, fp = tp + weight * label, fp + weight * (1 - label)
        elif group < window[0]:
            fn, tn = fn + weight * label, tn + weight * (1 - label)
        else:
            up, un = up + weight * label, un + weight * (1 - label)
    return tp, fp, fn, tn, up, un


def kept(value, target):
    """0/0 keeps every promise."""
    return math.isnan(value) or value >= target - 1e-12


def ratio_of(top, bottom):
    return top / bottom if bottom else math.nan


# ---------------------------------------------------------------- by hand


@pytest.mark.parametrize(
    ("limit", "cuts", "cost"),
    [
        # mu = 1, nu = 1/4: abstaining on the scores 1, 2, 3 saves 1/4 of 12 cases' worth of errors
        (1.0, (1, 4), 1 / 6),
        (2 / 3, (1, 4), 1 / 6),
        # one case less: drop the lowest or the highest score of the window
        (0.65, (1, 3), (1 + 5 / 4) / 12),
        (0.25, (2, 3), (1 + 1 + 3 / 4) / 12),
        # leaving out the two cases at -0.5 would save one error of four, not of the best three
        (0.2, (3, 3), 3 / 12),
        (0.0, (3, 3), 3 / 12),
    ],
)
def test_limited_abstention_by_hand(limit, cuts, cost):
    window = cheapest_window(worked_example(), mu=1, nu=0.25, max_abstention=limit)
    assert window.cost == pytest.approx(cost, abs=1e-15)
    assert (window.lower_index, window.upper_index) == cuts
    assert window.unconstrained_cost == pytest.approx(1 / 6)
    assert window.abstention_rate <= limit


def test_coverage_by_hand():
    window = widest_coverage_window(worked_example(), min_precision_positive=0.8, min_precision_negative=0.75)
    # positives above 0.2: 4 right of 5; negatives below -0.25: 3 right of 4; three cases are left
    assert (window.lower_index, window.upper_index) == (2, 3)
    assert (window.positive_performance, window.negative_performance) == (0.8, 0.75)
    assert window.abstention_rate == 0.25
    assert (window.lower, window.upper) == pytest.approx((-0.25, 0.2))
    assert window.note == ""


def test_limit_equal_to_a_share_of_cases_is_reached():
    # 0.1 + 0.1 + 0.1 > 0.3 in floating point; three cases of ten must still fit into 0.3
    for limit in (0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9):
        # a reward for abstaining uses up the limit
        window = cheapest_window([0, 1] * 5, range(10), mu=1, nu=-2, nu_negative=-2, max_abstention=limit)
        assert window.abstention_rate == limit


def test_costs_in_money():
    costs = CostModel(cost_fn=100, cost_fp=100, cost_abstain=25)
    window = cheapest_window(worked_example(), costs=costs, max_abstention=0.25)
    assert window.expected_cost == pytest.approx(100 * (2 + 3 / 4) / 12)
    assert window.cost == pytest.approx((2 + 3 / 4) / 12)


def test_optimum_under_a_limit_can_cut_inside_a_block():
    # One block of share 1/2 (scores 2 to 5). Block borders allow abstaining on all of it or nothing.
    counts = ScoreCounts.from_counts(range(1, 7), [0, 1, 0, 1, 0, 9], [9, 0, 1, 0, 1, 0])
    assert len(counts.blocks().positives) == 3
    window = cheapest_window(counts, mu=1, nu=0.1, max_abstention=0.1)
    # leave out the scores 2 and 3; the negative at 5 stays a false alarm
    assert (window.lower_index, window.upper_index) == (1, 3)
    assert window.cost == pytest.approx((1 + 0.2) / 22)
    at_borders = [window_of(counts, i, j) for i in (0, 1, 5, 6) for j in (0, 1, 5, 6) if i <= j]
    affordable = [cost for cost, abstained in at_borders if abstained <= 0.1]
    assert min(affordable) > window.cost + 1e-3


def window_of(counts, i, j):
    p, q = counts.positives, counts.negatives
    cost = p[:i].sum() + q[j:].sum() + 0.1 * (p[i:j].sum() + q[i:j].sum())
    return cost / counts.n, (p[i:j].sum() + q[i:j].sum()) / counts.n


# ---------------------------------------------------------------- reference cases (enumeration)


@pytest.mark.parametrize("search", ["isometric", "direct"])
@pytest.mark.parametrize("case", cases(FILE, "reliable.deterministic"))
def test_deterministic_search_against_enumeration(case, search):
    data, expect = case["input"], case["expect"][search]
    make = {
        "prec": Precision,
        "F": lambda z: FMeasure(z, data["alpha"]),
        "gm": lambda z: GmEstimate(z, data["m_hat"]),
    }[data["family"]]
    counts = ScoreCounts.from_arrays(data["labels"], data["scores"], sample_weight=data["weights"])
    promised = {
        "positive": make(data["target_pos"]),
        "negative": make(data["target_neg"]),
        "skew": data["cost_ratio"] * counts.n_negative / counts.n_positive,
        "search": search,
    }
    if expect == "infeasible":
        with pytest.raises(UndefinedError, match="each alone"):
            deterministic_window(counts, **promised)
        return
    window = deterministic_window(counts, **promised)
    k, n, c = len(counts.scores), counts.n, expect["counts"]
    assert k - window.upper_index == expect["n_groups_positive"]
    assert k - window.lower_index == expect["n_groups_not_negative"]
    got = [window.fp, window.fn, window.abstained_positive, window.abstained_negative]
    close(got, [c[key] / n for key in ("FP", "FN", "UP", "UN")], case["tol"])
    close(counts.n_positive / n - window.fn - window.abstained_positive, c["TP"] / n, case["tol"])


# ---------------------------------------------------------------- brute force over all windows

relative_costs = st.floats(0, 3, allow_subnormal=False)
limits = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.8, 1.0])
precisions = st.one_of(st.none(), st.sampled_from([0.25, 0.5, 0.6, 2 / 3, 0.75, 0.9, 1.0]))


@given(scored_data(), relative_costs, st.floats(-0.5, 1.5), st.floats(-0.5, 1.5), limits)
@settings(max_examples=examples(200), deadline=None)
def test_cheapest_against_brute_force(data, mu, nu_positive, nu_negative, limit):
    y, s, w = data
    window = cheapest_window(
        y, s, sample_weight=w, mu=mu, nu=nu_positive, nu_negative=nu_negative, max_abstention=limit
    )
    tried = {cuts: window_cost(y, s, w, cuts, mu, nu_positive, nu_negative) for cuts in all_windows(s)}
    allowed = {cuts: cost for cuts, (cost, rate) in tried.items() if rate <= limit + 1e-12}
    best = min(allowed.values())
    cuts = window.lower_index, window.upper_index
    assert window.cost == pytest.approx(best, abs=1e-12)
    assert allowed[cuts] == pytest.approx(best, abs=1e-12)
    assert window.abstention_rate == pytest.approx(tried[cuts][1], abs=1e-12)
    # the thresholds do what the indices say
    ranks = np.searchsorted(sorted(set(s)), s)
    codes = np.where(ranks >= cuts[1], 1, np.where(ranks < cuts[0], 0, ABSTAIN))
    assert decide(s, window).tolist() == codes.tolist()


@given(scored_data(), st.sampled_from([0, 0.25, 0.5, 1, 2]), st.sampled_from([0, 0.125, 0.25, 0.5]), limits)
@settings(max_examples=examples(200), deadline=None)
def test_ties_of_cheapest_against_brute_force(data, mu, nu, limit):
    # costs that tie often: the least abstention wins, then more cases called positive
    y, s, w = data
    tried = {cuts: window_cost(y, s, w, cuts, mu, nu, nu) for cuts in all_windows(s)}
    ranked = [(round(c, 11), round(r, 11), *cuts) for cuts, (c, r) in tried.items() if r <= limit + 1e-12]
    window = cheapest_window(y, s, sample_weight=w, mu=mu, nu=nu, max_abstention=limit)
    assert (window.lower_index, window.upper_index) == min(ranked)[2:]


@given(scored_data(both_classes=True), limits, precisions, precisions, st.sampled_from([None, 0.2, 0.7]))
@settings(max_examples=examples(200), deadline=None)
def test_cheapest_with_precisions_against_brute_force(data, limit, z_positive, z_negative, prevalence):
    y, s, w = data
    mu, nu = 0.8, 0.2
    tried = _judged(y, s, w, prevalence, z_positive, z_negative)
    costs = {
        cuts: fn + mu * fp + nu * (up + un)
        for cuts, (good, (_, fp, fn, _, up, un)) in tried.items()
        if good and up + un <= limit + 1e-12
    }
    arguments = {
        "sample_weight": w,
        "mu": mu,
        "nu": nu,
        "max_abstention": limit,
        "min_precision_positive": z_positive,
        "min_precision_negative": z_negative,
        "prevalence": prevalence,
    }
    if not costs:
        needed = min(m[4] + m[5] for good, m in tried.values() if good)
        with pytest.raises(UndefinedError, match=f"at least {needed:.4g}"):
            cheapest_window(y, s, **arguments)
        return
    window = cheapest_window(y, s, **arguments)
    assert window.cost == pytest.approx(min(costs.values()), abs=1e-12)
    assert costs[window.lower_index, window.upper_index] == pytest.approx(window.cost, abs=1e-12)


@given(
    scored_data(both_classes=True),
    limits,
    precisions,
    precisions,
    st.sampled_from([0.0, 0.2, 0.5]),
    st.sampled_from([0.05, 0.2, math.inf]),
)
@settings(max_examples=examples(200), deadline=None)
def test_all_limits_together_against_brute_force(data, limit, z_positive, z_negative, misses, nu):
    y, s, w = data
    mu = 0.8
    positives = sum(wi for yi, wi in zip(y, w, strict=True) if yi)
    tried = _judged(y, s, w, None, z_positive, z_negative)
    total = sum(w)
    kept_windows = {
        cuts: (fn + mu * fp + (nu * (up + un) if up + un else 0.0), up + un, cuts[1], -cuts[0])
        for cuts, (good, (_, fp, fn, _, up, un)) in tried.items()
        if good and up + un <= limit + 1e-12 and fn * total <= misses * positives + 1e-12
    }
    kept_windows = {cuts: key for cuts, key in kept_windows.items() if key[0] < math.inf}
    arguments = {
        "sample_weight": w,
        "mu": mu,
        "nu": nu,
        "max_abstention": limit,
        "min_precision_positive": z_positive,
        "min_precision_negative": z_negative,
        "max_fn_rate": misses,
    }
    if not kept_windows:
        with pytest.raises(UndefinedError, match="No window keeps the limits"):
            cheapest_window(y, s, **arguments)
        return
    window = cheapest_window(y, s, **arguments)
    rounded = {cuts: (round(key[0], 11), round(key[1], 11), *key[2:]) for cuts, key in kept_windows.items()}
    assert (window.lower_index, window.upper_index) == min(rounded, key=rounded.get)
    assert window.cost == pytest.approx(min(key[0] for key in kept_windows.values()), abs=1e-12)


def test_the_nearest_values_named_can_be_kept():
    named = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, 30)
        s = np.round(rng.normal(size=30) + y, 1)
        asked = {"max_abstention": 0.1, "min_precision_positive": 0.9, "max_fn_rate": 0.1}
        try:
            cheapest_window(y, s, mu=1, nu=0.2, **asked)
        except UndefinedError as error:
            sentence = str(error)
        else:
            continue
        needed = float(re.search(r"at least ([0-9.]+)[;.]", sentence)[1])
        nearest = dict(re.findall(r"(min_precision_positive|max_fn_rate) = ([0-9.]+[0-9])", sentence))
        for name, value in {"max_abstention": needed, **nearest}.items():
            # four digits are shown
            step = -5e-4 if name.startswith("min") else 5e-4
            cheapest_window(y, s, mu=1, nu=0.2, **{**asked, name: float(value) + step})
            with pytest.raises(UndefinedError):
                cheapest_window(y, s, mu=1, nu=0.2, **{**asked, name: float(value) - step})
            named += 1
    assert named > 20


def _judged(y, s, w, prevalence, z_positive, z_negative):
    """For every window whether it keeps the precisions, and its masses."""
    total = {label: sum(wi for yi, wi in zip(y, w, strict=True) if yi == label) for label in (0, 1)}
    rate = total[1] / sum(w) if prevalence is None else prevalence
    scaled = [wi * (rate if yi else 1 - rate) / total[yi] for yi, wi in zip(y, w, strict=True)]
    judged = {}
    for cuts in all_windows(s):
        masses = tp, fp, fn, tn, _, _ = outcomes(y, s, scaled, cuts)
        good = z_positive is None or kept(ratio_of(tp, tp + fp), z_positive)
        good &= z_negative is None or kept(ratio_of(tn, tn + fn), z_negative)
        judged[cuts] = good, masses
    return judged


@given(
    scored_data(both_classes=True),
    precisions.filter(bool),
    precisions,
    st.sampled_from([None, 0.2, 0.7]),
)
@settings(max_examples=examples(200), deadline=None)
def test_widest_coverage_against_brute_force(data, z_positive, z_negative, prevalence):
    y, s, w = data
    window = widest_coverage_window(
        y,
        s,
        sample_weight=w,
        min_precision_positive=z_positive,
        min_precision_negative=z_negative,
        prevalence=prevalence,
    )
    good = {
        cuts: masses
        for cuts, (fine, masses) in _judged(y, s, w, prevalence, z_positive, z_negative).items()
        if fine
    }
    cuts = window.lower_index, window.upper_index
    # least abstention, then most right decisions, then the higher thresholds
    ranked = sorted(
        good,
        key=lambda at: (
            round(good[at][4] + good[at][5], 11),
            -round(good[at][0] + good[at][3], 11),
            -at[1],
            -at[0],
        ),
    )
    assert cuts == ranked[0]
    tp, fp, fn, tn, up, un = good[cuts]
    assert window.abstention_rate == pytest.approx(up + un, abs=1e-12)
    assert window.coverage == pytest.approx(tp + fp + fn + tn, abs=1e-12)
    for got, value in (
        (window.positive_performance, ratio_of(tp, tp + fp)),
        (window.negative_performance, ratio_of(tn, tn + fn)),
    ):
        assert got is None if math.isnan(value) else got == pytest.approx(value, abs=1e-12)


shares = st.floats(0.3, 1.0)


@given(
    scored_data(both_classes=True, max_size=10),
    st.sampled_from(["prec", "F", "gm"]),
    shares,
    shares,
    st.sampled_from([0.5, 1.0, 2.0]),
)
@settings(max_examples=examples(150), deadline=None)
def test_direct_search_against_brute_force(data, family, z_positive, z_negative, ratio):
    y, s, w = data
    alpha, m = 0.7, 0.2
    make = {"prec": Precision, "F": lambda z: FMeasure(z, alpha), "gm": lambda z: GmEstimate(z, m)}[family]
    total = {label: sum(wi for yi, wi in zip(y, w, strict=True) if yi == label) for label in (0, 1)}
    window = deterministic_window(
        y,
        s,
        sample_weight=w,
        positive=make(z_positive),
        negative=make(z_negative),
        skew=ratio * total[0] / total[1],
    )
    good = {}
    for cuts in all_windows(s):
        tp, fp, fn, tn, up, un = outcomes(y, s, w, cuts)
        values = _printed_metrics(family, tp, fp, fn, tn, ratio, alpha, m)
        if kept(values[0], z_positive) and kept(values[1], z_negative):
            good[cuts] = round(up + un, 9), -round(tp + ratio * tn, 9), -cuts[1], -cuts[0]
    assert (window.lower_index, window.upper_index) == min(good, key=good.__getitem__)


def _printed_metrics(family, tp, fp, fn, tn, w, alpha, m):
    """Vanderlooy et al. (2006), section 6: performances of the decided cases."""
    p, n, k = tp + fn, w * (fp + tn), alpha**2
    if family == "prec":
        pair = (tp, tp + w * fp), (w * tn, w * tn + fn)
    elif family == "F":
        pair = ((1 + k) * tp, k * p + tp + w * fp), ((1 + k) * w * tn, k * n + w * tn + fn)
    else:
        pair = (tp + m * p, tp + w * fp + m * (p + n)), (w * tn + m * n, w * tn + fn + m * (p + n))
    return [ratio_of(*parts) for parts in pair]


def all_pairs_search(mass, tp, tn, by_stop, by_start, other_by_stop, other_by_start, slack):
    """Every stop with every start that abstains on no more than the best so far."""
    top = len(mass) - 1
    best, best_right, best_i, best_j = mass[top] + 1.0, 0.0, 0, top
    for j in range(top, -1, -1):
        i = j
        while i >= 0 and mass[j] - mass[i] <= best + slack:
            if by_stop[j] + by_start[i] >= -slack and other_by_stop[j] + other_by_start[i] >= -slack:
                abstained, right = mass[j] - mass[i], tp[j] + tn[i]
                if abstained < best - slack or right > best_right + slack:
                    best, best_right, best_i, best_j = abstained, right, i, j
                break
            i -= 1
    return best_i, best_j


@pytest.mark.parametrize("seed", range(30))
def test_widest_joint_cuts_against_all_pairs(seed):
    from demur._kernels.window_search import TIE, CutMasses, widest_joint_cuts

    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 90))
    masses = CutMasses.of(*(rng.integers(0, 3, (2, size)) + 0.5))
    # multiples of 1/4 tie often; the last start and stop keep both margins
    margins = [rng.integers(-9, 9, size + 1) / 4 if seed % 2 else rng.normal(size=size + 1) for _ in range(4)]
    margins = [column - rng.choice([0, 1, 3]) for column in margins]
    for column, end in zip(margins, (-1, 0, -1, 0), strict=True):
        column[end] = 20
    slack = TIE * (masses.total[0] + 0.7 * masses.total[1])
    columns = masses.below, masses.positive_above, 0.7 * masses.negative_below, *margins
    found = widest_joint_cuts(masses, 0.7, (margins[0], margins[1]), (margins[2], margins[3]))
    assert found == all_pairs_search(*columns, slack)


# ---------------------------------------------------------------- theory


@given(scored_data(), st.sampled_from([0, 0.3, 0.5, 1, 2]), st.sampled_from([0, 0.1, 0.25, 1 / 3, 0.5, 1]))
@settings(max_examples=examples(100), deadline=None)
def test_without_a_limit_it_is_the_window_of_the_surface(data, mu, nu):
    y, s, w = data
    free = abstention_surface(y, s, sample_weight=w).window(mu, nu)
    window = cheapest_window(y, s, sample_weight=w, mu=mu, nu=nu)
    assert window.cost == pytest.approx(free.cost, abs=1e-12)
    assert (window.lower_index, window.upper_index) == (free.lower_index, free.upper_index)
    assert window.unconstrained_cost == free.cost


@given(scored_data(both_classes=True), st.floats(0.1, 2), st.floats(0, 0.6))
@settings(max_examples=examples(50), deadline=None)
def test_a_looser_limit_never_costs_more(data, mu, nu):
    y, s, w = data
    costs = [
        cheapest_window(y, s, sample_weight=w, mu=mu, nu=nu, max_abstention=limit).cost
        for limit in (0, 0.1, 0.3, 0.6, 1)
    ]
    assert np.all(np.diff(costs) <= 1e-12)


@given(scored_data(both_classes=True), shares, shares)
@settings(max_examples=examples(100), deadline=None)
def test_precision_searches_agree(data, z_positive, z_negative):
    # for precision "direct", "isometric" and the coverage search are one problem
    y, s, w = data
    promised = {"positive": Precision(z_positive), "negative": Precision(z_negative)}
    found = [
        deterministic_window(y, s, sample_weight=w, search=search, **promised)
        for search in ("direct", "isometric")
    ]
    found.append(
        widest_coverage_window(
            y, s, sample_weight=w, min_precision_positive=z_positive, min_precision_negative=z_negative
        )
    )
    assert len({(window.lower_index, window.upper_index) for window in found}) == 1
    # and never abstain less than the randomised rule of the hull
    hull = reliable_window(y, s, sample_weight=w, **promised)
    assert found[0].abstention_rate >= hull.abstention_rate - 1e-9


@given(scored_data(both_classes=True), shares, shares, st.sampled_from([0.5, 1.0, 2.0]))
@settings(max_examples=examples(80), deadline=None)
def test_direct_never_abstains_more_for_f_against_theory(data, z_positive, z_negative, alpha):
    y, s, w = data
    promised = {"positive": FMeasure(z_positive, alpha), "negative": FMeasure(z_negative, alpha)}
    direct = deterministic_window(y, s, sample_weight=w, **promised)
    try:
        isometric = deterministic_window(y, s, sample_weight=w, search="isometric", **promised)
    except UndefinedError:
        return
    assert direct.abstention_rate <= isometric.abstention_rate + 1e-12


@given(scored_data(both_classes=True), st.floats(0.2, 2), st.floats(0, 0.5), limits)
@settings(max_examples=examples(60), deadline=None)
def test_weight_two_is_a_repeated_row_and_order_is_irrelevant(data, mu, nu, limit):
    y, s, _ = data
    weights = [1 + index % 2 for index in range(len(y))]
    rows = [row for row, times in zip(zip(y, s, strict=True), weights, strict=True) for _ in range(times)]
    labels, scores = zip(*rows[::-1], strict=True)
    arguments = {"mu": mu, "nu": nu, "max_abstention": limit}
    one = cheapest_window(y, s, sample_weight=weights, **arguments)
    assert one.to_dict() == cheapest_window(labels, scores, **arguments).to_dict()


@given(scored_data(both_classes=True), relative_costs, st.booleans(), precisions, precisions)
@settings(max_examples=examples(100), deadline=None)
def test_infinite_cost_of_abstaining_on_one_class_against_brute_force(data, mu, on_positives, up, down):
    y, s, w = data
    costs = {
        cuts: fn + mu * fp + 0.1 * (un if on_positives else up_)
        for cuts, (good, (_, fp, fn, _, up_, un)) in _judged(y, s, w, None, up, down).items()
        if good and (up_ if on_positives else un) == 0
    }
    nu = (math.inf, 0.1) if on_positives else (0.1, math.inf)
    arguments = {
        "mu": mu,
        "nu": nu[0],
        "nu_negative": nu[1],
        "min_precision_positive": up,
        "min_precision_negative": down,
    }
    if not costs:
        with pytest.raises(UndefinedError, match="and finite cost"):
            cheapest_window(y, s, sample_weight=w, **arguments)
        return
    window = cheapest_window(y, s, sample_weight=w, **arguments)
    assert window.is_empty
    assert window.cost == pytest.approx(min(costs.values()), abs=1e-12)


# ---------------------------------------------------------------- vacuous promises, edges, errors


def test_unreachable_precision_is_said_in_words():
    window = widest_coverage_window(
        [1, 0, 1, 0], [1, 1, 2, 2], min_precision_positive=0.9, min_precision_negative=0.9
    )
    assert window.coverage == 0
    assert window.positive_performance is None
    assert window.negative_performance is None
    assert "positive decisions reach at most precision 0.5 here, 0.9 was asked for" in window.note
    assert "No negative decision is made" in window.note
    assert set(decide([0.0, 1.5, 9.0], window)) == {ABSTAIN}


def test_one_promise_needs_no_abstention():
    window = widest_coverage_window(worked_example(), min_precision_positive=0.9)
    assert window.is_empty
    assert window.positive_performance == 1.0
    # of all thresholds with that precision, the one with the most right decisions
    assert window.upper_index == 4


def test_one_class_costs_nothing():
    for labels in ([1, 1], [0, 0]):
        window = cheapest_window(labels, [1, 2], mu=1, nu=0.3, max_abstention=0.5)
        assert (window.cost, window.abstention_rate) == (0, 0)


def test_large_data_is_quick_and_exact():
    rng = np.random.default_rng(0)
    n = 200_000
    y = rng.random(n) < 0.3
    s = rng.normal(size=n) + y
    window = cheapest_window(y, s, mu=1, nu=0.05, max_abstention=0.2)
    assert 0.199 < window.abstention_rate <= 0.2
    # no window with the same upper threshold and the limit kept is cheaper
    mass = np.arange(n + 1) / n
    order = np.argsort(s)
    missed = np.concatenate([[0], np.cumsum(y[order])]) / n
    j = window.upper_index
    inside = mass[j] - mass[: j + 1]
    fp = np.count_nonzero(~y[order][j:]) / n
    costs = np.where(inside <= 0.2, missed[: j + 1] + fp + 0.05 * inside, np.inf)
    assert window.cost == pytest.approx(costs.min(), abs=1e-12)


def test_results_are_json_safe():
    window = widest_coverage_window(worked_example(), min_precision_positive=0.9, min_precision_negative=0.9)
    table = json.loads(json.dumps(window.to_dict(), allow_nan=False))
    assert table["cost"] is None
    assert table["coverage"] == window.coverage
    assert {"positive_performance", "negative_performance", "note", "unconstrained_cost"} <= table.keys()
    for name in ("cheapest_window", "deterministic_window", "widest_coverage_window"):
        assert name in demur.windows.__all__


GOOD = {"positive": Precision(0.9), "negative": Precision(0.9)}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda c: cheapest_window(c, mu=1), "`mu` and `nu` are both needed"),
        (lambda c: cheapest_window(c, mu=-1, nu=1), "`mu` must not be negative"),
        (lambda c: cheapest_window(c, mu=1, nu=0.1, costs=CostModel()), "replaces mu and nu"),
        (
            lambda c: cheapest_window(c, mu=1, nu=0.1, max_abstention=1.5),
            r"`max_abstention` must lie in \[0, 1\]",
        ),
        (
            lambda c: cheapest_window(c, mu=1, nu=0.1, max_abstention=[0.1]),
            "`max_abstention` must be one number",
        ),
        (
            lambda c: cheapest_window(c, mu=1, nu=0.1, min_precision_positive=1.2),
            r"`min_precision_positive` must lie in \(0, 1\], got 1.2",
        ),
        (
            lambda c: cheapest_window(
                c, mu=1, nu=0.1, max_abstention=0.1, min_precision_positive=0.9, min_precision_negative=0.9
            ),
            "max_abstention = 0.1 .* Hint: these precisions need an abstention rate of at least 0.6667",
        ),
        (
            lambda c: cheapest_window(
                c, mu=1, nu=0.1, max_abstention=0.1, min_precision_positive=0.9, min_precision_negative=0.9
            ),
            "otherwise the nearest that can be kept is min_precision_positive = 0.6 or "
            "min_precision_negative = 0.6",
        ),
        (
            lambda c: cheapest_window(c, costs=CostModel(), min_precision_positive=0.9, max_fn_rate=0.1),
            "No window keeps the limits with max_abstention = 1 and finite cost. Hint: these limits need an "
            "abstention rate of at least 0.6667; otherwise the nearest that can be kept is "
            "min_precision_positive = 0.6 or max_fn_rate = 0.6667",
        ),
        (lambda c: cheapest_window(c, mu=1, nu=0.1, max_fn_rate=2), r"`max_fn_rate` must lie in \[0, 1\]"),
        (lambda c: widest_coverage_window(c), "are both missing. Hint: promise at least one"),
        (
            lambda c: widest_coverage_window(c, min_precision_negative=0),
            r"`min_precision_negative` must lie in \(0, 1\]",
        ),
        (
            lambda c: widest_coverage_window([1, 1], [1, 2], min_precision_positive=0.9),
            "needs cases of both classes, got no negative case",
        ),
        (lambda c: deterministic_window([0, 0], [1, 2], **GOOD), "got no positive case"),
        (lambda c: deterministic_window(c, positive=0.9, negative=0.9), "`positive` must be a Precision"),
        (lambda c: deterministic_window(c, skew=-1, **GOOD), "`skew` must be positive"),
        (lambda c: deterministic_window(c, search="grid", **GOOD), "`search` must be one of 'direct'"),
        (
            lambda c: deterministic_window(
                c, search="isometric", positive=FMeasure(0.95), negative=FMeasure(0.5)
            ),
            "at most 0.75 and 0.7692 is reached there, each alone. Hint: lower a target",
        ),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call(worked_example())


def test_threshold_between_infinity_and_the_largest_float_is_refused():
    top = np.finfo(float).max
    with pytest.raises(UndefinedError, match="rescale"):
        widest_coverage_window([0, 1], [top, np.inf], min_precision_positive=1, min_precision_negative=1)
