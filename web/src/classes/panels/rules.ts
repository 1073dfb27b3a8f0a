/** All rules at the costs on show, and the weights of the one looked at. */
import { general, percent } from "../../numbers";
import { money, moneyRange, moneyStep } from "../../comparison/numbers";
import { cut, el, setText, show } from "../../view/dom";
import { count } from "../../view/format";
import { Frame, scrolling, tableHead, tableRow } from "../../view/frame";
import { barCell, intervalBar, shareBar } from "../../view/intervalBar";
import { button } from "../../view/menu";
import type { Panel } from "../../view/panel";
import type { Rule } from "../answer";
import { keyOf, type ClassApp, type ClassSituation } from "../manyClasses";

export function rulesPanel(app: ClassApp): Panel<ClassSituation> {
  const frame = new Frame("rules", "All rules", "measured cost per 1000 cases at the costs above; choose one to see its confusion");
  const table = el("table", { class: "rules" });
  const back = button("Show the cheapest rule", "let-go", () => app.change({ held: null }));
  frame.body.append(scrolling("Table of rules", table), back);
  let rows: ReturnType<typeof sorted> = [];

  function draw(at: ClassSituation): void {
    rows = sorted(at);
    show(back, at.held !== null);
    const focused = document.activeElement instanceof HTMLInputElement ? document.activeElement.dataset["role"] : undefined;
    // rules far from the best would squeeze the others: their bars are left out
    const highest = 3 * Math.max(rows[0].estimate.interval[1] || rows[0].estimate.cost, 0);
    const level = Number.isNaN(at.answers.setting.quantile) ? "no interval" : `${general(100 * at.data.confidence_level)} %`;
    table.replaceChildren(
      tableHead(["rule", "cost", level, "", "with hindsight", "to a person", "wrong"]),
      el("tbody", {}, ...rows.map((row) => lineOf(at, row, highest))),
    );
    if (focused?.startsWith("rule-") === true)
      for (const input of table.querySelectorAll("input")) if (input.dataset["role"] === focused) input.focus();
  }

  function lineOf(at: ClassSituation, { rule, estimate, name, abstained, wrong }: (typeof rows)[number], highest: number): HTMLTableRowElement {
    const { cost, interval, hindsight } = estimate;
    const input = el("input", { type: "radio", name: "rule", "data-role": `rule-${keyOf(rule)}` });
    input.checked = keyOf(rule) === keyOf(at.answer.rule);
    input.addEventListener("change", () => app.change({ held: keyOf(rule) }));
    const step = moneyStep(interval[0], interval[1], cost);
    const trivial = rule.model === null;
    const line = tableRow(
      el("label", {}, input, ` ${cut(name, 60)}`),
      money(cost, step),
      trivial || Number.isNaN(interval[0]) ? "" : moneyRange(interval, step),
      (interval[1] || cost) > highest ? barCell("→") : intervalBar(interval, cost, highest),
      trivial ? "" : money(hindsight, step),
      ...[abstained, wrong].map(percent),
    );
    line.className = input.checked ? "current" : "";
    return line;
  }

  frame.numbers(() => ({
    columns: ["model", "rule", "cost per 1000", "low", "high", "hindsight", "share to a person", "share wrong"],
    rows: rows.map(({ rule, estimate, abstained, wrong }) => [
      rule.model === null ? "" : app.kind.data.models[rule.model].name,
      rule.kind,
      ...[estimate.cost, ...estimate.interval, estimate.hindsight].map((cost) => 1000 * cost),
      abstained,
      wrong,
    ]),
  }), true);
  return frame.panel(draw);
}

function sorted({ rules, answers, prices, data }: ClassSituation) {
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
export function weightsPanel(): Panel<ClassSituation> {
  const frame = new Frame("weights", "Weights", "");
  const table = el("table", { class: "weights" });
  const note = el("p", { class: "reading", "data-role": "weights-reading" }, "Weights are those chosen on all cases; shares are of held-out cases of each class.");
  frame.body.append(scrolling("Table of weights", table), note);
  let rows: ReturnType<typeof weightRows> = [];
  const text = (value: number | null, words: (value: number) => string): string => (value === null ? "" : words(value));

  function draw(at: ClassSituation): void {
    rows = weightRows(at);
    setText(frame.about, meaning(at));
    const most = Math.max(...rows.map(({ weight }) => weight ?? 0), 0);
    table.replaceChildren(
      tableHead(["class", "weight", "", "cases", "recognised", "to a person"]),
      el(
        "tbody",
        {},
        ...rows.map(({ name, weight, cases, hit, person }) =>
          tableRow(
            name,
            text(weight, (value) => general(value, 4)),
            shareBar(most > 0 ? (weight ?? 0) / most : 0),
            ...[text(cases, count), text(hit, percent), text(person, percent)],
          ),
        ),
      ),
    );
  }
  frame.numbers(() => ({
    columns: ["class", "weight", "cases", "share recognised", "share to a person"],
    rows: rows.map(({ name, ...numbers }) => [name, ...Object.values(numbers).map((value) => value ?? NaN)]),
  }), true);
  return frame.panel(draw);
}

function meaning({ answer: { rule } }: ClassSituation): string {
  if (rule.weights === null) return "this rule uses no model and no weights";
  if (rule.kind.startsWith("expected cost") || rule.kind === "argmax") return "all classes alike: this rule needs no weights";
  if (rule.columnCosts !== null) return "the expected cost of an answer is divided by its weight: a larger weight, more of that answer";
  return "the probability of a class is multiplied by its weight: a larger weight, more of that answer";
}

function weightRows({ data, answer: { rule } }: ClassSituation) {
  const m = data.classes.length;
  const rows = data.classes.map((name, k) => {
    const row = rule.honest[k];
    const cases: number | null = row.reduce((all, value) => all + value, 0);
    const part = (value: number): number | null => (cases > 0 ? value / cases : null);
    return { name, weight: rule.weights?.[k] ?? null, cases: cases as number | null, hit: part(row[k]), person: part(row[m]) };
  });
  if (rule.abstains && rule.abstainWeight !== null)
    rows.push({ name: "a person", weight: rule.abstainWeight, cases: null, hit: null, person: null });
  return rows;
}
