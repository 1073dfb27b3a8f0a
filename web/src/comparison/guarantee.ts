/** Upper bounds of the true cost that hold for every sample size (demur.honest.certified_cuts). */
import type { BoundsData } from "../data";

/** Bounds of F (positives below a cut) and T (negatives above it), as shares of all cases. */
export interface CutBounds {
  missed: ArrayLike<number>;
  alarmed: ArrayLike<number>;
}

/** With a known prevalence the classes are two samples. */
export function cutBounds(bounds: BoundsData, prevalence: number | null): CutBounds {
  if (prevalence === null) return { missed: bounds.positive, alarmed: bounds.negative };
  return {
    missed: bounds.positive_rate.map((rate) => prevalence * rate),
    alarmed: bounds.negative_rate.map((rate) => (1 - prevalence) * rate),
  };
}

/** Guaranteed cost of the window (i, j) of blocks; a miss costs 1. */
export function guaranteedCost({ missed, alarmed }: CutBounds, i: number, j: number, mu: number, nu: number): number {
  if (i === j) return missed[i] + mu * alarmed[i];
  // positives below u and negatives above l are different cases: together at most all
  const reviewed = nu * Math.min(1, missed[j] + alarmed[i]);
  return (1 - nu) * missed[i] + (mu - nu) * alarmed[j] + reviewed;
}
