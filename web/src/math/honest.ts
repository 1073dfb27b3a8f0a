/** Honest cost, standard errors and intervals at any costs (demur.cross_fitting; spec 105, section 2). */
import type { ModelData, Totals } from "../data";
import { FoldTable, ownFold, type Outcomes } from "./heldOut";
import { classWeights, type Weights } from "./masses";
import { normalQuantile } from "./normal";
import { Weighting } from "./weighting";

/** One cost point: expected costs per case (a miss costs 1), and shares of all cases. */
export interface HonestPoint {
  /** What one will pay, and its standard error. */
  cost: number;
  error: number;
  /** The cost with hindsight, which is too small on average. */
  hindsight: number;
  hindsightError: number;
  /** Bracket interval from hindsight - z s to honest + z s. */
  low: number;
  high: number;
  fn: number;
  fp: number;
  abstain: number;
}

/** Honest numbers of a model; null where cross-fitting was impossible. */
export function honestOf(
  model: ModelData,
  totals: Totals,
  prevalence: number | null,
  level: number,
): Honest | null {
  return model.folds.length ? new Honest(model, totals, prevalence, level) : null;
}

export class Honest {
  private readonly folds: FoldTable[];
  private readonly own: FoldTable;
  private readonly weighting: Weighting;
  private readonly weights: Weights;
  private readonly z: number;

  constructor(
    model: Pick<ModelData, "blocks" | "folds">,
    totals: Totals,
    prevalence: number | null,
    level: number,
  ) {
    this.folds = model.folds.map((fold) => new FoldTable(fold, prevalence));
    this.own = new FoldTable(ownFold(model.blocks), prevalence);
    this.weighting = new Weighting(totals, prevalence);
    this.weights = classWeights(totals, prevalence);
    this.z = normalQuantile(level);
  }

  /** Everything at one cost point. */
  at(mu: number, nu: number): HonestPoint {
    const judged = outcomes(this.folds, mu, nu);
    const [cost, error] = this.meanAndError(judged, mu, nu);
    const [hindsight, hindsightError] = this.meanAndError(outcomes([this.own], mu, nu), mu, nu);
    const { positive, negative } = this.weights;
    return {
      cost,
      error,
      hindsight,
      hindsightError,
      low: Math.max(hindsight - this.z * hindsightError, 0),
      high: cost + this.z * error,
      fn: positive * judged.fn,
      fp: negative * judged.fp,
      abstain: positive * judged.abstainPositive + negative * judged.abstainNegative,
    };
  }

  private meanAndError(done: Outcomes, mu: number, nu: number): [number, number] {
    // an infinite price goes with an empty window
    const abstain = nu === Infinity ? 0 : nu;
    const sums = {
      positive: done.fn + abstain * done.abstainPositive,
      negative: mu * done.fp + abstain * done.abstainNegative,
    };
    const squares = {
      positive: done.fn + abstain ** 2 * done.abstainPositive,
      negative: mu ** 2 * done.fp + abstain ** 2 * done.abstainNegative,
    };
    return [this.weighting.mean(sums), this.weighting.standardError(sums, squares)];
  }
}

function outcomes(tables: FoldTable[], mu: number, nu: number): Outcomes {
  const found = { fn: 0, fp: 0, abstainPositive: 0, abstainNegative: 0 };
  for (const table of tables) table.addTo(found, mu, nu);
  return found;
}
