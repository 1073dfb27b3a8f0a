/** 1000 cases as proportional bars: what is done with them, and what goes wrong among them. */
import type { Part } from "../kind";
import { el, setText, show } from "../view/dom";

const MOST = 3;

export function spread(): { element: HTMLElement; draw(parts: readonly Part[]): void } {
  const sides = Array.from({ length: MOST }, () => {
    const wrong = el("span", { class: "mistakes" });
    const [name, where, errors] = [el("strong"), el("span"), el("span", { class: "errors" })];
    const patch = el("span", { class: "patch" });
    return { bar: el("span", {}, wrong), wrong, line: el("li", {}, patch, name, " ", where, " ", errors), patch, name, where, errors };
  });
  const bars = el("div", { class: "bar", role: "img", "data-role": "spread-bar" }, ...sides.map(({ bar }) => bar));
  const element = el("div", { class: "spread", "data-role": "spread" }, bars, el("ul", {}, ...sides.map(({ line }) => line)));
  let drawn = "";
  return {
    element,
    draw(parts) {
      const key = JSON.stringify(parts);
      if (key === drawn) return;
      drawn = key;
      show(element, parts.length > 0);
      parts.forEach(({ look, cases, wrong, name, where, errors }, k) => {
        const side = sides[k];
        side.bar.className = `said-${look}`;
        side.patch.className = `patch said-${look}`;
        // a kind that happens can be seen, however rare it is
        side.bar.style.flex = `${cases} 0 ${cases > 0 || wrong > 0 ? 2 : 0}px`;
        show(side.wrong, wrong > 0 && look !== "wrong");
        side.wrong.style.width = `${cases > 0 ? Math.min(100, (100 * wrong) / cases) : 100}%`;
        setText(side.name, name);
        setText(side.where, where);
        setText(side.errors, errors);
      });
      const wrong = parts.map(({ errors }) => errors).filter((text) => text !== "");
      bars.setAttribute("aria-label", `Of 1000 cases: ${parts.map(({ name }) => name).join(", ")}${wrong.length ? `; ${wrong.join(", ")}` : ""}`);
    },
  };
}
