/** Colours of the map: coarse at once, fine when there is time. */
import { comparisonOf } from "../comparison";
import type { Domain } from "../domain";
import { costGrid, mapValues, type CostGrid } from "../math/costMap";
import { percent } from "../numbers";
import type { Situation } from "../situation";
import { DIVERGING, modelColour, parseHex, SEQUENTIAL } from "../view/palette";
import { byIndex, byTable, hatch, paint } from "../view/paint";
import type { Sheet } from "../view/saving";
import { amount, threshold } from "../view/format";
import { gridSheet } from "../view/gridSheet";
import { whenIdle } from "../view/idle";

const COARSE = 64;
/** Evaluations of a surface that a fine map may cost. */
const FINE_WORK = 60_000;

export interface MapColours {
  /** Whether the map must be painted again. */
  stale(at: Situation, domain: Domain, width: number, height: number): boolean;
  paint(context: CanvasRenderingContext2D, at: Situation, domain: Domain): void;
  /** Values at the two ends of the colours. */
  readonly range: readonly [number, number];
  sheet(at: Situation, domain: Domain): Sheet;
}

export function mapColours(canvas: HTMLCanvasElement): MapColours {
  let key = "";
  let range: [number, number] = [0, 1];

  function fill(context: CanvasRenderingContext2D, at: Situation, domain: Domain, side: number): void {
    const mode = at.state.colour;
    const grid = costGrid(side, side, domain.muMax, domain.nuMax);
    const values = valuesOf(at, grid);
    range = rangeOf(at, values);
    const raster = { values, columns: side, rows: side };
    if (mode === "winner") {
      const ground = parseHex(at.theme === "dark" ? "#131519" : "#ffffff");
      paint(
        context,
        raster,
        byIndex(
          at.data.models.map((_, k) => parseHex(modelColour(k, at.theme))),
          parseHex("#8a8f96"),
          ground,
        ),
        false,
      );
    } else {
      paint(
        context,
        raster,
        byTable(mode === "difference" ? DIVERGING : SEQUENTIAL, ...range),
        mode === "cost" || mode === "difference",
      );
    }
    const tested = mode === "difference" && at.prepared.prevalence === at.data.prevalence;
    const pair = tested && at.state.compare !== null ? comparisonOf(at.data, ...at.state.compare) : null;
    if (pair !== null) hatch(context, pair.mask, pair.grid, domain, at.theme);
  }

  return {
    stale(at, domain, width, height) {
      const { state, prepared, theme, k } = at;
      const parts = [
        prepared.prevalence,
        state.colour,
        state.compare,
        k,
        theme,
        domain.muMax,
        domain.nuMax,
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
      fill(context, at, domain, COARSE);
      performance.measure("demur-map", { start: began, end: performance.now() });
      const painted = key;
      const work = at.state.colour === "winner" ? FINE_WORK / at.data.models.length : FINE_WORK;
      whenIdle(() => {
        if (painted === key && canvas.isConnected)
          fill(context, at, domain, Math.max(COARSE, Math.round(Math.sqrt(work))));
      });
    },
    get range() {
      return range;
    },
    sheet(at, domain) {
      const grid = costGrid(11, 11, domain.muMax, domain.nuMax);
      const values = valuesOf(at, grid);
      return gridSheet(grid, (place) => inWords(at, values[place]));
    },
  };
}

function valuesOf(at: Situation, grid: CostGrid): Float64Array {
  const mode = at.state.colour;
  const [a, b] = mode === "difference" && at.state.compare !== null ? at.state.compare : [at.k, at.k];
  return mapValues(mode, grid, at.surfaces, a, b);
}

function rangeOf(at: Situation, values: Float64Array): [number, number] {
  const mode = at.state.colour;
  if (mode === "abstention") return [0, 1];
  if (mode === "lower" || mode === "upper") {
    const edges = at.model.bins.edges.filter(Number.isFinite);
    return [edges[0] ?? 0, edges[edges.length - 1] ?? 1];
  }
  const most = values.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
  return mode === "difference" ? [-(most || 1), most || 1] : [0, most];
}

function inWords(at: Situation, value: number): string {
  switch (at.state.colour) {
    case "cost":
    case "difference":
      return amount(1000 * at.costs.fn * value);
    case "abstention":
      return percent(value);
    case "winner":
      return value < 0 ? "tie" : at.data.models[value].name;
    case "lower":
    case "upper":
      return threshold(value);
  }
}
