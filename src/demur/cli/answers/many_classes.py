"""`--classes a,b,c` of compare and decide: one probability column per class and a matrix of costs."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from demur.cli.answers.deciding import Decided
from demur.cli.answers.parts import is_whole
from demur.cli.options import Certainty, Classes, Limits, Prices, Source
from demur.cli.output import document, heading, number, percent, table, wrapped
from demur.cli.reading.class_columns import ClassPart, ClassRows
from demur.comparison.classes.comparison import ClassComparison, compare_class_models
from demur.costs.reviewer import Reviewer
from demur.engines.cost_files import read_cost_entries
from demur.exceptions import InputError
from demur.windows.class_policy import ClassPolicy

__all__ = [
    "ClassQuestions",
    "class_abstain_label",
    "compare_class_parts",
    "compared_classes",
    "decide_class_parts",
]

_CASES = 1000


class ClassQuestions:
    """What the flags ask of every part of the cases."""

    def __init__(
        self, classes: Classes, source: Source, prices: Prices, limits: Limits, certainty: Certainty
    ) -> None:
        self.names = classes.listed()
        # labels that are whole numbers in the file are numbers for the policy, too
        whole = all(map(is_whole, self.names))
        self.labels: list[Any] = [int(name) for name in self.names] if whole else self.names
        self.costs, by_class = _costs(classes, self.names)
        self.abstain = _abstain_cost(prices, by_class)
        self.settings: dict[str, Any] = {
            "objective": prices.objective,
            "limits": limits.kept(),
            "weights": source.weights or "importance",
            "confidence_level": certainty.confidence,
            "seed": certainty.seed,
        }

    def named_costs(self) -> dict[Any, dict[Any, Any]]:
        """Costs under the labels of the policy."""
        named = dict(zip(self.names, self.labels, strict=True))
        return {
            named[true]: {named[name]: cost for name, cost in row.items()} for true, row in self.costs.items()
        }

    def named_abstain(self) -> Any:
        """Price of abstaining, by class under the same labels where it differs."""
        named = dict(zip(self.names, self.labels, strict=True))
        if isinstance(self.abstain, Mapping):
            return {named[name]: price for name, price in self.abstain.items()}
        return self.abstain

    def ask(self, part: ClassPart) -> ClassComparison:
        """Compare the models on the cases of one part."""
        return compare_class_models(
            np.array(self.labels, dtype=object)[part.codes],
            part.proba,
            costs=self.named_costs(),
            classes=self.labels,
            abstain_cost=self.named_abstain(),
            sample_weight=part.weights,
            **self.settings,
        )


def _costs(classes: Classes, names: list[str]) -> tuple[dict[str, dict[str, Any]], dict[str, Any] | None]:
    """Costs by name, and the price of abstaining by class if the file has one."""
    if classes.ordered:
        step = 1.0 if classes.step_cost is None else classes.step_cost
        rows = {
            true: {name: step * abs(i - j) for j, name in enumerate(names)} for i, true in enumerate(names)
        }
        return rows, None
    if classes.cost_matrix is None:
        raise InputError(
            "`--cost-matrix FILE` is needed with --classes. Hint: costs are never assumed; --ordered "
            "--step-cost 1 is a matrix for classes in order."
        )
    costs, abstain = read_cost_entries(classes.cost_matrix)
    if set(costs) != set(names):
        raise InputError(
            f"`{classes.cost_matrix}` names the classes {', '.join(costs)}, "
            f"--classes names {', '.join(names)}. Hint: both must hold the same classes."
        )
    return costs, abstain


def _abstain_cost(prices: Prices, by_class: dict[str, Any] | None) -> Any:
    given = prices.given()
    said: list[str] = [name for name in ("--cost-abstain", "--review-fee") if name in given]
    if by_class is not None:
        said.append("the column abstain of the cost matrix")
    if len(said) > 1:
        raise InputError(f"Abstaining has two prices: {' and '.join(said)}. Hint: give one of them.")
    if by_class is not None:
        return by_class
    if prices.review_fee is not None:
        rates = {"sensitivity": prices.reviewer_sensitivity, "specificity": prices.reviewer_specificity}
        known = {name: rate for name, rate in rates.items() if rate is not None}
        if len(known) == 1:
            # among many classes there is one accuracy, whatever it is called
            known = dict.fromkeys(rates, next(iter(known.values())))
        return Reviewer(fee=prices.number("--review-fee"), **known)
    price = given.get("--cost-abstain")
    if price is not None and not isinstance(price, (float, tuple)):
        raise InputError(
            f"`--cost-abstain` must be a number or a range beside --classes, got the column {price.column!r}."
        )
    return price


# ---------------------------------------------------------------- compare


def compare_class_parts(rows: ClassRows, questions: ClassQuestions) -> dict[str, ClassComparison | str]:
    """Compare the models on every part; a group that has no answer gives the reason instead."""
    if rows.group is None:
        return {"": questions.ask(rows.parts[""])}
    parts: dict[str, ClassComparison | str] = {}
    for name, part in rows.parts.items():
        try:
            parts[name] = questions.ask(part)
        except InputError as error:
            parts[name] = f"Left out: {error}"
    return parts


def compared_classes(
    rows: ClassRows, parts: dict[str, ClassComparison | str], *, as_json: bool, output: str | None
) -> str:
    """Return the answers in words and tables, or as a document."""
    if as_json:
        answers = {
            name: {"left_out": part}
            if isinstance(part, str)
            else {"decision": part.answer.words, "comparison": part.to_dict()}
            for name, part in parts.items()
        }
        return document("compare", rows.answered(answers), version=2)
    blocks = []
    for name, part in parts.items():
        if rows.group is not None:
            blocks.append(heading(rows.title(name), output=output))
        blocks.append(wrapped(part) if isinstance(part, str) else _text(part, output))
    return "\n\n".join(blocks)


def _text(comparison: ClassComparison, output: str | None) -> str:
    answer = comparison.answer
    level = percent(comparison.question.confidence_level).replace(".0 %", " %")
    sections = [wrapped(text) for text in (answer.words, answer.condition) if text]
    sections.append(f"{heading('Cost per 1000 cases', output=output)}\n{_rules(comparison, level)}")
    sections.append(f"{heading('Answers of 1000 cases', output=output)}\n{_confusion(comparison)}")
    aucs = [
        f"{name} {model.auc:.3f} ({model.auc_interval.low:.3f} to {model.auc_interval.high:.3f})"
        for name, model in comparison.models.items()
        if model.auc is not None and model.auc_interval is not None
    ]
    if aucs:
        sections.append(wrapped(f"Mean pairwise AUC (Hand and Till), {level} interval: {', '.join(aucs)}."))
    return "\n\n".join([*sections, *map(wrapped, comparison.notes)])


def _rules(comparison: ClassComparison, level: str) -> str:
    rows = []
    for name, model in comparison.models.items():
        for kind, one in model.rules.items():
            low, high = one.interval
            rows.append(
                [
                    f"{name}: {kind}",
                    number(_CASES * one.cost),
                    f"{number(_CASES * low)} to {number(_CASES * high)}",
                    number(_CASES * one.hindsight_cost),
                    percent(one.abstention_rate),
                ]
            )
    rows += [[kind, number(_CASES * cost), "", "", ""] for kind, cost in _cheapest_trivial(comparison)]
    return table(["rule", "cost", level, "hindsight", "abstains"], rows)


def _cheapest_trivial(comparison: ClassComparison) -> list[tuple[str, float]]:
    """The cheapest class for all cases, and abstaining."""
    always = {kind: cost for kind, cost in comparison.trivial.items() if kind != "always abstain"}
    best = min(always, key=lambda kind: always[kind])
    kept = [(best, always[best])]
    if "always abstain" in comparison.trivial:
        kept.append(("always abstain", comparison.trivial["always abstain"]))
    return kept


_MOST_COLUMNS = 6


def _confusion(comparison: ClassComparison) -> str:
    """Cases per 1000 by true class and answer; of many classes the confusions that cost most."""
    answer = comparison.answer
    names = [str(name) for name in comparison.classes]
    shares = _CASES * answer.confusion
    if len(names) <= _MOST_COLUMNS:
        header = ["true \\ answer", *names, *(["abstain"] if answer.abstention_rate else [])]
        rows = [
            [name, *(number(value, 3) for value in row[: len(header) - 1])]
            for name, row in zip(names, shares, strict=True)
        ]
        return table(header, rows)
    paid = answer.confusion_cost[:, :-1].copy()
    np.fill_diagonal(paid, 0.0)
    order = np.argsort(-paid, axis=None, kind="stable")[:_MOST_COLUMNS]
    rows = []
    for place in order.tolist():
        true, called = divmod(place, len(names))
        if paid[true, called] > 0:
            cells = [number(shares[true, called], 3), number(_CASES * paid[true, called])]
            rows.append([f"{names[true]} called {names[called]}", *cells])
    return table(["dearest confusions", "cases", "cost"], rows)


# ---------------------------------------------------------------- decide


def decide_class_parts(
    rows: ClassRows, questions: ClassQuestions, *, abstain_label: str | None, anyway: bool
) -> dict[str, Decided | str]:
    """Decide for every part; a group that has no answer gives the reason instead."""
    parts: dict[str, Decided | str] = {}
    for name, compared in compare_class_parts(rows, questions).items():
        if isinstance(compared, str):
            parts[name] = compared
            continue
        answer = compared.best_model() if compared.answer.is_trivial and anyway else compared.answer
        policy = None
        if not answer.is_trivial:
            policy = ClassPolicy.from_answer(answer, class_abstain_label(abstain_label, questions))
            policy = replace(policy, columns=rows.columns[str(answer.model)])
        parts[name] = Decided(comparison=compared, answer=answer, policy=policy)
    return parts


def class_abstain_label(given: str | None, questions: ClassQuestions) -> Any:
    """Return the label of an abstention, of the kind of the classes; None to pick one."""
    if given is None:
        return None
    if given in questions.names:
        listed = ", ".join(questions.names)
        raise InputError(f"`--abstain-label` must not be one of the classes {listed}, got {given}.")
    if isinstance(questions.labels[0], int):
        if not is_whole(given):
            raise InputError(
                f"`--abstain-label` must be a whole number like the classes, got {given!r}. Hint: -1."
            )
        return int(given)
    return given
