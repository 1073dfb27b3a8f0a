"""The recipes of CONTRIBUTING, followed: a rule that only this file knows goes through every interface."""

import json
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from demur import CostModel, Policy, Report, compare_models
from demur.cli.main import main
from demur.comparison.candidates import LEARNERS
from demur.comparison.class_learner import Chosen
from demur.honest.evaluate import FoldRules
from demur.windows.expression import All, Case, Column, Comparison, Decision, Number
from demur.windows.rule import RULES, register_rule

COSTS = CostModel(cost_fn=10, cost_fp=10, cost_abstain=4)


def run(capsys, *args):
    """Run a command; its exit code, and what it printed."""
    with pytest.raises(SystemExit) as stop:
        main(list(args))
    return stop.value.code, capsys.readouterr()


@dataclass(frozen=True)
class Band:
    """Positive inside a band of scores, negative outside: no window can say that."""

    low: float
    high: float
    kind: ClassVar[str] = "band"
    inputs: ClassVar[int] = 1
    abstains: ClassVar[bool] = False

    def words(self, names):
        return f"call {names[1]} from {self.low:g} to {self.high:g}, {names[0]} elsewhere"

    def codes(self, scores):
        return ((scores >= self.low) & (scores <= self.high)).astype(np.int8)

    def decide(self, table):
        return self.codes(np.asarray(table, dtype=np.float64)).astype(np.int64)

    def to_dict(self):
        return {"kind": self.kind, "low": self.low, "high": self.high}

    @classmethod
    def from_dict(cls, data):
        return cls(data["low"], data["high"])

    def to_expression(self, columns, labels):
        score = Column(columns[0])
        inside = All((Comparison(">=", score, Number(self.low)), Comparison("<=", score, Number(self.high))))
        return Decision(columns=columns, valid=None, value=Case(((inside, labels[1]),), labels[0]))


class BandLearner:
    """The band from the smallest to the largest score of a positive."""

    kind = "band"
    aim = 0

    def order(self, place):
        return (3, place)

    def fit_all(self, cases, scores):
        return Chosen(self._band(cases, scores, np.arange(len(scores))))

    def fit(self, sets):
        rows, scores = sets.rows, sets.model.scores
        return FoldRules(
            [
                self._band(sets.cases, scores, rows.cell[rows.fold != fold])
                for fold in range(sets.cases.folds)
            ],
            2,
        )

    @staticmethod
    def _band(cases, scores, rows):
        own = scores[rows[cases.positive[rows]]]
        return Band(float(own.min()), float(own.max()))


@pytest.fixture
def registered():
    """Register the rule for one test."""
    register_rule(Band)
    LEARNERS.append(lambda question: None if question.many else BandLearner())
    yield
    LEARNERS.pop()
    del RULES[Band.kind]


@pytest.fixture
def cases():
    """Positives in the middle of the scores."""
    scores = np.round(np.linspace(-3, 3, 240), 3)
    return (np.abs(scores) < 1).astype(int), scores


def test_a_rule_goes_through_compare_policy_exports_and_report(registered, cases, tmp_path):
    y, s = cases
    compared = compare_models(y, {"m": s}, costs=COSTS)
    answer = compared.answer
    assert (answer.kind, answer.lower, answer.upper) == ("band", None, None)
    assert answer.cost < min(compared.models["m"].cost, *compared.baselines.values())
    assert compared.models["m"].rules["band"].cost == answer.honest_cost
    assert answer.words.startswith(
        f"Proven. Use m: call positive from {answer.rule.low:g} to {answer.rule.high:g}, neg"
    )
    assert answer.guaranteed_cost is None
    assert np.array_equal(answer.decide(s), y)
    policy = Policy.from_answer(answer)
    policy.save(tmp_path / "policy.json")
    loaded = Policy.load(tmp_path / "policy.json")
    assert loaded.rule == answer.rule
    assert np.array_equal(loaded.apply(s), y)
    scope = {}
    exec(loaded.to_python(), scope)
    assert [scope["decide"](score) for score in s.tolist()] == y.tolist()
    assert "WHEN" in loaded.to_sql("postgres", score="risk")
    report = Report.from_predictions(y, {"m": s}, costs=COSTS)
    assert report.headline == answer.words
    assert any("charts show the cheapest that is" in note for note in report.notes)
    assert "band" in json.loads(report.to_json())["comparison"]["models"]["m"]["rules"]


def test_a_rule_goes_through_the_command_line(registered, cases, tmp_path, capsys):
    y, s = cases
    file, policy = tmp_path / "p.csv", tmp_path / "policy.json"
    file.write_text("label,m\n" + "\n".join(f"{one},{score}" for one, score in zip(y, s, strict=True)))
    flags = ["--cost-fn", "10", "--cost-fp", "10", "--cost-abstain", "4"]
    code, out = run(capsys, "compare", str(file), *flags)
    assert code == 0
    assert "Use m: call positive from" in out.out
    assert run(capsys, "decide", str(file), *flags, "-o", str(policy))[0] == 0
    code, out = run(capsys, "apply", str(policy), str(file), "--only")
    assert code == 0, out.err
    assert out.out.split() == ["decision", *map(str, y)]
    assert run(capsys, "report", str(file), *flags, "-o", str(tmp_path / "r.html"))[0] == 0


def test_without_the_entry_a_file_is_refused_in_one_sentence(cases, tmp_path):
    register_rule(Band)
    Policy(rule=Band(-1.0, 1.0)).save(tmp_path / "policy.json")
    del RULES[Band.kind]
    with pytest.raises(ValueError, match="band"):
        Policy.load(tmp_path / "policy.json")
