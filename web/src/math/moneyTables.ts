/** Windows learned from the sums of some cases and judged on others (demur.comparison.case_rules). */
import { cheapestCuts, type ScoreSums } from "./moneySearch";
import { GapSums, ROW, WIDTH, type Factors } from "./moneySums";
import { decisionAt, type Limits } from "./heldOut";
import { sumsAbove, sumsBelow } from "./masses";
import { below } from "./search";
import { rangeCuts } from "./rangeSearch";
import type { CostPoint } from "./units";
import { CutMasses, limitedSearch, type CutCosts, type RuleLimits } from "./windowSearch";

/** Sums of the cases of every score, [class] negatives first. */
export interface ClassScoreSums {
  cases: [Float64Array, Float64Array];
  miss: [Float64Array, Float64Array];
  alarm: [Float64Array, Float64Array];
  review: [Float64Array, Float64Array];
}

/** Sums per score under a prevalence, ready to search. */
export class LearnedSums implements ScoreSums {
  readonly cases: Float64Array;
  readonly miss: Float64Array;
  readonly alarm: Float64Array;
  readonly review: Float64Array;
  private running: RunningCosts | null = null;
  private readonly masses: () => CutMasses;

  constructor(sums: ClassScoreSums, prevalence: number | null) {
    const weights = classWeights(sums.cases, prevalence);
    const joined = ([negative, positive]: [Float64Array, Float64Array]): Float64Array =>
      negative.map((value, at) => weights[0] * value + weights[1] * positive[at]);
    this.cases = joined(sums.cases);
    this.miss = joined(sums.miss);
    this.alarm = joined(sums.alarm);
    this.review = joined(sums.review);
    let made: CutMasses | null = null;
    this.masses = () => (made ??= new CutMasses(sums.cases[1], sums.cases[0], weights[1], weights[0]));
  }

  cuts(mu: number, nu: number): [i: number, j: number] {
    return cheapestCuts(this, mu, nu);
  }

  cutsWithin(mu: number, nu: number, limits: RuleLimits): [i: number, j: number] | null {
    this.running ??= new RunningCosts(this);
    return limitedSearch(this.masses(), this.running.at(mu, nu), limits, nu < Infinity);
  }

  cutsOver(points: readonly CostPoint[], limits: RuleLimits | null): [i: number, j: number] | null {
    const running = (this.running ??= new RunningCosts(this));
    const mayAbstain = points.every(({ nu }) => nu < Infinity);
    // an infinite price is never paid, and infinity times nothing is no number
    const costs = points.map(({ mu, nu }) => running.at(mu, mayAbstain ? nu : 0));
    return rangeCuts(this.masses(), costs, null, limits, mayAbstain);
  }
}

/** Costs below and above every cut (demur.windows.case_tables.CasePrices). */
export class RunningCosts {
  readonly miss: Float64Array;
  readonly alarm: Float64Array;
  readonly review: Float64Array;

  constructor({ miss, alarm, review }: ScoreSums) {
    this.miss = sumsBelow(miss);
    this.alarm = sumsAbove(alarm);
    this.review = sumsBelow(review);
  }

  at(mu: number, nu: number): CutCosts {
    const { miss, alarm, review } = this;
    return {
      writeSingle: (costs) => miss.forEach((sum, cut) => (costs[cut] = sum + mu * alarm[cut])),
      write: (byStart, byStop) =>
        miss.forEach((sum, cut) => {
          byStart[cut] = sum - nu * review[cut];
          byStop[cut] = nu * review[cut] + mu * alarm[cut];
        }),
      scale: (mayAbstain) =>
        miss[miss.length - 1] + mu * alarm[0] + (mayAbstain ? nu * review[review.length - 1] : 0),
    };
  }
}

/** What a negative and a positive count, so that they add up to all cases in the proportion of the prevalence. */
export function classWeights(
  [negatives, positives]: readonly [Float64Array, Float64Array],
  prevalence: number | null,
): [negative: number, positive: number] {
  if (prevalence === null) return [1, 1];
  const sum = (counts: Float64Array): number => counts.reduce((total, count) => total + count, 0);
  const [n, p] = [sum(negatives), sum(positives)];
  return [((1 - prevalence) * (n + p)) / n, (prevalence * (n + p)) / p];
}

/** The window of one fold's training sums, and its held-out cases in ascending order of position. */
export class MoneyTable {
  private readonly learned: LearnedSums;

  constructor(
    training: ClassScoreSums,
    /** Position of every held-out row; 2g at score g, 2g + 1 on the threshold above it. */
    private readonly places: Float64Array,
    /** Running sums over these rows. */
    private readonly running: Float64Array,
    prevalence: number | null,
  ) {
    this.learned = new LearnedSums(training, prevalence);
  }

  get positions(): number {
    return Math.max(2 * this.learned.cases.length - 1, 0);
  }

  limits(mu: number, nu: number): Limits {
    return this.limitsOf(this.learned.cuts(mu, nu));
  }

  limitsWithin(mu: number, nu: number, limits: RuleLimits): Limits | null {
    const cuts = this.learned.cutsWithin(mu, nu, limits);
    return cuts && this.limitsOf(cuts);
  }

  limitsOver(points: readonly CostPoint[], limits: RuleLimits | null): Limits | null {
    const cuts = this.learned.cutsOver(points, limits);
    return cuts && this.limitsOf(cuts);
  }

  /** What a window means for positions, as in `FoldTable`. */
  private limitsOf([i, j]: readonly [number, number]): Limits {
    const end = this.positions;
    const clip = (position: number): number => Math.min(Math.max(position, 0), end);
    return [clip(i < j ? 2 * i : 2 * i - 1), clip(2 * j - 1)];
  }

  /** Add the held-out cases between two positions to a row of sums. */
  private addBetween(row: Float64Array, from: number, to: number): void {
    const [first, last] = [ROW * below(this.places, from), ROW * below(this.places, to)];
    if (first === last) return;
    for (let c = 0; c < ROW; c++) row[c] += this.running[last + c] - this.running[first + c];
  }

  /** Add the held-out cases by decision: negative, positive, abstain. */
  addDecided(rows: readonly Float64Array[], [first, last]: Limits): void {
    this.addBetween(rows[0], 0, first);
    this.addBetween(rows[2], first, last);
    this.addBetween(rows[1], last, Infinity);
  }

  /** Add the joint sums of two rules of this fold. */
  addJoint(sums: GapSums, one: Limits, two: Limits, factors: Factors, share: number): void {
    const turns = [0, ...one, ...two, Infinity].sort((a, b) => a - b);
    for (let k = 0; k + 1 < turns.length; k++) {
      const [from, to] = [turns[k], turns[k + 1]];
      if (from === to) continue;
      const row = new Float64Array(ROW);
      this.addBetween(row, from, to);
      sums.add(row, decisionAt(from, one), decisionAt(from, two), factors, share);
    }
  }

  /** Sums over all held-out cases. */
  get totals(): Float64Array {
    return this.running.slice(this.running.length - ROW);
  }
}

/** Running sums of rows in order; a cost that is the same for a whole class stays an exact multiple of its cases. */
export function runningSums(rows: readonly Float64Array[], same: readonly (number | null)[][]): Float64Array {
  const running = new Float64Array((rows.length + 1) * ROW);
  rows.forEach((row, at) => {
    for (let c = 0; c < ROW; c++) running[(at + 1) * ROW + c] = running[at * ROW + c] + row[c];
  });
  for (let at = 1; at <= rows.length; at++) {
    for (let kind = 0; kind < 2; kind++) {
      const from = at * ROW + kind * WIDTH;
      exactMultiples(running, from, same[kind]);
    }
  }
  return running;
}

/** Write costs that do not differ, and their products, as multiples. */
function exactMultiples(row: Float64Array, from: number, same: readonly (number | null)[]): void {
  const products = [
    [0, 0, 4],
    [1, 1, 5],
    [2, 2, 6],
    [0, 1, 7],
    [0, 2, 8],
    [1, 2, 9],
  ];
  same.forEach((cost, decision) => {
    if (cost !== null) row[from + 1 + decision] = cost * row[from];
  });
  for (const [a, b, column] of products) {
    const [one, two] = [same[a], same[b]];
    if (one !== null) row[from + column] = one * row[from + 1 + b];
    else if (two !== null) row[from + column] = two * row[from + 1 + a];
  }
}
