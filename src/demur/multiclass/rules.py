"""Rules of class weights: labelled scores in, the cheapest rule of one method out."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from demur import _html
from demur._checks import check_class_codes, check_columns, check_same_length, input_error
from demur._kernels.exact_three import cheapest_labels
from demur._kernels.weight_objective import DEEPEST, Table, log_column_costs, predicted, table_of, total_cost
from demur._results import Result
from demur.costs.matrix import CostMatrix, class_priors
from demur.exceptions import DegenerateDataWarning, UndefinedError
from demur.multiclass.cells import exponentials, widest_weights
from demur.multiclass.programs import linear_relaxation, mixed_integer, pair_bound
from demur.multiclass.search import lachiche_flach, restarts, search_by_name, table_cost
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
    "log_of_scores",
]

Family = Literal["weights", "columns"]

SEARCHES = ("none", "coordinate", "subsets", "restarts", "lachiche-flach", "solff", "ga", "ga-solff", "de")
METHODS = ("auto", "exact", "milp", "lp", *SEARCHES)
_EXACT_UP_TO = 5000
_MOST_SUBSET_ANSWERS = 12
_MILP_MARGIN = 1e-4


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
        m = len(self.costs.classes)
        sizes = np.bincount(self.y, self.sample_weight, minlength=m).astype(np.float64)
        return class_priors(self.priors, self.costs.classes, sizes), sizes

    def answer_costs(self) -> FloatArray:
        """V[i, k] = p(C_y) c(C_y, C_k) / |C_y|: what answer k to example i adds to eq. (1)."""
        shares, sizes = self.class_shares()
        per_example = np.divide(shares, sizes, out=np.zeros_like(shares), where=sizes > 0)[self.y]
        if self.sample_weight is not None:
            per_example = per_example * self.sample_weight
        return np.asarray(
            _with_abstaining(self.costs.values, self.abstain_costs)[self.y] * per_example[:, None]
        )


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
        if np.any(values < 0) or np.any(np.isinf(values)):
            bad = values[(values < 0) | np.isinf(values)][0]
            raise input_error(
                "scores", "must be finite and not negative", bad, "pass log=True for log scores."
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
        return _as_codes(predicted(answers, self.log_answer_weights), len(self.classes))

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


def _as_codes(labels: IntArray, m: int) -> IntArray:
    return np.where(labels == m, ABSTAIN, labels)


# ---------------------------------------------------------------- one method


def fitted_rule(data: LabelledScores, method: str, family: Family, options: SearchOptions) -> ClassWeights:
    """Run one method and return its rule."""
    answers = answer_scores(data.log_scores, data.costs, data.abstain_costs, family)
    v = data.answer_costs()
    if data.sample_weight is not None and not data.sample_weight.all():
        # cases of weight 0 must not shape the cells either
        table = table_of(answers[data.sample_weight > 0], v[data.sample_weight > 0])
    else:
        table = table_of(answers, v)
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
    return ClassWeights(
        weights=exponentials(u[:m]),
        log_weights=u[:m].copy(),
        abstain_weight=None if data.abstain_costs is None else float(exponentials(u[m])),
        labels=_as_codes(predicted(answers, u), m),
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
        w = linear_relaxation(f / f.sum(axis=1, keepdims=True), v, eta=options.eta).w
        u = np.log(np.maximum(w, np.exp(-DEEPEST)))
        return u - u[0], None
    if method == "restarts":
        return restarts(table, options.rng, options.n_restarts, polish=options.polish), None
    return search_by_name(method, table, options.rng, options.n_restarts, options.order), None


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
    solution = mixed_integer(table, margin=_MILP_MARGIN, time_limit=options.time_limit)
    bound = solution.bound
    if value < bound - table.cost_tolerance - 1e-9 * abs(bound):
        warnings.warn(
            f"Weights with a margin below {_MILP_MARGIN:g} are cheaper than all others: the bound of the "
            "integer program does not hold for them and is left out.",
            DegenerateDataWarning,
            stacklevel=4,
        )
        return u, None
    if solution.u is not None and table_cost(table, solution.u) < value - table.cost_tolerance:
        u, value = solution.u, table_cost(table, solution.u)
    # HiGHS proves to its own tolerance only
    closed = solution.closed and value <= bound + 1e-6 * max(1.0, abs(bound))
    return u, value if closed else max(bound, pair_bound(table))
