"""Batches of scores from files into a monitor, and what it says."""

import hashlib
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from demur.cli.answers.batches import counted_days, day_key, labelled_scores, rule_columns
from demur.cli.options.policies import Watching
from demur.cli.output import number, percent, remark, span, wrapped, write_file
from demur.cli.reading.policies import read_policy
from demur.engines.files import open_table
from demur.engines.paths import is_stream, source_files
from demur.engines.sources import MEMORY_LIMIT
from demur.exceptions import InputError, UndefinedError
from demur.monitoring.alarms import NO_SCORE, outcome_sentence, promise_words, quiet_sentence
from demur.monitoring.monitor import PolicyMonitor
from demur.monitoring.page import monitor_page
from demur.monitoring.state import locked
from demur.policy.policy import Policy
from demur.surface.window import ABSTAIN

__all__ = ["Watched", "watch"]

_READ = 1 << 20


@dataclass(frozen=True, kw_only=True, eq=False)
class Watched:
    """What a call of `demur watch` did."""

    state: str
    new: list[str]
    known: list[str]
    proposed: str | None
    page: str | None
    monitor: PolicyMonitor

    def to_dict(self) -> dict[str, Any]:
        """Return the document."""
        return {**vars(self), "monitor": self.monitor.to_dict()}

    def words(self) -> str:
        """Say it: the alarms first."""
        monitor = self.monitor
        said = [f"ALARM. {sentence}" for sentence in monitor.alarms]
        if not said:
            said.append(f"Quiet. {quiet_sentence(monitor, number)}")
        if monitor.n:
            said.append(_outcome_words(monitor))
        if monitor.cost is not None:
            said.append(_cost_words(monitor))
        said += monitor.notes
        if self.proposed is not None:
            said.append(f"A policy for the new share of positives is in {self.proposed}.")
        if self.page is not None:
            said.append(f"The page is {self.page}.")
        return "\n".join(map(wrapped, said))


def _outcome_words(monitor: PolicyMonitor) -> str:
    """Say the share abstained on, that of the positives unless the scores moved, and the last batches."""
    expected, recent = monitor.reference.expected[ABSTAIN], monitor.recent()
    text = (
        f"{monitor.n} cases in {monitor.batches} {'batch' if monitor.batches == 1 else 'batches'}: "
        f"{percent(monitor.outcomes[ABSTAIN] / monitor.n)} abstained on "
        f"({span(monitor.abstention_interval, percent)})"
    )
    text += "." if expected is None else f", expected {percent(expected)}."
    if not monitor.watches_scores:
        text += f" {outcome_sentence(monitor)} {NO_SCORE}"
    elif not monitor.scores_moved:
        text += (
            f" Share of positives by the scores: {percent(monitor.prevalence)} "
            f"({span(monitor.prevalence_interval, percent)}), assumed {percent(monitor.cells.prevalence)}."
        )
    if recent.first > 1:
        text += (
            f" Last {recent.last - recent.first + 1} batches: {percent(recent.abstained)} abstained on "
            f"({span(recent.abstained_interval, percent)})."
        )
    return text


def _cost_words(monitor: PolicyMonitor) -> str:
    cost: Any = monitor.cost
    interval: Any = monitor.cost_interval
    text = (
        f"Cost per case by {monitor.n_labelled} labels: {number(cost)} ({span(interval)})"
        f"{promise_words(monitor, number)}."
    )
    for side, (share, limits) in monitor.precision.items():
        text += f" Right when {side}: {percent(share)} ({span(limits, percent)})."
    if monitor.agreement is not None:
        share, limits, kappa = monitor.agreement
        text += f" Two people agree on {percent(share)} ({span(limits, percent)}), kappa {kappa:.2f}."
    return text


def watch(asked: Watching, *, quiet: bool) -> Watched:
    """Count every file into the state; the state is saved after each, so that none is lost."""
    policy, state = read_policy(asked.policy, quiet=quiet), str(asked.state)
    new: list[str] = []
    known: list[str] = []
    # a file that is no state is refused before a lock stands beside it
    _monitor(policy, state, asked.alpha)
    with locked(state):
        monitor = _monitor(policy, state, asked.alpha)
        for file in asked.files:
            fresh, days = _counted(monitor, file, asked, quiet=quiet)
            if fresh:
                monitor.save(state)
            (new if fresh else known).append(file)
            if fresh < days:
                what = "was" if days == 1 else f"{days - fresh} of its {days} days were"
                remark(
                    f"{file}{'' if days == 1 else ':'} {what} counted before; "
                    f"{'nothing changed' if not fresh else 'only the others count'}.",
                    quiet=quiet,
                )
        proposed = None
        if monitor.e_value >= 1 / monitor.alpha and monitor.only_prevalence:
            # a window under constraints cannot be derived again; the alarm says so
            with suppress(UndefinedError):
                path = asked.propose or str(Path(state).with_suffix(".proposed.json"))
                monitor.proposed_policy().save(path)
                proposed = path
        if asked.html is not None:
            write_file(Path(asked.html), monitor_page(monitor, proposed=proposed))
    return Watched(state=state, new=new, known=known, proposed=proposed, page=asked.html, monitor=monitor)


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


def _counted(monitor: PolicyMonitor, file: str, asked: Watching, *, quiet: bool) -> tuple[int, int]:
    """Count a file; return how many of its batches were new, and how many it has."""
    policy = monitor.policy
    whole = None if asked.date is not None else _digest(file)
    fresh = []
    if asked.label is None:
        if whole is not None and monitor.knows(whole):
            return 0, 1
        with open_table(file, memory_limit=MEMORY_LIMIT) as table:
            days = counted_days(table, monitor, rule_columns(policy, table, asked.model), date=asked.date)
        for day, batch in days.items():
            key = whole or day_key(str(day), batch)
            fresh.append(monitor.update_counts(batch, key=key, at=asked.at if day is None else day))
        return sum(fresh), len(fresh)
    with open_table(file) as table:
        cases = labelled_scores(
            table,
            policy,
            model=asked.model,
            label=asked.label,
            weight=asked.weight,
            second=asked.second_label,
            date=asked.date,
        )
    if policy.amounts is not None:
        found = "not counted, for lack of the columns with the amounts"
        if cases.amounts is not None:
            found = f"by {', '.join(cases.amounts.names) or 'the policy alone'}"
        remark(f"{file}: costs of the cases {found}.", quiet=quiet)
    for day, part in cases.by_day():
        key = whole or day_key(str(day), monitor.batch_counts(part.scores))
        told: dict[str, Any] = {"weights": part.weights, "second_labels": part.second, "costs": part.costs}
        if asked.late:
            # their scores came before
            fresh.append(monitor.update_labels(part.scores, part.labels, key=f"{key} labels", **told))
        else:
            at = asked.at if day is None else day
            fresh.append(monitor.update(part.scores, part.labels, key=key, at=at, **told))
    return sum(fresh), len(fresh)
