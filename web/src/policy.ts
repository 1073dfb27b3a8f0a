/** The policy file of a window: the schema "demur.policy" that Policy.load and `demur apply` read. */
import { clusterSize, type ReportData } from "./data";
import { costAt, ratesOf } from "./comparison/candidates";
import { isMade } from "./comparison/facts";
import { reviewCosts, type Costs } from "./math/units";
import type { Situation } from "./situation";

/** The labels of the file as numbers if they are whole numbers, else as text, and one for abstaining. */
type Labels = { positive: string | number; negative: string | number; abstain: string | number };

/** Why there is no policy file, in a sentence; null if there is one. */
export function whyNoPolicy(at: Situation): string | null {
  if (at.other !== null) return "The rule of the answer is none of thresholds alone: the copied command writes its policy.";
  if (at.answer?.rule.model === null) {
    return "The answer is a rule without a model, which needs no policy. Hint: choose a model to save its rule.";
  }
  if (Number.isNaN(at.window.lower) || Number.isNaN(at.window.upper)) {
    return "No threshold separates an infinite score from the largest finite number beside it.";
  }
  return null;
}

/** What the rule is expected to do in use: as the answer says, or with hindsight where the cases allow nothing else. */
function expected(at: Situation) {
  const { shown, window, prepared } = at;
  if (shown.rule === null) {
    return { cost: at.money(window.cost), abstention_rate: window.abstain, fn: window.fn, fp: window.fp };
  }
  const shares = ratesOf(shown.rule.honest, prepared.prevalence);
  const facts = at.answer?.rule === shown.rule ? at.answer.facts : null;
  return {
    cost: facts?.cost ?? costAt(shown.rule, at.problem),
    // what is watched; the share sent to people is that of the rule as written
    limit: facts !== null && isMade(facts) ? facts.interval[1] : null,
    abstention_rate: facts !== null && isMade(facts) ? facts.abstained : window.abstain,
    fn: shares[3],
    fp: shares[1],
  };
}

/** Whether the rule was chosen for somebody who cannot send a case to a person. */
function neverAbstains({ shown, window }: Situation): boolean {
  return shown.rule === null ? window.i === window.j : shown.rule.kind === "threshold";
}

/** The text of the file: one line per part, in version 1, or 2 where costs differ by case. */
export function policyFile(at: Situation): string {
  const { data: report, model, window, costs, state } = at;
  const own = report.n_positive / (report.n_positive + report.n_negative);
  const { positives, negatives, lower, upper, groups } = model.blocks;
  const amounts = report.amounts === null ? {} : { amounts: amountsOf(at) };
  const parts = {
    schema: "demur.policy",
    version: report.amounts === null ? 1 : 2,
    model: model.name,
    labels: labels(report),
    window: { lower: jsonNumber(window.lower), upper: jsonNumber(window.upper) },
    rule: report.amounts !== null ? "amounts" : at.limits === null && at.problem.ranges === null ? "cheapest" : "constrained",
    note: at.condition,
    // a rule that never abstains stays one at other costs: its file names no price of a review
    costs: report.amounts === null ? costModel(costs, !neverAbstains(at)) : null,
    prevalence: state.prevalence ?? own,
    expected: expected(at),
    ...amounts,
    evidence: {
      n: report.n_positive + report.n_negative,
      prevalence: own,
      digest: model.digest,
      software: `demur ${report.software.demur}`,
      ...clusterSize(report.design),
      blocks: { positives, negatives, lower: lower.map(jsonNumber), upper: upper.map(jsonNumber), groups },
    },
  };
  const lines = Object.entries(parts).map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  return `{\n${lines.join(",\n")}\n}\n`;
}

const REVIEWS = ["cost_abstain", "cost_abstain_positive", "cost_abstain_negative", "reviewer"];

/** Where the costs of the cases came from, with the factors of the page. */
function amountsOf(at: Situation): Record<string, unknown> {
  const { fn, fp, abstain } = at.costs;
  const never = neverAbstains(at);
  const { ranges } = at.problem;
  const factor = (value: number, range: readonly number[] | null = null): readonly number[] => range ?? (Number.isFinite(value) ? [value, value] : [1, 1]);
  return {
    ...at.data.comparison?.costs,
    ...(never ? Object.fromEntries(REVIEWS.map((name) => [name, null])) : {}),
    miss_factor: factor(fn, ranges?.fn),
    alarm_factor: factor(fp, ranges?.fp),
    review_factor: factor(abstain, never ? null : ranges?.abstain),
  };
}

/** All fields of demur.CostModel: a reviewer is the two costs of abstaining. */
function costModel(costs: Costs, mayAbstain: boolean): Record<string, number | null> {
  const byClass = costs.byClass !== undefined || costs.rates !== undefined;
  const [positive, negative] = reviewCosts(costs);
  const priced = mayAbstain && Number.isFinite(positive);
  return {
    cost_fn: costs.fn,
    cost_fp: costs.fp,
    cost_abstain: priced && !byClass ? costs.abstain : null,
    cost_tp: costs.tp ?? 0,
    cost_tn: costs.tn ?? 0,
    cost_abstain_positive: priced && byClass ? positive : null,
    cost_abstain_negative: priced && byClass ? negative : null,
  };
}

/** The same labels as `demur decide` chooses; with the classes -1 and 1, 0 stands for abstaining. */
function labels({ source: { positive, negative } }: ReportData): Labels {
  if ([positive, negative].every(isWhole)) {
    const free = ["-1", "0", "1"].find((word) => word !== positive && word !== negative);
    return { positive: Number(positive), negative: Number(negative), abstain: Number(free) };
  }
  const words = ["abstain", "undecided", "send to a person"];
  return { positive, negative, abstain: words.find((word) => word !== positive && word !== negative) ?? "abstain" };
}

/** Whether a text is a whole number as Python writes it, so that it comes back the same. */
function isWhole(text: string): boolean {
  return /^(0|-?[1-9]\d*)$/.test(text) && Number.isSafeInteger(Number(text));
}

function jsonNumber(value: number): number | string {
  if (value === Infinity) return "inf";
  return value === -Infinity ? "-inf" : value;
}
