"""Parquet files at addresses: a web server on loopback, stores through fsspec, no password in any message."""

import base64
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import duckdb
import fsspec
import pytest

from command_line import Answer
from demur import InputError, read_counts
from demur.cli.main import main
from demur.engines.remote import is_remote

USER, PASSWORD, TOKEN = "ann", "s3cr3t@x", "t0k3n"
ROWS = 20_000


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

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        thread = threading.Thread(target=listening.serve_forever, daemon=True)
        thread.start()
        yield f"127.0.0.1:{listening.server_port}"
        listening.shutdown()
        thread.join()


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
