"""A web shop watches its fraud policy for twelve weeks, without a label.

In week 6 the share of frauds doubles: the scores show it, and the window is derived again from the
policy file. In week 9 a new release of the score service shifts all scores: no share of frauds
explains that, so the shop labels 2,000 cases and makes a new policy. An alarm says that something
changed; to learn why, the shop counts two days more before it acts.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit

import demur
from demur.displays import MonitorDisplay

COSTS = demur.CostModel(cost_fn=100, cost_fp=20, cost_abstain=4)
PER_DAY = 500
DAYS_MORE = 2


def orders(n, rng, *, frauds, shift=0.0):
    """Return which orders are frauds, and their scores."""
    fraud = rng.random(n) < frauds
    return fraud, expit(2 * rng.standard_normal(n) + 4 * fraud - 4.2 + shift)


def in_use(week):
    """What the world is like in a week."""
    return {"frauds": 0.1 if week < 6 else 0.2, "shift": 0.0 if week < 9 else 0.7}


def cost_of(policy, fraud, score):
    """Return the mean cost of the decisions; only a simulation knows it without labels."""
    return demur.monitoring.judge_policy(policy, score, fraud.astype(int)).overall.cost


def main(file=None):
    rng = np.random.default_rng(2)
    policy = demur.Policy.from_surface(
        demur.abstention_surface(*orders(5_000, rng, frauds=0.1)), costs=COSTS, model="score"
    )
    monitors = [demur.PolicyMonitor(policy)]
    first, spent, kept, waited = policy, 0.0, 0.0, 0
    for week in range(1, 13):
        for day in range(1, 8):
            fraud, score = orders(PER_DAY, rng, **in_use(week))
            spent += PER_DAY * cost_of(policy, fraud, score)
            kept += PER_DAY * cost_of(first, fraud, score)
            monitor = monitors[-1]
            monitor.update(score, key=f"week {week} day {day}")
            waited = waited + 1 if monitor.alarms else 0
            if waited == 1:
                print(f"week {week}, day {day}: alarm")
            if waited <= DAYS_MORE:
                continue
            waited = 0
            print(f"week {week}, day {day}: {monitor.alarms[0]}")
            if monitor.only_prevalence:
                policy = monitor.proposed_policy()
                print(f"  done: window {policy.lower:.3f} to {policy.upper:.3f}, same evidence, no label\n")
            else:
                labelled = orders(2_000, rng, **in_use(week))
                policy = demur.Policy.from_surface(demur.abstention_surface(*labelled), costs=COSTS)
                print(f"  done: 2,000 labels, window {policy.lower:.3f} to {policy.upper:.3f}\n")
            monitors.append(demur.PolicyMonitor(policy))
    print(f"twelve weeks cost {spent:,.0f}; with the first window all the time {kept:,.0f}")
    figure, axes = plt.subplots(2, len(monitors), figsize=(4 * len(monitors), 5), layout="constrained")
    for column, monitor in zip(axes.T, monitors, strict=True):
        MonitorDisplay.from_result(monitor).plot(column)
    figure.suptitle("one column per policy in use")
    if file is None:
        plt.show()
    else:
        figure.savefig(file, dpi=90)


if __name__ == "__main__":
    # the name of a file for the figure; without one it is shown
    main(*sys.argv[1:])
