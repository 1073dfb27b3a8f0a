"""Batches of scores from files into a monitor, and what it says."""

import hashlib
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from demur.cli.answers.batches import (
    LabelledColumns,
    LabelledScores,
    counted_days,
    day_key,
    labelled_scores,
    rule_columns,
)
from demur.cli.output import number, percent, remark, wrapped, write_file
from demur.cli.reading import read_policy
from demur.engines.files import open_table
from demur.engines.paths import is_stream, source_files
from demur.engines.sources import MEMORY_LIMIT
from demur.exceptions import InputError, UndefinedError
from demur.monitoring.alarms import NO_SCORE, outcome_sentence, quiet_sentence
from demur.monitoring.lock import locked
from demur.monitoring.monitor import PolicyMonitor
from demur.monitoring.page import monitor_page
from demur.policy.policy import Policy
from demur.surface.window import ABSTAIN

__all__ = ["BatchColumns", "Watched", "watch"]

_READ = 1 << 20


@dataclass(frozen=True, kw_only=True)
class BatchColumns:
    """Which columns of a batch hold what, as the user named them; `late` if only labels are new."""

    model: str | None = None
    label: str | None = None
    second_label: str | None = None
    weight: str | None = None
    date: str | None = None
    late: bool = False
    at: str | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Watched:
    """What a call of `demur watch` did."""

    monitor: PolicyMonitor
    state: str
    new: tuple[str, ...]
    known: tuple[str, ...]
    proposed: str | None
    page: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the document."""
        return {
            "state": self.state,
            "new": list(self.new),
            "known": list(self.known),
            "proposed": self.proposed,
            "page": self.page,
            "monitor": self.monitor.to_dict(),
        }

    def words(self) -> str:
        """Say it: the alarms first."""
        monitor = self.monitor
        said = [wrapped(f"ALARM. {sentence}") for sentence in monitor.alarms]
        if not said:
            said.append(wrapped(f"Quiet. {quiet_sentence(monitor, number)}"))
        if monitor.n:
            said.append(wrapped(_outcome_words(monitor)))
        if monitor.cost is not None:
            said.append(wrapped(_cost_words(monitor)))
        if self.proposed is not None:
            said.append(wrapped(f"A policy for the new share of positives is in {self.proposed}."))
        if self.page is not None:
            said.append(wrapped(f"The page is {self.page}."))
        return "\n".join(said)


def _outcome_words(monitor: PolicyMonitor) -> str:
    low, high = monitor.abstention_interval
    expected = monitor.reference.expected[ABSTAIN]
    return (
        f"{monitor.n} cases in {monitor.batches} {'batch' if monitor.batches == 1 else 'batches'}: "
        f"{percent(monitor.outcomes[ABSTAIN] / monitor.n)} abstained on ({percent(low)} to {percent(high)})"
        f"{'' if expected is None else f', expected {percent(expected)}'}."
        f"{_prevalence_words(monitor)}{_recent_words(monitor)}"
    )


def _prevalence_words(monitor: PolicyMonitor) -> str:
    """Say the share of positives, unless the scores no longer tell it; the shares of many classes."""
    if not monitor.watches_scores:
        return f" {outcome_sentence(monitor)} {NO_SCORE}"
    if monitor.scores_moved:
        return ""
    low, high = monitor.prevalence_interval
    return (
        f" Share of positives by the scores: {percent(monitor.prevalence)} ({percent(low)} to "
        f"{percent(high)}), assumed {percent(monitor.cells.prevalence)}."
    )


def _recent_words(monitor: PolicyMonitor) -> str:
    """Say what the last batches look like, once they are not all."""
    recent = monitor.recent()
    if recent.first == 1:
        return ""
    low, high = recent.abstained_interval
    return (
        f" Last {recent.last - recent.first + 1} batches: {percent(recent.abstained)} abstained on "
        f"({percent(low)} to {percent(high)})."
    )


def _cost_words(monitor: PolicyMonitor) -> str:
    assert monitor.cost is not None
    assert monitor.cost_interval is not None
    assert monitor.promise is not None
    assert monitor.promise.cost is not None
    assert monitor.promise.limit is not None
    low, high = monitor.cost_interval
    sides = "".join(
        f" Right when {side}: {percent(share)} ({percent(limits[0])} to {percent(limits[1])})."
        for side, (share, limits) in monitor.precision.items()
    )
    if monitor.agreement is not None:
        share, limits, kappa = monitor.agreement
        sides += (
            f" Two people agree on {percent(share)} ({percent(limits[0])} to {percent(limits[1])}), "
            f"kappa {kappa:.2f}."
        )
    return (
        f"Cost per case by {monitor.n_labelled} labels: {number(monitor.cost)} ({number(low)} to "
        f"{number(high)}); promised {number(monitor.promise.cost)}, at most "
        f"{number(monitor.promise.limit)}.{sides}"
    )


def watch(
    policy_file: str,
    files: Sequence[str],
    state: str,
    *,
    columns: BatchColumns,
    alpha: float | None,
    propose: str | None,
    html: str | None,
    quiet: bool,
) -> Watched:
    """Count every file into the state; the state is saved after each, so that none is lost."""
    policy = read_policy(policy_file, quiet=quiet)
    new, known = [], []
    # a file that is no state is refused before a lock stands beside it
    _monitor(policy, state, alpha)
    with locked(state):
        monitor = _monitor(policy, state, alpha)
        for file in files:
            fresh, days = _counted(monitor, file, columns, quiet=quiet)
            if fresh:
                monitor.save(state)
                new.append(file)
            else:
                known.append(file)
            if fresh < days:
                what = "was" if days == 1 else f"{days - fresh} of its {days} days were"
                remark(
                    f"{file}{'' if days == 1 else ':'} {what} counted before; "
                    f"{'nothing changed' if not fresh else 'only the others count'}.",
                    quiet=quiet,
                )
        proposed = _propose(monitor, propose or str(Path(state).with_suffix(".proposed.json")))
        if html is not None:
            write_file(Path(html), monitor_page(monitor, proposed=proposed))
    return Watched(
        monitor=monitor, state=state, new=tuple(new), known=tuple(known), proposed=proposed, page=html
    )


def _monitor(policy: Policy, state: str, alpha: float | None) -> PolicyMonitor:
    if not Path(state).exists():
        return PolicyMonitor(policy, alpha=0.05 if alpha is None else alpha)
    monitor = PolicyMonitor.load(state, policy=policy)
    if alpha is not None and alpha != monitor.alpha:
        raise InputError(
            f"`--alpha` must stay {monitor.alpha:g}, as `{state}` was begun, got {alpha:g}. "
            "Hint: leave it out, or begin a new state."
        )
    return monitor


def _propose(monitor: PolicyMonitor, path: str) -> str | None:
    """Write the policy for the new prevalence, if that is what changed."""
    if monitor.e_value < 1 / monitor.alpha or not monitor.only_prevalence:
        return None
    try:
        monitor.proposed_policy().save(path)
    except UndefinedError:
        # a window under constraints cannot be derived again; the alarm says so
        return None
    return path


def _digest(file: str) -> str:
    """Return the fingerprint of the content of a batch."""
    if is_stream(file):
        raise InputError(f"`{file}` must be a file: batches are identified by their content.")
    digest = hashlib.sha256()
    with ExitStack() as resources:
        _, paths, _ = source_files(file, stdin=None, resources=resources)
        for path in paths:
            with open(path, "rb") as handle:
                while part := handle.read(_READ):
                    digest.update(part)
    return digest.hexdigest()


def _counted(monitor: PolicyMonitor, file: str, columns: BatchColumns, *, quiet: bool) -> tuple[int, int]:
    """Count a file; return how many of its batches were new, and how many it has."""
    whole = None if columns.date is not None else _digest(file)
    if columns.label is None:
        if whole is not None and monitor.knows(whole):
            return 0, 1
        with open_table(file, memory_limit=MEMORY_LIMIT) as table:
            names = rule_columns(monitor.policy, table, columns.model)
            days = counted_days(table, monitor, names, date=columns.date)
        fresh = [
            monitor.update_counts(
                batch, key=whole or day_key(str(day), batch), at=columns.at if day is None else day
            )
            for day, batch in days.items()
        ]
        return sum(fresh), len(fresh)
    with open_table(file) as table:
        named = LabelledColumns(
            model=columns.model,
            label=columns.label,
            weight=columns.weight,
            second=columns.second_label,
            date=columns.date,
        )
        cases = labelled_scores(table, monitor.policy, named)
    if monitor.policy.amounts is not None:
        found = "not counted, for lack of the columns with the amounts"
        if cases.amounts is not None:
            found = f"by {', '.join(cases.amounts.names) or 'the policy alone'}"
        remark(f"{file}: costs of the cases {found}.", quiet=quiet)
    fresh = [_labelled(monitor, day, part, columns, whole) for day, part in cases.by_day()]
    return sum(fresh), len(fresh)


def _labelled(
    monitor: PolicyMonitor, day: str | None, cases: LabelledScores, columns: BatchColumns, whole: str | None
) -> bool:
    """Count the labels of a batch, and its scores unless they came before."""
    key = whole or day_key(str(day), monitor.batch_counts(cases.scores))
    told: dict[str, Any] = {"weights": cases.weights, "second_labels": cases.second, "costs": cases.costs}
    if columns.late:
        return monitor.update_labels(cases.scores, cases.labels, key=f"{key} labels", **told)
    at = columns.at if day is None else day
    return monitor.update(cases.scores, cases.labels, key=key, at=at, **told)
