/** Cheapest window where every score has three sums of costs, exact in one pass (demur._kernels.case_search). */

/** Costs that differ by less, relatively, are a tie. */
const TIE = 64 * Number.EPSILON;

/** Sums over the cases of ascending scores. */
export interface ScoreSums {
  cases: Float64Array;
  miss: Float64Array;
  alarm: Float64Array;
  review: Float64Array;
}

/**
 * The cheapest (i, j); of several the one that reviews fewest cases, then the smaller j. An infinite nu
 * forbids reviews. Running costs carry what rounding took from them (Neumaier 1974), so ties stay ties.
 */
export function cheapestCuts({ cases, miss, alarm, review }: ScoreSums, mu: number, nu: number): [i: number, j: number] {
  const mayAbstain = nu < Infinity;
  let [negative, negativeRest, undecided, undecidedRest] = [0, 0, 0, 0];
  let [positive, positiveRest] = [Infinity, 0];
  let [start, bestStart, bestStop, fewest, excess, below, belowStart] = [0, 0, 0, 0, 0, 0, 0];
  for (let at = 0; at <= cases.length; at++) {
    const called = negative + negativeRest;
    const sent = undecided + undecidedRest;
    // not positive yet: reviewing since `start`, or about to start here
    if (!mayAbstain || called <= sent * (1 + TIE)) {
      if (!mayAbstain || called <= sent) {
        undecided = negative;
        undecidedRest = negativeRest;
      }
      start = at;
      belowStart = below;
    }
    // positive from here on, or since an earlier score
    const cost = undecided + undecidedRest;
    const least = positive + positiveRest;
    const reviewed = below - belowStart;
    if (cost < least) {
      excess += least - cost;
      positive = undecided;
      positiveRest = undecidedRest;
      if (excess > TIE * cost || reviewed < fewest) {
        bestStart = start;
        bestStop = at;
        fewest = reviewed;
        excess = 0;
      }
    } else if (cost <= least * (1 + TIE) && reviewed < fewest) {
      bestStart = start;
      bestStop = at;
      fewest = reviewed;
      excess = cost - least;
    }
    if (at === cases.length) break;
    let added = miss[at];
    let total = negative + added;
    negativeRest += Math.abs(negative) >= Math.abs(added) ? negative - total + added : added - total + negative;
    negative = total;
    if (mayAbstain) {
      added = nu * review[at];
      total = undecided + added;
      undecidedRest += Math.abs(undecided) >= Math.abs(added) ? undecided - total + added : added - total + undecided;
      undecided = total;
    }
    added = mu * alarm[at];
    total = positive + added;
    positiveRest += Math.abs(positive) >= Math.abs(added) ? positive - total + added : added - total + positive;
    positive = total;
    below += cases[at];
  }
  return [bestStart, bestStop];
}
