/** The frame every panel shares: a heading, the numbers behind the picture, what can be saved of it. */
import { cut, el } from "./dom";
import { menu } from "./menu";
import type { Panel, SavedFile } from "./panel";
import { cellText, saveCsv, savePng, saveSvg, type Sheet } from "./saving";

export class Frame {
  readonly section: HTMLElement;
  readonly body = el("div", { class: "panel-body" });
  readonly about: HTMLParagraphElement;
  private readonly files: SavedFile[] = [];
  private sheet: (() => Sheet) | null = null;
  private folded: HTMLDetailsElement | null = null;

  constructor(
    private readonly id: string,
    private readonly title: string,
    about = "",
  ) {
    const heading = el("h2", { id: `${id}-title` }, title);
    this.about = el("p", { class: "about" }, about);
    this.section = el(
      "section",
      { class: "panel", id: `panel-${id}`, "data-panel": id, "aria-labelledby": `${id}-title` },
      el("div", { class: "panel-head" }, heading, this.about),
      this.body,
    );
  }

  /** Offer the picture as SVG and PNG. */
  picture(build: () => SVGSVGElement): void {
    this.files.push(
      { kind: "SVG", save: () => saveSvg(build(), `demur-${this.id}`) },
      { kind: "PNG", save: () => void savePng(build(), `demur-${this.id}`) },
    );
  }

  /** Offer the numbers as CSV and, unless they are on show already, as a folded table. */
  numbers(build: () => Sheet, shown = false): void {
    this.sheet = build;
    this.files.push({ kind: "CSV", save: () => saveCsv(build(), `demur-${this.id}`) });
    if (shown) return;
    const words = el("summary", { "data-role": "numbers" }, "Numbers", el("span", { class: "unseen" }, ` of ${this.title}`));
    this.folded = el("details", { class: "numbers" }, words);
    this.folded.addEventListener("toggle", () => this.refresh());
    this.section.append(this.folded);
  }

  /** Bring an unfolded table up to date; a folded one costs nothing. */
  refresh(): void {
    const folded = this.folded;
    // what is out of sight was perhaps never drawn
    if (folded === null || this.sheet === null || folded.closest("[hidden]") !== null) return;
    folded.querySelector(".scroll")?.remove();
    if (folded.open) folded.append(scrolling(`Numbers of ${this.title}`, asTable(this.sheet()), ""));
  }

  /** The finished panel. */
  panel<A>(draw: (at: A) => void, move?: (at: A) => void): Panel<A> {
    const { section: element, title, files } = this;
    return { element, title, files, draw, ...(move && { move }) };
  }
}

/** One menu for the files of several panels. */
export function saveMenu(panels: readonly Panel<never>[]): HTMLElement | null {
  const lines = panels.flatMap(({ element, title = "", files = [] }) => {
    if (files.length === 0) return [];
    const buttons = files.map(({ kind, save }) => {
      const role = `save-${kind.toLowerCase()}-${element.dataset["panel"]}`;
      const node = el("button", { type: "button", class: "quiet", "data-role": role }, kind);
      node.append(el("span", { class: "unseen" }, ` file of ${title}`));
      node.addEventListener("click", save);
      return node;
    });
    return [el("p", {}, el("span", {}, title), ...buttons)];
  });
  return lines.length === 0 ? null : menu("Save", "save", ...lines);
}

/** A table that may be wider than its place. */
export function scrolling(label: string, table: HTMLElement, look = " across"): HTMLDivElement {
  return el("div", { class: `scroll${look}`, tabindex: 0, role: "region", "aria-label": label }, table);
}

/** The head of a table; a column without a name holds bars. */
export function tableHead(names: readonly string[]): HTMLElement {
  return el("thead", {}, el("tr", {}, ...names.map((name) => el("th", { scope: "col" }, name === "" ? el("span", { class: "unseen" }, "bar") : name))));
}

/** A row: its name, then cells. */
export function tableRow(name: Node | string, ...cells: (Node | string)[]): HTMLTableRowElement {
  const nodes = cells.map((cell) => (cell instanceof HTMLTableCellElement ? cell : el("td", {}, cell)));
  return el("tr", {}, el("th", { scope: "row" }, name), ...nodes);
}

function asTable({ columns, rows }: Sheet): HTMLTableElement {
  const lines = rows.map((row) => {
    const [first, ...cells] = row.map((cell) => cut(cellText(cell)));
    return tableRow(first, ...cells);
  });
  return el("table", {}, tableHead(columns.map((name) => cut(name))), el("tbody", {}, ...lines));
}
