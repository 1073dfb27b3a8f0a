/** A rule that no case of the data chose, such as the one in use today: what it decides, and at which costs it is right. */
import type { ModelData, ReportData } from "../data";
import type { Rows } from "./rows";
import { ABSTAINED, type OutcomeTable } from "./trivial";
import type { Surface } from "./surface";
import type { CostPoint, Surcharge } from "./units";

/** Negative up to `lower`, positive from `upper` up; equal thresholds leave nothing to a person. */
export interface FixedRule {
  /** Place of the model whose scores it looks at. */
  model: number;
  lower: number;
  upper: number;
}

/** 0 (negative), 1 (positive) or 2 (to a person). */
export function decisionOf({ lower, upper }: Pick<FixedRule, "lower" | "upper">, score: number): number {
  if (score >= upper) return 1;
  return score <= lower ? 0 : lower === upper ? 0 : ABSTAINED;
}

/** What it decides on every case. */
export function fixedDecisions(rule: FixedRule, { scores, ranks }: Rows): Uint8Array {
  return Uint8Array.from(ranks[rule.model], (rank) => decisionOf(rule, scores[rule.model][rank]));
}

/** Cases by class and decision at the nearest thresholds of the ROC curve that the page holds. */
export function nearestOutcomes(rule: FixedRule, { n_positive, n_negative }: ReportData, { roc }: ModelData): OutcomeTable {
  const { fpr, tpr, thresholds } = roc;
  const nearest = (score: number): number => {
    let best = 0;
    thresholds.forEach((value, k) => {
      if (Math.abs(value - score) < Math.abs(thresholds[best] - score) || !Number.isFinite(thresholds[best])) best = k;
    });
    return best;
  };
  const [from, upTo] = [nearest(rule.upper), nearest(rule.lower)];
  const side = (n: number, rate: number[]): number[] => {
    const called = n * rate[from];
    const undecided = rule.lower === rule.upper ? 0 : n * Math.max(0, rate[upTo] - rate[from]);
    return [n - called - undecided, called, undecided];
  };
  return Float64Array.from([...side(n_negative, fpr), ...side(n_positive, tpr)]);
}

/** Shares of positives between which a threshold lies: of the blocks beside it, or of the one it cuts. */
function sharesBeside(
  { shares }: Surface,
  { lower, upper }: { lower: number[]; upper: number[] },
  score: number,
  included: boolean,
): [below: number, above: number] {
  let cut = 0;
  while (cut < shares.length && (included ? upper[cut] <= score : upper[cut] < score)) cut++;
  const inside = cut < shares.length && (included ? lower[cut] <= score : lower[cut] < score);
  return inside ? [shares[cut], shares[cut]] : [shares[cut - 1] ?? 0, shares[cut] ?? 1];
}

/** Costs at which windows begin and end at these shares of positives (the borders of math/masses, solved for the costs). */
function costsAtShares(low: number, high: number, { positive, negative, alarms }: Surcharge): CostPoint {
  const gap = positive - negative;
  const scale = 1 - high - alarms * (low - high);
  const mu = scale > 0 ? (low * (1 - gap) + high * gap) / scale : Infinity;
  const paid = Number.isFinite(mu) ? alarms * mu * (1 - low) : 0;
  return { mu, nu: Math.max(0, low * (1 - gap) - negative - paid) };
}

/** The relative costs from and to which a fixed rule is the cheapest; reviews are null where it leaves none to a person. */
export function rightCosts(
  rule: FixedRule,
  surface: Surface,
  blocks: { lower: number[]; upper: number[] },
): { mu: [number, number]; nu: [number, number] | null; leastReview: number } {
  const upper = sharesBeside(surface, blocks, rule.upper, false);
  if (rule.lower === rule.upper) {
    const [from, to] = upper.map((share) => (share < 1 ? share / (1 - share) : Infinity));
    return { mu: [from, to], nu: null, leastReview: upper[0] };
  }
  const lower = sharesBeside(surface, blocks, rule.lower, true);
  // a quadrangle of costs, said by the ranges it lies in
  const corners = lower.flatMap((low) => upper.map((high) => costsAtShares(low, high, surface.extra)));
  const range = (values: number[]): [number, number] => [Math.min(...values), Math.max(...values)];
  return { mu: range(corners.map(({ mu }) => mu)), nu: range(corners.map(({ nu }) => nu)), leastReview: 0 };
}
