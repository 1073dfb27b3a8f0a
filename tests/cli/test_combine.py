"""`demur combine` and `demur guard` against the functions they call, their figures and their refusals."""

from dataclasses import replace

import numpy as np
import pytest

from command_line import table_file
from demur import CostModel
from demur.cli.verbs import combine
from demur.honest import combination_costs, guarded_cost
from demur.windows import combined_rule, guarded_window
from demur.windows.combined import WAYS, written_rule

RNG = np.random.default_rng(4)
Y = np.arange(48) % 2
BLOOD, SCAN = (1 / (1 + np.exp(-(2 * Y - 1) - RNG.normal(0, sd, 48))) for sd in (1.2, 0.6))
FAR = np.arange(48) % 8 < 1
STRANGE = np.where(FAR, 0.99 - 0.98 * Y, SCAN)  # certain and wrong where nothing is known
DISTANCE = 1 + 0.5 * RNG.random(48) + 4 * FAR
PRICES = ("--cost-fn", 10, "--cost-fp", 4, "--cost-abstain", 2)
COSTS = CostModel(cost_fn=10, cost_fp=4, cost_abstain=2)


@pytest.fixture
def tests_file(tmp_path):
    return table_file(tmp_path, y=Y, blood=BLOOD.tolist(), scan=SCAN.tolist())


@pytest.fixture
def strange(tmp_path):
    return table_file(tmp_path, y=Y, scan=STRANGE.tolist(), distance=DISTANCE.tolist())


def words(text):
    return " ".join(text.split())


def test_combine_against_the_library(run, tests_file, tmp_path):
    fees = ("--fee", "scan=0.5", "--fee", "blood=0.1")
    figure = tmp_path / "costs.svg"
    answer = run("combine", tests_file, *PRICES, *fees, "--way", "chain", "--json", "-o", figure)
    assert answer.code == 0
    assert "<svg" in figure.read_text()
    found = answer.json
    assert (found["schema"], found["version"]) == ("demur.combine", 1)
    scores = {"blood": BLOOD, "scan": SCAN}
    expected = combination_costs(Y, scores, costs=COSTS, stage_costs=[0.1, 0.5], ways=["chain"])
    assert found["combination"] == expected.to_dict()
    rule = combined_rule(Y, scores, how="chain", costs=COSTS, stage_costs=[0.1, 0.5])
    columns = np.column_stack([BLOOD, SCAN])
    short = written_rule(rule, columns)
    assert found["rule"] == short.to_dict()
    assert np.array_equal(short.decide(columns), rule.decide(columns))
    assert found["best"] == expected.best
    assert found["data"]["rows"] == 48


def test_combine_in_words(run, tests_file):
    answer = run("combine", tests_file, *PRICES, "--way", "variance", "--way", "vote")
    assert answer.code == 0
    assert max(map(len, answer.out.splitlines())) <= 80
    scores = {"blood": BLOOD, "scan": SCAN}
    found = combination_costs(Y, scores, costs=COSTS, ways=["variance", "vote"])
    best = min(("variance", "vote"), key=lambda way: found.rows[way].cost)
    difference = found.versus_best_member[best][0]
    assert answer.out.startswith("Combine the models by" if difference < 0 else "Use scan alone")
    assert f"{1000 * found.rows['scan'].cost:.4g}" in answer.out
    # abstaining for nothing beats everything
    free = run("combine", tests_file, "--cost-fn", 10, "--cost-fp", 4, "--cost-abstain", 0, "--way", "vote")
    assert "always abstain costs 0 per 1000" in words(free.out)


def test_guard_against_the_library(run, strange, tmp_path):
    figure = tmp_path / "rule.png"
    answer = run("guard", strange, *PRICES, "--doubt", "distance", "--json", "-o", figure)
    assert answer.code == 0
    assert figure.read_bytes().startswith(b"\x89PNG")
    found = answer.json
    rule = guarded_window(Y, STRANGE, DISTANCE, costs=COSTS)
    short = replace(rule, **{name: found["rule"][name] for name in ("lower", "upper", "max_doubt")})
    assert found["rule"] == short.to_dict()
    assert np.array_equal(short.decide(STRANGE, DISTANCE), rule.decide(STRANGE, DISTANCE))
    assert len(repr(short.lower)) < len(repr(rule.lower))
    assert found["cost"] == guarded_cost(Y, STRANGE, DISTANCE, costs=COSTS).to_dict()
    assert found["decision"].startswith("Abstain where distance exceeds")
    assert 1.5 < found["rule"]["max_doubt"] < 5


def test_guard_in_words(run, strange):
    fixed = run("guard", strange, *PRICES, "--doubt", "distance", "--max-doubt", 3)
    assert fixed.code == 0
    assert words(fixed.out).startswith("Abstain where distance exceeds 3. Else call 0 up to")
    assert max(map(len, fixed.out.splitlines())) <= 80
    none = run("guard", strange, *PRICES, "--doubt", "distance", "--max-doubt", 9)
    assert "0 more than the thresholds alone" in words(none.out)


def test_a_guard_that_only_looks_cheaper_is_not_recommended(run, tmp_path):
    noise = np.random.default_rng(9).random(48)
    file = table_file(tmp_path, y=Y, scan=SCAN.tolist(), noise=noise.tolist())
    said = words(run("guard", file, *PRICES, "--doubt", "noise").out)
    rule, found = (make(Y, SCAN, noise, costs=COSTS) for make in (guarded_window, guarded_cost))
    assert np.isfinite(rule.max_doubt), "with hindsight it pays"
    assert found.difference > 0
    assert said.startswith(f"Use the thresholds alone: {1000 * found.unguarded.cost:.4g} per 1000 cases.")


def test_the_ways_of_the_flag_are_those_of_the_library():
    (declared,) = [each for each in combine.Combining.__dataclass_fields__.values() if each.name == "ways"]
    assert tuple(declared.metadata["settings"]["type"].choices) == WAYS


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ((), "`--cost-fn` is needed"),
        (("--cost-fn", "1:2", "--cost-fp", 1), "must be one number here"),
        ((*PRICES, "--model", "scan"), "at least two score columns"),
        ((*PRICES, "--fee", "scan"), "must read MODEL=NUMBER"),
        ((*PRICES, "--fee", "x=1"), "which is no model"),
        ((*PRICES, "--fee", "scan=-1"), "--fee"),
        ((*PRICES, "-o", "x.csv"), "must end in .png"),
    ],
)
def test_refusals_of_combine(run, tests_file, flags, message):
    answer = run("combine", tests_file, *flags)
    assert answer.code == 2
    assert message in words(answer.err)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (PRICES, "`--doubt COLUMN` is needed"),
        ((*PRICES, "--doubt", "scan", "--model", "scan"), "in use already"),
        ((*PRICES, "--doubt", "far"), "far"),
        ((*PRICES, "--doubt", "distance", "--max-doubt", 0), "distance lies between"),
        ((*PRICES, "--doubt", "distance", "--max-doubt", "inf"), "--max-doubt"),
        (("--cost-fn", 1, "--cost-fp", 1, "--doubt", "distance"), "`--cost-abstain` is needed"),
    ],
)
def test_refusals_of_guard(run, strange, flags, message):
    answer = run("guard", strange, *flags)
    assert answer.code == 2
    assert message in words(answer.err)


def test_scores_that_are_no_probabilities_and_several_models(run, tmp_path):
    file = table_file(tmp_path, y=Y, a=SCAN.tolist(), b=(5 * BLOOD).tolist(), d=DISTANCE.tolist())
    answer = run("combine", file, *PRICES, "--exclude", "d")
    assert answer.code == 2
    assert "--exclude b" in words(answer.err)
    assert "choose one with --model" in words(run("guard", file, *PRICES, "--doubt", "d").err)
