/** What the page measures of many classes in words: sentences of demur.comparison.words without a verdict. */
import { capital, costSentence, counted, outcomeWords, shortName, trivialWords } from "../comparison/words";
import { general, grouped, roundEven } from "../numbers";
import type { ClassAnswer, Rule } from "./answer";
import type { ClassReportData } from "./data";

const MOST_LISTED = 6;
const PERSON = "send the case to a person";

/** The rule first, then what happens, what costs most, what it costs. */
export function classSentences(data: ClassReportData, answer: ClassAnswer): string[] {
  const { rule, cost, interval, versus } = answer;
  const model = rule.model === null ? null : data.models[rule.model].name;
  const { confidence_level } = data;
  const costs = costSentence({ model, verdict: null, cost, interval, cost_range: null, versus, confidence_level });
  if (model === null) return [`${capital(trivialWords(rule.kind)[0])}: no model beats this.`, costs];
  return [`Use ${shortName(model)}: ${method(data, rule)}.`, happens(data, answer), ...costliestSentence(data, answer), costs];
}

const four = (value: number): string => general(value, 4);

function method({ classes }: ClassReportData, rule: Rule): string {
  const { kind, columnCosts } = rule;
  const weights = rule.weights ?? [];
  const abstain = rule.abstainWeight;
  const names = classes;
  if (kind === "argmax") return "answer the class with the highest probability";
  if (kind.startsWith("expected cost")) {
    const text = "answer the class with the lowest expected cost";
    if (abstain === null) return text;
    const factor = abstain === 1 ? "" : `, divided by ${four(abstain)},`;
    return `${text}, or ${PERSON} where that${factor} is expected to cost less`;
  }
  if (kind === "cautious")
    return `answer the most probable class if its probability reaches ${four(abstain! / weights[0])}, else ${PERSON}`;
  if (kind === "cautious by class") {
    const limits = weights.map((weight) => abstain! / weight);
    return `answer the class that exceeds its threshold by the largest factor (${each(names, limits)}), or ${PERSON} where none does`;
  }
  const listed = each(names, weights);
  if (columnCosts !== null) {
    const text = `divide the expected cost of each answer by its weight (${listed}) and answer the smallest`;
    return abstain === null ? text : `${text}; a review counts as one more answer, of weight ${four(abstain)}`;
  }
  const text = `multiply each probability by the weight of its class (${listed}) and answer the largest`;
  return abstain === null ? text : `${text}, or ${PERSON} where none reaches ${four(abstain)}`;
}

function each(names: string[], values: number[]): string {
  if (names.length > MOST_LISTED) return `${four(Math.min(...values))} to ${four(Math.max(...values))}`;
  return names.map((name, k) => `${name} ${four(values[k])}`).join(", ");
}

/** What happens to 1000 cases: calls are those of the written rule, mistakes are honest. */
function happens({ classes }: ClassReportData, { called, sent, wrong, rule }: ClassAnswer): string {
  return outcomeWords(classes.map((name, j) => [name, called[j]]), sent, rule.abstainWeight !== null, counted(wrong, "wrong answer"));
}

function costliestSentence({ classes }: ClassReportData, { dearest }: ClassAnswer): string[] {
  if (dearest === null) return [];
  const share = grouped(roundEven(100 * dearest.share), 0);
  return [`Costliest confusion: ${classes[dearest.true]} called ${classes[dearest.answer]}, ${share} % of the cost.`];
}
