/** What is odd about these data or costs, a sentence each. */
import { shortName } from "./comparison/words";
import type { ReportData } from "./data";
import { normalForm, rewardsAbstaining, surchargeOf, mayPay, type Costs } from "./math/units";
import { asksForKnown, unknownLimits } from "./state";

export function remarks(report: ReportData, costs: Costs): string[] {
  const { mu, nu } = normalForm(costs);
  const said = [];
  for (const { name, auc } of report.models) {
    if (auc === null || auc.value >= 0.5) continue;
    said.push(`${shortName(name)} ranks worse than chance (AUC ${auc.value.toFixed(3)}); flip its scores?`);
  }
  if (report.models.length === 1) said.push("Only one model: nothing to compare.");
  if (report.amounts === null && Number.isFinite(nu) && !mayPay(mu, nu, surchargeOf(costs))) said.push("Abstaining is never worth it at these prices.");
  if (rewardsAbstaining(costs))
    said.push("A review that costs less than a right answer is taken to cost as much: abstaining earns nothing.");
  const unkept = unknownLimits(report);
  if (unkept.length) {
    said.push(limitsLeftOut(unkept));
  } else if (!asksForKnown(report)) {
    said.push("This report was asked for with ranges of costs, and its answer is for them. At other costs the page shows single ones.");
  }
  return said;
}

/** Name limits that a page does not know: away from the answer of the report it shows rules that need not keep them. */
export function limitsLeftOut(limits: readonly [name: string, value: unknown][]): string {
  const named = limits.map(([name, value]) => `${name} (${String(value)})`).join(", ");
  const one = limits.length === 1;
  return `This page cannot keep the ${one ? "limit" : "limits"} ${named}: at other costs its rules are chosen without ${one ? "it" : "them"}.`;
}
