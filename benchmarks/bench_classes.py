"""Many classes: what the answer costs on fresh cases beside argmax, and the time of decide and apply."""

import csv
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.preprocessing import OrdinalEncoder
from timing import AS_INSTALLED, seconds

from demur import compare_models
from demur.surface.window import ABSTAIN

SEEDS = 20
ROWS, CLASSES = 10**6, 10
SHARED = Path(os.environ.get("DEMUR_SHARED", Path(__file__).parents[2] / "shared"))


def rows():
    for name, draw in (("car", car), ("digits", digits), ("26 classes", letters)):
        for review in (1.5, None):
            yield honest(name, draw, review)
    yield from large()


# ---------------------------------------------------------------- honest costs


def honest(name, draw, review):
    """Choose on some cases, judge on others: answer minus argmax, mean over seeds and the worst seed."""
    what = f"answer - argmax on fresh cases, {name}" + ("" if review else ", never abstaining")
    differences, errors = [], []
    for seed in range(SEEDS):
        made = draw(seed)
        if made is None:
            return (what, "", "data not here", "", "", "")
        y, proba, fresh_y, fresh = made
        m = proba.shape[1]
        costs = np.random.default_rng(100 + seed).integers(1, 11, (m, m)) * (1.0 - np.eye(m))
        answer = compare_models(y, proba, classes=list(range(m)), costs=costs, abstain_cost=review).answer
        table = np.column_stack([costs, np.full(m, review or 0.0)])
        codes = answer.decide(fresh)
        gap = table[fresh_y, np.where(codes == ABSTAIN, m, codes)] - table[fresh_y, fresh.argmax(axis=1)]
        differences.append(gap.mean())
        errors.append(gap.std() / np.sqrt(len(gap)))
    worst = max(d / max(e, 1e-12) for d, e in zip(differences, errors, strict=True))
    size = f"{SEEDS} seeds, n={len(y)}, m={m}"
    told = f"mean {np.mean(differences):+.3f}, worst {worst:+.1f} standard errors"
    return (what, size, told, "", "", "mean <= 0, worst <= 2")


def thirds(x, y, model, seed):
    """Fit on a third of the cases, choose on the second, judge on the last."""
    rng = np.random.default_rng(seed)
    a, b, c = np.array_split(rng.permutation(len(y)), 3)
    fitted = model.fit(x[a], y[a])
    at = np.searchsorted(fitted.classes_, y)
    return at[b], fitted.predict_proba(x[b]), at[c], fitted.predict_proba(x[c])


def car(seed):
    path = SHARED / "data" / "uci" / "car.csv"
    if not path.exists():
        return None
    with open(path, newline="") as handle:
        table = np.array(list(csv.reader(handle))[1:])
    x = OrdinalEncoder().fit_transform(table[:, :-1]).astype(int)
    return thirds(x, table[:, -1], CategoricalNB(min_categories=4), seed)


def digits(seed):
    x, y = load_digits(return_X_y=True)
    return thirds(x, y, GaussianNB(var_smoothing=1e-3), seed)


def scored(n, m, rng, sharp=2.0):
    """Draw probabilities that are too sure of themselves."""
    y = rng.integers(0, m, n)
    z = rng.normal(size=(n, m))
    z[np.arange(n), y] += sharp
    p = np.exp(1.5 * z)
    return y, p / p.sum(axis=1, keepdims=True)


def letters(seed, n=1000, m=26):
    rng = np.random.default_rng(seed)
    return (*scored(n, m, rng), *scored(n, m, rng))


# ---------------------------------------------------------------- time and memory


_RUN = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from demur.cli.main import main
from timing import own_peak_memory
try:
    main(sys.argv[1:])
finally:
    print(own_peak_memory(), file=sys.stderr)
"""


def timed(*arguments):
    """Run the command line in a process of its own: (seconds, peak bytes)."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", _RUN, *map(str, arguments)],
        capture_output=True,
        text=True,
        env=AS_INSTALLED,
        check=True,
    )
    return time.perf_counter() - start, int(done.stderr.split()[-1])


def large():
    import pandas as pd

    y, p = scored(ROWS, CLASSES, np.random.default_rng(0))
    names = [f"c{k}" for k in range(CLASSES)]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        columns = {"label": np.array(names, dtype=object)[y], **dict(zip(names, p.T, strict=True))}
        frame = pd.DataFrame(columns)
        frame.to_parquet(place / "p.parquet")
        frame.to_csv(place / "p.csv", index=False)
        del frame, columns
        write_costs(place / "costs.csv", names)
        flags = ["--classes", ",".join(names), "--cost-matrix", place / "costs.csv", "--cost-abstain", 1.5]
        size = f"n={ROWS:.0e}, m={CLASSES}"
        took, peak = timed("decide", place / "p.parquet", *flags, "-o", place / "policy.json", "-q")
        yield (
            "demur decide --classes, Parquet",
            size,
            seconds(took),
            "",
            f"{peak / 1e9:.2f} GB",
            "<= 20 s, 2 GB",
        )
        for ending in ("parquet", "csv"):
            source, target = place / f"p.{ending}", place / f"d.{ending}"
            took, _ = timed("apply", place / "policy.json", source, "-o", target, "-q")
            read = reading_time(source)
            yield (
                f"demur apply / reading the file, {ending}",
                size,
                seconds(took),
                seconds(read),
                f"{took / read:.2f} x",
                "<= 3",
            )


def write_costs(path, names):
    table = [
        [name, *(0 if k == j else 1 + (k + j) % 9 for j in range(len(names)))] for k, name in enumerate(names)
    ]
    path.write_text("\n".join(",".join(map(str, line)) for line in [["true", *names], *table]) + "\n")


def reading_time(path):
    """Seconds to read all cells as numbers in a process of its own, as `demur apply` runs in one."""
    code = {
        ".csv": "import csv, sys\nrows = csv.reader(open(sys.argv[1], newline=''))\nnext(rows)\n"
        "for row in rows: list(map(float, row[1:]))",
        ".parquet": "import duckdb, sys; duckdb.sql(f\"select * from '{sys.argv[1]}'\").fetchnumpy()",
    }[path.suffix]
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code, str(path)], check=True, env=AS_INSTALLED)
    return time.perf_counter() - start
