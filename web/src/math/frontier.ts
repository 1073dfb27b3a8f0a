/** Cost of the errors against the share of abstentions: the windows that some price of abstaining makes best. */
import { MoneySurface } from "./moneyModel";
import type { Surface } from "./surface";
import { reviewsAt } from "./units";

/** One window of the frontier. */
export interface FrontierPoint {
  i: number;
  j: number;
  /** Share of the cases abstained on. */
  abstain: number;
  /** Cost of the misses and false alarms that are left; a miss costs 1. */
  errorCost: number;
  /** Price of abstaining at which this window becomes as cheap as the one before; Infinity for the first. */
  price: number;
}

/**
 * From never abstaining to abstaining wherever an error is possible. Windows are nested in the
 * price, so the frontier grows by one block at a time, costliest error first,
 * and is convex: between two points one draws a window at random.
 */
export function frontier(surface: Surface, mu: number): FrontierPoint[] {
  if (surface instanceof MoneySurface) return moneyFrontier(surface, mu);
  const start = surface.neverAbstaining(mu).i;
  let [i, j] = [start, start];
  // what reviews of a block cost beside their price, per case
  const [positive, negative] = reviewsAt(mu, 0, surface.extra);
  const beyondPrice = (share: number): number => share * positive + (1 - share) * negative;
  const points = [pointAt(surface, mu, i, j, Infinity)];
  for (;;) {
    // abstaining on a block saves its misses below the cut, its false alarms above
    const saved = [
      i > 0 ? surface.shares[i - 1] - beyondPrice(surface.shares[i - 1]) : 0,
      j < surface.size ? mu * (1 - surface.shares[j]) - beyondPrice(surface.shares[j]) : 0,
    ];
    const price = Math.max(saved[0], saved[1]);
    if (price <= 0) return points;
    if (saved[0] === price) i--;
    else j++;
    points.push(pointAt(surface, mu, i, j, price));
  }
}

const PRICES = 80;

/** The same with amounts: the windows at falling factors on reviews; not all of them need be nested. */
function moneyFrontier(surface: MoneySurface, mu: number): FrontierPoint[] {
  const all = surface.trivial(mu, 1);
  // from here on reviewing everything costs a hundred times what deciding does
  const highest = (100 * Math.min(all["always positive"], all["always negative"])) / (all["always abstain"] || 1);
  const prices = [Infinity, ...Array.from({ length: PRICES }, (_, k) => highest * 10 ** (-k / 12)), 0];
  const points: FrontierPoint[] = [];
  for (const price of prices) {
    const [i, j] = surface.cuts(mu, price);
    const last = points.at(-1);
    if (last !== undefined && last.i === i && last.j === j) continue;
    const { abstain } = surface.windowAt(i, j, mu, 0);
    if (last === undefined || abstain > last.abstain)
      points.push({ i, j, abstain, errorCost: surface.costOf(i, j, mu, 0), price });
  }
  return points;
}

function pointAt(surface: Surface, mu: number, i: number, j: number, price: number): FrontierPoint {
  const { abstain } = surface.windowAt(i, j, mu, 0);
  return { i, j, abstain, errorCost: surface.positiveBelow[i] + mu * surface.negativeAbove[j], price };
}
