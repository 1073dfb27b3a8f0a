/** What the answer rests on: one closed section with a tab for every kind of evidence, drawn when it is looked at. */
import type { App } from "../app";
import { el } from "../view/dom";
import { saveMenu } from "../view/frame";
import type { Panel } from "../view/panel";
import { tabs } from "../view/tabs";

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
