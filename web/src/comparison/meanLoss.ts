/** Mean of losses with its standard error, and with units of the worst loss added (demur.honest.mean_loss). */

/** Differences this small beside the losses are rounding. */
const ROUNDING = 64 * Number.EPSILON;

/** Weights of rows of cases, which sum to 1, and how many independent units they are. */
export interface Sample {
  weight: Float64Array;
  /** Sum of the squared weights of the cases a row stands for. */
  squares: Float64Array;
  units: number;
  /** Class of each row, where the shares of the classes in use are given; its cluster, where cases form some. */
  stratum: Uint8Array | null;
  cluster: Int32Array | null;
}

/** Losses on rows of cases; `within` is the variance among the cases of a row, null where there is none. */
export interface Losses {
  loss: Float64Array;
  within: Float64Array | null;
  sample: Sample;
}

export interface MeanLoss {
  cost: number;
  error: number;
  /** With the worst units added. */
  raised: number;
  raisedError: number;
}

/** Scale sums of weights and of their squares, in every class to its share in use if that is given. */
export function sampleOf(
  mass: Float64Array,
  squares: Float64Array,
  units: number,
  classes: Uint8Array,
  shares: readonly number[] | null,
  cluster: Int32Array | null,
): Sample {
  const sizes = (shares ?? []).map(() => 0);
  if (shares !== null) mass.forEach((one, row) => (sizes[classes[row]] += one));
  const each = 1 / mass.reduce((sum, one) => sum + one, 0);
  const factor = (row: number): number => (shares === null ? each : sizes[classes[row]] > 0 ? shares[classes[row]] / sizes[classes[row]] : 0);
  return {
    weight: mass.map((one, row) => one * factor(row)),
    squares: squares.map((one, row) => one * factor(row) ** 2),
    units,
    stratum: shares === null ? null : classes,
    cluster,
  };
}

/** Number of cases each row stands for. */
function casesOf({ weight, squares }: Sample): Float64Array {
  return weight.map((one, row) => (squares[row] > 0 ? Math.round(one ** 2 / squares[row]) : 0));
}

/** How alike the cases of a cluster are, from 0 to 1, by a one-way analysis of variance (Fisher 1925). */
function intraclassCorrelation(values: ArrayLike<number>, cluster: ArrayLike<number>, number: ArrayLike<number>): number {
  const found = new Map<number, { size: number; sum: number; mean: number }>();
  let [n, total] = [0, 0];
  for (let row = 0; row < values.length; row++) {
    const one = found.get(cluster[row]) ?? { size: 0, sum: 0, mean: 0 };
    found.set(cluster[row], one);
    one.size += number[row];
    one.sum += number[row] * values[row];
    n += number[row];
    total += number[row] * values[row];
  }
  let [between, within, squares] = [0, 0, 0];
  for (const one of found.values()) {
    one.mean = one.sum / Math.max(one.size, 1);
    between += one.size * (one.mean - total / n) ** 2;
    squares += one.size ** 2;
  }
  for (let row = 0; row < values.length; row++) within += number[row] * (values[row] - found.get(cluster[row])!.mean) ** 2;
  const groups = Math.max(found.size - 1, 1);
  between /= groups;
  within /= Math.max(n - found.size, 1);
  const usual = (n - squares / n) / groups;
  const spread = between + (usual - 1) * within;
  return spread > 0 ? Math.min(Math.max((between - within) / spread, 0), 1) : 0;
}

/** The mean of losses, and with `added` units of the worst one; `rateVariance` is that of the share of positives in use. */
export function meanLoss({ loss, within, sample }: Losses, worst: number, added: number, rateVariance: number): MeanLoss {
  const { weight, squares, units, stratum, cluster } = sample;
  const dot = (one: Float64Array, two: Float64Array): number => one.reduce((sum, value, row) => sum + value * two[row], 0);
  const cost = dot(weight, loss);
  let centres: readonly number[] = [cost];
  let unsure = 0;
  if (stratum !== null) {
    const classes = 1 + stratum.reduce((most, kind) => Math.max(most, kind), 0);
    const [sizes, sums] = [new Float64Array(classes), new Float64Array(classes)];
    stratum.forEach((kind, row) => {
      sizes[kind] += weight[row];
      sums[kind] += weight[row] * loss[row];
    });
    centres = Array.from(sums, (sum, kind) => sum / Math.max(sizes[kind], 1e-300));
    unsure = rateVariance * (centres[classes - 1] - centres[0]) ** 2;
  }
  const gaps = loss.map((one, row) => {
    const gap = one - centres[stratum === null ? 0 : stratum[row]];
    // all losses equal: what is left of their spread is rounding
    return Math.abs(gap) > ROUNDING * Math.abs(one) ? gap : 0;
  });
  let total = 0;
  if (cluster === null) gaps.forEach((gap, row) => (total += squares[row] * (gap ** 2 + (within === null ? 0 : within[row]))));
  else {
    const sums = new Map<number, number>();
    gaps.forEach((gap, row) => sums.set(cluster[row], (sums.get(cluster[row]) ?? 0) + weight[row] * gap));
    for (const sum of sums.values()) total += sum ** 2;
  }
  const share = 1 / units;
  const raised = (cost + added * share * worst) / (1 + added * share);
  const more = (total + added * (share * (worst - raised)) ** 2) / (1 + added * share) ** 2;
  return {
    cost,
    error: Math.sqrt((total * units) / Math.max(units - 1, 1) + unsure),
    raised,
    raisedError: Math.sqrt((more * (units + added)) / Math.max(units + added - 1, 1) + unsure),
  };
}

/** The same where classes are strata, each with a unit of its own worst loss added. */
export function classMeanLoss(losses: Losses, worst: readonly number[], rateVariance: number): MeanLoss {
  const { loss, within, sample } = losses;
  const plain = meanLoss(losses, 0, 0, rateVariance);
  const means: number[] = [];
  let [raised, variance] = [0, 0];
  for (const kind of worst.keys()) {
    const own = [...loss.keys()].filter((row) => sample.stratum![row] === kind);
    const pick = (column: Float64Array, factor = 1): Float64Array => Float64Array.from(own, (row) => column[row] * factor);
    const share = own.reduce((sum, row) => sum + sample.weight[row], 0);
    if (!(share > 0)) continue;
    const spread = own.reduce((sum, row) => sum + sample.squares[row], 0);
    // the effective number of cases of the class (Kish 1965)
    const part = { weight: pick(sample.weight, 1 / share), squares: pick(sample.squares, 1 / share ** 2), units: share ** 2 / spread, stratum: null, cluster: null };
    const found = meanLoss({ loss: pick(loss), within: within && pick(within), sample: part }, worst[kind], 1, 0);
    means.push(found.cost);
    raised += share * found.raised;
    variance += (share * found.raisedError) ** 2;
  }
  const unsure = rateVariance * (means[means.length - 1] - means[0]) ** 2;
  return { ...plain, raised, raisedError: Math.sqrt(variance + unsure) };
}

/** The worst mean loss of a unit: of a cluster, in which cases are alike but not the same. */
export function worstUnit(worst: number, { loss, sample }: Losses, classes: Uint8Array, importance: boolean): number {
  const { cluster } = sample;
  if (cluster === null) return worst;
  const judged = [...loss.keys()].filter((row) => sample.weight[row] > 0);
  const cases = casesOf(sample);
  const pick = (column: ArrayLike<number>): number[] => judged.map((row) => column[row]);
  const [number, clusters, kinds] = [pick(cases), pick(cluster), pick(classes)];
  const size = number.reduce((sum, one) => sum + one, 0) / sample.units;
  const each = importance ? number.map(() => 1) : number;
  const alike = Math.max(
    intraclassCorrelation(pick(loss), clusters, number),
    ...[0, 1].map((kind) => intraclassCorrelation(kinds.map((one) => Number(one === kind)), clusters, each)),
  );
  const mean = judged.reduce((sum, row) => sum + sample.weight[row] * loss[row], 0);
  return mean + Math.sqrt(1 / size + (1 - 1 / size) * alike) * (worst - mean);
}
