/** From values to pixels and back, and round values in between. */

export interface Scale {
  (value: number): number;
  invert(pixel: number): number;
  readonly domain: readonly [from: number, to: number];
}

export function scaleOf(domain: readonly [from: number, to: number], range: readonly [from: number, to: number], log = false): Scale {
  const bend = log ? Math.log : (value: number): number => value;
  const unbend = log ? Math.exp : (value: number): number => value;
  const [low, high] = domain.map(bend);
  const span = high - low || 1;
  const scale = (value: number): number => range[0] + ((bend(value) - low) / span) * (range[1] - range[0]);
  const invert = (pixel: number): number => unbend(low + ((pixel - range[0]) / (range[1] - range[0] || 1)) * span);
  return Object.assign(scale, { invert, domain });
}

/** About `count` multiples of 1, 2 or 5 times a power of ten between two values. */
export function ticks(from: number, to: number, count: number): number[] {
  const rough = (to - from) / Math.max(1, count);
  if (!(rough > 0) || !Number.isFinite(rough)) return [from];
  const power = Math.floor(Math.log10(rough));
  const error = rough / 10 ** power;
  const factor = error >= Math.sqrt(50) ? 10 : error >= Math.sqrt(10) ? 5 : error >= Math.SQRT2 ? 2 : 1;
  // whole numbers of a step below 1 are divided by its inverse: both are exact
  const at = (k: number): number => (power < 0 ? (k * factor) / 10 ** -power : k * factor * 10 ** power);
  const step = at(1);
  const first = Math.ceil(from / step - 1e-9);
  return Array.from({ length: Math.max(0, Math.floor(to / step + 1e-9) - first + 1) }, (_, k) => at(first + k));
}
