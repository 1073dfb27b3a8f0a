/** A number with its name, its unit and, if asked for, a slider. */
import { el } from "../view/dom";
import { typed } from "../view/format";

export interface FieldOptions {
  id: string;
  label: string;
  unit?: string;
  slider?: boolean;
  /** The value must be larger than this; otherwise it must not be negative. */
  above?: number;
  below?: number;
  /** Whether a gain, a number below 0, may be typed. */
  gain?: boolean;
  /** What else a value must keep, which may change meanwhile. */
  rule?: (value: number) => boolean;
  /** What an empty field means; without it a field must not be empty. */
  empty?: number;
}

export interface Field {
  element: HTMLElement;
  input: HTMLInputElement;
  label: HTMLLabelElement;
  /** Show a value, unless the reader is typing one; `most` is the end of the slider. */
  set(value: number, most?: number): void;
}

const STEPS = 400;

export function field(options: FieldOptions, changed: (value: number) => void): Field {
  const { id, above, below = Infinity, empty } = options;
  const input = el("input", {
    type: "number",
    id,
    "data-role": id,
    ...(options.gain === true ? {} : { min: 0 }),
    step: "any",
    inputmode: "decimal",
    autocomplete: "off",
  });
  const label = el("label", { for: id }, options.label);
  const box = options.unit === undefined ? input : el("span", { class: "unit" }, input, options.unit);
  const element = el("div", { class: "field" }, label, box);
  const slider = el("input", {
    type: "range",
    id: `${id}-slider`,
    "data-role": `${id}-slider`,
    min: 0,
    max: STEPS,
    step: 1,
    "aria-label": `${options.label}, slider`,
  });
  if (options.slider === true) element.append(slider);
  let span = 1;

  function allowed(value: number): boolean {
    const large = options.gain === true ? Number.isFinite(value) : value >= 0;
    return large && value <= below && (above === undefined || value > above) && (options.rule?.(value) ?? true);
  }

  function read(): void {
    const blank = input.value.trim() === "" && !input.validity.badInput;
    const value = blank ? (empty ?? NaN) : Number(input.value);
    const right = (blank && empty !== undefined) || allowed(value);
    input.setAttribute("aria-invalid", String(!right));
    if (right) changed(value);
  }

  input.addEventListener("input", read);
  slider.addEventListener("input", () => {
    const value = (span * Number(slider.value)) / STEPS;
    changed(Number(value.toPrecision(4)));
  });
  // what was typed and refused, or what changed meanwhile, gives way to what holds
  input.addEventListener("blur", () => {
    input.setAttribute("aria-invalid", "false");
    input.value = shown;
  });

  let shown = "";
  return {
    element,
    input,
    label,
    set(value, most = 1) {
      const text = typed(value);
      shown = text;
      if (document.activeElement !== input && input.value !== text) input.value = text;
      // the scale of a slider in use stands still under the hand
      if (document.activeElement !== slider) {
        span = most;
        slider.value = String(Math.round((STEPS * Math.min(value, most)) / most));
      }
      slider.setAttribute(
        "aria-valuetext",
        text === "" ? "none" : `${text}${options.unit === undefined ? "" : ` ${options.unit}`}`,
      );
    },
  };
}
