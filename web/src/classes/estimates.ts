/** Costs of rules from tables of decisions, as demur.comparison.estimates has them. */
import { normalQuantile } from "../math/normal";

const ROUNDING = 64 * 2 ** -52;

/** Costs by true class and answer; `abstain` by true class, null where it is no answer. */
export interface Prices {
  costs: number[][];
  abstain: number[] | null;
}

/** Decisions of one rule: counts by true class (rows) and answer, abstaining last. */
export interface Tables {
  honest: number[][];
  hindsight: number[][];
}

/** What depends on the report alone. */
export interface Setting {
  shares: number[] | null;
  /** Of intervals; NaN, and so are they, where the page can compute none. */
  level: number;
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

/** Honest cost with its interval for the true cost of the rule in use. */
export function costOf(tables: Tables, prices: Prices, setting: Setting): ClassEstimate {
  const shares = sharesOf(tables.honest, setting.shares).map(sum);
  const table = priceTable(prices);
  const losses = relativeTable(prices);
  const base = sum(shares.map((share, k) => share * prices.costs[k][k]));
  const [low, high] = ends(tables, losses, losses.map(() => 0), setting);
  const possible = prices.abstain === null ? losses.map((row) => row.slice(0, -1)) : losses;
  const least = sum(shares.map((share, k) => share * Math.min(...possible[k])));
  const most = sum(shares.map((share, k) => share * Math.max(...possible[k])));
  const cost = paid(sharesOf(tables.honest, setting.shares), table);
  return {
    cost,
    interval: [Math.min(base + Math.max(low, least), cost), Math.max(base + Math.min(high, most), cost)],
    hindsight: paid(sharesOf(tables.hindsight, setting.shares), table),
  };
}

/** Interval of the cost of a rule beyond that of always giving one answer. */
export function beyond(tables: Tables, answer: number, prices: Prices, setting: Setting): [number, number] {
  const losses = relativeTable(prices);
  return ends(tables, losses, losses.map((row) => row[answer]), setting);
}

/** Per class: cases, losses, squared losses, loss of an added error, its weight, whether any is decided. */
interface Sums {
  n: number[];
  total: number[];
  squares: number[];
  worst: number[];
  risk: number[];
  decided: number[];
}

function sumsOf(table: readonly number[][], losses: readonly number[][], spared: readonly number[]): Sums {
  const m = table.length;
  const calls = Array.from({ length: m }, (_, j) => sum(table.map((row) => row[j])));
  const found: Sums = { n: [], total: [], squares: [], worst: [], risk: [], decided: [] };
  table.forEach((row, k) => {
    const gaps = losses[k].map((loss) => loss - spared[k]);
    let wrong = 0;
    let squared = 0;
    for (let j = 0; j < m; j++) {
      if (j === k) continue;
      wrong += calls[j];
      squared += calls[j] * losses[k][j] ** 2;
    }
    found.n.push(sum(row));
    found.total.push(sum(row.map((cases, j) => cases * gaps[j])));
    found.squares.push(sum(row.map((cases, j) => cases * gaps[j] ** 2)));
    found.worst.push((wrong > 0 ? Math.sqrt(squared / wrong) : 0) - spared[k]);
    found.risk.push(Math.min(wrong, 1));
    found.decided.push(Math.min(sum(row.slice(0, m)), 1));
  });
  return found;
}

function ends(
  tables: Tables,
  losses: readonly number[][],
  spared: readonly number[],
  { shares, level }: Setting,
): [number, number] {
  const hindsight = sumsOf(tables.hindsight, losses, spared);
  const honest = sumsOf(tables.honest, losses, spared);
  honest.risk = honest.risk.map((risk, k) => Math.max(risk, hindsight.risk[k]));
  honest.worst = honest.worst.map((worst, k) => (honest.risk[k] > 0 ? Math.max(worst, hindsight.worst[k]) : 0));
  const z = normalQuantile(level);
  const errors = ((z ** 2 / 4) * 2) / losses.length;
  const [seen, seenError] = meanAndError(hindsight, shares, 0, shares === null ? 0 : errors);
  const [high, highError] = meanAndError(honest, shares, errors, 0);
  return [seen - z * seenError, high + z * highError];
}

function meanAndError(
  sums: Sums,
  shares: number[] | null,
  errors: number,
  right: number,
): [mean: number, error: number] {
  const wrong = sums.risk.map((risk) => errors * risk);
  let n = sums.n.map((cases, k) => cases + wrong[k] + right * sums.decided[k]);
  let total = sums.total.map((loss, k) => loss + wrong[k] * sums.worst[k]);
  let squares = sums.squares.map((loss, k) => loss + wrong[k] * sums.worst[k] ** 2);
  if (shares === null) [n, total, squares] = [n, total, squares].map((column) => [sum(column)]);
  const used = shares ?? [1];
  let mean = 0;
  let variance = 0;
  used.forEach((share, k) => {
    if (share <= 0) return;
    const spread = squares[k] - total[k] ** 2 / n[k];
    mean += (share * total[k]) / n[k];
    if (spread > ROUNDING * squares[k]) variance += (share ** 2 * spread) / (n[k] * Math.max(n[k] - 1, 1));
  });
  return [mean, Math.sqrt(variance)];
}
