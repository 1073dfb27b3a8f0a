/** The JSON inside the page (schema "demur.report", version 5) and its reader. */

import type { Facts } from "./comparison/facts";
import { rocCurves } from "./math/rows";
import { grouped } from "./numbers";

const SCHEMA = "demur.report";
const VERSION = 5;

/** Weight of the cases of each class, the same for all models. */
export interface Totals {
  n_positive: number;
  n_negative: number;
}

/** Weight of each class in pooled blocks, ascending in score and in share of positives. */
export interface BlockCounts {
  positives: number[];
  negatives: number[];
}

export interface BlockData extends BlockCounts {
  /** Smallest and largest score, and number of distinct scores, per block. */
  lower: number[];
  upper: number[];
  groups: number[];
}

/** Training blocks of one fold, and the held-out cases by position (2b: in block b, 2b+1: on the cut above). */
export interface FoldData {
  positives: number[];
  negatives: number[];
  held_positives: number[];
  held_negatives: number[];
}

/** Bounds of a distribution function: that of any count up to counts[k] is element k. */
export interface StepBounds {
  counts: number[];
  upper: number[];
  /** Where bounds from below are needed as well, all share the probability to fail; null where they are too many. */
  both_upper: number[] | null;
  both_lower: number[] | null;
}

/** Bounds that hold for every sample size and the choice among all models: shares of all cases, or of a class. */
export interface BoundsData {
  all: StepBounds;
  positive: StepBounds;
  negative: StepBounds;
}

/** Every case with its fold in every split, its cluster and its score by every model; positives first. */
export interface CasesData {
  positives: number;
  /** Null: every case counts once. */
  sizes: number[] | null;
  /** Element r: a digit for every case, its fold in split r. */
  folds: string[];
  /** Whether folds are blocks of time, and the first of them that is judged. */
  forward: boolean;
  first: number;
  /** Null: cases are independent. */
  clusters: number[] | null;
  /** Element k: the score of every case by model k. */
  scores: number[][];
}

/** What intervals and the cost after the choice need besides the cases. */
export interface InferenceData {
  /** Number of independent units: cases or clusters. */
  units: number;
  /** Quantile of Student's t for them at the confidence level; null where the page cannot give intervals. */
  quantile: number | null;
  weights: "importance" | "repeats" | null;
  /** Variance of the share of positives in use, where that is an estimate. */
  rate_variance: number;
  /** Whether labels are missing where a rule would not be chosen at random. */
  selected: boolean;
  /** Whether a review costs the same whatever the class, where costs differ by case. */
  same_review: boolean;
  /** Whether windows, thresholds and rules without a model are all there was to choose from. */
  windows: boolean;
}

/** Sums over the cases of one class in each group: cases, and the columns that differ by case, by number. */
export interface GroupSums {
  cases: number[];
  columns: Record<string, number[]>;
}

/** Scores in groups, with sums over the cases of every fold; too many cases for a page to hold them all. */
export interface GroupData {
  /** Smallest and largest score of every group. */
  lower: number[];
  upper: number[];
  cuts: { lower: number[]; upper: number[] };
  /** Element t: negatives and positives of fold t, the splits one after the other. */
  folds: [negative: GroupSums, positive: GroupSums][];
}

/** A number, or amounts: their column, and their mean and total over the cases that can incur the cost. */
export interface NamedCost {
  value: number | null;
  column: string | null;
  class?: "positive" | "negative" | null;
  cases?: number;
  mean?: number;
  /** Null with importance weights. */
  total?: number | null;
}

/** Costs that differ by case; the page's prices are factors on them. */
export interface AmountsData {
  /** Arguments of CaseCosts: a number, or amounts. */
  named: Record<string, NamedCost>;
  /** What all cases of a class (negative, positive) cost under each decision; null where that differs by case. */
  same: (number | null)[][];
  /** By class and decision what its cases cost, in the order of `cases`; null where they cost the same. */
  columns: (number[] | null)[][] | null;
  /** Element k: groups of model k; null where the cases themselves are at hand. */
  groups: GroupData[] | null;
  /** Element k: largest cost by class and decision of the cases that model k may treat so; null as `groups`. */
  worst: number[][][] | null;
  /** Mean cost of a missed positive. */
  missed: number;
  /** Whether rules may read the costs of a case when they decide it. */
  known: boolean;
}

export interface ModelData {
  name: string;
  blocks: BlockData;
  /** SHA-256 of the counts, as in policy files. */
  digest: string;
  /** Thresholds: window (i, j) is (lower[i], upper[j]). */
  cuts: { lower: number[]; upper: number[] };
  bins: { edges: number[]; positives: number[]; negatives: number[]; log_odds?: boolean };
  /** In the file null where the page holds the cases: it follows from them. */
  roc: { fpr: number[]; tpr: number[]; thresholds: number[] };
  /** Tables of all splits, one after the other; empty where honest costs are impossible or the page holds the cases. */
  folds: FoldData[];
  auc: { value: number; low: number; high: number } | null;
  volume: { hindsight: number; honest: number | null; low: number | null; high: number | null };
  wins: number;
  cost_band: { x: number[]; low: number[]; high: number[] } | null;
  /** What Python computed once, for charts that no price moves. */
  evidence?: EvidenceData;
}

export interface NetBenefitData {
  threshold: number[];
  value: number[];
  /** Null where cases are not independent. */
  low: number[] | null;
  high: number[] | null;
}

export interface RiskCoverageData {
  coverage: number[];
  risk: number[];
  aurc: number;
}

/** A rule in one group of cases; intervals hold for all groups together. */
export interface GroupRow {
  name: string;
  n: number;
  decided: number;
  decided_interval: number[];
  miss_rate: number | null;
  miss_rate_interval: number[] | null;
  alarm_rate: number | null;
  alarm_rate_interval: number[] | null;
  cost: number | null;
  cost_interval: number[] | null;
}

export interface GroupsData {
  model: string;
  lower: number;
  upper: number;
  groups: GroupRow[];
  /** Whether these cases also chose the rule. */
  hindsight: boolean;
  overall: GroupRow;
}

export interface EvidenceData {
  average_precision: number | null;
  /** Null unless the scores are probabilities; the curve itself follows from the blocks. */
  calibration: {
    brier: number;
    miscalibration: number;
    pvalue: number | null;
    band: { level: number; forecast: number[]; low: number[]; high: number[] } | null;
  } | null;
  net_benefit: NetBenefitData | null;
  risk_coverage: RiskCoverageData | null;
}

/** Comparison of model a with model b, differences a minus b. */
export interface PairData {
  a: number;
  b: number;
  volume: DifferenceData;
  auc: DifferenceData;
  /** Number of pairs whose p-values were adjusted together. */
  comparisons: number;
}

export interface DifferenceData {
  difference: number;
  low: number;
  high: number;
  pvalue: number;
  /** As in the table of the command line (Holm). */
  adjusted_pvalue: number;
}

/** How cases hang together that are not independent. */
export interface DesignData {
  /** What the intervals of the answer count; null where that is cases. */
  clusters: number | null;
  /** Size of the cluster of a case, on average: what a policy counts as one case. */
  cluster_size: number | null;
  /** First and last time of the blocks that the answer is judged on; null without times. */
  period: (string | number)[] | null;
}

/** What the answer costs in one block of time, by rules chosen on the blocks before. */
export interface BlockCost {
  block: number;
  start: string | number;
  end: string | number;
  n: number;
  cost: number;
  interval: readonly [low: number, high: number];
}

/** Number of places for reviews in every batch; its period is null where batches are no dates. */
export interface BudgetData {
  reviews: number;
  column: string;
  key: string;
  per: string | null;
  arrival: boolean;
  carry_over: boolean;
}

/** The comparison the report was made for, at the costs the page starts with. */
export interface ComparisonData {
  answer: {
    facts: Facts;
    /** The verdict and what to do, and all words. */
    decision?: string;
    words?: string;
    condition?: string;
    /** Honest shares of all cases by class (negative first) and decision (abstaining last), and what they cost. */
    confusion?: number[][];
    confusion_cost?: number[][];
    /** Shares of all cases by decision of the rule as written; abstaining is "abstain". */
    shares?: Record<string, number>;
    /** With times; else null. */
    by_block?: BlockCost[] | null;
    /** Measured, forward in time and by a shuffled split. */
    honest_cost?: number;
    shuffled_cost?: number | null;
  } | null;
  objective: string;
  /** Null where one prevalence was asked for. */
  prevalence_range: [number, number] | null;
  limits: Record<string, number>;
  weights: string | null;
  /** Models combined into further ones, prices of asking models, a model of doubt: rules beyond those of the page. */
  include?: string[];
  prices?: Record<string, number>;
  doubt?: string | null;
  budget?: BudgetData | null;
  /** As the costs describe themselves. */
  costs: Record<string, unknown> | null;
}

export interface ReportData extends Totals {
  schema: typeof SCHEMA;
  version: typeof VERSION;
  software: { demur: string };
  made: string;
  source: {
    name: string;
    /** Column by which the cases were divided, and its value for these; null where they are all of the file. */
    group: string | null;
    part: string | null;
    /** Column of the true class; null where arrays were given. */
    label: string | null;
    positive: string;
    negative: string;
    weight: string | null;
    /** Columns of clusters and of times; null where there are none, or arrays were given. */
    cluster?: string | null;
    time?: string | null;
    /** Null where only counts were given. */
    rows: number | null;
    exact: boolean;
    certified: number | null;
  };
  n: number;
  confidence_level: number;
  /** Parts of each split, and splits averaged; null without honest costs. */
  folds: number | null;
  repeats: number | null;
  seed: number;
  costs: {
    cost_fn: number;
    cost_fp: number;
    cost_abstain: number | null;
    cost_tp: number;
    cost_tn: number;
    cost_abstain_positive: number | null;
    cost_abstain_negative: number | null;
    /** Whose fee and mistakes are the cost of abstaining; null where that was given itself. */
    reviewer: { fee: number; sensitivity: number; specificity: number } | null;
  };
  /** Whether somebody chose those costs; otherwise they are only where the page starts. */
  costs_given: boolean;
  prevalence: number | null;
  headline: string;
  notes: string[];
  /** Null where cases are independent. */
  design?: DesignData | null;
  /** Null where the cases allow no honest cost. */
  comparison: ComparisonData | null;
  /** Null where no bound holds for every sample size. */
  bounds: BoundsData | null;
  /** Null where the cases are too many for a page. */
  cases: CasesData | null;
  /** Null where the cases allow no honest cost. */
  inference: InferenceData | null;
  /** Null where all cases of a class cost the same. */
  amounts: AmountsData | null;
  /** The rule of the answer by group; null where no groups were given. */
  groups?: GroupsData | null;
  models: ModelData[];
  pairs: PairData[];
}

/** What the evidence of a policy says of clusters: nothing where cases are independent. */
export function clusterSize(design: DesignData | null | undefined): { cluster_size?: number } {
  return design?.cluster_size == null ? {} : { cluster_size: design.cluster_size };
}

/** "480 cases, intervals count 60 clusters, judged from 2024-03-31 to 2024-10-26"; `cases` is the beginning. */
export function designWords(cases: string, design: DesignData | null | undefined): string {
  const clusters = design?.clusters == null ? "" : `, intervals count ${grouped(design.clusters, 0)} clusters`;
  const period = design?.period == null ? "" : `, judged from ${design.period.join(" to ")}`;
  return `${cases}${clusters}${period}`;
}

/** The data are not what this page can read; the message is a sentence for the reader. */
export class DataError extends Error {}

/** Parse the JSON of the page; refuse other schemas and versions with a sentence. */
export function readReport(text: string): ReportData {
  let data: Partial<ReportData> | null;
  try {
    data = JSON.parse(text, unpacked);
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
  for (const group of report.amounts?.groups ?? []) readGroups(group);
  if (report.cases) {
    report.cases.scores = report.cases.scores.map(numbers);
    rocCurves(report.cases).forEach((roc, k) => (report.models[k].roc = roc));
  }
  if (report.groups) [report.groups.lower, report.groups.upper] = numbers([report.groups.lower, report.groups.upper]);
  const facts = report.comparison?.answer?.facts;
  if (facts) [facts.lower, facts.upper] = numbers([facts.lower, facts.upper]);
  return report;
}

/** Only columns of scores may hold "inf"; names that read so stay text. */
function readModel(model: ModelData): void {
  const { cuts, roc, bins, blocks } = model;
  cuts.lower = numbers(cuts.lower);
  cuts.upper = numbers(cuts.upper);
  if (roc !== null) roc.thresholds = numbers(roc.thresholds);
  bins.edges = numbers(bins.edges);
  blocks.lower = numbers(blocks.lower);
  blocks.upper = numbers(blocks.upper);
}

function readGroups(group: GroupData): void {
  group.lower = numbers(group.lower);
  group.upper = numbers(group.upper);
  group.cuts = { lower: numbers(group.cuts.lower), upper: numbers(group.cuts.upper) };
}

/** Columns of numbers that are packed in a page: floats, whole numbers, or steps between them, as base64 of their bytes. */
export function unpacked(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { $f, $u, $d } = value as { $f?: string; $u?: string; $d?: string };
  if ($f !== undefined) {
    const bytes = bytesOf($f);
    const view = new DataView(bytes.buffer);
    return Array.from({ length: bytes.length / 8 }, (__, at) => view.getFloat64(8 * at, true));
  }
  const text = $u ?? $d;
  if (text === undefined) return value;
  const found: number[] = [];
  let [number, unit] = [0, 1];
  for (const byte of bytesOf(text)) {
    // seven bits each, the lowest first; the last byte of a number is below 128
    number += (byte & 127) * unit;
    unit *= 128;
    if (byte > 127) continue;
    found.push($d === undefined ? number : number + (found.at(-1) ?? 0));
    [number, unit] = [0, 1];
  }
  return found;
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

/** "inf" and "-inf" become infinite; null, a threshold that no float can be, becomes NaN. */
function numbers(column: readonly (number | string | null)[]): number[] {
  return column.map((value) => {
    if (value === "inf") return Infinity;
    if (value === "-inf") return -Infinity;
    return value === null ? NaN : (value as number);
  });
}
