/** The tests of two models in the order the reader asked for. */
import type { DifferenceData, PairData, ReportData } from "./data";

function flipped(test: DifferenceData): DifferenceData {
  return { ...test, difference: -test.difference, low: -test.high, high: -test.low };
}

/** Differences of volume and AUC, a minus b; null where the data hold no test of the pair. */
export function testsOf(report: ReportData, a: number, b: number): Pick<PairData, "volume" | "auc" | "comparisons"> | null {
  const stored = report.pairs.find((pair) => Math.min(a, b) === pair.a && Math.max(a, b) === pair.b);
  if (stored === undefined || stored.a === a) return stored ?? null;
  return { volume: flipped(stored.volume), auc: flipped(stored.auc), comparisons: stored.comparisons };
}
