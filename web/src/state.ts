/** What the reader chose, and the URL fragment that brings it back. */
import type { ReportData } from "./data";
import { middleOf, type Box } from "./math/box";
import type { MapMode } from "./math/costMap";
import type { FixedRule } from "./math/fixedRule";
import { costsAt, type Costs } from "./math/units";
import type { ThemeChoice } from "./view/theme";
import { LIMIT_NAMES, type RuleLimits } from "./math/windowSearch";

export interface PageState {
  costs: Costs;
  /** How costs are entered. */
  entry: "money" | "ratio";
  /** Null: that of the data. */
  prevalence: number | null;
  /** Null: the cheapest at these costs. */
  model: number | null;
  colour: MapMode;
  compare: readonly [a: number, b: number] | null;
  /** Ranges of the relative costs. */
  box: Box | null;
  /** Reviews possible and cases expected in the same time. */
  capacity: { reviews: number; cases: number } | null;
  /** The reader's words for the classes; empty: those of the data. */
  positive: string;
  negative: string;
  /** The reader's unit of money; empty: nobody named it. */
  unit: string;
  /** The reader's own rule; null: not given. */
  today: FixedRule | null;
  /** Another state to compare with, as a fragment; empty: none. */
  pinned: string;
  theme: ThemeChoice;
  /** Whether the map shows what lies around the cost point. */
  zoomed: boolean;
}

const COLOURS: readonly MapMode[] = ["cost", "abstention", "lower", "upper", "winner", "difference"];

const THEMES: readonly ThemeChoice[] = ["system", "light", "dark"];

/** More than any state needs. */
const LONGEST_FRAGMENT = 2000;

/** Letters of a unit that fit beside a number. */
export const LONGEST_UNIT = 12;

/** Where the page starts. */
export function initialState(report: ReportData): PageState {
  const most = reportLimits(report).maxAbstention;
  return {
    costs: startingCosts(report),
    entry: "money",
    prevalence: report.prevalence,
    model: null,
    colour: "cost",
    compare: report.models.length > 1 ? [0, 1] : null,
    box: startingBox(report),
    capacity: most === undefined ? null : { reviews: 1000 * most, cases: 1000 },
    positive: "",
    negative: "",
    unit: "",
    today: null,
    pinned: "",
    theme: "system",
    zoomed: false,
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

/** The ranges the report was made for; null where there are none, or others than of false alarms and reviews. */
export function startingBox({ comparison, costs, amounts }: ReportData): Box | null {
  const ranges = comparison?.costs;
  if (comparison?.objective !== "regret" || !ranges || amounts !== null || comparison.prevalence_range) return null;
  const [fn, fp, abstain] = ["cost_fn", "cost_fp", "cost_abstain"].map((name) => ranges[name]);
  if (!isRange(fn) || !isRange(fp) || !isRange(abstain) || fn[0] !== fn[1]) return null;
  const part = ([low, high]: Ends): [number, number] => [low / costs.cost_fn, high / costs.cost_fn];
  return { mu: part(fp), nu: part(abstain) };
}

type Ends = readonly [low: number, high: number];

function isRange(value: unknown): value is Ends {
  return Array.isArray(value) && value.length === 2;
}

/** The share of cases that can be reviewed; 1 without a limit. */
export function maxAbstention(state: PageState): number {
  return state.capacity ? Math.min(state.capacity.reviews / state.capacity.cases, 1) : 1;
}

/** The limits the report was made with that this page cannot keep, by Python's names. */
export function unknownLimits({ comparison }: ReportData): [name: string, value: unknown][] {
  const known = new Set(Object.values(LIMIT_NAMES));
  return Object.entries(comparison?.limits ?? {}).filter(([name]) => !known.has(name));
}

/** The limits the report was made with, as far as the page can keep them. */
export function reportLimits({ comparison }: ReportData): RuleLimits {
  const given = comparison?.limits ?? {};
  const known = Object.entries(LIMIT_NAMES).filter(([, name]) => name in given);
  return Object.fromEntries(known.map(([key, name]) => [key, given[name]]));
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
  return withBox({
    costs: readCosts(given) ?? start.costs,
    entry: given("entry") === "ratio" ? "ratio" : "money",
    prevalence: readPrevalence(given("prevalence"), report),
    model: places("model", 1)?.[0] ?? null,
    colour: COLOURS.find((mode) => mode === given("colour")) ?? start.colour,
    compare: compare ? [compare[0], compare[1]] : start.compare,
    box: readBox(given("box")),
    capacity: readCapacity(given("capacity")),
    positive: given("positive"),
    negative: given("negative"),
    unit: given("unit").slice(0, LONGEST_UNIT),
    today: readToday(given("today"), report),
    pinned: given("pinned").slice(0, LONGEST_FRAGMENT),
    theme: THEMES.find((theme) => theme === given("theme")) ?? start.theme,
    zoomed: given("zoomed") === "yes",
  });
}

/** Costs known as ranges stand in the middle of them. */
export function withBox(state: PageState): PageState {
  return state.box === null ? state : { ...state, costs: costsAt(state.costs, middleOf(state.box)) };
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

function readBox(words: string): Box | null {
  const ends = numbersOf(words, 4);
  if (!ends || ends[0] > ends[1] || ends[2] > ends[3] || (ends[0] === ends[1] && ends[2] === ends[3])) return null;
  return { mu: [ends[0], ends[1]], nu: [ends[2], ends[3]] };
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

/** A state as words; an empty one stands for null. */
function entries(state: PageState): Record<string, string> {
  const { costs, box, capacity } = state;
  return {
    fn: text(costs.fn),
    fp: text(costs.fp),
    abstain: text(costs.abstain),
    tp: text(costs.tp ?? 0),
    tn: text(costs.tn ?? 0),
    classes: costs.byClass?.map(text).join("~") ?? "",
    rates: costs.rates?.map(text).join("~") ?? "",
    entry: state.entry,
    prevalence: state.prevalence === null ? "" : text(state.prevalence),
    model: state.model === null ? "" : text(state.model),
    colour: state.colour,
    compare: state.compare?.map(text).join("~") ?? "",
    box: box ? [...box.mu, ...box.nu].map(text).join("~") : "",
    capacity: capacity ? [capacity.reviews, capacity.cases].map(text).join("~") : "",
    positive: state.positive,
    negative: state.negative,
    unit: state.unit,
    today: state.today === null ? "" : [state.today.model, state.today.lower, state.today.upper].join("~"),
    pinned: state.pinned,
    theme: state.theme,
    zoomed: state.zoomed ? "yes" : "",
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
