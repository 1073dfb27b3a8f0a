/** The rule of one training set and the cases it is judged on (demur.honest.held_out). */
import { below } from "./search";
import { ABSTAINED } from "./trivial";
import type { Aim, Training } from "./training";

/** Positions below the first are called negative, from the second on positive. */
export type Limits = readonly [first: number, last: number];

/** Decisions of one rule of a model: element t of `honest` is what the rule of table t does. */
export interface Decisions {
  honest: readonly Limits[];
  hindsight: Limits;
}

/** Columns of a class: cases, then what they cost called negative, called positive, reviewed, then products of these. */
export const WIDTHS = { counts: 1, costs: 4, products: 10 } as const;
export const COST = [1, 2, 3] as const;
/** Column of the product of the costs of two decisions. */
export const PRODUCT = [
  [4, 7, 8],
  [7, 5, 9],
  [8, 9, 6],
] as const;

/** What a rule decides at a position. */
export function decisionAt(position: number, limits: Limits): number {
  if (position < limits[0]) return 0;
  return position >= limits[1] ? 1 : ABSTAINED;
}

/** The one decision of a rule that treats all cases alike. */
export function always(decision: number): Limits {
  return [decision === 0 ? Infinity : 0, decision === 1 ? 0 : Infinity];
}

/**
 * Groups of training scores, and the cases held out by position: 2g at group g, 2g + 1 on the threshold above it,
 * where an empty window calls positive and others follow `lower`.
 */
export class FoldTable {
  private counted: CutCounts | null = null;

  constructor(
    readonly training: Training,
    /** Position of every held-out row, ascending. */
    private readonly places: Float64Array,
    /** Running sums over these rows, `width` columns of negatives, then of positives. */
    private readonly running: Float64Array,
    readonly width: number,
  ) {}

  /** What the rule of these cases does; null where limits allow none. */
  limits(aim: Aim): Limits | null {
    const cuts = this.training.cuts(aim);
    return cuts && this.limitsOf(cuts);
  }

  /** What a window of groups means for positions. */
  limitsOf([i, j]: readonly [number, number]): Limits {
    return [positionOf(i, i < j, this.training.size), positionOf(j, false, this.training.size)];
  }

  /** Add sums over the held-out cases by class and what one or two rules decide: element (class, decisions, column). */
  add(sums: Float64Array, one: Limits, two: Limits | null = null, share = 1): void {
    const { places, running, width } = this;
    const turns = [0, ...one, ...(two ?? []), Infinity].sort((a, b) => a - b);
    const cells = two === null ? 3 : 9;
    let from = 0;
    for (let k = 0; k + 1 < turns.length; k++) {
      if (turns[k] === turns[k + 1]) continue;
      const to = turns[k + 1] === Infinity ? places.length : below(places, turns[k + 1]);
      if (to === from) continue;
      const a = decisionAt(turns[k], one);
      const cell = two === null ? a : 3 * a + decisionAt(turns[k], two);
      for (let kind = 0; kind < 2; kind++) {
        const at = (kind * cells + cell) * width;
        const column = kind * width;
        for (let c = 0; c < width; c++) {
          sums[at + c] += share * (running[2 * width * to + column + c] - running[2 * width * from + column + c]);
        }
      }
      from = to;
    }
  }

  /** Held-out cases below every cut between blocks, without and with those on its threshold. */
  get atCuts(): CutCounts {
    if (this.counted === null) {
      const { training, places, running, width } = this;
      const at = (cut: number, wide: boolean): number => below(places, positionOf(cut, wide, training.size));
      const counts = (wide: boolean, kind: number): Float64Array =>
        Float64Array.from(training.blockEnds, (cut) => running[2 * width * at(cut, wide) + kind * width]);
      this.counted = {
        below: [counts(false, 0), counts(false, 1)],
        upTo: [counts(true, 0), counts(true, 1)],
        all: [0, 1].map((kind) => running[running.length - (2 - kind) * width]) as [number, number],
      };
    }
    return this.counted;
  }
}

export interface CutCounts {
  below: readonly [negative: Float64Array, positive: Float64Array];
  upTo: readonly [negative: Float64Array, positive: Float64Array];
  all: readonly [negative: number, positive: number];
}

/** First position above a cut; `wide`: cases on the threshold lie below it. */
function positionOf(cut: number, wide: boolean, groups: number): number {
  if (cut === 0) return 0;
  return cut === groups ? Infinity : wide ? 2 * cut : 2 * cut - 1;
}

/** Running sums over rows of columns. */
export function runningSums(rows: readonly Float64Array[], width: number): Float64Array {
  const running = new Float64Array((rows.length + 1) * 2 * width);
  rows.forEach((row, at) => {
    for (let c = 0; c < 2 * width; c++) running[(at + 1) * 2 * width + c] = running[at * 2 * width + c] + row[c];
  });
  return running;
}
