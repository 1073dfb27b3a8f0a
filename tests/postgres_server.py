"""A real PostgreSQL for the tests: a cluster in a temporary folder, reached through a socket in it.

The server refuses to run as root, so root starts it as the user `postgres` or `nobody`. It listens on no
port, and is ended by its id. The fixture skips, with a sentence, where PostgreSQL is missing.
"""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

_START_SECONDS = 30
# nothing here has to survive a loss of power
_QUICK = ("-c", "fsync=off", "-c", "full_page_writes=off", "-c", "synchronous_commit=off")


def programs():
    """Return the folder of the newest server; Debian keeps it off the path."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: float(p.parts[-3]))
    on_path = shutil.which("initdb")
    if not found and on_path is None:
        pytest.skip("PostgreSQL is missing: apt-get install postgresql")
    return found[-1].parent if found else Path(on_path).parent


def _user():
    """Return how to become somebody the server accepts."""
    if os.geteuid() != 0:
        return {}
    names = {entry.pw_name for entry in pwd.getpwall()}
    account = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


class PostgresServer:
    """One running server; `run` answers the rows of a script as lists of text, None for NULL."""

    def __init__(self):
        self._bin = programs()
        self._as = _user()
        # pytest's own folders are closed to other users, and the path of a socket must be short
        self.folder = Path(tempfile.mkdtemp(prefix="demur-pg-"))
        if self._as:
            os.chown(self.folder, self._as["user"], self._as["group"])
        data = self.folder / "data"
        options = ("--no-sync", "--auth=trust", "--username=demur", "--encoding=UTF8", "--locale=C")
        self._call("initdb", "-D", data, *options)
        command = [self._bin / "postgres", "-D", data, "-k", self.folder, "-c", "listen_addresses=", *_QUICK]
        with open(self.folder / "log", "wb") as log:
            self._server = subprocess.Popen(
                command, stdout=log, stderr=subprocess.STDOUT, cwd=self.folder, **self._as
            )
        self._await()

    def run(self, script, **files):
        """Run SQL; `files` holds text to copy from, as :'name' in the script."""
        settings = []
        for name, content in files.items():
            path = self.folder / name
            path.write_text(content)
            path.chmod(0o644)
            settings += ["-v", f"{name}={path}"]
        done = subprocess.run(
            [self._bin / "psql", *self._connection(), "-qXAt", "-v", "ON_ERROR_STOP=1", *settings],
            input=script,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout

    def stop(self):
        # a fast shutdown: sessions end, nothing is lost
        self._server.send_signal(signal.SIGINT)
        self._server.wait(30)
        shutil.rmtree(self.folder)

    def _connection(self):
        return "-h", self.folder, "-U", "demur", "-d", "postgres"

    def _call(self, program, *args):
        subprocess.run(
            [self._bin / program, *args], check=True, capture_output=True, cwd=self.folder, **self._as
        )

    def _await(self):
        deadline = time.monotonic() + _START_SECONDS
        while subprocess.run([self._bin / "pg_isready", *self._connection()], capture_output=True).returncode:
            if time.monotonic() > deadline or self._server.poll() is not None:
                raise RuntimeError((self.folder / "log").read_text()[-2000:])
            time.sleep(0.05)


@pytest.fixture(scope="module", name="postgres")
def postgres_fixture():
    """The server; one for all tests of a file."""
    server = PostgresServer()
    yield server
    server.stop()
