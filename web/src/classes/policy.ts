/** The policy file of a rule for many classes: version 2 of the schema "demur.policy". */
import { clusterSize } from "../data";
import type { Answers, ClassAnswer } from "./answer";
import { sharesOf, type Prices } from "./estimates";

/** The text of the file, one line per part; null for a rule without a model. */
export function classPolicyFile({ data, shares }: Answers, answer: ClassAnswer, prices: Prices): string | null {
  const { rule } = answer;
  if (rule.model === null) return null;
  const { name, columns, digest } = data.models[rule.model];
  const parts = {
    schema: "demur.policy",
    version: 2,
    model: name,
    classes: data.labels,
    columns,
    abstain_label: data.abstain_label,
    rule: {
      kind: rule.kind,
      family: rule.columnCosts === null ? "weights" : "columns",
      weights: rule.weights,
      abstain_weight: rule.abstainWeight,
      column_costs: rule.columnCosts,
    },
    note: data.condition,
    costs: prices.costs,
    abstain_costs: prices.abstain,
    shares,
    expected: {
      ...answer.promise,
      // the share sent to people is that of the rule as written
      abstention_rate: sharesOf(rule.hindsight, shares).reduce((sent, row) => sent + row[row.length - 1], 0),
      error_rate: answer.wrong,
    },
    evidence: {
      n: data.n,
      class_sizes: data.class_sizes,
      digest,
      software: `demur ${data.software.demur}`,
      ...clusterSize(data.design),
    },
  };
  const lines = Object.entries(parts).map(([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  return `{\n${lines.join(",\n")}\n}\n`;
}
