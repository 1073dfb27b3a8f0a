"""Clusters and times in a report: the answer of Python; a page of counts measures without intervals."""

import json

import numpy as np
import pytest

import page_reports
from demur import CaseCosts, CostMatrix, CostModel, InputError, Policy, Report, compare_models
from demur.comparison.problem import Limits
from demur.costs.case_costs import CaseFactors
from demur.report import Dossier, cases
from demur.report.class_page import class_choice_at, holds_rows
from measured import cheapest_measured, measured_cost, measured_facts, measured_words
from page_reports import COSTS, STAGE_COSTS, STAGES, belonging, days, drifting, named, report, stages, three
from page_script import ask, needs_node, page_costs

ASIDE = ("software", "made", "source", "headline", "notes")
OTHERS = [
    CostModel(cost_fn=100, cost_fp=40, cost_abstain=5),
    CostModel(cost_fn=20, cost_fp=60, cost_abstain=9),
    CostModel(cost_fn=3, cost_fp=1),
]


@pytest.fixture
def counted(monkeypatch):
    """Make reports whose pages list no cases."""
    monkeypatch.setattr(cases, "_MOST_CASES", 0)
    return lambda name: getattr(page_reports, name)()


@pytest.fixture(scope="module")
def documents():
    return {name: named(name).to_dict() for name in ("clustered", "timed")}


# ---------------------------------------------------------------- what a report holds


def test_the_answer_is_that_of_compare_models():
    y, scores, person = belonging(240)
    found = compare_models(y, scores, costs=COSTS, groups=person, class_names=("negative", "positive"))
    assert named("clustered").comparison.to_dict() == found.to_dict()
    made = named("timed").comparison
    assert made.by_block is not None
    assert made.to_dict() == compare_models(*drifting(800), costs=COSTS, time=days(800)).to_dict()


def test_design_says_what_intervals_count(documents):
    size = named("clustered").comparison.answer.cluster_size
    assert documents["clustered"]["design"] == {"clusters": 60, "cluster_size": size, "period": None}
    blocks = named("timed").comparison.by_block
    period = [blocks[0].start, blocks[-1].end]
    assert documents["timed"]["design"] == {"clusters": None, "cluster_size": None, "period": period}
    assert period[1] == str(days(800)[-1])
    assert named("ordinary").to_dict()["design"] is None


def test_groups_of_one_case_each_are_no_groups():
    y, scores = three(300)
    apart, plain = (report(y, scores, groups=groups).to_dict() for groups in (np.arange(300), None))
    for one in (apart, plain):
        one.pop("made")
    assert apart == plain


@pytest.mark.parametrize("name", ["clustered", "timed"])
def test_nothing_that_takes_independent_cases_is_promised(documents, name):
    document = documents[name]
    assert document["bounds"] is None
    for model in document["models"]:
        assert model["cost_band"] is None
        benefit, calibration = model["evidence"]["net_benefit"], model["evidence"]["calibration"]
        assert benefit is None or benefit["low"] is benefit["high"] is None
        assert calibration is None or calibration["band"] is None
    assert documents["clustered"]["models"][0]["evidence"]["net_benefit"]["value"]
    assert named("ordinary").to_dict()["models"][0]["cost_band"] is not None


def test_tests_of_pairs_count_clusters():
    made = named("clustered")
    (pair,), (expected,) = made.pairs, made.comparison.pairs()
    for test in ("auc", "volume"):
        assert getattr(pair, test).pvalue == getattr(expected, test).pvalue


def test_no_cluster_is_torn_apart_and_none_is_named(documents):
    _, scores, person = belonging(240)
    listed = documents["clustered"]["cases"]
    owner = dict(zip(scores["forest"].tolist(), person.tolist(), strict=True))
    owners = [owner[score] for score in listed["scores"][0]]
    for folds in (*listed["folds"], listed["clusters"]):
        assert len(set(zip(owners, folds, strict=True))) == 60
    # numbered in the order in which they come, whatever their names
    assert list(dict.fromkeys(listed["clusters"])) == list(range(60))
    assert "person-" not in json.dumps(documents["clustered"])


def test_cases_with_times_are_in_their_blocks(documents):
    _, scores = drifting(800)
    listed, blocks = documents["timed"]["cases"], named("timed").comparison.by_block
    assert (listed["forward"], listed["first"], len(listed["folds"])) == (True, blocks[0].block - 1, 1)
    day = dict(zip(scores["forest"].tolist(), days(800).astype(str).tolist(), strict=True))
    dated = np.array([day[score] for score in listed["scores"][0]])
    block = np.array(list(listed["folds"][0]), dtype=int)
    for one in blocks:
        own = dated[block == one.block - 1]
        assert (min(own), max(own), len(own)) == (one.start, one.end, one.n)
    assert max(dated[block < listed["first"]]) < blocks[0].start


def test_wrong_clusters_and_times_are_refused():
    y, scores = three(60)
    with pytest.raises(InputError, match="`y_true` and `groups` must have the same length, got 60 and 59"):
        report(y, scores, groups=np.arange(59))
    with pytest.raises(InputError, match="`time` must leave at least two cases of each class"):
        report(y, scores, time=np.zeros(60))
    with pytest.raises(InputError, match="at least two clusters of each class"):
        report(y, scores, groups=y)
    with pytest.raises(InputError, match="`objective` must not ask for a guarantee beside groups"):
        report(y, scores, groups=np.arange(60) // 2, objective="guaranteed")
    made = named("clustered")
    y, scores, _ = belonging(240)
    with pytest.raises(InputError, match="`with_groups` takes cases as independent"):
        made.with_groups(y, scores[made.comparison.answer.model], np.arange(240) % 2)


def test_a_dossier_says_what_was_counted_and_judged():
    text = Dossier.of(named("clustered")).markdown
    assert "- Intervals count 60 clusters: person" in text
    assert "- Clusters are independent of each other" in text
    assert "block of time" not in text
    made, text = named("timed"), Dossier.of(named("timed")).markdown
    assert "Every rule was chosen on the past and scored on the block of time that follows." in text
    for one in made.comparison.by_block:
        assert f"| {one.block} | {one.start} to {one.end} | {one.n:g} | " in text


# ---------------------------------------------------------------- what the page says


def asked(made, points=()):
    """Ask the page at the costs of the report and at others."""
    costs = [page_costs(made.costs), *map(page_costs, points)]
    state = dict.fromkeys(("positive", "negative", "unit"), "")
    state |= dict.fromkeys(("prevalence", "model", "ranges", "capacity", "today", "compare", "yearly"))
    state |= {"costs": costs[0], "colour": "cost", "theme": "system"}
    about = {"report": made.to_json(), "prevalence": None}
    first, others = ask(
        [
            {**about, "kind": "page", "costs": costs[0], "capacity": None, "state": state},
            {**about, "kind": "answer", "points": costs},
        ]
    )
    return first, others


@needs_node
@pytest.mark.parametrize("name", ["clustered", "timed"])
def test_at_its_costs_the_page_says_the_answer_of_python(name):
    made = named(name)
    page, (own, *_) = asked(made)
    assert page["headline"] == own["words"] == made.headline
    facts = made.comparison.answer.to_dict()["facts"]
    assert own["facts"]["interval"] == facts["interval"]
    assert own["facts"]["versus"] == facts["versus"]
    policy, own_policy = (
        Policy.from_dict(json.loads(page["policy"])),
        Policy.from_answer(made.comparison.answer),
    )
    assert policy.evidence.to_dict() == own_policy.evidence.to_dict()
    promised, expected = (one.to_dict()["promise"] for one in (policy, own_policy))
    assert promised == pytest.approx(expected, abs=1e-12)
    column = {"clustered": "--cluster person", "timed": "--time day"}[name]
    assert f" {column} " in page["command"]
    assert {"clustered": "groups=groups", "timed": "time=time"}[name] in page["python"]


@needs_node
@pytest.mark.parametrize("name", ["clustered", "timed"])
def test_elsewhere_a_page_of_cases_says_what_python_says(name):
    made = named(name)
    _, (_, *said) = asked(made, OTHERS)
    y, scores, person = belonging(240) if name == "clustered" else (*drifting(800), None)
    time = days(800) if name == "timed" else None
    for costs, page in zip(OTHERS, said, strict=True):
        answer = compare_models(y, scores, costs=costs, groups=person, time=time).answer
        assert page["words"] == answer.words
        assert page["facts"]["interval"] == pytest.approx(list(answer.interval), rel=1e-9)
    assert not any("without intervals" in note for note in made.notes)


@needs_node
@pytest.mark.parametrize("name", ["clustered", "timed"])
def test_elsewhere_a_page_of_counts_measures_without_intervals_against_oracle(name, counted):
    made = counted(name)
    document = made.to_dict()
    assert any("without intervals" in note for note in made.notes)
    assert (document["cases"], document["inference"]["quantile"]) == (None, None)
    _, (_, *said) = asked(made, OTHERS)
    # without times a comparison splits the same cases at random
    y, scores, person = belonging(240) if name == "clustered" else (*drifting(800), None)
    chosen = set()
    for costs, page in zip(OTHERS, said, strict=True):
        facts = measured_facts(compare_models(y, scores, costs=costs, groups=person).choice)
        chosen.add(facts["model"])
        for part in ("cost", "missed", "alarms", "abstained", "lower", "upper"):
            assert page["facts"][part] == pytest.approx(facts[part], rel=1e-9, abs=1e-12), part
        if facts["model"] is not None:
            assert page["facts"]["interval"] == [None, None], "NaN in JSON"
            assert page["facts"]["guaranteed_cost"] is None
        assert "Measured cost" in page["words"]
        for word in ("95 %", "NaN", "prove", "uarantee", "verdict"):
            assert word not in page["words"]
        assert (
            page["words"].partition("Measured cost")[0] == measured_words(facts).partition("Measured cost")[0]
        )
    assert chosen > {None} or None not in chosen, "some point has a model"


def test_fold_tables_of_times_are_those_of_a_shuffled_split(counted):
    shuffled, timed = report(*drifting(800)).to_dict(), counted("timed").to_dict()
    for part in ("folds", "repeats", "cases", "pairs"):
        assert timed[part] == shuffled[part]
    for one, two in zip(timed["models"], shuffled["models"], strict=True):
        assert len(one["folds"]) == 100
        assert one["folds"] == two["folds"]


@needs_node
def test_amounts_and_limits_follow_clusters_and_times_against_python():
    y, scores, person = belonging(240)
    amount = np.random.default_rng(6).lognormal(4, 1, 240)
    costs = CaseCosts(cost_fn=amount, cost_fp=25, cost_abstain=8, columns={"cost_fn": "amount"})
    design = {"groups": person, "time": days(240)}
    made = report(y, scores, costs=costs, **design, limits=Limits(max_abstention=0.3))
    assert made.to_dict()["design"]["clusters"] == made.comparison.units
    points = [{"fn": 1, "fp": 1, "abstain": 1}, {"fn": 1, "fp": 1, "abstain": 0.5}]
    question = {"kind": "answer", "report": made.to_json(), "prevalence": None, "points": points}
    own, other = ask([question])[0]
    assert own["words"] == f"{made.headline} {made.comparison.answer.condition}"
    cheaper = costs.at(CaseFactors(1, 1, 0.5))
    expected = compare_models(y, scores, costs=cheaper, **design, max_abstention=0.3).answer
    assert other["words"] == f"{expected.words} {expected.condition}"


# ---------------------------------------------------------------- many classes


def many(**design):
    truth, proba = stages(300, seed=5)
    return Report.from_predictions(
        np.array(STAGES)[truth], proba, classes=STAGES, costs=STAGE_COSTS, abstain_cost=0.5, **design
    )


@needs_node
@pytest.mark.parametrize(
    "design", [{"groups": np.arange(300) // 2}, {"time": days(300)}], ids=["clusters", "times"]
)
def test_many_classes_measure_what_was_judged_against_oracle(design):
    made = many(**design)
    document = made.to_dict()
    assert document["design"] is not None
    judged = 300 if "groups" in design else sum(one.n for one in made.comparison.by_block)
    assert sum(document["judged_sizes"]) == judged
    assert document["class_sizes"] == made.comparison.class_sizes.tolist()
    own = made.comparison.problem.costs.mean
    points = [(own.answers, 0.7 * own.abstain), (2 * own.answers + np.eye(3), 3 * own.abstain)]
    prices = [{"costs": costs, "abstain": abstain} for costs, abstain in points]
    said = ask([{"kind": "classes", "report": made.to_json(), "points": prices}])[0]
    for (costs, abstain), page in zip(points, said, strict=True):
        matrix = CostMatrix(values=costs, classes=STAGES)
        asked_for = type(made.comparison.problem.costs).of(matrix, abstain, STAGES)
        by_case = holds_rows(made.comparison.choice)
        choice = class_choice_at(made.levels, asked_for.mean, by_case=by_case)
        best = cheapest_measured(choice)
        assert page["kind"] == best.kind
        assert page["cost"] == pytest.approx(measured_cost(best, choice.problem).cost, rel=1e-9)
        assert page["interval"] == [None, None]
        words = " ".join(page["words"])
        assert "95 %" not in words
        assert "NaN" not in words
        policy = Policy.from_dict(json.loads(page["policy"]))
        assert policy.expected_limit is None
        expected = Policy.from_answer(made.answer_at(matrix, abstain_cost=abstain))
        if expected.chosen == policy.chosen:
            assert policy.evidence.to_dict() == expected.evidence.to_dict()
            np.testing.assert_allclose(policy.shares, expected.shares, rtol=1e-9)


# ---------------------------------------------------------------- in a browser


def test_blocks_of_time_are_a_table_of_the_page(open_page):
    made, page = named("timed"), open_page("timed")
    rows = page.open_tab("blocks").locator("tbody tr")
    blocks = made.comparison.by_block
    assert rows.count() == len(blocks)
    first = [text.strip() for text in rows.first.locator("th, td").all_text_contents()]
    period = f"{blocks[0].start} to {blocks[0].end}"
    assert [first[0], *first[4:]] == [str(blocks[0].block), period, f"{blocks[0].n:g}"]
    assert "a shuffled split measures" in page.text("blocks-said")
    facts = page.page.locator(".facts").text_content()
    assert f"judged from {blocks[0].start} to {blocks[-1].end}" in facts
    judged = sum(one.n for one in blocks)
    confusion = page.open_tab("confusion")
    assert confusion.locator(".about").text_content().startswith(f"{made.comparison.answer.model}: ")
    assert confusion.locator(".tally").last.text_content() == f"{judged:g}"
    assert open_page("ordinary").panel("blocks").count() == 0


def test_clusters_are_named_at_the_top_and_in_the_footer(open_page):
    page = open_page("clustered")
    assert "intervals count 60 clusters" in page.page.locator(".facts").text_content()
    assert "which of them belong together" in page.text("embedded")
    assert page.panel("cost-curve").count() == 1
    y, scores, person = belonging(240)
    page.fill("cost-abstain", 5)
    page.until("document.querySelector('[data-role=decision]').textContent.startsWith('Unproven')")
    assert page.headline == compare_models(y, scores, costs=OTHERS[0], groups=person).answer.words
    page.fill("today-upper", 0.5)
    page.open_tab("compare")
    for text in (page.text("today-words"), page.text("compare-here"), page.open_tab("models").text_content()):
        assert "NaN" not in text
