/** One model judged on all splits, and what rules decide on the held-out cases (demur.honest.decisions). */
import type { ModelData } from "../data";
import { FoldTable, ownFold, type Limits } from "./heldOut";
import { NO_SURCHARGE, type CostPoint, type Surcharge } from "./units";
import type { RuleLimits } from "./windowSearch";
import { ABSTAINED, type JointTable, type OutcomeTable } from "./outcomes";

/** Decisions of one rule of a model: element t of `honest` is what the rule of table t does. */
export interface Decisions {
  honest: Limits[];
  hindsight: Limits;
}

/** Cases without some fold, or all of them, that choose a window: by counts or by their own costs. */
interface Chooser {
  limits(mu: number, nu: number): Limits;
  limitsWithin(mu: number, nu: number, limits: RuleLimits): Limits | null;
  limitsOver(points: readonly CostPoint[], limits: RuleLimits | null): Limits | null;
}

/** Decide with the cheapest windows at a cost point. */
export function decideAll(tables: readonly Chooser[], own: Chooser, mu: number, nu: number): Decisions {
  return { honest: tables.map((table) => table.limits(mu, nu)), hindsight: own.limits(mu, nu) };
}

/** Decide with the cheapest windows under limits; null where they allow none, with all cases or without some fold. */
export function decideAllWithin(
  tables: readonly Chooser[],
  own: Chooser,
  mu: number,
  nu: number,
  limits: RuleLimits,
): Decisions | null {
  return decideBy(tables, own, (table) => table.limitsWithin(mu, nu, limits));
}

/** Decide with the windows of least regret over several cost points; null as above. */
export function decideAllOver(
  tables: readonly Chooser[],
  own: Chooser,
  points: readonly CostPoint[],
  limits: RuleLimits | null,
): Decisions | null {
  return decideBy(tables, own, (table) => table.limitsOver(points, limits));
}

function decideBy(tables: readonly Chooser[], own: Chooser, by: (table: Chooser) => Limits | null): Decisions | null {
  const hindsight = by(own);
  if (hindsight === null) return null;
  const honest: Limits[] = [];
  for (const table of tables) {
    const kept = by(table);
    if (kept === null) return null;
    honest.push(kept);
  }
  return { honest, hindsight };
}

/** The tables of all splits one after the other, and all cases judged by their own windows. */
export class JudgedModel {
  readonly tables: FoldTable[];
  readonly own: FoldTable;

  constructor(
    model: Pick<ModelData, "blocks" | "folds">,
    prevalence: number | null,
    readonly repeats: number,
    extra: Surcharge = NO_SURCHARGE,
  ) {
    this.tables = model.folds.map((fold) => new FoldTable(fold, prevalence, extra));
    this.own = new FoldTable(ownFold(model.blocks), prevalence, extra);
  }

  /** Decide with the cheapest windows at a cost point. */
  decide(mu: number, nu: number): Decisions {
    return decideAll(this.tables, this.own, mu, nu);
  }

  /** Decide with the cheapest windows under limits; null where they allow none, with all cases or without some fold. */
  decideWithin(mu: number, nu: number, limits: RuleLimits): Decisions | null {
    return decideAllWithin(this.tables, this.own, mu, nu, limits);
  }

  /** Decide with the windows of least regret over several cost points; null as above. */
  decideOver(points: readonly CostPoint[], limits: RuleLimits | null): Decisions | null {
    return decideAllOver(this.tables, this.own, points, limits);
  }

  /** Decide alike on every case. */
  always(decision: number): Decisions {
    return {
      honest: this.tables.map((table) => constantLimits(decision, table.positions)),
      hindsight: constantLimits(decision, this.own.positions),
    };
  }

  /** Cases by class and decision, averaged over the splits. */
  outcomes({ honest }: Decisions): OutcomeTable {
    const table = new Float64Array(6);
    this.tables.forEach((fold, t) => fold.addOutcomes(table, honest[t]));
    return table.map((cases) => cases / this.repeats);
  }

  /** The same by the rule of all cases. */
  hindsight({ hindsight }: Decisions): OutcomeTable {
    const table = new Float64Array(6);
    this.own.addOutcomes(table, hindsight);
    return table;
  }

  /** Joint outcomes of two rules of this model: honest, and with hindsight. */
  joint(one: Decisions, two: Decisions): [honest: JointTable, hindsight: JointTable] {
    const [honest, hindsight] = [new Float64Array(18), new Float64Array(18)];
    this.tables.forEach((fold, t) => fold.addJoint(honest, one.honest[t], two.honest[t]));
    this.own.addJoint(hindsight, one.hindsight, two.hindsight);
    return [honest.map((cases) => cases / this.repeats), hindsight];
  }
}

function constantLimits(decision: number, positions: number): Limits {
  if (decision === ABSTAINED) return [0, positions];
  return decision === 0 ? [positions, positions] : [0, 0];
}
