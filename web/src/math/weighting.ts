/** How sums over the two classes become an expectation with a standard error (demur.held_out.Weighting). */
import type { Totals } from "../data";
import { classWeights, type Weights } from "./masses";

/** Differences of sums this small beside them are rounding. */
const ROUNDING = 64 * Number.EPSILON;

/** One sum over the positives, one over the negatives. */
export type ByClass = { positive: number; negative: number };

export class Weighting {
  private readonly weights: Weights;

  /** A given prevalence makes the classes two samples; otherwise it is estimated along. */
  constructor(
    private readonly totals: Totals,
    private readonly prevalence: number | null,
  ) {
    this.weights = classWeights(totals, prevalence);
  }

  /** Expectation from the sums of a loss over each class. */
  mean(sums: ByClass): number {
    return this.weights.positive * sums.positive + this.weights.negative * sums.negative;
  }

  /** Standard error of the mean from the sums of the losses and of their squares. */
  standardError(sums: ByClass, squares: ByClass): number {
    const { n_positive, n_negative } = this.totals;
    if (this.prevalence === null) {
      const n = n_positive + n_negative;
      const total = squares.positive + squares.negative;
      const spread = withoutRounding(total - (sums.positive + sums.negative) ** 2 / n, total);
      return Math.sqrt(spread / (n * (n - 1)));
    }
    const parts = [
      classVariance(this.weights.positive, n_positive, sums.positive, squares.positive),
      classVariance(this.weights.negative, n_negative, sums.negative, squares.negative),
    ];
    return Math.sqrt(parts[0] + parts[1]);
  }
}

function classVariance(weight: number, size: number, sum: number, square: number): number {
  return ((weight ** 2 * size) / (size - 1)) * withoutRounding(square - sum ** 2 / size, square);
}

function withoutRounding(gap: number, scale: number): number {
  return gap > ROUNDING * scale ? gap : 0;
}
