"""What rules decide on every case: chosen without the case's fold, and with hindsight.

Actions are coded by class, abstaining as `ABSTAIN`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from demur._kernels.jit import whole_job
from demur.comparison.classes.question import ClassQuestion
from demur.comparison.classes.rows import ClassCases
from demur.comparison.classes.search import KINDS, Chosen, Training, chosen_rule, possible_kinds
from demur.comparison.threads import workers
from demur.costs.losses import Losses
from demur.surface.window import ABSTAIN
from demur.typing import FloatArray
from demur.windows.class_rule import ClassRule

__all__ = ["ClassCandidate", "joint_table", "model_candidates", "trivial_candidates"]

Codes = npt.NDArray[np.int16]
_PASSES = 16
_FIXED = ("argmax", "expected cost", "expected cost, abstaining")


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassCandidate:
    """One rule with its decisions on all cases.

    `honest[r]` are the decisions in split r, `hindsight` those of the rule chosen on all cases.
    Tables have a row per true class and a column per answer, abstaining last; counts averaged over
    the splits. `aim` is the place of the prices it was chosen for.
    """

    kind: str
    model: str | None
    chosen: Chosen | None
    aim: int
    honest: Sequence[Codes]
    hindsight: Codes
    order: tuple[int, ...]
    cases: ClassCases
    honest_table: FloatArray = field(init=False)
    hindsight_table: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "honest_table", _table(self.cases, self.honest))
        object.__setattr__(self, "hindsight_table", _table(self.cases, [self.hindsight]))

    @property
    def rule(self) -> ClassRule | None:
        """The rule chosen on all cases; None without a model."""
        return None if self.chosen is None else self.chosen.rule

    @property
    def abstains(self) -> bool:
        """Whether abstaining is an answer of the rule."""
        return self.kind == "always abstain" or (self.rule is not None and self.rule.abstains)


def _table(cases: ClassCases, decisions: Sequence[Codes]) -> FloatArray:
    m = len(cases.classes)
    total = np.zeros(m * (m + 1))
    for codes in decisions:
        total += np.bincount(cases.codes * (m + 1) + codes % (m + 1), cases.sizes, len(total))
    return (total / len(decisions)).reshape(m, m + 1)


def joint_table(cases: ClassCases, first: Sequence[Codes], second: Sequence[Codes]) -> FloatArray:
    """Cases by class, decision of the first rule and decision of the second."""
    m = len(cases.classes)
    total = np.zeros(m * (m + 1) ** 2)
    for one, two in zip(first, second, strict=True):
        both = (cases.codes * (m + 1) + one % (m + 1)) * (m + 1) + two % (m + 1)
        total += np.bincount(both, cases.sizes, len(total))
    return (total / len(first)).reshape(m, m + 1, m + 1)


def trivial_candidates(cases: ClassCases, question: ClassQuestion) -> list[ClassCandidate]:
    """Rules without a model: always one class, always abstain."""
    m, n = len(cases.classes), len(cases.codes)
    kinds = [f"always {name}" for name in cases.classes]
    if question.ranges.may_abstain and question.max_abstention in (None, 1.0):
        kinds.append("always abstain")
    return [
        ClassCandidate(
            kind=kind,
            model=None,
            chosen=None,
            aim=0,
            honest=[np.full(n, code, dtype=np.int16)] * len(cases.splits),
            hindsight=np.full(n, code, dtype=np.int16),
            order=(0, code % (m + 1)),
            cases=cases,
        )
        for code, kind in zip((*range(m), ABSTAIN), kinds, strict=False)
    ]


def model_candidates(
    cases: ClassCases,
    name: str,
    question: ClassQuestion,
    place: int,
    *,
    kinds: Sequence[str] | None = None,
) -> list[ClassCandidate]:
    """All rules of one model, judged on all cases, for all prices the question asks about.

    `kinds` names the only ones wanted.
    """
    possible = possible_kinds(question) if kinds is None else kinds
    proba = cases.proba[name]
    everything = np.arange(len(cases.codes))
    candidates = []
    with workers(len(everything)) as pool:
        for aim, losses in enumerate(question.aims()):
            # prices do not change the largest probability
            kept = [kind for kind in possible if aim == 0 or kind != "argmax"]
            training = Training.of(cases, proba, everything, question, (0,))
            chosen = {kind: chosen_rule(training, losses, kind, proof=True) for kind in kept}
            held_out = _held_out(cases, proba, question, losses, kept, pool)
            for kind in kept:
                codes = chosen[kind].rule.codes(proba).astype(np.int16)
                honest = held_out.get(kind) or [codes] * len(cases.splits)
                candidates.append(
                    ClassCandidate(
                        kind=kind,
                        model=name,
                        chosen=chosen[kind],
                        aim=aim,
                        honest=honest,
                        hindsight=codes,
                        order=(1 + KINDS.index(kind), aim, place),
                        cases=cases,
                    )
                )
    return candidates


def _held_out(
    cases: ClassCases,
    proba: FloatArray,
    question: ClassQuestion,
    losses: Losses,
    kinds: Sequence[str],
    pool: Any,
) -> dict[str, list[Codes]]:
    """Decisions in every split by rules chosen without the fold; kinds that choose nothing are left out."""
    n, m = proba.shape
    # a limit is kept by choosing, so then even expected costs are
    fixed = () if question.max_abstention is not None else _FIXED
    learned = [kind for kind in kinds if kind not in fixed]
    decisions = {kind: [np.empty(n, dtype=np.int16) for _ in cases.splits] for kind in learned}

    # every descent goes over all rows, answers and moves several times
    work = n * (m + 1) ** 2 * _PASSES * cases.folds * len(cases.splits)

    def judge(task: tuple[int, int]) -> None:
        split, fold = task
        folds = cases.splits[split]
        held = np.flatnonzero(folds == fold)
        training = Training.of(cases, proba, np.flatnonzero(folds != fold), question, (1 + split, fold))
        with whole_job(work):
            for kind, splits in decisions.items():
                rule = chosen_rule(training, losses, kind).rule
                splits[split][held] = rule.codes(proba[held])

    tasks = [(split, fold) for split in range(len(cases.splits)) for fold in range(cases.folds)]
    list(pool.map(judge, tasks))
    return decisions
