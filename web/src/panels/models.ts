/** Table of all models: how well they rank, what they cost over all costs, and what they do here. */
import type { TwoApp } from "../twoClasses";
import { trivialWords } from "../comparison/words";
import type { Estimate } from "../comparison/estimates";
import { moneyStep } from "../comparison/numbers";
import { cheapestShares } from "../math/costMap";
import { TRIVIAL_RULES } from "../math/trivial";
import { percent, thresholdText } from "../numbers";
import type { Situation } from "../situation";
import { el, setName, setText, svg } from "../view/dom";
import { windowText, withInterval } from "../view/format";
import { Frame, scrolling, tableHead, tableRow } from "../view/frame";
import type { Panel } from "../view/panel";
import { shown, type Cell, type Sheet } from "../view/saving";
import { modelColour, modelDash, type Theme } from "../view/palette";

const NONE = "–";
const TITLES = [
  "model",
  "AUC",
  "VACC",
  "window here",
  "measured cost per 1000",
  "never abstaining, measured",
  "with hindsight",
  "abstains",
  "wins",
];

export function modelsPanel(app: TwoApp): Panel {
  const frame = new Frame("models", "Models");
  const { models } = app.kind.data;
  const head = tableHead(TITLES);
  const heads = [...head.querySelectorAll("th")];
  const lines = models.map((model, k) => {
    const name = el("span");
    setName(name, model.name, 36);
    const mark = swatch(k, "light");
    const cells = TITLES.slice(1).map(() => el("td"));
    const { auc, volume } = model;
    setText(cells[0], auc === null ? NONE : withInterval(auc.value, auc.low, auc.high));
    setText(cells[1], withInterval(volume.honest ?? volume.hindsight, volume.low, volume.high));
    const row = tableRow(el("span", { class: "model" }, mark, name), ...cells);
    return { row, mark, cells };
  });
  const table = el("table", { class: "models" }, head, el("tbody", {}, ...lines.map(({ row }) => row)));
  const simple = el("p", { class: "reading", "data-role": "without-a-model" });
  frame.body.append(
    scrolling("All models", table),
    simple,
  );

  function draw(at: Situation): void {
    setText(heads[1], `AUC (${at.level})`);
    setText(heads[2], `VACC (${at.level})`);
    const shuffled = at.data.design?.period == null || at.data.cases?.forward === true ? "" : ", shuffled split";
    setText(heads[4], `measured cost per 1000${shuffled}${at.data.inference?.quantile == null ? "" : ` (${at.level})`}`);
    setText(
      frame.about,
      "AUC: how often a positive scores above a negative; higher is better. VACC: mean cost over all prices, a miss costs 1; lower is better. Window: cases scored between its two thresholds go to a person. Measured: on cases that did not choose the window. With hindsight: on those that did. Wins: share of all prices at which it is the cheapest model, with hindsight.",
    );
    const shares = at.prepared.prevalence === at.data.prevalence ? models.map(({ wins }) => wins) : cheapestShares(at.prepared);
    lines.forEach(({ row, mark, cells }, k) => {
      setText(cells[7], percent(shares[k]));
      paintSwatch(mark, at.theme);
      row.className = k === at.k ? "current" : "";
      if (k === at.k) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    });
  }

  function move(at: Situation): void {
    lines.forEach(({ cells }, k) => here(at, k).forEach((text, c) => setText(cells[2 + c], text)));
    setText(simple, withoutModel(at));
  }

  frame.numbers(() => modelSheet(app.at()), true);
  return frame.panel(draw, move);
}

/** Window, measured cost, that of the threshold, cost with hindsight and abstentions of one model. */
function here(at: Situation, k: number): string[] {
  const { window, honest, never, abstained } = at.outcome(k);
  if (window === null) return [NONE, NONE, never === null ? NONE : at.per1000(never.cost), NONE, NONE];
  const seen = honest?.hindsight ?? at.money(window.cost);
  const stepOf = (one: Estimate | null): number => moneyStep(one?.interval[0] ?? NaN, one?.interval[1] ?? NaN, one?.cost ?? seen);
  return [
    windowText(window),
    honest === null ? NONE : at.withInterval(honest),
    never === null ? NONE : at.per1000(never.cost, stepOf(never)),
    at.per1000(seen, stepOf(honest)),
    percent(abstained),
  ];
}

/** What the rules without a model cost here. */
function withoutModel(at: Situation): string {
  const costs = at.surface.trivial(at.mu, at.nu);
  const rules = TRIVIAL_RULES.filter((rule) => Number.isFinite(costs[rule]));
  const said = rules.map((rule) => `${trivialWords(rule, at.names)[0]} ${at.per1000(at.money(costs[rule]))}`);
  return `Without a model, per 1000 cases: ${said.join("; ")}.`;
}

const COLUMNS = [
  "model",
  ...["auc", "auc_low", "auc_high"],
  ...["vacc", "vacc_low", "vacc_high"],
  ...["lower", "upper"],
  ...["cost_per_1000", "cost_low", "cost_high"],
  ...["never_abstaining_per_1000", "never_abstaining_low", "never_abstaining_high"],
  "with_hindsight_per_1000",
  "abstained",
  "cheapest_share_with_hindsight",
];

/** What is not known is left empty. */
function modelSheet(at: Situation): Sheet {
  const numbers = (...values: (number | null | undefined)[]): number[] => values.map((value) => value ?? NaN);
  const per1000 = (cost: number): number => 1000 * cost;
  const priced = (found: Estimate | null): number[] =>
    found === null ? [NaN, NaN, NaN] : [found.cost, ...found.interval].map(per1000);
  const rows = at.data.models.map(({ name, auc, volume, wins }, k): Cell[] => {
    const { window, honest, never, abstained } = at.outcome(k);
    return [
      name,
      ...numbers(auc?.value, auc?.low, auc?.high),
      ...numbers(volume.honest ?? volume.hindsight, volume.low, volume.high),
      ...numbers(window?.lower, window?.upper).map((cut) => shown(cut, thresholdText)),
      ...priced(honest),
      ...priced(never),
      honest === null ? (window === null ? NaN : per1000(at.money(window.cost))) : per1000(honest.hindsight),
      abstained,
      wins,
    ];
  });
  return { columns: COLUMNS, rows };
}

function swatch(k: number, theme: Theme): SVGSVGElement {
  const line = svg("line", { x1: 0, x2: 24, y1: 6, y2: 6, "stroke-width": 2.5 });
  const box = svg(
    "svg",
    { class: "swatch", viewBox: "0 0 24 12", "aria-hidden": "true", "data-model": k },
    line,
  );
  paintSwatch(box, theme);
  return box;
}

function paintSwatch(box: SVGSVGElement, theme: Theme): void {
  const k = Number(box.dataset["model"]);
  box.firstElementChild!.setAttribute("stroke", modelColour(k, theme));
  box.firstElementChild!.setAttribute("stroke-dasharray", modelDash(k));
}
