/** The choice among candidates: smallest honest cost first, and what surrounds it (demur.comparison.choice). */
import type { ModelData, ReportData } from "../data";
import type { PreparedModel } from "../math/models";
import type { MoneyModel } from "../math/moneyModel";
import type { Window } from "../math/surface";
import type { TrivialRule } from "../math/trivial";
import { money, moneyBetween, reviewCosts, type Costs } from "../math/units";
import type { Candidate } from "./candidates";
import { costOf, differenceOf, honestCost, ratesOf, type Estimate, type Question } from "./estimates";
import type { Facts, Stakes, VersusFacts, VersusKey } from "./facts";
import { guaranteedMoney } from "./guarantee";
import { rangeCosts, type OverRange } from "./ranges";

const TIE = 1e-12;

/** All candidates at one cost point. */
export interface Candidates {
  question: Question;
  trivial: readonly Candidate[];
  /** Element k: the single threshold and, where abstaining has a price, the window of model k. */
  models: readonly (readonly Candidate[])[];
  /** Where costs are known as ranges, which the rules were chosen for; else null. */
  range: OverRange | null;
}

/** The first of the smallest honest costs; candidates must come simplest first. */
export function cheapest(candidates: readonly Candidate[], question: Question): Candidate | null {
  return firstSmallest(candidates, candidates.map((one) => honestCost(one, question)), 1e-300);
}

/** The candidate of the smallest value; of ties within 1e-12 of it, or of `scale`, the first. */
function firstSmallest(candidates: readonly Candidate[], values: readonly number[], scale: number): Candidate | null {
  const least = Math.min(...values);
  const most = least + TIE * Math.max(Math.abs(least), scale);
  return candidates[values.findIndex((value) => value <= most)] ?? null;
}

/** Simplest first: without a model, thresholds, windows, each in the order of the models. */
export function simplestFirst(models: readonly (readonly Candidate[])[]): Candidate[] {
  return ["threshold", "window"].flatMap((kind) => models.flatMap((own) => own.filter((one) => one.kind === kind)));
}

/** The answer among all rules; for a model the reader holds on to, among its own; null if limits allow none. */
export function choose({ question, trivial, models, range }: Candidates, held: number | null): Candidate | null {
  const all = held === null ? [...trivial, ...simplestFirst(models)] : models[held];
  return bestOf(all, question, range);
}

/** The first of the smallest honest costs, or over ranges of the smallest honest regret. */
export function bestOf(all: readonly Candidate[], question: Question, range: OverRange | null): Candidate | null {
  if (range === null) return cheapest(all, question);
  const found = all.map((one) => rangeCosts(one, question, range));
  // a regret may be 0: ties are judged by the size of the costs
  const scale = Math.max(...found.map(({ worst }) => Math.abs(worst)));
  return firstSmallest(all, found.map(({ regret }) => regret), scale);
}

/** Rules to compare a rule with: the best other one of each kind. */
export function rivals(
  best: Candidate,
  { question, trivial, models }: Candidates,
): Partial<Record<VersusKey, Candidate>> {
  const own = best.model === null ? models : [models[best.model]];
  const single = simplestFirst(own).filter((one) => one.kind === "threshold" && one !== best);
  const found = {
    trivial: cheapest(trivial.filter((one) => one !== best), question),
    never_abstaining: cheapest(single, question),
    runner_up: cheapest(simplestFirst(models.filter((_, k) => k !== best.model)), question),
  };
  return Object.fromEntries(Object.entries(found).filter(([, other]) => other !== null));
}

/** What is known of a rule, ready for words; costs in the reader's unit. */
export function factsOf(
  best: Candidate,
  candidates: Candidates,
  about: { report: ReportData; prepared: readonly PreparedModel[]; costs: Costs; names: ClassNames },
): Facts {
  const { report, prepared, costs, names } = about;
  const { question, trivial, range } = candidates;
  const over = range && rangeCosts(best, question, range);
  const estimate = costOf(best, question);
  const shares = ratesOf(best.honest, question.prevalence);
  const simple = cheapest(trivial, question);
  const rate = prepared[0].surface.prevalence;
  const inUnit = (cost: number) => money(cost, costs, rate);
  const between = (difference: number) => moneyBetween(difference, costs);
  const versus = Object.entries(rivals(best, candidates)).map(([key, other]) => {
    const { difference, interval } = differenceOf(best, other, question);
    const name = other.model === null ? other.kind : report.models[other.model].name;
    return [key, { name, difference: between(difference), interval: interval.map(between) }] as [VersusKey, VersusFacts];
  });
  return {
    ...ruleFacts(best, prepared, names),
    called_positive: shares[1] + shares[4],
    called_negative: shares[0] + shares[3],
    abstained: shares[2] + shares[5],
    abstention_rate: shares[2] + shares[5],
    missed: shares[3],
    alarms: shares[1],
    cost: inUnit(estimate.cost),
    interval: withoutRounding(estimate).map(inUnit),
    versus: Object.fromEntries(versus),
    worst_cost: over && inUnit(over.worst),
    regret: over && between(over.regret),
    advice_cost: null,
    best_trivial:
      simple === null || !isTrivial(simple)
        ? null
        : { name: simple.kind, cost: inUnit(honestCost(simple, question)) },
    guaranteed_cost: guaranteed(best, question, prepared, costs, inUnit(estimate.cost)),
    guarantee_defined: prepared.every(({ bounds }) => bounds !== null),
    n: report.n,
    confidence_level: question.level,
    ...(best.bills === null ? {} : { stakes: stakesOf(best, shares, question, inUnit) }),
  };
}

/** Money per case where every case has its own costs: at stake, lost by each error, paid for reviews. */
function stakesOf(
  { bills }: Candidate,
  shares: ArrayLike<number>,
  { judged, mu, nu }: Question,
  inUnit: (cost: number) => number,
): Stakes {
  const { cases, paid } = bills![0];
  const each = [0, 3].map((at) => {
    const [share, number] = [shares, cases].map((table) => table[at] + table[at + 1] + table[at + 2]);
    return share / number;
  });
  const rate = shares[3] + shares[4] + shares[5];
  const review = nu === Infinity ? 0 : nu;
  return {
    at_stake: inUnit((judged[0] as MoneyModel).means.cost(1, 0) * rate),
    missed: inUnit(paid[3] * each[1]),
    alarms: inUnit(mu * paid[1] * each[0]),
    reviews: inUnit(review * (paid[2] * each[0] + paid[5] * each[1])),
  };
}

/** The interval of a cost; always abstaining costs its price for sure, and a width would be rounding. */
function withoutRounding({ cost, interval }: Estimate): readonly number[] {
  return interval[1] - interval[0] <= TIE * Math.abs(cost) ? [cost, cost] : interval;
}

export interface ClassNames {
  positive: string;
  negative: string;
}

function isTrivial(one: Candidate): one is Candidate & { kind: Exclude<Candidate["kind"], "window" | "threshold"> } {
  return one.model === null;
}

type RuleFacts = Pick<
  Facts,
  "kind" | "model" | "positive" | "negative" | "lower" | "upper" | "calls_positive" | "calls_negative"
>;

/** The rule itself. */
export function ruleFacts(best: Candidate, models: readonly PreparedModel[], names: ClassNames): RuleFacts {
  if (best.model === null || best.window === null) {
    const ends = EVERYWHERE[best.kind as keyof typeof EVERYWHERE];
    return { ...ruleOf(best.kind, ends, names), model: null };
  }
  const { window } = best;
  // a window without scores inside is a threshold
  const kind = window.i === window.j ? "threshold" : best.kind;
  return windowFacts(kind, models[best.model].data, window, names);
}

/** The rule of any window of a model. */
export function windowFacts(kind: Facts["kind"], model: ModelData, window: Window, names: ClassNames): RuleFacts {
  return { ...ruleOf(kind, [window.lower, window.upper], names), model: model.name };
}

const EVERYWHERE = {
  "always positive": [-Infinity, -Infinity],
  "always negative": [Infinity, Infinity],
  "always abstain": [-Infinity, Infinity],
} as const;

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

/** Bound of the true cost, valid for the choice among all models; null where there is none. */
function guaranteed(
  best: Candidate,
  question: Question,
  prepared: readonly PreparedModel[],
  costs: Costs,
  cost: number,
): number | null {
  const [positive, negative] = reviewCosts(costs);
  if (best.kind === "always abstain" && best.bills === null && positive === negative) return cost;
  if (prepared.some(({ bounds }) => bounds === null)) return null;
  const { bounds, surface } = prepared[best.model ?? 0];
  const { size } = surface;
  const everywhere = { "always positive": [0, 0], "always negative": [size, size], "always abstain": [0, size] };
  const { i, j } = best.window ?? {};
  const cuts = i === undefined || j === undefined ? everywhere[best.kind as TrivialRule] : [i, j];
  return guaranteedMoney(bounds!, cuts as [number, number], { ...question, costs });
}
