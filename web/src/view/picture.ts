/** Pictures that stand alone: title, legend, the drawing over its ground, and what it was drawn for. */
import { svg } from "./dom";

const LOOK = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-opacity",
  "stroke-dasharray",
  "stroke-linejoin",
  "opacity",
  "visibility",
  "paint-order",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
] as const;

/** What a colour or a line of the picture stands for; or a strip of colours between two ends. */
export type LegendEntry =
  | { text: string; colour: string; line?: boolean; dash?: string }
  | { text: string; strip: HTMLCanvasElement; ends: readonly [string, string] };

export interface Raster {
  canvas: HTMLCanvasElement;
  x: number;
  y: number;
  width: number;
  height: number;
}

const ROOM = 12;
const LINE = 17;
const SMALL = 11;
/** Mean width of a letter, as a share of the size of the font. */
const LETTER = 0.56;

let caption: () => readonly string[] = () => [];

/** Say under every picture what it was drawn for: costs, data, date. */
export function describePictures(lines: () => readonly string[]): void {
  caption = lines;
}

/** Copy the computed look of a node into attributes, so that the picture needs no style sheet. */
function bake(from: Element, to: Element): void {
  const look = getComputedStyle(from);
  for (const name of LOOK) {
    const value = look.getPropertyValue(name);
    if (value !== "") to.setAttribute(name, value);
  }
  for (const name of ["class", "tabindex", "role", "aria-label", "style"]) to.removeAttribute(name);
  for (let k = 0; k < from.children.length; k++) bake(from.children[k], to.children[k]);
}

/** A canvas as an image of a drawing. */
export function imageOf({ canvas, x, y, width, height }: Raster): SVGImageElement {
  return svg("image", { x, y, width, height, preserveAspectRatio: "none", href: canvas.toDataURL("image/png") });
}

/** A picture of a drawing, with a canvas under it where there is one. */
export function standalone(
  drawing: SVGSVGElement,
  title: string,
  raster: Raster | null,
  legend: readonly LegendEntry[] = [],
): SVGSVGElement {
  const { width, height } = drawing.getBoundingClientRect();
  const look = getComputedStyle(document.body);
  const text = (words: string, x: number, y: number, more: Record<string, string | number> = {}): SVGTextElement =>
    svg("text", { x, y, fill: look.color, "font-family": look.fontFamily, "font-size": SMALL, ...more }, words);

  const head = svg("g");
  let y = 6;
  for (const line of wrapped(title, width, 14)) head.append(text(line, 0, (y += 18), { "font-size": 14, "font-weight": 600 }));
  y = addLegend(head, legend, width, y + 6, text);
  const top = y + 8;

  const foot = svg("g");
  y = top + height + 4;
  for (const line of caption().flatMap((words) => wrapped(words, width, SMALL)))
    foot.append(text(line, 0, (y += LINE - 2), { opacity: 0.75 }));
  const whole = { width: width + 2 * ROOM, height: y + 6 + ROOM };

  const picture = svg("svg", {
    xmlns: "http://www.w3.org/2000/svg",
    ...whole,
    viewBox: `${-ROOM} 0 ${whole.width} ${whole.height}`,
  });
  picture.append(svg("title", {}, title), svg("rect", { x: -ROOM, y: 0, ...whole, fill: look.backgroundColor }), head);
  if (raster !== null) picture.append(imageOf({ ...raster, y: raster.y + top }));
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  bake(drawing, copy);
  for (const [name, value] of Object.entries({ x: 0, y: top, width, height, overflow: "visible" }))
    copy.setAttribute(name, String(value));
  picture.append(copy, foot);
  return picture;
}

/** Entries side by side, in as many lines as they need; returns where the next line may begin. */
function addLegend(
  head: SVGGElement,
  legend: readonly LegendEntry[],
  width: number,
  from: number,
  text: (words: string, x: number, y: number, more?: Record<string, string | number>) => SVGTextElement,
): number {
  let [x, y] = [0, from];
  for (const entry of legend) {
    const words = "strip" in entry ? `${entry.text}: ${entry.ends.join(" to ")}` : entry.text;
    const mark = "strip" in entry ? 96 : 22;
    const size = mark + 6 + words.length * SMALL * LETTER + 16;
    if (x === 0) y += LINE;
    else if (x + size > width) [x, y] = [0, y + LINE];
    if ("strip" in entry) head.append(imageOf({ canvas: entry.strip, x, y: y - 9, width: mark, height: 10 }));
    else if (entry.line === true)
      head.append(
        svg("line", {
          ...{ x1: x, x2: x + mark, y1: y - 4, y2: y - 4 },
          ...{ stroke: entry.colour, "stroke-width": 2.25, "stroke-dasharray": entry.dash ?? "" },
        }),
      );
    else head.append(svg("rect", { x: x + 10, y: y - 10, width: 12, height: 12, fill: entry.colour }));
    head.append(text(words, x + mark + 6, y));
    x += size;
  }
  return y;
}

/** Words in lines that fit a width, as far as the mean letter tells. */
function wrapped(words: string, width: number, size: number): string[] {
  const most = Math.max(12, Math.floor(width / (size * LETTER)));
  const lines: string[] = [""];
  for (const word of words.split(" ")) {
    const last = lines[lines.length - 1];
    if (last !== "" && last.length + 1 + word.length > most) lines.push(word);
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
  }
  return lines;
}
