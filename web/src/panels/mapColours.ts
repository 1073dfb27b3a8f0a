/** Colours of the map: coarse at once, fine when there is time. */
import type { Domain } from "../domain";
import { DECISION } from "../comparison/candidates";
import { amountsSide, mapValues, NO_MODEL, type CostGrid } from "../math/costMap";
import { TRIVIAL_RULES } from "../math/trivial";
import { constantKeeps } from "../math/windowSearch";
import { onPaper } from "../view/paper";
import { inFields, priceText, roundPrices } from "../view/prices";
import { percent } from "../numbers";
import type { Situation } from "../situation";
import { DIVERGING, modelColour, parseHex, SEQUENTIAL, WITHOUT_MODEL } from "../view/palette";
import { byIndex, byTable, paint } from "../view/paint";
import { moneyBetween } from "../math/units";
import { shown, type Cell, type Sheet } from "../view/saving";
import { whenIdle } from "../view/dom";

const COARSE = 64;
const COARSEST = 24;
const FINEST = 245;
/** Tables of cases that a map may look at: at once, and when there is time. */
const WORK = 600_000;
const FINE_WORK = 2_500_000;
/** A step of a search under limits, in looks at a table; and the coarsest map under them. */
const LIMIT_WORK = 0.1;
const MIN_LIMITED = 16;
/** Steps of a search of amounts, which are quicker than a look at a table. */
const AMOUNTS_WORK = 20;

export interface MapColours {
  /** Whether the map must be painted again. */
  stale(at: Situation, domain: Domain, width: number, height: number): boolean;
  paint(context: CanvasRenderingContext2D, at: Situation, domain: Domain): void;
  /** Values at the two ends of the colours. */
  readonly range: readonly [number, number];
  /** Share of the map on which each model is the winner, then that of the rules without a model. */
  readonly shares: readonly number[];
  sheet(at: Situation, domain: Domain): Sheet;
}

/** `refined` is called when the fine map replaces the coarse one, and with it what the legend says. */
export function mapColours(canvas: HTMLCanvasElement, refined: () => void): MapColours {
  let key = "";
  let range: [number, number] = [0, 1];
  let shares: number[] = [];

  function fill(context: CanvasRenderingContext2D, at: Situation, domain: Domain, side: number): void {
    const mode = at.state.colour;
    const grid = { mus: domain.mu.steps(side), nus: domain.nu.steps(side) };
    const values = valuesOf(at, grid);
    // on logarithmic axes costs differ by orders of magnitude: so do the steps of their colours
    const logarithmic = mode === "cost" && values.some((value) => value > 0);
    range = rangeOf(at, values, logarithmic);
    if (mode === "winner") shares = sharesOf(values, at.data.models.length);
    const raster = { values, columns: side, rows: side };
    const { models } = at.data;
    const colour =
      mode === "winner"
        ? byIndex(models.map((_, k) => parseHex(modelColour(k, at.theme))), parseHex(WITHOUT_MODEL), parseHex(at.theme === "dark" ? "#131519" : "#ffffff"))
        : logarithmic
          ? byTable(SEQUENTIAL, Math.log(range[0]), Math.log(range[1]), (value) => Math.log(Math.max(range[0], value)))
          : byTable(mode === "difference" ? DIVERGING : SEQUENTIAL, ...range);
    paint(context, raster, colour, mode === "cost" || mode === "difference");
  }

  return {
    stale(at, domain, width, height) {
      const { state, prepared, theme, k } = at;
      const parts = [
        prepared.prevalence,
        ...Object.values(prepared.extra),
        state.colour,
        state.compare,
        k,
        theme,
        ...[domain.mu.from, domain.mu.to, domain.nu.from, domain.nu.to],
        JSON.stringify(at.limits),
        onPaper(),
        width,
        height,
      ];
      const next = parts.join("|");
      const changed = next !== key;
      key = next;
      return changed;
    },
    paint(context, at, domain) {
      const began = performance.now();
      fill(context, at, domain, onPaper() ? sideFor(at, FINE_WORK, COARSE, FINEST) : sideFor(at, WORK, COARSEST, COARSE));
      performance.measure("demur-map", { start: began, end: performance.now() });
      // a printer does not wait
      if (onPaper()) return;
      const painted = key;
      whenIdle(() => {
        if (painted !== key || !canvas.isConnected) return;
        fill(context, at, domain, sideFor(at, FINE_WORK, COARSE, FINEST));
        refined();
      });
    },
    get range() {
      return range;
    },
    get shares() {
      return shares;
    },
    sheet(at, domain) {
      const grid = {
        mus: Float64Array.from(roundPrices(at, "mu", domain.mu, 12)),
        nus: Float64Array.from(roundPrices(at, "nu", domain.nu, 12)),
      };
      const values = valuesOf(at, grid);
      return {
        columns: ["review \\ false alarm", ...Array.from(grid.mus, (mu) => priceText(at, "mu", mu))],
        rows: Array.from(grid.nus, (nu, r) => [
          { value: inFields(at, "nu", nu), text: priceText(at, "nu", nu) },
          ...Array.from(grid.mus, (_, c) => inWords(at, values[r * grid.mus.length + c])),
        ]),
      };
    },
  };
}

/** Points on a side of the map for so much work; honest costs look at every table of every split. */
function sideFor(at: Situation, work: number, least: number, most: number): number {
  const { state, data, prepared } = at;
  const models = state.colour === "winner" ? data.models.length : state.colour === "difference" ? 2 : 1;
  if (at.limits !== null) {
    const each = models * at.fineSurface.size * LIMIT_WORK;
    return Math.min(most, Math.max(MIN_LIMITED, Math.round(Math.sqrt(work / each))));
  }
  const honest = ["cost", "winner", "difference"].includes(state.colour);
  const side = honest ? amountsSide(prepared, models, AMOUNTS_WORK * work, most) : null;
  if (side !== null) return side;
  const tables = honest ? Math.max(1, prepared.evidence.judged?.[0].tables.length ?? 1) : 10;
  return Math.min(most, Math.max(least, Math.round(Math.sqrt(work / (models * tables)))));
}

function sharesOf(values: Float64Array, models: number): number[] {
  const shares = new Array<number>(models + 1).fill(0);
  for (const value of values) shares[value === NO_MODEL ? models : value] += 1 / values.length;
  return shares;
}

function valuesOf(at: Situation, grid: CostGrid): Float64Array {
  const mode = at.state.colour;
  const [a, b] = mode === "difference" && at.state.compare !== null ? at.state.compare : [at.k, at.k];
  const { limits, prevalence, prepared } = at;
  const limited = limits && { limits, trivial: TRIVIAL_RULES.filter((rule) => constantKeeps(DECISION[rule], prevalence, limits)) };
  return mapValues(mode, grid, prepared, a, b, limited);
}

/** Costs below this share of the largest look alike on logarithmic colours. */
const FAINTEST = 1e-4;

function rangeOf(at: Situation, values: Float64Array, logarithmic: boolean): [number, number] {
  const mode = at.state.colour;
  if (mode === "abstention") return [0, 1];
  const most = values.reduce((largest, value) => Math.max(largest, Math.abs(value) || 0), 0);
  if (logarithmic) {
    const least = values.reduce((smallest, value) => (value > 0 ? Math.min(smallest, value) : smallest), most);
    return [Math.max(least, FAINTEST * most) || 1e-12, most || 1];
  }
  return mode === "difference" ? [-(most || 1), most || 1] : [0, most];
}

function inWords(at: Situation, value: number): Cell {
  switch (at.state.colour) {
    case "cost":
      return { value: 1000 * at.money(value), text: at.amount(value) };
    case "difference":
      return { value: 1000 * moneyBetween(value, at.costs), text: at.amountBetween(value) };
    case "abstention":
      return shown(value, percent);
    default:
      return value === NO_MODEL ? "no model" : at.data.models[value].name;
  }
}
