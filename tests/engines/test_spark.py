"""Real Spark, a master and two workers: the same counts as DuckDB, whatever happens to a worker."""

import gzip
import json
import os
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from class_cases import RULES, class_policy, hard_rows
from comparison_oracles import flat_numbers
from demur import CostModel, Policy, ScoreCounts, compare_models, read_counts
from demur.cli.main import main
from demur.engines import read_joint_counts, read_score_costs
from demur.engines.cost_sums import CostTerms, read_folded_costs
from demur.engines.files import open_table
from demur.engines.spark import SparkTable, _require_answer, open_frame, spark_errors, spark_session
from demur.engines.tallies import Columns
from demur.exceptions import InputError
from expected_cost_cases import boundary_rows, learned
from export_cases import LABELS, WINDOWS, hard_scores, policy
from spark_cluster import SMALL, cluster_fixture, require_spark  # noqa: F401 - a fixture

# one cluster, so one process: tests/scheduling.py keeps this file together
pytestmark = [
    # PySpark 4.0 leaves sockets to the garbage collector
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
    pytest.mark.filterwarnings("ignore:.*<socket:pytest.PytestUnraisableExceptionWarning"),
]

ROWS = 3000


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Settings of a user who wants little memory, where Spark looks for them."""
    require_spark()
    folder = tmp_path_factory.mktemp("conf")
    lines = [f"{name} {value}" for name, value in SMALL.items()]
    (folder / "spark-defaults.conf").write_text("\n".join(lines) + "\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_CONF_DIR", str(folder))
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        yield


@pytest.fixture(scope="module")
def session(small, cluster):
    with spark_session(cluster.master) as opened:
        yield opened


def executors(session):
    """Executors in use; Spark counts the driver as one."""
    return session.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1


def write_parquet(path, **columns):
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.table(columns), path)


def predictions(rng, rows=ROWS, digits=None):
    y = rng.random(rows) < 0.4
    a = rng.normal(y, 1.0)
    b = 1 / (1 + np.exp(-rng.normal(y, 2.0)))
    if digits is not None:
        a, b = a.round(digits), b.round(digits)
    return {
        "y": np.where(y, "sick", "well"),
        "a": a,
        "b.2": b,
        "w": rng.integers(0, 9, rows) / 4,
        "site": rng.integers(0, 3, rows),
    }


@pytest.fixture
def folder(tmp_path):
    """Four files of unequal size, one of them without a row."""
    data = predictions(np.random.default_rng(1), digits=2)
    data["a"][:3] = -np.inf, np.inf, -0.0
    for k, part in enumerate((slice(0, 1), slice(1, 2000), slice(0, 0), slice(2000, None))):
        write_parquet(tmp_path / f"{k}.parquet", **{name: column[part] for name, column in data.items()})
    return tmp_path


def assert_same(found, expected):
    assert list(found) == list(expected)
    for name, counts in found.items():
        if isinstance(counts, dict):
            assert_same(counts, expected[name])
        else:
            assert counts == expected[name]
            assert (counts.exact, counts.certified) == (expected[name].exact, expected[name].certified)


# ---------------------------------------------------------------- the same counts


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"weights": "w", "groups": "site"},
        {"weights": "w", "bins": 64, "tolerance": 1e-3},
    ],
    ids=str,
)
def test_counts_of_two_workers_are_those_of_duckdb(session, folder, options):
    columns = {"y_true": "y", "positive": "sick", "scores": ["a", "b.2"], **options}
    expected = read_counts(folder, engine="duckdb", **columns)
    assert_same(read_counts(open_frame(session, str(folder)), **columns), expected)
    assert executors(session) == 2


def test_sums_of_costs_are_those_of_duckdb(session, folder):
    columns = {"y_true": "y", "scores": "b.2", "pos_label": "sick"}
    prices = {"cost_fn": "w", "cost_fp": 2.0, "cost_abstain": 0.5}
    frame = open_frame(session, str(folder))
    expected = read_score_costs(folder, engine="duckdb", **columns, **prices)["b.2"]
    found = read_score_costs(frame, **columns, **prices)["b.2"]
    assert np.array_equal(found.scores, expected.scores)
    for name in ("cases", "miss", "alarm", "review"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name))
    assert (found.window().lower, found.window().upper) == (expected.window().lower, expected.window().upper)
    # folds are other ones, all of them together are the same cases
    terms = CostTerms({"cost_fn": ("w", 1.0), "cost_fp": 2.0, "cost_abstain": 0.5}, None)
    roles = Columns(y_true="y", scores=("b.2",), groups="site", amounts=("w",))
    sums = [
        read_folded_costs(source, columns=roles, terms=terms, positive="sick", engine=engine)
        for source, engine in ((frame, None), (str(folder), "duckdb"))
    ]
    for site in range(3):
        one, two = (parts[site]["b.2"] for parts in sums)
        assert one.sums.sum(axis=0) == pytest.approx(two.sums.sum(axis=0))
        assert one.products.sum(axis=0) == pytest.approx(two.products.sum(axis=0))
        assert np.bincount(one.fold, one.cases, 10).min() > 50


def test_clusters_and_times_against_memory(session, tmp_path):
    rng = np.random.default_rng(3)
    data = predictions(rng, 600, digits=1)
    patient = rng.integers(0, 60, 600)
    data |= {"patient": patient.astype(str), "day": np.datetime64("2024-01-01") + rng.integers(0, 90, 600)}
    write_parquet(tmp_path / "visits.parquet", **data)
    costs = CostModel(cost_fn=10, cost_fp=10, cost_abstain=2.5)
    scores = {name: data[name] for name in ("a", "b.2")}
    named = {"y_true": "y", "pos_label": "sick", "scores": list(scores), "engine": "spark"}
    for placed in ({"groups": "patient"}, {"groups": "patient", "time": "day"}):
        joint = read_joint_counts(str(tmp_path / "visits.parquet"), costs=costs, **named, **placed)
        given = {role: data[name] for role, name in placed.items()}
        expected = compare_models(data["y"] == "sick", scores, costs=costs, **given)
        found = compare_models(joint, costs=costs)
        assert found.notes == expected.notes
        assert flat_numbers(found.to_dict()) == pytest.approx(
            flat_numbers(expected.to_dict()), rel=1e-11, abs=1e-11
        )


def test_partitions_of_one_row_and_of_none_against_memory(session, tmp_path):
    from pyspark.sql.functions import spark_partition_id

    y, s = [0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0], [1, 2, 2, 3, 3, 3, 0, 9, -1, 0.5, 2, 2]
    write_parquet(tmp_path / "p.parquet", y=y, s=np.array(s, dtype=np.float32))
    frame = open_frame(session, str(tmp_path / "p.parquet")).repartition(16)
    assert read_counts(frame, y_true="y", scores="s")["s"] == ScoreCounts.from_arrays(y, s)
    assert frame.select(spark_partition_id()).distinct().count() == 12


# ---------------------------------------------------------------- files as DuckDB reads them

CSV = {
    "marks.csv": b'\xef\xbb\xbfy;s;note\nyes; 0.5;"a;""b"""\nno;NA;\nyes;inf;N/A\n\nno;-Infinity;x\n',
    # a row number without a name, a name with a dot, two lines in a field, what Java takes for numbers
    "no[t] a*glob?.csv": b',y,s.1,note,java\n1,true,-.5,"two\nlines",1d\n2,false,1e-3,b,+3\n',
}


@pytest.mark.parametrize("name", CSV)
def test_csv_files_have_the_columns_duckdb_finds(session, tmp_path, name):
    (tmp_path / name).write_bytes(CSV[name])
    found = SparkTable(session, str(tmp_path / name))
    with open_table(tmp_path / name) as expected:
        assert (found.kinds, found.n_rows) == (expected.kinds, expected.n_rows)
        columns = expected.read(expected.kinds)
    for column in found.read(found.kinds).values():
        other = columns[column.name]
        assert column.missing.tolist() == other.missing.tolist()
        assert column.values[~column.missing].tolist() == other.values[~other.missing].tolist()


@pytest.mark.parametrize("name", CSV)
def test_values_repeat_as_with_duckdb(session, tmp_path, name):
    (tmp_path / name).write_bytes(CSV[name])
    found = SparkTable(session, str(tmp_path / name))
    with open_table(tmp_path / name) as expected:
        for column in expected.kinds:
            assert found.repeats(column) == expected.repeats(column), column


def test_values_that_repeat_by_hand(session, tmp_path):
    (tmp_path / "a.csv").write_text("id,other,text\n1,1,a\n2,2,A\n,2,\n,3,\n")
    table = SparkTable(session, str(tmp_path / "a.csv"))
    assert {name: table.repeats(name) for name in table.kinds} == {"id": False, "other": True, "text": False}


def test_files_are_matched_by_the_names_of_their_columns(session, tmp_path):
    (tmp_path / "1.csv.gz").write_bytes(gzip.compress(b"y,s\n1,0.5\n0,0.25\n"))
    (tmp_path / "2.csv.gz").write_bytes(gzip.compress(b"s;extra;y\n0.75;x;1\n"))
    found = read_counts(open_frame(session, str(tmp_path / "*.csv.gz")), y_true="y", scores="s")
    assert found["s"] == ScoreCounts.from_arrays([1, 0, 1], [0.5, 0.25, 0.75])


def test_partitioned_folders_are_columns_as_with_duckdb(session, tmp_path):
    for day in (1, 2):
        place = tmp_path / f"day={day}"
        place.mkdir()
        write_parquet(place / "p.parquet", y=[0, 1, 1], s=[0.1 * day, 0.5, 0.9])
        (place / "_SUCCESS").write_text("")
    columns = {"y_true": "y", "scores": "s", "groups": "day"}
    expected = read_counts(tmp_path, engine="duckdb", **columns)
    assert list(expected) == [1, 2]
    assert_same(read_counts(open_frame(session, str(tmp_path)), **columns), expected)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("ragged.csv", b"y,s\n1,0.5\n0\n", "must be a readable table, got this from Spark: Malformed CSV"),
        ("cut.parquet", b"PAR1" + b"x" * 40, "is not a Parquet file"),
        ("_hidden.csv", b"y,s\n1,0.5\n", "must not start with _ or .*rename it"),
        ("zipped.csv", gzip.compress(b"y,s\n1,0.5\n"), "must end in .gz exactly if it is gzipped"),
        ("header.csv", b"y,s\n", "must hold at least one row below the header"),
    ],
    ids=["ragged", "cut", "hidden", "zipped", "header"],
)
def test_files_spark_cannot_read(session, tmp_path, name, content, sentence):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=sentence):
        SparkTable(session, str(tmp_path / name))


def test_standard_input_is_not_for_spark(session):
    with pytest.raises(InputError, match="not standard input"):
        open_frame(session, "-")


def test_a_process_has_one_session(session):
    with (
        pytest.raises(InputError, match="Hint: a process has one at a time"),
        spark_session("local[2]"),
    ):
        pass


# ---------------------------------------------------------------- the command line


COSTS = ("--cost-fn", "100", "--cost-fp", "40", "--cost-abstain", "12")


def answer(capsys, *args):
    with pytest.raises(SystemExit) as stop:
        main([str(arg) for arg in args])
    streams = capsys.readouterr()
    assert (stop.value.code, streams.err) == (0, "")
    return json.loads(streams.out)


def test_the_command_line_on_a_cluster_against_duckdb(session, capfd, folder):
    """Both read counts, so every number agrees; tests/cli/test_engines.py compares counts with rows."""
    file = (folder / "*.parquet", "--label", "y", "--positive", "sick", "--model", "a", "--model", "b.2")
    flags = ("compare", *file, "--group", "site", *COSTS, "--json", "--quiet")
    spark = ("--engine", "spark", "--master", session.sparkContext.master)
    found, expected = answer(capfd, *flags, *spark), answer(capfd, *flags, "--engine", "duckdb")
    assert (found["data"].pop("engine"), expected["data"].pop("engine")) == ("spark", "duckdb")
    assert found == expected
    assert (list(found["groups"]), found["exact"]) == (["0", "1", "2"], True)
    assert {part["comparison"]["split"] for part in found["groups"].values()} == {"counts"}
    clusters = ("compare", *file, "--cluster", "site", *COSTS, "--json", "--quiet")
    found, expected = answer(capfd, *clusters, *spark), answer(capfd, *clusters, "--engine", "duckdb")
    assert (found["comparison"]["units"], found["comparison"]) == (3, expected["comparison"])
    check = ("check", *file, "--json", "--quiet")
    found, expected = answer(capfd, *check, *spark), answer(capfd, *check)
    assert found.pop("next") == f"{expected.pop('next')} {' '.join(spark)}"
    assert found == expected


def test_a_session_of_its_own_says_nothing_beside_the_answer(small, folder):
    flags = ["compare", str(folder / "3.parquet"), "--label", "y", "--positive", "sick", "--model", "a"]
    command = [sys.executable, "-m", "demur", *flags, "--engine", "spark", "--master", "local[1]", "--json"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    finished = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    assert finished.returncode == 0, finished.stderr
    assert json.loads(finished.stdout)["data"]["rows"] == 1000
    assert finished.stderr.startswith("Read 1000 rows of")
    assert len(finished.stderr.splitlines()) <= 4


# ---------------------------------------------------------------- policies


def decided_by(session, policies, path):
    """Return the decisions of each policy, all in one query."""
    columns = [f"{made.to_sql('spark')} as d{k}" for k, made in enumerate(policies)]
    session.read.parquet(str(path)).createOrReplaceTempView("scores")
    rows = session.sql(f"select at, {', '.join(columns)} from scores order by at").collect()
    return [[row[1 + k] for row in rows] for k in range(len(policies))]


def test_policies_as_sql_against_decide(session, tmp_path):
    scores = hard_scores()
    write_parquet(tmp_path / "hard.parquet", at=np.arange(len(scores)), score=scores)
    policies = [policy(window, **LABELS[k % len(LABELS)]) for k, window in enumerate(WINDOWS)]
    found = decided_by(session, policies, tmp_path / "hard.parquet")
    assert found == [made.apply(scores).tolist() for made in policies]


def test_policies_of_many_classes_as_sql_against_apply(session, tmp_path):
    rows = np.concatenate([hard_rows(100), [[np.nan, 0.5, 0.5], [-0.1, 0.5, 0.6]]])
    columns = dict(zip("abc", rows.T, strict=True))
    write_parquet(tmp_path / "three.parquet", at=np.arange(len(rows)), **columns)
    policies = [class_policy(rule) for rule in RULES]
    found = decided_by(session, policies, tmp_path / "three.parquet")
    assert found == [[*made.apply(rows[:-2]).tolist(), None, None] for made in policies]


def test_expected_costs_as_sql_against_apply(session, tmp_path):
    made = Policy(rule=learned())
    rows = np.array([*boundary_rows(made.rule, 100), [np.nan, 5.0], [0.5, -1.0]])
    columns = dict(zip(made.columns, rows.T, strict=True))
    write_parquet(tmp_path / "paid.parquet", at=np.arange(len(rows)), **columns)
    session.read.parquet(str(tmp_path / "paid.parquet")).createOrReplaceTempView("paid")
    query = made.to_sql("spark", made.columns, table="paid")
    found = [row.decision for row in session.sql(f"select at, decision from ({query}) order by at").collect()]
    assert found == [*made.apply(rows[:-2]).tolist(), None, None]


def test_a_policy_as_sql_on_a_million_scores_and_on_missing_ones(session, tmp_path):
    made = policy(WINDOWS[0])
    scores = np.concatenate([hard_scores([WINDOWS[0]], rows=1_000_000), [np.nan]])
    write_parquet(tmp_path / "many.parquet", score=scores, expected=np.append(made.decide(scores[:-1]), 9))
    session.read.parquet(str(tmp_path / "many.parquet")).createOrReplaceTempView("many")
    query = made.to_sql("spark", table="many")
    wrong = session.sql(f"select count(*) as n from ({query}) where coalesce(decision, 9) != expected")
    assert wrong.first().n == 0
    single = np.array([0.3, 0.6, 0.60000002, 0.29999998, 0.1, 0.9], dtype=np.float32)
    write_parquet(tmp_path / "single.parquet", at=np.arange(6), score=single)
    rounded = policy((float(np.float32(0.3)), 0.6))
    assert decided_by(session, [rounded], tmp_path / "single.parquet") == [rounded.decide(single).tolist()]


# ---------------------------------------------------------------- a worker that dies
# behind all other tests of the cluster: it is left with one worker


@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
def test_a_worker_that_dies_in_mid_job_does_not_change_the_counts(
    session,
    cluster,
    folder,
    tmp_path_factory,
):
    diary = tmp_path_factory.mktemp("diary")
    read_counts(open_frame(session, str(folder)), y_true="y", scores="a", positive="sick")
    assert executors(session) == 2

    def slow(batches):
        from pyspark import TaskContext

        task = TaskContext.get()
        name = f"{task.stageId()}-{task.partitionId()}-{task.taskAttemptId()}"
        (diary / f"start-{name}").write_text(os.getcwd())
        time.sleep(0.7)
        yield from batches
        (diary / f"end-{name}").write_text(os.getcwd())

    def told(kind, *workers):
        """Stages and partitions of which workers wrote."""
        places = tuple(str(cluster.work_folder(worker)) for worker in workers)
        notes = [note for note in diary.glob(f"{kind}-*") if note.read_text().startswith(places)]
        return {tuple(map(int, note.name.split("-")[1:3])) for note in notes}

    def counting():
        """The stage that counts: those before looked at the first rows, which are all here."""
        ended = told("end", "first", "second")
        late = [stage for stage, _ in ended if len({part for s, part in ended if s < stage}) == 8]
        return max(late, default=-1)

    def parts(kind, worker, stage):
        return {part for s, part in told(kind, worker) if s == stage}

    # only a: functions in Python cannot have columns with a dot
    frame = open_frame(session, str(folder)).select("y", "a", "w").repartition(8)
    columns = {"y_true": "y", "positive": "sick", "scores": "a", "weights": "w"}
    with ThreadPoolExecutor(1) as pool:
        job = pool.submit(read_counts, frame.mapInArrow(slow, frame.schema), **columns)
        # its finished work must be lost too: what it shuffled lies on its own disk
        while not (
            (stage := counting()) >= 0
            and parts("end", "first", stage)
            and parts("start", "first", stage) - parts("end", "first", stage)
        ):
            assert not job.done(), "the job ended before a worker could be killed"
            time.sleep(0.05)
        cluster.kill_worker("first")
        assert not job.done(), "the job ended before the worker was killed"
        lost = parts("start", "first", stage)
        found = job.result(timeout=300)
    assert_same(found, read_counts(folder, engine="duckdb", **columns))
    assert executors(session) == 1
    assert parts("end", "second", stage) >= lost, "the other worker did its work again"


# ---------------------------------------------------------------- what goes wrong without a cluster


@pytest.mark.parametrize("words", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"SSH-2.0-OpenSSH_9.6\r\n"])
def test_a_port_where_something_else_answers(words):
    with socket.create_server(("127.0.0.1", 0)) as server:
        answering = threading.Thread(target=lambda: server.accept()[0].sendall(words), daemon=True)
        answering.start()
        master = f"spark://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(InputError, match="something else answers there"):
            _require_answer(master, seconds=10)
        answering.join(10)


@pytest.mark.parametrize("error", [ConnectionRefusedError(111, "Connection refused"), EOFError()])
def test_a_driver_that_is_gone_is_one_sentence(error):
    require_spark()
    with pytest.raises(InputError, match="got this from Spark: its driver has stopped"), spark_errors("f"):
        raise error


KILLED = """
import os, signal, sys
from demur import read_counts
from demur.engines.spark import spark_errors, spark_session
try:
    with spark_session("local[1]") as session:
        driver = session.sparkContext._gateway.proc
        os.kill(driver.pid, signal.SIGKILL)
        driver.wait()
        with spark_errors(sys.argv[1]):
            read_counts(session.read.parquet(sys.argv[1]), y_true="y", scores="a")
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.mark.long
def test_a_driver_that_is_killed_is_one_sentence(small, folder):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", KILLED, str(folder / "3.parquet")]
    finished = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    assert finished.stdout.startswith("InputError")
    assert len(finished.stdout.splitlines()) == 1
    assert "Traceback" not in finished.stderr
