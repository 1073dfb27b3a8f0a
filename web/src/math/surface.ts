/** The abstention cost surface of one model: cheapest window and its cost at any costs, exactly. */
import type { BlockCounts, ModelData, Totals } from "../data";
import type { Problem } from "../comparison/problem";
import { assumedPrevalence, blockCuts, blockShares, classWeights, scaled, sumsAbove, sumsBelow } from "./masses";
import { aimsOf, type Training } from "./training";
import { trivialCosts, type TrivialRule } from "./trivial";
import { normalForm, NO_SURCHARGE, reviewsAt, type Surcharge } from "./units";
import type { RuleLimits } from "./windowSearch";

/** A window: blocks < i negative, i..j-1 abstained on, >= j positive; shares of all cases. */
export interface Window {
  i: number;
  j: number;
  /** Thresholds: negative if score <= lower, positive if score >= upper. */
  lower: number;
  upper: number;
  /** Expected cost per case, a miss costs 1. */
  cost: number;
  fn: number;
  fp: number;
  abstain: number;
  abstainPositive: number;
  abstainNegative: number;
  tp: number;
  tn: number;
}

/** What a surface needs of a model. */
export type Scored = Pick<ModelData, "cuts"> & { blocks: BlockCounts };

/** k(mu, nu) = sum over blocks of min(P, mu N, cost of reviews), by prefix sums in O(log blocks). */
export class Surface {
  readonly prevalence: number;
  readonly shares: Float64Array;
  readonly positiveMass: Float64Array;
  readonly negativeMass: Float64Array;
  readonly positiveBelow: Float64Array;
  readonly negativeBelow: Float64Array;
  readonly positiveAbove: Float64Array;
  readonly negativeAbove: Float64Array;
  readonly lower: Float64Array;
  readonly upper: Float64Array;

  constructor(
    readonly model: Scored,
    totals: Totals,
    /** Null: that of the data. */
    protected readonly rate: number | null,
    /** What reviews cost beyond nu. */
    readonly extra: Surcharge = NO_SURCHARGE,
    /** The cases windows under limits are searched among; null where nothing is searched. */
    readonly training: Training | null = null,
  ) {
    const prevalence = rate;
    const weights = classWeights(totals, prevalence);
    this.prevalence = assumedPrevalence(totals, prevalence);
    this.positiveMass = scaled(model.blocks.positives, weights.positive);
    this.negativeMass = scaled(model.blocks.negatives, weights.negative);
    this.shares = blockShares(this.positiveMass, this.negativeMass);
    this.positiveBelow = sumsBelow(this.positiveMass);
    this.negativeBelow = sumsBelow(this.negativeMass);
    this.positiveAbove = sumsAbove(this.positiveMass);
    this.negativeAbove = sumsAbove(this.negativeMass);
    this.lower = Float64Array.from(model.cuts.lower);
    this.upper = Float64Array.from(model.cuts.upper);
  }

  /** Number of blocks. */
  get size(): number {
    return this.shares.length;
  }

  /** Smallest expected cost; a miss costs 1. */
  cost(mu: number, nu: number): number {
    const [i, j] = this.cuts(mu, nu);
    return this.costOf(i, j, mu, nu);
  }

  /** The cheapest window: of several the least abstention, then the most positives. */
  window(mu: number, nu: number): Window {
    const [i, j] = this.cuts(mu, nu);
    return this.windowAt(i, j, mu, nu);
  }

  /** What the rules without a model cost. */
  trivial(mu: number, nu: number): Record<TrivialRule, number> {
    return trivialCosts(this.prevalence, mu, nu, this.extra);
  }

  /** Cuts of the cheapest window. */
  cuts(mu: number, nu: number): [i: number, j: number] {
    return blockCuts(this.shares, mu, nu, this.extra);
  }

  /** Cuts of the cheapest window under limits; null where they allow none. */
  limitedCuts(mu: number, nu: number, limits: RuleLimits): [i: number, j: number] | null {
    const found = this.training!.cuts(aimsOf(this.problemAt(mu, nu, limits)).at(-1)!);
    return found && [found[0], found[1]];
  }

  /** What is asked at a point. */
  protected problemAt(mu: number, nu: number, limits: RuleLimits | null, byCase = false): Problem {
    const [positive, negative] = reviewsAt(mu, nu, this.extra);
    const costs = { fn: 1, fp: mu, abstain: nu, ...(positive === negative ? {} : { byClass: [positive, negative] as const }) };
    return { costs, prevalence: this.rate, ranges: null, objective: "expected", limits, byCase };
  }

  /** The window of some cuts among the groups of the training cases, at the costs of a problem. */
  windowOf([i, j]: readonly [number, number], { costs }: Problem): Window {
    const { mu, nu } = normalForm(costs);
    if (!this.pooled) return this.windowAt(i, j, mu, nu);
    const ends = this.training!.blockEnds;
    return this.windowAt(ends.indexOf(i), ends.indexOf(j), mu, nu);
  }

  /** Whether its cuts lie between pooled blocks of the training cases. */
  get pooled(): boolean {
    return this.training !== null && this.training.paid === null && this.size === this.training.blockEnds.length - 1;
  }

  /** The cut without abstaining. */
  neverAbstaining(mu: number): Window {
    return this.window(mu, Infinity);
  }

  /** Expected cost of any window at any costs. */
  costOf(i: number, j: number, mu: number, nu: number): number {
    const errors = this.positiveBelow[i] + mu * this.negativeAbove[j];
    // an empty window must cost nothing, also beside an infinite nu
    if (i === j) return errors;
    const [positive, negative] = reviewsAt(mu, nu, this.extra);
    return errors + (positive * this.keptPositive(i, j) + negative * this.keptNegative(i, j));
  }

  /** Describe the window of two cuts. */
  windowAt(i: number, j: number, mu: number, nu: number): Window {
    const abstainPositive = this.keptPositive(i, j);
    const abstainNegative = this.keptNegative(i, j);
    return {
      i,
      j,
      lower: this.lower[i],
      upper: this.upper[j],
      cost: this.costOf(i, j, mu, nu),
      fn: this.positiveBelow[i],
      fp: this.negativeAbove[j],
      abstain: abstainPositive + abstainNegative,
      abstainPositive,
      abstainNegative,
      tp: this.positiveAbove[j],
      tn: this.negativeBelow[i],
    };
  }

  private keptPositive(i: number, j: number): number {
    return this.positiveBelow[j] - this.positiveBelow[i];
  }

  private keptNegative(i: number, j: number): number {
    return this.negativeBelow[j] - this.negativeBelow[i];
  }
}
