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
from demur.monitoring.state import locked
from monitoring_cases import promised_policy, shop, shop_policy


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
    assert text.startswith("ALARM. The scores no longer look as they did when the policy was made")
    assert "keeping the window costs" in text
    assert max(map(len, answer.out.splitlines())) <= 80
    proposed = Policy.load(tmp_path / "new.json")
    assert proposed.prevalence == pytest.approx(0.3, abs=0.08)
    assert os.path.getsize(tmp_path / "watch.json") < 50_000


def test_a_share_of_positives_that_explains_nothing_is_not_printed(run, rng, policy, tmp_path):
    table_file(tmp_path, "quiet.csv", score=shop(rng, 4000)[1].tolist())
    assert "Share of positives by the scores" in " ".join(
        run("watch", "policy.json", "quiet.csv", "--state", "a.json").out.split()
    )
    s = shop(rng, 4000)[1]
    table_file(tmp_path, "moved.csv", score=np.maximum(s, np.quantile(s, 0.5)).tolist())
    answer = run("watch", "policy.json", "moved.csv", "--state", "b.json")
    text = " ".join(answer.out.split())
    assert answer.code == 3
    assert "A changed share of positives does not explain it" in text
    assert "by the scores" not in text


def test_a_policy_without_a_promise_is_watched_and_says_so(run, rng, policy, tmp_path):
    file = day_file(tmp_path, rng, "a.csv")
    answer = run("watch", "policy.json", file, "--state", "a.json", "--label", "kind")
    text = " ".join(answer.out.split())
    assert answer.code == 0
    assert "The policy promises no cost: it has no upper limit" in text
    assert "Cost per case by 500 labels" in text
    assert "promised" not in text
    assert max(map(len, answer.out.splitlines())) <= 80
    told = run("watch", "policy.json", file, "--state", "a.json", "--json").json["monitor"]
    assert (told["promised_limit"], len(told["notes"])) == (None, 1)
    promised_policy(rng, 500).save(tmp_path / "promised.json")
    codes = table_file(tmp_path, "b.csv", score=shop(rng, 50)[1].tolist())
    assert "promises no cost" not in run("watch", "promised.json", codes, "--state", "b.json").out


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


def test_a_file_that_is_no_state_gets_no_lock_beside_it(run, rng, policy, tmp_path):
    day_file(tmp_path, rng, "a.csv", n=20)
    answer = run("watch", "policy.json", "a.csv", "--state", "a.csv")
    assert answer.code == 2
    assert "must be the state of a monitor" in answer.err
    assert list(tmp_path.glob("*.lock")) == []


def test_alpha_of_a_state_stays(run, rng, policy, tmp_path):
    file = day_file(tmp_path, rng, "a.csv", n=50)
    assert run("watch", "policy.json", file, "--state", "w.json", "--alpha", "0.1").code == 0
    answer = run("watch", "policy.json", file, "--state", "w.json", "--alpha", "0.05")
    assert answer.code == 2
    assert "must stay 0.1" in answer.err


# ---------------------------------------------------------------- days, pages, second labels


def days_file(folder, rng, name, days, *, n=200, prevalence=0.1):
    columns = {"day": [], "score": [], "kind": []}
    for day in days:
        y, s = shop(rng, n, prevalence)
        columns["day"] += [day] * n
        columns["score"] += s.tolist()
        columns["kind"] += np.where(y, "fraud", "fine").tolist()
    order = rng.permutation(n * len(days))
    return table_file(folder, name, **{key: [column[k] for k in order] for key, column in columns.items()})


def test_every_day_of_a_file_is_a_batch(run, rng, policy, tmp_path):
    days = ["2026-03-02", "2026-03-01", "2026-03-03"]
    file = days_file(tmp_path, rng, "week.csv", days)
    run("watch", "policy.json", file, "--state", "w.json", "--date-column", "day")
    monitor = PolicyMonitor.load(tmp_path / "w.json")
    assert [row.at for row in monitor.history] == sorted(days)
    assert [row.n for row in monitor.history] == [200] * 3
    one = duckdb.sql(f"select score from '{file}' where day = '2026-03-01'").fetchnumpy()["score"]
    alone = PolicyMonitor(policy)
    alone.update(one)
    assert monitor.history[0].log_e == pytest.approx(alone.history[0].log_e, abs=1e-4)


def test_a_growing_file_counts_its_new_days_only(run, rng, policy, tmp_path):
    file = days_file(tmp_path, rng, "all.csv", ["2026-03-01", "2026-03-02"])
    flags = ("--state", "w.json", "--date-column", "day")
    run("watch", "policy.json", file, *flags)
    more = days_file(tmp_path, rng, "more.csv", ["2026-03-03"])
    file.write_text(file.read_text() + more.read_text().partition("\n")[2])
    answer = run("watch", "policy.json", file, *flags)
    assert "2 of its 3 days were counted before; only the others count" in " ".join(answer.err.split())
    again = run("watch", "policy.json", file, *flags, "--json")
    assert again.json["known"] == [str(file)]
    assert counted(tmp_path, "w.json") == (3, 600)
    # labels of the days come later: the scores do not count again
    answer = run("watch", "policy.json", file, *flags, "--label", "kind", "--json").json
    assert (answer["monitor"]["n"], answer["monitor"]["n_labelled"]) == (600, 600)


def test_labelled_days_count_as_days_without_labels(run, rng, policy, tmp_path):
    file = days_file(tmp_path, rng, "week.csv", ["2026-03-01", "2026-03-02"])
    flags = ("--date-column", "day", "--json")
    plain = run("watch", "policy.json", file, "--state", "a.json", *flags).json["monitor"]
    told = run("watch", "policy.json", file, "--state", "b.json", "--label", "kind", *flags).json["monitor"]
    assert told["e_value"] == plain["e_value"]
    assert told["batches"] == plain["batches"] == 2


def test_rows_without_a_date_are_refused(run, rng, policy, tmp_path):
    file = days_file(tmp_path, rng, "week.csv", ["2026-03-01", "soon"], n=20)
    for label in ([], ["--label", "kind"]):
        answer = run("watch", "policy.json", file, "--state", "w.json", "--date-column", "day", *label)
        assert answer.code == 2
        assert "got 20 without one" in answer.err
    assert not (tmp_path / "w.json").exists()


def test_page_and_proposed_policy_beside_the_state(run, rng, policy, tmp_path):
    days = [f"2026-03-{day:02d}" for day in range(1, 6)]
    quiet = days_file(tmp_path, rng, "quiet.csv", days)
    flags = ("--state", "watch.json", "--date-column", "day", "--html", "watch.html")
    answer = run("watch", "policy.json", quiet, *flags)
    assert answer.out.rstrip().endswith("The page is watch.html.")
    assert "<h1>Quiet: score in use</h1>" in (tmp_path / "watch.html").read_text()
    assert not (tmp_path / "watch.proposed.json").exists()
    later = [f"2026-04-{day:02d}" for day in range(1, 6)]
    busy = days_file(tmp_path, rng, "busy.csv", later, n=500, prevalence=0.3)
    answer = run("watch", "policy.json", busy, *flags)
    assert answer.code == 3
    page = (tmp_path / "watch.html").read_text()
    assert "<h1>Alarm: score in use</h1>" in page
    assert "It is in watch.proposed.json." in page
    assert Policy.load(tmp_path / "watch.proposed.json").prevalence > 0.2
    assert "Last 7 batches" in " ".join(answer.out.split())


def test_second_labels_tell_how_often_two_people_agree(run, rng, policy, tmp_path):
    y, s = shop(rng, 400)
    other = y ^ (np.arange(400) % 8 == 0)
    words = [np.where(label, "fraud", "fine").tolist() for label in (y, other)]
    words[1][0] = ""
    file = table_file(tmp_path, "two.csv", score=s.tolist(), kind=words[0], second=words[1])
    flags = ("--state", "w.json", "--label", "kind", "--second-label", "second")
    agreed = run("watch", "policy.json", file, *flags, "--json").json["monitor"]["agreement"]
    assert agreed["share"] == pytest.approx(350 / 399)
    said = run("watch", "policy.json", file, "--state", "w.json").out
    assert "Two people agree on 87.7 %" in " ".join(said.split())


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--second-label", "kind"], "is for labels"),
        (["--at", "2026-01-01", "--date-column", "kind"], "say the same"),
        (["--date-column", "xyz"], "xyz"),
        (["--html", "policy.json"], "must be a file of its own"),
        (["--html", "a.csv"], "must be a file of its own"),
        (["--html", "w.json"], "must be a file of its own"),
        (["--propose", "./policy.json"], "must be a file of its own"),
        (["--html", "no/such/folder/w.html"], "no/such/folder"),
    ],
)
def test_errors_of_days_and_pages(run, rng, policy, tmp_path, args, words):
    day_file(tmp_path, rng, "a.csv", n=20)
    before = (tmp_path / "policy.json").read_bytes()
    answer = run("watch", "policy.json", "a.csv", "--state", "w.json", *args)
    assert answer.code == 2
    assert words in answer.err
    assert answer.err.count("\n") == 1
    assert (tmp_path / "policy.json").read_bytes() == before


# ---------------------------------------------------------------- processes


def started(folder, *files):
    command = [sys.executable, "-m", "demur", "watch", "policy.json", *files, "--state", "watch.json"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def counted(folder, name="watch.json"):
    monitor = PolicyMonitor.load(folder / name)
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
