/** The answer at the state of the page: the shown rule, its facts and its words (demur.report.headline). */
import { choose, factsOf, type Candidates, type ClassNames } from "./comparison/choice";
import type { Candidate } from "./comparison/candidates";
import { honestCost } from "./comparison/estimates";
import type { Facts, MadeFacts } from "./comparison/facts";
import { answerSentences } from "./comparison/words";
import type { ReportData } from "./data";
import type { Prepared } from "./math/models";
import { money, sameCosts, type Costs } from "./math/units";
import { sameLimits, type RuleLimits } from "./math/windowSearch";
import { general } from "./numbers";
import { sameBox, type Box } from "./math/box";
import { reportLimits, startingBox, startingCosts, unknownLimits } from "./state";

/** A rule of the page with what is known of it. */
export interface Answer {
  rule: Candidate;
  /** Of Python at what the report was made for, with the cost of the choice; elsewhere what the page measures. */
  facts: Facts;
}

interface Asked {
  costs: Costs;
  names: ClassNames;
  held: number | null;
  limits: RuleLimits | null;
  box: Box | null;
  /** Whether windows may cut between any two scores. */
  exact: boolean;
}

/** The answer the report was made with where the page asks the same; else the best rule, or that of a model held on to. */
export function answerOf(report: ReportData, prepared: Prepared, candidates: Candidates, asked: Asked): Answer | null {
  const { costs, names, held, exact } = asked;
  const made = madeFacts(report, prepared.prevalence, asked);
  if (made !== null) {
    const rule = madeRule(made, report, candidates, costs, prepared.models[0].surface.prevalence, exact);
    if (rule !== null) return { rule, facts: { ...made, positive: names.positive, negative: names.negative } };
  }
  const rule = choose(candidates, held);
  return rule && { rule, facts: factsOf(rule, candidates, { report, prepared: prepared.models, costs, names }) };
}

/** The facts the report was made with, if the page stands at its costs and prevalence and asks the same. */
function madeFacts(report: ReportData, prevalence: number | null, { costs, held, limits, box }: Asked): MadeFacts | null {
  const same = held === null && prevalence === report.prevalence && sameCosts(costs, startingCosts(report));
  if (!same || !sameLimits(limits ?? {}, reportLimits(report)) || !sameBox(box, startingBox(report))) return null;
  const facts = report.comparison?.answer?.facts ?? null;
  // a rule of another kind than thresholds is one that no chart here can show
  return facts === null || "method" in facts ? null : facts;
}

/** The rule the report was made with: of its model the one with its thresholds, or the nearest to it with them. */
function madeRule(
  made: MadeFacts,
  report: ReportData,
  candidates: Candidates,
  costs: Costs,
  prevalence: number,
  exact: boolean,
): Candidate | null {
  const { question, trivial } = candidates;
  if (made.model === null) return trivial.find(({ kind }) => kind === made.kind) ?? null;
  const own = candidates.models[report.models.findIndex(({ name }) => name === made.model)] ?? [];
  const same = own.filter(({ window }) => window?.lower === made.lower && window.upper === made.upper);
  const distance = (one: Candidate): number => Math.abs(money(honestCost(one, question), costs, prevalence) - made.honest_cost);
  const [nearest] = [...(same.length ? same : own)].sort((a, b) => distance(a) - distance(b));
  // where times are given Python judges forward, and the page by a shuffled split
  const alike = same.length > 0 && exact && report.design?.period == null;
  return nearest === undefined || alike ? (nearest ?? null) : ruleAsMade(nearest, report, made, costs);
}

/** A rule with the thresholds, outcomes and costs of another one, so that bars and charts show what the sentences say. */
function ruleAsMade(rule: Candidate, report: ReportData, made: MadeFacts, costs: Costs): Candidate {
  const { confusion, confusion_cost, shares } = report.comparison?.answer ?? {};
  const { window } = rule;
  if (confusion === undefined || confusion_cost === undefined || window === null) return rule;
  const same = window.lower === made.lower && window.upper === made.upper;
  const blocks = report.comparison?.answer?.by_block;
  const judged = (blocks ?? []).reduce((all, { n }) => all + n, 0);
  const sizes = blocks ? confusion.map((row) => judged * row.reduce((all, one) => all + one, 0)) : [report.n_negative, report.n_positive];
  const honest = new Float64Array(6);
  const paid = new Float64Array(6);
  const factors = [costs.fn, costs.fp, costs.abstain];
  confusion.forEach((row, kind) =>
    row.forEach((share, decision) => {
      const at = 3 * kind + decision;
      honest[at] = (share / row.reduce((all, one) => all + one, 0)) * sizes[kind];
      if (share > 0 && factors[decision] > 0)
        paid[at] = (confusion_cost[kind][decision] * honest[at]) / (share * factors[decision]);
    }),
  );
  const [bill, seen] = rule.bills ?? [null, null];
  return {
    ...rule,
    window: same ? window : { ...window, lower: made.lower, upper: made.upper, abstain: shares?.["abstain"] ?? window.abstain },
    honest,
    bills: bill && seen && [{ ...bill, cases: honest, paid }, seen],
  };
}

/** Whether the report was asked for at costs and under limits that the page can keep everywhere. */
export function asksForPoint(report: ReportData): boolean {
  const { comparison } = report;
  if (comparison === null) return true;
  if (unknownLimits(report).length) return false;
  return comparison.objective === "expected" || startingBox(report) !== null;
}

/** What the sentences are about where there is no answer; null where there is one. */
export function whyNoAnswer({ n_positive, n_negative }: ReportData, prepared: Prepared): string | null {
  if (!n_positive || !n_negative) {
    const only = n_positive ? "positive" : "negative";
    return `All cases are ${only}: thresholds need cases of both classes.`;
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

const LIMIT_WORDS: Record<keyof RuleLimits, string> = {
  maxAbstention: "at most {} of the cases sent to a person",
  minPrecisionPositive: "at least {} of the positive decisions right",
  minPrecisionNegative: "at least {} of the negative decisions right",
  maxFnRate: "at most {} of the positives missed",
};

/** What a rule had to keep and was chosen for (demur.comparison.words.condition_words); empty if nothing special. */
export function conditionWords(limits: RuleLimits | null, box: Box | null): string {
  const kept = (Object.keys(LIMIT_WORDS) as (keyof RuleLimits)[])
    .filter((key) => limits?.[key] !== undefined)
    .map((key) => LIMIT_WORDS[key].replace("{}", `${general(100 * limits![key]!, 12)} %`));
  const sentences = kept.length ? [`Limits: ${kept.join(", ")}.`] : [];
  return [...sentences, ...(box === null ? [] : ["Chosen for the smallest regret over the ranges."])].join(" ");
}

const BETWEEN_BLOCKS =
  "These are too many cases for a page to search every score: it cuts between blocks of them. The copied command searches all.";

/** What the rule had to keep and was chosen for, and whether all scores were searched. */
export function limitSentences(limits: RuleLimits | null, box: Box | null, exact: boolean): string[] {
  return [conditionWords(limits, box), exact ? "" : BETWEEN_BLOCKS].filter((sentence) => sentence !== "");
}
