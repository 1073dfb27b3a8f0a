/** Honest cost of a model's best rule on a grid of costs: every table walks along the rows once. */
import type { Judged } from "../comparison/candidates";
import type { CostGrid } from "./costMap";
import type { FoldTable } from "./foldTable";
import { evenShare, mayPay } from "./units";
import { assumedPrevalence, classWeights, shareBorders, TIE, type Weights } from "./masses";
import { below } from "./search";
import type { Surface } from "./surface";
import { trivialCosts, TRIVIAL_RULES } from "./trivial";

/** The smaller of the honest costs of window and threshold at every point; a miss costs 1. */
export function honestCosts(
  judged: Judged,
  surface: Surface,
  prevalence: number | null,
  grid: CostGrid,
): Float64Array {
  const { mus, nus } = grid;
  const tables = judged.tables.filter((table) => table !== null);
  const size = (kind: number): number => tables.reduce((sum, { atCuts: { all } }) => sum + all[kind], 0) / judged.repeats;
  const totals = { n_positive: size(1), n_negative: size(0) };
  const weights = classWeights(totals, prevalence);
  const each = { positive: weights.positive / judged.repeats, negative: weights.negative / judged.repeats };
  const costs = new Float64Array(mus.length * nus.length);
  const single = new Float64Array(mus.length);
  for (const table of tables) addTable(table, grid, each, { prevalence, surface }, costs, single);
  const rate = assumedPrevalence(totals, prevalence);
  // a rule that treats all cases alike is judged as the rule without a model it is
  const constant = (i: number, j: number, mu: number, nu: number): number | null => {
    const decision = j === 0 ? 1 : i === surface.size ? 0 : i === 0 && j === surface.size ? 2 : null;
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
  { positive, negative }: Weights,
  { prevalence, surface: { extra } }: { prevalence: number | null; surface: Surface },
  costs: Float64Array,
  single: Float64Array,
): void {
  const shares = table.training.blockShares(prevalence);
  const { below: under, upTo, all } = table.atCuts;
  const size = shares.length;
  // cuts rise with mu: one walk per row, for this runs for every table at every point
  let cut = 0;
  for (let c = 0; c < mus.length; c++) {
    const border = evenShare(mus[c]) * (1 - TIE);
    while (cut < size && shares[cut] < border) cut++;
    single[c] += positive * under[1][cut] + negative * mus[c] * (all[0] - under[0][cut]);
  }
  for (let r = 0; r < nus.length; r++) {
    const nu = nus[r];
    const row = r * mus.length;
    // the lower cut is the same along a row unless a review costs a share of a false alarm
    let lowest = extra.alarms === 0 ? below(shares, shareBorders(1, nu, extra)[0] * (1 + TIE), true) : -1;
    let j = 0;
    for (let c = 0; c < mus.length; c++) {
      const mu = mus[c];
      if (!(mu * (nu + extra.positive) + nu + extra.negative + extra.alarms * mu < mu)) continue;
      // as in shareBorders, without arrays
      const onPositive = nu + extra.positive;
      const onNegative = nu + extra.negative + extra.alarms * mu;
      const border = ((mu - onNegative) / (mu + onPositive - onNegative)) * (1 - TIE);
      while (j < size && shares[j] < border) j++;
      if (extra.alarms !== 0) lowest = below(shares, (onNegative / (1 - onPositive + onNegative)) * (1 + TIE), true);
      const i = lowest < j ? lowest : j;
      const first = lowest < j ? upTo : under;
      const missed = first[1][i] + onPositive * (under[1][j] - first[1][i]);
      const alarmed = mu * (all[0] - under[0][j]) + onNegative * (under[0][j] - first[0][i]);
      costs[row + c] += positive * missed + negative * alarmed;
    }
  }
}
