/** Values on a grid of costs, to colour the map and to raise the 3-D surface. */
import { modelCandidates } from "../comparison/candidates";
import { honestCost } from "../comparison/estimates";
import type { Totals } from "../data";
import { honestCosts } from "./honestMap";
import { questionAt, type Prepared } from "./models";
import { MoneyModel } from "./moneyModel";
import type { Surface } from "./surface";

export type MapMode = "cost" | "abstention" | "lower" | "upper" | "winner" | "difference";

/** Costs within this of each other, relatively, are a tie. */
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

/** Place of a rule without a model among the winners. */
export const NO_MODEL = -1;

/** The map of one model; "difference" is `model` minus `other`. Costs are honest where the cases allow it. */
export function mapValues(
  mode: MapMode,
  grid: CostGrid,
  report: Totals,
  prepared: Prepared,
  model: number,
  other = model,
): Float64Array {
  const { surface } = prepared.models[model];
  switch (mode) {
    case "cost":
      return modelCosts(grid, report, prepared, model);
    case "abstention":
      return fill(grid, (mu, nu) => abstention(surface, mu, nu));
    case "lower":
      return fill(grid, (mu, nu) => surface.lower[surface.cuts(mu, nu)[0]]);
    case "upper":
      return fill(grid, (mu, nu) => surface.upper[surface.cuts(mu, nu)[1]]);
    case "winner":
      return winners(grid, report, prepared);
    case "difference": {
      const costs = modelCosts(grid, report, prepared, other);
      return modelCosts(grid, report, prepared, model).map((cost, at) => cost - costs[at]);
    }
  }
}

/** Cost of the best rule of one model. */
function modelCosts(grid: CostGrid, report: Totals, prepared: Prepared, model: number): Float64Array {
  const { surface, judged } = prepared.models[model];
  if (judged instanceof MoneyModel) return amountCosts(grid, prepared, model);
  return judged === null
    ? surfaceCosts(surface, grid)
    : honestCosts(judged, surface, report, prepared.prevalence, grid);
}

/** Honest cost of the best rule where every case has its own costs. */
function amountCosts(grid: CostGrid, prepared: Prepared, model: number): Float64Array {
  const { surface, judged } = prepared.models[model];
  return fill(grid, (mu, nu) => {
    const question = questionAt(prepared, mu, nu)!;
    const rules = modelCandidates(judged!, surface, model, mu, nu, null);
    return Math.min(...rules.map((rule) => honestCost(rule, question)));
  });
}

/** Adding up what a rule costs in one table, in steps of a search. */
const BILL = 200;

/** Points on a side of a map of amounts for so many steps of searches; null without amounts. */
export function amountsSide(prepared: Prepared, models: number, work: number, most: number): number | null {
  const { surface, judged } = prepared.models[0];
  if (!(judged instanceof MoneyModel)) return null;
  // a window and a threshold are searched in every table, and what they cost is added up
  const each = 2 * models * judged.tables.length * (surface.size + BILL);
  return Math.min(most, Math.max(8, Math.round(Math.sqrt(work / each))));
}

/** Cost with hindsight: the surface itself. */
export function surfaceCosts(surface: Surface, grid: CostGrid): Float64Array {
  return fill(grid, (mu, nu) => surface.cost(mu, nu));
}

/** Place of the cheapest model at every point; `NO_MODEL` where a rule without a model costs no more. */
function winners(grid: CostGrid, report: Totals, prepared: Prepared): Float64Array {
  const least = fill(grid, (mu, nu) => Math.min(...Object.values(prepared.models[0].surface.trivial(mu, nu))));
  const winner = new Float64Array(least.length).fill(NO_MODEL);
  prepared.models.forEach((_, k) => {
    modelCosts(grid, report, prepared, k).forEach((cost, at) => {
      if (cost >= least[at] * (1 - TIE)) return;
      [least[at], winner[at]] = [cost, k];
    });
  });
  return winner;
}

function abstention(surface: Surface, mu: number, nu: number): number {
  const [i, j] = surface.cuts(mu, nu);
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
