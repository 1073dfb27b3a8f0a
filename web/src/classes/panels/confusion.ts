/** Confusion with abstentions: held-out cases, and what they cost. */
import { grouped, percent } from "../../numbers";
import { el, setText } from "../../view/dom";
import { amount, count } from "../../view/format";
import { Frame } from "../../view/frame";
import type { ClassPanel, View } from "../app";

const ABOUT = "Cases that did not choose the rule, averaged over the splits; then per 1000 in use, and what they cost.";

export function classConfusion(): ClassPanel {
  const frame = new Frame("confusion", "Confusion", ABOUT);
  const table = el("table", { class: "confusion class-confusion" });
  frame.body.append(
    el("div", { class: "scroll across", tabindex: 0, role: "region", "aria-label": "Confusion table" }, table),
  );
  let now: View | null = null;

  function draw(at: View): void {
    now = at;
    const { data, answer } = at;
    const heads = answersOf(at);
    const cells = (k: number | null, j: number | null): HTMLTableCellElement => {
      const cell = cellOf(at, k, j);
      const wrong = k !== null && j !== null && j < data.classes.length && k !== j;
      const share = answer.cost > 0 && wrong ? Math.min(1, cell.cost / answer.cost) : 0;
      const node = el(
        "td",
        { class: wrong ? "error" : k === j && k !== null ? "hit" : "" },
        el("span", { class: "tally" }, count(cell.cases)),
        el("span", { class: "per" }, `${grouped(1000 * cell.share, cell.share > 0 && cell.share < 0.01 ? 1 : 0)} / 1000`),
        el("span", { class: "price" }, cell.cost === 0 ? "" : `costs ${amount(1000 * cell.cost)}`),
      );
      // the darker, the more of the cost
      if (share > 0) node.style.setProperty("--part", `${Math.round(35 * share)}%`);
      return node;
    };
    const names = [...data.classes, null];
    table.replaceChildren(
      el("thead", {}, el("tr", {}, ...["truth", ...heads, "all"].map((name) => el("th", { scope: "col" }, name)))),
      el(
        "tbody",
        {},
        ...names.map((name, k) =>
          el(
            "tr",
            {},
            el("th", { scope: "row" }, name ?? "all"),
            ...[...heads.keys()].map((j) => cells(name === null ? null : k, j)),
            cells(name === null ? null : k, null),
          ),
        ),
      ),
    );
  }
  frame.numbers(() => confusionSheet(now!), true);
  return { element: frame.section, draw };
}

function answersOf({ data, prices }: View): string[] {
  return [...data.classes.map((name) => `called ${name}`), ...(prices.abstain === null ? [] : ["to a person"])];
}

/** One cell; null stands for all classes or all answers. */
function cellOf({ answer }: View, k: number | null, j: number | null) {
  const add = (table: readonly number[][]): number =>
    (k === null ? table : [table[k]]).reduce(
      (all, row) => all + (j === null ? row.reduce((sum, value) => sum + value, 0) : row[j]),
      0,
    );
  return { cases: add(answer.rule.honest), share: add(answer.confusion), cost: add(answer.confusionCost) };
}

function confusionSheet(at: View) {
  const heads = answersOf(at);
  return {
    columns: ["truth", "answer", "cases", "share in use", "cost per 1000"],
    rows: at.data.classes.flatMap((name, k) =>
      heads.map((head, j) => {
        const { cases, share, cost } = cellOf(at, k, j);
        return [name, j < at.data.classes.length ? head.replace(/^called /, "") : "abstain", String(cases), String(share), String(1000 * cost)];
      }),
    ),
  };
}

const MOST = 12;

/** Which classes get confused, the most expensive pair first. */
export function mistakesPanel(): ClassPanel {
  const frame = new Frame("mistakes", "What the mistakes cost", "The most expensive confusions and reviews first, per 1000 cases.");
  const list = el("table", { class: "mistakes" });
  const rest = el("p", { class: "reading", "data-role": "mistakes-rest" });
  frame.body.append(el("div", { class: "scroll across", tabindex: 0, role: "region", "aria-label": "Table of mistakes" }, list), rest);
  let now: View | null = null;

  function draw(at: View): void {
    now = at;
    const rows = mistakes(at);
    const most = Math.max(...rows.map(({ cost }) => cost), 0);
    list.replaceChildren(
      el("thead", {}, el("tr", {}, ...["what happens", "cases", "cost", "of the cost", ""].map((name) => el("th", { scope: "col" }, name === "" ? el("span", { class: "unseen" }, "bar") : name)))),
      el(
        "tbody",
        {},
        ...rows.slice(0, MOST).map(({ name, share, cost, part, review }) => {
          const bar = el("span", { class: review ? "cost-bar review" : "cost-bar" });
          bar.style.width = `${most > 0 ? (100 * cost) / most : 0}%`;
          return el(
            "tr",
            {},
            el("th", { scope: "row" }, name),
            el("td", {}, grouped(1000 * share, share < 0.01 ? 1 : 0)),
            el("td", {}, amount(1000 * cost)),
            el("td", {}, percent(part)),
            el("td", { class: "bar-cell", "aria-hidden": "true" }, bar),
          );
        }),
      ),
    );
    const others = rows.slice(MOST);
    setText(rest, others.length === 0 ? "" : `${others.length} more cost ${amount(1000 * others.reduce((all, { cost }) => all + cost, 0))} together; the CSV file has all.`);
  }
  frame.numbers(() => ({
    columns: ["what happens", "share in use", "cost per 1000", "share of the cost"],
    rows: mistakes(now!).map(({ name, share, cost, part }) => [name, String(share), String(1000 * cost), String(part)]),
  }), true);
  return { element: frame.section, draw };
}

function mistakes({ data: { classes }, answer }: View) {
  const found = [];
  for (let k = 0; k < classes.length; k++) {
    for (let j = 0; j <= classes.length; j++) {
      const share = answer.confusion[k][j];
      if (j === k || share === 0) continue;
      const review = j === classes.length;
      const cost = answer.confusionCost[k][j];
      const name = review ? `${classes[k]} sent to a person` : `${classes[k]} called ${classes[j]}`;
      found.push({ name, share, cost, part: answer.cost > 0 ? cost / answer.cost : 0, review });
    }
  }
  return found.sort((a, b) => b.cost - a.cost);
}
