"""The data sets and learners of Elazmeh, Japkowicz and Matwin (2006): table 2, WEKA or its stand-ins."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from demur.counts.scores import ScoreCounts
from demur.typing import FloatArray
from demur_studies._data import MissingDataError, Table
from demur_studies._finished import FinishedParts
from demur_studies._mixed_data import MixedNaiveBayes, filled, mixed_table, one_hot
from demur_studies._weka import finished_weka_scores

if TYPE_CHECKING:
    from demur_studies._data import PaperData

__all__ = ["LEARNERS", "Task", "learner_scores", "tasks_at_hand"]

LEARNERS = {"S": "DecisionStump", "T": "J48", "F": "RF10", "B": "NB"}
_ALL_MISSING = ("TBG",)  # no value in dis and sick: nothing to learn from
_CUT = 2800  # rows of the training files of dis and sick, which come first


@dataclass(frozen=True)
class Task:
    """A data set of table 2: training rows, test rows or None (ten folds), the positive class."""

    name: str
    train: Table
    test: Table | None
    positive: str
    nominal: tuple[str, ...] = ()

    def counts(self) -> tuple[str, str]:
        """Positives and negatives as table 2 writes them."""
        words = [
            "-" if part is None else _class_counts(part, self.positive) for part in (self.train, self.test)
        ]
        return words[0], words[1]


def _class_counts(table: Table, positive: str) -> str:
    n = int(table.labels(positive).sum())
    return f"{n}(+)/(-){len(table) - n}"


def tasks_at_hand(data: "PaperData", names: Iterable[str]) -> tuple[dict[str, Task], dict[str, str]]:
    """What can be run, and what the rest needs."""
    tasks: dict[str, Task] = {}
    missing: dict[str, str] = {}
    for name in names:
        try:
            tasks[name] = _task(data, name)
        except MissingDataError as error:
            missing[name] = error.needs
    return tasks, missing


def _task(data: "PaperData", name: str) -> Task:
    if name in ("dis", "sick"):
        table = data.table(name)
        positive = "discordant" if name == "dis" else "sick"
        return Task(name, _rows(table, slice(_CUT)), _rows(table, slice(_CUT, None)), positive)
    if name == "SPECT":
        train, test = data.table("spect_train"), data.table("spect_test")
        return Task(name, train, test, "0", tuple(train.attributes))
    if name == "SPECTF":
        return Task(name, data.table("spectf_train"), data.table("spectf_test_pre2006"), "0")
    return Task(name, data.table(name), None, name)


def _rows(table: Table, rows: slice) -> Table:
    attributes = {key: values[rows] for key, values in table.attributes.items() if key not in _ALL_MISSING}
    return Table(name=table.name, attributes=attributes, target=table.target[rows], source=table.source)


def learner_scores(
    task: Task, letter: str, *, with_weka: bool, finished: FinishedParts, seed: int = 1
) -> ScoreCounts:
    """Scores of the test rows, or of ten folds where there is no test file.

    `seed` decides folds and random trees of learners that are not WEKA's.
    """
    # naive Bayes needs WEKA only for WEKA's folds
    if with_weka and (letter != "B" or task.test is None):
        scored = finished_weka_scores(
            finished,
            task.train,
            LEARNERS[letter],
            positive=task.positive,
            test=task.test,
            nominal=task.nominal,
        )
        return scored.counts
    tables = [task.train] if task.test is None else [task.train, task.test]
    table = mixed_table(*tables, nominal=task.nominal)
    positive = table.y == table.classes.index(task.positive)
    learn: Callable[..., FloatArray] = _bayes if letter == "B" else partial(_stand_in, letter, seed)
    score = np.empty(len(table.y))
    for train, test in _splits(task, positive, seed):
        score[test] = learn(table.X[train], positive[train], table.X[test], table.sizes)
    shown = slice(0 if task.test is None else len(task.train), None)
    return ScoreCounts.from_arrays(positive[shown], score[shown])


def _splits(task: Task, positive: Any, seed: int) -> Iterator[tuple[Any, Any]]:
    if task.test is not None:
        yield np.arange(len(task.train)), len(task.train) + np.arange(len(task.test))
        return
    from sklearn.model_selection import StratifiedKFold

    yield from StratifiedKFold(10, shuffle=True, random_state=seed).split(positive, positive)


def _bayes(X: FloatArray, y: Any, new: FloatArray, sizes: tuple[int, ...]) -> FloatArray:
    return MixedNaiveBayes(sizes).fit(X, y.astype(np.int64)).predict_proba(new)[:, 1]


def _stand_in(
    letter: str, seed: int, X: FloatArray, y: Any, new: FloatArray, sizes: tuple[int, ...]
) -> FloatArray:
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.tree import DecisionTreeClassifier

    models = {
        "S": DecisionTreeClassifier(criterion="entropy", max_depth=1, random_state=seed),
        "T": DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=seed),
        "F": RandomForestClassifier(n_estimators=10, random_state=seed),
    }
    coded = [one_hot(filled(part, sizes, X), sizes) for part in (X, new)]
    return np.asarray(models[letter].fit(coded[0], y).predict_proba(coded[1])[:, 1])
