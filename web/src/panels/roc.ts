/** ROC curve with its convex hull; the window is the part of the hull between its two thresholds. */
import type { App } from "../app";
import { threshold } from "../view/format";
import { attr, el, setText, show, svg } from "../view/dom";
import { Frame } from "../view/frame";
import { chooseCuts, type Cut } from "../view/hover";
import { hereEntry, modelLines } from "../view/legends";
import { modelColour, modelDash } from "../view/palette";
import type { Panel } from "../view/panel";
import { linePath } from "../view/path";
import { Plot } from "../view/plot";
import { shown } from "../view/saving";
import type { Situation } from "../situation";

const percent = (value: number): string => `${Math.round(100 * value)} %`;

export function rocPanel(app: App): Panel {
  const frame = new Frame("roc", "ROC", "");
  const plot = new Plot(
    {
      id: "chart-roc",
      label: "ROC curve",
      xName: "",
      yName: "",
      ratio: 0.72,
      lowest: 260,
      highest: 480,
      xFormat: percent,
      yFormat: percent,
      focusable: true,
    },
    () => app.redraw(panel),
  );
  const curves = svg("g");
  const diagonal = svg("line", { class: "faint" });
  const hull = svg("path", { class: "faint" });
  const inside = svg("path", {
    class: "here-line",
    "stroke-width": 4,
    "stroke-opacity": 0.55,
    "stroke-linecap": "round",
  });
  const ends = [svg("circle", { class: "here-dot", r: 5 }), svg("circle", { class: "here-dot", r: 5 })];
  const names = [0, 1].map(() => svg("text", { class: "here-text haloed" }));
  const pointed = svg("circle", { class: "hover-dot", r: 5 });
  const said = el("p", { class: "reading" });
  frame.body.append(plot.element, said);
  plot.under.append(diagonal, curves, hull);
  plot.over.append(inside, ...ends, ...names, pointed);

  let now: Situation | null = null;

  function trace(fpr: ArrayLike<number>, tpr: ArrayLike<number>, from = 0, to = fpr.length - 1): string {
    const cuts = Array.from({ length: to - from + 1 }, (_, k) => from + k);
    return linePath(cuts.map((k) => [plot.x(fpr[k]), plot.y(tpr[k])]));
  }

  function draw(at: Situation): void {
    now = at;
    if (!plot.ready) return;
    plot.axes([0, 1], [0, 1]);
    plot.name(`${at.names.negative} called ${at.names.positive}`, `${at.names.positive} found`);
    attr(diagonal, { x1: plot.x(0), y1: plot.y(0), x2: plot.x(1), y2: plot.y(1) });
    curves.replaceChildren();
    const order = at.data.models.map((_, k) => k).filter((k) => k !== at.k);
    for (const k of [...order, at.k]) {
      const { fpr, tpr } = at.data.models[k].roc;
      curves.append(
        svg("path", {
          class: k === at.k ? "chosen" : "other",
          stroke: modelColour(k, at.theme),
          "stroke-dasharray": modelDash(k),
          d: trace(fpr, tpr),
        }),
      );
    }
    const corners = at.hull;
    attr(hull, { d: corners === null ? "" : trace(corners.fpr, corners.tpr) });
    setText(
      frame.about,
      corners === null ? "needs cases of both classes" : "dotted: hull of the curve, and chance",
    );
    for (const end of ends) show(end, corners !== null);
  }

  function move(at: Situation): void {
    now = at;
    const corners = at.hull;
    if (!plot.ready || corners === null) return;
    const { i, j, lower, upper } = at.window;
    const places = endsOf(at).map(([fpr, tpr]): [number, number] => [plot.x(fpr), plot.y(tpr)]);
    // under a limit the ends may lie below the hull, between its corners
    attr(inside, { d: i === j ? "" : !at.searched ? trace(corners.fpr, corners.tpr, i, j) : linePath(places) });
    places.forEach(([x, y], k) => {
      attr(ends[k], { cx: x, cy: y });
      const right = x < plot.width - 90;
      attr(names[k], {
        x: right ? x + 9 : x - 9,
        y: Math.min(plot.height - 4, y + (k === 0 ? 16 : 14)),
        "text-anchor": right ? "start" : "end",
      });
    });
    setText(names[0], threshold(upper));
    setText(names[1], i < j ? threshold(lower) : "");
    const close = Math.hypot(places[0][0] - places[1][0], places[0][1] - places[1][1]) < 26;
    show(names[1], !close);
    frame.refresh();
  }

  function mark(cut: Cut): void {
    const corners = now?.hull ?? null;
    const visible = cut !== null && corners !== null && plot.ready;
    show(pointed, visible);
    if (!visible) {
      setText(said, "");
      return;
    }
    attr(pointed, { cx: plot.x(corners.fpr[cut]), cy: plot.y(corners.tpr[cut]) });
    setText(
      said,
      `At threshold ${threshold(now!.surface.upper[cut])}: ${percent(corners.tpr[cut])} found, ${percent(corners.fpr[cut])} false alarms.`,
    );
  }

  function nearest(event: PointerEvent): Cut {
    const corners = now?.hull ?? null;
    if (corners === null) return null;
    const at = plot.locate(event);
    let best = 0;
    let least = Infinity;
    corners.fpr.forEach((fpr, k) => {
      const far = (fpr - at.x) ** 2 + (corners.tpr[k] - at.y) ** 2;
      if (far < least) [best, least] = [k, far];
    });
    return best;
  }

  chooseCuts(app.hover, plot.drawing, () => now, nearest);
  app.hover.listen(mark);
  mark(null);
  frame.picture(() => plot.picture("ROC curve with its hull and the window", [
      ...modelLines(now!),
      hereEntry(`window of ${now!.modelName}`),
    ]));
  frame.numbers(() => {
    const corners = now!.hull;
    const cuts = corners === null ? [] : Array.from(corners.fpr.keys());
    return {
      columns: ["threshold (hull)", "true positive rate", "false positive rate"],
      rows: cuts.map((c) => [
        shown(now!.surface.upper[c], threshold),
        shown(corners!.tpr[c], (rate) => rate.toFixed(4)),
        shown(corners!.fpr[c], (rate) => rate.toFixed(4)),
      ]),
    };
  });
  const panel: Panel = { element: frame.section, draw, move };
  return panel;
}

/** False and true positive rate at the upper and at the lower threshold. */
function endsOf({ window, prevalence }: Situation): [number, number][] {
  const share = (part: number, whole: number): number => (whole > 0 ? part / whole : 0);
  const { fp, tp, abstainNegative, abstainPositive } = window;
  return [
    [share(fp, 1 - prevalence), share(tp, prevalence)],
    [share(fp + abstainNegative, 1 - prevalence), share(tp + abstainPositive, prevalence)],
  ];
}
