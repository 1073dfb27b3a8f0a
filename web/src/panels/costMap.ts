/** Map of all costs: colour by what they lead to, the point that the reader drags, a box of costs. */
import type { App } from "../app";
import { bent, cellOf } from "../math/cells";
import type { MapMode } from "../math/costMap";
import { abstentionBorder } from "../math/lemma1";
import type { Window } from "../math/surface";
import type { CostPoint } from "../math/units";
import { percent } from "../numbers";
import type { Situation } from "../situation";
import { choice } from "../view/choice";
import { attr, el, setText, show, svg } from "../view/dom";
import { typed, windowText } from "../view/format";
import { Frame } from "../view/frame";
import { fit } from "../view/paint";
import type { Panel } from "../view/panel";
import { hereEntry } from "../view/legends";
import { linePath } from "../view/path";
import { priceNames, priceText, roundPrices } from "../view/prices";
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

/** Points of the border, and the room that its words need. */
const BORDER = 61;
const NEVER = { width: 150, room: 40 };

export function costMapPanel(app: App): Panel {
  const frame = new Frame("map", "Map of costs", "drag the point, or use the arrow keys");
  const picker = choice<MapMode>("map-colour", "Colour by", MODES, (colour) => app.change({ colour }));
  const zoom = el(
    "button",
    { type: "button", class: "quiet", "data-role": "map-zoom", "aria-pressed": "false" },
    "Look closer",
  );
  let now = app.situation();
  let neverFits = false;
  const plot = new Plot(
    {
      id: "chart-map",
      label: "Map of costs",
      xName: "",
      yName: "",
      ratio: 0.6,
      left: 56,
      xFormat: (price) => priceText(now, "mu", price),
      yFormat: (price) => priceText(now, "nu", price),
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

  const colours = mapColours(canvas, () => legend.draw(now, colours));

  function draw(at: Situation): void {
    now = at;
    picker.set(at.state.colour);
    for (const mode of ["winner", "difference"] as const) picker.enable(mode, at.data.models.length > 1);
    zoom.setAttribute("aria-pressed", String(app.domain.zoomed));
    setText(zoom, app.domain.zoomed ? "All prices" : "Look closer");
    if (!plot.ready) return;
    const { mu, nu } = app.domain;
    const longest = 7 * priceText(at, "mu", mu.to).length + 18;
    plot.axes([mu.from, mu.to], [nu.from, nu.to], {
      log: [mu.log, nu.log],
      xMarks: roundPrices(at, "mu", mu, Math.max(3, plot.width / longest)),
      yMarks: roundPrices(at, "nu", nu, Math.max(3, plot.height / 34)),
    });
    plot.name(...priceNames(at));
    attr(plot.drawing, { "data-mu": `${mu.from} ${mu.to}`, "data-nu": `${nu.from} ${nu.to}` });
    canvas.style.left = `${plot.left}px`;
    canvas.style.top = `${plot.top}px`;
    if (colours.stale(at, app.domain, plot.width, plot.height))
      colours.paint(fit(canvas, plot.width, plot.height), at, app.domain);
    const limit = borderIn(at);
    const edge = linePath(limit);
    for (const border of borders) attr(border, { d: edge });
    // above the border, where that leaves room for the words
    const beside = limit.filter(([x]) => x < NEVER.width + 20).map(([, y]) => y);
    const room = limit.length === 0 ? 0 : Math.min(...beside, limit[0][0] > 0 ? 0 : plot.height);
    attr(never, { x: 10, y: Math.min(room / 2 + 4, 40) });
    neverFits = room > NEVER.room;
    legend.draw(at, colours);
    box.draw(at);
  }

  /** The border of useful abstention in pixels; with amounts none holds whatever the model. */
  function borderIn(at: Situation): [x: number, y: number][] {
    if (at.data.amounts !== null) return [];
    const { mu, nu } = app.domain;
    return Array.from(mu.steps(BORDER), (price) => [price, abstentionBorder(price, at.prepared.extra)] as const)
      .filter(([, border]) => border >= nu.from && border <= nu.to)
      .map(([price, border]) => [plot.x(price), plot.y(border)]);
  }

  /** Where costs stand, in pixels; those out of view at the edge. */
  function placed({ mu, nu }: CostPoint): [x: number, y: number] {
    return [app.domain.mu.share(mu) * plot.width, (1 - app.domain.nu.share(nu)) * plot.height];
  }

  function move(at: Situation): void {
    now = at;
    if (!plot.ready) return;
    const [x, y] = placed(at);
    // words under the handle cannot be read
    show(never, neverFits && !(x < NEVER.width + 24 && y < 60));
    attr(handle, {
      transform: `translate(${x},${y})`,
      "aria-valuenow": Number(at.mu.toPrecision(4)),
      "aria-valuemax": app.domain.mu.to,
      "aria-valuetext": `a false alarm ${typed(at.mu)}, a review ${Number.isFinite(at.nu) ? typed(at.nu) : "never"}, ${at.data.amounts === null ? "as shares of a miss" : "as factors"}`,
    });
    const found = at.state.box;
    show(boxShape, found !== null);
    if (found !== null) {
      const [left, low] = placed({ mu: found.mu[0], nu: found.nu[0] });
      const [right, high] = placed({ mu: found.mu[1], nu: found.nu[1] });
      attr(boxShape, { x: left, width: Math.max(1, right - left), y: high, height: Math.max(1, low - high) });
    }
    box.move(at);
    look(null);
    frame.refresh();
  }

  /** Outline the cell at some costs, or at the point, and say what holds in it. */
  function look(costs: CostPoint | null): void {
    const axes = app.domain;
    const { mu, nu } = costs ?? now;
    const limited = now.limits !== null || (costs === null && now.searched);
    const window = costs === null ? now.window : now.limits !== null ? limitedWindow(now, mu, nu) : now.surface.window(mu, nu);
    if (window === null) {
      for (const cell of cells) attr(cell, { d: "" });
      setText(reading, `At ${priceText(now, "mu", mu)} and ${priceText(now, "nu", nu)}: no rule keeps the limits.`);
      return;
    }
    // thresholds of a rule that never abstains hold for one price of a false alarm, whatever a review costs
    const single = costs === null && window.i === window.j && now.surface.window(mu, nu).abstain > 0;
    const amounts = now.data.amounts !== null;
    const corners =
      limited || single || amounts
        ? []
        : cellOf(now.surface, window.i, window.j, axes.mu.to, axes.nu.to, [axes.mu.from, axes.nu.from]);
    const sides = axes.mu.log ? bent(corners) : corners;
    const outline = linePath(sides.map(([x, y]) => [plot.x(x), plot.y(y)]), true);
    for (const cell of cells) attr(cell, { d: outline });
    const where =
      costs === null
        ? "Here"
        : `At ${priceText(now, "mu", mu)} and ${priceText(now, "nu", nu)}`;
    const kind = window.i < window.j && window.abstain < 1 - 1e-12 ? "window " : "";
    const alike = limited
      ? now.limits === null
        ? "The window regrets least over the box; the map shows single costs."
        : "The window is chosen under the limits, and so is the map."
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

/** The cheapest window of the model on show under the limits; null where none keeps them. */
function limitedWindow({ judgedBy, k, limits }: Situation, mu: number, nu: number): Window | null {
  const { surface } = judgedBy.models[k];
  const cuts = surface.limitedCuts(mu, nu, limits!);
  return cuts && surface.windowAt(...cuts, mu, nu);
}
