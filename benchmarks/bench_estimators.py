"""AbstainingClassifier around a random forest against the same cross-validated fit without it."""

from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_predict
from timing import alternate, ratio_row, seconds

from demur import AbstainingClassifier

FOLDS = 5


def rows():
    n = 10_000
    X, y = make_classification(n, n_features=20, n_informative=8, flip_y=0.1, random_state=0)
    forest = RandomForestClassifier(random_state=0)

    def plain():
        cross_val_predict(forest, X, y, cv=FOLDS, method="predict_proba")
        clone(forest).fit(X, y)

    def abstaining():
        AbstainingClassifier(forest, mu=1, nu=0.2, cv=FOLDS).fit(X, y)

    ours, peer = alternate(abstaining, plain, repeats=2)
    what = f"fit / {FOLDS}-fold cross-validation and fit of the forest alone"
    yield ratio_row(what, f"{n:.0e}", ours, peer, "<= 1.05 x")
    # the part that is demur's own: the same cases and scores, the forest already fitted
    fitted = clone(forest).fit(X, y)
    prefit = AbstainingClassifier(fitted, mu=1, nu=0.2, cv="prefit")
    own, score = alternate(lambda: prefit.fit(X, y), lambda: fitted.predict_proba(X))
    share = f"{(own - score) / peer:.2%}"
    yield (
        "  window, honest cost, certificate",
        f"{n:.0e}",
        seconds(own - score),
        seconds(peer),
        share,
        "<= 5 %",
    )


def main():
    for row in rows():
        print(*row, sep="  ")


if __name__ == "__main__":
    main()
