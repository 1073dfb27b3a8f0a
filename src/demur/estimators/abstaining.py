"""`AbstainingClassifier`: the cheapest rule for stated costs, or amounts by case, around any classifier."""

from __future__ import annotations

import warnings
from dataclasses import fields, replace
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from demur._checks import (
    check_amounts,
    check_class_codes,
    check_confidence_level,
    check_cost_point,
    check_type,
    check_weights,
    input_error,
)
from demur.comparison.candidates import Candidate, choose_cuts, losses_at, model_candidates
from demur.comparison.case_table import CaseTable, Columns
from demur.comparison.choice import Choice
from demur.comparison.expected_cost_learner import expected_cost_learners
from demur.comparison.problem import DecisionProblem, Limits
from demur.comparison.window_learner import WindowLearner, case_window
from demur.costs.case_costs import CaseCosts
from demur.costs.model import CostModel
from demur.counts.scores import ScoreCounts
from demur.counts.window import AbstentionWindow
from demur.estimators.out_of_fold import (
    OutOfFoldClassifier,
    TrainingCases,
    TwoClassMixin,
    positive_scores,
)
from demur.exceptions import DegenerateDataWarning, InputError, UndefinedError
from demur.honest.cases import JudgedModel, SplitCases
from demur.honest.certificates import CertifiedWindow, surface_certificate
from demur.honest.estimates import JudgedRule, class_shares
from demur.honest.evaluate import BlockLearner, CountsLearner, Learner, evaluate
from demur.honest.expected_cost import ExpectedCost, expected_cost_of, judged_rule
from demur.honest.rules import PricePoints
from demur.honest.splits import FEWEST_CASES
from demur.surface.surface import OptimalCosts, abstention_surface, optimal_costs
from demur.surface.window import ABSTAIN, decide, written_window
from demur.typing import FloatArray, IntArray
from demur.windows.promised import widest_coverage_window
from demur.windows.rule import Window

__all__ = [
    "AMOUNTS",
    "AbstainingClassifier",
    "TwoClassAbstainer",
    "case_costs_of",
    "given_amounts",
    "warn_if_costs_are_odd",
    "warn_of_note",
]

AMOUNTS = ("cost_fn", "cost_fp", "cost_abstain")
"""What `fit`, `predict` and `score` take per case; each overrides the cost of the same name."""
_SCORE = "score"
"""Name of the scores in rules that read amounts besides."""


def given_amounts(**amounts: Any) -> dict[str, Any]:
    """Return the checked amounts that were passed, before a long fit begins."""
    return {name: check_amounts(value, name) for name, value in amounts.items() if value is not None}


def case_costs_of(costs: CostModel | CaseCosts | None, amounts: dict[str, Any]) -> CaseCosts:
    """Return the stated costs with the amounts of the cases in their place."""
    if costs is None:
        missing = [name for name in AMOUNTS[:2] if name not in amounts]
        if missing:
            raise InputError(f"`{missing[0]}` is needed with amounts. Hint: pass costs=CostModel(...).")
        return CaseCosts(**amounts)
    if isinstance(costs, CaseCosts):
        return replace(costs, **amounts)
    stated: dict[str, Any] = {field.name: getattr(costs, field.name) for field in fields(costs) if field.init}
    if "cost_abstain" in amounts or costs.hired is not None:
        stated |= dict.fromkeys(("cost_abstain_positive", "cost_abstain_negative"))
    if "cost_abstain" not in amounts:
        # a reviewer's mistakes cost what the case costs
        stated["reviewer"] = costs.hired
    return CaseCosts(**{**stated, **amounts})


def warn_of_note(window: Any) -> None:
    """Warn of constraints that a window could not keep."""
    note = getattr(window, "note", "")
    if note:
        warnings.warn(note, DegenerateDataWarning, stacklevel=4)


def warn_if_costs_are_odd(costs: CostModel, abstention_rate: float) -> None:
    """Warn of costs at which abstaining always or never pays."""
    mu, nu_p, nu_n = costs.mu, costs.nu_positive, costs.nu_negative
    if not costs.may_abstain:
        return
    if nu_p <= 0 and nu_n <= 0:
        text = (
            f"Abstaining is free (nu = {max(nu_p, nu_n):g}), so every case that is not certain is "
            f"abstained on: {abstention_rate:.1%} of the cases. "
            "Hint: give abstaining a cost or set max_abstention."
        )
    elif mu * nu_p + nu_n >= mu:  # lemma 1 of Friedel et al. (2006), by class
        text = (
            f"Abstaining never pays at these costs (mu = {mu:g}, nu = {nu_p:g}; it can only where "
            f"nu < mu / (1 + mu) = {mu / (1 + mu):g}), so no case is abstained on for its cost. "
            "Hint: lower the cost of abstaining, or leave it out to say so."
        )
    else:
        return
    warnings.warn(text, DegenerateDataWarning, stacklevel=4)


class TwoClassAbstainer(TwoClassMixin, OutOfFoldClassifier):
    """Base of the classifiers that decide by a window of one score, `window_`."""

    response_method: str
    window_: Any

    def _respond(self, estimator: Any, X: Any) -> FloatArray:
        return positive_scores(estimator, X, self._outcomes[1], self.response_method)

    def _counts(self, held_out: TrainingCases, response: Any) -> ScoreCounts:
        """Count the out-of-fold scores; refuse a single class."""
        positive = held_out.labels == self._outcomes[1]
        counts = ScoreCounts.from_arrays(positive, response, sample_weight=held_out.weights)
        counts.require_both_classes("A window")
        if len(counts.scores) == 1:
            warnings.warn(
                f"All out-of-fold scores are equal ({counts.scores[0]:g}), so every case gets the same "
                "decision. Hint: check the features and the inner estimator.",
                DegenerateDataWarning,
                stacklevel=4,
            )
        return counts

    def _decide(self, response: Any) -> IntArray:
        return decide(response, self.window_)


class AbstainingClassifier(TwoClassAbstainer):
    """Classifier of two classes that abstains where that is the cheapest, for stated costs.

    Wraps any scikit-learn classifier. The window (two thresholds on its score) is the exact
    optimum on out-of-fold scores; scores inside it get `abstain_label`. Say what you want by
    costs (`costs`, or `mu` and `nu`), by a limit of abstentions, by promised precisions, or by
    a combination.

    Parameters
    ----------
    estimator : classifier
        With `predict_proba` or `decision_function`. Cloned, unless ``cv="prefit"``.
    costs : CostModel or CaseCosts, optional
        Named costs in any unit; without a cost of abstaining it never abstains. Amounts of the cases
        come with `fit` and take the place of the cost of the same name; `CaseCosts` with numbers is for
        a `Reviewer` whose mistakes then cost these amounts, and for ``known_at_decision=True``: then
        rules that read the amounts are tried as in `compare_models`, and `predict` takes them, too.
    mu, nu : float, optional
        Relative costs of a false alarm and of abstaining (a miss costs 1), instead of `costs`.
    max_abstention : float in [0, 1], optional
        Largest share abstained on. Without costs: the fewest errors within that share.
    min_precision_positive, min_precision_negative : float in (0, 1], optional
        Promised share of right decisions of each kind. Without costs and limit: the widest coverage.
    max_fn_rate : float in [0, 1], optional
        Largest share of the positives called negative. Needs costs or `max_abstention`.
    precision_confidence : float in (0, 1), optional
        Promise the precisions for the population, with this confidence; as in `compare_models`.
    prevalence : float, optional
        P(positive) in use, where it differs from the sample's.
    pos_label : label, optional
        The positive class; ``classes_[1]`` by default, as everywhere in scikit-learn.
    cv : int, splitter, "prefit" or None
        Folds for the out-of-fold scores; None: 5 (fewer if a class has fewer cases). A splitter with
        one split holds out a part. "prefit": the estimator is fitted, all cases choose the window
        (`clone` forgets the fit; `sklearn.frozen.FrozenEstimator` keeps it).
    abstain_label : value, optional
        Prediction for cases abstained on: not a class; a string where the classes are strings. Default:
        "abstain" beside strings, -1 beside numbers (0 beside -1 and 1); `abstain_label_` tells.
    response_method : {"auto", "predict_proba", "decision_function"}
        The score; "auto" takes the first that exists.
    refit : bool, default True
        Fit the inner estimator to all cases; False only with a splitter of one split.
    store_surface : bool, default True
        Keep `surface_`, which answers for all other costs.
    confidence_level : float, default 0.95
        Of the interval and of the certificate.

    Attributes
    ----------
    rule_ : Window or ExpectedCostRule
        What decides: the window, or where amounts are known when deciding the rule that `compare_models`
        would choose among those of this model.
    abstention_rate_ : float
        Share of the out-of-fold cases that it abstains on.
    window_ : AbstentionWindow
        Thresholds, rates and cost on the out-of-fold scores.
    surface_ : AbstentionSurface
        Costs and windows of the out-of-fold scores at all costs.
    costs_ : CostModel, CaseCosts or None
        The costs used; None where only precisions were promised.
    expected_cost_ : ExpectedCost or None
        Honest cost per case with an interval; weights are importance weights. None without costs
        and with fewer than two cases of a class.
    certificate_ : CertifiedWindow or None
        Upper bounds of cost and abstention rate for every sample size; None without costs, with
        weights, groups and times, and with amounts, which have no bound.
    optimal_costs_ : OptimalCosts or None
        All (mu, nu) at which this window stays the cheapest; None under constraints and where
        abstaining costs more on one class.
    classes_, estimator_, n_features_in_, feature_names_in_, abstain_label_
        As usual; `estimator_` is the fitted inner estimator.
    out_of_fold_rows_, out_of_fold_decisions_ : array
        Cases that were scored by a model fitted without them, and the decision on each.

    Notes
    -----
    Interval and certificate take the out-of-fold scores for scores of independent cases, or clusters, by
    the model in use. With "prefit" or one held-out part that is exact; with several folds and a final fit
    to all cases it is the usual approximation. `score` is minus the cost per case where costs are given,
    so that `GridSearchCV` looks for the cheapest model.

    References
    ----------
    Friedel, Rueckert, Kramer (2006), "Cost Curves for Abstaining Classifiers", ROCML.

    Examples
    --------
    A missed tumour costs 10, a false alarm 2, a second look 0.3. Fourteen of a hundred get one:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from demur import AbstainingClassifier, CostModel
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AbstainingClassifier(
    ...     make_pipeline(StandardScaler(), LogisticRegression()),
    ...     costs=CostModel(cost_fn=10, cost_fp=2, cost_abstain=0.3), pos_label=0,
    ... ).fit(X, y)
    >>> round(model.window_.abstention_rate, 2), round(model.expected_cost_.cost, 2)
    (0.14, 0.09)
    >>> model.predict(X[:5]).tolist()
    [0, 0, 0, 0, 0]
    """

    def __init__(
        self,
        estimator: Any,
        *,
        costs: CostModel | CaseCosts | None = None,
        mu: float | None = None,
        nu: float | None = None,
        max_abstention: float | None = None,
        min_precision_positive: float | None = None,
        min_precision_negative: float | None = None,
        max_fn_rate: float | None = None,
        precision_confidence: float | None = None,
        prevalence: float | None = None,
        pos_label: Any = None,
        cv: Any = None,
        abstain_label: Any = None,
        response_method: str = "auto",
        refit: bool = True,
        store_surface: bool = True,
        confidence_level: float = 0.95,
    ) -> None:
        self.estimator = estimator
        self.costs = costs
        self.mu = mu
        self.nu = nu
        self.max_abstention = max_abstention
        self.min_precision_positive = min_precision_positive
        self.min_precision_negative = min_precision_negative
        self.max_fn_rate = max_fn_rate
        self.precision_confidence = precision_confidence
        self.prevalence = prevalence
        self.pos_label = pos_label
        self.cv = cv
        self.abstain_label = abstain_label
        self.response_method = response_method
        self.refit = refit
        self.store_surface = store_surface
        self.confidence_level = confidence_level

    # ---------------------------------------------------------------- the aim

    @property
    def _limits(self) -> Limits:
        """Limits as `compare_models` takes them, from the parameters of the same names."""
        own = self.get_params(deep=False)
        return Limits(**{limit.name: own[limit.name] for limit in fields(Limits) if limit.name in own})

    def _check(self, cases: TrainingCases) -> None:
        check_confidence_level(self.confidence_level)
        if cases.cluster is not None and self.precision_confidence is not None:
            raise InputError(
                "`precision_confidence` must not ask for a guarantee beside groups: a guarantee needs "
                "independent cases. Hint: leave it out to keep the precisions among the cases at hand."
            )
        stated = any(value is not None for value in (self.costs, self.mu, self.nu))
        self.costs_ = self._stated_costs() if stated or not self._amounts else None
        if self._amounts:
            # reviews within a limit are free, as without amounts
            free = {"cost_abstain": 0.0} if not stated and self.max_abstention is not None else {}
            self.costs_ = case_costs_of(self.costs_, {**free, **self._amounts})

    def _stated_costs(self) -> CostModel | CaseCosts | None:
        """Return the stated costs as one object; None if only precisions are promised."""
        given = self.mu is not None, self.nu is not None
        if self.costs is not None:
            if not isinstance(self.costs, CaseCosts):
                check_type(self.costs, "costs", CostModel)
            names = [field.name for field in fields(self.costs)]
            amounts = [name for name in names if isinstance(getattr(self.costs, name), np.ndarray)]
            if amounts:  # the constructor cannot know the cases
                raise input_error(
                    "costs",
                    "must hold one number per cost",
                    f"amounts as {amounts[0]}",
                    f"pass them to fit: fit(X, y, {amounts[0]}=...).",
                )
            fee: Any = getattr(getattr(self.costs, "reviewer", None), "fee", 0.0)
            if np.ndim(fee):
                hint = "pass cost_abstain=... to fit instead of a reviewer."
                raise input_error("costs", "must hold one number per cost", "fees of a reviewer", hint)
            if any(given):
                raise InputError("`costs` replaces mu and nu, got both. Hint: pass one of them.")
            return self.costs
        if any(given):
            if not all(given):
                raise InputError("`mu` and `nu` are both needed. Hint: or pass costs=CostModel(...).")
            mu, nu = (np.asarray(value) for value in check_cost_point(self.mu, self.nu))  # type: ignore[arg-type]
            if mu.ndim:
                raise input_error("mu and nu", "must be single numbers", f"shape {mu.shape}")
            return CostModel(cost_fp=float(mu), cost_abstain=float(nu) if np.isfinite(nu) else None)
        if self.max_abstention is not None:
            return CostModel(cost_abstain=0.0)  # errors count, reviews within the limit do not
        for limit, _ in self._limits.kept():
            if not limit.promise:
                raise InputError(
                    f"`{limit.name}` needs costs or max_abstention, got neither. Hint: pass costs=."
                )
        if self._limits.given():
            return None
        raise InputError(
            "`costs` are missing: nothing says when to abstain. Hint: pass costs=CostModel(...), mu and nu, "
            "max_abstention, or a promised precision such as min_precision_positive=0.9."
        )

    def _window(self, counts: ScoreCounts) -> AbstentionWindow:
        """Return the best window for the stated aim."""
        if self.costs_ is not None:
            return choose_cuts(counts, self._problem(self.costs_)).window
        limits = self._limits.given()
        level = limits.pop("precision_confidence", None)
        return widest_coverage_window(counts, **limits, confidence_level=level, prevalence=self.prevalence)

    def _problem(self, costs: CostModel | CaseCosts) -> DecisionProblem:
        """Return the decision problem, as in a comparison."""
        # costs by class may reward abstaining, which a comparison refuses
        made = DecisionProblem.checked if isinstance(costs, CaseCosts) else DecisionProblem
        return made(
            costs=costs,
            prevalence=self.prevalence,
            objective="expected",
            limits=self._limits,
            confidence_level=self.confidence_level,
            seed=0,  # of the folds of the honest cost: the same data give the same bytes
        )

    def _thresholds(self, counts: ScoreCounts) -> Window:
        window = self._window(counts)
        return Window(window.lower, window.upper)

    # ---------------------------------------------------------------- fit

    _judges = True
    rule_: Any
    abstention_rate_: float
    costs_: CostModel | CaseCosts | None
    optimal_costs_: OptimalCosts | None
    certificate_: CertifiedWindow | None
    expected_cost_: ExpectedCost | None
    _amounts: dict[str, Any] = {}  # noqa: RUF012 - nothing but `fit` sets it, on the object

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        time: Any = None,
        cost_fn: Any = None,
        cost_fp: Any = None,
        cost_abstain: Any = None,
        **params: Any,
    ) -> Self:
        """Choose the rule from out-of-fold scores and fit the inner estimator to all cases.

        Parameters
        ----------
        X : array or data frame with one row per case
            Whatever the inner estimator takes.
        y : array of n labels
        sample_weight : array of n numbers >= 0, optional
            Weigh the cases for the window, and for the inner estimator if it takes weights.
        groups : array of n values, optional
            Cluster of every case, such as a patient: its cases are scored by models that know none of them
            and judged by windows chosen without them, and intervals count clusters.
        time : array of n numbers or dates, optional
            Time of every case: models of the past score the blocks of time that follow, from the fourth of
            ten on. Only these cases choose the window; it is judged forward in time among them.
        cost_fn, cost_fp, cost_abstain : array of n numbers >= 0, optional
            Costs that differ by case, such as the amounts of the payments; as in `CaseCosts`. Where they are
            known when deciding, `predict` needs them, too. With metadata routing ask for them:
            ``set_fit_request(cost_fn=True)``.
        **params
            Passed to `fit` of the inner estimator, or routed where metadata routing is enabled.
        """
        self._amounts = given_amounts(cost_fn=cost_fn, cost_fp=cost_fp, cost_abstain=cost_abstain)
        check_consistent_length(y, *(column for column in self._amounts.values() if column.ndim))
        try:
            return super().fit(X, y, sample_weight, groups=groups, time=time, **params)
        finally:
            # `costs_` holds them, if all went well
            del self._amounts

    def _choose(self, X: Any, cases: TrainingCases, held_out: TrainingCases, response: Any) -> None:
        counts = self._counts(held_out, response)
        surface = abstention_surface(counts, prevalence=self.prevalence)
        if self.store_surface:
            self.surface_ = surface
        elif hasattr(self, "surface_"):
            del self.surface_
        self.rule_ = self.optimal_costs_ = self.certificate_ = self.expected_cost_ = None
        by_case = isinstance(self.costs_, CaseCosts)
        if not by_case:
            self.window_ = self._window(counts)
        counted = held_out.codes if held_out.weights is None else held_out.codes[held_out.weights > 0]
        if by_case or (self.costs_ is not None and np.bincount(counted).min() >= FEWEST_CASES):
            self._judge(held_out, response)
        if self.rule_ is None:
            self.rule_ = Window(self.window_.lower, self.window_.upper)
            self.abstention_rate_ = self.window_.abstention_rate
        if isinstance(self.rule_, Window):
            warn_of_note(self.window_)
        if not isinstance(self.costs_, CostModel):
            return  # certificates and optimal costs are for costs by class
        if self.max_abstention is None:  # reviews within a limit may be free
            warn_if_costs_are_odd(self.costs_, self.window_.abstention_rate)
        if not self._limits.given() and self.window_.nu_positive == self.window_.nu_negative >= 0:
            self.optimal_costs_ = optimal_costs(surface, self.window_)
        if held_out.weights is None and held_out.cluster is None and held_out.time is None:
            self.certificate_ = surface_certificate(
                counts, prevalence=self.prevalence, confidence_level=self.confidence_level
            ).of_window(self.window_, costs=self.costs_)

    def _judge(self, held_out: TrainingCases, scores: FloatArray) -> None:
        """Set the honest cost, where the constraints can be kept without each fold.

        Weights are importance weights. With amounts, choose the window as well.
        """
        assert self.costs_ is not None
        costs = self.costs_
        problem = self._problem(costs.take(held_out.rows) if isinstance(costs, CaseCosts) else costs)
        positive = held_out.labels == self._outcomes[1]
        given = Columns(positive, {_SCORE: scores}, held_out.weights, (0, 1), held_out.cluster, held_out.time)
        table = CaseTable.of_columns(given, problem, weights="importance")
        for note in table.notes[1:]:  # the first one says what intervals count, which `units` does
            warnings.warn(note, DegenerateDataWarning, stacklevel=5)
        cases, model = table.cases[_SCORE], table.judging[_SCORE]()
        assert isinstance(model, JudgedModel)
        choose = self._chosen_rule if expected_cost_learners(problem, _SCORE) else self._judged_window
        rule = choose(cases, model, problem)
        if isinstance(rule, UndefinedError):
            warnings.warn(
                "The constraints are kept with all cases, but not without a part of them, so no honest cost "
                f"exists. {rule}",
                DegenerateDataWarning,
                stacklevel=5,
            )
            return
        same_review = isinstance(costs, CaseCosts) and costs.same_review
        losses = losses_at(cases, problem.centre, same_review=same_review)
        self.expected_cost_ = expected_cost_of(rule, losses, confidence_level=self.confidence_level)

    def _judged_window(
        self, cases: SplitCases, model: JudgedModel, problem: DecisionProblem
    ) -> JudgedRule | UndefinedError:
        """Judge the window; with amounts, choose it."""
        learner: Learner
        if isinstance(self.costs_, CaseCosts):
            self.window_, _ = case_window(cases, model, problem)
            learner = WindowLearner.of(problem)
        else:
            assert self.costs_ is not None
            rewarded = min(self.costs_.nu_positive, self.costs_.nu_negative) < 0
            searched = self._limits.given() or rewarded or cases.splits.forward
            learner = (
                CountsLearner(self._thresholds) if searched else BlockLearner(PricePoints.at(self.costs_))
            )
        (judged,) = evaluate(cases, model, [learner], [Window(self.window_.lower, self.window_.upper)])
        return judged if isinstance(judged, UndefinedError) else judged_rule(cases, judged, model.scores)

    def _chosen_rule(self, cases: SplitCases, model: JudgedModel, problem: DecisionProblem) -> Candidate:
        """Choose among the rules of the model, as a comparison does."""
        candidates = model_candidates(cases, _SCORE, model, problem, 0)
        best = Choice(
            cases={_SCORE: cases},
            judged={_SCORE: model},
            problem=problem,
            baselines=(),
            candidates={_SCORE: candidates},
            certificates={},
            class_names=(),
            classes=(),
        ).best(candidates)
        self.window_ = written_window(case_window(cases, model, problem)[0], model.counts)
        self.rule_ = best.rule
        self.abstention_rate_ = float(class_shares(best.hindsight, problem.shares)[:, ABSTAIN].sum())
        return best

    # ---------------------------------------------------------------- use

    @property
    def _known(self) -> list[str]:
        """Amounts that are known when a case is decided."""
        if not isinstance(self.costs_, CaseCosts) or not self.costs_.known_at_decision:
            return []
        return [name for name in AMOUNTS if np.ndim(getattr(self.costs_, name))]

    def _decided(self, scores: FloatArray, amounts: dict[str, Any]) -> IntArray:
        """Apply the rule to scores and the amounts of their cases."""
        check_consistent_length(scores, *(column for column in amounts.values() if column.ndim))
        table = scores
        if self.rule_.inputs > 1:
            assert isinstance(self.costs_, CaseCosts)
            known: Any = {name: np.broadcast_to(amounts[name], len(scores)) for name in self._known}
            table = np.column_stack([scores, *replace(self.costs_, **known).known_columns().values()])
        decided: IntArray = self.rule_.decide(table)
        return decided

    def _decide(self, response: Any) -> IntArray:
        """Decide the cases held out by `fit`."""
        rows = self.out_of_fold_rows_
        return self._decided(response, {name: self._amounts[name][rows] for name in self._known})

    def decide(
        self, X: Any, *, cost_fn: Any = None, cost_fp: Any = None, cost_abstain: Any = None
    ) -> IntArray:
        """Return the decision for every case as a code, `ABSTAIN` where it is abstained on; as `predict`."""
        check_is_fitted(self, "estimator_")
        amounts = given_amounts(cost_fn=cost_fn, cost_fp=cost_fp, cost_abstain=cost_abstain)
        for name in self._known:
            if name not in amounts:
                raise InputError(
                    f"`{name}` is needed: the rule reads the amounts of cases. Hint: predict(X, {name}=...), "
                    f"or set_predict_request({name}=True) where they are routed."
                )
        for name in amounts:
            if name not in self._known:
                raise InputError(
                    f"`{name}` has no use here: the rule does not read it. Hint: pass it to fit as well, "
                    "with costs=CaseCosts(..., known_at_decision=True)."
                )
        return self._decided(self._respond(self.estimator_, X), amounts)

    def predict(self, X: Any, *, cost_fn: Any = None, cost_fp: Any = None, cost_abstain: Any = None) -> Any:
        """Return the label for every case, `abstain_label_` where it is abstained on.

        Where amounts are known when a case is decided, those that `fit` got are needed, one per case or
        one for all; ``set_predict_request(cost_fn=True)`` asks for them where metadata are routed.
        """
        decided = self.decide(X, cost_fn=cost_fn, cost_fp=cost_fp, cost_abstain=cost_abstain)
        return self._outcomes[decided]

    def score(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        cost_fn: Any = None,
        cost_fp: Any = None,
        cost_abstain: Any = None,
    ) -> float:
        """Return minus the cost per case in the unit of the costs; the higher the better.

        The prevalence is that of the cases passed. Where costs differ by case, those of the cases passed
        are needed: ``set_score_request(cost_fn=True)`` asks for them where metadata are routed. Where
        only precisions are promised there are no costs: then the share of cases answered rightly.
        """
        check_is_fitted(self, "estimator_")
        if self.costs_ is None:
            return super().score(X, y, sample_weight)
        amounts = given_amounts(cost_fn=cost_fn, cost_fp=cost_fp, cost_abstain=cost_abstain)
        if isinstance(self.costs_, CostModel) and not amounts:
            return self._minus_cost(self.costs_, y, self.decide(X), sample_weight)
        # new cases are not judged by the amounts of the old ones
        for name in AMOUNTS:
            if name not in amounts and isinstance(getattr(self.costs_, name), np.ndarray):
                raise InputError(
                    f"`{name}` is needed: the window was chosen for amounts of the cases. "
                    f"Hint: score(X, y, {name}=...), or set_score_request({name}=True) where they are routed."
                )
        decided = self._decided(self._respond(self.estimator_, X), amounts)
        costs = case_costs_of(self.costs_, amounts)
        positive = check_class_codes(column_or_1d(y), 2, self._outcomes[:2], name="y") == 1
        losses = (costs.losses(positive).table * np.array(costs.mean))[np.arange(len(decided)), decided]
        return -float(np.average(losses, weights=check_weights(sample_weight)))
