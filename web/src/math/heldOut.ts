/** Rules learned from some cases and judged on others (demur.honest.held_out). */
import type { FoldData, Totals } from "../data";
import { blockCuts, blockShares, scaled, sumsBelow } from "./masses";
import { classRangeCuts } from "./rangeSearch";
import { NO_SURCHARGE, type CostPoint, type Surcharge } from "./units";
import { CutMasses, limitedCuts, type RuleLimits } from "./windowSearch";
import { ABSTAINED, type JointTable, type OutcomeTable } from "./outcomes";

/** Positions below the first are called negative, from the second on positive. */
export type Limits = readonly [first: number, last: number];

/**
 * The windows of one fold's training blocks, and the held-out cases by position: 2b inside block b,
 * 2b + 1 on the threshold above it, where an empty window calls positive and others follow `lower`.
 */
export class FoldTable {
  readonly shares: Float64Array;
  private readonly factors: readonly [number, number];
  private searched: CutMasses | null = null;
  /** Element x: cases of the class among the first x positions. */
  readonly positives: Float64Array;
  readonly negatives: Float64Array;

  constructor(
    private readonly fold: FoldData,
    prevalence: number | null,
    readonly extra: Surcharge = NO_SURCHARGE,
  ) {
    this.factors = prevalence === null ? [1, 1] : classFactors(totalsOf(fold), prevalence);
    const [toPositive, toNegative] = this.factors;
    this.shares = blockShares(scaled(fold.positives, toPositive), scaled(fold.negatives, toNegative));
    this.positives = sumsBelow(fold.held_positives);
    this.negatives = sumsBelow(fold.held_negatives);
  }

  get positions(): number {
    return this.positives.length - 1;
  }

  /** What the rule of this fold does at (mu, nu). */
  limits(mu: number, nu: number): Limits {
    const [i, j] = blockCuts(this.shares, mu, nu, this.extra);
    return this.limitsOf(i, j);
  }

  /** What the rule of this fold does under limits; null where they allow none. */
  limitsWithin(mu: number, nu: number, limits: RuleLimits): Limits | null {
    this.searched ??= new CutMasses(this.fold.positives, this.fold.negatives, ...this.factors);
    const cuts = limitedCuts(this.searched, mu, nu, limits, this.extra);
    return cuts && this.limitsOf(...cuts);
  }

  /** What the rule of least regret over several cost points does; null where limits allow none. */
  limitsOver(points: readonly CostPoint[], limits: RuleLimits | null): Limits | null {
    this.searched ??= new CutMasses(this.fold.positives, this.fold.negatives, ...this.factors);
    const cuts = classRangeCuts(this.searched, points, limits, this.extra);
    return cuts && this.limitsOf(...cuts);
  }

  /** What a window of blocks means for positions. */
  limitsOf(i: number, j: number): Limits {
    const end = this.positions;
    return [clip(i < j ? 2 * i : 2 * i - 1, end), clip(2 * j - 1, end)];
  }

  /** Add the outcomes of the held-out cases. */
  addOutcomes(table: OutcomeTable, [first, last]: Limits): void {
    const end = this.positions;
    [this.negatives, this.positives].forEach((below, row) => {
      table[3 * row] += below[first];
      table[3 * row + 1] += below[end] - below[last];
      table[3 * row + ABSTAINED] += below[last] - below[first];
    });
  }

  /** Add the joint outcomes of two rules of this fold. */
  addJoint(joint: JointTable, one: Limits, two: Limits): void {
    const turns = [0, ...one, ...two, this.positions].sort((a, b) => a - b);
    for (let k = 0; k + 1 < turns.length; k++) {
      const [from, to] = [turns[k], turns[k + 1]];
      if (from === to) continue;
      const at = 3 * decisionAt(from, one) + decisionAt(from, two);
      joint[at] += this.negatives[to] - this.negatives[from];
      joint[9 + at] += this.positives[to] - this.positives[from];
    }
  }
}

/** What a rule decides at a position. */
export function decisionAt(position: number, limits: Limits): number {
  if (position < limits[0]) return 0;
  return position >= limits[1] ? 1 : ABSTAINED;
}

/** All cases as one fold that is judged by its own windows: "with hindsight". */
export function ownFold(blocks: { positives: number[]; negatives: number[] }): FoldData {
  return {
    positives: blocks.positives,
    negatives: blocks.negatives,
    held_positives: spread(blocks.positives),
    held_negatives: spread(blocks.negatives),
  };
}

/** No training case lies on a threshold, so odd positions stay empty. */
function spread(counts: number[]): number[] {
  return Array.from({ length: 2 * counts.length - 1 }, (_, at) => (at % 2 ? 0 : counts[at / 2]));
}

function totalsOf(fold: FoldData): Totals {
  const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
  return { n_positive: sum(fold.positives), n_negative: sum(fold.negatives) };
}

function classFactors({ n_positive, n_negative }: Totals, prevalence: number): [number, number] {
  return [n_positive ? prevalence / n_positive : 0, n_negative ? (1 - prevalence) / n_negative : 0];
}

function clip(position: number, end: number): number {
  return Math.min(Math.max(position, 0), end);
}
