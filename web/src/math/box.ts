/** Costs known as a range: a box of relative costs, its corners and its middle. */
import { unitOf, type CostPoint, type Costs } from "./units";

/** Ranges of the relative costs. */
export interface Box {
  mu: readonly [low: number, high: number];
  nu: readonly [low: number, high: number];
}

/** The distinct corners, at most four; the upper one last. */
export function cornersOf({ mu, nu }: Box): CostPoint[] {
  const ends = ([low, high]: readonly [number, number]): number[] => (low === high ? [low] : [low, high]);
  return ends(mu).flatMap((alarm) => ends(nu).map((review) => ({ mu: alarm, nu: review })));
}

/** The same without reviews, which never happen then. */
export function neverCorners({ mu }: Box): CostPoint[] {
  return cornersOf({ mu, nu: [Infinity, Infinity] });
}

/** Where rules are priced: the mean if the costs are uniform over the box. */
export function middleOf({ mu, nu }: Box): CostPoint {
  return { mu: mu[0] + (mu[1] - mu[0]) / 2, nu: nu[0] + (nu[1] - nu[0]) / 2 };
}

/** The same box around another point, in money as wide as before; never below 0. */
export function boxAround({ mu, nu }: Box, point: CostPoint, before: Costs, now: Costs): Box | null {
  if (!Number.isFinite(point.nu)) return null;
  const scale = unitOf(before) / unitOf(now);
  const around = ([low, high]: readonly [number, number], centre: number): [number, number] => {
    const half = Math.min((scale * (high - low)) / 2, centre);
    return [centre - half, centre + half];
  };
  return { mu: around(mu, point.mu), nu: around(nu, point.nu) };
}

export function sameBox(one: Box | null, two: Box | null): boolean {
  if (one === null || two === null) return one === two;
  const near = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-12 * Math.max(1, Math.abs(a));
  return [0, 1].every((end) => near(one.mu[end], two.mu[end]) && near(one.nu[end], two.nu[end]));
}
