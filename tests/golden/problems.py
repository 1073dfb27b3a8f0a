"""Decision problems of every kind, made from their names: the same ones on every machine and in every year.

A problem is drawn from a generator seeded with the letters of its name, so adding one changes no other.
Every number is rounded to at most six digits, which makes the last bits of a logarithm harmless.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np

from demur import (
    Budget,
    CaseCosts,
    CostMatrix,
    CostModel,
    CostRange,
    Reviewer,
    ScoreCounts,
    compare_models,
)
from demur.comparison.case_table import CaseTable
from demur.comparison.comparison import compared
from demur.comparison.problem import DecisionProblem, Limits
from demur.costs import ReviewCascade
from demur.engines import read_joint_counts

__all__ = ["Problem", "families", "problems"]

STYLES = ("plain", "tied", "few", "rounded", "plain", "few tied")
"""How scores look: all different, on six levels, in steps of 0.2; `few`: two cases of one class."""

LIMITS: dict[str, tuple[float, ...]] = {
    "max_abstention": (0.1, 0.2, 0.25, 0.05),
    "min_precision_positive": (0.7, 0.6, 0.75, 0.8),
    "min_precision_negative": (0.8, 0.9, 0.75, 0.85),
    "max_fn_rate": (0.2, 0.1, 0.34, 0.5),
}
CONFIDENCE = "precision_confidence"  # no limit by itself: it sharpens a promised precision


@dataclass(frozen=True, kw_only=True, eq=False)
class Problem:
    """One call of `compare_models`.

    Attributes
    ----------
    name : str
        Family, what is special, style of the scores, number: "limits/max_fn_rate/tied/3".
    y : array
        Labels: 0 and 1, words, or classes 0 to m - 1.
    scores : mapping
        Model -> scores, or one column per class.
    options : mapping
        Keyword arguments of `compare_models`.
    form : str
        "rows", "counts" (of each model) or "joint" (counts of all models together).
    given_as_classes : mapping or None
        The same problem of two classes spelt with `classes=[0, 1]` and a cost matrix. The numbers recorded
        are those of the form without classes, and compared with those of `comparison(as_classes=True)`.
    """

    name: str
    y: Any
    scores: Mapping[str, Any]
    options: Mapping[str, Any] = field(default_factory=dict)
    form: str = "rows"
    given_as_classes: Mapping[str, Any] | None = None

    @property
    def family(self) -> str:
        """What comes before the first slash of the name."""
        return self.name.partition("/")[0]

    @property
    def costs(self) -> Any:
        """The costs, or None."""
        return self.options.get("costs")

    @property
    def limits(self) -> dict[str, float]:
        """The limits that are set."""
        return {name: self.options[name] for name in (*LIMITS, CONFIDENCE) if name in self.options}

    @property
    def tied(self) -> bool:
        """Whether a quarter of the scores of some model, or of one of its classes, repeat others."""
        columns = [column for table in self.scores.values() for column in np.atleast_2d(table.T)]
        return any(len(np.unique(column)) < 0.75 * len(self.y) for column in columns)

    def comparison(self, *, as_classes: bool = False) -> Any:
        """Compare the models; counts of each model have no public function of their own yet."""
        if as_classes:
            assert self.given_as_classes is not None
            proba = {name: np.column_stack([1 - s, s]) for name, s in self.scores.items()}
            return compare_models(self.y, proba, **self.given_as_classes)
        if self.form == "rows":
            return compare_models(self.y, self.scores, **self.options)
        if self.form == "joint":
            options = dict(self.options)
            table = {"label": np.asarray(self.y), **self.scores}
            joint = read_joint_counts(
                table, y_true="label", scores=list(self.scores), cells=options.pop("cells", None)
            )
            return compare_models(joint, **options)
        asked = {"costs": None, "prevalence": None, "objective": None, "confidence_level": 0.95, "seed": 0}
        question = DecisionProblem.checked(
            **{name: self.options.get(name, default) for name, default in asked.items()},
            limits=Limits(**self.limits),
        )
        counts = {name: ScoreCounts.from_arrays(self.y, column) for name, column in self.scores.items()}
        return compared(CaseTable.of_counts(counts, question), question)

    def scale(self) -> float:
        """Largest amount of money at a single case, at least 1: rounding errors grow with it."""
        amounts = [1.0]
        for value in (self.costs, self.options.get("abstain_cost")):
            amounts += list(_numbers(value))
        return float(max(amounts))


def _numbers(value: Any) -> Iterator[float]:
    """Absolute values of all numbers of any costs; factors of `CaseCosts` multiply the amounts."""
    if value is None or isinstance(value, (str, bool)):
        return
    if isinstance(value, Mapping):
        for one in value.values():
            yield from _numbers(one)
    elif isinstance(value, (int, float, tuple, list, np.ndarray)):
        yield from np.abs(np.ravel(value)).tolist()
    elif isinstance(value, CostMatrix):
        yield from np.abs(value.values).ravel().tolist()
    else:
        amounts = [0.0]
        for name in ("cost_fn", "cost_fp", "cost_tp", "cost_tn", "fee"):
            amounts += _numbers(getattr(value, name, None))
        for name in (
            "cost_abstain",
            "cost_abstain_positive",
            "cost_abstain_negative",
            "reviewer",
            "junior",
            "senior",
        ):
            amounts += _numbers(getattr(value, name, None))
        factors = [
            high
            for name in ("miss", "alarm", "review")
            for high in _numbers(getattr(value, f"{name}_factor", 1))
        ]
        yield max(amounts) * max(1.0, *factors)


# ---------------------------------------------------------------- cases


class Draw:
    """What is drawn for one problem."""

    def __init__(self, name: str, style: str) -> None:
        self.rng = np.random.default_rng(list(name.encode()))
        self.style = style

    def number(self, low: float, high: float, digits: int = 2) -> float:
        """Return a number with few digits."""
        return round(float(self.rng.uniform(low, high)), digits)

    def one_of(self, *values: Any) -> Any:
        """Return one of the values."""
        return values[int(self.rng.integers(len(values)))]

    def labels(self, sizes: tuple[int, ...]) -> Any:
        """Return 0 and 1 in random order: three positives to a half, or two cases of one class."""
        n = int(self.one_of(*sizes))
        if self.style.startswith("few"):
            positives = int(self.one_of(2, 2, n - 2))
        else:
            positives = int(self.one_of(3, 4, 5, self.rng.integers(6, n // 2)))
        return self.rng.permutation((np.arange(n) < positives).astype(int))

    def rounded(self, score: Any) -> Any:
        """Return scores in the style of the problem."""
        if "tied" in self.style:
            return np.clip(np.round(score), -2, 3)
        if self.style == "rounded":
            score = np.round(5 * score) / 5
        return np.round(score, 6) + 0.0

    def scores(self, y: Any, models: int) -> dict[str, Any]:
        """Return scores of some models of different quality on the same cases."""
        common = self.rng.normal(size=len(y))
        return {
            name: self.rounded((1.6 - 0.4 * k) * y + 0.5 * common + self.rng.normal(size=len(y)))
            for k, name in enumerate(("a", "b", "c")[:models])
        }

    def probabilities(self, y: Any, models: int) -> dict[str, Any]:
        """Return scores between 0 and 1."""
        common = self.rng.normal(size=len(y))
        return {
            name: self.share(
                1 / (1 + np.exp(0.7 - (1.8 - 0.4 * k) * y - 0.5 * common - self.rng.normal(size=len(y))))
            )
            for k, name in enumerate(("a", "b", "c")[:models])
        }

    def share(self, value: Any) -> Any:
        """Return probabilities in the style of the problem."""
        if self.style == "rounded":
            value = np.round(20 * value) / 20
        return np.round(value, 1 if "tied" in self.style else 6)

    def money(self, k: int) -> tuple[float, float, float]:
        """Return costs of a miss, an alarm and a review: round ones, at which windows tie, or not."""
        if k % 3 == 0:
            return self.one_of(1, 5, 10, 100), self.one_of(1, 2, 4, 10), self.one_of(0.25, 0.5, 1)
        unit = self.one_of(1, 1, 100, 10_000)
        miss, alarm = self.number(2, 9, 3), self.number(0.7, 4, 3)
        return miss * unit, alarm * unit, round(min(miss, alarm) * self.number(0.08, 0.45, 3), 4) * unit

    def costs(self, k: int, **more: Any) -> CostModel:
        """Return costs by class with a price of abstaining."""
        miss, alarm, review = self.money(k)
        return CostModel(cost_fn=miss, cost_fp=alarm, **(more or {"cost_abstain": review}))


SMALL, MIDDLE = (30, 32, 36, 40), (30, 40, 50, 60, 75, 90, 120)


def _series(
    title: str,
    number: int,
    *,
    sizes: tuple[int, ...] = SMALL,
    models: tuple[int, ...] = (1, 1, 2),
    styles: tuple[str, ...] = STYLES,
) -> Iterator[tuple[int, Draw, Problem]]:
    """Yield (k, draw, problem without costs), the styles in turns."""
    for k in range(number):
        style = styles[k % len(styles)]
        name = f"{title}/{style.replace(' ', '-')}/{k}"
        draw = Draw(name, style)
        y = draw.labels(sizes)
        yield k, draw, Problem(name=name, y=y, scores=draw.scores(y, models[k % len(models)]))


def _asked(problem: Problem, **options: Any) -> Problem:
    return replace(problem, options={**problem.options, **options})


# ---------------------------------------------------------------- two classes, costs by class


def _point() -> Iterator[Problem]:
    for k, draw, problem in _series("point", 28, sizes=MIDDLE, models=(1, 2, 1, 3)):
        if k % 4 == 3:
            made = replace(draw.costs(k), cost_abstain=None)
        elif k % 7 == 5:
            _, _, review = draw.money(1)
            made = draw.costs(1, cost_abstain_positive=review, cost_abstain_negative=round(review / 2, 4))
        else:
            made = draw.costs(k)
        yield _asked(problem, costs=made)
    for k, draw, problem in _series("spelling", 6):
        words = np.where(problem.y == 1, "ill", "well")
        spelt = {"pos_label": "ill", "class_names": ("well", "ill"), "seed": k, "confidence_level": 0.9}
        yield _asked(replace(problem, y=words), costs=draw.costs(k), **spelt)


def _without_costs() -> Iterator[Problem]:
    for _, _, problem in _series("without costs", 6, sizes=MIDDLE):
        yield problem


def _prevalence() -> Iterator[Problem]:
    for k, draw, problem in _series("prevalence", 18, sizes=MIDDLE):
        rate = (draw.number(0.01, 0.1), draw.number(0.1, 0.5), draw.number(0.5, 0.95))[k % 3]
        yield _asked(problem, costs=draw.costs(k + 1), prevalence=rate)


def _limits() -> Iterator[Problem]:
    for name, values in LIMITS.items():
        for k, draw, problem in _series(f"limits/{name}", 8):
            yield _asked(problem, costs=draw.costs(k), **{name: values[k % len(values)]})
    for k, draw, problem in _series(f"limits/{CONFIDENCE}", 4, sizes=(30, 34), models=(1,)):
        promise = ("min_precision_positive", "min_precision_negative")[k % 2]
        yield _asked(problem, costs=draw.costs(1), **{promise: (0.5, 0.7)[k % 2], CONFIDENCE: 0.8})
    pairs = [(one, two) for one in LIMITS for two in LIMITS if one < two]
    for k, draw, problem in _series("limits/two at once", 6):
        both = {name: LIMITS[name][k % 4] for name in pairs[k % len(pairs)]}
        yield _asked(problem, costs=draw.costs(1), **both)
    for k, draw, problem in _series("limits/with prevalence", 8):
        name = list(LIMITS)[k % len(LIMITS)]
        yield _asked(
            problem, costs=draw.costs(k), prevalence=(0.15, 0.45)[k % 2], **{name: LIMITS[name][k % 4]}
        )
    # the second model cannot keep all of them, and no rule without a model can
    strict = {"max_fn_rate": 0.1, "min_precision_positive": 0.8, "max_abstention": 0.1}
    for k, draw, problem in _series("limits/left out", 2, models=(2,), styles=("plain", "tied")):
        scores = {**problem.scores, "a": problem.scores["a"] + 9 * problem.y}
        yield _asked(replace(problem, scores=scores), costs=draw.costs(k), **strict)
    for k, draw, problem in _series("limits/must decide", 4):
        made = replace(draw.costs(k), cost_abstain=None)
        yield _asked(problem, costs=made, max_fn_rate=LIMITS["max_fn_rate"][k % 4])


def _spread(value: float, by: float) -> tuple[float, float]:
    return round(value * (1 - by), 4), round(value * (1 + by), 4)


def _range(draw: Draw, k: int) -> CostRange:
    """Return costs of which one, two or all three are ranges."""
    miss, alarm, review = draw.money(k)
    wide = draw.number(0.15, 0.5)
    return (
        CostRange(cost_fn=_spread(miss, wide), cost_fp=alarm, cost_abstain=review),
        CostRange(cost_fn=_spread(miss, wide), cost_fp=alarm, cost_abstain=_spread(review, wide)),
        CostRange(cost_fn=miss, cost_fp=_spread(alarm, wide)),
        CostRange(
            cost_fn=_spread(miss, wide), cost_fp=_spread(alarm, wide), cost_abstain=_spread(review, wide)
        ),
    )[(0, 1, 2, 0, 3, 1)[k % 6]]


def _ranges() -> Iterator[Problem]:
    for objective, number in (("regret", 6), ("worst", 6), ("expected", 4)):
        for k, draw, problem in _series(f"ranges/{objective}", number, sizes=(30, 36), models=(1,)):
            # the default of a range is regret
            aim = {} if objective == "regret" and k % 2 else {"objective": objective}
            yield _asked(problem, costs=_range(draw, k), **aim)
    for k, draw, problem in _series("ranges/of prevalence", 6, sizes=(30, 36), models=(1,)):
        low, high = draw.number(0.05, 0.25), draw.number(0.3, 0.6)
        costs = _range(draw, 0) if k % 4 == 3 else draw.costs(k)
        yield _asked(problem, costs=costs, prevalence=(low, high), objective=("regret", "worst")[k % 2])
    for name, values in LIMITS.items():
        for k, draw, problem in _series(f"ranges/{name}", 2, sizes=(30, 32), models=(1,)):
            yield _asked(problem, costs=_range(draw, 3 * k), **{name: values[k]})
    for k, draw, problem in _series("ranges/limits and prevalence", 3, sizes=(30,), models=(1,)):
        name = list(LIMITS)[k]
        asked = {"prevalence": (0.2, 0.4), "objective": "worst", name: LIMITS[name][k]}
        yield _asked(problem, costs=draw.costs(1), **asked)

    for k, draw, problem in _series("ranges/right answers and reviews by class", 4, sizes=(30,), models=(1,)):
        miss, alarm, review = draw.money(k)
        both = {"cost_abstain_positive": (review, 2 * review), "cost_abstain_negative": (review / 2, review)}
        yield _asked(
            problem,
            costs=CostRange(
                cost_fn=(miss, 1.5 * miss),
                cost_fp=alarm,
                cost_tp=(0, review / 4),
                cost_tn=(0, review / 4) if k % 2 else 0,
                **both if k < 2 else {"cost_abstain": review},
            ),
            objective=("regret", "worst")[k % 2],
        )


def _guaranteed() -> Iterator[Problem]:
    for _, draw, problem in _series("guaranteed", 4, sizes=(40, 60), models=(1,)):
        # bounds of so few cases are wide: only a model that is nearly perfect beats abstaining
        scores = {"a": problem.scores["a"] + 4 * problem.y}
        costs = CostModel(
            cost_fn=draw.number(1, 2), cost_fp=draw.number(1, 2), cost_abstain=draw.number(0.6, 0.9)
        )
        yield _asked(replace(problem, scores=scores), costs=costs, objective="guaranteed")


def _rewards() -> Iterator[Problem]:
    for k, draw, problem in _series("rewards", 14):
        miss, alarm, review = draw.money(k)
        gains = ({"cost_tp": -miss}, {"cost_tn": -alarm / 4}, {"cost_tp": -miss / 2, "cost_tn": -alarm / 8})[
            k % 3
        ]
        if k % 5 == 4:
            gains = {"cost_tp": review / 2, "cost_tn": review / 4}  # a right answer may cost something, too
        made = CostModel(cost_fn=miss, cost_fp=alarm, cost_abstain=None if k % 4 == 3 else review, **gains)
        yield _asked(problem, costs=made, **({"prevalence": 0.2} if k % 6 == 5 else {}))


def _reviewer(draw: Draw, k: int, fee: Any) -> Reviewer | ReviewCascade:
    right = {"sensitivity": draw.number(0.85, 0.99), "specificity": draw.number(0.85, 0.99)}
    first = Reviewer(fee=fee, **(right if k % 3 else {}))
    if k % 4 != 3:
        return first
    senior = Reviewer(fee=draw.number(0.2, 0.6), sensitivity=0.98)
    return ReviewCascade(
        junior=first, senior=senior, passed_on_positive=0.3, passed_on_negative=draw.number(0.1, 0.3)
    )


def _reviewers() -> Iterator[Problem]:
    for k, draw, problem in _series("reviewers/by class", 12):
        miss, alarm, _ = draw.money(3 * k)
        made = CostModel(
            cost_fn=10 * miss, cost_fp=10 * alarm, reviewer=_reviewer(draw, k, draw.number(0.1, 1.5))
        )
        yield _asked(problem, costs=made)
    for k, draw, problem in _series("reviewers/by case", 8):
        fee = np.round(draw.rng.uniform(0.5, 3, len(problem.y)), 2) if k % 2 else draw.number(0.5, 3)
        amounts = np.round(draw.rng.lognormal(3, 1, len(problem.y)), 2)
        made = CaseCosts(cost_fn=amounts, cost_fp=draw.number(4, 12), reviewer=_reviewer(draw, k, fee))
        yield _asked(problem, costs=made)


# ---------------------------------------------------------------- amounts


def _amount_costs(draw: Draw, k: int, n: int, **more: Any) -> CaseCosts:
    """Return costs of which a miss costs an amount, and others do in turns."""
    amounts = np.round(draw.rng.lognormal(3, 1, n), 0 if k % 3 == 0 else 2)
    share = np.round(amounts * 0.05 + 1, 2)
    fixed, review = draw.number(3, 20), draw.number(0.5, 3)
    reviews = (
        {"cost_abstain": review},
        {"cost_abstain": share},
        {"cost_abstain_positive": review, "cost_abstain_negative": share},
        {},
    )[k % 4]
    right = ({}, {}, {"cost_tp": np.round(amounts / 20, 2)}, {"cost_tn": 0.25}, {})[k % 5]
    columns = {"cost_fn": "amount"} if k % 2 else {}
    alarm = share * 3 if k % 3 == 1 else fixed
    return CaseCosts(cost_fn=amounts, cost_fp=alarm, columns=columns, **reviews, **right, **more)


def _amounts() -> Iterator[Problem]:
    for k, draw, problem in _series("amounts", 16):
        yield _asked(problem, costs=_amount_costs(draw, k, len(problem.y)))
    for k, draw, problem in _series("amounts/with prevalence", 6):
        yield _asked(problem, costs=_amount_costs(draw, k, len(problem.y)), prevalence=(0.1, 0.4)[k % 2])
    for name, values in LIMITS.items():
        for k, draw, problem in _series(f"amounts/{name}", 2, models=(1,)):
            yield _asked(problem, costs=_amount_costs(draw, k, len(problem.y)), **{name: values[k]})
    factors = ({"miss_factor": (0.4, 0.7)}, {"alarm_factor": (0.5, 2.0)}, {"review_factor": (0.8, 1.6)})
    # with two cases of a class the nested choice among such ranges ends in a KeyError today, so there is none
    for k, draw, problem in _series(
        "amounts/ranges", 3, sizes=(30, 34), models=(1,), styles=("plain", "tied", "rounded")
    ):
        made = _amount_costs(draw, 4 * k, len(problem.y), **factors[k % 3])
        yield _asked(problem, costs=made, objective=("regret", "worst", "expected")[k % 3])
    for k, draw, problem in _series("amounts/known", 8, sizes=(60, 90)):
        limits = {"max_abstention": 0.2} if k == 5 else {}
        made = replace(_amount_costs(draw, k, len(problem.y)), known_at_decision=True)
        yield _asked(problem, costs=made, **limits)
    for k, draw, problem in _series("amounts/weights", 4):
        weight = draw.rng.integers(1, 4, len(problem.y)).astype(float)
        asked = {"sample_weight": weight, "weights": ("repeats", "importance")[k % 2]}
        yield _asked(problem, costs=_amount_costs(draw, k, len(problem.y)), **asked)


# ---------------------------------------------------------------- counts and weights


def _counts() -> Iterator[Problem]:
    for k, draw, problem in _series("counts", 16, sizes=(40, 60, 90), models=(1, 2)):
        asked: dict[str, Any] = {} if k % 8 == 7 else {"costs": draw.costs(k)}
        if k % 4 == 1:
            asked["prevalence"] = 0.2
        if k == 4:
            asked["costs"] = _range(draw, 0)
        if k % 8 == 2:
            asked["max_abstention"] = 0.2
        if k % 8 == 6:
            asked["max_fn_rate"] = 0.25
        yield _asked(replace(problem, form="counts"), **asked)


def _joint() -> Iterator[Problem]:
    for k, draw, problem in _series("joint counts", 12, sizes=(40, 60, 90), models=(2, 2, 3)):
        asked: dict[str, Any] = {"costs": draw.costs(k)}
        if k % 4 == 1:
            asked["prevalence"] = 0.3
        if k % 4 == 2:
            asked["cells"] = 36
        if k == 7:
            asked["costs"] = _range(draw, 0)
        if k % 8 == 3:
            asked["max_abstention"] = 0.2
        yield _asked(replace(problem, form="joint"), **asked)


def _weights() -> Iterator[Problem]:
    for k, draw, problem in _series("weights/repeats", 10):
        asked = {"sample_weight": draw.rng.integers(1, 5, len(problem.y)).astype(float), "weights": "repeats"}
        if k % 4 == 3:
            asked["sample_weight"][:3] = 0  # a case of no weight is none
        yield _asked(problem, costs=draw.costs(k), **asked, **({"max_abstention": 0.2} if k % 6 == 1 else {}))
    for k, draw, problem in _series("weights/importance", 10):
        weight = np.round(draw.rng.uniform(0.2, 3, len(problem.y)), 2)
        yield _asked(
            problem, costs=draw.costs(k), sample_weight=weight, **({"prevalence": 0.25} if k % 3 == 2 else {})
        )


def _designs() -> Iterator[Problem]:
    """Yield cases that hang together, follow each other, or have no label."""
    styles = ("plain", "tied", "rounded")
    for k, draw, problem in _series("clusters", 8, sizes=(60, 75, 90, 120), styles=styles):
        groups = draw.rng.permutation(np.arange(len(problem.y)) // (2 + k % 3))
        more = {"prevalence": 0.3} if k % 4 == 3 else {}
        yield _asked(problem, costs=draw.costs(k), groups=groups, **more)
    for k, draw, problem in _series("time", 6, sizes=(120,), styles=styles):
        when = draw.rng.permutation(len(problem.y))
        yield _asked(problem, costs=draw.costs(k), time=when, **({"groups": when % 40} if k % 3 == 2 else {}))
    for k, draw, problem in _series("missing labels", 6, sizes=(90,), styles=styles):
        labels = np.where(draw.rng.random(len(problem.y)) < 0.1, np.nan, problem.y)
        how = ("bounds", "drop")[k % 2]
        yield _asked(replace(problem, y=labels), costs=draw.costs(k), missing_labels=how)


def _places() -> Iterator[Problem]:
    """Yield cases of which so many a day can be reviewed."""
    for k, draw, problem in _series("places", 8, sizes=(90, 120), styles=("plain", "tied", "rounded")):
        n = len(problem.y)
        days = np.datetime64("2026-03-02") + draw.rng.integers(0, 12 if k % 3 < 2 else 60, n)
        budget = Budget(
            reviews=int(draw.one_of(1, 2, 4)),
            column=days if k % 2 else days.astype(str),
            key=draw.rng.permutation(n),
            per=("day", "day", "week")[k % 3],
            arrival=k % 4 == 1,
            carry_over=k % 4 == 2,
        )
        costs = _amount_costs(draw, 0, n, known_at_decision=k == 3) if k % 4 == 3 else draw.costs(k)
        yield _asked(problem, costs=costs, budget=budget)


def _several() -> Iterator[Problem]:
    """Yield rules of several models and guards, with and without prices."""
    for k, draw, problem in _series("several/combinations", 9, sizes=(40, 60, 90), models=(2, 3)):
        asked: dict[str, Any] = {"costs": draw.costs(k), "include": "combinations"}
        if k % 3 == 1:
            cheapest = min(asked["costs"].cost_abstain, 1.0)
            asked["prices"] = {"a": round(cheapest / 8, 4), "b": round(cheapest / 20, 4)}
        if k % 4 == 3:
            asked["prevalence"] = 0.3
        if k == 4:
            asked["costs"] = _amount_costs(draw, 1, len(problem.y))
        if k == 5:
            asked["costs"] = _range(draw, 0)
        yield _asked(replace(problem, scores=draw.probabilities(problem.y, len(problem.scores))), **asked)
    for k, draw, problem in _series("several/guards", 6, sizes=(40, 60, 90), models=(1, 2)):
        doubt = np.round(draw.rng.random(len(problem.y)), 1 if k % 2 else 4)
        strange = draw.rng.random(len(problem.y)) < 0.15
        scores = {name: np.where(strange, -column, column) + 0.0 for name, column in problem.scores.items()}
        asked = {"costs": draw.costs(k), "include": "guards", "doubt": {"far": doubt + 2 * strange}}
        if k == 3:
            asked["groups"] = np.arange(len(problem.y)) // 3
        yield _asked(replace(problem, scores=scores), **asked)


def _unknown() -> Iterator[Problem]:
    """Yield cases whose class cannot be known, with scores between those of the classes."""
    for k, draw, problem in _series("unknown", 8, sizes=(40, 60, 90)):
        n = len(problem.y) // 5
        y = np.append(problem.y, np.full(n, 2))
        more = {name: draw.rounded(0.8 + 0.7 * draw.rng.normal(size=n)) for name in problem.scores}
        scores = {name: np.append(column, more[name]) for name, column in problem.scores.items()}
        asked: dict[str, Any] = {"costs": draw.costs(k), "unknown_label": 2}
        asked["cost_unknown"] = round(asked["costs"].cost_fp * draw.one_of(0.5, 1, 2), 4)
        if k % 4 == 3:
            asked |= {"sample_weight": draw.rng.integers(1, 4, len(y)).astype(float), "weights": "repeats"}
        yield _asked(replace(problem, y=y, scores=scores), **asked)


# ---------------------------------------------------------------- two classes, given as classes


def _two_classes() -> Iterator[Problem]:
    for k, draw, problem in _series("two classes", 34):
        scores = draw.probabilities(problem.y, len(problem.scores))
        miss, alarm, review = draw.money(k)
        binary: dict[str, Any] = {"costs": CostModel(cost_fn=miss, cost_fp=alarm, cost_abstain=review)}
        spelt: dict[str, Any] = {
            "classes": [0, 1],
            "costs": {0: {1: alarm}, 1: {0: miss}},
            "abstain_cost": review,
        }
        if k % 6 == 1:
            binary["costs"], spelt["abstain_cost"] = replace(binary["costs"], cost_abstain=None), None
        if k % 6 == 2:
            binary["costs"] = CostModel(
                cost_fn=miss, cost_fp=alarm, cost_abstain_positive=review, cost_abstain_negative=review / 2
            )
            spelt["abstain_cost"] = [review / 2, review]
        if k % 6 == 3:
            binary["prevalence"], spelt["prevalence"] = 0.2, {0: 0.8, 1: 0.2}
        if k % 6 == 4:
            binary["max_abstention"] = spelt["max_abstention"] = LIMITS["max_abstention"][k % 4]
        if k % 12 == 5:
            weight = draw.rng.integers(1, 4, len(problem.y)).astype(float)
            for one in (binary, spelt):
                one.update(sample_weight=weight, weights="repeats")
        if k % 12 == 11:
            reviewer = Reviewer(fee=review / 2, sensitivity=0.95, specificity=0.9)
            binary["costs"] = CostModel(cost_fn=miss, cost_fp=alarm, reviewer=reviewer)
            spelt["abstain_cost"] = reviewer
        yield replace(problem, scores=scores, options=binary, given_as_classes=spelt)


# ---------------------------------------------------------------- many classes


def _classes(m: int, number: int, sizes: tuple[int, ...]) -> Iterator[Problem]:
    """Yield problems of m classes: with and without abstaining, a limit, ranges, shares, weights, ..."""
    names = list("stuvwx"[:m])
    for k in range(number):
        style = STYLES[k % len(STYLES)]
        title = ("plain", "abstaining", "limit", "ranges", "shares", "weights", "by class", "reviewer")[k % 8]
        name = f"{m} classes/{title}/{style.replace(' ', '-')}/{k}"
        draw = Draw(name, style)
        n = int(draw.one_of(*sizes))
        # the last class is rare, the others are not
        last = 2 if style.startswith("few") else 4
        codes = draw.rng.permutation(np.append(np.arange(n - last) % (m - 1), np.full(last, m - 1)))
        proba = {}
        for one in ("a", "b")[: 2 if k == 1 and m == 3 else 1]:
            raw = np.exp(draw.rng.normal(size=(n, m)) + 1.5 * np.eye(m)[codes])
            proba[one] = draw.share(raw / raw.sum(axis=1, keepdims=True))
        matrix = np.round(draw.rng.uniform(0.5, 8, (m, m)), 0 if k % 3 == 0 else 2)
        if k % 4 == 2:
            matrix = np.repeat(matrix[:, :1], m, axis=1)  # costs by true class: weights of probabilities
        np.fill_diagonal(matrix, -0.5 if k == 8 else 0)  # a right answer may be a gain
        table = {
            true: dict(zip(names, row, strict=True)) for true, row in zip(names, matrix.tolist(), strict=True)
        }
        review = draw.number(0.3, 1.2)
        asked: dict[str, Any] = {"classes": names, "costs": CostMatrix(values=matrix, classes=names)}
        if title not in ("plain", "ranges"):
            asked["abstain_cost"] = review
        if title == "limit":
            asked["max_abstention"] = LIMITS["max_abstention"][k % 4]
        if title == "ranges":
            table[names[0]][names[1]] = (1.0, 6.5)
            asked |= {"costs": table, "objective": ("regret", "worst")[k // 8 % 2]}
        if title == "shares":
            weights = np.arange(1, m + 1) / (m * (m + 1) / 2)
            asked["prevalence"] = dict(zip(names, weights.tolist(), strict=True))
        if title == "weights":
            weight = draw.rng.integers(1, 4, n).astype(float)
            asked |= {"sample_weight": weight, "weights": ("repeats", "importance")[m == 6]}
        if title == "by class":
            prices = np.round(draw.rng.uniform(0.2, 1.5, m), 2).tolist()
            asked |= {"costs": table, "abstain_cost": dict(zip(names, prices, strict=True))}
        if title == "reviewer":
            asked["abstain_cost"] = Reviewer(fee=review / 2, sensitivity=0.95, specificity=0.95)
        yield Problem(name=name, y=np.array(names)[codes], scores=proba, options=asked)


def _all() -> Iterator[Problem]:
    yield from _point()
    yield from _without_costs()
    yield from _prevalence()
    yield from _limits()
    yield from _ranges()
    yield from _guaranteed()
    yield from _rewards()
    yield from _reviewers()
    yield from _amounts()
    yield from _counts()
    yield from _joint()
    yield from _weights()
    yield from _designs()
    yield from _places()
    yield from _several()
    yield from _unknown()
    yield from _two_classes()
    yield from _classes(3, 12, (30,))
    yield from _classes(6, 8, (30, 36))


@cache
def problems() -> dict[str, Problem]:
    """Return all problems by name."""
    made = list(_all())
    named = {problem.name: problem for problem in made}
    assert len(named) == len(made), "two problems have one name"
    return named


def families() -> dict[str, list[Problem]]:
    """Return the problems of each family."""
    several: dict[str, list[Problem]] = {}
    for problem in problems().values():
        several.setdefault(problem.family, []).append(problem)
    return several
