/** Legends of pictures that leave the page. */
import type { Situation } from "../situation";
import { cut } from "./dom";
import { modelColour, modelDash } from "./palette";
import type { LegendEntry } from "./picture";

/** A line for every model. */
export function modelLines({ data, theme }: Situation): LegendEntry[] {
  return data.models.map(({ name }, k) => ({
    text: cut(name, 30),
    colour: modelColour(k, theme),
    dash: modelDash(k),
    line: true,
  }));
}

/** A value of the style sheet, such as the colour of a class. */
export function styled(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** The colour of everything that belongs to the costs as they are. */
export function hereEntry(text: string): LegendEntry {
  return { text, colour: styled("--here") };
}

/** The two classes. */
export function classEntries({ names }: Situation): LegendEntry[] {
  return [
    { text: names.positive, colour: styled("--positive") },
    { text: names.negative, colour: styled("--negative") },
  ];
}
