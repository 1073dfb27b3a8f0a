/** The ROC convex hull: its edges are the blocks (demur.roc). */
import type { BlockCounts } from "../data";
import { sumsAbove } from "./masses";

/** Element c: rates when the first c blocks are not called positive, from (1, 1) down to (0, 0). */
export interface Hull {
  fpr: Float64Array;
  tpr: Float64Array;
}

/** A window (i, j) has its two ends at the elements i and j; null if a class is missing. */
export function rocHull(blocks: BlockCounts): Hull | null {
  const [negatives, positives] = [sumsAbove(blocks.negatives), sumsAbove(blocks.positives)];
  if (!negatives[0] || !positives[0]) return null;
  return {
    fpr: negatives.map((sum) => sum / negatives[0]),
    tpr: positives.map((sum) => sum / positives[0]),
  };
}
