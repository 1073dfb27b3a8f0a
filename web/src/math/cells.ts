/** The cell of costs in which one window stays optimal. */
import type { Surface } from "./surface";

export type Point = [mu: number, nu: number];

/** Half-plane a mu + b nu + c <= 0. */
type HalfPlane = [a: number, b: number, c: number];

/** Corners of the cell of window (i, j) inside a rectangle of costs; empty if it lies outside. */
export function cellOf(
  surface: Surface,
  i: number,
  j: number,
  muMax: number,
  nuMax: number,
  [muMin, nuMin]: Point = [0, 0],
): Point[] {
  const r = surface.shares;
  const { positive, negative, alarms } = surface.extra;
  // what a review of a block with share s costs: nu + steep(s) mu + base(s)
  const [steep, base] = [(s: number) => (1 - s) * alarms, (s: number) => s * positive + (1 - s) * negative];
  const beyondMiss = (s: number): HalfPlane => [steep(s), 1, base(s) - s];
  const beyondAlarm = (s: number): HalfPlane => [steep(s) - (1 - s), 1, base(s)];
  const sides: HalfPlane[] = [];
  // the last block called negative, and the first called positive
  if (i > 0) sides.push(opposite(beyondMiss(r[i - 1])));
  if (j < r.length) sides.push(opposite(beyondAlarm(r[j])));
  if (i < j) sides.push(beyondMiss(r[i]), beyondAlarm(r[j - 1]));
  else {
    if (i > 0) sides.push([-(1 - r[i - 1]), 0, r[i - 1]]);
    if (i < r.length) sides.push([1 - r[i], 0, -r[i]]);
  }
  const all: Point[] = [[muMin, nuMin], [muMax, nuMin], [muMax, nuMax], [muMin, nuMax]];
  return sides.reduce(clip, all);
}

const PIECES = 16;

/** A polygon with points between its corners, for axes on which straight sides bend; nothing may be 0. */
export function bent(corners: readonly Point[]): Point[] {
  return corners.flatMap(([x0, y0], at) => {
    const [x1, y1] = corners[(at + 1) % corners.length];
    const alongX = Math.abs(Math.log(x1 / x0)) > Math.abs(Math.log(y1 / y0));
    const [from, to] = alongX ? [x0, x1] : [y0, y1];
    return Array.from({ length: PIECES }, (_, k): Point => {
      // even steps of the side that is longer on such axes
      const share = from === to ? 0 : (from * (to / from) ** (k / PIECES) - from) / (to - from);
      return [x0 + share * (x1 - x0), y0 + share * (y1 - y0)];
    });
  });
}

function opposite([a, b, c]: HalfPlane): HalfPlane {
  return [-a, -b, -c];
}

/** Sutherland and Hodgman (1974) for one half-plane. */
function clip(polygon: Point[], [a, b, c]: HalfPlane): Point[] {
  const side = polygon.map(([x, y]) => a * x + b * y + c);
  return polygon.flatMap((start, at) => {
    const next = (at + 1) % polygon.length;
    const kept: Point[] = side[at] <= 0 ? [start] : [];
    if (side[at] <= 0 !== side[next] <= 0) {
      const share = side[at] / (side[at] - side[next]);
      const end = polygon[next];
      kept.push([start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])]);
    }
    return kept;
  });
}
