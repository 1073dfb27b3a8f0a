/** Files made in the page: a picture as SVG or PNG, a table as CSV. */
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

export function saveBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
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

export interface Raster {
  canvas: HTMLCanvasElement;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A picture that stands alone: the drawing over its ground, a canvas embedded as an image. */
export function standalone(drawing: SVGSVGElement, title: string, raster: Raster | null): SVGSVGElement {
  const { width, height } = drawing.getBoundingClientRect();
  const room = 8;
  const whole = svg("svg", {
    xmlns: "http://www.w3.org/2000/svg",
    width: width + 2 * room,
    height: height + 2 * room,
    viewBox: `${-room} ${-room} ${width + 2 * room} ${height + 2 * room}`,
  });
  const ground = getComputedStyle(document.body).backgroundColor;
  whole.append(svg("title", {}, title));
  whole.append(
    svg("rect", { x: -room, y: -room, width: width + 2 * room, height: height + 2 * room, fill: ground }),
  );
  if (raster !== null) {
    whole.append(
      svg("image", {
        x: raster.x,
        y: raster.y,
        width: raster.width,
        height: raster.height,
        preserveAspectRatio: "none",
        href: raster.canvas.toDataURL("image/png"),
      }),
    );
  }
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  bake(drawing, copy);
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  copy.setAttribute("overflow", "visible");
  whole.append(copy);
  return whole;
}

function asBlob(picture: SVGSVGElement): Blob {
  return new Blob([new XMLSerializer().serializeToString(picture)], { type: "image/svg+xml" });
}

export function saveSvg(picture: SVGSVGElement, name: string): void {
  saveBlob(asBlob(picture), `${name}.svg`);
}

/** Draw the picture on a canvas at twice its size and save it. */
export async function savePng(picture: SVGSVGElement, name: string): Promise<void> {
  const address = URL.createObjectURL(asBlob(picture));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = 2 * Number(picture.getAttribute("width"));
    canvas.height = 2 * Number(picture.getAttribute("height"));
    canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
    if (blob !== null) saveBlob(blob, `${name}.png`);
  } finally {
    URL.revokeObjectURL(address);
  }
}

export interface Sheet {
  columns: string[];
  rows: string[][];
}

function csvField(text: string): string {
  // a leading sign of a formula would run in a spreadsheet
  const safe = /^[=@\t\r]/.test(text) || /^[+-](?![\d.]|inf)/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

export function saveCsv(sheet: Sheet, name: string): void {
  const lines = [sheet.columns, ...sheet.rows].map((row) => row.map(csvField).join(","));
  saveBlob(new Blob([lines.join("\r\n") + "\r\n"], { type: "text/csv" }), `${name}.csv`);
}
