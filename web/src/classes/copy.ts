/** The same question elsewhere: as Python, as a command, as a file of costs. */
import { option, shellWord } from "../copy";
import type { Sheet } from "../view/saving";
import type { ClassReportData } from "./data";
import type { Prices } from "./estimates";

const USUAL_LEVEL = 0.95;

/** Costs in the layout that --cost-matrix reads. */
export function costSheet({ classes }: ClassReportData, { costs, abstain }: Prices): Sheet {
  return {
    columns: ["true", ...classes, ...(abstain === null ? [] : ["abstain"])],
    rows: costs.map((row, k) => [classes[k], ...row.map(String), ...(abstain === null ? [] : [String(abstain[k])])]),
  };
}

/** The command that writes a new page, weights chosen for these costs. */
export function classCommand(data: ClassReportData): string {
  const { source, seed, confidence_level: level, models, classes, limits } = data;
  const words = ["demur report"];
  words.push(source.label === null ? "FILE" : shellWord(source.name.startsWith("-") ? `./${source.name}` : source.name));
  words.push(option("--classes", classes.join(",")));
  for (const { name, columns } of models) words.push(option("--model", `${name}=${columns.join(",")}`));
  if (source.label !== null) words.push(option("--label", source.label));
  if (source.weight !== null) words.push(option("--weight", source.weight));
  if (source.group !== null) words.push(option("--group", source.group));
  if (source.cluster != null) words.push(option("--cluster", source.cluster));
  if (source.time != null) words.push(option("--time", source.time));
  words.push("--cost-matrix costs.csv");
  if (limits.max_abstention !== undefined) words.push(`--max-abstention ${limits.max_abstention}`);
  if (level !== USUAL_LEVEL) words.push(`--confidence ${level}`);
  if (seed !== 0) words.push(`--seed ${seed}`);
  return words.join(" ");
}

/** Python code that ends with the answer, weights chosen for these costs. */
export function classPython(data: ClassReportData, { costs, abstain }: Prices): string {
  const { labels, models, limits, seed, confidence_level: level, shares, source, design } = data;
  const text = (value: unknown): string => JSON.stringify(value);
  const rows = costs.map((row, k) => {
    const entries = row.map((cost, j) => `${text(labels[j])}: ${cost}`).join(", ");
    return `    ${text(labels[k])}: {${entries}},`;
  });
  const settings = ["classes=classes", "costs=costs"];
  if (abstain !== null) {
    const same = abstain.every((price) => price === abstain[0]);
    settings.push(`abstain_cost=${same ? abstain[0] : `dict(zip(classes, [${abstain.join(", ")}]))`}`);
  }
  if (shares !== null) settings.push(`prevalence=dict(zip(classes, [${shares.join(", ")}]))`);
  if (limits.max_abstention !== undefined) settings.push(`max_abstention=${limits.max_abstention}`);
  if (source.weight !== null) settings.push("sample_weight=sample_weight");
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
