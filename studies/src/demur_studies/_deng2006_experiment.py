"""The experiment of Deng et al. (2006): naive Bayes, and class weights for uniform and random costs."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from demur._progress import Progress
from demur.multiclass.tree import MetaClassTree
from demur.multiclass.weights import optimize_weights
from demur.typing import FloatArray, IntArray
from demur_studies._data import MissingDataError, Table
from demur_studies._deng2006_tables import METHODS, OTHER_METHODS, OTHER_PAPERS, ROWS, printed_value
from demur_studies._mixed_data import MixedNaiveBayes, MixedTable, mixed_table

if TYPE_CHECKING:
    from demur_studies._data import PaperData

__all__ = [
    "FOLDS",
    "LACKING",
    "MATRICES",
    "TRANSPOSED",
    "WRONG",
    "FoldJob",
    "Measured",
    "all_measured",
    "fold_jobs",
    "folds",
    "gathered",
    "run_fold",
    "tables_at_hand",
]

FOLDS, MATRICES = 10, 10
# variants of what the paper says, for table 2: the search on (15) given the costs transposed, and MetaClass
# where a fold whose training part lacks a class spoils that fold, or the whole run
TRANSPOSED, LACKING, WRONG = "GA15, costs transposed", "MC, fold spoiled", "MC, run spoiled"
_QUICK = {"folds": 2, "cases": 400, "classes": 8}
_SEARCH: dict[str, dict[str, Any]] = {
    "LP14": {"method": "lp"},
    "GA15": {"method": "ga-solff"},
    "GA1": {"method": "ga"},
    "L&F": {"method": "lachiche-flach"},
    "O&G": {"method": "coordinate", "family": "columns"},
}
_FLAG_GROUPS = (
    "landmass zone language red green blue gold white black orange crescent triangle icon animate text"
)

# table -> method -> one mean error per drawing of folds, or one mean cost per matrix; how many cases one
# such mean of a weight method rests on, and in how many folds the training part lacks a class
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


@dataclass(frozen=True, eq=False)
class FoldJob:
    """One fold of one drawing of folds, and what is to be run on it.

    Naive Bayes meets all `matrices`, the methods those in `met`: all ten, as in the paper, or one in haste.
    """

    repetition: int
    fold: int
    train: IntArray
    test: IntArray
    methods: tuple[str, ...]
    matrices: tuple[FloatArray, ...]
    met: tuple[int, ...]
    rng: np.random.Generator


def fold_jobs(name: str, table: MixedTable, rng: np.random.Generator, *, quick: bool) -> list[FoldJob]:
    """The folds of a data set; small ones are drawn twice: the spread of the errors is the tolerance."""
    m = len(table.classes)
    matrices = tuple(_random_costs(m, rng) for _ in range(MATRICES))
    small = len(table.y) <= _QUICK["cases"] and m <= _QUICK["classes"]
    methods = () if quick and not small else _methods_of(name, quick=quick)
    jobs = []
    for repetition in range(2 if small else 1):
        first = repetition == 0
        for fold, (train, test) in enumerate(folds(table.y, seed=repetition + 1)):
            jobs.append(
                FoldJob(
                    repetition=repetition,
                    fold=fold,
                    train=train,
                    test=test,
                    # in haste two folds, once
                    methods=methods if not quick or (first and fold < _QUICK["folds"]) else (),
                    matrices=matrices if first else (),
                    met=((fold,) if quick else tuple(range(MATRICES))) if first else (),
                    rng=rng.spawn(1)[0],
                )
            )
    return jobs


def run_fold(table: MixedTable, job: FoldJob) -> dict[str, Any]:
    """Mistakes and costs, JSON-safe: {"wrong": {method: n}, "costs": {method: [[matrix, sum], ..]}}."""
    truth, y_train = table.y[job.test], table.y[job.train]
    model = MixedNaiveBayes(table.sizes, len(table.classes)).fit(table.X[job.train], y_train)
    scores = model.predict_proba(table.X[job.train]), model.predict_proba(table.X[job.test])
    plain = scores[1].argmax(axis=1)
    wrong = {"NB": int(np.sum(plain != truth))}
    costs = {"NB": [[k, float(each[truth, plain].sum())] for k, each in enumerate(job.matrices)]}
    uniform = 1 - np.eye(len(table.classes))
    # what a wholly wrong answer costs on average, where the training part lacks a class and everywhere
    spoiled = [float(each[truth].sum() / (len(each) - 1)) for each in job.matrices]
    lacks = len(np.unique(y_train)) < len(table.classes)
    for method in job.methods:
        if method == TRANSPOSED:  # uniform costs are their own transpose
            rows = [
                (k, _answers("GA15", scores, y_train, job.matrices[k].T.copy(), job.rng)) for k in job.met
            ]
            costs[TRANSPOSED] = [[k, float(job.matrices[k][truth, answers].sum())] for k, answers in rows]
            continue
        wrong[method] = int(np.sum(_answers(method, scores, y_train, uniform, job.rng) != truth))
        if not job.met:
            continue
        costs[method] = []
        for k in job.met:
            answers = _answers(method, scores, y_train, job.matrices[k], job.rng)
            costs[method].append([k, float(job.matrices[k][truth, answers].sum())])
    if "MC" in costs:
        costs[WRONG] = [[k, spoiled[k]] for k in job.met]
        costs[LACKING] = costs[WRONG] if lacks else costs["MC"]
    return {"wrong": wrong, "costs": costs, "lacks": lacks}


def gathered(jobs: Sequence[FoldJob], made: Sequence[Mapping[str, Any]]) -> Measured:
    """Errors per drawing of folds and costs per matrix: {"Table 1": .., "Table 2": .., "tested": cases}."""
    mistakes: dict[str, dict[int, list[tuple[int, int]]]] = {}
    paid: dict[str, dict[int, list[tuple[float, int]]]] = {}
    for job, fold in zip(jobs, made, strict=True):
        n = len(job.test)
        for method, wrong in fold["wrong"].items():
            mistakes.setdefault(method, {}).setdefault(job.repetition, []).append((wrong, n))
        for method, rows in fold["costs"].items():
            for matrix, cost in rows:
                paid.setdefault(method, {}).setdefault(matrix, []).append((cost, n))
    return {
        "Table 1": {method: [_mean(rows) for rows in each.values()] for method, each in mistakes.items()},
        "Table 2": {method: [_mean(rows) for rows in each.values()] for method, each in paid.items()},
        "tested": sum(len(job.test) for job in jobs if job.methods and job.repetition == 0),
        "lacking": sum(fold["lacks"] for job, fold in zip(jobs, made, strict=True) if job.repetition == 0),
    }


def _mean(rows: Sequence[tuple[float, int]]) -> float:
    totals = np.sum(rows, axis=0)
    return float(totals[0] / totals[1])


def _methods_of(name: str, *, quick: bool) -> tuple[str, ...]:
    """What the paper prints for this data set; n/a is not run, and methods of other papers not in haste."""
    own = [method for method in METHODS[1:] if printed_value("Table 2", name, method) is not None]
    others = OTHER_PAPERS[name]
    own += [m for k, m in enumerate(OTHER_METHODS) if not quick and (others[k] or others[k + 2])]
    return (
        *own,
        *([TRANSPOSED] if "GA15" in own else []),
    )  # last: it must not shift the others' random numbers


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
) -> dict[str, Measured]:
    """Measure the data sets, small ones first; every fold is kept and has random numbers of its own."""
    streams = dict(zip(ROWS, rng.spawn(len(ROWS)), strict=True))
    order = sorted(tables, key=lambda each: len(tables[each].y) * len(tables[each].classes))
    jobs = {name: fold_jobs(name, tables[name], streams[name], quick=quick) for name in order}
    found = {}
    with Progress(sum(map(len, jobs.values())), "weighting classes, folds") as progress:
        for name in order:
            table, made = tables[name], []
            content = hashlib.sha256(table.X.tobytes() + table.y.tobytes()).hexdigest()
            for job in jobs[name]:
                seed = job.rng.bit_generator.seed_seq
                key = f"deng2006 {name} {content} {quick=} {job.repetition} {job.fold} {seed}"
                made.append(data.finished.part(key, partial(run_fold, table, job)))
                progress.advance()
            found[name] = gathered(jobs[name], made)
    return found
