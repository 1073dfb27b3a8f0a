/** The cost of the answer as a bar against the alternatives, each with what it costs per 1000 cases. */
import { rivals } from "../comparison/choice";
import type { Candidate } from "../comparison/candidates";
import { costOf } from "../comparison/estimates";
import { money, moneyStep } from "../comparison/numbers";
import { shortName, trivialWords } from "../comparison/words";
import type { Situation } from "../situation";
import { el, setText, show } from "../view/dom";

interface Bar {
  name: string;
  cost: number;
  interval: readonly number[];
  chosen: boolean;
}

const MOST = 4;

export function costBars(): { element: HTMLElement; move(at: Situation): void } {
  const lines = Array.from({ length: MOST }, () => {
    const [name, value, fill, range] = [el("span", { class: "name" }), el("span", { class: "value" }), el("span", { class: "fill" }), el("span", { class: "range" })];
    const row = el("li", {}, name, el("span", { class: "track", "aria-hidden": "true" }, fill, range), value);
    return { row, name, value, fill, range };
  });
  const element = el(
    "ul",
    { class: "bars", "data-role": "cost-bars", "aria-label": "Cost per 1000 cases against the alternatives" },
    ...lines.map(({ row }) => row),
  );

  function move(at: Situation): void {
    const bars = at.answer === null ? [] : barsOf(at);
    show(element, bars.length > 0);
    const most = Math.max(...bars.map(({ cost, interval }) => Math.max(cost, Math.min(interval[1], 3 * cost))), 1e-12);
    // what right answers gain may make a rule cost less than nothing: its bar is empty
    const place = (cost: number): number => Math.min(100, Math.max(0, (100 * cost) / most));
    const step = bars.length ? moneyStep(bars[0].interval[0], bars[0].interval[1], bars[0].cost) : 1;
    lines.forEach(({ row, name, value, fill, range }, k) => {
      show(row, k < bars.length);
      if (k >= bars.length) return;
      const { cost, interval, chosen } = bars[k];
      row.className = chosen ? "chosen" : "";
      setText(name, bars[k].name);
      setText(value, money(cost, step));
      fill.style.width = `${place(cost)}%`;
      range.style.left = `${place(interval[0])}%`;
      range.style.width = `${place(interval[1]) - place(interval[0])}%`;
    });
  }

  return { element, move };
}

/** The answer first, then the best rule without a model, never abstaining and the runner-up. */
function barsOf(at: Situation): Bar[] {
  const { rule } = at.answer!;
  const { question } = at.candidates!;
  const bar = (one: Candidate, name: string): Bar => {
    const { cost, interval } = costOf(one, question);
    return { name, cost: at.money(cost), interval: interval.map((end) => at.money(end)), chosen: one === rule };
  };
  const nameOf = (one: Candidate): string =>
    one.model === null ? trivialWords(one.kind, at.names)[0] : shortName(at.data.models[one.model].name);
  const { trivial, never_abstaining: never, runner_up: other } = rivals(rule, at.candidates!);
  const bars = [bar(rule, nameOf(rule))];
  if (trivial) bars.push(bar(trivial, nameOf(trivial)));
  if (never && never !== other) bars.push(bar(never, `${nameOf(never)}, never abstaining`));
  if (other) bars.push(bar(other, nameOf(other)));
  return bars;
}
