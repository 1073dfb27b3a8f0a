/** The surface as filled contours, where there is no WebGL. */
import { contours } from "d3-contour";
import { svg } from "./dom";
import { SEQUENTIAL, step } from "./palette";
import { linePath } from "./path";
import type { Ends, Label, SurfacePicture } from "./surfacePicture";

const LEVELS = 12;
const MARGIN = { left: 40, right: 16, top: 24, bottom: 40 };

export class ContourPicture implements SurfacePicture {
  readonly kind = "contours";
  private width = 0;
  private height = 0;

  constructor(private readonly shapes: SVGGElement) {}

  load(values: Float64Array, size: number, most: number, width: number, height: number): void {
    [this.width, this.height] = [width, height];
    const top = most || 1;
    const levels = Array.from({ length: LEVELS }, (_, k) => (top * k) / LEVELS);
    this.shapes.replaceChildren();
    for (const shape of contours().size([size, size]).thresholds(levels)(Array.from(values))) {
      const from = step((shape.value + top / LEVELS / 2) / top);
      const [r, g, b] = SEQUENTIAL.slice(from, from + 3);
      const rings = shape.coordinates.flat().map((ring) =>
        // d3-contour counts from the corner of a cell, costs stand at its centre
        ring.map(([x, y]) => this.place((x - 0.5) / (size - 1), (y - 0.5) / (size - 1))),
      );
      const d = rings.map((ring) => linePath(ring, true)).join("");
      this.shapes.append(svg("path", { d, fill: `rgb(${r},${g},${b})` }));
    }
  }

  render(): void {
    // the shapes stay as they were loaded
  }

  place(x: number, y: number): [number, number] {
    const { left, right, top, bottom } = MARGIN;
    return [left + x * (this.width - left - right), this.height - bottom - y * (this.height - top - bottom)];
  }

  frame(ends: Ends): { edges: string; labels: Label[] } {
    const { width, height } = this;
    const right = width - MARGIN.right;
    const labels: Label[] = [
      { text: ends.alarmName, x: right, y: height - 6, anchor: "end" },
      { text: ends.mu, x: right, y: height - 24, anchor: "end" },
      { text: ends.reviewName, x: 4, y: 12, anchor: "start" },
      { text: ends.nu, x: MARGIN.left - 6, y: MARGIN.top + 10, anchor: "end" },
    ];
    return { edges: "", labels };
  }

  turn(): void {
    // a flat picture has one side
  }

  turnBack(): void {
    // and has not been turned
  }
}
