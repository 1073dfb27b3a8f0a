/** The report where every case has its own costs: case by case, or in groups of scores where there are too many. */
import type { AmountsData, GroupData, GroupSums, ModelData, ReportData } from "../data";
import { decisionAt } from "./heldOut";
import type { Decisions } from "./judged";
import { columnTotals, MoneyModel, MoneySurface, type GapPair } from "./moneyModel";
import { addCase, ClassMeans, COST, GapSums, ROW, waryGaps, WIDTH, type Factors } from "./moneySums";
import { MoneyTable, runningSums, type ClassScoreSums } from "./moneyTables";
import type { JointTable } from "./outcomes";
import { fineModel, Rows, type FineModel } from "./scoreLevel";

/** What a fold's window is learned from, and the cases it is judged on. */
interface TableParts {
  training: ClassScoreSums;
  places: Float64Array;
  running: Float64Array;
}

interface MoneyParts {
  data: ModelData;
  tables: TableParts[];
  own: TableParts;
}

/** Joint outcomes of rules of two models, with what they cost. */
export interface MoneyJoint {
  outcomes(one: Decisions, two: Decisions): [honest: JointTable, hindsight: JointTable];
  gaps(one: Decisions, two: Decisions, factors: Factors): GapPair;
}

/** A report with amounts; the blocks of its models are single scores, or groups of them. */
export class MoneyLevel {
  readonly report: ReportData;
  /** Whether windows may cut between any two scores. */
  readonly exact: boolean;
  private readonly parts: MoneyParts[];
  private readonly means: ClassMeans;
  private readonly joined: ((first: number, second: number) => MoneyJoint) | null;

  constructor(report: ReportData, amounts: AmountsData) {
    this.exact = amounts.groups === null;
    if (amounts.groups === null) {
      const rows = new Rows(report.cases!);
      const costs = new CaseAmounts(rows, amounts);
      const models = report.models.map((model, k) => fineModel(rows, model, k, true));
      this.parts = models.map((model) => costs.partsOf(model));
      this.means = new ClassMeans(this.parts[0].own.running.slice(-ROW));
      this.joined = (first, second) => costs.joint(models[first], models[second], this.means);
    } else {
      this.parts = amounts.groups.map((group, k) => groupParts(group, report.models[k], amounts, report.repeats ?? 1));
      this.means = new ClassMeans(this.parts[0].own.running.slice(-ROW));
      this.joined = null;
    }
    this.report = { ...report, models: this.parts.map(({ data }) => data) };
  }

  surface(k: number, prevalence: number | null): MoneySurface {
    const { data, own } = this.parts[k];
    return new MoneySurface(data, this.report, prevalence, own.training);
  }

  judged(k: number, prevalence: number | null): MoneyModel {
    const { tables, own } = this.parts[k];
    const table = ({ training, places, running }: TableParts) =>
      new MoneyTable(training, places, running, prevalence);
    return new MoneyModel(tables.map(table), table(own), this.report.repeats ?? 1, this.means);
  }

  /** Null where nobody knows which scores belong together. */
  joint(first: number, second: number): MoneyJoint | null {
    return this.joined && this.joined(first, second);
  }
}

// ---------------------------------------------------------------- case by case

/** What every case costs under each decision. */
class CaseAmounts {
  private readonly costs: readonly Float64Array[];
  private readonly sums: readonly Float64Array[];

  constructor(
    private readonly rows: Rows,
    private readonly amounts: AmountsData,
  ) {
    const { size, positives } = rows;
    this.costs = [0, 1, 2].map((decision) =>
      Float64Array.from({ length: size }, (_, row) => {
        const kind = row < positives ? 1 : 0;
        const column = amounts.columns![kind][decision];
        return column === null ? amounts.same[kind][decision]! : column[kind ? row : row - positives];
      }),
    );
    this.sums = Array.from({ length: size }, (_, row) => {
      const sums = new Float64Array(ROW);
      addCase(sums, row < positives ? WIDTH : 0, rows.sizeOf(row), this.costs.map((column) => column[row]));
      return sums;
    });
  }

  partsOf(model: FineModel): MoneyParts {
    const { rows } = this;
    const ranks = rows.ranks[model.k];
    const size = rows.scores[model.k].length;
    const every = [...this.sums.keys()];
    const tables: TableParts[] = [];
    for (const fold of rows.folds) {
      for (let part = 0; part < rows.parts; part++) {
        const places = model.positions[tables.length];
        const held = every.filter((row) => fold[row] === part);
        const training = scoreSums(this.sums, every.filter((row) => fold[row] !== part), ranks, size);
        tables.push({ training: present(training), ...this.inOrder(held, (row) => places[ranks[row]]) });
      }
    }
    const own = { training: scoreSums(this.sums, every, ranks, size), ...this.inOrder(every, (row) => 2 * ranks[row]) };
    return { data: model.data, tables, own };
  }

  private inOrder(rows: number[], place: (row: number) => number): Pick<TableParts, "places" | "running"> {
    const order = rows.map((row) => [place(row), row]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const sums = order.map(([, row]) => this.sums[row]);
    return {
      places: Float64Array.from(order, ([at]) => at),
      running: runningSums(sums, this.amounts.same),
    };
  }

  joint(first: FineModel, second: FineModel, means: ClassMeans): MoneyJoint {
    const gaps = (one: Decisions, two: Decisions, factors: Factors): GapPair => {
      const found = this.gaps([first, second], [one, two], factors);
      return [waryGaps(found[0], means, factors), waryGaps(found[1], means, factors)];
    };
    return {
      gaps,
      outcomes: (one, two) => {
        const [honest, hindsight] = gaps(one, two, [1, 1, 1]);
        return [honest.number, hindsight.number];
      },
    };
  }

  private gaps([first, second]: readonly FineModel[], [one, two]: readonly Decisions[], factors: Factors): GapPair {
    const { rows, sums } = this;
    const [honest, hindsight] = [new GapSums(), new GapSums()];
    const repeats = rows.folds.length;
    for (let row = 0; row < rows.size; row++) {
      const [a, b] = [rows.ranks[first.k][row], rows.ranks[second.k][row]];
      hindsight.add(sums[row], decisionAt(2 * a, one.hindsight), decisionAt(2 * b, two.hindsight), factors);
      for (let split = 0; split < repeats; split++) {
        const table = split * rows.parts + rows.folds[split][row];
        const decided = decisionAt(first.positions[table][a], one.honest[table]);
        honest.add(sums[row], decided, decisionAt(second.positions[table][b], two.honest[table]), factors, 1 / repeats);
      }
    }
    return [honest, hindsight];
  }
}

/** Sums of some cases by rank. */
function scoreSums(sums: readonly Float64Array[], chosen: number[], ranks: ArrayLike<number>, size: number): ClassScoreSums {
  const empty = (): [Float64Array, Float64Array] => [new Float64Array(size), new Float64Array(size)];
  const found: ClassScoreSums = { cases: empty(), miss: empty(), alarm: empty(), review: empty() };
  for (const row of chosen) addToScore(found, ranks[row], sums[row]);
  return found;
}

function addToScore(found: ClassScoreSums, at: number, row: Float64Array, sign = 1): void {
  for (let kind = 0; kind < 2; kind++) {
    const from = kind * WIDTH;
    found.cases[kind][at] += sign * row[from];
    found.miss[kind][at] += sign * row[from + COST[0]];
    found.alarm[kind][at] += sign * row[from + COST[1]];
    found.review[kind][at] += sign * row[from + COST[2]];
  }
}

/** Leave out scores without a case. */
function present(sums: ClassScoreSums): ClassScoreSums {
  const [negatives, positives] = sums.cases;
  const kept = (column: Float64Array): Float64Array => column.filter((_, at) => negatives[at] + positives[at] > 0);
  const both = ([negative, positive]: [Float64Array, Float64Array]): [Float64Array, Float64Array] => [
    kept(negative),
    kept(positive),
  ];
  return { cases: both(sums.cases), miss: both(sums.miss), alarm: both(sums.alarm), review: both(sums.review) };
}

// ---------------------------------------------------------------- in groups

/** Cuts lie between groups only, so no held-out case lies on one: those of group g have position 2g. */
function groupParts(group: GroupData, model: ModelData, amounts: AmountsData, repeats: number): MoneyParts {
  const size = group.lower.length;
  const places = Float64Array.from({ length: size }, (_, g) => 2 * g);
  const tables = group.folds.map(([negative, positive]) => groupRows(negative, positive, size));
  const all = Array.from({ length: size }, (_, g) => columnTotals(tables.map((rows) => rows[g])));
  // every split holds all cases once
  const own = all.map((row) => row.map((sum) => sum / repeats));
  const everyone = rowsToSums(runningSums(own, amounts.same), size);
  const parts = tables.map((rows) => {
    const held = runningSums(rows, amounts.same);
    const training = rowsToSums(runningSums(own.map((row, g) => row.map((sum, c) => sum - rows[g][c])), amounts.same), size);
    return { training, places, running: held };
  });
  const data: ModelData = {
    ...model,
    blocks: {
      positives: [...everyone.cases[1]],
      negatives: [...everyone.cases[0]],
      lower: group.lower,
      upper: group.upper,
      groups: new Array<number>(size).fill(1),
    },
    cuts: group.cuts,
  };
  return { data, tables: parts, own: { training: everyone, places, running: runningSums(own, amounts.same) } };
}

function groupRows(negative: GroupSums, positive: GroupSums, size: number): Float64Array[] {
  return Array.from({ length: size }, (_, g) => {
    const row = new Float64Array(ROW);
    [negative, positive].forEach((sums, kind) => {
      row[kind * WIDTH] = sums.cases[g];
      for (const [column, values] of Object.entries(sums.columns)) row[kind * WIDTH + Number(column)] = values[g];
    });
    return row;
  });
}

/** Sums per group from running ones, in which costs that do not differ have been filled in. */
function rowsToSums(running: Float64Array, size: number): ClassScoreSums {
  const row = (g: number): Float64Array =>
    Float64Array.from({ length: ROW }, (_, c) => running[(g + 1) * ROW + c] - running[g * ROW + c]);
  const rows = Array.from({ length: size }, (_, g) => row(g));
  return scoreSums(rows, [...rows.keys()], [...rows.keys()], size);
}
