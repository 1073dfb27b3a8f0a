/** What a report holds of the cases, ready to judge rules: each case, or sums by fold and group of scores. */
import type { Judged } from "../comparison/candidates";
import type { Inference, Source } from "../comparison/estimates";
import { RowSource } from "../comparison/rowSource";
import { TableSource } from "../comparison/tableSource";
import type { FoldData, GroupData, GroupSums, ModelData, ReportData } from "../data";
import { COST, FoldTable, PRODUCT, runningSums, WIDTHS } from "./foldTable";
import { Rows } from "./rows";
import { Training, type ByClass } from "./training";

export interface Evidence {
  /** Null where the cases are too many for a page. */
  rows: Rows | null;
  /** Element k: all cases by the scores of model k. */
  own: readonly Training[];
  /** Element k: model k; null where the cases allow no honest cost. */
  judged: readonly Judged[] | null;
  inference: Inference | null;
  /** Element k: the model with every score, or group of scores, as a block. */
  fine: readonly ModelData[];
}

const made = new WeakMap<ReportData, Evidence>();

/** Made once for a report. */
export function evidenceOf(report: ReportData): Evidence {
  let found = made.get(report);
  if (found === undefined) {
    found = report.cases === null ? fromTables(report) : fromRows(report);
    made.set(report, found);
  }
  return found;
}

function inferenceOf(report: ReportData, source: Source): Inference {
  const { quantile, rate_variance, same_review } = report.inference!;
  return { source, quantile: quantile ?? NaN, rateVariance: rate_variance, sameReview: same_review };
}

function fromRows(report: ReportData): Evidence {
  const { inference } = report;
  const rows = new Rows(report.cases!, report.amounts);
  const repeats = rows.folds.length;
  const judged = report.models.map((_, k): Judged => {
    const { tables, own } = rows.model(k);
    return { tables, own, repeats, forward: report.cases!.forward };
  });
  const fine = report.models.map((model, k) => {
    const { own, cuts } = rows.model(k);
    const [negatives, positives] = own.training.cases;
    return fineModel(model, positives, negatives, rows.scores[k], rows.scores[k], cuts);
  });
  const own = judged.map((one) => one.own.training);
  if (inference === null) return { rows, own, judged: null, inference: null, fine };
  const source = new RowSource(rows, inference.weights === "importance", inference.units);
  return { rows, own, judged, inference: inferenceOf(report, source), fine };
}

function fromTables(report: ReportData): Evidence {
  const { amounts, inference, models } = report;
  const repeats = report.repeats ?? 1;
  const groups = amounts?.groups ?? null;
  const honest = inference !== null && (groups !== null || models.every(({ folds }) => folds.length > 0));
  const judged = models.map((model, k): Judged => {
    const { tables, own } = groups === null ? classTables(model) : groupTables(groups[k], amounts!.same, repeats);
    return { tables, own, repeats, forward: false };
  });
  const fine = models.map((model, k) => {
    if (groups === null) return model;
    const { lower, upper, cuts } = groups[k];
    const [negatives, positives] = judged[k].own.training.cases;
    return fineModel(model, positives, negatives, lower, upper, cuts);
  });
  const own = judged.map((one) => one.own.training);
  if (!honest || inference === null) return { rows: null, own, judged: null, inference: null, fine };
  const largest = amounts?.worst ?? null;
  const source = new TableSource(judged, inference.weights === "importance", inference.units, amounts && amounts.same, largest);
  return { rows: null, own, judged, inference: inferenceOf(report, source), fine };
}

function fineModel(model: ModelData, positives: Float64Array, negatives: Float64Array, lower: ArrayLike<number>, upper: ArrayLike<number>, cuts: { lower: ArrayLike<number>; upper: ArrayLike<number> }): ModelData {
  const blocks = {
    positives: Array.from(positives),
    negatives: Array.from(negatives),
    lower: Array.from(lower),
    upper: Array.from(upper),
    groups: Array.from(positives, () => 1),
  };
  return { ...model, blocks, cuts: { lower: Array.from(cuts.lower), upper: Array.from(cuts.upper) } };
}

// ---------------------------------------------------------------- counts by pooled block

function classTables({ blocks, folds }: ModelData): { tables: FoldTable[]; own: FoldTable } {
  const spread = (counts: readonly number[]): number[] => Array.from({ length: Math.max(2 * counts.length - 1, 0) }, (_, at) => (at % 2 ? 0 : counts[at / 2]));
  const own = { ...blocks, held_positives: spread(blocks.positives), held_negatives: spread(blocks.negatives) };
  return { tables: folds.map(classTable), own: classTable(own) };
}

function classTable({ positives, negatives, held_positives, held_negatives }: FoldData): FoldTable {
  const cases: ByClass = [Float64Array.from(negatives), Float64Array.from(positives)];
  const ends = Int32Array.from({ length: positives.length + 1 }, (_, at) => at);
  const training = new Training(cases, null, { negatives: cases[0], positives: cases[1], ends });
  const places = [...held_positives.keys()].filter((at) => held_positives[at] + held_negatives[at] > 0);
  const running = runningSums(places.map((at) => Float64Array.of(held_negatives[at], held_positives[at])), WIDTHS.counts);
  return new FoldTable(training, Float64Array.from(places), running, WIDTHS.counts);
}

// ---------------------------------------------------------------- sums of costs by group of scores

type Same = readonly (readonly (number | null)[])[];

/** Cuts lie between groups only, so no held-out case lies on one: those of group g have position 2g. */
function groupTables(group: GroupData, same: Same, repeats: number): { tables: FoldTable[]; own: FoldTable } {
  const size = group.lower.length;
  const places = Float64Array.from({ length: size }, (_, g) => 2 * g);
  const width = WIDTHS.products;
  const held = group.folds.map((sums) => Array.from({ length: size }, (_, g) => groupRow(sums, g, same)));
  // every split holds all cases once
  const everyone = Array.from({ length: size }, (_, g) => held.reduce((row, fold) => row.map((sum, c) => sum + fold[g][c] / repeats), new Float64Array(2 * width)));
  const training = (rows: readonly Float64Array[]): Training => {
    const column = (c: number): ByClass => [0, width].map((from) => Float64Array.from(rows, (row) => row[from + c])) as unknown as ByClass;
    const [miss, alarm, review] = COST.map(column);
    return new Training(column(0), { miss, alarm, review }, null);
  };
  const tables = held.map((rows) => {
    const others = everyone.map((row, g) => row.map((sum, c) => sum - rows[g][c]));
    return new FoldTable(training(others), places, runningSums(rows, width), width);
  });
  return { tables, own: new FoldTable(training(everyone), places, runningSums(everyone, width), width) };
}

/** Sums over a group; costs that are the same for a whole class, and their products, are multiples of its cases. */
function groupRow(classes: readonly GroupSums[], g: number, same: Same): Float64Array {
  const width = WIDTHS.products;
  const row = new Float64Array(2 * width);
  classes.forEach(({ cases, columns }, kind) => {
    const at = kind * width;
    row[at] = cases[g];
    for (const [column, values] of Object.entries(columns)) row[at + Number(column)] = values[g];
    same[kind].forEach((cost, decision) => {
      if (cost !== null) row[at + COST[decision]] = cost * row[at];
    });
    PRODUCT.forEach((products, a) =>
      products.forEach((column, b) => {
        if (b < a) return;
        const [one, two] = [same[kind][a], same[kind][b]];
        if (one !== null) row[at + column] = one * row[at + COST[b]];
        else if (two !== null) row[at + column] = two * row[at + COST[a]];
      }),
    );
  });
  return row;
}
