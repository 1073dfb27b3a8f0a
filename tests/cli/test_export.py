"""`demur export` writes what the methods of a policy return."""

import json
import sqlite3

import numpy as np
import pytest

from command_line import python
from demur import Policy
from export_cases import policy

SCORES = [0.1, 0.3, 0.45, 0.6, 0.9]


@pytest.fixture
def saved(tmp_path):
    made = policy(pos_label="ill", neg_label="well", abstain_label="ask")
    made.save(tmp_path / "policy.json")
    return Policy.load(tmp_path / "policy.json")


def test_sql_on_standard_output(run, saved):
    answer = run(
        "export", "policy.json", "--to", "sql", "--dialect", "sqlite", "--score", "s", "--table", "t"
    )
    assert answer.code == 0
    assert answer.out == saved.to_sql("sqlite", "s", table="t") + "\n"
    connection = sqlite3.connect(":memory:")
    connection.execute("create table t (s real)")
    connection.executemany("insert into t values (?)", [(score,) for score in SCORES])
    found = [row[1] for row in connection.execute(answer.out)]
    connection.close()
    assert found == saved.apply(SCORES).tolist() == ["well", "well", "ask", "ill", "ill"]


def test_scores_are_in_the_column_of_the_model(run, saved, tmp_path):
    answer = run("export", "policy.json", "-o", "policy.sql")
    assert (answer.code, answer.out) == (0, "")
    assert (tmp_path / "policy.sql").read_text() == saved.to_sql(score=saved.model) + "\n"


def test_python_runs_where_nothing_is_installed(run, saved, tmp_path):
    assert run("export", "policy.json", "-o", "decide_case.py", "-q").err == ""
    code = f"import json, decide_case as d; print(json.dumps([d.decide(s) for s in {SCORES}]))"
    done = python("-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {code}")
    assert json.loads(done.stdout) == saved.apply(SCORES).tolist()


def test_onnx(run, saved, tmp_path):
    import onnxruntime

    assert run("export", "policy.json", "-o", "policy.onnx").code == 0
    session = onnxruntime.InferenceSession(str(tmp_path / "policy.onnx"), providers=["CPUExecutionProvider"])
    assert session.run(None, {"score": np.array(SCORES)})[0].tolist() == saved.apply(SCORES).tolist()


def test_json(run, saved):
    document = run("export", "policy.json", "--to", "python", "--json").json
    assert (document["schema"], document["to"], document["output"]) == ("demur.export", "python", None)
    assert document["content"] == saved.to_python().rstrip("\n")
    document = run("export", "policy.json", "-o", "policy.onnx", "--json").json
    assert (document["to"], document["content"]) == ("onnx", None)


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ((), "`--to` is needed: sql, onnx or python"),
        (("-o", "policy.txt"), "`--to` is needed: sql, onnx or python"),
        (("--to", "onnx"), "`-o` is needed: an ONNX model is not text. Hint: -o policy.onnx."),
        (("--to", "python", "--table", "t"), "`--table` is for SQL, got --to python. Hint: leave it out."),
        (("--to", "sql", "--dialect", "oracle"), "`dialect` must be one of"),
        (("--to", "java"), "'java' is not one of 'sql', 'onnx', 'python'"),
        (("-o", "policy.json", "--to", "sql"), "must not be a file that is read"),
    ],
)
def test_wrong_calls_are_one_sentence_and_write_nothing(run, saved, tmp_path, args, sentence):
    before = (tmp_path / "policy.json").read_bytes()
    answer = run("export", "policy.json", *args)
    assert (answer.code, answer.out) == (2, "")
    assert sentence in " ".join(answer.err.split())
    assert [path.name for path in tmp_path.iterdir()] == ["policy.json"]
    assert (tmp_path / "policy.json").read_bytes() == before
