/** Cheapest window under limits, exact over all pairs of cuts (demur.windows.search). */
import { sumsAbove, sumsBelow } from "./masses";
import { below } from "./search";

/** Sums that differ by less, relative to their size, count as equal. */
export const TIE = 64 * Number.EPSILON;

/** What every rule must keep; a limit left out does not bind. */
export interface RuleLimits {
  maxAbstention?: number;
  minPrecisionPositive?: number;
  minPrecisionNegative?: number;
  maxFnRate?: number;
}

/** A limit: what Python and the JSON call it, and how an answer says it; {} is the share. */
interface Limit {
  name: string;
  words: string;
}

/** All limits, in the order of Python's `Limits`; `allowedCuts` keeps them. */
export const LIMITS: Record<keyof RuleLimits, Limit> = {
  maxAbstention: { name: "max_abstention", words: "at most {} of the cases sent to a person" },
  minPrecisionPositive: { name: "min_precision_positive", words: "at least {} of the positive decisions right" },
  minPrecisionNegative: { name: "min_precision_negative", words: "at least {} of the negative decisions right" },
  maxFnRate: { name: "max_fn_rate", words: "at most {} of the positives missed" },
};
const KEYS = Object.keys(LIMITS) as (keyof RuleLimits)[];

/** The limits that are set, with their values. */
export function limitsGiven(limits: RuleLimits | null): [limit: Limit, value: number][] {
  return limits === null ? [] : KEYS.filter((key) => limits[key] !== undefined).map((key) => [LIMITS[key], limits[key]!]);
}

export function sameLimits(one: RuleLimits, two: RuleLimits): boolean {
  return one === two || KEYS.every((key) => alike(one[key], two[key]));
}

/** A share that came as reviews per case may be off by rounding. */
function alike(one: number | undefined, two: number | undefined): boolean {
  return one === two || (one !== undefined && two !== undefined && Math.abs(one - two) <= 1e-15);
}

/** Masses of the cases below and above every cut, and which cuts limits allow. */
export class CutMasses {
  readonly positiveBelow: Float64Array;
  readonly negativeBelow: Float64Array;
  readonly negativeAbove: Float64Array;
  /** Of both classes. */
  readonly below: Float64Array;
  /** By limits: those of the last threshold and window. */
  private readonly allowed = new Map<string, Allowed>();

  constructor(positives: ArrayLike<number>, negatives: ArrayLike<number>, toPositive: number, toNegative: number) {
    // scaling after the sums keeps whole-number counts exact
    this.positiveBelow = sumsBelow(positives).map((sum) => sum * toPositive);
    this.negativeBelow = sumsBelow(negatives).map((sum) => sum * toNegative);
    this.negativeAbove = sumsAbove(negatives).map((sum) => sum * toNegative);
    this.below = this.positiveBelow.map((sum, cut) => sum + this.negativeBelow[cut]);
  }

  /** Number of cuts. */
  get size(): number {
    return this.below.length;
  }

  /**
   * The windows that keep the limits at every one of some prevalences, each given by the factors on both classes.
   * Limits stay while costs are dragged: what they allow is found once.
   */
  within(limits: RuleLimits, scales: readonly Scale[] = AS_IT_IS): Allowed {
    const key = JSON.stringify([limits, scales]);
    let found = this.allowed.get(key);
    if (found === undefined) {
      if (this.allowed.size > 1) this.allowed.clear();
      found = scales.map((scale) => allowedCuts(this, limits, scale)).reduce(both);
      this.allowed.set(key, found);
    }
    return found;
  }
}

/** Factors on the masses of positives and negatives. */
export type Scale = readonly [toPositive: number, toNegative: number];
const AS_IT_IS: readonly Scale[] = [[1, 1]];

/** Windows (i, j) with starts[i] and stops[j], both 1, and i >= first[j]. */
export interface Allowed {
  starts: Uint8Array;
  stops: Uint8Array;
  first: Int32Array;
}

/** The windows that two sets of limits allow together. */
function both(one: Allowed, two: Allowed): Allowed {
  return {
    starts: one.starts.map((allowed, cut) => allowed & two.starts[cut]),
    stops: one.stops.map((allowed, cut) => allowed & two.stops[cut]),
    first: one.first.map((cut, stop) => Math.max(cut, two.first[stop])),
  };
}

function allowedCuts(masses: CutMasses, limits: RuleLimits, [toPositive, toNegative]: Scale): Allowed {
  const scaled = (sums: Float64Array, factor: number): Float64Array => (factor === 1 ? sums : sums.map((sum) => sum * factor));
  const [p, q] = [scaled(masses.positiveBelow, toPositive), scaled(masses.negativeBelow, toNegative)];
  const negativeAbove = scaled(masses.negativeAbove, toNegative);
  const { size } = masses;
  const mass = toPositive === 1 && toNegative === 1 ? masses.below : p.map((sum, cut) => sum + q[cut]);
  const { maxAbstention = 1, minPrecisionPositive = 0, minPrecisionNegative = 0, maxFnRate = 1 } = limits;
  const [positive, total] = [p[size - 1], mass[size - 1]];
  const rounding = TIE * total;
  const [starts, stops, first] = [new Uint8Array(size), new Uint8Array(size), new Int32Array(size)];
  for (let cut = 0; cut < size; cut++) {
    const right = positive - p[cut];
    const precise = q[cut] - minPrecisionNegative * (q[cut] + p[cut]) >= -rounding;
    // the precision of the negatives and the misses depend on i alone, that of the positives on j alone
    starts[cut] = Number(precise && p[cut] <= maxFnRate * positive + TIE * positive);
    stops[cut] = Number(right - minPrecisionPositive * (right + negativeAbove[cut]) >= -rounding);
    if (maxAbstention < 1) first[cut] = below(mass, mass[cut] - maxAbstention * total - rounding);
  }
  return { starts, stops, first };
}

/** Whether one decision for all cases keeps the limits at a share `rate` of positives: 0 and 1 are classes, other codes abstain. */
export function constantKeeps(decision: number, rate: number, limits: RuleLimits): boolean {
  // all cases as if they had one score: the rules without a model are its windows
  const { starts, stops, first } = allowedCuts(new CutMasses([rate], [1 - rate], 1, 1), limits, [1, 1]);
  const [i, j] = [Number(decision === 0), Number(decision !== 1)];
  return starts[i] === 1 && stops[j] === 1 && i >= first[j];
}

/** What windows cost, as a term of i plus a term of j, and a size by which rounding is judged. */
export interface CutCosts {
  /** Write the cost of the empty window at every cut. */
  writeSingle(costs: Float64Array): void;
  /** Write the two terms for every cut. */
  write(byStart: Float64Array, byStop: Float64Array): void;
  scale(mayAbstain: boolean): number;
  /** What right answers to all cases cost, where the terms leave it out. */
  readonly base: number;
}

/** What one unit of mass costs beyond a right answer: a miss, a false alarm, a review by class; and right answers. */
export interface ClassPrices {
  miss: number;
  alarm: number;
  positive: number;
  negative: number;
  rightPositive: number;
  rightNegative: number;
}

/** Costs by class. */
export class ClassCutCosts implements CutCosts {
  constructor(
    private readonly masses: CutMasses,
    private readonly prices: ClassPrices,
  ) {}

  writeSingle(costs: Float64Array): void {
    const { miss, alarm } = this.prices;
    const { positiveBelow: p, negativeAbove, size } = this.masses;
    for (let cut = 0; cut < size; cut++) costs[cut] = miss * p[cut] + alarm * negativeAbove[cut];
  }

  write(byStart: Float64Array, byStop: Float64Array): void {
    const { miss, alarm, positive, negative } = this.prices;
    const { positiveBelow: p, negativeBelow: q, negativeAbove, size } = this.masses;
    const kept = miss - positive;
    for (let cut = 0; cut < size; cut++) {
      const reviewed = negative * q[cut];
      byStart[cut] = kept * p[cut] - reviewed;
      byStop[cut] = positive * p[cut] + reviewed + alarm * negativeAbove[cut];
    }
  }

  scale(mayAbstain: boolean): number {
    const { miss, alarm } = this.prices;
    const { positiveBelow: p, negativeBelow: q, size } = this.masses;
    const [positive, negative] = mayAbstain ? [this.prices.positive, this.prices.negative] : [0, 0];
    return (miss + positive) * p[size - 1] + (alarm + negative) * q[size - 1];
  }

  get base(): number {
    const { positiveBelow: p, negativeBelow: q, size } = this.masses;
    return this.prices.rightPositive * p[size - 1] + this.prices.rightNegative * q[size - 1];
  }
}

/**
 * The cheapest window (i, j) among those allowed; null if there is none. Of several the one that abstains
 * least, then the smaller j. The cost is a term of i plus a term of j, and every limit concerns i
 * alone, j alone, or asks for i >= first[j]: one pass with a moving minimum.
 */
export function limitedSearch(
  masses: CutMasses,
  costs: CutCosts,
  allowed: Allowed,
  mayAbstain: boolean,
): [i: number, j: number] | null {
  return mayAbstain ? cheapestWindow(masses, costs, allowed) : cheapestThreshold(masses, costs, allowed);
}

function cheapestThreshold(masses: CutMasses, costs: CutCosts, { starts, stops }: Allowed): [number, number] | null {
  const { size } = masses;
  const { starting: single } = roomFor(size);
  costs.writeSingle(single);
  const slack = TIE * costs.scale(false);
  let least = Infinity;
  for (let cut = 0; cut < size; cut++) {
    if (starts[cut] & stops[cut]) least = Math.min(least, single[cut]);
  }
  for (let cut = 0; cut < size; cut++) {
    if (starts[cut] & stops[cut] && single[cut] <= least + slack) return [cut, cut];
  }
  return null;
}

/** Room for one search, used again by the next: many folds are searched in every step of a drag. */
let room = emptyRoom(0);

function emptyRoom(size: number) {
  const column = (): Float64Array => new Float64Array(size);
  return {
    costs: column(),
    values: column(),
    starting: column(),
    stopping: column(),
    begins: new Int32Array(size),
    queue: new Int32Array(size),
  };
}

function roomFor(size: number): typeof room {
  if (room.costs.length < size) room = emptyRoom(2 * size);
  return room;
}

function cheapestWindow(masses: CutMasses, windows: CutCosts, { starts, stops, first }: Allowed): [number, number] | null {
  const { below: mass, size } = masses;
  const { costs, begins, queue, values, starting, stopping } = roomFor(size);
  windows.write(starting, stopping);
  const slack = TIE * windows.scale(true);
  let least = Infinity;
  let head = 0;
  let tail = 0;
  for (let j = 0; j < size; j++) {
    const start = starts[j] ? starting[j] : Infinity;
    // the queue holds positions with rising values; its head is the smallest from first[j] on
    while (tail > head && values[tail - 1] >= start) tail--;
    values[tail] = start;
    queue[tail++] = j;
    while (queue[head] < first[j]) head++;
    let at = head;
    const tied = values[head] + slack;
    while (at + 1 < tail && values[at + 1] <= tied) at++;
    begins[j] = queue[at];
    const cost = stops[j] ? stopping[j] + values[at] : Infinity;
    costs[j] = cost;
    if (cost < least) least = cost;
  }
  if (least === Infinity) return null;
  const most = least + slack;
  let fewest = Infinity;
  for (let j = 0; j < size; j++) {
    if (costs[j] <= most) fewest = Math.min(fewest, mass[j] - mass[begins[j]]);
  }
  fewest += TIE * mass[size - 1];
  let j = 0;
  while (costs[j] > most || mass[j] - mass[begins[j]] > fewest) j++;
  return [begins[j], j];
}
