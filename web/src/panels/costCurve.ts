/** Drummond-Holte cost curve: what never abstaining costs at every mix of prevalence and prices. */
import type { App } from "../app";
import { normalizedCost, probabilityCost } from "../math/envelope";
import { el, attr, setText, show, svg } from "../view/dom";
import { Frame } from "../view/frame";
import { chooseCuts, type Cut } from "../view/hover";
import { hereEntry, modelLines } from "../view/legends";
import { modelColour, modelDash } from "../view/palette";
import type { Panel } from "../view/panel";
import { linePath } from "../view/path";
import { Plot } from "../view/plot";
import { shown } from "../view/saving";
import type { Situation } from "../situation";

export function costCurvePanel(app: App): Panel {
  const frame = new Frame("cost-curve", "Cost curve");
  if (app.data.amounts !== null) {
    const why = "No cost curve where every case has its own costs: amounts have no normal form with two parameters.";
    frame.body.append(el("p", { class: "sentence" }, why));
    return { element: frame.section, draw: () => undefined, move: () => undefined };
  }
  const plot = new Plot(
    {
      id: "chart-cost-curve",
      label: "Cost curve",
      xName: "weight of misses among all possible costs",
      yName: "cost, as a share of the worst possible",
      ratio: 0.72,
      lowest: 260,
      highest: 480,
      focusable: true,
    },
    () => app.redraw(panel),
  );
  const trivial = svg("path", { class: "faint" });
  const band = svg("path", { class: "band" });
  const curves = svg("g");
  const here = svg("line", { class: "here-line", "stroke-dasharray": "2 3" });
  const forced = svg("circle", { class: "mark-here", r: 4.5 });
  const abstaining = svg("circle", { class: "here-dot", r: 5.5 });
  const pointed = svg("line", { class: "hover" });
  const said = el("p", { class: "reading" });
  plot.under.append(trivial, band, curves);
  plot.over.append(here, forced, abstaining, pointed);
  frame.body.append(plot.element, said);

  let now: Situation | null = null;

  function draw(at: Situation): void {
    now = at;
    if (!plot.ready) return;
    const corners = at.data.models.map((_, k) => at.curves.envelopes[k]?.vertices() ?? []);
    const most = Math.max(
      ...corners.flat().map(([, cost]) => cost),
      ...(at.model.cost_band?.high ?? []),
      0.05,
    );
    const top = Math.min(0.5, 1.08 * most);
    plot.axes([0, 1], [0, top]);
    const trace = (corners: readonly (readonly [number, number])[], closed = false): string =>
      linePath(
        corners.map(([x, y]) => [plot.x(x), plot.y(Math.min(top, y))]),
        closed,
      );
    attr(trivial, {
      d:
        at.envelope === null
          ? ""
          : trace([
              [0, 0],
              [top, top],
            ]) +
            trace([
              [1 - top, top],
              [1, 0],
            ]),
    });
    curves.replaceChildren();
    const order = corners.map((_, k) => k).filter((k) => k !== at.k);
    for (const k of [...order, at.k]) {
      curves.append(
        svg("path", {
          class: k === at.k ? "chosen" : "other",
          stroke: modelColour(k, at.theme),
          "stroke-dasharray": modelDash(k),
          d: trace(corners[k]),
        }),
      );
    }
    const sure = at.model.cost_band;
    const edge = (side: "low" | "high"): [number, number][] =>
      (sure?.x ?? []).map((x, k) => [x, sure![side][k]]);
    attr(band, {
      fill: modelColour(at.k, at.theme),
      d: trace([...edge("low"), ...edge("high").reverse()], true),
    });
    setText(
      frame.about,
      corners[at.k].length === 0
        ? "needs cases of both classes"
        : sure === null
          ? "without abstaining, with hindsight"
          : `without abstaining, with hindsight; band ${at.level}`,
    );
  }

  function move(at: Situation): void {
    now = at;
    const envelope = at.envelope;
    const x = probabilityCost(at.prevalence, at.mu);
    const visible = plot.ready && envelope !== null && x !== null;
    for (const node of [here, forced, abstaining]) show(node, visible);
    if (!visible) return;
    const top = plot.y.domain()[1];
    attr(here, { x1: plot.x(x), x2: plot.x(x), y1: plot.height, y2: 0 });
    attr(forced, { cx: plot.x(x), cy: plot.y(Math.min(top, envelope.cost(x))) });
    attr(abstaining, {
      cx: plot.x(x),
      cy: plot.y(Math.min(top, normalizedCost(at.window.cost, at.prevalence, at.mu))),
    });
    if (app.hover.current === null) setText(said, resting(at));
    frame.refresh();
  }

  function resting(at: Situation): string {
    return at.window.i < at.window.j
      ? "Ring: never abstaining. Dot: with the window."
      : "Dot: at the costs now; abstaining saves nothing.";
  }

  function mark(cut: Cut): void {
    const corners = now?.hull ?? null;
    const visible = cut !== null && corners !== null && plot.ready;
    show(pointed, visible);
    if (!visible) {
      setText(said, now === null ? "" : resting(now));
      return;
    }
    const top = plot.y.domain()[1];
    const [left, right] = [corners.fpr[cut], 1 - corners.tpr[cut]];
    // the line of one threshold, cut where it leaves the picture
    const at = (share: number): number => left + share * (right - left);
    const leave = left === right ? 0 : (top - left) / (right - left);
    const from = left > top ? Math.max(0, leave) : 0;
    const to = right > top ? Math.min(1, leave) : 1;
    attr(pointed, { x1: plot.x(from), y1: plot.y(at(from)), x2: plot.x(to), y2: plot.y(at(to)) });
    show(pointed, from < to && Math.min(at(from), at(to)) <= top + 1e-9);
    setText(said, "Dashed: the cost of this one threshold.");
  }

  /** The cut whose line is lowest at a place of the axis. */
  function cheapestCut(x: number): Cut {
    const corners = now?.hull ?? null;
    if (corners === null) return null;
    const costs = corners.fpr.map((fpr, k) => x * (1 - corners.tpr[k]) + (1 - x) * fpr);
    return costs.indexOf(Math.min(...costs));
  }

  chooseCuts(
    app.hover,
    plot.drawing,
    () => now,
    (event) => cheapestCut(plot.locate(event).x),
  );
  app.hover.listen(mark);
  show(pointed, false);
  frame.picture(() => plot.picture(`Cost curve without abstaining, with hindsight, band ${now!.level} of ${now!.modelName}`, [
      ...modelLines(now!),
      hereEntry("at these costs: ring never abstaining, dot with the window"),
    ]));
  frame.numbers(() => ({
    columns: ["weight of misses", "cost"],
    rows: (now!.envelope?.vertices() ?? []).map((corner) => corner.map((value) => shown(value, (v) => v.toFixed(4)))),
  }));
  const panel: Panel = { element: frame.section, draw, move };
  return panel;
}
