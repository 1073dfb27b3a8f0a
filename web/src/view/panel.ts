/** One part of the page: shapes drawn when data, size or colours change, marks moved with the costs. */
import type { Situation } from "../situation";

/** A figure or a table that can be saved. */
export interface SavedFile {
  kind: "SVG" | "PNG" | "CSV";
  save(): void;
}

export interface Panel<A = Situation> {
  readonly element: HTMLElement;
  draw(at: A): void;
  move?(at: A): void;
  /** What of it can be saved, under which name. */
  readonly title?: string;
  readonly files?: readonly SavedFile[];
}
