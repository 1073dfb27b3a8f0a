/** Values on a grid of costs, to colour the map and to raise the 3-D surface. */
import { blockCuts } from "./masses";
import type { Surface } from "./surface";

export type MapMode = "cost" | "abstention" | "lower" | "upper" | "winner" | "difference";

/** Costs within this of each other, relative to a miss, are a tie. */
export const TIE = 1e-12;

/** A grid of costs: row r at nus[r], column c at mus[c]; value (r, c) stands at r * mus.length + c. */
export interface CostGrid {
  mus: Float64Array;
  nus: Float64Array;
}

/** A grid from 0 to the largest costs. */
export function costGrid(columns: number, rows: number, muMax = 1, nuMax = 1): CostGrid {
  return { mus: axis(columns, muMax), nus: axis(rows, nuMax) };
}

function axis(size: number, max: number): Float64Array {
  return Float64Array.from({ length: size }, (_, at) => (max * at) / (size - 1));
}

/** The map of one model; "difference" is `surfaces[model]` minus `surfaces[other]`. */
export function mapValues(
  mode: MapMode,
  grid: CostGrid,
  surfaces: readonly Surface[],
  model: number,
  other = model,
): Float64Array {
  const surface = surfaces[model];
  switch (mode) {
    case "cost":
      return fill(grid, (mu, nu) => surface.cost(mu, nu));
    case "abstention":
      return fill(grid, (mu, nu) => abstention(surface, mu, nu));
    case "lower":
      return fill(grid, (mu, nu) => surface.lower[blockCuts(surface.shares, mu, nu)[0]]);
    case "upper":
      return fill(grid, (mu, nu) => surface.upper[blockCuts(surface.shares, mu, nu)[1]]);
    case "winner":
      return fill(grid, (mu, nu) => winner(surfaces, mu, nu));
    case "difference":
      return fill(grid, (mu, nu) => surface.cost(mu, nu) - surfaces[other].cost(mu, nu));
  }
}

/** Index of the cheapest model; -1 where several are. */
export function winner(surfaces: readonly Surface[], mu: number, nu: number): number {
  let best = 0;
  let least = Infinity;
  let second = Infinity;
  surfaces.forEach((surface, at) => {
    const cost = surface.cost(mu, nu);
    if (cost < least) {
      second = least;
      [best, least] = [at, cost];
    } else if (cost < second) second = cost;
  });
  return second - least <= TIE ? -1 : best;
}

function abstention(surface: Surface, mu: number, nu: number): number {
  const [i, j] = blockCuts(surface.shares, mu, nu);
  const { positiveBelow, negativeBelow } = surface;
  return positiveBelow[j] + negativeBelow[j] - (positiveBelow[i] + negativeBelow[i]);
}

function fill({ mus, nus }: CostGrid, value: (mu: number, nu: number) => number): Float64Array {
  const values = new Float64Array(mus.length * nus.length);
  for (let r = 0, at = 0; r < nus.length; r++) {
    for (let c = 0; c < mus.length; c++, at++) values[at] = value(mus[c], nus[r]);
  }
  return values;
}
