/** Confusion table with abstentions: cases of the data, per 1000 in use, and what they cost. */
import { ratesOf } from "../comparison/estimates";
import type { Bill } from "../math/moneySums";
import { reviewCosts } from "../math/units";
import { grouped } from "../numbers";
import type { Situation } from "../situation";
import { el, setText } from "../view/dom";
import { count } from "../view/format";
import { Frame } from "../view/frame";
import type { Panel } from "../view/panel";

const HONEST =
  "Cases that did not choose the thresholds, averaged over the splits; then per 1000 in use, and their cost.";
const HINDSIGHT = "Cases that chose the thresholds; then per 1000 in use, and their cost with hindsight.";

interface Cell {
  cases: number;
  share: number;
  cost: number;
}

type Row = [positive: Cell, abstain: Cell, negative: Cell, all: Cell];

export function confusionPanel(): Panel {
  const frame = new Frame("confusion", "Confusion", "");
  const table = el("table", { class: "confusion" });
  const heads = ["", "", "", "", ""].map(() => el("th", { scope: "col" }));
  const lines = [0, 1, 2].map(() => ({
    name: el("th", { scope: "row" }),
    cells: [0, 1, 2, 3].map(() => cellNode()),
  }));
  const body = el("tbody");
  for (const { name, cells } of lines) body.append(el("tr", {}, name, ...cells.map(({ node }) => node)));
  table.append(el("thead", {}, el("tr", {}, ...heads)), body);
  lines[0].cells[2].node.classList.add("error");
  lines[1].cells[0].node.classList.add("error");
  heads[1].classList.add("said-positive");
  heads[2].classList.add("said-nothing");
  heads[3].classList.add("said-negative");
  const note = el("p", { class: "reading" });
  frame.body.append(
    el(
      "div",
      { class: "scroll across", tabindex: 0, role: "region", "aria-label": "Confusion table" },
      table,
    ),
    note,
  );

  let now: Situation | null = null;

  function draw(at: Situation): void {
    now = at;
    const { positive, negative } = at.names;
    ["truth", `said ${positive}`, "abstained", `said ${negative}`, "all"].forEach((text, k) =>
      setText(heads[k], text),
    );
    [positive, negative, "all"].forEach((text, k) => setText(lines[k].name, text));
  }

  function move(at: Situation): void {
    now = at;
    setText(note, at.shown.rule === null ? HINDSIGHT : HONEST);
    const found = rows(at);
    setText(frame.about, `${at.modelName}, ${count(found[2][3].cases)} cases`);
    found.forEach((row, r) => row.forEach((cell, c) => lines[r].cells[c].set(cell)));
  }

  frame.numbers(() => {
    const { positive, negative } = now!.names;
    const found = rows(now!);
    return {
      columns: ["truth", "decision", "cases", "share in use", "cost per 1000"],
      rows: found.flatMap((row, r) =>
        row.map((cell, c) => [
          [positive, negative, "all"][r],
          [positive, "abstain", negative, "all"][c],
          cell.cases,
          cell.share,
          1000 * cell.cost,
        ]),
      ),
    };
  }, true);
  return { element: frame.section, draw, move };
}

/** Positives, negatives and both, by what was decided: judged on held-out cases where that is possible. */
function rows(at: Situation): [Row, Row, Row] {
  const { window: w, costs, data, prevalence } = at;
  const rule = at.shown.rule;
  const shares =
    rule === null
      ? [w.tn, w.fp, w.abstainNegative, w.fn, w.tp, w.abstainPositive]
      : ratesOf(rule.honest, at.prepared.prevalence);
  const cells = (all: number, weight: number, decided: number[], prices: number[]): Row => {
    const parts = decided.map((place, k) => ({
      share: shares[place],
      cases: rule === null ? (weight > 0 ? (shares[place] * all) / weight : 0) : rule.honest[place],
      cost: shares[place] > 0 ? shares[place] * prices[k] : 0,
    })) as [Cell, Cell, Cell];
    return [...parts, sum(parts)];
  };
  const bill = rule?.bills?.[0];
  if (bill !== undefined) return paidRows(at, shares, bill);
  const { fn, fp, tp = 0, tn = 0 } = costs;
  const [onPositive, onNegative] = reviewCosts(costs);
  const positives = cells(data.n_positive, prevalence, [4, 5, 3], [tp, onPositive, fn]);
  const negatives = cells(data.n_negative, 1 - prevalence, [1, 2, 0], [fp, onNegative, tn]);
  return [positives, negatives, positives.map((cell, k) => sum([cell, negatives[k]])) as Row];
}

/** The same where every case has its own costs: what was paid in each cell. */
function paidRows(at: Situation, shares: ArrayLike<number>, bill: Bill): [Row, Row, Row] {
  const factors = [1, at.mu, Number.isFinite(at.nu) ? at.nu : 0];
  const row = (decided: number[]): Row => {
    const parts = decided.map((place) => {
      const each = bill.cases[place] > 0 ? shares[place] / bill.cases[place] : 0;
      const cost = at.money(each * factors[place % 3] * bill.paid[place]);
      return { share: shares[place], cases: bill.cases[place], cost };
    }) as [Cell, Cell, Cell];
    return [...parts, sum(parts)];
  };
  const [positives, negatives] = [row([4, 5, 3]), row([1, 2, 0])];
  return [positives, negatives, positives.map((cell, k) => sum([cell, negatives[k]])) as Row];
}

function sum(cells: readonly Cell[]): Cell {
  const total = (part: keyof Cell): number => cells.reduce((all, cell) => all + cell[part], 0);
  return { cases: total("cases"), share: total("share"), cost: total("cost") };
}

function cellNode(): { node: HTMLTableCellElement; set: (cell: Cell) => void } {
  const [tally, per, price] = ["tally", "per", "price"].map((name) => el("span", { class: name }));
  return {
    node: el("td", {}, tally, per, price),
    set: ({ cases, share, cost }) => {
      setText(tally, count(cases));
      setText(per, `${grouped(1000 * share, share > 0 && share < 0.01 ? 1 : 0)} / 1000`);
      const size = grouped(1000 * Math.abs(cost), 1000 * Math.abs(cost) < 10 ? 2 : 0);
      setText(price, cost === 0 ? "" : cost > 0 ? `costs ${size}` : `earns ${size}`);
    },
  };
}
