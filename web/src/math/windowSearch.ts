/** Cheapest window under limits, exact over all pairs of cuts (demur.windows.search). */
import { sumsAbove, sumsBelow } from "./masses";
import { below } from "./search";
import { NO_SURCHARGE, reviewsAt, type Surcharge } from "./units";

/** Sums that differ by less, relative to their size, count as equal. */
export const TIE = 64 * Number.EPSILON;

/** What every rule must keep; a limit left out does not bind. */
export interface RuleLimits {
  maxAbstention?: number;
  minPrecisionPositive?: number;
  minPrecisionNegative?: number;
  maxFnRate?: number;
}

/** The limits as Python and the JSON call them. */
export const LIMIT_NAMES: Record<keyof RuleLimits, string> = {
  maxAbstention: "max_abstention",
  minPrecisionPositive: "min_precision_positive",
  minPrecisionNegative: "min_precision_negative",
  maxFnRate: "max_fn_rate",
};

/** The limits that are set, by Python's names. */
export function namedLimits(limits: RuleLimits | null): [name: string, value: number][] {
  if (limits === null) return [];
  const own = Object.keys(LIMIT_NAMES) as (keyof RuleLimits)[];
  return own.filter((key) => limits[key] !== undefined).map((key) => [LIMIT_NAMES[key], limits[key]!]);
}

export function sameLimits(one: RuleLimits, two: RuleLimits): boolean {
  return (
    one === two ||
    (alike(one.maxAbstention, two.maxAbstention) &&
      alike(one.minPrecisionPositive, two.minPrecisionPositive) &&
      alike(one.minPrecisionNegative, two.minPrecisionNegative) &&
      alike(one.maxFnRate, two.maxFnRate))
  );
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
  private allowed: Allowed | null = null;

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

  /** Limits stay while costs are dragged: what they allow is found once. */
  within(limits: RuleLimits): Allowed {
    if (this.allowed === null || !sameLimits(this.allowed.limits, limits)) this.allowed = allowedCuts(this, limits);
    return this.allowed;
  }
}

/** Windows (i, j) with starts[i] and stops[j], both 1, and i >= first[j]. */
export interface Allowed {
  limits: RuleLimits;
  starts: Uint8Array;
  stops: Uint8Array;
  first: Int32Array;
}

function allowedCuts(masses: CutMasses, limits: RuleLimits): Allowed {
  const { positiveBelow: p, negativeBelow: q, negativeAbove, below: mass, size } = masses;
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
  return { limits, starts, stops, first };
}

/** What windows cost, as a term of i plus a term of j, and a size by which rounding is judged. */
export interface CutCosts {
  /** Write the cost of the empty window at every cut. */
  writeSingle(costs: Float64Array): void;
  /** Write the two terms for every cut. */
  write(byStart: Float64Array, byStop: Float64Array): void;
  scale(mayAbstain: boolean): number;
}

/** Costs by class at relative prices; `reviews` of a positive and of a negative. */
export class ClassCutCosts implements CutCosts {
  constructor(
    private readonly masses: CutMasses,
    private readonly mu: number,
    private readonly reviews: readonly [positive: number, negative: number],
  ) {}

  writeSingle(costs: Float64Array): void {
    const { mu } = this;
    const { positiveBelow: p, negativeAbove, size } = this.masses;
    for (let cut = 0; cut < size; cut++) costs[cut] = p[cut] + mu * negativeAbove[cut];
  }

  write(byStart: Float64Array, byStop: Float64Array): void {
    const { mu } = this;
    const [positive, negative] = this.reviews;
    const { positiveBelow: p, negativeBelow: q, negativeAbove, size } = this.masses;
    const kept = 1 - positive;
    for (let cut = 0; cut < size; cut++) {
      const reviewed = negative * q[cut];
      byStart[cut] = kept * p[cut] - reviewed;
      byStop[cut] = positive * p[cut] + reviewed + mu * negativeAbove[cut];
    }
  }

  scale(mayAbstain: boolean): number {
    const { positiveBelow: p, negativeBelow: q, size } = this.masses;
    const [positive, negative] = mayAbstain ? this.reviews : [0, 0];
    return (1 + positive) * p[size - 1] + (this.mu + negative) * q[size - 1];
  }
}

/**
 * The cheapest window (i, j) under limits; null if they allow none. Of several the one that abstains
 * least, then the smaller j. The cost is a term of i plus a term of j, and every limit concerns i
 * alone, j alone, or asks for i >= first[j]: one pass with a moving minimum.
 */
export function limitedCuts(
  masses: CutMasses,
  mu: number,
  nu: number,
  limits: RuleLimits,
  extra: Surcharge = NO_SURCHARGE,
): [i: number, j: number] | null {
  return limitedSearch(masses, new ClassCutCosts(masses, mu, reviewsAt(mu, nu, extra)), limits, nu < Infinity);
}

/** The same search for any costs of that form. */
export function limitedSearch(
  masses: CutMasses,
  costs: CutCosts,
  limits: RuleLimits,
  mayAbstain: boolean,
): [i: number, j: number] | null {
  return mayAbstain ? cheapestWindow(masses, costs, limits) : cheapestThreshold(masses, costs, limits);
}

function cheapestThreshold(masses: CutMasses, costs: CutCosts, limits: RuleLimits): [number, number] | null {
  const { starts, stops } = masses.within(limits);
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

function cheapestWindow(masses: CutMasses, windows: CutCosts, limits: RuleLimits): [number, number] | null {
  const { below: mass, size } = masses;
  const { starts, stops, first } = masses.within(limits);
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
