r"""What a policy expects to see: cases per cell of the score axis, or ranges for the shares of its actions.

Cells end where pooled blocks of the evidence end and where the window begins and ends. The tests of a
change are those of ``demur.monitoring.drift``. Scores on another scale than those a policy was made for are
reported at the first batch.

Rules without a single score. A policy states how often its rule abstains (a) and errs (e) and the share s_k
of every class, from N cases. A case called k is of class k or an error; a case of class k is called k,
abstained on or an error. So the share called k lies between s_k - e - a and s_k + e. Exact limits of a, e
and s_1, ..., s_m that hold together with probability 1 - alpha / 2 (Clopper and Pearson, Bonferroni) give a
range [low, high] for every action, which holds the true shares with that probability.

E-process. After c of n cases, the ratio of a Beta mixture to the likelihood of p
(``demur.monitoring.betting``) is a nonnegative martingale under p that starts at 1. Its smallest value
over the range is at most its value at the true share. So is the mean over the actions, and over the
starts of ``demur.monitoring.drift``. Half of that mean therefore reaches 1 / alpha with probability
at most alpha / 2 (Ville); with the limits above a false alarm has a probability of at most alpha, ever.

The prevalence that explains new scores, and what keeping the old window costs there, are right if only the
prevalence has changed: the scores of each class are distributed as before.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from demur._checks import input_error
from demur._kernels.proportions import binomial_interval
from demur._results import Interval
from demur.monitoring.betting import log_beta_mixture
from demur.monitoring.drift import TILTS, ChangeTest, log_ratio, log_urn
from demur.policy.policy import Policy
from demur.surface.window import ABSTAIN
from demur.typing import FloatArray, IntArray
from demur.windows.rule import Window

__all__ = [
    "ActionRanges",
    "BatchCounts",
    "PrevalenceFit",
    "ReferenceCells",
    "fitted_prevalence",
    "likeliest_prevalence",
    "scale_sentences",
    "score_range",
]


# neighbours are joined until every cell of the block test is expected to hold this share
_SMALLEST_SHARE = 1 / 200
_SAME = 1e-12
_MOST_OUTSIDE = 0.01
# chance of a false warning about the scale, over all batches
_CHANCE = 1e-3

_STEPS = 200
# of a case in a cell without any, so that its share is defined
_TRACE = 1e-4
# limits of a prevalence need no more digits
_NEAR = 1e-6
_EXACT = 1e-12
# prevalences, and shifts in standard deviations, that explain new scores
_RATES = np.linspace(0, 1, 201)[:, None]
_SHIFTS = np.linspace(-4, 4, 201)[:, None]


@dataclass(frozen=True, kw_only=True, eq=False)
class ReferenceCells(ChangeTest):
    """The evidence of a policy, counted per cell, and the tests of outcomes and blocks against it.

    Attributes
    ----------
    cuts : array
        Cell k holds the scores in (cuts[k - 1], cuts[k]]; ascending.
    positive, negative : array
        Element k: share of that class expected in cell k.
    n_positive, n_negative : float
        Reference cases; of clusters as many as there are clusters of the size of a case's.
    cluster_size : float
        As the evidence states it.
    prevalence : float
        P(positive) in use.
    sampled : bool
        Whether the prevalence is that of the evidence, so that the cases are one sample.
    negative_cells, decided_from : int
        The first cells, called negative; the first cell called positive.
    """

    cuts: FloatArray
    positive: FloatArray
    negative: FloatArray
    n_positive: float
    n_negative: float
    cluster_size: float
    prevalence: float
    sampled: bool
    negative_cells: int
    decided_from: int

    @classmethod
    def of(cls, policy: Policy) -> "ReferenceCells":
        """Cut the score axis at the ends of the blocks and at the thresholds."""
        window, evidence, assumed = policy.rule, policy.evidence, policy.prevalence
        if not isinstance(window, Window) or evidence is None or evidence.blocks is None or assumed is None:
            raise input_error("policy", "must be a window with its evidence", f"the rule {policy.chosen!r}")
        blocks, own = evidence.blocks, evidence.prevalence or 0.0
        below, above = _threshold_cuts(window)
        cuts = _cuts(blocks.lower, blocks.upper, [cut for cut in (below, above) if cut is not None])
        whole = np.searchsorted(blocks.upper, cuts, side="right")
        # a cut inside a block: half of its cases are taken to lie on either side
        inside = (whole < len(blocks.upper)) & (np.append(blocks.lower, np.inf)[whole] <= cuts)
        shares = {}
        for name, column in (("positive", blocks.positives), ("negative", blocks.negatives)):
            running = np.concatenate([[0.0], np.cumsum(column)])
            below_cuts = (running[whole] + running[whole + inside]) / 2
            held = np.diff(np.concatenate([[0.0], below_cuts, running[-1:]]))
            shares[name] = held / running[-1] if running[-1] else held
        return cls(
            cuts=cuts,
            **shares,
            n_positive=float(blocks.positives.sum()) / evidence.cluster_size,
            n_negative=float(blocks.negatives.sum()) / evidence.cluster_size,
            cluster_size=evidence.cluster_size,
            prevalence=assumed,
            sampled=math.isclose(assumed, own, rel_tol=_SAME, abs_tol=_SAME),
            negative_cells=_cells_below(cuts, below, never=0 if window.lower == -math.inf else len(cuts) + 1),
            decided_from=_cells_below(cuts, above, never=len(cuts) + 1 if window.upper == math.inf else 0),
        )

    def cell_of(self, scores: FloatArray) -> IntArray:
        """Return the cell of every score."""
        return np.searchsorted(self.cuts, scores, side="left")

    @property
    def size(self) -> int:
        """Number of cells."""
        return len(self.cuts) + 1

    def shares(self, prevalence: float | None = None) -> FloatArray:
        """Return the expected share of every cell, at another prevalence if one is given."""
        rate = self.prevalence if prevalence is None else prevalence
        return rate * self.positive + (1 - rate) * self.negative

    @cached_property
    def outcome_starts(self) -> IntArray:
        """First cells of the outcomes, in the order of the scores; those that cannot happen are left out."""
        starts = {0, self.negative_cells, self.decided_from} - {self.size}
        return np.array(sorted(starts), dtype=np.int64)

    @cached_property
    def block_starts(self) -> IntArray:
        """First cells of groups that are each expected to hold at least 1 / 200 of the cases."""
        starts, held = [0], 0.0
        for cell, share in enumerate(self.shares()):
            if held >= _SMALLEST_SHARE:
                starts.append(cell)
                held = 0.0
            held += share
        if held < _SMALLEST_SHARE and len(starts) > 1:
            starts.pop()
        return np.array(starts, dtype=np.int64)

    def in_blocks(self, column: FloatArray) -> FloatArray:
        """Add up a column of cells over these groups."""
        return np.add.reduceat(column, self.block_starts)

    def outcomes(self, counts: FloatArray) -> tuple[float, float, float]:
        """Return the numbers of cases called negative, called positive and abstained on."""
        first, last = self.negative_cells, max(self.negative_cells, self.decided_from)
        return float(counts[:first].sum()), float(counts[last:].sum()), float(counts[first:last].sum())

    def outcomes_by_class(self) -> FloatArray:
        """Return the expected shares of the decisions among negatives and among positives (rows)."""
        return np.array([self.outcomes(self.negative), self.outcomes(self.positive)])

    @cached_property
    def expected(self) -> tuple[float, float, float]:
        """The expected shares of the decisions: called negative, called positive, abstained on."""
        return self.outcomes(self.shares())

    def size_at(self, prevalence: float | None = None) -> float:
        """Return how many reference cases the expected shares are worth.

        All of them where the prevalence is that of the evidence. Elsewhere the shares are
        pi P+ + (1 - pi) P- with the variance of both classes, and are worth the smallest n, over
        the cells, for which n cases would vary as much.
        """
        rate = self.prevalence if prevalence is None else prevalence
        if self.sampled and prevalence is None:
            return self.n_positive + self.n_negative
        parts = ((rate, self.positive, self.n_positive), (1 - rate, self.negative, self.n_negative))
        variance = np.zeros(len(self.block_starts))
        for weight, shares, n in parts:
            # half a case more keeps an empty cell from looking certain
            held = (self.in_blocks(shares) * n + 0.5) / (n + 1)
            variance += weight**2 * held * (1 - held) / (n + 1)
        mixed = self.in_blocks(self.shares(rate))
        sure = mixed * (1 - mixed) > 0
        return float((mixed * (1 - mixed) / variance)[sure].min()) if sure.any() else 1.0

    # ---------------------------------------------------------------- tests of a change

    @cached_property
    def _tilts(self) -> FloatArray:
        """Factors of the shares of the blocks (columns) for every odds ratio of the prevalence (rows)."""
        rate, size = self.prevalence, self.size_at()
        positive = rate * size * self.in_blocks(self.positive) + 0.25
        negative = (1 - rate) * size * self.in_blocks(self.negative) + 0.25
        share = positive / (positive + negative)
        return np.asarray(TILTS[:, None] * share + (1 - share))

    def log_ratios(self, counts: FloatArray, earlier: FloatArray) -> FloatArray:
        """Return log E_j of outcomes, blocks and prevalence (rows) for every start (columns)."""
        known = self.shares() * self.size_at() + earlier
        ratios = []
        for starts in (self.outcome_starts, self.block_starts):
            held = np.add.reduceat(counts, starts, axis=-1)
            weights = np.add.reduceat(known, starts, axis=-1) + 0.5
            ratios.append(log_ratio(held, weights))
        tilted = self._tilts * weights[:, None]
        tilted *= weights.sum(axis=-1)[:, None, None] / tilted.sum(axis=-1, keepdims=True)
        bets = log_urn(held[:, None], tilted) - math.log(len(TILTS))
        ratios.append(np.logaddexp.reduce(bets, axis=-1) - log_urn(held, weights))
        return np.stack(ratios)

    def outcome_log_ratio(self, counts: FloatArray) -> float:
        """Return log E_j of the decisions, from these cases and the reference alone."""
        everywhere = self.outcomes(np.ones(self.size))
        # in the order of the scores, as in the test of all batches
        possible = [code for code in (0, ABSTAIN, 1) if everywhere[code] > 0]
        known = np.array(self.expected) * self.size_at() + 0.5
        return float(log_ratio(counts[possible] / self.cluster_size, known[possible]))


def _threshold_cuts(window: Window) -> tuple[float | None, float | None]:
    """Return the thresholds as cuts: a score at or below the cut is on the lower side."""
    above = math.nextafter(window.upper, -math.inf) if math.isfinite(window.upper) else None
    below = window.lower if math.isfinite(window.lower) else None
    # decide() calls a score positive first
    if below is not None and window.lower == window.upper:
        below = above
    return below, above


def _cells_below(cuts: FloatArray, cut: float | None, *, never: int) -> int:
    return never if cut is None else int(np.searchsorted(cuts, cut, side="left")) + 1


def _cuts(lower: FloatArray, upper: FloatArray, thresholds: list[float]) -> FloatArray:
    """Ends of all blocks but the last; a threshold in the gap behind a block replaces its end."""
    ends = upper[:-1].copy()
    for cut in thresholds:
        block = int(np.searchsorted(upper, cut, side="right")) - 1
        if 0 <= block < len(ends) and cut < lower[block + 1]:
            ends[block] = cut
    return np.unique(np.concatenate([ends, thresholds]))


# ---------------------------------------------------------------- another scale


@dataclass(frozen=True, kw_only=True, eq=False)
class BatchCounts:
    """Cases of a batch per cell, and the range of its scores.

    Attributes
    ----------
    counts : array
        Cases per cell of the reference; per action where the rule has no single score.
    low, high : float
        Smallest and largest score; 0 where the rule has no single score.
    outside : int
        Cases below or above every reference score.
    missing : int
        Rows without a score.
    """

    counts: FloatArray
    low: float = 0.0
    high: float = 0.0
    outside: int = 0
    missing: int = 0

    @classmethod
    def of(cls, scores: FloatArray, cells: ReferenceCells, policy: Policy) -> "BatchCounts":
        """Count scores."""
        low, high = score_range(policy)
        return cls(
            counts=np.bincount(cells.cell_of(scores), minlength=cells.size).astype(np.float64),
            low=float(scores.min()),
            high=float(scores.max()),
            outside=int(np.count_nonzero((scores < low) | (scores > high))),
        )

    @property
    def n(self) -> int:
        """Number of cases."""
        return int(self.counts.sum())

    def joined(self, later: "BatchCounts") -> "BatchCounts":
        """Return both as one batch."""
        return BatchCounts(
            counts=self.counts + later.counts,
            low=min(self.low, later.low),
            high=max(self.high, later.high),
            outside=self.outside + later.outside,
            missing=self.missing + later.missing,
        )


def score_range(policy: Policy) -> tuple[float, float]:
    """Return the smallest and the largest score of the evidence."""
    assert policy.evidence is not None
    blocks = policy.evidence.blocks
    assert blocks is not None
    return float(blocks.lower[0]), float(blocks.upper[-1])


def scale_sentences(
    policy: Policy, cells: ReferenceCells, batch: BatchCounts, *, number: int = 1
) -> dict[str, str]:
    """Say what is odd about the scale of the scores in a batch; empty if nothing is.

    A share of 1 % outside the range counts only if it is too large for chance: the mass outside n
    reference scores follows Beta(2, n - 1). Over all batches together the probability of a false
    warning is at most 0.001 per kind.
    """
    from scipy.special import betainc, betaincinv

    chance = _CHANCE / 2 / (number * (number + 1))
    low, high = score_range(policy)
    sentences = {}
    if batch.outside > _MOST_OUTSIDE * batch.n:
        size = max(cells.n_positive + cells.n_negative, 2.0)
        mass = float(betaincinv(2, size - 1, 1 - _CHANCE / 2))
        if float(betainc(batch.outside, batch.n - batch.outside + 1, mass)) <= chance:
            percent = low >= 0 and high <= 1 < batch.high <= 100 and batch.low >= 0
            sentences["outside"] = (
                f"{100 * batch.outside / batch.n:.1f} % of the scores lie outside {low:g} to {high:g}, the "
                f"range the policy was made for; they run from {batch.low:g} to {batch.high:g}"
                f"{': divide by 100?' if percent else '.'}"
            )
    if batch.n > 1 and batch.low == batch.high and cells.size > 1:
        share = cells.shares()[int(cells.cell_of(np.array([batch.low]))[0])]
        if _all_within(share, cells, batch.n - 1, chance):
            sentences["equal"] = f"All {batch.n} scores are equal ({batch.low:g})."
    if low >= 0 and 1 < high <= 100 and batch.low >= 0 and batch.high <= 1:
        share = float(cells.shares()[: int(cells.cell_of(np.array([1.0]))[0]) + 1].sum())
        if _all_within(share, cells, batch.n, chance):
            sentences["scale"] = (
                f"All scores lie between 0 and 1, but the policy was made for scores from {low:g} to "
                f"{high:g}: multiply by 100?"
            )
    return sentences


def _all_within(share: float, cells: ReferenceCells, n: int, chance: float) -> bool:
    """Tell whether n cases within `share` of the reference are too unlikely by chance."""
    from scipy.special import betaincinv

    size = cells.n_positive + cells.n_negative
    held = share * size
    most = float(betaincinv(held + 1, max(size - held, 1e-9), 1 - _CHANCE / 2))
    return most < 1 and n * math.log(most) <= math.log(chance)


# ---------------------------------------------------------------- rules without a single score


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


# ---------------------------------------------------------------- the prevalence of new cases


@dataclass(frozen=True, kw_only=True)
class PrevalenceFit:
    """Maximum likelihood over the cells, and its interval by the likelihood ratio.

    Attributes
    ----------
    prevalence : float
        The estimate.
    interval : Interval
        Its limits.
    p_value : float
        Of "the cases are a mixture of the reference classes", by the likelihood ratio to shares of
        their own in every cell. Small: the scores of the classes have moved. Right for one look.
    log_odds : float
        Log of how much likelier the cases are at the best prevalence than if all scores had moved alike.
    """

    prevalence: float
    interval: Interval
    p_value: float
    log_odds: float


def likeliest_prevalence(cells: ReferenceCells, counts: FloatArray) -> float:
    """Return the maximum-likelihood estimate of `fitted_prevalence` alone.

    By Newton steps, halving the bracket where one leaves it. Cells that neither class was seen in say
    nothing.
    """
    new, positive, negative = map(cells.in_blocks, (counts, cells.positive, cells.negative))
    informative = (new > 0) & (positive + negative > 0)
    cases, base, step = new[informative], negative[informative], (positive - negative)[informative]
    low, high, at = 0.0, 1.0, cells.prevalence
    for _ in range(_STEPS):
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = step / (base + at * step)
            slope, bend = float((cases * ratio).sum()), float((cases * ratio**2).sum())
        # the slope falls in pi: the maximum is above where it is positive
        low, high = (at, high) if slope > 0 else (low, at)
        after = at + slope / bend if 0 < bend < math.inf else math.nan
        if not low <= after <= high:
            after = (low + high) / 2
        if abs(after - at) < _EXACT:
            return after
        at = after
    return at


def fitted_prevalence(cells: ReferenceCells, counts: FloatArray, *, alpha: float) -> PrevalenceFit:
    """Estimate P(positive) among unlabelled cases from their counts per cell.

    Maximises sum_k n_k log(pi P+_k + (1 - pi) P-_k), concave in pi, with the class shares P+, P-
    of the reference (Saerens, Latinne, Decaestecker 2002). The interval holds the pi whose
    likelihood ratio stays below the chi-square quantile. It counts the reference cases as data,
    too: P+ and P- are fitted anew at every pi, so a small reference makes it wide.
    """
    from scipy.special import chdtrc, chdtri

    estimate = likeliest_prevalence(cells, counts)
    samples = _Samples(
        cells.in_blocks(counts) / cells.cluster_size,
        cells.in_blocks(cells.positive) * cells.n_positive,
        cells.in_blocks(cells.negative) * cells.n_negative,
    )
    best = _root(samples.slope, 0.0, 1.0)
    highest = samples.profile(best)
    allowed = highest - float(chdtri(1, alpha)) / 2
    low, high = (_root(lambda pi: samples.profile(pi) - allowed, best, end) for end in (0.0, 1.0))
    n_informative = int(np.count_nonzero(samples.new + samples.positive + samples.negative))
    return PrevalenceFit(
        prevalence=estimate,
        interval=Interval(min(low, estimate), max(high, estimate)),
        p_value=float(chdtrc(n_informative - 2, 2 * max(samples.apart - highest, 0.0)))
        if n_informative > 2
        else 1.0,
        log_odds=_share_against_shift(cells, samples.new),
    )


def _share_against_shift(cells: ReferenceCells, new: FloatArray) -> float:
    """Return by how much the log-likelihood at the best prevalence exceeds that of the best shift.

    A shift by delta on the normal scale of the reference scores takes the share F below a cut to
    Phi(Phi^-1(F) - delta), whatever the scale of the scores. Both have one parameter, and both predict with
    the urn of ``demur.monitoring.drift``, which holds the sampling error of the reference.
    """
    from scipy.special import ndtr, ndtri

    positive, negative = cells.in_blocks(cells.positive), cells.in_blocks(cells.negative)
    mixed = _RATES * positive + (1 - _RATES) * negative
    below = ndtri(np.clip(np.cumsum(cells.in_blocks(cells.shares()))[:-1], 0.0, 1.0))
    moved = np.diff(ndtr(below - _SHIFTS), axis=1, prepend=0.0, append=1.0)
    share, shift = (log_urn(new, cells.size_at() * shares + 0.5).max() for shares in (mixed, moved))
    return float(share - shift)


@dataclass(frozen=True, eq=False)
class _Samples:
    """Cases per cell: new ones without labels, and the positives and negatives of the reference."""

    new: FloatArray
    positive: FloatArray
    negative: FloatArray

    def shares(self, pi: float) -> tuple[FloatArray, FloatArray]:
        """Return the shares of both classes that are most likely at pi, all samples together.

        With multipliers r and s of sum p = 1 and sum q = 1, cell k of mass m = pi p + (1 - pi) q and
        u = n / m has p = a / (r - pi u) and q = b / (s - (1 - pi) u) for its a positives, b
        negatives and n new cases. So u is the smaller root of a quadratic equation. Summing up gives
        r + s = all cases, and sum p falls from above 1 to below 1 as r goes from the number of
        positives to that plus all new cases: one root is left to find.
        """
        a, b = self.positive + _TRACE, self.negative + _TRACE
        new, rest = self.new, 1 - pi
        total = float(a.sum() + b.sum() + new.sum())

        def at(r: float) -> tuple[FloatArray, FloatArray]:
            s = total - r
            straight = new * (r * rest + s * pi) + pi * s * a + rest * r * b
            bent = pi * rest * (new + a + b)
            root = np.sqrt(np.maximum(straight**2 - 4 * bent * new * r * s, 0.0))
            u = 2 * new * r * s / (straight + root)
            return a / (r - pi * u), b / (s - rest * u)

        few = float(a.sum())
        r = _root(lambda r: float(at(r)[0].sum()) - 1, few, few + float(new.sum()), within=1e-11 * total)
        p, q = at(r)
        return p / p.sum(), q / q.sum()

    def profile(self, pi: float) -> float:
        """Log-likelihood of all samples at pi, maximised over the shares of the classes."""
        p, q = self.shares(pi)
        return _cross(self.new, pi * p + (1 - pi) * q) + _cross(self.positive, p) + _cross(self.negative, q)

    def slope(self, pi: float) -> float:
        """Derivative of `profile`: by the envelope theorem that of the likelihood at fixed shares."""
        p, q = self.shares(pi)
        held = self.new > 0
        with np.errstate(divide="ignore"):
            return float((self.new * (p - q) / (pi * p + (1 - pi) * q))[held].sum())

    @property
    def apart(self) -> float:
        """Log-likelihood with shares of their own for the new cases."""
        columns = (self.new, self.positive, self.negative)
        return sum(_cross(counts, counts / max(counts.sum(), 1.0)) for counts in columns)


def _cross(counts: FloatArray, shares: FloatArray) -> float:
    held = counts > 0
    with np.errstate(divide="ignore"):
        return float((counts[held] * np.log(shares[held])).sum())


def _root(
    falling: Callable[[float], float], inside: float, outside: float, *, within: float = _NEAR
) -> float:
    """Return where a function changes from >= 0 (at `inside`) to below 0; the end if it never does.

    False position with the Illinois rule (Dowell and Jarratt 1971, doi:10.1007/BF01934364); halving
    where that stays at one end or a value is infinite.
    """
    above, below = falling(inside), falling(outside)
    if below >= 0:
        return outside
    if above < 0:
        return inside
    above_weight = below_weight = 1.0
    for step in range(_STEPS):
        if abs(outside - inside) < within:
            break
        part = above * above_weight / (above * above_weight - below * below_weight)
        # every third step halves, so that the bracket shrinks whatever the function is like
        if step % 3 == 2 or not 0 < part < 1:
            part = 0.5
        middle = inside + part * (outside - inside)
        value = falling(middle)
        if value >= 0:
            inside, above, above_weight, below_weight = middle, value, 1.0, below_weight / 2
        else:
            outside, below, below_weight, above_weight = middle, value, 1.0, above_weight / 2
    return (inside + outside) / 2
