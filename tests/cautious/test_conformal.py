"""Conformal p-values by hand and from their definition."""

from demur.cautious import conformal_p_values


def test_conformal_p_values_by_hand_and_under_exchange():
    assert conformal_p_values([1, 2, 2, 3], [0.5, 2, 3.5]).tolist() == [1.0, 0.8, 0.2]
    # each of six cases in turn against the other five: p <= k/6 for at most k of them, ties or not
    for values in ([1, 2, 3, 4, 5, 6], [1, 1, 2, 2, 2, 5]):
        p = [conformal_p_values(values[:k] + values[k + 1 :], [values[k]])[0] for k in range(6)]
        for level in range(1, 7):
            assert sum(value <= level / 6 + 1e-12 for value in p) <= level
