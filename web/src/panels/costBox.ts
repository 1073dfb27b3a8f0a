/** Costs known only as ranges: a box on the map or four fields, and what each model's rule of least regret costs over it. */
import type { App } from "../app";
import { rangeCosts } from "../comparison/ranges";
import { honestCost } from "../comparison/estimates";
import { money } from "../comparison/numbers";
import type { Box } from "../math/box";
import { moneyBetween, moneyOffsets, unitOf } from "../math/units";
import type { Situation } from "../situation";
import { el, setName, setText, show } from "../view/dom";
import { typed, windowText } from "../view/format";
import { costUnit } from "./costFields";

export interface CostBox {
  /** Fields and buttons, and the table of results. */
  form: HTMLElement;
  results: HTMLElement;
  /** Whether the next drag on the map draws a box. */
  readonly drawing: boolean;
  drawn(): void;
  draw(at: Situation): void;
  move(at: Situation): void;
}

const CAPTION =
  "Each model's rule of least regret over the ranges, per 1000 cases that did not choose it. At worst: its largest cost over the ranges. Regret: the most it costs beyond a rule chosen for the true costs.";
const SIDES = ["mu", "nu"] as const;
const NAMES = { mu: "false alarm", nu: "review" };

export function boxOfCosts(app: App): CostBox {
  let drawing = false;
  const start = el("button", { type: "button", "data-role": "box-draw", "aria-pressed": "false" }, "Draw a box");
  const clear = el("button", { type: "button", class: "quiet", "data-role": "box-clear" }, "Remove");
  const hint = el(
    "p",
    {},
    "Prices known only as ranges? Draw a box on the map (or drag with Shift), or type its ends. The answer is then the rule that regrets least over all of it.",
  );
  const fields = new Map<string, HTMLInputElement>();
  const units: HTMLElement[] = [];
  const ends = el("div", { class: "box-fields" }, el("span"), el("span", {}, "from"), el("span", {}, "to"), el("span"));
  for (const side of SIDES) {
    ends.append(el("span", {}, NAMES[side]));
    for (const end of [0, 1]) {
      const input = el("input", {
        type: "number",
        min: 0,
        step: "any",
        id: `box-${side}-${end}`,
        "data-role": `box-${side}-${end === 0 ? "from" : "to"}`,
        "aria-label": `${NAMES[side]} ${end === 0 ? "from" : "to"}`,
        "aria-describedby": "box-wrong",
      });
      input.addEventListener("change", read);
      fields.set(`${side}${end}`, input);
      ends.append(input);
    }
    const unit = el("span", { class: "of" });
    units.push(unit);
    ends.append(unit);
  }
  const wrong = el("p", { class: "wrong", id: "box-wrong", "data-role": "box-wrong", role: "status" });
  const body = el("tbody");
  const heads = ["model", "rule for the ranges", "measured cost in the middle", "at worst", "regret"].map((name) => el("th", { scope: "col" }, name));
  const table = el("table", {}, el("caption", {}, CAPTION), el("thead", {}, el("tr", {}, ...heads)), body);
  const results = el(
    "div",
    { class: "scroll across", "data-role": "box-results", tabindex: 0, role: "region", "aria-label": "Costs over the box" },
    table,
  );
  const form = el(
    "div",
    { "data-role": "box" },
    el("h3", {}, "A range of costs"),
    hint,
    ends,
    wrong,
    el("div", { class: "choose" }, start, clear),
  );
  // Escape takes back what was typed, then the wish to draw
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    if ([...fields.values()].includes(event.target as HTMLInputElement)) restore(app.current.box);
    else if (drawing) {
      drawing = false;
      app.drawAll();
    }
  });

  /** How relative costs read in the fields: times a unit, plus what right answers cost. */
  function scale(side: "mu" | "nu"): [unit: number, offset: number] {
    const { entry, costs } = app.current;
    return entry === "money" ? [unitOf(costs), moneyOffsets(costs)[side]] : [1, 0];
  }

  /** What the four fields say, NaN where they are empty. */
  function allNumbers(): number[] {
    return SIDES.flatMap((side) => {
      const [unit, offset] = scale(side);
      return [0, 1].map((end) => {
        const { value } = fields.get(`${side}${end}`)!;
        return value.trim() === "" ? NaN : (Number(value) - offset) / unit;
      });
    });
  }

  /** Why what the fields say is no box yet; null if it is one. */
  function whyWrong([muLow, muHigh, nuLow, nuHigh]: number[]): string | null {
    for (const [name, low, high] of [[NAMES.mu, muLow, muHigh], [NAMES.nu, nuLow, nuHigh]] as const) {
      if (low < 0 || high < 0) return `A ${name} must not cost less than a right answer.`;
      if (low > high) return `The range of a ${name} must not end before it begins.`;
    }
    const missing = [muLow, muHigh, nuLow, nuHigh].filter(Number.isNaN).length;
    if (missing) return `${4 - missing} of 4 numbers: a range of costs needs all of them.`;
    return muLow === muHigh && nuLow === nuHigh ? "This is a single point: make one of the ranges wider." : null;
  }

  function read(): void {
    const found = allNumbers();
    const reason = whyWrong(found);
    setText(wrong, reason ?? "");
    // numbers still to come are no mistake
    const mistaken = reason !== null && !found.some(Number.isNaN);
    for (const input of fields.values()) input.setAttribute("aria-invalid", String(mistaken && input.value !== ""));
    const [muLow, muHigh, nuLow, nuHigh] = found;
    if (reason === null) app.change({ box: { mu: [muLow, muHigh], nu: [nuLow, nuHigh] } });
  }

  start.addEventListener("click", () => {
    drawing = !drawing;
    app.drawAll();
  });
  clear.addEventListener("click", () => {
    restore(null);
    app.change({ box: null });
  });

  function draw(at: Situation): void {
    const { box } = at.state;
    start.setAttribute("aria-pressed", String(drawing));
    // while a box is drawn a finger does not scroll
    form.closest("section")?.querySelector(".map-chart")?.classList.toggle("drawing", drawing);
    setText(start, drawing ? "Now drag on the map (Escape: stop)" : "Draw a box");
    show(clear, box !== null);
    show(results, box !== null && at.candidates !== null);
    for (const unit of units) setText(unit, at.data.amounts === null ? costUnit(at) : "×");
    if (box !== null) write(box);
    // four numbers and no box: the box was taken away
    else if (whyWrong(allNumbers()) === null) restore(null);
  }

  /** What holds, whatever was typed. */
  function restore(box: Box | null): void {
    setText(wrong, "");
    for (const input of fields.values()) {
      input.value = "";
      input.setAttribute("aria-invalid", "false");
    }
    if (box !== null) write(box, true);
  }

  function write(box: Box, all = false): void {
    for (const side of SIDES) {
      const [unit, offset] = scale(side);
      for (const end of [0, 1] as const) {
        const input = fields.get(`${side}${end}`)!;
        if (all || document.activeElement !== input) input.value = typed(Number((box[side][end] * unit + offset).toPrecision(10)));
        input.setAttribute("aria-invalid", "false");
      }
    }
  }

  function move(at: Situation): void {
    const range = at.candidates?.range;
    if (!range) return;
    const { question } = at.candidates!;
    while (body.children.length < at.data.models.length) {
      const name = el("th", { scope: "row" });
      setName(name, at.data.models[body.children.length].name, 36);
      body.append(el("tr", {}, name, el("td"), el("td"), el("td"), el("td")));
    }
    at.data.models.forEach((_, k) => {
      const rule = at.bestRule(k);
      const row = body.children[k];
      row.className = k === at.k ? "current" : "";
      if (rule === null || rule.window === null) {
        for (const cell of [...row.children].slice(1)) setText(cell, "no rule");
        return;
      }
      const { worst, regret } = rangeCosts(rule, question, range);
      const cost = honestCost(rule, question);
      const step = at.step(cost / 10);
      const texts = [
        windowText(rule.window),
        at.per1000(cost, step),
        at.per1000(worst, step),
        money(moneyBetween(regret, at.costs), step),
      ];
      texts.forEach((text, c) => setText(row.children[c + 1], text));
    });
  }

  return {
    form,
    results,
    get drawing() {
      return drawing;
    },
    drawn() {
      drawing = false;
    },
    draw,
    move,
  };
}
