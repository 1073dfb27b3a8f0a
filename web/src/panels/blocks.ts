/** What the answer costs in every judged block of time, at the costs of the report: numbers of Python. */
import { money, moneyRange, moneyStep } from "../comparison/numbers";
import type { BlockCost } from "../data";
import { general } from "../numbers";
import { el } from "../view/dom";
import { count } from "../view/format";
import { Frame, scrolling, tableHead, tableRow } from "../view/frame";
import type { Panel } from "../view/panel";
import { intervalBar } from "../view/intervalBar";

/** Costs of an answer that was judged forward in time. */
export interface ForwardCosts {
  by_block?: BlockCost[] | null;
  honest_cost?: number;
  shuffled_cost?: number | null;
}

export function blocksPanel({ by_block: blocks, honest_cost: all = NaN, shuffled_cost: shuffled }: ForwardCosts, level: number): Panel<object> {
  const frame = new Frame("blocks", "Cost by block of time", "rules chosen on the blocks before; at the costs of the report");
  const rows = blocks ?? [];
  const most = Math.max(...rows.map(({ interval }) => interval[1]), 0);
  const step = Math.max(...rows.map(({ interval, cost }) => moneyStep(interval[0], interval[1], cost)));
  // what costs is seen first, also on a phone
  const titles = ["block", "cost per 1000", `${general(100 * level)} %`, "", "period", "cases"];
  const table = el(
    "table",
    {},
    tableHead(titles),
    el(
      "tbody",
      {},
      ...rows.map(({ block, start, end, n, cost, interval }) =>
        tableRow(String(block), money(cost, step), moneyRange(interval, step), intervalBar(interval, cost, most), `${start} to ${end}`, count(n)),
      ),
    ),
  );
  const against = shuffled == null ? "" : `; a shuffled split measures ${money(shuffled, step)}`;
  frame.body.append(
    scrolling("Cost by block of time", table),
    el("p", { class: "reading", "data-role": "blocks-said" }, `All of them measured ${money(all, step)}${against}. Intervals are for a block alone.`),
  );
  frame.numbers(
    () => ({
      columns: ["block", "start", "end", "cases", "cost_per_1000", "low", "high"],
      rows: rows.map(({ block, start, end, n, cost, interval }) => [
        ...[block, start, end, n].map(String),
        ...[cost, ...interval].map((value) => 1000 * value),
      ]),
    }),
    true,
  );
  return frame.panel<object>(() => undefined);
}
