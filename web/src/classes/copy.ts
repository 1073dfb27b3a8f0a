/** The same question elsewhere: as Python, as a command, as a file of costs. */
import { option, shellWord } from "../copy";
import type { Sheet } from "../view/saving";
import type { ClassReportData } from "./data";
import type { Prices } from "./estimates";

const USUAL_LEVEL = 0.95;

/** Costs by true class and answer, abstaining last, as they are written: ranges where the page stands at those of its report. */
function written({ comparison: { costs: spans }, ranged }: ClassReportData, { costs, abstain }: Prices, own: boolean, range: (low: number, high: number) => string): string[][] {
  return costs.map((row, k) =>
    [...row, ...(abstain === null ? [] : [abstain[k]])].map((cost, j) => {
      const [low, high] = own && ranged && spans ? [spans.low[k][j], spans.high[k][j]] : [cost, cost];
      return low === high ? String(cost) : range(low, high);
    }),
  );
}

/** Costs in the layout that --cost-matrix reads. */
export function costSheet(data: ClassReportData, prices: Prices, own: boolean): Sheet {
  const { classes } = data;
  const cells = written(data, prices, own, (low, high) => `${low}:${high}`);
  return {
    columns: ["true", ...classes, ...(prices.abstain === null ? [] : ["abstain"])],
    rows: cells.map((row, k) => [classes[k], ...row]),
  };
}

/** The command that writes a new page, weights chosen for these costs. */
export function classCommand(data: ClassReportData, own: boolean): string {
  const { source, seed, confidence_level: level, models, classes, limits, shares, comparison } = data;
  if (shares !== null) return "# no flag says the shares of the classes in use: copy the Python code instead";
  const words = ["demur report"];
  words.push(source.label === null ? "FILE" : shellWord(source.name.startsWith("-") ? `./${source.name}` : source.name));
  words.push(option("--classes", classes.join(",")));
  for (const { name, columns } of models) words.push(option("--model", `${name}=${columns.join(",")}`));
  if (source.label !== null) words.push(option("--label", source.label));
  if (source.weight !== null) words.push(option("--weight", source.weight));
  if (comparison.weights === "repeats") words.push("--weights repeats");
  if (source.group !== null) words.push(option("--group", source.group));
  if (source.cluster != null) words.push(option("--cluster", source.cluster));
  if (source.time != null) words.push(option("--time", source.time));
  words.push("--cost-matrix costs.csv");
  if (own && data.ranged && comparison.objective === "worst") words.push("--objective worst");
  if (limits.max_abstention !== undefined) words.push(`--max-abstention ${limits.max_abstention}`);
  if (level !== USUAL_LEVEL) words.push(`--confidence ${level}`);
  if (seed !== 0) words.push(`--seed ${seed}`);
  return words.join(" ");
}

/** Python code that ends with the answer, weights chosen for these costs. */
export function classPython(data: ClassReportData, prices: Prices, own: boolean): string {
  const { labels, models, limits, seed, confidence_level: level, shares, source, design, comparison } = data;
  const text = (value: unknown): string => JSON.stringify(value);
  const cells = written(data, prices, own, (low, high) => `(${low}, ${high})`);
  const m = labels.length;
  const rows = cells.map((row, k) => {
    const entries = row.slice(0, m).map((cost, j) => `${text(labels[j])}: ${cost}`).join(", ");
    return `    ${text(labels[k])}: {${entries}},`;
  });
  const settings = ["classes=classes", "costs=costs"];
  if (prices.abstain !== null) {
    const reviews = cells.map((row) => row[m]);
    settings.push(`abstain_cost=${new Set(reviews).size === 1 ? reviews[0] : `dict(zip(classes, [${reviews.join(", ")}]))`}`);
  }
  if (own && data.ranged && comparison.objective === "worst") settings.push('objective="worst"');
  if (shares !== null) settings.push(`prevalence=dict(zip(classes, [${shares.join(", ")}]))`);
  if (limits.max_abstention !== undefined) settings.push(`max_abstention=${limits.max_abstention}`);
  if (source.weight !== null || comparison.weights != null) settings.push("sample_weight=sample_weight");
  if (comparison.weights === "repeats") settings.push('weights="repeats"');
  if (design?.clusters != null) settings.push("groups=groups");
  if (design?.period != null) settings.push("time=time");
  if (level !== USUAL_LEVEL) settings.push(`confidence_level=${level}`);
  if (seed !== 0) settings.push(`seed=${seed}`);
  return [
    "from demur import compare_models",
    "",
    `classes = [${labels.map(text).join(", ")}]`,
    "costs = {",
    ...rows,
    "}",
    "# y_true: the true classes; arrays: one column of probabilities per class, of each model in this order",
    `proba = dict(zip([${models.map(({ name }) => text(name)).join(", ")}], arrays, strict=True))`,
    `answer = compare_models(y_true, proba, ${settings.join(", ")}).answer`,
    "print(answer.words)",
    "",
  ].join("\n");
}
