/** Costs of rules where every case has its own: sums of what was paid (demur.comparison.case_estimates). */
import { differenceInterval, honestInterval, lossSums, meanAndError, type Ends, type LossSums } from "../math/intervals";
import type { GapPair } from "../math/moneyModel";
import type { Bill, ClassMeans, Factors, GapSums } from "../math/moneySums";
import type { OutcomeTable } from "../math/outcomes";

/** Cost per case. */
export function billCost(bill: Bill, factors: Factors, prevalence: number | null): number {
  return meanAndError(billSums(bill, factors, [0, 0]), prevalence)[0];
}

/** Honest cost with its interval for the true cost of the rule in use. */
export function billEstimate(
  [honest, hindsight]: readonly [Bill, Bill],
  means: ClassMeans,
  factors: Factors,
  level: number,
  prevalence: number | null,
): { cost: number; interval: Ends; hindsight: number } {
  const worst = [means.error(0, factors), means.error(1, factors)] as const;
  const sums = [hindsight, honest].map((bill) => billSums(bill, factors, worst));
  const [low, high] = honestInterval(sums[0], sums[1], level, prevalence);
  const cost = billCost(honest, factors, prevalence);
  return {
    cost,
    // a rule without risk has no interval but its cost, however the sums were rounded
    interval: [Math.min(Math.max(low, 0), cost), Math.max(high, cost)],
    hindsight: billCost(hindsight, factors, prevalence),
  };
}

/** Interval of the difference of two rules, paired case by case. */
export function gapInterval(
  [honest, hindsight]: GapPair,
  means: ClassMeans,
  factors: Factors,
  level: number,
  prevalence: number | null,
): Ends {
  const sums = [hindsight, honest].map((gaps) => {
    // each rule may err where it makes the call at all
    const [misses, alarms] = [0, 1].map((decision) => callsOf(gaps.number, decision));
    return {
      sums: classSums(gaps.number, (at) => gaps.gap[at], (at) => gaps.squares[at]),
      extraPositive: misses * means.error(1, factors) ** 2,
      extraNegative: alarms * means.error(0, factors) ** 2,
    };
  });
  return differenceInterval(sums[0], sums[1], level, prevalence);
}

/** Interval of the cost of a rule beyond that of one decision for all cases. */
export function constantInterval(
  [honest, hindsight]: GapPair,
  means: ClassMeans,
  factors: Factors,
  code: number,
  level: number,
  prevalence: number | null,
): Ends {
  const worst = [means.error(0, factors, code), means.error(1, factors, code)] as const;
  const sums = [hindsight, honest].map((gaps) => {
    const column = (values: Float64Array): Float64Array =>
      Float64Array.from({ length: 6 }, (_, at) => values[9 * Math.floor(at / 3) + 3 * (at % 3) + code]);
    return lossesOf(column(gaps.number), column(gaps.gap), column(gaps.squares), worst);
  });
  return honestInterval(sums[0], sums[1], level, prevalence);
}

function billSums({ cases, paid, squares }: Bill, factors: Factors, worst: readonly [number, number]): LossSums {
  return lossesOf(
    cases,
    paid.map((sum, at) => sum * factors[at % 3]),
    squares.map((sum, at) => sum * factors[at % 3] ** 2),
    worst,
  );
}

/** Sums of losses by class; what a rule decides at all is read from the numbers of cases. */
function lossesOf(
  cases: OutcomeTable,
  paid: Float64Array,
  squares: Float64Array,
  worst: readonly [negative: number, positive: number],
): LossSums {
  const counted = lossSums(cases, { miss: 0, alarm: 0, abstainPositive: 0, abstainNegative: 0 });
  const sum = (values: Float64Array, kind: number): number =>
    values[3 * kind] + values[3 * kind + 1] + values[3 * kind + 2];
  const [negative, positive] = [0, 1].map((kind) => ({
    total: sum(paid, kind),
    squares: sum(squares, kind),
    worst: worst[kind],
  }));
  return { positive: { ...counted.positive, ...positive }, negative: { ...counted.negative, ...negative } };
}

function classSums(
  number: Float64Array,
  gap: (at: number) => number,
  squares: (at: number) => number,
): LossSums {
  const [negative, positive] = [0, 9].map((from) => {
    const sum = (value: (at: number) => number): number => {
      let total = 0;
      for (let at = from; at < from + 9; at++) total += value(at);
      return total;
    };
    return { n: sum((at) => number[at]), total: sum(gap), squares: sum(squares), worst: 0, risk: 1, decided: 1 };
  });
  return { positive, negative };
}

/** How many of the two rules, as a share of a case at most, make a call. */
function callsOf(number: GapSums["number"], decision: number): number {
  let [first, second] = [0, 0];
  for (let at = 0; at < 18; at++) {
    if (Math.floor((at % 9) / 3) === decision) first += number[at];
    if (at % 3 === decision) second += number[at];
  }
  return Math.min(first, 1) + Math.min(second, 1);
}
