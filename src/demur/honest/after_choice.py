"""`cost_after_choice`: what the cheapest of several rules will cost, the choice among them included.

The smallest of several measured costs is too low on average. Units are resampled: the cheapest rule on
those drawn is judged on those left out (bootstrap bias-corrected cross-validation). The losses are honest
already, so no rule is learned again. Above 4,096 units the means are normal, and the same average is that
of 2 c_J - x_J with x drawn around the costs c and J the cheapest by x.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from demur._checks import (
    check_finite,
    check_groups,
    check_positive_int,
    check_same_length,
    check_weights,
    input_error,
)
from demur._results import Result
from demur.typing import ArrayLike, BoolArray, FloatArray, IntArray

__all__ = [
    "MOST_RESAMPLED",
    "AfterChoice",
    "Choose",
    "LossUnits",
    "after_choice",
    "cost_after_choice",
    "first_smallest",
    "judged_draws",
]

RESAMPLES = 400
MOST_RESAMPLED = 4096
"""Units up to which they are resampled; the normal limit serves for more."""
_ROWS_AT_ONCE = 2**16
_TIE = 1e-12

Choose = Callable[[FloatArray], IntArray]
"""(draws, scenarios, candidates) of mean losses -> the candidate chosen in every draw."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class AfterChoice(Result):
    """Cost of the cheapest rule on units that did not choose it; made by `cost_after_choice`.

    Attributes
    ----------
    cost : float or None
        Mean over the draws in which the rule of a model was chosen; None if there is no such draw.
    all_draws : float
        Mean over all draws.
    monte_carlo_error : float
        Standard error of `all_draws` from the number of draws.
    """

    cost: float | None
    all_draws: float
    monte_carlo_error: float


class LossUnits(NamedTuple):
    """Honest losses of several candidates on the same rows.

    Attributes
    ----------
    losses : callable
        slice of rows -> losses (scenarios, rows, candidates).
    weight : array
        Weight of every row.
    copies : array or None
        Number of equal units that a row stands for, each of that weight; None: one.
    stratum : array or None
        Class of every row where the shares of the classes in use are known.
    shares : array or None
        Those shares.
    """

    losses: Callable[[slice], FloatArray]
    weight: FloatArray
    copies: FloatArray | None = None
    stratum: IntArray | None = None
    shares: FloatArray | None = None

    @property
    def number(self) -> int:
        """Number of units."""
        return len(self.weight) if self.copies is None else int(self.copies.sum())

    def parts(self) -> Iterator[tuple[slice, FloatArray]]:
        """Yield the losses some rows at a time."""
        for start in range(0, len(self.weight), _ROWS_AT_ONCE):
            rows = slice(start, start + _ROWS_AT_ONCE)
            yield rows, self.losses(rows)


def cost_after_choice(
    losses: ArrayLike,
    *,
    models: ArrayLike,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_resamples: int = RESAMPLES,
    rng: int = 0,
) -> AfterChoice:
    """Estimate what the cheapest of several rules will cost, the choice included.

    Smaller is better. Assumes losses on cases that did not choose the rules, and independent units.

    Parameters
    ----------
    losses : array of (n, candidates)
        Loss of every candidate on every case; of equally cheap ones the first is chosen.
    models : array of candidates booleans
        Which candidates are rules of models, not baselines.
    sample_weight : array of n numbers > 0, optional
        Weights of the cases.
    groups : array of n values, optional
        Cluster of every case; cases of one cluster are drawn together.
    n_resamples : int, default 400
        Number of draws.
    rng : int, default 0
        Seed of the draws.

    Returns
    -------
    AfterChoice
        With `cost`, `all_draws`, `monte_carlo_error`.

    Raises
    ------
    InputError
        For ill-formed input, or fewer than two units.

    References
    ----------
    Tsamardinos, Greasidou, Borboudakis (2018), Bootstrapping the out-of-sample predictions for efficient
    and accurate cross-validation, Machine Learning 107, doi:10.1007/s10994-018-5714-4.

    Examples
    --------
    Four equal rules, each wrong on a tenth of 60 cases. The luckiest one is wrong on fewer:

    >>> import numpy as np
    >>> from demur.honest import cost_after_choice
    >>> losses = np.random.default_rng(3).random((60, 4)) < 0.1
    >>> found = cost_after_choice(losses, models=[True] * 4)
    >>> float(losses.mean(axis=0).min().round(3)), round(found.cost, 3)
    (0.05, 0.084)
    """
    table = np.atleast_2d(check_finite(losses, "losses"))
    weight = check_weights(sample_weight)
    is_model = np.asarray(models)
    if table.ndim != 2 or is_model.shape != (table.shape[1],) or is_model.dtype != np.bool_:
        raise input_error(
            "models", f"must hold one True or False per candidate ({table.shape[-1]})", repr(models)
        )
    check_same_length(losses=table, sample_weight=weight)
    group = check_groups(groups, len(table), "losses")
    weight = np.ones(len(table)) if weight is None else weight
    if group is not None:
        sums = np.array([np.bincount(group, weight * column) for column in table.T]).T
        weight = np.bincount(group, weight).astype(np.float64)
        table = sums / weight[:, None]
    if len(table) < 2:
        raise input_error("losses", "must hold at least two units", len(table))
    units = LossUnits(lambda rows: table[None, rows], weight)
    draws = check_positive_int(n_resamples, "n_resamples")
    return after_choice(
        [units], _cheapest, is_model, n_resamples=draws, seed=check_positive_int(rng, "rng", minimum=0)
    )


def first_smallest(values: FloatArray, scale: float = 0.0) -> int:
    """Place of the smallest value; of ties within 1e-12 of it, or of `scale`, the first."""
    least = float(values.min())
    return int(np.argmax(values <= least + _TIE * max(abs(least), scale)))


def _cheapest(costs: FloatArray) -> IntArray:
    return np.array([first_smallest(row) for row in costs[:, 0]])


def after_choice(
    blocks: Sequence[LossUnits],
    choose: Choose,
    models: BoolArray,
    *,
    n_resamples: int = RESAMPLES,
    seed: int = 0,
) -> AfterChoice:
    """Average the cost of the candidate chosen in each draw on the units left out, in the first scenario.

    Each block holds some of the candidates, in their order; draws of different blocks are independent.
    """
    # rows that stand for sums of cases may be fractions of them, which cannot be drawn
    drawable = all(
        (units.copies is None or bool(np.all(units.copies == np.floor(units.copies))))
        and units.number <= MOST_RESAMPLED
        for units in blocks
    )
    chosen, costs = (_resampled if drawable else _normal)(blocks, choose, n_resamples, seed)
    of_models = costs[models[chosen]]
    return AfterChoice(
        cost=float(of_models.mean()) if len(of_models) else None,
        all_draws=float(costs.mean()),
        monte_carlo_error=float(costs.std(ddof=1) / np.sqrt(len(costs))) if len(costs) > 1 else float("nan"),
    )


# ---------------------------------------------------------------- few units: resampling


def _resampled(
    blocks: Sequence[LossUnits], choose: Choose, n_resamples: int, seed: int
) -> tuple[IntArray, FloatArray]:
    """Resample the units of every block, those of every class apart where its share in use is known."""
    # other seeds for further blocks: their draws are their own
    drawn = [_drawn_means(units, n_resamples, seed + place) for place, units in enumerate(blocks)]
    inside, outside = (np.concatenate([one[k] for one in drawn], axis=2) for k in (0, 1))
    some = np.logical_and.reduce([one[2] for one in drawn])
    if not some.any():
        number = min(units.number for units in blocks)
        raise input_error("losses", "must hold enough units to leave some out of a draw", number)
    chosen = choose(inside[some])
    return chosen, outside[some][np.arange(len(chosen)), 0, chosen]


def _drawn_means(units: LossUnits, n_resamples: int, seed: int) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return mean losses on the units of every draw and on those left out, and which draws leave some out."""
    every, weight, stratum = units.losses(slice(None)), units.weight, units.stratum
    if units.copies is not None:
        rows = np.repeat(np.arange(len(weight)), units.copies.astype(np.int64))
        every, weight = every[:, rows], weight[rows]
        stratum = None if stratum is None else stratum[rows]
    parts = [(1.0, np.arange(len(weight)))]
    if stratum is not None and units.shares is not None:
        members = (np.flatnonzero(stratum == k) for k in range(len(units.shares)))
        parts = [(float(share), own) for share, own in zip(units.shares, members, strict=True) if share]
    times = [_times_drawn(own, n_resamples, seed, len(weight)) for _, own in parts]
    return judged_draws(every, weight, parts, times)


def judged_draws(
    every: FloatArray,
    weight: FloatArray,
    parts: Sequence[tuple[float, IntArray]],
    times: Sequence[FloatArray],
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return mean losses (draws, scenarios, candidates) in draws and outside, and which leave some out.

    A part is the share of its mean in the whole, and the units that are drawn among each other.
    Element [b, g] of ``times[p]`` says how often draw b has unit g of part p.
    """
    shape = len(times[0]), len(every), every.shape[2]
    drawn, outside = np.zeros(shape), np.zeros(shape)
    some = np.ones(len(drawn), dtype=np.bool_)
    for (share, units), counts in zip(parts, times, strict=True):
        own, left = weight[units], (counts == 0).astype(np.float64)
        some &= left.any(axis=1)
        for total, number in ((drawn, counts), (outside, left)):
            size = np.maximum(number @ own, np.finfo(np.float64).tiny)
            for scenario, table in enumerate(every):
                sums = number @ (own[:, None] * table[units])
                total[:, scenario] += share * sums / size[:, None]
    return drawn, outside, some


def _times_drawn(places: IntArray, n_resamples: int, seed: int, units: int) -> FloatArray:
    """Element [b, g]: how often resample b draws unit g of a part at some places among all `units`.

    The draw of a place is a hash of seed, resample and place: anybody can draw the same.
    """
    size = len(places)
    start = np.uint64(seed * 0x9E3779B9 % 2**32)
    draw = start + np.arange(n_resamples, dtype=np.uint64)[:, None] * np.uint64(units)
    unit = _mixed(draw + places.astype(np.uint64)) * np.uint64(size) >> np.uint64(32)
    code = unit.astype(np.int64) + size * np.arange(n_resamples)[:, None]
    counted = np.bincount(code.ravel(), minlength=n_resamples * size).reshape(n_resamples, size)
    return counted.astype(np.float64)


def _mixed(number: Any) -> Any:
    """Mix the lowest 32 bits of whole numbers: the finaliser of MurmurHash3, the same in every language."""
    bits = np.uint64(0xFFFFFFFF)
    x = number & bits
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        x ^= x >> np.uint64(shift)
        x = x * np.uint64(factor) & bits
    return x ^ x >> np.uint64(16)


# ---------------------------------------------------------------- many units: the normal limit


def _normal(
    blocks: Sequence[LossUnits], choose: Choose, n_resamples: int, seed: int
) -> tuple[IntArray, FloatArray]:
    """Return the chosen candidate and 2 c_J - x_J in every draw of the mean losses."""
    rng = np.random.default_rng(seed)
    means, drawn = [], []
    for units in blocks:
        centre, covariance, shape = _moments(units)
        values, vectors = np.linalg.eigh(covariance)
        noise = rng.standard_normal((n_resamples, len(values)))
        x = centre + noise @ (vectors * np.sqrt(np.maximum(values, 0.0))).T
        means.append(centre.reshape(shape))
        drawn.append(x.reshape(n_resamples, *shape))
    costs, x = np.concatenate(means, axis=1), np.concatenate(drawn, axis=2)
    chosen = choose(x)
    return chosen, 2 * costs[0, chosen] - x[np.arange(n_resamples), 0, chosen]


def _moments(units: LossUnits) -> tuple[FloatArray, FloatArray, tuple[int, int]]:
    """Mean losses, covariance of these means, and (scenarios, candidates)."""
    copies = np.ones(len(units.weight)) if units.copies is None else units.copies
    stratum = np.zeros(len(units.weight), dtype=np.int64) if units.stratum is None else units.stratum
    shares = np.ones(1) if units.shares is None else units.shares
    total = np.bincount(stratum, units.weight * copies, len(shares))
    weight = units.weight * np.divide(shares, total, out=np.zeros(len(shares)), where=total > 0)[stratum]
    scenarios, _, candidates = units.losses(slice(0, 1)).shape
    width = scenarios * candidates
    sums = np.zeros((len(shares), width))
    for rows, table in units.parts():
        flat = _flat(table) * (weight * copies)[rows, None]
        for k in range(len(shares)):
            sums[k] += flat[stratum[rows] == k].sum(axis=0)
    centres = np.divide(sums, shares[:, None], out=np.zeros_like(sums), where=shares[:, None] > 0)
    products = np.zeros((width, width))
    for rows, table in units.parts():
        influence = (_flat(table) - centres[stratum[rows]]) * weight[rows, None]
        products += influence.T @ (influence * copies[rows, None])
    number = units.number
    return sums.sum(axis=0), products * (number / (number - 1)), (scenarios, candidates)


def _flat(table: FloatArray) -> FloatArray:
    """One row per unit, scenario by scenario."""
    return table.transpose(1, 0, 2).reshape(table.shape[1], -1)
