/** Map of all costs: colour by what they lead to, the point that the reader drags, ranges of costs as a box. */
import type { MapMode } from "../math/costMap";
import type { Window } from "../math/surface";
import { cornersOf } from "../comparison/problem";
import { normalForm, abstentionBorder, type CostPoint } from "../math/units";
import { percent } from "../numbers";
import type { Situation } from "../situation";
import type { TwoApp } from "../twoClasses";
import { choice } from "../view/choice";
import { attr, el, setText, show, svg } from "../view/dom";
import { typed, windowText } from "../view/format";
import { Frame, saveMenu } from "../view/frame";
import { fit } from "../view/paint";
import type { Panel } from "../view/panel";
import { hereEntry } from "../view/legends";
import { linePath } from "../view/path";
import { priceNames, priceText, roundPrices } from "../view/prices";
import { Plot } from "../view/plot";
import { mapColours } from "./mapColours";
import { MapHand } from "./mapHand";
import { mapLegend } from "./mapLegend";

const MODES: readonly (readonly [MapMode, string])[] = [
  ["cost", "cost"],
  ["abstention", "abstention"],
  ["winner", "winner"],
  ["difference", "A minus B"],
];

/** Points of the border, and the room that its words need. */
const BORDER = 61;
const NEVER = { width: 150, room: 40 };

export function costMapPanel(app: TwoApp): Panel {
  const frame = new Frame("map", "Map of costs", "drag the point or use the arrow keys");
  const picker = choice<MapMode>("map-colour", "Colour by", MODES, (colour) => app.change({ colour }));
  let now = app.at();
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
      lowest: 260,
      highest: 420,
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
  plot.over.append(boxShape, handle);

  const legend = mapLegend();
  const reading = el("p", { class: "reading", "data-role": "map-reading" });
  frame.body.append(el("div", { class: "choose" }, picker.element), plot.element, el("div", { class: "map-legend" }, legend.element, reading));

  const colours = mapColours(canvas, () => legend.draw(now, colours));

  function draw(at: Situation): void {
    now = at;
    picker.set(at.state.colour);
    for (const mode of ["winner", "difference"] as const) picker.enable(mode, at.data.models.length > 1);
    if (!plot.ready) return;
    const { mu, nu } = app.kind.domain;
    const longest = 7 * priceText(at, "mu", mu.to).length + 18;
    plot.axes([mu.from, mu.to], [nu.from, nu.to], {
      log: true,
      xMarks: roundPrices(at, "mu", mu, Math.max(3, plot.width / longest)),
      yMarks: roundPrices(at, "nu", nu, Math.max(3, plot.height / 34)),
    });
    plot.name(...priceNames(at));
    attr(plot.drawing, { "data-mu": `${mu.from} ${mu.to}`, "data-nu": `${nu.from} ${nu.to}` });
    canvas.style.left = `${plot.left}px`;
    canvas.style.top = `${plot.top}px`;
    if (colours.stale(at, app.kind.domain, plot.width, plot.height))
      colours.paint(fit(canvas, plot.width, plot.height), at, app.kind.domain);
    const limit = borderIn(at);
    const edge = linePath(limit);
    for (const border of borders) attr(border, { d: edge });
    // above the border, where that leaves room for the words
    const beside = limit.filter(([x]) => x < NEVER.width + 20).map(([, y]) => y);
    const room = limit.length === 0 ? 0 : Math.min(...beside, limit[0][0] > 0 ? 0 : plot.height);
    attr(never, { x: 10, y: Math.min(room / 2 + 4, 40) });
    neverFits = room > NEVER.room;
    legend.draw(at, colours);
  }

  /** The border of useful abstention in pixels; with amounts none holds whatever the model. */
  function borderIn(at: Situation): [x: number, y: number][] {
    if (at.data.amounts !== null) return [];
    const { mu, nu } = app.kind.domain;
    return Array.from(mu.steps(BORDER), (price) => [price, abstentionBorder(price, at.prepared.extra)] as const)
      .filter(([, border]) => border >= nu.from && border <= nu.to)
      .map(([price, border]) => [plot.x(price), plot.y(border)]);
  }

  /** Where costs stand, in pixels; those out of view at the edge. */
  function placed({ mu, nu }: CostPoint): [x: number, y: number] {
    return [app.kind.domain.mu.share(mu) * plot.width, (1 - app.kind.domain.nu.share(nu)) * plot.height];
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
      "aria-valuemax": app.kind.domain.mu.to,
      "aria-valuetext": `a false alarm ${typed(at.mu)}, a review ${Number.isFinite(at.nu) ? typed(at.nu) : "never"}, ${at.data.amounts === null ? "as shares of a miss" : "as factors"}`,
    });
    show(boxShape, at.problem.ranges !== null);
    if (at.problem.ranges !== null) {
      const corners = cornersOf(at.problem).map(({ costs }) => placed(normalForm(costs)));
      const [left, right] = [Math.min(...corners.map(([x]) => x)), Math.max(...corners.map(([x]) => x))];
      const [high, low] = [Math.min(...corners.map(([, y]) => y)), Math.max(...corners.map(([, y]) => y))];
      attr(boxShape, { x: left, width: Math.max(1, right - left), y: high, height: Math.max(1, low - high) });
    }
    look(null);
    frame.refresh();
  }

  /** Say what holds at some costs, or at the point. */
  function look(costs: CostPoint | null): void {
    const { mu, nu } = costs ?? now;
    const { limits, searched, surface } = now;
    const window = costs === null ? now.window : limits === null ? surface.window(mu, nu) : limitedWindow(now, mu, nu);
    const where = costs === null ? "Here" : `At ${priceText(now, "mu", mu)} and ${priceText(now, "nu", nu)}`;
    if (window === null) {
      setText(reading, `${where}: no rule keeps the limits.`);
      return;
    }
    const kind = window.i < window.j && window.abstain < 1 - 1e-12 ? "window " : "";
    const notes = [
      limits === null ? "" : " The window is chosen under the limits, and so is the map.",
      limits === null && costs === null && searched ? " The window regrets least over the ranges; the map shows single costs." : "",
      now.data.amounts === null ? "" : " 1 is what the cases cost in the data.",
    ];
    setText(reading, `${where}: ${kind}${windowText(window)}, abstains on ${percent(window.abstain)} of these cases.${notes.join("")}`);
  }

  new MapHand(app, plot, handle, look);

  frame.picture(() => plot.picture(`Map of costs: ${legend.title()}`, [...legend.entries(), hereEntry("these costs")]));
  frame.numbers(() => colours.sheet(now, app.kind.domain));
  const panel = frame.panel(draw, move);
  frame.section.append(saveMenu([panel])!);
  return panel;
}

/** The cheapest window of the model on show under the limits; null where none keeps them. */
function limitedWindow({ fineSurface: surface, limits }: Situation, mu: number, nu: number): Window | null {
  const cuts = surface.limitedCuts(mu, nu, limits!);
  return cuts && surface.windowAt(...cuts, mu, nu);
}
