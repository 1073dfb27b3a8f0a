/** Rules to choose from: per model a window and a single threshold, and three without a model. */
import type { Decisions, JudgedModel } from "../math/judged";
import { MoneyModel } from "../math/moneyModel";
import type { Bill } from "../math/moneySums";
import { ABSTAINED, type OutcomeTable } from "../math/outcomes";
import type { Surface, Window } from "../math/surface";
import { TRIVIAL_RULES, type TrivialRule } from "../math/trivial";
import type { CostPoint } from "../math/units";
import type { RuleLimits } from "../math/windowSearch";

const TIE = 1e-12;

/** One rule: what it is, what it decides on the cases, and the tables of its outcomes. */
export interface Candidate {
  kind: "window" | "threshold" | TrivialRule;
  /** Place of its model; null without a model. */
  model: number | null;
  /** Thresholds chosen on all cases; null without a model. */
  window: Window | null;
  decisions: Decisions;
  honest: OutcomeTable;
  hindsight: OutcomeTable;
  /** What was paid, honest and with hindsight, where every case has its own costs. */
  bills: readonly [honest: Bill, hindsight: Bill] | null;
}

/** A model judged on held-out cases, by class costs or by amounts. */
export type Judged = JudgedModel | MoneyModel;

/** The decision each rule without a model makes on every case. */
const DECISION: Record<TrivialRule, number> = {
  "always positive": 1,
  "always negative": 0,
  "always abstain": ABSTAINED,
};

/** The rules without a model that keep the limits, simplest first; abstaining needs a price. */
export function trivialCandidates(
  judged: Judged,
  nu: number,
  rate: number,
  limits: RuleLimits | null,
): Candidate[] {
  return TRIVIAL_RULES.filter((kind) => kind !== "always abstain" || Number.isFinite(nu))
    .filter((kind) => limits === null || keepsLimits(kind, rate, limits))
    .map((kind) => candidate(judged, kind, null, null, judged.always(DECISION[kind])));
}

/** Whether one decision for all cases keeps the limits at a share `rate` of positives. */
export function keepsLimits(kind: TrivialRule, rate: number, limits: RuleLimits): boolean {
  if (kind === "always abstain") return (limits.maxAbstention ?? 1) >= 1;
  if (kind === "always positive") return rate >= (limits.minPrecisionPositive ?? 0) * (1 - TIE);
  return 1 - rate >= (limits.minPrecisionNegative ?? 0) * (1 - TIE) && (limits.maxFnRate ?? 1) >= 1;
}

/**
 * The single threshold and, where abstaining has a price, the window of one model; under limits only
 * those that keep them, with all cases and without each fold.
 */
export function modelCandidates(
  judged: Judged,
  surface: Surface,
  model: number,
  mu: number,
  nu: number,
  limits: RuleLimits | null,
): Candidate[] {
  const aims: [kind: "threshold" | "window", nu: number][] = [["threshold", Infinity]];
  if (Number.isFinite(nu)) aims.push(["window", nu]);
  return aims.flatMap(([kind, price]) => {
    const cuts = limits === null ? surface.cuts(mu, price) : surface.limitedCuts(mu, price, limits);
    if (cuts === null) return [];
    const learned = limits === null ? judged.decide(mu, price) : judged.decideWithin(mu, price, limits);
    if (learned === null) return [];
    return [judgedRule(judged, kind, model, surface, cuts, { mu, nu: price }, learned)];
  });
}

/** A rule of a model with what it decides: alike on all cases where its window does. */
export function judgedRule(
  judged: Judged,
  kind: "threshold" | "window",
  model: number,
  surface: Surface,
  cuts: readonly [i: number, j: number],
  { mu, nu }: CostPoint,
  learned: Decisions,
): Candidate {
  const alike = sameForAll(...cuts, surface.size);
  const decisions = alike === null ? learned : judged.always(alike);
  return candidate(judged, kind, model, surface.windowAt(...cuts, mu, nu), decisions);
}

/** The one decision of a window that treats all cases alike; null for any other. */
export function sameForAll(i: number, j: number, blocks: number): number | null {
  if (j === 0) return 1;
  if (i === blocks) return 0;
  return i === 0 && j === blocks ? ABSTAINED : null;
}

function candidate(
  judged: Judged,
  kind: Candidate["kind"],
  model: number | null,
  window: Window | null,
  decisions: Decisions,
): Candidate {
  const bills = judged instanceof MoneyModel ? judged.bills(decisions) : null;
  return {
    kind,
    model,
    window,
    decisions,
    honest: bills?.[0].cases ?? judged.outcomes(decisions),
    hindsight: bills?.[1].cases ?? judged.hindsight(decisions),
    bills,
  };
}
