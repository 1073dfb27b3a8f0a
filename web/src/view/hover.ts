/** The threshold under the pointer or the focus, marked alike in scores, ROC and cost curve. */

import type { Situation } from "../situation";

/** Number of blocks below the threshold, of the chosen model; null when none is looked at. */
export type Cut = number | null;

export class Hover {
  private cut: Cut = null;
  private readonly listeners: ((cut: Cut) => void)[] = [];

  get current(): Cut {
    return this.cut;
  }

  listen(listener: (cut: Cut) => void): void {
    this.listeners.push(listener);
  }

  set(cut: Cut): void {
    if (cut === this.cut) return;
    this.cut = cut;
    for (const listener of this.listeners) listener(cut);
  }
}

/** Let pointer and arrow keys over a drawing choose a cut; the keys start from the upper threshold. */
export function chooseCuts(
  hover: Hover,
  drawing: SVGSVGElement,
  now: () => Situation | null,
  nearest: (event: PointerEvent) => Cut,
): void {
  drawing.addEventListener("pointermove", (event) => hover.set(nearest(event)));
  drawing.addEventListener("pointerleave", () => hover.set(null));
  drawing.addEventListener("blur", () => hover.set(null));
  drawing.addEventListener("keydown", (event) => {
    const sign = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (event.key === "Escape") hover.set(null);
    const at = now();
    if (sign === 0 || at === null) return;
    event.preventDefault();
    const from = hover.current ?? at.nearestCut(at.window.upper);
    hover.set(Math.min(at.surface.size, Math.max(0, from + sign * (event.shiftKey ? 10 : 1))));
  });
}
