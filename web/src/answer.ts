/** The answer at the state of the page: the shown rule, its facts and its words (demur.report.headline). */
import { choose, factsOf, windowFacts, type Candidates, type ClassNames } from "./comparison/choice";
import type { Candidate } from "./comparison/candidates";
import type { Facts } from "./comparison/facts";
import { answerSentences, ruleWords } from "./comparison/words";
import { money as moneyText, moneyStep } from "./comparison/numbers";
import type { ReportData } from "./data";
import type { Prepared } from "./math/models";
import type { Window } from "./math/surface";
import { money, type Costs } from "./math/units";
import { general } from "./numbers";

/** A rule of the page with what is known of it. */
export interface Answer {
  rule: Candidate;
  facts: Facts;
}

/** The best rule, or that of a model the reader holds on to. */
export function answerOf(
  report: ReportData,
  prepared: Prepared,
  candidates: Candidates,
  asked: { costs: Costs; names: ClassNames; held: number | null },
): Answer {
  const { costs, names, held } = asked;
  const rule = choose(candidates, held);
  const facts = factsOf(rule, candidates, { report, prepared: prepared.models, costs, names });
  const start = startingFacts(report, prepared.prevalence, costs);
  if (start === null || held !== null) return { rule, facts };
  // only Python knows what advice has cost, and which scores belong together in large data
  const paired = candidates.question.judged.length > 1 && report.pairs.some(({ joint }) => joint === null);
  return {
    rule,
    facts: { ...facts, advice_cost: start.advice_cost, versus: paired ? start.versus : facts.versus },
  };
}

/** The facts the report was made with, if the page stands at its costs and prevalence and asks the same. */
function startingFacts(report: ReportData, prevalence: number | null, costs: Costs): Facts | null {
  const { cost_fn, cost_fp, cost_abstain } = report.costs;
  const same = costs.fn === cost_fn && costs.fp === cost_fp && costs.abstain === (cost_abstain ?? Infinity);
  if (!same || prevalence !== report.prevalence || !asksForPoint(report)) return null;
  return report.comparison?.answer?.facts ?? null;
}

/** Whether the report was asked for at single costs without limits, as the page computes. */
export function asksForPoint({ comparison }: ReportData): boolean {
  return comparison === null || (comparison.objective === "expected" && Object.keys(comparison.limits).length === 0);
}

/** What the sentences are about where there is no answer; null where there is one. */
export function whyNoAnswer({ n_positive, n_negative }: ReportData, prepared: Prepared): string | null {
  if (!n_positive || !n_negative) {
    const only = n_positive ? "positive" : "negative";
    return `All cases are ${only}: there is nothing to decide, and nothing to learn about thresholds.`;
  }
  if (prepared.judged !== null) return null;
  const few = `${general(n_positive)} positive and ${general(n_negative)} negative cases are too few`;
  return `${few} to judge any rule on cases that did not choose it: collect more before you decide.`;
}

/** The sentences of an answer; costs that nobody gave are named first. */
export function headlineSentences(facts: Facts, costs: Costs, costsGiven: boolean): string[] {
  const [first, ...rest] = answerSentences(facts);
  if (costsGiven) return [first, ...rest];
  const review = Number.isFinite(costs.abstain) ? ` and a review ${general(costs.abstain)}` : "";
  const opening = `If a miss costs ${general(costs.fn)}, a false alarm ${general(costs.fp)}${review}`;
  return [`${opening}: ${first[0].toLowerCase()}${first.slice(1)}`, ...rest];
}

/** What a limit on reviews makes of a model: thresholds, and a cost that is too low on average. */
export function limitedSentences(
  report: ReportData,
  model: number,
  window: Window,
  capacity: { reviews: number; cases: number },
  costs: Costs,
  names: ClassNames,
): string[] {
  const kind = window.i === window.j ? "threshold" : "window";
  const facts = { ...windowFacts(kind, report.models[model], window, names) } as Facts;
  const cost = money(window.cost, costs);
  const share = Math.min(capacity.reviews / capacity.cases, 1);
  const rule = ruleWords(facts);
  return [
    `With at most ${general(capacity.reviews)} reviews for ${general(capacity.cases)} cases, ${rule[0].toLowerCase()}${rule.slice(1)}`,
    `Cost with hindsight ${moneyText(cost, moneyStep(0, 0, cost))} per 1000 cases: too low on average, for these cases chose the thresholds.`,
    `The honest cost under a limit: demur report --max-abstention ${general(share, 4)}.`,
  ];
}
