"""Draw the figure of the README: python tools/readme_figure.py."""

from pathlib import Path

import matplotlib.pyplot as plt

import demur
from demur.datasets.breast_cancer import breast_cancer_scores

FILE = Path(__file__).parents[1] / "docs" / "figures" / "readme.png"


def main():
    data = breast_cancer_scores()
    costs = demur.CostModel(cost_fn=1000, cost_fp=100, cost_abstain=20)
    first, second = (
        demur.abstention_surface(data.diagnosis, data.scores[name], pos_label="malignant")
        for name in ("logistic", "naive_bayes")
    )
    window = first.window(costs=costs)
    figure, axes = plt.subplots(1, 3, figsize=(15, 5.2), layout="constrained")
    demur.displays.WindowDisplay.from_result(first, window=window).plot(axes[0])
    demur.displays.AbstentionSurfaceDisplay.from_result(first).plot(axes[1], window=window)
    gap = first.minus(second, nu=(0, 0.5))
    demur.displays.SurfaceDifferenceDisplay.from_result(gap).plot(axes[2], names=("logistic", "naive Bayes"))
    titles = ("the cheapest window", "cost for all costs", "which model, for which costs")
    for ax, title in zip(axes, titles, strict=True):
        ax.set_title(title)
    FILE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(FILE, dpi=80)
    print(f"wrote {FILE.name}")


if __name__ == "__main__":
    main()
