/** Costs of windows where every case has its own costs: factors mu on false alarms and nu on reviews, those of misses being 1. */
import type { Totals } from "../data";
import { sumsAbove, sumsBelow } from "./masses";
import { Surface, type Scored } from "./surface";
import { aimsOf, classFactors, type ByClass, type Training } from "./training";
import type { TrivialRule } from "./trivial";
import { NO_SURCHARGE } from "./units";
import type { RuleLimits } from "./windowSearch";

export class MoneySurface extends Surface {
  private readonly miss: Float64Array;
  private readonly alarm: Float64Array;
  private readonly review: Float64Array;

  constructor(model: Scored, totals: Totals, prevalence: number | null, private readonly cases: Training) {
    super(model, totals, prevalence, NO_SURCHARGE, cases);
    const [negative, positive] = classFactors(cases.cases, prevalence);
    const n = totals.n_positive + totals.n_negative;
    const perCase = ([one, two]: ByClass): Float64Array => one.map((sum, at) => (negative * sum + positive * two[at]) / n);
    const { miss, alarm, review } = cases.paid!;
    this.miss = sumsBelow(perCase(miss));
    this.alarm = sumsAbove(perCase(alarm));
    this.review = sumsBelow(perCase(review));
  }

  override cuts(mu: number, nu: number): [i: number, j: number] {
    const [i, j] = this.cases.cuts(aimsOf(this.problemAt(mu, nu, null, true)).at(-1)!)!;
    return [i, j];
  }

  override limitedCuts(mu: number, nu: number, limits: RuleLimits): [i: number, j: number] | null {
    const found = this.cases.cuts(aimsOf(this.problemAt(mu, nu, limits, true)).at(-1)!);
    return found && [found[0], found[1]];
  }

  override costOf(i: number, j: number, mu: number, nu: number): number {
    const errors = this.miss[i] + mu * this.alarm[j];
    return i === j ? errors : errors + nu * (this.review[j] - this.review[i]);
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
