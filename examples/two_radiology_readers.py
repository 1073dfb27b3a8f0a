"""Two readers, the same 240 images: is one better, and for which costs?

Both readers give every image a rating from 0 to 100. The readings are invented (two correlated
normal scores per image, one reader a little sharper), so that the true difference is known and the
tests can be judged: the true AUCs are 0.856 and 0.802.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import demur

IMAGES, SICK = 240, 90


def readings(rng):
    """Return the truth and the ratings of both readers, correlated within an image."""
    sick = np.arange(IMAGES) < SICK
    image = rng.standard_normal(IMAGES)
    ratings = []
    for separation in (1.5, 1.2):
        noise = np.sqrt(0.6) * image + np.sqrt(0.4) * rng.standard_normal(IMAGES)
        ratings.append(np.clip(np.round(50 + 15 * (separation * (sick - 0.5) + noise)), 0, 100))
    return sick, *ratings


def main(file=None):
    sick, first, second = readings(np.random.default_rng(4))
    for name, rating in (("first", first), ("second", second)):
        low, high = demur.auc_interval(sick, rating)
        print(f"{name} reader: AUC {demur.auc_score(sick, rating):.3f} (95 % {low:.3f} to {high:.3f})")
    for method in ("permutation", "delong"):
        test = demur.auc_difference_test(sick, first, second, method=method)
        low, high = test.interval(0.95)
        print(f"{method}: difference {test.difference:.3f} ({low:.3f} to {high:.3f}), p = {test.pvalue:.3f}")

    band = demur.surface_difference_band(sick, first, second, nu=(0, 0.5))
    print(band)
    volume = demur.volume_difference_test(sick, first, second)
    print(f"volume: {volume.difference:+.4f} (below 0: the first is cheaper), p = {volume.pvalue:.3f}")

    figure, axes = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
    demur.displays.CostCurveDisplay.from_predictions(sick, first, ax=axes[0])
    axes[0].set_title("cost curve of the first reader")
    demur.displays.SignificanceMapDisplay.from_result(band).plot(axes[1], names=("first", "second"))
    axes[1].set_title("where the difference is significant")
    if file is None:
        plt.show()
    else:
        figure.savefig(file, dpi=90)


if __name__ == "__main__":
    # the name of a file for the figure; without one it is shown
    main(*sys.argv[1:])
