/** Upper bounds of the true cost that hold for every sample size (demur.honest.certified_cuts). */
import type { BlockCounts, BoundsData, StepBounds } from "../data";
import { sumsAbove, sumsBelow } from "../math/masses";
import { below } from "../math/search";

/** Bounds of F (positives below a cut) and T (negatives above it), as shares of all cases. */
export interface CutBounds {
  missed: ArrayLike<number>;
  alarmed: ArrayLike<number>;
}

/** Bounds at every cut; with a known prevalence the classes are two samples. */
export function cutBounds(bounds: BoundsData, blocks: BlockCounts, prevalence: number | null): CutBounds {
  const [missed, alarmed] = [sumsBelow(blocks.positives), sumsAbove(blocks.negatives)];
  const end = alarmed.length - 1;
  if (prevalence === null) return { missed: shares(bounds.all, missed, 0), alarmed: shares(bounds.all, alarmed, end) };
  return {
    missed: shares(bounds.positive, missed, 0).map((rate) => prevalence * rate),
    alarmed: shares(bounds.negative, alarmed, end).map((rate) => (1 - prevalence) * rate),
  };
}

/** Nothing lies beyond the infinite threshold at `nothing`: the share there is 0 for sure. */
function shares({ counts, values }: StepBounds, found: Float64Array, nothing: number): Float64Array {
  const steps = Float64Array.from(counts);
  const bounded = found.map((count) => values[below(steps, count)] ?? 1);
  bounded[nothing] = 0;
  return bounded;
}

/** Guaranteed cost of the window (i, j) of blocks; a miss costs 1. */
export function guaranteedCost({ missed, alarmed }: CutBounds, i: number, j: number, mu: number, nu: number): number {
  if (i === j) return missed[i] + mu * alarmed[i];
  // positives below u and negatives above l are different cases: together at most all
  const reviewed = nu * Math.min(1, missed[j] + alarmed[i]);
  return (1 - nu) * missed[i] + (mu - nu) * alarmed[j] + reviewed;
}
