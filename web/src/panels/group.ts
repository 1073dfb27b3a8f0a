/** Fields that belong together, under a title. */
import { el } from "../view/dom";

export function group(title: string, ...children: (HTMLElement | string)[]): HTMLFieldSetElement {
  return el("fieldset", { class: "group" }, el("legend", {}, title), ...children);
}
