"""Hostile arguments, files and saved objects: an answer or one sentence, never a foreign error or a hang."""

import gzip
import os
import signal
import warnings
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

import demur
from demur import read_counts
from demur.engines.files import open_table
from demur.engines.row_stream import open_rows
from demur.exceptions import DegenerateDataWarning, InputError
from fuzz_cases import EXEMPT, calls, changed_documents, damages
from public_surface import FUNCTIONS

pytestmark = pytest.mark.long

_SECONDS = 60
# `make fuzz` says how much; by hand a share of that
EXAMPLES = int(os.environ.get("DEMUR_FUZZ", "15"))
fuzzed = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)


@contextmanager
def no_hang():
    def ring(number, frame):
        raise TimeoutError(f"no answer in {_SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def one_sentence():
    """Let through what demur refuses, in a short message; everything else fails."""
    with no_hang(), warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", DegenerateDataWarning)
        try:
            yield
        except InputError as error:
            said = str(error)
        else:
            return
    assert 0 < len(said) < 2000, "a message, not a dump"
    assert "\n" not in said


def test_exemptions_are_public_functions():
    assert set(EXEMPT) <= set(FUNCTIONS)


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - set(EXEMPT)))
def test_functions(name):
    @seed(0)
    @fuzzed
    @given(calls(name))
    def attack(arguments):
        with one_sentence():
            FUNCTIONS[name](*arguments.pop("evidence", ()), **arguments)

    attack()


# ---------------------------------------------------------------- files and saved objects


def _write_table(path, form):
    rows = {
        "y_true": [k % 2 for k in range(40)],
        "name": ["ab", "q,x"] * 20,
        "model": [k / 7 for k in range(40)],
    }
    if form == "parquet":
        pq.write_table(pa.table(rows), path, write_page_checksum=True)
        return
    lines = ["y_true,name,model", *(f'{y},"{n}",{m!r}' for y, n, m in zip(*rows.values(), strict=True))]
    content = "\r\n".join(lines).encode()
    path.write_bytes(gzip.compress(content) if form == "csv.gz" else content)


def _read_everything(path):
    with open_table(path) as table:
        table.read(table.kinds)
        table.n_duplicated()
    with open_rows(str(path)) as stream:
        for name in stream.columns[:1]:
            list(stream.batches([name]))
    read_counts(path, y_true="y_true", scores="model")


COUNTS = demur.ScoreCounts.from_arrays([0, 1] * 15, [k / 11 for k in range(30)])
BINS = demur.counts.joined_counts(COUNTS, smallest=3)
COSTS = demur.CostModel(cost_fn=3, cost_fp=1, cost_abstain=0.3)
POLICY = demur.Policy.from_surface(demur.abstention_surface(COUNTS), costs=COSTS, model="m")
FILES = {
    "csv": (lambda path: _write_table(path, "csv"), _read_everything),
    "csv.gz": (lambda path: _write_table(path, "csv.gz"), _read_everything),
    "parquet": (lambda path: _write_table(path, "parquet"), _read_everything),
    "counts.parquet": (COUNTS.save, demur.ScoreCounts.load),
    "bins.parquet": (BINS.save, demur.ScoreCounts.load),
    "policy.json": (POLICY.save, demur.Policy.load),
}


@pytest.mark.parametrize("form", FILES)
def test_damaged_files(tmp_path, form):
    write, read = FILES[form]
    path = tmp_path / f"a.{form}"
    write(path)
    content = path.read_bytes()
    read(path)

    @seed(0)
    @fuzzed
    @given(damages(len(content)))
    def attack(damage):
        path.write_bytes(damage(content))
        with one_sentence():
            read(path)

    attack()


@seed(0)
@fuzzed
@given(changed_documents(POLICY.to_dict()))
def test_changed_policies(document):
    with one_sentence():
        policy = demur.Policy.from_dict(document)
        policy.decide([0.0, 1.0])
        policy.at(prevalence=0.2)
