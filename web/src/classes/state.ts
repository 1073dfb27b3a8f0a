/** What the reader chose, and how the address keeps it. */
import type { ClassReportData } from "./data";
import type { Prices } from "./estimates";

export interface ClassState {
  prices: Prices;
  /** Key of the rule the reader holds on to; null: the cheapest. */
  held: string | null;
}

export function startOf({ costs, abstain_costs }: ClassReportData): ClassState {
  return { prices: { costs, abstain: abstain_costs }, held: null };
}

export function samePrices(a: Prices, b: Prices): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

export function writeState({ prices, held }: ClassState, start: ClassState): string {
  const parts = [];
  if (!samePrices(prices, start.prices)) {
    parts.push(`costs=${prices.costs.flat().join(",")}`);
    parts.push(`review=${prices.abstain === null ? "none" : prices.abstain.join(",")}`);
  }
  if (held !== null) parts.push(`rule=${encodeURIComponent(held)}`);
  return parts.join("&");
}

/** The state of an address; what is wrong in it is left out. */
export function readState(fragment: string, data: ClassReportData): ClassState {
  const start = startOf(data);
  const found = new Map<string, string>();
  for (const part of fragment.replace(/^#/, "").split("&")) {
    const [name, value] = part.split("=");
    if (value !== undefined) found.set(name, value);
  }
  const m = data.classes.length;
  const costs = numbers(found.get("costs"), m * m);
  const review = found.get("review");
  const abstain = review === "none" || data.abstain_costs === null ? null : numbers(review, m);
  const prices: Prices = {
    costs: costs === null ? start.prices.costs : data.classes.map((_, k) => costs.slice(k * m, (k + 1) * m)),
    abstain: review === "none" ? null : (abstain ?? start.prices.abstain),
  };
  const held = found.get("rule");
  return { prices, held: held === undefined ? null : plainText(held) };
}

function numbers(text: string | undefined, length: number): number[] | null {
  const values = text?.split(",").map((part) => (part === "" ? NaN : Number(part))) ?? [];
  return values.length === length && values.every((value) => Number.isFinite(value) && value >= 0) ? values : null;
}

function plainText(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
