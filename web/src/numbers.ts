/** Numbers as text, the same digits as the Python side, never more than an interval supports. */

/** Round to the nearest whole number, halves to the even one, as Python does. */
export function roundEven(value: number): number {
  const low = Math.floor(value);
  const part = value - low;
  if (part !== 0.5) return Math.round(value);
  return low % 2 === 0 ? low : low + 1;
}

/** At most `digits` significant digits, with an exponent only far from 1 (format "g"). */
export function general(value: number, digits = 6): string {
  if (!Number.isFinite(value)) return value > 0 ? "inf" : value < 0 ? "-inf" : "nan";
  if (value === 0) return "0";
  const [mantissa, power] = value.toExponential(digits - 1).split("e");
  const exponent = Number(power);
  if (exponent < -4 || exponent >= digits) {
    const sign = exponent < 0 ? "-" : "+";
    return `${trimmed(mantissa)}e${sign}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }
  return trimmed(value.toFixed(Math.max(digits - 1 - exponent, 0)));
}

function trimmed(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** Fixed digits behind the point, thousands separated by commas. */
export function grouped(value: number, digits: number): string {
  // from 1e21 on toFixed writes an exponent
  const text = Math.abs(value) < 1e21 ? value.toFixed(digits) : String(BigInt(value));
  const [whole, part] = text.split(".");
  const spaced = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return part === undefined ? spaced : `${spaced}.${part}`;
}

/** A share as a percentage; never 0 % or 100 % for what is not quite that. */
export function percent(share: number): string {
  if (Math.min(share, 1 - share) < 1e-12) return `${Math.round(share) * 100} %`;
  if (share < 0.0005) return "<0.1 %";
  return share > 0.9995 ? ">99.9 %" : `${(100 * share).toFixed(1)} %`;
}

/** A threshold with all its digits, as Python writes it: the shortest text that reads back as the same number. */
export function thresholdText(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? "inf" : value < 0 ? "-inf" : "nan";
  const [mantissa, power] = Math.abs(value).toExponential().split("e");
  const exponent = Number(power);
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  if (exponent < -4 || exponent >= 16) {
    return `${sign}${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }
  return sign + plain(mantissa.replace(".", ""), exponent);
}

function plain(figures: string, exponent: number): string {
  if (exponent < 0) return `0.${"0".repeat(-exponent - 1)}${figures}`;
  const whole = figures.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  const rest = figures.slice(exponent + 1);
  return rest === "" ? whole : `${whole}.${rest}`;
}
