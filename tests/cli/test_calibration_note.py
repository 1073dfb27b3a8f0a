"""`demur check` says which probabilities cannot be taken at their word."""

import numpy as np
import pytest

from command_line import table_file
from demur.calibration import calibration_slope


def forecasts():
    rng = np.random.default_rng(1)
    log_odds = rng.normal(size=400)
    y = (rng.random(400) < 1 / (1 + np.exp(-log_odds))).astype(int)
    return y, *(1 / (1 + np.exp(-factor * log_odds)) for factor in (1, 3))


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_overconfident_probabilities_get_a_note(run, tmp_path, engine):
    y, calibrated, sure = forecasts()
    path = table_file(tmp_path, y=y, calibrated=calibrated, sure=sure)
    answer = run("check", path, "--json", "--quiet", "--engine", engine)
    assert answer.code == 0
    notes = [finding for finding in answer.json["findings"] if finding["problem"] == "not calibrated"]
    assert [note["column"] for note in notes] == ["sure"]
    slope = calibration_slope(y, sure).slope
    assert f"slope {slope:.2f} (" in notes[0]["message"]
    assert "recalibrate" in notes[0]["hint"]
