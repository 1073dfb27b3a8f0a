/**
 * The answer in words: from facts to sentences.
 *
 * Facts with a verdict give the strings of demur.comparison.words. Without one the cost is what the rule measured, and is called so.
 */
import { general, grouped, roundEven, thresholdText } from "../numbers";
import { isMade, type Facts, type VersusFacts } from "./facts";
import { bracketed, finerStep, money, moneyParts, moneyRange, moneyStep, sharesOf1000 } from "./numbers";

const LONGEST_NAME = 40;
const MOST_LISTED = 6;
/** Part of the half-width of an interval from which on a difference is worth a sentence. */
const NOTICED = 0.1;

/** Cut a name that would fill the sentence. */
export function shortName(name: string): string {
  const letters = [...name];
  return letters.length <= LONGEST_NAME ? name : `${letters.slice(0, LONGEST_NAME - 3).join("")}...`;
}

/** Say how sure it is, what to do, what happens then, what it costs, and what is not proven. */
export function answerSentences(facts: Facts): string[] {
  return [
    decisionWords(facts),
    ...happens(facts),
    ...stakes(facts),
    costSentence(facts),
    ...measured(facts),
    ...ranges(facts),
    ...unproven(facts),
    ...advice(facts),
    ...guarantee(facts),
  ];
}

function isTrivial({ model }: Pick<Facts, "model">): boolean {
  return model === null;
}

/** Say the verdict and what to do: where nothing is proven, to go on without a model for now. */
function decisionWords(facts: Facts): string {
  const rule = ruleWords(facts);
  if (!isMade(facts) || isTrivial(facts)) return rule;
  if (facts.verdict !== "unproven" || facts.best_trivial === null) return `${capital(facts.verdict)}. ${rule}`;
  const advice = capital(trivialWords(facts.best_trivial.name, facts)[0]);
  const shown = `${cases(facts.n)} cases do not show that a model beats this`;
  return `Unproven. ${advice} for now: ${shown}. The best candidate is ${rule.replace(/^Use /, "")}`;
}

export function capital(text: string): string {
  return text[0].toUpperCase() + text.slice(1);
}

/** Say the rule itself. */
function ruleWords(facts: Facts): string {
  const { kind, positive, negative } = facts;
  if (isTrivial(facts)) {
    return `${capital(trivialWords(kind, facts)[0])}: no model beats this.`;
  }
  const upper = thresholdText(facts.upper);
  const start = `Use ${shortName(facts.model ?? "")}: call `;
  if (kind === "threshold") return `${start}${positive} from ${upper} up, ${negative} below.`;
  const calls = [];
  if (facts.calls_positive) calls.push(`${positive} from ${upper} up`);
  if (facts.calls_negative) calls.push(`${negative} up to ${thresholdText(facts.lower)}`);
  return `${start}${calls.join(", ")}, send the rest to a person.`;
}

/** A rule without a model as advice, and as something to compare with; two classes go by the names of the words. */
export function trivialWords(kind: string, names: Partial<Pick<Facts, "positive" | "negative">> = {}) {
  if (kind === "always abstain") return ["send every case to a person", "sending every case to a person"] as const;
  const own = kind.replace(/^always /, "");
  const name = names[own as keyof typeof names] ?? own;
  return [`call every case ${name}`, `calling every case ${name}`] as const;
}

/** Say what happens to 1000 cases. */
function happens(facts: Facts): string[] {
  if (isTrivial(facts)) return [];
  const called: Called[] = [
    [facts.positive, facts.called_positive],
    [facts.negative, facts.called_negative],
  ];
  const mistakes = mistakeWords(facts.positive, facts.missed, facts.alarms);
  return [outcomeWords(called, facts.abstained, facts.kind === "window", mistakes)];
}

type Called = readonly [name: string, share: number];

/** How many of 1000 cases are called what, the most frequent first if there are many. */
export function outcomeWords(called: Called[], abstained: number, abstains: boolean, mistakes: string): string {
  const numbers = sharesOf1000([...called.map(([, share]) => share), abstained]);
  let listed = called.map(([name], k) => [numbers[k], name] as const);
  let rest = "";
  if (listed.length > MOST_LISTED) {
    listed = [...listed].sort((a, b) => b[0] - a[0]);
    const others = listed.slice(MOST_LISTED - 1);
    listed = listed.slice(0, MOST_LISTED - 1);
    const number = others.reduce((all, [n]) => all + n, 0);
    rest = `, ${grouped(number, 0)} one of ${others.length} other classes`;
  }
  const [[first, name], ...more] = listed;
  const sent = numbers[called.length];
  const others = more.map(([n, one]) => `, ${grouped(n, 0)} ${one}`).join("");
  const text = `Of 1000 cases ${grouped(first, 0)} ${first === 1 ? "is" : "are"} called ${name}${others}${rest}`;
  const people = abstains ? `, ${grouped(sent, 0)} ${sent === 1 ? "goes" : "go"} to a person` : "";
  return `${text}${people}; ${mistakes}.`;
}

/** How many of 1000 cases are missed and alarmed. */
function mistakeWords(positive: string, missed: number, alarms: number): string {
  return `${counted(missed, `${positive} case`)} missed, ${counted(alarms, "false alarm")}`;
}

/** How many of 1000 cases are one, such as "about 4 false alarms"; never 0 for what happens. */
export function counted(share: number, noun: string): string {
  const number = 1000 * share;
  if (number === 0) return `no ${noun}s`;
  if (number < 0.5) return `fewer than one ${noun}`;
  const rounded = Math.floor(number + 0.5 + 1e-9);
  return `about ${grouped(rounded, 0)} ${noun}${rounded > 1 ? "s" : ""}`;
}

/** Say where the money goes, if every case has its own costs: parts that add up to the whole. */
function stakes(facts: Facts): string[] {
  const { stakes: found, kind } = facts;
  if (found === undefined || found === null || isTrivial(facts)) return [];
  const step = stepOf(facts);
  const parts = [found.missed, found.alarms, ...(kind === "window" ? [found.reviews] : [])];
  const shown = moneyParts(parts, step);
  let text = `misses cost ${shown[0]}, false alarms ${shown[1]}`;
  // the rules of the folds may send other numbers of cases to a person than the rule as written
  if (kind === "window") text += `, reviews ${shown[2]} for ${counted(facts.abstention_rate, "case")}`;
  const stake = money(found.at_stake, finerStep([found.at_stake], step));
  return [`${stake} is at stake. On held-out cases, ${text}: ${shown[parts.length]} in all.`];
}

function stepOf({ interval, cost }: Pick<Facts, "interval" | "cost">): number {
  return moneyStep(interval[0], interval[1], cost);
}

/** What the sentence of the cost needs; the names of two classes, if there are two. */
type Costing = Pick<Facts, "model" | "verdict" | "cost" | "interval" | "cost_range" | "versus" | "confidence_level"> & Partial<Pick<Facts, "positive" | "negative">>;

export function costSentence(facts: Costing): string {
  const step = stepOf(facts);
  const { interval, versus } = facts;
  const cost = money(facts.cost, step);
  const over = facts.cost_range;
  const named = facts.verdict !== null ? "Cost" : "Measured cost";
  let text = `${named} ${cost} per 1000 cases`;
  if (over !== null) {
    const most = isTrivial(facts) || Number.isNaN(interval[1]) ? "" : `, at most ${money(interval[1], step)} with ${level(facts)} confidence`;
    const [least, highest] = over.map((end) => money(end, step));
    const span = least === highest ? least : `${least} to ${highest}`;
    text = `${named} ${span} per 1000 cases over the ranges${most}; ${cost} in their middle`;
  }
  if (isTrivial(facts)) return `${text}.${bestModel(facts, step)}`;
  const sure = over !== null ? "" : bracketed(interval, step, `${level(facts)} interval `);
  if (versus.trivial === undefined) return `${text}${sure}.`;
  return `${text}${sure}, ${saving(versus.trivial, trivialWords(versus.trivial.name, facts)[1], step)}.`;
}

/** Say why more is expected than the rule itself measured, where that is not lost in the interval. */
function measured(facts: Facts): string[] {
  if (!isMade(facts) || isTrivial(facts)) return [];
  const { cost, honest_cost: own, interval, n_rules: rules, one_added: added } = facts;
  if (cost - own <= (NOTICED * (interval[1] - interval[0])) / 2) return [];
  const text = `It measured ${money(own, stepOf(facts))}`;
  if (added) return [`${text}, but the costliest mistake never occurred; one is added.`];
  return [`${text} as the best of ${rules} rules; the best of many looks better than it is.`];
}

function bestModel({ cost, versus: { runner_up: other } }: Pick<Facts, "cost" | "versus">, step: number): string {
  if (other === undefined) return "";
  return ` The best model, ${shortName(other.name)}, costs ${money(cost - other.difference, step)}.`;
}

/** Say a difference (this rule minus another) as a saving, its interval, and whether that contains 0. */
function saving({ difference, interval }: VersusFacts, other: string, step: number): string {
  const sign = difference <= 0 ? -1 : 1;
  const size = money(Math.abs(difference), step);
  const said = /[1-9]/.test(size) ? `${size} ${sign < 0 ? "less" : "more"} than` : "about as much as";
  return `${said} ${other}${inBrackets(interval.map((end) => sign * end), step)}`;
}

/** The interval of a difference, perhaps with its level, and whether it contains 0; nothing where there is none. */
export function inBrackets(interval: readonly number[], step: number, level = ""): string {
  const ends = [...interval].sort((a, b) => a - b);
  const zero = ends[0] <= 0 && 0 <= ends[1] ? ", which contains 0" : "";
  return Number.isNaN(ends[0]) ? "" : ` (${level}${moneyRange(ends, step)}${zero})`;
}

function level(facts: Pick<Facts, "confidence_level">): string {
  return `${general(100 * facts.confidence_level)} %`;
}

/** Say what a range of costs means for the rule. */
function ranges(facts: Facts): string[] {
  const { regret, regret_bound: bound } = facts;
  if (regret === null) return [];
  const step = stepOf(facts);
  const most = bound === null ? "" : `, at most ${money(bound, step)} with ${level(facts)} confidence`;
  return [`It costs up to ${money(regret, step)} more than a rule chosen for the true costs${most}.`];
}

/** Say against which rules, whose differences are not shown, the cases prove nothing. */
function unproven(facts: Facts): string[] {
  if (isTrivial(facts)) return [];
  const { never_abstaining: never, runner_up: other } = facts.versus;
  const open = (versus?: VersusFacts): versus is VersusFacts =>
    versus !== undefined && versus.interval[0] <= 0 && 0 <= versus.interval[1];
  const names = [];
  if (open(never)) names.push("never abstaining");
  if (open(other)) names.push(shortName(other.name));
  if (names.length === 0) return [];
  const ends = names.length === 1 ? "interval contains" : "intervals contain";
  return [`Not proven cheaper than ${names.join(" or ")}: the ${level(facts)} ${ends} 0.`];
}

/** A number of cases; an effective one is rounded. */
function cases(n: number): string {
  return grouped(roundEven(n), 0);
}

/** Warn where choosing this way has not been worth it. */
function advice(facts: Facts): string[] {
  const { advice_cost: cost, best_trivial: trivial } = facts;
  if (cost === null || isTrivial(facts) || trivial === null || cost <= trivial.cost * (1 + 1e-12)) return [];
  const what = trivialWords(trivial.name, facts)[1];
  return [
    `Choosing a rule this way costs ${money(cost, stepOf(facts))} on cases left out, more than ${what}: ` +
      "collect more cases before you rely on it.",
  ];
}

/** Name the finite-sample bound only where it says something. */
function guarantee(facts: Facts): string[] {
  const { best_trivial: trivial, guaranteed_cost: bound } = facts;
  if (isTrivial(facts) || trivial === null || !facts.guarantee_defined) return [];
  const step = stepOf(facts);
  // a bound that reads like the cost of the rule without a model says nothing
  if (bound !== null && bound < trivial.cost && money(bound, step) !== money(trivial.cost, step))
    return [`Guaranteed at most ${money(bound, step)} with ${level(facts)} confidence.`];
  return [`No guarantee yet with ${cases(facts.n)} cases.`];
}
