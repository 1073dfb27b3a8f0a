/** The page of many classes: a matrix of costs leads to one of the rules that the page holds. */
import type { App } from "../app";
import { money, moneyRange, moneyStep, sharesOf1000 } from "../comparison/numbers";
import { capital, counted, shortName, trivialWords } from "../comparison/words";
import { designWords } from "../data";
import { barsAgainst, type Bar, type Kind, type Part, type Saved, type View } from "../kind";
import { general, grouped } from "../numbers";
import { cut, unbroken } from "../view/dom";
import { count } from "../view/format";
import type { Told } from "../view/host";
import type { Theme } from "../view/palette";
import { saveCsv } from "../view/saving";
import { Answers, type ClassAnswer, type Rule } from "./answer";
import { classCommand, classPython, costSheet } from "./copy";
import { readRows, titleOf, type ClassReportData } from "./data";
import type { Prices } from "./estimates";
import { classPolicyFile } from "./policy";
import { readState, samePrices, startOf, writeState, type ClassState } from "./state";
import { classSentences } from "./words";

export type ClassApp = App<ClassState, ClassSituation, ManyClasses>;

/** Everything on show. */
export interface ClassSituation {
  data: ClassReportData;
  answers: Answers;
  prices: Prices;
  answer: ClassAnswer;
  rules: Rule[];
  /** Whether this is the answer the report was made with, at its costs. */
  own: boolean;
  held: string | null;
  sentences: string[];
  unit: string;
  theme: Theme;
}

export const keyOf = ({ model, kind, aim }: Rule): string => `${model ?? ""}:${kind}${aim > 0 ? `:${aim}` : ""}`;

export class ManyClasses implements Kind<ClassState, ClassSituation> {
  readonly answers: Answers;
  readonly start: ClassState;
  readonly title: string;
  readonly facts: string;
  readonly embedded: string;
  readonly less = "";
  readonly held = false;
  /** The command reads the costs from a file. */
  readonly files = [{ name: "Save costs.csv", role: "save-costs", save: ({ prices }: ClassSituation) => saveCsv(costSheet(this.data, prices, this.atStart(prices)), "costs") }];

  constructor(readonly data: ClassReportData) {
    const { n, classes, models, design } = data;
    this.answers = new Answers(data);
    this.start = startOf(data);
    this.title = titleOf(data);
    const named = models.length === 1 ? "1 model" : `${models.length} models`;
    this.facts = [cut(this.title, 60), designWords(`${count(n)} cases`, design), `${classes.length} classes`, named].map(unbroken).join(" · ");
    this.embedded = classesEmbedded(data);
  }

  read(fragment: string): ClassState {
    return readState(fragment, this.data);
  }

  write(state: ClassState): string {
    return writeState(state, this.start);
  }

  changed(state: ClassState, part: Partial<ClassState>): ClassState {
    return { ...state, ...part };
  }

  at({ prices, held, unit }: ClassState, theme: Theme): ClassSituation {
    const { data, answers } = this;
    const own = held === null && this.atStart(prices);
    const answer = own ? answers.made(prices) : answers.answer(prices, held === null ? null : (rule) => keyOf(rule) === held);
    const { decision } = data.comparison.answer;
    const sentences = own ? [decision, data.headline.slice(decision.length + 1)] : classSentences(data, answer);
    return { data, answers, prices, answer, rules: answers.rules(prices), own, held, sentences, unit, theme };
  }

  moves(): boolean {
    return false;
  }

  view(at: ClassSituation): View {
    const { answer, own, data } = at;
    const { cost, interval } = own ? data.comparison.answer : answer;
    const { verdict } = data.comparison.answer;
    const step = moneyStep(interval[0], interval[1], cost);
    const sure = interval[1] > interval[0] ? ` (${moneyRange(interval, step)})` : "";
    const name = answer.rule.model === null ? capital(trivialWords(answer.rule.kind)[0]) : `${shortName(data.models[answer.rule.model].name)}: ${answer.rule.kind}`;
    const unit = at.unit === "" ? "" : ` ${at.unit}`;
    return {
      sentences: at.sentences,
      remarks: [holdsFor(at), data.condition, ...data.notes].filter(Boolean),
      answer: {
        ...{ cost, interval, measured: !own, spread: spreadOf(at), bars: barsOf(at) },
        short: [
          own && verdict !== undefined && answer.rule.model !== null ? `${capital(verdict)}. ${name}` : name,
          `${own ? "" : "measured "}${money(cost, step)}${unit}${sure} per 1000 cases`,
        ],
      },
      caption: captionOf(at),
    };
  }

  python({ prices }: ClassSituation): string {
    return classPython(this.data, prices, this.atStart(prices));
  }

  command({ prices }: ClassSituation): string {
    return classCommand(this.data, this.atStart(prices));
  }

  private atStart(prices: Prices): boolean {
    return samePrices(prices, this.start.prices);
  }

  policy({ answers, answer, prices }: ClassSituation): Saved {
    const text = classPolicyFile(answers, answer, prices);
    return text === null ? { why: "The answer is a rule without a model, which needs no policy. Hint: choose a rule in the table of rules." } : { text };
  }

  asked(fragment: string): Partial<ClassState> {
    const { prices, held } = this.read(fragment);
    return { prices, held };
  }

  told({ answers, answer, prices, sentences }: ClassSituation): Told {
    return { costs: prices, policy: classPolicyFile(answers, answer, prices), headline: sentences.join(" ") };
  }
}

/** Right, wrong, to a person: the cases of the sentence. */
function spreadOf({ answer }: ClassSituation): Part[] {
  const counts = sharesOf1000([...answer.called, answer.sent]);
  const sent = counts[counts.length - 1];
  const mistaken = Math.min(1000 - sent, Math.round(1000 * answer.wrong));
  const part = (look: Part["look"], cases: number, name: string): Part => ({ look, cases, name, where: "", wrong: 0, errors: "" });
  return [
    part("right", 1000 - sent - mistaken, `${grouped(1000 - sent - mistaken, 0)} answered right`),
    // never none for what happens
    { ...part("wrong", mistaken, counted(answer.wrong, "wrong answer")), wrong: 1000 * answer.wrong },
    part("person", sent, `${grouped(sent, 0)} to a person`),
  ];
}

/** The answer against the best rule without a model and against other rules, as far as their costs are known. */
function barsOf({ own, answer, data }: ClassSituation): Bar[] {
  const made = data.comparison.answer;
  const without = (kind: string): string => trivialWords(kind)[0].replace(/^(send|call) /, "");
  const { rule } = answer;
  const first = rule.model === null ? without(rule.kind) : own && made.verdict === "unproven" ? "best candidate" : "this rule";
  return barsAgainst(own ? made : answer, own ? (made.versus ?? {}) : answer.versus, first, without);
}

const MOST = 6;

function captionOf({ prices, data }: ClassSituation): string[] {
  const { classes, n, made, software, design } = data;
  const said = classes.flatMap((name, k) =>
    prices.costs[k].flatMap((cost, j) =>
      j === k && cost === 0 ? [] : [`${cut(name, 20)} called ${cut(classes[j], 20)} ${general(cost)}`],
    ),
  );
  const { abstain } = prices;
  const same = abstain?.every((price) => price === abstain[0]) ?? false;
  const review =
    abstain === null ? "no reviews" : same ? `a review ${general(abstain[0])}` : `reviews ${abstain.map((price) => general(price)).join(", ")}`;
  const costs = classes.length > 4 ? `${said.slice(0, MOST).join(", ")} and ${said.length - MOST} more` : said.join(", ");
  return [
    `Costs: ${costs}; ${review}.`,
    `Source: ${designWords(`${cut(titleOf(data), 60)}, ${count(n)} cases`, design)}; report of ${made.slice(0, 10)} by demur ${software.demur}.`,
  ];
}

/** Say for which costs the rule was chosen, and what that means for the numbers. */
function holdsFor({ own, data, answer, answers }: ClassSituation): string {
  if (own)
    return data.ranged
      ? "Costs are ranges: the rule is chosen over all of them, numbers are for their middle. Editing replaces ranges by numbers."
      : "";
  if (answer.rule.model === null) return "A rule without a model: its cost at your costs is exact for these cases.";
  if (answer.rule.kind === "argmax" || (answers.byCase && answer.rule.kind.startsWith("expected cost")))
    return "This rule needs no choosing: it is the one for your costs.";
  const price = answer.factor === 1 ? "the price" : `${general(answer.factor)} times the price`;
  const review = data.abstain_costs === null ? "" : ` and ${price} of a review`;
  return (
    `At your costs. The weights were chosen for the costs of the file${review}; what they decide on held-out cases ` +
    "is priced anew, so the cost is honest. Weights chosen for your costs may be cheaper: Copy as command."
  );
}

/** Say what the page holds of the cases: each of them where they are few, else counts. */
function classesEmbedded(data: ClassReportData): string {
  const { n, models } = data;
  const held = readRows(data);
  const rest = "no names and no other columns of the data. It works without a network.";
  if (held !== null) {
    const weights = held.sizes === null ? "" : ", weights";
    return `This page contains the probabilities${weights} and classes of ${count(held.codes.length)} cases, ${rest}`;
  }
  const cells = models.some(({ simplex }) => simplex !== null) ? " and by class and probabilities in small triangles" : "";
  return `This page contains counts of ${count(n)} cases by class and decision${cells}, no list of cases, ${rest}`;
}
