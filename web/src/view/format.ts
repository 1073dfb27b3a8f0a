/** Numbers for the eye, beyond what the sentences share with the Python side. */
import type { Window } from "../math/surface";
import { general, grouped, thresholdText } from "../numbers";

/** A threshold; infinite ones by their sign. */
export function threshold(value: number): string {
  if (value === Infinity) return "∞";
  if (value === -Infinity) return "−∞";
  return Number.isNaN(value) ? "none" : thresholdText(value);
}

/** A window as two thresholds, as one where it is empty, or in words where it asks for none. */
export function windowText({ i, j, lower, upper }: Window): string {
  if (i === j && upper === -Infinity) return "all positive";
  if (i === j && upper === Infinity) return "all negative";
  if (i === j) return `threshold ${threshold(upper)}`;
  return lower === -Infinity && upper === Infinity
    ? "all abstained"
    : `${threshold(lower)} to ${threshold(upper)}`;
}

/** A count of cases; weights may be fractions. */
export function count(value: number): string {
  const nearest = Math.round(value);
  return Math.abs(value - nearest) < 1e-6 ? grouped(nearest, 0) : grouped(value, 1);
}

/** An amount to three digits, without an exponent unless it is out of all proportion. */
export function amount(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e15 || (size < 1e-3 && size > 0)) return general(value, 3);
  return grouped(
    Number(value.toPrecision(3)),
    size >= 100 || size === 0 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3,
  );
}

/** A p value, never 0. */
export function pValue(value: number): string {
  return value < 0.0001 ? "p < 0.0001" : `p = ${value.toPrecision(2)}`;
}

/** A value with its interval, all to the digits that its width supports. */
export function withInterval(value: number, low: number | null, high: number | null): string {
  const digits =
    low === null || high === null || !(high > low)
      ? 3
      : Math.min(6, Math.max(0, 1 - Math.floor(Math.log10(high - low))));
  return low === null || high === null
    ? value.toFixed(digits)
    : `${signed(value, digits)} (${signed(low, digits)} to ${signed(high, digits)})`;
}

function signed(value: number, digits: number): string {
  return value.toFixed(digits).replace("-", "−");
}

/** A number as a person would type it into a field. */
export function typed(value: number): string {
  if (!Number.isFinite(value)) return "";
  const exact = String(value);
  return exact.length <= 9 || Number.isInteger(value) ? exact : String(Number(value.toPrecision(6)));
}
