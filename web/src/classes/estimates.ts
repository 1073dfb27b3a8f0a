/** Costs of rules from tables of decisions, as demur.comparison.estimates has them. */
import { classMeanLoss, meanLoss, sampleOf, type Losses, type MeanLoss } from "../comparison/meanLoss";

/** Costs by true class and answer; `abstain` by true class, null where it is no answer. */
export interface Prices {
  costs: number[][];
  abstain: number[] | null;
}

/** Decisions of one rule: counts by true class (rows) and answer, abstaining last. */
export interface Tables {
  honest: number[][];
  hindsight: number[][];
  /** Cases by class and two different answers, over all pairs of splits; null where all splits decide alike, empty where unknown. */
  products: readonly number[] | null;
}

/** What depends on the report alone. */
export interface Setting {
  shares: number[] | null;
  /** Quantile of Student's t; NaN, and so are intervals, where the page can compute none. */
  quantile: number;
  /** Number of independent cases. */
  units: number;
  repeats: number;
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

/** Costs of all answers, abstaining last. */
export function priceTable({ costs, abstain }: Prices): number[][] {
  return costs.map((row, k) => [...row, abstain === null ? 0 : abstain[k]]);
}

/** The same beyond what the right answer costs. */
export function relativeTable(prices: Prices): number[][] {
  return priceTable(prices).map((row, k) => row.map((cost) => cost - prices.costs[k][k]));
}

/** Shares of all cases by true class and answer, as used. */
export function sharesOf(table: readonly number[][], shares: number[] | null): number[][] {
  const sizes = table.map(sum);
  const all = sum(sizes);
  return table.map((row, k) =>
    row.map((cases) => (shares === null ? cases / all : sizes[k] > 0 ? (cases / sizes[k]) * shares[k] : 0)),
  );
}

/** Sum of products of two tables. */
export function paid(table: readonly number[][], prices: readonly number[][]): number {
  return sum(table.map((row, k) => sum(row.map((share, j) => share * prices[k][j]))));
}

export interface ClassEstimate {
  cost: number;
  interval: [number, number];
  hindsight: number;
}

/** Honest cost with its interval for the true cost of the rule in use; the lower end is never below what is certain. */
export function costOf(tables: Tables, prices: Prices, setting: Setting): ClassEstimate {
  const { shares } = setting;
  const quantile = quantileOf(tables, setting);
  const table = priceTable(prices);
  const cost = paid(sharesOf(tables.honest, shares), table);
  const hindsight = paid(sharesOf(tables.hindsight, shares), table);
  const { factor, used, taken } = actionsOf(tables, shares);
  const worst = Math.max(...table.flatMap((row, k) => row.filter((_, j) => used[k] && taken[j]).map((loss) => loss * factor[k])));
  const mean = meanLoss(classLosses(tables, table, setting), worst, 1, 0);
  const judged = table.filter((_, k) => sum(tables.honest[k]) > 0);
  const spans = table.map((_, k) => k).concat(table.length).map((j) => judged.map((row) => row[j]));
  const floor = table.map(() => spans.map((losses) => Math.min(...losses)));
  const settled = (shares !== null && taken.filter(Boolean).length === 1) || spans.every((losses, j) => !taken[j] || Math.min(...losses) === Math.max(...losses));
  const [raised, error] = mean.error === 0 && settled ? [cost, 0] : [mean.raised, mean.raisedError];
  const low = Math.max(cost - quantile * mean.error, paid(sharesOf(tables.hindsight, shares), floor));
  return { cost, interval: [Math.min(low, cost), Math.max(raised + quantile * error, cost)], hindsight };
}

/** Interval of the cost of a rule beyond that of always giving one answer. */
export function beyond(tables: Tables, answer: number, prices: Prices, setting: Setting): [number, number] {
  const quantile = quantileOf(tables, setting);
  const { taken } = actionsOf(tables, setting.shares);
  const gaps = priceTable(prices).map((row) => row.map((loss) => loss - row[answer]));
  const gap = gapOf(tables, gaps, taken, setting);
  const back = gapOf(tables, gaps.map((row) => row.map((loss) => -loss)), taken, setting);
  // no case differs by more than the actions of the two rules can
  const ends = gaps.filter((_, k) => sum(tables.honest[k]) > 0).map((row) => row.filter((_, j) => taken[j]));
  const low = Math.max(-back.raised - quantile * back.raisedError, Math.min(...ends.flat()));
  const high = Math.min(gap.raised + quantile * gap.raisedError, Math.max(...ends.flat()));
  return [Math.min(low, gap.cost), Math.max(high, gap.cost)];
}

/** Mean loss beyond that of another rule, either of which gives one answer; units of the worst loss are added. */
function gapOf(tables: Tables, gaps: number[][], taken: boolean[], setting: Setting): MeanLoss {
  const { factor, used } = actionsOf(tables, setting.shares);
  const losses = classLosses(tables, gaps, setting);
  const worst = gaps.map((row, k) => (used[k] ? Math.max(...row.filter((_, j) => taken[j])) : -Infinity));
  return losses.sample.stratum === null ? meanLoss(losses, Math.max(...worst.map((loss, k) => loss * factor[k])), 2, 0) : classMeanLoss(losses, worst, 0);
}

function quantileOf({ products }: Tables, { quantile }: Setting): number {
  return products?.length === 0 ? NaN : quantile;
}

/** Which classes and actions a rule can meet, and how much more than others a case of a class weighs. */
function actionsOf({ honest, hindsight }: Tables, shares: number[] | null) {
  const sizes = honest.map(sum);
  return {
    factor: sizes.map((size, k) => (shares === null ? 1 : (shares[k] * sum(sizes)) / Math.max(size, 1e-300))),
    used: sizes.map((size, k) => size > 0 && (shares === null || shares[k] > 0)),
    taken: honest[0].map((_, j) => [honest, hindsight].some((table) => table.some((row) => row[j] > 0))),
  };
}

/** Losses by class: their mean, and the variance among its cases. */
function classLosses({ honest, products }: Tables, losses: readonly number[][], { shares, units, repeats }: Setting): Losses {
  const mass = Float64Array.from(honest, sum);
  const mean = mass.map((size, k) => (size > 0 ? sum(honest[k].map((cases, j) => cases * losses[k][j])) / size : 0));
  const within = mass.map((size, k) => {
    const row = losses[k];
    let squares = sum(honest[k].map((cases, j) => cases * row[j] ** 2));
    // the mean over the splits varies less where they decide a case differently
    let at = (k * row.length * (row.length - 1)) / 2;
    if (products !== null) row.forEach((one, i) => row.slice(i + 1).forEach((two) => (squares -= (products[at++] * (one - two) ** 2) / repeats ** 2)));
    const spread = size > 0 ? squares / size - mean[k] ** 2 : 0;
    // all losses equal: what is left of their spread is rounding
    return spread > 1e-14 * mean[k] ** 2 ? spread : 0;
  });
  const kinds = Uint8Array.from(mass, (_, k) => k);
  return { loss: mean, within, sample: sampleOf(mass, mass, units, kinds, shares, null) };
}
