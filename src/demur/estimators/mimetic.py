"""Mimetic models: a readable tree that imitates an oracle under given costs, without any data.

An oracle (any classifier, or an expert's rule) labels invented cases; a decision tree is
learnt from them. The costs enter when cases are invented (scheme 3), when they are labelled
(scheme 2) or when the tree is applied (scheme 1) (Blanco-Vega et al. 2006, section 3).
"""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import assert_all_finite, check_is_fitted, column_or_1d, validate_data

from demur._checks import check_choice, check_positive_int, input_error
from demur.costs.model import CostModel
from demur.estimators.c45_pruning import LaplaceTreeClassifier
from demur.estimators.oracle import OracleModel
from demur.typing import FloatArray
from demur.unlabelled.coding import code_book, describe_column, encode, fits_floats, schema_of
from demur.unlabelled.invented import (
    DATA_KINDS,
    InventedCases,
    invented_cases,
    named_attributes,
    ranges_to_schema,
)
from demur.unlabelled.thresholds import (
    UnlabelledThreshold,
    direct_threshold,
    nroc_threshold,
    ranking_threshold,
    relabelled,
)

__all__ = ["MimeticClassifier", "mimetic_configurations"]

_THRESHOLD_CODES = {"direct": "Dir", "ranking": "Ord", "roc": "ROC"}
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


def _threshold_by(rule: str, proba: FloatArray, mu: float) -> UnlabelledThreshold:
    if rule == "direct":
        return direct_threshold(mu=mu)
    return (ranking_threshold if rule == "ranking" else nroc_threshold)(proba, mu=mu)


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
        Threshold applied to the tree's P(positive).
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
        self._set_classes(labels)
        return self._learn(self._invent(labels))

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
        given = [name for name in ("ranges", "schema") if getattr(self, name) is not None]
        if len(given) == 2:
            raise input_error("schema", "must be left out where `ranges` are given", "both")
        labels = checked = None
        if X is not None:
            # only the ranges of X are used, so text columns pass as well as numbers
            checked = validate_data(self, X, dtype=None)
        if y is not None:
            labels = _two_classes(y, len(y) if checked is None else len(checked))
        if self.schema is not None:
            self.names_, self.attributes_ = named_attributes(self.schema)
        elif self.ranges is not None:
            self.names_, self.attributes_ = named_attributes(ranges_to_schema(self.ranges))
        elif checked is not None:
            self.names_, self.attributes_ = named_attributes(schema_of(X, checked))
        else:
            raise input_error("ranges", "or `schema`, or else the X of fit, is needed", "none of them")
        if checked is not None and checked.shape[1] != len(self.attributes_):
            raise input_error("X", f"must have {len(self.attributes_)} columns", checked.shape[1])
        self.n_features_in_ = len(self.attributes_)
        return labels

    def _invent(self, labels: Any) -> InventedCases:
        prevalence = self.prevalence
        if prevalence is None and labels is not None and self.data == "prior":
            prevalence = float(np.mean(labels == self.classes_[self._positive_index]))
        return invented_cases(
            self.oracle,
            dict(zip(self.names_, self.attributes_, strict=True)),
            check_positive_int(self.n_invented, "n_invented"),
            data=self.data,
            mu=self._cost_model().mu,
            prevalence=prevalence,
            pos_label=self.pos_label,
            rng=self.random_state,
            max_draws=self.max_draws,
            on_shortage=self.on_shortage,
        )

    def _learn(self, cases: InventedCases) -> Self:
        """Label the cases, learn the tree and choose the threshold for its probabilities."""
        mu = self._cost_model().mu
        half = direct_threshold(mu=1.0)
        self.labelling_ = _threshold_by(self.threshold, cases.proba, mu) if self.scheme == 2 else half
        taught = relabelled(cases.proba, self.labelling_) if self.scheme == 2 else cases.positive
        coded = encode(self.attributes_, self.names_, cases.X)
        self.tree_ = self._learner().fit(coded, taught)
        proba = self._tree_proba(coded)
        self.decision_ = _threshold_by(self.threshold, proba, mu) if self.scheme == 1 else half
        self.fidelity_ = float(np.mean(half.decide(proba) == taught))
        self.n_drawn_ = cases.drawn
        return self

    def _learner(self) -> Any:
        if self.tree is not None:
            return clone(self.tree)
        seed = self.random_state if isinstance(self.random_state, (int, np.integer)) else 0
        return LaplaceTreeClassifier(
            prune="none" if self.scheme == 1 else "c45", classes=[False, True], random_state=seed
        )

    def _tree_proba(self, coded: FloatArray) -> FloatArray:
        """P(positive) of the tree; a learner that saw one class only has one column."""
        proba = self.tree_.predict_proba(coded)
        where = np.flatnonzero(self.tree_.classes_ == True)  # noqa: E712 - an array of labels
        return np.ascontiguousarray(proba[:, where[0]]) if len(where) else np.zeros(len(coded))

    def _by_name(self, X: Any) -> Any:
        """Pick the columns of a data frame by name where the names come from the schema."""
        columns = getattr(X, "columns", None)
        if columns is None or hasattr(self, "feature_names_in_"):
            return X
        return np.asarray(X[list(self.names_)] if set(self.names_) <= set(columns) else X)

    def _coded(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        numeric = all(fits_floats(attribute) for attribute in self.attributes_)
        checked = validate_data(self, self._by_name(X), reset=False, dtype=np.float64 if numeric else None)
        return encode(self.attributes_, self.names_, checked)

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the tree's Laplace-corrected probabilities, one column per class.

        `predict` compares P(positive) with ``decision_.threshold``, which differs from 0.5 in
        scheme 1; in scheme 2 the costs are already inside the probabilities.
        """
        return self._columns(self._tree_proba(self._coded(X)))

    def predict(self, X: Any) -> np.ndarray:
        """Return the class label of each case."""
        proba = self._tree_proba(self._coded(X))
        return self._labels(self.decision_.decide(proba))

    def explain(self) -> str:
        """Return the tree as rules in text, one per line: condition, class, share, invented cases."""
        check_is_fitted(self)
        if not isinstance(self.tree_, LaplaceTreeClassifier):
            raise input_error(
                "tree", "must be a LaplaceTreeClassifier to be explained", type(self.tree_).__name__
            )

        def label(shares: FloatArray) -> tuple[Any, float]:
            positive = int(self.decision_.decide([shares[1]])[0])
            return self._labels(np.array([positive]))[0], float(shares[positive])

        return self.tree_.explain(
            describe=partial(describe_column, code_book(self.attributes_, self.names_)), label=label
        )


def _two_classes(y: Any, n: int) -> np.ndarray:
    labels = column_or_1d(y, warn=True)
    assert_all_finite(labels, input_name="y")
    kind = type_of_target(labels, input_name="y", raise_unknown=True)
    if kind != "binary":
        raise input_error(
            "y",
            "must hold two classes",
            kind,
            f"Only binary classification is supported. The type of the target is {kind}.",
        )
    if len(labels) != n:
        raise input_error("y", f"must label each of the {n} cases", len(labels))
    return np.asarray(labels)
