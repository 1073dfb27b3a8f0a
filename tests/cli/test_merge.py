"""`demur merge` against the counts of the union."""

import json

import numpy as np
import pytest

from demur import ScoreCounts
from demur.cli.main import main


def run(capsys, *args):
    with pytest.raises(SystemExit) as stop:
        main([str(arg) for arg in args])
    return stop.value.code, capsys.readouterr()


def test_merged_files_are_the_counts_of_the_union(capsys, tmp_path):
    rng = np.random.default_rng(0)
    y, s = rng.random(200) < 0.3, np.round(rng.normal(size=200), 1)
    for k in range(3):
        ScoreCounts.from_arrays(y[k::3], s[k::3]).save(tmp_path / f"{k}.parquet")
    files = [tmp_path / f"{k}.parquet" for k in range(3)]
    code, out = run(capsys, "merge", *files, "-o", tmp_path / "all.parquet", "--json")
    assert code == 0
    whole = ScoreCounts.from_arrays(y, s)
    assert ScoreCounts.load(tmp_path / "all.parquet") == whole
    document = json.loads(out.out)
    assert (document["schema"], document["n"]) == ("demur.merge", 200)
    code, out = run(capsys, "merge", files[0], "-o", tmp_path / "one.parquet")
    assert "distinct scores" in out.err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["-o", "x.parquet"], "At least one file of counts is needed"),
        (["nowhere.parquet"], "`-o` is needed"),
        (["nowhere.parquet", "-o", "x.parquet"], "must be a readable Parquet file"),
    ],
)
def test_wrong_input_writes_nothing(capsys, tmp_path, monkeypatch, args, message):
    monkeypatch.chdir(tmp_path)
    code, out = run(capsys, "merge", *args)
    assert code == 2
    assert message in " ".join(out.err.split())
    assert list(tmp_path.iterdir()) == []
