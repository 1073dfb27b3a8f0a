/** Honest cost of a model's best rule on a grid of costs: every table walks along the rows once. */
import { sameForAll } from "../comparison/candidates";
import type { CostGrid } from "./costMap";
import type { FoldTable } from "./heldOut";
import type { JudgedModel } from "./judged";
import { evenShare, mayPay } from "./lemma1";
import { assumedPrevalence, classWeights, shareBorders, TIE, type Weights } from "./masses";
import { upTo } from "./search";
import type { Surface } from "./surface";
import { trivialCosts, TRIVIAL_RULES } from "./trivial";
import type { Totals } from "../data";

/** The smaller of the honest costs of window and threshold at every point; a miss costs 1. */
export function honestCosts(
  judged: JudgedModel,
  surface: Surface,
  totals: Totals,
  prevalence: number | null,
  grid: CostGrid,
): Float64Array {
  const { mus, nus } = grid;
  const weights = classWeights(totals, prevalence);
  const each = { positive: weights.positive / judged.repeats, negative: weights.negative / judged.repeats };
  const costs = new Float64Array(mus.length * nus.length);
  const single = new Float64Array(mus.length);
  for (const table of judged.tables) addTable(table, grid, each, costs, single);
  const rate = assumedPrevalence(totals, prevalence);
  // a rule that treats all cases alike is judged as the rule without a model it is
  const constant = (i: number, j: number, mu: number, nu: number): number | null => {
    const decision = sameForAll(i, j, surface.size);
    return decision === null ? null : trivialCosts(rate, mu, nu, surface.extra)[TRIVIAL_RULES[[1, 0, 2][decision]]];
  };
  mus.forEach((mu, c) => {
    const [i, j] = surface.cuts(mu, Infinity);
    single[c] = constant(i, j, mu, Infinity) ?? single[c];
  });
  for (let r = 0, at = 0; r < nus.length; r++) {
    for (let c = 0; c < mus.length; c++, at++) {
      if (!mayPay(mus[c], nus[r], surface.extra)) costs[at] = single[c];
      else {
        const [i, j] = surface.cuts(mus[c], nus[r]);
        costs[at] = Math.min(constant(i, j, mus[c], nus[r]) ?? costs[at], single[c]);
      }
    }
  }
  return costs;
}

/** Add the costs of the cases of one table: of the windows, and per column of the threshold. */
function addTable(
  table: FoldTable,
  { mus, nus }: CostGrid,
  weights: Weights,
  costs: Float64Array,
  single: Float64Array,
): void {
  const { shares, positives, negatives, extra } = table;
  const { positive, negative } = weights;
  const end = table.positions;
  const size = shares.length;
  // cuts rise with mu: one walk per row, for this runs for every table at every point
  let cut = 0;
  for (let c = 0; c < mus.length; c++) {
    const border = evenShare(mus[c]) * (1 - TIE);
    while (cut < size && shares[cut] < border) cut++;
    const limit = Math.min(Math.max(2 * cut - 1, 0), end);
    single[c] += positive * positives[limit] + negative * mus[c] * (negatives[end] - negatives[limit]);
  }
  for (let r = 0; r < nus.length; r++) {
    const nu = nus[r];
    const row = r * mus.length;
    // the lower cut is the same along a row unless a review costs a share of a false alarm
    let lowest = extra.alarms === 0 ? upTo(shares, shareBorders(1, nu, extra)[0] * (1 + TIE)) : -1;
    let j = 0;
    for (let c = 0; c < mus.length; c++) {
      const mu = mus[c];
      if (!(mu * (nu + extra.positive) + nu + extra.negative + extra.alarms * mu < mu)) continue;
      // as in shareBorders, without arrays
      const onPositive = nu + extra.positive;
      const onNegative = nu + extra.negative + extra.alarms * mu;
      const border = ((mu - onNegative) / (mu + onPositive - onNegative)) * (1 - TIE);
      while (j < size && shares[j] < border) j++;
      if (extra.alarms !== 0) lowest = upTo(shares, (onNegative / (1 - onPositive + onNegative)) * (1 + TIE));
      const first = Math.min(lowest < j ? 2 * lowest : Math.max(2 * j - 1, 0), end);
      const last = Math.min(Math.max(2 * j - 1, 0), end);
      const missed = positives[first] + onPositive * (positives[last] - positives[first]);
      const alarmed = mu * (negatives[end] - negatives[last]) + onNegative * (negatives[last] - negatives[first]);
      costs[row + c] += positive * missed + negative * alarmed;
    }
  }
}
