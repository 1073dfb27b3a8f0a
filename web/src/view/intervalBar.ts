/** Bars inside tables, which the numbers beside them say in words. */
import { el } from "./dom";

/** A cost and its interval as marks on a line from 0 to `most`. */
export function intervalBar([low, high]: readonly number[], cost: number, most: number): HTMLTableCellElement {
  const [range, mark] = [el("i"), el("b")];
  const at = (value: number): string => `${most > 0 ? (100 * value) / most : 0}%`;
  if (!Number.isNaN(low)) {
    range.style.left = at(low);
    range.style.width = at(high - low);
  }
  mark.style.left = at(cost);
  return barCell(el("span", { class: "interval-bar" }, range, mark));
}

/** A share of the largest value. */
export function shareBar(share: number, look = ""): HTMLTableCellElement {
  const bar = el("span", { class: `cost-bar ${look}` });
  bar.style.width = `${100 * share}%`;
  return barCell(bar);
}

export function barCell(content: Node | string): HTMLTableCellElement {
  return el("td", { class: "bar-cell", "aria-hidden": "true" }, content);
}
