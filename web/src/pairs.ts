/** The tests of two models in the order the reader asked for. */
import type { PairData, ReportData } from "./data";

export interface Difference {
  difference: number;
  low: number;
  high: number;
  pvalue: number;
}

function flipped({ difference, low, high, pvalue }: Difference): Difference {
  return { difference: -difference, low: -high, high: -low, pvalue };
}

/** Differences of volume and AUC, a minus b; null where the data hold no test of the pair. */
export function testsOf(report: ReportData, a: number, b: number): Pick<PairData, "volume" | "auc"> | null {
  const stored = report.pairs.find((pair) => Math.min(a, b) === pair.a && Math.max(a, b) === pair.b);
  if (stored === undefined || stored.a === a) return stored ?? null;
  return { volume: flipped(stored.volume), auc: flipped(stored.auc) };
}
