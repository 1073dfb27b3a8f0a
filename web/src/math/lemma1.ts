/** Where abstaining can pay at all (Friedel, Rueckert, Kramer 2006, lemma 1). */

/** The price of abstaining from which on it never pays, whatever the model. */
export function abstentionBorder(mu: number): number {
  return mu / (1 + mu);
}

/** Whether some score could make abstaining worth its price; never where that is infinite. */
export function mayPay(mu: number, nu: number): boolean {
  return mu * nu + nu < mu;
}

/** The border as a line to draw, from mu = 0 to `muMax`. */
export function borderLine(muMax: number, steps: number): [mu: number, nu: number][] {
  return Array.from({ length: steps + 1 }, (_, step) => {
    const mu = (muMax * step) / steps;
    return [mu, abstentionBorder(mu)];
  });
}
