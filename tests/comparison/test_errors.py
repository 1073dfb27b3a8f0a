"""One sentence for every wrong input of a comparison: argument, rule, value, remedy."""

import math
from dataclasses import replace

import numpy as np
import pytest

from demur import CostModel, CostRange, DemurError, ScoreCounts, cheapest_window, compare_models

Y, S = [0, 1] * 8, [*range(16)]
COSTS = CostModel(cost_fn=10, cost_fp=4, cost_abstain=1)


def compare(y=Y, scores=S, **options):
    return compare_models(y, scores, **{"costs": COSTS, **options})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: compare(y=[1] * 16), "A comparison needs cases of both classes, got no negative case"),
        (
            lambda: compare(y=[0] * 15 + [1]),
            r"`y_true` must hold at least two cases of each class.* 1 pos",
        ),
        (lambda: compare(scores={}), "`scores` must hold at least one model, got none"),
        (lambda: compare(scores={"a": S[:-1]}), "`y_true` and `scores of a` must have the same length"),
        (lambda: compare(scores={"a": [math.nan] * 16}), "`scores of a` must not contain NaN"),
        (
            lambda: compare(y=ScoreCounts.from_arrays(Y, S)),
            "`y_true` must hold one label per case, got a S",
        ),
        (lambda: compare(y=["a", "b"] * 8), "`pos_label` is required"),
        (lambda: compare(costs=5), "`costs` must be a CostModel"),
        (lambda: compare(costs=None, objective="worst"), "`objective` needs costs. Hint: pass costs=Cost"),
        (lambda: compare(costs=None, max_abstention=0.1), "`max_abstention` needs costs"),
        (lambda: compare(objective="cheapest"), "`objective` must be one of 'expected', 'worst', 'regret', "),
        (
            lambda: compare(costs=CostModel(cost_abstain=-1)),
            "`costs` must not reward abstaining, got a relative cost of -1 on a positive case",
        ),
        (lambda: compare(costs=CostRange(cost_fn=(3, 2))), r"`cost_fn` must be .* low <= high, got \(3, 2\)"),
        (
            lambda: compare(costs=CostRange(cost_fn=10, cost_fp=(1, 2), cost_abstain=(-1, 1))),
            "must not reward abstaining|`cost_abstain` must be at least 0",
        ),
        (lambda: compare(prevalence=(0.5, 0.1)), r"`prevalence` must be .* low <= high, got \(0.5, 0.1\)"),
        (lambda: compare(prevalence=(0.1, 0.2, 0.3)), "`prevalence` must be a number or a pair"),
        (lambda: compare(prevalence=1.5), r"`prevalence` must lie in \[0, 1\], got 1.5"),
        (lambda: compare(max_abstention=1.2), r"`max_abstention` must .*got 1.2"),
        (lambda: compare(max_fn_rate=-0.1), r"`max_fn_rate` must .*got -0.1"),
        (lambda: compare(min_precision_positive=0), "`min_precision_positive` must"),
        (
            lambda: compare(precision_confidence=0.9),
            "`precision_confidence` belongs to a promised precision, got 0.9. Hint: give min_precision_pos",
        ),
        (
            lambda: compare(precision_confidence=1.5, min_precision_positive=0.9),
            "`precision_confidence` must",
        ),
        (
            lambda: compare(
                costs=CostRange(cost_fn=(1, 2), cost_abstain=0.1),
                min_precision_positive=0.9,
                precision_confidence=0.9,
            ),
            "`precision_confidence` needs one prevalence and costs without ranges",
        ),
        (lambda: compare(confidence_level=95), r"`confidence_level` must lie in \[0, 1\], got 95"),
        (lambda: compare(seed=-1), "`seed` must be a whole number of at least 0, got -1"),
        (lambda: compare(seed=0.5), "`seed` must be a whole number"),
        (lambda: compare(sample_weight=[1.0] * 15), "must have the same length"),
        (lambda: compare(sample_weight=[-1.0] * 16), "`sample_weight` must not be negative"),
        (lambda: compare(sample_weight=[0.5] * 16, weights="repeats"), "must hold whole numbers"),
        (lambda: compare(weights="frequency"), "`weights` must be one of 'importance', 'repeats'"),
        (
            lambda: compare(objective="guaranteed", max_abstention=0.1),
            "`objective` must not be 'guaranteed' with limits",
        ),
        (
            lambda: compare(objective="guaranteed", prevalence=(0.1, 0.3)),
            "`objective` must not be 'guaranteed' with ranges",
        ),
        (
            lambda: compare(objective="guaranteed", sample_weight=[2.0] * 16),
            "`objective` must not be 'guaranteed' with importance weights",
        ),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(DemurError, match=message) as caught:
        call()
    text = str(caught.value)
    assert "\n" not in text
    assert text.rstrip().endswith((".", ")"))


def test_infeasible_limits_name_the_nearest_value():
    noise = np.random.default_rng(0).normal(size=16)
    with pytest.raises(DemurError, match=r"No rule keeps the limits; model: .*Hint"):
        compare(scores=noise, max_abstention=0.0, min_precision_positive=0.99, min_precision_negative=0.99)


def test_a_model_that_breaks_the_limits_is_left_out_with_its_reason():
    noise = np.random.default_rng(0).normal(size=16)
    comparison = compare(
        y=[0] * 8 + [1] * 8,
        scores={"noise": noise, "good": S},
        max_abstention=0.2,
        min_precision_positive=0.9,
        min_precision_negative=0.9,
    )
    assert comparison.answer.model == "good"
    assert comparison.models["noise"].left_out != ""
    assert comparison.models["noise"].cost is None
    assert comparison.models["good"].left_out == ""
    assert comparison.trivial == {}


def test_best_model_is_refused_where_there_is_none():
    with pytest.raises(DemurError, match="`costs` are needed to choose"):
        compare_models(Y, S).best_model()
    comparison = compare()
    without = replace(comparison, choice=replace(comparison.choice, candidates={}))
    with pytest.raises(DemurError, match="No model keeps the limits"):
        without.best_model()


# ---------------------------------------------------------------- one class in use


@pytest.mark.parametrize(("prevalence", "rule"), [(0, "always negative"), (1, "always positive")])
@pytest.mark.parametrize("limits", [{}, {"max_abstention": 0.5}, {"min_precision_positive": 0.3}])
def test_a_use_with_one_class_costs_nothing_by_hand(prevalence, rule, limits):
    noise = np.random.default_rng(0).normal(size=16)
    comparison = compare(scores=noise, prevalence=prevalence, **limits)
    assert comparison.trivial[rule] == comparison.answer.cost == 0
    assert comparison.models["model"].hindsight_cost == 0


def test_a_share_of_no_positives_is_refused():
    for call in (compare, lambda **limit: cheapest_window(Y, S, costs=COSTS, **limit)):
        with pytest.raises(DemurError, match="`max_fn_rate` needs positive cases in use, got a prev"):
            call(max_fn_rate=0.5, prevalence=0)
    with pytest.raises(DemurError, match="Hint: nothing can be missed then; start a range"):
        compare(max_fn_rate=0.5, prevalence=(0, 0.5))


@pytest.mark.parametrize("prevalence", [(0, 1), (0, 0.5), (0.5, 1), (1 - 1e-16, 1)])
def test_ranges_that_reach_one_class_by_hand(prevalence):
    comparison = compare(prevalence=prevalence, objective="worst")
    # at either end all cases are of one class, and a review costs 1 whatever the class
    assert comparison.trivial["always abstain"] == 1
    errors = 10 * prevalence[1], 4 * (1 - prevalence[0])
    middle = prevalence[0] + (prevalence[1] - prevalence[0]) / 2
    assert comparison.trivial["always negative"] == pytest.approx(10 * middle)
    assert comparison.answer.cost <= max(errors)


def test_limits_that_no_rule_keeps_at_both_ends():
    with pytest.raises(DemurError, match="No rule keeps the limits"):
        compare(
            costs=CostModel(cost_fn=10, cost_fp=4),
            prevalence=(0, 1),
            min_precision_positive=0.5,
            min_precision_negative=0.5,
        )


@pytest.mark.parametrize("prevalence", [1e-320, 5e-324, (0, 1e-130), (1e-300, 0.5)])
def test_a_prevalence_next_to_0_is_refused(prevalence):
    with pytest.raises(DemurError, match=r"`prevalence` must be 0 or at least 1e-100, got .* Hint: 0 stands"):
        compare(prevalence=prevalence)


# ---------------------------------------------------------------- weights next to 0 or infinity


@pytest.mark.parametrize("weight", [5e-324, 1e-310, 1e-200, 1e300])
def test_equal_weights_of_any_size_change_nothing_against_none(weight):
    noise = np.random.default_rng(0).normal(size=16)
    plain, weighted = compare(scores=noise), compare(scores=noise, sample_weight=[weight] * 16)
    assert weighted.models["model"].cost == pytest.approx(plain.models["model"].cost, abs=1e-12)
    assert weighted.n == pytest.approx(16)


@pytest.mark.parametrize("weights", [[1, 5e-324] * 8, [5e-324] * 15 + [1], [1e300] * 15 + [1e-300]])
def test_weights_lost_beside_the_largest_are_refused(weights):
    with pytest.raises(DemurError, match="`sample_weight` must be 0 or at least 1e-100 times the largest"):
        compare(sample_weight=weights)
