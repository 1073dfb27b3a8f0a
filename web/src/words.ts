/** The decision in words, and sentences for odd states; the same wording as Report.headline in Python. */
import type { ReportData } from "./data";
import { certifiedCost } from "./math/certificate";
import { TIE } from "./math/costMap";
import { mayPay } from "./math/lemma1";
import { cheapestModel, type Prepared, type PreparedModel } from "./math/models";
import type { Window } from "./math/surface";
import type { TrivialRule } from "./math/trivial";
import { money, normalForm, type Costs } from "./math/units";
import { general, perThousand, roundEven, stepOf } from "./numbers";

const LONGEST_NAME = 40;
const WITHOUT_MODEL: Record<TrivialRule, string> = {
  "always abstain": "send every case to a person",
  "always positive": "call every case positive",
  "always negative": "call every case negative",
};
const TOO_FEW =
  "Judged on cases that did not choose it, the window costs more than the rule without a model: collect more cases before you rely on it.";

/** Expected cost per case in the reader's unit; honest where the data allow it. */
interface Expected {
  cost: number;
  interval: [low: number, high: number] | null;
}

/** Cut a name that would fill the sentence. */
export function shortName(name: string): string {
  const letters = [...name];
  return letters.length <= LONGEST_NAME ? name : `${letters.slice(0, LONGEST_NAME - 3).join("")}...`;
}

/** Say what to do at these costs, what it costs, and what the other ways cost. */
export function headline(report: ReportData, prepared: Prepared, costs: Costs, costsGiven: boolean): string {
  if (!report.n_positive || !report.n_negative) {
    const only = report.n_positive ? "positive" : "negative";
    return `All cases are ${only}: there is nothing to decide, and nothing to learn about thresholds.`;
  }
  const { mu, nu } = normalForm(costs);
  const best = prepared.models[cheapestModel(prepared.models, mu, nu)];
  const window = best.surface.window(mu, nu);
  const trivial = prepared.trivial.at(mu, nu);
  const start = opening(costs, costsGiven);
  const rule = money(trivial.cost, costs);
  if (trivial.cost <= window.cost + TIE) {
    const advice = `${start}, ${WITHOUT_MODEL[trivial.best]}: no model is cheaper.`;
    return `${advice} Expected cost ${perThousand(rule, stepOf(rule))} per 1000 cases.`;
  }
  const expected = expectedCost(best, costs);
  const step = stepOf(expected.interval ? expected.interval[1] - expected.interval[0] : expected.cost);
  const price = costSentence(report, best, window, costs, expected, step);
  const parts = [`${start}, use ${shortName(best.data.name)}${advice(window, costs)}`, price];
  if (window.i < window.j) parts.push(neverAbstaining(prepared.models, best, costs, step));
  parts.push(`Best rule without a model (${WITHOUT_MODEL[trivial.best]}): ${perThousand(rule, step)}.`);
  if (best.honest && best.honest.at(mu, nu).cost > trivial.cost + TIE) parts.push(TOO_FEW);
  return parts.join(" ");
}

function opening(costs: Costs, given: boolean): string {
  if (given) return "With these costs";
  const review = Number.isFinite(costs.abstain) ? ` and a review ${general(costs.abstain)}` : "";
  return `If a miss costs ${general(costs.fn)}, a false alarm ${general(costs.fp)}${review}`;
}

function advice(window: Window, costs: Costs): string {
  if (window.i < window.j) {
    const [act, send] = outOf100(window.abstain);
    return `: act on ${act} of 100 cases, send ${send} to a person.`;
  }
  return Number.isFinite(costs.abstain) ? " for all cases: abstaining is never worth it." : " for all cases.";
}

/** How many of 100 cases to act on and to send to a person; never 0 for a few. */
export function outOf100(abstention: number): [act: string, send: string] {
  const send = roundEven(100 * abstention);
  if (send === 0) return ["more than 99", "fewer than 1"];
  if (send === 100) return ["fewer than 1", "more than 99"];
  return [String(100 - send), String(send)];
}

function expectedCost(model: PreparedModel, costs: Costs): Expected {
  const { mu, nu } = normalForm(costs);
  if (!model.honest) return { cost: money(model.surface.cost(mu, nu), costs), interval: null };
  const { cost, low, high } = model.honest.at(mu, nu);
  return { cost: money(cost, costs), interval: [money(low, costs), money(high, costs)] };
}

function costSentence(
  report: ReportData,
  best: PreparedModel,
  window: Window,
  costs: Costs,
  expected: Expected,
  step: number,
): string {
  const { mu, nu } = normalForm(costs);
  const sure = [];
  if (expected.interval) {
    const [low, high] = expected.interval.map((end) => perThousand(end, step));
    sure.push(`${general(100 * report.confidence_level)} % ${low}-${high}`);
  } else sure.push("judged on the cases that chose the thresholds, so too low on average");
  if (best.margins) {
    const bound = money(certifiedCost(window, mu, nu, best.margins), costs);
    sure.push(`certified <= ${perThousand(bound, step)}`);
  }
  return `Expected cost ${perThousand(expected.cost, step)} per 1000 cases (${sure.join("; ")}).`;
}

function neverAbstaining(models: readonly PreparedModel[], best: PreparedModel, costs: Costs, step: number): string {
  const never = { ...costs, abstain: Infinity };
  const { mu } = normalForm(costs);
  const other = models[cheapestModel(models, mu, Infinity)];
  const who = other === best ? "" : ` (with ${shortName(other.data.name)})`;
  return `Never abstaining: ${perThousand(expectedCost(other, never).cost, step)}${who}.`;
}

/** What is odd about these data or costs, a sentence each. */
export function remarks(report: ReportData, costs: Costs): string[] {
  const { mu, nu } = normalForm(costs);
  const found = [];
  for (const { name, auc } of report.models) {
    if (auc === null || auc.value >= 0.5) continue;
    found.push(`${shortName(name)} ranks worse than chance (AUC ${auc.value.toFixed(3)}); flip its scores?`);
  }
  if (report.models.length === 1) found.push("Only one model: nothing to compare.");
  if (Number.isFinite(nu) && !mayPay(mu, nu)) found.push("Abstaining is never worth it at these prices.");
  return found;
}
