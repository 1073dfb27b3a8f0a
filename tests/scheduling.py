"""Which tests of a parallel run share a process.

A Spark cluster costs half a minute and six Java processes, so all its tests go to one worker, and first,
since they take longest. The pages of one file share a browser and their reports. Every other test goes
where there is room.

xdist's own `xdist_group` marks write the group into the id of a test, which pytest 9.2 no longer lets
them do: they then do nothing, without a word. This scheduler looks at the file of a test instead.
"""

import re

from xdist.scheduler import LoadScopeScheduling

TOGETHER = re.compile(
    r"tests/(engines/test_(spark|export_databases)|house/test_results|report/test_(page|web)_\w+|reproduce/test_\w*studies)\.py"
)


class SharedCosts(LoadScopeScheduling):
    """Tests of a file with a costly fixture in one process; the others one by one.

    Units with more tests come first: the base class orders them so.
    """

    def _split_scope(self, nodeid):
        file = nodeid.partition("::")[0]
        return file if TOGETHER.fullmatch(file) else nodeid
