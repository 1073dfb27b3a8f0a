/** Scores by class with the window: what falls below, inside and above it. */
import type { App } from "../app";
import { threshold } from "../view/format";
import { attr, setText, show, svg } from "../view/dom";
import { Frame } from "../view/frame";
import { chooseCuts, type Cut } from "../view/hover";
import type { Panel } from "../view/panel";
import { scoreAxis } from "../view/scoreAxis";
import { Plot } from "../view/plot";
import { shown } from "../view/saving";
import { classEntries, hereEntry } from "../view/legends";
import type { Situation } from "../situation";

export function scoresPanel(app: App): Panel {
  const frame = new Frame("scores", "Scores");
  let axis = scoreAxis(app.situation().model);
  const plot = new Plot(
    {
      id: "chart-scores",
      label: "Scores by class",
      xName: "score",
      yName: "",
      ratio: 0.62,
      lowest: 240,
      highest: 420,
      top: 34,
      left: 44,
      focusable: true,
      xFormat: (v) => axis.text(v),
      yFormat: (v) => `${Math.abs(v)} %`,
    },
    () => app.redraw(panel),
  );
  const bars = svg("g");
  const inside = svg("rect", { class: "here-area", y: 0 });
  const lower = svg("line", { class: "here-line", y1: 0 });
  const upper = svg("line", { class: "here-line", y1: 0 });
  /** Thresholds that the reader uses today. */
  const todays = [svg("line", { class: "today-line", y1: 0 }), svg("line", { class: "today-line", y1: 0 })];
  const labels = {
    below: svg("text", { y: -20, class: "negative-text" }),
    between: svg("text", { y: -20 }),
    above: svg("text", { y: -20, class: "positive-text" }),
  };
  const values = {
    lower: svg("text", { class: "here-text", y: -5 }),
    upper: svg("text", { class: "here-text", y: -5 }),
  };
  const names = {
    positive: svg("text", { class: "positive-text haloed" }),
    negative: svg("text", { class: "negative-text haloed" }),
  };
  const pointed = svg("line", { class: "hover", y1: 0 });
  plot.under.append(inside, bars, names.positive, names.negative);
  plot.over.append(
    ...todays,
    lower,
    upper,
    labels.below,
    labels.between,
    labels.above,
    values.lower,
    values.upper,
    pointed,
  );
  frame.body.append(plot.element);

  let now: Situation | null = null;

  /** Any score inside the axis: infinite thresholds stand at its ends. */
  function place(score: number): number {
    const [low, high] = plot.x.domain();
    return plot.x(Math.min(high, Math.max(low, axis.at(score))));
  }

  function draw(at: Situation): void {
    now = at;
    if (!plot.ready) return;
    const { edges, positives, negatives } = at.model.bins;
    axis = scoreAxis(at.model);
    const ends = withoutInfinity(edges);
    const finite = ends.map((edge) => axis.at(edge));
    const share = (counts: number[], all: number): number[] =>
      counts.map((count) => (all > 0 ? (100 * count) / all : 0));
    const up = share(positives, at.data.n_positive);
    const down = share(negatives, at.data.n_negative);
    const most = Math.max(...up, ...down, 1);
    const [first, last] = [finite[0], finite[finite.length - 1]];
    const across: [number, number] = first < last ? [first, last] : [first - 0.5, first + 0.5];
    const places = axis.marks(axis.logOdds ? ends[0] : across[0], axis.logOdds ? ends[ends.length - 1] : across[1], plot.width);
    plot.axes(across, [-1.05 * most, 1.05 * most], { xMarks: places });
    plot.name(axis.logOdds ? "score, on a scale of log-odds" : "score", "");
    bars.replaceChildren();
    const zero = plot.y(0);
    finite.slice(0, -1).forEach((edge, k) => {
      const x = plot.x(edge);
      const width = Math.max(1, plot.x(finite[k + 1]) - x - (plot.width > 300 ? 1 : 0.5));
      if (up[k] > 0)
        bars.append(
          svg("rect", { class: "positive", x, width, y: plot.y(up[k]), height: zero - plot.y(up[k]) }),
        );
      if (down[k] > 0)
        bars.append(svg("rect", { class: "negative", x, width, y: zero, height: plot.y(-down[k]) - zero }));
    });
    setText(names.positive, at.names.positive);
    setText(names.negative, at.names.negative);
    attr(names.positive, { ...freeSide(up), y: 12 });
    attr(names.negative, { ...freeSide(down), y: plot.height - 6 });
    for (const line of [lower, upper, pointed]) attr(line, { y2: plot.height });
    attr(inside, { height: plot.height });
    setText(frame.about, `share of each class per bin; ${at.modelName}`);
  }

  /** The end of the axis where the bars are lower. */
  function freeSide(heights: number[]): { x: number; "text-anchor": string } {
    const some = Math.ceil(heights.length / 4);
    const right = Math.max(...heights.slice(-some)) <= Math.max(...heights.slice(0, some));
    return { x: right ? plot.width - 4 : 6, "text-anchor": right ? "end" : "start" };
  }

  function move(at: Situation): void {
    now = at;
    if (!plot.ready) return;
    const { window } = at;
    const [left, right] = [place(window.lower), place(window.upper)];
    attr(inside, { x: left, width: Math.max(0, right - left) });
    attr(lower, { x1: left, x2: left });
    attr(upper, { x1: right, x2: right });
    const today = at.state.today?.model === at.k ? at.state.today : null;
    todays.forEach((line, k) => {
      const score = k ? today?.upper : today?.lower;
      show(line, score !== undefined && !(k === 0 && today?.lower === today?.upper));
      if (score !== undefined) attr(line, { x1: place(score), x2: place(score), y2: plot.height });
    });
    const empty = window.i === window.j;
    setText(values.lower, empty ? "" : threshold(window.lower));
    setText(values.upper, threshold(window.upper));
    const tight = right - left < 60;
    attr(values.lower, {
      x: tight ? left - 3 : left,
      "text-anchor": tight && left > 40 ? "end" : left < 20 ? "start" : "middle",
    });
    attr(values.upper, {
      x: tight ? right + 3 : right,
      "text-anchor": tight && right < plot.width - 40 ? "start" : right > plot.width - 20 ? "end" : "middle",
    });
    caption(labels.below, `say ${at.names.negative}`, 0, left);
    caption(labels.between, empty ? "" : "abstain", left, right);
    caption(labels.above, `say ${at.names.positive}`, right, plot.width);
    frame.refresh();
  }

  /** Centre a word in its part of the axis; a part too narrow for it goes without. */
  function caption(node: SVGTextElement, text: string, from: number, to: number): void {
    setText(node, text);
    attr(node, { x: (from + to) / 2, "text-anchor": "middle" });
    show(node, to - from > 7 * Math.min(text.length, 30));
  }

  function mark(cut: Cut): void {
    const visible = cut !== null && now !== null && plot.ready;
    show(pointed, visible);
    if (visible) {
      const x = place(now!.surface.upper[cut!]);
      attr(pointed, { x1: x, x2: x });
    }
  }

  chooseCuts(
    app.hover,
    plot.drawing,
    () => now,
    (event) => (now === null ? null : now.nearestCut(axis.score(plot.locate(event).x))),
  );
  app.hover.listen(mark);
  mark(null);
  frame.picture(() => plot.picture(`Scores of ${now!.modelName} by class`, [
      ...classEntries(now!),
      hereEntry("sent to a person"),
    ]));
  frame.numbers(() => {
    const { edges, positives, negatives } = now!.model.bins;
    return {
      columns: ["from score", "to score", now!.names.positive, now!.names.negative],
      rows: positives.map((count, k) => [
        shown(edges[k], threshold),
        shown(edges[k + 1], threshold),
        count,
        negatives[k],
      ]),
    };
  });
  const panel: Panel = { element: frame.section, draw, move };
  return panel;
}

/** Bins of infinite scores, drawn as wide as their neighbours. */
function withoutInfinity(edges: number[]): number[] {
  const inner = edges.filter(Number.isFinite);
  const [first, last] = [inner[0] ?? 0, inner[inner.length - 1] ?? 0];
  const width = inner.length > 1 ? (last - first) / (inner.length - 1) : 1;
  return edges.map((edge) => (edge === -Infinity ? first - width : edge === Infinity ? last + width : edge));
}
