/** The answer at the state of the page: the shown rule, its facts and its words (demur.report.headline). */
import { costAt, type Candidate } from "./comparison/candidates";
import { allOf, bestOf, certainReviews, chosenOf, cornerRules, factsOf, type Candidates, type ClassNames, type Setting } from "./comparison/choice";
import type { Facts } from "./comparison/facts";
import { guaranteedMoney } from "./comparison/guarantee";
import { cornersOf, factorsOf, type Problem, type Ranges } from "./comparison/problem";
import { answerSentences } from "./comparison/words";
import type { ReportData } from "./data";
import { boundsOf, searchesScores, type Prepared } from "./math/models";
import { normalForm, sameCosts, type Costs } from "./math/units";
import { limitsGiven, sameLimits, type RuleLimits } from "./math/windowSearch";
import { general } from "./numbers";
import { asksForKnown, reportLimits, sameRanges, startingCosts, startingRanges } from "./state";

/** A rule of the page with what is known of it. */
export interface Answer {
  rule: Candidate;
  /** With the cost of the choice where the page can correct for it, and at what the report was made for; else what the rule measured. */
  facts: Facts;
}

interface Asked {
  problem: Problem;
  names: ClassNames;
  /** Place of a model the reader holds on to; null: the choice is among all. */
  held: number | null;
  /** Whether the hand rests, so that there is time for intervals and the cost of the choice. */
  rests: boolean;
}

/** The answer the report was made with where the page asks the same; else the best rule, or that of a model held on to. */
export function answerOf(prepared: Prepared, candidates: Candidates, asked: Asked): Answer | null {
  const { problem, names, held, rests } = asked;
  const made = madeFacts(prepared, asked);
  // a rule of another kind than thresholds is one that no chart here can show
  const shown = made && made.method === undefined ? madeRule(made, candidates, prepared) : null;
  if (made !== null && shown !== null) return { rule: shown, facts: { ...made, positive: names.positive, negative: names.negative } };
  const own = held === null ? candidates : ofModel(candidates, held);
  const floorRules = cornerRules(own);
  const floors = cornersOf(problem).map((corner, c) => (floorRules.length ? costAt(floorRules[c], corner) : 0));
  const chosen = chosenOf(allOf(own), own, floors);
  const rule = held === null || chosen?.model === held ? chosen : bestOf(own.models[held], problem, floors);
  if (rule === null) return null;
  const models = prepared.models.map(({ data }) => data);
  return { rule, facts: factsOf(rule, own, settingOf(prepared, problem, names), models, floorRules, { rests, corrects: corrects(prepared.report) }) };
}

/** The same choice with the rules of one model alone. */
function ofModel(candidates: Candidates, held: number): Candidates {
  return {
    ...candidates,
    models: candidates.models.map((own, model) => (model === held ? own : [])),
    chosenFor: (corner) => candidates.chosenFor(corner).filter(({ model }) => model === held),
  };
}

/** Whether the page has all rules that were chosen among, and every case: then it corrects a cost for the choice. */
export function corrects(report: ReportData): boolean {
  return report.cases !== null && report.inference !== null && report.inference.windows && report.inference.quantile !== null && asksForKnown(report);
}

function settingOf(prepared: Prepared, problem: Problem, classes: ClassNames): Setting {
  const { report, models } = prepared;
  const defined = report.bounds !== null && problem.ranges?.prevalence == null;
  return {
    names: report.models.map(({ name }) => name),
    classes,
    seed: report.seed,
    level: report.confidence_level,
    n: report.n,
    selected: report.inference?.selected ?? false,
    guaranteeDefined: defined,
    guaranteed: (rule) => {
      if (certainReviews(rule, problem)) return costAt(rule, problem);
      const surface = rule.surface ?? models[0].surface;
      const bounds = defined ? boundsOf(prepared, surface) : null;
      if (bounds === null) return null;
      const { size } = surface;
      const everywhere = { "always positive": [0, 0], "always negative": [size, size], "always abstain": [0, size] } as const;
      const cuts = rule.window === null ? everywhere[rule.kind as keyof typeof everywhere] : ([rule.window.i, rule.window.j] as const);
      const { costs, prevalence } = problem;
      return guaranteedMoney(bounds, cuts, { ...normalForm(costs), extra: prepared.extra, costs, prevalence });
    },
    missedCost: report.amounts?.missed ?? null,
  };
}

/** The facts the report was made with, if the page stands at its costs and prevalence and asks the same. */
export function madeFacts({ report, prevalence }: Prepared, { problem: { costs, limits, ranges }, held }: Pick<Asked, "problem" | "held">): Facts | null {
  const same = held === null && prevalence === report.prevalence && sameCosts(costs, startingCosts(report));
  if (!same || !sameLimits(limits ?? {}, reportLimits(report)) || !sameRanges(ranges, startingRanges(report))) return null;
  return report.comparison?.answer?.facts ?? null;
}

/** The rule the report was made with: of its model the one with its thresholds, or the nearest to it with them. */
function madeRule(made: Facts, candidates: Candidates, prepared: Prepared): Candidate | null {
  const { problem, trivial } = candidates;
  const { report } = prepared;
  if (made.model === null) return trivial.find(({ kind }) => kind === made.kind) ?? null;
  const own = candidates.models[report.models.findIndex(({ name }) => name === made.model)] ?? [];
  const same = own.filter(({ window }) => window?.lower === made.lower && window.upper === made.upper);
  const distance = (one: Candidate): number => Math.abs(costAt(one, problem) - made.honest_cost);
  const [nearest] = [...(same.length ? same : own)].sort((a, b) => distance(a) - distance(b));
  const alike = same.length > 0 && searchesScores(prepared);
  return nearest === undefined || alike ? (nearest ?? null) : ruleAsMade(nearest, report, made, problem);
}

/** A rule with the thresholds, outcomes and costs of another one, so that bars and charts show what the sentences say. */
function ruleAsMade(rule: Candidate, report: ReportData, made: Facts, problem: Problem): Candidate {
  const { confusion, confusion_cost, shares, by_block: blocks } = report.comparison?.answer ?? {};
  const { window } = rule;
  if (confusion === undefined || confusion_cost === undefined || window === null) return rule;
  const same = window.lower === made.lower && window.upper === made.upper;
  const judged = (blocks ?? []).reduce((all, { n }) => all + n, 0);
  const sizes = blocks ? confusion.map((row) => judged * row.reduce((all, one) => all + one, 0)) : [report.n_negative, report.n_positive];
  const [honest, paid] = [new Float64Array(6), new Float64Array(6)];
  const factors = factorsOf(problem);
  confusion.forEach((row, kind) =>
    row.forEach((share, decision) => {
      const at = 3 * kind + decision;
      honest[at] = (share / row.reduce((all, one) => all + one, 0)) * sizes[kind];
      if (share > 0 && factors[decision] > 0) paid[at] = (confusion_cost[kind][decision] * honest[at]) / (share * factors[decision]);
    }),
  );
  return {
    ...rule,
    window: same ? window : { ...window, lower: made.lower, upper: made.upper, abstain: shares?.["abstain"] ?? window.abstain },
    honest,
    paid: rule.paid && [paid, rule.paid[1]],
  };
}

/** What the sentences are about where there is no answer; null where there is one. */
export function whyNoAnswer({ n_positive, n_negative }: ReportData, prepared: Prepared): string | null {
  if (!n_positive || !n_negative) {
    const only = n_positive ? "positive" : "negative";
    return `All cases are ${only}: thresholds need cases of both classes.`;
  }
  if (prepared.evidence.judged !== null) return null;
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

const OBJECTIVE_WORDS: Record<Problem["objective"], string> = {
  expected: "",
  regret: "Chosen for the smallest regret over the ranges.",
  worst: "Chosen for the smallest cost at worst over the ranges.",
};

/** What a rule had to keep and was chosen for (demur.comparison.words.condition_words); empty if nothing special. */
export function conditionWords(limits: RuleLimits | null, ranges: Ranges | null, objective: Problem["objective"]): string {
  const kept = limitsGiven(limits).map(([{ words }, value]) => words.replace("{}", `${general(100 * value, 12)} %`));
  const sentences = [kept.length ? `Limits: ${kept.join(", ")}.` : "", ranges === null ? "" : OBJECTIVE_WORDS[objective]];
  return sentences.filter((sentence) => sentence !== "").join(" ");
}

const BETWEEN_BLOCKS =
  "These are too many cases for a page to search every score: it cuts between blocks of them. The copied command searches all.";

/** What the rule had to keep and was chosen for, and whether all scores were searched. */
export function limitSentences(condition: string, exact: boolean): string[] {
  return [condition, exact ? "" : BETWEEN_BLOCKS].filter((sentence) => sentence !== "");
}
