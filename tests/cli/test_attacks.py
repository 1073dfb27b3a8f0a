"""The command line under attack: one sentence and code 2, or 130 and 143 for signals; nothing is lost."""

import json
import os
import signal
import stat
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from command_line import COSTS, GOOD, Y, table_file
from demur.cli.main import main
from demur.cli.stopping import stoppable
from demur.costs.model import CostModel
from demur.counts.scores import ScoreCounts
from demur.exceptions import InputError
from demur.policy.policy import Policy
from demur.surface.surface import abstention_surface

ENV = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
DEMUR = [sys.executable, "-m", "demur"]


def policy_file(folder):
    counts = ScoreCounts.from_arrays(Y, GOOD)
    costs = CostModel(cost_fn=100, cost_fp=100, cost_abstain=25)
    path = folder / "policy.json"
    Policy.from_surface(abstention_surface(counts), costs=costs, model="good").save(path)
    return path


def counts_file(folder):
    path = folder / "counts.parquet"
    ScoreCounts.from_arrays(Y, GOOD).save(path)
    return path


def started(*args, folder, **streams):
    command = [*DEMUR, *map(str, args)]
    return subprocess.Popen(command, cwd=folder, env=ENV, stderr=subprocess.PIPE, text=True, **streams)


def refused(process, code=2):
    """Return the one line of a command that failed."""
    error = process.communicate(timeout=120)[1]
    assert process.returncode == code, error
    last = error.splitlines()[-1]
    assert last.startswith("demur: ")
    assert "Traceback" not in error
    assert "Exception ignored" not in error
    return last


# ---------------------------------------------------------------- columns with odd values and names


@pytest.mark.parametrize("form", ["{:.0%}", "{:,.3f} %", "1,{:03.0f}", "1.{:03.0f},5"])
def test_numbers_as_people_write_them_are_not_left_out_without_a_word(run, tmp_path, form):
    odd = [form.format(abs(score)) for score in GOOD]
    path = table_file(tmp_path, y_true=Y, good=GOOD, odd=odd)
    answer = run("compare", path, *COSTS, "-q")
    assert answer.code == 2
    assert "Column 'odd' looks like scores" in answer.err


def test_spaces_around_a_class_are_shown(run, tmp_path):
    path = table_file(tmp_path, y_true=[" yes" if y else "no" for y in Y], good=GOOD)
    answer = run("compare", path, *COSTS, "--positive", "yes")
    assert "has no class 'yes': its classes are ' yes' and no" in answer.err
    assert run("compare", path, *COSTS, "--positive", " yes").code == 0


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_a_column_called_star(run, tmp_path, engine):
    path = table_file(tmp_path, **{"y_true": Y, "*": GOOD, "other": [-score for score in GOOD]})
    answer = run("compare", path, *COSTS, "--engine", engine, "--json")
    plain = table_file(tmp_path, y_true=Y, star=GOOD, other=[-score for score in GOOD])
    expected = run("compare", plain, *COSTS, "--engine", engine, "--json")
    assert (answer.code, expected.code) == (0, 0)
    assert answer.out.replace('"*"', '"star"') == expected.out


ODD = "\x1b]0;x\x07\x9b31m\x7f\u202e"
SHOWN = "\\x1b]0;x\\x07\\x9b31m\\x7f\\u202e"


def _commands(odd, other):
    """Commands that print names of a file whose columns, classes and groups are odd."""
    two = ("-q", *COSTS, "--label", "y", "--positive", f"1{ODD}")
    policy = ("decide", "p.csv", *two, "--model", odd, "-o", "policy.json")
    return {
        "check": ("check", "p.csv", "--label", "y", "--model", odd),
        "compare": ("compare", "p.csv", *two, "--model", odd, "--model", other),
        "compare groups": ("compare", "p.csv", *two, "--model", odd, "--group", f"g{ODD}"),
        "decide": policy,
        "decide groups": (*policy[:-1], "groups.json", "--group", f"g{ODD}"),
        "apply": ("apply", "policy.json", "p.csv", "--only", "-o", "d.csv"),
        "audit": ("audit", "policy.json", "p.csv", "--label", "y", "--group", f"g{ODD}"),
        "watch": ("watch", "policy.json", "p.csv", "--state", "s.json"),
        "report": ("report", "p.csv", *two, "--model", odd, "-o", "r.html"),
        "combine": ("compare", "p.csv", *two, "--model", odd, "--model", other, "--combine"),
        "guard": ("compare", "p.csv", *two, "--model", odd, "--combine", "--doubt", other),
        "ordinal": ("ordinal", "p.csv", "--label", "c", "--order", "a,b,c", "--model", odd),
        "rec": ("rec", "p.csv", "--target", "t", "--model", odd),
        "no column": ("compare", "p.csv", "--label", f"nobody{ODD}"),
    }


def test_control_characters_of_names_are_shown_by_hand(run, tmp_path):
    odd, other, n = f"m{ODD}", f"other{ODD}", 20 * len(Y)
    table_file(
        tmp_path,
        **{
            "y": [f"{y}{ODD}" for y in Y * 20],
            odd: GOOD * 20,
            other: [abs(score) for score in GOOD] * 20,
            f"g{ODD}": [f"{k % 2}{ODD}" for k in range(n)],
            "c": ["abc"[k % 3] for k in range(n)],
            "t": range(n),
        },
    )
    for name, command in _commands(odd, other).items():
        answer = run(*command)
        text = answer.out + answer.err
        assert not set(ODD) & set(text) - set("]0;x31m"), name
        assert (SHOWN in text) == (name != "watch"), (name, text)


def test_no_memory_is_one_sentence(run, worked, monkeypatch):
    def exhausted(*args, **kwargs):
        raise MemoryError

    monkeypatch.setattr("demur.cli.question.compared", exhausted)
    answer = run("compare", worked, *COSTS, "-q")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("demur: There is not enough memory. Hint: --engine duckdb")


@pytest.mark.parametrize("verb", ["ordinal", "rec"])
def test_a_figure_without_matplotlib_is_one_sentence(run, tmp_path, monkeypatch, verb):
    for name in ("matplotlib", "matplotlib.pyplot"):
        monkeypatch.setitem(sys.modules, name, None)
    rng = np.random.default_rng(0)
    a, b = (np.round(rng.random(60), 3).tolist() for _ in range(2))
    table_file(tmp_path, y_true=[0, 1, 1] * 20, a=a, b=b)
    answer = run(verb, "p.csv", "-q", "-o", "x.png")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == (
        "demur: Figures need matplotlib, which is not installed. Hint: pip install 'demur[plot]'.\n"
    )
    assert not (tmp_path / "x.png").exists()


# ---------------------------------------------------------------- devices and pipes


@pytest.mark.parametrize("name", ["pipe", "link"])
def test_merge_writes_to_a_pipe_which_stays_one(run, tmp_path, name):
    counts = counts_file(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    content = []
    reader = threading.Thread(target=lambda: content.append((tmp_path / "pipe").read_bytes()), daemon=True)
    reader.start()
    assert run("merge", counts, "-o", name).code == 0
    reader.join(10)
    assert content[0][:4] == b"PAR1"
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert (tmp_path / "link").is_symlink()


def test_figure_goes_to_a_pipe_which_stays_one(run, tmp_path):
    pytest.importorskip("matplotlib")
    table_file(tmp_path, "r.csv", y_true=[1.0, 2, 3, 4, 5, 6], model=[1.1, 2.2, 2.9, 4.4, 5, 5])
    pipe = tmp_path / "pipe.png"
    os.mkfifo(pipe)
    content = []
    reader = threading.Thread(target=lambda: content.append(pipe.read_bytes()), daemon=True)
    reader.start()
    assert run("rec", "r.csv", "-o", pipe).code == 0
    reader.join(10)
    assert content[0][:4] == b"\x89PNG"
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_pipe_is_an_input(worked, tmp_path):
    # what a shell makes of <(cat p.csv)
    reader, writer = os.pipe()
    process = subprocess.Popen(
        [*DEMUR, "check", f"/dev/fd/{reader}"],
        pass_fds=[reader],
        env=ENV,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(reader)
    os.write(writer, worked.read_bytes())
    os.close(writer)
    error = process.communicate(timeout=120)[1]
    assert process.returncode == 0
    assert "Read 12 rows" in error


def test_piped_standard_input_by_name(worked, tmp_path):
    command = [*DEMUR, "check", "/dev/stdin"]
    done = subprocess.run(command, input=worked.read_bytes(), env=ENV, capture_output=True, timeout=120)
    assert done.returncode == 0
    assert b"Read 12 rows of /dev/stdin" in done.stderr


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_parquet_on_standard_input(worked, tmp_path, engine):
    import duckdb

    duckdb.connect().execute(f"copy (from '{worked}') to '{tmp_path}/p.parquet' (format parquet)")
    command = [*DEMUR, "compare", "-", "--engine", engine]
    content = (tmp_path / "p.parquet").read_bytes()
    done = subprocess.run(command, input=content, env=ENV, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert b"Read 12 rows of standard input" in done.stderr


# ---------------------------------------------------------------- streams that fail


@pytest.mark.parametrize(
    "args", [("check", "p.csv"), ("check", "p.csv", "--json"), ("apply", "policy.json", "p.csv"), ("--help",)]
)
def test_full_standard_output(worked, tmp_path, args):
    policy_file(tmp_path)
    with open("/dev/full", "w") as full:
        line = refused(started(*args, folder=tmp_path, stdout=full))
    assert "No space left on device" in line


@pytest.mark.parametrize("args", [("check", "p.csv"), ("apply", "policy.json", "p.csv"), ("--help",)])
def test_closed_standard_output(worked, tmp_path, args):
    policy_file(tmp_path)
    process = started(*args, folder=tmp_path, preexec_fn=lambda: os.close(1))
    assert refused(process).startswith("demur: Standard output is closed.")


def test_closed_standard_error_and_input(worked, tmp_path):
    def close():
        os.close(0)
        os.close(2)

    command = [*DEMUR, "apply", str(policy_file(tmp_path)), str(worked)]
    done = subprocess.run(command, env=ENV, stdout=subprocess.PIPE, preexec_fn=close, timeout=120)
    assert done.returncode == 0
    assert done.stdout.count(b"\n") == 13


def test_closed_standard_input_is_one_sentence(tmp_path):
    process = started("check", "-", folder=tmp_path, preexec_fn=lambda: os.close(0))
    assert "must be open, got a closed stream" in refused(process)


# ---------------------------------------------------------------- names, numbers, permissions


@pytest.mark.parametrize("verb", ["check", "compare", "report", "decide", "rec"])
def test_a_name_no_file_can_have(run, verb):
    answer = run(verb, "a" * 300 + ".csv", *(COSTS if verb == "decide" else ()))
    assert (answer.code, answer.out) == (2, "")
    assert "File name too long" in answer.err
    assert len(answer.err) < 200


@pytest.mark.parametrize("verb", ["check", "compare", "report"])
def test_a_file_without_permission(run, worked, monkeypatch, verb):
    real = open

    def denied(file, *args, **kwargs):
        if str(file).endswith("p.csv"):
            raise PermissionError(13, "Permission denied", str(file))
        return real(file, *args, **kwargs)

    monkeypatch.setattr("builtins.open", denied)
    answer = run(verb, worked)
    assert (answer.code, answer.out) == (2, "")
    assert "must be readable, got Permission denied" in answer.err


def test_nul_in_a_group(run, tmp_path):
    path = tmp_path / "g.csv"
    path.write_text("y_true,model,site\n" + "0,0.1,a\0b\n1,0.9,a\0b\n" * 20)
    answer = run("report", path, "--group", "site", "-o", "r-{group}.html")
    assert (answer.code, answer.out) == (2, "")
    assert "cannot be part of a file name" in answer.err
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["g.csv"]


@pytest.mark.parametrize("verb", ["compare", "decide", "report"])
@pytest.mark.parametrize("costs", [("1e308", "1e308", "1e308"), ("1e-308", "1", "0.1"), ("1", "1e141", "1")])
def test_costs_that_cannot_be_added_up(run, worked, verb, costs):
    flags = zip(("--cost-fn", "--cost-fp", "--cost-abstain"), costs, strict=True)
    answer = run(verb, worked, *(word for pair in flags for word in pair))
    assert (answer.code, answer.out) == (2, "")
    assert "1e+140" in answer.err


def test_large_costs_below_the_limit_have_an_answer(run, worked):
    answer = run("compare", worked, "--cost-fn", "1e139", "--cost-fp", "1e140", "--cost-abstain", "1e139")
    assert answer.code == 0


# ---------------------------------------------------------------- inputs stay


@pytest.mark.parametrize(
    "args",
    [
        ("report", "p.csv", "-o", "p.csv"),
        ("report", "p.csv", "-o", "link.csv"),
        ("report", "p*.csv", "-o", "p.csv"),
        ("compare", ".", "-o", "p.csv"),
        ("check", "p.csv", "-o", "./p.csv"),
        ("decide", "p.csv", *COSTS, "-o", "p.csv"),
        ("report", "p", "--group", "site", "-o", "{group}"),
        ("apply", "policy.json", "p.csv", "-o", "policy.json"),
        ("apply", "policy.json", "p.csv", "--only", "-o", "p.csv"),
        ("merge", "counts.parquet", "-o", "counts.parquet"),
        ("rec", "p.csv", "-o", "p.csv"),
    ],
)
def test_no_output_over_an_input(run, tmp_path, args):
    table_file(tmp_path, y_true=Y, good=GOOD, site=["p"] * len(Y))
    for name in ("link.csv", "p"):
        (tmp_path / name).symlink_to("p.csv")
    policy_file(tmp_path)
    counts_file(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    answer = run(*args)
    assert (answer.code, answer.out) == (2, "")
    assert "must not be a file that is read" in answer.err
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_no_output_over_standard_input(worked, tmp_path):
    with open(worked) as stream:
        line = refused(started("report", "-", "-o", "p.csv", folder=tmp_path, stdin=stream))
    assert "must not be a file that is read" in line
    assert worked.read_text().startswith("row,y_true")


def test_an_answer_may_replace_an_earlier_one(run, worked, tmp_path):
    for _ in range(2):
        assert run("check", worked, "-o", "answer.txt").code == 0
    # a word that is no file, and a folder of the same name
    (tmp_path / "none").mkdir()
    assert run("reproduce", "none", "-o", "none").err.count("must not be a file that is read") == 0


# ---------------------------------------------------------------- signals


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.csv"
    with open(path, "w") as handle:
        handle.write("y_true,a,b\n")
        handle.writelines("0,0.25,0.5\n1,0.75,0.5\n" for _ in range(400_000))
    return path


@pytest.mark.parametrize(
    ("number", "code", "word"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")],
)
@pytest.mark.parametrize("fraction", [0.3, 0.5, 0.7, 0.9])
def test_a_signal_at_any_time_is_one_line(rows, tmp_path, number, code, word, fraction):
    began = time.monotonic()
    subprocess.run([*DEMUR, "--version"], env=ENV, check=True, capture_output=True)
    starting = time.monotonic() - began
    process = started("compare", rows, "-q", folder=tmp_path, stdout=subprocess.PIPE)
    time.sleep(starting * (1.5 + 4 * fraction))
    process.send_signal(number)
    error = process.communicate(timeout=120)[1]
    # nothing else but what Python says of an exception in a callback of its own
    assert (process.returncode, error.splitlines()[-1]) == (code, f"demur: {word}.")
    assert error.count("Traceback") == error.count("Exception ignored")


LOADING = """
import os, sys

class Interrupting:
    def find_spec(self, name, *rest):
        if name == "click":
            os.kill(os.getpid(), {number})

sys.meta_path.insert(0, Interrupting())
from demur.__main__ import main
main()
"""


@pytest.mark.parametrize(("number", "word"), [(signal.SIGINT, "interrupted"), (signal.SIGTERM, "terminated")])
def test_a_signal_while_modules_load_is_one_line(number, word):
    code = LOADING.format(number=int(number))
    ran = subprocess.run([sys.executable, "-c", code], env=ENV, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (128 + number, f"demur: {word}.\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_no_copy_of_standard_input(tmp_path, number):
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    process = subprocess.Popen(
        [*DEMUR, "check", "-"],
        env={**ENV, "TMPDIR": str(temporary)},
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    process.stdin.write(b"y_true,model\n" + b"1,0.5\n" * 50_000)
    process.stdin.flush()
    wait_for(lambda: any(temporary.rglob("stdin.csv")))
    # a signal that comes just before Python blocks in a read is seen at the next one
    wait_for(lambda: _ended(process, number))
    process.stdin.close()
    process.stderr.close()
    assert process.returncode == 128 + number
    assert list(temporary.iterdir()) == []


def test_termination_leaves_no_draft(tmp_path):
    os.mkfifo(tmp_path / "in")
    policy = policy_file(tmp_path)
    table_file(tmp_path, "new.csv", good=[0.5] * 200_000)
    out = tmp_path / "out"
    out.mkdir()
    process = started("apply", policy, "new.csv", "-o", out / "d.csv", folder=tmp_path)
    wait_for(lambda: any(out.iterdir()))
    process.terminate()
    process.communicate(timeout=60)
    assert process.returncode in (143, 0)
    assert [entry.name for entry in out.iterdir()] in ([], ["d.csv"])
    assert process.returncode == 0 or list(out.iterdir()) == []


def _ended(process, number):
    process.send_signal(number)
    try:
        process.wait(1)
    except subprocess.TimeoutExpired:
        return False
    return True


def wait_for(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("Query interrupted"),
        ImportError("extension"),
        InputError("`x` must be a readable table."),
        None,
    ],
)
def test_what_libraries_make_of_a_signal(run, worked, monkeypatch, number, error):
    """DuckDB raises an error in its place, others wrap or swallow it."""

    def interrupted(*args, **kwargs):
        try:
            os.kill(os.getpid(), number)
            time.sleep(5)
        except SystemExit:
            if error is not None:
                raise error from None

    monkeypatch.setattr("demur.cli.output.write", interrupted)
    answer = run("check", worked, "-q")
    word = "interrupted" if number == signal.SIGINT else "terminated"
    assert (answer.code, answer.err) == (128 + number, f"demur: {word}.\n")


def test_a_library_with_a_handler_of_its_own_is_one_line(run, worked, monkeypatch):
    """Spark sets one that cancels its jobs and raises KeyboardInterrupt."""

    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("demur.cli.output.write", interrupted)
    answer = run("check", worked, "-q")
    assert (answer.code, answer.err) == (130, "demur: interrupted.\n")


def test_handlers_are_put_back(run):
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    run("--version")
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


def test_ignored_signals_stay_ignored():
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with stoppable():
            os.kill(os.getpid(), signal.SIGTERM)
            assert signal.getsignal(signal.SIGTERM) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)


def test_the_command_runs_in_other_threads_too(tmp_path):
    codes = []

    def call():
        try:
            main(["--version"])
        except SystemExit as stop:
            codes.append(stop.code)

    thread = threading.Thread(target=call)
    thread.start()
    thread.join(10)
    assert codes == [0]


def test_too_few_cases_are_said_in_words_of_the_file(run, tmp_path):
    (tmp_path / "few.csv").write_text("y,a\n1,0.9\n0,0.2\n0,0.3\n")
    answer = run("compare", "few.csv", "--cost-fn", 10, "--cost-fp", 1, "--cost-abstain", 1, "-q")
    assert answer.code == 2
    assert answer.err.startswith("demur: The label column must hold at least two cases of each class")


# ---------------------------------------------------------------- privacy


def test_a_page_for_others_holds_no_score_of_a_case(run, tmp_path):
    rng = np.random.default_rng(1)
    y = (rng.random(200) < 0.4).astype(int)
    a, b = rng.normal(1.5 * y, 1.0), np.exp(rng.normal(1.0 * y, 1.0))
    path = table_file(tmp_path, y_true=y.tolist(), a=a.tolist(), b=b.tolist())
    plain = run("report", path, *COSTS, "--json", "-q").out
    private = run("report", path, *COSTS, "--json", "-q", "--private", "12")
    assert sum(repr(score) in plain for score in a.tolist()) > 50
    assert not [score for score in [*a.tolist(), *b.tolist()] if repr(score)[:9] in private.out]
    for model in json.loads(private.out)["models"]:
        for name in ("positives", "negatives"):
            assert all(cell == 0 or cell >= 12 for cell in model["blocks"][name])
    document = json.loads(private.out)
    assert (document["source"]["exact"], document["pairs"], document["cases"]) == (False, [], None)
    assert "must hold at least 200 positive" in run("report", path, *COSTS, "--private", "200").err
    for flags in (("--weight", "b"), ("--cost-fn", "b", "--cost-fp", "4")):
        refusal = run("report", path, *COSTS, "--private", "12", *flags)
        assert refusal.code == 2
        assert "`--private`" in refusal.err
