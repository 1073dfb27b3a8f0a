"""Rows without a label that --drop-missing leaves out: nothing is proven where their scores differ."""

import numpy as np
import pytest

from demur.cli.main import main


@pytest.mark.parametrize("where", ["low scores", "by chance"])
def test_labels_missing_where_scores_differ(capsys, tmp_path, where):
    rng = np.random.default_rng(0)
    y = (rng.random(900) < 0.4).astype(int)
    score = 2 * y + rng.normal(size=900)
    blank = score < 0 if where == "low scores" else rng.random(900) < 0.3
    rows = [
        f"{'' if gone else label},{value:.3f}" for label, value, gone in zip(y, score, blank, strict=True)
    ]
    path = tmp_path / "cases.csv"
    path.write_text("\n".join(["label,m", *rows]) + "\n")
    costs = ["--cost-fn", "10", "--cost-fp", "6", "--cost-abstain", "2"]
    with pytest.raises(SystemExit):
        main(["compare", str(path), *costs, "--drop-missing"])
    told = capsys.readouterr()
    doubtful = "nothing is proven or guaranteed." in " ".join(told.err.split())
    assert doubtful == (where == "low scores")
    assert told.out.startswith("Likely." if doubtful else "Proven.")
