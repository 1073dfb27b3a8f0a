/** Upper bounds of the true cost that hold for every sample size (demur.honest.certified_cuts). */
import type { BlockCounts, BoundsData, StepBounds } from "../data";
import { sumsAbove, sumsBelow } from "../math/masses";
import { below } from "../math/search";
import { money, reviewCosts, reviewsAt, type Costs, type Surcharge } from "../math/units";

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

/** Relative costs of a false alarm and of abstaining on either class. */
interface RelativeCosts {
  mu: number;
  positive: number;
  negative: number;
}

/** Whether bounds from above suffice: no weight of an error or a review is negative. */
function oneSided({ mu, positive, negative }: RelativeCosts): boolean {
  return positive >= 0 && negative >= 0 && positive <= 1 && negative <= mu;
}

/**
 * Guaranteed cost of the window (i, j) of blocks in the reader's unit. The normal form leaves out what
 * right answers cost, which depends on the unknown prevalence; with the larger cost for both classes it
 * does not, so the smaller of two bounds is taken (demur.honest.certificates).
 */
export function guaranteedMoney(
  bounds: CutBounds,
  [i, j]: readonly [i: number, j: number],
  about: { mu: number; nu: number; extra: Surcharge; costs: Costs; prevalence: number | null },
): number {
  const { mu, nu, extra, costs, prevalence } = about;
  const [positive, negative] = reviewsAt(mu, nu, extra);
  const relative = { mu, positive, negative };
  const { tp = 0, tn = 0 } = costs;
  const levelled = prevalence === null && tp !== tn ? levelledCosts(costs) : null;
  const all = levelled === null ? [relative] : [relative, levelled];
  // under a limit a window may abstain where an error would be cheaper: few errors are then bad news
  const both = i !== j && !all.every(oneSided);
  const bound = guaranteedCost(bounds, i, j, relative, both);
  if (prevalence !== null || tp === tn) return money(bound, costs, prevalence ?? 0);
  const { missed, alarmed } = both ? bounds.bothUpper : bounds.upper;
  // the prevalence is at most the bound of all positives, and at least what all negatives leave
  const rate = tp >= tn ? missed[missed.length - 1] : Math.max(0, 1 - alarmed[0]);
  const normal = money(bound, costs, rate);
  if (levelled === null) return normal;
  const right = Math.max(tp, tn);
  return Math.min(normal, right + (costs.fn - right) * guaranteedCost(bounds, i, j, levelled, both));
}

/** Normal form with the larger cost of a right answer for both classes, where it is one. */
function levelledCosts(costs: Costs): RelativeCosts | null {
  const right = Math.max(costs.tp ?? 0, costs.tn ?? 0);
  const unit = costs.fn - right;
  if (unit <= 0 || costs.fp < right) return null;
  const [positive, negative] = reviewCosts(costs);
  return { mu: (costs.fp - right) / unit, positive: (positive - right) / unit, negative: (negative - right) / unit };
}

/** Guaranteed cost where a miss costs 1; `both` where bounds from below are needed as well. */
export function guaranteedCost(bounds: CutBounds, i: number, j: number, costs: RelativeCosts, both: boolean): number {
  const { mu, positive, negative } = costs;
  const [high, low] = both ? [bounds.bothUpper, bounds.bothLower] : [bounds.upper, bounds.bothLower];
  if (i === j) return high.missed[i] + mu * high.alarmed[i];
  const term = (weight: number, side: "missed" | "alarmed", cut: number): number =>
    weight * (weight < 0 ? low : high)[side][cut];
  const decided = term(1 - positive, "missed", i) + term(mu - negative, "alarmed", j);
  const reviewed = term(positive, "missed", j) + term(negative, "alarmed", i);
  // positives below u and negatives above l are different cases: where there are too many, the cheaper class fills the rest
  const cheaper = Math.min(positive, negative);
  const all = cheaper + (positive - cheaper) * high.missed[j] + (negative - cheaper) * high.alarmed[i];
  return decided + (cheaper >= 0 ? Math.min(reviewed, all) : reviewed);
}
