"""A shop in which one case in ten is a fraud: what tests of monitoring share."""

import numpy as np
from scipy.special import expit, logit, ndtr

import demur
from demur.policy import PolicyEvidence, Promise
from demur.windows import ClassRule

SEPARATION = 2.0
COSTS = demur.CostModel(cost_fn=100, cost_fp=20, cost_abstain=4)


def shop(rng, n, prevalence=0.1):
    """Return who is positive, and P(positive) as calibrated at 10 % positives."""
    positive = rng.random(n) < prevalence
    marker = rng.standard_normal(n) + SEPARATION * positive
    return positive, expit(SEPARATION * marker - SEPARATION**2 / 2 + logit(0.1))


def distribution(score, prevalence=0.1):
    """Distribution function of the scores of `shop`."""
    marker = (logit(np.clip(score, 1e-300, 1 - 1e-16)) + SEPARATION**2 / 2 - logit(0.1)) / SEPARATION
    return prevalence * ndtr(marker - SEPARATION) + (1 - prevalence) * ndtr(marker)


def shop_policy(rng, n, **labels):
    """Return a policy chosen and measured on n cases of the shop: with hindsight, so without a promise."""
    positive, score = shop(rng, n)
    while not positive.any():
        positive, score = shop(rng, n)
    return demur.Policy.from_surface(demur.abstention_surface(positive, score), costs=COSTS, **labels)


def promised_policy(rng, n, *, model="score", abstain_label=None):
    """Return the policy of the answer of `compare_models` on n cases of the shop."""
    positive, score = shop(rng, n)
    answer = demur.compare_models(positive.astype(int), {model: score}, costs=COSTS).answer
    return demur.Policy.from_answer(answer, abstain_label)


CLASSES = ("a", "b", "c")


def class_cases(rng, n, shares=(0.5, 0.3, 0.2)):
    """Return the classes of n cases, and probabilities."""
    truth = rng.choice(3, n, p=shares)
    proba = np.exp(rng.normal(size=(n, 3)) + 2 * np.eye(3)[truth])
    return np.array(CLASSES)[truth], proba / proba.sum(axis=1, keepdims=True)


def class_policy(rng, n=600, **more):
    """Return the policy of weights 1, 1, 1 that abstains below 0.5, with what it does on n cases."""
    rule = ClassRule(classes=CLASSES, weights=[1, 1, 1], abstain_weight=0.5)
    labels, proba = class_cases(rng, n)
    truth = np.array([CLASSES.index(label) for label in labels])
    codes = rule.decide(proba)
    paid = np.where(codes == -1, 0.3, codes != truth)
    promise = Promise(
        cost=float(paid.mean()),
        limit=float(paid.mean() + 2 * paid.std() / np.sqrt(n)),
        abstention_rate=float(np.mean(codes == -1)),
        error_rate=float(np.mean((codes != -1) & (codes != truth))),
    )
    sizes = np.bincount(truth, minlength=3).astype(float)
    parts = {
        "costs": demur.CostMatrix.uniform(CLASSES),
        "abstain_costs": np.full(3, 0.3),
        "shares": sizes / n,
        "promise": promise,
        "evidence": PolicyEvidence(n=float(n), class_sizes=sizes, digest="sha256:0", software="test"),
        "abstain_label": "ask",
    }
    return demur.Policy(rule=rule, **{**parts, **more})


def amounts_policy(rng, n=800, **costs):
    """Return a policy chosen for amounts on n cases of the shop, as `compare_models` does."""
    positive, score = shop(rng, n)
    amount = np.round(rng.lognormal(4.5, 0.7, n), 2)
    given = {"cost_fp": 20, "cost_abstain": 4, **costs}
    priced = demur.CaseCosts(cost_fn=amount, **given, columns={"cost_fn": "amount"})
    return demur.Policy.from_answer(demur.compare_models(positive, {"score": score}, costs=priced).answer)


def cell_shares(cells, prevalence=0.1):
    """Return the true share of every cell."""
    running = np.concatenate([[0.0], distribution(cells.cuts, prevalence), [1.0]])
    shares = np.maximum(np.diff(running), 0.0)
    return shares / shares.sum()
