/** Rules that ignore the scores. */

export type TrivialRule = "always positive" | "always negative" | "always abstain";

/** Simplest first, for ties. */
export const TRIVIAL_RULES: readonly TrivialRule[] = ["always positive", "always negative", "always abstain"];

/** What the rules without a model cost at a prevalence; a miss costs 1. */
export function trivialCosts(prevalence: number, mu: number, nu: number): Record<TrivialRule, number> {
  return { "always positive": mu * (1 - prevalence), "always negative": prevalence, "always abstain": nu };
}
