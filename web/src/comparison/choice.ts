/** The choice among candidates, and what surrounds it (demur.comparison.choice). */
import type { ModelData } from "../data";
import type { Window } from "../math/surface";
import { ABSTAINED, type TrivialRule } from "../math/trivial";
import { reviewCosts } from "../math/units";
import { afterChoice, firstSmallest, type AfterChoice } from "./afterChoice";
import { costAt, paidBy, ratesOf, type Candidate } from "./candidates";
import { costOf, differenceAt, differenceOf, gapOf, type Estimate, type Inference } from "./estimates";
import type { Facts, Stakes, VersusFacts, VersusKey, Verdict } from "./facts";
import { RowSource } from "./rowSource";
import { cornersOf, factorsOf, type Ends, type Problem, type Scenario } from "./problem";

/** Differences below this part of their standard error go to the simpler rule, up to rounding. */
const HARDLY = 0.1 * (1 - 1e-9);

export interface ClassNames {
  positive: string;
  negative: string;
}

/** All candidates of a problem. */
export interface Candidates {
  problem: Problem;
  trivial: readonly Candidate[];
  /** Element k: the single threshold and, where abstaining has a price, the window of model k. */
  models: readonly (readonly Candidate[])[];
  /** Rules of the models chosen for one corner of the ranges alone. */
  chosenFor(corner: Scenario): readonly Candidate[];
  inference: Inference;
}

/** What surrounds the choice and does not follow from the rules. */
export interface Setting {
  names: readonly string[];
  classes: ClassNames;
  seed: number;
  level: number;
  n: number;
  /** Whether labels are missing where a rule would not be chosen at random. */
  selected: boolean;
  /** Bound of the true cost of a rule for every sample size; null where there is none. */
  guaranteed(rule: Candidate): number | null;
  guaranteeDefined: boolean;
  /** Cost per case if every positive is missed, before the factors; null where costs are by class. */
  missedCost: number | null;
}

/** How much of an answer is asked for: whether the hand rests, and whether the page can correct a cost for the choice. */
export interface How {
  rests: boolean;
  corrects: boolean;
}

/** Simplest first: without a model, thresholds, windows, each in the order of the models. */
export function allOf({ trivial, models }: Candidates): Candidate[] {
  return [...trivial, ...["threshold", "window"].flatMap((kind) => models.flatMap((own) => own.filter((one) => one.kind === kind)))];
}

/** The candidate of the smallest honest cost, the simplest of ties; null if there is none. */
export function cheapest(candidates: readonly Candidate[], scenario: Scenario): Candidate | null {
  return candidates[firstSmallest(candidates.map((one) => costAt(one, scenario)))] ?? null;
}

/** The largest honest cost of a rule over the ranges, and its largest excess over the cheapest rules of the corners. */
export function overRanges(rule: Candidate, floors: readonly number[], problem: Problem): { worst: number; regret: number } {
  const costs = cornersOf(problem).map((corner) => costAt(rule, corner));
  return { worst: Math.max(...costs), regret: Math.max(...costs.map((cost, c) => cost - floors[c])) };
}

/** The cheapest rules of all corners: of any candidate, or chosen for the corner alone; none without ranges, or if no rule keeps the limits. */
export function cornerRules(candidates: Candidates): Candidate[] {
  if (candidates.problem.ranges === null || allOf(candidates).length === 0) return [];
  return cornersOf(candidates.problem).map((corner) => cheapest([...allOf(candidates), ...candidates.chosenFor(corner)], corner)!);
}

/** The candidate with the smallest objective: cost, worst cost or regret. */
export function bestOf(rules: readonly Candidate[], problem: Problem, floors: readonly number[]): Candidate | null {
  if (problem.objective === "expected" || problem.ranges === null) return cheapest(rules, problem);
  const found = rules.map((one) => overRanges(one, floors, problem));
  const values = found.map(({ worst, regret }) => (problem.objective === "worst" ? worst : regret));
  const corners = cornersOf(problem);
  // a regret may be 0: ties are judged by the size of the costs
  const scale = Math.max(...rules.flatMap((one) => corners.map((corner) => Math.abs(costAt(one, corner)))));
  return rules[firstSmallest(values, scale)] ?? null;
}

/** The rule of the answer: the best one, or a simpler one that is hardly more expensive. */
export function chosenOf(rules: readonly Candidate[], candidates: Candidates, floors: readonly number[]): Candidate | null {
  const { problem, inference } = candidates;
  const best = bestOf(rules, problem, floors);
  if (best === null || problem.objective !== "expected") return best;
  const simpler = rules.filter((one) => {
    if (one.order[0] >= best.order[0]) return false;
    const gap = gapOf(one, best, problem, inference);
    return gap !== null && gap.cost < HARDLY * gap.error;
  });
  const plainest = Math.min(...simpler.map(({ order }) => order[0]));
  return simpler.length ? cheapest(simpler.filter(({ order }) => order[0] === plainest), problem) : best;
}

/** Rules to compare a rule with: the best other one of each kind. */
export function rivals(best: Candidate, { problem, trivial, models }: Candidates): Partial<Record<VersusKey, Candidate>> {
  const ordered = (rules: readonly Candidate[]): Candidate[] => [...rules].sort((a, b) => a.order[0] - b.order[0] || a.order[1] - b.order[1]);
  const own = best.model === null ? models.flat() : models[best.model];
  const deciding = best.kind === "window" || best.model === null ? own.filter((one) => one.kind === "threshold" && one !== best) : [];
  const found = {
    trivial: cheapest(trivial.filter((one) => one !== best), problem),
    never_abstaining: cheapest(ordered(deciding), problem),
    runner_up: cheapest(ordered(models.filter((_, k) => k !== best.model).flat()), problem),
  };
  return Object.fromEntries(Object.entries(found).filter(([, other]) => other !== null));
}

/** What is known of a rule, ready for words. */
export function factsOf(best: Candidate, candidates: Candidates, setting: Setting, models: readonly ModelData[], floorRules: readonly Candidate[], how: How): Facts {
  const { problem, inference, trivial } = candidates;
  const { source } = inference;
  const after = how.rests && how.corrects && source instanceof RowSource ? afterChoice(allOf(candidates), problem, source, setting.names, setting.seed) : null;
  const made = after !== null;
  // while the hand moves there is no time for intervals
  const asked = how.rests ? inference : { ...inference, quantile: NaN };
  const estimate = costOf(best, problem, asked);
  const corners = problem.ranges === null ? [] : cornersOf(problem);
  const found = expected(best, after, estimate, corners, asked);
  const shift = found.cost - estimate.cost;
  const versus = Object.fromEntries(
    Object.entries(rivals(best, candidates)).map(([key, other]): [string, VersusFacts] => {
      const { difference, interval } = differenceOf(best, other, problem, corners, asked, shift);
      return [key, { name: other.model === null ? other.kind : setting.names[other.model], difference, interval }];
    }),
  ) as Facts["versus"];
  const plain = cheapest(trivial, problem);
  const baseline = plain && { name: plain.kind as TrivialRule, cost: costAt(plain, problem) };
  const [honest, written] = [ratesOf(best.honest, problem.prevalence), ratesOf(best.hindsight, problem.prevalence)];
  const floors = floorRules.map((rule, c) => costAt(rule, corners[c]));
  const over = corners.length ? overRanges(best, floors, problem) : null;
  const ends = over === null || !made ? [] : floorRules.map((other, c) => differenceAt(best, other, corners[c], asked).interval[1]);
  return {
    ...ruleFacts(best, models, setting.classes),
    called_positive: written[1] + written[4],
    called_negative: written[0] + written[3],
    abstained: written[2] + written[5],
    abstention_rate: honest[2] + honest[5],
    missed: honest[3],
    alarms: honest[1],
    verdict: made ? verdictOf(best, versus.trivial, baseline, after.allDraws, setting.selected) : null,
    cost: found.cost,
    honest_cost: estimate.cost,
    interval: found.interval,
    cost_range: found.range,
    one_added: found.oneAdded,
    versus,
    worst_cost: over && over.worst,
    regret: over && over.regret,
    regret_bound: over && made ? Math.max(over.regret, Math.max(...ends) + shift) : null,
    advice_cost: after && after.allDraws,
    best_trivial: baseline,
    guaranteed_cost: setting.guaranteed(best),
    guarantee_defined: setting.guaranteeDefined,
    n: setting.n,
    n_rules: allOf(candidates).length,
    confidence_level: setting.level,
    ...(best.paid === null || setting.missedCost === null ? {} : { stakes: stakesOf(best, problem, setting.missedCost, honest) }),
  };
}

/** Correct the honest cost of the chosen rule for the choice among several, and say what holds over the ranges. */
function expected(best: Candidate, after: AfterChoice | null, estimate: Estimate, corners: readonly Scenario[], inference: Inference) {
  let cost = estimate.cost;
  if (best.model !== null && after !== null && after.cost !== null) cost = Math.max(cost, after.cost);
  const [chosen, shift] = [cost, cost - estimate.cost];
  // a rule chosen because nothing went wrong is expected to cost as much as with one worst case added
  if (best.model !== null && after !== null && !estimate.worstSeen && estimate.mean !== null) cost = Math.max(cost, estimate.mean.raised);
  const found = corners.map((corner) => costOf(best, corner, inference));
  const [ends, costs] = corners.length ? [found.map(({ interval }) => interval), found.map((one) => one.cost)] : [[estimate.interval], [estimate.cost]];
  const interval: Ends = [Math.min(...ends.map(([low]) => low)), Math.max(Math.max(...ends.map(([, high]) => high)) + shift, cost)];
  const rise = cost - estimate.cost;
  const range: Ends | null = corners.length ? [Math.min(...costs) + rise, Math.max(...costs) + rise] : null;
  return { cost, interval, range, oneAdded: cost > chosen };
}

/** How sure it is that the rule of a model is cheaper than the best rule without one. */
function verdictOf(best: Candidate, against: VersusFacts | undefined, baseline: { cost: number } | null, advice: number, selected: boolean): Verdict {
  if (best.model === null || against === undefined || baseline === null) return "unproven";
  if (against.interval[1] < 0 && !selected) return "proven";
  return against.difference < 0 && advice < baseline.cost ? "likely" : "unproven";
}

/** Money per case where every case has its own costs: at stake, lost by each error, paid for reviews. */
function stakesOf(rule: Candidate, problem: Problem, missedCost: number, honest: ArrayLike<number>): Stakes {
  const paid = paidBy(rule, problem);
  const rate = honest[3] + honest[4] + honest[5];
  return { at_stake: factorsOf(problem)[0] * missedCost * rate, missed: paid[3], alarms: paid[1], reviews: paid[2] + paid[5] };
}

type RuleFacts = Pick<Facts, "kind" | "model" | "positive" | "negative" | "lower" | "upper" | "calls_positive" | "calls_negative">;

const EVERYWHERE = {
  "always positive": [-Infinity, -Infinity],
  "always negative": [Infinity, Infinity],
  "always abstain": [-Infinity, Infinity],
} as const;

/** The rule itself. */
function ruleFacts(best: Candidate, models: readonly ModelData[], names: ClassNames): RuleFacts {
  if (best.model === null || best.window === null) {
    const ends = EVERYWHERE[best.kind as keyof typeof EVERYWHERE];
    return { ...ruleOf(best.kind, ends, names), model: null };
  }
  return windowFacts(isThreshold(best.window) ? "threshold" : best.kind, models[best.model], best.window, names);
}

/** Whether no case goes to a person between the thresholds of a window: it has no scores inside. */
function isThreshold({ i, j }: Window): boolean {
  return i === j;
}

/** The rule of any window of a model. */
function windowFacts(kind: Facts["kind"], model: ModelData, window: Window, names: ClassNames): RuleFacts {
  return { ...ruleOf(kind, [window.lower, window.upper], names), model: model.name };
}

function ruleOf(kind: Facts["kind"], [lower, upper]: readonly [number, number], names: ClassNames) {
  return {
    kind,
    positive: names.positive,
    negative: names.negative,
    lower,
    upper,
    calls_positive: upper < Infinity,
    calls_negative: lower > -Infinity,
  };
}

/** Whether reviewing every case costs the same for sure. */
export function certainReviews(rule: Candidate, { costs, byCase }: Problem): boolean {
  const [positive, negative] = reviewCosts(costs);
  return rule.constant === ABSTAINED && rule.model === null && !byCase && positive === negative;
}
