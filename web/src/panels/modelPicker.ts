/** Which model the page shows: the cheapest here, or one the reader holds on to. */
import type { App } from "../app";
import type { Situation } from "../situation";
import { el, setName, setText } from "../view/dom";
import type { Panel } from "../view/panel";
import { paintSwatch, swatch } from "../view/swatch";

export function modelPicker(app: App): Panel {
  const list = el("ul", { class: "models-list" });
  const element = el("fieldset", { class: "group", id: "model-picker" }, el("legend", {}, "Model"), list);

  function option(
    value: string,
    model: number | null,
    ...content: (HTMLElement | SVGSVGElement)[]
  ): HTMLInputElement {
    const input = el("input", { type: "radio", name: "model", value, "data-role": `model-${value}` });
    input.addEventListener("change", () => app.change({ model }));
    list.append(el("li", {}, el("label", {}, input, ...content)));
    return input;
  }

  const automatic = option("cheapest", null, el("span", { class: "name" }, "the answer"));
  const options = app.data.models.map((model, k) => {
    const name = el("span", { class: "name" });
    setName(name, model.name, 60);
    const mark = swatch(k, "light");
    const value = el("span", { class: "value" });
    return { input: option(String(k), k, mark, name, value), mark, value };
  });

  function draw(at: Situation): void {
    automatic.checked = at.state.model === null;
    options.forEach(({ input, mark }, k) => {
      input.checked = at.state.model === k;
      paintSwatch(mark, at.theme);
    });
  }

  function move(at: Situation): void {
    options.forEach(({ value }, k) => {
      const { honest } = at.outcome(k);
      const cost = at.bestCost(k);
      const text = at.per1000(cost, honest === null ? undefined : at.step(cost, honest.interval));
      setText(value, Number.isNaN(cost) ? "no rule" : text);
    });
  }

  return { element, draw, move };
}
