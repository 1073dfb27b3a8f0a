/** The part of all costs in view: from 0 up to (muMax, nuMax), wide enough for the cost point. */
import { abstentionBorder } from "./math/lemma1";

/** From here on the unit square leaves no room beside the point. */
const NEAR = 0.95;
const WIDTHS = [1, 1.5, 2, 3, 5, 7.5];

/** Smallest of 1, 1.5, 2, 3, 5, 7.5, 10, ... that is not below `value`. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return (WIDTHS.find((width) => width * power >= value * (1 - 1e-12)) ?? 10) * power;
}

function factorMax(factor: number, zoomed: boolean): number {
  const finite = factor < Infinity ? factor : 1;
  return zoomed && finite > 0 ? roundUp(2 * finite) : roundUp(Math.max(2, 1.1 * finite));
}

export class Domain {
  muMax = 1;
  nuMax = 0.6;
  zoomed = false;
  /** While the hand holds the point the view stands still. */
  held = false;

  constructor(
    /** Whether the two costs are factors on amounts, of which 1 is in the middle. */
    private readonly factors = false,
  ) {}

  /** Fit the view to a cost point; true if it changed. */
  follow(mu: number, nu: number): boolean {
    if (this.held) return false;
    if (this.factors) return this.fit(factorMax(mu, this.zoomed), factorMax(nu, this.zoomed));
    const muMax = this.zoomed && mu > 0 ? roundUp(2 * mu) : mu > NEAR ? roundUp(1.1 * mu) : 1;
    const useful = roundUp(Number((1.1 * abstentionBorder(muMax)).toPrecision(2)) * 0.999);
    const nuMax = nu > useful && nu < Infinity ? roundUp(1.05 * nu) : muMax === 1 ? 0.6 : useful;
    return this.fit(muMax, nuMax);
  }

  private fit(muMax: number, nuMax: number): boolean {
    if (muMax === this.muMax && nuMax === this.nuMax) return false;
    [this.muMax, this.nuMax] = [muMax, nuMax];
    return true;
  }
}
