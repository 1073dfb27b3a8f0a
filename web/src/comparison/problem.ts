/** What is asked: costs and prevalence with their ranges, limits, what the choice minimises (demur.comparison.problem). */
import { reviewCosts, type Costs } from "../math/units";
import type { ClassPrices, RuleLimits } from "../math/windowSearch";

export type Ends = readonly [low: number, high: number];

/** Costs and prevalence known as ranges; null where they are numbers. */
export interface Ranges {
  fn: Ends | null;
  fp: Ends | null;
  abstain: Ends | null;
  prevalence: Ends | null;
}

/** One point of the box of costs and prevalence; where every case has its own costs, factors on them. */
export interface Scenario {
  costs: Costs;
  /** Null: that of the data. */
  prevalence: number | null;
}

/** The point in the middle of the ranges, and what surrounds it. */
export interface Problem extends Scenario {
  ranges: Ranges | null;
  objective: "expected" | "regret" | "worst";
  limits: RuleLimits | null;
  /** Whether every case has its own costs. */
  byCase: boolean;
}

export function mayAbstain({ costs }: Scenario): boolean {
  return Number.isFinite(reviewCosts(costs)[0]);
}

export function neverAbstaining<T extends Scenario>(scenario: T): T {
  const { byClass: _, rates: __, ...rest } = scenario.costs;
  return { ...scenario, costs: { ...rest, abstain: Infinity } };
}

export function middleOf([low, high]: Ends): number {
  return low + (high - low) / 2;
}

/** The corners of the box; the point itself without ranges. */
export function cornersOf({ costs, prevalence, ranges }: Problem): Scenario[] {
  if (ranges === null) return [{ costs, prevalence }];
  const ends = (range: Ends | null, own: number | null): (number | null)[] =>
    range === null ? [own] : range[0] === range[1] ? [range[0]] : [...range];
  const reviews = Number.isFinite(costs.abstain) ? ends(ranges.abstain, costs.abstain) : [costs.abstain];
  return ends(ranges.fn, costs.fn).flatMap((fn) =>
    ends(ranges.fp, costs.fp).flatMap((fp) =>
      reviews.flatMap((abstain) =>
        ends(ranges.prevalence, prevalence).map((rate) => ({
          costs: { ...costs, fn: fn!, fp: fp!, abstain: abstain! },
          prevalence: rate,
        })),
      ),
    ),
  );
}

/** The same problem asked at one point of its box alone. */
export function problemAt(problem: Problem, scenario: Scenario): Problem {
  return { ...problem, ...scenario, ranges: null, objective: "expected" };
}

/** What reviews cost by class; none is cheaper than a right answer. */
function reviewsOf(costs: Costs): [negative: number, positive: number] {
  const [positive, negative] = reviewCosts(costs);
  return [Math.max(negative, costs.tn ?? 0), Math.max(positive, costs.tp ?? 0)];
}

/** Losses by class (negative, positive) and action (negative, positive, abstain); infinite reviews are never paid. */
export function lossTable({ costs }: Scenario): number[][] {
  const { fn, fp, tp = 0, tn = 0 } = costs;
  const [negative, positive] = reviewsOf(costs).map((price) => (Number.isFinite(price) ? price : 0));
  return [
    [tn, fp, negative],
    [fn, tp, positive],
  ];
}

/** Factors on the costs of cases called negative, called positive and reviewed. */
export function factorsOf({ costs: { fn, fp, abstain } }: Scenario): readonly [number, number, number] {
  return [fn, fp, Number.isFinite(abstain) ? abstain : 0];
}

/** What masses made under a prevalence cost at a point, beyond right answers. */
export function pricesOf({ costs, prevalence }: Scenario, base: number | null): ClassPrices {
  const { fn, fp, tp = 0, tn = 0 } = costs;
  const [negative, positive] = reviewsOf(costs);
  const [toNegative, toPositive] =
    base === null || prevalence === null || base === 0 || base === 1 ? [1, 1] : [(1 - prevalence) / (1 - base), prevalence / base];
  const priced = (price: number, factor: number): number => (Number.isFinite(price) ? price * factor : Infinity);
  return {
    miss: (fn - tp) * toPositive,
    alarm: (fp - tn) * toNegative,
    positive: priced(positive - tp, toPositive),
    negative: priced(negative - tn, toNegative),
    rightPositive: tp * toPositive,
    rightNegative: tn * toNegative,
  };
}

/** Shares of the classes in use; null for those of the data. */
export function sharesOf({ prevalence }: Scenario): readonly [negative: number, positive: number] | null {
  return prevalence === null ? null : [1 - prevalence, prevalence];
}
