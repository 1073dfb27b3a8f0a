/** All rules at the costs on show, and the weights of the one looked at. */
import { general, percent } from "../../numbers";
import { money, moneyRange, moneyStep } from "../../comparison/numbers";
import { cut, el, setText } from "../../view/dom";
import { count } from "../../view/format";
import { Frame } from "../../view/frame";
import { intervalBar } from "../../view/intervalBar";
import { keyOf, type ClassApp, type ClassPanel, type View } from "../app";
import type { Rule } from "../answer";

export function rulesPanel(app: ClassApp): ClassPanel {
  const frame = new Frame("rules", "All rules", "Measured cost per 1000 cases at the costs above; choose one to see its confusion.");
  const table = el("table", { class: "rules" });
  frame.body.append(el("div", { class: "scroll across", tabindex: 0, role: "region", "aria-label": "Table of rules" }, table));
  let now: View | null = null;

  function draw(at: View): void {
    now = at;
    const focused = document.activeElement instanceof HTMLInputElement ? document.activeElement.dataset["role"] : undefined;
    const rows = sorted(at);
    // rules far from the best would squeeze the others: their bars are left out
    const highest = 3 * Math.max(rows[0].estimate.interval[1] || rows[0].estimate.cost, 0);
    const heads = ["rule", "cost", Number.isNaN(at.answers.setting.level) ? "no interval" : `${general(100 * at.data.confidence_level)} %`, "", "with hindsight", "to a person", "wrong"];
    table.replaceChildren(
      el("thead", {}, el("tr", {}, ...heads.map((name) => el("th", { scope: "col" }, name === "" ? el("span", { class: "unseen" }, "bar") : name)))),
      el(
        "tbody",
        {},
        ...rows.map(({ rule, estimate, name, abstained, wrong }) => {
          const shown = rule === at.answer.rule || keyOf(rule) === keyOf(at.answer.rule);
          const input = el("input", { type: "radio", name: "rule", "data-role": `rule-${keyOf(rule)}` });
          input.checked = shown;
          input.addEventListener("change", () => app.change({ held: keyOf(rule) }));
          const step = moneyStep(estimate.interval[0], estimate.interval[1], estimate.cost);
          const trivial = rule.model === null;
          return el(
            "tr",
            { class: shown ? "current" : "" },
            el("th", { scope: "row" }, el("label", {}, input, ` ${cut(name, 60)}`)),
            el("td", {}, money(estimate.cost, step)),
            el("td", {}, trivial || Number.isNaN(estimate.interval[0]) ? "" : moneyRange(estimate.interval, step)),
            el("td", { class: "bar-cell", "aria-hidden": "true" }, (estimate.interval[1] || estimate.cost) > highest ? "→" : intervalBar(estimate.interval, estimate.cost, highest)),
            el("td", {}, trivial ? "" : money(estimate.hindsight, step)),
            el("td", {}, percent(abstained)),
            el("td", {}, percent(wrong)),
          );
        }),
      ),
    );
    if (focused?.startsWith("rule-") === true)
      for (const input of table.querySelectorAll("input")) if (input.dataset["role"] === focused) input.focus();
  }
  frame.numbers(() => ({
    columns: ["model", "rule", "cost per 1000", "low", "high", "hindsight", "share to a person", "share wrong"],
    rows: sorted(now!).map(({ rule, estimate, abstained, wrong }) => [
      rule.model === null ? "" : app.data.models[rule.model].name,
      rule.kind,
      ...[estimate.cost, ...estimate.interval, estimate.hindsight].map((cost) => 1000 * cost),
      String(abstained),
      String(wrong),
    ]),
  }), true);
  return { element: frame.section, draw };
}

function sorted({ rules, answers, prices, data }: View) {
  const all = rules.map((rule) => {
    const estimate = answers.estimate(rule, prices);
    const shares = answers.confusion(rule);
    const m = data.classes.length;
    const abstained = shares.reduce((sum, row) => sum + row[m], 0);
    const right = shares.reduce((sum, row, k) => sum + row[k], 0);
    return { rule, estimate, name: nameOf(rule, data.models.map(({ name }) => name)), abstained, wrong: Math.max(0, 1 - right - abstained) };
  });
  return all.sort((a, b) => a.estimate.cost - b.estimate.cost);
}

function nameOf({ model, kind, aim }: Rule, models: readonly string[]): string {
  const corner = aim > 0 ? ` (corner ${aim} of the ranges)` : "";
  return model === null ? kind : models.length === 1 ? `${kind}${corner}` : `${cut(models[model], 24)}: ${kind}${corner}`;
}

/** Weights of the rule, and what they do to each class. */
export function weightsPanel(): ClassPanel {
  const frame = new Frame("weights", "Weights", "");
  const table = el("table", { class: "weights" });
  const note = el("p", { class: "reading", "data-role": "weights-reading" });
  frame.body.append(el("div", { class: "scroll across", tabindex: 0, role: "region", "aria-label": "Table of weights" }, table), note);
  let now: View | null = null;

  function draw(at: View): void {
    now = at;
    const rows = weightRows(at);
    setText(frame.about, meaning(at));
    const most = Math.max(...rows.map(({ weight }) => weight ?? 0), 0);
    table.replaceChildren(
      el("thead", {}, el("tr", {}, ...["class", "weight", "", "cases", "recognised", "to a person"].map((name) => el("th", { scope: "col" }, name === "" ? el("span", { class: "unseen" }, "bar") : name)))),
      el(
        "tbody",
        {},
        ...rows.map(({ name, weight, cases, hit, person }) => {
          const span = el("span", { class: "cost-bar" });
          span.style.width = `${weight !== null && most > 0 ? (100 * weight) / most : 0}%`;
          return el(
            "tr",
            {},
            el("th", { scope: "row" }, name),
            el("td", {}, weight === null ? "" : general(weight, 4)),
            el("td", { class: "bar-cell", "aria-hidden": "true" }, span),
            el("td", {}, cases === null ? "" : count(cases)),
            el("td", {}, hit === null ? "" : percent(hit)),
            el("td", {}, person === null ? "" : percent(person)),
          );
        }),
      ),
    );
    setText(note, "Weights are those chosen on all cases; shares are of held-out cases of each class.");
  }
  frame.numbers(() => ({
    columns: ["class", "weight", "cases", "share recognised", "share to a person"],
    rows: weightRows(now!).map(({ name, weight, cases, hit, person }) => [name, weight, cases, hit, person].map((value) => (value === null ? "" : String(value)))),
  }), true);
  return { element: frame.section, draw };
}

function meaning({ answer: { rule } }: View): string {
  if (rule.weights === null) return "This rule uses no model and no weights.";
  if (rule.kind.startsWith("expected cost") || rule.kind === "argmax") return "All classes alike: this rule needs no weights.";
  if (rule.columnCosts !== null) return "The expected cost of an answer is divided by its weight: a larger weight, more of that answer.";
  return "The probability of a class is multiplied by its weight: a larger weight, more of that answer.";
}

function weightRows({ data, answer }: View) {
  const { rule } = answer;
  const m = data.classes.length;
  const rows = data.classes.map((name, k) => {
    const row = rule.honest[k];
    const cases = row.reduce((all, value) => all + value, 0);
    const part = (value: number): number | null => (cases > 0 ? value / cases : null);
    return { name, weight: rule.weights?.[k] ?? null, cases: cases as number | null, hit: part(row[k]), person: part(row[m]) };
  });
  if (rule.abstains && rule.abstainWeight !== null)
    rows.push({ name: "a person", weight: rule.abstainWeight, cases: null, hit: null, person: null });
  return rows;
}
