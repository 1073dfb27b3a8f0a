/** A box of costs: what each model's window costs when prices are known only as ranges. */
import type { App } from "../app";
import { money } from "../comparison/numbers";
import { overBox, type Box } from "../math/box";
import { moneyBetween, moneyOffsets, unitOf } from "../math/units";
import type { Situation } from "../situation";
import { el, setName, setText, show } from "../view/dom";
import { typed, windowText } from "../view/format";

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
  "Over the box, per 1000 cases and with hindsight: the worst and the mean cost of each model's window, and its largest excess over the best one could do.";
const SIDES = ["mu", "nu"] as const;

export function boxOfCosts(app: App): CostBox {
  let drawing = false;
  const start = el(
    "button",
    { type: "button", "data-role": "box-draw", "aria-pressed": "false" },
    "Draw a box",
  );
  const clear = el("button", { type: "button", class: "quiet", "data-role": "box-clear" }, "Remove");
  const hint = el("p", {}, "Prices known only as ranges? Draw a box on the map (or drag with Shift).");
  const fields = new Map<string, HTMLInputElement>();
  const ends = el("div", { class: "box-fields" }, el("span"), el("span", {}, "from"), el("span", {}, "to"));
  const titles = { mu: "false alarm", nu: "review" };
  for (const side of SIDES) {
    ends.append(el("span", {}, titles[side]));
    for (const end of [0, 1]) {
      const input = el("input", {
        type: "number",
        min: 0,
        step: "any",
        id: `box-${side}-${end}`,
        "data-role": `box-${side}-${end === 0 ? "from" : "to"}`,
        "aria-label": `${titles[side]} ${end === 0 ? "from" : "to"}`,
      });
      input.addEventListener("change", read);
      fields.set(`${side}${end}`, input);
      ends.append(input);
    }
  }
  const body = el("tbody");
  const heads = ["model", "window here", "worst", "mean", "regret"].map((name) =>
    el("th", { scope: "col" }, name),
  );
  const table = el("table", {}, el("caption", {}, CAPTION), el("thead", {}, el("tr", {}, ...heads)), body);
  const results = el(
    "div",
    {
      class: "scroll across",
      "data-role": "box-results",
      tabindex: 0,
      role: "region",
      "aria-label": "Costs over the box",
    },
    table,
  );
  const form = el(
    "div",
    { "data-role": "box" },
    el("h3", {}, "A range of costs"),
    hint,
    ends,
    el("div", { class: "choose" }, start, clear),
  );

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

  function read(): void {
    const [muLow, muHigh, nuLow, nuHigh] = allNumbers();
    const right = 0 <= muLow && muLow <= muHigh && 0 <= nuLow && nuLow <= nuHigh;
    for (const input of fields.values())
      input.setAttribute("aria-invalid", String(!right && input.value !== ""));
    if (right) app.change({ box: { mu: [muLow, muHigh], nu: [nuLow, nuHigh] } });
  }

  start.addEventListener("click", () => {
    drawing = !drawing;
    app.drawAll();
  });
  clear.addEventListener("click", () => app.change({ box: null }));

  function draw(at: Situation): void {
    const { box } = at.state;
    start.setAttribute("aria-pressed", String(drawing));
    setText(start, drawing ? "Now drag on the map" : "Draw a box");
    show(clear, box !== null);
    show(results, box !== null);
    if (box !== null) write(box);
    // four numbers and no box: the box was taken away
    else if (allNumbers().every((value) => value >= 0)) for (const input of fields.values()) input.value = "";
  }

  function write(box: Box): void {
    for (const side of SIDES) {
      const [unit, offset] = scale(side);
      for (const end of [0, 1] as const) {
        const input = fields.get(`${side}${end}`)!;
        if (document.activeElement !== input) input.value = typed(box[side][end] * unit + offset);
        input.setAttribute("aria-invalid", "false");
      }
    }
  }

  function move(at: Situation): void {
    const { box } = at.state;
    if (box === null) return;
    const surfaces = at.surfaces;
    while (body.children.length < surfaces.length) {
      const name = el("th", { scope: "row" });
      setName(name, at.data.models[body.children.length].name, 36);
      body.append(el("tr", {}, name, el("td"), el("td"), el("td"), el("td")));
    }
    surfaces.forEach((_, k) => {
      const { window } = at.outcome(k);
      const row = body.children[k];
      row.className = k === at.k ? "current" : "";
      if (window === null) {
        for (const cell of [...row.children].slice(1)) setText(cell, "no rule");
        return;
      }
      const found = overBox(at.judgedBy.models[k].surface, window, surfaces, box);
      const step = at.step(found.mean / 10);
      setText(row.children[1], windowText(window));
      const regret = money(moneyBetween(found.regret, at.costs), step);
      [at.per1000(found.worst, step), at.per1000(found.mean, step), regret].forEach((text, c) =>
        setText(row.children[c + 2], text),
      );
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
