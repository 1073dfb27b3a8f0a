/** A short piece of a model's line: its colour and its dash. */
import { svg } from "./dom";
import { modelColour, modelDash, type Theme } from "./palette";

export function swatch(k: number, theme: Theme): SVGSVGElement {
  const line = svg("line", { x1: 0, x2: 24, y1: 6, y2: 6, "stroke-width": 2.5 });
  const box = svg(
    "svg",
    { class: "swatch", viewBox: "0 0 24 12", "aria-hidden": "true", "data-model": k },
    line,
  );
  paintSwatch(box, theme);
  return box;
}

export function paintSwatch(box: SVGSVGElement, theme: Theme): void {
  const k = Number(box.dataset["model"]);
  box.firstElementChild!.setAttribute("stroke", modelColour(k, theme));
  box.firstElementChild!.setAttribute("stroke-dasharray", modelDash(k));
}
