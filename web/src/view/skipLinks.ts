/** Links for the keyboard past everything that comes first. */
import { el } from "./dom";

/** Addresses hold the state of the page, so the links move the focus instead. */
export function skipLinks(targets: readonly (readonly [text: string, selector: string])[]): HTMLElement {
  const links = targets.map(([text, selector]) => {
    const link = el("button", { type: "button", "data-role": "skip" }, text);
    link.addEventListener("click", () => {
      const target = document.querySelector<HTMLElement>(selector);
      target?.scrollIntoView({ block: "start" });
      target?.focus();
    });
    return link;
  });
  return el("nav", { class: "skip", "aria-label": "Skip" }, ...links);
}
