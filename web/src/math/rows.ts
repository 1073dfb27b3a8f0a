/** The cases themselves, and from them what rules are learned from and judged on: training sets, held-out cases, ROC curves. */
import type { AmountsData, CasesData, ModelData } from "../data";
import { COST, FoldTable, runningSums, WIDTHS } from "./foldTable";
import { cutPoints, shortestCuts } from "./thresholds";
import { Training, type ByClass, type PaidSums, type Pooled } from "./training";

/** Decisions, in the order of the columns of costs: negative, positive, abstain. */
const DECISIONS = [0, 1, 2] as const;

/** Every case with its class, its fold in every split, its cluster and its score by every model; positives first. */
export class Rows {
  readonly size: number;
  readonly positives: number;
  readonly folds: Uint8Array[];
  readonly parts: number;
  /** First part that is judged; parts before it are only learned from, as blocks of time are. */
  readonly first: number;
  readonly sizes: Float64Array;
  readonly cluster: Int32Array | null;
  /** Element k: distinct scores of model k, ascending, and the place of every case's score among them. */
  readonly scores: Float64Array[];
  readonly ranks: Int32Array[];
  /** What every case costs under each decision; null where all cases of a class cost the same. */
  readonly costs: readonly Float64Array[] | null;
  private readonly models: (RowModel | undefined)[];

  constructor(
    private readonly data: CasesData,
    amounts: AmountsData | null,
  ) {
    this.positives = data.positives;
    this.size = data.folds[0].length;
    this.folds = data.folds.map((digits) => Uint8Array.from(digits, Number));
    this.parts = 1 + this.folds.reduce((most, column) => column.reduce((large, fold) => Math.max(large, fold), most), 0);
    this.first = data.first;
    this.sizes = data.sizes === null ? new Float64Array(this.size).fill(1) : Float64Array.from(data.sizes);
    this.cluster = data.clusters === null ? null : Int32Array.from(data.clusters);
    const found = data.scores.map(ranked);
    this.scores = found.map(({ distinct }) => distinct);
    this.ranks = found.map(({ ranks }) => ranks);
    this.costs = amounts && this.caseCosts(amounts);
    this.models = new Array<RowModel | undefined>(data.scores.length);
  }

  /** 0 for a negative, 1 for a positive. */
  kindOf(row: number): 0 | 1 {
    return row < this.positives ? 1 : 0;
  }

  model(k: number): RowModel {
    return (this.models[k] ??= new RowModel(this, k));
  }

  /** Which cases the rule of a part is learned from: all others, or where parts are blocks of time those before, without its clusters. */
  trains(split: number, part: number): boolean[] {
    const fold = this.folds[split];
    if (!this.data.forward) return Array.from(fold, (own) => own !== part);
    const { cluster } = this;
    const held = new Set(cluster === null ? [] : cluster.filter((_, row) => fold[row] === part));
    return Array.from(fold, (own, row) => own < part && !(cluster !== null && held.has(cluster[row])));
  }

  private caseCosts({ columns, same }: AmountsData): Float64Array[] {
    const { size, positives } = this;
    return DECISIONS.map((decision) =>
      Float64Array.from({ length: size }, (_, row) => {
        const kind = this.kindOf(row);
        const column = columns![kind][decision];
        return column === null ? same[kind][decision]! : column[kind ? row : row - positives];
      }),
    );
  }

  /** Sums of a row: cases, and where they differ what they cost. */
  sums(row: number): Float64Array {
    const width = this.costs === null ? WIDTHS.counts : WIDTHS.costs;
    const sums = new Float64Array(2 * width);
    const at = this.kindOf(row) * width;
    sums[at] = this.sizes[row];
    this.costs?.forEach((column, decision) => (sums[at + COST[decision]] = this.sizes[row] * column[row]));
    return sums;
  }
}

function ranked(scores: readonly number[]): { distinct: Float64Array; ranks: Int32Array } {
  // -0 and 0 are one score
  const column = Float64Array.from(scores, (score) => score + 0);
  const sorted = column.slice().sort();
  const distinct = sorted.filter((score, at) => at === 0 || score !== sorted[at - 1]);
  const place = new Map(Array.from(distinct, (score, at) => [score, at]));
  return { distinct, ranks: Int32Array.from(column, (score) => place.get(score)!) };
}

/** The cases by the scores of one model. */
class RowModel {
  /** Tables of all splits, one after the other; of parts that are not judged, none. */
  readonly tables: readonly (FoldTable | null)[];
  /** All cases judged by their own windows. */
  readonly own: FoldTable;
  /** Element t: position of every distinct score among the training scores of table t. */
  readonly positions: readonly (Int32Array | null)[];
  /** Thresholds among all scores, as rules are written. */
  readonly cuts: { lower: Float64Array; upper: Float64Array };

  constructor(
    private readonly rows: Rows,
    private readonly k: number,
  ) {
    const { folds, parts, first } = rows;
    const made = folds.flatMap((fold, split) =>
      Array.from({ length: parts }, (_, part) => {
        if (part < first) return null;
        const trains = rows.trains(split, part);
        return this.table(trains, (row) => fold[row] === part);
      }),
    );
    this.tables = made.map((one) => one && one.table);
    this.positions = made.map((one) => one && one.places);
    this.own = this.table(new Array<boolean>(rows.size).fill(true), (row) => folds[0][row] >= first).table;
    this.cuts = shortestCuts(rows.scores[k]);
  }

  private table(trains: readonly boolean[], held: (row: number) => boolean): { table: FoldTable; places: Int32Array } {
    const { rows, k } = this;
    const [distinct, ranks] = [rows.scores[k], rows.ranks[k]];
    const empty = (): ByClass => [new Float64Array(distinct.length), new Float64Array(distinct.length)];
    const cases = empty();
    trains.forEach((own, row) => own && (cases[rows.kindOf(row)][ranks[row]] += rows.sizes[row]));
    const kept = Int32Array.from([...distinct.keys()].filter((rank) => cases[0][rank] + cases[1][rank] > 0));
    const present = ([negative, positive]: ByClass): ByClass => [negative, positive].map((column) => Float64Array.from(kept, (rank) => column[rank])) as unknown as ByClass;
    let paid: PaidSums | null = null;
    if (rows.costs !== null) {
      const [miss, alarm, review] = rows.costs.map((column) => {
        const sums = empty();
        trains.forEach((own, row) => own && (sums[rows.kindOf(row)][ranks[row]] += rows.sizes[row] * column[row]));
        return present(sums);
      });
      paid = { miss, alarm, review };
    }
    const counted = present(cases);
    const training = new Training(counted, paid, paid === null ? pooledBlocks(counted) : null);
    const places = positionsAmong(distinct, Array.from(kept, (rank) => distinct[rank]));
    const judged = [...trains.keys()].filter(held).sort((a, b) => places[ranks[a]] - places[ranks[b]] || a - b);
    const running = runningSums(judged.map((row) => rows.sums(row)), rows.costs === null ? WIDTHS.counts : WIDTHS.costs);
    const width = rows.costs === null ? WIDTHS.counts : WIDTHS.costs;
    return { table: new FoldTable(training, Float64Array.from(judged, (row) => places[ranks[row]]), running, width), places };
  }
}

/** Points of the ROC curve of every model at every distinct score, descending. */
export function rocCurves({ positives, scores, sizes }: CasesData): ModelData["roc"][] {
  return scores.map((column) => {
    const order = [...column.keys()].sort((a, b) => column[b] - column[a]);
    const found: ModelData["roc"] = { fpr: [0], tpr: [0], thresholds: [Infinity] };
    const sums = [0, 0];
    order.forEach((row, at) => {
      sums[row < positives ? 1 : 0] += sizes === null ? 1 : sizes[row];
      if (at + 1 < order.length && column[order[at + 1]] === column[row]) return;
      found.fpr.push(sums[0]);
      found.tpr.push(sums[1]);
      found.thresholds.push(column[row]);
    });
    const rates = (counts: number[], all: number): number[] => counts.map((count) => count / all);
    return { ...found, fpr: rates(found.fpr, sums[0]), tpr: rates(found.tpr, sums[1]) };
  });
}

/** Thresholds passed strictly and thresholds reached, of every score: together its position among training scores. */
function positionsAmong(scores: Float64Array, training: readonly number[]): Int32Array {
  const { lower, upper } = cutPoints(training);
  const places = new Int32Array(scores.length);
  let [passed, reached] = [0, 0];
  for (let rank = 0; rank < scores.length; rank++) {
    while (passed + 1 < training.length && lower[passed + 1] < scores[rank]) passed++;
    while (reached + 1 < training.length && upper[reached + 1] <= scores[rank]) reached++;
    places[rank] = passed + reached;
  }
  return places;
}

/** Pool neighbouring groups until shares of positives rise (demur._kernels.sweep). */
function pooledBlocks([negatives, positives]: ByClass): Pooled {
  const size = negatives.length;
  const [neg, pos, ends] = [new Float64Array(size), new Float64Array(size), new Int32Array(size + 1)];
  let top = 0;
  for (let group = 0; group < size; group++) {
    let [n, p] = [negatives[group], positives[group]];
    // equal shares are one block, also where products of broken weights round apart
    while (top > 0 && pos[top - 1] * n - p * neg[top - 1] >= -4e-16 * (pos[top - 1] * n)) {
      top--;
      n += neg[top];
      p += pos[top];
    }
    [neg[top], pos[top]] = [n, p];
    ends[++top] = group + 1;
  }
  return { negatives: neg.slice(0, top), positives: pos.slice(0, top), ends: ends.slice(0, top + 1) };
}

