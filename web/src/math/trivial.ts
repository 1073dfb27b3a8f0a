/** Rules that ignore the scores. */
import { NO_SURCHARGE, reviewsAt, type Surcharge } from "./units";

export type TrivialRule = "always positive" | "always negative" | "always abstain";

/** Simplest first, for ties. */
export const TRIVIAL_RULES: readonly TrivialRule[] = ["always positive", "always negative", "always abstain"];

/** What the rules without a model cost at a prevalence; a miss costs 1. */
export function trivialCosts(
  prevalence: number,
  mu: number,
  nu: number,
  extra: Surcharge = NO_SURCHARGE,
): Record<TrivialRule, number> {
  const [positive, negative] = reviewsAt(mu, nu, extra);
  return {
    "always positive": mu * (1 - prevalence),
    "always negative": prevalence,
    // a price of both classes is itself, however the prevalence was rounded
    "always abstain": negative + (positive === negative ? 0 : prevalence * (positive - negative)),
  };
}

export const ABSTAINED = 2;

/** By class (negative, positive) and decision: element 3 * class + decision. */
export type OutcomeTable = Float64Array;
