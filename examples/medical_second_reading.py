"""A second reader for breast biopsies, where a miss is far worse than a false alarm.

Cell measurements of 569 biopsies are read by a model. A missed cancer is taken to be as bad as 50
needless operations. At what price of a second reading by an expert does the model pay, and when is
it better to let the expert read everything? With hindsight the model always seems to pay; whether that
is proven, the verdict says.
"""

import sys
import textwrap

import matplotlib.pyplot as plt

import demur
from demur.datasets.breast_cancer import breast_cancer_scores


def main(file=None):
    data = breast_cancer_scores()
    scores = data.scores["logistic"]
    print("reading  expert reads all  model, hindsight  model, honest  answer")
    for reading in (0.1, 0.2, 0.3, 0.5):
        costs = demur.CostModel(cost_fn=50, cost_fp=1, cost_abstain=reading)
        comparison = demur.compare_models(
            data.diagnosis,
            {"logistic": scores},
            costs=costs,
            pos_label="malignant",
            class_names=("benign", "malignant"),
        )
        model, answer = comparison.models["logistic"], comparison.answer
        print(
            f"{reading:7} {reading:17.2f} {model.hindsight_cost:17.2f} {model.cost:14.2f}  "
            f"{answer.kind if answer.is_trivial else f'{answer.model}, {answer.verdict}'}"
        )
    print()
    print(textwrap.fill(answer.words, 80))

    figure, axes = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    surface = demur.abstention_surface(data.diagnosis, scores, pos_label="malignant")
    window = surface.window(costs=costs)
    demur.displays.WindowDisplay.from_result(surface, window=window).plot(axes[0])
    axes[0].set_title("which biopsies the expert reads at 0.5 per reading")
    demur.displays.AbstentionSurfaceDisplay.from_result(surface).plot(axes[1], window=window)
    axes[1].set_title("the same model at all other costs")
    if file is None:
        plt.show()
    else:
        figure.savefig(file, dpi=90)


if __name__ == "__main__":
    # the name of a file for the figure; without one it is shown
    main(*sys.argv[1:])
