"""`PolicyMonitor`: a policy in use, watched batch by batch."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from demur._checks import (
    check_confidence_level,
    check_positive_int,
    check_same_length,
    check_type,
    input_error,
)
from demur._files.whole import whole_file
from demur._kernels.proportions import binomial_interval
from demur._progress import Progress
from demur._results import Interval, Result, json_safe
from demur.costs.case_costs import CaseCosts
from demur.exceptions import UndefinedError
from demur.monitoring.alarms import alarm_sentences, policy_notes
from demur.monitoring.betting import CostSequence, loss_range, share_sequence
from demur.monitoring.drift import Start, pruned
from demur.monitoring.labels import LabelledCases, known_labels, largest_amount, losses_of, rule_values
from demur.monitoring.page import monitor_page
from demur.monitoring.reference import (
    ActionRanges,
    BatchCounts,
    PrevalenceFit,
    ReferenceCells,
    fitted_prevalence,
    likeliest_prevalence,
    scale_sentences,
)
from demur.monitoring.state import BatchRow, MonitorState, parsed_state, state_policy, trusted, write_state
from demur.policy.evidence import Promise
from demur.policy.policy import Policy
from demur.surface.window import ABSTAIN
from demur.typing import ArrayLike, FloatArray
from demur.windows.rule import Window

__all__ = ["PolicyMonitor", "RecentBatches"]

# how much likelier a changed share of positives must be than scores that all moved alike
_CLEARLY = math.log(1.5)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class RecentBatches(Result):
    """The decisions of the last batches against what the policy expects; made by `PolicyMonitor.recent`.

    Attributes
    ----------
    first, last : int
        Numbers of the batches.
    n : int
        Cases in them.
    shares : tuple of float
        Shares of the decisions: the classes in order, abstained on last.
    intervals : tuple of Interval
        Their limits; these hold for all windows together.
    negative, positive : float or None
        The same for two classes, with `negative_interval` and `positive_interval`; None for more.
    abstained : float
        The last of the shares, with `abstained_interval`.
    expected : tuple of float or None
        The same shares by the evidence of the policy, in the same order; None where it states none.
    e_value : float
        Evidence that the shares have changed, from these cases and the reference alone.
    limit : float
        They certainly have if `e_value` reaches this.
    differs : bool
        Whether it does.
    """

    first: int
    last: int
    n: int
    shares: tuple[float, ...]
    intervals: tuple[Interval, ...]
    expected: tuple[float | None, ...]
    e_value: float
    limit: float
    differs: bool
    _reported = (
        "negative",
        "negative_interval",
        "positive",
        "positive_interval",
        "abstained",
        "abstained_interval",
    )

    @property
    def negative(self) -> float | None:
        """Share called negative; None for more than two classes."""
        return self.shares[0] if len(self.shares) == 3 else None

    @property
    def negative_interval(self) -> Interval | None:
        """Limits of `negative`."""
        return self.intervals[0] if len(self.shares) == 3 else None

    @property
    def positive(self) -> float | None:
        """Share called positive; None for more than two classes."""
        return self.shares[1] if len(self.shares) == 3 else None

    @property
    def positive_interval(self) -> Interval | None:
        """Limits of `positive`."""
        return self.intervals[1] if len(self.shares) == 3 else None

    @property
    def abstained(self) -> float:
        """Share abstained on."""
        return self.shares[-1]

    @property
    def abstained_interval(self) -> Interval:
        """Limits of `abstained`."""
        return self.intervals[-1]


class PolicyMonitor:
    """Watch a policy in use: do the scores look as before, and does it cost what it promised?

    You may look at everything after every batch: e-values and intervals hold at all times at
    once. Without labels it compares outcomes and scores with the evidence of the policy, estimates
    the prevalence, and says what keeping the window costs. A rule of several columns, such as one for
    many classes, has no single score: there the share of every action is compared with the range that
    promise and evidence leave to it. With labels it bounds the cost per case and compares it with the upper
    end that the policy promises. Assumes that cases are independent, or come in clusters like those the
    policy was decided with; within a batch their order does not matter.

    Parameters
    ----------
    policy : Policy
        The policy in use, of any rule; its evidence is the reference.
    alpha : float, default 0.05
        Probability of a false alarm, ever: for "the scores have changed", and once more for "the
        promise is broken". Intervals have the level 1 - alpha.

    Raises
    ------
    InputError
        If `policy` is no `Policy` or has no evidence, or alpha is not strictly between 0 and 1.

    See Also
    --------
    judge_policy : what a policy costs on one labelled sample.

    Notes
    -----
    The e-process, its theorem and its limits are described in ``demur.monitoring.drift``, that of rules
    without a score in ``demur.monitoring.reference``, those of the cost in ``demur.monitoring.betting``. The
    costs of a policy of amounts are taken to be at most the largest that the policy states, or that any
    action could have had on the cases labelled so far. The state holds counts only, so any number of
    cases fits into a file of at most 50 kB; it remembers the keys of the last 1,000 batches.

    References
    ----------
    Ville (1939), Etude critique de la notion de collectif. Ramdas, Gruenwald, Vovk, Shafer (2023),
    "Game-theoretic statistics and safe anytime-valid inference", Statistical Science 38,
    doi:10.1214/23-STS894. Saerens, Latinne, Decaestecker (2002), Neural Computation 14,
    doi:10.1162/089976602753284446.

    Examples
    --------
    One case in ten is a fraud. Later it is one in four, which the scores show without a label, and
    keeping the old window has a price:

    >>> import numpy as np
    >>> from demur import CostModel, Policy, PolicyMonitor, abstention_surface
    >>> rng = np.random.default_rng(0)
    >>> def shop(n, prevalence):
    ...     fraud = rng.random(n) < prevalence
    ...     return fraud, rng.normal(2.0 * fraud)
    >>> costs = CostModel(cost_fn=100, cost_fp=20, cost_abstain=4)
    >>> policy = Policy.from_surface(abstention_surface(*shop(5000, 0.1)), costs=costs)
    >>> monitor = PolicyMonitor(policy)
    >>> for day in range(5):
    ...     counted = monitor.update(shop(500, 0.1)[1], key=f"day {day}")
    >>> monitor.alarms
    []
    >>> for day in range(5, 8):
    ...     counted = monitor.update(shop(500, 0.25)[1], key=f"day {day}")
    >>> len(monitor.alarms), monitor.e_value > 20
    (1, True)
    >>> low, high = monitor.prevalence_interval
    >>> low < 0.25 < high, monitor.cost_of_keeping > 0
    (True, True)
    >>> last = monitor.recent(3)
    >>> last.first, last.last, last.differs
    (6, 8, True)
    """

    def __init__(self, policy: Policy, *, alpha: float = 0.05) -> None:
        check_type(policy, "policy", Policy)
        self.policy = policy
        self.alpha = check_confidence_level(alpha, "alpha")
        self._state = MonitorState(classes=len(policy.classes))
        self.reference: ReferenceCells | ActionRanges = (
            self.cells if self.watches_scores else ActionRanges.of(policy, alpha=self.alpha)
        )
        losses = losses_of(policy)
        if losses is not None:
            self._state.cost = self._new_sequence(*loss_range(losses))

    # ---------------------------------------------------------------- what is expected

    @property
    def watches_scores(self) -> bool:
        """Whether the rule reads one score, which is watched, too; else only what it decides is."""
        return isinstance(self.policy.rule, Window)

    @property
    def actions(self) -> tuple[str, ...]:
        """Names of the actions, abstaining last: negative, positive, abstained; else the policy's labels."""
        if self.watches_scores:
            return ("negative", "positive", "abstained")
        return (*map(str, self.policy.classes), str(self.policy.abstain_label))

    @cached_property
    def cells(self) -> ReferenceCells:
        """The cells of the score axis and what is expected in each; for windows only."""
        return ReferenceCells.of(self.policy)

    @property
    def promise(self) -> Promise | None:
        """The promised cost with its upper end, which is watched; None where there is no such end."""
        return self.policy.promise if self.policy.expected_limit is not None else None

    def _new_sequence(self, low: float, high: float) -> CostSequence:
        limit = self.policy.expected_limit
        # amounts to come may be larger than those so far
        if limit is not None and self.policy.amounts is None:
            limit = min(limit, high)
        return CostSequence(
            low=low, high=high, alpha=self.alpha, cluster_size=self.reference.cluster_size, promise=limit
        )

    # ---------------------------------------------------------------- batches

    def update(
        self,
        scores: ArrayLike,
        labels: Any = None,
        *,
        weights: ArrayLike | None = None,
        second_labels: Any = None,
        costs: CaseCosts | None = None,
        key: str | None = None,
        at: Any = None,
    ) -> bool:
        """Count a batch; return whether anything was new.

        Parameters
        ----------
        scores : array, or data frame
            Of the cases of the batch, on the scale of the policy; rows or a frame with one column per class
            where the rule reads several.
        labels : array, optional
            True classes in the labels of the policy; None or NaN where a case has none.
        weights : array, optional
            1 / probability of being labelled (audits); needed where labels are missing.
        second_labels : array, optional
            What a second person said, like `labels`; for `agreement`, never for the cost.
        costs : CaseCosts, optional
            For a policy of amounts: the costs of these cases. Without them labels count, costs do not.
        key : str, optional
            Name of the batch. A batch whose key is known changes nothing; if it brings labels for
            the first time, only those are counted. Without a key every call counts.
        at : date or str, optional
            When the cases came.
        """
        values = rule_values(self.policy, scores)
        state = self._state
        new_scores = not state.knows(key, labels=False)
        new_labels = labels is not None and not state.knows(key, labels=True)
        for name, given in (("weights", weights), ("second_labels", second_labels), ("costs", costs)):
            if labels is None and given is not None:
                raise input_error(name, "are for labels", "no labels", "pass labels, too.")
        # everything is checked before anything is counted
        cases, agreement = None, None
        with Progress(None, "watching", "cases") as progress:
            if new_labels:
                cases = LabelledCases.of(self.policy, values, labels, weights=weights, costs=costs)
                agreement = self._agreement(cases, second_labels)
            if new_scores:
                batch = self.batch_counts(values)
                self._count(batch, at)
                progress.advance(float(batch.counts.sum()))
            if cases is not None:
                self._count_labels(cases, agreement)
        state.remember(key, labels=new_labels)
        return new_scores or new_labels

    def batch_counts(self, scores: Any) -> BatchCounts:
        """Count checked scores, or the decisions on rows, per cell of the reference."""
        if self.watches_scores:
            return BatchCounts.of(scores, self.cells, self.policy)
        # the remainder of ABSTAIN is the place of the last action
        actions, size = self.policy.decide(scores) % self.reference.size, self.reference.size
        return BatchCounts(counts=np.bincount(actions, minlength=size).astype(np.float64))

    def update_counts(self, batch: BatchCounts, *, key: str | None = None, at: Any = None) -> bool:
        """Count a batch that was counted per cell elsewhere, such as in a database."""
        if len(batch.counts) != self.reference.size:
            raise input_error("batch", f"must have {self.reference.size} cells", len(batch.counts))
        if self._state.knows(key, labels=False):
            return False
        self._count(batch, at)
        self._state.remember(key, labels=False)
        return True

    def knows(self, key: str) -> bool:
        """Tell whether a batch of this key was counted."""
        return self._state.knows(key, labels=False)

    def update_labels(
        self,
        scores: ArrayLike,
        labels: Any,
        *,
        weights: ArrayLike | None = None,
        second_labels: Any = None,
        costs: CaseCosts | None = None,
        key: str | None = None,
    ) -> bool:
        """Count labels of cases whose scores were counted before."""
        values = rule_values(self.policy, scores)
        if self._state.knows(key, labels=True):
            return False
        cases = LabelledCases.of(self.policy, values, labels, weights=weights, costs=costs)
        self._count_labels(cases, self._agreement(cases, second_labels))
        self._state.remember(key, labels=True)
        return True

    def _count(self, batch: BatchCounts, at: Any) -> None:
        state = self._state
        state.batches += 1
        if self.watches_scores:
            sentences = scale_sentences(self.policy, self.cells, batch, number=state.batches)
            state.scale.update({kind: f"Batch {state.batches}: {words}" for kind, words in sentences.items()})
        starts = [Start(first, counts + batch.counts) for first, counts in state.starts]
        starts.append(Start(state.batches, batch.counts))
        evidence, change = self.reference.log_evidence(starts, state.batches)
        state.log_e, state.highest_log_e = evidence, max(evidence, state.highest_log_e)
        if state.changed_at is None and evidence >= -math.log(self.alpha):
            state.changed_at = change.batch
        state.starts = pruned(starts, state.batches)
        state.add_row(
            BatchRow(
                first=state.batches,
                last=state.batches,
                at=None if at is None else str(at),
                counts=self.reference.outcomes(batch.counts),
                missing=batch.missing,
                log_e=evidence,
                prevalence=likeliest_prevalence(self.cells, batch.counts) if self.watches_scores else None,
            )
        )
        self.__dict__.pop("_fit", None)

    def _agreement(self, cases: LabelledCases, second_labels: Any) -> FloatArray:
        """Return cases with two labels: rows the first, columns the second."""
        table = np.zeros((len(self.policy.classes), len(self.policy.classes)))
        if second_labels is not None:
            check_same_length(scores=cases.codes, second_labels=second_labels)
            again, second = known_labels(second_labels, self.policy, name="second_labels")
            both = cases.known & again
            np.add.at(table, (cases.truth[both], second[both]), 1.0)
        return table

    def _count_labels(self, cases: LabelledCases, agreement: Any) -> None:
        state = self._state
        state.labelled += cases.table(state.classes)
        state.agreement += agreement
        if cases.losses is None:
            return
        _, largest = loss_range(cases.losses)
        if state.cost is None:
            # amounts are never negative
            state.cost = self._new_sequence(0.0, max(largest, largest_amount(self.policy)))
        # rows may be sorted by label: a fixed shuffle restores a random order
        shuffled = np.random.default_rng(state.cost.n).permutation(cases.unbiased_costs())
        weight = float(cases.weights.max())
        by_case = {} if self.policy.amounts is None else {"largest": largest}
        state.cost = state.cost.updated(shuffled, largest_weight=weight, **by_case)
        state.add_cost(state.cost)

    # ---------------------------------------------------------------- answers

    @property
    def n(self) -> int:
        """Cases counted."""
        return int(self._total.sum())

    @property
    def _total(self) -> FloatArray:
        starts = self._state.starts
        return starts[0].counts if starts else np.zeros(self.reference.size)

    @property
    def e_value(self) -> float:
        """Largest evidence so far that the scores have changed; an alarm from 1 / alpha on."""
        return math.exp(min(self._state.highest_log_e, 700.0))

    @property
    def changed_since(self) -> int | None:
        """Batch with which the change began, as estimated when the alarm came; None before."""
        return self._state.changed_at

    @property
    def alarms(self) -> list[str]:
        """Sentences; empty while nothing is wrong. An alarm stays."""
        return alarm_sentences(self)

    @property
    def scale_alarms(self) -> list[str]:
        """Sentences about scores on another scale."""
        return list(self._state.scale.values())

    @property
    def outcomes(self) -> tuple[float, ...]:
        """Cases of every action: called negative, called positive or each of the classes, abstained on."""
        return self.reference.outcomes(self._total)

    @property
    def abstention_interval(self) -> Interval:
        """Limits of the share abstained on that hold at all times while it is constant."""
        expected = self.reference.expected[ABSTAIN]
        return self._share_limits(self.outcomes[ABSTAIN], self.n, 0.5 if expected is None else expected)

    def _share_limits(self, count: float, n: float, expected: float) -> Interval:
        size = self.reference.cluster_size
        return share_sequence(count / size, n / size, alpha=self.alpha, expected=expected)

    @property
    def recent_counts(self) -> FloatArray:
        """Cases per cell since the estimated change; all of them while there is none."""
        state = self._state
        if state.changed_at is None:
            return self._total
        # the start itself may have been thinned out: take the next one after it
        later = [start for start in state.starts if start.batch >= state.changed_at]
        return (later or state.starts)[0].counts

    @cached_property
    def _fit(self) -> PrevalenceFit:
        if not self.watches_scores:
            raise UndefinedError(
                "A prevalence without labels needs one score. Hint: label some cases of this rule."
            )
        if self.n == 0:
            raise UndefinedError("A prevalence needs cases. Hint: call update first.")
        return fitted_prevalence(self.cells, self.recent_counts, alpha=self.alpha)

    @property
    def prevalence(self) -> float:
        """P(positive) that explains the scores best, since the estimated change; without labels."""
        return self._fit.prevalence

    @property
    def prevalence_interval(self) -> Interval:
        """Limits of `prevalence` by the likelihood ratio; right for this batch, not for all times."""
        return self._fit.interval

    @property
    def only_prevalence(self) -> bool:
        """Whether a changed prevalence explains the scores, and better than scores that moved.

        It does if the cases since the change are not refuted as a mixture of the reference classes at the
        level alpha (`fitted_prevalence`), are at least 1.5 times as likely as if all scores had moved alike,
        and the interval of the prevalence does not hold the assumed one. Right for one look.
        """
        if not self.watches_scores or self.scale_alarms:
            return False
        low, high = self.prevalence_interval
        fits = not self.mixture_refuted and self._fit.log_odds >= _CLEARLY
        return fits and not low <= self.cells.prevalence <= high

    @property
    def mixture_refuted(self) -> bool:
        """Whether no prevalence explains the cases since the change, at the level alpha of one look."""
        return self._fit.p_value < self.alpha

    @property
    def scores_moved(self) -> bool:
        """Whether the scores are of another scale, or have changed beyond what a prevalence explains.

        Then `prevalence`, read from the scores, means nothing, nor does what is derived from it.
        """
        changed = self.n > 0 and self.e_value >= 1 / self.alpha
        return bool(self.scale_alarms) or (changed and not self.only_prevalence)

    def _keeping(self, prevalence: float) -> float:
        """Cost per case of this window beyond that of the best one at a prevalence, by the reference."""
        # refuses a policy without costs or under constraints
        best = ReferenceCells.of(self.policy.at(prevalence=prevalence))
        losses: Any = losses_of(self.policy)
        kept, least = (
            float((losses * cells.outcomes_by_class() * [[1 - prevalence], [prevalence]]).sum())
            for cells in (self.cells, best)
        )
        return max(kept - least, 0.0)

    @property
    def cost_of_keeping(self) -> float:
        """Cost per case of keeping the window instead of the one for the new prevalence."""
        return self._keeping(self.prevalence)

    @property
    def cost_of_keeping_interval(self) -> Interval:
        """Its range over `prevalence_interval`."""
        low, high = self.prevalence_interval
        # the cost of one window is linear in the prevalence and that of the best one concave, so the
        # difference is convex: largest at an end, smallest where the window was best or next to it
        ends = self._keeping(low), self._keeping(high)
        nearest = self._keeping(min(max(self.cells.prevalence, low), high))
        return Interval(min(*ends, nearest), max(ends))

    def proposed_policy(self) -> Policy:
        """Return the policy derived for the estimated prevalence, from the same evidence."""
        return self.policy.at(prevalence=self.prevalence)

    @property
    def n_labelled(self) -> int:
        """Cases with a label."""
        return int(self._state.labelled.sum())

    @property
    def cost(self) -> float | None:
        """Mean cost per case by the labels; None before the first ones."""
        sequence = self._state.cost
        return None if sequence is None or sequence.n == 0 else sequence.mean

    @property
    def cost_interval(self) -> Interval | None:
        """Limits of the mean cost that hold at all times."""
        sequence = self._state.cost
        return None if sequence is None or sequence.n == 0 else sequence.interval

    @property
    def promise_e_value(self) -> float:
        """Largest evidence so far that the cost exceeds `promise.limit`; an alarm from 1 / alpha on.

        Half of the e-value: the other half of alpha is spent on the upper end itself, which came from data.
        """
        sequence = self._state.cost
        return 1.0 if sequence is None else math.exp(min(sequence.log_evidence, 700.0))

    @property
    def notes(self) -> list[str]:
        """What is not watched, and why; how clusters count."""
        return policy_notes(self.policy)

    @property
    def precision(self) -> dict[str, tuple[float, Interval]]:
        """Share of right decisions among labelled cases of each class called, with limits for all times.

        Right where the labelled cases of a class are a random part of it, such as an audit.
        """
        table = self._state.labelled
        called = table.sum(axis=0)
        return {
            name: (
                float(table[code, code] / called[code]),
                self._share_limits(table[code, code], called[code], 0.9),
            )
            for code, name in enumerate(self.actions[:-1])
            if called[code] > 0
        }

    @property
    def agreement(self) -> tuple[float, Interval, float] | None:
        """Share of the cases with two labels on which both agree, its limits for all times, and kappa.

        None without such cases. Kappa (Cohen 1960, doi:10.1177/001316446002000104) is 1 if they
        always agree and 0 if they agree as often as by chance.
        """
        table = self._state.agreement
        n = float(table.sum())
        if n == 0:
            return None
        same = float(table.trace())
        chance = float(table.sum(axis=0) @ table.sum(axis=1)) / n**2
        # both always say the same one thing: chance explains everything
        kappa = 1.0 if chance == 1 else (same / n - chance) / (1 - chance)
        return same / n, self._share_limits(same, n, 0.9), kappa

    def recent(self, batches: int = 7) -> RecentBatches:
        """Return the decisions of the last batches alone, with limits that hold for all windows together.

        For weeks that differ among themselves, such as seasons: only the reference is compared with. Window
        t, that of the look after batch t, gets alpha_t = alpha / (t (t + 1)); these add up to alpha, so the
        limits (Clopper and Pearson, shared by the decisions) and the alarm E >= 1 / alpha_t hold for all
        windows together, whatever the batches before were like. E is E_j of ``demur.monitoring.drift`` for
        the decisions, with nothing known but the reference.
        """
        batches, rows = check_positive_int(batches, "batches"), self._state.rows
        if not rows:
            raise UndefinedError("The last batches need a batch. Hint: call update first.")
        last = rows[-1].last
        # older batches are kept in pairs: the window begins where one does
        chosen = [row for row in rows if row.last > last - batches]
        counts = np.array([row.counts for row in chosen]).sum(axis=0)
        n = counts.sum()
        spent = self.alpha / (last * (last + 1))
        size = self.reference.cluster_size
        low, high = binomial_interval(counts / size, float(n / size), 1 - spent / len(counts))
        e_value = float(np.exp(min(self.reference.outcome_log_ratio(counts), 700.0)))
        return RecentBatches(
            first=chosen[0].first,
            last=last,
            n=int(n),
            shares=tuple((counts / n).tolist()),
            intervals=tuple(Interval(float(a), float(b)) for a, b in zip(low, high, strict=True)),
            expected=self.reference.expected,
            e_value=e_value,
            limit=1 / spent,
            differs=e_value >= 1 / spent,
        )

    @property
    def history(self) -> list[BatchRow]:
        """Batches, the older ones joined to neighbours once there are many."""
        return list(self._state.rows)

    @property
    def batches(self) -> int:
        """Number of batches counted."""
        return self._state.batches

    def __repr__(self) -> str:
        return (
            f"PolicyMonitor(batches={self.batches}, n={self.n}, e_value={self.e_value:.3g}, "
            f"alarms={len(self.alarms)})"
        )

    # ---------------------------------------------------------------- files

    def to_dict(self) -> dict[str, Any]:
        """Return the answers as JSON-safe built-in types; None where there is nothing to answer from."""
        agreement = None
        if self.agreement is not None:
            agreement = dict(zip(("share", "interval", "kappa"), self.agreement, strict=True))
        answers = {
            "batches": self.batches,
            "n": self.n,
            "alpha": self.alpha,
            "alarms": self.alarms,
            "e_value": self.e_value,
            "changed_since": self.changed_since,
            "outcomes": dict(zip(self.actions, self.outcomes, strict=True)),
            "expected_outcomes": dict(zip(self.actions, self.reference.expected, strict=True)),
            "abstention_interval": self.abstention_interval,
            "prevalence": None,
            "prevalence_interval": None,
            "cost_of_keeping": None,
            "cost_of_keeping_interval": None,
            "recent": self.recent() if self.n else None,
            "n_labelled": self.n_labelled,
            "cost": self.cost,
            "cost_interval": self.cost_interval,
            "promised_cost": None if self.promise is None else self.promise.cost,
            "promised_limit": None if self.promise is None else self.promise.limit,
            "promise_e_value": self.promise_e_value,
            "notes": self.notes,
            "precision": {
                side: {"share": share, "interval": limits} for side, (share, limits) in self.precision.items()
            },
            "agreement": agreement,
        }
        if isinstance(self.reference, ActionRanges):
            ranges = zip(self.reference.low, self.reference.high, strict=True)
            answers["expected_ranges"] = dict(zip(self.actions, ranges, strict=True))
        # scores that moved say nothing about the share of positives
        elif self.n and not self.scores_moved:
            answers |= {"prevalence": self.prevalence, "prevalence_interval": self.prevalence_interval}
            # a window under constraints cannot be derived again: there is nothing to compare with
            with suppress(UndefinedError):
                keeping = self.cost_of_keeping_interval
                answers |= {"cost_of_keeping": self.cost_of_keeping, "cost_of_keeping_interval": keeping}
        return {name: json_safe(answer) for name, answer in answers.items()}

    def write_page(self, path: str | Path) -> None:
        """Write what it says as one HTML page, whole or not at all; nothing in it needs a network."""
        with whole_file(path) as handle:
            handle.write(monitor_page(self))

    def save(self, path: str | Path) -> None:
        """Write the state as JSON; the file appears whole or not at all."""
        write_state(path, self._state, policy=self.policy, alpha=self.alpha, summary=self.to_dict())

    @classmethod
    def load(cls, path: str | Path, *, policy: Policy | None = None) -> Self:
        """Read a state that `save` wrote; refuse, in one sentence, anything else.

        Parameters
        ----------
        path : path
            The state.
        policy : Policy, optional
            Must be the one the state belongs to; needed only if that is too large for the state.
        """
        data = parsed_state(path)
        with trusted(path):
            monitor = cls(state_policy(data, policy, path), alpha=float(data["alpha"]))
            state, cost = monitor._state, data["cost"]
            if state.cost is None and monitor.policy.amounts is not None and cost is not None:
                state.cost = monitor._new_sequence(0.0, float(cost["high"]))
            state.fill(data, monitor.reference.size)
        return monitor
