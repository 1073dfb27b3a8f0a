"""Draw the figures of the concept pages: python tools/concept_figures.py, into the current folder."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap

import demur
from demur.datasets.breast_cancer import breast_cancer_scores

POSITIVE, NEGATIVE, GREY = "#E69F00", "#0072B2", "0.6"
COSTS = demur.CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)


def evidence():
    """Return counts of 400 invented cases with a known truth."""
    truth = demur.Binormal(separation=1.6, prevalence=0.4)
    return demur.ScoreCounts.from_arrays(*truth.sample(400, rng=3))


def draw_window(counts):
    surface = demur.abstention_surface(counts)
    display = demur.displays.WindowDisplay.from_result(surface, window=surface.window(costs=COSTS)).plot()
    display.figure_.savefig("window.png", dpi=90, bbox_inches="tight")


def draw_blocks(counts):
    """Show the cumulated classes, their pooled hull and the share of positives of each block."""
    blocks = counts.blocks()
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
    left.plot(
        np.append(0, np.cumsum(counts.negatives)), np.append(0, np.cumsum(counts.positives)), color=GREY, lw=1
    )
    corners = np.append(0, np.cumsum(blocks.negatives)), np.append(0, np.cumsum(blocks.positives))
    left.plot(*corners, color="black", marker="o", ms=4)
    left.set(xlabel="negatives up to a score", ylabel="positives up to a score")
    left.set_title("blocks are the edges of the hull")
    share = blocks.positives / (blocks.positives + blocks.negatives)
    for low, high, height in zip(blocks.lower, blocks.upper, share, strict=True):
        right.plot([low, high], [height, height], color="black", lw=3, solid_capstyle="butt")
    window = demur.abstention_surface(counts).window(costs=COSTS)
    right.axhline(COSTS.nu, color=NEGATIVE, linestyle="--", label="negative below: nu = 0.12")
    right.axhline(1 - COSTS.nu / COSTS.mu, color=POSITIVE, label="positive above: 1 - nu / mu = 0.70")
    right.axvspan(window.lower, window.upper, color="0.9")
    right.set(xlabel="score", ylabel="share of positives in the block", ylim=(-0.02, 1.02))
    right.set_title("the costs set two cut-offs, the cut-offs give the window")
    right.legend(frameon=False, loc="upper left")
    figure.savefig("blocks.png", dpi=90)


def draw_surface(counts):
    surface = demur.abstention_surface(counts)
    figure, axes = plt.subplots(1, 2, figsize=(11.5, 4.6), layout="constrained")
    demur.displays.AbstentionSurfaceDisplay.from_result(surface).plot(
        axes[0], window=surface.window(costs=COSTS)
    )
    axes[0].set_title("the surface: cheapest cost for all costs")
    for mu, style in ((1.0, "-"), (0.4, "--"), (0.1, ":")):
        nu = np.linspace(0, 0.6, 200)
        axes[1].plot(
            nu, surface.abstention_rate(mu, nu), color="black", linestyle=style, label=f"mu = {mu:g}"
        )
    axes[1].set(xlabel="relative cost of abstaining, nu", ylabel="share abstained", ylim=(-0.02, 1.02))
    axes[1].legend(frameon=False)
    axes[1].set_title("higher review cost, fewer abstentions")
    figure.savefig("surface.png", dpi=90)


def draw_certificate():
    """Show the mean of hindsight, honest and guaranteed costs over repeated samples of growing size."""
    truth = demur.Binormal(separation=1.6, prevalence=0.4)
    sizes = np.array([50, 100, 200, 400, 800, 1600, 3200, 6400])
    mu, nu = COSTS.mu, COSTS.nu
    rng = np.random.default_rng(7)
    means = []
    for n in sizes:
        costs = []
        # single samples scatter widely, so the fewer the cases the more samples
        for _ in range(max(15, 20_000 // int(n))):
            y, s = truth.sample(int(n), rng=rng)
            honest = demur.cross_fitted_surface(y, s, repeats=1)
            bound = demur.surface_certificate(y, s).guaranteed_cost(mu, nu)
            costs.append((honest.hindsight(mu, nu), honest.cost(mu, nu), bound))
        means.append(np.mean(costs, axis=0))
    hindsight, honest_cost, guaranteed = np.transpose(means)
    figure, ax = plt.subplots(figsize=(7, 4.4), layout="constrained")
    ax.axhline(nu, color=GREY, linestyle=":", label="without a model: always abstain")
    ax.plot(sizes, guaranteed, color=GREY, marker="s", ms=4, label="guaranteed at most")
    ax.plot(sizes, honest_cost, color="black", marker="o", ms=4, label="honest")
    ax.plot(sizes, hindsight, color="black", linestyle="--", marker="o", ms=4, label="with hindsight")
    ax.axhline(truth.cost(mu, nu), color="#CC79A7", label="best possible")
    ax.set(xscale="log", xlabel="cases", ylabel="cost per case (a miss costs 1), mean of samples")
    ax.set_ylim(0, None)
    ax.set_xticks(sizes, [str(n) for n in sizes])
    ax.minorticks_off()
    ax.legend(frameon=False, loc="lower right")
    figure.savefig("certificate.png", dpi=90)


def draw_honest():
    """Show the folds of one split, and hindsight beside honest costs of the demo's models."""
    data = breast_cancer_scores()
    costs = demur.CostModel(cost_fn=1000, cost_fp=100, cost_abstain=20)
    compared = demur.compare_models(data.diagnosis, data.scores, costs=costs, pos_label="malignant")
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    scored = np.eye(10)
    left.imshow(scored, cmap=ListedColormap(["0.88", POSITIVE]), aspect="auto")
    left.set(xlabel="fold", ylabel="turn", xticks=range(10), yticks=range(10))
    left.set_xticklabels(range(1, 11))
    left.set_yticklabels(range(1, 11))
    left.set_title("chosen on the grey folds, scored on the orange one")
    names = sorted(compared.models, key=lambda name: -compared.models[name].cost)
    models = [compared.models[name] for name in names]
    honest, hindsight = [one.cost for one in models], [one.hindsight_cost for one in models]
    right.hlines(range(len(names)), *zip(*(one.interval for one in models), strict=True), color=GREY)
    right.plot(honest, range(len(names)), "o", color="black", label="honest")
    right.plot(hindsight, range(len(names)), "o", mfc="white", color="black", label="with hindsight")
    right.axvline(compared.trivial["always abstain"], color=GREY, linestyle=":", label="always abstain")
    right.set_yticks(range(len(names)), names)
    right.set(xlabel="cost per case, with 95 % interval", xlim=(0, 25), ylim=(-0.5, len(names) + 0.2))
    right.legend(frameon=False, loc="upper center", ncols=3)
    right.set_title("the demo at miss 1000, false alarm 100, review 20")
    figure.savefig("honest.png", dpi=90)


def main():
    counts = evidence()
    draw_window(counts)
    draw_blocks(counts)
    draw_surface(counts)
    draw_certificate()
    draw_honest()


if __name__ == "__main__":
    main()
