"""A second reader for breast biopsies, where a miss is far worse than a false alarm.

Cell measurements of 569 biopsies are read by a model. A missed cancer is taken to be as bad as 50
needless operations, and a second reading by an expert costs a tenth of such an operation. Which
biopsies should the model leave to the expert, and what may the hospital expect from it?
"""

import matplotlib.pyplot as plt

import demur
from demur.datasets.breast_cancer import breast_cancer_scores


def main():
    data = breast_cancer_scores()
    costs = demur.CostModel(cost_fn=50, cost_fp=1, cost_abstain=0.1)
    counts = demur.ScoreCounts.from_arrays(data.diagnosis, data.scores["logistic"], pos_label="malignant")
    surface = demur.abstention_surface(counts)
    window = surface.window(costs=costs)
    print(f"benign up to {window.lower:.3f}, malignant from {window.upper:.3f} on, expert in between")
    print(f"with hindsight: {window.abstention_rate:.1%} to the expert, {1000 * window.fn:.1f} misses")
    print(f"and {1000 * window.fp:.1f} false alarms per 1000 biopsies")

    honest = demur.cross_fitted_surface(counts, rng=0)
    rates = honest.rates(costs.mu, costs.nu)
    low, high = (end * costs.cost_fn for end in honest.interval(costs.mu, costs.nu))
    print(f"to expect: {1000 * rates.fn:.1f} misses and {1000 * rates.fp:.1f} false alarms per 1000,")
    print(
        f"cost per biopsy {honest.cost(costs.mu, costs.nu) * costs.cost_fn:.3f}, 95 % {low:.3f} to {high:.3f}"
    )

    stable = demur.window_interval(counts, costs=costs)
    print(stable)

    figure, axes = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    demur.displays.WindowDisplay.from_result(surface, window=window).plot(axes[0])
    axes[0].set_title("which biopsies the expert reads")
    demur.displays.AbstentionSurfaceDisplay.from_result(surface).plot(axes[1], window=window)
    axes[1].set_title("the same model for all other costs")
    figure.savefig("medical_second_reading.png", dpi=90)


if __name__ == "__main__":
    main()
