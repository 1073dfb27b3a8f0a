/** Two models on the same held-out cases: joint outcomes of any two of their rules (demur.honest.pairs). */
import type { JointData, PairData } from "../data";
import type { FoldTable, Limits } from "./heldOut";
import type { Decisions, JudgedModel } from "./judged";
import { ABSTAINED, type JointTable } from "./outcomes";

/** Joint outcomes of a rule of one model and one of another: honest, and with hindsight. */
export interface JointOutcomes {
  outcomes(one: Decisions, two: Decisions): [honest: JointTable, hindsight: JointTable];
}

export class JointCases implements JointOutcomes {
  private readonly honest: Groups;
  private readonly own: Groups;

  constructor(
    joint: JointData,
    hindsight: JointData,
    private readonly first: JudgedModel,
    private readonly second: JudgedModel,
  ) {
    this.honest = new Groups(joint, first.tables, second.tables);
    this.own = new Groups(hindsight, [first.own], [second.own]);
  }

  outcomes(one: Decisions, two: Decisions): [honest: JointTable, hindsight: JointTable] {
    const honest = this.honest.outcomes(this.first.tables, one.honest, this.second.tables, two.honest);
    const own = this.own.outcomes([this.first.own], [one.hindsight], [this.second.own], [two.hindsight]);
    return [honest.map((cases) => cases / this.first.repeats), own];
  }
}

/** The joint cases of a pair; null where the data were too large to hold them. */
export function jointOf(pair: PairData, models: readonly JudgedModel[]): JointCases | null {
  const { joint, joint_hindsight: hindsight } = pair;
  return joint === null || hindsight === null
    ? null
    : new JointCases(joint, hindsight, models[pair.a], models[pair.b]);
}

/** Groups of cases by slot of either model: slots count positions, class by class, table by table. */
class Groups {
  private readonly firstSlot: Int32Array;
  private readonly secondSlot: Int32Array;
  private readonly cases: Float64Array;
  /** Groups before this one are positives. */
  private readonly negativesFrom: number;

  constructor({ first, second, cases }: JointData, one: readonly FoldTable[], two: readonly FoldTable[]) {
    const [starts, others] = [slotStarts(one), slotStarts(two)];
    this.firstSlot = new Int32Array(first.length);
    this.secondSlot = new Int32Array(first.length);
    this.cases = Float64Array.from(cases);
    let [slot, segment] = [0, 0];
    let positives = 0;
    for (let group = 0; group < first.length; group++) {
      slot += first[group];
      while (slot >= starts[segment + 1]) segment++;
      if (segment < one.length) positives = group + 1;
      this.firstSlot[group] = slot;
      this.secondSlot[group] = others[segment] + second[group];
    }
    this.negativesFrom = positives;
  }

  outcomes(
    one: readonly FoldTable[],
    limits: readonly Limits[],
    two: readonly FoldTable[],
    others: readonly Limits[],
  ): JointTable {
    const [a, b] = [slotDecisions(one, limits), slotDecisions(two, others)];
    const { firstSlot, secondSlot, cases } = this;
    const joint = new Float64Array(18);
    for (let group = 0; group < cases.length; group++) {
      const row = group < this.negativesFrom ? 9 : 0;
      joint[row + 3 * a[firstSlot[group]] + b[secondSlot[group]]] += cases[group];
    }
    return joint;
  }
}

/** First slot of every table's positives, then of every table's negatives, then the end. */
function slotStarts(tables: readonly FoldTable[]): number[] {
  const starts = [0];
  for (const { positions } of [...tables, ...tables]) starts.push(starts[starts.length - 1] + positions);
  return starts;
}

function slotDecisions(tables: readonly FoldTable[], limits: readonly Limits[]): Uint8Array {
  const starts = slotStarts(tables);
  const decisions = new Uint8Array(starts[starts.length - 1]).fill(ABSTAINED);
  for (let segment = 0; segment + 1 < starts.length; segment++) {
    const [first, last] = limits[segment % tables.length];
    decisions.fill(0, starts[segment], starts[segment] + first);
    decisions.fill(1, starts[segment] + last, starts[segment + 1]);
  }
  return decisions;
}
