"""Draw the figures of how-to pages that are not in the gallery: python tools/how_to_figures.py, here."""

import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import demur
from demur.counts import BinnedCounts
from demur.datasets.breast_cancer import breast_cancer_scores
from demur.displays import BlockCostDisplay, WindowDisplay

GROWTH = Path(__file__).parents[1] / "benchmarks" / "growth.json"
POSITIVE, NEGATIVE, GREY = "#E69F00", "#0072B2", "0.6"
COSTS = demur.CostModel(cost_fn=1000, cost_fp=100, cost_abstain=20)


def draw_cost_ranges():
    """Show the cost of two windows over the range of the cost of a miss, beside the best possible one."""
    data = breast_cancer_scores()
    surface = demur.abstention_surface(data.diagnosis, data.scores["forest"], pos_label="malignant")
    ranges = demur.CostRange(cost_fn=(500, 2000), cost_fp=100, cost_abstain=(10, 40))
    window = demur.windows.range_window(data.diagnosis, data.scores["forest"], ranges, pos_label="malignant")
    misses = np.linspace(500, 2000, 100)
    positive = data.diagnosis == "malignant"
    score = data.scores["forest"]

    def cost(lower, upper):
        missed = np.mean(positive & (score <= lower))
        alarms = np.mean(~positive & (score >= upper))
        reviewed = np.mean((score > lower) & (score < upper))
        return misses * missed + 100 * alarms + 10 * reviewed

    best = [
        surface.window(costs=demur.CostModel(cost_fn=miss, cost_fp=100, cost_abstain=10)).expected_cost
        for miss in misses
    ]
    figure, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
    ax.plot(misses, cost(window.point_lower, window.point_upper), color=GREY, label="window for the middle")
    ax.plot(misses, cost(window.lower, window.upper), color="black", label="window with the smallest regret")
    ax.plot(misses, best, color=POSITIVE, linestyle="--", label="best window if the cost were known")
    ax.set(xlabel="true cost of a miss (a review costs 10)", ylabel="cost per case, with hindsight")
    ax.set_ylim(0, None)
    ax.legend(frameon=False)
    figure.savefig("cost_ranges.png", dpi=90)


def draw_deploy():
    """Show the policy of the page: three decisions along the score."""
    figure, ax = plt.subplots(figsize=(7, 1.9), layout="constrained")
    pieces = [(0, 0.2, NEGATIVE, "well"), (0.2, 0.8, GREY, "ask"), (0.8, 1, POSITIVE, "ill")]
    for low, high, colour, word in pieces:
        ax.axvspan(low, high, color=colour, alpha=0.35, lw=0)
        ax.text((low + high) / 2, 0.5, word, ha="center", va="center", fontsize=14)
    for threshold, words in ((0.2, "risk <= 0.2"), (0.8, "risk >= 0.8")):
        ax.axvline(threshold, color="black")
        ax.text(threshold, 1.06, words, ha="center", transform=ax.get_xaxis_transform())
    ax.set(xlim=(0, 1), ylim=(0, 1), yticks=[], xlabel="risk")
    figure.savefig("deploy.png", dpi=90)


def draw_large_data():
    """Show how far the cost computed from bins can be from the exact one."""
    y, s = demur.Binormal(separation=2).sample(200_000, rng=0)
    bins = [2**power for power in range(4, 15)]
    gaps = []
    for count in bins:
        edges = np.quantile(s, np.linspace(0, 1, count + 1))
        place = np.clip(np.searchsorted(edges, s, side="right") - 1, 0, count - 1)
        low, high = np.full(count, np.inf), np.full(count, -np.inf)
        np.minimum.at(low, place, s)
        np.maximum.at(high, place, s)
        positives = np.bincount(place, weights=y, minlength=count)
        negatives = np.bincount(place, minlength=count) - positives
        gaps.append(BinnedCounts.from_bins(low, high, positives, negatives).certified)
    figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
    ax.plot(bins, gaps, color="black", marker="o", ms=4)
    ax.set(xscale="log", yscale="log", xlabel="bins of equal size", ylabel="certified error of the cost")
    ax.set_title("200,000 scores: the error of bins is bounded, and known")
    figure.savefig("large_data.png", dpi=90)


def draw_growth():
    """Show seconds, memory and certificate from 10^6 to 10^9 rows, and write the same as a table."""
    kept = json.loads(GROWTH.read_text())
    rows = kept["rows"]
    sizes = [one["rows"] for one in rows]
    figure, axes = plt.subplots(1, 3, figsize=(9, 3.2), layout="constrained")
    for key, name, style in (
        ("bare_processor", "bare GROUP BY", {"color": GREY, "marker": "s"}),
        ("processor", "counts", {"color": "black", "marker": "o"}),
    ):
        axes[0].plot(sizes, [one[key] for one in rows], label=name, ms=4, **style)
    axes[0].set(ylabel="processor seconds", title="work of two models", yscale="log")
    axes[0].legend(frameon=False)
    for key, name, color in (("memory", "counts", "black"), ("answer_memory", "and the answer", POSITIVE)):
        axes[1].plot(sizes, [one[key] / 2**30 for one in rows], label=name, color=color, marker="o", ms=4)
    axes[1].axhline(1.5, color=GREY, linestyle="--")
    axes[1].set(ylabel="GB", title="peak memory", ylim=(0, 1.7))
    axes[1].legend(frameon=False, loc="lower right")
    axes[2].plot(sizes, [1e6 * one["certified"] for one in rows], color="black", marker="o", ms=4)
    axes[2].axhline(1.0, color=GREY, linestyle="--")
    axes[2].set(ylabel="millionths of an error", title="certified error of a cost", ylim=(-0.05, 1.2))
    for ax in axes:
        ax.set(xscale="log", xlabel="rows", xticks=sizes)
        ax.minorticks_off()
    figure.savefig("growth.png", dpi=90)
    Path("growth.md").write_text(growth_table(kept))
    Path("growth_spark.md").write_text(spark_table(kept["spark"]))


def growth_table(kept):
    """Return the kept results as a table of the page."""
    lines = [
        f"Measured on {kept['machine']}.",
        "",
        "| rows | bare GROUP BY | counts | ratio of work | memory | certified | whole answer | its memory "
        "| its certificate | others on the machine |",
        "|" + "---|" * 10,
    ]
    for one in kept["rows"]:
        ratio = one["processor"] / one["bare_processor"]
        lines.append(
            f"| {one['rows']:,} | {one['bare_seconds']:,.1f} s | {one['seconds']:,.1f} s | {ratio:.2f} "
            f"| {one['memory'] / 2**30:.2f} GB | {one['certified']:.1e} | {one['answer_seconds']:,.1f} s "
            f"| {one['answer_memory'] / 2**30:.2f} GB | {one['answer_certified']:.1e} "
            f"| load {one['load']:g} |"
        )
    return "\n".join(lines) + "\n"


def spark_table(one):
    """Return the run on a Spark cluster as a table of the page."""
    heads = "rows", "bare GROUP BY", "counts", "ratio", "ratio of work", "memory of all", "certified", "scans"
    return "\n".join(
        [
            f"| {' | '.join(heads)} |",
            "|" + "---|" * len(heads),
            f"| {one['rows']:,} | {one['bare_seconds']:,.1f} s | {one['seconds']:,.1f} s "
            f"| {one['seconds'] / one['bare_seconds']:.2f} | {one['processor'] / one['bare_processor']:.2f} "
            f"| {one['memory'] / 2**30:.1f} GB | {one['certified']:.1e} | {one['scans']} |",
            "",
            f"Heaps of {one['memory_setting']} for the driver and each executor, on the machine above.",
            "",
        ]
    )


def draw_llm_triage():
    """Show the confidence of right and wrong answers, with the window of the page."""
    rng = np.random.default_rng(4)
    right = rng.random(1200) < 0.72
    confidence = np.where(right, rng.beta(6, 1.6, 1200), rng.beta(2.2, 2, 1200)).round(3)
    costs = demur.CostModel(
        cost_fn=1, cost_fp=5, cost_tn=1, cost_abstain_positive=0.5, cost_abstain_negative=1.4
    )
    answer = demur.compare_models(right, {"confidence": confidence}, costs=costs).answer
    surface = demur.abstention_surface(right, confidence)
    display = WindowDisplay.from_result(surface, window=(answer.lower, answer.upper)).plot()
    display.ax_.set_xlabel("confidence: declined, passed on, answered (from left to right)")
    display.figure_.savefig("llm_triage.png", dpi=90, bbox_inches="tight")


def draw_llm_routing():
    """Show who decides the tickets of the page, by the confidences of both models."""
    rng = np.random.default_rng(1)
    urgent, clear = rng.random(2000) < 0.3, rng.random(2000) > 0.15
    log = {}
    for name, strength, noise in (("cheap", 3, 1.7), ("large", 4, 1.2)):
        log_odds = np.where(clear, strength * (2 * urgent - 1), 0)
        log_odds = log_odds + np.where(clear, noise, 0.3) * rng.normal(size=2000)
        log[name] = (1 / (1 + np.exp(-log_odds))).round(3)
    costs = demur.CostModel(cost_fn=20, cost_fp=8, cost_abstain=2)
    prices = {"cheap": 0.02, "large": 0.60}
    rule = demur.compare_models(urgent, log, costs=costs, include="cascades", prices=prices).answer.rule
    negative, start, stop, positive = rule.cuts
    figure, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
    pieces = [
        (0, negative, NEGATIVE, "routine"),
        (start, stop, GREY, "person"),
        (positive, 1, POSITIVE, "urgent"),
    ]
    for low, high, colour, word in pieces:
        ax.axvspan(low, high, color=colour, alpha=0.35, lw=0)
        ax.text((low + high) / 2, 1.03, word, ha="center", fontsize=11)
    for low, high in ((negative, start), (stop, positive)):
        ax.fill_between([low, high], 0, rule.lower, color=NEGATIVE, alpha=0.2, lw=0)
        ax.fill_between([low, high], rule.lower, rule.upper, color=GREY, alpha=0.2, lw=0)
        ax.fill_between([low, high], rule.upper, 1, color=POSITIVE, alpha=0.2, lw=0)
        ax.text((low + high) / 2, 1.03, "large", ha="center", fontsize=11)
    for own, colour, word in ((~urgent, NEGATIVE, "routine"), (urgent, POSITIVE, "urgent")):
        ax.scatter(log["cheap"][own], log["large"][own], s=5, color=colour, label=f"in truth {word}", lw=0)
    ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="confidence of the small model", ylabel="of the large model")
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    figure.savefig("llm_routing.png", dpi=90)


def draw_real_data():
    """Show the cost of every judged block of time, beside that of a shuffled split."""
    rng = np.random.default_rng(0)
    day = np.arange(3000) // 10
    fraud = rng.random(3000) < 0.3
    risk = 2.2 * fraud + rng.normal(size=3000) + day / 150
    costs = demur.CostModel(cost_fn=100, cost_fp=40, cost_abstain=15)
    forward = demur.compare_models(fraud, {"risk": risk}, costs=costs, time=day)
    BlockCostDisplay.from_result(forward).plot().figure_.savefig("real_data.png", dpi=90)


def draw_reviewers():
    """Show cost and reviews against how often the reviewer is right."""
    y, s = demur.Binormal(separation=2.0, prevalence=0.3).sample(800, rng=1)
    surface = demur.abstention_surface(y, s)
    rates = np.linspace(0.5, 1, 26)
    windows = [
        surface.window(
            costs=demur.CostModel(
                cost_fn=100, cost_fp=40, reviewer=demur.Reviewer(fee=10, sensitivity=rate, specificity=rate)
            )
        )
        for rate in rates
    ]
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
    left.plot(rates, [window.abstention_rate for window in windows], color="black")
    left.set(ylabel="share of cases reviewed")
    right.plot(rates, [window.expected_cost for window in windows], color="black")
    right.set(ylabel="cost per case, with hindsight")
    for ax in (left, right):
        ax.set(xlabel="share of both classes the reviewer gets right")
        ax.set_ylim(0, None)
    figure.savefig("reviewers.png", dpi=90)


def draw_several_scores():
    """Show the honest costs of two models alone and of three ways to combine them."""
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    models = {
        name: 1 / (1 + np.exp(-2 * y + 1 - rng.normal(0, sd, 400)))
        for name, sd in (("blood test", 1.6), ("scan", 1.2))
    }
    costs = demur.CostModel(cost_fn=10, cost_fp=4, cost_abstain=2)
    prices = {"blood test": 0.05, "scan": 0.1}
    found = demur.compare_models(y, models, costs=costs, include="combinations", prices=prices)
    rules = {**found.models, **found.combinations}
    names = sorted(rules, key=lambda name: -rules[name].cost)
    colours = [NEGATIVE if name in models else "black" for name in names]
    figure, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
    ax.hlines(range(len(names)), *zip(*(rules[name].interval for name in names), strict=True), color=colours)
    ax.scatter([rules[name].cost for name in names], range(len(names)), color=colours)
    ax.set_yticks(range(len(names)), [name.partition(" of ")[0] for name in names])
    ax.set(xlabel="honest cost per case with 95 % interval; blue: one model alone", xlim=(0, None))
    figure.savefig("several_scores.png", dpi=90)


def draw_stock_metrics():
    """Show what accuracy makes of abstentions: counted as errors, or left out."""
    data = breast_cancer_scores()
    y, p = data.diagnosis == "malignant", data.scores["naive_bayes"]
    sure = np.maximum(p, 1 - p)
    order = np.argsort(-sure, kind="stable")
    right = ((p >= 0.5) == y)[order].cumsum()
    decided = np.arange(1, len(y) + 1)
    figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
    ax.plot(decided / len(y), right / decided, color="black", label="abstentions left out")
    ax.plot(decided / len(y), right / len(y), color=POSITIVE, linestyle="--", label="abstentions are errors")
    ax.set(xlabel="coverage (share of cases decided)", ylabel="accuracy", xlim=(0, 1), ylim=(0, 1.02))
    ax.legend(frameon=False)
    figure.savefig("stock_metrics.png", dpi=90)


def main():
    draw_cost_ranges()
    draw_deploy()
    draw_growth()
    draw_large_data()
    draw_llm_triage()
    draw_llm_routing()
    draw_real_data()
    draw_reviewers()
    draw_several_scores()
    draw_stock_metrics()


if __name__ == "__main__":
    main()
