"""A real Spark cluster for the tests: a standalone master and two workers, each a process of its own.

Everything listens on loopback only and writes to a temporary folder; every process is ended by
its id. The fixture skips, with a sentence, where Java or PySpark is missing.
"""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

_START_SECONDS = 60
# the quick compiler, and no proof of the byte code of Spark's own classes: an eighth of a start
_QUICK = (
    "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)
# small heaps: these processes only pass messages
_DAEMON = ("-Xmx128m", *_QUICK.split())
# what a session needs to be small; the least heap Spark accepts is 450 MB
SMALL = {
    "spark.driver.extraJavaOptions": _QUICK,
    "spark.executor.extraJavaOptions": _QUICK,
    "spark.driver.memory": "512m",
    "spark.executor.memory": "512m",
    "spark.executor.cores": "1",
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def spark_home():
    return Path(find_spec("pyspark").origin).parent


def _scala_version():
    return next((spark_home() / "jars").glob("spark-core_*.jar")).name.split("_")[1].split("-")[0]


class SparkCluster:
    """A master and two workers of one core and 512 MB, or what is given, each."""

    def __init__(self, folder, memory="512m"):
        self.folder, self._memory = Path(folder), memory
        self._port = free_port()
        self.master = f"spark://127.0.0.1:{self._port}"
        self._processes = {}
        self._start("master", "master.Master", "--host", "127.0.0.1", "--port", self._port)
        self._await(lambda: _listens(self._port), "the master does not listen")
        self.start_workers("first", "second")

    def start_workers(self, *names):
        for name in names:
            place = ("--host", "127.0.0.1", "--work-dir", self.work_folder(name))
            self._start(name, "worker.Worker", *place, "--cores", 1, "--memory", self._memory, self.master)
        registered = "Successfully registered with master"
        logs = [self._log(name) for name in names]
        self._await(lambda: all(registered in log.read_text() for log in logs), "workers do not register")

    def work_folder(self, name):
        """Executors of a worker run in folders below this one."""
        return self.folder / name

    def kill_worker(self, name):
        """End a worker without a word, as a machine that loses power; its executor ends with it."""
        process = self._processes.pop(name)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()

    def stop(self):
        for process in self._processes.values():
            process.terminate()
        for process in self._processes.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)
            if process.poll() is None:
                process.kill()
                process.wait()

    def _start(self, name, role, *args):
        # no web page for people to look at, so any port does
        command = ["java", *_DAEMON, "-cp", f"{spark_home() / 'jars'}/*", f"org.apache.spark.deploy.{role}"]
        command += ["--webui-port", str(free_port()), *map(str, args)]
        environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
        # what spark-class would set before it starts the same programs
        environment["SPARK_HOME"] = str(spark_home())
        environment["SPARK_SCALA_VERSION"] = _scala_version()
        environment["SPARK_LOCAL_DIRS"] = str(self.folder / "scratch")
        with open(self._log(name), "wb") as log:
            self._processes[name] = subprocess.Popen(
                command, stdout=log, stderr=subprocess.STDOUT, env=environment, cwd=self.folder
            )

    def _await(self, is_met, complaint):
        deadline = time.monotonic() + _START_SECONDS
        while not is_met():
            if time.monotonic() > deadline or any(p.poll() is not None for p in self._processes.values()):
                logs = "\n".join(self._log(name).read_text()[-2000:] for name in self._processes)
                self.stop()
                raise RuntimeError(f"{complaint}:\n{logs}")
            time.sleep(0.1)

    def _log(self, name):
        return self.folder / f"{name}.log"


def _listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def require_spark():
    """Skip where Spark cannot run."""
    if find_spec("pyspark") is None:
        pytest.skip("Spark needs PySpark: pip install 'demur[spark]'")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java 17: apt-get install openjdk-17-jre-headless")


@pytest.fixture(scope="session", name="cluster")
def cluster_fixture(tmp_path_factory):
    """The cluster; one for all tests."""
    require_spark()
    cluster = SparkCluster(tmp_path_factory.mktemp("spark"))
    yield cluster
    cluster.stop()
