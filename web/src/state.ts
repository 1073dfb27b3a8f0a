/** What the reader chose, and the URL fragment that brings it back. */
import type { ReportData } from "./data";
import { middleOf, type Ends, type Problem, type Ranges } from "./comparison/problem";
import type { MapMode } from "./math/costMap";
import type { FixedRule } from "./math/fixedRule";
import type { Costs } from "./math/units";
import { THEMES, type ThemeChoice } from "./kind";
import { LIMITS, type RuleLimits } from "./math/windowSearch";

export interface PageState {
  costs: Costs;
  /** Null: that of the data. */
  prevalence: number | null;
  /** Null: the cheapest at these costs. */
  model: number | null;
  colour: MapMode;
  compare: readonly [a: number, b: number] | null;
  /** Costs and prevalence known as ranges, with costs and prevalence in their middle; null: none is. */
  ranges: Ranges | null;
  /** Reviews possible and cases expected in the same time. */
  capacity: { reviews: number; cases: number } | null;
  /** The reader's words for the classes; empty: those of the data. */
  positive: string;
  negative: string;
  /** The reader's unit of money; empty: nobody named it. */
  unit: string;
  /** The reader's own rule; null: not given. */
  today: FixedRule | null;
  /** Cases in a year; null: not given. */
  yearly: number | null;
  theme: ThemeChoice;
}

const COLOURS: readonly MapMode[] = ["cost", "abstention", "winner", "difference"];

/** Letters of a unit that fit beside a number. */
export const LONGEST_UNIT = 12;

/** Where the page starts. */
export function initialState(report: ReportData): PageState {
  const most = reportLimits(report).maxAbstention;
  return {
    costs: startingCosts(report),
    prevalence: report.prevalence,
    model: null,
    colour: "cost",
    compare: report.models.length > 1 ? [0, 1] : null,
    ranges: startingRanges(report),
    capacity: most === undefined ? null : { reviews: 1000 * most, cases: 1000 },
    positive: "",
    negative: "",
    unit: "",
    today: null,
    yearly: null,
    theme: "system",
  };
}

/** The costs the report was made with. */
export function startingCosts({ costs }: ReportData): Costs {
  const { cost_abstain: both, cost_abstain_positive: positive, cost_abstain_negative: negative, reviewer } = costs;
  const rest = { fn: costs.cost_fn, fp: costs.cost_fp, tp: costs.cost_tp, tn: costs.cost_tn };
  if (reviewer !== null)
    return { ...rest, abstain: reviewer.fee, rates: [reviewer.sensitivity, reviewer.specificity] };
  const abstain = both ?? Infinity;
  if (positive === null && negative === null) return { ...rest, abstain };
  const byClass = [positive ?? abstain, negative ?? abstain] as const;
  return { ...rest, abstain: Math.min(...byClass), byClass };
}

const RANGED = { fn: "cost_fn", fp: "cost_fp", abstain: "cost_abstain" } as const;
const FACTORS = { fn: "miss_factor", fp: "alarm_factor", abstain: "review_factor" } as const;

/** The ranges the report was made for; null where there are none. */
export function startingRanges(report: ReportData): Ranges | null {
  const { comparison, amounts } = report;
  if (!comparison || !asksForRanges(report)) return null;
  const names = amounts === null ? RANGED : FACTORS;
  const range = (name: string): Ends | null => {
    const found = comparison.costs?.[name];
    return isRange(found) && found[0] < found[1] ? found : null;
  };
  return { fn: range(names.fn), fp: range(names.fp), abstain: range(names.abstain), prevalence: comparison.prevalence_range };
}

/** What the choice minimises: over ranges what the report was made for, or the regret. */
export function objectiveOf({ comparison }: ReportData, ranges: Ranges | null): Problem["objective"] {
  if (ranges === null) return "expected";
  return comparison?.objective === "worst" ? "worst" : "regret";
}

/** Whether the report was made for ranges that the page has controls for. */
function asksForRanges({ comparison, amounts }: ReportData): boolean {
  if (comparison === null || !["regret", "worst"].includes(comparison.objective)) return false;
  const known = new Set<string>(Object.values(amounts === null ? RANGED : FACTORS));
  return Object.entries(comparison.costs ?? {}).every(([name, value]) => known.has(name) || !isRange(value) || value[0] === value[1]);
}

/** Whether the report asks for what the page can ask everywhere: costs at a point or over ranges, limits it knows. */
export function asksForKnown(report: ReportData): boolean {
  const { comparison } = report;
  if (comparison === null) return true;
  return !unknownLimits(report).length && (comparison.objective === "expected" || asksForRanges(report));
}

function isRange(value: unknown): value is Ends {
  return Array.isArray(value) && value.length === 2 && value.every((end) => typeof end === "number");
}

export function sameRanges(one: Ranges | null, two: Ranges | null): boolean {
  return one === two || (one !== null && two !== null && writeRanges(one) === writeRanges(two));
}

const SIDES = ["fn", "fp", "abstain", "prevalence"] as const;

function writeRanges(ranges: Ranges): string {
  return SIDES.map((side) => ranges[side]?.map(text).join("to") ?? "").join("~");
}

function readRanges(words: string): Ranges | null {
  const parts = words.split("~");
  if (parts.length !== SIDES.length) return null;
  const found = parts.map((part) => {
    const ends = part.split("to").map(number);
    return ends.length === 2 && ends[0] < ends[1] && Number.isFinite(ends[1]) ? ([ends[0], ends[1]] as const) : null;
  });
  const [fn, fp, abstain, prevalence] = found;
  return found.every((one) => one === null) ? null : { fn, fp, abstain, prevalence: prevalence !== null && prevalence[1] < 1 ? prevalence : null };
}

/** The share of cases that can be reviewed; 1 without a limit. */
export function maxAbstention(state: PageState): number {
  return state.capacity ? Math.min(state.capacity.reviews / state.capacity.cases, 1) : 1;
}

/** The limits the report was made with that this page cannot keep, by Python's names. */
export function unknownLimits({ comparison }: ReportData): [name: string, value: unknown][] {
  const known = new Set(Object.values(LIMITS).map(({ name }) => name));
  return Object.entries(comparison?.limits ?? {}).filter(([name]) => !known.has(name));
}

/** The limits the report was made with, as far as the page can keep them. */
export function reportLimits({ comparison }: ReportData): RuleLimits {
  const given = comparison?.limits ?? {};
  const known = Object.entries(LIMITS).filter(([, { name }]) => name in given);
  return Object.fromEntries(known.map(([key, { name }]) => [key, given[name]]));
}

/** What every rule must keep: the limits of the report, with the reader's own on reviews; null without any. */
export function limitsOf(report: ReportData, state: PageState): RuleLimits | null {
  const { maxAbstention: _, ...others } = reportLimits(report);
  const most = maxAbstention(state);
  const limits = most < 1 ? { ...others, maxAbstention: most } : others;
  return Object.keys(limits).length ? limits : null;
}

/** The fragment of a state, without "#": only what differs from where the page starts. */
export function writeFragment(state: PageState, start: PageState): string {
  const [mine, theirs] = [entries(state), entries(start)];
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(mine)) if (value !== theirs[key]) query.set(key, value);
  return query.toString();
}

/** The state a fragment describes; what this report cannot show stays as it starts. */
export function readFragment(fragment: string, report: ReportData): PageState {
  const start = initialState(report);
  const query = new URLSearchParams(fragment.replace(/^#/, ""));
  const initial = entries(start);
  const given = (key: string) => query.get(key) ?? initial[key];
  const places = (key: string, size: number) =>
    numbersOf(given(key), size, (at) => Number.isInteger(at) && at < report.models.length);
  const compare = places("compare", 2);
  return withRanges({
    costs: readCosts(given) ?? start.costs,
    prevalence: readPrevalence(given("prevalence"), report),
    model: places("model", 1)?.[0] ?? null,
    colour: COLOURS.find((mode) => mode === given("colour")) ?? start.colour,
    compare: compare ? [compare[0], compare[1]] : start.compare,
    ranges: readRanges(given("ranges")),
    capacity: readCapacity(given("capacity")),
    positive: given("positive"),
    negative: given("negative"),
    unit: given("unit").slice(0, LONGEST_UNIT),
    today: readToday(given("today"), report),
    yearly: readYearly(given("yearly")),
    theme: THEMES.find((theme) => theme === given("theme")) ?? start.theme,
  });
}

/** Costs and a prevalence known as ranges stand in the middle of them. */
export function withRanges(state: PageState): PageState {
  const { ranges, costs, prevalence } = state;
  if (ranges === null || SIDES.every((side) => ranges[side] === null)) return { ...state, ranges: null };
  const { fn, fp, abstain } = ranges;
  const middle = (range: Ends | null, own: number): number => (range === null ? own : middleOf(range));
  return {
    ...state,
    costs: { ...costs, fn: middle(fn, costs.fn), fp: middle(fp, costs.fp), abstain: middle(abstain, costs.abstain) },
    prevalence: ranges.prevalence === null ? prevalence : middleOf(ranges.prevalence),
  };
}

/** The same ranges around other costs or another prevalence, as wide as before; never below 0. */
export function rangesAround(ranges: Ranges, { costs, prevalence }: Pick<PageState, "costs" | "prevalence">): Ranges {
  const around = (range: Ends | null, centre: number, most = Infinity): Ends | null => {
    if (range === null || !Number.isFinite(centre)) return null;
    const half = Math.min((range[1] - range[0]) / 2, centre, most - centre);
    return half > 0 ? [centre - half, centre + half] : null;
  };
  const rate = ranges.prevalence === null || prevalence === null ? null : around(ranges.prevalence, prevalence, 1);
  return { fn: around(ranges.fn, costs.fn), fp: around(ranges.fp, costs.fp), abstain: around(ranges.abstain, costs.abstain), prevalence: rate };
}

function readCosts(given: (key: string) => string): Costs | null {
  const errors = numbersOf(`${given("fn")}~${given("fp")}`, 2);
  const right = signedNumbers(`${given("tp")}~${given("tn")}`);
  const abstain = number(given("abstain"));
  if (!errors || right.length !== 2 || !(abstain >= 0)) return null;
  const [[fn, fp], [tp, tn]] = [errors, right];
  if (fn <= tp || fp < tn) return null;
  const byClass = numbersOf(given("classes"), 2);
  const rates = numbersOf(given("rates"), 2, (rate) => rate <= 1);
  const costs = { fn, fp, abstain, tp, tn };
  if (byClass) return { ...costs, byClass: [byClass[0], byClass[1]] };
  return rates ? { ...costs, rates: [rates[0], rates[1]] } : costs;
}

/** An empty word asks for the prevalence of the data, the only possible one if a class is missing. */
function readPrevalence(word: string, report: ReportData): number | null {
  if (word === "" || !report.n_positive || !report.n_negative) return null;
  return numbersOf(word, 1, (rate) => 0 < rate && rate < 1)?.[0] ?? report.prevalence;
}

function readToday(words: string, { models }: ReportData): FixedRule | null {
  const [model, lower, upper, ...rest] = signedNumbers(words);
  if (upper === undefined || rest.length || !(model in models) || lower > upper) return null;
  return { model, lower, upper };
}

function readCapacity(words: string): PageState["capacity"] {
  const found = numbersOf(words, 2);
  return found && found[1] > 0 ? { reviews: found[0], cases: found[1] } : null;
}

/** Cases in a year; null where the text is no positive number. */
export function readYearly(text: string): number | null {
  const cases = number(text);
  return cases > 0 && cases < Infinity ? cases : null;
}

/** A state as words; an empty one stands for null. */
function entries(state: PageState): Record<string, string> {
  const { costs, ranges, capacity } = state;
  return {
    fn: text(costs.fn),
    fp: text(costs.fp),
    abstain: text(costs.abstain),
    tp: text(costs.tp ?? 0),
    tn: text(costs.tn ?? 0),
    classes: costs.byClass?.map(text).join("~") ?? "",
    rates: costs.rates?.map(text).join("~") ?? "",
    prevalence: state.prevalence === null ? "" : text(state.prevalence),
    model: state.model === null ? "" : text(state.model),
    colour: state.colour,
    compare: state.compare?.map(text).join("~") ?? "",
    ranges: ranges === null ? "" : writeRanges(ranges),
    capacity: capacity ? [capacity.reviews, capacity.cases].map(text).join("~") : "",
    positive: state.positive,
    negative: state.negative,
    unit: state.unit,
    today: state.today === null ? "" : [state.today.model, state.today.lower, state.today.upper].join("~"),
    yearly: state.yearly == null ? "" : text(state.yearly),
    theme: state.theme,
  };
}

function text(value: number): string {
  return value === Infinity ? "inf" : String(value);
}

/** A number that is not negative, or NaN; every comparison with NaN fails. */
function number(word: string): number {
  if (word === "inf") return Infinity;
  const value = word.trim() === "" ? NaN : Number(word);
  return value >= 0 && value < Infinity ? value : NaN;
}

/** Finite numbers of any sign. */
function signedNumbers(words: string): number[] {
  return words.split("~").filter((word) => word.trim() !== "").map(Number).filter(Number.isFinite);
}

/** Finite numbers, or null if they are not exactly `size` or one is not right. */
function numbersOf(words: string, size: number, right: (value: number) => boolean = () => true): number[] | null {
  const values = words.split("~").map(number);
  return values.length === size && values.every((value) => Number.isFinite(value) && right(value)) ? values : null;
}
