/** What a picture of the surface offers, whether it stands in 3-D or lies flat. */

export type Anchor = "start" | "middle" | "end";

export interface Label {
  text: string;
  x: number;
  y: number;
  anchor: Anchor;
}

/** Texts at the far ends of the axes. */
export interface Ends {
  mu: string;
  nu: string;
  /** What the two axes are called. */
  alarmName: string;
  reviewName: string;
  cost: string;
}

export interface SurfacePicture {
  readonly kind: "webgl" | "contours";
  /** Take costs on a square grid, rows of ascending nu, the largest being `most`, and the room there is. */
  load(values: Float64Array, size: number, most: number, width: number, height: number): void;
  render(): void;
  /** Where a point of the unit cube of costs stands. */
  place(x: number, y: number, z: number): [number, number];
  /** The edges worth drawing, as a path, and the words beside them. */
  frame(ends: Ends): { edges: string; labels: Label[] };
  turn(yaw: number, pitch: number): void;
  turnBack(): void;
}
