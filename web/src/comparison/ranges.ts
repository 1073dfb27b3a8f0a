/** Costs known as ranges: rules of least regret over a box of costs, judged honestly (demur.comparison.choice). */
import { cornersOf, neverCorners, type Box } from "../math/box";
import type { Surface } from "../math/surface";
import type { CostPoint } from "../math/units";
import type { RuleLimits } from "../math/windowSearch";
import { judgedRule, type Candidate, type Judged } from "./candidates";
import { honestCost, type Question } from "./estimates";

/** The corners of a box, and what rules chosen for each corner alone cost there. */
export interface OverRange {
  box: Box;
  corners: readonly CostPoint[];
  floors: readonly number[];
}

/** The single threshold and the window of one model that regret least over a box. */
export function rangeCandidates(
  judged: Judged,
  surface: Surface,
  model: number,
  box: Box,
  { mu, nu }: CostPoint,
  limits: RuleLimits | null,
): Candidate[] {
  const aims = [
    { kind: "threshold", price: Infinity, points: neverCorners(box) },
    { kind: "window", price: nu, points: cornersOf(box) },
  ] as const;
  return aims.flatMap(({ kind, price, points }) => {
    const cuts = surface.rangeCuts(points, limits);
    const learned = cuts && judged.decideOver(points, limits);
    return cuts === null || learned === null ? [] : [judgedRule(judged, kind, model, surface, cuts, { mu, nu: price }, learned)];
  });
}

/** Honest cost of a rule at another point. */
function costAt(rule: Candidate, question: Question, point: CostPoint): number {
  return honestCost(rule, { ...question, ...point });
}

/** The least honest cost at every corner among given rules and those chosen for the corner alone. */
export function overRange(
  box: Box,
  question: Question,
  rules: readonly Candidate[],
  chosenFor: (corner: CostPoint) => readonly Candidate[],
): OverRange {
  const corners = cornersOf(box);
  const floors = corners.map((corner) =>
    Math.min(...[...rules, ...chosenFor(corner)].map((rule) => costAt(rule, question, corner))),
  );
  return { box, corners, floors };
}

/** The largest honest cost of a rule over the box, and its largest excess over rules chosen for the true costs. */
export function rangeCosts(rule: Candidate, question: Question, { corners, floors }: OverRange) {
  const costs = corners.map((corner) => costAt(rule, question, corner));
  return { worst: Math.max(...costs), regret: Math.max(...costs.map((cost, c) => cost - floors[c])) };
}
