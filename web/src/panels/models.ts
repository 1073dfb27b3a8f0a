/** Table of all models: how well they rank, what they cost over all costs, and what they do here. */
import type { App } from "../app";
import { percent } from "../numbers";
import type { Situation } from "../situation";
import { el, setName, setText } from "../view/dom";
import { windowText, withInterval } from "../view/format";
import { Frame } from "../view/frame";
import type { Panel } from "../view/panel";
import { paintSwatch, swatch } from "../view/swatch";

export function modelsPanel(app: App): Panel {
  const frame = new Frame("models", "Models");
  const { models } = app.data;
  const titles = [
    "model",
    "",
    "",
    "window here",
    "cost here per 1000",
    "abstains here",
    "cheapest on … of all costs",
  ];
  const heads = titles.map((title) => el("th", { scope: "col" }, title));
  const lines = models.map((model, k) => {
    const name = el("span");
    setName(name, model.name, 36);
    const mark = swatch(k, "light");
    const cells = titles.slice(1).map(() => el("td"));
    const { auc, volume } = model;
    setText(cells[0], auc === null ? "–" : withInterval(auc.value, auc.low, auc.high));
    setText(cells[1], withInterval(volume.honest ?? volume.hindsight, volume.low, volume.high));
    setText(cells[5], percent(model.wins));
    const row = el("tr", { "data-model": k }, el("th", { scope: "row" }, mark, " ", name), ...cells);
    return { row, mark, cells };
  });
  const table = el(
    "table",
    {},
    el("thead", {}, el("tr", {}, ...heads)),
    el("tbody", {}, ...lines.map(({ row }) => row)),
  );
  frame.body.append(
    el("div", { class: "scroll across", tabindex: 0, role: "region", "aria-label": "All models" }, table),
  );

  function draw(at: Situation): void {
    setText(heads[1], `AUC (${at.level})`);
    setText(heads[2], `VACC (${at.level})`);
    setText(
      frame.about,
      "AUC: the higher the better. VACC, the mean cost over all costs: the lower the better.",
    );
    lines.forEach(({ row, mark }, k) => {
      paintSwatch(mark, at.theme);
      row.className = k === at.k ? "current" : "";
      if (k === at.k) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    });
  }

  function move(at: Situation): void {
    lines.forEach(({ cells }, k) => here(at, k).forEach((text, c) => setText(cells[2 + c], text)));
  }

  function here(at: Situation, k: number): [window: string, cost: string, abstains: string] {
    const outcome = at.outcome(k);
    const { window, honest } = outcome;
    const step = at.step(outcome);
    const sure = honest === null ? "" : ` (${at.per1000(honest.low, step)}–${at.per1000(honest.high, step)})`;
    return [windowText(window), at.per1000(outcome.cost, step) + sure, percent(window.abstain)];
  }

  frame.numbers(() => {
    const at = app.situation();
    return {
      columns: heads.map((head) => head.textContent ?? ""),
      rows: models.map((model, k) => [
        model.name,
        lines[k].cells[0].textContent ?? "",
        lines[k].cells[1].textContent ?? "",
        ...here(at, k),
        percent(model.wins),
      ]),
    };
  }, true);
  return { element: frame.section, draw, move };
}
