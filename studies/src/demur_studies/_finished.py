"""Keep finished parts of a long run in a folder, so that a stopped run can resume.

A part is whatever takes seconds: the scores of one WEKA run, one data set of a table. It is kept
as a small JSON file that appears whole or not at all, so a run may be killed at any moment.
"""

import hashlib
import json
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import demur
from demur._files.whole import draft_of
from demur._version import __version__

__all__ = ["FinishedParts", "default_folder"]


def default_folder() -> Path:
    """The user's cache folder: $XDG_CACHE_HOME or ~/.cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "demur" / "reproduce"


@cache
def _code() -> str:
    """Digest of the files of demur and of the studies: other code, another part, also within a version."""
    digest = hashlib.sha256()
    for package in (Path(demur.__file__).parent, Path(__file__).parent):
        for file in sorted(package.rglob("*.py")):
            digest.update(file.relative_to(package).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


class FinishedParts:
    """Parts by their key; `folder` None keeps nothing."""

    def __init__(self, folder: str | Path | None = None) -> None:
        self._folder = None if folder is None else Path(folder)
        self.n_found = 0

    def part(self, key: str, make: Callable[[], Any]) -> Any:
        """Return the JSON-safe value of `make`, from the folder if it is finished there.

        `key` names everything the value depends on but demur, whose version and code are added.
        """
        if self._folder is None:
            return make()
        whole_key = f"demur {__version__} {_code()}: {key}"
        file = self._folder / f"{hashlib.sha256(whole_key.encode()).hexdigest()[:24]}.json"
        try:
            kept = json.loads(file.read_text(encoding="utf-8"))
        except (FileNotFoundError, json.JSONDecodeError):
            kept = None
        if kept is not None and kept["key"] == whole_key:
            self.n_found += 1
            return kept["value"]
        value = make()
        self._folder.mkdir(parents=True, exist_ok=True)
        with draft_of(file) as draft:
            draft.write_text(json.dumps({"key": whole_key, "value": value}), encoding="utf-8")
        # what a first run returns must be what a second one reads
        return json.loads(json.dumps(value))
