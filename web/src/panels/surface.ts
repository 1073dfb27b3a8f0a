/** The surface of costs with the current point, in 3-D or, without WebGL, as contours. */
import type { App } from "../app";
import { costGrid, surfaceCosts } from "../math/costMap";
import { general } from "../numbers";
import type { Situation } from "../situation";
import { ContourPicture } from "../view/contourPicture";
import { attr, el, setText, show, svg } from "../view/dom";
import { axisNames } from "../view/axisNames";
import { arrows } from "../view/arrows";
import { Frame } from "../view/frame";
import { gridSheet } from "../view/gridSheet";
import type { Panel } from "../view/panel";
import { ReliefPicture } from "../view/reliefPicture";
import { whenIdle } from "../view/idle";
import { onPaper, printed } from "../view/paper";
import { imageOf, standalone } from "../view/picture";
import type { Sheet } from "../view/saving";
import type { SurfacePicture } from "../view/surfacePicture";

const SIDE = 65;
/** Turns per pixel of a drag, and per key. */
const DRAG = { yaw: 1 / 140, pitch: 1 / 180 };
const FINE = 0.07;
const COARSE = 0.35;

export class SurfacePanel implements Panel {
  readonly element: HTMLElement;
  private readonly frame = new Frame("surface", "Surface");
  private readonly canvas = el("canvas", { "aria-hidden": "true" });
  private readonly drawing = svg("svg", { "aria-hidden": "true" });
  private readonly stage: HTMLElement;
  private readonly filled = svg("g");
  private readonly edges = svg("path", { class: "faint" });
  private readonly labels = Array.from({ length: 6 }, () => svg("text", { class: "haloed" }));
  private readonly stem = svg("line", { class: "here-line", "stroke-dasharray": "2 3" });
  private readonly dot = svg("circle", { class: "here-dot", r: 6 });
  private readonly back: HTMLButtonElement;
  /** Null until somebody looks at it. */
  private picture: SurfacePicture | null = null;
  private now: Situation;
  private width = 0;
  private height = 0;
  private most = 0;
  private loaded = "";
  private asked = false;
  private started = false;
  private frozen: SVGImageElement | null = null;

  constructor(private readonly app: App) {
    this.now = app.situation();
    this.element = this.frame.section;
    this.stage = el(
      "div",
      { class: "surface-stage", id: "chart-surface", tabindex: 0, role: "img", "data-role": "surface-stage" },
      this.canvas,
      this.drawing,
    );
    this.back = el("button", { type: "button", class: "quiet", "data-role": "surface-reset" }, "Turn back");
    this.drawing.append(this.filled, this.edges, ...this.labels, this.stem, this.dot);
    this.frame.body.append(el("div", { class: "chart" }, this.stage), this.back);
    this.frame.picture(() => this.save());
    this.frame.numbers(() => this.sheet());
    this.listen();
  }

  /** Build the picture when it is first looked at. */
  private startSoon(): void {
    if (this.started || this.width === 0 || onPaper()) return;
    this.started = true;
    whenIdle(() => this.start());
  }

  private start(): void {
    this.show(ReliefPicture.make(this.canvas));
    this.canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      this.show(null);
      this.app.redraw(this);
    });
    new ResizeObserver(() => {
      if (!onPaper()) this.app.redraw(this);
    }).observe(this.stage.parentElement!);
    printed({ measure: () => undefined, freeze: () => this.freeze(), thaw: () => this.thaw() });
    this.app.redraw(this);
  }

  /** Paper takes no pixels from a WebGL canvas: its picture goes into the drawing. */
  private freeze(): void {
    const { picture, width, height, canvas } = this;
    if (picture === null || width === 0) return;
    attr(this.drawing, { viewBox: `0 0 ${width} ${height}` });
    if (picture.kind !== "webgl") return;
    picture.render();
    this.frozen = imageOf({ canvas, x: 0, y: 0, width, height });
    this.drawing.prepend(this.frozen);
  }

  private thaw(): void {
    this.drawing.removeAttribute("viewBox");
    this.frozen?.remove();
    this.frozen = null;
  }

  private show(relief: ReliefPicture | null): void {
    this.picture = relief ?? new ContourPicture(this.filled);
    this.loaded = "";
    this.stage.classList.toggle("contours", relief === null);
    this.stage.dataset["drawn"] = this.picture.kind;
    show(this.back, relief !== null);
  }

  draw(at: Situation): void {
    this.now = at;
    const { picture } = this;
    this.width = this.stage.parentElement!.clientWidth;
    if (picture === null) this.startSoon();
    if (picture === null || this.width === 0) return;
    this.height = Math.round(Math.min(420, Math.max(250, 0.66 * this.width)));
    this.stage.style.height = `${this.height}px`;
    attr(this.drawing, { width: this.width, height: this.height });
    this.load(picture);
    const how =
      picture.kind === "webgl" ? "drag or use the arrow keys to turn" : "contours, for want of WebGL";
    setText(this.frame.about, `cost of ${at.modelName} with hindsight; ${how}`);
    const label = `Surface of the cost of ${at.modelName} with hindsight over all costs, from 0 to ${this.highest} per 1000 cases`;
    this.stage.setAttribute("aria-label", label);
    this.render(picture);
  }

  move(at: Situation): void {
    this.now = at;
    if (this.picture === null || this.width === 0) return;
    this.mark(this.picture);
    this.frame.refresh();
  }

  private get highest(): string {
    return this.now.amount(this.most);
  }

  private load(picture: SurfacePicture): void {
    const { muMax, nuMax } = this.app.domain;
    const { now, width, height } = this;
    const key = [now.prepared.prevalence, ...Object.values(now.prepared.extra), now.k, muMax, nuMax, width, height].join("|");
    if (key === this.loaded) return;
    this.loaded = key;
    const values = surfaceCosts(now.surface, costGrid(SIDE, SIDE, muMax, nuMax));
    this.most = Math.max(...values);
    picture.load(values, SIDE, this.most, width, height);
  }

  private render(picture: SurfacePicture): void {
    const { muMax, nuMax } = this.app.domain;
    picture.render();
    const { alarm: alarmName, review: reviewName } = axisNames(this.app.data);
    const ends = { mu: general(muMax, 3), nu: general(nuMax, 3), cost: this.highest, alarmName, reviewName };
    const { edges, labels } = picture.frame(ends);
    attr(this.edges, { d: edges });
    this.labels.forEach((node, k) => {
      const { text, x, y, anchor } = labels[k] ?? { text: "", x: 0, y: 0, anchor: "start" };
      const inside = {
        x: Math.min(this.width - 4, Math.max(4, x)),
        y: Math.min(this.height - 3, Math.max(11, y)),
      };
      attr(node, { ...inside, "text-anchor": anchor });
      setText(node, text);
    });
    this.mark(picture);
  }

  /** The current point, and where it stands on the floor. */
  private mark(picture: SurfacePicture): void {
    const { muMax, nuMax } = this.app.domain;
    const [mu, nu] = [Math.min(this.now.mu, muMax), Math.min(this.now.nu, nuMax)];
    const height = this.now.surface.cost(mu, nu) / (this.most || 1);
    const [x, y] = picture.place(mu / muMax, nu / nuMax, height);
    const [x2, y2] = picture.place(mu / muMax, nu / nuMax, 0);
    attr(this.dot, { cx: x, cy: y });
    attr(this.stem, { x1: x, y1: y, x2, y2 });
  }

  private turn(yaw: number, pitch: number): void {
    this.picture?.turn(yaw, pitch);
    this.renderSoon();
  }

  private renderSoon(): void {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      if (this.picture !== null) this.render(this.picture);
    });
  }

  private listen(): void {
    const { stage } = this;
    let last: PointerEvent | null = null;
    stage.addEventListener("pointerdown", (event) => {
      last = event;
      stage.setPointerCapture(event.pointerId);
    });
    stage.addEventListener("pointermove", (event) => {
      if (last === null) return;
      this.turn((event.clientX - last.clientX) * DRAG.yaw, (event.clientY - last.clientY) * DRAG.pitch);
      last = event;
    });
    for (const end of ["pointerup", "pointercancel"] as const)
      stage.addEventListener(end, () => (last = null));
    stage.addEventListener("keydown", (event) => {
      const [across, up] = arrows(event);
      if (across === 0 && up === 0) return;
      event.preventDefault();
      const size = event.shiftKey ? COARSE : FINE;
      this.turn(across * size, -up * size);
    });
    this.back.addEventListener("click", () => {
      this.picture?.turnBack();
      this.renderSoon();
    });
  }

  /** The pixels of a WebGL canvas are gone after the frame: draw and read in one go. */
  private save(): SVGSVGElement {
    const { canvas, width, height, picture } = this;
    if (picture !== null) this.render(picture);
    const raster = picture?.kind === "webgl" ? { canvas, x: 0, y: 0, width, height } : null;
    return standalone(this.drawing, `Surface: cost of ${this.now.modelName} with hindsight at all prices`, raster);
  }

  private sheet(): Sheet {
    const { muMax, nuMax } = this.app.domain;
    const { now } = this;
    const grid = costGrid(11, 11, muMax, nuMax);
    const values = surfaceCosts(now.surface, grid);
    return gridSheet(grid, (at) => ({ value: 1000 * now.money(values[at]), text: now.amount(values[at]) }));
  }
}
