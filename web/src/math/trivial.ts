/** Rules that ignore the scores (spec 000, section 6). */
import type { Totals } from "../data";
import { assumedPrevalence } from "./masses";
import { Surface } from "./surface";

export type TrivialRule = "always positive" | "always negative" | "always abstain";

/** Costs of the three rules without a model, and the best of them; a miss costs 1. */
export interface Trivial {
  positive: number;
  negative: number;
  abstain: number;
  best: TrivialRule;
  cost: number;
}

/** The best is the surface of one block, so ties follow the same rule as windows. */
export class TrivialSurface {
  private readonly surface: Surface;

  constructor(totals: Totals, prevalence: number | null) {
    const blocks = { positives: [totals.n_positive], negatives: [totals.n_negative] };
    const cuts = { lower: [-Infinity, Infinity], upper: [-Infinity, Infinity] };
    this.surface = new Surface({ blocks, cuts }, totals, assumedPrevalence(totals, prevalence));
  }

  at(mu: number, nu: number): Trivial {
    const { i, j, cost } = this.surface.window(mu, nu);
    return {
      positive: mu * this.surface.negativeAbove[0],
      negative: this.surface.positiveBelow[1],
      abstain: nu,
      best: i < j ? "always abstain" : j === 0 ? "always positive" : "always negative",
      cost,
    };
  }
}
