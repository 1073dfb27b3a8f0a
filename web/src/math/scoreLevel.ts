/**
 * The report with every distinct score as a block of its own. Between blocks all cheapest windows are
 * found, but a limit can force a cut inside one: there the page searches all scores, as Python does.
 */
import type { CasesData, FoldData, ModelData, ReportData } from "../data";
import { decisionAt } from "./heldOut";
import type { JointOutcomes } from "./jointCases";
import type { Decisions } from "./judged";
import type { JointTable } from "./outcomes";
import { cutPoints, shortestCuts } from "./thresholds";

/** The same report score by score, and which scores belong to one case. */
export interface ScoreLevel {
  report: ReportData;
  joint(first: number, second: number): JointOutcomes;
  /** Look at the class, the score by one model and the size of every case. */
  eachCase(k: number, see: (positive: boolean, score: number, size: number) => void): void;
  /** The same with its places among the training scores of another model. */
  eachPlace(k: number, scored: number, see: (place: CasePlace) => void): void;
}

/** Where a case lies. */
export interface CasePlace {
  positive: boolean;
  /** Place of its score by the first model. */
  rank: number;
  /** Its score by the second. */
  score: number;
  size: number;
  /** The tables that hold it out, one for every split, and its position there. */
  tables: readonly { table: number; position: number }[];
}

const levels = new WeakMap<ReportData, ScoreLevel | null>();

/** Null where the page does not hold the cases; made once. */
export function scoreLevel(report: ReportData): ScoreLevel | null {
  if (!levels.has(report)) levels.set(report, makeLevel(report));
  return levels.get(report)!;
}

function makeLevel(report: ReportData): ScoreLevel | null {
  if (report.cases === null) return null;
  const rows = new Rows(report.cases);
  const models = report.models.map((model, k) => fineModel(rows, model, k));
  return {
    report: { ...report, models: models.map(({ data }) => data) },
    joint: (first, second) => ({
      outcomes: (one, two) => joined(rows, [models[first], models[second]], [one, two]),
    }),
    eachCase: (k, see) => {
      for (let row = 0; row < rows.size; row++) see(row < rows.positives, rows.scoreOf(k, row), rows.sizeOf(row));
    },
    eachPlace: (k, scored, see) => {
      for (let row = 0; row < rows.size; row++) {
        const rank = rows.ranks[k][row];
        const tables = rows.folds.map((fold, split) => {
          const table = split * rows.parts + fold[row];
          return { table, position: models[k].positions[table][rank] };
        });
        see({ positive: row < rows.positives, rank, score: rows.scoreOf(scored, row), size: rows.sizeOf(row), tables });
      }
    },
  };
}

/** The cases: class, size, folds and ranks. */
export class Rows {
  readonly size: number;
  readonly positives: number;
  readonly folds: Uint8Array[];
  readonly ranks: Uint16Array[];
  readonly scores: Float64Array[];
  readonly parts: number;

  constructor(private readonly data: CasesData) {
    this.positives = data.positives;
    this.size = data.folds[0].length;
    this.folds = data.folds.map((digits) => Uint8Array.from(digits, Number));
    this.parts = 1 + this.folds.reduce((most, column) => Math.max(most, ...column), 0);
    this.ranks = data.ranks.map(shortNumbers);
    this.scores = data.scores.map((column) => Float64Array.from(column));
  }

  sizeOf(row: number): number {
    return this.data.sizes === null ? 1 : this.data.sizes[row];
  }

  scoreOf(k: number, row: number): number {
    return this.scores[k][this.ranks[k][row]];
  }

  /** Weight by rank of one class; of all cases, or of those for which `chosen` holds. */
  count(k: number, positive: boolean, chosen: (row: number) => boolean): Float64Array {
    const counts = new Float64Array(this.scores[k].length);
    const [from, to] = positive ? [0, this.positives] : [this.positives, this.size];
    for (let row = from; row < to; row++) if (chosen(row)) counts[this.ranks[k][row]] += this.sizeOf(row);
    return counts;
  }
}

/** Two bytes each, the low one first. */
function shortNumbers(text: string): Uint16Array {
  const bytes = atob(text);
  return Uint16Array.from({ length: bytes.length / 2 }, (_, at) => {
    return bytes.charCodeAt(2 * at) + 256 * bytes.charCodeAt(2 * at + 1);
  });
}

export interface FineModel {
  k: number;
  data: ModelData;
  /** Element t: position of every rank among the training scores of table t. */
  positions: Int32Array[];
}

/** A model with every distinct score as a block. */
export function fineModel(rows: Rows, model: ModelData, k: number, honest = model.folds.length > 0): FineModel {
  const scores = rows.scores[k];
  const all = () => true;
  const { lower, upper } = shortestCuts(scores);
  const positions: Int32Array[] = [];
  const folds: FoldData[] = [];
  for (const fold of honest ? rows.folds : []) {
    for (let part = 0; part < rows.parts; part++) {
      const [table, places] = fineFold(rows, k, fold, part);
      folds.push(table);
      positions.push(places);
    }
  }
  const data = {
    ...model,
    blocks: {
      positives: [...rows.count(k, true, all)],
      negatives: [...rows.count(k, false, all)],
      lower: [...scores],
      upper: [...scores],
      groups: new Array<number>(scores.length).fill(1),
    },
    cuts: { lower: [...lower], upper: [...upper] },
    folds,
  };
  return { k, data, positions };
}

/** Training scores of one fold with their cases, the held-out cases by position, and the place of every rank. */
function fineFold(rows: Rows, k: number, fold: Uint8Array, part: number): [FoldData, Int32Array] {
  const scores = rows.scores[k];
  const [trained, held] = [(row: number) => fold[row] !== part, (row: number) => fold[row] === part];
  const [positives, negatives] = [true, false].map((positive) => rows.count(k, positive, trained));
  const kept = [...scores.keys()].filter((rank) => positives[rank] + negatives[rank] > 0);
  const { lower, upper } = cutPoints(kept.map((rank) => scores[rank]));
  const places = new Int32Array(scores.length);
  // thresholds passed strictly, and thresholds reached: together the position
  let [passed, reached] = [0, 0];
  for (let rank = 0; rank < scores.length; rank++) {
    while (passed + 1 < kept.length && lower[passed + 1] < scores[rank]) passed++;
    while (reached + 1 < kept.length && upper[reached + 1] <= scores[rank]) reached++;
    places[rank] = passed + reached;
  }
  const spread = (positive: boolean): number[] => {
    const counts = new Array<number>(2 * kept.length - 1).fill(0);
    rows.count(k, positive, held).forEach((cases, rank) => (counts[places[rank]] += cases));
    return counts;
  };
  const table = {
    positives: kept.map((rank) => positives[rank]),
    negatives: kept.map((rank) => negatives[rank]),
    held_positives: spread(true),
    held_negatives: spread(false),
  };
  return [table, places];
}

/** Joint outcomes of two rules, honest and with hindsight, case by case. */
function joined(
  rows: Rows,
  [first, second]: readonly FineModel[],
  [one, two]: readonly Decisions[],
): [honest: JointTable, hindsight: JointTable] {
  const [honest, hindsight] = [new Float64Array(18), new Float64Array(18)];
  const repeats = rows.folds.length;
  for (let row = 0; row < rows.size; row++) {
    const at = row < rows.positives ? 9 : 0;
    const [a, b] = [rows.ranks[first.k][row], rows.ranks[second.k][row]];
    const size = rows.sizeOf(row);
    // with hindsight every score is one the rule was learned from
    hindsight[at + 3 * decisionAt(2 * a, one.hindsight) + decisionAt(2 * b, two.hindsight)] += size;
    for (let split = 0; split < repeats; split++) {
      const table = split * rows.parts + rows.folds[split][row];
      const decided = decisionAt(first.positions[table][a], one.honest[table]);
      honest[at + 3 * decided + decisionAt(second.positions[table][b], two.honest[table])] += size / repeats;
    }
  }
  return [honest, hindsight];
}
