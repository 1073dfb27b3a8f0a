"""`demur watch` as a user meets it: quiet, alarm, error; the same file twice; two processes; a kill."""

import json
import math
import os
import random
import signal
import subprocess
import sys
import time

import duckdb
import numpy as np
import pytest

from command_line import table_file
from demur import InputError, Policy, PolicyMonitor
from demur.monitoring.lock import locked
from monitoring_cases import shop, shop_policy


@pytest.fixture
def rng():
    return np.random.default_rng(20260202)


@pytest.fixture
def policy(rng, tmp_path):
    made = shop_policy(
        rng, 3000, model="score", pos_label="fraud", neg_label="fine", abstain_label="ask a person"
    )
    made.save(tmp_path / "policy.json")
    return made


def day_file(folder, rng, name, *, prevalence=0.1, n=500, factor=1.0):
    y, s = shop(rng, n, prevalence)
    words = np.where(y, "fraud", "fine")
    return table_file(folder, name, score=(factor * s).tolist(), kind=words.tolist())


def test_quiet_then_alarm_then_a_proposed_policy(run, rng, policy, tmp_path):
    quiet = [day_file(tmp_path, rng, f"{k}.csv") for k in range(3)]
    answer = run("watch", "policy.json", *quiet, "--state", "watch.json", "--propose", "new.json")
    assert answer.code == 0
    assert answer.out.startswith("Quiet.")
    assert "1500 cases in 3 batches" in answer.out
    assert not (tmp_path / "new.json").exists()
    busy = [day_file(tmp_path, rng, f"{k}.csv", prevalence=0.3) for k in range(3, 6)]
    answer = run("watch", "policy.json", *busy, "--state", "watch.json", "--propose", "new.json")
    assert answer.code == 3
    text = " ".join(answer.out.split())
    assert text.startswith("ALARM. The scores no longer look as when the policy was made")
    assert "keeping the window costs" in text
    assert max(map(len, answer.out.splitlines())) <= 80
    proposed = Policy.load(tmp_path / "new.json")
    assert proposed.prevalence == pytest.approx(0.3, abs=0.08)
    assert os.path.getsize(tmp_path / "watch.json") < 50_000


def test_same_file_changes_nothing_and_says_so(run, rng, policy, tmp_path):
    file = day_file(tmp_path, rng, "a.csv")
    run("watch", "policy.json", file, "--state", "watch.json")
    before = (tmp_path / "watch.json").read_bytes()
    copy = tmp_path / "renamed.csv"
    copy.write_bytes(file.read_bytes())
    answer = run("watch", "policy.json", copy, "--state", "watch.json", "--json")
    assert answer.code == 0
    assert "was counted before; nothing changed" in " ".join(answer.err.split())
    assert answer.json["known"] == [str(copy)]
    assert (tmp_path / "watch.json").read_bytes() == before


def test_database_counts_as_python_does(run, rng, policy, tmp_path):
    _, s = shop(rng, 5000)
    cuts = PolicyMonitor(policy).cells.cuts
    s = np.concatenate([s, cuts, np.nextafter(cuts, 2), [policy.lower, policy.upper, np.inf, -np.inf]])
    rows = duckdb.sql("select unnest($s) as score union all select null", params={"s": s.tolist()})
    rows.write_parquet(str(tmp_path / "day.parquet"))
    answer = run("watch", "policy.json", "day.parquet", "--state", "watch.json", "--json")
    monitor = PolicyMonitor(policy)
    monitor.update(s)
    assert answer.json["monitor"] == monitor.to_dict()
    assert json.loads((tmp_path / "watch.json").read_text())["history"][0][6] == 1


def test_labels_with_the_scores_and_late(run, rng, policy, tmp_path):
    file = day_file(tmp_path, rng, "a.csv")
    answer = run("watch", "policy.json", file, "--state", "one.json", "--label", "kind", "--json").json
    assert answer["monitor"]["n_labelled"] == 500
    run("watch", "policy.json", file, "--state", "two.json")
    late = run(
        "watch", "policy.json", file, "--state", "two.json", "--label", "kind", "--late", "--json"
    ).json
    assert late["monitor"]["n"] == 500
    assert late["monitor"]["cost"] == answer["monitor"]["cost"]
    again = run(
        "watch", "policy.json", file, "--state", "two.json", "--label", "kind", "--late", "--json"
    ).json
    assert again["known"] == [str(file)]
    words = run("watch", "policy.json", file, "--state", "one.json").out
    assert "Cost per case by 500 labels" in " ".join(words.split())


def test_audited_labels_need_weights(run, rng, policy, tmp_path):
    y, s = shop(rng, 400)
    kind = ["" if k % 10 else ("fraud" if y[k] else "fine") for k in range(400)]
    file = table_file(tmp_path, "audit.csv", score=s.tolist(), kind=kind, weight=[10] * 400)
    answer = run("watch", "policy.json", file, "--state", "watch.json", "--label", "kind")
    assert answer.code == 2
    assert "weights" in answer.err
    answer = run(
        "watch",
        "policy.json",
        file,
        "--state",
        "watch.json",
        "--label",
        "kind",
        "--weight",
        "weight",
        "--json",
    )
    assert answer.json["monitor"]["n_labelled"] == 40


def test_other_scale_is_an_alarm_at_the_first_batch(run, rng, policy, tmp_path):
    answer = run("watch", "policy.json", day_file(tmp_path, rng, "a.csv", factor=100), "--state", "w.json")
    assert answer.code == 3
    assert "divide by 100?" in " ".join(answer.out.split())


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["a.csv"], "--state PATH"),
        (["--state", "w.json"], "At least one file of scores"),
        (["-", "--state", "w.json"], "must be a file"),
        (["none.csv", "--state", "w.json"], "none.csv"),
        (["a.csv", "--state", "w.json", "--model", "kind"], "must have numbers"),
        (["a.csv", "--state", "w.json", "--model", "xyz"], "xyz"),
        (["a.csv", "--state", "w.json", "--late"], "is for labels"),
        (["a.csv", "--state", "w.json", "--label", "score"], "the policy knows fraud and fine"),
        (["a.csv", "--state", "w.json", "--alpha", "2"], "alpha"),
        (["a.csv", "--state", "policy.json"], "must be the state of a monitor"),
        (["a.csv", "--state", "no/such/folder/w.json"], "cannot be written"),
    ],
)
def test_errors_are_one_sentence_and_code_2(run, rng, policy, tmp_path, args, words):
    day_file(tmp_path, rng, "a.csv", n=20)
    answer = run("watch", "policy.json", *args)
    assert answer.code == 2
    assert words in answer.err
    assert answer.err.count("\n") == 1
    assert not (tmp_path / "w.json").exists()


def test_alpha_of_a_state_stays(run, rng, policy, tmp_path):
    file = day_file(tmp_path, rng, "a.csv", n=50)
    assert run("watch", "policy.json", file, "--state", "w.json", "--alpha", "0.1").code == 0
    answer = run("watch", "policy.json", file, "--state", "w.json", "--alpha", "0.05")
    assert answer.code == 2
    assert "must stay 0.1" in answer.err


# ---------------------------------------------------------------- processes


def started(folder, *files):
    command = [sys.executable, "-m", "demur", "watch", "policy.json", *files, "--state", "watch.json"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def counted(folder):
    monitor = PolicyMonitor.load(folder / "watch.json")
    return monitor.batches, monitor.n


def test_two_processes_lose_no_batch(rng, policy, tmp_path):
    names = [day_file(tmp_path, rng, f"{k}.csv", n=40).name for k in range(12)]
    both = [started(tmp_path, *names[:6]), started(tmp_path, *names[6:])]
    for process in both:
        assert process.wait(120) == 0, process.stderr.read()
        process.stdout.close()
        process.stderr.close()
    assert counted(tmp_path) == (12, 480)


def test_killed_at_any_moment_the_next_run_goes_on(rng, policy, tmp_path):
    names = [day_file(tmp_path, rng, f"{k}.csv", n=40).name for k in range(40)]
    moments = random.Random(3)
    for _ in range(3):
        process = started(tmp_path, *names)
        until = time.monotonic() + 60
        while not (tmp_path / "watch.json").exists() and time.monotonic() < until:
            time.sleep(0.01)
        time.sleep(moments.uniform(0, 0.3))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        batches, n = counted(tmp_path)
        assert n == 40 * batches
    last = started(tmp_path, *names)
    out, err = last.communicate(timeout=120)
    assert last.returncode == 0, (out, err)
    assert counted(tmp_path) == (40, 1600)


def test_lock_waits_then_refuses(tmp_path):
    path = tmp_path / "w.json"
    with locked(path):
        began = time.monotonic()
        with pytest.raises(InputError, match="in use by another process"), locked(path, patience=0.2):
            pass
        assert 0.2 <= time.monotonic() - began < 20
    with locked(path, patience=0):
        assert math.isfinite(began)
