/** Map of all costs: colour by what they lead to, the point that the reader drags, a box of costs. */
import type { App } from "../app";
import { cellOf } from "../math/cells";
import type { MapMode } from "../math/costMap";
import { borderLine } from "../math/lemma1";
import type { CostPoint } from "../math/units";
import { percent } from "../numbers";
import type { Situation } from "../situation";
import { axisNames } from "../view/axisNames";
import { choice } from "../view/choice";
import { attr, el, setText, show, svg } from "../view/dom";
import { typed, windowText } from "../view/format";
import { Frame } from "../view/frame";
import { fit } from "../view/paint";
import type { Panel } from "../view/panel";
import { hereEntry } from "../view/legends";
import { linePath } from "../view/path";
import { Plot } from "../view/plot";
import { boxOfCosts } from "./costBox";
import { mapColours } from "./mapColours";
import { MapHand } from "./mapHand";
import { mapLegend } from "./mapLegend";

const MODES: readonly (readonly [MapMode, string])[] = [
  ["cost", "cost"],
  ["abstention", "abstention"],
  ["lower", "lower threshold"],
  ["upper", "upper threshold"],
  ["winner", "winner"],
  ["difference", "A minus B"],
];

export function costMapPanel(app: App): Panel {
  const frame = new Frame("map", "Map of costs", "drag the point, or use the arrow keys");
  const picker = choice<MapMode>("map-colour", "Colour by", MODES, (colour) => app.change({ colour }));
  const zoom = el(
    "button",
    { type: "button", class: "quiet", "data-role": "map-zoom", "aria-pressed": "false" },
    "Zoom to here",
  );
  const plot = new Plot(
    {
      id: "chart-map",
      label: "Map of costs",
      xName: axisNames(app.data).alarm,
      yName: axisNames(app.data).review,
      ratio: 0.6,
      lowest: 280,
      highest: 560,
      role: "group",
    },
    () => app.redraw(panel),
  );
  plot.element.classList.add("map-chart");
  const canvas = el("canvas", { class: "under", "aria-hidden": "true" });
  plot.element.prepend(canvas);
  plot.canvas = canvas;

  const borders = [svg("path", { class: "map-halo" }), svg("path", { class: "map-line dashed" })];
  const never = svg("text", { class: "on-map", "text-anchor": "start" }, "abstaining never pays");
  const cells = [svg("path", { class: "map-halo" }), svg("path", { class: "map-line" })];
  const boxShape = svg("rect", { class: "box" });
  const handle = svg("g", {
    class: "handle",
    id: "cost-point",
    "data-role": "cost-point",
    tabindex: 0,
    role: "slider",
    "aria-label": "Cost point: left and right for a false alarm, up and down for a review",
    "aria-valuemin": 0,
  });
  handle.append(
    svg("circle", { r: 16, class: "catch" }),
    svg("circle", { r: 13, class: "ring" }),
    svg("circle", { r: 8, class: "map-dot" }),
  );
  plot.under.append(...borders, never);
  plot.over.append(boxShape, ...cells, handle);

  const legend = mapLegend();
  const reading = el("p", { class: "reading", "data-role": "map-reading" });
  const box = boxOfCosts(app);
  const side = el("div", { class: "map-side" }, legend.element, reading, box.form);
  frame.body.append(
    el("div", { class: "choose" }, picker.element, zoom),
    el("div", { class: "map-layout" }, plot.element, side),
    box.results,
  );

  const colours = mapColours(canvas);
  let now = app.situation();

  function draw(at: Situation): void {
    now = at;
    picker.set(at.state.colour);
    for (const mode of ["winner", "difference"] as const) picker.enable(mode, at.data.models.length > 1);
    zoom.setAttribute("aria-pressed", String(app.domain.zoomed));
    setText(zoom, app.domain.zoomed ? "Whole range" : "Zoom to here");
    if (!plot.ready) return;
    const { muMax, nuMax } = app.domain;
    plot.axes([0, muMax], [0, nuMax]);
    canvas.style.left = `${plot.left}px`;
    canvas.style.top = `${plot.top}px`;
    if (colours.stale(at, app.domain, plot.width, plot.height))
      colours.paint(fit(canvas, plot.width, plot.height), at, app.domain);
    const amounts = at.data.amounts !== null;
    // with amounts no border holds whatever the model
    const limit = amounts ? [] : borderLine(muMax, 60, at.prepared.extra).filter(([, nu]) => nu <= nuMax);
    const edge = linePath(limit.map(([mu, nu]) => [plot.x(mu), plot.y(nu)]));
    for (const border of borders) attr(border, { d: edge });
    const room = plot.y(Math.min(nuMax, 0.28 * muMax));
    attr(never, { x: 10, y: Math.max(18, room / 2) });
    show(never, room > 40 && !amounts);
    legend.draw(at, colours);
    box.draw(at);
  }

  function move(at: Situation): void {
    now = at;
    if (!plot.ready) return;
    const { muMax, nuMax } = app.domain;
    const [mu, nu] = [Math.min(at.mu, muMax), Math.min(at.nu, nuMax)];
    attr(handle, {
      transform: `translate(${plot.x(mu)},${plot.y(nu)})`,
      "aria-valuenow": Number(at.mu.toPrecision(4)),
      "aria-valuemax": muMax,
      "aria-valuetext": `a false alarm ${typed(at.mu)}, a review ${Number.isFinite(at.nu) ? typed(at.nu) : "never"}, ${at.data.amounts === null ? "as shares of a miss" : "as factors"}`,
    });
    const found = at.state.box;
    show(boxShape, found !== null);
    if (found !== null) {
      const [left, right] = found.mu.map((value) => plot.x(Math.min(value, muMax)));
      const [low, high] = found.nu.map((value) => plot.y(Math.min(value, nuMax)));
      attr(boxShape, { x: left, width: Math.max(1, right - left), y: high, height: Math.max(1, low - high) });
    }
    box.move(at);
    look(null);
    frame.refresh();
  }

  /** Outline the cell at some costs, or at the point, and say what holds in it. */
  function look(costs: CostPoint | null): void {
    const { muMax, nuMax } = app.domain;
    const { mu, nu } = costs ?? now;
    const window = costs === null ? now.window : now.surface.window(mu, nu);
    const limited = costs === null && now.limits !== null;
    // thresholds of a rule that never abstains hold for one price of a false alarm, whatever a review costs
    const single = costs === null && window.i === window.j && now.surface.window(mu, nu).abstain > 0;
    const amounts = now.data.amounts !== null;
    const corners = limited || single || amounts ? [] : cellOf(now.surface, window.i, window.j, muMax, nuMax);
    const outline = linePath(
      corners.map(([x, y]) => [plot.x(x), plot.y(y)]),
      true,
    );
    for (const cell of cells) attr(cell, { d: outline });
    const where =
      costs === null
        ? "Here"
        : `At ${typed(Number(mu.toPrecision(2)))} and ${typed(Number(nu.toPrecision(2)))}`;
    const kind = window.i < window.j && window.abstain < 1 - 1e-12 ? "window " : "";
    const alike = limited
      ? "The window is chosen under the limits; the map shows costs without them."
      : single
        ? "On cases that did not choose it, never abstaining is cheaper than the window."
        : amounts
          ? "1 is what the cases cost in the data."
          : "Inside the outline the window stays the same.";
    setText(reading, `${where}: ${kind}${windowText(window)}, abstains on ${percent(window.abstain)} of these cases. ${alike}`);
  }

  new MapHand(app, plot, handle, box, look);
  zoom.addEventListener("click", () => app.change({ zoomed: !app.current.zoomed }));

  frame.picture(() => plot.picture(`Map of costs: ${legend.title()}`, [...legend.entries(), hereEntry("these costs")]));
  frame.numbers(() => colours.sheet(now, app.domain));
  const panel: Panel = { element: frame.section, draw, move };
  return panel;
}
