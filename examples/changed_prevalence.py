"""A test developed where half the people are ill, used where 3 in 100 are.

The classes look as before; only their mixture has changed. Without a single new label the new
mixture can be estimated, and the window moves with it.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit

import demur

STUDY, CLINIC = 0.5, 0.03
SEPARATION = 2.2


def cases(n, prevalence, rng):
    """Return who is ill and P(ill) as calibrated in the study, where half are."""
    ill = rng.random(n) < prevalence
    marker = rng.standard_normal(n) + SEPARATION * ill
    return ill, expit(SEPARATION * marker - SEPARATION**2 / 2)  # log odds of two normals, equal classes


def main(file=None):
    rng = np.random.default_rng(1)
    ill, proba = cases(2_000, STUDY, rng)
    later_ill, later = cases(5_000, CLINIC, rng)  # later_ill is used for judging only
    costs = demur.CostModel(cost_fn=100, cost_fp=10, cost_abstain=2)

    shift = demur.adjust_prevalence(later, prevalence=STUDY)
    estimate = shift.prevalence
    print(f"estimated share of ill people in the clinic: {estimate:.3f} (true: {later_ill.mean():.3f})")

    policy = demur.Policy.from_surface(demur.abstention_surface(ill, proba), costs=costs)
    moved = policy.at(prevalence=estimate)
    for name, one in (("window of the study", policy), ("window moved", moved)):
        decided = one.decide(later)
        cost = (
            costs.cost_fn * np.sum(later_ill & (decided == 0))
            + costs.cost_fp * np.sum(~later_ill & (decided == 1))
            + costs.cost_abstain * np.sum(decided == demur.ABSTAIN)
        ) / len(later)
        print(f"{name}: {one.lower:.3f} to {one.upper:.3f}, costs {cost:.3f} per person in the clinic")

    figure, ax = plt.subplots(figsize=(6.5, 4.2), layout="constrained")
    shares = np.linspace(0.01, 0.6, 60)
    windows = [policy.at(prevalence=share) for share in shares]
    ax.plot(shares, [one.upper for one in windows], color="#E69F00", label="ill from")
    ax.plot(shares, [one.lower for one in windows], color="#0072B2", linestyle="--", label="well up to")
    ax.fill_between(
        shares, [one.lower for one in windows], [one.upper for one in windows], color="0.9", step="mid"
    )
    ax.axvline(estimate, color="0.3", linestyle=":")
    ax.set(xlabel="share of ill people in use", ylabel="threshold on P(ill) as calibrated in the study")
    ax.set_ylim(0, 1)
    ax.legend(frameon=False)
    ax.set_title("the window follows the prevalence")
    if file is None:
        plt.show()
    else:
        figure.savefig(file, dpi=90)


if __name__ == "__main__":
    # the name of a file for the figure; without one it is shown
    main(*sys.argv[1:])
