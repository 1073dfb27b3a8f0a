/** Honest costs of rules and of pairs of rules with their intervals (demur.honest.estimates, demur.comparison.estimates). */
import { costAt, paidBy, takenBy, type Candidate } from "./candidates";
import { classMeanLoss, meanLoss, worstUnit, type Losses, type MeanLoss } from "./meanLoss";
import { lossTable, sharesOf, type Ends, type Problem, type Scenario } from "./problem";

/** The cases behind the rules: each of them, or sums of them. */
export interface Source {
  /** Losses of a rule, or beyond those of another one; null where nobody knows which scores belong to one case. */
  losses(first: Candidate, second: Candidate | null, scenario: Scenario): Losses | null;
  /** Class of the rows that `losses` lists. */
  classes(second: Candidate | null): Uint8Array;
  /** Largest loss by class and action of a case that the rule may treat so, beyond the cheapest action of another; -Infinity else. */
  worst(rule: Candidate, scenario: Scenario, shares: Shares | null, other: Candidate | null): number[][];
  /** Smallest and largest cost of every action, where every case has its own costs; else null. */
  spans(scenario: Scenario): readonly Ends[] | null;
  /** By how much the actions of two rules can differ on a case, where every case has its own costs; else null. */
  gaps(one: readonly boolean[], two: readonly boolean[], scenario: Scenario): Ends | null;
  /** Whether two rules decide alike on every case. */
  alike(first: Candidate, second: Candidate): boolean;
  /** Whether weights say how much single cases matter. */
  readonly importance: boolean;
  /** How much more than others the units of a class weigh. */
  readonly classWeight: readonly [negative: number, positive: number];
}

/** What intervals need besides the cases. */
export interface Inference {
  source: Source;
  /** Quantile of Student's t at the confidence level; NaN where the page can give no interval. */
  quantile: number;
  rateVariance: number;
  /** Whether a review costs the same whatever the class, where costs differ by case. */
  sameReview: boolean;
}

/** Honest cost with its interval, beside the cost with hindsight. */
export interface Estimate {
  cost: number;
  interval: Ends;
  hindsight: number;
  mean: MeanLoss | null;
  /** Whether an outcome of the largest loss is among the judged cases. */
  worstSeen: boolean;
}

const UNKNOWN: Ends = [NaN, NaN];

type Shares = readonly [negative: number, positive: number];

/** Estimate what a rule costs in use; the lower end is never below what is certain. */
export function costOf(rule: Candidate, scenario: Scenario, { source, quantile, rateVariance, sameReview }: Inference): Estimate {
  const [cost, hindsight] = [costAt(rule, scenario), costAt(rule, scenario, true)];
  const losses = Number.isNaN(quantile) ? null : source.losses(rule, null, scenario);
  if (losses === null) return { cost, interval: UNKNOWN, hindsight, mean: null, worstSeen: true };
  const shares = sharesOf(scenario);
  const worst = source.worst(rule, scenario, shares, null);
  const highest = Math.max(...worst.flat());
  const unit = worstUnit(highest, losses, source.classes(null), source.importance);
  let mean = { ...meanLoss(losses, unit, 1, rateVariance), cost };
  const spans = actionSpans(rule, scenario, source);
  const taken = takenBy(rule);
  const paid = paidBy(rule, scenario, true);
  const certain = sharesUsed(rule, scenario).reduce((sum, share, at) => {
    const action = at % 3;
    return sum + (action === 2 && sameReview ? paid[at] : share > 0 ? share * spans[action][0] : 0);
  }, 0);
  const alone = shares !== null && taken.filter(Boolean).length === 1;
  const settled = alone || spans.every(([low, high], action) => !taken[action] || low === high);
  if (mean.error === 0 && settled) mean = { ...mean, raised: cost, raisedError: 0 };
  const [low, high] = [cost - quantile * mean.error, mean.raised + quantile * mean.raisedError];
  const worstSeen = worst.some((row, kind) => row.some((loss, action) => loss >= highest - 1e-12 * Math.abs(highest) && rule.honest[3 * kind + action] > 0));
  return { cost, interval: [Math.min(Math.max(low, certain), cost), Math.max(high, cost)], hindsight, mean, worstSeen };
}

/** Shares of all cases by class and decision of the written rule. */
function sharesUsed({ hindsight }: Candidate, { prevalence }: Scenario): number[] {
  const sizes = [0, 1].map((kind) => hindsight[3 * kind] + hindsight[3 * kind + 1] + hindsight[3 * kind + 2]);
  const each = prevalence === null ? [1, 1].map(() => 1 / (sizes[0] + sizes[1])) : [1 - prevalence, prevalence].map((share, kind) => (sizes[kind] > 0 ? share / sizes[kind] : 0));
  return Array.from(hindsight, (cases, at) => cases * each[at < 3 ? 0 : 1]);
}

/** Losses of the classes that were judged. */
function judgedLosses({ honest }: Candidate, scenario: Scenario): number[][] {
  return lossTable(scenario).filter((_, kind) => honest[3 * kind] + honest[3 * kind + 1] + honest[3 * kind + 2] > 0);
}

/** Smallest and largest cost of every action over the classes that were judged, or over the cases. */
function actionSpans(rule: Candidate, scenario: Scenario, source: Source): readonly Ends[] {
  const rows = judgedLosses(rule, scenario);
  const span = (action: number): Ends => [Math.min(...rows.map((row) => row[action])), Math.max(...rows.map((row) => row[action]))];
  return source.spans(scenario) ?? [0, 1, 2].map(span);
}

/** Mean cost of a rule beyond that of another on the same cases; two units of the worst loss are added, or one to each stratum. */
export function gapOf(first: Candidate, second: Candidate, scenario: Scenario, { source, rateVariance }: Inference): MeanLoss | null {
  const losses = source.losses(first, second, scenario);
  if (losses === null) return null;
  const shares = sharesOf(scenario);
  if (losses.sample.stratum !== null && losses.sample.cluster === null) {
    const worst = source.worst(first, scenario, null, second).map((row, kind) => Math.max(...row) * source.classWeight[kind]);
    return classMeanLoss(losses, worst, rateVariance);
  }
  const worst = Math.max(...source.worst(first, scenario, shares, second).flat());
  return meanLoss(losses, worstUnit(worst, losses, source.classes(second), source.importance), 2, rateVariance);
}

/** Honest difference per case, first minus second, with its interval on the same cases. */
export function differenceAt(first: Candidate, second: Candidate, scenario: Scenario, inference: Inference): { difference: number; interval: Ends } {
  const { source, quantile } = inference;
  if (source.alike(first, second)) return { difference: 0, interval: [0, 0] };
  const difference = costAt(first, scenario) - costAt(second, scenario);
  const [gap, back] = Number.isNaN(quantile) ? [null, null] : [gapOf(first, second, scenario, inference), gapOf(second, first, scenario, inference)];
  if (gap === null || back === null) return { difference, interval: UNKNOWN };
  let [low, high] = [-(back.raised + quantile * back.raisedError), gap.raised + quantile * gap.raisedError];
  const [least, most] = farthest(first, second, scenario, source);
  [low, high] = [Math.max(low, least), Math.min(high, most)];
  return { difference: gap.cost, interval: [Math.min(low, gap.cost), Math.max(high, gap.cost)] };
}

/** No case differs by more than the actions of the two rules can. */
function farthest(first: Candidate, second: Candidate, scenario: Scenario, source: Source): Ends {
  const [one, two] = [takenBy(first), takenBy(second)];
  const found = source.gaps(one, two, scenario);
  if (found !== null) return found;
  const ends = judgedLosses(first, scenario).map((row) => {
    const [a, b] = [row.filter((_, action) => one[action]), row.filter((_, action) => two[action])];
    return [Math.min(...a) - Math.max(...b), Math.max(...a) - Math.min(...b)];
  });
  return [Math.min(...ends.map(([low]) => low)), Math.max(...ends.map(([, high]) => high))];
}

/** Honest difference in the middle of the ranges, and its interval over them; `shift` is what the first one rises by as the chosen rule. */
export function differenceOf(first: Candidate, second: Candidate, problem: Problem, corners: readonly Scenario[], inference: Inference, shift = 0): { difference: number; interval: Ends } {
  const found = differenceAt(first, second, problem, inference);
  if (inference.source.alike(first, second)) return found;
  const ends = [found.interval, ...(problem.ranges === null ? [] : corners.map((corner) => differenceAt(first, second, corner, inference).interval))];
  // other models may be as lucky, rules that nobody chose are not
  const difference = found.difference + (second.model === null || second.fixed !== null ? shift : 0);
  const [low, high] = [Math.min(...ends.map(([end]) => end)), Math.max(...ends.map(([, end]) => end)) + shift];
  return { difference, interval: [Math.min(low, difference), Math.max(high, difference)] };
}
