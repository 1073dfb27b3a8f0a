/** Panels that share a place: one is shown, the others wait behind their names. */
import { el } from "./dom";

export interface Tab {
  name: string;
  id: string;
  element: HTMLElement;
}

/** Arrow keys move between the names, as in any list of tabs; on paper all panels are shown. */
export function tabs(id: string, label: string, entries: readonly Tab[], shown: () => void): HTMLElement {
  const pages = entries.map(({ element }, k) =>
    el("div", { id: `${id}-page-${k}`, class: "tab-page", role: "tabpanel", "aria-labelledby": `${id}-tab-${k}` }, element),
  );
  const buttons = entries.map(({ name, id: own }, k) => {
    const button = el(
      "button",
      { type: "button", role: "tab", id: `${id}-tab-${k}`, "aria-controls": `${id}-page-${k}`, "data-role": `tab-${own}` },
      name,
    );
    button.addEventListener("click", () => choose(k));
    button.addEventListener("keydown", (event) => {
      const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (step === 0) return;
      event.preventDefault();
      const next = (k + step + entries.length) % entries.length;
      choose(next);
      buttons[next].focus();
    });
    return button;
  });

  function choose(chosen: number): void {
    buttons.forEach((button, k) => {
      button.setAttribute("aria-selected", String(k === chosen));
      button.tabIndex = k === chosen ? 0 : -1;
      pages[k].hidden = k !== chosen;
    });
    shown();
  }

  choose(0);
  return el("div", { class: "tabbed" }, el("div", { class: "tabs", role: "tablist", "aria-label": label }, ...buttons), ...pages);
}
