/** Files made in the page: a picture as SVG or PNG, a table as CSV. */
import { general } from "../numbers";

export function saveBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
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
    // not toBlob: it waits until the browser is idle, which a second may pass for
    const text = atob(canvas.toDataURL("image/png").split(",")[1]!);
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
    saveBlob(new Blob([bytes], { type: "image/png" }), `${name}.png`);
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** A number with the text a reader sees; files hold the number. */
export interface Shown {
  value: number;
  text: string;
}

export type Cell = string | number | Shown;

export interface Sheet {
  columns: string[];
  rows: Cell[][];
}

/** A number that reads as `text` on the page. */
export function shown(value: number, text: (value: number) => string): Shown {
  return { value, text: text(value) };
}

/** What a reader sees of a cell. */
export function cellText(cell: Cell): string {
  return typeof cell === "string" ? cell : typeof cell === "number" ? general(cell) : cell.text;
}

/** What a file holds of a cell: numbers with all digits, nothing where there is none. */
function cellField(cell: Cell): string {
  if (typeof cell === "string") return csvField(cell);
  const value = typeof cell === "number" ? cell : cell.value;
  return Number.isNaN(value) ? "" : Number.isFinite(value) ? String(value) : value > 0 ? "inf" : "-inf";
}

function csvField(text: string): string {
  // a leading sign of a formula would run in a spreadsheet
  const safe = /^[=@\t\r]/.test(text) || /^[+-](?![\d.]|inf)/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

export function saveCsv(sheet: Sheet, name: string): void {
  const lines = [sheet.columns, ...sheet.rows].map((row) => row.map(cellField).join(","));
  saveBlob(new Blob([lines.join("\r\n") + "\r\n"], { type: "text/csv" }), `${name}.csv`);
}
