/** Values on a grid of costs, to colour the map and to raise the 3-D surface. */
import { costAt, modelCandidates } from "../comparison/candidates";
import { honestCosts } from "./honestMap";
import type { Prepared } from "./models";
import { MoneySurface } from "./moneySurface";
import type { Surface } from "./surface";
import { TRIVIAL_RULES, type TrivialRule } from "./trivial";
import type { RuleLimits } from "./windowSearch";

export type MapMode = "cost" | "abstention" | "winner" | "difference";

/** Costs within this of each other, relatively, are a tie. */
const TIE = 1e-12;

/** A grid of costs: row r at nus[r], column c at mus[c]; value (r, c) stands at r * mus.length + c. */
export interface CostGrid {
  mus: Float64Array;
  nus: Float64Array;
}

/** Limits that rules must keep, and the rules without a model that keep them. */
export interface Limited {
  limits: RuleLimits;
  trivial: readonly TrivialRule[];
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

/**
 * The map of one model; "difference" is `model` minus `other`. Costs are honest where the cases allow it. Under limits
 * they are with hindsight, as searching every table of every split takes too long for a map; NaN where no rule keeps them.
 */
export function mapValues(mode: MapMode, grid: CostGrid, prepared: Prepared, model: number, other = model, limited: Limited | null = null): Float64Array {
  const { models } = prepared;
  const costs = (k: number): Float64Array => (limited === null ? modelCosts(grid, prepared, k) : limitedCosts(grid, models[k].fine, limited.limits));
  switch (mode) {
    case "cost":
      return costs(model);
    case "abstention": {
      const { surface, fine } = models[model];
      return fill(grid, (mu, nu) => {
        const cuts = limited === null ? surface.cuts(mu, nu) : fine.limitedCuts(mu, nu, limited.limits);
        return cuts === null ? NaN : abstention(limited === null ? surface : fine, cuts);
      });
    }
    case "winner": {
      const { surface, fine } = models[0];
      const least = fill(grid, (mu, nu) => {
        const simple = (limited === null ? surface : fine).trivial(mu, nu);
        return Math.min(...(limited?.trivial ?? TRIVIAL_RULES).map((rule) => simple[rule]));
      });
      return cheapestOf(least, models.map((_, k) => () => costs(k)));
    }
    case "difference": {
      const others = costs(other);
      return costs(model).map((cost, at) => cost - others[at]);
    }
  }
}

function limitedCosts(grid: CostGrid, surface: Surface, limits: RuleLimits): Float64Array {
  return fill(grid, (mu, nu) => {
    const cuts = surface.limitedCuts(mu, nu, limits);
    return cuts === null ? NaN : surface.costOf(...cuts, mu, nu);
  });
}

/** Cost of the best rule of one model. */
function modelCosts(grid: CostGrid, prepared: Prepared, model: number): Float64Array {
  const { surface, judged } = prepared.models[model];
  if (surface instanceof MoneySurface) return amountCosts(grid, prepared, model);
  return judged === null
    ? surfaceCosts(surface, grid)
    : honestCosts(judged, surface, prepared.prevalence, grid);
}

/** Honest cost of the best rule where every case has its own costs. */
function amountCosts(grid: CostGrid, prepared: Prepared, model: number): Float64Array {
  const { surface, judged } = prepared.models[model];
  return fill(grid, (mu, nu) => {
    const problem = { costs: { fn: 1, fp: mu, abstain: nu }, prevalence: prepared.prevalence, ranges: null, objective: "expected", limits: null, byCase: true } as const;
    const rules = modelCandidates(judged!, () => surface, model, problem);
    return Math.min(...rules.map((rule) => costAt(rule, problem)));
  });
}

/** Adding up what a rule costs in one table, in steps of a search. */
const BILL = 200;

/** Points on a side of a map of amounts for so many steps of searches; null without amounts. */
export function amountsSide(prepared: Prepared, models: number, work: number, most: number): number | null {
  const { surface, judged } = prepared.models[0];
  if (!(surface instanceof MoneySurface)) return null;
  // a window and a threshold are searched in every table, and what they cost is added up
  const each = 2 * models * judged!.tables.length * (surface.size + BILL);
  return Math.min(most, Math.max(8, Math.round(Math.sqrt(work / each))));
}

/** Cost with hindsight: the surface itself. */
export function surfaceCosts(surface: Surface, grid: CostGrid): Float64Array {
  return fill(grid, (mu, nu) => surface.cost(mu, nu));
}

/** Place of the first model that is cheaper than all before it and than `least`, point by point; else `NO_MODEL`. */
function cheapestOf(least: Float64Array, models: readonly (() => Float64Array)[]): Float64Array {
  const winner = new Float64Array(least.length).fill(NO_MODEL);
  models.forEach((costs, k) => {
    costs().forEach((cost, at) => {
      if (!(cost < least[at] * (1 - TIE))) return;
      [least[at], winner[at]] = [cost, k];
    });
  });
  return winner;
}

/** Share of evenly spread costs at which each model is cheaper than every other one, with hindsight. */
export function cheapestShares({ models }: Prepared, side = 60): number[] {
  const shares = new Array<number>(models.length).fill(0);
  if (models.length === 1) return [1];
  const middles = Float64Array.from({ length: side }, (_, k) => (k + 0.5) / side);
  const grid = { mus: middles, nus: middles };
  const costs = models.map(({ surface }) => surfaceCosts(surface, grid));
  costs[0].forEach((_, at) => {
    const here = costs.map((column) => column[at]);
    const least = Math.min(...here);
    const ties = here.filter((cost) => cost <= least * (1 + TIE)).length;
    if (ties === 1) shares[here.indexOf(least)] += 1 / costs[0].length;
  });
  return shares;
}

function abstention({ positiveBelow, negativeBelow }: Surface, [i, j]: readonly [number, number]): number {
  return positiveBelow[j] + negativeBelow[j] - (positiveBelow[i] + negativeBelow[i]);
}

function fill({ mus, nus }: CostGrid, value: (mu: number, nu: number) => number): Float64Array {
  const values = new Float64Array(mus.length * nus.length);
  for (let r = 0, at = 0; r < nus.length; r++) {
    for (let c = 0; c < mus.length; c++, at++) values[at] = value(mus[c], nus[r]);
  }
  return values;
}
