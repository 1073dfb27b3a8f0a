/** Numbers as people read them: few digits, the same in Python and on the page (demur.comparison.numbers). */
import { grouped } from "../numbers";

const CASES = 1000;

/** A power of ten, correctly rounded. */
function tenTo(power: number): number {
  return Number(`1e${power}`);
}

/** Unit of the last digit worth showing: two digits of the width of the interval, per 1000 cases. */
export function moneyStep(low: number, high: number, value: number): number {
  // a width that is only rounding says nothing
  const width = high - low > 1e-12 * Math.abs(value) ? high - low : Math.abs(value);
  return width > 0 ? tenTo(Math.floor(Math.log10(CASES * width)) - 1) : 1;
}

/** A cost per case as one per 1000 cases, rounded to whole steps. */
export function money(cost: number, step: number): string {
  const steps = Math.floor(Math.abs(CASES * cost) / step + 0.5);
  const digits = Math.max(0, -Math.round(Math.log10(step)));
  return `${cost < 0 && steps > 0 ? "-" : ""}${grouped(steps * step, digits)}`;
}

/** A range of costs in words. */
export function moneyRange([low, high]: readonly number[], step: number): string {
  return `${money(low, step)} to ${money(high, step)}`;
}

/** A range in brackets, perhaps with its level before it; nothing where there is none. */
export function bracketed(ends: readonly number[], step: number, level = ""): string {
  return Number.isNaN(ends[0]) ? "" : ` (${level}${moneyRange(ends, step)})`;
}

/** Shares that sum to 1 as whole cases of 1000 that sum to 1000: largest remainders. */
export function sharesOf1000(shares: readonly number[]): number[] {
  return wholeShares(shares, CASES);
}

/** The same of 100 cases. */
export function sharesOf100(shares: readonly number[]): number[] {
  return wholeShares(shares, 100);
}

function wholeShares(shares: readonly number[], cases: number): number[] {
  const exact = shares.map((share) => cases * share);
  const whole = exact.map((value) => Math.floor(value + 1e-9));
  const missing = cases - whole.reduce((sum, value) => sum + value, 0);
  // equal remainders may differ by the rounding errors of the shares: then the first is rounded up
  const rest = exact.map((value, k) => Math.floor((whole[k] - value) * 1e9 + 0.5));
  const order = exact.map((_, k) => k).sort((a, b) => rest[a] - rest[b] || a - b);
  for (const place of order.slice(0, Math.max(missing, 0))) whole[place]++;
  return whole;
}
