/** A chart of curves with the point of the current costs: what several panels share. */
import type { App } from "../app";
import type { Situation } from "../situation";
import { attr, el, setText, show, svg } from "../view/dom";
import { Frame } from "../view/frame";
import { hereEntry, modelLines } from "../view/legends";
import { modelColour, modelDash } from "../view/palette";
import type { Panel } from "../view/panel";
import { linePath } from "../view/path";
import { Plot } from "../view/plot";
import type { Sheet } from "../view/saving";

type Place = readonly [x: number, y: number];

export interface Curve {
  places: readonly Place[];
  /** Whose curve; without one it is a line to compare with. */
  model?: number;
}

export interface Chart {
  x: [number, number];
  y: [number, number];
  curves: readonly Curve[];
  /** Corners of an area around a curve of the model on show. */
  band?: readonly Place[];
  xMarks?: number[];
}

export interface Here {
  /** A place, or a whole line across where y is null. */
  x: number;
  y: number | null;
  text: string;
  /** Whether the words stand on the left. */
  left?: boolean;
}

export interface CurveSpec {
  id: string;
  title: string;
  label: string;
  names(at: Situation): [x: string, y: string];
  xFormat?: (value: number) => string;
  yFormat?: (value: number) => string;
  /** Whether the curves themselves follow the costs. */
  live?: boolean;
  /** Why there is nothing to draw; null where there is. */
  missing(at: Situation): string | null;
  about(at: Situation): string;
  chart(at: Situation, width: number): Chart;
  here(at: Situation): Here[];
  said(at: Situation): string;
  sheet(at: Situation): Sheet;
  /** Controls of one's own, above the chart. */
  controls?: HTMLElement[];
}

const ROOM = 110;

export function curvePanel(app: App, spec: CurveSpec): Panel {
  const frame = new Frame(spec.id, spec.title);
  const plot = new Plot(
    {
      id: `chart-${spec.id}`,
      label: spec.label,
      ...{ xName: "", yName: "", ratio: 0.72, lowest: 260, highest: 480, left: 56 },
      ...(spec.xFormat && { xFormat: spec.xFormat }),
      ...(spec.yFormat && { yFormat: spec.yFormat }),
    },
    () => app.redraw(panel),
  );
  const band = svg("path", { class: "band" });
  const curves = svg("g");
  const marks = svg("g");
  const said = el("p", { class: "reading", "data-role": `${spec.id}-said` });
  const nothing = el("p", { class: "sentence" });
  plot.under.append(band, curves);
  plot.over.append(marks);
  frame.body.append(...(spec.controls ?? []), plot.element, nothing, said);
  let now = app.situation();

  function draw(at: Situation): void {
    now = at;
    const reason = spec.missing(at);
    show(nothing, reason !== null);
    setText(nothing, reason ?? "");
    show(plot.element, reason === null);
    show(said, reason === null);
    setText(frame.about, spec.about(at));
    if (reason !== null || !plot.ready) return;
    const { x, y, curves: lines, band: corners = [], xMarks } = spec.chart(at, plot.width);
    plot.axes(x, y, xMarks === undefined ? {} : { xMarks });
    plot.name(...spec.names(at));
    const trace = (places: readonly Place[], closed = false): string =>
      linePath(places.map(([px, py]) => [plot.x(px), plot.y(Math.min(y[1], Math.max(y[0], py)))]), closed);
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
    // while the hand moves the point, curves that follow the costs wait until it lets go
    if (spec.live === true && app.domain.held) return;
    if (spec.live === true) draw(at);
    if (!plot.ready || spec.missing(at) !== null) return;
    const [low, high] = plot.y.domain();
    marks.replaceChildren(
      ...spec.here(at).flatMap(({ x, y, text, left }) => {
        const px = plot.x(Math.min(plot.x.domain()[1], Math.max(plot.x.domain()[0], x)));
        const right = left === true ? px < ROOM : px < plot.width - ROOM;
        const py = y === null ? 14 : plot.y(Math.min(high, Math.max(low, y)));
        const mark =
          y === null
            ? svg("line", { class: "here-line", "stroke-dasharray": "2 3", x1: px, x2: px, y1: 0, y2: plot.height })
            : svg("circle", { class: "here-dot", r: 5, cx: px, cy: py });
        const words = svg(
          "text",
          {
            class: "here-text haloed",
            x: px + (right ? 9 : -9),
            y: Math.min(plot.height - 4, Math.max(12, py + (y === null ? 0 : 16))),
            "text-anchor": right ? "start" : "end",
          },
          text,
        );
        return [mark, words];
      }),
    );
    setText(said, spec.said(at));
    frame.refresh();
  }

  frame.picture(() =>
    plot.picture(`${spec.title}: ${spec.about(now)}`, [...modelLines(now), ...(spec.here(now).length ? [hereEntry("at these costs")] : [])]),
  );
  frame.numbers(() => (spec.missing(now) === null ? spec.sheet(now) : { columns: ["nothing to show"], rows: [] }));
  const panel: Panel = { element: frame.section, draw, move };
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
