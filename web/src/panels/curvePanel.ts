/** A chart of curves with the point of the current costs: what several panels share. */
import type { Situation } from "../situation";
import type { TwoApp } from "../twoClasses";
import { attr, el, setText, show, svg } from "../view/dom";
import { Frame } from "../view/frame";
import { hereEntry, modelLines } from "../view/legends";
import { modelColour, modelDash } from "../view/palette";
import type { Panel } from "../view/panel";
import { linePath } from "../view/path";
import { Plot } from "../view/plot";
import type { Sheet } from "../view/saving";

export type Place = readonly [x: number, y: number];

export interface Curve {
  places: readonly Place[];
  /** Whose curve; without one it is a line to compare with. */
  model?: number;
}

export interface Chart {
  /** Ends of the axis; shares where nothing else is said, as always across. */
  y?: [number, number];
  curves: readonly Curve[];
  /** Corners of an area around a curve of the model on show. */
  band?: readonly Place[];
}

export interface Here {
  /** A place, or a whole line across where y is null. */
  x: number;
  y: number | null;
  text?: string;
  ring?: boolean;
}

/** A place that a pointer or the arrow keys can ask about. */
export interface Stop {
  at: Place;
  text: string;
}

export interface CurveSpec {
  id: string;
  title: string;
  label: string;
  names(at: Situation): [x: string, y: string];
  /** Percentages where nothing else is said. */
  xFormat?: (value: number) => string;
  yFormat?: (value: number) => string;
  /** Why there is nothing to draw; null where there is. */
  missing(at: Situation): string | null;
  about(at: Situation): string;
  chart(at: Situation): Chart;
  here(at: Situation): Here[];
  /** The part of a curve that belongs to the rule. */
  trail?(at: Situation): readonly Place[];
  stops?(at: Situation): Stop[];
  said(at: Situation): string;
  sheet(at: Situation): Sheet;
}

const ROOM = 110;

export function curvePanel(app: TwoApp, spec: CurveSpec): Panel {
  const frame = new Frame(spec.id, spec.title);
  const plot = new Plot(
    {
      id: `chart-${spec.id}`,
      label: spec.label,
      ...{ xName: "", yName: "", ratio: 0.72, lowest: 260, highest: 480, left: 56, focusable: spec.stops !== undefined },
      ...{ xFormat: spec.xFormat ?? percentMark, yFormat: spec.yFormat ?? percentMark },
    },
    () => app.redraw(panel),
  );
  const band = svg("path", { class: "band" });
  const curves = svg("g");
  const trail = svg("path", { class: "here-line trail" });
  const marks = svg("g");
  const pointed = svg("circle", { class: "hover-dot", r: 5 });
  const said = el("p", { class: "reading", "data-role": `${spec.id}-said` });
  const nothing = el("p", { class: "sentence" });
  plot.under.append(band, curves);
  plot.over.append(trail, marks, pointed);
  frame.body.append(plot.element, nothing, said);
  let now = app.at();
  let stop: number | null = null;

  const inside = (value: number, [low, high]: readonly number[]): number => Math.min(high, Math.max(low, value));
  const px = (x: number): number => plot.x(inside(x, plot.x.domain));
  const py = (y: number): number => plot.y(inside(y, plot.y.domain));
  const trace = (places: readonly Place[], closed = false): string => linePath(places.map(([x, y]) => [px(x), py(y)]), closed);

  function draw(at: Situation): void {
    now = at;
    const reason = spec.missing(at);
    show(nothing, reason !== null);
    setText(nothing, reason ?? "");
    show(plot.element, reason === null);
    show(said, reason === null);
    setText(frame.about, spec.about(at));
    if (reason !== null || !plot.ready) return;
    const { y = [0, 1], curves: lines, band: corners = [] } = spec.chart(at);
    plot.axes([0, 1], y);
    plot.name(...spec.names(at));
    attr(band, { d: trace(corners, true), fill: modelColour(at.k, at.theme) });
    curves.replaceChildren(
      ...[...lines].sort((one, two) => rank(at, one) - rank(at, two)).map(({ places, model }) =>
        svg("path", {
          ...(model === undefined
            ? { class: "faint" }
            : {
                class: model === at.k ? "chosen" : "other",
                stroke: modelColour(model, at.theme),
                "stroke-dasharray": modelDash(model),
              }),
          d: trace(places),
        }),
      ),
    );
  }

  function move(at: Situation): void {
    now = at;
    if (!plot.ready || spec.missing(at) !== null) return;
    attr(trail, { d: trace(spec.trail?.(at) ?? []) });
    marks.replaceChildren(...spec.here(at).flatMap(markOf));
    point(null);
    frame.refresh();
  }

  function markOf({ x, y, text = "", ring = false }: Here): SVGElement[] {
    const [cx, cy] = [px(x), y === null ? 14 : py(y)];
    const mark =
      y === null
        ? svg("line", { class: "here-line", "stroke-dasharray": "2 3", x1: cx, x2: cx, y1: 0, y2: plot.height })
        : svg("circle", { class: ring ? "mark-here" : "here-dot", r: 5, cx, cy });
    const right = cx < plot.width - ROOM;
    const down = Math.min(plot.height - 4, Math.max(12, cy + (y === null ? 0 : 16)));
    const place = { x: cx + (right ? 9 : -9), y: down, "text-anchor": right ? "start" : "end" };
    return text === "" ? [mark] : [mark, svg("text", { class: "here-text haloed", ...place }, text)];
  }

  /** Mark one of the stops and say what holds there; without one, what holds here. */
  function point(chosen: number | null): void {
    stop = chosen;
    const found = chosen === null ? undefined : spec.stops?.(now)[chosen];
    show(pointed, found !== undefined);
    setText(said, found?.text ?? spec.said(now));
    if (found !== undefined) attr(pointed, { cx: px(found.at[0]), cy: py(found.at[1]) });
  }

  if (spec.stops !== undefined) {
    const stops = spec.stops;
    const { drawing } = plot;
    const usable = (): boolean => plot.ready && spec.missing(now) === null;
    drawing.addEventListener("pointermove", (event) => {
      if (!usable()) return;
      const { x, y } = plot.pixel(event);
      const far = stops(now).map(({ at }) => (px(at[0]) - x) ** 2 + (py(at[1]) - y) ** 2);
      if (far.length > 0) point(far.indexOf(Math.min(...far)));
    });
    for (const end of ["pointerleave", "blur"]) drawing.addEventListener(end, () => usable() && point(null));
    drawing.addEventListener("keydown", (event) => {
      const sign = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (sign === 0 || !usable()) return;
      event.preventDefault();
      const last = stops(now).length - 1;
      point(Math.min(last, Math.max(0, (stop ?? (sign > 0 ? -1 : last + 1)) + sign * (event.shiftKey ? 10 : 1))));
    });
  }
  show(pointed, false);

  frame.picture(() =>
    plot.picture(`${spec.title}: ${spec.about(now)}`, [...modelLines(now), ...(spec.here(now).length ? [hereEntry("at these costs")] : [])]),
  );
  frame.numbers(() => (spec.missing(now) === null ? spec.sheet(now) : { columns: ["nothing to show"], rows: [] }));
  const panel = frame.panel(draw, move);
  return panel;
}

/** Lines to compare with lie lowest, the model on show on top. */
function rank({ k }: Situation, { model }: Curve): number {
  return model === undefined ? 0 : model === k ? 2 : 1;
}

/** Percentages on an axis. */
export function percentMark(value: number): string {
  return `${Math.round(100 * value)} %`;
}
