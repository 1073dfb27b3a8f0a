"""Ordinal ROC measures against enumeration of tuples, resamples and permutations, and by hand."""

import dataclasses
import itertools
import json
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from demur import InputError, UndefinedError, auc_score, ordinal_roc, roc_curve
from demur.ordinal import (
    jonckheere_test,
    normal_population,
    order_agreement,
    ranking_experiment,
    separability_experiment,
    vus_covariance,
    vus_difference_test,
    vus_unpaired_test,
)
from examples import examples
from reference_cases import cases, close

FILE = "ordinal.json"
TIES = ("strict", "product", "random")
METHODS = ("components", "unbiased", "bootstrap")

# a worked example, by hand
LEVELS, SCORES = [1, 2, 2, 3, 1, 3], [1, 1, 2, 2, 2, 3]


# ---------------------------------------------------------------- oracles


def credit(scores, ties):
    """Credit of one tuple, scores listed by level."""
    if any(a > b for a, b in itertools.pairwise(scores)):
        return Fraction(0)
    runs = [len(list(run)) for _, run in itertools.groupby(scores)]
    if ties == "strict":
        return Fraction(int(max(runs) == 1))
    if ties == "product":
        return Fraction(1, 2 ** sum(run - 1 for run in runs))
    return Fraction(1, math.prod(math.factorial(run) for run in runs))


def by_level(y):
    return [[k for k, label in enumerate(y) if label == level] for level in sorted(set(y))]


def tuples_vus(y, s, ties, w=None):
    """VUS over all tuples."""
    w = [1] * len(y) if w is None else w
    won = total = Fraction(0)
    for members in itertools.product(*by_level(y)):
        mass = math.prod(Fraction(w[k]) for k in members)
        total += mass
        won += mass * credit([s[k] for k in members], ties)
    return won / total


def tuples_components(y, s, ties):
    """Mean credit of the tuples that contain each case."""
    out = []
    for case, label in enumerate(y):
        groups = [[case] if y[group[0]] == label else group for group in by_level(y)]
        credits = [credit([s[k] for k in members], ties) for members in itertools.product(*groups)]
        out.append(sum(credits) / len(credits))
    return out


def enumerated_variances(y, s, t, ties):
    """Covariance of the VUS of two scorings by each method, from the definitions."""
    groups = by_level(y)
    first, second = tuples_components(y, s, ties), tuples_components(y, t, ties)
    centre = tuples_vus(y, s, ties), tuples_vus(y, t, ties)
    components = sum(
        sum((first[k] - centre[0]) * (second[k] - centre[1]) for k in group) / (len(group) - 1) / len(group)
        for group in groups
    )
    every = list(itertools.product(*groups))
    # pairs of tuples without a common case estimate the product of the true volumes without bias
    apart = [
        credit([s[k] for k in a], ties) * credit([t[k] for k in b], ties)
        for a, b in itertools.product(every, repeat=2)
        if not set(a) & set(b)
    ]
    unbiased = centre[0] * centre[1] - sum(apart) / len(apart)
    values = []
    for draw in itertools.product(*(itertools.product(group, repeat=len(group)) for group in groups)):
        chosen = list(itertools.product(*draw))
        values.append(
            tuple(sum(credit([f[k] for k in m], ties) for m in chosen) / len(chosen) for f in (s, t))
        )
    means = [sum(column) / len(values) for column in zip(*values, strict=True)]
    bootstrap = sum(a * b for a, b in values) / len(values) - means[0] * means[1]
    return {"components": components, "unbiased": unbiased, "bootstrap": bootstrap}


@st.composite
def ordinal_data(draw, max_size=9, min_per_level=1, max_levels=4):
    """Tied data: (levels, scores); every level present."""
    r = draw(st.integers(2, max_levels))
    y = [level for level in range(r) for _ in range(min_per_level)]
    y += draw(st.lists(st.integers(0, r - 1), max_size=max(max_size - len(y), 0)))
    pool = draw(st.lists(st.sampled_from([-math.inf, -1e300, -0.0, 0.0, 1.5, 2.0, math.inf]), min_size=1))
    s = draw(st.lists(st.sampled_from(pool), min_size=len(y), max_size=len(y)))
    order = draw(st.permutations(range(len(y))))
    return [y[k] for k in order], [s[k] for k in order]


# ---------------------------------------------------------------- by hand


def test_worked_example_by_hand():
    roc = ordinal_roc(LEVELS, SCORES)
    assert [roc.vus(ties) for ties in TIES] == pytest.approx([1 / 8, 13 / 32, 19 / 48], abs=1e-16)
    assert np.allclose(roc.auc_matrix()[[0, 0, 1], [1, 2, 2]], [1 / 4, 3 / 4, 3 / 4], atol=0)
    assert np.isnan(roc.auc_matrix()[np.tril_indices(3)]).all()
    assert (roc.ovo, roc.pairs, roc.cons) == pytest.approx((7 / 12, 7 / 12, 5 / 8), abs=1e-15)
    assert roc.measures().cons_aucs.tolist() == [1 / 2, 3 / 4]
    assert roc.measures().jt_auc == pytest.approx(7 / 4)
    assert roc.jonckheere == 9
    expected = {"strict": (0.046875, 0.015625, 0.037109375), "product": (0.0810546875, 0.0712890625)}
    expected["product"] += (0.0433349609375,)
    for ties, values in expected.items():
        assert [roc.variance(m, ties=ties) for m in METHODS] == pytest.approx(values, abs=1e-15)


def test_constant_scores_by_hand():
    roc = ordinal_roc([0, 0, 1, 1, 2, 2, 3, 3], [5.0] * 8)
    assert [roc.vus(ties) for ties in TIES] == pytest.approx([0, 1 / 8, 1 / 24], abs=1e-17)
    assert (roc.cons, roc.ovo, roc.pairs) == (0, 0, 0)
    halves = roc.measures("random")
    assert (halves.cons, halves.ovo, halves.pairs) == (1 / 2, 1 / 2, 1 / 2)
    # no variance, and yet no certainty: Hoeffding's interval stands in
    assert roc.variance() == 0
    for theta in roc.interval():
        divergence = math.log(1 / 8 / theta) / 8 + math.log(7 / 8 / (1 - theta)) * 7 / 8
        assert 2 * divergence == pytest.approx(math.log(2 / 0.05))


def test_perfect_order_is_exactly_one():
    y = np.repeat(np.arange(5), 20_001)
    roc = ordinal_roc(y, np.arange(len(y)) / 3)
    assert all(roc.vus(ties) == 1 for ties in TIES)
    assert (roc.cons, roc.ovo, roc.pairs, roc.variance()) == (1, 1, 1, 0)
    reverse = ordinal_roc(y, -np.arange(len(y)))
    assert (reverse.vus(), reverse.cons, reverse.variance()) == (0, 0, 0)
    small = ordinal_roc([1, 1, 2, 2, 3, 3], range(6))
    assert [small.variance(m) for m in METHODS] == [0, 0, 0]
    # 2 tuples without a common case, both in order: theta^2 >= 0.025
    assert small.interval() == pytest.approx((math.sqrt(0.025), 1))


def test_eq_15_as_printed_is_not_pairs():
    # equal sizes: the printed form is Ovo / r^2, while Pairs = Ovo (eq. 14)
    roc = ordinal_roc(LEVELS, SCORES)
    share = roc.level_counts / roc.n
    printed = np.nansum(roc.auc_matrix() * np.outer(share, share)) * 2 / 6
    assert printed == pytest.approx(roc.ovo / 9)
    assert roc.pairs == pytest.approx(roc.ovo)


# ---------------------------------------------------------------- reference cases (enumeration)


@pytest.mark.parametrize("case", cases(FILE, "ordinal"))
def test_measures_against_enumeration(case):
    data, expect, tol = case["input"], case["expected"], case["tol"]
    roc = ordinal_roc(data["y"], data["score"], order=list(range(1, data["r"] + 1)))
    measured = roc.measures("strict")
    share = roc.level_counts / roc.n
    r = data["r"]
    got = {
        **{f"vus_{ties}": roc.vus(ties) for ties in TIES},
        "cons": roc.cons,
        "cons_aucs": measured.cons_aucs.tolist(),
        "ovo": roc.ovo,
        "pairs": roc.pairs,
        "pairs_eq15_as_printed": np.nansum(measured.auc_matrix * np.outer(share, share)) * 2 / (r * (r - 1)),
        "jt_half": roc.jonckheere,
    }
    assert (measured.cons, measured.ovo, measured.pairs) == (roc.cons, roc.ovo, roc.pairs)
    for i, j in itertools.combinations(range(r), 2):
        close(measured.auc_matrix[i, j], expect["auc_matrix_strict"][i][j], tol)
    words = {"ustat": "components", "unbiased": "unbiased", "bootstrap": "bootstrap"}
    for (word, method), ties in itertools.product(words.items(), ("strict", "product")):
        if f"var_{word}_{ties}" in expect:
            got[f"var_{word}_{ties}"] = roc.variance(method, ties=ties)
        if f"cov_{word}_{ties}" in expect:
            table = vus_covariance(
                data["y"], np.transpose([data["score"], data["score2"]]), method=method, ties=ties
            )
            got[f"cov_{word}_{ties}"] = table[0, 1]
            assert table[0, 0] == pytest.approx(roc.variance(method, ties=ties), abs=1e-16)
    if "jt_null_mean" in expect:
        test = jonckheere_test(data["y"], data["score"])
        got |= {"jt_null_mean": test.mean, "jt_null_var": test.variance}
    assert set(got) == set(expect) - {"auc_matrix_strict"}
    for name, value in got.items():
        close(value, expect[name], tol)


@pytest.mark.parametrize("case", cases(FILE, "ordinal_population"))
def test_population_against_quadrature(case):
    data, expect, tol = case["input"], case["expected"], case["tol"]
    population = normal_population(data["d"] * np.arange(1, data["r"] + 1))
    for name, value in expect.items():
        close(getattr(population, name), value, tol)


# ---------------------------------------------------------------- brute force on random tied data


@given(ordinal_data(), st.sampled_from(TIES))
def test_vus_against_brute_force(data, ties):
    y, s = data
    assert ordinal_roc(y, s).vus(ties) == pytest.approx(float(tuples_vus(y, s, ties)), abs=1e-14)


@given(ordinal_data(), st.sampled_from(TIES))
def test_components_against_brute_force(data, ties):
    y, s = data
    expected = [float(value) for value in tuples_components(y, s, ties)]
    assert ordinal_roc(y, s).components(ties) == pytest.approx(expected, abs=1e-14)


@settings(max_examples=examples(25), deadline=None)
@given(ordinal_data(max_size=6, min_per_level=2, max_levels=3), st.randoms(use_true_random=False))
def test_covariances_against_enumeration_of_resamples(data, random):
    y, s = data
    t = random.sample(s, len(s))
    for ties in ("strict", "product"):
        expected = enumerated_variances(y, s, t, ties)
        for method in METHODS:
            got = vus_covariance(y, np.transpose([s, t]), method=method, ties=ties)[0, 1]
            assert got == pytest.approx(float(expected[method]), abs=1e-13)


@given(ordinal_data(max_size=10))
def test_pair_measures_against_brute_force(data):
    y, s = data
    r = max(y) + 1
    for ties, half in (("strict", 0), ("product", 0.5)):
        won = np.zeros((r, r))
        for (a, f), (b, g) in itertools.permutations(zip(y, s, strict=True), 2):
            if a < b:
                won[a, b] += 1 if f < g else half * (f == g)
        sizes = np.bincount(y)
        upper = np.triu_indices(r, 1)
        measures = ordinal_roc(y, s).measures(ties)
        assert measures.ovo == pytest.approx((won / np.outer(sizes, sizes))[upper].mean())
        assert measures.pairs == pytest.approx(won.sum() / np.outer(sizes, sizes)[upper].sum())
        aucs = []
        for cut in range(1, r):
            low, high = sizes[:cut].sum(), sizes[cut:].sum()
            aucs.append(won[:cut, cut:].sum() / (low * high))
        assert measures.cons_aucs == pytest.approx(aucs)
        assert measures.cons == pytest.approx(np.mean(aucs))


@settings(max_examples=examples(30), deadline=None)
@given(ordinal_data(max_size=7))
def test_jonckheere_moments_against_permutations(data):
    y, s = data
    values = [ordinal_roc(labels, s).jonckheere for labels in set(itertools.permutations(y))]
    test = jonckheere_test(y, s)
    assert test.mean == pytest.approx(np.mean(values))
    assert test.variance == pytest.approx(np.var(values), abs=1e-12)
    pairs = sum(a < b for a, b in itertools.permutations(y, 2))
    assert test.statistic / pairs == pytest.approx(ordinal_roc(y, s).measures("product").pairs)


def test_long_chains_against_exact_integers():
    rng = np.random.default_rng(5)
    y = rng.permutation(np.repeat(np.arange(100), 20))
    s = y + rng.integers(0, 60, len(y)) / 10
    chains = [1] + [0] * 100
    for score in np.unique(s):
        group = np.bincount(y[s == score], minlength=100)
        chains = [1] + [chains[k] + int(group[k - 1]) * chains[k - 1] for k in range(1, 101)]
    exact = Fraction(chains[-1], 20**100)
    assert exact > 0
    assert ordinal_roc(y, s).vus("strict") / float(exact) == pytest.approx(1, abs=1e-12)


# ---------------------------------------------------------------- laws


@given(ordinal_data(max_size=10), st.data())
def test_weight_two_is_a_repeated_row(data, draw):
    y, s = data
    w = draw.draw(st.lists(st.sampled_from([0, 1, 2, 3]), min_size=len(y), max_size=len(y)))
    assume(all(any(w[k] for k in group) for group in by_level(y)))
    weighted = ordinal_roc(y, s, sample_weight=w)
    repeated = ordinal_roc(np.repeat(y, w), np.repeat(s, w))
    for ties in TIES:
        assert weighted.vus(ties) == pytest.approx(repeated.vus(ties), abs=1e-14)
        if repeated.level_counts.min() > 1:
            assert weighted.variance(ties=ties) == pytest.approx(repeated.variance(ties=ties), abs=1e-14)
    for method in METHODS:
        if repeated.level_counts.min() > 1:
            assert weighted.variance(method) == pytest.approx(repeated.variance(method), abs=1e-13)
    assert (weighted.cons, weighted.ovo, weighted.pairs) == pytest.approx(
        (repeated.cons, repeated.ovo, repeated.pairs)
    )
    pvalues = jonckheere_test(y, s, sample_weight=w).pvalue, jonckheere_test(np.repeat(y, w), np.repeat(s, w))
    assert pvalues[0] == pytest.approx(pvalues[1].pvalue)


@given(ordinal_data(max_size=12))
def test_only_ranks_count_and_reversal_mirrors(data):
    y, s = data
    roc = ordinal_roc(y, s)
    ranks = np.unique(s, return_inverse=True)[1]
    mirrored = ordinal_roc([-label for label in y], -ranks)
    for ties in TIES:
        assert ordinal_roc(y, ranks**3).vus(ties) == roc.vus(ties)
        # reversing both levels and scores changes nothing
        assert mirrored.vus(ties) == pytest.approx(roc.vus(ties), abs=1e-15)
    backwards = ordinal_roc(y, -ranks).measures("product")
    for name in ("cons", "ovo", "pairs"):
        assert getattr(backwards, name) == pytest.approx(1 - getattr(roc.measures("product"), name))


@given(ordinal_data(max_size=12, max_levels=2))
def test_two_levels_give_the_auc(data):
    y, s = data
    roc = ordinal_roc(y, s)
    auc = auc_score(y, s)
    halves = roc.measures("product")
    assert [
        roc.vus("product"),
        roc.vus("random"),
        halves.cons,
        halves.ovo,
        halves.pairs,
    ] == pytest.approx([auc] * 5, abs=1e-14)
    assert [roc.vus("strict")] * 3 == pytest.approx([roc.cons, roc.ovo, roc.pairs])


def test_two_levels_give_mann_whitney_against_scipy():
    from scipy.stats import mannwhitneyu

    rng = np.random.default_rng(2)
    y, s = rng.integers(0, 2, 60), rng.integers(0, 9, 60)
    for direction, alternative in (
        ("increasing", "greater"),
        ("decreasing", "less"),
        ("two-sided", "two-sided"),
    ):
        expected = mannwhitneyu(
            s[y == 1], s[y == 0], alternative=alternative, use_continuity=False, method="asymptotic"
        )
        test = jonckheere_test(y, s, alternative=direction)
        assert (test.statistic, test.pvalue) == pytest.approx((expected.statistic, expected.pvalue))


def test_large_samples_keep_their_digits():
    rng = np.random.default_rng(8)
    y = rng.integers(0, 3, 100_000)
    s = np.round(rng.normal(size=len(y)) + y, 2)
    roc = ordinal_roc(y, s)
    # the middle level against running counts of the outer ones, in whole numbers
    below = np.searchsorted(np.sort(s[y == 0]), s[y == 1])
    above = np.sum(y == 2) - np.searchsorted(np.sort(s[y == 2]), s[y == 1], side="right")
    exact = int((below.astype(object) * above).sum()) / int(np.prod(np.bincount(y).astype(object)))
    assert roc.vus("strict") == pytest.approx(exact, rel=1e-13)
    # the three variances meet in large samples
    part = ordinal_roc(y[:1500], s[:1500])
    assert part.variance("bootstrap") == pytest.approx(part.variance(), rel=0.01)
    assert part.variance("unbiased") == pytest.approx(part.variance(), rel=0.01)


# ---------------------------------------------------------------- surface and curves


@settings(max_examples=examples(40))
@given(ordinal_data(max_size=9, max_levels=3), st.integers(0, 60), st.integers(0, 60))
def test_surface_against_all_thresholds(data, low, high):
    low, high = low / 60, high / 60
    y, s = data
    assume(max(y) == 2)
    roc = ordinal_roc(y, s)
    surface = roc.surface()
    assert surface.volume == pytest.approx(roc.vus("strict"), abs=1e-14)  # theorem 2.1
    sizes = np.bincount(y)
    points = []
    for b1, b2 in itertools.combinations_with_replacement([None, *sorted(set(s))], 2):
        predicted = [0 if b1 is not None and f <= b1 else 1 if b2 is not None and f <= b2 else 2 for f in s]
        rates = [sum(p == a == k for p, a in zip(predicted, y, strict=True)) / sizes[k] for k in range(3)]
        points.append(rates)
    vertices = surface.vertices()
    drawn = np.column_stack([vertices.tpr_low, vertices.tpr_middle, vertices.tpr_high])
    assert np.allclose(np.sort(drawn, axis=0), np.sort(points, axis=0), atol=1e-14)
    assert np.all(vertices.lower <= vertices.upper)
    best = max((m for u, m, v in points if u >= low and v >= high), default=0)
    assert surface.height(low, high) == pytest.approx(best, abs=1e-12)
    i, j = len(surface.low_edges) - 2, 0
    corner = surface.height(float(surface.low_edges[i + 1]), float(surface.high_edges[j + 1]))
    assert corner == pytest.approx(surface.heights[i, j], abs=1e-14)


def test_split_curves_against_binary_labels():
    rng = np.random.default_rng(4)
    y, s = rng.integers(0, 4, 80), rng.integers(0, 15, 80)
    roc = ordinal_roc(y, s)
    aucs = roc.measures("product").cons_aucs
    for cut, curve in enumerate(roc.split_curves()):
        expected = roc_curve(y > cut, s)
        assert np.allclose(curve.tpr, expected.tpr)
        assert np.allclose(curve.fpr, expected.fpr)
        assert curve.auc == pytest.approx(aucs[cut])


# ---------------------------------------------------------------- two models


@pytest.mark.parametrize("method", METHODS)
def test_identical_models_give_p_one(method):
    rng = np.random.default_rng(0)
    y, s = rng.integers(0, 3, 40), rng.normal(size=40)
    for other in (s, np.exp(s)):
        test = vus_difference_test(y, s, other, method=method)
        assert (test.difference, test.variance, test.statistic, test.pvalue) == (0, 0, 0, 1)
        assert test.interval() == (0, 0)
        assert not test.degenerate


def test_difference_test_by_hand():
    rng = np.random.default_rng(1)
    y, a = np.repeat([1, 2, 3], 15), rng.normal(size=45)
    a, b = a + y, a + y / 2 + rng.normal(size=45)
    for method in METHODS:
        table = vus_covariance(y, np.column_stack([a, b]), method=method)
        test = vus_difference_test(y, a, b, method=method)
        assert test.variance == pytest.approx(table[0, 0] + table[1, 1] - 2 * table[0, 1])
        assert test.statistic == pytest.approx(test.difference / math.sqrt(test.variance))
        upper = vus_difference_test(y, a, b, method=method, alternative="greater").pvalue
        lower = vus_difference_test(y, a, b, method=method, alternative="less").pvalue
        assert upper + lower == pytest.approx(1)
        assert test.pvalue == pytest.approx(2 * min(upper, lower))
        low, high = test.interval()
        assert (low + high) / 2 == pytest.approx(test.difference)
        assert (low > 0) == (test.pvalue < 0.05)


def test_unpaired_variances_add():
    rng = np.random.default_rng(2)
    first, second = (ordinal_roc(np.arange(n) % 3, rng.normal(size=n) + np.arange(n) % 3) for n in (30, 45))
    for method in METHODS:
        test = vus_unpaired_test(first, second, method=method)
        assert test.variance == pytest.approx(first.variance(method) + second.variance(method))
        assert test.difference == pytest.approx(first.vus() - second.vus())
        assert test.n_smallest == 10
    same = vus_unpaired_test(first, first)
    assert (same.difference, same.statistic, same.pvalue) == (0, 0, 1)


def test_opposite_perfect_models_are_degenerate():
    y = [1, 1, 2, 2, 3, 3]
    test = vus_difference_test(y, range(6), range(6, 0, -1))
    assert (test.difference, test.variance, test.degenerate) == (1, 0, True)
    low, high = test.interval()
    # two tuples without a common case: (1 + theta) / 2 >= sqrt(0.025)
    assert (low, high) == pytest.approx((2 * math.sqrt(0.025) - 1, 1))


def test_fractional_weights_against_components_of_the_definition():
    y, s, w = [0, 0, 1, 1, 1, 2, 2], [1, 3, 2, 3, 4, 3, 5], [0.5, 1, 2, 0.25, 1, 1.5, 1]
    roc = ordinal_roc(y, s, sample_weight=w)
    for ties in TIES:
        assert roc.vus(ties) == pytest.approx(float(tuples_vus(y, s, ties, w)), abs=1e-15)
        for level in range(3):
            mine = [roc.components(ties)[k] * w[k] for k in range(7) if y[k] == level]
            assert sum(mine) / roc.level_counts[level] == pytest.approx(roc.vus(ties))


@pytest.mark.parametrize("method", ["logit", "wald", "hoeffding"])
def test_interval_covers_the_normal_truth(method):
    rng = np.random.default_rng(11)
    truth = normal_population([0, 1, 2]).vus
    y = np.repeat([0, 1, 2], 30)
    hits = 0
    for _ in range(200):
        low, high = ordinal_roc(y, rng.normal(size=90) + y).interval(method=method)
        assert 0 <= low < high <= 1
        hits += low <= truth <= high
    # 95 % asked for: 200 runs fall below 90 % with probability 0.002
    assert hits >= (198 if method == "hoeffding" else 180)


# ---------------------------------------------------------------- labels


def test_labels_of_every_kind_give_the_same():
    words = ["low", "mid", "high"]
    codes = [0, 2, 1, 1, 0, 2]
    s = [0.1, 0.7, 0.2, 0.8, 0.3, 0.9]
    expected = ordinal_roc(codes, s).to_dict()
    del expected["levels"]
    variants = [
        (np.array(codes, dtype=np.uint8), None),
        (np.array(codes) - 200, None),
        (np.array(codes) * 10.5, None),
        (np.array(codes, dtype=object), None),
        (np.array(codes) * 10**15, None),
        ([words[k] for k in codes], words),
        (np.array([words[k] for k in codes], dtype=object), np.array(words)),
        ([-k for k in codes], [0, -1, -2]),
    ]
    for labels, order in variants:
        got = ordinal_roc(labels, s, order=order).to_dict()
        assert len(got.pop("levels")) == 3
        assert got == expected
    assert ordinal_roc([True, False], [1, 0]).levels == (False, True)


def test_ordered_categoricals_bring_their_order():
    pandas = pytest.importorskip("pandas")
    words = pandas.Categorical(["b", "a", "c"], categories=["c", "b", "a"], ordered=True)
    for labels in (words, pandas.Series(words)):
        assert ordinal_roc(labels, [2, 3, 1]).levels == ("c", "b", "a")
        assert ordinal_roc(labels, [2, 3, 1]).vus() == 1
    with pytest.raises(InputError, match="`order` is required"):
        ordinal_roc(pandas.Categorical(["b", "a", "c"]), [2, 3, 1])


def test_results_are_json_safe_frozen_and_not_iterable():
    roc = ordinal_roc(LEVELS, SCORES)
    results = [
        roc,
        roc.measures(),
        roc.surface(),
        roc.surface().vertices(),
        jonckheere_test(LEVELS, SCORES),
        vus_difference_test(LEVELS, SCORES, SCORES[::-1]),
        normal_population([0, 1]),
        separability_experiment(n_levels=[2], distances=[1], n_runs=1, rng=0),
        ranking_experiment(n_rankings=2, rng=0),
        order_agreement([1, 2], [1, 2]),
    ]
    for result in results:
        json.dumps(result.to_dict(), allow_nan=False)
        assert len(repr(result)) < 2000
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(result, dataclasses.fields(result)[0].name, 3)
        with pytest.raises(TypeError):
            iter(result)
    assert roc.to_dict()["vus"]["strict"] == 0.125


def test_tiny_volumes_keep_their_interval():
    # 20 levels by chance: a volume of 1e-18 with a variance of 1e-38 is not "no variance"
    rng = np.random.default_rng(1)
    roc = ordinal_roc(np.arange(4000) % 20, rng.normal(size=4000))
    low, high = roc.interval()
    assert 0 < low < roc.vus() < high < 1e-15


def test_results_survive_pickling_and_are_short():
    roc = ordinal_roc(LEVELS, SCORES)
    assert pickle.loads(pickle.dumps(roc)).vus() == roc.vus()
    assert repr(roc) == "OrdinalRoc(levels=3, n=6, vus=0.40625)"
    assert repr(roc.surface()) == "OrdinalSurface(volume=0.125, cells=2 x 2)"


# ---------------------------------------------------------------- experiments


# exact population values for d = 0, .5, 1, 2, 3 and r = 2..5 (3..5)
TRUE_VUS = [
    [0.5, 0.166667, 0.041667, 0.008333],
    [0.638163, 0.337237, 0.162077, 0.073987],
    [0.760250, 0.536152, 0.369272, 0.252368],
    [0.921350, 0.843012, 0.770860, 0.704844],
    [0.983053, 0.966106, 0.949447, 0.933075],
]
TRUE_CONS = [[0.5] * 3, [0.699207, 0.752074, 0.796182], [0.840800, 0.890979, 0.921682]]
TRUE_OVO = [[0.5] * 3, [0.678859, 0.715095, 0.746591], [0.813950, 0.851084, 0.876882]]


def test_separability_against_theory():
    experiment = separability_experiment(distances=[0, 0.5, 1, 2, 3], n_runs=20, rng=7)
    assert np.allclose(experiment.true_vus.T, TRUE_VUS, atol=6e-7)
    assert np.allclose(experiment.true_cons[1:, :3].T, TRUE_CONS, atol=6e-7)
    assert np.allclose(experiment.true_ovo[1:, :3].T, TRUE_OVO, atol=6e-7)
    for name in ("vus", "cons", "ovo"):
        gap = np.abs(getattr(experiment, name) - getattr(experiment, f"true_{name}"))
        assert np.all(gap <= 4.5 * experiment.standard_errors[name])
    assert np.allclose(experiment.pairs, experiment.ovo)  # equal sizes
    assert np.all(experiment.true_cons[1:, 1:] > experiment.true_ovo[1:, 1:])


def test_population_against_normal_orthants():
    from scipy.stats import multivariate_normal

    # figures 1-3: scores x1 + x2 of the three bivariate normal levels
    sds = np.sqrt([50, 50, 98])
    population = normal_population([20, 30, 40], sds=sds)
    assert population.vus == pytest.approx(0.64522, abs=5e-6)
    assert population.auc_matrix[[0, 1, 0], [1, 2, 2]] == pytest.approx([0.84134, 0.79446, 0.94991], abs=5e-6)
    cov = np.array([[100, -50], [-50, 148]])
    orthant = multivariate_normal.cdf([10, 10], mean=[0, 0], cov=cov)
    assert population.vus == pytest.approx(orthant, abs=1e-9)
    # no distance: every order of the levels is as likely, however long the chain
    assert normal_population(np.zeros(8)).vus * math.factorial(8) == pytest.approx(1, abs=1e-13)
    # a narrow level between two wide ones: both steps are then decided by its mean
    narrow = normal_population([0, 0.3, 0], sds=[1, 1e-6, 1]).vus
    assert narrow == pytest.approx(0.6179114221889526 * 0.3820885778110474, abs=1e-6)


def test_random_rankings_against_theory():
    rankings = ranking_experiment(n_rankings=1000, rng=3)
    sizes = np.full(4, 50)
    variance = jonckheere_test(np.repeat(range(4), 50), range(200)).variance
    exact_sd = math.sqrt(variance) / (6 * 50**2)
    assert exact_sd == pytest.approx(0.03052, abs=5e-6)
    assert rankings.sds["pairs"] == pytest.approx(exact_sd, rel=0.1)
    for name, mean in (("vus", 1 / 24), ("cons", 0.5), ("ovo", 0.5), ("pairs", 0.5)):
        assert abs(rankings.means[name] - mean) < 4 * rankings.sds[name] / math.sqrt(1000)
    assert np.array_equal(rankings.level_counts, sizes)
    # values of an independent simulation: .843, .847, .998, 1 and 17.8 %, 17.5 %, 2.0 %, 0
    assert rankings.correlations[0, 1:3] == pytest.approx([0.843, 0.847], abs=0.04)
    assert rankings.correlations[1, 2] == pytest.approx(0.998, abs=0.001)
    shares = [
        rankings.agreement(*pair).discordant for pair in (("vus", "cons"), ("vus", "ovo"), ("cons", "ovo"))
    ]
    assert shares == pytest.approx([0.178, 0.175, 0.020], abs=0.02)
    assert rankings.agreement("ovo", "pairs").equivalent
    unequal = ranking_experiment(level_counts=(5, 40, 20), n_rankings=100, rng=3)
    assert unequal.agreement("ovo", "pairs").discordant > 0


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=12))
def test_order_agreement_against_brute_force(values):
    tally = dict.fromkeys(("concordant", "discordant", "tied_first", "tied_second", "tied_both"), 0)
    for (a, b), (c, d) in itertools.combinations(values, 2):
        if a == c or b == d:
            tally["tied_both" if a == c and b == d else "tied_first" if a == c else "tied_second"] += 1
        else:
            tally["concordant" if (a < c) == (b < d) else "discordant"] += 1
    agreement = order_agreement(*np.transpose(values) / 7).to_dict()
    pairs = math.comb(len(values), 2)
    assert agreement == pytest.approx({name: count / pairs for name, count in tally.items()})


def test_same_seed_same_numbers():
    settings_used = {"n_levels": [3], "distances": [1.0], "n_runs": 3}
    first, second = (separability_experiment(**settings_used, rng=5) for _ in range(2))
    assert first.to_dict() == second.to_dict()
    assert (
        ranking_experiment(n_rankings=5, rng=1).to_dict() == ranking_experiment(n_rankings=5, rng=1).to_dict()
    )


# ---------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ordinal_roc([1, 2, 3], [1, math.nan, 2]), "`y_score` must not contain NaN, got NaN at pos"),
        (lambda: ordinal_roc([1, math.nan, 3], [1, 2, 3]), "`y_true` must not contain missing labels"),
        (lambda: ordinal_roc(["a", None, "b"], [1, 2, 3]), "`y_true` must not contain missing labels"),
        (lambda: ordinal_roc([2, 2], [1, 2]), "`y_true` must hold at least 2 classes, got 1 (2)."),
        (lambda: ordinal_roc([], []), "`y_true` must hold at least one case"),
        (lambda: ordinal_roc([[1, 2]], [1, 2]), "`y_true` must be one-dimensional"),
        (lambda: ordinal_roc([1, 2], [1, 2, 3]), "`y_true` and `y_score` must have the same length"),
        (lambda: ordinal_roc([1, 2], [[1, 2], [3, 4]]), "`y_score` must be one-dimensional"),
        (lambda: ordinal_roc(["lo", "hi"], [1, 2]), "`order` is required unless the labels are numbers"),
        (lambda: ordinal_roc(["lo", 1], [1, 2]), "`order` is required unless the labels are numbers"),
        (lambda: ordinal_roc([1, 2], [1, 2], order="12"), "`order` must list every level in order, got '12'"),
        (lambda: ordinal_roc([1, 2], [1, 2], order=3), "`order` must list every level in order, got 3."),
        (lambda: ordinal_roc([1, 2], [1, 2], order=[1, 2, 2]), "`order` must not name a level twice"),
        (
            lambda: ordinal_roc([1, 2, 5], [1, 2, 3], order=[1, 2]),
            "`order` must name every label of y_true, got no 5",
        ),
        (
            lambda: ordinal_roc([1, 2], [1, 2], order=[1, 2, 3]),
            "`y_true` must hold cases of level 3, got none.",
        ),
        (lambda: ordinal_roc([1, 2], [1, 2], sample_weight=[1, 0]), "must give level 2 a positive weight"),
        (lambda: ordinal_roc([1, 2], [1, 2], sample_weight=[1, -1]), "`sample_weight` must not be negative"),
        (
            lambda: ordinal_roc([1, 2], [1, 2]).vus("half"),
            "`ties` must be one of 'product', 'strict', 'random'",
        ),
        (lambda: ordinal_roc([1, 2], [1, 2]).auc_matrix("half"), "`ties` must be one of"),
        (lambda: ordinal_roc([1, 2], [1, 2]).components("half"), "`ties` must be one of"),
        (lambda: ordinal_roc([1, 2], [1, 2]).variance("delong"), "`method` must be one of 'components'"),
        (lambda: ordinal_roc([1, 2], [1, 2]).interval(method="exact"), "`method` must be one of 'logit'"),
        (lambda: ordinal_roc([1, 2], [1, 2]).interval(variance="exact"), "`variance` must be one of"),
        (lambda: ordinal_roc([1, 2], [1, 2]).interval(1.0), "`confidence_level` must lie strictly between"),
        (
            lambda: ordinal_roc([1, 1, 2, 2], [1, 2, 2, 3]).variance("bootstrap", ties="random"),
            "`ties` must be 'product' or 'strict' for method 'bootstrap', got 'random'.",
        ),
        (
            lambda: ordinal_roc(np.arange(200_000) % 2, np.arange(200_000)).variance("unbiased"),
            "`method` 'unbiased' visits all pairs",
        ),
        (
            lambda: ordinal_roc(np.arange(30_000) % 3, np.arange(30_000)).surface(),
            "The ROC surface of these scores has 100000000 cells",
        ),
        (
            lambda: ordinal_roc(np.arange(9000) % 3, np.arange(9000)).surface().vertices(),
            "The ROC surface of these scores has 40513501 vertices",
        ),
        (lambda: ordinal_roc([1, 2, 3], [1, 2, 3]).surface().height(1.5, 0), "`tpr_low` must lie in [0, 1]"),
        (lambda: vus_covariance([1, 2], [1, 2]), "`scores` must be two-dimensional"),
        (lambda: vus_covariance([1, 2], [[1, 2]]), "`y_true` and `scores` must have the same length"),
        (lambda: vus_difference_test([1, 2], [1, math.nan], [1, 2]), "`score_a` must not contain NaN"),
        (
            lambda: vus_difference_test([1, 2], [1, 3], [1]),
            "`score_a` and `score_b` must have the same length",
        ),
        (
            lambda: vus_difference_test([1, 2], [1, 3], [1, 2], alternative="up"),
            "`alternative` must be one of",
        ),
        (
            lambda: jonckheere_test([1, 2], [1, 3], alternative="greater"),
            "`alternative` must be one of 'increasing'",
        ),
        (lambda: vus_unpaired_test(1, 2), "`first` must be an OrdinalRoc, got int."),
        (
            lambda: vus_unpaired_test(ordinal_roc([1, 2], [1, 2]), ordinal_roc([1, 2, 3], [1, 2, 3])),
            "`first and second` must have the same number of levels, got 2 and 3.",
        ),
        (lambda: normal_population([1]), "`means` must hold at least 2 numbers"),
        (lambda: normal_population([1, 2], sds=0), "`sds` must be positive"),
        (lambda: normal_population([1, 2], sds=[1, 1, 1]), "`sds` must be positive, one number or 2"),
        (lambda: separability_experiment(n_levels=[1]), "`n_levels` must be a whole number of at least 2"),
        (lambda: separability_experiment(n_levels=[]), "`n_levels` must hold at least one member"),
        (lambda: separability_experiment(distances=1.0), "`distances` must be a list of numbers"),
        (lambda: separability_experiment(distances=[-1.0]), "`distances` must not be negative"),
        (lambda: ranking_experiment(level_counts=[5]), "`level_counts` must hold at least 2 levels"),
        (lambda: ranking_experiment(n_rankings=1), "`n_rankings` must be a whole number of at least 2"),
        (lambda: ranking_experiment(n_rankings=2).agreement("vus", "auc"), "`second` must be one of"),
        (lambda: order_agreement([1], [1]), "`first` must hold at least 2 rankings"),
        (lambda: order_agreement([1, 2], [1]), "`first` and `second` must have the same length"),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError) as caught:
        call()
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: ordinal_roc([1, 1, 2], [1, 2, 3]).variance(),
            "The variance by method 'components' needs at least 2 cases of every level, got 1 of level 2.",
        ),
        (
            lambda: ordinal_roc([1, 1, 2], [1, 2, 3]).variance("unbiased"),
            "'bootstrap' is defined from 1 case",
        ),
        (lambda: ordinal_roc([1, 2], [1, 2]).surface(), "The ROC surface is drawn for 3 levels, got 2."),
        (lambda: vus_difference_test([1, 2], [1, 2], [2, 1]), "needs at least 2 cases of every level"),
        (lambda: vus_covariance([1, 2], [[1, 2], [2, 1]]), "needs at least 2 cases of every level"),
        (
            lambda: ordinal_roc([1, 2], [1, 2], sample_weight=[0.5, 1]).variance("bootstrap"),
            "The bootstrap variance draws whole cases, got a level with a total weight of 0.5.",
        ),
        (
            lambda: jonckheere_test([1, 2], [1, 2], sample_weight=[0.5, 1]),
            "The Jonckheere-Terpstra test permutes whole cases, got fractional weights.",
        ),
    ],
)
def test_undefined_quantities(call, message):
    with pytest.raises(UndefinedError) as caught:
        call()
    assert message in str(caught.value)
    assert ordinal_roc([1, 1, 2], [1, 3, 2]).variance("bootstrap") == pytest.approx(1 / 8)


def test_negative_unbiased_variance_of_a_difference_is_refused():
    y, a, b = [0, 0, 1, 1, 2, 2], [2, 0, 3, 1, 3, 2], [1, 0, 0, 2, 3, 0]
    table = vus_covariance(y, np.transpose([a, b]), method="unbiased")
    assert table[0, 0] + table[1, 1] - 2 * table[0, 1] == pytest.approx(-0.1865234375)
    with pytest.raises(UndefinedError, match="The unbiased variance of the difference is negative"):
        vus_difference_test(y, a, b, method="unbiased")


# ---------------------------------------------------------------- kernels, compiled and not


def test_places_interpreted_compiled_and_searched_agree():
    from demur._kernels.jit import compiled
    from demur._kernels.places import _lookup_loop

    rng = np.random.default_rng(6)
    lower, upper = (np.sort(rng.integers(0, 40, size).astype(float)) for size in (90, 120))
    expected = [np.searchsorted(lower, upper, side).tolist() for side in ("left", "right")]
    lists = [0] * 120, [0] * 120
    _lookup_loop(lower.tolist(), upper.tolist(), *lists)
    arrays = np.empty(120, np.int64), np.empty(120, np.int64)
    compiled(_lookup_loop)(lower, upper, *arrays)
    assert list(lists) == expected
    assert [array.tolist() for array in arrays] == expected


def test_compiled_path_against_the_searched_one(monkeypatch):
    from demur._kernels import places

    rng = np.random.default_rng(9)
    y = rng.integers(0, 4, 70_000)
    s = np.round(rng.normal(size=len(y)) + y, 2)
    results = []
    for choice in (True, False):
        monkeypatch.setattr(places, "worth_compiling", lambda size, choice=choice: choice)
        roc = ordinal_roc(y, s)
        results.append([roc.vus("product"), roc.vus("strict"), roc.variance(), roc.cons, roc.ovo])
    assert results[0] == results[1]
