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
  const { source } = report;
  const limited = choice.maxAbstention < 1;
  const options = [`costs=costs`];
  if (limited) options.push(`max_abstention=${choice.maxAbstention}`);
  const prevalence = choice.prevalence === null ? "" : `, prevalence=${choice.prevalence}`;
  const lines = [
    ...(source.label === null ? [] : ["import duckdb"]),
    `from demur import CostModel, ScoreCounts, ${limited ? "cheapest_window" : "abstention_surface"}`,
    "",
    ...(source.label === null ? arrayLines(report, choice.model) : fileLines(report, source.label, choice.model)),
    `costs = CostModel(${costArguments(choice.costs)})`,
    limited
      ? `window = cheapest_window(counts, ${options.join(", ")}${prevalence})`
      : `window = abstention_surface(counts${prevalence}).window(costs=costs)`,
    "print(window)",
  ];
  return `${lines.join("\n")}\n`;
}

function fileLines({ source }: ReportData, label: string, model: string): string[] {
  const columns = [
    `cast(${identifier(label)} as varchar) = ${sqlText(source.positive)} as positive`,
    `cast(${identifier(model)} as double) as score`,
    ...(source.weight === null ? [] : [`cast(${identifier(source.weight)} as double) as weight`]),
  ];
  const weight = source.weight === null ? "" : `, sample_weight=rows["weight"]`;
  return [
    `rows = duckdb.sql(${pythonText(`select ${columns.join(", ")} from ${sqlText(source.name)}`)}).fetchnumpy()`,
    `counts = ScoreCounts.from_arrays(rows["positive"], rows["score"]${weight})`,
  ];
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

/** The command that writes the policy file. */
export function asCommand(report: ReportData, choice: Choice): string {
  const { source } = report;
  const words = ["demur decide", shellWord(source.name.startsWith("-") ? `./${source.name}` : source.name)];
  const flag = (name: string, value: string | number) => words.push(option(name, String(value)));
  if (source.label !== null) flag("--label", source.label);
  flag("--positive", source.positive);
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

function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A Python literal; readable between triple quotes, where the text allows it. */
function pythonText(text: string): string {
  const plain = !/[\\\r]|"""|"$/.test(text) && !/[\p{Cc}\p{Cs}]/u.test(text);
  return plain ? `"""${text}"""` : JSON.stringify(text);
}

/** Text for a comment. */
function onOneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}
