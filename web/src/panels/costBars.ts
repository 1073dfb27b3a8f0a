/** The cost of the answer as a bar against the alternatives, per 1000 cases. */
import { money, moneyStep } from "../comparison/numbers";
import type { View } from "../kind";
import { el, setText, show } from "../view/dom";

const MOST = 5;

export function costBars(): { element: HTMLElement; draw(answer: View["answer"]): void } {
  const lines = Array.from({ length: MOST }, () => {
    const [name, value, fill, range, open] = ["name", "value", "fill", "range", "open"].map((part) => el("span", { class: part }));
    const row = el("li", {}, name, el("span", { class: "track", "aria-hidden": "true" }, fill, range), value, open);
    return { row, name, value, fill, range, open };
  });
  const title = el("p", { class: "about" });
  const list = el("ul", { "data-role": "cost-bars" }, ...lines.map(({ row }) => row));
  const element = el("div", { class: "bars" }, title, list);

  function draw(answer: View["answer"]): void {
    show(element, answer !== null);
    if (answer === null) return;
    const { bars, measured } = answer;
    const words = `${measured ? "Measured cost" : "Cost"} per 1000 cases against the alternatives`;
    setText(title, words);
    list.setAttribute("aria-label", words);
    const most = Math.max(...bars.map(({ cost, interval }) => Math.max(cost, Math.min(interval[1] || 0, 3 * cost))), 1e-12);
    // what right answers gain may make a rule cost less than nothing: its bar is empty
    const place = (cost: number): number => Math.min(100, Math.max(0, (100 * cost) / most));
    const step = moneyStep(bars[0].interval[0], bars[0].interval[1], bars[0].cost);
    lines.forEach(({ row, name, value, fill, range, open }, k) => {
      show(row, k < bars.length);
      if (k >= bars.length) return;
      const { cost, interval, chosen } = bars[k];
      row.className = chosen ? "chosen" : "";
      setText(name, bars[k].name);
      name.title = bars[k].name;
      setText(value, money(cost, step));
      setText(open, bars[k].open ? "not proven" : "");
      fill.style.width = `${place(cost)}%`;
      show(range, !Number.isNaN(interval[0]));
      if (range.hidden) return;
      range.style.left = `${place(interval[0])}%`;
      range.style.width = `${place(interval[1]) - place(interval[0])}%`;
    });
  }

  return { element, draw };
}
