"""`Report.from_predictions` takes a data frame with a column per model."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from demur import Binormal, CostModel, InputError, Report

COSTS = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)
Y, A = Binormal(separation=2.0).sample(300, rng=0)
MODELS = {"good": A, "other": A**3}


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "arrow"])
def test_a_frame_against_a_mapping(frame):
    expected = Report.from_predictions(Y, MODELS, costs=COSTS).to_dict()
    found = Report.from_predictions(pd.Series(Y), frame(MODELS), costs=COSTS).to_dict()
    for document in (expected, found):
        document.pop("made", None)
    assert found == expected


def test_frames_that_do_not_fit():
    with pytest.raises(InputError, match=r"scores of good` must hold numbers"):
        Report.from_predictions(Y, pd.DataFrame({"good": ["x"] * len(Y)}))
    with pytest.raises(InputError, match=r"non-empty mapping \{name: scores\} or a data frame, got dict"):
        Report.from_predictions(Y, pd.DataFrame(index=range(len(Y))))
