/** The surface in 3-D with its frame: the front edges of the floor, an upright, and their names. */
import { linePath } from "./path";
import { project, Relief, type Turn } from "./relief";
import type { Anchor, Ends, Label, SurfacePicture } from "./surfacePicture";

const START: Turn = { yaw: 0.62, pitch: 0.56 };
const FLATTEST = 0.05;
const STEEPEST = 1.45;
const FLOOR: readonly [x: number, y: number][] = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
];

export class ReliefPicture implements SurfacePicture {
  readonly kind = "webgl";
  private side: Turn = { ...START };
  private width = 0;
  private height = 0;

  private constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly relief: Relief,
  ) {}

  /** Null without WebGL2. */
  static make(canvas: HTMLCanvasElement): ReliefPicture | null {
    const relief = Relief.make(canvas);
    return relief === null ? null : new ReliefPicture(canvas, relief);
  }

  load(values: Float64Array, size: number, most: number, width: number, height: number): void {
    [this.width, this.height] = [width, height];
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.height = `${height}px`;
    const heights = Float32Array.from(values, (value) => value / (most || 1));
    this.relief.load(heights, size);
  }

  render(): void {
    this.relief.draw(this.side, this.width, this.height);
  }

  place(x: number, y: number, z: number): [number, number] {
    return project(x, y, z, this.side, this.width, this.height);
  }

  frame(ends: Ends): { edges: string; labels: Label[] } {
    const seen = FLOOR.map(([x, y]) => this.place(x, y, 0));
    const front = seen.reduce((best, at, k) => (at[1] > seen[best][1] ? k : best), 0);
    const beside = [(front + 3) % 4, (front + 1) % 4];
    const left = beside.reduce((best, k) => (seen[k][0] < seen[best][0] ? k : best), beside[0]);
    const top = this.place(...FLOOR[left], 1);
    const lines = [...beside.map((k) => [seen[front], seen[k]]), [seen[left], top]];
    const upright: Label[] = [
      { text: "cost per 1000", x: top[0] - 4, y: top[1] - 18, anchor: "start" },
      { text: ends.cost, x: top[0] - 4, y: top[1] - 4, anchor: "start" },
    ];
    return {
      edges: lines.map((line) => linePath(line)).join(""),
      labels: [...beside.flatMap((k) => this.edgeLabels(seen, front, k, ends)), ...upright],
    };
  }

  /** Name and far end of the edge from the front corner to corner k. */
  private edgeLabels(seen: [number, number][], front: number, k: number, ends: Ends): Label[] {
    const alongMu = FLOOR[k][0] !== FLOOR[front][0];
    const outward = seen[k][0] < seen[front][0] ? -1 : 1;
    const anchor: Anchor = outward < 0 ? "end" : "start";
    const farther = FLOOR[k][alongMu ? 0 : 1] === 1;
    const [x, y] = farther ? seen[k] : seen[front];
    return [
      {
        text: alongMu ? "a false alarm" : "a review",
        x: (seen[k][0] + seen[front][0]) / 2 + 14 * outward,
        y: (seen[k][1] + seen[front][1]) / 2 + 18,
        anchor,
      },
      {
        text: alongMu ? ends.mu : ends.nu,
        x: farther ? x + 8 * outward : x,
        y: y + 15,
        anchor: farther ? anchor : "middle",
      },
    ];
  }

  turn(yaw: number, pitch: number): void {
    const steep = Math.min(STEEPEST, Math.max(FLATTEST, this.side.pitch + pitch));
    this.side = { yaw: this.side.yaw + yaw, pitch: steep };
  }

  turnBack(): void {
    this.side = { ...START };
  }
}
