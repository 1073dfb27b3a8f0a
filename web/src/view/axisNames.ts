/** The two prices, as every picture of them names its axes; with amounts, factors on them. */
import type { ReportData } from "../data";

interface AxisNames {
  alarm: string;
  review: string;
}

export function axisNames({ amounts }: ReportData): AxisNames {
  return amounts === null
    ? { alarm: "price of a false alarm (a miss = 1)", review: "price of a review (a miss = 1)" }
    : { alarm: "factor on false alarms (misses = 1)", review: "factor on reviews (misses = 1)" };
}
