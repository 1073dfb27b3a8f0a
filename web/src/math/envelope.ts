/** Cost curves of Drummond and Holte (demur.cost_curves). */
import type { BlockCounts, Totals, ReportData } from "../data";
import { below } from "./search";
import { sumsAbove, sumsBelow } from "./masses";
import { evidenceOf } from "./evidence";

/** PC(+): prevalence and costs in one number between 0 and 1; null where nothing can go wrong. */
export function probabilityCost(prevalence: number, mu: number): number | null {
  const misses = prevalence;
  const alarms = (1 - prevalence) * mu;
  return misses + alarms === 0 ? null : misses / (misses + alarms);
}

/** Where a cost (a miss costs 1) stands on the axis of a cost curve: relative to the worst possible one. */
export function normalizedCost(cost: number, prevalence: number, mu: number): number {
  return cost / (prevalence + (1 - prevalence) * mu);
}

/** Lower envelope sum_b min(x p_b, (1 - x) n_b) over the thresholds of one model. */
export class Envelope {
  private readonly ratios: Float64Array;
  private readonly missed: Float64Array;
  private readonly alarmed: Float64Array;

  constructor(blocks: BlockCounts, totals: Totals) {
    const p = blocks.positives.map((count) => count / totals.n_positive);
    const n = blocks.negatives.map((count) => count / totals.n_negative);
    const ratio = p.map((share, b) => share / (share + n[b]));
    // ascending up to rounding
    const order = ratio.map((_, b) => b).sort((a, b) => ratio[a] - ratio[b] || a - b);
    this.ratios = Float64Array.from(order, (b) => ratio[b]);
    this.missed = sumsBelow(order.map((b) => p[b]));
    this.alarmed = sumsAbove(order.map((b) => n[b]));
  }

  /** Number of blocks called negative at an operating point; ties go to positive. */
  private cut(pc: number): number {
    return below(this.ratios, 1 - pc);
  }

  /** Smallest normalised expected cost without abstaining at an operating point. */
  cost(pc: number): number {
    const cut = this.cut(pc);
    return pc * this.missed[cut] + (1 - pc) * this.alarmed[cut];
  }

  /** Corners from (0, 0) to (1, 0), ascending. */
  vertices(): [pc: number, cost: number][] {
    const turns = Array.from(this.ratios, (ratio) => 1 - ratio).filter((pc) => pc > 0 && pc < 1);
    const distinct = [...new Set([0, ...turns, 1])].sort((a, b) => a - b);
    return distinct.map((pc) => [pc, this.cost(pc)]);
  }
}

/** The envelope of a model; null if a class is missing, for its error rate does not exist. */
export function envelopeOf(blocks: BlockCounts, totals: Totals): Envelope | null {
  return totals.n_positive && totals.n_negative ? new Envelope(blocks, totals) : null;
}

/** Element c: rates when the first c blocks are not called positive, from (1, 1) down to (0, 0). */
export interface Hull {
  fpr: Float64Array;
  tpr: Float64Array;
}

/** A window (i, j) has its two ends at the elements i and j; null if a class is missing. */
export function rocHull(blocks: BlockCounts): Hull | null {
  const [negatives, positives] = [sumsAbove(blocks.negatives), sumsAbove(blocks.positives)];
  if (!negatives[0] || !positives[0]) return null;
  return {
    fpr: negatives.map((sum) => sum / negatives[0]),
    tpr: positives.map((sum) => sum / positives[0]),
  };
}

export class Curves {
  readonly envelopes: readonly (Envelope | null)[];
  readonly hulls: readonly (Hull | null)[];

  constructor(report: ReportData) {
    // amounts have no normal form with two parameters, and their windows cut anywhere on the ROC curve
    const byCase = report.amounts !== null;
    this.envelopes = report.models.map(({ blocks }) => (byCase ? null : envelopeOf(blocks, report)));
    this.hulls = (byCase ? evidenceOf(report).fine : report.models).map(({ blocks }) => rocHull(blocks));
  }
}
