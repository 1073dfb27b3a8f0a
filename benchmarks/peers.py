"""Decisions of other packages and ours on the same invented data: the numbers of docs/peers.md.

python benchmarks/peers.py

Packages that need other versions of NumPy than demur get an environment of their own, such as one with
`pip install empulse`. What is not installed is left out, so the two sides may be run one after the other.
"""

import os
from importlib.util import find_spec

import numpy as np

# NannyML sends statistics of its use without this
os.environ["NML_DISABLE_USAGE_LOGGING"] = "1"


def expit(x):
    return 1 / (1 + np.exp(-x))


def payments(n, seed):
    """A tenth are frauds, and the amount says nothing about which."""
    rng = np.random.default_rng(seed)
    fraud = (rng.random(n) < 0.1).astype(int)
    return fraud, rng.normal(size=n) + 2.0 * fraud, rng.lognormal(4.5, 1, n)


def orders(rng, n, day):
    """From day 36 twice as many frauds, from day 57 other scores."""
    fraud = rng.random(n) < (0.1 if day < 36 else 0.2)
    return fraud, expit(2 * rng.standard_normal(n) + 4 * fraud - 4.2 + (0 if day < 57 else 0.7))


def weeks(seed, change):
    """The cases a rule is chosen on, and 84 days of 500 orders."""
    rng = np.random.default_rng(seed)
    return orders(rng, 5000, 0), [orders(rng, 500, day if change else 0) for day in range(1, 85)]


def answers(n, seed):
    """Whether the answer of a language model was right, and its confidence."""
    rng = np.random.default_rng(seed)
    right = rng.random(n) < 0.72
    return right, np.where(right, rng.beta(6, 1.6, n), rng.beta(2.2, 2, n)).round(3)


def groups(n, seed):
    """A score that is worse in the smaller of two groups."""
    rng = np.random.default_rng(seed)
    group = (rng.random(n) < 0.3).astype(int)
    y = (rng.random(n) < np.where(group == 1, 0.2, 0.3)).astype(int)
    return y, rng.normal(size=n) + y * np.where(group == 1, 1.2, 2.0), group


def paid(y, decided, *, fn, fp, abstain=0.0, tn=0.0):
    return np.where(decided == -1, abstain, np.where(decided == 1, np.where(y, 0, fp), np.where(y, fn, tn)))


def missed(y, decided, group):
    return [round(float((decided[(y == 1) & (group == g)] == 0).mean()), 3) for g in (0, 1)]


def amounts_by_empulse():
    from empulse.models import CSThresholdClassifier
    from sklearn.linear_model import LogisticRegression

    costs = []
    for seed in range(5):
        y, score, _ = payments(5000, seed)
        y_new, new, amount = payments(100_000, 100 + seed)
        model = CSThresholdClassifier(LogisticRegression(), random_state=0).fit(score[:, None], y)
        decided = model.predict(new[:, None], fn_cost=amount, fp_cost=25.0)
        costs.append(paid(y_new, decided, fn=amount, fp=25).mean())
    print(f"payments, empulse, a threshold for every case: {np.mean(costs):.2f}")


def amounts_by_demur():
    from demur import CaseCosts, compare_models

    for known in (False, True):
        for review in ({}, {"cost_abstain": 4.0}):
            costs = []
            for seed in range(5):
                y, score, amount = payments(5000, seed)
                y_new, new, amount_new = payments(100_000, 100 + seed)
                priced = CaseCosts(
                    cost_fn=amount,
                    cost_fp=25.0,
                    columns={"cost_fn": "amount"},
                    known_at_decision=known,
                    **review,
                )
                answer = compare_models(y, {"score": score}, costs=priced).answer
                decided = answer.decide(np.column_stack([new, amount_new]) if known else new)
                costs.append(paid(y_new, decided, fn=amount_new, fp=25, abstain=4).mean())
            print(f"payments, demur, amount known: {known}, reviews: {bool(review)}: {np.mean(costs):.2f}")


def drift_by_nannyml():
    import nannyml
    import pandas as pd

    for change in (True, False):
        for seed in range(5):
            reference, days = weeks(seed, change)
            y, p = (np.concatenate(parts) for parts in zip(reference, *days, strict=True))
            table = pd.DataFrame({"p": p, "y": y.astype(int), "decided": (p > 0.5).astype(int)})
            old, new = table[:5000], table[5000:].reset_index(drop=True)
            drift = nannyml.UnivariateDriftCalculator(
                column_names=["p"], continuous_methods=["jensen_shannon"], chunk_size=500
            ).fit(old)
            alerts = drift.calculate(new).filter(period="analysis").to_df()["p", "jensen_shannon", "alert"]
            value = nannyml.CBPE(
                metrics=["business_value"],
                y_pred_proba="p",
                y_pred="decided",
                y_true="y",
                problem_type="classification_binary",
                chunk_size=500,
                business_value_matrix=[[0, -20], [-100, 0]],
            ).fit(old)
            estimate = value.estimate(new.drop(columns="y")).filter(period="analysis").to_df()
            said = -estimate["business_value", "value"].to_numpy() / 500
            true = [paid(fraud, score > 0.5, fn=100, fp=20).mean() for fraud, score in days]
            parts = (slice(35), slice(35, 56), slice(56, None))
            costs = ", ".join(f"{said[part].mean():.1f} ({np.mean(true[part]):.1f})" for part in parts)
            found = [int(k) + 1 for k in np.flatnonzero(alerts.to_numpy())]
            late = [day for day in found if day > 35][:1]
            print(
                f"orders change: {change}, NannyML: {len([day for day in found if day < 36])} alerts to day "
                f"35, {len(found)} in all, first after it {late}, cost estimated (true) {costs}"
            )


def drift_by_demur():
    from demur import CostModel, Policy, PolicyMonitor, compare_models

    costs = CostModel(cost_fn=100, cost_fp=20, cost_abstain=4)
    for change in (True, False):
        first = []
        for seed in range(5):
            (y, p), days = weeks(seed, change)
            policy = Policy.from_answer(compare_models(y.astype(int), {"score": p}, costs=costs).answer)
            monitor, alarm = PolicyMonitor(policy), None
            for day, (_, scores) in enumerate(days, start=1):
                monitor.update(scores, key=f"{day}")
                alarm = alarm or (day if monitor.alarms else None)
            first.append(alarm)
        print(f"orders change: {change}, demur: first alarm on day {first}")


def language_model_by_uqlm():
    from uqlm.utils.tuner import Tuner

    costs = []
    for seed in range(5):
        right, confidence = answers(1200, seed)
        right_new, new = answers(200_000, 100 + seed)
        threshold = Tuner().tune_threshold(confidence.tolist(), right.tolist())
        costs.append(paid(right_new, (new > threshold).astype(int), fn=1, fp=5, tn=1).mean())
    print(f"language model, uqlm, threshold of the best F1: {np.mean(costs):.2f}")


def language_model_by_demur():
    from demur import CostModel, compare_models

    for passes_on in ({}, {"cost_abstain_positive": 0.5, "cost_abstain_negative": 1.4}):
        costs = []
        for seed in range(5):
            right, confidence = answers(1200, seed)
            right_new, new = answers(200_000, 100 + seed)
            priced = CostModel(cost_fn=1, cost_fp=5, cost_tn=1, **passes_on)
            decided = compare_models(
                right.astype(int), {"confidence": confidence}, costs=priced
            ).answer.decide(new)
            asked = np.where(right_new, 0.5, 1.4)
            costs.append(paid(right_new, decided, fn=1, fp=5, tn=1, abstain=asked).mean())
        print(f"language model, demur, a larger model to ask: {bool(passes_on)}: {np.mean(costs):.2f}")


def groups_by_fairlearn():
    from fairlearn.postprocessing import ThresholdOptimizer
    from sklearn.linear_model import LogisticRegression

    for seed in range(3):
        y, score, group = groups(5000, seed)
        y_new, new, group_new = groups(200_000, 100 + seed)
        rule = ThresholdOptimizer(
            estimator=LogisticRegression(),
            constraints="false_negative_rate_parity",
            objective="balanced_accuracy_score",
            predict_method="predict_proba",
        ).fit(score[:, None], y, sensitive_features=group)
        decided = rule.predict(new[:, None], sensitive_features=group_new, random_state=0)
        cost = paid(y_new, decided, fn=10, fp=3).mean()
        print(f"groups, fairlearn: missed {missed(y_new, decided, group_new)}, cost {cost:.2f}")


def groups_by_demur():
    from demur import CostModel, compare_models

    for seed in range(3):
        y, score, _ = groups(5000, seed)
        y_new, new, group_new = groups(200_000, 100 + seed)
        decided = compare_models(y, {"score": score}, costs=CostModel(cost_fn=10, cost_fp=3)).answer.decide(
            new
        )
        cost = paid(y_new, decided, fn=10, fp=3).mean()
        print(f"groups, demur: missed {missed(y_new, decided, group_new)}, cost {cost:.2f}")


COMPARISONS = [
    ("empulse", amounts_by_empulse, amounts_by_demur),
    ("nannyml", drift_by_nannyml, drift_by_demur),
    ("uqlm", language_model_by_uqlm, language_model_by_demur),
    ("fairlearn", groups_by_fairlearn, groups_by_demur),
]


def main():
    for peer, theirs, ours in COMPARISONS:
        for package, run in ((peer, theirs), ("demur", ours)):
            if find_spec(package):
                run()
            else:
                print(f"{package} is not installed here")


if __name__ == "__main__":
    main()
