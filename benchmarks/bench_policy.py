"""Policies against two NumPy comparisons, and the memory of `demur apply`."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from timing import alternate, ratio_row

from demur import CostModel, Policy, ScoreCounts, abstention_surface

N = 10**7


def policy(**labels):
    counts = ScoreCounts.from_counts([0.1, 0.5, 0.9], [1, 5, 9], [9, 5, 1])
    costs = CostModel(cost_fn=1, cost_fp=1, cost_abstain=0.2)
    return Policy.from_surface(abstention_surface(counts), costs=costs, model="score", **labels)


def rows():
    yield from decisions()
    yield from streamed()


def decisions():
    scores = np.random.default_rng(0).random(N)
    plain, numbers = policy(), policy(abstain_label=2)
    words = policy(pos_label="yes", neg_label="no", abstain_label="ask")
    two = "two comparisons"
    jobs = {
        f"Policy.decide / {two}": (plain.decide, "<= 3"),
        f"Policy.apply, labels 1, 0, -1 / {two}": (plain.apply, "<= 3"),
        f"Policy.apply, labels 1, 0, 2 / {two}": (numbers.apply, "<= 3"),
        f"Policy.apply, labels yes, no, ask, as categories / {two}": (in_categories(words, "pandas"), "<= 3"),
        f"Policy.apply, labels yes, no, ask, in Arrow / {two}": (in_categories(words, "arrow"), "<= 3"),
        f"Policy.apply, labels yes, no, ask / {two}": (words.apply, ""),
    }
    for what, (job, asked) in jobs.items():
        mine, peer = alternate(
            lambda job=job: job(scores), lambda: (scores <= plain.lower, scores >= plain.upper), repeats=7
        )
        yield ratio_row(what, f"{N:.0e}", mine, peer, asked)


def in_categories(made, output):
    return lambda scores: made.apply(scores, output=output)


_APPLY = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from demur.cli.main import main
from timing import own_peak_memory
try:
    main(sys.argv[1:])
finally:
    print(own_peak_memory(), file=sys.stderr)
"""


def streamed():
    import duckdb

    with tempfile.TemporaryDirectory() as folder:
        file, saved = Path(folder, "scores.parquet"), Path(folder, "policy.json")
        query = f"select i as id, random() as score, 'name ' || i % 1000 as name from range({N}) t(i)"
        duckdb.sql(f"copy ({query}) to '{file}' (format parquet)")
        policy().save(saved)
        for what, flags, asked in (
            ("all columns, Parquet out", ["-o", str(Path(folder, "out.parquet"))], "<= 5 s, 1 GB"),
            ("all columns, CSV out", [], "< 1 GB"),
            ("decisions only, CSV out", ["--only"], "< 1 GB"),
        ):
            command = [sys.executable, "-c", _APPLY, "apply", str(saved), str(file), "-q", *flags]
            start = time.perf_counter()
            with open(Path(folder, "out.csv"), "wb") as handle:
                done = subprocess.run(command, check=True, stdout=handle, stderr=subprocess.PIPE)
            spent = time.perf_counter() - start
            peak = int(done.stderr) / 1e9
            yield (
                f"demur apply on Parquet, {what}",
                f"{N:.0e}",
                f"{spent:.1f} s",
                "",
                f"{peak:.2f} GB",
                asked,
            )
