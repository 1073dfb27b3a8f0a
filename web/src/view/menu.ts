/** A menu: buttons behind a word, closed by Escape, by a choice and by a click elsewhere. */
import { el } from "./dom";

export function menu(title: string, role: string, ...content: Node[]): HTMLDetailsElement {
  const summary = el("summary", { "data-role": role }, title);
  const element = el("details", { class: "menu" }, summary, el("div", { class: "menu-items" }, ...content));
  const close = (): void => void (element.open = false);
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !element.open) return;
    event.stopPropagation();
    close();
    summary.focus();
  });
  element.addEventListener("click", (event) => {
    if ((event.target as Element).closest("button") !== null) close();
  });
  document.addEventListener("pointerdown", (event) => {
    if (!element.contains(event.target as Node)) close();
  });
  return element;
}

export function button(text: string, role: string, act: () => void, look = "quiet"): HTMLButtonElement {
  const node = el("button", { type: "button", class: look, "data-role": role }, text);
  node.addEventListener("click", act);
  return node;
}
