/** What abstaining buys: accuracy of the answers, or the cost, against the share sent to people. */
import type { App } from "../app";
import { frontier, type FrontierPoint } from "../math/frontier";
import type { Window } from "../math/surface";
import { general, grouped, percent } from "../numbers";
import { maxAbstention } from "../state";
import type { Situation } from "../situation";
import { attr, el, setText, show, svg } from "../view/dom";
import { threshold } from "../view/format";
import { Frame } from "../view/frame";
import { hereEntry } from "../view/legends";
import { modelColour } from "../view/palette";
import type { Panel } from "../view/panel";
import { linePath } from "../view/path";
import { Plot } from "../view/plot";
import { shown } from "../view/saving";
import { choice } from "../view/choice";

/** Corners of the curve are marked while there are not too many. */
const FEW = 40;

type Measure = "accuracy" | "cost";

interface Step extends FrontierPoint {
  value: number;
}

export function responsePanel(app: App): Panel {
  const frame = new Frame("response", "Response");
  let measure: Measure = "accuracy";
  const plot = new Plot(
    {
      id: "chart-response",
      label: "Response to abstaining",
      xName: "share sent to a person",
      yName: "",
      ratio: 0.5,
      lowest: 240,
      highest: 420,
      left: 56,
      xFormat: (v) => `${Math.round(100 * v)} %`,
      yFormat: (v) => (measure === "cost" ? grouped(v, 0) : `${general(100 * v, 4)} %`),
    },
    () => app.redraw(panel),
  );
  const curve = svg("path", { class: "chosen" });
  const corners = svg("g");
  const said = el("p", { class: "reading", "data-role": "response-said" });
  const here = svg("circle", { class: "here-dot", r: 5.5 });
  const note = svg("text", { class: "here-text haloed" });
  const limit = svg("line", { class: "border" });
  const limitName = svg("text", { y: 12 });
  plot.over.append(curve, corners, limit, limitName, here, note);

  let now: Situation | null = null;
  const picker = choice<Measure>(
    "response-measure",
    "Measure",
    [
      ["accuracy", "accuracy"],
      ["cost", "cost"],
    ],
    (chosen) => {
      measure = chosen;
      app.redraw(panel);
    },
  );
  frame.body.append(picker.element, plot.element, said);

  function steps(at: Situation): Step[] {
    const { surface, mu, nu } = at;
    return frontier(surface, mu)
      .map((point) => ({ ...point, value: valueOf(surface.windowAt(point.i, point.j, mu, nu)) }))
      .filter(({ abstain }) =>
        measure === "cost" ? Number.isFinite(nu) || abstain === 0 : abstain < 1 - 1e-12,
      );
  }

  function oddity(at: Situation, windows: number): string {
    if (at.window.abstain > 1 - 1e-12)
      return "Here every case is sent to a person: no answer is left to be right or wrong.";
    return windows === 1 ? "One window is best at every price of a review: abstaining buys nothing." : "";
  }

  function valueOf(window: Window): number {
    return measure === "cost" ? window.cost : (window.tp + window.tn) / (1 - window.abstain);
  }

  function draw(at: Situation): void {
    now = at;
    picker.set(measure);
    attr(curve, { stroke: modelColour(at.k, at.theme) });
    plot.name(
      "share sent to a person",
      measure === "cost" ? "cost per 1000 cases" : "right among the cases decided",
    );
    setText(frame.about, `best windows of ${at.modelName}, with hindsight`);
  }

  function move(at: Situation): void {
    now = at;
    if (!plot.ready) return;
    const found = steps(at);
    const values = found.map(({ value }) => value);
    const inUnit = (value: number): number => (measure === "cost" ? 1000 * at.money(value) : value);
    const low = measure === "cost" ? 0 : Math.min(...values, 1);
    const high = measure === "cost" ? Math.max(...values, 1e-9) : 1;
    const room = 0.06 * (high - low || 0.1);
    const farthest = Math.max(...found.map(({ abstain }) => abstain), 0.05);
    plot.axes(
      [0, Math.min(1, farthest * 1.04)],
      [
        inUnit(measure === "cost" ? 0 : Math.max(0, low - room)),
        inUnit(high + (measure === "cost" ? room : 0)),
      ],
    );
    const places = found.map((s): [number, number] => [plot.x(s.abstain), plot.y(inUnit(s.value))]);
    attr(curve, { d: linePath(places) });
    const few = places.length <= FEW ? places : [];
    while (corners.childElementCount > few.length) corners.lastElementChild!.remove();
    while (corners.childElementCount < few.length) corners.append(svg("circle", { r: 2.5 }));
    few.forEach(([cx, cy], k) => attr(corners.children[k], { cx, cy, fill: modelColour(at.k, at.theme) }));
    setText(said, oddity(at, found.length));
    const { abstain } = at.window;
    const value = valueOf(at.window);
    const visible = Number.isFinite(value) && abstain < 1 - 1e-12;
    show(here, visible);
    show(note, visible);
    if (visible) {
      const [x, y] = [plot.x(abstain), plot.y(inUnit(value))];
      const left = x > plot.width - 150;
      attr(here, { cx: x, cy: y });
      attr(note, {
        x: left ? x - 10 : x + 10,
        // the curve rises: above it on the left, below it on the right
        y: y + ((left && y > 24) || y > plot.height - 24 ? -10 : 18),
        "text-anchor": left ? "end" : "start",
      });
      setText(note, measure === "cost" ? at.per1000(value) : `${percent(value)} right`);
    }
    const most = maxAbstention(at.state);
    const capped = at.state.capacity !== null && most < plot.x.domain()[1];
    show(limit, capped);
    show(limitName, capped);
    if (capped) {
      attr(limit, { x1: plot.x(most), x2: plot.x(most), y1: 0, y2: plot.height });
      attr(limitName, { x: plot.x(most) + 5 });
      setText(limitName, "reviews possible");
    }
    frame.refresh();
  }

  frame.picture(() => plot.picture(`${measure === "cost" ? "Cost" : "Accuracy"} against the share sent to a person, best windows with hindsight`, [
      { text: now!.modelName, colour: modelColour(now!.k, now!.theme), line: true },
      hereEntry("at these costs"),
    ]));
  frame.numbers(() => ({
    columns: ["abstained", "lower", "upper", measure === "cost" ? "cost per 1000" : "right among decided"],
    rows: steps(now!).map((s) => [
      shown(s.abstain, percent),
      shown(now!.surface.lower[s.i], threshold),
      shown(now!.surface.upper[s.j], threshold),
      measure === "cost"
        ? { value: 1000 * now!.money(s.value), text: now!.per1000(s.value) }
        : shown(s.value, percent),
    ]),
  }));
  const panel: Panel = { element: frame.section, draw, move };
  return panel;
}
