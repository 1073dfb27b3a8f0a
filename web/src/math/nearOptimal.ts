/** Thresholds that cost hardly more than the best ones (demur.honest.window_sets). */
import type { Surface } from "./surface";
import { reviewsAt } from "./units";

const ROUNDING = 1e-12;

/** One threshold: the best cut, the unbroken run of near-optimal ones around it, and what each cut costs at least. */
export interface Room {
  best: number;
  first: number;
  last: number;
  costs: Float64Array;
}

/** Both thresholds of the cheapest window at (mu, nu), with cuts at every block of the surface. */
export function nearOptimal(surface: Surface, mu: number, nu: number, tolerance: number): { lower: Room; upper: Room } {
  const { positiveBelow: p, negativeBelow: q, negativeAbove } = surface;
  const single = p.map((missed, cut) => missed + mu * negativeAbove[cut]);
  if (!Number.isFinite(nu)) {
    const room = roomOf(single, tolerance);
    return { lower: room, upper: room };
  }
  const [onPositive, onNegative] = reviewsAt(mu, nu, surface.extra);
  const start = p.map((missed, cut) => (1 - onPositive) * missed - onNegative * q[cut]);
  const stop = p.map((missed, cut) => onPositive * missed + onNegative * q[cut] + mu * negativeAbove[cut]);
  // the best other cut of each, which must not lie on the wrong side
  const bestStop = stop.slice();
  for (let cut = stop.length - 2; cut >= 0; cut--) bestStop[cut] = Math.min(bestStop[cut], bestStop[cut + 1]);
  const bestStart = start.slice();
  for (let cut = 1; cut < start.length; cut++) bestStart[cut] = Math.min(bestStart[cut], bestStart[cut - 1]);
  return {
    lower: roomOf(start.map((cost, cut) => cost + bestStop[cut]), tolerance),
    upper: roomOf(stop.map((cost, cut) => cost + bestStart[cut]), tolerance),
  };
}

function roomOf(costs: Float64Array, tolerance: number): Room {
  const least = costs.reduce((smallest, cost) => Math.min(smallest, cost), Infinity);
  const limit = least + tolerance * Math.abs(least) + ROUNDING;
  const best = costs.findIndex((cost) => cost <= least + ROUNDING);
  let [first, last] = [best, best];
  while (first > 0 && costs[first - 1] <= limit) first--;
  while (last < costs.length - 1 && costs[last + 1] <= limit) last++;
  return { best, first, last, costs };
}
