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

/** How sure it is that the rule of a model is cheaper than the best rule without one. */
export type Verdict = "proven" | "likely" | "unproven";

/** Answer.facts() of Python; where the page cannot correct a cost for the choice among all rules it is what the rule measured. */
export interface Facts {
  kind: "window" | "threshold" | TrivialRule;
  model: string | null;
  positive: string;
  negative: string;
  lower: number;
  upper: number;
  calls_positive: boolean;
  calls_negative: boolean;
  /** Shares of all cases by what the rule as written does with them. */
  called_positive: number;
  called_negative: number;
  abstained: number;
  /** The same share of the rules of the folds: honest. */
  abstention_rate: number;
  missed: number;
  alarms: number;
  /** Null where the cost is measured. */
  verdict: Verdict | null;
  cost: number;
  honest_cost: number;
  interval: readonly number[];
  /** Null where costs and prevalence are numbers. */
  cost_range: readonly number[] | null;
  /** Whether the cost counts one worst case more, as none was seen. */
  one_added: boolean;
  versus: Partial<Record<VersusKey, VersusFacts>>;
  worst_cost: number | null;
  regret: number | null;
  regret_bound: number | null;
  advice_cost: number | null;
  best_trivial: { name: TrivialRule; cost: number } | null;
  guaranteed_cost: number | null;
  guarantee_defined: boolean;
  n: number;
  n_rules: number;
  confidence_level: number;
  stakes?: Stakes | null;
  /** How a rule says itself that is none of thresholds alone. */
  method?: string;
}

export function isMade(facts: Facts): facts is Facts & { verdict: Verdict } {
  return facts.verdict !== null;
}
