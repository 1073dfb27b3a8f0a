/** Losses from sums of cases by fold, where the cases are too many for a page: pairs of models are then not known. */
import { COST, PRODUCT, type FoldTable, type Limits } from "../math/foldTable";
import { takenBy, type Candidate, type Judged } from "./candidates";
import type { Source } from "./estimates";
import { sampleOf, type Losses } from "./meanLoss";
import { factorsOf, lossTable, sharesOf, type Ends, type Scenario } from "./problem";

type Shares = readonly [number, number];

const KINDS = { 6: Uint8Array.from({ length: 6 }, (_, at) => Number(at >= 3)), 18: Uint8Array.from({ length: 18 }, (_, at) => Number(at >= 9)) } as const;

export class TableSource implements Source {
  readonly classWeight = [1, 1] as const;

  constructor(
    private readonly models: readonly Judged[],
    readonly importance: boolean,
    private readonly units: number,
    /** What all cases of a class cost under each decision, null where that differs; null where costs are by class. */
    private readonly same: readonly (readonly (number | null)[])[] | null,
    /** Element k: largest cost by class and decision of the cases that model k may treat so. */
    private readonly largest: readonly number[][][] | null,
  ) {}

  classes(second: Candidate | null): Uint8Array {
    return KINDS[second === null ? 6 : 18];
  }

  losses(first: Candidate, second: Candidate | null, scenario: Scenario): Losses | null {
    if (second !== null && first.model !== null && second.model !== null && first.model !== second.model) return null;
    const judged = this.models[first.model ?? second?.model ?? 0];
    const width = judged.own.width;
    const cells = second === null ? 6 : 18;
    const sums = new Float64Array(cells * width);
    judged.tables.forEach((table: FoldTable | null, t) => {
      const limits = ({ decisions }: Candidate): Limits => decisions.honest[t] ?? decisions.hindsight;
      table?.add(sums, limits(first), second && limits(second), 1 / judged.repeats);
    });
    const actions = (at: number): [number, number] => (second === null ? [at % 3, -1] : [Math.floor((at % 9) / 3), at % 3]);
    const number = Float64Array.from({ length: cells }, (_, at) => sums[at * width]);
    const table = lossTable(scenario);
    const factors = factorsOf(scenario);
    const [loss, within] = [new Float64Array(cells), new Float64Array(cells)];
    for (let at = 0; at < cells; at++) {
      const [a, b] = actions(at);
      const kind = at < cells / 2 ? 0 : 1;
      if (width === 1) {
        loss[at] = table[kind][a] - (b < 0 ? 0 : table[kind][b]);
        continue;
      }
      if (!(number[at] > 0)) continue;
      const column = (c: number): number => sums[at * width + c];
      const [f, g] = [factors[a], b < 0 ? 0 : factors[b]];
      loss[at] = (f * column(COST[a]) - (b < 0 ? 0 : g * column(COST[b]))) / number[at];
      const squares = f * f * column(PRODUCT[a][a]) + (b < 0 ? 0 : g * g * column(PRODUCT[b][b]) - 2 * f * g * column(PRODUCT[a][b]));
      within[at] = Math.max(0, squares / number[at] - loss[at] ** 2);
    }
    const sample = sampleOf(number, number, this.units, this.classes(second), sharesOf(scenario), null);
    return { loss, within: width === 1 ? null : within, sample };
  }

  spans(scenario: Scenario): readonly Ends[] | null {
    if (this.same === null) return null;
    const factors = factorsOf(scenario);
    return [0, 1, 2].map((action) => {
      const known = this.same!.map((row) => row[action]);
      const [low, high] = known.some((cost) => cost === null) ? [0, Infinity] : [Math.min(...(known as number[])), Math.max(...(known as number[]))];
      return [low * factors[action], high === Infinity ? Infinity : high * factors[action]];
    });
  }

  gaps(): Ends | null {
    return this.same && [-Infinity, Infinity];
  }

  alike(first: Candidate, second: Candidate): boolean {
    if (first === second) return true;
    if (first.constant !== null || second.constant !== null) return first.constant === second.constant;
    if (first.model !== second.model) return false;
    const same = (one: Limits, two: Limits): boolean => one[0] === two[0] && one[1] === two[1];
    const [one, two] = [first.decisions, second.decisions];
    return same(one.hindsight, two.hindsight) && one.honest.every((limits, t) => same(limits, two.honest[t]));
  }

  worst(rule: Candidate, scenario: Scenario, shares: Shares | null, other: Candidate | null): number[][] {
    const taken = takenBy(rule);
    const spares = other && takenBy(other);
    const sizes = [0, 1].map((kind) => rule.honest[3 * kind] + rule.honest[3 * kind + 1] + rule.honest[3 * kind + 2]);
    const scale = factorsOf(scenario);
    const { largest } = this;
    // nothing is spared for sure where every case has its own costs
    const table = largest === null ? lossTable(scenario) : largest[rule.model ?? 0].map((row) => row.map((cost, action) => cost * scale[action]));
    return table.map((losses, kind) => {
      const factor = shares === null ? 1 : (shares[kind] * (sizes[0] + sizes[1])) / Math.max(sizes[kind], 1e-300);
      const spared = spares === null || largest !== null ? 0 : Math.min(...losses.filter((_, action) => spares[action]));
      const used = sizes[kind] > 0 && (shares === null || shares[kind] > 0);
      return losses.map((loss, action) => (used && taken[action] ? (loss - spared) * factor : -Infinity));
    });
  }
}
