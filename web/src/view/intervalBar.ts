/** A cost and its interval as marks on a line from 0 to `most`. */
import { el } from "./dom";

export function intervalBar([low, high]: readonly number[], cost: number, most: number): HTMLElement {
  const [range, mark] = [el("i"), el("b")];
  const at = (value: number): string => `${most > 0 ? (100 * value) / most : 0}%`;
  if (!Number.isNaN(low)) {
    range.style.left = at(low);
    range.style.width = at(high - low);
  }
  mark.style.left = at(cost);
  return el("span", { class: "interval-bar" }, range, mark);
}
