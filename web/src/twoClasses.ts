/** The page of two classes: prices, prevalence, limits and ranges lead to a rule with thresholds. */
import type { Candidate } from "./comparison/candidates";
import { rivals, type ClassNames } from "./comparison/choice";
import { isMade, type Facts, type VersusFacts } from "./comparison/facts";
import { money, moneyRange, moneyStep, sharesOf1000 } from "./comparison/numbers";
import { capital, counted, shortName, trivialWords } from "./comparison/words";
import { asCommand, asPython, type Choice } from "./copy";
import { Curves } from "./math/envelope";
import { designWords, type ModelData, type ReportData } from "./data";
import { Domain } from "./domain";
import { barsAgainst, type Bar, type Kind, type Part, type Saved, type View } from "./kind";
import { prepare, type Prepared } from "./math/models";
import { sameCosts, sameSurcharge, surchargeOf } from "./math/units";
import { general, grouped, percent, thresholdText } from "./numbers";
import { embedded } from "./panels/methods";
import { policyFile, whyNoPolicy } from "./policy";
import { remarks } from "./remarks";
import { Situation } from "./situation";
import { initialState, rangesAround, readFragment, withRanges, writeFragment, type PageState } from "./state";
import type { App } from "./app";
import { cut, unbroken } from "./view/dom";
import { count } from "./view/format";
import type { Told } from "./view/host";
import type { Theme } from "./view/palette";

export type TwoApp = App<PageState, Situation, TwoClasses>;

export class TwoClasses implements Kind<PageState, Situation> {
  readonly start: PageState;
  readonly title: string;
  readonly facts: string;
  readonly embedded: string;
  readonly less: string;
  readonly files = [];
  readonly domain: Domain;
  private readonly curves: Curves;
  private prepared: Prepared | null = null;

  constructor(readonly data: ReportData) {
    const { n, n_positive, models, design } = data;
    this.start = { ...initialState(data), compare: firstPair(data) };
    this.title = titleOf(data);
    const named = models.length === 1 ? "1 model" : `${models.length} models`;
    this.facts = [cut(this.title, 60), designWords(`${count(n)} cases`, design), `${percent(n_positive / n)} positive`, named].map(unbroken).join(" · ");
    this.embedded = embedded(data);
    const countable = data.cases !== null && data.amounts === null && design == null && data.source.weight === null;
    this.less = countable ? "For a page of counts, none of them below ten cases: demur report --private 10." : "";
    this.domain = new Domain(data.amounts !== null);
    this.curves = new Curves(data);
  }

  get held(): boolean {
    return this.domain.held;
  }

  /** Without a pair in the fragment the two best models are compared. */
  read(fragment: string): PageState {
    const found = readFragment(fragment, this.data);
    return /[#&]?\bcompare=/.test(fragment) ? found : { ...found, compare: this.start.compare };
  }

  write(state: PageState): string {
    return writeFragment(state, this.start);
  }

  /** Ranges set anew take costs and prevalence to their middle; what moves takes its range along. */
  changed(state: PageState, part: Partial<PageState>): PageState {
    const next = { ...state, ...part };
    if ("ranges" in part || next.ranges === null) return withRanges(next);
    const moved = part.costs !== undefined || part.prevalence !== undefined;
    return moved ? withRanges({ ...next, ranges: rangesAround(next.ranges, next) }) : next;
  }

  at(state: PageState, theme: Theme, rests: boolean): Situation {
    const extra = surchargeOf(state.costs);
    let { prepared } = this;
    if (prepared === null || prepared.prevalence !== state.prevalence || !sameSurcharge(prepared.extra, extra))
      this.prepared = prepared = prepare(this.data, state.prevalence, extra);
    return new Situation(this.data, state, prepared, this.curves, theme, rests);
  }

  moves(before: Situation, now: Situation, parts: readonly string[]): boolean {
    const stands = !this.follow(now) && now.prepared === before.prepared && now.problem.ranges === null;
    return stands && parts.every((key) => key === "costs") && now.k === before.k;
  }

  /** Keep the cost point in view; true if the view changed. */
  follow({ mu, nu }: Situation): boolean {
    return this.domain.follow(mu, nu);
  }

  view(at: Situation): View {
    const given = at.data.costs_given || !sameCosts(at.costs, this.start.costs);
    const { other } = at;
    const facts = other ?? at.answer?.facts;
    return {
      sentences: at.headline(given),
      remarks: [...new Set([...remarks(at.data, at.costs), ...at.data.notes])],
      answer:
        facts === undefined
          ? null
          : {
              ...{ cost: facts.cost, interval: facts.interval, measured: !isMade(facts) },
              ...{ spread: spreadOf(at, facts), bars: other === null ? barsOf(at) : barsAgainst(other, other.versus, candidateName(other), (kind) => shortTrivial(kind, at.names)), short: [shortRule(facts), costLine(facts, at.state.unit)] },
            },
      caption: captionOf(at),
    };
  }

  python(at: Situation): string {
    return asPython(this.data, choiceOf(at));
  }

  command(at: Situation): string {
    return asCommand(this.data, choiceOf(at));
  }

  policy(at: Situation): Saved {
    const why = whyNoPolicy(at);
    return why === null ? { text: policyFile(at) } : { why };
  }

  asked(fragment: string): Partial<PageState> {
    const { costs, model } = readFragment(fragment, this.data);
    return { costs, model };
  }

  told(at: Situation): Told {
    const { fn, fp, abstain, tp = 0, tn = 0, byClass = null, rates = null } = at.costs;
    return {
      costs: { fn, fp, tp, tn, abstain: Number.isFinite(abstain) ? abstain : null, byClass, rates },
      policy: whyNoPolicy(at) === null ? policyFile(at) : null,
      headline: at.headline(true).join(" "),
    };
  }
}

/** The rule on show: the answer among all models, or of the one the reader holds on to. */
function choiceOf({ data, state, problem, classes }: Situation): Choice {
  const { costs, prevalence, limits, ranges, objective } = problem;
  const models = state.model === null ? data.models : [data.models[state.model]];
  return { models: models.map(({ name }) => name), costs, prevalence, limits, ranges, objective, classes };
}

/** The file, and the group where the cases are part of it. */
function titleOf({ source: { name, group, part } }: Pick<ReportData, "source">): string {
  return group === null ? name : `${name}, ${group} = ${part ?? ""}`;
}

/** The two models of the smallest mean cost. */
function firstPair({ models }: ReportData): [number, number] | null {
  const mean = ({ volume }: ModelData): number => volume.honest ?? volume.hindsight;
  const order = models.map((_, k) => k).sort((a, b) => mean(models[a]) - mean(models[b]));
  return order.length > 1 ? [order[0], order[1]] : null;
}

/** Called negative, sent to a person, called positive: the cases of the sentence. */
function spreadOf(at: Situation, facts: Facts): Part[] {
  const [positive, negative, sent] = sharesOf1000([facts.called_positive, facts.called_negative, facts.abstained]);
  const ruled = facts.method === undefined && facts.model !== null;
  const from = ruled && facts.calls_positive ? `from ${thresholdText(facts.upper)} up` : "";
  const upTo = !ruled || !facts.calls_negative ? "" : facts.kind === "threshold" ? `below ${thresholdText(facts.upper)}` : `up to ${thresholdText(facts.lower)}`;
  const part = (look: Part["look"], cases: number, name: string, where = "", wrong = 0, errors = ""): Part => ({
    ...{ look, cases, where, wrong: 1000 * wrong, errors: wrong > 0 ? errors : "" },
    name: `${grouped(cases, 0)} ${name}`,
  });
  return [
    part("negative", negative, `called ${at.names.negative}`, upTo, facts.missed, `${counted(facts.missed, `${at.names.positive} case`)} missed`),
    part("person", sent, "to a person"),
    part("positive", positive, `called ${at.names.positive}`, from, facts.alarms, counted(facts.alarms, "false alarm")),
  ];
}

/** "Every case to a person" instead of "send every case to a person". */
function shortTrivial(kind: string, names: ClassNames): string {
  return trivialWords(kind, names)[0].replace(/^(send|call) /, "");
}

/** The answer first, then rules without a model, never abstaining and the runner-up. */
function barsOf(at: Situation): Bar[] {
  const { rule, facts } = at.answer!;
  const { trivial: simple } = at.candidates!;
  const bar = (one: Candidate, name: string, versus?: VersusFacts): Bar => {
    const { cost, interval } = at.estimate(one);
    const open = versus !== undefined && versus.interval[0] <= 0 && 0 <= versus.interval[1];
    // as far from the answer as the difference says: after a choice, others are as lucky as the chosen one
    const rise = isMade(facts) && versus !== undefined ? facts.cost - versus.difference - cost : 0;
    return { name, cost: cost + rise, interval: interval.map((end) => end + rise), chosen: one === rule, open };
  };
  const nameOf = (one: Candidate): string =>
    one.model === null ? shortTrivial(one.kind, at.names) : shortName(at.data.models[one.model].name);
  const { trivial, never_abstaining: never, runner_up: other } = rivals(rule, at.candidates!);
  const reviews = simple.find(({ kind }) => kind === "always abstain");
  const own = bar(rule, rule.model === null ? nameOf(rule) : candidateName(facts));
  // after the choice the answer is expected to cost more than it measured
  const bars = [isMade(facts) ? { ...own, cost: facts.cost, interval: facts.interval } : own];
  if (trivial) bars.push(bar(trivial, nameOf(trivial), facts.versus.trivial));
  if (reviews && reviews !== trivial && reviews !== rule) bars.push(bar(reviews, nameOf(reviews)));
  if (never && never !== other && facts.versus.never_abstaining)
    bars.push(bar(never, never.model === rule.model ? "never abstaining" : `${nameOf(never)}, never abstaining`, facts.versus.never_abstaining));
  if (other) bars.push(bar(other, nameOf(other), facts.versus.runner_up));
  return bars;
}

function candidateName(facts: Facts): string {
  return facts.verdict === "unproven" ? "best candidate" : "this rule";
}

/** The verdict, where there is one, and what to do; of an unproven rule the model alone is named. */
function shortRule(facts: Facts): string {
  const { model, best_trivial: trivial } = facts;
  if (!isMade(facts) || model === null) return ruleLine(facts);
  if (facts.verdict !== "unproven" || trivial === null) return `${capital(facts.verdict)}. ${ruleLine(facts)}`;
  return `Unproven. ${capital(trivialWords(trivial.name, facts)[0])} for now; best candidate ${shortName(model)}`;
}

/** The rule, as short as it can be said. */
function ruleLine(facts: Facts): string {
  const { kind, positive, negative } = facts;
  if (facts.model === null) return capital(trivialWords(kind, facts)[0]);
  const name = shortName(facts.model);
  if (facts.method !== undefined) return cut(`${name}: ${facts.method}`, 80);
  const from = thresholdText(facts.upper);
  if (kind === "threshold") return `${name}: ${positive} from ${from} up, else ${negative}`;
  const parts = [];
  if (facts.calls_positive) parts.push(`${positive} from ${from} up`);
  if (facts.calls_negative) parts.push(`${negative} up to ${thresholdText(facts.lower)}`);
  return `${name}: ${parts.join(", ")}, the rest to a person`;
}

/** The cost with its interval, over ranges the range of costs; that of the page is measured. */
function costLine(facts: Facts, unit: string): string {
  const { cost, interval } = facts;
  const [low, high] = interval;
  const step = moneyStep(low, high, cost);
  const sure = high > low ? ` (${moneyRange([low, high], step)})` : "";
  const over = facts.cost_range;
  const number = over === null ? money(cost, step) : moneyRange(over, step);
  return `${isMade(facts) ? "" : "measured "}${number}${unit === "" ? "" : ` ${unit}`}${sure} per 1000 cases`;
}

/** What was asked: costs, prevalence, limits; and where the cases come from. */
function captionOf(at: Situation): string[] {
  const { source, n, made, software, design } = at.data;
  const rows = designWords(`${cut(source.name, 60)}, ${count(n)} cases`, design);
  const rate = `${percent(at.prevalence)} ${at.names.positive}${at.state.prevalence === null ? ", as in the data" : " in use"}.`;
  return [
    [costWords(at), rate, at.condition].filter((part) => part !== "").join(" "),
    `Source: ${rows}; report of ${made.slice(0, 10)} by demur ${software.demur}.`,
  ];
}

const AMOUNTS: readonly [name: string, words: string, factor: "fn" | "fp" | "abstain"][] = [
  ["cost_fn", "a miss", "fn"],
  ["cost_fp", "a false alarm", "fp"],
  ["cost_abstain", "a review", "abstain"],
  ["cost_abstain_positive", "a review of a positive", "abstain"],
  ["cost_abstain_negative", "a review of a negative", "abstain"],
  ["fee", "the fee of a review", "abstain"],
  ["reviewer", "a review", "abstain"],
  ["cost_tp", "a positive found", "fp"],
  ["cost_tn", "a negative cleared", "fn"],
];

/** What the costs of the cases are, and by which factors other than 1 they are multiplied. */
export function amountWords({ costs, names, data }: Situation): string {
  const { named } = data.amounts!;
  const said = AMOUNTS.filter(([name, , factor]) => name in named && Number.isFinite(costs[factor])).map(([name, words, factor]) => {
    const { value, column, class: kind, cases, mean, total } = named[name];
    const times = costs[factor] === 1 ? "" : ` times ${general(costs[factor])}`;
    if (mean === undefined || cases === undefined) return `${words} ${value === null ? (column ?? "amounts") : general(value)}${times}`;
    const who = kind == null ? "" : `${names[kind]} `;
    const all = total == null ? "" : `, ${plain(total)} in all`;
    return `${words} ${cut(column ?? "amounts", 40)} (mean ${plain(mean)} over ${count(cases)} ${who}cases${all})${times}`;
  });
  if (!Number.isFinite(costs.abstain)) said.push("no reviews");
  return `Costs of the cases: ${said.join(", ")}.`;
}

/** Four digits, from 1000 on whole (demur.comparison.numbers.amount). */
function plain(value: number): string {
  return Math.abs(Number(value.toPrecision(4))) >= 1000 ? grouped(value, 0) : general(value, 4);
}

function costWords(at: Situation): string {
  const { costs, data } = at;
  if (data.amounts !== null) return amountWords(at);
  const { fn, fp, abstain, tp = 0, tn = 0, byClass, rates } = costs;
  const said = [`a miss costs ${general(fn)}`, `a false alarm ${general(fp)}`];
  if (byClass !== undefined) said.push(`a review ${general(byClass[0])} of a positive, ${general(byClass[1])} of a negative`);
  else said.push(Number.isFinite(abstain) ? `a review ${general(abstain)}` : "no reviews");
  if (tp !== 0 || tn !== 0) said.push(`right answers ${general(tp)} and ${general(tn)}`);
  const reviewer =
    rates === undefined || !Number.isFinite(abstain)
      ? ""
      : ` A reviewer finds ${percent(rates[0])} of the positives and ${percent(rates[1])} of the negatives.`;
  return `${capital(said.join(", "))}.${reviewer}`;
}
