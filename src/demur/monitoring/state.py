"""The state of a monitor, in memory and as a small JSON file that can be read by hand."""

import hashlib
import json
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from demur._files.whole import whole_file
from demur._results import json_safe
from demur.exceptions import InputError
from demur.monitoring.betting import CostSequence
from demur.monitoring.drift import Start
from demur.policy.file import file_text
from demur.policy.policy import Policy
from demur.typing import FloatArray
from demur.windows.rule import Window

__all__ = [
    "BatchRow",
    "MonitorState",
    "locked",
    "parsed_state",
    "policy_digest",
    "state_policy",
    "trusted",
    "write_state",
]

SCHEMA = "demur.monitor"
VERSION = 3

_MOST_KEYS = 1000
_MOST_ROWS = 120
_LARGEST_POLICY = 12_000
_KEY_DIGITS = 12
_LARGEST_LOG_E = 12 * math.log(10)
# seconds between two attempts to take a lock
_BETWEEN = 0.05


@dataclass(frozen=True, kw_only=True)
class BatchRow:
    """One batch, or some neighbouring ones joined.

    Attributes
    ----------
    first, last : int
        Numbers of the batches.
    at : str or None
        When the first of them came.
    counts : tuple of float
        Cases by decision: the classes in order, abstained on last.
    missing : int
        Rows without a score.
    log_e : float
        Log of the evidence after the last of them.
    cost, cost_low, cost_high : float or None
        Mean cost per case and its limits after the last of them, where labels came.
    prevalence : float or None
        P(positive) that explains the scores of these batches alone.
    """

    first: int
    last: int
    at: str | None
    counts: tuple[float, ...]
    missing: int
    log_e: float
    cost: float | None = None
    cost_low: float | None = None
    cost_high: float | None = None
    prevalence: float | None = None

    @property
    def n(self) -> float:
        """Cases with a decision."""
        return sum(self.counts)

    @property
    def evidence(self) -> float:
        """Evidence after the last batch, at most 10**12 so that it fits on an axis."""
        return math.exp(min(self.log_e, _LARGEST_LOG_E))

    def joined(self, later: "BatchRow") -> "BatchRow":
        """Return both as one row; the prevalence is their mean, by cases."""
        rates = [(row.prevalence, row.n) for row in (self, later) if row.prevalence is not None]
        priced = later if later.cost is not None else self
        return BatchRow(
            first=self.first,
            last=later.last,
            at=self.at,
            counts=tuple(a + b for a, b in zip(self.counts, later.counts, strict=True)),
            missing=self.missing + later.missing,
            log_e=later.log_e,
            cost=priced.cost,
            cost_low=priced.cost_low,
            cost_high=priced.cost_high,
            prevalence=sum(rate * n for rate, n in rates) / sum(n for _, n in rates) if rates else None,
        )

    def to_list(self) -> list[Any]:
        """Return the columns of the row, numbers short."""
        optional = (self.cost, self.cost_low, self.cost_high, self.prevalence)
        short = (None if value is None else round(value, 6) for value in optional)
        cases = (*map(int, self.counts), int(self.missing))
        return [self.first, self.last, self.at, *cases, round(self.log_e, 4), *short]

    @classmethod
    def from_list(cls, row: list[Any], actions: int) -> "BatchRow":
        """Read the columns of `to_list`."""
        first, last, at, *rest = row
        missing, log_e, cost, low, high, prevalence = rest[actions:]
        return cls(
            first=first,
            last=last,
            at=at,
            counts=tuple(rest[:actions]),
            missing=missing,
            log_e=log_e,
            cost=cost,
            cost_low=low,
            cost_high=high,
            prevalence=prevalence,
        )


@dataclass(kw_only=True, eq=False)
class MonitorState:
    """Everything a monitor remembers of a rule with `classes` classes."""

    classes: int
    batches: int = 0
    starts: list[Start] = field(default_factory=list)
    log_e: float = 0.0
    highest_log_e: float = 0.0
    changed_at: int | None = None
    scale: dict[str, str] = field(default_factory=dict)
    keys: dict[str, bool] = field(default_factory=dict)
    rows: list[BatchRow] = field(default_factory=list)
    labelled: FloatArray = field(init=False)
    agreement: FloatArray = field(init=False)
    cost: CostSequence | None = None

    def __post_init__(self) -> None:
        """Begin with empty tables of labels."""
        self.labelled = np.zeros((self.classes, self.classes + 1))
        self.agreement = np.zeros((self.classes, self.classes))

    def knows(self, key: str | None, *, labels: bool) -> bool:
        """Tell whether the scores, or the labels, of a batch were counted."""
        if key is None:
            return False
        labelled = self.keys.get(_key_digest(key))
        return labelled is not None and (labelled or not labels)

    def remember(self, key: str | None, *, labels: bool) -> None:
        """Remember a batch; the oldest of more than 1,000 is forgotten."""
        if key is None:
            return
        digest = _key_digest(key)
        self.keys[digest] = self.keys.get(digest, False) or labels
        while len(self.keys) > _MOST_KEYS:
            del self.keys[next(iter(self.keys))]

    def add_row(self, row: BatchRow) -> None:
        """Add a batch to the history; beyond 120 rows the older half is joined in pairs."""
        self.rows.append(row)
        if len(self.rows) > _MOST_ROWS:
            half = len(self.rows) // 4 * 2
            pairs = zip(self.rows[:half:2], self.rows[1:half:2], strict=True)
            self.rows = [first.joined(second) for first, second in pairs] + self.rows[half:]

    def add_cost(self, sequence: CostSequence) -> None:
        """Note the cost so far in the latest row."""
        if self.rows:
            low, high = sequence.interval
            self.rows[-1] = replace(self.rows[-1], cost=sequence.mean, cost_low=low, cost_high=high)

    def fill(self, data: dict[str, Any], size: int) -> None:
        """Set the fields from a state file, whose counts are of `size` cells."""
        if data["version"] == 1:
            # decisions were the rows of the table there, and abstaining came between the classes
            negative, abstained, positive = data["labelled"]
            data["labelled"] = list(zip(negative, positive, abstained, strict=True))
            for row in data["history"]:
                row[4], row[5] = row[5], row[4]
        evidence = data["evidence"]
        self.batches = int(data["batches"])
        self.log_e = float(evidence["log_e"])
        self.highest_log_e = float(evidence["highest_log_e"])
        self.changed_at = None if evidence["changed_at"] is None else int(evidence["changed_at"])
        if not (math.isfinite(self.log_e) and math.isfinite(self.highest_log_e)) or self.batches < 0:
            raise ValueError("evidence is not a number")
        for batch, *counts in evidence["starts"]:
            column = np.array(counts, dtype=np.float64)
            if len(column) != size or np.any(column < 0) or not 1 <= batch <= self.batches:
                raise ValueError("starts do not fit the policy")
            self.starts.append(Start(int(batch), column))
        if self.batches and (not self.starts or self.starts[0].batch != 1):
            raise ValueError("the first start is missing")
        self.scale = {str(kind): str(words) for kind, words in data["scale"].items()}
        m = self.classes
        self.labelled = np.array(data["labelled"], dtype=np.float64)
        if self.labelled.shape != (m, m + 1):
            raise ValueError(f"labelled cases are not a table of {m} by {m + 1}")
        self.agreement = np.array(data["agreement"], dtype=np.float64)
        if self.agreement.shape != (m, m):
            raise ValueError(f"cases with two labels are not a table of {m} by {m}")
        if self.cost is not None and data["cost"] is not None:
            self.cost = self.cost.with_state(data["cost"])
        # older states have no cost where none was promised
        elif data["cost"] is not None or (self.cost is not None and self.cost.promise is not None):
            raise ValueError("costs do not fit the policy")
        self.rows = [BatchRow.from_list(row, m + 1) for row in data["history"]]
        self.keys = {key.removesuffix("+"): key.endswith("+") for key in data["keys"]}


def _key_digest(key: str) -> str:
    return hashlib.sha256(str(key).encode()).hexdigest()[:_KEY_DIGITS]


def policy_digest(policy: Policy) -> str:
    """Return the fingerprint of a policy."""
    return "sha256:" + hashlib.sha256(policy.to_json().encode()).hexdigest()


def _older_digest(policy: Policy) -> str | None:
    """Return the fingerprint of a window as policy files of versions 1 and 2 had it; None for other rules."""
    if not isinstance(policy.rule, Window):
        return None
    new = policy.to_dict()
    costs, evidence = new["costs"] or {}, new["evidence"]
    kind = costs.pop("kind", None)
    window, promise = new["rule"], new["promise"] or {}
    older = {
        "schema": new["schema"],
        "version": 2 if kind == "amounts" else 1,
        "model": policy.model,
        "labels": {
            "positive": policy.pos_label,
            "negative": policy.neg_label,
            "abstain": policy.abstain_label,
        },
        "window": {"lower": window["lower"], "upper": window["upper"]},
        "rule": policy.chosen,
        "note": policy.note,
        "costs": costs if kind == "by class" else None,
        "prevalence": policy.prevalence,
        "expected": {name: promise.get(name) for name in ("cost", "abstention_rate", "fn", "fp")},
        **({"amounts": costs} if kind == "amounts" else {}),
        "evidence": {name: evidence[name] for name in ("n", "prevalence", "digest", "software", "blocks")},
    }
    return "sha256:" + hashlib.sha256(file_text(older).encode()).hexdigest()


def write_state(
    path: str | Path, state: MonitorState, *, policy: Policy, alpha: float, summary: dict[str, Any]
) -> None:
    """Write a state file: what it says first, then what the next batch needs."""
    described = policy.to_dict()
    small = len(json.dumps(described)) <= _LARGEST_POLICY
    parts = {
        "schema": SCHEMA,
        "version": VERSION,
        "summary": summary,
        "alpha": alpha,
        "policy_digest": policy_digest(policy),
        "policy": described if small else None,
        "batches": state.batches,
        "evidence": {
            "log_e": state.log_e,
            "highest_log_e": state.highest_log_e,
            "changed_at": state.changed_at,
            "starts": [[start.batch, *start.counts.astype(np.int64).tolist()] for start in state.starts],
        },
        "scale": state.scale,
        "labelled": state.labelled.tolist(),
        "agreement": state.agreement.tolist(),
        "cost": None if state.cost is None else state.cost.to_state(),
        "history": [row.to_list() for row in state.rows],
        "keys": [f"{key}{'+' if labelled else ''}" for key, labelled in state.keys.items()],
    }
    lines = (
        f"  {json.dumps(name)}: {json.dumps(json_safe(value), allow_nan=False, ensure_ascii=False)}"
        for name, value in parts.items()
    )
    with whole_file(path) as handle:
        handle.write("{\n" + ",\n".join(lines) + "\n}\n")


@contextmanager
def trusted(path: str | Path) -> Iterator[None]:
    """Turn errors of reading a broken state into one sentence."""
    try:
        yield
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        what = f"`{error.args[0]}` is missing" if isinstance(error, KeyError) else str(error)
        raise InputError(f"`{path}` is not a state to trust: {what}. Hint: begin a new one.") from None


def state_policy(data: dict[str, Any], policy: Policy | None, path: str | Path) -> Policy:
    """Return the policy of a state; one that is given must be the same."""
    if policy is not None:
        if data["policy_digest"] not in (policy_digest(policy), _older_digest(policy)):
            raise InputError(
                f"`{path}` belongs to another policy. Hint: pass the policy it was begun with, or begin a "
                "new state for the new policy."
            )
        return policy
    if data["policy"] is None:
        raise InputError(f"`{path}` needs its policy, which is too large for a state. Hint: pass policy=.")
    return Policy.from_dict(data["policy"])


def parsed_state(path: str | Path) -> dict[str, Any]:
    """Return the content of a state file."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"`{path}` must be the state of a monitor, got: {error.strerror}.") from None
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise InputError(f"`{path}` must be the state of a monitor, got no JSON.") from None
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise InputError(
            f"`{path}` must be the state of a monitor (schema {SCHEMA!r}). Hint: PolicyMonitor.save and "
            "`demur watch --state` write one."
        )
    if data.get("version") not in range(1, VERSION + 1):
        raise InputError(
            f"`{path}` has version {data.get('version')!r}, this demur reads 1 to {VERSION}. "
            "Hint: update demur."
        )
    return data


# ---------------------------------------------------------------- one process at a time


@contextmanager
def locked(path: str | Path, *, patience: float = 60.0) -> Iterator[None]:
    """Hold the lock of a state file; wait up to `patience` seconds for another process, then refuse.

    The lock is an open file beside the state, named like it with ".lock" at the end. The operating
    system releases it when its holder ends, also when that is killed. The file stays.
    """
    beside = Path(f"{path}.lock")
    try:
        beside.touch()
    except OSError as error:
        raise InputError(f"`{beside}` cannot be written: {error.strerror}.") from None
    with open(beside, "a+b") as handle:
        until = time.monotonic() + patience
        while not _try_lock(handle.fileno()):
            if time.monotonic() >= until:
                raise InputError(
                    f"`{path}` is in use by another process. Hint: run this again when that has ended."
                )
            time.sleep(_BETWEEN)
        # closing the file releases the lock
        yield


def _try_lock(descriptor: int) -> bool:
    """Try to take the lock without waiting."""
    try:
        try:
            import fcntl
        except ImportError:
            # Windows: one byte at the start of the file
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
