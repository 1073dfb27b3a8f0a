/** Two models side by side: where each is cheaper, and whether the cases prove it at the point. */
import type { App } from "../app";
import type { Candidate } from "../comparison/candidates";
import { differenceOf, honestCost } from "../comparison/estimates";
import { money, moneyStep } from "../comparison/numbers";
import { inBrackets } from "../comparison/words";
import type { DifferenceData } from "../data";
import { amountsSide, costGrid, mapValues } from "../math/costMap";
import { borderLine } from "../math/lemma1";
import { moneyBetween } from "../math/units";
import { testsOf } from "../pairs";
import type { Situation } from "../situation";
import { attr, cut, el, setText, show, svg } from "../view/dom";
import { pValue, withInterval } from "../view/format";
import { Frame } from "../view/frame";
import { gridSheet } from "../view/gridSheet";
import { byTable, fit, paint } from "../view/paint";
import { DIVERGING } from "../view/palette";
import type { Panel } from "../view/panel";
import { linePath } from "../view/path";
import { Plot } from "../view/plot";
import { PriceAxis } from "../view/priceAxis";
import { priceNames, priceText, roundPrices } from "../view/prices";

/** Points on a side of the map; fewer where every point looks at the tables of many splits. */
const SIDE = 129;
const COARSE = 65;
/** Steps of searches that a map may take where every case has its own costs. */
const WORK = 12_000_000;

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
  // as far as prices relative to a miss usually go, or factors on amounts from nothing to twice as much
  const span = app.data.amounts === null ? 1 : 2;
  const prices = new PriceAxis(0, span);
  let now = app.situation();
  const swap = el("button", { type: "button", class: "quiet", "data-role": "compare-swap" }, "Swap");
  const plot = new Plot(
    {
      id: "chart-compare",
      label: "Difference of costs",
      xName: "",
      yName: "",
      left: 56,
      xFormat: (price) => priceText(now, "mu", price),
      yFormat: (price) => priceText(now, "nu", price),
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
    now = at;
    const [a, b] = pairOf(at);
    first.value = String(a);
    second.value = String(b);
    const [nameA, nameB] = [cut(models[a].name, 30), cut(models[b].name, 30)];
    const judged = at.prepared.judged !== null;
    setText(frame.about, `${judged ? "measured cost" : "cost"} of A minus cost of B at every price${judged ? "" : ", with hindsight"}`);
    words.replaceChildren(...sentences(at, a, b).map((text) => el("li", {}, text)));
    key.replaceChildren(...legend(nameA, nameB));
    if (!plot.ready) return;
    const longest = 7 * priceText(at, "mu", span).length + 18;
    plot.axes([0, span], [0, span], {
      xMarks: roundPrices(at, "mu", prices, Math.max(3, Math.min(8, plot.width / longest))),
      yMarks: roundPrices(at, "nu", prices, Math.max(3, plot.height / 45)),
    });
    plot.name(...priceNames(at));
    canvas.style.left = `${plot.left}px`;
    canvas.style.top = `${plot.top}px`;
    const state = [at.prepared.prevalence, ...Object.values(at.prepared.extra), at.theme, a, b, plot.width, plot.height].join("|");
    if (state !== painted) {
      painted = state;
      const usual = at.data.models[a].folds.length > 20 ? COARSE : SIDE;
      const side = amountsSide(at.prepared, 2, WORK, usual) ?? usual;
      const values = mapValues("difference", costGrid(side, side, span, span), at.data, at.prepared, a, b);
      const most = values.reduce((largest, value) => Math.max(largest, Math.abs(value)), 1e-12);
      const context = fit(canvas, plot.width, plot.height);
      paint(context, { values, columns: side, rows: side }, byTable(DIVERGING, -most, most), true);
    }
    const limit = linePath((at.data.amounts === null ? borderLine(1, 40, at.prepared.extra) : []).map(([x, y]) => [plot.x(x), plot.y(y)]));
    for (const border of borders) attr(border, { d: limit });
    plot.describe(`Difference of the costs of ${nameA} and ${nameB}`);
  }

  function move(at: Situation): void {
    const [a, b] = pairOf(at);
    setText(lead, leadSentence(at, a, b));
    show(here, plot.ready);
    if (plot.ready) attr(here, { cx: plot.x(Math.min(span, at.mu)), cy: plot.y(Math.min(span, at.nu)) });
    frame.refresh();
  }

  const names = (): string[] => pairOf(app.situation()).map((k) => cut(models[k].name, 30));
  frame.picture(() => plot.picture(`Cost of ${names().join(" minus cost of ")}, per 1000 cases`, [
      { text: `${names()[0]} cheaper`, colour: CHEAPER[0] },
      { text: `${names()[1]} cheaper`, colour: CHEAPER[1] },
    ]));
  frame.numbers(() => {
    const at = app.situation();
    const [a, b] = pairOf(at);
    const grid = costGrid(9, 9, span, span);
    const values = mapValues("difference", grid, at.data, at.prepared, a, b);
    return gridSheet(grid, (place) => ({
      value: 1000 * moneyBetween(values[place], at.costs),
      text: at.amountBetween(values[place]),
    }));
  });
  const panel: Panel = { element: frame.section, draw, move };
  return panel;
}

function picker(side: string, names: string[]): HTMLSelectElement {
  const select = el("select", { id: `compare-${side}`, "data-role": `compare-${side}` });
  names.forEach((name, k) => select.append(el("option", { value: k }, cut(name, 40))));
  return select;
}

/** The difference at the cost point, paired on the same held-out cases, and whether they prove it. */
function leadSentence(at: Situation, a: number, b: number): string {
  const [nameA, nameB] = [a, b].map((k) => cut(at.data.models[k].name, 30));
  const [ruleA, ruleB] = [at.bestRule(a), at.bestRule(b)];
  if (ruleA === null || ruleB === null) return "These cases are too few to judge any rule on cases that did not choose it.";
  const { difference, interval } = differenceOf(ruleA, ruleB, at.candidates!.question);
  if (a === b || (difference === 0 && interval[0] === interval[1]))
    return `Here ${nameA} and ${nameB} cost the same.`;
  // named so that the difference reads as a saving
  const swapped = difference > 0;
  const [winner, other] = swapped ? [nameB, nameA] : [nameA, nameB];
  const saving = (value: number): number => moneyBetween(value, at.costs) * (swapped ? 1 : -1);
  const [low, high] = interval.map(saving).sort((a, b) => a - b);
  const step = moneyStep(low, high, saving(difference));
  const text = `Here ${winner} costs ${money(saving(difference), step)} less per 1000 cases than ${other}`;
  const ends = inBrackets([low, high], step, `${at.level} interval `);
  // both costs to the same digit, so that they differ by what was said
  const [one, two] = swapped ? [ruleB, ruleA] : [ruleA, ruleB];
  return `${text}${ends}. ${winner} costs ${costText(at, one, step)}, ${other} ${costText(at, two, step)}.`;
}

/** What a rule costs, and whether it is the one that never abstains. */
function costText(at: Situation, rule: Candidate, step: number): string {
  const never = rule.kind === "threshold" && Number.isFinite(at.nu) ? " never abstaining" : "";
  return `${at.per1000(honestCost(rule, at.candidates!.question), step)}${never}`;
}

function sentences(at: Situation, a: number, b: number): string[] {
  if (a === b) return ["Twice the same model: nothing to compare."];
  const tests = testsOf(at.data, a, b);
  if (tests === null) return ["The data hold no test of this pair."];
  const said = [
    `Mean cost over all prices (VACC), A minus B: ${differing(tests.volume)}. A miss costs 1 in it.`,
    `AUC, A minus B: ${differing(tests.auc)}.`,
  ];
  if (tests.comparisons > 1) said.push(`p adjusted for ${tests.comparisons} pairs of models (Holm).`);
  if (at.prepared.prevalence !== at.data.prevalence)
    said.push("The mean cost is that at the prevalence of the report; all else follows the one in use.");
  return said;
}

function differing({ difference, low, high, adjusted_pvalue: adjusted }: DifferenceData): string {
  return `${withInterval(difference, low, high)}, ${pValue(adjusted)}`;
}

/** Colours of the map where the first and where the second model is cheaper. */
const CHEAPER = ["#1f8bd0", "#eb9a1e"] as const;

function legend(a: string, b: string): HTMLElement[] {
  const entries: [string, string][] = [
    [CHEAPER[0], `${cut(a, 22)} cheaper`],
    [CHEAPER[1], `${cut(b, 22)} cheaper`],
  ];
  return entries.map(([colour, text]) => {
    const patch = el("span", { class: "patch" });
    patch.style.backgroundColor = colour;
    return el("li", {}, patch, el("span", { class: "name" }, text));
  });
}
