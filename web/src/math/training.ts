/** The window that some cases ask for: by pooled blocks, or by a search among all their scores (demur.comparison.window_learner). */
import { cornersOf, factorsOf, mayAbstain, neverAbstaining, pricesOf, type Problem, type Scenario } from "../comparison/problem";
import { blockCuts, blockShares, scaled, sumsAbove, sumsBelow } from "./masses";
import { cheapestCuts, type ScoreSums } from "./moneySearch";
import { rangeCuts } from "./rangeSearch";
import { normalForm, surchargeOf } from "./units";
import { ClassCutCosts, CutMasses, type CutCosts, type RuleLimits, type Scale } from "./windowSearch";

/** A column per class, negatives first. */
export type ByClass = readonly [negative: Float64Array, positive: Float64Array];

/** What the cases of every score cost under each decision, where every case has its own costs. */
export interface PaidSums {
  miss: ByClass;
  alarm: ByClass;
  review: ByClass;
}

/** Pooled blocks; block b ends before group `ends[b + 1]`. */
export interface Pooled {
  negatives: Float64Array;
  positives: Float64Array;
  ends: Int32Array;
}

/** What a rule of a model is to be: its kind, and the problem it is the window of. */
export interface Aim {
  kind: "threshold" | "window";
  problem: Problem;
  points: readonly Scenario[];
  /** Factors on the masses at which limits must hold. */
  scales: readonly Scale[];
  limits: RuleLimits;
  /** Whether the cheapest window at one point is asked for, which lies between pooled blocks. */
  free: boolean;
}

/** The single threshold of a problem and, where abstaining has a price, its window. */
export function aimsOf(problem: Problem, forward = false): Aim[] {
  const aim = (kind: Aim["kind"], asked: Problem): Aim => {
    const { limits, ranges, prevalence, byCase } = asked;
    const points = ranges === null ? [asked] : cornersOf(asked);
    const rates = ranges?.prevalence ?? null;
    const single = points.length === 1;
    const free = limits === null && single && !byCase && !forward;
    const { maxAbstention: _, ...others } = limits ?? {};
    return {
      kind,
      problem: asked,
      points,
      // who never abstains keeps every limit on abstentions
      limits: kind === "threshold" ? others : (limits ?? {}),
      scales: rates === null || prevalence === null ? [[1, 1]] : [prevalence, ...rates].map((rate) => scaleOf(rate, prevalence)),
      free,
    };
  };
  const never = aim("threshold", neverAbstaining(problem));
  return mayAbstain(problem) ? [never, aim("window", problem)] : [never];
}

function scaleOf(rate: number, base: number): Scale {
  return base === 0 || base === 1 ? [1, 1] : [rate / base, (1 - rate) / (1 - base)];
}

/** Some cases by ascending score, or group of scores. */
export class Training {
  private known: { prevalence: number | null; weights: readonly [number, number] } | null = null;
  private shares: Float64Array | null = null;
  private cuts_: CutMasses | null = null;
  private sums: ScoreSums | null = null;

  constructor(
    readonly cases: ByClass,
    readonly paid: PaidSums | null,
    private readonly pooled: Pooled | null,
  ) {}

  /** Number of groups. */
  get size(): number {
    return this.cases[0].length;
  }

  /** Take the cases at a prevalence; null: their own. */
  private at(prevalence: number | null): readonly [negative: number, positive: number] {
    if (this.known === null || this.known.prevalence !== prevalence) {
      this.known = { prevalence, weights: classFactors(this.cases, prevalence) };
      [this.shares, this.cuts_, this.sums] = [null, null, null];
    }
    return this.known.weights;
  }

  /** Shares of positives in the pooled blocks. */
  blockShares(prevalence: number | null): Float64Array {
    const [negative, positive] = this.at(prevalence);
    const { negatives, positives } = this.pooled!;
    return (this.shares ??= blockShares(scaled(positives, positive), scaled(negatives, negative)));
  }

  /** Groups before every cut between blocks. */
  get blockEnds(): Int32Array {
    return this.pooled!.ends;
  }

  private masses(prevalence: number | null): CutMasses {
    const [negative, positive] = this.at(prevalence);
    return (this.cuts_ ??= new CutMasses(this.cases[1], this.cases[0], positive, negative));
  }

  /** Costs per group, all cases together. */
  private costSums(prevalence: number | null): ScoreSums {
    const [negative, positive] = this.at(prevalence);
    const joined = ([one, two]: ByClass): Float64Array => one.map((value, at) => negative * value + positive * two[at]);
    const { miss, alarm, review } = this.paid!;
    return (this.sums ??= { cases: joined(this.cases), miss: joined(miss), alarm: joined(alarm), review: joined(review) });
  }

  /** Groups called negative, and called negative or abstained on; null where the limits allow no window. */
  cuts({ problem, points, limits, scales, free }: Aim): readonly [i: number, j: number] | null {
    const { prevalence, costs } = problem;
    if (free && this.pooled !== null) {
      const { mu, nu } = normalForm(costs);
      const [i, j] = blockCuts(this.blockShares(prevalence), mu, nu, surchargeOf(costs));
      return [this.blockEnds[i], this.blockEnds[j]];
    }
    if (this.paid !== null && points.length === 1 && problem.limits === null) {
      const [miss, alarm, review] = factorsOf(problem);
      const nu = mayAbstain(problem) ? review / miss : Infinity;
      return cheapestCuts(this.costSums(prevalence), alarm / miss, nu);
    }
    const masses = this.masses(prevalence);
    const prices = this.paid === null ? points.map((point) => pricesOf(point, prevalence)) : null;
    const windows = prices?.map((one) => new ClassCutCosts(masses, one)) ?? points.map((point) => this.caseCosts(point));
    return rangeCuts(masses, windows, prices, masses.within(limits, scales), mayAbstain(problem), problem.objective !== "worst");
  }

  /** Costs below and above every cut at factors on what the cases cost. */
  private caseCosts(point: Scenario): CutCosts {
    const [negative, positive] = classFactors(this.cases, point.prevalence);
    const joined = ([one, two]: ByClass): Float64Array => one.map((value, at) => negative * value + positive * two[at]);
    const { miss, alarm, review } = this.paid!;
    const factors = factorsOf(point);
    const [missed, reviewed] = [sumsBelow(joined(miss)), sumsBelow(joined(review))].map((sums, k) => sums.map((sum) => sum * factors[2 * k]));
    const alarmed = sumsAbove(joined(alarm)).map((sum) => sum * factors[1]);
    return {
      writeSingle: (costs) => missed.forEach((sum, cut) => (costs[cut] = sum + alarmed[cut])),
      write: (byStart, byStop) =>
        missed.forEach((sum, cut) => {
          byStart[cut] = sum - reviewed[cut];
          byStop[cut] = reviewed[cut] + alarmed[cut];
        }),
      scale: (reviews) => missed[missed.length - 1] + alarmed[0] + (reviews ? reviewed[reviewed.length - 1] : 0),
      base: 0,
    };
  }
}

/** Factors under which the cases of a class weigh as the prevalence says; all cases together weigh as before. */
export function classFactors([negatives, positives]: ByClass, prevalence: number | null): readonly [negative: number, positive: number] {
  if (prevalence === null) return [1, 1];
  const [n, p] = [negatives, positives].map((counts) => counts.reduce((total, count) => total + count, 0));
  return [n ? ((1 - prevalence) * (n + p)) / n : 0, p ? (prevalence * (n + p)) / p : 0];
}
