"""`PageWidget`: the page in a notebook, with costs and rule that go both ways (extra `notebook`)."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode

import anywidget
import traitlets

from demur._checks import check_type
from demur.costs.matrix import CostMatrix, as_cost_matrix
from demur.costs.model import CostModel
from demur.costs.reviewer import Reviewer
from demur.exceptions import InputError
from demur.policy.policy import Policy
from demur.report.page_text import page_part

__all__ = ["ClassPageWidget", "PageWidget", "page_widget"]


def page_widget(report: Any) -> "PageWidget":
    """Return the widget of a `Report`."""
    answer: Any = None if report.comparison is None else report.comparison.answer
    shown = {
        "page": report.to_html(),
        "headline": report.headline,
        "policy": None if answer is None or answer.model is None else Policy.from_answer(answer),
    }
    if not report.many:
        return PageWidget(**shown, models=[model.name for model in report.models], costs=report.costs)
    return ClassPageWidget(
        **shown,
        models=list(report.comparison.models),
        classes=report.comparison.classes,
        costs=answer.costs,
        abstain_costs=None if answer.abstain_costs is None else answer.abstain_costs.tolist(),
    )


class PageWidget(anywidget.AnyWidget):
    """The page of a report as a widget; made by `Report.widget`.

    Set `costs` and the page follows; edit the page and `costs`, `policy` and `headline` follow. Set
    `policy` and the page shows the rule of its model at its costs. `observe` works on all three.
    After a change from Python `policy` is None until the page has answered, so it is never that of
    other costs.
    """

    _esm = page_part("notebook.js")
    _page = traitlets.Unicode().tag(sync=True)
    _asked = traitlets.Unicode("").tag(sync=True)
    _told = traitlets.Unicode("").tag(sync=True)
    costs = traitlets.Any(help="Costs on show.")
    policy = traitlets.Any(allow_none=True, help="Policy of the rule on show; None without a model.")
    headline = traitlets.Unicode(help="What the page says.")

    def __init__(self, *, page: str, models: Sequence[str], costs: Any, policy: Any, headline: str) -> None:
        self._models = list(models)
        self._questions = 0
        with self._unasked():
            super().__init__(_page=page, costs=costs, policy=policy, headline=headline)

    @contextmanager
    def _unasked(self) -> Iterator[None]:
        """Change costs or policy without asking the page."""
        self._hearing = True
        try:
            yield
        finally:
            self._hearing = False

    # ---------------------------------------------------------------- from the page

    @traitlets.observe("_told")
    def _hear(self, change: Any) -> None:
        told = json.loads(change["new"])
        with self._unasked():
            self.costs = self._read_costs(told["costs"])
            self.policy = None if told["policy"] is None else Policy.from_dict(json.loads(told["policy"]))
            self.headline = told["headline"]

    def _read_costs(self, told: Mapping[str, Any]) -> Any:
        abstain, by_class = told["abstain"], told["byClass"]
        prices: dict[str, Any] = {f"cost_{name}": told[name] for name in ("fn", "fp", "tp", "tn")}
        if told["rates"] is not None and abstain is not None:
            sensitivity, specificity = told["rates"]
            reviewer = Reviewer(fee=abstain, sensitivity=sensitivity, specificity=specificity)
            return CostModel(**prices, reviewer=reviewer)
        if by_class is not None:
            positive, negative = by_class
            return CostModel(**prices, cost_abstain_positive=positive, cost_abstain_negative=negative)
        return CostModel(**prices, cost_abstain=abstain)

    # ---------------------------------------------------------------- to the page

    @traitlets.validate("costs")
    def _check_costs(self, proposal: Any) -> Any:
        check_type(proposal["value"], "costs", CostModel)
        return proposal["value"]

    @traitlets.observe("costs")
    def _tell_costs(self, change: Any) -> None:
        if not self._hearing:
            self._ask(self._fragment(change["new"]))

    @traitlets.observe("policy")
    def _tell_policy(self, change: Any) -> None:
        policy = change["new"]
        if self._hearing or policy is None:
            return
        if policy.costs is None or policy.model not in self._models:
            raise InputError(
                f"`policy` must have costs and be of a model of this report ({', '.join(self._models)}), "
                f"got {policy.model!r}."
            )
        with self._unasked():
            self.costs = self._costs_of(policy)
        self._ask(self._fragment(self.costs, policy))

    def _costs_of(self, policy: Any) -> Any:
        return policy.costs

    def _ask(self, fragment: str) -> None:
        """Send a state; the rule is unknown until the page answers."""
        self._questions += 1
        self._asked = f"{self._questions} {fragment}"
        with self._unasked():
            self.policy = None

    def _fragment(self, costs: Any, policy: Any = None) -> str:
        hired = costs.hired
        review = costs.cost_abstain if not isinstance(hired, Reviewer) else hired.fee
        parts: dict[str, Any] = {name: getattr(costs, f"cost_{name}") for name in ("fn", "fp", "tp", "tn")}
        parts |= {"abstain": "inf" if review is None else review, "classes": "", "rates": ""}
        if isinstance(hired, Reviewer):
            parts["rates"] = f"{hired.sensitivity!r}~{hired.specificity!r}"
        elif costs.cost_abstain_positive is not None:
            both = [costs.cost_abstain_positive, costs.cost_abstain_negative]
            parts |= {"abstain": min(both), "classes": f"{both[0]!r}~{both[1]!r}"}
        parts["model"] = "" if policy is None else self._models.index(policy.model)
        return urlencode(parts)


class ClassPageWidget(PageWidget):
    """The same for many classes: `costs` is a `CostMatrix`, `abstain_costs` the price of a review by class.

    Set both with `set_prices`. Setting `costs` alone keeps the price of a review.
    """

    abstain_costs = traitlets.Any(allow_none=True, help="Price of a review by true class; None: no reviews.")

    def __init__(self, *, classes: Sequence[Any], abstain_costs: Any, **settings: Any) -> None:
        self._classes = tuple(classes)
        super().__init__(**settings)
        self.abstain_costs = abstain_costs

    def set_prices(self, costs: Any, abstain_costs: Sequence[float] | None) -> None:
        """Show the page at a matrix of costs and prices of a review by class; None: no reviews."""
        with self._unasked():
            self.costs = costs
        self.abstain_costs = None if abstain_costs is None else [float(price) for price in abstain_costs]
        self._ask(self._fragment(self.costs))

    def _read_costs(self, told: Mapping[str, Any]) -> Any:
        self.abstain_costs = told["abstain"]
        return CostMatrix(values=told["costs"], classes=self._classes)

    @traitlets.validate("costs")
    def _check_costs(self, proposal: Any) -> Any:
        return as_cost_matrix(proposal["value"], self._classes)

    def _costs_of(self, policy: Any) -> Any:
        self.abstain_costs = None if policy.abstain_costs is None else policy.abstain_costs.tolist()
        return CostMatrix(values=policy.costs.values, classes=self._classes)

    def _fragment(self, costs: Any, policy: Any = None) -> str:
        review = "none" if self.abstain_costs is None else ",".join(map(repr, self.abstain_costs))
        parts = {"costs": ",".join(map(repr, costs.values.ravel().tolist())), "review": review}
        if policy is not None:
            parts["rule"] = f"{self._models.index(policy.model)}:{policy.kind}"
        return urlencode(parts, safe=",")
