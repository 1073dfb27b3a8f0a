/** One part of the page: shapes drawn when data, size or colours change, marks moved with the cost point. */
import type { Situation } from "../situation";

export interface Panel {
  readonly element: HTMLElement;
  draw(at: Situation): void;
  move(at: Situation): void;
}
