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
  const order = exact.map((_, k) => k).sort((a, b) => whole[a] - exact[a] - (whole[b] - exact[b]) || a - b);
  for (const place of order.slice(0, Math.max(missing, 0))) whole[place]++;
  return whole;
}

/** The shortest decimal near a threshold that separates the scores beside it alike. */
export function shortThreshold([value, low, high]: readonly number[], lowIncluded: boolean): string {
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  for (let digits = 1; digits < 18; digits++) {
    const text = rounded(value, digits);
    const number = Number(text);
    const above = lowIncluded ? number >= low : number > low;
    const below = lowIncluded ? number < high : number <= high;
    if (above && below) return text;
  }
  return exactly(value);
}

/** All digits a double needs, as Python writes them. */
function exactly(value: number): string {
  const [mantissa, power] = Math.abs(value).toExponential().split("e");
  const exponent = Number(power);
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  if (exponent < -4 || exponent >= 16) {
    return `${sign}${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }
  const text = plain(mantissa.replace(".", ""), exponent);
  return sign + (text.includes(".") ? text : `${text}.0`);
}

/** Round to significant digits, half away from zero, and write without needless zeros. */
function rounded(value: number, digits: number): string {
  if (value === 0) return "0";
  const [mantissa, power] = Math.abs(value).toExponential(digits - 1).split("e");
  const exponent = Number(power);
  const sign = value < 0 ? "-" : "";
  const figures = mantissa.replace(".", "").replace(/0+$/, "") || "0";
  if (exponent >= -4 && exponent < 6) return sign + plain(figures, exponent);
  const rest = figures.length > 1 ? `.${figures.slice(1)}` : "";
  return `${sign}${figures[0]}${rest}e${exponent}`;
}

function plain(figures: string, exponent: number): string {
  if (exponent < 0) return `0.${"0".repeat(-exponent - 1)}${figures}`;
  const whole = figures.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  const rest = figures.slice(exponent + 1);
  return rest === "" ? whole : `${whole}.${rest}`;
}
