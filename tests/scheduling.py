"""Which tests of a parallel run share a process, which go first, and how many processes there are.

A Spark cluster costs half a minute and six Java processes, so all its tests go to one worker, and first,
since they take longest. The pages of one file share a browser and their reports. Every other test goes
where there is room.

xdist's own `xdist_group` marks write the group into the id of a test, which pytest 9.2 no longer lets
them do: they then do nothing, without a word. This scheduler looks at the file of a test instead.
"""

import os
import re

from xdist.scheduler import LoadScopeScheduling

TOGETHER = re.compile(
    r"tests/(engines/test_(spark|export_databases)|package/test_results|report/test_(page|web)_\w+)\.py"
    r"|studies/tests/test_\w*studies\.py"
)
FIRST = "tests/engines/test_spark.py"

# tests of a millisecond must not wait until the next one is sent; towards the end nobody hoards
_AHEAD, _SHARE = 32, 64


def processes():
    """As many as cores. One more fills the moments in which a test waits for a browser, but loses more.

    On two cores three processes kept both busy all the time and took 408 s, two took 376 s: every process
    collects all tests and loads all libraries once, and three push each other out of the caches.
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class SharedCosts(LoadScopeScheduling):
    """Tests of a file with a costly fixture in one process; the others one by one.

    Spark comes first, then units with more tests: the base class orders them so.
    """

    def _split_scope(self, nodeid):
        file = nodeid.partition("::")[0]
        return file if TOGETHER.fullmatch(file) else nodeid

    def _assign_work_unit(self, node):
        if FIRST in self.workqueue:
            self.workqueue.move_to_end(FIRST, last=False)
        super()._assign_work_unit(node)

    def mark_test_complete(self, node, item_index, duration=0):
        """Forget units that are done: the base class counts all it knows after every test."""
        super().mark_test_complete(node, item_index, duration)
        work = self.assigned_work[node]
        scope = self._split_scope(self.registered_collections[node][item_index])
        if all(work[scope].values()):
            del work[scope]

    def _reschedule(self, node):
        super()._reschedule(node)
        ahead = min(_AHEAD, len(self.workqueue) // _SHARE)
        while self._next_is_single() and self._pending_of(self.assigned_work[node]) < ahead:
            self._assign_work_unit(node)

    def _next_is_single(self):
        return bool(self.workqueue) and len(next(iter(self.workqueue.values()))) == 1
