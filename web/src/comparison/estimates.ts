/** Costs of rules and of pairs of rules from tables of outcomes; a miss costs 1 (demur.comparison.estimates). */
import {
  differenceInterval as intervalOfDifference,
  differenceSums,
  honestInterval,
  lossesAt,
  lossSums,
  meanAndError,
  pricesAt,
  type Ends,
} from "../math/intervals";
import type { JointOutcomes } from "../math/jointCases";
import type { MoneyJoint } from "../math/moneyLevel";
import { MoneyModel } from "../math/moneyModel";
import type { Factors } from "../math/moneySums";
import { decideAlike, type JointTable, type OutcomeTable } from "../math/outcomes";
import type { Surcharge } from "../math/units";
import type { Candidate, Judged } from "./candidates";
import { billCost, billEstimate, constantInterval, gapInterval } from "./moneyEstimates";

/** Costs, prevalence and level asked for, and the cases that answer. */
export interface Question {
  mu: number;
  nu: number;
  /** What reviews cost beyond nu. */
  extra: Surcharge;
  /** Null: that of the data. */
  prevalence: number | null;
  level: number;
  judged: readonly Judged[];
  /** Joint cases of two models with the first of them first; null where the data hold none. */
  joint(first: number, second: number): JointOutcomes | MoneyJoint | null;
}

/** Honest cost per case with its interval, beside the cost with hindsight. */
export interface Estimate {
  cost: number;
  interval: Ends;
  hindsight: number;
}

/** Factors on the costs of cases called negative, called positive and reviewed; infinite reviews are never paid. */
function factorsOf({ mu, nu }: Question): Factors {
  return [1, mu, nu === Infinity ? 0 : nu];
}

/** Honest cost per case of a rule. */
export function honestCost({ honest, bills }: Candidate, question: Question): number {
  return bills === null ? meanCost(honest, question) : billCost(bills[0], factorsOf(question), question.prevalence);
}

/** Expected cost per case of a table of outcomes. */
function meanCost(table: OutcomeTable, { mu, nu, extra, prevalence }: Question): number {
  return meanAndError(lossSums(table, pricesAt(mu, nu, extra)), prevalence)[0];
}

/** Honest cost with its interval for the true cost of the rule in use. */
export function costOf({ honest, hindsight, bills }: Candidate, question: Question): Estimate {
  const { mu, nu, extra, prevalence, level } = question;
  if (bills !== null) return billEstimate(bills, judgedMeans(question), factorsOf(question), level, prevalence);
  const prices = pricesAt(mu, nu, extra);
  const [low, high] = honestInterval(lossSums(hindsight, prices), lossSums(honest, prices), level, prevalence);
  const rate = prevalence ?? ownRate(honest);
  // every case can cost its most expensive outcome, and no more
  const worst = rate * Math.max(1, prices.abstainPositive) + (1 - rate) * Math.max(mu, prices.abstainNegative);
  return {
    cost: meanCost(honest, question),
    interval: [Math.max(low, 0), Math.min(high, worst)],
    hindsight: meanCost(hindsight, question),
  };
}

/** Share of positives among the cases of a table. */
function ownRate(table: OutcomeTable): number {
  const [negative, positive] = [table[0] + table[1] + table[2], table[3] + table[4] + table[5]];
  return positive / (positive + negative);
}

/** Shares of all cases by class and decision under a prevalence; they sum to 1. */
export function ratesOf(table: OutcomeTable, prevalence: number | null): OutcomeTable {
  const sizes = [table[0] + table[1] + table[2], table[3] + table[4] + table[5]];
  const n = sizes[0] + sizes[1];
  const weights =
    prevalence === null ? [1 / n, 1 / n] : [(1 - prevalence) / sizes[0], prevalence / sizes[1]];
  return table.map((cases, at) => cases * weights[at < 3 ? 0 : 1]);
}

/** Honest difference per case, first minus second, with its interval on the same held-out cases. */
export function differenceOf(
  first: Candidate,
  second: Candidate,
  question: Question,
): { difference: number; interval: Ends } {
  const { mu, nu, extra, prevalence, level } = question;
  const difference = honestCost(first, question) - honestCost(second, question);
  const joint = jointOutcomes(first, second, question);
  if (joint === null) return { difference, interval: unpaired(first, second, question) };
  if (joint.every(decideAlike)) return { difference: 0, interval: [0, 0] };
  if (second.model === null) return { difference, interval: againstConstant(first, second, question) };
  if (first.model === null) {
    const [low, high] = againstConstant(second, first, question);
    return { difference, interval: [-high, -low] };
  }
  if (first.bills !== null) return { difference, interval: amountsInterval(first, second, question) };
  const [honest, hindsight] = joint.map((table) => differenceSums(table, pricesAt(mu, nu, extra)));
  return { difference, interval: intervalOfDifference(hindsight, honest, level, prevalence) };
}

/**
 * Interval of the cost of a rule beyond that of one decision for all cases: the interval of a cost, of
 * losses less what the constant decision costs on the same case. An error added to the rule is none of
 * the other, so it does not cancel in the mean.
 */
function againstConstant(rule: Candidate, constant: Candidate, question: Question): Ends {
  if (rule.bills !== null) return amountsAgainstConstant(rule, constant, question);
  const { mu, nu, extra, prevalence, level } = question;
  const prices = pricesAt(mu, nu, extra);
  const losses = lossesAt(prices);
  const decision = constantDecision(constant);
  const spared = losses.map((byDecision) => byDecision[decision]);
  const [hindsight, honest] = [rule.hindsight, rule.honest].map((table) => {
    const sums = lossSums(table, prices);
    const [negative, positive] = losses.map((byDecision, at) => {
      const gaps = byDecision.map((loss) => loss - spared[at]);
      const sum = (power: number) => gaps.reduce((total, gap, k) => total + table[3 * at + k] * gap ** power, 0);
      return { total: sum(1), squares: sum(2) };
    });
    return {
      positive: { ...sums.positive, ...positive, worst: prices.miss - spared[1] },
      negative: { ...sums.negative, ...negative, worst: prices.alarm - spared[0] },
    };
  });
  return honestInterval(hindsight, honest, level, prevalence);
}

/** Joint outcomes, honest and with hindsight; null where nobody knows which scores belong together. */
function jointOutcomes(
  first: Candidate,
  second: Candidate,
  { judged, joint }: Question,
): [JointTable, JointTable] | null {
  // a rule without a model decides alike on every case, also on those of the other's model
  const model = first.model ?? second.model ?? 0;
  if (first.model === null || second.model === null || first.model === second.model) {
    return judged[model].joint(onCasesOf(judged[model], first), onCasesOf(judged[model], second));
  }
  const swapped = second.model < first.model;
  const [a, b] = swapped ? [second, first] : [first, second];
  const tables = joint(a.model!, b.model!)?.outcomes(a.decisions, b.decisions) ?? null;
  return tables === null || !swapped ? tables : [transposed(tables[0]), transposed(tables[1])];
}

/** The model with amounts that a rule is judged with. */
function moneyModel(model: number | null, { judged }: Question): MoneyModel {
  return judged[model ?? 0] as MoneyModel;
}

function judgedMeans(question: Question): MoneyModel["means"] {
  return moneyModel(0, question).means;
}

/** Paired interval where every case has its own costs. */
function amountsInterval(first: Candidate, second: Candidate, question: Question): Ends {
  const factors = factorsOf(question);
  const means = judgedMeans(question);
  const sign = first.model! <= second.model! ? 1 : -1;
  const [a, b] = sign > 0 ? [first, second] : [second, first];
  const same = a.model === b.model;
  const between = same ? moneyModel(a.model, question) : (question.joint(a.model!, b.model!) as MoneyJoint);
  const sums = between.gaps(a.decisions, b.decisions, factors);
  const [low, high] = gapInterval(sums, means, factors, question.level, question.prevalence);
  return sign > 0 ? [low, high] : [-high, -low];
}

function amountsAgainstConstant(rule: Candidate, constant: Candidate, question: Question): Ends {
  const factors = factorsOf(question);
  const model = moneyModel(rule.model, question);
  const code = constantDecision(constant);
  const sums = model.gaps(rule.decisions, model.always(code), factors);
  return constantInterval(sums, model.means, factors, code, question.level, question.prevalence);
}

function onCasesOf(judged: Judged, { model, honest, decisions }: Candidate): Candidate["decisions"] {
  if (model !== null) return decisions;
  return judged.always(constantDecision({ honest }));
}

/** The one decision of a rule that treats all cases alike. */
function constantDecision({ honest }: Pick<Candidate, "honest">): number {
  return [0, 1, 2].find((decision) => honest[decision] + honest[3 + decision] > 0) ?? 0;
}

function transposed(joint: JointTable): JointTable {
  return joint.map((_, at) => joint[9 * Math.floor(at / 9) + 3 * (at % 3) + (Math.floor(at / 3) % 3)]);
}

/** Holds for any dependence between the two: their half-widths add up. */
function unpaired(first: Candidate, second: Candidate, question: Question): Ends {
  const [one, two] = [costOf(first, question).interval, costOf(second, question).interval];
  return [one[0] - two[1], one[1] - two[0]];
}
