/** Upper bounds of the true cost that hold for every sample size (demur.honest.certified_cuts). */
import type { BlockCounts, BoundsData, StepBounds } from "../data";
import { sumsAbove, sumsBelow } from "../math/masses";
import { below } from "../math/search";

/** Bounds of F (positives below a cut) and T (negatives above it), as shares of all cases. */
interface RateBounds {
  missed: ArrayLike<number>;
  alarmed: ArrayLike<number>;
}

export interface CutBounds {
  upper: RateBounds;
  bothUpper: RateBounds;
  bothLower: RateBounds;
}

/** Bounds at every cut; with a known prevalence the classes are two samples. */
export function cutBounds(bounds: BoundsData, blocks: BlockCounts, prevalence: number | null): CutBounds {
  const counts = { missed: sumsBelow(blocks.positives), alarmed: sumsAbove(blocks.negatives) };
  const sides = [
    { side: "missed", steps: bounds.positive, share: prevalence },
    { side: "alarmed", steps: bounds.negative, share: prevalence === null ? null : 1 - prevalence },
  ] as const;
  const column = (kind: "upper" | "both_upper" | "both_lower"): RateBounds => {
    const [missed, alarmed] = sides.map(({ side, steps, share }) => {
      // nothing lies beyond an infinite threshold: the share there is 0 for sure
      const nothing = side === "missed" ? 0 : counts[side].length - 1;
      return shares(share === null ? bounds.all : steps, kind, counts[side], share ?? 1, nothing);
    });
    return { missed, alarmed };
  };
  return { upper: column("upper"), bothUpper: column("both_upper"), bothLower: column("both_lower") };
}

function shares(
  steps: StepBounds,
  kind: "upper" | "both_upper" | "both_lower",
  found: Float64Array,
  share: number,
  nothing: number,
): Float64Array {
  const counts = Float64Array.from(steps.counts);
  // without bounds from below nothing is certain but 0, and those from above need not share
  const column = kind === "both_lower" ? steps[kind] : (steps[kind] ?? steps.upper);
  const bounded = found.map((count) => (column === null ? 0 : share * column[below(counts, count)]));
  bounded[nothing] = 0;
  return bounded;
}

/** Guaranteed cost of the window (i, j) of blocks; a miss costs 1. */
export function guaranteedCost(bounds: CutBounds, i: number, j: number, mu: number, nu: number): number {
  const { missed, alarmed } = bounds.upper;
  if (i === j) return missed[i] + mu * alarmed[i];
  const [onMissed, onAlarmed] = [1 - nu, mu - nu];
  if (onMissed >= 0 && onAlarmed >= 0) {
    return onMissed * missed[i] + onAlarmed * alarmed[j] + nu * atMostAll(missed[j], alarmed[i]);
  }
  // under a limit a window may abstain where an error would be cheaper: few errors are then bad news
  const { bothUpper: high, bothLower: low } = bounds;
  const decided = onMissed * (onMissed < 0 ? low : high).missed[i] + onAlarmed * (onAlarmed < 0 ? low : high).alarmed[j];
  return decided + nu * atMostAll(high.missed[j], high.alarmed[i]);
}

/** Positives below u and negatives above l are different cases. */
function atMostAll(positives: number, negatives: number): number {
  return Math.min(1, positives + negatives);
}
