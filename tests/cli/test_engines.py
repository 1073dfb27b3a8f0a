"""`--engine`, `--master`, `--group` and saved counts: the same answers, and what is left out in words."""

import json
import re
import shutil
import socket
import sys

import numpy as np
import pytest

from demur import CostModel, ScoreCounts, compare_models, cross_fitted_surface, volume_interval
from demur.cli.main import main
from demur.counts import BinnedCounts
from demur.engines import read_joint_counts

COSTS = ("--cost-fn", "100", "--cost-fp", "40", "--cost-abstain", "12")
GROUPED = ("compare", "decide", "report")
NOTHING_TO_LEARN = "All cases are negative: thresholds need cases of both classes."


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


SAME = (
    *("window", "threshold", "auc", "auc_interval", "hindsight_cost", "hindsight_vacc", "guaranteed_cost"),
    "threshold_hindsight_cost",
)


def same_evidence(counted, expected):
    """What counts tell as rows do, to rounding; honest numbers differ by the splits alone."""
    assert counted["trivial"] == pytest.approx(expected["trivial"], abs=1e-12)
    for name, model in expected["models"].items():
        for key in SAME:
            found = counted["models"][name][key]
            # areas are added up in another order
            wanted = pytest.approx(model[key], rel=1e-12) if key.startswith("auc") else model[key]
            assert found == wanted, (name, key)
        half_width = (model["interval"][1] - model["interval"][0]) / 2
        assert abs(counted["models"][name]["cost"] - model["cost"]) < half_width / 4


# ---------------------------------------------------------------- the same answers


@pytest.mark.parametrize("verb", ["compare", "decide", "report"])
@pytest.mark.parametrize("group", [(), ("--group", "site")], ids=["whole", "groups"])
def test_duckdb_against_rows_in_memory(run, file, verb, group):
    flags = (verb, file, "--positive", "yes", *group, *COSTS, "--json")
    counted, expected = run(*flags, "--engine", "duckdb"), run(*flags)
    assert (counted.code, expected.code, counted.err) == (0, 0, expected.err)
    if verb != "report":
        assert counted.json["data"]["engine"] == "duckdb"
        assert (counted.json["exact"], counted.json["certified"]) == (True, 0.0)
    parts = [answer.json["groups"] if group else {"": answer.json} for answer in (counted, expected)]
    assert parts[0].keys() == parts[1].keys()
    for name, part in parts[1].items():
        if part.get("comparison") is None:
            assert (name, parts[0][name].get("left_out")) == ("west", part.get("left_out"))
            continue
        same_evidence(parts[0][name]["comparison"], part["comparison"])
        if group or verb != "report":
            assert (parts[0][name]["comparison"]["split"], part["comparison"]["split"]) == ("counts", "rows")


def test_counts_of_an_engine_against_the_library(run, file):
    flags = ("compare", file, "--positive", "yes", *COSTS, "--json", "--engine", "duckdb", "--seed", 3)
    y, a, b = scored(np.random.default_rng(0))
    for name, scores in (("a", a), ("b", b)):
        models = run(*flags, "--model", name).json["comparison"]["models"]
        counts = ScoreCounts.from_arrays(y, scores)
        honest = cross_fitted_surface(counts, rng=3)
        assert models[name]["cost"] == pytest.approx(100 * honest.cost(0.4, 0.12), abs=1e-12)
        volume = volume_interval(counts, rng=3)
        assert models[name]["vacc_interval"] == pytest.approx([volume.low, volume.high], abs=1e-12)


def test_two_models_are_tested_from_joint_counts_as_from_rows(run, file):
    flags = ("compare", file, "--positive", "yes", "--model", "b", "--model", "a", *COSTS, "--json")
    counted, expected = run(*flags, "--engine", "duckdb").json, run(*flags).json
    assert counted.pop("data") | {"engine": "memory"} == expected.pop("data")
    same_evidence(counted["comparison"], expected["comparison"])
    (from_counts,), (from_rows,) = counted["pairs"], expected["pairs"]
    for key in ("first", "second", "auc_adjusted_pvalue"):
        assert from_counts[key] == pytest.approx(from_rows[key], abs=1e-12)
    assert from_counts["auc"]["difference"] == pytest.approx(from_rows["auc"]["difference"], abs=1e-12)
    gap, width = (from_rows["volume"][key] for key in ("difference", "standard_error"))
    assert abs(from_counts["volume"]["difference"] - gap) < width / 2


def test_what_needs_the_rows_is_left_out_in_one_sentence(run, file):
    flags = ("compare", file, "--positive", "yes", "--group", "site", "--engine", "duckdb")
    text = " ".join(run(*flags).out.split())
    assert "Tests of pairs are left out: they need both scores of every case" in text
    assert "95 % intervals; VACC" in text
    assert run(*flags, "--json").json["groups"]["north"]["pairs"] == []


def test_the_answer_of_bins_is_that_of_the_library_and_says_so(run, tmp_path, monkeypatch):
    monkeypatch.setattr("demur.engines.joint._MOST_CELLS", 100)
    monkeypatch.setattr("demur.engines.joint._BINNED_CELLS", 100)
    y, a, b = (
        np.concatenate(parts)
        for parts in zip(*(scored(np.random.default_rng(k)) for k in (1, 2)), strict=True)
    )
    path = tmp_path / "bins.csv"
    path.write_text(
        "\n".join(["y,a,b", *(f"{int(t)},{p},{q}" for t, p, q in zip(y, a, b, strict=True))]) + "\n"
    )
    counted = run("compare", path, *COSTS, "--json", "--engine", "duckdb").json["comparison"]
    costs = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)
    joint = read_joint_counts(path, y_true="y", scores=["a", "b"], costs=costs)
    expected = compare_models(joint, costs=costs)
    assert counted["answer"]["cost"] == expected.answer.cost
    runner_up = expected.answer.versus["runner_up"]
    assert counted["answer"]["versus"]["runner_up"]["interval"] == list(runner_up.interval)
    assert counted["notes"] == list(expected.notes) != []
    text = " ".join(run("compare", path, *COSTS, "--engine", "duckdb").out.split())
    assert "Scores were counted in bins" in text
    page = tmp_path / "page.html"
    assert run("report", path, "--engine", "duckdb", "-o", page).code == 0


def test_groups_are_the_answers_for_their_rows_alone(run, file, tmp_path):
    lines = file.read_text().splitlines()
    (tmp_path / "north.csv").write_text("\n".join([lines[0], *(x for x in lines if "north" in x)]) + "\n")
    flags = ("--positive", "yes", *COSTS, "--json")
    alone = run("compare", "north.csv", *flags).json
    group = run("compare", file, *flags, "--group", "site").json["groups"]["north"]
    assert group["n"] == alone["data"]["rows"]
    for name in ("decision", "comparison", "pairs", "best_ranges", "curves"):
        assert group[name] == alone[name], name


def test_every_group_has_a_block_and_one_without_a_class_says_so(run, file):
    answer = run("compare", file, "--positive", "yes", "--group", "site", *COSTS)
    assert answer.code == 0
    assert "groups by site" in answer.err
    blocks = [line for line in answer.out.splitlines() if line.startswith("site = ")]
    assert [block.split(":")[0] for block in blocks] == ["site = north", "site = south", "site = west"]
    assert NOTHING_TO_LEARN in " ".join(answer.out.split("site = west")[1].split())


def test_every_verb_says_the_same_of_a_group(run, file):
    flags = (file, "--positive", "yes", "--group", "site", *COSTS)
    compared, decided, reported = (run(verb, *flags, "--json").json["groups"] for verb in GROUPED)
    for site in ("north", "south"):
        words = reported[site]["headline"]
        assert compared[site]["decision"] == decided[site]["decision"] == words
        assert compared[site]["comparison"] == decided[site]["comparison"] == reported[site]["comparison"]
    assert reported["west"]["headline"] == NOTHING_TO_LEARN
    (note,) = [one for one in reported["west"]["notes"] if one.startswith("Honest costs are left out")]
    assert compared["west"]["left_out"] == decided["west"]["left_out"] == f"{NOTHING_TO_LEARN} {note}"


def test_warnings_of_a_group_are_the_same_words(run, tmp_path):
    # in the second group the model ranks backwards, and its smaller class has four cases only
    y = [0, 1] * 30 + [0] * 20 + [1] * 4
    scores = [*range(60), *range(30, 50), 1, 2, 3, 4]
    rows = zip(y, scores, ["one"] * 60 + ["two"] * 24, strict=True)
    (tmp_path / "g.csv").write_text("y,m,site\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
    flags = ("g.csv", "--group", "site", *COSTS)
    notes = run("report", *flags, "--json").json["groups"]["two"]["notes"]
    warned = [note for note in notes if "Only one model" not in note]
    assert [note.split(":")[0].split("(")[0] for note in warned] == [
        "Honest costs use 4 folds",
        "m ranks worse than chance ",
    ]
    for verb in ("compare", "decide"):
        answer = run(verb, *flags)
        text = " ".join((answer.out if verb == "compare" else answer.err).split("site = two")[1].split())
        assert [note in text for note in warned] == [True, True]


def test_a_group_that_cannot_keep_the_limits_is_left_out(run, tmp_path):
    y = [0] * 30 + [1] * 30 + [0, 1] * 30
    scores = [*range(60), *([1, 1, 2, 2] * 15)]
    rows = zip(y, scores, ["good"] * 60 + ["hopeless"] * 60, strict=True)
    (tmp_path / "g.csv").write_text("y,m,site\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
    limits = ("--max-abstention", 0.97, "--min-precision-positive", 0.9, "--min-precision-negative", 0.9)
    for verb in GROUPED:
        answer = run(verb, "g.csv", "--group", "site", *COSTS, *limits, "--json")
        assert answer.code == 0, answer.err
        assert answer.json["groups"]["good"]["comparison"]["answer"]["model"] == "m"
        left_out = answer.json["groups"]["hopeless"]["left_out"]
        assert left_out.startswith("Left out: No rule keeps the limits; m: No window keeps")
    pages = run("report", "g.csv", "--group", "site", *COSTS, *limits)
    assert pages.code == 0
    assert "site = hopeless: 60 cases. Left out: No rule keeps" in " ".join(pages.out.split())
    assert [path.name for path in tmp_path.glob("*.html")] == ["g-report-good.html"]


TROUBLE = {
    "fine": "y,a,b\n1,0.9,0.8\n0,0.2,0.1\n1,0.7,0.3\n0,0.4,0.2\n",
    "notes": "y,a,b\n1,inf,3\n0,-2,3\n1,0.5,3\n0,7,3\n0,7,3\n",
    "missing": "y,a,b\n1,,0.5\n0,0.25,nan\n0,0.5,0.5\n1,0.75,NA\n",
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


def test_check_with_duckdb_of_a_missing_label(run, tmp_path):
    (tmp_path / "t.csv").write_text(TROUBLE["fine"] + ",0.5,0.5\n")
    counted, rows = run("check", "t.csv", "--engine", "duckdb"), run("check", "t.csv")
    # rows in memory can be left out, those of an engine cannot
    assert (counted.code, rows.code) == (2, 0)
    assert counted.out.startswith("error  y has 1 missing value. Hint: drop those rows (--drop-missing)")
    assert rows.out.startswith("note   y has 1 missing value, the first in row 5. Hint: such rows are left")
    for engine, code in (("duckdb", 2), ("memory", 0)):
        assert run("compare", "t.csv", "--engine", engine).code == code


# ---------------------------------------------------------------- saved counts


def test_saved_counts_against_the_table_they_came_from(run, tmp_path):
    y, a, _ = scored(np.random.default_rng(1))
    counts = ScoreCounts.from_arrays(y, a)
    counts.save(tmp_path / "a.parquet")
    (tmp_path / "t.csv").write_text(
        "\n".join(["y,a", *(f"{int(k)},{s}" for k, s in zip(y, a, strict=True))]) + "\n"
    )
    for verb in ("compare", "decide"):
        counted, expected = (run(verb, name, *COSTS, "--json").json for name in ("a.parquet", "t.csv"))
        assert counted["data"]["engine"] == "counts"
        assert expected["data"]["engine"] == "memory"
        same_evidence(counted["comparison"], expected["comparison"])
        # an engine counts the same, so its honest numbers are those of the file of counts
        engine = run(verb, "t.csv", *COSTS, "--json", "--engine", "duckdb").json
        assert engine["comparison"] == counted["comparison"]
    honest = cross_fitted_surface(counts, rng=0)
    model = counted["comparison"]["models"]["a"]
    assert model["cost"] == pytest.approx(100 * honest.cost(0.4, 0.12), abs=1e-12)


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
        (("--engine", "spark"), "`--master` is needed with --engine spark."),
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
    answer = run("compare", file, "--classes", "x,y", "--cost-matrix", "c.csv", "--engine", "duckdb")
    assert (answer.code, answer.out) == (2, "")
    assert "`--engine` is for two classes." in answer.err


def test_groups_without_labels_are_refused(run, file):
    answer = run("decide", file, "--group", "site", *COSTS, "--no-labels")
    assert (answer.code, answer.out) == (2, "")
    assert "`--group` needs labelled cases." in answer.err


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
def test_a_master_that_is_not_there(run, file, tmp_path, monkeypatch, master, sentence):
    pytest.importorskip("pyspark")
    # the file is never opened, and Java never started
    java = tmp_path / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.touch()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    monkeypatch.setattr("demur.engines.spark._started", None)
    port = closed_port()
    answer = run("decide", file, *COSTS, *SPARK, master.format(port=port))
    assert (answer.code, answer.out) == (2, "")
    assert sentence.format(port=port) in answer.err
