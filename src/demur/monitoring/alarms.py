"""The sentences of a `PolicyMonitor`, whose module imports this one."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from demur._tables.numbers import number, percent, span
from demur.exceptions import UndefinedError
from demur.policy.policy import Policy
from demur.surface.window import ABSTAIN

__all__ = [
    "NO_SCORE",
    "action_words",
    "advice",
    "alarm_sentences",
    "cases_per_day",
    "frequent_actions",
    "monitor_words",
    "outcome_sentence",
    "policy_notes",
    "promise_words",
    "quiet_sentence",
]

NO_SCORE = "Scores are not watched, as the rule has no single score; its decisions are watched instead."
"""What is said about a rule that reads several columns."""

_NO_PROMISE = (
    "The policy promises no cost: it has no upper limit measured on cases that did not choose the rule, as "
    "demur decide and Policy.from_answer give it."
)
# actions in a sentence
_MOST_ACTIONS = 7


def monitor_words(monitor: Any) -> list[str]:
    """Say what a monitor knows, paragraph by paragraph: the alarms first."""
    paragraphs = [f"ALARM. {sentence}" for sentence in monitor.alarms]
    if not paragraphs:
        paragraphs.append(f"Quiet. {quiet_sentence(monitor, number)}")
    if monitor.n:
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
                f"({span(monitor.prevalence_interval, percent)}), "
                f"assumed {percent(monitor.cells.prevalence)}."
            )
        if recent.first > 1:
            text += (
                f" Last {recent.last - recent.first + 1} batches: {percent(recent.abstained)} abstained "
                f"on ({span(recent.abstained_interval, percent)})."
            )
        paragraphs.append(text)
    if monitor.cost is not None and monitor.cost_interval is not None:
        text = f"Cost per case by {monitor.n_labelled} labels: {number(monitor.cost)} "
        text += f"({span(monitor.cost_interval)}){promise_words(monitor, number)}."
        for side, (share, limits) in monitor.precision.items():
            text += f" Right when {side}: {percent(share)} ({span(limits, percent)})."
        if monitor.agreement is not None:
            share, limits, kappa = monitor.agreement
            text += f" Two people agree on {percent(share)} ({span(limits, percent)}), kappa {kappa:.2f}."
        paragraphs.append(text)
    return [*paragraphs, *monitor.notes]


def alarm_sentences(monitor: Any) -> list[str]:
    """Say what is wrong: the scale, the scores, the promise."""
    sentences: list[str] = monitor.scale_alarms
    if monitor.e_value >= 1 / monitor.alpha:
        odds = "more than a million" if monitor.e_value > 1e6 else f"{monitor.e_value:.0f}"
        changed = (
            "The scores no longer look as they did when the policy was made"
            if monitor.watches_scores
            else "The decisions no longer look as the policy promised"
        )
        sentences.append(
            f"{changed}: evidence {odds} to 1 (alarm from {1 / monitor.alpha:.0f} on), since batch "
            f"{monitor.changed_since} or so. Since then: {_outcome_shares(monitor)}. {_explained(monitor)}"
        )
    if monitor.promise_e_value >= 1 / monitor.alpha:
        low, high = monitor.cost_interval
        sentences.append(
            f"The policy costs more than promised: {monitor.cost:.4g} per case ({low:.4g} to {high:.4g}) on "
            f"{monitor.n_labelled} labelled cases{promise_words(monitor, '{:.4g}'.format)}."
        )
    return sentences


def policy_notes(policy: Policy) -> list[str]:
    """Return the notes of a policy: no promised cost, and cases in clusters."""
    notes = [] if policy.expected_limit is not None else [_NO_PROMISE]
    if policy.evidence is not None and policy.evidence.cluster_size > 1:
        notes.append(f"Cases come in clusters: {policy.evidence.cluster_size:.3g} of them count as one.")
    return notes


def promise_words(monitor: Any, shown: Callable[[float], str]) -> str:
    """Return the promised cost as the end of a sentence; empty without a promise."""
    promise = monitor.promise
    if promise is None:
        return ""
    return f"; promised {shown(promise.cost)}, at most {shown(promise.limit)}"


def quiet_sentence(monitor: Any, shown: Callable[[float, int], str]) -> str:
    """Say that nothing has changed; `shown` writes a number with some digits."""
    same = (
        "The scores look as they did when the policy was made"
        if monitor.watches_scores
        else "The decisions look as the policy promised"
    )
    return (
        f"{same}: evidence of a change {shown(monitor.e_value, 2)} to 1, alarm from "
        f"{shown(1 / monitor.alpha, 3)} on."
    )


def advice(monitor: Any, *, proposed: str | None = None) -> list[str]:
    """Say what to do; `proposed` names the file of the policy for the new prevalence, if it was written."""
    steps = []
    if monitor.scale_alarms:
        steps.append(
            "Stop using these decisions and find out what changed the scores: a unit, a wrong column, "
            "another model. Then start a new state."
        )
    if monitor.e_value >= 1 / monitor.alpha:
        steps.append(_about_the_change(monitor, proposed))
    if monitor.promise_e_value >= 1 / monitor.alpha:
        steps.append(
            "Find out where it costs more: demur audit with --group shows it by branch, month or device. "
            "If the classes look different now, make a new policy from the labels at hand."
        )
    if steps:
        return [*steps, "An alarm stays. Once the policy has changed, start a new state with the new one."]
    if monitor.n_labelled == 0:
        alone = "Scores" if monitor.watches_scores else "Decisions"
        return [
            f"Nothing now. {alone} alone cannot tell whether decisions are right: ask for the true class of "
            "one decided case in a hundred (demur apply --audit 0.01) and count the labels when they come."
        ]
    return ["Nothing until the next batch."]


def _about_the_change(monitor: Any, proposed: str | None) -> str:
    if not monitor.only_prevalence:
        what = "scores" if monitor.watches_scores else "cases"
        return (
            "Have new cases labelled and make a new policy from them: the evidence of this one no longer "
            f"describes the {what}."
        )
    try:
        policy = monitor.proposed_policy()
    except UndefinedError:
        return "Make a new policy from data with the new share of positives and the same constraints."
    where = "" if proposed is None else f" It is in {proposed}."
    more = "more" if policy.prevalence > monitor.policy.prevalence else "fewer"
    return (
        f"If you can explain why there are {more} positives, change to the window from "
        f"{policy.lower:.4g} to {policy.upper:.4g}; it needs no new label.{where} If you cannot, "
        "have some new cases labelled first."
    )


def outcome_sentence(monitor: Any) -> str:
    """Say how the cases were decided, since the estimated change if there is one."""
    since = "So far" if monitor.changed_since is None else f"Since batch {monitor.changed_since}"
    return f"{since}: {_outcome_shares(monitor)}."


def _outcome_shares(monitor: Any) -> str:
    reference, names = monitor.reference, action_words(monitor)
    recent = reference.outcomes(monitor.recent_counts)
    total = sum(recent)
    if monitor.watches_scores:
        # in the order of the scores
        return ", ".join(
            f"{100 * recent[code] / total:.1f} % {names[code]} "
            f"(expected {100 * reference.expected[code]:.1f} %)"
            for code in (0, ABSTAIN, 1)
        )
    return ", ".join(
        f"{100 * (recent[code] / total):.1f} % {names[code]} "
        f"(expected {100 * reference.low[code]:.1f} to {100 * reference.high[code]:.1f} %)"
        for code in frequent_actions(recent, _MOST_ACTIONS)
    )


def action_words(monitor: Any) -> list[str]:
    """Return the names of the actions in sentences, abstaining last."""
    return [*(f"called {name}" for name in monitor.actions[:-1]), "abstained on"]


def frequent_actions(counts: Sequence[float], most: int) -> list[int]:
    """Choose at most so many actions to show: all of a few, else the most frequent ones and abstaining."""
    last = len(counts) - 1
    return [*sorted(sorted(range(last), key=lambda code: -counts[code])[: most - 1]), last]


def cases_per_day(monitor: Any) -> float | None:
    """Return the cases per day over the days the batches name; None if they name fewer than two."""
    try:
        days = [date.fromisoformat(str(row.at)[:10]).toordinal() for row in monitor.history]
    except ValueError:
        return None
    span = max(days, default=0) - min(days, default=0)
    return float(monitor.n / (span + 1)) if span else None


def _explained(monitor: Any) -> str:
    if not monitor.watches_scores:
        return (
            "Label new cases to see whether decisions are still right, and make a new policy if they are not."
        )
    low, high = monitor.prevalence_interval
    rate = f"{100 * monitor.prevalence:.1f} % ({100 * low:.1f} to {100 * high:.1f} %)"
    if not monitor.only_prevalence:
        moved = (
            "A changed share of positives does not explain it: the scores themselves have moved."
            if monitor.mixture_refuted
            else "Assume that the scores themselves have moved: a changed share of positives is not clearly "
            "the better explanation."
        )
        return f"{moved} Label new cases and make a new policy."
    sentence = (
        f"A changed share of positives explains it: about {rate} instead of "
        f"{100 * monitor.policy.prevalence:.1f} %."
    )
    try:
        keeping, (least, most) = monitor.cost_of_keeping, monitor.cost_of_keeping_interval
        proposed = monitor.proposed_policy()
    except UndefinedError:
        return f"{sentence} Make a new policy: a window under constraints cannot be derived from this one."
    daily = cases_per_day(monitor)
    each_day = "" if daily is None else f", {keeping * daily:.4g} per day"
    return (
        f"{sentence} If so, keeping the window costs {1000 * keeping:.4g} per 1000 cases "
        f"({1000 * least:.4g} to {1000 * most:.4g}){each_day} more than the window from "
        f"{proposed.lower:.4g} to {proposed.upper:.4g}."
    )
