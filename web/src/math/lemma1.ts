/** Where abstaining can pay at all (Friedel, Rueckert, Kramer 2006, lemma 1; by class in demur.CostModel). */
import { NO_SURCHARGE, reviewsAt, type Surcharge } from "./units";

/** The share of positives from which on calling positive is cheaper than calling negative. */
export function evenShare(mu: number): number {
  return mu / (1 + mu);
}

/** The price of abstaining from which on it never pays, whatever the model. */
export function abstentionBorder(mu: number, extra: Surcharge = NO_SURCHARGE): number {
  return Math.max(0, (mu * (1 - extra.positive - extra.alarms) - extra.negative) / (1 + mu));
}

/** Whether some score could make abstaining worth its price; never where that is infinite. */
export function mayPay(mu: number, nu: number, extra: Surcharge = NO_SURCHARGE): boolean {
  const [positive, negative] = reviewsAt(mu, nu, extra);
  return mu * positive + negative < mu;
}
