/** The part of all costs in view, wide enough for the cost point: of the map, and from 0 on for the surface. */
import { abstentionBorder } from "./math/lemma1";
import { decades, PriceAxis } from "./view/priceAxis";

/** From here on the unit square leaves no room beside the point. */
const NEAR = 0.95;
/** Prices on the map relative to a miss, and factors on amounts. */
const USUAL = { mu: [0.01, 10], nu: [0.001, 1] } as const;
const USUAL_FACTORS = [0.1, 10] as const;
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
  /** Ends of the axes of the surface, which begin at 0. */
  muMax = 1;
  nuMax = 0.6;
  /** The axes of the map: logarithmic, or around the point where the reader wants to look closer. */
  mu = new PriceAxis(...USUAL.mu);
  nu = new PriceAxis(...USUAL.nu);
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
    const changed = this.fit(...this.linear(mu, nu));
    const axes = this.zoomed
      ? [new PriceAxis(0, this.muMax), new PriceAxis(0, this.nuMax)]
      : [decades(this.factors ? USUAL_FACTORS : USUAL.mu, mu), decades(this.factors ? USUAL_FACTORS : USUAL.nu, nu)];
    if (axes[0].same(this.mu) && axes[1].same(this.nu)) return changed;
    [this.mu, this.nu] = axes;
    return true;
  }

  private linear(mu: number, nu: number): [muMax: number, nuMax: number] {
    if (this.factors) return [factorMax(mu, this.zoomed), factorMax(nu, this.zoomed)];
    const muMax = this.zoomed && mu > 0 ? roundUp(2 * mu) : mu > NEAR ? roundUp(1.1 * mu) : 1;
    const useful = roundUp(Number((1.1 * abstentionBorder(muMax)).toPrecision(2)) * 0.999);
    if (this.zoomed && nu > 0 && nu < Infinity) return [muMax, roundUp(2 * nu)];
    return [muMax, nu > useful && nu < Infinity ? roundUp(1.05 * nu) : muMax === 1 ? 0.6 : useful];
  }

  private fit(muMax: number, nuMax: number): boolean {
    if (muMax === this.muMax && nuMax === this.nuMax) return false;
    [this.muMax, this.nuMax] = [muMax, nuMax];
    return true;
  }
}
