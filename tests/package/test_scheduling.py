"""A parallel run hands out every test once, Spark first, and keeps costly files in one process."""

import os
from types import SimpleNamespace

from xdist.scheduler import loadscope

from scheduling import FIRST, TOGETHER, SharedCosts, processes


class Worker:
    """What the scheduler sees of a process: it gets numbers of tests."""

    def __init__(self):
        self.sent, self.done, self.shutting_down = [], 0, False
        self.gateway = SimpleNamespace(id="gw")

    def send_runtest_some(self, indices):
        self.sent += indices

    def shutdown(self):
        self.shutting_down = True


def started(monkeypatch, tests, workers=3):
    monkeypatch.setattr(loadscope, "parse_tx_spec_config", lambda config: [None] * workers)
    config = SimpleNamespace(option=SimpleNamespace(loadscopereorder=True))
    log = SimpleNamespace(loadscopesched=lambda *words: None)
    scheduler, nodes = SharedCosts(config, log), [Worker() for _ in range(workers)]
    for node in nodes:
        scheduler.add_node(node)
        scheduler.add_node_collection(node, tests)
    scheduler.schedule()
    return scheduler, nodes


SINGLE = [f"tests/roc/test_one.py::test_a[{k}]" for k in range(3000)]
PAGES = [f"tests/report/test_page_{name}.py::test_{k}" for name in ("one", "two") for k in range(60)]
SPARK = [f"{FIRST}::test_{k}" for k in range(20)]
TESTS = SINGLE + PAGES + SPARK


def test_every_test_runs_once_and_files_stay_together(monkeypatch):
    scheduler, nodes = started(monkeypatch, TESTS)
    while any(node.done < len(node.sent) for node in nodes):
        for node in nodes:
            if node.done < len(node.sent):
                node.done += 1
                scheduler.mark_test_complete(node, node.sent[node.done - 1])
    assert sorted(index for node in nodes for index in node.sent) == list(range(len(TESTS)))
    assert all(node.shutting_down for node in nodes)
    assert not scheduler.has_pending
    for file in {test.partition("::")[0] for test in PAGES + SPARK}:
        assert TOGETHER.fullmatch(file)
        assert sum(any(TESTS[index].startswith(file) for index in node.sent) for node in nodes) == 1
    # towards the end nobody hoards
    assert max(len(node.sent) for node in nodes) - min(len(node.sent) for node in nodes) <= 3


def test_spark_goes_first_and_nobody_waits_for_a_short_test(monkeypatch):
    _, nodes = started(monkeypatch, TESTS)
    assert TESTS[nodes[0].sent[0]].startswith(FIRST)
    _, nodes = started(monkeypatch, SINGLE)
    assert [len(node.sent) for node in nodes] == [32] * 3


def test_units_that_are_done_are_forgotten(monkeypatch):
    scheduler, nodes = started(monkeypatch, SINGLE)
    for place in range(500):
        scheduler.mark_test_complete(nodes[0], nodes[0].sent[place])
    assert len(scheduler.assigned_work[nodes[0]]) <= 32


def test_a_process_for_every_core(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 2, 5}, raising=False)
    assert processes() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert processes() == 1
