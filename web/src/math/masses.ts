/** Blocks as masses under a prevalence, with what every rule on them needs. */
import type { Totals } from "../data";
import { below } from "./search";
import { NO_SURCHARGE, reviewsAt, evenShare, mayPay, type Surcharge } from "./units";

/** Shares that differ by rounding only count as equal, as in demur.surface.masses. */
export const TIE = 8 * Number.EPSILON;

/** Factors that turn counts into masses that sum to 1 (ScoreCounts.class_weights). */
export type Weights = { positive: number; negative: number };

/** A prevalence of null is that of the data. */
export function classWeights(totals: Totals, prevalence: number | null): Weights {
  const { n_positive, n_negative } = totals;
  if (prevalence === null) {
    const each = 1 / (n_positive + n_negative);
    return { positive: each, negative: each };
  }
  return {
    positive: n_positive ? prevalence / n_positive : 0,
    negative: n_negative ? (1 - prevalence) / n_negative : 0,
  };
}

/** P(positive) that costs refer to. */
export function assumedPrevalence(totals: Totals, prevalence: number | null): number {
  return prevalence ?? totals.n_positive / (totals.n_positive + totals.n_negative);
}

/** Element i is the sum of the first i values. */
export function sumsBelow(values: ArrayLike<number>): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (let b = 0; b < values.length; b++) sums[b + 1] = sums[b] + values[b];
  return sums;
}

/** Element i is the sum of the values from i on, added from the far end: no total is subtracted. */
export function sumsAbove(values: ArrayLike<number>): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (let b = values.length - 1; b >= 0; b--) sums[b] = sums[b + 1] + values[b];
  return sums;
}

/** Masses of one class per block. */
export function scaled(counts: ArrayLike<number>, factor: number): Float64Array {
  // a loop: Float64Array.from with a function is ten times slower, and prevalence is dragged too
  const masses = new Float64Array(counts.length);
  for (let b = 0; b < counts.length; b++) masses[b] = counts[b] * factor;
  return masses;
}

/** Share of positives per block, ascending; a class of prior 0 leaves blocks without mass, which get 0. */
export function blockShares(positive: Float64Array, negative: Float64Array): Float64Array {
  const shares = new Float64Array(positive.length);
  for (let b = 0; b < shares.length; b++) {
    const whole = positive[b] + negative[b];
    if (whole > 0) shares[b] = positive[b] / whole;
  }
  return shares;
}

/** Blocks called negative, and called negative or abstained on, at (mu, nu) (demur.surface.masses). */
export function blockCuts(
  shares: Float64Array,
  mu: number,
  nu: number,
  extra: Surcharge = NO_SURCHARGE,
): [i: number, j: number] {
  if (!mayPay(mu, nu, extra)) {
    const cut = below(shares, evenShare(mu) * (1 - TIE));
    return [cut, cut];
  }
  const [lower, upper] = shareBorders(mu, nu, extra);
  const j = below(shares, upper * (1 - TIE));
  return [Math.min(below(shares, lower * (1 + TIE), true), j), j];
}

/** Up to the first share blocks are called negative, from the second on positive, where abstaining may pay. */
export function shareBorders(mu: number, nu: number, extra: Surcharge): [lower: number, upper: number] {
  const [positive, negative] = reviewsAt(mu, nu, extra);
  const gap = positive - negative;
  return [negative / (1 - gap), (mu - negative) / (mu + gap)];
}
