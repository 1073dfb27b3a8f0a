"""One name for the positive class: `pos_label`; `positive` stays as the older one."""

import pytest

from demur import InputError, read_counts
from demur.engines import read_paired_counts, read_score_costs

TABLE = {"y": ["ill", "well", "ill", "well"], "a": [1.0, 2.0, 3.0, 0.5], "b": [1.0, 1.0, 2.0, 2.0]}
READERS = {
    "counts": lambda **label: read_counts(TABLE, y_true="y", scores="a", **label)["a"].prevalence,
    "paired": lambda **label: read_paired_counts(
        TABLE, y_true="y", scores=["a", "b"], **label
    ).positives.tolist(),
    "costs": lambda **label: (
        read_score_costs(TABLE, y_true="y", scores="a", cost_fn=9, cost_fp=1, **label)["a"].window().cost
    ),
}


@pytest.mark.parametrize("reader", READERS)
def test_both_names_mean_the_same(reader):
    read = READERS[reader]
    assert read(pos_label="ill") == read(positive="ill")
    with pytest.raises(InputError, match="`pos_label` has replaced positive, got both"):
        read(pos_label="ill", positive="ill")
    with pytest.raises(InputError):
        read()
