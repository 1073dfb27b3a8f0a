/** Bounds for the cost of any window at any costs, for every sample size (demur.certificates; spec 105, 1). */
import type { BlockData, Totals } from "../data";
import type { Window } from "./surface";

/** Margins of the masses of each class: of a bound to one side, and to both. */
export interface Margins {
  upperPositive: number;
  upperNegative: number;
  positive: number;
  negative: number;
}

/** Certificates count independent cases: null for weights that are no whole numbers. */
export function certificateMargins(
  blocks: BlockData,
  totals: Totals,
  prevalence: number | null,
  level: number,
): Margins | null {
  if (![blocks.positives, blocks.negatives].every((counts) => counts.every(Number.isInteger))) return null;
  const delta = 1 - level;
  const n = totals.n_positive + totals.n_negative;
  // with a given prevalence the classes are two samples
  const [positive, negative] =
    prevalence === null ? [[1, n], [1, n]] : [[prevalence, totals.n_positive], [1 - prevalence, totals.n_negative]];
  return {
    upperPositive: margin(positive, delta),
    upperNegative: margin(negative, delta),
    positive: margin(positive, delta / 2),
    negative: margin(negative, delta / 2),
  };
}

/** Massart (1990), corollary 1, times the share of the class; a share of 0 needs no case. */
function margin([share, n]: number[], delta: number): number {
  return share ? share * Math.sqrt(Math.log(2 / delta) / (2 * n)) : 0;
}

/** What the true cost of a window, also of one chosen on these cases, stays below (a miss costs 1). */
export function certifiedCost(window: Window, mu: number, nu: number, margins: Margins): number {
  const kept = window.i < window.j ? nu : 0;
  const oneSided = kept <= 1 && kept <= mu;
  const positive = oneSided ? margins.upperPositive : margins.positive;
  const negative = oneSided ? margins.upperNegative : margins.negative;
  const weights = [Math.abs(1 - kept) + kept, Math.abs(mu - kept) + kept];
  return window.cost + (weights[0] * positive + weights[1] * negative);
}
