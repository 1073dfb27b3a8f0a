"""A number of places a day: honest costs day by day, only rules that keep it, and what one place is worth."""

import numpy as np
import pandas as pd
import pytest

from demur import (
    ABSTAIN,
    Budget,
    CaseCosts,
    CostMatrix,
    CostModel,
    CostRange,
    InputError,
    Policy,
    Report,
    compare_models,
)
from demur.comparison.window_learner import _arrival_threshold
from demur.costs.budget import Places
from demur.engines import read_joint_counts
from demur.windows import Budgeted, ExpectedCostRule

COSTS = CostModel(cost_fn=100, cost_fp=40, cost_abstain=5)


def sample(n=600, days=24, seed=0, separation=1.5):
    """Labels, scores, days of different size, and keys in no order."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.25
    busy = rng.dirichlet(np.ones(days))
    day = np.datetime64("2026-03-02") + rng.choice(days, n, p=busy)
    return {"y": y, "m": rng.normal(separation * y), "day": day, "id": rng.permutation(n), "rng": rng}


def compare(case, reviews=4, costs=COSTS, **options):
    settings = {name: options.pop(name) for name in ("per", "arrival", "carry_over") if name in options}
    budget = Budget(reviews=reviews, column="day", key="id", **settings)
    columns = {name: case[name] for name in ("m", "day", "id")}
    return compare_models(case["y"], columns, costs=costs, budget=budget, **options)


# ---------------------------------------------------------------- a slow oracle of honest costs


def pooled(ill, well, total):
    """Pool adjacent violators by the definition: [positives, negatives, sum of scores, cases]."""
    blocks = []
    for block in zip(ill, well, *total, strict=True):
        blocks.append(list(block))
        while len(blocks) > 1 and blocks[-2][0] * blocks[-1][1] >= blocks[-1][0] * blocks[-2][1]:
            last = blocks.pop()
            blocks[-1] = [one + two for one, two in zip(blocks[-1], last, strict=True)]
    return blocks


def slow_probability(scores, positive):
    """Smoothed isotonic regression: one case of the base rate in every block, pooled again."""
    order = np.argsort(scores)
    ill = positive[order].astype(float)
    base = ill.mean()
    blocks = pooled(ill, 1 - ill, [scores[order], np.ones(len(scores))])
    smooth = pooled(
        [one[0] + base for one in blocks],
        [one[1] + 1 - base for one in blocks],
        [[one[2] for one in blocks], [one[3] for one in blocks]],
    )
    centres = [one[2] / one[3] for one in smooth]
    values = [one[0] / (one[0] + one[1]) for one in smooth]
    return lambda new: np.interp(new, centres, values)


def slow_decisions(case, folds, reviews, table, *, carry_over=False):
    """Decide every day by the rule of its fold, learned on all days of other folds."""
    y, s, n = case["y"], case["m"], len(case["y"])
    saving, acts = np.empty(n), np.empty(n, dtype=int)
    for fold in np.unique(folds):
        held = folds == fold
        p = slow_probability(s[~held], y[~held])(s[held])
        negative, positive, review = ((1 - p) * table[0, a] + p * table[1, a] for a in (0, 1, 2))
        acts[held] = np.where(positive <= negative, 1, 0)
        saving[held] = np.minimum(negative, positive) - review
    left = 0
    for day in np.unique(case["day"]):
        own = [i for i in np.flatnonzero(case["day"] == day) if saving[i] > 0]
        free = reviews + (left if carry_over else 0)
        for i in sorted(own, key=lambda i: (-saving[i], -s[i], case["id"][i]))[:free]:
            acts[i] = ABSTAIN
        left = max(free - len(own), 0)
    return acts


@pytest.mark.parametrize("carry_over", [False, True])
def test_honest_cost_against_a_slow_loop_over_folds_and_days(carry_over):
    case = sample()
    compared = compare(case, carry_over=carry_over)
    splits = compared.cases["m"].splits
    table = np.array([[0, 40, 5], [100, 0, 5]])
    costs, reviewed = [], []
    for rows in splits.repeats:
        folds = np.empty(len(case["y"]), dtype=int)
        folds[rows.cell] = rows.fold
        # no day is torn apart
        assert len(set(zip(case["day"], folds, strict=True))) == len(np.unique(case["day"]))
        acts = slow_decisions(case, folds, 4, table, carry_over=carry_over)
        costs.append(table[case["y"].astype(int), acts].mean())
        reviewed.append(np.mean(acts == ABSTAIN))
    rule = compared.models["m"].rules["budgeted"]
    assert rule.cost == pytest.approx(np.mean(costs), rel=1e-12)
    assert rule.abstention_rate == pytest.approx(np.mean(reviewed), rel=1e-12)


def test_mean_costs_by_class_where_amounts_are_not_known_against_the_slow_loop():
    case = sample()
    amounts = np.round(case["rng"].lognormal(4, 1, 600), 2)
    costs = CaseCosts(cost_fn=amounts, cost_fp=40, cost_abstain=5)
    compared = compare(case, costs=costs)
    assert set(compared.models["m"].rules) == {"threshold", "budgeted"}
    y, paid = case["y"], []
    losses = np.column_stack([np.where(y, amounts, 0), np.where(y, 0, 40), np.full(600, 5)])
    for rows in compared.cases["m"].splits.repeats:
        folds = np.empty(600, dtype=int)
        folds[rows.cell] = rows.fold
        acts = np.empty(600, dtype=int)
        for fold in np.unique(folds):  # the mean amount is that of the other folds
            mean = amounts[y & (folds != fold)].mean()
            acts_of_all = slow_decisions(case, folds, 4, np.array([[0, 40, 5], [mean, 0, 5]]))
            acts[folds == fold] = acts_of_all[folds == fold]
        paid.append(losses[np.arange(600), acts].mean())
    assert compared.models["m"].rules["budgeted"].cost == pytest.approx(np.mean(paid), rel=1e-12)
    rule = compared.models["m"].rules["budgeted"].rule
    assert rule.names == ("m", "day", "id")
    assert rule.inner.costs[1, 0, 0] == pytest.approx(amounts[y].mean())


# ---------------------------------------------------------------- what is compared


def test_only_rules_that_keep_the_budget_are_candidates():
    case = sample()
    compared = compare(case)
    assert set(compared.models["m"].rules) == {"threshold", "budgeted"}
    assert set(compared.baselines) == {"always positive", "always negative"}
    assert compared.answer.kind == compared.models["m"].kind == "budgeted"
    assert compared.answer.condition == "Limits: at most 4 a day sent to a person."
    codes = compared.answer.decide(pd.DataFrame({name: case[name] for name in ("m", "day", "id")}))
    assert pd.Series(codes == ABSTAIN).groupby(case["day"]).sum().max() == 4
    # intervals count days
    assert compared.units == len(np.unique(case["day"]))


def test_amounts_that_are_known_are_read():
    case = sample(1500, 40)
    amounts = np.round(case["rng"].lognormal(4, 1, 1500), 2)
    costs = {"cost_fn": amounts, "cost_fp": 40, "cost_abstain": 5, "columns": {"cost_fn": "amount"}}
    known = compare(case, costs=CaseCosts(**costs, known_at_decision=True))
    assert set(known.models["m"].rules) == {
        "threshold", "budgeted", "budgeted, score only", "expected cost, no reviews",
    }  # fmt: skip
    rule = known.answer.rule
    assert isinstance(rule, Budgeted)
    assert rule.names == ("m", "amount", "day", "id")
    assert known.answer.honest_cost < compare(case, costs=CaseCosts(**costs)).answer.honest_cost
    policy = Policy.from_answer(known.answer)
    frame = pd.DataFrame({**{name: case[name] for name in ("m", "day", "id")}, "amount": amounts})
    codes = policy.decide(frame)
    assert policy.abstention_rate == pytest.approx(np.mean(codes == ABSTAIN))
    assert "with amount known, call positive when odds x amount exceed " in known.answer.words


def test_words_and_json_say_how_places_are_used_against_counting():
    case = sample()
    answer = compare(case).answer
    rule = answer.rule
    assert isinstance(rule.inner, ExpectedCostRule)
    saving, left_out, full = rule.inner.savings(case["m"][:, None]), [], 0
    for day in np.unique(case["day"]):
        own = np.sort(saving[(case["day"] == day) & (saving > 0)])[::-1]
        full += len(own) >= 4
        left_out.append(own[4] if len(own) > 4 else 0.0)
    days = len(left_out)
    assert rule.use == (days, full, pytest.approx(np.mean(left_out)))
    words = f"at most 4 a day: all used on {full} of {days} days; one more place would save "
    assert f"{words}{np.mean(left_out):.3g} a day" in answer.words
    told = answer.to_dict()
    assert told["rule"]["use"] == {"batches": days, "full": full, "next_saving": rule.use.next_saving}
    assert compare(case).to_dict()["budget"]["reviews"] == 4


def test_the_order_of_rows_changes_no_decision():
    case = sample()
    case["m"] = np.round(case["m"], 1)
    rule = compare(case).answer.rule
    frame = pd.DataFrame({name: case[name] for name in ("m", "day", "id")})
    codes = pd.Series(rule.decide(frame), index=frame["id"])
    order = np.random.default_rng(1).permutation(600)
    mixed = {name: np.asarray(case[name])[order] for name in ("y", "m", "day", "id")}
    again = compare(mixed).answer.rule
    assert again.to_dict() == rule.to_dict()
    shuffled = frame.iloc[order]
    found = pd.Series(again.decide(shuffled), index=shuffled["id"])
    assert found.loc[frame["id"]].equals(codes)


def test_columns_as_arrays_and_by_name_are_the_same():
    case = sample()
    named = compare(case)
    arrays = Budget(reviews=4, column=case["day"].astype(str), key=case["id"])
    given = compare_models(case["y"], case["m"], costs=COSTS, budget=arrays)
    assert given.answer.honest_cost == named.answer.honest_cost
    assert given.answer.rule.names == ("model", "batch", "key")


# ---------------------------------------------------------------- on arrival


def test_the_threshold_on_arrival_against_trying_each():
    case = sample(2000, 20)
    rule = compare(case, arrival=True, carry_over=True).answer.rule
    codes = np.unique(case["day"], return_inverse=True)[1]
    table = np.column_stack([case["m"], codes, case["id"]]).astype(float)
    saving = rule.inner.savings(table[:, :1])

    def saved(least):
        total, left = 0.0, 0
        for day in np.unique(codes):
            own = [i for i in np.flatnonzero(codes == day) if saving[i] > least]
            free = 4 + left
            total += sum(saving[i] for i in sorted(own, key=lambda i: case["id"][i])[:free])
            left = max(free - len(own), 0)
        return total

    quantiles = np.quantile(saving[saving > 0], np.arange(1, 64) / 64, method="lower")
    tried = [0.0, *quantiles]
    assert rule.least_saving == _arrival_threshold(rule, table)
    assert rule.least_saving in tried
    assert saved(rule.least_saving) == pytest.approx(max(map(saved, tried)), rel=1e-12)
    assert rule.least_saving > 0


def test_whole_days_are_cheaper_than_arrival_and_places_carried_over_cheaper_still():
    costs = {}
    for name, how in {"day": {}, "arrival": {"arrival": True}, "carried": {"carry_over": True}}.items():
        found = [compare(sample(500, 20, seed), reviews=4, **how) for seed in range(2)]
        costs[name] = np.mean([one.models["m"].rules["budgeted"].cost for one in found])
    assert costs["carried"] < costs["day"] < costs["arrival"]


# ---------------------------------------------------------------- groups and time


def test_clusters_larger_than_days_count():
    case = sample()
    weeks = (case["day"] - np.datetime64("2026-03-02")).astype(int) // 7
    compared = compare(case, groups=weeks)
    assert compared.units == len(np.unique(weeks))
    with pytest.raises(InputError, match="`groups` must hold every batch of day as a whole"):
        compare(case, groups=case["id"] % 7)


def test_days_stay_whole_where_rules_are_chosen_on_the_past():
    case = sample(1500, 40)
    hours = case["day"] + case["rng"].integers(0, 24, 1500).astype("m8[h]")
    compared = compare(case, time=hours)
    cases = compared.choice.first
    blocks = np.empty(1500, dtype=int)
    blocks[cases.splits.repeats[0].cell] = cases.splits.repeats[0].fold
    assert cases.splits.forward
    assert len(set(zip(case["day"], blocks, strict=True))) == len(np.unique(case["day"]))
    assert compared.by_block is not None
    assert compared.answer.shuffled_cost is not None


# ---------------------------------------------------------------- ranges of costs


def test_over_ranges_rules_of_the_corners_keep_the_budget_too():
    case = sample()
    costs = CostRange(cost_fn=(50, 150), cost_fp=40, cost_abstain=5)
    compared = compare(case, costs=costs)
    assert {one.kind for one in compared.choice.chosen_for_corners} <= {
        "budgeted", "threshold", "always positive", "always negative",
    }  # fmt: skip
    corner = compare(case, costs=CostModel(cost_fn=150, cost_fp=40, cost_abstain=5))
    at = compared.choice.floors[1]
    assert at <= corner.answer.honest_cost + 1e-12
    assert compared.answer.regret >= 0


# ---------------------------------------------------------------- refusals


MATRIX = CostMatrix(values=np.ones((3, 3)) - np.eye(3), classes=("a", "b", "c"))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"max_abstention": 0.1}, "`budget` must not stand beside max_abstention, a share"),
        ({"max_fn_rate": 0.1}, "`budget` must not stand beside other limits"),
        ({"prevalence": (0.1, 0.2)}, "`budget` must not stand beside a range of prevalences"),
        ({"objective": "guaranteed"}, "`budget` must not stand beside objective='guaranteed'"),
        ({"include": ["combinations"]}, "`budget` must not stand beside include"),
        ({"costs": None}, "`budget` needs costs with a price of a review"),
        ({"costs": CostModel(cost_fn=1, cost_fp=1)}, "`budget` needs costs with a price of a review"),
        ({"sample_weight": np.arange(1, 601)}, "`sample_weight` must be the same for all cases"),
        ({"sample_weight": np.full(600, 2), "weights": "repeats"}, "`sample_weight` must be the same"),
        ({"classes": [False, True]}, "`budget` is for scores of two classes"),
        ({"costs": MATRIX}, "`budget` is for scores of two classes"),
    ],
)
def test_what_a_budget_cannot_stand_beside_is_one_sentence(options, sentence):
    with pytest.raises(InputError, match=sentence) as error:
        compare(sample(), **options)
    assert "\n" not in str(error.value)


def test_equal_weights_are_none():
    case = sample()
    assert compare(case, sample_weight=np.full(600, 3.0)).answer.cost == compare(case).answer.cost


def test_counts_and_bounds_are_refused():
    case = sample()
    budget = Budget(reviews=4, column=case["day"], key=case["id"])
    joint = read_joint_counts(
        {"y": case["y"], "m": case["m"], "o": -case["m"]}, y_true="y", scores=["m", "o"]
    )
    with pytest.raises(InputError, match="`budget` needs the cases themselves, got counts"):
        compare_models(joint, costs=COSTS, budget=budget)
    labels = np.where(np.arange(600) % 9 == 0, np.nan, case["y"])
    with pytest.raises(InputError, match="`missing_labels` must not be 'bounds' beside a budget"):
        compare({**case, "y": labels}, missing_labels="bounds")
    with pytest.raises(InputError, match="`budget` must be a Budget"):
        compare_models(case["y"], case["m"], costs=COSTS, budget=4)


@pytest.mark.parametrize("taken", ["m", "amount"])
def test_names_of_batch_and_key_must_be_their_own(taken):
    case = sample()
    costs = CaseCosts(
        cost_fn=np.ones(600),
        cost_fp=1,
        cost_abstain=0.1,
        columns={"cost_fn": "amount"},
        known_at_decision=True,
    )
    columns = {"m": case["m"], "key": case["m"], taken: case["day"]}
    budget = Budget(reviews=4, column=taken, key=case["id"])
    with pytest.raises(InputError, match="`budget` must have names of its own"):
        compare_models(
            case["y"], {**columns, "m": case["m"]} if taken != "m" else columns, costs=costs, budget=budget
        )


# ---------------------------------------------------------------- reports


def test_a_report_says_the_answer_and_what_the_page_does_not_know():
    case = sample()
    columns = {name: case[name] for name in ("m", "day", "id")}
    budget = Budget(reviews=4, column="day", key="id")
    report = Report.from_predictions(case["y"], columns, costs=COSTS, budget=budget)
    assert report.headline == compare(case).answer.words
    assert any("do not know the number of places" in note for note in report.notes)
    assert any("charts show the cheapest that is" in note for note in report.notes)
    frame = pd.DataFrame(columns)
    assert Report.from_predictions(case["y"], frame, costs=COSTS, budget=budget).headline == report.headline
    with pytest.raises(InputError, match="`budget` is for scores of two classes"):
        Report.from_predictions(case["y"], columns, costs=COSTS, budget=budget, classes=[False, True])


# ---------------------------------------------------------------- a share and a number


def test_a_share_overflows_where_a_number_of_places_never_does():
    def days(number, seed):
        rng = np.random.default_rng(seed)
        sizes = rng.poisson(rng.gamma(4, 10, number)) + 1
        n = int(sizes.sum())
        y = rng.random(n) < 0.2
        day = np.datetime64("2026-03-02") + np.repeat(np.arange(number), sizes)
        return {"y": y, "m": rng.normal(1.2 * y), "day": day, "id": np.arange(n)}

    case, fresh = days(60, 0), days(200, 1)
    share = 5 * 60 / len(case["y"])
    window = compare_models(case["y"], {"m": case["m"]}, costs=COSTS, max_abstention=share).answer.rule
    sent = pd.Series(window.decide(fresh["m"]) == ABSTAIN).groupby(fresh["day"]).sum()
    assert (sent > 5).mean() > 0.25
    rule = compare(case, reviews=5).answer.rule
    codes = rule.decide(pd.DataFrame({name: fresh[name] for name in ("m", "day", "id")}))
    kept = pd.Series(codes == ABSTAIN).groupby(fresh["day"]).sum()
    assert kept.max() == 5
    assert (kept == 5).mean() > 0.9


@pytest.mark.long
def test_the_value_of_the_next_place_against_what_it_saves_on_fresh_days():
    estimated, saved = [], []
    for seed in range(30):
        rule = compare(sample(2400, 60, seed), reviews=5).models["m"].rules["budgeted"].rule
        fresh = sample(16_000, 400, 1000 + seed)
        day = np.unique(fresh["day"], return_inverse=True)[1]
        table = np.column_stack([fresh["m"], day, fresh["id"]]).astype(float)
        costs = np.array([[0, 40, 5], [100, 0, 5]])[fresh["y"].astype(int)]
        more = Budgeted(inner=rule.inner, places=rule.places._replace(reviews=6))
        paid = [costs[np.arange(len(day)), one.codes(table)].sum() / (day.max() + 1) for one in (rule, more)]
        estimated.append(rule.use.next_saving)
        saved.append(paid[0] - paid[1])
    gap = np.array(estimated) - np.array(saved)
    # 11.3 estimated, 11.6 +- .3 saved
    assert abs(gap.mean()) < 3 * gap.std(ddof=1) / np.sqrt(len(gap)) + 0.05 * np.mean(saved)
    assert np.mean(saved) > 5


def test_places_are_in_order_of_the_period():
    assert Places(3, "day", "id", "week", False).words == "at most 3 a week"
    assert Places(3000, "desk", "id", None, False).words == "at most 3,000 per desk"
