"""Command lines whose whole text is recorded: what a user types, and what the terminal shows."""

import contextlib
import io
import os
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from demur._version import __version__
from demur.cli.main import main

__all__ = ["SESSIONS", "TEXTS", "transcripts"]

TEXTS = Path(__file__).parent / "text"
INPUTS = TEXTS / "inputs"

_COSTS = "--cost-fn 100 --cost-fp 40 --cost-abstain 8"
_TWO = "two_models.csv --label sick"
_TIES = "many_ties.csv --label outcome --positive yes"
_SITES = "sites.csv --label ill --positive ill"
_VISITS = "visits.csv --label ill"
_DATED = "dated.csv --label fraud"
_PLACES = f"{_COSTS} --reviews-per-day 1 --day day --key payment_id"
_CLASSES = "three_classes.csv --label diagnosis --classes flu,cold,other"
_WATCH = "watch policy.json"

SESSIONS: dict[str, dict[str, str]] = {
    "compare": {
        "point": f"compare {_TWO} {_COSTS}",
        "without-costs": f"compare {_TWO}",
        "must-decide": f"compare {_TWO} --model new --cost-fn 5 --cost-fp 1",
        "ratios-and-level": f"compare {_TWO} --mu 0.4 --nu 0.12 --confidence 0.9 --seed 7",
        "markdown": f"compare {_TWO} {_COSTS} --max-abstention 0.2 -o table.md",
        "csv": f"compare {_TWO} {_COSTS} -o table.csv",
    },
    "compare-limits": {
        "reviews-per-day": f"compare {_TWO} {_COSTS} --reviews-per-day 15 --cases-per-day 100",
        "precisions": f"compare {_TWO} {_COSTS} --min-precision-positive 0.8 --min-precision-negative 0.9",
        "misses": f"compare {_TWO} {_COSTS} --max-fn-rate 0.1",
        "impossible": f"compare {_TIES} --cost-fn 5 --cost-fp 1 --cost-abstain 0.5"
        " --max-fn-rate 0.01 --min-precision-positive 0.95 --max-abstention 0.05",
    },
    "compare-ranges": {
        "costs": f"compare {_TWO} --model new --cost-fn 50:150 --cost-fp 40 --cost-abstain 8:16",
        "prevalence": f"compare {_TWO} --model new {_COSTS} --prevalence 0.1:0.3 --objective worst",
        "prevalence-in-use": f"compare {_TWO} {_COSTS} --prevalence 0.05",
    },
    "compare-files": {
        "ties": f"compare {_TIES} --cost-fn 4 --cost-fp 2 --cost-abstain 0.5",
        "amounts": "compare payments.csv --label fraud --cost-fn amount --cost-fp 25 --cost-abstain 4",
        "repeats": f"compare weighted.csv {_COSTS} --weight cases --weights repeats",
        "importance": f"compare weighted.csv {_COSTS} --weight cases",
        "missing": f"compare missing.csv {_COSTS}",
        "drop-missing": f"compare missing.csv {_COSTS} --drop-missing",
        "groups": f"compare {_SITES} --group site {_COSTS}",
        "by": f"compare {_SITES} --by site {_COSTS}",
        "ids-that-repeat": f"compare {_VISITS} {_COSTS}",
        "clusters": f"compare {_VISITS} {_COSTS} --cluster patient_id --exclude day",
        "clusters-and-times": f"compare {_VISITS} {_COSTS} --cluster patient_id --time day",
        "dates": f"compare {_DATED} {_COSTS}",
        "copies": f"compare copied.csv {_COSTS}",
        "counted-prevalence": f"compare {_TWO} {_COSTS} --prevalence 26/2000",
        "rewards-and-reviewer": f"compare {_TWO} --cost-fn 100 --cost-fp 40 --cost-tp=-20 --review-fee 9"
        " --reviewer-sensitivity 0.95",
    },
    "several": {
        "combine": f"compare {_TWO} {_COSTS} --combine --price new=1 --price old=0.5",
        "decide": f"decide {_TWO} {_COSTS} --combine -o several.json",
        "missing-column": "apply several.json payments.csv",
        "one-model": f"compare {_TWO} --model new {_COSTS} --combine",
    },
    "classes": {
        "compare": f"compare {_CLASSES} --cost-matrix costs.csv",
        "decide": f"decide {_CLASSES} --model new --cost-matrix costs.csv --max-abstention 0.3"
        " -o policy.json",
        "apply": "apply policy.json fresh_classes.csv",
    },
    "decide": {
        "policy-to-standard-output": f"decide {_TWO} --model new {_COSTS}",
        "limits": f"decide {_TWO} {_COSTS} --max-abstention 0.2 --min-precision-positive 0.8 -o limited.json",
        "amounts": "decide payments.csv --label fraud --cost-fn amount --cost-fp 25 --cost-abstain 4"
        " -o amounts.json",
        "without-a-model": f"decide {_TIES} --model coin --cost-fn 1 --cost-fp 1"
        " --cost-abstain 0.05 -o nothing.json",
        "groups": f"decide {_SITES} --model score --group site {_COSTS} -o policy.json",
        "no-costs": f"decide {_TWO}",
        "require-proof": f"decide {_TWO} {_COSTS} --max-abstention 0.2 --require-proof -o proven.json",
        "require-proof-missing": f"decide {_VISITS} {_COSTS} --require-proof -o nothing.json",
    },
    "check": {
        "sound": f"check {_TWO}",
        "missing": "check missing.csv",
        "ties": f"check {_TIES}",
        "visits": f"check {_VISITS}",
        "copies": "check copied.csv",
        "unlabelled": "check unlabelled.csv --label checked",
        "wrong-column": "check sites.csv --label nobody",
    },
    "use": {
        "decide": f"decide {_TWO} --model new {_COSTS} --abstain-label ask -o policy.json",
        "apply": "apply policy.json fresh.csv",
        "apply-only": "apply policy.json fresh.csv --only --column answer -o answers.csv",
        "apply-strict": "apply policy.json fresh.csv --strict",
        "watch-quiet": f"{_WATCH} labelled.csv --state state.json --at 2026-02-28",
        "watch-days": f"{_WATCH} production.csv --state state.json --date-column day",
        "watch-again": f"{_WATCH} production.csv --state state.json --date-column day",
        "watch-late-labels": f"{_WATCH} labelled.csv --state state.json --label sick --late",
        "watch-alarm": f"{_WATCH} drifted.csv --state state.json --at 2026-03-03 --propose proposed.json",
    },
    "places": {
        "compare": f"compare {_DATED} {_PLACES}",
        "decide": f"decide {_DATED} {_PLACES} --carry-over -o places.json",
        "apply": "apply places.json dated.csv -o decided.parquet",
    },
    "rec": {
        "absolute": "rec forecasts.csv --target price",
        "squared": "rec forecasts.csv --target price --model tree --model line --loss squared"
        " --max-tolerance 60",
    },
    "ordinal": {
        "steps": "ordinal stages.csv --label stage --order healthy,mild,severe",
        "one-model": "ordinal stages.csv --label stage --order healthy,mild,severe --model marker"
        " --step-cost 2 --confidence 0.9",
        "no-order": "ordinal stages.csv --label stage",
    },
}
"""Title -> command line, by session: those of one session run in turn in one folder, and find its files."""

_SHOWN = (".md", ".csv", ".json")
"""Files a command wrote that are part of its text."""


def transcripts(session: str, folder: Path) -> Iterator[tuple[Path, str]]:
    """Run a session in an empty folder; yield the file of every command and the text it must hold."""
    shutil.copytree(INPUTS, folder, dirs_exist_ok=True)
    for title, line in SESSIONS[session].items():
        before = _contents(folder)
        code, out, err = _run(shlex.split(line), folder)
        parts = [f"$ demur {line}\n", f"exit code {code}\n", "--- standard output\n", out]
        parts += ["--- standard error\n", err] if err else []
        for name, content in _contents(folder).items():
            if before.get(name) != content and not name.startswith("state"):
                parts += [f"--- {name}\n", content]
        yield TEXTS / f"{session}-{title}.txt", _normal("".join(parts), folder)


def _contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.iterdir()) if path.suffix in _SHOWN}


def _run(arguments: list[str], folder: Path) -> tuple[object, str, str]:
    """Run a command as `demur` does, in this process."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2)]
    with (
        mock.patch.dict(os.environ, {"COLUMNS": "80"}),
        contextlib.chdir(folder),
        contextlib.redirect_stdout(streams[0]),
        contextlib.redirect_stderr(streams[1]),
    ):
        try:
            main(arguments)
            code: object = 0
        except SystemExit as stop:
            code = stop.code
    texts = []
    for stream in streams:
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())  # type: ignore[attr-defined]
    return code, texts[0], texts[1]


def _normal(text: str, folder: Path) -> str:
    """Leave out what another machine, day or release writes otherwise."""
    text = text.replace(str(folder), "FOLDER").replace(f"demur {__version__}", "demur VERSION")
    text = re.sub(r"sha256:[0-9a-f]{64}", "sha256:DIGEST", text)  # the version is among what is hashed
    # unrounded numbers may end in other bits
    return re.sub(r"-?\d+\.\d{11,}(e-?\d+)?", lambda found: f"{float(found[0]):.10g}", text)
