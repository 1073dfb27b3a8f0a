"""Do interval and certificate of `AbstainingClassifier` hold for the window it will use?

Repeated samples of a known population; the true cost of the chosen window is in closed form.
Everything is seeded; a share of R repetitions may miss its nominal value by 3.5 standard errors.
"""

import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from demur import AbstainingClassifier, Binormal, CostModel
from estimator_models import FirstColumn

pytestmark = pytest.mark.long

TRUTH = Binormal(separation=1.5, prevalence=0.4)
MU, NU = 0.8, 0.2
LEVEL = 0.95


def slack(share, repetitions):
    return 3.5 * math.sqrt(share * (1 - share) / repetitions)


def true_cost(model):
    """Cost of the deployed window in the population; scores of the regression are turned back."""
    ends = np.array([model.window_.lower, model.window_.upper])
    if isinstance(model.estimator_, LogisticRegression):
        with np.errstate(divide="ignore", invalid="ignore"):
            logit = np.log(ends) - np.log1p(-np.clip(ends, None, 1))
        logit[np.isinf(ends)] = ends[np.isinf(ends)]  # a side that is never used
        ends = (logit - model.estimator_.intercept_[0]) / model.estimator_.coef_[0, 0]
    return TRUTH.window_cost(*ends, MU, NU)


@pytest.mark.parametrize(
    ("inner", "n", "repetitions"), [(FirstColumn(), 300, 400), (LogisticRegression(), 400, 120)]
)
def test_interval_and_certificate_hold_for_the_window_in_use_against_theory(inner, n, repetitions):
    covered, certified, honest, hindsight, deployed = [], [], [], [], []
    for seed in range(repetitions):
        y, s = TRUTH.sample(n, rng=seed)
        model = AbstainingClassifier(inner, mu=MU, nu=NU, cv=3, confidence_level=LEVEL).fit(s[:, None], y)
        cost = true_cost(model)
        low, high = model.expected_cost_.interval
        covered.append(low <= cost <= high)
        certified.append(cost <= model.certificate_.certified_cost)
        honest.append(model.expected_cost_.cost)
        hindsight.append(model.expected_cost_.hindsight)
        deployed.append(cost)
    assert np.mean(covered) >= LEVEL - slack(LEVEL, repetitions)
    assert np.mean(certified) >= LEVEL
    # on average: with hindsight too cheap, honest a little too expensive (a tenth is held out)
    error = 3.5 * np.std(np.array(honest) - deployed) / math.sqrt(repetitions)
    assert np.mean(hindsight) + error < np.mean(deployed)
    assert np.mean(honest) > np.mean(deployed) - error


def test_cost_on_fresh_cases_lies_in_the_interval_at_its_rate():
    """Cost in money, costs of abstaining by class, a prevalence other than the sample's, a limit."""
    costs = CostModel(
        cost_fn=50, cost_fp=30, cost_abstain_positive=10, cost_abstain_negative=6, cost_tp=2, cost_tn=1
    )
    population = Binormal(separation=1.5, prevalence=0.2)
    new_y, new_s = population.sample(200_000, rng=10**6)
    repetitions, covered, certified, narrow = 250, [], [], []
    for seed in range(repetitions):
        y, s = TRUTH.sample(400, rng=seed)
        model = AbstainingClassifier(FirstColumn(), costs=costs, prevalence=0.2, max_abstention=0.3)
        cost = -model.fit(s[:, None], y).score(new_s[:, None], new_y)
        low, high = model.expected_cost_.interval
        covered.append(low <= cost <= high)
        certified.append(cost <= model.certificate_.certified_expected_cost)
        narrow.append(high - low)
    assert np.mean(covered) >= LEVEL - slack(LEVEL, repetitions)
    assert np.mean(certified) >= LEVEL
    assert np.mean(narrow) < 6  # of a cost of about 8: not covered by being useless
