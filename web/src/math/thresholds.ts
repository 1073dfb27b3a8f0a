/** Thresholds strictly between neighbouring scores, safe for infinities and overflow (demur._kernels.thresholds). */

/**
 * The lower and upper thresholds of the cuts before, between and after distinct ascending scores: score
 * <= lower[i] holds for exactly the first i, score >= upper[i] for exactly the others. They differ only
 * where no number lies between the neighbours; NaN where none can separate them.
 */
export function cutPoints(scores: ArrayLike<number>): { lower: Float64Array; upper: Float64Array } {
  const size = scores.length;
  const [lower, upper] = [new Float64Array(size + 1), new Float64Array(size + 1)];
  lower[0] = upper[0] = -Infinity;
  lower[size] = upper[size] = Infinity;
  for (let i = 1; i < size; i++) {
    const [below, above] = [scores[i - 1], scores[i]];
    const middle = between(below, above);
    const inside = below < middle && middle < above;
    lower[i] = inside ? middle : below === -Infinity ? NaN : below;
    // a score of +Infinity must not be the threshold itself: it would read as "never"
    upper[i] = inside ? middle : above === Infinity ? NaN : above;
  }
  return { lower, upper };
}

function between(below: number, above: number): number {
  if (below === -Infinity) return above === Infinity ? 0 : -Number.MAX_VALUE;
  if (above === Infinity) return Number.MAX_VALUE;
  const middle = (below + above) / 2;
  return Number.isFinite(middle) ? middle : below / 2 + above / 2;
}

/**
 * A threshold rounded to the fewest significant digits that keep it strictly between two scores, halves
 * away from 0: of the numbers with the fewest digits inside a gap the nearest to its middle. Where no
 * number lies between the scores, and beside an infinite one, it stays as it is.
 */
export function shortestCut(value: number, below: number, above: number): number {
  if (!(-Infinity < below && below < value && value < above && above < Infinity)) return value;
  for (let digits = 1; digits < 17; digits++) {
    const number = Number(value.toExponential(digits - 1));
    if (below < number && number < above) return number;
  }
  return value;
}

/** The thresholds of `cutPoints`, each by `shortestCut`: those of rules that are written. */
export function shortestCuts(scores: ArrayLike<number>): { lower: Float64Array; upper: Float64Array } {
  const { lower, upper } = cutPoints(scores);
  for (let i = 1; i < scores.length; i++) {
    if (lower[i] === upper[i]) lower[i] = upper[i] = shortestCut(lower[i], scores[i - 1], scores[i]);
  }
  return { lower, upper };
}
