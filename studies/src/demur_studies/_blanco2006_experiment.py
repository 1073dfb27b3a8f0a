"""The experiments of Blanco-Vega et al. (2006): an oracle teaches trees from invented cases, one fold."""

import hashlib
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from demur.auc.one import auc_variance
from demur.costs.model import CostModel
from demur.estimators.mimetic import MimeticClassifier, mimetic_configurations
from demur.estimators.trees import LaplaceTreeClassifier
from demur.exceptions import DegenerateDataWarning
from demur.roc.curve import auc_score
from demur.typing import FloatArray, IntArray
from demur.unlabelled.invented import NominalAttribute, NumericAttribute
from demur.unlabelled.thresholds import direct_threshold
from demur_studies._data import MissingDataError
from demur_studies._mixed_data import MixedNaiveBayes, MixedTable, filled, mixed_table, one_hot

if TYPE_CHECKING:
    from demur_studies._data import PaperData

__all__ = [
    "DIRECT",
    "KINDS",
    "ORACLE",
    "SKEWS",
    "Row",
    "Setting",
    "finished_fold",
    "folds",
    "mean_row",
    "row_of",
    "settings_of",
    "tables_at_hand",
]

SKEWS = (1, 2, 3, 5, 10)
KINDS = ("balanced", "majority", "minority")
ORACLE, DIRECT = "Oracle", "Oracle, direct"
# name in table 1 -> file, class 0
_DATA = {
    "credit-a": ("credit-a", "+"),
    "heart-statlog": ("heart-statlog", "absent"),
    "monks1": ("monks1", "0"),
    "monks3": ("monks3", "0"),
    "monks2": ("monks2", "1"),
    "tic-tac": ("tic-tac-toe", "negative"),
    "breast-cancer": ("breast-cancer", "recurrence-events"),
    "labor": ("labor", "bad"),
    "vote": ("vote", "republican"),
    "diabetes": ("diabetes", "tested_positive"),
    "haberman-breast": ("haberman", "2"),
    "abalone-morethan": ("abalone-morethan", "more"),
    "credit-g": ("credit-g", "bad"),
    "liver": ("bupa", "1"),
}
_AS_THEY_ARE = ("credit-a", "heart-statlog", "monks1", "monks3")
_SUBSAMPLED = ("monks2", "tic-tac", "breast-cancer", "labor", "vote", "diabetes")
_UNBALANCED = (*_SUBSAMPLED, "haberman-breast", "abalone-morethan", "credit-g", "liver")


@dataclass(frozen=True)
class Setting:
    """One experiment: a table whose class 0 is the cheap one to miss, and its kind."""

    name: str
    kind: str
    table: MixedTable
    positive: int  # index of class 0 of the paper, which demur calls positive


@dataclass(frozen=True)
class Row:
    """Total cost, accuracy in percent and AUC of a model on one fold at one skew, with their errors.

    An error is that of a fold as a sample of cases: other folds have other cases.
    """

    cost: float
    accuracy: float
    auc: float
    cost_error: float = 0.0
    accuracy_error: float = 0.0
    auc_error: float = 0.0


# ---------------------------------------------------------------- data


def tables_at_hand(data: "PaperData") -> tuple[dict[str, MixedTable], dict[str, str]]:
    """The data sets of table 1 there are, and what the others need."""
    tables: dict[str, MixedTable] = {}
    missing: dict[str, str] = {}
    for name, (file, _) in _DATA.items():
        try:
            table = data.table(file)
        except MissingDataError as error:
            missing[name] = error.needs
            continue
        nominal = tuple(table.attributes) if name.startswith("monks") else ()
        tables[name] = mixed_table(table, nominal=nominal).without("bottom-right-square")
    return tables, missing


def settings_of(tables: Mapping[str, MixedTable], rng: np.random.Generator) -> Iterator[Setting]:
    """Ten balanced experiments, ten with class 1 in the majority, the same ten with classes exchanged."""
    for name, table in tables.items():
        positive = table.classes.index(_DATA[name][1])
        if name in _AS_THEY_ARE:
            yield Setting(name, "balanced", table, positive)
        if name in _SUBSAMPLED:
            yield Setting(name, "balanced", _balanced(table, rng), positive)
        if name in _UNBALANCED:
            yield Setting(name, "majority", table, positive)
            yield Setting(name, "minority", table, 1 - positive)


def _balanced(table: MixedTable, rng: np.random.Generator) -> MixedTable:
    """All cases of the rarer class and as many of the other."""
    parts = [np.flatnonzero(table.y == k) for k in (0, 1)]
    size = min(map(len, parts))
    return table.rows(np.sort(np.concatenate([rng.permutation(part)[:size] for part in parts])))


def folds(y: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Ten stratified parts."""
    from sklearn.model_selection import StratifiedKFold

    yield from StratifiedKFold(10, shuffle=True, random_state=1).split(y, y)


class _Network(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A network like WEKA's: (attributes + classes) / 2 hidden units, on standardised columns."""

    def __init__(self, sizes: tuple[int, ...] = ()) -> None:
        self.sizes = sizes

    def fit(self, X: FloatArray, y: IntArray) -> Self:
        """Learn; gaps get means or the most frequent value."""
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.neural_network import MLPClassifier
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        self.classes_ = np.unique(y)
        self._reference = X
        coded = self._coded(X)
        units = (coded.shape[1] + 2) // 2
        network = MLPClassifier(hidden_layer_sizes=(units,), solver="lbfgs", max_iter=200, random_state=1)
        self._model = make_pipeline(StandardScaler(), network)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # 200 steps are the rule here
            self._model.fit(coded, y)
        return self

    def _coded(self, X: FloatArray) -> FloatArray:
        return one_hot(filled(np.asarray(X, dtype=np.float64), self.sizes, self._reference), self.sizes)

    def predict_proba(self, X: FloatArray) -> FloatArray:
        """P(class | case), one column per class."""
        return np.asarray(self._model.predict_proba(self._coded(X)))


# ---------------------------------------------------------------- one fold


def _digest(*arrays: Any) -> bytes:
    return hashlib.sha256(b"".join(np.ascontiguousarray(each).tobytes() for each in arrays)).digest()


class _RememberedOracle:
    """A fitted oracle that answers the same cases once: all models of a fold draw from one seed."""

    def __init__(self, oracle: Any) -> None:
        self.classes_ = oracle.classes_
        self._oracle = oracle
        self._answers: dict[bytes, FloatArray] = {}

    def predict_proba(self, X: FloatArray) -> FloatArray:
        """P(class | case), one column per class."""
        key = _digest(X)
        if key not in self._answers:
            self._answers[key] = self._oracle.predict_proba(X)
        return self._answers[key]


class _RememberedTrees:
    """The default tree of `MimeticClassifier`, learnt once from the same cases and labels.

    Scheme 1 has one tree for all thresholds and skews: 98 fits of a fold are about 50.
    """

    def __init__(self, prune: str) -> None:
        self._prune = prune
        self._trees: dict[bytes, LaplaceTreeClassifier] = {}

    def __sklearn_clone__(self) -> Self:
        return self

    def fit(self, X: FloatArray, y: Any) -> LaplaceTreeClassifier:
        """Return the tree learnt from these cases."""
        key = _digest(X, y)
        if key not in self._trees:
            tree = LaplaceTreeClassifier(prune=self._prune, classes=[False, True], random_state=1)
            self._trees[key] = tree.fit(X, y)
        return self._trees[key]


def finished_fold(
    data: "PaperData",
    setting: Setting,
    oracle: str,
    train: IntArray,
    test: IntArray,
    models: list[str],
    invented: int,
) -> list[list[Any]]:
    """[model, skew, cost, accuracy, AUC, errors ...] of a fold, from the finished parts if it is there."""
    table = setting.table
    content = hashlib.sha256(table.X.tobytes() + table.y.tobytes() + test.tobytes()).hexdigest()
    key = f"blanco2006 {setting.name} {setting.kind} {content} {oracle} {invented} {' '.join(models)}"

    def learned() -> list[list[Any]]:
        found = _fold(setting, oracle, train, test, models, invented)
        return [[model, skew, *astuple(row)] for (model, skew), row in found.items()]

    return list(data.finished.part(key, learned))


def _fold(
    setting: Setting, oracle: str, train: IntArray, test: IntArray, models: list[str], invented: int
) -> dict[tuple[str, int], Row]:
    table, positive = setting.table, setting.positive
    learner = MixedNaiveBayes(table.sizes) if oracle == "bayes" else _Network(table.sizes)
    teacher = _RememberedOracle(learner.fit(table.X[train], table.y[train]))
    trees = {prune: _RememberedTrees(prune) for prune in ("none", "c45")}
    known = filled(table.X[train], table.sizes, table.X[train])
    new = filled(table.X[test], table.sizes, table.X[train])
    truth = table.y[test] == positive
    options: dict[str, Any] = {
        "schema": _schema(table, known),
        "n_invented": invented,
        "prevalence": float(np.mean(table.y[train] == positive)),
        "pos_label": positive,
        "max_draws": 20 * invented,
        "random_state": 1,
    }
    rows: dict[tuple[str, int], Row] = {}
    for name in models:
        plan = mimetic_configurations()[name]
        fitted: MimeticClassifier | None = None
        for skew in SKEWS:
            if fitted is None or plan["scheme"] != 0:  # without costs one tree serves all skews
                costs = CostModel(cost_fp=skew)
                tree = trees["none" if plan["scheme"] == 1 else "c45"]
                fitted = _quietly(MimeticClassifier(teacher, costs=costs, tree=tree, **plan, **options))
            score = fitted.predict_proba(new)[:, positive]
            rows[name, skew] = row_of(fitted.predict(new) == positive, score, truth, skew)
    score = teacher.predict_proba(table.X[test])[:, positive]
    for skew in SKEWS:
        for name, at in ((ORACLE, 1), (DIRECT, skew)):
            called = direct_threshold(mu=float(at)).decide(score) == 1
            rows[name, skew] = row_of(called, score, truth, skew)
    return rows


def _schema(table: MixedTable, known: FloatArray) -> dict[str, Any]:
    """Ranges of the training cases, the values of nominal attributes being codes."""
    return {
        name: NominalAttribute(tuple(map(float, range(size))))
        if size
        else NumericAttribute(float(known[:, k].min()), float(known[:, k].max()))
        for k, (name, size) in enumerate(zip(table.names, table.sizes, strict=True))
    }


def _quietly(model: MimeticClassifier) -> MimeticClassifier:
    """Fit; a class that the oracle never answers is no news in these experiments."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateDataWarning)
        return model.fit()


def row_of(called: Any, score: FloatArray, truth: Any, skew: int) -> Row:
    """What a model costs on one fold; a false alarm costs `skew`, a miss 1."""
    paid = np.where(truth, ~called, skew * called).astype(np.float64)
    n, right = len(paid), float(np.mean(called == truth))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateDataWarning)  # a few cases that are all ranked well
        area_variance = auc_variance(truth, score, method="delong")
    return Row(
        cost=float(paid.sum()),
        accuracy=100 * right,
        auc=auc_score(truth, score),
        cost_error=float(np.sqrt(n) * paid.std(ddof=1)),
        accuracy_error=float(100 * np.sqrt(right * (1 - right) / n)),
        auc_error=float(np.sqrt(max(area_variance, 0.0))),
    )


def mean_row(rows: list[Row]) -> Row:
    """Mean cost, accuracy and AUC."""
    parts = (np.mean([getattr(row, name) for row in rows]) for name in ("cost", "accuracy", "auc"))
    return Row(*map(float, parts))
