/** Two models side by side: where one is cheaper for sure, and where nobody can tell. */
import type { App } from "../app";
import { comparisonOf, type Difference } from "../comparison";
import { costGrid, mapValues } from "../math/costMap";
import { borderLine } from "../math/lemma1";
import type { Situation } from "../situation";
import { FALSE_ALARM, REVIEW } from "../view/axisNames";
import { attr, cut, el, setText, show, svg } from "../view/dom";
import { amount, pValue, withInterval } from "../view/format";
import { Frame } from "../view/frame";
import { gridSheet } from "../view/gridSheet";
import { byTable, fit, hatch, paint } from "../view/paint";
import { DIVERGING } from "../view/palette";
import type { Panel } from "../view/panel";
import { linePath } from "../view/path";
import { Plot } from "../view/plot";

const SIDE = 129;
const UNIT = { muMax: 1, nuMax: 1 };

export function comparePanel(app: App): Panel {
  const { models } = app.data;
  const frame = new Frame("compare", "Compare");
  if (models.length === 1) {
    frame.body.append(el("p", { class: "sentence" }, "Only one model: nothing to compare."));
    return { element: frame.section, draw: () => undefined, move: () => undefined };
  }
  const [first, second] = ["a", "b"].map((side) =>
    picker(
      side,
      models.map(({ name }) => name),
    ),
  );
  const swap = el("button", { type: "button", class: "quiet", "data-role": "compare-swap" }, "Swap");
  const plot = new Plot(
    {
      id: "chart-compare",
      label: "Difference of costs",
      xName: FALSE_ALARM,
      yName: REVIEW,
      ratio: 0.75,
      lowest: 260,
      highest: 400,
    },
    () => app.redraw(panel),
  );
  const canvas = el("canvas", { class: "under", "aria-hidden": "true" });
  plot.element.prepend(canvas);
  plot.canvas = canvas;
  const borders = [svg("path", { class: "map-halo" }), svg("path", { class: "map-line dashed" })];
  const here = svg("circle", { class: "map-dot", r: 6.5 });
  plot.under.append(...borders);
  plot.over.append(here);
  const lead = el("p", { "data-role": "compare-here" });
  const words = el("ul", { class: "words", "data-role": "compare-words" });
  const key = el("ul", { class: "key" });
  frame.body.append(
    el(
      "div",
      { class: "choose" },
      el("span", { class: "pick" }, el("label", { for: "compare-a" }, "A"), first),
      el("span", { class: "pick" }, el("label", { for: "compare-b" }, "B"), second),
      swap,
    ),
    el("div", { class: "compare-layout" }, plot.element, el("div", {}, key, lead, words)),
  );

  function choose(): void {
    app.change({ compare: [Number(first.value), Number(second.value)] });
  }
  first.addEventListener("change", choose);
  second.addEventListener("change", choose);
  swap.addEventListener("click", () => {
    const [a, b] = app.current.compare ?? [0, 1];
    app.change({ compare: [b, a] });
  });

  function pairOf(at: Situation): [number, number] {
    const [a, b] = at.state.compare ?? [0, 1];
    return [a, b];
  }

  let painted = "";

  function draw(at: Situation): void {
    const [a, b] = pairOf(at);
    first.value = String(a);
    second.value = String(b);
    const [nameA, nameB] = [cut(models[a].name, 30), cut(models[b].name, 30)];
    const pair = comparisonOf(at.data, a, b);
    setText(frame.about, "A minus B at every price; hatched: undecided");
    words.replaceChildren(...sentences(at, a, b).map((text) => el("li", {}, text)));
    key.replaceChildren(...legend(nameA, nameB, pair !== null));
    if (!plot.ready) return;
    plot.axes([0, 1], [0, 1]);
    canvas.style.left = `${plot.left}px`;
    canvas.style.top = `${plot.top}px`;
    const state = [at.prepared.prevalence, at.theme, a, b, plot.width, plot.height].join("|");
    if (state !== painted) {
      painted = state;
      const values = mapValues("difference", costGrid(SIDE, SIDE), at.surfaces, a, b);
      const most = values.reduce((largest, value) => Math.max(largest, Math.abs(value)), 1e-12);
      const context = fit(canvas, plot.width, plot.height);
      paint(context, { values, columns: SIDE, rows: SIDE }, byTable(DIVERGING, -most, most), true);
      // the mask holds at the prevalence of the report only
      if (pair !== null && at.prepared.prevalence === at.data.prevalence)
        hatch(context, pair.mask, pair.grid, UNIT, at.theme);
    }
    const limit = linePath(borderLine(1, 40).map(([x, y]) => [plot.x(x), plot.y(y)]));
    for (const border of borders) attr(border, { d: limit });
    plot.describe(`Difference of the costs of ${nameA} and ${nameB}`);
  }

  function move(at: Situation): void {
    const [a, b] = pairOf(at);
    const step = Math.min(at.step(at.outcome(a)), at.step(at.outcome(b)));
    const gap = at.outcome(a).window.cost - at.outcome(b).window.cost;
    const [nameA, nameB] = [cut(models[a].name, 30), cut(models[b].name, 30)];
    const winner = gap < 0 ? nameA : nameB;
    const other = gap < 0 ? nameB : nameA;
    const tie = Math.abs(gap) < 1e-12;
    setText(
      lead,
      tie
        ? `Here ${nameA} and ${nameB} cost the same.`
        : `Here ${winner} costs ${at.per1000(Math.abs(gap), step)} less per 1000 cases than ${other}${verdict(at, a, b)}.`,
    );
    show(here, plot.ready);
    if (plot.ready) attr(here, { cx: plot.x(Math.min(1, at.mu)), cy: plot.y(Math.min(1, at.nu)) });
    frame.refresh();
  }

  frame.picture(() => plot.picture("Difference of costs"));
  frame.numbers(() => {
    const at = app.situation();
    const [a, b] = pairOf(at);
    const grid = costGrid(9, 9);
    const values = mapValues("difference", grid, at.surfaces, a, b);
    return gridSheet(grid, (place) => amount(1000 * at.costs.fn * values[place]));
  });
  const panel: Panel = { element: frame.section, draw, move };
  return panel;
}

function picker(side: string, names: string[]): HTMLSelectElement {
  const select = el("select", { id: `compare-${side}`, "data-role": `compare-${side}` });
  names.forEach((name, k) => select.append(el("option", { value: k }, cut(name, 40))));
  return select;
}

/** Whether the difference at the cost point is decided; empty where that is not known. */
function verdict(at: Situation, a: number, b: number): string {
  const pair = comparisonOf(at.data, a, b);
  if (pair === null || at.prepared.prevalence !== at.data.prevalence || at.mu > 1 || at.nu > 1) return "";
  const { grid, mask } = pair;
  const letter = mask[Math.round(at.nu * grid) * (grid + 1) + Math.round(at.mu * grid)];
  return letter === "u" ? ", but the data do not decide it" : ", and the data decide it";
}

function sentences(at: Situation, a: number, b: number): string[] {
  if (a === b) return ["Twice the same model: nothing to compare."];
  const pair = comparisonOf(at.data, a, b);
  if (pair === null) return ["The data hold no test of this pair."];
  const found = [...pair.words];
  found.push(`Mean cost over all prices (VACC), A minus B: ${differing(pair.volume)}.`);
  if (pair.auc !== null) found.push(`AUC, A minus B: ${differing(pair.auc)}.`);
  if (at.prepared.prevalence !== at.data.prevalence) {
    found.push("Tests and hatching hold at the prevalence of the report; the colours follow the one in use.");
  }
  return found;
}

function differing({ difference, low, high, pvalue }: Difference): string {
  return `${withInterval(difference, low, high)}, ${pValue(pvalue)}`;
}

function legend(a: string, b: string, tested: boolean): HTMLElement[] {
  const entries: [string, string][] = [
    ["#1f8bd0", `${cut(a, 22)} cheaper`],
    ["#eb9a1e", `${cut(b, 22)} cheaper`],
  ];
  const items = entries.map(([colour, text]) => {
    const patch = el("span", { class: "patch" });
    patch.style.backgroundColor = colour;
    return el("li", {}, patch, el("span", { class: "name" }, text));
  });
  if (tested)
    items.push(
      el("li", {}, el("span", { class: "patch hatched" }), el("span", { class: "name" }, "undecided")),
    );
  return items;
}
