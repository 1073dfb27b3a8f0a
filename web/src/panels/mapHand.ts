/** The hand on the map: drag the point, draw ranges with Shift, look at other costs; the arrow keys do the same. */
import type { TwoApp } from "../twoClasses";
import { costsAt, type CostPoint } from "../math/units";
import type { PriceAxis } from "../view/priceAxis";
import type { Plot } from "../view/plot";
import type { PageState } from "../state";

/** Steps of the arrow keys, as shares of the view. */
const FINE = 1 / 100;
const COARSE = 1 / 10;

export class MapHand {
  private corner: CostPoint | null = null;
  private dragging = false;
  private before: PageState = this.app.current;

  constructor(
    private readonly app: TwoApp,
    private readonly plot: Plot,
    private readonly handle: SVGGElement,
    private readonly look: (costs: CostPoint | null) => void,
  ) {
    const { drawing } = plot;
    drawing.addEventListener("pointerdown", (event) => this.press(event));
    drawing.addEventListener("pointermove", (event) => {
      if (this.dragging) this.follow(event);
      else this.look(this.costsAt(event));
    });
    drawing.addEventListener("pointerleave", () => {
      if (!this.dragging) this.look(null);
    });
    drawing.addEventListener("pointerup", () => this.release());
    drawing.addEventListener("pointercancel", () => this.release());
    addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.cancel();
    });
    drawing.addEventListener("click", (event) => {
      if (event instanceof PointerEvent && event.pointerType === "touch") this.follow(event);
    });
    handle.addEventListener("keydown", (event) => this.key(event));
  }

  private press(event: PointerEvent): void {
    const onHandle = this.handle.contains(event.target as Node);
    // a finger beside the handle may want to scroll: there, only a tap moves the point
    if (event.button !== 0 || (event.pointerType === "touch" && !onHandle)) return;
    this.corner = event.shiftKey ? this.costsAt(event) : null;
    this.before = this.app.current;
    this.dragging = true;
    this.app.kind.domain.held = true;
    this.plot.drawing.setPointerCapture(event.pointerId);
    event.preventDefault();
    this.handle.focus({ preventScroll: true });
    this.follow(event);
  }

  private follow(event: PointerEvent): void {
    const { mu, nu } = this.costsAt(event);
    const { corner } = this;
    if (corner === null) this.place(mu, nu);
    else {
      const { costs, ranges } = this.app.current;
      const [one, two] = [corner, { mu, nu }].map((point) => costsAt(costs, point));
      this.app.change({ ranges: { fn: null, fp: sorted(one.fp, two.fp), abstain: sorted(one.abstain, two.abstain), prevalence: ranges?.prevalence ?? null } });
    }
  }

  /** What the hand has done since it took hold is undone. */
  private cancel(): void {
    if (!this.dragging) return;
    const { costs, ranges } = this.before;
    this.release();
    this.app.change({ costs, ranges });
  }

  private release(): void {
    if (!this.dragging) return;
    this.corner = null;
    this.dragging = false;
    this.app.kind.domain.held = false;
    this.app.kind.follow(this.app.at());
    this.app.drawAll();
  }

  private key(event: KeyboardEvent): void {
    const [across, up] = arrows(event);
    if (across === 0 && up === 0) return;
    event.preventDefault();
    const step = event.shiftKey ? COARSE : FINE;
    const { domain } = this.app.kind;
    const { mu, nu } = this.app.at();
    const moved = (axis: PriceAxis, price: number, by: number): number =>
      by === 0 ? price : axis.near(axis.share(price) + by * step);
    this.place(moved(domain.mu, mu, across), moved(domain.nu, nu, up));
  }

  /** Costs at a place of the map, to the digits that a hand can point at. */
  private costsAt(event: PointerEvent): CostPoint {
    const { mu, nu } = this.app.kind.domain;
    const { x, y } = this.plot.locate(event);
    return { mu: mu.near(mu.share(x)), nu: nu.near(nu.share(y)) };
  }

  private place(mu: number, nu: number): void {
    this.app.change({ costs: costsAt(this.app.current.costs, { mu, nu }) });
  }
}

/** A range; null where there is none. */
function sorted(a: number, b: number): [number, number] | null {
  return a === b ? null : a < b ? [a, b] : [b, a];
}

function arrows(event: KeyboardEvent): [across: number, up: number] {
  if (event.altKey || event.ctrlKey || event.metaKey) return [0, 0];
  switch (event.key) {
    case "ArrowRight":
      return [1, 0];
    case "ArrowLeft":
      return [-1, 0];
    case "ArrowUp":
      return [0, 1];
    case "ArrowDown":
      return [0, -1];
    default:
      return [0, 0];
  }
}
