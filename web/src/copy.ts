/** The same decision elsewhere: as Python, as a command. */
import type { ReportData } from "./data";
import type { Costs } from "./math/units";

/** What to reproduce: a model, its costs, and what limits it. */
export interface Choice {
  model: string;
  costs: Costs;
  /** Null: that of the data. */
  prevalence: number | null;
  /** 1: no limit. */
  maxAbstention: number;
}

/** Python code that ends with the window; from the file, or from arrays where there was none. */
export function asPython(report: ReportData, choice: Choice): string {
  const fromFile = report.source.label !== null;
  const search = choice.maxAbstention < 1 ? "cheapest_window" : "abstention_surface";
  const prevalence = choice.prevalence === null ? "" : `, prevalence=${choice.prevalence}`;
  const lines = [
    `from demur import CostModel, ${fromFile ? `${search}, read_counts` : `ScoreCounts, ${search}`}`,
    "",
    ...(fromFile ? fileLines(report, choice.model) : arrayLines(report, choice.model)),
    `costs = CostModel(${costArguments(choice.costs)})`,
    choice.maxAbstention < 1
      ? `window = cheapest_window(counts, costs=costs, max_abstention=${choice.maxAbstention}${prevalence})`
      : `window = abstention_surface(counts${prevalence}).window(costs=costs)`,
    "print(window)",
  ];
  return `${lines.join("\n")}\n`;
}

function fileLines({ source }: ReportData, model: string): string[] {
  const named = [
    JSON.stringify(source.name),
    `y_true=${JSON.stringify(source.label)}`,
    "scores=model",
    `positive=${JSON.stringify(source.positive)}`,
  ];
  if (source.weight !== null) named.push(`weights=${JSON.stringify(source.weight)}`);
  // what JSON calls a string is one in Python too
  return [`model = ${JSON.stringify(model)}`, `counts = read_counts(${named.join(", ")})[model]`];
}

function arrayLines({ source }: ReportData, model: string): string[] {
  const weight = source.weight === null ? "" : ", sample_weight=sample_weight";
  return [
    `# y_true: the true classes, y_score: the scores of ${onOneLine(model)}`,
    `counts = ScoreCounts.from_arrays(y_true, y_score${weight})`,
  ];
}

function costArguments(costs: Costs): string {
  const named = [`cost_fn=${costs.fn}`, `cost_fp=${costs.fp}`];
  if (Number.isFinite(costs.abstain)) named.push(`cost_abstain=${costs.abstain}`);
  return named.join(", ");
}

/** The command that writes the policy file; FILE stands for one the reader has to write first. */
export function asCommand(report: ReportData, choice: Choice): string {
  const { source } = report;
  const words = ["demur decide"];
  const flag = (name: string, value: string | number) => words.push(option(name, String(value)));
  if (source.label === null) words.push("FILE");
  else {
    words.push(shellWord(source.name.startsWith("-") ? `./${source.name}` : source.name));
    flag("--label", source.label);
    flag("--positive", source.positive);
  }
  flag("--model", choice.model);
  if (source.weight !== null) flag("--weight", source.weight);
  flag("--cost-fn", choice.costs.fn);
  flag("--cost-fp", choice.costs.fp);
  if (Number.isFinite(choice.costs.abstain)) flag("--cost-abstain", choice.costs.abstain);
  if (choice.prevalence !== null) flag("--prevalence", choice.prevalence);
  if (choice.maxAbstention < 1) flag("--max-abstention", choice.maxAbstention);
  flag("-o", "policy.json");
  return words.join(" ");
}

/** A value that begins with a dash must not be read as another flag. */
function option(name: string, value: string): string {
  return value.startsWith("-") ? shellWord(`${name}=${value}`) : `${name} ${shellWord(value)}`;
}

/** One word for a POSIX shell. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`;
}

/** Text for a comment. */
function onOneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}
