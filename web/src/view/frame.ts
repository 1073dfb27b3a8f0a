/** The frame every panel shares: a heading, its files, the numbers behind the picture. */
import { cut, el } from "./dom";
import { cellText, saveCsv, savePng, saveSvg, type Sheet } from "./saving";

export class Frame {
  readonly section: HTMLElement;
  readonly body: HTMLElement;
  readonly about: HTMLParagraphElement;
  private readonly tools: HTMLDivElement;
  private readonly foot: HTMLDivElement;
  private sheet: (() => Sheet) | null = null;
  private folded: HTMLDetailsElement | null = null;

  constructor(
    private readonly id: string,
    private readonly title: string,
    about = "",
  ) {
    const heading = el("h2", { id: `${id}-title` }, title);
    this.about = el("p", { class: "about" }, about);
    this.tools = el("div", { class: "panel-tools" });
    this.body = el("div", { class: "panel-body" });
    this.foot = el("div", { class: "panel-foot" }, this.tools);
    this.section = el(
      "section",
      { class: "panel", id: `panel-${id}`, "data-panel": id, "aria-labelledby": `${id}-title` },
      el("div", { class: "panel-head" }, heading, this.about),
      this.body,
      // the files come after what they are files of, also for the keyboard
      this.foot,
    );
  }

  /** Offer the picture as SVG and PNG. */
  picture(build: () => SVGSVGElement): void {
    this.tool("SVG", "save-svg", () => saveSvg(build(), `demur-${this.id}`));
    this.tool("PNG", "save-png", () => void savePng(build(), `demur-${this.id}`));
  }

  /** Offer the numbers as CSV and, unless they are on show already, as a folded table. */
  numbers(build: () => Sheet, shown = false): void {
    this.sheet = build;
    this.tool("CSV", "save-csv", () => saveCsv(build(), `demur-${this.id}`));
    if (shown) return;
    const summary = el(
      "summary",
      { "data-role": "numbers" },
      "Numbers",
      el("span", { class: "unseen" }, ` of ${this.title}`),
    );
    this.folded = el("details", { class: "numbers" }, summary);
    this.folded.addEventListener("toggle", () => this.refresh());
    this.foot.prepend(this.folded);
  }

  /** Bring an unfolded table up to date; a folded one costs nothing. */
  refresh(): void {
    const folded = this.folded;
    if (folded === null || this.sheet === null) return;
    folded.querySelector(".scroll")?.remove();
    if (!folded.open) return;
    const box = el("div", {
      class: "scroll",
      tabindex: 0,
      role: "region",
      "aria-label": `Numbers of ${this.title}`,
    });
    box.append(asTable(this.sheet()));
    folded.append(box);
  }

  private tool(text: string, role: string, act: () => void): void {
    const button = el("button", { type: "button", class: "quiet", "data-role": role }, text);
    button.append(el("span", { class: "unseen" }, ` file of ${this.title}`));
    button.addEventListener("click", act);
    this.tools.append(button);
  }
}

function asTable(sheet: Sheet): HTMLTableElement {
  const head = el("tr");
  for (const name of sheet.columns) head.append(el("th", { scope: "col" }, cut(name)));
  const body = el("tbody");
  for (const row of sheet.rows) {
    const line = el("tr");
    row.map(cellText).forEach((text, k) =>
      line.append(k === 0 ? el("th", { scope: "row" }, cut(text)) : el("td", {}, cut(text))),
    );
    body.append(line);
  }
  return el("table", {}, el("thead", {}, head), body);
}
