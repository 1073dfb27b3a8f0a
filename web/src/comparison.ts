/** The comparison of two models in the order the reader asked for. */
import type { PairData, ReportData } from "./data";

export interface Difference {
  difference: number;
  low: number;
  high: number;
  pvalue: number;
}

function flipped(found: Difference): Difference {
  return { difference: -found.difference, low: -found.high, high: -found.low, pvalue: found.pvalue };
}

/** The stored pair with a first; null where the data hold none. */
export function comparisonOf(report: ReportData, a: number, b: number): PairData | null {
  const stored = report.pairs.find(
    (pair) => (pair.a === a && pair.b === b) || (pair.a === b && pair.b === a),
  );
  if (stored === undefined || stored.a === a) return stored ?? null;
  const swap: Record<string, string> = { a: "b", b: "a", u: "u" };
  return {
    ...stored,
    a,
    b,
    mask: stored.mask.replace(/[ab]/g, (letter) => swap[letter]),
    shares: { ...stored.shares, a: stored.shares.b, b: stored.shares.a },
    volume: flipped(stored.volume),
    auc: stored.auc === null ? null : flipped(stored.auc),
  };
}
