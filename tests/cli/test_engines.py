"""`--engine`, `--master`, `--group` and saved counts: the same answers, and what is left out in words."""

import json
import re
import shutil
import socket
import sys

import numpy as np
import pytest

from demur import Policy, ScoreCounts
from demur.cli.main import main
from demur.counts import BinnedCounts

COSTS = ("--cost-fn", "100", "--cost-fp", "40", "--cost-abstain", "12")


class Answer:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, " ".join(err.split())

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def call(*args):
        with pytest.raises(SystemExit) as stop:
            main([str(arg) for arg in args])
        streams = capsys.readouterr()
        return Answer(stop.value.code, streams.out, streams.err)

    return call


def scored(rng, rows=300):
    y = rng.random(rows) < 0.4
    return y, rng.normal(y, 1.0).round(1), rng.normal(y, 2.0).round(1)


@pytest.fixture
def file(tmp_path):
    """Three models and three sites, of which one saw no positive."""
    y, a, b = scored(np.random.default_rng(0))
    c = np.minimum(a, b)
    site = np.where(np.arange(len(y)) % 3 == 0, "north", "south")
    site[~y & (np.arange(len(y)) > 250)] = "west"
    rows = zip(np.where(y, "yes", "no"), a, b, c, site, strict=True)
    path = tmp_path / "p.csv"
    path.write_text("\n".join(["label,a,b,c,site", *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


def without_pairs(document):
    """Leave out what needs the rows."""
    for part in document.get("groups", {"": document}).values():
        part.get("how_sure", {}).update(auc_tests=None, volume_tests=None, pairs_left_out="")
    document["data"].pop("engine")
    return document


# ---------------------------------------------------------------- the same answers


@pytest.mark.parametrize("verb", ["compare", "decide"])
@pytest.mark.parametrize("group", [(), ("--group", "site")], ids=["whole", "groups"])
def test_duckdb_against_rows_in_memory(run, file, verb, group):
    flags = (verb, file, "--positive", "yes", *group, *COSTS, "--json")
    counted, expected = run(*flags, "--engine", "duckdb"), run(*flags)
    assert (counted.code, expected.code, counted.err) == (0, 0, expected.err)
    assert counted.json["data"]["engine"] == "duckdb"
    assert without_pairs(counted.json) == without_pairs(expected.json)
    assert (counted.json["exact"], counted.json["certified"]) == (True, 0.0)


def test_two_models_are_tested_from_joint_counts_as_from_rows(run, file):
    flags = ("compare", file, "--positive", "yes", "--model", "b", "--model", "a", "--json")
    counted, expected = run(*flags, "--engine", "duckdb").json, run(*flags).json
    assert counted["how_sure"]["auc_tests"]["pvalue"]
    assert counted.pop("data") | {"engine": "memory"} == expected.pop("data")
    assert counted == expected


def test_what_needs_the_rows_is_left_out_in_one_sentence(run, file):
    answer = run("compare", file, "--positive", "yes", "--engine", "duckdb")
    text = " ".join(answer.out.split())
    assert "Tests of pairs are left out: they need both scores of every case" in text
    assert "How sure over all costs" in text
    assert (
        run("compare", file, "--positive", "yes", "--engine", "duckdb", "--json")
        .json["how_sure"]["pairs_left_out"]
        .startswith("Tests of pairs")
    )


def test_groups_are_the_answers_for_their_rows_alone(run, file, tmp_path):
    lines = file.read_text().splitlines()
    (tmp_path / "north.csv").write_text("\n".join([lines[0], *(x for x in lines if "north" in x)]) + "\n")
    flags = ("--positive", "yes", *COSTS, "--json")
    alone = run("compare", "north.csv", *flags).json
    group = run("compare", file, *flags, "--group", "site").json["groups"]["north"]
    assert group["n"] == alone["data"]["rows"]
    assert {name: group[name] for name in ("decision", "models", "how_sure")} == {
        name: alone[name] for name in ("decision", "models", "how_sure")
    }


def test_every_group_has_a_block_and_one_without_a_class_says_so(run, file):
    answer = run("compare", file, "--positive", "yes", "--group", "site", *COSTS)
    assert answer.code == 0
    assert "groups by site" in answer.err
    blocks = [line for line in answer.out.splitlines() if line.startswith("site = ")]
    assert [block.split(":")[0] for block in blocks] == ["site = north", "site = south", "site = west"]
    assert "got no positive case" in " ".join(answer.out.split("site = west")[1].split())


def test_decide_writes_a_policy_per_group(run, file, tmp_path):
    flags = ("decide", file, "--positive", "yes", "--group", "site", *COSTS)
    answer = run(*flags, "-o", "policy-{group}.json")
    assert answer.code == 0
    assert sorted(path.name for path in tmp_path.glob("policy*")) == [
        "policy-north.json",
        "policy-south.json",
    ]
    alone = run(*flags, "--json").json["groups"]["north"]["policy"]
    assert Policy.load(tmp_path / "policy-north.json").to_dict() == alone
    assert "-o 'policy-{group}.json'" in run(*flags).out


TROUBLE = {
    "fine": "y,a,b\n1,0.9,0.8\n0,0.2,0.1\n1,0.7,0.3\n0,0.4,0.2\n",
    "notes": "y,a,b\n1,inf,3\n0,-2,3\n1,0.5,3\n0,7,3\n0,7,3\n",
    "missing": "y,a,b\n1,,0.5\n0,0.25,nan\n,0.5,0.5\n1,0.75,NA\n",
    "one class": "y,a,b\n1,0.5,0.25\n1,0.75,0.5\n",
    "classes": "y,a,b\n1,0.5,0.25\n2,0.75,0.5\n3,0.75,0.5\n",
    "backwards": "y,a,b\n1,0.1,0.2\n0,0.8,0.9\n1,0.2,0.3\n0,0.7,0.7\n",
    "weights": "y,a,w\n1,0.1,0\n0,0.8,2\n1,0.2,0\n",
    "bad weights": "y,a,w\n1,0.1,-1\n0,0.8,inf\n1,0.2,-inf\n",
}


@pytest.mark.parametrize("name", TROUBLE)
def test_check_with_duckdb_against_rows_in_memory(run, tmp_path, name):
    (tmp_path / "t.csv").write_text(TROUBLE[name])
    flags = ("check", "t.csv", "--json", *(("--weight", "w") if "weights" in name else ()))
    counted, expected = run(*flags, "--engine", "duckdb"), run(*flags)
    assert (counted.code, counted.err) == (expected.code, expected.err)
    # directions are judged on complete rows, so they wait for the errors to be mended
    waiting = () if counted.code == 0 else ("worse than chance", "suspicious positive class")
    lists = []
    for answer in (counted, expected):
        told = [one for one in answer.json["findings"] if one["problem"] not in waiting]
        # only rows have a first one
        lists.append(
            [one | {"message": re.sub(", the first in row \\d+", "", one["message"])} for one in told]
        )
    assert lists[0] == lists[1]
    assert bool(lists[0]) == (name != "fine")


# ---------------------------------------------------------------- saved counts


def test_saved_counts_against_the_table_they_came_from(run, tmp_path):
    y, a, _ = scored(np.random.default_rng(1))
    ScoreCounts.from_arrays(y, a).save(tmp_path / "a.parquet")
    (tmp_path / "t.csv").write_text(
        "\n".join(["y,a", *(f"{int(k)},{s}" for k, s in zip(y, a, strict=True))]) + "\n"
    )
    for verb in ("compare", "decide"):
        counted, expected = (run(verb, name, *COSTS, "--json").json for name in ("a.parquet", "t.csv"))
        assert counted.pop("data")["engine"] == "counts"
        assert expected.pop("data")["engine"] == "memory"
        assert counted == expected


def test_bins_say_to_what_they_are_certified(run, tmp_path):
    counts = BinnedCounts.from_bins([0.0, 0.3, 0.6], [0.2, 0.5, 0.6], [1, 20, 70], [60, 10, 3])
    counts.save(tmp_path / "binned.parquet")
    answer = run("decide", "binned.parquet", *COSTS, "--json").json
    assert (answer["exact"], answer["certified"]) == (False, counts.certified)
    assert "Scores were counted in bins" in run("compare", "binned.parquet", *COSTS).out
    assert "Scores were counted in bins" in run("decide", "binned.parquet", *COSTS).err


# ---------------------------------------------------------------- refusals


def closed_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (("--engine", "hadoop"), "`--engine` must be one of memory, duckdb, spark, got 'hadoop'."),
        (("--engine", "spark"), "`--master` is needed beside --engine spark."),
        (("--master", "local[1]"), "`--master` is for Spark. Hint: add --engine spark"),
        (("--engine", "duckdb", "--master", "local[1]"), "`--master` is for Spark."),
        (("--group", "place"), "has no column 'place'; its columns are label, a, b, c, site."),
        (("--group", "a", "--model", "a"), "`--group` names 'a', which is in use already."),
        (("--engine", "duckdb", "--label", "site"), "must hold two classes, got 3 (north, south, west)"),
    ],
)
@pytest.mark.parametrize("verb", ["compare", "decide"])
def test_flags_that_do_not_go_together(run, file, verb, flags, sentence):
    answer = run(verb, file, *COSTS, *flags)
    assert (answer.code, answer.out) == (2, "")
    assert sentence in answer.err


def test_more_than_two_classes_stay_in_memory(run, file):
    answer = run("compare", file, "--classes", "x,y", "--cost-matrix", "c.csv", "--group", "site")
    assert (answer.code, answer.out) == (2, "")
    assert "`--group` is for two classes." in answer.err


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (("-o", "policy.json"), "`-o` must hold {group} beside --group, got 'policy.json'."),
        (("--no-labels",), "`--group` needs labelled cases."),
    ],
)
def test_decide_with_groups(run, file, flags, sentence):
    answer = run(
        "decide",
        file,
        "--group",
        "site",
        *(() if flags[0] == "--no-labels" else ("--positive", "yes")),
        *COSTS,
        *flags,
    )
    assert (answer.code, answer.out) == (2, "")
    assert sentence in answer.err


@pytest.mark.parametrize("flag", ["--label", "--positive", "--model", "--weight", "--group"])
def test_saved_counts_have_no_columns(run, tmp_path, flag):
    ScoreCounts.from_arrays([0, 1], [1, 2]).save(tmp_path / "c.parquet")
    answer = run("compare", "c.parquet", flag, "x")
    assert answer.code == 2
    assert f"`{flag}` is for tables of cases, but c.parquet holds counts." in answer.err


SPARK = ("--positive", "yes", "--engine", "spark", "--master")


@pytest.mark.parametrize("missing", [("pyspark", "pyspark.sql"), ("pyarrow",)], ids=str)
def test_spark_without_its_packages(run, file, monkeypatch, missing):
    for name in missing:
        monkeypatch.setitem(sys.modules, name, None)
    answer = run("compare", file, *SPARK, "local[1]")
    assert (answer.code, answer.out) == (2, "")
    assert "needs PySpark and PyArrow" in answer.err
    assert "pip install 'demur[spark]'" in answer.err


@pytest.mark.parametrize("home", [None, "nowhere"])
def test_spark_without_java(run, file, monkeypatch, home):
    pytest.importorskip("pyspark")
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    if home is not None:
        monkeypatch.setenv("JAVA_HOME", home)
    assert shutil.which("java") is None
    answer = run("compare", file, *SPARK, "local[1]")
    assert (answer.code, answer.out) == (2, "")
    assert "needs Java 17 or newer" in answer.err


@pytest.mark.parametrize(
    ("master", "sentence"),
    [
        ("spark://127.0.0.1:{port}", "No Spark master answers at spark://127.0.0.1:{port} within 10 seconds"),
        ("spark://demur.invalid:7077", "No Spark master answers at spark://demur.invalid:7077"),
        ("spark://one,two:7077", "A Spark master looks like"),
        ("http://host", "A Spark master looks like spark://host:7077, local[2], yarn or k8s://host, got"),
    ],
)
def test_a_master_that_is_not_there(run, file, monkeypatch, master, sentence):
    pytest.importorskip("pyspark")
    # the file is never opened, and Java never started
    monkeypatch.setattr("demur.engines.spark._require_java", lambda: None)
    monkeypatch.setattr("demur.engines.spark._started", None)
    port = closed_port()
    answer = run("decide", file, *COSTS, *SPARK, master.format(port=port))
    assert (answer.code, answer.out) == (2, "")
    assert sentence.format(port=port) in answer.err
