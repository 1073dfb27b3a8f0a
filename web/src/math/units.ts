/** Costs in the reader's unit, and their normal form in which a miss costs 1. */

/** Cost of a miss, of a false alarm and of abstaining; an infinite `abstain` means never. */
export type Costs = { fn: number; fp: number; abstain: number };

/** Costs relative to a miss. */
export type CostPoint = { mu: number; nu: number };

/** Relative costs of a false alarm (mu) and of abstaining (nu). */
export function normalForm(costs: Costs): CostPoint {
  return { mu: costs.fp / costs.fn, nu: costs.abstain / costs.fn };
}

/** A normalised cost back in the reader's unit, per case. */
export function money(normalized: number, costs: Costs): number {
  return costs.fn * normalized;
}
