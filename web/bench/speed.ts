/** Script time of a drag step, of a change of prevalence and of the map: `npm run bench [REPORT.json]`. */
import { readFileSync } from "node:fs";
import type { Ends } from "../src/comparison/problem";
import { readReport, type FoldData, type ReportData } from "../src/data";
import { costGrid, mapValues, type MapMode } from "../src/math/costMap";
import { prepare } from "../src/math/models";
import { Curves } from "../src/math/envelope";
import { Situation } from "../src/situation";
import { initialState, type PageState } from "../src/state";

const BLOCKS = 1000;
const MODES: MapMode[] = ["cost", "abstention", "winner", "difference"];

/** Three models of a million cases with more blocks than such data have. */
function invented(): ReportData {
  const counts = (steepness: number, share: number) =>
    Array.from({ length: BLOCKS }, (_, b) => Math.round(1000 * share * (1 + steepness * (b / BLOCKS - 0.5))));
  const blocks = (model: number) => ({ positives: counts(1.9 - model / 9, 1), negatives: counts(model / 9 - 1.9, 1) });
  const spread = (column: number[]) =>
    Array.from({ length: 2 * BLOCKS - 1 }, (_, at) => (at % 2 ? 0 : column[at / 2] / 10));
  const edges = Array.from({ length: BLOCKS + 1 }, (_, at) => at / BLOCKS);
  const models = [0, 1, 2].map((model) => {
    const all = blocks(model);
    const fold: FoldData = { ...all, held_positives: spread(all.positives), held_negatives: spread(all.negatives) };
    const cuts = { lower: edges, upper: edges };
    const volume = { hindsight: 0, honest: null, low: null, high: null };
    const blocksOf = { ...all, lower: edges.slice(0, -1), upper: edges.slice(1), groups: all.positives };
    return { name: `m${model}`, blocks: blocksOf, cuts, folds: Array(10).fill(fold), volume, auc: null };
  });
  const sum = (column: number[]) => column.reduce((total, count) => total + count, 0);
  const { positives, negatives } = models[0].blocks;
  const totals = { n_positive: sum(positives), n_negative: sum(negatives), confidence_level: 0.95 };
  const steps = { counts: edges.map((edge) => 1e6 * edge), upper: edges, both_upper: edges, both_lower: edges };
  const source = { positive: "1", negative: "0" };
  const costs = { cost_fn: 100, cost_fp: 40, cost_abstain: 12, cost_tp: 0, cost_tn: 0, cost_abstain_positive: null, cost_abstain_negative: null, reviewer: null };
  const rest = { source, costs, n: 1e6, repeats: 1, prevalence: null, comparison: null, pairs: [], cases: null, amounts: null, inference: { units: 1e6, quantile: 1.96, weights: null, rate_variance: 0, selected: false, same_review: false, windows: true }, bounds: { all: steps, positive: steps, negative: steps } };
  return { ...totals, ...rest, models } as unknown as ReportData;
}

/** Everything that moves with the cost point. */
function stepOf(part: Partial<PageState>, rests: boolean): number {
  const at = new Situation(report, { ...initialState(report), ...part }, prepared, curves, "light", rests);
  let sum = at.headline(true).join(" ").length;
  report.models.forEach((_, k) => (sum += at.outcome(k).honest?.interval[1] ?? 0));
  return sum;
}

function dragStep(capacity: PageState["capacity"], mu: number, nu: number, rests = false): number {
  return stepOf({ costs: { fn: 100, fp: 100 * mu, abstain: 100 * nu }, capacity }, rests);
}

/** The same over ranges of all three costs around the point. */
function rangesStep(mu: number, nu: number): number {
  const [fp, abstain] = [100 * mu, 100 * nu];
  const around = (value: number): Ends => [0.8 * value, 1.2 * value];
  const ranges = { fn: around(100), fp: around(fp), abstain: around(abstain), prevalence: null };
  return stepOf({ costs: { fn: 100, fp, abstain }, ranges }, false);
}

/** Median and largest time of some runs, in milliseconds, the first ten left out. */
function timed(what: string, runs: number, run: (at: number) => unknown): void {
  const times = Array.from({ length: runs + 10 }, (_, at) => {
    const start = performance.now();
    run(at / (runs + 10));
    return performance.now() - start;
  }).slice(10).sort((a, b) => a - b);
  const [median, worst] = [times[times.length >> 1], times[times.length - 1]].map((time) => time.toFixed(2));
  console.log(`${what.padEnd(34)} median ${median.padStart(6)} ms, slowest ${worst.padStart(6)} ms`);
}

const path = process.argv[2];
const report = path ? readReport(readFileSync(path, "utf8")) : invented();
console.log(path ?? `3 models, ${BLOCKS} blocks, 10 folds`);
const prepared = prepare(report, null);
const curves = new Curves(report);
const other = report.models.length - 1;
timed("drag step", 300, (at) => dragStep(null, 0.1 + 0.9 * at, 0.3 * at));
timed("drag step under a limit", 300, (at) => dragStep({ reviews: 100, cases: 1000 }, 0.1 + 0.9 * at, 0.3 * at));
timed("drag step over ranges", 40, (at) => rangesStep(0.1 + 0.9 * at, 0.02 + 0.28 * at));
timed("the hand rests", 20, (at) => dragStep(null, 0.1 + 0.9 * at, 0.3 * at, true));
timed("change of prevalence", 50, (at) => prepare(report, 0.1 + 0.5 * at));
for (const mode of MODES) {
  timed(`map 64 x 64: ${mode}`, 30, () => mapValues(mode, costGrid(64, 64), prepared, 0, other));
}
