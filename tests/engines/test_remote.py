"""Parquet files at addresses: a web server and an S3 store on loopback, no password in any message."""

import base64
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, unquote, urlsplit

import duckdb
import fsspec
import pytest

from command_line import Answer
from demur import InputError, read_counts
from demur.cli.main import main
from demur.engines.addresses import _SharedFile, is_remote

USER, PASSWORD, TOKEN = "ann", "s3cr3t@x", "t0k3n"
ROWS = 20_000


@contextmanager
def served(handler):
    """Answer on loopback with a handler; give its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as listening:
        thread = threading.Thread(target=listening.serve_forever, daemon=True)
        thread.start()
        yield f"127.0.0.1:{listening.server_port}"
        listening.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    path = tmp_path_factory.mktemp("remote") / "scores.parquet"
    duckdb.sql(
        f"""copy (select (hash(i) % 3 = 0)::integer as y, (hash(i + 1) % 50 + 20 * y) / 100.0 as a,
        (hash(i + 2) % 60 + 10 * y) / 100.0 as b, hash(i) as ballast from range({ROWS}) t(i))
        to '{path}' (format parquet, row_group_size 4096)"""
    )
    return path


@pytest.fixture(scope="module")
def server(content):
    """A server of parts of a file; /private wants a password, /token a token, /whole knows no parts."""
    data = content.read_bytes()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            wanted = self.headers.get("Range")
            password = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
            if "/private/" in self.path and self.headers.get("Authorization") != f"Basic {password}":
                return self.answer(401, b"")
            if "/token/" in self.path and not self.path.endswith(f"?sig={TOKEN}"):
                return self.answer(403, b"")
            if "missing" in self.path:
                return self.answer(404, b"")
            if "/whole/" in self.path:
                return self.answer(200, data)
            first, last = (int(end) for end in wanted.removeprefix("bytes=").split("-"))
            part = data[first : last + 1]
            return self.answer(206, part, f"bytes {first}-{last}/{len(data)}")

        def answer(self, code, body, span=None):
            self.send_response(code)
            self.send_header("Content-Length", str(len(body)))
            if span:
                self.send_header("Content-Range", span)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with served(Handler) as address:
        yield address


@pytest.fixture
def run(capsys):
    def call(*arguments):
        with pytest.raises(SystemExit) as stop:
            main(list(map(str, arguments)))
        streams = capsys.readouterr()
        return Answer(stop.value.code, streams.out, streams.err)

    return call


def same(counts, content):
    expected = read_counts(content, y_true="y", scores=["a", "b"])
    assert counts.keys() == expected.keys()
    for name, one in expected.items():
        assert (counts[name].positives.tolist(), counts[name].scores.tolist()) == (
            one.positives.tolist(),
            one.scores.tolist(),
        )


@pytest.mark.parametrize(
    "address",
    [
        "http://{host}/day/scores.parquet",
        f"http://{USER}:{PASSWORD.replace('@', '%40')}@{{host}}/private/scores.parquet",
        f"http://{{host}}/token/scores.parquet?sig={TOKEN}",
    ],
)
def test_a_web_server_gives_the_counts_of_the_file(server, content, address):
    address = address.format(host=server)
    for engine in ("duckdb", "memory"):
        same(read_counts(address, y_true="y", scores=["a", "b"], engine=engine), content)


def test_stores_give_the_counts_of_their_files(content):
    store = fsspec.filesystem("memory")
    for day in (1, 2):
        store.pipe(f"/bucket/day={day}/part.parquet", content.read_bytes())
    store.pipe("/bucket/_SUCCESS", b"")
    one = read_counts("memory://bucket/day=1/part.parquet", y_true="y", scores=["a", "b"])
    same(one, content)
    for folder in ("memory://bucket", "memory://bucket/*/*.parquet"):
        days = read_counts(folder, y_true="y", scores="a", groups="day")
        assert {str(day): counts["a"].n for day, counts in days.items()} == {"1": ROWS, "2": ROWS}


# ---------------------------------------------------------------- S3

KEY, SECRET = "AKIDEXAMPLE", "s3cr3tK3yOfTheStore"
_LISTED = (
    "<Contents><Key>{key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>"
    "<Size>{size}</Size></Contents>"
)


@pytest.fixture(scope="module")
def store(content):
    """A server that speaks as much of S3 as a reader needs; it answers signed requests only."""
    data = content.read_bytes()
    objects = {f"day={day}/part.parquet": data for day in (1, 2)}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self):
            self.do_GET()

        def do_GET(self):
            url = urlsplit(self.path)
            bucket, _, key = unquote(url.path).lstrip("/").partition("/")
            signature = self.headers.get("Authorization", "")
            if f"Credential={KEY}/" not in signature or "Signature=" not in signature:
                return self.answer(403, b"<Error><Code>AccessDenied</Code></Error>")
            if bucket != "bucket":
                return self.answer(404, b"<Error><Code>NoSuchBucket</Code></Error>")
            if not key:
                return self.answer(200, self.listed(dict(parse_qsl(url.query))))
            if key not in objects:
                return self.answer(404, b"<Error><Code>NoSuchKey</Code></Error>")
            wanted = self.headers.get("Range")
            if wanted is None:
                return self.answer(200, objects[key])
            first, last = (int(end) for end in wanted.removeprefix("bytes=").split("-"))
            last = min(last, len(data) - 1)
            return self.answer(206, data[first : last + 1], f"bytes {first}-{last}/{len(data)}")

        def listed(self, query):
            prefix, rows, common = query.get("prefix", ""), [], set()
            for key, value in objects.items():
                inner, slash, _ = key.removeprefix(prefix).partition("/")
                if not key.startswith(prefix):
                    continue
                if slash and query.get("delimiter"):
                    common.add(f"{prefix}{inner}/")
                else:
                    rows.append(_LISTED.format(key=key, size=len(value)))
            rows += [f"<CommonPrefixes><Prefix>{one}</Prefix></CommonPrefixes>" for one in sorted(common)]
            text = f"<ListBucketResult><Name>bucket</Name><IsTruncated>false</IsTruncated>{''.join(rows)}"
            return f"{text}</ListBucketResult>".encode()

        def answer(self, code, body, span=None):
            self.send_response(code)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")
            if span:
                self.send_header("Content-Range", span)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        def log_message(self, *_):
            pass

    with served(Handler) as address:
        yield f"http://{address}"


@pytest.fixture
def s3(store, monkeypatch):
    """Credentials where every reader of S3 looks for them."""
    settings = {
        # both names, so that no setting of the machine leads away from loopback
        "AWS_ENDPOINT_URL": store,
        "AWS_ENDPOINT_URL_S3": store,
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_DEFAULT_REGION": "eu-central-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "NO_PROXY": "127.0.0.1",
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    for name in ("AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def test_a_store_that_speaks_s3_gives_the_counts_of_its_files(s3, content):
    same(read_counts("s3://bucket/day=1/part.parquet", y_true="y", scores=["a", "b"]), content)
    for folder in ("s3://bucket", "s3://bucket/*/*.parquet"):
        days = read_counts(folder, y_true="y", scores="a", groups="day")
        assert {str(day): counts["a"].n for day, counts in days.items()} == {"1": ROWS, "2": ROWS}


def test_no_message_about_a_store_shows_its_credentials(s3, run):
    for address, words in (
        ("s3://bucket/missing.parquet", "must match Parquet files"),
        ("s3://other/part.parquet", "s3://other/part.parquet"),
        (f"s3://{KEY}:{SECRET}@bucket/day=1/part.parquet", "must begin with the bucket"),
    ):
        told = run("compare", address)
        assert told.code == 2
        assert words in told.err
        assert SECRET not in told.out + told.err
    s3.setenv("AWS_ACCESS_KEY_ID", "AKIDOTHER")
    told = run("compare", "s3://bucket/day=1/part.parquet")
    assert (told.code, told.out) == (2, "")
    assert told.err.count("\n") == 1
    for secret in (SECRET, "AKIDOTHER"):
        assert secret not in told.err


def test_the_command_line_compares_what_an_address_holds(run, server, content):
    flags = ("--exclude", "ballast", "--cost-fn", "100", "--cost-fp", "40", "--cost-abstain", "12", "--json")
    there = run("compare", f"http://{server}/day/scores.parquet", *flags, "--engine", "duckdb")
    here = run("compare", content, *flags, "--engine", "duckdb")
    assert there.code == 0, there.err
    assert there.json["comparison"] == here.json["comparison"]


@pytest.mark.parametrize(
    ("address", "words"),
    [
        (f"http://{USER}:wr0ng@{{host}}/private/scores.parquet", "401"),
        ("http://{host}/token/scores.parquet?sig=wr0ng", "403"),
        (f"http://{USER}:wr0ng@{{host}}/missing.parquet", "404"),
        (f"http://{USER}:wr0ng@{{host}}/whole/scores.parquet", "gives parts of files"),
        (f"http://{USER}:wr0ng@{{host}}/scores.csv", "must be a Parquet file"),
        (f"http://{USER}:wr0ng@127.0.0.1:1/scores.parquet", "must be readable"),
        (f"s3://{USER}:wr0ng@bucket/scores.parquet", "s3"),
        ("memory://nothing/here.parquet", "must match Parquet files"),
    ],
)
def test_messages_say_why_and_show_no_secret(run, server, address, words):
    address = address.format(host=server)
    with pytest.raises(InputError, match=words) as raised:
        read_counts(address, y_true="y", scores="a")
    told = run("compare", address)
    assert told.code == 2
    for text in (str(raised.value), told.out, told.err):
        assert "wr0ng" not in text


def test_columns_that_are_not_there_are_named_without_the_password(server):
    address = f"http://{USER}:{PASSWORD.replace('@', '%40')}@{server}/private/scores.parquet"
    with pytest.raises(InputError, match="no column 'c'") as raised:
        read_counts(address, y_true="y", scores="c")
    assert "s3cr3t" not in str(raised.value)


def test_which_addresses_are_files():
    assert is_remote("https://host/a.parquet")
    assert is_remote("S3://bucket/a.parquet")
    assert not is_remote("s3/a.parquet")
    assert not is_remote("postgres://host/db#table")
    assert not is_remote("duckdb://scores.db#t")


def test_threads_that_share_a_file_read_from_places_of_their_own(tmp_path):
    # each thread moves and reads in two calls, as DuckDB does; without places of their own they mix
    path = tmp_path / "numbers"
    path.write_bytes(bytes(range(256)) * 64)
    shared = _SharedFile(path.open("rb"))
    together, wrong = threading.Barrier(4), []

    def look(start):
        for step in range(200):
            at = (start * 37 + step * 11) % 256
            together.wait()
            shared.seek(at)
            together.wait()
            if shared.read(1) != bytes([at]) or shared.tell() != at + 1:
                wrong.append(at)

    threads = [threading.Thread(target=look, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    shared.seek(-1, 2)
    assert shared.read() == b"\xff"
    shared.seek(2)
    shared.seek(3, 1)
    assert shared.read(1) == b"\x05"
    shared.close()
