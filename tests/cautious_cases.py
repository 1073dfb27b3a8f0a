"""Cases of Ferri and Hernandez-Orallo's examples, and random ones with exact ties."""

import numpy as np
from hypothesis import strategies as st

# example 2 of Ferri and Hernandez-Orallo (2004): p(a) of each leaf, cases of class a and b
LEAVES = [
    (1.0, 23, 1),
    (0.75, 10, 0),
    (0.7, 4, 2),
    (0.6, 0, 9),
    (0.35, 2, 3),
    (0.2, 1, 15),
    (0.1, 0, 30),
]


def tree_cases():
    """Every case of the probability estimation tree: labels (0 = a) and probabilities."""
    labels, proba = [], []
    for p, first, second in LEAVES:
        labels += [0] * first + [1] * second
        proba += [[p, 1 - p]] * (first + second)
    return np.array(labels), np.array(proba)


@st.composite
def distributions(draw, size):
    """Probabilities that are multiples of 1/64: sums and ties are exact."""
    cuts = sorted(draw(st.lists(st.integers(0, 64), min_size=size - 1, max_size=size - 1)))
    return [(high - low) / 64 for low, high in zip([0, *cuts], [*cuts, 64], strict=True)]


@st.composite
def biased_cases(draw, max_classes=4, max_size=8):
    size = draw(st.integers(2, max_classes))
    rows = draw(st.lists(distributions(size), min_size=1, max_size=max_size))
    return np.array(rows), np.array(draw(distributions(size)))
