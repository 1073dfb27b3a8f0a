/**
 * Paper: everything is laid out and drawn for it before the printer looks, and as it was afterwards.
 *
 * A printer does not wait for observers or frames, so the page takes the width of a sheet first, measures and
 * draws its charts at once, and freezes them as pictures that stretch with whatever sheet there is.
 */

/** What a chart does around a print. */
export interface Printed {
  /** Take the size that the layout gives now. */
  measure(): void;
  /** Become a picture that stretches; the layout may still change a little. */
  freeze(): void;
  /** Be a chart again. */
  thaw(): void;
}

const PRINT = matchMedia("print");
const charts: Printed[] = [];
const folded: HTMLDetailsElement[] = [];
let paper = false;

export function onPaper(): boolean {
  return paper;
}

export function printed(chart: Printed): void {
  charts.push(chart);
}

/** Follow the printer; `draw` draws everything at once, in the colours for where it is drawn. */
export function watchPaper(draw: () => void): void {
  const turn = (on: boolean): void => {
    if (on === paper) return;
    paper = on;
    if (!on) for (const chart of charts) chart.thaw();
    document.documentElement.toggleAttribute("data-paper", on);
    if (on) unfold();
    else for (const part of folded.splice(0)) part.open = false;
    for (const chart of charts) chart.measure();
    draw();
    if (on) for (const chart of charts) chart.freeze();
  };
  addEventListener("beforeprint", () => turn(true));
  addEventListener("afterprint", () => turn(false));
  PRINT.addEventListener("change", () => turn(PRINT.matches));
}

/** What is folded on the screen is open on paper, except tables of numbers and what only the hand needs. */
function unfold(): void {
  for (const part of document.querySelectorAll<HTMLDetailsElement>("details:not(.numbers, .menu, .fold, [open])")) {
    part.open = true;
    folded.push(part);
  }
}
