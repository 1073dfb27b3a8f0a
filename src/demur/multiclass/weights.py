"""More than two classes: weights on the scores that make the answers cheap.

A classifier gives every class a confidence; the answer is the class with the largest weighted
confidence. Deng, Bourke, Scott et al. (2006) look for the weights with the lowest cost on the
ROC hypersurface; here two and three classes are solved exactly, more by exact line searches.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from demur import _html
from demur._checks import (
    check_choice,
    check_class_codes,
    check_columns,
    check_positive,
    check_positive_int,
    check_rng,
    check_same_length,
    check_weights,
    input_error,
)
from demur._kernels.exact_three import cheapest_labels
from demur._kernels.weight_objective import DEEPEST, Table, log_column_costs, predicted, table_of, total_cost
from demur._results import Result
from demur.costs.matrix import CostMatrix, as_cost_matrix, by_class, class_indices, class_names, class_priors
from demur.exceptions import DegenerateDataWarning, UndefinedError
from demur.multiclass.cells import exponentials, widest_weights
from demur.multiclass.search import (
    coordinate_search,
    differential_evolution,
    genetic_search,
    lachiche_flach,
    linear_relaxation,
    log_weights,
    mixed_integer,
    pair_bound,
    restarts,
    soft_search,
    table_cost,
)
from demur.surface.window import ABSTAIN
from demur.typing import ArrayLike, FloatArray, IntArray, Labels

__all__ = [
    "METHODS",
    "SEARCHES",
    "ClassWeights",
    "Family",
    "LabelledScores",
    "SearchOptions",
    "answer_scores",
    "fitted_rule",
    "labelled_scores",
    "log_of_scores",
    "optimize_weights",
    "selected_rule",
    "training_priors",
]

Family = Literal["weights", "columns"]

SEARCHES = ("none", "coordinate", "subsets", "restarts", "lachiche-flach", "solff", "ga", "ga-solff", "de")
METHODS = ("auto", "exact", "milp", "lp", *SEARCHES)
_EXACT_UP_TO = 5000
_LARGEST_EXACT = 50_000  # distinct rows of three answers: 4 n^2 steps, a minute compiled, eight without numba
_MOST_SUBSET_ANSWERS = 12
_MILP_MARGIN = 1e-4
# name -> (method, family); the plain scores first, so that a tie goes to the simplest rule
_CANDIDATES: dict[str, tuple[str, Family]] = {
    "none": ("none", "weights"),
    "bayes": ("none", "columns"),
    "coordinate, weights": ("coordinate", "weights"),
    "coordinate, columns": ("coordinate", "columns"),
    "restarts, weights": ("restarts", "weights"),
    "restarts, columns": ("restarts", "columns"),
}
_SHORT = {"ils": "restarts", "coord": "coordinate", "lf": "lachiche-flach"}


class LabelledScores(NamedTuple):
    """Checked input: log scores, class indices, weights or None, costs, and abstention costs or None."""

    log_scores: FloatArray
    y: IntArray
    sample_weight: FloatArray | None
    costs: CostMatrix
    abstain_costs: FloatArray | None
    priors: Any

    def part(self, rows: IntArray) -> LabelledScores:
        """The examples at `rows`."""
        weight = None if self.sample_weight is None else self.sample_weight[rows]
        return self._replace(log_scores=self.log_scores[rows], y=self.y[rows], sample_weight=weight)

    def class_shares(self) -> tuple[FloatArray, FloatArray]:
        """P(class) in use, and the weight of the examples of each class."""
        sizes = np.bincount(self.y, self.sample_weight, len(self.costs.classes)).astype(np.float64)
        return class_priors(self.priors, self.costs.classes, sizes), sizes

    def case_shares(self) -> FloatArray:
        """P(C_y) / |C_y| of every example: what it stands for at the priors in use."""
        shares, sizes = self.class_shares()
        each = np.divide(shares, sizes, out=np.zeros_like(shares), where=sizes > 0)[self.y]
        return each if self.sample_weight is None else each * self.sample_weight

    def answer_costs(self) -> FloatArray:
        """V[i, k] = p(C_y) c(C_y, C_k) / |C_y|: what answer k to example i adds to eq. (1)."""
        costs = _with_abstaining(self.costs.values, self.abstain_costs)
        return np.asarray(costs[self.y] * self.case_shares()[:, None])


class SearchOptions(NamedTuple):
    """Options of the methods; without `proof` no lower bound is looked for, without `polish` no pairs."""

    rng: np.random.Generator
    n_restarts: int = 100
    order: IntArray | None = None
    time_limit: float = 25.0
    center: bool = True
    proof: bool = True
    polish: bool = True
    eta: float = 1e-6


def _with_abstaining(costs: FloatArray, abstain_costs: FloatArray | None) -> FloatArray:
    return costs if abstain_costs is None else np.column_stack([costs, abstain_costs])


def log_of_scores(scores: ArrayLike, *, log: bool, columns: int | None = None) -> FloatArray:
    """Log scores, rows scaled to add up to 1, floored far below the best of their row."""
    values = check_columns(scores, "scores", columns=columns)
    if values.shape[1] == 0:
        raise input_error("scores", "must have one column per class", "no column")
    if not log:
        bad = values[(values < 0) | np.isinf(values)]
        if len(bad):
            raise input_error(
                "scores", "must be finite and not negative", bad[0], "pass log=True for log scores."
            )
        empty = np.flatnonzero(values.max(axis=1) == 0)
        if len(empty):
            raise input_error(
                "scores", "must be positive for at least one class in every row", f"zeros in row {empty[0]}"
            )
        with np.errstate(divide="ignore"):
            values = np.log(values)
    best = values.max(axis=1, keepdims=True)
    if not np.all(np.isfinite(best)):
        raise input_error(
            "scores", "must have a finite largest log score in every row", float(best[~np.isfinite(best)][0])
        )
    g = np.maximum(values - best, -DEEPEST)
    return np.asarray(g - np.log(np.exp(g).sum(axis=1, keepdims=True)))


def answer_scores(
    g: FloatArray, costs: CostMatrix, abstain_costs: FloatArray | None, family: str
) -> FloatArray:
    """One column per answer: the classes, then abstaining with the constant score 1 or -log L_r."""
    if family == "columns":
        return log_column_costs(g, _with_abstaining(costs.values, abstain_costs))
    return g if abstain_costs is None else np.column_stack([g, np.zeros(len(g))])


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class ClassWeights(Result):
    """Class weights and what they cost; made by `optimize_weights`.

    Attributes
    ----------
    weights : array of m numbers
        Factor of the score of each class, the first one 1 (for the family "columns" the factor
        of 1 / L_k, see `optimize_weights`).
    log_weights : array of m numbers
        Their logarithms; use them where weights leave the range of floats.
    abstain_weight : float or None
        Factor of the constant score 1 of abstaining.
    labels : array of n whole numbers
        Index in `classes` of the answer to each example, `ABSTAIN` where it abstains.
    objective : float
        Cost per case at `priors`; the lower the better.
    margin : float
        Every example prefers its answer by at least this in log score, with the best weights of
        the same cell; larger is safer against small changes of the scores.
    lower_bound : float
        No weights of this family cost less on these data.
    optimal : bool
        Whether the objective equals the lower bound.
    method, family : str
        The search used, and what the weights multiply.
    classes : tuple
        Names of the score columns.
    priors : array
        P(class) in use.
    n : int
        Number of examples.
    cross_validation : dict or None
        Mean held-out cost of each candidate, for ``method="cv"``.
    costs, abstain_costs
        The costs in use.
    log_answer_weights : array
        `log_weights`, and the one of abstaining if that is an answer.
    """

    weights: FloatArray
    log_weights: FloatArray
    abstain_weight: float | None
    labels: IntArray
    objective: float
    margin: float
    lower_bound: float
    optimal: bool
    method: str
    family: str
    classes: tuple[Any, ...]
    priors: FloatArray
    n: int
    cross_validation: dict[str, float] | None
    costs: CostMatrix
    abstain_costs: FloatArray | None
    log_answer_weights: FloatArray

    _evidence = ("counts", "costs")

    def _figure(self) -> str:
        return _html.bars(self.weights, self.classes, "weights")

    def decide(self, scores: ArrayLike, *, log: bool = False) -> IntArray:
        """Index in `classes` for every row of new scores, `ABSTAIN` where abstaining is best."""
        g = log_of_scores(scores, log=log, columns=len(self.classes))
        answers = answer_scores(g, self.costs, self.abstain_costs, self.family)
        columns = predicted(answers, self.log_answer_weights)
        return np.where(columns == len(self.classes), ABSTAIN, columns)

    def probabilities(self, scores: ArrayLike, *, log: bool = False) -> FloatArray:
        """Probability of each answer if answers are drawn: w_k f(x, C_k) / sum_l w_l f(x, C_l).

        The probabilistic prediction of Deng et al. (2006), section 3.1.2; `decide` takes the largest. Not
        for rules that abstain.
        """
        if self.abstain_costs is not None:
            raise UndefinedError(
                "Answers are drawn among classes, got a rule that abstains. Hint: leave out abstain_cost."
            )
        g = log_of_scores(scores, log=log, columns=len(self.classes))
        weighted = answer_scores(g, self.costs, None, self.family) + self.log_answer_weights
        shares = exponentials(weighted - weighted.max(axis=1, keepdims=True))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def probabilistic_cost(self, scores: ArrayLike, y_true: Labels, *, log: bool = False) -> float:
        """Expected cost per case if every answer is drawn with `probabilities`; the lower the better.

        The objective of section 3.1.2, a smooth function of the weights. On the same cases it is never
        below that of the best fixed answer to each case.
        """
        shares = self.probabilities(scores, log=log)
        codes = check_class_codes(y_true, len(self.classes), self.classes)
        check_same_length(scores=shares, y_true=codes)
        return float((shares * self.costs.values[codes]).sum(axis=1).mean())

    def predict(self, scores: ArrayLike, *, abstain_label: Any = ABSTAIN, log: bool = False) -> Any:
        """Names instead of indices: an array of classes, `abstain_label` where it abstains."""
        return named_answers(self.decide(scores, log=log), self.classes, abstain_label)


def named_answers(codes: IntArray, classes: Sequence[Any], abstain_label: Any) -> Any:
    """Replace class indices by names; text and numbers together need an array of objects."""
    names = [*classes, abstain_label] if np.any(codes == ABSTAIN) else list(classes)
    mixed = len({isinstance(name, str) for name in names}) > 1
    # ABSTAIN is -1: it picks the last name, the label of abstaining
    return np.array(names, dtype=object if mixed else None)[codes]


# ---------------------------------------------------------------- one method


def fitted_rule(data: LabelledScores, method: str, family: Family, options: SearchOptions) -> ClassWeights:
    """Run one method and return its rule."""
    answers = answer_scores(data.log_scores, data.costs, data.abstain_costs, family)
    v = data.answer_costs()
    # cases of weight 0 must not shape the cells either
    kept = slice(None) if data.sample_weight is None else data.sample_weight > 0
    table = table_of(answers[kept], v[kept])
    method = _resolved(method, table)
    u, bound = _solved(method, table, answers, v, options)
    labels = predicted(table.g, u)
    margin, centred = widest_weights(table.g, labels)
    # "none" promises the scores as they are; other weights of the cell may answer new cases differently
    if options.center and method != "none" and np.array_equal(predicted(table.g, centred), labels):
        u = centred
    objective = total_cost(table.v, labels)
    if bound is None:
        # a rule of one fold is judged on others: nobody asks how far from the best it is
        bound = pair_bound(table) if options.proof else -np.inf
    bound = min(objective, bound)
    classes = data.costs.classes
    m = len(classes)
    codes = predicted(answers, u)
    return ClassWeights(
        weights=exponentials(u[:m]),
        log_weights=u[:m].copy(),
        abstain_weight=None if data.abstain_costs is None else float(exponentials(u[m])),
        labels=np.where(codes == m, ABSTAIN, codes),
        objective=objective,
        margin=margin,
        lower_bound=bound,
        optimal=objective <= bound + 10 * table.cost_tolerance,
        method=method,
        family=family,
        classes=classes,
        priors=data.class_shares()[0],
        n=len(data.y),
        cross_validation=None,
        costs=data.costs,
        abstain_costs=data.abstain_costs,
        log_answer_weights=u,
    )


def _resolved(method: str, table: Table) -> str:
    """The method that "auto" stands for; refuse methods that cannot handle so many answers."""
    n, answers = table.g.shape
    if answers == 1 and method != "none":
        return "exact"
    if method == "auto":
        exact = answers <= 2 or (answers == 3 and n <= _EXACT_UP_TO)
        return "exact" if exact else "restarts"
    if method == "exact" and answers > 3:
        raise input_error(
            "method",
            "'exact' needs at most three answers (classes, and abstaining if allowed)",
            f"{answers} answers",
            "use 'restarts', or 'milp' for a proof on few examples.",
        )
    if method == "exact" and answers == 3 and n > _LARGEST_EXACT:
        raise input_error(
            "method",
            f"'exact' needs at most {_LARGEST_EXACT} distinct rows of scores for three answers",
            f"{n} rows",
            "use 'restarts' or 'coordinate'; the time of 'exact' grows with the square of the rows.",
        )
    if method == "subsets" and answers > _MOST_SUBSET_ANSWERS:
        raise input_error(
            "method",
            f"'subsets' needs at most {_MOST_SUBSET_ANSWERS} answers",
            f"{answers} answers",
            "use 'restarts'.",
        )
    return method


def _solved(
    method: str, table: Table, answers: FloatArray, v: FloatArray, options: SearchOptions
) -> tuple[FloatArray, float | None]:
    """Log weights, and the lower bound if the method proves one."""
    if method == "exact":
        return _exact(table)
    if method == "milp":
        return _proved(table, options)
    if method == "lp":
        f = exponentials(answers - answers.max(axis=1, keepdims=True))
        u = log_weights(linear_relaxation(f / f.sum(axis=1, keepdims=True), v, eta=options.eta)[0])
        return u - u[0], None
    rng = options.rng
    searches: dict[str, Callable[[], FloatArray]] = {
        "none": lambda: np.zeros(table.g.shape[1]),
        "coordinate": lambda: coordinate_search(table),
        "subsets": lambda: coordinate_search(table, subsets=True),
        "restarts": lambda: restarts(table, rng, options.n_restarts, polish=options.polish),
        "lachiche-flach": lambda: lachiche_flach(table, options.order),
        "solff": lambda: soft_search(table, rng),
        "ga": lambda: genetic_search(table, rng, "hard"),
        "ga-solff": lambda: genetic_search(table, rng, "soft"),
        "de": lambda: differential_evolution(table, rng),
    }
    return searches[method](), None


def _exact(table: Table) -> tuple[FloatArray, float | None]:
    m = table.g.shape[1]
    if m == 1:
        return np.zeros(1), float(table.v.sum())
    if m == 2:
        # one line search over all n + 1 thresholds, the last class against the first
        u = lachiche_flach(table)
        return u, table_cost(table, u)
    labels = cheapest_labels(table)
    margin, u = widest_weights(table.g, labels)
    if margin <= 0 or not np.array_equal(predicted(table.g, u), labels):
        warnings.warn(
            "Scores closer than rounding separate the cheapest answers: the weights given are the best "
            "of a search instead, without a proof.",
            DegenerateDataWarning,
            stacklevel=4,
        )
        return restarts(table, np.random.default_rng(0), 100), None
    return u, total_cost(table.v, labels)


def _proved(table: Table, options: SearchOptions) -> tuple[FloatArray, float | None]:
    """Integer program, compared with the restarts: the better weights with the program's bound."""
    u = restarts(table, options.rng, options.n_restarts)
    value = table_cost(table, u)
    solved, bound, closed = mixed_integer(table, margin=_MILP_MARGIN, time_limit=options.time_limit)
    if value < bound - table.cost_tolerance - 1e-9 * abs(bound):
        warnings.warn(
            f"Weights with a margin below {_MILP_MARGIN:g} are cheaper than all others: the bound of the "
            "integer program does not hold for them and is left out.",
            DegenerateDataWarning,
            stacklevel=4,
        )
        return u, None
    if solved is not None and table_cost(table, solved) < value - table.cost_tolerance:
        u, value = solved, table_cost(table, solved)
    # HiGHS proves to its own tolerance only
    proved = closed and value <= bound + 1e-6 * max(1.0, abs(bound))
    return u, value if proved else max(bound, pair_bound(table))


# ---------------------------------------------------------------- the choice by cross-validation


def selected_rule(
    data: LabelledScores, family: Family, options: SearchOptions, *, folds: int
) -> ClassWeights:
    """Fit the candidate with the lowest cross-validated cost to all examples.

    Candidates are the plain scores, the Bayes rule, and the searches in the given family. The
    training optimum overfits where examples are few: cross-validate to see whether weights pay.
    """
    n = len(data.y)
    if n < folds:
        raise input_error("folds", f"must not exceed the number of examples, {n}", folds)
    # one sequence for all classes, so that small ones do not all end up in the first fold
    dealt = [options.rng.permutation(np.flatnonzero(data.y == k)) for k in np.unique(data.y)]
    fold_of = np.empty(n, dtype=np.int64)
    fold_of[np.concatenate(dealt)] = np.arange(n) % folds
    names = [name for name, (method, kind) in _CANDIDATES.items() if method == "none" or kind == family]
    if np.any(data.costs.values < 0):
        names.remove("bayes")
    costs = {name: _held_out_cost(data, fold_of, *_CANDIDATES[name], options) for name in names}
    # the objective is rounded at the 12th digit at best: no preference below that
    chosen = min(names, key=lambda name: round(costs[name], 12))
    return dataclasses.replace(fitted_rule(data, *_CANDIDATES[chosen], options), cross_validation=costs)


def _held_out_cost(
    data: LabelledScores, fold_of: IntArray, method: str, family: Family, options: SearchOptions
) -> float:
    """Cost of the answers to every example by a rule that did not see it."""
    v, total = data.answer_costs(), 0.0
    for fold in range(fold_of.max() + 1):
        held_out, training = np.flatnonzero(fold_of == fold), data.part(np.flatnonzero(fold_of != fold))
        # a class may be missing from small training parts; its prior has nothing to act on there
        if data.priors is not None:
            training = training._replace(priors=training_priors(data, training))
        rule = fitted_rule(training, method, family, options)
        codes = rule.decide(data.log_scores[held_out], log=True)
        total += float(v[held_out, codes].sum())
    return total


def training_priors(data: LabelledScores, training: LabelledScores) -> list[float]:
    """Priors of the classes present in the training part, scaled to sum to 1."""
    shares, _ = data.class_shares()
    present = np.bincount(training.y, minlength=len(shares)) > 0
    kept = np.where(present, shares, 0.0)
    return [float(share) for share in (kept / kept.sum() if kept.sum() else present / present.sum())]


# ---------------------------------------------------------------- the public function


def optimize_weights(
    scores: ArrayLike,
    y_true: Labels,
    costs: Any,
    *,
    classes: Sequence[Any] | None = None,
    priors: Any = None,
    sample_weight: ArrayLike | None = None,
    method: str = "auto",
    family: Family = "weights",
    abstain_cost: Any = None,
    log: bool = False,
    center: bool = True,
    n_restarts: int = 100,
    order: Sequence[Any] | None = None,
    time_limit: float = 25.0,
    eta: float = 1e-6,
    folds: int = 5,
    rng: Any = None,
) -> ClassWeights:
    """Class weights with the lowest cost per case on labelled examples; the lower the better.

    The answer to x is the class with the largest w_k f(x, C_k). Assumes that the examples look
    like the cases to come: with few of them the cheapest weights overfit, and ``method="cv"``
    shows whether weights pay at all.

    Parameters
    ----------
    scores : array of shape (n, m)
        Confidences f >= 0, one column per class, such as probabilities; logarithms if `log`.
    y_true : n labels
        True classes.
    costs : mapping {true: {predicted: cost}}, CostMatrix, data frame or array
        Rows are true classes, columns answers; a bare array is in the order of the columns.
    classes : m names, optional
        Names of the columns; default: the sorted names in `costs`, or the sorted labels.
    priors : mapping {class: p} or m numbers, optional
        P(class) where the rule is used; default: the shares of the sample.
    sample_weight : n numbers, optional
        Weight 2 means the same as a repeated row.
    method : str
        "auto" (exact for two answers, and for three up to n = 5000, else restarts), "exact",
        "milp", "restarts" ("ils"), "coordinate" ("coord"), "subsets", "lachiche-flach" ("lf"),
        "lp", "solff", "ga", "ga-solff", "de", "none", or "cv": the best of none, Bayes rule,
        coordinate search and restarts by cross-validation. The time of "exact" for three answers grows
        with n^2: more than 50,000 distinct rows of scores are refused.
    family : {"weights", "columns"}
        "columns": answer argmin_k v_k L_k with L_k = sum_j c(j, k) f_j, O'Brien and Gray (2005).
        Equal v is the Bayes rule, so prefer it where costs depend on the answer.
    abstain_cost : number, or one per class, optional
        Allows the answer "abstain" at this price; scores are scaled to probabilities.
    center : bool
        Move the weights to the middle of their cell (same answers, largest margin); False keeps
        them as the method left them.
    n_restarts, order, time_limit, eta, folds
        Of "restarts", "lachiche-flach" (class names), "milp" (seconds), "lp" (price of leaving equal
        weights, eq. 14) and "cv".
    rng : seed or Generator, optional
        For the random searches.

    Returns
    -------
    ClassWeights
        With `weights`, `labels`, `objective`, `margin`, `lower_bound`, `optimal` and `decide`.

    Raises
    ------
    InputError
        If names of costs and classes differ, a class with a prior has no example, the input is not
        finite, or the method cannot handle so many answers or rows.

    Notes
    -----
    J(w) = sum_j p(C_j) sum_k r(C_j, C_k) c(C_j, C_k), eq. (1), r the share of class j answered
    k. J is constant on the cells of an arrangement, so no gradient helps; with the number of
    classes part of the input the problem is NP-hard. `lower_bound` holds for all weights,
    except that "milp" considers only weights with a margin of 1e-4. Confidences of 0 count as
    exp(-690) of the best of their row, log ratios closer than 4e-13 of the largest as equal.

    References
    ----------
    Deng et al. (2006), New algorithms for optimizing multi-class
    classifiers via ROC surfaces, ROCML workshop at ICML. O'Brien and Gray (2005), ROCML.
    Lachiche and Flach (2003), ICML.

    Examples
    --------
    Missing the rare third class is expensive. What do the plain scores cost, and the best weights?

    >>> from demur import optimize_weights
    >>> scores = [[.7, .2, .1], [.5, .3, .2], [.4, .35, .25], [.3, .5, .2],
    ...           [.45, .4, .15], [.2, .3, .5], [.5, .1, .4], [.34, .33, .33]]
    >>> y = ["a", "b", "b", "b", "a", "c", "c", "a"]
    >>> costs = {"a": {"b": 1, "c": 4}, "b": {"a": 3, "c": 2}, "c": {"a": 8, "b": 6}}
    >>> optimize_weights(scores, y, costs, method="none").objective
    1.75
    >>> best = optimize_weights(scores, y, costs)
    >>> best.objective, best.optimal, best.weights.round(3).tolist()
    (0.25, True, [1.0, 2.152, 1.667])
    """
    method = check_choice(_SHORT.get(method, method), "method", (*METHODS, "cv"))
    check_choice(family, "family", ("weights", "columns"))
    data = labelled_scores(
        scores,
        y_true,
        costs,
        classes=classes,
        priors=priors,
        sample_weight=sample_weight,
        abstain_cost=abstain_cost,
        log=log,
    )
    if family == "columns" and np.any(data.costs.values < 0):
        lowest = float(data.costs.values.min())
        raise input_error(
            "costs", "must not be negative for family='columns'", lowest, "add a constant to all."
        )
    if time_limit <= 0:
        raise input_error("time_limit", "must be a positive number of seconds", time_limit)
    options = SearchOptions(
        rng=check_rng(rng),
        n_restarts=check_positive_int(n_restarts, "n_restarts", minimum=0),
        order=None if order is None else _order_indices(order, data),
        time_limit=float(time_limit),
        center=center,
        eta=check_positive(eta, "eta"),
    )
    if method == "cv":
        return selected_rule(data, family, options, folds=check_positive_int(folds, "folds", minimum=2))
    return fitted_rule(data, method, family, options)


def labelled_scores(
    scores: ArrayLike,
    y_true: Labels,
    costs: Any,
    *,
    classes: Sequence[Any] | None = None,
    priors: Any = None,
    sample_weight: ArrayLike | None = None,
    abstain_cost: Any = None,
    log: bool = False,
) -> LabelledScores:
    """Check the evidence of `optimize_weights` and bring it into the form the methods work with."""
    g = log_of_scores(scores, log=log)
    names = class_names(y_true, g.shape[1], costs, classes)
    matrix = as_cost_matrix(costs, names)
    y = class_indices(y_true, names)
    weight = check_weights(sample_weight)
    check_same_length(scores=g, y_true=y, sample_weight=weight)
    abstain_costs = None if abstain_cost is None else by_class(abstain_cost, "abstain_cost", names)
    return LabelledScores(g, y, weight, matrix, abstain_costs, priors)


def _order_indices(order: Sequence[Any], data: LabelledScores) -> IntArray:
    """Indices of the classes in the order given by name; abstaining comes last."""
    classes = data.costs.classes
    names = list(order)
    if sorted(map(repr, names)) != sorted(map(repr, classes)):
        raise input_error("order", f"must name each of the classes {list(classes)!r} once", repr(names))
    last = [] if data.abstain_costs is None else [len(classes)]
    return np.array([classes.index(name) for name in names] + last, dtype=np.int64)
