r"""Do the scores still look as they did? An e-process that you may check after every batch.

Let k_1, ..., k_m be the cases per cell of the reference and of the batches before j, all that is
known then, and n_1, ..., n_m those of the batches j..t. Then

    E_j(t) = DM(n; s q) / DM(n; k + 1/2),

where DM(n; a) = G(A) / G(A + N) prod_i G(a_i + n_i) / G(a_i) is the probability of the later cases,
in their order, when shares follow a Dirichlet law with weights a (G the gamma function, A and N the
sums of a and n). The numerator is a bet on shares around q = k / K, as loose as s = 20 or 200 cases
make them (the mean of both); the denominator predicts that nothing has changed. With w_j =
1 / (j (j + 1)),

    E(t) = sum_{j <= t} w_j E_j(t) + 1 / (t + 1).

The monitor reports the average of three of them: for the outcomes (negative, abstain, positive),
for the blocks, and for the blocks with a bet on the prevalence, in which the urn of the denominator
is tilted: weights in proportion to a_i (o p_i + 1 - p_i), p_i the share of positives in cell i, for
odds of a positive that are o = 1/10 to 10 times as before.

Theorem 1 (cells that do not depend on labels). If reference and later cases are exchangeable with
continuous scores, and the cells end at reference scores whose ranks do not depend on the spacings
of the scores, then with the weights k_i (k_m + 1 for the last cell)
Pr(some E(t) >= 1 / alpha) <= alpha, for every distribution and every N.

Proof. The masses that N ordered scores leave between them are those of N ordered uniform variables:
N + 1 spacings with the law Dirichlet(1, ..., 1). A cell with k_i reference scores, its end among
them, is the union of k_i spacings, the last cell of k_m + 1, so the masses of the cells are
Dirichlet(k_1, ..., k_m + 1) whatever the scores. Given the ranks of the reference, the cells of
later cases are therefore drawn exactly as the denominator says: a Polya urn that starts with the
reference, takes up every later case, and so predicts from batch j on with all cases before. E_j is
the ratio of another law of the same sequence to its own, a martingale that starts at 1 before batch
j. Weighted with w_j, which add up to 1 (the starts still to come stand for 1),
and averaged over three tests, it stays one, and Ville's inequality gives alpha. Leaving some starts
out makes E smaller.

Theorem 2 (cells that do). Blocks and thresholds of a policy are chosen with the labels. Let cases be
independent, eta(x) = P(positive | score x) continuous or a step function, and the number of cells
bounded, as it is: each has a share of 1/200 or more. Then the level over c N later cases, for any c,
tends to the one of theorem 1 as N grows.

Proof. Let F be the distribution of the scores and F_N that of the reference, A_N(x) = sqrt(N)
(F_N(x) - F(x)), and B_N(x) = sum_{x_i <= x} (y_i - eta(x_i)) / sqrt(N), the noise of the labels.
Given the scores the terms of B_N have mean 0, so A_N and B_N are uncorrelated at every pair of
points, and (A_N, B_N) tends to independent Gaussian processes, A a Brownian bridge in F. Blocks and
thresholds are found on the convex minorant of sum y_i over the ranks, which is N integral eta dF_N +
sqrt(N) B_N. Where eta rises, blocks shrink to points; where it falls, one block covers the fall and
its ends tend to fixed points; so do steps, thresholds, and the ends of groups of blocks that hold
1/200. Where eta is constant the integral is linear in the rank, so that blocks there are found on B_N
alone. Hence the ends of the cells tend to points that are fixed or independent of A. By the
continuity of A, sqrt(N) (k / N - W), W the masses of the cells, tends to the increments of A
between such points: a normal law with the covariance of a multinomial sample. That is the limit
under theorem 1, too. Given W, later cases are a multinomial sample in both, and log E_j is, up to
terms that vanish, a continuous function of sqrt(N) (k / N - W) and of sqrt(N) (n / N - W) for n
later cases in proportion to N; half a case more per cell vanishes as well. So the law of the largest
E(t) has the same limit.

Small N is simulated in the tests for policies chosen on their own reference, 300 to 10,000 cases,
1,000 looks: of 300 quiet runs none has an alarm, by one of the three tests alone at most 2 of 100 have
one, where 5 are allowed. Also simulated: labels
that are a function of the score, scores without information, eta that jumps up and down, and ties,
which count as if broken at random. For a policy made for another prevalence than that of its
evidence the reference counts as the number of cases with the same variance
(`ReferenceCells.size_at`).

The start j that gives most evidence estimates when the change came. A change after a quiet time is
found sooner than one at the start: the quiet time has taught what to expect.
"""

import math
from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from demur.typing import FloatArray

__all__ = ["TILTS", "ChangeTest", "Start", "log_ratio", "log_urn", "pruned"]

# weights of the expected shares in the bet, in cases
_STRENGTHS = (20.0, 200.0)
# odds of a positive, as multiples of the expected ones, that are bet on
_ODDS = np.array([1.25, 1.5, 2.0, 3.0, 5.0, 10.0])
TILTS = np.concatenate([1 / _ODDS, _ODDS])
# starts kept per doubling of their age
_PER_DOUBLING = 2


class Start(NamedTuple):
    """A batch number to count from (the first is 1), and the cases per cell since."""

    batch: int
    counts: FloatArray


class ChangeTest(ABC):
    """Tests of a change against one reference, looked at together.

    Attributes
    ----------
    log_spent : float
        Log of the factor by which the evidence is made smaller, for what the reference may err.
    cluster_size : float
        Number of cases that belong together: so many count as one.
    """

    log_spent = 0.0
    cluster_size: float

    @abstractmethod
    def log_ratios(self, counts: FloatArray, earlier: FloatArray) -> FloatArray:
        """Return log E_j of every test (rows) for every start (columns).

        `counts` has a row per start: cases per cell since then; `earlier` those before.
        """

    @abstractmethod
    def outcome_log_ratio(self, counts: FloatArray) -> float:
        """Return log E_j of the decisions, from these cases and the reference alone."""

    def log_evidence(self, starts: list[Start], batches: int) -> tuple[float, Start]:
        """Return log E(t), averaged over the tests, and the start that adds most to it.

        The first start counts from the first batch, so it holds all cases.
        """
        counts = np.stack([start.counts for start in starts]) / self.cluster_size
        ratios = self.log_ratios(counts, counts[0] - counts)
        weights = np.array([-math.log(start.batch * (start.batch + 1)) for start in starts])
        terms = weights + np.logaddexp.reduce(ratios)
        waiting = math.log(len(ratios) / (batches + 1))
        evidence = float(np.logaddexp.reduce([*terms, waiting])) - math.log(len(ratios)) - self.log_spent
        return evidence, starts[int(np.argmax(terms))]


def log_ratio(counts: FloatArray, weights: FloatArray) -> FloatArray:
    """Log E_j: the bet around the expected shares against the prediction from what is known."""
    expected = weights / weights.sum(axis=-1, keepdims=True)
    bets = np.stack([log_urn(counts, strength * expected) for strength in _STRENGTHS])
    mixed = np.logaddexp.reduce(bets) - math.log(len(_STRENGTHS))
    return np.asarray(mixed - log_urn(counts, weights))


def log_urn(counts: FloatArray, weights: FloatArray) -> FloatArray:
    """Log probability of a sequence with these counts when shares are Dirichlet with these weights.

    Cells along the last axis; the others broadcast.
    """
    from scipy.special import gammaln

    total = weights.sum(axis=-1)
    gained = (gammaln(weights + counts) - gammaln(weights)).sum(axis=-1)
    return np.asarray(gammaln(total) - gammaln(total + counts.sum(axis=-1)) + gained)


def pruned(starts: list[Start], batches: int) -> list[Start]:
    """Keep the first start, and the oldest and the youngest of every doubling of age."""
    by_age: dict[int, list[Start]] = {}
    for start in starts:
        by_age.setdefault((batches + 1 - start.batch).bit_length(), []).append(start)
    few = [[group[0], group[-1]] if len(group) > _PER_DOUBLING else group for group in by_age.values()]
    return sorted((start for group in few for start in group), key=lambda start: start.batch)
