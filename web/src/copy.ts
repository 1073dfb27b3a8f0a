/** The same answer elsewhere: as Python, as a command. */
import type { ClassNames } from "./comparison/choice";
import type { AmountsData, BudgetData, ReportData } from "./data";
import type { Ends, Problem, Ranges } from "./comparison/problem";
import type { Costs } from "./math/units";
import { limitsGiven, type RuleLimits } from "./math/windowSearch";
import { unknownLimits } from "./state";

/** What to reproduce: the models to choose from, the costs, and what limits the rule. */
export interface Choice {
  models: string[];
  costs: Costs;
  /** Null: that of the data. */
  prevalence: number | null;
  limits: RuleLimits | null;
  /** Costs and a prevalence known as ranges; null where all are numbers. */
  ranges: Ranges | null;
  objective: Problem["objective"];
  /** How sentences call the classes. */
  classes: ClassNames;
}

/** What the report was asked for beside costs and limits. */
interface Asked {
  include: string[];
  prices: [model: string, price: number][];
  doubt: string | null;
  budget: BudgetData | null;
  guaranteed: boolean;
}

/** The same as far as it holds for the models of a copy: rules of several models need all of them. */
function askedOf({ comparison, models }: ReportData, choice: Choice): Asked {
  const { include = [], prices = {}, doubt = null, budget = null, objective } = comparison ?? {};
  const all = choice.models.length === models.length;
  const guarded = all && include.includes("guards");
  const charged = Object.entries(prices).filter(([name]) => choice.models.includes(name));
  return { include: all ? include : [], prices: charged, doubt: guarded ? doubt : null, budget, guaranteed: objective === "guaranteed" };
}

/** Why Python has no answer to such a question; null where it has one. */
function whyNone(report: ReportData, choice: Choice): string | null {
  const { ranges, limits, costs } = choice;
  const { budget, doubt, guaranteed } = askedOf(report, choice);
  if (hasRanges(ranges) && report.amounts === null && costs.rates !== undefined) return "a reviewer who errs has no ranges of costs: give reviews one price first";
  if ((budget !== null || doubt !== null) && !Number.isFinite(costs.abstain)) return "places for reviews, and guards, need a price of a review: give reviews one first";
  if ((budget !== null && (limits !== null || (ranges?.prevalence ?? null) !== null)) || (guaranteed && (limits !== null || ranges !== null)))
    return `${guaranteed ? "a guaranteed cost" : "a number of places"} stands beside no other limit and no such range: take the one you added off first`;
  if (ranges !== null && unknownLimits(report).length) return "a promised precision needs costs and a prevalence without ranges: take them off first";
  return null;
}

const USUAL_LEVEL = 0.95;

/** Python code that ends with the answer; from the file, or from arrays where there was none. */
export function asPython(report: ReportData, choice: Choice): string {
  const why = whyNone(report, choice);
  if (why !== null) return `# ${why}\n`;
  const fromFile = report.source.label !== null;
  const lines = [
    ...(fromFile ? ["import duckdb", ""] : []),
    `from demur import ${importedCosts(report, choice)}, compare_models`,
    "",
    ...(fromFile ? fileLines(report, choice) : arrayLines(columnsOf(report, choice))),
    `costs = ${costsInPython(report, choice, fromFile)}`,
    `comparison = compare_models(${["y_true", "scores", "costs=costs", ...settings(report, choice)].join(", ")})`,
    "print(comparison.answer.words)",
  ];
  return `${lines.join("\n")}\n`;
}

/** Whether a cost is a range. */
function hasRanges(ranges: Ranges | null): ranges is Ranges {
  return ranges !== null && (ranges.fn !== null || ranges.fp !== null || ranges.abstain !== null);
}

function costsInPython(report: ReportData, { costs, ranges }: Choice, fromFile: boolean): string {
  if (report.amounts !== null) return `CaseCosts(${caseArguments(report.amounts, costs, ranges, fromFile)}${report.amounts.known ? knownWords(report.amounts, fromFile) : ""})`;
  if (!hasRanges(ranges)) return `CostModel(${costArguments(costs)})`;
  const named = rangedCosts(costs, ranges).map(([name, value]) => `${name}=${inPython(value)}`);
  return `CostRange(${named.join(", ")})`;
}

function inPython(value: number | Ends): string {
  return typeof value === "number" ? String(value) : `(${value.join(", ")})`;
}

/** Costs by name, a pair where they are a range. */
function rangedCosts(costs: Costs, ranges: Ranges): [name: string, value: number | Ends][] {
  const known: Record<string, Ends | null> = { cost_fn: ranges.fn, cost_fp: ranges.fp, cost_abstain: ranges.abstain };
  return namedCosts(costs).map(([name, value]) => [name, known[name] ?? value]);
}

/** Positives among the cases that the share in use was counted on; null where it is a number. */
function countedShare({ prevalence, inference }: ReportData, choice: Choice): [positives: number, cases: number] | null {
  const variance = inference?.rate_variance ?? 0;
  if (prevalence === null || choice.prevalence !== prevalence || variance === 0) return null;
  const cases = Math.round((prevalence * (1 - prevalence)) / variance);
  return [Math.round(prevalence * cases), cases];
}

function importedCosts(report: ReportData, choice: Choice): string {
  const budget = askedOf(report, choice).budget === null ? "" : "Budget, ";
  return `${budget}${costClasses(report, choice)}${countedShare(report, choice) === null ? "" : ", Prevalence"}`;
}

function costClasses({ amounts }: ReportData, { costs, ranges }: Choice): string {
  if (amounts === null && hasRanges(ranges)) return "CostRange";
  const reviewed = amounts === null ? costs.rates !== undefined : "fee" in amounts.named;
  return `${amounts === null ? "CostModel" : "CaseCosts"}${reviewed ? ", Reviewer" : ""}`;
}

const REVIEWER = ["fee", "sensitivity", "specificity"];
const REVIEWS = ["cost_abstain", "cost_abstain_positive", "cost_abstain_negative"];

/** Arguments of CaseCosts: columns of the file or arrays of the same name, and the factors of the page. */
function caseArguments({ named }: AmountsData, costs: Costs, ranges: Ranges | null, fromFile: boolean): string {
  const never = !Number.isFinite(costs.abstain);
  const argument = (name: string): string => {
    const { value, column } = named[name];
    if (value !== null) return `${name}=${value}`;
    if (column === null || !fromFile) return `${name}=${name}`;
    const [factor, own] = splitColumn(column);
    return `${name}=${factor === 1 ? "" : `${factor} * `}rows[${JSON.stringify(own)}]`;
  };
  const own = Object.keys(named).filter((name) => !REVIEWER.includes(name) && !(never && REVIEWS.includes(name)));
  const words = own.map(argument);
  if ("fee" in named && !never) words.push(`reviewer=Reviewer(${REVIEWER.map(argument).join(", ")})`);
  const spans: Record<string, Ends | null> = { miss_factor: ranges?.fn ?? null, alarm_factor: ranges?.fp ?? null, review_factor: ranges?.abstain ?? null };
  for (const [name, factor] of Object.entries(factorsOf(costs))) if (spans[name] ?? factor !== 1) words.push(`${name}=${inPython(spans[name] ?? factor)}`);
  return words.join(", ");
}

/** What such rules say of their columns. */
function knownWords({ named }: AmountsData, fromFile: boolean): string {
  const columns = Object.entries(named).filter(([, { column }]) => fromFile && column !== null);
  const said = columns.map(([name, { column }]) => `${JSON.stringify(name)}: ${JSON.stringify(column)}`).join(", ");
  return `${said === "" ? "" : `, columns={${said}}`}, known_at_decision=True`;
}

function factorsOf({ fn, fp, abstain }: Costs): Record<string, number> {
  return { miss_factor: fn, alarm_factor: fp, review_factor: Number.isFinite(abstain) ? abstain : 1 };
}

/** A column and the factor before it, as in 0.6*balance. */
function splitColumn(text: string): [factor: number, column: string] {
  const [, factor, column] = /^([-+.\de]+)\*([^]*)$/.exec(text) ?? [];
  return factor === undefined ? [1, text] : [Number(factor), column];
}

/** Which factor the costs of an argument are multiplied by. */
const FACTOR_OF: Record<string, string> = {
  cost_fn: "miss_factor",
  cost_tn: "miss_factor",
  cost_fp: "alarm_factor",
  cost_tp: "alarm_factor",
};

/** Flags for the costs of the cases; null where flags cannot say them: arrays, or factors on a reviewer. */
function caseFlags({ named }: AmountsData, costs: Costs): [flag: string, value: string][] | null {
  const factors = factorsOf(costs);
  const never = !Number.isFinite(costs.abstain);
  if ("reviewer" in named || ("fee" in named && Object.values(factors).some((factor) => factor !== 1))) return null;
  const flags: [string, string][] = [];
  for (const [name, { value, column }] of Object.entries(named)) {
    if (never && (REVIEWS.includes(name) || REVIEWER.includes(name))) continue;
    const factor = REVIEWER.includes(name) ? 1 : factors[FACTOR_OF[name] ?? "review_factor"];
    const flag = REVIEWER.includes(name) ? (name === "fee" ? "--review-fee" : `--reviewer-${name}`) : `--${name.replaceAll("_", "-")}`;
    if (value !== null) flags.push([flag, String(value * factor)]);
    else if (column === null) return null;
    else {
      const [own, source] = splitColumn(column);
      flags.push([flag, own * factor === 1 ? source : `${own * factor}*${source}`]);
    }
  }
  return flags;
}

/** All limits of a choice by their names in Python, those that the page cannot keep as well. */
function limitsNamed(report: ReportData, choice: Choice): [name: string, value: unknown][] {
  return [...limitsGiven(choice.limits).map(([{ name }, value]): [string, unknown] => [name, value]), ...unknownLimits(report)];
}

/** Arguments beyond the costs, where they are not the usual ones. */
function settings(report: ReportData, choice: Choice): string[] {
  const { source, seed, comparison, design, confidence_level: level } = report;
  const { include, prices, doubt, budget, guaranteed } = askedOf(report, choice);
  const { positive, negative } = choice.classes;
  const named = [];
  const rates = choice.ranges?.prevalence ?? null;
  if (rates !== null) named.push(`prevalence=${inPython(rates)}`);
  else if (choice.prevalence !== null) {
    const counted = countedShare(report, choice);
    named.push(`prevalence=${counted === null ? choice.prevalence : `Prevalence(positives=${counted[0]}, cases=${counted[1]})`}`);
  }
  if (guaranteed) named.push('objective="guaranteed"');
  else if (choice.ranges !== null && choice.objective !== "regret") named.push(`objective="${choice.objective}"`);
  for (const [name, value] of limitsNamed(report, choice)) named.push(`${name}=${String(value)}`);
  if (budget !== null) named.push(`budget=${budgetInPython(budget)}`);
  if (include.length) named.push(`include=${listed(include)}`);
  if (prices.length) named.push(`prices={${prices.map(([name, price]) => `${JSON.stringify(name)}: ${price}`).join(", ")}}`);
  if (doubt !== null) named.push(`doubt={${JSON.stringify(doubt)}: doubt}`);
  if (source.weight !== null || comparison?.weights != null) named.push("sample_weight=sample_weight");
  if (comparison?.weights === "repeats") named.push('weights="repeats"');
  // the batches of a number of places are clusters by themselves
  if (design?.clusters != null && (budget === null || source.cluster != null)) named.push("groups=groups");
  if (design?.period != null) named.push("time=time");
  if (positive !== "positive" || negative !== "negative") named.push(`class_names=(${JSON.stringify(negative)}, ${JSON.stringify(positive)})`);
  if (level !== USUAL_LEVEL) named.push(`confidence_level=${level}`);
  if (seed !== 0) named.push(`seed=${seed}`);
  return named;
}

/** Places for reviews; `column` and `key` are entries of the scores. */
function budgetInPython({ reviews, column, key, per, arrival, carry_over }: BudgetData): string {
  const words = [`reviews=${reviews}`, `column=${JSON.stringify(column)}`, `key=${JSON.stringify(key)}`];
  if (per !== null && per !== "day") words.push(`per=${JSON.stringify(per)}`);
  if (arrival) words.push("arrival=True");
  if (carry_over) words.push("carry_over=True");
  return `Budget(${words.join(", ")})`;
}

/** What goes by name beside the labels: scores, and the columns that a number of places needs. */
function columnsOf(report: ReportData, choice: Choice): string[] {
  const { budget } = askedOf(report, choice);
  return [...choice.models, ...(budget === null ? [] : [budget.column, budget.key])];
}

function fileLines(report: ReportData, choice: Choice): string[] {
  const { source } = report;
  const { doubt } = askedOf(report, choice);
  const part = source.group === null ? "" : ` WHERE CAST(${quoted(source.group, '"')} AS VARCHAR) = ${quoted(source.part ?? "", "'")}`;
  // what JSON calls a string is one in Python too
  const path = JSON.stringify(`FROM ${quoted(source.name, "'")}${part}`);
  const lines = [
    `rows = duckdb.sql(${path}).fetchnumpy()`,
    `y_true = rows[${JSON.stringify(source.label)}].astype(str) == ${JSON.stringify(pythonText(source.positive))}`,
    `scores = {name: rows[name] for name in ${listed(columnsOf(report, choice))}}`,
  ];
  if (doubt !== null) lines.push(`doubt = rows[${JSON.stringify(doubt)}]`);
  if (source.weight !== null) lines.push(`sample_weight = rows[${JSON.stringify(source.weight)}]`);
  if (source.cluster != null) lines.push(`groups = rows[${JSON.stringify(source.cluster)}]`);
  if (source.time != null) lines.push(`time = rows[${JSON.stringify(source.time)}]`);
  return lines;
}

/** A name or a text in SQL. */
function quoted(text: string, mark: string): string {
  return mark + text.replaceAll(mark, mark + mark) + mark;
}

/** How Python writes a label: truth values begin with a capital. */
function pythonText(label: string): string {
  return /^(true|false)$/.test(label) ? label[0].toUpperCase() + label.slice(1) : label;
}

function arrayLines(names: string[]): string[] {
  return [
    "# y_true: the true classes, arrays: the scores of each model, and further columns, in this order",
    `scores = dict(zip(${listed(names)}, arrays, strict=True))`,
  ];
}

function listed(names: string[]): string {
  return `[${names.map((name) => JSON.stringify(name)).join(", ")}]`;
}

function costArguments(costs: Costs): string {
  const named = namedCosts(costs).map(([name, value]) => `${name}=${value}`);
  if (costs.rates !== undefined && Number.isFinite(costs.abstain)) {
    const [sensitivity, specificity] = costs.rates;
    const about = `fee=${costs.abstain}, sensitivity=${sensitivity}, specificity=${specificity}`;
    named.push(`reviewer=Reviewer(${about})`);
  }
  return named.join(", ");
}

/** The costs by their names in demur.CostModel, without a reviewer; those of right answers only if there are any. */
function namedCosts({ fn, fp, abstain, tp = 0, tn = 0, byClass, rates }: Costs): [name: string, value: number][] {
  const named: [string, number][] = [
    ["cost_fn", fn],
    ["cost_fp", fp],
  ];
  if (byClass !== undefined) named.push(["cost_abstain_positive", byClass[0]], ["cost_abstain_negative", byClass[1]]);
  else if (rates === undefined && Number.isFinite(abstain)) named.push(["cost_abstain", abstain]);
  if (tp !== 0) named.push(["cost_tp", tp]);
  if (tn !== 0) named.push(["cost_tn", tn]);
  return named;
}

/** The command that writes the policy file; FILE stands for one the reader has to write first. */
export function asCommand(report: ReportData, choice: Choice): string {
  const { source, seed, comparison, confidence_level: level } = report;
  const why = whyNone(report, choice) ?? whyNoFlags(askedOf(report, choice));
  if (why !== null) return `# ${why}`;
  const words = ["demur decide"];
  const flag = (name: string, value: string | number) => words.push(option(name, String(value)));
  if (source.label === null) words.push("FILE");
  else {
    words.push(shellWord(source.name.startsWith("-") ? `./${source.name}` : source.name));
    flag("--label", source.label);
    flag("--positive", source.positive);
  }
  // with groups every one gets its rule, this one among them
  if (source.label !== null && source.group !== null) flag("--group", source.group);
  for (const model of choice.models) flag("--model", model);
  if (source.weight !== null) flag("--weight", source.weight);
  if (comparison?.weights === "repeats") flag("--weights", "repeats");
  if (source.cluster != null) flag("--cluster", source.cluster);
  if (source.time != null) flag("--time", source.time);
  if (report.amounts !== null) {
    const flags = hasRanges(choice.ranges) ? null : caseFlags(report.amounts, choice.costs);
    if (flags === null) return "# no flags stand for these costs: copy the Python code instead";
    for (const [name, value] of flags) flag(name, value);
    if (report.amounts.known) words.push("--known-at-decision");
  } else if (hasRanges(choice.ranges)) {
    for (const [name, value] of rangedCosts(choice.costs, choice.ranges)) flag(`--${name.replaceAll("_", "-")}`, spanned(value));
  } else for (const [name, value] of namedCosts(choice.costs)) flag(`--${name.replaceAll("_", "-")}`, value);
  const { abstain: fee, rates } = choice.costs;
  if (rates !== undefined && Number.isFinite(fee)) {
    flag("--review-fee", fee);
    flag("--reviewer-sensitivity", rates[0]);
    flag("--reviewer-specificity", rates[1]);
  }
  const share = choice.ranges?.prevalence ?? choice.prevalence;
  const counted = countedShare(report, choice);
  if (share !== null) flag("--prevalence", counted === null ? spanned(share) : counted.join("/"));
  const { include, prices, doubt, budget, guaranteed } = askedOf(report, choice);
  if (guaranteed) flag("--objective", "guaranteed");
  else if (choice.ranges !== null && choice.objective !== "regret") flag("--objective", choice.objective);
  for (const [name, value] of limitsNamed(report, choice)) flag(`--${name.replaceAll("_", "-")}`, String(value));
  if (budget !== null) {
    flag("--reviews-per-day", budget.reviews);
    flag("--day", budget.column);
    flag("--key", budget.key);
    if (budget.arrival) words.push("--arrival");
    if (budget.carry_over) words.push("--carry-over");
  }
  if (include.length) words.push("--combine");
  for (const [name, price] of prices) flag("--price", `${name}=${price}`);
  if (doubt !== null) flag("--doubt", doubt);
  if (level !== USUAL_LEVEL) flag("--confidence", level);
  if (seed !== 0) flag("--seed", seed);
  flag("-o", "policy.json");
  return words.join(" ");
}

/** Why no flags ask for the same; null where some do. */
function whyNoFlags({ include, budget, doubt }: Asked): string | null {
  const combined = ["combinations", "cascades", ...(doubt === null ? [] : ["guards"])];
  if (include.length && [...include].sort().join() !== combined.sort().join()) return "--combine adds rules of several models that this report leaves out: copy the Python code instead";
  if (budget !== null && budget.per !== null && budget.per !== "day") return `no flag gives places by the ${budget.per}: copy the Python code instead`;
  return null;
}

/** A number, or the ends of a range. */
function spanned(value: number | Ends): string {
  return typeof value === "number" ? String(value) : value.join(":");
}

/** A value that begins with a dash must not be read as another flag. */
export function option(name: string, value: string): string {
  return value.startsWith("-") ? shellWord(`${name}=${value}`) : `${name} ${shellWord(value)}`;
}

/** One word for a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`;
}
