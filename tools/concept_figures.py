"""Draw the figures of the concept pages: python tools/concept_figures.py, into the current folder."""

import matplotlib.pyplot as plt
import numpy as np

import demur

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
    right.set_title("costs cut the shares, the shares give the window")
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
    axes[1].set_title("dearer abstaining, less of it")
    figure.savefig("surface.png", dpi=90)


def draw_certificate():
    """Show hindsight, honest and true cost, and what a certificate allows, for growing samples."""
    truth = demur.Binormal(separation=1.6, prevalence=0.4)
    sizes = np.array([50, 100, 200, 400, 800, 1600, 3200, 6400])
    mu, nu = COSTS.mu, COSTS.nu
    hindsight, honest, bound = [], [], []
    for n in sizes:
        counts = demur.ScoreCounts.from_arrays(*truth.sample(int(n), rng=7))
        done = demur.cross_fitted_surface(counts, rng=0)
        hindsight.append(done.hindsight(mu, nu))
        honest.append(done.cost(mu, nu))
        bound.append(demur.surface_certificate(counts).upper(mu, nu))
    figure, ax = plt.subplots(figsize=(7, 4.4), layout="constrained")
    ax.plot(sizes, bound, color=GREY, marker="s", ms=4, label="certified: at most")
    ax.plot(sizes, honest, color="black", marker="o", ms=4, label="honest (cross-fitted)")
    ax.plot(sizes, hindsight, color="black", linestyle="--", marker="o", ms=4, label="with hindsight")
    ax.axhline(truth.cost(mu, nu), color="#CC79A7", label="truth")
    ax.set(xscale="log", xlabel="cases", ylabel="cost per case (a miss costs 1)", ylim=(0, None))
    ax.set_xticks(sizes, [str(n) for n in sizes])
    ax.minorticks_off()
    ax.legend(frameon=False)
    figure.savefig("certificate.png", dpi=90)


def main():
    counts = evidence()
    draw_window(counts)
    draw_blocks(counts)
    draw_surface(counts)
    draw_certificate()


if __name__ == "__main__":
    main()
