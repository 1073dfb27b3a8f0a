/** What the reader chose, and how the address keeps it. */
import { THEMES, type CommonState } from "../kind";
import { LONGEST_UNIT, readYearly } from "../state";
import type { ClassReportData } from "./data";
import type { Prices } from "./estimates";

export interface ClassState extends CommonState {
  prices: Prices;
  /** Key of the rule the reader holds on to; null: the cheapest. */
  held: string | null;
}

export function startOf({ costs, abstain_costs }: ClassReportData): ClassState {
  return { prices: { costs, abstain: abstain_costs }, held: null, theme: "system", unit: "", yearly: null };
}

export function samePrices(a: Prices, b: Prices): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

export function writeState({ prices, held, theme, unit, yearly }: ClassState, start: ClassState): string {
  const query = new URLSearchParams();
  if (!samePrices(prices, start.prices)) {
    query.set("costs", prices.costs.flat().join(","));
    query.set("review", prices.abstain === null ? "none" : prices.abstain.join(","));
  }
  if (held !== null) query.set("rule", held);
  if (theme !== start.theme) query.set("theme", theme);
  if (unit !== "") query.set("unit", unit);
  if (yearly !== null) query.set("yearly", String(yearly));
  return query.toString();
}

/** The state of an address; what is wrong in it is left out. */
export function readState(fragment: string, data: ClassReportData): ClassState {
  const start = startOf(data);
  const found = new URLSearchParams(fragment.replace(/^#/, ""));
  const m = data.classes.length;
  const costs = numbers(found.get("costs"), m * m);
  const review = found.get("review");
  const abstain = review === "none" || data.abstain_costs === null ? null : numbers(review, m);
  const prices: Prices = {
    costs: costs === null ? start.prices.costs : data.classes.map((_, k) => costs.slice(k * m, (k + 1) * m)),
    abstain: review === "none" ? null : (abstain ?? start.prices.abstain),
  };
  return {
    ...{ prices, held: found.get("rule"), yearly: readYearly(found.get("yearly") ?? "") },
    theme: THEMES.find((theme) => theme === found.get("theme")) ?? start.theme,
    unit: (found.get("unit") ?? "").slice(0, LONGEST_UNIT),
  };
}

function numbers(text: string | null, length: number): number[] | null {
  const values = text?.split(",").map((part) => (part === "" ? NaN : Number(part))) ?? [];
  return values.length === length && values.every((value) => Number.isFinite(value) && value >= 0) ? values : null;
}
