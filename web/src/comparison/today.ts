/** The rule in use today, judged like the answer and against it. */
import type { Answer } from "../answer";
import { always } from "../math/foldTable";
import { fixedDecisions, nearestOutcomes, type FixedRule } from "../math/fixedRule";
import type { Prepared } from "../math/models";
import { ratesOf, type Candidate } from "./candidates";
import type { Candidates } from "./choice";
import { costOf, differenceOf, type Estimate } from "./estimates";
import { cornersOf, type Ends } from "./problem";
import { RowSource } from "./rowSource";

export interface TodayFacts {
  /** Honest and with hindsight alike: no case chose the rule. */
  cost: Estimate;
  /** Shares of all cases by class and decision. */
  shares: ArrayLike<number>;
  /** What the answer costs beyond the rule of today, per case. */
  change: { difference: number; interval: Ends };
  /** Whether the page holds every score, so that nothing was rounded to thresholds at hand. */
  exact: boolean;
}

/** Judge a fixed rule and the change to the answer; without intervals unless the hand rests. */
export function todayFacts(rule: FixedRule, { rule: best, facts }: Answer, candidates: Candidates, prepared: Prepared, rests: boolean): TodayFacts {
  const { problem } = candidates;
  const inference = rests ? candidates.inference : { ...candidates.inference, quantile: NaN };
  const today = fixedCandidate(rule, candidates, prepared);
  const cost = costOf(today, problem, inference);
  const found = differenceOf(best, today, problem, cornersOf(problem), inference, facts.cost - facts.honest_cost);
  const exact = inference.source instanceof RowSource;
  // any dependence between the two: their half-widths add up
  const own = costOf(best, problem, inference).interval;
  const interval: Ends = exact ? found.interval : [own[0] - cost.interval[1], own[1] - cost.interval[0]];
  return { cost, shares: ratesOf(today.honest, problem.prevalence), change: { difference: found.difference, interval }, exact };
}

function fixedCandidate(rule: FixedRule, { inference: { source }, trivial }: Candidates, { report, models }: Prepared): Candidate {
  const base: Candidate = { ...trivial[0], kind: "window", model: rule.model, constant: null, decisions: { honest: [], hindsight: always(0) }, order: [0, 0] };
  if (!(source instanceof RowSource)) {
    const table = nearestOutcomes(rule, report, models[rule.model].data);
    return { ...base, honest: table, hindsight: table, paid: null };
  }
  const { rows, judged } = source;
  const fixed = fixedDecisions(rule, rows);
  const table = (weight: Float64Array, cost: (row: number, action: number) => number): Float64Array => {
    const sums = new Float64Array(6);
    fixed.forEach((action, row) => (sums[3 * rows.kindOf(row) + action] += weight[row] * cost(row, action)));
    return sums;
  };
  const paid = (weight: Float64Array): Float64Array => table(weight, (row, action) => rows.costs![action][row]);
  return {
    ...base,
    fixed,
    honest: table(judged, () => 1),
    hindsight: table(judged, () => 1),
    paid: rows.costs === null ? null : [paid(judged), paid(judged)],
  };
}
