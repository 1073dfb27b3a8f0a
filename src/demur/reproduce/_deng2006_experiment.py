"""The experiment of Deng et al. (2006): naive Bayes, and class weights for uniform and random costs."""

import hashlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from demur.multiclass.tree import MetaClassTree
from demur.multiclass.weights import optimize_weights
from demur.reproduce._data import MissingDataError, Table
from demur.reproduce._deng2006_tables import METHODS, OTHER_METHODS, OTHER_PAPERS, ROWS, printed_value
from demur.reproduce._mixed_data import MixedNaiveBayes, MixedTable, mixed_table
from demur.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from demur.reproduce._data import PaperData

__all__ = ["FOLDS", "MATRICES", "SLOW", "Measured", "all_measured", "folds", "measured", "tables_at_hand"]

FOLDS, MATRICES = 10, 10
SLOW = "Horse-colic (site)"  # 63 classes: minutes for each fold and method
_QUICK = {"folds": 2, "cases": 400, "classes": 8}
_SEARCH: dict[str, dict[str, Any]] = {
    "LP14": {"method": "lp"},
    "GA15": {"method": "ga-solff"},
    "GA1": {"method": "ga"},
    "L&F": {"method": "lachiche-flach"},
    "O&G": {"method": "coordinate", "family": "columns"},
}
_ALL_PAIRS = 3000  # cases times classes up to which every matrix meets every fold
_REPETITIONS = 2  # of the ten folds of table 1: their spread is the tolerance
_FLAG_GROUPS = (
    "landmass zone language red green blue gold white black orange crescent triangle icon animate text"
)

# table -> method -> one mean error per drawing of folds, or one mean cost per matrix; and how many cases
# one such mean of a weight method rests on
Measured = dict[str, Any]


def tables_at_hand(data: "PaperData") -> tuple[dict[str, MixedTable], dict[str, str]]:
    """The data sets there are, and what the others need."""
    tables: dict[str, MixedTable] = {}
    missing: dict[str, str] = {}
    for name, (file, _, _) in ROWS.items():
        try:
            tables[name] = _prepared(data.table(file))
        except MissingDataError as error:
            missing[name] = error.needs
    return tables, missing


def _prepared(table: Table) -> MixedTable:
    if table.name == "flags":
        # the WEKA copy has the colour of the bottom right corner last; UCI suggests the religion
        attributes = {**table.attributes, "botright": table.target}
        target = attributes.pop("religion")
        table = Table(name="flags", attributes=attributes, target=target, source=table.source)
        return mixed_table(table, nominal=_FLAG_GROUPS.split()).without("name")
    return mixed_table(table).without("name")


def measured(name: str, table: MixedTable, rng: np.random.Generator, *, quick: bool) -> Measured:
    """Errors and costs on one data set, JSON-safe: {"Table 1": {method: [..]}, "Table 2": .., "tested": n}.

    Small data sets have their folds drawn twice: the spread of the errors is the tolerance.
    """
    m = len(table.classes)
    matrices = [_random_costs(m, rng) for _ in range(MATRICES)]
    small = len(table.y) <= _QUICK["cases"] and m <= _QUICK["classes"]
    methods = [] if name == SLOW or (quick and not small) else _methods_of(name, quick=quick)
    errors: dict[str, list[float]] = {}
    costs: dict[str, list[list[float]]] = {}
    tested = 0
    for repetition in range(2 if small else 1):
        wrong: dict[str, list[bool]] = {}
        for fold, (scores, y_train, truth) in enumerate(_scored_folds(table, repetition)):
            first = repetition == 0
            # in haste two folds, once
            taken = methods if not quick or (first and fold < _QUICK["folds"]) else []
            tested += len(truth) if taken and first else 0
            answers = {"NB": scores[1].argmax(axis=1)}
            for method in taken:
                answers[method] = _answers(method, scores, y_train, 1 - np.eye(m), rng)
            for method, each in answers.items():
                wrong.setdefault(method, []).extend((each != truth).tolist())
            if first:
                _add_costs(costs, scores, y_train, truth, matrices, fold, taken, rng)
        for method, mistakes in wrong.items():
            errors.setdefault(method, []).append(float(np.mean(mistakes)))
    means = {method: [float(np.mean(each)) for each in rows if each] for method, rows in costs.items()}
    return {"Table 1": errors, "Table 2": means, "tested": tested}


def _methods_of(name: str, *, quick: bool) -> list[str]:
    """What the paper prints for this data set; n/a is not run, and methods of other papers not in haste."""
    own = [method for method in METHODS[1:] if printed_value("Table 2", name, method) is not None]
    others = OTHER_PAPERS[name]
    return own + [m for k, m in enumerate(OTHER_METHODS) if not quick and (others[k] or others[k + 2])]


def _scored_folds(
    table: MixedTable, repetition: int
) -> Iterator[tuple[tuple[FloatArray, FloatArray], IntArray, IntArray]]:
    """Scores of the training and of the test part, and both true classes, fold by fold."""
    for train, test in folds(table.y, seed=repetition + 1):
        model = MixedNaiveBayes(table.sizes, len(table.classes)).fit(table.X[train], table.y[train])
        scores = model.predict_proba(table.X[train]), model.predict_proba(table.X[test])
        yield scores, table.y[train], table.y[test]


def _add_costs(
    costs: dict[str, list[list[float]]],
    scores: tuple[FloatArray, FloatArray],
    y_train: IntArray,
    truth: IntArray,
    matrices: list[FloatArray],
    fold: int,
    methods: list[str],
    rng: np.random.Generator,
) -> None:
    """Add the costs of a fold: naive Bayes under all matrices, the methods under the fold's own."""
    plain = scores[1].argmax(axis=1)
    for k, matrix in enumerate(matrices):
        costs.setdefault("NB", [[] for _ in matrices])[k].extend(matrix[truth, plain].tolist())
    for method in methods:
        answers = _answers(method, scores, y_train, matrices[fold], rng)
        rows = costs.setdefault(method, [[] for _ in matrices])
        rows[fold].extend(matrices[fold][truth, answers].tolist())


def _random_costs(m: int, rng: np.random.Generator) -> FloatArray:
    """Whole numbers from 1 to 10, nothing for a right answer."""
    costs = rng.integers(1, 11, size=(m, m)).astype(np.float64)
    np.fill_diagonal(costs, 0.0)
    return costs


def folds(y: IntArray, *, seed: int = 1) -> list[tuple[IntArray, IntArray]]:
    """Ten parts with about equal class shares; classes rarer than ten are spread as far as they go."""
    order = np.random.default_rng(seed).permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    part = np.empty(len(y), dtype=np.int64)
    part[order] = np.arange(len(y)) % FOLDS
    return [(np.flatnonzero(part != k), np.flatnonzero(part == k)) for k in range(FOLDS)]


def _answers(
    method: str,
    scores: tuple[FloatArray, FloatArray],
    y: IntArray,
    costs: FloatArray,
    rng: np.random.Generator,
) -> IntArray:
    classes = list(range(len(costs)))
    if method == "MC":
        tree = MetaClassTree(cost="mean").fit(scores[0], y, costs, classes=classes)
        return np.asarray(tree.predict(scores[1]))
    weights = optimize_weights(scores[0], y, costs, classes=classes, rng=rng, **_SEARCH[method])
    return np.asarray(weights.decide(scores[1]))


def all_measured(
    tables: Mapping[str, MixedTable], data: "PaperData", rng: np.random.Generator, *, quick: bool
) -> Iterator[tuple[str, Measured]]:
    """Measure the data sets one by one, small ones first, each with random numbers of its own."""
    streams = dict(zip(ROWS, rng.spawn(len(ROWS)), strict=True))
    for name in sorted(tables, key=lambda each: len(tables[each].y) * len(tables[each].classes)):
        table, stream = tables[name], streams[name]
        content = hashlib.sha256(table.X.tobytes() + table.y.tobytes()).hexdigest()
        key = f"deng2006 {name} {content} {quick=} {stream.bit_generator.seed_seq}"
        yield name, data.finished.part(key, lambda: measured(name, table, stream, quick=quick))  # noqa: B023
