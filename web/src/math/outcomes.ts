/** Tables of outcomes (demur.honest.decisions): decisions are 0 (negative), 1 (positive) and 2 (abstain). */

export const ABSTAINED = 2;

/** By class (negative, positive) and decision: element 3 * class + decision. */
export type OutcomeTable = Float64Array;
