"""Many classes with unknown costs: volumes by hand, against the definition and against two classes."""

import json

import numpy as np
import pytest

from demur import Binormal, InputError, compare_models, cross_fitted_surface, vacc_score
from demur.comparison import class_vacc
from demur.costs import CostLaw
from demur.honest import mean_loss_interval
from demur.honest.cases import SplitCases
from demur.surface import plugin_vacc_score

RNG = np.random.default_rng(0)
N = 60
STAGE = RNG.integers(0, 3, N)
GOOD, POOR = (RNG.dirichlet([1, 1, 1], N) + gain * np.eye(3)[STAGE] for gain in (0.8, 0.3))
MODELS = {"good": GOOD, "poor": POOR}
UNIT_DRAWS = 1000


def fixed(*tables):
    """A law that draws the same tables whatever happens."""
    return lambda rng, n_classes, n_draws: np.array(tables, dtype=float)


def unit_square(rng, n_classes, n_draws):
    """Of two classes: a miss costs 1, a false alarm mu, a review nu, uniform on the unit square."""
    mu, nu = rng.random((2, n_draws))
    tables = np.zeros((n_draws, 2, 3))
    tables[:, 1, 0], tables[:, 0, 1], tables[:, :, 2] = 1.0, mu, nu[:, None]
    return tables


# ---------------------------------------------------------------- the definition


def slow_isotonic(scores, own, weight):
    """Scores in order and their isotonic shares: the largest of the smallest means around each."""
    levels = np.unique(scores)
    total = [weight[scores == s].sum() for s in levels]
    hits = [weight[(scores == s) & own].sum() for s in levels]
    count = len(levels)
    mean = {
        (a, b): sum(hits[a : b + 1]) / sum(total[a : b + 1]) for a in range(count) for b in range(a, count)
    }
    shares = [max(min(mean[a, b] for b in range(i, count)) for a in range(i + 1)) for i in range(count)]
    return levels, np.array(shares)


def slow_probabilities(train, codes, weight, test):
    """Step at the middle between neighbouring scores, one class against the rest, scaled to sum to 1."""
    train, test = (table / table.sum(axis=1, keepdims=True) for table in (train, test))
    columns = []
    for k in range(train.shape[1]):
        levels, shares = slow_isotonic(train[:, k], codes == k, weight)
        middles = (levels[1:] + levels[:-1]) / 2
        columns.append([shares[sum(score >= middles)] for score in test[:, k]])
    found = np.array(columns).T
    return np.array([row / row.sum() if row.sum() > 0 else own for row, own in zip(found, test, strict=True)])


def slow_losses(proba, codes, tables):
    """Loss of every case at every draw, action by action."""
    losses = np.empty((len(codes), len(tables)))
    for d, table in enumerate(tables):
        for i, (row, true) in enumerate(zip(proba, codes, strict=True)):
            expected = [sum(p * table[j][k] for j, p in enumerate(row)) for k in range(len(row) + 1)]
            losses[i, d] = table[true][expected.index(min(expected))]
    return losses


def slow_honest(proba, codes, tables, splits, weight=None):
    weight = np.ones(len(codes)) if weight is None else weight
    found = []
    for rows in splits.repeats:
        calibrated = np.empty(proba.shape)
        for fold in range(splits.folds):
            train, held = rows.cell[rows.fold != fold], rows.cell[rows.fold == fold]
            calibrated[held] = slow_probabilities(proba[train], codes[train], weight[train], proba[held])
        found.append(slow_losses(calibrated, codes, tables))
    return np.mean(found, axis=0)


@pytest.fixture(scope="module")
def law():
    tables = CostLaw()(np.random.default_rng(5), 3, 12)
    return fixed(*tables), tables


@pytest.fixture(autouse=True)
def one_split(monkeypatch):
    """One split into folds instead of ten: the same way, quicker."""
    monkeypatch.setattr("demur.honest.splits._MOST_REPEATS", 1)


def test_one_block_of_two_classes_by_hand():
    # half of the cases are positive, whatever the score: review at .2, else call the first class
    law = fixed([[0, 1, 0.2], [1, 0, 0.2]], [[0, 1, 0.6], [1, 0, 0.6]])
    found = class_vacc([0, 0, 1, 1], np.full((4, 2), 0.5), law=law, n_draws=2)
    assert found.hindsight["model"] == pytest.approx((0.2 + 0.5) / 2)
    assert found.baseline == pytest.approx((0.2 + 0.5) / 2)


def test_one_block_of_three_classes_by_hand():
    # shares 1/2, 1/4, 1/4: calling a costs 1.25, b and c cost .75, and b comes first
    costs = [[0, 1, 1], [1, 0, 1], [4, 1, 0]]
    law = fixed(*([[*row, review] for row in costs] for review in (0.8, 0.7)))
    y = list("aaaabbcc")
    found = class_vacc(y, np.tile([0.5, 0.3, 0.2], (8, 1)), classes=list("abc"), law=law, n_draws=2)
    assert found.hindsight["model"] == pytest.approx((0.75 + 0.7) / 2)
    assert found.baseline == pytest.approx((0.75 + 0.7) / 2)


def test_costs_wins_and_intervals_against_the_definition(law):
    draw, tables = law
    found = class_vacc(STAGE, MODELS, law=draw, n_draws=12)
    splits = SplitCases.of_classes(STAGE, None, (0, 1, 2), rng=0).splits
    losses = {name: slow_honest(proba, STAGE, tables, splits) for name, proba in MODELS.items()}
    costs = {name: loss.mean(axis=0) for name, loss in losses.items()}
    for name, loss in losses.items():
        assert found.vacc[name] == pytest.approx(loss.mean())
        assert found.monte_carlo_error[name] == pytest.approx(costs[name].std(ddof=1) / np.sqrt(12))
        seen = slow_losses(slow_probabilities(MODELS[name], STAGE, np.ones(N), MODELS[name]), STAGE, tables)
        assert found.hindsight[name] == pytest.approx(seen.mean())
        # the mean over the draws is a loss like any other
        worst = tables.mean(axis=0).max()
        assert found.interval[name] == pytest.approx(
            mean_loss_interval(loss.mean(axis=1), worst=worst).interval
        )
    good, poor = costs["good"], costs["poor"]
    assert found.cheapest == {"good": np.mean(good < poor - 1e-12), "poor": np.mean(poor < good - 1e-12)}
    (gap,) = found.differences
    assert gap.difference == pytest.approx(found.vacc[gap.first] - found.vacc[gap.second])
    assert (gap.first_cheaper, gap.second_cheaper) == (
        found.cheapest[gap.first],
        found.cheapest[gap.second],
    )
    assert gap.monte_carlo_error == pytest.approx((good - poor).std(ddof=1) / np.sqrt(12))
    assert gap.interval.low < gap.difference < gap.interval.high
    shares = np.bincount(STAGE) / N
    always = [min(shares @ table[:, k] for k in range(4)) for table in tables]
    assert found.baseline == pytest.approx(np.mean(always))


def test_weights_and_shares_against_the_definition(law):
    draw, tables = law
    weight, shares = RNG.integers(1, 4, N).astype(float), {0: 0.6, 1: 0.3, 2: 0.1}
    repeated = np.repeat(np.arange(N), weight.astype(int))
    plain = class_vacc(STAGE[repeated], GOOD[repeated], law=draw, n_draws=12)
    asked = class_vacc(STAGE, GOOD, law=draw, n_draws=12, sample_weight=weight, weights="repeats")
    assert asked.to_dict() == plain.to_dict() | {"law": asked.to_dict()["law"]}
    found = class_vacc(STAGE, GOOD, law=draw, n_draws=12, prevalence=shares)
    use = (np.array(list(shares.values())) / np.bincount(STAGE))[STAGE]
    calibrated = slow_probabilities(GOOD, STAGE, use, GOOD)
    assert found.hindsight["model"] == pytest.approx(
        use @ slow_losses(calibrated, STAGE, tables).mean(axis=1)
    )
    # every training set has the shares in use, too
    splits, honest = SplitCases.of_classes(STAGE, None, (0, 1, 2), rng=0).splits, 0.0
    (rows,) = splits.repeats
    for fold in range(splits.folds):
        train, held = rows.cell[rows.fold != fold], rows.cell[rows.fold == fold]
        inside = (np.array(list(shares.values())) / np.bincount(STAGE[train]))[STAGE[train]]
        calibrated = slow_probabilities(GOOD[train], STAGE[train], inside, GOOD[held])
        honest += use[held] @ slow_losses(calibrated, STAGE[held], tables).mean(axis=1)
    assert found.vacc["model"] == pytest.approx(honest)


def test_clusters_are_the_units(law):
    patient = np.arange(N) // 3
    found = class_vacc(STAGE, MODELS, law=law[0], n_draws=12, groups=patient)
    assert found.units == N / 3
    single = class_vacc(np.repeat(STAGE, 4), np.repeat(GOOD, 4, axis=0), groups=np.repeat(range(N), 4))
    plain = class_vacc(np.repeat(STAGE, 4), np.repeat(GOOD, 4, axis=0))
    width = {id(one): np.diff(one.interval["model"])[0] for one in (single, plain)}
    assert width[id(single)] > 1.3 * width[id(plain)]


def test_nothing_depends_on_how_many_draws_are_made_at_a_time(law, monkeypatch):
    plain = class_vacc(STAGE, MODELS, n_draws=50)
    monkeypatch.setattr("demur.comparison.class_volume._AT_ONCE", 200)
    in_parts = class_vacc(STAGE, MODELS, n_draws=50)
    assert in_parts.vacc == pytest.approx(plain.vacc, abs=1e-14)
    assert in_parts.cheapest == plain.cheapest


# ---------------------------------------------------------------- two classes


def two_classes(seed, n=300):
    y, score = Binormal(separation=0.6 + 0.1 * seed, prevalence=0.2 + 0.03 * seed).sample(n, rng=seed)
    p = 1 / (1 + np.exp(-score))
    return y, p, np.column_stack([1 - p, p])


def step_probabilities(y, p, rows, folds, *, straight=False):
    """Out-of-fold isotonic probabilities: steps at the middles, or straight lines between the scores."""
    from sklearn.isotonic import IsotonicRegression

    found = np.empty(len(y))
    for fold in range(folds):
        train, held = rows.cell[rows.fold != fold], rows.cell[rows.fold == fold]
        fit = IsotonicRegression(out_of_bounds="clip").fit(p[train], y[train])
        levels = np.unique(p[train])
        nearest = levels[np.searchsorted((levels[1:] + levels[:-1]) / 2, p[held], side="right")]
        found[held] = fit.predict(p[held] if straight else nearest)
    return found


def plugin_volume(y, p, seed, *, straight=False):
    """Mean over the splits of the volume of out-of-fold isotonic probabilities."""
    settings = {"weights": "importance", "prevalence": None, "folds": None, "repeats": None}
    cases = SplitCases.of_rows(y == 1, None, rng=seed, quantity="a volume", **settings)
    splits = [step_probabilities(y, p, rows, cases.folds, straight=straight) for rows in cases.splits.repeats]
    return np.mean([plugin_vacc_score(y, one) for one in splits])


def test_two_classes_over_the_unit_square_against_the_volumes():
    apart = []
    for seed in range(20):
        y, p, proba = two_classes(seed)
        drawn = class_vacc(y, proba, law=unit_square, n_draws=UNIT_DRAWS, seed=seed)
        gaps = drawn.hindsight["model"] - vacc_score(y, p), drawn.vacc["model"] - plugin_volume(y, p, seed)
        apart += [gap / drawn.monte_carlo_error["model"] for gap in gaps]
    assert np.abs(apart).max() <= 3
    assert abs(np.mean(apart)) < 0.6


def test_volume_of_windows_is_that_of_isotonic_steps():
    """Over the unit square a window is cheapest where an isotonic step is: both honest volumes are the same.

    They differ with straight lines between the scores, and for costs scaled by their mean, another law.
    """
    y, p, proba = two_classes(8)
    means = {straight: plugin_volume(y, p, 0, straight=straight) for straight in (False, True)}
    windows = cross_fitted_surface(y, p).volume()
    assert means[False] == pytest.approx(windows, abs=1e-12)
    assert abs(means[True] - windows) > 1e-5
    scaled = class_vacc(y, proba)
    assert abs(scaled.vacc["model"] - windows) > 5 * scaled.monte_carlo_error["model"]


# ---------------------------------------------------------------- the result


def test_the_same_draws_make_differences_precise():
    found = class_vacc(STAGE, {"one": POOR, "two": POOR**1.2})
    (gap,) = found.differences
    assert 0 < gap.monte_carlo_error < 0.3 * min(found.monte_carlo_error.values())


def test_equal_models_differ_by_nothing():
    found = class_vacc(STAGE, {"one": GOOD, "two": 3 * GOOD}, n_draws=40)
    (gap,) = found.differences
    assert (gap.difference, gap.interval, gap.first_cheaper, gap.second_cheaper) == (0, (0, 0), 0, 0)
    assert found.cheapest == {"one": 0, "two": 0}
    assert "several alike in 100 %" in found.words


def test_a_case_that_no_class_claims_keeps_the_probabilities_of_its_model():
    from demur.comparison.class_volume import _Calibration

    proba = np.eye(3)[[0, 0, 1, 1, 2, 2]] * 0.8 + 0.1
    calibration = _Calibration.learn(proba, np.array([0, 0, 1, 1, 2, 2]), np.ones(6))
    found = calibration.probabilities(np.array([[0.3, 0.4, 0.3], [0.9, 0.05, 0.05]]))
    np.testing.assert_allclose(found, [[0.3, 0.4, 0.3], [1, 0, 0]])


def test_curves_and_tables_hold_the_draws():
    found = class_vacc(STAGE, MODELS, n_draws=100)
    curves = found.curves()
    assert list(curves) == ["good", "poor", "without a model"]
    for name in MODELS:
        assert curves[name].cost.mean() == pytest.approx(found.vacc[name])
        assert curves[name].cheapest.mean() == pytest.approx(found.cheapest[name])
        assert np.all(np.diff(curves[name].review) > 0)
    assert curves["without a model"].cost.mean() == pytest.approx(found.baseline)
    tables = found.tables()
    assert list(tables) == ["VACC", "Pairs", "Review prices"]
    assert tables["VACC"].plain()["model"] == ["good", "poor", "without a model"]
    assert len(tables["Review prices"].plain()["cost"]) == 3 * len(curves["good"].review)
    document = json.loads(json.dumps(found.to_dict()))
    assert document["law"] == {"factor": 10.0, "review": [0.0, 1.0]}
    assert document["curves"]["good"]["cost"] == curves["good"].cost.tolist()
    alone = class_vacc(STAGE, GOOD, law=CostLaw(review=(0.2, 0.2)), n_draws=30)
    assert len(alone.curves()["model"].review) == 1
    assert "model costs" in alone.words


def test_of_many_models_only_those_beside_the_best_are_compared():
    models = {f"m{k}": RNG.dirichlet([1, 1, 1], N) for k in range(6)}
    found = class_vacc(STAGE, models, n_draws=20)
    best = min(found.vacc, key=found.vacc.get)
    assert [one.first for one in found.differences] == [best] * 5


@pytest.mark.parametrize("n_classes", [2, 5])
def test_the_law_draws_what_it_says(n_classes):
    tables = CostLaw(factor=4, review=(0.1, 0.3))(np.random.default_rng(0), n_classes, 500)
    answers, review = tables[:, :, :-1], tables[:, :, -1]
    off = answers[:, ~np.eye(n_classes, dtype=bool)]
    np.testing.assert_allclose(off.mean(axis=1), 1)
    assert not answers[:, np.eye(n_classes, dtype=bool)].any()
    assert np.all(off.max(axis=1) <= 4 * off.min(axis=1))
    assert review.min() >= 0.1
    assert review.max() <= 0.3
    assert np.all(review == review[:, :1])


# ---------------------------------------------------------------- comparisons


def test_compare_models_without_costs_holds_the_volumes():
    found = compare_models(STAGE, MODELS, classes=[0, 1, 2])
    assert found.answer is None
    assert found.class_vacc.to_dict() == class_vacc(STAGE, MODELS, classes=[0, 1, 2]).to_dict()
    assert found.to_dict()["class_vacc"] == found.class_vacc.to_dict()
    assert list(found.tables()) == list(found.class_vacc.tables())
    assert list(found.curves()) == ["good", "poor", "without a model"]
    assert found.models["good"].auc > found.models["poor"].auc
    narrow = compare_models(STAGE, MODELS, classes=[0, 1, 2], costs=CostLaw(factor=1))
    assert narrow.class_vacc.law == CostLaw(factor=1)
    priced = compare_models(STAGE, GOOD, classes=[0, 1, 2], costs=1 - np.eye(3))
    assert priced.class_vacc is None
    assert "class_vacc" not in priced.to_dict()


def test_two_classes_without_costs_are_the_problem_of_two_classes():
    y, _, proba = two_classes(3)
    named = compare_models(y, {"m": proba}, classes=[0, 1])
    assert named.to_dict() == compare_models(y, {"m": proba[:, 1]}).to_dict()
    assert named.class_vacc is None


def test_blocks_of_time_and_clusters_do_not_matter_over_all_costs():
    plain = compare_models(STAGE, GOOD, classes=[0, 1, 2])
    timed = compare_models(STAGE, GOOD, classes=[0, 1, 2], time=np.arange(N))
    assert timed.class_vacc.vacc == plain.class_vacc.vacc


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"law": 3}, "`law` must be a CostLaw or a function, got 3"),
        ({"law": fixed([[0, 1], [1, 0]])}, "`law` must draw tables of shape (1000, 3, 4)"),
        ({"law": lambda rng, m, d: np.full((d, m, m + 1), np.inf)}, "`law` must draw finite costs"),
        ({"n_draws": 1}, "`n_draws`"),
        ({"n_draws": 10**6}, "`n_draws` must not exceed 32,768"),
        ({"prevalence": {0: 0.5, 1: 0.5}}, "`prevalence` must name exactly the classes"),
    ],
)
def test_wrong_arguments(options, message):
    with pytest.raises(InputError) as error:
        class_vacc(STAGE, GOOD, **options)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"abstain_cost": 0.2}, "`abstain_cost` needs costs. Hint: pass costs={true: {answer: cost}}"),
        ({"max_abstention": 0.2}, "`max_abstention` needs costs. Hint: pass costs={true: {answer: cost}}"),
        ({"objective": "worst"}, "`objective` needs costs"),
        ({"missing_labels": "bounds", "unlabelled": True}, "`missing_labels` must not be 'bounds' without"),
    ],
)
def test_what_needs_costs(options, message):
    y = STAGE.astype(float)
    if options.pop("unlabelled", False):
        y[:3] = np.nan
    with pytest.raises(InputError) as error:
        compare_models(y, GOOD, classes=[0, 1, 2], **options)
    assert message in str(error.value)


def test_a_law_is_not_for_two_classes():
    y, p, proba = two_classes(3)
    for given in ({"scores": proba, "classes": [0, 1]}, {"scores": p}):
        with pytest.raises(InputError, match="`costs` must"):
            compare_models(y, costs=CostLaw(), **given)


@pytest.mark.parametrize(("name", "value"), [("factor", 0.5), ("factor", np.inf), ("review", (1, 0))])
def test_wrong_laws(name, value):
    with pytest.raises(InputError, match=f"`{name}` must"):
        CostLaw(**{name: value})
