"""Models around a ready oracle: the oracle at a threshold, mimetic trees, and their configurations compared.

An oracle (any classifier, or an expert's rule) labels invented cases; a decision tree is learnt from them.
The costs enter when cases are invented (scheme 3), when they are labelled (scheme 2) or when the tree is
applied (scheme 1) (Blanco-Vega et al. 2006, section 3; all configurations side by side: table 2).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from demur._checks import (
    check_choice,
    check_finite,
    check_labels,
    check_positive_int,
    check_type,
    input_error,
)
from demur._progress import Progress
from demur._results import Result
from demur.costs.model import CostModel
from demur.estimators.out_of_fold import TwoClassMixin, training_cases
from demur.estimators.trees import LaplaceTreeClassifier
from demur.roc.curve import auc_score
from demur.typing import ArrayLike, FloatArray, Labels
from demur.unlabelled.invented import (
    DATA_KINDS,
    code_book,
    describe_column,
    encode,
    invented_cases,
    named_attributes,
    oracle_classes,
    oracle_proba,
    ranges_to_schema,
    schema_of,
)
from demur.unlabelled.thresholds import (
    UnlabelledThreshold,
    direct_threshold,
    nroc_threshold,
    ranking_threshold,
    relabelled,
)

__all__ = [
    "DirectThresholdClassifier",
    "MimeticClassifier",
    "MimeticComparison",
    "OracleModel",
    "mimetic_configurations",
    "mimetic_costs",
]


class OracleModel(TwoClassMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the models around a ready oracle: two classes, costs, clones that keep the oracle."""

    oracle: Any
    costs: CostModel | None
    classes_: np.ndarray
    decision_: UnlabelledThreshold

    def __sklearn_clone__(self) -> Self:
        # The oracle is knowledge, not something to fit again: clones share it.
        options = {name: value for name, value in self.get_params(deep=False).items() if name != "oracle"}
        return type(self)(self.oracle, **{name: clone(value, safe=False) for name, value in options.items()})

    def _checked(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Return cases and labels of `fit`, checked, each or None; note the features."""
        labels = None
        if X is not None:
            X = self._features(X, reset=True)
        if y is not None:
            cases = training_cases(self, y)
            labels = cases.labels
            self._labels_of_codes(cases.classes)  # refuses more than two
            if X is not None and len(labels) != X.shape[0]:
                raise input_error("y", f"must label each of the {X.shape[0]} cases", len(labels))
        return X, labels

    def _features(self, X: Any, *, reset: bool) -> Any:
        """Return cases as an array, checked; text columns pass as well as numbers."""
        tags = get_tags(self).input_tags
        allowed: Any = {"ensure_all_finite": not tags.allow_nan, "accept_sparse": tags.sparse}
        return validate_data(self, X, reset=reset, dtype=None, **allowed)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.target_tags.required = False
        return tags

    def _prepare(self, y: Any) -> CostModel:
        """Take the two classes from the oracle, else from y, else 0 and 1; return the costs, checked."""
        known = oracle_classes(self.oracle)
        if known is None:
            known = np.array([0, 1]) if y is None else np.unique(y)
            if len(known) != 2:
                raise input_error(
                    "y", "must hold two classes where the oracle names none", f"{len(known)} class"
                )
        self.classes_, self._outcomes = known, self._labels_of_codes(known)
        costs = CostModel() if self.costs is None else self.costs
        check_type(costs, "costs", CostModel)
        return costs

    @abstractmethod
    def _proba(self, X: Any) -> FloatArray:
        """Return P(positive) of every case."""

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probabilities that `predict` compares with its threshold, one column per class."""
        positive = self._proba(X)
        columns = np.column_stack([1 - positive, positive])
        return columns if self._outcomes[1] == self.classes_[1] else columns[:, ::-1]

    def predict(self, X: Any) -> np.ndarray:
        """Return the positive class where P(positive) reaches ``decision_.threshold``."""
        positive = self._proba(X)
        return np.asarray(self._outcomes[self.decision_.decide(positive)])


class DirectThresholdClassifier(OracleModel):
    """The oracle itself at the direct threshold: the plain rival of every mimetic model.

    No tree, no invented data: P(positive) of the oracle is compared with mu / (1 + mu). The
    paper leaves this baseline out; see `direct_threshold` for what makes it the cheapest.

    Parameters
    ----------
    oracle : fitted classifier or function
        Answers P(positive); never fitted again, clones share it.
    costs : CostModel, optional
        What each outcome costs; equal costs by default.
    pos_label : label, optional
        The positive class; the oracle's second class if left out.

    Attributes
    ----------
    classes_ : array of two labels
    decision_ : UnlabelledThreshold
        Threshold and assumption.

    Examples
    --------
    >>> from demur import CostModel
    >>> from demur.estimators import DirectThresholdClassifier
    >>> model = DirectThresholdClassifier(lambda X: X[:, 0], costs=CostModel(cost_fp=3)).fit()
    >>> import numpy as np
    >>> model.predict(np.array([[0.7], [0.8]])).tolist()
    [0, 1]
    """

    def __init__(self, oracle: Any, *, costs: CostModel | None = None, pos_label: Any = None) -> None:
        self.oracle = oracle
        self.costs = costs
        self.pos_label = pos_label

    def fit(self, X: Any = None, y: Any = None) -> Self:
        """Compute the threshold; `y` is used only to name the classes of a plain function."""
        _, labels = self._checked(X, y)
        self.decision_ = direct_threshold(self._prepare(labels))
        return self

    def _proba(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        if not hasattr(X, "columns"):
            X = self._features(X, reset=False)
        elif hasattr(self, "n_features_in_"):
            # the oracle gets frames as they are
            validate_data(self, X, reset=False, skip_check_array=True)
        return oracle_proba(self.oracle, X, pos_label=self.pos_label)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # a plain function decides itself what it can read
        inner = get_tags(self.oracle).input_tags if hasattr(self.oracle, "__sklearn_tags__") else None
        tags.input_tags.allow_nan = inner is None or inner.allow_nan
        tags.input_tags.sparse = inner is not None and inner.sparse
        return tags


_THRESHOLD_CODES = {"direct": "Dir", "ranking": "Ord", "roc": "ROC"}
_THRESHOLDS: dict[str, Callable[..., UnlabelledThreshold]] = {
    "direct": lambda proba, *, mu: direct_threshold(mu=mu),
    "ranking": ranking_threshold,
    "roc": nroc_threshold,
}
_DATA_CODES = {"prior": "a", "balanced": "b", "random": "c"}


def _configuration_name(scheme: int, data: str, threshold: str) -> str:
    """Return the paper's name of a configuration, such as Mim2Ordb."""
    rule = _THRESHOLD_CODES[threshold] if scheme in (1, 2) else ""
    return f"Mim{scheme}{rule}{_DATA_CODES.get(data, '')}"


def mimetic_configurations() -> dict[str, dict[str, Any]]:
    """Return the 22 configurations of the paper: name -> options of `MimeticClassifier`.

    Names are Mim{scheme}{Dir|Ord|ROC}{a|b|c}: the threshold rule of schemes 1 and 2, and how
    many invented cases of each class (a: by prevalence, b: half and half, c: as they come).

    References
    ----------
    Blanco-Vega et al. (2006), ROCML, section 3.2.

    Examples
    --------
    >>> from demur.estimators import mimetic_configurations
    >>> configurations = mimetic_configurations()
    >>> len(configurations), configurations["Mim2Ordb"]
    (22, {'scheme': 2, 'data': 'balanced', 'threshold': 'ranking'})
    """
    wanted = [(0, data, "direct") for data in _DATA_CODES]
    wanted += [(k, data, rule) for k in (1, 2) for rule in _THRESHOLD_CODES for data in _DATA_CODES]
    wanted.append((3, "oversampling", "direct"))
    return {
        _configuration_name(scheme, data, rule): {"scheme": scheme, "data": data, "threshold": rule}
        for scheme, data, rule in wanted
    }


class MimeticClassifier(OracleModel):
    """A decision tree that imitates an oracle under given costs, learnt from invented cases.

    For knowledge without data: a model bought or inherited, an expert's rule, a classifier
    whose training data are gone. The tree can be read (`explain`) and knows the costs. It
    cannot know more than the oracle: compare it with `DirectThresholdClassifier`.

    Parameters
    ----------
    oracle : fitted classifier or function
        Answers P(positive), or 0 and 1; never fitted again, clones share it.
    ranges : sequence of (low, high), optional
        Range of each numeric attribute.
    schema : sequence or mapping of attributes, optional
        Instead of `ranges`, where some attributes are whole numbers or nominal; see
        `invented_cases`. If neither is given, `fit` takes the ranges from its `X`.
    scheme : {0, 1, 2, 3}
        Where the costs enter: 0 nowhere, 1 at the tree's threshold, 2 in the labels of the
        invented cases, 3 in how many of each class are invented.
    data : {"balanced", "prior", "random", "oversampling"}
        How many invented cases of each class; "oversampling" goes with scheme 3 only.
    threshold : {"direct", "ranking", "roc"}
        Rule of schemes 1 and 2; see `direct_threshold`, `ranking_threshold`, `nroc_threshold`.
    costs : CostModel, optional
        What each outcome costs; equal costs by default. Only mu matters.
    n_invented : int, default 10000
    prevalence : float, optional
        P(positive) for data="prior"; taken from the `y` of `fit` if left out.
    pos_label : label, optional
        The positive class; the oracle's second class if left out.
    tree : classifier, optional
        Learner to use in place of `LaplaceTreeClassifier` (unpruned for scheme 1).
    max_draws, on_shortage
        As in `invented_cases`.
    random_state : int or numpy.random.Generator, optional

    Attributes
    ----------
    classes_ : array of two labels
    tree_ : LaplaceTreeClassifier
        The learnt tree, over the encoded attributes.
    decision_ : UnlabelledThreshold
        Threshold applied to the tree's P(positive), which is Laplace-corrected. It differs from 0.5 in
        scheme 1; in scheme 2 the costs are already inside the probabilities.
    labelling_ : UnlabelledThreshold
        Threshold that labelled the invented cases.
    fidelity_ : float
        Share of the invented cases where the tree at 0.5 repeats the label it was taught.
    n_drawn_ : int
        Cases drawn until the quotas were full.
    names_, attributes_ : tuple
        The schema in use.

    References
    ----------
    Blanco-Vega, Ferri-Ramirez, Hernandez-Orallo, Ramirez-Quintana (2006), ROCML workshop.

    Examples
    --------
    An expert's score, no data, false alarms five times as costly as misses:

    >>> from demur import CostModel, MimeticClassifier

    >>> from demur.unlabelled import NominalAttribute, NumericAttribute
    >>> schema = {"dose": NumericAttribute(0, 10), "group": NominalAttribute(("a", "b"))}
    >>> expert = lambda X: (X[:, 0] / 10 * (X[:, 1] == "b")).astype(float)
    >>> model = MimeticClassifier(expert, schema=schema, costs=CostModel(cost_fp=5), random_state=0)
    >>> print(model.fit().explain())
    if dose <= 8.333: 0 (1.00, 7808 cases)
    if dose > 8.333 and group is a: 0 (1.00, 528 cases)
    if dose > 8.333 and group is b: 1 (1.00, 1664 cases)
    >>> model.name
    'Mim2Dirb'
    """

    def __init__(
        self,
        oracle: Any,
        *,
        ranges: Any = None,
        schema: Any = None,
        scheme: int = 2,
        data: str = "balanced",
        threshold: str = "direct",
        costs: CostModel | None = None,
        n_invented: int = 10_000,
        prevalence: float | None = None,
        pos_label: Any = None,
        tree: Any = None,
        max_draws: int | None = None,
        on_shortage: str = "resample",
        random_state: Any = None,
    ) -> None:
        self.oracle = oracle
        self.ranges = ranges
        self.schema = schema
        self.scheme = scheme
        self.data = data
        self.threshold = threshold
        self.costs = costs
        self.n_invented = n_invented
        self.prevalence = prevalence
        self.pos_label = pos_label
        self.tree = tree
        self.max_draws = max_draws
        self.on_shortage = on_shortage
        self.random_state = random_state

    @property
    def name(self) -> str:
        """The paper's name of this configuration, such as Mim2Ordb."""
        self._require_options()
        return _configuration_name(self.scheme, self.data, self.threshold)

    def fit(self, X: Any = None, y: Any = None) -> Self:
        """Invent cases, let the oracle label them, and learn the tree.

        Parameters
        ----------
        X : array, optional
            Real cases; only their ranges are used, and only without `ranges` and `schema`.
        y : array of labels, optional
            Only for the prevalence (data="prior") and the class names of a plain function.
        """
        self._require_options()
        labels = self._set_schema(X, y)
        mu = self._prepare(labels).mu
        prevalence = self.prevalence
        if prevalence is None and labels is not None and self.data == "prior":
            prevalence = float(np.mean(labels == self._outcomes[1]))
        cases = invented_cases(
            self.oracle,
            dict(zip(self.names_, self.attributes_, strict=True)),
            check_positive_int(self.n_invented, "n_invented"),
            data=self.data,
            mu=mu,
            prevalence=prevalence,
            pos_label=self.pos_label,
            rng=self.random_state,
            max_draws=self.max_draws,
            on_shortage=self.on_shortage,
        )
        # label the cases, learn the tree and choose the threshold for its probabilities
        half, choose = direct_threshold(mu=1.0), partial(_THRESHOLDS[self.threshold], mu=mu)
        self.labelling_ = choose(cases.proba) if self.scheme == 2 else half
        taught = relabelled(cases.proba, self.labelling_) if self.scheme == 2 else cases.positive
        coded = encode(self.attributes_, self.names_, cases.X)
        seed = self.random_state if isinstance(self.random_state, (int, np.integer)) else 0
        prune = "none" if self.scheme == 1 else "c45"
        own = LaplaceTreeClassifier(prune=prune, classes=[False, True], random_state=seed)
        self.tree_ = (own if self.tree is None else clone(self.tree)).fit(coded, taught)
        proba = self._tree_proba(coded)
        self.decision_ = choose(proba) if self.scheme == 1 else half
        self.fidelity_ = float(np.mean(half.decide(proba) == taught))
        self.n_drawn_ = cases.drawn
        return self

    def _require_options(self) -> None:
        if isinstance(self.scheme, bool) or self.scheme not in (0, 1, 2, 3):
            raise input_error("scheme", "must be 0, 1, 2 or 3", repr(self.scheme))
        check_choice(self.data, "data", DATA_KINDS)
        check_choice(self.threshold, "threshold", tuple(_THRESHOLD_CODES))
        if (self.scheme == 3) != (self.data == "oversampling"):
            raise input_error(
                "data",
                'must be "oversampling" for scheme 3 and only there',
                f"{self.data!r} with scheme {self.scheme}",
            )

    def _set_schema(self, X: Any, y: Any) -> Any:
        """Set the schema from the options or from X; return y checked, or None."""
        if self.ranges is not None and self.schema is not None:
            raise input_error("schema", "must be left out where `ranges` are given", "both")
        checked, labels = self._checked(X, y)
        if self.schema is not None:
            schema = self.schema
        elif self.ranges is not None:
            schema = ranges_to_schema(self.ranges)
        elif checked is not None:
            schema = schema_of(X, checked)
        else:
            raise input_error("ranges", "or `schema`, or else the X of fit, is needed", "none of them")
        self.names_, self.attributes_ = named_attributes(schema)
        if checked is not None and checked.shape[1] != len(self.attributes_):
            raise input_error("X", f"must have {len(self.attributes_)} columns", checked.shape[1])
        self.n_features_in_ = len(self.attributes_)
        return labels

    def _tree_proba(self, coded: FloatArray) -> FloatArray:
        """P(positive) of the tree; a learner that saw one class only has one column."""
        proba = self.tree_.predict_proba(coded)
        where = np.flatnonzero(self.tree_.classes_ == True)  # noqa: E712 - an array of labels
        return np.ascontiguousarray(proba[:, where[0]]) if len(where) else np.zeros(len(coded))

    def _proba(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        columns = getattr(X, "columns", None)
        if columns is not None and not hasattr(self, "feature_names_in_"):
            # columns of a data frame go by name where the names come from the schema
            X = np.asarray(X[list(self.names_)] if set(self.names_) <= set(columns) else X)
        numeric = all(getattr(attribute, "is_numeric", True) for attribute in self.attributes_)
        checked = validate_data(self, X, reset=False, dtype=np.float64 if numeric else None)
        return self._tree_proba(encode(self.attributes_, self.names_, checked))

    def explain(self) -> str:
        """Return the tree as rules in text, one per line: condition, class, share, invented cases."""
        check_is_fitted(self)
        if not isinstance(self.tree_, LaplaceTreeClassifier):
            raise input_error(
                "tree", "must be a LaplaceTreeClassifier to be explained", type(self.tree_).__name__
            )

        def label(shares: FloatArray) -> tuple[Any, float]:
            positive = int(self.decision_.decide([shares[1]])[0])
            return self._outcomes[positive], float(shares[positive])

        return self.tree_.explain(
            describe=partial(describe_column, code_book(self.attributes_, self.names_)), label=label
        )


_PAPER_MU = (1.0, 2.0, 3.0, 5.0, 10.0)
_BASELINES = ("oracle at 0.5", "oracle, direct")


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class MimeticComparison(Result):
    """Cost of each configuration at each relative cost; made by `mimetic_costs`.

    Attributes
    ----------
    names : tuple of str
        Configurations, then the oracle at 0.5 and at the direct threshold.
    mu : array
        Relative costs of a false alarm.
    cost : array of shape (names, mu)
        Cost per test case (a miss costs 1). The lower the better.
    accuracy : array of shape (names, mu)
        Share of right answers.
    auc : array of shape (names, mu)
        AUC of the probabilities behind the answers (table 4 of the paper); NaN where the test cases
        are of one class.
    n : int
        Number of test cases; ``cost * n`` is what the paper's table 2 holds.
    """

    names: tuple[str, ...]
    mu: FloatArray
    cost: FloatArray
    accuracy: FloatArray
    auc: FloatArray
    n: int

    def best(self, mu: float) -> str:
        """Return the cheapest of all at one of the given mu."""
        where = np.flatnonzero(self.mu == mu)
        if not len(where):
            raise input_error("mu", f"must be one of {self.mu.tolist()}", mu)
        return self.names[int(self.cost[:, where[0]].argmin())]


def mimetic_costs(
    oracle: Any,
    X: Any,
    y: Labels,
    *,
    ranges: Any = None,
    schema: Any = None,
    mu: ArrayLike = _PAPER_MU,
    configurations: Sequence[str] | None = None,
    n_invented: int = 10_000,
    prevalence: float | None = None,
    pos_label: Any = None,
    random_state: int = 0,
) -> MimeticComparison:
    """Cost of mimetic models on labelled test cases, for several relative costs.

    The oracle at 0.5 and at the direct threshold are always among the rows. A mimetic model that
    costs more than the oracle at the direct threshold offers its readability and nothing else.

    Parameters
    ----------
    oracle, ranges, schema, n_invented, prevalence, pos_label
        As in `MimeticClassifier`; one of `ranges` and `schema`, from training data.
    X, y : test cases and labels
    mu : array of numbers >= 0
        Relative costs of a false alarm; the paper's 1, 2, 3, 5, 10 by default.
    configurations : sequence of str, optional
        Names from `mimetic_configurations`; all by default (those of type a only if a
        `prevalence` is given).
    random_state : int
        All configurations of one data type see the same invented cases.

    Returns
    -------
    MimeticComparison
        With `cost`, `accuracy`, `auc`, `best`.

    References
    ----------
    Blanco-Vega et al. (2006), ROCML, tables 2, 3 and 4.

    Examples
    --------
    >>> import numpy as np
    >>> from demur.estimators import mimetic_costs
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((400, 2))
    >>> y = rng.random(400) < X[:, 0]
    >>> comparison = mimetic_costs(lambda X: X[:, 0], X, y, ranges=[(0, 1), (0, 1)], mu=[1, 5],
    ...     configurations=["Mim0b", "Mim2Dirb"], n_invented=500)
    >>> comparison.names
    ('Mim0b', 'Mim2Dirb', 'oracle at 0.5', 'oracle, direct')
    >>> bool(comparison.cost[1, 1] < comparison.cost[0, 1])
    True
    """
    known = mimetic_configurations()
    if configurations is None:
        configurations = [name for name in known if prevalence is not None or not name.endswith("a")]
    for name in configurations:
        check_choice(name, "configurations", tuple(known))
    skews = np.atleast_1d(check_finite(mu, "mu"))
    classes = oracle_classes(oracle)
    truth = check_labels(y, classes[1] if pos_label is None and classes is not None else pos_label)
    options = {
        "ranges": ranges,
        "schema": schema,
        "n_invented": n_invented,
        "prevalence": prevalence,
        "pos_label": pos_label,
        "random_state": random_state,
    }

    def mimic(name: str, skew: float) -> tuple[UnlabelledThreshold, FloatArray]:
        model = MimeticClassifier(oracle, costs=CostModel(cost_fp=skew), **known[name], **options).fit()
        progress.advance()
        return model.decision_, model._proba(X)

    # for every name and mu: the threshold, and the probabilities it is put on
    with Progress(len(configurations) * len(skews), "fitting", "trees") as progress:
        rows = [[mimic(name, s) for s in skews] for name in configurations]
    proba = oracle_proba(oracle, X, pos_label=pos_label)
    rows += [[(direct_threshold(mu=float(s)), proba) for s in row] for row in (np.ones_like(skews), skews)]
    called = np.array([[rule.decide(score) == 1 for rule, score in row] for row in rows])
    both = truth.any() and not truth.all()
    ranked = [[auc_score(truth, score) if both else np.nan for _, score in row] for row in rows]
    # means over the last axis of `called` (names, mu, cases)
    missed, alarms = (~called & truth).mean(axis=2), (called & ~truth).mean(axis=2)
    return MimeticComparison(
        names=(*configurations, *_BASELINES),
        mu=skews,
        cost=missed + skews * alarms,
        accuracy=1 - missed - alarms,
        auc=np.array(ranked),
        n=len(truth),
    )
