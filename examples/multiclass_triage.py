"""Handwritten digits on money orders: ten classes, unequal costs, and "ask a person".

Mistaking a digit costs the difference of the amounts, so confusing 1 with 7 is worse than confusing
3 with 2; asking costs a flat fee. One weight per class, found on one half of the digits and judged
on the other, turns probabilities into answers.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

import demur

FEE = 0.4


def main(file=None):
    X, digit = load_digits(return_X_y=True)
    train, rest, y_train, y_rest = train_test_split(X, digit, test_size=0.7, random_state=0, stratify=digit)
    tune, test, y_tune, y_test = train_test_split(
        rest, y_rest, test_size=0.5, random_state=0, stratify=y_rest
    )
    model = LogisticRegression(C=0.001, max_iter=200).fit(train / 16, y_train)
    costs = np.abs(np.subtract.outer(np.arange(10.0), np.arange(10.0)))  # rows true, columns answered

    plain = model.predict_proba(test / 16).argmax(axis=1)
    print(f"most probable digit: cost {costs[y_test, plain].mean():.3f} per order")
    found = demur.optimize_weights(model.predict_proba(tune / 16), y_tune, costs, rng=0)
    weighted = (model.predict_proba(test / 16) * found.weights).argmax(axis=1)
    print(f"weighted digits:     cost {costs[y_test, weighted].mean():.3f} per order")

    top = np.sort(model.predict_proba(test / 16), axis=1)[:, -1]
    loss = costs[y_test, weighted] / costs.max()
    curve = demur.risk_coverage_curve(loss, top)
    print(f"area under the risk-coverage curve: {curve.aurc:.4f}")
    answered = top >= np.quantile(top, 0.2)
    mixed = np.where(answered, costs[y_test, weighted], FEE).mean()
    print(f"the least certain fifth to a person at {FEE}: cost {mixed:.3f} per order")

    figure, ax = plt.subplots(figsize=(6.5, 4.2), layout="constrained")
    demur.displays.RiskCoverageDisplay.from_result(curve).plot(ax)
    ax.set_title("loss among the answered digits")
    if file is None:
        plt.show()
    else:
        figure.savefig(file, dpi=90)


if __name__ == "__main__":
    # the name of a file for the figure; without one it is shown
    main(*sys.argv[1:])
