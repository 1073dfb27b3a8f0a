/** One model judged on all splits where every case has its own costs, and its surface over factors. */
import type { Totals } from "../data";
import { decideAll, decideAllOver, decideAllWithin, type Decisions } from "./judged";
import type { Limits } from "./heldOut";
import { billOf, ClassMeans, GapSums, ROW, waryGaps, WIDTH, type Bill, type Factors } from "./moneySums";
import { classWeights, LearnedSums, MoneyTable, RunningCosts, type ClassScoreSums } from "./moneyTables";
import type { JointTable, OutcomeTable } from "./outcomes";
import { Surface, type Scored } from "./surface";
import type { TrivialRule } from "./trivial";
import type { CostPoint } from "./units";
import type { RuleLimits } from "./windowSearch";

/** Joint sums of two rules at given factors: honest, and with hindsight. */
export type GapPair = [honest: GapSums, hindsight: GapSums];

/** The same questions as `JudgedModel` answers, and what the decisions cost. */
export class MoneyModel {
  constructor(
    readonly tables: readonly MoneyTable[],
    /** All cases judged by their own windows. */
    readonly own: MoneyTable,
    readonly repeats: number,
    readonly means: ClassMeans,
  ) {}

  decide(mu: number, nu: number): Decisions {
    return decideAll(this.tables, this.own, mu, nu);
  }

  decideWithin(mu: number, nu: number, limits: RuleLimits): Decisions | null {
    return decideAllWithin(this.tables, this.own, mu, nu, limits);
  }

  decideOver(points: readonly CostPoint[], limits: RuleLimits | null): Decisions | null {
    return decideAllOver(this.tables, this.own, points, limits);
  }

  always(decision: number): Decisions {
    const limits: Limits = [decision === 0 ? Infinity : 0, decision === 1 ? 0 : Infinity];
    return { honest: this.tables.map(() => limits), hindsight: limits };
  }

  /** What the decisions cost: honest, averaged over the splits, and with hindsight. */
  bills({ honest, hindsight }: Decisions): [honest: Bill, hindsight: Bill] {
    const [rows, own] = [emptyRows(), emptyRows()];
    this.tables.forEach((table, t) => table.addDecided(rows, honest[t]));
    this.own.addDecided(own, hindsight);
    const averaged = rows.map((row) => row.map((sum) => sum / this.repeats));
    return [billOf(averaged, this.means), billOf(own, this.means)];
  }

  outcomes(decisions: Decisions): OutcomeTable {
    return this.bills(decisions)[0].cases;
  }

  hindsight(decisions: Decisions): OutcomeTable {
    return this.bills(decisions)[1].cases;
  }

  /** Joint sums of two rules of this model. */
  gaps(one: Decisions, two: Decisions, factors: Factors): GapPair {
    const [honest, hindsight] = [new GapSums(), new GapSums()];
    this.tables.forEach((table, t) => table.addJoint(honest, one.honest[t], two.honest[t], factors, 1 / this.repeats));
    this.own.addJoint(hindsight, one.hindsight, two.hindsight, factors, 1);
    return [waryGaps(honest, this.means, factors), waryGaps(hindsight, this.means, factors)];
  }

  joint(one: Decisions, two: Decisions): [honest: JointTable, hindsight: JointTable] {
    const [honest, hindsight] = this.gaps(one, two, [1, 1, 1]);
    return [honest.number, hindsight.number];
  }
}

function emptyRows(): Float64Array[] {
  return [new Float64Array(ROW), new Float64Array(ROW), new Float64Array(ROW)];
}

/** Cost of every window at factors mu on false alarms and nu on reviews, those of misses being 1; per case. */
export class MoneySurface extends Surface {
  private readonly learned: LearnedSums;
  private readonly money: RunningCosts;

  constructor(model: Scored, totals: Totals, prevalence: number | null, sums: ClassScoreSums) {
    super(model, totals, prevalence);
    this.learned = new LearnedSums(sums, prevalence);
    const weights = classWeights(sums.cases, prevalence);
    const n = totals.n_positive + totals.n_negative;
    const perCase = ([negative, positive]: [Float64Array, Float64Array]): Float64Array =>
      negative.map((sum, at) => (weights[0] * sum + weights[1] * positive[at]) / n);
    const [miss, alarm, review] = [sums.miss, sums.alarm, sums.review].map(perCase);
    this.money = new RunningCosts({ cases: miss, miss, alarm, review });
  }

  override cuts(mu: number, nu: number): [i: number, j: number] {
    return this.learned.cuts(mu, nu);
  }

  override limitedCuts(mu: number, nu: number, limits: RuleLimits): [i: number, j: number] | null {
    return this.learned.cutsWithin(mu, nu, limits);
  }

  override rangeCuts(points: readonly CostPoint[], limits: RuleLimits | null): [i: number, j: number] | null {
    return this.learned.cutsOver(points, limits);
  }

  override costOf(i: number, j: number, mu: number, nu: number): number {
    const { miss, alarm, review } = this.money;
    const errors = miss[i] + mu * alarm[j];
    return i === j ? errors : errors + nu * (review[j] - review[i]);
  }

  override trivial(mu: number, nu: number): Record<TrivialRule, number> {
    const all = nu < Infinity ? this.costOf(0, this.size, mu, nu) : Infinity;
    return {
      "always positive": this.costOf(0, 0, mu, nu),
      "always negative": this.costOf(this.size, this.size, mu, nu),
      "always abstain": all,
    };
  }
}

/** Column sums of both classes over all rows. */
export function columnTotals(rows: Iterable<Float64Array>): Float64Array {
  const totals = new Float64Array(2 * WIDTH);
  for (const row of rows) row.forEach((sum, c) => (totals[c] += sum));
  return totals;
}
