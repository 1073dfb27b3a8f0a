"""A fraud desk that can look at 200 of 10,000 payments a day.

A model scores every payment. A missed fraud costs 600 on average, a blocked honest payment 40, and
a review by a person 6. The desk can review 2 % of the payments: which ones?
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import cross_val_predict

import demur

CASES_A_DAY, REVIEWS_A_DAY = 10_000, 200


def scored_payments():
    """Return whether 20,000 payments were fraud, and out-of-fold scores of a boosted model."""
    X, fraud = make_classification(
        n_samples=20_000, n_features=12, n_informative=6, weights=[0.985], class_sep=1.5, random_state=0
    )
    model = HistGradientBoostingClassifier(max_iter=60, learning_rate=0.05, random_state=0)
    # log odds: only the order of the scores matters, and rare classes are easier to see
    return fraud, cross_val_predict(model, X, fraud, cv=5, method="decision_function")


def per_day(answer):
    """Say what to expect in a day: costs on payments not used to choose, reviews of the rule as written."""
    low, high = (end * CASES_A_DAY for end in answer.interval)
    reviews = CASES_A_DAY * answer.shares[demur.ABSTAIN]
    return f"{answer.cost * CASES_A_DAY:6,.0f} a day ({low:,.0f} to {high:,.0f}), {reviews:3.0f} reviews"


def main(file=None):
    fraud, scores = scored_payments()
    costs = demur.CostModel(cost_fn=600, cost_fp=40, cost_abstain=6)

    def answer(limit):
        return demur.compare_models(fraud, {"boosted": scores}, costs=costs, max_abstention=limit).answer

    free, limited, never = answer(1.0), answer(REVIEWS_A_DAY / CASES_A_DAY), answer(0.0)
    print(f"unlimited desk:     {per_day(free)}")
    print(f"{REVIEWS_A_DAY} reviews a day:  {per_day(limited)}")
    print(f"no desk at all:     {per_day(never)}")
    reviews = limited.shares[demur.ABSTAIN] * CASES_A_DAY
    saving = (never.cost - limited.cost) * CASES_A_DAY / reviews
    print(f"a review at the limited desk saves {saving:.0f} on average, after its cost of 6")

    counts = demur.ScoreCounts.from_arrays(fraud, scores)
    limits = np.linspace(0, 0.1, 41)
    cost = [
        demur.cheapest_window(counts, costs=costs, max_abstention=share).expected_cost * CASES_A_DAY
        for share in limits
    ]
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    surface = demur.abstention_surface(counts)
    demur.displays.WindowDisplay.from_result(surface, window=surface.window(costs=costs)).plot(axes[0])
    axes[0].set_title("the window of an unlimited desk")
    axes[1].plot(limits * CASES_A_DAY, cost, color="#000000")
    axes[1].axvline(REVIEWS_A_DAY, color="#CC79A7", linestyle="--")
    axes[1].set(xlabel="reviews the desk can do in a day", ylabel="cost a day, with hindsight")
    axes[1].set_title("what more reviews save")
    if file is None:
        plt.show()
    else:
        figure.savefig(file, dpi=90)


if __name__ == "__main__":
    # the name of a file for the figure; without one it is shown
    main(*sys.argv[1:])
