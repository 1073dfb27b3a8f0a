/** Tables of outcomes (demur.honest.decisions): decisions are 0 (negative), 1 (positive) and 2 (abstain). */

export const ABSTAINED = 2;

/** Cases by class (negative, positive) and decision: element 3 * class + decision. */
export type OutcomeTable = Float64Array;

/** Cases by class and the decisions of two rules: element 9 * class + 3 * first + second. */
export type JointTable = Float64Array;

/** Whether two rules decide alike on every case. */
export function decideAlike(joint: JointTable): boolean {
  return joint.every((cases, at) => cases === 0 || Math.floor((at % 9) / 3) === at % 3);
}
