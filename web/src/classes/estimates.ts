/** Costs of rules from tables of decisions, as demur.comparison.estimates has them. */
import { meanLoss, sampleOf } from "../comparison/meanLoss";

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
  /** Quantile of Student's t; NaN, and so are intervals, where the page can compute none. */
  quantile: number;
  /** Number of independent cases. */
  units: number;
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
  const table = priceTable(prices);
  const { cost, low, raised } = ends(tables, table, table.map(() => 0), 1, setting);
  const { shares } = setting;
  const hindsight = paid(sharesOf(tables.hindsight, shares), table);
  return { cost: paid(sharesOf(tables.honest, shares), table), interval: [Math.min(low, cost), Math.max(raised, cost)], hindsight };
}

/** Interval of the cost of a rule beyond that of always giving one answer; two units of the worst loss are added. */
export function beyond(tables: Tables, answer: number, prices: Prices, setting: Setting): [number, number] {
  const table = priceTable(prices);
  const forward = ends(tables, table, table.map((row) => row[answer]), 2, setting);
  const back = ends(tables, table.map((row) => row.map((loss) => -loss)), table.map((row) => -row[answer]), 2, setting);
  return [Math.min(-back.raised, forward.cost), Math.max(forward.raised, forward.cost)];
}

/** Mean loss beyond what is spared in each class, its lower end, and the upper one with units of the worst loss added. */
function ends({ honest, hindsight }: Tables, losses: readonly number[][], spared: readonly number[], added: number, { shares, quantile, units }: Setting) {
  const cells = honest.flatMap((row, kind) => row.map((cases, answer) => ({ kind, answer, cases, loss: losses[kind][answer] - spared[kind] })));
  const column = (of: (cell: (typeof cells)[number]) => number): Float64Array => Float64Array.from(cells, of);
  const mass = column(({ cases }) => cases);
  const sample = sampleOf(mass, mass, units, Uint8Array.from(cells, ({ kind }) => kind), shares, null);
  const taken = (answer: number): boolean => [honest, hindsight].some((table) => table.some((row) => row[answer] > 0));
  const sizes = honest.map(sum);
  const factor = (kind: number): number => (shares === null ? 1 : (shares[kind] * sum(sizes)) / Math.max(sizes[kind], 1e-300));
  const possible = cells.filter(({ kind, answer }) => sizes[kind] > 0 && factor(kind) > 0 && taken(answer));
  const worst = Math.max(...possible.map(({ kind, loss }) => loss * factor(kind)));
  const found = meanLoss({ loss: column(({ loss }) => loss), within: null, sample }, worst, added, 0);
  return { cost: found.cost, low: found.cost - quantile * found.error, raised: found.raised + quantile * found.raisedError };
}
