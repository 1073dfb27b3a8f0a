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


# ---------------------------------------------------------------- names of models


def saved(folder, name, model=None):
    folder.mkdir(exist_ok=True)
    ScoreCounts.from_arrays([0, 1, 1, 0] * 30, [1, 2, 3, 2] * 30).save(folder / name, model=model)
    return folder / name


def model_of(capsys, file):
    """What the other verbs call the model of a file."""
    code, out = run(capsys, "compare", file, "--json")
    assert code == 0
    return list(json.loads(out.out)["comparison"]["models"])


@pytest.mark.parametrize(
    ("names", "models", "flags", "expected"),
    [
        (("mon.parquet", "tue.parquet"), ("it's risk", "it's risk"), (), "it's risk"),
        (("mon.parquet", "tue.parquet"), ("risk", None), (), "risk"),
        (("a/risk.parquet", "b/risk.parquet"), (None, None), (), "risk"),
        (("mon.parquet", "tue.parquet"), (None, None), (), "both"),
        (("mon.parquet", "tue.parquet"), ("old", "new"), ("--model", "risk"), "risk"),
    ],
)
def test_the_name_of_the_model_is_kept(capsys, tmp_path, names, models, flags, expected):
    files = [
        saved((tmp_path / name).parent, (tmp_path / name).name, model)
        for name, model in zip(names, models, strict=True)
    ]
    code, out = run(capsys, "merge", *files, *flags, "-o", tmp_path / "both.parquet", "--json")
    assert code == 0
    assert json.loads(out.out)["model"] == (None if expected == "both" else expected)
    assert model_of(capsys, tmp_path / "both.parquet") == [expected]
    # counts are read back whatever they are called
    assert ScoreCounts.load(tmp_path / "both.parquet").n == 240


def test_counts_of_two_models_are_not_added(capsys, tmp_path):
    files = [saved(tmp_path, f"{name}.parquet", name) for name in ("risk", "age")]
    code, out = run(capsys, "merge", *files, "-o", tmp_path / "both.parquet")
    assert code == 2
    assert "must be of one model, got age, risk. Hint: if they are one" in " ".join(out.err.split())
    assert not (tmp_path / "both.parquet").exists()
