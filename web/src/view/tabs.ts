/** Panels that share a place: one is shown, the others wait behind their names. */
import { el } from "./dom";

export interface Tab {
  name: string;
  element: HTMLElement;
  /** Called whenever the tab is chosen. */
  shown: () => void;
}

/** Arrow keys move between the names, as in any list of tabs; on paper all panels are shown. */
export function tabs(id: string, label: string, entries: readonly Tab[]): HTMLElement {
  const list = el("div", { class: "tabs", role: "tablist", "aria-label": label });
  const pages = entries.map(({ element }, k) =>
    el("div", { id: `${id}-page-${k}`, class: "tab-page", role: "tabpanel", "aria-labelledby": `${id}-tab-${k}` }, element),
  );
  const buttons = entries.map(({ name, element }, k) => {
    const button = el(
      "button",
      {
        ...{ type: "button", role: "tab", id: `${id}-tab-${k}`, "aria-controls": `${id}-page-${k}` },
        "data-role": `tab-${element.dataset["panel"] ?? k}`,
      },
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

  function mark(chosen: number): void {
    buttons.forEach((button, k) => {
      button.setAttribute("aria-selected", String(k === chosen));
      button.tabIndex = k === chosen ? 0 : -1;
      pages[k].hidden = k !== chosen;
    });
  }

  function choose(chosen: number): void {
    mark(chosen);
    entries[chosen].shown();
  }

  list.append(...buttons);
  mark(0);
  return el("div", { class: "tabbed" }, ...(entries.length > 1 ? [list] : []), ...pages);
}
