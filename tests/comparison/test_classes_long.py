"""Intervals of honest costs of many classes cover the true cost of the rule in use."""

import numpy as np
import pytest

from demur import compare_models
from demur.surface.window import ABSTAIN

SAMPLES = 60
FRESH = 20_000


def drawn(n, m, rng):
    y = np.concatenate([np.arange(m), np.arange(m), rng.integers(0, m, n - 2 * m)])
    z = rng.normal(size=(n, m))
    z[np.arange(n), y] += 2.0
    p = np.exp(1.5 * z)
    return y, p / p.sum(axis=1, keepdims=True)


@pytest.mark.long
@pytest.mark.parametrize(("n", "m"), [(120, 3), (200, 5), (300, 10)])
def test_coverage_of_the_true_cost_and_of_the_saving(n, m, monkeypatch):
    monkeypatch.setattr("demur.honest.splits._MOST_REPEATS", 1)
    rng = np.random.default_rng(m)
    costs = rng.integers(1, 11, (m, m)) * (1.0 - np.eye(m))
    table = np.column_stack([costs, np.full(m, 1.5)])
    fresh_y, fresh = drawn(FRESH, m, rng)
    covered, saved = [], []
    for seed in range(SAMPLES):
        y, p = drawn(n, m, rng)
        both = compare_models(y, p, classes=list(range(m)), costs=costs, abstain_cost=1.5, seed=seed)
        rule = both.models["model"].rules["weights, abstaining"]
        codes = rule.rule.decide(fresh)
        true = table[fresh_y, np.where(codes == ABSTAIN, m, codes)].mean()
        covered.append(rule.interval.low <= true <= rule.interval.high)
        plain = table[fresh_y, fresh.argmax(axis=1)].mean()
        answer = both.answer
        if "argmax" in answer.versus:
            codes = answer.decide(fresh)
            gap = table[fresh_y, np.where(codes == ABSTAIN, m, codes)].mean() - plain
            low, high = answer.versus["argmax"].interval
            saved.append(low <= gap <= high)
    # two Monte-Carlo errors below 95 %
    assert np.mean(covered) >= 0.95 - 2 * np.sqrt(0.05 * 0.95 / SAMPLES)
    assert np.mean(saved) >= 0.95 - 2 * np.sqrt(0.05 * 0.95 / max(len(saved), 1))
