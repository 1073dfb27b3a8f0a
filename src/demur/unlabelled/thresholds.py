"""Thresholds on P(positive) from costs and unlabelled scores alone (Blanco-Vega et al. 2006).

The paper's class 0 is the positive class here, its skew is mu. With p = P(positive):

    direct    T / (1 - T) = mu
    ranking   T = the quantile of p at the level of the direct threshold
    nroc      T / (1 - T) = mu * mean(p) / (1 - mean(p))

All of them call a case positive where p >= T (at equality both answers cost the same).
The NROC curve is the ROC curve that calibrated probabilities lead one to expect. A decision shows all
thresholds side by side.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from demur._checks import check_positive_proba, check_rate, check_type, input_error
from demur._html import threshold_text
from demur._kernels.sweep import sorted_values
from demur._results import Result, read_only
from demur.costs.model import CostModel
from demur.counts.scores import ScoreCounts
from demur.counts.window import AbstentionWindow
from demur.exceptions import UndefinedError
from demur.roc.curve import auc_score
from demur.surface.surface import abstention_surface
from demur.surface.window import written_window
from demur.typing import ArrayLike, BoolArray, FloatArray, IntArray

__all__ = [
    "NrocCurve",
    "UnlabelledDecision",
    "UnlabelledThreshold",
    "direct_threshold",
    "expected_counts",
    "nroc_curve",
    "nroc_threshold",
    "ranking_threshold",
    "reaches",
    "relabelled",
    "shifted_threshold",
    "unlabelled_decision",
]


# Probabilities that differ from a threshold by rounding only count as equal to it. Relative to
# the nearer end of [0, 1]: an absolute 1e-12 would swallow thresholds for very rare classes.
_SLACK = 1e-12

_EXPECTED = "the true curve on average if the probabilities are calibrated"
_DIRECT = "cheapest if the probabilities are calibrated for the cases to be decided"
_RANKING = (
    "needs the order of the scores only; cheapest if calibrated probabilities would spread evenly over [0, 1]"
)
_NROC = (
    "cheapest if the probabilities are calibrated and both classes will be equally frequent "
    "where the rule is used"
)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class UnlabelledThreshold(Result):
    """A threshold on P(positive) chosen without labels, and what makes it the cheapest one.

    Attributes
    ----------
    threshold : float
        Call a case positive where P(positive) is at least this; `decide` applies it.
    method : str
        "direct", "ranking", "nroc" or "shifted".
    assumption : str
        What has to hold for no other threshold to be cheaper.
    mu : float
        Relative cost of a false alarm it was made for.
    prevalence : float or None
        Mean of the probabilities it was made from (for "shifted": where they were
        calibrated); None for "direct", which needs none.
    tie_share : float or None
        Share of the cases tied at the threshold that are to be called positive to reach the
        wanted number of positives (the "Ro index"); None where no case lies on it.
    """

    threshold: float
    method: str
    assumption: str
    mu: float
    prevalence: float | None = None
    tie_share: float | None = None

    def decide(self, proba: ArrayLike) -> IntArray:
        """Return 1 (positive) where ``proba >= threshold``, else 0."""
        return reaches(check_positive_proba(proba), self.threshold).astype(np.int64)


def _slack(threshold: float) -> float:
    return _SLACK * min(threshold, 1 - threshold)


def reaches(proba: FloatArray, threshold: float) -> BoolArray:
    """True where a probability is at least the threshold, up to rounding."""
    return np.asarray(proba >= threshold - _slack(threshold))


def _ties(proba: FloatArray, threshold: float) -> BoolArray:
    return np.asarray(np.abs(proba - threshold) <= _slack(threshold))


def _relative_cost(costs: CostModel | None, mu: float | None) -> float:
    """Return mu from the one of the two that is given; 0 and infinity are its limits."""
    if (costs is None) == (mu is None):
        given = "neither" if costs is None else "both"
        raise input_error(
            "costs", "or else `mu` is needed", given, "costs=CostModel(cost_fn=..., cost_fp=...)."
        )
    if costs is not None:
        check_type(costs, "costs", CostModel)
        if costs.mu == 0:
            raise input_error(
                "costs",
                "must make a false alarm cost more than a correct rejection (cost_fp > cost_tn)",
                f"cost_fp = {costs.cost_fp:g} and cost_tn = {costs.cost_tn:g}",
                "calling every case positive is then never worse; pass mu=0 for that limit.",
            )
        return costs.mu
    if isinstance(mu, bool) or not isinstance(mu, (int, float, np.number)) or not mu >= 0:
        raise input_error("mu", "must be one number >= 0 (inf allowed)", repr(mu))
    return float(mu)


def _threshold(mu: float, positives: float = 1.0, negatives: float = 1.0) -> float:
    """T = mu positives / (mu positives + negatives), safe for mu = 0 and infinity."""
    alarms, misses = (mu * positives, negatives) if mu <= 1 else (positives, negatives / mu)
    if alarms + misses == 0:
        raise UndefinedError(
            f"The threshold is 0 / 0 with a relative false-alarm cost of {mu:g} and no expected case of "
            f"the {'positive' if positives == 0 else 'negative'} class. Hint: use direct_threshold."
        )
    return alarms / (alarms + misses)


def direct_threshold(costs: CostModel | None = None, *, mu: float | None = None) -> UnlabelledThreshold:
    """Threshold on P(positive) that follows from the costs alone.

    No data are needed. No rule is cheaper for calibrated probabilities; with probabilities
    that are too extreme or too cautious it can be far from the best.

    Parameters
    ----------
    costs : CostModel
        What each outcome costs, with cost_fp > cost_tn: where a false alarm costs nothing
        extra there is nothing to decide. A cost of abstaining is not used.
    mu : float, optional
        The relative cost of a false alarm instead of `costs`; 0 and inf are its limits.

    Returns
    -------
    UnlabelledThreshold
        With `threshold`, `assumption`, `decide`.

    Raises
    ------
    InputError
        If neither or both of `costs` and `mu` are given, or a false alarm in `costs` costs no
        more than a correct rejection (the paper's C(0, 1) = C(1, 1)).

    Notes
    -----
    T = mu / (1 + mu): the p at which calling positive, mu (1 - p), and calling negative, p,
    cost the same. The paper's inequality calls p = T negative, its labelling scheme positive;
    demur calls p = T positive everywhere.

    References
    ----------
    Blanco-Vega, Ferri-Ramirez, Hernandez-Orallo, Ramirez-Quintana (2006), ROCML workshop at
    ICML, eq. 3. Elkan (2001), IJCAI, section 2.

    Examples
    --------
    A false alarm costs twice as much as a miss, so a case needs a high probability:

    >>> from demur import CostModel, direct_threshold
    >>> rule = direct_threshold(CostModel(cost_fn=1, cost_fp=2))
    >>> round(rule.threshold, 4)
    0.6667
    >>> rule.decide([0.9, 0.6, 0.7]).tolist()
    [1, 0, 1]
    """
    ratio = _relative_cost(costs, mu)
    return UnlabelledThreshold(threshold=_threshold(ratio), method="direct", assumption=_DIRECT, mu=ratio)


def shifted_threshold(
    costs: CostModel | None = None,
    *,
    prevalence: float,
    target_prevalence: float,
    mu: float | None = None,
) -> UnlabelledThreshold:
    """Threshold on probabilities calibrated at one prevalence, for use at another.

    The general rule of which `direct_threshold` (no change) and `nroc_threshold` (from the
    mean of the probabilities to one half) are cases. Assumes that only the class
    distribution changes, not how the cases of a class look.

    Parameters
    ----------
    costs, mu
        As in `direct_threshold`.
    prevalence : float
        P(positive) the probabilities are calibrated for, between 0 and 1.
    target_prevalence : float
        P(positive) where the rule will be used; `adjust_prevalence` estimates it.

    Returns
    -------
    UnlabelledThreshold
        With `threshold`, `assumption`, `decide`; for the probabilities as they are.

    Raises
    ------
    InputError
        For a prevalence that is no probability.
    UndefinedError
        If the threshold is 0 / 0, as with a class that occurs in neither place.

    Notes
    -----
    odds(T) = mu * odds(prevalence) / odds(target_prevalence).

    References
    ----------
    Elkan (2001), IJCAI, theorem 2. Saerens, Latinne, Decaestecker (2002), Neural Computation
    14, eq. 2.4, doi:10.1162/089976602753284446.

    Examples
    --------
    Trained on half positives, used where one case in ten is positive: raise the threshold.

    >>> from demur import CostModel
    >>> from demur.unlabelled import shifted_threshold
    >>> rule = shifted_threshold(CostModel(), prevalence=0.5, target_prevalence=0.1)
    >>> round(rule.threshold, 4)
    0.9
    """
    ratio = _relative_cost(costs, mu)
    trained = check_rate(prevalence, "prevalence")
    target = check_rate(target_prevalence, "target_prevalence")
    return UnlabelledThreshold(
        threshold=_threshold(ratio, trained * (1 - target), (1 - trained) * target),
        method="shifted",
        assumption=f"cheapest if the probabilities are calibrated at prevalence {trained:.4g} and only the "
        f"prevalence changes, to {target:.4g}",
        mu=ratio,
        prevalence=trained,
    )


def ranking_threshold(
    proba: ArrayLike, costs: CostModel | None = None, *, mu: float | None = None
) -> UnlabelledThreshold:
    """Threshold that calls the top share 1 / (1 + mu) of the cases positive.

    Uses the order of the scores only, so it is the choice when the probabilities cannot be
    trusted but their order can. It ignores how many cases are positive: where prevalence is
    far from one half it is far from the cheapest rule.

    Parameters
    ----------
    proba : array of n numbers in [0, 1]
        P(positive) of unlabelled cases like those to be decided.
    costs, mu
        As in `direct_threshold`.

    Returns
    -------
    UnlabelledThreshold
        With `tie_share`, the share of the cases tied at the threshold that belongs to the
        positive side. `decide` calls all of them positive.

    Raises
    ------
    InputError
        For no case, NaN, numbers outside [0, 1], or `costs` as in `direct_threshold`.

    Notes
    -----
    With p_1 >= ... >= p_n and the position (n - 1) / (1 + mu) + 1 = a + f, a whole and
    0 <= f < 1: T = p_a - f (p_a - p_{a+1}). The same as the linearly interpolated quantile of
    p at the level of the direct threshold; computed by selection in O(n).

    References
    ----------
    Blanco-Vega et al. (2006), ROCML, eq. 4 and figure 2.

    Examples
    --------
    Three of six cases are tied where the cut falls; two of them belong above it:

    >>> from demur import CostModel
    >>> from demur.unlabelled import ranking_threshold
    >>> rule = ranking_threshold([0.9, 0.8, 0.8, 0.8, 0.3, 0.1], CostModel())
    >>> rule.threshold, round(rule.tie_share, 4)
    (0.8, 0.6667)
    """
    values, ratio = check_positive_proba(proba), _relative_cost(costs, mu)
    n = len(values)
    position = (n - 1) / (1 + ratio)
    above = n - 1 - math.floor(position)
    below = max(above - 1, 0)
    chosen = np.partition(values, [below, above])
    high, low = float(chosen[above]), float(chosen[below])
    threshold = high - (high - low) * (position - math.floor(position))
    # the share of the cases at the threshold that n / (1 + mu) positives still need
    tied = int(np.count_nonzero(_ties(values, threshold)))
    sure = int(np.count_nonzero(reaches(values, threshold))) - tied
    tie_share = min(max((n / (1 + ratio) - sure) / tied, 0.0), 1.0) if tied else None
    return UnlabelledThreshold(
        threshold=threshold,
        method="ranking",
        assumption=_RANKING,
        mu=ratio,
        prevalence=float(values.mean()),
        tie_share=tie_share,
    )


def relabelled(proba: FloatArray, rule: UnlabelledThreshold) -> BoolArray:
    """True where a case is called positive, with ties split by `tie_share` in input order."""
    positive = reaches(proba, rule.threshold)
    if rule.tie_share is None:
        return positive
    tied = np.flatnonzero(_ties(proba, rule.threshold))
    positive[tied[math.floor(rule.tie_share * len(tied) + 0.5) :]] = False
    return positive


def nroc_threshold(
    proba: ArrayLike, costs: CostModel | None = None, *, mu: float | None = None
) -> UnlabelledThreshold:
    """Threshold at which the NROC curve touches the line of slope mu.

    The cheapest rule if the probabilities are calibrated and both classes are equally
    frequent where it is used. For use at the prevalence of the probabilities take
    `direct_threshold`, for any other `shifted_threshold`.

    Parameters
    ----------
    proba, costs, mu
        As in `ranking_threshold`.

    Returns
    -------
    UnlabelledThreshold
        With `threshold`, `assumption`, `decide`.

    Raises
    ------
    InputError
        For no case, NaN, numbers outside [0, 1], or `costs` as in `direct_threshold`.
    UndefinedError
        If all probabilities are 1 and mu is 0, or all are 0 and mu is inf.

    Notes
    -----
    T = mu S / (mu S + n - S) with S = sum p, hence logit T = logit T_direct + logit mean(p):
    above the direct threshold exactly where mean(p) > 1/2 (proposition 2). The paper calls
    it optimal for calibrated probabilities; that holds for the class-balanced cost only. It
    prints the limit form with the ratio S / (n - S) inverted.

    References
    ----------
    Blanco-Vega et al. (2006), ROCML, eq. 5.

    Examples
    --------
    >>> from demur import CostModel
    >>> from demur.unlabelled import nroc_threshold
    >>> rule = nroc_threshold([0.9, 0.8, 0.6, 0.55, 0.4, 0.2, 0.1], CostModel(cost_fp=2))
    >>> round(rule.threshold, 6)
    0.672986
    """
    values, ratio = check_positive_proba(proba), _relative_cost(costs, mu)
    return UnlabelledThreshold(
        threshold=_threshold(ratio, float(values.sum()), float((1 - values).sum())),
        method="nroc",
        assumption=_NROC,
        mu=ratio,
        prevalence=float(values.mean()),
    )


# ---------------------------------------------------------------- the expected curve


def expected_counts(proba: FloatArray) -> ScoreCounts:
    """Counts that calibrated probabilities lead one to expect: p positives, 1 - p negatives."""
    return ScoreCounts.from_counts(proba, proba, 1 - proba)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class NrocCurve(Result):
    """ROC curve that calibrated probabilities lead one to expect; made by `nroc_curve`.

    Attributes
    ----------
    fpr, tpr : array
        Element i: expected rates when the i cases with the highest probabilities are called
        positive; from (0, 0) to (1, 1). The curve is concave.
    thresholds : array
        Element i: probability of case i in that order; inf for the first point. Points inside
        a run of equal probabilities lie on one straight line and cannot be reached exactly.
    auc : float
        Area under the curve: the expected AUC of the probabilities.
    n : int
        Number of cases.
    prevalence : float
        Mean of the probabilities.
    assumption : str
        What has to hold for the curve to be the true one on average.
    """

    fpr: FloatArray
    tpr: FloatArray
    thresholds: FloatArray
    auc: float
    n: int
    prevalence: float
    assumption: str = _EXPECTED

    def threshold(self, costs: CostModel | None = None, *, mu: float | None = None) -> UnlabelledThreshold:
        """Return the threshold at which a line of slope mu touches the curve; see `nroc_threshold`."""
        return nroc_threshold(self.thresholds[1:], costs, mu=mu)

    def point(self, threshold: float) -> tuple[float, float]:
        """Return (fpr, tpr) of calling positive where the probability is at least `threshold`."""
        called = int(np.count_nonzero(reaches(self.thresholds[1:], check_rate(threshold, "threshold"))))
        return float(self.fpr[called]), float(self.tpr[called])


def nroc_curve(proba: ArrayLike) -> NrocCurve:
    """ROC curve expected from the probabilities alone; up and left is better.

    Each case counts as p positives and 1 - p negatives. Equal to the true ROC curve on
    average if the probabilities are calibrated; overconfident ones look too good.

    Parameters
    ----------
    proba : array of n numbers in [0, 1]
        P(positive) of unlabelled cases.

    Returns
    -------
    NrocCurve
        n + 1 points, the expected `auc`, `point`, `threshold`.

    Raises
    ------
    UndefinedError
        If all probabilities are 0 or all are 1: one of the rates does not exist.

    Notes
    -----
    With p descending, point i is (sum_{j <= i} (1 - p_j) / sum (1 - p), sum_{j <= i} p_j / sum p).
    The second sum is n - sum p; the paper's proposition 2 prints 1 - sum p.

    References
    ----------
    Blanco-Vega et al. (2006), ROCML, section 2.3.

    Examples
    --------
    How good is the ranking, if the probabilities mean what they say?

    >>> from demur.unlabelled import nroc_curve
    >>> curve = nroc_curve([0.9, 0.8, 0.6, 0.55, 0.4, 0.2, 0.1])
    >>> round(curve.auc, 4), [round(y, 4) for y in curve.tpr[:4].tolist()]
    (0.8103, [0.0, 0.2535, 0.4789, 0.6479])
    """
    values = check_positive_proba(proba)
    counts = expected_counts(sorted_values(values))
    for mass, word in ((counts.n_positive, 0), (counts.n_negative, 1)):
        if mass == 0:
            raise UndefinedError(
                f"An NROC curve needs probabilities that are not all {word}, got all {word}."
            )
    repeats = np.rint(counts.positives + counts.negatives).astype(np.int64)[::-1]
    return NrocCurve(
        fpr=read_only(_rates_per_case(counts.negatives[::-1], repeats)),
        tpr=read_only(_rates_per_case(counts.positives[::-1], repeats)),
        thresholds=read_only(np.concatenate([[np.inf], np.repeat(counts.scores[::-1], repeats)])),
        auc=auc_score(counts),
        n=len(values),
        prevalence=float(values.mean()),
    )


def _rates_per_case(mass: FloatArray, repeats: IntArray) -> FloatArray:
    """Running share of the mass after each case, ties spread evenly; ends at 1 exactly."""
    running = np.cumsum(np.concatenate([[0.0], np.repeat(mass / repeats, repeats)]))
    return np.asarray(running / running[-1])


# ---------------------------------------------------------------- the decision


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class UnlabelledDecision(Result):
    """What to do with unlabelled scores; made by `unlabelled_decision`.

    Attributes
    ----------
    sentence : str
        The decision in words.
    direct, ranking, nroc : UnlabelledThreshold
        The three thresholds, each with its assumption.
    positive_rates, expected_costs : dict
        By method: share of the cases called positive, and expected cost per case in the
        unit of the costs if the probabilities are calibrated.
    window : AbstentionWindow or None
        Cheapest window if the probabilities are calibrated, where the costs allow abstaining.
    n : int
        Number of cases.
    prevalence : float
        Mean of the probabilities: the prevalence they claim.
    """

    sentence: str
    direct: UnlabelledThreshold
    ranking: UnlabelledThreshold
    nroc: UnlabelledThreshold
    positive_rates: dict[str, float]
    expected_costs: dict[str, float]
    window: AbstentionWindow | None
    n: int
    prevalence: float


def unlabelled_decision(proba: ArrayLike, costs: CostModel) -> UnlabelledDecision:
    """Decide from costs and unlabelled probabilities, with all three thresholds side by side.

    Recommends the direct threshold, which is the cheapest if the probabilities are
    calibrated, and shows how much the others would differ. Where the costs allow abstaining,
    recommends the window that is cheapest for calibrated probabilities instead.

    Parameters
    ----------
    proba : array of n numbers in [0, 1]
        P(positive) of the cases.
    costs : CostModel
        What each outcome costs.

    Returns
    -------
    UnlabelledDecision
        With `sentence`, `direct`, `ranking`, `nroc`, `window`.

    Raises
    ------
    InputError
        For no case, NaN, numbers outside [0, 1], or `costs` as in `direct_threshold`.

    Notes
    -----
    The expected cost of a rule is the mean of mu (1 - p) where it says positive and of p
    where it says negative, in the unit of `costs`. No labelled case supports it: it is as
    good as the calibration.

    References
    ----------
    Blanco-Vega et al. (2006), ROCML.

    Examples
    --------
    >>> from demur import CostModel
    >>> from demur.unlabelled import unlabelled_decision
    >>> proba = [0.9, 0.8, 0.6, 0.55, 0.4, 0.2, 0.1]
    >>> decision = unlabelled_decision(proba, CostModel(cost_fn=100, cost_fp=200))
    >>> print(decision.sentence)
    Call a case positive from P(positive) 0.6666666666666666 on: 2 of 7 cases, expected cost 35
    per case if the probabilities are calibrated. No label was used.
    >>> decision.ranking.threshold
    0.6
    >>> decision.positive_rates["ranking"] > decision.positive_rates["direct"]
    True
    """
    values = check_positive_proba(proba)
    check_type(costs, "costs", CostModel)
    mean = float(values.mean())
    rules = {
        "direct": direct_threshold(costs),
        "ranking": ranking_threshold(values, costs),
        "nroc": nroc_threshold(values, costs),
    }
    called = {name: reaches(values, rule.threshold) for name, rule in rules.items()}
    expected = {
        name: float(
            costs.expected_cost(float(np.where(positive, costs.mu * (1 - values), values).mean()), mean)
        )
        for name, positive in called.items()
    }
    window = None
    if costs.may_abstain:
        counts = expected_counts(values)
        window = written_window(abstention_surface(counts).window(costs=costs), counts)
    start, cost = "Call a case positive from P(positive)", expected["direct"]
    if window is None or window.is_empty:
        positive = np.count_nonzero(called["direct"])
        rule = f"{start} {threshold_text(rules['direct'].threshold)} on: {positive} of {len(values)} cases"
    else:
        sent, cost = round(window.abstention_rate * len(values)), window.expected_cost
        rule = (
            f"{start} {threshold_text(window.upper)} on, negative up to {threshold_text(window.lower)}, and "
            f"abstain between: {sent} of {len(values)} cases abstained on"
        )
    return UnlabelledDecision(
        sentence=f"{rule}, expected cost {cost:.4g} per case if the probabilities are calibrated. "
        "No label was used.",
        **rules,
        positive_rates={name: float(positive.mean()) for name, positive in called.items()},
        expected_costs=expected,
        window=window,
        n=len(values),
        prevalence=mean,
    )
