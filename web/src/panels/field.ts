/** A number with its name, its unit and, if asked for, a slider; a wrong value gets a sentence. */
import { el, setText, show } from "../view/dom";
import { typed } from "../view/format";

export interface FieldOptions {
  id: string;
  label: string;
  unit?: string;
  slider?: boolean;
  /** The value must be larger than this; otherwise it must not be negative. */
  above?: number;
  /** The value must be at most this, or smaller if it is `above` something. */
  below?: number;
  /** Whether a gain, a number below 0, may be typed. */
  gain?: boolean;
  /** What else a value must keep, which may change meanwhile: a sentence where it does not. */
  rule?: (value: number) => string | null;
  /** What an empty field means; without it a field must not be empty. */
  empty?: number;
}

export interface Field {
  element: HTMLElement;
  input: HTMLInputElement;
  label: HTMLLabelElement;
  /** Show a value, unless the reader is typing one; `most` is the end of the slider. */
  set(value: number, most?: number): void;
  /** The unit behind the number. */
  setUnit(unit: string): void;
}

const STEPS = 400;

/** Why a value cannot be taken; null if it can. */
function whyWrong(value: number, options: FieldOptions): string | null {
  const { above, below = Infinity, gain, rule, unit = "" } = options;
  if (Number.isNaN(value)) return "A number is needed here.";
  if (above !== undefined && Number.isFinite(below))
    return value > above && value < below ? null : `It must lie between ${above} and ${below} ${unit}.`.replace(" .", ".");
  if (above !== undefined && !(value > above)) return `It must be above ${above}.`;
  if (gain !== true && value < 0) return "It must not be below 0.";
  if (value > below) return `It must be at most ${below} ${unit}.`.replace(" .", ".");
  if (!Number.isFinite(value)) return "A number is needed here.";
  return rule?.(value) ?? null;
}

export function field(options: FieldOptions, changed: (value: number) => void): Field {
  const { id, empty } = options;
  const input = el("input", {
    type: "number",
    id,
    "data-role": id,
    ...(options.gain === true ? {} : { min: 0 }),
    step: "any",
    inputmode: "decimal",
    autocomplete: "off",
    "aria-describedby": `${id}-wrong`,
  });
  const label = el("label", { for: id }, options.label);
  const unit = el("span", { class: "of" }, options.unit ?? "");
  show(unit, options.unit !== undefined);
  const wrong = el("p", { class: "wrong", id: `${id}-wrong`, "data-role": `${id}-wrong`, role: "status" });
  const element = el("div", { class: "field" }, label, el("span", { class: "unit" }, input, unit));
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
  element.append(wrong);
  let span = 1;
  let shown = "";
  let before = "";

  function read(): void {
    const blank = input.value.trim() === "" && !input.validity.badInput;
    const value = blank ? (empty ?? NaN) : input.validity.badInput ? NaN : Number(input.value);
    const reason = blank && empty !== undefined ? null : whyWrong(value, options);
    input.setAttribute("aria-invalid", String(reason !== null));
    setText(wrong, reason ?? "");
    if (reason === null) changed(value);
  }

  input.addEventListener("input", read);
  input.addEventListener("focus", () => (before = input.value));
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || (input.value === before && !input.validity.badInput)) return;
    input.value = before;
    read();
  });
  slider.addEventListener("input", () => {
    const value = (span * Number(slider.value)) / STEPS;
    const reason = whyWrong(value, options);
    setText(wrong, reason ?? "");
    if (reason === null) changed(Number(value.toPrecision(4)));
  });
  // what was typed and refused gives way to what holds, and the sentence says so
  input.addEventListener("blur", () => {
    const refused = input.getAttribute("aria-invalid") === "true";
    input.setAttribute("aria-invalid", "false");
    input.value = shown;
    if (refused) setText(wrong, `${wrong.textContent} ${shown} ${unit.textContent} stays.`.replace(/\s+/g, " "));
  });

  return {
    element,
    input,
    label,
    set(value, most = 1) {
      const text = typed(value);
      // another value came from elsewhere: the sentence about a refused one is old
      if (text !== shown && input.getAttribute("aria-invalid") !== "true") setText(wrong, "");
      shown = text;
      if (document.activeElement !== input && input.value !== text) input.value = text;
      // the scale of a slider in use stands still under the hand
      if (document.activeElement !== slider) {
        span = most;
        slider.value = String(Math.round((STEPS * Math.min(value, most)) / most));
      }
      slider.setAttribute("aria-valuetext", text === "" ? "none" : `${text} ${unit.textContent ?? ""}`.trim());
    },
    setUnit(text) {
      setText(unit, text);
      show(unit, text !== "");
    },
  };
}

/** Fields that belong together, under a title. */
export function group(title: string, ...children: (HTMLElement | string | null)[]): HTMLFieldSetElement {
  return el("fieldset", { class: "group" }, el("legend", {}, title), ...children);
}
