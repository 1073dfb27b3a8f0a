/** Scores by class with the thresholds: what is called negative, sent to a person, called positive; and any single score. */
import { decisionOf } from "../math/fixedRule";
import { percent } from "../numbers";
import type { Situation } from "../situation";
import type { TwoApp } from "../twoClasses";
import { attr, cut, el, setText, svg } from "../view/dom";
import { threshold } from "../view/format";
import { Frame } from "../view/frame";
import { classEntries, hereEntry } from "../view/legends";
import type { Panel } from "../view/panel";
import { Plot } from "../view/plot";
import { shown } from "../view/saving";
import { scoreAxis } from "../view/scoreAxis";
import { field } from "./field";

export function scoresPanel(app: TwoApp): Panel {
  const frame = new Frame("scores", "Scores");
  let now = app.at();
  let axis = scoreAxis(now.model);
  const plot = new Plot(
    {
      ...{ id: "chart-scores", label: "Scores by class", xName: "", yName: "", ratio: 0.5, lowest: 240, highest: 420, top: 34, left: 44 },
      xFormat: (place) => axis.text(place),
      yFormat: (share) => `${Math.abs(share)} %`,
    },
    () => app.redraw(panel),
  );
  const [bars, rule] = [svg("g"), svg("g")];
  const inside = svg("rect", { class: "here-area", y: 0 });
  plot.under.append(inside, bars);
  plot.over.append(rule);
  const trial = scoreTrial(app);
  frame.body.append(plot.element, trial.element);

  /** Any score inside the axis: infinite thresholds stand at its ends. */
  function place(score: number): number {
    const [low, high] = plot.x.domain;
    return plot.x(Math.min(high, Math.max(low, axis.at(score))));
  }

  function draw(at: Situation): void {
    now = at;
    setText(frame.about, `share of each class per bin; ${at.modelName}`);
    if (!plot.ready) return;
    const { edges, positives, negatives } = at.model.bins;
    axis = scoreAxis(at.model);
    const ends = withoutInfinity(edges);
    const places = ends.map((edge) => axis.at(edge));
    const share = (counts: number[], all: number): number[] => counts.map((count) => (all > 0 ? (100 * count) / all : 0));
    const [up, down] = [share(positives, at.data.n_positive), share(negatives, at.data.n_negative)];
    const most = 1.05 * Math.max(...up, ...down, 1);
    const [first, last] = [places[0], places[places.length - 1]];
    const across: [number, number] = first < last ? [first, last] : [first - 0.5, first + 0.5];
    const [from, to] = axis.logOdds ? [ends[0], ends[ends.length - 1]] : across;
    plot.axes(across, [-most, most], { xMarks: axis.marks(from, to, plot.width) });
    plot.name(axis.logOdds ? "score, on a scale of log-odds" : "score", "");
    const bar = (look: string, k: number, high: number, low: number): SVGRectElement =>
      svg("rect", { class: look, x: plot.x(places[k]), width: Math.max(1, plot.x(places[k + 1]) - plot.x(places[k]) - 1), y: plot.y(high), height: plot.y(low) - plot.y(high) });
    const name = (look: "positive" | "negative", heights: number[], y: number): SVGTextElement =>
      svg("text", { class: `${look}-text haloed`, ...freeSide(heights), y }, at.names[look]);
    bars.replaceChildren(
      ...up.flatMap((height, k) => (height > 0 ? [bar("positive", k, height, 0)] : [])),
      ...down.flatMap((height, k) => (height > 0 ? [bar("negative", k, 0, -height)] : [])),
      name("positive", up, 12),
      name("negative", down, plot.height - 6),
    );
  }

  /** The end of the axis where the bars are lower. */
  function freeSide(heights: number[]): { x: number; "text-anchor": string } {
    const some = Math.ceil(heights.length / 4);
    const right = Math.max(...heights.slice(-some)) <= Math.max(...heights.slice(0, some));
    return { x: right ? plot.width - 4 : 6, "text-anchor": right ? "end" : "start" };
  }

  function move(at: Situation): void {
    now = at;
    trial.move(at);
    if (!plot.ready) return;
    const { window, names } = at;
    const [left, right] = [place(window.lower), place(window.upper)];
    const single = window.i === window.j;
    const line = (score: number, look: string): SVGLineElement => svg("line", { class: look, x1: place(score), x2: place(score), y1: 0, y2: plot.height });
    const today = at.state.today?.model === at.k ? at.state.today : null;
    /** Centre a word in its part of the axis; a part too narrow for it goes without. */
    const word = (text: string, from: number, to: number, look: string): SVGTextElement[] =>
      to - from > 7 * Math.min(text.length, 30) ? [svg("text", { class: look, x: (from + to) / 2, y: -20, "text-anchor": "middle" }, text)] : [];
    const value = (score: number, x: number, anchor: string): SVGTextElement =>
      svg("text", { class: "here-text", x, y: -5, "text-anchor": x < 30 ? "start" : x > plot.width - 30 ? "end" : anchor }, threshold(score));
    const tight = right - left < 60;
    attr(inside, { x: left, width: Math.max(0, right - left), height: plot.height });
    rule.replaceChildren(
      ...(today === null ? [] : [...new Set([today.lower, today.upper])].map((score) => line(score, "today-line"))),
      ...[window.lower, window.upper].map((score) => line(score, "here-line")),
      ...word(`call ${names.negative}`, 0, left, "negative-text"),
      ...(single ? [] : word("to a person", left, right, "")),
      ...word(`call ${names.positive}`, right, plot.width, "positive-text"),
      ...(single ? [] : [value(window.lower, tight ? left - 3 : left, tight ? "end" : "middle")]),
      value(window.upper, tight ? right + 3 : right, tight ? "start" : "middle"),
    );
    frame.refresh();
  }

  frame.picture(() => plot.picture(`Scores of ${now.modelName} by class`, [...classEntries(now), hereEntry("sent to a person")]));
  frame.numbers(() => {
    const { edges, positives, negatives } = now.model.bins;
    return {
      columns: ["from score", "to score", now.names.positive, now.names.negative],
      rows: positives.map((count, k) => [shown(edges[k], threshold), shown(edges[k + 1], threshold), count, negatives[k]]),
    };
  });
  const panel = frame.panel(draw, move);
  return panel;
}

/** Bins of infinite scores, drawn as wide as their neighbours. */
function withoutInfinity(edges: number[]): number[] {
  const inner = edges.filter(Number.isFinite);
  const [first, last] = [inner[0] ?? 0, inner[inner.length - 1] ?? 0];
  const width = inner.length > 1 ? (last - first) / (inner.length - 1) : 1;
  return edges.map((edge) => (edge === -Infinity ? first - width : edge === Infinity ? last + width : edge));
}

/** What happens to a case with some score. */
function scoreTrial(app: TwoApp): { element: HTMLElement; move(at: Situation): void } {
  let score = NaN;
  const said = el("output", { "data-role": "trial-words", for: "trial" });
  const move = (at: Situation): void => setText(said, Number.isNaN(score) ? "" : trialWords(at, score));
  const input = field({ id: "trial", label: "Try a score", gain: true, empty: NaN }, (value) => {
    score = value;
    move(app.at());
  });
  return { element: el("div", { class: "today-fields" }, input.element, said), move };
}

/** "0.42: to a person. Of cases scored like this 35 % were positive." */
function trialWords(at: Situation, score: number): string {
  const { data, surface } = at.prepared.models[at.k];
  const rule = at.answer?.rule;
  const trivial = { "always positive": 1, "always negative": 0, "always abstain": 2 } as const;
  const decision = rule?.model === null ? trivial[rule.kind as keyof typeof trivial] : decisionOf(at.window, score);
  const verdict = [`called ${at.names.negative}`, `called ${at.names.positive}`, "to a person"][decision];
  const { lower, upper } = data.blocks;
  let block = 0;
  while (block + 1 < upper.length && score > (upper[block] + lower[block + 1]) / 2) block++;
  const outside = score < lower[0] || score > upper[upper.length - 1];
  const far = outside ? " No case of the data scored so." : "";
  return `${threshold(score)} by ${cut(data.name, 30)}: ${verdict}. Of cases scored about like this ${percent(surface.shares[block])} are ${at.names.positive}.${far}`;
}
