"""Learners of WEKA (Debian's package ``weka``, and Java), run as a process of their own.

WEKA writes, for every distinct out-of-fold score, how many cases of each class lie at or above
it (``-threshold-file``): exact counts, while its listing of predictions has three decimals. The
order of the scores is exact too; their values have six decimals.
"""

import csv
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from demur.counts.scores import ScoreCounts
from demur.exceptions import DemurError
from demur.typing import BoolArray, FloatArray
from demur_studies._data import MissingDataError, Table
from demur_studies._finished import FinishedParts

__all__ = [
    "WEKA_LEARNERS",
    "WekaScores",
    "finished_weka_scores",
    "in_strict_order",
    "weka_is_here",
    "weka_scores",
]

_JAR = Path("/usr/share/java/weka.jar")
_SECONDS = 600
# runs of a second or two: half of the time would go to compiling and collecting in parallel
_JAVA = ("java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", str(_JAR))
# the learners of the papers with their options; RandomForest had ten trees by default
WEKA_LEARNERS = {
    "J48": ("weka.classifiers.trees.J48",),
    "J48-U-A": ("weka.classifiers.trees.J48", "-U", "-A"),  # unpruned, Laplace
    "J48-A": ("weka.classifiers.trees.J48", "-A"),
    "NB": ("weka.classifiers.bayes.NaiveBayes",),
    "PART": ("weka.classifiers.rules.PART",),
    "RF10": ("weka.classifiers.trees.RandomForest", "-I", "10"),
    "SMO-M": ("weka.classifiers.functions.SMO", "-M"),
    "Logistic": ("weka.classifiers.functions.Logistic",),
    "OneR": ("weka.classifiers.rules.OneR",),
    "DecisionStump": ("weka.classifiers.trees.DecisionStump",),
    # confidence of pruning (0.25 unless told) and penalty of the support vectors (1 unless told)
    **{f"J48-C{level}": ("weka.classifiers.trees.J48", "-C", level) for level in ("0.05", "0.1", "0.4")},
    **{f"SMO-C{c}": ("weka.classifiers.functions.SMO", "-M", "-C", c) for c in ("0.1", "0.3", "3", "10")},
}


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class WekaScores:
    """Scores of held-out cases as counts, and the accuracy WEKA reports for them.

    Attributes
    ----------
    positives, negatives : array
        Element k: cases of the class with the k-th lowest distinct score.
    score : array
        Element k: that score, P(positive), to six decimals and still in strict order.
    accuracy : float
        Share of cases whose most probable class is right.
    """

    positives: FloatArray
    negatives: FloatArray
    score: FloatArray
    accuracy: float

    @property
    def counts(self) -> ScoreCounts:
        """The counts of the held-out cases."""
        return ScoreCounts.from_counts(self.score, self.positives, self.negatives)

    def cases(self) -> tuple[BoolArray, FloatArray]:
        """Return one label and one score per case."""
        label = np.repeat([False, True], [len(self.score)] * 2)
        number = np.concatenate([self.negatives, self.positives]).astype(int)
        return np.repeat(label, number), np.repeat(np.tile(self.score, 2), number)


def weka_is_here() -> bool:
    """Tell whether Java and the archive of WEKA are installed."""
    return _JAR.is_file() and shutil.which("java") is not None


def weka_scores(
    table: Table,
    learner: str,
    *,
    positive: str,
    seed: int = 1,
    folds: int = 10,
    test: Table | None = None,
    nominal: tuple[str, ...] = (),
) -> WekaScores:
    """Return the scores of a WEKA learner in cross-validation, or on `test`.

    `learner` is a key of `WEKA_LEARNERS`; `seed` decides WEKA's own folds; `nominal` names
    attributes that look like numbers and are not. Raises `MissingDataError` without WEKA.
    """
    if not weka_is_here():
        raise MissingDataError("Java and Debian's package weka")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        known = table if test is None else _both(table, test)
        _write_arff(folder / "train.arff", table, known, nominal)
        options = ["-x", str(folds), "-s", str(seed)]
        if test is not None:
            _write_arff(folder / "test.arff", test, known, nominal)
            options = ["-T", "test.arff"]
        command = [*_JAVA, *WEKA_LEARNERS[learner], "-t", "train.arff", *options, "-o", "-v"]
        command += ["-threshold-file", "curve.csv", "-threshold-label", positive]
        finished = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
        right = re.findall(r"Correctly Classified Instances\s+(\d+)", finished.stdout)
        if not right or not (folder / "curve.csv").is_file():
            raise DemurError(f"WEKA's {learner} failed on {table.name}: {finished.stderr.strip()[-300:]}")
        # the last report is that of the held-out cases
        return _read_curve(folder / "curve.csv", int(right[-1]))


def finished_weka_scores(
    finished: FinishedParts,
    table: Table,
    learner: str,
    *,
    positive: str,
    seed: int = 1,
    folds: int = 10,
    test: Table | None = None,
    nominal: tuple[str, ...] = (),
) -> WekaScores:
    """Return `weka_scores`, taken from the finished parts if this run is among them."""
    tested = "" if test is None else test.fingerprint
    setting = f"{positive=} {seed=} {folds=} {nominal=}"
    key = f"WEKA {WEKA_LEARNERS[learner]} on {table.fingerprint} {tested}: {setting}"

    def scored() -> dict[str, Any]:
        run = weka_scores(
            table, learner, positive=positive, seed=seed, folds=folds, test=test, nominal=nominal
        )
        return {
            "positives": run.positives.tolist(),
            "negatives": run.negatives.tolist(),
            "score": run.score.tolist(),
            "accuracy": run.accuracy,
        }

    kept = finished.part(key, scored)
    arrays = {name: np.array(kept[name]) for name in ("positives", "negatives", "score")}
    return WekaScores(**arrays, accuracy=kept["accuracy"])


def _read_curve(file: Path, right: int) -> WekaScores:
    with open(file, newline="") as handle:
        rows = list(csv.DictReader(handle, quotechar="'"))
    above = np.array([[float(row["True Positives"]), float(row["False Positives"])] for row in rows])
    each = above - np.vstack([above[1:], [0.0, 0.0]])
    kept = each.sum(axis=1) > 0
    score = in_strict_order(np.array([float(row["Threshold"]) for row in rows])[kept])
    total = above[0].sum()
    return WekaScores(positives=each[kept, 0], negatives=each[kept, 1], score=score, accuracy=right / total)


def in_strict_order(score: FloatArray) -> FloatArray:
    """Move scores apart by the smallest step: different ones may have the same six decimals."""
    for k in range(1, len(score)):
        score[k] = max(score[k], np.nextafter(score[k - 1], np.inf))
    return score


def _both(first: Table, second: Table) -> Table:
    """Return all rows, for the values an attribute can take."""
    attributes = {
        name: np.concatenate([values, second.attributes[name]]) for name, values in first.attributes.items()
    }
    target = np.concatenate([first.target, second.target])
    return Table(name=first.name, attributes=attributes, target=target, source=first.source)


def _write_arff(file: Path, table: Table, known: Table, nominal: tuple[str, ...]) -> None:
    lines = [f"@relation {_quoted(table.name)}"]
    for name, values in [*known.attributes.items(), ("class", known.target)]:
        numeric = name in known.attributes and name not in nominal and known.is_numeric(name)
        levels = sorted(set(values.tolist()) - {""})
        kind = "numeric" if numeric else f"{{{','.join(map(_quoted, levels))}}}"
        lines.append(f"@attribute {_quoted(name)} {kind}")
    lines.append("@data")
    columns = [*table.attributes.values(), table.target]
    lines += [
        ",".join("?" if cell == "" else _quoted(cell) for cell in row) for row in zip(*columns, strict=True)
    ]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _quoted(text: str) -> str:
    """Quote what is no plain word or number in ARFF."""
    return text if re.fullmatch(r"[\w.+-]+", text) else "'" + text.replace("'", r"\'") + "'"
