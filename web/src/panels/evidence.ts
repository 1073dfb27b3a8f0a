/** What the answer rests on: one closed section with a tab for every kind of evidence, drawn when it is looked at. */
import type { App } from "../app";
import { el } from "../view/dom";
import { saveMenu } from "../view/frame";
import type { Panel } from "../view/panel";

export interface EvidenceTab<A> {
  name: string;
  panels: readonly Panel<A>[];
}

export function evidence<A extends object>(app: Pick<App<never, A, never>, "adopt" | "look">, entries: readonly EvidenceTab<A>[]): HTMLElement {
  const pages = entries.map(({ name, panels }) => {
    const files = saveMenu(panels);
    return {
      name,
      id: panels[0].element.dataset["panel"] ?? name,
      element: el("div", { class: panels.length > 1 ? "pair" : "" }, ...panels.map((panel) => panel.element), files),
    };
  });
  const inside = el("span", { class: "about" }, entries.map(({ name }) => name).join(" · "));
  const summary = el("summary", { "data-role": "evidence" }, el("h2", {}, "Evidence"), inside);
  const element = el("details", { id: "evidence" }, summary, tabs("evidence", "Evidence", pages, () => app.look()));
  element.addEventListener("toggle", () => app.look());
  for (const { panels } of entries) for (const panel of panels) app.adopt(panel);
  return element;
}

export interface Tab {
  name: string;
  id: string;
  element: HTMLElement;
}

/** Arrow keys move between the names, as in any list of tabs; on paper all panels are shown. */
function tabs(id: string, label: string, entries: readonly Tab[], shown: () => void): HTMLElement {
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
