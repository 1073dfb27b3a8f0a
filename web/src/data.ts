/** The JSON inside the page (schema "demur.report", version 1) and its reader. */

export const SCHEMA = "demur.report";
export const VERSION = 1;

/** Weight of the cases of each class, the same for all models. */
export interface Totals {
  n_positive: number;
  n_negative: number;
}

/** Pooled blocks, ascending in score and in share of positives. */
export interface BlockData {
  positives: number[];
  negatives: number[];
  /** Smallest and largest score, and number of distinct scores, per block; only policy files need them. */
  lower?: number[];
  upper?: number[];
  groups?: number[];
}

/** Training blocks of one fold, and the held-out cases by position (2b: in block b, 2b+1: on the cut above). */
export interface FoldData {
  positives: number[];
  negatives: number[];
  held_positives: number[];
  held_negatives: number[];
}

export interface ModelData {
  name: string;
  blocks: BlockData;
  /** SHA-256 of the counts, as in policy files. */
  digest?: string;
  /** Thresholds: window (i, j) is (lower[i], upper[j]). */
  cuts: { lower: number[]; upper: number[] };
  bins: { edges: number[]; positives: number[]; negatives: number[] };
  roc: { fpr: number[]; tpr: number[]; thresholds: number[] };
  /** Empty where cross-fitting is impossible. */
  folds: FoldData[];
  auc: { value: number; low: number; high: number; method: string } | null;
  volume: { hindsight: number; honest: number | null; low: number | null; high: number | null };
  wins: number;
  cost_band: { x: number[]; low: number[]; high: number[] } | null;
}

/** Comparison of model a with model b, differences a minus b. */
export interface PairData {
  a: number;
  b: number;
  grid: number;
  mask: string;
  shares: { a: number; b: number; undecided: number };
  words: string[];
  volume: { difference: number; low: number; high: number; pvalue: number };
  auc: { difference: number; low: number; high: number; pvalue: number } | null;
}

export interface ReportData extends Totals {
  schema: typeof SCHEMA;
  version: typeof VERSION;
  software: { demur: string };
  made: string;
  source: {
    name: string;
    /** Column of the true class; null where arrays were given. */
    label: string | null;
    positive: string;
    negative: string;
    weight: string | null;
    /** Null where only counts were given. */
    rows: number | null;
    exact: boolean;
    certified: number | null;
  };
  n: number;
  confidence_level: number;
  folds: number | null;
  seed: number;
  costs: { cost_fn: number; cost_fp: number; cost_abstain: number | null };
  /** Whether somebody chose those costs; otherwise they are only where the page starts. */
  costs_given?: boolean;
  prevalence: number | null;
  notes: string[];
  models: ModelData[];
  pairs: PairData[];
}

/** The data are not what this page can read; the message is a sentence for the reader. */
export class DataError extends Error {}

/** Parse the JSON of the page; refuse other schemas and versions with a sentence. */
export function readReport(text: string): ReportData {
  let data: Partial<ReportData> | null;
  try {
    data = JSON.parse(text);
  } catch {
    throw new DataError("The data of this page are damaged: they are no JSON. Hint: make the report again.");
  }
  if (data?.schema !== SCHEMA) {
    throw new DataError(`The data must be of the schema ${SCHEMA}, got ${String(data?.schema)}.`);
  }
  if (data.version !== VERSION) {
    throw new DataError(
      `The data must be of version ${VERSION}, got ${String(data.version)}. Hint: make the report again.`,
    );
  }
  const report = data as ReportData;
  if (report.models.length === 0) throw new DataError("The data hold no model.");
  report.models.forEach(readModel);
  return report;
}

/** Only columns of scores may hold "inf"; names that read so stay text. */
function readModel(model: ModelData): void {
  const { cuts, roc, bins, blocks } = model;
  cuts.lower = numbers(cuts.lower);
  cuts.upper = numbers(cuts.upper);
  roc.thresholds = numbers(roc.thresholds);
  bins.edges = numbers(bins.edges);
  if (blocks.lower) blocks.lower = numbers(blocks.lower);
  if (blocks.upper) blocks.upper = numbers(blocks.upper);
  model.folds ??= [];
}

/** "inf" and "-inf" become infinite; null, a threshold that no float can be, becomes NaN. */
function numbers(column: readonly (number | string | null)[]): number[] {
  return column.map((value) => {
    if (value === "inf") return Infinity;
    if (value === "-inf") return -Infinity;
    return value === null ? NaN : (value as number);
  });
}
