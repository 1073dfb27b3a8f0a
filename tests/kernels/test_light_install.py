"""The package without numba, DuckDB and Matplotlib: the same numbers, and one sentence where files need more.

Run as a program (`python test_light_install.py CASES`) it blocks the three and prints the numbers as JSON.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from demur import (
    auc,
    calibration,
    compare_models,
    comparison,
    costs,
    honest,
    multiclass,
    ordinal,
    regression,
    roc,
    surface,
    windows,
)
from demur._kernels.jit import COMPILE_JOB_FROM, whole_job
from demur.cautious import response_curve, roc_response_surface
from demur.costs import CaseCosts, CostModel, CostRange
from demur.counts import ScoreCounts
from demur.roc import FMeasure, Precision

BLOCKED = ("numba", "duckdb", "matplotlib")
COSTS = CostModel(cost_fn=5, cost_fp=2, cost_abstain=0.6)
MATRIX = np.array([[0, 1, 2], [3, 0, 1], [2, 4, 0.0]])


def numbers(n):
    """Results of one function for each loop that may run compiled, on tied and weighted random cases."""
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.3).astype(int)
    a, b = np.round(rng.normal(y, 1), 2), rng.normal(0.8 * y, 1)
    p = 1 / (1 + np.exp(1 - b))
    q = np.round(1 / (1 + np.exp(1 - a)), 3)
    weight, repeats = rng.random(n) + 0.5, rng.integers(1, 4, n).astype(float)
    level = rng.integers(0, 3, n)
    graded = np.round(rng.normal(level, 1), 2), rng.normal(level, 1)
    # classes overlap, so that weights, costs and abstentions depend on every digit
    proba = rng.dirichlet(np.ones(3), n) + 0.4 * np.eye(3)[level]
    proba /= proba.sum(axis=1, keepdims=True)
    amounts = CaseCosts(cost_fn=9 * rng.random(n), cost_fp=1.0, cost_abstain=0.2)
    ranges = CostRange(cost_fn=(3, 8), cost_fp=2, cost_abstain=0.6)
    truth = rng.normal(size=n)
    forecast = truth + np.round(rng.normal(size=n), 2)
    by_model = {"a": a, "b": b}

    def compared(**options):
        return comparison.compare_models(y, by_model, **{"costs": COSTS, **options})

    limits = {"min_precision_positive": 0.6, "min_precision_negative": 0.85}
    jobs = {
        "weighted counts": lambda: ScoreCounts.from_arrays(y, a, sample_weight=weight),
        "surface": lambda: surface.abstention_surface(y, b).window(0.5, 0.2),
        "volume": lambda: surface.vacc_score(y, a, sample_weight=weight),
        "ROC": lambda: roc.roc_curve(y, a),
        "cost curve": lambda: costs.cost_curve(y, b),
        "AUC": lambda: auc.auc_interval(y, b),
        "AUC difference": lambda: auc.auc_difference_test(y, a, b),
        "AUC variances": lambda: auc.auc_difference_variances(
            y, a, b, sample_weight=repeats, weights="repeats"
        ),
        "comparison": compared,
        "comparison of repeated cases": lambda: compared(sample_weight=repeats, weights="repeats"),
        "comparison within limits": lambda: compared(max_abstention=0.1),
        "comparison with precision": lambda: compared(**limits),
        "comparison over a range": lambda: compared(costs=ranges),
        "comparison of amounts": lambda: compared(costs=amounts),
        "comparison of classes": lambda: comparison.compare_models(
            level, proba, classes=[0, 1, 2], costs=MATRIX, abstain_cost=0.5
        ),
        "cross-fitted surface": lambda: honest.cross_fitted_surface(y, b).cost(1, 0.2),
        "surface band": lambda: honest.surface_band(y, a, n_resamples=50, resolution=20),
        "difference band": lambda: honest.surface_difference_band(y, a, b, n_resamples=50, resolution=20),
        "volume difference": lambda: honest.volume_difference_test(y, a, b),
        "windows with precision": lambda: windows.widest_coverage_window(y, b, **limits),
        "reliable window": lambda: windows.reliable_window(
            y, b, positive=Precision(0.7), negative=Precision(0.8)
        ),
        "deterministic window": lambda: windows.deterministic_window(
            y, b, positive=Precision(0.7), negative=FMeasure(0.8)
        ),
        "consistency band": lambda: calibration.reliability_curve(y, p).consistency_band(
            n_resamples=20, rng=0
        ),
        "curves of two samples": lambda: auc.venkatraman_unpaired_test(y, a, y, b, n_resamples=20, rng=0),
        "combined rules": lambda: [
            one.cost
            for one in compare_models(
                y, {"p": p, "q": q}, costs=COSTS, include=("combinations", "guards"), doubt=a
            ).combinations.values()
        ],
        "response by AUC": lambda: response_curve(level, proba, metric="auc"),
        "response of two classes": lambda: roc_response_surface(y, np.column_stack([1 - p, p])),
        "class weights": lambda: multiclass.optimize_weights(proba, level, MATRIX, rng=0, n_restarts=4),
        "class quotas": lambda: multiclass.weights_for_counts(
            np.log(proba), [n // 2, n // 4, n - n // 2 - n // 4]
        ),
        "ordinal ROC": lambda: ordinal.ordinal_roc(level, graded[1]).interval(),
        "ordinal difference": lambda: ordinal.vus_difference_test(level, *graded),
        "tolerance": lambda: regression.rec_coverage_curve(truth, forecast, p).tolerance_at(0.9),
    }
    return {name: job() for name, job in jobs.items()}


def plain(results):
    """Every number of the results, as JSON has it."""

    def of(value):
        return value.to_dict() if hasattr(value, "to_dict") else np.asarray(value).tolist()

    return {name: json.loads(json.dumps(of(value))) for name, value in results.items()}


def in_a_light_install(*command):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    return subprocess.run([sys.executable, *command], env=environment, capture_output=True, text=True)


def assert_same_numbers(n):
    ran = in_a_light_install(__file__, str(n))
    assert ran.returncode == 0, ran.stderr
    light = json.loads(ran.stdout)
    # so many small calls are worth the compiler
    with whole_job(COMPILE_JOB_FROM):
        full = plain(numbers(n))
    assert list(light) == list(full)
    for name, wanted in full.items():
        assert light[name] == wanted, name


def test_results_without_numba_against_compiled_loops():
    assert_same_numbers(400)


@pytest.mark.long
def test_results_of_many_cases_without_numba_against_compiled_loops():
    assert_same_numbers(200_000)


COMMAND = """
import sys
sys.modules.update(dict.fromkeys({blocked!r}))
from demur.__main__ import main
sys.argv = ["demur", *{arguments!r}]
main()
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ["compare", "p.csv"],
        ["check", "p.json"],
        ["report", "p.parquet"],
        ["decide", "p.csv", "--cost-fn", "3", "--cost-fp", "1"],
    ],
)
def test_a_command_on_files_without_duckdb_says_what_to_install(tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text("y,score\n1,0.5\n0,0.25\n")
    Path("p.json").write_text('[{"y": 1, "score": 0.5}]')
    Path("p.parquet").write_bytes(b"PAR1")
    ran = in_a_light_install("-c", COMMAND.format(blocked=BLOCKED, arguments=arguments))
    said = "demur: Files are read and written with DuckDB, which is not installed. "
    assert (ran.returncode, ran.stdout, ran.stderr) == (2, "", f"{said}Hint: pip install 'demur[files]'.\n")


FRAMES = """
import sys
sys.modules.update(dict.fromkeys({blocked!r}))
import pandas as pd
import polars as pl
from demur import read_counts
columns = {{"y": [0, 1, 1, 0], "s": [0.1, 0.9, 0.4, 0.4]}}
for frame in (pd.DataFrame(columns), pl.DataFrame(columns), pl.LazyFrame(columns), columns):
    counts = read_counts(frame, y_true="y", scores="s")["s"]
    print(counts.positives.tolist(), counts.negatives.tolist())
"""


def test_data_frames_are_counted_without_duckdb_by_hand():
    pytest.importorskip("polars")
    ran = in_a_light_install("-c", FRAMES.format(blocked=BLOCKED))
    assert (ran.stdout, ran.stderr) == ("[0.0, 1.0, 1.0] [1.0, 1.0, 0.0]\n" * 4, "")


if __name__ == "__main__":
    # nothing of these is loaded before it is needed
    sys.modules.update(dict.fromkeys(BLOCKED))
    print(json.dumps(plain(numbers(int(sys.argv[1])))))
