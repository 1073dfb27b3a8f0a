/** What the page of many classes reads: rules with the tables of their decisions on held-out cases. */
import { DataError, unpacked, type BlockCost, type DesignData, type ReportData } from "../data";
import { limitsLeftOut } from "../remarks";

const SCHEMA = "demur.class_report";
const VERSION = 4;

/** Rules of a model, simplest first, as demur.comparison.class_learner lists them. */
export const KINDS = [
  "argmax",
  "expected cost",
  "weights",
  "cautious",
  "cautious by class",
  "expected cost, abstaining",
  "weights, abstaining",
] as const;

export interface RuleData {
  model: number;
  kind: string;
  aim: number;
  weights: number[];
  abstain_weight: number | null;
  column_costs: number[][] | null;
  /** Counts of all splits together, a row per true class, abstaining last. */
  honest: number[];
  /** The same of the rule chosen on all cases, once; null where it decides like the honest ones. */
  hindsight: number[] | null;
  /** Cases by class and two different answers of two splits; null where all splits decide alike, empty where they are too many. */
  products: number[] | null;
}

export interface Simplex {
  side: number;
  cells: number[][];
  counts: number[][];
}

export interface ClassModelData {
  name: string;
  columns: string[];
  digest: string;
  simplex: Simplex | null;
}

/** The answer of Python at the costs of the report. */
export interface MadeClassAnswer {
  kind: string;
  model: string | null;
  rule: { weights?: number[] } | null;
  /** The verdict and what to do: the beginning of the headline. */
  decision: string;
  cost: number;
  interval: [low: number, high: number];
  verdict?: "proven" | "likely" | "unproven";
  versus?: Partial<Record<"trivial" | "argmax" | "never_abstaining" | "runner_up", { name: string; difference: number; interval: [number, number] }>>;
  /** Shares of all cases by what the rule as written does with them; abstaining is "abstain". */
  shares: Record<string, number>;
  by_block?: BlockCost[] | null;
  honest_cost?: number;
  shuffled_cost?: number | null;
}

export interface ClassReportData {
  software: { demur: string };
  made: string;
  source: Omit<ReportData["source"], "positive" | "negative" | "exact" | "certified">;
  classes: string[];
  /** The classes as the policy file has them. */
  labels: (string | number)[];
  abstain_label: string | number;
  n: number;
  class_sizes: number[];
  /** With times those of the judged blocks. */
  judged_sizes: number[];
  /** P(class) in use; null: that of the data. */
  shares: number[] | null;
  confidence_level: number;
  /** Number of independent units, and the quantile of Student's t for them; null where cases depend on each other. */
  units: number;
  quantile: number | null;
  folds: number;
  repeats: number;
  seed: number;
  costs: number[][];
  abstain_costs: number[] | null;
  ranged: boolean;
  limits: { max_abstention?: number };
  condition: string;
  headline: string;
  notes: string[];
  design?: DesignData | null;
  comparison: {
    answer: MadeClassAnswer;
    weights?: "importance" | "repeats" | null;
    objective?: string;
    /** Ends of costs that are ranges, abstaining last. */
    costs?: { low: number[][]; high: number[][] };
  };
  models: ClassModelData[];
  trivial: string[];
  levels: { factor: number; abstain_costs: number[] | null; rules: RuleData[] }[];
  rows: { codes: string; sizes: number[] | null; proba: string[] } | null;
}

export function readClassReport(text: string): ClassReportData {
  let data: unknown;
  try {
    data = JSON.parse(text, unpacked);
  } catch {
    throw new DataError("The data of this page are damaged: make the report again.");
  }
  const { schema, version } = (data ?? {}) as { schema?: unknown; version?: unknown };
  if (schema !== SCHEMA || version !== VERSION)
    throw new DataError("This page and its data are of different versions of demur: make the report again.");
  const report = data as ClassReportData;
  const unkept = Object.entries(report.limits).filter(([name]) => name !== "max_abstention");
  return unkept.length ? { ...report, notes: [limitsLeftOut(unkept), ...report.notes] } : report;
}

/** The file, and the group where the cases are part of it. */
export function titleOf({ source: { name, group, part } }: ClassReportData): string {
  return group === null ? name : `${name}, ${group} = ${part}`;
}

/** Little-endian numbers of base64. */
function bytes(text: string): DataView {
  const letters = atob(text);
  const view = new DataView(new ArrayBuffer(letters.length));
  for (let k = 0; k < letters.length; k++) view.setUint8(k, letters.charCodeAt(k));
  return view;
}

export interface Rows {
  codes: Uint16Array;
  sizes: number[] | null;
  /** Of every model: row after row. */
  proba: Float64Array[];
}

export function readRows({ rows }: ClassReportData): Rows | null {
  if (rows === null) return null;
  const codes = bytes(rows.codes);
  return {
    codes: Uint16Array.from({ length: codes.byteLength / 2 }, (_, k) => codes.getUint16(2 * k, true)),
    sizes: rows.sizes,
    proba: rows.proba.map((text) => {
      const view = bytes(text);
      return Float64Array.from({ length: view.byteLength / 8 }, (_, k) => view.getFloat64(8 * k, true));
    }),
  };
}
