/** Grids of numbers on a canvas: colours, smooth or in steps. */
import { step, type Rgb } from "./palette";

export interface Grid {
  /** Rows of ascending nu, columns of ascending mu. */
  values: ArrayLike<number>;
  columns: number;
  rows: number;
}

// small rasters are filled faster by the processor than by way of the graphics card
const SOFT: CanvasRenderingContext2DSettings = { willReadFrequently: true };
const small = document.createElement("canvas");

/** Fit the pixels of a canvas to its place on the screen. */
export function fit(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const ratio = Math.min(2, window.devicePixelRatio || 1);
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  return canvas.getContext("2d", SOFT)!;
}

/** Draw a grid over the whole canvas, the first row at the bottom; `colour` writes one pixel. */
export function paint(
  context: CanvasRenderingContext2D,
  grid: Grid,
  colour: (value: number, pixel: Uint8ClampedArray, at: number) => void,
  smooth: boolean,
): void {
  const { columns, rows, values } = grid;
  small.width = columns;
  small.height = rows;
  const brush = small.getContext("2d", SOFT)!;
  const image = brush.createImageData(columns, rows);
  for (let row = 0; row < rows; row++) {
    const line = (rows - 1 - row) * columns;
    for (let column = 0; column < columns; column++) {
      colour(values[line + column], image.data, 4 * (row * columns + column));
    }
  }
  brush.putImageData(image, 0, 0);
  const { width, height } = context.canvas;
  context.imageSmoothingEnabled = smooth;
  context.imageSmoothingQuality = "high";
  // values stand at the nodes of the grid: the outer half of the border pixels is cut off
  const half = smooth ? 0.5 : 0;
  context.drawImage(small, half, half, columns - 2 * half, rows - 2 * half, 0, 0, width, height);
}

/** Colours of a table between two values. */
export function byTable(
  table: Uint8ClampedArray,
  low: number,
  high: number,
  scale: (value: number) => number = (value) => value,
) {
  const span = high > low ? high - low : 1;
  return (value: number, pixel: Uint8ClampedArray, at: number): void => {
    const from = step((scale(value) - low) / span);
    pixel[at] = table[from];
    pixel[at + 1] = table[from + 1];
    pixel[at + 2] = table[from + 2];
    // nothing where there is no value
    pixel[at + 3] = value === value ? 255 : 0;
  };
}

/** Colours by number, `none` for -1; softened, since whole regions of pure colour shout. */
export function byIndex(colours: Rgb[], none: Rgb, ground: Rgb, strength = 0.62) {
  const soft = [none, ...colours].map((colour) =>
    colour.map((part, k) => Math.round(strength * part + (1 - strength) * ground[k])),
  );
  return (value: number, pixel: Uint8ClampedArray, at: number): void => {
    const colour = soft[value + 1];
    pixel[at] = colour[0];
    pixel[at + 1] = colour[1];
    pixel[at + 2] = colour[2];
    pixel[at + 3] = 255;
  };
}
