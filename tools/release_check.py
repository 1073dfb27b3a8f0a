"""Check a release as a stranger gets it: python tools/release_check.py [--output DIR] [--tag vX.Y.Z].

Builds sdists and wheels of demur and of its studies, lets twine check them, and compares the sdist with what
git keeps. Two clean virtual environments, one from the wheel and one from the sdist, are installed without
extras, checked, given extras, and checked again: `pip check`, the commands and the Python of the README,
`mypy --strict` on a user's script, tests of the unpacked sdist. The source folder is not on their path.
"""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
LARGEST_CORE = 330
"""Megabytes of site-packages after `pip install demur`, pip included."""
WITHOUT_EXTRAS = """
import importlib.util
import demur
from demur.datasets.breast_cancer import breast_cancer_scores

assert not [name for name in ("numba", "duckdb", "matplotlib") if importlib.util.find_spec(name)]
data = breast_cancer_scores()
costs = demur.CostModel(cost_fn=1000, cost_fp=100, cost_abstain=20)
answer = demur.compare_models(data.diagnosis, data.scores, pos_label="malignant", costs=costs).answer
assert answer.verdict == "proven", answer.verdict
print(answer.decide([0.01, 0.3, 0.99]).tolist())
"""
TESTS_OF_SDIST = ["tests/package/test_readme.py", "tests/package/test_release.py", "tests/roc"]
# enough to see that the sdist is complete; `make test` looks longer
BRIEF = ["-q", "-n", "auto", "-m", "not long"]


class Clean:
    """A new virtual environment, and an empty folder to work in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        venv.create(folder / "venv", with_pip=True)
        self.programs = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
        self.work = folder / "work"
        self.work.mkdir()

    def run(self, *command: str | Path, cwd: Path | None = None) -> str:
        """Run a program of the environment; stop with what it said if it fails."""
        path = os.pathsep.join([str(self.programs), os.environ["PATH"]])
        hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
        environment = {key: value for key, value in os.environ.items() if key not in hidden}
        environment |= {"PATH": path, "MPLBACKEND": "agg", "COLUMNS": "80", "DEMUR_PROFILE": "brief"}
        program = shutil.which(str(command[0]), path=path) or str(command[0])
        return output(program, *command[1:], cwd=cwd or self.work, env=environment)

    def install(self, *wanted: str | Path) -> None:
        """Install packages and `pip check` the whole."""
        self.run("python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted)
        self.run("python", "-m", "pip", "check")

    def megabytes(self) -> float:
        """Return what site-packages takes on disk."""
        site = self.run("python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
        return sum(path.lstat().st_blocks for path in Path(site).rglob("*")) * 512 / 1e6


def output(*command: str | Path, **options: object) -> str:
    """Run a program; return standard output, or stop with everything it said."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if done.returncode:
        said = f"{done.stdout[-4000:]}\n{done.stderr[-4000:]}".strip()
        raise SystemExit(f"{said}\n{shlex.join(str(part) for part in command)} failed: no release.")
    return done.stdout


def build(folder: Path) -> dict[str, Path]:
    """Build demur and its studies; return the files by kind."""
    for source in (ROOT, ROOT / "studies"):
        output(sys.executable, "-m", "build", "--outdir", folder, source)
    output(sys.executable, "-m", "twine", "check", "--strict", *sorted(folder.iterdir()))
    (sdist,), (wheel,) = folder.glob("demur-*.tar.gz"), folder.glob("demur-*.whl")
    (studies,) = folder.glob("demur_studies-*.whl")
    return {"sdist": sdist, "wheel": wheel, "studies": studies}


def check_contents(sdist: Path) -> None:
    """Compare the sdist with the files that git keeps, where this is a clone."""
    if not (ROOT / ".git").exists():
        return
    with tarfile.open(sdist) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    kept = set(output("git", "ls-files", cwd=ROOT).splitlines())
    if missing := sorted(kept - packed - {".gitignore"}):
        raise SystemExit(f"the sdist lacks {', '.join(missing[:9])}: no release.")


def readme_blocks(language: str) -> list[str]:
    """Return the code of the README in one language."""
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)


def check_readme(clean: Clean) -> None:
    """Run the commands of the README in order, and its Python; check that Python as a user's script, too."""
    for line in "\n".join(readme_blocks("sh")).replace("\\\n", " ").splitlines():
        if line.startswith("demur "):
            clean.run(*shlex.split(line, comments=True))
    script = clean.work / "user_script.py"
    script.write_text("\n".join(readme_blocks("python")), encoding="utf-8")
    clean.run("python", script)
    clean.run("python", "-m", "mypy", "--strict", script)
    clean.run("demur", "reproduce", "--list")


def main() -> None:
    """Do it all; say how long each step took."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--output", type=Path, help="keep the checked files in this folder")
    parser.add_argument("--tag", help="refuse if the version is not that of this tag, such as v0.3.0")
    given = parser.parse_args()
    began = [time.monotonic()]

    def said(what: str) -> None:
        print(f"{time.monotonic() - began[-1]:4.0f} s  {what}", flush=True)
        began.append(time.monotonic())

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        files = build(folder / "dist")
        version = files["wheel"].name.split("-")[1]
        if given.tag and given.tag != f"v{version}":
            raise SystemExit(f"The tag {given.tag} is not v{version}, the version in src/demur/_version.py.")
        check_contents(files["sdist"])
        said(f"demur {version}: built, checked by twine; the sdist holds what git keeps")

        for kind, extra in (("wheel", "all"), ("sdist", "test")):
            clean = Clean(folder / kind)
            clean.install(files[kind])
            clean.run("python", "-c", WITHOUT_EXTRAS)
            if clean.run("demur", "--version").strip() != f"demur {version}":
                raise SystemExit("demur --version tells another version: no release.")
            size = clean.megabytes()
            if size > LARGEST_CORE:
                raise SystemExit(
                    f"{kind}: {size:.0f} MB without extras, more than {LARGEST_CORE}: no release."
                )
            said(f"{kind} without extras: {size:.0f} MB, pip check, an answer")
            clean.install(f"demur[{extra}] @ {files[kind].as_uri()}", files["studies"])
            said(f"{kind}[{extra}]: {clean.megabytes():.0f} MB with the studies, pip check")
            if kind == "wheel":
                clean.install("mypy")
                check_readme(clean)
                said("README: commands, Python, mypy --strict")
            else:
                with tarfile.open(files["sdist"]) as archive:
                    archive.extractall(clean.folder, filter="data")
                unpacked = clean.folder / f"demur-{version}"
                last = clean.run("python", "-m", "pytest", *BRIEF, *TESTS_OF_SDIST, cwd=unpacked)
                said(f"tests of the unpacked sdist: {last.strip().splitlines()[-1]}")
        if given.output:
            given.output.mkdir(parents=True, exist_ok=True)
            for file in (folder / "dist").iterdir():
                shutil.copy(file, given.output)
    print(f"{time.monotonic() - began[0]:.0f} s in all: demur {version} can be released")


if __name__ == "__main__":
    main()
