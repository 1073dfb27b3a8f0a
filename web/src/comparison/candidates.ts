/** Rules to choose from: per model a single threshold and a window, and three without a model (demur.comparison.candidates). */
import { always, FoldTable, type Decisions, type Limits } from "../math/foldTable";
import type { Surface, Window } from "../math/surface";
import { aimsOf, type Aim } from "../math/training";
import { TRIVIAL_RULES, ABSTAINED, type TrivialRule, type OutcomeTable } from "../math/trivial";
import { constantKeeps } from "../math/windowSearch";
import { factorsOf, lossTable, mayAbstain, sharesOf, type Problem, type Scenario } from "./problem";

/** A model with the rules learned without every fold; tables of parts that are not judged are null. */
export interface Judged {
  tables: readonly (FoldTable | null)[];
  /** All cases judged by their own windows. */
  own: FoldTable;
  repeats: number;
  /** Whether parts are blocks of time. */
  forward: boolean;
}

/** One rule: what it is, what it decides on the cases, and the tables of its outcomes. */
export interface Candidate {
  kind: "window" | "threshold" | TrivialRule;
  /** Place of its model; null without a model. */
  model: number | null;
  /** Thresholds chosen on all cases, and the surface they are cuts of; null without a model. */
  window: Window | null;
  surface: Surface | null;
  decisions: Decisions;
  /** The one decision of a rule that treats all cases alike; else null. */
  constant: number | null;
  /** Decisions on every case of a rule that no case chose; else null. */
  fixed: Uint8Array | null;
  honest: OutcomeTable;
  hindsight: OutcomeTable;
  /** What they cost before the factors, where every case has its own costs. */
  paid: readonly [honest: OutcomeTable, hindsight: OutcomeTable] | null;
  /** Simplest first, for ties. */
  order: readonly number[];
}

/** The decision each rule without a model makes on every case. */
export const DECISION: Record<TrivialRule, number> = {
  "always positive": 1,
  "always negative": 0,
  "always abstain": ABSTAINED,
};

/** The rules without a model that keep the limits, simplest first; abstaining needs a price. */
export function trivialCandidates(judged: Judged, problem: Problem, rate: number): Candidate[] {
  return TRIVIAL_RULES.filter((kind) => kind !== "always abstain" || mayAbstain(problem))
    .filter((kind) => problem.limits === null || [rate, ...(problem.ranges?.prevalence ?? [])].every((one) => constantKeeps(DECISION[kind], one, problem.limits!)))
    .map((kind) => candidate(judged, kind, null, [0, TRIVIAL_RULES.indexOf(kind)], constantRule(judged, DECISION[kind]), DECISION[kind]));
}

/** The single threshold and, where abstaining has a price, the window of one model; only those that keep the limits without every fold. */
export function modelCandidates(judged: Judged, surfaceOf: (aim: Aim) => Surface, model: number, problem: Problem): Candidate[] {
  return aimsOf(problem, judged.forward).flatMap((aim) => {
    const surface = surfaceOf(aim);
    // windows of all cases lie between blocks also where those of blocks of time are searched
    const cuts = judged.own.training.cuts(judged.forward ? { ...aim, free: surface.pooled } : aim);
    const decisions = cuts && learned(judged, aim, cuts);
    if (cuts === null || decisions === null) return [];
    const { size } = judged.own.training;
    const constant = sameForAll(...cuts, size);
    const window = surface.windowOf(cuts, aim.problem);
    const order = [aim.kind === "threshold" ? 1 : 2, model];
    const found = candidate(judged, aim.kind, model, order, constant === null ? decisions : constantRule(judged, constant), constant);
    return [{ ...found, window, surface }];
  });
}

function learned({ tables, own }: Judged, aim: Aim, cuts: readonly [number, number]): Decisions | null {
  const honest: Limits[] = [];
  for (const table of tables) {
    const limits = table === null ? always(0) : table.limits(aim);
    if (limits === null) return null;
    honest.push(limits);
  }
  return { honest, hindsight: own.limitsOf(cuts) };
}

function constantRule({ tables }: Judged, decision: number): Decisions {
  return { honest: tables.map(() => always(decision)), hindsight: always(decision) };
}

/** The one decision of a window that treats all cases alike; null for any other. */
function sameForAll(i: number, j: number, groups: number): number | null {
  if (j === 0) return 1;
  if (i === groups) return 0;
  return i === 0 && j === groups ? ABSTAINED : null;
}

function candidate(
  judged: Judged,
  kind: Candidate["kind"],
  model: number | null,
  order: readonly number[],
  decisions: Decisions,
  constant: number | null,
): Candidate {
  const { width } = judged.own;
  const [honest, hindsight] = [new Float64Array(6 * width), new Float64Array(6 * width)];
  judged.tables.forEach((table, t) => table?.add(honest, decisions.honest[t], null, 1 / judged.repeats));
  judged.own.add(hindsight, decisions.hindsight);
  const column = (sums: Float64Array, of: (at: number) => number): OutcomeTable => Float64Array.from({ length: 6 }, (_, at) => sums[at * width + of(at)]);
  const cost = (at: number): number => 1 + (at % 3);
  return {
    kind,
    model,
    window: null,
    surface: null,
    decisions,
    constant,
    fixed: null,
    honest: column(honest, () => 0),
    hindsight: column(hindsight, () => 0),
    paid: width === 1 ? null : [column(honest, cost), column(hindsight, cost)],
    order,
  };
}

/** Shares of all cases by class and decision under a prevalence; they sum to 1. */
export function ratesOf(table: OutcomeTable, prevalence: number | null): OutcomeTable {
  const each = classWeights(table, prevalence);
  return table.map((cases, at) => cases * each[at < 3 ? 0 : 1]);
}

function classWeights(table: OutcomeTable, prevalence: number | null): readonly [number, number] {
  const sizes = [table[0] + table[1] + table[2], table[3] + table[4] + table[5]];
  if (prevalence === null) return [1 / (sizes[0] + sizes[1]), 1 / (sizes[0] + sizes[1])];
  return [sizes[0] > 0 ? (1 - prevalence) / sizes[0] : 0, sizes[1] > 0 ? prevalence / sizes[1] : 0];
}

/** What the decisions of a rule cost per case by class and decision, honest or with hindsight. */
export function paidBy(rule: Candidate, scenario: Scenario, hindsight = false): OutcomeTable {
  const table = hindsight ? rule.hindsight : rule.honest;
  const each = classWeights(table, sharesOf(scenario) && scenario.prevalence);
  if (rule.paid !== null) {
    const factors = factorsOf(scenario);
    return rule.paid[hindsight ? 1 : 0].map((sum, at) => sum * factors[at % 3] * each[at < 3 ? 0 : 1]);
  }
  const losses = lossTable(scenario).flat();
  return table.map((cases, at) => cases * losses[at] * each[at < 3 ? 0 : 1]);
}

/** Cost per case of a rule, honest or with hindsight. */
export function costAt(rule: Candidate, scenario: Scenario, hindsight = false): number {
  return paidBy(rule, scenario, hindsight).reduce((sum, cost) => sum + cost, 0);
}

/** Which decisions the rule makes on some case, as written or chosen without a fold. */
export function takenBy({ honest, hindsight }: Candidate): boolean[] {
  return [0, 1, 2].map((action) => honest[action] + honest[3 + action] + hindsight[action] + hindsight[3 + action] > 0);
}
