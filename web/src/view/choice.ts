/** One of a few words: radio buttons that look like words in a row. */
import { el } from "./dom";

export interface Choice<T extends string> {
  element: HTMLFieldSetElement;
  set(value: T): void;
  enable(value: T, possible: boolean): void;
}

export function choice<T extends string>(
  name: string,
  title: string,
  options: readonly (readonly [value: T, text: string])[],
  chosen: (value: T) => void,
): Choice<T> {
  const inputs = new Map<T, HTMLInputElement>();
  const element = el("fieldset", { class: "switch", id: name }, el("legend", { class: "unseen" }, title));
  for (const [value, text] of options) {
    const input = el("input", { type: "radio", name, value, "data-role": `${name}-${value}` });
    input.addEventListener("change", () => chosen(value));
    inputs.set(value, input);
    element.append(el("label", {}, input, el("span", {}, text)));
  }
  return {
    element,
    set: (value) => {
      const input = inputs.get(value);
      if (input !== undefined) input.checked = true;
    },
    enable: (value, possible) => {
      const input = inputs.get(value);
      if (input !== undefined) input.disabled = !possible;
    },
  };
}
