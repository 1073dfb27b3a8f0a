"""VACC under noisy labels: the volume of expected counts, against drawn labels and by hand."""

import numpy as np
import pytest

from demur import Binormal, InputError, vacc_score
from demur.surface import vacc_noise_response


def test_noise_by_hand():
    # at one half every score has as many positives as negatives: nothing but the trivial rules is left
    y, s = [0, 0, 1, 1], [1, 2, 3, 4]
    found = vacc_noise_response(y, s, noise=[0, 0.25, 0.5])
    assert found.vacc[0] == 0
    assert found.vacc[2] == pytest.approx(found.trivial[2])
    # one label in four: the data of three right answers and one wrong per score
    assert found.vacc[1] == pytest.approx(vacc_score([0, 0, 0, 1, 1, 1, 1, 0], [1, 1, 1, 1, 2, 2, 2, 2]))


def test_noise_takes_the_use_of_a_score_and_drawn_labels_do_not_cost_more():
    y, s = Binormal(separation=1.5).sample(400, rng=0)
    found = vacc_noise_response(y, s)
    assert found.vacc[0] == pytest.approx(vacc_score(y, s))
    assert np.all(np.diff(found.normalized) > 0)
    assert found.normalized[-1] == pytest.approx(1)
    rng = np.random.default_rng(1)
    drawn = [vacc_score(np.where(rng.random(400) < 0.2, 1 - y, y), s) for _ in range(40)]
    expected = found.vacc[np.isclose(found.noise, 0.2)][0]
    # a drawn sample chooses with hindsight
    assert expected - 0.02 < np.mean(drawn) <= expected


def test_noise_above_one_half_is_refused():
    with pytest.raises(InputError, match="`noise`"):
        vacc_noise_response([0, 1], [0, 1], noise=[0.6])
