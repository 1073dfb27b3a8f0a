"""What `compare`, `decide` and `demo` show: every model at the user's costs and over all costs."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from demur.costs.curves import BestRange, CostCurve, best_ranges, cost_curve
from demur.costs.model import CostModel
from demur.counts.scores import ScoreCounts
from demur.exceptions import UndefinedError
from demur.roc.curve import auc_score
from demur.surface.regions import SurfaceDifference
from demur.surface.surface import AbstentionSurface, abstention_surface
from demur.surface.window import AbstentionWindow
from demur.windows.cheapest import cheapest_window

__all__ = [
    "AtCosts",
    "Comparison",
    "Limits",
    "ModelResult",
    "Ranking",
    "compare_models",
    "rank_models",
    "trivial_rule",
]

# costs per case within this of each other, relative to a miss, are a tie
_TIE = 1e-12


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a window must keep besides being cheap; the names are those of `cheapest_window`."""

    max_abstention: float | None = None
    min_precision_positive: float | None = None
    min_precision_negative: float | None = None

    def given(self) -> dict[str, float]:
        """Return the limits that are set."""
        return {name: value for name, value in vars(self).items() if value is not None}


_NO_LIMITS = Limits()


@dataclass(frozen=True, kw_only=True, eq=False)
class AtCosts:
    """One model at the user's costs: its window, and what else one could do."""

    window: AbstentionWindow
    never_abstaining: AbstentionWindow
    trivial: AbstentionWindow

    @property
    def saved_by_abstaining(self) -> float:
        """Expected cost per case saved against the same model without abstention."""
        return _saving(self.never_abstaining, self.window)

    @property
    def saved_by_model(self) -> float:
        """Expected cost per case saved against the best rule that ignores the scores."""
        return _saving(self.trivial, self.window)

    def to_dict(self) -> dict[str, Any]:
        """Return the windows with their costs."""
        return {
            "window": self.window.to_dict(),
            "never_abstaining": self.never_abstaining.to_dict(),
            "trivial": {**self.trivial.to_dict(), "rule": trivial_rule(self.trivial)},
            "saved_by_abstaining": self.saved_by_abstaining,
            "saved_by_model": self.saved_by_model,
        }


def _saving(other: AbstentionWindow, best: AbstentionWindow) -> float:
    """Difference per case; exactly 0 where only rounding is left."""
    same = other.cost - best.cost <= _TIE
    return 0.0 if same else other.expected_cost - best.expected_cost


@dataclass(frozen=True, kw_only=True, eq=False)
class ModelResult:
    """Everything computed for one model."""

    name: str
    counts: ScoreCounts
    surface: AbstentionSurface
    cost_curve: CostCurve
    auc: float
    vacc: float
    area: float
    at_costs: AtCosts | None

    @property
    def n_distinct(self) -> int:
        """Number of distinct scores."""
        return int(self.counts.blocks().groups.sum())

    def priced(self) -> AtCosts:
        """Return `at_costs`; only for comparisons that have costs."""
        if self.at_costs is None:
            raise ValueError("this comparison was made without costs")
        return self.at_costs

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers, unrounded."""
        return {
            "name": self.name,
            "auc": self.auc,
            "vacc": self.vacc,
            "cost_curve_area": self.area,
            "at_costs": None if self.at_costs is None else self.at_costs.to_dict(),
            "cost_curve": self.cost_curve.to_dict(),
            "surface": self.surface.to_dict(),
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class Ranking:
    """Models in order.

    Attributes
    ----------
    costs : CostModel or None
        The user's costs.
    limits : Limits
        What every window keeps.
    prevalence : float
        P(positive) assumed.
    models : tuple of ModelResult
        Cheapest first at `costs`; by volume (VACC) where there are none.
    impossible : dict
        Model that cannot keep the limits -> why.
    """

    costs: CostModel | None
    limits: Limits
    prevalence: float
    models: tuple[ModelResult, ...]
    impossible: dict[str, str]

    @property
    def best(self) -> ModelResult:
        """The first model."""
        return self.models[0]

    @property
    def ties(self) -> list[str]:
        """Other models exactly as cheap as the best at the user's costs."""
        if self.costs is None:
            return []
        least = self.best.priced().window.cost
        return [model.name for model in self.models[1:] if model.priced().window.cost <= least + _TIE]

    def never_abstaining(self) -> ModelResult:
        """Return the model that is cheapest when nobody may abstain."""
        return min(self.models, key=lambda model: model.priced().never_abstaining.cost)


@dataclass(frozen=True, kw_only=True, eq=False)
class Comparison(Ranking):
    """Models side by side.

    Attributes
    ----------
    ranges : list of BestRange
        Which model is cheapest without abstaining, by operating point.
    pairs : dict
        (first, second) -> exact difference of the two surfaces over the unit square of costs,
        for every pair, the model earlier in `models` first.
    """

    ranges: list[BestRange]
    pairs: dict[tuple[str, str], SurfaceDifference]

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers, unrounded."""
        return {
            "prevalence": self.prevalence,
            "costs": None
            if self.costs is None
            else {**self.costs.to_dict(), "mu": self.costs.mu, "nu": self.costs.nu},
            "hindsight": "Thresholds were chosen on these same data; expect slightly higher costs in use.",
            "best": None if self.costs is None else self.best.name,
            "models": [model.to_dict() for model in self.models],
            "best_ranges": [part._asdict() for part in self.ranges],
            "pairs": [
                {"first": first, "second": second, **gap.to_dict()}
                for (first, second), gap in self.pairs.items()
            ],
        }


def compare_models(
    counts: Mapping[str, ScoreCounts], *, costs: CostModel | None, prevalence: float | None
) -> Comparison:
    """Compute everything the verbs show; `UndefinedError` if a class is missing."""
    ranking = rank_models(counts, costs=costs, prevalence=prevalence)
    return Comparison(
        **vars(ranking),
        ranges=best_ranges({model.name: model.cost_curve for model in ranking.models}),
        pairs={
            (first.name, second.name): first.surface.minus(second.surface)
            for first, second in combinations(ranking.models, 2)
        },
    )


def rank_models(
    counts: Mapping[str, ScoreCounts],
    *,
    costs: CostModel | None,
    prevalence: float | None,
    limits: Limits = _NO_LIMITS,
) -> Ranking:
    """Order the models; one that cannot keep the limits is left out, `UndefinedError` if none can."""
    results, impossible = [], {}
    for name, evidence in counts.items():
        try:
            results.append(_result(name, evidence, costs, prevalence, limits))
        except UndefinedError as error:
            if len(counts) == 1 or not limits.given():
                raise
            impossible[name] = str(error)
    if not results:
        name, why = next(iter(impossible.items()))
        raise UndefinedError(f"No model keeps the limits; {name}: {why}")
    # rounding makes ties exact, so that the volume decides them
    ordered = sorted(
        results,
        key=lambda model: (round(model.at_costs.window.cost, 12) if model.at_costs else 0, model.vacc),
    )
    return Ranking(
        costs=costs,
        limits=limits,
        prevalence=ordered[0].surface.prevalence,
        models=tuple(ordered),
        impossible=impossible,
    )


def _result(
    name: str, counts: ScoreCounts, costs: CostModel | None, prevalence: float | None, limits: Limits
) -> ModelResult:
    surface = abstention_surface(counts, prevalence=prevalence)
    curve = cost_curve(counts)
    at_costs = None
    if costs is not None:
        at_costs = AtCosts(
            window=_cheapest(surface, costs, prevalence, limits),
            never_abstaining=surface.window(costs=replace(costs, cost_abstain=None)),
            trivial=surface.trivial().window(costs=costs),
        )
    return ModelResult(
        name=name,
        counts=counts,
        surface=surface,
        cost_curve=curve,
        auc=auc_score(counts),
        vacc=surface.volume(),
        area=curve.area(),
        at_costs=at_costs,
    )


def _cheapest(
    surface: AbstentionSurface, costs: CostModel, prevalence: float | None, limits: Limits
) -> AbstentionWindow:
    if not limits.given():
        return surface.window(costs=costs)
    return cheapest_window(surface.counts, costs=costs, prevalence=prevalence, **limits.given())


def trivial_rule(window: AbstentionWindow) -> str:
    """Name what a window does that treats all cases alike."""
    if not window.is_empty:
        return "always abstain"
    return "always positive" if window.upper_index == 0 else "always negative"
