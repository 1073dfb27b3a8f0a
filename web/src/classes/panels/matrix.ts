/** Costs as an editable table: rows true classes, columns answers, the price of a review last. */
import { el, setText, show } from "../../view/dom";
import { typed } from "../../view/format";
import { Frame, scrolling, tableHead, tableRow } from "../../view/frame";
import type { Panel } from "../../view/panel";
import type { ClassApp, ClassSituation } from "../manyClasses";
import type { Prices } from "../estimates";

export function matrixPanel(app: ClassApp): Panel<ClassSituation> {
  const { classes, abstain_costs } = app.kind.data;
  const m = classes.length;
  const reviews = abstain_costs !== null;
  const frame = new Frame("matrix", "Costs", "what each answer costs, per case; edit any of them");
  const problem = el("p", { class: "problem", role: "alert", "data-role": "problem" });
  const inputs: HTMLInputElement[][] = [];
  const table = el("table", { class: "matrix" });
  const heads = [...classes.map((name) => `called ${name}`), ...(reviews ? ["to a person"] : [])];
  table.append(tableHead(["truth", ...heads]));
  const body = el("tbody");
  classes.forEach((name, k) => {
    const row = heads.map((head, j) => {
      const input = field(`${name} ${head}`, `cost-${k}-${j}`, (value) => set(k, j, value));
      if (k === j) input.classList.add("right-answer");
      return input;
    });
    inputs.push(row);
    body.append(tableRow(name, ...row));
  });
  table.append(body);
  const all = field("Price of a review, all classes", "cost-abstain", (value) =>
    change({ ...app.at().prices, abstain: classes.map(() => value) }),
  );
  const allow = el("input", { type: "checkbox", id: "reviews", "data-role": "reviews" });
  allow.addEventListener("change", () =>
    change({ ...app.at().prices, abstain: allow.checked ? abstain_costs : null }),
  );
  frame.body.append(scrolling("Table of costs", table), problem);
  if (reviews)
    frame.body.append(
      el(
        "div",
        { class: "review-price" },
        el("label", {}, allow, " A case can go to a person"),
        el("label", {}, "One price for all classes ", all),
      ),
    );

  function field(label: string, role: string, accept: (value: number) => void): HTMLInputElement {
    const input = el("input", { type: "text", inputmode: "decimal", "aria-label": label, "data-role": role, autocomplete: "off" });
    const check = (): void => {
      const text = input.value.trim().replace(",", ".");
      const value = text === "" ? NaN : Number(text);
      const good = Number.isFinite(value) && value >= 0;
      input.setAttribute("aria-invalid", String(!good));
      setText(problem, good ? "" : `${label}: a cost is a number that is not negative. The last one that was stays in use.`);
      if (good) accept(value);
    };
    input.addEventListener("input", check);
    input.addEventListener("blur", restore);
    input.addEventListener("keydown", (event) => {
      if (event.key === "Escape") restore();
    });
    return input;
  }

  /** Show the costs in use again. */
  function restore(): void {
    setText(problem, "");
    write(app.at(), true);
  }

  function set(k: number, j: number, value: number): void {
    const { costs, abstain } = app.at().prices;
    if (j === m) change({ costs, abstain: (abstain ?? abstain_costs!).map((price, at) => (at === k ? value : price)) });
    else change({ costs: costs.map((row, at) => (at === k ? row.map((cost, to) => (to === j ? value : cost)) : row)), abstain });
  }

  function change(prices: Prices): void {
    app.change({ prices });
  }

  function write({ prices }: ClassSituation, everything: boolean): void {
    const put = (input: HTMLInputElement, value: number | null): void => {
      // what somebody is typing stays as it is
      if (!everything && document.activeElement === input) return;
      input.value = value === null ? "" : typed(value);
      input.setAttribute("aria-invalid", "false");
    };
    inputs.forEach((row, k) =>
      row.forEach((input, j) => put(input, j === m ? (prices.abstain?.[k] ?? null) : prices.costs[k][j])),
    );
    if (!reviews) return;
    const { abstain } = prices;
    allow.checked = abstain !== null;
    put(all, abstain !== null && abstain.every((price) => price === abstain[0]) ? abstain[0] : null);
    for (const row of inputs) row[m].disabled = abstain === null;
    show(all.parentElement!, abstain !== null);
  }
  const panel = frame.panel((at: ClassSituation) => write(at, false));
  frame.section.id = "panel-controls";
  return panel;
}
