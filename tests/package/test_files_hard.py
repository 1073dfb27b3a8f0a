"""Files under attack: devices stay devices, modes stay modes, drafts leave no trace, damage is found."""

import os
import stat
import subprocess
import sys
import threading

import numpy as np
import pytest

from demur._files.parquet import parquet_fact
from demur._files.whole import draft_of, whole_file
from demur.counts.scores import ScoreCounts
from demur.engines import read_counts
from demur.engines.files import open_table
from demur.engines.row_stream import open_rows
from demur.exceptions import InputError
from demur.policy.policy import Policy

TABLE = "y_true,model\n" + "".join(f"{k % 2},0.{k}\n" for k in range(1, 9))


@pytest.fixture
def counts():
    rng = np.random.default_rng(3)
    return ScoreCounts.from_arrays(rng.integers(0, 2, 300), rng.normal(size=300).round(1))


@pytest.fixture
def fifo(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


def received(fifo):
    """Start reading a pipe; the list holds its bytes once the thread ends."""
    content = []
    reader = threading.Thread(target=lambda: content.append(fifo.read_bytes()), daemon=True)
    reader.start()
    return reader, content


def only(folder):
    return sorted(entry.name for entry in folder.iterdir())


# ---------------------------------------------------------------- devices and pipes


@pytest.mark.parametrize("through_link", [False, True])
def test_counts_are_written_to_a_pipe_which_stays_one(tmp_path, fifo, counts, through_link):
    target = fifo
    if through_link:
        target = tmp_path / "link"
        target.symlink_to(fifo)
    reader, content = received(fifo)
    counts.save(target)
    reader.join(10)
    assert stat.S_ISFIFO(fifo.stat().st_mode)
    copy = tmp_path / "copy.parquet"
    copy.write_bytes(content[0])
    assert ScoreCounts.load(copy).scores.tolist() == counts.scores.tolist()


def test_text_goes_to_a_pipe_which_stays_one(fifo):
    reader, content = received(fifo)
    with whole_file(fifo) as handle:
        handle.write("näher\n")
    reader.join(10)
    assert content == ["näher\n".encode()]
    assert stat.S_ISFIFO(fifo.stat().st_mode)


@pytest.mark.parametrize("through_link", [False, True])
def test_a_device_is_written_to_and_not_replaced(tmp_path, counts, through_link):
    try:
        device = tmp_path / "null"
        os.mknod(device, stat.S_IFCHR | 0o666, os.stat(os.devnull).st_rdev)
        open(device, "wb").close()
    except PermissionError:
        # only root can make a device; of others the system's own is safe
        device = type(tmp_path)(os.devnull)
    target = device
    if through_link:
        target = tmp_path / "link"
        target.symlink_to(device)
    before = os.stat(device)
    counts.save(target)
    with whole_file(target) as handle:
        handle.write("x")
    after = os.stat(device)
    assert stat.S_ISCHR(after.st_mode)
    assert (after.st_ino, after.st_rdev) == (before.st_ino, before.st_rdev)


def test_full_device_is_one_sentence(counts):
    with pytest.raises(InputError, match="`/dev/full` cannot be written: No space left on device"):
        counts.save("/dev/full")
    with pytest.raises(InputError, match="`/dev/full` cannot be written"), whole_file("/dev/full") as handle:
        handle.write("x")


def test_standard_output_by_name_continues_where_the_stream_is(tmp_path):
    code = (
        "from demur._files.whole import whole_file\n"
        "print('first')\n"
        "with whole_file('/dev/stdout') as handle:\n"
        "    handle.write('second\\n')\n"
        "print('third')\n"
    )
    file = tmp_path / "out"
    with open(file, "w") as out:
        before = os.fstat(out.fileno()).st_ino
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True, env=env)
    assert file.read_text() == "first\nsecond\nthird\n"
    assert file.stat().st_ino == before


# ---------------------------------------------------------------- what is replaced, and drafts


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444, 0o755])
def test_a_replaced_file_keeps_its_mode(tmp_path, counts, mode):
    text, table = tmp_path / "a.txt", tmp_path / "a.parquet"
    for path in (text, table):
        path.write_text("before")
        path.chmod(mode)
    with whole_file(text) as handle:
        handle.write("after")
    counts.save(table)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (text, table)] == [mode, mode]
    assert text.read_text() == "after"


def test_a_new_file_has_the_mode_the_system_gives(tmp_path, counts):
    (tmp_path / "plain").touch()
    with whole_file(tmp_path / "text") as handle:
        handle.write("x")
    counts.save(tmp_path / "table")
    assert len({stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}) == 1


def test_the_draft_of_a_private_file_is_private(tmp_path):
    path = tmp_path / "secret"
    path.touch(mode=0o600)
    with draft_of(path) as draft:
        assert stat.S_IMODE(draft.stat().st_mode) == 0o600


def test_a_replaced_file_keeps_its_owner(tmp_path):
    path = tmp_path / "a"
    path.touch()
    owner = 1234 if os.geteuid() == 0 else os.geteuid()
    os.chown(path, owner, -1)
    with whole_file(path) as handle:
        handle.write("x")
    assert path.stat().st_uid == owner


def test_names_as_long_as_the_file_system_allows(tmp_path, counts):
    name = "a" * (os.pathconf(tmp_path, "PC_NAME_MAX") - len(".parquet")) + ".parquet"
    counts.save(tmp_path / name)
    assert only(tmp_path) == [name]
    with pytest.raises(InputError, match="cannot be written: File name too long"):
        counts.save(tmp_path / f"a{name}")
    assert only(tmp_path) == [name]


def test_drafts_have_names_of_their_own(tmp_path, monkeypatch):
    # containers repeat process numbers: two writers of one number share a folder
    monkeypatch.setattr(os, "getpid", lambda: 1)
    with draft_of(tmp_path / "a") as first, draft_of(tmp_path / "a") as second:
        assert first != second
        first.write_text("1")
        second.write_text("2")
    assert only(tmp_path) == ["a"]


def test_stale_drafts_do_not_block(tmp_path):
    for stale in (f".a.{os.getpid()}.tmp", ".demur-0123456789abcdef.tmp"):
        (tmp_path / stale).write_text("left by a process that was killed")
    with whole_file(tmp_path / "a") as handle:
        handle.write("x")
    assert (tmp_path / "a").read_text() == "x"


def test_a_failure_leaves_what_was_there(tmp_path):
    path = tmp_path / "a"
    path.write_text("before")

    def half():
        yield "half"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), whole_file(path) as handle:
        handle.writelines(half())
    assert path.read_text() == "before"
    assert only(tmp_path) == ["a"]


def test_a_process_that_ends_within_a_block_leaves_nothing_temporary(tmp_path):
    code = (
        "import sys\n"
        "from demur._files.whole import temporary_folder\n"
        "from demur._files.whole import draft_of\n"
        "blocks = draft_of('a'), temporary_folder()\n"
        "print(*[block.__enter__() for block in blocks], sep='\\n')\n"
        "sys.exit(3)\n"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", code]
    ran = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert (ran.returncode, len(ran.stdout.splitlines())) == (3, 2), ran.stderr
    assert only(tmp_path) == []


@pytest.mark.parametrize("target", ["link", "folder/", "a\0b"])
def test_impossible_names_are_one_sentence(tmp_path, target):
    (tmp_path / "link").symlink_to(tmp_path / "link")
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="cannot be written"), whole_file(f"{tmp_path}/{target}") as handle:
        handle.write("x")


# ---------------------------------------------------------------- damage


def test_no_flipped_bit_of_a_counts_file_changes_a_number(tmp_path, counts):
    good = tmp_path / "good.parquet"
    counts.save(good)
    content = good.read_bytes()
    expected = [column.tolist() for column in (counts.scores, counts.positives, counts.negatives)]
    flipped = tmp_path / "flipped.parquet"
    refused = 0
    for place in range(0, len(content), 7):
        damaged = bytearray(content)
        damaged[place] ^= 1 << place % 8
        flipped.write_bytes(damaged)
        parquet_fact(flipped, "schema")
        try:
            read = ScoreCounts.load(flipped)
        except InputError:
            refused += 1
        else:
            assert [column.tolist() for column in (read.scores, read.positives, read.negatives)] == expected
    assert refused > len(content) / 7 / 2


def test_edited_counts_are_refused_and_old_ones_without_a_digest_read(tmp_path, counts):
    import duckdb

    counts.save(tmp_path / "a.parquet")
    for name, changed, digest in (("edited", 1, ", digest: '0'"), ("old", 0, "")):
        duckdb.connect().execute(
            f"copy (select score, positives + {changed} as positives, negatives from '{tmp_path}/a.parquet') "
            f"to '{tmp_path}/{name}.parquet' (format parquet, kv_metadata "
            f"{{schema: 'demur.counts', version: '1'{digest}}})"
        )
    assert ScoreCounts.load(tmp_path / "old.parquet").n == counts.n
    with pytest.raises(InputError, match="must hold the numbers that were written, got others"):
        ScoreCounts.load(tmp_path / "edited.parquet")


def test_numbers_of_5000_digits_in_a_policy(tmp_path):
    path = tmp_path / "p.json"
    path.write_text('{"version": ' + "9" * 5000 + "}")
    with pytest.raises(InputError, match="must be a policy file"):
        Policy.load(path)


def test_damaged_gzip_is_one_sentence(tmp_path):
    import gzip

    path = tmp_path / "a.csv.gz"
    rng = np.random.default_rng(0)
    rows = "".join(f"{k % 2},{rng.random()}\n" for k in range(20_000))
    content = bytearray(gzip.compress(("y_true,model\n" + rows).encode()))
    content[24:32] = b"\xff" * 8
    path.write_bytes(content)
    with pytest.raises(InputError), open_table(path) as table:
        table.read(["model"])
    with pytest.raises(InputError, match="must be readable"), open_rows(str(path)) as stream:
        list(stream.batches(["model"]))


def test_gzip_with_a_wrong_checksum(tmp_path):
    import gzip

    content = bytearray(gzip.compress(TABLE.encode()))
    content[-6] ^= 1
    path = tmp_path / "a.csv.gz"
    path.write_bytes(content)
    with pytest.raises(InputError, match="must be readable, got CRC check failed"), open_table(path):
        pass


def test_parquet_pages_with_checksums_are_compared_with_them(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = {"y_true": [k % 2 for k in range(500)], "model": [k / 512 for k in range(500)]}
    path, n_found = tmp_path / "a.parquet", 0
    for compression in ("none", "snappy"):
        pq.write_table(
            pa.table(rows), path, compression=compression, write_page_checksum=True, row_group_size=200
        )
        content = path.read_bytes()
        assert open_table(path).read(["model"])["model"].values.tolist() == rows["model"]
        for at in range(8, len(content) - 1000, 97):
            damaged = bytearray(content)
            damaged[at] ^= 16
            path.write_bytes(damaged)
            try:
                with open_table(path) as table:
                    same = {name: column.values.tolist() for name, column in table.read(rows).items()}
                assert same == rows  # a bit that no reader looks at, such as one in the statistics
            except InputError as error:
                n_found += "a page with another checksum" in str(error)
    assert n_found > 40


def test_parquet_without_checksums_and_other_columns_pass(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "a.parquet"
    rows = {"y_true": [0, 1] * 50, "model": [k / 512 for k in range(100)]}
    pq.write_table(pa.table(rows), path, compression="none", use_dictionary=False, write_page_checksum=True)
    content = bytearray(path.read_bytes())
    content[content.index(np.float64(50 / 512).tobytes())] ^= 1
    path.write_bytes(content)
    with open_table(path) as table:
        assert table.read(["y_true"])["y_true"].values.tolist() == rows["y_true"]
        with pytest.raises(InputError, match="in column 'model', got a page with another checksum"):
            table.read(["model"])
    with pytest.raises(InputError, match="another checksum"):
        read_counts(path, y_true="y_true", scores="model")
    pq.write_table(pa.table(rows), path)
    with open_table(path) as table:
        assert table.read(["model"])["model"].values.tolist() == rows["model"]


@pytest.mark.parametrize("where", ["header", "row"])
def test_fields_longer_than_the_reader_takes(tmp_path, where):
    long = "x" * 200_000
    path = tmp_path / "a.csv"
    path.write_text(f"{long if where == 'header' else 'text'},model\n{long if where == 'row' else 'a'},0.5\n")
    with pytest.raises(InputError, match="field larger than field limit"), open_rows(str(path)) as stream:
        list(stream.batches(["model"]))


# ---------------------------------------------------------------- what cannot be read


def denied(*args, **kwargs):
    raise PermissionError(13, "Permission denied", str(args[0]))


def test_a_file_without_permission(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_text(TABLE)
    monkeypatch.setattr("builtins.open", denied)
    assert parquet_fact(path, "schema") is None
    with pytest.raises(InputError, match="must be readable, got Permission denied"):
        open_table(path)


def test_a_subfolder_without_permission_is_refused(tmp_path, monkeypatch):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "part.csv").write_text(TABLE)
    with open_table(tmp_path) as table:
        assert table.n_rows == 16
    scan = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: denied(path) if str(path).endswith("/b") else scan(path))
    with pytest.raises(InputError, match=r"must be readable, got Permission denied: .*/b\."):
        open_table(tmp_path)


@pytest.mark.parametrize("name", ["a" * 300 + ".csv", "a\0b.csv", "a" * 300 + "*.csv"])
def test_impossible_names_to_read(name):
    with pytest.raises(InputError) as refused:
        open_table(name)
    assert len(str(refused.value)) < 450


def test_a_device_is_no_table():
    with pytest.raises(InputError, match="`/dev/zero` must be a file or a pipe, got a device"):
        open_table("/dev/zero")


def test_a_full_disk_for_the_copy_of_a_stream(monkeypatch):
    import io

    def full(stream, copy):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("demur.engines.paths.shutil.copyfileobj", full)
    with pytest.raises(InputError, match=r"`standard input` must be copied to .* Hint: set TMPDIR"):
        open_table("-", stdin=io.BytesIO(TABLE.encode()))


# ---------------------------------------------------------------- pipes as input


def fed(fifo, content):
    threading.Thread(target=lambda: fifo.write_bytes(content), daemon=True).start()


def test_a_pipe_is_read_once_and_to_the_end(fifo):
    fed(fifo, TABLE.encode())
    with open_table(fifo) as table:
        assert table.n_rows == 8
        assert table.read(["model"])["model"].values[0] == 0.1
    fed(fifo, TABLE.encode())
    with open_rows(str(fifo)) as stream:
        assert sum(len(batch.scores) for batch in stream.batches(["model"])) == 8


def test_a_piped_parquet_file_is_not_opened_again(tmp_path, fifo):
    import duckdb

    file = tmp_path / "a.parquet"
    duckdb.connect().execute(f"copy (select 1 as y_true, 0.5 as model) to '{file}' (format parquet)")
    with open_table(file) as table:
        assert table.columnar
    fed(fifo, file.read_bytes())
    with open_table(fifo) as table:
        assert not table.columnar
        assert table.n_rows == 1


# ---------------------------------------------------------------- files that change


def replaced(path, content):
    other = path.with_name("other")
    other.write_text(content)
    os.replace(other, path)


def read_while(change, source, *, before=(), after=("model",)):
    """Open a table, read columns, let it change, read other columns."""
    with open_table(source) as table:
        table.read(before)
        change()
        table.read(after)


@pytest.mark.parametrize("how", ["replaced", "appended", "removed"])
def test_a_table_that_changes_while_it_is_read(tmp_path, how):
    path = tmp_path / "a.csv"
    path.write_text(TABLE)
    changes = {
        "replaced": lambda: replaced(path, TABLE.replace("0.1", "0.9")),
        "appended": lambda: path.write_text(TABLE + "1,0.5\n"),
        "removed": path.unlink,
    }
    with pytest.raises(InputError, match=r"must stay the same while it is read, got it changed\. Hint: wait"):
        read_while(changes[how], path)


def test_a_table_that_changes_after_its_last_column(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(TABLE)
    with pytest.raises(InputError, match="must stay the same"):
        read_while(lambda: replaced(path, TABLE), path, before=["model"], after=())


def test_one_of_many_files_that_changes_is_named(tmp_path):
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text(TABLE)
    with pytest.raises(InputError, match=r"got .*/b\.csv changed"):
        read_while(lambda: (tmp_path / "b.csv").write_text(TABLE + "1,0.5\n"), tmp_path)


def test_a_table_that_stays_is_read(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(TABLE)
    read_while(path.read_bytes, path)


def test_rows_that_change_while_they_are_decided_on_leave_no_output(tmp_path):
    path, out = tmp_path / "a.csv", tmp_path / "out"
    path.write_text(TABLE)

    def decide():
        with open_rows(str(path)) as stream, whole_file(out) as handle:
            for batch in stream.batches(["model"]):
                handle.write(str(batch))
                replaced(path, TABLE)

    with pytest.raises(InputError, match="must stay the same"):
        decide()
    assert not out.exists()
