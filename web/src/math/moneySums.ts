/** Sums over cases that each have their own costs, by class (demur.comparison.case_estimates). */

/** Columns of a row: cases, then what they cost if called negative, if called positive, if reviewed, then products. */
export const WIDTH = 10;
/** Both classes in one row: negatives first. */
export const ROW = 2 * WIDTH;

/** Column of the cost of a decision (negative, positive, abstain). */
export const COST = [1, 2, 3] as const;
/** Column of the product of the costs of two decisions. */
export const PRODUCT = [
  [4, 7, 8],
  [7, 5, 9],
  [8, 9, 6],
] as const;

/** What all costs of a decision are multiplied by; those of misses are the unit. */
export type Factors = readonly [miss: number, alarm: number, review: number];

/** Add `cases` equal cases to a row. */
export function addCase(row: Float64Array, at: number, cases: number, costs: readonly number[]): void {
  const [miss, alarm, review] = costs;
  row[at] += cases;
  row[at + 1] += cases * miss;
  row[at + 2] += cases * alarm;
  row[at + 3] += cases * review;
  row[at + 4] += cases * miss * miss;
  row[at + 5] += cases * alarm * alarm;
  row[at + 6] += cases * review * review;
  row[at + 7] += cases * miss * alarm;
  row[at + 8] += cases * miss * review;
  row[at + 9] += cases * alarm * review;
}

/** Joint sums of two rules by class and both decisions: element 9 * class + 3 * first + second. */
export class GapSums {
  readonly number = new Float64Array(18);
  readonly gap = new Float64Array(18);
  readonly squares = new Float64Array(18);
  readonly first = new Float64Array(18);
  readonly second = new Float64Array(18);

  /** Add a row of sums over cases on which the rules decide `a` and `b`. */
  add(row: Float64Array, a: number, b: number, factors: Factors, share = 1): void {
    for (let kind = 0; kind < 2; kind++) {
      const [from, at] = [kind * WIDTH, 9 * kind + 3 * a + b];
      if (row[from] === 0) continue;
      const [one, two] = [factors[a] * row[from + COST[a]], factors[b] * row[from + COST[b]]];
      this.number[at] += share * row[from];
      this.gap[at] += share * (one - two);
      this.first[at] += share * one;
      this.second[at] += share * two;
      if (a !== b) this.squares[at] += share * squaredGap(row, from, a, b, factors);
    }
  }
}

function squaredGap(row: ArrayLike<number>, from: number, a: number, b: number, factors: Factors): number {
  const [f, g] = [factors[a], factors[b]];
  const own = f * f * row[from + PRODUCT[a][a]] + g * g * row[from + PRODUCT[b][b]];
  return own - 2 * f * g * row[from + PRODUCT[a][b]];
}

/** Means over all cases of each class, negatives first: what a typical case costs. */
export class ClassMeans {
  constructor(
    /** Sums over all cases. */
    private readonly totals: Float64Array,
  ) {}

  /** Mean cost of a decision. */
  cost(kind: number, decision: number): number {
    return this.totals[kind * WIDTH + COST[decision]] / this.totals[kind * WIDTH];
  }

  squared(kind: number, decision: number): number {
    return this.totals[kind * WIDTH + PRODUCT[decision][decision]] / this.totals[kind * WIDTH];
  }

  squaredGap(kind: number, a: number, b: number, factors: Factors): number {
    return squaredGap(this.totals, kind * WIDTH, a, b, factors) / this.totals[kind * WIDTH];
  }

  /** Root mean square, with the sign of the mean, of an error on a class beyond another decision on it. */
  error(kind: number, factors: Factors, beyond: number | null = null): number {
    // a negative called positive, a positive called negative
    const wrong = kind === 0 ? 1 : 0;
    const own = factors[wrong] * this.cost(kind, wrong);
    if (beyond === null) return Math.sqrt(factors[wrong] ** 2 * this.squared(kind, wrong));
    const size = Math.sqrt(Math.max(0, this.squaredGap(kind, wrong, beyond, factors)));
    return own - factors[beyond] * this.cost(kind, beyond) < 0 ? -size : size;
  }
}

/** What some rule pays by class and decision, element 3 * class + decision; misses are the unit. */
export interface Bill {
  cases: Float64Array;
  paid: Float64Array;
  /** At least those of as many cases of the class: large amounts are seldom among few cases. */
  squares: Float64Array;
}

/** Sums by class and decision as a bill. */
export function billOf(sums: Float64Array[], means: ClassMeans): Bill {
  const [cases, paid, squares] = [new Float64Array(6), new Float64Array(6), new Float64Array(6)];
  sums.forEach((row, decision) => {
    for (let kind = 0; kind < 2; kind++) {
      const [from, at] = [kind * WIDTH, 3 * kind + decision];
      cases[at] = row[from];
      paid[at] = row[from + COST[decision]];
      const typical = row[from] * means.squared(kind, decision);
      const larger = largerThan(paid[at] / Math.max(row[from], 1e-300), means.cost(kind, decision));
      squares[at] = Math.max(row[from + PRODUCT[decision][decision]], typical * larger);
    }
  });
  return { cases, paid, squares };
}

/** How much larger squares must be where amounts are; rounding must not make equal amounts larger. */
function largerThan(here: number, usual: number): number {
  const ratio = usual > 0 ? here / usual : 1;
  return ratio > 1 + 1e-9 ? ratio ** 2 : 1;
}

/** The squares of joint sums, at least those of as many cases of the class. */
export function waryGaps(sums: GapSums, means: ClassMeans, factors: Factors): GapSums {
  for (let at = 0; at < 18; at++) {
    const [kind, a, b] = [Math.floor(at / 9), Math.floor((at % 9) / 3), at % 3];
    const number = Math.max(sums.number[at], 1e-300);
    const [one, two] = [factors[a] * means.cost(kind, a), factors[b] * means.cost(kind, b)];
    const larger = Math.max(largerThan(sums.first[at] / number, one), largerThan(sums.second[at] / number, two));
    const typical = a === b ? 0 : means.squaredGap(kind, a, b, factors);
    sums.squares[at] = Math.max(sums.squares[at], sums.number[at] * typical * larger);
  }
  return sums;
}
