/** Two axes and the layers between them; a panel draws shapes once and moves marks often. */
import { general } from "../numbers";
import { attr, el, setText, svg } from "./dom";
import { onPaper, printed } from "./paper";
import { imageOf, standalone, type LegendEntry, type Raster } from "./picture";
import { scaleOf, ticks, type Scale } from "./scale";

export interface PlotOptions {
  id: string;
  label: string;
  xName: string;
  yName: string;
  /** Height as a share of the width, and its limits in pixels. */
  ratio: number;
  lowest: number;
  highest: number;
  left?: number;
  bottom?: number;
  top?: number;
  xFormat?: (value: number) => string;
  yFormat?: (value: number) => string;
  focusable?: boolean;
  role?: "img" | "group";
}

type Domain = [from: number, to: number];

/** Whether the axes are logarithmic, and where they have marks. */
export interface OwnAxes {
  log?: boolean;
  xMarks?: number[];
  yMarks?: number[];
}

/** Room for half of the last label. */
const RIGHT = 20;

export class Plot {
  readonly element: HTMLDivElement;
  readonly drawing: SVGSVGElement;
  readonly under: SVGGElement;
  readonly over: SVGGElement;
  readonly catcher: SVGRectElement;
  x: Scale = scaleOf([0, 1], [0, 1]);
  y: Scale = scaleOf([0, 1], [0, 1]);
  width = 0;
  height = 0;
  readonly left: number;
  readonly top: number;
  canvas: HTMLCanvasElement | null = null;
  private frozen: SVGImageElement | null = null;
  private readonly bottom: number;
  private readonly xAxis: SVGGElement;
  private readonly yAxis: SVGGElement;
  private readonly xTitle: SVGTextElement;
  private readonly yTitle: SVGTextElement;

  constructor(
    private readonly options: PlotOptions,
    resized: () => void,
  ) {
    this.left = options.left ?? 44;
    this.bottom = options.bottom ?? 38;
    this.top = options.top ?? 26;
    this.drawing = svg("svg", { id: options.id, role: options.role ?? "img", "aria-label": options.label });
    if (options.focusable === true) this.drawing.setAttribute("tabindex", "0");
    const room = svg("g", { transform: `translate(${this.left},${this.top})` });
    this.under = svg("g");
    this.over = svg("g");
    this.catcher = svg("rect", { class: "catch" });
    this.xAxis = svg("g", { class: "axis" });
    this.yAxis = svg("g", { class: "axis" });
    this.xTitle = svg("text", { class: "axis-name", "text-anchor": "end" }, options.xName);
    this.yTitle = svg("text", { class: "axis-name", x: -this.left + 2, y: -this.top + 11 }, options.yName);
    room.append(this.under, this.xAxis, this.yAxis, this.xTitle, this.yTitle, this.catcher, this.over);
    this.drawing.append(room);
    this.element = el("div", { class: "chart" }, this.drawing);
    new ResizeObserver(() => {
      if (!onPaper() && this.measure()) resized();
    }).observe(this.element);
    printed({
      measure: () => void this.measure(),
      freeze: () => this.freeze(),
      thaw: () => this.thaw(),
    });
  }

  /** Take the size of the element; false when nothing changed or it is not on the page. */
  private measure(): boolean {
    const outer = this.element.clientWidth;
    const { ratio, lowest, highest } = this.options;
    const width = Math.max(0, outer - this.left - RIGHT);
    const height = Math.round(Math.min(highest, Math.max(lowest, ratio * outer))) - this.top - this.bottom;
    if (outer === 0 || (width === this.width && height === this.height)) return false;
    this.width = width;
    this.height = height;
    attr(this.drawing, { height: height + this.top + this.bottom });
    attr(this.catcher, { width, height });
    attr(this.xAxis, { transform: `translate(0,${height})` });
    attr(this.xTitle, { x: width, y: height + this.bottom - 5 });
    return true;
  }

  /** Whether there is room to draw; the observer asks for a drawing as soon as there is. */
  get ready(): boolean {
    return this.width > 0;
  }

  /** Set both domains and draw the axes, with marks of one's own where they are given. */
  axes(x: Domain, y: Domain, own: OwnAxes = {}): void {
    this.x = scaleOf(x, [0, this.width], own.log);
    this.y = scaleOf(y, [this.height, 0], own.log);
    const { xFormat = general, yFormat = general } = this.options;
    const across = own.xMarks ?? ticks(...x, Math.max(2, Math.min(8, this.width / 70)));
    const up = own.yMarks ?? ticks(...y, Math.max(2, Math.min(6, this.height / 45)));
    const mark = (place: string, end: Record<string, number>, text: SVGTextElement): SVGGElement =>
      svg("g", { class: "tick", transform: `translate(${place})` }, svg("line", end), text);
    this.xAxis.replaceChildren(
      svg("path", { d: `M0,0H${this.width}` }),
      ...across.map((value) => mark(`${this.x(value)},0`, { y2: 4 }, svg("text", { y: 17, "text-anchor": "middle" }, xFormat(value)))),
    );
    this.yAxis.replaceChildren(
      svg("path", { d: `M0,0V${this.height}` }),
      ...up.map((value) => mark(`0,${this.y(value)}`, { x2: -4 }, svg("text", { x: -7, dy: "0.32em", "text-anchor": "end" }, yFormat(value)))),
    );
  }

  name(x: string, y: string): void {
    setText(this.xTitle, x);
    setText(this.yTitle, y);
  }

  describe(label: string): void {
    this.drawing.setAttribute("aria-label", label);
  }

  /** Position of a pointer in pixels of the chart. */
  pixel(event: PointerEvent): { x: number; y: number } {
    const box = this.catcher.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  /** The same in units of the axes. */
  locate(event: PointerEvent): { x: number; y: number } {
    const { x, y } = this.pixel(event);
    return { x: this.x.invert(x), y: this.y.invert(y) };
  }

  /** Where the canvas stands in the drawing; null without one. */
  private get raster(): Raster | null {
    const { canvas, left, top, width, height } = this;
    return canvas === null ? null : { canvas, x: left, y: top, width, height };
  }

  private freeze(): void {
    const { drawing, raster } = this;
    if (!this.ready) return;
    const { width, height } = drawing.getBoundingClientRect();
    attr(drawing, { viewBox: `0 0 ${width} ${height}` });
    if (raster !== null) drawing.prepend((this.frozen = imageOf(raster)));
  }

  private thaw(): void {
    this.drawing.removeAttribute("viewBox");
    this.frozen?.remove();
    this.frozen = null;
  }

  picture(title: string, legend: readonly LegendEntry[] = []): SVGSVGElement {
    return standalone(this.drawing, title, this.raster, legend);
  }
}
