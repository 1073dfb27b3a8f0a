/** Numbers as people read them: few digits, the same in Python and on the page (demur.comparison.numbers). */
import { grouped } from "../numbers";

const CASES = 1000;

/** A power of ten, correctly rounded. */
function tenTo(power: number): number {
  return Number(`1e${power}`);
}

/** Unit of the last digit worth showing: two digits of the width of the interval; of an exact cost up to four of its own. */
export function moneyStep(low: number, high: number, value: number): number {
  // a width that is only rounding says nothing
  if (high - low > 1e-12 * Math.abs(value)) return unit(high - low, 2);
  const units = [2, 3, 4].map((digits) => unit(value, digits));
  const isExact = (one: number) => {
    const steps = (CASES * Math.abs(value)) / one;
    return Math.abs(steps - Math.round(steps)) < 1e-6;
  };
  return units.find(isExact) ?? units[2];
}

/** Unit of the last of some digits of a cost per 1000 cases; 1 for 0. */
function unit(value: number, digits: number): number {
  const size = CASES * Math.abs(value);
  return size > 0 ? tenTo(Math.floor(Math.log10(size)) + 1 - digits) : 1;
}

/** Unit that shows two digits of every part of a cost, in whole numbers if the cost is. */
export function finerStep(parts: readonly number[], step: number): number {
  const own = Math.min(...parts.map((part) => (part === 0 ? step : unit(part, 2))));
  return Math.min(step, Math.max(own, step < 1 ? step / 1000 : 1));
}

/** Parts of a cost, and then their sum: rounded so that they add up. */
export function moneyParts(parts: readonly number[], wanted: number): string[] {
  const step = finerStep(parts, wanted);
  const exact = parts.map((part) => (CASES * part) / step);
  const units = wholeNumbers(exact, Math.floor(exact.reduce((sum, value) => sum + value, 0) + 0.5));
  return [...units, units.reduce((sum, value) => sum + value, 0)].map((number) => money((number * step) / CASES, step));
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
  return wholeNumbers(shares.map((share) => CASES * share), CASES);
}

/** Round numbers to whole ones of this sum; those with the largest remainders are rounded up. */
function wholeNumbers(exact: readonly number[], total: number): number[] {
  const whole = exact.map((value) => Math.floor(value + 1e-9));
  const missing = total - whole.reduce((sum, value) => sum + value, 0);
  // equal remainders may differ by the rounding errors of the shares: then the first is rounded up
  const rest = exact.map((value, k) => Math.floor((whole[k] - value) * 1e9 + 0.5));
  const order = exact.map((_, k) => k).sort((a, b) => rest[a] - rest[b] || a - b);
  for (const place of order.slice(0, Math.max(missing, 0))) whole[place]++;
  return whole;
}
