/** What the cheapest of several rules will cost, the choice among them included (demur.honest.after_choice). */
import { costAt, type Candidate } from "./candidates";
import type { RowSource } from "./rowSource";
import { cornersOf, sharesOf, type Problem, type Scenario } from "./problem";

const RESAMPLES = 400;
/** Units up to which they are resampled. */
const MOST_UNITS = 4096;
const MOST_ADVISED = 64;
const TIE = 1e-12;

export interface AfterChoice {
  /** Mean over the draws in which the rule of a model was chosen; null if there is no such draw. */
  cost: number | null;
  allDraws: number;
}

/** Place of the smallest value; of ties within 1e-12 of it, or of `scale`, the first. */
export function firstSmallest(values: ArrayLike<number>, scale = 0): number {
  let least = Infinity;
  for (let at = 0; at < values.length; at++) if (values[at] < least) least = values[at];
  const most = least + TIE * Math.max(Math.abs(least), scale);
  for (let at = 0; at < values.length; at++) if (values[at] <= most) return at;
  return -1;
}

/** Units with their mean losses: element [scenario][candidate][unit]. */
interface Units {
  losses: Float64Array[][];
  weight: Float64Array;
  /** Class of every unit, where units are drawn within classes. */
  stratum: Uint8Array | null;
}

/** The cost of the choice among candidates, simplest first; null where units are too many or broken. */
export function afterChoice(candidates: readonly Candidate[], problem: Problem, source: RowSource, names: readonly string[], seed: number): AfterChoice | null {
  const kept = advised(candidates, problem, names);
  const corners = problem.objective === "expected" ? [] : cornersOf(problem);
  const scenarios = [problem, ...corners];
  const units = source.rows.cluster === null ? caseUnits(kept, scenarios, source, names) : clusterUnits(kept, scenarios, source, names);
  if (units === null) return null;
  const { inside, outside, draws } = resampled(units, sharesOf(problem), seed);
  const chosen = inside.map((costs) => choose(costs, problem));
  if (draws === 0) return null;
  const costs = outside.map((own, b) => own[0][chosen[b]]);
  const ofModels = costs.filter((_, b) => kept[chosen[b]].model !== null);
  const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  return { cost: ofModels.length ? mean(ofModels) : null, allDraws: mean(costs) };
}

/** Of many models the cheapest; ties of a draw go by the names of the models. */
function advised(candidates: readonly Candidate[], problem: Problem, names: readonly string[]): Candidate[] {
  const least = new Map<number, number>();
  for (const one of candidates) {
    if (one.model !== null) least.set(one.model, Math.min(least.get(one.model) ?? Infinity, costAt(one, problem)));
  }
  const kept = new Set([...least].sort((a, b) => a[1] - b[1]).slice(0, MOST_ADVISED).map(([model]) => model));
  const name = ({ model }: Candidate): string => (model === null ? "" : names[model]);
  return candidates
    .filter(({ model }) => model === null || kept.has(model))
    .sort((a, b) => a.order[0] - b.order[0] || (a.model === null ? a.order[1] - b.order[1] : compare(name(a), name(b)) || a.order[1] - b.order[1]));
}

/** Order by code points, as Python does. */
function compare(one: string, two: string): number {
  const [a, b] = [[...one], [...two]].map((letters) => letters.map((letter) => letter.codePointAt(0)!));
  for (let at = 0; at < Math.min(a.length, b.length); at++) if (a[at] !== b[at]) return a[at] - b[at];
  return a.length - b.length;
}

function choose(costs: readonly Float64Array[], { objective }: Problem): number {
  if (costs.length === 1) return firstSmallest(costs[0]);
  const there = costs.slice(1);
  const floors = there.map((row) => (objective === "regret" ? row.reduce((low, cost) => Math.min(low, cost), Infinity) : 0));
  const values = costs[0].map((_, at) => Math.max(...there.map((row, c) => row[at] - floors[c])));
  const scale = Math.max(...there.map((row) => row.reduce((high, cost) => Math.max(high, Math.abs(cost)), 0)));
  return firstSmallest(values, scale);
}

// ---------------------------------------------------------------- units

/** Factors on the losses of both classes that make their means those at another prevalence. */
function scaleOf(shares: readonly number[] | null, there: readonly number[] | null): readonly number[] | undefined {
  return shares === null || there === null ? undefined : shares.map((share, kind) => (share > 0 ? there[kind] / share : 0));
}

function caseUnits(candidates: readonly Candidate[], scenarios: readonly Scenario[], source: RowSource, names: readonly string[]): Units | null {
  const { rows, judged, importance } = source;
  const kept = [...judged.keys()].filter((row) => judged[row] > 0);
  const single = importance || kept.every((row) => judged[row] === 1);
  const copies = single ? null : kept.map((row) => judged[row]);
  const number = copies === null ? kept.length : copies.reduce((sum, one) => sum + one, 0);
  if (number > MOST_UNITS || number < 2 || copies?.some((one) => one !== Math.floor(one))) return null;
  const shares = sharesOf(scenarios[0]);
  const losses = scenarios.map((scenario) => {
    const scale = scaleOf(shares, sharesOf(scenario));
    return candidates.map((one) => {
      const all = source.lossOf(one, scenario, scale);
      return Float64Array.from(kept, (row) => all[row]);
    });
  });
  const weight = Float64Array.from(kept, (row) => (single ? judged[row] : 1));
  const kinds = Uint8Array.from(kept, (row) => rows.kindOf(row));
  const order = contentOrder(candidates, names, losses, [weight, kinds]);
  const listed = copies === null ? order : order.flatMap((at) => new Array<number>(copies[at]).fill(at));
  return {
    losses: losses.map((several) => several.map((column) => Float64Array.from(listed, (at) => column[at]))),
    weight: Float64Array.from(listed, (at) => weight[at]),
    stratum: shares === null ? null : Uint8Array.from(listed, (at) => kinds[at]),
  };
}

/** Mean losses of clusters; their weight holds the shares of the classes in use. */
function clusterUnits(candidates: readonly Candidate[], scenarios: readonly Scenario[], source: RowSource, names: readonly string[]): Units | null {
  const { rows } = source;
  const shares = sharesOf(scenarios[0]);
  const each = source.sample(shares).weight;
  const place = new Map<number, number>();
  const judged = [...each.keys()].filter((row) => each[row] > 0);
  for (const row of judged) if (!place.has(rows.cluster![row])) place.set(rows.cluster![row], place.size);
  if (place.size > MOST_UNITS || place.size < 2) return null;
  const weight = new Float64Array(place.size);
  for (const row of judged) weight[place.get(rows.cluster![row])!] += each[row];
  const losses = scenarios.map((scenario) => {
    const scale = scaleOf(shares, sharesOf(scenario));
    return candidates.map((one) => {
      const all = source.lossOf(one, scenario, scale);
      const sums = new Float64Array(place.size);
      for (const row of judged) sums[place.get(rows.cluster![row])!] += all[row] * each[row];
      return sums.map((sum, unit) => (weight[unit] > 0 ? sum / weight[unit] : 0));
    });
  });
  // means of the same losses differ in the last digits by the order in which they were added up
  const rounded = (columns: readonly Float64Array[]): Float64Array[] => {
    const size = Math.max(...columns.map((column) => column.reduce((high, one) => Math.max(high, Math.abs(one)), 0))) || 1;
    return columns.map((column) => column.map((one) => Math.round((one / size) * 1e12)));
  };
  const flat = rounded(losses.flat());
  const keys = scenarios.map((_, s) => flat.slice(s * candidates.length, (s + 1) * candidates.length));
  const order = contentOrder(candidates, names, keys, rounded([weight]));
  return {
    losses: losses.map((several) => several.map((column) => Float64Array.from(order, (at) => column[at]))),
    weight: Float64Array.from(order, (at) => weight[at]),
    stratum: null,
  };
}

/** Units in the order of their content: draws go by their places, not by the order of a file. */
function contentOrder(candidates: readonly Candidate[], names: readonly string[], losses: readonly (readonly Float64Array[])[], keys: readonly ArrayLike<number>[]): number[] {
  const label = ({ model, kind }: Candidate): [string, string] => [model === null ? "" : names[model], kind];
  const byName = candidates.map((_, at) => at).sort((a, b) => {
    const [one, two] = [label(candidates[a]), label(candidates[b])];
    return compare(one[0], two[0]) || compare(one[1], two[1]) || a - b;
  });
  // the last key is the first to sort by
  const columns = [...losses.flatMap((several) => byName.map((at) => several[at])), ...keys].reverse();
  return Array.from({ length: keys[0].length }, (_, at) => at).sort((a, b) => {
    for (const column of columns) if (column[a] !== column[b]) return column[a] - column[b];
    return a - b;
  });
}

// ---------------------------------------------------------------- draws

/** Mean losses on the units of every draw and on those left out, by draw, scenario and candidate. */
function resampled({ losses, weight, stratum }: Units, shares: readonly [number, number] | null, seed: number) {
  const size = weight.length;
  const all = Int32Array.from({ length: size }, (_, at) => at);
  const stratified = stratum !== null && shares !== null;
  const parts = (stratified ? shares : [1])
    .map((share, kind) => ({ share, units: stratified ? all.filter((at) => stratum[at] === kind) : all }))
    .filter(({ share }) => share > 0)
    .map(({ share, units }) => {
      const pick = (column: Float64Array): Float64Array => Float64Array.from(units, (at) => column[at]);
      return { share, units, weight: pick(weight), columns: losses.map((several) => several.map(pick)), drawn: [new Float64Array(units.length), new Float64Array(units.length)] };
    });
  const start = (Math.imul(seed, 0x9e3779b9) >>> 0) % 2 ** 32;
  const [inside, outside]: Float64Array[][][] = [[], []];
  for (let b = 0; b < RESAMPLES; b++) {
    const means = [0, 1].map(() => losses.map((several) => new Float64Array(several.length)));
    let leavesSome = true;
    for (const { share, units, weight: own, columns, drawn } of parts) {
      const [times, left] = drawn;
      let [within, beyond] = [0, 0];
      times.fill(0);
      for (const unit of units) times[Math.floor((mixed(start + b * size + unit) * units.length) / 2 ** 32)]++;
      // loops: this takes most of the time after the hand has come to rest
      for (let at = 0; at < own.length; at++) {
        left[at] = times[at] === 0 ? own[at] : 0;
        times[at] *= own[at];
        within += times[at];
        beyond += left[at];
      }
      leavesSome &&= beyond > 0;
      columns.forEach((several, s) =>
        several.forEach((column, c) => {
          let [sum, rest] = [0, 0];
          for (let at = 0; at < column.length; at++) {
            sum += times[at] * column[at];
            rest += left[at] * column[at];
          }
          means[0][s][c] += (share * sum) / Math.max(within, Number.MIN_VALUE);
          means[1][s][c] += (share * rest) / Math.max(beyond, Number.MIN_VALUE);
        }),
      );
    }
    if (!leavesSome) continue;
    inside.push(means[0]);
    outside.push(means[1]);
  }
  return { inside, outside, draws: inside.length };
}

/** Mix the lowest 32 bits of a number: the finaliser of MurmurHash3. */
function mixed(number: number): number {
  let x = number >>> 0;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}
