"""The report: its numbers against the functions they come from, its words, its JSON and its page."""

import base64
import hashlib
import json
import math
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

import demur
from demur import CaseCosts, CostModel, InputError, Report, ScoreCounts
from demur._kernels.thresholds import cut_points
from demur.honest import splits
from demur.report import DataSource, cases
from demur.report.model import roc_points, score_bins
from demur.surface.window import written_window

COSTS = CostModel(cost_fn=10, cost_fp=5, cost_abstain=1)
Y, A = demur.Binormal(separation=1.6).sample(300, rng=3)
B = A + np.random.default_rng(4).normal(size=len(A))
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def two():
    return Report.from_predictions(Y, {"good": A, "noisy": B}, costs=COSTS, confidence_level=0.9, seed=7)


@pytest.fixture(scope="module")
def counted(two):
    """The same as a page has it that lists no cases."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cases, "_MOST_CASES", 0)
        return two.to_dict()


# ---------------------------------------------------------------- numbers


def test_numbers_of_one_model_against_the_functions():
    report = Report.from_predictions(Y, {"good": A}, costs=COSTS, confidence_level=0.9, seed=7)
    model = report.to_dict()["models"][0]
    assert model["auc"]["value"] == demur.auc_score(Y, A)
    assert (model["auc"]["low"], model["auc"]["high"]) == demur.auc_interval(Y, A, confidence_level=0.9)
    volume = demur.volume_interval(Y, A, confidence_level=0.9, rng=7)
    assert model["volume"] == {
        "hindsight": volume.hindsight,
        "honest": volume.honest,
        "low": volume.low,
        "high": volume.high,
    }
    frame = report.to_frame()
    rule = demur.compare_models(Y, {"good": A}, costs=COSTS, confidence_level=0.9, seed=7).models["good"]
    assert (frame["cost"][0], frame["hindsight_cost"][0]) == (rule.cost, rule.hindsight_cost)
    assert (frame["cost_low"][0], frame["cost_high"][0]) == rule.interval
    assert frame["threshold_cost"][0] == rule.threshold_cost
    assert frame["guaranteed_cost"][0] == rule.guaranteed_cost
    assert rule.cost == pytest.approx(10 * demur.cross_fitted_surface(Y, A, rng=7).cost(0.5, 0.1))
    assert model["wins"] == 1.0


def test_blocks_and_cuts_give_the_windows_of_the_surface(two):
    for name, scores in (("good", A), ("noisy", B)):
        model = next(model for model in two.to_dict()["models"] if model["name"] == name)
        surface = demur.abstention_surface(Y, scores)
        blocks = surface.counts.blocks()
        assert model["blocks"]["positives"] == blocks.positives.tolist()
        assert model["blocks"]["negatives"] == blocks.negatives.tolist()
        evidence = demur.policy.PolicyEvidence.from_counts(surface.counts).to_dict()
        assert model["digest"] == evidence["digest"]
        assert model["blocks"] == evidence["blocks"]
        window = written_window(surface.window(costs=COSTS), surface.counts)
        assert window.lower in model["cuts"]["lower"]
        assert window.upper in model["cuts"]["upper"]
        assert (model["cuts"]["lower"][0], model["cuts"]["upper"][-1]) == ("-inf", "inf")
        assert len(model["cuts"]["lower"]) == len(blocks.positives) + 1


def test_fold_tables_hold_every_case_once(counted):
    assert counted["cases"] is None
    for model in counted["models"]:
        assert len(model["folds"]) == 10 * 10, "ten folds of each of ten splits"
        for kind, total in (("positives", Y.sum()), ("negatives", len(Y) - Y.sum())):
            held = [sum(fold[f"held_{kind}"]) for fold in model["folds"]]
            learned = [sum(fold[kind]) for fold in model["folds"]]
            assert [sum(held[10 * split : 10 * split + 10]) for split in range(10)] == [total] * 10
            assert [one + other for one, other in zip(held, learned, strict=True)] == [total] * 100
        for fold in model["folds"]:
            assert len(fold["held_positives"]) == 2 * len(fold["positives"]) - 1


def test_volume_of_the_common_folds_is_that_of_its_surface(two):
    for model in two.models:
        assert model.volume.honest == pytest.approx(model.honest.volume(), rel=1e-12)
        assert model.volume.hindsight == pytest.approx(model.surface.volume(), rel=1e-12)


def test_pair_against_the_functions(two):
    pair = two.to_dict()["pairs"][0]
    test = demur.auc_difference_test(Y, A, B, method="delong")
    assert pair["auc"]["difference"] == test.difference
    assert pair["auc"]["pvalue"] == test.pvalue
    assert (pair["auc"]["low"], pair["auc"]["high"]) == test.interval(0.9)
    volumes = [model.volume for model in two.models]
    volume = two.pairs[0].volume
    assert volume.honest == pytest.approx(volumes[0].honest - volumes[1].honest, abs=1e-12)
    assert volume.hindsight == pytest.approx(volumes[0].hindsight - volumes[1].hindsight, abs=1e-12)


@pytest.mark.parametrize("models", [4, 7])
def test_pvalues_of_pairs_are_adjusted_against_the_table_of_compare(models):
    rng = np.random.default_rng(5)
    scores = {f"m{k}": A + 0.2 * k * rng.normal(size=len(A)) for k in range(models)}
    report = Report.from_predictions(Y, scores, costs=COSTS)
    table = report.comparison.pairs()
    shown = {frozenset((pair.first, pair.second)): pair for pair in table}
    names = list(scores)
    for pair in report.to_dict()["pairs"]:
        told = shown.get(frozenset((names[pair["a"]], names[pair["b"]])))
        found = [pair["auc"]["adjusted_pvalue"], pair["volume"]["adjusted_pvalue"], pair["comparisons"]]
        if told is not None:
            assert found == pytest.approx(
                [told.auc_adjusted_pvalue, told.volume_adjusted_pvalue, len(table)], rel=1e-12
            )
        else:
            assert models > 5, "up to five models the table shows every pair"
            assert found[2] == models * (models - 1) / 2
        assert found[0] >= pair["auc"]["pvalue"]


def listed_cases(document):
    """Classes, folds by split and scores by model, as a page of rows lists them."""
    rows = document["cases"]
    size = len(rows["folds"][0])
    folds = [np.array(list(digits), dtype=int) for digits in rows["folds"]]
    return np.arange(size) < rows["positives"], folds, [np.array(column) for column in rows["scores"]]


def test_fold_tables_follow_from_the_cases_of_a_page_by_definition(two, counted):
    document = two.to_dict()
    positive, folds, scores = listed_cases(document)
    for own, model, column in zip(document["models"], counted["models"], scores, strict=True):
        assert own["folds"] == []
        tables = iter(model["folds"])
        for split in folds:
            for fold in range(document["folds"]):
                table, out = next(tables), split == fold
                counts = ScoreCounts.from_arrays(positive[~out], column[~out])
                blocks = counts.blocks()
                assert table["positives"] == blocks.positives.tolist()
                assert table["negatives"] == blocks.negatives.tolist()
                lower, upper = cut_points(blocks.lower, blocks.upper)
                # inner thresholds that a held-out score passes, and those that it reaches
                place = np.searchsorted(lower[1:-1], column, "left")
                place = place + np.searchsorted(upper[1:-1], column, "right")
                for kind, name in ((True, "held_positives"), (False, "held_negatives")):
                    held = np.bincount(
                        place[out & (positive == kind)], minlength=2 * len(blocks.positives) - 1
                    )
                    assert table[name] == held.tolist()


def test_roc_curves_are_those_of_the_cases_or_thinned(two, counted):
    assert [model["roc"] for model in two.to_dict()["models"]] == [None, None]
    for model, scores in zip(counted["models"], (A, B), strict=True):
        points = roc_points(ScoreCounts.from_arrays(Y, scores))
        assert model["roc"]["tpr"] == pytest.approx(points["tpr"], rel=1e-5)


def test_bounds_by_count_against_certificates(two):
    # two models share the confidence: both hold together with 0.9 if each holds with 0.95
    bounds = two.to_dict()["bounds"]["all"]
    positive = np.asarray(Y) == 1

    def share(count):
        return bounds["upper"][np.searchsorted(bounds["counts"], count)]

    for scores in (A, B):
        certificate = demur.surface_certificate(Y, scores, confidence_level=0.95)
        for threshold in np.quantile(scores, [0.2, 0.5, 0.8]):
            bound = certificate.of_window((threshold, threshold), 0.5, 0.1)
            called = np.asarray(scores) >= threshold
            assert bound.certified_fn == pytest.approx(share(np.sum(positive & ~called)), abs=1e-12)
            assert bound.certified_fp == pytest.approx(share(np.sum(~positive & called)), abs=1e-12)


def test_cases_of_a_page_are_the_rows_and_their_folds(two):
    listed = two.to_dict()["cases"]
    positive = np.asarray(Y) == 1
    assert listed["positives"] == positive.sum()
    assert (listed["sizes"], len(listed["folds"])) == (None, two.comparison.repeats)
    assert (listed["forward"], listed["first"], listed["clusters"]) == (False, 0, None)
    assert {len(fold) for fold in listed["folds"]} == {len(Y)}
    # positives first, then by the scores: never the order of the file
    order = np.lexsort([B, A, ~positive])
    for found, column in zip(listed["scores"], (A, B), strict=True):
        assert np.array_equal(found, column[order])
    for text, rows in zip(listed["folds"], two.comparison.cases["good"].splits.repeats, strict=True):
        fold = np.empty(len(Y), dtype=int)
        fold[rows.cell] = rows.fold
        assert text == "".join(map(str, fold[order]))


def carried_folds(monkeypatch, codes, order):
    """Deal every row of a permuted file the fold it had before: folds follow labels in file order."""
    deal = splits._dealt

    def dealt(size, folds, stream):
        own = [k for k in np.unique(codes)[::-1] if np.sum(codes == k) == size]
        assert len(own) == 1, "sizes tell the classes apart"
        rank = np.cumsum(codes == own[0]) - 1
        return deal(size, folds, stream)[rank[order[codes[order] == own[0]]]]

    monkeypatch.setattr(splits, "_dealt", dealt)


def file_of(kind, n=96):
    """Labels, columns that depend on the rows, and how to make a report of them."""
    rng = np.random.default_rng(8)
    if kind == "classes":
        truth = np.repeat([0, 1, 2], [50, 30, 16])[rng.permutation(n)]
        # probabilities of 1/64: sums of them are exact in any order
        proba = rng.multinomial(64, [1 / 3] * 3, n) / 128 + np.eye(3)[truth] / 2
        columns = {"first": proba, "second": proba[:, [1, 2, 0]]}
    else:
        truth = (np.arange(n) < 32).astype(int)[rng.permutation(n)]
        columns = {name: np.round(2 * truth + rng.normal(size=n), 1) for name in ("first", "second")}
    columns |= {"amount": np.round(4 * rng.lognormal(4, 1, n)) / 4, "group": rng.integers(0, 3, n)}
    return truth, columns


def page_of(kind, truth, columns):
    scores = {name: columns[name] for name in ("first", "second")}
    if kind == "classes":
        costs = {k: {j: 2 * abs(k - j) for j in range(3)} for k in range(3)}
        report = Report.from_predictions(truth, scores, classes=[0, 1, 2], costs=costs, abstain_cost=0.5)
    elif kind == "amounts":
        costs = CaseCosts(cost_fn=columns["amount"], cost_fp=25, cost_abstain=8)
        report = Report.from_predictions(truth, scores, costs=costs)
    else:
        report = Report.from_predictions(truth, scores, costs=COSTS)
        report = report.with_groups(truth, scores[report.comparison.answer.model], columns["group"])
    return replace(report, made="").to_html()


@pytest.mark.parametrize("kind", ["two classes and groups", "amounts", "classes"])
def test_a_page_does_not_depend_on_the_order_of_the_file_against_a_permuted_one(kind, monkeypatch):
    monkeypatch.setattr(splits, "_MOST_REPEATS", 2)
    truth, columns = file_of(kind)
    page = page_of(kind, truth, columns)
    order = np.random.default_rng(9).permutation(len(truth))
    carried_folds(monkeypatch, truth, order)
    permuted = {name: column[order] for name, column in columns.items()}
    assert page_of(kind, truth[order], permuted) == page


def test_many_cases_stay_out_of_the_page():
    y, s = demur.Binormal(separation=1.0).sample(4100, rng=0)
    assert Report.from_predictions(y, {"one": s}).to_dict()["cases"] is None


def test_identical_models_do_not_differ():
    report = Report.from_predictions(Y, {"one": A, "same": np.exp(A)})
    pair = report.to_dict()["pairs"][0]
    assert pair["volume"] == {"difference": 0, "low": 0, "high": 0, "pvalue": 1, "adjusted_pvalue": 1}
    assert pair["auc"]["pvalue"] == 1
    assert [model.wins for model in report.models] == [0, 0]


def test_wins_of_two_models_against_the_difference_of_their_surfaces(two):
    gap = two.models[0].surface.minus(two.models[1].surface)
    assert two.models[0].wins == pytest.approx(gap.better_area, abs=1e-12)
    assert two.models[1].wins == pytest.approx(gap.worse_area, abs=1e-12)


def test_wins_of_four_models_against_a_grid():
    rng = np.random.default_rng(0)
    models = {f"m{k}": np.round(Y * (0.5 + 0.2 * k) + rng.normal(size=len(Y)), k) for k in range(4)}
    report = Report.from_counts({name: ScoreCounts.from_arrays(Y, s) for name, s in models.items()})
    axis = (np.arange(400) + 0.5) / 400
    costs = np.stack([model.surface.cost(axis[:, None], axis) for model in report.models])
    least = costs.min(axis=0)
    alone = (costs <= least + 1e-12).sum(axis=0) == 1
    shares = [np.mean(alone & (cost <= least + 1e-12)) for cost in costs]
    assert [model.wins for model in report.models] == pytest.approx(shares, abs=0.01)


def test_same_seed_same_bytes_and_rows_of_weight_two_are_repeated_rows(two):
    again = Report.from_predictions(Y, {"good": A, "noisy": B}, costs=COSTS, confidence_level=0.9, seed=7)
    one, other = two.to_dict(), again.to_dict()
    assert {**one, "made": ""} == {**other, "made": ""}
    weights = np.where(np.arange(len(Y)) % 3 == 0, 2, 1)
    weighted = Report.from_predictions(
        Y, {"good": A}, sample_weight=weights, weights="repeats", seed=1
    ).to_dict()
    repeated = Report.from_predictions(np.repeat(Y, weights), {"good": np.repeat(A, weights)}, seed=1)
    expected = repeated.to_dict()["models"]
    assert weighted["models"] == expected


def test_prevalence_reaches_every_number():
    report = Report.from_predictions(Y, {"good": A, "noisy": B}, costs=COSTS, prevalence=0.1)
    assert report.to_dict()["prevalence"] == 0.1
    for model, scores in zip(report.models, (A, B), strict=True):
        assert model.surface.prevalence == 0.1
        assert model.volume.hindsight == pytest.approx(demur.vacc_score(Y, scores, prevalence=0.1))
        assert model.honest.prevalence == 0.1
    assert report.comparison.prevalence == 0.1
    assert report.pairs[0].paired.prevalence == 0.1


# ---------------------------------------------------------------- words


def test_headline_is_the_answer_of_the_comparison(two):
    answer = demur.compare_models(
        Y, {"good": A, "noisy": B}, costs=COSTS, confidence_level=0.9, seed=7
    ).answer
    assert two.headline == two.comparison.answer.words == answer.words
    assert two.to_dict()["comparison"] == json.loads(json.dumps(two.comparison.to_dict()))


def test_headline_by_hand():
    # 100 cases at score 1 are worth a review (share 0.4, between 0.2 and 0.8) whatever the folds:
    # 10 x 0.2 x 100 / 300 = 0.667 per case; sending everyone to a person costs 2. The rule never erred:
    # one more case that costs 10 makes it (200 + 10) / 301 = 0.698
    counts = ScoreCounts.from_counts([0, 1, 2], [0, 40, 100], [100, 60, 0])
    costs = CostModel(cost_fn=10, cost_fp=10, cost_abstain=2)
    report = Report.from_counts({"m": counts}, costs=costs)
    assert report.headline.startswith(
        "Proven. Use m: call positive from 1.5 up, negative up to 0.5, send the rest to a person. Of 1000 "
    )
    assert "334 are called positive, 333 negative, 333 go to a person" in report.headline
    assert (
        "; no positive cases missed, no false alarms. Cost 700 per 1000 cases (95 % interval "
        in report.headline
    )
    assert "It measured 670, but the costliest mistake never occurred; one is added." in report.headline
    assert report.comparison.answer.honest_cost == pytest.approx(2 / 3)
    assert report.comparison.answer.cost == pytest.approx(210 / 301)
    assert report.comparison.answer.versus["trivial"].difference == pytest.approx(210 / 301 - 2)


def test_headline_without_honest_costs():
    report = Report.from_predictions([0, 0, 0, 1], {"m": [1, 2, 3, 4]}, costs=COSTS)
    assert report.headline == (
        "1 positive and 3 negative cases are too few to judge any rule on cases that did not choose it: "
        "collect more before you decide."
    )
    assert report.comparison is None
    assert report.notes[0].startswith("Honest costs are left out: ")


ODD = {
    "no review": (
        CostModel(cost_fn=1, cost_fp=1),
        r"^Proven\. Use good: call positive from [-\d.]+ up, negative below\.",
    ),
    "dear review": (
        CostModel(cost_fn=1, cost_fp=1, cost_abstain=0.6),
        r"^Proven\. Use good: call positive from [-\d.]+ up, negative below\.",
    ),
    "free review": (
        CostModel(cost_fn=1, cost_fp=1, cost_abstain=0),
        r"^Send every case to a person: no model beats this\. Cost 0 per 1000 cases\.",
    ),
    "cheap review": (
        CostModel(cost_fn=1, cost_fp=1, cost_abstain=0.001),
        r"^Send every case to a person: no model beats this\.",
    ),
    "harmless alarms": (
        CostModel(cost_fn=1, cost_fp=0, cost_abstain=0.5),
        r"^Call every case positive: no model beats this\.",
    ),
    "no costs": (None, r"^If a miss costs 1, a false alarm 1 and a review 0\.2: proven\. Use good: call "),
}


@pytest.mark.parametrize("odd", ODD)
def test_odd_prices_have_sentences(odd):
    costs, words = ODD[odd]
    report = Report.from_predictions(Y, {"good": A, "noisy": B}, costs=costs)
    assert re.search(words, report.headline)
    assert report.costs_given == (costs is not None)


def test_odd_data_have_sentences():
    worse = Report.from_predictions(Y, {"upside down": -A})
    assert "upside down ranks worse than chance (AUC " in " ".join(worse.notes)
    assert "Only one model: nothing to compare." in worse.notes
    single = Report.from_predictions([1, 1, 1], {"m": [1, 2, 3], "k": [3, 2, 2]}, pos_label=1)
    assert single.headline.startswith("All cases are positive: thresholds need cases of both classes")
    document = single.to_dict()
    assert document["folds"] is document["comparison"] is None
    assert document["models"][0]["auc"] is document["models"][0]["cost_band"] is None
    assert document["models"][0]["roc"] == {"fpr": [], "tpr": [], "thresholds": []}
    assert document["models"][0]["volume"] == {"hindsight": 0, "honest": None, "low": None, "high": None}
    assert document["pairs"] == []
    tied = Report.from_predictions(Y, {"flat": np.zeros(len(Y)), "good": A}).to_dict()
    assert tied["models"][0]["bins"]["edges"] == [-0.5, 0.5]
    assert len(tied["models"][0]["blocks"]["positives"]) == 1


def test_importance_weights_leave_no_guarantee():
    report = Report.from_predictions(Y, {"good": A, "noisy": B}, sample_weight=np.full(len(Y), 0.5))
    document = report.to_dict()
    assert document["n"] == pytest.approx(300), "equal weights are all 300 cases"
    assert document["bounds"] is None
    assert "Weights are taken as importance weights" in " ".join(report.notes)
    assert "uarantee" not in report.headline


def test_few_cases_use_fewer_folds():
    report = Report.from_predictions([0, 1, 0, 1, 1], {"A": [0.1, 0.4, 0.3, 0.8, 0.7]})
    assert report.comparison.folds == 2
    assert "Honest costs use 2 folds: the smaller class has no more cases." in report.notes


def test_counts_alone_say_that_pairs_are_missing():
    counts = {name: ScoreCounts.from_arrays(Y, s) for name, s in (("good", A), ("noisy", B))}
    report = Report.from_counts(counts, source=DataSource(name="shards"))
    assert report.pairs == ()
    assert any(note.startswith("Differences between models have no intervals") for note in report.notes)
    assert report.to_dict()["source"]["rows"] is None
    honest = demur.cross_fitted_surface(counts["noisy"], rng=0)
    assert report.models[1].honest.cost(0.5, 0.1) == honest.cost(0.5, 0.1)
    assert repr(report) == "Report(shards: 300 cases, models good, noisy)"


# ---------------------------------------------------------------- what is drawn


def test_bins_hold_every_case_and_infinite_scores_lie_apart():
    scores = [-math.inf, -math.inf, 0, 1, 2, 5, math.inf]
    bins = score_bins(ScoreCounts.from_arrays([0, 1, 0, 1, 1, 0, 1], scores))
    assert bins["edges"].tolist() == [-math.inf, 0, 1.25, 2.5, 3.75, 5, math.inf]
    assert bins["positives"].tolist() == [1, 1, 1, 0, 0, 1]
    assert bins["negatives"].tolist() == [1, 1, 0, 0, 1, 0]
    large = np.finfo(float).max
    wide = score_bins(ScoreCounts.from_arrays([0, 1, 1], [-large, 0, large]))
    assert np.isfinite(wide["edges"]).all()
    assert wide["positives"].sum() == 2
    only = score_bins(ScoreCounts.from_arrays([0, 1], [-math.inf, math.inf]))
    assert (only["positives"].sum(), only["negatives"].sum()) == (1, 1)
    assert only["edges"][0] < only["edges"][-1]


def test_bins_against_histogram():
    piled = score_bins(
        ScoreCounts.from_arrays(np.arange(200) % 2, 1 / (1 + np.exp(-np.linspace(-30, 30, 200))))
    )
    assert piled["log_odds"]
    assert np.sum(piled["positives"]) == 100
    # equal steps of log-odds between the ends, which lie at the scores themselves
    odds = np.log(piled["edges"][1:-1] / (1 - piled["edges"][1:-1]))
    assert np.ptp(np.diff(odds)) < 1e-9
    assert piled["edges"][0] == 1 / (1 + np.exp(30.0))
    bins = score_bins(ScoreCounts.from_arrays(Y, A))
    assert not bins["log_odds"]
    assert len(bins["positives"]) <= 60
    found, _ = np.histogram(A[Y == 1], bins["edges"])
    assert bins["positives"].tolist() == found.tolist()


def test_roc_points_are_points_of_the_curve():
    y, s = demur.Binormal().sample(5000, rng=0)
    counts = ScoreCounts.from_arrays(y, s)
    curve, points = demur.roc_curve(counts), roc_points(counts)
    assert 150 <= len(points["fpr"]) <= 200
    at = np.searchsorted(-curve.thresholds, -points["thresholds"])
    assert curve.fpr[at].tolist() == points["fpr"].tolist()
    assert curve.tpr[at].tolist() == points["tpr"].tolist()
    assert (points["fpr"][0], points["tpr"][0], points["fpr"][-1], points["tpr"][-1]) == (0, 0, 1, 1)
    steps = np.diff(points["fpr"]) + np.diff(points["tpr"])
    assert steps.max() < 0.02


# ---------------------------------------------------------------- JSON and the page


def test_json_is_valid_and_versioned(two):
    document = json.loads(two.to_json(), parse_constant=pytest.fail)
    assert (document["schema"], document["version"]) == ("demur.report", 5)
    assert list(document) == [
        "schema",
        "version",
        "software",
        "made",
        "source",
        "n",
        "n_positive",
        "n_negative",
        "confidence_level",
        "folds",
        "repeats",
        "seed",
        "costs",
        "costs_given",
        "prevalence",
        "headline",
        "notes",
        "design",
        "comparison",
        "bounds",
        "cases",
        "inference",
        "amounts",
        "groups",
        "models",
        "pairs",
    ]
    assert list(document["models"][0]) == [
        "name",
        "digest",
        "blocks",
        "cuts",
        "bins",
        "roc",
        "folds",
        "auc",
        "volume",
        "wins",
        "cost_band",
        "evidence",
    ]
    given = {"cost_fn": 10, "cost_fp": 5, "cost_abstain": 1, "cost_tp": 0, "cost_tn": 0}
    none = dict.fromkeys(("cost_abstain_positive", "cost_abstain_negative", "reviewer"))
    assert document["costs"] == given | none
    assert '"cost_fn":10,' in two.to_json()
    assert document == json.loads(json.dumps(two.to_dict()))


def test_evidence_is_that_of_the_public_functions():
    rng = np.random.default_rng(3)
    y = rng.random(400) < 0.3
    probability = 1 / (1 + np.exp(-(rng.normal(size=400) + 2 * y - 1.5)))
    report = demur.Report.from_predictions(y, {"p": probability, "odds": np.log(probability)})
    found = report.to_dict()["models"][0]["evidence"]
    assert found["average_precision"] == demur.precision_recall_curve(y, probability).average_precision
    curve = demur.calibration.reliability_curve(y, probability)
    assert found["calibration"]["brier"] == curve.brier
    band = curve.consistency_band(n_resamples=99, rng=0)
    assert found["calibration"]["pvalue"] == band.pvalue
    assert found["calibration"]["band"]["low"][-1] == pytest.approx(band.low[-1], rel=1e-4)
    benefit = demur.net_benefit_curve(y, probability, weights="repeats")
    t = np.array(found["net_benefit"]["threshold"])
    assert found["net_benefit"]["value"] == pytest.approx(benefit.net_benefit(t), rel=1e-4, abs=1e-9)
    assert found["net_benefit"]["high"] == pytest.approx(benefit.interval(t).high, rel=1e-4)
    right = np.where(probability >= 0.5, y, ~y)
    risk = demur.risk_coverage_curve(1 - right, np.maximum(probability, 1 - probability))
    assert found["risk_coverage"]["aurc"] == pytest.approx(risk.aurc, rel=1e-9)
    assert found["risk_coverage"]["risk"][-1] == pytest.approx(1 - right.mean(), rel=1e-4)
    other = report.to_dict()["models"][1]["evidence"]
    assert [other[name] for name in ("calibration", "net_benefit", "risk_coverage")] == [None] * 3
    weighted = demur.Report.from_predictions(y, {"p": probability}, sample_weight=rng.uniform(1, 2, 400))
    found = weighted.to_dict()["models"][0]["evidence"]
    assert found["calibration"]["band"] is None, "whole cases only"


def test_the_rule_by_group_is_judged_as_a_policy(two):
    groups = np.where(np.arange(len(Y)) % 3 == 0, "north", "south")
    answer = two.comparison.answer
    scores = {model.name: column for model, column in zip(two.models, (A, B), strict=True)}[answer.model]
    policy = demur.Policy.from_answer(answer)
    level = two.confidence_level
    judged = demur.monitoring.judge_policy(policy, scores, Y, groups=groups, confidence_level=level)
    found = two.with_groups(Y, scores, groups).to_dict()["groups"]
    assert [group["name"] for group in found["groups"]] == ["north", "south"]
    assert found["groups"] == [group.to_dict() for group in judged.groups]
    assert (found["model"], found["overall"]["cost"]) == (answer.model, judged.overall.cost)
    assert found["hindsight"], "these cases chose the rule"
    later = np.arange(len(Y))[::-1]
    assert not two.with_groups(Y[later], scores[later] + 0.01, groups).to_dict()["groups"]["hindsight"]
    alone = demur.Report.from_predictions([0, 0, 0, 1], {"a": [1, 2, 3, 4]})
    with pytest.raises(demur.exceptions.InputError, match="needs the rule of a model"):
        alone.with_groups([0, 0, 0, 1], [1, 2, 3, 4], ["x", "x", "y", "y"])


class _Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.texts, self.inside = [], {}, None

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.inside = dict(attrs).get("id") or tag
        if tag == "meta" and "http-equiv" in dict(attrs):
            self.texts["policy"] = dict(attrs)["content"]

    def handle_data(self, data):
        self.texts[self.inside] = self.texts.get(self.inside, "") + data

    def handle_endtag(self, tag):
        self.inside = None


def unpacked(value):
    """Read a packed column by the definition of its format."""
    if set(value) == {"$f"}:
        column = np.frombuffer(base64.b64decode(value["$f"]), "<f8").tolist()
        return [{math.inf: "inf", -math.inf: "-inf"}.get(one, None if one != one else one) for one in column]
    if set(value) not in ({"$u"}, {"$d"}):
        return value
    (kind, text), *_ = value.items()
    found, number, place = [], 0, 0
    for byte in base64.b64decode(text):
        number += (byte & 127) << place
        place += 7
        if byte < 128:
            found.append(number)
            number = place = 0
    return found if kind == "$u" else np.cumsum(found).tolist()


PLAIN = ["html", "head", "meta", "meta", "meta", "meta", "meta", "title", "style", "body", "main", "h1", "p"]


def test_page_keeps_names_as_text_and_data_whole(tmp_path):
    names = [HOSTILE, "x" * 10_000, "]]></script><!-- \u2028 & \" ' {{data}} \\u003c"]
    models = {name: A + k for k, name in enumerate(names)}
    report = Report.from_predictions(Y, models, costs=COSTS, source=DataSource(name=HOSTILE))
    path = tmp_path / "report.html"
    text = report.to_html(path)
    assert path.read_text(encoding="utf-8") == text
    parsed = _Tags()
    parsed.feed(text)
    assert parsed.tags == [*PLAIN, "noscript", "p", "script", "script"]
    assert parsed.texts["title"] == f"demur: {HOSTILE}"
    assert parsed.texts["demur-headline"] == report.headline
    data = json.loads(parsed.texts["demur-data"], object_hook=unpacked)
    assert data == json.loads(report.to_json())
    assert "\u2028" not in parsed.texts["demur-data"]
    assert '<main id="demur-app" class="page">' in text, "margins do not wait for the script"


def test_page_allows_its_own_script_and_style_only(two):
    parsed = _Tags()
    parsed.feed(two.to_html())

    def digest(text):
        return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    assert parsed.texts["policy"] == (
        f"default-src 'none'; script-src 'sha256-{digest(parsed.texts['script'])}'; "
        f"style-src 'sha256-{digest(parsed.texts['style'])}'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def test_notebooks_get_a_sandboxed_frame(two):
    framed = two._repr_html_()
    parsed = _Tags()
    parsed.feed(framed)
    assert parsed.tags == ["iframe"]
    assert framed.startswith('<iframe sandbox="allow-scripts" srcdoc="')
    assert "allow-same-origin" not in framed


def test_page_of_a_million_cases_fits(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.random(10**6) < 0.3
    models = {f"m{k}": (2 - 0.4 * k) * y + rng.normal(size=len(y)) for k in range(3)}
    report = Report.from_predictions(y, models, costs=COSTS)
    assert len(report.to_json().encode()) <= 440_000
    assert len(report.to_html().encode()) <= 600_000


def test_frame_has_one_entry_per_model(two):
    frame = two.to_frame()
    assert frame["model"] == ["good", "noisy"]
    assert {len(column) for column in frame.values()} == {2}
    surface = demur.abstention_surface(Y, B)
    window = written_window(surface.window(costs=COSTS), surface.counts)
    assert (frame["lower"][1], frame["upper"][1]) == (window.lower, window.upper)
    assert frame["hindsight_cost"][1] == pytest.approx(window.expected_cost)
    one = Report.from_predictions([1, 0], {"m": [0.2, 0.1]}).to_frame()
    assert math.isnan(one["vacc"][0])
    assert math.isnan(one["cost_low"][0])


# ---------------------------------------------------------------- errors


def counts_of(n):
    return ScoreCounts.from_counts([0, 1], [0, n], [n, 0])


ERRORS = [
    (lambda: Report.from_predictions(Y, {}), "`scores` must be a non-empty mapping"),
    (lambda: Report.from_predictions(Y, A), "`scores` must be a non-empty mapping"),
    (lambda: Report.from_predictions(Y, {1: A, "1": B}), "`scores` must have names that differ as text"),
    (lambda: Report.from_predictions(Y, {"m": A[:9]}), "same length"),
    (lambda: Report.from_predictions(Y, {"m": np.full(len(Y), np.nan)}), "scores of m"),
    (lambda: Report.from_predictions(Y, {"m": A}, seed=-1), "`seed`"),
    (lambda: Report.from_predictions(Y, {"m": A}, confidence_level=2), "`confidence_level`"),
    (lambda: Report.from_predictions(Y, {"m": A}, prevalence=2), "`prevalence`"),
    (lambda: Report.from_predictions(Y, {"m": A}, costs=(1, 1)), "`costs` must be a CostModel"),
    (
        lambda: Report.from_predictions(Y, {"m": A}, costs=CostModel(cost_abstain=-1)),
        "`costs` must not reward abstaining",
    ),
    (
        lambda: Report.from_predictions(
            Y, {"m": A}, costs=CostModel(cost_abstain=-1, cost_tp=-2, cost_tn=-2)
        ),
        "`cost_abstain` must not be negative in a report",
    ),
    (lambda: Report.from_predictions(Y, {"m": A}, source="x.csv"), "`source` must be a DataSource"),
    (lambda: Report.from_counts({"a": counts_of(3), "b": counts_of(4)}), "must be of the same cases"),
    (lambda: Report.from_counts({}), "`counts` must be a non-empty mapping"),
]


@pytest.mark.parametrize(("make", "sentence"), ERRORS, ids=[sentence for _, sentence in ERRORS])
def test_error_sentences(make, sentence):
    with pytest.raises(InputError) as caught:
        make()
    assert sentence in str(caught.value)


def test_unwritable_path_leaves_no_file(two, tmp_path):
    with pytest.raises(InputError, match="cannot be written"):
        two.to_html(tmp_path / "missing" / "report.html")
    assert list(tmp_path.iterdir()) == []
