"""Policies: files that come back the same, windows that need no data, and one sentence per refusal."""

import copy
import dataclasses
import json
import math
import os
import stat

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from demur import (
    ABSTAIN,
    CostModel,
    InputError,
    Policy,
    Precision,
    ScoreCounts,
    UndefinedError,
    abstention_surface,
    cheapest_window,
    decide,
)
from demur.policy import PolicyEvidence, Promise
from demur.policy.evidence import counts_of_blocks
from demur.windows import Window, deterministic_window, widest_coverage_window
from examples import examples
from oracles import scored_data

# the worked example of the specification: 5 distinct scores, 6 positives, 6 negatives
Y = [0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1]
S = [-0.9, -0.9, -0.5, -0.5, 0, 0, 0, 0.4, 0.4, 0.4, 0.8, 0.8]
COUNTS = ScoreCounts.from_arrays(Y, S)
COSTS = CostModel(cost_fn=100, cost_fp=100, cost_abstain=25)
INF = math.inf


def worked_example(**kwargs):
    return Policy.from_surface(abstention_surface(COUNTS), costs=COSTS, **kwargs)


def promised_example():
    promise = Promise(cost=100 / 6, limit=20, abstention_rate=2 / 3, fn=0, fp=0)
    return dataclasses.replace(worked_example(), promise=promise)


def reloaded(policy, folder):
    policy.save(folder / "p.json")
    return Policy.load(folder / "p.json")


def decided_one_by_one(score, lower, upper):
    """The rule of `decide` for one score."""
    if upper != INF and score >= upper:
        return 1
    return 0 if lower != -INF and score <= lower else ABSTAIN


# ---------------------------------------------------------------- by hand


def test_policy_of_the_worked_example_by_hand():
    policy = worked_example(model="good")
    assert (policy.lower, policy.upper) == pytest.approx((-0.7, 0.6))
    assert policy.abstention_rate == pytest.approx(2 / 3)
    # the same cases chose and measured
    assert (policy.promise, policy.expected_cost, policy.fn) == (None, None, None)
    assert (policy.evidence.n, policy.evidence.prevalence, policy.prevalence) == (12, 0.5, 0.5)
    assert policy.decide([-0.9, 0, 0.8]).tolist() == [0, ABSTAIN, 1]
    assert policy.apply([-0.9, 0, 0.8]).tolist() == [0, -1, 1]


def test_labels_of_any_kind():
    words = worked_example(pos_label="ill", neg_label="well", abstain_label="send to a person")
    assert words.apply([-1, 0, 1]).tolist() == ["well", "send to a person", "ill"]
    signs = worked_example(pos_label=np.int64(1), neg_label=-1, abstain_label=0)
    assert signs.apply([-1, 0, 1]).tolist() == [-1, 0, 1]
    assert isinstance(signs.to_dict()["classes"][1], int)
    assert worked_example(abstain_label=0.5).apply([-1, 0, 1]).tolist() == [0, 0.5, 1]
    swapped = worked_example(pos_label=0, neg_label=1)
    assert swapped.apply([-1, 0, 1]).tolist() == [1, -1, 0]


def test_other_costs_and_prevalence_by_hand():
    policy = worked_example()
    # mu = 1/2: the third block (2 of 3 positive) is now cheaper called positive
    half = policy.at(costs=CostModel(cost_fn=2, cost_fp=1, cost_abstain=0.5))
    assert (half.lower, half.upper, half.abstention_rate) == pytest.approx((-0.7, 0.2, 5 / 12))
    rare = policy.at(prevalence=0.2)
    # shares of positives 0, 1/7, 1/3, 1 against 1/4 and 3/4: the third block, (0.2 * 2 + 0.8 * 1) / 6 of all
    assert (rare.lower, rare.upper, rare.abstention_rate) == pytest.approx((0.2, 0.6, 1 / 5))
    assert (rare.prevalence, rare.evidence.prevalence) == (0.2, 0.5)
    assert policy.prevalence == 0.5, "the policy itself stays as it is"


# ---------------------------------------------------------------- against a fresh surface


@given(
    scored_data(both_classes=True),
    st.floats(0, 3),
    st.floats(0, 1.5),
    st.floats(0, 1.5),
    st.sampled_from([None, 0.0, 0.1, 0.5, 1.0]),
)
@settings(max_examples=examples(150), deadline=None)
def test_at_against_a_fresh_surface(data, mu, nu_positive, nu_negative, prevalence):
    y, s, w = data
    counts = ScoreCounts.from_arrays(y, s, sample_weight=w)
    policy = Policy.from_surface(abstention_surface(counts), costs=COSTS)
    costs = CostModel(
        cost_fn=2,
        cost_fp=2 * mu,
        cost_abstain_positive=2 * nu_positive,
        cost_abstain_negative=2 * nu_negative,
    )
    found = Policy.from_dict(policy.to_dict()).at(costs=costs, prevalence=prevalence)
    fresh = Policy.from_surface(abstention_surface(counts, prevalence=prevalence), costs=costs)
    assert found.to_dict() == fresh.to_dict()


@given(scored_data())
@settings(max_examples=examples(150), deadline=None)
def test_blocks_come_back_from_two_scores_each(data):
    y, s, w = data
    blocks = ScoreCounts.from_arrays(y, s, sample_weight=w).blocks()
    again = counts_of_blocks(blocks).blocks()
    for name in ("positives", "negatives", "lower", "upper"):
        assert np.array_equal(getattr(blocks, name), getattr(again, name))


def test_infinite_scores_survive_the_blocks():
    y, s = [0, 1, 0, 1, 1], [-INF, -INF, 3.0, INF, INF]
    policy = Policy.from_surface(abstention_surface(y, s), costs=COSTS)
    assert policy.to_dict()["evidence"]["blocks"]["lower"][0] == "-inf"
    costs = CostModel(cost_fn=3, cost_fp=1)
    fresh = Policy.from_surface(abstention_surface(y, s), costs=costs)
    assert Policy.from_dict(policy.to_dict()).at(costs=costs).to_dict() == fresh.to_dict()


def test_evidence_gives_the_whole_surface_back():
    surface = worked_example().evidence.surface(prevalence=0.2)
    assert surface.volume() == pytest.approx(94 / 945, abs=1e-15)


def test_a_reward_for_abstaining():
    policy = worked_example()
    same = CostModel(cost_fn=1, cost_fp=1, cost_abstain=-0.1)
    assert policy.at(costs=same).abstention_rate == pytest.approx(1)
    by_class = CostModel(cost_fn=1, cost_fp=0.1, cost_abstain_positive=-0.5, cost_abstain_negative=0.4)
    with pytest.raises(UndefinedError, match="may cut a block"):
        policy.at(costs=by_class)
    # inside the band the blocks still tell the window
    mild = CostModel(cost_fn=1, cost_fp=1, cost_abstain_positive=-0.1, cost_abstain_negative=0.3)
    fresh = Policy.from_surface(abstention_surface(COUNTS), costs=mild)
    assert policy.at(costs=mild).to_dict() == fresh.to_dict()


# ---------------------------------------------------------------- files


@given(scored_data(both_classes=True), st.floats(0.01, 3), st.floats(0, 0.7))
@settings(max_examples=examples(60), deadline=None)
def test_round_trip_gives_the_same_decisions(data, mu, nu):
    y, s, w = data
    surface = abstention_surface(y, s, sample_weight=w)
    costs = CostModel(cost_fp=mu, cost_abstain=nu)
    policy = Policy.from_surface(surface, costs=costs, pos_label="p", neg_label="n", abstain_label="a")
    again = Policy.from_dict(json.loads(policy.to_json()))
    assert again.to_dict() == policy.to_dict()
    codes = decide(s, surface.window(costs=costs)).tolist()
    assert again.decide(s).tolist() == codes
    assert again.apply(s).tolist() == [{1: "p", 0: "n", ABSTAIN: "a"}[code] for code in codes]


@pytest.mark.parametrize(
    ("costs", "thresholds", "code"),
    [
        (CostModel(cost_fn=1, cost_fp=0), (-INF, -INF), 1),
        (CostModel(cost_fn=1, cost_fp=1, cost_abstain=0), (-INF, INF), ABSTAIN),
        (CostModel(cost_fn=1, cost_fp=1000), (INF, INF), 0),
    ],
)
def test_infinite_thresholds_come_back(tmp_path, costs, thresholds, code):
    # two blocks with 1 and 2 of 3 positive: at these costs every case is treated alike
    surface = abstention_surface([0, 0, 1, 0, 1, 1], [1, 1, 1, 2, 2, 2])
    policy = reloaded(Policy.from_surface(surface, costs=costs), tmp_path)
    assert (policy.lower, policy.upper) == thresholds
    assert policy.decide([-INF, -5, 1.5, 5, INF]).tolist() == [code] * 5
    written = json.loads((tmp_path / "p.json").read_text())["rule"]
    assert written == {"kind": "window", "lower": str(thresholds[0]), "upper": str(thresholds[1])}


def edited(policy, old, new):
    text = policy.to_json()
    assert text.count(old) == 1
    return text.replace(old, new)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"lower": -0.7,', '"lower": -0.4,', "`digest` must be that of the content, got another one"),
        ('"cost": 16.6', '"cost": 6.6', "`digest` must be that of the content"),
        ('"note": ""', '"note": "fine"', "`digest` must be that of the content"),
        ('"note": ""', '"note": "", "note": "fine"', "`note` is given twice"),
    ],
)
def test_edited_policies_are_refused(tmp_path, old, new, message):
    text = edited(promised_example(), old, new)
    (tmp_path / "p.json").write_text(text)
    with pytest.raises(InputError, match=f"is not a policy to trust: {message}"):
        Policy.load(tmp_path / "p.json")


@pytest.mark.parametrize("where", ["", "rule", "evidence"])
def test_unknown_fields_are_refused(where):
    data = worked_example().to_dict()
    (data[where] if where else data)["limit"] = 3
    name = f"{where}.limit" if where else "limit"
    with pytest.raises(InputError, match=f"`{name}` must be a field of a policy, got an unknown one"):
        Policy.from_dict(data)


def test_layout_order_and_spelling_of_numbers_are_free(tmp_path):
    policy = worked_example()
    data = json.loads(policy.to_json())
    whole = {**data["costs"], "cost_fn": int(data["costs"]["cost_fn"])}
    moved = dict(reversed({**data, "costs": whole}.items()))
    (tmp_path / "p.json").write_text(json.dumps(moved, indent=4))
    assert Policy.load(tmp_path / "p.json").to_dict() == policy.to_dict()


def test_policies_without_a_digest_are_read(tmp_path):
    policy = worked_example()
    (tmp_path / "p.json").write_text(json.dumps(policy.to_dict()))
    found = Policy.load(tmp_path / "p.json")
    assert found.to_dict() == policy.to_dict()
    assert found.unsigned
    assert not reloaded(policy, tmp_path).unsigned


def test_file_is_plain_json_with_its_fingerprint(tmp_path):
    policy = worked_example(model="good")
    policy.save(tmp_path / "p.json")
    data = json.loads((tmp_path / "p.json").read_text(), parse_constant=pytest.fail)
    digest = data.pop("digest")
    assert digest.startswith("sha256:")
    assert len(digest) == 71
    assert data == policy.to_dict()
    assert (data["schema"], data["version"]) == ("demur.policy", 3)
    assert data["evidence"]["software"].startswith("demur ")
    assert os.listdir(tmp_path) == ["p.json"]


def test_digest_knows_the_data_and_nothing_else():
    def digest(y, s):
        return PolicyEvidence.from_counts(ScoreCounts.from_arrays(y, s)).digest

    assert digest(Y, S) == digest(Y[::-1], S[::-1])
    assert digest(Y, S) == digest(Y, [-0.0 if score == 0 else score for score in S])
    assert digest(Y, S) != digest(Y[1:], S[1:])
    assert digest(Y, S) != digest([1 - y for y in Y], S)


def test_policies_are_frozen_and_short():
    policy = worked_example()
    with pytest.raises(dataclasses.FrozenInstanceError):
        policy.rule = Window(0, 1)
    assert len(repr(policy)) < 500
    assert "blocks" not in repr(policy.evidence)


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "p.json"
    path.write_text("old")

    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(InputError, match=r"p.json` cannot be written: No space left on device\.$"):
        worked_example().save(path)
    assert (path.read_text(), os.listdir(tmp_path)) == ("old", ["p.json"])


def test_save_refuses_folders_and_follows_links(tmp_path):
    with pytest.raises(InputError, match="cannot be written: Is a directory"):
        worked_example().save(tmp_path)
    with pytest.raises(InputError, match="cannot be written: No such file or directory"):
        worked_example().save(tmp_path / "none" / "p.json")
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")
    worked_example().save(tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert Policy.load(tmp_path / "real.json").lower == worked_example().lower


def test_a_device_is_written_not_replaced():
    worked_example().save(os.devnull)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


# ---------------------------------------------------------------- windows from elsewhere


def test_window_under_constraints(tmp_path):
    window = cheapest_window(COUNTS, costs=COSTS, max_abstention=0.25)
    policy = reloaded(Policy.from_window(window, COUNTS, costs=COSTS, note="Tight."), tmp_path)
    assert (policy.lower, policy.upper) == pytest.approx((-0.25, 0.2))
    # a threshold cuts a block, whose cases on either side are not known
    assert (policy.abstention_rate, policy.promise) == (None, None)
    assert (policy.chosen, policy.note) == ("constrained", "Tight.")
    with pytest.raises(UndefinedError, match="made under constraints"):
        policy.at(prevalence=0.2)


def test_window_without_costs(tmp_path):
    # two blocks with shares 1/3 and 2/3 never reach a precision of 0.9: the note says so
    counts = ScoreCounts.from_counts([1, 2], [1, 2], [2, 1])
    window = widest_coverage_window(counts, min_precision_positive=0.9, min_precision_negative=0.9)
    policy = reloaded(Policy.from_window(window, counts), tmp_path)
    assert (policy.costs, policy.expected_cost, policy.abstention_rate) == (None, None, 1)
    assert policy.note == window.note
    assert "No positive decision" in policy.note
    with pytest.raises(UndefinedError, match="made under constraints"):
        policy.at(costs=COSTS)


def test_every_kind_of_constrained_window_is_taken():
    window = deterministic_window(COUNTS, positive=Precision(0.8), negative=Precision(1.0))
    policy = Policy.from_window(window, COUNTS)
    assert policy.decide(S).tolist() == decide(S, window).tolist()


@pytest.mark.parametrize("nus", [(0.25, None), (0.25, 0.1), (INF, None)])
def test_costs_of_a_window_in_normal_form(nus):
    surface = abstention_surface(COUNTS)
    policy = Policy.from_window(surface.window(1, *nus), COUNTS)
    assert policy.costs.mu == 1
    assert (policy.costs.nu_positive, policy.costs.nu_negative) == (
        nus[0],
        nus[0] if nus[1] is None else nus[1],
    )
    assert policy.promise is None


# ---------------------------------------------------------------- speed does not change decisions


@given(
    st.lists(st.floats(allow_nan=False), min_size=1, max_size=30),
    st.floats(allow_nan=False),
    st.floats(allow_nan=False),
)
@settings(max_examples=examples(200), deadline=None)
def test_decide_against_one_by_one(scores, one, other):
    lower, upper = sorted([one, other])
    scores = [*scores, lower, upper, INF, -INF]
    expected = [decided_one_by_one(score, lower, upper) for score in scores]
    codes = decide(scores, (lower, upper))
    assert (codes.dtype, codes.tolist()) == (np.int64, expected)


@pytest.mark.parametrize("n", [65535, 65536, 65537, 200_001])
def test_chunks_do_not_show(n):
    scores = np.random.default_rng(n).normal(size=n)
    policy = worked_example(pos_label="yes", neg_label="no", abstain_label="ask")
    expected = np.where(scores >= policy.upper, "yes", np.where(scores <= policy.lower, "no", "ask"))
    assert np.array_equal(policy.apply(scores), expected)
    for labels in ((7, 3, -100), (1, 0, -1), (-120, 120, 0), (10**6, 5, -5), (10**12, 0, 1), (0.5, 0, 1)):
        numbers = worked_example(pos_label=labels[0], neg_label=labels[1], abstain_label=labels[2])
        place = {"yes": labels[0], "no": labels[1], "ask": labels[2]}
        found = numbers.apply(scores)
        assert found.tolist() == [place[word] for word in expected.tolist()]
        assert found.dtype == (np.float64 if 0.5 in labels else np.int64)
    scores[-1] = math.nan
    for call in (policy.apply, policy.decide):
        with pytest.raises(InputError, match=f"NaN at position {n - 1}"):
            call(scores)


# ---------------------------------------------------------------- refusals

REMOVE = object()


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("schema", "demur.compare", "`schema` must be 'demur.policy', got 'demur.compare'"),
        ("schema", REMOVE, "`schema` must be 'demur.policy', got None"),
        ("version", 4, "`version` must be 1, 2 or 3, got 4. Hint: update demur"),
        ("version", "1", "`version` must be 1, 2 or 3, got '1'"),
        ("version", True, "`version` must be 1, 2 or 3, got True"),
        ("version", REMOVE, "`version` is missing"),
        ("rule", REMOVE, "`rule.kind` is missing"),
        ("rule", [1, 2], "`rule.kind` is missing"),
        ("rule.kind", "tree", "`rule.kind` must be one of 'window', 'class weights', 'by group', got 'tree'"),
        ("rule.upper", REMOVE, "`upper` is missing"),
        ("rule.lower", math.nan, "`lower` must not be NaN"),
        ("rule.upper", math.nan, "`upper` must not be NaN"),
        ("rule.lower", None, "`lower` must be a number, got null"),
        ("rule.lower", "0.5", '`lower` must be a number, got "0.5"'),
        ("rule.lower", "nan", '`lower` must be a number, got "nan"'),
        ("rule.lower", True, "`lower` must be a number, got true"),
        ("rule.lower", [0.1], r"`lower` must be a number, got \[0.1\]"),
        ("rule.lower", 5, "`lower` must not exceed upper = 0.6, got 5"),
        ("rule.lower", "inf", "`lower` must not exceed upper = 0.6, got inf"),
        ("rule.upper", "-inf", "`lower` must not exceed upper = -inf, got -0.7"),
        ("abstain_label", 1, "must differ, got 1, 0, 1. Hint: choose an abstain label that is not a class"),
        ("abstain_label", 0.0, "must differ, got 1, 0, 0.0"),
        ("classes", [1, 1], "must differ"),
        ("classes", [0, 1, 2], r"`shares` must have the shape \(3,\)"),
        ("classes", "01", "`classes` must be a list"),
        ("abstain_label", "review", "must be three strings or three numbers, got 1, 0, 'review'"),
        ("abstain_label", None, "`abstain_label` must be text or a number, got null"),
        ("abstain_label", False, "must be three strings or three numbers"),
        ("abstain_label", math.nan, "must be three strings or three numbers"),
        ("abstain_label", REMOVE, "`abstain_label` is missing"),
        ("columns", ["a", "b"], "`columns` must be 1 different names"),
        ("columns", "a", "`columns` must be a list"),
        ("chosen", "best", "`chosen` must be one of 'cheapest', 'constrained', 'amounts', got 'best'"),
        ("chosen", 3, "`chosen` must be text, got 3"),
        ("chosen", "amounts", "`amounts` belong to the rule 'amounts'"),
        ("note", None, "`note` must be text, got null"),
        ("model", 3, "`model` must be text, got 3"),
        ("model", REMOVE, "`model` is missing"),
        ("costs", None, "`costs` are needed by the rule 'cheapest'"),
        ("costs", 3, "`costs.kind` is missing"),
        ("costs.kind", "odd", "`costs.kind` must be one of"),
        ("costs.kind", "matrix", "`costs.values` is missing"),
        ("costs.cost_fp", REMOVE, "`costs.cost_fp` is missing"),
        ("costs.cost_fp", "40", '`costs.cost_fp` must be a number, got "40"'),
        ("costs.cost_fp", None, "`costs.cost_fp` must be a number, got null"),
        ("costs.cost_fn", -1, "`cost_fn` must exceed cost_tp = 0"),
        ("costs.cost_abstain", 10**400, "`costs.cost_abstain` must be finite"),
        ("shares", [0.5, 1.5], r"`shares` must lie in \[0, 1\], got 1.5"),
        ("shares", [0.5, math.nan], "`shares` must not be NaN"),
        ("shares", [0.5], r"`shares` must have the shape \(2,\)"),
        ("promise.cost", "much", "`promise.cost` must be a number"),
        ("promise.fn", -0.1, r"`fn` must lie in \[0, 1\]"),
        ("promise", REMOVE, "`promise` is missing"),
        ("promise", {}, "`promise.cost` is missing"),
        ("evidence", REMOVE, "`evidence` is missing"),
        ("evidence", {}, "`evidence.blocks` is missing"),
        ("evidence.class_sizes", [5, 7], "`evidence.class_sizes` must fit the blocks"),
        ("evidence.n", 13, "`evidence.n and prevalence` must fit the blocks"),
        ("evidence.prevalence", 0.4, "`evidence.n and prevalence` must fit the blocks"),
        ("evidence.digest", 7, "`evidence.digest` must be text"),
        ("evidence.cluster_size", 0.5, "`evidence.cluster_size` must be at least 1, got 0.5"),
        ("evidence.cluster_size", "4", "`evidence.cluster_size` must be a number"),
        ("evidence.blocks.lower", [], r"`evidence.blocks.lower` must be a list of numbers, got \[\]"),
        ("evidence.blocks.lower", "all", "`evidence.blocks.lower` must be a list of numbers"),
        ("evidence.blocks.lower", [1, 2], "`evidence.blocks` must have columns of one length"),
        ("evidence.blocks.lower", [-0.9, math.nan, 0.4, 0.8], "`evidence.blocks.lower` must not be NaN"),
        ("evidence.blocks.lower", [-0.9, 0.5, 0.4, 0.8], "`evidence.blocks` must be pooled"),
        ("evidence.blocks.upper", [-0.9, 0.0, 0.9, 0.8], "`evidence.blocks` must be pooled"),
        ("evidence.blocks.positives", [2, 2, 2, 0], "`evidence.blocks` must be pooled"),
        ("evidence.blocks.positives", [0, 2, 2, -2], "`evidence.blocks.positives` must not be negative"),
        ("evidence.blocks.groups", [1, 1, 1, 1], "`evidence.blocks` must be pooled"),
        ("evidence.blocks.groups", [1, 2.5, 1, 1], "`evidence.blocks.groups` must hold whole numbers"),
    ],
)
def test_file_error_sentences(tmp_path, path, value, message):
    data = copy.deepcopy(promised_example().to_dict())
    *parents, key = path.split(".")
    place = data
    for parent in parents:
        place = place[parent]
    if value is REMOVE:
        del place[key]
    else:
        place[key] = value
    file = tmp_path / "p.json"
    file.write_text(json.dumps(data))
    with pytest.raises(InputError, match=message) as caught:
        Policy.load(file)
    assert str(caught.value).startswith(f"`{file}` is not a policy to trust: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"must be a policy file, got no JSON \(line 1\). Hint: `demur decide"),
        (b"lower: 3\n", r"must be a policy file, got no JSON \(line 1\)"),
        (b'{"schema": "demur.policy",\n', r"got no JSON \(line 2\)"),
        (b"\xff\xfe\x00", "must be a policy file, got no JSON. Hint"),
        (b"[" * 100_000, "must be a policy file, got no JSON. Hint"),
        (b"[]", "`schema` must be 'demur.policy', got list"),
        (b"3", "`schema` must be 'demur.policy', got int"),
        (b"{}", "`schema` must be 'demur.policy', got None"),
    ],
)
def test_not_a_policy_file(tmp_path, content, message):
    (tmp_path / "p.json").write_bytes(content)
    with pytest.raises(InputError, match=message):
        Policy.load(tmp_path / "p.json")


def test_no_file_at_all(tmp_path):
    with pytest.raises(InputError, match="must be a policy file, got No such file or directory"):
        Policy.load(tmp_path / "none.json")
    with pytest.raises(InputError, match="must be a policy file, got Is a directory"):
        Policy.load(tmp_path)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: Policy.from_surface(3, costs=COSTS), "`surface` must be an AbstentionSurface, got int"),
        (lambda s: Policy.from_surface(s, costs=3), "`costs` must be a CostModel, got int"),
        (lambda s: Policy.from_surface(s, costs=COSTS, abstain_label="x"), "three strings or three numbers"),
        (lambda s: Policy.from_surface(s, costs=COSTS, pos_label=10**400), "three strings or three numbers"),
        (
            lambda s: Policy.from_surface(s, costs=COSTS, neg_label=-1, abstain_label=-1),
            "must differ, got 1, -1",
        ),
        (lambda s: Policy.from_window((0, 1), COUNTS), "`window` must be an AbstentionWindow, got tuple"),
        (lambda s: Policy.from_window(s.window(1, 0.25), s), "`counts` must be a ScoreCounts"),
        (
            lambda s: Policy.from_window(s.window(1, 0.25), ScoreCounts.from_counts([1, 2], [1, 1], [1, 0])),
            "`window` must have been chosen on these counts, got 0 and 0 scores .* instead of 1 and 4",
        ),
        (
            lambda s: Policy.from_window(s.window(1, 0.2), COUNTS, costs=COSTS),
            "`costs` must be those the window was chosen for",
        ),
        (lambda s: worked_example().at(costs=3), "`costs` must be a CostModel"),
        (lambda s: worked_example().at(prevalence=2), r"`prevalence` must lie in \[0, 1\]"),
        (lambda s: worked_example().apply([]), "`scores` must hold at least one case"),
        (lambda s: worked_example().apply(["a"]), "`scores` must hold numbers"),
        (lambda s: worked_example().apply([[1, 2]]), "`scores` must be one-dimensional"),
        (lambda s: Window(9, 0), "`lower` must not exceed upper"),
        (lambda s: Window(0, math.nan), "`upper` must not be NaN"),
        (lambda s: dataclasses.replace(worked_example(), evidence=3), "`evidence` must be a PolicyEvidence"),
        (lambda s: dataclasses.replace(worked_example(), promise=3), "`promise` must be a Promise"),
        (lambda s: dataclasses.replace(worked_example(), rule=3), "`rule` must be a rule .*, got int"),
        (lambda s: Policy(rule=Window(0, 1), classes=("a", "b", "c")), "`classes` must be negative and pos"),
        (lambda s: Promise(cost=math.nan), "`cost` must not"),
        (lambda s: dataclasses.replace(worked_example(), note=None), "`note` must be a str"),
        (lambda s: worked_example(model=3), "`model` must be a str, got int"),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call(abstention_surface(COUNTS))


def test_one_class_gives_a_policy_for_its_own_prevalence_only():
    policy = Policy.from_surface(abstention_surface([1, 1], [0.2, 0.4]), costs=COSTS)
    assert policy.apply([0.3]).tolist() == [1]
    with pytest.raises(InputError, match="the data hold no negative case"):
        policy.at(prevalence=0.5)


@given(scored_data(both_classes=True))
@settings(max_examples=examples(30), deadline=None)
def test_any_swap_of_thresholds_is_refused(data):
    y, s, w = data
    policy = Policy.from_surface(abstention_surface(y, s, sample_weight=w), costs=COSTS)
    assume(policy.lower < policy.upper)
    with pytest.raises(InputError, match="must not exceed"):
        Window(policy.upper, policy.lower)
