/** Drummond-Holte cost curve: what never abstaining costs at every mix of prevalence and prices. */
import { general } from "../numbers";
import { normalizedCost, probabilityCost } from "../math/envelope";
import type { Situation } from "../situation";
import type { TwoApp } from "../twoClasses";
import type { Panel } from "../view/panel";
import { shown } from "../view/saving";
import { curvePanel, type Here, type Place } from "./curvePanel";

export function costCurvePanel(app: TwoApp): Panel {
  const corners = (at: Situation, k: number): readonly Place[] => at.curves.envelopes[k]?.vertices() ?? [];
  return curvePanel(app, {
    id: "cost-curve",
    title: "Cost curve",
    label: "Cost curve",
    xFormat: general,
    yFormat: general,
    names: () => ["weight of misses among all possible costs", "cost, as a share of the worst possible"],
    missing: (at) => {
      if (at.data.amounts !== null) return "No cost curve where every case has its own costs: amounts have no normal form with two parameters.";
      return at.envelope === null ? "Needs cases of both classes." : null;
    },
    about: (at) => `without abstaining, with hindsight${at.model.cost_band === null ? "" : `; band ${at.level}`}; dotted: without a model`,
    chart: (at) => {
      const band = at.model.cost_band;
      const curves = at.data.models.map((_, model) => ({ places: corners(at, model), model }));
      const most = Math.max(...curves.flatMap(({ places }) => places.map(([, cost]) => cost)), ...(band?.high ?? []), 0.05);
      const top = Math.min(0.5, 1.08 * most);
      const edge = (side: "low" | "high"): Place[] => (band?.x ?? []).map((x, k) => [x, band![side][k]]);
      return {
        y: [0, top],
        curves: [{ places: [[0, 0], [top, top]] }, { places: [[1 - top, top], [1, 0]] }, ...curves],
        band: [...edge("low"), ...edge("high").reverse()],
      };
    },
    here: (at): Here[] => {
      const x = probabilityCost(at.prevalence, at.mu);
      if (x === null || at.envelope === null) return [];
      return [
        { x, y: null },
        { x, y: at.envelope.cost(x), ring: true },
        { x, y: normalizedCost(at.window.cost, at.prevalence, at.mu) },
      ];
    },
    said: (at) => (at.window.i < at.window.j ? "Ring: never abstaining. Dot: with the window." : "Dot: at the costs now; abstaining saves nothing."),
    sheet: (at) => ({
      columns: ["weight of misses", "cost"],
      rows: corners(at, at.k).map((corner) => corner.map((value) => shown(value, (v) => v.toFixed(4)))),
    }),
  });
}
