/** The part of all costs in view: axes of the map, wide enough for the cost point, and the ends of the sliders. */
import { decades, type PriceAxis } from "./view/priceAxis";

/** Prices on the map relative to a miss, and factors on amounts. */
const USUAL = { mu: [0.01, 10], nu: [0.001, 1] } as const;
const USUAL_FACTORS = [0.1, 10] as const;
/** Where sliders usually end. */
const ENDS = { mu: 1, nu: 0.6 } as const;
const WIDTHS = [1, 1.5, 2, 3, 5, 7.5];

/** Smallest of 1, 1.5, 2, 3, 5, 7.5, 10, ... that is not below `value`. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return (WIDTHS.find((width) => width * power >= value * (1 - 1e-12)) ?? 10) * power;
}

export class Domain {
  mu: PriceAxis = decades(USUAL.mu, 0);
  nu: PriceAxis = decades(USUAL.nu, 0);
  /** While the hand holds the point the view stands still. */
  held = false;
  private readonly ends = { mu: 1, nu: 1 };

  constructor(
    /** Whether the two costs are factors on amounts, of which 1 is in the middle. */
    private readonly factors = false,
  ) {}

  /** Relative price at the end of a slider. */
  most(side: "mu" | "nu"): number {
    return this.ends[side];
  }

  /** Fit the view to a cost point; true if it changed. */
  follow(mu: number, nu: number): boolean {
    if (this.held) return false;
    for (const [side, price] of [["mu", mu], ["nu", nu]] as const) {
      const usual = this.factors ? 2 : ENDS[side];
      this.ends[side] = price < Infinity && price > 0.95 * usual ? roundUp(1.1 * price) : usual;
    }
    const axes = [decades(this.factors ? USUAL_FACTORS : USUAL.mu, mu), decades(this.factors ? USUAL_FACTORS : USUAL.nu, nu)];
    if (axes[0].same(this.mu) && axes[1].same(this.nu)) return false;
    [this.mu, this.nu] = axes;
    return true;
  }
}
