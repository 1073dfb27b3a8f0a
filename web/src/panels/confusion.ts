/** Confusion with abstentions, of two classes or of many: cases, per 1000 in use, and what they cost. */
import { paidBy, ratesOf } from "../comparison/candidates";
import { lossTable } from "../comparison/problem";
import { grouped } from "../numbers";
import type { Situation } from "../situation";
import { el, setText } from "../view/dom";
import { amount, count } from "../view/format";
import { Frame, scrolling, tableHead, tableRow } from "../view/frame";
import type { Panel } from "../view/panel";

export interface Cell {
  cases: number;
  share: number;
  /** Per case, in the reader's unit. */
  cost: number;
}

/** A row of cells for every true class, a column for every answer. */
export interface Confusion {
  about: string;
  truths: readonly string[];
  answers: readonly string[];
  cells: readonly (readonly Cell[])[];
  isError(truth: number, answer: number): boolean;
}

const HONEST = "cases that did not choose the rule, averaged over the splits; then per 1000 in use, and their cost";
const HINDSIGHT = "with hindsight: cases that chose the thresholds; then per 1000 in use, and their cost";

export function confusionTable<A>(read: (at: A) => Confusion): Panel<A> {
  const frame = new Frame("confusion", "Confusion");
  const table = el("table", { class: "confusion" });
  frame.body.append(scrolling("Confusion table", table));
  let now: Confusion | null = null;

  function draw(at: A): void {
    const { about, truths, answers, cells, isError } = (now = read(at));
    setText(frame.about, about);
    const all = sum(cells.flat()).cost;
    const node = (cell: Cell, wrong = false): HTMLTableCellElement => {
      const { cases, share, cost } = cell;
      const money = cost === 0 ? "" : `${cost > 0 ? "costs" : "earns"} ${amount(1000 * Math.abs(cost))}`;
      const [tally, per, price] = [count(cases), `${grouped(1000 * share, share > 0 && share < 0.01 ? 1 : 0)} / 1000`, money];
      const made = el("td", { class: wrong ? "error" : "" }, el("span", { class: "tally" }, tally), el("span", { class: "per" }, per), el("span", { class: "price" }, price));
      // the darker, the more of the cost
      if (wrong && all > 0 && cost > 0) made.style.setProperty("--part", `${Math.round((35 * cost) / all)}%`);
      return made;
    };
    const columns = answers.map((_, j) => sum(cells.map((row) => row[j])));
    table.replaceChildren(
      tableHead(["truth", ...answers, "all"]),
      el(
        "tbody",
        {},
        ...truths.map((name, k) => tableRow(name, ...cells[k].map((cell, j) => node(cell, isError(k, j))), node(sum(cells[k])))),
        tableRow("all", ...columns.map((cell) => node(cell)), node(sum(columns))),
      ),
    );
  }

  frame.numbers(() => {
    const { truths, answers, cells } = now!;
    return {
      columns: ["truth", "decision", "cases", "share in use", "cost per 1000"],
      rows: truths.flatMap((name, k) => cells[k].map(({ cases, share, cost }, j) => [name, answers[j].replace(/^called /, ""), cases, share, 1000 * cost])),
    };
  }, true);
  return frame.panel(draw, draw);
}

/** Positives and negatives by what was decided: judged on held-out cases where that is possible. */
export function confusionPanel(): Panel {
  return confusionTable((at: Situation) => {
    const { positive, negative } = at.names;
    return {
      about: `${at.modelName}: ${at.shown.rule === null ? HINDSIGHT : HONEST}`,
      truths: [positive, negative],
      answers: [`called ${positive}`, "to a person", `called ${negative}`],
      cells: cellsOf(at),
      isError: (truth, answer) => (truth === 0 ? answer === 2 : answer === 0),
    };
  });
}

/** Places of the outcome table: a positive called positive, sent to a person, called negative; the same of negatives. */
const PLACES = [
  [4, 5, 3],
  [1, 2, 0],
] as const;

function cellsOf(at: Situation): Cell[][] {
  const { window: w, data, prevalence } = at;
  const rule = at.shown.rule;
  const shares =
    rule === null ? [w.tn, w.fp, w.abstainNegative, w.fn, w.tp, w.abstainPositive] : ratesOf(rule.honest, at.prepared.prevalence);
  const prices = lossTable(at.problem).flat();
  const paid = rule === null ? Array.from(shares, (share, place) => share * prices[place]) : paidBy(rule, at.problem);
  const sizes = [
    [data.n_positive, prevalence],
    [data.n_negative, 1 - prevalence],
  ];
  return PLACES.map((places, truth) =>
    places.map((place) => {
      const share = shares[place];
      const [all, weight] = sizes[truth];
      const cases = rule === null ? (weight > 0 ? (share * all) / weight : 0) : rule.honest[place];
      return { share, cases, cost: paid[place] };
    }),
  );
}

function sum(cells: readonly Cell[]): Cell {
  const total = (part: keyof Cell): number => cells.reduce((all, cell) => all + cell[part], 0);
  return { cases: total("cases"), share: total("share"), cost: total("cost") };
}
