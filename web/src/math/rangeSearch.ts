/**
 * One window for several cost points: the smallest of the largest excess over the cheapest window at each
 * point, exactly (demur.windows.range_search). With A_c(i) + B_c(j) the cost of window (i, j) at point c,
 *
 *     min over i <= j of max over c of [A_c(i) + B_c(j) - floor_c].
 *
 * Cuts that another one beats at every point are dropped; pairs of the rest are compared by blocks.
 */
import { limitedSearch, TIE, type Allowed, type ClassPrices, type CutCosts, type CutMasses } from "./windowSearch";

/** Starts per block, whose smallest costs bound those of all its windows. */
const BLOCK = 16;

/**
 * The cuts of the window of least regret, or of the smallest worst cost; null if none is allowed. Of several the one
 * that abstains least, then the smaller j, then the larger i. `prices` are null where every case has its own costs.
 */
export function rangeCuts(
  masses: CutMasses,
  points: readonly CutCosts[],
  prices: readonly ClassPrices[] | null,
  allowed: Allowed,
  mayAbstain: boolean,
  regret: boolean,
): [i: number, j: number] | null {
  if (points.length === 1) return limitedSearch(masses, points[0], allowed, mayAbstain);
  const slack = TIE * Math.max(...points.map((point) => point.scale(mayAbstain)));
  const kept = prices === null ? keptByCase(masses, points, allowed) : keptByClass(masses, prices, allowed, slack, mayAbstain);
  const candidates = new Candidates(masses, points, allowed, mayAbstain ? kept : { ...kept, starts: [], stops: [] }, regret);
  return candidates.leastExcess(slack);
}

interface Kept {
  starts: number[];
  stops: number[];
  empty: number[];
}

class Candidates {
  private readonly starts: number[];
  private readonly stops: number[];
  private readonly empty: number[];
  /** Element c: costs at point c; of stops and empty windows beyond the cheapest window there. */
  private readonly byStart: Float64Array[];
  private readonly byStop: Float64Array[];
  private readonly byEmpty: Float64Array[];
  /** Starts from[y] .. to[y] - 1 may go with stop y. */
  private readonly from: Int32Array;
  private readonly to: Int32Array;
  private readonly blocks: Float64Array[];

  constructor(private readonly masses: CutMasses, points: readonly CutCosts[], allowed: Allowed, kept: Kept, regret: boolean) {
    const { size } = masses;
    this.starts = kept.starts.filter((cut) => cut < size - 1);
    this.stops = kept.stops.filter((cut) => cut > 0);
    this.empty = kept.empty;
    const [starting, stopping, single] = [0, 0, 0].map(() => new Float64Array(size));
    const pick = (values: Float64Array, cuts: number[]): Float64Array => {
      const picked = new Float64Array(cuts.length);
      for (let at = 0; at < cuts.length; at++) picked[at] = values[cuts[at]];
      return picked;
    };
    [this.byStart, this.byStop, this.byEmpty] = [[], [], []];
    for (const point of points) {
      if (this.starts.length) point.write(starting, stopping);
      point.writeSingle(single);
      this.byStart.push(pick(starting, this.starts));
      this.byStop.push(pick(stopping, this.stops));
      this.byEmpty.push(pick(single, this.empty));
    }
    [this.from, this.to] = [new Int32Array(this.stops.length), new Int32Array(this.stops.length)];
    let [from, to] = [0, 0];
    this.stops.forEach((stop, y) => {
      while (from < this.starts.length && this.starts[from] < allowed.first[stop]) from++;
      while (to < this.starts.length && this.starts[to] < stop) to++;
      [this.from[y], this.to[y]] = [from, to];
    });
    this.blocks = this.byStart.map(blockMinima);
    // the worst cost counts what right answers cost, which may differ between the points
    points.forEach((point, c) => this.subtract(c, regret ? this.floor(c) : -point.base));
  }

  private subtract(c: number, floor: number): void {
    for (const costs of [this.byStop[c], this.byEmpty[c]]) for (let at = 0; at < costs.length; at++) costs[at] -= floor;
  }

  /** The cost of the cheapest window at a point. */
  private floor(c: number): number {
    const [start, stop, empty] = [this.byStart[c], this.byStop[c], this.byEmpty[c]];
    let floor = Infinity;
    for (const cost of empty) floor = Math.min(floor, cost);
    // both ends of the range of starts rise: a queue holds the smallest ahead
    const queue: number[] = [];
    let [head, added] = [0, 0];
    for (let y = 0; y < stop.length; y++) {
      for (; added < this.to[y]; added++) {
        while (queue.length > head && start[queue[queue.length - 1]] >= start[added]) queue.pop();
        queue.push(added);
      }
      while (head < queue.length && queue[head] < this.from[y]) head++;
      if (head < queue.length) floor = Math.min(floor, stop[y] + start[queue[head]]);
    }
    return floor;
  }

  leastExcess(slack: number): [i: number, j: number] | null {
    let least = Infinity;
    for (let at = 0; at < this.empty.length; at++) least = Math.min(least, largest(this.byEmpty, at));
    least = this.visit(least, null);
    if (least === Infinity) return null;
    const within = least + slack;
    // an empty window abstains least, and the smallest cut calls most cases positive
    const simple = this.empty.findIndex((_, at) => largest(this.byEmpty, at) <= within);
    if (simple >= 0) return [this.empty[simple], this.empty[simple]];
    const ties: [i: number, j: number][] = [];
    this.visit(within, ties);
    return this.leastAbstaining(ties);
  }

  private leastAbstaining(ties: [i: number, j: number][]): [i: number, j: number] {
    const { below, size } = this.masses;
    const abstained = ties.map(([i, j]) => below[j] - below[i]);
    const most = abstained.reduce((least, share) => Math.min(least, share), Infinity) + TIE * below[size - 1];
    return ties.filter((_, at) => abstained[at] <= most).sort(([a, b], [c, d]) => b - d || c - a)[0];
  }

  /** The least regret of windows i < j below a limit, or, with a list, all of them up to the limit. */
  private visit(limit: number, ties: [i: number, j: number][] | null): number {
    const { byStart, byStop, blocks, from, to, starts, stops } = this;
    const corners = byStart.length;
    const here = new Float64Array(corners);
    for (let y = 0; y < stops.length; y++) {
      for (let c = 0; c < corners; c++) here[c] = byStop[c][y];
      let x = from[y];
      while (x < to[y]) {
        const block = Math.floor(x / BLOCK);
        const end = Math.min((block + 1) * BLOCK, to[y]);
        let bound = -Infinity;
        for (let c = 0; c < corners; c++) {
          const least = blocks[c][block] + here[c];
          if (least > bound) bound = least;
        }
        if (bound > limit) {
          x = end;
          continue;
        }
        for (; x < end; x++) {
          let value = -Infinity;
          for (let c = 0; c < corners; c++) {
            const excess = byStart[c][x] + here[c];
            if (excess > value) value = excess;
          }
          if (ties === null) {
            if (value < limit) limit = value;
          } else if (value <= limit) ties.push([starts[x], stops[y]]);
        }
      }
    }
    return limit;
  }
}

function largest(rows: readonly Float64Array[], at: number): number {
  let value = -Infinity;
  for (const row of rows) if (row[at] > value) value = row[at];
  return value;
}

function blockMinima(values: Float64Array): Float64Array {
  const minima = new Float64Array(Math.ceil(values.length / BLOCK)).fill(Infinity);
  for (let at = 0; at < values.length; at++) {
    const block = Math.floor(at / BLOCK);
    if (values[at] < minima[block]) minima[block] = values[at];
  }
  return minima;
}

// ---------------------------------------------------------------- cuts that cannot be optimal

/** Where every case has its own costs a cut goes for its neighbour that shrinks the window (demur.windows.range_search). */
function keptByCase(masses: CutMasses, points: readonly CutCosts[], { starts, stops }: Allowed): Kept {
  const { size } = masses;
  const rows = points.map((point) => {
    const [start, stop] = [new Float64Array(size), new Float64Array(size)];
    point.write(start, stop);
    return [start, stop] as const;
  });
  const kept: Kept = { starts: [], stops: [], empty: [] };
  for (let cut = 0; cut < size; cut++) {
    const later = cut + 1 < size && starts[cut + 1] && rows.every(([start]) => start[cut + 1] <= start[cut]);
    const earlier = cut > 0 && stops[cut - 1] && rows.every(([, stop]) => stop[cut - 1] <= stop[cut]);
    if (starts[cut] && !later) kept.starts.push(cut);
    if (stops[cut] && !earlier) kept.stops.push(cut);
    if (starts[cut] && stops[cut]) kept.empty.push(cut);
  }
  return kept;
}

/** Over which ratios p / q a move saves: below `low` at every point; above `high` it costs at every one. */
interface Ratios {
  low: number;
  high: number;
  /** Turns a saving into P - t N. */
  unit: number;
}

function ratiosOf(gains: number[], losses: number[]): Ratios {
  const found: Ratios = { low: Infinity, high: -Infinity, unit: Infinity };
  gains.forEach((gain, c) => {
    const loss = losses[c];
    const up = gain > 0;
    found.low = Math.min(found.low, up ? loss / gain : loss >= 0 ? Infinity : -Infinity);
    found.high = Math.max(found.high, up ? loss / gain : gain === 0 && loss <= 0 ? -Infinity : Infinity);
    if (up) found.unit = Math.min(found.unit, gain);
  });
  return found;
}

/** Where all cases of a class cost the same, running minima of P - t N tell which cuts are beaten at every point. */
function keptByClass(
  masses: CutMasses,
  prices: readonly ClassPrices[],
  allowed: Allowed,
  slack: number,
  mayAbstain: boolean,
): Kept {
  const { size } = masses;
  const single = new Uint8Array(size);
  let [limited, free] = [false, true];
  for (let cut = 0; cut < size; cut++) {
    single[cut] = allowed.starts[cut] & allowed.stops[cut];
    if (allowed.first[cut] > 0) limited = true;
    if (!single[cut]) free = false;
  }
  free &&= !limited;
  const alone = ratiosOf(prices.map(({ miss }) => miss), prices.map(({ alarm }) => alarm));
  const empty = single.slice();
  if (Number.isFinite(alone.high)) dropAfter(empty, masses, alone.high, single, 0);
  if (Number.isFinite(alone.low)) dropBefore(empty, masses, alone.low, single, slack / alone.unit);
  if (!mayAbstain) return { starts: [], stops: [], empty: places(empty) };
  const start = ratiosOf(prices.map(({ miss, positive }) => miss - positive), prices.map(({ negative }) => negative));
  const stop = ratiosOf(prices.map(({ positive }) => positive), prices.map(({ alarm, negative }) => alarm - negative));
  const [starts, stops] = [allowed.starts.slice(), allowed.stops.slice()];
  // a start gives way to a later one that is at least as good at every point, a stop to an earlier one
  if (free && Number.isFinite(start.low) && start.low <= stop.low) dropBefore(starts, masses, start.low, allowed.starts, 0);
  else if (start.low > -Infinity) shrink(starts, masses, start.low, allowed.starts, 1);
  if (free && Number.isFinite(stop.high) && start.high <= stop.high) dropAfter(stops, masses, stop.high, allowed.stops, 0);
  else if (stop.high < Infinity) shrink(stops, masses, stop.high, allowed.stops, -1);
  // the other way the window grows: only for one that is better beyond rounding
  if (!limited && Number.isFinite(start.high)) dropAfter(starts, masses, start.high, allowed.starts, slack / start.unit);
  if (!limited && Number.isFinite(stop.low)) dropBefore(stops, masses, stop.low, allowed.stops, slack / stop.unit);
  return { starts: places(starts), stops: places(stops), empty: places(empty) };
}

/** Drop cuts whose allowed neighbour on the inner side has a P - t N that is not larger; an infinite t: all with a neighbour. */
function shrink(kept: Uint8Array, masses: CutMasses, ratio: number, allowed: Uint8Array, step: 1 | -1): void {
  const { positiveBelow: p, negativeBelow: q, size } = masses;
  for (let cut = 0; cut < size; cut++) {
    const next = cut + step;
    if (next < 0 || next >= size || !allowed[next]) continue;
    if (!Number.isFinite(ratio) || p[next] - ratio * q[next] <= p[cut] - ratio * q[cut]) kept[cut] = 0;
  }
}

/** Drop cuts after an allowed one whose P - t N is smaller by at least the margin. */
function dropAfter(kept: Uint8Array, { positiveBelow: p, negativeBelow: q, size }: CutMasses, ratio: number, allowed: Uint8Array, margin: number): void {
  let least = Infinity;
  for (let cut = 0; cut < size; cut++) {
    const value = p[cut] - ratio * q[cut];
    if (least <= value - margin) kept[cut] = 0;
    if (allowed[cut] && value < least) least = value;
  }
}

/** The same for cuts before it. */
function dropBefore(kept: Uint8Array, { positiveBelow: p, negativeBelow: q, size }: CutMasses, ratio: number, allowed: Uint8Array, margin: number): void {
  let least = Infinity;
  for (let cut = size - 1; cut >= 0; cut--) {
    const value = p[cut] - ratio * q[cut];
    if (least <= value - margin) kept[cut] = 0;
    if (allowed[cut] && value < least) least = value;
  }
}

function places(kept: Uint8Array): number[] {
  const found: number[] = [];
  for (let cut = 0; cut < kept.length; cut++) if (kept[cut]) found.push(cut);
  return found;
}
