/** What the words of an answer are made from: costs are per case. The page measures them, Python also knows the rest. */
import type { TrivialRule } from "../math/trivial";

export interface VersusFacts {
  name: string;
  difference: number;
  interval: readonly number[];
}

/** Money per case where every case has its own costs. */
export interface Stakes {
  at_stake: number;
  missed: number;
  alarms: number;
  reviews: number;
}

export type VersusKey = "trivial" | "never_abstaining" | "runner_up";

export interface Facts {
  kind: "window" | "threshold" | TrivialRule;
  model: string | null;
  positive: string;
  negative: string;
  lower: number;
  upper: number;
  calls_positive: boolean;
  calls_negative: boolean;
  called_positive: number;
  called_negative: number;
  /** Share that the rule as written sends to a person. */
  abstained: number;
  /** The same share of the rules of the folds: honest. */
  abstention_rate: number;
  missed: number;
  alarms: number;
  cost: number;
  interval: readonly number[];
  versus: Partial<Record<VersusKey, VersusFacts>>;
  worst_cost: number | null;
  regret: number | null;
  /** Upper end of the regret, where Python says it. */
  regret_bound?: number | null;
  advice_cost: number | null;
  best_trivial: { name: TrivialRule; cost: number } | null;
  guaranteed_cost: number | null;
  guarantee_defined: boolean;
  n: number;
  confidence_level: number;
  stakes?: Stakes | null;
}

/** Answer.facts() of Python: `cost` is what to expect after the choice among all rules, `honest_cost` what the rule measured. */
export interface MadeFacts extends Facts {
  /** How sure it is that the rule of a model is cheaper than the best one without. */
  verdict: "proven" | "likely" | "unproven";
  honest_cost: number;
  /** Null where costs and prevalence are numbers. */
  cost_range: readonly number[] | null;
  n_rules: number;
  /** Whether the cost counts one worst case more, as none was seen. */
  one_added: boolean;
}

export function isMade(facts: Facts): facts is MadeFacts {
  return "verdict" in facts;
}
