"""Regression that abstains at a cost: predict up to a threshold of a predicted spread, review above it.

Every case has a loss if the prediction is used, and a review has a price. For a threshold t on the spread

    cost(t) = mean of loss 1[spread <= t] + price * share of cases with spread > t,

so what matters of all thresholds is the lower hull of the points (share reviewed, loss). Its vertices are
the ends of blocks of neighbouring spreads whose mean losses ascend, and a block is reviewed as soon as its
mean loss exceeds the price: one sort serves all prices.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from demur import _html
from demur._checks import (
    check_confidence_level,
    check_finite,
    check_groups,
    check_nonnegative,
    check_number,
    check_positive_int,
    check_same_length,
    check_scores,
    check_weights,
    input_error,
)
from demur._kernels.thresholds import cut_points, no_threshold
from demur._results import Interval, Result, as_scalar, read_only
from demur._tables.numbers import level_words, number, percent, span
from demur._tables.table import Column, Table
from demur.costs.losses import Losses
from demur.counts.scores import ScoreCounts
from demur.exceptions import InputError
from demur.honest.after_choice import cost_after_choice, first_smallest
from demur.honest.cases import SplitCases
from demur.honest.decisions import Judged
from demur.honest.estimates import JudgedRule, class_shares, paid_sums, paired_interval, row_losses
from demur.honest.evaluate import FixedLearner, FoldRules, Inputs, Learner, TrainingSets, evaluate
from demur.honest.expected_cost import ExpectedCost, expected_cost_of, judged_rule
from demur.policy.evidence import Promise
from demur.policy.policy import Policy
from demur.regression.rec import regression_errors
from demur.surface.window import ABSTAIN
from demur.typing import ArrayLike, FloatArray, Scalar
from demur.windows.cuts import Cuts

__all__ = [
    "ReviewCandidate",
    "ReviewCurve",
    "ReviewSurface",
    "ReviewThreshold",
    "excess_losses",
    "review_curve",
    "review_surface",
    "review_threshold",
]

_ANSWER, _REVIEW = "predict", "review"
_KINDS = _NEVER, _ALWAYS, _THRESHOLD = "never review", "always review", "review above a spread"
_STEPS = 12


def excess_losses(
    y_true: ArrayLike, y_pred: ArrayLike, *, tolerance: float = 0.0, loss: str = "absolute"
) -> FloatArray:
    """Return what each error exceeds a tolerance by: max(error - tolerance, 0), the lower the better.

    Parameters
    ----------
    y_true, y_pred, loss
        As in `rec_curve`.
    tolerance : float >= 0, default 0
        Errors up to here cost nothing.

    Raises
    ------
    InputError
        As in `regression_errors`; for a negative tolerance.

    Examples
    --------
    >>> from demur.regression import excess_losses
    >>> excess_losses([1.0, 2.0, 3.0], [1.5, 2.0, 5.0], tolerance=0.5).tolist()
    [0.0, 0.0, 1.5]
    """
    errors = regression_errors(y_true, y_pred, loss=loss)
    return np.maximum(errors - check_number(check_nonnegative(tolerance, "tolerance"), "tolerance"), 0.0)


# ---------------------------------------------------------------- all prices at once


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class ReviewCurve(Result):
    """Loss against the share of cases reviewed, at every price the cheapest; made by `review_curve`.

    In hindsight: the same cases choose thresholds and measure. See `review_threshold` for honest costs.

    Attributes
    ----------
    threshold : array of b + 1 numbers
        Ascending: predict up to this spread, review above. The first is -inf (always review), the last inf
        (never review).
    reviews : array of b + 1 shares
        Element i: share of the cases reviewed at ``threshold[i]``, from 1 to 0.
    loss : array of b + 1 numbers
        Element i: loss of the predictions used, per case of all.
    price : array of b numbers
        Ascending: at ``price[i]`` the thresholds i and i + 1 cost the same; above it the latter is cheaper.
    n : float
        Total weight of the cases.
    """

    threshold: FloatArray
    reviews: FloatArray
    loss: FloatArray
    price: FloatArray
    n: float
    _told = ("reviews", "loss", "n")

    def cost(self, price: ArrayLike) -> Scalar:
        """Return the least cost per case at prices of a review, with hindsight."""
        at = self._index(price)
        return as_scalar(self.loss[at] + np.asarray(price) * self.reviews[at])

    def threshold_at(self, price: ArrayLike) -> Scalar:
        """Return the threshold of the least cost; of equally cheap ones that with the fewest reviews."""
        return as_scalar(self.threshold[self._index(price)])

    def reviews_at(self, price: ArrayLike) -> Scalar:
        """Return the share of the cases reviewed at the least cost."""
        return as_scalar(self.reviews[self._index(price)])

    def _index(self, price: ArrayLike) -> Any:
        return np.searchsorted(self.price, check_nonnegative(price, "price"), side="right")


def review_curve(
    losses: ArrayLike, spread: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> ReviewCurve:
    """Loss against reviews of a regression that reviews its widest spreads; down and left is better.

    Gives the cheapest threshold at every price of a review, with hindsight.

    Parameters
    ----------
    losses : array of n finite numbers
        Loss of every case if its prediction is used: `excess_losses`, or any other.
    spread : array of n numbers
        Wider = less certain, such as a predicted standard deviation; only the order matters. Cases of
        equal spread are treated alike.
    sample_weight : array of n numbers >= 0, optional
        Weight 2 means the same as a repeated row.

    Returns
    -------
    ReviewCurve
        With `reviews`, `loss`, `threshold`, and `cost`, `threshold_at`, `reviews_at` of any price.

    Raises
    ------
    InputError
        For NaN, infinite losses, or ill-fitting input.

    Notes
    -----
    The lower hull of the points (reviews, loss) of all thresholds. Cases are pooled along the spread until
    mean losses ascend (isotonic regression); a block is reviewed at prices below its mean loss. O(n log n).

    Examples
    --------
    Reviews for less than 0.4 pay for the two widest spreads:

    >>> from demur.regression import excess_losses, review_curve
    >>> losses = excess_losses([1, 2, 3, 4, 5], [1.1, 2.1, 3.1, 5, 6.2], tolerance=0.1)
    >>> curve = review_curve(losses, [0.1, 0.2, 0.3, 0.8, 0.9])
    >>> curve.threshold_at(0.4), round(curve.cost(0.4), 2)
    (0.55, 0.16)
    >>> curve.threshold_at(2.0), round(curve.cost(2.0), 2)
    (inf, 0.4)
    """
    (loss,), (doubt,), weight, _ = _checked({"losses": losses}, spread, sample_weight, None)
    return _hull(loss, doubt, np.ones(len(loss)) if weight is None else weight)


def _hull(losses: FloatArray, spread: FloatArray, weight: FloatArray) -> ReviewCurve:
    """Pool cases along the spread until mean losses ascend."""
    # the two columns of the counts carry the losses, none below 0, and the cases themselves
    least = min(float(losses.min()), 0.0)
    blocks = ScoreCounts.from_counts(spread, weight * (losses - least), weight).blocks()
    threshold = cut_points(blocks.lower, blocks.upper)[0]
    if np.isnan(threshold).any():
        raise no_threshold()
    n = float(blocks.negatives.sum())
    answered = np.append(0.0, np.cumsum(blocks.negatives)) / n
    answered[-1] = 1.0
    lost = np.append(0.0, np.cumsum(blocks.positives)) / n
    return ReviewCurve(
        threshold=read_only(threshold),
        reviews=read_only(1 - answered),
        loss=read_only(lost + least * answered),
        price=read_only(blocks.positives / blocks.negatives + least),
        n=n,
    )


# ---------------------------------------------------------------- one price, honestly


class _PriceLearner(NamedTuple):
    """The cheapest threshold at a price on every training set; the hulls serve all prices."""

    losses: FloatArray
    price: float
    names: Sequence[str]
    place: int = 0

    def rule(self, curve: ReviewCurve) -> Cuts:
        """Return the rule of a hull."""
        return _review_above(float(curve.threshold_at(self.price)), self.names, self.place)

    def fit(self, sets: TrainingSets) -> FoldRules:
        """Return the rule of every training set."""
        rows, scores, hulls = sets.rows, sets.model.scores, sets.by_fold
        for fold in sets.cases.splits.judged_folds:
            if fold not in hulls:
                trains = sets.trains(fold)
                cell = rows.cell[trains]
                hulls[fold] = _hull(self.losses[cell], scores[cell], rows.cases[trains])
        return FoldRules([self.rule(hulls[fold]) for fold in hulls], sets.cases.n_classes)


def _review_above(threshold: float, names: Sequence[str] = (_ANSWER,), place: int = 0) -> Cuts:
    return Cuts(classes=tuple(names), cuts=(threshold,), actions=(place, ABSTAIN))


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class ReviewCandidate(Result):
    """One rule among those of `review_threshold`.

    Attributes
    ----------
    model : str or None
        Whose predictions it uses; None where every case is reviewed.
    kind : str
        "never review", "always review" or "review above a spread".
    expected : ExpectedCost
        Its honest cost, `hindsight` and `abstention_rate`, the share reviewed.
    difference : float
        Cost of the chosen rule minus that of this one, the choice included; below 0: it saves.
    interval : Interval
        Of the difference.
    """

    model: str | None
    kind: str
    expected: ExpectedCost
    difference: float
    interval: Interval


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class ReviewThreshold(Result):
    """The cheapest of never, always and sometimes reviewing; made by `review_threshold`.

    Attributes
    ----------
    model : str or None
        Whose predictions to use; None where every case is reviewed.
    kind : str
        "never review", "always review" or "review above a spread".
    rule : Cuts
        On the spread: 0 up to the threshold (predict), -1 above (review).
    cost : float
        Honest cost per case, the choice among the candidates included.
    interval : Interval
        Of the cost.
    reviews : float
        Share of these cases that the rule sends to review.
    cost_review : float
        Price of a review.
    candidates : tuple of ReviewCandidate
    confidence_level : float
    """

    model: str | None
    kind: str
    rule: Cuts
    cost: float
    interval: Interval
    reviews: float
    cost_review: float
    candidates: tuple[ReviewCandidate, ...]
    confidence_level: float
    _curves: Mapping[str, ReviewCurve]
    _told = ("model", "kind", "rule", "cost", "interval", "reviews")

    @property
    def threshold(self) -> float:
        """Spread up to which predictions are used."""
        return self.rule.cuts[0]

    @property
    def words(self) -> str:
        """The rule, what it is expected to cost, and what it is not clearly cheaper than."""
        rule = f"Use {self.model} and review no case"
        if self.model is None:
            rule = "Review every case"
        elif self.kind == _THRESHOLD:
            up_to = _html.threshold_text(self.threshold)
            rule = f"Use {self.model} up to a spread of {up_to} and review the {percent(self.reviews)} above"
        within = f"{level_words(self.confidence_level)} interval {span(self.interval)}"
        said = f"{rule}: expected cost {number(self.cost)} per case ({within})."
        doubtful = [
            one.kind if one.model in (None, self.model) else f"{one.kind} with {one.model}"
            for one in self.candidates
            if (one.model, one.kind) != (self.model, self.kind) and one.interval.high >= 0
        ]
        return f"{said} Not clearly cheaper than: {', '.join(doubtful)}." if doubtful else said

    def curves(self) -> dict[str, ReviewCurve]:
        """Return loss against reviews by model, with hindsight."""
        return dict(self._curves)

    def tables(self) -> dict[str, Table]:
        """Return the candidates as a table."""
        shown = self.candidates
        expected = [one.expected for one in shown]
        columns = (
            Column("model", [one.model for one in shown], "model"),
            Column("rule", [one.kind for one in shown], "rule"),
            Column("cost", [one.cost for one in expected], "cost", number),
            Column("cost", [one.interval for one in expected], ends=True),
            Column(
                "",
                [span(one.interval) for one in expected],
                level_words(self.confidence_level),
            ),
            Column("hindsight", [one.hindsight for one in expected], "hindsight", number),
            Column("reviews", [one.abstention_rate for one in expected], "reviewed", percent),
        )
        note = (
            f"Cost per case at {number(self.cost_review)} for a review, on cases that did not choose the "
            "threshold; hindsight: on those that did."
        )
        return {"Reviews": Table(name="Reviews", title="What reviews save", columns=columns, note=note)}

    def policy(self, column: str = "spread") -> Policy:
        """Return the policy that `demur apply` takes: "predict" or "review" from a column with the spread.

        A rule that treats all cases alike needs no policy and is refused.
        """
        if self.kind != _THRESHOLD:
            raise InputError(
                f"No policy is needed to {self.kind}, the cheapest rule. Hint: at another cost_review a "
                "threshold may be cheaper."
            )
        return Policy(
            rule=self.rule,
            columns=(column,),
            abstain_label=_REVIEW,
            chosen=self.rule.kind,
            promise=Promise(cost=self.cost, limit=self.interval.high, abstention_rate=self.reviews),
            model=column,
            note=f"Predictions of {self.model}; a review costs {self.cost_review:g}.",
        )


def review_threshold(
    losses: ArrayLike | Mapping[str, ArrayLike],
    spread: ArrayLike | Mapping[str, ArrayLike],
    *,
    cost_review: float,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    rng: int = 0,
) -> ReviewThreshold:
    """Choose from which predicted spread on a person should look, at the lowest honest cost.

    Candidates are: never review, always review, and review above a threshold. Thresholds are chosen on nine
    tenths of the cases and scored on the last one, in turn: a useless spread looks cheaper on the cases that
    chose its threshold, and costs more on others. Assumes independent cases, or clusters of them.

    Parameters
    ----------
    losses : array of n finite numbers, or mapping {model: array}
        Loss of every case if the prediction of a model is used: `excess_losses`, or any other.
    spread : array of n numbers, or mapping {model: array}
        Wider = less certain; one for all models or one for each.
    cost_review : float >= 0
        Price of a review, in the unit of the losses.
    sample_weight : array of n numbers >= 0, optional
        How much each case matters.
    groups : array of n values, optional
        Cluster of every case: it is never torn apart.
    confidence_level : float, default 0.95
        Of the intervals.
    rng : int, default 0
        Seed of the folds and of the draws for the cost after the choice.

    Returns
    -------
    ReviewThreshold
        With `kind`, `rule`, `cost`, `interval`, `reviews`, `candidates`, `tables`, `curves` and `policy`.

    Raises
    ------
    InputError
        For NaN, infinite losses, a negative price, ill-fitting input, or fewer than two cases.

    References
    ----------
    Chow (1970), IEEE Trans. Information Theory 16, doi:10.1109/TIT.1970.1054406, for classes. Zaoui, Denis,
    Hebiri (2020), Regression with reject option and application to kNN, NeurIPS.

    Examples
    --------
    Errors are as large as their spread says; a review costs half the typical error:

    >>> import numpy as np
    >>> from demur.regression import excess_losses, review_threshold
    >>> rng = np.random.default_rng(0)
    >>> spread = rng.uniform(0.1, 2, size=300)
    >>> truth = rng.normal(size=300)
    >>> losses = excess_losses(truth, truth + spread * rng.normal(size=300))
    >>> best = review_threshold(losses, spread, cost_review=0.5)
    >>> best.kind, f"{best.cost:.2f} per case, {best.reviews:.0%} reviewed"
    ('review above a spread', '0.44 per case, 78% reviewed')
    """
    level, seed = check_confidence_level(confidence_level), check_positive_int(rng, "rng", minimum=0)
    price = check_number(check_nonnegative(cost_review, "cost_review"), "cost_review")
    named = losses if isinstance(losses, Mapping) else {"model": losses}
    columns, doubts, weight, cluster = _checked(named, spread, sample_weight, groups)
    names, size = tuple(named), len(columns[0])
    cases = _cases(size, weight, cluster, len(names), seed)
    table = Losses(by_case=np.column_stack([*columns, np.full(size, price)]), same_review=True)
    curves = {
        name: _hull(own, doubt, cases.sizes) for name, own, doubt in zip(names, columns, doubts, strict=True)
    }
    learners = [_PriceLearner(own, price, names, place) for place, own in enumerate(columns)]
    rules = _judged_rules(cases, learners, doubts, list(curves.values()))
    judged = [one.judged for one in rules]
    expected = [expected_cost_of(one, table, confidence_level=level) for one in judged]
    # a threshold that no case reaches, or every case, is one of the simpler rules
    chosen_among = [
        math.inf if one.kind == _THRESHOLD and math.isinf(one.threshold) else cost.cost
        for one, cost in zip(rules, expected, strict=True)
    ]
    best = first_smallest(np.array(chosen_among))
    paid = np.column_stack(row_losses(judged, table, None)[0])
    after = cost_after_choice(
        paid, models=[True] * len(rules), sample_weight=cases.sizes, groups=cluster, rng=seed
    )
    shift = max(after.all_draws - expected[best].cost, 0.0)
    candidates = []
    for one, cost in zip(rules, expected, strict=True):
        gap, (low, high) = paired_interval(judged[best], one.judged, table, None, level=level)
        more = 0.0 if one is rules[best] else shift
        candidates.append(
            ReviewCandidate(
                model=None if one.kind == _ALWAYS else names[one.place],
                kind=one.kind,
                expected=cost,
                difference=gap + more,
                interval=Interval(low, high + more),
            )
        )
    return ReviewThreshold(
        model=candidates[best].model,
        kind=rules[best].kind,
        rule=_review_above(rules[best].threshold),
        cost=expected[best].cost + shift,
        interval=Interval(expected[best].interval.low, expected[best].interval.high + shift),
        reviews=float(class_shares(judged[best].hindsight, None)[:, ABSTAIN].sum()),
        cost_review=price,
        candidates=tuple(candidates),
        confidence_level=level,
        _curves=curves,
    )


class _Candidate(NamedTuple):
    """One rule, by its kind and the place of its model, with its decisions."""

    kind: str
    place: int
    threshold: float
    judged: JudgedRule


def _judged_rules(
    cases: SplitCases,
    learners: Sequence[_PriceLearner],
    doubts: Sequence[FloatArray],
    curves: Sequence[ReviewCurve],
) -> list[_Candidate]:
    """Decide on every case by every candidate, the simplest first; there is one way to review every case."""
    found = []
    for learner, doubt, curve in zip(learners, doubts, curves, strict=True):
        names, place = learner.names, learner.place
        never, always = (_review_above(end, names, place) for end in (math.inf, -math.inf))
        rules = [never, always, learner.rule(curve).written(doubt)]
        ways: list[Learner] = [FixedLearner(never), FixedLearner(always), learner]
        # of a model those cases may turn out worst whose spreads are narrow
        support = np.column_stack([-doubt] * len(names))
        judged = evaluate(cases, Inputs(doubt), ways, rules)
        for kind, rule, decisions in zip(_KINDS, rules, judged, strict=True):
            assert isinstance(decisions, Judged), "every training set has a threshold"
            one = judged_rule(cases, decisions, support)
            found.append(_Candidate(kind, place, rule.cuts[0], one))
    found = [one for one in found if one.kind != _ALWAYS or one.place == 0]
    return sorted(found, key=lambda one: _KINDS.index(one.kind))


def _cases(size: int, weight: FloatArray | None, cluster: Any, actions: int, seed: int) -> SplitCases:
    """Split cases that have no classes; every model is an action of its own."""
    split = SplitCases.of_classes(
        np.zeros(size, dtype=np.int64), weight, ("case",), rng=seed, cluster=cluster
    )
    return replace(split, n_classes=actions)


def _checked(
    losses: Mapping[str, ArrayLike], spread: Any, sample_weight: Any, groups: Any
) -> tuple[list[FloatArray], list[FloatArray], FloatArray | None, Any]:
    """Return losses and spreads by model, weights and clusters, without cases of weight 0."""
    if not losses:
        raise input_error("losses", "must hold at least one model", "an empty mapping")
    if isinstance(spread, Mapping) and set(spread) != set(losses):
        raise input_error("spread", f"must have the models {list(losses)}", list(spread))
    columns, doubts = [], []
    weight, cluster = check_weights(sample_weight), check_groups(groups)
    for name, values in losses.items():
        where = "losses" if len(losses) == 1 else f"losses[{name!r}]"
        own = check_finite(values, where)
        if own.ndim != 1 or len(own) == 0:
            raise input_error(where, "must hold one number per case", f"shape {own.shape}")
        by_model = isinstance(spread, Mapping)
        doubt = check_scores(
            spread[name] if by_model else spread, f"spread[{name!r}]" if by_model else "spread"
        )
        check_same_length(losses=own, spread=doubt, sample_weight=weight, groups=cluster)
        columns.append(own)
        doubts.append(doubt)
    check_same_length(**{f"losses[{name!r}]": own for name, own in zip(losses, columns, strict=True)})
    if weight is not None and not weight.all():
        kept = weight > 0
        columns, doubts, weight = [one[kept] for one in columns], [one[kept] for one in doubts], weight[kept]
        cluster = None if cluster is None else np.unique(cluster[kept], return_inverse=True)[1]
    return columns, doubts, weight, cluster


# ---------------------------------------------------------------- tolerances and prices


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class ReviewSurface(Result):
    """Cost of reviewing wide spreads over tolerances and prices; made by `review_surface`.

    Attributes
    ----------
    tolerance, price : array
        The grid.
    honest : array of (tolerances, prices)
        Cost per case of thresholds chosen without the case.
    hindsight : array of (tolerances, prices)
        Cost of the threshold chosen on all cases, on these cases.
    never : array of tolerances
        Cost per case without any review. Reviewing all costs the price.
    reviews : array of (tolerances, prices)
        Share of the cases reviewed by thresholds chosen without them.
    n : float
    """

    tolerance: FloatArray
    price: FloatArray
    honest: FloatArray
    hindsight: FloatArray
    never: FloatArray
    reviews: FloatArray
    n: float
    _told = ("tolerance", "price", "honest", "n")
    _reported = ("saving",)

    @property
    def saving(self) -> FloatArray:
        """What thresholds save against the cheaper of never and always reviewing; below 0: they cost."""
        return np.minimum(self.never[:, None], self.price) - self.honest

    def _figure(self) -> str:
        return _html.heat(self.saving, ("saving", "tolerance", "price"))


def review_surface(
    errors: ArrayLike,
    spread: ArrayLike,
    *,
    tolerances: ArrayLike | None = None,
    prices: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    rng: int = 0,
) -> ReviewSurface:
    """Cost of reviewing wide spreads for every tolerance and price of a review; lower is better.

    Where neither is known yet it shows which of them make a threshold on the spread worth having.

    Parameters
    ----------
    errors : array of n numbers >= 0
        Of the predictions, as `regression_errors` gives them; the loss is max(error - tolerance, 0).
    spread, sample_weight, groups, rng
        As in `review_threshold`.
    tolerances : array of numbers >= 0, optional
        Default: 12 steps from 0 to the error that nine of ten cases keep.
    prices : array of numbers >= 0, optional
        Default: 12 steps up to twice the mean error.

    Returns
    -------
    ReviewSurface
        With `honest`, `hindsight`, `never` and `saving`.

    Raises
    ------
    InputError
        As in `review_threshold`; for negative errors, tolerances or prices.

    Examples
    --------
    >>> import numpy as np
    >>> from demur.regression import review_surface
    >>> rng = np.random.default_rng(0)
    >>> spread = rng.uniform(0.1, 2, size=200)
    >>> errors = np.abs(spread * rng.normal(size=200))
    >>> surface = review_surface(errors, spread, tolerances=[0, 1], prices=[0.2, 0.5, 1])
    >>> surface.saving.round(2).tolist()
    [[0.01, 0.06, 0.21], [0.05, 0.04, -0.02]]
    """
    check_nonnegative(errors, "errors")
    (error,), (doubt,), weight, cluster = _checked({"errors": errors}, spread, sample_weight, groups)
    if tolerances is None:
        tolerances = np.linspace(0.0, float(np.quantile(error, 0.9)), _STEPS)
    if prices is None:
        prices = np.linspace(0.0, 2 * float(error.mean()), _STEPS + 1)[1:]
    steps, costs = (
        np.atleast_1d(check_nonnegative(values, name))
        for values, name in ((tolerances, "tolerances"), (prices, "prices"))
    )
    cases = _cases(len(error), weight, cluster, 1, check_positive_int(rng, "rng", minimum=0))
    honest, reviews, hindsight = (np.empty((len(steps), len(costs))) for _ in range(3))
    never = np.empty(len(steps))
    for row, tolerance in enumerate(steps):
        losses = np.maximum(error - tolerance, 0.0)
        curve = _hull(losses, doubt, cases.sizes)
        never[row], hindsight[row] = curve.loss[-1], curve.cost(costs)
        learners = [_PriceLearner(losses, float(price), (_ANSWER,)) for price in costs]
        judged = evaluate(cases, Inputs(doubt), learners, [one.rule(curve) for one in learners])
        for place, (price, one) in enumerate(zip(costs, judged, strict=True)):
            assert isinstance(one, Judged), "every training set has a threshold"
            table = np.column_stack([losses, np.full(len(losses), price)])
            honest[row, place] = paid_sums(cases, table, one.honest).sum() / cases.n
            share = paid_sums(cases, np.broadcast_to([0.0, 1.0], table.shape), one.honest)
            reviews[row, place] = share.sum() / cases.n
    return ReviewSurface(
        tolerance=read_only(steps.copy()),
        price=read_only(costs.copy()),
        honest=read_only(honest),
        hindsight=read_only(hindsight),
        never=read_only(never),
        reviews=read_only(reviews),
        n=cases.n,
    )
