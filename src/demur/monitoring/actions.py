r"""What a rule without a single score is expected to do: a range for the share of every action.

A policy states how often its rule abstains (a) and errs (e) and the share s_k of every class, from N
cases. A case called k is of class k or an error; a case of class k is called k, abstained on or an
error. So the share called k lies between s_k - e - a and s_k + e. Exact limits of a, e and s_1, ...,
s_m that hold together with probability 1 - alpha / 2 (Clopper and Pearson, Bonferroni) give a range
[low, high] for every action, which holds the true shares with that probability.

E-process. After c of n cases, the ratio of a Beta mixture to the likelihood of p
(``demur.monitoring.betting``) is a nonnegative martingale under p that starts at 1. Its smallest value
over the range is at most its value at the true share. So is the mean over the actions, and over the
starts of ``demur.monitoring.drift``. Half of that mean therefore reaches 1 / alpha with probability
at most alpha / 2 (Ville); with the limits above a false alarm has a probability of at most alpha, ever.
"""

import math
from dataclasses import dataclass

import numpy as np

from demur._checks import input_error
from demur._kernels.proportions import binomial_interval
from demur.monitoring.betting import log_beta_mixture
from demur.monitoring.drift import ChangeTest
from demur.policy.policy import Policy
from demur.typing import FloatArray

__all__ = ["ActionRanges"]


@dataclass(frozen=True, kw_only=True, eq=False)
class ActionRanges(ChangeTest):
    """Expected shares of the actions, the classes in order and abstaining last, and their test.

    Attributes
    ----------
    low, high : array
        Element k: limits of the share of action k.
    expected : tuple of float or None
        The share itself where the policy states it: that of abstaining.
    """

    low: FloatArray
    high: FloatArray
    expected: tuple[float | None, ...]
    cluster_size: float = 1.0
    log_spent = math.log(2)

    @classmethod
    def of(cls, policy: Policy, *, alpha: float) -> "ActionRanges":
        """Derive the ranges from promise and evidence; 0 to 1 where the policy states nothing."""
        evidence = policy.evidence
        if evidence is None:
            hint = "make it with Policy.from_answer."
            raise input_error("policy", "must have its evidence", f"the rule {policy.chosen!r}", hint)
        classes = len(policy.classes)
        level, units = 1 - alpha / 2 / (classes + 2), evidence.n / evidence.cluster_size

        def limits(share: float | None) -> tuple[float, float]:
            if share is None:
                return 0.0, 1.0
            low, high = binomial_interval(share * units, units, level)
            return float(low), float(high)

        wrong = limits(policy.error_rate)[1]
        least, most = limits(policy.abstention_rate)
        shares = evidence.class_sizes / evidence.n if policy.shares is None else policy.shares
        ends = [limits(float(share)) for share in shares]
        low = [max(below - wrong - most, 0.0) for below, _ in ends]
        high = [min(above + wrong, 1.0) for _, above in ends]
        return cls(
            low=np.array([*low, least]),
            high=np.array([*high, most]),
            cluster_size=evidence.cluster_size,
            expected=(*[None] * classes, policy.abstention_rate),
        )

    @property
    def size(self) -> int:
        """Number of actions."""
        return len(self.low)

    def outcomes(self, counts: FloatArray) -> tuple[float, ...]:
        """Return the cases of every action."""
        return tuple(counts.tolist())

    def log_ratios(self, counts: FloatArray, earlier: FloatArray) -> FloatArray:
        """Return log E_j of every action (rows) for every start (columns); `earlier` cases say nothing."""
        from scipy.special import xlog1py, xlogy

        n = counts.sum(axis=-1, keepdims=True)
        middle = (self.low + self.high) / 2
        nearest = np.clip(counts / np.maximum(n, 1.0), self.low, self.high)
        likeliest = xlogy(counts, nearest) + xlog1py(n - counts, -nearest)
        return np.asarray(log_beta_mixture(counts, n, expected=middle) - likeliest).T

    def outcome_log_ratio(self, counts: FloatArray) -> float:
        """Return log E_j of the decisions, from these cases and the reference alone."""
        ratios = self.log_ratios(counts[None] / self.cluster_size, np.zeros((1, self.size)))
        return float(np.logaddexp.reduce(ratios[:, 0])) - math.log(self.size) - self.log_spent
