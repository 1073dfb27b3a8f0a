"""`--classes a,b,c` of compare and decide: one probability column per class and a cost matrix file."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from demur.cli.output import document, number, percent, remark, table, wrapped, write
from demur.cli.reading.predictions import read_class_columns
from demur.costs.matrix import CostMatrix
from demur.engines.cost_files import read_cost_matrix
from demur.exceptions import InputError
from demur.multiclass.auc import HandTillAuc, hand_till_auc
from demur.multiclass.rules import ClassWeights
from demur.multiclass.weights import optimize_weights
from demur.typing import FloatArray

__all__ = ["compare_rules", "decide_weights"]

_CASES = 1000
# name -> (method, family, what it does in words)
_RULES = {
    "plain": ("none", "weights", "answer the class with the highest probability"),
    "bayes": ("none", "columns", "answer the class with the lowest expected cost"),
    "weights": ("auto", "weights", "multiply each probability by the best weight of its class"),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class _Setting:
    source: str
    label: str
    truth: list[str]
    proba: FloatArray
    costs: CostMatrix
    abstain_cost: float | None
    seed: int

    @property
    def classes(self) -> list[str]:
        return [str(name) for name in self.costs.classes]

    def sentence(self) -> str:
        names = ", ".join(self.classes)
        return (
            f"Read {len(self.truth)} rows of {self.source}: label column {self.label}, one column of "
            f"probabilities for each of {names}."
        )

    def rule(self, name: str) -> ClassWeights:
        method, family, _ = _RULES[name]
        return optimize_weights(
            self.proba,
            self.truth,
            self.costs,
            classes=self.classes,
            method=method,
            family=family,  # type: ignore[arg-type]
            abstain_cost=self.abstain_cost,
            rng=self.seed,
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "rows": len(self.truth),
            "label": self.label,
            "classes": self.classes,
            "costs": self.costs.values.tolist(),
            "abstain_cost": self.abstain_cost,
        }


def _setting(
    file: str, classes: str, cost_matrix: str | None, label: str | None, abstain_cost: float | None, seed: int
) -> _Setting:
    names = [name.strip() for name in classes.split(",")]
    if len(names) < 2 or len(set(names)) < len(names) or not all(names):
        raise InputError(
            f"`--classes` must list at least two different classes, got {classes!r}. Hint: --classes a,b,c."
        )
    if cost_matrix is None:
        raise InputError("`--cost-matrix FILE` is needed beside --classes. Hint: costs are never assumed.")
    source, column, truth, proba = read_class_columns(file, names, label)
    costs = read_cost_matrix(cost_matrix)
    if set(map(str, costs.classes)) != set(names):
        raise InputError(
            f"`{cost_matrix}` names the classes {', '.join(map(str, costs.classes))}, "
            f"--classes names {', '.join(names)}. Hint: both must hold the same classes."
        )
    # columns in the order of the matrix
    order = [names.index(str(name)) for name in costs.classes]
    return _Setting(
        source=source,
        label=column,
        truth=truth,
        proba=proba[:, order],
        costs=costs,
        abstain_cost=abstain_cost,
        seed=seed,
    )


def compare_rules(
    file: str,
    classes: str,
    *,
    cost_matrix: str | None,
    label: str | None,
    abstain_cost: float | None,
    confidence: float,
    seed: int,
    output: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Print what the plain, the Bayes and the best weighted rule cost, and the mean pairwise AUC."""
    setting = _setting(file, classes, cost_matrix, label, abstain_cost, seed)
    remark(setting.sentence(), quiet=quiet)
    rules = {name: setting.rule(name) for name in _RULES}
    auc = hand_till_auc(setting.truth, setting.proba, labels=setting.classes)
    if as_json:
        content: dict[str, Any] = {name: rule.to_dict() for name, rule in rules.items()}
        measured = {"hand_till_auc": float(auc), "interval": list(auc.interval(confidence))}
        text = document("compare.classes", {"data": setting.to_dict(), **measured, "rules": content})
    else:
        text = _comparison(rules, auc, confidence)
    write(text, output)


def _comparison(rules: dict[str, ClassWeights], auc: HandTillAuc, confidence: float) -> str:
    rows = []
    for name, rule in rules.items():
        abstains = percent(float(np.mean(rule.labels < 0)))
        rows.append([name, number(_CASES * rule.objective), abstains, "yes" if rule.optimal else "unproven"])
    best = min(rules, key=lambda name: rules[name].objective)
    low, high = auc.interval(confidence)
    lines = [
        wrapped(
            f"With these costs {_RULES[best][2]}: {number(_CASES * rules[best].objective)} per 1000 cases."
        ),
        table(["rule", "cost per 1000", "abstains", "cheapest of its kind"], rows),
        "\n".join(wrapped(f"{name}: {words}.", indent="  ") for name, (_, _, words) in _RULES.items()),
        wrapped(
            f"Classes are told apart with a mean pairwise AUC (Hand and Till) of {float(auc):.3f} "
            f"({percent(confidence).replace('.0 %', ' %')} interval {low:.3f} to {high:.3f})."
        ),
        wrapped("Costs are with hindsight: weights were chosen on these same data."),
    ]
    return "\n\n".join(lines)


def decide_weights(
    file: str,
    classes: str,
    *,
    cost_matrix: str | None,
    label: str | None,
    abstain_cost: float | None,
    seed: int,
    output: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Print or write the cheapest class weights."""
    setting = _setting(file, classes, cost_matrix, label, abstain_cost, seed)
    remark(setting.sentence(), quiet=quiet)
    best = setting.rule("weights")
    plain = setting.rule("plain").objective
    if as_json:
        text = document("decide.classes", {"data": setting.to_dict(), "rule": best.to_dict(), "plain": plain})
    else:
        text = _decision(best, plain)
    write(text, output)


def _decision(best: ClassWeights, plain: float) -> str:
    rows = [[str(name), f"{weight:.6g}"] for name, weight in zip(best.classes, best.weights, strict=True)]
    if best.abstain_weight is not None:
        rows.append(["(abstain)", f"{best.abstain_weight:.6g}"])
    proof = "no weights are cheaper" if best.optimal else f"none below {number(_CASES * best.lower_bound)}"
    sentence = (
        "Multiply the probability of each class by its weight and answer the largest: expected cost "
        f"{number(_CASES * best.objective)} per 1000 cases ({proof} on these data). Without weights: "
        f"{number(_CASES * plain)}."
    )
    hindsight = wrapped("Costs are with hindsight: the weights were chosen on these same data.")
    return "\n\n".join([wrapped(sentence), table(["class", "weight"], rows), hindsight])
