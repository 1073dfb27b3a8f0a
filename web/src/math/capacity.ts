/** Cheapest window under a limit on the abstentions (demur.constrained_windows.cheapest_window). */
import type { Totals } from "../data";
import { sumsBelow } from "./masses";
import { below } from "./search";
import type { Scored, Surface, Window } from "./surface";

/** Sums of weights that differ by less, relative to the total, count as equal. */
const TIE = 64 * Number.EPSILON;

/**
 * Searches the cuts between blocks, all the page holds: a limit can make a cut inside a block
 * cheaper still, so `demur decide --max-abstention` may find a slightly cheaper window.
 */
export class Capacity {
  private readonly p: Float64Array;
  private readonly q: Float64Array;
  private readonly mass: Float64Array;

  constructor(
    model: Scored,
    totals: Totals,
    prevalence: number | null,
    private readonly surface: Surface,
  ) {
    const [toPositive, toNegative] = scale(totals, prevalence);
    // scaling after the sums keeps whole-number counts exact
    this.p = sumsBelow(model.blocks.positives).map((sum) => sum * toPositive);
    this.q = sumsBelow(model.blocks.negatives).map((sum) => sum * toNegative);
    this.mass = this.p.map((sum, cut) => sum + this.q[cut]);
  }

  /** Cheapest window that abstains on at most this share of the cases; ties as for all windows. */
  cheapest(mu: number, nu: number, maxAbstention: number): Window {
    const [i, j] = this.cuts(mu, nu, maxAbstention);
    return this.surface.windowAt(i, j, mu, nu);
  }

  /** The cost is a term of i plus a term of j, and the limit asks for i >= first(j): a moving minimum. */
  private cuts(mu: number, nu: number, maxAbstention: number): [number, number] {
    const { p, q, mass } = this;
    const total = mass[mass.length - 1];
    const allowed = maxAbstention * total + TIE * total;
    const never = nu === Infinity;
    const price = never ? 0 : nu;
    const start = p.map((sum, cut) => (1 - price) * sum - price * q[cut]);
    const slack = TIE * (1 + mu + 2 * price) * total;
    const begins = start.map((_, j) => j);
    if (!never) movingMinimum(start, (j) => below(mass, mass[j] - allowed), slack, begins);
    const costs = begins.map((i, j) => price * p[j] + (price - mu) * q[j] + start[i]);
    const least = costs.reduce((a, b) => Math.min(a, b)) + slack;
    const ends = [...costs.keys()].filter((j) => costs[j] <= least);
    const fewest = ends.reduce((a, j) => Math.min(a, mass[j] - mass[begins[j]]), Infinity) + slack;
    const tied = ends.filter((j) => mass[j] - mass[begins[j]] <= fewest);
    const pick = tied.reduce((best, j) => (begins[j] < begins[best] ? j : best));
    return [begins[pick], pick];
  }
}

/** Factors of the classes, 1 and 1 for the sample's own prevalence. */
function scale(totals: Totals, prevalence: number | null): [number, number] {
  if (prevalence === null) return [1, 1];
  const n = totals.n_positive + totals.n_negative;
  return [
    totals.n_positive ? (prevalence * n) / totals.n_positive : 0,
    totals.n_negative ? ((1 - prevalence) * n) / totals.n_negative : 0,
  ];
}

/** Index of the smallest value in first(j)..j for every j, the last of ties; a queue of rising values. */
function movingMinimum(
  values: Float64Array,
  first: (j: number) => number,
  slack: number,
  found: Float64Array,
): void {
  const queue: number[] = [];
  let head = 0;
  for (let j = 0; j < values.length; j++) {
    while (queue.length > head && values[queue[queue.length - 1]] >= values[j]) queue.pop();
    queue.push(j);
    while (queue[head] < first(j)) head++;
    let at = head;
    while (at + 1 < queue.length && values[queue[at + 1]] <= values[queue[head]] + slack) at++;
    found[j] = queue[at];
  }
}
