/** The rule in use today, judged like the answer and against it. */
import { fixedOutcomes, jointWithFixed, type FixedRule } from "../math/fixedRule";
import { differenceInterval, differenceSums, pricesAt } from "../math/intervals";
import type { Prepared } from "../math/models";
import { scoreLevel } from "../math/scoreLevel";
import type { ReportData } from "../data";
import type { RuleLimits } from "../math/windowSearch";
import { modelCandidates, type Candidate } from "./candidates";
import { costOf, honestCost, ratesOf, type Estimate, type Question } from "./estimates";

export interface TodayFacts {
  /** Honest and with hindsight alike: no case chose the rule. */
  cost: Estimate;
  /** Shares of all cases by class and decision. */
  shares: ArrayLike<number>;
  /** The answer minus the rule of today, per case. */
  change: { difference: number; interval: readonly number[] };
  /** Whether the page holds every score, so that nothing was rounded to thresholds at hand. */
  exact: boolean;
}

/** Judge a fixed rule and the change to `best`; `fine` prepares every score, null where the page does not hold them. */
export function todayFacts(
  rule: FixedRule,
  best: Candidate,
  report: ReportData,
  question: Question,
  fine: Prepared | null,
  limits: RuleLimits | null,
  searched: boolean,
): TodayFacts {
  const level = scoreLevel(report);
  const table = fixedOutcomes(rule, report, level);
  const today: Candidate = { ...best, kind: "window", model: rule.model, window: null, honest: table, hindsight: table, bills: null };
  const cost = costOf(today, question);
  const difference = honestCost(best, question) - cost.cost;
  const shares = ratesOf(table, question.prevalence);
  const own = costOf(best, question).interval;
  // any dependence between the two: their half-widths add up
  const apart = [own[0] - cost.interval[1], own[1] - cost.interval[0]];
  if (level === null || fine === null) return { cost, shares, change: { difference, interval: apart }, exact: level !== null };
  const decided = searched ? best : byScore(best, question, fine, limits);
  if (decided === null) return { cost, shares, change: { difference, interval: apart }, exact: true };
  const joint = jointWithFixed(level, decided.model ?? 0, decided.decisions, rule);
  const [honest, hindsight] = joint.map((one) => differenceSums(one, pricesAt(question.mu, question.nu, question.extra)));
  const interval = differenceInterval(hindsight, honest, question.level, question.prevalence);
  return { cost, shares, change: { difference, interval }, exact: true };
}

/** The same rule with its decisions among all scores instead of blocks. */
function byScore(best: Candidate, { mu, nu }: Question, fine: Prepared, limits: RuleLimits | null): Candidate | null {
  if (fine.judged === null) return null;
  if (best.model === null) {
    const [decision] = [0, 1, 2].filter((code) => best.honest[code] + best.honest[3 + code] > 0);
    return { ...best, decisions: fine.judged[0].always(decision) };
  }
  const { model, kind } = best;
  const rules = modelCandidates(fine.judged[model], fine.models[model].surface, model, mu, nu, limits ?? {});
  return rules.find((one) => one.kind === kind) ?? null;
}
