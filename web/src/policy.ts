/** The policy file of a window: the schema "demur.policy" that Policy.load and `demur apply` read. */
import type { ModelData, ReportData } from "./data";
import type { Window } from "./math/surface";
import { money, type Costs } from "./math/units";
import { percent } from "./numbers";

/** The labels of the file as numbers if they are whole numbers, else as text, and one for abstaining. */
type Labels = { positive: string | number; negative: string | number; abstain: string | number };

/** Why there is no policy file, in a sentence; null if there is one. */
export function whyNoPolicy(model: ModelData, window: Window): string | null {
  const { lower, upper, groups } = model.blocks;
  if (!lower || !upper || !groups || model.digest === undefined) {
    return "This report does not hold the scores at the ends of the blocks, which a policy needs. Hint: use the command.";
  }
  if (Number.isNaN(window.lower) || Number.isNaN(window.upper)) {
    return "No threshold separates an infinite score from the largest finite number beside it.";
  }
  return null;
}

/** The text of the file: one line per part, as Policy.save writes it. */
export function policyFile(
  report: ReportData,
  model: ModelData,
  window: Window,
  costs: Costs,
  prevalence: number | null,
  maxAbstention: number,
): string {
  const own = report.n_positive / (report.n_positive + report.n_negative);
  const limited = maxAbstention < 1;
  const { positives, negatives, lower, upper, groups } = model.blocks;
  const parts = {
    schema: "demur.policy",
    version: 1,
    model: model.name,
    labels: labels(report),
    window: { lower: jsonNumber(window.lower), upper: jsonNumber(window.upper) },
    rule: limited ? "constrained" : "cheapest",
    note: limited ? `Limits: at most ${percent(maxAbstention)} of the cases abstained on.` : "",
    costs: costModel(costs),
    prevalence: prevalence ?? own,
    expected: {
      cost: money(window.cost, costs),
      abstention_rate: window.abstain,
      fn: window.fn,
      fp: window.fp,
    },
    evidence: {
      n: report.n_positive + report.n_negative,
      prevalence: own,
      digest: model.digest,
      software: `demur ${report.software.demur}`,
      blocks: { positives, negatives, lower: lower?.map(jsonNumber), upper: upper?.map(jsonNumber), groups },
    },
  };
  const lines = Object.entries(parts).map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  return `{\n${lines.join(",\n")}\n}\n`;
}

/** All fields of demur.CostModel. */
function costModel(costs: Costs): Record<string, number | null> {
  return {
    cost_fn: costs.fn,
    cost_fp: costs.fp,
    cost_abstain: Number.isFinite(costs.abstain) ? costs.abstain : null,
    cost_tp: 0,
    cost_tn: 0,
    cost_abstain_positive: null,
    cost_abstain_negative: null,
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
