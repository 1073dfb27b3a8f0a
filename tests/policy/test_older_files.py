"""Policy files of versions 1 and 2, kept as they were written, against what they decided then."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from demur import InputError, Policy
from demur.monitoring.state import _older_digest

FOLDER = Path(__file__).parents[1] / "reference" / "policies"
EXPECTED = json.loads((FOLDER / "expected.json").read_text())
UNSIGNED = ("window_infinite", "classes_weights")


def listed(values):
    return None if values is None else values.tolist()


@pytest.mark.parametrize("name", EXPECTED)
def test_decisions_costs_and_promise_are_those_of_then(name):
    policy, then = Policy.load(FOLDER / f"{name}.json"), EXPECTED[name]
    assert policy.decide(then["table"]).tolist() == then["decisions"]
    assert policy.apply(then["table"]).tolist() == then["labels"]
    assert (list(policy.classes), policy.abstain_label) == (then["classes"], then["abstain_label"])
    assert (policy.chosen, policy.model, policy.note) == (then["chosen"], then["model"], then["note"])
    promised = {"cost": "expected_cost", "limit": "expected_limit", "error_rate": "error_rate"}
    promised |= {key: key for key in ("abstention_rate", "fn", "fp", "prevalence")}
    found = {key: getattr(policy, attribute) for key, attribute in promised.items() if key in then}
    assert found == {key: then[key] for key in found}
    if then["costs"] is None:
        assert policy.costs is None
    elif isinstance(then["costs"], dict):
        assert policy.costs.to_dict() == then["costs"]
    else:
        assert policy.costs.values.tolist() == then["costs"]
        assert listed(policy.abstain_costs) == then["abstain_costs"]
        assert listed(policy.shares) == then["shares"]
        assert list(policy.columns) == then["columns"]
    evidence = policy.evidence
    assert (evidence and evidence.n, evidence and evidence.digest) == (then["n"], then["digest"])
    assert policy.unsigned == (name in UNSIGNED)


@pytest.mark.parametrize("name", EXPECTED)
def test_saved_again_they_are_files_of_this_version(name, tmp_path):
    policy = Policy.load(FOLDER / f"{name}.json")
    policy.save(tmp_path / "p.json")
    again = Policy.load(tmp_path / "p.json")
    assert again.to_dict() == policy.to_dict()
    assert (again.to_dict()["version"], again.unsigned) == (3, False)
    table = EXPECTED[name]["table"]
    assert np.array_equal(again.decide(table), policy.decide(table))


def test_the_page_adds_an_upper_end_to_files_of_version_1():
    data = json.loads((FOLDER / "window_infinite.json").read_text())
    assert Policy.from_dict(data).expected_limit is None
    data["expected"]["limit"] = 99.5
    assert Policy.from_dict(data).expected_limit == 99.5


def test_amounts_come_along():
    policy = Policy.load(FOLDER / "window_amounts.json")
    written = json.loads((FOLDER / "window_amounts.json").read_text())
    assert policy.amounts["cost_fp"] == written["amounts"]["cost_fp"]
    assert policy.to_dict()["costs"] == {"kind": "amounts", **written["amounts"]}


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("window_answer", {"window": {"lower": 0}}, "`digest` must be that of the content"),
        ("window_infinite", {"window": {"lower": 0}}, "`window.upper` is missing"),
        ("window_infinite", {"limit": 3}, "`limit` must be a field of a policy"),
        ("window_infinite", {"window": {"lower": 5, "upper": 1}}, "`lower` must not exceed upper"),
        ("window_infinite", {"labels": {"positive": 1, "negative": 0}}, "`labels.abstain` is missing"),
        ("window_infinite", {"version": 2}, "`amounts` is missing"),
        ("window_infinite", {"amounts": {}}, "`amounts` must be a field of a policy"),
        ("window_infinite", {"prevalence": 1.5}, r"`prevalence` must lie in \[0, 1\], got 1.5"),
        ("window_infinite", {"costs": 3}, "`costs` must be an object, got 3"),
        ("window_infinite", {"expected": {}}, "`expected.cost` is missing"),
        ("window_infinite", {"evidence": None}, "`evidence` must be an object, got null"),
        ("classes_weights", {"rule": {"kind": "weights"}}, "`rule.family` is missing"),
        ("classes_weights", {"limit": 3}, "`limit` must be a field of a policy"),
        ("classes_weights", {"expected": {"cost": "much"}}, "`expected.abstention_rate` is missing"),
    ],
)
def test_broken_older_files_are_refused_in_one_sentence(tmp_path, name, change, message):
    data = {**json.loads((FOLDER / f"{name}.json").read_text()), **change}
    (tmp_path / "p.json").write_text(json.dumps(data))
    with pytest.raises(InputError, match=f"is not a policy to trust: {message}"):
        Policy.load(tmp_path / "p.json")


def test_states_of_monitors_begun_with_an_older_file_go_on():
    """The fingerprint of a policy in a state was that of the text of its file."""
    for name in ("window_answer", "window_without_costs", "window_amounts"):
        text = (FOLDER / f"{name}.json").read_text().rstrip("\n")
        begun = "sha256:" + hashlib.sha256(text.encode()).hexdigest()
        assert _older_digest(Policy.load(FOLDER / f"{name}.json")) == begun
