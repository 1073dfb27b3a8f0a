"""Costs by case: sums per score and the cheapest window against a sort of the scores."""

import numpy as np
from timing import alternate, peak_extra_memory, ratio_row, seconds

from demur import CaseCosts, ScoreCosts, compare_models

JOB = "sums of three costs + cheapest window"


def data(n, seed=0):
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.1
    scores = rng.normal(size=n) + positive
    return scores, rng.lognormal(3, 1, n) * positive, 6.0 * ~positive, rng.uniform(1, 3, n)


def job(scores, miss, alarm, review):
    return ScoreCosts.from_arrays(scores, miss=miss, alarm=alarm, review=review).window()


def rows(sizes=(10**5, 10**6, 10**7)):
    job(*data(200_000))  # compile
    for n in sizes:
        columns = data(n)
        mine, sort = alternate(
            lambda columns=columns: job(*columns), lambda columns=columns: np.argsort(columns[0]), repeats=3
        )
        yield ratio_row(f"{JOB} / np.argsort", f"{n:.0e}", mine, sort, "<= 3")
    numbers = columns[0], columns[1], 6.0, 2.0
    mine, sort = alternate(lambda: job(*numbers), lambda: np.argsort(columns[0]), repeats=3)
    yield ratio_row("  one column, two numbers / np.argsort", f"{n:.0e}", mine, sort, "<= 3")
    extra, given = peak_extra_memory(lambda: job(*columns)), sum(column.nbytes for column in columns)
    share = f"{extra / given:.2f} x"
    sizes = f"{extra / 1e6:.0f} MB", f"{given / 1e6:.0f} MB"
    yield ("  peak extra memory / the four columns", f"{n:.0e}", *sizes, share, "<= 4")
    costs = ScoreCosts.from_arrays(columns[0], miss=columns[1], alarm=columns[2], review=columns[3])
    (binning,) = alternate(lambda: costs.binned(at_most=4096), repeats=2)
    bins = costs.binned(at_most=4096)
    loss = f"certified {bins.certified / bins.window().cost:.1e} of the cost"
    yield ("  4,096 bins for the page", f"{n:.0e}", seconds(binning), "", loss, "<= 1e-2")
    yield _known(10**6)


def _known(n):
    """Time a comparison whose rules read the amount beside one of windows."""
    rng = np.random.default_rng(0)
    fraud = rng.random(n) < 0.2
    score, amount = rng.normal(2.0 * fraud), rng.lognormal(4 + 0.5 * fraud)

    def compared(*, known):
        costs = CaseCosts(cost_fn=amount, cost_fp=25, cost_abstain=4, known_at_decision=known)
        return compare_models(fraud, {"risk": score}, costs=costs)

    knowing, window = alternate(lambda: compared(known=True), lambda: compared(known=False), repeats=2)
    return ratio_row("rules that know the amount / windows", f"{n:.0e}", knowing, window, "<= 3")
