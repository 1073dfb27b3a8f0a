/** Rules learned from some cases and judged on others (demur.held_out). */
import type { FoldData, Totals } from "../data";
import { blockCuts, blockShares, classWeights, scaled, sumsBelow } from "./masses";

/** Cases with each costly outcome. */
export type Outcomes = { fn: number; fp: number; abstainPositive: number; abstainNegative: number };

/**
 * The windows of one fold's training blocks, and the held-out cases by position: 2b inside block b,
 * 2b + 1 on the threshold above it, where an empty window calls positive and others follow `lower`.
 */
export class FoldTable {
  private readonly shares: Float64Array;
  private readonly positives: Float64Array;
  private readonly negatives: Float64Array;

  constructor(fold: FoldData, prevalence: number | null) {
    const weights = classWeights(totalsOf(fold), prevalence);
    this.shares = blockShares(
      scaled(fold.positives, weights.positive),
      scaled(fold.negatives, weights.negative),
    );
    this.positives = sumsBelow(fold.held_positives);
    this.negatives = sumsBelow(fold.held_negatives);
  }

  /** Add the outcomes of the held-out cases at (mu, nu). */
  addTo(found: Outcomes, mu: number, nu: number): void {
    const { positives, negatives } = this;
    const [i, j] = blockCuts(this.shares, mu, nu);
    const end = positives.length - 1;
    const first = clip(i < j ? 2 * i : 2 * i - 1, end);
    const last = clip(2 * j - 1, end);
    found.fn += positives[first];
    found.fp += negatives[end] - negatives[last];
    found.abstainPositive += positives[last] - positives[first];
    found.abstainNegative += negatives[last] - negatives[first];
  }
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

function clip(position: number, end: number): number {
  return Math.min(Math.max(position, 0), end);
}
