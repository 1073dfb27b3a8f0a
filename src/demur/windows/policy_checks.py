"""Whether window, counts and costs of a policy belong together."""

import math

import numpy as np

from demur._checks import check_type, input_error
from demur.costs.model import CostModel
from demur.counts.scores import ScoreCounts
from demur.surface.window import AbstentionWindow

__all__ = ["costs_of", "in_unit", "needs_all_scores", "require_window_of"]

# ratios of costs may differ by rounding
_ROUNDING = 1e-9


def require_window_of(window: AbstentionWindow, counts: ScoreCounts) -> None:
    """Refuse a window whose thresholds do not cut these scores where it says."""
    scores = counts.scores
    below = np.searchsorted(scores, window.lower, side="right") if window.lower > -math.inf else 0
    inside = np.searchsorted(scores, window.upper, side="left") if window.upper < math.inf else len(scores)
    if (below, inside) != (window.lower_index, window.upper_index):
        raise input_error(
            "window",
            "must have been chosen on these counts",
            f"{below} and {inside} scores below its thresholds instead of "
            f"{window.lower_index} and {window.upper_index}",
        )


def costs_of(window: AbstentionWindow, costs: CostModel | None) -> CostModel | None:
    """Return the costs of a window: the user's if they fit it, else its own in the normal form."""
    own = (window.mu, window.nu_positive, window.nu_negative)
    if costs is not None:
        check_type(costs, "costs", CostModel)
        given = (costs.mu, costs.nu_positive, costs.nu_negative)
        if not np.allclose(given, own, rtol=_ROUNDING, atol=0):
            raise input_error(
                "costs",
                "must be those the window was chosen for (mu, nu of positives, nu of negatives)",
                f"{given} beside {own}",
            )
        return costs
    if math.isnan(window.mu):
        return None
    if math.isinf(window.nu_positive) or math.isinf(window.nu_negative):
        return CostModel(cost_fn=1.0, cost_fp=window.mu)
    if window.nu_positive == window.nu_negative:
        return CostModel(cost_fn=1.0, cost_fp=window.mu, cost_abstain=window.nu_positive)
    return CostModel(
        cost_fn=1.0,
        cost_fp=window.mu,
        cost_abstain_positive=window.nu_positive,
        cost_abstain_negative=window.nu_negative,
    )


def in_unit(costs: CostModel, window: AbstentionWindow) -> float:
    """Return the expected cost of a window per case in the unit of the costs."""
    return float(costs.expected_cost(window.cost, window.prevalence))


def needs_all_scores(costs: CostModel) -> bool:
    """Whether an optimal window may cut a block: a reward outside -mu <= nu_positive - nu_negative <= 1."""
    gap = costs.nu_positive - costs.nu_negative if costs.may_abstain else 0.0
    return min(costs.nu_positive, costs.nu_negative) < 0 and not -costs.mu <= gap <= 1
