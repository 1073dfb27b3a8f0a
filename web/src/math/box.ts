/** Costs known as a range: worst and mean cost of a window over a box of costs, and its regret, exactly. */
import type { Surface, Window } from "./surface";

/** Ranges of the relative costs. */
export interface Box {
  mu: readonly [low: number, high: number];
  nu: readonly [low: number, high: number];
}

/** One window over a box; costs per case, a miss costs 1. */
export interface OverBox {
  worst: number;
  /** When the costs are uniform over the box. */
  mean: number;
  /** Largest excess over the cheapest window of any model at the same costs. */
  regret: number;
}

/**
 * The cost of a window is a plane that rises in both costs: worst at the upper corner, mean at the
 * centre. The best possible cost is concave, so the excess is convex and
 * largest at a corner.
 */
export function overBox(surface: Surface, window: Window, rivals: readonly Surface[], box: Box): OverBox {
  const { i, j } = window;
  const centre = [(box.mu[0] + box.mu[1]) / 2, (box.nu[0] + box.nu[1]) / 2];
  const corners = box.mu.flatMap((mu) => box.nu.map((nu) => [mu, nu]));
  const excess = corners.map(([mu, nu]) => {
    const best = Math.min(...rivals.map((rival) => rival.cost(mu, nu)));
    return surface.costOf(i, j, mu, nu) - best;
  });
  return {
    worst: surface.costOf(i, j, box.mu[1], box.nu[1]),
    mean: surface.costOf(i, j, centre[0], centre[1]),
    regret: Math.max(...excess, 0),
  };
}
