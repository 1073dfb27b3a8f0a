"""ScoreCounts: grouping, pooling, pairs, merging, labels."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur import InputError, ScoreCounts, UndefinedError, auc_score
from demur._kernels import jit, sweep
from examples import examples
from oracles import pairs_auc, pooled_blocks, scored_data


def test_groups_and_blocks_by_hand():
    y = [0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1]
    s = [-0.9, -0.9, -0.5, -0.5, 0, 0, 0, 0.4, 0.4, 0.4, 0.8, 0.8]
    counts = ScoreCounts.from_arrays(y, s)
    assert counts.scores.tolist() == [-0.9, -0.5, 0.0, 0.4, 0.8]
    assert counts.positives.tolist() == [0, 1, 1, 2, 2]
    assert counts.negatives.tolist() == [2, 1, 2, 1, 0]
    assert (counts.n, counts.prevalence) == (12, 0.5)
    blocks = counts.blocks()
    assert blocks.positives.tolist() == [0, 2, 2, 2]
    assert blocks.negatives.tolist() == [2, 3, 1, 0]
    assert blocks.lower.tolist() == [-0.9, -0.5, 0.4, 0.8]
    assert blocks.upper.tolist() == [-0.9, 0.0, 0.4, 0.8]
    assert blocks.groups.tolist() == [1, 2, 1, 1]


def test_weights_drop_zero_and_count_like_repeated_rows_by_hand():
    weighted = ScoreCounts.from_arrays([1, 0, 1], [0.5, 0.5, 0.9], sample_weight=[2, 1, 0])
    repeated = ScoreCounts.from_arrays([1, 1, 0], [0.5, 0.5, 0.5])
    assert weighted == repeated
    assert len(weighted.scores) == 1


@given(scored_data())
@settings(max_examples=examples(200), deadline=None)
def test_blocks_against_exact_pooling(data):
    y, s, w = data
    counts = ScoreCounts.from_arrays(y, s, sample_weight=w)
    blocks = counts.blocks()
    expected = pooled_blocks(counts.positives.tolist(), counts.negatives.tolist())
    assert list(zip(blocks.positives, blocks.negatives, strict=True)) == expected
    assert blocks.groups.sum() == len(counts.scores)
    ends = np.cumsum(blocks.groups)
    assert blocks.upper.tolist() == counts.scores[ends - 1].tolist()
    assert blocks.lower.tolist() == counts.scores[np.append(0, ends[:-1])].tolist()


@given(
    st.lists(st.tuples(st.integers(0, 10**13), st.integers(1, 10**13)), min_size=1, max_size=30),
    st.booleans(),
)
@settings(max_examples=examples(200), deadline=None)
def test_huge_counts_pool_exactly_against_fractions(pairs, scale):
    # scaled copies of one ratio must pool although their products exceed 2**53
    if scale:
        pairs = [(p, n) for p, n in pairs for p, n in ((p, n), (p // 7 * 3, n // 7 * 3 or 1))]
    positives, negatives = zip(*pairs, strict=True)
    blocks = ScoreCounts.from_counts(range(len(pairs)), positives, negatives).blocks()
    expected = pooled_blocks(positives, negatives)
    assert list(zip(blocks.positives, blocks.negatives, strict=True)) == expected


@given(scored_data(both_classes=True))
@settings(max_examples=examples(100), deadline=None)
def test_pairs_against_all_pairs(data):
    y, s, w = data
    assert auc_score(y, s, sample_weight=w) == pytest.approx(pairs_auc(y, s, w), abs=1e-12)


@given(scored_data(max_size=40))
@settings(max_examples=examples(50), deadline=None)
def test_interpreted_and_compiled_kernels_agree_to_the_bit(data):
    y, s, w = data
    samples = sweep.sorted_samples(np.array(y) == 1, np.array(s, dtype=float), np.array(w, dtype=float))
    interpreted = sweep.sweep(*samples, groups=True)
    kernel = jit.compiled(sweep.merge_and_pool)
    size = len(s)
    outputs = (
        [np.empty(size) for _ in range(4)] + [np.empty(size, np.int64)] + [np.empty(size) for _ in range(3)]
    )
    ahead, behind = samples
    found = kernel(ahead.scores, ahead.weights, behind.scores, behind.weights, *outputs, True)
    n_blocks, n_groups = found[:2]
    assert found[2:] == (interpreted.pairs_won, interpreted.pairs_tied)
    for array, other in zip(outputs[:5], interpreted[:5], strict=True):
        assert np.array_equal(array[:n_blocks], other)
    for array, other in zip(outputs[5:], interpreted[5:8], strict=True):
        assert np.array_equal(array[:n_groups], other)


def test_large_arrays_against_small_steps():
    # above the limits for compiling and for threads
    rng = np.random.default_rng(0)
    n = 400_000
    y, s = rng.random(n) < 0.4, np.round(rng.normal(size=n), 3)
    whole = ScoreCounts.from_arrays(y, s)
    parts = [ScoreCounts.from_arrays(y[k::20], s[k::20]) for k in range(20)]
    assert parts[0].merge(*parts[1:]) == whole
    values, index = np.unique(s, return_inverse=True)
    assert whole.scores.tolist() == values.tolist()
    assert whole.positives.tolist() == np.bincount(index, weights=y).tolist()


@pytest.mark.parametrize("scale", [1e-290, 1e290, 2.0**-1000, 2.0**900])
def test_extreme_weights_pool_like_ordinary_ones(scale):
    y, s, w = [1, 0, 1, 0, 1], [1, 2, 3, 3, 4], np.array([1.0, 2, 3, 2, 1])
    plain = ScoreCounts.from_arrays(y, s, sample_weight=w)
    scaled = ScoreCounts.from_arrays(y, s, sample_weight=w * scale)
    assert (scaled.blocks().positives / scale).tolist() == pytest.approx(plain.blocks().positives.tolist())
    assert auc_score(scaled) == pytest.approx(auc_score(plain))


@pytest.mark.parametrize(
    ("labels", "pos_label"),
    [
        ([0, 1, 1], None),
        ([-1, 1, 1], None),
        ([False, True, True], None),
        ([0.0, 1.0, 1.0], None),
        (["no", "yes", "yes"], "yes"),
        (np.array(["no", "yes", "yes"], dtype=object), "yes"),
        ([2, 1, 1], 1),
        ([1, 0, 0], 0),
        (np.array([True, False, False]), False),
        (np.array([3, 7, 7], dtype=np.uint8), 7),
    ],
)
def test_label_kinds(labels, pos_label):
    counts = ScoreCounts.from_arrays(labels, [0.1, 0.2, 0.3], pos_label=pos_label)
    assert counts.negatives.tolist() == [1, 0, 0]
    assert counts.positives.tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        (([], []), {}, "`y_true` must hold at least one case, got none"),
        (([0, 1], [0.1, np.nan]), {}, "`y_score` must not contain NaN, got NaN at position 1"),
        (([0, 1], [0.1]), {}, "`y_true` and `y_score` must have the same length, got 2 and 1"),
        (([0, 1], [[0.1, 0.9]] * 2), {}, r"one-dimensional.*Hint: pass one column.*y_score\[:, 1\]"),
        (([0, 1], ["a", "b"]), {}, "`y_score` must hold numbers"),
        (([0, 1, 2], [1, 2, 3]), {}, "two classes, got 3 distinct labels"),
        (([1, 2], [1, 2]), {}, "`pos_label` is required.*got labels 1, 2.*pos_label=2"),
        ((["a", "b"], [1, 2]), {}, "`pos_label` is required"),
        (([0, 1], [1, 2]), {"pos_label": 5}, "`pos_label` must be one of the labels 0, 1, got 5"),
        ((["a", "b"], [1, 2]), {"pos_label": 1}, "`pos_label` must be one of the labels 'a', 'b', got 1"),
        (([0, np.nan], [1, 2]), {}, "missing labels"),
        (([None, "a"], [1, 2]), {"pos_label": "a"}, "missing labels"),
        (([0, 1], [1, 2]), {"sample_weight": [1, -1]}, "`sample_weight` must not be negative, got -1"),
        (([0, 1], [1, 2]), {"sample_weight": [0, 0]}, "`sample_weight` must not all be zero"),
        (([0, 1], [1, 2]), {"sample_weight": [1, np.inf]}, "`sample_weight` must be finite"),
        (([0, 1], [1, 2]), {"sample_weight": [1, np.nan]}, "`sample_weight` must not contain NaN"),
        (([0, 1], [1, 2]), {"sample_weight": [1]}, "same length"),
        (([0, 1], [2**60, 1]), {}, "within 2\\*\\*53"),
        ((np.array([0, 1], dtype="M8[D]"), [1, 2]), {}, "must hold labels"),
    ],
)
def test_error_sentences(args, kwargs, message):
    with pytest.raises(InputError, match=message):
        ScoreCounts.from_arrays(*args, **kwargs)


def test_counts_replace_the_other_arguments():
    counts = ScoreCounts.from_arrays([0, 1], [1, 2])
    with pytest.raises(InputError, match="`y_score` must be left out"):
        auc_score(counts, [1, 2])
    with pytest.raises(InputError, match="`y_score` is missing"):
        auc_score([0, 1])
    with pytest.raises(InputError, match="`others` must be a ScoreCounts"):
        counts.merge([1, 2])
    with pytest.raises(UndefinedError, match="no positive case"):
        auc_score([0, 0], [1, 2])
    with pytest.raises(InputError, match="positive, finite sum"):
        ScoreCounts.from_counts([1.0], [0], [0])


def test_results_are_read_only():
    counts = ScoreCounts.from_arrays([0, 1], [1, 2])
    for array in (counts.scores, counts.positives, counts.blocks().lower):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 3
    with pytest.raises(TypeError):
        hash(counts)


def test_most_blocks_unit_weights_can_make_fit_the_stack():
    # all fractions with denominators up to d, each once, in lowest terms: the densest case
    from math import gcd

    from demur._kernels.sweep import _stack_size

    for d in (1, 2, 3, 5, 10, 40, 120):
        fractions = sorted((a / b, a, b) for b in range(1, d + 1) for a in range(b + 1) if gcd(a, b) == 1)
        n = sum(b for _, _, b in fractions)
        assert len(fractions) <= _stack_size(n, weighted=False)


# ---------------------------------------------------------------- files


@given(scored_data())
@settings(max_examples=examples(25), deadline=None)
def test_saved_counts_come_back_bit_by_bit(tmp_path_factory, data):
    y, s, w = data
    counts = ScoreCounts.from_arrays(y, s, sample_weight=w)
    path = tmp_path_factory.mktemp("counts") / "it's.parquet"
    counts.save(path)
    assert ScoreCounts.load(path) == counts


def test_saved_counts_keep_hard_numbers_and_leave_nothing_behind(tmp_path):
    scores = [-np.inf, -np.finfo(float).max, 5e-324, np.inf]
    counts = ScoreCounts.from_counts(scores, [1e13, 0, 0.1, 3], [0, 2, 1e-300, 1])
    counts.save(tmp_path / "a.parquet")
    counts.save(tmp_path / "a.parquet")
    assert ScoreCounts.load(tmp_path / "a.parquet") == counts
    assert [path.name for path in tmp_path.iterdir()] == ["a.parquet"]


def test_files_that_are_no_counts_are_refused(tmp_path):
    import duckdb

    (tmp_path / "text.parquet").write_text("no")
    duckdb.sql("select 1 as score").write_parquet(str(tmp_path / "other.parquet"))
    for name, extra in (
        ("old", "schema: 'demur.counts', version: '0'"),
        ("new", "schema: 'x', version: '1'"),
    ):
        duckdb.sql(
            f"copy (select 1 as score) to '{tmp_path / name}' (format parquet, kv_metadata {{{extra}}})"
        )
    for name, message in {
        "text.parquet": "must be a readable Parquet file",
        "missing.parquet": "must be a readable Parquet file",
        "other.parquet": "must hold demur.counts, got another Parquet file",
        "old": "must be of version 1 or 2, got 0",
        "new": "must hold demur.counts, got x",
    }.items():
        with pytest.raises(InputError, match=message):
            ScoreCounts.load(tmp_path / name)
    counts = ScoreCounts.from_arrays([0, 1], [1, 2])
    with pytest.raises(InputError, match="cannot be written"):
        counts.save(tmp_path / "no folder" / "a.parquet")


def test_weights_too_small_to_divide_by_are_refused():
    # subnormal numbers: 1 / n overflows, and three digits are left
    with pytest.raises(InputError, match=r"`sample_weight` must add up to at least 1e-307 in each class"):
        ScoreCounts.from_arrays([0, 1], [1, 2], sample_weight=[1, 1e-320])
    with pytest.raises(InputError, match="`positives and negatives` must add up to at least 1e-307"):
        ScoreCounts.from_counts([1, 2], [1e-320, 0], [0, 1])
    assert ScoreCounts.from_arrays([0, 1, 0], [1, 2, 3], sample_weight=[1, 1, 1e-320]).n == 2


def test_weights_of_cases_are_kept_until_counts_are_added_up():
    weights = [1.0, 2.0, 4.0, 8.0]
    counts = ScoreCounts.from_arrays([0, 1, 0, 1], [1, 1, 2, 2], sample_weight=weights)
    plain, squared = counts.importance("The test")
    # on one scale: the largest weight becomes 1/2
    assert plain.positives.tolist() == [1 / 8, 1 / 2]
    assert squared.positives.tolist() == [1 / 64, 1 / 4]
    assert squared.negatives.tolist() == [1 / 256, 1 / 16]
    counted = ScoreCounts.from_arrays([0, 1, 0, 1], [1, 1, 2, 2])
    assert counted.weighted_cases("The test") is None
    assert counted.importance("The test") == (counted, counted)
    with pytest.raises(UndefinedError, match=r"The test with importance weights needs the weight of every"):
        counts.merge(counted).importance("The test")
    equal = ScoreCounts.from_arrays([0, 1, 0, 1], [1, 1, 2, 2], sample_weight=[0.3] * 4)
    assert equal.importance("The test") == (counted, counted)


def test_scores_of_single_cases_by_class():
    positive, negative = ScoreCounts.from_arrays(
        [1, 0, 1, 0, 0], [3.0, 1.0, 2.0, 1.0, -1.0]
    ).scores_by_class()
    assert (positive.tolist(), negative.tolist()) == ([2, 3], [-1, 1, 1])
    assert not positive.flags.writeable
    for counts in (
        ScoreCounts.from_arrays([1, 0], [3.0, 1.0], sample_weight=[2, 1]),
        ScoreCounts.from_counts([1.0, 2.0], [1, 0], [0, 1]),
    ):
        with pytest.raises(InputError, match="must be of single cases"):
            counts.scores_by_class()


def test_merged_parts_have_the_same_bits_in_any_order():
    rng = np.random.default_rng(5)
    parts = [
        ScoreCounts.from_arrays(
            rng.random(60) < 0.4, rng.integers(0, 8, 60) / 8, sample_weight=rng.lognormal(0, 3, 60)
        )
        for _ in range(5)
    ]
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(5)
        first, *others = (parts[k] for k in order)
        merged, expected = first.merge(*others), parts[0].merge(*parts[1:])
        assert merged == expected
        assert (merged.n_positive, merged.n_negative) == (expected.n_positive, expected.n_negative)
        assert merged.pairs == expected.pairs
    for group, score in enumerate(expected.scores):
        held = [part.positives[part.scores == score].sum() for part in parts]
        assert expected.positives[group] == pytest.approx(math.fsum(held), rel=1e-14)
