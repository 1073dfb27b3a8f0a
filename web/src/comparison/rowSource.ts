/** Losses of every case, where the page holds them (demur.comparison.loss_matrix). */
import { decisionAt } from "../math/foldTable";
import { ABSTAINED } from "../math/trivial";
import type { Rows } from "../math/rows";
import { takenBy, type Candidate } from "./candidates";
import type { Source } from "./estimates";
import { sampleOf, type Losses, type Sample } from "./meanLoss";
import { factorsOf, lossTable, sharesOf, type Ends, type Scenario } from "./problem";

type Shares = readonly [number, number];

export class RowSource implements Source {
  private readonly kinds: Uint8Array;
  private readonly samples = new Map<string, Sample>();
  private readonly codes = new WeakMap<Candidate, Uint8Array[]>();
  private readonly medians = new Map<number, readonly [number, number]>();
  readonly classWeight: readonly [number, number];
  /** Judged weight of every case: none in parts that are only learned from. */
  readonly judged: Float64Array;

  constructor(
    readonly rows: Rows,
    readonly importance: boolean,
    readonly units: number,
  ) {
    const { size, sizes, folds, first } = rows;
    this.kinds = Uint8Array.from({ length: size }, (_, row) => rows.kindOf(row));
    this.judged = sizes.map((cases, row) => (folds[0][row] >= first ? cases : 0));
    const mean = sizes.reduce((sum, cases) => sum + cases, 0) / size;
    const weight = (kind: number): number => {
      const own = sizes.filter((_, row) => this.kinds[row] === kind);
      return importance ? (own.length * mean) / Math.max(own.reduce((sum, cases) => sum + cases, 0), 1e-300) : 1;
    };
    this.classWeight = [weight(0), weight(1)];
  }

  classes(): Uint8Array {
    return this.kinds;
  }

  sample(shares: Shares | null): Sample {
    const key = String(shares);
    let found = this.samples.get(key);
    if (found === undefined) {
      const squares = this.importance ? this.judged.map((cases) => cases ** 2) : this.judged;
      found = sampleOf(this.judged, squares, this.units, this.kinds, shares, this.rows.cluster);
      this.samples.set(key, found);
    }
    return found;
  }

  /** What a rule decides on every case, by split in which it was judged. */
  decisions(rule: Candidate): Uint8Array[] {
    let found = this.codes.get(rule);
    if (found === undefined) {
      const { rows } = this;
      const folds = rule.fixed ? rows.folds : rows.folds.slice(0, rule.decisions.honest.length / rows.parts);
      found = folds.map((fold, split) => rule.fixed ?? this.decided(rule, fold, split * rows.parts));
      this.codes.set(rule, found);
    }
    return found;
  }

  /** The same in one split, whose tables begin at `from`. */
  private decided(rule: Candidate, fold: Uint8Array, from: number): Uint8Array {
    const { rows } = this;
    const codes = new Uint8Array(rows.size);
    if (rule.constant !== null || rule.model === null) return codes.fill(rule.constant!);
    const { positions } = rows.model(rule.model);
    const ranks = rows.ranks[rule.model];
    // a loop: this runs in every step of a drag
    for (let row = 0; row < codes.length; row++) {
      const table = from + fold[row];
      const places = positions[table];
      if (places !== null) codes[row] = decisionAt(places[ranks[row]], rule.decisions.honest[table]);
    }
    return codes;
  }

  /** Honest loss of a rule on every case, times a factor for its class, averaged over the splits. */
  lossOf(rule: Candidate, scenario: Scenario, scale: readonly number[] = [1, 1]): Float64Array {
    const { rows, kinds } = this;
    const codes = this.decisions(rule);
    const table = lossTable(scenario);
    const factors = factorsOf(scenario);
    const { costs } = rows;
    const found = new Float64Array(rows.size);
    for (let row = 0; row < rows.size; row++) {
      const kind = kinds[row];
      let sum = 0;
      for (const decided of codes) {
        const action = decided[row];
        sum += (costs === null ? table[kind][action] : costs[action][row] * factors[action]) * scale[kind];
      }
      found[row] = sum / codes.length;
    }
    return found;
  }

  losses(first: Candidate, second: Candidate | null, scenario: Scenario): Losses {
    const loss = this.lossOf(first, scenario);
    const spared = second && this.lossOf(second, scenario);
    return { loss: spared === null ? loss : loss.map((one, row) => one - spared[row]), within: null, sample: this.sample(sharesOf(scenario)) };
  }

  spans(scenario: Scenario): readonly Ends[] | null {
    const factors = factorsOf(scenario);
    return this.rows.costs && this.rows.costs.map((column, action) => [least(column) * factors[action], most(column) * factors[action]] as const);
  }

  gaps(one: readonly boolean[], two: readonly boolean[], scenario: Scenario): Ends | null {
    const { costs, size } = this.rows;
    if (costs === null) return null;
    const factors = factorsOf(scenario);
    let [low, high] = [Infinity, -Infinity];
    for (let row = 0; row < size; row++) {
      const paid = (taken: readonly boolean[]): number[] => costs.map((column, action) => column[row] * factors[action]).filter((_, action) => taken[action]);
      const [a, b] = [paid(one), paid(two)];
      low = Math.min(low, Math.min(...a) - Math.max(...b));
      high = Math.max(high, Math.max(...a) - Math.min(...b));
    }
    return [low, high];
  }

  alike(first: Candidate, second: Candidate): boolean {
    if (first === second) return true;
    const same = (one: Uint8Array, two: Uint8Array): boolean => one.every((code, row) => code === two[row]);
    const [one, two] = [this.decisions(first), this.decisions(second)];
    const splits = Math.min(one.length, two.length);
    return one.slice(0, splits).every((codes, split) => same(codes, two[split])) && same(this.written(first), this.written(second));
  }

  private written(rule: Candidate): Uint8Array {
    const { rows } = this;
    return rule.fixed ?? Uint8Array.from({ length: rows.size }, (_, row) =>
      rule.constant !== null || rule.model === null ? rule.constant! : decisionAt(2 * rows.ranks[rule.model][row], rule.decisions.hindsight),
    );
  }

  worst(rule: Candidate, scenario: Scenario, shares: Shares | null, other: Candidate | null): number[][] {
    const { rows, kinds, importance } = this;
    const taken = takenBy(rule);
    const spares = other && takenBy(other);
    const sizes = [0, 1].map((kind) => rule.honest[3 * kind] + rule.honest[3 * kind + 1] + rule.honest[3 * kind + 2]);
    const factors = sizes.map((size, kind) => (shares === null ? 1 : (shares[kind] * (sizes[0] + sizes[1])) / Math.max(size, 1e-300)));
    const used = sizes.map((size, kind) => size > 0 && (shares === null || shares[kind] > 0));
    const table = lossTable(scenario);
    const cheapest = (losses: readonly number[]): number => (spares === null ? 0 : Math.min(...losses.filter((_, action) => spares[action])));
    if (rows.costs === null && !importance)
      return table.map((losses, kind) =>
        losses.map((loss, action) => (used[kind] && taken[action] ? (loss - cheapest(losses)) * factors[kind] : -Infinity)),
      );
    const scale = factorsOf(scenario);
    const mean = rows.sizes.reduce((sum, cases) => sum + cases, 0) / rows.size;
    const found = [0, 1].map(() => [-Infinity, -Infinity, -Infinity]);
    for (let row = 0; row < rows.size; row++) {
      const kind = kinds[row];
      if (!used[kind]) continue;
      const losses = rows.costs === null ? table[kind] : rows.costs.map((column, action) => column[row] * scale[action]);
      const weight = (importance ? rows.sizes[row] / mean : 1) * factors[kind];
      const spared = cheapest(losses);
      for (let action = 0; action < 3; action++) {
        if (!taken[action] || !this.mayTreatSo(rule, row, kind, action)) continue;
        found[kind][action] = Math.max(found[kind][action], weight * (losses[action] - spared));
      }
    }
    return found;
  }

  /** Whether a case lies in the half of its class nearest to the scores decided so; for abstaining all do. */
  private mayTreatSo(rule: Candidate, row: number, kind: 0 | 1 | number, action: number): boolean {
    if (rule.model === null || rule.constant !== null || action === ABSTAINED) return true;
    const score = this.rows.scores[rule.model][this.rows.ranks[rule.model][row]];
    const middle = this.median(rule.model)[kind];
    return action === 1 ? score >= middle : score <= middle;
  }

  /** Median score of each class. */
  private median(model: number): readonly [number, number] {
    let found = this.medians.get(model);
    if (found === undefined) {
      const middle = (kind: number): number => {
        const own = this.rows.ranks[model].filter((_, row) => this.kinds[row] === kind).sort();
        const score = (at: number): number => this.rows.scores[model][own[at]];
        const half = own.length >> 1;
        return own.length % 2 ? score(half) : (score(half - 1) + score(half)) / 2;
      };
      found = [middle(0), middle(1)];
      this.medians.set(model, found);
    }
    return found;
  }
}

function least(column: Float64Array): number {
  return column.reduce((low, value) => Math.min(low, value), Infinity);
}

function most(column: Float64Array): number {
  return column.reduce((high, value) => Math.max(high, value), -Infinity);
}
